//! The program ends in its last block alone, and branches to blocks that hold nothing but a jump continue to where those go.
//!
//! Needs: physical registers. Keeps: the order of blocks.

use gpucc_mir::{BlockId, MBlock, MEdge, MFunc, MInst, Use};
use smallvec::smallvec;

use crate::builders as build;
use crate::inst::{VOp, Vivante};

/// Returns how many blocks are gone.
pub fn run(mf: &mut MFunc<Vivante>, t: &Vivante) -> usize {
    one_end(mf);
    gpucc_mir::thread_jumps(mf, t)
}

/// Lets the program end in its last block alone; one is added where others could not get to the end of that without its code.
fn one_end(mf: &mut MFunc<Vivante>) {
    let is_end = |i: &MInst<Vivante>| i.target_op() == Some(VOp::End);
    let ends: Vec<usize> = (0..mf.code.len()).filter(|&b| mf.code[b].last().is_some_and(is_end)).collect();
    let (Some(&first), last) = (ends.first(), mf.code.len() - 1) else { return };
    if first == last {
        return;
    }
    let to = if matches!(mf.code[last].as_slice(), [i] if is_end(i)) { last } else { last + 1 };
    let goal = BlockId(to as u32);
    for b in ends.into_iter().filter(|&b| b != to) {
        if let Some(i) = mf.code[b].last_mut() {
            *i = build::Branch.on([Use::label(goal)]).at(i.loc);
        }
        mf.blocks[b].succs = smallvec![MEdge::to(goal)];
    }
    if to > last {
        let own = MBlock { params: smallvec![], succs: smallvec![], ..mf.blocks[first].clone() };
        mf.blocks.push(own);
        mf.code.push(vec![MInst::new(VOp::End)]);
    }
}
