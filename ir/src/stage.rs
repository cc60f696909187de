//! Inputs and outputs of stages.

use crate::named::named_enum;
use crate::span::Span;
use crate::types::Type;
use std::fmt;

named_enum! {
    /// A shader stage.
    Stage {
        Compute = "compute"   "Compute.",
        Vertex = "vertex"     "Vertex.",
        Fragment = "fragment" "Fragment.",
    }
}

/// Inputs and outputs of a vertex or fragment entry.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Interface {
    /// The value of an `input`, by its number.
    pub inputs: Vec<IoSlot>,
    /// The values that the entry function returns, in this order.
    pub outputs: Vec<IoSlot>,
    /// The meaning of a vertex' position.
    pub position: Position,
    /// Whether locations of colour outputs count the targets that the pipeline has, without holes (made by lowering).
    pub compact_targets: bool,
}

/// Colour targets of a draw: what WebGPU has, and hardware.
pub const COLOUR_TARGETS: u8 = 8;

/// One input or output.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct IoSlot {
    /// The name in the source; may be empty.
    pub name: String,
    /// The place of the slot: a location or a built-in.
    pub at: IoAt,
    /// Its type: `f32` or `i32` lanes.
    pub ty: Type,
    /// How it is interpolated between the vertices.
    pub interp: Interp,
    /// How lanes are packed; plain but for what lowering leaves.
    pub form: Form,
    /// Whether a colour is what the target gets: code blended it (made by lowering).
    pub blended: bool,
    /// Where in the source it is declared.
    pub span: Span,
}

/// Where an input or output is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum IoAt {
    /// A location: a vertex attribute, a varying or a colour target.
    Location {
        /// Its number.
        number: u8,
        /// 1 for the second source of a blend.
        blend_src: u8,
    },
    /// The position of a vertex.
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
    /// A number that no other vertex of the primitive has (made by lowering).
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

impl IoAt {
    /// A location of the first blend source.
    pub const fn location(number: u8) -> IoAt {
        IoAt::Location { number, blend_src: 0 }
    }
}

impl fmt::Display for IoAt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IoAt::Location { number, blend_src: 0 } => write!(f, "location {number}"),
            IoAt::Location { number, blend_src } => write!(f, "location {number} blend_src {blend_src}"),
            IoAt::Position => f.write_str("position"),
            IoAt::ClipDistance(n) => write!(f, "clip_distance {n}"),
            IoAt::CullDistance(n) => write!(f, "cull_distance {n}"),
            IoAt::PointSize => f.write_str("point_size"),
            IoAt::PointCoord => f.write_str("point_coord"),
            IoAt::Barycentric => f.write_str("barycentric"),
            IoAt::PrimitiveIndex => f.write_str("primitive_index"),
            IoAt::VertexNumber => f.write_str("vertex_number"),
            IoAt::Layer => f.write_str("layer"),
            IoAt::ViewportIndex => f.write_str("viewport_index"),
            IoAt::FragDepth => f.write_str("frag_depth"),
            IoAt::FragStencil => f.write_str("frag_stencil"),
            IoAt::SampleMask => f.write_str("sample_mask"),
        }
    }
}

named_enum! {
    /// How a value changes across a primitive.
    #[derive(Default)]
    Mode {
        /// linear in space
        #[default]
        Perspective = "perspective",
        Linear = "linear"   "linear on the screen",
        Flat = "flat"       "that of the provoking vertex",
        OverW = "over_w"    "value / w, linear on the screen (made by lowering)",
        Vertex0 = "vertex0" "that of the first vertex, which is the provoking one",
        Vertex1 = "vertex1" "that of the second vertex",
        Vertex2 = "vertex2" "that of the third vertex",
    }
}

impl Mode {
    /// The value of each vertex, the provoking one first.
    pub const VERTICES: [Mode; 3] = [Mode::Vertex0, Mode::Vertex1, Mode::Vertex2];

    /// The vertex whose value it is, where the source names one.
    pub fn vertex(self) -> Option<usize> {
        Mode::VERTICES.iter().position(|&m| m == self)
    }

    /// Whether it is the same in all fragments of a primitive.
    pub fn is_constant(self) -> bool {
        self == Mode::Flat || self.vertex().is_some()
    }
}

named_enum! {
    /// Where in a pixel a value is taken.
    #[derive(Default)]
    Where {
        /// the middle
        #[default]
        Center = "center",
        Centroid = "centroid" "a point that the primitive covers",
        Sample = "sample"     "the sample that is shaded",
    }
}

named_enum! {
    /// The meaning of a vertex' position.
    #[derive(Default)]
    Position {
        /// clip space, z in 0..w
        #[default]
        Clip = "clip",
        ClipNegative = "clip_negative" "clip space, z in -w..w",
        Window = "window"              "on the screen, w holds 1/w",
    }
}

named_enum! {
    /// How the lanes of an output are packed into words.
    #[derive(Default)]
    Form {
        /// one word a lane
        #[default]
        Plain = "plain",
        Half16 = "half16"   "pairs of binary16",
        Unorm16 = "unorm16" "pairs of 16-bit unorm",
        Snorm16 = "snorm16" "pairs of 16-bit snorm",
        Uint16 = "uint16"   "pairs of 16-bit unsigned integers",
        Sint16 = "sint16"   "pairs of 16-bit signed integers",
    }
}

impl Form {
    /// Whether its lanes are integers.
    pub const fn is_integer(self) -> bool {
        matches!(self, Form::Uint16 | Form::Sint16)
    }
}

/// How an input is interpolated.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Interp {
    /// Whether it is constant, or interpolated with or without perspective.
    pub mode: Mode,
    /// Where it is taken.
    pub at: Where,
}

impl Interp {
    /// The provoking vertex's value.
    pub const FLAT: Interp = Interp { mode: Mode::Flat, at: Where::Center };
}

impl IoSlot {
    /// Whether an input has the value of the provoking vertex: others are no floats.
    pub fn is_flat(&self) -> bool {
        self.interp.mode == Mode::Flat || !self.ty.is_float()
    }
    /// Whether an input depends on which vertex of a primitive is which.
    pub fn tells_vertices(&self) -> bool {
        self.at == IoAt::Barycentric || self.interp.mode.vertex().is_some()
    }
    /// A slot without a name.
    pub const fn new(at: IoAt, ty: Type) -> IoSlot {
        let interp = Interp { mode: Mode::Perspective, at: Where::Center };
        IoSlot { name: String::new(), at, ty, interp, form: Form::Plain, blended: false, span: Span::UNKNOWN }
    }
}

named_enum! {
    /// Which axis of the screen a derivative follows.
    #[derive(Default)]
    Axis {
        /// to the right
        #[default]
        X = "x",
        Y = "y" "down",
    }
}

/// Which differences a derivative takes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Deriv {
    /// The axis of the screen: x or y.
    pub axis: Axis,
    /// Each row, or column, of a quad has its own; otherwise the quad has that of its first.
    pub fine: bool,
}
