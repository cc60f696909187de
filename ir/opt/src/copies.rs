//! Variables that hold copies: one that nobody writes afterwards is read where the copy came from, and one that takes the place of
//! another is that other one.
//!
//! ```text
//! for i { local1[i] = res0[i] } .. v1 = load local1[v0]                ==>      v1 = load res0[v0]
//! for i { local1[i] = local0[i] } .. local1[v0] = 1 .. (local0 is not read any more)      ==>      local0[v0] = 1
//! ```
//!
//! The first holds where nothing that may write the source stands on a way from the copy to a load: no store, no atomic access, and for what
//! others write no barrier either. The second holds where neither variable is written while the other is still to be read. Both leave the copy
//! without a use, so it goes with its loops.
//!
//! Needs: private variables as variables of the function. Keeps: structure; the blocks of copying loops go. Leaves alone: variables with volatile
//! or atomic accesses, copies of parts of a variable, copies of less than `LEAST` bytes from other memory, reads at an index that nothing bounds in a robust
//! module.

use crate::PassCx;
use gpucc_ir::analysis::DomTree;
use gpucc_ir::{
    Attr, Block, CsrLists, EntitySet, Function, Init, Inst, Local, MemFlags, Op, Place, SecondaryMap, Value, trace,
};
use rustc_hash::{FxHashMap, FxHashSet};

mod at;
mod found;
mod roll;
use at::At;
use found::{Copy, CopyLoop, Source, find, is_shared};

/// Bytes of the smallest variable that is read in memory which is not the function's: what is smaller may become values.
const LEAST: u32 = 256;

/// Bytes of the smallest variable that is looked at.
const SMALL: u32 = 16;

/// Steps that questions about one function may take, for each of its blocks and of its instructions; behind that copies stay.
const STEPS: usize = 256;
const EACH: usize = 16;

/// What happens to a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum What {
    /// Some of it is read.
    Read,
    /// Some of it is written.
    Write,
    /// All of it is set to what it begins with.
    Init,
    /// This copy begins, behind which all of it is written.
    Copied(usize),
    /// This copy goes on.
    Part(usize),
}

#[derive(Clone, Copy, Debug)]
struct Event {
    at: At,
    what: What,
    /// The instruction, if it is one.
    inst: Option<Inst>,
    /// The copy that a load is a part of, and nothing else.
    part: Option<usize>,
}

/// The new address of a load.
#[derive(Clone, Copy, Debug)]
struct Redirected {
    from: Source,
    align: u32,
    flags: MemFlags,
}

struct State<'f> {
    f: &'f Function,
    dom: &'f DomTree,
    preds: &'f CsrLists<Block, Block>,
    copies: Vec<Copy>,
    /// Copies that are not needed any more.
    gone: Vec<bool>,
    /// What happens to each variable that a copy fills or reads, in the order of blocks and steps.
    events: SecondaryMap<Local, Vec<Event>>,
    /// Variables with accesses that must stay as they are.
    odd: EntitySet<Local>,
    /// Writes to other places, and barriers.
    writes: Vec<(Option<Place>, At)>,
    /// Variables that are others now.
    named: SecondaryMap<Local, Option<Local>>,
    loads: SecondaryMap<Inst, Option<Redirected>>,
    /// Initialisations that nobody reads.
    unread: EntitySet<Inst>,
    steps: usize,
}

/// Does without copies that are not needed, and makes loops of long ones that are.
pub fn run(f: &mut Function, cx: &mut PassCx<'_>) {
    if f.locals.values().any(|l| l.size >= SMALL) {
        remove(f, cx);
    }
    if roll::run(f, cx) {
        cx.forget_graph();
    }
}

/// Does without copies that are not needed.
fn remove(f: &mut Function, cx: &mut PassCx<'_>) {
    let (copies, idle) = find(f, cx);
    if copies.is_empty() && idle.is_empty() {
        return;
    }
    let (dom, preds) = (cx.dom(f), cx.preds(f));
    let mut s = State {
        f,
        dom: &dom,
        preds: &preds,
        gone: vec![false; copies.len()],
        copies,
        events: SecondaryMap::new(),
        odd: EntitySet::new(),
        writes: Vec::new(),
        named: SecondaryMap::with_default(None),
        loads: SecondaryMap::with_default(None),
        unread: EntitySet::new(),
        steps: STEPS * f.layout.len() + EACH * f.insts.len(),
    };
    let all = s.steps;
    s.collect();
    for c in 0..s.copies.len() {
        let unread = if s.gone[c] { None } else { s.is_one_variable(c) };
        if let Some(unread) = unread
            && cx.change()
        {
            s.unite(c, &unread);
        } else if !s.gone[c] && s.is_read_in_place(c, cx) && cx.change() {
            s.read_in_place(c);
        }
    }
    trace::work((all - s.steps) as u64);
    let State { copies, gone, named, loads, unread, .. } = s;
    let mut loops: Vec<CopyLoop> = Vec::new();
    let mut stores: EntitySet<Inst> = unread;
    for (c, _) in copies.into_iter().zip(gone).filter(|x| x.1) {
        stores.extend_from(&c.accesses.iter().map(|a| a.1).collect::<Vec<_>>());
        loops.extend(c.loops);
    }
    loops.extend(idle.into_iter().filter(|_| cx.change()));
    rewrite(f, &named, &loads, &stores);
    if !loops.is_empty() {
        bypass(f, &loops);
        cx.forget_graph();
    }
}

impl State<'_> {
    /// Notes what happens to the variables that copies are about.
    fn collect(&mut self) {
        let f = self.f;
        let mut mine: EntitySet<Local> = EntitySet::new();
        let mut copied: FxHashSet<Inst> = FxHashSet::default();
        let mut part: FxHashMap<Inst, usize> = FxHashMap::default();
        for (k, c) in self.copies.iter().enumerate() {
            mine.insert(c.to);
            if let Place::Local(l) = c.from.place {
                mine.insert(l);
            }
            copied.extend(c.accesses.iter().map(|a| a.1));
            part.extend(c.accesses.iter().map(|a| (a.0, k)));
        }
        let mut uses: FxHashMap<Value, u32> = part.keys().map(|&l| (f.insts[l].result(), 0)).collect();
        for (_, i) in f.insts_in_order() {
            f.insts[i].for_each_use(|v| {
                if let Some(n) = uses.get_mut(&v) {
                    *n += 1;
                }
            });
        }
        for &b in &f.layout {
            for (k, &i) in f.blocks[b].insts.iter().enumerate() {
                let d = &f.insts[i];
                let at = At { block: b, step: 2 * k as u32 + 1 };
                let (place, what) = match (&d.attr, d.op) {
                    (Attr::Mem(m), Op::Load) => (m.place, What::Read),
                    (Attr::Mem(m) | Attr::Atomic(_, m), _) => (m.place, What::Write),
                    (Attr::Place(p), _) => (*p, What::Init),
                    (_, Op::Barrier | Op::Call) => {
                        self.writes.push((None, at));
                        continue;
                    }
                    _ => continue,
                };
                let Place::Local(l) = place else {
                    if what != What::Read {
                        self.writes.push((Some(place), at));
                    }
                    continue;
                };
                if !mine.contains(l) {
                    continue;
                }
                let plain = match &d.attr {
                    Attr::Mem(m) => m.flags.is_plain() && matches!(d.op, Op::Load | Op::Store),
                    _ => what == What::Init,
                };
                if !plain {
                    self.odd.insert(l);
                }
                if copied.contains(&i) {
                    continue;
                }
                let alone = |_: &&usize| uses.get(&d.result()).is_some_and(|&n| n == 1);
                let part = part.get(&i).filter(alone).copied();
                self.events[l].push(Event { at, what, inst: Some(i), part });
            }
        }
        for (k, c) in self.copies.iter().enumerate() {
            for (n, &at) in c.parts.iter().enumerate() {
                let what = if n == 0 { What::Copied(k) } else { What::Part(k) };
                self.events[c.to].push(Event { at, what, inst: None, part: None });
            }
            // What is copied stays the same until all of it is.
            if let Place::Local(l) = c.from.place {
                self.events[l].push(Event { at: c.at, what: What::Read, inst: None, part: Some(k) });
            }
        }
        for l in mine.iter() {
            self.events[l].sort_by_key(|e| e.at);
        }
    }

    /// Takes steps, if there are so many left.
    fn spend(&mut self, n: usize) -> bool {
        let may = n <= self.steps;
        self.steps -= n.min(self.steps);
        may
    }

    /// The events of a variable in a block.
    fn within(&self, l: Local, b: Block) -> &[Event] {
        let all = &self.events[l];
        let first = all.partition_point(|e| e.at.block < b);
        let end = all.partition_point(|e| e.at.block <= b);
        &all[first..end]
    }

    /// Blocks at whose end a variable holds what is still to be read; `None` if it is too much to ask.
    fn live(&mut self, l: Local) -> Option<FxHashSet<Block>> {
        let mut out: FxHashSet<Block> = FxHashSet::default();
        let mut work: Vec<Block> = Vec::new();
        let mut blocks: Vec<Block> = self.events[l].iter().map(|e| e.at.block).collect();
        blocks.dedup();
        let defines = |e: &Event| matches!(e.what, What::Init | What::Copied(_));
        let needs = |e: &Event| matches!(e.what, What::Read | What::Part(_));
        for &b in &blocks {
            let first = self.within(l, b).iter().find(|e| needs(e) || defines(e));
            if first.is_some_and(needs) {
                work.push(b);
            }
        }
        if !self.spend(self.events[l].len()) {
            return None;
        }
        let preds = self.preds;
        while let Some(b) = work.pop() {
            for &p in &preds[b] {
                if !self.spend(1) {
                    return None;
                }
                if out.insert(p) && !self.within(l, p).iter().any(defines) {
                    work.push(p);
                }
            }
        }
        Some(out)
    }

    /// Whether a variable that is live at the end of blocks `out` is live right behind a place.
    fn is_live(&self, l: Local, out: &FxHashSet<Block>, at: At) -> bool {
        let next = self.within(l, at.block).iter().find(|e| e.at > at && e.what != What::Write);
        next.map_or_else(|| out.contains(&at.block), |e| matches!(e.what, What::Read | What::Part(_)))
    }

    /// Whether the variable that a copy fills and the one that it reads can be one; gives the initialisations that nobody reads.
    fn is_one_variable(&mut self, c: usize) -> Option<Vec<Inst>> {
        let (a, from) = (self.copies[c].to, self.copies[c].from);
        let Place::Local(b) = from.place else { return None };
        let (x, y) = (&self.f.locals[a], &self.f.locals[b]);
        let alike = x.size == y.size && from.delta == 0 && from.base.is_none() && a != b;
        if !alike || self.odd.contains(a) || self.odd.contains(b) {
            return None;
        }
        let same_start = x.init == y.init;
        // A table that is written is none.
        let is_table = [x, y].iter().any(|v| matches!(v.init, Init::Bytes(_)));
        if is_table && [a, b].iter().any(|&l| self.events[l].iter().any(|e| e.what == What::Write)) {
            return None;
        }
        let (Some(live_a), Some(live_b)) = (self.live(a), self.live(b)) else { return None };
        let mut unread = Vec::new();
        for (this, own, other, live) in [(a, &live_a, b, &live_b), (b, &live_b, a, &live_a)] {
            if !self.spend(self.events[this].len()) {
                return None;
            }
            for e in &self.events[this] {
                let between = |k: usize| {
                    let c = &self.copies[k];
                    c.to == a && c.from.place == Place::Local(b) || c.to == b && c.from.place == Place::Local(a)
                };
                match e.what {
                    What::Read => {}
                    What::Copied(k) | What::Part(k) if between(k) => {}
                    What::Init if !self.is_live(this, own, e.at) => unread.extend(e.inst),
                    What::Init if !same_start => return None,
                    _ if self.is_live(other, live, e.at) => return None,
                    _ => {}
                }
            }
        }
        Some(unread)
    }

    /// Makes one variable of two.
    fn unite(&mut self, c: usize, unread: &[Inst]) {
        self.unread.extend_from(unread);
        let a = self.copies[c].to;
        let Place::Local(b) = self.copies[c].from.place else { return };
        self.named[a] = Some(b);
        for k in 0..self.copies.len() {
            let copy = &mut self.copies[k];
            if copy.to == a {
                copy.to = b;
            }
            if copy.from.place == Place::Local(a) {
                copy.from.place = Place::Local(b);
            }
            let onto_itself = copy.from.place == Place::Local(copy.to);
            self.gone[k] |= onto_itself;
        }
        let mut all = std::mem::take(&mut self.events[a]);
        all.append(&mut self.events[b]);
        self.events[b] = all;
        self.forget(b);
    }

    /// Takes out events of copies that are gone, and of initialisations that nobody reads.
    fn forget(&mut self, l: Local) {
        let (gone, unread) = (&self.gone, &self.unread);
        self.events[l].retain(|e| {
            let copied = matches!(e.what, What::Copied(k) | What::Part(k) if gone[k]);
            let part = e.part.is_some_and(|k| gone[k]);
            !copied && !part && e.inst.is_none_or(|i| !unread.contains(i))
        });
        self.events[l].sort_by_key(|e| e.at);
    }

    /// Whether all reads of what a copy fills can be reads of what it copies.
    fn is_read_in_place(&mut self, c: usize, cx: &PassCx<'_>) -> bool {
        let Copy { to, from, flags, at, .. } = self.copies[c];
        let f = self.f;
        let own = matches!(from.place, Place::Local(_));
        if self.odd.contains(to) || from.place == Place::Local(to) || !own && f.locals[to].size < LEAST {
            return false;
        }
        let mut bad: FxHashMap<Block, Vec<u32>> = FxHashMap::default();
        let mut reads: Vec<At> = Vec::new();
        if !self.spend(self.events[to].len()) {
            return false;
        }
        for e in &self.events[to] {
            match (e.what, e.inst) {
                (What::Copied(k) | What::Part(k), _) if k == c => {}
                (What::Read, None) => reads.push(e.at),
                (What::Init, _) => bad.entry(e.at.block).or_default().push(e.at.step),
                (What::Read, Some(i)) => {
                    let (d, now) = (&f.insts[i], self.loads[i]);
                    let m = d.mem().expect("a load has its memory");
                    let bounded = d.dyn_offset().is_none() || m.flags.has(MemFlags::IN_BOUNDS);
                    let two = from.base.is_some() && now.is_some_and(|n| n.from.base.is_some());
                    if two || !bounded && cx.module.options.robust {
                        return false;
                    }
                    reads.push(e.at);
                }
                _ => return false,
            }
        }
        let copies_on =
            self.copies.iter().zip(&self.gone).any(|(k, gone)| {
                !gone && k.from.place == Place::Local(to) && k.from.base.is_some() && from.base.is_some()
            });
        let behind = |r: &At| match r.block == at.block {
            true => *r > at,
            false => self.dom.dominates(at.block, r.block),
        };
        if copies_on || !reads.iter().all(behind) {
            return false;
        }
        if !flags.has(MemFlags::READONLY) && !self.clobbers(from.place, cx, &mut bad) {
            return false;
        }
        bad.is_empty() || self.is_clean(at, &reads, &bad)
    }

    /// Adds where a place may be written; false if that is too much to ask, or not known.
    fn clobbers(&mut self, place: Place, cx: &PassCx<'_>, bad: &mut FxHashMap<Block, Vec<u32>>) -> bool {
        let mut add = |at: At| bad.entry(at.block).or_default().push(at.step);
        if let Place::Local(l) = place {
            if self.odd.contains(l) {
                return false;
            }
            self.events[l].iter().filter(|e| e.what != What::Read).for_each(|e| add(e.at));
            return self.spend(self.events[l].len());
        }
        let shared = is_shared(cx.module, place);
        for &(to, at) in &self.writes {
            if to.map_or(shared, |to| cx.module.overlap(to, place)) {
                add(at);
            }
        }
        self.spend(self.writes.len())
    }

    /// Whether none of the places `bad` stands on a way from `at` to one of `reads`, all of which `at` dominates.
    fn is_clean(&mut self, at: At, reads: &[At], bad: &FxHashMap<Block, Vec<u32>>) -> bool {
        let clean = |b: Block, to: u32| {
            let from = if b == at.block { Some(at.step) } else { None };
            bad.get(&b).is_none_or(|l| l.iter().all(|&s| from.is_some_and(|from| s <= from) || s >= to))
        };
        let mut seen: FxHashSet<Block> = FxHashSet::default();
        let mut work: Vec<Block> = Vec::new();
        let preds = self.preds;
        for r in reads {
            if !self.spend(1) {
                return false;
            }
            if !clean(r.block, r.step) {
                return false;
            }
            if r.block != at.block {
                work.extend(preds[r.block].iter().filter(|p| seen.insert(**p)));
            }
        }
        while let Some(b) = work.pop() {
            if !self.spend(1) {
                return false;
            }
            if !clean(b, u32::MAX) {
                return false;
            }
            if b != at.block {
                work.extend(preds[b].iter().filter(|p| seen.insert(**p)));
            }
        }
        true
    }

    /// Lets all reads of what a copy fills read what it copies.
    fn read_in_place(&mut self, c: usize) {
        let Copy { to, from, flags, align, .. } = self.copies[c];
        let events = std::mem::take(&mut self.events[to]);
        self.gone[c] = true;
        let mut moved = Vec::new();
        for e in events {
            match (e.what, e.inst) {
                (What::Init, Some(i)) => _ = self.unread.insert(i),
                (What::Read, Some(i)) => {
                    let m = self.f.insts[i].mem().expect("a load has its memory");
                    let before = self.loads[i].unwrap_or(Redirected {
                        from: Source { place: Place::Local(to), base: None, delta: 0 },
                        align: m.align,
                        flags: m.flags,
                    });
                    let bounds = flags.without(before.flags).has(MemFlags::IN_BOUNDS);
                    self.loads[i] = Some(Redirected {
                        from: Source {
                            place: from.place,
                            base: from.base.or(before.from.base),
                            delta: before.from.delta + from.delta,
                        },
                        align: before.align.min(align),
                        flags: if bounds { flags.without(MemFlags::IN_BOUNDS) } else { flags },
                    });
                    moved.push(e);
                }
                (What::Read, None) => moved.push(e),
                _ => {}
            }
        }
        for (k, copy) in self.copies.iter_mut().enumerate() {
            if copy.from.place == Place::Local(to) && !self.gone[k] {
                copy.from = Source {
                    place: from.place,
                    base: from.base.or(copy.from.base),
                    delta: copy.from.delta + from.delta,
                };
                copy.align = copy.align.min(align);
                let bounds = flags.0 & copy.flags.0 & MemFlags::IN_BOUNDS.0;
                copy.flags = MemFlags(flags.without(MemFlags::IN_BOUNDS).0 | bounds);
            }
        }
        if let Place::Local(l) = from.place {
            self.events[l].extend(moved);
            self.forget(l);
        }
    }
}

/// Writes down what was found.
fn rewrite(
    f: &mut Function,
    named: &SecondaryMap<Local, Option<Local>>,
    loads: &SecondaryMap<Inst, Option<Redirected>>,
    gone: &EntitySet<Inst>,
) {
    let name = |mut l: Local| {
        while let Some(n) = named[l] {
            l = n;
        }
        l
    };
    for l in f.locals.keys() {
        let to = name(l);
        f.locals[to].align = f.locals[to].align.max(f.locals[l].align);
    }
    let mut old = Vec::new();
    for b in f.layout.clone() {
        f.take_insts(b, &mut old);
        for &i in &old {
            if gone.contains(i) {
                continue;
            }
            if let Some(new) = loads[i] {
                let dynamic = found::sum(f, b, i, new.from.base, f.insts[i].dyn_offset());
                let d = &mut f.insts[i];
                d.args = dynamic.into_iter().collect();
                let m = d.mem_mut().expect("a load has its memory");
                m.place = new.from.place;
                m.offset += new.from.delta;
                (m.align, m.flags) = (new.align, new.flags);
            }
            match &mut f.insts[i].attr {
                Attr::Mem(m) | Attr::Atomic(_, m) => {
                    if let Place::Local(l) = &mut m.place {
                        *l = name(*l);
                    }
                }
                Attr::Place(Place::Local(l)) => *l = name(*l),
                _ => {}
            }
            f.blocks[b].insts.push(i);
        }
    }
}

/// Leads around loops that are not needed any more.
fn bypass(f: &mut Function, loops: &[CopyLoop]) {
    let mut gone: EntitySet<Block> = EntitySet::new();
    for l in loops {
        let t = f.terminator(l.before);
        f.insts[t].map_edges(|e| {
            if e.block == l.blocks[0] {
                e.clone_from(&l.exit);
            }
        });
        gone.extend_from(&l.blocks);
    }
    f.layout.retain(|&b| !gone.contains(b));
}
