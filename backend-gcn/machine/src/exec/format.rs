//! Buffer data and number formats (section 11.3).

use gpucc_num::{Round, convert, pack};

/// Bits of the components of a data format, R first from the lowest bits.
pub(crate) struct Layout {
    bits: &'static [u32],
}

impl Layout {
    /// The layout of a data format number; `None` for invalid and reserved ones.
    pub(crate) fn of(dfmt: u32) -> Option<Layout> {
        let bits: &'static [u32] = match dfmt {
            1 => &[8],
            2 => &[16],
            3 => &[8, 8],
            4 => &[32],
            5 => &[16, 16],
            6 => &[11, 11, 10],
            7 => &[10, 11, 11],
            8 => &[2, 10, 10, 10],
            9 => &[10, 10, 10, 2],
            10 => &[8, 8, 8, 8],
            11 => &[32, 32],
            12 => &[16, 16, 16, 16],
            13 => &[32, 32, 32],
            14 => &[32, 32, 32, 32],
            _ => return None,
        };
        Some(Layout { bits })
    }

    /// The layout of an image format (section 12.4): those of buffers, and packed words. Names count from the top bits.
    pub(crate) fn of_image(dfmt: u32) -> Option<Layout> {
        let bits: &'static [u32] = match dfmt {
            16 => &[5, 6, 5],
            17 => &[5, 5, 5, 1],
            18 => &[1, 5, 5, 5],
            19 => &[4, 4, 4, 4],
            20 => &[24, 8],
            21 => &[8, 24],
            57 => &[4, 4],
            58 => &[5, 5, 6],
            n => return Layout::of(n),
        };
        Some(Layout { bits })
    }

    /// Bits of the components.
    pub(crate) fn bits(&self) -> &'static [u32] {
        self.bits
    }

    /// Bytes of an element.
    pub(crate) fn bytes(&self) -> u32 {
        self.bits.iter().sum::<u32>() / 8
    }

    /// Components as 32-bit register values; absent G and B are 0, absent A is 1.
    pub(crate) fn unpack(&self, nfmt: u32, raw: u128) -> [u32; 4] {
        let one = if matches!(nfmt, 4 | 5) { 1 } else { 1f32.to_bits() };
        let mut out = [0, 0, 0, one];
        let mut at = 0;
        for (c, &bits) in out.iter_mut().zip(self.bits) {
            let v = (raw >> at) as u64 & ((1u64 << bits) - 1);
            *c = component(nfmt, v as u32, bits);
            at += bits;
        }
        out
    }

    /// Packs register values: floats for the norm, scaled and float formats, integers for the others; clamped.
    pub(crate) fn pack(&self, nfmt: u32, c: [u32; 4], half: bool) -> u128 {
        let mut raw = 0;
        let mut at = 0;
        for (&v, &bits) in c.iter().zip(self.bits) {
            let v = if half { from_half(nfmt, v) } else { v };
            raw |= u128::from(field(nfmt, v, bits)) << at;
            at += bits;
        }
        raw
    }
}

fn signed(v: u32, bits: u32) -> i32 {
    let shift = 32 - bits;
    (v << shift) as i32 >> shift
}

fn component(nfmt: u32, v: u32, bits: u32) -> u32 {
    let max = ((1u64 << bits) - 1) as f64;
    match nfmt {
        0 => ((f64::from(v) / max) as f32).to_bits(),
        1 => pack::from_snorm(signed(v, bits), bits).to_bits(),
        2 => convert::u32_to_f32(Round::Nearest, v).to_bits(),
        3 => convert::i32_to_f32(Round::Nearest, signed(v, bits)).to_bits(),
        4 => v,
        5 => signed(v, bits) as u32,
        6 => (((2.0 * f64::from(signed(v, bits)) + 1.0) / max).max(-1.0) as f32).to_bits(),
        _ => match bits {
            32 => v,
            16 => convert::f16_to_f32(v as u16).to_bits(),
            // 10 and 11 bits: f16 without sign and with fewer fraction bits.
            _ => convert::f16_to_f32((v << (15 - bits)) as u16).to_bits(),
        },
    }
}

fn field(nfmt: u32, v: u32, bits: u32) -> u32 {
    let mask = ((1u64 << bits) - 1) as u32;
    let f = f32::from_bits(v);
    let (lo, hi) = (-(1i64 << (bits - 1)), (1i64 << (bits - 1)) - 1);
    let value: i64 = match nfmt {
        0 => (f64::from(if f.is_nan() { 0.0 } else { f.clamp(0.0, 1.0) }) * mask as f64).round_ties_even() as i64,
        1 | 6 => (f64::from(if f.is_nan() { 0.0 } else { f.clamp(-1.0, 1.0) }) * hi as f64).round_ties_even() as i64,
        2 => convert::f64_to_u64(Round::Nearest, f.into()).min(mask.into()) as i64,
        3 => convert::f64_to_i64(Round::Nearest, f.into()).clamp(lo, hi),
        4 => v.min(mask).into(),
        5 => i64::from(v as i32).clamp(lo, hi),
        _ => match bits {
            32 => v.into(),
            16 => convert::f32_to_f16(Round::Nearest, f).into(),
            _ => {
                let h = convert::f32_to_f16(Round::Zero, if f < 0.0 { 0.0 } else { f });
                i64::from(h >> (15 - bits))
            }
        },
    };
    value as u32 & mask
}

/// 16 bits of a component for D16 loads.
pub(crate) fn to_half(nfmt: u32, v: u32) -> u32 {
    match nfmt {
        4 | 5 => v & 0xffff,
        _ => convert::f32_to_f16(Round::Nearest, f32::from_bits(v)).into(),
    }
}

/// The 32-bit value that a D16 store means.
pub(crate) fn from_half(nfmt: u32, v: u32) -> u32 {
    match nfmt {
        4 => v & 0xffff,
        5 => v as u16 as i16 as i32 as u32,
        _ => convert::f16_to_f32(v as u16).to_bits(),
    }
}
