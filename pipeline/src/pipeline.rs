//! A render pipeline without its shaders.

use crate::{
    Blend, BlendFactor, Compare, CullMode, DepthBias, DepthStencil, Filter, Format, FrontFace, IndexFormat, StepMode,
    Topology, VertexFormat,
};

/// An attribute of a vertex buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct VertexAttribute {
    /// Location of the shader's input.
    pub location: u32,
    /// How it is stored.
    pub format: VertexFormat,
    /// Bytes from the start of an element.
    pub offset: u64,
}

/// Layout of a vertex buffer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct VertexBuffer {
    /// Bytes from one element to the next.
    pub stride: u64,
    /// The step of an element.
    pub step: StepMode,
    /// The contents of an element.
    pub attributes: Vec<VertexAttribute>,
}

/// A colour target: format, written components and blending.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    /// Format of the attachment's view.
    pub format: Format,
    /// Components that are written: red 1, green 2, blue 4, alpha 8.
    pub write: u8,
    /// Blending, if the target has any.
    pub blend: Option<Blend>,
}

impl Target {
    /// A target that is written whole and not blended.
    pub fn new(format: Format) -> Target {
        Target { format, write: 15, blend: None }
    }

    /// Whether its blending reads the fragment's alpha as a factor.
    pub fn reads_source_alpha(&self) -> bool {
        let all = |b: Blend| [b.color.src, b.color.dst, b.alpha.src, b.alpha.dst];
        self.blend.is_some_and(|b| all(b).into_iter().any(BlendFactor::reads_source_alpha))
    }
}

/// The facts about a sampler that code needs where hardware lacks comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SamplerFacts {
    /// Bind group of the sampler.
    pub group: u32,
    /// Binding in its group.
    pub binding: u32,
    /// Its comparison, if it is a comparison sampler.
    pub compare: Option<Compare>,
    /// Its filter for magnifying, minifying and levels.
    pub filter: Filter,
}

/// A render pipeline without its shaders: what code may depend on, and what the fixed function does around it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pipeline {
    /// Vertex buffers by slot.
    pub vertex: Vec<Option<VertexBuffer>>,
    /// How vertices make primitives.
    pub topology: Topology,
    /// The index format whose largest value ends a strip, in topologies of strips.
    pub strip_index: Option<IndexFormat>,
    /// Which triangles are front-facing.
    pub front_face: FrontFace,
    /// Which triangles are not drawn.
    pub cull: CullMode,
    /// Whether primitives are not clipped in depth.
    pub unclipped_depth: bool,
    /// Colour targets by location.
    pub targets: Vec<Option<Target>>,
    /// Depth and stencil state, if there is such an attachment.
    pub depth: Option<DepthStencil>,
    /// Depth bias of triangles.
    pub bias: DepthBias,
    /// Samples of a pixel: 1 or 4.
    pub samples: u8,
    /// Samples that may be written.
    pub sample_mask: u32,
    /// Whether the alpha of the first target makes a mask of samples.
    pub alpha_to_coverage: bool,
    /// Samplers that code must know.
    pub samplers: Vec<SamplerFacts>,
}

impl Pipeline {
    /// The attribute of a location, with its buffer and the slot of that.
    pub fn attribute(&self, location: u32) -> Option<(usize, &VertexBuffer, VertexAttribute)> {
        self.vertex.iter().enumerate().find_map(|(slot, buffer)| {
            let buffer = buffer.as_ref()?;
            let attribute = buffer.attributes.iter().find(|a| a.location == location)?;
            Some((slot, buffer, *attribute))
        })
    }

    /// The n-th bound colour target, and its location.
    pub fn present(&self, n: usize) -> Option<(usize, &Target)> {
        self.targets.iter().enumerate().filter_map(|(k, t)| Some((k, t.as_ref()?))).nth(n)
    }
}

impl Default for Pipeline {
    fn default() -> Self {
        Pipeline {
            vertex: Vec::new(),
            topology: Topology::default(),
            strip_index: None,
            front_face: FrontFace::default(),
            cull: CullMode::default(),
            unclipped_depth: false,
            targets: Vec::new(),
            depth: None,
            bias: DepthBias::default(),
            samples: 1,
            sample_mask: u32::MAX,
            alpha_to_coverage: false,
            samplers: Vec::new(),
        }
    }
}
