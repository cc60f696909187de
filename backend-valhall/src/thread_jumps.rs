//! Sends branches to blocks that hold nothing but a jump on to where those go, and removes blocks that nothing reaches then.
//!
//! Needs: physical registers. Keeps: the order of blocks, and places where lanes meet.

use gpucc_mir::{BlockId, MFunc};
use smallvec::SmallVec;

use crate::inst::{VOp, Valhall};

/// Returns how many blocks are gone.
pub fn run(mf: &mut MFunc<Valhall>) -> u64 {
    let only = only_jump(mf);
    let goals: Vec<BlockId> = (0..only.len()).map(|b| BlockId(goal(&only, b) as u32)).collect();
    gpucc_mir::redirect(mf, &goals) as u64
}

/// Where each block goes that only jumps, if others may go there in its place.
///
/// Not where the jump goes back: lanes that leave an inner loop meet in such a block before they start the outer loop again
/// together. Only when its one predecessor lies in no inner loop, nobody has to meet there.
fn only_jump(mf: &MFunc<Valhall>) -> Vec<Option<usize>> {
    let n = mf.blocks.len();
    let mut preds: Vec<SmallVec<[usize; 2]>> = vec![SmallVec::new(); n];
    // The last block from which each block is jumped back to.
    let mut latch: Vec<Option<usize>> = vec![None; n];
    for (b, block) in mf.blocks.iter().enumerate() {
        for e in &block.succs {
            let to = e.to.0 as usize;
            preds[to].push(b);
            if to <= b {
                latch[to] = Some(b);
            }
        }
    }
    // The header of the innermost loop around each block.
    let mut header: Vec<Option<usize>> = Vec::with_capacity(n);
    let mut open: Vec<(usize, usize)> = Vec::new();
    for (b, &end) in latch.iter().enumerate() {
        open.extend(end.map(|end| (b, end)));
        while open.pop_if(|l| l.1 < b).is_some() {}
        header.push(open.last().map(|l| l.0));
    }
    let target = |b: usize| match mf.code[b].as_slice() {
        [i] if b > 0 && i.target_op() == Some(VOp::Jump) => i.labels().next().map(|l| l.0 as usize),
        _ => None,
    };
    let free = |b: usize, to: usize| {
        to > b
            || matches!(preds[b].as_slice(), [p]
                if *p > to && target(*p).is_none() && header[*p].is_none_or(|h| h <= to))
    };
    (0..n).map(|b| target(b).filter(|&to| free(b, to))).collect()
}

/// Where a chain of blocks that only jump ends.
fn goal(only: &[Option<usize>], mut b: usize) -> usize {
    for _ in 0..only.len() {
        match only[b] {
            Some(to) if b != to => b = to,
            _ => return b,
        }
    }
    b
}
