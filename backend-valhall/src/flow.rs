//! Flow: what waits where, where lanes come together, where the program ends
//! (reference, section 9).
//!
//! Works on blocks of encoded instructions, whose messages have slots. A dataflow over the blocks knows per slot which registers and which
//! memory are outstanding; an instruction that touches any of it needs a wait, which the instruction before it carries.

use std::collections::BTreeSet;
use std::ops::Range;

use smallvec::SmallVec;

use gpucc_ir::Loc;
use gpucc_isa::Packed;
use gpucc_mir::Entries;
use gpucc_valhall_machine::build::{flow, inst as blank};
use gpucc_valhall_machine::{Kind, Op, Valhall, ValhallInst};

/// Slots that messages share.
const SLOTS: usize = 3;

/// Memory that a message touches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    /// 0 is anything; different ones never overlap.
    pub space: u16,
    /// Whether it writes.
    pub writes: bool,
    /// Accesses of one space with different keys (in one run of a block) do not overlap: base and range.
    pub key: Option<u32>,
}

/// One instruction on its way to the code.
#[derive(Clone, Debug)]
pub struct Item {
    /// The instruction.
    pub inst: Packed<Valhall>,
    /// Where it comes from.
    pub loc: Loc,
    /// Registers it reads at once.
    pub reads: u64,
    /// Registers of the staging run it reads.
    pub staging: u64,
    /// Registers it writes.
    pub writes: u64,
    /// What it touches, if order matters.
    pub access: Option<Access>,
    /// Whether it completes later.
    pub message: bool,
    /// Block it branches to.
    pub target: Option<u32>,
    /// Whether it may also not branch.
    pub conditional: bool,
    /// Whether all lanes that come here do the same.
    pub uniform: bool,
    /// Registers that outstanding messages may still have to read.
    staged: u64,
    /// No instruction: everything before has to be complete.
    pub fence: bool,
    /// No instruction: these slots have to be empty.
    empty: u32,
}

impl Item {
    /// An instruction without effects.
    pub fn new(inst: ValhallInst, loc: Loc) -> Item {
        Item {
            inst: inst.into(),
            loc,
            reads: 0,
            staging: 0,
            writes: 0,
            access: None,
            message: false,
            target: None,
            conditional: false,
            uniform: false,
            staged: 0,
            fence: false,
            empty: 0,
        }
    }

    /// A point that all messages before it have to reach.
    pub fn fence(loc: Loc) -> Item {
        Item { fence: true, ..Item::new(blank(Op::Nop), loc) }
    }

    /// A point that the messages of some slots have to reach.
    fn wait(slots: u32, loc: Loc) -> Item {
        Item { empty: slots, ..Item::new(blank(Op::Nop), loc) }
    }

    fn nop(value: u32, loc: Loc) -> Item {
        let mut i = Item::new(blank(Op::Nop), loc);
        i.inst.set("flow", value);
        i
    }

    /// Whether it is an instruction.
    pub fn is_code(&self) -> bool {
        !self.fence && self.empty == 0
    }

    fn slot(&self) -> Option<usize> {
        let slot = self.inst.get("slot").filter(|&s| self.message && s < SLOTS as u32);
        slot.map(|s| s as usize)
    }

    fn flow(&self) -> u32 {
        self.inst.get("flow").unwrap_or(0)
    }
}

/// A block of a program.
#[derive(Clone, Debug, Default)]
pub struct Line {
    /// Its items among those of the program.
    pub items: Range<usize>,
    /// Number of its first instruction in the program, once all are known.
    pub start: usize,
    /// Successors.
    pub succs: SmallVec<[u32; 2]>,
    /// Whether the program ends behind the block.
    pub ends: bool,
    /// Whether all lanes of the workgroup that began leave the block together.
    pub together: bool,
}

/// A program in blocks, their instructions one after the other.
#[derive(Clone, Debug, Default)]
pub struct Lines {
    /// Instructions, and points that are none.
    pub items: Vec<Item>,
    /// Instructions between them: each with the number of the item that it comes before, in order.
    pub added: Vec<(usize, Item)>,
    /// Blocks in order.
    pub blocks: Vec<Line>,
}

/// An access that a message makes: space, whether it writes, key.
type Touch = (u16, bool, Option<u32>);

/// What is outstanding, per slot.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct State {
    busy: [bool; SLOTS],
    writes: [u64; SLOTS],
    staging: [u64; SLOTS],
    memory: [SmallVec<[Touch; 2]>; SLOTS],
}

impl gpucc_mir::State for State {
    fn is_idle(&self) -> bool {
        let none = |s: usize| !self.busy[s] && self.writes[s] | self.staging[s] == 0 && self.memory[s].is_empty();
        (0..SLOTS).all(none)
    }

    fn join(&mut self, o: &State) -> bool {
        let mut changed = false;
        for s in 0..SLOTS {
            let before = (self.busy[s], self.writes[s], self.staging[s]);
            self.busy[s] |= o.busy[s];
            self.writes[s] |= o.writes[s];
            self.staging[s] |= o.staging[s];
            changed |= before != (self.busy[s], self.writes[s], self.staging[s]);
            // Keys say nothing across blocks.
            for &(space, writes, _) in &o.memory[s] {
                changed |= self.note(s, (space, writes, None));
            }
        }
        changed
    }
}

impl State {
    /// Whether it was not known.
    fn note(&mut self, s: usize, m: Touch) -> bool {
        let at = self.memory[s].binary_search(&m);
        if let Err(k) = at {
            self.memory[s].insert(k, m);
        }
        at.is_err()
    }

    /// The slots that are in use, as bits.
    fn busy(&self) -> u32 {
        (0..SLOTS).filter(|&s| self.busy[s]).fold(0, |m, s| m | 1 << s)
    }

    /// Slots that have to be empty before `item`.
    fn needs(&self, item: &Item) -> u32 {
        let all = item.fence || item.inst.op() == Op::Barrier;
        let touched = item.reads | item.staging | item.writes;
        let mut mask = 0;
        for s in 0..SLOTS {
            let conflict = item.access.is_some_and(|a| {
                self.memory[s].iter().any(|&(space, writes, key)| {
                    let apart = matches!((a.key, key), (Some(x), Some(y)) if disjoint(x, y));
                    (space == a.space || space == 0 || a.space == 0) && (writes || a.writes) && !apart
                })
            });
            let asked = all || item.empty >> s & 1 == 1;
            if asked && self.busy[s] || self.writes[s] & touched != 0 || conflict {
                mask |= 1 << s;
            }
        }
        mask
    }

    fn wait(&mut self, mask: u32) {
        for s in (0..SLOTS).filter(|s| mask >> s & 1 == 1) {
            self.busy[s] = false;
            self.writes[s] = 0;
            self.staging[s] = 0;
            self.memory[s].clear();
        }
    }

    fn issue(&mut self, item: &Item) {
        let Some(s) = item.slot() else { return };
        self.busy[s] = true;
        self.writes[s] |= item.writes;
        self.staging[s] |= item.staging;
        if let Some(a) = item.access {
            self.note(s, (a.space, a.writes, a.key));
        }
    }
}

/// Packs what distinguishes accesses with one base: number of the base, first word, words.
pub fn key(base: u32, word: u32, words: u32) -> Option<u32> {
    (base < 1 << 14 && word < 1 << 14).then_some(base << 18 | word << 4 | words)
}

fn disjoint(x: u32, y: u32) -> bool {
    let (base, word, words) = (|k: u32| k >> 18, |k: u32| k >> 4 & 0x3fff, |k: u32| k & 15);
    base(x) == base(y) && (word(x) + words(x) <= word(y) || word(y) + words(y) <= word(x))
}

/// What is outstanding at the entry of each block, and the slots in use at its end.
fn solve(lines: &Lines) -> (Entries<State>, Vec<u32>) {
    let n = lines.blocks.len();
    let mut entry = Entries::new(n);
    let mut busy = vec![0; n];
    // In the order of the code, so that a block waits for those before it.
    let mut work = BTreeSet::from([0usize]);
    let mut state = State::default();
    while let Some(b) = work.pop_first() {
        state.clone_from(entry.get(b).unwrap_or(&State::default()));
        let line = &lines.blocks[b];
        for item in &lines.items[line.items.clone()] {
            let mask = state.needs(item);
            state.wait(mask);
            state.issue(item);
        }
        for &to in &line.succs {
            if entry.join(to as usize, &state) {
                work.insert(to as usize);
            }
        }
        busy[b] = state.busy();
    }
    (entry, busy)
}

/// A loop whose first instruction needs a message from before the loop would wait in each round, by an instruction of its
/// own: the wait moves in front of the loop. Returns whether any did.
fn hoist(lines: &mut Lines, entry: &Entries<State>, busy: &[u32]) -> bool {
    let mut preds: Vec<SmallVec<[u32; 2]>> = vec![SmallVec::new(); lines.blocks.len()];
    for (b, line) in lines.blocks.iter().enumerate().filter(|&(b, _)| entry.is_reached(b)) {
        line.succs.iter().for_each(|&s| preds[s as usize].push(b as u32));
    }
    // In front of which item of which block.
    let mut waits: Vec<(u32, usize, Item)> = Vec::new();
    for (b, line) in lines.blocks.iter().enumerate() {
        let (Some(state), Some(first)) = (entry.get(b), lines.items[line.items.clone()].first()) else { continue };
        let mask = state.needs(first);
        let mut back = preds[b].iter().filter(|&&p| p as usize >= b).peekable();
        // Only where the rounds themselves leave nothing outstanding.
        if mask == 0 || back.peek().is_none() || back.any(|&p| busy[p as usize] & mask != 0) {
            continue;
        }
        for &p in preds[b].iter().filter(|&&p| (p as usize) < b) {
            let before = lines.blocks[p as usize].items.clone();
            let branch = lines.items[before.clone()].iter().position(|i| i.target.is_some());
            let slots = busy[p as usize] & mask;
            if slots != 0 {
                waits.push((p, branch.map_or(before.end, |k| before.start + k), Item::wait(slots, first.loc)));
            }
        }
    }
    if waits.is_empty() {
        return false;
    }
    waits.sort_by_key(|w| w.0);
    let mut waits = waits.into_iter().peekable();
    let mut items = std::mem::take(&mut lines.items).into_iter();
    lines.items.reserve(items.len() + waits.len());
    for (b, line) in lines.blocks.iter_mut().enumerate() {
        let old = std::mem::replace(&mut line.items.start, lines.items.len())..line.items.end;
        // All of one block go to one place.
        let before = waits.peek().filter(|w| w.0 as usize == b).map_or(0, |w| w.1 - old.start);
        lines.items.extend(items.by_ref().take(before));
        while let Some(w) = waits.next_if(|w| w.0 as usize == b) {
            lines.items.push(w.2);
        }
        lines.items.extend(items.by_ref().take(old.len() - before));
        line.items.end = lines.items.len();
    }
    true
}

/// Adds waits, reconvergence, last uses and the end.
pub fn run(mut lines: Lines) -> Lines {
    let n = lines.blocks.len();
    let (mut entry, busy) = solve(&lines);
    if hoist(&mut lines, &entry, &busy) {
        entry = solve(&lines).0;
    }
    let mut preds = vec![0u32; n];
    for (b, line) in lines.blocks.iter().enumerate() {
        if entry.is_reached(b) {
            line.succs.iter().for_each(|&s| preds[s as usize] += 1);
        }
    }
    let Lines { items, blocks, .. } = &mut lines;
    let mut out = Out { items, added: Vec::new(), last: None, count: 0 };
    let mut state = State::default();
    for (b, line) in blocks.iter_mut().enumerate() {
        (line.start, out.last) = (out.count, None);
        state.clone_from(entry.get(b).unwrap_or(&State::default()));
        for k in line.items.clone() {
            let item = &out.items[k];
            let (mask, loc) = (state.needs(item), item.loc);
            if mask != 0 {
                out.wait(k, mask, loc);
                state.wait(mask);
            }
            let item = &mut out.items[k];
            item.staged = state.staging.iter().fold(item.staging, |m, s| m | s);
            state.issue(item);
            if item.is_code() {
                out.last = Some(Last::Item(k));
                out.count += 1;
            }
        }
        let end = line.items.end;
        let loc = out.last().map_or(Loc::UNKNOWN, |i| i.loc);
        if line.ends {
            out.finish(end, flow::END, loc);
        } else if entry.is_reached(b) {
            // Behind a divergent branch, and where some of the lanes go to a block that others may come to.
            let join = line.succs.iter().any(|&s| preds[s as usize] > 1) && !line.together;
            for item in out.items[line.items.clone()].iter_mut().filter(|i| i.conditional && (join || !i.uniform)) {
                item.inst.set("flow", flow::RECONVERGE);
            }
            let last_conditional = out.last().is_some_and(|i| i.conditional);
            // Lanes that a branch left behind jump on without the others, which have to come along first.
            let parted = out.items[line.items.clone()].iter().any(|i| i.conditional && !i.uniform);
            if !last_conditional && (join || parted) {
                out.finish(end, flow::RECONVERGE, loc);
            }
        }
    }
    lines.added = out.added;
    last_uses(&mut lines);
    lines
}

/// The last instruction of a block so far.
#[derive(Clone, Copy)]
enum Last {
    Item(usize),
    Added(usize),
}

/// A program to which instructions are added. Few are, so the others stay where they are.
struct Out<'a> {
    items: &'a mut [Item],
    /// In front of which item, in order.
    added: Vec<(usize, Item)>,
    last: Option<Last>,
    /// Instructions so far.
    count: usize,
}

impl Out<'_> {
    fn last(&mut self) -> Option<&mut Item> {
        self.last.map(|l| match l {
            Last::Item(k) => &mut self.items[k],
            Last::Added(n) => &mut self.added[n].1,
        })
    }

    fn add(&mut self, at: usize, item: Item) {
        self.last = Some(Last::Added(self.added.len()));
        self.added.push((at, item));
        self.count += 1;
    }

    /// Makes the instruction of the block before item `at` wait.
    fn wait(&mut self, at: usize, mask: u32, loc: Loc) {
        match self.last() {
            Some(last) if last.flow() < 8 => {
                let both = last.flow() | mask;
                last.inst.set("flow", both);
            }
            _ => self.add(at, Item::nop(mask, loc)),
        }
    }

    /// Puts a flow that is no wait on the last instruction of the block that ends before item `at`.
    fn finish(&mut self, at: usize, value: u32, loc: Loc) {
        match self.last() {
            // The end waits by itself.
            Some(last) if last.flow() == 0 || value == flow::END && last.flow() < 8 && last.target.is_none() => {
                last.inst.set("flow", value);
            }
            _ => self.add(at, Item::nop(value, loc)),
        }
    }
}

/// Marks sources that are read for the last time (reference, 9.3). Not where a message may still have to read the register.
fn last_uses(lines: &mut Lines) {
    let Lines { items, blocks, .. } = lines;
    let mut live_in = vec![0u64; blocks.len()];
    // Walking up, only what goes back up has not been seen yet.
    let mut back = vec![false; blocks.len()];
    for (b, line) in blocks.iter().enumerate() {
        line.succs.iter().filter(|&&s| s as usize <= b).for_each(|&s| back[s as usize] = true);
    }
    let out = |line: &Line, live_in: &[u64]| line.succs.iter().fold(0, |m, &s| m | live_in[s as usize]);
    let mut again = true;
    while again {
        again = false;
        for (b, line) in blocks.iter().enumerate().rev() {
            let mut live = out(line, &live_in);
            for i in items[line.items.clone()].iter().rev() {
                live = live & !i.writes | i.reads | i.staging;
            }
            again |= back[b] && live_in[b] != live;
            live_in[b] = live;
        }
    }
    for line in blocks.iter().rev() {
        let mut live = out(line, &live_in);
        for i in items[line.items.clone()].iter_mut().rev() {
            let after = live & !i.writes | i.staged;
            for k in 0..i.inst.row().slots.len() {
                let Kind::Src(kind) = i.inst.row().slots[k].kind else { continue };
                let raw = i.inst.at(k);
                if raw & 0xc0 != 0 {
                    continue;
                }
                let mask = if kind.wide { 3u64 << (raw & 0x3e) } else { 1 << (raw & 0x3f) };
                if mask & after == 0 {
                    i.inst.set_at(k, raw | 0x40);
                }
            }
            live = live & !i.writes | i.reads | i.staging;
        }
    }
}
