//! Moves waits in front of loops: a loop whose first instruction needs a message from before the loop would wait in each round, by an
//! instruction of its own.
//!
//! Needs: the final order of instructions, and slots. Keeps: all instructions; a `NOP` that waits is put in where a loop is entered, and
//! `waits` makes the instruction before it carry that. Only where the rounds themselves leave nothing outstanding.

use gpucc_mir::BlockInStates;
use smallvec::SmallVec;

use crate::encoded::{Code, EncodedInst, closes, nop};
use crate::waits::{State, solve};

/// Moves waits in front of at most `fuel` loops, and returns of how many.
pub fn run(code: &mut Code, fuel: u64) -> u64 {
    if !(0..code.blocks.len()).any(|b| code.succs(b).any(|s| s <= b)) {
        return 0;
    }
    let (entry, busy) = solve(code);
    let (waits, loops) = find(code, &entry, &busy, fuel);
    for (b, wait) in waits {
        let insts = &mut code.blocks[b].insts;
        let at = insts.iter().position(|i| i.label.is_some() || closes(i).is_some()).unwrap_or(insts.len());
        insts.insert(at, wait);
    }
    loops
}

/// Waits, each with the block at whose end it belongs, and for how many loops they are.
fn find(code: &Code, entry: &BlockInStates<State>, busy: &[u32], fuel: u64) -> (Vec<(usize, EncodedInst)>, u64) {
    let n = code.blocks.len();
    let mut preds: Vec<SmallVec<[u32; 2]>> = vec![SmallVec::new(); n];
    for b in (0..n).filter(|&b| entry.is_reached(b)) {
        code.succs(b).for_each(|s| preds[s].push(b as u32));
    }
    let (mut waits, mut loops) = (Vec::new(), 0);
    for (b, block) in code.blocks.iter().enumerate() {
        if loops == fuel {
            break;
        }
        let (Some(state), Some(first)) = (entry.get(b), block.insts.first()) else { continue };
        let needs = state.needs(first);
        let mut back = preds[b].iter().filter(|&&p| p as usize >= b).peekable();
        if needs == 0 || back.peek().is_none() || back.any(|&p| busy[p as usize] & needs != 0) {
            continue;
        }
        let before = waits.len();
        for p in preds[b].iter().map(|&p| p as usize).filter(|&p| p < b && busy[p] & needs != 0) {
            waits.push((p, nop(busy[p] & needs, first.loc)));
        }
        loops += u64::from(waits.len() > before);
    }
    (waits, loops)
}
