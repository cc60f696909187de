//! Textures, samplers and images: declarations and the functions on them.

use super::Lowered;
use super::func::FuncCx;
use super::types::Gap;
use super::value::Val;
use gpucc_frontend_common::{Memory, Question, Textures, question, texel_offset};
use gpucc_ir as ir;
use gpucc_pipeline::Format;
use ir::{ImageAccess, Op, Refusal, Res, ResourceKind, Scalar, Tex, TexArg, TexClass, TexDim};
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

    /// A question to a texture, with what the texture is.
    fn question(&self, what: TexWhat, texture: Binding, sampler: Option<Value>) -> Lowered<(Question, ResourceKind)> {
        let kind = self.m.out.resources[texture.res].kind;
        let Some((dim, _, multisampled, _)) = kind.texels() else { return self.broken("a sampler for a texture") };
        Ok((question(what, dim, multisampled, [texture.index, sampler]), kind))
    }

    /// The layer as an operand, and how it counts.
    fn layer(&mut self, index: Option<Handle<Expression>>, (desc, given): &mut Question) -> Lowered<()> {
        let Some(index) = index else { return Ok(()) };
        let (layer, value) = match self.cut(index)? {
            Some(float) => {
                let value = self.float(float)?;
                let value = self.b().fround_even(value);
                (TexLayer::Signed, self.b().f2s(value, Type::I32))
            }
            None => {
                let scalar = super::types::lane_scalar(self.expr_ty(index)?);
                let signed = scalar.is_some_and(|s| s.kind == ScalarKind::Sint);
                let value = self.one(index)?;
                (if signed { TexLayer::Signed } else { TexLayer::Unsigned }, self.as_i32(value))
            }
        };
        *desc = desc.with_layer(layer);
        given.push((TexArg::Layer, value));
        Ok(())
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
        let (mut asked, kind) = self.question(what, texture, sampler.index)?;
        asked.1.push((TexArg::Coords, self.float(coordinate)?));
        self.layer(array_index, &mut asked)?;
        let (mut desc, mut given) = asked;
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
        desc = desc.with_lod(lod).with_base_clamp(clamp_to_edge);
        let op = if matches!(lod, TexLod::Implicit | TexLod::Bias) { Op::Sample } else { Op::Tex };
        let value = self.ask(op, &given, Tex::new(texture.res, desc).with(sampler.res))?;
        let scalar = desc.shadow() || gather.is_some();
        Ok(Val::One(if scalar { value } else { self.depth_value(value, kind) }))
    }

    /// A constant offset in texels.
    fn offset(&mut self, offset: Handle<Expression>) -> Lowered<[i32; 3]> {
        let value = self.one(offset)?;
        let Some(c) = self.f.as_const(value) else { return self.broken("an offset that is not a constant") };
        texel_offset(c).ok_or_else(|| {
            let message = "an offset of a texture function is from -8 to 7";
            ir::Diagnostic::invalid("validation", message).at(self.span(), "here")
        })
    }

    /// `textureLoad`, of textures and of images.
    pub fn image_load(&mut self, expression: &Expression) -> Lowered<Val> {
        let &Expression::ImageLoad { image, coordinate, array_index, sample, level } = expression else {
            return self.broken("another expression than a load");
        };
        let texture = self.handle(image)?;
        let sampled = self.m.out.resources[texture.res].kind.is_sampled();
        let what = if sampled { TexWhat::Fetch } else { TexWhat::Load };
        let (mut asked, kind) = self.question(what, texture, None)?;
        let coords = self.one(coordinate)?;
        asked.1.push((TexArg::Coords, self.as_i32(coords)));
        self.layer(array_index, &mut asked)?;
        let (mut desc, mut given) = asked;
        if let Some(level) = level.or(sample).filter(|_| sampled) {
            let level = self.one(level)?;
            given.push((TexArg::Level, self.as_i32(level)));
            if sample.is_none() {
                desc = desc.with_lod(TexLod::Level);
            }
        }
        let op = if sampled { Op::Tex } else { Op::ImageLoad };
        let value = self.ask(op, &given, Tex::new(texture.res, desc))?;
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
        let ((mut desc, mut given), _) = self.question(what, texture, None)?;
        if let naga::ImageQuery::Size { level: Some(level) } = query {
            let level = self.one(level)?;
            given.push((TexArg::Level, self.as_i32(level)));
            desc = desc.with_lod(TexLod::Level);
        }
        self.ask(Op::TexQuery, &given, Tex::new(texture.res, desc)).map(Val::One)
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
        let (mut asked, _) = self.question(TexWhat::Store, texture, None)?;
        let coords = self.one(coordinate)?;
        asked.1.extend([(TexArg::Coords, self.as_i32(coords)), (TexArg::Value, self.one(value)?)]);
        self.layer(array_index, &mut asked)?;
        let (desc, given) = asked;
        let args = self.tex_operands(desc, &given)?;
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
        let texture = self.handle(image)?;
        let (mut asked, _) = self.question(TexWhat::Atomic, texture, None)?;
        let signed = super::types::lane_scalar(self.expr_ty(value)?).is_some_and(|s| s.kind == ScalarKind::Sint);
        let Some(op) = super::memory::atomic_op(fun, signed) else {
            return self.unsupported(Refusal::AtomicTypes, "compare and exchange of a texel");
        };
        let coords = self.one(coordinate)?;
        let value = self.one(value)?;
        let ty = self.f.ty(value);
        if ty != Type::I32 {
            return self.unsupported(Refusal::AtomicTypes, "64-bit and float atomics");
        }
        asked.1.extend([(TexArg::Coords, self.as_i32(coords)), (TexArg::Value, value)]);
        self.layer(array_index, &mut asked)?;
        let (desc, given) = asked;
        let args = self.tex_operands(desc, &given)?;
        self.b().image_atomic(op, &args, Tex::new(texture.res, desc), ty);
        Ok(())
    }
}
