//! Inputs and outputs of stages: what they are, and how they change between the vertices of a primitive.

use std::fmt;

use crate::named;

/// The kind of an input or output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IoPlace {
    /// A location: a vertex attribute, a value between the stages, or a colour.
    Location {
        /// Its number in the source.
        number: u8,
        /// 1 for the second source of a blend.
        blend_src: u8,
    },
    /// The position of a vertex.
    #[default]
    Position,
    /// A clip distance of a vertex.
    ClipDistance(u8),
    /// A cull distance of a vertex: a primitive of which all vertices have a negative one is not drawn.
    CullDistance(u8),
    /// The width of the point that a vertex is, in pixels.
    PointSize,
    /// The place of a fragment in its point (made by lowering).
    PointCoord,
    /// The shares of the second and the third vertex of a fragment's primitive, the provoking one being the first.
    Barycentric,
    /// The number of the primitive, which its provoking vertex hands on (made by lowering).
    PrimitiveIndex,
    /// A number that no other vertex of the primitive has, which vertices hand on (made by lowering).
    VertexNumber,
    /// The layer of the attachments that a vertex' primitive is drawn on, if it is the provoking one.
    Layer,
    /// The number of the viewport, likewise.
    ViewportIndex,
    /// The depth that a fragment gives.
    FragDepth,
    /// What stencil values are compared with and replaced by, as a fragment gives it.
    FragStencil,
    /// The samples that a fragment covers.
    SampleMask,
}

impl IoPlace {
    /// A location of the first blend source.
    pub const fn location(number: u8) -> IoPlace {
        IoPlace::Location { number, blend_src: 0 }
    }
}

impl fmt::Display for IoPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IoPlace::Location { number, blend_src: 0 } => write!(f, "location {number}"),
            IoPlace::Location { number, blend_src } => write!(f, "location {number} blend_src {blend_src}"),
            IoPlace::Position => f.write_str("position"),
            IoPlace::ClipDistance(n) => write!(f, "clip_distance {n}"),
            IoPlace::CullDistance(n) => write!(f, "cull_distance {n}"),
            IoPlace::PointSize => f.write_str("point_size"),
            IoPlace::PointCoord => f.write_str("point_coord"),
            IoPlace::Barycentric => f.write_str("barycentric"),
            IoPlace::PrimitiveIndex => f.write_str("primitive_index"),
            IoPlace::VertexNumber => f.write_str("vertex_number"),
            IoPlace::Layer => f.write_str("layer"),
            IoPlace::ViewportIndex => f.write_str("viewport_index"),
            IoPlace::FragDepth => f.write_str("frag_depth"),
            IoPlace::FragStencil => f.write_str("frag_stencil"),
            IoPlace::SampleMask => f.write_str("sample_mask"),
        }
    }
}

named! {
    /// How a value changes between the vertices of a primitive.
    #[derive(Default, PartialOrd, Ord)]
    Interpolation {
        #[default]
        Perspective "perspective" "Linear in space.",
        Linear "linear"           "Linear on the screen.",
        Flat "flat"               "That of the provoking vertex.",
        OverW "over_w"            "Divided by w, linear on the screen (made by lowering).",
        Vertex0 "vertex0"         "That of the first vertex, which is the provoking one.",
        Vertex1 "vertex1"         "That of the second vertex.",
        Vertex2 "vertex2"         "That of the third vertex.",
    }
}

impl Interpolation {
    /// The value of each vertex, the provoking one first.
    pub const VERTICES: [Interpolation; 3] = [Interpolation::Vertex0, Interpolation::Vertex1, Interpolation::Vertex2];

    /// The vertex whose value it is, where the source names one.
    pub fn vertex(self) -> Option<usize> {
        Interpolation::VERTICES.iter().position(|&m| m == self)
    }

    /// Whether it is the same in all fragments of a primitive.
    pub fn is_constant(self) -> bool {
        self == Interpolation::Flat || self.vertex().is_some()
    }
}

named! {
    /// Where in a pixel a value is taken.
    #[derive(Default, PartialOrd, Ord)]
    Sampling {
        #[default]
        Center "center"     "The centre.",
        Centroid "centroid" "A point that the primitive covers.",
        Sample "sample"     "The sample that is shaded.",
    }
}
