//! The compiler as a library: targets, options, compile.
//!
//! [`frontend::load`] reads a shader with the front-end options: its entry point, overrides, robustness.
//! [`compile`] makes a container of every entry point that it holds, for one target.
//!
//! ```no_run
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     use gpucc::{Errors, Options, Target, frontend};
//!     let source = std::fs::read("shader.wgsl")?;
//!     let front = frontend::FrontOptions { entry: Some("main".into()), ..Default::default() };
//!     let shader = frontend::load(&source, frontend::Lang::Wgsl, &front).map_err(Errors)?;
//!     let out = gpucc::compile(&shader.module, &Options::new(Target::parse("gcn:gfx7")?))?;
//!     std::fs::write("shader.bin", out.bytes())?;
//!     Ok(())
//! }
//! ```

mod compile;
mod fit;
pub mod frontend;
pub mod legend;
pub mod listing;
pub mod pipeline;
mod promises;
pub mod statistics;
pub mod support;
mod target;
mod uniform;

pub use compile::{Artifact, Options, compile, compile_entry, compile_entry_for, guarded};
pub use gpucc_container as container;
pub use gpucc_driver::{Backend, CodegenOptions, Output, default_pipeline};
pub use gpucc_ir::trace::PassTime;
pub use gpucc_ir::{Class, Diagnostic, Module, Severity, Span};
pub use gpucc_opt::PipelineContext;
pub use target::{Target, backends};

/// Diagnostics as one error, for callers that pass errors on.
#[derive(Clone, Debug)]
pub struct Errors(pub Vec<Diagnostic>);

impl std::fmt::Display for Errors {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (i, d) in self.0.iter().enumerate() {
            write!(f, "{}{d}", if i > 0 { "\n" } else { "" })?;
        }
        Ok(())
    }
}

impl std::error::Error for Errors {}

/// The README's snippets compile.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub struct Readme;
