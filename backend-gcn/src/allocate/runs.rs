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
//! does not reach, is copied once, and later runs take the copy on.
//!
//! Needs: virtual registers, each defined once; the order that allocation will see. Keeps: blocks and edges.

use gpucc_mir::{MInst, Pseudo, Reg, Src, Use, VReg};
use smallvec::SmallVec;

use crate::inst::{Gcn, V};

type MFunc = gpucc_mir::MFunc<Gcn>;
type MI = MInst<Gcn>;

/// From this many blocks on nothing is done: who reads a part is asked along the graph.
const LARGE: usize = 400;

/// The dominator tree of the logical graph.
struct Tree {
    /// The blocks that each one dominates at once.
    below: Vec<Vec<usize>>,
    /// First and last number of each block in a walk over the tree; the blocks below lie in between.
    span: Vec<(u32, u32)>,
}

fn targets(mf: &MFunc, b: usize) -> impl Iterator<Item = usize> + '_ {
    mf.blocks[b].succs.iter().map(|e| e.to.0 as usize)
}

impl Tree {
    fn new(mf: &MFunc) -> Tree {
        let n = mf.blocks.len();
        let (mut order, mut number) = (Vec::with_capacity(n), vec![usize::MAX; n]);
        let mut seen = vec![false; n];
        let mut stack = vec![(0, targets(mf, 0).collect::<Vec<_>>())];
        seen[0] = true;
        while let Some((b, todo)) = stack.last_mut() {
            match todo.pop() {
                Some(s) if !seen[s] => {
                    seen[s] = true;
                    stack.push((s, targets(mf, s).collect()));
                }
                Some(_) => {}
                None => {
                    order.push(*b);
                    stack.pop();
                }
            }
        }
        order.reverse();
        order.iter().enumerate().for_each(|(k, &b)| number[b] = k);
        let mut preds = vec![Vec::new(); n];
        order.iter().for_each(|&b| targets(mf, b).for_each(|s| preds[s].push(b)));
        let mut above = vec![usize::MAX; n];
        above[0] = 0;
        let mut changed = true;
        while changed {
            changed = false;
            for &b in order.iter().skip(1) {
                let known = preds[b].iter().copied().filter(|&p| above[p] != usize::MAX);
                let new = known.reduce(|mut x, mut y| {
                    while x != y {
                        let later = if number[x] > number[y] { &mut x } else { &mut y };
                        *later = above[*later];
                    }
                    x
                });
                if let Some(new) = new.filter(|&d| d != above[b]) {
                    above[b] = new;
                    changed = true;
                }
            }
        }
        let mut below = vec![Vec::new(); n];
        order.iter().skip(1).for_each(|&b| below[above[b]].push(b));
        let mut span = vec![(1, 0); n];
        let mut next = 0;
        let mut stack = vec![(0, false)];
        while let Some((b, done)) = stack.pop() {
            if done {
                span[b].1 = next;
                continue;
            }
            span[b].0 = next;
            next += 1;
            stack.push((b, true));
            stack.extend(below[b].iter().map(|&c| (c, false)));
        }
        Tree { below, span }
    }

    fn dominates(&self, a: usize, b: usize) -> bool {
        self.span[a].0 <= self.span[b].0 && self.span[b].0 < self.span[a].1
    }
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

fn note(list: &mut SmallVec<[(u32, u32); 2]>, b: usize, at: usize) {
    match list.last_mut() {
        Some(l) if l.0 as usize == b => l.1 = at as u32,
        _ => list.push((b as u32, at as u32)),
    }
}

fn readers(mf: &MFunc) -> Vec<Readers> {
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
    all
}

/// A name for a register, and the block from which it holds.
#[derive(Clone, Copy)]
struct Name {
    is: VReg,
    block: u32,
}

struct Pass<'a> {
    mf: &'a mut MFunc,
    tree: Tree,
    readers: Vec<Readers>,
    /// The name of each register in instructions, and in collects.
    plain: Vec<Name>,
    in_runs: Vec<Option<Name>>,
    /// Names to go back to at the end of blocks.
    undo: Vec<(usize, Name, Option<Name>)>,
    /// Collects that wait for their reader, by the register they define.
    waiting: Vec<(VReg, MI)>,
    splits: usize,
}

/// A single vector register that is read whole.
fn part(mf: &MFunc, u: &Use<Gcn>) -> Option<VReg> {
    u.vreg().filter(|&v| (v.0 as usize) < mf.classes.len() && mf.class(v) == V && u.part_read().is_none())
}

impl Pass<'_> {
    fn rename(&self, i: &mut MI) {
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

    /// Whether a collect of single registers is read once, in its block, and its registers stay as they are there.
    fn waits(&self, i: &MI, b: usize, length: usize) -> Option<VReg> {
        if !i.is(Pseudo::Collect) {
            return None;
        }
        let r = i.defs.first()?.vreg()?;
        let parts: SmallVec<[VReg; 12]> = i.uses.iter().filter_map(|u| part(self.mf, u)).collect();
        let whole = i.uses.iter().all(|u| matches!(u.src, Src::Imm(_)) || part(self.mf, u).is_some());
        let twice = parts.iter().enumerate().any(|(k, p)| parts[..k].contains(p));
        let readers = self.readers.get(r.0 as usize)?;
        let here = readers.count == 1 && readers.last[0].0 as usize == b && (readers.last[0].1 as usize) < length;
        (whole && !twice && here && parts.len() > 1).then_some(r)
    }

    /// Whether nobody reads a register behind a place but those whom a split there reaches.
    fn ends(&self, v: VReg, b: usize) -> bool {
        let from = self.plain[v.0 as usize].block as usize;
        let others = self.readers[v.0 as usize].last.iter().map(|l| l.0 as usize);
        if from == b && others.clone().all(|c| c == b || self.tree.dominates(b, c)) {
            return true;
        }
        let mut seen = vec![false; self.mf.blocks.len()];
        let mut stack: Vec<usize> = targets(self.mf, b).collect();
        while let Some(c) = stack.pop() {
            if c != from && !std::mem::replace(&mut seen[c], true) {
                stack.extend(targets(self.mf, c));
            }
        }
        others.filter(|&c| seen[c]).all(|c| c != b && self.tree.dominates(b, c))
    }

    /// What of a list of readers lies behind a place and is reached from it.
    fn later(&self, list: &[(u32, u32)], b: usize, at: usize) -> bool {
        list.iter().any(|&(c, last)| match c as usize {
            c if c == b => last as usize > at,
            c => self.tree.dominates(b, c),
        })
    }

    /// The split behind the reader of a run, and new names.
    fn split(&mut self, collect: &MI, originals: &[Option<VReg>], b: usize, at: usize) -> Option<MI> {
        let mut named: SmallVec<[(usize, VReg, bool); 12]> = SmallVec::new();
        for (k, v) in originals.iter().enumerate() {
            let Some(v) = *v else { continue };
            let readers = &self.readers[v.0 as usize];
            if !self.later(&readers.last, b, at) {
                continue;
            }
            let ends = self.ends(v, b);
            if ends || self.later(&readers.runs, b, at) {
                named.push((k, v, ends));
            }
        }
        let (first, last) = (named.first()?.0, named.last()?.0);
        let news: SmallVec<[VReg; 12]> = (first..=last).map(|_| self.mf.vreg(V)).collect();
        for (k, v, ends) in named {
            let (n, name) = (v.0 as usize, Name { is: news[k - first], block: b as u32 });
            self.undo.push((n, self.plain[n], self.in_runs[n]));
            self.in_runs[n] = Some(name);
            if ends {
                self.plain[n] = name;
            }
        }
        self.splits += 1;
        let run = collect.defs[0].vreg()?;
        let mut split = MInst::split(&news, run).at(collect.loc);
        if news.len() < originals.len() {
            split.uses[0] = Use::reg(run).part(first as u8, news.len() as u8);
        }
        Some(split)
    }

    fn block(&mut self, b: usize) {
        let old = std::mem::take(&mut self.mf.code[b]);
        let mut new = Vec::with_capacity(old.len());
        let length = old.len();
        for (at, mut i) in old.into_iter().enumerate() {
            let waits = self.waits(&i, b, length);
            if let Some(r) = waits {
                self.waiting.push((r, i));
                continue;
            }
            let read: SmallVec<[usize; 2]> =
                (0..self.waiting.len()).filter(|&k| i.vreg_uses().any(|v| v == self.waiting[k].0)).collect();
            let mut behind: SmallVec<[(MI, Vec<Option<VReg>>); 2]> = SmallVec::new();
            for k in read.into_iter().rev() {
                let (r, mut collect) = self.waiting.remove(k);
                let originals = collect.uses.iter().map(|u| part(self.mf, u)).collect();
                self.rename(&mut collect);
                let place = i.uses.iter().position(|u| u.vreg() == Some(r));
                // What the reader overwrites is not there behind it.
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

/// A function in which parts are given back, if there are any.
pub fn give_back(mf: &MFunc) -> Option<MFunc> {
    let collects = |l: &Vec<MI>| l.iter().any(|i| i.is(Pseudo::Collect));
    if mf.blocks.len() > LARGE || !mf.code.iter().any(collects) {
        return None;
    }
    let mut out = mf.clone();
    let mut plain: Vec<Name> = (0..mf.classes.len() as u32).map(|v| Name { is: VReg(v), block: 0 }).collect();
    for (b, (block, insts)) in mf.blocks.iter().zip(&mf.code).enumerate() {
        for v in block.params.iter().copied().chain(insts.iter().flat_map(|i| i.vreg_defs())) {
            plain[v.0 as usize].block = b as u32;
        }
    }
    let (tree, readers, in_runs) = (Tree::new(mf), readers(mf), vec![None; mf.classes.len()]);
    let (undo, waiting) = (Vec::new(), Vec::new());
    let mut pass = Pass { mf: &mut out, tree, readers, plain, in_runs, undo, waiting, splits: 0 };
    let mut stack = vec![(0, None)];
    while let Some((b, back)) = stack.pop() {
        if let Some(mark) = back {
            for (n, plain, run) in pass.undo.drain(mark..).rev() {
                (pass.plain[n], pass.in_runs[n]) = (plain, run);
            }
            continue;
        }
        stack.push((b, Some(pass.undo.len())));
        pass.block(b);
        let below = pass.tree.below[b].iter().map(|&c| (c, None));
        stack.extend(below);
    }
    (pass.splits > 0).then_some(out)
}
