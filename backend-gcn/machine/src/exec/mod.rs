//! The interpreter: runs the bytes of a container's entry point over a grid, and nothing else.
//!
//! Hardware rules are judged, not assumed: results of memory operations are poison until a wait covers them, missing
//! wait states trap, undefined registers may be copied but not used. The launch convention is `docs/abi-gcn.md`.

mod atomic;
mod cache;
mod compare;
mod decode;
mod draw;
mod export;
mod float;
mod format;
mod image;
mod interp;
mod lanes;
mod launch;
mod lds;
mod memory;
mod salu;
mod shade;
mod state;
mod step;
mod subgroup;
mod together;
mod valu;

pub use draw::draw;
pub use export::Export;
pub use launch::{run, run_on};
pub use shade::{Shade, shade};
