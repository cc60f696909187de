//! Surfaces without a window, and the swapchains on them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ash::vk;

use crate::device::Device;
use crate::fail::{Done, Fail};
use crate::handles::{self, handles};
use crate::memory::{Image, View};
use crate::physical::{formats, limits};
use crate::settings::Chip;

/// A surface that no window shows.
#[derive(Clone, Copy, Debug)]
pub struct Surface;

/// Most images of a swapchain.
const IMAGES: u32 = 8;

/// What images of swapchains may be used for.
const USAGE: vk::ImageUsageFlags = vk::ImageUsageFlags::from_raw(
    vk::ImageUsageFlags::COLOR_ATTACHMENT.as_raw()
        | vk::ImageUsageFlags::TRANSFER_SRC.as_raw()
        | vk::ImageUsageFlags::TRANSFER_DST.as_raw()
        | vk::ImageUsageFlags::SAMPLED.as_raw()
        | vk::ImageUsageFlags::INPUT_ATTACHMENT.as_raw(),
);

impl Surface {
    /// The formats that a chip draws on and files hold.
    pub fn formats(chip: Chip) -> Vec<vk::SurfaceFormatKHR> {
        let all = [
            vk::Format::B8G8R8A8_UNORM,
            vk::Format::B8G8R8A8_SRGB,
            vk::Format::R8G8B8A8_UNORM,
            vk::Format::R8G8B8A8_SRGB,
        ];
        let can = |f: &vk::Format| {
            let has = formats::properties(chip, *f).optimal_tiling_features;
            has.contains(vk::FormatFeatureFlags::COLOR_ATTACHMENT)
        };
        let color_space = vk::ColorSpaceKHR::SRGB_NONLINEAR;
        all.into_iter().filter(can).map(|format| vk::SurfaceFormatKHR { format, color_space }).collect()
    }

    /// How frames replace each other: a file is written for each, so there is no difference.
    pub const MODES: &[vk::PresentModeKHR] =
        &[vk::PresentModeKHR::FIFO, vk::PresentModeKHR::IMMEDIATE, vk::PresentModeKHR::MAILBOX];

    /// The size is the swapchain's: there is no window that has one.
    pub fn capabilities() -> vk::SurfaceCapabilitiesKHR {
        let any = vk::Extent2D { width: u32::MAX, height: u32::MAX };
        vk::SurfaceCapabilitiesKHR {
            min_image_count: 1,
            max_image_count: IMAGES,
            current_extent: any,
            min_image_extent: vk::Extent2D { width: 1, height: 1 },
            max_image_extent: vk::Extent2D { width: limits::AXIS, height: limits::AXIS },
            max_image_array_layers: 1,
            supported_transforms: vk::SurfaceTransformFlagsKHR::IDENTITY,
            current_transform: vk::SurfaceTransformFlagsKHR::IDENTITY,
            supported_composite_alpha: vk::CompositeAlphaFlagsKHR::OPAQUE | vk::CompositeAlphaFlagsKHR::INHERIT,
            supported_usage_flags: USAGE,
        }
    }
}

/// The images of a swapchain, and which of them the application has.
#[derive(Debug)]
pub struct Swapchain {
    /// Handles of the images.
    pub images: Vec<vk::Image>,
    views: Vec<Arc<View>>,
    held: Mutex<Held>,
}

/// Which images the application has, and where the search for another one begins.
#[derive(Debug, Default)]
struct Held {
    images: Vec<bool>,
    next: usize,
}

impl Swapchain {
    /// Makes the images.
    ///
    /// # Errors
    /// No such images, or no room.
    pub fn new(device: &Device, i: &vk::SwapchainCreateInfoKHR<'_>) -> Done<Swapchain> {
        let known = Surface::formats(device.chip());
        if !known.iter().any(|f| f.format == i.image_format && f.color_space == i.image_color_space) {
            return Err(Fail::lacks(format!("a swapchain of format {} is not there", i.image_format.as_raw())));
        }
        if i.image_array_layers != 1 || !USAGE.contains(i.image_usage) {
            return Err(Fail::lacks("a swapchain of several layers, or for another use than the surface says"));
        }
        if i.min_image_count > IMAGES {
            return Err(Fail::misuse(format!(
                "a swapchain of {} images, at most {IMAGES} are possible",
                i.min_image_count
            )));
        }
        let info = vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(i.image_format)
            .extent(vk::Extent3D { width: i.image_extent.width, height: i.image_extent.height, depth: 1 })
            .mip_levels(1)
            .array_layers(1)
            .samples(vk::SampleCountFlags::TYPE_1)
            .usage(i.image_usage);
        let range = vk::ImageSubresourceRange {
            aspect_mask: vk::ImageAspectFlags::COLOR,
            level_count: 1,
            layer_count: 1,
            ..Default::default()
        };
        let mut chain = Swapchain { images: Vec::new(), views: Vec::new(), held: Mutex::default() };
        for _ in 0..i.min_image_count.max(1) {
            let made = Image::new(device.chip(), &info, &device.shared.texels).and_then(|image| {
                let handle: vk::Image = handles::add(device.handle, image);
                chain.images.push(handle);
                let of = vk::ImageViewCreateInfo::default().view_type(vk::ImageViewType::TYPE_2D);
                View::new(handles::get(device.handle, handle)?, &of.format(i.image_format).subresource_range(range))
            });
            match made {
                Ok(view) => chain.views.push(Arc::new(view)),
                Err(f) => {
                    chain.close(device.handle);
                    return Err(f);
                }
            }
        }
        chain.held().images = vec![false; chain.images.len()];
        Ok(chain)
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes an image that the application does not have, if there is one.
    pub fn acquire(&self) -> Option<u32> {
        let mut held = self.held();
        let n = held.images.len();
        let k = (0..n).map(|k| (held.next + k) % n).find(|&k| !held.images[k])?;
        held.images[k] = true;
        // The next one is another image, so that programs meet all of them.
        held.next = k + 1;
        Some(k as u32)
    }

    /// Gives an image back to be shown.
    ///
    /// # Errors
    /// The application does not have it.
    pub fn release(&self, k: u32) -> Done<Arc<View>> {
        let mut held = self.held();
        let own = held.images.get_mut(k as usize).filter(|h| **h);
        *own.ok_or_else(|| Fail::misuse(format!("image {k} of a swapchain is presented that was not acquired")))? =
            false;
        Ok(self.views[k as usize].clone())
    }

    /// Destroys the images of the swapchain.
    pub fn close(&self, owner: u64) {
        for &image in &self.images {
            // An image that is gone already was destroyed by mistake.
            let _ = handles::remove(owner, image);
        }
    }
}

handles! {
    vk::SurfaceKHR => Surface, "surface";
    vk::SwapchainKHR => Swapchain, "swapchain";
}
