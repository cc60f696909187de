//! Drops changes of EXEC that nothing asks for before the next one: at the end of the program, and where two
//! constructs end together.

use gpucc_gcn_machine::{Op, operand};

use crate::emit::{Counter, Item, Ways};

const EXEC: (u32, u32) = (operand::EXEC, 2);

fn reads_exec(i: &Item) -> bool {
    let branch = matches!(i.inst.op(), Op::SCbranchExecz | Op::SCbranchExecnz);
    let vector = i.is_valu || matches!(i.counter, Counter::Vm | Counter::Lds);
    branch || vector || i.reads.contains(&EXEC) || i.inst.op().name().ends_with("saveexec_b64")
}

/// Whether an item does nothing but set EXEC.
fn only_sets(i: &Item) -> bool {
    i.writes[..] == [EXEC] && matches!(i.inst.op(), Op::SMovB64 | Op::SOrB64 | Op::SAndB64 | Op::SAndn2B64)
}

/// Runs over finished blocks, whose wave goes on as `succs` says.
pub fn run(blocks: &mut [Vec<Item>], succs: &[Ways]) {
    // Whether EXEC at the start of each block is asked for.
    let mut live = vec![false; blocks.len()];
    let wanted_after = |b: usize, live: &[bool]| succs[b].iter().any(|&s| live.get(s).copied().unwrap_or(false));
    // Walking up, only what goes back up has not been seen yet.
    let mut back = vec![false; blocks.len()];
    for (b, succs) in succs.iter().enumerate() {
        succs.iter().filter(|&&s| s <= b).for_each(|&s| back[s] = true);
    }
    loop {
        let mut changed = false;
        for b in (0..blocks.len()).rev() {
            let mut now = wanted_after(b, &live);
            for i in blocks[b].iter().rev() {
                if i.writes.contains(&EXEC) {
                    now = false;
                }
                now |= reads_exec(i);
            }
            changed |= std::mem::replace(&mut live[b], now) != now && back[b];
        }
        if !changed {
            break;
        }
    }
    let mut gone: Vec<usize> = Vec::new();
    for (b, block) in blocks.iter_mut().enumerate() {
        let mut now = wanted_after(b, &live);
        gone.clear();
        for (k, i) in block.iter().enumerate().rev() {
            if only_sets(i) && !now {
                gone.push(k);
                continue;
            }
            if i.writes.contains(&EXEC) {
                now = false;
            }
            now |= reads_exec(i);
        }
        if !gone.is_empty() {
            let mut k = 0;
            block.retain(|_| {
                k += 1;
                gone.pop_if(|g| *g == k - 1).is_none()
            });
        }
    }
}
