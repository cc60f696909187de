//! Dominators and postdominators, by Cooper, Harvey and Kennedy's iteration.

use crate::entity::{Entity, SecondaryMap};
use crate::function::Function;
use crate::inst::Block;
use crate::lists::CsrLists;
use crate::trace;
use std::cell::OnceCell;

crate::entity!(
    /// A block by its place in reverse postorder; 0 is the root.
    Node, "node"
);

const NONE: Node = Node(u32::MAX);

/// Steps that no search takes.
const UNLIMITED: u64 = u64::MAX;

/// Immediate dominators of nodes `0..n`. Steps from node to node are taken off `left`; without any it ends too early.
fn solve(n: usize, preds: &CsrLists<Node, Node>, left: &mut u64) -> Vec<Node> {
    let mut idom = vec![NONE; n];
    if n == 0 {
        return idom;
    }
    idom[0] = Node(0);
    let mut changed = true;
    while changed && *left > 0 {
        changed = false;
        trace::work(n as u64);
        for n in 1..n {
            let mut new = NONE;
            for &p in &preds[Node::new(n)] {
                if idom[p.index()] == NONE {
                    continue;
                }
                if new == NONE {
                    new = p;
                    continue;
                }
                new = meet(&idom, p, new, left);
            }
            if new != idom[n] {
                idom[n] = new;
                changed = true;
            }
            if *left == 0 {
                break;
            }
        }
    }
    idom
}

/// The nearest node above both in the tree. The steps there are taken off `left`.
fn meet(idom: &[Node], mut a: Node, mut b: Node, left: &mut u64) -> Node {
    while a != b {
        while a > b {
            a = idom[a.index()];
            *left = left.saturating_sub(1);
        }
        while b > a {
            b = idom[b.index()];
            *left = left.saturating_sub(1);
        }
    }
    a
}

/// The blocks below `n` in reverse postorder from `root`, earlier successors first.
fn rpo<'a>(n: usize, root: usize, succs: impl Fn(usize) -> &'a [Block]) -> Vec<u32> {
    let mut seen = vec![false; n];
    let mut post = Vec::with_capacity(n);
    seen[root] = true;
    let mut stack = Vec::with_capacity(n);
    stack.push((root, succs(root)));
    while let Some((b, list)) = stack.last_mut() {
        match list.split_first() {
            Some((s, rest)) => {
                *list = rest;
                if !seen[s.index()] {
                    seen[s.index()] = true;
                    stack.push((s.index(), succs(s.index())));
                }
            }
            None => {
                post.push(*b as u32);
                stack.pop();
            }
        }
    }
    post.reverse();
    post
}

/// Entry and exit numbers of a walk over a tree given by parents in an order where parents come first; children are taken in that order.
fn number(parent: &[Node]) -> (Vec<u32>, Vec<u32>) {
    let n = parent.len();
    let (mut pre, mut last) = (vec![u32::MAX; n], vec![0; n]);
    if n == 0 {
        return (pre, last);
    }
    // Nodes of each subtree, then the number of the next child.
    let mut next = vec![1_u32; n];
    for c in (1..n).rev().filter(|&c| parent[c] != NONE) {
        next[parent[c].index()] += next[c];
    }
    for c in 0..n {
        let size = next[c];
        let at = match parent[c] {
            _ if c == 0 => 0,
            NONE => continue,
            p => {
                let at = next[p.index()];
                next[p.index()] += size;
                at
            }
        };
        (pre[c], last[c], next[c]) = (at, at + size, at + 1);
    }
    (pre, last)
}

/// The children of each node.
fn children(parent: &[Node]) -> CsrLists<Node, Node> {
    let n = parent.len();
    let pairs: Vec<(Node, Node)> = (1..n).filter(|&c| parent[c] != NONE).map(|c| (parent[c], Node::new(c))).collect();
    CsrLists::new(&pairs)
}

/// The dominator tree of the reachable blocks.
#[derive(Clone, Debug)]
pub struct DomTree {
    rpo: Vec<Block>,
    index: SecondaryMap<Block, Node>,
    idom: Vec<Node>,
    pre: Vec<u32>,
    last: Vec<u32>,
    /// Known once they are asked for.
    kids: OnceCell<CsrLists<Node, Node>>,
}

/// The rest follows from these.
impl PartialEq for DomTree {
    fn eq(&self, o: &DomTree) -> bool {
        (&self.rpo, &self.idom) == (&o.rpo, &o.idom)
    }
}

impl Eq for DomTree {}

impl DomTree {
    /// Computes the tree of a function from its entry.
    pub fn new(f: &Function) -> DomTree {
        DomTree::of(f.blocks.len(), f.entry(), &f.all_succs())
    }

    /// The tree of any graph of `n` blocks, by their successors.
    pub fn of(n: usize, entry: Block, succs: &CsrLists<Block, Block>) -> DomTree {
        DomTree::search(n, entry, succs, &mut UNLIMITED.clone())
    }

    /// The same tree as [`DomTree::of`]; nothing where the search takes `most` steps from block to block.
    pub fn within(n: usize, entry: Block, succs: &CsrLists<Block, Block>, most: u64) -> Option<DomTree> {
        let mut left = most;
        let tree = DomTree::search(n, entry, succs, &mut left);
        (left > 0).then_some(tree)
    }

    fn search(n: usize, entry: Block, succs: &CsrLists<Block, Block>, left: &mut u64) -> DomTree {
        let order = rpo(n, entry.index(), |b| &succs[Block::new(b)]);
        let rpo: Vec<Block> = order.into_iter().map(Block).collect();
        let mut index = SecondaryMap::with_default(NONE);
        index.reserve(n);
        for (n, &b) in rpo.iter().enumerate() {
            index[b] = Node::new(n);
        }
        let mut edges = Vec::with_capacity(2 * rpo.len());
        for (n, &b) in rpo.iter().enumerate() {
            edges.extend(succs[b].iter().map(|&s| (index[s], Node::new(n))));
        }
        let idom = solve(rpo.len(), &CsrLists::within(rpo.len(), &edges), left);
        let (pre, last) = number(&idom);
        DomTree { rpo, index, idom, pre, last, kids: OnceCell::new() }
    }

    /// The reachable blocks in reverse postorder.
    pub fn rpo(&self) -> &[Block] {
        &self.rpo
    }
    /// The place of a block in reverse postorder; none for unreachable blocks.
    pub fn position(&self, b: Block) -> Option<u32> {
        Some(self.index[b]).filter(|&n| n != NONE).map(|n| n.0)
    }
    /// Whether the entry reaches this block.
    pub fn is_reachable(&self, b: Block) -> bool {
        self.index[b] != NONE
    }
    /// The immediate dominator; none for the entry and for unreachable blocks.
    pub fn idom(&self, b: Block) -> Option<Block> {
        match self.index[b] {
            Node(0) | NONE => None,
            n => Some(self.block(self.idom[n.index()])),
        }
    }
    fn block(&self, n: Node) -> Block {
        self.rpo[n.index()]
    }
    /// Whether `a` is on every path to `b` (also if they are the same). False if one is unreachable.
    pub fn dominates(&self, a: Block, b: Block) -> bool {
        let (a, b) = (self.index[a], self.index[b]);
        if a == NONE || b == NONE {
            return false;
        }
        let (a, b) = (a.index(), b.index());
        self.pre[a] <= self.pre[b] && self.pre[b] < self.last[a]
    }
    /// The blocks whose immediate dominator this is, in reverse postorder.
    pub fn children(&self, b: Block) -> impl DoubleEndedIterator<Item = Block> + '_ {
        self.kids.get_or_init(|| children(&self.idom))[self.index[b]].iter().map(|&k| self.block(k))
    }
    /// The blocks in an order of the tree where parents come first (preorder).
    pub fn preorder(&self) -> Vec<Block> {
        let mut v = self.rpo.clone();
        for (n, &at) in self.pre.iter().enumerate() {
            v[at as usize] = self.rpo[n];
        }
        v
    }
    /// The nearest block that dominates both; both must be reachable.
    pub fn common(&self, a: Block, b: Block) -> Block {
        self.block(meet(&self.idom, self.index[a], self.index[b], &mut UNLIMITED.clone()))
    }
}

/// The postdominator tree. All `ret` and `unreachable` blocks lead to one virtual exit; so does the header of a loop
/// that cannot end, since otherwise its blocks would have no postdominator at all.
#[derive(Clone, Debug)]
pub struct PostDomTree {
    /// Node 0 is the virtual exit.
    nodes: Vec<Option<Block>>,
    index: SecondaryMap<Block, Node>,
    idom: Vec<Node>,
    pre: Vec<u32>,
    last: Vec<u32>,
}

impl PostDomTree {
    /// Computes the tree of a function's reachable blocks.
    pub fn new(f: &Function) -> PostDomTree {
        let n = f.blocks.len();
        let live = super::reachable(f);
        let succs = f.all_succs();
        let mut edges = Vec::with_capacity(2 * n);
        for &b in f.layout.iter().filter(|&&b| live.contains(b)) {
            edges.extend(succs[b].iter().map(|&s| (s, b)));
        }
        // In the order in which a walk back from the exit shall take them.
        edges.reverse();
        let preds = CsrLists::new(&edges);
        let mut exits: Vec<Block> =
            f.layout.iter().copied().filter(|&b| live.contains(b) && succs[b].is_empty()).collect();
        exits.reverse();
        // Blocks that reach no exit: give their first one in layout order an edge to the exit, until all have a way.
        let order = loop {
            let order = rpo(n + 1, n, |b| if b == n { &exits } else { &preds[Block::new(b)] });
            let mut seen = vec![false; n + 1];
            order.iter().for_each(|&b| seen[b as usize] = true);
            match f.layout.iter().find(|b| live.contains(**b) && !seen[b.index()]) {
                Some(&b) => exits.insert(0, b),
                None => break order,
            }
        };
        let mut index = SecondaryMap::with_default(NONE);
        index.reserve(n);
        let nodes: Vec<Option<Block>> = order.iter().map(|&b| (b as usize != n).then_some(Block(b))).collect();
        for (k, b) in nodes.iter().enumerate() {
            if let Some(b) = b {
                index[*b] = Node::new(k);
            }
        }
        let mut back = Vec::with_capacity(2 * n);
        for (k, b) in nodes.iter().enumerate() {
            if let Some(b) = b {
                back.extend(succs[*b].iter().map(|&s| (Node::new(k), index[s])));
            }
        }
        back.extend(exits.iter().map(|&b| (index[b], Node(0))));
        let idom = solve(nodes.len(), &CsrLists::new(&back), &mut UNLIMITED.clone());
        let (pre, last) = number(&idom);
        PostDomTree { nodes, index, idom, pre, last }
    }

    /// The immediate postdominator; none if that is the virtual exit or the block is unreachable.
    pub fn ipdom(&self, b: Block) -> Option<Block> {
        match self.index[b] {
            NONE => None,
            n => self.nodes[self.idom[n.index()].index()],
        }
    }
    /// Whether every path from `b` to an exit passes `a` (also if they are the same).
    pub fn postdominates(&self, a: Block, b: Block) -> bool {
        let (a, b) = (self.index[a], self.index[b]);
        if a == NONE || b == NONE {
            return false;
        }
        let (a, b) = (a.index(), b.index());
        self.pre[a] <= self.pre[b] && self.pre[b] < self.last[a]
    }
}
