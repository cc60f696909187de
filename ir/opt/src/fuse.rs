//! A multiplication whose only use is an addition becomes `fma`, where both allow it.
//!
//! Needs: nothing. Keeps: the CFG. Fires only if `Caps::fuse_fma` is set and multiplication and addition both carry
//! `contract`; a product with other uses stays, since it would be computed twice.

use crate::PassCx;
use crate::rewrite::{self, Rewrite};
use gpucc_ir::analysis::Uses;
use gpucc_ir::{Builder, FpFlags, Function, Inst, Op, Value, Values};

/// Joins multiplications and additions to `fma`, on targets that fuse.
pub fn run(f: &mut Function, cx: &mut PassCx<'_>) {
    if !cx.caps.fuse_fma {
        return;
    }
    let uses = Uses::new(f);
    rewrite::run(f, |b, i| match fused(b, i, &uses) {
        Some((x, y, z, negate)) if cx.change() => {
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

fn fused(b: &Builder<'_>, i: Inst, uses: &Uses) -> Option<(Value, Value, Value, Negate)> {
    let d = &b.func.insts[i];
    if !matches!(d.op, Op::FAdd | Op::FSub) || !d.fp.has(FpFlags::CONTRACT) {
        return None;
    }
    let product = |v: Value| -> Option<Values> {
        let p = b.func.def_op(v, Op::FMul)?;
        (p.fp.has(FpFlags::CONTRACT) && uses.count(v) == 1).then(|| p.args.clone())
    };
    let (x, y) = (d.args[0], d.args[1]);
    if let Some(p) = product(x) {
        let n = if d.op == Op::FSub { Negate::Addend } else { Negate::None };
        return Some((p[0], p[1], y, n));
    }
    let p = product(y)?;
    let n = if d.op == Op::FSub { Negate::Product } else { Negate::None };
    Some((p[0], p[1], x, n))
}
