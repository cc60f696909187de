//! Packing and half floats with integer and f32 operations alone.

use gpucc_ir::{FloatCc, FpFlags, IntCc, Op, Scalar, Type, Value};

use crate::legalise_ex::Ex;

/// Expands a packing op or `fquant16`; `None` for any other.
pub(crate) fn expand(e: &mut Ex<'_, '_>, op: Op, args: &[Value]) -> Option<Value> {
    Some(match op {
        Op::PackUnorm4x8 => pack(e, args[0], 8, 255.0, false),
        Op::PackSnorm4x8 => pack(e, args[0], 8, 127.0, true),
        Op::PackUnorm2x16 => pack(e, args[0], 16, 65535.0, false),
        Op::PackSnorm2x16 => pack(e, args[0], 16, 32767.0, true),
        Op::UnpackUnorm4x8 => unpack(e, args[0], 8, 255.0, false),
        Op::UnpackSnorm4x8 => unpack(e, args[0], 8, 127.0, true),
        Op::UnpackUnorm2x16 => unpack(e, args[0], 16, 65535.0, false),
        Op::UnpackSnorm2x16 => unpack(e, args[0], 16, 32767.0, true),
        Op::PackHalf2x16 => {
            let (x, y) = (e.b.extract(args[0], 0), e.b.extract(args[0], 1));
            e.lanes = 1;
            let (x, y) = (to_half(e, x), to_half(e, y));
            let n = e.int(16);
            let y = e.b.shl(y, n);
            e.b.or(x, y)
        }
        Op::UnpackHalf2x16 => {
            e.lanes = 1;
            let (m, n) = (e.int(0xffff), e.int(16));
            let (x, y) = (e.b.and(args[0], m), e.b.ushr(args[0], n));
            let (x, y) = (from_half(e, x), from_half(e, y));
            e.b.compose(&[x, y])
        }
        Op::FQuant16 => quantise(e, args[0]),
        _ => return None,
    })
}

/// The nearest binary16 value: adding and taking away 1.5 * 2^13 times the power of two below a magnitude rounds it to 11 bits, ties
/// to even, as an addition rounds to 24; for denormal ones the power is that of the least normal. Nothing may simplify it.
fn quantise(e: &mut Ex<'_, '_>, x: Value) -> Value {
    let fp = std::mem::replace(&mut e.b.fp, FpFlags::NONE);
    let a = e.b.fabs(x);
    let bits = e.bits(a);
    let exponent = e.int(0x7f80_0000);
    let power = e.b.and(bits, exponent);
    let power = e.of_bits(power);
    let least = e.float(1.0 / 16384.0);
    let power = e.b.fmax(power, least);
    let scale = e.float(12288.0);
    let c = e.b.fmul(power, scale);
    let up = e.b.fadd(a, c);
    let r = e.b.fsub(up, c);
    let (most, inf, zero) = (e.float(65520.0), e.float(f32::INFINITY), e.float(0.0));
    let above = e.b.fcmp(FloatCc::Oge, a, most);
    let r = e.b.select(above, inf, r);
    let below = e.b.fcmp(FloatCc::Olt, x, zero);
    let n = e.b.fneg(r);
    let r = e.b.select(below, n, r);
    // Zeros keep their sign.
    let nothing = e.b.fcmp(FloatCc::Oeq, r, zero);
    let signed = e.b.fmul(x, zero);
    let r = e.b.select(nothing, signed, r);
    e.b.fp = fp;
    r
}

/// `floor(0.5 + k * clamp(x))` in each lane, shifted to its place.
fn pack(e: &mut Ex<'_, '_>, v: Value, bits: i64, k: f32, signed: bool) -> Value {
    let lanes = e.b.func.ty(v).lanes();
    // The formula is rounded as written: no contraction.
    let fp = std::mem::replace(&mut e.b.fp, FpFlags::NONE);
    e.lanes = lanes;
    let (low, one, scale, half) = (e.float(if signed { -1.0 } else { 0.0 }), e.float(1.0), e.float(k), e.float(0.5));
    let x = if !signed && e.has(Op::FSat) {
        e.b.fsat(v)
    } else {
        let x = e.b.fmax(v, low);
        e.b.fmin(x, one)
    };
    let x = e.b.fmul(x, scale);
    let x = e.b.fadd(x, half);
    let x = e.b.ffloor(x);
    let ity = Type::new(Scalar::I32, lanes);
    let x = if signed { e.b.f2s_full(x, ity) } else { e.b.f2u_full(x, ity) };
    e.b.fp = fp;
    e.lanes = 1;
    let mut word: Option<Value> = None;
    for lane in 0..lanes {
        let mut y = e.b.extract(x, lane);
        let at = i64::from(lane) * bits;
        if signed && at + bits < 32 {
            let m = e.int((1 << bits) - 1);
            y = e.b.and(y, m);
        }
        if at > 0 {
            let n = e.int(at);
            y = e.b.shl(y, n);
        }
        word = Some(word.map_or(y, |w| e.b.or(w, y)));
    }
    word.unwrap_or(v)
}

fn unpack(e: &mut Ex<'_, '_>, v: Value, bits: i64, k: f32, signed: bool) -> Value {
    e.lanes = 1;
    let mut list = Vec::new();
    for lane in 0..32 / bits {
        let at = lane * bits;
        let mut x = v;
        if signed {
            if at + bits < 32 {
                let n = e.int(32 - bits - at);
                x = e.b.shl(x, n);
            }
            let n = e.int(32 - bits);
            x = e.b.sshr(x, n);
        } else {
            if at > 0 {
                let n = e.int(at);
                x = e.b.ushr(x, n);
            }
            if at + bits < 32 {
                let m = e.int((1 << bits) - 1);
                x = e.b.and(x, m);
            }
        }
        let f = if signed { e.b.s2f(x, Type::F32) } else { e.b.u2f(x, Type::F32) };
        let scale = e.float(1.0 / k);
        let mut f = e.b.fmul(f, scale);
        if signed {
            let low = e.float(-1.0);
            f = e.b.fmax(f, low);
        }
        list.push(f);
    }
    e.b.compose(&list)
}

/// The binary16 bits nearest each f32, ties to even; in the low half.
pub(crate) fn to_half(e: &mut Ex<'_, '_>, v: Value) -> Value {
    let fp = std::mem::replace(&mut e.b.fp, FpFlags::NONE);
    let x = e.bits(v);
    let (abs, n16, s) = (e.int(0x7fff_ffff), e.int(16), e.int(0x8000));
    let m = e.b.and(x, abs);
    let sign = e.b.ushr(x, n16);
    let sign = e.b.and(sign, s);
    // Normal: move the exponent's bias, round at bit 13; a carry into the exponent is right, up to infinity.
    let (n13, one) = (e.int(13), e.int(1));
    let odd = e.b.ushr(m, n13);
    let odd = e.b.and(odd, one);
    let bias = e.int(0xfff - 0x3800_0000);
    let r = e.b.iadd(m, bias);
    let r = e.b.iadd(r, odd);
    let normal = e.b.ushr(r, n13);
    // Subnormal: adding 0.5 leaves the value rounded to 2^-24 in the low bits.
    let half = e.float(0.5);
    let f = e.of_bits(m);
    let f = e.b.fadd(f, half);
    let f = e.bits(f);
    let half_bits = e.int(i64::from(0.5f32.to_bits()));
    let small = e.b.isub(f, half_bits);
    let (first, top, inf) = (e.int(0x3880_0000), e.int(0x4780_0000), e.int(0x7f80_0000));
    let is_small = e.b.icmp(IntCc::Ult, m, first);
    let r = e.b.select(is_small, small, normal);
    let (hinf, hnan) = (e.int(0x7c00), e.int(0x7e00));
    let is_big = e.b.icmp(IntCc::Uge, m, top);
    let r = e.b.select(is_big, hinf, r);
    let is_nan = e.b.icmp(IntCc::Ugt, m, inf);
    let r = e.b.select(is_nan, hnan, r);
    e.b.fp = fp;
    e.b.or(r, sign)
}

/// The f32 value of binary16 bits in the low half (upper half zero).
pub(crate) fn from_half(e: &mut Ex<'_, '_>, h: Value) -> Value {
    let fp = std::mem::replace(&mut e.b.fp, FpFlags::NONE);
    let (abs, s, n13, n16) = (e.int(0x7fff), e.int(0x8000), e.int(13), e.int(16));
    let m = e.b.and(h, abs);
    let sign = e.b.and(h, s);
    let sign = e.b.shl(sign, n16);
    let x = e.b.shl(m, n13);
    let bias = e.int(0x3800_0000);
    let normal = e.b.iadd(x, bias);
    let (top, first) = (e.int(0x7c00), e.int(0x400));
    // Infinity and NaN take the bias twice.
    let special = e.b.iadd(normal, bias);
    let is_special = e.b.icmp(IntCc::Uge, m, top);
    let r = e.b.select(is_special, special, normal);
    let fty = e.b.func.ty(h).with_scalar(Scalar::F32);
    let f = e.b.u2f(m, fty);
    let ulp = e.float(1.0 / 16_777_216.0);
    let f = e.b.fmul(f, ulp);
    let small = e.bits(f);
    let is_small = e.b.icmp(IntCc::Ult, m, first);
    let r = e.b.select(is_small, small, r);
    let r = e.b.or(r, sign);
    let r = e.of_bits(r);
    e.b.fp = fp;
    r
}
