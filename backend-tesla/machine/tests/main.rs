//! All tests of `gpucc-tesla-machine` in one binary: linking and starting is paid once.

mod common;
mod draw_rows;
mod effects;
mod exec_sfu;
mod flow;
mod image_rows;
mod page;
mod rows;
mod speed;
mod stages;
mod structured;
mod text;
mod vectors;
