//! Textures, samplers and images: messages of the texture unit, texels by the load/store unit, and queries that read descriptors.
//!
//! A texture instruction names its descriptors by a pair of words, and reads a staging run: coordinates, layer, reference, offsets, level
//! (reference, section 14.2).

use gpucc_container::Source;
use gpucc_ir::{
    Attr, Diagnostic, Inst, InstData, Op as Ir, Res, ResourceKind, TexArg, TexClass, TexDim, TexLayer, TexLod,
    TexOperands, TexWhat, Value,
};
use gpucc_mir::{MInst, Use, VReg};
use gpucc_pipeline::Base;
use gpucc_valhall_machine::{
    AtomOp, Clamp, Component, Condition, Dimension, LodMode, Op, RegFormat, RegisterType, RegisterWidth, Round, VecSize,
};
use smallvec::SmallVec;

use super::{Isel, IselCx, MI, U, b00};
use crate::builders as build;
use crate::inst::{
    Atomic, Compare, Constant, Derivatives, Format, If, InSpace, Index, Layered, Lod, Mask, Moved, NoBias, NoLimits,
    Of, OfDim, OfQuad, Offset, R2, R3, Readonly, Rounding, SPACE_FIRST, Shadow, Shared, SrcMods, Table, Typed, VOp,
    Vector, Wide, Width, Within, run_class,
};

/// Tables that instructions name in four bits as they are.
const NEAR_TABLES: u32 = 12;
/// The table of tables.
const TABLES: u32 = 62 << 24;
/// Coordinates of images have 16 bits: no image has this one.
const OUTSIDE: u32 = 0xffff;
/// Bits of the first coordinate of a cube that are no face.
const FACE: u32 = 0x1fff_ffff;
/// Bytes of a descriptor.
const DESCRIPTOR: u32 = 32;

/// The parts of a staging run.
type Parts = SmallVec<[U; 8]>;

const MINUS_ZERO: SrcMods = SrcMods { neg: true, ..SrcMods::swizzled(u8::MAX) };

/// The low and the high half of a word.
fn half(u: U, high: bool) -> U {
    u.mods(SrcMods::swizzled(if high { 3 } else { 0 }))
}

fn dimension(d: TexDim) -> Dimension {
    match d {
        TexDim::D1 => Dimension::D1,
        TexDim::D2 => Dimension::D2,
        TexDim::D3 => Dimension::D3,
        TexDim::Cube => Dimension::Cube,
    }
}

/// So many components.
pub(super) fn vector(n: usize) -> Vector {
    Vector([VecSize::One, VecSize::Two, VecSize::Three, VecSize::Four][n - 1])
}

impl Isel<'_> {
    /// Selects any texture or image instruction.
    pub(super) fn image(&mut self, cx: &mut IselCx<'_>, i: Inst) -> Result<(), Diagnostic> {
        let Some(req) = TexOperands::of(cx.data(i)) else { return Err(cx.unknown(i)) };
        match req.tex.desc.what() {
            TexWhat::Sample | TexWhat::Gather | TexWhat::Lod => self.sample(cx, i, &req),
            TexWhat::Fetch => self.fetch(cx, i, &req),
            TexWhat::Load => self.image_load(cx, i, &req),
            TexWhat::Store => self.image_store(cx, i, &req),
            TexWhat::Atomic => self.image_atomic(cx, i, &req),
            TexWhat::Size | TexWhat::Levels | TexWhat::Layers | TexWhat::Samples => self.query(cx, i, &req),
        }
    }

    /// s and t times the magnitude of the longest axis, twice that magnitude, and the face of a direction.
    pub(super) fn cube_coords(&mut self, cx: &mut IselCx<'_>, i: Inst) -> Result<(), Diagnostic> {
        let d = cx.data(i);
        let c = self.lanes(cx, d.args[0]);
        let out = cx.result(i, 0).to_vec();
        let face = Use::reg(self.make(cx, build::Cubeface2V9.on([c[0], c[1], c[2]])));
        self.push(cx, build::CubeSsel.on([c[2], c[0], face]).def(out[0]));
        self.push(cx, build::CubeTsel.on([c[1], c[2], face]).def(out[1]));
        let most = Use::reg(self.make(cx, build::Cubeface1.on([c[0], c[1], c[2]])));
        self.push(cx, build::FaddF32.on([most, most]).def(out[2]));
        let shift = self.word(cx, 29);
        let number = Use::reg(self.make(cx, build::RshiftOrI32.on([face, b00(shift), Use::imm(0)])));
        self.push(cx, build::U32ToF32.on([number]).def(out[3]));
        Ok(())
    }

    // ---- Handles ----

    /// Table and number of a resource, and the number of the element that is asked for, where only the program knows it.
    fn place_of(&mut self, cx: &mut IselCx<'_>, r: Res, index: Option<Value>) -> (u32, u32, Option<U>) {
        let d = &self.module.resources[r];
        let (table, first, count) = (d.group + 1, self.resources.slot(r), d.count.max(1));
        let Some(v) = index else { return (table, first, None) };
        let robust = self.module.options.robust;
        if let Some(k) = self.constant_bits(cx, v).filter(|&k| k < count || robust) {
            return (table, first + k.min(count - 1), None);
        }
        let mut element = self.int(cx, v);
        if robust {
            let last = self.word(cx, count - 1);
            element =
                Use::reg(self.make(cx, build::CselU32.with((If(Condition::Lt),), [element, last, element, last])));
        }
        (table, first, Some(element))
    }

    /// A handle in a register or uniform word.
    fn whole_handle(&mut self, cx: &mut IselCx<'_>, (table, first, element): (u32, u32, Option<U>)) -> U {
        let base = table << 24 | first;
        match element {
            None => self.word(cx, base),
            Some(e) => {
                let e = self.in_register(cx, e);
                Use::reg(self.make(cx, build::IaddImmI32.with((Constant(base),), [e.into()])))
            }
        }
    }

    /// The pair that names texture and sampler, and whether it holds two handles.
    fn handles(&mut self, cx: &mut IselCx<'_>, req: &TexOperands) -> (U, Wide) {
        let texture = self.place_of(cx, req.tex.texture, req.get(TexArg::TextureIndex));
        let sampler = match req.tex.sampler {
            Some(s) => self.place_of(cx, s, req.get(TexArg::SamplerIndex)),
            // The first descriptor of the driver's table, in vertex programs behind the attributes.
            None => (0, if self.is_vertex { gpucc_valhall_machine::abi::VERTEX_NO_SAMPLER } else { 0 }, None),
        };
        let near = |x: &(u32, u32, Option<U>)| x.0 < NEAR_TABLES && x.1 < 1024 && x.2.is_none();
        if near(&texture) && near(&sampler) {
            let word = texture.0 << 27 | texture.1 << 16 | sampler.0 << 11 | sampler.1;
            return (self.constant_pair(cx, word, 0), Wide(false));
        }
        if texture.2.is_none() && sampler.2.is_none() {
            let pair = self.constant_pair(cx, sampler.0 << 24 | sampler.1, texture.0 << 24 | texture.1);
            return (pair, Wide(true));
        }
        let (s, t) = (self.whole_handle(cx, sampler), self.whole_handle(cx, texture));
        let pair = cx.temp(R2);
        cx.emit(MInst::collect(pair, [s, t]));
        (Use::reg(pair), Wide(true))
    }

    /// Two known words as a 64-bit operand.
    fn constant_pair(&mut self, cx: &mut IselCx<'_>, low: u32, high: u32) -> U {
        if let Some(n) = self.uniforms.pair(Source::Const(low), Source::Const(high)) {
            return Use::uniform(n);
        }
        let (low, high) = (self.word(cx, low), self.word(cx, high));
        let pair = cx.temp(R2);
        cx.emit(MInst::collect(pair, [low, high]));
        Use::reg(pair)
    }

    // ---- Pieces ----

    /// The staging run of its parts.
    fn run(&mut self, cx: &mut IselCx<'_>, parts: &[U]) -> VReg {
        let plain: Parts = parts
            .iter()
            .map(|&p| if p.mods == SrcMods::default() { p } else { self.in_register(cx, p).into() })
            .collect();
        self.staging(cx, &plain)
    }

    /// Lanes of the result that are read, at least one.
    fn mask_of(&self, i: Inst, cx: &IselCx<'_>) -> u8 {
        match cx.f.ty(cx.data(i).result()).lanes() {
            4 => self.read.of(cx.data(i).result()).max(1),
            _ => 1,
        }
    }

    /// Emits what returns some lanes, in this order.
    pub(super) fn returns(&mut self, cx: &mut IselCx<'_>, lanes: &[VReg], inst: MI) {
        if let [one] = lanes {
            self.push(cx, inst.def(*one));
            return;
        }
        let run = cx.temp(run_class(lanes.len()));
        self.push(cx, inst.def(run));
        cx.emit(MInst::split(lanes, run));
    }

    fn class_of(&self, r: Res) -> TexClass {
        match self.module.resources[r].kind {
            ResourceKind::Texture { class, .. } => class,
            ResourceKind::StorageTexture { format, .. } => match format.base() {
                Base::Uint => TexClass::Uint,
                Base::Sint => TexClass::Sint,
                _ => TexClass::Float,
            },
            _ => TexClass::Float,
        }
    }

    fn typed(&self, r: Res) -> Typed {
        Typed(match self.class_of(r) {
            TexClass::Sint => RegisterType::Signed,
            TexClass::Uint => RegisterType::Unsigned,
            _ => RegisterType::Float,
        })
    }

    fn format(&self, r: Res) -> Format {
        Format(match self.class_of(r) {
            TexClass::Sint => RegFormat::S32,
            TexClass::Uint => RegFormat::U32,
            _ => RegFormat::F32,
        })
    }

    /// A level or bias with eight bits of fraction in the low half of a word.
    fn fixed(&mut self, cx: &mut IselCx<'_>, v: Value) -> U {
        if let Some(bits) = self.constant_bits(cx, v) {
            let level = f32::from_bits(bits);
            let level = if level.is_nan() { -16.0 } else { level.clamp(-16.0, 16.0) };
            return self.word(cx, (level * 256.0).round_ties_even() as i32 as u32 & 0xffff);
        }
        let level = self.float(cx, v);
        let minus_zero = Use::imm(0).mods(MINUS_ZERO);
        let sixteenth = self.word(cx, 0.0625f32.to_bits());
        let part = build::FmaF32.with((Within(Clamp::MinusOneOne),), [level, sixteenth, minus_zero]);
        let part = Use::reg(self.make(cx, part));
        let scale = self.word(cx, 4096f32.to_bits());
        let scaled = Use::reg(self.make(cx, build::FmaF32.on([part, scale, minus_zero])));
        let whole = self.make(cx, build::F32ToS32.with((Rounding(Round::NearestEven),), [scaled]));
        Use::reg(self.make(cx, build::U16ToU32.on([half(whole.into(), false)])))
    }

    /// The coordinates of a place on a cube: 29 bits of s below the face, and t.
    fn cube_place(&mut self, cx: &mut IselCx<'_>, coords: Value) -> Parts {
        let c = self.lanes(cx, coords);
        let mut face = None;
        if let Some(InstData { op: Ir::Compose, args, .. }) = cx.peek(coords)
            && let Some(InstData { op: Ir::Extract, attr: Attr::Lane(3), args: of, .. }) = cx.peek(args[2])
            && let Some(InstData { op: Ir::CubeCoords, args: direction, .. }) = cx.peek(of[0])
        {
            let d = self.lanes(cx, direction[0]);
            face = Some(Use::reg(self.make(cx, build::Cubeface2V9.on([d[0], d[1], d[2]]))));
        }
        let face = match face {
            Some(f) => f,
            None => {
                let number = Use::reg(self.make(cx, build::F32ToU32.on([c[2]])));
                let shift = self.word(cx, 29);
                Use::reg(self.make(cx, build::LshiftOrI32.on([number, b00(shift), Use::imm(0)])))
            }
        };
        let minus_zero = Use::imm(0).mods(MINUS_ZERO);
        let [s, t] = [c[0], c[1]].map(|x| {
            let inside = build::FaddF32.with((Within(Clamp::ZeroOne),), [x, minus_zero]);
            Use::reg(self.make(cx, inside))
        });
        let mask = self.word(cx, FACE);
        let first = build::MuxI32.with((crate::inst::By(gpucc_valhall_machine::Mux::Bit),), [s, face, mask]);
        SmallVec::from_slice(&[Use::reg(self.make(cx, first)), t])
    }

    // ---- Samples, gathers, fetches ----

    fn sample(&mut self, cx: &mut IselCx<'_>, i: Inst, req: &TexOperands) -> Result<(), Diagnostic> {
        let desc = req.tex.desc;
        let Some(coords) = req.get(TexArg::Coords) else { return Err(cx.unknown(i)) };
        let mut parts: Parts = match desc.dim() {
            TexDim::Cube => self.cube_place(cx, coords),
            _ => self.lanes(cx, coords).into_iter().collect(),
        };
        if let Some(layer) = req.get(TexArg::Layer) {
            parts.push(self.int(cx, layer));
        }
        if let Some(reference) = req.get(TexArg::Reference) {
            parts.push(self.int(cx, reference));
        }
        if desc.what() == TexWhat::Lod {
            self.level(cx, i, req, &parts[..desc.dim().extent() as usize]);
            return Ok(());
        }
        let [x, y, z] = desc.offset();
        let moved = desc.offset() != [0; 3];
        if moved {
            parts.push(self.word(cx, (x & 255 | (y & 255) << 8 | (z & 255) << 16) as u32));
        }
        let (handles, wide) = self.handles(cx, req);
        let level = req.get(TexArg::Level);
        let lod = match (desc.lod(), level) {
            (TexLod::Level, Some(v)) if self.constant_bits(cx, v) != Some(0) => {
                parts.push(self.fixed(cx, v));
                LodMode::Explicit
            }
            (TexLod::Bias, Some(v)) => {
                parts.push(self.fixed(cx, v));
                LodMode::ComputedBias
            }
            (TexLod::Implicit, _) => LodMode::Computed,
            (TexLod::Gradients, _) => {
                let (Some(x), Some(y)) = (req.get(TexArg::Ddx), req.get(TexArg::Ddy)) else {
                    return Err(cx.unknown(i));
                };
                parts.extend(self.gradient(cx, req, [x, y], (handles, wide)));
                LodMode::Grdesc
            }
            _ => LodMode::Zero,
        };
        let (dim, layered) = (OfDim(dimension(desc.dim())), Layered(desc.layer() != TexLayer::None));
        let (typed, width) = (self.typed(req.tex.texture), Width(RegisterWidth::Word));
        let (shadow, moved) = (Shadow(desc.shadow()), Moved(moved));
        let run = self.run(cx, &parts);
        let out = cx.result(i, 0).to_vec();
        let read = self.mask_of(i, cx);
        if desc.what() == TexWhat::Gather {
            let of = Of([Component::R, Component::G, Component::B, Component::A][usize::from(desc.component())]);
            // Texels come in raster order (14.5).
            let order = [3, 2, 0, 1].into_iter().enumerate().filter(|&(_, k)| read >> k & 1 == 1);
            let (mask, to) = order.fold((0, Vec::new()), |(mask, mut to), (raw, k)| {
                to.push(out[k]);
                (mask | 1 << raw, to)
            });
            let mods = (dim, layered, typed, width, shadow, moved, wide, of, Mask(mask), Readonly(true));
            let inst = build::TexGather.with(mods, [run.into(), handles]);
            self.returns(cx, &to, inst);
            return Ok(());
        }
        let to: Vec<VReg> = (0..out.len()).filter(|k| read >> k & 1 == 1).map(|k| out[k]).collect();
        let mods = (dim, layered, typed, width, shadow, moved, wide, Lod(lod), Mask(read), Readonly(true));
        self.returns(cx, &to, build::TexSingle.with(mods, [run.into(), handles]));
        Ok(())
    }

    /// The level that the quad gives: with the limits, and as it is. It has eight bits of fraction.
    fn level(&mut self, cx: &mut IselCx<'_>, i: Inst, req: &TexOperands, coords: &[U]) {
        let out = cx.result(i, 0).to_vec();
        let (handles, wide) = self.handles(cx, req);
        let run = self.run(cx, coords);
        for (&r, free) in out.iter().zip([false, true]) {
            let mods = (
                OfDim(dimension(req.tex.desc.dim())),
                self.typed(req.tex.texture),
                Width(RegisterWidth::Word),
                Mask(1),
                OfQuad(true),
                NoLimits(free),
                wide,
                Readonly(true),
            );
            let word = Use::reg(self.make(cx, build::TexGradient.with(mods, [run.into(), handles])));
            let level = Use::reg(self.make(cx, build::S16ToF32.on([half(word, false)])));
            let scale = self.word(cx, (1.0f32 / 256.0).to_bits());
            self.push(cx, build::FmaF32.on([level, scale, Use::imm(0).mods(MINUS_ZERO)]).def(r));
        }
    }

    /// The two words that stand for given derivatives.
    fn gradient(
        &mut self,
        cx: &mut IselCx<'_>,
        req: &TexOperands,
        d: [Value; 2],
        (handles, wide): (U, Wide),
    ) -> [U; 2] {
        let [x, y] = d.map(|v| self.lanes(cx, v));
        let parts: Parts = x.into_iter().zip(y).flat_map(|(a, b)| [a, b]).collect();
        let run = self.run(cx, &parts);
        let words = [(); 2].map(|()| cx.temp(crate::inst::R));
        let mods = (
            OfDim(dimension(req.tex.desc.dim())),
            self.typed(req.tex.texture),
            Width(RegisterWidth::Word),
            Mask(3),
            Derivatives(true),
            NoBias(true),
            NoLimits(true),
            wide,
            Readonly(true),
        );
        let inst = build::TexGradient.with(mods, [run.into(), handles]);
        self.returns(cx, &words, inst);
        words.map(Use::reg)
    }

    fn fetch(&mut self, cx: &mut IselCx<'_>, i: Inst, req: &TexOperands) -> Result<(), Diagnostic> {
        let desc = req.tex.desc;
        let Some(coords) = req.get(TexArg::Coords) else { return Err(cx.unknown(i)) };
        let mut parts: Parts = self.lanes(cx, coords).into_iter().collect();
        if let Some(layer) = req.get(TexArg::Layer) {
            parts.push(self.int(cx, layer));
        }
        let [x, y, z] = desc.offset();
        let moved = (x & 255 | (y & 255) << 8 | (z & 255) << 16) as u32;
        let at = if desc.multisampled() { 16 } else { 24 };
        let offset = match req.get(TexArg::Level) {
            None => (moved != 0).then(|| self.word(cx, moved)),
            Some(v) => match self.constant_bits(cx, v) {
                Some(k) => Some(moved | k.min(255) << at).filter(|&w| w != 0).map(|w| self.word(cx, w)),
                None => {
                    // No texture has so many; a larger number would be another one.
                    let (v, most) = (self.int(cx, v), self.word(cx, 255));
                    let v = self.make(cx, build::CselU32.with((If(Condition::Lt),), [v, most, v, most]));
                    let (shift, rest) = (self.word(cx, at), self.word(cx, moved));
                    Some(Use::reg(self.make(cx, build::LshiftOrI32.on([v.into(), b00(shift), rest]))))
                }
            },
        };
        parts.extend(offset);
        let (handles, wide) = self.handles(cx, req);
        let run = self.run(cx, &parts);
        let read = self.mask_of(i, cx);
        let mods = (
            OfDim(dimension(desc.dim())),
            Layered(desc.layer() != TexLayer::None),
            Moved(offset.is_some()),
            self.typed(req.tex.texture),
            Width(RegisterWidth::Word),
            Mask(read),
            wide,
            Readonly(true),
        );
        let out = cx.result(i, 0).to_vec();
        let to: Vec<VReg> = (0..out.len()).filter(|k| read >> k & 1 == 1).map(|k| out[k]).collect();
        self.returns(cx, &to, build::TexFetch.with(mods, [run.into(), handles]));
        Ok(())
    }

    // ---- Images ----

    /// A coordinate in 16 bits: what is too large for them lies outside.
    fn short(&mut self, cx: &mut IselCx<'_>, v: Value) -> U {
        if let Some(k) = self.constant_bits(cx, v) {
            return self.word(cx, k.min(OUTSIDE));
        }
        let (v, most) = (self.int(cx, v), self.word(cx, OUTSIDE));
        Use::reg(self.make(cx, build::CselU32.with((If(Condition::Lt),), [v, most, v, most])))
    }

    /// The two words that name a texel of an image.
    fn texel(&mut self, cx: &mut IselCx<'_>, req: &TexOperands) -> Option<[U; 2]> {
        let coords = req.get(TexArg::Coords)?;
        let lanes: Vec<Value> = match cx.peek(coords) {
            Some(d) if d.op == Ir::Compose => d.args.to_vec(),
            _ => Vec::new(),
        };
        let n = cx.f.ty(coords).lanes() as usize;
        let all: Vec<U> = if lanes.len() == n {
            lanes.iter().map(|&v| self.short(cx, v)).collect()
        } else if n == 1 {
            vec![self.short(cx, coords)]
        } else {
            let most = self.word(cx, OUTSIDE);
            let clamp = |s: &mut Self, cx: &mut IselCx<'_>, v: U| {
                Use::reg(s.make(cx, build::CselU32.with((If(Condition::Lt),), [v, most, v, most])))
            };
            self.lanes(cx, coords).into_iter().map(|v| clamp(self, cx, v)).collect()
        };
        let xy = match all.get(1) {
            Some(&y) => Use::reg(self.make(cx, build::MkvecV2i16.on([half(all[0], false), half(y, false)]))),
            None => all[0],
        };
        let layer = req.get(TexArg::Layer).map(|v| self.short(cx, v));
        let zw = match (all.get(2), layer) {
            (Some(&z), _) => z,
            (None, Some(layer)) => {
                let shift = self.word(cx, 16);
                Use::reg(self.make(cx, build::LshiftOrI32.on([layer, b00(shift), Use::imm(0)])))
            }
            (None, None) => Use::imm(0),
        };
        Some([xy, zw])
    }

    /// The texels that an image access is known to touch.
    fn touches_image(&self, r: Res) -> (InSpace, Readonly) {
        let number = u16::try_from(r.0).unwrap_or(u16::MAX).saturating_add(SPACE_FIRST);
        (InSpace(number), Readonly(!self.written.contains(&r)))
    }

    fn image_load(&mut self, cx: &mut IselCx<'_>, i: Inst, req: &TexOperands) -> Result<(), Diagnostic> {
        let r = req.tex.texture;
        let Some([xy, zw]) = self.texel(cx, req) else { return Err(cx.unknown(i)) };
        let place = self.place_of(cx, r, req.get(TexArg::TextureIndex));
        let (space, readonly) = self.touches_image(r);
        let shared = Shared(self.module.resources[r].kind.is_writable());
        let read = self.mask_of(i, cx);
        let n = 8 - read.leading_zeros() as usize;
        let to = cx.result(i, 0)[..n].to_vec();
        let (size, format) = (vector(n), self.format(r));
        let inst = match place {
            (table, index, None) if table < NEAR_TABLES && index < 16 => {
                let mods = (size, format, Table(table as u8), Index(index as u8), space, readonly, shared);
                build::LdTexImm.with(mods, [xy, zw])
            }
            place => {
                let handle = self.whole_handle(cx, place);
                build::LdTex.with((size, format, space, readonly, shared), [xy, zw, handle])
            }
        };
        self.returns(cx, &to, inst);
        Ok(())
    }

    /// Address and conversion of a texel.
    fn texel_address(&mut self, cx: &mut IselCx<'_>, req: &TexOperands) -> Option<VReg> {
        let [xy, zw] = self.texel(cx, req)?;
        let place = self.place_of(cx, req.tex.texture, req.get(TexArg::TextureIndex));
        let run = cx.temp(R3);
        let inst = match place {
            (table, index, None) if table < NEAR_TABLES && index < 16 => {
                build::LeaTexImm.with((Table(table as u8), Index(index as u8)), [xy, zw])
            }
            place => {
                let handle = self.whole_handle(cx, place);
                build::LeaTex.on([xy, zw, handle])
            }
        };
        self.push(cx, inst.def(run));
        Some(run)
    }

    fn image_store(&mut self, cx: &mut IselCx<'_>, i: Inst, req: &TexOperands) -> Result<(), Diagnostic> {
        let r = req.tex.texture;
        let ResourceKind::StorageTexture { format, .. } = self.module.resources[r].kind else {
            return Err(cx.unknown(i));
        };
        let Some(value) = req.get(TexArg::Value) else { return Err(cx.unknown(i)) };
        let Some(at) = self.texel_address(cx, req) else { return Err(cx.unknown(i)) };
        let n = format.components() as usize;
        let parts: Parts = self.lanes(cx, value).into_iter().take(n).collect();
        let run = self.run(cx, &parts);
        let (space, readonly) = self.touches_image(r);
        let mods = (vector(n), Format(RegFormat::Auto), space, readonly);
        let (address, conversion) = (Use::reg(at).part(0, 2), Use::reg(at).part(2, 1));
        self.push(cx, build::StCvt.with(mods, [run.into(), address, conversion]));
        Ok(())
    }

    fn image_atomic(&mut self, cx: &mut IselCx<'_>, i: Inst, req: &TexOperands) -> Result<(), Diagnostic> {
        let Attr::TexAtomic(what, _) = cx.data(i).attr else { return Err(cx.unknown(i)) };
        let Some(value) = req.get(TexArg::Value) else { return Err(cx.unknown(i)) };
        let Some(at) = self.texel_address(cx, req) else { return Err(cx.unknown(i)) };
        let wanted = cx.is_used(cx.data(i).result());
        let touches = self.touches_image(req.tex.texture);
        let base = Use::reg(at).part(0, 2);
        let inst = match req.get(TexArg::Reference) {
            Some(expected) => {
                let (new, expected) = (self.int(cx, value), self.int(cx, expected));
                let run = self.staging(cx, &[new, expected]);
                let mods = (Atomic(AtomOp::Exchange), Compare(true), Offset(0), touches.0, touches.1);
                build::AtomReturnI32.with(mods, [run.into(), base])
            }
            None => self.atomic_at(cx, what, value, wanted, (base, Offset(0)), touches),
        };
        let defines = wanted || inst.target_op() == Some(VOp::Op(Op::AtomReturnI32));
        let inst = if defines { inst.def(cx.result(i, 0)[0]) } else { inst };
        self.push(cx, inst);
        Ok(())
    }

    // ---- Queries ----

    /// A word of a texture's descriptor.
    fn descriptor_word(&mut self, cx: &mut IselCx<'_>, req: &TexOperands, word: u32) -> U {
        let (table, first, element) = self.place_of(cx, req.tex.texture, req.get(TexArg::TextureIndex));
        let at = DESCRIPTOR * first + 4 * word;
        let offset = match element {
            None => self.word(cx, at),
            Some(e) => {
                let (shift, at) = (self.word(cx, DESCRIPTOR.trailing_zeros()), self.in_register_word(cx, at));
                // Both are multiples of 4, and their bits may meet: a sum.
                let scaled = self.make(cx, build::LshiftOrI32.on([e, b00(shift), Use::imm(0)]));
                Use::reg(self.make(cx, build::IaddU32.on([scaled.into(), at])))
            }
        };
        let handle = self.word(cx, TABLES | table);
        let load = build::buffer_loads(1).with((Readonly(true),), [offset, handle]);
        Use::reg(self.make(cx, load))
    }

    fn in_register_word(&mut self, cx: &mut IselCx<'_>, bits: u32) -> U {
        let u = self.word(cx, bits);
        Use::reg(self.in_register(cx, u))
    }

    fn one_more(&mut self, cx: &mut IselCx<'_>, v: U) -> U {
        Use::reg(self.make(cx, build::IaddImmI32.with((Constant(1),), [v])))
    }

    /// A half of a word, and one.
    fn half_plus_one(&mut self, cx: &mut IselCx<'_>, word: U, high: bool) -> U {
        let less = Use::reg(self.make(cx, build::U16ToU32.on([half(word, high)])));
        self.one_more(cx, less)
    }

    /// Bits of a word.
    fn bits_of(&mut self, cx: &mut IselCx<'_>, word: U, at: u32, mask: u32) -> U {
        let (at, mask) = (self.word(cx, at), self.word(cx, mask));
        Use::reg(self.make(cx, build::RshiftAndI32.on([word, b00(at), mask])))
    }

    fn query(&mut self, cx: &mut IselCx<'_>, i: Inst, req: &TexOperands) -> Result<(), Diagnostic> {
        let desc = req.tex.desc;
        let answers: SmallVec<[U; 3]> = match desc.what() {
            TexWhat::Levels => {
                let word = self.descriptor_word(cx, req, 2);
                let less = self.bits_of(cx, word, 16, 31);
                smallvec::smallvec![self.one_more(cx, less)]
            }
            TexWhat::Layers => {
                let word = self.descriptor_word(cx, req, 6);
                smallvec::smallvec![self.half_plus_one(cx, word, false)]
            }
            TexWhat::Samples => {
                let word = self.descriptor_word(cx, req, 3);
                let log = self.bits_of(cx, word, 13, 7);
                let one = self.word(cx, 1);
                smallvec::smallvec![Use::reg(self.make(cx, build::LshiftOrI32.on([one, b00(log), Use::imm(0)])))]
            }
            _ => {
                let word = self.descriptor_word(cx, req, 1);
                let axes = desc.dim().extent();
                let mut all: SmallVec<[U; 3]> =
                    (0..axes.min(2)).map(|k| self.half_plus_one(cx, word, k == 1)).collect();
                if axes == 3 {
                    let word = self.descriptor_word(cx, req, 7);
                    all.push(self.half_plus_one(cx, word, false));
                }
                self.at_level(cx, req, &mut all);
                all
            }
        };
        let out = cx.result(i, 0).to_vec();
        for (&r, x) in out.iter().zip(answers) {
            cx.emit(MInst::copy(r, x));
        }
        Ok(())
    }

    /// Sizes of the queried level from those of the first level. The level is clamped to the levels of the texture.
    fn at_level(&mut self, cx: &mut IselCx<'_>, req: &TexOperands, sizes: &mut [U]) {
        let desc = req.tex.desc;
        let Some(v) = req.get(TexArg::Level).filter(|_| !desc.multisampled()) else { return };
        if self.constant_bits(cx, v) == Some(0) {
            return;
        }
        let word = self.descriptor_word(cx, req, 2);
        let last = self.bits_of(cx, word, 16, 31);
        let level = self.int(cx, v);
        let low = build::CselS32.with((If(Condition::Gt),), [level, Use::imm(0), level, Use::imm(0)]);
        let level = Use::reg(self.make(cx, low));
        let level = build::CselS32.with((If(Condition::Lt),), [level, last, level, last]);
        let level = Use::reg(self.make(cx, level));
        for s in sizes {
            let less = Use::reg(self.make(cx, build::RshiftOrI32.on([*s, b00(level), Use::imm(0)])));
            let one = self.word(cx, 1);
            *s = Use::reg(self.make(cx, build::CselU32.with((If(Condition::Gt),), [less, one, less, one])));
        }
    }
}
