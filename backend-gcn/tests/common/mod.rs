//! This family under the helpers that the tests of all backends share.

pub mod encoded;
#[path = "../../../tests/support/backend.rs"]
mod support;

pub use gpucc_gcn::GCN as BACKEND;
pub use support::*;

/// Runs a container on this family's machine.
pub const MACHINE: gpucc_kit::exec::RunFn = gpucc_gcn_machine::run;

/// Generations, oldest first.
pub const NAMES: [&str; 3] = ["gfx6", "gfx7", "gfx8"];
