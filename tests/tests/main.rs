//! All tests of `gpucc-tests` in one binary: linking and starting is paid once.

mod container;
mod copies;
mod corpus;
mod crate_graph;
mod examples;
mod exits;
mod far_branches;
mod filetests;
mod foreign;
mod hostile;
mod immediates;
mod levels;
mod limits;
mod numbers;
mod oracle;
mod races;
mod ragged;
mod random;
mod spirv;
mod spirv_naga;
mod strangers;
mod structure;
mod support;
mod switches;
mod swizzles;
