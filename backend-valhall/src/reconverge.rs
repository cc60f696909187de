//! Where lanes come together: flows of branches (reference, section 9).
//!
//! Needs: encoded code that no pass has changed, in which each block ends with its branches. Keeps: everything but the flow of branches.
//! Lanes that a branch left behind, and those that come to a block on another way, come along where a branch reconverges.

use gpucc_valhall_machine::build::flow;

use crate::encoded::{Block, BranchKind, Code, flow_of};

/// How many ways lead to each block from where control gets; nothing for blocks where it does not.
fn ways(code: &Code) -> Vec<Option<u32>> {
    let mut ways = vec![None; code.blocks.len()];
    let mut work = vec![0];
    ways.iter_mut().take(1).for_each(|w| *w = Some(0));
    while let Some(b) = work.pop() {
        for s in code.blocks.get(b).into_iter().flat_map(|b: &Block| &b.succs) {
            let s = s.0 as usize;
            if ways[s].is_none() {
                work.push(s);
            }
            ways[s] = Some(ways[s].unwrap_or(0) + 1);
        }
    }
    ways
}

/// Lets branches reconverge. Returns how many do.
pub fn run(code: &mut Code) -> u64 {
    let ways = ways(code);
    let mut found = 0;
    let reached = code.blocks.iter_mut().zip(&ways).filter(|(_, w)| w.is_some());
    for (block, _) in reached {
        let Some(last) = block.insts.last() else { continue };
        let together = last.facts.branch_kind == Some(BranchKind::Always { together: true });
        // Behind a divergent branch, and where some of the lanes go to a block that others may come to.
        let join = !together && block.succs.iter().any(|s| ways[s.0 as usize] > Some(1));
        // Lanes that a branch left behind jump on without the others, which have to come along first.
        let parted = block.insts.iter().any(|i| i.facts.parts());
        for i in &mut block.insts {
            let meets = match i.facts.branch_kind {
                None => false,
                Some(BranchKind::Maybe { uniform }) => join || !uniform,
                Some(BranchKind::Always { .. }) => join || parted,
            };
            if meets && flow_of(&i.inst) != flow::RECONVERGE {
                i.inst.set("flow", flow::RECONVERGE);
                found += 1;
            }
        }
    }
    found
}
