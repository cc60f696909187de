//! Which values are the same for all lanes.
//!
//! A forward analysis over the lattice constant < workgroup < subgroup < divergent. Three things make a value divergent:
//! - *data*: an operand is divergent, or its source is (local ids, atomics, loads at divergent addresses, loads from
//!   memory that other lanes may change in between);
//! - *control*: a block parameter takes different values on edges that a divergent branch decides between;
//! - *time*: a value leaves a loop that lanes leave in different iterations, so lanes hold values of different times.
//!   The value itself counts as divergent then, unless it leaves as an edge argument: then the parameter does.
//!
//! Where a workgroup is one invocation, nothing is divergent.
//!
//! "The same for all lanes" means: for the lanes of the subgroup that execute the definition together. A value that is
//! uniform in that sense may be computed once per wave with whatever lanes are active. Votes, ballots and what one lane says are that
//! much and no more; [`Uniformity::of_workgroups`] counts them as divergent, for what concerns the whole workgroup.

use super::{DomTree, PostDomTree, Structure};
use crate::entity::{EntitySet, SecondaryMap};
use crate::function::{Function, ValueDef};
use crate::inst::{Attr, Block, Inst, MemFlags, Place, Touched, Value};
use crate::lists::CsrLists;
use crate::module::{Module, Space};
use crate::ops::{Op, OpAttrs};
use crate::subgroup::Reach;
use crate::sysval::Variance;
use crate::trace;
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

/// How often a block is looked at for exact joins, on average, before branches that lead to the same place share one look.
const EXACT: usize = 16;

/// The result of the analysis.
#[derive(Clone, Debug)]
pub struct Uniformity {
    values: SecondaryMap<Value, Variance>,
    /// Blocks that may be executed by some lanes of a wave only.
    divergent_blocks: EntitySet<Block>,
}

/// The values that come to a block from a branch.
#[derive(Clone, Copy, Default)]
struct Met {
    /// Which branch.
    stamp: u32,
    /// Edges of the branch itself.
    direct: u32,
    /// The label of a way.
    label: Option<Block>,
    /// Whether ways have several labels.
    several: bool,
}

impl Met {
    /// The record at this stamp, without what other branches left.
    fn begin(&mut self, stamp: u32) -> &mut Met {
        if self.stamp != stamp {
            *self = Met { stamp, ..Met::default() };
        }
        self
    }
}

struct Run<'a> {
    f: &'a Function,
    m: &'a Module,
    written: SecondaryMap<crate::inst::Res, bool>,
    s: Structure,
    dom: &'a DomTree,
    /// Known where a branch is divergent.
    pdom: Option<PostDomTree>,
    preds: CsrLists<Block, Block>,
    /// Known where lanes leave a loop in different iterations.
    blocks: SecondaryMap<Inst, Option<Block>>,
    u: Uniformity,
    /// The most that a value varies here.
    most: Variance,
    /// How much varies what the lanes of a subgroup agree on.
    agreed: Variance,
    /// Loops (by construct) whose lanes may leave in different iterations.
    divergent_loops: EntitySet<super::ConstructId>,
    /// Whether there is one of them.
    loops_diverge: bool,
    /// Position of the first block that may have read what rose behind it. None if there is no such block.
    again: Option<u32>,
    /// Blocks whose parameters merge lanes that a divergent branch separated.
    divergent_joins: EntitySet<Block>,
    branches_done: EntitySet<Block>,
    /// The number of the branch that is looked at; marks and labels of others do not count.
    stamp: u32,
    mark: SecondaryMap<Block, u32>,
    met: SecondaryMap<Block, Met>,
    /// How many blocks may be looked at for exact joins.
    budget: usize,
    /// Blocks whose branches to this end need no look of their own.
    covered: SecondaryMap<Block, Option<Option<Block>>>,
}

impl Uniformity {
    /// Computes it. The function should have no calls: their results count as divergent.
    pub fn new(m: &Module, f: &Function) -> Uniformity {
        Uniformity::within(m, f, &DomTree::new(f))
    }

    /// Uniformity over a workgroup: a value that only the lanes of a subgroup share is divergent.
    pub fn of_workgroups(m: &Module, f: &Function) -> Uniformity {
        Uniformity::find(m, f, &DomTree::new(f), Variance::Divergent, false)
    }

    /// The same by the rules of WGSL, which ask what a program may do: what is in memory that the shader may write differs between lanes,
    /// whether or not anything is written.
    pub fn by_access(m: &Module, f: &Function) -> Uniformity {
        Uniformity::find(m, f, &DomTree::new(f), Variance::Divergent, true)
    }

    /// The same, where the dominators are known.
    pub fn within(m: &Module, f: &Function, dom: &DomTree) -> Uniformity {
        Uniformity::find(m, f, dom, Variance::Subgroup, false)
    }

    fn find(m: &Module, f: &Function, dom: &DomTree, agreed: Variance, by_access: bool) -> Uniformity {
        let mut written: SecondaryMap<crate::inst::Res, bool> = SecondaryMap::new();
        for (r, data) in m.resources.iter().filter(|_| by_access) {
            written[r] = data.kind.is_writable();
        }
        for (_, i) in f.insts_in_order() {
            let d = &f.insts[i];
            if !d.op.has(OpAttrs::writes) {
                continue;
            }
            match d.touches() {
                Some(Touched::Place(p)) => m.buffers_at(p).for_each(|r| written[r] = true),
                Some(Touched::Image(r)) => written[r] = true,
                _ => {}
            }
        }
        // Lanes of one workgroup alone cannot differ. Vertices and pixels of other stages share a subgroup, and their inputs differ.
        let alone = !m.entries.is_empty() && m.entries.iter().all(|e| e.workgroup_size() == Some([1, 1, 1]));
        let mut r = Run {
            most: if alone { Variance::Workgroup } else { Variance::Divergent },
            agreed,
            f,
            m,
            written,
            s: Structure::new(f, dom),
            pdom: None,
            preds: f.preds(),
            blocks: SecondaryMap::with_default(None),
            dom,
            u: Uniformity { values: SecondaryMap::new(), divergent_blocks: EntitySet::new() },
            divergent_loops: EntitySet::new(),
            loops_diverge: false,
            again: None,
            divergent_joins: EntitySet::new(),
            branches_done: EntitySet::new(),
            stamp: 0,
            mark: SecondaryMap::new(),
            met: SecondaryMap::new(),
            budget: EXACT * f.layout.len() + 4096,
            covered: SecondaryMap::new(),
        };
        // Values that nothing raises are uniform: no map grows by single ones.
        r.u.values.reserve(f.values.len());
        let mut from = Some(0);
        while let Some(at) = from {
            from = r.step(at);
        }
        r.u
    }
    /// How much a value varies.
    pub fn of(&self, v: Value) -> Variance {
        self.values[v]
    }
    /// Whether a value may differ between lanes.
    pub fn is_divergent(&self, v: Value) -> bool {
        self.values[v] == Variance::Divergent
    }
    /// Whether a block's terminator may send lanes different ways.
    pub fn divergent_branch(&self, f: &Function, b: Block) -> bool {
        let d = &f.insts[f.terminator(b)];
        matches!(d.op, Op::Br | Op::Switch) && self.is_divergent(d.args[0])
    }
    /// Whether some lanes that were active at the entry may be inactive in this block.
    pub fn divergent_block(&self, b: Block) -> bool {
        self.divergent_blocks.contains(b)
    }
}

impl Run<'_> {
    /// One sweep from a position on; the position from which another one may raise something. In reverse postorder what is read comes before
    /// its readers, but for what goes round a loop: another sweep is needed where an argument of a back edge rose, where a value turned out to
    /// leave its loop, and where a branch makes lanes meet in a block that has had its look. Nothing in front of that block reads it.
    fn step(&mut self, from: u32) -> Option<u32> {
        let (f, dom) = (self.f, self.dom);
        self.again = None;
        for &b in &dom.rpo()[from as usize..] {
            for (k, &p) in f.blocks[b].params.iter().enumerate() {
                let v = self.param(b, k);
                self.raise(p, v);
            }
            for &i in &f.blocks[b].insts {
                let d = &f.insts[i];
                // A value used after its loop must keep what each lane had when it left: it is a value per lane.
                if self.loops_diverge {
                    d.for_each_use(|a| {
                        // Its readers stand anywhere behind its definition.
                        if self.leaves(a, b) && self.raise(a, Variance::Divergent) {
                            self.again = Some(0);
                        }
                    });
                }
                if !d.results.is_empty() {
                    let v = self.inst(i);
                    for r in d.results {
                        self.raise(r, v);
                    }
                }
            }
            if self.u.divergent_branch(f, b) && self.branches_done.insert(b) {
                self.branch(b);
            }
        }
        // What loops carry round rises last.
        for &b in dom.rpo() {
            let at = dom.position(b);
            if self.again.is_some() && self.again <= at {
                break;
            }
            if self.preds[b].iter().any(|&p| dom.position(p) >= at) {
                let mut params = f.blocks[b].params.iter().enumerate();
                if params.any(|(k, &p)| self.param(b, k).min(self.most) > self.u.values[p]) {
                    self.again = at;
                }
            }
        }
        self.again
    }

    /// Marks a block whose parameters merge lanes that the branch at the end of `from` separated.
    fn join(&mut self, x: Block, from: Block) {
        let (at, from) = (self.dom.position(x), self.dom.position(from));
        if self.divergent_joins.insert(x) && at <= from {
            self.again = Some(at.unwrap_or(0).min(self.again.unwrap_or(u32::MAX)));
        }
    }

    fn raise(&mut self, v: Value, to: Variance) -> bool {
        let to = to.min(self.most);
        let up = to > self.u.values[v];
        if up {
            self.u.values[v] = to;
        }
        up
    }

    /// Whether a value is defined in a loop that lanes leave at different times, and `at` is outside of that loop.
    fn leaves(&self, v: Value, at: Block) -> bool {
        if !self.loops_diverge {
            return false;
        }
        let def = match self.f.values[v].def {
            ValueDef::Param(b, _) => b,
            ValueDef::Inst(i, _) => match self.blocks[i] {
                Some(b) => b,
                None => return false,
            },
            ValueDef::Const(_) | ValueDef::Undef => return false,
        };
        def != at
            && self.s.enclosing(self.s.of(def)).any(|l| self.divergent_loops.contains(l) && !self.s.contains(l, at))
    }

    /// The variance of a value as an edge carries it to block `at`.
    fn seen(&self, v: Value, at: Block) -> Variance {
        if self.leaves(v, at) { Variance::Divergent } else { self.u.values[v] }
    }

    fn param(&self, b: Block, k: usize) -> Variance {
        if b == self.f.entry() {
            return Variance::Divergent;
        }
        let mut v = Variance::Launch;
        let mut same: Option<Value> = None;
        let mut differ = false;
        for (_, e) in self.f.edges_to(b, &self.preds[b]) {
            let a = e.args[k];
            v = v.max(self.seen(a, b));
            differ |= same.is_some_and(|s| s != a);
            same = Some(a);
        }
        if differ && self.divergent_joins.contains(b) { Variance::Divergent } else { v }
    }

    fn inst(&self, i: Inst) -> Variance {
        let d = &self.f.insts[i];
        let args = d.args.iter().map(|&v| self.u.values[v]).max().unwrap_or(Variance::Launch);
        match (&d.attr, d.op) {
            (Attr::Sysval(s), _) => s.variance(),
            (Attr::Mem(m), Op::Load) => {
                if m.flags.has(MemFlags::UNIFORM) {
                    return Variance::Workgroup;
                }
                // Each lane has its own function and private memory. Memory that is written while the shader runs may
                // change between the loads of two waves.
                let source = match self.m.space(m.place) {
                    Space::Function | Space::Private | Space::Workgroup => Variance::Divergent,
                    Space::Uniform => Variance::Launch,
                    Space::Storage => match m.place {
                        Place::Buffer(r) if !self.written[r] && m.flags.is_alone() => Variance::Launch,
                        _ => Variance::Divergent,
                    },
                };
                source.max(args)
            }
            (_, Op::Atomic | Op::CmpXchg | Op::Call | Op::Input | Op::ImageAtomic | Op::TargetLoad) => {
                Variance::Divergent
            }
            // It also depends on which lanes are there.
            (_, Op::Any | Op::Ballot) => self.agreed,
            (_, Op::LaneRead) if self.u.values[d.args[1]] <= Variance::Subgroup => self.agreed,
            (Attr::Reduce(r), _) if r.reach == Reach::All && r.cluster == 0 => self.agreed,
            (_, Op::LaneRead | Op::Reduce) => Variance::Divergent,
            // Lanes of one quad get derivatives of their own, even of values that all compute alike.
            (_, Op::Derivative | Op::Sample) => Variance::Divergent,
            // Other waves may store to an image between two loads.
            (Attr::Tex(t), Op::ImageLoad) => {
                if self.written[t.texture] {
                    Variance::Divergent
                } else {
                    args
                }
            }
            (_, Op::BufferLength) => Variance::Launch,
            (_, Op::Insert) => self.inserted(i),
            _ => args,
        }
    }

    /// A vector whose lanes are all put in one after the other has nothing of the first one.
    fn inserted(&self, i: Inst) -> Variance {
        let (mut at, mut seen, mut most) = (i, 0u32, Variance::Launch);
        // As many steps as a vector that is written twice takes.
        for _ in 0..8 {
            let d = &self.f.insts[at];
            let Attr::Lane(lane) = d.attr else { break };
            if seen & 1 << lane == 0 {
                most = most.max(self.u.values[d.args[1]]);
            }
            seen |= 1 << lane;
            if seen.count_ones() == self.f.ty(d.args[0]).lanes() {
                return most;
            }
            match self.f.values[d.args[0]].def {
                ValueDef::Inst(below, _) if self.f.insts[below].op == Op::Insert => at = below,
                _ => return most.max(self.u.values[d.args[0]]),
            }
        }
        most.max(self.f.insts[at].results.iter().map(|r| self.u.values[r]).max().unwrap_or(Variance::Divergent))
    }

    /// Marks what the divergent branch at the end of `b` influences.
    fn branch(&mut self, b: Block) {
        let end = self.pdom.get_or_insert_with(|| PostDomTree::new(self.f)).ipdom(b);
        if self.covered[b] == Some(end) {
            return;
        }
        self.stamp += 1;
        // All blocks between the branch and the point where all lanes are together again.
        let mut region: Vec<Block> = Vec::new();
        let mut work: Vec<Block> = self.f.succs(b).to_vec();
        while let Some(x) = work.pop() {
            if Some(x) == end || self.mark[x] == self.stamp {
                continue;
            }
            self.mark[x] = self.stamp;
            region.push(x);
            work.extend(self.f.succs(x));
        }
        trace::work(region.len() as u64);
        for &x in &region {
            self.u.divergent_blocks.insert(x);
        }
        if self.budget >= region.len() {
            self.budget -= region.len();
            self.joins(b, end, &region);
            // Where ways only part, as in the search of a switch, branches inside that lead to the same end join there as well.
            if region.iter().all(|&x| self.preds[x].len() < 2) {
                for &x in &region {
                    self.covered[x] = Some(end);
                }
            }
        } else {
            // Many branches that lead to one place, each around most of what follows: all joins between count as
            // joins of any of them, and the branches inside that lead there too are done with that.
            for &x in region.iter().chain(&end) {
                if self.preds[x].len() > 1 {
                    self.join(x, b);
                }
            }
            for &x in &region {
                self.covered[x] = Some(end);
            }
        }
        // A branch from which some lanes leave a loop and others stay makes lanes leave in different iterations.
        for l in self.s.enclosing(self.s.of(b)).filter(|&l| self.s.is_loop(l)).collect::<Vec<_>>() {
            if self.divergent_loops.contains(l) {
                continue;
            }
            let header = self.s.constructs[l].header;
            let leaves = region.iter().chain(&end).any(|&x| !self.s.contains(l, x));
            let stays = self.mark[header] == self.stamp || end == Some(header);
            if leaves && stays {
                self.divergent_loops.insert(l);
                // What leaves the loop and was read already is another value now.
                if !self.loops_diverge {
                    self.blocks = self.f.inst_blocks();
                }
                (self.loops_diverge, self.again) = (true, Some(0));
                // The loop's exits join lanes of different iterations.
                self.join(self.s.constructs[l].merge, b);
                for x in self.loop_blocks(l) {
                    self.u.divergent_blocks.insert(x);
                }
            }
        }
    }

    /// The blocks that a loop contains: what its header reaches without leaving it.
    fn loop_blocks(&self, l: super::ConstructId) -> Vec<Block> {
        let mut seen: IndexSet<Block, FxBuildHasher> = IndexSet::default();
        seen.insert(self.s.constructs[l].header);
        let mut next = 0;
        while let Some(&x) = seen.get_index(next) {
            next += 1;
            seen.extend(self.f.succs(x).into_iter().filter(|&t| self.s.contains(l, t)));
        }
        trace::work(next as u64);
        seen.into_iter().collect()
    }

    /// A block joins lanes if two ways from the branch first meet there: each way carries its label forward, and where
    /// two labels meet a new way begins. Back edges carry none, since the lanes of a loop come round together.
    fn joins(&mut self, b: Block, end: Option<Block>, region: &[Block]) {
        let mut order: Vec<(u32, Block)> =
            region.iter().chain(&end).filter_map(|&x| Some((self.dom.position(x)?, x))).collect();
        order.sort_unstable();
        // Of a block that thousands of ways lead to, only those of the region are walked.
        let mut met: SecondaryMap<Block, Met> = std::mem::take(&mut self.met);
        for t in self.f.succs(b).into_iter().filter(|&t| !self.dom.dominates(t, b)) {
            met[t].begin(self.stamp).direct += 1;
        }
        for (_, x) in order {
            let m = *met[x].begin(self.stamp);
            let joins = m.direct + u32::from(m.label.is_some()) + u32::from(m.several) > 1;
            if joins {
                self.join(x, b);
            }
            let label = if joins || m.direct > 0 { Some(x) } else { m.label };
            if let (Some(l), true) = (label, x != b) {
                for t in self.f.succs(x).into_iter().filter(|&t| !self.dom.dominates(t, x)) {
                    let m = met[t].begin(self.stamp);
                    m.several |= m.label.is_some_and(|other| other != l);
                    m.label = Some(l);
                }
            }
        }
        self.met = met;
    }
}
