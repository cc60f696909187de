//! Keeps hostile input from naga: the scans that enforce limits, and the thread naga runs on.

pub use gpucc_frontend_common::{limits, thread};

pub mod glsl;
pub mod scan;
pub mod spirv;
mod weight;
pub mod wgsl;
