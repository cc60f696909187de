//! A sign that one condition gives to several numbers is chosen once.
//!
//! ```text
//! v2 = fneg v0                        v5 = select c, 1, -1
//! v3 = select c, v0, v2        ==>    v3 = fmul v0, v5
//! v4 = select c, v1, (fneg v1)        v4 = fmul v1, v5
//! ```
//!
//! A normal that is turned to the viewer is such a vector. Products with 1 and -1 are exact.
//!
//! Needs: scalars. Keeps: the CFG. Inside of a block, from two numbers on, so that it is no more instructions where a choice reads no
//! negated operand.

use std::collections::BTreeMap;

use crate::rewrite::{self, Rewrite};
use crate::{OpSet, PassCx};
use gpucc_ir::{Block, Function, Inst, Op, Scalar, Value};

/// Chooses the signs of a vector once.
pub fn run(f: &mut Function, cx: &mut PassCx<'_>) {
    if !cx.has_any(f, OpSet::of(&[Op::Select])) || !cx.has_any(f, OpSet::of(&[Op::FNeg])) {
        return;
    }
    let mut counts: BTreeMap<(Block, Value), (u32, Option<Value>)> = BTreeMap::new();
    for (b, i) in f.insts_in_order() {
        if signed(f, i).is_some() {
            counts.entry((b, f.insts[i].args[0])).or_default().0 += 1;
        }
    }
    counts.retain(|_, c| c.0 > 1);
    if counts.is_empty() {
        return;
    }
    rewrite::run(f, |b, i| {
        let Some((v, turned)) = signed(b.func, i) else { return Rewrite::Keep };
        let c = b.func.insts[i].args[0];
        let Some((_, sign)) = counts.get_mut(&(b.block, c)) else { return Rewrite::Keep };
        if !cx.change() {
            return Rewrite::Keep;
        }
        let s = *sign.get_or_insert_with(|| {
            let ty = b.func.ty(v);
            let (plus, minus) = (b.func.fconst(ty, 1.0), b.func.fconst(ty, -1.0));
            b.select(c, plus, minus)
        });
        let s = if turned { b.fneg(s) } else { s };
        Rewrite::Value(b.fmul(v, s))
    });
}

/// The number that a choice gives or turns around, and whether it does where the condition holds.
fn signed(f: &Function, i: Inst) -> Option<(Value, bool)> {
    let d = &f.insts[i];
    if d.op != Op::Select
        || f.ty(d.results.first()?) != f.ty(d.args[1]).lane()
        || f.ty(d.args[1]).scalar() != Scalar::F32
    {
        return None;
    }
    let negates = |x: Value, y: Value| f.def_op(x, Op::FNeg).is_some_and(|n| n.args[0] == y);
    match (d.args[1], d.args[2]) {
        (x, y) if negates(y, x) => Some((x, false)),
        (x, y) if negates(x, y) => Some((y, true)),
        _ => None,
    }
}
