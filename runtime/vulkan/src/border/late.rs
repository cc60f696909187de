//! Commands that set fixed function of pipelines: extended dynamic state.

use ash::vk;

use super::command::record;
use super::draw::set;
use super::entry::entries;
use super::read::list;
use crate::command::{Command, State};
use crate::fail::{Done, Fail};
use crate::given::Late;
use crate::handles;

fn late(c: vk::CommandBuffer, late: Late) -> Done {
    set(c, State::Late(late))
}

entries! {
    PFN_vkCmdSetCullMode => fn cmd_set_cull_mode(c: vk::CommandBuffer, cull: vk::CullModeFlags) {
        late(c, Late::Cull(cull))
    }
    PFN_vkCmdSetFrontFace => fn cmd_set_front_face(c: vk::CommandBuffer, front: vk::FrontFace) {
        late(c, Late::Front(front))
    }
    PFN_vkCmdSetPrimitiveTopology => fn cmd_set_primitive_topology(c: vk::CommandBuffer, topology: vk::PrimitiveTopology) {
        late(c, Late::Topology(topology))
    }
    PFN_vkCmdSetViewportWithCount => fn cmd_set_viewport_with_count(c: vk::CommandBuffer, n: u32, all: *const vk::Viewport) {
        set(c, State::AllViewports(list(all, n)?.to_vec()))
    }
    PFN_vkCmdSetScissorWithCount => fn cmd_set_scissor_with_count(c: vk::CommandBuffer, n: u32, all: *const vk::Rect2D) {
        set(c, State::AllScissors(list(all, n)?.to_vec()))
    }
    PFN_vkCmdBindVertexBuffers2 => fn cmd_bind_vertex_buffers2(
        c: vk::CommandBuffer, first: u32, n: u32, buffers: *const vk::Buffer, offsets: *const vk::DeviceSize,
        sizes: *const vk::DeviceSize, strides: *const vk::DeviceSize,
    ) {
        let (buffers, offsets) = (list(buffers, n)?, list(offsets, n)?);
        let sizes = if sizes.is_null() { &[][..] } else { list(sizes, n)? };
        if !strides.is_null() {
            set(c, State::Strides(first, list(strides, n)?.to_vec()))?;
        }
        record(c, |owner| {
            let one = |(k, (&b, &at)): (usize, (&vk::Buffer, &u64))| {
                let size = sizes.get(k).copied().unwrap_or(vk::WHOLE_SIZE);
                Ok(handles::get_some(owner, b)?.map(|b| (b, at, size)))
            };
            Ok(Command::Vertices(first, buffers.iter().zip(offsets).enumerate().map(one).collect::<Done<_>>()?))
        })
    }
    PFN_vkCmdSetDepthTestEnable => fn cmd_set_depth_test_enable(c: vk::CommandBuffer, on: vk::Bool32) {
        late(c, Late::DepthTest(on == vk::TRUE))
    }
    PFN_vkCmdSetDepthWriteEnable => fn cmd_set_depth_write_enable(c: vk::CommandBuffer, on: vk::Bool32) {
        late(c, Late::DepthWrite(on == vk::TRUE))
    }
    PFN_vkCmdSetDepthCompareOp => fn cmd_set_depth_compare_op(c: vk::CommandBuffer, op: vk::CompareOp) {
        late(c, Late::DepthCompare(op))
    }
    PFN_vkCmdSetDepthBoundsTestEnable => fn cmd_set_depth_bounds_test_enable(c: vk::CommandBuffer, on: vk::Bool32) {
        if on == vk::TRUE {
            return record(c, |_| Err(Fail::lacks("the depth bounds test is not there (depthBounds)")));
        }
        handles::at(c).map(drop)
    }
    PFN_vkCmdSetStencilTestEnable => fn cmd_set_stencil_test_enable(c: vk::CommandBuffer, on: vk::Bool32) {
        late(c, Late::StencilTest(on == vk::TRUE))
    }
    PFN_vkCmdSetStencilOp => fn cmd_set_stencil_op(
        c: vk::CommandBuffer, faces: vk::StencilFaceFlags, fail_op: vk::StencilOp, pass_op: vk::StencilOp,
        depth_fail_op: vk::StencilOp, compare_op: vk::CompareOp,
    ) {
        let op = vk::StencilOpState { fail_op, pass_op, depth_fail_op, compare_op, ..Default::default() };
        late(c, Late::Stencil(faces, op))
    }
    PFN_vkCmdSetRasterizerDiscardEnable => fn cmd_set_rasterizer_discard_enable(c: vk::CommandBuffer, on: vk::Bool32) {
        late(c, Late::Discards(on == vk::TRUE))
    }
    PFN_vkCmdSetDepthBiasEnable => fn cmd_set_depth_bias_enable(c: vk::CommandBuffer, on: vk::Bool32) {
        late(c, Late::Biased(on == vk::TRUE))
    }
    PFN_vkCmdSetPrimitiveRestartEnable => fn cmd_set_primitive_restart_enable(c: vk::CommandBuffer, on: vk::Bool32) {
        late(c, Late::Restart(on == vk::TRUE))
    }
}
