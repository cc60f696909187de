//! Parts that the small programs are made of. All images are in the general layout, and a barrier of everything stands between passes: what is
//! drawn counts here, not how fast.

use ash::vk;

use crate::kit::{Gpu, Mapped, spirv};

/// Columns and rows of the pictures.
pub const SIZE: u32 = 64;
/// The format of the pictures.
pub const COLOUR: vk::Format = vk::Format::R8G8B8A8_UNORM;
/// The format of depths.
pub const DEPTH: vk::Format = vk::Format::D16_UNORM;

/// An image with a view of all of it.
#[derive(Clone, Copy)]
pub struct Pic {
    pub image: vk::Image,
    pub view: vk::ImageView,
    pub format: vk::Format,
    /// Width, height, depth.
    pub size: [u32; 3],
    pub layers: u32,
    pub samples: vk::SampleCountFlags,
}

/// An image that is to be made.
#[derive(Clone, Copy)]
pub struct Of {
    pub format: vk::Format,
    pub size: [u32; 3],
    pub layers: u32,
    pub levels: u32,
    pub samples: vk::SampleCountFlags,
    pub kind: vk::ImageViewType,
    pub usage: vk::ImageUsageFlags,
}

impl Default for Of {
    fn default() -> Of {
        Of {
            format: COLOUR,
            size: [SIZE, SIZE, 1],
            layers: 1,
            levels: 1,
            samples: vk::SampleCountFlags::TYPE_1,
            kind: vk::ImageViewType::TYPE_2D,
            usage: vk::ImageUsageFlags::COLOR_ATTACHMENT
                | vk::ImageUsageFlags::SAMPLED
                | vk::ImageUsageFlags::TRANSFER_SRC
                | vk::ImageUsageFlags::TRANSFER_DST,
        }
    }
}

/// What the usage of textures is.
pub const TEXTURE: vk::ImageUsageFlags = vk::ImageUsageFlags::from_raw(
    vk::ImageUsageFlags::SAMPLED.as_raw()
        | vk::ImageUsageFlags::TRANSFER_SRC.as_raw()
        | vk::ImageUsageFlags::TRANSFER_DST.as_raw(),
);

/// The aspect of a format.
pub fn aspect(f: vk::Format) -> vk::ImageAspectFlags {
    match f {
        vk::Format::D16_UNORM | vk::Format::D32_SFLOAT => vk::ImageAspectFlags::DEPTH,
        vk::Format::D24_UNORM_S8_UINT | vk::Format::D32_SFLOAT_S8_UINT => {
            vk::ImageAspectFlags::DEPTH | vk::ImageAspectFlags::STENCIL
        }
        vk::Format::S8_UINT => vk::ImageAspectFlags::STENCIL,
        _ => vk::ImageAspectFlags::COLOR,
    }
}

/// A barrier of everything.
pub fn barrier(d: &ash::Device, c: vk::CommandBuffer) {
    let all = vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE;
    let memory = [vk::MemoryBarrier::default().src_access_mask(all).dst_access_mask(all)];
    let stages = vk::PipelineStageFlags::ALL_COMMANDS;
    let host = stages | vk::PipelineStageFlags::HOST;
    unsafe { d.cmd_pipeline_barrier(c, stages, host, vk::DependencyFlags::empty(), &memory, &[], &[]) };
}

/// A level and all layers.
pub fn level(p: &Pic, mip_level: u32) -> vk::ImageSubresourceLayers {
    vk::ImageSubresourceLayers { aspect_mask: aspect(p.format), mip_level, base_array_layer: 0, layer_count: p.layers }
}

/// A view of a part of an image.
pub fn view(gpu: &Gpu, p: &Pic, kind: vk::ImageViewType, [level, levels, layer, layers]: [u32; 4]) -> vk::ImageView {
    let range = vk::ImageSubresourceRange {
        aspect_mask: aspect(p.format),
        base_mip_level: level,
        level_count: levels,
        base_array_layer: layer,
        layer_count: layers,
    };
    let info = vk::ImageViewCreateInfo::default().image(p.image).view_type(kind).format(p.format);
    unsafe { gpu.device.create_image_view(&info.subresource_range(range), None).expect("a view") }
}

/// Makes an image in the general layout.
pub fn image(gpu: &Gpu, of: Of) -> Pic {
    let [width, height, depth] = of.size;
    let cube = matches!(of.kind, vk::ImageViewType::CUBE);
    let ty = if of.kind == vk::ImageViewType::TYPE_3D { vk::ImageType::TYPE_3D } else { vk::ImageType::TYPE_2D };
    let info = vk::ImageCreateInfo::default()
        .flags(if cube { vk::ImageCreateFlags::CUBE_COMPATIBLE } else { vk::ImageCreateFlags::empty() })
        .image_type(ty)
        .format(of.format)
        .extent(vk::Extent3D { width, height, depth })
        .mip_levels(of.levels)
        .array_layers(of.layers)
        .samples(of.samples)
        .usage(of.usage);
    let d = &gpu.device;
    let image = unsafe { d.create_image(&info, None).expect("an image") };
    let need = unsafe { d.get_image_memory_requirements(image) };
    let memory = gpu.memory(need, vk::MemoryPropertyFlags::empty());
    unsafe { d.bind_image_memory(image, memory, 0).expect("a binding") };
    let mut p = Pic {
        image,
        view: vk::ImageView::null(),
        format: of.format,
        size: of.size,
        layers: of.layers,
        samples: of.samples,
    };
    p.view = view(gpu, &p, of.kind, [0, of.levels, 0, of.layers]);
    gpu.run(|d, c| {
        let all = vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE;
        let b = [vk::ImageMemoryBarrier::default()
            .image(image)
            .old_layout(vk::ImageLayout::UNDEFINED)
            .new_layout(vk::ImageLayout::GENERAL)
            .dst_access_mask(all)
            .subresource_range(vk::ImageSubresourceRange {
                aspect_mask: aspect(of.format),
                base_mip_level: 0,
                level_count: of.levels,
                base_array_layer: 0,
                layer_count: of.layers,
            })];
        let stages = vk::PipelineStageFlags::ALL_COMMANDS;
        unsafe { d.cmd_pipeline_barrier(c, stages, stages, vk::DependencyFlags::empty(), &[], &[], &b) };
    })
    .expect("a layout");
    p
}

/// A copy between a buffer and a level.
pub fn region(p: &Pic, mip_level: u32) -> vk::BufferImageCopy {
    let [width, height, depth] = p.size.map(|n| (n >> mip_level).max(1));
    vk::BufferImageCopy {
        image_subresource: level(p, mip_level),
        image_extent: vk::Extent3D { width, height, depth },
        ..Default::default()
    }
}

/// Fills a level of an image with four bytes for each texel: column, row, slice or layer.
pub fn fill(gpu: &Gpu, p: &Pic, mip_level: u32, colour: impl Fn(u32, u32, u32) -> [u8; 4]) {
    let [w, h, depth] = p.size.map(|n| (n >> mip_level).max(1));
    let words: Vec<u32> = (0..depth * p.layers)
        .flat_map(|z| (0..h).flat_map(move |y| (0..w).map(move |x| [x, y, z])))
        .map(|[x, y, z]| u32::from_le_bytes(colour(x, y, z)))
        .collect();
    let from = gpu.buffer(words.len() * 4);
    from.write(&words);
    gpu.run(|d, c| unsafe {
        d.cmd_copy_buffer_to_image(c, from.buffer, p.image, vk::ImageLayout::GENERAL, &[region(p, mip_level)]);
        barrier(d, c);
    })
    .expect("an upload");
}

/// The texels of level 0, four bytes each.
pub fn texels(gpu: &Gpu, p: &Pic) -> Vec<u32> {
    let to = gpu.buffer((p.size.iter().product::<u32>() * p.layers * 4) as usize);
    gpu.run(|d, c| unsafe {
        barrier(d, c);
        d.cmd_copy_image_to_buffer(c, p.image, vk::ImageLayout::GENERAL, to.buffer, &[region(p, 0)]);
        barrier(d, c);
    })
    .expect("a copy");
    to.words()
}

/// A resource of a set.
#[derive(Clone, Copy)]
pub enum Bind {
    Uniform(Mapped),
    /// Bytes that are seen; where they begin is given when the set is bound.
    Dynamic(Mapped, u64),
    Storage(Mapped),
    Texture(vk::ImageView),
    Image(vk::ImageView),
    Sampler(vk::Sampler),
    /// What earlier subpasses left at the pixel.
    Input(vk::ImageView),
}

/// A set whose bindings are these, and its layout.
pub fn set(gpu: &Gpu, list: &[Bind]) -> (vk::DescriptorSetLayout, vk::DescriptorSet) {
    use vk::DescriptorType as T;
    let ty = |b: &Bind| match b {
        Bind::Uniform(_) => T::UNIFORM_BUFFER,
        Bind::Dynamic(..) => T::UNIFORM_BUFFER_DYNAMIC,
        Bind::Storage(_) => T::STORAGE_BUFFER,
        Bind::Texture(_) => T::SAMPLED_IMAGE,
        Bind::Image(_) => T::STORAGE_IMAGE,
        Bind::Sampler(_) => T::SAMPLER,
        Bind::Input(_) => T::INPUT_ATTACHMENT,
    };
    let stages = |b: &Bind| match b {
        Bind::Input(_) => vk::ShaderStageFlags::FRAGMENT,
        Bind::Storage(_) | Bind::Image(_) => vk::ShaderStageFlags::COMPUTE | vk::ShaderStageFlags::FRAGMENT,
        _ => vk::ShaderStageFlags::ALL_GRAPHICS | vk::ShaderStageFlags::COMPUTE,
    };
    let one = |(k, b): (u32, &Bind)| {
        let own = vk::DescriptorSetLayoutBinding::default().binding(k).descriptor_type(ty(b));
        own.descriptor_count(1).stage_flags(stages(b))
    };
    let bindings: Vec<_> = (0..).zip(list).map(one).collect();
    let sizes: Vec<_> = list.iter().map(|b| vk::DescriptorPoolSize { ty: ty(b), descriptor_count: 1 }).collect();
    let d = &gpu.device;
    unsafe {
        let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        let layout = d.create_descriptor_set_layout(&info, None).expect("a layout");
        let info = vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&sizes);
        let pool = d.create_descriptor_pool(&info, None).expect("a pool");
        let layouts = [layout];
        let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts);
        let set = d.allocate_descriptor_sets(&info).expect("a set")[0];
        for (k, b) in (0..).zip(list) {
            let general = vk::ImageLayout::GENERAL;
            let mut image = vk::DescriptorImageInfo { image_layout: general, ..Default::default() };
            let mut buffer = vk::DescriptorBufferInfo { range: vk::WHOLE_SIZE, ..Default::default() };
            let is_buffer = match *b {
                Bind::Uniform(m) | Bind::Storage(m) => {
                    buffer.buffer = m.buffer;
                    true
                }
                Bind::Dynamic(m, range) => {
                    (buffer.buffer, buffer.range) = (m.buffer, range);
                    true
                }
                Bind::Texture(v) | Bind::Image(v) | Bind::Input(v) => {
                    image.image_view = v;
                    false
                }
                Bind::Sampler(s) => {
                    image.sampler = s;
                    false
                }
            };
            let (images, buffers) = ([image], [buffer]);
            let write = vk::WriteDescriptorSet::default().dst_set(set).dst_binding(k).descriptor_type(ty(b));
            let write = if is_buffer { write.buffer_info(&buffers) } else { write.image_info(&images) };
            d.update_descriptor_sets(&[write], &[]);
        }
        (layout, set)
    }
}

/// A sampler: the filter of everything, and the address mode.
pub fn sampler(gpu: &Gpu, filter: vk::Filter, wrap: vk::SamplerAddressMode) -> vk::Sampler {
    let mip = match filter {
        vk::Filter::LINEAR => vk::SamplerMipmapMode::LINEAR,
        _ => vk::SamplerMipmapMode::NEAREST,
    };
    let info = vk::SamplerCreateInfo::default()
        .mag_filter(filter)
        .min_filter(filter)
        .mipmap_mode(mip)
        .address_mode_u(wrap)
        .address_mode_v(wrap)
        .address_mode_w(wrap)
        .max_lod(16.0);
    unsafe { gpu.device.create_sampler(&info, None).expect("a sampler") }
}

/// A vertex buffer: bytes of an element, whether it steps by instance, attributes as format and offset. Locations are counted through.
pub type Layout<'a> = (u32, bool, &'a [(vk::Format, u32)]);

/// A pipeline that is to be made: entries `vs` and `fs` of one text.
#[derive(Clone, Copy)]
pub struct Pipe<'a> {
    pub text: &'a str,
    /// Entry of the fragment stage, if there is one.
    pub fragment: Option<&'a std::ffi::CStr>,
    /// SPIR-V of the fragment stage that comes from elsewhere, with that entry.
    pub code: Option<&'a [u32]>,
    pub buffers: &'a [Layout<'a>],
    pub topology: vk::PrimitiveTopology,
    pub restart: bool,
    pub cull: vk::CullModeFlags,
    pub front: vk::FrontFace,
    pub samples: vk::SampleCountFlags,
    pub per_sample: bool,
    pub depth: Option<(vk::CompareOp, bool)>,
    pub bias: Option<[f32; 2]>,
    pub stencil: Option<[vk::StencilOpState; 2]>,
    pub blend: Option<vk::PipelineColorBlendAttachmentState>,
    pub constants: [f32; 4],
    pub targets: usize,
    pub subpass: u32,
    pub values: &'a [(u32, u32)],
    pub push: u32,
    /// States that commands set besides viewports and scissors.
    pub late: &'a [vk::DynamicState],
}

impl Default for Pipe<'_> {
    fn default() -> Self {
        Pipe {
            text: "",
            fragment: Some(c"fs"),
            code: None,
            buffers: &[],
            topology: vk::PrimitiveTopology::TRIANGLE_LIST,
            restart: false,
            cull: vk::CullModeFlags::NONE,
            front: vk::FrontFace::COUNTER_CLOCKWISE,
            samples: vk::SampleCountFlags::TYPE_1,
            per_sample: false,
            depth: None,
            bias: None,
            stencil: None,
            blend: None,
            constants: [0.0; 4],
            targets: 1,
            subpass: 0,
            values: &[],
            push: 0,
            late: &[],
        }
    }
}

/// A layout of one set at most.
pub fn layout(gpu: &Gpu, set: Option<vk::DescriptorSetLayout>, push: u32) -> vk::PipelineLayout {
    let sets: Vec<_> = set.into_iter().collect();
    gpu.layout(&sets, push)
}

/// Makes the pipeline. Viewport and scissor are dynamic.
pub fn pipeline(gpu: &Gpu, p: &Pipe<'_>, layout: vk::PipelineLayout, pass: vk::RenderPass) -> vk::Pipeline {
    pipeline_with(gpu, p, layout, pass, None)
}

/// The same with the formats of rendering without a pass.
pub fn pipeline_with(
    gpu: &Gpu,
    p: &Pipe<'_>,
    layout: vk::PipelineLayout,
    pass: vk::RenderPass,
    formats: Option<&mut vk::PipelineRenderingCreateInfo<'_>>,
) -> vk::Pipeline {
    let module = gpu.shader(&spirv(p.text));
    let entries: Vec<_> = (0u32..)
        .zip(p.values)
        .map(|(k, v)| vk::SpecializationMapEntry { constant_id: v.0, offset: k * 4, size: 4 })
        .collect();
    let data: Vec<u8> = p.values.iter().flat_map(|v| v.1.to_le_bytes()).collect();
    let special = vk::SpecializationInfo::default().map_entries(&entries).data(&data);
    let own = p.code.map_or(module, |code| gpu.shader(code));
    let stage = |stage, module, name| {
        let own = vk::PipelineShaderStageCreateInfo::default().stage(stage).module(module).name(name);
        own.specialization_info(&special)
    };
    let mut stages = vec![stage(vk::ShaderStageFlags::VERTEX, module, c"vs")];
    stages.extend(p.fragment.map(|name| stage(vk::ShaderStageFlags::FRAGMENT, own, name)));
    let mut bindings = Vec::new();
    let mut attributes = Vec::new();
    for (k, (stride, instance, list)) in (0..).zip(p.buffers) {
        let input_rate = if *instance { vk::VertexInputRate::INSTANCE } else { vk::VertexInputRate::VERTEX };
        bindings.push(vk::VertexInputBindingDescription { binding: k, stride: *stride, input_rate });
        for &(format, offset) in *list {
            let location = attributes.len() as u32;
            attributes.push(vk::VertexInputAttributeDescription { location, binding: k, format, offset });
        }
    }
    let input = vk::PipelineVertexInputStateCreateInfo::default()
        .vertex_binding_descriptions(&bindings)
        .vertex_attribute_descriptions(&attributes);
    let assembly =
        vk::PipelineInputAssemblyStateCreateInfo::default().topology(p.topology).primitive_restart_enable(p.restart);
    let viewport = vk::PipelineViewportStateCreateInfo::default();
    let counted = p.late.contains(&vk::DynamicState::VIEWPORT_WITH_COUNT);
    let viewport = if counted { viewport } else { viewport.viewport_count(1).scissor_count(1) };
    let mut raster =
        vk::PipelineRasterizationStateCreateInfo::default().line_width(1.0).cull_mode(p.cull).front_face(p.front);
    if let Some([constant, slope]) = p.bias {
        raster = raster.depth_bias_enable(true).depth_bias_constant_factor(constant).depth_bias_slope_factor(slope);
    }
    let samples = vk::PipelineMultisampleStateCreateInfo::default()
        .rasterization_samples(p.samples)
        .sample_shading_enable(p.per_sample)
        .min_sample_shading(1.0);
    let write = vk::PipelineColorBlendAttachmentState {
        color_write_mask: vk::ColorComponentFlags::RGBA,
        ..p.blend.unwrap_or_default()
    };
    let targets = vec![write; p.targets];
    let blend = vk::PipelineColorBlendStateCreateInfo::default().attachments(&targets).blend_constants(p.constants);
    let mut deep = vk::PipelineDepthStencilStateCreateInfo::default();
    if let Some((compare, write)) = p.depth {
        deep = deep.depth_test_enable(true).depth_compare_op(compare).depth_write_enable(write);
    }
    if let Some([front, back]) = p.stencil {
        deep = deep.stencil_test_enable(true).front(front).back(back);
    }
    let mut states = p.late.to_vec();
    if !counted {
        states.extend([vk::DynamicState::VIEWPORT, vk::DynamicState::SCISSOR]);
    }
    let dynamic = vk::PipelineDynamicStateCreateInfo::default().dynamic_states(&states);
    let (cache, flags) = gpu.making.get();
    let info = vk::GraphicsPipelineCreateInfo::default()
        .flags(flags)
        .stages(&stages)
        .vertex_input_state(&input)
        .input_assembly_state(&assembly)
        .viewport_state(&viewport)
        .rasterization_state(&raster)
        .multisample_state(&samples)
        .color_blend_state(&blend)
        .depth_stencil_state(&deep)
        .dynamic_state(&dynamic)
        .layout(layout)
        .render_pass(pass)
        .subpass(p.subpass);
    let info = match formats {
        Some(f) => info.push_next(f),
        None => info,
    };
    let made = unsafe { gpu.device.create_graphics_pipelines(cache, &[info], None) };
    made.map_err(|e| e.1).expect("a pipeline")[0]
}

/// An attachment that is cleared at the beginning, or keeps what it has.
pub fn attachment(p: &Pic, clears: bool) -> vk::AttachmentDescription {
    let load = if clears { vk::AttachmentLoadOp::CLEAR } else { vk::AttachmentLoadOp::LOAD };
    vk::AttachmentDescription::default()
        .format(p.format)
        .samples(p.samples)
        .load_op(load)
        .store_op(vk::AttachmentStoreOp::STORE)
        .stencil_load_op(load)
        .stencil_store_op(vk::AttachmentStoreOp::STORE)
        .initial_layout(vk::ImageLayout::GENERAL)
        .final_layout(vk::ImageLayout::GENERAL)
}

/// A pass of one subpass, its framebuffer, and what it clears to.
#[derive(Clone)]
pub struct Pass {
    pub pass: vk::RenderPass,
    pub frame: vk::Framebuffer,
    pub size: [u32; 2],
    pub clears: Vec<vk::ClearValue>,
}

/// A colour as a value to clear to.
pub fn colour(rgba: [f32; 4]) -> vk::ClearValue {
    vk::ClearValue { color: vk::ClearColorValue { float32: rgba } }
}

/// Depth 1 and a stencil as a value to clear to.
pub fn far(stencil: u32) -> vk::ClearValue {
    vk::ClearValue { depth_stencil: vk::ClearDepthStencilValue { depth: 1.0, stencil } }
}

/// A pass that clears colours, depth, and resolves the first colour where there is room for it.
pub fn pass(gpu: &Gpu, colours: &[(Pic, [f32; 4])], depth: Option<Pic>, resolve: Option<Pic>) -> Pass {
    let general = vk::ImageLayout::GENERAL;
    let refer = |attachment: usize| vk::AttachmentReference { attachment: attachment as u32, layout: general };
    let mut attachments: Vec<_> = colours.iter().map(|(p, _)| attachment(p, true)).collect();
    let mut views: Vec<_> = colours.iter().map(|(p, _)| p.view).collect();
    let mut clears: Vec<_> = colours.iter().map(|(_, c)| colour(*c)).collect();
    let mut add = |p: &Pic, clear| {
        attachments.push(attachment(p, true));
        views.push(p.view);
        clears.push(clear);
        refer(attachments.len() - 1)
    };
    let deep = depth.map(|p| add(&p, far(0)));
    let resolves: Vec<_> = resolve.iter().map(|p| add(p, vk::ClearValue::default())).collect();
    let own: Vec<_> = (0..colours.len()).map(refer).collect();
    let mut sub = vk::SubpassDescription::default().color_attachments(&own);
    if let Some(deep) = &deep {
        sub = sub.depth_stencil_attachment(deep);
    }
    if !resolves.is_empty() {
        sub = sub.resolve_attachments(&resolves);
    }
    let subpasses = [sub];
    let first = colours.first().map(|c| c.0).or(depth).expect("an attachment");
    let [width, height, _] = first.size;
    unsafe {
        let info = vk::RenderPassCreateInfo::default().attachments(&attachments).subpasses(&subpasses);
        let pass = gpu.device.create_render_pass(&info, None).expect("a pass");
        let info = vk::FramebufferCreateInfo::default().render_pass(pass).attachments(&views);
        let info = info.width(width).height(height).layers(1);
        let frame = gpu.device.create_framebuffer(&info, None).expect("a framebuffer");
        Pass { pass, frame, size: [width, height], clears }
    }
}

/// A viewport of the whole of a target.
pub fn whole([width, height]: [u32; 2]) -> vk::Viewport {
    vk::Viewport { width: width as f32, height: height as f32, max_depth: 1.0, ..Default::default() }
}

/// Begins a pass with viewport and scissor of the whole.
pub fn begin(d: &ash::Device, c: vk::CommandBuffer, p: &Pass, contents: vk::SubpassContents) {
    let extent = vk::Extent2D { width: p.size[0], height: p.size[1] };
    let area = vk::Rect2D { extent, ..Default::default() };
    let info = vk::RenderPassBeginInfo::default().render_pass(p.pass).framebuffer(p.frame).render_area(area);
    unsafe {
        d.cmd_begin_render_pass(c, &info.clear_values(&p.clears), contents);
        if contents == vk::SubpassContents::INLINE {
            d.cmd_set_viewport(c, 0, &[whole(p.size)]);
            d.cmd_set_scissor(c, 0, &[area]);
        }
    }
}

/// Begins a pass without viewport and scissor.
pub fn begin_alone(d: &ash::Device, c: vk::CommandBuffer, p: &Pass) {
    let extent = vk::Extent2D { width: p.size[0], height: p.size[1] };
    let area = vk::Rect2D { extent, ..Default::default() };
    let info = vk::RenderPassBeginInfo::default().render_pass(p.pass).framebuffer(p.frame).render_area(area);
    unsafe { d.cmd_begin_render_pass(c, &info.clear_values(&p.clears), vk::SubpassContents::INLINE) };
}

/// Records a pass.
pub fn draw(d: &ash::Device, c: vk::CommandBuffer, p: &Pass, body: impl FnOnce()) {
    begin(d, c, p, vk::SubpassContents::INLINE);
    body();
    unsafe { d.cmd_end_render_pass(c) };
    barrier(d, c);
}

/// Binds a pipeline of draws, and its set.
pub fn bind(
    d: &ash::Device,
    c: vk::CommandBuffer,
    (pipeline, layout): (vk::Pipeline, vk::PipelineLayout),
    set: Option<vk::DescriptorSet>,
) {
    let point = vk::PipelineBindPoint::GRAPHICS;
    unsafe {
        d.cmd_bind_pipeline(c, point, pipeline);
        if let Some(set) = set {
            d.cmd_bind_descriptor_sets(c, point, layout, 0, &[set], &[]);
        }
    }
}

/// A pipeline of draws with its layout and set.
#[derive(Clone, Copy)]
pub struct Made {
    pub pipeline: vk::Pipeline,
    pub layout: vk::PipelineLayout,
    pub set: Option<vk::DescriptorSet>,
}

/// Makes the pipeline for a pass, and the set of these resources.
pub fn made(gpu: &Gpu, p: &Pipe<'_>, binds: &[Bind], pass: &Pass) -> Made {
    let bound = (!binds.is_empty()).then(|| set(gpu, binds));
    let layout = layout(gpu, bound.map(|b| b.0), p.push);
    Made { pipeline: pipeline(gpu, p, layout, pass.pass), layout, set: bound.map(|b| b.1) }
}

impl Made {
    pub fn bind(&self, d: &ash::Device, c: vk::CommandBuffer) {
        bind(d, c, (self.pipeline, self.layout), self.set);
    }

    /// Binds it and draws vertices and instances.
    pub fn draw(&self, d: &ash::Device, c: vk::CommandBuffer, vertices: u32, instances: u32) {
        self.bind(d, c);
        unsafe { d.cmd_draw(c, vertices, instances, 0, 0) };
    }

    /// Push constants from byte 0 on.
    pub fn push(&self, d: &ash::Device, c: vk::CommandBuffer, list: &[f32]) {
        let bytes: Vec<u8> = list.iter().flat_map(|v| v.to_le_bytes()).collect();
        unsafe { d.cmd_push_constants(c, self.layout, vk::ShaderStageFlags::ALL, 0, &bytes) };
    }
}

/// The texels of a target behind what is recorded.
pub fn recorded(gpu: &Gpu, target: &Pic, record: impl FnOnce(&ash::Device, vk::CommandBuffer)) -> Vec<u32> {
    gpu.run(record).expect("it runs");
    texels(gpu, target)
}

/// The texels of a target behind one pass.
pub fn passed(gpu: &Gpu, target: &Pic, pass: &Pass, record: impl FnOnce(&ash::Device, vk::CommandBuffer)) -> Vec<u32> {
    recorded(gpu, target, |d, c| draw(d, c, pass, || record(d, c)))
}

/// Draws with one pipeline on a cleared target.
pub fn once(
    gpu: &Gpu,
    p: &Pipe<'_>,
    binds: &[Bind],
    clear: [f32; 4],
    record: impl FnOnce(&ash::Device, vk::CommandBuffer, &Made),
) -> Vec<u32> {
    let target = image(gpu, Of::default());
    let pass = pass(gpu, &[(target, clear)], None, None);
    let made = made(gpu, p, binds, &pass);
    passed(gpu, &target, &pass, |d, c| {
        made.bind(d, c);
        record(d, c, &made);
    })
}

/// A buffer of floats.
pub fn floats(gpu: &Gpu, list: &[f32]) -> Mapped {
    let b = gpu.buffer(list.len() * 4);
    b.write(&list.iter().map(|v| v.to_bits()).collect::<Vec<_>>());
    b
}

/// A buffer of words.
pub fn words(gpu: &Gpu, list: &[u32]) -> Mapped {
    let b = gpu.buffer(list.len() * 4);
    b.write(list);
    b
}
