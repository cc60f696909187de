//! State that is known late: on which pieces of a pipeline's state the program of a stage depends.
//!
//! No family has prologs or epilogs: what they would do is in the code, so a driver keeps a program for each combination of the pieces that it
//! depends on. [`effect`] says for each piece whether code, hardware words alone or nothing depends on it, [`reduced`] takes away
//! the rest of a state, and [`Key::of_variant`](crate::cache::Key::of_variant) is the key of what remains, known before anything is compiled.
//! `docs/drivers.md` has the table; a test holds it against what is compiled.

pub use gpucc_driver::{Effect, Piece};
use gpucc_ir::Stage;
use gpucc_pipeline::{Base, Pipeline, Target, Topology, VertexAttribute, VertexBuffer, VertexFormat};

use Piece as P;

use crate::{Options, backends};

/// The most that a piece of state changes of a program of such a stage, on any generation of the family. Of a family that is not known
/// everything may change.
pub fn effect(family: &str, stage: Stage, piece: Piece) -> Effect {
    let found = backends().iter().find(|b| b.family() == family);
    found.map_or(Effect::Code, |b| b.driver_facts().effect(stage, piece))
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
