//! Messages of the texture unit (section 14; `isa/graphics-valhall.md`, section d).

use gpucc_isa::fail_if;
use gpucc_num::Round;
use gpucc_num::convert::f32_to_f16;
use gpucc_sim::lanes::lanes;
use gpucc_sim::texture::{
    Coords, Dim, Face, Gradient, Layer, Lod, MemoryTexels, NoTexels, Request, TexelAt, Texels, View, What, lambda_of,
    project_gradient, texel_at,
};
use gpucc_sim::trap::{Trap, reserved, unsupported};
use std::sync::Arc;

use super::decode::{DInst, lod_mode};
use super::descriptor::{Sampling, Texture};
use super::memory::{DeviceMemory, by, check_run};
use super::scoreboard::Touch;
use super::subgroup::{LANES, NOWHERE, V32, Warp};
use crate::Op;

/// Dimensions of instructions, which descriptors number otherwise.
const DIMENSIONS: [Dim; 4] = [Dim::D1, Dim::D2, Dim::D3, Dim::Cube];

/// The operation of an instruction on a texture.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Does {
    Fetch,
    Sample,
    Gather,
    Gradient,
}

impl Does {
    /// Traps on those of which the reference does not have enough.
    fn of(op: Op) -> Result<Does, Trap> {
        Ok(match op {
            Op::TexFetch => Does::Fetch,
            Op::TexSingle | Op::VarTexSingle | Op::VarTexBufSingle => Does::Sample,
            Op::TexGather | Op::VarTexGather | Op::VarTexBufGather => Does::Gather,
            Op::TexGradient => Does::Gradient,
            _ => {
                let why = match op {
                    Op::VarTexGradient | Op::VarTexBufGradient => "whether it gives a gradient descriptor or a level",
                    _ => "where its operands and results are",
                };
                let name = crate::ROWS[op as usize].text;
                return Err(unsupported(format!("{name}: the reference does not say {why}")));
            }
        })
    }
}

/// Traps on a fused instruction that has no meaning: between the load of two floats and the texture there is no room for other operands,
/// and its reference leaves some instructions open.
pub(super) fn check_fused(d: &DInst) -> Result<(), Trap> {
    let m = &d.message;
    Does::of(d.op)?;
    if DIMENSIONS[usize::from(m.dimension)] != Dim::D2 || m.array || m.shadow {
        return Err(unsupported("a fused texture instruction with other operands than two coordinates"));
    }
    if !matches!(m.lod_mode, lod_mode::ZERO | lod_mode::COMPUTED) {
        return Err(unsupported("a fused texture instruction with an operand for the level"));
    }
    fail_if!(m.fused_width > 1, reserved("two widths for one result"));
    Ok(())
}

/// Where the parts of the staging run are, counted from its first register (14.2).
#[derive(Clone, Copy, Default)]
struct Staging {
    axes: usize,
    layer: Option<usize>,
    reference: Option<usize>,
    offset: Option<usize>,
    lod: Option<usize>,
    gradient: Option<usize>,
    count: usize,
}

impl Staging {
    fn of(d: &DInst, (does, fused): (Does, bool)) -> Result<Staging, Trap> {
        let m = &d.message;
        let dim = DIMENSIONS[usize::from(m.dimension)];
        let mut s = Staging { axes: dim.axes(), ..Staging::default() };
        if fused {
            return Ok(s);
        }
        if does == Does::Gradient && m.derivatives {
            s.count = 2 * s.axes;
            return Ok(s);
        }
        let mut at = s.axes;
        let mut take = |there: bool, n: usize| {
            let first = there.then_some(at);
            at += if there { n } else { 0 };
            first
        };
        s.layer = take(m.array, 1);
        s.reference = take(m.shadow, 1);
        s.offset = take(m.texel_offset, 1);
        if does == Does::Sample {
            let word = match m.lod_mode {
                lod_mode::ZERO | lod_mode::COMPUTED => false,
                lod_mode::EXPLICIT | lod_mode::COMPUTED_BIAS => true,
                lod_mode::GRDESC => false,
                n => return Err(reserved(format!("lod mode {n}"))),
            };
            s.lod = take(word, 1);
            s.gradient = take(m.lod_mode == lod_mode::GRDESC, 2);
        }
        s.count = at;
        Ok(s)
    }
}

/// Texture and sampler that a handle names (14.1).
fn resolve(world: &mut DeviceMemory, d: &DInst, handle: u64) -> Result<(Arc<Texture>, Sampling), Trap> {
    let (low, high) = (handle as u32, (handle >> 32) as u32);
    let [sampler, texture] = if d.message.wide_indices {
        [low, high]
    } else {
        fail_if!(high != 0, reserved(format!("a narrow handle with {high:#x} in its high word")));
        let folded = |table: u32| if table < 12 { table } else { 48 + table };
        [folded(low >> 11 & 31) << 24 | low & 0x7ff, folded(low >> 27) << 24 | low >> 16 & 0x7ff]
    };
    let DeviceMemory { tables, memory, space, .. } = world;
    let texture = tables.texture((memory, space), texture)?;
    // A fetch names some sampler, too.
    Ok((texture, tables.sampler((memory, space), sampler)?))
}

/// The texture as a sampler sees it.
fn view<'a>(t: &Texture, shadow: bool, texels: &'a dyn Texels) -> View<'a> {
    View {
        dim: t.dim,
        size: t.size,
        levels: t.levels,
        layers: t.layers,
        samples: t.samples,
        integer: t.format.integer(),
        fixed_depth: shadow && t.format.fraction(),
        texels,
    }
}

/// The bits of a float of which a cube's first word keeps 29: those above are a face.
fn face_coordinate(word: u32) -> f32 {
    match word & 0x1fff_ffff {
        0 => 0.0,
        low => f32::from_bits(low | 0x2000_0000),
    }
}

/// The direction to a place on a cube, whose largest component is 1.
fn on_cube(f: Face) -> [f32; 3] {
    let (sc, tc) = ((2.0 * f.s - 1.0) as f32, (2.0 * f.t - 1.0) as f32);
    match f.face {
        0 => [1.0, -tc, -sc],
        1 => [-1.0, -tc, sc],
        2 => [sc, 1.0, tc],
        3 => [sc, -1.0, -tc],
        4 => [sc, -tc, 1.0],
        _ => [-sc, -tc, -1.0],
    }
}

/// Registers of one lane.
struct Operands<'a> {
    w: &'a Warp,
    d: &'a DInst,
    does: Does,
    s: Staging,
    lane: usize,
    /// Coordinates that are in no registers.
    place: Option<&'a [V32; 2]>,
}

impl Operands<'_> {
    fn word_of(&self, at: usize, lane: usize) -> u32 {
        if let Some(place) = self.place {
            return place.get(at).map_or(0, |words| words[lane]);
        }
        self.w.regs[usize::from(self.d.sr) + at][lane]
    }

    fn word(&self, at: usize) -> u32 {
        self.word_of(at, self.lane)
    }

    fn float(&self, at: usize) -> f32 {
        f32::from_bits(self.word(at))
    }

    fn vector_of(&self, lane: usize) -> [f32; 3] {
        std::array::from_fn(|k| if k < self.s.axes { f32::from_bits(self.word_of(k, lane)) } else { 0.0 })
    }

    /// Signed bytes of the offset word, which has no others.
    fn offset(&self) -> Result<[i32; 3], Trap> {
        let Some(at) = self.s.offset else { return Ok([0; 3]) };
        let w = self.word(at);
        if self.s.axes < 3 && w >> (8 * self.s.axes) != 0 || w >> 24 != 0 {
            return Err(reserved(format!("offset word {w:#x}")));
        }
        Ok([0, 8, 16].map(|b| i32::from((w >> b) as u8 as i8)))
    }

    /// A level or bias with eight bits of fraction.
    fn fixed(&self, at: usize) -> Result<f32, Trap> {
        let w = self.word(at);
        fail_if!(w >> 16 != 0, reserved(format!("level of detail {w:#x}: its high half is not 0")));
        Ok(f32::from(w as u16 as i16) / 256.0)
    }

    /// The place of a lane on a cube.
    fn face_of(&self, lane: usize) -> Face {
        let word = self.word_of(0, lane);
        let t = f32::from_bits(self.word_of(1, lane));
        Face { face: (word >> 29).min(5), s: face_coordinate(word).into(), t: t.into() }
    }

    /// Differences in the quad. Of a cube those on this lane's face: a neighbour may lie on another one.
    fn differences(&self) -> [[f32; 3]; 2] {
        let first = self.lane & !3;
        if DIMENSIONS[usize::from(self.d.message.dimension)] == Dim::Cube {
            let [a, b, c] = [0, 1, 2].map(|k| on_cube(self.face_of(first + k)));
            let here = on_cube(self.face_of(self.lane));
            return [b, c].map(|p| {
                let [s, t] = project_gradient(here, std::array::from_fn(|k| p[k] - a[k]));
                [s as f32, t as f32, 0.0]
            });
        }
        let [a, b, c] = [0, 1, 2].map(|k| self.vector_of(first + k));
        [b, c].map(|p| std::array::from_fn(|k| p[k] - a[k]))
    }

    fn coords(&self, sampling: &Sampling) -> Coords {
        if DIMENSIONS[usize::from(self.d.message.dimension)] == Dim::Cube {
            return Coords::Face(self.face_of(self.lane));
        }
        let c = self.vector_of(self.lane);
        if sampling.normalised { Coords::Normalised(c) } else { Coords::Texels(c) }
    }

    fn request(&self, sampling: &Sampling) -> Result<Request, Trap> {
        let m = &self.d.message;
        let lod = match m.lod_mode {
            _ if self.does == Does::Gather => Lod::Zero,
            _ if self.does == Does::Gradient => Lod::Gradient(self.differences()),
            lod_mode::COMPUTED | lod_mode::COMPUTED_BIAS => Lod::Gradient(self.differences()),
            lod_mode::EXPLICIT => Lod::Level(self.fixed(self.s.lod.unwrap_or(0))?),
            lod_mode::GRDESC => Lod::Level(self.gradient()?),
            _ => Lod::Zero,
        };
        let bias = match m.lod_mode {
            lod_mode::COMPUTED_BIAS if self.does == Does::Sample => self.fixed(self.s.lod.unwrap_or(0))?,
            _ => 0.0,
        };
        Ok(Request {
            layer: self.s.layer.map_or(Layer::Index(0), |at| Layer::Rounded(self.float(at))),
            offset: self.offset()?,
            lod,
            bias,
            reference: self.s.reference.map(|at| self.float(at)),
            what: match self.does {
                Does::Gather => What::Gather(m.component),
                Does::Gradient => What::Level,
                _ => What::Sample,
            },
            ..Request::new(self.coords(sampling))
        })
    }

    /// The level that a gradient descriptor stands for.
    fn gradient(&self) -> Result<f32, Trap> {
        let at = self.s.gradient.unwrap_or(0);
        fail_if!(self.word(at + 1) != GRADIENT, reserved("the gradient descriptor is not that of a TEX_GRADIENT"));
        Ok(self.float(at))
    }

    /// The level of derivatives that are given: d/dx and d/dy of each coordinate in turn.
    fn given(&self, t: &Texture) -> f32 {
        let at = |k: usize| f64::from(self.float(k));
        let along = |first: usize| std::array::from_fn(|k| if k < self.s.axes { at(2 * k + first) } else { 0.0 });
        lambda_of(t.size, self.s.axes, &Gradient { dx: along(0), dy: along(1) }) as f32
    }
}

/// The second word of a gradient descriptor; what hardware has there is not known.
const GRADIENT: u32 = 0x4752_4431;

/// Executes a texture instruction, of a fused one with the place that it interpolated.
pub(super) fn execute(w: &mut Warp, d: &DInst, world: &mut DeviceMemory, place: Option<&[V32; 2]>) -> Result<(), Trap> {
    let m = &d.message;
    let does = Does::of(d.op)?;
    if m.integer_coordinates || m.force_delta && does != Does::Gradient {
        return Err(unsupported("integer coordinates of a gather"));
    }
    if does == Does::Gradient && m.derivatives == m.force_delta {
        return Err(unsupported("TEX_GRADIENT takes derivatives, or makes them"));
    }
    w.check_source(&d.src[0])?;
    let s = Staging::of(d, (does, place.is_some()))?;
    // A fused one takes no registers and has no mask: it gives the components that its results have room for.
    let (mask, narrow, from, to) = match place {
        None => (m.mask, m.narrow, (d.sr, d.sr_count), (d.srw, d.srw_count)),
        Some(_) => {
            let n = if m.fused_width == 0 { 2 * d.sr_count } else { d.sr_count };
            (((1u32 << n) - 1) as u8, m.fused_width == 0, (0, 0), (d.sr, d.sr_count))
        }
    };
    if s.count != usize::from(from.1) {
        let what = format!("staging run of {} registers, the instruction takes {}", from.1, s.count);
        return Err(reserved(what));
    }
    let results = mask.count_ones();
    let registers = if narrow { results.div_ceil(2) } else { results };
    if registers != u32::from(to.1) || results == 0 || results > 4 {
        let what = format!("{} registers for {results} components", to.1);
        return Err(reserved(what));
    }
    let computed = does == Does::Sample && matches!(m.lod_mode, lod_mode::COMPUTED | lod_mode::COMPUTED_BIAS);
    if (computed || m.force_delta) && !w.has_quads {
        return Err(unsupported("implicit levels of detail outside of fragment programs"));
    }
    check_run(w, from.0, 4 * u32::from(from.1))?;
    let handles = w.src64(d, 0);
    let mut found: [[u32; 4]; LANES] = [[0; 4]; LANES];
    let mut last: Option<(u64, Arc<Texture>, Sampling)> = None;
    for l in lanes(w.active) {
        let here = |t: Trap| t.in_lane(w.number * LANES as u32 + l as u32);
        if last.as_ref().is_none_or(|(h, ..)| *h != handles[l]) {
            let (t, s) = resolve(world, d, handles[l]).map_err(here)?;
            last = Some((handles[l], t, s));
        }
        let Some((_, t, sampling)) = &last else { continue };
        let o = Operands { w, d, does, s, lane: l, place };
        found[l] = one(&o, t, sampling, world).map_err(here)?;
    }
    w.stage(d.slot, from);
    w.kill_last_uses(d)?;
    deliver(w, d, &found, (mask, narrow, to.0))?;
    if m.skip {
        w.undefine_helpers(to);
    }
    w.issue(d.slot, to, Touch::Nothing, &[NOWHERE; LANES], 0)
}

/// The result of one lane.
fn one(o: &Operands<'_>, t: &Texture, sampling: &Sampling, world: &mut DeviceMemory) -> Result<[u32; 4], Trap> {
    let m = &o.d.message;
    let dim = DIMENSIONS[usize::from(m.dimension)];
    let fetch = o.does == Does::Fetch;
    // A fetch takes the faces of a cube as layers.
    let as_array = fetch && t.dim == Dim::Cube && dim == Dim::D2;
    fail_if!(t.dim != dim && !as_array, reserved(format!("the texture has {:?}, the instruction {dim:?}", t.dim)));
    fail_if!(fetch && dim == Dim::Cube, reserved("a fetch from a cube takes it as an array"));
    check_type(t, m.register_type)?;
    if o.does == Does::Gradient {
        if m.derivatives {
            return Ok([o.given(t).to_bits(), GRADIENT, 0, 0]);
        }
        let levels = o.request(sampling)?.run(&view(t, false, &NoTexels), &sampling.sampler)?;
        let level = f32::from_bits(levels[usize::from(m.clamp_disable)]);
        let fixed = (level * 256.0).clamp(-32768.0, 32767.0) as i16;
        return Ok([u32::from(fixed as u16), 0, 0, 0]);
    }
    let format = if sampling.ignore_srgb && !fetch { t.format.without_srgb() } else { t.format };
    let by = by(o.w, o.lane);
    let DeviceMemory { memory, space, races, .. } = world;
    let load = |address: u64, size: u32| {
        let (id, offset) = space.resolve(address, size)?;
        races.load(id, offset, size, by)?;
        Ok(memory.load(id, offset, size)?)
    };
    let texels = MemoryTexels::new(|at| t.address(at), format.bytes(), load, |raw| t.selected(format.decode(raw)));
    if fetch {
        let place = place(o, &View { dim: if as_array { Dim::D2 } else { t.dim }, ..view(t, false, &texels) });
        return place.map_or(Ok([0; 4]), |at| texels.texel(at));
    }
    fail_if!(t.samples > 1, unsupported("sampling of several samples"));
    let mut sampler = sampling.sampler;
    if o.does == Does::Gather && sampler.precision.nearest == gpucc_sim::texture::NearestRounding::Truncate {
        // Coordinates are cut off, not rounded.
        sampler.precision.weight_bits = None;
    }
    let texel = o.request(sampling)?.run(&view(t, m.shadow, &texels), &sampler)?;
    if o.does == Does::Gather {
        // In raster order (14.5).
        let [a, b, c, d] = texel;
        return Ok([d, c, a, b]);
    }
    Ok(texel)
}

/// Whether results are what the texture has.
fn check_type(t: &Texture, register_type: u8) -> Result<(), Trap> {
    let fits = match register_type {
        0 => true,
        1 => !t.format.integer(),
        2 => t.format.integer() && !t.format.signed(),
        _ => t.format.integer() && t.format.signed(),
    };
    if fits { Ok(()) } else { Err(reserved("the register type is not that of the texture")) }
}

/// The texel of integer coordinates, where there is one.
fn place(o: &Operands<'_>, view: &View<'_>) -> Option<TexelAt> {
    let signed = |at: usize| i64::from(o.word(at) as i32);
    let word = o.s.offset.map_or(0, |at| o.word(at));
    let byte = |at: u32| i64::from((word >> at) as u8 as i8);
    let samples = view.samples > 1;
    let moved = [byte(0), byte(8), if samples { 0 } else { byte(16) }];
    let at = std::array::from_fn(|k| if k < o.s.axes { signed(k) + moved[k] } else { 0 });
    let sample = if samples { i64::from(word >> 16 & 0xff) } else { 0 };
    texel_at(view, at, o.s.layer.map_or(0, signed), i64::from(word >> 24), sample)
}

/// Writes components without gaps.
fn deliver(
    w: &mut Warp,
    d: &DInst,
    found: &[[u32; 4]; LANES],
    (mask, narrow, first): (u8, bool, u8),
) -> Result<(), Trap> {
    let components: Vec<usize> = (0..4).filter(|k| mask >> k & 1 == 1).collect();
    if !narrow {
        for (&k, r) in components.iter().zip(first..) {
            let values: V32 = std::array::from_fn(|l| found[l][k]);
            w.write_message(r, 0xF, &values)?;
        }
        return Ok(());
    }
    let half = |word: u32| match d.message.register_type {
        2 | 3 => word & 0xffff,
        _ => f32_to_f16(Round::Nearest, f32::from_bits(word)).into(),
    };
    for (pair, r) in components.chunks(2).zip(first..) {
        let values: V32 =
            std::array::from_fn(|l| pair.iter().enumerate().fold(0, |v, (n, &k)| v | half(found[l][k]) << (16 * n)));
        w.write_message(r, if pair.len() == 2 { 0xF } else { 3 }, &values)?;
    }
    Ok(())
}
