//! Messages of a warp in flight: registers that they will write, registers that they still read, bytes that they touch (section 9.1).
//!
//! A message is in flight in a lane until that lane waits for its slot, however many others follow: nothing completes by itself.

use std::collections::BTreeMap;

use gpucc_sim::trap::{Trap, TrapKind, unsupported};

use super::subgroup::{LANES, V64};

/// The effect of a message on memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Touch {
    Nothing,
    Read,
    Write,
}

/// Slot numbers of three bits.
const SLOTS: usize = 8;

/// Accesses that are kept in order of issue; older ones move to [`Aged`], where looking for one takes longer to set up but does
/// not depend on their number.
const RECENT: usize = 32;

/// Accesses under way in one lane and slot by first address: bytes, and whether it writes.
type Intervals = BTreeMap<u64, (u8, bool)>;

/// Older accesses by lane and slot.
#[derive(Clone, Default)]
struct Aged {
    lanes: [[Intervals; SLOTS]; LANES],
    count: usize,
}

/// Accesses that a warp may have under way: a bound of this machine, so that code without waits cannot exhaust it.
const MOST_AGED: usize = 1 << 20;

/// An access to memory that was issued and not yet waited for.
#[derive(Clone)]
struct Access {
    slot: u8,
    lanes: u16,
    writes: bool,
    addresses: V64,
    size: u32,
}

/// Registers that messages of one slot write and read.
#[derive(Clone)]
struct Registers {
    /// Those with a bit in the masks.
    any: u64,
    /// Lanes in which a message will write the register.
    writes: [u16; 64],
    /// Lanes in which a message may still read it as staging input.
    reads: [u16; 64],
}

/// The messages of a warp.
#[derive(Clone)]
pub(super) struct Scoreboard {
    /// Lanes with messages, by slot.
    busy: [u16; SLOTS],
    /// Registers that some message may still read.
    staged: u64,
    registers: Box<[Registers; SLOTS]>,
    recent: Vec<Access>,
    aged: Option<Box<Aged>>,
}

/// Numbers of the bits of a mask.
fn bits(mut mask: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let n = mask.trailing_zeros();
        mask &= mask.wrapping_sub(1);
        (n < 64).then_some(n as usize)
    })
}

fn overlap(a: u64, size_a: u64, b: u64, size_b: u64) -> bool {
    a < b + size_b && b < a + size_a
}

impl Scoreboard {
    /// A scoreboard with nothing under way.
    pub fn new() -> Scoreboard {
        let none = Registers { any: 0, writes: [0; 64], reads: [0; 64] };
        Scoreboard {
            busy: [0; SLOTS],
            staged: 0,
            registers: Box::new(core::array::from_fn(|_| none.clone())),
            recent: Vec::new(),
            aged: None,
        }
    }

    /// The slot whose message will write a register in one of `lanes`.
    pub fn writer(&self, reg: u8, lanes: u16) -> Option<usize> {
        (0..SLOTS).find(|&s| self.registers[s].writes[usize::from(reg)] & lanes != 0)
    }

    /// The slot whose message may still read a register in one of `lanes`, and those lanes.
    #[inline]
    pub fn reader(&self, reg: u8, lanes: u16) -> Option<(usize, u16)> {
        if self.staged >> reg & 1 == 0 {
            return None;
        }
        (0..SLOTS).map(|s| (s, self.registers[s].reads[usize::from(reg)] & lanes)).find(|&(_, found)| found != 0)
    }

    /// Lanes in which a message will write a register.
    pub fn pending(&self, reg: usize) -> u16 {
        self.registers.iter().fold(0, |m, r| m | r.writes[reg])
    }

    /// Slots with messages of `lanes` under way, as bits.
    pub fn busy(&self, lanes: u16) -> u8 {
        (0..SLOTS).filter(|&s| self.busy[s] & lanes != 0).fold(0, |m, s| m | 1 << s)
    }

    /// Records that a message on `slot` reads a run of registers.
    pub fn read(&mut self, slot: u8, run: (u8, u8), lanes: u16) {
        let s = usize::from(slot) % SLOTS;
        self.busy[s] |= lanes;
        for r in (run.0..run.0 + run.1).map(usize::from) {
            self.staged |= 1 << r;
            self.registers[s].any |= 1 << r;
            self.registers[s].reads[r] |= lanes;
        }
    }

    /// Records that a message on `slot` writes a run of registers.
    pub fn write(&mut self, slot: u8, run: (u8, u8), lanes: u16) {
        let s = usize::from(slot) % SLOTS;
        self.busy[s] |= lanes;
        for r in (run.0..run.0 + run.1).map(usize::from) {
            self.registers[s].any |= 1 << r;
            self.registers[s].writes[r] |= lanes;
        }
    }

    /// Records an access to memory.
    ///
    /// # Errors
    /// A hazard when it overlaps one that is under way in the same lane and one of them writes.
    pub fn touch(
        &mut self,
        slot: u8,
        lanes: u16,
        touch: Touch,
        addresses: &V64,
        size: u32,
    ) -> Result<(), (usize, Trap)> {
        if touch == Touch::Nothing {
            return Ok(());
        }
        let writes = touch == Touch::Write;
        for o in self.recent.iter().filter(|o| writes || o.writes) {
            let both = o.lanes & lanes;
            for l in bits(both.into()) {
                if overlap(addresses[l], size.into(), o.addresses[l], o.size.into()) {
                    return Err((l, hazard(addresses[l], o.addresses[l], usize::from(o.slot))));
                }
            }
        }
        if let Some(aged) = &self.aged {
            for l in bits(lanes.into()) {
                if let Some((slot, at)) = aged.find(l, addresses[l], size.into(), writes) {
                    return Err((l, hazard(addresses[l], at, slot)));
                }
            }
        }
        if self.recent.len() >= RECENT {
            let old = self.recent.remove(0);
            let aged = self.aged.get_or_insert_default();
            for l in bits(old.lanes.into()) {
                aged.add(l, &old);
            }
            if aged.count > MOST_AGED {
                let what = format!("more than {MOST_AGED} accesses of a warp are under way");
                return Err((lanes.trailing_zeros() as usize, unsupported(what)));
            }
        }
        self.recent.push(Access { slot, lanes, writes, addresses: *addresses, size });
        Ok(())
    }

    /// Completes the messages of `lanes` on the slots of `mask`; gives the registers whose record changed.
    pub fn wait(&mut self, mask: u8, lanes: u16) -> u64 {
        let mut changed = 0;
        for s in (0..SLOTS).filter(|s| mask >> s & 1 == 1) {
            if self.busy[s] & lanes == 0 {
                continue;
            }
            self.busy[s] &= !lanes;
            let r = &mut self.registers[s];
            changed |= r.any;
            for n in bits(r.any) {
                r.writes[n] &= !lanes;
                r.reads[n] &= !lanes;
                if r.writes[n] | r.reads[n] == 0 {
                    r.any &= !(1 << n);
                }
            }
            self.recent.retain_mut(|o| {
                if usize::from(o.slot) == s {
                    o.lanes &= !lanes;
                }
                o.lanes != 0
            });
            if let Some(aged) = &mut self.aged {
                for l in bits(lanes.into()) {
                    aged.count -= std::mem::take(&mut aged.lanes[l][s]).len();
                }
            }
        }
        for n in bits(changed & self.staged) {
            if self.registers.iter().all(|r| r.reads[n] == 0) {
                self.staged &= !(1 << n);
            }
        }
        changed
    }
}

impl Aged {
    fn add(&mut self, lane: usize, a: &Access) {
        let size = a.size as u8;
        let new = self.lanes[lane][usize::from(a.slot) % SLOTS].insert(a.addresses[lane], (size, a.writes));
        match new {
            // Only loads may overlap.
            Some((before, _)) if before > size => {
                self.lanes[lane][usize::from(a.slot) % SLOTS].insert(a.addresses[lane], (before, a.writes));
            }
            Some(_) => {}
            None => self.count += 1,
        }
    }

    /// Slot and address of an access that overlaps, where one of the two writes.
    fn find(&self, lane: usize, address: u64, size: u64, writes: bool) -> Option<(usize, u64)> {
        // No access is longer than 16 bytes.
        let range = address.saturating_sub(15)..address.saturating_add(size);
        self.lanes[lane].iter().enumerate().find_map(|(slot, list)| {
            let mut near = list.range(range.clone());
            near.find(|&(&at, &(n, w))| (writes || w) && overlap(address, size, at, n.into()))
                .map(|(&at, _)| (slot, at))
        })
    }
}

#[cold]
fn hazard(a: u64, b: u64, slot: usize) -> Trap {
    let what = format!(
        "access to {a:#x} while another to {b:#x} on slot {slot} is under way: memory needs a wait between them"
    );
    Trap::new(TrapKind::Hazard, what)
}
