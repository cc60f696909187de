//! A comparison whose mask does nothing but take lanes out of EXEC writes EXEC itself.
//!
//! Needs: finished order, short forms chosen, no waits. Keeps: EXEC behind the instruction that took the lanes out, and everything
//! that somebody asks for. The comparison moves to where that instruction was. Looks a bounded number of instructions ahead. Code that
//! reads other lanes by DPP is left alone: there EXEC must stand five wait states before.

use gpucc_gcn_machine::build as form;
use gpucc_gcn_machine::{Format, Gcn as Isa, Op, Unit, rows};
use gpucc_isa::Inst;
use gpucc_mir::overlap;
use smallvec::smallvec;

use crate::tail::dead_exec_writes::EXEC;
use crate::tail::dead_scalars::{Effect, SCC, drop_at, pair, wanted, wanted_after};
use crate::tail::encoded::{Code, EncodedInst};

/// Instructions between a comparison and the one that its mask is for.
const REACH: usize = 16;

/// Comparisons, those that write EXEC, and those that write EXEC with the lanes for which they do not hold.
const FORMS: [(Op, Op, Op); 26] = [
    (Op::VCmpLtF32, Op::VCmpxLtF32, Op::VCmpxNltF32),
    (Op::VCmpLeF32, Op::VCmpxLeF32, Op::VCmpxNleF32),
    (Op::VCmpGtF32, Op::VCmpxGtF32, Op::VCmpxNgtF32),
    (Op::VCmpGeF32, Op::VCmpxGeF32, Op::VCmpxNgeF32),
    (Op::VCmpEqF32, Op::VCmpxEqF32, Op::VCmpxNeqF32),
    (Op::VCmpLgF32, Op::VCmpxLgF32, Op::VCmpxNlgF32),
    (Op::VCmpOF32, Op::VCmpxOF32, Op::VCmpxUF32),
    (Op::VCmpNltF32, Op::VCmpxNltF32, Op::VCmpxLtF32),
    (Op::VCmpNleF32, Op::VCmpxNleF32, Op::VCmpxLeF32),
    (Op::VCmpNgtF32, Op::VCmpxNgtF32, Op::VCmpxGtF32),
    (Op::VCmpNgeF32, Op::VCmpxNgeF32, Op::VCmpxGeF32),
    (Op::VCmpNeqF32, Op::VCmpxNeqF32, Op::VCmpxEqF32),
    (Op::VCmpNlgF32, Op::VCmpxNlgF32, Op::VCmpxLgF32),
    (Op::VCmpUF32, Op::VCmpxUF32, Op::VCmpxOF32),
    (Op::VCmpLtI32, Op::VCmpxLtI32, Op::VCmpxGeI32),
    (Op::VCmpLeI32, Op::VCmpxLeI32, Op::VCmpxGtI32),
    (Op::VCmpGtI32, Op::VCmpxGtI32, Op::VCmpxLeI32),
    (Op::VCmpGeI32, Op::VCmpxGeI32, Op::VCmpxLtI32),
    (Op::VCmpEqI32, Op::VCmpxEqI32, Op::VCmpxNeI32),
    (Op::VCmpNeI32, Op::VCmpxNeI32, Op::VCmpxEqI32),
    (Op::VCmpLtU32, Op::VCmpxLtU32, Op::VCmpxGeU32),
    (Op::VCmpLeU32, Op::VCmpxLeU32, Op::VCmpxGtU32),
    (Op::VCmpGtU32, Op::VCmpxGtU32, Op::VCmpxLeU32),
    (Op::VCmpGeU32, Op::VCmpxGeU32, Op::VCmpxLtU32),
    (Op::VCmpEqU32, Op::VCmpxEqU32, Op::VCmpxNeU32),
    (Op::VCmpNeU32, Op::VCmpxNeU32, Op::VCmpxEqU32),
];

/// The pair of scalar registers that a comparison leaves its mask in, if one like it writes EXEC.
fn mask_of(i: &EncodedInst) -> Option<(u32, u32)> {
    let known = FORMS.iter().any(|f| f.0 == i.inst.op());
    match i.writes[..] {
        [(p, 2)] if known && p < 126 => Some((p, 2)),
        _ => None,
    }
}

/// Whether an instruction keeps the lanes of a mask in EXEC (`false`), or takes them out (`true`).
fn narrows(i: &EncodedInst, mask: (u32, u32)) -> Option<bool> {
    let inverse = match i.inst.op() {
        Op::SAndB64 => false,
        Op::SAndn2B64 => true,
        _ => return None,
    };
    let [a, b] = i.reads[..] else { return None };
    let fits = i.writes[..] == [EXEC] && (a == EXEC && b == mask || !inverse && a == mask && b == EXEC);
    fits.then_some(inverse)
}

/// The comparison that writes EXEC.
fn with_exec(old: &EncodedInst, inverse: bool, generation: u8) -> Option<Inst<Isa>> {
    let old = old.inst.unpack();
    let f = FORMS.iter().find(|f| f.0 == old.op())?;
    let op = if inverse { f.2 } else { f.1 };
    let like = old.row();
    let same = |r: &&u16| {
        let new = form::inst(**r);
        let names = |i: &Inst<Isa>| i.row().operands.iter().map(|s| s.name).collect::<Vec<_>>();
        new.row().attrs.format == like.attrs.format && names(&new) == names(&old)
    };
    let mut new = form::inst(*form::rows_of(op, generation).iter().find(same)?);
    new.vals = old.vals;
    form::check(&new, generation).is_ok().then_some(new)
}

/// A comparison that may write EXEC elsewhere.
struct Candidate {
    from: usize,
    to: usize,
    /// What it is there.
    inst: Inst<Isa>,
    mask: (u32, u32),
}

/// Those of a block, as long as nobody asks for their masks.
fn candidates(block: &[EncodedInst], generation: u8) -> Vec<Candidate> {
    let found = |from: usize| {
        let mask = mask_of(&block[from])?;
        let (to, inst) = target(block, from, mask, generation)?;
        Some(Candidate { from, to, inst, mask })
    };
    (0..block.len()).filter_map(found).collect()
}

/// Runs over the code. Changes at most `fuel` comparisons, and returns how many.
pub fn run(code: &mut Code, generation: u8, fuel: u64) -> u64 {
    let all: Vec<_> = code.blocks.iter().map(|b| candidates(&b.insts, generation)).collect();
    // What is asked for is found only where it matters.
    let dpp = |i: &EncodedInst| i.inst.row().attrs.format == Format::Dpp;
    if all.iter().all(Vec::is_empty) || code.blocks.iter().flat_map(|b| &b.insts).any(dpp) {
        return 0;
    }
    let live_in = wanted(code);
    let mut changed = 0;
    let mut after: Vec<u128> = Vec::new();
    for (b, list) in all.into_iter().enumerate().filter(|(_, l)| !l.is_empty()) {
        wanted_after(code, b, &live_in, &mut after);
        let block = &mut code.blocks[b].insts;
        let mut gone: Vec<usize> = Vec::new();
        for c in list {
            if changed < fuel && after[c.to] & (pair(c.mask) | SCC) == 0 {
                let mut i = block[c.from].clone();
                (i.inst, i.writes) = (c.inst.into(), smallvec![c.mask, EXEC]);
                block[c.to] = i;
                gone.push(c.from);
                changed += 1;
            }
        }
        drop_at(block, &gone);
    }
    changed
}

/// Where the comparison at `k` can write EXEC, and what it becomes there, as long as nobody behind asks for its mask.
fn target(block: &[EncodedInst], k: usize, mask: (u32, u32), generation: u8) -> Option<(usize, Inst<Isa>)> {
    for at in k + 1..block.len().min(k + 1 + REACH) {
        let i = &block[at];
        if let Some(inverse) = narrows(i, mask) {
            return with_exec(&block[k], inverse, generation).map(|new| (at, new));
        }
        let row = i.inst.row();
        let touches_exec = i.writes.contains(&EXEC) || rows::writes_exec(row);
        let e = Effect::of(i);
        let on_mask = (e.reads | e.writes) & pair(mask) != 0;
        if touches_exec || on_mask || overlap(&i.writes, &block[k].reads) || row.attrs.unit == Unit::Branch {
            return None;
        }
    }
    None
}
