//! Instances and physical devices.

use std::ffi::{CStr, c_void};
use std::sync::Mutex;

use ash::vk::{self, Handle};
use gpucc_vulkan::border::{vk_icdGetPhysicalDeviceProcAddr, vk_icdNegotiateLoaderICDInterfaceVersion};

use crate::kit::{devices, entry};

#[test]
fn the_loader_and_the_driver_agree_on_a_version() {
    for (offered, agreed, code) in [
        (7, 5, vk::Result::SUCCESS),
        (5, 5, vk::Result::SUCCESS),
        (3, 3, vk::Result::SUCCESS),
        (1, 1, vk::Result::ERROR_INCOMPATIBLE_DRIVER),
    ] {
        let mut version = offered;
        // SAFETY: the number is there.
        let got = unsafe { vk_icdNegotiateLoaderICDInterfaceVersion(&mut version) };
        assert_eq!((version, got), (agreed, code));
    }
}

#[test]
fn functions_of_physical_devices_alone_are_told() {
    // SAFETY: names end with a zero.
    let of = |n: &CStr| unsafe { vk_icdGetPhysicalDeviceProcAddr(vk::Instance::null(), n.as_ptr()) };
    assert!(of(c"vkGetPhysicalDeviceFeatures2KHR").is_some());
    assert!(of(c"vkDestroyInstance").is_none());
    assert!(of(c"vkGetPhysicalDeviceNothing").is_none());
}

#[test]
fn devices_are_named_by_their_targets() {
    let entry = entry();
    // SAFETY: calls by Vulkan's rules.
    unsafe {
        let instance = entry.create_instance(&vk::InstanceCreateInfo::default(), None).expect("an instance");
        let all = instance.enumerate_physical_devices().expect("devices");
        let name = |&p: &vk::PhysicalDevice| {
            let p = instance.get_physical_device_properties(p);
            p.device_name_as_c_str().expect("a name").to_string_lossy().into_owned()
        };
        let names: Vec<_> = all.iter().map(name).collect();
        let machines = ["gpucc gcn:gfx8", "gpucc valhall:v10", "gpucc tesla:nva3", "gpucc vivante:gc3000"];
        assert_eq!((&names[..4], &names[4..]), (&machines.map(String::from)[..], &["gpucc interp".to_string()][..]));
        let mut groups = vec![vk::PhysicalDeviceGroupProperties::default(); 5];
        instance.enumerate_physical_device_groups(&mut groups).expect("groups");
        assert!(groups.iter().zip(&all).all(|(g, &p)| g.physical_device_count == 1 && g.physical_devices[0] == p));
        instance.destroy_instance(None);
    }
}

/// What one structure says of 1.1 and 1.2 is what the structures of their extensions say.
#[test]
fn the_structures_of_versions_say_what_those_of_extensions_say() {
    let entry = entry();
    macro_rules! asked {
        ($list:ident, $instance:ident, $p:ident, $get:ident, $chain:ident) => {{
            let mut one = vk::$list::default();
            // SAFETY: the device is the instance's.
            unsafe { $instance.$get($p, &mut vk::$chain::default().push_next(&mut one)) };
            one
        }};
    }
    // SAFETY: calls by Vulkan's rules.
    let (instance, all) = unsafe {
        let instance = entry.create_instance(&vk::InstanceCreateInfo::default(), None).expect("an instance");
        let all = instance.enumerate_physical_devices().expect("devices");
        (instance, all)
    };
    for p in all {
        macro_rules! same {
            ($get:ident, $chain:ident: $($own:ident $list:ident: $($field:ident)*;)*) => {
                $(
                    let other = asked!($list, instance, p, $get, $chain);
                    $( assert_eq!($own.$field, other.$field, stringify!($list $field)); )*
                )*
            };
        }
        let one =
            asked!(PhysicalDeviceVulkan11Features, instance, p, get_physical_device_features2, PhysicalDeviceFeatures2);
        let two =
            asked!(PhysicalDeviceVulkan12Features, instance, p, get_physical_device_features2, PhysicalDeviceFeatures2);
        same! { get_physical_device_features2, PhysicalDeviceFeatures2:
            one PhysicalDevice16BitStorageFeatures: storage_buffer16_bit_access uniform_and_storage_buffer16_bit_access
                storage_push_constant16 storage_input_output16;
            one PhysicalDeviceMultiviewFeatures: multiview multiview_geometry_shader multiview_tessellation_shader;
            one PhysicalDeviceVariablePointersFeatures: variable_pointers variable_pointers_storage_buffer;
            one PhysicalDeviceProtectedMemoryFeatures: protected_memory;
            one PhysicalDeviceSamplerYcbcrConversionFeatures: sampler_ycbcr_conversion;
            one PhysicalDeviceShaderDrawParametersFeatures: shader_draw_parameters;
            two PhysicalDevice8BitStorageFeatures: storage_buffer8_bit_access uniform_and_storage_buffer8_bit_access
                storage_push_constant8;
            two PhysicalDeviceShaderAtomicInt64Features: shader_buffer_int64_atomics shader_shared_int64_atomics;
            two PhysicalDeviceShaderFloat16Int8Features: shader_float16 shader_int8;
            two PhysicalDeviceDescriptorIndexingFeatures: runtime_descriptor_array descriptor_binding_partially_bound
                descriptor_binding_variable_descriptor_count shader_sampled_image_array_non_uniform_indexing;
            two PhysicalDeviceScalarBlockLayoutFeatures: scalar_block_layout;
            two PhysicalDeviceImagelessFramebufferFeatures: imageless_framebuffer;
            two PhysicalDeviceUniformBufferStandardLayoutFeatures: uniform_buffer_standard_layout;
            two PhysicalDeviceShaderSubgroupExtendedTypesFeatures: shader_subgroup_extended_types;
            two PhysicalDeviceSeparateDepthStencilLayoutsFeatures: separate_depth_stencil_layouts;
            two PhysicalDeviceHostQueryResetFeatures: host_query_reset;
            two PhysicalDeviceTimelineSemaphoreFeatures: timeline_semaphore;
            two PhysicalDeviceBufferDeviceAddressFeatures: buffer_device_address buffer_device_address_capture_replay;
            two PhysicalDeviceVulkanMemoryModelFeatures: vulkan_memory_model vulkan_memory_model_device_scope
                vulkan_memory_model_availability_visibility_chains;
        }
        // Vulkan 1.2 asks for these of every device.
        assert!(
            [
                one.multiview,
                two.uniform_buffer_standard_layout,
                two.imageless_framebuffer,
                two.host_query_reset,
                two.timeline_semaphore,
                two.separate_depth_stencil_layouts,
                two.shader_subgroup_extended_types,
                two.subgroup_broadcast_dynamic_id
            ]
            .iter()
            .all(|f| *f == vk::TRUE)
        );
        let one = asked!(
            PhysicalDeviceVulkan11Properties,
            instance,
            p,
            get_physical_device_properties2,
            PhysicalDeviceProperties2
        );
        let two = asked!(
            PhysicalDeviceVulkan12Properties,
            instance,
            p,
            get_physical_device_properties2,
            PhysicalDeviceProperties2
        );
        same! { get_physical_device_properties2, PhysicalDeviceProperties2:
            one PhysicalDeviceIDProperties: device_uuid driver_uuid device_luid_valid;
            one PhysicalDeviceSubgroupProperties: subgroup_size;
            one PhysicalDeviceMaintenance3Properties: max_per_set_descriptors max_memory_allocation_size;
            one PhysicalDeviceMultiviewProperties: max_multiview_view_count;
            two PhysicalDeviceDriverProperties: driver_id driver_name driver_info;
            two PhysicalDeviceFloatControlsProperties: denorm_behavior_independence rounding_mode_independence
                shader_denorm_preserve_float16 shader_denorm_flush_to_zero_float32 shader_rounding_mode_rtz_float32
                shader_signed_zero_inf_nan_preserve_float16 shader_signed_zero_inf_nan_preserve_float32;
            two PhysicalDeviceDepthStencilResolveProperties: supported_depth_resolve_modes;
            two PhysicalDeviceTimelineSemaphoreProperties: max_timeline_semaphore_value_difference;
        }
        // Everything rounds to nearest; what denormals become of words is known everywhere.
        assert_eq!(two.shader_rounding_mode_rte_float32, vk::TRUE);
        assert_eq!(two.shader_signed_zero_inf_nan_preserve_float32, vk::TRUE);
        assert!(two.shader_denorm_preserve_float32 | two.shader_denorm_flush_to_zero_float32 == vk::TRUE);
        assert_eq!(two.driver_name_as_c_str().expect("a name"), c"gpucc");
        // SAFETY: as above.
        let own = unsafe { instance.get_physical_device_properties(p) };
        let three =
            asked!(PhysicalDeviceVulkan13Features, instance, p, get_physical_device_features2, PhysicalDeviceFeatures2);
        // Vulkan 1.3 asks for these, and for addresses, which not every chip has.
        let asked = [
            three.robust_image_access,
            three.inline_uniform_block,
            three.pipeline_creation_cache_control,
            three.private_data,
            three.shader_demote_to_helper_invocation,
            three.shader_terminate_invocation,
            three.subgroup_size_control,
            three.compute_full_subgroups,
            three.synchronization2,
            three.shader_zero_initialize_workgroup_memory,
            three.dynamic_rendering,
            three.shader_integer_dot_product,
            three.maintenance4,
        ];
        assert_eq!(asked, [vk::TRUE; 13]);
        let of =
            asked!(PhysicalDeviceVulkan12Features, instance, p, get_physical_device_features2, PhysicalDeviceFeatures2);
        let whole = of.buffer_device_address == vk::TRUE && of.vulkan_memory_model_device_scope == vk::TRUE;
        assert_eq!(own.api_version, if whole { vk::API_VERSION_1_3 } else { vk::API_VERSION_1_2 });
        assert!(one.max_multiview_view_count >= 6 && two.max_timeline_semaphore_value_difference >= (1 << 31) - 1);
    }
    // SAFETY: nothing of it is used any more.
    unsafe { instance.destroy_instance(None) };
}

/// What the tables of refusals say of the default generations.
#[test]
fn features_are_those_of_the_chip() {
    let entry = entry();
    // SAFETY: calls by Vulkan's rules.
    unsafe {
        let instance = entry.create_instance(&vk::InstanceCreateInfo::default(), None).expect("an instance");
        let mut all = instance.enumerate_physical_devices().expect("devices");
        all.truncate(4);
        let f: Vec<_> = all.iter().map(|&p| instance.get_physical_device_features(p)).collect();
        assert_eq!(f.iter().map(|f| f.dual_src_blend).collect::<Vec<_>>(), [1, 1, 1, 0]);
        assert_eq!(f.iter().map(|f| f.vertex_pipeline_stores_and_atomics).collect::<Vec<_>>(), [1, 1, 0, 1]);
        assert_eq!(f.iter().map(|f| f.sample_rate_shading).collect::<Vec<_>>(), [1, 1, 1, 0]);
        assert_eq!(f.iter().map(|f| f.independent_blend).collect::<Vec<_>>(), [1, 1, 1, 0]);
        assert!(f.iter().all(|f| f.geometry_shader == 0
            && f.texture_compression_bc == 1
            && f.texture_compression_etc2 == 1
            && f.texture_compression_astc_ldr == 1));
        assert_eq!(f.iter().map(|f| f.shader_float64).collect::<Vec<_>>(), [1, 0, 0, 0]);
        let limits = |&p: &_| instance.get_physical_device_properties(p).limits;
        let l: Vec<_> = all.iter().map(limits).collect();
        let shared: Vec<_> = l.iter().map(|l| l.max_compute_shared_memory_size).collect();
        assert_eq!(shared, [64 << 10, 32 << 10, 16 << 10, 64 << 10]);
        assert_eq!(l.iter().map(|l| l.max_compute_work_group_invocations).collect::<Vec<_>>(), [1024, 1024, 512, 1024]);
        let depth = |&p: &_| instance.get_physical_device_format_properties(p, vk::Format::D32_SFLOAT);
        let attachment = vk::FormatFeatureFlags::DEPTH_STENCIL_ATTACHMENT;
        let deep: Vec<_> = all.iter().map(|p| depth(p).optimal_tiling_features.contains(attachment)).collect();
        assert_eq!(deep, [true, true, true, false]);
        let mut draw = vk::PhysicalDeviceShaderDrawParametersFeatures::default();
        let mut narrow = vk::PhysicalDevice16BitStorageFeatures::default();
        let mut unknown = vk::PhysicalDeviceRayQueryFeaturesKHR::default();
        let mut chain =
            vk::PhysicalDeviceFeatures2::default().push_next(&mut draw).push_next(&mut unknown).push_next(&mut narrow);
        instance.get_physical_device_features2(all[0], &mut chain);
        assert_eq!((draw.shader_draw_parameters, narrow.storage_buffer16_bit_access, unknown.ray_query), (1, 1, 0));
        let mut groups = vk::PhysicalDeviceSubgroupProperties::default();
        let mut chain = vk::PhysicalDeviceProperties2::default().push_next(&mut groups);
        instance.get_physical_device_properties2(all[1], &mut chain);
        assert_eq!(groups.subgroup_size, 16);
        // Of GCN and Valhall fragments have subgroups too, vertices of none of the four.
        let stages = all.iter().map(|&p| {
            let mut groups = vk::PhysicalDeviceSubgroupProperties::default();
            let mut chain = vk::PhysicalDeviceProperties2::default().push_next(&mut groups);
            instance.get_physical_device_properties2(p, &mut chain);
            groups.supported_stages
        });
        let (compute, fragment) = (vk::ShaderStageFlags::COMPUTE, vk::ShaderStageFlags::FRAGMENT);
        assert_eq!(stages.collect::<Vec<_>>(), [compute | fragment, compute | fragment, compute, compute]);
        instance.destroy_instance(None);
    }
}

#[test]
fn lists_that_are_too_short_are_filled_and_said_to_be() {
    let entry = entry();
    // SAFETY: calls by Vulkan's rules.
    unsafe {
        let instance = entry.create_instance(&vk::InstanceCreateInfo::default(), None).expect("an instance");
        let mut n = 2;
        let mut out = [vk::PhysicalDevice::null(); 3];
        let get = instance.fp_v1_0().enumerate_physical_devices;
        assert_eq!(get(instance.handle(), &mut n, out.as_mut_ptr()), vk::Result::INCOMPLETE);
        assert!(n == 2 && !out[1].is_null() && out[2].is_null());
        instance.destroy_instance(None);
    }
}

static HEARD: Mutex<Vec<String>> = Mutex::new(Vec::new());

unsafe extern "system" fn hear(
    level: vk::DebugUtilsMessageSeverityFlagsEXT,
    kind: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    _user: *mut c_void,
) -> vk::Bool32 {
    // SAFETY: the driver gives data with a message.
    let text = unsafe { (*data).message_as_c_str() }.expect("a message").to_string_lossy().into_owned();
    HEARD.lock().expect("the list").push(format!("{level:?} {kind:?} {text}"));
    vk::FALSE
}

/// A handle that names nothing is told to the messengers, and is an error.
#[test]
fn what_does_not_exist_is_a_message() {
    let entry = entry();
    // SAFETY: calls by Vulkan's rules, but for the one that is on trial.
    unsafe {
        let names = [c"VK_EXT_debug_utils".as_ptr()];
        let info = vk::InstanceCreateInfo::default().enabled_extension_names(&names);
        let instance = entry.create_instance(&info, None).expect("an instance");
        let debug = ash::ext::debug_utils::Instance::new(&entry, &instance);
        let info = vk::DebugUtilsMessengerCreateInfoEXT::default()
            .message_severity(vk::DebugUtilsMessageSeverityFlagsEXT::ERROR)
            .message_type(vk::DebugUtilsMessageTypeFlagsEXT::VALIDATION)
            .pfn_user_callback(Some(hear));
        let messenger = debug.create_debug_utils_messenger(&info, None).expect("a messenger");
        let get = instance.fp_v1_0().enumerate_physical_devices;
        assert_eq!(
            get(instance.handle(), std::ptr::null_mut(), std::ptr::null_mut()),
            vk::Result::ERROR_VALIDATION_FAILED_EXT
        );
        let heard = HEARD.lock().expect("the list").join("\n");
        assert!(heard.contains("a pointer to a result is null"), "{heard}");
        debug.destroy_debug_utils_messenger(messenger, None);
        let gone = instance.handle();
        instance.destroy_instance(None);
        let mut n = 0;
        assert_eq!(get(gone, &mut n, std::ptr::null_mut()), vk::Result::ERROR_VALIDATION_FAILED_EXT);
        let wrong = [c"VK_KHR_nothing".as_ptr()];
        let info = vk::InstanceCreateInfo::default().enabled_extension_names(&wrong);
        assert_eq!(entry.create_instance(&info, None).err(), Some(vk::Result::ERROR_EXTENSION_NOT_PRESENT));
    }
}

/// A feature whose capability the reader of SPIR-V refuses is none.
#[test]
fn features_have_their_capabilities() {
    use gpucc_frontend_spirv::capabilities::{ROWS, Verdict};
    let runs = |name: &str| match ROWS.iter().find(|r| r.0 == name) {
        Some(row) => row.1 == Verdict::Runs,
        None => panic!("there is no row of `{name}`"),
    };
    for (target, gpu) in devices() {
        let f = unsafe { gpu.instance.get_physical_device_features(gpu.physical) };
        for (has, name) in [
            (f.sample_rate_shading, "SampleRateShading"),
            (f.shader_image_gather_extended, "ImageGatherExtended"),
            (f.shader_storage_image_extended_formats, "StorageImageExtendedFormats"),
            (f.shader_storage_image_multisample, "StorageImageMultisample"),
            (f.shader_storage_image_read_without_format, "StorageImageReadWithoutFormat"),
            (f.shader_storage_image_write_without_format, "StorageImageWriteWithoutFormat"),
            (f.shader_uniform_buffer_array_dynamic_indexing, "UniformBufferArrayDynamicIndexing"),
            (f.shader_sampled_image_array_dynamic_indexing, "SampledImageArrayDynamicIndexing"),
            (f.shader_storage_buffer_array_dynamic_indexing, "StorageBufferArrayDynamicIndexing"),
            (f.shader_storage_image_array_dynamic_indexing, "StorageImageArrayDynamicIndexing"),
            (f.shader_clip_distance, "ClipDistance"),
            (f.shader_cull_distance, "CullDistance"),
            (f.shader_float64, "Float64"),
            (f.shader_int64, "Int64"),
            (f.shader_int16, "Int16"),
            (f.shader_resource_min_lod, "MinLod"),
            (f.shader_resource_residency, "SparseResidency"),
            (f.image_cube_array, "ImageCubeArray"),
        ] {
            assert!(has == vk::FALSE || runs(name), "{target}: {name}");
        }
    }
}
