//! Inputs and outputs of stages.

use crate::named::named_enum;
use crate::span::Span;
use crate::types::Type;
pub use gpucc_pipeline::{Interpolation as Mode, IoPlace as IoAt, Sampling as Where};

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
