//! What a family's driver does with programs: the state on which their code depends, and the bytes that are uploaded.

use gpucc_ir::Stage;

gpucc_pipeline::named! {
    /// A piece of a pipeline's state, in the order of the documentation.
    #[derive(PartialOrd, Ord)]
    Piece {
        VertexLayout "vertex layout"        "Formats, offsets, strides and steps of vertex attributes, and the slots of their buffers.",
        Points "points or not"              "Whether points are drawn.",
        Topology "other topologies"         "The other topologies, and the index that ends a strip.",
        FrontFace "front face"              "Which triangles are front-facing.",
        Cull "culling"                      "Which triangles are not drawn.",
        UnclippedDepth "unclipped depth"    "Whether primitives are clipped in depth.",
        DepthBias "depth bias"              "The added depth of triangles.",
        TargetFormats "target formats"      "Formats of colour targets, and which locations have one.",
        WriteMasks "write masks"            "Components of targets that are written.",
        Blending "blending"                 "Blend equations of targets.",
        DepthStencil "depth and stencil"    "Formats, tests and writes of depth and stencil.",
        Samples "samples"                   "Samples of a pixel.",
        SampleMask "sample mask"            "Samples that may be written.",
        AlphaToCoverage "alpha to coverage" "Whether alpha makes a mask of samples.",
        Samplers "samplers"                 "Filters and comparisons of samplers.",
    }
}

use Piece as P;

gpucc_pipeline::named! {
    /// The most that a piece of state changes of a program.
    #[derive(PartialOrd, Ord)]
    Effect {
        Nothing "-"    "Nothing: the driver alone programs it.",
        Words "words"  "Hardware words beside the code, those of the `state` that a reflection gives.",
        Code "variant" "The code, or whether the program can be compiled: a variant.",
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
