//! Programs by functions that came after Vulkan 1.1.

use ash::vk;

use super::parts::*;
use crate::kit::Gpu;

const TEXT: &str = "
    struct V { @builtin(position) p: vec4f, @location(0) c: vec3f }
    @vertex fn vs(@builtin(vertex_index) k: u32, @builtin(instance_index) n: u32) -> V {
        let a = f32(k) * 2.0944 + f32(n);
        let z = select(0.3, 0.6, n == 1u);
        return V(vec4f(cos(a) * 0.8, sin(a) * 0.8, z, 1.0), vec3f(f32(n), f32(k) * 0.5, 1.0 - f32(n) * 0.7));
    }
    @fragment fn fs(v: V) -> @location(0) vec4f { return vec4f(v.c, 1.0); }";

/// Rendering without a pass, four samples and a depth, with barriers, copies and a submission of the second form, which a counting semaphore ends.
pub fn rendering(gpu: &Gpu) -> Vec<u32> {
    let four = vk::SampleCountFlags::TYPE_4;
    let target = image(gpu, Of::default());
    let several = image(gpu, Of { samples: four, usage: vk::ImageUsageFlags::COLOR_ATTACHMENT, ..Of::default() });
    let usage = vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT;
    let z = image(gpu, Of { format: DEPTH, samples: four, usage, ..Of::default() });
    let layout = layout(gpu, None, 0);
    let p = Pipe { text: TEXT, samples: four, depth: Some((vk::CompareOp::LESS, true)), ..Pipe::default() };
    let formats = [COLOUR];
    let mut format =
        vk::PipelineRenderingCreateInfo::default().color_attachment_formats(&formats).depth_attachment_format(DEPTH);
    let made = pipeline_with(gpu, &p, layout, vk::RenderPass::null(), Some(&mut format));
    let out = gpu.buffer((SIZE * SIZE * 4) as usize);
    let d = &gpu.device;
    let rendering = ash::khr::dynamic_rendering::Device::new(&gpu.instance, d);
    let sync = ash::khr::synchronization2::Device::new(&gpu.instance, d);
    let copies = ash::khr::copy_commands2::Device::new(&gpu.instance, d);
    let timeline = ash::khr::timeline_semaphore::Device::new(&gpu.instance, d);
    let general = vk::ImageLayout::GENERAL;
    unsafe {
        let info = vk::CommandBufferAllocateInfo::default().command_pool(gpu.pool).command_buffer_count(1);
        let c = d.allocate_command_buffers(&info).expect("a buffer")[0];
        d.begin_command_buffer(c, &vk::CommandBufferBeginInfo::default()).expect("a recording");
        let clear = |p: &Pic, value| {
            vk::RenderingAttachmentInfo::default()
                .image_view(p.view)
                .image_layout(general)
                .load_op(vk::AttachmentLoadOp::CLEAR)
                .store_op(vk::AttachmentStoreOp::STORE)
                .clear_value(value)
        };
        let colours = [clear(&several, colour([0.1, 0.2, 0.4, 1.0]))
            .resolve_mode(vk::ResolveModeFlags::AVERAGE)
            .resolve_image_view(target.view)
            .resolve_image_layout(general)];
        let deep = clear(&z, far(0));
        let extent = vk::Extent2D { width: SIZE, height: SIZE };
        let area = vk::Rect2D { extent, ..Default::default() };
        let info = vk::RenderingInfo::default().render_area(area).layer_count(1);
        rendering.cmd_begin_rendering(c, &info.color_attachments(&colours).depth_attachment(&deep));
        d.cmd_set_viewport(c, 0, &[whole([SIZE, SIZE])]);
        d.cmd_set_scissor(c, 0, &[area]);
        bind(d, c, (made, layout), None);
        d.cmd_draw(c, 3, 2, 0, 0);
        rendering.cmd_end_rendering(c);
        let all = vk::AccessFlags2::MEMORY_READ | vk::AccessFlags2::MEMORY_WRITE;
        let stages = vk::PipelineStageFlags2::ALL_COMMANDS;
        let memory = [vk::MemoryBarrier2::default()
            .src_access_mask(all)
            .dst_access_mask(all)
            .src_stage_mask(stages)
            .dst_stage_mask(stages | vk::PipelineStageFlags2::HOST)];
        sync.cmd_pipeline_barrier2(c, &vk::DependencyInfo::default().memory_barriers(&memory));
        let r = region(&target, 0);
        let regions =
            [vk::BufferImageCopy2::default().image_subresource(r.image_subresource).image_extent(r.image_extent)];
        let info = vk::CopyImageToBufferInfo2::default().src_image(target.image).src_image_layout(general);
        copies.cmd_copy_image_to_buffer2(c, &info.dst_buffer(out.buffer).regions(&regions));
        sync.cmd_pipeline_barrier2(c, &vk::DependencyInfo::default().memory_barriers(&memory));
        d.end_command_buffer(c).expect("its end");
        let mut counts =
            vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE).initial_value(3);
        let semaphore = d.create_semaphore(&vk::SemaphoreCreateInfo::default().push_next(&mut counts), None);
        let semaphore = semaphore.expect("a semaphore");
        let buffers = [vk::CommandBufferSubmitInfo::default().command_buffer(c)];
        let of = |value| vk::SemaphoreSubmitInfo::default().semaphore(semaphore).value(value).stage_mask(stages);
        let (waits, signals) = ([of(5)], [of(7)]);
        let submit = vk::SubmitInfo2::default().command_buffer_infos(&buffers);
        let submit = [submit.wait_semaphore_infos(&waits).signal_semaphore_infos(&signals)];
        sync.queue_submit2(gpu.queue, &submit, vk::Fence::null()).expect("a submission");
        assert_eq!(timeline.get_semaphore_counter_value(semaphore), Ok(3));
        timeline.signal_semaphore(&vk::SemaphoreSignalInfo::default().semaphore(semaphore).value(5)).expect("a signal");
        let (semaphores, values) = ([semaphore], [7]);
        let wait = vk::SemaphoreWaitInfo::default().semaphores(&semaphores).values(&values);
        timeline.wait_semaphores(&wait, 300_000_000_000).expect("its end");
        d.destroy_semaphore(semaphore, None);
    }
    out.words()
}
