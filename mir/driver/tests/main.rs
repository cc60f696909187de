//! All tests of `gpucc-driver` in one binary: linking and starting is paid once.

mod encoded;
mod interface;
mod programs;
mod races;
mod tiny;
mod variants;
