//! A branch around nothing but a discard becomes a discard with the branch's condition.
//!
//! ```text
//! br c, block1, block2        demote c
//! block1: demote true    ==>  jump block2
//!         jump block2
//! ```
//!
//! Targets whose discard takes a condition need no branch: no lane waits. For others nothing is done.
//!
//! Needs: `Caps::predicated_demote`, a fragment entry. Keeps: dominators of surviving blocks.

use gpucc_ir::{Attr, Block, Builder, Edge, Function, Inst, Op};

use crate::cx::PassCx;
use crate::simplify_cfg;

/// The block's discard of all lanes, if that and a jump are all that it has.
fn only_discards(f: &Function, b: Block) -> Option<(Inst, Edge)> {
    let block = &f.blocks[b];
    let &[discard, jump] = block.insts.as_slice() else { return None };
    let all = f.insts[discard].op == Op::Demote && f.const_bits(f.insts[discard].args[0]) == Some(1);
    let plain = all && f.insts[jump].op == Op::Jump && block.header.is_none() && block.params.is_empty();
    plain.then(|| f.insts[jump].edges()[0].to_edge()).map(|e| (discard, e))
}

/// Replaces branches around a discard by a discard with a condition.
pub fn run(f: &mut Function, cx: &mut PassCx<'_>) {
    if !cx.caps.predicated_demote || !cx.has_helpers() {
        return;
    }
    let found: Vec<(Block, Inst, Edge)> = {
        let preds = cx.preds(f);
        let of = |&b: &Block| {
            let d = &f.insts[f.terminator(b)];
            let Attr::Branch(branch) = &d.attr else { return None };
            let (then, other) = (branch.then().to_edge(), branch.other()?.to_edge());
            let (discard, to) = only_discards(f, then.block).filter(|_| preds[then.block].len() == 1)?;
            (then.args.is_empty() && to == other).then_some((b, discard, to))
        };
        f.layout.iter().filter_map(of).collect()
    };
    let mut changed = false;
    for (b, discard, to) in found {
        if !cx.change() {
            break;
        }
        changed = true;
        let branch = f.terminator(b);
        let (condition, end) = (f.insts[branch].args[0], f.blocks[b].insts.len() - 1);
        let loc = f.insts[discard].loc;
        let mut at = Builder::before(f, b, end);
        at.loc = loc;
        at.demote(condition);
        f.insts[branch].set_edge(0, &to);
    }
    if changed {
        cx.forget_graph();
        // Nothing leads to the arms any more.
        cx.sorted = false;
        simplify_cfg::run(f, cx);
    }
}
