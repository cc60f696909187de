//! f64 arithmetic. Nearest-even sums, products and quotients are the host's; everything else goes through
//! `rustc_apfloat`.

use crate::{Class, Mode, NAN64, Round, classify};
use core::primitive::f64;
use rustc_apfloat::Float as _;
use rustc_apfloat::ieee::Double;

const SIGN: u64 = 1 << 63;

crate::hard::common! { f64, bits u64, exponent 0x7ff0_0000_0000_0000, nan NAN64, picked |_: Mode, x| x }

pub(crate) fn ap_round(round: Round) -> rustc_apfloat::Round {
    match round {
        Round::Nearest => rustc_apfloat::Round::NearestTiesToEven,
        Round::Up => rustc_apfloat::Round::TowardPositive,
        Round::Down => rustc_apfloat::Round::TowardNegative,
        Round::Zero => rustc_apfloat::Round::TowardZero,
    }
}

fn soft(x: f64) -> Double {
    Double::from_bits(u128::from(x.to_bits()))
}

fn hard(m: Mode, x: Double) -> f64 {
    output(m, f64::from_bits(x.to_bits() as u64))
}

/// Sum of two f64, rounded once.
#[inline]
pub fn add(m: Mode, a: f64, b: f64) -> f64 {
    let (a, b) = (input(m, a), input(m, b));
    if m.round == Round::Nearest {
        return output(m, a + b);
    }
    hard(m, soft(a).add_r(soft(b), ap_round(m.round)).value)
}

/// Product of two f64, rounded once.
#[inline]
pub fn mul(m: Mode, a: f64, b: f64) -> f64 {
    let (a, b) = (input(m, a), input(m, b));
    if m.round == Round::Nearest {
        return output(m, a * b);
    }
    hard(m, soft(a).mul_r(soft(b), ap_round(m.round)).value)
}

/// Quotient of two f64, rounded once.
#[inline]
pub fn div(m: Mode, a: f64, b: f64) -> f64 {
    let (a, b) = (input(m, a), input(m, b));
    if m.round == Round::Nearest {
        return output(m, a / b);
    }
    hard(m, soft(a).div_r(soft(b), ap_round(m.round)).value)
}

/// Fused multiply-add: one rounding.
#[inline]
pub fn fma(m: Mode, a: f64, b: f64, c: f64) -> f64 {
    let (a, b, c) = (input(m, a), input(m, b), input(m, c));
    hard(m, soft(a).mul_add_r(soft(b), soft(c), ap_round(m.round)).value)
}

/// Square root, to nearest.
#[inline]
pub fn sqrt(m: Mode, a: f64) -> f64 {
    output(m, input(m, a).sqrt())
}

/// The integral value in the given direction; keeps the sign of zero.
#[inline]
pub fn round_to_int(round: Round, x: f64) -> f64 {
    let bits = x.to_bits();
    let e = (bits >> 52 & 0x7ff) as i32 - 1023;
    if x.is_nan() {
        return NAN64;
    }
    if e >= 52 {
        return x;
    }
    let t = f64::from_bits(if e < 0 { bits & SIGN } else { bits & !(0x000f_ffff_ffff_ffff >> e) });
    // With the sign of `x`, also for zero.
    let away = f64::from_bits((t.abs() + 1.0).to_bits() | bits & SIGN);
    match round {
        Round::Zero => t,
        Round::Up if t < x => away,
        Round::Up => t,
        Round::Down if t > x => away,
        Round::Down => t,
        Round::Nearest => {
            const MAGIC: f64 = 4_503_599_627_370_496.0;
            f64::from_bits(((x.abs() + MAGIC) - MAGIC).to_bits() | bits & SIGN)
        }
    }
}

/// `x * 2^exp` with one rounding.
pub fn ldexp(m: Mode, x: f64, exp: i32) -> f64 {
    hard(m, soft(input(m, x)).scalbn_r(exp.clamp(-5000, 5000), ap_round(m.round)))
}

/// Fraction in 0.5..1 (with the sign of `x`) and exponent. Zero, infinity and NaN come back with exponent 0.
pub fn frexp(x: f64) -> (f64, i32) {
    if x == 0.0 || !x.is_finite() {
        return (x, 0);
    }
    let (scaled, extra) = if x.abs() < f64::MIN_POSITIVE { (x * 18_014_398_509_481_984.0, 54) } else { (x, 0) };
    let bits = scaled.to_bits();
    let e = (bits >> 52 & 0x7ff) as i32 - 1022 - extra;
    (f64::from_bits(bits & !(0x7ff << 52) | 1022 << 52), e)
}

/// Class for class instructions.
#[inline]
pub fn class(x: f64) -> Class {
    classify(x.to_bits(), 11, 52)
}
