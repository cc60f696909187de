//! Plain words of all lanes at once (`gpucc_sim::lanes`): where no seed turns their order, memory is not weak, and no cache holds anything else.

use gpucc_sim::{
    Trap,
    lanes::{self, Words, lanes},
};

use super::decode::Decoded;
use super::memory::{Descriptor, DeviceMemory, Place};
use super::subgroup::{LANES, Wave};
use crate::isa::GFX6;
use crate::{Access, Elements, Operation};

impl Wave {
    /// Whether lanes may go together: in order, and with nothing under way.
    fn goes_together(&self, env: &DeviceMemory) -> bool {
        self.rng.is_none() && self.agent.is_none() && env.past.is_none()
    }

    /// Words of a buffer. Gives whether it loaded or stored them.
    pub(super) fn buffer_lanes(
        &mut self,
        d: &Decoded,
        env: &mut DeviceMemory,
        e: Elements,
        (v, soffset): (&Descriptor, u64),
        exec: u64,
    ) -> Result<bool, Trap> {
        let plain = e.bytes == 4 && !d.mem.addr64 && !d.mem.lds && !v.swizzle;
        if !plain || !self.goes_together(env) {
            return Ok(false);
        }
        let structured = d.mem.idxen || v.add_tid;
        let more = 4 * (u64::from(e.count) - 1);
        let mut addresses = [0; LANES];
        let mut inside = 0;
        for lane in lanes(exec) {
            let p = self.place(d, v, lane);
            let at = |more| v.address(self.generation, structured, Place { offset: p.offset + more, ..p }, 4, soffset);
            let first = at(0);
            match (first, if more == 0 { first } else { at(more) }) {
                (Some(first), Some(last)) if last == first + more => {
                    addresses[lane] = first;
                    inside |= 1 << lane;
                }
                (None, None) => {}
                // The range check sees each word for itself.
                _ => return Ok(false),
            }
        }
        self.words(d, env, (d.mem.data.into(), e.count), &addresses, (exec, inside))
    }

    /// Words at flat addresses. Gives whether it loaded or stored them.
    pub(super) fn flat_lanes(
        &mut self,
        d: &Decoded,
        env: &mut DeviceMemory,
        e: Elements,
        exec: u64,
    ) -> Result<bool, Trap> {
        if e.bytes != 4 || !self.goes_together(env) {
            return Ok(false);
        }
        let a = usize::from(d.mem.addr);
        let (low, high) = (&self.v[a], &self.v[a + 1]);
        let mut addresses = [0; LANES];
        for lane in 0..LANES {
            addresses[lane] = (u64::from(low[lane]) | u64::from(high[lane]) << 32) & !3;
        }
        let first = if d.access == Access::Store { d.mem.data.into() } else { usize::from(d.dst) };
        self.words(d, env, (first, e.count), &addresses, (exec, exec))
    }

    /// Words of workgroup memory, all of them inside of it. Gives whether it loaded or stored them.
    pub(super) fn lds_lanes(
        &mut self,
        d: &Decoded,
        env: &mut DeviceMemory,
        (e, offsets): (Elements, [Option<u32>; 2]),
        (exec, limit): (u64, u32),
    ) -> Result<bool, Trap> {
        let words = match (e.bytes, e.count) {
            (4, 1) => 1,
            (8, 1) => 2,
            _ => return Ok(false),
        };
        let plain = matches!(d.access, Access::Load | Access::Store)
            && matches!(d.operation, Operation::Elements(_) | Operation::Pair(..));
        // On gfx6 a negative base is wrong with an offset, and a store of a pair takes its lanes one by one.
        let pair = offsets[1].is_some();
        if !plain || self.generation == GFX6 || !self.goes_together(env) || pair && d.access == Access::Store {
            return Ok(false);
        }
        let DeviceMemory { memory, races, lds, .. } = env;
        let (dst, data) = (usize::from(d.dst), usize::from(d.mem.data));
        let bases = self.v[usize::from(d.mem.addr)];
        // Registers change only when all is loaded: one of them may hold the addresses.
        let mut loaded = [[0; LANES]; 4];
        for (number, offset) in offsets.into_iter().flatten().enumerate() {
            let mut addresses = [0; LANES];
            let (mut end, mut low) = (0, 0);
            for lane in lanes(exec) {
                let at = u64::from(bases[lane].wrapping_add(offset));
                (end, low) = (end.max(at), low | at);
                addresses[lane] = if words == 1 { at & !3 } else { at };
            }
            if (end & !3) + 4 * words as u64 > limit.into() || words == 2 && low % 8 != 0 {
                return Ok(false);
            }
            let w = Words {
                id: *lds,
                base: 0,
                bytes: limit.into(),
                addresses: &addresses,
                lanes: exec,
                words,
                by: self.by(d, 0),
            };
            let done = if d.access == Access::Store {
                lanes::store(memory, races, &w, |lane, k| self.v[data + k][lane])
            } else {
                lanes::load(memory, races, &w, |lane, k, word| loaded[words * number + k][lane] = word)
            };
            if !done.map_err(|(lane, t)| t.in_lane(lane as u32))? {
                return Ok(false);
            }
        }
        if d.access == Access::Load {
            for (k, values) in loaded.iter().enumerate().take(usize::from(d.dst_width)) {
                for lane in lanes(exec) {
                    self.v[dst + k][lane] = values[lane];
                }
            }
        }
        Ok(true)
    }

    /// `count` words of each lane, in registers from `first` on; those of lanes that are not inside are 0, and not stored.
    fn words(
        &mut self,
        d: &Decoded,
        env: &mut DeviceMemory,
        (first, count): (usize, u8),
        addresses: &[u64; LANES],
        (exec, inside): (u64, u64),
    ) -> Result<bool, Trap> {
        let store = d.access == Access::Store;
        if inside != 0 {
            let Some((id, base, bytes)) = env.space.find_first(addresses, inside) else { return Ok(false) };
            let w = Words { id, base, bytes, addresses, lanes: inside, words: count.into(), by: self.by(d, 0) };
            let cache = store || !d.mem.glc;
            if cache && !env.l1.is_memory(self.unit, &w, store) {
                return Ok(false);
            }
            let here = |(lane, t): (usize, Trap)| t.in_lane(lane as u32);
            let DeviceMemory { memory, races, .. } = &mut *env;
            let done = if store {
                lanes::store(memory, races, &w, |lane, k| self.v[first + k][lane])
            } else {
                lanes::load(memory, races, &w, |lane, k, word| self.v[first + k][lane] = word)
            };
            if !done.map_err(here)? {
                return Ok(false);
            }
            if store {
                env.stored(id);
            } else if cache {
                env.l1.hold(self.unit, &w);
            }
        }
        if !store {
            for k in 0..usize::from(count) {
                for lane in lanes(exec & !inside) {
                    self.v[first + k][lane] = 0;
                }
            }
        }
        Ok(true)
    }
}
