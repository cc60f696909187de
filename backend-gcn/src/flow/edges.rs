//! Edges before planning: each critical one gets a block of its own.

use gpucc_ir::{Block, Builder, Edge, EdgeRef, Function, SecondaryMap};

/// Gives each edge between a block with several successors and one with several predecessors a block of its own. Gives the number of
/// such blocks.
pub fn split_critical_edges(f: &mut Function) -> u64 {
    let preds = f.preds();
    let layout = f.layout.clone();
    let mut pos: SecondaryMap<Block, usize> = SecondaryMap::new();
    for (k, &b) in layout.iter().enumerate() {
        pos[b] = k;
    }
    let mut added = BlockInsertions::new(layout.len());
    let mut count = 0;
    for (from, &block) in layout.iter().enumerate() {
        let t = f.terminator(block);
        let edges: Vec<Edge> = f.insts[t].edges().into_iter().map(EdgeRef::to_edge).collect();
        if edges.len() < 2 {
            continue;
        }
        for (k, e) in edges.into_iter().enumerate() {
            if preds[e.block].len() < 2 {
                continue;
            }
            let new = f.make_block();
            added.add(from, pos[e.block], new);
            count += 1;
            let mut b = Builder::like(f, new, t);
            b.jump(e.block, &e.args);
            f.insts[t].set_edge(k, &Edge::to(new));
        }
    }
    f.layout = added.into_order(layout);
    count
}

/// Blocks that take a place beside others: those of a way back behind its source, inside the loop; those of a way forward
/// before its target, where the others come from.
pub struct BlockInsertions<B> {
    before: Vec<Vec<B>>,
    behind: Vec<Vec<B>>,
}

impl<B> BlockInsertions<B> {
    /// None yet, beside `n` blocks.
    pub fn new(n: usize) -> BlockInsertions<B> {
        let none = || std::iter::repeat_with(Vec::new).take(n).collect();
        BlockInsertions { before: none(), behind: none() }
    }

    /// A block for the edge from one position to another.
    pub fn add(&mut self, from: usize, to: usize, new: B) {
        let list = if to <= from { &mut self.behind[from] } else { &mut self.before[to] };
        list.push(new);
    }

    /// The blocks with the new ones among them.
    pub fn into_order(self, old: Vec<B>) -> Vec<B> {
        let mut order = Vec::with_capacity(old.len());
        for ((b, before), behind) in old.into_iter().zip(self.before).zip(self.behind) {
            order.extend(before);
            order.push(b);
            order.extend(behind.into_iter().rev());
        }
        order
    }
}
