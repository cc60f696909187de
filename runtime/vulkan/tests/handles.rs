//! Handles that name nothing, or something else.

use ash::vk::{self, Handle};

use crate::kit::Gpu;

#[test]
fn a_destroyed_or_foreign_handle_is_an_error() {
    let (one, two) = (Gpu::new(0), Gpu::new(0));
    let d = &one.device;
    let wrong = Err(vk::Result::ERROR_VALIDATION_FAILED_EXT);
    // SAFETY: the driver looks handles up before it uses them.
    unsafe {
        let fence = d.create_fence(&vk::FenceCreateInfo::default(), None).expect("a fence");
        assert_eq!(d.reset_fences(&[fence]), Ok(()));
        assert_eq!(two.device.reset_fences(&[fence]), wrong, "of another device");
        d.destroy_fence(fence, None);
        assert_eq!(d.reset_fences(&[fence]), wrong, "destroyed");
        let again = d.create_fence(&vk::FenceCreateInfo::default(), None).expect("a fence");
        assert_eq!(d.reset_fences(&[fence]), wrong, "destroyed, though its place is used again");
        assert_eq!(d.reset_fences(&[again]), Ok(()));
        assert_eq!(d.reset_fences(&[vk::Fence::null()]), wrong, "null");
        assert_eq!(d.reset_fences(&[vk::Fence::from_raw(0xdead_beef)]), wrong, "any number");
        let event = d.create_event(&vk::EventCreateInfo::default(), None).expect("an event");
        assert_eq!(d.reset_fences(&[vk::Fence::from_raw(event.as_raw())]), wrong, "of another kind");
        // Twice destroyed, and null, are nothing.
        d.destroy_fence(fence, None);
        d.destroy_fence(vk::Fence::null(), None);
    }
}

#[test]
fn a_command_with_a_wrong_handle_fails_the_recording() {
    let gpu = Gpu::new(0);
    let gone = gpu.buffer(64);
    unsafe { gpu.device.destroy_buffer(gone.buffer, None) };
    let done = gpu.run(|d, c| unsafe { d.cmd_fill_buffer(c, gone.buffer, 0, 64, 1) });
    assert_eq!(done, Err(vk::Result::ERROR_VALIDATION_FAILED_EXT));
}

/// A pointer that is null where one is required: an error of those functions that have one, and no crash of the others.
#[test]
fn a_null_where_something_is_required_is_an_error() {
    let gpu = Gpu::new(0);
    let (d, f) = (&gpu.device, gpu.device.fp_v1_0());
    let (h, wrong) = (d.handle(), vk::Result::ERROR_VALIDATION_FAILED_EXT);
    let data = gpu.buffer(64);
    let (layout, set) = gpu.set(&[(data.buffer, 0, 64)]);
    // SAFETY: the driver looks at pointers before it follows them.
    unsafe {
        let (none, mut fence) = (std::ptr::null(), vk::Fence::null());
        assert_eq!((f.create_fence)(h, std::ptr::null(), none, &mut fence), wrong, "what is to be made");
        let info = vk::FenceCreateInfo::default();
        assert_eq!((f.create_fence)(h, &info, none, std::ptr::null_mut()), wrong, "room for it");
        assert_eq!((f.reset_fences)(h, 2, std::ptr::null()), wrong, "a list");
        assert_eq!((f.queue_submit)(gpu.queue, 1, std::ptr::null(), fence), wrong, "what is submitted");
        let info = vk::QueryPoolCreateInfo::default().query_type(vk::QueryType::TIMESTAMP).query_count(1);
        let pool = d.create_query_pool(&info, None).expect("queries");
        let flags = vk::QueryResultFlags::PARTIAL;
        let asked = (f.get_query_pool_results)(h, pool, 0, 1, 8, std::ptr::null_mut(), 8, flags);
        assert_eq!(asked, wrong, "room for results");
        let ty = vk::DescriptorType::STORAGE_BUFFER;
        let entry = [vk::DescriptorUpdateTemplateEntry {
            descriptor_count: 1,
            descriptor_type: ty,
            offset: 8,
            ..Default::default()
        }];
        let info = vk::DescriptorUpdateTemplateCreateInfo::default().descriptor_update_entries(&entry);
        let info = info.descriptor_set_layout(layout);
        let template = d.create_descriptor_update_template(&info, None).expect("a template");
        d.update_descriptor_set_with_template(set, template, std::ptr::null());
        let write =
            vk::WriteDescriptorSet { dst_set: set, descriptor_count: 1, descriptor_type: ty, ..Default::default() };
        d.update_descriptor_sets(&[write], &[]);
    }
}

/// Pipelines, sets and lists of another device fail what they are used in.
#[test]
fn what_another_device_made_is_not_used() {
    let (one, two) = (Gpu::new(0), Gpu::new(0));
    let code = crate::kit::spirv("@compute @workgroup_size(1) fn main() {}");
    let layout = two.layout(&[], 0);
    let pipeline = two.compute(&code, layout, &[]).expect("a pipeline");
    let wrong = Err(vk::Result::ERROR_VALIDATION_FAILED_EXT);
    let done = one.run(|d, c| unsafe { d.cmd_bind_pipeline(c, vk::PipelineBindPoint::COMPUTE, pipeline) });
    assert_eq!(done, wrong, "a pipeline");
    assert_eq!(one.compute(&code, layout, &[]), Err(vk::Result::ERROR_VALIDATION_FAILED_EXT), "a layout");
    // SAFETY: the driver looks handles up before it uses them.
    unsafe {
        let info = vk::CommandBufferAllocateInfo::default().command_pool(two.pool).command_buffer_count(1);
        assert_eq!(one.device.allocate_command_buffers(&info).map(drop), wrong, "a pool");
        let list = two.device.allocate_command_buffers(&info).expect("a buffer");
        two.device.begin_command_buffer(list[0], &vk::CommandBufferBeginInfo::default()).expect("a recording");
        two.device.end_command_buffer(list[0]).expect("its end");
        let submit = [vk::SubmitInfo::default().command_buffers(&list)];
        assert_eq!(one.device.queue_submit(one.queue, &submit, vk::Fence::null()), wrong, "a list");
        assert_eq!(two.device.queue_submit(two.queue, &submit, vk::Fence::null()), Ok(()));
        two.device.device_wait_idle().expect("its end");
    }
}

/// What a device has is counted: 4 GiB, of which no memory is taken before it is known to be there.
#[test]
fn a_heap_ends() {
    let gpu = Gpu::new(4);
    let take = |size| {
        let info = vk::MemoryAllocateInfo::default().allocation_size(size);
        unsafe { gpu.device.allocate_memory(&info, None) }
    };
    let first = take(2 << 30).expect("half of it");
    take(2 << 30).expect("the other half");
    assert_eq!(take(64), Err(vk::Result::ERROR_OUT_OF_DEVICE_MEMORY));
    unsafe { gpu.device.free_memory(first, None) };
    take(1 << 30).expect("what was given back");
    let info = |size, format| {
        vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(format)
            .extent(vk::Extent3D { width: size, height: size, depth: 1 })
            .mip_levels(1)
            .array_layers(1)
            .samples(vk::SampleCountFlags::TYPE_1)
            .usage(vk::ImageUsageFlags::SAMPLED)
    };
    let large = info(16_384, vk::Format::R32G32B32A32_SFLOAT);
    let made = unsafe { gpu.device.create_image(&large, None) };
    assert_eq!(made, Err(vk::Result::ERROR_OUT_OF_DEVICE_MEMORY));
    let half = info(16_384, vk::Format::R8_UNORM);
    let all: Vec<_> = (0..9).map(|_| unsafe { gpu.device.create_image(&half, None) }).collect();
    assert!(all[..8].iter().all(Result::is_ok), "{all:?}");
    assert_eq!(all[8], Err(vk::Result::ERROR_OUT_OF_DEVICE_MEMORY));
}

/// A pool has so many sets, and so many descriptors of each type.
#[test]
fn a_pool_ends() {
    let gpu = Gpu::new(4);
    let d = &gpu.device;
    let ty = vk::DescriptorType::STORAGE_BUFFER;
    let bindings = [vk::DescriptorSetLayoutBinding::default().descriptor_type(ty).descriptor_count(2)];
    let layout = unsafe {
        let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        d.create_descriptor_set_layout(&info, None).expect("a layout")
    };
    let pool = |max, count| unsafe {
        let sizes = [vk::DescriptorPoolSize { ty, descriptor_count: count }];
        let info = vk::DescriptorPoolCreateInfo::default().max_sets(max).pool_sizes(&sizes);
        let free = vk::DescriptorPoolCreateFlags::FREE_DESCRIPTOR_SET;
        d.create_descriptor_pool(&info.flags(free), None).expect("a pool")
    };
    let take = |pool, n: usize| unsafe {
        let layouts = vec![layout; n];
        d.allocate_descriptor_sets(
            &vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts),
        )
    };
    let full = Err(vk::Result::ERROR_OUT_OF_POOL_MEMORY);
    let few_sets = pool(2, 100);
    let first = take(few_sets, 2).expect("two sets");
    assert_eq!(take(few_sets, 1), full);
    unsafe { d.free_descriptor_sets(few_sets, &first[..1]).expect("one less") };
    take(few_sets, 1).expect("one more");
    let few_buffers = pool(10, 5);
    // What was taken before the failure is given back.
    assert_eq!(take(few_buffers, 3), full);
    take(few_buffers, 2).expect("two sets");
    assert_eq!(take(few_buffers, 1), full);
    unsafe { d.reset_descriptor_pool(few_buffers, vk::DescriptorPoolResetFlags::empty()).expect("an empty pool") };
    take(few_buffers, 2).expect("two sets");
}

/// What is asked for and not there is named.
#[test]
fn a_missing_feature_is_named() {
    use gpucc_vulkan::physical::features;
    let asked =
        vk::PhysicalDeviceFeatures { logic_op: vk::TRUE, sparse_residency_image2_d: vk::TRUE, ..Default::default() };
    let has = vk::PhysicalDeviceFeatures::default();
    assert_eq!(features::lacking(&asked, &has), ["logicOp", "sparseResidencyImage2D"]);
    assert_eq!(features::lacking(&asked, &asked), Vec::<String>::new());
}

/// A slot has a number for each object: 0 at first, and another one where a place in a table is used again.
#[test]
fn private_data_stays_with_its_object() {
    let gpu = Gpu::new(0);
    let slots = ash::ext::private_data::Device::new(&gpu.instance, &gpu.device);
    let d = &gpu.device;
    let event = || unsafe { d.create_event(&vk::EventCreateInfo::default(), None).expect("an event") };
    let (a, b) = (event(), event());
    // SAFETY: the driver looks handles up before it uses them.
    unsafe {
        let slot = || slots.create_private_data_slot(&vk::PrivateDataSlotCreateInfo::default(), None).expect("a slot");
        let (one, two) = (slot(), slot());
        assert_eq!(slots.get_private_data(a, one), 0);
        assert_eq!(slots.set_private_data(a, one, 7), Ok(()));
        assert_eq!(slots.set_private_data(a, two, u64::MAX), Ok(()));
        assert_eq!(slots.set_private_data(d.handle(), one, 9), Ok(()));
        let of = |slot| (slots.get_private_data(a, slot), slots.get_private_data(b, slot));
        assert_eq!((of(one), of(two)), ((7, 0), (u64::MAX, 0)));
        assert_eq!(slots.get_private_data(d.handle(), one), 9);
        d.destroy_event(a, None);
        assert_eq!(slots.get_private_data(event(), one), 0, "of an object at the place of a destroyed one");
        slots.destroy_private_data_slot(one, None);
        assert_eq!(slots.set_private_data(b, one, 1), Err(vk::Result::ERROR_VALIDATION_FAILED_EXT));
        assert_eq!(slots.set_private_data(b, two, 1), Ok(()));
    }
}
