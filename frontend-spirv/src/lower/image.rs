//! Images and samplers: sampling, fetching, gathering, queries, loads, stores and atomics.

use super::cx::{Lowered, ModuleCx};
use super::data::Role;
use super::func::FuncCx;
use crate::module::Inst;
use crate::types::{ImageTy, Kind};
use crate::value::{Handle, Texel, Val};
use gpucc_frontend_common::{Memory, Question, Textures, question, report, resource, texel_offset};
use gpucc_ir as ir;
use gpucc_pipeline::{Base, Format};
use ir::{
    AtomicOp, ImageAccess, Op as Ir, Refusal, Res, ResourceKind, Tex, TexArg, TexClass, TexDesc, TexDim, TexLayer,
    TexLod, TexWhat, Type, Value,
};
use rspirv::spirv::{Dim, ImageFormat, ImageOperands as I, Op};
use std::rc::Rc;

/// The operands of an image instruction behind its set of them.
#[derive(Default)]
struct Operands {
    bias: Option<u32>,
    lod: Option<u32>,
    grad: Option<(u32, u32)>,
    offset: Option<u32>,
    offsets: Option<u32>,
    /// The least level.
    least: Option<u32>,
    sample: Option<u32>,
}

/// Whether an op samples with a comparison, with a projection, and with the level of its neighbours.
fn sampling(op: Op) -> Option<[bool; 3]> {
    Some(match op {
        Op::ImageSampleImplicitLod => [false, false, true],
        Op::ImageSampleExplicitLod => [false, false, false],
        Op::ImageSampleDrefImplicitLod => [true, false, true],
        Op::ImageSampleDrefExplicitLod => [true, false, false],
        Op::ImageSampleProjImplicitLod => [false, true, true],
        Op::ImageSampleProjExplicitLod => [false, true, false],
        Op::ImageSampleProjDrefImplicitLod => [true, true, true],
        Op::ImageSampleProjDrefExplicitLod => [true, true, false],
        _ => return None,
    })
}

/// The format of a storage image: SPIR-V's names are shorter forms of WebGPU's.
fn format(format: ImageFormat) -> Option<Format> {
    let name = format!("{format:?}").to_lowercase();
    let name = match name.as_str() {
        "r11fg11fb10f" => "rg11b10ufloat".to_string(),
        n if n.ends_with("snorm") => name,
        n => match (n.strip_suffix("ui"), n.strip_suffix('i'), n.strip_suffix('f')) {
            (Some(n), ..) => format!("{n}uint"),
            (_, Some(n), _) => format!("{n}sint"),
            (.., Some(n)) => format!("{n}float"),
            _ => format!("{n}unorm"),
        },
    };
    Format::parse(&name).ok()
}

impl ModuleCx<'_> {
    /// The image type of a handle.
    fn image_ty(&self, h: &Handle) -> Option<ImageTy> {
        match *self.types.kind(h.ty) {
            Kind::Image(ty) => Some(ty),
            Kind::Sampled(of) => match *self.types.kind(of) {
                Kind::Image(ty) => Some(ty),
                _ => None,
            },
            _ => None,
        }
    }

    /// The dimension of an image, where the IR has it.
    fn dim(&self, ty: ImageTy, span: ir::Span) -> Lowered<TexDim> {
        let refused = |what: &str| Err(report::unsupported(Refusal::Spirv, &format!("`OpTypeImage {what}`"), span));
        match ty.dim {
            Dim::Dim1D => Ok(TexDim::D1),
            // One level, whose places are counted in texels.
            Dim::Dim2D | Dim::DimRect => Ok(TexDim::D2),
            Dim::Dim3D => Ok(TexDim::D3),
            Dim::DimCube => Ok(TexDim::Cube),
            // The texel of the fragment's own pixel.
            Dim::DimSubpassData => Ok(TexDim::D2),
            Dim::DimBuffer if ty.is_rows() => Ok(TexDim::D2),
            _ => refused("of another dimension"),
        }
    }

    fn kind(&self, h: &Handle, role: Role, atomic: bool) -> Lowered<ResourceKind> {
        let var = &self.handles[h.variable];
        let span = var.span;
        if let Role::Sampler(comparison) = role {
            return Ok(ResourceKind::Sampler { comparison });
        }
        let Some(ty) = self.image_ty(h) else {
            let text = format!("lowering: `{}` is no image", var.name);
            return Err(ir::Diagnostic::internal("lower", text).at(span, "here"));
        };
        let dim = self.dim(ty, span)?;
        let texels = |what: &str| Err(report::unsupported(Refusal::TexelTypes, what, span));
        if ty.sampled.is_some_and(|s| s.bits() == 64) {
            return texels("images of 64-bit texels");
        }
        if let Role::Texture(shadow) = role {
            let class = match ty.sampled {
                Some(s) if s.is_float() && (shadow || ty.depth == 1) => TexClass::Depth,
                Some(s) if s.is_float() => TexClass::Float,
                Some(_) if ty.signed => TexClass::Sint,
                Some(_) => TexClass::Uint,
                None => return texels("textures of other texels than floats and integers"),
            };
            return Ok(ResourceKind::Texture { dim, arrayed: ty.arrayed, multisampled: ty.multisampled, class });
        }
        if ty.multisampled {
            let what = "`OpTypeImage of several samples for storage`";
            return Err(report::unsupported(Refusal::StorageSamples, what, span));
        }
        let format = match ty.format {
            ImageFormat::Unknown => self.given_format(ty, h, atomic)?.0,
            f => format(f).ok_or_else(|| report::unsupported(Refusal::Spirv, &format!("`OpTypeImage {f:?}`"), span))?,
        };
        let access = match var.access {
            _ if atomic => ImageAccess::Atomic,
            (true, false) => ImageAccess::Read,
            (false, true) => ImageAccess::Write,
            _ => ImageAccess::ReadWrite,
        };
        Ok(ResourceKind::StorageTexture { dim, arrayed: ty.arrayed, format, access })
    }

    /// The format that the caller says of a storage image without one, and whether one was said. Atomics are on words alone; else the
    /// widest of a base stands for all.
    fn given_format(&self, ty: ImageTy, h: &Handle, atomic: bool) -> Lowered<(Format, bool)> {
        let var = &self.handles[h.variable];
        let Some(&(_, format)) = self.formats.iter().rfind(|f| f.0 == var.at) else {
            let Some(sampled) = ty.sampled else {
                let what = "images of other texels than floats and integers";
                return Err(report::unsupported(Refusal::TexelTypes, what, var.span));
            };
            let any = match (sampled.is_float(), ty.signed, atomic) {
                (true, ..) => Format::Rgba32Float,
                (_, true, true) => Format::R32Sint,
                (_, false, true) => Format::R32Uint,
                (_, true, _) => Format::Rgba32Sint,
                (_, false, _) => Format::Rgba32Uint,
            };
            return Ok((any, atomic));
        };
        let fits = match (format.base(), ty.sampled) {
            (Base::Float, Some(s)) => s.is_float(),
            (Base::Uint, Some(s)) => !s.is_float() && !ty.signed,
            (Base::Sint, Some(s)) => !s.is_float() && ty.signed,
            _ => false,
        };
        if fits && (format.storage_read() || format.storage_write()) {
            return Ok((format, true));
        }
        let text = format!("{} is no format of the storage image `{}`", format.name(), var.name);
        Err(ir::Diagnostic::invalid("image-format", text).at(var.span, "declared here"))
    }

    /// Whether a variable is a storage image of which nobody says the format.
    fn variant(&self, h: &Handle, role: Role, atomic: bool) -> Lowered<ir::Variant> {
        let unsaid = |ty: &ImageTy| ty.format == ImageFormat::Unknown;
        match self.image_ty(h).filter(unsaid) {
            Some(ty) if matches!(role, Role::Image) && !self.given_format(ty, h, atomic)?.1 => {
                Ok(ir::Variant::AnyFormat)
            }
            _ => Ok(ir::Variant::Whole),
        }
    }

    /// The resource that a variable is in a role.
    fn handle_resource(&mut self, h: &Handle, role: Role, atomic: bool) -> Lowered<Res> {
        if let (Some(&known), false) = (self.roles.get(&(h.variable, role)), atomic) {
            return Ok(known);
        }
        let kind = self.kind(h, role, atomic)?;
        let variant = self.variant(h, role, atomic)?;
        if let Some(&known) = self.roles.get(&(h.variable, role)) {
            let r = &mut self.out.resources[known];
            (r.kind, r.variant) = (kind, variant);
            return Ok(known);
        }
        let var = self.handles[h.variable].clone();
        let same = |r: &ir::ResourceData| {
            (r.group, r.binding, r.kind, r.variant, r.count) == (var.at.0, var.at.1, kind, variant, var.count)
        };
        let known = self.out.resources.iter().find(|(_, r)| same(r)).map(|(h, _)| h);
        let res = known.unwrap_or_else(|| {
            let data = resource(var.name, var.at, kind, var.count, var.span);
            self.out.resources.push(ir::ResourceData { variant, ..data })
        });
        self.roles.insert((h.variable, role), res);
        Ok(res)
    }

    /// The role in which a texture is asked for its size: one that it has already.
    fn texture_role(&self, h: &Handle, storage: bool) -> Role {
        match storage {
            true => Role::Image,
            false if self.roles.contains_key(&(h.variable, Role::Texture(true))) => Role::Texture(true),
            false => Role::Texture(false),
        }
    }
}

impl FuncCx<'_, '_> {
    /// Instructions on images; none of what is something else.
    pub fn images(&mut self, inst: &Inst) -> Lowered<Option<Val>> {
        use Op as O;
        let o = self.m.m.operands(inst);
        Ok(Some(match inst.op {
            O::SampledImage => {
                let image = self.image(o[0])?;
                match self.val(o[1])? {
                    Val::Handle(sampler) if matches!(self.m.types.kind(sampler.ty), Kind::Sampler) => {
                        Val::Sampled(image, sampler)
                    }
                    _ => return self.wrong(format!("%{} is no sampler", o[1])),
                }
            }
            O::Image => match self.val(o[0])? {
                Val::Sampled(image, _) => {
                    let ty = self.m.types.of(inst.ty, inst)?;
                    let own = match *self.m.types.kind(image.ty) {
                        Kind::Sampled(of) => of,
                        _ => image.ty,
                    };
                    if own != ty {
                        return self.wrong(format!("its type is not that of the image in %{}", o[0]));
                    }
                    Val::Handle(Handle { ty, ..image })
                }
                _ => return self.wrong(format!("%{} is no image with a sampler", o[0])),
            },
            O::ImageGather | O::ImageDrefGather => self.gather(inst)?,
            O::ImageFetch | O::ImageRead => self.fetch(inst)?,
            O::ImageWrite => self.image_write(inst)?,
            O::ImageQuerySizeLod | O::ImageQuerySize => self.size(inst)?,
            O::ImageQueryLevels | O::ImageQuerySamples => {
                let image = self.image(o[0])?;
                let what = if inst.op == O::ImageQueryLevels { TexWhat::Levels } else { TexWhat::Samples };
                Val::One(self.query(&image, what, None)?)
            }
            O::ImageQueryLod => self.query_lod(inst)?,
            O::ImageTexelPointer => self.texel_pointer(inst)?,
            op => match sampling(op) {
                Some(how) => self.sample(inst, how)?,
                None => return Ok(None),
            },
        }))
    }

    fn image(&mut self, id: u32) -> Lowered<Handle> {
        match self.val(id)? {
            Val::Handle(h) if matches!(self.m.types.kind(h.ty), Kind::Image(_)) => Ok(h),
            Val::Sampled(h, _) => Ok(h),
            _ => self.wrong(format!("%{id} is no image")),
        }
    }

    pub fn image_ty(&self, h: &Handle) -> Lowered<ImageTy> {
        match self.m.image_ty(h) {
            Some(ty) => Ok(ty),
            None => self.broken("an image without a type"),
        }
    }

    fn operands_of(&self, words: &[u32]) -> Lowered<Operands> {
        let mut list = Operands::default();
        let Some((&set, mut rest)) = words.split_first() else { return Ok(list) };
        for bit in (0..32).map(|k| 1u32 << k).filter(|bit| set & bit != 0) {
            let flag = I::from_bits_retain(bit);
            let n = crate::grammar::image_operand_words(bit);
            let (own, behind) = rest.split_at(n.min(rest.len()));
            rest = behind;
            if own.len() < n {
                return self.wrong("operands of its image are missing");
            }
            let first = own.first().copied();
            if flag == I::BIAS {
                list.bias = first;
            } else if flag == I::LOD {
                list.lod = first;
            } else if flag == I::GRAD {
                list.grad = Some((own[0], own[1]));
            } else if flag == I::CONST_OFFSET || flag == I::OFFSET {
                list.offset = first;
            } else if flag == I::CONST_OFFSETS {
                list.offsets = first;
            } else if flag == I::SAMPLE {
                list.sample = first;
            } else if flag == I::MIN_LOD {
                list.least = first;
            } else if let crate::tables::Verdict::Refused(code) = crate::tables::image_operand(flag) {
                return self.missing(code, format!("with {flag:?}"));
            }
        }
        Ok(list)
    }

    /// Refuses a level where there is none to choose: AMD's extensions have some for gathers and storage images.
    fn no_level(&mut self, operands: &Operands) -> Lowered<()> {
        if operands.bias.is_some() {
            return self.missing(Refusal::Spirv, format!("with {:?}", I::BIAS));
        }
        if operands.least.is_some() {
            return self.wrong("a least level is that of samples");
        }
        let Some(level) = operands.lod else { return Ok(()) };
        let level = self.one(level)?;
        match self.code.f.const_bits(level) {
            Some(bits) if bits & 0x7fff_ffff == 0 => Ok(()),
            _ => self.missing(Refusal::Spirv, format!("with {:?}", I::LOD)),
        }
    }

    /// A constant offset in texels.
    fn texel_offset(&mut self, id: u32) -> Lowered<[i32; 3]> {
        let value = self.one(id)?;
        let Some(c) = self.code.f.as_const(value) else {
            return self.missing(Refusal::Spirv, "with an offset that is no constant");
        };
        texel_offset(c).map_or_else(|| self.wrong("an offset is from -8 to 7"), Ok)
    }

    fn is_constant(&mut self, id: u32) -> Lowered<bool> {
        let value = self.one(id)?;
        Ok(self.code.f.as_const(value).is_some())
    }

    /// Moves a place in an image by texels of its largest level, which is the one that is gathered from. Whatever is outside is
    /// wrapped behind that, as behind a constant offset.
    fn move_by_texels(&mut self, image: &Handle, id: u32, given: &mut [(TexArg, Value)]) -> Lowered<()> {
        let by = self.word(id)?;
        let level = self.code.f.iconst(Type::I32, 0);
        let size = self.query(image, TexWhat::Size, Some(level))?;
        for (_, place) in given.iter_mut().filter(|g| g.0 == TexArg::Coords) {
            let ty = self.code.f.ty(*place);
            if self.code.f.ty(by) != ty.with_scalar(ir::Scalar::I32) || self.code.f.ty(size) != self.code.f.ty(by) {
                return self.wrong("its offset does not fit the coordinate");
            }
            let (by, size) = (self.b().s2f(by, ty), self.b().u2f(size, ty));
            let step = self.b().fdiv(by, size);
            *place = self.b().fadd(*place, step);
        }
        Ok(())
    }

    /// The value of a float operand; an error for other types.
    pub fn float(&mut self, id: u32) -> Lowered<Value> {
        let value = self.one(id)?;
        let ty = self.code.f.ty(value);
        match ty.scalar() {
            ir::Scalar::F32 => Ok(value),
            _ if ty.is_float() => Ok(self.b().f2f(value, ty.with_scalar(ir::Scalar::F32))),
            _ => self.wrong(format!("%{id} is no float")),
        }
    }

    /// The value of an integer operand; an error for other types.
    pub fn word(&mut self, id: u32) -> Lowered<Value> {
        let value = self.one(id)?;
        if !self.code.f.ty(value).is_int() {
            return self.wrong(format!("%{id} is no integer"));
        }
        let signed = self.ty_of(id).is_ok_and(|ty| self.m.types.is_signed(ty));
        let ty = self.code.f.ty(value);
        Ok(if ty.bits() < 32 { self.code.resize(value, ir::Scalar::I32, signed) } else { self.code.as_i32(value) })
    }

    pub fn lanes_of(&mut self, value: Value, from: u32, n: u32) -> Lowered<Value> {
        if from + n > self.code.f.ty(value).lanes() {
            return self.wrong("its coordinate has too few components");
        }
        let lanes: Vec<Value> = (from..from + n).map(|k| self.code.extract(value, k)).collect();
        Ok(self.code.compose(&lanes))
    }

    /// Whether a texture or an image answers what is asked. Texels of several samples are fetched one by one, those of cubes sampled.
    fn answers(&self, op: Ir, tex: Tex) -> Lowered<()> {
        let (kind, desc) = (self.m.out.resources[tex.texture].kind, tex.desc);
        let what = desc.what();
        let Some((dim, arrayed, multisampled, _)) = kind.texels() else { return self.broken("an image of no texels") };
        let asked = match what {
            TexWhat::Fetch => dim != TexDim::Cube,
            TexWhat::Gather => !multisampled && matches!(dim, TexDim::D2 | TexDim::Cube),
            TexWhat::Sample | TexWhat::Lod | TexWhat::Levels => !multisampled,
            _ => true,
        };
        let same =
            desc.is_query() || (desc.layer() != TexLayer::None) == arrayed && (desc.multisampled() == multisampled);
        let stored = matches!(op, Ir::ImageLoad | Ir::ImageStore | Ir::ImageAtomic);
        let used = desc.is_query() || stored != kind.is_sampled();
        if asked && same && used && desc.dim() == dim && desc.fits(op) {
            return Ok(());
        }
        self.wrong("it asks what its image does not answer")
    }

    /// Emits a texture instruction.
    fn emit_tex(&mut self, op: Ir, given: &[(TexArg, Value)], tex: Tex) -> Lowered<Value> {
        self.answers(op, tex)?;
        self.ask(op, given, tex)
    }

    fn sample(&mut self, inst: &Inst, [dref, proj, implicit]: [bool; 3]) -> Lowered<Val> {
        let o = self.m.m.operands(inst);
        let Val::Sampled(image, sampler) = self.val(o[0])? else {
            return self.wrong(format!("%{} is no image with a sampler", o[0]));
        };
        let operands = self.operands_of(&o[if dref { 3 } else { 2 }..])?;
        let (mut desc, mut given) = self.question(&image, &sampler, TexWhat::Sample, o[1], proj)?;
        if dref {
            let mut reference = self.float(o[2])?;
            if proj {
                let coords = self.float(o[1])?;
                let axes = desc.dim().axes();
                let q = self.lanes_of(coords, axes, 1)?;
                reference = self.b().fdiv(reference, q);
            }
            desc = desc.with_shadow(true);
            given.push((TexArg::Reference, reference));
        }
        if let Some(id) = operands.offset {
            desc = desc.with_offset(self.texel_offset(id)?);
        }
        let lod = match (implicit, operands.bias, operands.lod, operands.grad) {
            (true, Some(bias), None, None) => {
                given.push((TexArg::Level, self.float(bias)?));
                TexLod::Bias
            }
            (true, None, None, None) => TexLod::Implicit,
            (false, None, Some(level), None) => {
                let level = self.float(level)?;
                match self.code.f.const_bits(level) {
                    Some(bits) if bits & 0x7fff_ffff == 0 => TexLod::Zero,
                    _ => {
                        given.push((TexArg::Level, level));
                        TexLod::Level
                    }
                }
            }
            (false, None, None, Some((x, y))) => {
                for (arg, id) in [(TexArg::Ddx, x), (TexArg::Ddy, y)] {
                    let slope = self.float(id)?;
                    given.push((arg, self.of_extent(&image, slope)?));
                }
                TexLod::Gradients
            }
            _ => return self.wrong("its level operands do not fit"),
        };
        if implicit {
            self.implicit_level()?;
        }
        let lod = match operands.least {
            None => lod,
            Some(_) if !implicit || dref => {
                return self.missing(Refusal::Spirv, format!("with {:?} and gradients or a comparison", I::MIN_LOD));
            }
            Some(id) => {
                let least = self.float(id)?;
                self.at_least(&image, &sampler, &mut given, least)?;
                TexLod::Level
            }
        };
        desc = desc.with_lod(lod);
        let op = if matches!(lod, TexLod::Implicit | TexLod::Bias) { Ir::Sample } else { Ir::Tex };
        self.sampled(inst, op, desc, &given, &image, &sampler)
    }

    fn implicit_level(&self) -> Lowered<()> {
        match self.stage.as_ref().map(|s| s.kind) {
            Some(ir::Stage::Compute) => {
                self.missing(Refusal::Spirv, "with the level of its neighbours in a compute entry point")
            }
            Some(ir::Stage::Vertex) => self.wrong("fragments alone have an implicit level"),
            _ => Ok(()),
        }
    }

    /// A descriptor with the coordinates, the layer and the indices of arrays.
    fn question(
        &mut self,
        image: &Handle,
        sampler: &Handle,
        what: TexWhat,
        coords: u32,
        proj: bool,
    ) -> Lowered<Question> {
        let ty = self.image_ty(image)?;
        let span = self.m.handles[image.variable].span;
        let dim = self.m.dim(ty, span)?;
        let (mut desc, mut given) = question(what, dim, ty.multisampled, [image.index, sampler.index]);
        let all = self.float(coords)?;
        let axes = dim.axes();
        let mut place = self.lanes_of(all, 0, axes)?;
        if proj {
            let q = self.lanes_of(all, axes, 1)?;
            let q = self.code.like(q, Type::F32.with_lanes(axes));
            place = self.b().fdiv(place, q);
        }
        let place = self.of_extent(image, place)?;
        given.push((TexArg::Coords, place));
        if ty.arrayed {
            desc = desc.with_layer(TexLayer::Float);
            given.push((TexArg::Layer, self.lanes_of(all, axes, 1)?));
        }
        Ok((desc, given))
    }

    /// A place or a slope as a part of the image, where it is counted in texels.
    fn of_extent(&mut self, image: &Handle, value: Value) -> Lowered<Value> {
        if self.image_ty(image)?.dim != Dim::DimRect {
            return Ok(value);
        }
        let level = self.code.f.iconst(Type::I32, 0);
        let size = self.query(image, TexWhat::Size, Some(level))?;
        let ty = self.code.f.ty(value);
        if self.code.f.ty(size).lanes() != ty.lanes() {
            return self.wrong("a place in a rectangle has two components");
        }
        let size = self.b().u2f(size, ty);
        Ok(self.b().fdiv(value, size))
    }

    /// Gives the level that the neighbours ask for, with their bias, or a greater one.
    fn at_least(
        &mut self,
        image: &Handle,
        sampler: &Handle,
        given: &mut Vec<(TexArg, Value)>,
        least: Value,
    ) -> Lowered<()> {
        let span = self.m.handles[image.variable].span;
        let ty = self.image_ty(image)?;
        let dim = self.m.dim(ty, span)?;
        let mut desc = question(TexWhat::Lod, dim, false, [image.index, sampler.index]).0.with_lod(TexLod::Implicit);
        if ty.arrayed {
            desc = desc.with_layer(TexLayer::Float);
        }
        let bias = given.iter().position(|g| g.0 == TexArg::Level).map(|k| given.remove(k).1);
        let texture = self.m.handle_resource(image, Role::Texture(false), false)?;
        let with = self.m.handle_resource(sampler, Role::Sampler(false), false)?;
        let asked = self.emit_tex(Ir::Sample, given, Tex::new(texture, desc).with(with))?;
        let mut level = self.code.extract(asked, 1);
        if let Some(bias) = bias {
            level = self.b().fadd(level, bias);
        }
        let level = self.b().fmax(level, least);
        given.push((TexArg::Level, level));
        Ok(())
    }

    fn sampled(
        &mut self,
        inst: &Inst,
        op: Ir,
        desc: TexDesc,
        given: &[(TexArg, Value)],
        image: &Handle,
        sampler: &Handle,
    ) -> Lowered<Val> {
        let shadow = desc.shadow();
        let texture = self.m.handle_resource(image, Role::Texture(shadow), false)?;
        let with = self.m.handle_resource(sampler, Role::Sampler(shadow), false)?;
        let value = self.emit_tex(op, given, Tex::new(texture, desc).with(with))?;
        self.texel(inst, value)
    }

    /// A result as the type of the instruction says: all components, or the first ones.
    fn texel(&mut self, inst: &Inst, value: Value) -> Lowered<Val> {
        let want = self.result_leaf(inst)?;
        let have = self.code.f.ty(value);
        let value = if want.lanes() < have.lanes() { self.lanes_of(value, 0, want.lanes())? } else { value };
        let have = self.code.f.ty(value);
        if have != want && have.is_float() && want.is_float() && have.lanes() == want.lanes() {
            return Ok(Val::One(self.b().f2f(value, want)));
        }
        if have != want && have.is_int() && want.is_int() && want.bits() < 32 && have.lanes() == want.lanes() {
            return Ok(Val::One(self.b().trunc(value, want)));
        }
        Ok(Val::One(value))
    }

    fn gather(&mut self, inst: &Inst) -> Lowered<Val> {
        let o = self.m.m.operands(inst);
        let Val::Sampled(image, sampler) = self.val(o[0])? else {
            return self.wrong(format!("%{} is no image with a sampler", o[0]));
        };
        if self.result_leaf(inst)?.lanes() != 4 {
            return self.wrong("it gives four components");
        }
        let dref = inst.op == Op::ImageDrefGather;
        let operands = self.operands_of(&o[3..])?;
        self.no_level(&operands)?;
        let (mut desc, mut given) = self.question(&image, &sampler, TexWhat::Gather, o[1], false)?;
        if dref {
            desc = desc.with_shadow(true);
            given.push((TexArg::Reference, self.float(o[2])?));
        } else {
            match self.number(o[2])? {
                n @ 0..=3 => desc = desc.with_component(n as u8),
                n => return self.wrong(format!("there is no component {n}")),
            }
        }
        match operands.offset {
            Some(id) if self.is_constant(id)? => desc = desc.with_offset(self.texel_offset(id)?),
            Some(id) => self.move_by_texels(&image, id, &mut given)?,
            None => {}
        }
        let Some(list) = operands.offsets else {
            return self.sampled(inst, Ir::Tex, desc, &given, &image, &sampler);
        };
        // Of each offset the texel at the lower left is wanted, which is the last of four.
        let Val::Parts(list) = self.val(list)? else { return self.wrong("its offsets are no array") };
        let mut lanes = Vec::new();
        for offset in list.iter() {
            let offset = self.single(offset)?;
            let Some(c) = self.code.f.as_const(offset) else {
                return self.missing(Refusal::Spirv, "with offsets that are no constants");
            };
            let Some(parts) = texel_offset(c) else { return self.wrong("an offset is from -8 to 7") };
            let four = self.sampled(inst, Ir::Tex, desc.with_offset(parts), &given, &image, &sampler)?;
            let four = self.single(&four)?;
            lanes.push(self.code.extract(four, 3));
        }
        if lanes.len() != 4 {
            return self.wrong("its offsets are not four");
        }
        Ok(Val::One(self.code.compose(&lanes)))
    }

    /// The whole texels that a coordinate names.
    fn place_of(&mut self, image: &Handle, what: TexWhat, id: u32) -> Lowered<Question> {
        let ty = self.image_ty(image)?;
        let span = self.m.handles[image.variable].span;
        let dim = self.m.dim(ty, span)?;
        let (mut desc, mut given) = question(what, dim, ty.multisampled, [image.index, None]);
        let mut all = self.word(id)?;
        if ty.dim == Dim::DimSubpassData {
            all = self.own_pixel(all)?;
        }
        if ty.is_rows() {
            all = self.in_rows(all)?;
        }
        given.push((TexArg::Coords, self.lanes_of(all, 0, dim.axes())?));
        if ty.arrayed {
            let coords = self.ty_of(id)?;
            let layer = if self.m.types.is_signed(coords) { TexLayer::Signed } else { TexLayer::Unsigned };
            desc = desc.with_layer(layer);
            given.push((TexArg::Layer, self.lanes_of(all, dim.axes(), 1)?));
        }
        Ok((desc, given))
    }

    /// The pixel of the fragment, moved.
    fn own_pixel(&mut self, by: Value) -> Lowered<Value> {
        if self.stage.as_ref().is_some_and(|s| !s.is_fragment()) {
            return self.wrong("fragments alone have input attachments");
        }
        let at = self.b().sysval(ir::Sysval::FragCoord);
        let at = self.lanes_of(at, 0, 2)?;
        let two = Type::I32.with_lanes(2);
        let at = self.b().f2s(at, two);
        if self.code.f.ty(by) != two {
            return self.wrong("its coordinate has other than two components");
        }
        Ok(self.b().iadd(at, by))
    }

    fn fetch(&mut self, inst: &Inst) -> Lowered<Val> {
        let o = self.m.m.operands(inst);
        let image = self.image(o[0])?;
        let operands = self.operands_of(&o[2..])?;
        if self.buffer_of(&image).is_some() {
            let texel = self.load_texel(&image, o[1])?;
            return self.texel(inst, texel);
        }
        let storage = self.image_ty(&image)?.storage;
        if storage {
            self.no_level(&operands)?;
        }
        let what = if storage { TexWhat::Load } else { TexWhat::Fetch };
        let (mut desc, mut given) = self.place_of(&image, what, o[1])?;
        match operands.offset {
            Some(id) if self.is_constant(id)? => desc = desc.with_offset(self.texel_offset(id)?),
            Some(id) => {
                let by = self.word(id)?;
                for (_, place) in given.iter_mut().filter(|g| g.0 == TexArg::Coords) {
                    if self.code.f.ty(by) != self.code.f.ty(*place) {
                        return self.wrong("its offset does not fit the coordinate");
                    }
                    *place = self.b().iadd(*place, by);
                }
            }
            None => {}
        }
        let role = if storage { Role::Image } else { self.m.texture_role(&image, false) };
        if operands.least.is_some() {
            return self.wrong("a least level is that of samples");
        }
        if !storage {
            match (desc.multisampled(), operands.sample, operands.lod) {
                (true, Some(sample), _) => given.push((TexArg::Level, self.word(sample)?)),
                (true, None, _) => return self.wrong("it has no sample"),
                (false, _, Some(level)) => {
                    given.push((TexArg::Level, self.word(level)?));
                    desc = desc.with_lod(TexLod::Level);
                }
                (false, _, None) => {
                    // Level 0.
                    let zero = self.code.f.iconst(Type::I32, 0);
                    given.push((TexArg::Level, zero));
                    desc = desc.with_lod(TexLod::Level);
                }
            }
        }
        let texture = self.m.handle_resource(&image, role, false)?;
        let op = if storage { Ir::ImageLoad } else { Ir::Tex };
        let value = self.emit_tex(op, &given, Tex::new(texture, desc))?;
        self.texel(inst, value)
    }

    fn image_write(&mut self, inst: &Inst) -> Lowered<Val> {
        let o = self.m.m.operands(inst);
        let image = self.image(o[0])?;
        let operands = self.operands_of(&o[3..])?;
        self.no_level(&operands)?;
        if !self.image_ty(&image)?.storage {
            return self.wrong("it writes an image that is only sampled");
        }
        if let Some(places) = self.buffer_of(&image) {
            if !places.iter().all(|p| matches!(*p, ir::Place::Buffer(r) if self.m.out.resources[r].kind.is_writable()))
            {
                return self.wrong("it writes an image that is only read");
            }
            let value = self.one(o[2])?;
            let lane = if self.code.f.ty(value).is_float() { Type::F32 } else { Type::I32 };
            let value = self.four(o[2], lane)?;
            self.store_texel(&image, o[1], value)?;
            return Ok(Val::Void);
        }
        let (desc, mut given) = self.place_of(&image, TexWhat::Store, o[1])?;
        let texture = self.m.handle_resource(&image, Role::Image, false)?;
        let kind = self.m.out.resources[texture].kind;
        if !kind.is_writable() {
            return self.wrong("it writes an image that is only read");
        }
        let lane = kind.texels().map_or(Type::F32, |t| t.3);
        let value = self.four(o[2], lane)?;
        given.push((TexArg::Value, value));
        self.answers(Ir::ImageStore, Tex::new(texture, desc))?;
        let args = self.tex_operands(desc, &given)?;
        self.b().image_store(&args, Tex::new(texture, desc));
        Ok(Val::Void)
    }

    /// A texel to be written: four components of the type that the image has.
    fn four(&mut self, id: u32, lane: Type) -> Lowered<Value> {
        let value = self.one(id)?;
        let ty = self.code.f.ty(value);
        if ty.is_float() != lane.is_float() || ty.is_bool() {
            return self.wrong("its texel does not fit the image");
        }
        let value = match (ty.bits() == 32, ty.is_float()) {
            (true, _) => value,
            (false, true) => self.b().f2f(value, ty.with_scalar(lane.scalar())),
            (false, false) => {
                let signed = self.ty_of(id).is_ok_and(|t| self.m.types.is_signed(t));
                self.code.resize(value, lane.scalar(), signed)
            }
        };
        let zero = self.code.f.zero(lane);
        let n = self.code.f.ty(value).lanes();
        if n == 4 {
            return Ok(value);
        }
        let part = |cx: &mut Self, k| if n == 1 { value } else { cx.code.extract(value, k) };
        let lanes: Vec<Value> = (0..4).map(|k| if k < n { part(self, k) } else { zero }).collect();
        Ok(self.code.compose(&lanes))
    }

    fn query(&mut self, image: &Handle, what: TexWhat, level: Option<Value>) -> Lowered<Value> {
        let ty = self.image_ty(image)?;
        let span = self.m.handles[image.variable].span;
        let dim = self.m.dim(ty, span)?;
        let (mut desc, mut given) = question(what, dim, ty.multisampled, [image.index, None]);
        if let Some(level) = level {
            given.push((TexArg::Level, level));
            desc = desc.with_lod(TexLod::Level);
        }
        let role = self.m.texture_role(image, ty.storage);
        let texture = self.m.handle_resource(image, role, false)?;
        self.emit_tex(Ir::TexQuery, &given, Tex::new(texture, desc))
    }

    /// The extent, and behind it the layers.
    fn size(&mut self, inst: &Inst) -> Lowered<Val> {
        let o = self.m.m.operands(inst);
        let image = self.image(o[0])?;
        let ty = self.image_ty(&image)?;
        let level = match o.get(1) {
            Some(&id) => Some(self.word(id)?),
            None => None,
        };
        let extent = match self.buffer_of(&image) {
            Some(_) => self.count_texels(&image)?,
            None => self.query(&image, TexWhat::Size, level)?,
        };
        let extent = if ty.is_rows() { self.count_rows(extent) } else { extent };
        let value = if ty.arrayed && ty.faces != Some(false) {
            let mut layers = self.query(&image, TexWhat::Layers, None)?;
            if ty.faces.is_some() {
                let six = self.code.f.iconst(Type::I32, 6);
                layers = self.b().udiv(layers, six);
            }
            let n = self.code.f.ty(extent).lanes();
            let mut lanes: Vec<Value> = (0..n).map(|k| self.code.extract(extent, k)).collect();
            lanes.push(layers);
            self.code.compose(&lanes)
        } else {
            extent
        };
        let want = self.result_leaf(inst)?;
        if want.lanes() != self.code.f.ty(value).lanes() || !want.is_int() {
            return self.wrong("its type does not fit the image");
        }
        Ok(Val::One(self.code.resize(value, want.scalar(), false)))
    }

    fn query_lod(&mut self, inst: &Inst) -> Lowered<Val> {
        let o = self.m.m.operands(inst);
        let Val::Sampled(image, sampler) = self.val(o[0])? else {
            return self.wrong(format!("%{} is no image with a sampler", o[0]));
        };
        self.implicit_level()?;
        let ty = self.image_ty(&image)?;
        let all = self.float(o[1])?;
        let lanes = self.code.f.ty(all).lanes();
        // The layer, which a coordinate of a query lacks, has no part in it.
        let padded = if ty.arrayed {
            let mut list: Vec<Value> = (0..lanes).map(|k| self.code.extract(all, k)).collect();
            list.push(self.code.f.zero(Type::F32));
            list
        } else {
            Vec::new()
        };
        let span = self.m.handles[image.variable].span;
        let dim = self.m.dim(ty, span)?;
        let (mut desc, mut given) = question(TexWhat::Lod, dim, false, [image.index, sampler.index]);
        desc = desc.with_lod(TexLod::Implicit);
        given.push((TexArg::Coords, self.lanes_of(all, 0, dim.axes())?));
        if let Some(&layer) = padded.last() {
            desc = desc.with_layer(TexLayer::Float);
            given.push((TexArg::Layer, layer));
        }
        let texture = self.m.handle_resource(&image, Role::Texture(false), false)?;
        let with = self.m.handle_resource(&sampler, Role::Sampler(false), false)?;
        let value = self.emit_tex(Ir::Sample, &given, Tex::new(texture, desc).with(with))?;
        self.texel(inst, value)
    }

    fn texel_pointer(&mut self, inst: &Inst) -> Lowered<Val> {
        let o = self.m.m.operands(inst);
        let Val::Handle(image) = self.val(o[0])? else { return self.wrong(format!("%{} is no image", o[0])) };
        if !matches!(self.m.types.kind(image.ty), Kind::Image(ty) if ty.storage) {
            return self.wrong(format!("%{} is no storage image", o[0]));
        }
        if self.buffer_of(&image).is_some() {
            let ty = self.m.types.of(inst.ty, inst)?;
            let (_, to) = self.m.pointee(ty, inst)?;
            return self.texel_word(&image, o[1], to);
        }
        let (desc, given) = self.place_of(&image, TexWhat::Atomic, o[1])?;
        Ok(Val::Texel(Rc::new(Texel { image, desc, given })))
    }

    /// An atomic on a texel.
    pub fn texel_atomic(&mut self, inst: &Inst, texel: &Texel, op: Option<AtomicOp>) -> Lowered<Val> {
        let o = self.m.m.operands(inst);
        // A load changes no bit, a store does not ask what there was.
        let compares = inst.op == Op::AtomicCompareExchange;
        let op = match (op, inst.op) {
            (Some(op), _) => op,
            (None, Op::AtomicLoad) => AtomicOp::Or,
            (None, Op::AtomicStore | Op::AtomicCompareExchange) => AtomicOp::Exchange,
            _ => return self.missing(Refusal::AtomicTypes, "of a texel"),
        };
        let texture = self.m.handle_resource(&texel.image, Role::Image, true)?;
        // The value and the one expected stand behind two semantics.
        let value = match o.get(if compares { 4 } else { 3 }) {
            Some(&id) => self.one(id)?,
            None if inst.op == Op::AtomicLoad => self.code.f.iconst(Type::I32, 0),
            None => self.code.f.iconst(Type::I32, 1),
        };
        if self.code.f.ty(value) != Type::I32 {
            return self.missing(Refusal::AtomicTypes, "of a texel of a float or of 64 bits");
        }
        let mut given = texel.given.clone();
        given.push((TexArg::Value, value));
        let desc = texel.desc.with_shadow(compares);
        if compares {
            given.push((TexArg::Reference, self.one(o[5])?));
        }
        let tex = Tex::new(texture, desc);
        self.answers(Ir::ImageAtomic, tex)?;
        let args = self.tex_operands(desc, &given)?;
        let old = self.b().image_atomic(op, &args, tex, Type::I32);
        Ok(if inst.op == Op::AtomicStore { Val::Void } else { Val::One(old) })
    }
}
