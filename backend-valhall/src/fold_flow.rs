//! Puts the flow of a `NOP` that reconverges or ends the program on the instruction before it.
//!
//! Needs: waits in place; a wait that is carried leaves no room. Keeps: what happens in which order; the end waits by itself.

use gpucc_valhall_machine::build::flow;

use crate::encoded::{Code, can_wait, closes, flow_of};

/// Drops at most `fuel` instructions, and returns how many.
pub fn run(code: &mut Code, fuel: u64) -> u64 {
    let mut folded = 0;
    for block in &mut code.blocks {
        if folded == fuel {
            break;
        }
        let [.., before, last] = block.insts.as_mut_slice() else { continue };
        let Some(value) = closes(last) else { continue };
        let has = flow_of(&before.inst);
        if has == flow::NONE || value == flow::END && can_wait(has) && before.label.is_none() {
            before.inst.set("flow", value);
            block.insts.pop();
            folded += 1;
        }
    }
    folded
}
