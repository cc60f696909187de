//! Block layout after allocation: empty blocks threaded away, jumps to the next block dropped, addresses found.
//!
//! Needs: physical registers. The order of blocks is kept: it is the structured one.

use crate::func::{MFunc, labels};
use crate::inst::{BlockId, MInst};
use crate::target::Target;

/// Sends branches to blocks that hold nothing but a jump on to where those go, and removes blocks that nothing reaches
/// then. Returns how many are gone. Not for targets that give an empty block a meaning.
pub fn thread_jumps<T: Target>(mf: &mut MFunc<T>, t: &T) -> usize {
    let n = mf.blocks.len();
    let next: Vec<Option<BlockId>> = mf
        .code
        .iter()
        .map(|insts| match insts.as_slice() {
            [only] if t.is_jump(only) => only.labels().next(),
            _ => None,
        })
        .collect();
    let resolve = |from: BlockId| {
        let mut at = from;
        // A loop of empty blocks ends nowhere: give up after as many steps as there are blocks.
        for _ in 0..n {
            match next[at.0 as usize] {
                Some(to) if to != at => at = to,
                _ => return at,
            }
        }
        from
    };
    let goal: Vec<BlockId> = mf.block_ids().map(resolve).collect();
    keep_reached(mf, &goal)
}

/// Removes blocks that no edge reaches from the entry. Returns how many.
pub fn remove_unreachable<T: Target>(mf: &mut MFunc<T>) -> usize {
    let same: Vec<BlockId> = mf.block_ids().collect();
    keep_reached(mf, &same)
}

/// Lets everything that names a block name its goal, and removes blocks that no edge reaches then. Returns how many.
///
/// Labels are not asked, since that would be a walk over all instructions: what is named is the target of an edge.
fn keep_reached<T: Target>(mf: &mut MFunc<T>, goal: &[BlockId]) -> usize {
    let n = mf.blocks.len();
    let mut seen: Vec<bool> = (0..n).map(|b| b == 0).collect();
    // In the order of the code, again while something led back to what had not been reached.
    let mut done = vec![false; n];
    let mut again = true;
    while again {
        again = false;
        for (b, block) in mf.blocks.iter().enumerate() {
            if !seen[b] || std::mem::replace(&mut done[b], true) {
                continue;
            }
            debug_assert!(
                labels(&mf.code[b]).all(|l| block.all_succs().any(|e| e.to == l)),
                "block {b}: a label without an edge"
            );
            for to in block.all_succs().map(|e| e.to) {
                let Some(&to) = goal.get(to.0 as usize) else { continue };
                again |= !std::mem::replace(&mut seen[to.0 as usize], true) && to.0 as usize <= b;
            }
        }
    }
    let mut new_of = vec![BlockId(u32::MAX); n];
    for (kept, (new, _)) in new_of.iter_mut().zip(&seen).filter(|x| *x.1).enumerate() {
        *new = BlockId(kept as u32);
    }
    if (0..n).any(|b| new_of[goal[b].0 as usize].0 as usize != b) {
        let mut reached = seen.iter();
        mf.blocks.retain(|_| *reached.next().unwrap_or(&true));
        let mut reached = seen.iter();
        mf.code.retain(|_| *reached.next().unwrap_or(&true));
        mf.retarget(|b| new_of[goal[b.0 as usize].0 as usize]);
    }
    n - mf.blocks.len()
}

/// Drops the jump at the end of a block to the block that comes next. Returns how many.
pub fn drop_fallthrough<T: Target>(mf: &mut MFunc<T>, t: &T) -> usize {
    let lists = mf.code.iter_mut().enumerate();
    lists.filter_map(|(b, insts)| drop_jump(insts, BlockId(b as u32 + 1), t).then_some(())).count()
}

/// Drops the jump at the end of a block's code if it goes to `next`, which comes next. Returns whether it did.
pub fn drop_jump<T: Target>(insts: &mut Vec<MInst<T>>, next: BlockId, t: &T) -> bool {
    let falls = insts.last().is_some_and(|i| t.is_jump(i) && i.labels().next() == Some(next));
    if falls {
        insts.pop();
    }
    falls
}

/// Addresses of blocks and the total size in bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Addresses {
    /// Address of each block.
    pub blocks: Vec<u32>,
    /// Bytes in all.
    pub size: u32,
}

/// Finds addresses by a fixpoint: `size(inst, pc, target)` gives the bytes of an instruction at `pc` whose label, if it has
/// one, lies at `target`; `align` the alignment of a block's start. What grew once never shrinks again, so it ends.
pub fn addresses<T: Target>(
    mf: &MFunc<T>,
    mut size: impl FnMut(&MInst<T>, u32, Option<u32>) -> u32,
    mut align: impl FnMut(BlockId) -> u32,
) -> Addresses {
    let mut at = vec![0u32; mf.blocks.len()];
    let mut sizes: Vec<u32> = vec![0; mf.inst_count()];
    loop {
        let (mut pc, mut k, mut changed) = (0u32, 0, false);
        for (b, insts) in mf.code.iter().enumerate() {
            pc = pc.next_multiple_of(align(BlockId(b as u32)).max(1));
            changed |= std::mem::replace(&mut at[b], pc) != pc;
            for i in insts {
                let target = i.labels().next().map(|l| at[l.0 as usize]);
                let bytes = size(i, pc, target).max(sizes[k]);
                changed |= std::mem::replace(&mut sizes[k], bytes) != bytes;
                pc += bytes;
                k += 1;
            }
        }
        if !changed {
            return Addresses { blocks: at, size: pc };
        }
    }
}
