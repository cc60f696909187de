//! All tests of `gpucc-render` in one binary.

mod examples;
mod interface;
