//! Steps that the rule of Collatz takes from a number to 1, for numbers of the command line.

use gpucc_example_wgpu::Gpu;

const TEXT: &str = "
    @group(0) @binding(0) var<storage, read_write> v: array<u32>;

    @compute @workgroup_size(64)
    fn main(@builtin(global_invocation_id) id: vec3<u32>) {
        if id.x >= arrayLength(&v) { return; }
        var n = v[id.x];
        var steps = 0u;
        while n > 1u {
            n = select(n / 2u, 3u * n + 1u, n % 2u == 1u);
            steps += 1u;
        }
        v[id.x] = steps;
    }";

fn main() {
    let mut numbers: Vec<u32> = std::env::args().skip(1).map(|a| a.parse().expect("a number")).collect();
    if numbers.is_empty() {
        numbers = (1..=12).collect();
    }
    let gpu = pollster::block_on(Gpu::open());
    use wgpu::BufferUsages as U;
    let values = gpu.buffer(&numbers, U::STORAGE | U::COPY_SRC);
    let back = gpu.buffer(&numbers, U::COPY_DST | U::MAP_READ);
    let pipeline = gpu.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some("collatz"),
        layout: None,
        module: &gpu.shader(TEXT),
        entry_point: Some("main"),
        compilation_options: Default::default(),
        cache: None,
    });
    let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &pipeline.get_bind_group_layout(0),
        entries: &[wgpu::BindGroupEntry { binding: 0, resource: values.as_entire_binding() }],
    });
    let mut commands = gpu.device.create_command_encoder(&Default::default());
    {
        let mut pass = commands.begin_compute_pass(&Default::default());
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups((numbers.len() as u32).div_ceil(64), 1, 1);
    }
    commands.copy_buffer_to_buffer(&values, 0, &back, 0, values.size());
    gpu.queue.submit([commands.finish()]);
    let bytes = gpu.read(&back);
    let steps: Vec<String> = bytemuck::pod_collect_to_vec::<u8, u32>(&bytes).iter().map(u32::to_string).collect();
    println!("{}", steps.join(" "));
}
