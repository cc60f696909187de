//! Writes ops that a target lacks (`Caps::expand`) with ops that it has.
//!
//! Every expansion is straight-line code on the same number of lanes and computes exactly what the op means
//! (`ir/docs/semantics.md`); those of inexact ops stay inside the bounds that WGSL gives them. Division by constants
//! becomes shifts or a multiplication whether or not division is expanded. Needs: nothing. Keeps: the CFG.

use gpucc_ir::{Builder, FloatCc, FpFlags, Function, Inst, InstData, IntCc, Module, Op, Scalar, Type, Value};
use smallvec::SmallVec;

use crate::caps::Caps;
use crate::frame;
use crate::legalise_div as div;
use crate::legalise_ex::Ex;
use crate::legalise_pack as pack;
use crate::rewrite::{self, Rewrite};

/// Runs over a function; gives the number of instructions expanded.
pub fn run(_module: &Module, f: &mut Function, caps: &Caps) -> u64 {
    rewrite::run(f, |b, i| match expand(b, i, caps) {
        Some(v) => Rewrite::Value(v),
        None => Rewrite::Keep,
    })
}

fn expand(b: &mut Builder<'_>, i: Inst, caps: &Caps) -> Option<Value> {
    let op = b.func.insts[i].op;
    let divides = matches!(op, Op::UDiv | Op::URem | Op::SDiv | Op::SRem);
    if op != Op::Select && !divides && !caps.expand.has(op) {
        return None;
    }
    let d = b.func.insts[i].clone();
    let result = d.results.first()?;
    let ty = b.func.ty(result);
    let a = |n: usize| d.args[n];
    let lanes = ty.lanes();
    let wide = |v: Value, b: &Builder<'_>| matches!(b.func.ty(v).scalar(), Scalar::I32 | Scalar::F32);
    if d.op == Op::Select && ty.is_bool() && caps.expand_bool_select {
        let c = b.splat(a(0), if b.func.ty(a(0)).is_vector() { 1 } else { lanes });
        let n = b.not(c);
        // A constant arm needs one op less.
        match (b.func.const_bits(a(1)), b.func.const_bits(a(2))) {
            (_, Some(1)) => return Some(b.or(n, a(1))),
            (Some(0), _) => return Some(b.and(n, a(2))),
            _ => {}
        }
        let x = b.and(c, a(1));
        let y = b.and(n, a(2));
        return Some(b.or(x, y));
    }
    if divides && wide(a(0), b) {
        let mut e = Ex { b, caps, lanes };
        if let Some(v) = div::by_constant(&mut e, d.op, a(0), a(1)) {
            return Some(v);
        }
    }
    if !caps.expand.has(d.op) {
        return None;
    }
    match d.op {
        Op::ExtractDyn => return Some(extract_dyn(b, a(0), a(1))),
        Op::InsertDyn => return Some(insert_dyn(b, a(0), a(1), a(2))),
        Op::FDot => return Some(dot(b, a(0), a(1))),
        _ => {}
    }
    if !d.args.first().is_some_and(|&v| wide(v, b)) {
        return None;
    }
    if matches!(d.op, Op::F2S | Op::F2U)
        && ty.scalar() == Scalar::I32
        && let Some(v) = whole_pixel(b, &d)
    {
        return Some(v);
    }
    let mut e = Ex { b, caps, lanes };
    let e = &mut e;
    Some(match d.op {
        Op::UDiv => div::udivrem(e, a(0), a(1)).0,
        Op::URem => div::udivrem(e, a(0), a(1)).1,
        Op::SDiv => div::sdivrem(e, a(0), a(1)).0,
        Op::SRem => div::sdivrem(e, a(0), a(1)).1,
        Op::UMulHi => umulhi(e, a(0), a(1)),
        Op::SMulHi => smulhi(e, a(0), a(1)),
        Op::UMul24 => {
            let (x, y) = (e.and(a(0), 0xff_ffff), e.and(a(1), 0xff_ffff));
            e.b.imul(x, y)
        }
        Op::SMul24 => {
            let (x, y) = (e.shl(a(0), 8), e.shl(a(1), 8));
            let n = e.int(8);
            let (x, y) = (e.b.sshr(x, n), e.b.sshr(y, n));
            e.b.imul(x, y)
        }
        Op::INeg => {
            let z = e.int(0);
            e.b.isub(z, a(0))
        }
        Op::IAbs => {
            let z = e.int(0);
            let n = e.b.isub(z, a(0));
            e.b.smax(a(0), n)
        }
        Op::SMin => minmax(e, IntCc::Slt, a(0), a(1)),
        Op::SMax => minmax(e, IntCc::Sgt, a(0), a(1)),
        Op::UMin => minmax(e, IntCc::Ult, a(0), a(1)),
        Op::UMax => minmax(e, IntCc::Ugt, a(0), a(1)),
        Op::Not if ty.is_int() => {
            let ones = e.int(-1);
            e.b.xor(a(0), ones)
        }
        Op::Popcount => popcount(e, a(0)),
        Op::Clz => clz(e, a(0)),
        Op::Ctz => ctz(e, a(0)),
        Op::BitReverse => bitreverse(e, a(0)),
        Op::UBitExtract => bit_extract(e, a(0), a(1), a(2), false),
        Op::SBitExtract => bit_extract(e, a(0), a(1), a(2), true),
        Op::FShr => {
            // In two steps to the left, so that a shift by nothing leaves only the low half.
            let n = e.and(a(2), 31);
            let ones = e.int(31);
            let left = e.b.isub(ones, n);
            let (x, y) = (e.shl(a(0), 1), e.b.ushr(a(1), n));
            let x = e.b.shl(x, left);
            e.b.or(x, y)
        }
        Op::BitSel => {
            let differ = e.b.xor(a(1), a(2));
            let taken = e.b.and(a(0), differ);
            e.b.xor(a(2), taken)
        }
        Op::BitInsert => bit_insert(e, a(0), a(1), a(2), a(3)),
        Op::UDot4x8 => dot4x8(e, a(0), a(1), false),
        Op::SDot4x8 => dot4x8(e, a(0), a(1), true),
        _ => return expand_float(e, d.op, &d.args, ty).or_else(|| pack::expand(e, d.op, &d.args)),
    })
}

/// Ops on floats, and those that make integers of them.
fn expand_float(e: &mut Ex<'_, '_>, op: Op, args: &[Value], ty: Type) -> Option<Value> {
    let a = |n: usize| args[n];
    Some(match op {
        Op::FNeg => sign_bits(e, a(0), Op::Xor, i64::from(i32::MIN)),
        Op::FAbs => sign_bits(e, a(0), Op::And, i64::from(i32::MAX)),
        Op::FSign => {
            let (z, one, minus) = (e.float(0.0), e.float(1.0), e.float(-1.0));
            let (gt, lt) = (e.b.fcmp(FloatCc::Ogt, a(0), z), e.b.fcmp(FloatCc::Olt, a(0), z));
            let low = e.b.select(lt, minus, z);
            e.b.select(gt, one, low)
        }
        Op::FSat => {
            let (z, one) = (e.float(0.0), e.float(1.0));
            let gt = e.b.fcmp(FloatCc::Ogt, a(0), z);
            let m = e.b.fmin(a(0), one);
            e.b.select(gt, m, z)
        }
        Op::FFract => {
            let fl = e.b.ffloor(a(0));
            e.b.fsub(a(0), fl)
        }
        Op::FTrunc => {
            // By magnitude, so that the sign of zero results stays: trunc(-0.3) is -0.
            let m = e.b.fabs(a(0));
            let fl = e.b.ffloor(m);
            copysign(e, fl, a(0))
        }
        Op::FFloor => {
            let (t, one) = (e.b.ftrunc(a(0)), e.float(1.0));
            let below = e.b.fcmp(FloatCc::Olt, a(0), t);
            let down = e.b.fsub(t, one);
            e.b.select(below, down, t)
        }
        Op::FCeil => {
            let n = e.b.fneg(a(0));
            let fl = e.b.ffloor(n);
            e.b.fneg(fl)
        }
        Op::FRoundEven => round_even(e, a(0)),
        Op::FDiv => {
            let r = e.b.frcp(a(1));
            e.b.fmul(a(0), r)
        }
        Op::FRem => {
            let q = e.b.fdiv(a(0), a(1));
            let t = e.b.ftrunc(q);
            let p = e.b.fmul(a(1), t);
            e.b.fsub(a(0), p)
        }
        Op::FSqrt => {
            // x * rsqrt(x), but 0 and infinity are their own roots.
            let r = e.b.frsqrt(a(0));
            let s = e.b.fmul(a(0), r);
            let (z, inf) = (e.float(0.0), e.float(f32::INFINITY));
            let (is_z, is_inf) = (e.b.fcmp(FloatCc::Oeq, a(0), z), e.b.fcmp(FloatCc::Oeq, a(0), inf));
            let own = e.b.or(is_z, is_inf);
            e.b.select(own, a(0), s)
        }
        Op::FRsqrt => {
            let s = e.b.fsqrt(a(0));
            e.b.frcp(s)
        }
        Op::FRcp => {
            let one = e.float(1.0);
            e.b.fdiv(one, a(0))
        }
        Op::Fma => {
            let p = e.b.fmul(a(0), a(1));
            e.b.fadd(p, a(2))
        }
        Op::FLdexp => ldexp(e, a(0), a(1)),
        Op::F2S if ty.scalar() == Scalar::I32 => {
            // The largest f32 below 2^31; saturated values and all above it meet there.
            let (r, top) = (e.b.f2s_full(a(0), ty), e.int(2_147_483_520));
            e.b.smin(r, top)
        }
        Op::F2U if ty.scalar() == Scalar::I32 => {
            let (r, top) = (e.b.f2u_full(a(0), ty), e.int(4_294_967_040));
            e.b.umin(r, top)
        }
        _ => return None,
    })
}

/// Columns and rows as integers: none of them is too large for one.
fn whole_pixel(b: &mut Builder<'_>, d: &InstData) -> Option<Value> {
    let (x, ty) = (d.args[0], b.func.ty(d.result()));
    if let Some(pixels) = frame::pixels(b.func, x) {
        let lanes: SmallVec<[Value; 4]> = pixels.into_iter().map(|(v, k)| b.extract(v, k)).collect();
        return Some(if ty.is_vector() { b.compose(&lanes) } else { lanes[0] });
    }
    let full = if d.op == Op::F2S { Op::F2SFull } else { Op::F2UFull };
    frame::in_frame(b.func, x).then(|| b.op_as(full, &[x], ty))
}

fn sign_bits(e: &mut Ex<'_, '_>, a: Value, op: Op, mask: i64) -> Value {
    let (bits, m) = (e.bits(a), e.int(mask));
    let r = e.b.op(op, &[bits, m]);
    e.of_bits(r)
}

/// `a` (not negative) with the sign of `sign`.
fn copysign(e: &mut Ex<'_, '_>, a: Value, sign: Value) -> Value {
    let s = e.bits(sign);
    let s = e.and(s, i64::from(i32::MIN));
    let m = e.bits(a);
    let r = e.b.or(m, s);
    e.of_bits(r)
}

fn minmax(e: &mut Ex<'_, '_>, cc: IntCc, a: Value, b: Value) -> Value {
    let c = e.b.icmp(cc, a, b);
    e.b.select(c, a, b)
}

/// Adding and taking away 2^23 rounds a smaller magnitude to an integer; nothing may simplify it.
fn round_even(e: &mut Ex<'_, '_>, a: Value) -> Value {
    let fp = std::mem::replace(&mut e.b.fp, FpFlags::NONE);
    let (m, big) = (e.b.fabs(a), e.float(8_388_608.0));
    let up = e.b.fadd(m, big);
    let r = e.b.fsub(up, big);
    let r = copysign(e, r, a);
    let small = e.b.fcmp(FloatCc::Olt, m, big);
    let r = e.b.select(small, r, a);
    e.b.fp = fp;
    r
}

/// `a * 2^n` in three steps, each with a factor that is a normal float: together they reach from the largest number to
/// below the least, and back. The largest factor comes last. If `a` is denormal before it, nothing is left behind it:
/// it is rounded once.
fn ldexp(e: &mut Ex<'_, '_>, a: Value, n: Value) -> Value {
    let (least, most, bias) = (e.int(-278), e.int(277), e.int(127));
    let n = e.b.smax(n, least);
    let mut n = e.b.smin(n, most);
    let mut factors = Vec::new();
    for last in [false, false, true] {
        let k = if last { n } else { normal_exponent(e, n) };
        let x = e.b.iadd(k, bias);
        let x = e.shl(x, 23);
        factors.push(e.of_bits(x));
        n = if last { n } else { e.b.isub(n, k) };
    }
    factors.into_iter().rev().fold(a, |r, p| e.b.fmul(r, p))
}

/// The exponents that a normal float can have.
fn normal_exponent(e: &mut Ex<'_, '_>, n: Value) -> Value {
    let (lo, hi) = (e.int(-126), e.int(127));
    let n = e.b.smax(n, lo);
    e.b.smin(n, hi)
}

/// The high half of a product, from 16-bit pieces: each partial product fits 32 bits.
fn umulhi(e: &mut Ex<'_, '_>, a: Value, b: Value) -> Value {
    let mul = |e: &mut Ex<'_, '_>, x: Value, y: Value| {
        if e.has(Op::UMul24) { e.b.umul24(x, y) } else { e.b.imul(x, y) }
    };
    let (al, ah) = (e.and(a, 0xffff), e.ushr(a, 16));
    let (bl, bh) = (e.and(b, 0xffff), e.ushr(b, 16));
    let (ll, lh) = (mul(e, al, bl), mul(e, al, bh));
    let (hl, hh) = (mul(e, ah, bl), mul(e, ah, bh));
    // hl + (ll >> 16) cannot overflow: 0xfffe0001 + 0xffff.
    let carry = e.ushr(ll, 16);
    let mid = e.b.iadd(hl, carry);
    let low = e.and(mid, 0xffff);
    let mid2 = e.b.iadd(lh, low);
    let (x, y) = (e.ushr(mid, 16), e.ushr(mid2, 16));
    let s = e.b.iadd(hh, x);
    e.b.iadd(s, y)
}

fn smulhi(e: &mut Ex<'_, '_>, a: Value, b: Value) -> Value {
    let h = e.b.umulhi(a, b);
    let n = e.int(31);
    let (sa, sb) = (e.b.sshr(a, n), e.b.sshr(b, n));
    let (x, y) = (e.b.and(sa, b), e.b.and(sb, a));
    let h = e.b.isub(h, x);
    e.b.isub(h, y)
}

fn popcount(e: &mut Ex<'_, '_>, a: Value) -> Value {
    let h = e.ushr(a, 1);
    let h = e.and(h, 0x5555_5555);
    let x = e.b.isub(a, h);
    let (l, h) = (e.and(x, 0x3333_3333), e.ushr(x, 2));
    let h = e.and(h, 0x3333_3333);
    let x = e.b.iadd(l, h);
    let h = e.ushr(x, 4);
    let x = e.b.iadd(x, h);
    let x = e.and(x, 0x0f0f_0f0f);
    let h = e.shl(x, 8);
    let x = e.b.iadd(x, h);
    let h = e.shl(x, 16);
    let x = e.b.iadd(x, h);
    e.ushr(x, 24)
}

/// All bits below the leading one set, then counted.
fn clz(e: &mut Ex<'_, '_>, a: Value) -> Value {
    let mut x = a;
    for n in [1, 2, 4, 8, 16] {
        let s = e.ushr(x, n);
        x = e.b.or(x, s);
    }
    let x = {
        let ones = e.int(-1);
        e.b.xor(x, ones)
    };
    e.b.popcount(x)
}

fn ctz(e: &mut Ex<'_, '_>, a: Value) -> Value {
    if e.has(Op::BitReverse) && e.has(Op::Clz) {
        let r = e.b.bitreverse(a);
        return e.b.clz(r);
    }
    // The bits below the lowest one; all of them for 0.
    let (one, zero) = (e.int(1), e.int(0));
    if e.has(Op::Clz) && !e.has(Op::Popcount) {
        let n = e.b.isub(zero, a);
        let low = e.b.and(a, n);
        let (c, top, all) = (e.b.clz(low), e.int(31), e.int(32));
        let r = e.b.isub(top, c);
        let none = e.b.icmp(IntCc::Eq, a, zero);
        return e.b.select(none, all, r);
    }
    let (m, ones) = (e.b.isub(a, one), e.int(-1));
    let n = e.b.xor(a, ones);
    let x = e.b.and(n, m);
    e.b.popcount(x)
}

fn bitreverse(e: &mut Ex<'_, '_>, a: Value) -> Value {
    let mut x = a;
    for (n, m) in [(1, 0x5555_5555), (2, 0x3333_3333), (4, 0x0f0f_0f0f), (8, 0x00ff_00ff)] {
        let h = e.ushr(x, n);
        let (h, l) = (e.and(h, m), e.and(x, m));
        let l = e.shl(l, n);
        x = e.b.or(h, l);
    }
    let (h, l) = (e.ushr(x, 16), e.shl(x, 16));
    e.b.or(h, l)
}

/// Offset and count clamped to the word, with the distance of the field from the top.
fn field(e: &mut Ex<'_, '_>, o: Value, c: Value) -> (Value, Value) {
    let n = e.int(32);
    let o = e.b.umin(o, n);
    let room = e.b.isub(n, o);
    let c = e.b.umin(c, room);
    (o, c)
}

fn bit_extract(e: &mut Ex<'_, '_>, a: Value, o: Value, c: Value, signed: bool) -> Value {
    let (o, c) = field(e, o, c);
    let (n, zero) = (e.int(32), e.int(0));
    // For a field that is not empty both counts are below 32.
    let right = e.b.isub(n, c);
    let left = e.b.isub(right, o);
    let x = e.b.shl(a, left);
    let x = if signed { e.b.sshr(x, right) } else { e.b.ushr(x, right) };
    let empty = e.b.icmp(IntCc::Eq, c, zero);
    e.b.select(empty, zero, x)
}

fn bit_insert(e: &mut Ex<'_, '_>, a: Value, new: Value, o: Value, c: Value) -> Value {
    let (o, c) = field(e, o, c);
    let (n, zero, ones) = (e.int(32), e.int(0), e.int(-1));
    let right = e.b.isub(n, c);
    let m = e.b.ushr(ones, right);
    let m = e.b.shl(m, o);
    let empty = e.b.icmp(IntCc::Eq, c, zero);
    let m = e.b.select(empty, zero, m);
    let x = e.b.shl(new, o);
    let x = e.b.and(x, m);
    let k = e.b.xor(m, ones);
    let k = e.b.and(a, k);
    e.b.or(k, x)
}

fn dot4x8(e: &mut Ex<'_, '_>, a: Value, b: Value, signed: bool) -> Value {
    let byte = |e: &mut Ex<'_, '_>, v: Value, k: i64| {
        if signed {
            let x = e.shl(v, 24 - 8 * k);
            let n = e.int(24);
            return e.b.sshr(x, n);
        }
        let x = if k == 0 { v } else { e.ushr(v, 8 * k) };
        if k == 3 { x } else { e.and(x, 0xff) }
    };
    let mut sum: Option<Value> = None;
    for k in 0..4 {
        let (x, y) = (byte(e, a, k), byte(e, b, k));
        let p = match (signed, e.has(Op::UMul24), e.has(Op::SMul24)) {
            (false, true, _) => e.b.umul24(x, y),
            (true, _, true) => e.b.smul24(x, y),
            _ => e.b.imul(x, y),
        };
        sum = Some(sum.map_or(p, |s| e.b.iadd(s, p)));
    }
    sum.unwrap_or(a)
}

/// A chain of selects; the last lane catches every index that is too large.
fn extract_dyn(b: &mut Builder<'_>, v: Value, index: Value) -> Value {
    let lanes = b.func.ty(v).lanes();
    let mut r = b.extract(v, lanes - 1);
    for k in (0..lanes - 1).rev() {
        let x = b.extract(v, k);
        let n = b.func.iconst(Type::I32, i64::from(k));
        let c = b.icmp(IntCc::Eq, index, n);
        r = b.select(c, x, r);
    }
    r
}

fn insert_dyn(b: &mut Builder<'_>, v: Value, new: Value, index: Value) -> Value {
    let lanes = b.func.ty(v).lanes();
    let mut list = Vec::new();
    for k in 0..lanes {
        let x = b.extract(v, k);
        let n = b.func.iconst(Type::I32, i64::from(k));
        let cc = if k + 1 == lanes { IntCc::Uge } else { IntCc::Eq };
        let c = b.icmp(cc, index, n);
        list.push(b.select(c, new, x));
    }
    b.compose(&list)
}

fn dot(b: &mut Builder<'_>, x: Value, y: Value) -> Value {
    let p = b.fmul(x, y);
    let lanes = b.func.ty(p).lanes();
    let mut s = b.extract(p, 0);
    for k in 1..lanes {
        let t = b.extract(p, k);
        s = b.fadd(s, t);
    }
    s
}
