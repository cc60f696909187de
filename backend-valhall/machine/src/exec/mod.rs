//! The machine: executes the bytes of a compute program as the reference says, and judges them.
//!
//! `docs/abi-valhall.md` says what a launch provides and which rules are checked. A run ends in a report, or in a trap
//! that names rule, instruction and address.

mod alu;
mod decode;
mod float;
mod launch;
mod memory;
mod scoreboard;
mod step;
mod subgroup;

pub use launch::{MOST_GROUP, REGISTER_FILE, run};
