//! Drops changes of EXEC that nothing asks for before the next one: at the end of the program, and where two
//! constructs end together.

use gpucc_gcn_machine::{Counter, Op, operand, table};

use crate::emit::{Item, Ways};

pub const EXEC: (u32, u32) = (operand::EXEC, 2);

fn reads_exec(i: &Item) -> bool {
    let branch = matches!(i.inst.op(), Op::SCbranchExecz | Op::SCbranchExecnz);
    let vector = i.is_valu || matches!(i.counter, Counter::Vm | Counter::Lds | Counter::Export);
    branch || vector || i.reads.contains(&EXEC) || table::writes_exec(i.inst.row())
}

/// Whether an item does nothing but set EXEC.
fn only_sets(i: &Item) -> bool {
    i.writes[..] == [EXEC] && matches!(i.inst.op(), Op::SMovB64 | Op::SOrB64 | Op::SAndB64 | Op::SAndn2B64)
}

/// What a block does about EXEC: whether it asks for it before it sets it, and whether it sets it.
pub type Effect = (bool, bool);

/// The effect of a block.
pub fn effect(block: &[Item]) -> Effect {
    block.iter().rev().fold((false, false), |(asked, set), i| {
        let sets = i.writes.contains(&EXEC);
        (asked && !sets || reads_exec(i), set || sets)
    })
}

/// Whether EXEC is asked for behind each block, of which the wave goes on as `succs` says.
pub fn wanted(effects: &[Effect], succs: &[Ways]) -> Vec<bool> {
    // At the start of each block.
    let mut live = vec![false; effects.len()];
    let behind = |b: usize, live: &[bool]| succs[b].iter().any(|&s| live.get(s).copied().unwrap_or(false));
    // Walking up, only what goes back up has not been seen yet.
    let mut back = vec![false; effects.len()];
    for (b, succs) in succs.iter().enumerate() {
        succs.iter().filter(|&&s| s <= b).for_each(|&s| back[s] = true);
    }
    let mut changed = true;
    while changed {
        changed = false;
        for (b, &(asked, set)) in effects.iter().enumerate().rev() {
            let now = asked || !set && behind(b, &live);
            changed |= std::mem::replace(&mut live[b], now) != now && back[b];
        }
    }
    (0..effects.len()).map(|b| behind(b, &live)).collect()
}

/// Runs over a finished block.
pub fn run(block: &mut Vec<Item>, wanted_behind: bool) {
    let mut now = wanted_behind;
    let mut gone: Vec<usize> = Vec::new();
    for (k, i) in block.iter().enumerate().rev() {
        if only_sets(i) && !now {
            gone.push(k);
            continue;
        }
        now &= !i.writes.contains(&EXEC);
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
