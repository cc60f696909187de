//! The driver in process, by the loader's function: no loader is needed.
#![expect(unsafe_code, reason = "Vulkan is called as programs call it")]

mod arrays;
#[expect(dead_code, reason = "its main function is cargo's")]
#[path = "../build.rs"]
mod build;
mod caches;
mod compute;
mod flat;
mod formats;
mod handles;
mod instance;
mod kit;
mod names;
mod needs;
mod needs_alone;
mod programs;
mod render;
mod settings;
mod statistics;
mod textures;
mod tools;
mod versions;
