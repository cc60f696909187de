//! Copies between temporaries are read at their source, and those that nobody reads then go.
//!
//! ```text
//! mov t3.x___, 0                          mov t3.xyz_, 0        (with `merge::lanes`)
//! mov t3._yz_, t3.xxxx          ==>
//! ```
//!
//! Elements of indexed variables at constant places are temporaries like others, until an indexed write. Inside blocks; what is live at their ends is known by components. Needs: physical registers, terminators that name
//! every successor by label.

use gpucc_mir::{MFunc, MInst, PReg, Placement, Reg, Src, Target, Use};
use gpucc_vivante_machine as machine;
use machine::Op;

use crate::target::{FILE, SrcMods, VOp, Vivante};

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

/// What a component is known to hold.
#[derive(Clone, Copy, PartialEq)]
enum Known {
    Nothing,
    Unit(u16),
    Imm(u32),
}

/// Runs the pass; gives the number of instructions that disappeared.
pub fn run(mf: &mut MFunc<Vivante>, t: &Vivante) -> usize {
    for b in &mut mf.blocks {
        let mut known = [Known::Nothing; 256];
        for i in &mut b.insts {
            for k in 0..i.uses.len() {
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
        && i.uses.len() == 1
        && !i.uses[0].mods.indexed
        && !i.uses[0].mods.neg
        && !i.uses[0].mods.abs
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

/// Removes what nobody reads.
fn remove(mf: &mut MFunc<Vivante>, t: &Vivante) -> usize {
    let n = mf.blocks.len();
    let succs: Vec<Vec<usize>> =
        mf.blocks.iter().map(|b| b.insts.iter().flat_map(MInst::labels).map(|l| l.0 as usize).collect()).collect();
    let mut live_in: Vec<Set> = vec![[0; 4]; n];
    let out_of = |live_in: &[Set], b: usize| {
        let mut live = [0u64; 4];
        for &s in &succs[b] {
            for (a, x) in live.iter_mut().zip(&live_in[s]) {
                *a |= x;
            }
        }
        live
    };
    loop {
        let mut changed = false;
        for b in (0..n).rev() {
            let mut live = out_of(&live_in, b);
            for i in mf.blocks[b].insts.iter().rev() {
                pass(i, &mut live, t);
            }
            if live != live_in[b] {
                live_in[b] = live;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    let mut removed = 0;
    for b in 0..n {
        let mut live = out_of(&live_in, b);
        let mut kept = Vec::with_capacity(mf.blocks[b].insts.len());
        for i in std::mem::take(&mut mf.blocks[b].insts).into_iter().rev() {
            if is_dead(&i, &live, t) {
                removed += 1;
                continue;
            }
            pass(&i, &mut live, t);
            kept.push(i);
        }
        kept.reverse();
        mf.blocks[b].insts = kept;
    }
    removed
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
