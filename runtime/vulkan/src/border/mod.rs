//! The border to C: every function of the table, and nothing else of the crate, sees pointers.
//!
//! An entry point turns handles into objects and pointers into values, calls ordinary Rust, and writes results. A failure becomes its
//! code, after the log and the messengers have got the sentence. A panic becomes a failure.

#![expect(unsafe_code, reason = "the border to C")]

mod bytes;
mod command;
mod destroy;
mod device;
mod draw;
mod entry;
mod instance;
mod late;
mod newer;
mod pipeline;
mod private;
pub(crate) mod read;
mod resource;
mod set;
mod surface;
mod sync;
mod table;

pub use bytes::Bytes;
pub use entry::clear_words;
pub use table::lookup;
use table::lookup_c;

use std::ffi::{CStr, c_char};

use ash::vk;

/// The loader's first question: the entry point of a name.
///
/// # Safety
/// `name` is null or a text with a zero at the end.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn vk_icdGetInstanceProcAddr(
    _instance: vk::Instance,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: the caller's promise.
    unsafe { lookup_c(name) }
}

/// The loader's question for functions whose first argument is a physical device.
///
/// # Safety
/// As [`vk_icdGetInstanceProcAddr`].
#[unsafe(no_mangle)]
pub unsafe extern "system" fn vk_icdGetPhysicalDeviceProcAddr(
    _instance: vk::Instance,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    if name.is_null() {
        return None;
    }
    // SAFETY: the caller's promise.
    let own = unsafe { CStr::from_ptr(name) }.to_bytes();
    let device =
        own.starts_with(b"vkGetPhysicalDevice") || own.starts_with(b"vkEnumerateDevice") || own == b"vkCreateDevice";
    // SAFETY: the caller's promise.
    if device { unsafe { lookup_c(name) } } else { None }
}

/// The version of the loader's interface: both take the lower one. 5 is the first whose drivers may have any version of Vulkan.
const INTERFACE: u32 = 5;

/// The loader and the driver agree on a version of their interface.
///
/// # Safety
/// `version` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn vk_icdNegotiateLoaderICDInterfaceVersion(version: *mut u32) -> vk::Result {
    // SAFETY: the caller's promise.
    let Some(version) = (unsafe { version.as_mut() }) else { return vk::Result::ERROR_INITIALIZATION_FAILED };
    if *version < 2 {
        return vk::Result::ERROR_INCOMPATIBLE_DRIVER;
    }
    *version = (*version).min(INTERFACE);
    vk::Result::SUCCESS
}
