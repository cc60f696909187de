//! A result of a vertex program is stored behind what computes it, and not at the end: its register is free from there on.
//!
//! Needs: virtual registers, each defined once. Keeps: blocks and edges, and the order of all but the stores to o[]. Fires on stores of
//! the program's end whose value is made in the same block; nothing there reads o[] or lets lanes go.

use gpucc_mir::{MFunc, MInst, Use};
use gpucc_tesla_machine::Op;

use crate::inst::{TOp, Tesla};

fn is_store(m: &MInst<Tesla>) -> bool {
    m.target_op() == Some(TOp::M(Op::StO))
}

/// Returns the number of stores that are moved.
pub fn run(mf: &mut MFunc<Tesla>) -> u64 {
    let mut moved = 0;
    // Where in the block each register is made.
    let mut made: Vec<Option<u32>> = vec![None; mf.classes.len()];
    for insts in &mut mf.code {
        if insts.last().is_none_or(|m| m.target_op() != Some(TOp::Exit)) || !insts.iter().any(is_store) {
            continue;
        }
        made.fill(None);
        let old = std::mem::take(insts);
        for (at, m) in (0..).zip(&old) {
            m.vreg_defs().for_each(|v| made[v.0 as usize] = Some(at));
        }
        let from = |m: &MInst<Tesla>| m.uses.first().and_then(Use::vreg).and_then(|v| made[v.0 as usize]);
        // The place of each instruction, those of one place in their order.
        let place = |(at, m): (u32, &MInst<Tesla>)| if is_store(m) { from(m).unwrap_or(at) } else { at };
        let mut places: Vec<(u32, u32)> = (0..).zip(&old).map(|(at, m)| (place((at, m)), at)).collect();
        moved += places.windows(2).filter(|w| w[1].0 < w[0].0).count() as u64;
        places.sort_unstable();
        let mut old: Vec<Option<MInst<Tesla>>> = old.into_iter().map(Some).collect();
        insts.extend(places.into_iter().filter_map(|(_, at)| old[at as usize].take()));
    }
    moved
}
