//! Gives back the parts of a run of registers behind the instruction that reads it.
//!
//! A collect copies each part that is read again later, for the run and the part are there at once. Here the part ends at the
//! collect, and a split behind the reader begins it anew:
//!
//! ```text
//! %r = collect %a, %b        %r = collect %a, %b
//! sample %r                  sample %r
//! ..                         %c, %d = split %r
//! use %a, %b                 use %c, %d
//! ```
//!
//! All of them may then lie in the same registers, and nothing is moved. What must stay as it is, since it is read where the split
//! does not reach, is copied once, and later runs take the copy on. A run that several read in its block is collected for each.
//!
//! There are two ways. A part that a later run reads may also be given back only if the next run has it at the same place: what another
//! part takes the place of would have to move away again. Which of them needs fewer moves shows only in allocation.
//!
//! Registers are given back if the target names their class ([`Target::gives_back`]), each of one unit.
//!
//! Needs: virtual registers, each defined once; the order that allocation will see. Keeps: blocks and edges.

use gpucc_ir::analysis::DomTree;
use gpucc_ir::{Block, CsrLists};
use smallvec::SmallVec;

use crate::func::MFunc;
use crate::inst::{Def, MInst, Pseudo, Reg, Src, Target, Use, VReg};

/// Number of blocks from which on nothing is done: who reads a part is asked along the graph.
const LARGE: usize = 400;

fn targets<T: Target>(mf: &MFunc<T>, b: usize) -> impl Iterator<Item = usize> + '_ {
    mf.blocks[b].succs.iter().map(|e| e.to.0 as usize)
}

/// The parts of runs that are given back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum GiveBack {
    /// All that are read again.
    All,
    /// Those that no other part takes the place of.
    Next,
}

/// Where a register is read.
#[derive(Clone, Default)]
struct Readers {
    /// Blocks, and the last place in each; edges come last.
    last: SmallVec<[(u32, u32); 2]>,
    /// Reads by collects: the blocks, and the last place in each.
    runs: SmallVec<[(u32, u32); 2]>,
    count: u32,
}

impl Readers {
    /// The last place in a block of so many instructions, if all readers are instructions of it.
    fn here(&self, b: usize, length: usize) -> Option<u32> {
        match self.last.as_slice() {
            &[(block, at)] if block as usize == b && (at as usize) < length => Some(at),
            _ => None,
        }
    }
}

fn note(list: &mut SmallVec<[(u32, u32); 2]>, b: usize, at: usize) {
    match list.last_mut() {
        Some(l) if l.0 as usize == b => l.1 = at as u32,
        _ => list.push((b as u32, at as u32)),
    }
}

fn readers<T: Target>(mf: &MFunc<T>) -> Vec<Readers> {
    let mut all = vec![Readers::default(); mf.classes.len()];
    for (b, (block, insts)) in mf.blocks.iter().zip(&mf.code).enumerate() {
        for (at, i) in insts.iter().enumerate() {
            for v in i.vreg_uses() {
                let r = &mut all[v.0 as usize];
                r.count += 1;
                note(&mut r.last, b, at);
                if i.is(Pseudo::Collect) {
                    note(&mut r.runs, b, at);
                }
            }
        }
        for a in block.all_succs().flat_map(|e| &e.args).filter(|a| !a.is_none()) {
            all[a.0 as usize].count += 1;
            note(&mut all[a.0 as usize].last, b, insts.len());
        }
    }
    // A collect goes down to its readers, and what it reads is read there.
    for (b, insts) in mf.code.iter().enumerate() {
        for i in insts.iter().filter(|i| i.is(Pseudo::Collect)) {
            let run = i.defs.first().and_then(|d| d.vreg());
            let Some(last) = run.and_then(|r| all[r.0 as usize].here(b, insts.len())) else { continue };
            for v in i.vreg_uses() {
                let r = &mut all[v.0 as usize];
                for list in [&mut r.last, &mut r.runs] {
                    list.iter_mut().filter(|l| l.0 as usize == b).for_each(|l| l.1 = l.1.max(last));
                }
            }
        }
    }
    all
}

/// A name for a register, and the block from which it holds.
#[derive(Clone, Copy)]
struct Name {
    is: VReg,
    block: u32,
}

struct Pass<'a, T: Target> {
    mf: &'a mut MFunc<T>,
    t: &'a T,
    tree: &'a DomTree,
    readers: &'a [Readers],
    /// The name of each register in instructions, and in collects.
    plain: Vec<Name>,
    in_runs: Vec<Option<Name>>,
    /// Names to go back to at the end of blocks.
    undo: Vec<(usize, Name, Option<Name>)>,
    /// Collects that wait for their readers, by the register they define, and how often it will be read.
    waiting: Vec<(VReg, MInst<T>, u32)>,
    what: GiveBack,
    /// Whether some part was not given back for what takes its place.
    held: bool,
    /// The runs of the block with the place of their reader, in order, under their first names.
    runs: Vec<(u32, Vec<Option<VReg>>)>,
    splits: usize,
}

/// A single register that is read whole.
fn part<T: Target>(mf: &MFunc<T>, t: &T, u: &Use<T>) -> Option<VReg> {
    u.vreg().filter(|&v| (v.0 as usize) < mf.classes.len() && t.gives_back(mf.class(v)) && u.part_read().is_none())
}

impl<T: Target> Pass<'_, T> {
    fn dominates(&self, a: usize, b: usize) -> bool {
        self.tree.dominates(Block(a as u32), Block(b as u32))
    }

    fn rename(&self, i: &mut MInst<T>) {
        let collects = i.is(Pseudo::Collect);
        for u in &mut i.uses {
            if let Src::Reg(Reg::V(v)) = &mut u.src
                && let Some(plain) = self.plain.get(v.0 as usize)
            {
                let run = self.in_runs[v.0 as usize].filter(|_| collects);
                *v = run.unwrap_or(*plain).is;
            }
        }
    }

    /// Whether a collect of single registers is read in its block alone, and its registers stay as they are there.
    fn waits(&self, i: &MInst<T>, b: usize, length: usize) -> Option<VReg> {
        if !i.is(Pseudo::Collect) {
            return None;
        }
        let r = i.defs.first()?.vreg()?;
        let parts: SmallVec<[VReg; 12]> = i.uses.iter().filter_map(|u| part(self.mf, self.t, u)).collect();
        let whole =
            i.uses.iter().all(|u| matches!(u.src, Src::Imm(_) | Src::Uniform(_)) || part(self.mf, self.t, u).is_some());
        let twice = parts.iter().enumerate().any(|(k, p)| parts[..k].contains(p));
        let readers = self.readers.get(r.0 as usize)?;
        (whole && !twice && readers.here(b, length).is_some() && parts.len() > 1).then_some(r)
    }

    /// Whether nobody reads a register behind a place but those whom a split there reaches.
    fn ends(&self, v: VReg, b: usize) -> bool {
        let from = self.plain[v.0 as usize].block as usize;
        let others = self.readers[v.0 as usize].last.iter().map(|l| l.0 as usize);
        if from == b && others.clone().all(|c| c == b || self.dominates(b, c)) {
            return true;
        }
        let mut seen = vec![false; self.mf.blocks.len()];
        let mut stack: Vec<usize> = targets(self.mf, b).collect();
        while let Some(c) = stack.pop() {
            if c != from && !std::mem::replace(&mut seen[c], true) {
                stack.extend(targets(self.mf, c));
            }
        }
        others.filter(|&c| seen[c]).all(|c| c != b && self.dominates(b, c))
    }

    /// The part of a list of readers that lies behind a place and is reached from it.
    fn later(&self, list: &[(u32, u32)], b: usize, at: usize) -> bool {
        list.iter().any(|&(c, last)| match c as usize {
            c if c == b => last as usize > at,
            c => self.dominates(b, c),
        })
    }

    /// Whether the next run of the block has something else at a place.
    fn displaced(&self, at: usize, (k, v): (usize, VReg)) -> bool {
        let next = self.runs.iter().find(|r| r.0 as usize > at);
        next.is_some_and(|r| r.1.get(k).is_some_and(|w| *w != Some(v)))
    }

    /// The runs of a block.
    fn runs(&self, insts: &[MInst<T>], b: usize) -> Vec<(u32, Vec<Option<VReg>>)> {
        let mut waiting: Vec<(VReg, usize)> = Vec::new();
        let mut out = Vec::new();
        for (at, i) in insts.iter().enumerate() {
            for &(_, c) in waiting.iter().filter(|w| i.vreg_uses().any(|v| v == w.0)) {
                out.push((at as u32, insts[c].uses.iter().map(|u| part(self.mf, self.t, u)).collect()));
            }
            waiting.extend(self.waits(i, b, insts.len()).map(|r| (r, at)));
        }
        out
    }

    /// The split behind the reader of a run, and new names.
    fn split(&mut self, collect: &MInst<T>, originals: &[Option<VReg>], b: usize, at: usize) -> Option<MInst<T>> {
        let mut named: SmallVec<[(usize, VReg, bool); 12]> = SmallVec::new();
        for (k, v) in originals.iter().enumerate() {
            let Some(v) = *v else { continue };
            let readers = &self.readers[v.0 as usize];
            if !self.later(&readers.last, b, at) {
                continue;
            }
            if self.what == GiveBack::Next && self.displaced(at, (k, v)) && self.later(&readers.runs, b, at) {
                self.held = true;
                continue;
            }
            let ends = self.ends(v, b);
            if ends || self.later(&readers.runs, b, at) {
                named.push((k, v, ends));
            }
        }
        let (first, last) = (named.first()?.0, named.last()?.0);
        let class = self.mf.class(named[0].1);
        let copies: SmallVec<[VReg; 12]> = (first..=last).map(|_| self.mf.vreg(class)).collect();
        for (k, v, ends) in named {
            let (n, name) = (v.0 as usize, Name { is: copies[k - first], block: b as u32 });
            self.undo.push((n, self.plain[n], self.in_runs[n]));
            self.in_runs[n] = Some(name);
            if ends {
                self.plain[n] = name;
            }
        }
        self.splits += 1;
        let run = collect.defs[0].vreg()?;
        let mut split = MInst::split(&copies, run).at(collect.loc);
        if copies.len() < originals.len() {
            split.uses[0] = Use::reg(run).part(first as u8, copies.len() as u8);
        }
        Some(split)
    }

    /// The collect for a reader: the one that waits, or one like it with a register of its own.
    fn take(&mut self, k: usize, reader: &mut MInst<T>) -> (VReg, MInst<T>) {
        let r = self.waiting[k].0;
        let reads = reader.vreg_uses().filter(|&v| v == r).count() as u32;
        self.waiting[k].2 -= reads.min(self.waiting[k].2);
        if self.waiting[k].2 == 0 {
            let (r, collect, _) = self.waiting.remove(k);
            return (r, collect);
        }
        let mut collect = self.waiting[k].1.clone();
        let own = self.mf.vreg(self.mf.class(r));
        collect.defs[0] = Def::reg(own);
        reader.map_uses(|v| if v == r { own } else { v });
        (own, collect)
    }

    /// Goes down the dominator tree.
    fn function(&mut self) {
        let mut stack = vec![(0, None)];
        while let Some((b, back)) = stack.pop() {
            if let Some(mark) = back {
                for (n, plain, run) in self.undo.drain(mark..).rev() {
                    (self.plain[n], self.in_runs[n]) = (plain, run);
                }
                continue;
            }
            stack.push((b, Some(self.undo.len())));
            self.block(b);
            let below = self.tree.children(Block(b as u32)).map(|c| (c.0 as usize, None));
            stack.extend(below.rev());
        }
    }

    fn block(&mut self, b: usize) {
        let old = std::mem::take(&mut self.mf.code[b]);
        let mut new = Vec::with_capacity(old.len());
        let length = old.len();
        self.runs = if self.what == GiveBack::Next { self.runs(&old, b) } else { Vec::new() };
        for (at, mut i) in old.into_iter().enumerate() {
            let waits = self.waits(&i, b, length);
            if let Some(r) = waits {
                let times = self.readers[r.0 as usize].count;
                self.waiting.push((r, i, times));
                continue;
            }
            let read: SmallVec<[usize; 2]> =
                (0..self.waiting.len()).filter(|&k| i.vreg_uses().any(|v| v == self.waiting[k].0)).collect();
            let mut behind: Vec<(MInst<T>, Vec<Option<VReg>>)> = Vec::new();
            for k in read.into_iter().rev() {
                let (r, mut collect) = self.take(k, &mut i);
                let originals = collect.uses.iter().map(|u| part(self.mf, self.t, u)).collect();
                self.rename(&mut collect);
                let place = i.uses.iter().position(|u| u.vreg() == Some(r));
                // A value that the reader overwrites is not there behind it.
                let kept = i.target_op().is_some() && i.defs.iter().all(|d| d.tied_to().map(usize::from) != place);
                new.push(collect.clone());
                if kept {
                    behind.push((collect, originals));
                }
            }
            self.rename(&mut i);
            new.push(i);
            for (collect, originals) in behind {
                new.extend(self.split(&collect, &originals, b, at));
            }
        }
        self.mf.code[b] = new;
        for e in self.mf.blocks[b].all_succs_mut() {
            for a in e.args.iter_mut().filter(|a| !a.is_none()) {
                if let Some(n) = self.plain.get(a.0 as usize) {
                    *a = n.is;
                }
            }
        }
    }
}

/// A function in which parts of runs may be given back, as it is before allocation. Which of its ways is worth it, and whether any is,
/// shows when it has been allocated as it is.
pub struct SplitRuns<T: Target> {
    mf: MFunc<T>,
    readers: Vec<Readers>,
}

impl<T: Target> SplitRuns<T> {
    /// Keeps the function, if it has parts that are read again.
    pub fn new(mf: &MFunc<T>) -> Option<SplitRuns<T>> {
        let collects = |l: &Vec<MInst<T>>| l.iter().any(|i| i.is(Pseudo::Collect));
        if mf.blocks.len() > LARGE || !mf.code.iter().any(collects) {
            return None;
        }
        // A part that only its collect reads ends there.
        let readers = readers(mf);
        let again = |i: &MInst<T>| i.vreg_uses().any(|v| readers[v.0 as usize].count > 1);
        let any = mf.code.iter().flatten().any(|i| i.is(Pseudo::Collect) && again(i));
        any.then(|| SplitRuns { mf: mf.clone(), readers })
    }

    /// The functions in which parts are given back, if there are any: first the one that gives back all that are read again, then the
    /// other way if it is another function.
    pub fn functions(&self, t: &T) -> Vec<MFunc<T>> {
        let SplitRuns { mf, readers } = self;
        let mut plain: Vec<Name> = (0..mf.classes.len() as u32).map(|v| Name { is: VReg(v), block: 0 }).collect();
        for (b, (block, insts)) in mf.blocks.iter().zip(&mf.code).enumerate() {
            for v in block.params.iter().copied().chain(insts.iter().flat_map(|i| i.vreg_defs())) {
                plain[v.0 as usize].block = b as u32;
            }
        }
        let edges: Vec<(Block, Block)> = (0..mf.blocks.len())
            .flat_map(|b| targets(mf, b).map(move |s| (Block(b as u32), Block(s as u32))))
            .collect();
        let tree = DomTree::of(mf.blocks.len(), Block(0), &CsrLists::new(&edges));
        let given = |what: GiveBack| {
            let mut out = mf.clone();
            let (plain, in_runs) = (plain.clone(), vec![None; mf.classes.len()]);
            let (undo, waiting, runs) = (Vec::new(), Vec::new(), Vec::new());
            let tree = &tree;
            let (held, splits) = (false, 0);
            let mut pass =
                Pass { mf: &mut out, t, tree, readers, plain, in_runs, undo, waiting, what, held, runs, splits };
            pass.function();
            let (splits, held) = (pass.splits, pass.held);
            ((splits > 0).then_some(out), held)
        };
        let (next, held) = given(GiveBack::Next);
        let all = if held { given(GiveBack::All).0 } else { None };
        all.into_iter().chain(next).collect()
    }
}
