//! The machine: runs compute code from a container alone (docs/abi-tesla.md).
//!
//! It decodes bytes and knows nothing of how they were made. Whatever the ISA reference or the ABI page leaves
//! undefined traps: registers, flags and memory that were never written, unbalanced control stacks, unaligned or
//! stray accesses, words that are no instruction.

mod alu;
mod convert;
mod decode;
mod draw;
#[doc(hidden)]
pub mod float;
mod launch;
mod memory;
pub mod sfu;
mod sfu_tables;
mod shade;
mod state;
mod step;
mod subgroup;
mod texture;
mod weak;

pub use draw::draw;
pub use launch::{run, run_on};
pub use shade::{Shade, Shaded, shade};
pub use subgroup::{Emitted, Io, Lanes};

/// The chip's own arithmetic, for its numeric profile: raw f32 bits in and out.
pub mod math {
    pub use super::float::{mad, mul};
    pub use super::sfu::{cos, ex2, lg2, preex2, presin, rcp, rsqrt, sin};
}
