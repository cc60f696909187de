//! A jump to a block that only branches takes the branch itself where one side of it comes next: the way back of a loop tests right
//! there.
//!
//! ```text
//! b1: branch.lt x, y, b3                 b1: branch.lt x, y, b3
//!     jump b2                                jump b2
//! b2: ..                        ==>      b2: ..
//!     jump b1                                branch.ge x, y, b2
//! b3: ..                                 b3: ..
//! ```
//!
//! Needs: physical registers, jumps that go where they lead. Keeps: the order of blocks.

use gpucc_mir::{BlockId, MEdge, MFunc, MInst, labels, relabel};
use gpucc_vivante_machine::Op;

use crate::inst::{VOp, Vivante};

/// Returns how many jumps became branches, at most `fuel`.
pub fn run(mf: &mut MFunc<Vivante>, fuel: u64) -> u64 {
    let jump = |b: usize| mf.code[b].last().filter(|i| i.target_op() == Some(VOp::M(Op::Branch)));
    let mut rotated = Vec::new();
    for b in 0..mf.code.len() {
        let next = BlockId(b as u32 + 1);
        let Some(to) = jump(b).and_then(|i| i.labels().next()).filter(|&to| to != next) else { continue };
        if (rotated.len() as u64) < fuel
            && let Some(test) = test_here(&mf.code[to.0 as usize], next)
        {
            rotated.push((b, test, mf.blocks[to.0 as usize].succs.clone()));
        }
    }
    let count = rotated.len() as u64;
    for (b, test, mut succs) in rotated {
        // The other targets of the block.
        let code = &mf.code[b];
        let named = labels(&code[..code.len() - 1]);
        for to in named.collect::<Vec<_>>() {
            if succs.iter().all(|s| s.to != to) {
                succs.push(MEdge::to(to));
            }
        }
        mf.blocks[b].succs = succs;
        if let Some(last) = mf.code[b].last_mut() {
            *last = test;
        }
    }
    count
}

/// The branch of a block's code for a place where `next` comes next.
fn test_here(code: &[MInst<Vivante>], next: BlockId) -> Option<MInst<Vivante>> {
    let [test, jump] = code else { return None };
    let Some(VOp::M(op @ (Op::BranchUnary | Op::BranchBinary))) = test.target_op() else { return None };
    if jump.target_op() != Some(VOp::M(Op::Branch)) {
        return None;
    }
    let (taken, other) = (test.labels().next()?, jump.labels().next()?);
    let mut test = test.clone();
    if other == next {
        return Some(test);
    }
    // The opposite of a float condition is none for what is no number.
    let exact = op == Op::BranchUnary || test.mods.cond.has_opposite(test.mods.ty);
    if taken != next || !exact {
        return None;
    }
    test.mods.cond = test.mods.cond.opposite();
    relabel(&mut test, other);
    Some(test)
}
