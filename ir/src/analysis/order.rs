//! Block order: what is reachable, and the layout that structure asks for.

use crate::entity::EntitySet;
use crate::function::{BlockData, Function};
use crate::inst::{Attr, Block};
use crate::lists::CsrLists;
use crate::ops::Op;

/// The blocks that some path from the entry reaches.
pub fn reachable(f: &Function) -> EntitySet<Block> {
    let succs = f.all_succs();
    reach(f, |b| succs[b].iter().copied())
}

fn reach<I: Iterator<Item = Block>>(f: &Function, succs: impl Fn(Block) -> I) -> EntitySet<Block> {
    let mut seen = EntitySet::with_room(f.blocks.len());
    let mut work = Vec::with_capacity(f.blocks.len());
    work.push(f.entry());
    while let Some(b) = work.pop() {
        if seen.insert(b) {
            work.extend(succs(b));
        }
    }
    seen
}

/// A block that another one names.
#[derive(Clone, Copy)]
struct Way {
    to: Block,
    /// Whether it is the target of an edge; else it is a merge or a continue part.
    edge: bool,
}

/// The names in each block, in the order in which the walk of [`structured_order`] takes it: merges and the continue part,
/// then the targets of its edges from the last to the first.
fn ways(f: &Function) -> CsrLists<Block, Way> {
    let mut ways = CsrLists::with_room(f.blocks.len(), 3 * f.blocks.len());
    for b in f.blocks.values() {
        if let Some(h) = b.header {
            ways.add(Way { to: h.merge, edge: false });
            ways.add(Way { to: h.cont, edge: false });
        }
        if let Some(&t) = b.insts.last() {
            let t = &f.insts[t];
            if let Some(to) = t.merge() {
                ways.add(Way { to, edge: false });
            }
            match &t.attr {
                Attr::Branch(b) => {
                    b.other().iter().for_each(|e| ways.add(Way { to: e.block, edge: true }));
                    ways.add(Way { to: b.then().block, edge: true });
                }
                _ => t.edges().iter().rev().for_each(|e| ways.add(Way { to: e.block, edge: true })),
            }
        }
        ways.end();
    }
    ways
}

/// The reachable blocks such that every edge but back edges leads forward, each construct's blocks lie together between
/// its header and its merge, and a loop's continue part is its last.
pub fn structured_order(f: &Function) -> Vec<Block> {
    let ways = ways(f);
    let live = reach(f, |b| edges(&ways[b]));
    order(f, &ways, live)
}

fn edges(ways: &[Way]) -> impl Iterator<Item = Block> {
    ways.iter().filter(|w| w.edge).map(|w| w.to)
}

fn order(f: &Function, ways: &CsrLists<Block, Way>, mut live: EntitySet<Block>) -> Vec<Block> {
    // The merge of a loop is named even if the loop never ends.
    for (b, d) in f.blocks.iter() {
        if let Some(h) = d.header
            && live.contains(b)
        {
            live.insert(h.merge);
        }
    }
    // A reverse postorder in which exits are visited first and so come out last. Iterative: chains may be long.
    let mut seen = EntitySet::with_room(f.blocks.len());
    let mut post = Vec::with_capacity(f.layout.len());
    let entry = f.entry();
    seen.insert(entry);
    let mut stack = vec![(entry, &ways[entry])];
    while let Some((b, rest)) = stack.last_mut() {
        if let Some((w, after)) = rest.split_first() {
            *rest = after;
            if live.contains(w.to) && seen.insert(w.to) {
                stack.push((w.to, &ways[w.to]));
            }
        } else {
            post.push(*b);
            stack.pop();
        }
    }
    post.reverse();
    post
}

/// Whether [`sort_layout`] would find nothing to do.
pub fn is_sorted(f: &Function) -> bool {
    let ways = ways(f);
    let live = reach(f, |b| edges(&ways[b]));
    let whole = f.layout.iter().all(|&b| ways[b].iter().all(|w| live.contains(w.to)));
    whole && order(f, &ways, live) == f.layout
}

/// Puts the layout into structured order and drops unreachable blocks from it. True if that changed it.
///
/// Structure that names a dropped block is repaired: a selection's merge that nothing reaches is left out, a loop's becomes
/// an empty unreachable block; a loop whose continue block is gone never repeats and becomes a plain construct.
pub fn sort_layout(f: &mut Function) -> bool {
    let mut ways = ways(f);
    let live = reach(f, |b| edges(&ways[b]));
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
    if changed {
        ways = self::ways(f);
    }
    let order = order(f, &ways, live.clone());
    changed |= order != f.layout;
    f.layout = order;
    // Blocks that go, and blocks that come behind others: applied to the layout at the end.
    let mut gone: EntitySet<Block> = EntitySet::new();
    let mut behind: Vec<(Block, Block)> = Vec::new();
    // Where structure names something that is not there; for most functions nowhere.
    let broken: Vec<Block> =
        f.layout.iter().copied().filter(|&b| ways[b].iter().any(|w| !live.contains(w.to))).collect();
    for b in broken {
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
