//! Computes once what is computed twice, within a block or along paths without joins.
//!
//! Needs: each virtual register defined once. Keeps: blocks, edges and the order. Fires on what [`Target::reuse`] allows, as far
//! back as [`Target::reuse_window`] and [`Target::reuse_of`] remember: a register that waits for another use costs one.

use gpucc_regalloc::Cfg;
use rustc_hash::FxHashMap;

use crate::fields::Fields;
use crate::func::MFunc;
use crate::inst::{Class, MInst, Reg, Reuse, Src, Target, VReg};

/// Number of blocks from which on each is on its own, since a table goes from block to block.
const LARGE: usize = 400;

/// Results that may be used again.
#[derive(Clone, Default)]
struct Known {
    /// The last of the instructions with a number that equal ones share; each names the one before it. Where they are not limited.
    last: FxHashMap<u64, u32>,
    /// Those that are remembered with their numbers, the least recently used first; where they are limited.
    recent: Vec<(u64, u32)>,
}

/// An instruction whose result may be used again.
struct First {
    /// Block and place.
    at: (u32, u32),
    result: VReg,
    class: Class,
    /// The one before it of the same number.
    before: Option<u32>,
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

/// The block that alone leads to each block and lies before it, if there is one, and how many blocks each leads to in this way.
fn heirs<T: Target>(mf: &MFunc<T>) -> (Vec<Option<usize>>, Vec<u32>) {
    let n = mf.blocks.len();
    let mut edges = vec![(0_u32, 0); n];
    for (b, block) in mf.blocks.iter().enumerate() {
        for e in block.succs(Cfg::Logical) {
            let (count, from) = &mut edges[e.to.0 as usize];
            (*count, *from) = (*count + 1, b);
        }
    }
    let mut heirs = vec![0; n];
    let only = edges.iter().enumerate().map(|(b, &(count, from))| {
        let only = (count == 1 && from < b && n < LARGE).then_some(from);
        only.into_iter().for_each(|from| heirs[from] += 1);
        only
    });
    (only.collect(), heirs)
}

/// Runs over a function. Returns how many instructions disappeared.
pub fn local_cse<T: Target>(mf: &mut MFunc<T>, t: &T) -> usize {
    let (only, mut heirs) = heirs(mf);
    let mut replace: Vec<VReg> = (0..mf.classes.len() as u32).map(VReg).collect();
    let mut firsts: Vec<First> = Vec::with_capacity(mf.code.iter().map(Vec::len).sum());
    let mut ends: Vec<Known> = vec![Known::default(); only.len()];
    let mut gone: Vec<(usize, usize)> = Vec::new();
    let window = t.reuse_window();
    for b in 0..only.len() {
        let mut path = match only[b] {
            Some(p) if heirs[p] == 1 => std::mem::take(&mut ends[p]),
            Some(p) => {
                heirs[p] -= 1;
                ends[p].clone()
            }
            None => Known::default(),
        };
        let mut block = Known::default();
        for k in 0..mf.code[b].len() {
            let i = &mut mf.code[b][k];
            i.map_uses(|v| replace[v.0 as usize]);
            let Some(d) = result(i) else { continue };
            let known = match t.reuse(i) {
                Reuse::Never => continue,
                Reuse::InBlock => &mut block,
                Reuse::OnPaths => &mut path,
            };
            let (i, key, class) = (&mf.code[b][k], operands(&mf.code[b][k]), mf.class(d));
            let same = |first: &First| {
                let k = &mf.code[first.at.0 as usize][first.at.1 as usize];
                k.op == i.op && k.mods == i.mods && k.uses == i.uses && first.class == class
            };
            let first = |n: u32| &firsts[n as usize];
            let before = known.last.get(&key).copied();
            let place = known.recent.iter().position(|r| r.0 == key && same(first(r.1)));
            let mut found = place.map(|at| known.recent[at].1).or(before);
            while let Some(n) = found.filter(|&n| !same(first(n))) {
                found = first(n).before;
            }
            if let Some(n) = found {
                replace[d.0 as usize] = first(n).result;
                if let Some(at) = place {
                    known.recent[at..].rotate_left(1);
                }
                gone.push((b, k));
                continue;
            }
            let index = firsts.len() as u32;
            if window == usize::MAX {
                known.last.insert(key, index);
            } else {
                let (most, of_class) = (t.reuse_of(class), |r: &&(u64, u32)| first(r.1).class == class);
                if most < window
                    && known.recent.iter().filter(of_class).count() == most
                    && let Some(oldest) = known.recent.iter().position(|r| of_class(&r))
                {
                    known.recent.remove(oldest);
                }
                if known.recent.len() == window {
                    known.recent.remove(0);
                }
                known.recent.push((key, index));
            }
            firsts.push(First { at: (b as u32, k as u32), result: d, class, before });
        }
        if heirs[b] > 0 {
            ends[b] = path;
        }
    }
    if !gone.is_empty() {
        take_out(mf, &gone);
        // Edges may name them too.
        mf.map_uses(|v| replace[v.0 as usize]);
    }
    gone.len()
}

/// Takes out instructions, given by block and place in their order.
fn take_out<T: Target>(mf: &mut MFunc<T>, gone: &[(usize, usize)]) {
    let mut rest = gone;
    while let Some(&(b, _)) = rest.first() {
        let mut k = 0;
        mf.code[b].retain(|_| {
            let goes = rest.first() == Some(&(b, k));
            rest = &rest[usize::from(goes)..];
            k += 1;
            !goes
        });
    }
}
