//! Groups of values that wish to lie at fixed distances from each other.
//!
//! A union-find with offsets over the wishes: members of collects, splits, copies, tied operands, parameters with their
//! arguments. The first member to be placed looks for room for the widest one and so anchors the group.
//! Members may interfere: a wish is never a promise. But two parameters of one block are never of one group, whatever
//! constant both of them begin with: all wishes of a loop would be for one place. Edges of inner loops unite first.

use core::cmp::Reverse;
use std::collections::BTreeSet;

use crate::problem::{Cfg, Constraint, Problem, Role, Value};

/// A group, stored at its root.
#[derive(Clone, Copy)]
struct Root {
    /// Unit that offset 0 of the group maps to.
    anchor: Option<i32>,
    /// Whether an instruction reads or writes a member at one place alone.
    fixed: bool,
    /// Member with most units.
    widest: u32,
}

/// The groups of a problem.
pub(crate) struct Groups {
    parent: Vec<u32>,
    offset: Vec<i32>,
    root: Vec<Root>,
    /// Blocks that the group has a parameter of.
    blocks: Vec<Blocks>,
}

/// A set of blocks. Most are empty, most others have one.
#[derive(Clone, Default)]
enum Blocks {
    #[default]
    None,
    One(u32),
    #[expect(
        clippy::box_collection,
        reason = "one pointer instead of three words, of which there is one set for each value"
    )]
    Many(Box<BTreeSet<u32>>),
}

impl Blocks {
    fn len(&self) -> usize {
        match self {
            Blocks::None => 0,
            Blocks::One(_) => 1,
            Blocks::Many(s) => s.len(),
        }
    }

    fn contains(&self, b: u32) -> bool {
        match self {
            Blocks::None => false,
            Blocks::One(a) => *a == b,
            Blocks::Many(s) => s.contains(&b),
        }
    }

    fn meets(&self, larger: &Blocks) -> bool {
        match self {
            Blocks::None => false,
            Blocks::One(a) => larger.contains(*a),
            Blocks::Many(s) => s.iter().any(|&a| larger.contains(a)),
        }
    }

    /// Takes those of another one, which should be smaller, into this one.
    fn extend(&mut self, other: Blocks) {
        match (&mut *self, other) {
            (_, Blocks::None) => {}
            (Blocks::None, other) => *self = other,
            (Blocks::One(a), Blocks::One(b)) => *self = Blocks::Many(Box::new(BTreeSet::from([*a, b]))),
            (Blocks::One(a), Blocks::Many(mut s)) => {
                s.insert(*a);
                *self = Blocks::Many(s);
            }
            (Blocks::Many(s), Blocks::One(b)) => {
                s.insert(b);
            }
            (Blocks::Many(s), Blocks::Many(o)) => s.extend(*o),
        }
    }
}

impl Groups {
    pub(crate) fn new(p: &Problem) -> Groups {
        let n = p.value_count();
        let mut g = Groups {
            parent: (0..n as u32).collect(),
            offset: vec![0; n],
            root: (0..n as u32).map(|v| Root { anchor: None, fixed: false, widest: v }).collect(),
            blocks: vec![Blocks::None; n],
        };
        for b in 0..p.blocks.len() as u32 {
            p.params(b).iter().for_each(|v| g.blocks[v.index()] = Blocks::One(b));
        }
        for h in &p.hints {
            g.union(p, h.part, h.whole, h.offset as i32);
        }
        for i in 0..p.insts.len() as u32 {
            let ops = p.operands(i);
            for o in ops {
                if let (Constraint::Tied(t), true) = (o.constraint, o.role != Role::Use)
                    && let Some(u) = ops.get(t as usize)
                {
                    g.union(p, u.value, o.value, 0);
                }
            }
        }
        let depth = crate::spill::loops(p).0;
        // Found in the order of the code, since most edges have no arguments.
        let mut passed: Vec<(bool, Reverse<u32>, Value, Value)> = Vec::new();
        for (b, &depth) in (0..).zip(&depth) {
            for cfg in [Cfg::Logical, Cfg::Linear] {
                for e in p.succs(b, cfg).filter(|e| !e.args.is_empty()) {
                    for (&arg, &param) in e.args.iter().zip(p.params(e.to)) {
                        if p.cfg(param) == cfg && !arg.is_none() {
                            passed.push((cfg == Cfg::Linear, Reverse(depth), arg, param));
                        }
                    }
                }
            }
        }
        passed.sort_by_key(|e| (e.0, e.1));
        for (_, _, arg, param) in passed {
            g.union(p, arg, param, 0);
        }
        for o in &p.operands {
            if let Constraint::Fixed(at) = o.constraint {
                let (root, offset) = g.find(o.value);
                let r = &mut g.root[root as usize];
                if r.anchor.is_none() {
                    r.anchor = Some(at.base() as i32 - offset);
                    r.fixed = true;
                }
            }
        }
        g
    }

    fn union(&mut self, p: &Problem, part: Value, whole: Value, offset: i32) {
        if p.file(part) != p.file(whole) {
            return;
        }
        let (ra, oa) = self.find(part);
        let (rb, ob) = self.find(whole);
        if ra == rb {
            return;
        }
        let larger = if self.blocks[ra as usize].len() > self.blocks[rb as usize].len() { ra } else { rb };
        let smaller = ra ^ rb ^ larger;
        if self.blocks[smaller as usize].meets(&self.blocks[larger as usize]) {
            return;
        }
        let fewer = std::mem::take(&mut self.blocks[smaller as usize]);
        let mut more = std::mem::take(&mut self.blocks[larger as usize]);
        more.extend(fewer);
        self.blocks[rb as usize] = more;
        self.parent[ra as usize] = rb;
        self.offset[ra as usize] = ob + offset - oa;
        let units = |v: u32| p.shape(Value(v)).units;
        let (wa, wb) = (self.root[ra as usize].widest, self.root[rb as usize].widest);
        if units(wa) > units(wb) {
            self.root[rb as usize].widest = wa;
        }
    }

    /// Root of the group of `v` and the position of `v` in it.
    fn find(&mut self, v: Value) -> (u32, i32) {
        let (mut at, mut sum) = (v.0, 0);
        while self.parent[at as usize] != at {
            sum += self.offset[at as usize];
            at = self.parent[at as usize];
        }
        let (root, total) = (at, sum);
        at = v.0;
        while self.parent[at as usize] != root && at != root {
            let (next, step) = (self.parent[at as usize], self.offset[at as usize]);
            self.parent[at as usize] = root;
            self.offset[at as usize] = sum;
            sum -= step;
            at = next;
        }
        (root, total)
    }

    /// The unit where `v` would suit its group, if the group has an anchor.
    pub(crate) fn affinity(&mut self, v: Value) -> Option<i32> {
        let (root, offset) = self.find(v);
        self.root[root as usize].anchor.map(|a| a + offset)
    }

    /// The unit where `v` would suit its group, if an instruction asks for a place of a member.
    pub(crate) fn fixed(&mut self, v: Value) -> Option<u16> {
        let (root, offset) = self.find(v);
        let r = &self.root[root as usize];
        r.anchor.filter(|_| r.fixed).and_then(|a| u16::try_from(a + offset).ok())
    }

    /// The widest member of the group of `v` and its position relative to `v`, when it is wider than `v`.
    pub(crate) fn widest(&mut self, p: &Problem, v: Value) -> Option<(Value, i32)> {
        let (root, offset) = self.find(v);
        let w = Value(self.root[root as usize].widest);
        if p.shape(w).units <= p.shape(v).units {
            return None;
        }
        let (_, ow) = self.find(w);
        Some((w, ow - offset))
    }

    /// Where `part` wishes to lie relative to `whole`, if they are of one group.
    pub(crate) fn distance(&mut self, part: Value, whole: Value) -> Option<i32> {
        let ((ra, oa), (rb, ob)) = (self.find(part), self.find(whole));
        (ra == rb).then_some(oa - ob)
    }

    /// Moves the anchor of the group of `v` so that `v` at `base` suits it.
    pub(crate) fn anchor(&mut self, v: Value, base: u16) {
        let (root, offset) = self.find(v);
        self.root[root as usize].anchor = Some(base as i32 - offset);
    }
}
