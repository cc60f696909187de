//! Messages of the varying unit (section 16): values of a primitive's vertices at a place in each pixel.
//!
//! The unit keeps the position of the last interpolation: `store` finds and keeps it, `retrieve` takes the kept one, `clobber` loses it.

use gpucc_isa::fail_if;
use gpucc_num::Round;
use gpucc_num::convert::{f16_to_f32, f32_to_f16};
use gpucc_sim::draw::{Divisor, Mode, QuadIn, SLOT_WORDS, Where};
use gpucc_sim::lanes::lanes;
use gpucc_sim::trap::{Trap, hazard, out_of_bounds, reserved, undefined, unsupported};

use super::decode::{DInst, regfmt};
use super::descriptor::Packet;
use super::image;
use super::memory::DeviceMemory;
use super::scoreboard::Touch;
use super::stage::{Fragment, StageContext};
use super::subgroup::{LANES, NOWHERE, V32, Warp};
use crate::{Op, abi};

/// Values of the update mode.
const STORE: u8 = 0;
const RETRIEVE: u8 = 1;
const CLOBBER: u8 = 3;
/// Source formats.
const FLAT32: u8 = 0;
const FLAT16: u8 = 1;
const F32: u8 = 2;
const F16: u8 = 3;
/// Special varyings.
const POINT: u8 = 0;
const INVERSE_W: u8 = 2;
const DEPTH: u8 = 3;
/// Bytes of a position, which is in front of the varyings in a packet.
const POSITION: u32 = 16;

/// Components of a load, and the lanes in which no vertex stored them.
struct Loaded {
    values: [V32; 4],
    lost: [u16; 4],
}

/// Executes a varying load.
pub(super) fn execute(
    w: &mut Warp,
    d: &DInst,
    context: &mut StageContext<'_>,
    world: &mut DeviceMemory,
) -> Result<(), Trap> {
    let m = &d.message;
    let f = context.fragment("varyings")?;
    let n = usize::from(m.vecsize) + 1;
    let halves = matches!(d.op, Op::LdVarBufImmF16 | Op::LdVarBufF16) || m.regfmt == regfmt::F16;
    if usize::from(d.sr_count) != if halves { n.div_ceil(2) } else { n } {
        return Err(reserved(format!("{} registers for {n} components", d.sr_count)));
    }
    let flat = matches!(d.op, Op::LdVarFlat | Op::LdVarFlatImm);
    if !flat {
        w.check_source(&d.src[0])?;
        keep(w, m.sample, m.update)?;
    }
    let ids = if flat { [0; LANES] } else { w.src32(d, 0) };
    let Loaded { values, lost } = match d.op {
        Op::LdVarSpecial => special(w, d, f, &ids)?,
        Op::LdVarBufImmF32 | Op::LdVarBufF32 | Op::LdVarBufImmF16 | Op::LdVarBufF16 => by_offset(w, d, f, &ids)?,
        _ => by_descriptor(w, d, (f, world), &ids)?,
    };
    w.kill_last_uses(d)?;
    if halves {
        pack(w, d.sr, &values[..n], &lost)?;
    } else {
        for k in 0..n {
            w.write_message(d.sr + k as u8, 0xF, &values[k])?;
            // A slot that no vertex stored is anything.
            w.undefine(d.sr + k as u8, [lost[k]; 4]);
        }
    }
    w.varying(d.slot);
    w.issue(d.slot, (d.sr, d.sr_count), Touch::Nothing, &[NOWHERE; LANES], 0)
}

fn special(w: &Warp, d: &DInst, f: &Fragment<'_>, ids: &V32) -> Result<Loaded, Trap> {
    let m = &d.message;
    if m.update != CLOBBER || m.regfmt != regfmt::F32 || m.vecsize != u8::from(m.index == POINT) {
        return Err(reserved("special varyings are floats with update clobber, the place in a point two, others one"));
    }
    let mut values = [[0u32; LANES]; 4];
    for l in lanes(w.active) {
        let quad = &f.batch[l / 4];
        let at = place(quad, m.sample, ids[l])?;
        values[0][l] = match m.index {
            POINT => {
                let (x, y) = quad.point(l % 4, at);
                let [s, t] = quad.setup.point_coord(x, y).map(f32::to_bits);
                values[1][l] = t;
                s
            }
            INVERSE_W => (quad.weights(l % 4, at).inv_w as f32).to_bits(),
            DEPTH if at == Where::Centroid => return Err(unsupported("the depth at a centroid")),
            DEPTH => quad.position(l % 4)[2].to_bits(),
            k => return Err(unsupported(format!("special varying {k}"))),
        };
    }
    Ok(Loaded { values, lost: [0; 4] })
}

fn by_offset(w: &Warp, d: &DInst, f: &Fragment<'_>, ids: &V32) -> Result<Loaded, Trap> {
    let m = &d.message;
    let halves = matches!(d.op, Op::LdVarBufImmF16 | Op::LdVarBufF16);
    let bytes: V32 = if matches!(d.op, Op::LdVarBufF32 | Op::LdVarBufF16) {
        w.check_source(&d.src[1])?;
        w.src32(d, 1)
    } else {
        [m.index.into(); LANES]
    };
    let (mode, size) = match m.source_format {
        FLAT32 if halves => return Err(unsupported("a flat word as a half")),
        FLAT32 => (Mode::Flat, 4),
        FLAT16 => (Mode::Flat, 2),
        F32 => (Mode::Perspective, 4),
        F16 => (Mode::Perspective, 2),
        k => return Err(reserved(format!("source format {k}"))),
    };
    let mut out = Loaded { values: [[0; LANES]; 4], lost: [0; 4] };
    for l in lanes(w.active) {
        let at = place(&f.batch[l / 4], m.sample, ids[l])?;
        for k in 0..=usize::from(m.vecsize) {
            match one(f, l, (mode, at), (bytes[l] + size * k as u32, size))? {
                Some(v) => out.values[k][l] = v,
                None => out.lost[k] |= 1 << l,
            }
        }
    }
    Ok(out)
}

/// The varying of a descriptor of kind vertex packet; components that its format lacks are 0, 0, 0, 1.
fn by_descriptor(
    w: &Warp,
    d: &DInst,
    (f, world): (&Fragment<'_>, &mut DeviceMemory),
    ids: &V32,
) -> Result<Loaded, Trap> {
    let m = &d.message;
    let packet = packet(image::handle(w, d)?, f, world)?;
    let flat = matches!(d.op, Op::LdVarFlat | Op::LdVarFlatImm);
    fail_if!(!flat && packet.format.integer(), reserved("integers are not interpolated"));
    let fits = match m.regfmt {
        regfmt::AUTO => packet.size == 4,
        regfmt::F32 | regfmt::F16 => !packet.format.integer(),
        regfmt::S32 => packet.format.integer() && packet.format.signed(),
        regfmt::U32 => packet.format.integer() && !packet.format.signed(),
        n => return Err(unsupported(format!("register format {n} of a varying"))),
    };
    fail_if!(!fits, reserved("the register format is not that of the descriptor"));
    let mode = if flat { Mode::Flat } else { Mode::Perspective };
    let mut out = Loaded { values: [[0; LANES]; 4], lost: [0; 4] };
    for l in lanes(w.active) {
        let at = if flat { Where::Center } else { place(&f.batch[l / 4], m.sample, ids[l])? };
        for k in 0..=u32::from(m.vecsize) {
            let (value, lost) = (&mut out.values[k as usize][l], &mut out.lost[k as usize]);
            if k >= packet.format.components() {
                *value = if k == 3 { packet.format.one() } else { 0 };
                continue;
            }
            match one(f, l, (mode, at), (packet.offset + packet.size * k, packet.size))? {
                Some(v) => *value = v,
                None => *lost |= 1 << l,
            }
        }
    }
    Ok(out)
}

/// The descriptor of a varying, whose strides are those of the records.
fn packet(handle: u32, f: &Fragment<'_>, world: &mut DeviceMemory) -> Result<Packet, Trap> {
    let DeviceMemory { tables, memory, space, .. } = world;
    let packet = tables.packet((memory, space), handle)?;
    let record = f.batch.first().map_or(0, |q| {
        let words = &q.primitive.words[0];
        (words.end - words.start) / SLOT_WORDS * abi::SLOT
    });
    if packet.strides != [record, record + POSITION] {
        let what = format!("strides {:?} of a varying, whose record has {record} bytes", packet.strides);
        return Err(reserved(what));
    }
    Ok(packet)
}

/// The place that a fused texture instruction interpolates for: two floats in each lane of the quads (14.5). Lanes of a quad that do
/// not run have theirs, too: the level of detail comes from their differences.
pub(super) fn texture_place(
    w: &mut Warp,
    d: &DInst,
    context: &mut StageContext<'_>,
    world: &mut DeviceMemory,
) -> Result<[V32; 2], Trap> {
    let f = context.fragment(crate::ROWS[d.op as usize].text)?;
    w.check_source(&d.src[2])?;
    let (sample, update) = match d.message.sample_and_update {
        0 => (0, STORE),
        1 => (1, STORE),
        2 => (2, STORE),
        4 => (0, CLOBBER),
        6 => (2, CLOBBER),
        7 => {
            let first = w.kept[w.active.trailing_zeros() as usize & 15];
            let what = "no position of interpolation is kept";
            (first.ok_or_else(|| undefined(what))?, RETRIEVE)
        }
        // The offset would be an operand, of which there is none.
        n => return Err(unsupported(format!("sample and update mode {n}"))),
    };
    keep(w, sample, update)?;
    let bytes = if matches!(d.op, Op::VarTexBufSingle | Op::VarTexBufGather) {
        w.src32(d, 2)
    } else {
        let packet = packet(image::handle(w, d)?, f, world)?;
        if packet.format.integer() || packet.size != 4 || packet.format.components() < 2 {
            return Err(reserved("a texture is sampled at two floats of 32 bits"));
        }
        [packet.offset; LANES]
    };
    let mut out = [[0; LANES]; 2];
    for l in 0..4 * f.batch.len() {
        let quad = &f.batch[l / 4];
        let runs = w.active >> l & 1 == 1;
        // The other lanes of a quad take the offset of one that runs.
        let from = if runs { Some(l) } else { lanes(w.active).find(|k| k / 4 == l / 4) };
        let Some(from) = from else { continue };
        let at = place(quad, sample, u32::from(quad.sample.unwrap_or(0)) << 16)?;
        for (k, to) in (0u32..).zip(&mut out) {
            match one(f, l, (Mode::Perspective, at), (bytes[from] + 4 * k, 4))? {
                Some(v) => to[l] = v,
                None if !runs => {}
                None => {
                    let what = "a texture is sampled at what no vertex stored";
                    return Err(undefined(what).in_lane(l as u32));
                }
            }
        }
    }
    w.varying(d.slot);
    Ok(out)
}

/// Writes floats as halves, the first of two in the low bits. Half of a register that has no component is anything.
fn pack(w: &mut Warp, first: u8, values: &[V32], lost: &[u16; 4]) -> Result<(), Trap> {
    let half = |v: u32| u32::from(f32_to_f16(Round::Nearest, f32::from_bits(v)));
    for (register, (k, pair)) in (first..).zip((0..).step_by(2).zip(values.chunks(2))) {
        let high = pair.get(1);
        let word = |l: usize| half(pair[0][l]) | high.map_or(0, |h| half(h[l]) << 16);
        w.write_message(register, 0xF, &core::array::from_fn(word))?;
        let upper = if high.is_some() { lost[k + 1] } else { !0 };
        w.undefine(register, [lost[k], lost[k], upper, upper]);
    }
    Ok(())
}

/// Keeps, takes or loses the position of interpolation in the active lanes.
fn keep(w: &mut Warp, sample: u8, update: u8) -> Result<(), Trap> {
    if update != RETRIEVE && w.has_varyings() {
        let what = "the position of interpolation changes while a varying that uses it is under way";
        return Err(hazard(what));
    }
    for l in lanes(w.active) {
        match update {
            STORE => w.kept[l] = Some(sample),
            RETRIEVE if w.kept[l] != Some(sample) => {
                let what = "no position of interpolation of this kind is kept";
                return Err(undefined(what).in_lane(l as u32));
            }
            RETRIEVE => {}
            _ => w.kept[l] = None,
        }
    }
    Ok(())
}

/// Where a lane interpolates.
fn place(quad: &QuadIn<'_>, sample: u8, id: u32) -> Result<Where, Trap> {
    Ok(match sample {
        0 => Where::Center,
        1 => Where::Centroid,
        2 if id >> 16 & 31 == u32::from(quad.sample.unwrap_or(0)) => Where::Sample,
        2 => return Err(unsupported("interpolation at another sample than the program's")),
        _ => return Err(unsupported("interpolation at an offset")),
    })
}

/// A component of an input in a lane, halves as floats; `None` if a vertex did not store it.
fn one(f: &Fragment<'_>, l: usize, (mode, at): (Mode, Where), (byte, size): (u32, u32)) -> Result<Option<u32>, Trap> {
    fail_if!(!byte.is_multiple_of(size), reserved(format!("byte {byte} of a record")));
    let quad = &f.batch[l / 4];
    let p = quad.primitive;
    let (slot, component) = (byte as usize / 16, byte as usize / 4 % 4);
    let own = SLOT_WORDS as usize * slot..SLOT_WORDS as usize * (slot + 1);
    let mut words = [0; 3];
    for (v, word) in words.iter_mut().enumerate() {
        let range = p.words[v].start as usize..p.words[v].end as usize;
        let of = f.words.get(range).and_then(|r| r.get(own.clone()));
        let Some(of) = of else {
            return Err(out_of_bounds(format!("byte {byte} is behind the record of a vertex")));
        };
        let counts = if mode == Mode::Flat { v == usize::from(p.provoking) } else { v < p.count as usize };
        if counts && of[0] >> component & 1 == 0 {
            return Ok(None);
        }
        let stored = of[1 + component];
        let half = (stored >> (8 * (byte & 2))) as u16;
        *word = if size == 2 { f16_to_f32(half).to_bits() } else { stored };
    }
    Ok(Some(quad.input(l % 4, mode, at, Divisor::Center, |v| words[v])))
}
