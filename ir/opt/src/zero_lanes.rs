//! Takes lanes that are added to zero out of a vector sum.
//!
//! ```text
//! v1 = compose a, 0, b                v3 = fadd v0's x, a
//! v2 = fadd v0, v1           ==>      v4 = fadd v0's z, b
//!                                     v2 = compose v3, v0's y, v4
//! ```
//!
//! The zero would take a move; products that are added are taken in by a MAD. Packing puts the sums together again.
//!
//! Needs: sums to which the sign of a zero does not matter. Keeps: the CFG.

use crate::rewrite::{self, Rewrite};
use crate::{OpSet, PassCx};
use gpucc_ir::analysis::Uses;
use gpucc_ir::{Builder, FpFlags, Function, InstData, Op, Value};
use smallvec::SmallVec;

/// Takes lanes that add zero out of vector sums.
pub fn run(f: &mut Function, cx: &mut PassCx<'_>) {
    if !cx.has_any(f, OpSet::of(&[Op::FAdd, Op::FSub])) || !cx.has_any(f, OpSet::of(&[Op::Compose])) {
        return;
    }
    let uses = cx.uses(f);
    rewrite::run(f, |b, i| {
        if !matches!(b.func.insts[i].op, Op::FAdd | Op::FSub) {
            return Rewrite::Keep;
        }
        let d = b.func.insts[i].clone();
        match sum(b, cx, &uses, &d) {
            Some(v) => Rewrite::Value(v),
            None => Rewrite::Keep,
        }
    });
}

fn sum(b: &mut Builder<'_>, cx: &mut PassCx<'_>, uses: &Uses, d: &InstData) -> Option<Value> {
    if !matches!(d.op, Op::FAdd | Op::FSub) || !d.fp.has(FpFlags::NSZ) {
        return None;
    }
    // Subtracting from zero changes the value.
    let sides: &[usize] = if d.op == Op::FAdd { &[0, 1] } else { &[1] };
    let zero = |f: &Function, v: Value| f.const_bits(v).is_some_and(|c| c as u32 & 0x7fff_ffff == 0);
    let (parts, other) = sides.iter().find_map(|&k| {
        let c = b.func.def_op(d.args[k], Op::Compose)?;
        let zeros = c.args.iter().filter(|&&a| zero(b.func, a)).count();
        (zeros > 0 && uses.count(d.args[k]) == 1).then(|| (c.args.clone(), d.args[1 - k]))
    })?;
    if !cx.change() {
        return None;
    }
    let lanes: SmallVec<[Value; 4]> = parts
        .iter()
        .enumerate()
        .map(|(k, &p)| {
            let x = b.extract(other, k as u32);
            match (zero(b.func, p), d.op) {
                (true, _) => x,
                (_, Op::FAdd) => b.fadd(x, p),
                _ => b.fsub(x, p),
            }
        })
        .collect();
    Some(b.compose(&lanes))
}
