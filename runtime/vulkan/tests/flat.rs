//! Memory over many submissions and pipelines, and devices on several threads.

use ash::vk;

use crate::kit::{Gpu, spirv};

const ADD: &str = "
    @group(0) @binding(0) var<storage, read_write> a: array<u32>;
    @compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) { a[id.x] += id.x + 1u; }";

/// Makes a pipeline, submits it, and destroys what it made.
fn round(gpu: &Gpu, code: &[u32], submits: usize) {
    let d = &gpu.device;
    let data = gpu.buffer(64);
    let (sets, set) = gpu.set(&[(data.buffer, 0, 64)]);
    let program = gpu.program(code, (sets, set), 0);
    for _ in 0..submits {
        program.run(gpu, 1);
    }
    assert_eq!(data.words()[..4], [1, 2, 3, 4].map(|n| n * submits as u32));
    unsafe {
        d.reset_command_pool(gpu.pool, vk::CommandPoolResetFlags::RELEASE_RESOURCES).expect("a reset");
        d.destroy_pipeline(program.pipeline, None);
        d.destroy_pipeline_layout(program.layout, None);
        d.destroy_descriptor_set_layout(sets, None);
        d.destroy_buffer(data.buffer, None);
    }
}

/// The variable that says that this process is the one whose memory counts.
const ALONE: &str = "GPUCC_VULKAN_ALONE";

/// MiB that the process has.
fn resident() -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").expect("the state of the process");
    let line = text.lines().find(|l| l.starts_with("VmRSS:")).expect("its memory");
    line.split_whitespace().nth(1).and_then(|n| n.parse::<u64>().ok()).expect("a number") >> 10
}

/// MiB that `work` leaves behind, once it was done a tenth as often before.
fn growth(count: u32, work: impl Fn(u32)) -> u64 {
    (0..count / 10).for_each(&work);
    let before = resident();
    (0..count).for_each(&work);
    resident().saturating_sub(before)
}

/// Ten thousand submits of one recording, a thousand of new ones, and a thousand pipelines, buffers and images that are made and destroyed. Other
/// tests take memory too, so that a process of its own does it.
#[test]
fn memory_is_flat() {
    if !cfg!(target_os = "linux") {
        return;
    }
    if std::env::var_os(ALONE).is_none() {
        let own = std::env::current_exe().expect("this program");
        let mut command = std::process::Command::new(own);
        let output = command.args(["--exact", "flat::memory_is_flat"]).env(ALONE, "1").output().expect("a run");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        return;
    }
    let code = spirv(
        "@group(0) @binding(0) var<storage, read_write> a: array<u32>;
         @compute @workgroup_size(1) fn main() { a[0] += 1u; }",
    );
    let gpu = Gpu::new(0);
    let d = &gpu.device;
    let data = gpu.buffer(64);
    let program = gpu.program(&code, gpu.set(&[(data.buffer, 0, vk::WHOLE_SIZE)]), 0);
    let record = || unsafe {
        let info = vk::CommandBufferAllocateInfo::default().command_pool(gpu.pool).command_buffer_count(1);
        let c = d.allocate_command_buffers(&info).expect("a buffer")[0];
        d.begin_command_buffer(c, &vk::CommandBufferBeginInfo::default()).expect("a recording");
        program.bind(d, c);
        d.cmd_dispatch(c, 1, 1, 1);
        d.end_command_buffer(c).expect("its end");
        c
    };
    let fence = unsafe { d.create_fence(&vk::FenceCreateInfo::default(), None).expect("a fence") };
    let submit = |c: vk::CommandBuffer| unsafe {
        let list = [c];
        d.queue_submit(gpu.queue, &[vk::SubmitInfo::default().command_buffers(&list)], fence).expect("a submit");
        d.wait_for_fences(&[fence], true, u64::MAX).expect("its end");
        d.reset_fences(&[fence]).expect("a fence");
    };
    let recorded = record();
    let submits = growth(10_000, |_| submit(recorded));
    assert_eq!(data.words()[0], 11_000);
    let records = growth(1_000, |_| {
        let c = record();
        submit(c);
        unsafe { d.free_command_buffers(gpu.pool, &[c]) };
    });
    let module = gpu.shader(&code);
    let pipelines = growth(1_000, |_| unsafe {
        let stage = vk::PipelineShaderStageCreateInfo::default().stage(vk::ShaderStageFlags::COMPUTE).module(module);
        let info = vk::ComputePipelineCreateInfo::default().stage(stage.name(c"main")).layout(program.layout);
        let made = d.create_compute_pipelines(vk::PipelineCache::null(), &[info], None).map_err(|e| e.1);
        d.destroy_pipeline(made.expect("a pipeline")[0], None);
    });
    let resources = growth(1_000, |_| unsafe {
        let info = vk::BufferCreateInfo::default().size(1 << 16).usage(vk::BufferUsageFlags::STORAGE_BUFFER);
        let buffer = d.create_buffer(&info, None).expect("a buffer");
        let info = vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(vk::Format::R8G8B8A8_UNORM)
            .extent(vk::Extent3D { width: 128, height: 128, depth: 1 })
            .mip_levels(1)
            .array_layers(1)
            .samples(vk::SampleCountFlags::TYPE_1)
            .usage(vk::ImageUsageFlags::SAMPLED);
        let image = d.create_image(&info, None).expect("an image");
        let memory = gpu.memory(d.get_buffer_memory_requirements(buffer), vk::MemoryPropertyFlags::empty());
        d.bind_buffer_memory(buffer, memory, 0).expect("a binding");
        d.destroy_buffer(buffer, None);
        d.destroy_image(image, None);
        d.free_memory(memory, None);
    });
    // The allocator of the process keeps a little of what was freed.
    let all = [submits, records, pipelines, resources];
    assert!(all.iter().all(|n| *n <= 4), "submits, records, pipelines and resources leave {all:?} MiB");
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
