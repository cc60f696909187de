//! Which values are the same for all lanes.
//!
//! A forward analysis over the lattice constant < workgroup < divergent (the other steps of the plan, draw and
//! subgroup, will stand between these when there are values of that kind). Three things make a value divergent:
//! - *data*: an operand is divergent, or its source is (local ids, atomics, loads at divergent addresses, loads from
//!   memory that other lanes may change in between);
//! - *control*: a block parameter takes different values on edges that a divergent branch decides between;
//! - *time*: a value leaves a loop that lanes leave in different iterations, so lanes hold values of different times.
//!   The value itself counts as divergent then, unless it leaves as an edge argument: then the parameter does.
//!
//! "The same for all lanes" means: for the lanes of the workgroup that execute the definition together. A value that is
//! uniform in that sense may be computed once per wave with whatever lanes are active.

use super::{DomTree, PostDomTree, Structure};
use crate::entity::{EntitySet, SideMap};
use crate::function::{Function, ValueDef};
use crate::inst::{Attr, Block, Inst, MemFlags, Place, Sysval, Value};
use crate::module::{Module, Space};
use crate::ops::{Op, OpAttrs};

/// How much a value varies.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Variance {
    /// A constant, or a value that is the same for the whole launch.
    #[default]
    Launch,
    /// The same for the lanes of a workgroup that execute it together.
    Workgroup,
    /// May differ between lanes.
    Divergent,
}

/// The result of the analysis.
#[derive(Clone, Debug)]
pub struct Uniformity {
    values: SideMap<Value, Variance>,
    /// Blocks that may be executed by some lanes of a wave only.
    divergent_blocks: EntitySet<Block>,
}

struct Run<'a> {
    f: &'a Function,
    m: &'a Module,
    written: SideMap<crate::inst::Res, bool>,
    s: Structure,
    dom: DomTree,
    pdom: PostDomTree,
    preds: SideMap<Block, smallvec::SmallVec<[Block; 2]>>,
    blocks: SideMap<Inst, Option<Block>>,
    u: Uniformity,
    /// Loops (by construct) whose lanes may leave in different iterations.
    divergent_loops: EntitySet<super::ConstructId>,
    /// Blocks whose parameters merge lanes that a divergent branch separated.
    divergent_joins: EntitySet<Block>,
    branches_done: EntitySet<Block>,
}

impl Uniformity {
    /// Computes it. The function should have no calls: their results count as divergent.
    pub fn new(m: &Module, f: &Function) -> Uniformity {
        let dom = DomTree::new(f);
        let mut written: SideMap<crate::inst::Res, bool> = SideMap::new();
        for (_, i) in f.insts_in_order() {
            let d = &f.insts[i];
            if let Some(mem) = d.mem()
                && let Place::Buffer(r) = mem.place
                && d.op.has(OpAttrs::writes)
            {
                written[r] = true;
            }
        }
        let mut r = Run {
            f,
            m,
            written,
            s: Structure::new(f, &dom),
            pdom: PostDomTree::new(f),
            preds: f.preds(),
            blocks: f.inst_blocks(),
            dom,
            u: Uniformity { values: SideMap::new(), divergent_blocks: EntitySet::new() },
            divergent_loops: EntitySet::new(),
            divergent_joins: EntitySet::new(),
            branches_done: EntitySet::new(),
        };
        while r.step() {}
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
    /// One sweep; true if something rose.
    fn step(&mut self) -> bool {
        let mut changed = false;
        for b in self.dom.rpo().to_vec() {
            for (k, &p) in self.f.blocks[b].params.iter().enumerate() {
                let v = self.param(b, k);
                changed |= self.raise(p, v);
            }
            for &i in &self.f.blocks[b].insts {
                // A value used after its loop must keep what each lane had when it left: it is a value per lane.
                for &a in &self.f.insts[i].args {
                    if self.leaves(a, b) {
                        changed |= self.raise(a, Variance::Divergent);
                    }
                }
                let v = self.inst(i);
                for &r in &self.f.insts[i].results {
                    changed |= self.raise(r, v);
                }
            }
            if self.u.divergent_branch(self.f, b) && self.branches_done.insert(b) {
                self.branch(b);
                changed = true;
            }
        }
        changed
    }

    fn raise(&mut self, v: Value, to: Variance) -> bool {
        let up = to > self.u.values[v];
        if up {
            self.u.values[v] = to;
        }
        up
    }

    /// Whether a value is defined in a loop that lanes leave at different times, and `at` is outside of that loop.
    fn leaves(&self, v: Value, at: Block) -> bool {
        let def = match self.f.values[v].def {
            ValueDef::Param(b, _) => b,
            ValueDef::Inst(i, _) => match self.blocks[i] {
                Some(b) => b,
                None => return false,
            },
            ValueDef::Const(_) | ValueDef::Undef => return false,
        };
        self.s.enclosing(self.s.of(def)).any(|l| self.divergent_loops.contains(l) && !self.s.contains(l, at))
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
        for &p in &self.preds[b] {
            for e in self.f.edges(p) {
                if e.block != b {
                    continue;
                }
                let a = e.args[k];
                v = v.max(self.seen(a, b));
                differ |= same.is_some_and(|s| s != a);
                same = Some(a);
            }
        }
        if differ && self.divergent_joins.contains(b) { Variance::Divergent } else { v }
    }

    fn inst(&self, i: Inst) -> Variance {
        let d = &self.f.insts[i];
        let args = d.args.iter().map(|&v| self.u.values[v]).max().unwrap_or(Variance::Launch);
        match (&d.attr, d.op) {
            (Attr::Sysval(s), _) => match s {
                Sysval::WorkgroupId => Variance::Workgroup,
                Sysval::NumWorkgroups | Sysval::SubgroupSize | Sysval::NumSubgroups => Variance::Launch,
                Sysval::GlobalInvocationId
                | Sysval::LocalInvocationId
                | Sysval::LocalInvocationIndex
                | Sysval::SubgroupInvocationId
                | Sysval::SubgroupId => Variance::Divergent,
            },
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
                        Place::Buffer(r) if !self.written[r] && m.flags.is_plain() => Variance::Launch,
                        _ => Variance::Divergent,
                    },
                };
                source.max(args)
            }
            (_, Op::Atomic | Op::CmpXchg | Op::Call) => Variance::Divergent,
            (_, Op::BufferLength) => Variance::Launch,
            _ => args,
        }
    }

    /// Marks what the divergent branch at the end of `b` influences.
    fn branch(&mut self, b: Block) {
        let end = self.pdom.ipdom(b);
        // All blocks between the branch and the point where all lanes are together again.
        let mut region = EntitySet::new();
        let mut work: Vec<Block> = self.f.succs(b).to_vec();
        while let Some(x) = work.pop() {
            if Some(x) == end || !region.insert(x) {
                continue;
            }
            work.extend(self.f.succs(x));
        }
        for x in region.iter() {
            self.u.divergent_blocks.insert(x);
        }
        // A block joins lanes if two ways from the branch first meet there: each way carries its label forward, and
        // where two labels meet a new way begins. Back edges carry none, since the lanes of a loop come round together.
        let mut label: SideMap<Block, Option<Block>> = SideMap::with_default(None);
        for x in self.dom.rpo() {
            if !region.contains(*x) && Some(*x) != end {
                continue;
            }
            let mut ways: Vec<Block> = Vec::new();
            let mut direct = 0;
            for &p in &self.preds[*x] {
                if self.dom.dominates(*x, p) {
                    continue;
                }
                if p == b {
                    direct += 1;
                } else if let Some(l) = label[p]
                    && !ways.contains(&l)
                {
                    ways.push(l);
                }
            }
            if direct + ways.len() > 1 {
                self.divergent_joins.insert(*x);
            }
            label[*x] = match (direct, &ways[..]) {
                (0, []) => None,
                (0, [l]) => Some(*l),
                _ => Some(*x),
            };
        }
        // A branch from which some lanes leave a loop and others stay makes lanes leave in different iterations.
        for l in self.s.loops().collect::<Vec<_>>() {
            if !self.s.contains(l, b) {
                continue;
            }
            let header = self.s.constructs[l].header;
            let leaves = region.iter().chain(end).any(|x| !self.s.contains(l, x));
            let stays = region.contains(header) || end == Some(header);
            if leaves && stays {
                self.divergent_loops.insert(l);
                // The loop's exits join lanes of different iterations.
                let merge = self.s.constructs[l].merge;
                self.divergent_joins.insert(merge);
                for x in self.f.layout.clone() {
                    if self.s.contains(l, x) {
                        self.u.divergent_blocks.insert(x);
                    }
                }
            }
        }
    }
}
