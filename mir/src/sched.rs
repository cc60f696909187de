//! List scheduling inside blocks: one dependence graph, two schedulers.
//!
//! [`schedule_before`] runs before allocation, bottom-up: it stays within register limits first and hides latency
//! second; a block whose pressure it would raise beyond them keeps its order. [`schedule_after`] runs on physical
//! registers, top-down, by latency. Both look only at a window of candidates near the original order, so that they
//! are linear, and change nothing that effects, conditions or physical registers forbid. Terminators, `Start` and the
//! logical marks stay where they are.

use std::collections::BTreeSet;

use smallvec::SmallVec;

use crate::alloc::Pressure;
use crate::func::{MFunc, is_terminator};
use crate::inst::{InstInfo, MInst, Opcode, PReg, Pseudo, Target, VReg};

/// Candidates looked at for each choice.
const WINDOW: usize = 24;

/// Files with so few units are kept in order: a value in them must not meet another one.
const FEW: u32 = 8;

/// Cycles until the result of a shared pseudo can be read.
const PSEUDO: InstInfo = InstInfo::pure(1);

#[derive(Default)]
struct Dag {
    /// `(successor, cycles)` of each instruction.
    succs: Vec<SmallVec<[(u32, u16); 4]>>,
    preds: Vec<SmallVec<[(u32, u16); 4]>>,
}

impl Dag {
    /// A graph of `n` instructions without edges. The lists keep their room.
    fn clear(&mut self, n: usize) {
        for lists in [&mut self.succs, &mut self.preds] {
            lists.iter_mut().for_each(SmallVec::clear);
            lists.resize_with(n, SmallVec::new);
        }
    }
    fn edge(&mut self, from: u32, to: u32, cycles: u16) {
        if from != to {
            self.succs[from as usize].push((to, cycles));
            self.preds[to as usize].push((from, cycles));
        }
    }
}

/// Last writer and the readers since, of one thing.
#[derive(Clone, Default)]
struct Track {
    write: Option<(u32, u16)>,
    reads: SmallVec<[u32; 4]>,
}

impl Track {
    fn clear(&mut self) {
        self.write = None;
        self.reads.clear();
    }
    fn read(&mut self, dag: &mut Dag, i: u32) {
        if let Some((w, latency)) = self.write {
            dag.edge(w, i, latency);
        }
        self.reads.push(i);
    }
    fn write(&mut self, dag: &mut Dag, i: u32, latency: u16) {
        if let Some((w, _)) = self.write {
            dag.edge(w, i, 1);
        }
        for r in self.reads.drain(..) {
            dag.edge(r, i, 0);
        }
        self.write = Some((i, latency));
    }
}

/// Accesses to memory. Space 0 meets every space; others meet only their own.
#[derive(Default)]
struct Memory {
    /// Accesses to space 0: what a space begins with.
    all: Track,
    spaces: Vec<(u16, Track)>,
}

impl Memory {
    fn access(&mut self, dag: &mut Dag, i: u32, space: u16, write: bool) {
        let touch = |t: &mut Track, dag: &mut Dag| if write { t.write(dag, i, 1) } else { t.read(dag, i) };
        if space == 0 {
            touch(&mut self.all, dag);
            for (_, t) in &mut self.spaces {
                touch(t, dag);
            }
            return;
        }
        let at = self.spaces.iter().position(|s| s.0 == space).unwrap_or_else(|| {
            self.spaces.push((space, self.all.clone()));
            self.spaces.len() - 1
        });
        touch(&mut self.spaces[at].1, dag);
    }
}

fn info<T: Target>(t: &T, i: &MInst<T>) -> InstInfo {
    match i.op {
        Opcode::Op(_) => t.info(i),
        Opcode::Pseudo(_) => PSEUDO,
    }
}

/// The tables of [`graph`]: as large as the function and the files, so made once and left empty.
struct Tables {
    dag: Dag,
    /// The whole of each file, and whether it is kept in order as such.
    whole: Vec<Track>,
    few: Vec<bool>,
    memory: Memory,
    /// Where in the piece a virtual register is defined; `u32::MAX` for nowhere.
    def_at: Vec<u32>,
    /// The units of each file.
    units: Vec<Vec<Track>>,
    /// The units that the piece names.
    named: Vec<(usize, u16)>,
    /// Cycles until the result of each instruction of the piece can be read.
    latencies: Vec<u16>,
}

impl Tables {
    fn new<T: Target>(mf: &MFunc<T>, t: &T) -> Tables {
        Tables {
            dag: Dag::default(),
            whole: vec![Track::default(); t.files().len()],
            few: Vec::new(),
            memory: Memory::default(),
            def_at: vec![u32::MAX; mf.classes.len()],
            units: vec![Vec::new(); t.files().len()],
            named: Vec::new(),
            latencies: Vec::new(),
        }
    }
}

/// Builds the graph of a piece of a block; `coarse` keeps small files in order as a whole.
fn graph<'a, T: Target>(mf: &MFunc<T>, t: &T, insts: &[MInst<T>], tables: &'a mut Tables, coarse: bool) -> &'a Dag {
    let Tables { dag, whole, few, memory, def_at, units, named, latencies } = tables;
    dag.clear(insts.len());
    let files = t.files();
    let classes = t.classes();
    whole.iter_mut().for_each(Track::clear);
    few.clear();
    few.extend(files.iter().map(|f| coarse && f.budget.len() <= FEW));
    memory.all.clear();
    memory.spaces.clear();
    latencies.clear();
    let mut side = Track::default();
    let (mut reads, mut writes): (SmallVec<[PReg; 4]>, SmallVec<[PReg; 4]>) = (SmallVec::new(), SmallVec::new());
    for (k, i) in insts.iter().enumerate() {
        let k32 = k as u32;
        let facts = info(t, i);
        latencies.push(facts.latency);
        reads.clear();
        writes.clear();
        if i.target_op().is_some() {
            t.clobbers(i, &mut writes);
            t.implicit(i, &mut reads, &mut writes);
        }
        for u in &i.uses {
            if let Some(v) = u.vreg() {
                let from = def_at[v.0 as usize];
                if from != u32::MAX {
                    dag.edge(from, k32, latencies[from as usize]);
                }
                let file = classes[mf.class(v).0 as usize].file as usize;
                if few[file] {
                    whole[file].read(dag, k32);
                }
            }
            reads.extend(u.phys());
        }
        for d in &i.defs {
            if let Some(v) = d.vreg() {
                def_at[v.0 as usize] = k32;
                let file = classes[mf.class(v).0 as usize].file as usize;
                if few[file] {
                    whole[file].write(dag, k32, facts.latency);
                }
            }
            writes.extend(d.phys());
        }
        for (list, write) in [(&reads, false), (&writes, true)] {
            for p in list {
                let file = p.file as usize;
                if few[file] {
                    // Named units and allocated ones meet in the same small file.
                    if write {
                        whole[file].write(dag, k32, facts.latency);
                    } else {
                        whole[file].read(dag, k32);
                    }
                    continue;
                }
                if units[file].is_empty() {
                    units[file].resize_with(files[file].units as usize, Track::default);
                }
                for u in p.place.units() {
                    named.push((file, u));
                    if write {
                        units[file][u as usize].write(dag, k32, facts.latency);
                    } else {
                        units[file][u as usize].read(dag, k32);
                    }
                }
            }
        }
        if facts.reads || facts.writes {
            memory.access(dag, k32, facts.space, facts.writes);
        }
        if facts.side_effect {
            side.write(dag, k32, 0);
        }
    }
    for v in insts.iter().flat_map(MInst::vreg_defs) {
        def_at[v.0 as usize] = u32::MAX;
    }
    for (file, u) in named.drain(..) {
        units[file][usize::from(u)].clear();
    }
    dag
}

/// Puts the instructions of a block into another order. Returns whether it is another one.
fn reorder<T: Target>(mf: &mut MFunc<T>, b: usize, mut insts: Vec<MInst<T>>, order: &[u32]) -> bool {
    let changed = order.iter().enumerate().any(|(k, &o)| k as u32 != o);
    if changed {
        // In place, one cycle after the other: what place `k` gets lies where `from[k]` says.
        let mut from: SmallVec<[u32; 32]> = SmallVec::from_slice(order);
        for first in 0..from.len() {
            let mut at = first;
            while from[at] as usize != at {
                let next = std::mem::replace(&mut from[at], at as u32) as usize;
                if next != first {
                    insts.swap(at, next);
                }
                at = next;
            }
        }
    }
    mf.code[b] = insts;
    changed
}

/// Whether an instruction divides the block for scheduling.
fn is_fence<T: Target>(t: &T, i: &MInst<T>) -> bool {
    i.is(Pseudo::Start)
        || i.is(Pseudo::LogicalStart)
        || i.is(Pseudo::LogicalEnd)
        || is_terminator(t, i)
        || i.target_op().is_some() && t.is_fence(i)
}

/// The changes of [`schedule_before`].
#[derive(Clone, Debug, Default)]
pub struct Schedule {
    /// Blocks with another order, and which instruction was put where.
    orders: Vec<(usize, Vec<u32>)>,
}

impl Schedule {
    /// Number of blocks that changed.
    pub fn changed(&self) -> usize {
        self.orders.len()
    }

    /// Puts everything back: a copy of the function as it was, for a few bytes. For the function that was scheduled, otherwise
    /// unchanged.
    pub fn undo<T: Target>(self, mf: &mut MFunc<T>) {
        for (b, order) in self.orders {
            let mut back = vec![0; order.len()];
            for (new, &old) in order.iter().enumerate() {
                back[old as usize] = new as u32;
            }
            let insts = std::mem::take(&mut mf.code[b]);
            reorder(mf, b, insts, &back);
        }
    }
}

/// Schedules before allocation within `limits` (units per file); `facts` are those of `mf` as it is. Returns what changed.
pub fn schedule_before<T: Target>(mf: &mut MFunc<T>, t: &T, facts: &Pressure, limits: &[u32]) -> Schedule {
    let Pressure { problem: p, live, .. } = facts;
    let mut tables = Tables::new(mf, t);
    let mut state = RunningPressure::new(mf, t);
    let mut changed = Schedule::default();
    let mut touched: Vec<u32> = Vec::new();
    let mut order: Vec<u32> = Vec::new();
    let mut before = Saved::default();
    // Up, as each block is walked.
    for b in (0..mf.blocks.len()).rev() {
        let insts = std::mem::take(&mut mf.code[b]);
        for &v in &mf.blocks[b].params {
            state.live[v.0 as usize] = false;
        }
        state.now.fill(0);
        live.for_live_out(p, b as u32, |v| {
            if !std::mem::replace(&mut state.live[v.0 as usize], true) {
                touched.push(v.0);
                let c = t.classes()[mf.classes[v.0 as usize].0 as usize];
                state.now[c.file as usize] += c.shape.units as i64;
            }
        });
        order.clear();
        let mut end = insts.len();
        // Pieces between fences, last first; `order` is built backwards.
        while end > 0 {
            let start = insts[..end].iter().rposition(|i| is_fence(t, i)).map_or(0, |k| k + 1);
            if end - start <= 1 {
                end -= 1;
                state.read(mf, t, &insts[end..=end]);
                state.pass(0);
                order.push(end as u32);
                continue;
            }
            let piece = &insts[start..end];
            let dag = graph(mf, t, piece, &mut tables, true);
            state.read(mf, t, piece);
            state.save(&mut before);
            let (new, peak) = bottom_up(dag, limits, &mut state);
            // Compare with the order as it was.
            let old: Vec<u32> = (0..piece.len() as u32).rev().collect();
            let worse = new != old && {
                let beyond: SmallVec<[usize; 8]> = (0..limits.len()).filter(|&f| peak[f] > limits[f] as i64).collect();
                !beyond.is_empty() && {
                    state.restore(&before);
                    let old = state.peak(&old);
                    beyond.iter().any(|&f| peak[f] > old[f])
                }
            };
            let chosen = if worse { old } else { new };
            order.extend(chosen.iter().map(|k| k + start as u32));
            end = start;
        }
        order.reverse();
        if reorder(mf, b, insts, &order) {
            changed.orders.push((b, order.clone()));
        }
        // Everything that this block touched is forgotten.
        for i in &mf.code[b] {
            for v in i.vreg_uses().chain(i.vreg_defs()) {
                state.live[v.0 as usize] = false;
            }
        }
        for v in touched.drain(..) {
            state.live[v as usize] = false;
        }
    }
    changed
}

/// A virtual register that an instruction names: its number, its file and its units.
#[derive(Clone, Copy)]
struct Named {
    reg: u32,
    file: u32,
    units: i64,
}

/// Values live below the instruction that is looked at, and what the instructions of a piece name.
struct RunningPressure {
    live: Vec<bool>,
    now: Vec<i64>,
    named: Vec<Named>,
    /// Where in `named` the definitions of each instruction begin, and its uses, each once.
    starts: Vec<(u32, u32)>,
}

/// Registers and liveness that a piece may change, to return to.
#[derive(Default)]
struct Saved {
    live: Vec<(u32, bool)>,
    now: Vec<i64>,
}

impl RunningPressure {
    fn new<T: Target>(mf: &MFunc<T>, t: &T) -> RunningPressure {
        let (live, now) = (vec![false; mf.classes.len()], vec![0; t.files().len()]);
        RunningPressure { live, now, named: Vec::new(), starts: Vec::new() }
    }

    /// Reads a piece: what follows names its instructions by their numbers.
    fn read<T: Target>(&mut self, mf: &MFunc<T>, t: &T, piece: &[MInst<T>]) {
        let RunningPressure { named, starts, .. } = self;
        named.clear();
        starts.clear();
        let of = |v: VReg| {
            let c = &t.classes()[mf.class(v).0 as usize];
            Named { reg: v.0, file: u32::from(c.file), units: i64::from(c.shape.units) }
        };
        for i in piece {
            let defs = named.len();
            named.extend(i.vreg_defs().map(of));
            let uses = named.len();
            for v in i.vreg_uses() {
                if !named[uses..].iter().any(|n| n.reg == v.0) {
                    named.push(of(v));
                }
            }
            starts.push((defs as u32, uses as u32));
        }
        starts.push((named.len() as u32, 0));
    }

    /// What an instruction of the piece writes, and what it reads.
    fn names(&self, k: usize) -> (&[Named], &[Named]) {
        let ((defs, uses), end) = (self.starts[k], self.starts[k + 1].0);
        (&self.named[defs as usize..uses as usize], &self.named[uses as usize..end as usize])
    }

    fn save(&self, into: &mut Saved) {
        into.live.clear();
        into.live.extend(self.named.iter().map(|n| (n.reg, self.live[n.reg as usize])));
        into.now.clone_from(&self.now);
    }

    /// Units per file that an instruction adds above itself.
    fn delta(&self, k: usize, out: &mut [i64]) {
        out.fill(0);
        let (defs, uses) = self.names(k);
        for n in defs {
            if self.live[n.reg as usize] {
                out[n.file as usize] -= n.units;
            }
        }
        for n in uses {
            if !self.live[n.reg as usize] {
                out[n.file as usize] += n.units;
            }
        }
    }

    /// The cost of a change of pressure: units beyond the limits, then units in files that are nearly full.
    fn cost(&self, limits: &[u32], delta: &[i64]) -> (i64, i64) {
        let (mut excess, mut growth) = (0, 0);
        for (f, d) in delta.iter().enumerate() {
            excess += (self.now[f] + d - limits[f] as i64).max(0);
            // Near the limit growth counts too.
            if self.now[f] * 4 > limits[f] as i64 * 3 {
                growth += d;
            }
        }
        (excess, growth)
    }

    fn pass(&mut self, k: usize) {
        let mut d: SmallVec<[i64; 8]> = SmallVec::from_elem(0, self.now.len());
        self.delta(k, &mut d);
        for (n, d) in self.now.iter_mut().zip(&d) {
            *n += d;
        }
        let ((defs, uses), end) = (self.starts[k], self.starts[k + 1].0);
        for n in &self.named[defs as usize..uses as usize] {
            self.live[n.reg as usize] = false;
        }
        for n in &self.named[uses as usize..end as usize] {
            self.live[n.reg as usize] = true;
        }
    }

    /// Back to below the piece.
    fn restore(&mut self, saved: &Saved) {
        for &(v, l) in &saved.live {
            self.live[v as usize] = l;
        }
        self.now.clone_from(&saved.now);
    }

    /// Highest pressure of each file while the piece is passed in this (backward) order.
    fn peak(&mut self, order: &[u32]) -> SmallVec<[i64; 8]> {
        let mut peak: SmallVec<[i64; 8]> = SmallVec::from_slice(&self.now);
        for &k in order {
            self.pass(k as usize);
            for (p, n) in peak.iter_mut().zip(&self.now) {
                *p = (*p).max(*n);
            }
        }
        peak
    }
}

/// The instructions that can be placed next, of which the choice looks at the [`WINDOW`] of highest rank.
struct Ready {
    /// Ranks in ascending order, all above those of `rest`.
    window: SmallVec<[u32; WINDOW + 1]>,
    /// Empty unless the window is full.
    rest: BTreeSet<u32>,
}

impl Ready {
    fn new(ranks: impl Iterator<Item = u32>) -> Ready {
        let mut ready = Ready { window: SmallVec::new(), rest: BTreeSet::new() };
        ranks.for_each(|r| ready.insert(r));
        ready
    }
    fn insert(&mut self, rank: u32) {
        let at = self.window.iter().rposition(|&r| r < rank).map_or(0, |k| k + 1);
        if at == 0 && self.window.len() == WINDOW {
            self.rest.insert(rank);
            return;
        }
        self.window.insert(at, rank);
        if self.window.len() > WINDOW {
            self.rest.insert(self.window.remove(0));
        }
    }
    /// Removes what stands at a place of the window.
    fn take(&mut self, at: usize) -> u32 {
        let rank = self.window.remove(at);
        if let Some(r) = self.rest.pop_last() {
            self.window.insert(0, r);
        }
        rank
    }
}

/// The order of candidates as one number, the least first: who waits for the fewest cycles, then who is farthest from the end of the
/// work, then who has the highest rank.
fn key(stall: u32, distance: u32, rank: u32) -> u128 {
    u128::from(stall) << 64 | u128::from(!distance) << 32 | u128::from(!rank)
}

/// Orders the piece that was read backwards: the last instruction first. Returns the highest pressure of each file on the way.
fn bottom_up(dag: &Dag, limits: &[u32], state: &mut RunningPressure) -> (Vec<u32>, SmallVec<[i64; 8]>) {
    let n = dag.preds.len();
    let mut depth = vec![0u32; n];
    for k in 0..n {
        depth[k] = dag.preds[k].iter().map(|&(p, c)| depth[p as usize] + c as u32).max().unwrap_or(0);
    }
    let mut waiting: Vec<u32> = dag.succs.iter().map(|s| s.len() as u32).collect();
    let mut earliest = vec![0u32; n];
    let mut ready = Ready::new((0..n as u32).filter(|&k| waiting[k as usize] == 0));
    let mut order = Vec::with_capacity(n);
    let mut now = 0u32;
    let mut delta: SmallVec<[i64; 8]> = SmallVec::from_elem(0, limits.len());
    let mut peak: SmallVec<[i64; 8]> = SmallVec::from_slice(&state.now);
    // No instruction adds more units of a file than this.
    let mut most: SmallVec<[i64; 8]> = SmallVec::from_elem(0, limits.len());
    for k in 0..n {
        delta.fill(0);
        for u in state.names(k).1 {
            delta[u.file as usize] += u.units;
            most[u.file as usize] = most[u.file as usize].max(delta[u.file as usize]);
        }
    }
    while !ready.window.is_empty() {
        let far = (0..limits.len()).all(|f| {
            let (now, limit) = (state.now[f], limits[f] as i64);
            now * 4 <= limit * 3 && now + most[f] <= limit
        });
        let key = |k: u32| key(earliest[k as usize].saturating_sub(now), depth[k as usize], k);
        let candidates = ready.window.iter().enumerate();
        let best = if far {
            candidates.min_by_key(|&(_, &k)| key(k))
        } else {
            candidates.min_by_key(|&(_, &k)| {
                state.delta(k as usize, &mut delta);
                let (excess, growth) = state.cost(limits, &delta);
                (excess, growth, key(k))
            })
        };
        let Some((at, _)) = best else { break };
        let k = ready.take(at);
        now = now.max(earliest[k as usize]) + 1;
        state.pass(k as usize);
        for (p, n) in peak.iter_mut().zip(&state.now) {
            *p = (*p).max(*n);
        }
        order.push(k);
        for &(p, cycles) in &dag.preds[k as usize] {
            let at = p as usize;
            earliest[at] = earliest[at].max(now - 1 + cycles as u32);
            waiting[at] -= 1;
            if waiting[at] == 0 {
                ready.insert(p);
            }
        }
    }
    (order, peak)
}

/// Schedules physical registers by latency. Returns the number of blocks that changed.
pub fn schedule_after<T: Target>(mf: &mut MFunc<T>, t: &T) -> usize {
    let mut tables = Tables::new(mf, t);
    let mut changed = 0;
    let mut order: Vec<u32> = Vec::new();
    for b in 0..mf.blocks.len() {
        let insts = std::mem::take(&mut mf.code[b]);
        order.clear();
        let mut start = 0;
        while start < insts.len() {
            let end = insts[start..].iter().position(|i| is_fence(t, i)).map_or(insts.len(), |k| start + k);
            if end - start <= 1 {
                order.push(start as u32);
                start += 1;
                continue;
            }
            let dag = graph(mf, t, &insts[start..end], &mut tables, false);
            order.extend(top_down(dag).into_iter().map(|k| k + start as u32));
            start = end;
        }
        changed += usize::from(reorder(mf, b, insts, &order));
    }
    changed
}

/// Orders a piece forwards: what can start without a stall, the longest way to the end first.
fn top_down(dag: &Dag) -> Vec<u32> {
    let n = dag.succs.len();
    let mut height = vec![0u32; n];
    for k in (0..n).rev() {
        height[k] = dag.succs[k].iter().map(|&(s, c)| height[s as usize] + c as u32).max().unwrap_or(0);
    }
    let mut waiting: Vec<u32> = dag.preds.iter().map(|p| p.len() as u32).collect();
    let mut earliest = vec![0u32; n];
    // The first instructions of the piece have the highest rank.
    let rank = |k: u32| n as u32 - 1 - k;
    let mut ready = Ready::new((0..n as u32).filter(|&k| waiting[k as usize] == 0).map(rank));
    let mut order = Vec::with_capacity(n);
    let mut now = 0u32;
    while !ready.window.is_empty() {
        let best = ready.window.iter().enumerate().min_by_key(|&(_, &r)| {
            let k = rank(r) as usize;
            key(earliest[k].saturating_sub(now), height[k], r)
        });
        let Some((at, _)) = best else { break };
        let k = rank(ready.take(at));
        let issued = now.max(earliest[k as usize]);
        now = issued + 1;
        order.push(k);
        for &(s, cycles) in &dag.succs[k as usize] {
            let at = s as usize;
            earliest[at] = earliest[at].max(issued + cycles as u32);
            waiting[at] -= 1;
            if waiting[at] == 0 {
                ready.insert(rank(s));
            }
        }
    }
    order
}
