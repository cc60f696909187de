//! Parts of a pipeline, as plain data with WebGPU's names.
//!
//! This crate depends on nothing, so that everyone may depend on it: the compiler reads formats and layouts from it, the
//! container carries it, the simulators draw by it. Nothing here computes pixels: decoding and encoding of texels, tests and
//! blending are in `gpucc-sim`.

mod format;
mod interface;
mod names;
mod pipeline;
mod state;
mod variant;
mod vertex;

pub use format::{Base, Code, Format, FormatError, Layout};
pub use interface::{Interpolation, IoPlace, Sampling};
pub use pipeline::{Pipeline, SamplerFacts, Target, VertexAttribute, VertexBuffer};
pub use state::{
    Blend, BlendComponent, BlendFactor, BlendOperation, Compare, CullMode, DepthBias, DepthStencil, Filter, FrontFace,
    IndexFormat, StencilFace, StencilOperation, StepMode, Topology,
};
pub use variant::Variant;
pub use vertex::VertexFormat;
