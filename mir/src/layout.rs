//! Block layout after allocation: empty blocks threaded away, jumps to the next block dropped.
//!
//! Needs: physical registers. The order of blocks is kept: it is the structured one.

use crate::func::{MFunc, is_terminator, labels};
use crate::inst::{BlockId, MInst, Src, Target};

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
    redirect(mf, &goal)
}

/// Removes blocks that no edge reaches from the entry. Returns how many.
pub fn remove_unreachable<T: Target>(mf: &mut MFunc<T>) -> usize {
    let same: Vec<BlockId> = mf.block_ids().collect();
    redirect(mf, &same)
}

/// Lets everything that names a block name its goal, and removes blocks that no edge reaches then. Returns how many.
///
/// Labels are not asked, since that would be a walk over all instructions: what is named is the target of an edge.
pub fn redirect<T: Target>(mf: &mut MFunc<T>, goal: &[BlockId]) -> usize {
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

/// Turns conditional branches to the block that comes next around, so that the jump behind them goes there and can be dropped,
/// and drops those to where that jump goes. Returns how many. Fires where [`Target::invert`] can.
pub fn invert_branches<T: Target>(mf: &mut MFunc<T>, t: &T) -> usize {
    let mut changed = 0;
    for (b, insts) in mf.code.iter_mut().enumerate() {
        let [.., branch, jump] = insts.as_mut_slice() else { continue };
        if !t.is_jump(jump) || !is_terminator(t, branch) {
            continue;
        }
        let (Some(to), Some(other)) = (only_label(branch), only_label(jump)) else { continue };
        let here = to.0 as usize == b + 1;
        // A branch that cannot be inverted does more than branch.
        let mut inverted = branch.clone();
        if !here && to != other || !t.invert(&mut inverted) {
            continue;
        }
        changed += 1;
        if to == other {
            insts.remove(insts.len() - 2);
        } else {
            relabel(&mut inverted, other);
            relabel(jump, to);
            *branch = inverted;
        }
    }
    changed
}

fn only_label<T: Target>(i: &MInst<T>) -> Option<BlockId> {
    let mut labels = i.labels();
    labels.next().filter(|_| labels.next().is_none())
}

/// Makes a branch go to `to`.
pub fn relabel<T: Target>(i: &mut MInst<T>, to: BlockId) {
    i.uses.iter_mut().for_each(|u| {
        if let Src::Label(l) = &mut u.src {
            *l = to;
        }
    });
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
