//! The driver in process, by the loader's function.

#![allow(unsafe_code, reason = "an application of Vulkan")]

mod formats;
mod instance;
mod settings;
