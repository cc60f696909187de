//! All tests of `gpucc-vivante-machine` in one binary: linking and starting is paid once.

mod conditions;
mod exec;
mod flip;
mod kit;
mod listing;
mod state;
mod steps;
mod textures;
mod vectors;
