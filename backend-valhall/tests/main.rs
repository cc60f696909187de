//! All tests of `gpucc-valhall` in one binary: linking and starting is paid once.

mod common;
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
