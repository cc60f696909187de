//! An arm that does nothing but move values into registers is done in front of the branch.
//!
//! ```text
//! s_andn2_b64 A, exec, M                        v_mov_b32 d, x
//! s_and_saveexec_b64 S, M                       s_and_saveexec_b64 S, M
//! s_cbranch_execz else                          s_cbranch_execz end
//!   ... that writes d                   =>        ... that writes d
//! else: s_mov_b64 exec, A                       end: s_mov_b64 exec, S
//! s_cbranch_execz end
//!   v_mov_b32 d, x
//! end: s_mov_b64 exec, S
//! ```
//!
//! Needs: encoded code without waits. Keeps: what each lane computes. Lanes of the other arm get the values as well, so that arm is one block which writes
//! each of the registers before it reads it; lanes that are not here keep theirs.

use gpucc_gcn_machine::Op;
use gpucc_mir::{BlockId, overlap};

use crate::tail::dead_exec_writes::{EXEC, moved_to_exec};
use crate::tail::encoded::{Code, EncodedInst};

/// First number of a vector register.
const VECTOR: u32 = 256;

/// The parts of a construct by their blocks.
struct Parts {
    head: usize,
    /// Where the lanes of the second arm begin, and the block of its moves.
    other: usize,
    moves: usize,
    /// The instruction of the head in front of which the moves go.
    save: usize,
}

/// The block that a block leads to, empty ones skipped.
fn resolved(code: &Code, mut b: usize) -> usize {
    for _ in 0..code.blocks.len() {
        let block = &code.blocks[b];
        match block.succs[..] {
            [next] if block.insts.is_empty() => b = next.0 as usize,
            _ => break,
        }
    }
    b
}

/// Where a block leads if its first lanes fall through, and where its branch without lanes goes.
fn skips(code: &Code, b: usize) -> Option<(usize, usize)> {
    let block = &code.blocks[b];
    let last = block.insts.last().filter(|i| i.inst.op() == Op::SCbranchExecz)?;
    let to = last.label?;
    let through = block.succs.iter().find(|s| **s != to)?;
    Some((resolved(code, through.0 as usize), resolved(code, to.0 as usize)))
}

/// Whether the instructions only move values into vector registers.
fn only_moves(insts: &[EncodedInst]) -> bool {
    let moves = |i: &EncodedInst| {
        i.inst.op() == Op::VMovB32 && i.inst.row().bytes <= 8 && i.inst.unpack().row().operand("dpp_ctrl").is_none()
    };
    !insts.is_empty() && insts.iter().all(moves)
}

/// Whether a block writes all of a register before it reads any of it.
fn writes_first(insts: &[EncodedInst], r: (u32, u32)) -> bool {
    for i in insts {
        // A lane that is written leaves the others.
        if overlap(&i.reads, &[r]) || i.inst.op() == Op::VWritelaneB32 && overlap(&i.writes, &[r]) {
            return false;
        }
        if i.writes.iter().any(|w| w.0 <= r.0 && r.0 + r.1 <= w.0 + w.1) {
            return true;
        }
    }
    false
}

/// Whether the mask is what EXEC has without the lanes that the instruction at `save` keeps.
fn complement(insts: &[EncodedInst], save: usize, mask: (u32, u32)) -> bool {
    let [kept, ..] = insts[save].reads[..] else { return false };
    let kept = if kept == EXEC { insts[save].reads.get(1).copied().unwrap_or(kept) } else { kept };
    for i in insts[..save].iter().rev() {
        if i.writes[..] == [mask] {
            return i.inst.op() == Op::SAndn2B64 && i.reads[..] == [EXEC, kept];
        }
        if overlap(&i.writes, &[mask, kept, EXEC]) {
            return false;
        }
    }
    false
}

/// The construct whose branch ends `head`.
fn parts(code: &Code, head: usize, reached: &[u32]) -> Option<Parts> {
    let insts = &code.blocks[head].insts;
    let (arm, other) = skips(code, head)?;
    let save = insts.len().checked_sub(2)?;
    if insts[save].inst.op() != Op::SAndSaveexecB64 || arm == other {
        return None;
    }
    let body = &code.blocks[arm];
    let falls = body.succs.len() == 1 && resolved(code, body.succs[0].0 as usize) == other;
    let plain = body.insts.iter().all(|i| i.label.is_none() && !i.writes.contains(&EXEC) && !i.facts.barrier);
    let [restore, _] = &code.blocks[other].insts[..] else { return None };
    let mask = moved_to_exec(restore)?;
    let (moves, end) = skips(code, other)?;
    let list = &code.blocks[moves];
    let closes = list.succs.len() == 1 && resolved(code, list.succs[0].0 as usize) == end;
    let sets = code.blocks[end].insts.first().is_some_and(|i| moved_to_exec(i).is_some());
    let alone = reached[arm] == 1 && reached[other] == 2 && reached[moves] == 1;
    let fits = falls && plain && closes && sets && alone && only_moves(&list.insts) && complement(insts, save, mask);
    let into = |i: &EncodedInst| i.writes.iter().all(|w| w.0 >= VECTOR && writes_first(&body.insts, *w));
    (fits && list.insts.iter().all(into)).then_some(Parts { head, other, moves, save })
}

/// Runs over the code. Moves the moves of at most `fuel` arms, and returns of how many.
pub fn run(code: &mut Code, fuel: u64) -> u64 {
    let n = code.blocks.len();
    // How often each block is reached, empty ones skipped.
    let mut reached = vec![0u32; n];
    for b in (0..n).filter(|&b| !code.blocks[b].insts.is_empty()) {
        for s in &code.blocks[b].succs {
            reached[resolved(code, s.0 as usize)] += 1;
        }
    }
    let mut moved = 0;
    for b in 0..n {
        if moved == fuel {
            break;
        }
        let Some(p) = parts(code, b, &reached) else { continue };
        let list = std::mem::take(&mut code.blocks[p.moves].insts);
        code.blocks[p.head].insts.splice(p.save..p.save, list);
        // Nothing is left of the second arm: its lanes go on with all others.
        code.blocks[p.other].insts.clear();
        code.blocks[p.other].succs = [BlockId(p.other as u32 + 1)].into_iter().collect();
        moved += 1;
    }
    moved
}
