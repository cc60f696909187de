//! All tests of `gpucc-driver` in one binary: linking and starting is paid once.

mod encoded;
mod races;
mod tiny;
