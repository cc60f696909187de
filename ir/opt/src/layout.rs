//! Puts blocks into the order in which backends emit them.
//!
//! Reverse post order in which a construct's merge block comes after everything inside it: loop bodies are contiguous, every
//! block follows its dominator, and every join follows all its forward predecessors. Blocks that nothing reaches leave the layout.
//! Needs: kept structure. Keeps: everything but the order.

use gpucc_ir::{Block, Function, SecondaryMap};

/// Runs over a function; gives 1 if the order changed.
pub fn run(f: &mut Function) -> u64 {
    let mut state: SecondaryMap<Block, bool> = SecondaryMap::with_default(false);
    let mut post = Vec::with_capacity(f.layout.len());
    // Blocks to visit below each block: the merge first, so that it is finished first and thus comes last.
    let below = |f: &Function, b: Block| {
        let mut list: Vec<Block> = Vec::new();
        let reached = f.succs(b);
        if let Some(h) = f.blocks[b].header {
            list.push(h.merge);
            list.push(h.cont);
        }
        list.extend(f.insts[f.terminator(b)].merge());
        list.extend(reached.iter().rev());
        list
    };
    let mut reachable: SecondaryMap<Block, bool> = SecondaryMap::with_default(false);
    let mut work = vec![f.entry()];
    while let Some(b) = work.pop() {
        if !reachable[b] {
            reachable.set(b, true);
            work.extend(f.succs(b));
        }
    }
    let entry = f.entry();
    state.set(entry, true);
    let mut stack = vec![(entry, below(f, entry), 0)];
    while let Some((b, list, n)) = stack.last_mut() {
        match list.get(*n) {
            Some(&next) => {
                *n += 1;
                if !state[next] && reachable[next] {
                    state.set(next, true);
                    let list = below(f, next);
                    stack.push((next, list, 0));
                }
            }
            None => {
                post.push(*b);
                stack.pop();
            }
        }
    }
    post.reverse();
    let changed = post != f.layout;
    f.layout = post;
    u64::from(changed)
}
