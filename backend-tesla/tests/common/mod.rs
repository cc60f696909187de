//! This family under the helpers that the tests of all backends share.

#[path = "../../../tests/support/backend.rs"]
mod support;

pub use gpucc_tesla::TESLA as BACKEND;
pub use support::*;

/// Runs a container on this family's machine.
pub const MACHINE: gpucc_kit::exec::RunFn = gpucc_tesla_machine::run;

/// Generations, oldest first.
pub const NAMES: [&str; 4] = ["nv50", "nv84", "nva0", "nva3"];
