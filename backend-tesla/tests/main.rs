//! All tests of `gpucc-tesla` in one binary: linking and starting is paid once.

mod common;
mod doubles;
mod effects;
#[path = "../../tests/support/examples.rs"]
mod examples;
mod halves;
mod mir;
mod operands;
mod order;
mod parts;
mod quality;
mod run;
mod slots;
mod suites;
mod tail;
