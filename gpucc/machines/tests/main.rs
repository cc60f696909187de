//! All tests of `gpucc-machines` in one binary: linking and starting is paid once.

mod launch;
mod profile;
mod traps;
