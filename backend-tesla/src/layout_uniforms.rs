//! Places of the pool's words in c0: those that are used most come first, where short forms reach them.
//!
//! Constant tables follow the words.
//!
//! Needs: physical registers, since what spilling and copies read counts.

use gpucc_ir::Diagnostic;
use gpucc_mir::{MFunc, Src};

use crate::inst::{Half, Tesla};
use crate::slots::{HALF_REACH, REACH, Slot};

/// Words of c0.
const MOST: usize = 16_384;

/// Lets operands name words of c0 instead of words of the pool, of which there are `count`, and of `tables` words of tables. Returns how many
/// do, and the words of the pool in their order in c0; tables are numbered behind the pool.
///
/// # Errors
/// A bug: selection pools more than there can be.
pub fn run(mf: &mut MFunc<Tesla>, count: usize, tables: usize) -> Result<(u64, Vec<usize>), Diagnostic> {
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
        // Operands reach the halves of fewer words; selection keeps their number low enough.
        let many = order.len() > HALF_REACH;
        order.sort_by_key(|&k| (many && !halves[k], std::cmp::Reverse(uses[k]), k));
    }
    if order.len() + tables > MOST {
        return Err(Diagnostic::internal("layout-uniforms", "selection pools more constants than 64 KiB hold"));
    }
    let mut words = vec![0u16; count];
    for (at, &k) in order.iter().enumerate() {
        words[k] = at as u16;
    }
    let mut placed = 0;
    for u in mf.code.iter_mut().flatten().flat_map(|i| &mut i.uses) {
        let Src::Uniform(n) = &mut u.src else { continue };
        let at = match Slot::unpack(*n) {
            Slot::Pool(k) => words[k as usize] * 4,
            // Modulo 2^16, as the unit adds.
            Slot::Table(offset) => (order.len() as u16 * 4).wrapping_add(offset),
            _ => continue,
        };
        *n = Slot::Const(0, at).pack();
        placed += 1;
    }
    order.extend(count..count + tables);
    Ok((placed, order))
}
