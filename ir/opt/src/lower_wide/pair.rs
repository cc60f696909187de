//! One lane of 64 bits as two values of 32 bits: each op, comparison and conversion.

use gpucc_ir::{Builder, Const, FloatCc, FpFlags, Function, IntCc, Op, Scalar, Type, Value};

/// The halves of an integer of 64 bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    pub(super) lo: Value,
    pub(super) hi: Value,
}

impl Pair {
    /// A constant.
    pub(super) fn of(f: &mut Function, bits: u64) -> Pair {
        let mut half = |n: u64| f.constant(Const::new(Type::I32, &[n & 0xffff_ffff]));
        Pair { lo: half(bits), hi: half(bits >> 32) }
    }

    /// `x` where `c` is true, else `y`.
    pub(super) fn select(b: &mut Builder<'_>, c: Value, x: Pair, y: Pair) -> Pair {
        Pair { lo: b.select(c, x.lo, y.lo), hi: b.select(c, x.hi, y.hi) }
    }

    /// An integer without sign.
    pub(super) fn small(b: &mut Builder<'_>, lo: Value) -> Pair {
        Pair { lo, hi: word(b, 0) }
    }
}

/// A constant word.
pub(super) fn word(b: &mut Builder<'_>, n: u32) -> Value {
    b.func.iconst(Type::I32, i64::from(n))
}

/// An op with a constant as its second operand.
pub(super) fn with(b: &mut Builder<'_>, op: Op, v: Value, n: u32) -> Value {
    let n = word(b, n);
    b.op(op, &[v, n])
}

/// Whether a word is a number.
pub(super) fn is(b: &mut Builder<'_>, v: Value, n: u32) -> Value {
    let n = word(b, n);
    b.icmp(IntCc::Eq, v, n)
}

/// Whether a word without sign is a number or more.
pub(super) fn at_least(b: &mut Builder<'_>, v: Value, n: u32) -> Value {
    let n = word(b, n);
    b.icmp(IntCc::Uge, v, n)
}

/// 1 where a condition holds, else 0.
fn bit(b: &mut Builder<'_>, c: Value) -> Value {
    let (one, zero) = (word(b, 1), word(b, 0));
    b.select(c, one, zero)
}

/// `x + y`.
pub(super) fn add(b: &mut Builder<'_>, x: Pair, y: Pair) -> Pair {
    let lo = b.iadd(x.lo, y.lo);
    let carry = b.icmp(IntCc::Ult, lo, x.lo);
    let (carry, hi) = (bit(b, carry), b.iadd(x.hi, y.hi));
    Pair { lo, hi: b.iadd(hi, carry) }
}

/// `x - y`.
pub(super) fn sub(b: &mut Builder<'_>, x: Pair, y: Pair) -> Pair {
    let lo = b.isub(x.lo, y.lo);
    let borrow = b.icmp(IntCc::Ult, x.lo, y.lo);
    let (borrow, hi) = (bit(b, borrow), b.isub(x.hi, y.hi));
    Pair { lo, hi: b.isub(hi, borrow) }
}

/// `-x`.
pub(super) fn neg(b: &mut Builder<'_>, x: Pair) -> Pair {
    let zero = Pair::of(b.func, 0);
    sub(b, zero, x)
}

/// The product of two words.
pub(super) fn product(b: &mut Builder<'_>, x: Value, y: Value) -> Pair {
    Pair { lo: b.imul(x, y), hi: b.umulhi(x, y) }
}

/// `x * y`, the low half.
pub(super) fn mul(b: &mut Builder<'_>, x: Pair, y: Pair) -> Pair {
    let p = product(b, x.lo, y.lo);
    let (c, d) = (b.imul(x.lo, y.hi), b.imul(x.hi, y.lo));
    let cross = b.iadd(c, d);
    Pair { lo: p.lo, hi: b.iadd(p.hi, cross) }
}

/// The high half of the product without signs: no sum here exceeds 64 bits.
pub(super) fn mul_hi(b: &mut Builder<'_>, x: Pair, y: Pair) -> Pair {
    let low = b.umulhi(x.lo, y.lo);
    let (c, d) = (product(b, x.lo, y.hi), product(b, x.hi, y.lo));
    let low = Pair::small(b, low);
    let c = add(b, c, low);
    let part = Pair::small(b, c.lo);
    let d = add(b, d, part);
    let high = product(b, x.hi, y.hi);
    let (c, d) = (Pair::small(b, c.hi), Pair::small(b, d.hi));
    let high = add(b, high, c);
    add(b, high, d)
}

/// The high half of the product of signed factors.
pub(super) fn mul_hi_signed(b: &mut Builder<'_>, x: Pair, y: Pair) -> Pair {
    let mut high = mul_hi(b, x, y);
    for (sign, other) in [(x, y), (y, x)] {
        let ones = with(b, Op::SShr, sign.hi, 31);
        let taken = Pair { lo: b.and(other.lo, ones), hi: b.and(other.hi, ones) };
        high = sub(b, high, taken);
    }
    high
}

/// Whether `x` is negative.
pub(super) fn is_negative(b: &mut Builder<'_>, x: Pair) -> Value {
    let zero = word(b, 0);
    b.icmp(IntCc::Slt, x.hi, zero)
}

/// `-x` where a condition holds, else `x`.
pub(super) fn neg_where(b: &mut Builder<'_>, c: Value, x: Pair) -> Pair {
    let n = neg(b, x);
    Pair::select(b, c, n, x)
}

/// The magnitude; the least integer stays, which is right without a sign.
pub(super) fn abs(b: &mut Builder<'_>, x: Pair) -> Pair {
    let c = is_negative(b, x);
    neg_where(b, c, x)
}

/// A comparison.
pub(super) fn compare(b: &mut Builder<'_>, cc: IntCc, x: Pair, y: Pair) -> Value {
    let (high, low) = match cc {
        IntCc::Eq | IntCc::Ne => {
            let (lo, hi) = (b.xor(x.lo, y.lo), b.xor(x.hi, y.hi));
            let (differ, zero) = (b.or(lo, hi), word(b, 0));
            return b.icmp(cc, differ, zero);
        }
        IntCc::Slt => (IntCc::Slt, IntCc::Ult),
        IntCc::Sle => (IntCc::Slt, IntCc::Ule),
        IntCc::Sgt => (IntCc::Sgt, IntCc::Ugt),
        IntCc::Sge => (IntCc::Sgt, IntCc::Uge),
        IntCc::Ult => (IntCc::Ult, IntCc::Ult),
        IntCc::Ule => (IntCc::Ult, IntCc::Ule),
        IntCc::Ugt => (IntCc::Ugt, IntCc::Ugt),
        IntCc::Uge => (IntCc::Ugt, IntCc::Uge),
    };
    let (first, same) = (b.icmp(high, x.hi, y.hi), b.icmp(IntCc::Eq, x.hi, y.hi));
    let second = b.icmp(low, x.lo, y.lo);
    let second = b.and(same, second);
    b.or(first, second)
}

/// The word above `(hi, lo)` moved up by less than 32 bits.
pub(super) fn moved_up(b: &mut Builder<'_>, hi: Value, lo: Value, n: Value) -> Value {
    let up = b.shl(hi, n);
    // By 32 - n, where n may be 0: by one, and then by 31 - n.
    let (half, rest) = (with(b, Op::UShr, lo, 1), with(b, Op::Xor, n, 31));
    let in_from_below = b.ushr(half, rest);
    b.or(up, in_from_below)
}

/// Whether a count of bits modulo 64 is 32 or more.
pub(super) fn crosses(b: &mut Builder<'_>, n: Value) -> Value {
    let (bit, zero) = (with(b, Op::And, n, 32), word(b, 0));
    b.icmp(IntCc::Ne, bit, zero)
}

/// `x` moved up by `n` modulo 64.
pub(super) fn shl(b: &mut Builder<'_>, x: Pair, n: Value) -> Pair {
    let (far, count) = (crosses(b, n), with(b, Op::And, n, 31));
    let (lo, hi, zero) = (b.shl(x.lo, count), moved_up(b, x.hi, x.lo, count), word(b, 0));
    Pair { lo: b.select(far, zero, lo), hi: b.select(far, lo, hi) }
}

/// `x` moved down by `n` modulo 64; `op` fills with zeros or the sign.
pub(super) fn shr(b: &mut Builder<'_>, op: Op, x: Pair, n: Value) -> Pair {
    let (far, count) = (crosses(b, n), with(b, Op::And, n, 31));
    let (lo, hi) = (b.fshr(x.hi, x.lo, count), b.op(op, &[x.hi, count]));
    let fill = match op {
        Op::SShr => with(b, Op::SShr, x.hi, 31),
        _ => word(b, 0),
    };
    Pair { lo: b.select(far, hi, lo), hi: b.select(far, fill, hi) }
}

/// The number of leading zeros, 64 for 0, as a word.
pub(super) fn clz(b: &mut Builder<'_>, x: Pair) -> Value {
    let (none, low, high) = (is(b, x.hi, 0), b.clz(x.lo), b.clz(x.hi));
    let low = with(b, Op::IAdd, low, 32);
    b.select(none, low, high)
}

/// An integer or float of at most 32 bits as one of 64.
pub(super) fn convert(b: &mut Builder<'_>, op: Op, v: Value) -> Pair {
    let ty = b.func.ty(v);
    match op {
        Op::ZExt | Op::SExt => {
            let lo = if ty == Type::I32 { v } else { b.op_as(op, &[v], Type::I32) };
            let hi = if op == Op::SExt { with(b, Op::SShr, lo, 31) } else { word(b, 0) };
            Pair { lo, hi }
        }
        _ => {
            let fp = std::mem::replace(&mut b.fp, FpFlags::NONE);
            let v = if ty.scalar() == Scalar::F32 { v } else { b.f2f(v, Type::F32) };
            let p = from_float(b, op, v);
            b.fp = fp;
            p
        }
    }
}

fn float(b: &mut Builder<'_>, v: f32) -> Value {
    b.func.fconst(Type::F32, v)
}

/// A float truncated. Both halves are exact: a float of 2^32 or more is a multiple of 2^9, and the difference from a multiple of 2^32
/// has no more bits than the float.
fn from_float(b: &mut Builder<'_>, op: Op, v: Value) -> Pair {
    let signed = matches!(op, Op::F2S | Op::F2SFull);
    let full = matches!(op, Op::F2SFull | Op::F2UFull);
    let zero = float(b, 0.0);
    let magnitude = if signed { b.fabs(v) } else { v };
    // NaN and, without a sign, what is negative become 0.
    let magnitude = b.fmax(magnitude, zero);
    let (down, up) = (float(b, 1.0 / 4_294_967_296.0), float(b, 4_294_967_296.0));
    let quotient = b.fmul(magnitude, down);
    let high = b.ffloor(quotient);
    let part = b.fmul(high, up);
    let low = b.fsub(magnitude, part);
    let value = Pair { lo: b.f2u(low, Type::I32), hi: b.f2u(high, Type::I32) };
    let (limit, most) = match (signed, full) {
        (false, false) => (18_446_744_073_709_551_616.0, 0xffff_ff00_0000_0000),
        (false, true) => (18_446_744_073_709_551_616.0, u64::MAX),
        (true, false) => (9_223_372_036_854_775_808.0, 0x7fff_ff80_0000_0000),
        (true, true) => (9_223_372_036_854_775_808.0, i64::MAX as u64),
    };
    let limit = float(b, limit);
    let over = b.fcmp(FloatCc::Oge, magnitude, limit);
    let most = Pair::of(b.func, most);
    let value = Pair::select(b, over, most, value);
    if !signed {
        return value;
    }
    let negative = b.fcmp(FloatCc::Olt, v, zero);
    let (least, turned) = (Pair::of(b.func, 1 << 63), neg(b, value));
    let below = Pair::select(b, over, least, turned);
    Pair::select(b, negative, below, value)
}

/// A float, rounded once: the highest 32 bits are converted, with a bit below those that stay for all that is cut off.
pub(super) fn to_float(b: &mut Builder<'_>, signed: bool, x: Pair, to: Type) -> Value {
    let fp = std::mem::replace(&mut b.fp, FpFlags::NONE);
    let negative = signed.then(|| is_negative(b, x));
    let magnitude = negative.map_or(x, |c| neg_where(b, c, x));
    let zeros = clz(b, magnitude);
    let top = shl(b, magnitude, zeros);
    let (none, zero, one) = (is(b, top.lo, 0), word(b, 0), word(b, 1));
    let cut = b.select(none, zero, one);
    let bits = b.or(top.hi, cut);
    let value = b.u2f(bits, Type::F32);
    // 2^(32 - zeros), whose exponent is written as it is: between -32 and 32.
    let exponent = word(b, 127 + 32);
    let exponent = b.isub(exponent, zeros);
    let scale = with(b, Op::Shl, exponent, 23);
    let scale = b.bitcast(scale, Type::F32);
    let mut value = b.fmul(value, scale);
    if let Some(c) = negative {
        let turned = b.fneg(value);
        value = b.select(c, turned, value);
    }
    // What is not exact in 24 bits is infinite in 11.
    let value = if to == Type::F32 { value } else { b.f2f(value, to) };
    b.fp = fp;
    value
}
