//! Tests whose settings hold for a whole process: each runs once more in a process of its own.

use std::path::PathBuf;
use std::process::Command;

use ash::vk;

use crate::kit::{Gpu, TARGETS, devices, entry, spirv};
use crate::programs::{parts, read};

/// The variable that says that this process is the one with the settings.
const ALONE: &str = "GPUCC_VULKAN_ALONE";

/// Runs a test of this file with settings, unless this is that process; gives what it said.
fn alone(name: &str, settings: &[(&str, &str)]) -> Option<String> {
    if std::env::var_os(ALONE).is_some() {
        return None;
    }
    let own = std::env::current_exe().expect("this program");
    let mut command = Command::new(own);
    command.args(["--exact", &format!("needs_alone::{name}"), "--nocapture"]).env(ALONE, "1");
    let output = command.envs(settings.iter().copied()).output().expect("a run");
    let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{text}");
    Some(text)
}

/// A shader that loops for ever loses its device, with a message, and no other device.
#[test]
fn a_loop_without_end_loses_the_device() {
    let name = "a_loop_without_end_loses_the_device";
    if let Some(text) = alone(name, &[("GPUCC_VULKAN_STEPS", "200000")]) {
        let told = |t: &&str| {
            let start = format!("dispatch of [1, 1, 1] workgroups of `main` on {t}");
            text.lines().any(|l| l.contains(&start) && l.contains("after 200000 steps") && l.ends_with("in `endless`"))
        };
        assert!(TARGETS.iter().all(told), "{text}");
        return;
    }
    let code = spirv(
        "@group(0) @binding(0) var<storage, read_write> a: array<atomic<u32>>;
         @compute @workgroup_size(1) fn main() { while atomicLoad(&a[0]) != 77u { atomicAdd(&a[1], 1u); } }",
    );
    for (k, target) in TARGETS.iter().enumerate() {
        let (gpu, other) = (Gpu::new(k), Gpu::new(k));
        let of = |gpu: &Gpu, first| {
            let data = gpu.buffer(64);
            data.write(&[first]);
            let program = gpu.program(&code, gpu.set(&[(data.buffer, 0, vk::WHOLE_SIZE)]), 0);
            let debug = ash::ext::debug_utils::Device::new(&gpu.instance, &gpu.device);
            gpu.run(|d, c| unsafe {
                let label = vk::DebugUtilsLabelEXT::default().label_name(c"endless");
                debug.cmd_begin_debug_utils_label(c, &label);
                program.bind(d, c);
                d.cmd_dispatch(c, 1, 1, 1);
                debug.cmd_end_debug_utils_label(c);
            })
        };
        let lost = Err(vk::Result::ERROR_DEVICE_LOST);
        assert_eq!(of(&gpu, 0), lost, "{target}");
        assert_eq!(gpu.run(|_, _| ()), lost, "{target}: it stays lost");
        assert_eq!(of(&other, 77), Ok(()), "{target}: the other one works");
    }
}

/// Frames that are presented are files, in the order of presenting.
#[test]
fn presented_frames_are_pictures() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("vulkan-frames");
    let name = "presented_frames_are_pictures";
    if std::env::var_os(ALONE).is_none() {
        // It may not be there.
        let _ = std::fs::remove_dir_all(&folder);
    }
    if alone(name, &[("GPUCC_VULKAN_FRAMES", &folder.to_string_lossy())]).is_some() {
        return;
    }
    let general = vk::ImageLayout::GENERAL;
    for (k, (target, gpu)) in devices().enumerate() {
        let d = &gpu.device;
        let headless = ash::ext::headless_surface::Instance::new(&entry(), &gpu.instance);
        let swapchains = ash::khr::swapchain::Device::new(&gpu.instance, d);
        // SAFETY: by Vulkan's rules.
        unsafe {
            let surface = headless.create_headless_surface(&vk::HeadlessSurfaceCreateInfoEXT::default(), None);
            let info = vk::SwapchainCreateInfoKHR::default()
                .surface(surface.expect("a surface"))
                .min_image_count(2)
                .image_format(vk::Format::R8G8B8A8_UNORM)
                .image_color_space(vk::ColorSpaceKHR::SRGB_NONLINEAR)
                .image_extent(vk::Extent2D { width: 5, height: 3 })
                .image_array_layers(1)
                .image_usage(vk::ImageUsageFlags::TRANSFER_DST)
                .pre_transform(vk::SurfaceTransformFlagsKHR::IDENTITY)
                .composite_alpha(vk::CompositeAlphaFlagsKHR::OPAQUE)
                .present_mode(vk::PresentModeKHR::FIFO);
            let chain = swapchains.create_swapchain(&info, None).expect("a swapchain");
            let images = swapchains.get_swapchain_images(chain).expect("images");
            let ready = d.create_semaphore(&vk::SemaphoreCreateInfo::default(), None).expect("a semaphore");
            for n in 0..3u8 {
                let (at, _) =
                    swapchains.acquire_next_image(chain, u64::MAX, ready, vk::Fence::null()).expect("an image");
                let value = vk::ClearColorValue { float32: [f32::from(n) / 255.0, 0.4, 1.0, 1.0] };
                let range = vk::ImageSubresourceRange {
                    aspect_mask: vk::ImageAspectFlags::COLOR,
                    level_count: 1,
                    layer_count: 1,
                    ..Default::default()
                };
                gpu.run(|d, c| {
                    d.cmd_clear_color_image(c, images[at as usize], general, &value, &[range]);
                    parts::barrier(d, c);
                })
                .expect("it runs");
                let (chains, places, waits) = ([chain], [at], [ready]);
                let info = vk::PresentInfoKHR::default().swapchains(&chains).image_indices(&places);
                swapchains.queue_present(gpu.queue, &info.wait_semaphores(&waits)).expect("a frame");
                d.device_wait_idle().expect("its end");
                let file = folder.join(format!("frame-{:05}.png", k * 3 + usize::from(n)));
                assert_eq!(read(&file), [u32::from_le_bytes([n, 102, 255, 255]); 15], "{target}");
            }
            swapchains.destroy_swapchain(chain, None);
        }
    }
}

/// A dispatch that is dumped ends after as many steps as it does here.
#[test]
fn a_dump_has_the_steps_of_the_settings() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("vulkan-dump-steps");
    if std::env::var_os(ALONE).is_none() {
        // It may not be there.
        let _ = std::fs::remove_dir_all(&folder);
    }
    let settings = [("GPUCC_VULKAN_DUMP", &*folder.to_string_lossy()), ("GPUCC_VULKAN_STEPS", "123456")];
    if alone("a_dump_has_the_steps_of_the_settings", &settings).is_some() {
        let command = std::fs::read_to_string(folder.join("00000-dispatch/command.sh")).expect("a command");
        assert!(command.contains(" --steps 123456 "), "{command}");
        return;
    }
    let gpu = Gpu::new(0);
    let data = gpu.buffer(64);
    let code = spirv(
        "@group(0) @binding(0) var<storage, read_write> a: array<u32>;
         @compute @workgroup_size(1) fn main() { a[0] = 7u; }",
    );
    gpu.dispatch(&code, gpu.set(&[(data.buffer, 0, vk::WHOLE_SIZE)]), 1);
    assert_eq!(data.words()[0], 7);
}
