//! Formats of texels and of vertices.

use ash::vk::{self, Format as V};
use gpucc_pipeline::{Format as F, VertexFormat as X};

/// Vulkan's format and ours with the same bytes. The first of several is the name that a dump gets.
const FORMATS: &[(V, F)] = &[
    (V::R8_UNORM, F::R8Unorm),
    (V::R8_SNORM, F::R8Snorm),
    (V::R8_UINT, F::R8Uint),
    (V::R8_SINT, F::R8Sint),
    (V::R8G8_UNORM, F::Rg8Unorm),
    (V::R8G8_SNORM, F::Rg8Snorm),
    (V::R8G8_UINT, F::Rg8Uint),
    (V::R8G8_SINT, F::Rg8Sint),
    (V::R8G8B8A8_UNORM, F::Rgba8Unorm),
    (V::R8G8B8A8_SRGB, F::Rgba8UnormSrgb),
    (V::R8G8B8A8_SNORM, F::Rgba8Snorm),
    (V::R8G8B8A8_UINT, F::Rgba8Uint),
    (V::R8G8B8A8_SINT, F::Rgba8Sint),
    // A packed word in little-endian order has the bytes of the array.
    (V::A8B8G8R8_UNORM_PACK32, F::Rgba8Unorm),
    (V::A8B8G8R8_SRGB_PACK32, F::Rgba8UnormSrgb),
    (V::A8B8G8R8_SNORM_PACK32, F::Rgba8Snorm),
    (V::A8B8G8R8_UINT_PACK32, F::Rgba8Uint),
    (V::A8B8G8R8_SINT_PACK32, F::Rgba8Sint),
    (V::B8G8R8A8_UNORM, F::Bgra8Unorm),
    (V::B8G8R8A8_SRGB, F::Bgra8UnormSrgb),
    (V::R16_UNORM, F::R16Unorm),
    (V::R16_SNORM, F::R16Snorm),
    (V::R16_UINT, F::R16Uint),
    (V::R16_SINT, F::R16Sint),
    (V::R16_SFLOAT, F::R16Float),
    (V::R16G16_UNORM, F::Rg16Unorm),
    (V::R16G16_SNORM, F::Rg16Snorm),
    (V::R16G16_UINT, F::Rg16Uint),
    (V::R16G16_SINT, F::Rg16Sint),
    (V::R16G16_SFLOAT, F::Rg16Float),
    (V::R16G16B16A16_UNORM, F::Rgba16Unorm),
    (V::R16G16B16A16_SNORM, F::Rgba16Snorm),
    (V::R16G16B16A16_UINT, F::Rgba16Uint),
    (V::R16G16B16A16_SINT, F::Rgba16Sint),
    (V::R16G16B16A16_SFLOAT, F::Rgba16Float),
    (V::R32_UINT, F::R32Uint),
    (V::R32_SINT, F::R32Sint),
    (V::R32_SFLOAT, F::R32Float),
    (V::R32G32_UINT, F::Rg32Uint),
    (V::R32G32_SINT, F::Rg32Sint),
    (V::R32G32_SFLOAT, F::Rg32Float),
    (V::R32G32B32A32_UINT, F::Rgba32Uint),
    (V::R32G32B32A32_SINT, F::Rgba32Sint),
    (V::R32G32B32A32_SFLOAT, F::Rgba32Float),
    (V::A2B10G10R10_UINT_PACK32, F::Rgb10a2Uint),
    (V::A2B10G10R10_UNORM_PACK32, F::Rgb10a2Unorm),
    (V::B10G11R11_UFLOAT_PACK32, F::Rg11b10Ufloat),
    (V::E5B9G9R9_UFLOAT_PACK32, F::Rgb9e5Ufloat),
    (V::S8_UINT, F::Stencil8),
    (V::D16_UNORM, F::Depth16Unorm),
    (V::X8_D24_UNORM_PACK32, F::Depth24Plus),
    (V::D24_UNORM_S8_UINT, F::Depth24PlusStencil8),
    (V::D32_SFLOAT, F::Depth32Float),
    (V::D32_SFLOAT_S8_UINT, F::Depth32FloatStencil8),
];

const VERTICES: &[(V, X)] = &[
    (V::R8_UINT, X::Uint8),
    (V::R8_SINT, X::Sint8),
    (V::R8_UNORM, X::Unorm8),
    (V::R8_SNORM, X::Snorm8),
    (V::R8G8_UINT, X::Uint8x2),
    (V::R8G8_SINT, X::Sint8x2),
    (V::R8G8_UNORM, X::Unorm8x2),
    (V::R8G8_SNORM, X::Snorm8x2),
    (V::R8G8B8A8_UINT, X::Uint8x4),
    (V::R8G8B8A8_SINT, X::Sint8x4),
    (V::R8G8B8A8_UNORM, X::Unorm8x4),
    (V::R8G8B8A8_SNORM, X::Snorm8x4),
    (V::A8B8G8R8_UINT_PACK32, X::Uint8x4),
    (V::A8B8G8R8_SINT_PACK32, X::Sint8x4),
    (V::A8B8G8R8_UNORM_PACK32, X::Unorm8x4),
    (V::A8B8G8R8_SNORM_PACK32, X::Snorm8x4),
    (V::R16_UINT, X::Uint16),
    (V::R16_SINT, X::Sint16),
    (V::R16_UNORM, X::Unorm16),
    (V::R16_SNORM, X::Snorm16),
    (V::R16_SFLOAT, X::Float16),
    (V::R16G16_UINT, X::Uint16x2),
    (V::R16G16_SINT, X::Sint16x2),
    (V::R16G16_UNORM, X::Unorm16x2),
    (V::R16G16_SNORM, X::Snorm16x2),
    (V::R16G16_SFLOAT, X::Float16x2),
    (V::R16G16B16A16_UINT, X::Uint16x4),
    (V::R16G16B16A16_SINT, X::Sint16x4),
    (V::R16G16B16A16_UNORM, X::Unorm16x4),
    (V::R16G16B16A16_SNORM, X::Snorm16x4),
    (V::R16G16B16A16_SFLOAT, X::Float16x4),
    (V::R32_UINT, X::Uint32),
    (V::R32_SINT, X::Sint32),
    (V::R32_SFLOAT, X::Float32),
    (V::R32G32_UINT, X::Uint32x2),
    (V::R32G32_SINT, X::Sint32x2),
    (V::R32G32_SFLOAT, X::Float32x2),
    (V::R32G32B32_UINT, X::Uint32x3),
    (V::R32G32B32_SINT, X::Sint32x3),
    (V::R32G32B32_SFLOAT, X::Float32x3),
    (V::R32G32B32A32_UINT, X::Uint32x4),
    (V::R32G32B32A32_SINT, X::Sint32x4),
    (V::R32G32B32A32_SFLOAT, X::Float32x4),
    (V::A2B10G10R10_UNORM_PACK32, X::Unorm10_10_10_2),
    (V::A2B10G10R10_SNORM_PACK32, X::Snorm10_10_10_2),
    (V::B8G8R8A8_UNORM, X::Unorm8x4Bgra),
];

/// The format of texels, if there is such a one here.
pub fn format(f: V) -> Option<F> {
    FORMATS.iter().find(|x| x.0 == f).map(|x| x.1)
}

/// Vulkan's name of a format.
pub fn vulkan(f: F) -> V {
    FORMATS.iter().find(|x| x.1 == f).map_or(V::UNDEFINED, |x| x.0)
}

/// The format of a vertex attribute, if there is such a one here.
pub fn vertex_format(f: V) -> Option<X> {
    VERTICES.iter().find(|x| x.0 == f).map(|x| x.1)
}

/// The aspects of a format.
pub fn aspects(f: F) -> vk::ImageAspectFlags {
    use vk::ImageAspectFlags as A;
    match (f.has_depth(), f.has_stencil()) {
        (true, true) => A::DEPTH | A::STENCIL,
        (true, false) => A::DEPTH,
        (false, true) => A::STENCIL,
        (false, false) => A::COLOR,
    }
}
