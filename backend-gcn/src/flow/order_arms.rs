//! Small arms of branches stand before large ones: the lanes that take the second arm wait while the others run the first, and each
//! branch inside the first adds a mask of its own to those that are kept. With the small arm first, n branches one inside the other
//! keep log n masks, and a chain of `else if` keeps one.
//!
//! Needs: critical edges split, blocks in an order in which each but a loop header comes behind those that lead to it, loops and what
//! a block dominates in one piece. Keeps: all of that.

use gpucc_ir::analysis::DomTree;
use gpucc_ir::{Block, Function, SecondaryMap};
use gpucc_opt::PassCx;
use smallvec::SmallVec;

use crate::flow::ranges::Loops;

/// Blocks of the first arm below which its order is left as it is.
const LEAST: usize = 4;

/// Runs over a function. A change is an arm that is put elsewhere.
pub fn run(f: &mut Function, cx: &mut PassCx<'_>) {
    let n = f.layout.len();
    let mut pos: SecondaryMap<Block, usize> = SecondaryMap::new();
    for (k, &b) in f.layout.iter().enumerate() {
        pos[b] = k;
    }
    let succs: Vec<Vec<usize>> = f.layout.iter().map(|&b| f.succs(b).iter().map(|&s| pos[s]).collect()).collect();
    let is_far = |p: usize, s: usize| s > p + LEAST;
    let far = |p: usize| succs[p].len() == 2 && succs[p].iter().any(|&s| is_far(p, s));
    if !(0..n).any(far) {
        return;
    }
    let dom = DomTree::new(f);
    let loops = Loops::new(&succs);
    let preds = f.preds();
    // How many blocks each one dominates, and the last of them.
    let mut size = vec![1usize; n];
    let mut last: Vec<usize> = (0..n).collect();
    for p in (1..n).rev() {
        if let Some(d) = dom.idom(f.layout[p]) {
            let d = pos[d];
            size[d] += size[p];
            last[d] = last[d].max(last[p]);
        }
    }
    // The arms that are put behind each block, the first last.
    let mut moved: Vec<SmallVec<[usize; 2]>> = vec![SmallVec::new(); n];
    let mut taken = vec![false; n];
    for p in (0..n).filter(|&p| far(p)) {
        for &arm in succs[p].iter().filter(|&&s| is_far(p, s)) {
            let whole = last[arm] + 1 - arm == size[arm];
            let same_loop = loops.around(p).next() == loops.around(arm).next();
            if whole && same_loop && preds[f.layout[arm]].len() == 1 && 2 * size[arm] < arm - p && cx.change() {
                moved[p].push(arm);
                taken[arm] = true;
            }
        }
        moved[p].sort_unstable_by(|a, b| b.cmp(a));
    }
    let mut order = Vec::with_capacity(n);
    // Nodes still to come, the next last; whether it is an arm that is put here.
    let mut ranges = vec![(0, n, false)];
    while let Some((p, end, put)) = ranges.pop() {
        if p >= end {
            continue;
        }
        if taken[p] && !put {
            ranges.push((p + size[p], end, false));
            continue;
        }
        order.push(f.layout[p]);
        ranges.push((p + 1, end, false));
        ranges.extend(moved[p].iter().map(|&arm| (arm, arm + size[arm], true)));
    }
    debug_assert_eq!(order.len(), n);
    f.layout = order;
}
