//! Textures, samplers and images: declarations and the functions on them.

use super::Lowered;
use super::func::FuncCx;
use super::types::Gap;
use super::value::Val;
use gpucc_ir as ir;
use gpucc_pipeline::Format;
use ir::{AtomicOp, ImageAccess, Op, Refusal, Res, ResourceKind, Scalar, Tex, TexArg, TexClass, TexDesc, TexDim};
use ir::{TexLayer, TexLod, TexWhat, Type, Value};
use naga::{Expression, Handle, ImageClass, ImageDimension, SampleLevel, ScalarKind, TypeInner};

/// A texture or sampler: which resource, and which element of an array of them.
#[derive(Debug, Clone, Copy)]
pub struct Binding {
    /// The resource, or the array of them.
    pub res: Res,
    /// The element, if it is an array.
    pub index: Option<Value>,
}

/// The binding that a type of handles has; `None` if it is none.
pub fn resource_kind(inner: &TypeInner) -> Option<Result<ResourceKind, Gap>> {
    let textures = |what| Err(Gap(Some(Refusal::TexelTypes), what));
    Some(match *inner {
        TypeInner::Sampler { comparison } => Ok(ResourceKind::Sampler { comparison }),
        TypeInner::Image { dim, arrayed, class } => {
            let dim = dimension(dim);
            match class {
                ImageClass::Sampled { kind, multi } => match kind {
                    ScalarKind::Float => Ok(TexClass::Float),
                    ScalarKind::Sint => Ok(TexClass::Sint),
                    ScalarKind::Uint => Ok(TexClass::Uint),
                    _ => return Some(textures("textures of other texels than floats and integers")),
                }
                .map(|class| ResourceKind::Texture { dim, arrayed, multisampled: multi, class }),
                ImageClass::Depth { multi } => {
                    Ok(ResourceKind::Texture { dim, arrayed, multisampled: multi, class: TexClass::Depth })
                }
                ImageClass::External => {
                    Ok(ResourceKind::Texture { dim, arrayed, multisampled: false, class: TexClass::External })
                }
                ImageClass::Storage { format, access } => {
                    let access = match access {
                        a if a.contains(naga::StorageAccess::ATOMIC) => ImageAccess::Atomic,
                        a if a.contains(naga::StorageAccess::LOAD | naga::StorageAccess::STORE) => {
                            ImageAccess::ReadWrite
                        }
                        a if a.contains(naga::StorageAccess::STORE) => ImageAccess::Write,
                        _ => ImageAccess::Read,
                    };
                    match storage_format(format) {
                        Some(format) => Ok(ResourceKind::StorageTexture { dim, arrayed, format, access }),
                        None => textures("images of 64-bit texels"),
                    }
                }
            }
        }
        _ => return None,
    })
}

fn dimension(dim: ImageDimension) -> TexDim {
    match dim {
        ImageDimension::D1 => TexDim::D1,
        ImageDimension::D2 => TexDim::D2,
        ImageDimension::D3 => TexDim::D3,
        ImageDimension::Cube => TexDim::Cube,
    }
}

/// The format of WebGPU's name: naga's names are the same words with capitals.
fn storage_format(format: naga::StorageFormat) -> Option<Format> {
    if format == naga::StorageFormat::R64Uint {
        return None;
    }
    Format::parse(&format!("{format:?}").to_lowercase()).ok()
}

impl FuncCx<'_, '_> {
    /// The resource that an expression names.
    fn handle(&mut self, expression: Handle<Expression>) -> Lowered<Binding> {
        match self.value(expression)? {
            Val::Handle(binding) => Ok(binding),
            _ => self.broken("a value where a texture or sampler is wanted"),
        }
    }

    /// The descriptor of a question to a texture, with its dimension and samples.
    fn question(&self, what: TexWhat, texture: Binding) -> Lowered<(TexDesc, ResourceKind)> {
        let kind = self.m.out.resources[texture.res].kind;
        let Some((dim, _, multisampled, _)) = kind.texels() else { return self.broken("a sampler for a texture") };
        let desc =
            TexDesc::new(what, dim).with_multisampled(multisampled).with_texture_indexed(texture.index.is_some());
        Ok((desc, kind))
    }

    /// The layer as an operand, and how it counts.
    fn layer(&mut self, index: Option<Handle<Expression>>, desc: TexDesc) -> Lowered<(TexDesc, Option<Value>)> {
        let Some(index) = index else { return Ok((desc, None)) };
        if let Some(float) = self.cut(index)? {
            let value = self.float(float)?;
            let value = self.b().fround_even(value);
            return Ok((desc.with_layer(TexLayer::Signed), Some(self.b().f2s(value, Type::I32))));
        }
        let signed = super::types::lane_scalar(self.expr_ty(index)?).is_some_and(|s| s.kind == ScalarKind::Sint);
        let value = self.one(index)?;
        let value = self.as_i32(value);
        let layer = if signed { TexLayer::Signed } else { TexLayer::Unsigned };
        Ok((desc.with_layer(layer), Some(value)))
    }

    /// The float of which an index or a level is the integer part where the source gave the float: the readers of SPIR-V and GLSL cut what
    /// WGSL has as an integer. Layers are rounded there, and levels are not cut.
    fn cut(&mut self, expression: Handle<Expression>) -> Lowered<Option<Handle<Expression>>> {
        if self.m.is_wgsl() {
            return Ok(None);
        }
        let Expression::As { expr, kind: ScalarKind::Sint, convert: Some(4) } =
            self.current().function.expressions[expression]
        else {
            return Ok(None);
        };
        let float = super::types::lane_scalar(self.expr_ty(expr)?).is_some_and(|s| s.kind == ScalarKind::Float);
        Ok(float.then_some(expr))
    }

    /// A float operand; depth textures take their level as an integer.
    fn float(&mut self, expression: Handle<Expression>) -> Lowered<Value> {
        let signed = super::types::lane_scalar(self.expr_ty(expression)?).is_some_and(|s| s.kind == ScalarKind::Sint);
        let value = self.one(expression)?;
        let ty = self.f.ty(value);
        Ok(match ty.scalar() {
            Scalar::F32 => value,
            _ if ty.is_float() => self.b().f2f(value, ty.with_scalar(Scalar::F32)),
            _ if signed => self.b().s2f(value, ty.with_scalar(Scalar::F32)),
            _ => self.b().u2f(value, ty.with_scalar(Scalar::F32)),
        })
    }

    /// The operands that a descriptor asks for, in its order.
    fn operands(&self, desc: TexDesc, given: &[(TexArg, Value)]) -> Lowered<Vec<Value>> {
        let find = |arg: TexArg| given.iter().find(|g| g.0 == arg).map(|g| g.1);
        match desc.args().into_iter().map(find).collect::<Option<Vec<_>>>() {
            Some(args) => Ok(args),
            None => self.broken("a texture function without an operand"),
        }
    }

    /// The result of a function on a depth texture is the one value it has.
    fn depth_value(&mut self, value: Value, kind: ResourceKind) -> Value {
        let depth = matches!(kind, ResourceKind::Texture { class: TexClass::Depth, .. });
        if depth { self.b().extract(value, 0) } else { value }
    }

    /// `textureSample` and its like, and `textureGather`.
    pub fn image_sample(&mut self, expression: &Expression) -> Lowered<Val> {
        let &Expression::ImageSample {
            image,
            sampler,
            gather,
            coordinate,
            array_index,
            offset,
            level,
            depth_ref,
            clamp_to_edge,
        } = expression
        else {
            return self.broken("another expression than a sample");
        };
        let (texture, sampler) = (self.handle(image)?, self.handle(sampler)?);
        let what = if gather.is_some() { TexWhat::Gather } else { TexWhat::Sample };
        let (desc, kind) = self.question(what, texture)?;
        let mut given: Vec<(TexArg, Value)> = vec![(TexArg::Coords, self.float(coordinate)?)];
        let (mut desc, layer) = self.layer(array_index, desc)?;
        given.extend(layer.map(|v| (TexArg::Layer, v)));
        if let Some(reference) = depth_ref {
            desc = desc.with_shadow(true);
            given.push((TexArg::Reference, self.float(reference)?));
        }
        if let Some(component) = gather {
            desc = desc.with_component(component as u8);
        }
        if let Some(offset) = offset {
            desc = desc.with_offset(self.offset(offset)?);
        }
        let lod = match level {
            _ if gather.is_some() || clamp_to_edge => TexLod::Zero,
            SampleLevel::Auto => TexLod::Implicit,
            SampleLevel::Zero => TexLod::Zero,
            SampleLevel::Exact(level) => {
                let level = self.cut(level)?.unwrap_or(level);
                given.push((TexArg::Level, self.float(level)?));
                TexLod::Level
            }
            SampleLevel::Bias(bias) => {
                given.push((TexArg::Level, self.float(bias)?));
                TexLod::Bias
            }
            SampleLevel::Gradient { x, y } => {
                given.push((TexArg::Ddx, self.float(x)?));
                given.push((TexArg::Ddy, self.float(y)?));
                TexLod::Gradients
            }
        };
        desc = desc.with_lod(lod).with_base_clamp(clamp_to_edge).with_sampler_indexed(sampler.index.is_some());
        given.extend(texture.index.map(|v| (TexArg::TextureIndex, v)));
        given.extend(sampler.index.map(|v| (TexArg::SamplerIndex, v)));
        let op = if matches!(lod, TexLod::Implicit | TexLod::Bias) { Op::Sample } else { Op::Tex };
        let args = self.operands(desc, &given)?;
        let value = self.emit_tex(op, &args, Tex::new(texture.res, desc).with(sampler.res), kind)?;
        let scalar = desc.shadow() || gather.is_some();
        Ok(Val::One(if scalar { value } else { self.depth_value(value, kind) }))
    }

    /// Emits a texture instruction.
    fn emit_tex(&mut self, op: Op, args: &[Value], tex: Tex, kind: ResourceKind) -> Lowered<Value> {
        let lane = kind.texels().map_or(Type::F32, |t| t.3);
        let Some(ty) = tex.desc.result_type(lane) else { return self.broken("a texture function without a result") };
        Ok(self.b().tex(op, args, tex, ty))
    }

    /// A constant offset in texels.
    fn offset(&mut self, offset: Handle<Expression>) -> Lowered<[i32; 3]> {
        let value = self.one(offset)?;
        let Some(c) = self.f.as_const(value) else { return self.broken("an offset that is not a constant") };
        let mut parts = [0; 3];
        for (to, &bits) in parts.iter_mut().zip(&c.bits) {
            *to = bits as u32 as i32;
        }
        if parts.iter().any(|p| !(-8..8).contains(p)) {
            let message = "an offset of a texture function is from -8 to 7";
            return Err(ir::Diagnostic::invalid("validation", message).at(self.span(), "here"));
        }
        Ok(parts)
    }

    /// `textureLoad`, of textures and of images.
    pub fn image_load(&mut self, expression: &Expression) -> Lowered<Val> {
        let &Expression::ImageLoad { image, coordinate, array_index, sample, level } = expression else {
            return self.broken("another expression than a load");
        };
        let texture = self.handle(image)?;
        let sampled = self.m.out.resources[texture.res].kind.is_sampled();
        let what = if sampled { TexWhat::Fetch } else { TexWhat::Load };
        let (desc, kind) = self.question(what, texture)?;
        let coords = self.one(coordinate)?;
        let mut given = vec![(TexArg::Coords, self.as_i32(coords))];
        let (mut desc, layer) = self.layer(array_index, desc)?;
        given.extend(layer.map(|v| (TexArg::Layer, v)));
        if let Some(level) = level.or(sample).filter(|_| sampled) {
            let level = self.one(level)?;
            given.push((TexArg::Level, self.as_i32(level)));
            if sample.is_none() {
                desc = desc.with_lod(TexLod::Level);
            }
        }
        given.extend(texture.index.map(|v| (TexArg::TextureIndex, v)));
        let args = self.operands(desc, &given)?;
        let op = if sampled { Op::Tex } else { Op::ImageLoad };
        let value = self.emit_tex(op, &args, Tex::new(texture.res, desc), kind)?;
        Ok(Val::One(self.depth_value(value, kind)))
    }

    /// `textureDimensions` and its like.
    pub fn image_query(&mut self, image: Handle<Expression>, query: naga::ImageQuery) -> Lowered<Val> {
        let texture = self.handle(image)?;
        let what = match query {
            naga::ImageQuery::Size { .. } => TexWhat::Size,
            naga::ImageQuery::NumLevels => TexWhat::Levels,
            naga::ImageQuery::NumLayers => TexWhat::Layers,
            naga::ImageQuery::NumSamples => TexWhat::Samples,
        };
        let (mut desc, kind) = self.question(what, texture)?;
        let mut given = Vec::new();
        if let naga::ImageQuery::Size { level: Some(level) } = query {
            let level = self.one(level)?;
            given.push((TexArg::Level, self.as_i32(level)));
            desc = desc.with_lod(TexLod::Level);
        }
        given.extend(texture.index.map(|v| (TexArg::TextureIndex, v)));
        let args = self.operands(desc, &given)?;
        self.emit_tex(Op::TexQuery, &args, Tex::new(texture.res, desc), kind).map(Val::One)
    }

    /// Lowers `textureStore` to a store of one texel.
    pub fn image_store(
        &mut self,
        image: Handle<Expression>,
        coordinate: Handle<Expression>,
        array_index: Option<Handle<Expression>>,
        value: Handle<Expression>,
    ) -> Lowered<()> {
        let texture = self.handle(image)?;
        let (desc, _) = self.question(TexWhat::Store, texture)?;
        let coords = self.one(coordinate)?;
        let mut given = vec![(TexArg::Coords, self.as_i32(coords)), (TexArg::Value, self.one(value)?)];
        let (desc, layer) = self.layer(array_index, desc)?;
        given.extend(layer.map(|v| (TexArg::Layer, v)));
        given.extend(texture.index.map(|v| (TexArg::TextureIndex, v)));
        let args = self.operands(desc, &given)?;
        self.b().image_store(&args, Tex::new(texture.res, desc));
        Ok(())
    }

    /// `textureAtomicAdd` and its like.
    pub fn image_atomic(
        &mut self,
        image: Handle<Expression>,
        coordinate: Handle<Expression>,
        array_index: Option<Handle<Expression>>,
        fun: &naga::AtomicFunction,
        value: Handle<Expression>,
    ) -> Lowered<()> {
        use naga::AtomicFunction as F;
        let texture = self.handle(image)?;
        let (desc, _) = self.question(TexWhat::Atomic, texture)?;
        let signed = super::types::lane_scalar(self.expr_ty(value)?).is_some_and(|s| s.kind == ScalarKind::Sint);
        let op = match fun {
            F::Add => AtomicOp::Add,
            F::Subtract => AtomicOp::Sub,
            F::And => AtomicOp::And,
            F::ExclusiveOr => AtomicOp::Xor,
            F::InclusiveOr => AtomicOp::Or,
            F::Min if signed => AtomicOp::SMin,
            F::Min => AtomicOp::UMin,
            F::Max if signed => AtomicOp::SMax,
            F::Max => AtomicOp::UMax,
            F::Exchange { compare: None } => AtomicOp::Exchange,
            F::Exchange { compare: Some(_) } => {
                return self.unsupported(Refusal::AtomicTypes, "compare and exchange of a texel");
            }
        };
        let coords = self.one(coordinate)?;
        let value = self.one(value)?;
        let ty = self.f.ty(value);
        if ty != Type::I32 {
            return self.unsupported(Refusal::AtomicTypes, "64-bit and float atomics");
        }
        let mut given = vec![(TexArg::Coords, self.as_i32(coords)), (TexArg::Value, value)];
        let (desc, layer) = self.layer(array_index, desc)?;
        given.extend(layer.map(|v| (TexArg::Layer, v)));
        given.extend(texture.index.map(|v| (TexArg::TextureIndex, v)));
        let args = self.operands(desc, &given)?;
        self.b().image_atomic(op, &args, Tex::new(texture.res, desc), ty);
        Ok(())
    }
}
