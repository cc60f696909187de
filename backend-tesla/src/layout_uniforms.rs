//! Places of the pool's words in c0: those that are used most come first, where short forms reach them.
//!
//! Needs: physical registers, since what spilling and copies read counts.

use gpucc_ir::Diagnostic;
use gpucc_mir::{MFunc, Src};

use crate::inst::{Half, Tesla};
use crate::slots::{HALF_REACH, REACH, Slot};

/// Words of c0.
const MOST: usize = 16_384;

/// Lets operands name words of c0 instead of words of the pool, of which there are `count`. Returns how many do, and the words of the
/// pool in their order in c0.
///
/// # Errors
/// A bug: selection pools more than there can be.
pub fn run(mf: &mut MFunc<Tesla>, count: usize) -> Result<(u64, Vec<usize>), Diagnostic> {
    let mut uses = vec![0u32; count];
    let mut halves = vec![false; count];
    for u in mf.code.iter().flatten().flat_map(|i| &i.uses) {
        if let Src::Uniform(n) = u.src
            && let Slot::Pool(k) = Slot::unpack(n)
        {
            let k = k as usize;
            if k >= count {
                return Err(Diagnostic::internal("layout-uniforms", format!("there is no word {k} in the pool")));
            }
            uses[k] += 1;
            halves[k] |= u.mods.half != Half::Whole;
        }
    }
    let mut order: Vec<usize> = (0..count).filter(|&k| uses[k] > 0).collect();
    // With more words than operands reach, those that are operands are the first ones already.
    if count <= REACH {
        // Operands reach the halves of fewer words; selection sees to it that there are not too many.
        let many = order.len() > HALF_REACH;
        order.sort_by_key(|&k| (many && !halves[k], std::cmp::Reverse(uses[k]), k));
    }
    if order.len() > MOST {
        return Err(Diagnostic::internal("layout-uniforms", "selection pools more constants than 64 KiB hold"));
    }
    let mut words = vec![0u16; count];
    for (at, &k) in order.iter().enumerate() {
        words[k] = at as u16;
    }
    let mut placed = 0;
    for u in mf.code.iter_mut().flatten().flat_map(|i| &mut i.uses) {
        if let Src::Uniform(n) = &mut u.src
            && let Slot::Pool(k) = Slot::unpack(*n)
        {
            *n = Slot::Const(0, words[k as usize] * 4).pack();
            placed += 1;
        }
    }
    Ok((placed, order))
}
