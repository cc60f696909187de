//! Structures that an application chains to questions about features and properties.

use ash::vk;
use gpucc_ir::{Refusal, Stage};
use gpucc_opt::FloatCaps;

use super::features::{halves, storage_16};
use super::limits;
use crate::settings::Chip;

/// Declares features: the structure, and of each field whether a chip has it. Fields that are not named are false.
macro_rules! features {
    ($each:ident: $($structure:ident { $($field:ident: $value:expr),* $(,)? })*) => {
        $(
            impl Feature for vk::$structure<'_> {
                fn fill(&mut self, chip: Chip) {
                    let _ = chip;
                    // Fields that are not named keep what a default has.
                    let own = vk::$structure { s_type: self.s_type, p_next: self.p_next, ..Default::default() };
                    *self = own;
                    $( self.$field = super::features::flag(($value)(chip)); )*
                }

                fn excess(&self, chip: Chip) -> Option<&'static str> {
                    let mut has = vk::$structure::default();
                    has.fill(chip);
                    $( if self.$field == vk::TRUE && has.$field == vk::FALSE { return Some(stringify!($field)); } )*
                    None
                }
            }
        )*
        /// Calls a macro with the names of all structures of features.
        macro_rules! $each { ($call:ident) => { $call! { $($structure)* } }; }
        pub(crate) use $each;
    };
}

/// A structure of features.
pub trait Feature {
    /// Writes what a chip has.
    fn fill(&mut self, chip: Chip);

    /// A feature that is asked for and that a chip does not have.
    fn excess(&self, chip: Chip) -> Option<&'static str>;
}

fn yes(_: Chip) -> bool {
    true
}

fn no(_: Chip) -> bool {
    false
}

/// The modes of floats that shaders may ask for.
fn float_controls(chip: Chip, out: &mut vk::PhysicalDeviceFloatControlsProperties<'_>) {
    use vk::ShaderFloatControlsIndependence as I;
    let (floats, halves) = chip.floats();
    // Halves that are computed as floats of 32 bits round as those do.
    let together = !halves && floats.f32.cuts;
    let of = |code, caps: FloatCaps| if chip.has_all(code) { caps } else { FloatCaps::default() };
    let (f16, f32, f64) = (of(Refusal::F16, floats.f16), floats.f32, of(Refusal::WideTypes, floats.f64));
    // Shaders that ask for it keep them everywhere, whatever the width.
    out.shader_signed_zero_inf_nan_preserve_float16 = chip.has_all(Refusal::F16).into();
    out.shader_signed_zero_inf_nan_preserve_float32 = vk::TRUE;
    out.shader_signed_zero_inf_nan_preserve_float64 = chip.has_all(Refusal::WideTypes).into();
    out.shader_denorm_preserve_float16 = f16.keeps.into();
    out.shader_denorm_preserve_float32 = f32.keeps.into();
    out.shader_denorm_preserve_float64 = f64.keeps.into();
    out.shader_denorm_flush_to_zero_float16 = f16.flushes.into();
    out.shader_denorm_flush_to_zero_float32 = f32.flushes.into();
    out.shader_denorm_flush_to_zero_float64 = f64.flushes.into();
    out.shader_rounding_mode_rte_float16 = chip.has_all(Refusal::F16).into();
    out.shader_rounding_mode_rte_float32 = vk::TRUE;
    out.shader_rounding_mode_rte_float64 = chip.has_all(Refusal::WideTypes).into();
    out.shader_rounding_mode_rtz_float16 = f16.cuts.into();
    out.shader_rounding_mode_rtz_float32 = f32.cuts.into();
    out.shader_rounding_mode_rtz_float64 = f64.cuts.into();
    let apart = if floats.alike { I::TYPE_32_ONLY } else { I::ALL };
    out.denorm_behavior_independence = apart;
    out.rounding_mode_independence = if together { I::NONE } else { apart };
}

fn narrow(chip: Chip) -> bool {
    chip.has_all(Refusal::NarrowIntegers)
}

fn layers(chip: Chip) -> bool {
    chip.has(Stage::Vertex, Refusal::Layers)
}

fn viewports(chip: Chip) -> bool {
    chip.has(Stage::Vertex, Refusal::Viewports)
}

fn addresses(chip: Chip) -> bool {
    chip.has_all(Refusal::PhysicalAddresses)
}

fn images(chip: Chip) -> bool {
    chip.has(Stage::Compute, Refusal::StorageTextures)
}

fn storage_8(chip: Chip) -> bool {
    narrow(chip) && chip.has_all(Refusal::Atomics)
}

features! { each_feature:
    PhysicalDevice16BitStorageFeatures {
        storage_buffer16_bit_access: storage_16, uniform_and_storage_buffer16_bit_access: storage_16,
        storage_push_constant16: halves, storage_input_output16: no,
    }
    PhysicalDevice8BitStorageFeatures {
        storage_buffer8_bit_access: storage_8, uniform_and_storage_buffer8_bit_access: storage_8,
        storage_push_constant8: narrow,
    }
    PhysicalDeviceShaderFloat16Int8Features { shader_float16: halves, shader_int8: narrow }
    PhysicalDeviceMultiviewFeatures { multiview: yes, multiview_geometry_shader: no, multiview_tessellation_shader: no }
    PhysicalDeviceVariablePointersFeatures { variable_pointers_storage_buffer: yes, variable_pointers: yes }
    PhysicalDeviceProtectedMemoryFeatures { protected_memory: no }
    PhysicalDeviceSamplerYcbcrConversionFeatures { sampler_ycbcr_conversion: no }
    PhysicalDeviceShaderDrawParametersFeatures { shader_draw_parameters: yes }
    PhysicalDeviceTimelineSemaphoreFeatures { timeline_semaphore: yes }
    PhysicalDeviceVulkanMemoryModelFeatures {
        vulkan_memory_model: yes, vulkan_memory_model_device_scope: yes,
        vulkan_memory_model_availability_visibility_chains: no,
    }
    PhysicalDeviceZeroInitializeWorkgroupMemoryFeatures { shader_zero_initialize_workgroup_memory: yes }
    PhysicalDeviceExtendedDynamicStateFeaturesEXT { extended_dynamic_state: yes }
    PhysicalDeviceExtendedDynamicState2FeaturesEXT {
        extended_dynamic_state2: yes, extended_dynamic_state2_logic_op: no,
        extended_dynamic_state2_patch_control_points: no,
    }
    PhysicalDeviceImageRobustnessFeatures { robust_image_access: yes }
    PhysicalDeviceShaderTerminateInvocationFeatures { shader_terminate_invocation: yes }
    PhysicalDeviceShaderDemoteToHelperInvocationFeatures { shader_demote_to_helper_invocation: yes }
    PhysicalDeviceInlineUniformBlockFeatures {
        inline_uniform_block: yes,
        descriptor_binding_inline_uniform_block_update_after_bind: no,
    }
    PhysicalDevicePipelineCreationCacheControlFeatures { pipeline_creation_cache_control: yes }
    PhysicalDeviceShaderIntegerDotProductFeatures { shader_integer_dot_product: yes }
    PhysicalDeviceTextureCompressionASTCHDRFeatures { texture_compression_astc_hdr: no }
    PhysicalDeviceTexelBufferAlignmentFeaturesEXT { texel_buffer_alignment: yes }
    PhysicalDeviceHostQueryResetFeatures { host_query_reset: yes }
    PhysicalDeviceDynamicRenderingFeatures { dynamic_rendering: yes }
    PhysicalDevicePrivateDataFeatures { private_data: yes }
    PhysicalDeviceSynchronization2Features { synchronization2: yes }
    PhysicalDeviceImagelessFramebufferFeatures { imageless_framebuffer: yes }
    PhysicalDeviceSeparateDepthStencilLayoutsFeatures { separate_depth_stencil_layouts: yes }
    PhysicalDeviceSubgroupSizeControlFeatures { subgroup_size_control: yes, compute_full_subgroups: yes }
    PhysicalDeviceMaintenance4Features { maintenance4: yes }
    PhysicalDeviceUniformBufferStandardLayoutFeatures { uniform_buffer_standard_layout: yes }
    PhysicalDeviceShaderSubgroupExtendedTypesFeatures { shader_subgroup_extended_types: yes }
    PhysicalDeviceShaderAtomicInt64Features { shader_buffer_int64_atomics: no, shader_shared_int64_atomics: no }
    PhysicalDeviceScalarBlockLayoutFeatures { scalar_block_layout: no }
    PhysicalDeviceBufferDeviceAddressFeatures {
        buffer_device_address: addresses, buffer_device_address_capture_replay: no,
        buffer_device_address_multi_device: no,
    }
    PhysicalDeviceDescriptorIndexingFeatures {
        shader_input_attachment_array_dynamic_indexing: no, shader_uniform_texel_buffer_array_dynamic_indexing: no,
        shader_storage_texel_buffer_array_dynamic_indexing: no, shader_uniform_buffer_array_non_uniform_indexing: yes,
        shader_sampled_image_array_non_uniform_indexing: yes, shader_storage_buffer_array_non_uniform_indexing: yes,
        shader_storage_image_array_non_uniform_indexing: images, shader_input_attachment_array_non_uniform_indexing: no,
        shader_uniform_texel_buffer_array_non_uniform_indexing: no,
        shader_storage_texel_buffer_array_non_uniform_indexing: no,
        descriptor_binding_uniform_buffer_update_after_bind: yes,
        descriptor_binding_sampled_image_update_after_bind: yes,
        descriptor_binding_storage_image_update_after_bind: images,
        descriptor_binding_storage_buffer_update_after_bind: yes,
        descriptor_binding_uniform_texel_buffer_update_after_bind: no,
        descriptor_binding_storage_texel_buffer_update_after_bind: no,
        descriptor_binding_update_unused_while_pending: yes, descriptor_binding_partially_bound: yes,
        descriptor_binding_variable_descriptor_count: yes, runtime_descriptor_array: yes,
    }
    PhysicalDeviceVulkan11Features {
        storage_buffer16_bit_access: storage_16, uniform_and_storage_buffer16_bit_access: storage_16,
        storage_push_constant16: halves, storage_input_output16: no, multiview: yes, multiview_geometry_shader: no,
        multiview_tessellation_shader: no, variable_pointers_storage_buffer: yes, variable_pointers: yes,
        protected_memory: no, sampler_ycbcr_conversion: no, shader_draw_parameters: yes,
    }
    PhysicalDeviceVulkan12Features {
        sampler_mirror_clamp_to_edge: no, draw_indirect_count: yes, storage_buffer8_bit_access: storage_8,
        uniform_and_storage_buffer8_bit_access: storage_8, storage_push_constant8: narrow,
        shader_buffer_int64_atomics: no, shader_shared_int64_atomics: no, shader_float16: halves, shader_int8: narrow,
        descriptor_indexing: no, shader_input_attachment_array_dynamic_indexing: no,
        shader_uniform_texel_buffer_array_dynamic_indexing: no, shader_storage_texel_buffer_array_dynamic_indexing: no,
        shader_uniform_buffer_array_non_uniform_indexing: yes, shader_sampled_image_array_non_uniform_indexing: yes,
        shader_storage_buffer_array_non_uniform_indexing: yes, shader_storage_image_array_non_uniform_indexing: images,
        shader_input_attachment_array_non_uniform_indexing: no,
        shader_uniform_texel_buffer_array_non_uniform_indexing: no,
        shader_storage_texel_buffer_array_non_uniform_indexing: no,
        descriptor_binding_uniform_buffer_update_after_bind: yes,
        descriptor_binding_sampled_image_update_after_bind: yes,
        descriptor_binding_storage_image_update_after_bind: images,
        descriptor_binding_storage_buffer_update_after_bind: yes,
        descriptor_binding_uniform_texel_buffer_update_after_bind: no,
        descriptor_binding_storage_texel_buffer_update_after_bind: no,
        descriptor_binding_update_unused_while_pending: yes, descriptor_binding_partially_bound: yes,
        descriptor_binding_variable_descriptor_count: yes, runtime_descriptor_array: yes, sampler_filter_minmax: no,
        scalar_block_layout: no, imageless_framebuffer: yes, uniform_buffer_standard_layout: yes,
        shader_subgroup_extended_types: yes, separate_depth_stencil_layouts: yes, host_query_reset: yes,
        timeline_semaphore: yes, buffer_device_address: addresses, buffer_device_address_capture_replay: no,
        buffer_device_address_multi_device: no, vulkan_memory_model: yes, vulkan_memory_model_device_scope: yes,
        vulkan_memory_model_availability_visibility_chains: no, shader_output_viewport_index: viewports,
        shader_output_layer: layers, subgroup_broadcast_dynamic_id: yes,
    }
    PhysicalDeviceVulkan13Features {
        robust_image_access: yes, inline_uniform_block: yes,
        descriptor_binding_inline_uniform_block_update_after_bind: no, pipeline_creation_cache_control: yes,
        private_data: yes, shader_demote_to_helper_invocation: yes, shader_terminate_invocation: yes,
        subgroup_size_control: yes, compute_full_subgroups: yes, synchronization2: yes,
        texture_compression_astc_hdr: no, shader_zero_initialize_workgroup_memory: yes, dynamic_rendering: yes,
        shader_integer_dot_product: yes, maintenance4: yes,
    }
}

/// Fills fields that structures share by name.
macro_rules! fields {
    ($chip:expr, $out:expr, $structure:ident: $($field:ident)*) => {
        let mut own = vk::$structure::default();
        own.fill($chip);
        $( $out.$field = own.$field; )*
    };
}

/// Declares how structures of properties are filled.
macro_rules! properties {
    ($each:ident: $($structure:ident |$chip:ident, $out:ident| $body:block)*) => {
        $(
            impl Property for vk::$structure<'_> {
                fn fill(&mut self, $chip: Chip) {
                    let $out = self;
                    let _ = $chip;
                    $body
                }
            }
        )*
        /// Calls a macro with the names of all structures of properties.
        macro_rules! $each { ($call:ident) => { $call! { $($structure)* } }; }
        pub(crate) use $each;
    };
}

/// A structure of properties.
pub trait Property {
    /// Writes what a chip has.
    fn fill(&mut self, chip: Chip);
}

properties! { each_property:
    PhysicalDeviceIDProperties |chip, out| {
        out.device_uuid = chip.uuid();
        out.driver_uuid = *b"gpucc-vulkan-0.1";
        out.device_luid = [0; vk::LUID_SIZE];
        (out.device_node_mask, out.device_luid_valid) = (0, vk::FALSE);
    }
    PhysicalDeviceMaintenance3Properties |chip, out| {
        (out.max_per_set_descriptors, out.max_memory_allocation_size) = (1024, limits::RESOURCE);
    }
    PhysicalDeviceSubgroupSizeControlProperties |chip, out| {
        // A chip has subgroups of one size.
        let lanes = chip.subgroup();
        (out.min_subgroup_size, out.max_subgroup_size) = (lanes, lanes);
        out.max_compute_workgroup_subgroups = limits::limits(chip).max_compute_work_group_invocations / lanes;
        out.required_subgroup_size_stages = vk::ShaderStageFlags::COMPUTE;
    }
    PhysicalDeviceMaintenance4Properties |chip, out| {
        out.max_buffer_size = limits::RESOURCE;
    }
    PhysicalDeviceInlineUniformBlockProperties |chip, out| {
        out.max_inline_uniform_block_size = 4096;
        let most = limits::limits(chip).max_per_stage_descriptor_uniform_buffers;
        out.max_per_stage_descriptor_inline_uniform_blocks = most;
        out.max_per_stage_descriptor_update_after_bind_inline_uniform_blocks = most;
        out.max_descriptor_set_inline_uniform_blocks = most;
        out.max_descriptor_set_update_after_bind_inline_uniform_blocks = most;
    }
    PhysicalDeviceShaderIntegerDotProductProperties |chip, out| {
        // Products are made of other instructions.
        *out = vk::PhysicalDeviceShaderIntegerDotProductProperties { s_type: out.s_type, p_next: out.p_next, ..Default::default() };
    }
    PhysicalDeviceTexelBufferAlignmentProperties |chip, out| {
        let least = limits::limits(chip).min_texel_buffer_offset_alignment;
        out.storage_texel_buffer_offset_alignment_bytes = least;
        out.uniform_texel_buffer_offset_alignment_bytes = least;
        (out.storage_texel_buffer_offset_single_texel_alignment, out.uniform_texel_buffer_offset_single_texel_alignment) =
            (vk::FALSE, vk::FALSE);
    }
    PhysicalDeviceSubgroupProperties |chip, out| {
        use vk::SubgroupFeatureFlags as F;
        let all = F::BASIC | F::VOTE | F::ARITHMETIC | F::BALLOT | F::SHUFFLE | F::SHUFFLE_RELATIVE | F::CLUSTERED | F::QUAD;
        let has = chip.has(Stage::Compute, Refusal::Subgroups) && chip.has(Stage::Compute, Refusal::SubgroupLanes);
        out.subgroup_size = chip.subgroup();
        let drawn = |s| chip.has(s, Refusal::Subgroups) && chip.has(s, Refusal::SubgroupLanes);
        out.supported_stages = vk::ShaderStageFlags::COMPUTE;
        for (stage, flag) in
            [(Stage::Vertex, vk::ShaderStageFlags::VERTEX), (Stage::Fragment, vk::ShaderStageFlags::FRAGMENT)]
        {
            if drawn(stage) {
                out.supported_stages |= flag;
            }
        }
        out.supported_operations = if has { all } else { F::BASIC };
        out.quad_operations_in_all_stages = vk::FALSE;
    }
    PhysicalDevicePointClippingProperties |chip, out| {
        out.point_clipping_behavior = vk::PointClippingBehavior::ALL_CLIP_PLANES;
    }
    PhysicalDeviceMultiviewProperties |chip, out| {
        (out.max_multiview_view_count, out.max_multiview_instance_index) = (6, u32::MAX);
    }
    PhysicalDeviceDepthStencilResolveProperties |chip, out| {
        let zero = vk::ResolveModeFlags::SAMPLE_ZERO;
        (out.supported_depth_resolve_modes, out.supported_stencil_resolve_modes) = (zero, zero);
        (out.independent_resolve_none, out.independent_resolve) = (vk::FALSE, vk::FALSE);
    }
    PhysicalDeviceProtectedMemoryProperties |chip, out| {
        out.protected_no_fault = vk::FALSE;
    }
    PhysicalDeviceTimelineSemaphoreProperties |chip, out| {
        out.max_timeline_semaphore_value_difference = u64::MAX / 2;
    }
    PhysicalDeviceDriverProperties |chip, out| {
        // Nobody ran the conformance tests, and no number of a driver is reserved for this one.
        (out.driver_id, out.conformance_version) = (vk::DriverId::from_raw(0), vk::ConformanceVersion::default());
        out.driver_name = super::text("gpucc");
        out.driver_info = super::text(env!("CARGO_PKG_VERSION"));
    }
    PhysicalDeviceFloatControlsProperties |chip, out| {
        let own = vk::PhysicalDeviceFloatControlsProperties::default();
        *out = vk::PhysicalDeviceFloatControlsProperties { s_type: out.s_type, p_next: out.p_next, ..own };
        float_controls(chip, out);
    }
    PhysicalDeviceSamplerFilterMinmaxProperties |chip, out| {
        out.filter_minmax_single_component_formats = vk::FALSE;
        out.filter_minmax_image_component_mapping = vk::FALSE;
    }
    PhysicalDeviceDescriptorIndexingProperties |chip, out| {
        // The limits count all descriptors, whenever they are written.
        let own = limits::limits(chip);
        out.max_update_after_bind_descriptors_in_all_pools = 1 << 20;
        out.max_per_stage_descriptor_update_after_bind_samplers = own.max_per_stage_descriptor_samplers;
        out.max_per_stage_descriptor_update_after_bind_uniform_buffers = own.max_per_stage_descriptor_uniform_buffers;
        out.max_per_stage_descriptor_update_after_bind_storage_buffers = own.max_per_stage_descriptor_storage_buffers;
        out.max_per_stage_descriptor_update_after_bind_sampled_images = own.max_per_stage_descriptor_sampled_images;
        out.max_per_stage_descriptor_update_after_bind_storage_images = own.max_per_stage_descriptor_storage_images;
        out.max_per_stage_descriptor_update_after_bind_input_attachments = own.max_per_stage_descriptor_input_attachments;
        out.max_per_stage_update_after_bind_resources = own.max_per_stage_resources;
        out.max_descriptor_set_update_after_bind_samplers = own.max_descriptor_set_samplers;
        out.max_descriptor_set_update_after_bind_uniform_buffers = own.max_descriptor_set_uniform_buffers;
        out.max_descriptor_set_update_after_bind_uniform_buffers_dynamic = own.max_descriptor_set_uniform_buffers_dynamic;
        out.max_descriptor_set_update_after_bind_storage_buffers = own.max_descriptor_set_storage_buffers;
        out.max_descriptor_set_update_after_bind_storage_buffers_dynamic = own.max_descriptor_set_storage_buffers_dynamic;
        out.max_descriptor_set_update_after_bind_sampled_images = own.max_descriptor_set_sampled_images;
        out.max_descriptor_set_update_after_bind_storage_images = own.max_descriptor_set_storage_images;
        out.max_descriptor_set_update_after_bind_input_attachments = own.max_descriptor_set_input_attachments;
        out.quad_divergent_implicit_lod = vk::FALSE;
        out.robust_buffer_access_update_after_bind = vk::TRUE;
        for native in [
            &mut out.shader_uniform_buffer_array_non_uniform_indexing_native,
            &mut out.shader_sampled_image_array_non_uniform_indexing_native,
            &mut out.shader_storage_buffer_array_non_uniform_indexing_native,
            &mut out.shader_storage_image_array_non_uniform_indexing_native,
            &mut out.shader_input_attachment_array_non_uniform_indexing_native,
        ] {
            *native = vk::FALSE;
        }
    }
    PhysicalDeviceVulkan11Properties |chip, out| {
        fields!(chip, out, PhysicalDeviceIDProperties: device_uuid driver_uuid device_luid device_node_mask device_luid_valid);
        fields!(chip, out, PhysicalDevicePointClippingProperties: point_clipping_behavior);
        fields!(chip, out, PhysicalDeviceMultiviewProperties: max_multiview_view_count max_multiview_instance_index);
        fields!(chip, out, PhysicalDeviceProtectedMemoryProperties: protected_no_fault);
        fields!(chip, out, PhysicalDeviceMaintenance3Properties: max_per_set_descriptors max_memory_allocation_size);
        let mut groups = vk::PhysicalDeviceSubgroupProperties::default();
        groups.fill(chip);
        (out.subgroup_size, out.subgroup_supported_stages) = (groups.subgroup_size, groups.supported_stages);
        out.subgroup_supported_operations = groups.supported_operations;
        out.subgroup_quad_operations_in_all_stages = groups.quad_operations_in_all_stages;
    }
    PhysicalDeviceVulkan12Properties |chip, out| {
        let own = vk::PhysicalDeviceVulkan12Properties { s_type: out.s_type, p_next: out.p_next, ..Default::default() };
        *out = own;
        fields!(chip, out, PhysicalDeviceDriverProperties: driver_id driver_name driver_info conformance_version);
        fields!(
            chip, out, PhysicalDeviceFloatControlsProperties: denorm_behavior_independence rounding_mode_independence
                shader_signed_zero_inf_nan_preserve_float16 shader_signed_zero_inf_nan_preserve_float32
                shader_signed_zero_inf_nan_preserve_float64
                shader_denorm_preserve_float16 shader_denorm_preserve_float32 shader_denorm_preserve_float64
                shader_denorm_flush_to_zero_float16 shader_denorm_flush_to_zero_float32 shader_denorm_flush_to_zero_float64
                shader_rounding_mode_rte_float16 shader_rounding_mode_rte_float32 shader_rounding_mode_rte_float64
                shader_rounding_mode_rtz_float16 shader_rounding_mode_rtz_float32 shader_rounding_mode_rtz_float64
        );
        fields!(
            chip, out, PhysicalDeviceDepthStencilResolveProperties: supported_depth_resolve_modes
                supported_stencil_resolve_modes independent_resolve_none independent_resolve
        );
        fields!(chip, out, PhysicalDeviceTimelineSemaphoreProperties: max_timeline_semaphore_value_difference);
        fields!(
            chip, out, PhysicalDeviceDescriptorIndexingProperties:
                max_update_after_bind_descriptors_in_all_pools
                max_per_stage_descriptor_update_after_bind_samplers
                max_per_stage_descriptor_update_after_bind_uniform_buffers
                max_per_stage_descriptor_update_after_bind_storage_buffers
                max_per_stage_descriptor_update_after_bind_sampled_images
                max_per_stage_descriptor_update_after_bind_storage_images
                max_per_stage_descriptor_update_after_bind_input_attachments
                max_per_stage_update_after_bind_resources
                max_descriptor_set_update_after_bind_samplers
                max_descriptor_set_update_after_bind_uniform_buffers
                max_descriptor_set_update_after_bind_uniform_buffers_dynamic
                max_descriptor_set_update_after_bind_storage_buffers
                max_descriptor_set_update_after_bind_storage_buffers_dynamic
                max_descriptor_set_update_after_bind_sampled_images
                max_descriptor_set_update_after_bind_storage_images
                max_descriptor_set_update_after_bind_input_attachments
        );
        out.framebuffer_integer_color_sample_counts = limits::samples();
    }    PhysicalDeviceVulkan13Properties |chip, out| {
        let own = vk::PhysicalDeviceVulkan13Properties { s_type: out.s_type, p_next: out.p_next, ..Default::default() };
        *out = own;
        fields!(
            chip, out, PhysicalDeviceSubgroupSizeControlProperties: min_subgroup_size max_subgroup_size
                max_compute_workgroup_subgroups required_subgroup_size_stages
        );
        fields!(
            chip, out, PhysicalDeviceInlineUniformBlockProperties: max_inline_uniform_block_size
                max_per_stage_descriptor_inline_uniform_blocks max_descriptor_set_inline_uniform_blocks
                max_per_stage_descriptor_update_after_bind_inline_uniform_blocks
                max_descriptor_set_update_after_bind_inline_uniform_blocks
        );
        out.max_inline_uniform_total_size = out.max_inline_uniform_block_size * out.max_descriptor_set_inline_uniform_blocks;
        fields!(
            chip, out, PhysicalDeviceTexelBufferAlignmentProperties: storage_texel_buffer_offset_alignment_bytes
                uniform_texel_buffer_offset_alignment_bytes
        );
        fields!(chip, out, PhysicalDeviceMaintenance4Properties: max_buffer_size);
    }
}
