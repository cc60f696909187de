//! All tests of `gpucc-tesla-machine` in one binary: linking and starting is paid once.

mod common;
mod effects;
mod exec_sfu;
mod flow;
mod page;
mod rows;
mod speed;
mod structured;
mod text;
mod vectors;
