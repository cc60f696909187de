//! Block order: what is reachable, and the layout that structure asks for.

use crate::entity::EntitySet;
use crate::function::{BlockData, Function};
use crate::inst::Block;
use crate::ops::Op;
use smallvec::SmallVec;

/// The blocks that some path from the entry reaches.
pub fn reachable(f: &Function) -> EntitySet<Block> {
    let mut seen = EntitySet::new();
    let mut work = vec![f.entry()];
    while let Some(b) = work.pop() {
        if seen.insert(b) {
            work.extend(f.succs(b));
        }
    }
    seen
}

/// The reachable blocks such that every edge but back edges leads forward, each construct's blocks lie together between
/// its header and its merge, and a loop's continue part is its last.
pub fn structured_order(f: &Function) -> Vec<Block> {
    let mut live = reachable(f);
    // The merge of a loop is named even if the loop never ends.
    for b in live.clone().iter() {
        if let Some(h) = f.blocks[b].header {
            live.insert(h.merge);
        }
    }
    // A reverse postorder in which exits are visited first and so come out last. Iterative: chains may be long.
    let next = |b: Block| -> SmallVec<[Block; 4]> {
        let mut s = SmallVec::new();
        let d = &f.blocks[b];
        if let Some(h) = d.header {
            s.push(h.merge);
            s.push(h.cont);
        }
        if let Some(&t) = d.insts.last() {
            let t = &f.insts[t];
            s.extend(t.merge());
            s.extend(t.edges().iter().rev().map(|e| e.block));
        }
        s.retain(|b| live.contains(*b));
        s
    };
    let mut seen = EntitySet::new();
    let mut post = Vec::new();
    let entry = f.entry();
    seen.insert(entry);
    let mut stack = vec![(entry, next(entry), 0)];
    while let Some((b, succs, k)) = stack.last_mut() {
        if let Some(&s) = succs.get(*k) {
            *k += 1;
            if seen.insert(s) {
                stack.push((s, next(s), 0));
            }
        } else {
            post.push(*b);
            stack.pop();
        }
    }
    post.reverse();
    post
}

/// Puts the layout into structured order and drops unreachable blocks from it. True if that changed it.
///
/// Structure that names a dropped block is repaired: a selection's merge that nothing reaches is left out, a loop's becomes
/// an empty unreachable block; a loop whose continue block is gone never repeats and becomes a plain construct.
pub fn sort_layout(f: &mut Function) -> bool {
    let live = reachable(f);
    let mut changed = false;
    for b in live.iter() {
        let Some(h) = f.blocks[b].header else { continue };
        let merge = &f.blocks[h.merge];
        let empty = merge.params.is_empty()
            && merge.header.is_none()
            && matches!(merge.insts[..], [i] if f.insts[i].op == Op::Unreachable);
        if !live.contains(h.merge) && live.contains(h.cont) && !empty {
            f.blocks[h.merge] = BlockData::default();
            crate::Builder::new(f, h.merge).unreachable();
            changed = true;
        }
    }
    let order = structured_order(f);
    changed |= order != f.layout;
    f.layout = order;
    // Blocks that go, and blocks that come behind others: applied to the layout at the end.
    let mut gone: EntitySet<Block> = EntitySet::new();
    let mut behind: Vec<(Block, Block)> = Vec::new();
    for b in f.layout.clone() {
        let t = f.terminator(b);
        if f.insts[t].merge().is_some_and(|m| !live.contains(m)) {
            f.insts[t].set_merge(None);
            changed = true;
        }
        let Some(h) = f.blocks[b].header else { continue };
        if live.contains(h.cont) {
            continue;
        }
        changed = true;
        if !live.contains(h.merge) {
            gone.insert(h.merge);
        }
        f.blocks[b].header = None;
        if !live.contains(h.merge) {
            continue;
        }
        // `break` still leads to the merge, so something must open a construct that ends there.
        let body = f.make_block();
        f.blocks[body].insts = std::mem::take(&mut f.blocks[b].insts);
        behind.push((b, body));
        crate::Builder::new(f, b).jump_merge(body, &[], h.merge);
    }
    if gone.count() > 0 || !behind.is_empty() {
        let mut behind = behind.into_iter().peekable();
        let old = std::mem::take(&mut f.layout);
        for b in old.into_iter().filter(|&b| !gone.contains(b)) {
            f.layout.push(b);
            if let Some((_, body)) = behind.next_if(|x| x.0 == b) {
                f.layout.push(body);
            }
        }
    }
    changed
}
