//! Reference interpreter of the IR: the oracle.
//!
//! [`Program::new`] translates an entry point and what it calls into dense arrays; [`Program::run`] executes it for a
//! whole grid in lockstep subgroups with reconvergence at merge blocks, so that barriers (and later subgroup
//! operations) mean something. It runs any valid module: with calls and variables as the frontend made it, or lowered
//! for a target. A [`Profile`] makes it compute as a given machine does; [`compare`] judges a machine's buffers.
//!
//! It is strict: reads of bytes that were never written, barriers that not everybody reaches, misaligned and (unless
//! the module is robust) out-of-bounds accesses are traps that name the instruction.

mod alu;
mod compare;
mod exec;
mod memory;
#[cfg(test)]
mod ops_test;
mod order;
mod profile;
mod program;
#[cfg(test)]
mod tests;

pub use compare::{Difference, Kind, Tolerance, compare};
pub use exec::Outcome;
pub use profile::{FmaModel, MachineMath, Profile};
pub use program::Program;
