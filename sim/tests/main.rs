//! All tests of `gpucc-sim` in one binary: linking and starting is paid once.

mod address;
mod device;
mod dispatch;
mod draw;
mod grid;
mod lanes;
mod memory;
mod quads;
mod race;
mod raster;
mod rng;
mod sync;
mod texture;
mod trap;
mod words;
