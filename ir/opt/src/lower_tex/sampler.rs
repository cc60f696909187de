//! Writes comparisons and offsets in texels in code, for samplers that lack them.

use gpucc_ir::{
    Axis, Builder, Const, Deriv, FloatCc, Module, Res, ResourceData, ResourceKind, TexArg, TexDim, TexLod, TexWhat,
    Type, Value, Variant,
};
use gpucc_pipeline::{Compare, Filter, SamplerFacts};

use super::lowered::Lowered;
use crate::bound::BindingFacts;

/// The samplers that the comparisons of code filter with: those of the module without their comparison.
pub fn add_plain(m: &mut Module, bound: &BindingFacts) {
    let compares = |r: &ResourceData| r.kind == ResourceKind::Sampler { comparison: true };
    let known = |r: &ResourceData| facts(bound, r).is_some();
    let plain: Vec<ResourceData> = m.resources.values().filter(|r| compares(r) && known(r)).cloned().collect();
    for r in plain {
        m.resources.push(ResourceData { kind: ResourceKind::Sampler { comparison: false }, ..r });
    }
}

fn facts(bound: &BindingFacts, r: &ResourceData) -> Option<(Compare, Filter)> {
    let at = |f: &&SamplerFacts| (f.group, f.binding) == (r.group, r.binding);
    let found = bound.samplers.iter().find(at)?;
    Some((found.compare?, found.filter))
}

/// The same sampler without its comparison.
fn plain(m: &Module, sampler: Res) -> Option<Res> {
    let r = &m.resources[sampler];
    let kind = ResourceKind::Sampler { comparison: false };
    let same = |o: &ResourceData| (o.group, o.binding, o.variant, o.kind) == (r.group, r.binding, Variant::Whole, kind);
    m.resources.iter().find(|(_, o)| same(o)).map(|(k, _)| k)
}

/// A comparison of texels in code. `None` where it stays: nothing is known of the sampler, or the four texels that it would filter are
/// not those that a gather gives.
pub fn compare(m: &Module, req: &mut Lowered<'_, '_>, bound: &BindingFacts, ty: Type) -> Option<Value> {
    let desc = req.of.tex.desc;
    let (op, filter) = facts(bound, &m.resources[req.of.tex.sampler?])?;
    let named = &m.resources[req.of.tex.sampler?];
    // A gather reads level 0.
    let raised = bound.raised.contains(&(named.group, named.binding));
    let sampler = plain(m, req.of.tex.sampler?)?;
    let flat = desc.dim() == TexDim::D2;
    let gather = match desc.what() {
        TexWhat::Gather if flat => true,
        TexWhat::Sample if filter == Filter::Nearest => false,
        TexWhat::Sample if flat && desc.lod() == TexLod::Zero && !raised => true,
        _ => return None,
    };
    let texture = &m.resources[req.of.tex.texture];
    let mut reference = req.of.get(TexArg::Reference)?;
    if bound.fixed_depth.contains(&(texture.group, texture.binding)) {
        reference = req.b.fsat(reference);
    }
    let weights = if gather && desc.what() == TexWhat::Sample { Some(middle(req)?) } else { None };
    req.of.remove(&[TexArg::Reference]);
    let what = if gather { TexWhat::Gather } else { TexWhat::Sample };
    req.of.tex.desc = desc.with_shadow(false).asking(what);
    req.of.tex = req.of.tex.with(sampler);
    let texels = req.of.emit(req.b, req.of.sampling(), Type::F32.with_lanes(4))?;
    let holds = |req: &mut Lowered<'_, '_>, k: u32| {
        let texel = req.b.extract(texels, k);
        let holds = against(req.b, op, reference, texel);
        let (one, zero) = (req.float(1.0, 1), req.float(0.0, 1));
        req.b.select(holds, one, zero)
    };
    if !gather {
        return Some(holds(req, 0));
    }
    // (i0, j1), (i1, j1), (i1, j0), (i0, j0)
    let four = [0, 1, 2, 3].map(|k| holds(req, k));
    let Some([x, y]) = weights else {
        debug_assert!(ty.lanes() == 4);
        return Some(req.b.compose(&four));
    };
    let mix = |req: &mut Lowered<'_, '_>, a: Value, b: Value, w: Value| {
        let less = req.b.fneg(a);
        let change = req.b.fadd(b, less);
        req.b.fma(change, w, a)
    };
    let upper = mix(req, four[3], four[2], x);
    let lower = mix(req, four[0], four[1], x);
    Some(mix(req, upper, lower, y))
}

/// Moves the coordinates to the corner between the four texels that are filtered, where no rounding chooses others; gives the weights of
/// the right and the lower ones.
fn middle(req: &mut Lowered<'_, '_>) -> Option<[Value; 2]> {
    let c = req.of.get(TexArg::Coords)?;
    let size = req.size();
    let (half, one) = (req.float(0.5, 2), req.float(1.0, 2));
    let at = req.b.fmul(c, size);
    let at = req.b.fsub(at, half);
    let first = req.b.ffloor(at);
    let weights = req.b.fsub(at, first);
    let corner = req.b.fadd(first, one);
    let corner = req.b.fdiv(corner, size);
    req.of.set(TexArg::Coords, corner);
    Some([0, 1].map(|k| req.b.extract(weights, k)))
}

/// `reference op texel`
fn against(b: &mut Builder<'_>, op: Compare, reference: Value, texel: Value) -> Value {
    let cc = match op {
        Compare::Never | Compare::Always => return b.func.bconst(op == Compare::Always),
        Compare::Less => FloatCc::Olt,
        Compare::Equal => FloatCc::Oeq,
        Compare::LessEqual => FloatCc::Ole,
        Compare::Greater => FloatCc::Ogt,
        Compare::NotEqual => FloatCc::Une,
        Compare::GreaterEqual => FloatCc::Oge,
    };
    b.fcmp(cc, reference, texel)
}

/// Adds an offset to the coordinates: so many texels of the level that is read. Says whether it did: where the program gives a level
/// that is filtered with the next one, or the sampler may clamp it, no one offset is right, and it stays.
pub fn offset(m: &Module, req: &mut Lowered<'_, '_>, bound: &BindingFacts) -> bool {
    let Some(c) = req.of.get(TexArg::Coords) else { return false };
    let desc = req.of.tex.desc;
    let lanes = req.b.func.ty(c).lanes();
    let sampler = req.of.tex.sampler.map(|s| &m.resources[s]);
    let is_in = |list: &[(u32, u32)]| sampler.is_some_and(|s| list.contains(&(s.group, s.binding)));
    let one_level = is_in(&bound.one_level);
    let first = desc.what() == TexWhat::Gather || desc.lod() == TexLod::Zero && !is_in(&bound.raised);
    if !first && !one_level {
        return false;
    }
    let level = match desc.lod() {
        _ if first => None,
        TexLod::Zero => None,
        TexLod::Level => req.of.get(TexArg::Level),
        TexLod::Implicit | TexLod::Bias => {
            let [dx, dy] = [Axis::X, Axis::Y].map(|axis| req.b.derivative(c, Deriv { axis, fine: false }));
            let level = lambda(req, dx, dy, lanes);
            Some(match req.of.get(TexArg::Level) {
                Some(bias) => req.b.fadd(level, bias),
                None => level,
            })
        }
        TexLod::Gradients => {
            let (Some(dx), Some(dy)) = (req.of.get(TexArg::Ddx), req.of.get(TexArg::Ddy)) else { return false };
            Some(lambda(req, dx, dy, lanes))
        }
    };
    let size = match level {
        None => req.size(),
        Some(level) => size_at(req, level),
    };
    let by: Vec<u64> = desc.offset().iter().take(lanes as usize).map(|&o| u64::from((o as f32).to_bits())).collect();
    let by = req.b.func.constant(Const::new(Type::F32.with_lanes(lanes), &by));
    let by = req.b.fdiv(by, size);
    let c = req.b.fadd(c, by);
    req.of.set(TexArg::Coords, c);
    req.of.tex.desc = desc.with_offset([0; 3]);
    true
}

/// The level that a change of the coordinates gives: half the logarithm of the longer one's square, in texels.
fn lambda(req: &mut Lowered<'_, '_>, dx: Value, dy: Value, lanes: u32) -> Value {
    let size = req.size();
    let [x, y] = [dx, dy].map(|d| {
        let d = req.b.fmul(d, size);
        let parts: Vec<Value> = if lanes == 1 { vec![d] } else { (0..lanes).map(|k| req.b.extract(d, k)).collect() };
        let zero = req.float(0.0, 1);
        parts.into_iter().fold(zero, |sum, p| req.b.fma(p, p, sum))
    });
    let longer = req.b.fmax(x, y);
    let log = req.b.flog2(longer);
    let half = req.float(0.5, 1);
    req.b.fmul(log, half)
}

/// The extent of the level next to a number, as floats.
fn size_at(req: &mut Lowered<'_, '_>, level: Value) -> Value {
    let levels = req.of.query(req.b, TexWhat::Levels, None);
    let one = req.b.func.iconst(Type::I32, 1);
    let last = req.b.isub(levels, one);
    let last = req.b.u2f(last, Type::F32);
    // Halves belong to the level below.
    let half = req.float(0.5, 1);
    let near = req.b.fsub(level, half);
    let near = req.b.fceil(near);
    let zero = req.float(0.0, 1);
    let near = req.b.fmax(near, zero);
    let near = req.b.fmin(near, last);
    let near = req.b.f2s(near, Type::I32);
    let size = req.of.query(req.b, TexWhat::Size, Some(near));
    let lanes = req.b.func.ty(size).lanes();
    req.b.u2f(size, Type::F32.with_lanes(lanes))
}
