//! Compressed formats: blocks of four by four texels, which are decoded when they are written.

use ash::vk::Format as V;
use gpucc_pipeline::Format as F;

/// How a block is encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Bc1,
    Bc2,
    Bc3,
    Bc4,
    Bc5,
    Bc6,
    Bc7,
}

/// A compressed format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    kind: Kind,
    /// The format of decoded texels.
    pub format: F,
    signed: bool,
    /// Whether alpha is 1 whatever the block says.
    opaque: bool,
}

/// Texels along an edge of a block.
pub const EDGE: u32 = 4;

/// The compressed formats of the BC family.
const BLOCKS: &[(V, Kind, F, bool, bool)] = &[
    (V::BC1_RGB_UNORM_BLOCK, Kind::Bc1, F::Rgba8Unorm, false, true),
    (V::BC1_RGB_SRGB_BLOCK, Kind::Bc1, F::Rgba8UnormSrgb, false, true),
    (V::BC1_RGBA_UNORM_BLOCK, Kind::Bc1, F::Rgba8Unorm, false, false),
    (V::BC1_RGBA_SRGB_BLOCK, Kind::Bc1, F::Rgba8UnormSrgb, false, false),
    (V::BC2_UNORM_BLOCK, Kind::Bc2, F::Rgba8Unorm, false, false),
    (V::BC2_SRGB_BLOCK, Kind::Bc2, F::Rgba8UnormSrgb, false, false),
    (V::BC3_UNORM_BLOCK, Kind::Bc3, F::Rgba8Unorm, false, false),
    (V::BC3_SRGB_BLOCK, Kind::Bc3, F::Rgba8UnormSrgb, false, false),
    (V::BC4_UNORM_BLOCK, Kind::Bc4, F::R16Unorm, false, false),
    (V::BC4_SNORM_BLOCK, Kind::Bc4, F::R16Snorm, true, false),
    (V::BC5_UNORM_BLOCK, Kind::Bc5, F::Rg16Unorm, false, false),
    (V::BC5_SNORM_BLOCK, Kind::Bc5, F::Rg16Snorm, true, false),
    (V::BC6H_UFLOAT_BLOCK, Kind::Bc6, F::Rgba16Float, false, true),
    (V::BC6H_SFLOAT_BLOCK, Kind::Bc6, F::Rgba16Float, true, true),
    (V::BC7_UNORM_BLOCK, Kind::Bc7, F::Rgba8Unorm, false, false),
    (V::BC7_SRGB_BLOCK, Kind::Bc7, F::Rgba8UnormSrgb, false, false),
];

/// A compressed format, if there is such a one here.
pub fn block(f: V) -> Option<Block> {
    let one = |&(_, kind, format, signed, opaque): &(V, Kind, F, bool, bool)| Block { kind, format, signed, opaque };
    BLOCKS.iter().find(|b| b.0 == f).map(one)
}

/// One half.
const HALF_ONE: u16 = 0x3c00;

impl Block {
    /// Bytes of a block.
    pub fn bytes(self) -> usize {
        if matches!(self.kind, Kind::Bc1 | Kind::Bc4) { 8 } else { 16 }
    }

    /// The texels of a block, row by row, in the decoded format.
    pub fn decode(self, block: &[u8]) -> Vec<u8> {
        let mut out = match self.kind {
            Kind::Bc1 | Kind::Bc2 | Kind::Bc3 | Kind::Bc7 => {
                let mut out = vec![0; 64];
                match self.kind {
                    Kind::Bc1 => bcdec_rs::bc1(block, &mut out, 16),
                    Kind::Bc2 => bcdec_rs::bc2(block, &mut out, 16),
                    Kind::Bc3 => bcdec_rs::bc3(block, &mut out, 16),
                    _ => bcdec_rs::bc7(block, &mut out, 16),
                }
                out
            }
            Kind::Bc4 | Kind::Bc5 => {
                let lanes = if self.kind == Kind::Bc4 { 1 } else { 2 };
                let mut floats = vec![0f32; 16 * lanes];
                match self.kind {
                    Kind::Bc4 => bcdec_rs::bc4_float(block, &mut floats, 4, self.signed),
                    _ => bcdec_rs::bc5_float(block, &mut floats, 8, self.signed),
                }
                floats.into_iter().flat_map(|v| self.code(v)).collect()
            }
            Kind::Bc6 => {
                let mut halves = [0u16; 48];
                bcdec_rs::bc6h_half(block, &mut halves, 12, self.signed);
                let texel = |t: &[u16]| [t[0], t[1], t[2], HALF_ONE].map(u16::to_le_bytes).concat();
                halves.chunks_exact(3).flat_map(texel).collect()
            }
        };
        if self.opaque && self.kind == Kind::Bc1 {
            out.chunks_exact_mut(4).for_each(|t| t[3] = 255);
        }
        out
    }

    /// A normalised value in 16 bits.
    fn code(self, v: f32) -> [u8; 2] {
        match self.signed {
            true => ((v.clamp(-1.0, 1.0) * 32767.0).round() as i16).to_le_bytes(),
            false => ((v.clamp(0.0, 1.0) * 65535.0).round() as u16).to_le_bytes(),
        }
    }
}
