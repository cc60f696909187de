//! Where lanes separate and come together: which branches push, which constructs join, which loops need `breakaddr`.
//!
//! Reference section 5: a divergent branch pushes an entry that the join of an enclosing `joinat` pops, or the end of its
//! lanes. So each divergent branch is given to the innermost construct around it that all its lanes leave by one way
//! (its merge, an exit, or `break`): a selection joins at its merge block, a loop in a block on its back edge. The `joinat`
//! stands in the nearest block that dominates the branches and the join. Loops that lanes may leave at different times,
//! or from inside of a joined part, are left by `break`; others by plain branches.

use gpucc_ir::analysis::{ConstructId, ConstructKind, DomTree, Structure, Uniformity};
use gpucc_ir::{Block, CsrLists, Function, Module, Op, SecondaryMap};

/// The decisions.
pub struct Plan {
    /// Blocks whose terminator may separate lanes.
    pub divergent: SecondaryMap<Block, bool>,
    /// The join that pops what a block's branch pushes; 0 for none.
    pub absorber: SecondaryMap<Block, u16>,
    /// Joins that are pushed at the end of a block, outer ones first.
    pub joinat: SecondaryMap<Block, Vec<u16>>,
    /// The join at the start of a block (for a loop header: on the way into the loop); 0 for none.
    pub join: SecondaryMap<Block, u16>,
    /// By loop header: the join on its back edge; 0 for none.
    pub latch: SecondaryMap<Block, u16>,
    /// By loop header: number of the exit of a loop that is left by `break`; 0 for none.
    pub exit: SecondaryMap<Block, u16>,
    /// By block: loop exits that end here.
    pub exits_here: SecondaryMap<Block, Vec<u16>>,
    /// By block: header of the innermost loop around it.
    pub loop_of: SecondaryMap<Block, Option<Block>>,
    /// Entries of the control stack that the program needs, without those of atomics.
    pub stack: u32,
    /// Which values are the same for all lanes.
    pub uniform: Uniformity,
}

struct Maker<'f> {
    f: &'f Function,
    dom: DomTree,
    s: Structure,
    reachable: SecondaryMap<Block, bool>,
    preds: CsrLists<Block, Block>,
    /// Blocks of each loop, with those of what lies inside.
    members: SecondaryMap<ConstructId, Vec<Block>>,
    ends: SecondaryMap<Block, bool>,
    /// Constructs that some lane may leave in another way than to the merge, the end, or out of the loop around them.
    leaky: SecondaryMap<ConstructId, bool>,
}

impl Maker<'_> {
    fn contains(&self, k: ConstructId, b: Block) -> bool {
        self.s.enclosing(self.s.of(b)).any(|x| x == k)
    }

    fn is_loop(&self, k: ConstructId) -> bool {
        matches!(self.s.constructs[k].kind, ConstructKind::Loop { .. })
    }

    /// Finds the constructs that leak. Each edge is looked at once for each construct that it leaves.
    fn find_leaks(&mut self) {
        let mut depth: SecondaryMap<ConstructId, u32> = SecondaryMap::new();
        // The merge of the innermost loop around the header.
        let mut around: SecondaryMap<ConstructId, Option<Block>> = SecondaryMap::with_default(None);
        for (k, c) in self.s.constructs.iter() {
            depth[k] = c.parent.map_or(1, |p| depth[p] + 1);
            around[k] = match self.s.of(c.header) {
                Some(o) if self.is_loop(o) => Some(self.s.constructs[o].merge),
                Some(o) => around[o],
                None => None,
            };
        }
        let up = |k: ConstructId| self.s.constructs[k].parent;
        let level = |k: Option<ConstructId>| k.map_or(0, |k| depth[k]);
        for &from in &self.f.layout {
            for &to in self.f.succs(from).iter() {
                let (mut a, mut b) = (self.s.of(from), self.s.of(to));
                while a != b {
                    if level(a) >= level(b) { a = a.and_then(up) } else { b = b.and_then(up) }
                }
                let opened = self.s.opened_by(from);
                let mut contains = false;
                for k in opened.into_iter().chain(self.s.enclosing(self.s.of(from))) {
                    let c = &self.s.constructs[k];
                    contains |= Some(k) == a || opened == Some(k) && self.contains(k, to);
                    // A block in a construct lies in those around it.
                    if contains && to != c.header {
                        break;
                    }
                    self.leaky[k] |= to != c.merge && !self.ends[to] && around[k] != Some(to);
                }
            }
        }
    }

    /// Whether all lanes in a selection get to its merge, end, or leave a loop around it.
    fn closed(&self, k: ConstructId) -> bool {
        let c = &self.s.constructs[k];
        let inside = |b: Block| b == c.header || self.contains(k, b);
        // Entries of the merge from its own loop's back edge do not count: the join stands before that loop.
        let own_loop = self.s.loop_at(c.merge);
        let entered_well = self.preds[c.merge]
            .iter()
            .all(|&p| inside(p) || own_loop.is_some_and(|l| self.contains(l, p)) || !self.reachable[p]);
        entered_well && !self.leaky[k]
    }
}

/// Makes the decisions for a function without calls.
pub fn plan(m: &Module, f: &Function) -> Plan {
    let dom = DomTree::new(f);
    let u = Uniformity::within(m, f, &dom);
    let s = Structure::new(f, &dom);
    let mut mk = Maker {
        f,
        s,
        reachable: SecondaryMap::new(),
        preds: f.preds(),
        members: SecondaryMap::new(),
        ends: SecondaryMap::new(),
        leaky: SecondaryMap::new(),
        dom,
    };
    for &b in &f.layout {
        mk.reachable[b] = mk.dom.is_reachable(b);
        let data = &f.blocks[b];
        mk.ends[b] = data.insts.len() == 1 && data.params.is_empty() && f.insts[data.insts[0]].op == Op::Ret;
        for k in mk.s.enclosing(mk.s.of(b)).filter(|&k| mk.s.is_loop(k)) {
            mk.members[k].push(b);
        }
    }
    mk.find_leaks();
    let mut p = Plan {
        divergent: SecondaryMap::new(),
        absorber: SecondaryMap::new(),
        joinat: SecondaryMap::new(),
        join: SecondaryMap::new(),
        latch: SecondaryMap::new(),
        exit: SecondaryMap::new(),
        exits_here: SecondaryMap::new(),
        loop_of: SecondaryMap::with_default(None),
        stack: 0,
        uniform: u,
    };
    let n = mk.s.constructs.len();
    let mut absorbed: Vec<Vec<Block>> = vec![Vec::new(); n];
    let mut unabsorbed: Vec<Block> = Vec::new();
    let mut branches = 0;
    let mut closed: SecondaryMap<ConstructId, Option<bool>> = SecondaryMap::new();
    for &b in &f.layout {
        p.loop_of[b] = mk.s.loop_of(b).map(|l| mk.s.constructs[l].header);
        if !mk.reachable[b] || !p.uniform.divergent_branch(f, b) {
            continue;
        }
        p.divergent[b] = true;
        let ways = f.succs(b).len() as u32;
        branches += ways.max(2) - 1;
        let own = mk.s.opened_by(b);
        let found = own.into_iter().chain(mk.s.enclosing(mk.s.of(b))).find(|&k| {
            let c = &mk.s.constructs[k];
            if mk.is_loop(k) {
                return mk.preds[c.header].iter().any(|&x| mk.contains(k, x));
            }
            mk.reachable[c.merge] && *closed[k].get_or_insert_with(|| mk.closed(k))
        });
        match found {
            Some(k) if mk.is_loop(k) || !mk.ends[mk.s.constructs[k].merge] => absorbed[k.0 as usize].push(b),
            _ => unabsorbed.push(b),
        }
    }
    // Where each join is pushed.
    let mut pushed: Vec<Option<Block>> = vec![None; n];
    let mut id = 0;
    for (k, c) in mk.s.constructs.iter() {
        let list = &absorbed[k.0 as usize];
        if list.is_empty() {
            continue;
        }
        id += 1;
        let mut at = list[0];
        for &b in &list[1..] {
            at = mk.dom.common(at, b);
        }
        if mk.is_loop(k) {
            for &x in mk.preds[c.header].iter().filter(|&&x| mk.reachable[x] && mk.contains(k, x)) {
                at = mk.dom.common(at, x);
            }
            p.latch[c.header] = id;
        } else {
            at = mk.dom.common(at, c.merge);
            p.join[c.merge] = id;
        }
        pushed[k.0 as usize] = Some(at);
        p.joinat[at].push(id);
        for &b in list {
            p.absorber[b] = id;
        }
    }
    // Loops that are left by `break`; the constructs with a join in each loop.
    let mut joins: SecondaryMap<ConstructId, Vec<ConstructId>> = SecondaryMap::new();
    for k in mk.s.constructs.keys().filter(|k| pushed[k.0 as usize].is_some()) {
        for l in mk.s.enclosing(Some(k)).filter(|&l| mk.is_loop(l)) {
            joins[l].push(k);
        }
    }
    for (l, c) in mk.s.constructs.iter().filter(|x| mk.is_loop(x.0)) {
        let needs = mk.members[l].iter().any(|&x| {
            let leaves = mk.reachable[x] && f.succs(x).contains(&c.merge);
            let inside_of_join = |k: ConstructId| {
                pushed[k.0 as usize]
                    .is_some_and(|at| mk.dom.dominates(at, x) && (k == l || at == x || mk.contains(k, x)))
            };
            leaves
                && (p.divergent[x]
                    || joins[l].iter().copied().any(inside_of_join)
                    || unabsorbed.iter().any(|&b| mk.contains(l, b)))
        });
        if needs {
            id += 1;
            p.exit[c.header] = id;
            p.exits_here[c.merge].push(id);
        }
    }
    // Nesting, and every branch that may be pending at once: each leaves at least one lane behind.
    let depth = |k: ConstructId| {
        mk.s.enclosing(Some(k))
            .map(|e| {
                let c = &mk.s.constructs[e];
                let left_by_break = mk.is_loop(e) && p.exit[c.header] != 0;
                u32::from(pushed[e.0 as usize].is_some()) + u32::from(left_by_break)
            })
            .sum::<u32>()
    };
    p.stack = (0..n as u32).map(|k| depth(ConstructId(k))).max().unwrap_or(0) + branches.min(31);
    p
}
