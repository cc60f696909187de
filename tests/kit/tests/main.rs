//! All tests of `gpucc-kit` in one binary: linking and starting is paid once.

mod cases;
mod examples;
mod examples_parallel;
