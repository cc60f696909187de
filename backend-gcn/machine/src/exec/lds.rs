//! Local data share (section 10).

use gpucc_isa::fail_if;
use gpucc_sim::lanes::lanes;
use gpucc_sim::trap::{Trap, hazard, misaligned, unsupported};

use super::decode::Decoded;
use super::memory::DeviceMemory;
use super::subgroup::{LANES, Order, Wave, undefined};
use crate::isa::GFX6;
use crate::{Access, Elements, Op, Operation};

/// One lane's access to elements that lie together.
struct Place {
    lane: usize,
    /// Number of the element of a pair.
    number: usize,
    /// First byte.
    at: u32,
    /// Where the data share ends.
    limit: u32,
}

impl Wave {
    /// LDS instructions.
    pub(crate) fn lds(&mut self, d: &Decoded, env: &mut DeviceMemory) -> Result<(), Trap> {
        let exec = if self.mode >> 28 & 1 == 1 { 0 } else { self.exec() };
        match d.op {
            Op::DsNop => {
                self.send(Order::Lds, d, false, None);
                return Ok(());
            }
            Op::DsSwizzleB32 | Op::DsPermuteB32 | Op::DsBpermuteB32 => {
                self.exchange(d, exec)?;
                self.send(Order::Lds, d, false, None);
                return Ok(());
            }
            _ => {}
        }
        if d.operation == Operation::Undefined {
            return Err(unsupported(format!("the reference does not define `{}`", d.op.name())));
        }
        fail_if!(d.mem.gds, unsupported("the global data share is not modelled"));
        let limit = self.m0()?.min(env.lds_size);
        if matches!(d.op, Op::DsAppend | Op::DsConsume) {
            // One operation per wave on a counter at OFFSET.
            let at = d.mem.offset & !3;
            let n = exec.count_ones();
            let mut old = 0;
            if at + 4 <= limit {
                let by = self.by(d, exec.trailing_zeros() as usize % LANES);
                let add = if d.op == Op::DsAppend { n } else { n.wrapping_neg() };
                old = env.lds_atomic(at, 4, by, |old| (old as u32).wrapping_add(add).into())? as u32;
            }
            for l in lanes(exec) {
                self.v[usize::from(d.dst)][l] = old;
            }
            self.v_known[usize::from(d.dst)] |= exec;
            self.send(Order::Lds, d, true, None);
            return Ok(());
        }
        let (elements, offsets) = match d.operation {
            Operation::Elements(e) => (e, [Some(d.mem.offset), None]),
            Operation::Pair(e, stride) => {
                let unit = u32::from(e.bytes) * u32::from(stride);
                (e, [Some(d.mem.offset * unit), Some(d.mem.offset1 * unit)])
            }
            Operation::Atomic(a) => (if a.wide { Elements::B64 } else { Elements::B32 }, [Some(d.mem.offset), None]),
            _ => return Err(unsupported(format!("`{}` is not an access of this interpreter", d.op.name()))),
        };
        if !self.lds_lanes(d, env, (elements, offsets), (exec, limit))? {
            let order = self.lane_order(exec);
            self.lds_each(d, env, (elements, offsets), (&order, limit))?;
        }
        if d.dst != 0xffff {
            for i in 0..usize::from(d.dst_width) {
                self.v_known[usize::from(d.dst) + i] |= exec;
            }
        }
        self.send(Order::Lds, d, d.access != Access::Load, None);
        Ok(())
    }

    /// Accesses of any kind, lane by lane.
    fn lds_each(
        &mut self,
        d: &Decoded,
        env: &mut DeviceMemory,
        (elements, offsets): (Elements, [Option<u32>; 2]),
        (order, limit): (&[usize], u32),
    ) -> Result<(), Trap> {
        let align = if elements.count > 1 { 16 } else { u32::from(elements.bytes) };
        for &lane in order {
            let base = self.v[usize::from(d.mem.addr)][lane];
            if self.generation == GFX6 && base >> 31 == 1 && offsets.iter().any(|o| o.is_some_and(|o| o != 0)) {
                return Err(
                    hazard("a negative LDS base with an offset gives wrong addresses on gfx6").in_lane(lane as u32)
                );
            }
            for (number, offset) in offsets.iter().flatten().enumerate() {
                let mut at = base.wrapping_add(*offset);
                if align > 4 && at % align != 0 {
                    let name = d.op.name();
                    return Err(misaligned(format!("`{name}` at LDS address {at:#x}")).in_lane(lane as u32));
                }
                at &= !(align.min(4) - 1);
                self.lds_access(d, env, elements, &Place { lane, number, at, limit })
                    .map_err(|t| t.in_lane(lane as u32))?;
            }
        }
        Ok(())
    }

    /// One lane's access to `elements`.
    fn lds_access(
        &mut self,
        d: &Decoded,
        env: &mut DeviceMemory,
        elements: Elements,
        place: &Place,
    ) -> Result<(), Trap> {
        let (lane, bytes) = (place.lane, u32::from(elements.bytes));
        let dst = usize::from(d.dst) + place.number * bytes.div_ceil(4) as usize;
        let data = [usize::from(d.mem.data), usize::from(d.mem.data1)];
        let value = |w: &Wave, r: usize| {
            let lo = u64::from(w.v[r][lane]);
            if bytes == 8 { lo | u64::from(w.v[r + 1][lane]) << 32 } else { lo }
        };
        let by = self.by(d, lane);
        for i in 0..usize::from(elements.count) {
            let at = place.at.wrapping_add(4 * i as u32);
            let inside = u64::from(at) + u64::from(bytes) <= u64::from(place.limit);
            let put = |w: &mut Wave, v: u64| {
                w.v[dst + i][lane] = v as u32;
                if bytes == 8 {
                    w.v[dst + 1][lane] = (v >> 32) as u32;
                }
            };
            if d.access == Access::Load {
                let raw = if inside { env.lds_load(at, bytes, by)? } else { 0 };
                let v = if elements.signed { gpucc_num::int::sign_extend(raw, 8 * bytes) as u32 as u64 } else { raw };
                put(self, v);
                continue;
            }
            if let Operation::Atomic(a) = d.operation {
                // Compare and store names the comparison first, unlike buffers.
                let (mut new, mut other) = (value(self, data[0]), value(self, data[1]));
                if a.op.compares() {
                    (new, other) = (other, new);
                }
                let mut old = 0;
                if inside {
                    old = env.lds_atomic(at, bytes, by, |old| a.apply(old, new, other))?;
                }
                if d.dst != 0xffff {
                    put(self, old);
                }
                continue;
            }
            let v = value(self, data[place.number] + i);
            if d.access == Access::Atomic {
                let old = if inside { env.lds_atomic(at, bytes, by, |_| v)? } else { 0 };
                put(self, old);
            } else if inside {
                env.lds_store(at, bytes, v, by)?;
            }
        }
        Ok(())
    }

    /// Lane exchanges without memory.
    fn exchange(&mut self, d: &Decoded, exec: u64) -> Result<(), Trap> {
        let dst = usize::from(d.dst);
        let mut out = [0u32; LANES];
        let mut known = exec;
        let check = |w: &Wave, r: usize, lane: usize| {
            fail_if!(w.v_known[r] >> lane & 1 == 0, undefined(r as u16 + 256).in_lane(lane as u32));
            Ok(())
        };
        let addr = usize::from(d.mem.addr);
        match d.op {
            Op::DsSwizzleB32 => {
                let x = d.mem.offset as usize;
                for i in lanes(exec) {
                    let from = if x >> 15 == 1 {
                        (i & !3) + (x >> (2 * (i & 3)) & 3)
                    } else {
                        (i & 32) | ((i & x & 31 | x >> 5 & 31) ^ (x >> 10 & 31))
                    };
                    if exec >> from & 1 == 1 {
                        check(self, addr, from)?;
                        out[i] = self.v[addr][from];
                    }
                }
            }
            Op::DsBpermuteB32 => {
                let data = usize::from(d.mem.data);
                for i in lanes(exec) {
                    check(self, addr, i)?;
                    let from = ((self.v[addr][i].wrapping_add(d.mem.offset) / 4) & 63) as usize;
                    if exec >> from & 1 == 1 {
                        check(self, data, from)?;
                        out[i] = self.v[data][from];
                    }
                }
            }
            _ => {
                let data = usize::from(d.mem.data);
                // Lanes that nobody writes get 0.
                for i in lanes(exec) {
                    check(self, addr, i)?;
                    check(self, data, i)?;
                    let to = ((self.v[addr][i].wrapping_add(d.mem.offset) / 4) & 63) as usize;
                    out[to] = self.v[data][i];
                }
                known = exec;
            }
        }
        for l in lanes(exec) {
            self.v[dst][l] = out[l];
        }
        self.v_known[dst] |= known;
        Ok(())
    }
}
