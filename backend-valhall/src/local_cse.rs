//! Computes what is computed twice only once, along ways without joins.
//!
//! Needs: each virtual register defined once. Keeps: blocks and edges. Dead code elimination removes what lost its users.

use std::collections::BTreeMap;

use gpucc_mir::{Cfg, MFunc, MInst, Pseudo, Reg, Src, VReg};
use gpucc_valhall_machine::{Class as Kind, Op, ROWS};
use smallvec::SmallVec;

use crate::target::{SrcMods, VOp, Valhall};

type Key = SmallVec<[u64; 10]>;

fn pack(m: SrcMods) -> u64 {
    u64::from(m.neg) | u64::from(m.abs) << 1 | u64::from(m.not) << 2 | m.swizzle().map_or(0, |s| u64::from(s) + 1) << 3
}

/// What an instruction computes, if it always computes the same from the same.
fn value_of(mf: &MFunc<Valhall>, i: &MInst<Valhall>) -> Option<Key> {
    if i.is(Pseudo::Copy) {
        // Into an even register, above all: one serves all users.
        let ([d], [u]) = (i.defs.as_slice(), i.uses.as_slice()) else { return None };
        let (Some(v), None, None, None) = (u.vreg(), u.part_read(), d.fixed(), d.tied_to()) else { return None };
        return Some(smallvec::smallvec![u64::MAX, u64::from(mf.class(d.vreg()?).0), u64::from(v.0)]);
    }
    let Some(VOp::Op(op)) = i.target_op() else { return None };
    if ROWS[op as usize].facts.class != Kind::Alu || ROWS[op as usize].text.starts_with("CLPER") || op == Op::Wmask {
        return None;
    }
    let [d] = i.defs.as_slice() else { return None };
    if d.fixed().is_some() || d.tied_to().is_some() {
        return None;
    }
    let mut k: Key = SmallVec::new();
    k.push(op as u64);
    k.push(u64::from(mf.class(d.vreg()?).0));
    for u in &i.uses {
        if u.part_read().is_some() || u.fixed().is_some() {
            return None;
        }
        let (tag, value) = match u.src {
            Src::Reg(Reg::V(v)) => (0, v.0),
            Src::Imm(v) => (1, v),
            Src::Uniform(v) => (2, v),
            Src::Reg(Reg::P(_)) | Src::Label(_) => return None,
        };
        k.push(pack(u.mods) << 34 | tag << 32 | u64::from(value));
    }
    for (name, v) in &i.mods.0 {
        k.extend(name.bytes().map(u64::from));
        k.push(1 << 63 | u64::from(*v));
    }
    Some(k)
}

/// Computes what is computed twice only once, along ways without joins. Constants and uniforms only within a block: they are
/// cheaper to repeat than to keep. Returns how many instructions lost their users ([`gpucc_mir::dce`] removes them).
pub fn run(mf: &mut MFunc<Valhall>) -> u64 {
    let n = mf.blocks.len();
    let mut preds: Vec<SmallVec<[usize; 2]>> = vec![SmallVec::new(); n];
    for (b, block) in mf.blocks.iter().enumerate() {
        block.succs(Cfg::Logical).iter().for_each(|e| preds[e.to.0 as usize].push(b));
    }
    let mut replace: Vec<VReg> = (0..mf.classes.len() as u32).map(VReg).collect();
    // In large programs each block is on its own.
    let mut tables: Vec<BTreeMap<Key, VReg>> = vec![BTreeMap::new(); if n < 400 { n } else { 0 }];
    let mut changed = 0;
    for (b, preds) in preds.iter().enumerate() {
        let mut table = match preds.as_slice() {
            &[p] if p < b => tables.get(p).cloned().unwrap_or_default(),
            _ => BTreeMap::new(),
        };
        let mut local: BTreeMap<Key, VReg> = BTreeMap::new();
        let mut insts = std::mem::take(&mut mf.code[b]);
        for i in &mut insts {
            i.map_uses(|v| replace[v.0 as usize]);
            let Some(k) = value_of(mf, i) else { continue };
            let Some(d) = i.defs[0].vreg() else { continue };
            let cheap = i.vreg_uses().next().is_none();
            let table = if cheap { &mut local } else { &mut table };
            match table.get(&k) {
                Some(&v) => {
                    replace[d.0 as usize] = v;
                    changed += 1;
                }
                None => {
                    table.insert(k, d);
                }
            }
        }
        mf.code[b] = insts;
        if let Some(t) = tables.get_mut(b) {
            *t = table;
        }
    }
    // Users that come before in block order: arguments of edges, and nothing else.
    for e in mf.blocks.iter_mut().flat_map(|b| &mut b.succs) {
        e.args.iter_mut().filter(|a| !a.is_none()).for_each(|a| *a = replace[a.0 as usize]);
    }
    changed
}
