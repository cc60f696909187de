//! All tests of `gpucc-vivante` in one binary: linking and starting is paid once.

mod clamp;
mod common;
mod mir;
mod operands;
mod optimise;
mod order;
mod products;
mod quality;
mod run;
mod suites;
mod uniforms;
