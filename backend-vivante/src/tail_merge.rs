//! Equal ends of blocks that continue to the same place are kept once.
//!
//! ```text
//! b1: a; x; y; jump b9                  b1: a; jump t
//! b2: b; x; y; jump b9        ==>       b2: b
//!                                       t:  x; y; jump b9
//! ```
//!
//! No path gets longer: a jump takes the place of a jump. Needs: physical registers, terminators that name every
//! successor by label. Leaves: edges as the labels say.

use gpucc_mir::{BlockId, MBlock, MEdge, MFunc, MInst, Src, Target, labels};

use crate::inst::Vivante;

/// Blocks with one goal that are compared with each other.
const MOST: usize = 48;

/// Runs the pass; gives the number of instructions that disappeared.
pub fn run(mf: &mut MFunc<Vivante>, t: &Vivante) -> usize {
    let n = mf.blocks.len();
    // Blocks by where they jump; those that fall through would need a jump more.
    let mut groups: Vec<(BlockId, Vec<usize>)> = Vec::new();
    let mut at_goal: Vec<Option<usize>> = vec![None; n];
    for (b, insts) in mf.code.iter().enumerate() {
        let Some(last) = insts.last().filter(|i| t.is_jump(i)) else { continue };
        let Some(to) = last.labels().next() else { continue };
        if to.0 as usize == b + 1 {
            continue;
        }
        let g = *at_goal[to.0 as usize].get_or_insert_with(|| {
            groups.push((to, Vec::new()));
            groups.len() - 1
        });
        groups[g].1.push(b);
    }
    // (block, first instruction of the kept end, label of the end)
    let mut cuts: Vec<Vec<(usize, usize)>> = vec![Vec::new(); n];
    let mut merged: Vec<Option<(usize, usize, usize)>> = vec![None; n];
    let mut removed = 0;
    for (_, list) in &groups {
        for (k, &b) in list.iter().enumerate() {
            let mut best: Option<(usize, usize)> = None;
            for &a in list[..k].iter().rev().take(MOST) {
                if merged[a].is_some() {
                    continue;
                }
                let same = common(&mf.code[a], &mf.code[b]);
                if same > 1 && best.is_none_or(|x| x.1 < same) {
                    best = Some((a, same));
                }
            }
            let Some((a, same)) = best else { continue };
            let from = mf.code[a].len() - same;
            merged[b] = Some((a, from, mf.code[b].len() - same));
            if !cuts[a].iter().any(|c| c.0 == from) {
                cuts[a].push((from, 0));
            }
            removed += same - 1;
        }
    }
    if removed == 0 {
        return 0;
    }
    // New numbers: the pieces of a block follow it.
    let mut new_of = vec![0u32; n];
    let mut next = 0u32;
    for (list, new) in cuts.iter_mut().zip(&mut new_of) {
        *new = next;
        next += 1;
        list.sort_unstable();
        for c in list {
            if c.0 == 0 {
                // The whole block is the end.
                c.1 = *new as usize;
            } else {
                c.1 = next as usize;
                next += 1;
            }
        }
    }
    let (old, code) = (std::mem::take(&mut mf.blocks), std::mem::take(&mut mf.code));
    for (b, (block, mut insts)) in old.into_iter().zip(code).enumerate() {
        let piece = || MBlock { runs: block.runs, ..MBlock::default() };
        let mut tail: Vec<MInst<Vivante>> = Vec::new();
        if let Some((a, from, keep)) = merged[b] {
            insts.truncate(keep);
            let label = cuts[a].iter().find(|c| c.0 == from).map_or(0, |c| c.1);
            tail.push(t.jump(BlockId(label as u32)));
        }
        for u in insts.iter_mut().flat_map(|i| i.uses.iter_mut()) {
            if let Src::Label(l) = &mut u.src {
                *l = BlockId(new_of[l.0 as usize]);
            }
        }
        insts.extend(tail);
        let mut first = 0;
        for c in cuts[b].iter().filter(|c| c.0 > 0) {
            let rest = insts.split_off(c.0 - first);
            let mut list = std::mem::replace(&mut insts, rest);
            list.push(t.jump(BlockId(c.1 as u32)));
            first = c.0;
            mf.blocks.push(piece());
            mf.code.push(list);
        }
        mf.blocks.push(piece());
        mf.code.push(insts);
    }
    for (block, insts) in mf.blocks.iter_mut().zip(&mf.code) {
        block.succs = labels(insts).map(MEdge::to).collect();
    }
    removed
}

/// Length of the common end.
fn common(a: &[MInst<Vivante>], b: &[MInst<Vivante>]) -> usize {
    a.iter().rev().zip(b.iter().rev()).take_while(|(x, y)| x == y).count()
}
