//! Gives messages their slots: what nobody reads (stores) its own, the others in rotation.
//!
//! Needs: the final order of instructions. Keeps: everything but the slots of messages; a barrier's is its own, and what coverage and depth have is the first.

use gpucc_mir::MFunc;
use gpucc_valhall_machine::{Class, MessageSlot, Op, ROWS};

use crate::inst::{VOp, Valhall};

/// Returns how many messages have another slot than before.
pub fn run(mf: &mut MFunc<Valhall>) -> u64 {
    let mut changed = 0;
    let mut rotation = [MessageSlot::Slot0, MessageSlot::Slot1].into_iter().cycle();
    for i in mf.code.iter_mut().flatten() {
        let Some(VOp::Op(op)) = i.target_op() else { continue };
        let class = ROWS[op as usize].attrs.class;
        if !class.is_message() || class == Class::Barrier || matches!(op, Op::Atest | Op::ZsEmit) {
            continue;
        }
        let slot = if i.defs.is_empty() { Some(MessageSlot::Slot2) } else { rotation.next() };
        if let Some(slot) = slot.filter(|s| *s != i.mods.slot) {
            i.mods.slot = slot;
            changed += 1;
        }
    }
    changed
}
