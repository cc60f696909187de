//! Keeps hostile input from naga: limits, the scans that enforce them, and the thread naga runs on.

pub mod glsl;
pub mod limits;
pub mod scan;
pub mod spirv;
pub mod thread;
mod weight;
pub mod wgsl;
