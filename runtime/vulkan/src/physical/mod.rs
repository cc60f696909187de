//! What a physical device says of itself. Everything is the chip's and its compiler's: from the list of refusals, the facts of the passes and
//! the table of formats.

pub mod chain;
pub mod features;
pub mod formats;
pub mod limits;

use std::ffi::CStr;

use ash::vk;
use gpucc_ir::{Refusal, Stage, Unsupported};
use gpucc_opt::AllFloatCaps;

use crate::settings::Chip;

/// The version of Vulkan that the instance has, and the newest that devices have.
pub const VERSION: u32 = vk::API_VERSION_1_3;

/// Engines that leave out devices which name no version of a conformance test. Vulkan 1.2 has a place for it, and nobody ran one: such an
/// engine gets devices of Vulkan 1.1, with the rest as extensions.
const STRICT: [&str; 1] = ["wgpu-hal"];

/// The version of a device of an application: the one that the settings name, or what its engine takes, if the chip has it.
pub fn version(chip: Chip, wanted: Option<u32>, engine: &str) -> u32 {
    let version = wanted.unwrap_or(if STRICT.contains(&engine) { vk::API_VERSION_1_1 } else { VERSION });
    version.min(chip.newest())
}

/// Extensions of the instance.
pub const INSTANCE_EXTENSIONS: &[(&CStr, u32)] = &[
    (c"VK_KHR_get_physical_device_properties2", 2),
    (c"VK_KHR_external_memory_capabilities", 1),
    (c"VK_KHR_external_semaphore_capabilities", 1),
    (c"VK_KHR_external_fence_capabilities", 1),
    (c"VK_KHR_device_group_creation", 1),
    (c"VK_EXT_debug_utils", 2),
    (c"VK_KHR_surface", 25),
    (c"VK_EXT_headless_surface", 1),
    (c"VK_KHR_get_surface_capabilities2", 1),
];

/// Extensions of a device.
pub const DEVICE_EXTENSIONS: &[(&CStr, u32)] = &[
    (c"VK_EXT_extended_dynamic_state", 1),
    (c"VK_EXT_extended_dynamic_state2", 1),
    (c"VK_EXT_host_query_reset", 1),
    (c"VK_EXT_image_robustness", 1),
    (c"VK_EXT_inline_uniform_block", 1),
    (c"VK_EXT_pipeline_creation_cache_control", 3),
    (c"VK_EXT_pipeline_creation_feedback", 1),
    (c"VK_EXT_private_data", 1),
    (c"VK_EXT_shader_demote_to_helper_invocation", 1),
    (c"VK_EXT_subgroup_size_control", 2),
    (c"VK_EXT_texel_buffer_alignment", 1),
    (c"VK_EXT_tooling_info", 1),
    (c"VK_KHR_16bit_storage", 1),
    (c"VK_KHR_8bit_storage", 1),
    (c"VK_KHR_bind_memory2", 1),
    (c"VK_KHR_copy_commands2", 1),
    (c"VK_KHR_create_renderpass2", 1),
    (c"VK_KHR_dedicated_allocation", 3),
    (c"VK_KHR_depth_stencil_resolve", 1),
    (c"VK_KHR_descriptor_update_template", 1),
    (c"VK_KHR_device_group", 4),
    (c"VK_KHR_draw_indirect_count", 1),
    (c"VK_KHR_dynamic_rendering", 1),
    (c"VK_KHR_external_fence", 1),
    (c"VK_KHR_external_memory", 1),
    (c"VK_KHR_external_semaphore", 1),
    (c"VK_KHR_format_feature_flags2", 2),
    (c"VK_KHR_get_memory_requirements2", 1),
    (c"VK_KHR_image_format_list", 1),
    (c"VK_KHR_imageless_framebuffer", 1),
    (c"VK_KHR_maintenance1", 2),
    (c"VK_KHR_maintenance2", 1),
    (c"VK_KHR_maintenance3", 1),
    (c"VK_KHR_maintenance4", 2),
    (c"VK_KHR_multiview", 1),
    (c"VK_KHR_relaxed_block_layout", 1),
    (c"VK_KHR_separate_depth_stencil_layouts", 1),
    (c"VK_KHR_shader_draw_parameters", 1),
    (c"VK_KHR_shader_float16_int8", 1),
    (c"VK_KHR_shader_integer_dot_product", 1),
    (c"VK_KHR_shader_terminate_invocation", 1),
    (c"VK_KHR_storage_buffer_storage_class", 1),
    (c"VK_KHR_swapchain", 70),
    (c"VK_KHR_swapchain_mutable_format", 1),
    (c"VK_KHR_synchronization2", 1),
    (c"VK_KHR_timeline_semaphore", 2),
    (c"VK_KHR_uniform_buffer_standard_layout", 1),
    (c"VK_KHR_variable_pointers", 1),
    (c"VK_KHR_vulkan_memory_model", 3),
    (c"VK_KHR_zero_initialize_workgroup_memory", 1),
];

/// A physical device of an instance.
#[derive(Clone, Copy, Debug)]
pub struct Physical {
    /// The interpreter or machine on which it runs.
    pub chip: Chip,
    /// The instance, by its handle.
    pub instance: u64,
    /// The version of Vulkan.
    pub version: u32,
}

impl Chip {
    /// The chip's answer about a code in entry points of a stage.
    fn answer(self, stage: Stage, code: Refusal) -> Option<&'static Unsupported> {
        let Chip::Target(t) = self else { return None };
        let list = t.backend().unsupported();
        let own = |c: Refusal| Unsupported::find_in(list, t.generation(), stage, c);
        own(code).or_else(|| code.whole().and_then(own))
    }

    /// Whether programs of a stage can have something, whatever the amount.
    pub fn has(self, stage: Stage, code: Refusal) -> bool {
        code.everywhere().is_none() && self.answer(stage, code).is_none_or(|a| a.most.is_some())
    }

    /// Whether programs of every stage can.
    pub fn has_all(self, code: Refusal) -> bool {
        Stage::ALL.iter().all(|&s| self.has(s, code))
    }

    /// Whether every generation-independent and partial refusal is absent too: nothing of the code is refused in a stage.
    pub fn whole(self, stage: Stage, code: Refusal) -> bool {
        code.everywhere().is_none() && self.answer(stage, code).is_none()
    }

    /// The most that there may be of something, at most `all`.
    pub fn most(self, code: Refusal, all: u64) -> u64 {
        let most = Stage::ALL.iter().filter_map(|&s| self.answer(s, code)?.most).min();
        most.map_or(all, |m| m.min(all))
    }

    /// How many layers of a framebuffer vertices can choose among; 1 if they do not choose.
    pub fn most_layers(self) -> u32 {
        match self {
            Chip::Interp => u32::MAX,
            Chip::Target(t) => t.caps(Stage::Vertex).io.most_layers,
        }
    }

    /// What arithmetic on floats can be made to do, and whether halves are computed as such.
    pub fn floats(self) -> (AllFloatCaps, bool) {
        match self {
            Chip::Interp => (AllFloatCaps::FULL, true),
            Chip::Target(t) => {
                let caps = t.caps(Stage::Compute);
                (caps.floats, caps.halves)
            }
        }
    }

    /// The newest version of Vulkan whose features it has. 1.3 asks for buffers by their addresses, which have 64 bits.
    pub fn newest(self) -> u32 {
        if self.has_all(Refusal::PhysicalAddresses) { VERSION } else { vk::API_VERSION_1_2 }
    }

    /// Lanes of a subgroup.
    pub fn subgroup(self) -> u32 {
        match self {
            Chip::Interp => 32,
            Chip::Target(t) => t.caps(Stage::Compute).subgroup.max(1),
        }
    }

    /// A number that tells devices apart: the place of the family and generation.
    fn number(self) -> u32 {
        let Chip::Target(t) = self else { return 1 };
        let family = gpucc::backends().iter().position(|b| b.family() == t.family()).unwrap_or(0) as u32;
        0x100 * (family + 1) + t.generation_index() as u32
    }

    /// Sixteen bytes that name the chip and this version of the driver.
    pub fn uuid(self) -> [u8; 16] {
        let mut out = *b"gpucc-vulkan\0\0\0\0";
        out[12..].copy_from_slice(&self.number().to_le_bytes());
        out
    }
}

/// Mesa's number of vendors of software devices, which Vulkan reserves for drivers without one of their own.
const VENDOR: u32 = 0x1_0005;

/// A text in an array of Vulkan's, cut if it is too long.
pub fn text<const N: usize>(s: &str) -> [std::ffi::c_char; N] {
    let mut out = [0; N];
    for (o, b) in out[..N - 1].iter_mut().zip(s.bytes()) {
        *o = b as std::ffi::c_char;
    }
    out
}

/// The properties of a device with a version of Vulkan.
pub fn properties(chip: Chip, version: u32) -> vk::PhysicalDeviceProperties {
    vk::PhysicalDeviceProperties {
        api_version: version,
        driver_version: vk::make_api_version(0, 0, 1, 0),
        vendor_id: VENDOR,
        device_id: chip.number(),
        device_type: vk::PhysicalDeviceType::CPU,
        device_name: text(&format!("gpucc {chip}")),
        pipeline_cache_uuid: chip.uuid(),
        limits: limits::limits(chip),
        sparse_properties: vk::PhysicalDeviceSparseProperties::default(),
    }
}

/// The only family of queues, which has one.
pub fn queue_family() -> vk::QueueFamilyProperties {
    vk::QueueFamilyProperties {
        queue_flags: vk::QueueFlags::GRAPHICS | vk::QueueFlags::COMPUTE | vk::QueueFlags::TRANSFER,
        queue_count: 1,
        timestamp_valid_bits: 64,
        min_image_transfer_granularity: vk::Extent3D { width: 1, height: 1, depth: 1 },
    }
}

/// Bytes of the heap.
pub const HEAP: u64 = 4 << 30;

/// One heap, and one type of memory that everything may lie in.
pub fn memory() -> vk::PhysicalDeviceMemoryProperties {
    let mut m = vk::PhysicalDeviceMemoryProperties { memory_type_count: 1, memory_heap_count: 1, ..Default::default() };
    use vk::MemoryPropertyFlags as F;
    let property_flags = F::DEVICE_LOCAL | F::HOST_VISIBLE | F::HOST_COHERENT | F::HOST_CACHED;
    m.memory_types[0] = vk::MemoryType { property_flags, heap_index: 0 };
    m.memory_heaps[0] = vk::MemoryHeap { size: HEAP, flags: vk::MemoryHeapFlags::DEVICE_LOCAL };
    m
}

/// A list of extensions as Vulkan gives it.
pub fn extensions(list: &[(&CStr, u32)]) -> Vec<vk::ExtensionProperties> {
    let one = |&(name, spec_version): &(&CStr, u32)| vk::ExtensionProperties {
        extension_name: text(&name.to_string_lossy()),
        spec_version,
    };
    list.iter().map(one).collect()
}
