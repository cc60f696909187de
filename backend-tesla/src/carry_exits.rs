//! The end of the program rides on the instruction before it, where that has a place for it.
//!
//! Needs: short instructions in pairs, since what carries something is a long one.

use gpucc_mir::MFunc;
use gpucc_tesla_machine::Pred;

use crate::encode::Encoder;
use crate::inst::{Carried, TOp, Tesla};

/// Returns how many ends do.
pub fn run(mf: &mut MFunc<Tesla>, e: &Encoder) -> u64 {
    let mut carried = 0;
    for insts in &mut mf.code {
        let [.., m, end] = insts.as_mut_slice() else { continue };
        if end.target_op() == Some(TOp::Exit) && m.mods.pred == Pred::Always && e.can_carry(m, Carried::Exit) {
            m.mods.carries = Carried::Exit;
            insts.pop();
            carried += 1;
        }
    }
    carried
}
