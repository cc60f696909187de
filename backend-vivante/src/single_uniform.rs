//! On chips with the single-uniform rule: moves uniform operands to temporaries where an instruction needs more words than one
//! register has.
//!
//! Needs: virtual registers. Keeps: the CFG.

use gpucc_mir::{MFunc, MInst, Opcode, Src, Use};
use gpucc_vivante_machine as machine;

use crate::inst::{SrcMods, Vivante, row};
use crate::uniforms::{Slot, Table, uniform, words_of};

/// Returns how many operands were moved.
pub fn run(mf: &mut MFunc<Vivante>, t: &Vivante, table: &Table) -> usize {
    if !machine::validate::single_uniform(t.generation) {
        return 0;
    }
    let mut moved = 0;
    for b in 0..mf.blocks.len() {
        let insts = std::mem::take(&mut mf.code[b]);
        let mut out = Vec::with_capacity(insts.len());
        for mut inst in insts {
            let mut k = inst.uses.len();
            while matches!(inst.op, Opcode::Op(_)) && words_of(table, &inst).len() > 4 && k > 0 {
                k -= 1;
                let u = inst.uses[k];
                let Src::Uniform(slot) = u.src else { continue };
                let broadcast = u.mods.is_broadcast();
                let r = mf.vreg(row(if broadcast { 1 } else { 4 }));
                let whole = uniform(Slot(slot)).mods(SrcMods::swizzle(u.mods.swz));
                out.push(MInst::copy(r, whole).at(inst.loc));
                let swz = if broadcast { [0; 4] } else { [0, 1, 2, 3] };
                inst.uses[k] = Use::reg(r).mods(SrcMods { swz, ..u.mods });
                moved += 1;
            }
            out.push(inst);
        }
        mf.code[b] = out;
    }
    moved
}
