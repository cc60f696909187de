//! All tests of `gpucc-valhall` in one binary: linking and starting is paid once.

mod common;
#[path = "../../tests/support/examples.rs"]
mod examples;
mod fau;
mod flow;
mod folds;
mod mir;
mod operands;
mod order;
mod parts;
mod run;
mod suites;
mod tail;
