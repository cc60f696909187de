//! All tests of `gpucc-render` in one binary.

mod causes;
mod examples;
mod interface;
