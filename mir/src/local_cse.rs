//! Computes once what is computed twice, within a block or along paths without joins.
//!
//! Needs: each virtual register defined once. Keeps: blocks, edges and the order. Fires on what [`Target::reuse`] allows, as far
//! back as [`Target::reuse_window`] and [`Target::reuse_of`] remember: a register that waits for another use costs one.

use std::collections::BTreeMap;

use gpucc_regalloc::Cfg;
use smallvec::SmallVec;

use crate::fields::Fields;
use crate::func::MFunc;
use crate::inst::{Class, MInst, Reg, Reuse, Src, Target, VReg};

/// Number of blocks from which on each is on its own, since a table goes from block to block.
const LARGE: usize = 400;

/// Results that may be used again.
#[derive(Clone, Default)]
struct Known {
    /// Indices of instructions by a number that equal ones share.
    by_operands: BTreeMap<u64, SmallVec<[u32; 2]>>,
    /// The same, the least recently used first; only where they are limited.
    recent: Vec<(u64, u32)>,
}

impl Known {
    fn forget(&mut self, at: usize) {
        let (key, index) = self.recent.remove(at);
        if let Some(list) = self.by_operands.get_mut(&key) {
            list.retain(|k| *k != index);
        }
    }
}

/// A number that is equal for equal operands and modifiers: immediates may be either.
fn operands<T: Target>(i: &MInst<T>) -> u64 {
    let mut start = i.uses.len() as u64;
    i.mods.each(&mut |_, bits| start = (start.rotate_left(5) ^ u64::from(bits)).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    i.uses.iter().fold(start, |h, u| {
        let (tag, value) = match u.src {
            Src::Reg(Reg::V(v)) => (0, v.0),
            Src::Reg(Reg::P(p)) => (1, u32::from(p.place.base())),
            Src::Imm(v) => (2, v),
            Src::Uniform(v) => (3, v),
            Src::Label(b) => (4, b.0),
        };
        (h.rotate_left(23) ^ u64::from(value) ^ tag << 32).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    })
}

/// The register that an instruction defines, if that is all it defines and it may be another one.
fn result<T: Target>(i: &MInst<T>) -> Option<VReg> {
    let [d] = i.defs.as_slice() else { return None };
    d.vreg().filter(|_| d.fixed().is_none() && i.uses.iter().all(|u| u.fixed().is_none()))
}

/// Runs over a function. Returns how many instructions disappeared.
pub fn local_cse<T: Target>(mf: &mut MFunc<T>, t: &T) -> usize {
    let n = mf.blocks.len();
    let mut preds: Vec<SmallVec<[usize; 2]>> = vec![SmallVec::new(); n];
    for (b, block) in mf.blocks.iter().enumerate() {
        block.succs(Cfg::Logical).iter().for_each(|e| preds[e.to.0 as usize].push(b));
    }
    let mut replace: Vec<VReg> = (0..mf.classes.len() as u32).map(VReg).collect();
    let mut firsts: Vec<MInst<T>> = Vec::with_capacity(mf.code.iter().map(Vec::len).sum());
    let mut ends: Vec<Known> = vec![Known::default(); if n < LARGE { n } else { 0 }];
    let mut gone = 0;
    let window = t.reuse_window();
    for (b, preds) in preds.iter().enumerate() {
        let mut path = match preds.as_slice() {
            &[p] if p < b => ends.get(p).cloned().unwrap_or_default(),
            _ => Known::default(),
        };
        let mut block = Known::default();
        let mut insts = std::mem::take(&mut mf.code[b]);
        insts.retain_mut(|i| {
            i.map_uses(|v| replace[v.0 as usize]);
            let Some(d) = result(i) else { return true };
            let known = match t.reuse(i) {
                Reuse::Never => return true,
                Reuse::InBlock => &mut block,
                Reuse::OnPaths => &mut path,
            };
            let (key, class) = (operands(i), mf.class(d));
            let class_of = |k: &MInst<T>| result(k).map(|v| mf.class(v));
            let same =
                |k: &MInst<T>| k.op == i.op && k.mods == i.mods && k.uses == i.uses && class_of(k) == Some(class);
            let list = known.by_operands.entry(key).or_default();
            if let Some(&found) = list.iter().find(|&&k| same(&firsts[k as usize])) {
                replace[d.0 as usize] = result(&firsts[found as usize]).unwrap_or(d);
                if let Some(at) = known.recent.iter().position(|r| r.1 == found) {
                    known.recent[at..].rotate_left(1);
                }
                gone += 1;
                return false;
            }
            let index = firsts.len() as u32;
            list.push(index);
            if window < usize::MAX {
                let of_class = |c: Class, r: &(u64, u32)| class_of(&firsts[r.1 as usize]) == Some(c);
                if known.recent.iter().filter(|r| of_class(class, r)).count() == t.reuse_of(class)
                    && let Some(oldest) = known.recent.iter().position(|r| of_class(class, r))
                {
                    known.forget(oldest);
                }
                if known.recent.len() == window {
                    known.forget(0);
                }
                known.recent.push((key, index));
            }
            firsts.push(i.clone());
            true
        });
        mf.code[b] = insts;
        if let Some(end) = ends.get_mut(b) {
            *end = path;
        }
    }
    if gone > 0 {
        // Edges may name them too.
        mf.map_uses(|v| replace[v.0 as usize]);
    }
    gone
}
