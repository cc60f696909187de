//! A value that is copied is made where the copy is, and read there before and behind it as well.
//!
//! ```text
//! mul t4._yz_, t5.xxyy, u0.xxxx           mul t4._y_w, t5.xxyy, u0.xxxx
//! add t6.x___, t4.zzzz, t6.xxxx    ==>    add t6.x___, t4.wwww, t6.xxxx
//! mov t4.___w, t4.zzzz
//! ```
//!
//! Other components that the same instruction makes stay where they are, in the same register; where it makes one number in all components,
//! any of them is. The new place is free from there to the copy, and holds the value behind it for as long as somebody reads the old one.
//!
//! A part of `forward_moves`, for one copy of a block.

use gpucc_mir::{MInst, PReg, Placement, Reg, Src, Use};
use gpucc_vivante_machine as machine;
use machine::{Class, Op};
use smallvec::SmallVec;

use crate::components::{Set, has, is_copy, may_write_elsewhere, reorder, set, unit};
use crate::inst::{FILE, VOp, Vivante};

/// How far around a copy is looked.
const REACH: usize = 48;

/// Where components go.
struct Plan {
    /// The results of the producer, and where each goes; nowhere, if nobody may read it.
    made: SmallVec<[(u16, Option<u16>); 4]>,
    /// Those that are made somewhere else.
    fresh: SmallVec<[u16; 4]>,
}

impl Plan {
    fn goes(&self, x: u16) -> Option<Option<u16>> {
        self.made.iter().find(|m| m.0 == x).map(|m| m.1)
    }
}

/// Tries it for the copy of that number; `live` is what is live behind it, `out` at the end of the block. True if the copy is not needed
/// any more.
pub fn run(insts: &mut [MInst<Vivante>], gone: &[bool], k: usize, live: &mut Set, out: &Set, t: &Vivante) -> bool {
    let Some((p, plan)) = producer(insts, k, t) else { return false };
    // Readers, which change only if all of them can.
    let mut readers: Vec<(usize, MInst<Vivante>)> = Vec::new();
    for (n, i) in insts.iter().enumerate().take(k).skip(p + 1).filter(|x| !gone[x.0]) {
        let writes = |x: u16| i.defs.iter().filter_map(|d| d.phys()).any(|d| covers(d, x));
        let odd = i.target_op().is_none() || i.labels().next().is_some();
        if odd || plan.made.iter().any(|m| writes(m.0)) || plan.fresh.iter().any(|&x| writes(x) || reads(i, x)) {
            return false;
        }
        match reader(i, &plan, |_| true) {
            Some(Some(new)) => readers.push((n, new)),
            Some(None) => {}
            None => return false,
        }
    }
    // Behind the copy both places hold it, until one of them is written.
    let mut old: SmallVec<[u16; 4]> = plan.made.iter().filter(|m| m.1 != Some(m.0)).map(|m| m.0).collect();
    let mut overwritten: SmallVec<[u16; 4]> = SmallVec::new();
    for (n, i) in insts.iter().enumerate().skip(k + 1).filter(|x| !gone[x.0]) {
        if old.is_empty() {
            break;
        }
        let still = |x: u16| old.contains(&x);
        if plan.made.iter().any(|m| still(m.0) && reads(i, m.0)) {
            let lost = plan
                .made
                .iter()
                .any(|m| still(m.0) && reads(i, m.0) && m.1.is_some_and(|to| overwritten.contains(&to)));
            // Others may read the same place, which is another value by then.
            match reader(i, &plan, still) {
                Some(Some(new)) if !lost && n - k <= REACH => readers.push((n, new)),
                _ => return false,
            }
        }
        for d in i.defs.iter().filter_map(|d| d.phys()) {
            old.retain(|x| !covers(d, *x));
            overwritten.extend(plan.fresh.iter().copied().filter(|&x| covers(d, x)));
        }
    }
    if old.iter().any(|&x| has(out, x)) || !settle(&mut insts[p], &plan, t) {
        return false;
    }
    for (n, new) in readers {
        insts[n] = new;
    }
    for &(x, to) in &plan.made {
        if to != Some(x) {
            set(live, x, false);
        }
    }
    for &x in &plan.fresh {
        set(live, x, true);
    }
    true
}

/// The instruction that makes what is copied, and where its components are to go.
fn producer(insts: &[MInst<Vivante>], k: usize, t: &Vivante) -> Option<(usize, Plan)> {
    let copy = &insts[k];
    let (true, [d], [u]) = (is_copy(copy), copy.defs.as_slice(), copy.uses.as_slice()) else { return None };
    let (to, from) = (d.phys()?, u.phys()?);
    if to.file != FILE || from.file != FILE || t.in_arrays(to) || t.in_arrays(from) {
        return None;
    }
    let pairs: SmallVec<[(u16, u16); 4]> =
        to.place.units().enumerate().map(|(n, x)| (unit(from, u.mods.swz[n]), x)).collect();
    let p = (k.saturating_sub(REACH)..k).rev().find(|&p| {
        let i = &insts[p];
        i.defs.iter().filter_map(|d| d.phys()).any(|d| pairs.iter().any(|x| covers(d, x.0)))
    })?;
    let i = &insts[p];
    let [d] = i.defs.as_slice() else { return None };
    let made = d.phys()?;
    // On gc2000 what gives pairs elsewhere gives one number.
    let single = makes_one(i, t) && i.mods.round == machine::Round::Default;
    if !(may_write_elsewhere(i) || single) || i.mods.indexed || !pairs.iter().all(|x| covers(made, x.0)) {
        return None;
    }
    // An exchange of SIN and COS with their own source is not allowed on gc2000.
    let row = to.place.row(4);
    let own = |u: &Use<Vivante>| u.phys().is_some_and(|s| s.file == FILE && s.place.row(4) == row);
    if matches!(i.target_op(), Some(VOp::M(Op::Sin | Op::Cos))) && i.uses.iter().any(own) {
        return None;
    }
    let beside = made.place.row(4) == row;
    let one = makes_one(i, t);
    let goes = |x: u16| {
        if one {
            return Some(pairs[0].1);
        }
        match pairs.iter().find(|p| p.0 == x) {
            Some(p) => Some(p.1),
            None => beside.then_some(x),
        }
    };
    let map: SmallVec<[(u16, Option<u16>); 4]> = made.place.units().map(|x| (x, goes(x))).collect();
    let taken = |x: u16| pairs.iter().filter(|p| p.0 == x).count();
    // A component in two places, and one that the copy writes over, are for others.
    let distinct = one || pairs.iter().all(|p| taken(p.0) == 1);
    let over = !one && pairs.iter().any(|p| covers(made, p.1));
    if !distinct || over || (one && pairs.iter().any(|p| covers(made, p.1))) {
        return None;
    }
    let fresh = pairs.iter().map(|p| p.1).collect();
    Some((p, Plan { made: map, fresh }))
}

/// Whether an instruction gives one number to all components that it writes.
fn makes_one(i: &MInst<Vivante>, t: &Vivante) -> bool {
    let Some(VOp::M(op)) = i.target_op() else { return false };
    match op.row().attrs.class {
        Class::Vector | Class::IntVector => !t.is_vector(op, i.mods.ty),
        Class::Scalar => true,
        Class::Reduce => !matches!(op, Op::Dst | Op::Litp),
        _ => false,
    }
}

fn covers(p: PReg, x: u16) -> bool {
    p.file == FILE && p.place.units().any(|y| y == x)
}

fn reads(i: &MInst<Vivante>, x: u16) -> bool {
    i.uses.iter().any(|u| u.phys().is_some_and(|p| p.file == FILE && u.mods.swz.iter().any(|&c| unit(p, c) == x)))
}

/// An instruction that reads the new places instead: nothing if it reads none of the old ones; no answer if it cannot.
fn reader(i: &MInst<Vivante>, plan: &Plan, still: impl Fn(u16) -> bool) -> Option<Option<MInst<Vivante>>> {
    let mut new: Option<MInst<Vivante>> = None;
    for (n, u) in i.uses.iter().enumerate() {
        let Some(p) = u.phys().filter(|p| p.file == FILE) else { continue };
        let old = u.mods.swz.map(|c| unit(p, c));
        let mut now = old;
        for x in &mut now {
            if let Some(to) = plan.goes(*x).filter(|_| still(*x)) {
                *x = to?;
            }
        }
        if now == old {
            continue;
        }
        let row = now[0] / 4;
        // The end reads where hardware does, and an index may be any.
        let fixed = i.target_op() == Some(VOp::End) || i.mods.indexed || u.mods.indexed;
        if fixed || now.iter().any(|x| x / 4 != row) {
            return None;
        }
        let written = i.defs.iter().filter_map(|d| d.phys()).any(|d| d.file == FILE && d.place.row(4) == row);
        if written && matches!(i.target_op(), Some(VOp::M(Op::Sin | Op::Cos))) {
            return None;
        }
        let mask = now.iter().fold(0u32, |m, x| m | 1 << (x % 4));
        let place = Placement::mask(row * 4, mask);
        let out = &mut new.get_or_insert_with(|| i.clone()).uses[n];
        out.src = Src::Reg(Reg::P(PReg { file: FILE, place }));
        out.mods.swz = now.map(|x| place.units().position(|y| y == x).unwrap_or(0) as u8);
    }
    Some(new)
}

/// Lets the producer write the new places.
fn settle(i: &mut MInst<Vivante>, plan: &Plan, t: &Vivante) -> bool {
    let one = makes_one(i, t);
    let mut units: SmallVec<[(u16, usize); 4]> = SmallVec::new();
    if one {
        units.extend(plan.fresh.iter().map(|&x| (x, 0)));
    } else {
        units.extend(plan.made.iter().enumerate().filter_map(|(n, m)| Some((m.1?, n))));
    }
    units.sort_unstable();
    let row = units[0].0 / 4;
    if units.iter().any(|x| x.0 / 4 != row) {
        return false;
    }
    let place = Placement::mask(row * 4, units.iter().fold(0, |m, x| m | 1 << (x.0 % 4)));
    let order: SmallVec<[usize; 4]> = units.iter().map(|x| x.1).collect();
    if !one && !reorder(i, &order, t) {
        return false;
    }
    i.defs[0].reg = Reg::P(PReg { file: FILE, place });
    true
}
