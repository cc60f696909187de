//! Floats of 64 bits on targets that compute with them: lanes apart, and what there is no instruction for written with others.

use gpucc_ir::{Attr, Builder, Const, FloatCc, FpFlags, Function, InstData, Op, Scalar, Type, Value};
use smallvec::SmallVec;

use super::conversions;
use super::double_steps as steps;
use super::double_steps::{number, put_together, taken_apart};
use super::lanes::{Doubles, Pairs, Wide, is_double, is_wide, load};
use super::pair::{self, Pair};
use crate::caps::OpSet;

impl Wide {
    /// The lanes of a float.
    pub(super) fn double_lanes(&self, f: &mut Function, v: Value) -> Doubles {
        if !self.doubles[v].is_empty() {
            return self.doubles[v].clone();
        }
        let ty = f.ty(v);
        if !ty.is_vector() {
            return Doubles::from_elem(v, 1);
        }
        match f.as_const(v).cloned() {
            Some(c) => c.bits.iter().map(|&bits| f.constant(Const::new(Type::F64, &[bits]))).collect(),
            // What is undefined, and what code that nothing reaches gives to itself.
            None => {
                let lane = f.undef(Type::F64);
                (0..ty.lanes()).map(|_| lane).collect()
            }
        }
    }

    /// The words of the lanes of an integer or a float.
    pub(super) fn halves(&self, b: &mut Builder<'_>, v: Value) -> Pairs {
        if !is_double(b.func.ty(v)) {
            return self.lanes(b.func, v);
        }
        let lanes = self.double_lanes(b.func, v);
        lanes.iter().map(|&v| taken_apart(b, v)).collect()
    }

    /// The lanes of a result that is a float; none where there is no form.
    pub(super) fn double(&self, b: &mut Builder<'_>, d: &InstData) -> Option<Doubles> {
        let n = b.func.ty(d.result()).lanes();
        let of_pairs = |b: &mut Builder<'_>, pairs: Pairs| pairs.iter().map(|&p| put_together(b, p)).collect();
        if let (Op::Load, Attr::Mem(m)) = (d.op, &d.attr) {
            let pairs = load(b, n, m, d.dyn_offset());
            return Some(of_pairs(b, pairs));
        }
        let lanes = |b: &mut Builder<'_>, k: usize| self.double_lanes(b.func, d.args[k]);
        Some(match d.op {
            Op::Splat => {
                let a = lanes(b, 0)[0];
                (0..n).map(|_| a).collect()
            }
            Op::Compose => (0..d.args.len()).map(|k| lanes(b, k)[0]).collect(),
            Op::Insert => {
                let (mut a, Attr::Lane(k)) = (lanes(b, 0), &d.attr) else { unreachable!("an insert has a lane") };
                a[usize::from(*k)] = lanes(b, 1)[0];
                a
            }
            Op::Extract => {
                let Attr::Lane(k) = &d.attr else { unreachable!("an extract has a lane") };
                Doubles::from_elem(lanes(b, 0)[usize::from(*k)], 1)
            }
            Op::Shuffle => {
                let Attr::Lanes(l) = &d.attr else { unreachable!("a shuffle has lanes") };
                let (x, y) = (lanes(b, 0), lanes(b, 1));
                l.iter().map(|&k| if k < 4 { x[usize::from(k)] } else { y[usize::from(k) - 4] }).collect()
            }
            Op::ExtractDyn => {
                let a = lanes(b, 0);
                let mut found = a[0];
                for (k, &lane) in (1..).zip(&a[1..]) {
                    let c = pair::at_least(b, d.args[1], k);
                    found = b.select(c, lane, found);
                }
                Doubles::from_elem(found, 1)
            }
            Op::InsertDyn => {
                let (a, new) = (lanes(b, 0), lanes(b, 1)[0]);
                let last = b.func.iconst(Type::I32, i64::from(n) - 1);
                let at = b.umin(d.args[2], last);
                let one = |(k, &lane): (u32, &Value)| {
                    let c = pair::is(b, at, k);
                    b.select(c, new, lane)
                };
                (0..).zip(&a).map(one).collect()
            }
            Op::Bitcast => {
                let words = self.words(b, d.args[0])?;
                words.chunks_exact(2).map(|w| put_together(b, Pair { lo: w[0], hi: w[1] })).collect()
            }
            Op::LaneRead => {
                let (pairs, lane) = (self.halves(b, d.args[0]), d.args[1]);
                let read = |p: &Pair| Pair { lo: b.lane_read(p.lo, lane), hi: b.lane_read(p.hi, lane) };
                let pairs: Pairs = pairs.iter().map(read).collect();
                of_pairs(b, pairs)
            }
            Op::Select => {
                let (x, y) = (lanes(b, 1), lanes(b, 2));
                let lane = |k: usize| {
                    let c = b.extract(d.args[0], k as u32);
                    b.select(c, x[k], y[k])
                };
                (0..n as usize).map(lane).collect()
            }
            Op::S2F | Op::U2F if is_wide(b.func.ty(d.args[0])) => {
                let pairs = self.lanes(b.func, d.args[0]);
                let one = |b: &mut Builder<'_>, p: Pair| match self.converts {
                    true => conversions::to_float(b, d.op, p, Type::F64),
                    false => from_wide(b, d.op, p),
                };
                pairs.iter().map(|&p| one(b, p)).collect()
            }
            Op::FDot => {
                let (x, y) = (lanes(b, 0), lanes(b, 1));
                let mut sum = b.fmul(x[0], y[0]);
                for (&x, &y) in x[1..].iter().zip(&y[1..]) {
                    let product = b.fmul(x, y);
                    sum = b.fadd(sum, product);
                }
                Doubles::from_elem(sum, 1)
            }
            _ => {
                let mut out = Doubles::new();
                for k in 0..n {
                    let one = |b: &mut Builder<'_>, &v: &Value| match is_double(b.func.ty(v)) {
                        true => self.double_lanes(b.func, v)[k as usize],
                        false => b.extract(v, k),
                    };
                    let args: SmallVec<[Value; 4]> = d.args.iter().map(|v| one(b, v)).collect();
                    out.push(op(b, self.expand, d.op, &args)?);
                }
                out
            }
        })
    }

    /// The lanes of a result of at most 32 bits of floats of 64; none where there is no form.
    pub(super) fn small_of_doubles(&self, b: &mut Builder<'_>, d: &InstData) -> Option<SmallVec<[Value; 4]>> {
        let to = b.func.ty(d.result()).lane();
        let lanes = |b: &mut Builder<'_>, k: usize| self.double_lanes(b.func, d.args[k]);
        let x = lanes(b, 0);
        Some(match (d.op, &d.attr) {
            (Op::FCmp, &Attr::FloatCc(cc)) => {
                let y = lanes(b, 1);
                x.iter().zip(&y).map(|(&x, &y)| b.fcmp(cc, x, y)).collect()
            }
            (Op::F2F, _) if to == Type::F32 => x.iter().map(|&x| b.f2f(x, to)).collect(),
            // The values of 32 bits that both types hold are all of them.
            (Op::F2S | Op::F2SFull, _) if to == Type::I32 => x.iter().map(|&x| b.f2s_full(x, to)).collect(),
            (Op::F2U | Op::F2UFull, _) if to == Type::I32 => x.iter().map(|&x| b.f2u_full(x, to)).collect(),
            _ => return None,
        })
    }
}

/// An op on one lane of each operand; none where there is no form.
fn op(b: &mut Builder<'_>, expand: OpSet, op: Op, a: &[Value]) -> Option<Value> {
    let x = *a.first()?;
    Some(match op {
        Op::FDiv | Op::FSqrt | Op::FLdexp if expand.has(op) => steps::expanded(b, op, a),
        Op::FAdd
        | Op::FSub
        | Op::FMul
        | Op::FDiv
        | Op::Fma
        | Op::FNeg
        | Op::FAbs
        | Op::FMin
        | Op::FMax
        | Op::FSat
        | Op::FFloor
        | Op::FCeil
        | Op::FTrunc
        | Op::FRoundEven
        | Op::FSqrt
        | Op::FLdexp => b.op(op, a),
        Op::F2F | Op::S2F | Op::U2F if b.func.ty(x).bits() == 32 => b.op_as(op, a, Type::F64),
        Op::FRcp | Op::FRsqrt => {
            let one = number(b, 1.0);
            let below = if op == Op::FRcp { x } else { self::op(b, expand, Op::FSqrt, &[x])? };
            self::op(b, expand, Op::FDiv, &[one, below])?
        }
        Op::FRem => {
            let q = self::op(b, expand, Op::FDiv, a)?;
            let t = b.ftrunc(q);
            let p = b.fmul(a[1], t);
            b.fsub(x, p)
        }
        Op::FFract => {
            let floor = b.ffloor(x);
            b.fsub(x, floor)
        }
        Op::FSign => {
            let (zero, one, minus) = (number(b, 0.0), number(b, 1.0), number(b, -1.0));
            let (above, below) = (b.fcmp(FloatCc::Ogt, x, zero), b.fcmp(FloatCc::Olt, x, zero));
            let low = b.select(below, minus, zero);
            b.select(above, one, low)
        }
        _ => return None,
    })
}

/// An integer of 64 bits as a float: both halves are exact, and their sum is rounded.
fn from_wide(b: &mut Builder<'_>, op: Op, p: Pair) -> Value {
    let fp = std::mem::replace(&mut b.fp, FpFlags::NONE);
    let (high, low) = (b.op_as(op, &[p.hi], Type::F64), b.u2f(p.lo, Type::F64));
    let scale = number(b, 4_294_967_296.0);
    let value = b.fma(high, scale, low);
    b.fp = fp;
    value
}

/// A float as an integer of 64 bits. The quotient by 2^32 rounded down and what is left are exact.
pub(super) fn to_wide(b: &mut Builder<'_>, op: Op, v: Value) -> Pair {
    let fp = std::mem::replace(&mut b.fp, FpFlags::NONE);
    let signed = matches!(op, Op::F2S | Op::F2SFull);
    let full = matches!(op, Op::F2SFull | Op::F2UFull);
    let (limit, most, least) = match (signed, full) {
        (false, true) => (18_446_744_073_709_551_616.0, u64::MAX, 0.0),
        (false, false) => (18_446_744_073_709_551_616.0, 0xffff_ffff_ffff_f800, 0.0),
        (true, true) => (9_223_372_036_854_775_808.0, i64::MAX as u64, -9_223_372_036_854_775_808.0),
        (true, false) => (9_223_372_036_854_775_808.0, 0x7fff_ffff_ffff_fc00, -9_223_372_036_854_775_808.0),
    };
    let (limit, least) = (number(b, limit), number(b, least));
    let whole = b.ftrunc(v);
    let at_least = b.fmax(whole, least);
    let (down, up) = (number(b, 1.0 / 4_294_967_296.0), number(b, -4_294_967_296.0));
    let quotient = b.fmul(at_least, down);
    let high = b.ffloor(quotient);
    let low = b.fma(high, up, at_least);
    let to_high = if signed { Op::F2SFull } else { Op::F2UFull };
    let value = Pair { lo: b.f2u_full(low, Type::I32), hi: b.op_as(to_high, &[high], Type::I32) };
    let (over, most) = (b.fcmp(FloatCc::Oge, v, limit), Pair::of(b.func, most));
    let value = Pair::select(b, over, most, value);
    // The greater of NaN and a bound is the bound.
    let (none, zero) = (b.fcmp(FloatCc::Uno, v, v), Pair::of(b.func, 0));
    b.fp = fp;
    Pair::select(b, none, zero, value)
}

/// A float as one of 32 bits that a further rounding to half precision rounds as the float itself: what is cut off stays as the
/// lowest bit.
pub(crate) fn rounded_to_odd(b: &mut Builder<'_>, v: Value) -> Value {
    let fp = std::mem::replace(&mut b.fp, FpFlags::NONE);
    let ty = b.func.ty(v);
    let (single, int) = (ty.with_scalar(Scalar::F32), ty.with_scalar(Scalar::I32));
    let near = b.f2f(v, single);
    let back = b.f2f(near, ty);
    let (from, to) = (b.fabs(v), b.fabs(back));
    let (beyond, cut) = (b.fcmp(FloatCc::Ogt, to, from), b.fcmp(FloatCc::Une, back, v));
    let (bits, one) = (b.bitcast(near, int), b.func.iconst(int, 1));
    let toward_zero = b.isub(bits, one);
    let bits = b.select(beyond, toward_zero, bits);
    let odd = b.or(bits, one);
    let bits = b.select(cut, odd, bits);
    b.fp = fp;
    b.bitcast(bits, single)
}
