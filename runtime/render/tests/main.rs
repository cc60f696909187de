//! All tests of `gpucc-render` in one binary.

mod causes;
mod counted;
mod examples;
mod interface;
