//! The compiler as a library: targets, options, compile.
//!
//! ```no_run
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let source = std::fs::read("shader.wgsl")?;
//! let loaded = gpucc::frontend::load(&source, gpucc::frontend::Lang::Wgsl, &Default::default())
//!     .map_err(|list| list[0].message.clone())?;
//! let options = gpucc::Options::new(gpucc::Target::parse("gcn:gfx7")?).entry("main");
//! let out = gpucc::compile(&loaded.module, &options)?;
//! std::fs::write("shader.bin", out.bytes())?;
//! # Ok(())
//! # }
//! ```

mod compile;
pub mod frontend;
pub mod listing;
mod target;

pub use compile::{Artifact, Options, compile, guarded};
pub use gpucc_ir::trace::PassTime;
pub use gpucc_mir::backend::{Backend, CodegenOptions, Output};
pub use target::{Target, backends};
