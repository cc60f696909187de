//! Dispatches.

use ash::vk;

use crate::kit::{Gpu, TARGETS, spirv};

const BIND: vk::PipelineBindPoint = vk::PipelineBindPoint::COMPUTE;

/// Each device squares numbers and adds a push constant: 3 * 3 + 100 and so on.
#[test]
fn a_dispatch_reads_push_constants_and_a_buffer() {
    let code = spirv(
        "struct Push { add: u32, factor: u32 }
         var<immediate> push: Push;
         @group(0) @binding(0) var<storage, read_write> a: array<u32>;
         @compute @workgroup_size(8) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
             a[id.x] = a[id.x] * a[id.x] * push.factor + push.add;
         }",
    );
    for (k, target) in TARGETS.iter().enumerate() {
        let gpu = Gpu::new(k);
        assert!(gpu.name().starts_with(&format!("gpucc {target}")), "{}", gpu.name());
        let data = gpu.buffer(64);
        data.write(&(0..16).collect::<Vec<u32>>());
        let (sets, set) = gpu.set(&[(data.buffer, 0, vk::WHOLE_SIZE)]);
        let layout = gpu.layout(&[sets], 8);
        let pipeline = gpu.compute(&code, layout, &[]).expect("a pipeline");
        gpu.run(|d, c| unsafe {
            d.cmd_bind_pipeline(c, BIND, pipeline);
            d.cmd_bind_descriptor_sets(c, BIND, layout, 0, &[set], &[]);
            let push = [100u32, 2].map(u32::to_le_bytes).concat();
            d.cmd_push_constants(c, layout, vk::ShaderStageFlags::ALL, 0, &push);
            d.cmd_dispatch(c, 2, 1, 1);
        })
        .expect("it runs");
        let want: Vec<u32> = (0..16).map(|n| n * n * 2 + 100).collect();
        assert_eq!(data.words(), want, "{target}");
    }
}

/// What a dispatch wrote by one binding the next one reads by another one of the same buffer, and the host sees it.
#[test]
fn dispatches_see_each_other() {
    let code = spirv(
        "@group(0) @binding(0) var<storage, read_write> a: array<u32>;
         @group(0) @binding(1) var<storage, read_write> b: array<u32>;
         @compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
             b[id.x] = a[id.x] + 1u;
         }",
    );
    for (k, target) in TARGETS.iter().enumerate() {
        let gpu = Gpu::new(k);
        let data = gpu.buffer(1024);
        data.write(&[5; 4]);
        let (sets, up) = gpu.set(&[(data.buffer, 0, 16), (data.buffer, 512, 16)]);
        let (_, down) = gpu.set(&[(data.buffer, 512, 16), (data.buffer, 0, 16)]);
        let layout = gpu.layout(&[sets], 0);
        let pipeline = gpu.compute(&code, layout, &[]).expect("a pipeline");
        gpu.run(|d, c| unsafe {
            d.cmd_bind_pipeline(c, BIND, pipeline);
            for set in [up, down, up] {
                d.cmd_bind_descriptor_sets(c, BIND, layout, 0, &[set], &[]);
                d.cmd_dispatch(c, 4, 1, 1);
            }
        })
        .expect("it runs");
        let words = data.words();
        assert_eq!((&words[..4], &words[128..132]), (&[7; 4][..], &[8; 4][..]), "{target}");
    }
}

/// Two bindings of one buffer see each other while a dispatch runs: the first invocation writes by one what the second reads by the other
/// behind a barrier. The second binding begins 32 bytes, which are 8 words, behind the first.
#[test]
fn bindings_of_one_buffer_are_one_memory() {
    let code = spirv(
        "@group(0) @binding(0) var<storage, read_write> a: array<u32>;
         @group(0) @binding(1) var<storage, read_write> b: array<u32>;
         @compute @workgroup_size(2) fn main(@builtin(local_invocation_index) k: u32) {
             if k == 0u { a[9] = a[0] + 1u; }
             storageBarrier();
             workgroupBarrier();
             if k == 1u { b[3] = b[1] * 10u; }
             storageBarrier();
             workgroupBarrier();
             if k == 0u { a[2] = a[11] + 5u; }
         }",
    );
    for (k, target) in TARGETS.iter().enumerate() {
        let gpu = Gpu::new(k);
        let data = gpu.buffer(128);
        data.write(&[6]);
        let (sets, set) = gpu.set(&[(data.buffer, 0, 64), (data.buffer, 32, 64)]);
        let layout = gpu.layout(&[sets], 0);
        let pipeline = gpu.compute(&code, layout, &[]).expect("a pipeline");
        gpu.run(|d, c| unsafe {
            d.cmd_bind_pipeline(c, BIND, pipeline);
            d.cmd_bind_descriptor_sets(c, BIND, layout, 0, &[set], &[]);
            d.cmd_dispatch(c, 1, 1, 1);
        })
        .expect("it runs");
        let words = data.words();
        assert_eq!([words[0], words[9], words[11], words[2]], [6, 7, 70, 75], "{target}");
    }
}

/// `tests/spirv/spec.comp` with its constants given; what it writes is worked out by hand from its text.
#[test]
fn specialisation_constants_have_their_types() {
    let code = include_bytes!("../../../tests/spirv/spec.spv");
    let code: Vec<u32> = code.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect();
    // The workgroup has 3 * 2 invocations, the array 7 elements; (2 * 7) / 2 + 7 is 14.
    let values = [(0, 3), (1, 2), (2, 1), (3, 1f32.to_bits())];
    for (k, target) in TARGETS.iter().enumerate() {
        let gpu = Gpu::new(k);
        let (input, output) = (gpu.buffer(64), gpu.buffer(256));
        input.write(&(0..16).map(|n| (n as f32).to_bits()).collect::<Vec<_>>());
        let (sets, set) = gpu.set(&[(input.buffer, 0, vk::WHOLE_SIZE), (output.buffer, 0, vk::WHOLE_SIZE)]);
        let layout = gpu.layout(&[sets], 0);
        let pipeline = gpu.compute(&code, layout, &values).expect("a pipeline");
        gpu.run(|d, c| unsafe {
            d.cmd_bind_pipeline(c, BIND, pipeline);
            d.cmd_bind_descriptor_sets(c, BIND, layout, 0, &[set], &[]);
            d.cmd_dispatch(c, 1, 1, 1);
        })
        .expect("it runs");
        let got: Vec<f32> = output.words().into_iter().map(f32::from_bits).collect();
        assert_eq!(got[..6], [11.0, 9.0, 7.0, 5.0, 3.0, 1.0], "{target}");
        assert_eq!(got[32..37], [14.0, 2.0, 73.0, 321.0, 1001.0], "{target}");
    }
}

/// A shader that the compiler does not take is an error of the pipeline, not of the draw.
#[test]
fn a_refused_shader_is_a_feature_that_is_not_there() {
    let gpu = Gpu::new(0);
    let layout = gpu.layout(&[], 0);
    let mut code = spirv("@compute @workgroup_size(1) fn main() {}");
    code.truncate(code.len() - 2);
    assert_eq!(gpu.compute(&code, layout, &[]).err(), Some(vk::Result::ERROR_FEATURE_NOT_PRESENT));
}
