//! All tests of `gpucc` in one binary: linking and starting is paid once.

mod cache;
mod driver;
mod elf;
mod errors;
mod hash;
mod legend;
mod pipeline;
mod reflect;
mod statistics;
mod target;
mod threads;
mod variant;
