//! Drops changes of EXEC that nothing asks for before the next one: at the end of the program, and where two constructs end
//! together.
//!
//! Needs: encoded code. Keeps: EXEC wherever a vector instruction, a memory instruction, a branch or another change reads it. A
//! change goes only if it does nothing else: scalar flags that an instruction sets in passing are read by none of these. An
//! `s_and_saveexec_b64` whose new EXEC nothing asks for saves the old one alone.

use gpucc_gcn_machine::{Counter, Op, operand, rows};
use gpucc_mir::backward;

use crate::tail::encoded::{Code, EncodedInst, mask_op};

/// The registers of EXEC.
pub const EXEC: (u32, u32) = (operand::EXEC, 2);

fn reads_exec(i: &EncodedInst) -> bool {
    let branch = matches!(i.inst.op(), Op::SCbranchExecz | Op::SCbranchExecnz);
    let vector = i.facts.is_valu || matches!(i.facts.counter, Counter::Vm | Counter::Lds | Counter::Export);
    branch || vector || i.reads.contains(&EXEC) || rows::writes_exec(i.inst.row())
}

/// Whether an item does nothing but set EXEC.
fn only_sets(i: &EncodedInst) -> bool {
    i.writes[..] == [EXEC] && matches!(i.inst.op(), Op::SMovB64 | Op::SOrB64 | Op::SAndB64 | Op::SAndn2B64)
}

/// Whether an item saves EXEC besides.
fn saves(i: &EncodedInst) -> bool {
    i.inst.op() == Op::SAndSaveexecB64 && i.writes.first().is_some_and(|w| *w != EXEC)
}

/// The use of EXEC in a block: whether it asks for it before it sets it, and whether it sets it.
fn effect(block: &[EncodedInst]) -> (bool, bool) {
    block.iter().rev().fold((false, false), |(live, set), i| {
        let sets = i.writes.contains(&EXEC);
        (live && !sets || reads_exec(i), set || sets)
    })
}

/// The mask that an instruction moves to EXEC.
pub(crate) fn moved_to_exec(i: &EncodedInst) -> Option<(u32, u32)> {
    match (i.inst.op(), &i.writes[..], &i.reads[..]) {
        (Op::SMovB64, [w], [r]) if *w == EXEC && *r != EXEC => Some(*r),
        _ => None,
    }
}

/// Runs over the code. Drops at most `fuel` changes, and returns how many.
pub fn run(code: &mut Code, generation: u8, fuel: u64) -> u64 {
    let effects: Vec<_> = code.blocks.iter().map(|b| effect(&b.insts)).collect();
    // Whether EXEC is asked for at the start of each block.
    let live = backward(
        effects.len(),
        |b| code.succs(b),
        |live: &mut bool, next| *live |= next,
        |b, live| *live = effects[b].0 || !effects[b].1 && *live,
    );
    let mut dropped = 0;
    for b in 0..code.blocks.len() {
        let live_out = code.succs(b).any(|s| live[s]);
        dropped += run_block(&mut code.blocks[b].insts, live_out, generation, fuel - dropped);
    }
    dropped
}

/// Runs over a block, behind which EXEC is asked for or not.
fn run_block(block: &mut Vec<EncodedInst>, wanted_behind: bool, generation: u8, fuel: u64) -> u64 {
    let mut now = wanted_behind;
    let mut gone: Vec<usize> = Vec::new();
    let mut saved = 0;
    for (k, i) in block.iter_mut().enumerate().rev() {
        if !now && gone.len() as u64 + saved < fuel {
            if only_sets(i) {
                gone.push(k);
                continue;
            }
            if saves(i) {
                let (loc, to) = (i.loc, i.writes[0].0);
                *i = EncodedInst { loc, ..mask_op(Op::SMovB64, to, operand::EXEC, None, generation) };
                saved += 1;
            }
        }
        now &= !i.writes.contains(&EXEC);
        now |= reads_exec(i);
    }
    let dropped = gone.len() as u64;
    if dropped > 0 {
        let mut k = 0;
        block.retain(|_| {
            k += 1;
            gone.pop_if(|g| *g == k - 1).is_none()
        });
    }
    dropped + saved
}
