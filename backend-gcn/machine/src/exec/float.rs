//! Float helpers of the vector ALU, after the formulas of section 7.

use gpucc_num::{MinMax, Mode, NAN16, NAN32, NAN64, Round, convert, f16, f32 as n32, f64 as n64, special};

/// Fraction of a f32: below 1.0 except on gfx6, where tiny negative numbers give 1.0.
pub(crate) fn fract32(x: f32, gfx6: bool) -> f32 {
    if !x.is_finite() {
        return NAN32;
    }
    let r = n32::sub(Mode::IEEE, x, n32::floor(x));
    if r >= 1.0 && !gfx6 { f32::from_bits(0x3f7f_ffff) } else { r }
}

/// Fraction of a f64, like [`fract32`].
pub(crate) fn fract64(x: f64, gfx6: bool) -> f64 {
    if !x.is_finite() {
        return NAN64;
    }
    let r = n64::sub(Mode::IEEE, x, n64::round_to_int(Round::Down, x));
    if r >= 1.0 && !gfx6 { f64::from_bits(0x3fef_ffff_ffff_ffff) } else { r }
}

/// Fraction of a f16 (gfx8), like [`fract32`].
pub(crate) fn fract16(m: Mode, x: u16) -> u16 {
    let x = f16::input(m, x);
    if x & 0x7c00 == 0x7c00 {
        return NAN16;
    }
    let r = f16::sub(m, x, f16::round_to_int(Round::Down, x));
    if r == 0x3c00 { 0x3bff } else { r }
}

pub(crate) fn clamp_inf(x: f32) -> f32 {
    if x.is_infinite() { f32::MAX.copysign(x) } else { x }
}
pub(crate) fn clamp_inf64(x: f64) -> f64 {
    if x.is_infinite() { f64::MAX.copysign(x) } else { x }
}
pub(crate) fn zero_inf(x: f32) -> f32 {
    if x.is_infinite() { 0f32.copysign(x) } else { x }
}

/// Inverse square root; either zero gives +inf.
pub(crate) fn rsq(x: f32) -> f32 {
    if x == 0.0 { f32::INFINITY } else { special::rsqrt(x) }
}
/// Inverse square root of a f64, like [`rsq`], before it is rounded.
pub(crate) fn rsq64(x: f64) -> f64 {
    if x == 0.0 { f64::INFINITY } else { 1.0 / x.sqrt() }
}

/// Sine or cosine of an angle in revolutions; outside of [-256, 256] 0 and 1.
pub(crate) fn sin_turns(x: f32, cosine: bool) -> f32 {
    if !x.is_finite() {
        return NAN32;
    }
    if x.abs() > 256.0 {
        return if cosine { 1.0 } else { 0.0 };
    }
    let x = f64::from(x);
    let turn = (x - n64::round_to_int(Round::Nearest, x)) * core::f64::consts::TAU;
    let r = if cosine { special::wide::cos(turn) } else { special::wide::sin(turn) };
    r as f32
}

pub(crate) fn frexp_exp32(x: f32, gfx6: bool) -> u32 {
    if !x.is_finite() {
        return if gfx6 { u32::MAX } else { 0 };
    }
    if x == 0.0 { 0 } else { n32::frexp(x).1 as u32 }
}
pub(crate) fn frexp_exp64(x: f64, gfx6: bool) -> u32 {
    if !x.is_finite() {
        return if gfx6 { u32::MAX } else { 0 };
    }
    if x == 0.0 { 0 } else { n64::frexp(x).1 as u32 }
}
pub(crate) fn frexp_mant32(x: f32, gfx6: bool) -> f32 {
    if x.is_nan() || x.is_infinite() && gfx6 {
        return NAN32;
    }
    if x == 0.0 || x.is_infinite() { x } else { n32::frexp(x).0 }
}
pub(crate) fn frexp_mant64(x: f64, gfx6: bool) -> f64 {
    if x.is_nan() || x.is_infinite() && gfx6 {
        return NAN64;
    }
    if x == 0.0 || x.is_infinite() { x } else { n64::frexp(x).0 }
}

/// Multiply-add in which 0 times anything is +0.
pub(crate) fn mad_legacy(m: Mode, a: f32, b: f32, c: f32) -> f32 {
    n32::add(m, n32::mul_legacy(m, a, b), c)
}

/// `a < b ? a : b`
pub(crate) fn min_legacy(m: Mode, a: f32, b: f32) -> f32 {
    let (a, b) = (n32::input(m, a), n32::input(m, b));
    if a < b { a } else { b }
}
/// `a >= b ? a : b`
pub(crate) fn max_legacy(m: Mode, a: f32, b: f32) -> f32 {
    let (a, b) = (n32::input(m, a), n32::input(m, b));
    if a >= b { a } else { b }
}

fn least(a: f32, b: f32) -> f32 {
    n32::min(Mode::IEEE, MinMax::Number, a, b)
}
fn greatest(a: f32, b: f32) -> f32 {
    n32::max(Mode::IEEE, MinMax::Number, a, b)
}
pub(crate) fn min3(a: f32, b: f32, c: f32) -> f32 {
    least(least(a, b), c)
}
pub(crate) fn max3(a: f32, b: f32, c: f32) -> f32 {
    greatest(greatest(a, b), c)
}
/// Median; with a NaN the least of the three.
pub(crate) fn med3(a: f32, b: f32, c: f32) -> f32 {
    if a.is_nan() || b.is_nan() || c.is_nan() {
        return min3(a, b, c);
    }
    let (min, max) = (least, greatest);
    max(min(a, b), min(max(a, b), c))
}

/// Cube face, coordinates and twice the major axis.
pub(crate) struct Cube {
    pub face: f32,
    pub sc: f32,
    pub tc: f32,
    pub ma: f32,
}

/// Selection order: z, then y, then x.
pub(crate) fn cube(x: f32, y: f32, z: f32) -> Cube {
    let (ax, ay, az) = (x.abs(), y.abs(), z.abs());
    if az >= ax && az >= ay {
        let n = z < 0.0;
        Cube { face: if n { 5.0 } else { 4.0 }, sc: if n { -x } else { x }, tc: -y, ma: 2.0 * z }
    } else if ay >= ax {
        let n = y < 0.0;
        Cube { face: if n { 3.0 } else { 2.0 }, sc: x, tc: if n { -z } else { z }, ma: 2.0 * y }
    } else {
        let n = x < 0.0;
        Cube { face: if n { 1.0 } else { 0.0 }, sc: if n { z } else { -z }, tc: -y, ma: 2.0 * x }
    }
}

/// The steps of a division of a width: scaling of an operand and "scale back" (the seven cases of section 7), where `s0` is the operand to
/// scale and `den` and `num` the division; a fused multiply-add, scaled back where the mask says so; and the special cases of the
/// quotient `q`. A scale is a power of two; a quotient is small whose exponents are so far apart, and a numerator with so small an exponent.
macro_rules! division {
    ($float:ident, bits $bits:ident, arithmetic $n:ident, nan $nan:ident, fraction $fraction:literal, exponents $top:literal, scale $scale:literal,
     far $far:literal, near $near:literal, small $small:literal: $div_scale:ident $div_fmas:ident $div_fixup:ident) => {
        pub(crate) fn $div_scale(s0: $float, den: $float, num: $float) -> ($float, bool) {
            let exp = |x: $float| (x.to_bits() >> $fraction & $top) as i32;
            let is_den = s0.to_bits() == den.to_bits();
            let is_num = s0.to_bits() == num.to_bits();
            let up = |x: $float| $n::ldexp(Mode::IEEE, x, $scale);
            let denormal = |x: $float| x != 0.0 && x.is_finite() && exp(x) == 0;
            if num == 0.0 || den == 0.0 {
                return ($nan, false);
            }
            let reciprocal = $n::div(Mode::IEEE, 1.0, den);
            let quotient = $n::div(Mode::IEEE, num, den);
            if exp(num) - exp(den) >= $far {
                (if is_den { up(s0) } else { s0 }, true)
            } else if denormal(den) {
                (up(s0), false)
            } else if denormal(reciprocal) && denormal(quotient) {
                (if is_den { up(s0) } else { s0 }, true)
            } else if denormal(reciprocal) {
                ($n::ldexp(Mode::IEEE, s0, -$scale), false)
            } else if denormal(quotient) {
                (if is_num { up(s0) } else { s0 }, true)
            } else if exp(num) <= $small {
                (up(s0), false)
            } else {
                (s0, false)
            }
        }

        pub(crate) fn $div_fmas(m: Mode, a: $float, b: $float, c: $float, scale: bool) -> $float {
            let r = $n::fma(m, a, b, c);
            if !scale {
                return r;
            }
            $n::ldexp(m, r, if c.abs() >= 2.0 { $scale } else { -$scale })
        }

        pub(crate) fn $div_fixup(q: $float, den: $float, num: $float) -> $float {
            const SIGN: $bits = 1 << ($bits::BITS - 1);
            let exp = |x: $float| (x.to_bits() >> $fraction & $top) as i32;
            let sign = (num.to_bits() ^ den.to_bits()) & SIGN;
            let signed = |x: $float| $float::from_bits(x.to_bits() & !SIGN | sign);
            let quiet = |x: $float| $float::from_bits(x.to_bits() | 1 << ($fraction - 1));
            match () {
                () if num.is_nan() => quiet(num),
                () if den.is_nan() => quiet(den),
                () if num == 0.0 && den == 0.0 || num.is_infinite() && den.is_infinite() => {
                    quiet($float::from_bits($float::INFINITY.to_bits() | SIGN))
                }
                () if den == 0.0 || num.is_infinite() => signed($float::INFINITY),
                () if den.is_infinite() || num == 0.0 => signed(0.0),
                () if exp(num) - exp(den) < $near => signed(0.0),
                () => signed(q),
            }
        }
    };
}

division! {
    f32, bits u32, arithmetic n32, nan NAN32, fraction 23, exponents 255, scale 64, far 96, near -150, small 23:
    div_scale32 div_fmas32 div_fixup32
}

division! {
    f64, bits u64, arithmetic n64, nan NAN64, fraction 52, exponents 2047, scale 128, far 768, near -1075, small 53:
    div_scale64 div_fmas64 div_fixup64
}

/// Same as [`div_fixup32`], on f16, where no scaling is needed.
pub(crate) fn div_fixup16(q: u16, den: u16, num: u16) -> u16 {
    let sign = (num ^ den) & 0x8000;
    let (n, d) = (convert::f16_to_f32(num), convert::f16_to_f32(den));
    match () {
        () if n.is_nan() => num | 0x200,
        () if d.is_nan() => den | 0x200,
        () if n == 0.0 && d == 0.0 || n.is_infinite() && d.is_infinite() => 0xfe00,
        () if d == 0.0 || n.is_infinite() => 0x7c00 | sign,
        () if d.is_infinite() || n == 0.0 => sign,
        () => q & 0x7fff | sign,
    }
}
