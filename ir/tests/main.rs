//! All tests of `gpucc-ir` in one binary: linking and starting is paid once.

mod analysis;
mod analysis_range;
mod builder;
mod compact;
mod edges;
mod eval;
mod lists;
mod ops;
mod refusal;
mod results;
mod source;
mod stages;
mod text;
mod textures;
mod trace;
mod types;
mod values;
mod verify;
