//! Writes fetches of texels with what a target has ([`FetchCaps`]).
//!
//! | input | output | capability |
//! |---|---|---|
//! | offset of a fetch | added to the coordinates | `offset` |
//! | sample of a pixel | texel of the texture's variant `samples`, or zero | `samples` |
//! | fetch or sample of a texture that may have texels of 128 bits | of its variants `low` and `high` | `wide` |
//! | fetch | zero where code finds that it lies outside | `checked` |
//! | fetch | the nearest texel at the middle of the texel, by a sampler of variant `nearest` | `fetch` |
//!
//! Which textures are wide says `PassCx::bound`, and where it does not know, all may be; of those that are not, both halves are the
//! same texels, so too many are no fault. Comparisons have texels of depth, which are not wide.
//!
//! Needs: the variants, which [`add_variants`] adds to the module before. Keeps: the CFG.

use gpucc_ir::{
    Attr, Builder, Const, Function, Inst, IntCc, Module, Op, Res, ResourceData, ResourceKind, Tex, TexArg, TexDim,
    TexLayer, TexOperands, TexWhat, Type, Value, Variant,
};
use smallvec::SmallVec;

use crate::bound::BindingFacts;
use crate::caps::{FetchCaps, OpSet};
use crate::cx::PassCx;
use crate::rewrite::{self, Rewrite};

/// Rewrites texel fetches to the forms that the target has.
pub fn run(f: &mut Function, cx: &mut PassCx<'_>) {
    let (m, caps, bound) = (cx.module, cx.caps.fetch, cx.bound);
    if caps == FetchCaps::FULL || m.resources.is_empty() {
        return;
    }
    if !cx.has_any(f, OpSet::of(&[Op::Sample, Op::Tex])) {
        return;
    }
    // Fetches whose coordinates are known to be inside.
    let mut inside: Vec<Inst> = Vec::new();
    let n = rewrite::run(f, |b, i| lower(m, b, i, caps, bound, &mut inside).unwrap_or(Rewrite::Keep));
    cx.must_change(n);
}

/// Adds the variants of textures that the pass may need, and says how many.
pub fn add_variants(m: &mut Module, caps: FetchCaps, bound: &BindingFacts) -> u64 {
    if caps == FetchCaps::FULL {
        return 0;
    }
    let mut wanted: Vec<ResourceData> = Vec::new();
    for r in m.resources.values() {
        let ResourceKind::Texture { dim, arrayed, multisampled, class } = r.kind else { continue };
        let mut add = |kind, variant| wanted.push(ResourceData { kind, variant, ..r.clone() });
        if !caps.fetch && dim != TexDim::Cube {
            add(ResourceKind::Sampler { comparison: false }, Variant::Nearest);
        }
        let single = ResourceKind::Texture { dim, arrayed, multisampled: false, class };
        if multisampled && !caps.samples {
            add(single, Variant::Samples);
        } else if !caps.wide && bound.may_be_wide(r) {
            add(r.kind, Variant::Low);
            add(r.kind, Variant::High);
        }
    }
    let added = wanted.len() as u64;
    for r in wanted {
        m.resources.push(r);
    }
    added
}

/// The resource of this variant at the texture's binding. Textures of several kinds may stand there.
fn variant(m: &Module, of: Res, variant: Variant) -> Option<Res> {
    let r = &m.resources[of];
    let is_kind = |kind: ResourceKind| match (variant, kind, r.kind) {
        (Variant::Nearest, kind, _) => matches!(kind, ResourceKind::Sampler { .. }),
        (Variant::Samples, ResourceKind::Texture { multisampled: false, dim, arrayed, class }, whole) => {
            whole == ResourceKind::Texture { dim, arrayed, multisampled: true, class }
        }
        (_, kind, whole) => kind == whole,
    };
    let same = |o: &ResourceData| (o.group, o.binding, o.variant) == (r.group, r.binding, variant) && is_kind(o.kind);
    m.resources.iter().find(|(_, o)| same(o)).map(|(k, _)| k)
}

/// A texture instruction and what it gives.
#[derive(Clone)]
struct Lowered {
    op: Op,
    of: TexOperands,
    ty: Type,
}

impl Lowered {
    fn emit(&self, b: &mut Builder<'_>) -> Option<Value> {
        self.of.emit(b, self.op, self.ty)
    }
    /// The same of another texture.
    fn emit_with(&self, b: &mut Builder<'_>, tex: Tex) -> Option<Value> {
        let mut of = self.of.clone();
        of.tex = tex;
        of.emit(b, self.op, self.ty)
    }
    /// The level that a fetch names.
    fn level(&self) -> Option<Value> {
        (!self.of.tex.desc.multisampled()).then(|| self.of.get(TexArg::Level)).flatten()
    }
}

fn lower(
    m: &Module,
    b: &mut Builder<'_>,
    i: Inst,
    caps: FetchCaps,
    bound: &BindingFacts,
    inside: &mut Vec<Inst>,
) -> Option<Rewrite> {
    if !matches!(b.func.insts[i].op, Op::Sample | Op::Tex) {
        return None;
    }
    let d = b.func.insts[i].clone();
    let (Op::Sample | Op::Tex, Attr::Tex(tex)) = (d.op, &d.attr) else { return None };
    let r = &m.resources[tex.texture];
    let ResourceKind::Texture { dim, .. } = r.kind else { return None };
    let mut req = Lowered { op: d.op, of: TexOperands::of(&d)?, ty: b.func.ty(d.result()) };
    let what = tex.desc.what();
    let fetch = what == TexWhat::Fetch && dim != TexDim::Cube;
    if fetch && !caps.offset && tex.desc.offset() != [0; 3] {
        offset(b, &mut req)?;
        return req.emit(b).map(Rewrite::Value);
    }
    if fetch && tex.desc.multisampled() && !caps.samples {
        return sample(m, b, req, inside).map(Rewrite::Value);
    }
    let halves = matches!(what, TexWhat::Fetch | TexWhat::Sample | TexWhat::Gather) && !tex.desc.shadow();
    if halves && !caps.wide && r.variant == Variant::Whole && bound.may_be_wide(r) {
        return wide(m, b, &req).map(Rewrite::Value);
    }
    let is_checked = caps.checked && caps.fetch;
    if fetch && !is_checked && !tex.desc.multisampled() && !inside.contains(&i) {
        let lies_inside = bounds(b, &req)?;
        let texel = req.emit(b)?;
        inside.extend(b.func.blocks[b.block].insts.last());
        let zero = b.func.constant(Const::new(req.ty, &[0; 4]));
        return Some(Rewrite::Value(b.select(lies_inside, texel, zero)));
    }
    if fetch && !caps.fetch && !tex.desc.multisampled() {
        return nearest(m, b, req).map(Rewrite::Value);
    }
    None
}

fn offset(b: &mut Builder<'_>, req: &mut Lowered) -> Option<()> {
    let c = req.of.get(TexArg::Coords)?;
    let lanes = b.func.ty(c).lanes();
    let words: SmallVec<[u64; 3]> =
        req.of.tex.desc.offset().iter().take(lanes as usize).map(|&o| u64::from(o as u32)).collect();
    let by = b.func.constant(Const::new(Type::I32.with_lanes(lanes), &words));
    let c = b.iadd(c, by);
    req.of.set(TexArg::Coords, c);
    req.of.tex.desc = req.of.tex.desc.with_offset([0; 3]);
    Some(())
}

/// A sample of a pixel as a texel of the larger texture. Coordinates are looked at before they are doubled.
fn sample(m: &Module, b: &mut Builder<'_>, mut req: Lowered, known: &mut Vec<Inst>) -> Option<Value> {
    let lies_inside = bounds(b, &req)?;
    let (c, sample) = (req.of.get(TexArg::Coords)?, req.of.get(TexArg::Level)?);
    let four = b.func.iconst(Type::I32, 4);
    let is_sample = b.icmp(IntCc::Ult, sample, four);
    let lies_inside = b.and(lies_inside, is_sample);
    let one = b.func.iconst(Type::I32, 1);
    let (x, y) = (b.extract(c, 0), b.extract(c, 1));
    let (x, y) = (b.shl(x, one), b.shl(y, one));
    let (column, row) = (b.and(sample, one), b.ushr(sample, one));
    let (x, y) = (b.iadd(x, column), b.iadd(y, row));
    let place = b.compose(&[x, y]);
    req.of.set(TexArg::Coords, place);
    req.of.remove(&[TexArg::Level]);
    req.of.tex = Tex { texture: variant(m, req.of.tex.texture, Variant::Samples)?, ..req.of.tex };
    req.of.tex.desc = req.of.tex.desc.with_multisampled(false);
    let texel = req.emit(b)?;
    known.extend(b.func.blocks[b.block].insts.last());
    let zero = b.func.constant(Const::new(req.ty, &[0; 4]));
    Some(b.select(lies_inside, texel, zero))
}

/// Both halves of the texels.
fn wide(m: &Module, b: &mut Builder<'_>, req: &Lowered) -> Option<Value> {
    let half = |which| Some(Tex { texture: variant(m, req.of.tex.texture, which)?, ..req.of.tex });
    let (low, high) = (half(Variant::Low)?, half(Variant::High)?);
    if req.of.tex.desc.what() == TexWhat::Gather {
        let component = req.of.tex.desc.component();
        let mut tex = if component < 2 { low } else { high };
        tex.desc = tex.desc.with_component(component % 2);
        return req.emit_with(b, tex);
    }
    let low = req.emit_with(b, low)?;
    let high = req.emit_with(b, high)?;
    let lanes = [(low, 0), (low, 1), (high, 0), (high, 1)].map(|(v, k)| b.extract(v, k));
    Some(b.compose(&lanes))
}

/// Whether coordinates, level and layer of a fetch name a texel. Negative ones are large numbers without sign.
fn bounds(b: &mut Builder<'_>, req: &Lowered) -> Option<Value> {
    let c = req.of.get(TexArg::Coords)?;
    let size = req.of.query(b, TexWhat::Size, req.level());
    let lanes = b.func.ty(c).lanes();
    let mut all: Option<Value> = None;
    let mut check = |b: &mut Builder<'_>, v: Value, most: Value| {
        let inside = b.icmp(IntCc::Ult, v, most);
        all = Some(all.map_or(inside, |all| b.and(all, inside)));
    };
    for k in 0..lanes {
        let (v, most) = (b.extract(c, k), b.extract(size, k));
        check(b, v, most);
    }
    if let Some(level) = req.level() {
        let levels = req.of.query(b, TexWhat::Levels, None);
        check(b, level, levels);
    }
    if let Some(layer) = req.of.get(TexArg::Layer)
        && req.of.tex.desc.layer() != TexLayer::Float
    {
        let layers = req.of.query(b, TexWhat::Layers, None);
        check(b, layer, layers);
    }
    all
}

/// The nearest texel at the middle of the texel.
fn nearest(m: &Module, b: &mut Builder<'_>, mut req: Lowered) -> Option<Value> {
    let c = req.of.get(TexArg::Coords)?;
    let lanes = b.func.ty(c).lanes();
    let (level, ty) = (req.level(), Type::F32.with_lanes(lanes));
    let size = req.of.query(b, TexWhat::Size, level);
    let size = b.u2f(size, ty);
    let place = b.s2f(c, ty);
    let half = b.func.fconst(ty, 0.5);
    let place = b.fadd(place, half);
    let place = b.fdiv(place, size);
    req.of.set(TexArg::Coords, place);
    if let Some(level) = level {
        let level = b.s2f(level, Type::F32);
        req.of.set(TexArg::Level, level);
    }
    let sampler = variant(m, req.of.tex.texture, Variant::Nearest)?;
    req.of.tex = Tex { desc: req.of.tex.desc.asking(TexWhat::Sample), ..req.of.tex.with(sampler) };
    req.emit(b)
}
