//! What the runners and the suites over all families share. What needs no back end is in `gpucc-kit`.

pub mod exec;
pub mod foreign;
pub mod gfx;
pub mod heap;
pub mod mesh;
pub mod scaling;

pub use gpucc_kit::{cases, examples, filetest, predict, randprog, shared};
