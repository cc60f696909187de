//! Commands of passes.

use std::sync::Arc;

use ash::vk;

use super::command::record;
use super::entry::entries;
use super::read::{chained, given, list};
use crate::command::{Begin, Command, Draw, Indirect, State};
use crate::fail::{Done, Fail};
use crate::handles;
use crate::pass::Framebuffer;

pub(super) fn set(c: vk::CommandBuffer, state: State) -> Done {
    record(c, |_| Ok(Command::Set(state)))
}

/// Begins a pass.
///
/// # Safety
/// The structure keeps Vulkan's rules.
unsafe fn begin(c: vk::CommandBuffer, info: *const vk::RenderPassBeginInfo<'_>) -> Done {
    // SAFETY: the caller's promise.
    let (i, values, given_views) = unsafe {
        let i = given(info)?;
        let views = chained::<vk::RenderPassAttachmentBeginInfo<'_>>(i.p_next);
        let views = views.map_or(Ok(&[][..]), |v| list(v.p_attachments, v.attachment_count))?;
        (i, list(i.p_clear_values, i.clear_value_count)?, views)
    };
    let clears = values.iter().map(super::clear_words).collect();
    record(c, |owner| {
        let (pass, mut frame) = (handles::get(owner, i.render_pass)?, handles::get(owner, i.framebuffer)?);
        if frame.views.is_empty() && !given_views.is_empty() {
            let views = given_views.iter().map(|&v| handles::get(owner, v)).collect::<Done<Vec<_>>>()?;
            if views.iter().any(|v| v.seen.layers.max(1) < frame.layers) {
                return Err(Fail::misuse("a framebuffer has more layers than an attachment"));
            }
            frame = Arc::new(Framebuffer { views, ..(*frame).clone() });
        }
        if frame.views.len() < pass.attachments.len() {
            return Err(Fail::misuse("a framebuffer has fewer attachments than the pass"));
        }
        Ok(Command::Begin(Box::new(Begin { pass, frame, clears, area: i.render_area })))
    })
}

/// Records draws whose numbers lie in a buffer.
pub(super) fn indirect(
    c: vk::CommandBuffer,
    (buffer, offset): (vk::Buffer, u64),
    counted: Option<(vk::Buffer, u64)>,
    (count, stride): (u32, u32),
    indexed: bool,
) -> Done {
    record(c, |owner| {
        let counted = counted.map(|(b, at)| handles::get(owner, b).map(|b| (b, at))).transpose()?;
        let buffer = handles::get(owner, buffer)?;
        Ok(Command::DrawIndirect(Indirect { buffer, offset, count, stride, indexed, counted }))
    })
}

entries! {
    PFN_vkCmdBeginRenderPass => fn cmd_begin_render_pass(
        c: vk::CommandBuffer, info: *const vk::RenderPassBeginInfo<'_>, _contents: vk::SubpassContents,
    ) {
        begin(c, info)
    }
    PFN_vkCmdBeginRenderPass2 => fn cmd_begin_render_pass2(
        c: vk::CommandBuffer, info: *const vk::RenderPassBeginInfo<'_>, _sub: *const vk::SubpassBeginInfo<'_>,
    ) {
        begin(c, info)
    }
    PFN_vkCmdNextSubpass => fn cmd_next_subpass(c: vk::CommandBuffer, _contents: vk::SubpassContents) {
        record(c, |_| Ok(Command::Next))
    }
    PFN_vkCmdNextSubpass2 => fn cmd_next_subpass2(
        c: vk::CommandBuffer, _begin: *const vk::SubpassBeginInfo<'_>, _end: *const vk::SubpassEndInfo<'_>,
    ) {
        record(c, |_| Ok(Command::Next))
    }
    PFN_vkCmdEndRenderPass => fn cmd_end_render_pass(c: vk::CommandBuffer) {
        record(c, |_| Ok(Command::End))
    }
    PFN_vkCmdEndRenderPass2 => fn cmd_end_render_pass2(c: vk::CommandBuffer, _end: *const vk::SubpassEndInfo<'_>) {
        record(c, |_| Ok(Command::End))
    }
    PFN_vkCmdClearAttachments => fn cmd_clear_attachments(
        c: vk::CommandBuffer, n: u32, what: *const vk::ClearAttachment, m: u32, rects: *const vk::ClearRect,
    ) {
        let (what, rects) = (list(what, n)?, list(rects, m)?);
        record(c, |_| Ok(Command::ClearAttachments(what.to_vec(), rects.to_vec())))
    }
    PFN_vkCmdSetViewport => fn cmd_set_viewport(c: vk::CommandBuffer, first: u32, n: u32, list_: *const vk::Viewport) {
        set(c, State::Viewports(first, list(list_, n)?.to_vec()))
    }
    PFN_vkCmdSetScissor => fn cmd_set_scissor(c: vk::CommandBuffer, first: u32, n: u32, list_: *const vk::Rect2D) {
        set(c, State::Scissors(first, list(list_, n)?.to_vec()))
    }
    PFN_vkCmdSetLineWidth => fn cmd_set_line_width(c: vk::CommandBuffer, width: f32) {
        if width != 1.0 {
            return record(c, |_| Err(Fail::lacks("lines are one pixel wide (wideLines)")));
        }
        handles::at(c).map(drop)
    }
    PFN_vkCmdSetDepthBias => fn cmd_set_depth_bias(c: vk::CommandBuffer, constant: f32, clamp: f32, slope: f32) {
        set(c, State::Bias([constant, slope, clamp]))
    }
    PFN_vkCmdSetDepthBounds => fn cmd_set_depth_bounds(c: vk::CommandBuffer, _min: f32, _max: f32) {
        // No pipeline with the test is made.
        handles::at(c).map(drop)
    }
    PFN_vkCmdSetBlendConstants => fn cmd_set_blend_constants(c: vk::CommandBuffer, values: *const [f32; 4]) {
        set(c, State::Constant(*given(values)?))
    }
    PFN_vkCmdSetStencilReference => fn cmd_set_stencil_reference(
        c: vk::CommandBuffer, faces: vk::StencilFaceFlags, value: u32,
    ) {
        set(c, State::Reference(faces, value))
    }
    PFN_vkCmdSetStencilCompareMask => fn cmd_set_stencil_compare_mask(
        c: vk::CommandBuffer, faces: vk::StencilFaceFlags, value: u32,
    ) {
        set(c, State::ReadMask(faces, value))
    }
    PFN_vkCmdSetStencilWriteMask => fn cmd_set_stencil_write_mask(
        c: vk::CommandBuffer, faces: vk::StencilFaceFlags, value: u32,
    ) {
        set(c, State::WriteMask(faces, value))
    }
    PFN_vkCmdBindVertexBuffers => fn cmd_bind_vertex_buffers(
        c: vk::CommandBuffer, first: u32, n: u32, buffers: *const vk::Buffer, offsets: *const vk::DeviceSize,
    ) {
        let (buffers, offsets) = (list(buffers, n)?, list(offsets, n)?);
        record(c, |owner| {
            let one = |(&b, &at): (&vk::Buffer, &u64)| Ok(handles::get_some(owner, b)?.map(|b| (b, at, vk::WHOLE_SIZE)));
            Ok(Command::Vertices(first, buffers.iter().zip(offsets).map(one).collect::<Done<_>>()?))
        })
    }
    PFN_vkCmdBindIndexBuffer => fn cmd_bind_index_buffer(
        c: vk::CommandBuffer, buffer: vk::Buffer, offset: vk::DeviceSize, ty: vk::IndexType,
    ) {
        record(c, |owner| match ty {
            vk::IndexType::UINT16 | vk::IndexType::UINT32 => {
                Ok(Command::Indices(handles::get(owner, buffer)?, offset, ty == vk::IndexType::UINT32))
            }
            _ => Err(Fail::lacks("indices have 16 or 32 bits")),
        })
    }
    PFN_vkCmdDraw => fn cmd_draw(c: vk::CommandBuffer, count: u32, instances: u32, first: u32, first_instance: u32) {
        record(c, |_| Ok(Command::Draw(Draw { count, instances, first, base: 0, first_instance, indexed: false })))
    }
    PFN_vkCmdDrawIndexed => fn cmd_draw_indexed(
        c: vk::CommandBuffer, count: u32, instances: u32, first: u32, base: i32, first_instance: u32,
    ) {
        record(c, |_| Ok(Command::Draw(Draw { count, instances, first, base, first_instance, indexed: true })))
    }
    PFN_vkCmdDrawIndirect => fn cmd_draw_indirect(
        c: vk::CommandBuffer, buffer: vk::Buffer, offset: vk::DeviceSize, count: u32, stride: u32,
    ) {
        indirect(c, (buffer, offset), None, (count, stride), false)
    }
    PFN_vkCmdDrawIndexedIndirect => fn cmd_draw_indexed_indirect(
        c: vk::CommandBuffer, buffer: vk::Buffer, offset: vk::DeviceSize, count: u32, stride: u32,
    ) {
        indirect(c, (buffer, offset), None, (count, stride), true)
    }
}
