//! Words of Vulkan's as ours: formats, state, samplers.

use ash::vk;
use gpucc_pipeline::{BlendFactor, BlendOperation, Compare, CullMode, Format, StencilOperation, Topology};
use gpucc_sim::texture::Wrap;
use gpucc_vulkan::convert::{self, sampler, state};

/// Bytes of a texel by Vulkan's table of compatibility classes.
#[test]
fn formats_have_the_size_that_vulkan_says() {
    for (own, bytes) in [
        (vk::Format::R8_UNORM, 1),
        (vk::Format::R8G8_SINT, 2),
        (vk::Format::B8G8R8A8_SRGB, 4),
        (vk::Format::A8B8G8R8_UNORM_PACK32, 4),
        (vk::Format::A2B10G10R10_UNORM_PACK32, 4),
        (vk::Format::E5B9G9R9_UFLOAT_PACK32, 4),
        (vk::Format::R16G16B16A16_SFLOAT, 8),
        (vk::Format::R32G32B32A32_UINT, 16),
        (vk::Format::D16_UNORM, 2),
        (vk::Format::D32_SFLOAT, 4),
        (vk::Format::S8_UINT, 1),
    ] {
        assert_eq!(convert::format(own).map(Format::bytes), Some(bytes), "{own:?}");
    }
    for none in [vk::Format::UNDEFINED, vk::Format::BC1_RGB_UNORM_BLOCK, vk::Format::R8G8B8_UNORM, vk::Format::R64_UINT]
    {
        assert_eq!(convert::format(none), None, "{none:?}");
    }
}

#[test]
fn every_format_has_a_name_of_vulkans() {
    for &f in Format::ALL {
        assert_eq!(convert::format(convert::vulkan(f)), Some(f), "{}", f.name());
    }
}

#[test]
fn state_is_converted_by_name() {
    assert_eq!(state::compare(vk::CompareOp::GREATER_OR_EQUAL), Ok(Compare::GreaterEqual));
    assert_eq!(state::compare(vk::CompareOp::NOT_EQUAL), Ok(Compare::NotEqual));
    assert!(state::compare(vk::CompareOp::from_raw(8)).is_err());
    assert_eq!(state::topology(vk::PrimitiveTopology::TRIANGLE_STRIP), Ok(Topology::TriangleStrip));
    assert!(state::topology(vk::PrimitiveTopology::TRIANGLE_FAN).is_err());
    assert_eq!(state::cull(vk::CullModeFlags::BACK), Some(CullMode::Back));
    assert_eq!(state::cull(vk::CullModeFlags::FRONT_AND_BACK), None);
    let s = vk::StencilOpState {
        fail_op: vk::StencilOp::INVERT,
        pass_op: vk::StencilOp::DECREMENT_AND_WRAP,
        depth_fail_op: vk::StencilOp::INCREMENT_AND_CLAMP,
        compare_op: vk::CompareOp::EQUAL,
        ..Default::default()
    };
    let own = state::stencil(&s).expect("a face");
    assert_eq!((own.fail, own.pass), (StencilOperation::Invert, StencilOperation::DecrementWrap));
    assert_eq!((own.depth_fail, own.compare), (StencilOperation::IncrementClamp, Compare::Equal));
}

#[test]
fn minimum_has_no_factors_and_the_constant_is_by_component() {
    let mut b = vk::PipelineColorBlendAttachmentState {
        blend_enable: vk::TRUE,
        src_color_blend_factor: vk::BlendFactor::SRC_ALPHA,
        color_blend_op: vk::BlendOp::MIN,
        src_alpha_blend_factor: vk::BlendFactor::CONSTANT_ALPHA,
        dst_alpha_blend_factor: vk::BlendFactor::ONE_MINUS_CONSTANT_COLOR,
        alpha_blend_op: vk::BlendOp::REVERSE_SUBTRACT,
        ..Default::default()
    };
    let own = state::blend(&b).expect("a blending").expect("it blends");
    assert_eq!(
        (own.color.operation, own.color.src, own.color.dst),
        (BlendOperation::Min, BlendFactor::One, BlendFactor::One)
    );
    assert_eq!((own.alpha.src, own.alpha.dst), (BlendFactor::Constant, BlendFactor::OneMinusConstant));
    b.blend_enable = vk::FALSE;
    assert_eq!(state::blend(&b), Ok(None));
    let alpha = vk::BlendFactor::CONSTANT_ALPHA;
    let b = vk::PipelineColorBlendAttachmentState {
        blend_enable: vk::TRUE,
        src_color_blend_factor: alpha,
        ..Default::default()
    };
    assert!(state::blend(&b).is_err());
}

#[test]
fn samplers_keep_what_they_say() {
    let i = vk::SamplerCreateInfo {
        mag_filter: vk::Filter::LINEAR,
        address_mode_u: vk::SamplerAddressMode::MIRRORED_REPEAT,
        address_mode_v: vk::SamplerAddressMode::CLAMP_TO_BORDER,
        address_mode_w: vk::SamplerAddressMode::CLAMP_TO_EDGE,
        border_color: vk::BorderColor::FLOAT_OPAQUE_BLACK,
        compare_enable: vk::TRUE,
        compare_op: vk::CompareOp::LESS,
        mip_lod_bias: 0.5,
        max_lod: 3.0,
        ..Default::default()
    };
    let s = sampler::sampler(&i).expect("a sampler");
    assert_eq!(s.wrap, [Wrap::MirrorRepeat, Wrap::ClampToBorder, Wrap::ClampToEdge]);
    assert_eq!((s.border, s.compare, s.lod_bias, s.lod_max), ([0, 0, 0, 0x3f80_0000], Some(Compare::Less), 0.5, 3.0));
    let anisotropic = vk::SamplerCreateInfo { anisotropy_enable: vk::TRUE, max_anisotropy: 4.0, ..Default::default() };
    assert_eq!(sampler::sampler(&anisotropic).map_err(|f| f.code), Err(vk::Result::ERROR_FEATURE_NOT_PRESENT));
}

/// By the specification's formulas: two ends and the two thirds between them, and the first end of a block of one component.
#[test]
fn blocks_decode_to_their_texels() {
    let block = convert::blocks::block(vk::Format::BC1_RGBA_UNORM_BLOCK).expect("a format");
    // Red 5:6:5, blue, and in each row the indices 0, 1, 2, 3.
    let bytes = [0x00, 0xf8, 0x1f, 0x00, 0xe4, 0xe4, 0xe4, 0xe4];
    let row = [[255, 0, 0, 255], [0, 0, 255, 255], [170, 0, 85, 255], [85, 0, 170, 255]].concat();
    assert_eq!((block.format, block.decode(&bytes)), (Format::Rgba8Unorm, row.repeat(4)));
    let block = convert::blocks::block(vk::Format::BC4_UNORM_BLOCK).expect("a format");
    assert_eq!((block.format, block.decode(&[255, 0, 0, 0, 0, 0, 0, 0])), (Format::R16Unorm, vec![255; 32]));
    assert_eq!(convert::blocks::block(vk::Format::ASTC_4X4_SFLOAT_BLOCK), None);
}

/// Blocks and the texels that other decoders gave, in eight bits a component: those of ETC2 and EAC by the package `texture2ddecoder` of PyPI,
/// those of ASTC by Arm's `astcenc`, which also made most of the blocks; the others are random.
#[test]
fn blocks_decode_to_what_other_decoders_give() {
    let hex = |text: &str| -> Vec<u8> {
        let digits: Vec<u8> = text.chars().filter_map(|c| c.to_digit(16)).map(|d| d as u8).collect();
        digits.chunks_exact(2).map(|d| d[0] << 4 | d[1]).collect()
    };
    let mut counts = std::collections::BTreeMap::<&str, usize>::new();
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/blocks.txt");
    let text = std::fs::read_to_string(path).expect("a file");
    let mut wrong = Vec::new();
    for line in text.lines() {
        let [name, block, want] = line.split(' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
        use vk::Format as F;
        let (format, most) = match name {
            "ETC2_R8G8B8" => (F::ETC2_R8G8B8_UNORM_BLOCK, 0),
            "ETC2_R8G8B8A1" => (F::ETC2_R8G8B8A1_UNORM_BLOCK, 0),
            "ETC2_R8G8B8A8" => (F::ETC2_R8G8B8A8_UNORM_BLOCK, 0),
            // The other decoder has eight of the eleven bits.
            "EAC_R11" => (F::EAC_R11_UNORM_BLOCK, 1),
            "EAC_R11G11" => (F::EAC_R11G11_UNORM_BLOCK, 1),
            "EAC_R11_S" => (F::EAC_R11_SNORM_BLOCK, 1),
            "EAC_R11G11_S" => (F::EAC_R11G11_SNORM_BLOCK, 1),
            astc => {
                let known = (F::ASTC_4X4_UNORM_BLOCK.as_raw()..).step_by(2).map(F::from_raw).take(14);
                let of = |f: &F| format!("{f:?}") == format!("{astc}_UNORM_BLOCK");
                (known.into_iter().find(of).unwrap_or_else(|| panic!("{astc}")), 1)
            }
        };
        let own = convert::blocks::block(format).expect("a format");
        let (own_format, got) = (own.format, own.decode(&hex(block)));
        let words = || got.chunks_exact(2).map(|w| u16::from_le_bytes([w[0], w[1]]));
        let eight: Vec<u8> = match own_format {
            Format::R16Unorm | Format::Rg16Unorm => words().map(|w| ((u32::from(w) + 128) / 257) as u8).collect(),
            // A sign moves up by half.
            Format::R16Snorm | Format::Rg16Snorm => {
                words().map(|w| ((w as i16 as i32 + 32767) * 255 / 65534) as u8).collect()
            }
            _ => got.clone(),
        };
        let n = eight.len() * 4 / hex(want).len();
        // What lets all through is black by the specification; the other decoder keeps its colour.
        let hole = |t: &[u8]| name == "ETC2_R8G8B8A1" && t[3] == 0;
        let texel = |t: &[u8]| if hole(t) { vec![0; 4] } else { t[..n].to_vec() };
        let want: Vec<u8> = hex(want).chunks_exact(4).flat_map(texel).collect();
        assert_eq!(eight.len(), want.len(), "{line}");
        let apart = eight.iter().zip(&want).map(|(a, b)| a.abs_diff(*b)).max().unwrap_or(0);
        // A block that breaks a rule is magenta in Khronos' specification, and white for the other decoder.
        let broken = eight.chunks_exact(4).all(|t| *t == [255, 0, 255, 255]) && want.iter().all(|c| *c == 255);
        if apart > most && !broken {
            wrong.push(format!("{name} {block}: {apart}, {eight:?} for {want:?}"));
        }
        *counts.entry(name).or_default() += 1;
    }
    assert!(wrong.is_empty(), "{} of {counts:?}: {}", wrong.len(), wrong.join("\n"));
    assert!(counts.len() == 21 && counts.values().all(|n| *n >= 6), "{counts:?}");
}

/// What a buffer and an image need is known before they are made, and is what they need then; larger buffers than there are is said too.
#[test]
fn needs_are_known_before() {
    let gpu = crate::kit::Gpu::new(0);
    let d = &gpu.device;
    let name = c"vkGetDeviceBufferMemoryRequirementsKHR";
    let of = |name: &std::ffi::CStr| unsafe { gpu.instance.get_device_proc_addr(d.handle(), name.as_ptr()) };
    assert!(of(name).is_some());
    let maintenance = ash::khr::maintenance4::Device::new(&gpu.instance, d);
    let buffer = vk::BufferCreateInfo::default().size(1000).usage(vk::BufferUsageFlags::STORAGE_BUFFER);
    let image = vk::ImageCreateInfo::default()
        .image_type(vk::ImageType::TYPE_2D)
        .format(vk::Format::R8G8B8A8_UNORM)
        .extent(vk::Extent3D { width: 33, height: 7, depth: 1 })
        .mip_levels(1)
        .array_layers(3)
        .samples(vk::SampleCountFlags::TYPE_1)
        .usage(vk::ImageUsageFlags::SAMPLED);
    unsafe {
        let mut before = vk::MemoryRequirements2::default();
        let info = vk::DeviceBufferMemoryRequirements::default().create_info(&buffer);
        maintenance.get_device_buffer_memory_requirements(&info, &mut before);
        let made = d.create_buffer(&buffer, None).expect("a buffer");
        assert_eq!(before.memory_requirements.size, d.get_buffer_memory_requirements(made).size);
        let mut before = vk::MemoryRequirements2::default();
        let info = vk::DeviceImageMemoryRequirements::default().create_info(&image);
        maintenance.get_device_image_memory_requirements(&info, &mut before);
        let made = d.create_image(&image, None).expect("an image");
        assert_eq!(before.memory_requirements.size, d.get_image_memory_requirements(made).size);
        assert!(before.memory_requirements.size >= 33 * 7 * 3 * 4);
        let mut most = vk::PhysicalDeviceMaintenance4Properties::default();
        let mut all = vk::PhysicalDeviceProperties2::default().push_next(&mut most);
        gpu.instance.get_physical_device_properties2(gpu.physical, &mut all);
        assert!(most.max_buffer_size >= 1 << 30);
    }
}
