//! Formats of descriptors: what a texel or attribute in memory means (`isa/graphics-valhall.md`, b.3). All that the reference names
//! are formats that the shared model decodes.

use gpucc_isa::fail_if;
use gpucc_sim::texture::{Base, Codec, Format};
use gpucc_sim::trap::{Trap, reserved, unsupported};

/// The order of components in a format: red first.
const RGBA: u32 = 0;
/// Blue first.
const BGRA: u32 = 4;
/// Red first, no alpha.
const RGB1: u32 = 16;

/// A format of a descriptor.
#[derive(Clone, Copy, Debug)]
pub(super) struct Code {
    format: Format,
    /// Components that memory holds; of attributes three, too.
    components: u32,
    bytes: u32,
}

impl Code {
    /// The format that 22 bits name.
    pub(super) fn of(word: u32) -> Result<Code, Trap> {
        use Format::*;
        let (order, code, srgb) = (word & 0xff, word >> 12 & 0xff, word >> 20 & 1);
        let reserved = || reserved(format!("format {word:#x}"));
        fail_if!(word & 0xf00 != 0 || word >> 21 != 0, reserved());
        let format = match (code, srgb, order) {
            (0xbb, 0, BGRA) => Bgra8Unorm,
            (0xbb, 1, BGRA) => Bgra8UnormSrgb,
            (0xbb, 1, RGBA) => Rgba8UnormSrgb,
            (_, 0, RGBA | RGB1) => match code {
                0xa3 => R8Unorm,
                0xab => Rg8Unorm,
                0xbb => Rgba8Unorm,
                0x63 => R8Snorm,
                0x6b => Rg8Snorm,
                0x7b => Rgba8Snorm,
                0x83 => R8Uint,
                0x8b => Rg8Uint,
                0x9b => Rgba8Uint,
                0xc3 => R8Sint,
                0xcb => Rg8Sint,
                0xdb => Rgba8Sint,
                0xa4 => R16Unorm,
                0xac => Rg16Unorm,
                0xbc => Rgba16Unorm,
                0x64 => R16Snorm,
                0x6c => Rg16Snorm,
                0x7c => Rgba16Snorm,
                0x84 => R16Uint,
                0x8c => Rg16Uint,
                0x9c => Rgba16Uint,
                0xc4 => R16Sint,
                0xcc => Rg16Sint,
                0xdc => Rgba16Sint,
                0xc7 => R16Float,
                0xcf => Rg16Float,
                0xdf => Rgba16Float,
                0x85 => R32Uint,
                0x8d => Rg32Uint,
                0x9d | 0x95 => Rgba32Uint,
                0xc5 => R32Sint,
                0xcd => Rg32Sint,
                0xdd | 0xd5 => Rgba32Sint,
                0xa7 => R32Float,
                0xaf => Rg32Float,
                0xbf | 0xb7 => Rgba32Float,
                0x43 => Rgb10a2Unorm,
                0x47 => Rgb10a2Uint,
                0x59 => Rg11b10Ufloat,
                0x5b => Rgb9e5Ufloat,
                0x4d => Depth24Plus,
                _ => return Err(reserved()),
            },
            _ => return Err(reserved()),
        };
        let three = matches!(code, 0x95 | 0xd5 | 0xb7);
        let components = if three { 3 } else { format.components() };
        fail_if!(order == RGB1 && components == 4 || order == RGBA && three, reserved());
        Ok(Code { format, components, bytes: if three { 12 } else { format.bytes() } })
    }

    /// Bytes of a texel.
    pub(super) fn bytes(self) -> u32 {
        self.bytes
    }

    /// Components in memory.
    pub(super) fn components(self) -> u32 {
        self.components
    }

    /// Whether the shader gets integers.
    pub(super) fn integer(self) -> bool {
        matches!(self.format.base(), Base::Uint | Base::Sint)
    }

    /// Whether the shader gets integers with a sign.
    pub(super) fn signed(self) -> bool {
        self.format.base() == Base::Sint
    }

    /// Whether values are fractions of 0..1.
    pub(super) fn fraction(self) -> bool {
        self.format.normalised() == Some((0.0, 1.0)) || self.format == Format::Depth24Plus
    }

    /// 1 as the shader gets it.
    pub(super) fn one(self) -> u32 {
        if self.integer() { 1 } else { 1f32.to_bits() }
    }

    /// sRGB codes as plain fractions.
    pub(super) fn without_srgb(self) -> Code {
        let format = match self.format {
            Format::Rgba8UnormSrgb => Format::Rgba8Unorm,
            Format::Bgra8UnormSrgb => Format::Bgra8Unorm,
            f => f,
        };
        Code { format, ..self }
    }

    /// Memory to shader, before components are selected.
    pub(super) fn decode(self, raw: u128) -> [u32; 4] {
        let mut texel = self.format.decode(&raw.to_le_bytes()[..self.format.bytes() as usize]);
        if self.components == 3 && self.bytes == 12 {
            texel[3] = self.one();
        }
        texel
    }

    /// Shader to memory.
    pub(super) fn encode(self, value: [u32; 4]) -> Result<u128, Trap> {
        fail_if!(self.format.is_srgb(), unsupported("stores to sRGB texels"));
        let mut raw = [0; 16];
        self.format.encode(value, 15, &mut raw[..self.format.bytes() as usize]);
        Ok(u128::from_le_bytes(raw))
    }
}
