//! Where many constructs end one right behind the other, as in a long chain of `else if`, their ends become one: each would keep a
//! mask of all lanes that wait for it.
//!
//! Level 0 leaves control flow as it is written, and so it does here up to a number of such ends that registers have room for.

use gpucc_ir::{Function, Module, Op};
use gpucc_opt::{Caps, PassCx, simplify_cfg};

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

/// Runs over the entry point.
pub fn join(m: &mut Module, caps: &Caps) {
    let func = m.entries[0].func;
    if empty(&m.funcs[func]) > MOST {
        let mut f = m.funcs[func].clone();
        simplify_cfg::run(&mut f, &mut PassCx::new(m, caps));
        m.funcs[func] = f;
    }
}
