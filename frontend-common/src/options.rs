//! Options of a caller, and the entry points and constants of a module to choose from.

use gpucc_ir::{Diagnostic, FpFlags, Span, Stage};
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

/// A pipeline-overridable or specialisation constant of a module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OverrideInfo {
    /// Its name, which the source need not give.
    pub name: Option<String>,
    /// Its `@id` or `SpecId`, which the source need not give.
    pub id: Option<u16>,
    /// Whether it has a default.
    pub has_default: bool,
}

/// Choices of a front end: entry, constants, bounds, floats.
#[derive(Debug, Clone)]
pub struct Options {
    /// The entry point; all of them if `None`.
    pub entry: Option<String>,
    /// Values of overrides by name or decimal id, in the order given.
    pub overrides: Vec<(String, f64)>,
    /// Values of overrides by id, as the bits of their type: a number of 64 bits is kept whole, and a `bool` is true unless all bits are 0.
    /// They count before values by name. An id that the module does not have is passed over, as in Vulkan.
    pub constants: Vec<(u32, u64)>,
    /// Formats of SPIR-V's storage images that say none, by group and binding; of several the last counts.
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

/// The override of a name or a decimal id.
///
/// # Errors
/// A name or an id that none has.
pub fn named(overrides: &[OverrideInfo], key: &str) -> Result<usize, Vec<Diagnostic>> {
    let id = key.parse::<u16>().ok();
    let found = overrides.iter().position(|o| (id.is_some() && o.id == id) || o.name.as_deref() == Some(key));
    found.ok_or_else(|| {
        let names = overrides.iter().map(|o| match (&o.name, o.id) {
            (Some(name), Some(id)) => format!("`{name}` (id {id})"),
            (Some(name), None) => format!("`{name}`"),
            (None, Some(id)) => format!("id {id}"),
            (None, None) => "one without a name".to_string(),
        });
        let names = names.collect::<Vec<_>>().join(", ");
        let names =
            if names.is_empty() { "the module has no overrides".to_string() } else { format!("overrides: {names}") };
        vec![Diagnostic::invalid("override", format!("there is no override `{key}`")).note(names)]
    })
}
