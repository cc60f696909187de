//! Memory, buffers, images, views and samplers.

use std::ffi::c_void;
use std::sync::Arc;

use ash::vk;

use super::entry::{Alloc, entries};
use super::read::{chained, fill, give, given, list, place};
use crate::convert;
use crate::fail::{Done, Fail};
use crate::handles;
use crate::memory::{Buffer, BufferView, Image, Memory, View};
use crate::samplers::Sampler;

/// The memory that so many bytes need.
fn need(size: u64) -> vk::MemoryRequirements {
    vk::MemoryRequirements { size: size.next_multiple_of(64).max(64), alignment: 64, memory_type_bits: 1 }
}

fn buffer_need(device: vk::Device, buffer: vk::Buffer) -> Done<vk::MemoryRequirements> {
    Ok(need(handles::get(handles::at(device)?.handle, buffer)?.size))
}

fn image_need(device: vk::Device, image: vk::Image) -> Done<vk::MemoryRequirements> {
    Ok(need(handles::get(handles::at(device)?.handle, image)?.bytes))
}

fn bind_buffer(device: vk::Device, buffer: vk::Buffer, memory: vk::DeviceMemory, offset: u64) -> Done {
    let owner = handles::at(device)?.handle;
    handles::get(owner, buffer)?.bind(handles::get(owner, memory)?, offset)
}

fn bind_image(device: vk::Device, image: vk::Image, memory: vk::DeviceMemory, offset: u64) -> Done {
    let owner = handles::at(device)?.handle;
    handles::get(owner, image)?.bind(handles::get(owner, memory)?, offset)
}

fn no_ycbcr() -> Done {
    Err(Fail::lacks("there are no conversions of YCbCr"))
}

entries! {
    PFN_vkAllocateMemory => fn allocate_memory(
        device: vk::Device, info: *const vk::MemoryAllocateInfo<'_>, _a: Alloc<'_>, out: *mut vk::DeviceMemory,
    ) -> vk::Result {
        let i = given(info)?;
        if i.memory_type_index != 0 {
            return Err(Fail::misuse(format!("memory type {} is not there", i.memory_type_index)));
        }
        let device = handles::at(device)?;
        let addressed = |f: &vk::MemoryAllocateFlagsInfo<'_>| f.flags.contains(vk::MemoryAllocateFlags::DEVICE_ADDRESS);
        let make = |address| Memory::new(i.allocation_size, &device.shared.heap, address).map(Arc::new);
        let memory = match chained::<vk::MemoryAllocateFlagsInfo<'_>>(i.p_next).is_some_and(addressed) {
            true => device.shared.reached.add(make)?,
            false => make(None)?,
        };
        give(out, handles::share(device.handle, memory))
    }
    PFN_vkFreeMemory => fn free_memory(device: vk::Device, memory: vk::DeviceMemory, _a: Alloc<'_>) {
        handles::remove(handles::at(device)?.handle, memory).map(drop)
    }
    PFN_vkMapMemory => fn map_memory(
        device: vk::Device, memory: vk::DeviceMemory, offset: vk::DeviceSize, size: vk::DeviceSize,
        _flags: vk::MemoryMapFlags, out: *mut *mut c_void,
    ) -> vk::Result {
        let memory = handles::get(handles::at(device)?.handle, memory)?;
        let most = memory.bytes.size() as u64;
        let inside = offset < most && (size == vk::WHOLE_SIZE || offset.checked_add(size).is_some_and(|end| end <= most));
        if !inside {
            return Err(Fail::new(vk::Result::ERROR_MEMORY_MAP_FAILED, "a range to map is not inside of its memory"));
        }
        give(out, (memory.bytes.address() + offset as usize) as *mut c_void)
    }
    PFN_vkUnmapMemory => fn unmap_memory(device: vk::Device, memory: vk::DeviceMemory) {
        handles::get(handles::at(device)?.handle, memory).map(drop)
    }
    PFN_vkFlushMappedMemoryRanges => fn flush_mapped_memory_ranges(
        device: vk::Device, _n: u32, _ranges: *const vk::MappedMemoryRange<'_>,
    ) -> vk::Result {
        handles::at(device).map(drop)
    }
    PFN_vkInvalidateMappedMemoryRanges => fn invalidate_mapped_memory_ranges(
        device: vk::Device, _n: u32, _ranges: *const vk::MappedMemoryRange<'_>,
    ) -> vk::Result {
        handles::at(device).map(drop)
    }
    PFN_vkGetDeviceMemoryCommitment => fn get_device_memory_commitment(
        device: vk::Device, memory: vk::DeviceMemory, out: *mut vk::DeviceSize,
    ) {
        give(out, handles::get(handles::at(device)?.handle, memory)?.bytes.size() as u64)
    }
    PFN_vkCreateBuffer => fn create_buffer(
        device: vk::Device, info: *const vk::BufferCreateInfo<'_>, _a: Alloc<'_>, out: *mut vk::Buffer,
    ) -> vk::Result {
        let i = given(info)?;
        let sparse = vk::BufferCreateFlags::SPARSE_BINDING
            | vk::BufferCreateFlags::SPARSE_RESIDENCY
            | vk::BufferCreateFlags::SPARSE_ALIASED;
        if i.flags.intersects(sparse) {
            return Err(Fail::lacks("there are no sparse buffers"));
        }
        give(out, handles::add(handles::at(device)?.handle, Buffer::new(i.size)?))
    }
    PFN_vkGetBufferMemoryRequirements => fn get_buffer_memory_requirements(
        device: vk::Device, buffer: vk::Buffer, out: *mut vk::MemoryRequirements,
    ) {
        give(out, buffer_need(device, buffer)?)
    }
    PFN_vkGetBufferMemoryRequirements2 => fn get_buffer_memory_requirements2(
        device: vk::Device, info: *const vk::BufferMemoryRequirementsInfo2<'_>, out: *mut vk::MemoryRequirements2<'_>,
    ) {
        place(out)?.memory_requirements = buffer_need(device, given(info)?.buffer)?;
        Ok(())
    }
    PFN_vkBindBufferMemory => fn bind_buffer_memory(
        device: vk::Device, buffer: vk::Buffer, memory: vk::DeviceMemory, offset: vk::DeviceSize,
    ) -> vk::Result {
        bind_buffer(device, buffer, memory, offset)
    }
    PFN_vkBindBufferMemory2 => fn bind_buffer_memory2(
        device: vk::Device, n: u32, infos: *const vk::BindBufferMemoryInfo<'_>,
    ) -> vk::Result {
        list(infos, n)?.iter().try_for_each(|i| bind_buffer(device, i.buffer, i.memory, i.memory_offset))
    }
    PFN_vkCreateBufferView => fn create_buffer_view(
        device: vk::Device, info: *const vk::BufferViewCreateInfo<'_>, _a: Alloc<'_>, out: *mut vk::BufferView,
    ) -> vk::Result {
        let i = given(info)?;
        let device = handles::at(device)?;
        let has = crate::physical::formats::properties(device.chip(), i.format).buffer_features;
        if !has.intersects(vk::FormatFeatureFlags::UNIFORM_TEXEL_BUFFER | vk::FormatFeatureFlags::STORAGE_TEXEL_BUFFER) {
            return Err(Fail::lacks(format!("texel buffers of format {} are not there", i.format.as_raw())));
        }
        let buffer = handles::get(device.handle, i.buffer)?;
        give(out, handles::add(device.handle, BufferView { buffer, offset: i.offset, range: i.range }))
    }
    PFN_vkCreateImage => fn create_image(
        device: vk::Device, info: *const vk::ImageCreateInfo<'_>, _a: Alloc<'_>, out: *mut vk::Image,
    ) -> vk::Result {
        let device = handles::at(device)?;
        let i = given(info)?;
        let of = chained::<vk::ImageSwapchainCreateInfoKHR<'_>>(i.p_next);
        if of.is_some_and(|s| !vk::Handle::is_null(s.swapchain)) {
            return Err(Fail::lacks("images that share the memory of a swapchain's are not there"));
        }
        give(out, handles::add(device.handle, Image::new(device.chip(), i, &device.shared.texels)?))
    }
    PFN_vkGetImageMemoryRequirements => fn get_image_memory_requirements(
        device: vk::Device, image: vk::Image, out: *mut vk::MemoryRequirements,
    ) {
        give(out, image_need(device, image)?)
    }
    PFN_vkGetImageMemoryRequirements2 => fn get_image_memory_requirements2(
        device: vk::Device, info: *const vk::ImageMemoryRequirementsInfo2<'_>, out: *mut vk::MemoryRequirements2<'_>,
    ) {
        place(out)?.memory_requirements = image_need(device, given(info)?.image)?;
        Ok(())
    }
    PFN_vkGetDeviceBufferMemoryRequirements => fn get_device_buffer_memory_requirements(
        device: vk::Device, info: *const vk::DeviceBufferMemoryRequirements<'_>, out: *mut vk::MemoryRequirements2<'_>,
    ) {
        handles::at(device)?;
        place(out)?.memory_requirements = need(given(given(info)?.p_create_info)?.size);
        Ok(())
    }
    PFN_vkGetDeviceImageMemoryRequirements => fn get_device_image_memory_requirements(
        device: vk::Device, info: *const vk::DeviceImageMemoryRequirements<'_>, out: *mut vk::MemoryRequirements2<'_>,
    ) {
        let device = handles::at(device)?;
        // An image that nobody keeps says what it needs.
        let image = Image::new(device.chip(), given(given(info)?.p_create_info)?, &device.shared.texels)?;
        place(out)?.memory_requirements = need(image.bytes);
        Ok(())
    }
    PFN_vkGetDeviceImageSparseMemoryRequirements => fn get_device_image_sparse_memory_requirements(
        device: vk::Device, _info: *const vk::DeviceImageMemoryRequirements<'_>, n: *mut u32,
        out: *mut vk::SparseImageMemoryRequirements2<'_>,
    ) {
        handles::at(device)?;
        fill(&[], n, out).map(drop)
    }
    PFN_vkGetImageSparseMemoryRequirements => fn get_image_sparse_memory_requirements(
        device: vk::Device, _image: vk::Image, n: *mut u32, out: *mut vk::SparseImageMemoryRequirements,
    ) {
        handles::at(device)?;
        fill(&[], n, out).map(drop)
    }
    PFN_vkGetImageSparseMemoryRequirements2 => fn get_image_sparse_memory_requirements2(
        device: vk::Device, _info: *const vk::ImageSparseMemoryRequirementsInfo2<'_>, n: *mut u32,
        out: *mut vk::SparseImageMemoryRequirements2<'_>,
    ) {
        handles::at(device)?;
        fill(&[], n, out).map(drop)
    }
    PFN_vkBindImageMemory => fn bind_image_memory(
        device: vk::Device, image: vk::Image, memory: vk::DeviceMemory, offset: vk::DeviceSize,
    ) -> vk::Result {
        bind_image(device, image, memory, offset)
    }
    PFN_vkBindImageMemory2 => fn bind_image_memory2(
        device: vk::Device, n: u32, infos: *const vk::BindImageMemoryInfo<'_>,
    ) -> vk::Result {
        list(infos, n)?.iter().try_for_each(|i| bind_image(device, i.image, i.memory, i.memory_offset))
    }
    PFN_vkGetImageSubresourceLayout => fn get_image_subresource_layout(
        device: vk::Device, image: vk::Image, part: *const vk::ImageSubresource, out: *mut vk::SubresourceLayout,
    ) {
        let image = handles::get(handles::at(device)?.handle, image)?;
        let part = given(part)?;
        let t = image.lock();
        let [width, height, depth] = t.level_size(part.mip_level);
        let row = u64::from(width) * t.pixel_bytes() as u64;
        let slice = row * u64::from(height);
        let offset = t.offset(part.mip_level.min(t.levels), part.array_layer, 0, 0, 0) as u64;
        let size = slice * u64::from(if t.is_3d { depth } else { 1 });
        let layout = vk::SubresourceLayout { offset, size, row_pitch: row, array_pitch: slice, depth_pitch: slice };
        give(out, layout)
    }
    PFN_vkCreateImageView => fn create_image_view(
        device: vk::Device, info: *const vk::ImageViewCreateInfo<'_>, _a: Alloc<'_>, out: *mut vk::ImageView,
    ) -> vk::Result {
        let owner = handles::at(device)?.handle;
        let i = given(info)?;
        give(out, handles::add(owner, View::new(handles::get(owner, i.image)?, i)?))
    }
    PFN_vkCreateSampler => fn create_sampler(
        device: vk::Device, info: *const vk::SamplerCreateInfo<'_>, _a: Alloc<'_>, out: *mut vk::Sampler,
    ) -> vk::Result {
        let i = given(info)?;
        let sampling = convert::sampler::sampler(i)?;
        let sampler = Sampler { sampling, texels: i.unnormalized_coordinates == vk::TRUE };
        give(out, handles::add(handles::at(device)?.handle, sampler))
    }
    PFN_vkCreateSamplerYcbcrConversion => fn create_sampler_ycbcr_conversion(
        device: vk::Device, _info: *const vk::SamplerYcbcrConversionCreateInfo<'_>, _a: Alloc<'_>,
        _out: *mut vk::SamplerYcbcrConversion,
    ) -> vk::Result {
        handles::at(device)?;
        no_ycbcr()
    }
    PFN_vkDestroySamplerYcbcrConversion => fn destroy_sampler_ycbcr_conversion(
        device: vk::Device, _conversion: vk::SamplerYcbcrConversion, _a: Alloc<'_>,
    ) {
        handles::at(device).map(drop)
    }
}
