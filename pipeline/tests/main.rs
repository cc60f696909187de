//! All tests of `gpucc-pipeline` in one binary.

mod data;
