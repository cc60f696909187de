//! All tests of `gpucc-vivante` in one binary: linking and starting is paid once.

mod common;
mod mir;
mod optimise;
mod quality;
mod run;
