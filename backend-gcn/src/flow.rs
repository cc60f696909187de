//! How a wave runs a structured function: which edges are branches, and where lanes wait.
//!
//! Blocks are executed in layout order. A lane that leaves for a later block while others go on *waits* there. An edge that
//! all active lanes take is a plain branch, unless it would pass a block in which lanes wait. Loops go back with the lanes
//! that stay; everybody else waits behind. Where all lanes of an earlier block come together again, that block's EXEC is
//! saved and taken back; elsewhere a mask collects those that wait, and the block is passed over when there are none.
//! So EXEC is never zero in the body of a block.

use gpucc_ir::analysis::{DomTree, Uniformity};
use gpucc_ir::{Attr, Block, Builder, Edge, Function, IntCc, Module, Op, SideMap};

/// How an edge is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum How {
    /// All lanes stay in EXEC and go on there.
    Go,
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

/// How a block gets back the lanes that wait for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Waiting {
    /// None ever wait here.
    #[default]
    Nobody,
    /// EXEC is again what it was at the end of this earlier block.
    Saved(usize),
    /// A mask has collected them.
    Collected,
}

/// What one block does.
#[derive(Clone, Debug, Default)]
pub struct PlanBlock {
    /// Edges in the terminator's order.
    pub edges: Vec<PlanEdge>,
    /// How lanes wait here.
    pub waiting: Waiting,
    /// Lanes may also arrive in EXEC.
    pub arrives: bool,
    /// EXEC at the end of this block is wanted again later.
    pub saves: bool,
    /// Masks that begin empty at the end of this block.
    pub clear: Vec<usize>,
    /// What follows is so cheap that the wave goes there even without active lanes.
    pub through: bool,
    /// Where the wave goes on when no lane is left in EXEC after this block: the next block with waiting lanes.
    pub pending: Option<usize>,
    /// The same when no lane arrives here: what this block itself would send away is not counted.
    pub passed: Option<usize>,
}

/// Where the wave goes after a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Out {
    /// Nowhere.
    End,
    /// To one block.
    One(usize),
    /// By the condition, to one of two.
    Cond(usize, usize),
    /// To the first while lanes are active, else to the second (or it ends).
    Active(usize, Option<usize>),
}

/// The plan of a function, by position in the layout.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// Blocks.
    pub blocks: Vec<PlanBlock>,
    /// Loops as ranges of positions, both ends included.
    pub loops: Vec<(usize, usize)>,
}

impl Plan {
    /// Where the wave goes after the block at `p`.
    pub fn out(&self, p: usize) -> Out {
        let b = &self.blocks[p];
        let gone = b.pending.map_or(Out::End, Out::One);
        match b.edges.as_slice() {
            [] => gone,
            [e] if e.how == How::Wait => gone,
            [e] => Out::One(e.to),
            [t, e, ..] => match (t.how, e.how) {
                (How::Go, How::Go) => Out::Cond(t.to, e.to),
                (How::Wait, How::Wait) => gone,
                (How::Wait, How::Go) => self.stay(p, e.to),
                (How::Go, How::Wait) => self.stay(p, t.to),
            },
        }
    }

    fn stay(&self, p: usize, to: usize) -> Out {
        if self.blocks[p].through { Out::One(to) } else { Out::Active(to, self.blocks[p].pending) }
    }

    /// For each block the blocks that the wave must have run before: immediate dominators on the graph of the wave, with
    /// a node `2p` for the arrival at a block and `2p + 1` for its body.
    pub fn wave_dominators(&self) -> WaveDom {
        let n = 2 * self.blocks.len();
        let mut preds: Vec<Vec<usize>> = vec![Vec::new(); n];
        for (p, b) in self.blocks.iter().enumerate() {
            preds[2 * p + 1].push(2 * p);
            if let (Waiting::Collected, Some(w)) = (b.waiting, b.passed) {
                preds[2 * w].push(2 * p);
            }
            let (x, y) = match self.out(p) {
                Out::End => (None, None),
                Out::One(x) => (Some(x), None),
                Out::Cond(x, y) => (Some(x), Some(y)),
                Out::Active(x, y) => (Some(x), y),
            };
            for to in [x, y].into_iter().flatten() {
                preds[2 * to].push(2 * p + 1);
            }
        }
        // Nodes are numbered so that each comes after one of its predecessors.
        let mut idom: Vec<Option<usize>> = vec![None; n];
        if n > 0 {
            idom[0] = Some(0);
        }
        let mut changed = true;
        while changed {
            changed = false;
            for k in 1..n {
                let mut new = None;
                for &q in preds[k].iter().filter(|&&q| idom[q].is_some()) {
                    new = Some(match new {
                        None => q,
                        Some(a) => {
                            let (mut a, mut b): (usize, usize) = (a, q);
                            while a != b {
                                while a > b {
                                    a = idom[a].unwrap_or(0);
                                }
                                while b > a {
                                    b = idom[b].unwrap_or(0);
                                }
                            }
                            a
                        }
                    });
                }
                if new != idom[k] {
                    idom[k] = new;
                    changed = true;
                }
            }
        }
        WaveDom { idom }
    }
}

/// Dominators on the graph of the wave.
pub struct WaveDom {
    idom: Vec<Option<usize>>,
}

impl WaveDom {
    /// Whether the wave always runs the body of `a` before that of `b`.
    pub fn dominates(&self, a: usize, b: usize) -> bool {
        let (a, mut b) = (2 * a + 1, 2 * b + 1);
        while b > a {
            match self.idom[b] {
                Some(d) => b = d,
                None => return false,
            }
        }
        a == b
    }
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

    /// Whether every lane that leaves block `d` comes to `x` without passing `d` again, whatever it does in between.
    fn all_come(&self, d: usize, x: usize) -> bool {
        let mut seen = vec![false; x - d];
        let mut work = vec![d];
        while let Some(p) = work.pop() {
            if self.succs[p].is_empty() {
                return false;
            }
            for &s in &self.succs[p] {
                if s == x {
                    continue;
                }
                if s <= d || s > x {
                    return false;
                }
                if !std::mem::replace(&mut seen[s - d], true) {
                    work.push(s);
                }
            }
        }
        true
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
    let mut out = Plan { blocks: vec![PlanBlock::default(); n], loops: shape.loops.clone() };
    let dom = DomTree::new(f);
    for x in 0..n {
        let sources: Vec<usize> =
            (0..n).filter(|&s| shape.succs[s].iter().zip(&wait[s]).any(|(&t, &w)| w && t == x)).collect();
        if sources.is_empty() {
            continue;
        }
        // Where the waiting begins: a block that dominates everything from there to here, so that no way to a block in
        // which the mask is asked misses its beginning, and that is in no loop that this block is not in.
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
        if shape.all_come(d, x) {
            out.blocks[d].saves = true;
            out.blocks[x].waiting = Waiting::Saved(d);
        } else {
            if !sources.contains(&d) {
                out.blocks[d].clear.push(x);
            }
            out.blocks[x].waiting = Waiting::Collected;
        }
    }
    for b in 0..n {
        let edges: Vec<PlanEdge> = shape.succs[b]
            .iter()
            .zip(&wait[b])
            .map(|(&to, &w)| {
                let how = if w { How::Wait } else { How::Go };
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
    // Which blocks send lanes to wait where: few do, so that looking through them alone keeps big functions quick.
    let mut senders: Vec<Vec<usize>> = vec![Vec::new(); n];
    for (src, list) in shape.succs.iter().enumerate() {
        for (&to, _) in list.iter().zip(&wait[src]).filter(|(_, is)| **is) {
            senders[to].push(src);
        }
    }
    for p in 0..n {
        let next =
            |own: bool| (p + 1..n).find(|&w| senders[w].iter().any(|&src| (own || src != p) && shape.waits(src, w, p)));
        (out.blocks[p].pending, out.blocks[p].passed) = (next(true), next(false));
    }
    for p in 0..n {
        if let (Out::Active(to, Some(w)), true) = (out.out(p), n > p + 1) {
            out.blocks[p].through = to == p + 1 && cheap(f, &out, to, w);
        }
    }
    assign_first(&mut out);
    out
}

/// Instructions that are rather executed by no lane than branched over.
const CHEAP: u32 = 12;

/// Whether the blocks `from..to` cost less than a branch and do no harm without active lanes.
fn cheap(f: &Function, plan: &Plan, from: usize, to: usize) -> bool {
    let mut cost = 0;
    for p in from..to {
        if !matches!(plan.out(p), Out::One(_) | Out::Active(..)) || plan.blocks[p].edges.iter().any(|e| e.to <= p) {
            return false;
        }
        for &i in &f.blocks[f.layout[p]].insts {
            let d = &f.insts[i];
            cost += match d.op {
                Op::Extract | Op::Compose | Op::Bitcast | Op::Jump => 0,
                Op::Br => 2,
                o if !o.is_pure() => return false,
                _ => 1,
            };
        }
        cost += plan.blocks[p].edges.iter().map(|e| f.blocks[f.layout[e.to]].params.len() as u32).sum::<u32>();
        if plan.blocks[p].waiting == Waiting::Collected {
            cost += 2;
        }
    }
    cost <= CHEAP
}

/// A mask that one block always begins before anybody asks for it needs no clearing.
fn assign_first(plan: &mut Plan) {
    let dom = plan.wave_dominators();
    for x in 0..plan.blocks.len() {
        if plan.blocks[x].waiting != Waiting::Collected {
            continue;
        }
        let waits = |b: &PlanBlock| b.edges.iter().any(|e| e.to == x && e.how == How::Wait);
        let sources: Vec<usize> = (0..plan.blocks.len()).filter(|&s| waits(&plan.blocks[s])).collect();
        let Some(&s) = sources.first() else { continue };
        let inside = |l: &(usize, usize), p: usize| l.0 <= p && p <= l.1;
        let once = plan.blocks[s].edges.iter().filter(|e| e.to == x).count() == 1
            && plan.loops.iter().all(|l| !inside(l, s) || inside(l, x))
            && sources.iter().all(|&o| dom.dominates(s, o))
            && dom.dominates(s, x);
        if !once {
            continue;
        }
        for b in &mut plan.blocks {
            b.clear.retain(|&c| c != x);
        }
        for &o in &sources {
            for e in plan.blocks[o].edges.iter_mut().filter(|e| e.to == x) {
                e.first = o == s;
            }
        }
    }
}

/// Whether `b` is the source whose edge to `x` comes before all others: the one that begins the mask.
fn dominates_sources(shape: &Shape, wait: &[Vec<bool>], b: usize, x: usize, dom: &DomTree, f: &Function) -> bool {
    (0..shape.succs.len()).all(|s| {
        let source = shape.succs[s].iter().zip(&wait[s]).any(|(&t, &w)| w && t == x);
        !source || dom.dominates(f.layout[b], f.layout[s])
    }) && shape.loops.iter().all(|&l| !Shape::in_loop(l, b) || Shape::in_loop(l, x))
}
