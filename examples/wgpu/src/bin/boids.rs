//! A flock: a compute shader moves it step by step in two buffers that take turns, and the last one is the vertices' instances.

use gpucc_example_wgpu::{Canvas, Gpu, cleared};

const TEXT: &str = "
    struct Boid { at: vec2f, speed: vec2f }

    @group(0) @binding(0) var<storage, read> before: array<Boid>;
    @group(0) @binding(1) var<storage, read_write> after: array<Boid>;

    @compute @workgroup_size(64)
    fn step(@builtin(global_invocation_id) id: vec3<u32>) {
        let count = arrayLength(&before);
        if id.x >= count { return; }
        var own = before[id.x];
        var centre = vec2f(0.0);
        var near = 0.0;
        var away = vec2f(0.0);
        var mean = vec2f(0.0);
        for (var k = 0u; k < count; k++) {
            if k == id.x { continue; }
            let other = before[k];
            let d = distance(other.at, own.at);
            if d < 0.2 {
                centre += other.at;
                mean += other.speed;
                near += 1.0;
            }
            if d < 0.04 { away -= other.at - own.at; }
        }
        if near > 0.0 {
            own.speed += (centre / near - own.at) * 0.02 + mean / near * 0.05;
        }
        own.speed += away * 0.1;
        own.speed = normalize(own.speed) * clamp(length(own.speed), 0.02, 0.1);
        own.at += own.speed * 0.3;
        own.at = fract(own.at * 0.5 + 0.5) * 2.0 - 1.0;
        after[id.x] = own;
    }

    struct Vertex { @builtin(position) at: vec4f, @location(0) colour: vec3f }

    @vertex
    fn vs(@location(0) at: vec2f, @location(1) speed: vec2f, @location(2) corner: vec2f) -> Vertex {
        let along = normalize(speed);
        let turned = vec2f(along.y * corner.x + along.x * corner.y, along.y * corner.y - along.x * corner.x);
        return Vertex(vec4f(at + turned, 0.0, 1.0), vec3f(0.5 + along * 0.5, 0.8));
    }

    @fragment
    fn fs(v: Vertex) -> @location(0) vec4f { return vec4f(v.colour, 1.0); }";

const BOIDS: u32 = 256;
const STEPS: usize = 24;

/// Places and speeds by a generator with a fixed seed.
fn flock() -> Vec<[f32; 4]> {
    let mut state = 42u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 23) as f32 - 1.0
    };
    (0..BOIDS).map(|_| [next(), next(), next() * 0.1, next() * 0.1]).collect()
}

fn main() {
    let gpu = pollster::block_on(Gpu::open());
    use wgpu::BufferUsages as U;
    let turns = [0, 1].map(|_| gpu.buffer(&flock(), U::STORAGE | U::VERTEX));
    let corners = gpu.buffer(&[[-0.015f32, -0.03], [0.015, -0.03], [0.0, 0.03]], U::VERTEX);
    let module = gpu.shader(TEXT);
    let moves = gpu.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some("step"),
        layout: None,
        module: &module,
        entry_point: Some("step"),
        compilation_options: Default::default(),
        cache: None,
    });
    let draws = gpu.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some("boids"),
        layout: None,
        vertex: wgpu::VertexState {
            module: &module,
            entry_point: Some("vs"),
            compilation_options: Default::default(),
            buffers: &[
                Some(wgpu::VertexBufferLayout {
                    array_stride: 16,
                    step_mode: wgpu::VertexStepMode::Instance,
                    attributes: &wgpu::vertex_attr_array![0 => Float32x2, 1 => Float32x2],
                }),
                Some(wgpu::VertexBufferLayout {
                    array_stride: 8,
                    step_mode: wgpu::VertexStepMode::Vertex,
                    attributes: &wgpu::vertex_attr_array![2 => Float32x2],
                }),
            ],
        },
        primitive: Default::default(),
        depth_stencil: None,
        multisample: Default::default(),
        fragment: Some(wgpu::FragmentState {
            module: &module,
            entry_point: Some("fs"),
            compilation_options: Default::default(),
            targets: &[Some(Canvas::FORMAT.into())],
        }),
        multiview_mask: None,
        cache: None,
    });
    let groups = [0, 1].map(|k| {
        gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &moves.get_bind_group_layout(0),
            entries: &[
                wgpu::BindGroupEntry { binding: 0, resource: turns[k].as_entire_binding() },
                wgpu::BindGroupEntry { binding: 1, resource: turns[1 - k].as_entire_binding() },
            ],
        })
    });
    let canvas = Canvas::new(&gpu, [256, 256]);
    let mut commands = gpu.device.create_command_encoder(&Default::default());
    for k in 0..STEPS {
        let mut pass = commands.begin_compute_pass(&Default::default());
        pass.set_pipeline(&moves);
        pass.set_bind_group(0, &groups[k % 2], &[]);
        pass.dispatch_workgroups(BOIDS.div_ceil(64), 1, 1);
    }
    {
        let mut pass = commands.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("boids"),
            color_attachments: &[cleared(&canvas.view, [0.02, 0.03, 0.05])],
            ..Default::default()
        });
        pass.set_pipeline(&draws);
        pass.set_vertex_buffer(0, turns[STEPS % 2].slice(..));
        pass.set_vertex_buffer(1, corners.slice(..));
        pass.draw(0..3, 0..BOIDS);
    }
    gpu.queue.submit([commands.finish()]);
    canvas.save(&gpu, "boids.png");
}
