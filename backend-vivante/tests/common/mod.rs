//! This family under the helpers that the tests of all backends share.

#[path = "../../../tests/support/backend.rs"]
mod support;

pub use gpucc_vivante::VIVANTE as BACKEND;
pub use support::*;

/// Runs a container on this family's machine.
pub const MACHINE: gpucc_kit::exec::RunFn = gpucc_vivante_machine::run;

/// Generations, oldest first.
pub const NAMES: [&str; 3] = ["gc2000", "gc3000", "gc7000"];
