//! The compiler as a library: targets, options, compile.
//!
//! [`frontend::load`] reads a shader with the front-end options: its entry point, overrides, robustness.
//! [`compile`] makes a container of every entry point that it holds, for one target.
//!
//! ```no_run
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     use gpucc::{Errors, Options, Target, frontend};
//!     let source = std::fs::read_to_string("shader.wgsl")?;
//!     let front = frontend::FrontOptions { entry: Some("main".into()), ..Default::default() };
//!     let shader = frontend::load(source.as_bytes(), frontend::Lang::Wgsl, &front);
//!     // An error is shown with the line that it is about.
//!     let shader = shader.map_err(|list| Errors(list).with_source(&source))?;
//!     let options = Options::new(Target::parse("gcn:gfx7")?);
//!     let out = gpucc::compile(&shader.module, &options).map_err(|d| Errors::from(d).with_source(&source))?;
//!     std::fs::write("shader.bin", out.bytes())?;
//!     Ok(())
//! }
//! ```
//!
//! # What stays
//!
//! Versions are 0.x, so a new minor version may change this interface; a patch version does not. These are kept longer:
//!
//! * [`Diagnostic::code`]: a code keeps its meaning, and that of a refusal stays in `docs/support.md` as long as something is
//!   refused for that reason. New codes come. The sentences are for people and change freely.
//! * The container: readers of a major version read every file of that version (`docs/container.md`).
//! * Commands, options, exit codes and reports of `gpucc` (`docs/command-line.md`): new ones come, old ones stay.
//!
//! # Threads, stack and panics
//!
//! Modules, options, artifacts and errors are `Send` and `Sync`, and calls on several threads do not wait for each other. [`frontend::load`] and its like read
//! on a thread of their own with a large stack, unless [`frontend::promise_room`] said that the caller's has that much free. [`compile`]
//! works on the caller's thread and wants 2 MiB of stack, what a thread of Rust has. The first call of either puts a panic hook in front
//! of the one that is there: a panic that becomes a diagnostic is not printed, every other one goes to the hook from before. A hook
//! that is set later replaces this one, and such panics are printed too. In a program built with `panic = "abort"` they end it.

pub mod cache;
mod compile;
pub mod elf;
mod errors;
mod facts;
mod fit;
pub mod frontend;
pub mod glsl;
mod instructions;
pub mod legend;
pub mod listing;
pub mod pipeline;
mod promises;
mod reading;
pub mod reflect;
pub mod statistics;
pub mod support;
mod target;
mod uniform;
pub mod variant;

pub use compile::{Artifact, Options, compile, compile_entry, compile_entry_for, compile_entry_sharing, guarded};
pub use errors::{Errors, Located, Position};
pub use gpucc_container as container;
pub use gpucc_driver::{Backend, CodegenOptions, LineCost, Occupancy, Output, SharedPasses, default_pipeline};
pub use gpucc_ir::trace::PassTime;
pub use gpucc_ir::{Class, Diagnostic, Module, Severity, Span, Stage};
pub use gpucc_isa::Mark;
pub use gpucc_opt::PipelineContext;
pub use instructions::{Instruction, texts};
pub use target::{Target, backends};

/// The README's snippets compile.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub struct Readme;
