//! Conversions between floats and integers of 64 bits where the target has instructions for them ([`crate::Caps::wide_conversions`]): words
//! are put together to an integer of 64 bits in front of them and taken out of one behind.
//!
//! ```text
//! v2: f64 = s2f v1   ==>   v3: i32x2 = compose lo, hi
//!                          v4: i64 = bitcast v3
//!                          v2: f64 = s2f v4
//! ```

use gpucc_ir::{Builder, FloatCc, FpFlags, Op, Scalar, Type, Value};

use super::pair::Pair;

const WORDS: Type = Type::I32.with_lanes(2);

/// An integer of 64 bits as a float.
pub(super) fn to_float(b: &mut Builder<'_>, op: Op, p: Pair, to: Type) -> Value {
    let words = b.compose(&[p.lo, p.hi]);
    let whole = b.bitcast(words, Type::I64);
    b.op_as(op, &[whole], to)
}

/// A float as an integer of 64 bits.
pub(super) fn to_wide(b: &mut Builder<'_>, op: Op, v: Value) -> Pair {
    let fp = std::mem::replace(&mut b.fp, FpFlags::NONE);
    let v = if b.func.ty(v).scalar() == Scalar::F16 { b.f2f(v, Type::F32) } else { v };
    let ty = b.func.ty(v);
    let signed = matches!(op, Op::F2S | Op::F2SFull);
    let whole = b.op_as(if signed { Op::F2SFull } else { Op::F2UFull }, &[v], Type::I64);
    let words = b.bitcast(whole, WORDS);
    let mut value = Pair { lo: b.extract(words, 0), hi: b.extract(words, 1) };
    if matches!(op, Op::F2S | Op::F2U) {
        // The greatest values that both types hold.
        let lost = if ty == Type::F64 { 53 } else { 24 };
        let bits = if signed { 63 } else { 64 };
        let most = (u64::MAX >> (64 - bits)) & !((1 << (bits - lost)) - 1);
        let limit = if signed { 9_223_372_036_854_775_808.0 } else { 18_446_744_073_709_551_616.0 };
        let limit = b.func.fconst(ty, limit);
        let (over, most) = (b.fcmp(FloatCc::Oge, v, limit), Pair::of(b.func, most));
        value = Pair::select(b, over, most, value);
    }
    b.fp = fp;
    value
}
