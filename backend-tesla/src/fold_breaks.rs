//! Branches to a `break` become predicated breaks, and jumps to the end become the end. Blocks that nothing reaches then are gone.
//!
//! Needs: physical registers. Keeps: the order of blocks.

use gpucc_mir::{BlockId, MFunc, MInst, Src, Target as _, relabel};
use gpucc_tesla_machine as machine;
use machine::{Op, Pred};

use crate::inst::{C, R, TOp, Tesla};

/// How many moves all lanes pass by for some that break, where their branch would need a join in each turn of a loop.
const MOVES: usize = 4;

/// The same where no join waits for the branch.
const LOOSE_MOVES: usize = 1;

fn is(m: &MInst<Tesla>, op: Op) -> bool {
    m.target_op() == Some(TOp::M(op))
}

fn label(m: &MInst<Tesla>) -> Option<BlockId> {
    m.labels().next()
}

/// The terminators of a block as (conditional branch, jump), where it has both.
fn two_way(insts: &[MInst<Tesla>]) -> Option<(usize, BlockId, BlockId)> {
    let n = insts.len();
    if n < 2 || !is(&insts[n - 1], Op::Bra) || insts[n - 1].mods.pred != Pred::Always {
        return None;
    }
    if !is(&insts[n - 2], Op::Bra) || insts[n - 2].mods.pred == Pred::Always {
        return None;
    }
    Some((n - 2, label(&insts[n - 2])?, label(&insts[n - 1])?))
}

/// Block `b` goes to where `gone` goes instead of to it.
fn skip(mf: &mut MFunc<Tesla>, b: usize, gone: BlockId) {
    let next = mf.blocks[gone.0 as usize].succs.clone();
    let succs = &mut mf.blocks[b].succs;
    succs.retain(|e| e.to != gone);
    succs.extend(next);
}

/// The facts about the blocks and those that they go to, looked up once: the ends of blocks lie far from each other.
struct End {
    /// Conditional branch and jump.
    two_way: Option<(usize, BlockId, BlockId)>,
    /// The moves before a `break`, where there is nothing else.
    moves: Option<Vec<MInst<Tesla>>>,
    /// Whether the program ends here and nothing else happens.
    only_exit: bool,
    /// The target of the last instruction: where the lanes of such a break continue, where a jump goes.
    to: Option<BlockId>,
}

impl End {
    fn of(insts: &[MInst<Tesla>]) -> End {
        End {
            two_way: two_way(insts),
            moves: moves_and_break(insts),
            only_exit: matches!(insts, [i] if i.target_op() == Some(TOp::Exit)),
            to: insts.last().and_then(label),
        }
    }
}

/// The moves before a `break`, if a block does nothing else and the moves can have a predicate.
fn moves_and_break(insts: &[MInst<Tesla>]) -> Option<Vec<MInst<Tesla>>> {
    let (last, moves) = insts.split_last()?;
    let plain = |m: &MInst<Tesla>| {
        let op = matches!(m.target_op(), Some(TOp::M(Op::Mov | Op::LdC)));
        let general = |p: Option<gpucc_mir::PReg>| p.is_some_and(|p| p.file == R);
        op && m.mods.pred == Pred::Always
            && m.defs.iter().all(|d| general(d.phys()))
            && m.uses.iter().all(|u| general(u.phys()) || matches!(u.src, Src::Uniform(_)))
    };
    let fits = is(last, Op::Brk) && last.mods.pred == Pred::Always && moves.len() <= MOVES && moves.iter().all(plain);
    fits.then(|| moves.to_vec())
}

/// Returns how many blocks changed.
pub fn run(mf: &mut MFunc<Tesla>, t: &Tesla) -> u64 {
    let changed = fold(mf, t);
    gpucc_mir::remove_unreachable(mf);
    changed
}

fn fold(mf: &mut MFunc<Tesla>, t: &Tesla) -> u64 {
    let mut changed = 0;
    let ends: Vec<End> = mf.code.iter().map(|insts| End::of(insts)).collect();
    let breaks = |b: BlockId| ends[b.0 as usize].moves.is_some();
    let only_break = |b: BlockId| ends[b.0 as usize].moves.as_ref().is_some_and(Vec::is_empty);
    for b in 0..mf.blocks.len() {
        let leaves = |to: BlockId| ends[to.0 as usize].only_exit || breaks(to);
        let passes = |(_, then, other)| then == other || leaves(then) || leaves(other);
        if !ends[b].two_way.map_or(ends[b].to.is_some_and(leaves), passes) {
            continue;
        }
        if let Some((at, then, other)) = ends[b].two_way {
            let insts = &mut mf.code[b];
            if then == other {
                insts.remove(at);
                changed += 1;
            } else if breaks(then) || breaks(other) {
                // Lanes that break need no branch of their own.
                let flip = !breaks(then) || only_break(other);
                let many = |b: BlockId| ends[b.0 as usize].moves.as_ref().is_some_and(|m| m.len() > LOOSE_MOVES);
                if insts[at].mods.divergent && insts[at].mods.id == 0 && many(if flip { other } else { then }) {
                    continue;
                }
                let (gone, stay) = if flip { (other, then) } else { (then, other) };
                let End { moves, to, .. } = &ends[gone.0 as usize];
                let (mut moves, to) = (moves.clone().unwrap_or_default(), *to);
                let uniform = !insts[at].mods.divergent;
                if uniform && stay.0 as usize <= b {
                    // Back to the start of the loop by one instruction; all lanes go there or all break.
                    if !flip {
                        t.invert(&mut insts[at]);
                        relabel(&mut insts[at], stay);
                    }
                    insts[at + 1].op = gpucc_mir::Opcode::Op(TOp::M(Op::Brk));
                    relabel(&mut insts[at + 1], to.unwrap_or(gone));
                    insts.splice(at + 1..at + 1, moves);
                } else {
                    if flip {
                        t.invert(&mut insts[at]);
                    }
                    let m = &mut insts[at];
                    m.op = gpucc_mir::Opcode::Op(TOp::M(Op::Brk));
                    m.mods.id = 0;
                    m.mods.divergent = false;
                    if flip {
                        relabel(&mut insts[at + 1], then);
                    }
                    // The block that only broke must not stay alive for its label.
                    if let Some(to) = to {
                        relabel(&mut insts[at], to);
                    }
                    // Lanes that stay pass the moves by.
                    let flags: Vec<_> =
                        insts[at].uses.iter().filter(|u| u.phys().is_some_and(|p| p.file == C)).copied().collect();
                    for m in &mut moves {
                        m.mods.pred = insts[at].mods.pred;
                        m.uses.extend(flags.iter().copied());
                    }
                    insts.splice(at..at, moves);
                }
                skip(mf, b, gone);
                changed += 1;
            }
        }
        let insts = &mut mf.code[b];
        if let Some(last) = insts.last()
            && is(last, Op::Bra)
            && last.mods.pred == Pred::Always
            && let Some(to) = label(last)
            && (ends[to.0 as usize].only_exit || only_break(to))
        {
            let copy = if ends[to.0 as usize].only_exit {
                MInst::new(TOp::Exit)
            } else {
                // With what it names, so that whoever takes its place has it, too.
                let copy = MInst::new(TOp::M(Op::Brk));
                ends[to.0 as usize].to.into_iter().fold(copy, MInst::arg)
            };
            let conditional = |i: &MInst<Tesla>| i.mods.pred != Pred::Always && (is(i, Op::Bra) || is(i, Op::Brk));
            if !insts.iter().any(conditional) {
                let loc = last.loc;
                insts.pop();
                insts.push(copy.at(loc));
                skip(mf, b, to);
                changed += 1;
            }
        }
    }
    changed
}
