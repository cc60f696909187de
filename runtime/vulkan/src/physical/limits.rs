//! Limits of a device.

use ash::vk;
use gpucc_ir::{Refusal, Stage};

use crate::settings::Chip;

/// Texels along an axis of one- and two-dimensional images.
pub const AXIS: u32 = 16_384;
/// Texels along an axis of a three-dimensional image.
pub const AXIS_3D: u32 = 2048;
/// Layers of an image.
pub const LAYERS: u32 = 2048;
/// Bytes of one image or buffer.
pub const RESOURCE: u64 = 1 << 31;
/// Bytes of immediate data.
pub const PUSH: u32 = 256;
/// Colour targets of a pass.
pub const TARGETS: u32 = 8;
/// Vertex buffers of a pipeline.
pub const VERTEX_BUFFERS: u32 = 16;
/// Viewports, where vertices choose among them.
pub const VIEWPORTS: u32 = 16;
/// Bytes to which offsets of buffers in bindings are aligned.
pub const BUFFER_OFFSET: u64 = 32;
/// Elements of a texel buffer.
pub const TEXELS: u32 = 1 << 24;

/// The sample counts that there are.
pub fn samples() -> vk::SampleCountFlags {
    vk::SampleCountFlags::TYPE_1 | vk::SampleCountFlags::TYPE_4
}

/// Components of the built-in values between the stages.
const BUILT_IN: u32 = 16;

/// Values between the stages, in components.
fn varyings(chip: Chip) -> u32 {
    // Chips count words, or vectors of four; some count the position among them, which Vulkan does not.
    let most = chip.most(Refusal::Varyings, 32) as u32;
    // Built-in values count too: position, point size, eight clip distances, layer and viewport.
    (most * 4).clamp(64, 112) + BUILT_IN
}

/// The descriptors of a type that a stage has at most.
pub fn of_a_type(chip: Chip, ty: vk::DescriptorType) -> u32 {
    use vk::DescriptorType as T;
    let own = limits(chip);
    match ty {
        T::SAMPLER => own.max_per_stage_descriptor_samplers,
        T::COMBINED_IMAGE_SAMPLER => {
            own.max_per_stage_descriptor_samplers.min(own.max_per_stage_descriptor_sampled_images)
        }
        T::SAMPLED_IMAGE | T::UNIFORM_TEXEL_BUFFER => own.max_per_stage_descriptor_sampled_images,
        T::STORAGE_IMAGE | T::STORAGE_TEXEL_BUFFER => own.max_per_stage_descriptor_storage_images,
        T::UNIFORM_BUFFER | T::UNIFORM_BUFFER_DYNAMIC => own.max_per_stage_descriptor_uniform_buffers,
        T::STORAGE_BUFFER | T::STORAGE_BUFFER_DYNAMIC => own.max_per_stage_descriptor_storage_buffers,
        T::INPUT_ATTACHMENT => own.max_per_stage_descriptor_input_attachments,
        _ => 0,
    }
}

/// The limits that a device on the chip states.
pub fn limits(chip: Chip) -> vk::PhysicalDeviceLimits {
    let one = vk::SampleCountFlags::TYPE_1;
    let units = chip.most(Refusal::TextureUnits, 128) as u32;
    let group = chip.most(Refusal::WorkgroupSize, 1024) as u32;
    let sets = (chip.most(Refusal::BindGroup, 31) as u32 + 1).min(32);
    let viewports = if chip.has(Stage::Vertex, Refusal::Viewports) { VIEWPORTS } else { 1 };
    let clip = if chip.whole(Stage::Vertex, Refusal::ClipDistances) { 8 } else { 0 };
    let cull = if chip.has(Stage::Vertex, Refusal::CullDistances) { 8 } else { 0 };
    let dual = u32::from(chip.has(Stage::Fragment, Refusal::DualSource));
    let storage = chip.most(Refusal::TooManyBuffers, 64) as u32;
    // Where buffers are few, storage images that are written are among them.
    let images = units.min(16).min(storage);
    vk::PhysicalDeviceLimits {
        max_image_dimension1_d: AXIS,
        max_image_dimension2_d: AXIS,
        max_image_dimension3_d: AXIS_3D,
        max_image_dimension_cube: AXIS,
        max_image_array_layers: LAYERS,
        max_texel_buffer_elements: TEXELS,
        max_uniform_buffer_range: 1 << 16,
        max_storage_buffer_range: 1 << 30,
        max_push_constants_size: PUSH,
        max_memory_allocation_count: 1 << 20,
        max_sampler_allocation_count: 1 << 20,
        buffer_image_granularity: 1,
        sparse_address_space_size: 0,
        max_bound_descriptor_sets: sets,
        max_per_stage_descriptor_samplers: units.min(64),
        max_per_stage_descriptor_uniform_buffers: 15.min(storage),
        max_per_stage_descriptor_storage_buffers: storage,
        max_per_stage_descriptor_sampled_images: units,
        max_per_stage_descriptor_storage_images: images,
        max_per_stage_descriptor_input_attachments: 8,
        max_per_stage_resources: 256,
        max_descriptor_set_samplers: 3 * units.min(64),
        max_descriptor_set_uniform_buffers: 90,
        max_descriptor_set_uniform_buffers_dynamic: 16,
        max_descriptor_set_storage_buffers: 3 * storage,
        max_descriptor_set_storage_buffers_dynamic: 16,
        max_descriptor_set_sampled_images: 3 * units,
        max_descriptor_set_storage_images: 3 * images,
        max_descriptor_set_input_attachments: 8,
        max_vertex_input_attributes: 30.min(if chip == Chip::Interp { 30 } else { 16 }),
        max_vertex_input_bindings: VERTEX_BUFFERS,
        max_vertex_input_attribute_offset: 2047,
        max_vertex_input_binding_stride: 2048,
        max_vertex_output_components: varyings(chip),
        max_fragment_input_components: varyings(chip),
        max_fragment_output_attachments: TARGETS,
        max_fragment_dual_src_attachments: dual,
        max_fragment_combined_output_resources: TARGETS + storage + images,
        max_compute_shared_memory_size: chip.most(Refusal::WorkgroupMemory, 64 << 10) as u32,
        max_compute_work_group_count: [65_535; 3],
        max_compute_work_group_invocations: group,
        max_compute_work_group_size: [group, group, group.min(64)],
        sub_pixel_precision_bits: 8,
        sub_texel_precision_bits: 8,
        mipmap_precision_bits: 8,
        max_draw_indexed_index_value: u32::MAX,
        max_draw_indirect_count: u32::MAX,
        max_sampler_lod_bias: 16.0,
        max_sampler_anisotropy: 1.0,
        max_viewports: viewports,
        max_viewport_dimensions: [AXIS; 2],
        viewport_bounds_range: [-2.0 * AXIS as f32, 2.0 * AXIS as f32 - 1.0],
        viewport_sub_pixel_bits: 0,
        min_memory_map_alignment: 64,
        min_texel_buffer_offset_alignment: 16,
        min_uniform_buffer_offset_alignment: BUFFER_OFFSET,
        min_storage_buffer_offset_alignment: BUFFER_OFFSET,
        min_texel_offset: -8,
        max_texel_offset: 7,
        min_texel_gather_offset: -8,
        max_texel_gather_offset: 7,
        min_interpolation_offset: -0.5,
        max_interpolation_offset: 0.4375,
        sub_pixel_interpolation_offset_bits: 4,
        max_framebuffer_width: AXIS,
        max_framebuffer_height: AXIS,
        max_framebuffer_layers: chip.most_layers().min(LAYERS),
        framebuffer_color_sample_counts: samples(),
        framebuffer_depth_sample_counts: samples(),
        framebuffer_stencil_sample_counts: samples(),
        framebuffer_no_attachments_sample_counts: samples(),
        max_color_attachments: TARGETS,
        sampled_image_color_sample_counts: samples(),
        sampled_image_integer_sample_counts: samples(),
        sampled_image_depth_sample_counts: samples(),
        sampled_image_stencil_sample_counts: samples(),
        storage_image_sample_counts: one,
        max_sample_mask_words: 1,
        timestamp_compute_and_graphics: vk::TRUE,
        timestamp_period: 1.0,
        max_clip_distances: clip,
        max_cull_distances: cull,
        max_combined_clip_and_cull_distances: clip.max(cull),
        discrete_queue_priorities: 2,
        point_size_range: [1.0, 64.0],
        line_width_range: [1.0, 1.0],
        // Valhall's sizes are halves.
        point_size_granularity: 1.0 / 32.0,
        line_width_granularity: 0.0,
        strict_lines: vk::TRUE,
        standard_sample_locations: vk::TRUE,
        optimal_buffer_copy_offset_alignment: 1,
        optimal_buffer_copy_row_pitch_alignment: 1,
        non_coherent_atom_size: 1,
        ..Default::default()
    }
}
