//! Texel formats: names, sizes, layouts, capabilities.

/// The type of a texel's components in the shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Base {
    /// f32.
    Float,
    /// u32.
    Uint,
    /// i32.
    Sint,
    /// The depth as f32 in the first component.
    Depth,
    /// The stencil value as u32 in the first component.
    Stencil,
}

/// How one component, or a whole packed word, is encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Code {
    /// Fraction of 0..1.
    Unorm,
    /// Fraction of -1..1.
    Snorm,
    /// Integer without sign.
    Uint,
    /// Integer with sign.
    Sint,
    /// IEEE float of 16 or 32 bits.
    Float,
    /// Unorm whose first three components are sRGB.
    Srgb,
}

/// Where the components lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layout {
    /// Components of `1` bits each, the first at the lowest address.
    Array(Code, u32),
    /// Four bytes: blue, green, red, alpha.
    Bgra(Code),
    /// 10, 10, 10 and 2 bits from the least significant.
    Rgb10a2(Code),
    /// Unsigned floats of 11, 11 and 10 bits from the least significant.
    Rg11b10,
    /// Three mantissas of 9 bits and an exponent of 5 from the least significant.
    Rgb9e5,
    /// Depth of these bits as unorm in the low bits, stencil above where the format has one.
    DepthUnorm(u32),
    /// f32 depth, stencil in byte 4 where the format has one.
    DepthFloat,
    /// One byte of stencil.
    Stencil,
}

const RENDER: u16 = 1;
const BLEND: u16 = 2;
const MULTISAMPLE: u16 = 4;
const RESOLVE: u16 = 8;
const FILTER: u16 = 16;
const WRITE: u16 = 32;
const READ: u16 = 64;
const READ_WRITE: u16 = 128;

macro_rules! formats {
    ($($variant:ident $name:literal $bytes:literal $components:literal $layout:expr, $base:ident, $caps:expr;)*) => {
        /// A WebGPU texture format. Compressed formats are refused by name ([`FormatError::Compressed`]).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs, reason = "each variant is WebGPU's name of the format")]
        pub enum Format { $($variant),* }

        impl Format {
            /// Every format, in the order of declaration.
            pub const ALL: &'static [Format] = &[$(Format::$variant),*];

            fn row(self) -> Row {
                match self { $(Format::$variant => Row {
                    name: $name, bytes: $bytes, components: $components, layout: $layout, base: Base::$base, caps: $caps,
                }),* }
            }
        }
    };
}

struct Row {
    name: &'static str,
    bytes: u32,
    components: u32,
    layout: Layout,
    base: Base,
    caps: u16,
}

use Code::{Sint, Snorm, Srgb, Uint, Unorm};
use Layout::{Array, Bgra, DepthFloat, DepthUnorm, Rg11b10, Rgb9e5, Rgb10a2};

const COLOUR: u16 = RENDER | BLEND | MULTISAMPLE | RESOLVE | FILTER;
const INTEGER: u16 = RENDER | MULTISAMPLE;
const TIER1: u16 = RENDER | BLEND | MULTISAMPLE;
const DEPTH: u16 = RENDER | MULTISAMPLE;
const RW: u16 = WRITE | READ | READ_WRITE;
const WR: u16 = WRITE | READ;

// Capabilities are those of a device with texture-formats-tier1 and -tier2, float32-blendable, float32-filterable off.
formats! {
    R8Unorm "r8unorm" 1 1 Array(Unorm, 8), Float, COLOUR | RW;
    R8Snorm "r8snorm" 1 1 Array(Snorm, 8), Float, COLOUR | WR;
    R8Uint "r8uint" 1 1 Array(Uint, 8), Uint, INTEGER | RW;
    R8Sint "r8sint" 1 1 Array(Sint, 8), Sint, INTEGER | RW;
    Rg8Unorm "rg8unorm" 2 2 Array(Unorm, 8), Float, COLOUR | WR;
    Rg8Snorm "rg8snorm" 2 2 Array(Snorm, 8), Float, COLOUR | WR;
    Rg8Uint "rg8uint" 2 2 Array(Uint, 8), Uint, INTEGER | WR;
    Rg8Sint "rg8sint" 2 2 Array(Sint, 8), Sint, INTEGER | WR;
    Rgba8Unorm "rgba8unorm" 4 4 Array(Unorm, 8), Float, COLOUR | RW;
    Rgba8UnormSrgb "rgba8unorm-srgb" 4 4 Array(Srgb, 8), Float, COLOUR;
    Rgba8Snorm "rgba8snorm" 4 4 Array(Snorm, 8), Float, COLOUR | WR;
    Rgba8Uint "rgba8uint" 4 4 Array(Uint, 8), Uint, INTEGER | RW;
    Rgba8Sint "rgba8sint" 4 4 Array(Sint, 8), Sint, INTEGER | RW;
    Bgra8Unorm "bgra8unorm" 4 4 Bgra(Unorm), Float, COLOUR | WRITE;
    Bgra8UnormSrgb "bgra8unorm-srgb" 4 4 Bgra(Srgb), Float, COLOUR;
    R16Unorm "r16unorm" 2 1 Array(Unorm, 16), Float, TIER1 | WR;
    R16Snorm "r16snorm" 2 1 Array(Snorm, 16), Float, TIER1 | WR;
    R16Uint "r16uint" 2 1 Array(Uint, 16), Uint, INTEGER | RW;
    R16Sint "r16sint" 2 1 Array(Sint, 16), Sint, INTEGER | RW;
    R16Float "r16float" 2 1 Array(Code::Float, 16), Float, COLOUR | RW;
    Rg16Unorm "rg16unorm" 4 2 Array(Unorm, 16), Float, TIER1 | WR;
    Rg16Snorm "rg16snorm" 4 2 Array(Snorm, 16), Float, TIER1 | WR;
    Rg16Uint "rg16uint" 4 2 Array(Uint, 16), Uint, INTEGER | WR;
    Rg16Sint "rg16sint" 4 2 Array(Sint, 16), Sint, INTEGER | WR;
    Rg16Float "rg16float" 4 2 Array(Code::Float, 16), Float, COLOUR | WR;
    Rgba16Unorm "rgba16unorm" 8 4 Array(Unorm, 16), Float, TIER1 | WR;
    Rgba16Snorm "rgba16snorm" 8 4 Array(Snorm, 16), Float, TIER1 | WR;
    Rgba16Uint "rgba16uint" 8 4 Array(Uint, 16), Uint, INTEGER | RW;
    Rgba16Sint "rgba16sint" 8 4 Array(Sint, 16), Sint, INTEGER | RW;
    Rgba16Float "rgba16float" 8 4 Array(Code::Float, 16), Float, COLOUR | RW;
    R32Uint "r32uint" 4 1 Array(Uint, 32), Uint, RENDER | RW;
    R32Sint "r32sint" 4 1 Array(Sint, 32), Sint, RENDER | RW;
    R32Float "r32float" 4 1 Array(Code::Float, 32), Float, RENDER | BLEND | MULTISAMPLE | RW;
    Rg32Uint "rg32uint" 8 2 Array(Uint, 32), Uint, RENDER | WR;
    Rg32Sint "rg32sint" 8 2 Array(Sint, 32), Sint, RENDER | WR;
    Rg32Float "rg32float" 8 2 Array(Code::Float, 32), Float, RENDER | BLEND | WR;
    Rgba32Uint "rgba32uint" 16 4 Array(Uint, 32), Uint, RENDER | RW;
    Rgba32Sint "rgba32sint" 16 4 Array(Sint, 32), Sint, RENDER | RW;
    Rgba32Float "rgba32float" 16 4 Array(Code::Float, 32), Float, RENDER | BLEND | RW;
    Rgb10a2Uint "rgb10a2uint" 4 4 Rgb10a2(Uint), Uint, INTEGER | WR;
    Rgb10a2Unorm "rgb10a2unorm" 4 4 Rgb10a2(Unorm), Float, COLOUR | WR;
    Rg11b10Ufloat "rg11b10ufloat" 4 3 Rg11b10, Float, COLOUR | WR;
    Rgb9e5Ufloat "rgb9e5ufloat" 4 3 Rgb9e5, Float, FILTER;
    Stencil8 "stencil8" 1 1 Layout::Stencil, Stencil, DEPTH;
    Depth16Unorm "depth16unorm" 2 1 DepthUnorm(16), Depth, DEPTH;
    Depth24Plus "depth24plus" 4 1 DepthUnorm(24), Depth, DEPTH;
    Depth24PlusStencil8 "depth24plus-stencil8" 4 1 DepthUnorm(24), Depth, DEPTH;
    Depth32Float "depth32float" 4 1 DepthFloat, Depth, DEPTH;
    Depth32FloatStencil8 "depth32float-stencil8" 8 1 DepthFloat, Depth, DEPTH;
}

/// Why a name is no format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FormatError {
    /// WebGPU has no such format.
    Unknown(String),
    /// A block-compressed format: its decoder is not modelled.
    Compressed(String),
}

impl std::fmt::Display for FormatError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            FormatError::Unknown(n) => write!(f, "`{n}` is not a texture format"),
            FormatError::Compressed(n) => write!(f, "compressed format {n} not modelled"),
        }
    }
}

impl std::error::Error for FormatError {}

impl Format {
    /// WebGPU's name of the format.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The format of a WebGPU name.
    ///
    /// # Errors
    /// An unknown name, or a compressed format.
    pub fn parse(name: &str) -> Result<Format, FormatError> {
        if let Some(&f) = Format::ALL.iter().find(|f| f.name() == name) {
            return Ok(f);
        }
        let compressed = ["bc1-", "bc2-", "bc3-", "bc4-", "bc5-", "bc6h-", "bc7-", "etc2-", "eac-", "astc-"];
        if compressed.iter().any(|p| name.starts_with(p)) {
            Err(FormatError::Compressed(name.into()))
        } else {
            Err(FormatError::Unknown(name.into()))
        }
    }

    /// Where its components lie and how they are encoded.
    pub fn layout(self) -> Layout {
        self.row().layout
    }

    /// Bytes of a texel in linear memory.
    pub fn bytes(self) -> u32 {
        self.row().bytes
    }
    /// Components that are stored, 1 to 4; of depth and stencil formats 1.
    pub fn components(self) -> u32 {
        self.row().components
    }
    /// The type that the shader gets; of combined formats that of the depth.
    pub fn base(self) -> Base {
        self.row().base
    }
    fn can(self, cap: u16) -> bool {
        self.row().caps & cap != 0
    }
    /// Whether it can be a render target (or depth-stencil attachment).
    pub fn renderable(self) -> bool {
        self.can(RENDER)
    }
    /// Whether targets of it can blend.
    pub fn blendable(self) -> bool {
        self.can(BLEND)
    }
    /// Whether it can have four samples.
    pub fn multisampled(self) -> bool {
        self.can(MULTISAMPLE)
    }
    /// Whether it can be resolved.
    pub fn resolvable(self) -> bool {
        self.can(RESOLVE)
    }
    /// Whether a filtering sampler may read it.
    pub fn filterable(self) -> bool {
        self.can(FILTER)
    }
    /// Whether storage textures of it can be written.
    pub fn storage_write(self) -> bool {
        self.can(WRITE)
    }
    /// Whether storage textures of it can be read.
    pub fn storage_read(self) -> bool {
        self.can(READ)
    }
    /// Whether storage textures of it can be read and written.
    pub fn storage_read_write(self) -> bool {
        self.can(READ_WRITE)
    }
    /// Whether it has a depth aspect.
    pub fn has_depth(self) -> bool {
        self.base() == Base::Depth
    }
    /// Whether it has a stencil aspect.
    pub fn has_stencil(self) -> bool {
        matches!(self, Format::Stencil8 | Format::Depth24PlusStencil8 | Format::Depth32FloatStencil8)
    }
    /// Bits of a depth that is stored as a fraction; `None` for float depth and for formats without.
    pub fn depth_bits(self) -> Option<u32> {
        match self.row().layout {
            DepthUnorm(n) => Some(n),
            _ => None,
        }
    }
    /// Whether red, green and blue are stored as sRGB.
    pub fn is_srgb(self) -> bool {
        matches!(self.row().layout, Array(Srgb, _) | Bgra(Srgb))
    }
    /// Whether components are signed or unsigned fractions of one: blending clamps to their range first.
    pub fn normalised(self) -> Option<(f64, f64)> {
        match self.row().layout {
            Array(Unorm | Srgb, _) | Bgra(_) | Rgb10a2(Unorm) => Some((0.0, 1.0)),
            Array(Snorm, _) => Some((-1.0, 1.0)),
            _ => None,
        }
    }
}
