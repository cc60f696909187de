//! Memory over many submissions and pipelines, and devices on several threads.

use ash::vk;

use crate::kit::{Gpu, TARGETS, spirv};

/// Bytes of the process that are in memory, if the system says.
fn resident() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    text.split_whitespace().nth(1)?.parse::<u64>().ok().map(|pages| pages * 4096)
}

const ADD: &str = "
    @group(0) @binding(0) var<storage, read_write> a: array<u32>;
    @compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) { a[id.x] += id.x + 1u; }";

/// Makes a pipeline, submits it, and destroys what it made.
fn round(gpu: &Gpu, code: &[u32], submits: usize) {
    let d = &gpu.device;
    let data = gpu.buffer(64);
    let (sets, set) = gpu.set(&[(data.buffer, 0, 64)]);
    let layout = gpu.layout(&[sets], 0);
    let pipeline = gpu.compute(code, layout, &[]).expect("a pipeline");
    for _ in 0..submits {
        gpu.run(|d, c| unsafe {
            d.cmd_bind_pipeline(c, vk::PipelineBindPoint::COMPUTE, pipeline);
            d.cmd_bind_descriptor_sets(c, vk::PipelineBindPoint::COMPUTE, layout, 0, &[set], &[]);
            d.cmd_dispatch(c, 1, 1, 1);
        })
        .expect("it runs");
    }
    assert_eq!(data.words()[..4], [1, 2, 3, 4].map(|n| n * submits as u32));
    unsafe {
        d.reset_command_pool(gpu.pool, vk::CommandPoolResetFlags::RELEASE_RESOURCES).expect("a reset");
        d.destroy_pipeline(pipeline, None);
        d.destroy_pipeline_layout(layout, None);
        d.destroy_descriptor_set_layout(sets, None);
        d.destroy_buffer(data.buffer, None);
    }
}

/// The process of this test alone: the others take memory beside it.
#[test]
fn memory_is_flat() {
    if std::env::var_os("GPUCC_VULKAN_FLAT").is_none() {
        let own = std::env::current_exe().expect("a path");
        let ran = std::process::Command::new(own)
            .args(["--exact", "flat::memory_is_flat"])
            .env("GPUCC_VULKAN_FLAT", "1")
            .output();
        let ran = ran.expect("the test");
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stdout));
        return;
    }
    let code = spirv(ADD);
    for k in [0, 4] {
        let gpu = Gpu::new(k);
        for _ in 0..20 {
            round(&gpu, &code, 10);
        }
        let Some(before) = resident() else { return };
        for _ in 0..100 {
            round(&gpu, &code, 20);
        }
        let after = resident().unwrap_or(0);
        // What the kit leaves (buffers' memory, pools, modules) is below 8 KiB a round.
        assert!(after < before + (4 << 20), "{}: {before} bytes, then {after}", TARGETS[k]);
    }
}

/// Two devices work at the same time.
#[test]
fn devices_on_two_threads() {
    let code = spirv(ADD);
    std::thread::scope(|s| {
        for k in [0, 1, 2, 3, 4, 0] {
            let code = &code;
            s.spawn(move || {
                let gpu = Gpu::new(k);
                for n in 1..6 {
                    round(&gpu, code, n);
                }
            });
        }
    });
}
