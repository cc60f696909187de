//! Stores and atomics that memory has late, and loads that come early, in launches whose memory is weak (`gpucc_sim::weak`).
//!
//! A message is under way until its slot is waited for. Texels are stored at once: their loads are behind the tables.

use gpucc_sim::{Agent, AllocId, By, Late, Trap};

use super::memory::{DeviceMemory, by, combine, combine1};
use super::subgroup::{LANES, V32, Warp};

/// The effect of a message on memory.
#[derive(Clone, Copy, Debug)]
pub(super) enum Write {
    /// Stores the first bytes.
    Store([u8; 16], By),
    /// An atomic, with its operands.
    Atomic(Update, u64, u64, By),
}

/// The new value of an atomic.
#[derive(Clone, Copy, Debug)]
pub(super) enum Update {
    /// The result of this operation with an operand.
    With(u8),
    /// The result of this operation with 1.
    One(u8),
    /// The first operand, if the old value is the second.
    Swap,
}

impl Update {
    fn apply(self, bits: u32, old: u64, a: u64, b: u64) -> u64 {
        match self {
            Update::With(opc) => combine(opc, bits, old, a),
            Update::One(opc) => combine1(opc, bits, old),
            Update::Swap if old == b => a,
            Update::Swap => old,
        }
    }
}

/// The number of no warp.
const NOBODY: u32 = u32::MAX;

impl DeviceMemory {
    /// Memory has it; gives what was there before an atomic.
    fn put(&mut self, agent: u32, late: &Late<Write>) -> Result<u64, Trap> {
        let &Late { id, offset, len, .. } = late;
        if let Some(past) = self.past.as_mut().filter(|_| !self.own.has(id)) {
            past.note(&self.memory, agent, id, offset, len);
        }
        match late.what {
            Write::Store(bytes, by) => {
                let bytes = &bytes[..len as usize];
                self.races.store(&self.memory, id, offset, bytes, by)?;
                self.memory.store_bytes(id, offset, bytes)?;
                Ok(0)
            }
            Write::Atomic(update, a, b, by) => {
                let old = self.memory.load(id, offset, len)?;
                let new = update.apply(8 * len, old, a, b) & (u64::MAX >> (64 - 8 * len));
                self.races.atomic(id, offset, len, new != old, by)?;
                self.memory.store(id, offset, len, new)?;
                Ok(old)
            }
        }
    }

    fn put_all(&mut self, agent: u32, list: Vec<Late<Write>>) -> Result<(), Trap> {
        list.iter().try_for_each(|l| self.put(agent, l).map(drop))
    }

    /// A message changes memory, at once or later; gives the old value of an atomic if it is asked for.
    pub(super) fn write(
        &mut self,
        w: &mut Warp,
        lane: usize,
        (id, offset, len): (AllocId, u64, u32),
        (what, asked): (Write, bool),
        slot: u8,
    ) -> Result<u64, Trap> {
        let late = Late { tag: slot.into(), id, offset, len, what };
        let done = match &mut w.agent {
            None => self.put(NOBODY, &late),
            Some(agent) if asked => {
                let (number, before) = (agent.number(), agent.before(id, offset, len));
                self.put_all(number, before).and_then(|()| self.put(number, &late))
            }
            Some(agent) => {
                let (number, now) = (agent.number(), agent.issue(&self.memory, late));
                self.put_all(number, now).map(|()| 0)
            }
        };
        done.map_err(|t| t.in_lane(w.number * LANES as u32 + lane as u32))
    }

    /// A message reads at most 16 bytes of memory into the words of its lane.
    pub(super) fn read(
        &mut self,
        w: &mut Warp,
        lane: usize,
        place: (AllocId, u64),
        bytes: u32,
        data: &mut [V32; 4],
    ) -> Result<(), Trap> {
        let mut all = [0; 16];
        self.read_bytes(w, lane, place, &mut all[..bytes as usize])?;
        for (words, b) in data.iter_mut().zip(all.as_chunks().0) {
            words[lane] = u32::from_le_bytes(*b);
        }
        Ok(())
    }

    fn read_bytes(
        &mut self,
        w: &mut Warp,
        lane: usize,
        (id, offset): (AllocId, u64),
        out: &mut [u8],
    ) -> Result<(), Trap> {
        let here = |t: Trap| t.in_lane(w.number * LANES as u32 + lane as u32);
        self.races.load(id, offset, out.len() as u32, by(w, lane)).map_err(here)?;
        let Some(agent) = &mut w.agent else {
            return self.memory.load_bytes(id, offset, out).map_err(|e| here(e.into()));
        };
        let mut first = agent.before(id, offset, out.len() as u32);
        first.extend(agent.stray());
        self.put_all(agent.number(), first).map_err(here)?;
        match &self.past {
            Some(past) if !self.own.has(id) => agent.load(past, &self.memory, id, offset, out),
            _ => self.memory.load_bytes(id, offset, out),
        }
        .map_err(|e| here(e.into()))
    }

    /// The messages on some slots have arrived, and what is loaded from here on is no older than what they saw.
    pub(super) fn settle(&mut self, w: &mut Warp, slots: u8) -> Result<(), Trap> {
        let Some(agent) = &mut w.agent else { return Ok(()) };
        let arrived = agent.arrived(|slot| slots >> slot & 1 == 1);
        self.put_all(agent.number(), arrived)?;
        if let Some(past) = &self.past {
            agent.observe(past);
        }
        Ok(())
    }

    /// The state of a warp that begins.
    pub(super) fn agent(&mut self, rng: Option<&gpucc_sim::SplitMix64>) -> Option<Agent<Write>> {
        let (past, rng) = (self.past.as_ref()?, rng?);
        self.warps += 1;
        Some(Agent::new(self.warps, rng, past))
    }
}
