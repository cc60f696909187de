//! Scenes: frames in WebGPU's words (format `scene-1`), without any shader compiled.
//!
//! [`read`] turns TOML or JSON into a [`Scene`], [`check`] applies WebGPU's validation to all that the scene alone
//! decides, [`contents`] makes the first bytes of textures and buffers, [`output`] takes bytes and pictures out again.
//! Answers that need compiled shaders (which bindings a pipeline uses, of which types) come through [`uses::Layouts`].
//!
//! No input makes this crate panic, and none makes it take more memory than the limits of [`limits`] allow.

pub mod alone;
pub mod cases;
pub mod check;
pub mod compare;
pub mod contents;
pub mod difference;
pub mod error;
pub mod generator;
mod hex;
pub mod limits;
pub mod model;
pub mod moment;
pub mod near;
pub mod output;
pub mod picture;
mod place;
pub mod read;
pub mod resize;
pub mod sheet;
mod size;
pub mod toy;
pub mod uses;
pub mod view;

pub use contents::Resources;
pub use error::SceneError;
pub use model::Scene;
pub use picture::Picture;
pub use read::SceneFile;
