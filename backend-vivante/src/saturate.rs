//! Saturation in the instruction that makes the value.
//!
//! ```text
//! v1 = add v0, 1.0
//! v2 = mov.sat v1          ==>   v2 = add.sat v0, 1.0
//! ```
//!
//! Needs: virtual registers.

use gpucc_mir::{Def, MFunc, MInst, Src, VReg};
use gpucc_vivante_machine as machine;
use machine::Op;
use smallvec::SmallVec;

use crate::inst::{SrcMods, VOp, Vivante};

/// Makes the producer of a value saturate where a MOV does nothing else. Returns how many.
pub fn run(mf: &mut MFunc<Vivante>) -> usize {
    let mut uses = vec![0u32; mf.classes.len()];
    mf.code.iter().flatten().flat_map(MInst::vreg_uses).for_each(|v| uses[v.0 as usize] += 1);
    for b in &mf.blocks {
        b.succs.iter().flat_map(|e| &e.args).filter(|a| !a.is_none()).for_each(|a| uses[a.0 as usize] += 1);
    }
    let mut changed = 0;
    // Where registers were defined: block and place there.
    let mut def: Vec<Option<(usize, usize)>> = vec![None; mf.classes.len()];
    for (n, insts) in mf.code.iter_mut().enumerate() {
        for k in 0..insts.len() {
            let i = &insts[k];
            let identity = |m: &SrcMods| !m.neg && !m.abs;
            if i.target_op() == Some(VOp::M(Op::Mov))
                && i.mods.sat
                && identity(&i.uses[0].mods)
                && let Some(v) = i.uses[0].vreg()
                && let Some(d) = i.defs[0].vreg()
                && uses[v.0 as usize] == 1
                && mf.classes[v.0 as usize] == mf.classes[d.0 as usize]
                && in_order(&i.uses[0].mods, mf.classes[v.0 as usize].0)
                && let Some((home, p)) = def[v.0 as usize]
                && home == n
                && can_saturate(&insts[p])
            {
                insts[p].mods.sat = true;
                insts[p].defs[0] = Def::reg(d);
                // The MOV stays as a dead copy of nothing: make it define a register that nobody reads.
                insts[k].defs[0] = Def::reg(v);
                insts[k].uses[0].src = Src::Imm(0);
                insts[k].mods.sat = false;
                def[d.0 as usize] = Some((n, p));
                changed += 1;
                continue;
            }
            for v in i.vreg_defs().collect::<SmallVec<[VReg; 2]>>() {
                def[v.0 as usize] = Some((n, k));
            }
        }
    }
    changed
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
