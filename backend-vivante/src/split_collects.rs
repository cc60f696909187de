//! An operation on components that copies brought together is made for each of their places instead.
//!
//! ```text
//! mov t7.z_x_, t12.xxzz                   add t0.z_x_, t0.xxzz, t12.xxzz
//! mov t7._y__, t11.zzzz           ==>     add t0._y__, t0.yyyy, t11.zzzz
//! add t0.xyz_, t0.xyzz, t7.xyzz
//! ```
//!
//! Where every component that an operand reads is a copy, and nobody else reads the copies: as many operations as there are places, one
//! instruction less than with the copies. Inside blocks. Needs: physical registers.

use gpucc_mir::{Def, MFunc, MInst, PReg, Placement, Reg, Src, Use};
use gpucc_vivante_machine as machine;
use machine::Class;
use smallvec::SmallVec;

use crate::components::{Liveness, Set, has, is_copy, pass, unit};
use crate::inst::{FILE, VOp, Vivante};

/// How far above an operation its copies may be.
const REACH: usize = 32;

/// The copies that go, the last first, and the operations instead.
struct Split {
    copies: SmallVec<[usize; 4]>,
    parts: SmallVec<[MInst<Vivante>; 4]>,
}

/// Runs the pass; gives the number of instructions that disappeared.
pub fn run(mf: &mut MFunc<Vivante>, t: &Vivante) -> usize {
    let liveness = Liveness::new(mf, t);
    let mut saved = 0;
    for (b, insts) in mf.code.iter_mut().enumerate() {
        let mut live = liveness.out_of(b);
        let mut k = insts.len();
        while k > 0 {
            k -= 1;
            let Some(Split { copies, parts }) = split(insts, k, &live, t) else {
                pass(&insts[k], &mut live, t);
                continue;
            };
            saved += copies.len() + 1 - parts.len();
            parts.iter().rev().for_each(|i| pass(i, &mut live, t));
            insts.splice(k..=k, parts);
            for &c in &copies {
                insts.remove(c);
            }
            k -= copies.len();
        }
    }
    saved
}

/// The replacement of an instruction; `live` is the set of registers live behind it.
fn split(insts: &[MInst<Vivante>], k: usize, live: &Set, t: &Vivante) -> Option<Split> {
    let i = &insts[k];
    let Some(VOp::M(op)) = i.target_op() else { return None };
    let lane_wise = matches!(op.row().attrs.class, Class::Vector | Class::IntVector) && t.is_vector(op, i.mods.ty);
    let [d] = i.defs.as_slice() else { return None };
    let to = d.phys().filter(|p| p.file == FILE && !t.in_arrays(*p))?;
    if !lane_wise || is_copy(i) || i.mods.indexed || i.uses.iter().any(|u| u.mods.indexed) {
        return None;
    }
    let n = usize::from(to.place.len());
    (0..i.uses.len()).find_map(|which| operand(insts, k, which, n, to, live, t))
}

/// The same for one operand.
fn operand(
    insts: &[MInst<Vivante>],
    k: usize,
    which: usize,
    n: usize,
    to: PReg,
    live: &Set,
    t: &Vivante,
) -> Option<Split> {
    let i = &insts[k];
    let u = &i.uses[which];
    let p = u.phys().filter(|p| p.file == FILE && !t.in_arrays(*p))?;
    let units: SmallVec<[u16; 4]> = u.mods.swz[..n].iter().map(|&c| unit(p, c)).collect();
    let reads = |i: &MInst<Vivante>, x: u16| {
        i.uses.iter().any(|u| u.phys().is_some_and(|p| p.file == FILE && u.mods.swz.iter().any(|&c| unit(p, c) == x)))
    };
    let writes = |i: &MInst<Vivante>, x: u16| {
        i.defs.iter().filter_map(|d| d.phys()).any(|d| d.file == FILE && d.place.units().any(|y| y == x))
    };
    // Nobody else reads the copies: not behind, not in between, not this instruction by another operand.
    let own = |x: u16| to.place.units().any(|y| y == x);
    // The same components may be read twice: a square is made of both copies.
    let same = |o: &Use<Vivante>| o.src == u.src && o.part_read() == u.part_read() && o.mods.swz == u.mods.swz;
    let others = i.uses.iter().enumerate().filter(|o| o.0 != which && !same(o.1));
    let twice = others
        .flat_map(|o| o.1.phys().map(|p| (p, o.1.mods.swz)))
        .any(|(p, swz)| p.file == FILE && swz.iter().any(|&c| units.contains(&unit(p, c))));
    if twice || units.iter().any(|&x| has(live, x) && !own(x)) {
        return None;
    }
    let mut copies: SmallVec<[usize; 4]> = SmallVec::new();
    // Of each component of the result: where it is read instead.
    let mut from: SmallVec<[u16; 4]> = SmallVec::new();
    for &x in &units {
        let c = (k.saturating_sub(REACH)..k).rev().find(|&c| writes(&insts[c], x))?;
        let copy = &insts[c];
        if !is_copy(copy) || insts[c + 1..k].iter().any(|i| reads(i, x)) {
            return None;
        }
        let d = copy.defs[0].phys()?;
        let at = d.place.units().position(|y| y == x)?;
        let s = &copy.uses[0];
        let q = s.phys().filter(|q| q.file == FILE && !t.in_arrays(*q))?;
        let y = unit(q, s.mods.swz[at]);
        if insts[c..k].iter().any(|i| writes(i, y)) {
            return None;
        }
        if !copies.contains(&c) {
            // All that it copies is read here, and arrives here.
            let arrives = |y: u16| units.contains(&y) && !insts[c + 1..k].iter().any(|i| writes(i, y));
            if !d.place.units().all(arrives) {
                return None;
            }
            copies.push(c);
        }
        from.push(y);
    }
    let mut rows: SmallVec<[u16; 4]> = SmallVec::new();
    for y in &from {
        if !rows.contains(&(y / 4)) {
            rows.push(y / 4);
        }
    }
    if rows.len() > copies.len() || rows.len() < 2 {
        return None;
    }
    let mut parts: SmallVec<[MInst<Vivante>; 4]> = SmallVec::new();
    for &r in &rows {
        let lanes: SmallVec<[usize; 4]> = (0..n).filter(|&l| from[l] / 4 == r).collect();
        let mut part = i.clone();
        let mask = lanes.iter().fold(0, |m, &l| m | 1 << (to.place.unit(l as u16) % 4));
        part.defs[0] = Def::preg(PReg { file: FILE, place: Placement::mask(to.place.row(4) * 4, mask) });
        for (o, u) in part.uses.iter_mut().enumerate() {
            let swz = u.mods.swz;
            let last = lanes[lanes.len() - 1];
            u.mods.swz = core::array::from_fn(|l| swz[lanes.get(l).copied().unwrap_or(last)]);
            if o == which || same(&i.uses[o]) {
                let of: SmallVec<[u16; 4]> = lanes.iter().map(|&l| from[l]).collect();
                let place = Placement::mask(r * 4, of.iter().fold(0, |m, x| m | 1 << (x % 4)));
                u.src = Src::Reg(Reg::P(PReg { file: FILE, place }));
                let lane = |l: usize| place.units().position(|y| y == of[l.min(of.len() - 1)]).unwrap_or(0) as u8;
                u.mods.swz = core::array::from_fn(lane);
            }
        }
        // The next ones do not read the results of one.
        let mut written = parts.iter().filter_map(|p: &MInst<Vivante>| p.defs[0].phys());
        if written.any(|w| w.place.units().any(|x| reads(&part, x))) {
            return None;
        }
        parts.push(part);
    }
    copies.sort_unstable_by(|a, b| b.cmp(a));
    Some(Split { copies, parts })
}
