//! The vector L1: one for each compute unit, and not coherent (sections 11.1 and 16).
//!
//! A load without GLC may find a line as it was when its compute unit first read it. Stores write through, so
//! that the unit itself sees them; atomics and loads with GLC go to L2; `buffer_wbinvl1` forgets all lines of the unit.
//! Lines are never evicted here: what code may meet at worst it meets. Only lines that another unit has written since
//! they were read are kept as copies, all others are what memory holds.

use std::collections::BTreeMap;

use gpucc_sim::lanes::Words;
use gpucc_sim::{AllocId, Memory};

/// Compute units. More show nothing new.
pub(crate) const UNITS: u8 = 4;
/// Bytes of a line.
const LINE: u64 = 64;

/// The caches of all compute units.
#[derive(Clone)]
pub(crate) struct L1 {
    /// First line of each allocation that is cached, and one past the last.
    first: Vec<u32>,
    /// Units that hold a line, a bit each.
    held: Vec<u8>,
    /// Lines that were written by another unit since: what their holder still sees.
    old: BTreeMap<(u32, u8), [u8; LINE as usize]>,
}

impl L1 {
    /// Empty caches before the first `count` allocations of `memory`, the buffers.
    pub(crate) fn new(memory: &Memory, count: usize) -> L1 {
        let mut first = vec![0];
        let mut lines = 0;
        for n in 0..count {
            lines += memory.len(AllocId(n as u32)).div_ceil(LINE) as u32;
            first.push(lines);
        }
        L1 { first, held: vec![0; lines as usize], old: BTreeMap::new() }
    }

    /// Whether it is a buffer, of which lines may be here.
    pub(crate) fn caches(&self, id: AllocId) -> bool {
        id.0 as usize + 1 < self.first.len()
    }

    fn line(&self, id: AllocId, offset: u64) -> Option<u32> {
        let at = id.0 as usize;
        (at + 1 < self.first.len()).then(|| self.first[at] + (offset / LINE) as u32)
    }

    /// A plain load of `size` bytes inside one line by a unit: what its copy says, if that is not what memory holds.
    #[inline]
    pub(crate) fn load(&mut self, unit: u8, id: AllocId, offset: u64, size: u32) -> Option<u64> {
        let line = self.line(id, offset)?;
        let held = &mut self.held[line as usize];
        if *held >> unit & 1 == 0 {
            *held |= 1 << unit;
            return None;
        }
        if self.old.is_empty() {
            return None;
        }
        let copy = self.old.get(&(line, unit))?;
        let at = (offset % LINE) as usize;
        let mut word = [0; 8];
        word[..size as usize].copy_from_slice(&copy[at..at + size as usize]);
        Some(u64::from_le_bytes(word))
    }

    /// Before `unit` (or what is no vector unit) changes `size` bytes inside one line of memory to `value`: others keep
    /// what they have.
    #[inline]
    pub(crate) fn store(&mut self, memory: &Memory, unit: Option<u8>, id: AllocId, offset: u64, size: u32, value: u64) {
        let Some(line) = self.line(id, offset) else { return };
        let held = self.held[line as usize];
        if held & !unit.map_or(0, |u| 1 << u) != 0 {
            let start = offset / LINE * LINE;
            let bytes = memory.bytes(id);
            let end = bytes.len().min((start + LINE) as usize);
            for other in (0..UNITS).filter(|&u| Some(u) != unit && held >> u & 1 == 1) {
                self.old.entry((line, other)).or_insert_with(|| {
                    let mut copy = [0; LINE as usize];
                    copy[..end - start as usize].copy_from_slice(&bytes[start as usize..end]);
                    copy
                });
            }
        }
        if self.old.is_empty() {
            return;
        }
        if let Some(copy) = unit.and_then(|u| self.old.get_mut(&(line, u))) {
            let at = (offset % LINE) as usize;
            copy[at..at + size as usize].copy_from_slice(&value.to_le_bytes()[..size as usize]);
        }
    }

    /// Whether a unit's plain accesses to words are those of memory: no copy is older, and none becomes so by a store.
    pub(crate) fn is_memory(&self, unit: u8, w: &Words<'_>, store: bool) -> bool {
        if !self.old.is_empty() {
            return false;
        }
        let Some(first) = self.first_line(w.id).filter(|_| store) else { return true };
        let mut alone = true;
        w.each_line(LINE, |line| {
            alone &= self.held.get(first + line as usize).is_none_or(|h| h & !(1 << unit) == 0);
        });
        alone
    }

    /// A unit has loaded words, all of them inside of their buffer.
    pub(crate) fn hold(&mut self, unit: u8, w: &Words<'_>) {
        let Some(first) = self.first_line(w.id) else { return };
        w.each_line(LINE, |line| {
            if let Some(held) = self.held.get_mut(first + line as usize) {
                *held |= 1 << unit;
            }
        });
    }

    fn first_line(&self, id: AllocId) -> Option<usize> {
        self.caches(id).then(|| self.first[id.0 as usize] as usize)
    }

    /// Forgets all lines of a unit.
    pub(crate) fn invalidate(&mut self, unit: u8) {
        for h in &mut self.held {
            *h &= !(1 << unit);
        }
        self.old.retain(|k, _| k.1 != unit);
    }
}
