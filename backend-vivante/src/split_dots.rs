//! Dot products of two lanes are two products and their sum on gc2000, which has no instruction for them.
//!
//! ```text
//! v2 = fdot v0, v1           ==>          v3 = fmul v0.x, v1.x
//!                                         v4 = fmul v0.y, v1.y
//!                                         v2 = fadd v4, v3     (one MAD)
//! ```
//!
//! Here, and not in selection, these are lanes like any others: four products that stand next to each other are one instruction.
//!
//! Needs: the generation; any IR. Keeps: the CFG. Before `pack`. Not left out at any level: selection knows none of two lanes there.

use gpucc_ir::{Builder, Function, Op, Value};
use gpucc_opt::rewrite::{self, Rewrite};
use gpucc_opt::{OpSet, PassCx};
use gpucc_vivante_machine::GC2000;

/// Runs over a function.
pub fn run(f: &mut Function, cx: &mut PassCx<'_>, generation: u8) {
    if generation != GC2000 || !cx.has_any(f, OpSet::of(&[Op::FDot])) {
        return;
    }
    rewrite::run(f, |b, i| {
        let d = &b.func.insts[i];
        let [x, y] = d.args[..] else { return Rewrite::Keep };
        if d.op != Op::FDot || b.func.ty(x).lanes() != 2 {
            return Rewrite::Keep;
        }
        cx.must_change(1);
        let [first, second] = [0, 1].map(|k| {
            let lanes = [x, y].map(|v| lane(b, v, k));
            b.fmul(lanes[0], lanes[1])
        });
        Rewrite::Value(b.fadd(second, first))
    });
}

/// A lane of a vector, of the value that it was moved from.
fn lane(b: &mut Builder<'_>, v: Value, k: usize) -> Value {
    let (mut v, mut k) = (v, k);
    while let Some(i) = b.func.def_inst(v)
        && let Some(moved) = b.func.insts[i].moved_lanes(b.func.ty(v).lanes())
    {
        (v, k) = moved[k];
    }
    if b.func.ty(v).is_vector() { b.extract(v, k as u32) } else { v }
}
