//! Fixed function around the shaders of a draw: vertex fetch, primitive assembly, clipping, rasterisation into quads,
//! interpolation weights, depth and stencil tests, blending and resolve.
//!
//! The oracle and the four machines share it. Attributes are not interpolated here: a fragment gets weights of the
//! primitive's original vertices ([`Weights`]), which an instruction set turns into what its hardware hands to the
//! shader. Screen positions are in 1/256 pixel, x to the right and y down.

pub mod clip;
pub mod fragment;
pub mod primitive;
pub mod setup;
pub mod vertex;
pub mod viewport;

pub use clip::{ClipOptions, ClipVertex, PolygonVertex, clip_line, clip_polygon, point_is_inside};
pub use fragment::{
    Blend, BlendComponent, BlendFactor, BlendOperation, DepthStencil, StencilFace, StencilOperation, alpha_to_coverage,
    resolve, test_sample, write_target,
};
pub use primitive::{Indices, Primitive, Primitives, Topology, assemble};
pub use setup::{Bias, DepthBias, Quad, Rect, Setup, Weights, sample_positions};
pub use vertex::{VertexCodec, VertexFormat, fetch};
pub use viewport::{Screen, Viewport};
