//! All tests of `gpucc-scene` in one binary: linking and starting is paid once.

mod read;
mod shared;
