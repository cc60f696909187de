//! Joins ride on instructions that have a place for them, where an instruction of their own would only carry them.
//!
//! Marks come first in their block, and the last of them rides on the instruction behind it; one without a place changes places with one that
//! has. Needs: physical registers, final blocks.

use gpucc_mir::{MFunc, MInst};
use gpucc_tesla_machine::Pred;

use crate::encode::Encoder;
use crate::forms;
use crate::inst::{Carried, TOp, Tesla};
use crate::reorder::{independent, is_movable, lets_pass};

/// Whether all lanes that come to an instruction execute it alike: no predicate, no memory.
fn is_plain(m: &MInst<Tesla>) -> bool {
    let near = |op| {
        let e = forms::effects(op);
        !(e.reads || e.writes)
    };
    m.mods.pred == Pred::Always && matches!(m.target_op(), Some(TOp::M(op)) if near(op))
}

/// How far an instruction with a place for the join is pulled up.
const WINDOW: usize = 8;

/// Brings one that fits to the front, past others that have no place, as moves of immediates.
fn first_carries(insts: &mut [MInst<Tesla>], fits: impl Fn(&MInst<Tesla>) -> bool) {
    for k in 0..insts.len().min(WINDOW) {
        let (before, m) = (&insts[..k], &insts[k]);
        if fits(m) && (k == 0 || is_movable(m) && before.iter().all(|y| independent(m, y))) {
            insts[..=k].rotate_right(1);
            return;
        }
        if !lets_pass(m) {
            return;
        }
    }
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
        if insts[marks - 1].target_op() != Some(TOp::Join) {
            continue;
        }
        let fits = |m: &MInst<Tesla>| is_plain(m) && e.can_carry(m, Carried::Join);
        first_carries(&mut insts[marks..], fits);
        if let Some(m) = insts.get_mut(marks).filter(|m| fits(m)) {
            (m.mods.carries, m.mods.id) = (Carried::Join, id);
            insts.remove(marks - 1);
            carried += 1;
        }
    }
    carried
}
