//! All tests of `gpucc-interp` in one binary: linking and starting is paid once.

mod accuracy;
mod alu;
mod compare;
mod ops;
mod programs;
mod quads;
mod textures;
