//! Vulkan's words as those of the pipeline and of the samplers.

pub mod blocks;
mod etc;
pub mod formats;
pub mod sampler;
pub mod state;
pub mod swizzle;

pub use formats::{aspects, format, vertex_format, vulkan};
