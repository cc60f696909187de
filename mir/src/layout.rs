//! Block layout after allocation: empty blocks threaded away, jumps to the next block dropped, addresses found.
//!
//! Needs: physical registers. The order of blocks is kept: it is the structured one.

use crate::func::{MBlock, MFunc};
use crate::inst::{BlockId, MInst};
use crate::target::Target;

/// Sends branches to blocks that hold nothing but a jump on to where those go, and removes blocks that nothing reaches
/// then. Returns how many are gone. Not for targets that give an empty block a meaning.
pub fn thread_jumps<T: Target>(mf: &mut MFunc<T>, t: &T) -> usize {
    let n = mf.blocks.len();
    let next: Vec<Option<BlockId>> = mf
        .blocks
        .iter()
        .map(|b| match b.insts.as_slice() {
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
    mf.retarget(|b| goal[b.0 as usize]);
    remove_unreachable(mf)
}

/// Removes blocks that no edge and no label reaches from the entry. Returns how many.
pub fn remove_unreachable<T: Target>(mf: &mut MFunc<T>) -> usize {
    let n = mf.blocks.len();
    let mut seen = vec![false; n];
    let mut work = vec![BlockId(0)];
    while let Some(b) = work.pop() {
        if b.0 as usize >= n || std::mem::replace(&mut seen[b.0 as usize], true) {
            continue;
        }
        let block = &mf.blocks[b.0 as usize];
        work.extend(block.all_succs().map(|e| e.to));
        work.extend(block.labels());
    }
    let mut new_of = vec![BlockId(u32::MAX); n];
    let mut kept: Vec<MBlock<T>> = Vec::with_capacity(n);
    for (b, block) in std::mem::take(&mut mf.blocks).into_iter().enumerate() {
        if seen[b] {
            new_of[b] = BlockId(kept.len() as u32);
            kept.push(block);
        }
    }
    mf.blocks = kept;
    mf.retarget(|b| new_of[b.0 as usize]);
    n - mf.blocks.len()
}

/// Drops the jump at the end of a block to the block that comes next. Returns how many.
pub fn drop_fallthrough<T: Target>(mf: &mut MFunc<T>, t: &T) -> usize {
    let mut dropped = 0;
    for (b, block) in mf.blocks.iter_mut().enumerate() {
        let next = BlockId(b as u32 + 1);
        let falls = block.insts.last().is_some_and(|i| t.is_jump(i) && i.labels().next() == Some(next));
        if falls {
            block.insts.pop();
            dropped += 1;
        }
    }
    dropped
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
        for (b, block) in mf.blocks.iter().enumerate() {
            pc = pc.next_multiple_of(align(BlockId(b as u32)).max(1));
            changed |= std::mem::replace(&mut at[b], pc) != pc;
            for i in &block.insts {
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
