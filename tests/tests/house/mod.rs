//! What is asked of the compiler and of its sources as a whole: structure, refusals, limits, levels.

mod container;
mod crate_graph;
mod fifth_family;
mod filetests;
mod levels;
mod limits;
mod predict;
pub mod refused;
mod scaling;
mod spirv_support;
mod structure;
mod support;
