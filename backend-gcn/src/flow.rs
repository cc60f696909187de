//! How a wave runs a structured function: which edges are branches, and where lanes wait.
//!
//! Blocks are executed in layout order. A lane that leaves for a later block while others go on *waits* there: the block's
//! waiting mask (a pair of scalar registers) collects such lanes, and the block begins by taking them into EXEC. An edge that
//! all active lanes take is a plain branch, unless it would pass a block in which lanes wait. Loops go back with the lanes that stay;
//! everybody else waits behind. A block with waiting lanes is passed over when it turns out to have none.

use gpucc_ir::analysis::{DomTree, Uniformity};
use gpucc_ir::{Attr, Block, Builder, Edge, Function, IntCc, Module, SideMap};

/// How an edge is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum How {
    /// All lanes stay in EXEC and go on in the next block.
    Fall,
    /// All lanes stay in EXEC and branch.
    Branch,
    /// The lanes wait at the target.
    Wait,
}

/// An edge of the plan: position of the target and how it is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlanEdge {
    /// Position of the target in the layout.
    pub to: usize,
    /// How.
    pub how: How,
    /// The waiting mask is assigned, not added to.
    pub first: bool,
}

/// What one block does.
#[derive(Clone, Debug, Default)]
pub struct PlanBlock {
    /// Edges in the terminator's order.
    pub edges: Vec<PlanEdge>,
    /// Lanes may wait here: the register pair of their mask.
    pub mask: Option<u32>,
    /// Lanes may also arrive in EXEC.
    pub arrives: bool,
    /// Masks that begin empty at the end of this block.
    pub clear: Vec<usize>,
    /// Where the wave goes on when no lane is left in EXEC after this block: the next block with waiting lanes.
    pub pending: Option<usize>,
    /// The same when no lane arrives here: what this block itself would send away is not counted.
    pub passed: Option<usize>,
}

/// The plan of a function, by position in the layout.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// Blocks.
    pub blocks: Vec<PlanBlock>,
    /// Scalar registers that masks take, from the top down.
    pub mask_registers: u32,
}

/// Replaces each `switch` by a chain of branches.
pub fn split_switches(f: &mut Function) {
    let mut at = 0;
    while at < f.layout.len() {
        let block = f.layout[at];
        at += 1;
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
                f.layout.insert(at, here);
                at += 1;
            }
        }
    }
}

/// Gives each edge between a block with several successors and one with several predecessors a block of its own.
pub fn split_critical_edges(f: &mut Function) {
    let preds = f.preds();
    for block in f.layout.clone() {
        let t = f.terminator(block);
        let edges: Vec<Edge> = f.insts[t].edges().into_iter().cloned().collect();
        if edges.len() < 2 {
            continue;
        }
        for (k, e) in edges.into_iter().enumerate() {
            if preds[e.block].len() < 2 {
                continue;
            }
            let new = f.make_block();
            let position = |f: &Function, b: Block| f.layout.iter().position(|&x| x == b).unwrap_or(0);
            let (from, to) = (position(f, block), position(f, e.block));
            // A way back stays inside its loop; a way forward begins where the others come from.
            f.layout.insert(if to <= from { from + 1 } else { to }, new);
            let mut b = Builder::like(f, new, t);
            b.jump(e.block, &e.args);
            *f.insts[t].edges_mut()[k] = Edge::to(new);
        }
    }
}

/// Everything the planning asks about positions.
struct Shape {
    /// Successors by position.
    succs: Vec<Vec<usize>>,
    /// Loops as ranges of positions, both ends included.
    loops: Vec<(usize, usize)>,
}

impl Shape {
    fn in_loop(l: (usize, usize), b: usize) -> bool {
        l.0 <= b && b <= l.1
    }

    /// Whether lanes that left `src` for `w` can be waiting there while `p` runs.
    fn waits(&self, src: usize, w: usize, p: usize) -> bool {
        w > p
            && (src <= p
                || self.loops.iter().any(|&l| Self::in_loop(l, p) && Self::in_loop(l, src) && !Self::in_loop(l, w)))
    }
}

/// Plans a function whose layout is structured and which has no critical edges.
pub fn plan(m: &Module, f: &Function) -> Plan {
    let n = f.layout.len();
    let mut pos: SideMap<Block, usize> = SideMap::new();
    for (k, &b) in f.layout.iter().enumerate() {
        pos[b] = k;
    }
    let succs: Vec<Vec<usize>> = f.layout.iter().map(|&b| f.succs(b).iter().map(|&s| pos[s]).collect()).collect();
    let mut loops: Vec<(usize, usize)> = Vec::new();
    for (k, list) in succs.iter().enumerate() {
        for &s in list.iter().filter(|&&s| s <= k) {
            match loops.iter_mut().find(|l| l.0 == s) {
                Some(l) => l.1 = l.1.max(k),
                None => loops.push((s, k)),
            }
        }
    }
    let shape = Shape { succs, loops };
    let uniform = Uniformity::new(m, f);
    let divergent: Vec<bool> = f.layout.iter().map(|&b| uniform.divergent_branch(f, b)).collect();
    // Divergent branches decide first; then branches that would pass waiting lanes give way until nothing changes.
    let mut wait: Vec<Vec<bool>> = shape.succs.iter().map(|s| vec![false; s.len()]).collect();
    for b in 0..n {
        if divergent[b] {
            let back = shape.succs[b].iter().any(|&s| s <= b);
            for (e, &s) in shape.succs[b].iter().enumerate() {
                wait[b][e] = s > b && (s != b + 1 || back);
            }
        }
    }
    loop {
        let waiting = |p: usize, x: usize, wait: &[Vec<bool>]| {
            (0..n).any(|src| {
                shape.succs[src].iter().zip(&wait[src]).any(|(&w, &is)| is && w < x && shape.waits(src, w, p))
            })
        };
        let mut changed = false;
        for b in 0..n {
            for (e, &s) in shape.succs[b].clone().iter().enumerate() {
                if s > b + 1 && !wait[b][e] && waiting(b, s, &wait) {
                    wait[b][e] = true;
                    changed = true;
                }
            }
            // A uniform branch with one waiting arm is taken by masks altogether.
            if shape.succs[b].len() > 1 && wait[b].iter().any(|w| *w) {
                let back = shape.succs[b].iter().any(|&s| s <= b);
                for (e, &s) in shape.succs[b].clone().iter().enumerate() {
                    let want = s > b && (s != b + 1 || back);
                    changed |= want != wait[b][e];
                    wait[b][e] = want;
                }
            }
        }
        if !changed {
            break;
        }
    }
    let mut out = Plan { blocks: vec![PlanBlock::default(); n], mask_registers: 0 };
    let dom = DomTree::new(f);
    let mut busy: Vec<(usize, usize, u32)> = Vec::new();
    for x in 0..n {
        let sources: Vec<usize> =
            (0..n).filter(|&s| shape.succs[s].iter().zip(&wait[s]).any(|(&t, &w)| w && t == x)).collect();
        if sources.is_empty() {
            continue;
        }
        // Where the mask begins: a block that dominates everything from there to here, so that no way to a block in which
        // the mask is asked misses its beginning, and that is in no loop that this block is not in.
        let mut d = dom.idom(f.layout[x]).map_or(0, |b| pos[b]);
        loop {
            let before = d;
            let all = (d..x).fold(f.layout[d], |c, k| dom.common(c, f.layout[k]));
            d = pos[all];
            while let Some(&l) = shape.loops.iter().find(|&&l| Shape::in_loop(l, d) && !Shape::in_loop(l, x)) {
                d = dom.idom(f.layout[l.0]).map_or(0, |b| pos[b]);
            }
            if d == before {
                break;
            }
        }
        if !sources.contains(&d) {
            out.blocks[d].clear.push(x);
        }
        let mut k = 0;
        while busy.iter().any(|&(from, to, r)| r == k && from <= x && d <= to) {
            k += 1;
        }
        busy.push((d, x, k));
        out.blocks[x].mask = Some(k);
        out.mask_registers = out.mask_registers.max(k + 1);
    }
    for b in 0..n {
        let edges: Vec<PlanEdge> = shape.succs[b]
            .iter()
            .zip(&wait[b])
            .map(|(&to, &w)| {
                let how = match w {
                    true => How::Wait,
                    false if to == b + 1 => How::Fall,
                    false => How::Branch,
                };
                let begins = !out.blocks.iter().any(|p| p.clear.contains(&to));
                let first = w && begins && dominates_sources(&shape, &wait, b, to, &dom, f);
                PlanEdge { to, how, first }
            })
            .collect();

        for e in &edges {
            if e.how != How::Wait {
                out.blocks[e.to].arrives = true;
            }
        }
        out.blocks[b].edges = edges;
    }
    for p in 0..n {
        let next = |own: bool| {
            (p + 1..n).find(|&w| {
                (0..n).any(|src| {
                    (own || src != p)
                        && shape.succs[src].iter().zip(&wait[src]).any(|(&t, &is)| is && t == w)
                        && shape.waits(src, w, p)
                })
            })
        };
        (out.blocks[p].pending, out.blocks[p].passed) = (next(true), next(false));
    }
    out
}

/// Whether `b` is the source whose edge to `x` comes before all others: the one that begins the mask.
fn dominates_sources(shape: &Shape, wait: &[Vec<bool>], b: usize, x: usize, dom: &DomTree, f: &Function) -> bool {
    (0..shape.succs.len()).all(|s| {
        let source = shape.succs[s].iter().zip(&wait[s]).any(|(&t, &w)| w && t == x);
        !source || dom.dominates(f.layout[b], f.layout[s])
    }) && shape.loops.iter().all(|&l| !Shape::in_loop(l, b) || Shape::in_loop(l, x))
}

/// Values whose every use is in the block that defines them.
pub fn local_values(f: &Function) -> SideMap<gpucc_ir::Value, bool> {
    let home = f.inst_blocks();
    let mut local: SideMap<gpucc_ir::Value, bool> = SideMap::with_default(true);
    for (b, i) in f.insts_in_order() {
        let d = &f.insts[i];
        for e in d.edges() {
            for &v in &e.args {
                local.set(v, false);
            }
        }
        for &v in &d.args {
            let here = f.def_inst(v).and_then(|def| home[def]) == Some(b);
            if !here {
                local.set(v, false);
            }
        }
    }
    local
}
