//! Edges before planning: each `switch` becomes a chain of branches, each critical edge gets a block of its own.

use gpucc_ir::{Attr, Block, Builder, Edge, EdgeRef, Function, IntCc, SideMap};

/// Replaces each `switch` by a chain of branches.
pub fn split_switches(f: &mut Function) {
    let mut layout = Vec::with_capacity(f.layout.len());
    for block in std::mem::take(&mut f.layout) {
        layout.push(block);
        let t = f.terminator(block);
        let d = f.insts[t].clone();
        let Attr::Switch(s) = d.attr else { continue };
        f.blocks[block].insts.pop();
        let ty = f.ty(d.args[0]);
        let mut here = block;
        let last = s.cases.len().saturating_sub(1);
        if s.cases.is_empty() {
            let mut b = Builder::like(f, here, t);
            b.jump(s.default.block, &s.default.args);
        }
        for (k, (value, edge)) in s.cases.iter().enumerate() {
            let other = if k == last { s.default.clone() } else { Edge::to(f.make_block()) };
            let c = f.iconst(ty, *value as i64);
            let mut b = Builder::like(f, here, t);
            let cond = b.icmp(IntCc::Eq, d.args[0], c);
            b.br(cond, edge.clone(), other.clone(), None);
            if k != last {
                here = other.block;
                layout.push(here);
            }
        }
    }
    f.layout = layout;
}

/// Gives each edge between a block with several successors and one with several predecessors a block of its own.
pub fn split_critical_edges(f: &mut Function) {
    let preds = f.preds();
    let layout = f.layout.clone();
    let mut pos: SideMap<Block, usize> = SideMap::new();
    for (k, &b) in layout.iter().enumerate() {
        pos[b] = k;
    }
    let mut added = Beside::new(layout.len());
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
            let mut b = Builder::like(f, new, t);
            b.jump(e.block, &e.args);
            f.insts[t].set_edge(k, &Edge::to(new));
        }
    }
    f.layout = added.into_order(layout);
}

/// Blocks that take a place beside others: those of a way back behind its source, inside the loop; those of a way forward
/// before its target, where the others come from.
pub struct Beside<B> {
    before: Vec<Vec<B>>,
    behind: Vec<Vec<B>>,
}

impl<B> Beside<B> {
    /// None yet, beside `n` blocks.
    pub fn new(n: usize) -> Beside<B> {
        let none = || std::iter::repeat_with(Vec::new).take(n).collect();
        Beside { before: none(), behind: none() }
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
