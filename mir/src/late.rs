//! Clean-up after allocation: a move of a register that holds a constant becomes the constant, and constants and moves
//! that nobody reads disappear.
//!
//! Coalescing cannot give a constant that goes to several parameters all their places; what is a copy from the one that
//! was chosen can as well be made where it is wanted. Needs: physical registers. Keeps: blocks, edges, registers in use.
//! Fires only where [`Target::as_move`] knows the moves, and on instructions of [`Target::can_remat`].

use gpucc_regalloc::UnitSet;
use smallvec::SmallVec;

use crate::func::{MFunc, is_terminator};
use crate::inst::{Def, MInst, PReg};
use crate::target::Target;

/// Runs over a function. Returns how many instructions disappeared.
pub fn fold_moves<T: Target>(mf: &mut MFunc<T>, t: &T) -> usize {
    constants(mf, t);
    sweep(mf, t)
}

/// A register written by an instruction that can be repeated.
fn constant<T: Target>(t: &T, i: &MInst<T>) -> Option<PReg> {
    let [d] = i.defs.as_slice() else { return None };
    let again = i.target_op().is_some() && d.tied.is_none() && i.uses.iter().all(|u| u.phys().is_none());
    d.phys().filter(|p| p.place.len() == 1 && again && t.can_remat(i) && !is_terminator(t, i))
}

/// Which constant each unit holds: an index into the list of their instructions.
type Known = Vec<(PReg, u32)>;

fn constants<T: Target>(mf: &mut MFunc<T>, t: &T) {
    let mut preds = vec![0u32; mf.blocks.len()];
    for e in mf.blocks.iter().flat_map(|b| b.all_succs()) {
        preds[e.to.0 as usize] += 1;
    }
    let mut list: Vec<MInst<T>> = Vec::new();
    let mut entry: Vec<Known> = vec![Known::new(); mf.blocks.len()];
    let mut clobbers: SmallVec<[PReg; 4]> = SmallVec::new();
    for b in 0..mf.blocks.len() {
        let mut known = std::mem::take(&mut entry[b]);
        for i in &mut mf.blocks[b].insts {
            if let Some((d, s)) = t.as_move(i)
                && let Some(&(_, k)) = known.iter().find(|k| k.0 == s)
            {
                let mut again = list[k as usize].clone();
                again.defs[0] = Def::preg(d);
                again.loc = i.loc;
                *i = again;
            }
            clobbers.clear();
            t.clobbers(i, &mut clobbers);
            let written = i.defs.iter().filter_map(|d| d.phys()).chain(clobbers.iter().copied());
            for w in written {
                known.retain(|k| k.0.file != w.file || !k.0.place.overlaps(w.place));
            }
            if let Some(d) = constant(t, i) {
                known.push((d, list.len() as u32));
                list.push(i.clone());
            }
        }
        let forward = |e: &&crate::func::MEdge| e.to.0 as usize > b && preds[e.to.0 as usize] == 1;
        for e in mf.blocks[b].all_succs().filter(forward) {
            entry[e.to.0 as usize] = known.clone();
        }
    }
}

/// Removes constants and moves that nobody reads.
fn sweep<T: Target>(mf: &mut MFunc<T>, t: &T) -> usize {
    let files = t.files().len();
    let n = mf.blocks.len();
    let mut live_in = vec![vec![UnitSet::EMPTY; files]; n];
    let (mut reads, mut writes): (SmallVec<[PReg; 4]>, SmallVec<[PReg; 4]>) = (SmallVec::new(), SmallVec::new());
    let mut step = |i: &MInst<T>, live: &mut [UnitSet]| {
        reads.clear();
        writes.clear();
        t.implicit(i, &mut reads, &mut writes);
        for d in i.defs.iter().filter_map(|d| d.phys()) {
            live[d.file as usize].sub(d.place);
        }
        for r in i.uses.iter().filter_map(crate::inst::Use::phys).chain(reads.iter().copied()) {
            live[r.file as usize].add(r.place);
        }
    };
    let out = |mf: &MFunc<T>, live_in: &[Vec<UnitSet>], b: usize| {
        let mut live = vec![UnitSet::EMPTY; files];
        for e in mf.blocks[b].all_succs() {
            for (l, s) in live.iter_mut().zip(&live_in[e.to.0 as usize]) {
                *l = l.union(s);
            }
        }
        live
    };
    let mut changed = true;
    while changed {
        changed = false;
        for b in (0..n).rev() {
            let mut live = out(mf, &live_in, b);
            mf.blocks[b].insts.iter().rev().for_each(|i| step(i, &mut live));
            changed |= live != live_in[b];
            live_in[b] = live;
        }
    }
    let mut removed = 0;
    for b in 0..n {
        let mut live = out(mf, &live_in, b);
        let insts = std::mem::take(&mut mf.blocks[b].insts);
        let mut kept: Vec<MInst<T>> = Vec::with_capacity(insts.len());
        for i in insts.into_iter().rev() {
            let to = t.as_move(&i).map(|m| m.0).or_else(|| constant(t, &i));
            if to.is_some_and(|d| !live[d.file as usize].has_any(d.place)) {
                removed += 1;
                continue;
            }
            step(&i, &mut live);
            kept.push(i);
        }
        kept.reverse();
        mf.blocks[b].insts = kept;
    }
    removed
}
