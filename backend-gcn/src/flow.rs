//! How a wave runs a structured function: which edges are branches, and where lanes wait.
//!
//! Blocks are executed in layout order. A lane that leaves for a later block while others continue *waits* there. An edge that
//! all active lanes take is a plain branch, unless it would pass a block in which lanes wait. Loops go back with the lanes
//! that stay; the other lanes are parked behind it. Where the lanes of an earlier block reconverge, that block's EXEC is saved and
//! restored; elsewhere a mask accumulates parked lanes. If no lane is parked at a block, the wave skips to the next block where
//! lanes may be parked. After a loop that holds from the loop header on, since earlier iterations may have parked lanes there.
//! So EXEC is never zero in the body of a block.

pub mod edges;
pub mod empty_merges;
pub mod lower_exec_masks;
pub mod order_arms;
pub mod ranges;
pub mod reg_banks;
pub mod verify_flow;

use gpucc_ir::analysis::{DomTree, Uniformity};
use gpucc_ir::{Block, Function, Op, SecondaryMap};
use smallvec::{SmallVec, smallvec};

use crate::flow::ranges::{Loops, Peaks};

/// Some positions; a block goes to two at most.
type Ends = SmallVec<[usize; 2]>;

/// How an edge is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EdgeKind {
    /// All lanes stay in EXEC and continue there.
    Branch,
    /// The lanes wait at the target.
    Park,
}

/// An edge of the plan: position of the target and how it is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlanEdge {
    /// Position of the target in the layout.
    pub to: usize,
    /// Whether lanes go there at once, or wait there.
    pub how: EdgeKind,
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

/// The effect of one block.
#[derive(Clone, Debug, Default)]
pub struct PlanBlock {
    /// Edges in the terminator's order.
    pub edges: SmallVec<[PlanEdge; 2]>,
    /// How lanes wait here.
    pub waiting: Waiting,
    /// Lanes may also arrive in EXEC.
    pub arrives: bool,
    /// EXEC at the end of this block is read again later.
    pub saves: bool,
    /// Masks that begin empty at the end of this block.
    pub clear: Vec<usize>,
    /// The code that follows is so cheap that the wave goes there even without active lanes.
    pub run_when_inactive: bool,
    /// Where the wave continues when no lane is left in EXEC after this block: the next block with waiting lanes.
    pub next_parked: Option<usize>,
    /// The same when no lane arrives here: what this block itself would send away is not counted, but what it sent out of
    /// a loop in earlier iterations is.
    pub skip_to: Option<usize>,
    /// No path leads here: structure names the block behind an endless loop. The wave never reaches it, so it continues nowhere.
    pub dead: bool,
}

/// Where the wave goes after a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WaveExit {
    /// Nowhere.
    End,
    /// A jump to one block.
    One(usize),
    /// A choice of two blocks by the condition.
    Cond(usize, usize),
    /// The first while lanes are active, else the second (or the wave ends).
    Active(usize, Option<usize>),
}

/// The plan of a function, by position in the layout.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// Blocks of the plan, in their layout.
    pub blocks: Vec<PlanBlock>,
    /// Loops by the position of their header.
    pub loops: Loops,
}

impl Plan {
    /// Where the wave goes after the block at `p`.
    pub fn out(&self, p: usize) -> WaveExit {
        let b = &self.blocks[p];
        if b.dead {
            return WaveExit::End;
        }
        let gone = b.next_parked.map_or(WaveExit::End, WaveExit::One);
        match b.edges.as_slice() {
            [] => gone,
            [e] if e.how == EdgeKind::Park => gone,
            [e] => WaveExit::One(e.to),
            [t, e, ..] => match (t.how, e.how) {
                (EdgeKind::Branch, EdgeKind::Branch) => WaveExit::Cond(t.to, e.to),
                (EdgeKind::Park, EdgeKind::Park) => gone,
                (EdgeKind::Park, EdgeKind::Branch) => self.stay(p, e.to),
                (EdgeKind::Branch, EdgeKind::Park) => self.stay(p, t.to),
            },
        }
    }

    fn stay(&self, p: usize, to: usize) -> WaveExit {
        if self.blocks[p].run_when_inactive {
            WaveExit::One(to)
        } else {
            WaveExit::Active(to, self.blocks[p].next_parked)
        }
    }

    /// For each block the blocks that the wave must have run before: immediate dominators on the graph of the wave, with
    /// a node `2p` for the arrival at a block and `2p + 1` for its body.
    pub fn wave_dominators(&self) -> WaveDom {
        let n = 2 * self.blocks.len();
        let mut preds: Vec<SmallVec<[usize; 2]>> = vec![SmallVec::new(); n];
        for (p, b) in self.blocks.iter().enumerate() {
            preds[2 * p + 1].push(2 * p);
            if let (Waiting::Collected, Some(w)) = (b.waiting, b.skip_to) {
                preds[2 * w].push(2 * p);
            }
            let (x, y) = match self.out(p) {
                WaveExit::End => (None, None),
                WaveExit::One(x) => (Some(x), None),
                WaveExit::Cond(x, y) => (Some(x), Some(y)),
                WaveExit::Active(x, y) => (Some(x), y),
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
        WaveDom::new(&idom)
    }
}

/// Dominators on the graph of the wave.
pub struct WaveDom {
    /// For each node its place in a walk over the tree, and the place behind all that it dominates; both 0 if the wave
    /// never comes there.
    span: Vec<(u32, u32)>,
}

impl WaveDom {
    fn new(idom: &[Option<usize>]) -> WaveDom {
        // How many nodes each one dominates, itself included; parents have smaller numbers.
        let mut size: Vec<u32> = idom.iter().map(|d| u32::from(d.is_some())).collect();
        for k in (1..idom.len()).rev() {
            if let Some(d) = idom[k] {
                size[d] += size[k];
            }
        }
        let mut span = vec![(0, 0); idom.len()];
        let mut free = vec![1; idom.len()];
        for k in 0..idom.len() {
            let Some(d) = idom[k] else { continue };
            let at = free[d];
            free[d] += size[k];
            free[k] = at + 1;
            span[k] = (at, at + size[k]);
        }
        WaveDom { span }
    }

    /// Whether the wave always runs the body of `a` before that of `b`.
    pub fn dominates(&self, a: usize, b: usize) -> bool {
        let ((from, to), (at, _)) = (self.span[2 * a + 1], self.span[2 * b + 1]);
        from <= at && at < to
    }
}

/// Which edges are taken by waiting.
struct Waits<'a> {
    /// Successors by position.
    succs: &'a [Ends],
    loops: &'a Loops,
    /// Whether lanes wait, by block and edge.
    wait: Vec<SmallVec<[bool; 2]>>,
    /// The first position at which lanes can be waiting for each block: itself, if none ever wait there.
    since: Vec<usize>,
    /// Blocks that lanes wait for since an earlier position than was known.
    work: Vec<usize>,
}

impl Waits<'_> {
    /// The first position at which lanes that left `src` can be waiting for `to`: those that leave a loop wait while others
    /// go round.
    fn sent_since(&self, src: usize, to: usize) -> usize {
        self.loops.left_between(src, to).map_or(src, |l| l.0)
    }

    fn send(&mut self, b: usize, e: usize) {
        if std::mem::replace(&mut self.wait[b][e], true) {
            return;
        }
        let to = self.succs[b][e];
        let since = self.sent_since(b, to);
        if since < self.since[to] {
            self.since[to] = since;
            self.work.push(to);
        }
    }

    /// A branch that is taken by masks altogether.
    fn by_masks(&mut self, b: usize) {
        let back = self.succs[b].iter().any(|&s| s <= b);
        for (e, &s) in self.succs[b].iter().enumerate() {
            if s > b && (s != b + 1 || back) {
                self.send(b, e);
            }
        }
    }

    /// How far a block goes past others by a plain branch.
    fn reach(&self, b: usize) -> u32 {
        let plain = self.succs[b].iter().zip(&self.wait[b]).filter(|(s, w)| **s > b + 1 && !**w);
        plain.map(|(s, _)| *s as u32).max().unwrap_or(0)
    }

    /// Divergent branches decide first; then branches that would pass waiting lanes give way.
    fn find(succs: &[Ends], loops: &Loops, divergent: &[bool]) -> Vec<SmallVec<[bool; 2]>> {
        let n = succs.len();
        let wait = succs.iter().map(|s| smallvec![false; s.len()]).collect();
        let mut x = Waits { succs, loops, wait, since: (0..n).collect(), work: Vec::new() };
        (0..n).filter(|&b| divergent[b]).for_each(|b| x.by_masks(b));
        let mut reach = Peaks::new((0..n).map(|b| x.reach(b)));
        while let Some(at) = x.work.pop() {
            while let Some(b) = reach.first_above(x.since[at]..at, at as u32) {
                for (e, _) in succs[b].iter().enumerate().filter(|(_, s)| **s > at) {
                    x.send(b, e);
                }
                if succs[b].len() > 1 {
                    x.by_masks(b);
                }
                reach.set(b, x.reach(b));
            }
        }
        x.wait
    }
}

/// A block in which lanes wait.
#[derive(Clone, Default)]
struct Meeting {
    /// The blocks that send lanes here, in order.
    sources: Ends,
    /// The first position at which lanes can be waiting here; and the block that sent them, if they cannot have been waiting
    /// when it began: what leaves a loop can have been sent in an earlier iteration.
    since: (usize, Option<usize>),
    /// The first position at which lanes from any other block can.
    others: Option<usize>,
    /// Where the waiting begins.
    begin: usize,
}

impl Meeting {
    /// Whether lanes can be waiting here when `p` begins.
    fn waits_before(&self, p: usize) -> bool {
        if self.since.1 == Some(p) { self.others.is_some_and(|o| o <= p) } else { self.since.0 <= p }
    }
}

/// Finds for each block who waits there.
fn meetings(succs: &[Ends], loops: &Loops, wait: &[SmallVec<[bool; 2]>]) -> Vec<Option<Meeting>> {
    let mut list: Vec<Option<Meeting>> = vec![None; succs.len()];
    for (src, edges) in succs.iter().enumerate() {
        for (&to, _) in edges.iter().zip(&wait[src]).filter(|(_, w)| **w) {
            let (since, by) = loops.left_between(src, to).map_or((src, Some(src)), |l| (l.0, None));
            match &mut list[to] {
                None => {
                    let m = Meeting { sources: smallvec![src], since: (since, by), ..Meeting::default() };
                    list[to] = Some(m);
                }
                Some(m) if m.sources.last() == Some(&src) => {}
                Some(m) => {
                    m.sources.push(src);
                    let later = if since < m.since.0 { std::mem::replace(&mut m.since, (since, by)).0 } else { since };
                    m.others = Some(m.others.map_or(later, |o| o.min(later)));
                }
            }
        }
    }
    list
}

/// Plans a function whose layout is structured and which has no critical edges, from its dominators and what is uniform in it.
pub fn plan(f: &Function, dom: &DomTree, uniform: &Uniformity) -> Plan {
    let n = f.layout.len();
    let mut pos: SecondaryMap<Block, usize> = SecondaryMap::new();
    for (k, &b) in f.layout.iter().enumerate() {
        pos[b] = k;
    }
    let dead: Vec<bool> = (0..n).map(|p| p > 0 && dom.idom(f.layout[p]).is_none()).collect();
    let ends = |(&b, &dead): (&Block, &bool)| match dead {
        true => Ends::new(),
        false => f.succs(b).iter().map(|&s| pos[s]).collect(),
    };
    let succs: Vec<Ends> = f.layout.iter().zip(&dead).map(ends).collect();
    let loops = Loops::new(&succs);
    let divergent: Vec<bool> =
        f.layout.iter().zip(&dead).map(|(&b, &dead)| !dead && uniform.divergent_branch(f, b)).collect();
    let wait = Waits::find(&succs, &loops, &divergent);
    let mut meetings = meetings(&succs, &loops, &wait);
    let mut out = Plan { blocks: vec![PlanBlock::default(); n], loops };
    out.blocks.iter_mut().zip(dead).for_each(|(b, dead)| b.dead = dead);
    begin_waiting(f, dom, &pos, &succs, &mut meetings, &mut out);
    for b in 0..n {
        let edges: SmallVec<[PlanEdge; 2]> = succs[b]
            .iter()
            .zip(&wait[b])
            .map(|(&to, &w)| {
                // A source from which all others come begins the mask itself.
                let begins = |x: &Meeting| x.begin == b;
                PlanEdge {
                    to,
                    how: if w { EdgeKind::Park } else { EdgeKind::Branch },
                    first: w && meetings[to].as_ref().is_some_and(begins),
                }
            })
            .collect();
        for e in edges.iter().filter(|e| e.how != EdgeKind::Park) {
            out.blocks[e.to].arrives = true;
        }
        out.blocks[b].edges = edges;
    }
    // The later lanes can begin to wait, the smaller the number.
    let since = Peaks::new(meetings.iter().map(|x| x.as_ref().map_or(0, |x| (n - x.since.0) as u32)));
    for p in 0..n {
        let next = |from: usize| since.first_above(from..n, (n - p - 1) as u32);
        out.blocks[p].next_parked = next(p + 1);
        let mut w = out.blocks[p].next_parked;
        while let Some(at) = w.filter(|&at| !meetings[at].as_ref().is_some_and(|x| x.waits_before(p))) {
            w = next(at + 1);
        }
        out.blocks[p].skip_to = w;
    }
    for p in 0..n {
        if let (WaveExit::Active(to, Some(w)), true) = (out.out(p), n > p + 1) {
            out.blocks[p].run_when_inactive = to == p + 1 && cheap(f, &out, to, w);
        }
    }
    assign_first(&mut out, &meetings);
    out
}

/// Finds where the waiting for each block begins, and how its lanes come back.
fn begin_waiting(
    f: &Function,
    dom: &DomTree,
    pos: &SecondaryMap<Block, usize>,
    succs: &[Ends],
    meetings: &mut [Option<Meeting>],
    out: &mut Plan,
) {
    let n = f.layout.len();
    let up = |at: usize| dom.idom(f.layout[at]).map_or(0, |b| pos[b]);
    // First and last block of a range in the order of the dominator tree: what dominates both dominates all.
    let order = dom.preorder();
    let mut place = vec![0u32; n];
    for (k, &b) in order.iter().enumerate() {
        place[pos[b]] = k as u32;
    }
    // A block that no lane comes to is in no order, and goes nowhere.
    let dead = |at: usize| out.blocks[at].dead;
    let last = Peaks::new(place.iter().copied());
    let first = Peaks::new((0..n).map(|at| if dead(at) { 0 } else { n as u32 - place[at] }));
    // The farthest that the blocks of a range go, and the farthest back.
    let none = |at: usize| if dead(at) { 0 } else { u32::MAX };
    let ahead = Peaks::new((0..n).map(|at| succs[at].iter().max().map_or(none(at), |s| *s as u32)));
    let back = Peaks::new(succs.iter().map(|s| s.iter().min().map_or(0, |s| (n - s) as u32)));
    for (x, meeting) in meetings.iter_mut().enumerate() {
        let Some(meeting) = meeting else { continue };
        // A block that dominates everything from there to here, so that no way to a block in which the mask is asked misses
        // its beginning, and that is in no loop that this block is not in.
        let mut d = up(x);
        loop {
            let before = d;
            let ends = [n - first.max(d..x) as usize, last.max(d..x) as usize].map(|k| order[k]);
            while d > 0 && !ends.iter().all(|&b| dom.dominates(f.layout[d], b)) {
                d = up(d);
            }
            while let Some(l) = out.loops.left_between(d, x) {
                d = up(l.0);
            }
            if d == before {
                break;
            }
        }
        meeting.begin = d;
        // Whether every lane that leaves that block comes here without passing it again, whatever it does in between: all
        // blocks in between can be reached from there.
        if ahead.max(d..x) as usize <= x && n - back.max(d..x) as usize > d {
            out.blocks[d].saves = true;
            out.blocks[x].waiting = Waiting::Saved(d);
        } else {
            if meeting.sources.binary_search(&d).is_err() {
                out.blocks[d].clear.push(x);
            }
            out.blocks[x].waiting = Waiting::Collected;
        }
    }
}

/// Instructions that are rather executed by no lane than branched over.
const CHEAP: u32 = 12;

/// Whether the blocks `from..to` cost less than a branch and do no harm without active lanes.
fn cheap(f: &Function, plan: &Plan, from: usize, to: usize) -> bool {
    let mut cost = 0;
    for p in from..to {
        if !matches!(plan.out(p), WaveExit::One(_) | WaveExit::Active(..))
            || plan.blocks[p].edges.iter().any(|e| e.to <= p)
        {
            return false;
        }
        for &i in &f.blocks[f.layout[p]].insts {
            let d = &f.insts[i];
            cost += match d.op {
                Op::Extract | Op::Compose | Op::Bitcast | Op::Jump => 0,
                Op::Br => 2,
                o if !o.is_speculatable() => return false,
                _ => 1,
            };
        }
        cost += plan.blocks[p].edges.iter().map(|e| f.blocks[f.layout[e.to]].params.len() as u32).sum::<u32>();
        if plan.blocks[p].waiting == Waiting::Collected {
            cost += 2;
        }
        if cost > CHEAP {
            return false;
        }
    }
    true
}

/// A mask that one block always begins before anybody asks for it needs no clearing.
fn assign_first(plan: &mut Plan, meetings: &[Option<Meeting>]) {
    let dom = plan.wave_dominators();
    let mut cleared = vec![true; plan.blocks.len()];
    for (x, meeting) in meetings.iter().enumerate() {
        let (Some(meeting), Waiting::Collected) = (meeting, plan.blocks[x].waiting) else { continue };
        let s = meeting.sources[0];
        let once = plan.blocks[s].edges.iter().filter(|e| e.to == x).count() == 1
            && plan.loops.all_around(s, x)
            && meeting.sources.iter().all(|&o| dom.dominates(s, o))
            && dom.dominates(s, x);
        if !once {
            continue;
        }
        cleared[x] = false;
        for &o in &meeting.sources {
            for e in plan.blocks[o].edges.iter_mut().filter(|e| e.to == x) {
                e.first = o == s;
            }
        }
    }
    for b in &mut plan.blocks {
        b.clear.retain(|&x| cleared[x]);
    }
}
