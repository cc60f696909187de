//! Joins ride on instructions that have a place for them, where an instruction of their own would only carry them.
//!
//! Marks come first in their block, and the last of them rides on the instruction behind it. Needs: physical registers, final blocks.

use gpucc_mir::{MFunc, MInst};
use gpucc_tesla_machine::Pred;

use crate::encode::Encoder;
use crate::forms;
use crate::inst::{Carried, TOp, Tesla};

/// Whether all lanes that come to an instruction execute it alike: no predicate, no memory.
fn is_plain(m: &MInst<Tesla>) -> bool {
    let near = |op| {
        let e = forms::effects(op);
        !(e.reads || e.writes)
    };
    m.mods.pred == Pred::Always && matches!(m.target_op(), Some(TOp::M(op)) if near(op))
}

/// Returns how many ride.
pub fn run(mf: &mut MFunc<Tesla>, e: &Encoder) -> u64 {
    let mut carried = 0;
    for insts in &mut mf.code {
        let place = |m: &MInst<Tesla>| match m.target_op() {
            Some(TOp::LoopExit) => 0,
            Some(TOp::Join) => 1,
            _ => 2,
        };
        if insts.iter().all(|m| place(m) == 2) {
            continue;
        }
        // Stable: nothing else changes places.
        insts.sort_by_key(place);
        let marks = insts.partition_point(|m| place(m) < 2);
        let id = insts[marks - 1].mods.id;
        if insts[marks - 1].target_op() == Some(TOp::Join)
            && let Some(m) = insts.get_mut(marks)
            && is_plain(m)
            && e.can_carry(m, Carried::Join)
        {
            (m.mods.carries, m.mods.id) = (Carried::Join, id);
            insts.remove(marks - 1);
            carried += 1;
        }
    }
    carried
}
