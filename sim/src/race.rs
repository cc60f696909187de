//! Races: two accesses of the same bytes that neither barriers nor atomics order, of which one changes bytes.
//!
//! * A barrier orders what the invocations of its workgroup did before it with what they do after it, in all memory.
//! * Atomic accesses never race with each other, and order what they synchronise (`sync`).
//! * Nothing else orders invocations: not the lockstep of a subgroup, not the order in which a run happens to go.
//! * A store that leaves every byte as it is races with no load, and with a store only if that one changes bytes.
//!
//! Each word of watched memory remembers who wrote it last and two who read it, of different workgroups if there were such:
//! an access that changes it later is ordered behind both or races with one. Words that are accessed in parts are kept by the byte.

use std::collections::BTreeMap;

use crate::dispatch::{Races, RunReport};
use crate::memory::{AllocId, Memory};
use crate::sync::{Observer, SyncLog};
use crate::trap::{Other, Trap, TrapKind};

/// Who accesses memory: index of the invocation in its workgroup, address of the instruction.
#[derive(Clone, Copy, Debug)]
pub struct By {
    /// Local index of the invocation.
    pub lane: u32,
    /// Byte address of the instruction.
    pub pc: u32,
}

const READS: u8 = 1;
const WRITES: u8 = 2;
const CHANGES: u8 = 4;
const ATOMIC: u8 = 8;

/// An access that happened; nothing if the workgroup is 0.
#[derive(Clone, Copy, Debug, Default)]
struct Past {
    /// Number of the workgroup, from 1.
    group: u32,
    time: u32,
    pc: u32,
    lane: u16,
    kind: u8,
}

/// The memory of a word, or of a byte.
#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    /// Who changed it last; several only if all were atomic.
    writes: [Past; 2],
    /// Who read it, or stored what was there, since.
    reads: [Past; 2],
}

/// Words of a page.
const PAGE: usize = 256;

/// Bits of an address of the code.
const MARK_ATOMIC: u8 = 1;
const MARK_CLAMPED: u8 = 2;

/// Where the clamp of an access sends what is out of bounds.
#[derive(Clone, Copy, Debug)]
struct Clamp {
    pc: u32,
    kind: u16,
    place: u16,
    values: [u32; 3],
}

impl Clamp {
    /// Whether an access at `offset` of `len` bytes may have been sent there.
    fn hit(&self, offset: u64, len: u64) -> bool {
        let [a, b, c] = self.values.map(u64::from);
        match self.kind {
            // A constant index that the buffer has room for was not sent anywhere.
            RaceCheck::TAIL => offset + a >= len && (b == 0 || b > len),
            RaceCheck::INDEX => offset >= a && (offset - a).checked_div(b).is_some_and(|i| i % (c + 1) == c),
            _ => false,
        }
    }
}

/// The clamps of the instruction at an address.
fn clamps_of(all: &[Clamp], pc: u32) -> &[Clamp] {
    let first = all.partition_point(|c| c.pc < pc);
    let count = all[first..].iter().take_while(|c| c.pc == pc).count();
    &all[first..first + count]
}

/// The place of workgroup memory in the rows of section `RACE`.
pub const WORKGROUP: u16 = 0xffff;

/// The place of memory that a workgroup has beside that: no row and no variable speaks of it.
pub const WORKGROUP_ASIDE: u16 = 0xfffe;

/// How messages call the resource of a binding; its name in the source may be empty.
pub fn binding_name(group: u32, binding: u32, name: &str) -> String {
    match name {
        "" => format!("group {group} binding {binding}"),
        name => format!("`{name}` (group {group} binding {binding})"),
    }
}

/// Watched memory.
#[derive(Clone, Debug, Default)]
struct Shadow {
    name: String,
    bytes: u64,
    /// Place in the resources of the container.
    place: u16,
    /// Belongs to one workgroup at a time.
    own: bool,
    pages: Vec<Option<Box<[Cell; PAGE]>>>,
    /// Words that are kept by the byte.
    split: BTreeMap<usize, Box<[Cell; 4]>>,
}

/// A workgroup that was started.
#[derive(Clone, Copy, Debug, Default)]
struct Group {
    number: u32,
    /// When it last passed a barrier.
    barrier: u32,
}

/// Notes kept of a run that continues in spite of races.
const MOST_NOTES: usize = 16;

/// Ids of workgroups that are kept for messages.
const MOST_IDS: usize = 1 << 20;

/// The check of a run.
#[derive(Clone, Debug, Default)]
pub struct RaceCheck {
    mode: Races,
    /// Shadow of each allocation, if it is watched.
    shadows: Vec<Option<Box<Shadow>>>,
    /// Marks by address: [`MARK_ATOMIC`] if a plain instruction is an atomic access, [`MARK_CLAMPED`] if some of `clamps` are its.
    marks: Vec<u8>,
    clamps: Vec<Clamp>,
    now: u32,
    groups: Vec<Group>,
    current: usize,
    started: u32,
    log: SyncLog,
    found: Found,
}

/// What was found, and what its messages need.
#[derive(Clone, Debug, Default)]
struct Found {
    ids: Vec<[u32; 3]>,
    notes: Vec<Trap>,
    /// Variables of workgroup memory: first byte, bytes, name.
    variables: Vec<(u32, u32, String)>,
}

/// Where the check stands when it looks at an access.
struct View<'a> {
    log: &'a mut SyncLog,
    group: Group,
    now: u32,
    own: bool,
}

impl View<'_> {
    /// Whether a barrier or the order of the program puts `p` before what `by` does now.
    #[inline]
    fn before(&self, p: &Past, lane: u16) -> bool {
        if p.group == self.group.number {
            p.lane == lane || p.time < self.group.barrier
        } else {
            p.group == 0 || self.own
        }
    }

    fn ordered(&mut self, p: &Past, lane: u16) -> bool {
        self.before(p, lane) || {
            let observer = Observer { who: (self.group.number, lane), barrier: self.group.barrier, now: self.now };
            self.log.orders((p.group, p.lane), p.time, observer)
        }
    }

    /// Adds an access to a cell; gives the one it races with.
    #[inline]
    fn meet(&mut self, cell: &mut Cell, new: Past) -> Option<Past> {
        let atomic = new.kind & ATOMIC != 0;
        let changes = new.kind & CHANGES != 0;
        // The second place is taken only where the first one is.
        if cell.writes[0].group != 0 && (changes || new.kind & READS != 0) {
            for w in &cell.writes {
                let both_atomic = new.kind & w.kind & ATOMIC != 0;
                if !both_atomic && !self.ordered(w, new.lane) {
                    return Some(*w);
                }
            }
        }
        if !changes {
            self.keep(&mut cell.reads, new);
            return None;
        }
        if cell.reads[0].group != 0 {
            for r in &cell.reads {
                let both_atomic = new.kind & r.kind & ATOMIC != 0;
                if !both_atomic && !self.ordered(r, new.lane) {
                    return Some(*r);
                }
            }
        }
        if atomic {
            self.keep(&mut cell.writes, new);
        } else {
            *cell = Cell { writes: [new, Past::default()], reads: [Past::default(); 2] };
        }
        None
    }

    /// Keeps an access: in the place of one that comes before it, or else so that both are of different workgroups.
    #[inline]
    fn keep(&self, places: &mut [Past; 2], new: Past) {
        // A plain access says more than an atomic one of the same invocation.
        let covers = |p: &Past| {
            self.before(p, new.lane) && (p.kind & ATOMIC >= new.kind & ATOMIC || p.time < self.group.barrier)
        };
        if covers(&places[0]) || places[0].group == 0 {
            places[0] = new;
        } else if covers(&places[1])
            || places[1].group == 0
            || places[1].group == places[0].group && new.group != places[0].group
        {
            places[1] = new;
        }
    }
}

impl RaceCheck {
    /// Kind of a row: the plain load or store is an atomic access of the source.
    pub const ATOMIC: u16 = 1;
    /// Kind of a row: what is out of bounds goes to the last bytes of the buffer, if that is shorter than the second value.
    pub const TAIL: u16 = 2;
    /// Kind of a row: what is out of bounds goes to the last element of an array.
    pub const INDEX: u16 = 3;

    /// A check in this mode of `code` bytes of code. `marks` is what section `RACE` of the container says, row by row: address,
    /// kind, place, values (`docs/container.md`). Without it nothing is checked, since nobody could tell atomic loads and
    /// stores from others.
    pub fn new<I>(mode: Races, code: usize, rows: Option<I>) -> RaceCheck
    where
        I: IntoIterator<Item = (u32, u16, u16, [u32; 3])>,
    {
        let Some(rows) = rows.filter(|_| mode != Races::Off) else { return RaceCheck::default() };
        let mut marks = vec![0; code];
        let mut clamps = Vec::new();
        for (pc, kind, place, values) in rows {
            let Some(mark) = marks.get_mut(pc as usize) else { continue };
            if kind == RaceCheck::ATOMIC {
                *mark |= MARK_ATOMIC;
            } else {
                *mark |= MARK_CLAMPED;
                clamps.push(Clamp { pc, kind, place, values });
            }
        }
        clamps.sort_by_key(|c| c.pc);
        RaceCheck { mode, marks, clamps, now: 1, ..RaceCheck::default() }
    }

    /// Whether anything is checked.
    #[inline]
    pub fn is_on(&self) -> bool {
        self.mode != Races::Off
    }

    /// Whether an allocation is watched.
    #[inline]
    pub fn watches(&self, id: AllocId) -> bool {
        matches!(self.shadows.get(id.0 as usize), Some(Some(_)))
    }

    /// Watches an allocation of `bytes` bytes: the buffer at this place of the container's resources, or what each workgroup
    /// has anew if that is [`WORKGROUP`] or [`WORKGROUP_ASIDE`].
    pub fn watch(&mut self, id: AllocId, bytes: u64, name: impl Into<String>, place: u16) {
        if !self.is_on() {
            return;
        }
        let at = id.0 as usize;
        if self.shadows.len() <= at {
            self.shadows.resize(at + 1, None);
        }
        let mut pages = Vec::new();
        pages.resize_with((bytes as usize).div_ceil(4 * PAGE), || None);
        self.shadows[at] = Some(Box::new(Shadow {
            name: name.into(),
            bytes,
            place,
            own: matches!(place, WORKGROUP | WORKGROUP_ASIDE),
            pages,
            split: BTreeMap::new(),
        }));
    }

    /// Names the variables of workgroup memory in messages: first byte, bytes, name.
    pub fn variables<'n>(&mut self, all: impl IntoIterator<Item = (u32, u32, &'n str)>) {
        if self.is_on() {
            self.found.variables = all.into_iter().map(|(at, bytes, name)| (at, bytes, name.to_owned())).collect();
        }
    }

    /// Watches another allocation as this one is watched.
    pub fn watch_like(&mut self, id: AllocId, other: AllocId) {
        let Some(Some(s)) = self.shadows.get(id.0 as usize) else { return };
        let (bytes, name, place) = (s.bytes, s.name.clone(), s.place);
        self.watch(other, bytes, name, place);
    }

    /// Starts a workgroup in a slot and makes it the one that runs.
    pub fn begin(&mut self, slot: usize, id: [u32; 3]) {
        if !self.is_on() {
            return;
        }
        self.started += 1;
        if self.found.ids.len() < MOST_IDS {
            self.found.ids.push(id);
        }
        if self.groups.len() <= slot {
            self.groups.resize(slot + 1, Group::default());
        }
        self.tick();
        self.groups[slot] = Group { number: self.started, barrier: self.now };
        self.current = slot;
    }

    /// The workgroup in this slot runs from here on.
    #[inline]
    pub fn enter(&mut self, slot: usize) {
        self.current = slot;
    }

    /// Resources that lie in two allocations change places.
    pub fn exchange(&mut self, a: AllocId, b: AllocId) {
        let (a, b) = (a.0 as usize, b.0 as usize);
        if self.is_on() && self.shadows.len() > a.min(b) {
            self.shadows.resize(self.shadows.len().max(a.max(b) + 1), None);
            self.shadows.swap(a, b);
        }
    }

    /// The workgroup that runs passed a barrier.
    pub fn barrier(&mut self) {
        self.tick();
        if let Some(g) = self.groups.get_mut(self.current) {
            g.barrier = self.now;
        }
    }

    fn tick(&mut self) {
        match self.now.checked_add(1) {
            Some(n) => self.now = n,
            // Beyond this nothing could be told apart.
            None => self.mode = Races::Off,
        }
    }

    /// A load by a plain instruction.
    ///
    /// # Errors
    /// A race, if it is to trap.
    #[inline]
    pub fn load(&mut self, id: AllocId, offset: u64, size: u32, by: By) -> Result<(), Trap> {
        match self.shadows.get(id.0 as usize) {
            Some(Some(_)) => self.access(id, offset, size, READS, by),
            _ => Ok(()),
        }
    }

    /// A store by a plain instruction, before it happens.
    ///
    /// # Errors
    /// A race, if it is to trap.
    #[inline]
    pub fn store(&mut self, memory: &Memory, id: AllocId, offset: u64, new: &[u8], by: By) -> Result<(), Trap> {
        match self.shadows.get(id.0 as usize) {
            Some(Some(_)) => {
                self.store_over(memory.bytes(id).get(offset as usize..).unwrap_or(&[]), id, offset, new, by)
            }
            _ => Ok(()),
        }
    }

    /// A store over the bytes `old`, before it happens.
    ///
    /// # Errors
    /// A race, if it is to trap.
    pub fn store_over(&mut self, old: &[u8], id: AllocId, offset: u64, new: &[u8], by: By) -> Result<(), Trap> {
        if !matches!(self.shadows.get(id.0 as usize), Some(Some(_))) {
            return Ok(());
        }
        // Word by word, so that what is the same in a wide store stays so.
        let mut at = 0;
        while at < new.len() {
            let step = (4 - (offset as usize + at) % 4).min(new.len() - at);
            let changes = old.get(at..at + step) != Some(&new[at..at + step]);
            let kind = if changes { WRITES | CHANGES } else { WRITES };
            self.access(id, offset + at as u64, step as u32, kind, by)?;
            at += step;
        }
        Ok(())
    }

    /// A read and write in one by an atomic instruction.
    ///
    /// # Errors
    /// A race, if it is to trap.
    pub fn atomic(&mut self, id: AllocId, offset: u64, size: u32, changes: bool, by: By) -> Result<(), Trap> {
        match self.shadows.get(id.0 as usize) {
            Some(Some(_)) => {
                let kind = READS | WRITES | ATOMIC | if changes { CHANGES } else { 0 };
                self.access(id, offset, size, kind, by)
            }
            _ => Ok(()),
        }
    }

    fn access(&mut self, id: AllocId, offset: u64, size: u32, mut kind: u8, by: By) -> Result<(), Trap> {
        let Some(Some(shadow)) = self.shadows.get_mut(id.0 as usize) else { return Ok(()) };
        let group = self.groups.get(self.current).copied().unwrap_or_default();
        let marks = self.marks.get(by.pc as usize).copied().unwrap_or(0);
        if marks & MARK_ATOMIC != 0 {
            kind |= ATOMIC;
        }
        if marks & MARK_CLAMPED != 0 {
            let own = clamps_of(&self.clamps, by.pc);
            if own.iter().any(|c| c.place == shadow.place && c.hit(offset, shadow.bytes)) {
                return Ok(());
            }
        }
        let new = Past { group: group.number, time: self.now, pc: by.pc, lane: by.lane as u16, kind };
        let mut view = View { log: &mut self.log, group, now: self.now, own: shadow.own };
        let mut met: Option<(Past, u64)> = None;
        let (first, end) = (offset as usize, offset as usize + size as usize);
        let mut at = first;
        while at < end {
            let word = at / 4;
            let next = (4 * word + 4).min(end);
            let Some(page) = shadow.pages.get_mut(word / PAGE) else { break };
            let page = page.get_or_insert_with(|| Box::new([Cell::default(); PAGE]));
            let cell = &mut page[word % PAGE];
            if next - at == 4 && shadow.split.is_empty() {
                if let Some(p) = view.meet(cell, new) {
                    met.get_or_insert((p, at as u64));
                }
            } else if next - at < 4 || shadow.split.contains_key(&word) {
                let bytes = shadow.split.entry(word).or_insert_with(|| Box::new([*cell; 4]));
                for b in at..next {
                    if let Some(p) = view.meet(&mut bytes[b % 4], new) {
                        met.get_or_insert((p, b as u64));
                    }
                }
            } else if let Some(p) = view.meet(cell, new) {
                met.get_or_insert((p, at as u64));
            }
            at = next;
        }
        if kind & ATOMIC != 0 {
            self.tick();
            let observer = Observer { who: (group.number, by.lane as u16), barrier: group.barrier, now: self.now };
            self.log.note(observer, (id.0, offset), kind & READS != 0, kind & WRITES != 0);
        }
        match (met, self.shadows.get(id.0 as usize)) {
            (Some((p, at)), Some(Some(shadow))) => self.found.add(self.mode, shadow, (at, size), [new, p]),
            _ => Ok(()),
        }
    }

    /// What one plain instruction does to whole words of an allocation, unless that is more than who did it before whom: where an
    /// access counts as an atomic one, or words are kept by the byte. `None` inside where nobody watches.
    pub(crate) fn plain(&mut self, id: AllocId, pc: u32) -> Option<Option<Plain<'_>>> {
        let Some(Some(shadow)) = self.shadows.get_mut(id.0 as usize) else { return Some(None) };
        let marks = self.marks.get(pc as usize).copied().unwrap_or(0);
        if !shadow.split.is_empty() || marks & MARK_ATOMIC != 0 {
            return None;
        }
        let clamps = if marks & MARK_CLAMPED != 0 { clamps_of(&self.clamps, pc) } else { &[] };
        let group = self.groups.get(self.current).copied().unwrap_or_default();
        let view = View { log: &mut self.log, group, now: self.now, own: shadow.own };
        Some(Some(Plain { view, shadow, found: &mut self.found, mode: self.mode, clamps, pc }))
    }

    /// Whether races were found that did not end the run.
    pub(crate) fn has_some(&self) -> bool {
        !self.found.notes.is_empty()
    }

    /// Adds what was found to the report of a run that went on; `text` prints the instruction at an address.
    pub fn report(&mut self, report: &mut RunReport, text: impl Fn(u64) -> String) {
        report.races.extend(self.found.notes.drain(..).map(|t| {
            let pc = t.pc.unwrap_or(0);
            t.at(pc, || text(pc)).name_other(&text)
        }));
    }
}

/// A plain instruction at whole words of a watched allocation.
pub(crate) struct Plain<'a> {
    view: View<'a>,
    shadow: &'a mut Shadow,
    found: &'a mut Found,
    mode: Races,
    clamps: &'a [Clamp],
    pc: u32,
}

impl Plain<'_> {
    /// Whether a clamp may have sent an access there, which then is nobody's.
    #[inline]
    fn is_clamped(&self, offset: u64) -> bool {
        self.clamps.iter().any(|c| c.place == self.shadow.place && c.hit(offset, self.shadow.bytes))
    }

    fn past(&self, lane: u32, kind: u8) -> Past {
        Past { group: self.view.group.number, time: self.view.now, pc: self.pc, lane: lane as u16, kind }
    }

    #[inline]
    fn meet(&mut self, word: usize, new: Past) -> Option<Past> {
        let page = self.shadow.pages.get_mut(word / PAGE)?;
        let page = page.get_or_insert_with(|| Box::new([Cell::default(); PAGE]));
        self.view.meet(&mut page[word % PAGE], new)
    }

    /// A load of some words by a lane.
    #[inline]
    pub fn load(&mut self, lane: u32, offset: u64, words: usize) -> Result<(), Trap> {
        if self.is_clamped(offset) {
            return Ok(());
        }
        let new = self.past(lane, READS);
        let mut met = None;
        for k in 0..words {
            if let Some(p) = self.meet(offset as usize / 4 + k, new) {
                met.get_or_insert((p, offset + 4 * k as u64));
            }
        }
        match met {
            Some((p, at)) => self.found.add(self.mode, self.shadow, (at, 4 * words as u32), [new, p]),
            None => Ok(()),
        }
    }

    /// A store of a word by a lane, before it happens.
    #[inline]
    pub fn store(&mut self, lane: u32, offset: u64, changes: bool) -> Result<(), Trap> {
        if self.is_clamped(offset) {
            return Ok(());
        }
        let new = self.past(lane, if changes { WRITES | CHANGES } else { WRITES });
        match self.meet(offset as usize / 4, new) {
            Some(p) => self.found.add(self.mode, self.shadow, (offset, 4), [new, p]),
            None => Ok(()),
        }
    }
}

impl Found {
    /// Adds a race of a new access with an old one, in messages by the first byte and the bytes of the new one.
    #[cold]
    fn add(&mut self, mode: Races, shadow: &Shadow, (at, size): (u64, u32), [new, old]: [Past; 2]) -> Result<(), Trap> {
        let what = |p: &Past| match (p.kind & ATOMIC != 0, p.kind & READS != 0, p.kind & WRITES != 0) {
            (true, true, true) => "atomic access",
            (true, true, _) => "atomic load",
            (true, ..) => "atomic store",
            (_, _, true) => "store",
            _ => "load",
        };
        let place = |p: &Past| match self.ids.get(p.group as usize - 1) {
            Some([x, y, z]) => format!("invocation {} of workgroup {x},{y},{z}", p.lane),
            None => format!("invocation {} of workgroup number {}", p.lane, p.group),
        };
        let name = &shadow.name;
        let inside = |v: &&(u32, u32, String)| (u64::from(v.0)..u64::from(v.0) + u64::from(v.1)).contains(&at);
        let variable = self.variables.iter().filter(|_| shadow.place == WORKGROUP).find(inside);
        let (at, name) = match variable {
            Some((start, _, own)) => (at - u64::from(*start), format!("`{own}` in {name}")),
            None => (at, name.to_owned()),
        };
        let message = format!(
            "{} of {size} bytes by {} and {} by {} are not ordered, at byte {at} of {name}",
            what(&new),
            place(&new),
            what(&old),
            place(&old),
        );
        let mut trap = Trap::new(TrapKind::Race, message);
        trap.other = Some(Box::new(Other { pc: old.pc.into(), instruction: None }));
        if mode == Races::Trap {
            return Err(trap);
        }
        trap.pc = Some(new.pc.into());
        let same = |t: &Trap| {
            let pair = |t: &Trap| (t.pc, t.other.as_ref().map(|o| o.pc));
            let (a, b) = (pair(t), pair(&trap));
            a == b || a == (b.1, b.0)
        };
        if self.notes.len() < MOST_NOTES && !self.notes.iter().any(same) {
            self.notes.push(trap);
        }
        Ok(())
    }
}
