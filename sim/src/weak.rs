//! Memory as weakly ordered as hardware may have it, for runs with a seed that ask for it.
//!
//! A store is under way until its subgroup waits for it: till then memory, and with it everybody else, may not have it ([`Agent`]); so is an
//! atomic whose result nobody takes. A load that is issued while others of its subgroup are under way may come before them: it may see
//! memory as it was at any time since the subgroup last waited ([`Past`]). Accesses of one subgroup to one place stay in order. What waits
//! and fences promise is all that is certain then; where one is missing some seed shows it.

use std::collections::VecDeque;

use crate::memory::{AllocId, MemFault, Memory};
use crate::rng::SplitMix64;

/// Stores that are remembered: how far back a load may see.
const REMEMBERED: usize = 1 << 10;

/// Accesses of a subgroup that are under way at most.
const UNDER_WAY: usize = 1 << 12;

/// The bytes that one store changed.
#[derive(Clone, Debug)]
struct Change {
    time: u64,
    agent: u32,
    id: AllocId,
    offset: u64,
    old: [u8; 16],
    len: u8,
}

/// The past of memory.
#[derive(Clone, Debug, Default)]
pub struct Past {
    time: u64,
    changes: VecDeque<Change>,
}

fn overlap(a: (AllocId, u64), n: u64, b: (AllocId, u64), m: u64) -> bool {
    a.0 == b.0 && a.1 < b.1 + m && b.1 < a.1 + n
}

impl Past {
    /// Notes what a store of `agent` to at most 16 bytes of a buffer is about to replace.
    pub fn note(&mut self, memory: &Memory, agent: u32, id: AllocId, offset: u64, len: u32) {
        let mut old = [0; 16];
        let n = len as usize;
        let Some(bytes) = memory.bytes(id).get(offset as usize..offset as usize + n) else { return };
        old[..n].copy_from_slice(bytes);
        self.time += 1;
        if self.changes.len() >= REMEMBERED {
            self.changes.pop_front();
        }
        self.changes.push_back(Change { time: self.time, agent, id, offset, old, len: len as u8 });
    }

    /// Bytes as they were at `time`, but for what `agent` stored itself; `out` is what they are now.
    fn undo(&self, agent: u32, id: AllocId, offset: u64, out: &mut [u8], time: u64) {
        for c in self.changes.iter().rev().take_while(|c| c.time > time) {
            if !overlap((c.id, c.offset), c.len.into(), (id, offset), out.len() as u64) {
                continue;
            }
            if c.agent == agent {
                return;
            }
            for (k, byte) in out.iter_mut().enumerate() {
                let at = (offset + k as u64).wrapping_sub(c.offset);
                if at < c.len.into() {
                    *byte = c.old[at as usize];
                }
            }
        }
    }
}

/// A store, or an atomic without a result, that memory does not have yet.
#[derive(Clone, Debug)]
pub struct Late<T> {
    /// The tag that its subgroup waits for.
    pub tag: u64,
    /// The allocation that is stored to.
    pub id: AllocId,
    /// Offset of the first byte.
    pub offset: u64,
    /// Number of bytes from there on.
    pub len: u32,
    /// The store or atomic that is to happen.
    pub what: T,
}

impl<T> Late<T> {
    fn meets(&self, id: AllocId, offset: u64, len: u32) -> bool {
        overlap((self.id, self.offset), self.len.into(), (id, offset), len.into())
    }
}

/// The accesses that a subgroup, or whoever keeps their order, has under way.
#[derive(Clone, Debug)]
pub struct Agent<T> {
    number: u32,
    rng: SplitMix64,
    late: Vec<Late<T>>,
    /// The operation that is being issued, and how many of four accesses of its lanes are late.
    issuing: (u64, u64),
    /// When it last waited for what it loaded, and whether it came to a barrier since.
    since: u64,
    at_barrier: bool,
    /// Loads since then: where, how many bytes, and when memory was so.
    seen: Vec<(AllocId, u64, u64, u64)>,
}

impl<T> Agent<T> {
    /// The one with this number, which begins now.
    pub fn new(number: u32, rng: &SplitMix64, past: &Past) -> Agent<T> {
        let rng = rng.fork(0x7765_616b ^ u64::from(number) << 32);
        Agent {
            number,
            rng,
            late: Vec::new(),
            issuing: (u64::MAX, 0),
            since: past.time,
            at_barrier: false,
            seen: Vec::new(),
        }
    }

    /// Number of the agent, as stores name it.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// It waited for what it loaded: what it loads from here on is no older than now.
    pub fn observe(&mut self, past: &Past) {
        self.since = past.time;
        self.seen.clear();
    }

    /// It comes to a barrier: what it loads behind that is no older than what others did before.
    pub fn barrier(&mut self) {
        self.at_barrier = true;
    }

    /// A store or an atomic is issued; what memory has from now on, in order.
    pub fn issue(&mut self, memory: &Memory, late: Late<T>) -> Vec<Late<T>> {
        let inside = late.offset.checked_add(late.len.into()).is_some_and(|end| end <= memory.len(late.id));
        // A trap comes where its instruction is.
        let may = inside && memory.is_writable(late.id) && self.late.len() < UNDER_WAY;
        if self.issuing.0 != late.tag {
            self.issuing = (late.tag, self.rng.below(5));
        }
        if may && self.rng.below(4) < self.issuing.1 {
            self.late.push(late);
            return self.stray();
        }
        let mut out = self.before(late.id, late.offset, late.len);
        out.push(late);
        out
    }

    /// The accesses that have to come before the subgroup itself touches these bytes, taken out in order.
    pub fn before(&mut self, id: AllocId, offset: u64, len: u32) -> Vec<Late<T>> {
        if self.late.is_empty() {
            return Vec::new();
        }
        self.take(|l| l.meets(id, offset, len))
    }

    /// The accesses that are waited for, taken out in order.
    pub fn arrived(&mut self, mut done: impl FnMut(u64) -> bool) -> Vec<Late<T>> {
        if self.late.is_empty() {
            return Vec::new();
        }
        self.take(|l| done(l.tag))
    }

    /// Something that arrives by itself, now and then.
    pub fn stray(&mut self) -> Vec<Late<T>> {
        if self.late.is_empty() || self.rng.below(64) != 0 {
            return Vec::new();
        }
        let k = self.rng.below(self.late.len() as u64) as usize;
        let (id, offset, len) = (self.late[k].id, self.late[k].offset, self.late[k].len);
        self.before(id, offset, len)
    }

    /// Takes out some, and each that stands before one of them at the same bytes.
    fn take(&mut self, mut wanted: impl FnMut(&Late<T>) -> bool) -> Vec<Late<T>> {
        let mut out: Vec<Late<T>> = Vec::new();
        let mut kept: Vec<Late<T>> = Vec::new();
        // From the youngest: what lies under one that goes goes, too.
        for l in std::mem::take(&mut self.late).into_iter().rev() {
            if out.iter().any(|o| o.meets(l.id, l.offset, l.len)) || wanted(&l) {
                out.push(l);
            } else {
                kept.push(l);
            }
        }
        kept.reverse();
        out.reverse();
        self.late = kept;
        out
    }

    /// A load: bytes of a buffer now or as they were. What the subgroup itself stored there is in memory already ([`Agent::before`]).
    ///
    /// # Errors
    /// As [`Memory::load_bytes`].
    pub fn load(
        &mut self,
        past: &Past,
        memory: &Memory,
        id: AllocId,
        offset: u64,
        out: &mut [u8],
    ) -> Result<(), MemFault> {
        memory.load_bytes(id, offset, out)?;
        if std::mem::take(&mut self.at_barrier) {
            self.observe(past);
        }
        let n = out.len() as u64;
        let same = self.seen.iter().filter(|s| overlap((s.0, s.1), s.2, (id, offset), n));
        let least = same.map(|s| s.3).fold(self.since, u64::max);
        let mut time = past.time;
        if time > least && self.rng.below(2) == 0 {
            time = least + self.rng.below(time - least);
            past.undo(self.number, id, offset, out, time);
        }
        if self.seen.len() < UNDER_WAY {
            self.seen.push((id, offset, n, time));
        } else {
            // A load that is not remembered has been waited for.
            self.observe(past);
        }
        Ok(())
    }
}
