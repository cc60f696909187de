//! A multiplication that only additions read becomes `fma` in each of them, where all allow it.
//!
//! Needs: nothing. Keeps: the CFG. Fires only if `Caps::fuse_fma` is set and multiplication and additions carry
//! `contract`. A product with other uses stays, since it would be computed twice, and so does one of several sums of which one adds
//! two products: it can take in the other. A number plus itself is a product with 2.

use crate::rewrite::{self, Rewrite};
use crate::{OpSet, PassCx};
use gpucc_ir::analysis::Uses;
use gpucc_ir::{Builder, FpFlags, Function, Inst, InstData, Op, Scalar, Value};

/// Sums that one product goes into, at most.
const MOST: usize = 4;

/// Joins multiplications and additions to `fma`, on targets that fuse.
pub fn run(f: &mut Function, cx: &mut PassCx<'_>) {
    if !cx.caps.fuse_fma || !cx.has_any(f, OpSet::of(&[Op::FAdd, Op::FSub])) {
        return;
    }
    let uses = cx.uses(f);
    rewrite::run(f, |b, i| match fused(b, i, &uses) {
        Some((x, y, z, negate)) if cx.change() => {
            let y = y.unwrap_or_else(|| b.func.fconst(b.func.ty(x), 2.0));
            let (x, z) = match negate {
                Negate::None => (x, z),
                Negate::Product => (b.fneg(x), z),
                Negate::Addend => (x, b.fneg(z)),
            };
            Rewrite::Value(b.fma(x, y, z))
        }
        _ => Rewrite::Keep,
    });
}

enum Negate {
    None,
    /// `z - x * y`
    Product,
    /// `x * y - z`
    Addend,
}

/// Whether an instruction is a sum that takes in a product.
fn sums(d: &InstData) -> bool {
    matches!(d.op, Op::FAdd | Op::FSub) && d.fp.has(FpFlags::CONTRACT)
}

/// Whether all that reads a product takes it in.
fn goes(b: &Builder<'_>, v: Value, uses: &Uses) -> bool {
    let users = uses.of(v);
    // Halves that a target computes as floats are rounded in each of the sums.
    users.len() == 1
        || (2..=MOST).contains(&users.len())
            && b.func.ty(v).scalar() == Scalar::F32
            && users.iter().all(|u| {
                let d = &b.func.insts[u.inst];
                sums(d) && d.args.iter().filter(|&&a| b.func.def_op(a, Op::FMul).is_some()).count() == 1
            })
}

/// A sum as the factors, of which the second is 2 where a number is added to itself, and the addend.
fn fused(b: &Builder<'_>, i: Inst, uses: &Uses) -> Option<(Value, Option<Value>, Value, Negate)> {
    let d = &b.func.insts[i];
    if !sums(d) {
        return None;
    }
    let product = |v: Value| -> Option<(Value, Option<Value>)> {
        let p = b.func.def_op(v, Op::FMul)?;
        (p.fp.has(FpFlags::CONTRACT) && goes(b, v, uses)).then(|| (p.args[0], Some(p.args[1])))
    };
    let twice = |v: Value| -> Option<(Value, Option<Value>)> {
        let p = b.func.def_op(v, Op::FAdd)?;
        let doubled = p.args[0] == p.args[1] && b.func.ty(v).scalar() == Scalar::F32;
        (doubled && p.fp.has(FpFlags::CONTRACT) && uses.count(v) == 1).then(|| (p.args[0], None))
    };
    let (x, y) = (d.args[0], d.args[1]);
    let (first, last) = match d.op {
        Op::FSub => (Negate::Addend, Negate::Product),
        _ => (Negate::None, Negate::None),
    };
    if let Some((p, k)) = product(x) {
        return Some((p, k, y, first));
    }
    if let Some((p, k)) = product(y) {
        return Some((p, k, x, last));
    }
    match (twice(x), twice(y)) {
        (Some((p, k)), _) => Some((p, k, y, first)),
        (None, Some((p, k))) => Some((p, k, x, last)),
        (None, None) => None,
    }
}
