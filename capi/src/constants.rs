//! Numbers of the border: `capi/include/gpucc.h` has the same ones by the same names, and a test compares the two.

use std::ffi::c_int;

// Statuses: the exit codes of the command.

/// Status: done, and results are set.
pub const GPUCC_OK: c_int = 0;
/// The shader or container is wrong, or a run ended in a trap.
pub const GPUCC_INVALID: c_int = 1;
/// An argument is wrong.
pub const GPUCC_USAGE: c_int = 2;
/// Not supported on this target.
pub const GPUCC_UNSUPPORTED: c_int = 3;
/// The compiler is broken.
pub const GPUCC_BUG: c_int = 70;

// Languages.

/// Language: WGSL, a text.
pub const GPUCC_WGSL: u32 = 0;
/// SPIR-V, a binary module.
pub const GPUCC_SPIRV: u32 = 1;
/// A compute shader of GLSL.
pub const GPUCC_GLSL_COMPUTE: u32 = 2;
/// A vertex shader of GLSL.
pub const GPUCC_GLSL_VERTEX: u32 = 3;
/// A fragment shader of GLSL.
pub const GPUCC_GLSL_FRAGMENT: u32 = 4;

// Stages.

/// Stage: compute programs, started by dispatches.
pub const GPUCC_COMPUTE: u32 = 0;
/// Stage: vertex programs, started by draws.
pub const GPUCC_VERTEX: u32 = 1;
/// Stage: fragment programs, started by draws.
pub const GPUCC_FRAGMENT: u32 = 2;

// Parts of an entry's work.

/// Part: all of the entry's work.
pub const GPUCC_MAIN: u32 = 0;
/// The positions of vertices.
pub const GPUCC_POSITION: u32 = 1;
/// The varyings of vertices.
pub const GPUCC_VARYING: u32 = 2;

// Facts of a program, a bit each.

/// It may discard fragments.
pub const GPUCC_USES_DISCARD: u32 = 1;
/// It gives a depth.
pub const GPUCC_USES_DEPTH: u32 = 2;
/// It gives a mask of samples.
pub const GPUCC_USES_SAMPLE_MASK: u32 = 4;
/// It runs once for each sample.
pub const GPUCC_USES_SAMPLE_SHADING: u32 = 8;
/// Depth and stencil are tested in front of it.
pub const GPUCC_USES_EARLY_TESTS: u32 = 16;
/// It writes memory that others see.
pub const GPUCC_USES_SIDE_EFFECTS: u32 = 32;
/// It needs whole quads.
pub const GPUCC_USES_HELPERS: u32 = 64;
/// It has barriers, so workgroups stay together.
pub const GPUCC_USES_BARRIERS: u32 = 128;
/// It reads what pixels of colour targets hold.
pub const GPUCC_USES_TARGETS: u32 = 256;
/// Compiled with subnormal f32 kept.
pub const GPUCC_USES_DENORMS: u32 = 512;
/// Compiled on the promise that accesses are in bounds.
pub const GPUCC_USES_TRUST: u32 = 1024;

// Promises about a depth.

/// Nothing is promised about the depth.
pub const GPUCC_DEPTH_ANY: u32 = 0;
/// It is not below that of the fragment.
pub const GPUCC_DEPTH_GREATER: u32 = 1;
/// It is not above that of the fragment.
pub const GPUCC_DEPTH_LESS: u32 = 2;
/// It is that of the fragment.
pub const GPUCC_DEPTH_UNCHANGED: u32 = 3;

// Kinds of bindings.

/// Kind: a uniform buffer.
pub const GPUCC_UNIFORM: u32 = 0;
/// Kind: a storage buffer.
pub const GPUCC_STORAGE: u32 = 1;
/// Kind: a sampled texture.
pub const GPUCC_TEXTURE: u32 = 2;
/// Kind: a storage texture.
pub const GPUCC_STORAGE_TEXTURE: u32 = 3;
/// Kind: a sampler, comparing or not.
pub const GPUCC_SAMPLER: u32 = 4;

// Uses of bindings.

/// It is read alone.
pub const GPUCC_READ: u32 = 1;
/// It is written alone.
pub const GPUCC_WRITE: u32 = 2;
/// It is read and written.
pub const GPUCC_READ_WRITE: u32 = 3;

// Dimensions of textures.

/// Dimension: columns alone, as of a line.
pub const GPUCC_1D: u32 = 0;
/// Dimension: columns and rows.
pub const GPUCC_2D: u32 = 1;
/// Columns, rows and slices.
pub const GPUCC_3D: u32 = 2;
/// Six faces of a cube.
pub const GPUCC_CUBE: u32 = 3;

// Types of texels.

/// Floating point, normalised ones among them.
pub const GPUCC_FLOAT: u32 = 0;
/// Texels of signed integers.
pub const GPUCC_SINT: u32 = 1;
/// Texels of unsigned integers.
pub const GPUCC_UINT: u32 = 2;
/// Depths that are read or compared.
pub const GPUCC_DEPTH: u32 = 3;
/// Texels of an external texture.
pub const GPUCC_EXTERNAL: u32 = 4;

// Kinds of inputs and outputs.

/// A location with a number.
pub const GPUCC_AT_LOCATION: u32 = 0;
/// The position of a vertex or fragment.
pub const GPUCC_AT_POSITION: u32 = 1;
/// A clip distance with a number.
pub const GPUCC_AT_CLIP_DISTANCE: u32 = 2;
/// The depth of a fragment.
pub const GPUCC_AT_DEPTH: u32 = 3;
/// The mask of samples.
pub const GPUCC_AT_SAMPLE_MASK: u32 = 4;
/// The layer of the target.
pub const GPUCC_AT_LAYER: u32 = 5;
/// The number of the viewport.
pub const GPUCC_AT_VIEWPORT: u32 = 6;
/// The size of a point.
pub const GPUCC_AT_POINT_SIZE: u32 = 7;
/// The place in a point.
pub const GPUCC_AT_POINT_COORD: u32 = 8;
/// A cull distance of a vertex.
pub const GPUCC_AT_CULL_DISTANCE: u32 = 9;
/// The stencil reference of a fragment.
pub const GPUCC_AT_STENCIL: u32 = 10;
/// The shares of the second and third vertex.
pub const GPUCC_AT_BARYCENTRIC: u32 = 11;
/// The number of the primitive, handed on.
pub const GPUCC_AT_PRIMITIVE_INDEX: u32 = 12;
/// A number of the vertex, handed on.
pub const GPUCC_AT_VERTEX_NUMBER: u32 = 13;

// Interpolation of varyings.

/// Linear in space, so with the perspective.
pub const GPUCC_PERSPECTIVE: u32 = 0;
/// Linear in the picture.
pub const GPUCC_LINEAR: u32 = 1;
/// That of one vertex.
pub const GPUCC_FLAT: u32 = 2;
/// Divided by w, as hardware gives positions.
pub const GPUCC_OVER_W: u32 = 3;
/// That of the first vertex, the provoking one.
pub const GPUCC_VERTEX0: u32 = 4;
/// That of the second vertex.
pub const GPUCC_VERTEX1: u32 = 5;
/// That of the third vertex.
pub const GPUCC_VERTEX2: u32 = 6;

// Where in a pixel varyings are taken.

/// The middle of the pixel.
pub const GPUCC_CENTER: u32 = 0;
/// Where the primitive covers it.
pub const GPUCC_CENTROID: u32 = 1;
/// Each of the samples by itself.
pub const GPUCC_SAMPLE: u32 = 2;

// How components lie in words.

/// A word for each of them.
pub const GPUCC_UNPACKED: u32 = 0;
/// Pairs of f16 in a word.
pub const GPUCC_HALF16: u32 = 1;
/// Pairs of unorm16 in a word.
pub const GPUCC_UNORM16: u32 = 2;
/// Pairs of snorm16 in a word.
pub const GPUCC_SNORM16: u32 = 3;
/// Pairs of u16 in a word.
pub const GPUCC_UINT16: u32 = 4;
/// Pairs of i16 in a word.
pub const GPUCC_SINT16: u32 = 5;

// Pieces of a pipeline's state.

/// Formats, offsets, strides and steps of attributes.
pub const GPUCC_STATE_VERTEX_LAYOUT: u32 = 0;
/// Whether points are drawn.
pub const GPUCC_STATE_POINTS: u32 = 1;
/// Which topology other than points is drawn.
pub const GPUCC_STATE_TOPOLOGY: u32 = 2;
/// Which triangles are front-facing.
pub const GPUCC_STATE_FRONT_FACE: u32 = 3;
/// Which triangles are not drawn.
pub const GPUCC_STATE_CULL: u32 = 4;
/// Whether primitives are clipped in depth.
pub const GPUCC_STATE_UNCLIPPED_DEPTH: u32 = 5;
/// The added depth of triangles.
pub const GPUCC_STATE_DEPTH_BIAS: u32 = 6;
/// Formats of colour targets.
pub const GPUCC_STATE_TARGET_FORMATS: u32 = 7;
/// Components of targets that are written.
pub const GPUCC_STATE_WRITE_MASKS: u32 = 8;
/// Blend equations of targets.
pub const GPUCC_STATE_BLENDING: u32 = 9;
/// Formats, tests and writes of depth and stencil.
pub const GPUCC_STATE_DEPTH_STENCIL: u32 = 10;
/// Samples of a pixel.
pub const GPUCC_STATE_SAMPLES: u32 = 11;
/// Samples that may be written.
pub const GPUCC_STATE_SAMPLE_MASK: u32 = 12;
/// Whether alpha makes a mask of samples.
pub const GPUCC_STATE_ALPHA_TO_COVERAGE: u32 = 13;
/// Filters and comparisons of samplers.
pub const GPUCC_STATE_SAMPLERS: u32 = 14;

// The most that a piece of state changes of a program.

/// Nothing of the program changes.
pub const GPUCC_CHANGES_NOTHING: u32 = 0;
/// Hardware words beside the code.
pub const GPUCC_CHANGES_WORDS: u32 = 1;
/// The code, or whether there is one.
pub const GPUCC_CHANGES_CODE: u32 = 2;

// The version of the header, and so that of the package.

/// The first number of the version.
pub const GPUCC_VERSION_MAJOR: u32 = 0;
/// The second number of the version.
pub const GPUCC_VERSION_MINOR: u32 = 1;
/// The third number of the version.
pub const GPUCC_VERSION_PATCH: u32 = 0;
