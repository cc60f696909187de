//! f32 arithmetic (reference section 7.2): denormals count as zero, results below 2^-126 become zero, one NaN.

use gpucc_num::{MinMax, Mode, Round, f32 as num};

/// The only NaN that f32 arithmetic returns.
pub const CNAN: u32 = 0x7fff_ffff;
const SIGN: u32 = 1 << 31;
const EXP: u32 = 0x7f80_0000;

/// Modifiers of a source: absolute value first, then negation.
pub const fn modify(x: u32, abs: bool, neg: bool) -> u32 {
    let x = if abs { x & !SIGN } else { x };
    if neg { x ^ SIGN } else { x }
}

/// A denormal becomes zero of its sign.
pub const fn flush(x: u32) -> u32 {
    if x & EXP == 0 { x & SIGN } else { x }
}

/// Whether it is a NaN.
pub const fn is_nan(x: u32) -> bool {
    x & !SIGN > EXP
}

fn out(x: f32) -> u32 {
    if x.is_nan() { CNAN } else { x.to_bits() }
}

fn mode(zero: bool) -> Mode {
    if zero { Mode::FLUSH.rounding(Round::Zero) } else { Mode::FLUSH }
}

/// Sum; `zero` rounds toward zero.
pub fn add(a: u32, b: u32, zero: bool) -> u32 {
    out(num::add(mode(zero), f32::from_bits(a), f32::from_bits(b)))
}

/// Product; `zero` rounds toward zero.
pub fn mul(a: u32, b: u32, zero: bool) -> u32 {
    out(num::mul(mode(zero), f32::from_bits(a), f32::from_bits(b)))
}

/// Multiply-add: the product is cut to 24 significant bits (with any exponent), then added with one rounding. With a zero among
/// the operands the product is rounded to nearest instead. `neg` negates the product.
pub fn mad(a: u32, b: u32, c: u32, neg: bool) -> u32 {
    let (a, b, c) = (flush(a), flush(b), flush(c));
    let b = if neg && !is_nan(b) { b ^ SIGN } else { b };
    let finite = a & EXP != EXP && b & EXP != EXP && c & EXP != EXP;
    if !finite || a & !SIGN == 0 || b & !SIGN == 0 || c & !SIGN == 0 {
        return add(mul(a, b, false), c, false);
    }
    // 48 significant bits are exact in f64, and so is the cut; the sum of two 24-bit numbers rounds to 24 bits through f64 as
    // it would at once (53 >= 2 * 24 + 2).
    let exact = f64::from(f32::from_bits(a)) * f64::from(f32::from_bits(b));
    let cut = f64::from_bits(exact.to_bits() & !0x1fff_ffff);
    out(num::flush(num::from_f64(Round::Nearest, cut + f64::from(f32::from_bits(c)))))
}

/// Clamp to 0..1; a NaN stays.
pub fn saturate(x: u32) -> u32 {
    if is_nan(x) {
        CNAN
    } else if x & SIGN != 0 {
        0
    } else {
        x.min(0x3f80_0000)
    }
}

/// Minimum or maximum of two f32, denormals flushed.
pub fn minmax(a: u32, b: u32, max: bool) -> u32 {
    let (a, b) = (f32::from_bits(flush(a)), f32::from_bits(flush(b)));
    out(if max { num::max(Mode::FLUSH, MinMax::Number, a, b) } else { num::min(Mode::FLUSH, MinMax::Number, a, b) })
}

/// Compare by a mask of less (1), equal (2), greater (4), unordered (8).
pub fn compare(a: u32, b: u32, cond: u8) -> bool {
    let (a, b) = (f32::from_bits(flush(a)), f32::from_bits(flush(b)));
    let holds = u8::from(a < b) | u8::from(a == b) << 1 | u8::from(a > b) << 2;
    let holds = holds | u8::from(a.is_nan() | b.is_nan()) << 3;
    holds & cond != 0
}

/// The one bit of less (1), equal (2), greater (4), unordered (8) that holds.
pub fn relation(a: f64, b: f64) -> u8 {
    match a.partial_cmp(&b) {
        Some(std::cmp::Ordering::Less) => 1,
        Some(std::cmp::Ordering::Equal) => 2,
        Some(std::cmp::Ordering::Greater) => 4,
        None => 8,
    }
}

/// Z and S of a float result.
pub fn flags(x: u32) -> u8 {
    if is_nan(x) {
        3
    } else if x & !SIGN == 0 {
        1
    } else {
        (x >> 31 << 1) as u8
    }
}

/// f64 operations (reference section 7.4).
pub mod double {
    use gpucc_num::{MinMax, Mode, Round, f64 as num};

    const NAN: u64 = 0xfff8_0000_0000_0000;
    const QUIET: u64 = 0x0008_0000_0000_0000;
    const SIGN: u64 = 1 << 63;

    /// Rounding from its field.
    pub const fn rounding(field: u8) -> Round {
        match field {
            0 => Round::Nearest,
            1 => Round::Down,
            2 => Round::Up,
            _ => Round::Zero,
        }
    }

    fn is_nan(x: u64) -> bool {
        x & !SIGN > 0x7ff0_0000_0000_0000
    }

    /// Modifiers; a NaN keeps its sign.
    pub fn modify(x: u64, abs: bool, neg: bool) -> u64 {
        if is_nan(x) {
            return x;
        }
        let x = if abs { x & !SIGN } else { x };
        if neg { x ^ SIGN } else { x }
    }

    fn out(x: f64) -> u64 {
        if x.is_nan() { NAN } else { x.to_bits() }
    }

    /// The first NaN in order of priority, made quiet.
    fn payload(order: &[u64]) -> Option<u64> {
        order.iter().copied().find(|&x| is_nan(x)).map(|x| x | QUIET)
    }

    /// `a * b + c`, one rounding.
    pub fn fma(a: u64, b: u64, c: u64, round: u8) -> u64 {
        let m = Mode::IEEE.rounding(rounding(round));
        payload(&[b, c, a]).unwrap_or_else(|| out(num::fma(m, f64::from_bits(a), f64::from_bits(b), f64::from_bits(c))))
    }

    /// Sum of two f64 under a rounding field.
    pub fn add(a: u64, b: u64, round: u8) -> u64 {
        let m = Mode::IEEE.rounding(rounding(round));
        payload(&[b, a]).unwrap_or_else(|| out(num::add(m, f64::from_bits(a), f64::from_bits(b))))
    }

    /// Product of two f64 under a rounding field.
    pub fn mul(a: u64, b: u64, round: u8) -> u64 {
        let m = Mode::IEEE.rounding(rounding(round));
        payload(&[b, a]).unwrap_or_else(|| out(num::mul(m, f64::from_bits(a), f64::from_bits(b))))
    }

    /// Minimum or maximum; of a NaN and a number the number.
    pub fn minmax(a: u64, b: u64, max: bool) -> u64 {
        if is_nan(a) && is_nan(b) {
            return b | QUIET;
        }
        let (x, y) = (f64::from_bits(a), f64::from_bits(b));
        out(if max { num::max(Mode::IEEE, MinMax::Number, x, y) } else { num::min(Mode::IEEE, MinMax::Number, x, y) })
    }

    /// Z and S of a result.
    pub fn flags(x: u64) -> u8 {
        if is_nan(x) {
            3
        } else if x & !SIGN == 0 {
            1
        } else {
            (x >> 63 << 1) as u8
        }
    }
}
