//! Textures and images: from an instruction to a request on the model of `gpucc_sim::texture`.

use crate::memory::{self, Common, Stores, Textures};
use crate::profile::Free;
use crate::program::{DInst, DTex, NO_SLOT, OracleProgram};
use crate::quads::{Batch, bits_of};
use gpucc_ir::{Op, ResourceKind, TexArg, TexClass, TexCube, TexDim, TexLayer, TexLod, TexWhat, Variant};
use gpucc_sim::bound::place_name;
use gpucc_sim::texture::{
    self as sim, Base, Channel, Codec, Coords, Dim, Face, Image, Layer, Lod, Sampler, Texel, TexelAt, Texels, View,
    What, load, round_layer, texel_at,
};
use gpucc_sim::{
    AllocId, BoundTexture, By, Dispatch, Trap,
    trap::{bad_dispatch, out_of_bounds, unsupported},
};

impl Textures {
    /// The bound resources of a program. The images stay in the dispatch.
    pub fn of(program: &OracleProgram, dispatch: &Dispatch) -> Result<Textures, Trap> {
        let named = |name: &str, mut t: Trap| {
            if !name.is_empty() {
                t.message = format!("{} (`{name}`)", t.message);
            }
            t
        };
        let mut found = Textures::default();
        for t in &program.textures {
            let one = |element| {
                let bound = dispatch.require_texture(t.group, t.binding, element)?;
                match unfit((t.kind, t.variant), bound, &dispatch.images) {
                    None => Ok(*bound),
                    Some(fault) => {
                        let place = place_name(t.group, t.binding, element);
                        Err(bad_dispatch(format!("texture at {place}: {fault}")))
                    }
                }
            };
            let elements: Result<_, Trap> = (0..t.count.max(1)).map(one).collect();
            found.variants.push(t.variant);
            found.views.push(elements.map_err(|e| named(&t.name, e))?);
        }
        for s in &program.samplers {
            let one = |element| match s.variant {
                // Nobody binds it.
                Variant::Nearest => Ok(Sampler::default()),
                Variant::LevelZero => {
                    let sampler = dispatch.require_sampler(s.group, s.binding, element)?;
                    Ok(Sampler { lod_min: 0.0, lod_max: 0.0, ..*sampler })
                }
                _ => dispatch.require_sampler(s.group, s.binding, element).copied(),
            };
            let elements: Result<_, Trap> = (0..s.count.max(1)).map(one).collect();
            found.samplers.push(elements.map_err(|e| named(&s.name, e))?);
        }
        Ok(found)
    }
}

fn dim_of(dim: TexDim) -> Dim {
    match dim {
        TexDim::D1 => Dim::D1,
        TexDim::D2 => Dim::D2,
        TexDim::D3 => Dim::D3,
        TexDim::Cube => Dim::Cube,
    }
}

/// Why a view is not what a program declares, if it is not.
fn unfit((kind, variant): (ResourceKind, Variant), bound: &BoundTexture, images: &[Image]) -> Option<String> {
    let view = bound.view(images);
    let (dim, arrayed, multisampled, _) = kind.texels()?;
    let one = if dim == TexDim::Cube { 6 } else { 1 };
    if bound.dim != dim_of(dim) {
        return Some(format!("the view is {:?}, the program has {dim}", bound.dim));
    }
    if !arrayed && bound.layers != one {
        return Some(format!("the view has {} layers, the program {one}", bound.layers));
    }
    let multisampled = multisampled || variant == Variant::Samples;
    if (view.image.samples > 1) != multisampled {
        let wants = if multisampled { "several" } else { "1" };
        return Some(format!("a pixel has {} samples, in the program {wants}", view.image.samples));
    }
    let base = if bound.stencil { Base::Stencil } else { view.format.base() };
    let fits = match kind {
        ResourceKind::StorageTexture { format, .. } => {
            if bound.levels != 1 {
                return Some(format!("the view has {} levels, an image has one", bound.levels));
            }
            let any = variant == Variant::AnyFormat && (view.format.storage_read() || view.format.storage_write());
            view.format == format || any && base == format.base()
        }
        ResourceKind::Texture { class, .. } => match class {
            TexClass::Float => matches!(base, Base::Float | Base::Depth),
            TexClass::Sint => base == Base::Sint,
            TexClass::Uint => matches!(base, Base::Uint | Base::Stencil),
            // There is no depth in one dimension.
            TexClass::Depth => base == Base::Depth || base == Base::Float && dim == TexDim::D1,
            TexClass::External => base == Base::Float,
        },
        _ => true,
    };
    let wants = match kind {
        ResourceKind::StorageTexture { format, .. } if variant == Variant::AnyFormat => match format.base() {
            Base::Sint => "any of signed integers",
            Base::Uint => "any of unsigned integers",
            _ => "any of floats",
        },
        ResourceKind::StorageTexture { format, .. } => format.name(),
        ResourceKind::Texture { class, .. } => class.name(),
        _ => "",
    };
    (!fits).then(|| format!("texels are {}, in the program {wants}", view.format.name()))
}

/// One instruction in one lane.
struct Request<'a> {
    tex: &'a DTex,
    file: &'a [u64],
    stride: usize,
    lane: usize,
    free: Option<Free>,
    level_bits: Option<u32>,
    divided_cubes: bool,
}

impl<'a> Request<'a> {
    fn new(common: &Common, tex: &'a DTex, (file, stride): (&'a [u64], usize), lane: u32) -> Request<'a> {
        let Common { free, level_bits, divided_cubes, .. } = *common;
        Request { tex, file, stride, lane: lane as usize, free, level_bits, divided_cubes }
    }

    fn word(&self, arg: TexArg, k: usize) -> u32 {
        match self.tex.args[arg as usize] {
            NO_SLOT => 0,
            slot => self.file[(slot as usize + k) * self.stride + self.lane] as u32,
        }
    }

    /// A float that the unit reads. No operand that is NaN decides anything: it stands for any number.
    fn float(&self, arg: TexArg, k: usize) -> f32 {
        let v = f32::from_bits(self.word(arg, k));
        self.free.map_or(v, |free| free.coordinate(v))
    }

    /// The level or bias that code gives.
    fn level(&self) -> f32 {
        let level = self.float(TexArg::Level, 0);
        let Some(bits) = self.level_bits else { return level };
        let (unit, inside) = ((1u64 << bits) as f32, if level.is_nan() { -16.0 } else { level.clamp(-16.0, 16.0) });
        (inside * unit).round_ties_even() / unit
    }

    fn int(&self, arg: TexArg) -> i64 {
        i64::from(self.word(arg, 0) as i32)
    }

    /// Lanes of the coordinates, or of a gradient, as floats.
    fn vector(&self, arg: TexArg) -> [f32; 3] {
        let axes = self.tex.desc.dim().axes() as usize;
        let v = std::array::from_fn(|k| if k < axes { self.float(arg, k) } else { 0.0 });
        let desc = self.tex.desc;
        let implicit = matches!(desc.lod(), TexLod::Implicit | TexLod::Bias) && arg == TexArg::Coords;
        if self.divided_cubes && implicit && desc.dim() == TexDim::Cube && desc.cube() == TexCube::Direction {
            return divided(v);
        }
        v
    }

    /// Lanes of the coordinates as texels, with the offset.
    fn texels(&self) -> [i64; 3] {
        let axes = self.tex.desc.dim().axes() as usize;
        let offset = self.tex.desc.offset();
        let one = |k: usize| i64::from(self.word(TexArg::Coords, k) as i32) + i64::from(offset[k]);
        std::array::from_fn(|k| if k < axes { one(k) } else { 0 })
    }

    /// The layer as it stands there, for addresses that are checked.
    fn plain_layer(&self) -> i64 {
        match self.tex.desc.layer() {
            TexLayer::None => 0,
            TexLayer::Signed => self.int(TexArg::Layer),
            TexLayer::Unsigned => i64::from(self.word(TexArg::Layer, 0)),
            TexLayer::Float => self.float(TexArg::Layer, 0).round_ties_even() as i64,
        }
    }

    /// The layer, brought inside of the view.
    fn layer(&self) -> Layer {
        match self.tex.desc.layer() {
            TexLayer::Float => Layer::Rounded(self.float(TexArg::Layer, 0)),
            _ => Layer::Index(self.plain_layer()),
        }
    }

    /// An element of an array of bindings.
    fn element<'t, T>(&self, all: &'t [T], indexed: bool, arg: TexArg, robust: bool) -> Result<&'t T, Trap> {
        let index = if indexed { self.word(arg, 0) as usize } else { 0 };
        let last = all.len().saturating_sub(1);
        match all.get(if robust { index.min(last) } else { index }) {
            Some(found) => Ok(found),
            None => {
                let said = format!("element {index} of a binding with {} elements", all.len());
                Err(out_of_bounds(said))
            }
        }
    }

    fn bound<'t>(&self, textures: &'t Textures, robust: bool) -> Result<&'t BoundTexture, Trap> {
        let all = &textures.views[self.tex.texture as usize];
        self.element(all, self.tex.desc.texture_indexed(), TexArg::TextureIndex, robust)
    }

    fn sampler<'t>(&self, textures: &'t Textures, robust: bool) -> Result<&'t Sampler, Trap> {
        let all = self.tex.sampler.map_or(&[][..], |s| &textures.samplers[s as usize]);
        self.element(all, self.tex.desc.sampler_indexed(), TexArg::SamplerIndex, robust)
    }

    /// Where it is sampled.
    fn coords(&self, view: &View<'_>) -> Coords {
        let c = self.vector(TexArg::Coords);
        let desc = self.tex.desc;
        if view.dim != Dim::Cube {
            return Coords::Normalised(if desc.base_clamp() { base_clamped(c, view.size, view.dim.axes()) } else { c });
        }
        match desc.cube() {
            TexCube::Direction | TexCube::Divided => Coords::Direction(c),
            _ => Coords::Face(self.face()),
        }
    }

    /// The place on a cube whose coordinates have a face.
    fn face(&self) -> Face {
        let c = self.vector(TexArg::Coords);
        let from = if self.tex.desc.cube() == TexCube::FacedPlusOne { 1.0 } else { 0.0 };
        let [s, t] = [c[0], c[1]].map(|v| f64::from(v) - from);
        Face { face: round_layer(c[2], 6), s, t }
    }

    /// The texels that are filtered or gathered. `quad` is the change of the coordinates to the next pixels.
    fn sampled(
        &self,
        view: &View<'_>,
        sampler: &Sampler,
        machine: &Stores,
        quad: Option<[[f32; 3]; 2]>,
    ) -> Result<Texel, Trap> {
        let desc = self.tex.desc;
        let coords = self.coords(view);
        let request = sim::Request {
            shift: match (&machine.0, coords) {
                (Some(machine), Coords::Normalised(c)) => {
                    let place = |k: usize| f64::from(c[k]) * f64::from(view.size[k]);
                    let farthest =
                        (0..view.dim.axes()).map(place).fold(0.0, |a: f64, b| if b.abs() > a.abs() { b } else { a });
                    machine.missed(farthest)
                }
                _ => 0.0,
            },
            layer: self.layer(),
            offset: desc.offset(),
            lod: match desc.lod() {
                // Gathers read the first level, whatever the sampler's limits are.
                _ if desc.what() == TexWhat::Gather => Lod::Zero,
                TexLod::Zero => Lod::Zero,
                TexLod::Level => Lod::Level(self.level()),
                TexLod::Gradients => {
                    let c = self.vector(TexArg::Coords);
                    Lod::Gradient([TexArg::Ddx, TexArg::Ddy].map(|arg| {
                        let d = self.vector(arg);
                        match sampler.precision.neighbours {
                            true => std::array::from_fn(|k| (c[k] + d[k]) - c[k]),
                            false => d,
                        }
                    }))
                }
                TexLod::Implicit | TexLod::Bias => Lod::Gradient(quad.unwrap_or_default()),
            },
            bias: if desc.lod() == TexLod::Bias { self.level() } else { 0.0 },
            reference: (desc.shadow() && desc.what() != TexWhat::Atomic).then(|| self.float(TexArg::Reference, 0)),
            what: match desc.what() {
                TexWhat::Gather => What::Gather(desc.component()),
                TexWhat::Lod => What::Level,
                _ => What::Sample,
            },
            ..sim::Request::new(coords)
        };
        request.run(view, sampler)
    }

    /// A number of the texture.
    fn query(&self, view: &View<'_>, layers: u32) -> Texel {
        match self.tex.desc.what() {
            TexWhat::Levels => [view.levels, 0, 0, 0],
            TexWhat::Samples => [view.samples, 0, 0, 0],
            TexWhat::Layers => [layers, 0, 0, 0],
            _ => {
                let level = self.int(TexArg::Level).clamp(0, i64::from(view.levels.max(1)) - 1);
                let [w, h, d] = view.level_size(level as u32);
                [w, h, d, 0]
            }
        }
    }

    /// One texel by its integer coordinates; zeros outside.
    fn fetched(&self, view: &View<'_>) -> Result<Texel, Trap> {
        let last = self.int(TexArg::Level);
        let (level, sample) = if self.tex.desc.multisampled() { (0, last) } else { (last, 0) };
        Ok(load(view, self.texels(), self.plain_layer(), level, sample)?.unwrap_or([0; 4]))
    }
}

/// Coordinates half a texel inside of the edges; NaN is the lower end.
fn base_clamped(c: [f32; 3], size: [u32; 3], axes: usize) -> [f32; 3] {
    std::array::from_fn(|k| {
        if k >= axes {
            return c[k];
        }
        let low = (0.5 / f64::from(size[k])) as f32;
        let high = (1.0 - f64::from(low)) as f32;
        c[k].max(low).min(high)
    })
}

/// A direction over its largest component.
fn divided(v: [f32; 3]) -> [f32; 3] {
    let largest = v.iter().fold(0.0, |m: f32, c| m.max(c.abs()));
    if largest > 0.0 && largest.is_finite() { v.map(|c| c / largest) } else { v }
}

/// The direction to a place on a cube, whose largest component is 1.
fn on_cube(f: Face) -> [f32; 3] {
    let [sc, tc] = [f.s, f.t].map(|c| (2.0 * c - 1.0) as f32);
    match f.face {
        0 => [1.0, -tc, -sc],
        1 => [-1.0, -tc, sc],
        2 => [sc, 1.0, tc],
        3 => [sc, -1.0, -tc],
        4 => [sc, -tc, 1.0],
        _ => [-sc, -tc, -1.0],
    }
}

/// The change of the coordinates from lane 0 of a quad to lanes 1 and 2; nothing if one of the three is inactive.
fn differences(request: &Request<'_>, here: u64) -> Option<[[f32; 3]; 2]> {
    let first = request.lane & !3;
    if here >> first & 7 != 7 {
        return None;
    }
    let at = |k: usize| Request { lane: first + k, ..*request };
    let desc = request.tex.desc;
    if desc.dim() == TexDim::Cube && matches!(desc.cube(), TexCube::Faced | TexCube::FacedPlusOne) {
        // Neighbours may lie on other faces: what counts is the change on this one.
        let own = on_cube(request.face());
        let [v0, v1, v2] = [0, 1, 2].map(|k| on_cube(at(k).face()));
        return Some([v1, v2].map(|v| {
            let [s, t] = sim::project_gradient(own, std::array::from_fn(|k| v[k] - v0[k]));
            [s as f32, t as f32, 0.0]
        }));
    }
    let [v0, v1, v2] = [0, 1, 2].map(|k| at(k).vector(TexArg::Coords));
    let minus = |a: [f32; 3]| std::array::from_fn(|k| a[k] - v0[k]);
    Some([minus(v1), minus(v2)])
}

/// Executes a texture instruction that changes nothing.
pub(crate) fn read(
    common: &mut Common,
    batch: &mut Batch,
    (file, stride): (&mut [u64], usize),
    active: &[u32],
    (inst, tex): (&DInst, &DTex),
    by: impl Fn(u32) -> By,
) -> Result<(), Trap> {
    let implicit = inst.op == Op::Sample;
    let here = if implicit { bits_of(active) } else { 0 };
    for &l in active {
        let request = Request::new(common, tex, (&*file, stride), l);
        let quad = if implicit { differences(&request, here) } else { None };
        let texel = if implicit && quad.is_none() {
            batch.mark_open(l);
            [0; 4]
        } else {
            one(common, &request, inst.op, quad, by(l)).map_err(|t| t.in_lane(by(l).lane))?
        };
        for (k, v) in texel.iter().enumerate().take(inst.n as usize) {
            file[(inst.dst as usize + k) * stride + l as usize] = u64::from(*v);
        }
    }
    Ok(())
}

/// The samples of pixels as texels.
struct Spread<'a> {
    texels: &'a dyn Texels,
}

impl Texels for Spread<'_> {
    fn texel(&self, at: TexelAt) -> Result<Texel, Trap> {
        let (x, y) = (at.x, at.y);
        self.texels.texel(TexelAt { x: x >> 1, y: y >> 1, sample: (x & 1) | (y & 1) << 1, ..at })
    }
}

/// The texel or number that one lane gets.
fn one(common: &mut Common, request: &Request<'_>, op: Op, quad: Option<[[f32; 3]; 2]>, by: By) -> Result<Texel, Trap> {
    let desc = request.tex.desc;
    let textures = &common.textures;
    let bound = request.bound(textures, common.robust)?;
    let mut from = bound.view(&textures.images);
    let variant = textures.variants[request.tex.texture as usize];
    let component = |k: u32| Channel::Component(k as u8);
    match variant {
        Variant::Low => from.swizzle = [component(0), component(1), Channel::Zero, Channel::One],
        Variant::High => from.swizzle = [component(2), component(3), Channel::Zero, Channel::One],
        Variant::Component0 | Variant::Component1 | Variant::Component2 | Variant::Component3 => {
            let k = variant as u32 - Variant::Component0 as u32;
            from.swizzle = [component(k), Channel::Zero, Channel::Zero, Channel::One];
        }
        Variant::Whole | Variant::LevelZero | Variant::Nearest | Variant::Samples | Variant::AnyFormat => {}
    }
    let mut view = from.view();
    let spread = Spread { texels: view.texels };
    if variant == Variant::Samples {
        view = View { size: [2 * view.size[0], 2 * view.size[1], 1], samples: 1, texels: &spread, ..view };
    }
    let mut layers = view.layers;
    match (view.dim, desc.dim()) {
        // A cube whose faces are read as the layers of an array.
        (Dim::Cube, TexDim::D2) => view.dim = Dim::D2,
        (Dim::Cube, _) => layers /= 6,
        _ => {}
    }
    match desc.what() {
        TexWhat::Fetch => request.fetched(&view),
        TexWhat::Load => {
            let Some(at) = texel_at(&view, request.texels(), request.plain_layer(), 0, 0) else { return Ok([0; 4]) };
            let TexelAt { layer, x, y, .. } = at;
            let texel = view.texels.texel(at)?;
            let offset = from.image.offset(bound.base_level, bound.base_layer + layer, x, y, 0);
            let (format, id) = (from.image.format, common.image_id(bound.image));
            let texel = common.machine.0.as_ref().map_or(texel, |m| m.loaded(format, texel));
            common.races.load(id, offset as u64, format.bytes(), by)?;
            Ok(texel)
        }
        _ if op == Op::TexQuery => Ok(request.query(&view, layers)),
        _ => request.sampled(&view, request.sampler(textures, common.robust)?, &common.machine, quad),
    }
}

/// Executes a store to an image or an atomic on one. Lanes that are not live change nothing and get 0.
pub(crate) fn write(
    common: &mut Common,
    batch: &Batch,
    (file, stride): (&mut [u64], usize),
    active: &[u32],
    (inst, tex): (&DInst, &DTex),
    by: impl Fn(u32) -> By,
) -> Result<(), Trap> {
    for &l in active {
        let request = Request::new(common, tex, (&*file, stride), l);
        let old =
            if batch.is_live(l) { change(common, &request, by(l)).map_err(|t| t.in_lane(by(l).lane))? } else { 0 };
        if inst.dst != NO_SLOT {
            file[inst.dst as usize * stride + l as usize] = u64::from(old);
        }
    }
    Ok(())
}

/// Changes one texel; gives the old value of an atomic. Nothing happens outside of the image.
fn change(common: &mut Common, request: &Request<'_>, by: By) -> Result<u32, Trap> {
    let bound = *request.bound(&common.textures, common.robust)?;
    let from = bound.view(&common.textures.images);
    let view = from.view();
    let Some(TexelAt { layer, x, y, .. }) = texel_at(&view, request.texels(), request.plain_layer(), 0, 0) else {
        return Ok(0);
    };
    let at = from.image.offset(bound.base_level, bound.base_layer + layer, x, y, 0);
    let (format, size) = (from.format, from.image.format.bytes() as usize);
    let id: AllocId = common.image_id(bound.image);
    let texel = &mut common.textures.images.own()[bound.image].bytes[at..at + size];
    let Some(op) = request.tex.atomic else {
        let value = std::array::from_fn(|k| request.word(TexArg::Value, k));
        let value = common.machine.0.as_ref().map_or(value, |m| m.stored(format, value));
        let mut new = [0; 16];
        format.encode(value, 15, &mut new[..size]);
        common.races.store_over(texel, id, at as u64, &new[..size], by)?;
        texel.copy_from_slice(&new[..size]);
        return Ok(0);
    };
    let Ok(word) = <&mut [u8; 4]>::try_from(texel) else {
        return Err(unsupported(format!("atomics on texels of {}", format.name())));
    };
    let old = u32::from_le_bytes(*word);
    let new = match request.tex.desc.shadow() && old != request.word(TexArg::Reference, 0) {
        true => old,
        false => memory::atomic(op, 32, u64::from(old), u64::from(request.word(TexArg::Value, 0))) as u32,
    };
    common.races.atomic(id, at as u64, 4, new != old, by)?;
    *word = new.to_le_bytes();
    Ok(old)
}
