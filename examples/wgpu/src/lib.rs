//! What the three programs share: a device, and pictures. It is wgpu alone.

use wgpu::util::DeviceExt;

/// A device with its queue.
pub struct Gpu {
    pub device: wgpu::Device,
    pub queue: wgpu::Queue,
}

impl Gpu {
    /// The first adapter that the machine has.
    pub async fn open() -> Gpu {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle_from_env());
        let adapter = instance.request_adapter(&wgpu::RequestAdapterOptions::default()).await.expect("an adapter");
        eprintln!("{}", adapter.get_info().name);
        let wants = wgpu::DeviceDescriptor {
            required_limits: wgpu::Limits::downlevel_defaults().using_resolution(adapter.limits()),
            ..Default::default()
        };
        let (device, queue) = adapter.request_device(&wants).await.expect("a device");
        Gpu { device, queue }
    }

    /// A buffer with these contents.
    pub fn buffer<T: bytemuck::Pod>(&self, contents: &[T], usage: wgpu::BufferUsages) -> wgpu::Buffer {
        let contents = bytemuck::cast_slice(contents);
        self.device.create_buffer_init(&wgpu::util::BufferInitDescriptor { label: None, contents, usage })
    }

    /// A shader.
    pub fn shader(&self, text: &str) -> wgpu::ShaderModule {
        let source = wgpu::ShaderSource::Wgsl(text.into());
        self.device.create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source })
    }

    /// The bytes of a buffer that may be mapped.
    pub fn read(&self, buffer: &wgpu::Buffer) -> Vec<u8> {
        buffer.map_async(wgpu::MapMode::Read, .., |done| done.expect("a mapping"));
        self.device.poll(wgpu::PollType::wait_indefinitely()).expect("the end of the work");
        let bytes = buffer.get_mapped_range(..).expect("a range").to_vec();
        buffer.unmap();
        bytes
    }
}

/// Where a program draws.
pub struct Canvas {
    pub texture: wgpu::Texture,
    pub view: wgpu::TextureView,
    pub size: [u32; 2],
}

impl Canvas {
    pub const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8UnormSrgb;

    pub fn new(gpu: &Gpu, size: [u32; 2]) -> Canvas {
        let texture = target(gpu, size, Canvas::FORMAT);
        Canvas { view: texture.create_view(&Default::default()), texture, size }
    }

    /// Writes the picture into the file that the command line names, or else that of this name.
    pub fn save(&self, gpu: &Gpu, name: &str) {
        let [width, height] = self.size;
        let row = (width * 4).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
        let to = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: u64::from(row * height),
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
            mapped_at_creation: false,
        });
        let mut commands = gpu.device.create_command_encoder(&Default::default());
        let layout = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(row), rows_per_image: None };
        let to_buffer = wgpu::TexelCopyBufferInfo { buffer: &to, layout };
        commands.copy_texture_to_buffer(self.texture.as_image_copy(), to_buffer, self.texture.size());
        gpu.queue.submit([commands.finish()]);
        let bytes = gpu.read(&to);
        let rows = bytes.chunks(row as usize).flat_map(|r| &r[..width as usize * 4]).copied().collect::<Vec<u8>>();
        let path = std::env::args().nth(1).unwrap_or_else(|| name.to_owned());
        let file = std::fs::File::create(&path).expect("a file");
        let mut encoder = png::Encoder::new(file, width, height);
        encoder.set_color(png::ColorType::Rgba);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.write_header().and_then(|mut w| w.write_image_data(&rows)).expect("a picture");
        println!("{path}");
    }
}

/// A texture that is drawn on and copied.
pub fn target(gpu: &Gpu, [width, height]: [u32; 2], format: wgpu::TextureFormat) -> wgpu::Texture {
    gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: None,
        size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
        view_formats: &[],
    })
}

/// A colour attachment that is cleared.
pub fn cleared(view: &wgpu::TextureView, [r, g, b]: [f64; 3]) -> Option<wgpu::RenderPassColorAttachment<'_>> {
    let ops =
        wgpu::Operations { load: wgpu::LoadOp::Clear(wgpu::Color { r, g, b, a: 1.0 }), store: wgpu::StoreOp::Store };
    Some(wgpu::RenderPassColorAttachment { view, depth_slice: None, resolve_target: None, ops })
}
