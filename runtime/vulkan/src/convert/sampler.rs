//! Samplers.

use ash::vk;
use gpucc_pipeline::Filter;
use gpucc_sim::texture::{Sampler, Wrap};

use super::state::compare;
use crate::fail::{Done, Fail};

fn wrap(a: vk::SamplerAddressMode) -> Done<Wrap> {
    Ok(match a {
        vk::SamplerAddressMode::REPEAT => Wrap::Repeat,
        vk::SamplerAddressMode::MIRRORED_REPEAT => Wrap::MirrorRepeat,
        vk::SamplerAddressMode::CLAMP_TO_EDGE => Wrap::ClampToEdge,
        vk::SamplerAddressMode::CLAMP_TO_BORDER => Wrap::ClampToBorder,
        vk::SamplerAddressMode::MIRROR_CLAMP_TO_EDGE => Wrap::MirrorClampToEdge,
        other => return Err(Fail::misuse(format!("{} is no address mode", other.as_raw()))),
    })
}

fn border(b: vk::BorderColor) -> Done<[u32; 4]> {
    let one = 1f32.to_bits();
    Ok(match b {
        vk::BorderColor::FLOAT_TRANSPARENT_BLACK | vk::BorderColor::INT_TRANSPARENT_BLACK => [0; 4],
        vk::BorderColor::FLOAT_OPAQUE_BLACK => [0, 0, 0, one],
        vk::BorderColor::INT_OPAQUE_BLACK => [0, 0, 0, 1],
        vk::BorderColor::FLOAT_OPAQUE_WHITE => [one; 4],
        vk::BorderColor::INT_OPAQUE_WHITE => [1; 4],
        other => return Err(Fail::misuse(format!("{} is no border colour", other.as_raw()))),
    })
}

/// The sampler that an application describes, but for coordinates in texels.
///
/// # Errors
/// A value that Vulkan does not have, or a feature that no device here has.
pub fn sampler(i: &vk::SamplerCreateInfo<'_>) -> Done<Sampler> {
    if i.anisotropy_enable == vk::TRUE && i.max_anisotropy > 1.0 {
        return Err(Fail::lacks("anisotropic filtering is not there (samplerAnisotropy)"));
    }
    let filter = |f| if f == vk::Filter::LINEAR { Filter::Linear } else { Filter::Nearest };
    let mip = if i.mipmap_mode == vk::SamplerMipmapMode::LINEAR { Filter::Linear } else { Filter::Nearest };
    let wraps = [wrap(i.address_mode_u)?, wrap(i.address_mode_v)?, wrap(i.address_mode_w)?];
    Ok(Sampler {
        wrap: wraps,
        mag: filter(i.mag_filter),
        min: filter(i.min_filter),
        mip,
        lod_min: i.min_lod,
        lod_max: i.max_lod,
        lod_bias: i.mip_lod_bias,
        compare: if i.compare_enable == vk::TRUE { Some(compare(i.compare_op)?) } else { None },
        border: if wraps.contains(&Wrap::ClampToBorder) { border(i.border_color)? } else { [0; 4] },
        ..Sampler::default()
    })
}
