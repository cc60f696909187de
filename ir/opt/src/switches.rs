//! Turns each `switch` into two-way branches: a chain for a few cases, a binary search over the sorted ones for more.
//!
//! ```text
//! switch v0, 1: block1,            br v0 == 1, block1, ..      (few: one test in turn, in the order of the source)
//!   2: block2, default: block3
//!
//! switch v0, 0: block1, ..         br v0 <u 4, .., ..          (many: neighbouring cases with one target are one range,
//!   7: block8, default: block9       br v0 <u 2, .., ..         and what is known from above needs no test below)
//! ```
//!
//! A block that several ways of the search lead to becomes the merge of a construct around the search. Where there are many
//! of those, one search finds the number of the edge and a second one, over all numbers from 0, takes it: lanes of one target
//! come together in between, and no more than a few blocks are waited for at once.
//!
//! Lanes that differ in the selector go one half after the other: one comparison and one mask for each step, and only those of
//! the way down to a case at once.
//!
//! An edge to a block that others lead to as well has a block of its own, which lies where the search comes to it: at the target,
//! lanes would wait for each of them until all of the search is done.
//!
//! Needs: structured control flow. Leaves: no `switch`; the layout sorted. Keeps: everything but terminators.

use crate::PassCx;
use gpucc_ir::analysis::{ConstructKind, Structure, sort_layout};
use gpucc_ir::{Attr, Block, Builder, Edge, EntitySet, Function, Inst, IntCc, SwitchEdges, Type, Value};

/// The most ranges that are tested one after the other.
const CHAIN: usize = 4;
/// The most that are so at the end of a search.
const LEAF: usize = 3;
/// The most blocks that a search is a construct for.
const SHARED: usize = 4;

/// Replaces each `switch` by a tree of two-way branches.
pub fn run(f: &mut Function, cx: &mut PassCx<'_>) {
    let is_switch = |f: &Function, b: Block| matches!(f.insts[f.terminator(b)].attr, Attr::Switch(_));
    let list: Vec<Block> = f.layout.iter().copied().filter(|&b| is_switch(f, b)).collect();
    if list.is_empty() {
        return;
    }
    let structure = cx.structure(f);
    for b in list {
        lower(f, &structure, b);
        cx.must_change(1);
    }
    sort_layout(f);
}

/// Selector values that take one edge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Range {
    /// Lowest value of the selector in the range.
    pub low: u64,
    /// Highest value of the selector, part of the range.
    pub high: u64,
    /// Index of the edge.
    pub edge: usize,
}

/// The question to a selector.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Test {
    /// Whether it is this.
    Is(u64),
    /// Whether it is less than this.
    Below(u64),
    /// Whether it is between these, or one of them.
    Within(u64, u64),
}

/// A place in the search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Node {
    /// Takes an edge.
    Go(usize),
    /// Tests whether any of several conditions holds, and continues at one node or the other.
    Test(Vec<Test>, usize, usize),
}

/// A dispatch that is being planned.
pub struct Search {
    /// Questions and edges, by index.
    pub nodes: Vec<Node>,
    /// Index of the first question.
    pub root: usize,
    /// The edge of values that no range holds.
    default: usize,
}

impl Search {
    /// A search for sorted ranges of a selector between `low` and `high`; the edge of all others is the first.
    pub fn plan(ranges: &[Range], low: u64, high: u64) -> Search {
        let mut s = Search { nodes: Vec::new(), root: 0, default: 0 };
        let whole = ranges.first().is_some_and(|r| r.low == low) && ranges.last().is_some_and(|r| r.high == high);
        s.root = if ranges.len() <= CHAIN && !whole { s.chain(ranges) } else { s.halves(ranges, low, high) };
        s
    }

    fn node(&mut self, n: Node) -> usize {
        self.nodes.push(n);
        self.nodes.len() - 1
    }

    /// One edge after the other, in their order.
    fn chain(&mut self, ranges: &[Range]) -> usize {
        let mut edges: Vec<usize> = ranges.iter().map(|r| r.edge).collect();
        edges.sort_unstable();
        edges.dedup();
        let mut at = self.node(Node::Go(self.default));
        for &edge in edges.iter().rev() {
            let tests = ranges.iter().filter(|r| r.edge == edge).map(Range::test).collect();
            let yes = self.node(Node::Go(edge));
            at = self.node(Node::Test(tests, yes, at));
        }
        at
    }

    /// The tree for sorted ranges of a selector that is known to lie between `low` and `high`.
    fn halves(&mut self, ranges: &[Range], low: u64, high: u64) -> usize {
        let Some((first, rest)) = ranges.split_first() else { return self.node(Node::Go(self.default)) };
        if ranges.len() > LEAF {
            let (left, right) = ranges.split_at(ranges.len() / 2);
            let at = right[0].low;
            let yes = self.halves(left, low, at - 1);
            let no = self.halves(right, at, high);
            return self.node(Node::Test(vec![Test::Below(at)], yes, no));
        }
        let go = self.node(Node::Go(first.edge));
        if first.low <= low && first.high >= high {
            return go;
        }
        let branch = |test, yes, no| Node::Test(vec![test], yes, no);
        let next = if first.low <= low {
            let no = self.halves(rest, first.high + 1, high);
            let test = if first.low == first.high { first.test() } else { Test::Below(first.high + 1) };
            branch(test, go, no)
        } else if first.high >= high && first.low != first.high {
            let no = self.node(Node::Go(self.default));
            branch(Test::Below(first.low), no, go)
        } else {
            let no = self.halves(rest, low, high);
            branch(first.test(), go, no)
        };
        self.node(next)
    }

    /// How many ways take each edge.
    fn ways(&self, edges: usize) -> Vec<u32> {
        let mut ways = vec![0; edges];
        let mut work = vec![self.root];
        while let Some(n) = work.pop() {
            match &self.nodes[n] {
                Node::Go(e) => ways[*e] += 1,
                Node::Test(_, yes, no) => work.extend([yes, no]),
            }
        }
        ways
    }
}

impl Range {
    fn test(&self) -> Test {
        if self.low == self.high { Test::Is(self.low) } else { Test::Within(self.low, self.high) }
    }
}

/// The edges of a switch without repetition, the default first, and the ranges that take the others.
fn classes(s: &SwitchEdges) -> (Vec<Edge>, Vec<Range>) {
    let mut edges = vec![s.default.clone()];
    let mut ranges: Vec<Range> = Vec::with_capacity(s.cases.len());
    // Equal edges are found by a sorted list of the first ones: cases that share a block may have different arguments.
    let mut order: Vec<usize> = (0..s.cases.len()).collect();
    let key = |k: usize| (s.cases[k].1.block, &s.cases[k].1.args[..]);
    order.sort_by(|&a, &b| key(a).cmp(&key(b)));
    let mut first: Vec<usize> = (0..s.cases.len()).collect();
    for w in order.windows(2) {
        if key(w[0]) == key(w[1]) {
            first[w[1]] = first[w[0]];
        }
    }
    let mut number = vec![0; s.cases.len()];
    for (k, (value, edge)) in s.cases.iter().enumerate() {
        if *edge == s.default {
            continue;
        }
        if first[k] == k {
            number[k] = edges.len();
            edges.push(edge.clone());
        }
        ranges.push(Range { low: *value, high: *value, edge: number[first[k]] });
    }
    ranges.sort_unstable_by_key(|r| r.low);
    let mut merged: Vec<Range> = Vec::with_capacity(ranges.len());
    for r in ranges {
        match merged.last_mut() {
            Some(m) if m.edge == r.edge && m.high + 1 == r.low => m.high = r.high,
            _ => merged.push(r),
        }
    }
    (edges, merged)
}

fn lower(f: &mut Function, structure: &Structure, b: Block) {
    let t = f.terminator(b);
    let d = f.insts[t].clone();
    let Attr::Switch(s) = d.attr else { return };
    f.blocks[b].insts.pop();
    let mut exits: EntitySet<Block> = s.merge.into_iter().collect();
    for c in structure.enclosing(structure.of(b)) {
        exits.insert(structure.constructs[c].merge);
        if let ConstructKind::Loop { cont } = structure.constructs[c].kind {
            exits.insert(cont);
            exits.insert(structure.constructs[c].header);
            break;
        }
    }
    let mut dispatch = Dispatch { f, exits, like: t };
    let (edges, ranges) = classes(&s);
    let selector = d.args[0];
    let most = dispatch.f.ty(selector).scalar().mask();
    let search = Search::plan(&ranges, 0, most);
    let shared = dispatch.shared(&search, &edges);
    if shared.len() <= SHARED {
        dispatch.emit(b, selector, &search, &edges, &shared, s.merge);
        return;
    }
    let (find, take) = (dispatch.f.make_block(), dispatch.f.make_block());
    let number = dispatch.f.add_param(take, Type::I32);
    let mut numbers = Vec::with_capacity(edges.len());
    for k in 0..edges.len() {
        let k = dispatch.f.iconst(Type::I32, k as i64);
        numbers.push(Edge::with(take, &[k]));
    }
    dispatch.jump(b, find, s.merge);
    dispatch.exits.insert(take);
    dispatch.emit(find, selector, &search, &numbers, &[], Some(take));
    let each: Vec<Range> = (0..edges.len()).map(|k| Range { low: k as u64, high: k as u64, edge: k }).collect();
    let search = Search::plan(&each, 0, edges.len() as u64 - 1);
    let shared = dispatch.shared(&search, &edges);
    dispatch.emit(take, number, &search, &edges, &shared, None);
}

/// Writes searches into a function.
struct Dispatch<'a> {
    f: &'a mut Function,
    /// The targets of jumps from anywhere inside: merges and continue parts around the switch.
    exits: EntitySet<Block>,
    /// The switch, for its location.
    like: Inst,
}

impl Dispatch<'_> {
    fn jump(&mut self, from: Block, to: Block, merge: Option<Block>) {
        let mut b = Builder::like(self.f, from, self.like);
        match merge {
            Some(m) => b.jump_merge(to, &[], m),
            None => b.jump(to, &[]),
        };
    }

    /// The blocks inside that several ways lead to.
    fn shared(&self, search: &Search, edges: &[Edge]) -> Vec<Block> {
        let ways = search.ways(edges.len());
        let mut inner: Vec<(Block, u32)> = edges.iter().map(|e| e.block).zip(ways).collect();
        inner.retain(|x| x.1 > 0 && !self.exits.contains(x.0));
        inner.sort_unstable();
        let several = |list: &[(Block, u32)]| list.iter().map(|x| x.1).sum::<u32>() > 1;
        inner.chunk_by(|a, b| a.0 == b.0).filter(|l| several(l)).map(|l| l[0].0).collect()
    }

    /// Writes a search behind the code of `here`, in constructs that end at the shared blocks.
    fn emit(
        &mut self,
        here: Block,
        selector: Value,
        search: &Search,
        edges: &[Edge],
        shared: &[Block],
        merge: Option<Block>,
    ) {
        let (mut here, mut merge) = (here, merge);
        let mut edges = edges.to_vec();
        for &to in shared {
            if merge.is_some() {
                let inside = self.f.make_block();
                self.jump(here, inside, merge);
                here = inside;
            }
            let end = self.landing(to, &mut edges);
            self.exits.insert(end);
            merge = Some(end);
        }
        let mut work = vec![(search.root, here, merge)];
        while let Some((n, here, merge)) = work.pop() {
            let (tests, yes, no) = match &search.nodes[n] {
                Node::Go(e) => {
                    let e = edges[*e].clone();
                    let mut b = Builder::like(self.f, here, self.like);
                    match merge {
                        Some(m) => b.jump_merge(e.block, &e.args, m),
                        None => b.jump(e.block, &e.args),
                    };
                    continue;
                }
                Node::Test(tests, yes, no) => (tests, *yes, *no),
            };
            let mut target = |s: &mut Self, n: usize| match &search.nodes[n] {
                Node::Go(e) if s.exits.contains(edges[*e].block) => {
                    let way = s.f.make_block();
                    Builder::like(s.f, way, s.like).jump(edges[*e].block, &edges[*e].args);
                    Edge::to(way)
                }
                Node::Go(e) => edges[*e].clone(),
                Node::Test(..) => {
                    let next = s.f.make_block();
                    work.push((n, next, None));
                    Edge::to(next)
                }
            };
            let (then, other) = (target(self, yes), target(self, no));
            let cond = self.condition(here, selector, tests);
            Builder::like(self.f, here, self.like).br(cond, then, other, merge);
        }
    }

    /// Where a construct around a search ends for what goes to `to`: there, or in front of it if a loop begins there.
    fn landing(&mut self, to: Block, edges: &mut [Edge]) -> Block {
        if self.f.blocks[to].header.is_none() {
            return to;
        }
        let front = self.f.make_block();
        let types: Vec<Type> = self.f.blocks[to].params.iter().map(|&p| self.f.ty(p)).collect();
        let params: Vec<Value> = types.into_iter().map(|ty| self.f.add_param(front, ty)).collect();
        Builder::like(self.f, front, self.like).jump(to, &params);
        edges.iter_mut().filter(|e| e.block == to).for_each(|e| e.block = front);
        front
    }

    fn condition(&mut self, here: Block, x: Value, tests: &[Test]) -> Value {
        let ty = self.f.ty(x);
        let mut any: Option<Value> = None;
        for &test in tests {
            let (minus, cc, k) = match test {
                Test::Is(k) => (0, IntCc::Eq, k),
                Test::Below(k) => (0, IntCc::Ult, k),
                Test::Within(low, high) => (low, IntCc::Ult, high - low + 1),
            };
            let (minus, k) = (self.f.iconst(ty, minus as i64), self.f.iconst(ty, k as i64));
            let zero = self.f.const_bits(minus) == Some(0);
            let mut b = Builder::like(self.f, here, self.like);
            let from = if zero { x } else { b.isub(x, minus) };
            let c = b.icmp(cc, from, k);
            any = Some(any.map_or(c, |a| b.or(a, c)));
        }
        any.unwrap_or_else(|| self.f.iconst(Type::B1, 0))
    }
}
