//! Dispatches by what Vulkan 1.2 has in its core.

use ash::vk;

use crate::kit::{Gpu, Program, newer_devices};
use crate::tools::{glslang, has};

/// Lanes of the workgroup.
const LANES: u32 = 32;

/// A module of SPIR-V 1.5: a broadcast from a lane that memory names, and operations of subgroups on integers of 64 bits.
#[test]
fn subgroups_work_on_wide_integers_and_by_lanes_that_memory_names() {
    if !has("glslangValidator", "glslang-tools") {
        return;
    }
    let code = glslang(
        "wide",
        "vulkan1.2",
        "#version 460
         #extension GL_KHR_shader_subgroup_arithmetic : require
         #extension GL_KHR_shader_subgroup_ballot : require
         #extension GL_KHR_shader_subgroup_shuffle : require
         #extension GL_EXT_shader_subgroup_extended_types_int64 : require
         #extension GL_EXT_shader_explicit_arithmetic_types : require
         layout(local_size_x = 32) in;
         layout(std430, set = 0, binding = 0) buffer O { uint lane; uint pad; uint64_t o[]; };
         void main() {
             uint k = gl_LocalInvocationIndex;
             uint64_t v = (uint64_t(k) << 40) | uint64_t(k);
             o[4 * k] = subgroupAdd(v);
             o[4 * k + 1] = subgroupBroadcast(v, lane);
             o[4 * k + 2] = uint64_t(subgroupMin(int64_t(5) - int64_t(v)));
             o[4 * k + 3] = subgroupShuffle(v, k ^ 1u);
         }",
    );
    for (target, gpu) in newer_devices() {
        let mut two = vk::PhysicalDeviceVulkan11Properties::default();
        let mut all = vk::PhysicalDeviceProperties2::default().push_next(&mut two);
        unsafe { gpu.instance.get_physical_device_properties2(gpu.physical, &mut all) };
        if !two.subgroup_supported_operations.contains(vk::SubgroupFeatureFlags::SHUFFLE) {
            eprintln!("{target}: no subgroups");
            continue;
        }
        let (size, lane) = (two.subgroup_size, 3.min(two.subgroup_size - 1));
        let data = gpu.buffer(8 + LANES as usize * 32);
        data.write(&[lane]);
        gpu.dispatch(&code, gpu.set(&[(data.buffer, 0, vk::WHOLE_SIZE)]), 1);
        let v = |k: u32| u64::from(k) << 40 | u64::from(k);
        let want: Vec<u64> = (0..LANES)
            .flat_map(|k| {
                let own = k / size * size..(k / size * size + size).min(LANES);
                let least = own.clone().map(|k| 5 - v(k) as i64).min().expect("a lane");
                [own.clone().map(v).sum(), v(own.start + lane), least as u64, v(k ^ 1)]
            })
            .collect();
        let got: Vec<u64> =
            data.words()[2..].chunks_exact(2).map(|w| u64::from(w[0]) | u64::from(w[1]) << 32).collect();
        assert_eq!(got, want, "{target}");
    }
}

/// Buffers that a shader finds by their addresses, one of them in the memory of a bound one.
#[test]
fn buffers_are_found_by_their_addresses() {
    if !has("glslangValidator", "glslang-tools") {
        return;
    }
    let code = glslang(
        "addresses",
        "vulkan1.2",
        "#version 460
         #extension GL_EXT_buffer_reference : require
         layout(local_size_x = 16) in;
         layout(buffer_reference, std430, buffer_reference_align = 4) buffer R { uint v[]; };
         layout(push_constant) uniform P { R from; R to; };
         layout(std430, set = 0, binding = 0) buffer O { uint o[]; };
         void main() {
             uint k = gl_LocalInvocationIndex;
             o[k] += from.v[k];
             to.v[k + 1] = from.v[k] * 3;
         }",
    );
    for (target, gpu) in newer_devices() {
        let d = &gpu.device;
        let mut two = vk::PhysicalDeviceVulkan12Features::default();
        let mut all = vk::PhysicalDeviceFeatures2::default().push_next(&mut two);
        unsafe { gpu.instance.get_physical_device_features2(gpu.physical, &mut all) };
        assert_eq!(two.buffer_device_address == vk::FALSE, matches!(target, "tesla" | "vivante"), "{target}");
        // Two memory objects; in the second one buffer is bound and another one has an address.
        let memory = [4096u64, 8192].map(|size| unsafe {
            let mut flags = vk::MemoryAllocateFlagsInfo::default().flags(vk::MemoryAllocateFlags::DEVICE_ADDRESS);
            let info = vk::MemoryAllocateInfo::default().allocation_size(size).push_next(&mut flags);
            let memory = d.allocate_memory(&info, None).expect("memory");
            let at = d.map_memory(memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty()).expect("an address");
            (memory, at.cast::<u32>())
        });
        let usage = vk::BufferUsageFlags::STORAGE_BUFFER | vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS;
        let buffer = |n: usize, at: u64| unsafe {
            let info = vk::BufferCreateInfo::default().size(1024).usage(usage);
            let buffer = d.create_buffer(&info, None).expect("a buffer");
            d.bind_buffer_memory(buffer, memory[n].0, at).expect("a binding");
            let address = d.get_buffer_device_address(&vk::BufferDeviceAddressInfo::default().buffer(buffer));
            (buffer, address)
        };
        let (from, to, bound) = (buffer(0, 256), buffer(1, 1024), buffer(1, 4096));
        assert_eq!(bound.1 - to.1, 3072, "{target}");
        let (sets, set) = gpu.set(&[(bound.0, 0, vk::WHOLE_SIZE)]);
        let layout = gpu.layout(&[sets], 16);
        let Ok(pipeline) = gpu.compute(&code, layout, &[]) else {
            assert_eq!(two.buffer_device_address, vk::FALSE, "{target}");
            continue;
        };
        for n in 0..16 {
            // SAFETY: the words are mapped, and nothing runs.
            unsafe { *memory[0].1.add(64 + n) = 7 * n as u32 };
        }
        let push: Vec<u8> = [from.1, to.1].iter().flat_map(|a| a.to_le_bytes()).collect();
        let program = Program { pipeline, layout, set };
        gpu.run(|d, c| unsafe {
            program.bind(d, c);
            d.cmd_push_constants(c, layout, vk::ShaderStageFlags::ALL, 0, &push);
            d.cmd_dispatch(c, 1, 1, 1);
            crate::programs::parts::barrier(d, c);
            d.cmd_dispatch(c, 1, 1, 1);
        })
        .expect("it runs");
        // SAFETY: as above.
        let word = |at: usize| unsafe { *memory[1].1.add(at) };
        let added: Vec<u32> = (0..16).map(|n| word(1024 + n)).collect();
        let moved: Vec<u32> = (0..16).map(|n| word(256 + 1 + n)).collect();
        assert_eq!(added, (0..16).map(|n| 14 * n).collect::<Vec<_>>(), "{target}");
        assert_eq!(moved, (0..16).map(|n| 21 * n).collect::<Vec<_>>(), "{target}");
    }
}

/// A uniform block that lies in the set itself: written in two parts, by a template, and copied to another set.
#[test]
fn uniform_blocks_lie_in_sets() {
    use vk::DescriptorType as T;
    const TEXT: &str = "
        @group(0) @binding(0) var<storage, read_write> o: array<u32>;
        @group(0) @binding(1) var<uniform> u: array<vec4u, 2>;
        @compute @workgroup_size(8) fn main(@builtin(local_invocation_index) k: u32) { o[k] = u[k / 4u][k % 4u] * 10u + k; }";
    for (target, gpu) in newer_devices() {
        let d = &gpu.device;
        let data = gpu.buffer(32);
        let stages = vk::ShaderStageFlags::COMPUTE;
        let of = |n: u32, ty, count| {
            vk::DescriptorSetLayoutBinding::default()
                .binding(n)
                .descriptor_type(ty)
                .descriptor_count(count)
                .stage_flags(stages)
        };
        let bindings = [of(0, T::STORAGE_BUFFER, 1), of(1, T::INLINE_UNIFORM_BLOCK, 32)];
        let sizes = [(T::STORAGE_BUFFER, 2), (T::INLINE_UNIFORM_BLOCK, 64)]
            .map(|(ty, descriptor_count)| vk::DescriptorPoolSize { ty, descriptor_count });
        // SAFETY: by Vulkan's rules, as below.
        let (layout, sets) = unsafe {
            let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
            let layout = d.create_descriptor_set_layout(&info, None).expect("a layout");
            let mut blocks =
                vk::DescriptorPoolInlineUniformBlockCreateInfo::default().max_inline_uniform_block_bindings(2);
            let info = vk::DescriptorPoolCreateInfo::default().max_sets(2).pool_sizes(&sizes).push_next(&mut blocks);
            let pool = d.create_descriptor_pool(&info, None).expect("a pool");
            let layouts = [layout; 2];
            let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts);
            (layout, d.allocate_descriptor_sets(&info).expect("sets"))
        };
        let buffer = [vk::DescriptorBufferInfo { buffer: data.buffer, offset: 0, range: vk::WHOLE_SIZE }];
        let bytes = |list: [u32; 4]| list.map(u32::to_le_bytes).concat();
        let (low, high) = (bytes([1, 2, 3, 4]), bytes([5, 6, 7, 8]));
        let mut parts = [&low, &high].map(|part| vk::WriteDescriptorSetInlineUniformBlock::default().data(part));
        let [one, two] = &mut parts;
        let block = |set, at| {
            let write = vk::WriteDescriptorSet::default().dst_set(set).dst_binding(1).dst_array_element(at);
            vk::WriteDescriptorSet { descriptor_count: 16, descriptor_type: T::INLINE_UNIFORM_BLOCK, ..write }
        };
        let bound = |set| {
            let write = vk::WriteDescriptorSet::default().dst_set(set).dst_binding(0);
            write.descriptor_type(T::STORAGE_BUFFER).buffer_info(&buffer)
        };
        let writes =
            [bound(sets[0]), bound(sets[1]), block(sets[0], 0).push_next(one), block(sets[0], 16).push_next(two)];
        // The second half of the first set becomes the first half of the second.
        let copy = vk::CopyDescriptorSet::default().src_set(sets[0]).src_binding(1).src_array_element(16);
        let copies = [copy.dst_set(sets[1]).dst_binding(1).dst_array_element(0).descriptor_count(16)];
        unsafe { d.update_descriptor_sets(&writes, &copies) };
        let entry = [vk::DescriptorUpdateTemplateEntry {
            dst_binding: 1,
            dst_array_element: 20,
            descriptor_count: 8,
            descriptor_type: T::INLINE_UNIFORM_BLOCK,
            offset: 4,
            stride: 0,
        }];
        unsafe {
            let info = vk::DescriptorUpdateTemplateCreateInfo::default().descriptor_update_entries(&entry);
            let info = info.descriptor_set_layout(layout);
            let template = d.create_descriptor_update_template(&info, None).expect("a template");
            d.update_descriptor_set_with_template(sets[1], template, low.as_ptr().cast());
        }
        let pipes = gpu.layout(&[layout], 0);
        let pipeline = gpu.compute(&crate::kit::spirv(TEXT), pipes, &[]).expect("a pipeline");
        let wants = [[10, 21, 32, 43, 54, 65, 76, 87], [50, 61, 72, 83, 4, 25, 36, 7]];
        for (set, want) in sets.into_iter().zip(wants) {
            Program { pipeline, layout: pipes, set }.run(&gpu, 1);
            assert_eq!(data.words(), want, "{target}");
        }
    }
}

/// Without a cache a pipeline that may not be compiled is not made; the others of the call are, up to one that ends it.
#[test]
fn pipelines_that_may_not_be_compiled_are_not_made() {
    use vk::PipelineCreateFlags as F;
    let gpu = Gpu::with(&crate::kit::entry(), 0, true);
    let text = "@compute @workgroup_size(1) fn main() {}";
    let (module, layout) = (gpu.shader(&crate::kit::spirv(text)), gpu.layout(&[], 0));
    let stage = vk::PipelineShaderStageCreateInfo::default().stage(vk::ShaderStageFlags::COMPUTE);
    let stage = stage.module(module).name(c"main");
    let of = |flags| vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout).flags(flags);
    let fails = F::FAIL_ON_PIPELINE_COMPILE_REQUIRED;
    let infos = [of(F::empty()), of(fails), of(F::empty()), of(fails | F::EARLY_RETURN_ON_FAILURE), of(F::empty())];
    let made = unsafe { gpu.device.create_compute_pipelines(vk::PipelineCache::null(), &infos, None) };
    let (list, code) = made.expect_err("not all are made");
    assert_eq!(code, vk::Result::PIPELINE_COMPILE_REQUIRED);
    assert_eq!(list.iter().map(|p| *p != vk::Pipeline::null()).collect::<Vec<_>>(), [true, false, true, false, false]);
}
