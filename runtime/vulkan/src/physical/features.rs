//! Features of a device.

use ash::vk;
use gpucc_ir::{Refusal, Stage};
use gpucc_pipeline::{Blend, BlendComponent, BlendFactor, Format, Pipeline, Target};

use crate::settings::Chip;

/// Vulkan's word for a truth.
pub fn flag(yes: bool) -> vk::Bool32 {
    if yes { vk::TRUE } else { vk::FALSE }
}

/// Whether targets of one pipeline may differ in blending and in what is written.
fn independent_blend(chip: Chip) -> bool {
    let Chip::Target(t) = chip else { return true };
    let add = BlendComponent { src: BlendFactor::One, dst: BlendFactor::One, ..BlendComponent::default() };
    let first = Target { blend: Some(Blend { color: add, alpha: add }), ..Target::new(Format::Rgba8Unorm) };
    let targets = vec![Some(first), Some(Target { write: 7, ..Target::new(Format::Rgba8Unorm) })];
    t.caps(Stage::Fragment).io.per_target.has(&Pipeline { targets, ..Pipeline::default() })
}

/// Features of Vulkan 1.0 that are asked for and that a device does not have, by their names.
pub fn lacking(asked: &vk::PhysicalDeviceFeatures, has: &vk::PhysicalDeviceFeatures) -> Vec<String> {
    macro_rules! each {
        ($($field:ident)*) => { [$((asked.$field == vk::TRUE && has.$field == vk::FALSE, stringify!($field))),*] };
    }
    let all = each! {
        robust_buffer_access full_draw_index_uint32 image_cube_array independent_blend geometry_shader tessellation_shader
        sample_rate_shading dual_src_blend logic_op multi_draw_indirect draw_indirect_first_instance depth_clamp depth_bias_clamp
        fill_mode_non_solid depth_bounds wide_lines large_points alpha_to_one multi_viewport sampler_anisotropy
        texture_compression_etc2 texture_compression_astc_ldr texture_compression_bc occlusion_query_precise
        pipeline_statistics_query vertex_pipeline_stores_and_atomics fragment_stores_and_atomics
        shader_tessellation_and_geometry_point_size shader_image_gather_extended shader_storage_image_extended_formats
        shader_storage_image_multisample shader_storage_image_read_without_format shader_storage_image_write_without_format
        shader_uniform_buffer_array_dynamic_indexing shader_sampled_image_array_dynamic_indexing
        shader_storage_buffer_array_dynamic_indexing shader_storage_image_array_dynamic_indexing shader_clip_distance
        shader_cull_distance shader_float64 shader_int64 shader_int16 shader_resource_residency shader_resource_min_lod
        sparse_binding sparse_residency_buffer sparse_residency_image2_d sparse_residency_image3_d sparse_residency2_samples
        sparse_residency4_samples sparse_residency8_samples sparse_residency16_samples sparse_residency_aliased
        variable_multisample_rate inherited_queries
    };
    all.iter().filter(|f| f.0).map(|f| camel(f.1)).collect()
}

/// Vulkan's spelling of the name of a field.
pub fn camel(name: &str) -> String {
    let mut out = String::new();
    let mut up = false;
    for c in name.chars() {
        match c {
            '_' => up = true,
            c => {
                out.push(if up { c.to_ascii_uppercase() } else { c });
                up = false;
            }
        }
    }
    out
}

/// The features of Vulkan 1.0.
pub fn features(chip: Chip) -> vk::PhysicalDeviceFeatures {
    let fragment = |code| flag(chip.has(Stage::Fragment, code));
    let vertex = chip.has(Stage::Vertex, Refusal::StorageBuffers) && chip.has(Stage::Vertex, Refusal::Atomics);
    let stores = chip.has(Stage::Fragment, Refusal::StorageBuffers) && chip.has(Stage::Fragment, Refusal::Atomics);
    // Pipelines are compiled before images are bound.
    let unsaid = [Stage::Compute, Stage::Fragment].iter().all(|&s| chip.has(s, Refusal::StorageFormats));
    vk::PhysicalDeviceFeatures {
        robust_buffer_access: vk::TRUE,
        full_draw_index_uint32: vk::TRUE,
        image_cube_array: fragment(Refusal::CubeArrays),
        independent_blend: flag(independent_blend(chip)),
        sample_rate_shading: fragment(Refusal::SampleShading),
        dual_src_blend: fragment(Refusal::DualSource),
        texture_compression_bc: vk::TRUE,
        texture_compression_etc2: vk::TRUE,
        texture_compression_astc_ldr: vk::TRUE,
        multi_draw_indirect: vk::TRUE,
        draw_indirect_first_instance: vk::TRUE,
        depth_clamp: vk::TRUE,
        depth_bias_clamp: vk::TRUE,
        large_points: vk::TRUE,
        multi_viewport: flag(chip.has(Stage::Vertex, Refusal::Viewports)),
        occlusion_query_precise: vk::TRUE,
        pipeline_statistics_query: vk::TRUE,
        vertex_pipeline_stores_and_atomics: flag(vertex),
        fragment_stores_and_atomics: flag(stores),
        shader_storage_image_extended_formats: fragment(Refusal::StorageTextures),
        shader_storage_image_read_without_format: flag(unsaid),
        shader_storage_image_write_without_format: flag(unsaid),
        shader_uniform_buffer_array_dynamic_indexing: vk::TRUE,
        shader_sampled_image_array_dynamic_indexing: vk::TRUE,
        shader_storage_buffer_array_dynamic_indexing: vk::TRUE,
        shader_storage_image_array_dynamic_indexing: vk::TRUE,
        shader_clip_distance: flag(chip.whole(Stage::Vertex, Refusal::ClipDistances)),
        shader_cull_distance: flag(chip.has(Stage::Vertex, Refusal::CullDistances)),
        shader_float64: flag(chip.has_all(Refusal::WideTypes)),
        shader_int64: vk::TRUE,
        inherited_queries: vk::TRUE,
        shader_int16: flag(chip.has_all(Refusal::NarrowIntegers)),
        ..Default::default()
    }
}

/// Whether buffers hold numbers of 16 bits: their stores are atomics on chips that have no narrower store.
pub fn storage_16(chip: Chip) -> bool {
    chip.has_all(Refusal::F16) && chip.has_all(Refusal::NarrowIntegers) && chip.has_all(Refusal::Atomics)
}

/// Whether halves are computed with.
pub fn halves(chip: Chip) -> bool {
    chip.has_all(Refusal::F16)
}
