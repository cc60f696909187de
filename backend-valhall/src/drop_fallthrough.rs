//! Drops jumps to the block that comes next: control goes there by itself. What reconverged with the jump does so with a `NOP`, but
//! for control that only falls through behind a conditional branch: lanes have reconverged there.
//!
//! Needs: flows of branches. Keeps: where control goes, and where lanes come together.

use gpucc_ir::Loc;
use gpucc_mir::BlockId;
use gpucc_valhall_machine::build::flow;

use crate::encoded::{BranchKind, Code, flow_of, nop};

/// Drops at most `fuel` jumps, and returns how many.
pub fn run(code: &mut Code, fuel: u64) -> u64 {
    let mut dropped = 0;
    for (b, block) in code.blocks.iter_mut().enumerate() {
        if dropped == fuel {
            break;
        }
        let next = BlockId(b as u32 + 1);
        let goes_on = |t: Option<BranchKind>| matches!(t, Some(BranchKind::Always { .. }));
        if let Some(jump) = block.insts.pop_if(|i| i.label == Some(next) && goes_on(i.facts.branch_kind)) {
            let last = block.insts.last();
            if flow_of(&jump.inst) == flow::RECONVERGE && last.is_none_or(|i| !i.facts.is_conditional()) {
                block.insts.push(nop(flow::RECONVERGE, last.map_or(Loc::UNKNOWN, |i| i.loc)));
            }
            dropped += 1;
        }
    }
    dropped
}
