//! Limits. Where WebGPU lets a device choose, they are those of the most generous one, so that nothing is refused that
//! some WebGPU device takes; the sizes that cost memory are bounded by what a simulation can hold.

/// Bytes of a texture or buffer.
pub const RESOURCE_BYTES: u64 = 256 << 20;
/// Bytes of all textures and buffers.
pub const SCENE_BYTES: u64 = 1 << 30;
/// Bytes that contents may be decoded to, those that later contents replace counted too.
pub const DECODED_BYTES: u64 = 4 << 30;
/// Bytes of the scene file and of the other files it names, each.
pub const FILE_BYTES: u64 = 1 << 30;
/// Texels along an axis.
pub const AXIS: u32 = 16_384;
/// Layers of an array.
pub const LAYERS: u32 = 2048;
/// Vertices that a pass shades at most: vertices or indices times instances, over all draws.
pub const PASS_VERTICES: u64 = 1 << 24;
/// Viewports of a draw.
pub const VIEWPORTS: usize = 16;
/// Draws of a pass.
pub const PASS_DRAWS: usize = 1_000_000;
/// Colour attachments of a pass.
pub const COLOR_ATTACHMENTS: usize = 8;
/// Vertex buffers of a pipeline.
pub const VERTEX_BUFFERS: usize = 8;
/// Vertex attributes of a pipeline, and the number that locations stay below.
pub const VERTEX_ATTRIBUTES: usize = 30;
/// Bytes from one element of a vertex buffer to the next.
pub const VERTEX_STRIDE: u64 = 2048;
/// Workgroups in one dimension.
pub const WORKGROUPS: u32 = 65_535;
/// The alignment of offsets of buffer bindings: WebGPU's default is 256, and no device has less than 32.
pub const BINDING_OFFSET: u64 = 32;
/// The bound of binding numbers.
pub const BINDINGS: u32 = 1000;
/// The bound of elements of an array of bindings.
pub const ELEMENTS: u32 = 4096;
/// The bound of group numbers: Vulkan's devices have up to 32.
pub const GROUPS: u32 = 32;

/// Bytes of a buffer with `frame = true`.
pub const MOMENT_BYTES: u64 = 64;
/// Buffers of a scene that have addresses, which are its first ones.
pub const ADDRESSES: usize = 128;
