//! Functions of devices and queues.

use ash::vk::{self, Handle};

use super::entry::{Alloc, entries};
use super::instance::excess;
use super::read::{chained, each_chained, give, given, list, place, text};
use crate::device::{Device, Job};
use crate::fail::{Done, Fail};
use crate::physical::{self, features, limits};
use crate::{command, handles, sync};

/// Destroys all that a device still owns.
fn purge(owner: u64) -> usize {
    let lists = [
        handles::purge::<vk::PrivateDataSlot>(owner),
        handles::purge::<vk::DeviceMemory>(owner),
        handles::purge::<vk::Buffer>(owner),
        handles::purge::<vk::BufferView>(owner),
        handles::purge::<vk::Image>(owner),
        handles::purge::<vk::ImageView>(owner),
        handles::purge::<vk::Sampler>(owner),
        handles::purge::<vk::DescriptorSetLayout>(owner),
        handles::purge::<vk::DescriptorSet>(owner),
        handles::purge::<vk::DescriptorPool>(owner),
        handles::purge::<vk::DescriptorUpdateTemplate>(owner),
        handles::purge::<vk::PipelineLayout>(owner),
        handles::purge::<vk::Pipeline>(owner),
        handles::purge::<vk::PipelineCache>(owner),
        handles::purge::<vk::ShaderModule>(owner),
        handles::purge::<vk::RenderPass>(owner),
        handles::purge::<vk::Framebuffer>(owner),
        handles::purge::<vk::QueryPool>(owner),
        handles::purge::<vk::Fence>(owner),
        handles::purge::<vk::Semaphore>(owner),
        handles::purge::<vk::Event>(owner),
        handles::purge::<vk::SwapchainKHR>(owner),
    ];
    lists.iter().sum()
}

/// Makes a device for what an application asks.
///
/// # Safety
/// The structure keeps Vulkan's rules.
unsafe fn open(physical: vk::PhysicalDevice, info: *const vk::DeviceCreateInfo<'_>) -> Done<vk::Device> {
    // SAFETY: the caller's promise.
    unsafe {
        let p = handles::at(physical)?;
        let i = given(info)?;
        let lacks = |code, text: String| Err(Fail::new(code, text));
        for name in list(i.pp_enabled_extension_names, i.enabled_extension_count)? {
            let name = text(*name)?;
            if !physical::DEVICE_EXTENSIONS.iter().any(|e| e.0.to_bytes() == name.as_bytes()) {
                return lacks(vk::Result::ERROR_EXTENSION_NOT_PRESENT, format!("there is no device extension {name}"));
            }
        }
        let has = features::features(p.chip);
        let core = chained::<vk::PhysicalDeviceFeatures2<'_>>(i.p_next).map(|f| f.features);
        let asked = [i.p_enabled_features.as_ref().copied(), core];
        let mut missing: Vec<String> = asked.iter().flatten().flat_map(|f| features::lacking(f, &has)).collect();
        missing.extend(excess(i.p_next, p.chip).map(features::camel));
        if !missing.is_empty() {
            missing.dedup();
            let text = format!("the device does not have {}", missing.join(", "));
            return lacks(vk::Result::ERROR_FEATURE_NOT_PRESENT, text);
        }
        for q in list(i.p_queue_create_infos, i.queue_create_info_count)? {
            if q.queue_family_index != 0 || q.queue_count > 1 {
                return lacks(vk::Result::ERROR_INITIALIZATION_FAILED, "there is one queue, in family 0".into());
            }
        }
        Device::open(p.chip, p.instance)
    }
}

/// The fence of a handle that may be null.
pub(super) fn fence(owner: u64, fence: vk::Fence) -> Done<Option<std::sync::Arc<sync::Fence>>> {
    handles::get_some(owner, fence)
}

/// The jobs of a submission.
///
/// # Safety
/// The structures keep Vulkan's rules.
unsafe fn jobs(owner: u64, submits: &[vk::SubmitInfo<'_>], signal: vk::Fence) -> Done<Vec<Job>> {
    let mut all = Vec::with_capacity(submits.len() + 1);
    for s in submits {
        let mut job = Job::default();
        // SAFETY: the caller's promise.
        unsafe {
            let times = chained::<vk::TimelineSemaphoreSubmitInfo<'_>>(s.p_next);
            let waits = times.map_or(Ok(&[][..]), |t| list(t.p_wait_semaphore_values, t.wait_semaphore_value_count))?;
            let ends =
                times.map_or(Ok(&[][..]), |t| list(t.p_signal_semaphore_values, t.signal_semaphore_value_count))?;
            for (k, &w) in list(s.p_wait_semaphores, s.wait_semaphore_count)?.iter().enumerate() {
                job.waits.push((handles::get(owner, w)?, waits.get(k).copied().unwrap_or(1)));
            }
            for &c in list(s.p_command_buffers, s.command_buffer_count)? {
                job.lists.push(commands(owner, c)?);
            }
            for (k, &w) in list(s.p_signal_semaphores, s.signal_semaphore_count)?.iter().enumerate() {
                let semaphore = handles::get(owner, w)?;
                let value = if semaphore.timeline { ends.get(k).copied().unwrap_or(1) } else { 1 };
                job.signals.push((semaphore, value));
            }
        }
        all.push(job);
    }
    fenced(owner, all, signal)
}

/// The jobs of a submission, the last of which signals its fence.
pub(super) fn fenced(owner: u64, mut jobs: Vec<Job>, signal: vk::Fence) -> Done<Vec<Job>> {
    if let Some(fence) = fence(owner, signal)? {
        if jobs.is_empty() {
            jobs.push(Job::default());
        }
        if let Some(last) = jobs.last_mut() {
            last.fence = Some(fence);
        }
    }
    Ok(jobs)
}

/// The commands of a primary buffer of a device.
pub(super) fn commands(owner: u64, c: vk::CommandBuffer) -> Done<std::sync::Arc<Vec<command::Command>>> {
    let buffer = handles::at(c)?;
    if buffer.device.handle != owner {
        return Err(Fail::misuse("a command buffer of another device"));
    }
    if buffer.secondary {
        return Err(Fail::misuse("a secondary command buffer is submitted"));
    }
    buffer.list()
}

entries! {
    PFN_vkCreateDevice => fn create_device(
        physical: vk::PhysicalDevice, info: *const vk::DeviceCreateInfo<'_>, _a: Alloc<'_>, out: *mut vk::Device,
    ) -> vk::Result {
        let device = open(physical, info)?;
        give(out, device)
    }
    PFN_vkDestroyDevice => fn destroy_device(device: vk::Device, _a: Alloc<'_>) {
        if device.is_null() {
            return Ok(());
        }
        let gone = handles::at(device)?;
        gone.close();
        super::command::close_all(gone.handle);
        purge(gone.handle);
        handles::close(device);
        Ok(())
    }
    PFN_vkGetDeviceQueue => fn get_device_queue(device: vk::Device, _family: u32, _index: u32, out: *mut vk::Queue) {
        give(out, handles::at(device)?.queue())
    }
    PFN_vkGetDeviceQueue2 => fn get_device_queue2(device: vk::Device, _info: *const vk::DeviceQueueInfo2<'_>, out: *mut vk::Queue) {
        give(out, handles::at(device)?.queue())
    }
    PFN_vkDeviceWaitIdle => fn device_wait_idle(device: vk::Device) -> vk::Result {
        handles::at(device)?.wait_idle()
    }
    PFN_vkQueueWaitIdle => fn queue_wait_idle(queue: vk::Queue) -> vk::Result {
        handles::at(queue)?.device.wait_idle()
    }
    PFN_vkQueueSubmit => fn queue_submit(
        queue: vk::Queue, n: u32, submits: *const vk::SubmitInfo<'_>, fence: vk::Fence,
    ) -> vk::Result {
        let device = &handles::at(queue)?.device;
        for job in jobs(device.handle, list(submits, n)?, fence)? {
            device.submit(job)?;
        }
        Ok(())
    }
    PFN_vkQueueBindSparse => fn queue_bind_sparse(
        queue: vk::Queue, n: u32, _binds: *const vk::BindSparseInfo<'_>, signal: vk::Fence,
    ) -> vk::Result {
        let device = &handles::at(queue)?.device;
        if n > 0 {
            return Err(Fail::lacks("there are no sparse resources"));
        }
        device.submit(Job { fence: fence(device.handle, signal)?, ..Job::default() })
    }
    PFN_vkGetDeviceGroupPeerMemoryFeatures => fn get_device_group_peer_memory_features(
        device: vk::Device, _heap: u32, _local: u32, _remote: u32, out: *mut vk::PeerMemoryFeatureFlags,
    ) {
        handles::at(device)?;
        give(out, vk::PeerMemoryFeatureFlags::empty())
    }
    PFN_vkQueueBeginDebugUtilsLabelEXT => fn queue_begin_label(queue: vk::Queue, _label: *const vk::DebugUtilsLabelEXT<'_>) {
        handles::at(queue).map(drop)
    }
    PFN_vkQueueEndDebugUtilsLabelEXT => fn queue_end_label(queue: vk::Queue) {
        handles::at(queue).map(drop)
    }
    PFN_vkQueueInsertDebugUtilsLabelEXT => fn queue_insert_label(queue: vk::Queue, _label: *const vk::DebugUtilsLabelEXT<'_>) {
        handles::at(queue).map(drop)
    }
    PFN_vkSetDebugUtilsObjectNameEXT => fn set_object_name(
        device: vk::Device, _info: *const vk::DebugUtilsObjectNameInfoEXT<'_>,
    ) -> vk::Result {
        handles::at(device).map(drop)
    }
    PFN_vkSetDebugUtilsObjectTagEXT => fn set_object_tag(
        device: vk::Device, _info: *const vk::DebugUtilsObjectTagInfoEXT<'_>,
    ) -> vk::Result {
        handles::at(device).map(drop)
    }
    PFN_vkGetDescriptorSetLayoutSupport => fn get_descriptor_set_layout_support(
        device: vk::Device, info: *const vk::DescriptorSetLayoutCreateInfo<'_>,
        out: *mut vk::DescriptorSetLayoutSupport<'_>,
    ) {
        let chip = handles::at(device)?.chip();
        let (info, out) = (given(info)?, place(out)?);
        let variable = vk::DescriptorBindingFlags::VARIABLE_DESCRIPTOR_COUNT;
        let variable = super::set::bindings(info)?.find(|b| b.1.contains(variable));
        out.supported = vk::TRUE;
        // What the chip has for a binding whose sets say how many elements they have, whatever the layout asks for.
        let most = variable.map_or(0, |b| limits::of_a_type(chip, b.0.descriptor_type));
        each_chained(out.p_next, |ty, at| {
            if ty == vk::StructureType::DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_LAYOUT_SUPPORT {
                let at = at.cast::<vk::DescriptorSetVariableDescriptorCountLayoutSupport<'_>>();
                (*at).max_variable_descriptor_count = most;
            }
        });
        Ok(())
    }
}
