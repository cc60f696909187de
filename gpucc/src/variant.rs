//! State that is known late: on which pieces of a pipeline's state the program of a stage depends.
//!
//! No family has prologs or epilogs: what they would do is in the code, so a driver keeps a program for each combination of the pieces that it
//! depends on. [`effect`] says for each piece whether code, hardware words alone or nothing depends on it, [`reduced`] takes away
//! the rest of a state, and [`Key::of_variant`](crate::cache::Key::of_variant) is the key of what remains, known before anything is compiled.
//! `docs/drivers.md` has the table; a test holds it against what is compiled.

use gpucc_ir::Stage;
use gpucc_pipeline::{Base, Pipeline, Target, Topology, VertexAttribute, VertexBuffer, VertexFormat};

use crate::Options;

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
    /// Hardware words beside the code ([`state`](crate::reflect::Program::state)).
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

/// The most that a piece of state changes of a program of such a stage, on any generation of the family. Of a family that is not known
/// everything may change.
pub fn effect(family: &str, stage: Stage, piece: Piece) -> Effect {
    let by_family = |valhall, tesla, gcn, vivante| match family {
        "valhall" => valhall,
        "tesla" => tesla,
        "gcn" => gcn,
        "vivante" => vivante,
        _ => Effect::Code,
    };
    let (none, code) = (Effect::Nothing, Effect::Code);
    match (stage, piece) {
        (Stage::Compute, P::Samplers) | (Stage::Vertex, P::Points) => code,
        (Stage::Compute, _) => none,
        (_, P::Samplers) => by_family(none, code, none, code),
        (Stage::Vertex, P::VertexLayout) => by_family(code, none, code, code),
        (Stage::Vertex, _) => none,
        (Stage::Fragment, P::TargetFormats | P::Blending | P::Samples | P::AlphaToCoverage) => code,
        (Stage::Fragment, P::WriteMasks) => by_family(code, none, none, code),
        (Stage::Fragment, P::DepthStencil) => by_family(none, code, none, code),
        (Stage::Fragment, P::FrontFace) => by_family(none, none, none, code),
        (Stage::Fragment, _) => none,
    }
}

/// The part of a state that a program of such a stage depends on; the rest is that of [`Pipeline::default`], and attributes on which only the driver
/// depends have places and formats of their own. What is compiled for it has the code,
/// the words and everything else of what is compiled for the whole, but for the state that it says to be compiled for.
pub fn reduced(family: &str, stage: Stage, p: &Pipeline) -> Pipeline {
    let keeps = |piece| effect(family, stage, piece) != Effect::Nothing;
    let none = Pipeline::default();
    let target = |t: &Target| Target {
        format: t.format,
        write: if keeps(P::WriteMasks) { t.write } else { 15 },
        blend: t.blend.filter(|_| keeps(P::Blending)),
    };
    let topology = match p.topology {
        Topology::PointList if keeps(P::Points) => Topology::PointList,
        other if keeps(P::Topology) && other != Topology::PointList => other,
        _ => none.topology,
    };
    Pipeline {
        vertex: match stage {
            Stage::Vertex if keeps(P::VertexLayout) => p.vertex.clone(),
            Stage::Vertex => plain(&p.vertex),
            _ => none.vertex,
        },
        topology,
        strip_index: p.strip_index.filter(|_| keeps(P::Topology)),
        front_face: if keeps(P::FrontFace) { p.front_face } else { none.front_face },
        cull: if keeps(P::Cull) { p.cull } else { none.cull },
        unclipped_depth: keeps(P::UnclippedDepth) && p.unclipped_depth,
        targets: match keeps(P::TargetFormats) {
            true => p.targets.iter().map(|t| t.as_ref().map(target)).collect(),
            false => none.targets,
        },
        depth: p.depth.filter(|_| keeps(P::DepthStencil)),
        bias: if keeps(P::DepthBias) { p.bias } else { none.bias },
        samples: if keeps(P::Samples) { p.samples } else { none.samples },
        sample_mask: if keeps(P::SampleMask) { p.sample_mask } else { none.sample_mask },
        alpha_to_coverage: keeps(P::AlphaToCoverage) && p.alpha_to_coverage,
        samplers: if keeps(P::Samplers) { p.samplers.clone() } else { none.samplers },
    }
}

/// Attributes by location and type alone: a program has to find them, wherever they are.
fn plain(buffers: &[Option<VertexBuffer>]) -> Vec<Option<VertexBuffer>> {
    let format = |a: &VertexAttribute| match a.format.base() {
        // Attributes are neither depth nor stencil.
        Base::Float | Base::Depth => VertexFormat::Float32x4,
        Base::Uint | Base::Stencil => VertexFormat::Uint32x4,
        Base::Sint => VertexFormat::Sint32x4,
    };
    let all = buffers.iter().flatten().flat_map(|b| &b.attributes);
    let mut attributes: Vec<VertexAttribute> =
        all.map(|a| VertexAttribute { location: a.location, format: format(a), offset: 0 }).collect();
    attributes.sort_by_key(|a| a.location);
    if attributes.is_empty() { Vec::new() } else { vec![Some(VertexBuffer { attributes, ..VertexBuffer::default() })] }
}

/// The options with the state [`reduced`] for a stage.
pub(crate) fn reduced_options(options: &Options, stage: Stage) -> Options {
    let family = options.target.family();
    let mut own = options.clone();
    if let Some(context) = &mut own.codegen.context {
        context.pipeline = reduced(family, stage, &context.pipeline);
    }
    if let Some(p) = &mut own.codegen.pipeline {
        **p = reduced(family, stage, p);
    }
    if effect(family, stage, P::Samplers) == Effect::Nothing {
        own.codegen.bound.samplers.clear();
    }
    own
}
