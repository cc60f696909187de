//! Marks sources that are read for the last time (reference, section 9.3).
//!
//! Needs: what `waits` noted about messages. Keeps: everything but the marks, and makes none where a message may still have to read the
//! register.

use gpucc_mir::backward;

use crate::encoded::{Code, EncodedInst, mask};
use crate::forms;

/// Registers that are live before an instruction, of those behind it.
fn before(live: u64, i: &EncodedInst) -> u64 {
    live & !mask(&i.writes) | mask(&i.reads)
}

/// The registers that are live where each block begins.
fn live_in(code: &Code) -> Vec<u64> {
    // Registers that a block reads before it writes them, and those it leaves alone: of those that come behind another.
    let mut effects = vec![(0, u64::MAX); code.blocks.len()];
    let mut asked: Vec<usize> = (0..code.blocks.len()).flat_map(|b| code.succs(b)).collect();
    asked.sort_unstable();
    asked.dedup();
    for b in asked {
        let insts = code.blocks[b].insts.iter().rev();
        effects[b] = insts.fold((0, u64::MAX), |(r, keeps), i| (before(r, i), keeps & !mask(&i.writes)));
    }
    backward(
        effects.len(),
        |b| code.succs(b),
        |live: &mut u64, next| *live |= next,
        |b, live| *live = *live & effects[b].1 | effects[b].0,
    )
}

/// Marks at most `fuel` sources, and returns how many.
pub fn run(code: &mut Code, fuel: u64) -> u64 {
    let live_in = live_in(code);
    let mut marked = 0;
    for b in (0..code.blocks.len()).rev() {
        let mut live = code.succs(b).fold(0, |m, s| m | live_in[s]);
        for i in code.blocks[b].insts.iter_mut().rev() {
            let (reads, kept) = (mask(&i.reads), live & !mask(&i.writes));
            let after = kept | i.facts.staged;
            // Most read nothing for the last time.
            if reads & !after != 0 {
                marked += mark(i, after, fuel - marked);
            }
            live = kept | reads;
        }
    }
    marked
}

/// Marks the sources of an instruction that nobody needs `after` it.
fn mark(i: &mut EncodedInst, after: u64, fuel: u64) -> u64 {
    let mut marked = 0;
    for s in &forms::of(i.inst.op()).sources {
        let k = usize::from(s.slot);
        let raw = i.inst.at(k);
        if raw & 0xc0 != 0 || marked == fuel {
            continue;
        }
        let register = if s.kind.wide { 3u64 << (raw & 0x3e) } else { 1 << (raw & 0x3f) };
        if register & after == 0 {
            i.inst.set_at(k, raw | 0x40);
            marked += 1;
        }
    }
    marked
}
