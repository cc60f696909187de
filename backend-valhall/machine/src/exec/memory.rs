//! Messages of the load/store unit (sections 8.3, 9 and 15 of the reference).

use gpucc_isa::fail_if;
use gpucc_sim::{
    AddressSpace, AllocId, By, Memory, OwnMemory, Past, RaceCheck, Trap, World,
    lanes::{Words, lanes},
    trap::{misaligned, out_of_bounds, reserved},
};

use super::decode::DInst;
use super::descriptor::Buffer;
use super::scoreboard::Touch;
use super::step::CLASSES;
use super::subgroup::{LANES, NOWHERE, V32, V64, Warp};
use super::tables::Tables;
use super::weak::{Update, Write};
use crate::Op;

/// Private memory of a workgroup: one stretch for each invocation.
#[derive(Clone, Copy)]
pub(super) struct Scratch {
    pub id: AllocId,
    pub base: u64,
    pub stride: u64,
    pub size: u64,
}

/// All memory of a launch.
#[derive(Clone)]
pub(super) struct DeviceMemory {
    pub memory: Memory,
    pub space: AddressSpace,
    pub tables: Tables,
    /// The tables of the programs of a draw, while they do not run.
    pub of_stages: Vec<Tables>,
    pub scratch: Option<Scratch>,
    pub races: RaceCheck,
    /// Workgroup and private memory, while several workgroups run.
    pub own: OwnMemory,
    /// The past of buffers, where memory is weak.
    pub past: Option<Past>,
    /// Warps that began, where memory is weak.
    pub warps: u32,
}

impl World for DeviceMemory {
    const CLASSES: &'static [&'static str] = &CLASSES;

    fn memory(&mut self) -> &mut Memory {
        &mut self.memory
    }
}

impl DeviceMemory {
    /// Memory with tables in it: nobody watches it, and no program has private memory.
    pub(super) fn new(memory: Memory, space: AddressSpace, tables: Tables) -> DeviceMemory {
        DeviceMemory {
            memory,
            space,
            tables,
            of_stages: Vec::new(),
            scratch: None,
            races: RaceCheck::default(),
            own: OwnMemory::new(Vec::new()),
            past: None,
            warps: 0,
        }
    }

    /// The allocation behind `size` bytes at `address`, by the rules for alignment and private memory.
    fn resolve(&self, w: &Warp, lane: usize, address: u64, size: u32, align: u64) -> Result<(AllocId, u64), Trap> {
        let here = |t: Trap| t.in_lane(w.number * LANES as u32 + lane as u32);
        if !address.is_multiple_of(align) {
            let what = format!("address {address:#x} is not a multiple of {align}");
            return Err(here(misaligned(what)));
        }
        let (id, offset) = self.space.resolve(address, size).map_err(here)?;
        if let Some(s) = &self.scratch
            && s.id == id
        {
            let own = w.thread_base[lane];
            if address < own || address + u64::from(size) > own + s.size {
                let what = format!("address {address:#x} lies in the private memory of another invocation");
                return Err(here(out_of_bounds(what)));
            }
            if address / 16 != (address + u64::from(size) - 1) / 16 {
                let what = format!("private access of {size} bytes at {address:#x} straddles 16 bytes");
                return Err(here(misaligned(what)));
            }
        }
        Ok((id, offset))
    }

    /// Loads whole words of lanes as one (`gpucc_sim::lanes`). Gives whether it did: private memory and weak memory ask more of each lane.
    fn load_lanes(
        &mut self,
        w: &Warp,
        addresses: &V64,
        lanes: u16,
        bytes: u32,
        data: &mut [V32; 4],
    ) -> Result<bool, Trap> {
        let Some(words) = self.words(w, addresses, lanes, bytes) else { return Ok(false) };
        let here = |(lane, t): (usize, Trap)| t.in_lane(words.by.lane + lane as u32);
        gpucc_sim::lanes::load(&self.memory, &mut self.races, &words, |l, k, word| data[k][l] = word).map_err(here)
    }

    /// Stores whole words of lanes from the registers from `first` on as one. Gives whether it did.
    fn store_lanes(&mut self, w: &Warp, addresses: &V64, lanes: u16, bytes: u32, first: u8) -> Result<bool, Trap> {
        let Some(words) = self.words(w, addresses, lanes, bytes) else { return Ok(false) };
        let here = |(lane, t): (usize, Trap)| t.in_lane(words.by.lane + lane as u32);
        let get = |l: usize, k: usize| w.regs[usize::from(first) + k][l];
        gpucc_sim::lanes::store(&mut self.memory, &mut self.races, &words, get).map_err(here)
    }

    /// The words of lanes that may be accessed as one.
    fn words<'a>(&self, w: &Warp, addresses: &'a V64, lanes: u16, bytes: u32) -> Option<Words<'a>> {
        if !bytes.is_multiple_of(4) || w.agent.is_some() || self.past.is_some() {
            return None;
        }
        let (id, base, size) = self.space.find_first(addresses, lanes.into())?;
        let private = self.scratch.as_ref().is_some_and(|s| s.id == id);
        let by = By { lane: w.number * LANES as u32, ..by(w, 0) };
        (!private).then_some(Words {
            id,
            base,
            bytes: size,
            addresses,
            lanes: lanes.into(),
            words: bytes as usize / 4,
            by,
        })
    }
}

/// Bytes of the access and its natural alignment.
fn access(op: Op) -> (u32, u64) {
    let bytes = u32::from(crate::ROWS[op as usize].attrs.bytes);
    let align = match bytes {
        1 | 3 => 1,
        2 | 6 => 2,
        _ => 4,
    };
    (bytes, align)
}

/// Executes LOAD, STORE and atomics by address.
pub(super) fn by_address(w: &mut Warp, d: &DInst, world: &mut DeviceMemory) -> Result<(), Trap> {
    use Op::*;
    w.check_source(&d.src[0])?;
    let base = w.src64(d, 0);
    let addresses: V64 = base.map(|a| a.wrapping_add(d.imm as u64));
    match d.op {
        LoadI8 | LoadI16 | LoadI24 | LoadI32 | LoadI48 | LoadI64 | LoadI96 | LoadI128 => {
            let (bytes, align) = access(d.op);
            let mut data = [[0; LANES]; 4];
            if !world.load_lanes(w, &addresses, w.active, bytes, &mut data)? {
                for l in lanes(w.active) {
                    let (id, offset) = world.resolve(w, l, addresses[l], bytes, align)?;
                    world.read(w, l, (id, offset), bytes, &mut data)?;
                }
            }
            w.kill_last_uses(d)?;
            deliver(w, d, bytes, &data)?;
            w.issue(d.slot, (d.sr, d.sr_count), Touch::Read, &addresses, bytes)
        }
        StoreI8 | StoreI16 | StoreI24 | StoreI32 | StoreI48 | StoreI64 | StoreI96 | StoreI128 => {
            let (bytes, align) = access(d.op);
            check_run(w, d.sr, bytes)?;
            // Those of helpers have no effect, unless they must.
            let silent = if d.message.force { 0 } else { w.helpers };
            let together = world.store_lanes(w, &addresses, w.active & !silent, bytes, d.sr)?;
            for l in lanes(if together { 0 } else { w.active & !silent }) {
                let (id, offset) = world.resolve(w, l, addresses[l], bytes, align)?;
                let mut data = [0u8; 16];
                for (i, chunk) in data.chunks_mut(4).enumerate().take(usize::from(d.sr_count)) {
                    chunk.copy_from_slice(&w.regs[usize::from(d.sr) + i][l].to_le_bytes());
                }
                let what = Write::Store(data, by(w, l));
                world.write(w, l, (id, offset, bytes), (what, false), d.slot)?;
            }
            w.stage(d.slot, (d.sr, d.sr_count));
            w.kill_last_uses(d)?;
            let touched = core::array::from_fn(|l| if silent >> l & 1 == 1 { NOWHERE } else { addresses[l] });
            w.issue(d.slot, (0, 0), Touch::Write, &touched, bytes)
        }
        _ => atomic(w, d, world, &addresses),
    }
}

/// A lane of the warp, at its instruction.
pub(super) fn by(w: &Warp, lane: usize) -> By {
    By { lane: w.number * LANES as u32 + lane as u32, pc: 8 * w.pc as u32 }
}

/// Traps unless the registers of a staging run hold `bytes` defined bytes.
pub(super) fn check_run(w: &Warp, base: u8, bytes: u32) -> Result<(), Trap> {
    for r in 0..bytes.div_ceil(4) {
        let here = (bytes - 4 * r).min(4);
        w.check(base + r as u8, ((1u16 << here) - 1) as u8, w.active)?;
    }
    Ok(())
}

/// Writes loaded words to the staging run in the way the load lane says.
fn deliver(w: &mut Warp, d: &DInst, bytes: u32, data: &[V32; 4]) -> Result<(), Trap> {
    let first = data[0];
    // Sub-word loads: where the value goes, how wide it becomes.
    let extended = |to: u32| -> V64 {
        let up = 64 - 8 * bytes;
        first.map(|v| {
            let wide = u64::from(v) << up;
            let v = if d.unsigned { wide >> up } else { (wide as i64 >> up) as u64 };
            if to == 64 { v } else { v & ((1 << to) - 1) }
        })
    };
    match (bytes, d.load_lane) {
        (1, k @ 0..=3) => w.write_message(d.sr, 1 << k, &first.map(|v| v << (8 * k))),
        (1, k @ 4..=5) => {
            let h = k - 4;
            w.write_message(d.sr, 3 << (2 * h), &extended(16).map(|v| (v as u32) << (16 * h)))
        }
        (2, h @ 0..=1) => w.write_message(d.sr, 3 << (2 * h), &first.map(|v| v << (16 * h))),
        (1, 6) | (2, 2) => w.write_message(d.sr, 0xF, &extended(32).map(|v| v as u32)),
        (1, 7) | (2, 3) | (4, 1) => {
            let v = extended(64);
            w.write_message(d.sr, 0xF, &v.map(|v| v as u32))?;
            w.write_message(d.sr + 1, 0xF, &v.map(|v| (v >> 32) as u32))
        }
        _ => {
            for (r, values) in (0..bytes.div_ceil(4)).zip(data) {
                let here = (bytes - 4 * r).min(4);
                w.write_message(d.sr + r as u8, ((1u16 << here) - 1) as u8, values)?;
            }
            Ok(())
        }
    }
}

/// Executes LD_BUFFER and LEA_BUFFER.
pub(super) fn by_handle(w: &mut Warp, d: &DInst, world: &mut DeviceMemory) -> Result<(), Trap> {
    for s in &d.src {
        w.check_source(s)?;
    }
    let (offsets, handles) = (w.src32(d, 0), w.src32(d, 1));
    let find = |world: &mut DeviceMemory, w: &Warp, l: usize| -> Result<Buffer, Trap> {
        let DeviceMemory { tables, memory, space, .. } = world;
        tables.buffer((memory, space), handles[l]).map_err(|t| t.in_lane(w.number * LANES as u32 + l as u32))
    };
    if d.op == Op::LeaBuffer {
        fail_if!(d.sr_count != 2, reserved("LEA_BUFFER delivers two registers"));
        let mut out: V64 = [0; LANES];
        for l in lanes(w.active) {
            let b = find(world, w, l)?;
            out[l] = if u64::from(offsets[l]) < b.size { b.base + u64::from(offsets[l]) } else { 0 };
        }
        w.kill_last_uses(d)?;
        w.write_message(d.sr, 0xF, &out.map(|v| v as u32))?;
        w.write_message(d.sr + 1, 0xF, &out.map(|v| (v >> 32) as u32))?;
        return w.issue(d.slot, (d.sr, 2), Touch::Nothing, &[NOWHERE; LANES], 0);
    }
    let (bytes, align) = access(d.op);
    let mut data = [[0; LANES]; 4];
    let mut addresses = [NOWHERE; LANES];
    let mut found: Option<(u32, Buffer)> = None;
    let mut inside = 0;
    for l in lanes(w.active) {
        let b = match found {
            Some((handle, b)) if handle == handles[l] => b,
            _ => find(world, w, l)?,
        };
        found = Some((handles[l], b));
        let offset = u64::from(offsets[l]);
        if !offset.is_multiple_of(align) {
            return Err(misaligned(format!("offset {offset:#x} is not a multiple of {align}"))
                .in_lane(w.number * LANES as u32 + l as u32));
        }
        if offset + u64::from(bytes) <= b.size {
            addresses[l] = b.base + offset;
            inside |= 1 << l;
        }
    }
    if !world.load_lanes(w, &addresses, inside, bytes, &mut data)? {
        for l in lanes(inside) {
            let here = |t: Trap| t.in_lane(w.number * LANES as u32 + l as u32);
            let place = world.space.resolve(addresses[l], bytes).map_err(here)?;
            world.read(w, l, place, bytes, &mut data)?;
        }
    }
    w.kill_last_uses(d)?;
    deliver(w, d, bytes, &data)?;
    w.issue(d.slot, (d.sr, d.sr_count), Touch::Read, &addresses, bytes)
}

/// New value of an atomic at `bits` width.
pub(super) fn combine(opc: u8, bits: u32, old: u64, operand: u64) -> u64 {
    let signed = |x: u64| (x << (64 - bits)) as i64 >> (64 - bits);
    let pick = |first: bool| if first { old } else { operand };
    match opc {
        2 => old.wrapping_add(operand),
        8 => pick(signed(old) < signed(operand)),
        9 => pick(signed(old) > signed(operand)),
        10 => pick(old < operand),
        11 => pick(old > operand),
        12 => old & operand,
        13 => old | operand,
        14 => old ^ operand,
        _ => operand,
    }
}

/// The same with the operand 1.
pub(super) fn combine1(opc: u8, bits: u32, old: u64) -> u64 {
    match opc {
        0 => old.wrapping_add(1),
        1 => old.wrapping_sub(1),
        2 => combine(11, bits, old, 1),
        3 => combine(9, bits, old, 1),
        _ => old | 1,
    }
}

fn atomic(w: &mut Warp, d: &DInst, world: &mut DeviceMemory, addresses: &V64) -> Result<(), Trap> {
    use Op::*;
    let bytes = u32::from(crate::ROWS[d.op as usize].attrs.bytes);
    let with_one = matches!(d.op, Atom1ReturnI32 | Atom1ReturnI64);
    let returns = matches!(d.op, AtomReturnI32 | AtomReturnI64);
    // The run that receives the old value.
    let (to, to_count) = match (with_one, returns) {
        (true, _) => (d.sr, d.sr_count),
        (_, true) => (d.srw, d.srw_count),
        _ => (0, 0),
    };
    if to_count != 0 && u32::from(to_count) != bytes / 4 || returns && to_count == 0 {
        return Err(reserved(format!("the old value takes {} registers, not {to_count}", bytes / 4)));
    }
    if !with_one {
        check_run(w, d.sr, 4 * u32::from(d.sr_count))?;
    }
    let words = (bytes / 4) as usize;
    let operand = |w: &Warp, l: usize, at: usize| -> u64 {
        let r = usize::from(d.sr) + at * words;
        let high = if words == 2 { u64::from(w.regs[r + 1][l]) << 32 } else { 0 };
        u64::from(w.regs[r][l]) | high
    };
    let update = match (with_one, d.flag) {
        (true, _) => Update::One(d.atom),
        // {new, expected}.
        (_, true) => Update::Swap,
        _ => Update::With(d.atom),
    };
    let mut old_values: V64 = [0; LANES];
    // LEA_TEX gives 0 outside of an image.
    let outside = lanes(w.active).filter(|&l| addresses[l] == 0).fold(0, |m, l| m | 1 << l);
    for l in lanes(w.active & !w.helpers & !outside) {
        let (id, offset) = world.resolve(w, l, addresses[l], bytes, u64::from(bytes))?;
        let a = if with_one { 0 } else { operand(w, l, 0) };
        let b = if !with_one && d.flag { operand(w, l, 1) } else { 0 };
        let what = Write::Atomic(update, a, b, by(w, l));
        old_values[l] = world.write(w, l, (id, offset, bytes), (what, to_count > 0), d.slot)?;
    }
    if !with_one {
        w.stage(d.slot, (d.sr, d.sr_count));
    }
    w.kill_last_uses(d)?;
    if to_count > 0 {
        w.write_message(to, 0xF, &old_values.map(|v| v as u32))?;
    }
    if to_count > 1 {
        w.write_message(to + 1, 0xF, &old_values.map(|v| (v >> 32) as u32))?;
    }
    let skipped = w.helpers | outside;
    let touched = core::array::from_fn(|l| if skipped >> l & 1 == 1 { NOWHERE } else { addresses[l] });
    w.issue(d.slot, (to, to_count), Touch::Write, &touched, bytes)
}
