//! Scalar memory, buffers and FLAT (sections 5 and 11).

use gpucc_isa::fail_if;
use gpucc_sim::{
    AddressSpace, Agent, AllocId, By, Late, Memory, OwnMemory, Past, RaceCheck, Trap, World,
    lanes::lanes,
    trap::{hazard, misaligned, reserved, unsupported},
};

use super::cache::L1;
use super::decode::Decoded;
use super::format;
use super::launch::Values;
use super::step::CLASSES;
use super::subgroup::{LANES, Order, Wave, undefined};
use crate::isa::{Format, GFX6, GFX8};
use crate::operand::M0;
use crate::{Access, Atomic, Elements, Op, Operation};

/// The state that all waves of a launch share.
#[derive(Clone)]
pub(crate) struct DeviceMemory {
    pub memory: Memory,
    pub space: AddressSpace,
    /// Workgroup memory and its size.
    pub lds: AllocId,
    pub lds_size: u32,
    /// Scratch of the workgroup.
    pub scratch: AllocId,
    /// The vector caches of all compute units.
    pub l1: L1,
    /// Count of vector stores, and when each allocation was last stored to: the scalar cache sees neither.
    pub epoch: u64,
    pub stored: Vec<u64>,
    pub races: RaceCheck,
    /// LDS and scratch, while several workgroups run.
    pub own: OwnMemory,
    /// Addresses and sizes of what preloads ask for.
    pub values: Values,
    /// The past of buffers, where memory is weak: a load may see it that nothing keeps behind others.
    pub past: Option<Past>,
    /// Number of waves that began.
    pub waves: u32,
}

impl World for DeviceMemory {
    const CLASSES: &'static [&'static str] = &CLASSES;

    fn memory(&mut self) -> &mut Memory {
        &mut self.memory
    }
}

impl DeviceMemory {
    /// Memory with workgroup memory of some size, and scratch: nobody watches it, and preloads ask for nothing in it.
    pub(crate) fn new(
        (memory, space, l1): (Memory, AddressSpace, L1),
        (lds, lds_size): (AllocId, u32),
        scratch: AllocId,
    ) -> DeviceMemory {
        DeviceMemory {
            memory,
            space,
            lds,
            lds_size,
            scratch,
            l1,
            epoch: 0,
            stored: Vec::new(),
            races: RaceCheck::default(),
            own: OwnMemory::new(Vec::new()),
            values: Values::default(),
            past: None,
            waves: 0,
        }
    }

    /// A load through the vector cache of a compute unit, or from L2.
    pub(crate) fn load(&mut self, unit: Option<u8>, address: u64, size: u32, by: By) -> Result<u64, Trap> {
        let (id, offset) = self.space.resolve(address, size)?;
        self.races.load(id, offset, size, by)?;
        if let Some(held) = unit.and_then(|u| self.l1.load(u, id, offset, size)) {
            self.memory.touch(id, offset, size);
            return Ok(held);
        }
        Ok(self.memory.load(id, offset, size)?)
    }
    /// A store of at most 32 bits by a compute unit, or by the scalar cache.
    pub(crate) fn store(&mut self, unit: Option<u8>, address: u64, size: u32, v: u64, by: By) -> Result<(), Trap> {
        let (id, offset) = self.space.resolve(address, size)?;
        self.races.store(&self.memory, id, offset, &v.to_le_bytes()[..size as usize], by)?;
        if unit.is_none() {
            // Units may hold the line, by what others loaded before.
            self.memory.hang_on_order(id);
        }
        self.put(unit, NOBODY, id, offset, size, v)
    }
    /// A store arrives in L2, and in the cache of its unit.
    fn put(&mut self, unit: Option<u8>, wave: u32, id: AllocId, offset: u64, size: u32, v: u64) -> Result<(), Trap> {
        if let Some(past) = &mut self.past {
            past.note(&self.memory, wave, id, offset, size);
        }
        self.l1.store(&self.memory, unit, id, offset, size, v);
        self.memory.store(id, offset, size, v)?;
        self.stored(id);
        Ok(())
    }
    /// One indivisible read and write at L2, whose line in the cache of the unit follows; gives the old value.
    pub(crate) fn atomic(
        &mut self,
        (unit, wave): (u8, u32),
        (id, offset): (AllocId, u64),
        size: u32,
        by: By,
        op: impl FnOnce(u64) -> u64,
    ) -> Result<u64, Trap> {
        if let Some(past) = &mut self.past {
            past.note(&self.memory, wave, id, offset, size);
        }
        let old = self.memory.load(id, offset, size)?;
        let new = op(old);
        self.races.atomic(id, offset, size, new != old, by)?;
        for k in 0..size / 4 {
            let half = new >> (32 * k) & 0xffff_ffff;
            self.l1.store(&self.memory, Some(unit), id, offset + u64::from(4 * k), 4, half);
        }
        self.memory.store(id, offset, size, new)?;
        self.stored(id);
        Ok(old)
    }
    /// A load of workgroup memory.
    pub(crate) fn lds_load(&mut self, at: u32, size: u32, by: By) -> Result<u64, Trap> {
        self.races.load(self.lds, at.into(), size, by)?;
        Ok(self.memory.load(self.lds, at.into(), size)?)
    }
    /// A store to workgroup memory.
    pub(crate) fn lds_store(&mut self, at: u32, size: u32, v: u64, by: By) -> Result<(), Trap> {
        self.races.store(&self.memory, self.lds, at.into(), &v.to_le_bytes()[..size as usize], by)?;
        Ok(self.memory.store(self.lds, at.into(), size, v)?)
    }
    /// One indivisible read and write of workgroup memory; gives the old value.
    pub(crate) fn lds_atomic(&mut self, at: u32, size: u32, by: By, op: impl FnOnce(u64) -> u64) -> Result<u64, Trap> {
        let old = self.memory.load(self.lds, at.into(), size)?;
        let new = op(old);
        self.races.atomic(self.lds, at.into(), size, new != old, by)?;
        self.memory.store(self.lds, at.into(), size, new)?;
        Ok(old)
    }
    pub(super) fn stored(&mut self, id: AllocId) {
        self.epoch += 1;
        let at = id.0 as usize;
        if self.stored.len() <= at {
            self.stored.resize(at + 1, 0);
        }
        self.stored[at] = self.epoch;
    }
    /// A scalar load, which must not meet what vector stores changed since the wave's last s_dcache_inv.
    fn scalar(&self, address: u64, seen: u64) -> Result<u32, Trap> {
        let (id, offset) = self.space.resolve(address, 4)?;
        self.memory.ask(id);
        if self.stored.get(id.0 as usize).is_some_and(|&e| e > seen) {
            return Err(hazard("scalar load of memory that this dispatch stored to: the scalar cache is not coherent"));
        }
        Ok(self.memory.load_u32(id, offset)?)
    }
}

/// The number of no wave.
const NOBODY: u32 = u32::MAX;

/// An access of a wave to memory that it does not wait for at once.
#[derive(Clone, Debug)]
pub(crate) enum Write {
    /// Stores these bytes.
    Store(u64, By),
    /// An atomic without a result, with its operands.
    Atomic(Atomic, u64, u64, By),
}

impl Wave {
    /// A store of at most 32 bits, which memory may have later.
    pub(crate) fn store(
        &mut self,
        env: &mut DeviceMemory,
        address: u64,
        size: u32,
        v: u64,
        by: By,
    ) -> Result<(), Trap> {
        let (id, offset) = env.space.resolve(address, size)?;
        if self.agent.is_none() || !env.l1.caches(id) {
            return env.store(Some(self.unit), address, size, v, by);
        }
        self.write(env, id, offset, size, Write::Store(v, by))
    }

    /// Something is issued that memory may have later.
    fn write(&mut self, env: &mut DeviceMemory, id: AllocId, offset: u64, len: u32, what: Write) -> Result<(), Trap> {
        let Some(agent) = &mut self.agent else { return Ok(()) };
        let now = agent.issue(&env.memory, Late { tag: self.issued, id, offset, len, what });
        self.arrive(env, now)
    }

    /// A load, through the vector cache of the unit or past it, which may come before loads that were issued earlier.
    pub(crate) fn load(
        &mut self,
        env: &mut DeviceMemory,
        unit: Option<u8>,
        address: u64,
        size: u32,
        by: By,
    ) -> Result<u64, Trap> {
        let (id, offset) = env.space.resolve(address, size)?;
        if self.agent.is_none() || !env.l1.caches(id) {
            return env.load(unit, address, size, by);
        }
        env.races.load(id, offset, size, by)?;
        let mut first = self.agent.as_mut().map(|a| a.before(id, offset, size)).unwrap_or_default();
        first.extend(self.agent.as_mut().map(Agent::stray).unwrap_or_default());
        self.arrive(env, first)?;
        if let Some(held) = unit.and_then(|u| env.l1.load(u, id, offset, size)) {
            return Ok(held);
        }
        let mut word = [0; 8];
        let out = &mut word[..size as usize];
        match (&mut self.agent, &env.past) {
            (Some(agent), Some(past)) => agent.load(past, &env.memory, id, offset, out)?,
            _ => env.memory.load_bytes(id, offset, out)?,
        }
        Ok(u64::from_le_bytes(word))
    }

    /// An atomic with its operands; gives the old value if it is asked for. Nobody waits for one without a result.
    fn atomic(
        &mut self,
        env: &mut DeviceMemory,
        (a, new, other): (Atomic, u64, u64),
        address: u64,
        asked: bool,
        by: By,
    ) -> Result<u64, Trap> {
        let size = if a.wide { 8 } else { 4 };
        let (id, offset) = env.space.resolve(address, size)?;
        let Some(agent) = self.agent.as_mut().filter(|_| env.l1.caches(id)) else {
            return env.atomic((self.unit, NOBODY), (id, offset), size, by, |old| a.apply(old, new, other));
        };
        if !asked {
            self.write(env, id, offset, size, Write::Atomic(a, new, other, by))?;
            return Ok(0);
        }
        let (first, wave) = (agent.before(id, offset, size), agent.number());
        self.arrive(env, first)?;
        env.atomic((self.unit, wave), (id, offset), size, by, |old| a.apply(old, new, other))
    }

    /// A load of texels comes behind all that its wave stored.
    pub(crate) fn all_arrive(&mut self, env: &mut DeviceMemory) -> Result<(), Trap> {
        let all = self.agent.as_mut().map(|a| a.arrived(|_| true)).unwrap_or_default();
        self.arrive(env, all)
    }

    /// The accesses under way arrive in memory.
    fn arrive(&self, env: &mut DeviceMemory, list: Vec<Late<Write>>) -> Result<(), Trap> {
        let Some(wave) = self.agent.as_ref().map(Agent::number) else { return Ok(()) };
        for l in list {
            match l.what {
                Write::Store(v, by) => {
                    env.races.store(&env.memory, l.id, l.offset, &v.to_le_bytes()[..l.len as usize], by)?;
                    env.put(Some(self.unit), wave, l.id, l.offset, l.len, v)?;
                }
                Write::Atomic(a, new, other, by) => {
                    env.atomic((self.unit, wave), (l.id, l.offset), l.len, by, |old| a.apply(old, new, other))?;
                }
            }
        }
        Ok(())
    }

    /// Settles the memory after an instruction: what was waited for has arrived, and what the wave loads from here on is no older than what it has seen.
    pub(crate) fn settle(&mut self, env: &mut DeviceMemory, ends: bool) -> Result<(), Trap> {
        let observed = std::mem::take(&mut self.observed);
        if self.agent.is_none() || !observed && !ends {
            return Ok(());
        }
        let waiting = self.under_way();
        let arrived = self.agent.as_mut().map(|a| a.arrived(|tag| ends || !waiting.contains(&tag)));
        self.arrive(env, arrived.unwrap_or_default())?;
        if let (Some(agent), Some(past)) = (&mut self.agent, &env.past) {
            agent.observe(past);
        }
        Ok(())
    }
}

/// A buffer descriptor (section 11.3).
pub(super) struct Descriptor {
    base: u64,
    stride: u64,
    pub swizzle: bool,
    records: u64,
    pub add_tid: bool,
    element: u64,
    index_stride: u64,
    sel: [u32; 4],
    nfmt: u32,
    dfmt: u32,
}

impl Descriptor {
    fn read(w: [u32; 4], generation: u8) -> Result<Descriptor, Trap> {
        fail_if!(w[3] >> 30 != 0, reserved("the descriptor is not a buffer descriptor (TYPE is not 0)"));
        let add_tid = w[3] >> 23 & 1 == 1;
        let mut stride = u64::from(w[1] >> 16 & 0x3fff);
        let mut dfmt = w[3] >> 15 & 15;
        if generation == GFX8 && add_tid {
            stride |= u64::from(dfmt) << 14;
            dfmt = 4;
        }
        Ok(Descriptor {
            base: u64::from(w[0]) | u64::from(w[1] & 0xffff) << 32,
            stride,
            swizzle: w[1] >> 31 == 1,
            records: w[2].into(),
            add_tid,
            element: 2 << (w[3] >> 19 & 3),
            index_stride: 8 << (w[3] >> 21 & 3),
            sel: [w[3] & 7, w[3] >> 3 & 7, w[3] >> 6 & 7, w[3] >> 9 & 7],
            nfmt: w[3] >> 12 & 7,
            dfmt,
        })
    }

    /// Address of `size` bytes at a place; `None` when the range check refuses it (section 11.4).
    pub(super) fn address(&self, generation: u8, structured: bool, p: Place, size: u64, soffset: u64) -> Option<u64> {
        let v = self;
        let offset = p.offset;
        // On gfx6 and gfx7 the check does not see an SGPR offset.
        let seen = if generation == GFX8 { soffset } else { 0 };
        let inside = if v.stride == 0 || generation == GFX8 && !v.swizzle {
            offset + p.index * v.stride + size + seen <= v.records
        } else {
            p.index < v.records && (offset < v.stride || !structured)
        };
        if !inside {
            return None;
        }
        let align = if size >= 4 { !3 } else { !(size - 1) };
        let linear = if v.swizzle {
            let (im, il) = (p.index / v.index_stride, p.index % v.index_stride);
            let (om, ol) = (offset / v.element, offset % v.element);
            (im * v.stride + om * v.element) * v.index_stride + il * v.element + ol
        } else {
            p.index * v.stride + offset
        };
        Some(v.base.wrapping_add(soffset).wrapping_add(linear) & align)
    }
}

/// Where a lane's access goes: index and byte offset, or a plain address.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub index: u64,
    pub offset: u64,
}

/// How components are converted.
struct Conversion {
    layout: Option<format::Layout>,
    nfmt: u32,
    /// Where each component comes from.
    sel: [u32; 4],
    /// Whether they are halves in registers.
    half: bool,
}

impl Conversion {
    /// The conversion by the format of a typed instruction, or of the descriptor.
    fn new(d: &Decoded, v: &Descriptor, half: bool) -> Conversion {
        let (dfmt, nfmt, sel) = if d.format == Format::Mtbuf {
            (u32::from(d.mem.format & 15), u32::from(d.mem.format >> 4), [4, 5, 6, 7])
        } else {
            (v.dfmt, v.nfmt, v.sel)
        };
        Conversion { layout: format::Layout::of(dfmt), nfmt, sel, half }
    }
}

impl Wave {
    fn descriptor(&self, d: &Decoded) -> Result<Descriptor, Trap> {
        let r = usize::from(d.mem.rsrc);
        Descriptor::read([self.s[r], self.s[r + 1], self.s[r + 2], self.s[r + 3]], self.generation)
    }

    /// Scalar memory.
    pub(crate) fn smem(&mut self, d: &Decoded, env: &mut DeviceMemory) -> Result<(), Trap> {
        match d.op {
            Op::SMemtime | Op::SMemrealtime => {
                let t = self.time();
                self.set_pair(usize::from(d.dst), t);
                self.send(Order::Smem, d, false, None);
                return Ok(());
            }
            Op::SDcacheInv | Op::SDcacheInvVol => {
                self.scalar_epoch = env.epoch;
                self.send(Order::Smem, d, false, None);
                return Ok(());
            }
            Op::SDcacheWb | Op::SDcacheWbVol => {
                self.send(Order::Smem, d, false, None);
                self.written_back();
                return Ok(());
            }
            Op::SAtcProbe | Op::SAtcProbeBuffer => {
                return Err(unsupported("address translation probes are not modelled"));
            }
            _ => {}
        }
        let offset = match d.src[1] {
            super::decode::Src::S(n) => u64::from(self.s[usize::from(n)]),
            _ if self.generation == GFX8 => d.mem.offset.into(),
            _ => u64::from(d.mem.offset) * 4,
        };
        let store = d.access == Access::Store;
        let (first, count) =
            if store { (usize::from(d.mem.data), d.mem.data_width) } else { (usize::from(d.dst), d.dst_width) };
        if store && matches!(d.src[1], super::decode::Src::S(n) if u32::from(n) != M0) {
            return Err(reserved("scalar stores take their offset from M0 or an immediate"));
        }
        let (base, size) = if d.mem.descriptor {
            let v = self.descriptor(d)?;
            let bytes = if v.stride == 0 || self.generation == GFX8 { v.records } else { v.stride * v.records };
            (v.base, Some(bytes))
        } else {
            (self.pair(usize::from(d.mem.rsrc)) & 0xffff_ffff_ffff, None)
        };
        for i in 0..usize::from(count) {
            let at = (offset & !3) + 4 * i as u64;
            let inside = size.is_none_or(|s| at + 4 <= s);
            let address = (base & !3).wrapping_add(at);
            if store {
                if inside {
                    // Of the whole wave; the first lane stands for it.
                    let by = self.by(d, self.exec().trailing_zeros() as usize % LANES);
                    env.store(None, address, 4, self.s[first + i].into(), by)?;
                }
            } else {
                self.s[first + i] = if inside { env.scalar(address, self.scalar_epoch)? } else { 0 };
                self.s_known |= 1 << (first + i);
            }
        }
        self.send(Order::Smem, d, store, None);
        Ok(())
    }

    fn time(&mut self) -> u64 {
        self.rng.as_mut().map_or(1 << 20, |r| r.next_u64() >> 16)
    }

    /// A lane of this wave, at an instruction.
    pub(crate) fn by(&self, d: &Decoded, lane: usize) -> By {
        By { lane: self.first + lane as u32, pc: d.at }
    }

    pub(super) fn place(&self, d: &Decoded, v: &Descriptor, lane: usize) -> Place {
        let a = usize::from(d.mem.addr);
        let m = &d.mem;
        let mut index = if m.idxen { u64::from(self.v[a][lane]) } else { 0 };
        if v.add_tid {
            index += lane as u64;
        }
        let offen = usize::from(m.idxen);
        let offset = if m.offen { u64::from(self.v[a + offen][lane]) } else { 0 };
        Place { index, offset: offset + u64::from(m.offset) }
    }

    /// Buffer instructions.
    pub(crate) fn buffer(&mut self, d: &Decoded, env: &mut DeviceMemory) -> Result<(), Trap> {
        if d.access == Access::Order {
            env.l1.invalidate(self.unit);
            self.send(Order::Vmem, d, false, None);
            return Ok(());
        }
        if d.operation == Operation::Undefined {
            return Err(unsupported(format!("the reference does not give the address of `{}`", d.op.name())));
        }
        let exec = if self.mode >> 28 & 1 == 1 { 0 } else { self.exec() };
        let v = self.descriptor(d)?;
        let soffset = u64::from(self.s32(d.src[1])?);
        let store = d.access == Access::Store;
        let width = u32::from(d.mem.data_width);
        let data = usize::from(d.mem.data);
        let together = match d.operation {
            Operation::Elements(e) => self.buffer_lanes(d, env, e, (&v, soffset), exec)?,
            _ => false,
        };
        let order: Vec<usize> = if together { Vec::new() } else { self.lane_order(exec) };
        for &lane in &order {
            let p = self.place(d, &v, lane);
            let a = usize::from(d.mem.addr);
            let base = if d.mem.addr64 { u64::from(self.v[a][lane]) | u64::from(self.v[a + 1][lane]) << 32 } else { 0 };
            let generation = self.generation;
            let structured = d.mem.idxen || v.add_tid;
            // Address of some bytes further on, or refusal.
            let at = |more: u64, size: u64| -> Option<u64> {
                if d.mem.addr64 {
                    let align = if size >= 4 { !3 } else { !(size - 1) };
                    let sum = v.base.wrapping_add(base).wrapping_add(soffset + u64::from(d.mem.offset) + more);
                    return Some(sum & 0xffff_ffff_ffff & align);
                }
                v.address(generation, structured, Place { offset: p.offset + more, ..p }, size, soffset)
            };
            match d.operation {
                Operation::Atomic(a) => self.atomic_at(d, env, a, at(0, if a.wide { 8 } else { 4 }), lane),
                Operation::Formatted { half } => {
                    let format = Conversion::new(d, &v, half);
                    let address = format.layout.as_ref().and_then(|l| at(0, l.bytes().into()));
                    self.formatted(d, env, &format, address, lane)
                }
                Operation::Elements(e) => self.elements(d, env, e, at, lane),
                _ => Err(unsupported(format!("`{}` is not an access of this interpreter", d.op.name()))),
            }
            .map_err(|t| t.in_lane(lane as u32))?;
        }
        let atomic = d.access == Access::Atomic;
        if !store && !d.mem.lds && (!atomic || d.mem.glc) {
            for i in 0..width as usize {
                self.v_known[data + i] |= exec;
            }
        }
        if d.mem.tfe {
            // Everything is resident.
            let status = data + width as usize;
            for lane in lanes(exec) {
                self.v[status][lane] = 0;
            }
        }
        let effect = store || atomic;
        let locks = (effect && self.generation == GFX6).then_some((d.mem.data.into(), d.mem.data_width));
        if effect && width > 2 && self.generation != GFX6 && !matches!(d.src[1], super::decode::Src::S(_)) {
            self.note_wide_store(u16::from(d.mem.data) + 256, d.mem.data_width);
        }
        self.send(Order::Vmem, d, effect, locks);
        Ok(())
    }

    /// Components of one lane in a format. Without an address nothing is stored and zeros are loaded.
    fn formatted(
        &mut self,
        d: &Decoded,
        env: &mut DeviceMemory,
        format: &Conversion,
        address: Option<u64>,
        lane: usize,
    ) -> Result<(), Trap> {
        let (data, width) = (usize::from(d.mem.data), usize::from(d.mem.data_width));
        let store = d.access == Access::Store;
        let (Some(layout), Some(address)) = (&format.layout, address) else {
            for i in (0..width).filter(|_| !store) {
                self.v[data + i][lane] = 0;
            }
            return Ok(());
        };
        let (by, bytes) = (self.by(d, lane), layout.bytes());
        if store {
            let mut c = [0u32; 4];
            for (i, c) in c.iter_mut().enumerate().take(width) {
                *c = self.v[data + i][lane];
            }
            let raw = layout.pack(format.nfmt, c, format.half);
            for i in 0..bytes.div_ceil(4) {
                let n = (bytes - 4 * i).min(4);
                self.store(env, address + u64::from(4 * i), n, (raw >> (32 * i)) as u64, by)?;
            }
            return Ok(());
        }
        let cache = Some(self.unit).filter(|_| !d.mem.glc);
        let mut raw = 0u128;
        for i in 0..bytes.div_ceil(4) {
            let n = (bytes - 4 * i).min(4);
            raw |= u128::from(self.load(env, cache, address + u64::from(4 * i), n, by)?) << (32 * i);
        }
        let c = layout.unpack(format.nfmt, raw);
        let one = if matches!(format.nfmt, 4 | 5) { 1 } else { 1f32.to_bits() };
        for (i, s) in format.sel.into_iter().enumerate().take(width) {
            let x = match s {
                0 => 0,
                1 => one,
                s @ 4..=7 => c[s as usize - 4],
                _ => return Err(reserved("reserved component selector")),
            };
            self.v[data + i][lane] = if format.half { format::to_half(format.nfmt, x) } else { x };
        }
        Ok(())
    }

    /// Plain elements of one lane of a buffer. `at` gives the address of some bytes further on, or refuses.
    fn elements(
        &mut self,
        d: &Decoded,
        env: &mut DeviceMemory,
        e: Elements,
        at: impl Fn(u64, u64) -> Option<u64>,
        lane: usize,
    ) -> Result<(), Trap> {
        let (by, bytes) = (self.by(d, lane), u32::from(e.bytes));
        let cache = Some(self.unit).filter(|_| !d.mem.glc);
        for i in 0..usize::from(e.count) {
            let address = at(4 * i as u64, bytes.into());
            let reg = usize::from(d.mem.data) + i;
            if d.access == Access::Store {
                if let Some(a) = address {
                    let value = self.v[reg][lane];
                    self.store(env, a, bytes, value.into(), by)?;
                }
                continue;
            }
            let raw = match address {
                Some(a) => self.load(env, cache, a, bytes, by)? as u32,
                None => 0,
            };
            let value = extended(e, raw);
            if !d.mem.lds {
                self.v[reg][lane] = value;
                continue;
            }
            let to = (self.m0()? & 0xffff) + d.mem.offset + 4 * lane as u32;
            if to + 4 <= env.lds_size {
                env.lds_store(to, 4, value.into(), by)?;
            }
        }
        Ok(())
    }

    /// An atomic of one lane, its data in the data registers; nothing happens without an address.
    pub(crate) fn atomic_at(
        &mut self,
        d: &Decoded,
        env: &mut DeviceMemory,
        a: Atomic,
        address: Option<u64>,
        lane: usize,
    ) -> Result<(), Trap> {
        let data = usize::from(d.mem.data);
        let value = |w: &Wave, at: usize| {
            let lo = u64::from(w.v[at][lane]);
            if a.wide { lo | u64::from(w.v[at + 1][lane]) << 32 } else { lo }
        };
        let new = value(self, data);
        let swap = a.op.compares();
        let other = if swap { value(self, data + if a.wide { 2 } else { 1 }) } else { 0 };
        let old = match address {
            Some(at) => self.atomic(env, (a, new, other), at, d.mem.glc, self.by(d, lane))?,
            None => 0,
        };
        if d.mem.glc {
            let to = if d.format == Format::Flat { usize::from(d.dst) } else { data };
            self.v[to][lane] = old as u32;
            self.v_known[to] |= 1 << lane;
            if a.wide {
                self.v[to + 1][lane] = (old >> 32) as u32;
                self.v_known[to + 1] |= 1 << lane;
            }
        }
        Ok(())
    }

    /// The order in which lanes reach memory: from the lowest, or turned by the seed.
    pub(crate) fn lane_order(&mut self, exec: u64) -> Vec<usize> {
        let mut order: Vec<usize> = Vec::with_capacity(LANES);
        order.extend(lanes(exec));
        if let Some(rng) = &mut self.rng {
            let by = rng.below(LANES as u64) as usize;
            let n = order.len();
            if n > 0 {
                order.rotate_left(by % n);
            }
        }
        order
    }

    pub(crate) fn m0(&self) -> Result<u32, Trap> {
        fail_if!(self.s_known >> M0 & 1 == 0, undefined(M0 as u16));
        Ok(self.s[M0 as usize])
    }

    /// FLAT instructions: every address is a global one (no apertures are set up).
    pub(crate) fn flat(&mut self, d: &Decoded, env: &mut DeviceMemory) -> Result<(), Trap> {
        let exec = if self.mode >> 28 & 1 == 1 { 0 } else { self.exec() };
        self.m0()?;
        let together = match d.operation {
            Operation::Elements(e) => self.flat_lanes(d, env, e, exec)?,
            _ => false,
        };
        let order: Vec<usize> = if together { Vec::new() } else { self.lane_order(exec) };
        for &lane in &order {
            let a = usize::from(d.mem.addr);
            let address = u64::from(self.v[a][lane]) | u64::from(self.v[a + 1][lane]) << 32;
            match d.operation {
                Operation::Atomic(a) if address % (if a.wide { 8 } else { 4 }) != 0 => {
                    Err(misaligned(format!("atomic at address {address:#x}")))
                }
                Operation::Atomic(a) => self.atomic_at(d, env, a, Some(address), lane),
                Operation::Elements(e) => self.flat_elements(d, env, e, address, lane),
                _ => Err(unsupported(format!("`{}` is not an access of this interpreter", d.op.name()))),
            }
            .map_err(|t| t.in_lane(lane as u32))?;
        }
        if d.access == Access::Load {
            for i in 0..usize::from(d.dst_width) {
                self.v_known[usize::from(d.dst) + i] |= exec;
            }
        }
        let effect = d.access != Access::Load;
        if effect && d.mem.data_width > 2 {
            self.note_wide_store(u16::from(d.mem.data) + 256, d.mem.data_width);
        }
        self.send(Order::Flat, d, effect, None);
        Ok(())
    }

    /// Plain elements of one lane at a flat address.
    fn flat_elements(
        &mut self,
        d: &Decoded,
        env: &mut DeviceMemory,
        e: Elements,
        address: u64,
        lane: usize,
    ) -> Result<(), Trap> {
        let (by, bytes) = (self.by(d, lane), u32::from(e.bytes));
        let cache = Some(self.unit).filter(|_| !d.mem.glc);
        for i in 0..usize::from(e.count) {
            let at = (address & !(u64::from(bytes) - 1)).wrapping_add(4 * i as u64);
            if d.access == Access::Store {
                let value = self.v[usize::from(d.mem.data) + i][lane];
                self.store(env, at, bytes, value.into(), by)?;
            } else {
                let raw = self.load(env, cache, at, bytes, by)? as u32;
                self.v[usize::from(d.dst) + i][lane] = extended(e, raw);
            }
        }
        Ok(())
    }
}

/// An element as a register holds it.
fn extended(e: Elements, raw: u32) -> u32 {
    let shift = 32 - 8 * u32::from(e.bytes);
    if e.signed { ((raw << shift) as i32 >> shift) as u32 } else { raw }
}
