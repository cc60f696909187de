//! Two short instructions that stand next to each other take as much room as a long one.
//!
//! A short one that stands alone gets a partner from what follows, if nothing in between minds.
//! Needs: joins on their instructions, since what carries something is a long one. The last instruction stays long: the end of the
//! program will ride on it.

use gpucc_mir::{MFunc, MInst, PReg, Reg, Src, Use};
use gpucc_tesla_machine::{Pred, SharedTy};

use crate::encode::Encoder;
use crate::forms;
use crate::inst::{PARAMETERS, R, TOp, Tesla};
use crate::slots::Slot;

/// How far a short instruction is pulled up to be the partner of another.
const WINDOW: usize = 8;

/// Returns the number of pairs.
pub fn run(mf: &mut MFunc<Tesla>, e: &Encoder) -> u64 {
    let mut short = Vec::new();
    mf.code.iter_mut().map(|insts| block(insts, e, &mut short)).sum()
}

/// Pairs in one block; `short` is room for whether each instruction has a short form.
fn block(insts: &mut [MInst<Tesla>], e: &Encoder, short: &mut Vec<bool>) -> u64 {
    short.clear();
    short.extend(insts.iter().map(|m| e.is_short(m)));
    // An instruction that the end will ride on stays long.
    let carries = |m: &MInst<Tesla>| matches!(m.target_op(), Some(TOp::M(op)) if forms::carries(op));
    let is_last = |insts: &[MInst<Tesla>], k: usize| {
        insts.get(k + 1).is_some_and(|m| m.target_op() == Some(TOp::Exit)) && carries(&insts[k])
    };
    let (mut pairs, mut k) = (0, 0);
    while k + 1 < insts.len() {
        if !short[k] {
            k += 1;
            continue;
        }
        if !short[k + 1] {
            pull_partner(insts, short, k + 1);
        }
        if short[k + 1] && !is_last(insts, k + 1) {
            insts[k].mods.short = true;
            insts[k + 1].mods.short = true;
            pairs += 1;
            k += 1;
        }
        k += 1;
    }
    pairs
}

/// Moves a later short instruction to place `k`, where a long one stands, if nothing in between minds.
fn pull_partner(insts: &mut [MInst<Tesla>], short: &mut [bool], k: usize) {
    for j in k + 1..insts.len().min(k + 1 + WINDOW) {
        if !lets_pass(&insts[j - 1]) {
            return;
        }
        let x = &insts[j];
        if short[j] && is_movable(x) && insts[k..j].iter().all(|y| independent(x, y)) {
            insts[k..=j].rotate_right(1);
            short[k..=j].rotate_right(1);
            return;
        }
    }
}

/// Whether lanes and blocks are the same before and behind an instruction.
fn lets_pass(m: &MInst<Tesla>) -> bool {
    let passes = |op| {
        let e = forms::effects(op);
        !(e.convergent || e.terminator)
    };
    matches!(m.target_op(), Some(TOp::M(op)) if passes(op))
}

/// Whether an instruction depends on general registers and constants alone, and does nothing else.
fn is_movable(m: &MInst<Tesla>) -> bool {
    let constant = |u: &Use<Tesla>| match u.src {
        Src::Reg(Reg::P(p)) => p.file == R,
        Src::Uniform(n) => match Slot::unpack(n) {
            Slot::Pool(_) | Slot::Table(_) | Slot::Const(..) | Slot::Attr(_) => true,
            Slot::Shared(SharedTy::U16, off) => u32::from(off) < PARAMETERS,
            _ => false,
        },
        Src::Imm(_) => true,
        _ => false,
    };
    let pure = |op: TOp| {
        let e = forms::effects_of(op);
        !(e.reads || e.writes || e.side_effect || e.convergent)
    };
    m.mods.pred == Pred::Always
        && m.uses.iter().all(constant)
        && m.defs.iter().all(|d| d.phys().is_some_and(|p| p.file == R))
        && m.target_op().is_some_and(pure)
}

/// Whether two instructions may change places as far as registers go.
fn independent(a: &MInst<Tesla>, b: &MInst<Tesla>) -> bool {
    let clash = |p: PReg, q: PReg| p.file == q.file && p.place.overlaps(q.place);
    let meets = |x: &MInst<Tesla>, y: &MInst<Tesla>| {
        x.defs.iter().filter_map(|d| d.phys()).any(|p| {
            y.defs.iter().filter_map(|d| d.phys()).any(|q| clash(p, q))
                || y.uses.iter().filter_map(|u| u.phys()).any(|q| clash(p, q))
        })
    };
    !meets(a, b) && !meets(b, a)
}
