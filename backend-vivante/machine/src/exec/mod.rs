//! The machine: executes the bytes of a container, by the convention of `docs/abi-vivante.md`.
//!
//! It shares no code with instruction selection. What the reference leaves open traps by name or follows a reading
//! written down in `docs/errata-vivante.md`; registers, a0 and workgroup memory are undefined until written, and a
//! component is checked each time it is read.

mod alu;
mod attribute;
mod decode;
mod draw;
mod image;
mod launch;
mod memory;
mod registers;
mod sampler;
mod steps;
mod subgroup;
mod texture;

pub use draw::draw;
pub use launch::{LANES, run, run_on};
