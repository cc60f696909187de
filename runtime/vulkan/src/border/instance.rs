//! Functions of instances and of physical devices.

use std::ffi::{c_char, c_void};

use ash::vk;

use super::entry::{Alloc, entries};
use super::read::{chained, each_chained, fill, give, given, list, place, text};
use crate::instance::Instance;
use crate::log::{Message, Sink};
use crate::physical::chain::{Feature, Property, each_feature, each_property};
use crate::physical::{self, features, formats};
use crate::settings::{Chip, Level};
use crate::{handles, log};

/// A callback of an application as a sink of messages.
///
/// # Safety
/// The callback may be called with its user data from any thread until the messenger is destroyed.
unsafe fn sink(i: &vk::DebugUtilsMessengerCreateInfoEXT<'_>) -> Option<Sink> {
    let callback = i.pfn_user_callback?;
    let user = i.p_user_data as usize;
    Some(Box::new(move |m: &Message<'_>| {
        let zeroed = |s: &str| std::ffi::CString::new(s.replace('\0', " ")).unwrap_or_default();
        let (id, message) = (zeroed(m.function), zeroed(m.text));
        let data = vk::DebugUtilsMessengerCallbackDataEXT::default().message_id_name(&id).message(&message);
        let level = match m.level {
            Level::Error => vk::DebugUtilsMessageSeverityFlagsEXT::ERROR,
            Level::Warn => vk::DebugUtilsMessageSeverityFlagsEXT::WARNING,
            Level::Info => vk::DebugUtilsMessageSeverityFlagsEXT::INFO,
        };
        let kind = match m.misuse {
            true => vk::DebugUtilsMessageTypeFlagsEXT::VALIDATION,
            false => vk::DebugUtilsMessageTypeFlagsEXT::GENERAL,
        };
        // SAFETY: the caller's promise; the texts live until the callback returns.
        unsafe { callback(level, kind, &data, user as *mut c_void) };
    }))
}

/// Writes all structures of a chain that are known.
macro_rules! fill_known {
    ($p:expr, $chip:expr, $kind:ident, $($structure:ident)*) => {
        each_chained($p, |s_type, at| {
            $( if s_type == <vk::$structure<'_> as vk::TaggedStructure>::STRUCTURE_TYPE {
                if let Some(out) = at.cast::<vk::$structure<'_>>().as_mut() {
                    $kind::fill(out, $chip);
                }
            } )*
        })
    };
}

/// Fills a chain of features.
///
/// # Safety
/// `p` begins a chain that may be written, or is null.
unsafe fn fill_features(p: *mut c_void, chip: Chip) {
    // SAFETY: the type of a structure says what it is, and the application lets it be written.
    macro_rules! call { ($($s:ident)*) => { unsafe { fill_known!(p, chip, Feature, $($s)*) } }; }
    each_feature!(call);
}

/// Fills a chain of properties.
///
/// # Safety
/// As [`fill_features`].
unsafe fn fill_properties(p: *mut c_void, chip: Chip) {
    // SAFETY: as above.
    macro_rules! call { ($($s:ident)*) => { unsafe { fill_known!(p, chip, Property, $($s)*) } }; }
    each_property!(call);
}

/// A feature of a chain that is asked for and that a chip does not have.
///
/// # Safety
/// `p` begins a chain, or is null.
pub(super) unsafe fn excess(p: *const c_void, chip: Chip) -> Option<&'static str> {
    macro_rules! call {
        ($($s:ident)*) => { $(
            // SAFETY: the caller's promise.
            if let Some(f) = unsafe { chained::<vk::$s<'_>>(p) } && let Some(name) = f.excess(chip) {
                return Some(name);
            }
        )* };
    }
    each_feature!(call);
    None
}

entries! {
    PFN_vkCreateInstance => fn create_instance(
        info: *const vk::InstanceCreateInfo<'_>, _a: Alloc<'_>, out: *mut vk::Instance,
    ) -> vk::Result {
        let info = given(info)?;
        let names = list(info.pp_enabled_extension_names, info.enabled_extension_count)?;
        let names = names.iter().map(|n| text(*n)).collect::<Result<Vec<_>, _>>()?;
        let app = info.p_application_info.as_ref().filter(|a| !a.p_engine_name.is_null());
        // A name that is no text is nobody's.
        let engine = app.map_or(Ok(""), |a| text(a.p_engine_name)).unwrap_or("");
        let instance = Instance::open(&names, engine)?;
        if let Some(m) = chained::<vk::DebugUtilsMessengerCreateInfoEXT<'_>>(info.p_next) && let Some(s) = sink(m) {
            log::listen(vk::Handle::as_raw(instance), m.message_severity, m.message_type, s);
        }
        Instance::tell_faults(instance);
        give(out, instance)
    }
    PFN_vkDestroyInstance => fn destroy_instance(instance: vk::Instance, _a: Alloc<'_>) {
        Instance::close(instance);
        Ok(())
    }
    PFN_vkEnumerateInstanceVersion => fn enumerate_instance_version(out: *mut u32) -> vk::Result {
        give(out, physical::VERSION)
    }
    PFN_vkEnumerateInstanceExtensionProperties => fn enumerate_instance_extension_properties(
        layer: *const c_char, n: *mut u32, out: *mut vk::ExtensionProperties,
    ) -> vk::Result {
        let all = if layer.is_null() { physical::extensions(physical::INSTANCE_EXTENSIONS) } else { Vec::new() };
        fill(&all, n, out)
    }
    PFN_vkEnumerateInstanceLayerProperties => fn enumerate_instance_layer_properties(
        n: *mut u32, out: *mut vk::LayerProperties,
    ) -> vk::Result {
        fill(&[], n, out)
    }
    PFN_vkEnumeratePhysicalDevices => fn enumerate_physical_devices(
        instance: vk::Instance, n: *mut u32, out: *mut vk::PhysicalDevice,
    ) -> vk::Result {
        fill(&handles::at(instance)?.physical, n, out)
    }
    PFN_vkEnumeratePhysicalDeviceGroups => fn enumerate_physical_device_groups(
        instance: vk::Instance, n: *mut u32, out: *mut vk::PhysicalDeviceGroupProperties<'_>,
    ) -> vk::Result {
        let all = &handles::at(instance)?.physical;
        let n = place(n)?;
        if out.is_null() {
            *n = all.len() as u32;
            return Ok(vk::Result::SUCCESS);
        }
        let most = (*n as usize).min(all.len());
        for (k, &device) in all.iter().take(most).enumerate() {
            let group = place(out.add(k))?;
            (group.physical_device_count, group.physical_devices[0], group.subset_allocation) = (1, device, vk::FALSE);
        }
        *n = most as u32;
        Ok(if most < all.len() { vk::Result::INCOMPLETE } else { vk::Result::SUCCESS })
    }
    PFN_vkEnumerateDeviceExtensionProperties => fn enumerate_device_extension_properties(
        physical: vk::PhysicalDevice, layer: *const c_char, n: *mut u32, out: *mut vk::ExtensionProperties,
    ) -> vk::Result {
        handles::at(physical)?;
        let all = if layer.is_null() { physical::extensions(physical::DEVICE_EXTENSIONS) } else { Vec::new() };
        fill(&all, n, out)
    }
    PFN_vkEnumerateDeviceLayerProperties => fn enumerate_device_layer_properties(
        physical: vk::PhysicalDevice, n: *mut u32, out: *mut vk::LayerProperties,
    ) -> vk::Result {
        handles::at(physical)?;
        fill(&[], n, out)
    }
    PFN_vkGetPhysicalDeviceProperties => fn get_physical_device_properties(
        physical: vk::PhysicalDevice, out: *mut vk::PhysicalDeviceProperties,
    ) {
        let p = handles::at(physical)?;
        give(out, physical::properties(p.chip, p.version))
    }
    PFN_vkGetPhysicalDeviceProperties2 => fn get_physical_device_properties2(
        physical: vk::PhysicalDevice, out: *mut vk::PhysicalDeviceProperties2<'_>,
    ) {
        let p = handles::at(physical)?;
        let out = place(out)?;
        out.properties = physical::properties(p.chip, p.version);
        fill_properties(out.p_next, p.chip);
        Ok(())
    }
    PFN_vkGetPhysicalDeviceFeatures => fn get_physical_device_features(
        physical: vk::PhysicalDevice, out: *mut vk::PhysicalDeviceFeatures,
    ) {
        give(out, features::features(handles::at(physical)?.chip))
    }
    PFN_vkGetPhysicalDeviceFeatures2 => fn get_physical_device_features2(
        physical: vk::PhysicalDevice, out: *mut vk::PhysicalDeviceFeatures2<'_>,
    ) {
        let chip = handles::at(physical)?.chip;
        let out = place(out)?;
        out.features = features::features(chip);
        fill_features(out.p_next, chip);
        Ok(())
    }
    PFN_vkGetPhysicalDeviceQueueFamilyProperties => fn get_physical_device_queue_family_properties(
        physical: vk::PhysicalDevice, n: *mut u32, out: *mut vk::QueueFamilyProperties,
    ) {
        handles::at(physical)?;
        fill(&[physical::queue_family()], n, out).map(drop)
    }
    PFN_vkGetPhysicalDeviceQueueFamilyProperties2 => fn get_physical_device_queue_family_properties2(
        physical: vk::PhysicalDevice, n: *mut u32, out: *mut vk::QueueFamilyProperties2<'_>,
    ) {
        handles::at(physical)?;
        let n = place(n)?;
        if let Some(out) = out.as_mut().filter(|_| *n > 0) {
            out.queue_family_properties = physical::queue_family();
        } else if !out.is_null() {
            return Ok(());
        }
        *n = 1;
        Ok(())
    }
    PFN_vkGetPhysicalDeviceMemoryProperties => fn get_physical_device_memory_properties(
        physical: vk::PhysicalDevice, out: *mut vk::PhysicalDeviceMemoryProperties,
    ) {
        handles::at(physical)?;
        give(out, physical::memory())
    }
    PFN_vkGetPhysicalDeviceMemoryProperties2 => fn get_physical_device_memory_properties2(
        physical: vk::PhysicalDevice, out: *mut vk::PhysicalDeviceMemoryProperties2<'_>,
    ) {
        handles::at(physical)?;
        place(out)?.memory_properties = physical::memory();
        Ok(())
    }
    PFN_vkGetPhysicalDeviceFormatProperties => fn get_physical_device_format_properties(
        physical: vk::PhysicalDevice, format: vk::Format, out: *mut vk::FormatProperties,
    ) {
        give(out, formats::properties(handles::at(physical)?.chip, format))
    }
    PFN_vkGetPhysicalDeviceFormatProperties2 => fn get_physical_device_format_properties2(
        physical: vk::PhysicalDevice, format: vk::Format, out: *mut vk::FormatProperties2<'_>,
    ) {
        let out = place(out)?;
        let has = formats::properties(handles::at(physical)?.chip, format);
        out.format_properties = has;
        each_chained(out.p_next, |s_type, at| {
            if s_type == <vk::FormatProperties3<'_> as vk::TaggedStructure>::STRUCTURE_TYPE
                && let Some(out) = at.cast::<vk::FormatProperties3<'_>>().as_mut()
            {
                // The bits of the first form have the same places in the second, which tells comparisons apart.
                let deep = crate::convert::format(format).is_some_and(gpucc_pipeline::Format::has_depth);
                let wide = |f: vk::FormatFeatureFlags| {
                    let compares = deep && f.contains(vk::FormatFeatureFlags::SAMPLED_IMAGE);
                    let more = if compares { vk::FormatFeatureFlags2::SAMPLED_IMAGE_DEPTH_COMPARISON } else { Default::default() };
                    vk::FormatFeatureFlags2::from_raw(f.as_raw().into()) | more
                };
                out.linear_tiling_features = wide(has.linear_tiling_features);
                out.optimal_tiling_features = wide(has.optimal_tiling_features);
                out.buffer_features = wide(has.buffer_features);
            }
        });
        Ok(())
    }
    PFN_vkGetPhysicalDeviceImageFormatProperties => fn get_physical_device_image_format_properties(
        physical: vk::PhysicalDevice, format: vk::Format, ty: vk::ImageType, tiling: vk::ImageTiling,
        usage: vk::ImageUsageFlags, flags: vk::ImageCreateFlags, out: *mut vk::ImageFormatProperties,
    ) -> vk::Result {
        image_format(handles::at(physical)?.chip, (format, ty, tiling, usage, flags), place(out)?)
    }
    PFN_vkGetPhysicalDeviceImageFormatProperties2 => fn get_physical_device_image_format_properties2(
        physical: vk::PhysicalDevice, info: *const vk::PhysicalDeviceImageFormatInfo2<'_>,
        out: *mut vk::ImageFormatProperties2<'_>,
    ) -> vk::Result {
        let chip = handles::at(physical)?.chip;
        let (i, out) = (given(info)?, place(out)?);
        if chained::<vk::PhysicalDeviceExternalImageFormatInfo<'_>>(i.p_next).is_some_and(|e| !e.handle_type.is_empty()) {
            return Ok(vk::Result::ERROR_FORMAT_NOT_SUPPORTED);
        }
        image_format(chip, (i.format, i.ty, i.tiling, i.usage, i.flags), &mut out.image_format_properties)
    }
    PFN_vkGetPhysicalDeviceSparseImageFormatProperties => fn get_physical_device_sparse_image_format_properties(
        physical: vk::PhysicalDevice, _format: vk::Format, _ty: vk::ImageType, _samples: vk::SampleCountFlags,
        _usage: vk::ImageUsageFlags, _tiling: vk::ImageTiling, n: *mut u32, out: *mut vk::SparseImageFormatProperties,
    ) {
        handles::at(physical)?;
        fill(&[], n, out).map(drop)
    }
    PFN_vkGetPhysicalDeviceSparseImageFormatProperties2 => fn get_physical_device_sparse_image_format_properties2(
        physical: vk::PhysicalDevice, _info: *const vk::PhysicalDeviceSparseImageFormatInfo2<'_>, n: *mut u32,
        out: *mut vk::SparseImageFormatProperties2<'_>,
    ) {
        handles::at(physical)?;
        fill(&[], n, out).map(drop)
    }
    PFN_vkGetPhysicalDeviceExternalBufferProperties => fn get_physical_device_external_buffer_properties(
        physical: vk::PhysicalDevice, _info: *const vk::PhysicalDeviceExternalBufferInfo<'_>,
        out: *mut vk::ExternalBufferProperties<'_>,
    ) {
        handles::at(physical)?;
        place(out)?.external_memory_properties = vk::ExternalMemoryProperties::default();
        Ok(())
    }
    PFN_vkGetPhysicalDeviceExternalFenceProperties => fn get_physical_device_external_fence_properties(
        physical: vk::PhysicalDevice, _info: *const vk::PhysicalDeviceExternalFenceInfo<'_>,
        out: *mut vk::ExternalFenceProperties<'_>,
    ) {
        handles::at(physical)?;
        place(out)?.external_fence_features = vk::ExternalFenceFeatureFlags::empty();
        Ok(())
    }
    PFN_vkGetPhysicalDeviceExternalSemaphoreProperties => fn get_physical_device_external_semaphore_properties(
        physical: vk::PhysicalDevice, _info: *const vk::PhysicalDeviceExternalSemaphoreInfo<'_>,
        out: *mut vk::ExternalSemaphoreProperties<'_>,
    ) {
        handles::at(physical)?;
        place(out)?.external_semaphore_features = vk::ExternalSemaphoreFeatureFlags::empty();
        Ok(())
    }
    PFN_vkCreateDebugUtilsMessengerEXT => fn create_debug_utils_messenger(
        instance: vk::Instance, info: *const vk::DebugUtilsMessengerCreateInfoEXT<'_>, _a: Alloc<'_>,
        out: *mut vk::DebugUtilsMessengerEXT,
    ) -> vk::Result {
        handles::at(instance)?;
        let i = given(info)?;
        let s = sink(i).ok_or_else(|| crate::fail::Fail::misuse("a messenger has a callback"))?;
        let number = log::listen(vk::Handle::as_raw(instance), i.message_severity, i.message_type, s);
        give(out, vk::Handle::from_raw(number))
    }
    PFN_vkDestroyDebugUtilsMessengerEXT => fn destroy_debug_utils_messenger(
        instance: vk::Instance, messenger: vk::DebugUtilsMessengerEXT, _a: Alloc<'_>,
    ) {
        let number = vk::Handle::as_raw(messenger);
        if number != 0 {
            log::silence(vk::Handle::as_raw(instance), number);
        }
        Ok(())
    }
    PFN_vkSubmitDebugUtilsMessageEXT => fn submit_debug_utils_message(
        _instance: vk::Instance, _severity: vk::DebugUtilsMessageSeverityFlagsEXT,
        _types: vk::DebugUtilsMessageTypeFlagsEXT, _data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    ) {
        // The loader hands it to messengers itself.
        Ok(())
    }
}

type ImageWords = (vk::Format, vk::ImageType, vk::ImageTiling, vk::ImageUsageFlags, vk::ImageCreateFlags);

/// Fills what an image may be. That there is none is an ordinary answer, which nobody is told.
fn image_format(
    chip: Chip,
    (format, ty, tiling, usage, flags): ImageWords,
    out: &mut vk::ImageFormatProperties,
) -> crate::fail::Done<vk::Result> {
    let found = formats::image(chip, format, ty, tiling, usage, flags);
    *out = found.clone().unwrap_or_default();
    Ok(found.map_or_else(|f| f.code, |_| vk::Result::SUCCESS))
}
