//! Copies between temporaries are read at their source, and those that nobody reads then go; what is only copied is made
//! where the copy is.
//!
//! ```text
//! mov t3.x___, 0                          mov t3.xyz_, 0        (with `merge_lanes`)
//! mov t3._yz_, t3.xxxx          ==>
//! ```
//!
//! A copy may exchange components, if the producer can make them in that order: `mul t1, t2, t3; mov t1, t1.zyxw` is
//! `mul t1, t2.zyxw, t3.zyxw`. A vector that is copied beside one new component lives in the place of the copy from the start:
//!
//! ```text
//! mul t0, u0, t2                          mul t1, u0, t2
//! mad t1.__z_, t0.zzzz, 2, -t0.wwww       mad t1.__z_, t1.zzzz, 2, -t1.wwww
//! mov t1.xy_w, t0.xyyw          ==>
//! ```
//!
//! Elements of indexed variables at constant places are temporaries like others, until an indexed write. What a copy holds is known
//! behind its block, where all ways agree; instructions go inside blocks, and what is live at their ends is known by components. Needs: physical registers, terminators that name every successor by label.

use gpucc_mir::{MFunc, MInst, PReg, Placement, Reg, Src, Target, Use, labels};
use gpucc_vivante_machine as machine;
use machine::Op;
use smallvec::SmallVec;

use crate::components::{Liveness, Set, has, is_copy, may_write_elsewhere, pass, reorder, set, unit};
use crate::inst::{FILE, SrcMods, VOp, Vivante};
use crate::resettle;

/// The known contents of a component.
#[derive(Clone, Copy, PartialEq)]
enum Known {
    Nothing,
    Unit(u16),
    Imm(u32),
}

/// The known contents of all components.
struct Contents {
    of: [Known; 256],
    /// The components that others may be copies of: a write to any other one makes no copy stale.
    sources: Set,
}

impl Contents {
    fn learn(&mut self, unit: u16, value: Known) {
        self.of[usize::from(unit)] = value;
        if let Known::Unit(source) = value {
            set(&mut self.sources, source, true);
        }
    }

    /// Forgets a component that is written, and its copies.
    fn forget(&mut self, unit: u16) {
        self.of[usize::from(unit)] = Known::Nothing;
        if has(&self.sources, unit) {
            set(&mut self.sources, unit, false);
            for x in self.of.iter_mut().filter(|x| **x == Known::Unit(unit)) {
                *x = Known::Nothing;
            }
        }
    }
}

/// Runs the pass; gives the number of instructions that disappeared.
pub fn run(mf: &mut MFunc<Vivante>, t: &Vivante) -> usize {
    let mut repeated = 0;
    let ways = ways_in(mf);
    let mut at_end: Vec<Option<Vec<(u16, Known)>>> = vec![None; mf.code.len()];
    for (b, insts) in mf.code.iter_mut().enumerate() {
        let mut known = agreed(&ways[b], &at_end);
        insts.retain_mut(|i| {
            // A value at the end stays where the hardware looks for it.
            let end = i.target_op() == Some(VOp::End);
            for k in 0..if end { 0 } else { i.uses.len() } {
                read(i, k, &known.of);
            }
            if repeats(i, &known.of) {
                repeated += 1;
                return false;
            }
            written(i, &mut known, t);
            true
        });
        let said = known.of.iter().enumerate().filter(|(_, k)| **k != Known::Nothing);
        at_end[b] = Some(said.map(|(u, k)| (u as u16, *k)).collect());
    }
    repeated + remove(mf, t)
}

/// The blocks that lead to each.
fn ways_in(mf: &MFunc<Vivante>) -> Vec<SmallVec<[usize; 2]>> {
    let mut ways = vec![SmallVec::new(); mf.code.len()];
    for (b, insts) in mf.code.iter().enumerate() {
        for l in labels(insts) {
            ways[l.0 as usize].push(b);
        }
    }
    ways
}

/// The copies known on every edge into a block; none where one of the edges comes from further down.
fn agreed(ways: &[usize], at_end: &[Option<Vec<(u16, Known)>>]) -> Contents {
    let mut known = Contents { of: [Known::Nothing; 256], sources: [0; 4] };
    let Some((&first, others)) = ways.split_first() else { return known };
    if ways.iter().any(|&w| at_end[w].is_none()) {
        return known;
    }
    for &(u, k) in at_end[first].iter().flatten() {
        if others.iter().all(|&w| at_end[w].as_ref().is_some_and(|l| l.contains(&(u, k)))) {
            known.learn(u, k);
        }
    }
    known
}

/// Whether a copy gives components what they hold: layers and levels of samples one after the other, say.
fn repeats(i: &MInst<Vivante>, known: &[Known; 256]) -> bool {
    let (true, [d], [u]) = (is_copy(i), i.defs.as_slice(), i.uses.as_slice()) else { return false };
    let Some(d) = d.phys().filter(|d| d.file == FILE) else { return false };
    d.place.units().enumerate().all(|(k, x)| copied(u, k).is_some_and(|c| known[usize::from(x)] == c))
}

/// The source of this component of a copy, if it is known.
fn copied(u: &Use<Vivante>, k: usize) -> Option<Known> {
    match u.src {
        Src::Imm(bits) => Some(Known::Imm(bits)),
        Src::Reg(Reg::P(p)) if p.file == FILE => Some(Known::Unit(unit(p, u.mods.swz[k]))),
        _ => None,
    }
}

/// Reads an operand where its value comes from.
fn read(i: &mut MInst<Vivante>, k: usize, known: &[Known; 256]) {
    let u = i.uses[k];
    let Some(p) = u.phys() else { return };
    if p.file != FILE || u.mods.indexed {
        return;
    }
    let from: [Known; 4] = u.mods.swz.map(|c| known[usize::from(unit(p, c))]);
    if let Known::Imm(bits) = from[0]
        && is_copy(i)
        && from.iter().all(|f| *f == from[0])
    {
        i.uses[k] = Use::imm(bits);
        return;
    }
    let units: [u16; 4] = core::array::from_fn(|c| match from[c] {
        Known::Unit(x) => x,
        _ => unit(p, u.mods.swz[c]),
    });
    let moved = from.iter().any(|f| matches!(f, Known::Unit(_)));
    let row = units[0] / 4;
    if !moved || units.iter().any(|x| x / 4 != row) {
        return;
    }
    // An exchange of SIN and COS with their own source is not allowed on gc2000: leave those.
    if matches!(i.target_op(), Some(VOp::M(Op::Sin | Op::Cos))) {
        return;
    }
    let mask = units.iter().fold(0u32, |m, x| m | 1 << (x % 4));
    let place = Placement::mask(row * 4, mask);
    let swz = units.map(|x| place.units().position(|y| y == x).unwrap_or(0) as u8);
    i.uses[k].src = Src::Reg(Reg::P(PReg { file: FILE, place }));
    i.uses[k].mods = SrcMods { swz, ..u.mods };
}

/// Notes what an instruction writes.
fn written(i: &MInst<Vivante>, known: &mut Contents, t: &Vivante) {
    let Some(d) = i.defs.first().and_then(|d| d.phys()).filter(|d| d.file == FILE) else { return };
    if i.mods.indexed {
        // Any element may have changed.
        let first = t.array_row * 4;
        for (u, x) in known.of.iter_mut().enumerate() {
            if u >= usize::from(first) || matches!(x, Known::Unit(s) if *s >= first) {
                *x = Known::Nothing;
            }
        }
        return;
    }
    let mut now: SmallVec<[(u16, Known); 4]> = SmallVec::new();
    for (k, unit_of) in d.place.units().enumerate() {
        let source = i.uses.first().filter(|_| is_copy(i));
        let value = source.and_then(|u| copied(u, k)).unwrap_or(Known::Nothing);
        now.push((unit_of, value));
    }
    for &(u, _) in &now {
        known.forget(u);
    }
    for &(u, value) in &now {
        // A source that this very instruction overwrites is gone.
        let gone = matches!(value, Known::Unit(s) if now.iter().any(|n| n.0 == s));
        if !gone {
            known.learn(u, value);
        }
    }
}

/// Removes what nobody reads, and lets the producer of a copied value write where the copy goes.
fn remove(mf: &mut MFunc<Vivante>, t: &Vivante) -> usize {
    let liveness = Liveness::new(mf, t);
    let mut removed = 0;
    for (b, insts) in mf.code.iter_mut().enumerate() {
        let out = liveness.out_of(b);
        let mut live = out;
        let mut gone = vec![false; insts.len()];
        for k in (0..insts.len()).rev() {
            let above = &mut insts[..=k];
            if is_dead(&above[k], &live, t)
                || retarget(above, &live, t)
                || exchange(above, t)
                || rename(above, &live, t)
                || resettle::run(insts, &gone, k, &mut live, &out, t)
            {
                gone[k] = true;
                removed += 1;
                continue;
            }
            pass(&insts[k], &mut live, t);
        }
        let mut k = 0;
        insts.retain(|_| {
            k += 1;
            !gone[k - 1]
        });
    }
    removed
}

/// How far above a copy the producer of its value may be.
const REACH: usize = 32;

/// If the last instruction copies a value that nobody reads behind it, its producer writes the copy instead.
/// `live` is what is live behind the copy. True if the copy is not needed any more.
fn retarget(insts: &mut [MInst<Vivante>], live: &Set, t: &Vivante) -> bool {
    let Some((copy, above)) = insts.split_last_mut() else { return false };
    let (true, [d], [u]) = (is_copy(copy), copy.defs.as_slice(), copy.uses.as_slice()) else { return false };
    let (Some(to), Some(from)) = (d.phys(), u.phys()) else { return false };
    // For each component of the copy: which of the value's it is.
    let order = order_of(from, u.mods.swz, usize::from(to.place.len()));
    let all_read = (0..usize::from(from.place.len())).all(|k| order.contains(&k));
    if to.file != FILE
        || from.file != FILE
        || t.in_arrays(from)
        || to.place.len() != from.place.len()
        || to.place.overlaps(from.place)
        || !all_read
        || from.place.units().any(|x| has(live, x))
    {
        return false;
    }
    let array = t.in_arrays(to);
    for i in above.iter_mut().rev().take(REACH) {
        let writes = |place: Placement| {
            i.defs.iter().filter_map(|d| d.phys()).any(|p| p.file == FILE && p.place.overlaps(place))
        };
        let indexed = i.mods.indexed || i.uses.iter().any(|u| u.mods.indexed);
        if writes(from.place) {
            let whole = i.defs.len() == 1 && i.defs[0].phys() == Some(from);
            if !whole || !may_write_elsewhere(i) || i.mods.indexed || !reorder(i, &order, t) {
                return false;
            }
            i.defs[0].reg = Reg::P(to);
            return true;
        }
        let reads =
            |place: Placement| i.uses.iter().filter_map(Use::phys).any(|p| p.file == FILE && p.place.overlaps(place));
        if writes(to.place) || reads(from.place) || reads(to.place) || (array && indexed) {
            return false;
        }
        if i.target_op().is_none() || i.labels().next().is_some() {
            return false;
        }
    }
    false
}

/// Which components of a place, by number, an operand reads for each of so many results.
fn order_of(from: PReg, swz: [u8; 4], count: usize) -> SmallVec<[usize; 4]> {
    let last = usize::from(from.place.len()) - 1;
    swz.iter().take(count).map(|&c| usize::from(c).min(last)).collect()
}

/// If the last instruction exchanges components of a register that one instruction made, that one makes them where they go: red and
/// blue of a colour, say. True if the copy is not needed any more.
fn exchange(insts: &mut [MInst<Vivante>], t: &Vivante) -> bool {
    let Some((copy, above)) = insts.split_last_mut() else { return false };
    let (true, [d], [u]) = (is_copy(copy), copy.defs.as_slice(), copy.uses.as_slice()) else { return false };
    let (Some(to), Some(from)) = (d.phys(), u.phys()) else { return false };
    // Components that stay where they are may be made by others.
    let staying = |&(k, x): &(usize, u16)| unit(from, u.mods.swz[k]) != x;
    let moving: SmallVec<[(usize, u16); 4]> = to.place.units().enumerate().filter(staying).collect();
    if moving.is_empty() || to.file != FILE {
        return false;
    }
    let mask = moving.iter().fold(0, |m, x| m | 1 << (x.1 % 4));
    let to = PReg { file: FILE, place: Placement::mask(to.place.row(4) * 4, mask) };
    let inside = |x: u16, p: PReg| p.place.units().position(|y| y == x);
    let read: SmallVec<[u16; 4]> = moving.iter().map(|x| unit(from, u.mods.swz[x.0])).collect();
    if from.file != FILE || t.in_arrays(to) || !read.iter().all(|&x| inside(x, to).is_some()) {
        return false;
    }
    for i in above.iter_mut().rev().take(REACH) {
        if i.target_op().is_none() || i.labels().next().is_some() {
            return false;
        }
        let overlaps = |p: PReg| p.file == FILE && p.place.overlaps(to.place);
        if i.defs.iter().filter_map(|d| d.phys()).any(overlaps) {
            let whole = match i.defs.as_slice() {
                [d] => d.phys().filter(|&p| to.place.units().all(|x| inside(x, p).is_some())),
                _ => None,
            };
            let (Some(made), true) = (whole, may_write_elsewhere(i) && !i.mods.indexed) else { return false };
            // A component that the copy leaves alone stays what it was.
            let number = |(k, x): (usize, u16)| inside(x, to).map_or(Some(k), |j| inside(read[j], made));
            let order: Option<SmallVec<[usize; 4]>> = made.place.units().enumerate().map(number).collect();
            return order.is_some_and(|order| reorder(i, &order, t));
        }
        if i.uses.iter().filter_map(Use::phys).any(overlaps) {
            return false;
        }
    }
    false
}

/// If the last instruction copies components of a vector to the same ones of another register, and nobody reads the vector behind it, the
/// vector is made there, and whoever reads it in between reads it there. What else is written to that register in between takes the
/// place of components that are not read again. True if the copy is not needed any more.
fn rename(insts: &mut [MInst<Vivante>], live: &Set, t: &Vivante) -> bool {
    let Some((copy, above)) = insts.split_last_mut() else { return false };
    let (true, [d], [u]) = (is_copy(copy), copy.defs.as_slice(), copy.uses.as_slice()) else { return false };
    let (Some(to), Some(from)) = (d.phys(), u.phys()) else { return false };
    let (row, old) = (to.place.row(4), from.place.row(4));
    let same = |(k, x): (usize, u16)| unit(from, u.mods.swz[k]) == x - row * 4 + old * 4;
    if to.file != FILE
        || from.file != FILE
        || row == old
        || t.in_arrays(to)
        || t.in_arrays(from)
        || !to.place.units().enumerate().all(same)
    {
        return false;
    }
    let copied = to.place.lanes(4);
    let Some(at) = above.iter().rposition(|i| writes(i, old) & copied != 0) else { return false };
    let (inside, producer) = (&above[at + 1..], &above[at]);
    let made = writes(producer, old);
    let one = matches!(producer.defs.as_slice(), [d] if d.phys().is_some_and(|p| p.file == FILE));
    if inside.len() > REACH || !one || copied & !made != 0 || !may_write_elsewhere(producer) || producer.mods.indexed {
        return false;
    }
    // The components of the vector that are in the new place.
    let mut held = made;
    for i in inside {
        let (mine, others) = (reads(i, old), reads(i, row));
        // An exchange of SIN and COS with their own source is not allowed on gc2000.
        let fixed = !may_write_elsewhere(i) || matches!(i.target_op(), Some(VOp::M(Op::Sin | Op::Cos)));
        let odd = i.target_op().is_none() || i.labels().next().is_some() || i.mods.indexed || fixed && mine & made != 0;
        let gone = mine & made & !held != 0 || others & held != 0 || writes(i, old) & made != 0;
        if odd || gone || writes(i, row) & copied != 0 || i.uses.iter().any(|u| splits(u, old, made)) {
            return false;
        }
        held &= !writes(i, row);
    }
    let lives = |row: u16, lanes: u32| (0..4).any(|c| lanes >> c & 1 == 1 && has(live, row * 4 + c));
    if lives(old, made) || lives(row, held & !copied) {
        return false;
    }
    let moved = |p: PReg| Reg::P(PReg { file: FILE, place: Placement::mask(row * 4, p.place.lanes(4)) });
    for u in above[at + 1..].iter_mut().flat_map(|i| &mut i.uses) {
        if let Some(p) = u.phys().filter(|_| lanes_read(u, old) & made != 0) {
            u.src = Src::Reg(moved(p));
        }
    }
    if let Some(p) = above[at].defs[0].phys() {
        above[at].defs[0].reg = moved(p);
    }
    true
}

/// Components of a temporary that an instruction writes.
fn writes(i: &MInst<Vivante>, row: u16) -> u32 {
    let of = |p: PReg| if p.file == FILE && p.place.row(4) == row { p.place.lanes(4) } else { 0 };
    i.defs.iter().filter_map(|d| d.phys()).fold(0, |m, p| m | of(p))
}

/// Those that an operand reads.
fn lanes_read(u: &Use<Vivante>, row: u16) -> u32 {
    let Some(p) = u.phys().filter(|p| p.file == FILE && p.place.row(4) == row) else { return 0 };
    u.mods.swz.iter().fold(0, |m, &c| m | 1 << (unit(p, c) % 4))
}

/// Those that an instruction reads.
fn reads(i: &MInst<Vivante>, row: u16) -> u32 {
    i.uses.iter().fold(0, |m, u| m | lanes_read(u, row))
}

/// Whether an operand reads some of these components of a temporary and others besides.
fn splits(u: &Use<Vivante>, row: u16, lanes: u32) -> bool {
    let read = lanes_read(u, row);
    read & lanes != 0 && read & !lanes != 0
}

fn is_dead(i: &MInst<Vivante>, live: &Set, t: &Vivante) -> bool {
    let Some(VOp::M(_)) = i.target_op() else { return false };
    let info = t.info(i);
    let d = match i.defs.as_slice() {
        [d] => d.phys(),
        _ => None,
    };
    let Some(d) = d.filter(|d| d.file == FILE && !t.in_arrays(*d)) else { return false };
    info.can_dce() && !i.mods.indexed && d.place.units().all(|u| !has(live, u))
}

/// Removes MOVs that leave every component where it is. Needs: physical registers. Returns how many.
pub fn identities(mf: &mut MFunc<Vivante>) -> usize {
    let mut removed = 0;
    for insts in &mut mf.code {
        let before = insts.len();
        insts.retain(|i| !is_identity(i));
        removed += before - insts.len();
    }
    removed
}

fn is_identity(i: &MInst<Vivante>) -> bool {
    let (Some(VOp::M(Op::Mov)), [d], [u]) = (i.target_op(), i.defs.as_slice(), i.uses.as_slice()) else { return false };
    let (Some(d), Some(s)) = (d.phys(), u.phys()) else { return false };
    let same = |(k, unit): (usize, u16)| s.place.unit(u16::from(u.mods.swz[k]).min(s.place.len() - 1)) == unit;
    !i.mods.sat && !i.mods.indexed && u.mods.is_plain() && d.file == s.file && d.place.units().enumerate().all(same)
}
