//! All tests of `gpucc-gcn` in one binary: linking and starting is paid once.

mod common;
mod mir;
mod run;
mod schedule;
