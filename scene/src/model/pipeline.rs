//! Pipelines.

use gpucc_pipeline::{
    Blend, BlendComponent, BlendFactor, BlendOperation, Compare, CullMode, DepthBias, Format, FrontFace, IndexFormat,
    StencilFace, StencilOperation, StepMode, Topology, VertexFormat,
};
use serde::{Deserialize, Deserializer};

use super::Names;
use super::de;

/// A pipeline: compute or render.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "RawPipeline")]
pub enum Pipeline {
    /// A compute pipeline.
    Compute(Stage),
    /// A render pipeline.
    Render(Box<Render>),
}

/// An entry point of a shader, with its overrides.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Stage {
    /// Name of the shader.
    pub shader: String,
    /// Name of the entry point; the only one of the stage if it is left out.
    pub entry_point: Option<String>,
    /// Overrides by name, or by number as text.
    #[serde(default, deserialize_with = "de::constants")]
    pub constants: Names<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct RawPipeline {
    compute: Option<Stage>,
    vertex: Option<Vertex>,
    fragment: Option<Fragment>,
    primitive: Option<Primitive>,
    depth_stencil: Option<DepthStencil>,
    multisample: Option<Multisample>,
}

impl TryFrom<RawPipeline> for Pipeline {
    type Error = &'static str;
    fn try_from(raw: RawPipeline) -> Result<Pipeline, &'static str> {
        let RawPipeline { compute, vertex, fragment, primitive, depth_stencil, multisample } = raw;
        match (compute, vertex) {
            (Some(stage), None) => {
                let rest = [fragment.is_some(), primitive.is_some(), depth_stencil.is_some(), multisample.is_some()];
                if rest.contains(&true) {
                    return Err("a compute pipeline has no key but `compute`");
                }
                Ok(Pipeline::Compute(stage))
            }
            (None, Some(vertex)) => Ok(Pipeline::Render(Box::new(Render {
                vertex,
                fragment,
                primitive: primitive.unwrap_or_default(),
                depth_stencil,
                multisample: multisample.unwrap_or_default(),
            }))),
            _ => Err("exactly one of `compute`, `vertex` is expected"),
        }
    }
}

/// A render pipeline: its stages and their state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Render {
    /// Vertex stage and its buffers.
    pub vertex: Vertex,
    /// Fragment stage and its targets.
    pub fragment: Option<Fragment>,
    /// How vertices make primitives.
    pub primitive: Primitive,
    /// Depth and stencil, if there is an attachment.
    pub depth_stencil: Option<DepthStencil>,
    /// Samples of a pixel, and which are written.
    pub multisample: Multisample,
}

/// The vertex stage: entry, overrides and buffers.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Vertex {
    /// Name of the shader.
    pub shader: String,
    /// Name of the entry point; the only one of the stage if it is left out.
    pub entry_point: Option<String>,
    /// Overrides by name, or by number as text.
    #[serde(default, deserialize_with = "de::constants")]
    pub constants: Names<f64>,
    /// Vertex buffers by slot.
    #[serde(default, deserialize_with = "de::slots")]
    pub buffers: Vec<Option<VertexLayout>>,
}

/// The layout of a vertex buffer.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct VertexLayout {
    /// Bytes from one element to the next.
    pub array_stride: u64,
    /// The step of the element: vertex or instance.
    #[serde(default, deserialize_with = "de::word")]
    pub step_mode: StepMode,
    /// Attributes that lie in it.
    pub attributes: Vec<VertexAttribute>,
}

/// A vertex attribute: location, format and offset.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct VertexAttribute {
    /// Location in the shader.
    pub shader_location: u32,
    /// Format of the attribute in the buffer.
    #[serde(deserialize_with = "de::word")]
    pub format: VertexFormat,
    /// Offset in the element.
    pub offset: u64,
}

/// The fragment stage: entry, overrides and targets.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Fragment {
    /// Name of the shader.
    pub shader: String,
    /// Name of the entry point; the only one of the stage if it is left out.
    pub entry_point: Option<String>,
    /// Overrides by name, or by number as text.
    #[serde(default, deserialize_with = "de::constants")]
    pub constants: Names<f64>,
    /// Colour targets by their number.
    #[serde(deserialize_with = "de::slots")]
    pub targets: Vec<Option<Target>>,
}

/// A colour target: format, blending and written components.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Target {
    /// Format of the attachment's view.
    #[serde(deserialize_with = "de::word")]
    pub format: Format,
    /// Blending, if the target has any.
    #[serde(default, deserialize_with = "maybe_blend")]
    pub blend: Option<Blend>,
    /// Components that are written: red 1, green 2, blue 4, alpha 8.
    #[serde(default = "all_components")]
    pub write_mask: u32,
}

fn all_components() -> u32 {
    15
}

fn maybe_blend<'de, D: Deserializer<'de>>(d: D) -> Result<Option<Blend>, D::Error> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Raw {
        #[serde(deserialize_with = "blend_component")]
        color: BlendComponent,
        #[serde(deserialize_with = "blend_component")]
        alpha: BlendComponent,
    }
    Ok(Option::<Raw>::deserialize(d)?.map(|raw| Blend { color: raw.color, alpha: raw.alpha }))
}

fn blend_component<'de, D: Deserializer<'de>>(d: D) -> Result<BlendComponent, D::Error> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields, rename_all = "camelCase")]
    struct Raw {
        /// How the two products are joined; `add` if it is left out.
        #[serde(default, deserialize_with = "de::maybe_word")]
        operation: Option<BlendOperation>,
        /// Factor of the colour of the shader; `one` if it is left out.
        #[serde(default, deserialize_with = "de::maybe_word")]
        src_factor: Option<BlendFactor>,
        /// Factor of the colour of the target; `zero` if it is left out.
        #[serde(default, deserialize_with = "de::maybe_word")]
        dst_factor: Option<BlendFactor>,
    }
    let raw = Raw::deserialize(d)?;
    Ok(BlendComponent {
        operation: raw.operation.unwrap_or(BlendOperation::Add),
        src: raw.src_factor.unwrap_or(BlendFactor::One),
        dst: raw.dst_factor.unwrap_or(BlendFactor::Zero),
    })
}

/// How vertices make primitives.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub struct Primitive {
    /// Topology: how vertices make primitives.
    #[serde(deserialize_with = "de::word")]
    pub topology: Topology,
    /// Index format of strips.
    #[serde(deserialize_with = "de::maybe_word")]
    pub strip_index_format: Option<IndexFormat>,
    /// Winding of front faces.
    #[serde(deserialize_with = "de::word")]
    pub front_face: FrontFace,
    /// Faces that are dropped.
    #[serde(deserialize_with = "de::word")]
    pub cull_mode: CullMode,
    /// Whether depth is not clipped.
    pub unclipped_depth: bool,
}

/// Depth and stencil of a pipeline.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct DepthStencil {
    /// Format of the attachment.
    #[serde(deserialize_with = "de::word")]
    pub format: Format,
    /// Whether depths that pass are stored.
    pub depth_write_enabled: Option<bool>,
    /// Comparison of the fragment's depth with the stored one.
    #[serde(default, deserialize_with = "de::maybe_word")]
    pub depth_compare: Option<Compare>,
    /// Stencil of front faces.
    #[serde(default, deserialize_with = "stencil_face")]
    pub stencil_front: StencilFace,
    /// Stencil of back faces.
    #[serde(default, deserialize_with = "stencil_face")]
    pub stencil_back: StencilFace,
    /// Bits that are compared.
    #[serde(default = "all_bits")]
    pub stencil_read_mask: u32,
    /// Bits that are changed.
    #[serde(default = "all_bits")]
    pub stencil_write_mask: u32,
    /// Bias in units of the format.
    #[serde(default)]
    pub depth_bias: i32,
    /// Factor of the triangle's steeper slope.
    #[serde(default, deserialize_with = "de::number")]
    pub depth_bias_slope_scale: f64,
    /// Limit of the bias.
    #[serde(default, deserialize_with = "de::number")]
    pub depth_bias_clamp: f64,
}

impl Render {
    /// The state of the pipeline without its shaders and samplers.
    pub fn state(&self) -> gpucc_pipeline::Pipeline {
        let vertex = self.vertex.buffers.iter().map(|b| {
            b.as_ref().map(|b| gpucc_pipeline::VertexBuffer {
                stride: b.array_stride,
                step: b.step_mode,
                attributes: b.attributes.iter().map(VertexAttribute::state).collect(),
            })
        });
        let targets = self.fragment.iter().flat_map(|f| &f.targets).map(|t| {
            t.as_ref().map(|t| gpucc_pipeline::Target { format: t.format, write: t.write_mask as u8, blend: t.blend })
        });
        gpucc_pipeline::Pipeline {
            vertex: vertex.collect(),
            topology: self.primitive.topology,
            strip_index: self.primitive.strip_index_format,
            front_face: self.primitive.front_face,
            cull: self.primitive.cull_mode,
            unclipped_depth: self.primitive.unclipped_depth,
            targets: targets.collect(),
            depth: self.depth_stencil.as_ref().map(DepthStencil::state),
            bias: self.depth_stencil.as_ref().map(DepthStencil::bias).unwrap_or_default(),
            samples: self.multisample.count as u8,
            sample_mask: self.multisample.mask,
            alpha_to_coverage: self.multisample.alpha_to_coverage_enabled,
            ..Default::default()
        }
    }
}

impl VertexAttribute {
    fn state(&self) -> gpucc_pipeline::VertexAttribute {
        let VertexAttribute { shader_location: location, format, offset } = *self;
        gpucc_pipeline::VertexAttribute { location, format, offset }
    }
}

impl DepthStencil {
    /// The tests; a comparison that is left out always holds.
    pub fn state(&self) -> gpucc_pipeline::DepthStencil {
        gpucc_pipeline::DepthStencil {
            format: self.format,
            depth_compare: self.depth_compare.unwrap_or(Compare::Always),
            depth_write: self.depth_write_enabled.unwrap_or(false),
            front: self.stencil_front,
            back: self.stencil_back,
            read_mask: self.stencil_read_mask,
            write_mask: self.stencil_write_mask,
        }
    }

    /// The depth bias, as the rasteriser takes it.
    pub fn bias(&self) -> DepthBias {
        DepthBias {
            constant: self.depth_bias,
            slope: self.depth_bias_slope_scale as f32,
            clamp: self.depth_bias_clamp as f32,
        }
    }
}

fn all_bits() -> u32 {
    u32::MAX
}

fn stencil_face<'de, D: Deserializer<'de>>(d: D) -> Result<StencilFace, D::Error> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields, rename_all = "camelCase")]
    struct Raw {
        /// Comparison of the stencil reference with the stored value; `always` if it is left out.
        #[serde(default, deserialize_with = "de::maybe_word")]
        compare: Option<Compare>,
        /// Operation where the comparison fails; `keep` if it is left out.
        #[serde(default, deserialize_with = "de::maybe_word")]
        fail_op: Option<StencilOperation>,
        /// Operation where depth fails; `keep` if it is left out.
        #[serde(default, deserialize_with = "de::maybe_word")]
        depth_fail_op: Option<StencilOperation>,
        /// Operation where both pass; `keep` if it is left out.
        #[serde(default, deserialize_with = "de::maybe_word")]
        pass_op: Option<StencilOperation>,
    }
    let raw = Raw::deserialize(d)?;
    Ok(StencilFace {
        compare: raw.compare.unwrap_or(Compare::Always),
        fail: raw.fail_op.unwrap_or_default(),
        depth_fail: raw.depth_fail_op.unwrap_or_default(),
        pass: raw.pass_op.unwrap_or_default(),
    })
}

/// Samples of a pipeline.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub struct Multisample {
    /// Samples of a pixel.
    pub count: u32,
    /// Samples that are written.
    pub mask: u32,
    /// Whether the alpha of the first target makes a mask.
    pub alpha_to_coverage_enabled: bool,
}

impl Default for Multisample {
    fn default() -> Self {
        Multisample { count: 1, mask: u32::MAX, alpha_to_coverage_enabled: false }
    }
}
