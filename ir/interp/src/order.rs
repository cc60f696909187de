//! The order of blocks that makes lanes meet again.
//!
//! Each lane has the block it wants to run next; the one that comes first in this order runs, for all lanes that want
//! it. Every block of a construct lies before the construct's merge, and every block of a loop's body before its
//! continue part, so lanes wait at a merge until all the others have come or have left for somewhere further out.

use gpucc_ir::{Block, Entity, EntitySet, Function};

/// The blocks that can be reached, in structured order: a depth-first walk that goes to the merge first, then to the
/// continue block, then to the successors, read backwards.
pub fn structured(f: &Function) -> Vec<Block> {
    let mut seen: EntitySet<Block> = EntitySet::new();
    let mut post = Vec::new();
    // (block, next child to visit)
    let mut stack: Vec<(Block, usize, Vec<Block>)> = Vec::new();
    let enter = |b: Block, stack: &mut Vec<(Block, usize, Vec<Block>)>| {
        let mut next = Vec::new();
        if let Some(h) = f.blocks[b].header {
            next.extend([h.merge, h.cont]);
        }
        if let Some(&last) = f.blocks[b].insts.last() {
            next.extend(f.insts[last].merge());
            // The first edge is walked last, so that it comes first.
            next.extend(f.succs(b).iter().rev());
        }
        stack.push((b, 0, next));
    };
    let entry = f.entry();
    seen.insert(entry);
    enter(entry, &mut stack);
    while let Some((b, at, next)) = stack.last_mut() {
        match next.get(*at) {
            Some(&child) => {
                *at += 1;
                if child.index() < f.blocks.len() && seen.insert(child) {
                    enter(child, &mut stack);
                }
            }
            None => {
                post.push(*b);
                stack.pop();
            }
        }
    }
    post.reverse();
    post
}
