//! Options of a caller, and the entry points and constants of a module to choose from.

use crate::module::{self, SpecConstant};
use gpucc_ir::{FpFlags, Span, Stage};
use gpucc_pipeline::Format;

/// An entry point of a module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryInfo {
    /// Name of the entry point.
    pub name: String,
    /// Its stage, or the name of a stage that gpucc has no word for.
    pub stage: Result<Stage, &'static str>,
    /// Where the source declares it, as far as is known.
    pub span: Span,
}

/// A specialisation constant of a module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OverrideInfo {
    /// Name of the constant, if it has one.
    pub name: Option<String>,
    /// Number of its `SpecId`, if it has one.
    pub id: Option<u16>,
}

/// Choices of [`crate::lower`]: entry, constants, bounds, floats.
#[derive(Debug, Clone)]
pub struct Options {
    /// The entry point; all of them if `None`.
    pub entry: Option<String>,
    /// Values of specialisation constants by name or decimal id, in the order given.
    pub overrides: Vec<(String, f64)>,
    /// Values of specialisation constants by id, as the bits of their type: a number of 64 bits is kept whole, and a `bool` is true unless all bits are 0.
    /// They count before values by name. An id that the module does not have is passed over, as in Vulkan.
    pub constants: Vec<(u32, u64)>,
    /// Formats of storage images that say none, by group and binding; of several the last counts.
    pub formats: Vec<((u32, u32), Format)>,
    /// Clamp bounds and zero workgroup memory (becomes the module's option of that name).
    pub robust: bool,
    /// The freedom of the source's float arithmetic.
    pub fp: FpFlags,
}

impl Default for Options {
    fn default() -> Self {
        let fp = FpFlags::CONTRACT.with(FpFlags::NSZ);
        Options { entry: None, overrides: Vec::new(), constants: Vec::new(), formats: Vec::new(), robust: true, fp }
    }
}

/// The specialisation constants of a module, in source order.
pub fn overrides(m: &module::Module) -> Vec<OverrideInfo> {
    let info = |c: &SpecConstant| OverrideInfo { name: c.name.clone(), id: u16::try_from(c.number).ok() };
    m.constants.iter().map(info).collect()
}
