//! Dominators and postdominators, by Cooper, Harvey and Kennedy's iteration.

use crate::entity::SideMap;
use crate::function::Function;
use crate::inst::Block;
use crate::trace;

const NONE: u32 = u32::MAX;

/// Immediate dominators over nodes numbered in reverse postorder; node 0 is the root.
fn solve(preds: &[Vec<u32>]) -> Vec<u32> {
    let mut idom = vec![NONE; preds.len()];
    if preds.is_empty() {
        return idom;
    }
    idom[0] = 0;
    let mut changed = true;
    while changed {
        changed = false;
        trace::work(preds.len() as u64);
        for n in 1..preds.len() {
            let mut new = NONE;
            for &p in &preds[n] {
                if idom[p as usize] == NONE {
                    continue;
                }
                if new == NONE {
                    new = p;
                    continue;
                }
                let (mut a, mut b) = (p, new);
                while a != b {
                    while a > b {
                        a = idom[a as usize];
                    }
                    while b > a {
                        b = idom[b as usize];
                    }
                }
                new = a;
            }
            if new != idom[n] {
                idom[n] = new;
                changed = true;
            }
        }
    }
    idom
}

/// Reverse postorder from `root` over `n` nodes.
fn rpo(n: usize, root: usize, succs: impl Fn(usize) -> Vec<usize>) -> Vec<usize> {
    let mut seen = vec![false; n];
    let mut post = Vec::new();
    seen[root] = true;
    let mut stack = vec![(root, succs(root))];
    while let Some((b, list)) = stack.last_mut() {
        match list.pop() {
            Some(s) if !seen[s] => {
                seen[s] = true;
                stack.push((s, succs(s)));
            }
            Some(_) => {}
            None => {
                post.push(*b);
                stack.pop();
            }
        }
    }
    post.reverse();
    post
}

/// Entry and exit numbers of a walk over a tree given by parents in an order where parents come first.
fn number(parent: &[u32]) -> (Vec<u32>, Vec<u32>, Vec<Vec<u32>>) {
    let n = parent.len();
    let mut kids = vec![Vec::new(); n];
    for c in 1..n {
        if parent[c] != NONE {
            kids[parent[c] as usize].push(c as u32);
        }
    }
    let (mut pre, mut last) = (vec![NONE; n], vec![0; n]);
    let mut clock = 0;
    let mut stack = if n > 0 { vec![(0_u32, 0_usize)] } else { vec![] };
    while let Some((b, k)) = stack.last_mut() {
        if *k == 0 {
            pre[*b as usize] = clock;
            clock += 1;
        }
        if let Some(&c) = kids[*b as usize].get(*k) {
            *k += 1;
            stack.push((c, 0));
        } else {
            last[*b as usize] = clock;
            stack.pop();
        }
    }
    (pre, last, kids)
}

/// The dominator tree of the reachable blocks.
#[derive(Clone, Debug)]
pub struct DomTree {
    rpo: Vec<Block>,
    index: SideMap<Block, u32>,
    idom: Vec<u32>,
    pre: Vec<u32>,
    last: Vec<u32>,
    kids: Vec<Vec<u32>>,
}

impl DomTree {
    /// Computes the tree.
    pub fn new(f: &Function) -> DomTree {
        let order = rpo(f.blocks.len(), f.entry().0 as usize, |b| {
            f.succs(Block(b as u32)).iter().rev().map(|s| s.0 as usize).collect()
        });
        let rpo: Vec<Block> = order.into_iter().map(|b| Block(b as u32)).collect();
        let mut index = SideMap::with_default(NONE);
        for (n, &b) in rpo.iter().enumerate() {
            index[b] = n as u32;
        }
        let mut preds = vec![Vec::new(); rpo.len()];
        for (n, &b) in rpo.iter().enumerate() {
            for s in f.succs(b) {
                preds[index[s] as usize].push(n as u32);
            }
        }
        let idom = solve(&preds);
        let (pre, last, kids) = number(&idom);
        DomTree { rpo, index, idom, pre, last, kids }
    }

    /// The reachable blocks in reverse postorder.
    pub fn rpo(&self) -> &[Block] {
        &self.rpo
    }
    /// The place of a block in reverse postorder; none for unreachable blocks.
    pub fn position(&self, b: Block) -> Option<u32> {
        Some(self.index[b]).filter(|&n| n != NONE)
    }
    /// Whether the entry reaches this block.
    pub fn is_reachable(&self, b: Block) -> bool {
        self.index[b] != NONE
    }
    /// The immediate dominator; none for the entry and for unreachable blocks.
    pub fn idom(&self, b: Block) -> Option<Block> {
        match self.index[b] {
            0 | NONE => None,
            n => Some(self.rpo[self.idom[n as usize] as usize]),
        }
    }
    /// Whether `a` is on every path to `b` (also if they are the same). False if one is unreachable.
    pub fn dominates(&self, a: Block, b: Block) -> bool {
        let (a, b) = (self.index[a], self.index[b]);
        if a == NONE || b == NONE {
            return false;
        }
        let (a, b) = (a as usize, b as usize);
        self.pre[a] <= self.pre[b] && self.pre[b] < self.last[a]
    }
    /// The blocks whose immediate dominator this is, in reverse postorder.
    pub fn children(&self, b: Block) -> impl Iterator<Item = Block> + '_ {
        let n = self.index[b];
        let list: &[u32] = if n == NONE { &[] } else { &self.kids[n as usize] };
        list.iter().map(|&k| self.rpo[k as usize])
    }
    /// The blocks in an order of the tree where parents come first (preorder).
    pub fn preorder(&self) -> Vec<Block> {
        let mut v: Vec<usize> = (0..self.rpo.len()).collect();
        v.sort_by_key(|&n| self.pre[n]);
        v.into_iter().map(|n| self.rpo[n]).collect()
    }
    /// The nearest block that dominates both; both must be reachable.
    pub fn common(&self, a: Block, b: Block) -> Block {
        let (mut a, mut b) = (self.index[a], self.index[b]);
        while a != b {
            while a > b {
                a = self.idom[a as usize];
            }
            while b > a {
                b = self.idom[b as usize];
            }
        }
        self.rpo[a as usize]
    }
}

/// The postdominator tree. All `ret` and `unreachable` blocks lead to one virtual exit; so does the header of a loop
/// that cannot end, since otherwise its blocks would have no postdominator at all.
#[derive(Clone, Debug)]
pub struct PostDomTree {
    /// Node 0 is the virtual exit.
    nodes: Vec<Option<Block>>,
    index: SideMap<Block, u32>,
    idom: Vec<u32>,
    pre: Vec<u32>,
    last: Vec<u32>,
}

impl PostDomTree {
    /// Computes the tree.
    pub fn new(f: &Function) -> PostDomTree {
        let n = f.blocks.len();
        let live = super::reachable(f);
        let preds = f.preds();
        let mut exits: Vec<usize> =
            f.layout.iter().filter(|&&b| live.contains(b) && f.succs(b).is_empty()).map(|b| b.0 as usize).collect();
        // Blocks that reach no exit: give their first one in layout order an edge to the exit, until all have a way.
        let order = loop {
            let order = rpo(n + 1, n, |b| {
                if b == n {
                    exits.clone()
                } else {
                    preds[Block(b as u32)].iter().filter(|p| live.contains(**p)).map(|p| p.0 as usize).collect()
                }
            });
            let mut seen = vec![false; n + 1];
            order.iter().for_each(|&b| seen[b] = true);
            match f.layout.iter().find(|b| live.contains(**b) && !seen[b.0 as usize]) {
                Some(b) => exits.push(b.0 as usize),
                None => break order,
            }
        };
        let mut index = SideMap::with_default(NONE);
        let nodes: Vec<Option<Block>> =
            order.iter().map(|&b| if b == n { None } else { Some(Block(b as u32)) }).collect();
        for (k, b) in nodes.iter().enumerate() {
            if let Some(b) = b {
                index[*b] = k as u32;
            }
        }
        let mut rev = vec![Vec::new(); nodes.len()];
        for (k, b) in nodes.iter().enumerate() {
            let Some(b) = b else { continue };
            rev[k].extend(f.succs(*b).iter().map(|s| index[*s]));
            if exits.contains(&(b.0 as usize)) {
                rev[k].push(0);
            }
        }
        let idom = solve(&rev);
        let (pre, last, _) = number(&idom);
        PostDomTree { nodes, index, idom, pre, last }
    }

    /// The immediate postdominator; none if that is the virtual exit or the block is unreachable.
    pub fn ipdom(&self, b: Block) -> Option<Block> {
        match self.index[b] {
            NONE => None,
            n => self.nodes[self.idom[n as usize] as usize],
        }
    }
    /// Whether every path from `b` to an exit passes `a` (also if they are the same).
    pub fn postdominates(&self, a: Block, b: Block) -> bool {
        let (a, b) = (self.index[a], self.index[b]);
        if a == NONE || b == NONE {
            return false;
        }
        let (a, b) = (a as usize, b as usize);
        self.pre[a] <= self.pre[b] && self.pre[b] < self.last[a]
    }
}
