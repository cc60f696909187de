//! A product with `1 - t` is one fused multiply-add.
//!
//! ```text
//! v1 = fsub 1, t
//! v2 = fmul b, t                     v2 = fma -a, t, a
//! v3 = fma a, v1, v2        ==>      v3 = fma b, t, v2
//! ```
//!
//! Mixes are such. `a - a t` is rounded once, `a (1 - t)` twice. Fires where nothing reads `1 - t` besides, so that each is an instruction
//! less.
//!
//! Of an infinite `a` or `t` one form makes a number or an infinity where the other makes none: WGSL promises nothing about either.
//!
//! Needs: a target whose `fma` rounds once; the licences of the source, `contract` and `nsz`, which modules that keep infinities do not
//! give. Keeps: the CFG.

use crate::rewrite::{self, Rewrite};
use crate::{OpSet, PassCx};
use gpucc_ir::analysis::Uses;
use gpucc_ir::{Builder, FpFlags, Function, Inst, Op, Scalar, SecondaryMap, Value};

/// Writes products with the rest of a number to 1 as `fma`.
pub fn run(f: &mut Function, cx: &mut PassCx<'_>) {
    if !cx.caps.fuse_fma || !cx.has_any(f, OpSet::of(&[Op::FSub])) {
        return;
    }
    let uses = cx.uses(f);
    // The weight `t` of each instruction that may go another way.
    let mut weights: SecondaryMap<Inst, Option<Value>> = SecondaryMap::with_default(None);
    let mut any = false;
    for (_, i) in f.insts_in_order() {
        let Some((rest, t)) = rest(f, i) else { continue };
        let all = uses.of(rest);
        if !all.is_empty() && all.iter().all(|u| takes(f, u.inst, rest, &uses)) {
            all.iter().for_each(|u| weights[u.inst] = Some(t));
            any = true;
        }
    }
    if !any {
        return;
    }
    rewrite::run(f, |b, i| {
        let Some(t) = weights[i] else { return Rewrite::Keep };
        let d = b.func.insts[i].clone();
        // The weight itself may have been such a product.
        let k = usize::from(rest_of(b.func, d.args[0], t));
        let product = d.args.get(2).and_then(|&c| b.func.def_op(c, Op::FMul)).map(|p| (p.args[0], p.args[1]));
        if !rest_of(b.func, d.args[1 - k], t) || d.op == Op::Fma && product.is_none() || !cx.change() {
            return Rewrite::Keep;
        }
        let a = d.args[k];
        let part = without(b, a, t);
        Rewrite::Value(match product {
            Some((x, y)) => b.fma(x, y, part),
            None => part,
        })
    });
}

/// `a - a t`.
fn without(b: &mut Builder<'_>, a: Value, t: Value) -> Value {
    // A constant keeps its sign.
    if b.func.as_const(a).is_some() {
        let minus = b.fneg(t);
        return b.fma(a, minus, a);
    }
    let minus = b.fneg(a);
    b.fma(minus, t, a)
}

/// Whether `v` is `1 - t`.
fn rest_of(f: &Function, v: Value, t: Value) -> bool {
    f.def_inst(v).and_then(|i| rest(f, i)).is_some_and(|r| r.1 == t)
}

/// `1 - t`, and `t`.
fn rest(f: &Function, i: Inst) -> Option<(Value, Value)> {
    let d = &f.insts[i];
    if d.op != Op::FSub || !d.fp.has(FpFlags::LOOSE) {
        return None;
    }
    let ty = f.ty(d.result());
    let one = f.const_bits(d.args[0]) == Some(u64::from(1f32.to_bits()));
    (one && ty.scalar() == Scalar::F32 && !ty.is_vector()).then(|| (d.result(), d.args[1]))
}

/// Whether an instruction is a product with `rest` alone, or one to which another product is added that nobody else reads.
fn takes(f: &Function, i: Inst, rest: Value, uses: &Uses) -> bool {
    let d = &f.insts[i];
    if !matches!(d.op, Op::FMul | Op::Fma) || !d.fp.has(FpFlags::LOOSE) {
        return false;
    }
    let once = d.args.iter().filter(|&&a| a == rest).count() == 1 && d.args[..2].contains(&rest);
    let added = d.args.get(2).is_none_or(|&c| {
        let product = f.def_op(c, Op::FMul).filter(|p| p.fp.has(FpFlags::LOOSE) && !p.args.contains(&rest));
        product.is_some() && uses.count(c) == 1
    });
    once && added
}
