//! Joins that no branch pushes for, or that no lane reaches, are gone, and so is what pushes their addresses.
//!
//! Needs: physical registers, final branches. Keeps: the order of blocks.

use gpucc_mir::{MFunc, MInst};
use gpucc_tesla_machine::Op;

use crate::inst::{TOp, Tesla};

/// Returns how many instructions are gone.
pub fn run(mf: &mut MFunc<Tesla>) -> u64 {
    // For each number, whether a branch pushes for it and whether a join has it.
    let mut ids: Vec<(bool, bool)> = Vec::new();
    let mut blocks = Vec::new();
    let join = |i: &MInst<Tesla>| matches!(i.target_op(), Some(TOp::Join | TOp::JoinAt));
    for (b, insts) in mf.code.iter().enumerate() {
        for i in insts {
            let pushes = i.target_op() == Some(TOp::M(Op::Bra)) && i.mods.divergent;
            let joins = i.target_op() == Some(TOp::Join);
            if pushes || joins {
                let id = usize::from(i.mods.id);
                ids.resize(ids.len().max(id + 1), (false, false));
                ids[id].0 |= pushes;
                ids[id].1 |= joins;
            }
        }
        if insts.iter().any(join) {
            blocks.push(b);
        }
    }
    let mut gone = 0;
    for b in blocks {
        let before = mf.code[b].len();
        mf.code[b].retain(|i| !join(i) || ids.get(usize::from(i.mods.id)) == Some(&(true, true)));
        gone += before - mf.code[b].len();
    }
    gone as u64
}
