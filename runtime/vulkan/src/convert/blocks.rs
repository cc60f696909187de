//! Compressed formats: blocks of texels, which are decoded when they are written.

use ash::vk::Format as V;
use astc_decode::{Footprint, astc_decode_block};
use gpucc_pipeline::Format as F;

use super::etc;

/// How a block is encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[rustfmt::skip]
enum Kind {
    Bc1, Bc2, Bc3, Bc4, Bc5, Bc6, Bc7,
    /// Colours of ETC2, without alpha.
    Etc2,
    /// ETC2 with alpha of one bit.
    Etc2Punched,
    /// ETC2 with alpha in a block of its own.
    Etc2Alpha,
    /// One component of eleven bits.
    Eac1,
    /// Two.
    Eac2,
    /// Columns and rows of a block.
    Astc(u32, u32),
}

/// A compressed format of blocks of texels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    kind: Kind,
    /// The format of decoded texels.
    pub format: F,
    signed: bool,
    /// Whether alpha is 1 whatever the block says.
    opaque: bool,
}

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

/// Those of the ETC2 family.
const ETC: &[(V, Kind, F, bool, bool)] = &[
    (V::ETC2_R8G8B8_UNORM_BLOCK, Kind::Etc2, F::Rgba8Unorm, false, true),
    (V::ETC2_R8G8B8_SRGB_BLOCK, Kind::Etc2, F::Rgba8UnormSrgb, false, true),
    (V::ETC2_R8G8B8A1_UNORM_BLOCK, Kind::Etc2Punched, F::Rgba8Unorm, false, false),
    (V::ETC2_R8G8B8A1_SRGB_BLOCK, Kind::Etc2Punched, F::Rgba8UnormSrgb, false, false),
    (V::ETC2_R8G8B8A8_UNORM_BLOCK, Kind::Etc2Alpha, F::Rgba8Unorm, false, false),
    (V::ETC2_R8G8B8A8_SRGB_BLOCK, Kind::Etc2Alpha, F::Rgba8UnormSrgb, false, false),
    (V::EAC_R11_UNORM_BLOCK, Kind::Eac1, F::R16Unorm, false, false),
    (V::EAC_R11_SNORM_BLOCK, Kind::Eac1, F::R16Snorm, true, false),
    (V::EAC_R11G11_UNORM_BLOCK, Kind::Eac2, F::Rg16Unorm, false, false),
    (V::EAC_R11G11_SNORM_BLOCK, Kind::Eac2, F::Rg16Snorm, true, false),
];

/// Columns and rows of the blocks of ASTC's two-dimensional formats, in the order of Vulkan's numbers: of each a linear format, and one of sRGB.
#[rustfmt::skip]
const FOOTPRINTS: [(u32, u32); 14] = [
    (4, 4), (5, 4), (5, 5), (6, 5), (6, 6), (8, 5), (8, 6), (8, 8), (10, 5), (10, 6), (10, 8), (10, 10), (12, 10),
    (12, 12),
];

fn astc(f: V) -> Option<Block> {
    let number = usize::try_from(f.as_raw() - V::ASTC_4X4_UNORM_BLOCK.as_raw()).ok()?;
    let &(columns, rows) = FOOTPRINTS.get(number / 2)?;
    let format = if number % 2 == 0 { F::Rgba8Unorm } else { F::Rgba8UnormSrgb };
    Some(Block { kind: Kind::Astc(columns, rows), format, signed: false, opaque: false })
}

/// A compressed format, if there is such a one here.
pub fn block(f: V) -> Option<Block> {
    let one = |&(_, kind, format, signed, opaque): &(V, Kind, F, bool, bool)| Block { kind, format, signed, opaque };
    BLOCKS.iter().chain(ETC).find(|b| b.0 == f).map(one).or_else(|| astc(f))
}

/// One half.
const HALF_ONE: u16 = 0x3c00;

impl Block {
    /// Bytes of a block.
    pub fn bytes(self) -> usize {
        if matches!(self.kind, Kind::Bc1 | Kind::Bc4 | Kind::Etc2 | Kind::Etc2Punched | Kind::Eac1) { 8 } else { 16 }
    }

    /// Columns and rows of texels of a block.
    pub fn edges(self) -> [u32; 2] {
        if let Kind::Astc(columns, rows) = self.kind { [columns, rows] } else { [4, 4] }
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
            Kind::Etc2 | Kind::Etc2Punched => etc::colour(block, self.kind == Kind::Etc2Punched),
            Kind::Etc2Alpha => {
                let mut out = etc::colour(&block[8..], false);
                out.chunks_exact_mut(4).zip(etc::alpha(block)).for_each(|(t, a)| t[3] = a);
                out
            }
            Kind::Eac1 => etc::fraction(block, self.signed).into_iter().flat_map(|v| self.code(v)).collect(),
            Kind::Eac2 => {
                let [red, green] = [&block[..8], &block[8..]].map(|b| etc::fraction(b, self.signed));
                red.into_iter().zip(green).flat_map(|(r, g)| [self.code(r), self.code(g)].concat()).collect()
            }
            Kind::Astc(columns, rows) => {
                let mut out = vec![0; (columns * rows * 4) as usize];
                if let Some(&block) = block.first_chunk() {
                    // A block that breaks a rule is painted with the colour of errors.
                    let _ = astc_decode_block(&block, Footprint::new(columns, rows), |x, y, texel| {
                        let at = ((y * columns + x) * 4) as usize;
                        out[at..at + 4].copy_from_slice(&texel);
                    });
                }
                out
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
