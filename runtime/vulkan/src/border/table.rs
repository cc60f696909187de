//! All entry points by name, and the two that ask for others.

use std::ffi::{CStr, c_char};
use std::panic::catch_unwind;

use ash::vk;

use super::entry::entries;
use super::{command, destroy, device, draw, instance, late, newer, pipeline, private, resource, set, surface, sync};

/// All entry points.
const TABLES: &[&[(&str, vk::PFN_vkVoidFunction)]] = &[
    TABLE,
    instance::TABLE,
    device::TABLE,
    destroy::TABLE,
    sync::TABLE,
    resource::TABLE,
    set::TABLE,
    pipeline::TABLE,
    command::TABLE,
    draw::TABLE,
    surface::TABLE,
    newer::TABLE,
    late::TABLE,
    private::TABLE,
];

/// The entry point of a name. Extensions that became part of Vulkan have the same functions under longer names.
pub fn lookup(name: &str) -> vk::PFN_vkVoidFunction {
    let find =
        |n: &str| TABLES.iter().flat_map(|t| t.iter()).find(|e| e.0.strip_prefix("PFN_") == Some(n)).map(|e| e.1);
    let short = || find(name.strip_suffix("KHR").or_else(|| name.strip_suffix("EXT"))?);
    find(name).or_else(short).flatten()
}

/// The entry point of a name in C.
///
/// # Safety
/// A pointer that is not null is a text.
pub(super) unsafe fn lookup_c(name: *const c_char) -> vk::PFN_vkVoidFunction {
    if name.is_null() {
        return None;
    }
    // SAFETY: the caller's promise.
    let name = unsafe { CStr::from_ptr(name) };
    catch_unwind(|| lookup(name.to_str().ok()?)).unwrap_or(None)
}

entries! {
    PFN_vkGetInstanceProcAddr => fn get_instance_proc_addr(_instance: vk::Instance, name: *const c_char) -> vk::PFN_vkVoidFunction {
        Ok(lookup_c(name))
    }
    PFN_vkGetDeviceProcAddr => fn get_device_proc_addr(_device: vk::Device, name: *const c_char) -> vk::PFN_vkVoidFunction {
        Ok(lookup_c(name))
    }
}
