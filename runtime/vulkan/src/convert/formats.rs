//! Formats of texels and of vertices.

use ash::vk::{self, Format as V};
use gpucc_pipeline::{Format as F, VertexFormat as X};

/// A format of Vulkan with ours of the same bytes: of texels, and of vertices.
type Row = (V, Option<F>, Option<X>);

macro_rules! formats {
    (@ $ty:ident -) => { None };
    (@ $ty:ident $name:ident) => { Some($ty::$name) };
    ($($vulkan:ident $texels:tt $vertex:tt;)*) => {
        &[$((V::$vulkan, formats!(@ F $texels), formats!(@ X $vertex)),)*]
    };
}

/// The first of several with one format of texels is the name that a dump gets.
const FORMATS: &[Row] = formats! {
    R8_UNORM                 R8Unorm              Unorm8;
    R8_SNORM                 R8Snorm              Snorm8;
    R8_UINT                  R8Uint               Uint8;
    R8_SINT                  R8Sint               Sint8;
    R8G8_UNORM               Rg8Unorm             Unorm8x2;
    R8G8_SNORM               Rg8Snorm             Snorm8x2;
    R8G8_UINT                Rg8Uint              Uint8x2;
    R8G8_SINT                Rg8Sint              Sint8x2;
    R8G8B8A8_UNORM           Rgba8Unorm           Unorm8x4;
    R8G8B8A8_SRGB            Rgba8UnormSrgb       -;
    R8G8B8A8_SNORM           Rgba8Snorm           Snorm8x4;
    R8G8B8A8_UINT            Rgba8Uint            Uint8x4;
    R8G8B8A8_SINT            Rgba8Sint            Sint8x4;
    // A packed word in little-endian order has the bytes of the array.
    A8B8G8R8_UNORM_PACK32    Rgba8Unorm           Unorm8x4;
    A8B8G8R8_SRGB_PACK32     Rgba8UnormSrgb       -;
    A8B8G8R8_SNORM_PACK32    Rgba8Snorm           Snorm8x4;
    A8B8G8R8_UINT_PACK32     Rgba8Uint            Uint8x4;
    A8B8G8R8_SINT_PACK32     Rgba8Sint            Sint8x4;
    B8G8R8A8_UNORM           Bgra8Unorm           Unorm8x4Bgra;
    B8G8R8A8_SRGB            Bgra8UnormSrgb       -;
    R16_UNORM                R16Unorm             Unorm16;
    R16_SNORM                R16Snorm             Snorm16;
    R16_UINT                 R16Uint              Uint16;
    R16_SINT                 R16Sint              Sint16;
    R16_SFLOAT               R16Float             Float16;
    R16G16_UNORM             Rg16Unorm            Unorm16x2;
    R16G16_SNORM             Rg16Snorm            Snorm16x2;
    R16G16_UINT              Rg16Uint             Uint16x2;
    R16G16_SINT              Rg16Sint             Sint16x2;
    R16G16_SFLOAT            Rg16Float            Float16x2;
    R16G16B16A16_UNORM       Rgba16Unorm          Unorm16x4;
    R16G16B16A16_SNORM       Rgba16Snorm          Snorm16x4;
    R16G16B16A16_UINT        Rgba16Uint           Uint16x4;
    R16G16B16A16_SINT        Rgba16Sint           Sint16x4;
    R16G16B16A16_SFLOAT      Rgba16Float          Float16x4;
    R32_UINT                 R32Uint              Uint32;
    R32_SINT                 R32Sint              Sint32;
    R32_SFLOAT               R32Float             Float32;
    R32G32_UINT              Rg32Uint             Uint32x2;
    R32G32_SINT              Rg32Sint             Sint32x2;
    R32G32_SFLOAT            Rg32Float            Float32x2;
    R32G32B32_UINT           -                    Uint32x3;
    R32G32B32_SINT           -                    Sint32x3;
    R32G32B32_SFLOAT         -                    Float32x3;
    R32G32B32A32_UINT        Rgba32Uint           Uint32x4;
    R32G32B32A32_SINT        Rgba32Sint           Sint32x4;
    R32G32B32A32_SFLOAT      Rgba32Float          Float32x4;
    A2B10G10R10_UINT_PACK32  Rgb10a2Uint          -;
    A2B10G10R10_UNORM_PACK32 Rgb10a2Unorm         Unorm10_10_10_2;
    A2B10G10R10_SNORM_PACK32 -                    Snorm10_10_10_2;
    B10G11R11_UFLOAT_PACK32  Rg11b10Ufloat        -;
    E5B9G9R9_UFLOAT_PACK32   Rgb9e5Ufloat         -;
    S8_UINT                  Stencil8             -;
    D16_UNORM                Depth16Unorm         -;
    X8_D24_UNORM_PACK32      Depth24Plus          -;
    D24_UNORM_S8_UINT        Depth24PlusStencil8  -;
    D32_SFLOAT               Depth32Float         -;
    D32_SFLOAT_S8_UINT       Depth32FloatStencil8 -;
};

/// The format of texels, if there is such a one here.
pub fn format(f: V) -> Option<F> {
    FORMATS.iter().find(|x| x.0 == f)?.1
}

/// Vulkan's name of a format.
pub fn vulkan(f: F) -> V {
    FORMATS.iter().find(|x| x.1 == Some(f)).map_or(V::UNDEFINED, |x| x.0)
}

/// The format of a vertex attribute, if there is such a one here.
pub fn vertex_format(f: V) -> Option<X> {
    FORMATS.iter().find(|x| x.0 == f)?.2
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
