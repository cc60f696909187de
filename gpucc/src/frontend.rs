//! From source bytes to an IR module, in one call.

use gpucc_frontend_naga as naga_in;
use gpucc_ir::{Diagnostic, Module};

/// Source languages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lang {
    /// WGSL.
    Wgsl,
    /// SPIR-V binary.
    Spirv,
    /// GLSL compute shader.
    GlslCompute,
    /// GLSL vertex shader.
    GlslVertex,
    /// GLSL fragment shader.
    GlslFragment,
    /// The IR's text form.
    Gir,
}

/// What the frontend needs besides the source.
#[derive(Clone, Debug)]
pub struct FrontOptions {
    /// Entry point; every one without it.
    pub entry: Option<String>,
    /// Overrides by name or numeric id.
    pub overrides: Vec<(String, f64)>,
    /// Keep accesses in bounds and zero workgroup memory.
    pub robust: bool,
}

impl Default for FrontOptions {
    fn default() -> Self {
        FrontOptions { entry: None, overrides: Vec::new(), robust: true }
    }
}

/// A lowered shader.
#[derive(Debug)]
pub struct Loaded {
    /// The module.
    pub module: Module,
    /// What does not stop compilation.
    pub warnings: Vec<Diagnostic>,
}

/// Parses, validates and lowers a shader of any size and origin; hostile input is refused, never fatal.
///
/// # Errors
/// Diagnostics with spans into the source: wrong input, what is not lowered yet, or a compiler bug.
pub fn load(bytes: &[u8], lang: Lang, options: &FrontOptions) -> Result<Loaded, Vec<Diagnostic>> {
    let lang = match lang {
        Lang::Wgsl => naga_in::Lang::Wgsl,
        Lang::Spirv => naga_in::Lang::Spirv,
        Lang::GlslCompute => naga_in::Lang::Glsl(naga_in::Stage::Compute),
        Lang::GlslVertex => naga_in::Lang::Glsl(naga_in::Stage::Vertex),
        Lang::GlslFragment => naga_in::Lang::Glsl(naga_in::Stage::Fragment),
        Lang::Gir => return gir(bytes, options),
    };
    let parsed = naga_in::parse(naga_in::Input { bytes }, lang)?;
    let front = naga_in::Options {
        entry: options.entry.clone(),
        overrides: options.overrides.clone(),
        robust: options.robust,
        ..naga_in::Options::default()
    };
    let mut module = naga_in::lower(&parsed, &front)?;
    if lang != naga_in::Lang::Spirv {
        module.set_source_text(bytes);
    }
    Ok(Loaded { module, warnings: Vec::new() })
}

/// The IR's own text form: parsed and verified.
fn gir(bytes: &[u8], options: &FrontOptions) -> Result<Loaded, Vec<Diagnostic>> {
    let text = std::str::from_utf8(bytes).map_err(|e| {
        vec![Diagnostic::invalid("encoding", format!("the file is not UTF-8 text (byte {})", e.valid_up_to()))]
    })?;
    let mut module =
        crate::compile::guarded("the IR text", || gpucc_ir::text::parse_module(text)).map_err(|d| vec![d])?;
    module.options.robust = options.robust;
    module.set_source_text(bytes);
    match gpucc_ir::verify::verify_module(&module) {
        Ok(()) => Ok(Loaded { module, warnings: Vec::new() }),
        Err(list) => Err(list.into_iter().map(|f| Diagnostic::invalid("verify", f.to_string())).collect()),
    }
}
