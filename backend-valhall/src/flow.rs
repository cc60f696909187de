//! Slots and flow: which message signals which slot, what waits where, where lanes come together, where the program ends
//! (reference, section 9).
//!
//! Works on blocks of encoded instructions. Messages get slots; a dataflow over the blocks knows per slot which registers and which
//! memory are outstanding; an instruction that touches any of it needs a wait, which the instruction before it carries.

use std::collections::BTreeSet;

use smallvec::SmallVec;

use gpucc_ir::Loc;
use gpucc_isa::Packed;
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

    fn slot(&self) -> Option<usize> {
        let slot = self.inst.get("slot").filter(|&s| self.message && s < SLOTS as u32);
        slot.map(|s| s as usize)
    }

    fn flow(&self) -> u32 {
        self.inst.get("flow").unwrap_or(0)
    }
}

/// A program in blocks.
#[derive(Clone, Debug)]
pub struct Lines {
    /// Instructions.
    pub blocks: Vec<Vec<Item>>,
    /// Successors.
    pub succs: Vec<Vec<usize>>,
    /// Whether the program ends behind the block.
    pub ends: Vec<bool>,
    /// Whether all lanes of the workgroup that began leave the block together.
    pub together: Vec<bool>,
}

/// What is outstanding, per slot.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct State {
    busy: [bool; SLOTS],
    writes: [u64; SLOTS],
    staging: [u64; SLOTS],
    memory: [Vec<(u16, bool, Option<u32>)>; SLOTS],
}

impl State {
    fn join(&mut self, o: &State) -> bool {
        let before = self.clone();
        for s in 0..SLOTS {
            self.busy[s] |= o.busy[s];
            self.writes[s] |= o.writes[s];
            self.staging[s] |= o.staging[s];
            // Keys say nothing across blocks.
            for &(space, writes, _) in &o.memory[s] {
                self.note(s, (space, writes, None));
            }
        }
        *self != before
    }

    fn note(&mut self, s: usize, m: (u16, bool, Option<u32>)) {
        if let Err(k) = self.memory[s].binary_search(&m) {
            self.memory[s].insert(k, m);
        }
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

/// Gives messages their slots: what nobody reads (stores) its own, the others in turns.
fn assign(lines: &mut Lines) {
    let mut turn = 0;
    for item in lines.blocks.iter_mut().flatten() {
        if !item.message || item.inst.op() == Op::Barrier {
            continue;
        }
        let slot = if item.writes == 0 {
            2
        } else {
            turn ^= 1;
            turn ^ 1
        };
        item.inst.set("slot", slot);
    }
}

/// What is outstanding at the entry of each block (`None`: never reached) and at its end.
fn solve(lines: &Lines) -> (Vec<Option<State>>, Vec<State>) {
    let n = lines.blocks.len();
    let mut entry: Vec<Option<State>> = vec![None; n];
    let mut exit: Vec<State> = vec![State::default(); n];
    entry[0] = Some(State::default());
    // In the order of the code, so that a block waits for those before it.
    let mut work = BTreeSet::from([0usize]);
    while let Some(b) = work.pop_first() {
        let mut state = entry[b].clone().unwrap_or_default();
        for item in &lines.blocks[b] {
            let mask = state.needs(item);
            state.wait(mask);
            state.issue(item);
        }
        for &to in &lines.succs[b] {
            let new = entry[to].is_none();
            if entry[to].get_or_insert_default().join(&state) || new {
                work.insert(to);
            }
        }
        exit[b] = state;
    }
    (entry, exit)
}

/// A loop whose first instruction needs a message from before the loop would wait in each round, by an instruction of its
/// own: the wait moves in front of the loop. Returns whether any did.
fn hoist(lines: &mut Lines, entry: &[Option<State>], exit: &[State]) -> bool {
    let mut moved = false;
    let mut preds: Vec<SmallVec<[usize; 2]>> = vec![SmallVec::new(); lines.blocks.len()];
    for (b, succs) in lines.succs.iter().enumerate().filter(|&(b, _)| entry[b].is_some()) {
        succs.iter().for_each(|&s| preds[s].push(b));
    }
    for b in 0..lines.blocks.len() {
        let (Some(state), Some(first)) = (&entry[b], lines.blocks[b].first()) else { continue };
        let (mask, loc) = (state.needs(first), first.loc);
        let busy = |p: usize| (0..SLOTS).filter(|&s| exit[p].busy[s]).fold(0, |m, s| m | 1 << s) & mask;
        let mut back = preds[b].iter().copied().filter(|&p| p >= b).peekable();
        // Only where the rounds themselves leave nothing outstanding.
        if mask == 0 || back.peek().is_none() || back.any(|p| busy(p) != 0) {
            continue;
        }
        for &p in preds[b].iter().filter(|&&p| p < b) {
            let at = lines.blocks[p].iter().position(|i| i.target.is_some()).unwrap_or(lines.blocks[p].len());
            let slots = busy(p);
            if slots != 0 {
                lines.blocks[p].insert(at, Item::wait(slots, loc));
                moved = true;
            }
        }
    }
    moved
}

/// Adds slots, waits, reconvergence, last uses and the end; gives the blocks as they will be emitted.
pub fn run(mut lines: Lines) -> Vec<Vec<Item>> {
    assign(&mut lines);
    let n = lines.blocks.len();
    let (mut entry, exit) = solve(&lines);
    if hoist(&mut lines, &entry, &exit) {
        entry = solve(&lines).0;
    }
    let reached: Vec<bool> = entry.iter().map(Option::is_some).collect();
    let mut preds = vec![0u32; n];
    for (b, succs) in lines.succs.iter().enumerate() {
        if reached[b] {
            succs.iter().for_each(|&s| preds[s] += 1);
        }
    }
    let mut out = Vec::with_capacity(n);
    for (b, items) in std::mem::take(&mut lines.blocks).into_iter().enumerate() {
        let mut block: Vec<Item> = Vec::with_capacity(items.len() + 1);
        let mut state = entry[b].clone().unwrap_or_default();
        for mut item in items {
            let mask = state.needs(&item);
            if mask != 0 {
                wait(&mut block, mask, item.loc);
                state.wait(mask);
            }
            item.staged = state.staging.iter().fold(item.staging, |m, s| m | s);
            state.issue(&item);
            if !item.fence && item.empty == 0 {
                block.push(item);
            }
        }
        out.push(block);
    }
    for b in 0..n {
        let loc = out[b].last().map_or(Loc::UNKNOWN, |i| i.loc);
        if lines.ends[b] {
            finish(&mut out[b], flow::END, loc);
            continue;
        }
        if !reached[b] {
            continue;
        }
        // Behind a divergent branch, and where some of the lanes go to a block that others may come to.
        let join = lines.succs[b].iter().any(|&s| preds[s] > 1) && !lines.together[b];
        for item in out[b].iter_mut().filter(|i| i.conditional && (join || !i.uniform)) {
            item.inst.set("flow", flow::RECONVERGE);
        }
        let last_conditional = out[b].last().is_some_and(|i| i.conditional);
        if !last_conditional && join {
            finish(&mut out[b], flow::RECONVERGE, loc);
        }
    }
    last_uses(&mut out, &lines.succs);
    out
}

/// Marks sources that are read for the last time (reference, 9.3). Not where a message may still have to read the register.
fn last_uses(blocks: &mut [Vec<Item>], succs: &[Vec<usize>]) {
    let mut live_in = vec![0u64; blocks.len()];
    // Walking up, only what goes back up has not been seen yet.
    let mut back = vec![false; blocks.len()];
    for (b, succs) in succs.iter().enumerate() {
        succs.iter().filter(|&&s| s <= b).for_each(|&s| back[s] = true);
    }
    let mut again = true;
    while again {
        again = false;
        for b in (0..blocks.len()).rev() {
            let mut live = succs[b].iter().fold(0, |m, &s| m | live_in[s]);
            for i in blocks[b].iter().rev() {
                live = live & !i.writes | i.reads | i.staging;
            }
            again |= back[b] && live_in[b] != live;
            live_in[b] = live;
        }
    }
    for (block, succs) in blocks.iter_mut().zip(succs) {
        let mut live = succs.iter().fold(0, |m, &s| m | live_in[s]);
        for i in block.iter_mut().rev() {
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

/// Makes the instruction before the next one wait.
fn wait(block: &mut Vec<Item>, mask: u32, loc: Loc) {
    match block.last_mut() {
        Some(last) if last.flow() < 8 => {
            let both = last.flow() | mask;
            last.inst.set("flow", both);
        }
        _ => block.push(Item::nop(mask, loc)),
    }
}

/// Puts a flow that is no wait on the last instruction of a block.
fn finish(block: &mut Vec<Item>, value: u32, loc: Loc) {
    match block.last_mut() {
        // The end waits by itself.
        Some(last) if last.flow() == 0 || value == flow::END && last.flow() < 8 && last.target.is_none() => {
            last.inst.set("flow", value);
        }
        _ => block.push(Item::nop(value, loc)),
    }
}
