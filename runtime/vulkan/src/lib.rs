//! A Vulkan driver whose devices are the oracle and the machines.
//!
//! The loader finds the library by a manifest (`gpucc icd`), asks `vk_icdGetInstanceProcAddr` for every function, and hands them to the
//! application. One physical device stands for one target; `GPUCC_VULKAN_TARGETS` says which. `docs/vulkan.md` is the page for users.
//!
//! Only [`mod@border`] sees pointers and has `unsafe` code. It turns handles into objects ([`handles`]) and structures into values; the rest is
//! ordinary Rust. What a device says of itself is in [`physical`], what words mean in [`convert`].

pub mod border;
pub mod built_in;
pub mod cache;
pub mod command;
pub mod convert;
pub mod device;
pub mod exec;
pub mod fail;
pub mod given;
pub mod handles;
pub mod heap;
pub mod instance;
pub mod log;
pub mod memory;
pub mod pass;
pub mod physical;
pub mod pipeline;
pub mod present;
pub mod private;
pub mod query;
pub mod reached;
pub mod record;
pub mod samplers;
pub mod set;
pub mod settings;
pub mod shared;
pub mod sized;
pub mod surface;
pub mod sync;
