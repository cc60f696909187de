//! Clean-up after allocation: a move of a register that holds a constant becomes the constant, and constants and moves
//! that nobody reads disappear.
//!
//! Coalescing cannot give a constant that goes to several parameters all their places; what is a copy from the one that
//! was chosen can as well be made where it is wanted. Needs: physical registers. Keeps: blocks, edges, registers in use.
//! Fires only where [`Target::as_move`] knows the moves, and on instructions of [`Target::can_remat`].

use gpucc_regalloc::{FileId, UnitSet};
use smallvec::SmallVec;

use crate::backward::backward;
use crate::func::{MFunc, is_terminator};
use crate::inst::{Def, MInst, PReg, Target};

/// Runs over a function. Returns how many instructions disappeared.
pub fn fold_moves<T: Target>(mf: &mut MFunc<T>, t: &T) -> usize {
    let found = constants(mf, t);
    sweep(mf, t, &found)
}

/// Constants and moves, which may disappear.
struct Found {
    /// The files that they write, in order.
    files: SmallVec<[u8; 4]>,
    /// The blocks that have some.
    blocks: Vec<u32>,
}

impl Found {
    fn note(&mut self, file: u8, block: u32) {
        if let Err(at) = self.files.binary_search(&file) {
            self.files.insert(at, file);
        }
        if self.blocks.last() != Some(&block) {
            self.blocks.push(block);
        }
    }
}

/// A register written by an instruction that can be repeated.
fn constant<T: Target>(t: &T, i: &MInst<T>) -> Option<PReg> {
    let [d] = i.defs.as_slice() else { return None };
    let again = i.target_op().is_some() && d.tied_to().is_none() && i.uses.iter().all(|u| u.phys().is_none());
    d.phys().filter(|p| p.place.len() == 1 && again && t.can_remat(i) && !is_terminator(t, i))
}

/// Which constant each unit holds: an index into the list of their instructions.
type Known = Vec<(PReg, u32)>;

fn constants<T: Target>(mf: &mut MFunc<T>, t: &T) -> Found {
    let mut preds = vec![0u32; mf.blocks.len()];
    for e in mf.blocks.iter().flat_map(|b| b.all_succs()) {
        preds[e.to.0 as usize] += 1;
    }
    let mut list: Vec<MInst<T>> = Vec::new();
    let mut entry: Vec<Known> = vec![Known::new(); mf.blocks.len()];
    let mut clobbers: SmallVec<[PReg; 4]> = SmallVec::new();
    let mut found = Found { files: SmallVec::new(), blocks: Vec::new() };
    for b in 0..mf.blocks.len() {
        let mut known = std::mem::take(&mut entry[b]);
        for i in &mut mf.code[b] {
            if let Some((d, s)) = t.as_move(i) {
                found.note(d.file, b as u32);
                if let Some(&(_, k)) = known.iter().find(|k| k.0 == s) {
                    let mut again = list[k as usize].clone();
                    again.defs[0] = Def::preg(d);
                    again.loc = i.loc;
                    *i = again;
                }
            }
            clobbers.clear();
            t.clobbers(i, &mut clobbers);
            let written = i.defs.iter().filter_map(|d| d.phys()).chain(clobbers.iter().copied());
            for w in written {
                known.retain(|k| k.0.file != w.file || !k.0.place.overlaps(w.place));
            }
            if let Some(d) = constant(t, i) {
                found.note(d.file, b as u32);
                known.push((d, list.len() as u32));
                list.push(i.clone());
            }
        }
        let forward = |e: &&crate::func::MEdge| e.to.0 as usize > b && preds[e.to.0 as usize] == 1;
        for e in mf.blocks[b].all_succs().filter(forward) {
            entry[e.to.0 as usize] = known.clone();
        }
    }
    found
}

/// The live registers, by the files that matter.
type Live = SmallVec<[UnitSet; 4]>;

/// Removes constants and moves that nobody reads.
fn sweep<T: Target>(mf: &mut MFunc<T>, t: &T, found: &Found) -> usize {
    // One set for each file that matters; a block of the function has as many in each of the lists below.
    let files = found.files.len();
    if files == 0 {
        return 0;
    }
    let n = mf.blocks.len();
    let mut index = [u8::MAX; 1 << FileId::BITS];
    for (&file, k) in found.files.iter().zip(0..) {
        index[usize::from(file)] = k;
    }
    let of = |p: &PReg| Some(index[usize::from(p.file)]).filter(|&k| k < u8::MAX).map(usize::from);
    let mut implicit: (SmallVec<[PReg; 4]>, SmallVec<[PReg; 4]>) = Default::default();
    let mut step = |i: &MInst<T>, live: &mut [UnitSet], set: &mut [UnitSet]| {
        implicit.0.clear();
        implicit.1.clear();
        t.implicit(i, &mut implicit.0, &mut implicit.1);
        for d in i.defs.iter().filter_map(|d| d.phys()) {
            if let Some(f) = of(&d) {
                live[f].sub(d.place);
                set[f].add(d.place);
            }
        }
        for r in i.uses.iter().filter_map(crate::inst::Use::phys).chain(implicit.0.iter().copied()) {
            if let Some(f) = of(&r) {
                live[f].add(r.place);
            }
        }
    };
    // Names that each block asks for before it sets them, and those it sets; where one comes behind another.
    let mut asked = vec![UnitSet::EMPTY; files * n];
    let mut set = asked.clone();
    let alone = mf.blocks.iter().all(|b| b.all_succs().next().is_none());
    // Up through blocks as well: memory is fetched ahead of a walk that keeps its direction.
    let code = if alone { &[][..] } else { &mf.code };
    for ((insts, live), set) in code.iter().zip(asked.chunks_mut(files)).zip(set.chunks_mut(files)).rev() {
        insts.iter().rev().for_each(|i| step(i, live, set));
    }
    let succs = |b: usize| mf.blocks[b].all_succs().map(|e| e.to.0 as usize);
    let join = |now: &mut Live, start: &Live| {
        now.resize(files, UnitSet::EMPTY);
        now.iter_mut().zip(start).for_each(|(l, s)| *l = l.union(s));
    };
    let starts = backward(n, succs, join, |b, now: &mut Live| {
        now.resize(files, UnitSet::EMPTY);
        let here = files * b..files * (b + 1);
        for ((l, asked), set) in now.iter_mut().zip(&asked[here.clone()]).zip(&set[here]) {
            *l = asked.union(&l.minus(set));
        }
    });
    let mut removed = 0;
    let mut keep: Vec<bool> = Vec::new();
    // Of no interest any more, but steps write it.
    let mut set: Live = SmallVec::from_elem(UnitSet::EMPTY, files);
    for b in found.blocks.iter().rev().map(|&b| b as usize) {
        let mut live: Live = SmallVec::from_elem(UnitSet::EMPTY, files);
        mf.blocks[b].all_succs().for_each(|e| join(&mut live, &starts[e.to.0 as usize]));
        keep.clear();
        for i in mf.code[b].iter().rev() {
            let to = t.as_move(i).map(|m| m.0).or_else(|| constant(t, i));
            let stays = to.is_none_or(|d| of(&d).is_none_or(|f| live[f].has_any(d.place)));
            if stays {
                step(i, &mut live, &mut set);
            }
            keep.push(stays);
        }
        let gone = keep.iter().filter(|&&k| !k).count();
        if gone > 0 {
            mf.code[b].retain(|_| keep.pop().unwrap_or(true));
            removed += gone;
        }
    }
    removed
}
