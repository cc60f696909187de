//! Variables that hold copies: one that nobody writes afterwards is read where the copy came from, and one that takes the place of
//! another is that other one.
//!
//! ```text
//! for i { local1[i] = res0[i] } .. v1 = load local1[v0]                ==>      v1 = load res0[v0]
//! for i { local1[i] = local0[i] } .. local1[v0] = 1 .. (local0 is not read any more)      ==>      local0[v0] = 1
//! ```
//!
//! A third lets a variable that is given to other memory as a whole live there:
//!
//! ```text
//! for i { local1[i] = res0[i] } .. local1[v0] = 1 .. for i { res0[i] = local1[i] }        ==>      res0[v0] = 1
//! ```
//!
//! The first holds where nothing that may write the source stands on a way from the copy to a load: no store, no atomic access, and for what
//! others write no barrier either. The second holds where neither variable is written while the other is still to be read; so does the third, where
//! the end of the shader, a barrier and everything that touches the memory reads it. All leave the copy
//! without a use, so it goes with its loops.
//!
//! Needs: private variables as variables of the function. Keeps: structure; the blocks of copying loops go. Leaves alone: variables with volatile
//! or atomic accesses, copies of parts of a variable, copies from other memory that become values, reads at an index that nothing bounds in a robust
//! module.

use crate::PassCx;
use gpucc_ir::analysis::DomTree;
use gpucc_ir::{
    Attr, Block, CsrLists, EntitySet, Function, Init, Inst, Local, MemFlags, Op, Place, Scope, SecondaryMap, Space,
    Value, trace,
};
use rustc_hash::{FxHashMap, FxHashSet};

mod at;
mod elsewhere;
mod found;
mod roll;
use at::At;
use found::{Copy, CopyLoop, Found, Source, find, is_shared};

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
    /// A loop begins that writes all of it.
    Filled,
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

/// What happens to memory that is no variable of the function; without a place to all that others share.
#[derive(Clone, Copy, Debug)]
struct Other {
    place: Option<Place>,
    at: At,
    inst: Inst,
    is_read: bool,
}

/// The new address of an access.
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
    /// Copies of whole variables to other memory; without accesses those that are none any more.
    given: Vec<Copy>,
    /// Variables that a loop writes, with the place in front of it.
    fills: Vec<(Local, At)>,
    /// Accesses to other places, and barriers.
    others: Vec<Other>,
    /// Whether something else than a barrier, at which all wait, may order what invocations do.
    signals: bool,
    /// Variables that are others now.
    named: SecondaryMap<Local, Option<Local>>,
    /// Accesses with another address.
    moved: SecondaryMap<Inst, Option<Redirected>>,
    /// Copies to memory in which the variable lives now.
    elsewhere: Vec<Copy>,
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
    let found = find(f, cx);
    if found.copies.is_empty() && found.given.is_empty() && found.idle.is_empty() && found.fills.is_empty() {
        return;
    }
    let Found { copies, given, idle, fills } = found;
    let (dom, preds) = (cx.dom(f), cx.preds(f));
    let mut s = State {
        f,
        dom: &dom,
        preds: &preds,
        gone: vec![false; copies.len()],
        copies,
        events: SecondaryMap::new(),
        odd: EntitySet::new(),
        given,
        fills,
        others: Vec::new(),
        signals: false,
        named: SecondaryMap::with_default(None),
        moved: SecondaryMap::with_default(None),
        elsewhere: Vec::new(),
        unread: EntitySet::new(),
        steps: STEPS * f.layout.len() + EACH * f.insts.len(),
    };
    let all = s.steps;
    s.collect();
    s.forget_unread(cx);
    // A copy that goes writes nothing that another one may read in place.
    while s.remove_some(cx) {}
    for g in 0..s.given.len() {
        if let Some(unread) = s.lives_elsewhere(g, cx)
            && cx.change()
        {
            s.live_elsewhere(g, &unread);
        }
    }
    trace::work((all - s.steps) as u64);
    let State { copies, gone, elsewhere, named, moved, unread, .. } = s;
    let mut loops: Vec<CopyLoop> = Vec::new();
    let mut stores: EntitySet<Inst> = unread;
    let copies = copies.into_iter().zip(gone).filter(|x| x.1).map(|x| x.0);
    for c in copies.chain(elsewhere) {
        stores.extend_from(&c.accesses.iter().map(|a| a.1).collect::<Vec<_>>());
        loops.extend(c.loops);
    }
    loops.extend(idle.into_iter().filter(|_| cx.change()));
    rewrite(f, &named, &moved, &stores);
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
            mine.insert(c.own);
            if let Place::Local(l) = c.other.place {
                mine.insert(l);
            }
            copied.extend(c.accesses.iter().map(|a| a.1));
            part.extend(c.accesses.iter().map(|a| (a.0, k)));
        }
        mine.extend_from(&self.given.iter().map(|g| g.own).collect::<Vec<_>>());
        mine.extend_from(&self.fills.iter().map(|x| x.0).collect::<Vec<_>>());
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
                self.signals |= match &d.attr {
                    Attr::Barrier(b) => b.exec != Scope::Workgroup,
                    Attr::Mem(m) => !m.flags.is_alone(),
                    _ => matches!(d.op, Op::Atomic | Op::CmpXchg | Op::ImageAtomic | Op::Call),
                };
                let (place, what) = match (&d.attr, d.op) {
                    (Attr::Mem(m), Op::Load) => (m.place, What::Read),
                    (Attr::Mem(m) | Attr::Atomic(_, m), _) => (m.place, What::Write),
                    (Attr::Place(p), _) => (*p, What::Init),
                    (_, Op::Barrier | Op::Call) => {
                        self.others.push(Other { place: None, at, inst: i, is_read: true });
                        self.others.push(Other { place: None, at, inst: i, is_read: false });
                        continue;
                    }
                    _ => continue,
                };
                let Place::Local(l) = place else {
                    self.others.push(Other { place: Some(place), at, inst: i, is_read: what == What::Read });
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
                self.events[c.own].push(Event { at, what, inst: None, part: None });
            }
            // What is copied stays the same until all of it is.
            if let Place::Local(l) = c.other.place {
                self.events[l].push(Event { at: c.at, what: What::Read, inst: None, part: Some(k) });
            }
        }
        for g in &self.given {
            self.events[g.own].push(Event { at: g.at, what: What::Read, inst: None, part: None });
        }
        for &(l, at) in &self.fills {
            self.events[l].push(Event { at, what: What::Filled, inst: None, part: None });
        }
        for l in mine.iter() {
            self.events[l].sort_by_key(|e| e.at);
        }
    }

    /// Does without copies, one after the other; whether without some.
    fn remove_some(&mut self, cx: &mut PassCx<'_>) -> bool {
        let mut any = false;
        for c in 0..self.copies.len() {
            if self.gone[c] {
                continue;
            }
            if let Some(unread) = self.is_one_variable(c) {
                if cx.change() {
                    self.unite(c, &unread);
                    any = true;
                }
            } else if let Some(reads) = self.reads_in_place(c, cx)
                && cx.change()
            {
                self.read_in_place(c, reads);
                any = true;
            }
        }
        any
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
        let defines = |e: &Event| matches!(e.what, What::Init | What::Copied(_) | What::Filled);
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
        let (a, from) = (self.copies[c].own, self.copies[c].other);
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
                    c.own == a && c.other.place == Place::Local(b) || c.own == b && c.other.place == Place::Local(a)
                };
                match e.what {
                    What::Read | What::Filled => {}
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
        let a = self.copies[c].own;
        let Place::Local(b) = self.copies[c].other.place else { return };
        self.named[a] = Some(b);
        for k in 0..self.copies.len() {
            let copy = &mut self.copies[k];
            if copy.own == a {
                copy.own = b;
            }
            if copy.other.place == Place::Local(a) {
                copy.other.place = Place::Local(b);
            }
            let onto_itself = copy.other.place == Place::Local(copy.own);
            self.gone[k] |= onto_itself;
        }
        self.given.iter_mut().filter(|g| g.own == a).for_each(|g| g.own = b);
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

    /// The reads of what a copy fills, if all of them can be reads of what it copies.
    fn reads_in_place(&mut self, c: usize, cx: &PassCx<'_>) -> Option<Vec<Event>> {
        let Copy { own: to, other: from, flags, at, .. } = self.copies[c];
        let f = self.f;
        let small = !matches!(from.place, Place::Local(_)) && is_small(f, to, cx);
        if self.odd.contains(to) || from.place == Place::Local(to) || small {
            return None;
        }
        let reads = self.reached(c)?;
        let fits = |e: &Event| {
            let behind = match e.at.block == at.block {
                true => e.at > at,
                false => self.dom.dominates(at.block, e.at.block),
            };
            let Some(i) = e.inst else { return behind };
            let (d, now) = (&f.insts[i], self.moved[i]);
            let bounded = d.dyn_offset().is_none() || d.mem().is_some_and(|m| m.flags.has(MemFlags::IN_BOUNDS));
            let two = from.base.is_some() && now.is_some_and(|n| n.from.base.is_some());
            behind && !two && (bounded || !cx.module.options.robust)
        };
        let copies_on = |e: &Event| {
            let based = |k: usize| self.copies[k].other.base.is_some() && from.base.is_some();
            e.inst.is_none() && e.part.is_some_and(based)
        };
        if !reads.iter().all(fits) || reads.iter().any(copies_on) {
            return None;
        }
        let mut bad: FxHashMap<Block, Vec<u32>> = FxHashMap::default();
        for e in &self.events[to] {
            if !matches!(e.what, What::Read | What::Write) && e.what != What::Copied(c) && e.what != What::Part(c) {
                bad.entry(e.at.block).or_default().push(e.at.step);
            }
        }
        let still = flags.has(MemFlags::READONLY) || self.clobbers(from.place, at, cx, &mut bad);
        let at_all: Vec<At> = reads.iter().map(|e| e.at).collect();
        (still && (bad.is_empty() || self.is_clean(at, &at_all, &bad))).then_some(reads)
    }

    /// What reads some of what a copy fills; `None` if something else is written there first, or if it is too much to ask.
    fn reached(&mut self, c: usize) -> Option<Vec<Event>> {
        let (to, at) = (self.copies[c].own, self.copies[c].at);
        let mut found = Vec::new();
        let mut seen: FxHashSet<Block> = FxHashSet::default();
        let mut work: Vec<(Block, Option<At>)> = vec![(at.block, Some(at))];
        while let Some((b, from)) = work.pop() {
            if !self.spend(1 + self.within(to, b).len()) {
                return None;
            }
            let mut goes_on = true;
            for e in self.within(to, b).iter().filter(|e| from.is_none_or(|from| e.at > from)) {
                match e.what {
                    What::Read => found.push(*e),
                    What::Init | What::Copied(_) | What::Filled => {
                        goes_on = false;
                        break;
                    }
                    What::Write | What::Part(_) => return None,
                }
            }
            if goes_on {
                work.extend(self.f.succs(b).iter().filter(|s| seen.insert(**s)).map(|&s| (s, None)));
            }
        }
        Some(found)
    }

    /// Adds where a place may be written; false if that is too much to ask, or not known.
    fn clobbers(&mut self, place: Place, at: At, cx: &PassCx<'_>, bad: &mut FxHashMap<Block, Vec<u32>>) -> bool {
        let mut add = |at: At| bad.entry(at.block).or_default().push(at.step);
        if let Place::Local(l) = place {
            if self.odd.contains(l) {
                return false;
            }
            let writes = |e: &&Event| !matches!(e.what, What::Read | What::Filled);
            self.events[l].iter().filter(writes).for_each(|e| add(e.at));
            return self.spend(self.events[l].len());
        }
        let shared = is_shared(cx.module, place) && !self.is_done(place, at, cx);
        for o in self.others.iter().filter(|o| !o.is_read) {
            if o.place.map_or(shared, |to| cx.module.overlap(to, place)) {
                add(o.at);
            }
        }
        self.spend(self.others.len())
    }

    /// Whether nobody writes workgroup memory from a place on: nothing behind it does, and where barriers alone order what invocations do,
    /// none of the others does in the meantime.
    fn is_done(&mut self, place: Place, at: At, cx: &PassCx<'_>) -> bool {
        let f = self.f;
        if cx.module.space(place) != Space::Workgroup || self.signals {
            return false;
        }
        let mut seen: FxHashSet<Block> = FxHashSet::default();
        let mut work: Vec<Block> = f.succs(at.block).to_vec();
        while let Some(b) = work.pop() {
            if !self.spend(1) {
                return false;
            }
            if seen.insert(b) {
                work.extend(f.succs(b));
            }
        }
        let behind = |w: At| seen.contains(&w.block) || w.block == at.block && w.step > at.step;
        let mut writes =
            self.others.iter().filter(|o| !o.is_read && o.place.is_some_and(|p| cx.module.overlap(p, place)));
        !writes.any(|w| behind(w.at)) && self.spend(self.others.len())
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
    fn read_in_place(&mut self, c: usize, reads: Vec<Event>) {
        let Copy { own: to, other: from, flags, align, .. } = self.copies[c];
        self.gone[c] = true;
        let moved: FxHashSet<At> = reads.iter().map(|e| e.at).collect();
        self.events[to].retain(|e| e.what != What::Read || !moved.contains(&e.at));
        self.forget(to);
        for e in &reads {
            if let Some(i) = e.inst {
                let m = self.f.insts[i].mem().expect("a load has its memory");
                let before = self.moved[i].unwrap_or(Redirected {
                    from: Source { place: Place::Local(to), base: None, delta: 0 },
                    align: m.align,
                    flags: m.flags,
                });
                let bounds = flags.without(before.flags).has(MemFlags::IN_BOUNDS);
                self.moved[i] = Some(Redirected {
                    from: from.behind(before.from),
                    align: before.align.min(align),
                    flags: if bounds { flags.without(MemFlags::IN_BOUNDS) } else { flags },
                });
            } else if let Some(k) = e.part {
                let copy = &mut self.copies[k];
                copy.other = from.behind(copy.other);
                copy.align = copy.align.min(align);
                let bounds = flags.0 & copy.flags.0 & MemFlags::IN_BOUNDS.0;
                copy.flags = MemFlags(flags.without(MemFlags::IN_BOUNDS).0 | bounds);
            }
        }
        let whole = from.base.is_none() && from.delta == 0;
        for g in self.given.iter_mut().filter(|g| g.own == to && moved.contains(&g.at)) {
            match from.place {
                Place::Local(l) if whole && self.f.locals[l].size == self.f.locals[to].size => g.own = l,
                _ => g.accesses.clear(),
            }
        }
        if let Place::Local(l) = from.place {
            self.events[l].extend(reads);
            self.forget(l);
        }
    }
}

/// Whether a variable becomes selects, so that its copies cost little.
fn is_small(f: &Function, l: Local, cx: &PassCx<'_>) -> bool {
    cx.hangs_on_target();
    f.locals[l].size <= cx.caps.select_array_bytes
}

/// Writes down what was found.
fn rewrite(
    f: &mut Function,
    named: &SecondaryMap<Local, Option<Local>>,
    moved: &SecondaryMap<Inst, Option<Redirected>>,
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
            if let Some(new) = moved[i] {
                // Where something is added it is a load.
                if new.from.base.is_some() {
                    let dynamic = found::sum(f, b, i, new.from.base, f.insts[i].dyn_offset());
                    f.insts[i].args = dynamic.into_iter().collect();
                }
                let m = f.insts[i].mem_mut().expect("an access has its memory");
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
