//! Dispatches by what Vulkan 1.2 has in its core.

use ash::vk;

use crate::kit::{Gpu, TARGETS};
use crate::tools::{glslang, has};

const BIND: vk::PipelineBindPoint = vk::PipelineBindPoint::COMPUTE;

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
    for (k, target) in TARGETS.iter().enumerate() {
        let gpu = Gpu::with(&crate::kit::entry(), k, true);
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
        let (sets, set) = gpu.set(&[(data.buffer, 0, vk::WHOLE_SIZE)]);
        let layout = gpu.layout(&[sets], 0);
        let pipeline = gpu.compute(&code, layout, &[]).expect("a pipeline");
        gpu.run(|d, c| unsafe {
            d.cmd_bind_pipeline(c, BIND, pipeline);
            d.cmd_bind_descriptor_sets(c, BIND, layout, 0, &[set], &[]);
            d.cmd_dispatch(c, 1, 1, 1);
        })
        .expect("it runs");
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
