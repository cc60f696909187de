//! Spilling before colouring: decides which values are in registers where, so that no point wants more than a limit.
//!
//! Per file and along its graph, after Braun and Hack ("Register Spilling and Live-Range Splitting for SSA-Form
//! Programs", 2009): blocks are walked in order with the set of values that are in registers; the value with the
//! farthest next use gives way; loop headers prefer what the loop uses. A value is stored at most once, right after its
//! definition, and loaded again under its own name: definitions need not be unique for the steps that follow.
//!
//! A block parameter for which there is no room begins its block in memory: it is no parameter any more, the edges store
//! its arguments where it lives (see [`crate::webs`]), and it is loaded like any other value. So whatever the sum of the
//! parameters, of the values that live through a block and of those that live through a loop: what has to fit is what
//! one instruction names.

use std::collections::BinaryHeap;

use smallvec::SmallVec;

use crate::live::Liveness;
use crate::problem::{BlockId, Cfg, Constraint, FileId, InstId, Problem, Role, Value};
use crate::spill_plan::{ReloadAt, SpillKind, SpillPlan};
use crate::webs::{MemoryCopy, RawEdge};

/// Distance added to uses behind the exit of a loop.
const FAR: u32 = 1 << 20;
const NEVER: u32 = u32::MAX;

/// How much nearer a value that can be computed again may be used and still give way before one that must be loaded.
const REMAT_FACTOR: u32 = 4;

/// Who gives way: what is used last, and of those that are used at once what can be computed again, or is in memory already
/// and costs no further store.
type Rank = (u32, bool, bool, u32);

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
    /// Distance from the start of its block to the first use of each parameter.
    dist_param: Vec<u32>,
    /// Next use after each operand, in instructions from the start of its block.
    next_after: Vec<u32>,
    /// Most units of a parameter by block and file, where parameters and live-in values exceed the limit; else 0.
    reserve: Vec<Vec<u32>>,
    /// Values in registers now, per file, in no order.
    set: Vec<Vec<Value>>,
    /// Where each of them is there.
    place: Vec<u32>,
    /// Per file, who gives way first, greatest first. May hold values that are gone or were used since: their rank is
    /// another now.
    order: Vec<BinaryHeap<Rank>>,
    units: Vec<u32>,
    inside: Vec<bool>,
    next: Vec<u32>,
    entry: Vec<Vec<Value>>,
    exit: Vec<Vec<Value>>,
    in_memory: Vec<bool>,
    reloads: Vec<(ReloadAt, Value)>,
    edges: Vec<RawEdge>,
    reloaded: Vec<bool>,
    /// How often the block at hand runs, by guess.
    weight: u64,
    /// How often the last definition of each value runs.
    defined: Vec<u64>,
    /// Executed loads and stores so far, by that guess, but for those of edges.
    cost: u64,
}

/// Plans spills so that each file stays within its limit; with `all`, after every instruction nothing that can be
/// spilled stays in a register. Files whose limit is `u32::MAX` are left alone. Values count as many units as they may
/// cost with their alignment.
///
/// None where loads and stores of spilled values are seen to be executed more than `most` times, by [`weights`]; what edges take is not all seen.
pub fn plan_spills(
    p: &Problem,
    live: &Liveness,
    limits: &[u32],
    kinds: &[SpillKind],
    (all, most): (bool, u64),
) -> Option<SpillPlan> {
    let n = p.value_count();
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
        dist_param: vec![NEVER; n],
        next_after: vec![NEVER; p.operands.len()],
        reserve: Vec::new(),
        set: vec![Vec::new(); p.files.len()],
        place: vec![0; n],
        order: vec![BinaryHeap::new(); p.files.len()],
        units: vec![0; p.files.len()],
        inside: vec![false; n],
        next: vec![NEVER; n],
        entry: vec![Vec::new(); p.blocks.len()],
        exit: vec![Vec::new(); p.blocks.len()],
        in_memory: vec![false; n],
        reloads: Vec::new(),
        edges: Vec::new(),
        reloaded: vec![false; n],
        weight: 1,
        defined: vec![0; n],
        cost: 0,
    };
    s.distances();
    s.reserves();
    for b in 0..p.blocks.len() as BlockId {
        s.weight = weight_in(s.depth[b as usize]);
        s.block(b, most);
        if s.cost > most {
            return None;
        }
    }
    s.edges();
    let values = || (0..n as u32).map(Value);
    let store = |v: &Value| kinds[v.index()] == SpillKind::Store;
    let mut plan = SpillPlan {
        stores: values().filter(|v| s.reloaded[v.index()] && !s.in_memory[v.index()] && store(v)).collect(),
        // Nothing has to bring arguments to a parameter that nobody reads.
        memory: values().filter(|v| s.in_memory[v.index()] || live.dead_param[v.index()] && s.managed(*v)).collect(),
        reloads: s.reloads,
        ..SpillPlan::default()
    };
    plan.reloads.sort_by_key(|r| r.0);
    let edges = s.edges;
    crate::webs::place(p, live, kinds, &edges, &mut plan);
    Some(plan)
}

/// Stores that a plan takes at least, from the peaks alone: what has no register there and is not computed again was stored. Too many only
/// where parameters begin in memory that nobody reads, or that get nothing.
pub fn least_stores(p: &Problem, live: &Liveness, limits: &[u32], kinds: &[SpillKind]) -> u64 {
    let over = limits.iter().zip(&live.peaks).zip(0..).filter(|((limit, peak), _)| peak.units > **limit);
    over.map(|((&limit, peak), file)| {
        let mut alive = vec![false; p.value_count()];
        // Those that stay in registers whatever else does.
        let mut stays = alive.clone();
        live.for_live_out(p, peak.block, |v| alive[v.index()] = true);
        let block = &p.blocks[peak.block as usize];
        let end = block.insts.end - block.terminators.min(block.insts.end - block.insts.start);
        if peak.inst.is_none_or(|at| at >= end) {
            crate::live::for_args(p, peak.block, |v| stays[v.index()] = true);
            (end..block.insts.end).flat_map(|i| p.operands(i)).for_each(|o| stays[o.value.index()] = true);
        }
        let Some(at) = peak.inst else { return stores(p, kinds, (&alive, &stays), file, limit) };
        for i in (at..block.insts.end).rev() {
            let (uses, defs) = p.uses_and_defs(i);
            if i == at {
                // What is read may give way to what is written.
                for o in defs {
                    (alive[o.value.index()], stays[o.value.index()]) = (true, true);
                }
                let writing = stores(p, kinds, (&alive, &stays), file, limit);
                defs.iter().filter(|o| o.role == Role::Def).for_each(|o| alive[o.value.index()] = false);
                for o in uses {
                    (alive[o.value.index()], stays[o.value.index()]) = (true, true);
                }
                return writing.max(stores(p, kinds, (&alive, &stays), file, limit));
            }
            defs.iter().for_each(|o| alive[o.value.index()] = false);
            uses.iter().for_each(|o| alive[o.value.index()] = true);
        }
        0
    })
    .sum()
}

/// The values of a file that must have been stored where some are alive at once, of which some stay in registers.
fn stores(p: &Problem, kinds: &[SpillKind], (alive, stays): (&[bool], &[bool]), file: FileId, limit: u32) -> u64 {
    let (mut all, mut again, mut stored, mut widest) = (0, 0, 0, 1);
    for v in (0..).map(Value).zip(alive).filter(|(v, alive)| **alive && p.file(*v) == file).map(|(v, _)| v) {
        let units = u32::from(p.shape(v).units);
        all += units;
        match kinds[v.index()] {
            _ if stays[v.index()] => {}
            SpillKind::No => {}
            SpillKind::Remat => again += units,
            SpillKind::Store => (stored, widest) = (stored + units, widest.max(units)),
        }
    }
    let beyond = all.saturating_sub(limit.saturating_add(again)).min(stored);
    u64::from(beyond.div_ceil(widest))
}

/// Loop depth of each block and the last block of the loop of each header: back edges span intervals of the order.
pub(crate) fn loops(p: &Problem) -> (Vec<u32>, Vec<Option<BlockId>>) {
    let n = p.blocks.len();
    let mut end: Vec<Option<BlockId>> = vec![None; n];
    for b in 0..n {
        for e in [Cfg::Logical, Cfg::Linear].into_iter().flat_map(|cfg| p.succs(b as BlockId, cfg)) {
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

/// How often each block may run, by its loops: 8 times for each loop around it.
pub fn weights(p: &Problem) -> Vec<u64> {
    loops(p).0.iter().map(|&d| weight_in(d)).collect()
}

/// How often a block may run that so many loops are around.
fn weight_in(depth: u32) -> u64 {
    1 << (3 * depth.min(8))
}

/// A value that might begin a block in registers.
struct Candidate {
    /// 0 must; 1 costs nothing or is used soon; 2 lives through a loop; 3 some predecessors hold it.
    class: u32,
    distance: u32,
    value: Value,
}

impl Spiller<'_> {
    fn managed(&self, v: Value) -> bool {
        self.limits[self.p.file(v) as usize] != u32::MAX
    }

    fn size(&self, v: Value) -> u32 {
        self.p.weight(v)
    }

    /// Parameters of a block that something reads, in files that are spilled.
    fn params(&self, b: BlockId) -> impl Iterator<Item = Value> + '_ {
        let live = |v: &Value| !self.live.dead_param[v.index()] && self.managed(*v);
        self.p.params(b).iter().copied().filter(live)
    }

    /// Next-use distances, backwards; twice, so that back edges see the loop.
    fn distances(&mut self) {
        let (p, live) = (self.p, self.live);
        let mut next = vec![NEVER; p.value_count()];
        for _ in 0..2 {
            for b in (0..p.blocks.len() as BlockId).rev() {
                let block = &p.blocks[b as usize];
                let len = block.insts.len() as u32;
                live.for_live_out(p, b, |v| next[v.index()] = NEVER);
                for cfg in [Cfg::Logical, Cfg::Linear] {
                    for e in p.succs(b, cfg) {
                        let leaves = self.depth[e.to as usize] < self.depth[b as usize];
                        let extra = len + if leaves { FAR } else { 0 };
                        for (&v, &d) in live.live_in[e.to as usize].iter().zip(&self.dist_in[e.to as usize]) {
                            if p.cfg(v) == cfg {
                                let d = d.saturating_add(extra);
                                next[v.index()] = next[v.index()].min(d);
                            }
                        }
                        for (&a, &q) in e.args.iter().zip(p.params(e.to)) {
                            if p.cfg(q) == cfg && !a.is_none() {
                                let d = self.dist_param[q.index()].saturating_add(extra);
                                next[a.index()] = next[a.index()].min(d);
                            }
                        }
                    }
                }
                for i in block.insts.clone().rev() {
                    let base = p.first_operand(i);
                    let ops = p.operands(i);
                    for (after, o) in self.next_after[base..].iter_mut().zip(ops) {
                        *after = next[o.value.index()];
                    }
                    let (uses, defs) = p.uses_and_defs(i);
                    for o in defs {
                        next[o.value.index()] = NEVER;
                    }
                    for o in uses {
                        next[o.value.index()] = i - block.insts.start;
                    }
                }
                for &v in p.params(b) {
                    self.dist_param[v.index()] = std::mem::replace(&mut next[v.index()], NEVER);
                }
                for (d, &v) in self.dist_in[b as usize].iter_mut().zip(&live.live_in[b as usize]) {
                    *d = std::mem::replace(&mut next[v.index()], NEVER);
                }
            }
        }
    }

    /// Where parameters may have to begin in memory, copies from memory to memory need a register in between.
    fn reserves(&mut self) {
        let p = self.p;
        for b in 0..p.blocks.len() as BlockId {
            let mut sum = vec![0u32; p.files.len()];
            let mut most = vec![0u32; p.files.len()];
            for v in self.params(b) {
                let f = p.file(v) as usize;
                sum[f] += self.size(v);
                if self.kinds[v.index()] == SpillKind::Store {
                    most[f] = most[f].max(self.size(v));
                }
            }
            if most.iter().any(|&m| m > 0) {
                for &v in self.live.live_in[b as usize].iter() {
                    sum[p.file(v) as usize] += self.size(v);
                }
                for f in 0..sum.len() {
                    if sum[f] <= self.limits[f] && !self.all {
                        most[f] = 0;
                    }
                }
            }
            self.reserve.push(most);
        }
    }

    fn add(&mut self, v: Value, next: u32) {
        self.next[v.index()] = next;
        let f = self.p.file(v) as usize;
        if !self.inside[v.index()] {
            self.inside[v.index()] = true;
            self.place[v.index()] = self.set[f].len() as u32;
            self.set[f].push(v);
            self.units[f] += self.size(v);
        }
        if self.kinds[v.index()] != SpillKind::No {
            let rank = self.rank(v);
            self.order[f].push(rank);
        }
    }

    fn drop_value(&mut self, v: Value) {
        if std::mem::take(&mut self.inside[v.index()]) {
            let f = self.p.file(v) as usize;
            let at = self.place[v.index()] as usize;
            self.set[f].swap_remove(at);
            if let Some(moved) = self.set[f].get(at) {
                self.place[moved.index()] = at as u32;
            }
            self.units[f] -= self.size(v);
        }
    }

    fn rank(&self, v: Value) -> Rank {
        let (next, remat) = (self.next[v.index()], self.kinds[v.index()] == SpillKind::Remat);
        let far = if remat { next.saturating_mul(REMAT_FACTOR) } else { next };
        (far, remat, self.in_memory[v.index()] || self.reloaded[v.index()], v.0)
    }

    fn reload(&mut self, at: ReloadAt, v: Value) {
        let known = std::mem::replace(&mut self.reloaded[v.index()], true);
        self.reloads.push((at, v));
        if self.kinds[v.index()] != SpillKind::Remat {
            self.cost += self.weight;
            if !known && !self.in_memory[v.index()] {
                self.cost += self.defined[v.index()];
            }
        }
    }

    /// Evicts until `extra` more units fit into `file`; values of `keep` stay.
    fn make_room(&mut self, file: usize, extra: u32, keep: &[Value]) {
        let mut kept: SmallVec<[Rank; 4]> = SmallVec::new();
        while self.units[file].saturating_add(extra) > self.limits[file] {
            let Some(rank) = self.order[file].pop() else { break };
            let v = Value(rank.3);
            if !self.inside[v.index()] || self.rank(v) != rank {
                continue;
            }
            if keep.contains(&v) {
                kept.push(rank);
            } else {
                self.drop_value(v);
            }
        }
        self.order[file].extend(kept);
    }

    /// Counts, for each live-in value, then each parameter, of `cfg`: how many of the earlier predecessors hold it or its argument.
    fn held(&mut self, b: BlockId, cfg: Cfg, params: &[(usize, Value)]) -> (usize, Vec<u32>, Vec<u32>) {
        let (p, live) = (self.p, self.live);
        let mut done = 0;
        let mut have = vec![0u32; live.live_in[b as usize].len()];
        let mut have_arg = vec![0u32; params.len()];
        for &q in live.preds(cfg)[b as usize].iter().filter(|&&q| q < b) {
            done += 1;
            for v in &self.exit[q as usize] {
                self.inside[v.index()] = true;
            }
            for (c, &v) in have.iter_mut().zip(&live.live_in[b as usize]) {
                *c += u32::from(self.inside[v.index()]);
            }
            if let Some(e) = p.succs(q, cfg).find(|e| e.to == b) {
                for (c, &(k, _)) in have_arg.iter_mut().zip(params) {
                    *c += u32::from(e.args.get(k).is_some_and(|a| !a.is_none() && self.inside[a.index()]));
                }
            }
            for v in &self.exit[q as usize] {
                self.inside[v.index()] = false;
            }
        }
        (done, have, have_arg)
    }

    /// Which live-in values and parameters begin the block in registers.
    fn enter(&mut self, b: BlockId) {
        let (p, live) = (self.p, self.live);
        let reserve = self.reserve[b as usize].clone();
        let mut room: Vec<i64> = self.limits.iter().zip(&reserve).map(|(&l, &r)| i64::from(l) - i64::from(r)).collect();
        let params: Vec<Value> = self.params(b).collect();
        for cfg in [Cfg::Logical, Cfg::Linear] {
            if !p.files.iter().any(|f| f.cfg == cfg) {
                continue;
            }
            let wants = |v: Value| p.cfg(v) == cfg && !live.dead_param[v.index()] && self.managed(v);
            let mine: Vec<(usize, Value)> =
                p.params(b).iter().copied().enumerate().filter(|&(_, v)| wants(v)).collect();
            let (done, have, have_arg) = self.held(b, cfg, &mine);
            let header = self.loop_end[b as usize].is_some();
            // Edges from a block with several successors have no place of their own for loads.
            let late = live.preds(cfg)[b as usize].first().is_some_and(|&q| p.succs(q, cfg).len() > 1);
            let mut wanted: Vec<Candidate> = Vec::new();
            let mut through = vec![0i64; p.files.len()];
            let mut consider = |s: &Self, v: Value, d: u32, have: u32, param: bool| {
                let f = p.file(v) as usize;
                let far = d >= FAR;
                if header && far {
                    through[f] += i64::from(s.size(v));
                }
                let class = match () {
                    () if s.kinds[v.index()] == SpillKind::No => 0,
                    () if s.all => return,
                    () if param && reserve[f] == 0 => 0,
                    () if param && late && (have as usize) < done => return,
                    () if have == 0 && !header => return,
                    () if header && far && have == 0 => return,
                    () if header && far => 2,
                    () if header || have as usize == done => 1,
                    () if far => return,
                    () => 3,
                };
                wanted.push(Candidate { class, distance: d, value: v });
            };
            for (k, &v) in live.live_in[b as usize].iter().enumerate() {
                if p.cfg(v) == cfg && self.managed(v) {
                    consider(self, v, self.dist_in[b as usize][k], have[k], false);
                }
            }
            for (&(_, v), &have) in mine.iter().zip(&have_arg) {
                consider(self, v, self.dist_param[v.index()], have, true);
            }
            wanted.sort_unstable_by_key(|c| (c.class, c.distance, c.value));
            // Room that a loop leaves for values that merely live through it.
            let mut spare = room.clone();
            if let Some(end) = self.loop_end[b as usize] {
                for (f, s) in spare.iter_mut().enumerate() {
                    let peak = (b..=end).map(|x| self.live.block_units(x, f)).max().unwrap_or(0);
                    *s = (i64::from(self.limits[f]) - (i64::from(peak) - through[f])).max(0);
                }
            }
            for Candidate { class, distance, value } in wanted {
                let f = p.file(value) as usize;
                let size = i64::from(self.size(value));
                if class != 0 && (room[f] < size || class == 2 && spare[f] < size) {
                    continue;
                }
                room[f] -= size;
                if class == 2 {
                    spare[f] -= size;
                }
                self.entry[b as usize].push(value);
                self.next[value.index()] = distance;
            }
        }
        for &v in &self.entry[b as usize] {
            self.inside[v.index()] = true;
        }
        for &v in &params {
            self.in_memory[v.index()] = !self.inside[v.index()];
            self.defined[v.index()] = self.weight;
        }
        for &v in &self.entry[b as usize] {
            self.inside[v.index()] = false;
        }
    }

    /// One block; what it leaves has no meaning once it costs more than `most`.
    fn block(&mut self, b: BlockId, most: u64) {
        let p = self.p;
        for f in 0..self.set.len() {
            for v in std::mem::take(&mut self.set[f]) {
                self.inside[v.index()] = false;
            }
            self.order[f].clear();
            self.units[f] = 0;
        }
        self.enter(b);
        for v in self.entry[b as usize].clone() {
            let d = self.next[v.index()];
            self.add(v, d);
        }
        if self.all {
            self.evict_all();
        }
        let block = &p.blocks[b as usize];
        let first = block.insts.end - block.terminators.min(block.insts.end - block.insts.start);
        for i in block.insts.start..first {
            self.inst(i);
            if self.all {
                self.evict_all();
            }
            if self.cost > most {
                return;
            }
        }
        // Nothing comes between terminators: what any of them reads is there before the first.
        let reads: Vec<Value> = (first..block.insts.end)
            .flat_map(|i| p.operands(i))
            .filter(|o| o.role == Role::Use && self.managed(o.value))
            .map(|o| o.value)
            .collect();
        for &v in &reads {
            if !self.inside[v.index()] {
                self.make_room(p.file(v) as usize, self.size(v), &reads);
                self.reload(ReloadAt::Before(first), v);
                self.add(v, first - block.insts.start);
            }
        }
        for i in first..block.insts.end {
            self.inst(i);
        }
        if self.all {
            self.evict_all();
        }
        for cfg in [Cfg::Logical, Cfg::Linear] {
            let several = p.succs(b, cfg).len() > 1;
            for e in p.succs(b, cfg) {
                let params = p.params(e.to);
                if several {
                    // No place on the edge for loads: arguments are in registers at the end of the block.
                    let args: Vec<Value> = e
                        .args
                        .iter()
                        .zip(params)
                        .filter(|(a, q)| p.cfg(**q) == cfg && !a.is_none() && self.managed(**a))
                        .filter(|(_, q)| self.reserve[e.to as usize][p.file(**q) as usize] == 0)
                        .map(|(a, _)| *a)
                        .collect();
                    for &v in &args {
                        if !self.inside[v.index()] {
                            self.make_room(p.file(v) as usize, self.size(v), &args);
                            self.reload(ReloadAt::End(b), v);
                            self.add(v, block.insts.len() as u32);
                        }
                    }
                }
                for f in 0..p.files.len() {
                    let reserve = self.reserve[e.to as usize][f];
                    if reserve > 0 && p.files[f].cfg == cfg {
                        self.make_room(f, reserve, &[]);
                    }
                }
            }
        }
        self.exit[b as usize] = self.set.iter().flatten().copied().collect();
    }

    fn evict_all(&mut self) {
        for f in 0..self.set.len() {
            for v in self.set[f].clone() {
                if self.kinds[v.index()] != SpillKind::No {
                    self.drop_value(v);
                }
            }
        }
    }

    fn inst(&mut self, i: InstId) {
        let p = self.p;
        let (uses, defs) = p.uses_and_defs(i);
        let base = p.first_operand(i);
        let last_use = &self.live.last[base..][..uses.len()];
        let keep: SmallVec<[Value; 8]> = uses.iter().map(|o| o.value).collect();
        // Units that only the reading moment needs (copies for ties and fixed places, early definitions), and only the
        // writing moment (clobbered places).
        let mut reading: SmallVec<[u32; 4]> = SmallVec::from_elem(0, p.files.len());
        let mut writing = reading.clone();
        for (o, &last) in uses.iter().zip(last_use) {
            if !last && matches!(o.constraint, Constraint::Fixed(_)) {
                reading[p.file(o.value) as usize] += self.size(o.value);
            }
        }
        for o in defs {
            let (f, size) = (p.file(o.value) as usize, self.size(o.value));
            writing[f] += size;
            if o.role == Role::EarlyDef {
                reading[f] += size;
            }
            if let Constraint::Tied(t) = o.constraint
                && !last_use[t as usize]
            {
                reading[f] += size;
            }
        }
        for &(f, place) in p.clobbers(i) {
            writing[f as usize] += place.set().intersect(&p.files[f as usize].budget).len();
        }
        for (k, o) in uses.iter().enumerate() {
            if self.managed(o.value) {
                if !self.inside[o.value.index()] {
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
        for (o, &last) in uses.iter().zip(last_use) {
            if last {
                self.drop_value(o.value);
            }
        }
        for (f, &w) in writing.iter().enumerate() {
            if self.limits[f] != u32::MAX {
                self.make_room(f, w, &[]);
            }
        }
        for (k, o) in (base + uses.len()..).zip(defs) {
            if !self.live.last[k] && self.managed(o.value) {
                let next = self.next_after[k];
                self.add(o.value, next);
                self.defined[o.value.index()] = self.weight;
            }
        }
    }

    /// The work of edges: loads of what the target expects in registers and the source does not hold, copies to
    /// parameters that begin in memory.
    fn edges(&mut self) {
        let p = self.p;
        self.inside.fill(false);
        // The block of each parameter.
        let mut home = vec![BlockId::MAX; p.value_count()];
        for b in 0..p.blocks.len() as BlockId {
            p.params(b).iter().for_each(|v| home[v.index()] = b);
        }
        for b in 0..p.blocks.len() as BlockId {
            for v in self.exit[b as usize].clone() {
                self.inside[v.index()] = true;
            }
            for cfg in [Cfg::Logical, Cfg::Linear] {
                let single = p.succs(b, cfg).len() == 1;
                for e in p.succs(b, cfg) {
                    let at = if single { ReloadAt::End(b) } else { ReloadAt::Start(e.to) };
                    let mut raw = RawEdge { from: b, at, cfg, copies: Vec::new(), loads: Vec::new() };
                    let params = p.params(e.to);
                    for &v in &self.entry[e.to as usize] {
                        if p.cfg(v) == cfg && !self.inside[v.index()] && home[v.index()] != e.to {
                            raw.loads.push(v);
                        }
                    }
                    for (&arg, &param) in e.args.iter().zip(params) {
                        if p.cfg(param) != cfg
                            || arg.is_none()
                            || !self.managed(param)
                            || self.live.dead_param[param.index()]
                        {
                            continue;
                        }
                        let here = self.inside[arg.index()];
                        if self.in_memory[param.index()] {
                            raw.copies.push(MemoryCopy { param, arg, in_register: here });
                            self.reloaded[arg.index()] |= !here;
                        } else if !here {
                            raw.loads.push(arg);
                        }
                    }
                    raw.loads.sort_unstable();
                    raw.loads.dedup();
                    for &v in &raw.loads {
                        self.reloaded[v.index()] = true;
                    }
                    if !raw.copies.is_empty() || !raw.loads.is_empty() {
                        self.edges.push(raw);
                    }
                }
            }
            for v in self.exit[b as usize].clone() {
                self.inside[v.index()] = false;
            }
        }
    }
}
