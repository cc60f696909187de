//! All tests of `gpucc-vivante` in one binary: linking and starting is paid once.

mod common;
#[path = "../../tests/support/examples.rs"]
mod examples;
mod join_gradients;
mod known_divisors;
mod launch;
mod mir;
mod operands;
mod optimise;
mod order;
mod quality;
mod run;
mod split_dots;
mod suites;
mod uniforms;
