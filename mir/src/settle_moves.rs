//! A value that is moved to its register at the end of its life is computed there.
//!
//! ```text
//! r0 = ..                              r5 = ..
//! r4 = fma r1, r2                      r0 = fma r1, r2
//! r3 = fma r0, r2          =>          r3 = fma r5, r2
//! r0 = mov r4
//! ```
//!
//! Arguments that must lie in a row (of a blend, a store, a sample) get their places when registers are given out; what is there before
//! lies in the way. Here the value that is moved takes the place, and those that were there while it lived take another register which
//! is free for as long, one that the function uses anyway.
//!
//! Needs: physical registers. Keeps: blocks, edges, registers in use. Within a block, and a bounded number of instructions back. Fires
//! where [`Target::as_move`] knows the move, on values of one unit that are written and read only by instructions of
//! [`Target::renames`], as operands that stand alone and ask for no place.

use gpucc_regalloc::UnitSet;
use smallvec::SmallVec;

use crate::backward::backward;
use crate::func::MFunc;
use crate::inst::{Def, MInst, PReg, Reg, Src, Target, Use};

/// So many instructions back a value is looked for.
const WINDOW: usize = 128;

/// The registers of each file that are live.
type Live = SmallVec<[UnitSet; 4]>;

/// The access of an instruction to one register.
#[derive(Clone, Copy, Default)]
struct Touch {
    reads: bool,
    writes: bool,
    /// Some access could not go to another register.
    bound: bool,
}

/// A value in a register: where it is written, and where it is read last.
struct Web {
    from: usize,
    to: usize,
}

/// A block while moves of it are looked at.
struct Region<'a, T: Target> {
    t: &'a T,
    insts: &'a mut [MInst<T>],
    /// What is live behind each instruction.
    behind: Vec<Live>,
    /// What is live behind the block.
    out: Live,
}

/// Whether it is a move that has nothing to do any more: it goes when all of the block has been looked at.
fn is_settled<T: Target>(t: &T, i: &MInst<T>) -> bool {
    t.as_move(i).is_some_and(|(d, s)| d == s)
}

fn touch<T: Target>(t: &T, i: &MInst<T>, r: PReg) -> Touch {
    let mut out = Touch::default();
    if is_settled(t, i) {
        return out;
    }
    let meets = |p: PReg| p.file == r.file && p.place.overlaps(r.place);
    let free = t.renames(i);
    // Plain arithmetic has all that it touches as operands.
    let named = || i.defs.iter().filter_map(Def::phys).chain(i.uses.iter().filter_map(Use::phys)).any(meets);
    if free && !named() {
        return out;
    }
    for u in i.uses.iter().filter(|u| u.phys().is_some_and(meets)) {
        out.reads = true;
        out.bound |= !free || u.phys() != Some(r) || u.fixed().is_some() || u.part_read().is_some();
    }
    for d in i.defs.iter().filter(|d| d.phys().is_some_and(meets)) {
        out.writes = true;
        out.bound |= !free || d.phys() != Some(r) || d.fixed().is_some() || d.early;
    }
    // An operand that shares its place with a result goes nowhere alone.
    out.bound |= (out.reads || out.writes) && i.defs.iter().any(|d| d.tied_to().is_some());
    let (mut reads, mut writes): (SmallVec<[PReg; 4]>, SmallVec<[PReg; 4]>) = Default::default();
    t.implicit(i, &mut reads, &mut writes);
    t.clobbers(i, &mut writes);
    if reads.into_iter().any(meets) {
        (out.reads, out.bound) = (true, true);
    }
    if writes.into_iter().any(meets) {
        (out.writes, out.bound) = (true, true);
    }
    out
}

/// Where the value is written that `r` holds in front of `end`, if all of it may go elsewhere.
fn begin<T: Target>(t: &T, insts: &[MInst<T>], r: PReg, end: usize) -> Option<usize> {
    for k in (end.saturating_sub(WINDOW)..end).rev() {
        let x = touch(t, &insts[k], r);
        if x.writes {
            return (!x.bound).then_some(k);
        }
        if x.bound {
            return None;
        }
    }
    None
}

/// The values that `r` holds behind `from` and in front of `end`; none where one of them must stay.
fn held<T: Target>(t: &T, insts: &[MInst<T>], r: PReg, from: usize, end: usize) -> Option<SmallVec<[Web; 4]>> {
    let mut out = SmallVec::new();
    let mut last: Option<usize> = None;
    for k in (from + 1..end).rev() {
        let x = touch(t, &insts[k], r);
        if x.bound {
            return None;
        }
        if x.writes {
            out.push(Web { from: k, to: last.take().unwrap_or(k) });
        }
        if x.reads && last.is_none() {
            last = Some(k);
        }
    }
    let at = touch(t, &insts[from], r);
    if at.writes {
        return None;
    }
    if let Some(to) = last {
        if at.bound {
            return None;
        }
        out.push(Web { from: begin(t, insts, r, from)?, to });
    }
    Some(out)
}

/// The move at `j` as far as instructions alone tell that it may go: where to, where from, where that is written, and what lies in the
/// way.
fn moved<T: Target>(t: &T, insts: &[MInst<T>], j: usize) -> Option<(PReg, PReg, usize, SmallVec<[Web; 4]>)> {
    let (d, s) = t.as_move(&insts[j]).filter(|(d, s)| d.file == s.file && d != s)?;
    let any = insts[j].defs.iter().all(|d| d.fixed().is_none() && d.tied_to().is_none());
    let i = begin(t, insts, s, j).filter(|_| any)?;
    let bound = (i + 1..j).any(|k| touch(t, &insts[k], s).bound);
    Some((d, s, i, held(t, insts, d, i, j).filter(|_| !bound)?))
}

impl<T: Target> Region<'_, T> {
    fn live(&self, k: usize, r: PReg) -> bool {
        self.behind[k].get(usize::from(r.file)).is_none_or(|l| l.has_any(r.place))
    }

    fn touch(&self, k: usize, r: PReg) -> Touch {
        touch(self.t, &self.insts[k], r)
    }

    /// Whether `r` is free for a value: also for one that nobody reads, whose write takes what is there.
    fn free(&self, r: PReg, w: &Web) -> bool {
        let end = w.to.max(w.from + 1);
        !(w.from..end).any(|k| self.live(k, r)) && !(w.from..=w.to).any(|k| self.touch(k, r).writes)
    }

    /// Gives a value another register.
    fn rename(&mut self, w: &Web, from: PReg, to: PReg) {
        let reg = Reg::P(from);
        for k in w.from..=w.to {
            let settled = is_settled(self.t, &self.insts[k]);
            let i = &mut self.insts[k];
            if k > w.from && !settled {
                let reads = |u: &&mut Use<T>| matches!(u.src, Src::Reg(r) if r == reg);
                i.uses.iter_mut().filter(reads).for_each(|u| u.src = Src::Reg(Reg::P(to)));
            }
            if k == w.from {
                i.defs.iter_mut().filter(|d| d.reg == reg).for_each(|d| *d = Def::preg(to));
            }
            if k < w.to {
                let live = &mut self.behind[k][usize::from(from.file)];
                live.sub(from.place);
                live.add(to.place);
            }
        }
    }

    /// Settles the move at `j`: true if it has nothing to do any more.
    fn settle(&mut self, j: usize, used: &[UnitSet]) -> bool {
        let Some((d, s, i, webs)) = moved(self.t, self.insts, j).filter(|m| !self.live(j, m.1)) else { return false };
        // Lanes that leave in between find both where they were.
        let first = webs.iter().map(|w| w.from).min().unwrap_or(i).min(i);
        let wanted = |r: PReg| self.out.get(usize::from(r.file)).is_none_or(|l| l.has_any(r.place));
        if (wanted(d) || wanted(s)) && self.insts[first..j].iter().any(leaves) {
            return false;
        }
        // All of them find a place, or none moves.
        let mut places: SmallVec<[PReg; 4]> = SmallVec::new();
        for (n, w) in webs.iter().enumerate() {
            let meets = |q: PReg, (v, p): (&Web, &PReg)| *p == q && v.from <= w.to && w.from <= v.to;
            let apart = |q: PReg| q != d && q != s && !webs[..n].iter().zip(&places).any(|v| meets(q, v));
            let mut units = used[usize::from(d.file)].iter().map(|u| PReg::new(d.file, u, 1));
            let Some(q) = units.find(|&q| apart(q) && self.free(q, w)) else { return false };
            places.push(q);
        }
        for (w, q) in webs.iter().zip(&places) {
            self.rename(w, d, *q);
        }
        self.rename(&Web { from: i, to: j }, s, d);
        true
    }
}

/// Runs over a function. Returns how many moves disappeared.
pub fn settle_moves<T: Target>(mf: &mut MFunc<T>, t: &T) -> usize {
    // What is live is found only where a move asks for it.
    let asks = |insts: &Vec<MInst<T>>| (0..insts.len()).any(|j| moved(t, insts, j).is_some());
    let asked: Vec<bool> = mf.code.iter().map(asks).collect();
    if !asked.contains(&true) {
        return 0;
    }
    let files = t.files().len();
    let mut used: Vec<UnitSet> = vec![UnitSet::EMPTY; files];
    for i in mf.code.iter().flatten() {
        for p in i.defs.iter().filter_map(Def::phys).chain(i.uses.iter().filter_map(Use::phys)) {
            used.get_mut(usize::from(p.file)).into_iter().for_each(|u| u.add(p.place));
        }
    }
    // What is named beside them, as a register that always reads 0, is nobody's to take.
    used.iter_mut().zip(t.files()).for_each(|(u, f)| *u = u.intersect(&f.budget));
    let succs = |b: usize| mf.blocks[b].all_succs().map(|e| e.to.0 as usize);
    let starts = backward(
        mf.blocks.len(),
        succs,
        |now, start| join(now, start, files),
        |b, now: &mut Live| {
            now.resize(files, UnitSet::EMPTY);
            let out = Live::from_slice(now);
            mf.code[b].iter().rev().for_each(|i| step(t, i, now, &out));
        },
    );
    let mut gone = 0;
    for (b, _) in asked.iter().enumerate().filter(|(_, asks)| **asks) {
        let mut live: Live = SmallVec::from_elem(UnitSet::EMPTY, files);
        mf.blocks[b].all_succs().for_each(|e| join(&mut live, &starts[e.to.0 as usize], files));
        let mut behind: Vec<Live> = Vec::with_capacity(mf.code[b].len());
        let out = Live::from_slice(&live);
        for i in mf.code[b].iter().rev() {
            if leaves(i) {
                join(&mut live, &out, files);
            }
            behind.push(Live::from_slice(&live));
            step(t, i, &mut live, &out);
        }
        behind.reverse();
        let mut region = Region { t, insts: &mut mf.code[b], behind, out };
        let mut settled: Vec<bool> = (0..region.insts.len()).map(|j| region.settle(j, &used)).collect();
        gone += settled.iter().filter(|&&s| s).count();
        settled.reverse();
        mf.code[b].retain(|_| !settled.pop().unwrap_or(false));
    }
    gone
}

fn join(now: &mut Live, start: &Live, files: usize) {
    now.resize(files, UnitSet::EMPTY);
    now.iter_mut().zip(start).for_each(|(l, s)| *l = l.union(s));
}

/// Whether lanes may leave the block here: a branch may stand within it.
fn leaves<T: Target>(i: &MInst<T>) -> bool {
    i.uses.iter().any(|u| matches!(u.src, Src::Label(_)))
}

/// What is live in front of an instruction, from what is behind it and behind the block.
fn step<T: Target>(t: &T, i: &MInst<T>, live: &mut Live, out: &Live) {
    if leaves(i) {
        join(live, out, live.len());
    }
    let (mut reads, mut writes): (SmallVec<[PReg; 4]>, SmallVec<[PReg; 4]>) = Default::default();
    t.implicit(i, &mut reads, &mut writes);
    for d in i.defs.iter().filter_map(Def::phys) {
        live.get_mut(usize::from(d.file)).into_iter().for_each(|l| l.sub(d.place));
    }
    for r in i.uses.iter().filter_map(Use::phys).chain(reads) {
        live.get_mut(usize::from(r.file)).into_iter().for_each(|l| l.add(r.place));
    }
}
