//! What the driver costs beside what it executes, printed: `cargo bench -p gpucc-vulkan --bench costs [-- TARGET]`. Nothing is asserted: times are the
//! machine's.
#![expect(unsafe_code, reason = "Vulkan is called as programs call it")]

#[path = "../tests/kit.rs"]
#[expect(dead_code, reason = "the tests use the rest")]
mod kit;

use std::time::Instant;

use ash::vk;
use kit::{Gpu, TARGETS, spirv};

const ADD: &str = "
    @group(0) @binding(0) var<storage, read_write> a: array<u32>;
    @compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) { a[id.x] += id.x + 1u; }";

/// A recorded list.
fn record(gpu: &Gpu, body: impl Fn(&ash::Device, vk::CommandBuffer)) -> vk::CommandBuffer {
    let d = &gpu.device;
    unsafe {
        let info = vk::CommandBufferAllocateInfo::default().command_pool(gpu.pool).command_buffer_count(1);
        let c = d.allocate_command_buffers(&info).expect("a buffer")[0];
        d.begin_command_buffer(c, &vk::CommandBufferBeginInfo::default()).expect("a recording");
        body(d, c);
        d.end_command_buffer(c).expect("its end");
        c
    }
}

/// Microseconds of each of `count` submits, waited for one by one.
fn submits(gpu: &Gpu, count: u32, c: vk::CommandBuffer) -> f64 {
    let d = &gpu.device;
    let fence = unsafe { d.create_fence(&vk::FenceCreateInfo::default(), None).expect("a fence") };
    let start = Instant::now();
    for _ in 0..count {
        let list = [c];
        unsafe {
            d.queue_submit(gpu.queue, &[vk::SubmitInfo::default().command_buffers(&list)], fence).expect("a submit");
            d.wait_for_fences(&[fence], true, u64::MAX).expect("its end");
            d.reset_fences(&[fence]).expect("a fence");
        }
    }
    start.elapsed().as_secs_f64() * 1e6 / f64::from(count)
}

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let code = spirv(ADD);
    println!("microseconds, each submit waited for");
    println!(
        "{:8} {:>8} {:>8} {:>10} {:>14} {:>10}",
        "target", "empty", "fill", "dispatch", "of 100 in one", "pipeline"
    );
    for (k, target) in TARGETS.iter().enumerate() {
        if !wanted.is_empty() && !wanted.iter().any(|w| w == target) {
            continue;
        }
        let gpu = Gpu::new(k);
        let data = gpu.buffer(64);
        let (sets, set) = gpu.set(&[(data.buffer, 0, 64)]);
        let layout = gpu.layout(&[sets], 0);
        let pipeline = gpu.compute(&code, layout, &[]).expect("a pipeline");
        let dispatches = |d: &ash::Device, c, count| unsafe {
            d.cmd_bind_pipeline(c, vk::PipelineBindPoint::COMPUTE, pipeline);
            d.cmd_bind_descriptor_sets(c, vk::PipelineBindPoint::COMPUTE, layout, 0, &[set], &[]);
            (0..count).for_each(|_| d.cmd_dispatch(c, 1, 1, 1));
        };
        let empty = submits(&gpu, 10_000, record(&gpu, |_, _| ()));
        let fill = submits(&gpu, 10_000, record(&gpu, |d, c| unsafe { d.cmd_fill_buffer(c, data.buffer, 0, 64, 7) }));
        let one = submits(&gpu, 2_000, record(&gpu, |d, c| dispatches(d, c, 1)));
        let hundred = submits(&gpu, 20, record(&gpu, |d, c| dispatches(d, c, 100))) / 100.0;
        let start = Instant::now();
        for _ in 0..100 {
            let made = gpu.compute(&code, layout, &[]).expect("a pipeline");
            unsafe { gpu.device.destroy_pipeline(made, None) };
        }
        let made = start.elapsed().as_secs_f64() * 1e4;
        println!("{target:8} {empty:8.1} {fill:8.1} {one:10.1} {hundred:14.1} {made:10.0}");
    }
}
