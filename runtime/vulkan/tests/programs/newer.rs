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
        assert_eq!(d.get_semaphore_counter_value(semaphore), Ok(3));
        d.signal_semaphore(&vk::SemaphoreSignalInfo::default().semaphore(semaphore).value(5)).expect("a signal");
        let (semaphores, values) = ([semaphore], [7]);
        let wait = vk::SemaphoreWaitInfo::default().semaphores(&semaphores).values(&values);
        d.wait_semaphores(&wait, 300_000_000_000).expect("its end");
        d.destroy_semaphore(semaphore, None);
    }
    out.words()
}

/// Two views by one draw, in two layers below each other: a moved triangle, cleared to a colour, and then a draw of a pass that goes on.
pub fn views(gpu: &Gpu) -> Vec<u32> {
    let text = "
        struct V { @builtin(position) p: vec4f, @location(0) c: vec3f }
        @vertex fn vs(@builtin(vertex_index) k: u32, @builtin(instance_index) n: u32, @builtin(view_index) view: u32) -> V {
            let a = f32(k) * 2.0944 + f32(n);
            let at = vec2f(cos(a), sin(a)) * select(0.7, 0.3, n == 1u) + vec2f(f32(view) * 0.3, 0.0);
            return V(vec4f(at, 0.5, 1.0), vec3f(f32(n), f32(k) * 0.5, f32(view)));
        }
        @fragment fn fs(v: V, @builtin(view_index) view: u32) -> @location(0) vec4f { return vec4f(v.c.xy, v.c.z * 0.5 + f32(view) * 0.25, 1.0); }";
    let kind = vk::ImageViewType::TYPE_2D_ARRAY;
    let size = [SIZE, SIZE / 2, 1];
    let target = image(gpu, Of { size, layers: 2, kind, ..Of::default() });
    let general = vk::ImageLayout::GENERAL;
    let refer = [vk::AttachmentReference { attachment: 0, layout: general }];
    let subpasses = [vk::SubpassDescription::default().color_attachments(&refer)];
    let make = |masks: &[u32], clears| unsafe {
        let mut several = vk::RenderPassMultiviewCreateInfo::default().view_masks(masks);
        let attachments = [attachment(&target, clears)];
        let info = vk::RenderPassCreateInfo::default().attachments(&attachments).subpasses(&subpasses);
        let pass = gpu.device.create_render_pass(&info.push_next(&mut several), None).expect("a pass");
        let views = [target.view];
        let info = vk::FramebufferCreateInfo::default().render_pass(pass).attachments(&views);
        let frame = gpu.device.create_framebuffer(&info.width(size[0]).height(size[1]).layers(1), None);
        Pass {
            pass,
            frame: frame.expect("a framebuffer"),
            size: [size[0], size[1]],
            clears: vec![colour([0.2, 0.1, 0.0, 1.0])],
        }
    };
    let (both, second) = (make(&[3], true), make(&[2], false));
    let p = Pipe { text, ..Pipe::default() };
    let [first, last] = [&both, &second].map(|pass| made(gpu, &p, &[], pass));
    recorded(gpu, &target, |d, c| {
        draw(d, c, &both, || first.draw(d, c, 3, 1));
        draw(d, c, &second, || {
            last.bind(d, c);
            let rect = vk::Rect2D { offset: vk::Offset2D { x: 2, y: 3 }, extent: vk::Extent2D { width: 5, height: 4 } };
            let what = vk::ClearAttachment {
                aspect_mask: vk::ImageAspectFlags::COLOR,
                color_attachment: 0,
                clear_value: colour([1.0, 1.0, 1.0, 1.0]),
            };
            let rect = vk::ClearRect { rect, base_array_layer: 0, layer_count: 1 };
            unsafe {
                d.cmd_clear_attachments(c, &[what], &[rect]);
                d.cmd_draw(c, 3, 1, 0, 1);
            }
        });
    })
}

/// Four draws of one call, which know their numbers.
pub fn numbered(gpu: &Gpu) -> Vec<u32> {
    let text = "
        enable draw_index;
        struct V { @builtin(position) p: vec4f, @location(0) c: vec4f }
        @vertex fn vs(@builtin(vertex_index) k: u32, @builtin(draw_index) n: u32) -> V {
            var at = array(vec2f(0.0, 0.0), vec2f(1.0, 0.0), vec2f(0.0, 1.0), vec2f(0.0, 1.0), vec2f(1.0, 0.0), vec2f(1.0, 1.0));
            let p = at[k % 6u] * 0.4 + vec2f(f32(k / 6u) * 0.5 - 1.0, f32(n) * 0.5 - 1.0);
            return V(vec4f(p, 0.0, 1.0), vec4f(f32(n) / 3.0, 1.0, 0.5, 1.0));
        }
        @fragment fn fs(v: V) -> @location(0) vec4f { return v.c; }";
    let calls = words(gpu, &[6, 1, 0, 0, 6, 1, 6, 0, 12, 1, 0, 0, 6, 1, 18, 0]);
    once(gpu, &Pipe { text, ..Pipe::default() }, &[], [0.0, 0.0, 0.3, 1.0], |d, c, _| unsafe {
        d.cmd_draw_indirect(c, calls.buffer, 0, 4, 16);
    })
}

/// A linear image: the host writes its texels, half of it is blitted to a picture, the picture's middle is copied back, and the host reads it.
pub fn linear(gpu: &Gpu) -> Vec<u32> {
    let d = &gpu.device;
    let general = vk::ImageLayout::GENERAL;
    let usage = vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST;
    let info = vk::ImageCreateInfo::default()
        .image_type(vk::ImageType::TYPE_2D)
        .format(COLOUR)
        .extent(vk::Extent3D { width: 20, height: 10, depth: 1 })
        .mip_levels(1)
        .array_layers(1)
        .samples(vk::SampleCountFlags::TYPE_1)
        .tiling(vk::ImageTiling::LINEAR)
        .initial_layout(vk::ImageLayout::PREINITIALIZED)
        .usage(usage);
    let colour = vk::ImageAspectFlags::COLOR;
    let one = vk::ImageSubresourceLayers { aspect_mask: colour, mip_level: 0, base_array_layer: 0, layer_count: 1 };
    let (own, at, layout) = unsafe {
        let own = d.create_image(&info, None).expect("an image");
        let memory = gpu.memory(
            d.get_image_memory_requirements(own),
            vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT,
        );
        d.bind_image_memory(own, memory, 0).expect("a binding");
        let at = d.map_memory(memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty()).expect("an address").cast::<u8>();
        let part = vk::ImageSubresource { aspect_mask: colour, mip_level: 0, array_layer: 0 };
        (own, at, d.get_image_subresource_layout(own, part))
    };
    let texel =
        |x: u64, y: u64| unsafe { at.add((layout.offset + y * layout.row_pitch + x * 4) as usize).cast::<u32>() };
    for (x, y) in (0..10).flat_map(|y| (0..20).map(move |x| (x, y))) {
        // SAFETY: the texel is inside of what is mapped, and nothing runs.
        unsafe { texel(x, y).write_unaligned(u32::from_le_bytes([x as u8 * 12, y as u8 * 25, 128, 255])) };
    }
    let target = image(gpu, Of::default());
    let all = vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE | vk::AccessFlags::HOST_WRITE;
    let range = vk::ImageSubresourceRange { aspect_mask: colour, level_count: 1, layer_count: 1, ..Default::default() };
    let seen = vk::ImageMemoryBarrier::default()
        .image(own)
        .old_layout(vk::ImageLayout::PREINITIALIZED)
        .new_layout(general)
        .src_access_mask(vk::AccessFlags::HOST_WRITE)
        .dst_access_mask(all)
        .subresource_range(range);
    let corner = |x, y| vk::Offset3D { x, y, z: 1 };
    let mut out = recorded(gpu, &target, |d, c| unsafe {
        let (host, stages) = (vk::PipelineStageFlags::HOST, vk::PipelineStageFlags::ALL_COMMANDS);
        d.cmd_pipeline_barrier(c, host, stages | host, vk::DependencyFlags::empty(), &[], &[], &[seen]);
        let whole = [vk::Offset3D::default(), corner(SIZE as i32, SIZE as i32)];
        let half = [vk::Offset3D::default(), corner(10, 10)];
        let r = vk::ImageBlit { src_subresource: one, src_offsets: half, dst_subresource: one, dst_offsets: whole };
        d.cmd_blit_image(c, own, general, target.image, general, &[r], vk::Filter::NEAREST);
        barrier(d, c);
        let r = vk::ImageCopy {
            src_subresource: one,
            src_offset: vk::Offset3D { x: 30, y: 30, z: 0 },
            dst_subresource: one,
            dst_offset: vk::Offset3D { x: 8, y: 2, z: 0 },
            extent: vk::Extent3D { width: 12, height: 8, depth: 1 },
        };
        d.cmd_copy_image(c, target.image, general, own, general, &[r]);
        barrier(d, c);
    });
    for (x, y) in (0..10).flat_map(|y| (0..20).map(move |x| (x, y))) {
        // SAFETY: as above.
        out[(y * u64::from(SIZE) + x) as usize] = unsafe { texel(x, y).read_unaligned() };
    }
    out
}

/// Fixed function that commands set: one pipeline whose own numbers draw nothing, and six draws with others.
pub fn late(gpu: &Gpu) -> Vec<u32> {
    use vk::DynamicState as S;
    let text = "
        struct V { @builtin(position) p: vec4f, @location(0) c: vec3f }
        @vertex fn vs(@location(0) p: vec3f, @builtin(instance_index) n: u32) -> V {
            var c = array(vec3f(1.0, 0.2, 0.1), vec3f(0.1, 0.9, 0.2), vec3f(0.2, 0.3, 1.0), vec3f(1.0, 1.0, 0.2), vec3f(0.9));
            return V(vec4f(p, 1.0), c[n]);
        }
        @fragment fn fs(v: V) -> @location(0) vec4f { return vec4f(v.c, 1.0); }";
    let left = [
        S::CULL_MODE,
        S::FRONT_FACE,
        S::PRIMITIVE_TOPOLOGY,
        S::VIEWPORT_WITH_COUNT,
        S::SCISSOR_WITH_COUNT,
        S::VERTEX_INPUT_BINDING_STRIDE,
        S::DEPTH_TEST_ENABLE,
        S::DEPTH_WRITE_ENABLE,
        S::DEPTH_COMPARE_OP,
        S::STENCIL_TEST_ENABLE,
        S::STENCIL_OP,
        S::RASTERIZER_DISCARD_ENABLE,
        S::DEPTH_BIAS_ENABLE,
        S::PRIMITIVE_RESTART_ENABLE,
    ];
    let format = gpu.stencil_format();
    let target = image(gpu, Of::default());
    let usage = vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT;
    let deep = image(gpu, Of { format, usage, ..Of::default() });
    let pass = pass(gpu, &[(target, [0.1, 0.1, 0.1, 1.0])], Some(deep), None);
    let never = vk::StencilOpState { compare_op: vk::CompareOp::NEVER, ..Default::default() };
    let own = vk::StencilOpState { compare_mask: 255, write_mask: 255, reference: 1, ..never };
    let p = Pipe {
        text,
        buffers: &[(4, false, &[(vk::Format::R32G32B32_SFLOAT, 0)])],
        cull: vk::CullModeFlags::FRONT_AND_BACK,
        depth: Some((vk::CompareOp::NEVER, false)),
        stencil: Some([own; 2]),
        late: &left,
        ..Pipe::default()
    };
    let made = made(gpu, &p, &[], &pass);
    // A triangle, a strip with a vertex left out between each two, and a triangle of everything.
    let points = [
        [-0.9, -0.8, 0.5],
        [0.7, -0.8, 0.5],
        [-0.9, 0.7, 0.5],
        [-0.3, -0.4, 0.3],
        [9.0, 9.0, 9.0],
        [0.8, -0.4, 0.3],
        [9.0, 9.0, 9.0],
        [-0.3, 0.8, 0.7],
        [9.0, 9.0, 9.0],
        [0.8, 0.8, 0.7],
        [-3.0, -1.0, 0.9],
        [3.0, -1.0, 0.9],
        [0.0, 5.0, 0.9],
    ];
    let data = floats(gpu, points.as_flattened());
    let late = ash::ext::extended_dynamic_state::Device::new(&gpu.instance, &gpu.device);
    let later = ash::ext::extended_dynamic_state2::Device::new(&gpu.instance, &gpu.device);
    recorded(gpu, &target, |d, c| {
        let whole = whole([SIZE, SIZE]);
        let area =
            |x, width| vk::Rect2D { offset: vk::Offset2D { x, y: 0 }, extent: vk::Extent2D { width, height: SIZE } };
        let (keep, faces) = (vk::StencilOp::KEEP, vk::StencilFaceFlags::FRONT_AND_BACK);
        let points = |first: u64, stride: u64| unsafe {
            late.cmd_bind_vertex_buffers2(
                c,
                0,
                &[data.buffer],
                &[first * 12],
                Some(&[156 - first * 12]),
                Some(&[stride]),
            );
        };
        let test = |on, write, compare| unsafe {
            late.cmd_set_depth_test_enable(c, on);
            late.cmd_set_depth_write_enable(c, write);
            late.cmd_set_depth_compare_op(c, compare);
        };
        let faced = |cull, front| unsafe {
            late.cmd_set_cull_mode(c, cull);
            late.cmd_set_front_face(c, front);
        };
        let (list, strip) = (vk::PrimitiveTopology::TRIANGLE_LIST, vk::PrimitiveTopology::TRIANGLE_STRIP);
        let (cw, ccw) = (vk::FrontFace::CLOCKWISE, vk::FrontFace::COUNTER_CLOCKWISE);
        begin_alone(d, c, &pass);
        made.bind(d, c);
        unsafe {
            late.cmd_set_viewport_with_count(c, &[whole]);
            late.cmd_set_scissor_with_count(c, &[area(0, SIZE)]);
            later.cmd_set_rasterizer_discard_enable(c, false);
            later.cmd_set_depth_bias_enable(c, false);
            later.cmd_set_primitive_restart_enable(c, false);
            late.cmd_set_stencil_test_enable(c, false);
            late.cmd_set_stencil_op(c, faces, keep, keep, keep, vk::CompareOp::ALWAYS);
            late.cmd_set_primitive_topology(c, list);
            faced(vk::CullModeFlags::NONE, ccw);
            test(true, true, vk::CompareOp::LESS);
            points(0, 12);
            d.cmd_draw(c, 3, 1, 0, 0);
            // The strip passes where the triangle is behind it, and marks its pixels.
            late.cmd_set_primitive_topology(c, strip);
            late.cmd_set_stencil_test_enable(c, true);
            late.cmd_set_stencil_op(c, faces, keep, vk::StencilOp::REPLACE, keep, vk::CompareOp::ALWAYS);
            points(3, 24);
            d.cmd_draw(c, 4, 1, 0, 1);
            // Everything on the right that is marked.
            late.cmd_set_primitive_topology(c, list);
            test(false, false, vk::CompareOp::NEVER);
            late.cmd_set_stencil_op(c, faces, keep, keep, keep, vk::CompareOp::EQUAL);
            late.cmd_set_scissor_with_count(c, &[area(40, 24)]);
            points(10, 12);
            d.cmd_draw(c, 3, 1, 0, 2);
            // Nothing: first it is not rasterised, then it faces away.
            late.cmd_set_scissor_with_count(c, &[area(0, SIZE)]);
            late.cmd_set_stencil_test_enable(c, false);
            later.cmd_set_rasterizer_discard_enable(c, true);
            d.cmd_draw(c, 3, 1, 0, 4);
            later.cmd_set_rasterizer_discard_enable(c, false);
            faced(vk::CullModeFlags::BACK, ccw);
            d.cmd_draw(c, 3, 1, 0, 4);
            // The same triangle by the other winding, behind all else.
            faced(vk::CullModeFlags::BACK, cw);
            test(true, false, vk::CompareOp::LESS);
            late.cmd_set_scissor_with_count(c, &[area(0, 20)]);
            d.cmd_draw(c, 3, 1, 0, 3);
            d.cmd_end_render_pass(c);
        }
        barrier(d, c);
    })
}
