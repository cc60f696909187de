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
//! Which textures are wide says `Cx::around`; of others both halves are the same texels, so too many are no fault. Comparisons
//! have texels of depth, which are not wide.
//!
//! Needs: the variants, which [`ask`] adds to the module before. Keeps: the CFG.

use gpucc_ir::{
    Attr, Builder, Const, Function, Inst, IntCc, Module, Op, Res, ResourceData, ResourceKind, Tex, TexArg, TexDesc,
    TexDim, TexLayer, TexLod, TexWhat, Type, Value, Variant,
};
use smallvec::SmallVec;

use crate::around::Around;
use crate::caps::FetchCaps;
use crate::cx::Cx;
use crate::rewrite::{self, Rewrite};

/// Runs the pass.
pub fn run(f: &mut Function, cx: &mut Cx<'_>) {
    let (m, caps, around) = (cx.module, cx.caps.fetch, cx.around);
    if caps == FetchCaps::FULL || m.resources.is_empty() {
        return;
    }
    // Fetches whose coordinates are known to be inside.
    let mut inside: Vec<Inst> = Vec::new();
    let n = rewrite::run(f, |b, i| lower(m, b, i, caps, around, &mut inside).unwrap_or(Rewrite::Keep));
    cx.must_change(n);
}

/// Adds the variants of textures that the pass may need.
pub fn ask(m: &mut Module, caps: FetchCaps, around: Option<&Around>) {
    if caps == FetchCaps::FULL {
        return;
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
        } else if !caps.wide && is_wide(r, around) {
            add(r.kind, Variant::Low);
            add(r.kind, Variant::High);
        }
    }
    for r in wanted {
        m.resources.push(r);
    }
}

fn is_wide(r: &ResourceData, around: Option<&Around>) -> bool {
    around.is_some_and(|a| a.wide.contains(&(r.group, r.binding)))
}

/// The variant of what is bound where a texture is.
fn variant(m: &Module, of: Res, variant: Variant) -> Option<Res> {
    let r = &m.resources[of];
    let mut all = m.resources.iter();
    all.find(|(_, o)| (o.group, o.binding, o.variant) == (r.group, r.binding, variant)).map(|(k, _)| k)
}

/// A texture instruction and its operands.
#[derive(Clone)]
struct Ask {
    op: Op,
    tex: Tex,
    args: SmallVec<[(TexArg, Value); 8]>,
    ty: Type,
}

impl Ask {
    fn get(&self, arg: TexArg) -> Option<Value> {
        self.args.iter().find(|a| a.0 == arg).map(|a| a.1)
    }
    fn set(&mut self, arg: TexArg, v: Value) {
        match self.args.iter_mut().find(|a| a.0 == arg) {
            Some(a) => a.1 = v,
            None => self.args.push((arg, v)),
        }
    }
    fn emit(&self, b: &mut Builder<'_>) -> Option<Value> {
        let list: Option<SmallVec<[Value; 8]>> = self.tex.desc.args().into_iter().map(|a| self.get(a)).collect();
        Some(b.tex(self.op, &list?, self.tex, self.ty))
    }
    /// A number of the texture.
    fn query(&self, b: &mut Builder<'_>, what: TexWhat, level: Option<Value>) -> Value {
        let desc = self.tex.desc;
        let mut query = TexDesc::new(what, desc.dim())
            .with_multisampled(desc.multisampled())
            .with_texture_indexed(desc.texture_indexed());
        let mut args: SmallVec<[Value; 2]> = SmallVec::new();
        if let Some(level) = level {
            query = query.with_lod(TexLod::Level);
            args.push(level);
        }
        args.extend(self.get(TexArg::TextureIndex));
        let lanes = if what == TexWhat::Size { desc.dim().extent() } else { 1 };
        b.tex(Op::TexQuery, &args, Tex::new(self.tex.texture, query), Type::I32.with_lanes(lanes))
    }
    /// The level that a fetch names.
    fn level(&self) -> Option<Value> {
        (!self.tex.desc.multisampled()).then(|| self.get(TexArg::Level)).flatten()
    }
}

fn lower(
    m: &Module,
    b: &mut Builder<'_>,
    i: Inst,
    caps: FetchCaps,
    around: Option<&Around>,
    inside: &mut Vec<Inst>,
) -> Option<Rewrite> {
    let d = b.func.insts[i].clone();
    let (Op::Sample | Op::Tex, Attr::Tex(tex)) = (d.op, &d.attr) else { return None };
    let r = &m.resources[tex.texture];
    let ResourceKind::Texture { dim, .. } = r.kind else { return None };
    let args = tex.desc.args().into_iter().zip(d.args.iter().copied()).collect();
    let mut ask = Ask { op: d.op, tex: *tex, args, ty: b.func.ty(d.result()) };
    let what = tex.desc.what();
    let fetch = what == TexWhat::Fetch && dim != TexDim::Cube;
    if fetch && !caps.offset && tex.desc.offset() != [0; 3] {
        offset(b, &mut ask)?;
        return ask.emit(b).map(Rewrite::Value);
    }
    if fetch && tex.desc.multisampled() && !caps.samples {
        return sample(m, b, ask, inside).map(Rewrite::Value);
    }
    let halves = matches!(what, TexWhat::Fetch | TexWhat::Sample | TexWhat::Gather) && !tex.desc.shadow();
    if halves && !caps.wide && r.variant == Variant::Whole && !tex.desc.multisampled() && is_wide(r, around) {
        return wide(m, b, &ask).map(Rewrite::Value);
    }
    let is_checked = caps.checked && caps.fetch;
    if fetch && !is_checked && !tex.desc.multisampled() && !inside.contains(&i) {
        let lies_inside = bounds(b, &ask)?;
        let texel = ask.emit(b)?;
        inside.extend(b.func.blocks[b.block].insts.last());
        let zero = b.func.constant(Const::new(ask.ty, &[0; 4]));
        return Some(Rewrite::Value(b.select(lies_inside, texel, zero)));
    }
    if fetch && !caps.fetch && !tex.desc.multisampled() {
        return nearest(m, b, ask).map(Rewrite::Value);
    }
    None
}

fn offset(b: &mut Builder<'_>, ask: &mut Ask) -> Option<()> {
    let c = ask.get(TexArg::Coords)?;
    let lanes = b.func.ty(c).lanes();
    let words: SmallVec<[u64; 3]> =
        ask.tex.desc.offset().iter().take(lanes as usize).map(|&o| u64::from(o as u32)).collect();
    let by = b.func.constant(Const::new(Type::I32.with_lanes(lanes), &words));
    let c = b.iadd(c, by);
    ask.set(TexArg::Coords, c);
    ask.tex.desc = ask.tex.desc.with_offset([0; 3]);
    Some(())
}

/// A sample of a pixel as a texel of the larger texture. Coordinates are looked at before they are doubled.
fn sample(m: &Module, b: &mut Builder<'_>, mut ask: Ask, known: &mut Vec<Inst>) -> Option<Value> {
    let lies_inside = bounds(b, &ask)?;
    let (c, sample) = (ask.get(TexArg::Coords)?, ask.get(TexArg::Level)?);
    let four = b.func.iconst(Type::I32, 4);
    let is_sample = b.icmp(IntCc::Ult, sample, four);
    let lies_inside = b.and(lies_inside, is_sample);
    let one = b.func.iconst(Type::I32, 1);
    let (x, y) = (b.extract(c, 0), b.extract(c, 1));
    let (x, y) = (b.shl(x, one), b.shl(y, one));
    let (column, row) = (b.and(sample, one), b.ushr(sample, one));
    let (x, y) = (b.iadd(x, column), b.iadd(y, row));
    let place = b.compose(&[x, y]);
    ask.set(TexArg::Coords, place);
    ask.args.retain(|a| a.0 != TexArg::Level);
    ask.tex = Tex { texture: variant(m, ask.tex.texture, Variant::Samples)?, ..ask.tex };
    ask.tex.desc = ask.tex.desc.with_multisampled(false);
    let texel = ask.emit(b)?;
    known.extend(b.func.blocks[b.block].insts.last());
    let zero = b.func.constant(Const::new(ask.ty, &[0; 4]));
    Some(b.select(lies_inside, texel, zero))
}

/// Both halves of the texels.
fn wide(m: &Module, b: &mut Builder<'_>, ask: &Ask) -> Option<Value> {
    let half = |which| Some(Tex { texture: variant(m, ask.tex.texture, which)?, ..ask.tex });
    let (low, high) = (half(Variant::Low)?, half(Variant::High)?);
    if ask.tex.desc.what() == TexWhat::Gather {
        let component = ask.tex.desc.component();
        let mut tex = if component < 2 { low } else { high };
        tex.desc = tex.desc.with_component(component % 2);
        return Ask { tex, ..ask.clone() }.emit(b);
    }
    let low = Ask { tex: low, ..ask.clone() }.emit(b)?;
    let high = Ask { tex: high, ..ask.clone() }.emit(b)?;
    let lanes = [(low, 0), (low, 1), (high, 0), (high, 1)].map(|(v, k)| b.extract(v, k));
    Some(b.compose(&lanes))
}

/// Whether coordinates, level and layer of a fetch name a texel. Negative ones are large numbers without sign.
fn bounds(b: &mut Builder<'_>, ask: &Ask) -> Option<Value> {
    let c = ask.get(TexArg::Coords)?;
    let size = ask.query(b, TexWhat::Size, ask.level());
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
    if let Some(level) = ask.level() {
        let levels = ask.query(b, TexWhat::Levels, None);
        check(b, level, levels);
    }
    if let Some(layer) = ask.get(TexArg::Layer)
        && ask.tex.desc.layer() != TexLayer::Float
    {
        let layers = ask.query(b, TexWhat::Layers, None);
        check(b, layer, layers);
    }
    all
}

/// The nearest texel at the middle of the texel.
fn nearest(m: &Module, b: &mut Builder<'_>, mut ask: Ask) -> Option<Value> {
    let c = ask.get(TexArg::Coords)?;
    let lanes = b.func.ty(c).lanes();
    let (level, ty) = (ask.level(), Type::F32.with_lanes(lanes));
    let size = ask.query(b, TexWhat::Size, level);
    let size = b.u2f(size, ty);
    let place = b.s2f(c, ty);
    let half = b.func.fconst(ty, 0.5);
    let place = b.fadd(place, half);
    let place = b.fdiv(place, size);
    ask.set(TexArg::Coords, place);
    if let Some(level) = level {
        let level = b.s2f(level, Type::F32);
        ask.set(TexArg::Level, level);
    }
    let sampler = variant(m, ask.tex.texture, Variant::Nearest)?;
    ask.tex = Tex { desc: ask.tex.desc.asking(TexWhat::Sample), ..ask.tex.with(sampler) };
    ask.emit(b)
}
