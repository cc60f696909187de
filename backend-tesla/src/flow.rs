//! Where lanes separate and come together: which branches push, where lanes join, what is left by `break`.
//!
//! Reference section 5: a divergent branch pushes an entry that the join of an enclosing `joinat` pops, or the end of its
//! lanes. So each divergent branch is given to the innermost region around it that its lanes leave by one way, besides
//! the end of the program: a selection joins at its merge block, what `continue` leaves at the continue block, a loop in a
//! block on its back edge. The `joinat` stands in the nearest block that dominates the branches and the join.
//!
//! Lanes may leave a joined region for the merge of one around it. They do so by `break`, which leaves all joins behind up to
//! the innermost `breakaddr`. So a region is left by `break` only where no edge passes it on the way further out. Loops
//! that lanes may leave at different times, or from inside of a joined region, are left by `break`; others by plain branches.

use gpucc_ir::analysis::{ConstructId, ConstructKind, DomTree, Structure, Uniformity};
use gpucc_ir::{Arena, Block, CsrLists, Function, Module, Op, SecondaryMap, entity};

entity!(
    /// A part of the program in which lanes may be apart.
    RegionId, "region"
);

/// Something pushed at the end of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Push {
    /// The address of a join, by its number.
    Join(u16),
    /// The address where lanes go by `break`, by the number of the exit.
    Break(u16),
}

/// Where lanes separate and join, by block.
pub struct Plan {
    /// Blocks whose terminator may separate lanes.
    pub divergent: SecondaryMap<Block, bool>,
    /// The join that pops what a block's branch pushes; 0 for none.
    pub absorber: SecondaryMap<Block, u16>,
    /// Entries that are pushed at the end of a block, outer ones first.
    pub pushes: SecondaryMap<Block, Vec<Push>>,
    /// The join at the start of a block (for a loop header: on the way into the loop); 0 for none.
    pub join: SecondaryMap<Block, u16>,
    /// The join on the back edge, by loop header; 0 for none.
    pub latch: SecondaryMap<Block, u16>,
    /// Number of the exit of a loop that is left by `break`, by loop header; 0 for none.
    pub exit: SecondaryMap<Block, u16>,
    /// Exits by `break` that end at a block.
    pub exits_here: SecondaryMap<Block, Vec<u16>>,
    /// Entries of the control stack that the program needs, without those of atomics.
    pub stack: u32,
    /// Which values are the same for all lanes.
    pub uniform: Uniformity,
    regions: Regions,
}

impl Plan {
    /// Whether lanes take an edge by `break`.
    pub fn breaks(&self, from: Block, to: Block) -> bool {
        self.regions.left(from).any(|r| {
            let r = &self.regions.list[r];
            r.by_break && r.merge == to
        })
    }
}

/// The ways out of a region besides its merge and the end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Leak {
    None,
    To(Block),
    Several,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// Opened by the end of its header; a loop without a back edge too.
    Selection,
    /// The way from the block that all ways to a loop's continue block have in common up to that block.
    Turn,
    /// A loop with a back edge.
    Loop,
}

#[derive(Clone, Copy, Debug)]
struct Region {
    kind: Kind,
    header: Block,
    merge: Block,
    parent: Option<RegionId>,
    depth: u32,
    leak: Leak,
    by_break: bool,
}

/// The nearest block above one in a loop that lies in no construct in the loop.
fn outside(s: &Structure, dom: &DomTree, l: ConstructId, mut b: Block) -> Option<Block> {
    loop {
        let k = s.of(b)?;
        if k == l {
            return Some(b);
        }
        let header = s.constructs[k].header;
        b = if header == b { dom.idom(b)? } else { header };
    }
}

/// The innermost construct around a block, of one and those around it. What a loop's continue block dominates lies in no
/// selection before that.
fn within(s: &Structure, dom: &DomTree, k: Option<ConstructId>, b: Block) -> Option<ConstructId> {
    let l = s.enclosing(k).find(|&k| s.is_loop(k));
    match l.map(|l| s.constructs[l].kind) {
        Some(ConstructKind::Loop { cont }) if dom.is_reachable(cont) && dom.dominates(cont, b) => {
            s.enclosing(k).find(|&k| Some(k) == l || dom.dominates(cont, s.constructs[k].header))
        }
        _ => k,
    }
}

/// The tree of regions, outer ones first.
struct Regions {
    list: Arena<RegionId, Region>,
    /// The innermost region that contains a block.
    of: SecondaryMap<Block, Option<RegionId>>,
    /// The innermost region that the end of a block opens.
    opened: SecondaryMap<Block, Option<RegionId>>,
}

impl Regions {
    fn new(f: &Function, dom: &DomTree, preds: &CsrLists<Block, Block>) -> Regions {
        let s = Structure::new(f, dom);
        let mut rs = Regions {
            list: Arena::new(),
            of: SecondaryMap::with_default(None),
            opened: SecondaryMap::with_default(None),
        };
        // By construct: its region, and for a loop its turn.
        let mut regions: SecondaryMap<ConstructId, Option<RegionId>> = SecondaryMap::with_default(None);
        let mut turns: SecondaryMap<ConstructId, Option<RegionId>> = SecondaryMap::with_default(None);
        for (k, c) in s.constructs.iter() {
            let parent = within(&s, dom, c.parent, c.header);
            let parent = parent.and_then(|p| rs.place(dom, regions[p], turns[p], c.header, true));
            let ConstructKind::Loop { cont } = c.kind else {
                let r = rs.push(Kind::Selection, c.header, c.merge, parent);
                regions[k] = Some(r);
                rs.opened[c.header] = Some(r);
                continue;
            };
            let turned = preds[c.header].iter().any(|&p| dom.is_reachable(p) && dom.dominates(c.header, p));
            let kind = if turned { Kind::Loop } else { Kind::Selection };
            let r = rs.push(kind, c.header, c.merge, parent);
            regions[k] = Some(r);
            let comes = || preds[cont].iter().copied().filter(|&p| dom.is_reachable(p) && !dom.dominates(cont, p));
            if cont == c.header || !dom.is_reachable(cont) || comes().count() < 2 {
                continue;
            }
            let common = comes().reduce(|a, b| dom.common(a, b));
            let Some(first) = common.and_then(|b| outside(&s, dom, k, b)) else { continue };
            let t = rs.push(Kind::Turn, first, cont, Some(r));
            turns[k] = Some(t);
            rs.opened[first] = Some(t);
        }
        for &b in &f.layout {
            rs.of[b] = within(&s, dom, s.of(b), b).and_then(|k| rs.place(dom, regions[k], turns[k], b, false));
        }
        rs
    }

    /// The region of a block directly in a construct, or of what it opens: that of the construct, or the turn of a loop.
    fn place(
        &self,
        dom: &DomTree,
        construct: Option<RegionId>,
        turn: Option<RegionId>,
        b: Block,
        opens: bool,
    ) -> Option<RegionId> {
        let in_turn = |&t: &RegionId| {
            let Region { header, merge, .. } = self.list[t];
            (opens || b != header) && dom.dominates(header, b) && !dom.dominates(merge, b)
        };
        turn.filter(in_turn).or(construct)
    }

    fn push(&mut self, kind: Kind, header: Block, merge: Block, parent: Option<RegionId>) -> RegionId {
        let depth = parent.map_or(1, |p| self.list[p].depth + 1);
        self.list.push(Region { kind, header, merge, parent, depth, leak: Leak::None, by_break: false })
    }

    /// A region and those around it, from the inside out.
    fn around(&self, r: Option<RegionId>) -> impl Iterator<Item = RegionId> + '_ {
        std::iter::successors(r, |&r| self.list[r].parent)
    }

    /// The regions that the end of a block lies in, from the inside out.
    fn left(&self, b: Block) -> impl Iterator<Item = RegionId> + '_ {
        self.around(self.opened[b].or(self.of[b]))
    }

    /// Finds the ways out. Each edge is looked at once for each region that it leaves.
    fn find_leaks(&mut self, f: &Function, ends: &SecondaryMap<Block, bool>) {
        for &from in &f.layout {
            for &to in f.succs(from).iter() {
                let (mut a, mut b) = (self.opened[from].or(self.of[from]), self.of[to]);
                let level = |r: Option<RegionId>| r.map_or(0, |r| self.list[r].depth);
                let (mut high, mut low) = (level(a), level(b));
                while a != b {
                    let Some(r) = a.filter(|_| high >= low) else {
                        b = b.and_then(|b| self.list[b].parent);
                        low -= 1;
                        continue;
                    };
                    let region = &mut self.list[r];
                    if to != region.merge && !ends[to] {
                        region.leak = match region.leak {
                            Leak::None => Leak::To(to),
                            Leak::To(t) if t == to => Leak::To(to),
                            _ => Leak::Several,
                        };
                    }
                    a = region.parent;
                    high -= 1;
                }
            }
        }
    }
}

struct Maker<'f> {
    f: &'f Function,
    dom: DomTree,
    preds: CsrLists<Block, Block>,
    rs: Regions,
    uniform: Uniformity,
    /// Whether a region's merge is entered from inside alone, once asked.
    entered: SecondaryMap<RegionId, Option<bool>>,
}

impl Maker<'_> {
    /// Whether the merge of a region is entered from inside alone.
    fn entered_well(&mut self, r: RegionId) -> bool {
        if let Some(known) = self.entered[r] {
            return known;
        }
        let merge = self.rs.list[r].merge;
        // Entries of the merge from its own loop's back edge do not count: the join stands before that loop.
        let well = self.dom.is_reachable(merge)
            && self.preds[merge]
                .iter()
                .all(|&p| !self.dom.is_reachable(p) || self.dom.dominates(merge, p) || self.rs.left(p).any(|x| x == r));
        self.entered[r] = Some(well);
        well
    }

    /// Whether enough comes between the merges of two regions that lanes should meet at the inner one, if those that leave for
    /// the outer one take a `break` for it: another branch that parts them, or many instructions.
    fn worth(&self, inner: RegionId, outer: RegionId) -> bool {
        let (from, to) = (self.rs.list[inner].merge, self.rs.list[outer].merge);
        let mut left = WORTH;
        let mut blocks = vec![from];
        while let Some(b) = blocks.pop() {
            let length = self.f.blocks[b].insts.len();
            if length >= left || self.uniform.divergent_branch(self.f, b) {
                return true;
            }
            left -= length;
            blocks.extend(self.dom.children(b).filter(|&b| b != to));
        }
        false
    }

    /// Whether the lanes in a region meet at its merge, those aside that leave by `break` for a region around it, which is
    /// what is returned then.
    fn closes(&mut self, r: RegionId) -> Option<Option<RegionId>> {
        let Region { kind, leak, parent, .. } = self.rs.list[r];
        if kind == Kind::Loop {
            return Some(None);
        }
        if !self.entered_well(r) {
            return None;
        }
        match leak {
            Leak::None => Some(None),
            Leak::Several => None,
            Leak::To(t) => {
                let to = self.rs.around(parent).find(|&a| self.rs.list[a].merge == t)?;
                let by_loop = self.rs.list[to].kind == Kind::Loop;
                let shut = by_loop || self.rs.list[to].leak == Leak::None && self.entered_well(to);
                (shut && (by_loop || self.worth(r, to))).then_some(Some(to))
            }
        }
    }
}

/// The instructions between the end of a region and that of the one around it that repay to wait for one another.
const WORTH: usize = 8;

/// Makes the decisions for a function without calls.
pub fn plan(m: &Module, f: &Function) -> Plan {
    let dom = DomTree::new(f);
    let uniform = Uniformity::within(m, f, &dom);
    let preds = f.preds();
    let mut ends: SecondaryMap<Block, bool> = SecondaryMap::new();
    for &b in &f.layout {
        let data = &f.blocks[b];
        ends[b] = data.insts.len() == 1 && data.params.is_empty() && f.insts[data.insts[0]].op == Op::Ret;
    }
    let mut rs = Regions::new(f, &dom, &preds);
    rs.find_leaks(f, &ends);
    let mut mk = Maker { f, dom, preds, rs, uniform, entered: SecondaryMap::with_default(None) };
    let mut divergent: SecondaryMap<Block, bool> = SecondaryMap::new();
    let mut absorbed: SecondaryMap<RegionId, Vec<Block>> = SecondaryMap::new();
    // Regions with a branch whose entry only the end of its lanes pops.
    let mut loose: SecondaryMap<RegionId, bool> = SecondaryMap::new();
    let mut branches = 0;
    for &b in &f.layout {
        if !mk.dom.is_reachable(b) || !mk.uniform.divergent_branch(f, b) {
            continue;
        }
        divergent[b] = true;
        branches += (f.succs(b).len() as u32).max(2) - 1;
        let mut at = mk.rs.opened[b].or(mk.rs.of[b]);
        let mut found = None;
        while let (Some(r), None) = (at, found) {
            found = mk.closes(r).map(|to| (r, to));
            at = mk.rs.list[r].parent;
        }
        match found {
            Some((r, to)) if mk.rs.list[r].kind == Kind::Loop || !ends[mk.rs.list[r].merge] => {
                absorbed[r].push(b);
                if let Some(to) = to.filter(|&to| mk.rs.list[to].kind != Kind::Loop) {
                    mk.rs.list[to].by_break = true;
                }
            }
            _ => mk.rs.left(b).for_each(|r| loose[r] = true),
        }
    }
    decide(mk, divergent, &absorbed, &loose, branches)
}

/// Numbers joins and exits and puts them into their places.
fn decide(
    mut mk: Maker<'_>,
    divergent: SecondaryMap<Block, bool>,
    absorbed: &SecondaryMap<RegionId, Vec<Block>>,
    loose: &SecondaryMap<RegionId, bool>,
    branches: u32,
) -> Plan {
    let mut absorber: SecondaryMap<Block, u16> = SecondaryMap::new();
    let mut pushes: SecondaryMap<Block, Vec<Push>> = SecondaryMap::new();
    let mut join: SecondaryMap<Block, u16> = SecondaryMap::new();
    let mut latch: SecondaryMap<Block, u16> = SecondaryMap::new();
    let mut exit: SecondaryMap<Block, u16> = SecondaryMap::new();
    let mut exits_here: SecondaryMap<Block, Vec<u16>> = SecondaryMap::new();
    let mut pushed: SecondaryMap<RegionId, Option<Block>> = SecondaryMap::with_default(None);
    let mut depth: SecondaryMap<RegionId, u32> = SecondaryMap::new();
    let mut id = 0;
    let all: Vec<RegionId> = mk.rs.list.keys().collect();
    // A selection may end where the turn around it does: one join then, and none where one of them is left by `break`.
    let mut lists: SecondaryMap<RegionId, Vec<Block>> = SecondaryMap::new();
    for &k in &all {
        let same = |&a: &RegionId| mk.rs.list[a].merge == mk.rs.list[k].merge;
        if !mk.rs.around(Some(k)).filter(same).any(|a| mk.rs.list[a].by_break) {
            let meeting = mk.rs.around(Some(k)).filter(same).last().unwrap_or(k);
            lists[meeting].extend_from_slice(&absorbed[k]);
        }
    }
    for &k in &all {
        let Region { kind, header, merge, .. } = mk.rs.list[k];
        let list = &lists[k];
        // Lanes that leave by `break` wait for one another without a join.
        if mk.rs.list[k].by_break {
            id += 1;
            pushes[header].push(Push::Break(id));
            exits_here[merge].push(id);
            depth[k] += 1;
            continue;
        }
        let Some(first) = list.first() else { continue };
        id += 1;
        let mut at = list.iter().fold(*first, |at, &b| mk.dom.common(at, b));
        if kind == Kind::Loop {
            let back = |p: Block| mk.dom.is_reachable(p) && mk.dom.dominates(header, p);
            at = mk.preds[header].iter().filter(|&&p| back(p)).fold(at, |at, &p| mk.dom.common(at, p));
            latch[header] = id;
        } else {
            at = mk.dom.common(at, merge);
            join[merge] = id;
        }
        pushed[k] = Some(at);
        pushes[at].push(Push::Join(id));
        depth[k] += 1;
        for &b in list {
            absorber[b] = id;
        }
    }
    // Loops that are left by `break`: from a divergent branch, inside of a join, or with a branch that nothing joins.
    for &x in &mk.f.layout {
        if !mk.dom.is_reachable(x) {
            continue;
        }
        let Some(l) = mk.rs.left(x).find(|&r| mk.rs.list[r].kind == Kind::Loop) else { continue };
        let merge = mk.rs.list[l].merge;
        if mk.rs.list[l].by_break || !mk.f.succs(x).contains(&merge) {
            continue;
        }
        let joined = |r: RegionId| pushed[r].is_some_and(|at| mk.dom.dominates(at, x));
        let inside = |r: &RegionId| mk.rs.list[*r].depth >= mk.rs.list[l].depth;
        if divergent[x] || loose[l] || mk.rs.left(x).take_while(inside).any(joined) {
            id += 1;
            mk.rs.list[l].by_break = true;
            exit[mk.rs.list[l].header] = id;
            exits_here[merge].push(id);
            depth[l] += 1;
        }
    }
    // Nesting, and every branch that may be pending at once: each leaves at least one lane behind.
    let mut most = 0;
    for &k in &all {
        depth[k] += mk.rs.list[k].parent.map_or(0, |p| depth[p]);
        most = most.max(depth[k]);
    }
    let stack = most + branches.min(31);
    let (regions, uniform) = (mk.rs, mk.uniform);
    Plan { divergent, absorber, pushes, join, latch, exit, exits_here, stack, uniform, regions }
}
