//! Two short instructions that stand next to each other take as much room as a long one.
//!
//! A short one that stands alone gets a partner from what follows, if nothing in between minds.
//! Needs: joins on their instructions, since what carries something is a long one. The last instruction stays long: the end of the
//! program will ride on it. Where it has no place for that, as a move of an immediate, one that has comes behind it.

use gpucc_mir::{MFunc, MInst};
use gpucc_tesla_machine::Pred;

use crate::encode::Encoder;
use crate::forms;
use crate::inst::{Carried, TOp, Tesla};
use crate::reorder::{independent, is_movable, lets_pass};

/// How far a short instruction is pulled up to be the partner of another.
const WINDOW: usize = 8;

/// Returns the number of pairs, and of ends that get another instruction before them.
pub fn run(mf: &mut MFunc<Tesla>, e: &Encoder) -> u64 {
    let mut short = Vec::new();
    mf.code.iter_mut().map(|insts| block(insts, e, &mut short)).sum()
}

/// Pairs in one block; `short` is room for whether each instruction has a short form.
fn block(insts: &mut [MInst<Tesla>], e: &Encoder, short: &mut Vec<bool>) -> u64 {
    let moved = last_carries(insts, e);
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
    pairs + u64::from(moved)
}

/// Brings an instruction that the end can ride on to the end. Returns whether others change places with it.
fn last_carries(insts: &mut [MInst<Tesla>], e: &Encoder) -> bool {
    let [before @ .., end] = insts else { return false };
    if end.target_op() != Some(TOp::Exit) {
        return false;
    }
    let fits = |m: &MInst<Tesla>| m.mods.pred == Pred::Always && e.can_carry(m, Carried::Exit);
    let near = before.len().saturating_sub(WINDOW);
    for k in (near..before.len()).rev() {
        let [m, behind @ ..] = &before[k..] else { return false };
        if fits(m) && (behind.is_empty() || lets_pass(m) && behind.iter().all(|x| independent(x, m))) {
            let moved = !behind.is_empty();
            before[k..].rotate_left(1);
            return moved;
        }
        if !is_movable(m) {
            return false;
        }
    }
    false
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
