//! f16 arithmetic on bits. Every operation is done exactly (or rounded to odd) in f64 and rounded once.

use crate::convert::{f16_to_f32, f16_to_f64, f64_to_f16};
use crate::{Class, MinMax, Mode, NAN16, Round, add_odd, classify, zero_sum};
use core::primitive::f64;

const SIGN: u16 = 0x8000;

/// Zero of its sign for a denormal, everything else unchanged.
#[inline]
pub fn flush(x: u16) -> u16 {
    if x & 0x7c00 == 0 { x & SIGN } else { x }
}

/// Whether it is a NaN.
#[inline]
pub fn is_nan(x: u16) -> bool {
    x & 0x7fff > 0x7c00
}

/// Operand as the mode sees it.
#[inline]
pub fn input(m: Mode, x: u16) -> u16 {
    if m.flush_in { flush(x) } else { x }
}

/// Result as the mode leaves it, NaN made canonical.
#[inline]
pub fn output(m: Mode, x: u16) -> u16 {
    if is_nan(x) {
        NAN16
    } else if m.flush_out {
        flush(x)
    } else {
        x
    }
}

#[inline]
fn wide(m: Mode, x: u16) -> f64 {
    f16_to_f64(input(m, x))
}

#[inline]
fn finish(m: Mode, exact: f64) -> u16 {
    output(m, f64_to_f16(m.round, exact))
}

/// Sum of two f16, rounded once.
#[inline]
pub fn add(m: Mode, a: u16, b: u16) -> u16 {
    let (a, b) = (wide(m, a), wide(m, b));
    finish(m, zero_sum(m, a, b, a + b))
}

/// Difference of two f16, rounded once.
#[inline]
pub fn sub(m: Mode, a: u16, b: u16) -> u16 {
    add(m, a, b ^ SIGN)
}

/// Product of two f16, rounded once.
#[inline]
pub fn mul(m: Mode, a: u16, b: u16) -> u16 {
    finish(m, wide(m, a) * wide(m, b))
}

/// Quotient of two f16, rounded once.
#[inline]
pub fn div(m: Mode, a: u16, b: u16) -> u16 {
    finish(m, wide(m, a) / wide(m, b))
}

/// Fused multiply-add: one rounding.
#[inline]
pub fn fma(m: Mode, a: u16, b: u16, c: u16) -> u16 {
    let product = wide(m, a) * wide(m, b);
    let c = wide(m, c);
    finish(m, zero_sum(m, product, c, add_odd(product, c)))
}

/// Multiply and add with two roundings.
#[inline]
pub fn mad(m: Mode, a: u16, b: u16, c: u16) -> u16 {
    add(m, mul(m, a, b), c)
}

/// Square root of a f16, rounded once.
#[inline]
pub fn sqrt(m: Mode, a: u16) -> u16 {
    finish(m, wide(m, a).sqrt())
}

/// Remainder `a - b * trunc(a / b)`, exact: the sign is that of `a`.
#[inline]
pub fn rem(m: Mode, a: u16, b: u16) -> u16 {
    finish(m, wide(m, a) % wide(m, b))
}

#[inline]
fn pick(m: Mode, rule: MinMax, a: u16, b: u16, max: bool) -> u16 {
    let (a, b) = (input(m, a), input(m, b));
    let (x, y) = (f16_to_f32(a), f16_to_f32(b));
    let r = if max { crate::f32::max(Mode::IEEE, rule, x, y) } else { crate::f32::min(Mode::IEEE, rule, x, y) };
    let r = if r.is_nan() {
        // The select forms hand an operand through unchanged.
        match rule {
            MinMax::First => a,
            MinMax::Second => b,
            MinMax::Number | MinMax::Propagate => NAN16,
        }
    } else {
        f64_to_f16(Round::Nearest, f64::from(r))
    };
    if m.flush_out { flush(r) } else { r }
}

/// Minimum of two f16, NaN by `rule`.
#[inline]
pub fn min(m: Mode, rule: MinMax, a: u16, b: u16) -> u16 {
    pick(m, rule, a, b, false)
}

/// Maximum of two f16, NaN by `rule`.
#[inline]
pub fn max(m: Mode, rule: MinMax, a: u16, b: u16) -> u16 {
    pick(m, rule, a, b, true)
}

/// Clamps to 0..1; NaN gives `nan`. Negative zero becomes +0.
#[inline]
pub fn saturate(x: u16, nan: u16) -> u16 {
    if is_nan(x) {
        nan
    } else if x & SIGN != 0 {
        0
    } else {
        x.min(0x3c00)
    }
}

/// The integral value in the given direction.
#[inline]
pub fn round_to_int(round: Round, x: u16) -> u16 {
    f64_to_f16(Round::Nearest, f64::from(crate::f32::round_to_int(round, f16_to_f32(x))))
}

/// The fraction `x - floor(x)`, rounded once.
#[inline]
pub fn fract(m: Mode, x: u16) -> u16 {
    let x = input(m, x);
    sub(m, x, round_to_int(Round::Down, x))
}

/// `x * 2^exp` with one rounding.
#[inline]
pub fn ldexp(m: Mode, x: u16, exp: i32) -> u16 {
    let e = exp.clamp(-200, 200);
    finish(m, wide(m, x) * f64::from_bits(((1023 + e) as u64) << 52))
}

/// Fraction in 0.5..1 (with the sign of `x`) and exponent. Zero, infinity and NaN come back with exponent 0.
#[inline]
pub fn frexp(x: u16) -> (u16, i32) {
    if x & 0x7fff == 0 || x & 0x7c00 == 0x7c00 {
        return (x, 0);
    }
    let (fraction, e) = crate::f32::frexp(f16_to_f32(x));
    (f64_to_f16(Round::Nearest, f64::from(fraction)), e)
}

/// Class for class instructions.
#[inline]
pub fn class(x: u16) -> Class {
    classify(u64::from(x), 5, 10)
}
