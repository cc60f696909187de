//! A cube with a texture that the program computes, turned, and hidden by depth where it lies behind itself.

use gpucc_example_wgpu::{Canvas, Gpu, cleared, target};

const TEXT: &str = "
    struct Vertex { @builtin(position) at: vec4f, @location(0) uv: vec2f, @location(1) normal: vec3f }

    @group(0) @binding(0) var<uniform> transform: mat4x4f;
    @group(0) @binding(1) var colours: texture_2d<f32>;
    @group(0) @binding(2) var smooth_sampler: sampler;

    @vertex
    fn vs(@location(0) at: vec3f, @location(1) normal: vec3f, @location(2) uv: vec2f) -> Vertex {
        return Vertex(transform * vec4f(at, 1.0), uv, normal);
    }

    @fragment
    fn fs(v: Vertex) -> @location(0) vec4f {
        let light = 0.35 + 0.65 * max(dot(v.normal, normalize(vec3f(0.5, 0.9, 0.7))), 0.0);
        return vec4f(textureSample(colours, smooth_sampler, v.uv).rgb * light, 1.0);
    }";

const SIZE: [u32; 2] = [320, 240];
const DEPTH: wgpu::TextureFormat = wgpu::TextureFormat::Depth16Unorm;

/// Position, normal and texture coordinates of 24 vertices, and 36 indices.
fn cube() -> (Vec<[f32; 8]>, Vec<u16>) {
    let (mut vertices, mut indices) = (Vec::new(), Vec::new());
    for face in 0..6 {
        let (axis, side) = (face / 2, if face % 2 == 0 { 1.0 } else { -1.0 });
        let first = vertices.len() as u16;
        for (u, v) in [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)] {
            let mut at = [0.0; 3];
            let mut normal = [0.0; 3];
            (at[axis], normal[axis]) = (side, side);
            (at[(axis + 1) % 3], at[(axis + 2) % 3]) = (side * (u * 2.0 - 1.0), v * 2.0 - 1.0);
            let [x, y, z] = at;
            vertices.push([x, y, z, normal[0], normal[1], normal[2], u, v]);
        }
        indices.extend([0, 1, 2, 2, 3, 0].map(|k| first + k));
    }
    (vertices, indices)
}

/// A turn about y and then x, four units away, in perspective; columns of a matrix.
fn transform() -> [[f32; 4]; 4] {
    let ((sy, cy), (sx, cx)) = (0.6f32.sin_cos(), 0.5f32.sin_cos());
    let (near, far, lens) = (1.0, 10.0, 2.2);
    let aspect = SIZE[0] as f32 / SIZE[1] as f32;
    let seen = |[x, y, z]: [f32; 3], one: f32| {
        let (x, z) = (cy * x + sy * z, cy * z - sy * x);
        let (y, z) = (cx * y - sx * z, cx * z + sx * y);
        let z = z - 4.0 * one;
        [lens / aspect * x, lens * y, (z + near * one) * far / (near - far), -z]
    };
    [seen([1.0, 0.0, 0.0], 0.0), seen([0.0, 1.0, 0.0], 0.0), seen([0.0, 0.0, 1.0], 0.0), seen([0.0; 3], 1.0)]
}

/// A texture of a fractal's colours.
fn texture(gpu: &Gpu) -> wgpu::TextureView {
    let size = 64;
    let texel = |k: u32| {
        let (a, b) = ((k % size) as f32 / 24.0 - 2.0, (k / size) as f32 / 24.0 - 1.3);
        let (mut x, mut y, mut n) = (a, b, 0u8);
        while n < 25 && x * x + y * y < 4.0 {
            (x, y, n) = (x * x - y * y + a, 2.0 * x * y + b, n + 1);
        }
        [n * 10, 40 + n * 8, 255 - n * 7, 255]
    };
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: None,
        size: wgpu::Extent3d { width: size, height: size, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: wgpu::TextureFormat::Rgba8Unorm,
        usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
        view_formats: &[],
    });
    let bytes: Vec<u8> = (0..size * size).flat_map(texel).collect();
    let layout = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(size * 4), rows_per_image: None };
    gpu.queue.write_texture(texture.as_image_copy(), &bytes, layout, texture.size());
    texture.create_view(&Default::default())
}

fn main() {
    let gpu = pollster::block_on(Gpu::open());
    let (vertices, indices) = cube();
    let vertices = gpu.buffer(&vertices, wgpu::BufferUsages::VERTEX);
    let index_buffer = gpu.buffer(&indices, wgpu::BufferUsages::INDEX);
    let matrix = gpu.buffer(&transform(), wgpu::BufferUsages::UNIFORM);
    let sampler = gpu.device.create_sampler(&wgpu::SamplerDescriptor {
        mag_filter: wgpu::FilterMode::Linear,
        min_filter: wgpu::FilterMode::Linear,
        ..Default::default()
    });
    let module = gpu.shader(TEXT);
    let pipeline = gpu.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some("cube"),
        layout: None,
        vertex: wgpu::VertexState {
            module: &module,
            entry_point: Some("vs"),
            compilation_options: Default::default(),
            buffers: &[Some(wgpu::VertexBufferLayout {
                array_stride: 32,
                step_mode: wgpu::VertexStepMode::Vertex,
                attributes: &wgpu::vertex_attr_array![0 => Float32x3, 1 => Float32x3, 2 => Float32x2],
            })],
        },
        primitive: wgpu::PrimitiveState { cull_mode: Some(wgpu::Face::Back), ..Default::default() },
        depth_stencil: Some(wgpu::DepthStencilState {
            format: DEPTH,
            depth_write_enabled: Some(true),
            depth_compare: Some(wgpu::CompareFunction::Less),
            stencil: Default::default(),
            bias: Default::default(),
        }),
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
    let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &pipeline.get_bind_group_layout(0),
        entries: &[
            wgpu::BindGroupEntry { binding: 0, resource: matrix.as_entire_binding() },
            wgpu::BindGroupEntry { binding: 1, resource: wgpu::BindingResource::TextureView(&texture(&gpu)) },
            wgpu::BindGroupEntry { binding: 2, resource: wgpu::BindingResource::Sampler(&sampler) },
        ],
    });
    let canvas = Canvas::new(&gpu, SIZE);
    let depth = target(&gpu, SIZE, DEPTH).create_view(&Default::default());
    let mut commands = gpu.device.create_command_encoder(&Default::default());
    {
        let mut pass = commands.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("cube"),
            color_attachments: &[cleared(&canvas.view, [0.02, 0.03, 0.05])],
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: &depth,
                depth_ops: Some(wgpu::Operations { load: wgpu::LoadOp::Clear(1.0), store: wgpu::StoreOp::Discard }),
                stencil_ops: None,
            }),
            ..Default::default()
        });
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.set_vertex_buffer(0, vertices.slice(..));
        pass.set_index_buffer(index_buffer.slice(..), wgpu::IndexFormat::Uint16);
        pass.draw_indexed(0..indices.len() as u32, 0, 0..1);
    }
    gpu.queue.submit([commands.finish()]);
    canvas.save(&gpu, "cube.png");
}
