//! Attributes and texels by the load/store unit, with conversion of formats (sections 15 and 16).

use gpucc_isa::fail_if;
use std::sync::Arc;

use gpucc_sim::lanes::lanes;
use gpucc_sim::texture::{Dim, NoTexels, TexelAt, View, texel_at, texel_words};
use gpucc_sim::trap::{Trap, TrapKind, reserved, unsupported};

use super::decode::{DInst, regfmt};
use super::descriptor::Texture;
use super::format::Code;
use super::memory::{DeviceMemory, by, check_run};
use super::scoreboard::Touch;
use super::subgroup::{LANES, NOWHERE, V32, V64, Warp};
use crate::Op;

/// The handle of a table and an index in an instruction: tables from 60 on are numbered from 12.
pub(super) fn immediate_handle(table: u8, index: u8) -> u32 {
    let table = if table < 12 { table } else { table + 48 };
    u32::from(table) << 24 | u32::from(index)
}

/// The handle that all active lanes agree on: what they name is one descriptor (7.3).
pub(super) fn handle(w: &Warp, d: &DInst) -> Result<u32, Trap> {
    let k = match d.op {
        Op::LdTex | Op::LeaTex | Op::LdAttr | Op::LeaAttr | Op::VarTexSingle | Op::VarTexGather => 2,
        Op::LdVar => 1,
        Op::LdVarFlat => 0,
        _ => return Ok(immediate_handle(d.message.table, d.message.index)),
    };
    w.check_source(&d.src[k])?;
    let all = w.src32(d, k);
    let first = all[w.active.trailing_zeros() as usize & 15];
    match lanes(w.active).find(|&l| all[l] != first) {
        Some(l) => {
            let what = format!("lanes name different descriptors: {first:#x} and {:#x}", all[l]);
            Err(Trap::new(TrapKind::Divergence, what).in_lane(w.number * LANES as u32 + l as u32))
        }
        None => Ok(first),
    }
}

/// The texel that 16-bit coordinates name.
fn texel(t: &Texture, xy: u32, zw: u32) -> Result<Option<TexelAt>, Trap> {
    let (low, high) = (|w: u32| i64::from(w & 0xffff), |w: u32| i64::from(w >> 16));
    let mut view = View {
        dim: t.dim,
        size: t.size,
        levels: t.levels,
        layers: t.layers,
        samples: t.samples,
        integer: true,
        fixed_depth: false,
        texels: &NoTexels,
    };
    // Layers of a cube are its faces.
    if view.dim == Dim::Cube {
        view.dim = Dim::D2;
    }
    let sample = if t.samples > 1 { low(zw) } else { 0 };
    let z = if t.dim == Dim::D3 { low(zw) } else { 0 };
    let unused = match t.dim {
        Dim::D3 => high(zw) != 0,
        Dim::D1 => high(xy) != 0 || low(zw) != 0,
        _ => t.samples == 1 && low(zw) != 0,
    };
    fail_if!(unused, reserved(format!("coordinates {xy:#x}, {zw:#x} of axes that the texture does not have")));
    Ok(texel_at(&view, [low(xy), high(xy), z], high(zw), 0, sample))
}

/// The bytes of a texel that go to registers of a format.
fn converted(code: Code, format: u8, texel: [u32; 4]) -> Result<[u32; 4], Trap> {
    let (integer, signed) = (code.integer(), code.signed());
    let fits = match format {
        regfmt::AUTO => true,
        regfmt::F32 => !integer,
        regfmt::S32 => integer && signed,
        regfmt::U32 => integer && !signed,
        n => return Err(unsupported(format!("register format {n}"))),
    };
    if fits { Ok(texel) } else { Err(reserved("the register format is not that of the descriptor")) }
}

/// Executes LD_TEX, LEA_TEX, ST_CVT.
pub(super) fn execute(w: &mut Warp, d: &DInst, world: &mut DeviceMemory) -> Result<(), Trap> {
    match d.op {
        Op::LdTex | Op::LdTexImm => load(w, d, world),
        Op::LeaTex | Op::LeaTexImm => address(w, d, world),
        Op::StCvt => store(w, d, world),
        Op::LdAttr | Op::LdAttrImm => attribute(w, d, world),
        _ => attribute_address(w, d, world),
    }
}

/// Address and conversion of the element of an attribute, in three registers as those of a texel; outside of the buffer 0.
fn attribute_address(w: &mut Warp, d: &DInst, world: &mut DeviceMemory) -> Result<(), Trap> {
    let ids = coordinates(w, d)?;
    let handle = handle(w, d)?;
    let DeviceMemory { tables, memory, space, .. } = &mut *world;
    let a = tables.attribute((memory, space), handle)?;
    let buffer = tables.buffer((memory, space), a.buffer)?;
    let mut out: V64 = [0; LANES];
    for l in lanes(w.active) {
        let at = a.offset + a.stride * u64::from(ids[usize::from(a.of_instance)][l]);
        if at + u64::from(a.format.bytes()) <= buffer.size {
            out[l] = buffer.base + at;
        }
    }
    deliver_address(w, d, &out, a.word)
}

/// The elements of an attribute: of vertices by the first operand, of instances by the second. Outside of the buffer there is 0.
fn attribute(w: &mut Warp, d: &DInst, world: &mut DeviceMemory) -> Result<(), Trap> {
    let ids = coordinates(w, d)?;
    let handle = handle(w, d)?;
    let DeviceMemory { tables, memory, space, .. } = &mut *world;
    let a = tables.attribute((memory, space), handle)?;
    let buffer = tables.buffer((memory, space), a.buffer)?;
    let bytes = a.format.bytes();
    let mut found: [[u32; 4]; LANES] = [[0; 4]; LANES];
    for l in lanes(w.active) {
        let here = |t: Trap| t.in_lane(w.number * LANES as u32 + l as u32);
        let at = a.offset + a.stride * u64::from(ids[usize::from(a.of_instance)][l]);
        if at + u64::from(bytes) > buffer.size {
            continue;
        }
        let raw = texel_words(bytes).try_fold(0u128, |raw, (byte, size)| {
            let (id, offset) = world.space.resolve(buffer.base + at + u64::from(byte), size)?;
            Ok::<_, Trap>(raw | u128::from(world.memory.load(id, offset, size)?) << (8 * byte))
        });
        found[l] = converted(a.format, d.message.regfmt, a.format.decode(raw.map_err(here)?))?;
    }
    deliver(w, d, &found)?;
    w.issue(d.slot, (d.sr, d.sr_count), Touch::Nothing, &[NOWHERE; LANES], 0)
}

fn texture(w: &Warp, d: &DInst, world: &mut DeviceMemory) -> Result<Arc<Texture>, Trap> {
    let handle = handle(w, d)?;
    let DeviceMemory { tables, memory, space, .. } = world;
    tables.texture((memory, space), handle)
}

/// Coordinates of the active lanes.
fn coordinates(w: &Warp, d: &DInst) -> Result<[V32; 2], Trap> {
    w.check_source(&d.src[0])?;
    w.check_source(&d.src[1])?;
    Ok([w.src32(d, 0), w.src32(d, 1)])
}

fn load(w: &mut Warp, d: &DInst, world: &mut DeviceMemory) -> Result<(), Trap> {
    let [xy, zw] = coordinates(w, d)?;
    let t = texture(w, d, world)?;
    let mut found: [[u32; 4]; LANES] = [[0; 4]; LANES];
    let mut addresses: V64 = [NOWHERE; LANES];
    for l in lanes(w.active) {
        let here = |t: Trap| t.in_lane(w.number * LANES as u32 + l as u32);
        let Some(at) = texel(&t, xy[l], zw[l]).map_err(here)? else { continue };
        addresses[l] = t.address(at);
        let raw = texel_words(t.format.bytes()).try_fold(0u128, |raw, (byte, size)| {
            let (id, offset) = world.space.resolve(addresses[l] + u64::from(byte), size)?;
            world.races.load(id, offset, size, by(w, l))?;
            Ok::<_, Trap>(raw | u128::from(world.memory.load(id, offset, size)?) << (8 * byte))
        });
        let texel = t.selected(t.format.decode(raw.map_err(here)?));
        found[l] = converted(t.format, d.message.regfmt, texel)?;
    }
    deliver(w, d, &found)?;
    w.issue(d.slot, (d.sr, d.sr_count), Touch::Read, &addresses, t.format.bytes())
}

/// Writes so many components as the vector has.
fn deliver(w: &mut Warp, d: &DInst, found: &[[u32; 4]; LANES]) -> Result<(), Trap> {
    let n = d.message.vecsize + 1;
    fail_if!(d.sr_count != n, reserved(format!("{} registers for {n} components", d.sr_count)));
    w.kill_last_uses(d)?;
    for k in 0..n {
        let values: V32 = std::array::from_fn(|l| found[l][usize::from(k)]);
        w.write_message(d.sr + k, 0xF, &values)?;
    }
    Ok(())
}

/// Address and conversion of a texel; outside of the image 0, where nothing is stored.
fn address(w: &mut Warp, d: &DInst, world: &mut DeviceMemory) -> Result<(), Trap> {
    let [xy, zw] = coordinates(w, d)?;
    let t = texture(w, d, world)?;
    let mut out: V64 = [0; LANES];
    for l in lanes(w.active) {
        let at = texel(&t, xy[l], zw[l]).map_err(|t| t.in_lane(w.number * LANES as u32 + l as u32))?;
        out[l] = at.map_or(0, |at| t.address(at));
    }
    deliver_address(w, d, &out, t.format_word)
}

/// Writes addresses and the format that conversions name.
fn deliver_address(w: &mut Warp, d: &DInst, out: &V64, format: u32) -> Result<(), Trap> {
    fail_if!(d.sr_count != 3, reserved("an address and its conversion are three registers"));
    w.kill_last_uses(d)?;
    w.write_message(d.sr, 0xF, &out.map(|v| v as u32))?;
    w.write_message(d.sr + 1, 0xF, &out.map(|v| (v >> 32) as u32))?;
    w.write_message(d.sr + 2, 0xF, &[format; LANES])?;
    w.issue(d.slot, (d.sr, 3), Touch::Nothing, &[NOWHERE; LANES], 0)
}

fn store(w: &mut Warp, d: &DInst, world: &mut DeviceMemory) -> Result<(), Trap> {
    w.check_source(&d.src[0])?;
    w.check_source(&d.src[2])?;
    let n = usize::from(d.message.vecsize) + 1;
    fail_if!(usize::from(d.sr_count) != n, reserved(format!("{} registers for {n} components", d.sr_count)));
    check_run(w, d.sr, 4 * n as u32)?;
    let (base, conversion) = (w.src64(d, 0), w.src32(d, 2));
    let mut addresses: V64 = [NOWHERE; LANES];
    let mut bytes = 0;
    for l in lanes(w.active) {
        let here = |t: Trap| t.in_lane(w.number * LANES as u32 + l as u32);
        let code = Code::of(conversion[l]).map_err(here)?;
        bytes = bytes.max(code.bytes());
        fail_if!(n < code.components() as usize, here(reserved("a store leaves out components that the format has")));
        let value = std::array::from_fn(|k| if k < n { w.regs[usize::from(d.sr) + k][l] } else { 0 });
        let raw = converted(code, d.message.regfmt, value).and_then(|v| code.encode(v)).map_err(here)?;
        // Outside of the image, and of helpers.
        if base[l] == 0 || w.helpers >> l & 1 == 1 {
            continue;
        }
        addresses[l] = base[l] + d.imm as u64;
        for (byte, size) in texel_words(code.bytes()) {
            let word = (raw >> (8 * byte)) as u64 & (u64::MAX >> (64 - 8 * size));
            let (id, offset) = world.space.resolve(addresses[l] + u64::from(byte), size).map_err(here)?;
            let data = &word.to_le_bytes()[..size as usize];
            world
                .races
                .store(&world.memory, id, offset, data, by(w, l))
                .and_then(|()| Ok(world.memory.store(id, offset, size, word)?))
                .map_err(here)?;
        }
    }
    w.stage(d.slot, (d.sr, d.sr_count));
    w.kill_last_uses(d)?;
    w.issue(d.slot, (0, 0), Touch::Write, &addresses, bytes)
}
