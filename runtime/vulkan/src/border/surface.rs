//! Surfaces, swapchains and what is presented.

use ash::vk::{self, Handle};

use super::device::fence;
use super::entry::{Alloc, entries};
use super::read::{fill, give, given, list, place};
use crate::command::Command;
use crate::device::Job;
use crate::fail::Done;
use crate::handles;
use crate::surface::{Surface, Swapchain};

/// Fails where a surface of an instance does not exist.
fn known(physical: vk::PhysicalDevice, surface: vk::SurfaceKHR) -> Done<crate::settings::Chip> {
    let p = handles::at(physical)?;
    handles::get(p.instance, surface)?;
    Ok(p.chip)
}

/// Takes the next image. Its semaphore and fence are signalled when all work is done that was submitted before: the image is free then.
fn acquire(
    device: vk::Device,
    chain: vk::SwapchainKHR,
    (semaphore, signal): (vk::Semaphore, vk::Fence),
) -> Done<Option<u32>> {
    let device = handles::at(device)?;
    let owner = device.handle;
    let chain = handles::get(owner, chain)?;
    let signals = handles::get_some(owner, semaphore)?.into_iter().map(|s| (s, 1)).collect();
    let fence = fence(owner, signal)?;
    device.shared.alive()?;
    let Some(k) = chain.acquire() else { return Ok(None) };
    device.submit(Job { signals, fence, ..Job::default() })?;
    Ok(Some(k))
}

/// The answer of an acquisition. The application has all images where there is none: it would wait for itself for ever.
unsafe fn acquired(found: Option<u32>, timeout: u64, out: *mut u32) -> Done<vk::Result> {
    match found {
        Some(k) => {
            // SAFETY: the application has room for the number.
            unsafe { give(out, k) }?;
            Ok(vk::Result::SUCCESS)
        }
        None if timeout == 0 => Ok(vk::Result::NOT_READY),
        None => Ok(vk::Result::TIMEOUT),
    }
}

entries! {
    PFN_vkCreateHeadlessSurfaceEXT => fn create_headless_surface(
        instance: vk::Instance, info: *const vk::HeadlessSurfaceCreateInfoEXT<'_>, _a: Alloc<'_>, out: *mut vk::SurfaceKHR,
    ) -> vk::Result {
        handles::at(instance)?;
        given(info)?;
        give(out, handles::add(instance.as_raw(), Surface))
    }
    PFN_vkDestroySurfaceKHR => fn destroy_surface(instance: vk::Instance, surface: vk::SurfaceKHR, _a: Alloc<'_>) {
        handles::at(instance)?;
        handles::remove(instance.as_raw(), surface).map(drop)
    }
    PFN_vkGetPhysicalDeviceSurfaceSupportKHR => fn get_surface_support(
        physical: vk::PhysicalDevice, _family: u32, surface: vk::SurfaceKHR, out: *mut vk::Bool32,
    ) -> vk::Result {
        let chip = known(physical, surface)?;
        give(out, crate::physical::features::flag(!Surface::formats(chip).is_empty()))
    }
    PFN_vkGetPhysicalDeviceSurfaceCapabilitiesKHR => fn get_surface_capabilities(
        physical: vk::PhysicalDevice, surface: vk::SurfaceKHR, out: *mut vk::SurfaceCapabilitiesKHR,
    ) -> vk::Result {
        known(physical, surface)?;
        give(out, Surface::capabilities())
    }
    PFN_vkGetPhysicalDeviceSurfaceCapabilities2KHR => fn get_surface_capabilities2(
        physical: vk::PhysicalDevice, info: *const vk::PhysicalDeviceSurfaceInfo2KHR<'_>,
        out: *mut vk::SurfaceCapabilities2KHR<'_>,
    ) -> vk::Result {
        known(physical, given(info)?.surface)?;
        place(out)?.surface_capabilities = Surface::capabilities();
        Ok(())
    }
    PFN_vkGetPhysicalDeviceSurfaceFormatsKHR => fn get_surface_formats(
        physical: vk::PhysicalDevice, surface: vk::SurfaceKHR, n: *mut u32, out: *mut vk::SurfaceFormatKHR,
    ) -> vk::Result {
        fill(&Surface::formats(known(physical, surface)?), n, out)
    }
    PFN_vkGetPhysicalDeviceSurfaceFormats2KHR => fn get_surface_formats2(
        physical: vk::PhysicalDevice, info: *const vk::PhysicalDeviceSurfaceInfo2KHR<'_>, n: *mut u32,
        out: *mut vk::SurfaceFormat2KHR<'_>,
    ) -> vk::Result {
        let all = Surface::formats(known(physical, given(info)?.surface)?);
        let n = place(n)?;
        if out.is_null() {
            *n = all.len() as u32;
            return Ok(vk::Result::SUCCESS);
        }
        let most = (*n as usize).min(all.len());
        for (k, f) in all.iter().take(most).enumerate() {
            place(out.add(k))?.surface_format = *f;
        }
        *n = most as u32;
        Ok(if most < all.len() { vk::Result::INCOMPLETE } else { vk::Result::SUCCESS })
    }
    PFN_vkGetPhysicalDeviceSurfacePresentModesKHR => fn get_surface_present_modes(
        physical: vk::PhysicalDevice, surface: vk::SurfaceKHR, n: *mut u32, out: *mut vk::PresentModeKHR,
    ) -> vk::Result {
        known(physical, surface)?;
        fill(Surface::MODES, n, out)
    }
    PFN_vkGetPhysicalDevicePresentRectanglesKHR => fn get_present_rectangles(
        physical: vk::PhysicalDevice, surface: vk::SurfaceKHR, n: *mut u32, out: *mut vk::Rect2D,
    ) -> vk::Result {
        known(physical, surface)?;
        let extent = Surface::capabilities().max_image_extent;
        fill(&[vk::Rect2D { extent, ..Default::default() }], n, out)
    }
    PFN_vkGetDeviceGroupPresentCapabilitiesKHR => fn get_device_group_present_capabilities(
        device: vk::Device, out: *mut vk::DeviceGroupPresentCapabilitiesKHR<'_>,
    ) -> vk::Result {
        handles::at(device)?;
        let out = place(out)?;
        (out.present_mask, out.modes) = ([0; 32], vk::DeviceGroupPresentModeFlagsKHR::LOCAL);
        out.present_mask[0] = 1;
        Ok(())
    }
    PFN_vkGetDeviceGroupSurfacePresentModesKHR => fn get_device_group_surface_present_modes(
        device: vk::Device, surface: vk::SurfaceKHR, out: *mut vk::DeviceGroupPresentModeFlagsKHR,
    ) -> vk::Result {
        handles::get(handles::at(device)?.shared.instance, surface)?;
        give(out, vk::DeviceGroupPresentModeFlagsKHR::LOCAL)
    }
    PFN_vkCreateSwapchainKHR => fn create_swapchain(
        device: vk::Device, info: *const vk::SwapchainCreateInfoKHR<'_>, _a: Alloc<'_>, out: *mut vk::SwapchainKHR,
    ) -> vk::Result {
        let device = handles::at(device)?;
        let i = given(info)?;
        handles::get(device.shared.instance, i.surface)?;
        give(out, handles::add(device.handle, Swapchain::new(&device, i)?))
    }
    PFN_vkDestroySwapchainKHR => fn destroy_swapchain(device: vk::Device, chain: vk::SwapchainKHR, _a: Alloc<'_>) {
        let owner = handles::at(device)?.handle;
        if let Some(chain) = handles::remove(owner, chain)? {
            chain.close(owner);
        }
        Ok(())
    }
    PFN_vkGetSwapchainImagesKHR => fn get_swapchain_images(
        device: vk::Device, chain: vk::SwapchainKHR, n: *mut u32, out: *mut vk::Image,
    ) -> vk::Result {
        let chain = handles::get(handles::at(device)?.handle, chain)?;
        fill(&chain.images, n, out)
    }
    PFN_vkAcquireNextImageKHR => fn acquire_next_image(
        device: vk::Device, chain: vk::SwapchainKHR, timeout: u64, semaphore: vk::Semaphore, fence: vk::Fence,
        out: *mut u32,
    ) -> vk::Result {
        acquired(acquire(device, chain, (semaphore, fence))?, timeout, out)
    }
    PFN_vkAcquireNextImage2KHR => fn acquire_next_image2(
        device: vk::Device, info: *const vk::AcquireNextImageInfoKHR<'_>, out: *mut u32,
    ) -> vk::Result {
        let i = given(info)?;
        acquired(acquire(device, i.swapchain, (i.semaphore, i.fence))?, i.timeout, out)
    }
    PFN_vkQueuePresentKHR => fn queue_present(queue: vk::Queue, info: *const vk::PresentInfoKHR<'_>) -> vk::Result {
        let device = &handles::at(queue)?.device;
        let i = given(info)?;
        let mut job = Job::default();
        for &w in list(i.p_wait_semaphores, i.wait_semaphore_count)? {
            job.waits.push((handles::get(device.handle, w)?, 1));
        }
        let chains = list(i.p_swapchains, i.swapchain_count)?;
        let mut views = Vec::new();
        for (&chain, &k) in chains.iter().zip(list(i.p_image_indices, i.swapchain_count)?) {
            views.push(Command::Present(handles::get(device.handle, chain)?.release(k)?));
        }
        job.lists.push(std::sync::Arc::new(views));
        if !i.p_results.is_null() {
            for k in 0..chains.len() {
                give(i.p_results.add(k), vk::Result::SUCCESS)?;
            }
        }
        device.submit(job)
    }
}
