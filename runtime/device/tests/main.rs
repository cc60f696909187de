//! All tests of `gpucc-device` in one binary.

mod compute;
mod kit;
