//! What the Vulkan driver writes of a program: commands that `gpucc` runs again with the same results, and frames.

#![expect(unsafe_code, reason = "Vulkan is called as programs call it")]

#[expect(dead_code, reason = "tests of the driver use the rest")]
#[path = "../../../runtime/vulkan/tests/kit.rs"]
mod kit;
#[expect(dead_code, reason = "tests of the driver use the rest")]
#[path = "../../../runtime/vulkan/tests/programs/parts.rs"]
mod parts;

use std::path::{Path, PathBuf};

use ash::vk;
use kit::{Gpu, TARGETS};
use parts::*;

/// A textured square with a depth test, blended over the clear colour, by 16-bit indices.
const TEXT: &str = "
    struct U { scale: vec4f }
    @group(0) @binding(0) var<uniform> u: U;
    @group(0) @binding(1) var t: texture_2d<f32>;
    @group(0) @binding(2) var s: sampler;
    struct V { @builtin(position) p: vec4f, @location(0) uv: vec2f }
    @vertex fn vs(@location(0) p: vec2f, @location(1) uv: vec2f) -> V { return V(vec4f(p * u.scale.xy, 0.25, 1.0), uv); }
    @fragment fn fs(v: V) -> @location(0) vec4f { return vec4f(textureSample(t, s, v.uv).rgb, 0.75); }";

/// A picture of stripes, and what it is made of.
const STRIPES: &str = "
    @group(0) @binding(0) var t: texture_storage_2d<rgba8unorm, write>;
    @compute @workgroup_size(8, 8) fn main(@builtin(global_invocation_id) id: vec3u) {
        textureStore(t, vec2i(id.xy), vec4f(f32(id.x & 1u), f32(id.y & 3u) / 3.0, 0.5, 1.0));
    }";

const SQUARES: &str = "
    struct Push { base: u32 }
    var<immediate> push: Push;
    @group(0) @binding(0) var<storage, read_write> data: array<u32>;
    @compute @workgroup_size(8) fn main(@builtin(global_invocation_id) id: vec3u) { data[id.x] = id.x * id.x + push.base; }";

fn folder(name: &str) -> PathBuf {
    let all = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("dumped-{name}"));
    // It may not be there.
    let _ = std::fs::remove_dir_all(&all);
    std::fs::create_dir_all(&all).expect("a folder");
    all
}

fn picture(path: &Path) -> Vec<u8> {
    let file = std::fs::File::open(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut reader = png::Decoder::new(std::io::BufReader::new(file)).read_info().expect("a picture");
    let mut bytes = vec![0; reader.output_buffer_size().expect("a size")];
    reader.next_frame(&mut bytes).expect("pixels");
    bytes
}

/// A swapchain of two images, and the functions of it.
fn swapchain(gpu: &Gpu, entry: &ash::Entry) -> (ash::khr::swapchain::Device, vk::SwapchainKHR) {
    let headless = ash::ext::headless_surface::Instance::new(entry, &gpu.instance);
    let surfaces = ash::khr::surface::Instance::new(entry, &gpu.instance);
    let swapchains = ash::khr::swapchain::Device::new(&gpu.instance, &gpu.device);
    // SAFETY: by Vulkan's rules, here and below.
    unsafe {
        let surface = headless.create_headless_surface(&vk::HeadlessSurfaceCreateInfoEXT::default(), None);
        let surface = surface.expect("a surface");
        let formats = surfaces.get_physical_device_surface_formats(gpu.physical, surface).expect("formats");
        assert!(formats.iter().any(|f| f.format == COLOUR), "{formats:?}");
        let info = vk::SwapchainCreateInfoKHR::default()
            .surface(surface)
            .min_image_count(2)
            .image_format(COLOUR)
            .image_color_space(vk::ColorSpaceKHR::SRGB_NONLINEAR)
            .image_extent(vk::Extent2D { width: SIZE, height: SIZE })
            .image_array_layers(1)
            .image_usage(vk::ImageUsageFlags::COLOR_ATTACHMENT)
            .pre_transform(vk::SurfaceTransformFlagsKHR::IDENTITY)
            .composite_alpha(vk::CompositeAlphaFlagsKHR::OPAQUE)
            .present_mode(vk::PresentModeKHR::FIFO);
        let chain = swapchains.create_swapchain(&info, None).expect("a swapchain");
        (swapchains, chain)
    }
}

/// Runs the program on a device: two dispatches, one draw, one frame. Gives the words of the buffer.
fn program(k: usize) -> Vec<u32> {
    let entry = kit::entry();
    let gpu = Gpu::of(&entry, k);
    let (swapchains, chain) = swapchain(&gpu, &entry);
    let (images, at) = unsafe {
        let images = swapchains.get_swapchain_images(chain).expect("images");
        let fence = gpu.device.create_fence(&vk::FenceCreateInfo::default(), None).expect("a fence");
        let none = vk::Semaphore::null();
        let (at, _) = swapchains.acquire_next_image(chain, u64::MAX, none, fence).expect("an image");
        gpu.device.wait_for_fences(&[fence], true, u64::MAX).expect("a signal");
        gpu.device.destroy_fence(fence, None);
        (images, at)
    };
    let mut target = image(&gpu, Of::default());
    target.image = images[at as usize];
    target.view = view(&gpu, &target, vk::ImageViewType::TYPE_2D, [0, 1, 0, 1]);
    let usage = TEXTURE | vk::ImageUsageFlags::STORAGE;
    let stripes = image(&gpu, Of { size: [16, 16, 1], usage, ..Of::default() });
    let z = image(&gpu, Of { format: DEPTH, usage: vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT, ..Of::default() });
    let data = gpu.buffer(32 * 4);
    let painter = gpu.program(&kit::spirv(STRIPES), set(&gpu, &[Bind::Image(stripes.view)]), 0);
    let squarer = gpu.program(&kit::spirv(SQUARES), set(&gpu, &[Bind::Storage(data)]), 4);
    let s = sampler(&gpu, vk::Filter::LINEAR, vk::SamplerAddressMode::REPEAT);
    let u = floats(&gpu, &[0.8, 0.6, 0.0, 0.0]);
    let drawn = [Bind::Uniform(u), Bind::Texture(stripes.view), Bind::Sampler(s)];
    let pass = pass(&gpu, &[(target, [0.1, 0.2, 0.4, 1.0])], Some(z), None);
    let blend = vk::PipelineColorBlendAttachmentState {
        blend_enable: vk::TRUE,
        src_color_blend_factor: vk::BlendFactor::SRC_ALPHA,
        dst_color_blend_factor: vk::BlendFactor::ONE_MINUS_SRC_ALPHA,
        src_alpha_blend_factor: vk::BlendFactor::ONE,
        ..Default::default()
    };
    let buffers: &[Layout<'_>] = &[(16, false, &[(vk::Format::R32G32_SFLOAT, 0), (vk::Format::R32G32_SFLOAT, 8)])];
    let depth = Some((vk::CompareOp::LESS, true));
    let p = Pipe { text: TEXT, buffers, depth, blend: Some(blend), ..Pipe::default() };
    let painted = made(&gpu, &p, &drawn, &pass);
    let corners = [-1.0, -1.0, 0.0, 0.0, 1.0, -1.0, 3.0, 0.0, -1.0, 1.0, 0.0, 3.0, 0.5, 1.0, 3.0, 3.0];
    let (vertices, indices) = (floats(&gpu, &corners), words(&gpu, &[1 << 16, 2 << 16 | 2, 1 | 3 << 16]));
    gpu.run(|d, c| {
        unsafe {
            painter.bind(d, c);
            d.cmd_dispatch(c, 2, 2, 1);
            barrier(d, c);
            squarer.bind(d, c);
            d.cmd_push_constants(c, squarer.layout, vk::ShaderStageFlags::ALL, 0, &100u32.to_le_bytes());
            d.cmd_dispatch(c, 4, 1, 1);
        }
        draw(d, c, &pass, || unsafe {
            painted.bind(d, c);
            d.cmd_bind_vertex_buffers(c, 0, &[vertices.buffer], &[0]);
            d.cmd_bind_index_buffer(c, indices.buffer, 0, vk::IndexType::UINT16);
            d.cmd_draw_indexed(c, 6, 1, 0, 0, 0);
        });
    })
    .expect("it runs");
    let (chains, numbers) = ([chain], [at]);
    let info = vk::PresentInfoKHR::default().swapchains(&chains).image_indices(&numbers);
    unsafe {
        swapchains.queue_present(gpu.queue, &info).expect("a frame");
        gpu.device.device_wait_idle().expect("its end");
    }
    data.words()
}

#[test]
fn what_is_dumped_runs_again() {
    let (dump, frames) = (folder("dump"), folder("frames"));
    // SAFETY: this is the only test of its process, and the driver has not begun.
    unsafe {
        std::env::set_var("GPUCC_VULKAN_DUMP", &dump);
        std::env::set_var("GPUCC_VULKAN_FRAMES", &frames);
    }
    let command = PathBuf::from(env!("CARGO_BIN_EXE_gpucc"));
    let mut path = std::ffi::OsString::from(command.parent().expect("a folder"));
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    for (k, target) in TARGETS.iter().enumerate() {
        let words = program(k);
        assert_eq!(words, (0..32).map(|n| n * n + 100).collect::<Vec<u32>>(), "{target}");
        let kinds = ["dispatch", "dispatch", "draw"];
        for (n, kind) in kinds.iter().enumerate() {
            let own = dump.join(format!("{:05}-{kind}", k * kinds.len() + n));
            let ran = std::process::Command::new("sh").arg(own.join("command.sh")).env("PATH", &path).output();
            let ran = ran.expect("a shell");
            let said = String::from_utf8_lossy(&ran.stderr).into_owned() + &String::from_utf8_lossy(&ran.stdout);
            assert!(ran.status.success(), "{target}: {}: {said}", own.display());
            match n {
                1 => {
                    let out = std::fs::read(own.join("buffer-0-0-0.bin.out")).expect("a buffer");
                    assert_eq!(out, words.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<_>>(), "{target}");
                }
                2 => {
                    let frame = picture(&frames.join(format!("frame-{k:05}.png")));
                    assert!(picture(&own.join("picture.png")) == frame, "{target}: another picture");
                    // The square and what is around it.
                    let at = |x: usize, y: usize| &frame[(y * SIZE as usize + x) * 4..][..3];
                    assert_eq!(at(0, 0), [26, 51, 102], "{target}");
                    assert_ne!(at(20, 20), [26, 51, 102], "{target}");
                }
                _ => assert_eq!(picture(&own.join("picture.png")).len(), 16 * 16 * 4, "{target}"),
            }
        }
    }
}
