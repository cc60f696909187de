//! The machine: executes the bytes of programs as the reference says, and judges them.
//!
//! `docs/abi-valhall.md` says what a launch provides and which rules are checked. A run ends in a report, or in a trap
//! that names rule, instruction and address.

mod alu;
mod decode;
mod descriptor;
mod draw;
mod float;
mod format;
mod image;
mod launch;
mod memory;
mod scoreboard;
mod stage;
mod step;
mod subgroup;
mod tables;
mod texture;
mod tile;
mod varying;
mod weak;

pub use draw::draw;
pub use launch::{MOST_GROUP, REGISTER_FILE, run, run_on};
