//! Spilling before colouring: decides which values are in registers where, so that no point wants more than a limit.
//!
//! Per file and along its graph, after Braun and Hack ("Register Spilling and Live-Range Splitting for SSA-Form
//! Programs", 2009): blocks are walked in order with the set of values that are in registers; the value with the
//! farthest next use gives way; loop headers prefer what the loop uses. A value is stored at most once, right after its
//! definition, and loaded again under its own name: definitions need not be unique for the steps that follow.

use crate::live::Liveness;
use crate::problem::{BlockId, Cfg, Constraint, InstId, Problem, Role, Value};

/// What can be done with a value that has no register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SpillKind {
    /// Nothing: it keeps its register.
    No,
    /// It is stored after its definition and loaded before uses.
    Store,
    /// It is computed again before uses.
    Remat,
}

/// Where a reload goes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ReloadAt {
    /// At the start of a block.
    Start(BlockId),
    /// Right before an instruction.
    Before(InstId),
    /// At the end of a block, where the copies of its outgoing edge go.
    End(BlockId),
}

/// The answer.
#[derive(Clone, Debug, Default)]
pub struct SpillPlan {
    /// Values to store right after their definition, ascending.
    pub stores: Vec<Value>,
    /// Values to bring back, in the order found.
    pub reloads: Vec<(ReloadAt, Value)>,
}

/// Distance added to uses behind the exit of a loop.
const FAR: u32 = 1 << 20;
const NEVER: u32 = u32::MAX;

struct Spiller<'a> {
    p: &'a Problem,
    live: &'a Liveness,
    limits: &'a [u32],
    kinds: &'a [SpillKind],
    all: bool,
    depth: Vec<u32>,
    /// Last block of the loop of each header.
    loop_end: Vec<Option<BlockId>>,
    /// Distance from the start of the block to the next use, parallel to the live-in lists.
    dist_in: Vec<Vec<u32>>,
    /// Next use after each use operand, in instructions from the start of its block.
    next_after: Vec<u32>,
    /// Peak pressure of each block, per file.
    peak: Vec<Vec<u32>>,
    /// Values in registers now, per file.
    set: Vec<Vec<Value>>,
    units: Vec<u32>,
    inside: Vec<bool>,
    next: Vec<u32>,
    entry: Vec<Vec<Value>>,
    exit: Vec<Vec<Value>>,
    plan: SpillPlan,
    reloaded: Vec<bool>,
}

/// Plans spills so that each file stays within its limit; with `all`, after every instruction nothing that can be
/// spilled stays in a register. Files whose limit is `u32::MAX` are left alone.
pub fn plan_spills(p: &Problem, live: &Liveness, limits: &[u32], kinds: &[SpillKind], all: bool) -> SpillPlan {
    let n = p.values.len();
    let (depth, loop_end) = loops(p);
    let mut s = Spiller {
        p,
        live,
        limits,
        kinds,
        all,
        depth,
        loop_end,
        dist_in: live.live_in.iter().map(|l| vec![NEVER; l.len()]).collect(),
        next_after: vec![NEVER; p.operands.len()],
        peak: crate::block_pressure(p, live),
        set: vec![Vec::new(); p.files.len()],
        units: vec![0; p.files.len()],
        inside: vec![false; n],
        next: vec![NEVER; n],
        entry: vec![Vec::new(); p.blocks.len()],
        exit: vec![Vec::new(); p.blocks.len()],
        plan: SpillPlan::default(),
        reloaded: vec![false; n],
    };
    s.distances();
    for b in 0..p.blocks.len() as BlockId {
        s.block(b);
    }
    s.edges();
    s.plan.stores = (0..n as u32)
        .map(Value)
        .filter(|v| s.reloaded[v.0 as usize] && kinds[v.0 as usize] == SpillKind::Store)
        .collect();
    s.plan
}

/// Loop depth of each block and the last block of the loop of each header: back edges span intervals of the order.
fn loops(p: &Problem) -> (Vec<u32>, Vec<Option<BlockId>>) {
    let n = p.blocks.len();
    let mut end: Vec<Option<BlockId>> = vec![None; n];
    for (b, block) in p.blocks.iter().enumerate() {
        for e in block.logical.iter().chain(block.linear.iter().flatten()) {
            if e.to as usize <= b {
                end[e.to as usize] = end[e.to as usize].max(Some(b as BlockId));
            }
        }
    }
    let mut change = vec![0i32; n + 1];
    for (h, e) in end.iter().enumerate() {
        if let Some(e) = e {
            change[h] += 1;
            change[*e as usize + 1] -= 1;
        }
    }
    let mut now = 0;
    let depth = change[..n].iter().map(|c| {
        now += c;
        now as u32
    });
    (depth.collect(), end)
}

impl Spiller<'_> {
    fn managed(&self, v: Value) -> bool {
        self.limits[self.p.file(v) as usize] != u32::MAX
    }

    fn size(&self, v: Value) -> u32 {
        self.p.shape(v).units as u32
    }

    /// Next-use distances, backwards; twice, so that back edges see the loop.
    fn distances(&mut self) {
        let (p, live) = (self.p, self.live);
        let mut next = vec![NEVER; p.values.len()];
        for _ in 0..2 {
            for b in (0..p.blocks.len() as BlockId).rev() {
                let block = &p.blocks[b as usize];
                let len = block.insts.len() as u32;
                live.for_live_out(p, b, |v| next[v.0 as usize] = NEVER);
                for cfg in [Cfg::Logical, Cfg::Linear] {
                    for e in block.succs(cfg) {
                        let leaves = self.depth[e.to as usize] < self.depth[b as usize];
                        let extra = len + if leaves { FAR } else { 0 };
                        for (&v, &d) in live.live_in[e.to as usize].iter().zip(&self.dist_in[e.to as usize]) {
                            if p.cfg(v) == cfg {
                                let d = d.saturating_add(extra);
                                next[v.0 as usize] = next[v.0 as usize].min(d);
                            }
                        }
                    }
                }
                crate::live::for_args(p, b, |v| next[v.0 as usize] = next[v.0 as usize].min(len));
                for i in block.insts.clone().rev() {
                    let base = p.insts[i as usize].operands.start as usize;
                    let ops = p.operands(i);
                    for (k, o) in ops.iter().enumerate() {
                        self.next_after[base + k] = next[o.value.0 as usize];
                    }
                    for o in ops.iter().filter(|o| o.role != Role::Use) {
                        next[o.value.0 as usize] = NEVER;
                    }
                    for o in ops.iter().filter(|o| o.role == Role::Use) {
                        next[o.value.0 as usize] = i - block.insts.start;
                    }
                }
                for (d, &v) in self.dist_in[b as usize].iter_mut().zip(&live.live_in[b as usize]) {
                    *d = next[v.0 as usize];
                }
                for &v in &live.live_in[b as usize] {
                    next[v.0 as usize] = NEVER;
                }
            }
        }
    }

    fn add(&mut self, v: Value, next: u32) {
        self.next[v.0 as usize] = next;
        if !self.inside[v.0 as usize] {
            self.inside[v.0 as usize] = true;
            let f = self.p.file(v) as usize;
            self.set[f].push(v);
            self.units[f] += self.size(v);
        }
    }

    fn drop_value(&mut self, v: Value) {
        if std::mem::take(&mut self.inside[v.0 as usize]) {
            let f = self.p.file(v) as usize;
            self.set[f].retain(|&w| w != v);
            self.units[f] -= self.size(v);
        }
    }

    fn reload(&mut self, at: ReloadAt, v: Value) {
        self.reloaded[v.0 as usize] = true;
        self.plan.reloads.push((at, v));
    }

    /// Evicts until `extra` more units fit into `file`; values of `keep` stay.
    fn make_room(&mut self, file: usize, extra: u32, keep: &[Value]) {
        while self.units[file] + extra > self.limits[file] {
            let farthest = self.set[file]
                .iter()
                .copied()
                .filter(|v| self.kinds[v.0 as usize] != SpillKind::No && !keep.contains(v))
                .max_by_key(|v| (self.next[v.0 as usize], self.kinds[v.0 as usize] == SpillKind::Remat, v.0));
            let Some(v) = farthest else { return };
            self.drop_value(v);
        }
    }

    /// Which live-in values begin the block in registers.
    fn enter(&mut self, b: BlockId) {
        let (p, live) = (self.p, self.live);
        let mut room: Vec<i64> = self.limits.iter().map(|&l| l as i64).collect();
        for &v in p.blocks[b as usize].params.iter().filter(|v| !live.dead_param[v.0 as usize]) {
            room[p.file(v) as usize] -= self.size(v) as i64;
        }
        for cfg in [Cfg::Logical, Cfg::Linear] {
            if !p.files.iter().any(|f| f.cfg == cfg) {
                continue;
            }
            // How many of the earlier predecessors hold each value.
            let preds = &live.preds(cfg)[b as usize];
            let done = preds.iter().filter(|&&q| q < b).count();
            let mut count = vec![0u32; 0];
            if done > 0 {
                count = live.live_in[b as usize].iter().map(|_| 0).collect();
                for &q in preds.iter().filter(|&&q| q < b) {
                    for &v in &self.exit[q as usize] {
                        self.inside[v.0 as usize] = true;
                    }
                    for (c, &v) in count.iter_mut().zip(&live.live_in[b as usize]) {
                        *c += self.inside[v.0 as usize] as u32;
                    }
                    for &v in &self.exit[q as usize] {
                        self.inside[v.0 as usize] = false;
                    }
                }
            }
            let header = self.loop_end[b as usize];
            let mut wanted: Vec<(u32, u32, Value)> = Vec::new();
            for (k, &v) in live.live_in[b as usize].iter().enumerate() {
                if p.cfg(v) != cfg || !self.managed(v) {
                    continue;
                }
                let (have, d) = (count.get(k).copied().unwrap_or(0), self.dist_in[b as usize][k]);
                // In order: what cannot be anywhere else; what all predecessors hold (or the loop uses); what some do.
                let through = header.is_some() && d >= FAR;
                let class = match () {
                    () if self.kinds[v.0 as usize] == SpillKind::No => 0,
                    () if self.all || have == 0 && header.is_none() => continue,
                    () if through && have == 0 => continue,
                    () if through => 2,
                    () if header.is_some() || have as usize == done => 1,
                    () if d >= FAR => continue,
                    () => 3,
                };
                wanted.push((class, d, v));
            }
            wanted.sort_unstable();
            // Room that a loop leaves for values that merely live through it.
            let mut spare: Vec<i64> = room.clone();
            if let Some(end) = header {
                for (f, s) in spare.iter_mut().enumerate() {
                    let peak = (b..=end).map(|x| self.peak[x as usize][f]).max().unwrap_or(0) as i64;
                    let through: i64 = wanted
                        .iter()
                        .filter(|w| w.0 == 2 && p.file(w.2) as usize == f)
                        .map(|w| self.size(w.2) as i64)
                        .sum();
                    let all_through: i64 = live.live_in[b as usize]
                        .iter()
                        .zip(&self.dist_in[b as usize])
                        .filter(|&(&v, &d)| d >= FAR && p.file(v) as usize == f)
                        .map(|(&v, _)| self.size(v) as i64)
                        .sum();
                    *s = (self.limits[f] as i64 - (peak - all_through.max(through))).max(0);
                }
            }
            for (class, d, v) in wanted {
                let f = p.file(v) as usize;
                let size = self.size(v) as i64;
                if class != 0 && (room[f] < size || class == 2 && spare[f] < size) {
                    continue;
                }
                room[f] -= size;
                if class == 2 {
                    spare[f] -= size;
                }
                self.entry[b as usize].push(v);
                self.next[v.0 as usize] = d;
            }
        }
    }

    fn block(&mut self, b: BlockId) {
        let (p, live) = (self.p, self.live);
        for f in 0..self.set.len() {
            for v in std::mem::take(&mut self.set[f]) {
                self.inside[v.0 as usize] = false;
            }
            self.units[f] = 0;
        }
        self.enter(b);
        for v in self.entry[b as usize].clone() {
            let d = self.next[v.0 as usize];
            self.add(v, d);
        }
        for &v in &p.blocks[b as usize].params {
            if self.managed(v) && !live.dead_param[v.0 as usize] {
                self.add(v, 0);
            }
        }
        if self.all {
            self.evict_all();
        }
        let block = &p.blocks[b as usize];
        for i in block.insts.clone() {
            self.inst(i);
        }
        // Arguments must be in registers on their edge.
        let mut args: Vec<Value> = Vec::new();
        crate::live::for_args(p, b, |v| args.push(v));
        args.sort_unstable();
        args.dedup();
        args.retain(|&v| self.managed(v));
        for &v in &args {
            if !self.inside[v.0 as usize] {
                let f = p.file(v) as usize;
                self.make_room(f, self.size(v), &args);
                self.reload(ReloadAt::End(b), v);
                self.add(v, block.insts.len() as u32);
            }
        }
        self.exit[b as usize] = self.set.iter().flatten().copied().collect();
    }

    fn evict_all(&mut self) {
        for f in 0..self.set.len() {
            for v in self.set[f].clone() {
                if self.kinds[v.0 as usize] != SpillKind::No {
                    self.drop_value(v);
                }
            }
        }
    }

    fn inst(&mut self, i: InstId) {
        let p = self.p;
        let ops = p.operands(i);
        let base = p.insts[i as usize].operands.start as usize;
        let last = |k: usize| self.live.last[base + k];
        let mut keep: Vec<Value> = Vec::new();
        // Units that only the reading moment needs (copies for ties and fixed places, early definitions), and only the
        // writing moment (clobbered places).
        let mut reading = vec![0u32; p.files.len()];
        let mut writing = vec![0u32; p.files.len()];
        for (k, o) in ops.iter().enumerate() {
            let f = p.file(o.value) as usize;
            let size = p.shape(o.value).units as u32;
            match o.role {
                Role::Use => {
                    keep.push(o.value);
                    if matches!(o.constraint, Constraint::Fixed(_)) && !last(k) {
                        reading[f] += size;
                    }
                }
                Role::EarlyDef => reading[f] += size,
                Role::Def => {}
            }
            if o.role != Role::Use {
                writing[f] += size;
                if let Constraint::Tied(t) = o.constraint
                    && !last(t as usize)
                {
                    reading[f] += size;
                }
            }
        }
        for &(f, place) in p.clobbers(i) {
            writing[f as usize] += place.set().intersect(&p.files[f as usize].budget).len();
        }
        for (k, o) in ops.iter().enumerate() {
            if o.role == Role::Use && self.managed(o.value) {
                if !self.inside[o.value.0 as usize] {
                    self.reload(ReloadAt::Before(i), o.value);
                }
                let next = self.next_after[base + k];
                self.add(o.value, next);
            }
        }
        for (f, &r) in reading.iter().enumerate() {
            if self.limits[f] != u32::MAX {
                self.make_room(f, r, &keep);
            }
        }
        for (k, o) in ops.iter().enumerate() {
            if o.role == Role::Use && self.live.last[base + k] {
                self.drop_value(o.value);
            }
        }
        for (f, &w) in writing.iter().enumerate() {
            if self.limits[f] != u32::MAX {
                self.make_room(f, w, &[]);
            }
        }
        for (k, o) in ops.iter().enumerate() {
            if o.role != Role::Use && !self.live.last[base + k] && self.managed(o.value) {
                let next = self.next_after[base + k];
                self.add(o.value, next);
            }
        }
        if self.all {
            self.evict_all();
        }
    }

    /// Reloads on edges what the target block expects and the source does not hold.
    fn edges(&mut self) {
        let p = self.p;
        for b in 0..p.blocks.len() as BlockId {
            let block = &p.blocks[b as usize];
            for v in self.exit[b as usize].clone() {
                self.inside[v.0 as usize] = true;
            }
            for cfg in [Cfg::Logical, Cfg::Linear] {
                let single = block.succs(cfg).len() == 1;
                for e in block.succs(cfg) {
                    for v in self.entry[e.to as usize].clone() {
                        if p.cfg(v) == cfg && !self.inside[v.0 as usize] {
                            let at = if single { ReloadAt::End(b) } else { ReloadAt::Start(e.to) };
                            self.reload(at, v);
                        }
                    }
                }
            }
            for v in self.exit[b as usize].clone() {
                self.inside[v.0 as usize] = false;
            }
        }
    }
}
