//! Which format does what on a device.

use ash::vk;
use gpucc_ir::{Refusal, Stage};
use gpucc_pipeline::Format;

use super::limits;
use crate::convert;
use crate::fail::{Done, Fail};
use crate::settings::Chip;

/// Whether attachments of a pipeline can have the format.
pub fn can_be_target(chip: Chip, format: Format) -> bool {
    let has = |t: gpucc::Target| t.caps(Stage::Fragment).io.targets.has(format);
    format.renderable()
        && match chip {
            Chip::Interp => true,
            Chip::Target(t) => has(t),
        }
}

/// The features of images.
fn of_images(chip: Chip, format: Format) -> vk::FormatFeatureFlags {
    use vk::FormatFeatureFlags as B;
    let deep = format.has_depth() || format.has_stencil();
    let target = can_be_target(chip, format);
    let storage = chip.has(Stage::Compute, Refusal::StorageTextures) && format.storage_write() && format.storage_read();
    let word = matches!(format, Format::R32Uint | Format::R32Sint);
    let mut out = B::SAMPLED_IMAGE | B::TRANSFER_SRC | B::TRANSFER_DST | B::BLIT_SRC;
    for (yes, bits) in [
        (format.filterable(), B::SAMPLED_IMAGE_FILTER_LINEAR),
        (target && !deep, B::COLOR_ATTACHMENT | B::BLIT_DST),
        (target && !deep && format.blendable(), B::COLOR_ATTACHMENT_BLEND),
        (target && deep, B::DEPTH_STENCIL_ATTACHMENT),
        (storage, B::STORAGE_IMAGE),
        (storage && word && chip.has(Stage::Compute, Refusal::ImageAtomics), B::STORAGE_IMAGE_ATOMIC),
    ] {
        if yes {
            out |= bits;
        }
    }
    out
}

/// The features of texel buffers: formats of whole words that shaders name are compiled.
fn of_buffers(chip: Chip, format: Format) -> vk::FormatFeatureFlags {
    use vk::FormatFeatureFlags as B;
    let mut out = B::empty();
    if format.has_depth() || format.has_stencil() || format.is_srgb() {
        return out;
    }
    out |= B::UNIFORM_TEXEL_BUFFER;
    if format.bytes().is_multiple_of(4) && format.storage_write() && format.storage_read() {
        out |= B::STORAGE_TEXEL_BUFFER;
        let word = matches!(format, Format::R32Uint | Format::R32Sint);
        if word && chip.has(Stage::Compute, Refusal::Atomics) {
            out |= B::STORAGE_TEXEL_BUFFER_ATOMIC;
        }
    }
    out
}

/// The features of compressed images: they are decoded for the chip where they are written.
const COMPRESSED: vk::FormatFeatureFlags = vk::FormatFeatureFlags::from_raw(
    vk::FormatFeatureFlags::SAMPLED_IMAGE.as_raw()
        | vk::FormatFeatureFlags::SAMPLED_IMAGE_FILTER_LINEAR.as_raw()
        | vk::FormatFeatureFlags::TRANSFER_SRC.as_raw()
        | vk::FormatFeatureFlags::TRANSFER_DST.as_raw()
        | vk::FormatFeatureFlags::BLIT_SRC.as_raw(),
);

/// Linear images are there for copies: their texels lie in memory that the host maps.
const LINEAR: vk::FormatFeatureFlags = vk::FormatFeatureFlags::from_raw(
    vk::FormatFeatureFlags::TRANSFER_SRC.as_raw()
        | vk::FormatFeatureFlags::TRANSFER_DST.as_raw()
        | vk::FormatFeatureFlags::BLIT_SRC.as_raw()
        | vk::FormatFeatureFlags::BLIT_DST.as_raw(),
);

/// What a format does.
pub fn properties(chip: Chip, format: vk::Format) -> vk::FormatProperties {
    let mut out = vk::FormatProperties::default();
    if convert::vertex_format(format).is_some() {
        out.buffer_features |= vk::FormatFeatureFlags::VERTEX_BUFFER;
    }
    if convert::blocks::block(format).is_some() {
        out.optimal_tiling_features = COMPRESSED;
    }
    if let Some(f) = convert::format(format) {
        out.optimal_tiling_features = of_images(chip, f);
        if !(f.has_depth() || f.has_stencil()) {
            out.linear_tiling_features = out.optimal_tiling_features & LINEAR;
        }
        out.buffer_features |= of_buffers(chip, f);
    }
    out
}

/// What an image of these words may be.
///
/// # Errors
/// There are no such images.
pub fn image(
    chip: Chip,
    format: vk::Format,
    ty: vk::ImageType,
    tiling: vk::ImageTiling,
    usage: vk::ImageUsageFlags,
    flags: vk::ImageCreateFlags,
) -> Done<vk::ImageFormatProperties> {
    let none =
        || Fail::new(vk::Result::ERROR_FORMAT_NOT_SUPPORTED, format!("no such image of format {}", format.as_raw()));
    let block = convert::blocks::block(format);
    let own = convert::format(format).or(block.map(|b| b.format)).ok_or_else(none)?;
    let has = properties(chip, format);
    let features =
        if tiling == vk::ImageTiling::LINEAR { has.linear_tiling_features } else { has.optimal_tiling_features };
    use vk::{FormatFeatureFlags as B, ImageCreateFlags as C, ImageUsageFlags as U};
    let wants = [
        (U::TRANSFER_SRC, B::TRANSFER_SRC),
        (U::TRANSFER_DST, B::TRANSFER_DST),
        (U::SAMPLED, B::SAMPLED_IMAGE),
        (U::STORAGE, B::STORAGE_IMAGE),
        (U::COLOR_ATTACHMENT, B::COLOR_ATTACHMENT),
        (U::DEPTH_STENCIL_ATTACHMENT, B::DEPTH_STENCIL_ATTACHMENT),
        (U::INPUT_ATTACHMENT, B::COLOR_ATTACHMENT | B::DEPTH_STENCIL_ATTACHMENT),
    ];
    let sparse = C::SPARSE_BINDING | C::SPARSE_RESIDENCY | C::SPARSE_ALIASED;
    let lacks = |(u, b): &(U, B)| usage.contains(*u) && !features.intersects(*b);
    let d3 = ty == vk::ImageType::TYPE_3D;
    let linear = tiling == vk::ImageTiling::LINEAR;
    let deep = own.has_depth() || own.has_stencil();
    if features.is_empty() || wants.iter().any(lacks) || flags.intersects(sparse) || d3 && (deep || linear) {
        return Err(none());
    }
    let (one, most) = (1, if d3 { limits::AXIS_3D } else { limits::AXIS });
    let height = if ty == vk::ImageType::TYPE_1D { one } else { most };
    let cube = flags.contains(C::CUBE_COMPATIBLE);
    let several = ty == vk::ImageType::TYPE_2D
        && own.multisampled()
        && !cube
        && tiling == vk::ImageTiling::OPTIMAL
        && !usage.contains(U::STORAGE)
        && features.intersects(B::COLOR_ATTACHMENT | B::DEPTH_STENCIL_ATTACHMENT);
    Ok(vk::ImageFormatProperties {
        max_extent: vk::Extent3D { width: most, height, depth: if d3 { most } else { one } },
        max_mip_levels: if linear { 1 } else { most.ilog2() + 1 },
        max_array_layers: if d3 || linear { 1 } else { limits::LAYERS },
        sample_counts: if several { limits::samples() } else { vk::SampleCountFlags::TYPE_1 },
        max_resource_size: limits::RESOURCE,
    })
}
