//! Computes in each block once what selection asks for several times: addresses in `$a`, parts of the packed local id.
//!
//! Needs: each virtual register defined once. Keeps: blocks, edges and the order. Leaves alone: what has a predicate, reads or
//! writes memory, or writes flags. Of address registers only the last [`ADDRESSES`] are kept for others, since there are four.

use gpucc_mir::{MFunc, MInst, Reg, Src, VReg};
use gpucc_tesla_machine::{Op, SharedTy};

use crate::slots::Slot;
use crate::target::{ADDR, TOp, Tesla};

/// Address registers that wait for another use.
const ADDRESSES: usize = 3;

/// How far back an equal instruction is looked for.
const REACH: usize = 24;

/// Whether an instruction gives the same wherever it stands in its block.
fn is_value(i: &MInst<Tesla>) -> bool {
    let Some(TOp::M(op)) = i.target_op() else { return false };
    let still = |s: &Src| match s {
        Src::Reg(Reg::V(_)) | Src::Imm(_) => true,
        Src::Reg(Reg::P(p)) => *p == crate::target::ZERO,
        // The header and parameters lie below workgroup memory, which is read by words.
        Src::Uniform(n) => {
            matches!(Slot::unpack(*n), Slot::Pool(_) | Slot::Const(..) | Slot::Shared(SharedTy::U16, _))
        }
        _ => false,
    };
    matches!(op, Op::ShlToA | Op::Shl | Op::Shr | Op::CvtII | Op::Add | Op::MadU16 | Op::MadU24 | Op::Mul24)
        && i.mods.pred == 15
        && i.mods.addop == 0
        && i.defs.len() == 1
        && i.defs[0].vreg().is_some()
        && i.defs[0].fixed().is_none()
        && i.uses.iter().all(|u| u.fixed().is_none() && still(&u.src))
}

/// Runs over a function; gives how many instructions are gone.
pub fn run(mf: &mut MFunc<Tesla>) -> usize {
    let mut replace: Vec<Option<VReg>> = vec![None; mf.classes.len()];
    let mut gone = 0;
    let mut kept: Vec<MInst<Tesla>> = Vec::new();
    // Places of candidates in `kept`, the newest last.
    let mut known: Vec<usize> = Vec::new();
    for b in 0..mf.blocks.len() {
        let mut insts = std::mem::take(&mut mf.code[b]);
        known.clear();
        for mut i in insts.drain(..) {
            for u in &mut i.uses {
                if let Src::Reg(Reg::V(v)) = &mut u.src
                    && let Some(old) = replace[v.0 as usize]
                {
                    *v = old;
                }
            }
            if !is_value(&i) {
                kept.push(i);
                continue;
            }
            let d = i.defs[0].vreg();
            let class = d.map(|d| mf.class(d));
            let same = |k: &MInst<Tesla>| {
                k.op == i.op && k.mods == i.mods && k.uses == i.uses && k.defs[0].vreg().map(|v| mf.class(v)) == class
            };
            let found = known.iter().rposition(|&k| same(&kept[k]));
            match (found, d) {
                (Some(at), Some(d)) => {
                    let k = known.remove(at);
                    known.push(k);
                    replace[d.0 as usize] = kept[k].defs[0].vreg();
                    gone += 1;
                }
                _ => {
                    if class == Some(ADDR) {
                        let is_addr = |k: usize| kept[k].defs[0].vreg().map(|v| mf.class(v)) == Some(ADDR);
                        if known.iter().filter(|&&k| is_addr(k)).count() == ADDRESSES
                            && let Some(oldest) = known.iter().position(|&k| is_addr(k))
                        {
                            known.remove(oldest);
                        }
                    }
                    if known.len() == REACH {
                        known.remove(0);
                    }
                    known.push(kept.len());
                    kept.push(i);
                }
            }
        }
        insts.append(&mut kept);
        mf.code[b] = insts;
    }
    if gone > 0 {
        // Edges and other blocks may name them too.
        mf.map_uses(|v| replace[v.0 as usize].unwrap_or(v));
    }
    gone
}
