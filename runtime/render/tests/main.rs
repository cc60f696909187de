//! All tests of `gpucc-render` in one binary.

mod interface;
