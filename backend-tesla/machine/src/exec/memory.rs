//! Memory spaces of a running workgroup, and the instructions on them (reference sections 4.1, 4.6, 7.6).

use super::decode::{CLASSES, Code, Dst, Place, Src};
use super::step::Machine;
use super::subgroup::{Lanes, Warp, first};
use super::weak::{FENCE, Order, Write};
use crate::operand::Addr;
use crate::types::{AtomOp, Op, Ty};
use gpucc_isa::fail_if;
use gpucc_sim::{
    AddressSpace, AllocId, By, Memory, OwnMemory, RaceCheck, Rules, SplitMix64, Trap, TrapKind, World,
    lanes::{self, Words, lanes},
    trap::{bad_register, hazard, out_of_bounds, reserved, undefined},
};
use std::cell::RefCell;

/// A window onto a buffer or a storage texture.
#[derive(Clone, Copy)]
pub struct Window {
    /// The memory that it shows.
    pub alloc: AllocId,
    /// Whether stores are allowed.
    pub writable: bool,
    /// Where it begins in it.
    pub base: u64,
    /// How addresses count: linear or by rows.
    pub shape: WindowShape,
}

/// How the addresses of a window count.
#[derive(Clone, Copy)]
pub enum WindowShape {
    /// Bytes, to the end of the memory.
    Whole,
    /// Bytes, below this number.
    Bytes(u64),
    /// Row in the high half, byte of the row in the low one: bytes of a row, rows, and rows of a tile as a power of two.
    Rows(u64, u64, u32),
}

gpucc_sim::words! {
    /// Words of a window of g[] onto a texture (`graphics-tesla.md` 1.4).
    struct WindowWords[5] = "GLOBAL", the rest reserved {
        ADDRESS_HIGH address_high: 0[0..8];
        ADDRESS address: 1[0..32];
        PITCH pitch: 2[0..32];
        WIDTH width: 3[0..16] minus 1;
        ROWS rows: 3[16..32] minus 1;
        LINEAR linear: 4[0..1];
        TILE_HEIGHT tile_height: 4[4..8];
    }
}

impl Window {
    /// Reads the words that a driver part wrote.
    pub fn read(words: [u32; 5], space: &AddressSpace, writable: bool) -> Result<Window, Trap> {
        let w = WindowWords(words);
        w.reserved()?;
        let bad = |field: &str, v: u32| reserved(format!("GLOBAL field {field} has the value {v:#x}"));
        let shape = if w.linear() == 1 {
            fail_if!(w.pitch() != 0 || w.tile_height() != 0, bad("PITCH or TILE_HEIGHT", w.pitch()));
            WindowShape::Bytes(u64::from(words[3]) + 1)
        } else {
            let height = 2 + w.tile_height();
            if height > 6 || !w.rows().is_multiple_of(1 << height) || !w.width().is_multiple_of(64) {
                return Err(bad("TILE_HEIGHT, ROWS or WIDTH", w.tile_height()));
            }
            fail_if!(w.pitch() != w.width() << height, bad("PITCH", w.pitch()));
            WindowShape::Rows(w.width().into(), w.rows().into(), height)
        };
        let size = match shape {
            WindowShape::Whole => 1,
            WindowShape::Bytes(n) => n,
            WindowShape::Rows(width, rows, _) => width * rows,
        };
        let address = u64::from(w.address_high()) << 32 | u64::from(w.address());
        let (alloc, base) = space.resolve(address, size as u32)?;
        Ok(Window { alloc, writable, base, shape })
    }

    /// Where an address lies.
    fn place(&self, g: u8, address: u32, size: u32) -> Result<u64, Trap> {
        let outside = || Err(out_of_bounds(format!("access of {size} bytes at g{g}[{address:#x}], past the window")));
        let at = u64::from(address);
        match self.shape {
            WindowShape::Whole => Ok(at),
            WindowShape::Bytes(n) if at + u64::from(size) <= n => Ok(self.base + at),
            WindowShape::Bytes(_) => outside(),
            WindowShape::Rows(width, rows, height) => {
                let (x, y) = (at & 0xffff, at >> 16);
                if x + u64::from(size) > width || y >= rows {
                    return outside();
                }
                let tile = (y >> height) * (width >> 6) + (x >> 6);
                Ok(self.base + (tile << (6 + height)) + ((y & ((1 << height) - 1)) << 6) + (x & 63))
            }
        }
    }
}

/// All spaces but l[].
#[derive(Clone)]
pub struct DeviceMemory {
    pub memory: Memory,
    /// Where what a driver part placed lies.
    pub space: AddressSpace,
    /// Addresses of the tables of texture and sampler descriptors.
    pub tables: [Option<u64>; 2],
    pub global: [Option<Window>; 16],
    pub constant: [Option<AllocId>; 16],
    pub shared: Option<AllocId>,
    /// Bytes of the workgroup window and where this workgroup's begin in it.
    pub window: Option<(u32, u64)>,
    /// Counters of the barriers.
    pub barriers: [u32; 16],
    /// Warps of a workgroup.
    pub warps: u32,
    /// Locked words of s[]: byte address, warp, lane.
    pub locks: Vec<(u32, u32, u32)>,
    /// The check for races; operands of arithmetic read s[] too.
    pub races: RefCell<RaceCheck>,
    /// s[] and the workgroup window, while several workgroups run.
    pub own: OwnMemory,
    /// Where workgroup memory begins in s[].
    pub shared_base: u32,
    /// The past of buffers, and the accesses of the workgroup that runs that are under way, where memory is weak.
    pub order: Order,
    /// The slot of the workgroup that runs, and what belongs to those of other slots.
    slot: usize,
    parked: Vec<Parked>,
}

/// The other memory of a workgroup.
#[derive(Clone, Default)]
struct Parked {
    window: Option<(u32, u64)>,
    barriers: [u32; 16],
    locks: Vec<(u32, u32, u32)>,
    agent: Option<gpucc_sim::Agent<Write>>,
}

impl World for DeviceMemory {
    const CLASSES: &'static [&'static str] = &CLASSES;

    fn memory(&mut self) -> &mut Memory {
        &mut self.memory
    }
}

impl DeviceMemory {
    /// No spaces on this memory yet.
    pub fn new(memory: Memory, races: RaceCheck) -> DeviceMemory {
        DeviceMemory {
            memory,
            space: AddressSpace::new64(None),
            tables: [None; 2],
            global: [None; 16],
            constant: [None; 16],
            shared: None,
            window: None,
            barriers: [0; 16],
            warps: 0,
            locks: Vec::new(),
            races: RefCell::new(races),
            own: OwnMemory::default(),
            shared_base: 0,
            order: Order::default(),
            slot: 0,
            parked: Vec::new(),
        }
    }

    /// The workgroup in this slot runs from here on.
    pub fn enter(&mut self, slot: usize) {
        self.own.enter(slot, &mut self.memory, self.races.get_mut());
        let count = self.parked.len().max(slot.max(self.slot) + 1);
        self.parked.resize_with(count, Parked::default);
        for at in [self.slot, slot] {
            let p = &mut self.parked[at];
            std::mem::swap(&mut self.window, &mut p.window);
            std::mem::swap(&mut self.barriers, &mut p.barriers);
            std::mem::swap(&mut self.locks, &mut p.locks);
            std::mem::swap(&mut self.order.agent, &mut p.agent);
        }
        self.slot = slot;
    }

    /// Forgets what a workgroup left behind.
    pub fn begin_workgroup(&mut self, mut rng: Option<&mut SplitMix64>, window: u32, linear: u64) -> Result<(), Trap> {
        if let Some(id) = self.shared {
            self.memory.reset_undefined(id, rng.as_deref_mut());
        }
        if window > 0
            && let Some(w) = self.global[14]
        {
            self.memory.reset_undefined(w.alloc, rng);
            self.window = Some((window, linear * u64::from(window)));
        }
        self.locks.clear();
        self.barriers = [0; 16];
        self.begin_order()
    }

    /// Lanes of a warp that have a word of s[] locked.
    #[inline]
    pub fn locked_by(&self, warp: u32) -> u32 {
        self.locks.iter().filter(|k| k.1 == warp).fold(0, |m, k| m | 1 << k.2)
    }

    fn global_place(&self, g: u8, address: u32, size: u32, store: bool) -> Result<(AllocId, u64), Trap> {
        let Some(w) = self.global[g as usize] else {
            return Err(out_of_bounds(format!("g{g}[] is not bound")));
        };
        if !address.is_multiple_of(size) {
            return Err(Trap::new(TrapKind::Misaligned, format!("access of {size} bytes at g{g}[{address:#x}]")));
        }
        fail_if!(store && !w.writable, Trap::new(TrapKind::ReadOnly, format!("store to g{g}[{address:#x}]")));
        if let (14, Some((bytes, base))) = (g, self.window) {
            let offset = u64::from(address).checked_sub(base).filter(|&o| o + u64::from(size) <= u64::from(bytes));
            return offset.map(|o| (w.alloc, o)).ok_or_else(|| {
                out_of_bounds(format!(
                    "g14[{address:#x}] belongs to another workgroup; here is {base:#x} and {bytes} bytes on"
                ))
            });
        }
        Ok((w.alloc, w.place(g, address, size)?))
    }

    /// Entry `n` of the table of texture (0) or sampler descriptors (1).
    pub fn entry(&self, table: usize, n: u32, name: &str) -> Result<[u32; 8], Trap> {
        let unbound = || out_of_bounds(format!("{name}{n} is not bound"));
        let address = self.tables[table].ok_or_else(unbound)? + 32 * u64::from(n);
        let (id, at) = self.space.find(address, 32).ok_or_else(unbound)?;
        let mut words = [0; 8];
        for (k, w) in (0..).zip(&mut words) {
            *w = self.memory.load_u32(id, at + 4 * k)?;
        }
        Ok(words)
    }

    /// A part of a texel.
    pub fn texel(&self, address: u64, size: u32, by: By) -> Result<u64, Trap> {
        let (id, at) = self.space.resolve(address, size)?;
        self.races.borrow_mut().load(id, at, size, by)?;
        Ok(self.memory.load(id, at, size)?)
    }
}

/// A loaded value in the register, by type.
fn extend(raw: u64, ty: Ty) -> u32 {
    match ty {
        Ty::S8 => i32::from(raw as i8) as u32,
        Ty::S16 => i32::from(raw as i16) as u32,
        _ => raw as u32,
    }
}

fn misaligned(space: &str, at: u32, size: u32) -> Trap {
    Trap::new(TrapKind::Misaligned, format!("access of {size} bytes at {space}[{at:#x}]"))
}

impl Machine<'_> {
    /// Byte address of a memory operand in a lane: 16-bit sum.
    #[inline]
    pub fn address(warp: &Warp, addr: Addr, lane: u32) -> u32 {
        if addr.a == 0 {
            return addr.off as u32 & 0xffff;
        }
        u32::from(warp.areg[addr.a as usize][lane as usize].wrapping_add(addr.off as u16))
    }

    /// Address registers that an instruction reads must have been written.
    pub fn check_areg(warp: &Warp, a: u8, mask: u32) -> Result<(), Trap> {
        fail_if!(a > 4, bad_register(format!("$a{a} must not be used")));
        let unknown = mask & !warp.areg_known[a as usize];
        fail_if!(unknown != 0, undefined(format!("$a{a} was never written")).in_lane(first(unknown)));
        Ok(())
    }

    /// Loads `size` bytes of c[].
    pub fn load_const(&self, c: u8, at: u32, size: u32) -> Result<u32, Trap> {
        fail_if!(!at.is_multiple_of(size), misaligned(&format!("c{c}"), at, size));
        let Some(id) = self.memories.constant[c as usize] else {
            return Err(out_of_bounds(format!("c{c}[] is not bound")));
        };
        Ok(self.memories.memory.load(id, u64::from(at), size)? as u32)
    }

    /// Loads `size` bytes of s[].
    pub fn load_shared(&self, at: u32, size: u32) -> Result<u32, Trap> {
        fail_if!(!at.is_multiple_of(size), misaligned("s", at, size));
        let Some(id) = self.memories.shared else {
            return Err(out_of_bounds("there is no s[]"));
        };
        Ok(self.memories.memory.load(id, u64::from(at), size)? as u32)
    }

    /// A lane of a warp, at its instruction.
    pub fn by(warp: &Warp, lane: u32) -> By {
        By { lane: warp.id * 32 + lane, pc: warp.pc }
    }

    /// Tells the check for races that lanes load s[]: the words in front of workgroup memory never change.
    pub fn reads_shared(&self, warp: &Warp, addr: Addr, mask: u32, size: u32) -> Result<(), Trap> {
        let Some(id) = self.memories.shared else { return Ok(()) };
        let mut races = self.memories.races.borrow_mut();
        if !races.is_on() || mask == 0 {
            return Ok(());
        }
        let mut rest = mask;
        while rest != 0 {
            let lane = first(rest);
            rest &= rest - 1;
            let at = Self::address(warp, addr, lane);
            if at >= self.memories.shared_base {
                races.load(id, at.into(), size, Self::by(warp, lane)).map_err(|t| t.in_lane(lane))?;
            } else if addr.a == 0 {
                return Ok(());
            }
        }
        Ok(())
    }

    fn store_shared(&mut self, at: u32, size: u32, value: u32, by: By, unlock: bool) -> Result<(), Trap> {
        fail_if!(!at.is_multiple_of(size), misaligned("s", at, size));
        let Some(id) = self.memories.shared else {
            return Err(out_of_bounds("there is no s[]"));
        };
        if unlock {
            return self.memories.modify(id, u64::from(at), size, by, |_| u64::from(value)).map(|_| ());
        }
        self.memories.write((id, at.into(), size), (Write::Store(value.into(), by), false), by).map(drop)
    }

    fn local_range(warp: &Warp, at: u32, size: u32, lane: u32) -> Result<std::ops::Range<usize>, Trap> {
        fail_if!(!at.is_multiple_of(size), misaligned("l", at, size));
        if at + size > warp.local_size {
            return Err(out_of_bounds(format!(
                "access of {size} bytes at l[{at:#x}], there are {} bytes",
                warp.local_size
            )));
        }
        let start = (lane * warp.local_size + at) as usize;
        Ok(start..start + size as usize)
    }

    /// `mov`-like results of loads: half or full registers.
    fn deliver(warp: &mut Warp, dst: Dst, values: &Lanes, mask: u32) {
        match dst {
            Dst::R16(r, high) => warp.write_half(r, high, values, mask),
            Dst::R32(r, _) => warp.write(r, values, mask),
            // Outside of o[] nothing is written: decoding knows no size.
            Dst::Out(n) => drop(warp.write_out(n.into(), values, mask)),
            Dst::None | Dst::Ignored => {}
        }
    }

    /// Loads and stores of c[], s[], l[], g[].
    pub fn memory_op(&mut self, warp: &mut Warp, code: &Code, mask: u32) -> Result<(), Trap> {
        let size = code.ty.bytes();
        let words = size.div_ceil(4) as usize;
        let mut values = [[0_u32; 32]; 4];
        let store = matches!(code.op, Op::StS | Op::StUnlock | Op::StL | Op::StG);
        if let (Rules::Hardware, Place::Local(addr), 4..) = (self.rules, code.place, size)
            && let (Src::R32(r) | Src::R64(r), _, true) | (_, Dst::R32(r, _), false) = (code.src[2], code.dst, store)
        {
            return Self::spill(warp, addr, (r, words), store, mask);
        }
        if store {
            self.stored(warp, code, mask, words, &mut values)?;
        }
        match code.place {
            Place::Const(_, addr) | Place::Shared(addr) | Place::Local(addr) => Self::check_areg(warp, addr.a, mask)?,
            Place::Global(_, r) => self.defined(warp, Src::R32(r), mask)?,
            Place::None | Place::Attr(_) | Place::Out(_) | Place::Varying(_) => {}
        }
        let mut loaded = mask;
        if code.op == Op::LdLock {
            loaded = self.lock(warp, code, mask);
            warp.forget(code.dst, mask & !loaded);
        }
        let mut rest = if store { mask } else { loaded };
        if self.lanes_together(warp, code, (rest, size), store, &mut values).map_err(|(l, t)| t.in_lane(l as u32))? {
            rest = 0;
        }
        while rest != 0 {
            let lane = first(rest);
            rest &= rest - 1;
            let l = lane as usize;
            self.lane_access(warp, code, lane, size, words, store, &mut values).map_err(|t| t.in_lane(lane))?;
            if !store {
                values[0][l] = if size < 4 { extend(u64::from(values[0][l]), code.ty) } else { values[0][l] };
            }
        }
        if !store {
            if words > 1 {
                if let Dst::R32(r, _) = code.dst {
                    for (i, v) in values.iter().enumerate().take(words) {
                        warp.write(r + i as u8, v, loaded);
                    }
                }
            } else {
                Self::deliver(warp, code.dst, &values[0], loaded);
            }
        }
        Ok(())
    }

    /// Whole words of g[] and s[] of all lanes as one (`gpucc_sim::lanes`). Gives whether it loaded or stored them: weak memory, the
    /// fence region, locks and windows by rows ask more of each lane.
    fn lanes_together(
        &mut self,
        warp: &mut Warp,
        code: &Code,
        (mask, size): (u32, u32),
        store: bool,
        values: &mut [Lanes; 4],
    ) -> Result<bool, (usize, Trap)> {
        let own = &mut *self.memories;
        if mask == 0 || size < 4 {
            return Ok(false);
        }
        let (mut addresses, mut limit) = ([0; 32], u64::MAX);
        let (id, base) = match code.place {
            Place::Global(g, r) if own.order.is_strong() && (store || g != FENCE) => {
                let Some(w) = own.global[usize::from(g)] else { return Ok(false) };
                addresses = warp.regs[usize::from(r)].map(u64::from);
                let base = match (g, own.window, w.shape) {
                    (14, Some((bytes, base)), _) => {
                        limit = base + u64::from(bytes);
                        base
                    }
                    (_, _, WindowShape::Whole) => 0,
                    (_, _, WindowShape::Bytes(n)) => {
                        limit = n;
                        0_u64.wrapping_sub(w.base)
                    }
                    _ => return Ok(false),
                };
                if store && !w.writable {
                    return Ok(false);
                }
                warp.fence = 0;
                (w.alloc, base)
            }
            Place::Shared(addr) if matches!(code.op, Op::LdS | Op::StS) && own.locks.is_empty() => {
                let Some(id) = own.shared.filter(|id| own.own.has(*id) || own.order.is_strong()) else {
                    return Ok(false);
                };
                for (lane, at) in (0..).zip(&mut addresses) {
                    *at = Self::address(warp, addr, lane).into();
                }
                (id, 0)
            }
            _ => return Ok(false),
        };
        let first = if matches!(code.place, Place::Shared(_)) && !store { u64::from(own.shared_base) } else { 0 };
        let (mut low, mut end, mut start) = (0, 0, u64::MAX);
        for l in lanes(mask) {
            let at = addresses[l];
            (low, end, start) = (low | at, end.max(at), start.min(at));
        }
        if !low.is_multiple_of(size.into()) || end + u64::from(size) > limit || start < first {
            return Ok(false);
        }
        let by = By { lane: warp.id * 32, pc: warp.pc };
        let words = size as usize / 4;
        let w = Words { id, base, bytes: u64::MAX, addresses: &addresses, lanes: mask.into(), words, by };
        if store {
            return lanes::store(&mut own.memory, own.races.get_mut(), &w, |l, k| values[k][l]);
        }
        lanes::load(&own.memory, own.races.get_mut(), &w, |l, k, word| values[k][l] = word)
    }

    /// Moves whole registers to l[] or back as a copy, which takes along what is undefined: the spill of an undefined value is no use
    /// of it.
    fn spill(warp: &mut Warp, addr: Addr, (base, words): (u8, usize), store: bool, mask: u32) -> Result<(), Trap> {
        Self::check_areg(warp, addr.a, mask)?;
        for lane in (0..32).filter(|l| mask >> l & 1 == 1) {
            let at = Self::address(warp, addr, lane);
            let start = Self::local_range(warp, at, 4 * words as u32, lane).map_err(|t| t.in_lane(lane))?.start;
            for w in 0..words {
                let (r, at, l) = (usize::from(base) + w, start + 4 * w, lane as usize);
                if store {
                    warp.local[at..at + 4].copy_from_slice(&warp.regs[r][l].to_le_bytes());
                } else {
                    let b = &warp.local[at..at + 4];
                    warp.regs[r][l] = u32::from_le_bytes([b[0], b[1], b[2], b[3]]);
                }
                for h in 0..2 {
                    let half = &mut warp.local_known[at + 2 * h..at + 2 * h + 2];
                    if store {
                        half.fill(warp.known[r][h] >> lane & 1 == 1);
                    } else {
                        warp.known[r][h] = warp.known[r][h] & !(1 << lane) | u32::from(half == [true; 2]) << lane;
                    }
                }
            }
        }
        Ok(())
    }

    #[expect(clippy::too_many_arguments, reason = "one access and everything that it touches")]
    fn lane_access(
        &mut self,
        warp: &mut Warp,
        code: &Code,
        lane: u32,
        size: u32,
        words: usize,
        store: bool,
        values: &mut [Lanes; 4],
    ) -> Result<(), Trap> {
        let l = lane as usize;
        match code.place {
            Place::Const(c, addr) => values[0][l] = self.load_const(c, Self::address(warp, addr, lane), size)?,
            Place::Shared(addr) => {
                let at = Self::address(warp, addr, lane);
                let by = Self::by(warp, lane);
                if !store {
                    values[0][l] = self.load_shared(at, size)?;
                    if code.op != Op::LdLock {
                        return self.reads_shared(warp, addr, 1 << lane, size);
                    }
                    let Some(id) = self.memories.shared else { return Ok(()) };
                    return self.memories.races.get_mut().atomic(id, at.into(), size, false, by);
                }
                if code.op == Op::StUnlock {
                    let Some(i) = self.memories.locks.iter().position(|k| *k == (at, warp.id, lane)) else {
                        return Err(hazard(format!("unlock of s[{at:#x}], which this lane has not locked")));
                    };
                    self.memories.locks.swap_remove(i);
                } else if self.rules == Rules::Conventions
                    && self.memories.locks.iter().any(|k| k.0 == at & !3 && k.1 != warp.id)
                {
                    return Err(hazard(format!("store to s[{at:#x}], locked by another warp")));
                }
                self.store_shared(at, size, values[0][l], by, code.op == Op::StUnlock)?;
            }
            Place::Local(addr) => {
                let range = Self::local_range(warp, Self::address(warp, addr, lane), size, lane)?;
                if store {
                    let bytes: Vec<u8> = (0..words).flat_map(|w| values[w][l].to_le_bytes()).collect();
                    warp.local_known[range.clone()].fill(true);
                    warp.local[range].copy_from_slice(&bytes[..size as usize]);
                } else {
                    if warp.local_known[range.clone()].contains(&false) {
                        let at = Self::address(warp, addr, lane);
                        return Err(undefined(format!("l[{at:#x}] was never written")));
                    }
                    let mut bytes = [0; 16];
                    bytes[..size as usize].copy_from_slice(&warp.local[range]);
                    for (w, b) in bytes.chunks_exact(4).enumerate().take(words) {
                        values[w][l] = u32::from_le_bytes([b[0], b[1], b[2], b[3]]);
                    }
                }
            }
            Place::Global(g, r) => {
                let address = warp.regs[r as usize][l];
                self.memories.fenced(warp, (g, address), store)?;
                let (id, offset) = self.memories.global_place(g, address, size, store)?;
                let by = Self::by(warp, lane);
                if size < 4 {
                    if store {
                        let what = Write::Store(values[0][l].into(), by);
                        self.memories.write((id, offset, size), (what, false), by)?;
                    } else {
                        values[0][l] = self.memories.load(id, offset, size, by)? as u32;
                    }
                } else {
                    for (w, v) in values.iter_mut().enumerate().take(words) {
                        let at = offset + 4 * w as u64;
                        if store {
                            self.memories.write((id, at, 4), (Write::Store(v[l].into(), by), false), by)?;
                        } else {
                            v[l] = self.memories.load(id, at, 4, by)? as u32;
                        }
                    }
                }
            }
            Place::None | Place::Attr(_) | Place::Out(_) | Place::Varying(_) => {}
        }
        Ok(())
    }

    /// Data of a store.
    fn stored(&self, warp: &Warp, code: &Code, mask: u32, words: usize, values: &mut [Lanes; 4]) -> Result<(), Trap> {
        let src = code.src[2];
        self.defined(warp, src, mask)?;
        match src {
            Src::R32(r) => values[0] = warp.regs[r as usize],
            Src::R16(r, high) => values[0] = warp.regs[r as usize].map(|v| if high { v >> 16 } else { v & 0xffff }),
            Src::R64(r) => {
                for (w, v) in values.iter_mut().enumerate().take(words) {
                    self.defined(warp, Src::R32(r + w as u8), mask)?;
                    *v = warp.regs[r as usize + w];
                }
            }
            _ => {
                return Err(bad_register(
                    "data of a store in a register that is not allocated: hardware ignores the store",
                ));
            }
        }
        Ok(())
    }

    /// Tries to lock; gives the lanes that got their word and writes the outcome into the flags.
    fn lock(&mut self, warp: &mut Warp, code: &Code, mask: u32) -> u32 {
        let mut flags = [0_u8; 32];
        let mut won = 0;
        if let Place::Shared(addr) = code.place
            && mask != 0
            && !self.memories.locks.iter().any(|k| k.1 == warp.id)
        {
            let mut candidates = mask;
            if let Some(rng) = self.rng.as_mut() {
                let skip = rng.below(u64::from(mask.count_ones()));
                for _ in 0..skip {
                    candidates &= candidates - 1;
                }
            }
            let lane = first(candidates);
            let at = Self::address(warp, addr, lane);
            if !self.memories.locks.iter().any(|k| k.0 == at) {
                self.memories.locks.push((at, warp.id, lane));
                won = 1 << lane;
                flags[lane as usize] = 2;
            }
        }
        if let Some(c) = code.cdst {
            warp.write_flags(c, &flags, mask);
        }
        won
    }

    /// Atomic operations on g[].
    pub fn atomic(&mut self, warp: &mut Warp, code: &Code, op: AtomOp, mask: u32) -> Result<(), Trap> {
        let Place::Global(g, r) = code.place else { return Ok(()) };
        let size = code.ty.bytes();
        let returns = matches!(code.op, Op::Atom(_));
        let (data, second) = if returns { (code.src[1], code.src[2]) } else { (code.src[2], Src::None) };
        if returns && !matches!(code.dst, Dst::R32(..)) {
            return Err(bad_register(
                "result of an atomic operation in a register that is not allocated: hardware ignores it",
            ));
        }
        self.defined(warp, Src::R32(r), mask)?;
        for src in [data, second] {
            fail_if!(matches!(src, Src::Value(_)), bad_register("atomic operand in a register that is not allocated"));
            self.defined(warp, src, mask)?;
        }
        let read = |warp: &Warp, src: Src, l: usize| match src {
            Src::R32(r) => u64::from(warp.regs[r as usize][l]),
            Src::R64(r) => u64::from(warp.regs[r as usize][l]) | u64::from(warp.regs[r as usize + 1][l]) << 32,
            _ => 0,
        };
        let mut old = [[0_u32; 32]; 2];
        let turn = self.rng.as_mut().map_or(0, |r| r.below(32) as u32);
        for i in 0..32 {
            let lane = (i + turn) % 32;
            if mask >> lane & 1 == 0 {
                continue;
            }
            let l = lane as usize;
            warp.fence = 0;
            let access = self.memories.global_place(g, warp.regs[r as usize][l], size, true);
            let (id, offset) = access.map_err(|t| t.in_lane(lane))?;
            let by = Self::by(warp, lane);
            let what = Write::Atomic(op, code.ty, read(warp, data, l), read(warp, second, l), by);
            let before = self.memories.write((id, offset, size), (what, returns), by).map_err(|t| t.in_lane(lane))?;
            old[0][l] = before as u32;
            old[1][l] = (before >> 32) as u32;
        }
        if let (true, Dst::R32(d, n)) = (returns, code.dst) {
            warp.write(d, &old[0], mask);
            if n > 1 {
                warp.write(d + 1, &old[1], mask);
            }
        }
        Ok(())
    }
}

/// Memory after an atomic operation (reference section 4.6).
pub(super) fn apply(op: AtomOp, ty: Ty, old: u64, s: u64, new: u64) -> u64 {
    let (o, v) = (old as u32, s as u32);
    u64::from(match op {
        AtomOp::Add if ty.bytes() == 8 => return old.wrapping_add(s),
        AtomOp::Exch => return s,
        AtomOp::Cas => return if old == s { new } else { old },
        AtomOp::Add => o.wrapping_add(v),
        // The sum wraps before it is compared.
        AtomOp::Inc => {
            let n = o.wrapping_add(1);
            if n > v { 0 } else { n }
        }
        AtomOp::Dec => {
            let n = o.wrapping_sub(1);
            if n > v { v } else { n }
        }
        AtomOp::Max if ty.signed() => (o as i32).max(v as i32) as u32,
        AtomOp::Min if ty.signed() => (o as i32).min(v as i32) as u32,
        AtomOp::Max => o.max(v),
        AtomOp::Min => o.min(v),
        AtomOp::And => o & v,
        AtomOp::Or => o | v,
        AtomOp::Xor => o ^ v,
    })
}
