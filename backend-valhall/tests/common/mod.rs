//! This family under the helpers that the tests of all backends share.

#[path = "../../../tests/support/backend.rs"]
mod support;

pub use gpucc_valhall::VALHALL as BACKEND;
pub use support::*;

/// Runs a container on this family's machine.
pub const MACHINE: gpucc_kit::exec::RunFn = gpucc_valhall_machine::run;

/// Generations, oldest first.
pub const NAMES: [&str; 2] = ["v9", "v10"];
