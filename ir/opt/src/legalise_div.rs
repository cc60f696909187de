//! Integer division: by constants always, by anything where the target has no divider.

use gpucc_ir::{IntCc, Op, Value};

use crate::legalise_ex::Ex;

/// Division by a constant that is equal in all lanes: shifts for powers of two, otherwise a multiplication with the
/// reciprocal (Granlund and Montgomery, "Division by invariant integers using multiplication", 1994). `None` when the
/// divisor is no such constant.
pub(crate) fn by_constant(e: &mut Ex<'_, '_>, op: Op, n: Value, d: Value) -> Option<Value> {
    let d = e.b.func.const_bits(d)? as u32;
    match op {
        Op::UDiv | Op::URem => {
            if d == 0 {
                return Some(if op == Op::UDiv { n } else { e.int(0) });
            }
            if d.is_power_of_two() {
                return Some(if op == Op::UDiv {
                    let k = e.int(i64::from(d.trailing_zeros()));
                    e.b.ushr(n, k)
                } else {
                    let m = e.int(i64::from(d - 1));
                    e.b.and(n, m)
                });
            }
            if !e.has(Op::UMulHi) && e.has(op) {
                return None;
            }
            let q = umagic(e, n, d);
            Some(if op == Op::UDiv { q } else { remainder(e, n, q, d) })
        }
        _ => {
            let signed = d as i32;
            match signed {
                0 | 1 => {
                    return Some(if op == Op::SDiv { n } else { e.int(0) });
                }
                -1 => {
                    return Some(if op == Op::SDiv { e.b.ineg(n) } else { e.int(0) });
                }
                _ => {}
            }
            if !signed.unsigned_abs().is_power_of_two() && e.has(op) && !e.has(Op::SMulHi) {
                return None;
            }
            let q = smagic(e, n, signed);
            Some(if op == Op::SDiv { q } else { remainder(e, n, q, d) })
        }
    }
}

fn remainder(e: &mut Ex<'_, '_>, n: Value, q: Value, d: u32) -> Value {
    let d = e.int(i64::from(d as i32));
    let p = e.b.imul(q, d);
    e.b.isub(n, p)
}

/// `n / d` for a constant that is no power of two.
fn umagic(e: &mut Ex<'_, '_>, n: Value, d: u32) -> Value {
    let l = 32 - (d - 1).leading_zeros();
    // m = floor(2^32 * (2^l - d) / d) + 1; with t = mulhi(m, n): q = (t + ((n - t) >> 1)) >> (l - 1).
    let two_l = 1u128 << l;
    let m = ((1u128 << 32) * (two_l - u128::from(d)) / u128::from(d) + 1) as u32;
    // The shorter form m' = ceil(2^(32+s) / d), q = mulhi(m', n) >> s, holds when m' fits 32 bits and its error does.
    for s in 0..l {
        let m1 = (1u128 << (32 + s)).div_ceil(u128::from(d));
        let error = m1 * u128::from(d) - (1u128 << (32 + s));
        if m1 < 1 << 32 && error <= 1u128 << s {
            let k = e.int(m1 as i64);
            let t = e.b.umulhi(n, k);
            if s == 0 {
                return t;
            }
            let s = e.int(i64::from(s));
            return e.b.ushr(t, s);
        }
    }
    let (k, one, sh) = (e.int(i64::from(m)), e.int(1), e.int(i64::from(l) - 1));
    let t = e.b.umulhi(n, k);
    let x = e.b.isub(n, t);
    let x = e.b.ushr(x, one);
    let x = e.b.iadd(x, t);
    e.b.ushr(x, sh)
}

/// `n / d` toward zero for a constant of magnitude 2 or more.
fn smagic(e: &mut Ex<'_, '_>, n: Value, d: i32) -> Value {
    let ad = d.unsigned_abs();
    let (n31, mut q);
    if ad.is_power_of_two() {
        // Round toward zero: negative numerators get d - 1 first.
        let k = i64::from(ad.trailing_zeros());
        n31 = e.int(31);
        let sign = e.b.sshr(n, n31);
        let up = e.int(32 - k);
        let bias = e.b.ushr(sign, up);
        let x = e.b.iadd(n, bias);
        let k = e.int(k);
        q = e.b.sshr(x, k);
    } else {
        let l = (32 - (ad - 1).leading_zeros()).max(1);
        // m = floor(2^32 * 2^(l-1) / d) + 1 - 2^32 as a signed word; q = ((mulhi(m, n) + n) >> (l - 1)) - sign(n).
        let m = ((1u128 << (31 + l)) / u128::from(ad) + 1) as u32 as i32;
        let k = e.int(i64::from(m));
        let t = e.b.smulhi(n, k);
        let t = e.b.iadd(t, n);
        let s = e.int(i64::from(l) - 1);
        let t = e.b.sshr(t, s);
        n31 = e.int(31);
        let sign = e.b.sshr(n, n31);
        q = e.b.isub(t, sign);
    }
    if d < 0 {
        q = e.b.ineg(q);
    }
    q
}

/// Quotient and remainder, unsigned, for any divisor: a float reciprocal as the first guess, one Newton step in integers,
/// two corrections. Exact for every pair as long as the target's reciprocal is within 2 ULP. Divisor 0 gives `(n, 0)`.
pub(crate) fn udivrem(e: &mut Ex<'_, '_>, n: Value, d: Value) -> (Value, Value) {
    let ity = e.b.func.ty(n);
    let fty = ity.with_scalar(gpucc_ir::Scalar::F32);
    let fp = std::mem::replace(&mut e.b.fp, gpucc_ir::FpFlags::NONE);
    let zero = e.int(0);
    let one = e.int(1);
    let df = e.b.u2f(d, fty);
    let r = e.b.frcp(df);
    // 2^32 less eight units of a float's last place: a reciprocal within 2 ULP, and the rounding of this product, never make
    // the guess too large. The integer step below squares the relative error of 2^-20 that this leaves at the worst.
    let scale = e.float(4_294_965_248.0);
    let r = e.b.fmul(r, scale);
    let r = e.b.f2u_full(r, ity);
    let neg = e.b.isub(zero, d);
    let t = e.b.imul(r, neg);
    let t = e.b.umulhi(r, t);
    let r = e.b.iadd(r, t);
    let mut q = e.b.umulhi(n, r);
    let p = e.b.imul(q, d);
    let mut rem = e.b.isub(n, p);
    for _ in 0..2 {
        let more = e.b.icmp(IntCc::Uge, rem, d);
        let (q1, r1) = (e.b.iadd(q, one), e.b.isub(rem, d));
        q = e.b.select(more, q1, q);
        rem = e.b.select(more, r1, rem);
    }
    let none = e.b.icmp(IntCc::Eq, d, zero);
    q = e.b.select(none, n, q);
    rem = e.b.select(none, zero, rem);
    e.b.fp = fp;
    (q, rem)
}

/// The same, signed: magnitudes, then signs. `MIN / -1` comes out as `MIN`, and `n / 0` as `n`.
pub(crate) fn sdivrem(e: &mut Ex<'_, '_>, n: Value, d: Value) -> (Value, Value) {
    let n31 = e.int(31);
    let (sn, sd) = (e.b.sshr(n, n31), e.b.sshr(d, n31));
    let (an, ad) = (e.b.iabs(n), e.b.iabs(d));
    let (q, r) = (e.b.udiv(an, ad), e.b.urem(an, ad));
    // (x ^ s) - s negates x where s is all ones.
    let s = e.b.xor(sn, sd);
    let q = e.b.xor(q, s);
    let q = e.b.isub(q, s);
    let r = e.b.xor(r, sn);
    let r = e.b.isub(r, sn);
    (q, r)
}
