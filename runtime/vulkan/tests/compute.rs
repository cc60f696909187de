//! Dispatches.

use ash::vk;

use crate::kit::{Gpu, Program, devices, spirv};
use crate::programs::parts::{self, Bind, Of};

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
    for (target, gpu) in devices() {
        assert!(gpu.name().starts_with(&format!("gpucc {target}")), "{}", gpu.name());
        let data = gpu.buffer(64);
        data.write(&(0..16).collect::<Vec<u32>>());
        let program = gpu.program(&code, gpu.set(&[(data.buffer, 0, vk::WHOLE_SIZE)]), 8);
        gpu.run(|d, c| unsafe {
            program.bind(d, c);
            let push = [100u32, 2].map(u32::to_le_bytes).concat();
            d.cmd_push_constants(c, program.layout, vk::ShaderStageFlags::ALL, 0, &push);
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
    for (target, gpu) in devices() {
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
    for (target, gpu) in devices() {
        let data = gpu.buffer(128);
        data.write(&[6]);
        gpu.dispatch(&code, gpu.set(&[(data.buffer, 0, 64), (data.buffer, 32, 64)]), 1);
        let words = data.words();
        assert_eq!([words[0], words[9], words[11], words[2]], [6, 7, 70, 75], "{target}");
    }
}

/// Runs one workgroup with these ranges of a buffer of 64 words at bindings 0 and on; gives its words. The text numbers them from 0.
fn with_ranges(gpu: &Gpu, text: &str, first: &[u32], ranges: &[(u64, u64)]) -> Vec<u32> {
    let data = gpu.buffer(256);
    data.write(first);
    let ranges: Vec<_> = ranges.iter().map(|&(at, size)| (data.buffer, at, size)).collect();
    gpu.dispatch(&spirv(text), gpu.set(&ranges), 1);
    data.words()
}

/// Each invocation writes through one binding what another one reads through the other.
const SHIFT: &str = "
    @group(0) @binding(0) var<storage, read_write> a: array<u32>;
    @group(0) @binding(1) var<storage, read_write> b: array<u32>;
    @compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
        a[i] = i + 1u;
        storageBarrier();
        let v = b[(i + 1u) & 3u];
        storageBarrier();
        b[i] = v * 10u + arrayLength(&b);
    }";

#[test]
fn bindings_of_one_range_see_each_other_and_those_that_touch_do_not() {
    for (target, gpu) in devices() {
        let same = with_ranges(&gpu, SHIFT, &[], &[(0, 16), (0, 16)]);
        assert_eq!(same[..5], [24, 34, 44, 14, 0], "{target}");
        let apart = with_ranges(&gpu, SHIFT, &[], &[(32, 32), (64, 16)]);
        assert_eq!((&apart[8..12], &apart[16..21]), (&[1, 2, 3, 4][..], &[4, 4, 4, 4, 0][..]), "{target}");
    }
}

/// A binding that no code needs has the bytes that the program stores by another one, on machines too, where it is not there.
#[test]
fn a_binding_that_is_not_needed_has_the_bytes_too() {
    let text = "
        @group(0) @binding(0) var<storage, read_write> o: array<u32>;
        @group(0) @binding(1) var<storage, read_write> r: array<u32>;
        @compute @workgroup_size(2) fn main(@builtin(local_invocation_index) i: u32) {
            let n = arrayLength(&r) + r[i];
            o[i] = 7u + i + (n & 0u);
        }";
    for (target, gpu) in devices() {
        let words = with_ranges(&gpu, text, &[1, 2, 3, 4], &[(0, 16), (0, 16)]);
        assert_eq!(words[..4], [7, 8, 3, 4], "{target}");
    }
}

#[test]
fn a_binding_that_is_only_read_sees_what_is_written() {
    let text = "
        @group(0) @binding(0) var<storage, read_write> o: array<u32>;
        @group(0) @binding(1) var<storage, read> r: array<u32>;
        @compute @workgroup_size(2) fn main(@builtin(local_invocation_index) i: u32) {
            if i == 0u { o[1] = 7u + r[1]; }
            storageBarrier();
            workgroupBarrier();
            if i == 1u { o[2] = r[1]; }
        }";
    for (target, gpu) in devices() {
        let words = with_ranges(&gpu, text, &[1, 2, 3, 4], &[(0, 16), (0, 16)]);
        assert_eq!(words[..4], [1, 9, 9, 4], "{target}");
    }
}

/// `tests/spirv/spec.comp` with its constants given; what it writes is worked out by hand from its text.
#[test]
fn specialisation_constants_have_their_types() {
    let code = include_bytes!("../../../tests/spirv/spec.spv");
    let code: Vec<u32> = code.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect();
    // The workgroup has 3 * 2 invocations, the array 7 elements; (2 * 7) / 2 + 7 is 14.
    let values = [(0, 3), (1, 2), (2, 1), (3, 1f32.to_bits())];
    for (target, gpu) in devices() {
        let (input, output) = (gpu.buffer(64), gpu.buffer(256));
        input.write(&(0..16).map(|n| (n as f32).to_bits()).collect::<Vec<_>>());
        let (sets, set) = gpu.set(&[(input.buffer, 0, vk::WHOLE_SIZE), (output.buffer, 0, vk::WHOLE_SIZE)]);
        let layout = gpu.layout(&[sets], 0);
        let pipeline = gpu.compute(&code, layout, &values).expect("a pipeline");
        Program { pipeline, layout, set }.run(&gpu, 1);
        let got: Vec<f32> = output.words().into_iter().map(f32::from_bits).collect();
        assert_eq!(got[..6], [11.0, 9.0, 7.0, 5.0, 3.0, 1.0], "{target}");
        assert_eq!(got[32..37], [14.0, 2.0, 73.0, 321.0, 1001.0], "{target}");
    }
}

/// A module that breaks SPIR-V's rules is an error of the pipeline, and no feature that the device lacks.
#[test]
fn a_wrong_shader_is_no_missing_feature() {
    let gpu = Gpu::new(0);
    let layout = gpu.layout(&[], 0);
    let mut code = spirv("@compute @workgroup_size(1) fn main() {}");
    code.truncate(code.len() - 2);
    assert_eq!(gpu.compute(&code, layout, &[]).err(), Some(vk::Result::ERROR_INITIALIZATION_FAILED));
}

/// A shader that a chip refuses is a feature that the device does not have.
#[test]
fn a_refused_shader_is_a_feature_that_is_not_there() {
    let code = spirv("@compute @workgroup_size(1024) fn main() {}");
    for (target, gpu) in devices() {
        let most =
            unsafe { gpu.instance.get_physical_device_properties(gpu.physical) }.limits.max_compute_work_group_size[0];
        let made = gpu.compute(&code, gpu.layout(&[], 0), &[]);
        let want = if most < 1024 { Some(vk::Result::ERROR_FEATURE_NOT_PRESENT) } else { None };
        assert_eq!(made.err(), want, "{target}: {most}");
    }
}

/// A dispatch that begins at workgroup 2, 1, 0 writes where its invocations say that they are.
#[test]
fn a_dispatch_begins_where_it_says() {
    let code = spirv(
        "@group(0) @binding(0) var<storage, read_write> a: array<u32>;
         @compute @workgroup_size(2, 1) fn main(
             @builtin(global_invocation_id) id: vec3<u32>,
             @builtin(workgroup_id) w: vec3<u32>,
             @builtin(num_workgroups) n: vec3<u32>,
         ) {
             a[id.y * 8u + id.x] = w.x * 100u + w.y * 10u + n.x;
         }",
    );
    for (target, gpu) in devices() {
        let data = gpu.buffer(64);
        let (sets, set) = gpu.set(&[(data.buffer, 0, vk::WHOLE_SIZE)]);
        let layout = gpu.layout(&[sets], 0);
        let stage = vk::PipelineShaderStageCreateInfo::default().stage(vk::ShaderStageFlags::COMPUTE);
        let info = vk::ComputePipelineCreateInfo::default()
            .flags(vk::PipelineCreateFlags::DISPATCH_BASE)
            .stage(stage.module(gpu.shader(&code)).name(c"main"))
            .layout(layout);
        let made = unsafe { gpu.device.create_compute_pipelines(vk::PipelineCache::null(), &[info], None) };
        let pipeline = made.map_err(|e| e.1).expect("a pipeline")[0];
        let program = Program { pipeline, layout, set };
        gpu.run(|d, c| unsafe {
            program.bind(d, c);
            d.cmd_dispatch_base(c, 2, 1, 0, 2, 1, 1);
            d.cmd_dispatch(c, 1, 1, 1);
        })
        .expect("it runs");
        // The first row by workgroup 0 of the second dispatch; in the second row workgroups 2 and 3, two invocations each.
        let want = [1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 212, 212, 312, 312];
        assert_eq!(data.words(), want, "{target}");
    }
}

/// Large buffers whose copies are kept between dispatches: what the host, a fill, another dispatch and another binding write in between is seen.
#[test]
fn copies_that_are_kept_are_what_memory_has() {
    const WORDS: usize = 4096;
    let code = spirv(
        "@group(0) @binding(0) var<storage, read> a: array<u32>;
         @group(0) @binding(1) var<storage, read_write> b: array<u32>;
         @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) { b[id.x] += a[id.x] * 10u + a[id.x + 2048u]; }",
    );
    for (target, gpu) in devices() {
        let data = gpu.buffer(WORDS * 8);
        data.write(&[1; WORDS * 2]);
        let (half, size) = (WORDS as u64 * 4, WORDS as u64 * 4);
        let (sets, up) = gpu.set(&[(data.buffer, 0, size), (data.buffer, half, size)]);
        // A part of what the other set writes, and what it reads.
        let (_, down) = gpu.set(&[(data.buffer, half, size), (data.buffer, 0, size)]);
        let layout = gpu.layout(&[sets], 0);
        let pipeline = gpu.compute(&code, layout, &[]).expect("a pipeline");
        let run = |fill: Option<u32>| {
            gpu.run(|d, c| unsafe {
                let bind = |set| d.cmd_bind_descriptor_sets(c, BIND, layout, 0, &[set], &[]);
                d.cmd_bind_pipeline(c, BIND, pipeline);
                bind(up);
                d.cmd_dispatch(c, 1, 1, 1);
                d.cmd_dispatch(c, 1, 1, 1);
                if let Some(word) = fill {
                    d.cmd_fill_buffer(c, data.buffer, 4, 4, word);
                }
                bind(down);
                d.cmd_dispatch(c, 1, 1, 1);
                bind(up);
                d.cmd_dispatch(c, 1, 1, 1);
            })
            .expect("it runs");
            let w = data.words();
            [w[0], w[1], w[WORDS], w[WORDS + 1]]
        };
        // By hand: b = 1 + 11 + 11 = 23, a = 1 + 23 * 10 + 1 = 232, b = 23 + 2321.
        assert_eq!(run(None), [232, 232, 2344, 2344], "{target}");
        // The host writes word 0, a fill word 1: b = 2344 + 2 * (10 * 3 + 1) and 2344 + 2 * (2320 + 1), a = 3 + b * 10 + 1 and 5 + b * 10 + 1.
        let mut words = data.words();
        words[0] = 3;
        data.write(&words);
        let (b0, b1) = (2344 + 62, 2344 + 4642);
        let (a0, a1) = (3 + b0 * 10 + 1, 5 + b1 * 10 + 1);
        assert_eq!(run(Some(5)), [a0, a1, b0 + a0 * 10 + 1, b1 + a1 * 10 + 1], "{target}");
    }
}

/// A shader that asks for subgroups of the size that the chip says gets them: the first lanes of the two or more subgroups count all others.
#[test]
fn subgroups_have_the_size_that_is_asked_for() {
    let code = spirv(
        "@group(0) @binding(0) var<storage, read_write> a: array<u32>;
         @compute @workgroup_size(128) fn main(
             @builtin(local_invocation_index) k: u32,
             @builtin(subgroup_size) size: u32,
             @builtin(subgroup_invocation_id) lane: u32,
         ) {
             let sum = subgroupAdd(1u);
             if lane == 0u { a[k / size] = size * 1000u + sum; }
         }",
    );
    for (target, gpu) in devices() {
        let mut sizes = vk::PhysicalDeviceSubgroupSizeControlProperties::default();
        let mut all = vk::PhysicalDeviceProperties2::default().push_next(&mut sizes);
        unsafe { gpu.instance.get_physical_device_properties2(gpu.physical, &mut all) };
        assert_eq!(sizes.min_subgroup_size, sizes.max_subgroup_size, "{target}");
        let size = sizes.max_subgroup_size;
        let data = gpu.buffer(256);
        let (sets, set) = gpu.set(&[(data.buffer, 0, vk::WHOLE_SIZE)]);
        let layout = gpu.layout(&[sets], 0);
        let make = |lanes: u32| {
            let mut asks =
                vk::PipelineShaderStageRequiredSubgroupSizeCreateInfo::default().required_subgroup_size(lanes);
            let stage = vk::PipelineShaderStageCreateInfo::default().stage(vk::ShaderStageFlags::COMPUTE);
            let stage = stage.module(gpu.shader(&code)).name(c"main").push_next(&mut asks);
            let info = vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout);
            unsafe { gpu.device.create_compute_pipelines(vk::PipelineCache::null(), &[info], None) }.map_err(|e| e.1)
        };
        let pipeline = make(size).expect("a pipeline")[0];
        Program { pipeline, layout, set }.run(&gpu, 1);
        let groups = (128 / size) as usize;
        assert_eq!(data.words()[..groups], vec![size * 1000 + size; groups], "{target}");
        assert!(target == "interp" || make(size * 2).is_err(), "{target}");
    }
}

/// Invocations tell in an image which of them stored last, and store: which one that was is nobody's. Machines that run another number of them
/// side by side than the oracle give other texels than it, and no difference is told for that.
#[test]
fn invocations_that_store_to_images_run_in_any_order() {
    let code = spirv(
        "@group(0) @binding(0) var<storage, read_write> last: atomic<u32>;
         @group(0) @binding(1) var t: texture_storage_2d<rgba8unorm, write>;
         @compute @workgroup_size(16, 16) fn main(@builtin(local_invocation_id) id: vec3u) {
             for (var k = 0u; k < (id.x * 7u + id.y * 5u) % 16u; k++) {
                 if atomicLoad(&last) == 5555u { break; }
             }
             let before = atomicLoad(&last);
             atomicStore(&last, id.x + id.y * 16u);
             textureStore(t, id.xy, unpack4x8unorm(before));
         }",
    );
    for (target, gpu) in devices() {
        let usage = vk::ImageUsageFlags::STORAGE | vk::ImageUsageFlags::TRANSFER_SRC;
        let image = parts::image(&gpu, Of { size: [16, 16, 1], usage, ..Of::default() });
        let last = parts::words(&gpu, &[9999]);
        gpu.dispatch(&code, parts::set(&gpu, &[Bind::Storage(last), Bind::Image(image.view)]), 1);
        let seen = parts::texels(&gpu, &image);
        assert!(seen.iter().all(|w| *w < 256 || *w == 9999), "{target}");
        assert!(last.words()[0] < 256, "{target}");
    }
}
