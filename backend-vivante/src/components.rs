//! Queries of the passes that move components of temporaries: which components an instruction reads and writes, which are live, and
//! whether it may write another register. Physical registers.

use gpucc_mir::{MFunc, MInst, PReg, labels};
use gpucc_vivante_machine as machine;
use machine::{Class, Op};

use crate::inst::{FILE, VOp, Vivante};

/// Components of all temporaries.
pub type Set = [u64; 4];

/// Puts a component into a set, or takes it out.
pub fn set(s: &mut Set, unit: u16, on: bool) {
    let bit = 1 << (unit % 64);
    if on {
        s[usize::from(unit) / 64] |= bit;
    } else {
        s[usize::from(unit) / 64] &= !bit;
    }
}

/// Whether a component is in a set.
pub fn has(s: &Set, unit: u16) -> bool {
    s[usize::from(unit) / 64] >> (unit % 64) & 1 == 1
}

/// Whether an instruction copies components as they are.
pub fn is_copy(i: &MInst<Vivante>) -> bool {
    i.target_op() == Some(VOp::M(Op::Mov))
        && !i.mods.sat
        && !i.mods.indexed
        && matches!(i.uses.as_slice(), [u] if u.mods.is_plain())
}

/// The unit that a component of an operand reads.
pub fn unit(p: PReg, c: u8) -> u16 {
    p.place.unit(u16::from(c).min(p.place.len() - 1))
}

/// Lets each result of an instruction be what the one of that number was. False if it cannot.
pub fn reorder(i: &mut MInst<Vivante>, order: &[usize], t: &Vivante) -> bool {
    if order.iter().enumerate().all(|(k, &o)| k == o) {
        return true;
    }
    let Some(VOp::M(op)) = i.target_op() else { return false };
    let reordered = |old: [u8; 4]| {
        let mut new = [old[order[order.len() - 1]]; 4];
        for (n, &o) in new.iter_mut().zip(order) {
            *n = old[o];
        }
        new
    };
    match op.row().attrs.class {
        Class::Texture => i.mods.texel = reordered(i.mods.texel),
        Class::Vector | Class::IntVector if t.is_vector(op, i.mods.ty) => {
            // The last operand would be the index.
            if i.uses.iter().any(|u| u.mods.indexed) {
                return false;
            }
            i.uses.iter_mut().for_each(|u| u.mods.swz = reordered(u.mods.swz));
        }
        // One result in all components.
        Class::Reduce => return !matches!(op, Op::Dst | Op::Litp),
        Class::Vector | Class::IntVector | Class::Scalar => {}
        _ => return false,
    }
    true
}

/// Whether an operation may write another register: what goes through lanes one by one without rules for its destination.
pub fn may_write_elsewhere(i: &MInst<Vivante>) -> bool {
    let Some(VOp::M(op)) = i.target_op() else { return false };
    let class = op.row().attrs.class;
    !op.has_pair()
        && op != Op::Movai
        && matches!(class, Class::Vector | Class::IntVector | Class::Scalar | Class::Reduce | Class::Texture)
}

/// The live registers at the beginning of the blocks, and where those go.
pub struct Liveness {
    live_in: Vec<Set>,
    succs: Vec<Vec<usize>>,
}

impl Liveness {
    pub fn new(mf: &MFunc<Vivante>, t: &Vivante) -> Liveness {
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
    pub fn out_of(&self, b: usize) -> Set {
        let mut live = [0u64; 4];
        for &s in &self.succs[b] {
            for (a, x) in live.iter_mut().zip(&self.live_in[s]) {
                *a |= x;
            }
        }
        live
    }
}

/// Liveness above an instruction from that below it.
pub fn pass(i: &MInst<Vivante>, live: &mut Set, t: &Vivante) {
    for d in i.defs.iter().filter_map(|d| d.phys()).filter(|d| d.file == FILE && !t.in_arrays(*d)) {
        d.place.units().for_each(|u| set(live, u, false));
    }
    for u in &i.uses {
        let Some(p) = u.phys().filter(|p| p.file == FILE) else { continue };
        u.mods.swz.iter().for_each(|&c| set(live, unit(p, c), true));
    }
}
