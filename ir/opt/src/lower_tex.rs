//! Writes texture instructions with what a target's texture instructions take ([`TexCaps`]).
//!
//! | input | output | capability |
//! |---|---|---|
//! | direction of a cube | divided by its largest magnitude, or s, t and face | `cube` |
//! | implicit level of a direction | gradients of the direction, from the quad | `cube` |
//! | gradients | the level that they give | `gradients` |
//! | bias that is no constant | added to the level that the quad gives | `lane_bias` |
//! | comparison of a layer or a cube at level 0, of a fragment | the same by the quad's level, by a sampler of level 0 alone | `SamplerCaps::compare_layer_levels` |
//! | gradients of a direction | gradients of s and t on its face, or the level that they give | `cube_gradients` |
//! | layer as an integer | as a float from 0, or as an integer from 0 to 511 | `layer` |
//! | gather of another component than the first | of the first of the texture's variant that has this one alone | `gather` |
//! | gather | four samples at the middles of texels | `gather` |
//! | clamp half a texel inside the edges | arithmetic with the size | `base_clamp` |
//! | comparison at a level that gradients give | at that level | `SamplerCaps::compare_gradients` |
//! | comparison of texels | a gather or the nearest texel, and comparisons | `SamplerCaps::compare` |
//! | offset of what is filtered or gathered | added to the coordinates, by the size of the level | `SamplerCaps::offset` |
//!
//! `PassCx::bound` gives the comparison and filter of each sampler, and which samplers read one level; an instruction that needs unknown
//! facts stays ([`unwritten`]).
//!
//! Needs: the samplers that [`add_samplers`] adds to the module before, and the textures of [`add_components`]. Keeps: the CFG. What is left is in the form that the capabilities name; the meaning is that of
//! `docs/semantics.md`, up to the rounding of coordinates.

mod lowered;
mod sampler;

use gpucc_ir::{
    Attr, Axis, Builder, Deriv, FloatCc, Function, Inst, InstData, Module, Op, Refusal, Res, ResourceData,
    ResourceKind, TexArg, TexClass, TexCube, TexDesc, TexDim, TexLayer, TexLod, TexOperands, TexWhat, Type, Value,
    Variant,
};
use smallvec::SmallVec;

use crate::bound::BindingFacts;
use crate::caps::{Caps, CubeGradients, Gathers, LayerForm, OpSet, SamplerCaps, TexCaps};
use crate::cx::PassCx;
use crate::rewrite::{self, Rewrite};

use lowered::Lowered;

/// Rewrites texture instructions to the forms that the target has.
pub fn run(f: &mut Function, cx: &mut PassCx<'_>) {
    let (m, caps, bound) = (cx.module, cx.caps, cx.bound);
    if (caps.tex == TexCaps::FULL && caps.sampler == SamplerCaps::FULL) || m.resources.is_empty() {
        return;
    }
    if !cx.has_any(f, OpSet::of(&[Op::Sample, Op::Tex])) {
        return;
    }
    let fragment = cx.has_helpers();
    let n = rewrite::run(f, |b, i| lower(m, b, i, caps, (bound, fragment)));
    cx.must_change(n);
}

/// Adds the samplers that the pass may need, and says how many.
pub fn add_samplers(m: &mut Module, caps: SamplerCaps, bound: &BindingFacts) -> u64 {
    let before = m.resources.len();
    if !caps.compare {
        sampler::add_plain(m, bound);
    } else if !caps.compare_layer_levels {
        let of = |r: &ResourceData| (r.kind == ResourceKind::Sampler { comparison: true }).then(|| r.clone());
        let all: Vec<ResourceData> = m.resources.values().filter_map(of).collect();
        for r in all {
            m.resources.push(ResourceData { variant: Variant::LevelZero, ..r });
        }
    }
    (m.resources.len() - before) as u64
}

/// Adds the textures of one component that the pass may need, as long as there are no more than [`TexCaps::gather`] allows. Says how
/// many.
pub fn add_components(m: &mut Module, caps: &TexCaps) -> u64 {
    if caps.gather != Gathers::First {
        return 0;
    }
    let before = m.resources.len();
    let is_texture = |r: &ResourceData| matches!(r.kind, ResourceKind::Texture { .. });
    let mut room = Gathers::TEXTURES;
    m.resources.values().filter(|r| is_texture(r)).for_each(|r| room = room.saturating_sub(r.count.max(1)));
    let mut wanted: Vec<(Res, Variant)> = Vec::new();
    for i in m.funcs.values().flat_map(|f| f.insts_in_order().map(|(_, i)| &f.insts[i])) {
        let Some(tex) = i.tex().filter(|t| t.desc.what() == TexWhat::Gather) else { continue };
        let key = component(&tex.desc).map(|variant| (tex.texture, variant));
        wanted.extend(key.filter(|k| !wanted.contains(k)));
    }
    for (of, variant) in wanted {
        let r = m.resources[of].clone();
        if r.variant == Variant::Whole && room >= r.count.max(1) {
            room -= r.count.max(1);
            m.resources.push(ResourceData { variant, ..r });
        }
    }
    (m.resources.len() - before) as u64
}

/// The variant that has the component of a gather alone; the first one needs none.
fn component(desc: &TexDesc) -> Option<Variant> {
    match desc.component() {
        1 => Some(Variant::Component1),
        2 => Some(Variant::Component2),
        3 => Some(Variant::Component3),
        _ => None,
    }
}

fn lower(m: &Module, b: &mut Builder<'_>, i: Inst, caps: &Caps, (bound, fragment): (&BindingFacts, bool)) -> Rewrite {
    let (caps, samplers) = (&caps.tex, caps.sampler);
    if !matches!(b.func.insts[i].op, Op::Sample | Op::Tex) {
        return Rewrite::Keep;
    }
    let d: InstData = b.func.insts[i].clone();
    let (Op::Sample | Op::Tex, Attr::Tex(tex)) = (d.op, &d.attr) else { return Rewrite::Keep };
    if !tex.desc.samples() {
        return Rewrite::Keep;
    }
    let ty = b.func.ty(d.result());
    let Some(of) = TexOperands::of(&d) else { return Rewrite::Keep };
    let mut req = Lowered { b, of };
    if tex.desc.shadow()
        && !samplers.compare
        && let Some(v) = sampler::compare(m, &mut req, bound, ty)
    {
        return Rewrite::Value(v);
    }
    let mut changed = false;
    if tex.desc.shadow() && tex.desc.lod() == TexLod::Gradients && !samplers.compare_gradients {
        changed = gradients_as_level(&mut req).is_some();
    }
    if req.of.tex.desc.offset() != [0; 3] && !samplers.offset && req.of.tex.desc.dim() != TexDim::Cube {
        changed |= sampler::offset(m, &mut req, bound);
    }
    if req.of.tex.desc.base_clamp() && !caps.base_clamp {
        base_clamp(&mut req);
        changed = true;
    }
    changed |= layer(&mut req, caps.layer);
    let desc = req.of.tex.desc;
    if fragment && compares_by_quad(&desc, samplers) {
        let Some(sampler) = level_zero(m, req.of.tex.sampler) else { return Rewrite::Keep };
        req.of.tex.sampler = Some(sampler);
        req.of.tex.desc = desc.with_lod(TexLod::Implicit);
        changed = true;
    }
    let bias = if caps.lane_bias { None } else { lane_bias(&mut req) };
    if req.of.tex.desc.dim() == TexDim::Cube && req.of.tex.desc.cube() == TexCube::Direction {
        changed |= cube(&mut req, caps);
    }
    if req.of.tex.desc.lod() == TexLod::Gradients && !caps.gradients && req.of.tex.desc.dim() != TexDim::Cube {
        gradients(&mut req);
        changed = true;
    }
    if let (Some(bias), Some(level)) = (bias, req.of.get(TexArg::Level)) {
        let level = with_bias(&mut req, level, bias);
        req.of.set(TexArg::Level, level);
        changed = true;
    }
    let desc = req.of.tex.desc;
    if desc.what() == TexWhat::Gather
        && caps.gather == Gathers::First
        && let Some(texture) = component(&desc).and_then(|v| variant(m, req.of.tex.texture, v))
    {
        req.of.tex.texture = texture;
        req.of.tex.desc = desc.with_component(0);
        changed = true;
    }
    if is_gathered_by_samples(&req.of.tex.desc, caps.gather) {
        let Some(class) = req.of.texel_class(m) else { return Rewrite::Keep };
        return gather(req, ty, class).map_or(Rewrite::Keep, Rewrite::Value);
    }
    if !changed {
        return Rewrite::Keep;
    }
    req.of.emit(req.b, req.of.sampling(), ty).map_or(Rewrite::Keep, Rewrite::Value)
}

/// Whether a fragment compares texels of level 0 by a level from the quad, because no other can be given.
pub(crate) fn compares_by_quad(desc: &TexDesc, caps: SamplerCaps) -> bool {
    let layers = desc.layer() != TexLayer::None || desc.dim() == TexDim::Cube;
    let plain = desc.shadow() && desc.what() == TexWhat::Sample && desc.lod() == TexLod::Zero;
    plain && layers && caps.compare && !caps.compare_layer_levels
}

/// The level-0 variant of a sampler's binding.
fn level_zero(m: &Module, of: Option<Res>) -> Option<Res> {
    variant(m, of?, Variant::LevelZero)
}

/// The resource of this variant at the same binding.
fn variant(m: &Module, of: Res, variant: Variant) -> Option<Res> {
    let r = &m.resources[of];
    let same = |o: &ResourceData| (o.group, o.binding, o.kind, o.variant) == (r.group, r.binding, r.kind, variant);
    m.resources.iter().find(|(_, o)| same(o)).map(|(k, _)| k)
}

/// Takes a bias that may differ between lanes away: the changes of the coordinates in the quad instead. Gives the bias.
fn lane_bias(req: &mut Lowered<'_, '_>) -> Option<Value> {
    let desc = req.of.tex.desc;
    let bias = req.of.get(TexArg::Level).filter(|_| desc.lod() == TexLod::Bias && desc.what() == TexWhat::Sample)?;
    if req.b.func.const_bits(bias).is_some() {
        return None;
    }
    let coords = req.of.get(TexArg::Coords)?;
    for (arg, axis) in [(TexArg::Ddx, Axis::X), (TexArg::Ddy, Axis::Y)] {
        let d = req.b.derivative(coords, Deriv { axis, fine: false });
        req.of.set(arg, d);
    }
    req.of.remove(&[TexArg::Level]);
    req.of.tex.desc = desc.with_lod(TexLod::Gradients);
    Some(bias)
}

/// A level and a bias, which has limits.
fn with_bias(req: &mut Lowered<'_, '_>, level: Value, bias: Value) -> Value {
    let (low, high) = (req.float(-16.0, 1), req.float(15.99, 1));
    let bias = req.b.fmax(bias, low);
    let bias = req.b.fmin(bias, high);
    req.b.fadd(level, bias)
}

/// Whether four samples stand for a gather. Those of a cube may lie on other faces.
fn is_gathered_by_samples(desc: &TexDesc, gathers: Gathers) -> bool {
    desc.what() == TexWhat::Gather && desc.dim() != TexDim::Cube && !has_gather(desc, gathers)
}

/// Whether one instruction gathers so.
pub(crate) fn has_gather(desc: &TexDesc, gathers: Gathers) -> bool {
    match gathers {
        Gathers::Nothing => false,
        Gathers::First => desc.component() == 0,
        Gathers::Any => true,
    }
}

/// The texture instructions that lowering leaves because it cannot write them: those that a target must then have itself.
pub fn unwritten(desc: &TexDesc, caps: &Caps) -> Option<Refusal> {
    if !desc.samples() {
        return None;
    }
    let compares = caps.sampler.compare && (caps.sampler.compare_layer_levels || !levels_of_layers(desc));
    if desc.shadow() && !compares {
        Some(Refusal::TexelComparisons)
    } else if desc.what() == TexWhat::Lod && !caps.sampler.level_query {
        Some(Refusal::LevelQueries)
    } else if desc.offset() != [0; 3] && !caps.sampler.offset {
        Some(Refusal::TexelOffsets)
    } else if desc.what() == TexWhat::Gather && desc.dim() == TexDim::Cube && !has_gather(desc, caps.tex.gather) {
        Some(Refusal::Gathers)
    } else {
        None
    }
}

/// Whether a level or a bias of a texture with layers or faces is given.
fn levels_of_layers(desc: &TexDesc) -> bool {
    let layers = desc.layer() != TexLayer::None || desc.dim() == TexDim::Cube;
    layers && !matches!(desc.lod(), TexLod::Zero | TexLod::Implicit)
}

/// Clamps the coordinates between the middles of the first and the last texel.
fn base_clamp(req: &mut Lowered<'_, '_>) {
    let Some(c) = req.of.get(TexArg::Coords) else { return };
    let lanes = req.b.func.ty(c).lanes();
    let size = req.size();
    let (half, one) = (req.float(0.5, lanes), req.float(1.0, lanes));
    let low = req.b.fdiv(half, size);
    let high = req.b.fsub(one, low);
    // NaN becomes the lower end.
    let c = req.b.fmax(c, low);
    let c = req.b.fmin(c, high);
    req.of.set(TexArg::Coords, c);
    req.of.tex.desc = req.of.tex.desc.with_base_clamp(false);
}

/// The layer in the form that the target takes.
fn layer(req: &mut Lowered<'_, '_>, form: LayerForm) -> bool {
    let (Some(v), kind) = (req.of.get(TexArg::Layer), req.of.tex.desc.layer()) else { return false };
    let integer = matches!(kind, TexLayer::Signed | TexLayer::Unsigned);
    let (v, kind) = match form {
        LayerForm::Float if kind == TexLayer::Signed => {
            let zero = req.b.func.iconst(Type::I32, 0);
            let v = req.b.smax(v, zero);
            (req.b.u2f(v, Type::F32), TexLayer::Float)
        }
        LayerForm::Float if kind == TexLayer::Unsigned => (req.b.u2f(v, Type::F32), TexLayer::Float),
        LayerForm::Small if kind == TexLayer::Float => {
            let (least, most) = (req.float(0.0, 1), req.float(511.0, 1));
            let v = req.b.fround_even(v);
            // NaN becomes the lower end.
            let v = req.b.fmax(v, least);
            let v = req.b.fmin(v, most);
            (req.b.f2u(v, Type::I32), TexLayer::Unsigned)
        }
        // A clamped index is in a form that is not clamped again.
        LayerForm::Small if integer && !is_small(req, v) => {
            let v = if kind == TexLayer::Signed {
                let zero = req.b.func.iconst(Type::I32, 0);
                req.b.smax(v, zero)
            } else {
                v
            };
            let most = req.b.func.iconst(Type::I32, 511);
            (req.b.umin(v, most), TexLayer::Unsigned)
        }
        _ => return false,
    };
    req.of.set(TexArg::Layer, v);
    req.of.tex.desc = req.of.tex.desc.with_layer(kind);
    true
}

/// Whether a layer is from 0 to 511 for certain.
fn is_small(req: &Lowered<'_, '_>, v: Value) -> bool {
    let bits = |v: Value| req.b.func.const_bits(v).is_some_and(|n| n <= 511);
    req.of.tex.desc.layer() == TexLayer::Unsigned
        && (bits(v) || req.b.func.def_op(v, Op::UMin).is_some_and(|d| d.args.iter().any(|&a| bits(a))))
}

/// A place on the cube in the form that the target takes.
fn cube(req: &mut Lowered<'_, '_>, caps: &TexCaps) -> bool {
    let Some(direction) = req.of.get(TexArg::Coords) else { return false };
    let mut changed = false;
    let faced = !matches!(caps.cube, TexCube::Direction | TexCube::Divided);
    // On a face, what changes is s and t.
    let gradients = match caps.cube_gradients {
        CubeGradients::Direction if faced => CubeGradients::Face,
        form => form,
    };
    let implicit = matches!(req.of.tex.desc.lod(), TexLod::Implicit | TexLod::Bias);
    // Neighbours on other faces have other coordinates: what changes is the direction.
    if faced && !caps.cube_levels && implicit && req.of.tex.desc.what() == TexWhat::Sample {
        let bias = req.of.get(TexArg::Level);
        for (arg, axis) in [(TexArg::Ddx, Axis::X), (TexArg::Ddy, Axis::Y)] {
            let d = req.b.derivative(direction, Deriv { axis, fine: false });
            req.of.set(arg, d);
        }
        req.of.remove(&[TexArg::Level]);
        req.of.tex.desc = req.of.tex.desc.with_lod(TexLod::Gradients);
        let form = if bias.is_some() { CubeGradients::Level } else { gradients };
        cube_gradients(req, direction, form);
        if let (Some(bias), Some(level)) = (bias, req.of.get(TexArg::Level)) {
            let level = with_bias(req, level, bias);
            req.of.set(TexArg::Level, level);
        }
        changed = true;
    }
    if req.of.tex.desc.lod() == TexLod::Gradients && gradients != CubeGradients::Direction && !changed {
        cube_gradients(req, direction, gradients);
        changed = true;
    }
    let place = match caps.cube {
        TexCube::Direction => return changed,
        TexCube::Divided => {
            let [x, y, z] = [0, 1, 2].map(|k| req.b.extract(direction, k));
            let [x, y, z] = [x, y, z].map(|v| req.b.fabs(v));
            let most = req.b.fmax(x, y);
            let most = req.b.fmax(most, z);
            let inverse = req.b.frcp(most);
            let inverse = req.b.splat(inverse, 3);
            req.b.fmul(direction, inverse)
        }
        form => {
            let p = project(req, direction);
            let bias = if form == TexCube::FacedPlusOne { 1.5 } else { 0.5 };
            let bias = req.float(bias, 1);
            let s = req.b.fma(p.sc, p.inverse, bias);
            let t = req.b.fma(p.tc, p.inverse, bias);
            req.b.compose(&[s, t, p.face])
        }
    };
    req.of.set(TexArg::Coords, place);
    req.of.tex.desc = req.of.tex.desc.with_cube(caps.cube);
    true
}

/// Gradients as the level that they give: half the logarithm of the longer one's square, in texels.
fn gradients_as_level(req: &mut Lowered<'_, '_>) -> Option<()> {
    let coords = req.of.get(TexArg::Coords)?;
    let mut changes = [req.of.get(TexArg::Ddx)?, req.of.get(TexArg::Ddy)?];
    let lanes = req.b.func.ty(coords).lanes();
    let mut size = req.size();
    if req.of.tex.desc.dim() == TexDim::Cube {
        // On the plane of the face a change is (d - p * dm) / m, where m is the longest axis, and p the direction divided by it. A
        // face is two long.
        let longest = longest_axis(req, coords);
        let m = longest.of(req, coords);
        let inverse = req.b.frcp(m);
        let by = req.b.splat(inverse, 3);
        let p = req.b.fmul(coords, by);
        for d in &mut changes {
            let dm = longest.of(req, *d);
            let dm = req.b.splat(dm, 3);
            let along = req.b.fmul(p, dm);
            let change = req.b.fsub(*d, along);
            *d = req.b.fmul(change, by);
        }
        let half = req.float(0.5, 1);
        let edge = req.b.extract(size, 0);
        let edge = req.b.fmul(edge, half);
        size = req.b.splat(edge, 3);
    }
    let squares = changes.map(|d| {
        let texels = req.b.fmul(d, size);
        match lanes {
            1 => req.b.fmul(texels, texels),
            _ => req.b.fdot(texels, texels),
        }
    });
    let longer = req.b.fmax(squares[0], squares[1]);
    let log = req.b.flog2(longer);
    let half = req.float(0.5, 1);
    let level = req.b.fmul(log, half);
    req.of.remove(&[TexArg::Ddx, TexArg::Ddy]);
    req.of.set(TexArg::Level, level);
    req.of.tex.desc = req.of.tex.desc.with_lod(TexLod::Level);
    Some(())
}

/// Which axis of a direction is the longest.
struct Longest {
    is_z: Value,
    is_y: Value,
}

impl Longest {
    /// The component of a vector along it.
    fn of(&self, req: &mut Lowered<'_, '_>, v: Value) -> Value {
        let [x, y, z] = [0, 1, 2].map(|k| req.b.extract(v, k));
        let flat = req.b.select(self.is_y, y, x);
        req.b.select(self.is_z, z, flat)
    }
}

fn longest_axis(req: &mut Lowered<'_, '_>, direction: Value) -> Longest {
    let [x, y, z] = [0, 1, 2].map(|k| {
        let c = req.b.extract(direction, k);
        req.b.fabs(c)
    });
    let is_y = req.b.fcmp(FloatCc::Oge, y, x);
    let flat = req.b.select(is_y, y, x);
    let is_z = req.b.fcmp(FloatCc::Oge, z, flat);
    Longest { is_z, is_y }
}

/// A direction on its face: s and t are `sc * inverse + 0.5` and `tc * inverse + 0.5`.
struct Projected {
    sc: Value,
    tc: Value,
    inverse: Value,
    face: Value,
}

fn project(req: &mut Lowered<'_, '_>, direction: Value) -> Projected {
    let c = req.b.op(Op::CubeCoords, &[direction]);
    let [sc, tc, most, face] = [0, 1, 2, 3].map(|k| req.b.extract(c, k));
    let inverse = req.b.frcp(most);
    Projected { sc, tc, inverse, face }
}

/// Gradients of the direction as those of s and t, or as a level.
fn cube_gradients(req: &mut Lowered<'_, '_>, direction: Value, form: CubeGradients) {
    let (Some(x), Some(y)) = (req.of.get(TexArg::Ddx), req.of.get(TexArg::Ddy)) else { return };
    let p = project(req, direction);
    let at = [p.sc, p.tc].map(|v| req.b.fmul(v, p.inverse));
    let axes = axes(req, &p, at);
    let [dx, dy] = [x, y].map(|d| on_face(req, &axes, d));
    if form == CubeGradients::Face {
        let zero = req.float(0.0, 1);
        for (arg, [ds, dt]) in [(TexArg::Ddx, dx), (TexArg::Ddy, dy)] {
            let d = req.b.compose(&[ds, dt, zero]);
            req.of.set(arg, d);
        }
        return;
    }
    let size = req.size();
    let size = req.b.extract(size, 0);
    let squares = [dx, dy].map(|[ds, dt]| {
        let (ds, dt) = (req.b.fmul(ds, size), req.b.fmul(dt, size));
        let square = req.b.fmul(dt, dt);
        req.b.fma(ds, ds, square)
    });
    level_instead(req, squares);
}

/// Gradients as the level that they give.
fn gradients(req: &mut Lowered<'_, '_>) {
    let (Some(x), Some(y)) = (req.of.get(TexArg::Ddx), req.of.get(TexArg::Ddy)) else { return };
    let size = req.size();
    let squares = [x, y].map(|d| {
        let d = req.b.fmul(d, size);
        if !req.b.func.ty(d).is_vector() {
            return req.b.fmul(d, d);
        }
        let first = req.b.extract(d, 0);
        let mut sum = req.b.fmul(first, first);
        for k in 1..req.b.func.ty(d).lanes() {
            let v = req.b.extract(d, k);
            sum = req.b.fma(v, v, sum);
        }
        sum
    });
    level_instead(req, squares);
}

/// The level is half the logarithm of the longer gradient's square, in texels.
fn level_instead(req: &mut Lowered<'_, '_>, [x, y]: [Value; 2]) {
    let longer = req.b.fmax(x, y);
    let log = req.b.flog2(longer);
    let half = req.float(0.5, 1);
    let level = req.b.fmul(log, half);
    req.of.remove(&[TexArg::Ddx, TexArg::Ddy]);
    req.of.set(TexArg::Level, level);
    req.of.tex.desc = req.of.tex.desc.with_lod(TexLod::Level);
}

/// The face as the table of faces reads a change of the direction: which axes s, t and the magnitude are, and their signs.
struct Axes {
    /// The longest axis is y or z; y; z.
    from_y: Value,
    is_y: Value,
    is_z: Value,
    /// Factors of s and t for a change along their axes; `major` has one along the longest axis.
    own: [Value; 2],
    major: [Value; 2],
}

fn axes(req: &mut Lowered<'_, '_>, p: &Projected, at: [Value; 2]) -> Axes {
    let [half, one, two, zero] = [0.5, 1.0, 2.0, 0.0].map(|x| req.float(x, 1));
    let (minus_one, minus_two) = (req.float(-1.0, 1), req.float(-2.0, 1));
    let pair = req.b.fmul(p.face, half);
    let axis = req.b.ffloor(pair);
    let from_y = req.b.fcmp(FloatCc::One, axis, zero);
    let is_y = req.b.fcmp(FloatCc::Oeq, axis, one);
    let is_z = req.b.fcmp(FloatCc::Oeq, axis, two);
    // Faces 1, 3 and 5 look the other way.
    let odd = req.b.fma(axis, minus_two, p.face);
    let sign = req.b.fma(odd, minus_two, one);
    let negated = req.b.fneg(sign);
    let s = req.b.select(is_z, sign, one);
    let s = req.b.select(from_y, s, negated);
    let t = req.b.select(is_y, sign, minus_one);
    let own = [s, t].map(|v| req.b.fmul(v, p.inverse));
    let twice = req.b.fmul(p.inverse, minus_two);
    let twice = req.b.fmul(twice, sign);
    let major = at.map(|v| req.b.fmul(v, twice));
    Axes { from_y, is_y, is_z, own, major }
}

/// The change of s and t where the direction changes by `d`: `ds = (dsc - 2 s dmajor) * inverse`.
fn on_face(req: &mut Lowered<'_, '_>, a: &Axes, d: Value) -> [Value; 2] {
    let [x, y, z] = [0, 1, 2].map(|k| req.b.extract(d, k));
    let major = req.b.select(a.from_y, y, x);
    let major = req.b.select(a.is_z, z, major);
    let s = req.b.select(a.from_y, x, z);
    let t = req.b.select(a.is_y, z, y);
    let change = |req: &mut Lowered<'_, '_>, k: usize, v: Value| {
        let own = req.b.fmul(v, a.own[k]);
        req.b.fma(major, a.major[k], own)
    };
    [change(req, 0, s), change(req, 1, t)]
}

/// The four texels, sampled one by one at their middles.
fn gather(mut req: Lowered<'_, '_>, ty: Type, class: TexClass) -> Option<Value> {
    let c = req.of.get(TexArg::Coords)?;
    let lanes = req.b.func.ty(c).lanes();
    let size = req.size();
    let half = req.float(0.5, lanes);
    // The texel left of and above the place, and its neighbours.
    let at = req.b.fmul(c, size);
    let at = req.b.fsub(at, half);
    let at = req.b.ffloor(at);
    let near = req.b.fadd(at, half);
    let one = req.float(1.0, lanes);
    let far = req.b.fadd(near, one);
    let (near, far) = (req.b.fdiv(near, size), req.b.fdiv(far, size));
    let component = u32::from(req.of.tex.desc.component());
    let desc = req.of.tex.desc.asking(TexWhat::Sample).with_component(0);
    let shadow = desc.shadow();
    let lane = class.lane();
    let result = desc.result_type(lane)?;
    req.of.tex.desc = desc;
    // (i0, j1), (i1, j1), (i1, j0), (i0, j0)
    let mut texels = SmallVec::<[Value; 4]>::new();
    for [x, y] in [[near, far], [far, far], [far, near], [near, near]] {
        let (x, y) = (req.b.extract(x, 0), req.b.extract(y, 1));
        let place = req.b.compose(&[x, y]);
        req.of.set(TexArg::Coords, place);
        let texel = req.of.emit(req.b, Op::Tex, result)?;
        texels.push(if shadow { texel } else { req.b.extract(texel, component) });
    }
    debug_assert!(ty.lanes() == 4);
    Some(req.b.compose(&texels))
}
