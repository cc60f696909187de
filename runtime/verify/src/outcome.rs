//! How a comparison ends, and why there was none.

use std::fmt;

use gpucc_ir::Module;
use gpucc_sim::{Trap, TrapKind};

/// Why a run was not compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// The oracle traps.
    Oracle(TrapKind),
    /// The machine traps where the result is open.
    Machine(TrapKind),
    /// The result depends on the order of invocations.
    Order,
    /// Accesses beyond the buffers decide every result.
    Strayed,
    /// Lanes of a subgroup that do not take part decide every result.
    Absent,
    /// Bits of NaN decide every result.
    NanBits,
    /// Denormals and NaNs in the inputs leave the result open.
    Denormals,
    /// The result changes with the last bits of approximations.
    Sensitive,
    /// The buffers that the shader asks for are too large to be run several times.
    Large,
    /// Nothing is drawn.
    Nothing,
    /// Neither a buffer nor a texture is written.
    Unwritten,
    /// More than a tenth of what changed has no one value.
    Open,
    /// There is no draw that would show the entry.
    NoDraw,
    /// Textures of different kinds share a binding: an element is bound as one of them.
    Kinds,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Oracle(kind) => write!(f, "the oracle traps: {}", kind.name()),
            Reason::Machine(kind) => write!(f, "the machine traps: {}", kind.name()),
            Reason::Order => f.write_str("the result depends on the order of invocations"),
            Reason::Strayed => f.write_str("accesses beyond the buffers decide every result"),
            Reason::Absent => f.write_str("lanes that do not take part decide every result"),
            Reason::NanBits => f.write_str("bits of NaN decide every result"),
            Reason::Denormals => f.write_str("denormals and NaNs leave the result open"),
            Reason::Large => f.write_str("the buffers are too large"),
            Reason::Nothing => f.write_str("nothing is drawn"),
            Reason::Unwritten => f.write_str("the program writes nothing"),
            Reason::Open => f.write_str("more than a tenth of the result is open"),
            Reason::NoDraw => f.write_str("no draw shows it"),
            Reason::Kinds => f.write_str("textures of different kinds share a binding"),
            Reason::Sensitive => f.write_str("the result changes with the last bits of approximations"),
        }
    }
}

/// How one comparison ended.
pub(crate) enum Outcome {
    /// What was compared.
    Agrees(Part),
    /// The shader, on these inputs, has no one result.
    NotCompared(Reason, String),
}

/// What one run compared: sizes, and values that could be compared and that were left out.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Part {
    pub bytes: u64,
    pub pixels: u64,
    pub values: u64,
    pub without: u64,
}

impl Part {
    pub(crate) fn add(&mut self, other: Part) {
        self.bytes += other.bytes;
        self.pixels += other.pixels;
        self.values += other.values;
        self.without += other.without;
    }
}

impl Outcome {
    pub(crate) fn not(reason: Reason) -> Outcome {
        Outcome::NotCompared(reason, reason.to_string())
    }
}

/// Whether a machine's trap says nothing of the code: what it met is the shader's, or its own limit.
pub(crate) fn hides(t: &Trap, module: &Module) -> bool {
    match t.kind {
        TrapKind::StepLimit | TrapKind::UndefinedRead | TrapKind::Race | TrapKind::Unsupported | TrapKind::Dispatch => {
            true
        }
        TrapKind::OutOfBounds => !module.options.robust,
        _ => false,
    }
}
