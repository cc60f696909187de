//! Functions that came after Vulkan 1.1, as extensions: rendering without passes, the second form of synchronisation and of copies, and counts
//! of indirect draws.

use std::sync::Arc;

use ash::vk;

use super::command::record;
use super::device::{commands, fenced};
use super::draw::indirect;
use super::entry::entries;
use super::read::{chained, given, list};
use crate::command::{Begin, Command};
use crate::device::Job;
use crate::fail::{Done, Fail};
use crate::handles;
use crate::memory::View;
use crate::pass::{Attachment, Framebuffer, RenderPass, Subpass};

/// Attachments that rendering without a pass names, as a pass has them.
#[derive(Default)]
struct Named {
    attachments: Vec<Attachment>,
    views: Vec<Arc<View>>,
    clears: Vec<[u32; 4]>,
}

impl Named {
    fn push(&mut self, view: Arc<View>, (clears, clears_stencil): (bool, bool), value: [u32; 4]) -> usize {
        self.attachments.push(Attachment { format: vk::Format::UNDEFINED, clears, clears_stencil });
        self.views.push(view);
        self.clears.push(value);
        self.views.len() - 1
    }
}

/// An attachment whose view is there, if it is.
type Seen<'a> = Option<(Arc<View>, vk::RenderingAttachmentInfo<'a>)>;

fn seen<'a>(owner: u64, a: Option<&vk::RenderingAttachmentInfo<'a>>) -> Done<Seen<'a>> {
    let Some(a) = a else { return Ok(None) };
    Ok(handles::get_some(owner, a.image_view)?.map(|view| (view, *a)))
}

/// The pass that rendering without one is.
///
/// # Safety
/// The structure keeps Vulkan's rules.
unsafe fn rendering(owner: u64, i: &vk::RenderingInfo<'_>) -> Done<Begin> {
    // What is resumed was cleared where it began.
    let resumed = i.flags.contains(vk::RenderingFlags::RESUMING);
    let clears = |a: &vk::RenderingAttachmentInfo<'_>| a.load_op == vk::AttachmentLoadOp::CLEAR && !resumed;
    let (mut all, mut sub) = (Named::default(), Subpass { views: i.view_mask, ..Subpass::default() });
    // SAFETY: the caller's promise.
    let (colours, depth, stencil) = unsafe {
        let colours = list(i.p_color_attachments, i.color_attachment_count)?;
        (colours, i.p_depth_attachment.as_ref(), i.p_stencil_attachment.as_ref())
    };
    for a in colours {
        let view = handles::get_some(owner, a.image_view)?;
        sub.colour.push(view.map(|v| all.push(v, (clears(a), false), super::clear_words(&a.clear_value))));
        let resolves = a.resolve_mode != vk::ResolveModeFlags::NONE;
        let to = if resolves { handles::get_some(owner, a.resolve_image_view)? } else { None };
        sub.resolve.push(to.map(|v| all.push(v, (false, false), [0; 4])));
    }
    let (depth, stencil) = (seen(owner, depth)?, seen(owner, stencil)?);
    if let (Some(d), Some(s)) = (&depth, &stencil)
        && !Arc::ptr_eq(&d.0.image, &s.0.image)
    {
        return Err(Fail::misuse("depth and stencil are attachments of one image"));
    }
    if let Some((view, _)) = depth.as_ref().or(stencil.as_ref()) {
        let (d, s) = (depth.as_ref().map(|a| a.1), stencil.as_ref().map(|a| a.1));
        let words =
            |a: Option<vk::RenderingAttachmentInfo<'_>>| a.map_or([0; 4], |a| super::clear_words(&a.clear_value));
        let both = (d.is_some_and(|a| clears(&a)), s.is_some_and(|a| clears(&a)));
        let value = [words(d)[0], words(s)[1], 0, 0];
        sub.depth = Some(all.push(view.clone(), both, value));
        for a in [d, s].into_iter().flatten() {
            if a.resolve_mode == vk::ResolveModeFlags::NONE {
                continue;
            }
            sub.resolve_depth = match (zero(a.resolve_mode)?, handles::get_some(owner, a.resolve_image_view)?) {
                ((), Some(v)) => Some(all.push(v, (false, false), [0; 4])),
                ((), None) => sub.resolve_depth,
            };
        }
    }
    let Named { attachments, views, clears } = all;
    let pass = Arc::new(RenderPass { attachments, subpasses: vec![sub] });
    let end = |at: i32, n: u32| u32::try_from(i64::from(at) + i64::from(n)).unwrap_or(0);
    let area = i.render_area;
    let size = match views.first() {
        Some(v) => {
            let [w, h, _] = v.image.size;
            [w, h].map(|s| (s >> v.seen.base_level).max(1))
        }
        None => [end(area.offset.x, area.extent.width), end(area.offset.y, area.extent.height)],
    };
    let frame = Arc::new(Framebuffer { views, size, layers: i.layer_count });
    Ok(Begin { pass, frame, clears, area })
}

/// Fails for a resolve of depth or stencil that is not that of sample 0.
pub(super) fn zero(mode: vk::ResolveModeFlags) -> Done {
    match mode {
        vk::ResolveModeFlags::NONE | vk::ResolveModeFlags::SAMPLE_ZERO => Ok(()),
        _ => Err(Fail::lacks("depth and stencil are resolved to sample 0 alone")),
    }
}

/// The jobs of a submission of the second form.
///
/// # Safety
/// The structures keep Vulkan's rules.
unsafe fn jobs(owner: u64, submits: &[vk::SubmitInfo2<'_>], signal: vk::Fence) -> Done<Vec<Job>> {
    let mut all = Vec::with_capacity(submits.len() + 1);
    for s in submits {
        // SAFETY: the caller's promise.
        let (waits, lists, signals) = unsafe {
            (
                list(s.p_wait_semaphore_infos, s.wait_semaphore_info_count)?,
                list(s.p_command_buffer_infos, s.command_buffer_info_count)?,
                list(s.p_signal_semaphore_infos, s.signal_semaphore_info_count)?,
            )
        };
        let of = |i: &vk::SemaphoreSubmitInfo<'_>| {
            let semaphore = handles::get(owner, i.semaphore)?;
            let value = if semaphore.timeline { i.value } else { 1 };
            Ok((semaphore, value))
        };
        all.push(Job {
            waits: waits.iter().map(of).collect::<Done<_>>()?,
            lists: lists.iter().map(|i| commands(owner, i.command_buffer)).collect::<Done<_>>()?,
            signals: signals.iter().map(of).collect::<Done<_>>()?,
            fence: None,
        });
    }
    fenced(owner, all, signal)
}

/// A structure of the first form, with the fields that the second form has as well.
macro_rules! old {
    ($r:ident => $structure:ident { $($field:ident),* }) => {
        vk::$structure { $($field: $r.$field),* }
    };
}

fn buffer_image(r: &vk::BufferImageCopy2<'_>) -> vk::BufferImageCopy {
    old!(r => BufferImageCopy { buffer_offset, buffer_row_length, buffer_image_height, image_subresource, image_offset, image_extent })
}

entries! {
    PFN_vkCmdBeginRendering => fn cmd_begin_rendering(c: vk::CommandBuffer, info: *const vk::RenderingInfo<'_>) {
        let i = given(info)?;
        record(c, |owner| Ok(Command::Begin(Box::new(rendering(owner, i)?))))
    }
    PFN_vkCmdEndRendering => fn cmd_end_rendering(c: vk::CommandBuffer) {
        record(c, |_| Ok(Command::End))
    }
    PFN_vkCmdPipelineBarrier2 => fn cmd_pipeline_barrier2(c: vk::CommandBuffer, _info: *const vk::DependencyInfo<'_>) {
        // Commands run in their order, each to its end.
        handles::at(c).map(drop)
    }
    PFN_vkCmdSetEvent2 => fn cmd_set_event2(c: vk::CommandBuffer, event: vk::Event, _info: *const vk::DependencyInfo<'_>) {
        record(c, |owner| Ok(Command::Event(handles::get(owner, event)?, true)))
    }
    PFN_vkCmdResetEvent2 => fn cmd_reset_event2(c: vk::CommandBuffer, event: vk::Event, _stages: vk::PipelineStageFlags2) {
        record(c, |owner| Ok(Command::Event(handles::get(owner, event)?, false)))
    }
    PFN_vkCmdWaitEvents2 => fn cmd_wait_events2(
        c: vk::CommandBuffer, n: u32, events: *const vk::Event, _infos: *const vk::DependencyInfo<'_>,
    ) {
        let events = list(events, n)?;
        record(c, |owner| {
            Ok(Command::Wait(events.iter().map(|&e| handles::get(owner, e)).collect::<Done<_>>()?))
        })
    }
    PFN_vkCmdWriteTimestamp2 => fn cmd_write_timestamp2(
        c: vk::CommandBuffer, _stage: vk::PipelineStageFlags2, pool: vk::QueryPool, at: u32,
    ) {
        record(c, |owner| Ok(Command::Timestamp(handles::get(owner, pool)?, at)))
    }
    PFN_vkQueueSubmit2 => fn queue_submit2(
        queue: vk::Queue, n: u32, submits: *const vk::SubmitInfo2<'_>, fence: vk::Fence,
    ) -> vk::Result {
        let device = &handles::at(queue)?.device;
        for job in jobs(device.handle, list(submits, n)?, fence)? {
            device.submit(job)?;
        }
        Ok(())
    }
    PFN_vkCmdCopyBuffer2 => fn cmd_copy_buffer2(c: vk::CommandBuffer, info: *const vk::CopyBufferInfo2<'_>) {
        let i = given(info)?;
        let of = |r: &vk::BufferCopy2<'_>| vk::BufferCopy { src_offset: r.src_offset, dst_offset: r.dst_offset, size: r.size };
        let regions = list(i.p_regions, i.region_count)?.iter().map(of).collect();
        record(c, |owner| {
            Ok(Command::CopyBuffer(handles::get(owner, i.src_buffer)?, handles::get(owner, i.dst_buffer)?, regions))
        })
    }
    PFN_vkCmdCopyImage2 => fn cmd_copy_image2(c: vk::CommandBuffer, info: *const vk::CopyImageInfo2<'_>) {
        let i = given(info)?;
        let of = |r: &vk::ImageCopy2<'_>| old!(r => ImageCopy { src_subresource, src_offset, dst_subresource, dst_offset, extent });
        let regions = list(i.p_regions, i.region_count)?.iter().map(of).collect();
        record(c, |owner| {
            Ok(Command::CopyImage(handles::get(owner, i.src_image)?, handles::get(owner, i.dst_image)?, regions))
        })
    }
    PFN_vkCmdCopyBufferToImage2 => fn cmd_copy_buffer_to_image2(
        c: vk::CommandBuffer, info: *const vk::CopyBufferToImageInfo2<'_>,
    ) {
        let i = given(info)?;
        let regions = list(i.p_regions, i.region_count)?.iter().map(buffer_image).collect();
        record(c, |owner| {
            Ok(Command::ToImage(handles::get(owner, i.src_buffer)?, handles::get(owner, i.dst_image)?, regions))
        })
    }
    PFN_vkCmdCopyImageToBuffer2 => fn cmd_copy_image_to_buffer2(
        c: vk::CommandBuffer, info: *const vk::CopyImageToBufferInfo2<'_>,
    ) {
        let i = given(info)?;
        let regions = list(i.p_regions, i.region_count)?.iter().map(buffer_image).collect();
        record(c, |owner| {
            Ok(Command::ToBuffer(handles::get(owner, i.src_image)?, handles::get(owner, i.dst_buffer)?, regions))
        })
    }
    PFN_vkCmdBlitImage2 => fn cmd_blit_image2(c: vk::CommandBuffer, info: *const vk::BlitImageInfo2<'_>) {
        let i = given(info)?;
        let of = |r: &vk::ImageBlit2<'_>| old!(r => ImageBlit { src_subresource, src_offsets, dst_subresource, dst_offsets });
        let regions = list(i.p_regions, i.region_count)?.iter().map(of).collect();
        let linear = i.filter == vk::Filter::LINEAR;
        record(c, |owner| {
            Ok(Command::Blit(handles::get(owner, i.src_image)?, handles::get(owner, i.dst_image)?, regions, linear))
        })
    }
    PFN_vkCmdResolveImage2 => fn cmd_resolve_image2(c: vk::CommandBuffer, info: *const vk::ResolveImageInfo2<'_>) {
        let i = given(info)?;
        let of = |r: &vk::ImageResolve2<'_>| old!(r => ImageResolve { src_subresource, src_offset, dst_subresource, dst_offset, extent });
        let regions = list(i.p_regions, i.region_count)?.iter().map(of).collect();
        record(c, |owner| {
            Ok(Command::Resolve(handles::get(owner, i.src_image)?, handles::get(owner, i.dst_image)?, regions))
        })
    }
    PFN_vkGetBufferDeviceAddress => fn get_buffer_device_address(
        device: vk::Device, info: *const vk::BufferDeviceAddressInfo<'_>,
    ) -> vk::DeviceAddress {
        let buffer = handles::get(handles::at(device)?.handle, given(info)?.buffer)?;
        let place = buffer.range(0, vk::WHOLE_SIZE);
        let address = place.and_then(|(memory, at, _)| Some(memory.address? + at as u64));
        address.ok_or_else(|| Fail::misuse("a buffer whose memory was not taken for addresses"))
    }
    PFN_vkGetBufferOpaqueCaptureAddress => fn get_buffer_opaque_capture_address(
        device: vk::Device, _info: *const vk::BufferDeviceAddressInfo<'_>,
    ) -> u64 {
        no_capture(device)
    }
    PFN_vkGetDeviceMemoryOpaqueCaptureAddress => fn get_device_memory_opaque_capture_address(
        device: vk::Device, _info: *const vk::DeviceMemoryOpaqueCaptureAddressInfo<'_>,
    ) -> u64 {
        no_capture(device)
    }
    PFN_vkCmdDrawIndirectCount => fn cmd_draw_indirect_count(
        c: vk::CommandBuffer, buffer: vk::Buffer, offset: vk::DeviceSize, counts: vk::Buffer, at: vk::DeviceSize,
        most: u32, stride: u32,
    ) {
        indirect(c, (buffer, offset), Some((counts, at)), (most, stride), false)
    }
    PFN_vkCmdDrawIndexedIndirectCount => fn cmd_draw_indexed_indirect_count(
        c: vk::CommandBuffer, buffer: vk::Buffer, offset: vk::DeviceSize, counts: vk::Buffer, at: vk::DeviceSize,
        most: u32, stride: u32,
    ) {
        indirect(c, (buffer, offset), Some((counts, at)), (most, stride), true)
    }
}

/// The answer of a device whose addresses are not captured.
fn no_capture(device: vk::Device) -> Done<u64> {
    handles::at(device)?;
    Err(Fail::misuse("addresses are not captured here (bufferDeviceAddressCaptureReplay)"))
}

/// Where a subpass resolves depth and stencil to, if it does.
///
/// # Safety
/// `p` begins a chain of Vulkan's structures, or is null.
pub(super) unsafe fn depth_resolve(p: *const std::ffi::c_void) -> Done<Option<usize>> {
    // SAFETY: the caller's promise.
    let found = unsafe {
        let Some(r) = chained::<vk::SubpassDescriptionDepthStencilResolve<'_>>(p) else { return Ok(None) };
        zero(r.depth_resolve_mode)?;
        zero(r.stencil_resolve_mode)?;
        r.p_depth_stencil_resolve_attachment.as_ref()
    };
    Ok(found.filter(|a| a.attachment != vk::ATTACHMENT_UNUSED).map(|a| a.attachment as usize))
}
