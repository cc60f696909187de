//! f32 arithmetic.

use crate::{Class, Mode, NAN32, Round, add_odd, classify, zero_sum};
use core::primitive::{f32, f64};

const SIGN: u32 = 0x8000_0000;

crate::hard::common! { f32, bits u32, exponent 0x7f80_0000, nan NAN32, picked |m: Mode, x| if m.flush_out { flush(x) } else { x } }

/// Whether it is a denormal.
#[inline]
pub fn is_denormal(x: f32) -> bool {
    let magnitude = x.to_bits() & !SIGN;
    magnitude != 0 && magnitude < 0x0080_0000
}

/// Rounds a f64 to f32; exact for every value of `x`.
#[inline]
pub fn from_f64(round: Round, x: f64) -> f32 {
    let near = x as f32;
    if round == Round::Nearest {
        return near;
    }
    let back = f64::from(near);
    let bits = near.to_bits();
    // One step up or down; the sign of a zero is that of `x`, so a step from zero keeps it too.
    let away = f32::from_bits(bits.wrapping_add(1));
    let toward = f32::from_bits(bits.wrapping_sub(1));
    let negative = bits & SIGN != 0;
    match round {
        Round::Up if back < x && !negative => away,
        Round::Down if back > x && negative => away,
        Round::Up if back < x => toward,
        Round::Down if back > x => toward,
        Round::Zero if back.abs() > x.abs() => toward,
        _ => near,
    }
}

#[inline]
fn finish(m: Mode, exact: f64) -> f32 {
    output(m, from_f64(m.round, exact))
}

/// Sum of two f32, rounded once.
#[inline]
pub fn add(m: Mode, a: f32, b: f32) -> f32 {
    let (a, b) = (input(m, a), input(m, b));
    if m.round == Round::Nearest {
        return output(m, a + b);
    }
    let (a, b) = (f64::from(a), f64::from(b));
    finish(m, zero_sum(m, a, b, add_odd(a, b)))
}

/// Product of two f32, rounded once.
#[inline]
pub fn mul(m: Mode, a: f32, b: f32) -> f32 {
    let (a, b) = (input(m, a), input(m, b));
    if m.round == Round::Nearest {
        return output(m, a * b);
    }
    finish(m, f64::from(a) * f64::from(b))
}

/// Product where zero times anything is +0 (the "legacy" multiply of older shader models).
#[inline]
pub fn mul_legacy(m: Mode, a: f32, b: f32) -> f32 {
    if input(m, a) == 0.0 || input(m, b) == 0.0 { 0.0 } else { mul(m, a, b) }
}

/// Quotient of two f32, rounded once.
#[inline]
pub fn div(m: Mode, a: f32, b: f32) -> f32 {
    let (a, b) = (input(m, a), input(m, b));
    if m.round == Round::Nearest {
        return output(m, a / b);
    }
    // A quotient of 24-bit significands that is no 25-bit number differs from each by more than the rounding to 53.
    finish(m, f64::from(a) / f64::from(b))
}

/// Fused multiply-add: one rounding.
#[inline]
pub fn fma(m: Mode, a: f32, b: f32, c: f32) -> f32 {
    let (a, b, c) = (input(m, a), input(m, b), input(m, c));
    let product = f64::from(a) * f64::from(b);
    let c = f64::from(c);
    finish(m, zero_sum(m, product, c, add_odd(product, c)))
}

/// Multiply and add with two roundings.
#[inline]
pub fn mad(m: Mode, a: f32, b: f32, c: f32) -> f32 {
    add(m, mul(m, a, b), c)
}

/// Square root of a f32, rounded once.
#[inline]
pub fn sqrt(m: Mode, a: f32) -> f32 {
    let a = input(m, a);
    if m.round == Round::Nearest { output(m, a.sqrt()) } else { finish(m, f64::from(a).sqrt()) }
}

/// Clamps to 0..1; NaN gives `nan`. Negative zero becomes +0.
#[inline]
pub fn saturate(x: f32, nan: f32) -> f32 {
    if x.is_nan() {
        nan
    } else if x > 0.0 {
        if x < 1.0 { x } else { 1.0 }
    } else {
        0.0
    }
}

/// The integral value toward zero; keeps the sign of zero.
#[inline]
pub fn trunc(x: f32) -> f32 {
    let bits = x.to_bits();
    let e = (bits >> 23 & 0xff) as i32 - 127;
    if e < 0 {
        f32::from_bits(bits & SIGN)
    } else if e < 23 {
        f32::from_bits(bits & !(0x007f_ffff >> e))
    } else if x.is_nan() {
        NAN32
    } else {
        x
    }
}

/// Down to an integral value; keeps the sign of zero.
#[inline]
pub fn floor(x: f32) -> f32 {
    let t = trunc(x);
    if t > x { t - 1.0 } else { t }
}

/// The integral value up from `x`; results in -1..0 are -0.
#[inline]
pub fn ceil(x: f32) -> f32 {
    let t = trunc(x);
    if t < x { if t == 0.0 && x < 0.0 { t } else { t + 1.0 } } else { t }
}

/// The nearest integral value, ties to even; keeps the sign of zero.
#[inline]
pub fn rint(x: f32) -> f32 {
    const MAGIC: f32 = 8_388_608.0;
    let a = x.abs();
    if a < MAGIC {
        let r = (a + MAGIC) - MAGIC;
        f32::from_bits(r.to_bits() | x.to_bits() & SIGN)
    } else if x.is_nan() {
        NAN32
    } else {
        x
    }
}

/// The integral value in the given direction.
#[inline]
pub fn round_to_int(round: Round, x: f32) -> f32 {
    match round {
        Round::Nearest => rint(x),
        Round::Up => ceil(x),
        Round::Down => floor(x),
        Round::Zero => trunc(x),
    }
}

/// `x - floor(x)`, rounded: may be 1.0 for tiny negative values.
#[inline]
pub fn fract(m: Mode, x: f32) -> f32 {
    let x = input(m, x);
    sub(m, x, floor(x))
}

/// `x * 2^exp` with one rounding.
#[inline]
pub fn ldexp(m: Mode, x: f32, exp: i32) -> f32 {
    let x = input(m, x);
    // 2^600 takes every f32 beyond the range, and stays inside that of f64.
    let e = exp.clamp(-600, 600);
    finish(m, f64::from(x) * f64::from_bits(((1023 + e) as u64) << 52))
}

/// Fraction in 0.5..1 (with the sign of `x`) and exponent, so that `x = fraction * 2^exponent`. Zero, infinity and NaN
/// come back with exponent 0. Denormals are normalised.
#[inline]
pub fn frexp(x: f32) -> (f32, i32) {
    if x == 0.0 || !x.is_finite() {
        return (x, 0);
    }
    let d = f64::from(x).to_bits();
    let e = (d >> 52 & 0x7ff) as i32 - 1022;
    let fraction = f64::from_bits(d & !(0x7ff << 52) | 1022 << 52);
    (fraction as f32, e)
}

/// -1, 0 or 1; NaN gives 0.
#[inline]
pub fn sign(x: f32) -> f32 {
    if x > 0.0 {
        1.0
    } else if x < 0.0 {
        -1.0
    } else {
        0.0
    }
}

/// Class for class instructions.
#[inline]
pub fn class(x: f32) -> Class {
    classify(u64::from(x.to_bits()), 8, 23)
}

/// Distance of two floats in representable values, zeros of both signs being one; `None` when exactly one is NaN.
pub fn ulp_distance(a: f32, b: f32) -> Option<u32> {
    if a.is_nan() || b.is_nan() {
        return (a.is_nan() && b.is_nan()).then_some(0);
    }
    let order = |x: f32| {
        let bits = x.to_bits();
        if bits & SIGN != 0 { -i64::from(bits & !SIGN) } else { i64::from(bits) }
    };
    Some(order(a).abs_diff(order(b)) as u32)
}
