//! Masks that EXEC alone takes are made in EXEC.
//!
//! Needs: encoded code, changes of EXEC that nobody asks for gone. Keeps: EXEC wherever something reads it, and every register and SCC that
//! somebody asks for. An operation whose result is only moved to EXEC stands in the place of the move. Looks a bounded number of instructions back.

use gpucc_gcn_machine::{Op, operand};
use gpucc_mir::overlap;
use smallvec::smallvec;

use crate::tail::dead_exec_writes::{EXEC, moved_to_exec};
use crate::tail::dead_scalars::{Effect, SCC, drop_at, pair, wanted, wanted_after};
use crate::tail::encoded::{Block, Code, EncodedInst};

/// Instructions between an operation and the move of its result.
const REACH: usize = 16;

/// The pair of scalar registers that an operation on masks leaves its result in, if it does nothing else but set SCC.
fn made(i: &EncodedInst) -> Option<(u32, u32)> {
    let known = matches!(i.inst.op(), Op::SAndB64 | Op::SAndn2B64 | Op::SOrB64 | Op::SXorB64 | Op::SOrn2B64);
    let plain = !i.facts.ends_dead_wave && i.inst.row().bytes == 4;
    match i.writes[..] {
        [(p, 2)] if known && plain && p < 126 => Some((p, 2)),
        _ => None,
    }
}

/// Where the operation is whose result the instruction at `j` moves to EXEC, if nothing else asks for it.
fn source(block: &[EncodedInst], j: usize, after: u128) -> Option<usize> {
    let mask = moved_to_exec(&block[j])?;
    if after & (pair(mask) | SCC) != 0 {
        return None;
    }
    // Registers that what lies in between writes.
    let mut written = 0;
    for k in (j.saturating_sub(REACH)..j).rev() {
        let i = &block[k];
        let e = Effect::of(i);
        if made(i) == Some(mask) {
            return (e.reads & written == 0).then_some(k);
        }
        if overlap(&i.writes, &[mask]) || e.reads & (pair(mask) | SCC) != 0 {
            return None;
        }
        written |= e.writes & !SCC;
    }
    None
}

/// Runs over the code. Changes at most `fuel` instructions, and returns how many.
pub fn run(code: &mut Code, fuel: u64) -> u64 {
    // What is asked for is found only where it matters.
    let any = |b: &Block| (0..b.insts.len()).any(|j| source(&b.insts, j, 0).is_some());
    if !code.blocks.iter().any(any) {
        return 0;
    }
    let live_in = wanted(code);
    let mut changed = 0;
    let mut after: Vec<u128> = Vec::new();
    for b in 0..code.blocks.len() {
        if !code.blocks[b].insts.iter().any(|i| i.writes.contains(&EXEC)) {
            continue;
        }
        wanted_after(code, b, &live_in, &mut after);
        let block = &mut code.blocks[b].insts;
        let mut gone: Vec<usize> = Vec::new();
        for j in 0..block.len() {
            if changed < fuel
                && let Some(k) = source(block, j, after[j]).filter(|k| !gone.contains(k))
            {
                let mut i = block[k].clone();
                i.inst = i.inst.unpack().with("sdst", operand::EXEC).into();
                i.writes = smallvec![EXEC];
                block[j] = i;
                gone.push(k);
                changed += 1;
            }
        }
        gone.sort_unstable();
        drop_at(block, &gone);
    }
    changed
}
