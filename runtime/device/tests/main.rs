//! All tests of `gpucc-device` in one binary.

mod compute;
mod cores;
mod kit;
