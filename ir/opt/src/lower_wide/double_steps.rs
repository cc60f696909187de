//! Quotients, roots and scaled floats of 64 bits on targets that add, multiply and fuse them but have nothing else.
//!
//! ```text
//! v2: f64 = fdiv v0, v1   ==>   exponents and significands apart; the reciprocal of 32 bits of the significand, two steps,
//!                               the quotient and what it leaves over, the exponent again
//! ```
//!
//! Results are correctly rounded, but for quotients that are denormal: those are rounded twice. A significand keeps the sign of its
//! float and is 1 to 2, so nothing over- or underflows on the way. Zeros, infinities and NaN are chosen at the end.

use gpucc_ir::{Builder, Const, FloatCc, FpFlags, IntCc, Op, Type, Value};

use super::pair::{Pair, is, with, word};

const SIGN: u32 = 0x8000_0000;
/// The exponent of 1 in the high word, and all of the exponent.
const ONE: u32 = 0x3ff0_0000;
const INFINITY: u32 = 0x7ff0_0000;

/// The words of a float.
pub(super) const WORDS: Type = Type::I32.with_lanes(2);

/// A constant.
pub(super) fn number(b: &mut Builder<'_>, v: f64) -> Value {
    b.func.constant(Const::new(Type::F64, &[v.to_bits()]))
}

/// The words of a float.
pub(super) fn taken_apart(b: &mut Builder<'_>, v: Value) -> Pair {
    if let Some(bits) = b.func.const_bits(v) {
        return Pair::of(b.func, bits);
    }
    let words = b.bitcast(v, WORDS);
    Pair { lo: b.extract(words, 0), hi: b.extract(words, 1) }
}

/// The float of two words.
pub(super) fn put_together(b: &mut Builder<'_>, p: Pair) -> Value {
    let words = b.compose(&[p.lo, p.hi]);
    b.bitcast(words, Type::F64)
}

/// One of `fdiv`, `fsqrt` and `fldexp` with other ops.
pub(super) fn expanded(b: &mut Builder<'_>, op: Op, a: &[Value]) -> Value {
    let fp = std::mem::replace(&mut b.fp, FpFlags::NONE);
    let value = match op {
        Op::FDiv => quotient(b, a[0], a[1]),
        Op::FSqrt => root(b, a[0]),
        _ => scaled(b, a[0], a[1]),
    };
    b.fp = fp;
    value
}

/// A float apart.
struct Apart {
    /// 1 to 2, with the sign.
    significand: Pair,
    /// The biased exponent; those of denormals go on below 1.
    exponent: Value,
    /// The field of the exponent: 0 of zeros alone.
    field: Value,
    /// Neither zero nor infinite nor NaN.
    plain: Value,
}

impl Apart {
    fn of(b: &mut Builder<'_>, v: Value) -> Apart {
        let small = {
            let high = taken_apart(b, v).hi;
            let field = with(b, Op::And, high, INFINITY);
            is(b, field, 0)
        };
        let up = number(b, 18_014_398_509_481_984.0);
        let normal = b.fmul(v, up);
        let words = {
            let v = b.select(small, normal, v);
            taken_apart(b, v)
        };
        let high = with(b, Op::UShr, words.hi, 20);
        let field = with(b, Op::And, high, 0x7ff);
        let (down, none) = (word(b, 54), word(b, 0));
        let down = b.select(small, down, none);
        let exponent = b.isub(field, down);
        let less = with(b, Op::IAdd, field, u32::MAX);
        let most = word(b, 0x7fe);
        let plain = b.icmp(IntCc::Ult, less, most);
        let own = with(b, Op::And, words.hi, !INFINITY);
        let high = with(b, Op::Or, own, ONE);
        Apart { significand: Pair { lo: words.lo, hi: high }, exponent, field, plain }
    }
}

/// `2^n` for `n` from -1022 to 1023.
fn power(b: &mut Builder<'_>, n: Value) -> Value {
    let biased = with(b, Op::IAdd, n, 1023);
    let hi = with(b, Op::Shl, biased, 20);
    let lo = word(b, 0);
    put_together(b, Pair { lo, hi })
}

/// An integer within bounds.
fn clamped(b: &mut Builder<'_>, n: Value, least: i32, most: i32) -> Value {
    let n = with(b, Op::SMax, n, least as u32);
    with(b, Op::SMin, n, most as u32)
}

/// A step to a function by 32 bits of a float of 1 to 4.
fn approximation(b: &mut Builder<'_>, op: Op, v: Value) -> Value {
    let single = b.f2f(v, Type::F32);
    let found = b.op(op, &[single]);
    b.f2f(found, Type::F64)
}

/// `x / y`. The reciprocal is right to 22 bits at least; two steps make it right to the last, and so is the quotient by what it
/// leaves over.
fn quotient(b: &mut Builder<'_>, x: Value, y: Value) -> Value {
    let (dividend, divisor) = (Apart::of(b, x), Apart::of(b, y));
    let (m, n) = (put_together(b, dividend.significand), put_together(b, divisor.significand));
    let (one, minus) = (number(b, 1.0), b.fneg(n));
    let mut r = approximation(b, Op::FRcp, n);
    for _ in 0..2 {
        let error = b.fma(minus, r, one);
        r = b.fma(r, error, r);
    }
    // Of a significand of ones alone it is too near the middle between two numbers.
    let sign = with(b, Op::And, divisor.significand.hi, SIGN);
    let low_ones = is(b, divisor.significand.lo, u32::MAX);
    let high = with(b, Op::Or, divisor.significand.hi, SIGN);
    let high_ones = is(b, high, SIGN | ONE | 0x000f_ffff);
    let ones = b.and(low_ones, high_ones);
    let (lo, hi) = (word(b, 1), with(b, Op::Or, sign, 0x3fe0_0000));
    let of_ones = put_together(b, Pair { lo, hi });
    let r = b.select(ones, of_ones, r);
    let q = b.fmul(m, r);
    let left = b.fma(minus, q, m);
    let q = b.fma(left, r, q);
    // Beyond these all are infinite or zero; either factor is a number.
    let exponent = b.isub(dividend.exponent, divisor.exponent);
    let exponent = clamped(b, exponent, -1080, 1026);
    let first = with(b, Op::SShr, exponent, 1);
    let second = b.isub(exponent, first);
    let (first, second) = (power(b, first), power(b, second));
    let q = b.fmul(q, first);
    let q = b.fmul(q, second);
    // Else the product with the reciprocal of the divisor, of which only sign and kind matter.
    let (zero, kind) = (is(b, divisor.field, 0), is(b, divisor.field, 0x7ff));
    let none = b.fcmp(FloatCc::Uno, y, y);
    let [one, infinite, nan] = [ONE, INFINITY, 0x7ff8_0000].map(|bits| word(b, bits));
    let nothing = word(b, 0);
    let high = b.select(kind, nothing, one);
    let high = b.select(zero, infinite, high);
    let high = b.select(none, nan, high);
    let hi = b.or(high, sign);
    let other = put_together(b, Pair { lo: nothing, hi });
    let other = b.fmul(x, other);
    let plain = b.and(dividend.plain, divisor.plain);
    b.select(plain, q, other)
}

/// The square root, of the float times an even power of two, which makes it 1 to 4. The reciprocal root gives the root and half of its
/// reciprocal; both are made better together, and the root twice more by what its square leaves over.
fn root(b: &mut Builder<'_>, v: Value) -> Value {
    let apart = Apart::of(b, v);
    // The bias is odd.
    let exponent = with(b, Op::IAdd, apart.exponent, (-1023i32) as u32);
    let odd = with(b, Op::And, exponent, 1);
    let odd = with(b, Op::Shl, odd, 20);
    let hi = b.iadd(apart.significand.hi, odd);
    // Of negative numbers another root is thrown away.
    let hi = with(b, Op::And, hi, !SIGN);
    let x = put_together(b, Pair { lo: apart.significand.lo, hi });
    let half = number(b, 0.5);
    let y = approximation(b, Op::FRsqrt, x);
    let (mut g, mut h) = (b.fmul(x, y), b.fmul(y, half));
    let minus = b.fneg(h);
    let error = b.fma(minus, g, half);
    g = b.fma(g, error, g);
    h = b.fma(h, error, h);
    for _ in 0..2 {
        let minus = b.fneg(g);
        let left = b.fma(minus, g, x);
        g = b.fma(left, h, g);
    }
    let words = taken_apart(b, g);
    let half_exponent = with(b, Op::SShr, exponent, 1);
    let change = with(b, Op::Shl, half_exponent, 20);
    let hi = b.iadd(words.hi, change);
    let root = put_together(b, Pair { lo: words.lo, hi });
    // Zeros, infinity and NaN are their own roots.
    let root = b.select(apart.plain, root, v);
    let (zero, nan) = (number(b, 0.0), number(b, f64::NAN));
    let negative = b.fcmp(FloatCc::Olt, v, zero);
    b.select(negative, nan, root)
}

/// `v * 2^n` with one rounding: the last factor is the one that may make it denormal; where an earlier one does, it is zero in the end.
fn scaled(b: &mut Builder<'_>, v: Value, n: Value) -> Value {
    let n = clamped(b, n, -2100, 2100);
    let last = clamped(b, n, -1000, 1000);
    let rest = b.isub(n, last);
    let second = clamped(b, rest, -1000, 1000);
    let first = b.isub(rest, second);
    let factors = [first, second, last].map(|n| power(b, n));
    factors.into_iter().fold(v, |v, factor| b.fmul(v, factor))
}
