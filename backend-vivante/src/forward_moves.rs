//! Copies between temporaries are read at their source, and those that nobody reads then go; what is only copied is made
//! where the copy is.
//!
//! ```text
//! mov t3.x___, 0                          mov t3.xyz_, 0        (with `merge_lanes`)
//! mov t3._yz_, t3.xxxx          ==>
//! ```
//!
//! A copy may exchange components, if the producer can make them in that order: `mul t1, t2, t3; mov t1, t1.zyxw` is
//! `mul t1, t2.zyxw, t3.zyxw`.
//!
//! Elements of indexed variables at constant places are temporaries like others, until an indexed write. Inside blocks; what
//! is live at their ends is known by components. Needs: physical registers, terminators that name every successor by label.

use gpucc_mir::{MFunc, MInst, PReg, Placement, Reg, Src, Target, Use, labels};
use gpucc_vivante_machine as machine;
use machine::{Class, Op};
use smallvec::SmallVec;

use crate::inst::{FILE, SrcMods, VOp, Vivante};

/// Components of all temporaries.
type Set = [u64; 4];

fn set(s: &mut Set, unit: u16, on: bool) {
    let bit = 1 << (unit % 64);
    if on {
        s[usize::from(unit) / 64] |= bit;
    } else {
        s[usize::from(unit) / 64] &= !bit;
    }
}

fn has(s: &Set, unit: u16) -> bool {
    s[usize::from(unit) / 64] >> (unit % 64) & 1 == 1
}

/// The known contents of a component.
#[derive(Clone, Copy, PartialEq)]
enum Known {
    Nothing,
    Unit(u16),
    Imm(u32),
}

/// Runs the pass; gives the number of instructions that disappeared.
pub fn run(mf: &mut MFunc<Vivante>, t: &Vivante) -> usize {
    for insts in &mut mf.code {
        let mut known = [Known::Nothing; 256];
        for i in insts {
            // A value at the end stays where the hardware looks for it.
            let end = i.target_op() == Some(VOp::End);
            for k in 0..if end { 0 } else { i.uses.len() } {
                read(i, k, &known);
            }
            written(i, &mut known, t);
        }
    }
    remove(mf, t)
}

fn is_copy(i: &MInst<Vivante>) -> bool {
    i.target_op() == Some(VOp::M(Op::Mov))
        && !i.mods.sat
        && !i.mods.indexed
        && matches!(i.uses.as_slice(), [u] if u.mods.is_plain())
}

/// The unit that a component of an operand reads.
fn unit(p: PReg, c: u8) -> u16 {
    p.place.unit(u16::from(c).min(p.place.len() - 1))
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
fn written(i: &MInst<Vivante>, known: &mut [Known; 256], t: &Vivante) {
    let Some(d) = i.defs.first().and_then(|d| d.phys()).filter(|d| d.file == FILE) else { return };
    if i.mods.indexed {
        // Any element may have changed.
        let first = t.array_row * 4;
        for (u, x) in known.iter_mut().enumerate() {
            if u >= usize::from(first) || matches!(x, Known::Unit(s) if *s >= first) {
                *x = Known::Nothing;
            }
        }
        return;
    }
    let mut now: Vec<(u16, Known)> = Vec::new();
    for (k, unit_of) in d.place.units().enumerate() {
        let value = match (is_copy(i), i.uses.first().map(|u| (u.src, u.mods.swz))) {
            (true, Some((Src::Imm(bits), _))) => Known::Imm(bits),
            (true, Some((Src::Reg(Reg::P(p)), swz))) if p.file == FILE => Known::Unit(unit(p, swz[k])),
            _ => Known::Nothing,
        };
        now.push((unit_of, value));
    }
    for &(u, _) in &now {
        for x in known.iter_mut().filter(|x| **x == Known::Unit(u)) {
            *x = Known::Nothing;
        }
        known[usize::from(u)] = Known::Nothing;
    }
    for &(u, value) in &now {
        // A source that this very instruction overwrites is gone.
        let gone = matches!(value, Known::Unit(s) if now.iter().any(|n| n.0 == s));
        if !gone {
            known[usize::from(u)] = value;
        }
    }
}

/// The live registers at the beginning of the blocks, and where those go.
struct Liveness {
    live_in: Vec<Set>,
    succs: Vec<Vec<usize>>,
}

impl Liveness {
    fn new(mf: &MFunc<Vivante>, t: &Vivante) -> Liveness {
        let n = mf.blocks.len();
        let succs: Vec<Vec<usize>> =
            mf.code.iter().map(|insts| labels(insts).map(|l| l.0 as usize).collect()).collect();
        let mut l = Liveness { live_in: vec![[0; 4]; n], succs };
        loop {
            let mut changed = false;
            for b in (0..n).rev() {
                let mut live = l.out_of(b);
                for i in mf.code[b].iter().rev() {
                    pass(i, &mut live, t);
                }
                if live != l.live_in[b] {
                    l.live_in[b] = live;
                    changed = true;
                }
            }
            if !changed {
                return l;
            }
        }
    }

    /// The live registers at the end of a block.
    fn out_of(&self, b: usize) -> Set {
        let mut live = [0u64; 4];
        for &s in &self.succs[b] {
            for (a, x) in live.iter_mut().zip(&self.live_in[s]) {
                *a |= x;
            }
        }
        live
    }
}

/// Removes what nobody reads, and lets the producer of a copied value write where the copy goes.
fn remove(mf: &mut MFunc<Vivante>, t: &Vivante) -> usize {
    let liveness = Liveness::new(mf, t);
    let mut removed = 0;
    for (b, insts) in mf.code.iter_mut().enumerate() {
        let mut live = liveness.out_of(b);
        let mut gone = vec![false; insts.len()];
        for k in (0..insts.len()).rev() {
            let above = &mut insts[..=k];
            if is_dead(&above[k], &live, t) || retarget(above, &live, t) || exchange(above, t) {
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

/// Lets each result of an instruction be what the one of that number was. False if it cannot.
fn reorder(i: &mut MInst<Vivante>, order: &[usize], t: &Vivante) -> bool {
    if order.iter().enumerate().all(|(k, &o)| k == o) {
        return true;
    }
    let Some(VOp::M(op)) = i.target_op() else { return false };
    let turned = |old: [u8; 4]| {
        let mut new = [old[order[order.len() - 1]]; 4];
        for (n, &o) in new.iter_mut().zip(order) {
            *n = old[o];
        }
        new
    };
    match op.row().attrs.class {
        Class::Texture => i.mods.texel = turned(i.mods.texel),
        Class::Vector | Class::IntVector if t.is_vector(op, i.mods.ty) => {
            // The last operand would be the index.
            if i.uses.iter().any(|u| u.mods.indexed) {
                return false;
            }
            i.uses.iter_mut().for_each(|u| u.mods.swz = turned(u.mods.swz));
        }
        // One result in all components.
        Class::Reduce => return !matches!(op, Op::Dst | Op::Litp),
        Class::Vector | Class::IntVector | Class::Scalar => {}
        _ => return false,
    }
    true
}

/// If the last instruction exchanges components of a register that one instruction made, that one makes them where they go: red and
/// blue of a colour, say. True if the copy is not needed any more.
fn exchange(insts: &mut [MInst<Vivante>], t: &Vivante) -> bool {
    let Some((copy, above)) = insts.split_last_mut() else { return false };
    let (true, [d], [u]) = (is_copy(copy), copy.defs.as_slice(), copy.uses.as_slice()) else { return false };
    let (Some(to), Some(from)) = (d.phys(), u.phys()) else { return false };
    let inside = |x: u16, p: PReg| p.place.units().position(|y| y == x);
    let read: SmallVec<[u16; 4]> = u.mods.swz.iter().take(to.place.len().into()).map(|&c| unit(from, c)).collect();
    if to.file != FILE || from.file != FILE || t.in_arrays(to) || !read.iter().all(|&x| inside(x, to).is_some()) {
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

/// Whether an operation may write another register: what goes through lanes one by one without rules for its destination.
fn may_write_elsewhere(i: &MInst<Vivante>) -> bool {
    let Some(VOp::M(op)) = i.target_op() else { return false };
    let class = op.row().attrs.class;
    !op.has_pair()
        && op != Op::Movai
        && matches!(class, Class::Vector | Class::IntVector | Class::Scalar | Class::Reduce | Class::Texture)
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

/// Liveness above an instruction from that below it.
fn pass(i: &MInst<Vivante>, live: &mut Set, t: &Vivante) {
    for d in i.defs.iter().filter_map(|d| d.phys()).filter(|d| d.file == FILE && !t.in_arrays(*d)) {
        d.place.units().for_each(|u| set(live, u, false));
    }
    for u in &i.uses {
        let Some(p) = u.phys().filter(|p| p.file == FILE) else { continue };
        u.mods.swz.iter().for_each(|&c| set(live, unit(p, c), true));
    }
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
