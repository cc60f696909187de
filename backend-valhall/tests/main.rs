//! All tests of `gpucc-valhall` in one binary: linking and starting is paid once.

mod common;
mod flow;
mod mir;
mod run;
