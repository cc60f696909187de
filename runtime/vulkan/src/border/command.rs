//! Command buffers, and commands outside of passes.

use std::ffi::c_void;
use std::sync::Arc;

use ash::vk;

use super::entry::{Alloc, entries};
use super::read::{give, given, list, text};
use crate::command::Command;
use crate::device::Device;
use crate::fail::{Done, Fail};
use crate::handles;
use crate::record::{CommandBuffer, CommandPool, Record};

/// Records a command; `make` gets the device's handle.
pub(super) fn record(c: vk::CommandBuffer, make: impl FnOnce(u64) -> Done<Command>) -> Done {
    let buffer = handles::at(c)?;
    buffer.push(make(buffer.device.handle))
}

/// Closes all command buffers of a device.
pub(super) fn close_all(owner: u64) {
    for c in handles::all::<vk::CommandBuffer>(|c| c.device.handle == owner) {
        handles::close(c);
    }
    handles::purge::<vk::CommandPool>(owner);
}

fn reset(c: vk::CommandBuffer) -> Done {
    *handles::at(c)?.record() = Record::default();
    Ok(())
}

fn begin(c: vk::CommandBuffer) -> Done {
    *handles::at(c)?.record() = Record { open: true, ..Record::default() };
    Ok(())
}

fn end(c: vk::CommandBuffer) -> Done {
    let buffer = handles::at(c)?;
    let mut record = buffer.record();
    if !record.open {
        return Err(Fail::misuse("the end of a recording that did not begin"));
    }
    record.open = false;
    match record.fail.take() {
        // It was told when it happened; the code is what matters here.
        Some(f) => Err(f),
        None => {
            record.done = true;
            Ok(())
        }
    }
}

fn label(text: Done<&str>) -> Done<Command> {
    Ok(Command::Label(text?.to_owned()))
}

entries! {
    PFN_vkCreateCommandPool => fn create_command_pool(
        device: vk::Device, info: *const vk::CommandPoolCreateInfo<'_>, _a: Alloc<'_>, out: *mut vk::CommandPool,
    ) -> vk::Result {
        given(info)?;
        give(out, handles::add(handles::at(device)?.handle, CommandPool::default()))
    }
    PFN_vkDestroyCommandPool => fn destroy_command_pool(device: vk::Device, pool: vk::CommandPool, _a: Alloc<'_>) {
        if let Some(pool) = handles::remove(handles::at(device)?.handle, pool)? {
            let gone = std::mem::take(&mut *pool.buffers());
            for c in gone {
                handles::close(c);
            }
        }
        Ok(())
    }
    PFN_vkResetCommandPool => fn reset_command_pool(
        device: vk::Device, pool: vk::CommandPool, _flags: vk::CommandPoolResetFlags,
    ) -> vk::Result {
        let pool = handles::get(handles::at(device)?.handle, pool)?;
        let all = pool.buffers().clone();
        all.into_iter().try_for_each(reset)
    }
    PFN_vkTrimCommandPool => fn trim_command_pool(
        device: vk::Device, _pool: vk::CommandPool, _flags: vk::CommandPoolTrimFlags,
    ) {
        handles::at(device).map(drop)
    }
    PFN_vkAllocateCommandBuffers => fn allocate_command_buffers(
        device: vk::Device, info: *const vk::CommandBufferAllocateInfo<'_>, out: *mut vk::CommandBuffer,
    ) -> vk::Result {
        let device: Arc<Device> = handles::at(device)?;
        let i = given(info)?;
        let pool = handles::get(device.handle, i.command_pool)?;
        let secondary = i.level == vk::CommandBufferLevel::SECONDARY;
        for k in 0..i.command_buffer_count as usize {
            let c = handles::open(|_| CommandBuffer::new(device.clone(), secondary));
            pool.buffers().push(c);
            give(out.wrapping_add(k), c)?;
        }
        Ok(())
    }
    PFN_vkFreeCommandBuffers => fn free_command_buffers(
        device: vk::Device, pool: vk::CommandPool, n: u32, buffers: *const vk::CommandBuffer,
    ) {
        let pool = handles::get(handles::at(device)?.handle, pool)?;
        for &c in list(buffers, n)?.iter().filter(|c| !vk::Handle::is_null(**c)) {
            pool.buffers().retain(|&o| o != c);
            handles::close(c);
        }
        Ok(())
    }
    PFN_vkBeginCommandBuffer => fn begin_command_buffer(
        c: vk::CommandBuffer, _info: *const vk::CommandBufferBeginInfo<'_>,
    ) -> vk::Result {
        begin(c)
    }
    PFN_vkEndCommandBuffer => fn end_command_buffer(c: vk::CommandBuffer) -> vk::Result {
        end(c)
    }
    PFN_vkResetCommandBuffer => fn reset_command_buffer(
        c: vk::CommandBuffer, _flags: vk::CommandBufferResetFlags,
    ) -> vk::Result {
        reset(c)
    }
    PFN_vkCmdExecuteCommands => fn cmd_execute_commands(
        c: vk::CommandBuffer, n: u32, buffers: *const vk::CommandBuffer,
    ) {
        for &b in list(buffers, n)? {
            record(c, |owner| {
                let b = handles::at(b)?;
                match b.secondary && b.device.handle == owner {
                    true => Ok(Command::Execute(b.list()?)),
                    false => Err(Fail::misuse("a command buffer is executed that is not secondary, or of another device")),
                }
            })?;
        }
        Ok(())
    }
    PFN_vkCmdPipelineBarrier => fn cmd_pipeline_barrier(
        c: vk::CommandBuffer, _from: vk::PipelineStageFlags, _to: vk::PipelineStageFlags, _flags: vk::DependencyFlags,
        _n: u32, _memory: *const vk::MemoryBarrier<'_>, _m: u32, _buffers: *const vk::BufferMemoryBarrier<'_>, _k: u32,
        _images: *const vk::ImageMemoryBarrier<'_>,
    ) {
        // Commands run in their order, each to its end.
        handles::at(c).map(drop)
    }
    PFN_vkCmdSetDeviceMask => fn cmd_set_device_mask(c: vk::CommandBuffer, _mask: u32) {
        handles::at(c).map(drop)
    }
    PFN_vkCmdSetEvent => fn cmd_set_event(c: vk::CommandBuffer, event: vk::Event, _stage: vk::PipelineStageFlags) {
        record(c, |owner| Ok(Command::Event(handles::get(owner, event)?, true)))
    }
    PFN_vkCmdResetEvent => fn cmd_reset_event(c: vk::CommandBuffer, event: vk::Event, _stage: vk::PipelineStageFlags) {
        record(c, |owner| Ok(Command::Event(handles::get(owner, event)?, false)))
    }
    PFN_vkCmdWaitEvents => fn cmd_wait_events(
        c: vk::CommandBuffer, n: u32, events: *const vk::Event, _from: vk::PipelineStageFlags,
        _to: vk::PipelineStageFlags, _a: u32, _memory: *const vk::MemoryBarrier<'_>, _b: u32,
        _buffers: *const vk::BufferMemoryBarrier<'_>, _d: u32, _images: *const vk::ImageMemoryBarrier<'_>,
    ) {
        let events = list(events, n)?;
        record(c, |owner| {
            Ok(Command::Wait(events.iter().map(|&e| handles::get(owner, e)).collect::<Done<_>>()?))
        })
    }
    PFN_vkCmdBindPipeline => fn cmd_bind_pipeline(
        c: vk::CommandBuffer, point: vk::PipelineBindPoint, pipeline: vk::Pipeline,
    ) {
        record(c, |owner| {
            let p = handles::get(owner, pipeline)?;
            match p.is_compute() == (point == vk::PipelineBindPoint::COMPUTE) {
                true => Ok(Command::Pipeline(p)),
                false => Err(Fail::misuse("a pipeline of another kind than where it is bound")),
            }
        })
    }
    PFN_vkCmdBindDescriptorSets => fn cmd_bind_descriptor_sets(
        c: vk::CommandBuffer, point: vk::PipelineBindPoint, _layout: vk::PipelineLayout, first: u32, n: u32,
        sets: *const vk::DescriptorSet, m: u32, offsets: *const u32,
    ) {
        let (sets, offsets) = (list(sets, n)?, list(offsets, m)?);
        record(c, |owner| {
            let (mut rest, mut all) = (offsets, Vec::new());
            for &s in sets {
                let Some(set) = handles::get_some(owner, s)? else {
                    all.push(None);
                    continue;
                };
                let own = set.layout.dynamic();
                let (own, left) = rest.split_at_checked(own)
                    .ok_or_else(|| Fail::misuse("fewer dynamic offsets than the sets have dynamic buffers"))?;
                rest = left;
                all.push(Some((set, own.to_vec())));
            }
            Ok(Command::Sets(point == vk::PipelineBindPoint::COMPUTE, first, all))
        })
    }
    PFN_vkCmdPushConstants => fn cmd_push_constants(
        c: vk::CommandBuffer, _layout: vk::PipelineLayout, _stages: vk::ShaderStageFlags, offset: u32, size: u32,
        values: *const c_void,
    ) {
        let bytes = list(values.cast::<u8>(), size)?;
        record(c, |_| match offset.checked_add(size) {
            Some(end) if end <= crate::physical::limits::PUSH => Ok(Command::Push(offset, bytes.to_vec())),
            _ => Err(Fail::misuse("push constants beyond maxPushConstantsSize")),
        })
    }
    PFN_vkCmdDispatch => fn cmd_dispatch(c: vk::CommandBuffer, x: u32, y: u32, z: u32) {
        record(c, |_| Ok(Command::Dispatch([0; 3], [x, y, z])))
    }
    PFN_vkCmdDispatchBase => fn cmd_dispatch_base(
        c: vk::CommandBuffer, a: u32, b: u32, d: u32, x: u32, y: u32, z: u32,
    ) {
        record(c, |_| Ok(Command::Dispatch([a, b, d], [x, y, z])))
    }
    PFN_vkCmdDispatchIndirect => fn cmd_dispatch_indirect(c: vk::CommandBuffer, buffer: vk::Buffer, offset: vk::DeviceSize) {
        record(c, |owner| Ok(Command::DispatchIndirect(handles::get(owner, buffer)?, offset)))
    }
    PFN_vkCmdFillBuffer => fn cmd_fill_buffer(
        c: vk::CommandBuffer, buffer: vk::Buffer, offset: vk::DeviceSize, size: vk::DeviceSize, word: u32,
    ) {
        record(c, |owner| Ok(Command::Fill(handles::get(owner, buffer)?, offset, size, word)))
    }
    PFN_vkCmdUpdateBuffer => fn cmd_update_buffer(
        c: vk::CommandBuffer, buffer: vk::Buffer, offset: vk::DeviceSize, size: vk::DeviceSize, data: *const c_void,
    ) {
        let size = u32::try_from(size).ok().filter(|n| *n <= 65_536);
        let size = size.ok_or_else(|| Fail::misuse("an update of more than 65,536 bytes"))?;
        let bytes = list(data.cast::<u8>(), size)?;
        record(c, |owner| Ok(Command::Update(handles::get(owner, buffer)?, offset, bytes.to_vec())))
    }
    PFN_vkCmdCopyBuffer => fn cmd_copy_buffer(
        c: vk::CommandBuffer, from: vk::Buffer, to: vk::Buffer, n: u32, regions: *const vk::BufferCopy,
    ) {
        let regions = list(regions, n)?;
        record(c, |owner| {
            Ok(Command::CopyBuffer(handles::get(owner, from)?, handles::get(owner, to)?, regions.to_vec()))
        })
    }
    PFN_vkCmdCopyBufferToImage => fn cmd_copy_buffer_to_image(
        c: vk::CommandBuffer, from: vk::Buffer, to: vk::Image, _layout: vk::ImageLayout, n: u32,
        regions: *const vk::BufferImageCopy,
    ) {
        let regions = list(regions, n)?;
        record(c, |owner| Ok(Command::ToImage(handles::get(owner, from)?, handles::get(owner, to)?, regions.to_vec())))
    }
    PFN_vkCmdCopyImageToBuffer => fn cmd_copy_image_to_buffer(
        c: vk::CommandBuffer, from: vk::Image, _layout: vk::ImageLayout, to: vk::Buffer, n: u32,
        regions: *const vk::BufferImageCopy,
    ) {
        let regions = list(regions, n)?;
        record(c, |owner| Ok(Command::ToBuffer(handles::get(owner, from)?, handles::get(owner, to)?, regions.to_vec())))
    }
    PFN_vkCmdCopyImage => fn cmd_copy_image(
        c: vk::CommandBuffer, from: vk::Image, _a: vk::ImageLayout, to: vk::Image, _b: vk::ImageLayout, n: u32,
        regions: *const vk::ImageCopy,
    ) {
        let regions = list(regions, n)?;
        record(c, |owner| Ok(Command::CopyImage(handles::get(owner, from)?, handles::get(owner, to)?, regions.to_vec())))
    }
    PFN_vkCmdBlitImage => fn cmd_blit_image(
        c: vk::CommandBuffer, from: vk::Image, _a: vk::ImageLayout, to: vk::Image, _b: vk::ImageLayout, n: u32,
        regions: *const vk::ImageBlit, filter: vk::Filter,
    ) {
        let (regions, linear) = (list(regions, n)?, filter == vk::Filter::LINEAR);
        record(c, |owner| {
            Ok(Command::Blit(handles::get(owner, from)?, handles::get(owner, to)?, regions.to_vec(), linear))
        })
    }
    PFN_vkCmdResolveImage => fn cmd_resolve_image(
        c: vk::CommandBuffer, from: vk::Image, _a: vk::ImageLayout, to: vk::Image, _b: vk::ImageLayout, n: u32,
        regions: *const vk::ImageResolve,
    ) {
        let regions = list(regions, n)?;
        record(c, |owner| Ok(Command::Resolve(handles::get(owner, from)?, handles::get(owner, to)?, regions.to_vec())))
    }
    PFN_vkCmdClearColorImage => fn cmd_clear_color_image(
        c: vk::CommandBuffer, image: vk::Image, _layout: vk::ImageLayout, value: *const vk::ClearColorValue, n: u32,
        ranges: *const vk::ImageSubresourceRange,
    ) {
        let (value, ranges) = (given(value)?.uint32, list(ranges, n)?);
        record(c, |owner| Ok(Command::ClearImage(handles::get(owner, image)?, value, ranges.to_vec())))
    }
    PFN_vkCmdClearDepthStencilImage => fn cmd_clear_depth_stencil_image(
        c: vk::CommandBuffer, image: vk::Image, _layout: vk::ImageLayout, value: *const vk::ClearDepthStencilValue,
        n: u32, ranges: *const vk::ImageSubresourceRange,
    ) {
        let (value, ranges) = (given(value)?, list(ranges, n)?);
        let value = [value.depth.to_bits(), value.stencil, 0, 0];
        record(c, |owner| Ok(Command::ClearImage(handles::get(owner, image)?, value, ranges.to_vec())))
    }
    PFN_vkCmdResetQueryPool => fn cmd_reset_query_pool(c: vk::CommandBuffer, pool: vk::QueryPool, first: u32, n: u32) {
        record(c, |owner| Ok(Command::ResetQueries(handles::get(owner, pool)?, first, n)))
    }
    PFN_vkCmdBeginQuery => fn cmd_begin_query(
        c: vk::CommandBuffer, pool: vk::QueryPool, at: u32, _flags: vk::QueryControlFlags,
    ) {
        record(c, |owner| Ok(Command::BeginQuery(handles::get(owner, pool)?, at)))
    }
    PFN_vkCmdEndQuery => fn cmd_end_query(c: vk::CommandBuffer, pool: vk::QueryPool, at: u32) {
        record(c, |owner| Ok(Command::EndQuery(handles::get(owner, pool)?, at)))
    }
    PFN_vkCmdWriteTimestamp => fn cmd_write_timestamp(
        c: vk::CommandBuffer, _stage: vk::PipelineStageFlags, pool: vk::QueryPool, at: u32,
    ) {
        record(c, |owner| Ok(Command::Timestamp(handles::get(owner, pool)?, at)))
    }
    PFN_vkCmdCopyQueryPoolResults => fn cmd_copy_query_pool_results(
        c: vk::CommandBuffer, pool: vk::QueryPool, first: u32, n: u32, buffer: vk::Buffer, offset: vk::DeviceSize,
        stride: vk::DeviceSize, flags: vk::QueryResultFlags,
    ) {
        record(c, |owner| {
            let (pool, buffer) = (handles::get(owner, pool)?, handles::get(owner, buffer)?);
            Ok(Command::CopyQueries(pool, [first, n], buffer, [offset, stride], flags))
        })
    }
    PFN_vkCmdBeginDebugUtilsLabelEXT => fn cmd_begin_label(c: vk::CommandBuffer, info: *const vk::DebugUtilsLabelEXT<'_>) {
        let i = given(info)?;
        record(c, |_| label(text(i.p_label_name)))
    }
    PFN_vkCmdEndDebugUtilsLabelEXT => fn cmd_end_label(c: vk::CommandBuffer) {
        record(c, |_| Ok(Command::EndLabel))
    }
    PFN_vkCmdInsertDebugUtilsLabelEXT => fn cmd_insert_label(c: vk::CommandBuffer, _info: *const vk::DebugUtilsLabelEXT<'_>) {
        handles::at(c).map(drop)
    }
}
