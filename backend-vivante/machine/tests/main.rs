//! All tests of `gpucc-vivante-machine` in one binary: linking and starting is paid once.

mod exec;
mod flip;
mod listing;
mod vectors;
