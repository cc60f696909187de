//! Components that lie in a run for a sample are read there from then on.
//!
//! ```text
//! %r = collect %c[0], %c[1], 0            %r = collect %c[0], %c[1], 0
//! %s = texldl %r                          %s = texldl %r
//! %t = add %c.xy, %o.xy           ==>     %t = add %r.xy, %o.xy
//! ```
//!
//! A collect copies what is read again behind it, for the run and its parts are there at once. Here the part ends at the collect, so
//! both may lie in one place. Needs: virtual registers, each defined once. Keeps: blocks and edges. Fires on values that are made in the
//! block of the collect, if all that reads them later can read the run: no edges, no places that are asked for.

use gpucc_mir::{Def, MFunc, MInst, Opcode, Pseudo, Reg, Src, Use, VReg};
use gpucc_vivante_machine::Class;
use smallvec::SmallVec;

use crate::inst::{VOp, Vivante, components};

/// The end of a block, behind all instructions: where edges read.
const EDGES: u32 = u32::MAX;

/// Where each register is made and read.
struct Places {
    made: Vec<u32>,
    read: Vec<SmallVec<[(u32, u32); 2]>>,
}

impl Places {
    fn new(mf: &MFunc<Vivante>) -> Places {
        let mut p = Places { made: vec![0; mf.classes.len()], read: vec![SmallVec::new(); mf.classes.len()] };
        for (b, (block, insts)) in (0..).zip(mf.blocks.iter().zip(&mf.code)) {
            block.params.iter().for_each(|v| p.made[v.0 as usize] = b);
            for (at, i) in (0..).zip(insts) {
                i.vreg_defs().for_each(|v| p.made[v.0 as usize] = b);
                i.vreg_uses().for_each(|v| p.note(v, (b, at)));
            }
            for &a in block.all_succs().flat_map(|e| &e.args).filter(|a| !a.is_none()) {
                p.note(a, (b, EDGES));
            }
        }
        p
    }

    fn note(&mut self, v: VReg, at: (u32, u32)) {
        let list = &mut self.read[v.0 as usize];
        if list.last() != Some(&at) {
            list.push(at);
        }
    }
}

/// A component of a register, and the one of the run that it becomes.
type Part = (VReg, u8, u8);

/// The registers of a collect that are components of rows.
fn parts(mf: &MFunc<Vivante>, i: &MInst<Vivante>) -> Option<(VReg, SmallVec<[Part; 4]>)> {
    let ([d], true) = (i.defs.as_slice(), i.is(Pseudo::Collect)) else { return None };
    let run = d.vreg().filter(|&r| d.fixed().is_none() && mf.class(r).0 < 4)?;
    let (mut out, mut at) = (SmallVec::new(), 0);
    for u in &i.uses {
        let (first, n) = match (u.vreg(), u.part_read()) {
            (Some(_), Some(part)) => part,
            (Some(v), None) => (0, components(mf.class(v)) as u8),
            // A word for each component that is left.
            (None, _) => (0, 1),
        };
        if let Some(v) = u.vreg() {
            out.extend((0..n).map(|k| (v, first + k, at + k)));
        }
        at += n;
    }
    (u32::from(at) == components(mf.class(run))).then_some((run, out))
}

/// Reads `v` in the run, `by` components further on; false where that cannot be.
fn redirect(u: &mut Use<Vivante>, (v, run, by): (VReg, VReg, u8), width: u8, pseudo: bool, held: &[bool; 4]) -> bool {
    if u.vreg() != Some(v) {
        return true;
    }
    if u.fixed().is_some() || u.mods.indexed {
        return false;
    }
    let is_held = |c: u8| held.get(usize::from(c)) == Some(&true);
    if pseudo {
        let (first, n) = u.part_read().unwrap_or((0, width));
        if !(first..first + n).all(is_held) {
            return false;
        }
        u.src = Src::Reg(Reg::V(run));
        *u = u.part(first + by, n);
        return true;
    }
    let swz = u.mods.swz.map(|c| c.min(width - 1));
    if u.part_read().is_some() || !swz.iter().all(|&c| is_held(c)) {
        return false;
    }
    u.src = Src::Reg(Reg::V(run));
    u.mods.swz = swz.map(|c| c + by);
    true
}

/// Runs the pass; gives the number of registers that end in a run.
pub fn run(mf: &mut MFunc<Vivante>) -> u64 {
    if !mf.code.iter().flatten().any(|i| i.is(Pseudo::Collect)) {
        return 0;
    }
    let mut places = Places::new(mf);
    let mut ended = 0;
    for b in 0..mf.code.len() as u32 {
        for at in 0..mf.code[b as usize].len() as u32 {
            let Some((run, parts)) = parts(mf, &mf.code[b as usize][at as usize]) else { continue };
            let mut done: SmallVec<[VReg; 4]> = SmallVec::new();
            for &(v, first, to) in &parts {
                if done.contains(&v) || to < first {
                    continue;
                }
                done.push(v);
                let by = to - first;
                let mut held = [false; 4];
                let of_it = parts.iter().filter(|p| p.0 == v && p.2 == p.1 + by);
                of_it.for_each(|p| held[usize::from(p.1)] = true);
                ended += u64::from(ends(mf, &mut places, (b, at), (v, run, by), &held));
            }
        }
    }
    ended
}

/// Lets all that reads a register behind its collect read the run, if all of it can.
fn ends(
    mf: &mut MFunc<Vivante>,
    places: &mut Places,
    (b, at): (u32, u32),
    (v, run, by): (VReg, VReg, u8),
    held: &[bool; 4],
) -> bool {
    if places.made[v.0 as usize] != b || mf.class(v).0 >= 4 {
        return false;
    }
    let later = |r: &(u32, u32)| r.0 != b || r.1 > at;
    let readers: SmallVec<[(u32, u32); 4]> = places.read[v.0 as usize].iter().copied().filter(later).collect();
    if readers.is_empty() || readers.iter().any(|r| r.1 == EDGES) {
        return false;
    }
    let width = components(mf.class(v)) as u8;
    let mut new: SmallVec<[MInst<Vivante>; 4]> = SmallVec::new();
    for &(c, k) in &readers {
        let mut i = mf.code[c as usize][k as usize].clone();
        let pseudo = matches!(i.op, Opcode::Pseudo(_));
        // Memory takes neighbours, not any components.
        let memory = matches!(i.target_op(), Some(VOp::M(op)) if op.row().attrs.class == Class::Memory);
        let tied = i.defs.iter().any(|d: &Def| d.tied_to().is_some());
        if memory || tied || !i.uses.iter_mut().all(|u| redirect(u, (v, run, by), width, pseudo, held)) {
            return false;
        }
        new.push(i);
    }
    for (&(c, k), i) in readers.iter().zip(new) {
        mf.code[c as usize][k as usize] = i;
        places.note(run, (c, k));
    }
    places.read[v.0 as usize].retain(|r| !later(r));
    true
}
