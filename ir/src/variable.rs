//! Variables: memory that a shader has for itself.

use crate::named::named_enum;
use crate::span::Span;

named_enum! {
    /// Where memory lives.
    Space {
        Function = "function"   "One per call.",
        Private = "private"     "One per invocation.",
        Workgroup = "workgroup" "One per workgroup.",
        Uniform = "uniform"     "A uniform buffer or immediate data: read only, the same for all invocations.",
        Storage = "storage"     "A storage buffer.",
    }
}

/// The contents of a variable before anything is stored.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Init {
    /// Zeros.
    Zero,
    /// These bytes.
    Bytes(Vec<u8>),
}

/// A variable: so many bytes of memory.
///
/// Private and workgroup variables have their initialiser at the start (workgroup memory without
/// bytes of its own only if the module is robust).
/// A function variable is undefined until stored to or until `var_init` runs, which the frontend places where the
/// declaration executes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct VarData {
    /// The name in the source; may be empty.
    pub name: String,
    /// The memory in which the variable lives.
    pub space: Space,
    /// Size of the variable in bytes.
    pub size: u32,
    /// Alignment in bytes, a power of two.
    pub align: u32,
    /// The value that it starts with.
    pub init: Init,
    /// Where the source declares it, for messages.
    pub span: Span,
}

impl VarData {
    /// The alignment of the variable's place in bytes. Variables of a workgroup begin at 16 bytes everywhere, so that wide stores zero them
    /// whatever they hold.
    pub fn placed_align(&self) -> u32 {
        if self.space == Space::Workgroup { self.align.max(16) } else { self.align }
    }
}
