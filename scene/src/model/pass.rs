//! Passes, draws, bindings and outputs.

use gpucc_pipeline::{Format, IndexFormat};
use serde::Deserialize;

use super::de;
use super::dimension::Dimension;
use super::resource::Immediates;

/// A pass of a scene: a dispatch, or draws.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "RawPass")]
pub enum Pass {
    /// One dispatch.
    Compute {
        /// Name of the pipeline.
        pipeline: String,
        /// Resources.
        bindings: Vec<Binding>,
        /// Immediate data.
        immediates: Option<Immediates>,
        /// Workgroups.
        dispatch: [u32; 3],
    },
    /// Draws to attachments.
    Render {
        /// Colour attachments by number.
        color_attachments: Vec<Option<ColorAttachment>>,
        /// Depth and stencil.
        depth_stencil_attachment: Option<DepthStencilAttachment>,
        /// Draws in order.
        draws: Vec<Draw>,
    },
}

#[derive(Clone, Copy)]
enum PassType {
    Compute,
    Render,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct RawPass {
    /// The kind of pass.
    #[serde(deserialize_with = "de::word")]
    r#type: PassType,
    pipeline: Option<String>,
    bindings: Option<Vec<Binding>>,
    immediates: Option<Immediates>,
    #[serde(default, deserialize_with = "de::maybe_size")]
    dispatch: Option<[u32; 3]>,
    #[serde(default, deserialize_with = "de::maybe_slots")]
    color_attachments: Option<Vec<Option<ColorAttachment>>>,
    depth_stencil_attachment: Option<DepthStencilAttachment>,
    #[serde(default, deserialize_with = "de::maybe_draws")]
    draws: Option<Vec<Draw>>,
}

/// An error for the first key that is given and does not belong here.
fn foreign<const N: usize>(what: &str, keys: [(&str, bool); N]) -> Result<(), String> {
    match keys.iter().find(|(_, is_given)| *is_given) {
        Some((key, _)) => Err(format!("{what} has no `{key}`")),
        None => Ok(()),
    }
}

impl TryFrom<RawPass> for Pass {
    type Error = String;
    fn try_from(raw: RawPass) -> Result<Pass, String> {
        match raw.r#type {
            PassType::Compute => {
                foreign(
                    "a compute pass",
                    [
                        ("colorAttachments", raw.color_attachments.is_some()),
                        ("depthStencilAttachment", raw.depth_stencil_attachment.is_some()),
                        ("draws", raw.draws.is_some()),
                    ],
                )?;
                Ok(Pass::Compute {
                    pipeline: raw.pipeline.ok_or("a compute pass needs a `pipeline`")?,
                    bindings: raw.bindings.unwrap_or_default(),
                    immediates: raw.immediates,
                    dispatch: raw.dispatch.ok_or("a compute pass needs a `dispatch`")?,
                })
            }
            PassType::Render => {
                foreign(
                    "a render pass",
                    [
                        ("pipeline", raw.pipeline.is_some()),
                        ("bindings", raw.bindings.is_some()),
                        ("immediates", raw.immediates.is_some()),
                        ("dispatch", raw.dispatch.is_some()),
                    ],
                )?;
                Ok(Pass::Render {
                    color_attachments: raw.color_attachments.unwrap_or_default(),
                    depth_stencil_attachment: raw.depth_stencil_attachment,
                    draws: raw.draws.unwrap_or_default(),
                })
            }
        }
    }
}

/// The operation on an attachment at the start of a pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum LoadOp {
    /// It keeps its contents.
    Load,
    /// It is cleared.
    #[default]
    Clear,
}

/// The operation on an attachment at the end of a pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum StoreOp {
    /// It keeps its contents.
    #[default]
    Store,
    /// It becomes zero.
    Discard,
}

de::words! {
    PassType { "compute" Compute "render" Render }
    LoadOp { "load" Load "clear" Clear }
    StoreOp { "store" Store "discard" Discard }
    Aspect { "all" All "depth-only" DepthOnly "stencil-only" StencilOnly }
}

/// A colour attachment of a render pass.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct ColorAttachment {
    /// Name of the texture.
    pub texture: String,
    /// Level of the texture, 0 if it is left out.
    #[serde(default)]
    pub mip_level: u32,
    /// Layer of the texture, 0 if it is left out.
    #[serde(default)]
    pub array_layer: u32,
    /// Layers from that one on, among which vertices choose by SPIR-V's `Layer`.
    #[serde(default = "one")]
    pub array_layer_count: u32,
    /// Slice of a 3D texture.
    pub depth_slice: Option<u32>,
    /// Format of the view; the texture's own if it is left out.
    #[serde(default, deserialize_with = "de::maybe_word")]
    pub format: Option<Format>,
    /// Where the mean of the samples goes.
    pub resolve_target: Option<ResolveTarget>,
    /// Treatment of texels at the start of the pass.
    #[serde(default, deserialize_with = "de::word")]
    pub load_op: LoadOp,
    /// Treatment of texels at the end of the pass.
    #[serde(default, deserialize_with = "de::word")]
    pub store_op: StoreOp,
    /// The colour that `clear` writes.
    #[serde(default, deserialize_with = "de::numbers")]
    pub clear_value: [f64; 4],
}

/// Where samples are resolved to.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct ResolveTarget {
    /// Name of the texture.
    pub texture: String,
    /// Level of the texture, 0 if it is left out.
    #[serde(default)]
    pub mip_level: u32,
    /// Layer of the texture, 0 if it is left out.
    #[serde(default)]
    pub array_layer: u32,
}

/// The depth-stencil attachment. Operations that are left out have their defaults where the aspect exists and is
/// written ([`DepthStencilAttachment::depth_ops`]).
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct DepthStencilAttachment {
    /// Name of the texture.
    pub texture: String,
    /// Level of the texture, 0 if it is left out.
    #[serde(default)]
    pub mip_level: u32,
    /// Layer of the texture, 0 if it is left out.
    #[serde(default)]
    pub array_layer: u32,
    /// Layers from that one on, among which vertices choose by SPIR-V's `Layer`.
    #[serde(default = "one")]
    pub array_layer_count: u32,
    /// Depth at the start of the pass.
    #[serde(default, deserialize_with = "de::maybe_word")]
    pub depth_load_op: Option<LoadOp>,
    /// Depth at the end of the pass.
    #[serde(default, deserialize_with = "de::maybe_word")]
    pub depth_store_op: Option<StoreOp>,
    /// The depth that `clear` writes.
    #[serde(default, deserialize_with = "de::maybe_number")]
    pub depth_clear_value: Option<f64>,
    /// Whether depth is only tested.
    #[serde(default)]
    pub depth_read_only: bool,
    /// Stencil at the start of the pass.
    #[serde(default, deserialize_with = "de::maybe_word")]
    pub stencil_load_op: Option<LoadOp>,
    /// Stencil at the end of the pass.
    #[serde(default, deserialize_with = "de::maybe_word")]
    pub stencil_store_op: Option<StoreOp>,
    /// The stencil value that `clear` writes.
    #[serde(default)]
    pub stencil_clear_value: u32,
    /// Whether stencil is only tested.
    #[serde(default)]
    pub stencil_read_only: bool,
}

impl DepthStencilAttachment {
    /// The operations on depth: read-only depth is loaded and kept.
    pub fn depth_ops(&self) -> (LoadOp, StoreOp) {
        if self.depth_read_only {
            return (LoadOp::Load, StoreOp::Store);
        }
        (self.depth_load_op.unwrap_or_default(), self.depth_store_op.unwrap_or_default())
    }

    /// The operations on stencil: read-only stencil is loaded and kept.
    pub fn stencil_ops(&self) -> (LoadOp, StoreOp) {
        if self.stencil_read_only {
            return (LoadOp::Load, StoreOp::Store);
        }
        (self.stencil_load_op.unwrap_or_default(), self.stencil_store_op.unwrap_or_default())
    }

    /// The depth that `clear` writes.
    pub fn depth_clear(&self) -> f64 {
        self.depth_clear_value.unwrap_or(1.0)
    }
}

/// A range of a buffer.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BufferRange {
    /// Name of the buffer.
    pub buffer: String,
    /// Offset of the first byte, 0 if it is left out.
    #[serde(default)]
    pub offset: u64,
    /// Bytes; up to the end if it is left out.
    pub size: Option<u64>,
}

/// An index buffer: a range of a buffer, and a format.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IndexBuffer {
    /// Name of the buffer.
    pub buffer: String,
    /// Width of its indices.
    #[serde(deserialize_with = "de::word")]
    pub format: IndexFormat,
    /// Offset of the first byte, 0 if it is left out.
    #[serde(default)]
    pub offset: u64,
    /// Bytes; up to the end if it is left out.
    pub size: Option<u64>,
}

/// A draw of a pass: pipeline, resources and call.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "RawDraw")]
pub struct Draw {
    /// Name of the pipeline.
    pub pipeline: String,
    /// Resources of both stages, by group and binding.
    pub bindings: Vec<Binding>,
    /// Immediate data of both stages.
    pub immediates: Option<Immediates>,
    /// Vertex buffers by slot.
    pub vertex_buffers: Vec<Option<BufferRange>>,
    /// Index buffer, for calls that read one.
    pub index_buffer: Option<IndexBuffer>,
    /// The draw call: vertices or indices, and instances.
    pub call: Call,
    /// x, y, width, height, least and greatest depth.
    pub viewport: Option<[f64; 6]>,
    /// Several viewports, among which vertices choose by SPIR-V's `ViewportIndex`.
    pub viewports: Vec<[f64; 6]>,
    /// x, y, width, height.
    pub scissor: Option<[u32; 4]>,
    /// One scissor for each of several viewports.
    pub scissors: Vec<[u32; 4]>,
    /// The constant of blend factors.
    pub blend_constant: [f64; 4],
    /// The reference of stencil tests.
    pub stencil_reference: u32,
    /// Whether y of positions grows downwards, as in Vulkan.
    pub y_down: bool,
}

/// The draw call: what is drawn, and how often.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// Vertices in order.
    Draw {
        /// Vertices.
        vertex_count: u32,
        /// Instances.
        instance_count: u32,
        /// First vertex.
        first_vertex: u32,
        /// First instance.
        first_instance: u32,
    },
    /// Vertices by index.
    Indexed {
        /// Indices.
        index_count: u32,
        /// Instances.
        instance_count: u32,
        /// First index.
        first_index: u32,
        /// Added to each index.
        base_vertex: i32,
        /// First instance.
        first_instance: u32,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct RawCall {
    vertex_count: u32,
    #[serde(default = "one")]
    instance_count: u32,
    #[serde(default)]
    first_vertex: u32,
    #[serde(default)]
    first_instance: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct RawIndexedCall {
    index_count: u32,
    #[serde(default = "one")]
    instance_count: u32,
    #[serde(default)]
    first_index: u32,
    #[serde(default)]
    base_vertex: i32,
    #[serde(default)]
    first_instance: u32,
}

fn one() -> u32 {
    1
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct RawDraw {
    pipeline: String,
    #[serde(default)]
    bindings: Vec<Binding>,
    immediates: Option<Immediates>,
    #[serde(default, deserialize_with = "de::slots")]
    vertex_buffers: Vec<Option<BufferRange>>,
    index_buffer: Option<IndexBuffer>,
    /// Vertices in order.
    draw: Option<RawCall>,
    /// Vertices by index.
    draw_indexed: Option<RawIndexedCall>,
    #[serde(default, deserialize_with = "de::maybe_numbers")]
    viewport: Option<[f64; 6]>,
    #[serde(default, deserialize_with = "de::lists_of_numbers")]
    viewports: Vec<[f64; 6]>,
    #[serde(default, deserialize_with = "de::maybe_list")]
    scissor: Option<[u32; 4]>,
    #[serde(default)]
    scissors: Vec<[u32; 4]>,
    #[serde(default, deserialize_with = "de::numbers")]
    blend_constant: [f64; 4],
    #[serde(default)]
    stencil_reference: u32,
    #[serde(default)]
    y_down: bool,
}

impl TryFrom<RawDraw> for Draw {
    type Error = &'static str;
    fn try_from(raw: RawDraw) -> Result<Draw, &'static str> {
        let call = match (raw.draw, raw.draw_indexed) {
            (Some(RawCall { vertex_count, instance_count, first_vertex, first_instance }), None) => {
                Call::Draw { vertex_count, instance_count, first_vertex, first_instance }
            }
            (None, Some(c)) => Call::Indexed {
                index_count: c.index_count,
                instance_count: c.instance_count,
                first_index: c.first_index,
                base_vertex: c.base_vertex,
                first_instance: c.first_instance,
            },
            _ => return Err("exactly one of `draw`, `drawIndexed` is expected"),
        };
        if raw.viewport.is_some() && !raw.viewports.is_empty() || raw.scissor.is_some() && !raw.scissors.is_empty() {
            return Err("one of `viewport`, `viewports` is expected, and of `scissor`, `scissors`");
        }
        Ok(Draw {
            pipeline: raw.pipeline,
            bindings: raw.bindings,
            immediates: raw.immediates,
            vertex_buffers: raw.vertex_buffers,
            index_buffer: raw.index_buffer,
            call,
            viewport: raw.viewport,
            viewports: raw.viewports,
            scissor: raw.scissor,
            scissors: raw.scissors,
            blend_constant: raw.blend_constant,
            stencil_reference: raw.stencil_reference,
            y_down: raw.y_down,
        })
    }
}

/// Which aspects of a texture are meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Aspect {
    /// All it has.
    #[default]
    All,
    /// Depth.
    DepthOnly,
    /// Stencil.
    StencilOnly,
}

/// A resource at a place of the shader.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "RawBinding")]
pub struct Binding {
    /// Bind group of the resource.
    pub group: u32,
    /// Number in the group.
    pub binding: u32,
    /// Element of an array of bindings.
    pub element: u32,
    /// The buffer, sampler or texture that is bound.
    pub resource: BindingResource,
}

/// The buffer, sampler or texture that is bound.
#[derive(Clone, Debug, PartialEq)]
pub enum BindingResource {
    /// A range of a buffer.
    Buffer(BufferRange),
    /// A sampler, by name.
    Sampler(String),
    /// A view of a texture.
    Texture(TextureView),
}

/// The resource of a binding. One place may have one of each: a combined sampler of SPIR-V is two of them, and numbers that HLSL counts apart
/// may meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Held {
    /// A buffer.
    Buffer,
    /// A sampler.
    Sampler,
    /// A texture.
    Texture,
}

impl BindingResource {
    /// Kind of the resource, without its range or view.
    pub const fn held(&self) -> Held {
        match self {
            BindingResource::Buffer(_) => Held::Buffer,
            BindingResource::Sampler(_) => Held::Sampler,
            BindingResource::Texture(_) => Held::Texture,
        }
    }
}

/// A view of a texture as it is written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TextureView {
    /// Name of the texture.
    pub texture: String,
    /// Format of the view; the texture's if `None`.
    pub format: Option<Format>,
    /// Dimension of the view; follows from the texture if `None`.
    pub dimension: Option<Dimension>,
    /// Aspect of a combined format: all, depth or stencil.
    pub aspect: Aspect,
    /// First level of the view in the texture.
    pub base_mip_level: u32,
    /// Number of levels; all the rest if `None`.
    pub mip_level_count: Option<u32>,
    /// First layer of the view in the texture.
    pub base_array_layer: u32,
    /// Number of layers; all the rest if `None`.
    pub array_layer_count: Option<u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct RawBinding {
    #[serde(default)]
    group: u32,
    binding: u32,
    /// Element of an array of bindings.
    #[serde(default)]
    element: u32,
    buffer: Option<String>,
    offset: Option<u64>,
    size: Option<u64>,
    /// Name of the sampler.
    sampler: Option<String>,
    texture: Option<String>,
    #[serde(default, deserialize_with = "de::maybe_word")]
    format: Option<Format>,
    #[serde(default, deserialize_with = "de::maybe_word")]
    dimension: Option<Dimension>,
    #[serde(default, deserialize_with = "de::maybe_word")]
    aspect: Option<Aspect>,
    base_mip_level: Option<u32>,
    mip_level_count: Option<u32>,
    base_array_layer: Option<u32>,
    array_layer_count: Option<u32>,
}

impl TryFrom<RawBinding> for Binding {
    type Error = String;
    fn try_from(raw: RawBinding) -> Result<Binding, String> {
        let of_buffer = [("offset", raw.offset.is_some()), ("size", raw.size.is_some())];
        let of_view = [
            ("format", raw.format.is_some()),
            ("dimension", raw.dimension.is_some()),
            ("aspect", raw.aspect.is_some()),
            ("baseMipLevel", raw.base_mip_level.is_some()),
            ("mipLevelCount", raw.mip_level_count.is_some()),
            ("baseArrayLayer", raw.base_array_layer.is_some()),
            ("arrayLayerCount", raw.array_layer_count.is_some()),
        ];
        let resource = match (raw.buffer, raw.sampler, raw.texture) {
            (Some(buffer), None, None) => {
                foreign("the binding of a buffer", of_view)?;
                let offset = raw.offset.unwrap_or(0);
                BindingResource::Buffer(BufferRange { buffer, offset, size: raw.size })
            }
            (None, Some(sampler), None) => {
                foreign("the binding of a sampler", of_buffer)?;
                foreign("the binding of a sampler", of_view)?;
                BindingResource::Sampler(sampler)
            }
            (None, None, Some(texture)) => {
                foreign("the binding of a texture", of_buffer)?;
                BindingResource::Texture(TextureView {
                    texture,
                    format: raw.format,
                    dimension: raw.dimension,
                    aspect: raw.aspect.unwrap_or_default(),
                    base_mip_level: raw.base_mip_level.unwrap_or(0),
                    mip_level_count: raw.mip_level_count,
                    base_array_layer: raw.base_array_layer.unwrap_or(0),
                    array_layer_count: raw.array_layer_count,
                })
            }
            _ => return Err("exactly one of `buffer`, `sampler`, `texture` is expected".into()),
        };
        Ok(Binding { group: raw.group, binding: raw.binding, element: raw.element, resource })
    }
}

/// The outputs of a scene.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "RawOutput")]
pub struct Output {
    /// Name of the output, for files and messages.
    pub name: String,
    /// The texture or buffer that it shows.
    pub source: OutputSource,
}

/// The source of an output.
#[derive(Clone, Debug, PartialEq)]
pub enum OutputSource {
    /// One level of one aspect of a texture.
    Texture {
        /// Name of the texture.
        texture: String,
        /// Level.
        mip_level: u32,
        /// Layer or slice; all of them if it is left out.
        array_layer: Option<u32>,
        /// Aspect.
        aspect: Aspect,
    },
    /// Bytes of a buffer.
    Buffer(BufferRange),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct RawOutput {
    name: String,
    texture: Option<String>,
    mip_level: Option<u32>,
    array_layer: Option<u32>,
    #[serde(default, deserialize_with = "de::maybe_word")]
    aspect: Option<Aspect>,
    buffer: Option<String>,
    offset: Option<u64>,
    size: Option<u64>,
}

impl TryFrom<RawOutput> for Output {
    type Error = String;
    fn try_from(raw: RawOutput) -> Result<Output, String> {
        let source = match (raw.texture, raw.buffer) {
            (Some(texture), None) => {
                foreign("the output of a texture", [("offset", raw.offset.is_some()), ("size", raw.size.is_some())])?;
                OutputSource::Texture {
                    texture,
                    mip_level: raw.mip_level.unwrap_or(0),
                    array_layer: raw.array_layer,
                    aspect: raw.aspect.unwrap_or_default(),
                }
            }
            (None, Some(buffer)) => {
                foreign(
                    "the output of a buffer",
                    [
                        ("mipLevel", raw.mip_level.is_some()),
                        ("arrayLayer", raw.array_layer.is_some()),
                        ("aspect", raw.aspect.is_some()),
                    ],
                )?;
                OutputSource::Buffer(BufferRange { buffer, offset: raw.offset.unwrap_or(0), size: raw.size })
            }
            _ => return Err("exactly one of `texture`, `buffer` is expected".into()),
        };
        Ok(Output { name: raw.name, source })
    }
}
