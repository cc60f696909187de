//! Keeps hostile input from naga: limits, the scan that enforces them, and the thread naga runs on.

pub mod limits;
pub mod scan;
pub mod spirv;
pub mod thread;
