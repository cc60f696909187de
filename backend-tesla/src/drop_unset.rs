//! What fills the rest of a run that a texture instruction overwrites is nothing, and need not be moved there.
//!
//! Needs: physical registers, as allocation leaves them. Keeps: blocks and edges. Inside of blocks.

use gpucc_mir::{MFunc, PReg, Target};
use smallvec::SmallVec;

use crate::inst::{TOp, Tesla};

/// Returns the number of moves that are gone; what defines nothing goes as well.
pub fn run(mf: &mut MFunc<Tesla>, t: &Tesla) -> u32 {
    let mut gone = 0;
    for insts in &mut mf.code {
        // Registers that hold nothing.
        let mut unset: SmallVec<[PReg; 8]> = SmallVec::new();
        insts.retain(|i| {
            let nothing = i.target_op() == Some(TOp::Unset);
            let moved = t.as_move(i).is_some_and(|(_, s)| unset.contains(&s));
            for d in i.defs.iter().filter_map(|d| d.phys()) {
                unset.retain(|u| u.file != d.file || !u.place.overlaps(d.place));
                if nothing || moved {
                    unset.push(d);
                }
            }
            gone += u32::from(moved);
            !nothing && !moved
        });
    }
    gone
}
