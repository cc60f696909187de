//! Saturation in the instruction that makes the value.
//!
//! ```text
//! v1 = add v0, 1.0
//! v2 = mov.sat v1          ==>   v2 = add.sat v0, 1.0
//! v3 = mov.sat -v1               v3 = add.sat -v0, -1.0
//! ```
//!
//! Needs: virtual registers.

use gpucc_mir::{Def, MFunc, MInst, Src, Use, VReg};
use gpucc_vivante_machine as machine;
use machine::Op;
use smallvec::SmallVec;

use crate::inst::{SrcMods, VOp, Vivante};

/// Makes the producers of values saturate where MOVs do nothing else: each MOV gets its own, and what it negates is negated before. Returns
/// how many.
pub fn run(mf: &mut MFunc<Vivante>) -> usize {
    let mut uses = vec![0u32; mf.classes.len()];
    mf.code.iter().flatten().flat_map(MInst::vreg_uses).for_each(|v| uses[v.0 as usize] += 1);
    for b in &mf.blocks {
        b.succs.iter().flat_map(|e| &e.args).filter(|a| !a.is_none()).for_each(|a| uses[a.0 as usize] += 1);
    }
    // Moves of the whole value by its saturation.
    let mut moves = vec![0u32; mf.classes.len()];
    for v in mf.code.iter().flatten().filter_map(|i| saturated(i, &mf.classes)) {
        moves[v.0 as usize] += 1;
    }
    let mut changed = 0;
    // Where registers were defined: block and place there.
    let mut def: Vec<Option<(usize, usize)>> = vec![None; mf.classes.len()];
    for (n, insts) in mf.code.iter_mut().enumerate() {
        for k in 0..insts.len() {
            let made = saturated(&insts[k], &mf.classes).filter(|v| uses[v.0 as usize] == moves[v.0 as usize]);
            let home = made.and_then(|v| def[v.0 as usize]).filter(|h| h.0 == n);
            if let (Some(v), Some((_, p))) = (made, home)
                && can_saturate(&insts[p])
                && let Some(mut own) = negated(&insts[p], insts[k].uses[0].mods.neg)
            {
                let d = insts[k].defs[0];
                own.mods.sat = true;
                own.defs[0] = d;
                if moves[v.0 as usize] > 1 {
                    // The value itself has no reader in the end.
                    insts[k] = own;
                } else {
                    insts[p] = own;
                    // The MOV stays as a dead copy of nothing: make it define a register that nobody reads.
                    insts[k].defs[0] = Def::reg(v);
                    insts[k].uses[0] = Use::imm(0);
                    insts[k].mods.sat = false;
                    def[v.0 as usize] = None;
                }
                if let Some(d) = d.vreg() {
                    def[d.0 as usize] = Some((n, p));
                }
                changed += 1;
                continue;
            }
            for v in insts[k].vreg_defs().collect::<SmallVec<[VReg; 2]>>() {
                def[v.0 as usize] = Some((n, k));
            }
        }
    }
    changed
}

/// The register of which an instruction is nothing but the saturation.
fn saturated(i: &MInst<Vivante>, classes: &[gpucc_mir::Class]) -> Option<VReg> {
    let (Some(VOp::M(Op::Mov)), [d], [u]) = (i.target_op(), i.defs.as_slice(), i.uses.as_slice()) else { return None };
    let (v, d) = (u.vreg()?, d.vreg()?);
    let class = classes[v.0 as usize];
    let whole = class == classes[d.0 as usize] && in_order(&u.mods, class.0);
    (i.mods.sat && !u.mods.abs && whole).then_some(v)
}

/// An instruction that makes the opposite, if asked for.
fn negated(i: &MInst<Vivante>, opposite: bool) -> Option<MInst<Vivante>> {
    let mut out = i.clone();
    if opposite {
        let Some(VOp::M(op)) = i.target_op() else { return None };
        let which: &[usize] = match op {
            Op::Mul | Op::Dp2 | Op::Dp3 | Op::Dp4 => &[0],
            Op::Add => &[0, 1],
            Op::Mad => &[0, 2],
            _ => return None,
        };
        for &k in which {
            let u = &mut out.uses[k];
            if matches!(u.src, Src::Imm(_)) {
                return None;
            }
            u.mods = u.mods.negated();
        }
    }
    Some(out)
}

/// Whether the first components are read in order; `class` is the number of components less one.
fn in_order(m: &SrcMods, class: u8) -> bool {
    let n = usize::from(class & 3) + 1;
    (0..n).all(|k| usize::from(m.swz[k]) == k)
}

fn can_saturate(i: &MInst<Vivante>) -> bool {
    let Some(VOp::M(op)) = i.target_op() else { return false };
    i.mods.ty == machine::Type::F32
        && i.mods.round == machine::Round::Default
        && i.defs.len() == 1
        && matches!(
            op,
            Op::Add
                | Op::Mul
                | Op::Mad
                | Op::Dp2
                | Op::Dp3
                | Op::Dp4
                | Op::Frc
                | Op::Floor
                | Op::Ceil
                | Op::Rcp
                | Op::Rsq
                | Op::Sqrt
                | Op::Exp
        )
}
