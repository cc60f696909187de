//! Where many constructs end one right behind the other, as in a long chain of `else if`, their ends become one: each would keep a
//! mask of all lanes that wait for it.
//!
//! Level 0 leaves control flow as it is written, and so it does here up to a number of such ends that registers have room for.

use gpucc_ir::{Function, Op};
use gpucc_opt::{PassCx, simplify_cfg};

/// Ends without code that are left alone.
const MOST: usize = 32;

/// How many ends of constructs do nothing but continue to the next.
fn empty(f: &Function) -> usize {
    let preds = f.preds();
    let ends = |b: &&gpucc_ir::Block| {
        matches!(f.blocks[**b].insts[..], [i] if f.insts[i].op == Op::Jump) && preds[**b].len() > 1
    };
    f.layout.iter().filter(ends).count()
}

/// Runs over a function. Selection needs it, so it takes no fuel.
pub fn run(f: &mut Function, cx: &mut PassCx<'_>) {
    if empty(f) > MOST {
        let mut unlimited = PassCx::new(cx.module, cx.caps);
        simplify_cfg::run(f, &mut unlimited);
        cx.must_change(unlimited.changes());
    }
}
