//! Packing and unpacking. WGSL gives each conversion a range of results: here, all values of that range become one.

use super::expr::LANES;
use super::{Generator, Ty};

impl Generator {
    /// `n` floats to be packed to unsigned or signed fractions: multiples of 1/1024 up to 1/4, none of which is near the middle of
    /// two fractions of 8 or of 16 bits; or integers, which are mostly beyond.
    fn fractions(&mut self, n: u8, signed: bool, d: u32) -> String {
        if self.pick(4) == 0 {
            return format!("({} - 3.0)", self.expr(Ty::V(2, n), d));
        }
        let (words, floats) = (Ty::V(1, n), Ty::V(2, n));
        let low = format!("{}({} & {}(255u))", floats.name(), self.expr(words, d), words.name());
        if signed { format!("(({low} - 128.0) * 0.0009765625)") } else { format!("({low} * 0.0009765625)") }
    }

    /// Two floats that halves hold exactly.
    fn halves(&mut self, d: u32) -> String {
        let v = self.expr(Ty::V(2, 2), d);
        match self.pick(3) {
            0 => v,
            1 => format!("({v} * 0.25 - 100.0)"),
            _ => format!("({v} - 512.0)"),
        }
    }

    /// A word of two halves that are integers from 1024 to 2047.
    fn word_of_halves(&mut self, d: u32) -> String {
        format!("(({} & 0x03ff03ffu) | 0x64006400u)", self.expr(Ty::U, d))
    }

    /// An integer that was packed or unpacked.
    pub(super) fn packed(&mut self, signed: bool, d: u32) -> String {
        let two = self.one(&["x", "y"]);
        let four = self.one(&LANES);
        let a = self.expr(Ty::U, d);
        if signed {
            return match self.pick(6) {
                0 => format!("dot4I8Packed({a}, {})", self.expr(Ty::U, d)),
                1 => format!("unpack4xI8({a}).{four}"),
                2 => format!("i32(round(unpack4x8snorm({a}).{four} * 127.0))"),
                3 => format!("i32(round(unpack2x16snorm({a}).{two} * 32767.0))"),
                4 => format!("i32(quantizeToF16({}))", self.expr(Ty::F, d)),
                _ => format!("i32(round(unpack2x16float(pack2x16float({})).{two} * 4.0))", self.halves(d)),
            };
        }
        match self.pick(14) {
            0 => format!("dot4U8Packed({a}, {})", self.expr(Ty::U, d)),
            1 => format!("pack4xI8({})", self.expr(Ty::V(0, 4), d)),
            2 => format!("pack4xU8({})", self.expr(Ty::V(1, 4), d)),
            3 => format!("pack4xI8Clamp({})", self.expr(Ty::V(0, 4), d)),
            4 => format!("pack4xU8Clamp({})", self.expr(Ty::V(1, 4), d)),
            5 => format!("unpack4xU8({a}).{four}"),
            6 => format!("pack2x16float({})", self.halves(d)),
            7 => format!("pack4x8unorm({})", self.fractions(4, false, d)),
            8 => format!("pack4x8snorm({})", self.fractions(4, true, d)),
            9 => format!("pack2x16unorm({})", self.fractions(2, false, d)),
            10 => format!("pack2x16snorm({})", self.fractions(2, true, d)),
            11 => format!("u32(round(unpack4x8unorm({a}).{four} * 255.0))"),
            12 => format!("u32(round(unpack2x16unorm({a}).{two} * 65535.0))"),
            _ => format!("word(unpack2x16float({}).{two})", self.word_of_halves(d)),
        }
    }

    /// A vector that was unpacked, if there is one of this type.
    pub(super) fn unpacked(&mut self, k: u8, n: u8, d: u32) -> Option<String> {
        Some(match (k, n) {
            (0, 4) => format!("unpack4xI8({})", self.expr(Ty::U, d)),
            (1, 4) => format!("unpack4xU8({})", self.expr(Ty::U, d)),
            (2, 4) => format!("round(unpack4x8unorm({}) * 255.0)", self.expr(Ty::U, d)),
            (2, 2) if self.pick(2) == 0 => format!("small2(unpack2x16float({}))", self.word_of_halves(d)),
            (2, 2) => format!("small2(round(unpack2x16unorm({}) * 65535.0))", self.expr(Ty::U, d)),
            _ => return None,
        })
    }
}
