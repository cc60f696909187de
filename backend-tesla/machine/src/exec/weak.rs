//! Stores and atomics that memory has late, and loads that come early, in launches whose memory is weak (`gpucc_sim::weak`).
//!
//! The invocations of a workgroup see g[] in program order (reference section 7.6), so a workgroup keeps the order of its accesses. What other
//! workgroups see of them, and it of theirs, is certain behind eight dependent loads from the fence region alone (docs/abi-tesla.md section 4).

use super::memory::{DeviceMemory, Window, WindowShape, apply};
use super::subgroup::Warp;
use crate::types::{AtomOp, Ty};
use gpucc_sim::{Agent, AllocId, By, Late, Past, SplitMix64, Trap};

/// The window of the fence region.
pub(super) const FENCE: u8 = 15;
/// Loads of a fence, each of a word of its own.
const LOADS: u32 = 8;
/// Bytes from one of these words to the next.
const STRIDE: u32 = 0x100;

/// The number of no workgroup.
const NOBODY: u32 = u32::MAX;

/// The effect on memory.
#[derive(Clone, Copy, Debug)]
pub enum Write {
    /// Stores the first bytes.
    Store(u64, By),
    /// An atomic: its type, its operand, and the new value of `cas`.
    Atomic(AtomOp, Ty, u64, u64, By),
}

/// The order of accesses to g[].
#[derive(Clone, Default)]
pub struct Order {
    past: Option<Past>,
    /// The accesses of the workgroup that runs that are under way.
    pub agent: Option<Agent<Write>>,
    rng: Option<SplitMix64>,
    workgroups: u32,
}

impl Order {
    /// Whether memory is not weak: accesses happen as they are issued.
    pub fn is_strong(&self) -> bool {
        self.agent.is_none() && self.past.is_none()
    }
}

impl DeviceMemory {
    /// Memory is weak from here on.
    pub fn weaken(&mut self, rng: &SplitMix64) {
        self.order = Order { past: Some(Past::default()), rng: Some(rng.fork(3)), ..Order::default() };
    }

    /// Binds the fence region: word 64 k holds 256 (k + 1), so that each load gives the address of the next.
    pub fn bind_fence(&mut self) {
        let mut bytes = vec![0; (LOADS * STRIDE) as usize];
        for k in 0..LOADS {
            let at = (k * STRIDE) as usize;
            bytes[at..at + 4].copy_from_slice(&((k + 1) * STRIDE).to_le_bytes());
        }
        let alloc = self.memory.alloc("the fence region", bytes, false);
        self.global[usize::from(FENCE)] = Some(Window { alloc, writable: false, base: 0, shape: WindowShape::Whole });
    }

    /// Begins the order of a workgroup, once what is open is settled.
    pub fn begin_order(&mut self) -> Result<(), Trap> {
        self.settle()?;
        if let (Some(past), Some(rng)) = (&self.order.past, &self.order.rng) {
            self.order.workgroups += 1;
            self.order.agent = Some(Agent::new(self.order.workgroups, rng, past));
        }
        Ok(())
    }

    /// An access to g[] is about to happen: the last load of a fence settles the order, and anything between its loads undoes them.
    pub fn fenced(&mut self, warp: &mut Warp, (g, address): (u8, u32), store: bool) -> Result<(), Trap> {
        if g != FENCE || store {
            warp.fence = 0;
            return Ok(());
        }
        warp.fence = match address {
            0 => 1,
            // The other lanes of the same load.
            a if a + STRIDE == warp.fence * STRIDE => warp.fence,
            a if a == warp.fence * STRIDE => warp.fence + 1,
            _ => 0,
        };
        if warp.fence == LOADS { self.settle() } else { Ok(()) }
    }

    /// All that is under way arrives, and what is loaded from here on is no older than now.
    pub fn settle(&mut self) -> Result<(), Trap> {
        let Some(mut agent) = self.order.agent.take() else { return Ok(()) };
        let done = self.put_all(agent.number(), &agent.arrived(|_| true));
        if let Some(past) = &self.order.past {
            agent.observe(past);
        }
        self.order.agent = Some(agent);
        done
    }

    /// Memory has it; gives what was there before an atomic.
    fn put(&mut self, agent: u32, late: &Late<Write>) -> Result<u64, Trap> {
        let &Late { id, offset, len, what, .. } = late;
        if let Some(past) = self.order.past.as_mut().filter(|_| !self.own.has(id)) {
            past.note(&self.memory, agent, id, offset, len);
        }
        match what {
            Write::Store(value, by) => {
                let bytes = &value.to_le_bytes()[..len as usize];
                self.races.get_mut().store(&self.memory, id, offset, bytes, by)?;
                self.memory.store(id, offset, len, value)?;
                Ok(0)
            }
            Write::Atomic(op, ty, data, second, by) => {
                self.modify(id, offset, len, by, |old| apply(op, ty, old, data, second))
            }
        }
    }

    fn put_all(&mut self, agent: u32, list: &[Late<Write>]) -> Result<(), Trap> {
        list.iter().try_for_each(|l| self.put(agent, l).map(drop))
    }

    /// Changes memory, at once or later; gives the old value of an atomic if it is asked for.
    pub(super) fn write(
        &mut self,
        (id, offset, len): (AllocId, u64, u32),
        (what, asked): (Write, bool),
        by: By,
    ) -> Result<u64, Trap> {
        let late = Late { tag: u64::from(by.lane / 32) << 32 | u64::from(by.pc), id, offset, len, what };
        let (number, now, at_once) = match &mut self.order.agent {
            Some(agent) if !self.own.has(id) => {
                let now = if asked { agent.before(id, offset, len) } else { agent.issue(&self.memory, late.clone()) };
                (agent.number(), now, asked)
            }
            _ => (NOBODY, Vec::new(), true),
        };
        self.put_all(number, &now)?;
        if at_once { self.put(number, &late) } else { Ok(0) }
    }

    /// Loads at most 8 bytes.
    pub(super) fn load(&mut self, id: AllocId, at: u64, size: u32, by: By) -> Result<u64, Trap> {
        self.races.get_mut().load(id, at, size, by)?;
        if self.own.has(id) {
            return Ok(self.memory.load(id, at, size)?);
        }
        let Some(mut agent) = self.order.agent.take() else { return Ok(self.memory.load(id, at, size)?) };
        let mut first = agent.before(id, at, size);
        first.extend(agent.stray());
        let put = self.put_all(agent.number(), &first);
        let mut bytes = [0; 8];
        let out = &mut bytes[..size as usize];
        let loaded = match &self.order.past {
            Some(past) => agent.load(past, &self.memory, id, at, out),
            None => self.memory.load_bytes(id, at, out),
        };
        self.order.agent = Some(agent);
        put?;
        loaded?;
        Ok(u64::from_le_bytes(bytes))
    }

    /// One indivisible read and write; gives the old value.
    pub(super) fn modify(
        &mut self,
        id: AllocId,
        at: u64,
        size: u32,
        by: By,
        op: impl FnOnce(u64) -> u64,
    ) -> Result<u64, Trap> {
        let old = self.memory.load(id, at, size)?;
        let new = op(old);
        self.races.get_mut().atomic(id, at, size, new != old, by)?;
        self.memory.store(id, at, size, new)?;
        Ok(old)
    }
}
