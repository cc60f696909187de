//! Passes on virtual registers between selection and allocation: even registers, common computations, places for uniform
//! words, operand limits, and what is known about the addresses of memory accesses.
//!
//! All need: each virtual register defined once. All keep: blocks and edges.

use std::collections::BTreeMap;

use gpucc_mir::{Cfg, Def, MFunc, MInst, Opcode, Pseudo, Reg, Src, Use, VReg};
use gpucc_valhall_machine::{Class as Kind, Op, ROWS};
use smallvec::SmallVec;

use crate::emit::is_wide;
use crate::fau;
use crate::flow::key;
use crate::target::{R, R2, RE, SrcMods, VOp, Valhall};
use crate::uniforms::Uniforms;

/// Makes registers whose low word a 64-bit operand takes even from the start, so that no copy is needed. Returns whether
/// there are any.
pub fn even(mf: &mut MFunc<Valhall>) -> bool {
    let mut wish: Vec<VReg> = Vec::new();
    let mut bound = vec![false; mf.classes.len()];
    for i in mf.code.iter().flatten() {
        match i.op {
            Opcode::Pseudo(Pseudo::Copy) => {
                for (d, u) in i.defs.iter().zip(&i.uses) {
                    if let (Some(d), Some(v), None) = (d.vreg(), u.vreg(), u.part_read())
                        && mf.class(d) == RE
                    {
                        wish.push(v);
                    }
                }
            }
            // Pieces of runs lie where the run lies; preloads where the hardware puts them.
            Opcode::Pseudo(Pseudo::Split) => i.vreg_defs().for_each(|v| bound[v.0 as usize] = true),
            Opcode::Pseudo(Pseudo::Start) => {
                for d in &i.defs {
                    let odd = d.fixed().is_some_and(|p| p.base() % 2 == 1);
                    if let (Some(v), true) = (d.vreg(), odd) {
                        bound[v.0 as usize] = true;
                    }
                }
            }
            _ => {}
        }
    }
    wish.retain(|&v| mf.class(v) == R && !bound[v.0 as usize]);
    for v in &wish {
        mf.classes[v.0 as usize] = RE;
    }
    !wish.is_empty()
}

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
pub fn common(mf: &mut MFunc<Valhall>) -> usize {
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

/// Gives uniform words their places, those used together in one slot.
pub fn place(mf: &mut MFunc<Valhall>, uniforms: &mut Uniforms) {
    let mut together: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    // Instructions that read uniforms.
    let mut readers: Vec<(u32, u32)> = Vec::new();
    let all = mf.code.iter().enumerate().flat_map(|(b, x)| x.iter().enumerate().map(move |(k, i)| (b, k, i)));
    for (b, k, i) in all {
        if !i.uses.iter().any(|u| matches!(u.src, Src::Uniform(_))) {
            continue;
        }
        readers.push((b as u32, k as u32));
        let mut words: SmallVec<[u32; 4]> = SmallVec::new();
        for (k, u) in i.uses.iter().enumerate() {
            if let Src::Uniform(n) = u.src
                && n < crate::target::SPECIAL
                && !is_wide(i, k)
                && !words.contains(&n)
            {
                words.push(n);
            }
        }
        words.sort_unstable();
        for (k, &a) in words.iter().enumerate() {
            words[k + 1..].iter().for_each(|&b| *together.entry((a, b)).or_default() += 1);
        }
    }
    let mut wishes: Vec<(u32, u32, u32)> = together.into_iter().map(|((a, b), n)| (n, a, b)).collect();
    wishes.sort_by_key(|&(n, a, b)| (u32::MAX - n, a, b));
    let new_of = uniforms.arrange(&wishes.iter().map(|&(_, a, b)| (a, b)).collect::<Vec<_>>());
    for (b, k) in readers {
        for u in &mut mf.code[b as usize][k as usize].uses {
            if let Src::Uniform(n) = &mut u.src
                && let Some(&new) = new_of.get(*n as usize)
            {
                *n = new;
            }
        }
    }
}

/// Gives undefined values zeros: what reads them may be a select that throws them away, yet a register that nobody wrote must not
/// be read.
pub fn define(mf: &mut MFunc<Valhall>) {
    for insts in &mut mf.code {
        if !insts.iter().any(|i| i.is(Pseudo::Undef)) {
            continue;
        }
        let old = std::mem::take(insts);
        for i in old {
            if i.is(Pseudo::Undef) {
                insts.extend(i.vreg_defs().map(|d| MInst::new(VOp::Op(Op::MovI32)).def(d).imm(0).at(i.loc)));
            } else {
                insts.push(i);
            }
        }
    }
}

/// Moves operands that break the operand limits (7.1) to registers.
pub fn legalise(mf: &mut MFunc<Valhall>) {
    for b in 0..mf.blocks.len() {
        // Most blocks are legal as they are.
        let Some(first) = mf.code[b].iter().position(|i| !fau::excess(i).is_empty()) else { continue };
        let mut new = std::mem::take(&mut mf.code[b]);
        for mut i in new.split_off(first) {
            for k in fau::excess(&i) {
                let u = i.uses[k];
                let mut word = |src: Src| {
                    let t = mf.vreg(R);
                    new.push(MInst::new(VOp::Op(Op::MovI32)).def(Def::reg(t)).arg(Use::new(src)).at(i.loc));
                    t
                };
                let moved = match u.src {
                    Src::Uniform(n) if is_wide(&i, k) => {
                        let (lo, hi) = (word(Src::Uniform(n)), word(Src::Uniform(n + 1)));
                        let pair = mf.vreg(R2);
                        new.push(MInst::collect(pair, [Use::reg(lo), Use::reg(hi)]).at(i.loc));
                        pair
                    }
                    src => word(src),
                };
                i.uses[k].src = Src::Reg(Reg::V(moved));
            }
            new.push(i);
        }
        mf.code[b] = new;
    }
}

/// Tells accesses with one base and different offsets apart.
pub fn addresses(mf: &mut MFunc<Valhall>) {
    let mut bases: BTreeMap<u64, u32> = BTreeMap::new();
    for i in mf.code.iter_mut().flatten() {
        let Some(VOp::Op(op)) = i.target_op() else { continue };
        if ROWS[op as usize].facts.class != Kind::Memory {
            continue;
        }
        let Some(k) = (0..i.uses.len()).find(|&k| is_wide(i, k)) else { continue };
        let base = match i.uses[k].src {
            Src::Reg(Reg::V(v)) => u64::from(v.0),
            Src::Uniform(n) => 1 << 32 | u64::from(n),
            _ => continue,
        };
        let count = bases.len() as u32;
        let base = *bases.entry(base).or_insert(count);
        let offset = i.mods.0.iter().find(|m| m.0 == "offset").map_or(0, |m| m.1);
        let word = (i32::from(offset as u16 as i16) + 0x8000) as u32;
        let text = ROWS[op as usize].text;
        let words = match text.rsplit('i').next() {
            Some("64") => 2,
            Some("96") => 3,
            Some("128") => 4,
            _ => 1,
        };
        if word.is_multiple_of(4)
            && let Some(k) = key(base, word / 4, words)
        {
            i.mods.0.push(("@key", k));
        }
    }
}
