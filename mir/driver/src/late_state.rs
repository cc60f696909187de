//! What a family's driver does with programs: the state on which their code depends, and the bytes that are uploaded.

use gpucc_ir::Stage;

/// A piece of a pipeline's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Piece {
    /// Formats, offsets, strides and steps of vertex attributes, and the slots of their buffers.
    VertexLayout,
    /// Whether points are drawn.
    Points,
    /// The other topologies, and the index that ends a strip.
    Topology,
    /// Which triangles are front-facing.
    FrontFace,
    /// Which triangles are not drawn.
    Cull,
    /// Whether primitives are clipped in depth.
    UnclippedDepth,
    /// The added depth of triangles.
    DepthBias,
    /// Formats of colour targets, and which locations have one.
    TargetFormats,
    /// Components of targets that are written.
    WriteMasks,
    /// Blend equations of targets.
    Blending,
    /// Formats, tests and writes of depth and stencil.
    DepthStencil,
    /// Samples of a pixel.
    Samples,
    /// Samples that may be written.
    SampleMask,
    /// Whether alpha makes a mask of samples.
    AlphaToCoverage,
    /// Filters and comparisons of samplers.
    Samplers,
}

use Piece as P;

impl Piece {
    /// All of them, in the order of the documentation.
    pub const ALL: [Piece; 15] = [
        P::VertexLayout,
        P::Points,
        P::Topology,
        P::FrontFace,
        P::Cull,
        P::UnclippedDepth,
        P::DepthBias,
        P::TargetFormats,
        P::WriteMasks,
        P::Blending,
        P::DepthStencil,
        P::Samples,
        P::SampleMask,
        P::AlphaToCoverage,
        P::Samplers,
    ];

    /// The name in the documentation.
    pub fn name(self) -> &'static str {
        match self {
            P::VertexLayout => "vertex layout",
            P::Points => "points or not",
            P::Topology => "other topologies",
            P::FrontFace => "front face",
            P::Cull => "culling",
            P::UnclippedDepth => "unclipped depth",
            P::DepthBias => "depth bias",
            P::TargetFormats => "target formats",
            P::WriteMasks => "write masks",
            P::Blending => "blending",
            P::DepthStencil => "depth and stencil",
            P::Samples => "samples",
            P::SampleMask => "sample mask",
            P::AlphaToCoverage => "alpha to coverage",
            P::Samplers => "samplers",
        }
    }
}

/// The most that a piece of state changes of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effect {
    /// Nothing: the driver alone programs it.
    Nothing,
    /// Hardware words beside the code, those of the `state` that a reflection gives.
    Words,
    /// The code, or whether the program can be compiled: a variant.
    Code,
}

impl Effect {
    /// The name in the documentation.
    pub fn name(self) -> &'static str {
        match self {
            Effect::Nothing => "-",
            Effect::Words => "words",
            Effect::Code => "variant",
        }
    }
}

/// What a driver of a family must know of all its programs.
#[derive(Clone, Copy, Debug)]
pub struct DriverFacts {
    /// Pieces of state on which code of vertex programs depends, beside those of every family.
    pub vertex: &'static [Piece],
    /// Pieces of state on which code of fragment programs depends, beside those of every family.
    pub fragment: &'static [Piece],
    /// Bytes that are uploaded for so many bytes of code.
    pub padded: fn(u32) -> u32,
}

impl DriverFacts {
    /// The most that a piece of state changes of a program of such a stage, on any generation of the family.
    pub fn effect(&self, stage: Stage, piece: Piece) -> Effect {
        let of_all: &[Piece] = match stage {
            Stage::Compute => &[P::Samplers],
            Stage::Vertex => &[P::Points],
            Stage::Fragment => &[P::TargetFormats, P::Blending, P::Samples, P::AlphaToCoverage],
        };
        let own = match stage {
            Stage::Compute => &[],
            Stage::Vertex => self.vertex,
            Stage::Fragment => self.fragment,
        };
        if of_all.contains(&piece) || own.contains(&piece) { Effect::Code } else { Effect::Nothing }
    }
}
