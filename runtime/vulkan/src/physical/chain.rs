//! Structures that an application chains to questions about features and properties.

use ash::vk;
use gpucc_ir::{Refusal, Stage};

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

fn narrow(chip: Chip) -> bool {
    chip.has_all(Refusal::NarrowIntegers)
}

fn storage_8(chip: Chip) -> bool {
    narrow(chip) && chip.has_all(Refusal::Atomics)
}

features! { each_feature:
    PhysicalDevice16BitStorageFeatures {
        storage_buffer16_bit_access: storage_16,
        uniform_and_storage_buffer16_bit_access: storage_16,
        storage_push_constant16: halves,
        storage_input_output16: no,
    }
    PhysicalDevice8BitStorageFeatures {
        storage_buffer8_bit_access: storage_8,
        uniform_and_storage_buffer8_bit_access: storage_8,
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
        vulkan_memory_model: yes,
        vulkan_memory_model_device_scope: yes,
        vulkan_memory_model_availability_visibility_chains: no,
    }
    PhysicalDeviceZeroInitializeWorkgroupMemoryFeatures { shader_zero_initialize_workgroup_memory: yes }
    PhysicalDeviceImageRobustnessFeatures { robust_image_access: yes }
    PhysicalDeviceShaderTerminateInvocationFeatures { shader_terminate_invocation: yes }
    PhysicalDeviceShaderDemoteToHelperInvocationFeatures { shader_demote_to_helper_invocation: yes }
    PhysicalDeviceHostQueryResetFeatures { host_query_reset: yes }
    PhysicalDeviceDynamicRenderingFeatures { dynamic_rendering: yes }
    PhysicalDeviceSynchronization2Features { synchronization2: yes }
    PhysicalDeviceImagelessFramebufferFeatures { imageless_framebuffer: yes }
    PhysicalDeviceSeparateDepthStencilLayoutsFeatures { separate_depth_stencil_layouts: yes }
    PhysicalDeviceSubgroupSizeControlFeatures { subgroup_size_control: yes, compute_full_subgroups: yes }
    PhysicalDeviceMaintenance4Features { maintenance4: yes }
    PhysicalDeviceUniformBufferStandardLayoutFeatures { uniform_buffer_standard_layout: yes }
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
}
