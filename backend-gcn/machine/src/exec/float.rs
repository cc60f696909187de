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

fn exp32(x: f32) -> i32 {
    (x.to_bits() >> 23 & 255) as i32
}
fn exp64(x: f64) -> i32 {
    (x.to_bits() >> 52 & 2047) as i32
}

/// Scaled operand and "scale back" (the seven cases of section 7). `s0` is the operand to scale, `den` and `num` the
/// division.
pub(crate) fn div_scale32(s0: f32, den: f32, num: f32) -> (f32, bool) {
    let is_den = s0.to_bits() == den.to_bits();
    let is_num = s0.to_bits() == num.to_bits();
    let up = |x: f32| n32::ldexp(Mode::IEEE, x, 64);
    let denormal = |x: f32| x != 0.0 && x.is_finite() && exp32(x) == 0;
    if num == 0.0 || den == 0.0 {
        return (NAN32, false);
    }
    let reciprocal = n32::div(Mode::IEEE, 1.0, den);
    let quotient = n32::div(Mode::IEEE, num, den);
    if exp32(num) - exp32(den) >= 96 {
        (if is_den { up(s0) } else { s0 }, true)
    } else if denormal(den) {
        (up(s0), false)
    } else if denormal(reciprocal) && denormal(quotient) {
        (if is_den { up(s0) } else { s0 }, true)
    } else if denormal(reciprocal) {
        (n32::ldexp(Mode::IEEE, s0, -64), false)
    } else if denormal(quotient) {
        (if is_num { up(s0) } else { s0 }, true)
    } else if exp32(num) <= 23 {
        (up(s0), false)
    } else {
        (s0, false)
    }
}

/// Same as [`div_scale32`], with the f64 thresholds.
pub(crate) fn div_scale64(s0: f64, den: f64, num: f64) -> (f64, bool) {
    let is_den = s0.to_bits() == den.to_bits();
    let is_num = s0.to_bits() == num.to_bits();
    let up = |x: f64| n64::ldexp(Mode::IEEE, x, 128);
    let denormal = |x: f64| x != 0.0 && x.is_finite() && exp64(x) == 0;
    if num == 0.0 || den == 0.0 {
        return (NAN64, false);
    }
    let reciprocal = n64::div(Mode::IEEE, 1.0, den);
    let quotient = n64::div(Mode::IEEE, num, den);
    if exp64(num) - exp64(den) >= 768 {
        (if is_den { up(s0) } else { s0 }, true)
    } else if denormal(den) {
        (up(s0), false)
    } else if denormal(reciprocal) && denormal(quotient) {
        (if is_den { up(s0) } else { s0 }, true)
    } else if denormal(reciprocal) {
        (n64::ldexp(Mode::IEEE, s0, -128), false)
    } else if denormal(quotient) {
        (if is_num { up(s0) } else { s0 }, true)
    } else if exp64(num) <= 53 {
        (up(s0), false)
    } else {
        (s0, false)
    }
}

/// Fused multiply-add, scaled back where the mask says so.
pub(crate) fn div_fmas32(m: Mode, a: f32, b: f32, c: f32, scale: bool) -> f32 {
    let r = n32::fma(m, a, b, c);
    if !scale {
        return r;
    }
    n32::ldexp(m, r, if c.abs() >= 2.0 { 64 } else { -64 })
}
/// Same as [`div_fmas32`], on f64.
pub(crate) fn div_fmas64(m: Mode, a: f64, b: f64, c: f64, scale: bool) -> f64 {
    let r = n64::fma(m, a, b, c);
    if !scale {
        return r;
    }
    n64::ldexp(m, r, if c.abs() >= 2.0 { 128 } else { -128 })
}

/// Special cases of the quotient `q` of `num / den`.
pub(crate) fn div_fixup32(q: f32, den: f32, num: f32) -> f32 {
    let sign = (num.to_bits() ^ den.to_bits()) & 0x8000_0000;
    let signed = |x: f32| f32::from_bits(x.to_bits() & 0x7fff_ffff | sign);
    let quiet = |x: f32| f32::from_bits(x.to_bits() | 0x0040_0000);
    match () {
        () if num.is_nan() => quiet(num),
        () if den.is_nan() => quiet(den),
        () if num == 0.0 && den == 0.0 || num.is_infinite() && den.is_infinite() => f32::from_bits(0xffc0_0000),
        () if den == 0.0 || num.is_infinite() => signed(f32::INFINITY),
        () if den.is_infinite() || num == 0.0 => signed(0.0),
        () if exp32(num) - exp32(den) < -150 => signed(0.0),
        () if exp32(den) == 255 => signed(f32::INFINITY),
        () => signed(q),
    }
}
/// Same as [`div_fixup32`], on f64.
pub(crate) fn div_fixup64(q: f64, den: f64, num: f64) -> f64 {
    let sign = (num.to_bits() ^ den.to_bits()) & 1 << 63;
    let signed = |x: f64| f64::from_bits(x.to_bits() & !(1 << 63) | sign);
    let quiet = |x: f64| f64::from_bits(x.to_bits() | 1 << 51);
    match () {
        () if num.is_nan() => quiet(num),
        () if den.is_nan() => quiet(den),
        () if num == 0.0 && den == 0.0 || num.is_infinite() && den.is_infinite() => {
            f64::from_bits(0xfff8_0000_0000_0000)
        }
        () if den == 0.0 || num.is_infinite() => signed(f64::INFINITY),
        () if den.is_infinite() || num == 0.0 => signed(0.0),
        () if exp64(num) - exp64(den) < -1075 => signed(0.0),
        () => signed(q),
    }
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
