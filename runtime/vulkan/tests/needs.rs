//! What programs need besides what the small programs draw: one test for each row of the table in `docs/vulkan.md`.

use ash::vk;

use crate::kit::{devices, newer_devices, spirv};
use crate::programs::parts::{self, Bind, Of, Pipe, SIZE, TEXTURE, barrier};
use crate::tools::{glslang_of, has};

const GENERAL: vk::ImageLayout = vk::ImageLayout::GENERAL;

/// A triangle over everything.
const ALL: &str = "
    @vertex fn vs(@builtin(vertex_index) k: u32) -> @builtin(position) vec4f {
        return vec4f(f32(k & 1u) * 4.0 - 1.0, f32(k >> 1u) * 4.0 - 1.0, 0.5, 1.0);
    }
    @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {
        return vec4f(floor(p.x) * 3.0, floor(p.y) * 2.0, 51.0, 255.0) / 255.0;
    }";

/// The second subpass reads what the first one left at its pixel.
#[test]
fn a_subpass_reads_what_another_one_wrote() {
    if !has("glslangValidator", "glslang-tools") {
        return;
    }
    let code = glslang_of(
        "frag",
        "input",
        "vulkan1.1",
        "#version 450
         layout(input_attachment_index = 0, set = 0, binding = 0) uniform subpassInput i;
         layout(location = 0) out vec4 o;
         void main() { o = vec4(1.0) - subpassLoad(i).grba; }",
    );
    for (target, gpu) in devices() {
        let usage = Of::default().usage | vk::ImageUsageFlags::INPUT_ATTACHMENT;
        let (first, target_image) =
            (parts::image(&gpu, Of { usage, ..Of::default() }), parts::image(&gpu, Of::default()));
        let refer = |attachment| [vk::AttachmentReference { attachment, layout: GENERAL }];
        let (zero, one) = (refer(0), refer(1));
        let subpasses = [
            vk::SubpassDescription::default().color_attachments(&zero),
            vk::SubpassDescription::default().input_attachments(&zero).color_attachments(&one),
        ];
        let attachments = [parts::attachment(&first, true), parts::attachment(&target_image, true)];
        let info = vk::RenderPassCreateInfo::default().attachments(&attachments).subpasses(&subpasses);
        let views = [first.view, target_image.view];
        let pass = unsafe {
            let pass = gpu.device.create_render_pass(&info, None).expect("a pass");
            let info = vk::FramebufferCreateInfo::default().render_pass(pass).attachments(&views);
            let info = info.width(SIZE).height(SIZE).layers(1);
            let frame = gpu.device.create_framebuffer(&info, None).expect("a framebuffer");
            parts::Pass { pass, frame, size: [SIZE; 2], clears: vec![parts::colour([0.0; 4]); 2] }
        };
        let write = parts::made(&gpu, &Pipe { text: ALL, ..Pipe::default() }, &[], &pass);
        let p = Pipe { text: ALL, fragment: Some(c"main"), code: Some(&code), subpass: 1, ..Pipe::default() };
        let read = parts::made(&gpu, &p, &[Bind::Input(first.view)], &pass);
        let texels = parts::passed(&gpu, &target_image, &pass, |d, c| {
            write.draw(d, c, 3, 1);
            unsafe { d.cmd_next_subpass(c, vk::SubpassContents::INLINE) };
            read.draw(d, c, 3, 1);
        });
        let want: Vec<u32> = (0..SIZE * SIZE)
            .map(|n| u32::from_le_bytes([255 - (n / SIZE * 2) as u8, 255 - (n % SIZE * 3) as u8, 204, 0]))
            .collect();
        assert_eq!(texels, want, "{target}");
    }
}

/// Rows that draws make by their first vertices: so many as the count in a buffer says, and no more than the call allows.
#[test]
fn draws_are_counted_by_a_buffer() {
    const TEXT: &str = "
        @vertex fn vs(@builtin(vertex_index) k: u32) -> @builtin(position) vec4f {
            let uv = vec2f(f32(k & 1u) * 4.0, f32(k >> 1u & 1u) * 4.0);
            return vec4f(uv * 0.125 - 1.0 + vec2f(0.0, f32(k / 4u) * 0.5), 0.5, 1.0);
        }
        @fragment fn fs() -> @location(0) vec4f { return vec4f(1.0); }";
    // A corner of a row of 16 pixels is in its triangle: column 0, the row's first.
    let rows = |texels: &[u32]| (0..4u32).map(|r| texels[(r * 16 * SIZE) as usize] == u32::MAX).collect::<Vec<_>>();
    for (target, gpu) in newer_devices() {
        let calls = parts::words(&gpu, &[3, 1, 0, 0, 3, 1, 4, 0, 3, 1, 8, 0, 3, 1, 12, 0]);
        let indexed = parts::words(&gpu, &[3, 1, 0, 0, 0, 3, 1, 4, 0, 0, 3, 1, 8, 0, 0]);
        let indices = parts::words(&gpu, &(0..16).collect::<Vec<_>>());
        let counts = parts::words(&gpu, &[2, 9, 0]);
        let target_image = parts::image(&gpu, Of::default());
        let pass = parts::pass(&gpu, &[(target_image, [0.0; 4])], None, None);
        let made = parts::made(&gpu, &Pipe { text: TEXT, ..Pipe::default() }, &[], &pass);
        let drawn = |body: &dyn Fn(&ash::Device, vk::CommandBuffer)| {
            rows(&parts::passed(&gpu, &target_image, &pass, |d, c| {
                made.bind(d, c);
                body(d, c);
            }))
        };
        let by = |at: u64, most: u32| {
            drawn(&|d, c| unsafe { d.cmd_draw_indirect_count(c, calls.buffer, 0, counts.buffer, at, most, 16) })
        };
        assert_eq!(by(0, 4), [true, true, false, false], "{target}: two of four");
        assert_eq!(by(4, 3), [true, true, true, false], "{target}: nine, of which three are allowed");
        assert_eq!(by(8, 4), [false; 4], "{target}: none");
        let got = drawn(&|d, c| unsafe {
            d.cmd_bind_index_buffer(c, indices.buffer, 0, vk::IndexType::UINT32);
            d.cmd_draw_indexed_indirect_count(c, indexed.buffer, 20, counts.buffer, 0, 2, 20);
        });
        assert_eq!(got, [false, true, true, false], "{target}: indexed");
    }
}

/// A grid that a buffer has, between two timestamps that a command copies, behind an event that the host sets.
#[test]
fn a_list_waits_for_the_host_and_tells_its_time() {
    let code = spirv(
        "@group(0) @binding(0) var<storage, read_write> a: array<u32>;
         @compute @workgroup_size(2) fn main(@builtin(global_invocation_id) id: vec3u) { a[id.x] = id.x + 1u; }",
    );
    for (target, gpu) in devices() {
        let d = &gpu.device;
        let (data, grid, times) = (gpu.buffer(32), parts::words(&gpu, &[7, 3, 1, 1]), gpu.buffer(32));
        let program = gpu.program(&code, gpu.set(&[(data.buffer, 0, vk::WHOLE_SIZE)]), 0);
        let stages = vk::PipelineStageFlags::ALL_COMMANDS;
        unsafe {
            let (go, done) = {
                let event = || d.create_event(&vk::EventCreateInfo::default(), None).expect("an event");
                (event(), event())
            };
            let info = vk::QueryPoolCreateInfo::default().query_type(vk::QueryType::TIMESTAMP).query_count(2);
            let pool = d.create_query_pool(&info, None).expect("queries");
            let info = vk::CommandBufferAllocateInfo::default().command_pool(gpu.pool).command_buffer_count(1);
            let c = d.allocate_command_buffers(&info).expect("a buffer")[0];
            d.begin_command_buffer(c, &vk::CommandBufferBeginInfo::default()).expect("a recording");
            d.cmd_wait_events(c, &[go], vk::PipelineStageFlags::HOST, stages, &[], &[], &[]);
            d.cmd_reset_query_pool(c, pool, 0, 2);
            d.cmd_write_timestamp(c, vk::PipelineStageFlags::TOP_OF_PIPE, pool, 0);
            program.bind(d, c);
            d.cmd_dispatch_indirect(c, grid.buffer, 4);
            d.cmd_write_timestamp(c, stages, pool, 1);
            barrier(d, c);
            let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WAIT;
            d.cmd_copy_query_pool_results(c, pool, 0, 2, times.buffer, 8, 8, flags);
            barrier(d, c);
            d.cmd_set_event(c, done, stages);
            d.end_command_buffer(c).expect("its end");
            let fence = d.create_fence(&vk::FenceCreateInfo::default(), None).expect("a fence");
            let list = [c];
            d.queue_submit(gpu.queue, &[vk::SubmitInfo::default().command_buffers(&list)], fence).expect("a submit");
            assert_eq!(d.get_fence_status(fence), Ok(false), "{target}: nobody has set the event");
            assert_eq!(d.get_event_status(done), Ok(false), "{target}");
            d.set_event(go).expect("an event");
            d.wait_for_fences(&[fence], true, 300_000_000_000).expect("its end");
            assert_eq!(d.get_event_status(done), Ok(true), "{target}");
            assert_eq!(data.words(), [1, 2, 3, 4, 5, 6, 0, 0], "{target}");
            let mut own = [0u64; 2];
            d.get_query_pool_results(pool, 0, &mut own, flags).expect("results");
            assert!(own[0] < own[1], "{target}: {own:?}");
            let half = |v: u64| [v as u32, (v >> 32) as u32];
            assert_eq!(times.words()[2..6], own.map(half).concat(), "{target}");
        }
    }
}

/// Blocks whose texels other decoders gave (`blocks.txt`), or the formula of the specification, as a shader reads them.
#[test]
fn shaders_read_compressed_textures() {
    use vk::Format as F;
    let code = spirv(
        "@group(0) @binding(0) var t: texture_2d<f32>;
         @group(0) @binding(1) var s: sampler;
         @group(0) @binding(2) var<storage, read_write> out: array<u32>;
         @compute @workgroup_size(8, 4) fn main(@builtin(local_invocation_id) id: vec3u) {
             let at = (vec2f(id.xy) + 0.5) / vec2f(8.0, 4.0);
             out[id.y * 8u + id.x] = pack4x8unorm(textureSampleLevel(t, s, at, 0.0));
             out[32u + id.y * 8u + id.x] = pack4x8unorm(textureLoad(t, id.xy, 0));
         }",
    );
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/blocks.txt");
    let known = std::fs::read_to_string(path).expect("a file");
    let hex = |text: &str| -> Vec<u8> {
        (0..text.len() / 2).map(|k| u8::from_str_radix(&text[2 * k..2 * k + 2], 16).expect("a byte")).collect()
    };
    // Two blocks each, side by side: bytes, and the texels of each block row by row.
    let mut all: Vec<(F, Vec<u8>, [Vec<u8>; 2])> = Vec::new();
    for (name, format) in [
        ("ETC2_R8G8B8", F::ETC2_R8G8B8_UNORM_BLOCK),
        ("ETC2_R8G8B8A8", F::ETC2_R8G8B8A8_UNORM_BLOCK),
        ("ASTC_4X4", F::ASTC_4X4_UNORM_BLOCK),
    ] {
        let rows: Vec<Vec<&str>> =
            known.lines().map(|l| l.split(' ').collect()).filter(|l: &Vec<_>| l[0] == name).collect();
        let texels = [hex(rows[0][2]), hex(rows[1][2])];
        all.push((format, [hex(rows[0][1]), hex(rows[1][1])].concat(), texels));
    }
    // Red and blue with the two thirds between them in each row; the same with the alpha of an interpolated block, 255 and 0.
    let row = |alpha: [u8; 4]| {
        let colours = [[255, 0, 0], [0, 0, 255], [170, 0, 85], [85, 0, 170]];
        colours.iter().zip(alpha).flat_map(|(c, a)| [c[0], c[1], c[2], a]).collect::<Vec<u8>>().repeat(4)
    };
    let bc1 = [0x00, 0xf8, 0x1f, 0x00, 0xe4, 0xe4, 0xe4, 0xe4];
    // Indices of three bits: 0, 1, 0, 1 in each row, which are its two ends.
    let ends = (0..16).fold(0u64, |m, k| m | (k & 1) << (3 * k)).to_le_bytes();
    let bc3 = [&[255, 0][..], &ends[..6], &bc1[..]].concat();
    all.push((F::BC1_RGBA_UNORM_BLOCK, bc1.repeat(2), [row([255; 4]), row([255; 4])]));
    all.push((F::BC3_UNORM_BLOCK, bc3.repeat(2), [row([255, 0, 255, 0]), row([255, 0, 255, 0])]));
    for (target, gpu) in devices() {
        let sampler = parts::sampler(&gpu, vk::Filter::NEAREST, vk::SamplerAddressMode::CLAMP_TO_EDGE);
        for (format, bytes, [left, right]) in &all {
            let image = parts::image(&gpu, Of { format: *format, size: [8, 4, 1], usage: TEXTURE, ..Of::default() });
            let words: Vec<u32> = bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect();
            let (from, out) = (parts::words(&gpu, &words), gpu.buffer(256));
            let program = gpu.program(
                &code,
                parts::set(&gpu, &[Bind::Texture(image.view), Bind::Sampler(sampler), Bind::Storage(out)]),
                0,
            );
            gpu.run(|d, c| unsafe {
                d.cmd_copy_buffer_to_image(c, from.buffer, image.image, GENERAL, &[parts::region(&image, 0)]);
                barrier(d, c);
                program.bind(d, c);
                d.cmd_dispatch(c, 1, 1, 1);
                barrier(d, c);
            })
            .expect("it runs");
            let want: Vec<u8> =
                (0..4).flat_map(|y| [left, right].map(|block| block[16 * y..16 * y + 16].to_vec()).concat()).collect();
            let got: Vec<u8> = out.words().iter().flat_map(|w| w.to_le_bytes()).collect();
            // The other decoder of ASTC rounds to eight bits before the sampler does.
            let most = u8::from(*format == F::ASTC_4X4_UNORM_BLOCK);
            let apart = got.iter().zip(want.repeat(2)).map(|(a, b)| a.abs_diff(b)).max();
            assert!(apart <= Some(most), "{target} {format:?}: {got:?} for {want:?}");
        }
    }
}

/// What a chip lacks is an error with a name before anything is taken: counts of a pipeline, memory page by page.
#[test]
fn what_is_not_there_is_refused() {
    let lacks = vk::Result::ERROR_FEATURE_NOT_PRESENT;
    for (target, gpu) in devices() {
        let d = &gpu.device;
        let ty = vk::QueryType::TRANSFORM_FEEDBACK_STREAM_EXT;
        let info = vk::QueryPoolCreateInfo::default().query_type(ty).query_count(1);
        let buffer = vk::BufferCreateInfo::default().size(1 << 20).usage(vk::BufferUsageFlags::STORAGE_BUFFER);
        let image = vk::ImageCreateInfo::default()
            .flags(vk::ImageCreateFlags::SPARSE_BINDING)
            .image_type(vk::ImageType::TYPE_2D)
            .format(parts::COLOUR)
            .extent(vk::Extent3D { width: 64, height: 64, depth: 1 })
            .mip_levels(1)
            .array_layers(1)
            .samples(vk::SampleCountFlags::TYPE_1)
            .usage(vk::ImageUsageFlags::SAMPLED);
        unsafe {
            assert_eq!(d.create_query_pool(&info, None), Err(lacks), "{target}");
            assert_eq!(
                d.create_buffer(&buffer.flags(vk::BufferCreateFlags::SPARSE_BINDING), None),
                Err(lacks),
                "{target}"
            );
            assert_eq!(d.create_image(&image, None), Err(vk::Result::ERROR_FORMAT_NOT_SUPPORTED), "{target}");
            let f = gpu.instance.get_physical_device_features(gpu.physical);
            assert_eq!((f.sparse_residency_buffer, f.sparse_binding), (vk::FALSE, vk::FALSE), "{target}");
        }
    }
}

/// A cache that holds nothing is its header: the words that Vulkan prescribes.
#[test]
fn a_pipeline_cache_has_the_header_of_its_device() {
    for (target, gpu) in devices() {
        let d = &gpu.device;
        unsafe {
            let cache = d.create_pipeline_cache(&vk::PipelineCacheCreateInfo::default(), None).expect("a cache");
            let data = d.get_pipeline_cache_data(cache).expect("its data");
            let p = gpu.instance.get_physical_device_properties(gpu.physical);
            let words = [32, 1, p.vendor_id, p.device_id].map(u32::to_le_bytes).concat();
            assert_eq!(data, [words, p.pipeline_cache_uuid.to_vec()].concat(), "{target}");
            // What another device wrote, or anybody, is taken and ignored.
            let foreign = vk::PipelineCacheCreateInfo::default().initial_data(&[1, 2, 3]);
            let other = d.create_pipeline_cache(&foreign, None).expect("a cache");
            d.merge_pipeline_caches(cache, &[other]).expect("a cache of both");
            d.destroy_pipeline_cache(other, None);
            d.destroy_pipeline_cache(cache, None);
        }
    }
}

/// An index beyond a buffer reads zeros or what the buffer has, and writes nothing outside of it.
#[test]
fn accesses_beyond_a_buffer_stay_inside() {
    let code = spirv(
        "@group(0) @binding(0) var<storage, read_write> a: array<u32>;
         @group(0) @binding(1) var<storage, read_write> far: array<u32>;
         @compute @workgroup_size(4) fn main(@builtin(local_invocation_index) k: u32) {
             a[far[0] + k * 64u] = 0xdeadu;
             far[1u + k] = a[far[0] + k];
         }",
    );
    for (target, gpu) in devices() {
        let (data, far) = (gpu.buffer(4096), gpu.buffer(32));
        data.write(&vec![7; 1024]);
        far.write(&[16]);
        gpu.dispatch(&code, gpu.set(&[(data.buffer, 256, 64), (far.buffer, 0, vk::WHOLE_SIZE)]), 1);
        let all = data.words();
        assert!(all[..64].iter().chain(&all[80..]).all(|w| *w == 7), "{target}: words outside of the binding changed");
        let read = &far.words()[1..5];
        assert!(read.iter().all(|w| [0, 7, 0xdead].contains(w)), "{target}: {read:x?}");
    }
}
