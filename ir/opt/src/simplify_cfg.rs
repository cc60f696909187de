//! Tidies the graph: decided branches, empty blocks, straight lines, constructs that nobody leaves early.
//!
//! - `br true, a, b` becomes `jump a`, and unreachable blocks go (a loop that cannot repeat becomes a plain construct);
//! - an edge to an empty block that only jumps goes where that block goes; if that block is where a selection ends, what
//!   was inside now leaves to where the construct around it ends, and the selection needs no end of its own;
//! - a block whose only way in is a plain jump joins the block before it;
//! - the merge of a construct that one edge alone reaches is no merge.
//!
//! Needs: structured control flow. Keeps: nothing; every edge it makes is legal where the old one was. Leaves alone: loop
//! headers, continue blocks and merges that structure names.

use crate::PassCx;
use gpucc_ir::analysis::sort_layout;
use gpucc_ir::{Attr, Block, CsrLists, Edge, EdgeRef, Function, InstData, Op, SecondaryMap, Value, trace};

/// Runs the pass to its fixpoint.
pub fn run(f: &mut Function, cx: &mut PassCx<'_>) {
    cx.sort(f);
    cx.graph_alone = true;
    // A block that is alone has nothing to be joined with.
    if f.layout.len() == 1 {
        return;
    }
    loop {
        let before = cx.changes();
        trace::work(f.layout.len() as u64);
        let mut shape = Shape::new(f);
        decide(f, cx, &shape.decided);
        let decided = cx.changes();
        if decided != before {
            sort_layout(f);
            shape = Shape::new(f);
        }
        skip_empty(f, &mut shape, cx);
        let skipped = cx.changes();
        if skipped != decided {
            sort_layout(f);
            shape = Shape::new(f);
        }
        drop_merges(f, &mut shape, cx);
        join(f, &shape, cx);
        if cx.changes() == before {
            return;
        }
        if cx.changes() != skipped {
            sort_layout(f);
        }
    }
}

/// The shape of the graph, gathered in one walk: the walks are what this pass costs.
struct Shape {
    preds: CsrLists<Block, Block>,
    /// How often structure names a block, and the entry: those keep their place.
    named: SecondaryMap<Block, u32>,
    /// Blocks that nothing but selections name, as their merge.
    ends: SecondaryMap<Block, bool>,
    /// The blocks that end in a jump, in layout order.
    jumps: Vec<Block>,
    /// The blocks that open a construct with a merge, in layout order.
    opens: Vec<(Block, Block)>,
    /// The blocks whose branch has one outcome, in layout order.
    decided: Vec<Block>,
}

impl Shape {
    fn new(f: &Function) -> Shape {
        let mut edges = Vec::with_capacity(2 * f.layout.len());
        let (mut named, mut ends): (SecondaryMap<Block, u32>, SecondaryMap<Block, bool>) =
            (SecondaryMap::new(), SecondaryMap::new());
        let (mut opens, mut loops, mut decided) = (Vec::new(), Vec::new(), Vec::new());
        let mut jumps = Vec::with_capacity(f.layout.len());
        named.reserve(f.blocks.len());
        ends.reserve(f.blocks.len());
        named[f.entry()] = 1;
        for &b in &f.layout {
            if let Some(h) = f.blocks[b].header {
                for n in [b, h.merge, h.cont] {
                    named[n] += 1;
                }
                loops.push((b, h));
            }
            let t = &f.insts[f.terminator(b)];
            t.for_each_edge(|e| edges.push((e.block, b)));
            if t.op == Op::Jump {
                jumps.push(b);
            } else if outcome(f, t).is_some() {
                decided.push(b);
            }
            if let Some(m) = t.merge() {
                named[m] += 1;
                ends[m] = true;
                opens.push((b, m));
            }
        }
        ends[f.entry()] = false;
        for (b, h) in loops {
            for n in [b, h.merge, h.cont] {
                ends[n] = false;
            }
        }
        Shape { preds: CsrLists::new(&edges), named, ends, jumps, opens, decided }
    }
}

/// The one edge that a branch can take, if there is just one.
fn outcome<'f>(f: &Function, d: &'f InstData) -> Option<EdgeRef<'f>> {
    match &d.attr {
        Attr::Branch(b) => {
            let (then, other) = (b.then(), b.other()?);
            match f.const_bits(d.args[0]) {
                Some(c) => Some(if c != 0 { then } else { other }),
                None => (then == other).then_some(then),
            }
        }
        Attr::Switch(s) => match f.const_bits(d.args[0]) {
            Some(c) => Some(s.cases.iter().find(|x| x.0 == c).map_or(s.default.view(), |x| x.1.view())),
            None => s.cases.iter().all(|x| x.1 == s.default).then_some(s.default.view()),
        },
        _ => None,
    }
}

/// Branches with one outcome become jumps. A merge stays: code inside may still leave to it.
fn decide(f: &mut Function, cx: &mut PassCx<'_>, decided: &[Block]) {
    for &b in decided {
        let t = f.terminator(b);
        let d = &f.insts[t];
        if let Some(edge) = outcome(f, d).map(EdgeRef::to_edge)
            && cx.change()
        {
            let merge = d.merge();
            f.insts[t].become_jump(edge, merge);
        }
    }
}

/// Edges to a block that holds nothing but a plain jump continue to the jump's target.
fn skip_empty(f: &mut Function, shape: &mut Shape, cx: &mut PassCx<'_>) {
    let Shape { preds, named, ends, jumps, .. } = shape;
    let target = |f: &Function, b: Block| match f.insts[f.terminator(b)].as_jump() {
        Some((edge, None)) => Some(edge.block),
        _ => None,
    };
    // The blocks to skip, and those that lead to one.
    let mut empty: SecondaryMap<Block, bool> = SecondaryMap::new();
    let mut leads: SecondaryMap<Block, bool> = SecondaryMap::new();
    let mut any = false;
    for &b in jumps.iter() {
        if f.blocks[b].insts.len() != 1 {
            continue;
        }
        // The end of a selection that only leads to the end of something around it: what is inside may go there at once. (A
        // target of its own would have been joined to it.) The layout drops the merge that nothing reaches any more.
        let Some(to) = target(f, b) else { continue };
        let outer = ends[b] && preds[to].len() > 1 && named[to] > 0 && f.blocks[to].header.is_none();
        if named[b] == 0 || outer {
            empty[b] = true;
            any = true;
            preds[b].iter().for_each(|&p| leads[p] = true);
        }
    }
    if !any {
        return;
    }
    // How often each value is used, kept up to date while edges change.
    let mut uses: SecondaryMap<Value, u32> = SecondaryMap::new();
    uses.reserve(f.values.len());
    for (_, i) in f.insts_in_order() {
        f.insts[i].for_each_use(|v| uses[v] += 1);
    }
    // Ends of selections lie behind each other from the inside out. The outermost is led on first: then each of the others, and all
    // that leads to them, takes one step where it would take as many as there are ends.
    let order: Vec<Block> = jumps.iter().rev().filter(|&&b| empty[b]).chain(&f.layout).copied().collect();
    for b in order {
        if !leads[b] {
            continue;
        }
        let t = f.terminator(b);
        let count = f.edges(b).len();
        for n in 0..count {
            // A chain of empty blocks is followed block by block; each step removes an edge to an empty block.
            while let Some(e) = f.insts[t].edge(n).filter(|e| e.block != b && empty[e.block]) {
                let e = e.to_edge();
                let target = e.block;
                let Some((next, None)) = f.insts[f.terminator(target)].as_jump() else { break };
                if next.block == target {
                    break;
                }
                // A value that leaves the empty block is either from before it or one of its parameters.
                let params = &f.blocks[target].params;
                let args =
                    next.args.iter().map(|v| params.iter().position(|p| p == v).map_or(*v, |k| e.args[k])).collect();
                // Parameters that are read elsewhere need the block.
                let here = |p: &Value| next.args.iter().filter(|v| *v == p).count() as u32;
                if params.iter().any(|p| uses[*p] != here(p)) {
                    break;
                }
                let next = Edge { block: next.block, args };
                if !cx.change() {
                    return;
                }
                e.args.iter().for_each(|&v| uses[v] -= 1);
                next.args.iter().for_each(|&v| uses[v] += 1);
                f.insts[t].set_edge(n, &next);
            }
        }
    }
}

/// A merge that is reached by one edge alone is the natural continuation of where that edge comes from.
fn drop_merges(f: &mut Function, shape: &mut Shape, cx: &mut PassCx<'_>) {
    for &(b, m) in &shape.opens {
        if shape.preds[m].len() == 1 && cx.change() {
            let t = f.terminator(b);
            f.insts[t].set_merge(None);
            shape.named[m] -= 1;
        }
    }
}

/// A block entered by one plain jump alone continues the block that jumps.
fn join(f: &mut Function, shape: &Shape, cx: &mut PassCx<'_>) {
    let Shape { preds, named, jumps, .. } = shape;
    let mut map: SecondaryMap<Value, Option<Value>> = SecondaryMap::with_default(None);
    let mut gone: SecondaryMap<Block, bool> = SecondaryMap::new();
    for &b in jumps {
        if gone[b] {
            continue;
        }
        loop {
            let t = f.terminator(b);
            let Some((edge, merge)) = f.insts[t].as_jump() else { break };
            let to = edge.block;
            if named[to] > 0 || preds[to].len() != 1 || to == b {
                break;
            }
            let inner = f.terminator(to);
            // Two constructs cannot share one terminator; a return or an exit cannot open one.
            let opens = matches!(f.insts[inner].op, Op::Jump | Op::Br | Op::Switch);
            if merge.is_some() && (!opens || f.insts[inner].merge().is_some()) {
                break;
            }
            if !cx.change() {
                break;
            }
            for (&p, &a) in f.blocks[to].params.iter().zip(f.insts[t].edges()[0].args) {
                map[p] = Some(a);
            }
            f.blocks[b].insts.pop();
            let rest = std::mem::take(&mut f.blocks[to].insts);
            f.blocks[b].insts.extend(rest);
            if merge.is_some() {
                f.insts[inner].set_merge(merge);
            }
            gone[to] = true;
        }
    }
    if !gone.is_unset() {
        f.layout.retain(|&b| !gone[b]);
        if !map.is_unset() {
            f.replace_uses(&map);
            cx.graph_alone = false;
        }
    }
}
