//! Passes and draws.

use ash::vk;

use crate::kit::{Gpu, devices, spirv};
use crate::programs::parts::{self, Bind, Pipe};

/// Columns and rows.
const SIZE: u32 = 16;

const SHADER: &str = "
@vertex fn vs(@builtin(vertex_index) k: u32) -> @builtin(position) vec4<f32> {
    var all = array(vec2(-1.0, -1.0), vec2(1.0, -1.0), vec2(-1.0, 1.0));
    return vec4(all[k], 0.5, 1.0);
}";
/// A module of its own, whose entry has the name that others have too.
const COLOUR: &str = "@fragment fn main() -> @location(0) vec4<f32> { return vec4(1.0, 0.5, 0.0, 1.0); }";

/// A picture of one triangle on a cleared target, and the samples that passed.
fn triangle(gpu: &Gpu, viewport: vk::Viewport, cull: vk::CullModeFlags) -> (Vec<u32>, u64) {
    let d = &gpu.device;
    let format = vk::Format::R8G8B8A8_UNORM;
    let extent = vk::Extent2D { width: SIZE, height: SIZE };
    // SAFETY: by Vulkan's rules.
    unsafe {
        let info = vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(format)
            .extent(vk::Extent3D { width: SIZE, height: SIZE, depth: 1 })
            .mip_levels(1)
            .array_layers(1)
            .samples(vk::SampleCountFlags::TYPE_1)
            .usage(vk::ImageUsageFlags::COLOR_ATTACHMENT | vk::ImageUsageFlags::TRANSFER_SRC);
        let image = d.create_image(&info, None).expect("an image");
        let need = d.get_image_memory_requirements(image);
        let memory =
            d.allocate_memory(&vk::MemoryAllocateInfo::default().allocation_size(need.size), None).expect("memory");
        d.bind_image_memory(image, memory, 0).expect("a binding");
        let range = vk::ImageSubresourceRange {
            aspect_mask: vk::ImageAspectFlags::COLOR,
            level_count: 1,
            layer_count: 1,
            ..Default::default()
        };
        let info = vk::ImageViewCreateInfo::default().image(image).view_type(vk::ImageViewType::TYPE_2D).format(format);
        let view = d.create_image_view(&info.subresource_range(range), None).expect("a view");
        let attachments = [vk::AttachmentDescription::default()
            .format(format)
            .samples(vk::SampleCountFlags::TYPE_1)
            .load_op(vk::AttachmentLoadOp::CLEAR)
            .store_op(vk::AttachmentStoreOp::STORE)
            .final_layout(vk::ImageLayout::TRANSFER_SRC_OPTIMAL)];
        let colours = [vk::AttachmentReference { attachment: 0, layout: vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL }];
        let subpasses = [vk::SubpassDescription::default().color_attachments(&colours)];
        let info = vk::RenderPassCreateInfo::default().attachments(&attachments).subpasses(&subpasses);
        let pass = d.create_render_pass(&info, None).expect("a pass");
        let views = [view];
        let info = vk::FramebufferCreateInfo::default().render_pass(pass).attachments(&views);
        let frame = d.create_framebuffer(&info.width(SIZE).height(SIZE).layers(1), None).expect("a framebuffer");
        let code = spirv(COLOUR);
        let p = Pipe { text: SHADER, fragment: Some(c"main"), code: Some(&code), cull, ..Pipe::default() };
        let pipeline = parts::pipeline(gpu, &p, gpu.layout(&[], 0), pass);
        let out = gpu.buffer((SIZE * SIZE * 4) as usize);
        let info = vk::QueryPoolCreateInfo::default().query_type(vk::QueryType::OCCLUSION).query_count(1);
        let queries = d.create_query_pool(&info, None).expect("queries");
        gpu.run(|d, c| {
            d.cmd_reset_query_pool(c, queries, 0, 1);
            let clears = [vk::ClearValue { color: vk::ClearColorValue { float32: [0.0, 0.0, 1.0, 1.0] } }];
            let area = vk::Rect2D { extent, ..Default::default() };
            let begin = vk::RenderPassBeginInfo::default().render_pass(pass).framebuffer(frame).render_area(area);
            d.cmd_begin_render_pass(c, &begin.clear_values(&clears), vk::SubpassContents::INLINE);
            d.cmd_bind_pipeline(c, vk::PipelineBindPoint::GRAPHICS, pipeline);
            d.cmd_set_viewport(c, 0, &[viewport]);
            d.cmd_set_scissor(c, 0, &[area]);
            d.cmd_begin_query(c, queries, 0, vk::QueryControlFlags::PRECISE);
            d.cmd_draw(c, 3, 1, 0, 0);
            d.cmd_end_query(c, queries, 0);
            d.cmd_end_render_pass(c);
            let region = vk::BufferImageCopy {
                image_subresource: vk::ImageSubresourceLayers {
                    aspect_mask: vk::ImageAspectFlags::COLOR,
                    layer_count: 1,
                    ..Default::default()
                },
                image_extent: vk::Extent3D { width: SIZE, height: SIZE, depth: 1 },
                ..Default::default()
            };
            d.cmd_copy_image_to_buffer(c, image, vk::ImageLayout::TRANSFER_SRC_OPTIMAL, out.buffer, &[region]);
        })
        .expect("it runs");
        let mut passed = [0u64];
        let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WAIT;
        d.get_query_pool_results(queries, 0, &mut passed, flags).expect("results");
        (out.words(), passed[0])
    }
}

/// The corner of y = -1 is above in a viewport of positive height and below in one of negative height; there the vertices go round the
/// other way. 120 of 256 pixels have their middle inside of the triangle and not on its edge.
#[test]
fn a_triangle_is_upright_in_viewports_of_both_signs() {
    let (red, blue) = (0xff00_80ff, 0xffff_0000);
    let size = SIZE as f32;
    let up = vk::Viewport { width: size, height: size, max_depth: 1.0, ..Default::default() };
    let down = vk::Viewport { y: size, height: -size, ..up };
    let at = |p: &[u32], x: u32, y: u32| p[(y * SIZE + x) as usize];
    for (target, gpu) in devices() {
        let (picture, passed) = triangle(&gpu, up, vk::CullModeFlags::NONE);
        assert_eq!((at(&picture, 4, 4), at(&picture, 12, 12)), (red, blue), "{target}");
        assert_eq!((passed, picture.iter().filter(|p| **p == red).count()), (120, 120), "{target}");
        let (picture, passed) = triangle(&gpu, down, vk::CullModeFlags::NONE);
        assert_eq!((at(&picture, 4, 12), at(&picture, 12, 4)), (red, blue), "{target}");
        assert_eq!((passed, picture.iter().filter(|p| **p == red).count()), (120, 120), "{target}");
        let counts = [(up, vk::CullModeFlags::BACK), (up, vk::CullModeFlags::FRONT), (down, vk::CullModeFlags::BACK)];
        let counts = counts.map(|(v, cull)| triangle(&gpu, v, cull).1);
        assert_eq!(counts, [0, 120, 120], "{target}");
    }
}

/// Whether fragments of a device write memory; says so if not.
fn fragments_write((target, gpu): &(&str, Gpu)) -> bool {
    let features = unsafe { gpu.instance.get_physical_device_features(gpu.physical) };
    let write = features.fragment_stores_and_atomics == vk::TRUE;
    if !write {
        eprintln!("{target}: fragments write no memory");
    }
    write
}

/// The texels behind a draw of so many vertices.
fn drawn(gpu: &Gpu, text: &str, binds: &[Bind], vertices: u32) -> Vec<u32> {
    let p = Pipe { text, ..Pipe::default() };
    parts::once(gpu, &p, binds, [0.0; 4], |d, c, _| unsafe { d.cmd_draw(c, vertices, 1, 0, 0) })
}

/// Invocations of both stages take tickets from counters: each ticket once, in whatever order. The oracle, which the other tests ask about
/// this one too, may take them in another.
#[test]
fn invocations_of_draws_count_themselves() {
    const TEXT: &str = "
        @group(0) @binding(0) var<storage, read_write> n: atomic<u32>;
        @group(0) @binding(1) var<storage, read_write> last: u32;
        @vertex fn vs(@builtin(vertex_index) k: u32) -> @builtin(position) vec4f {
            return vec4f(f32(k & 1u) * 4.0 - 1.0, f32(k >> 1u) * 4.0 - 1.0, 0.5, 1.0);
        }
        @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {
            let ticket = atomicAdd(&n, 1u);
            last = u32(p.x) + u32(p.y) * 64u;
            return unpack4x8unorm(ticket);
        }";
    for (target, gpu) in devices().filter(fragments_write) {
        let (counter, last) = (parts::words(&gpu, &[0]), parts::words(&gpu, &[u32::MAX]));
        let mut tickets = drawn(&gpu, TEXT, &[Bind::Storage(counter), Bind::Storage(last)], 3);
        tickets.sort_unstable();
        assert_eq!(tickets, (0..parts::SIZE * parts::SIZE).collect::<Vec<_>>(), "{target}");
        assert_eq!(counter.words(), [parts::SIZE * parts::SIZE], "{target}");
        assert!(last.words()[0] < 4096, "{target}");
    }
}

/// Fragments of triangles over each other load what others store: which of them came first is nobody's. The machine of Vivante, which runs fewer of
/// them side by side than the oracle, gives other colours than it, and no difference is told for that.
#[test]
fn fragments_that_see_each_other_run_in_any_order() {
    const TEXT: &str = "
        @group(0) @binding(0) var<storage, read_write> last: u32;
        @vertex fn vs(@builtin(vertex_index) k: u32) -> @builtin(position) vec4f {
            let n = k % 3u;
            return vec4f(f32(n & 1u) * 3.0 - 1.0 + f32(k / 3u) * 0.3, f32(n >> 1u) * 3.0 - 1.0, 0.5, 1.0);
        }
        @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {
            let before = last;
            last = u32(p.x) + u32(p.y) * 64u;
            return unpack4x8unorm(before);
        }";
    for (target, gpu) in devices().filter(fragments_write) {
        let last = parts::words(&gpu, &[9999]);
        let seen = drawn(&gpu, TEXT, &[Bind::Storage(last)], 9);
        assert!(seen.iter().all(|w| *w < 4096 || *w == 9999), "{target}");
        assert!(last.words()[0] < 4096, "{target}");
    }
}
