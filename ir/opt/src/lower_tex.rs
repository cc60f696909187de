//! Writes texture instructions with what a target's texture instructions take ([`TexCaps`]).
//!
//! | input | output | capability |
//! |---|---|---|
//! | direction of a cube | divided by its largest magnitude, or s, t and face | `cube` |
//! | implicit level of a direction | gradients of the direction, from the quad | `cube` |
//! | gradients of a direction | gradients of s and t on its face, or the level that they give | `cube_gradients` |
//! | layer as an integer | as a float from 0, or as an integer from 0 to 511 | `layer` |
//! | gather | four samples at the middles of texels | `gather` |
//! | clamp half a texel inside the edges | arithmetic with the size | `base_clamp` |
//! | comparison of texels | a gather or the nearest texel, and comparisons | `SamplerCaps::compare` |
//! | offset of what is filtered or gathered | added to the coordinates, by the size of the level | `SamplerCaps::offset` |
//!
//! What comparisons do and filter, and which samplers read one level, says `PassCx::bound`; what needs to know more stays
//! ([`unwritten`]).
//!
//! Needs: the samplers that [`ask`] adds to the module before. Keeps: the CFG. What is left is in the form that the capabilities name; the meaning is that of
//! `docs/semantics.md`, up to the rounding of coordinates.

mod sampler;

use gpucc_ir::{
    Attr, Axis, Builder, Deriv, FloatCc, Function, Inst, InstData, Module, Op, Refusal, ResourceKind, TexArg, TexClass,
    TexCube, TexDesc, TexDim, TexLayer, TexLod, TexWhat, Type, Value,
};
use smallvec::SmallVec;

use crate::bound::BindingFacts;
use crate::caps::{Caps, CubeGradients, Gathers, LayerForm, SamplerCaps, TexCaps};
use crate::cx::PassCx;
use crate::rewrite::{self, Rewrite};
use crate::tex_request::TexRequest;

/// Runs the pass.
pub fn run(f: &mut Function, cx: &mut PassCx<'_>) {
    let (m, caps, bound) = (cx.module, cx.caps, cx.bound);
    if (caps.tex == TexCaps::FULL && caps.sampler == SamplerCaps::FULL) || m.resources.is_empty() {
        return;
    }
    let n = rewrite::run(f, |b, i| lower(m, b, i, caps, bound));
    cx.must_change(n);
}

/// Adds the samplers that the pass may need.
pub fn ask(m: &mut Module, caps: SamplerCaps, bound: &BindingFacts) {
    if !caps.compare {
        sampler::ask(m, bound);
    }
}

/// A texture instruction and what stands before it.
struct Ask<'a, 'b> {
    b: &'a mut Builder<'b>,
    of: TexRequest,
}

impl Ask<'_, '_> {
    fn float(&mut self, v: f32, lanes: u32) -> Value {
        self.b.func.fconst(Type::F32.with_lanes(lanes), v)
    }
    /// The extent of level 0 as floats, with as many lanes.
    fn size(&mut self) -> Value {
        let size = self.of.query(self.b, TexWhat::Size, None);
        let lanes = self.b.func.ty(size).lanes();
        self.b.u2f(size, Type::F32.with_lanes(lanes))
    }
}

fn lower(m: &Module, b: &mut Builder<'_>, i: Inst, caps: &Caps, bound: &BindingFacts) -> Rewrite {
    let (caps, samplers) = (&caps.tex, caps.sampler);
    let d: InstData = b.func.insts[i].clone();
    let (Op::Sample | Op::Tex, Attr::Tex(tex)) = (d.op, &d.attr) else { return Rewrite::Keep };
    if !tex.desc.samples() {
        return Rewrite::Keep;
    }
    let ty = b.func.ty(d.result());
    let mut ask = Ask { b, of: TexRequest::new(&d, *tex) };
    if tex.desc.shadow()
        && !samplers.compare
        && let Some(v) = sampler::compare(m, &mut ask, bound, ty)
    {
        return Rewrite::Value(v);
    }
    let mut changed = false;
    if ask.of.tex.desc.offset() != [0; 3] && !samplers.offset && ask.of.tex.desc.dim() != TexDim::Cube {
        changed = sampler::offset(m, &mut ask, bound);
    }
    if ask.of.tex.desc.base_clamp() && !caps.base_clamp {
        base_clamp(&mut ask);
        changed = true;
    }
    changed |= layer(&mut ask, caps.layer);
    if ask.of.tex.desc.dim() == TexDim::Cube && ask.of.tex.desc.cube() == TexCube::Direction {
        changed |= cube(&mut ask, caps);
    }
    if is_gathered_by_samples(&ask.of.tex.desc, caps.gather) {
        let class = match m.resources[tex.texture].kind {
            ResourceKind::Texture { class, .. } => class,
            _ => return Rewrite::Keep,
        };
        return gather(ask, ty, class).map_or(Rewrite::Keep, Rewrite::Value);
    }
    if !changed {
        return Rewrite::Keep;
    }
    ask.of.emit(ask.b, ask.of.sampling(), ty).map_or(Rewrite::Keep, Rewrite::Value)
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

/// What lowering leaves of a texture instruction because it cannot write it: what a target must then have itself.
pub fn unwritten(desc: &TexDesc, caps: &Caps) -> Option<Refusal> {
    if !desc.samples() {
        return None;
    }
    if desc.shadow() && !caps.sampler.compare {
        Some(Refusal::TexelComparisons)
    } else if desc.offset() != [0; 3] && !caps.sampler.offset {
        Some(Refusal::TexelOffsets)
    } else if desc.what() == TexWhat::Gather && desc.dim() == TexDim::Cube && !has_gather(desc, caps.tex.gather) {
        Some(Refusal::Gathers)
    } else {
        None
    }
}

/// Clamps the coordinates between the middles of the first and the last texel.
fn base_clamp(ask: &mut Ask<'_, '_>) {
    let Some(c) = ask.of.get(TexArg::Coords) else { return };
    let lanes = ask.b.func.ty(c).lanes();
    let size = ask.size();
    let (half, one) = (ask.float(0.5, lanes), ask.float(1.0, lanes));
    let low = ask.b.fdiv(half, size);
    let high = ask.b.fsub(one, low);
    // NaN becomes the lower end.
    let c = ask.b.fmax(c, low);
    let c = ask.b.fmin(c, high);
    ask.of.set(TexArg::Coords, c);
    ask.of.tex.desc = ask.of.tex.desc.with_base_clamp(false);
}

/// The layer in the form that the target takes.
fn layer(ask: &mut Ask<'_, '_>, form: LayerForm) -> bool {
    let (Some(v), kind) = (ask.of.get(TexArg::Layer), ask.of.tex.desc.layer()) else { return false };
    let integer = matches!(kind, TexLayer::Signed | TexLayer::Unsigned);
    let (v, kind) = match form {
        LayerForm::Float if kind == TexLayer::Signed => {
            let zero = ask.b.func.iconst(Type::I32, 0);
            let v = ask.b.smax(v, zero);
            (ask.b.u2f(v, Type::F32), TexLayer::Float)
        }
        LayerForm::Float if kind == TexLayer::Unsigned => (ask.b.u2f(v, Type::F32), TexLayer::Float),
        LayerForm::Small if kind == TexLayer::Float => {
            let (least, most) = (ask.float(0.0, 1), ask.float(511.0, 1));
            let v = ask.b.fround_even(v);
            // NaN becomes the lower end.
            let v = ask.b.fmax(v, least);
            let v = ask.b.fmin(v, most);
            (ask.b.f2u(v, Type::I32), TexLayer::Unsigned)
        }
        // What is clamped already is so that it is not clamped again.
        LayerForm::Small if integer && !is_small(ask, v) => {
            let v = if kind == TexLayer::Signed {
                let zero = ask.b.func.iconst(Type::I32, 0);
                ask.b.smax(v, zero)
            } else {
                v
            };
            let most = ask.b.func.iconst(Type::I32, 511);
            (ask.b.umin(v, most), TexLayer::Unsigned)
        }
        _ => return false,
    };
    ask.of.set(TexArg::Layer, v);
    ask.of.tex.desc = ask.of.tex.desc.with_layer(kind);
    true
}

/// Whether a layer is from 0 to 511 for certain.
fn is_small(ask: &Ask<'_, '_>, v: Value) -> bool {
    let bits = |v: Value| ask.b.func.const_bits(v).is_some_and(|n| n <= 511);
    ask.of.tex.desc.layer() == TexLayer::Unsigned
        && (bits(v) || ask.b.func.def_op(v, Op::UMin).is_some_and(|d| d.args.iter().any(|&a| bits(a))))
}

/// A place on the cube in the form that the target takes.
fn cube(ask: &mut Ask<'_, '_>, caps: &TexCaps) -> bool {
    let Some(direction) = ask.of.get(TexArg::Coords) else { return false };
    let mut changed = false;
    let faced = !matches!(caps.cube, TexCube::Direction | TexCube::Divided);
    // On a face, what changes is s and t.
    let gradients = match caps.cube_gradients {
        CubeGradients::Direction if faced => CubeGradients::Face,
        form => form,
    };
    let implicit = matches!(ask.of.tex.desc.lod(), TexLod::Implicit | TexLod::Bias);
    // Neighbours on other faces have other coordinates: what changes is the direction.
    if faced && implicit && ask.of.tex.desc.what() == TexWhat::Sample {
        let bias = ask.of.get(TexArg::Level);
        for (arg, axis) in [(TexArg::Ddx, Axis::X), (TexArg::Ddy, Axis::Y)] {
            let d = ask.b.derivative(direction, Deriv { axis, fine: false });
            ask.of.set(arg, d);
        }
        ask.of.remove(&[TexArg::Level]);
        ask.of.tex.desc = ask.of.tex.desc.with_lod(TexLod::Gradients);
        let form = if bias.is_some() { CubeGradients::Level } else { gradients };
        cube_gradients(ask, direction, form);
        if let (Some(bias), Some(level)) = (bias, ask.of.get(TexArg::Level)) {
            let (low, high) = (ask.float(-16.0, 1), ask.float(15.99, 1));
            let bias = ask.b.fmax(bias, low);
            let bias = ask.b.fmin(bias, high);
            let level = ask.b.fadd(level, bias);
            ask.of.set(TexArg::Level, level);
        }
        changed = true;
    }
    if ask.of.tex.desc.lod() == TexLod::Gradients && gradients != CubeGradients::Direction && !changed {
        cube_gradients(ask, direction, gradients);
        changed = true;
    }
    let place = match caps.cube {
        TexCube::Direction => return changed,
        TexCube::Divided => {
            let most = project(ask, direction).most;
            let half = ask.float(0.5, 1);
            let most = ask.b.fmul(most, half);
            let inverse = ask.b.frcp(most);
            let inverse = ask.b.splat(inverse, 3);
            ask.b.fmul(direction, inverse)
        }
        form => {
            let p = project(ask, direction);
            let bias = if form == TexCube::FacedPlusOne { 1.5 } else { 0.5 };
            let bias = ask.float(bias, 1);
            let s = ask.b.fma(p.sc, p.inverse, bias);
            let t = ask.b.fma(p.tc, p.inverse, bias);
            ask.b.compose(&[s, t, p.face])
        }
    };
    ask.of.set(TexArg::Coords, place);
    ask.of.tex.desc = ask.of.tex.desc.with_cube(caps.cube);
    true
}

/// A direction on its face: s and t are `sc * inverse + 0.5` and `tc * inverse + 0.5`.
struct Projected {
    sc: Value,
    tc: Value,
    most: Value,
    inverse: Value,
    face: Value,
}

fn project(ask: &mut Ask<'_, '_>, direction: Value) -> Projected {
    let c = ask.b.op(Op::CubeCoords, &[direction]);
    let [sc, tc, most, face] = [0, 1, 2, 3].map(|k| ask.b.extract(c, k));
    let inverse = ask.b.frcp(most);
    Projected { sc, tc, most, inverse, face }
}

/// Gradients of the direction as those of s and t, or as a level.
fn cube_gradients(ask: &mut Ask<'_, '_>, direction: Value, form: CubeGradients) {
    let (Some(x), Some(y)) = (ask.of.get(TexArg::Ddx), ask.of.get(TexArg::Ddy)) else { return };
    let p = project(ask, direction);
    let at = [p.sc, p.tc].map(|v| ask.b.fmul(v, p.inverse));
    let axes = axes(ask, &p, at);
    let [dx, dy] = [x, y].map(|d| on_face(ask, &axes, d));
    if form == CubeGradients::Face {
        let zero = ask.float(0.0, 1);
        for (arg, [ds, dt]) in [(TexArg::Ddx, dx), (TexArg::Ddy, dy)] {
            let d = ask.b.compose(&[ds, dt, zero]);
            ask.of.set(arg, d);
        }
        return;
    }
    // The level is half the logarithm of the longer one's square, in texels.
    let size = ask.size();
    let size = ask.b.extract(size, 0);
    let [lx, ly] = [dx, dy].map(|[ds, dt]| {
        let (ds, dt) = (ask.b.fmul(ds, size), ask.b.fmul(dt, size));
        let square = ask.b.fmul(dt, dt);
        ask.b.fma(ds, ds, square)
    });
    let longer = ask.b.fmax(lx, ly);
    let log = ask.b.flog2(longer);
    let half = ask.float(0.5, 1);
    let level = ask.b.fmul(log, half);
    ask.of.remove(&[TexArg::Ddx, TexArg::Ddy]);
    ask.of.set(TexArg::Level, level);
    ask.of.tex.desc = ask.of.tex.desc.with_lod(TexLod::Level);
}

/// The face as the table of faces reads a change of the direction: which axes s, t and the magnitude are, and their signs.
struct Axes {
    /// The longest axis is y or z; y; z.
    from_y: Value,
    is_y: Value,
    is_z: Value,
    /// Of s and t what a change along their axes counts for, and one along the longest axis.
    own: [Value; 2],
    major: [Value; 2],
}

fn axes(ask: &mut Ask<'_, '_>, p: &Projected, at: [Value; 2]) -> Axes {
    let [half, one, two, zero] = [0.5, 1.0, 2.0, 0.0].map(|x| ask.float(x, 1));
    let (minus_one, minus_two) = (ask.float(-1.0, 1), ask.float(-2.0, 1));
    let pair = ask.b.fmul(p.face, half);
    let axis = ask.b.ffloor(pair);
    let from_y = ask.b.fcmp(FloatCc::One, axis, zero);
    let is_y = ask.b.fcmp(FloatCc::Oeq, axis, one);
    let is_z = ask.b.fcmp(FloatCc::Oeq, axis, two);
    // Faces 1, 3 and 5 look the other way.
    let odd = ask.b.fma(axis, minus_two, p.face);
    let sign = ask.b.fma(odd, minus_two, one);
    let turned = ask.b.fneg(sign);
    let s = ask.b.select(is_z, sign, one);
    let s = ask.b.select(from_y, s, turned);
    let t = ask.b.select(is_y, sign, minus_one);
    let own = [s, t].map(|v| ask.b.fmul(v, p.inverse));
    let twice = ask.b.fmul(p.inverse, minus_two);
    let twice = ask.b.fmul(twice, sign);
    let major = at.map(|v| ask.b.fmul(v, twice));
    Axes { from_y, is_y, is_z, own, major }
}

/// The change of s and t where the direction changes by `d`: `ds = (dsc - 2 s dmajor) * inverse`.
fn on_face(ask: &mut Ask<'_, '_>, a: &Axes, d: Value) -> [Value; 2] {
    let [x, y, z] = [0, 1, 2].map(|k| ask.b.extract(d, k));
    let major = ask.b.select(a.from_y, y, x);
    let major = ask.b.select(a.is_z, z, major);
    let s = ask.b.select(a.from_y, x, z);
    let t = ask.b.select(a.is_y, z, y);
    let change = |ask: &mut Ask<'_, '_>, k: usize, v: Value| {
        let own = ask.b.fmul(v, a.own[k]);
        ask.b.fma(major, a.major[k], own)
    };
    [change(ask, 0, s), change(ask, 1, t)]
}

/// The four texels, sampled one by one at their middles.
fn gather(mut ask: Ask<'_, '_>, ty: Type, class: TexClass) -> Option<Value> {
    let c = ask.of.get(TexArg::Coords)?;
    let lanes = ask.b.func.ty(c).lanes();
    let size = ask.size();
    let half = ask.float(0.5, lanes);
    // The texel left of and above the place, and its neighbours.
    let at = ask.b.fmul(c, size);
    let at = ask.b.fsub(at, half);
    let at = ask.b.ffloor(at);
    let near = ask.b.fadd(at, half);
    let one = ask.float(1.0, lanes);
    let far = ask.b.fadd(near, one);
    let (near, far) = (ask.b.fdiv(near, size), ask.b.fdiv(far, size));
    let component = u32::from(ask.of.tex.desc.component());
    let desc = ask.of.tex.desc.asking(TexWhat::Sample).with_component(0);
    let shadow = desc.shadow();
    let lane = class.lane();
    let result = desc.result_type(lane)?;
    ask.of.tex.desc = desc;
    // (i0, j1), (i1, j1), (i1, j0), (i0, j0)
    let mut texels = SmallVec::<[Value; 4]>::new();
    for [x, y] in [[near, far], [far, far], [far, near], [near, near]] {
        let (x, y) = (ask.b.extract(x, 0), ask.b.extract(y, 1));
        let place = ask.b.compose(&[x, y]);
        ask.of.set(TexArg::Coords, place);
        let texel = ask.of.emit(ask.b, Op::Tex, result)?;
        texels.push(if shadow { texel } else { ask.b.extract(texel, component) });
    }
    debug_assert!(ty.lanes() == 4);
    Some(ask.b.compose(&texels))
}
