//! Formats of texels (section 12.4). Formats that WebGPU has are decoded by the model that all machines share.

use gpucc_isa::fail_if;
use gpucc_sim::texture::format::from_srgb;
use gpucc_sim::texture::{Codec, Format};
use gpucc_sim::trap::{Trap, reserved, unsupported};

use super::super::format::Layout;
use crate::isa::GFX8;

const UNORM: u32 = 0;
const UINT: u32 = 4;
const SINT: u32 = 5;
const FLOAT: u32 = 7;
const SRGB: u32 = 9;

/// A format: what a texel in memory means.
#[derive(Clone, Copy, Debug)]
pub(super) struct Texel {
    dfmt: u32,
    nfmt: u32,
    bytes: u32,
    known: Option<Format>,
}

impl Texel {
    /// The format of DATA_FORMAT and NUM_FORMAT.
    pub(super) fn of(dfmt: u32, nfmt: u32, generation: u8) -> Result<Texel, Trap> {
        let bad = |field: &str, value: u32| Err(reserved(format!("T# field {field} has the value {value:#x}")));
        match nfmt {
            0..=5 | FLOAT | SRGB => {}
            6 | 10..=13 if generation != GFX8 => {
                fail_if!(nfmt != 6, unsupported(format!("T# field NUM_FORMAT = {nfmt}")));
            }
            _ => return bad("NUM_FORMAT", nfmt),
        }
        let bits = match dfmt {
            34 => &[9, 9, 9, 5],
            22 | 32 | 33 | 35..=41 | 44..=56 | 59..=63 => {
                return Err(unsupported(format!("T# field DATA_FORMAT = {dfmt}")));
            }
            n => match Layout::of_image(n) {
                Some(layout) => layout.bits(),
                None => return bad("DATA_FORMAT", dfmt),
            },
        };
        let fits = |b: u32| match nfmt {
            FLOAT => matches!(b, 10 | 11 | 16 | 32),
            SRGB => b == 8,
            UINT | SINT => true,
            _ => b < 32,
        };
        // A shared exponent, and floats of 10 and 11 bits beside each other, are floats alone.
        let packed = dfmt == 34 && nfmt == FLOAT;
        let ten = nfmt == FLOAT && matches!(dfmt, 8 | 9);
        if !packed && (dfmt == 34 || ten || !bits.iter().all(|&b| fits(b))) {
            return bad("NUM_FORMAT", nfmt);
        }
        Ok(Texel { dfmt, nfmt, bytes: bits.iter().sum::<u32>() / 8, known: known(dfmt, nfmt) })
    }

    /// Bytes of a texel.
    pub(super) fn bytes(self) -> u32 {
        self.bytes
    }

    /// Whether the shader gets integers.
    pub(super) fn integer(self) -> bool {
        matches!(self.nfmt, UINT | SINT)
    }

    /// Whether values are fractions of 0..1.
    pub(super) fn fraction(self) -> bool {
        self.nfmt == UNORM
    }

    /// The number format, by which halves are made.
    pub(super) fn number(self) -> u32 {
        self.nfmt
    }

    /// 1 as the shader gets it.
    pub(super) fn one(self) -> u32 {
        if self.integer() { 1 } else { 1f32.to_bits() }
    }

    /// A bit for each component that a texel has.
    pub(super) fn components(self) -> u8 {
        let n = if self.dfmt == 34 { 3 } else { Layout::of_image(self.dfmt).map_or(0, |l| l.bits().len()) };
        (1u8 << n) - 1
    }

    /// The format with sRGB codes in place of fractions.
    pub(super) fn degamma(self) -> Result<Texel, Trap> {
        match (self.dfmt, self.nfmt) {
            (1 | 3 | 10, UNORM) => Ok(Texel { nfmt: SRGB, known: known(self.dfmt, SRGB), ..self }),
            _ => Err(unsupported("S# field FORCE_DEGAMMA with this format")),
        }
    }

    /// Memory to shader, before components are selected.
    pub(super) fn decode(self, raw: u128) -> [u32; 4] {
        if let Some(format) = self.known {
            return format.decode(&raw.to_le_bytes()[..self.bytes as usize]);
        }
        let Some(layout) = Layout::of_image(self.dfmt) else { return [0; 4] };
        if self.nfmt == SRGB {
            let mut out = [0, 0, 0, 1f32.to_bits()];
            let codes = raw.to_le_bytes();
            for (k, c) in out.iter_mut().enumerate().take(self.bytes as usize) {
                *c = from_srgb(codes[k].into()).to_bits();
            }
            return out;
        }
        layout.unpack(self.nfmt, raw)
    }

    /// Shader to memory.
    pub(super) fn encode(self, value: [u32; 4]) -> Result<u128, Trap> {
        fail_if!(self.nfmt == SRGB, unsupported("stores to sRGB texels"));
        if let Some(format) = self.known {
            let mut raw = [0; 16];
            format.encode(value, 15, &mut raw[..self.bytes as usize]);
            return Ok(u128::from_le_bytes(raw));
        }
        Ok(Layout::of_image(self.dfmt).map_or(0, |l| l.pack(self.nfmt, value, false)))
    }
}

/// WebGPU's name of a format.
fn known(dfmt: u32, nfmt: u32) -> Option<Format> {
    use Format::*;
    let by_number = |unorm, snorm, uint, sint, float: Option<Format>| match nfmt {
        0 => unorm,
        1 => snorm,
        UINT => Some(uint),
        SINT => Some(sint),
        FLOAT => float,
        _ => None,
    };
    match dfmt {
        1 => by_number(Some(R8Unorm), Some(R8Snorm), R8Uint, R8Sint, None),
        2 => by_number(Some(R16Unorm), Some(R16Snorm), R16Uint, R16Sint, Some(R16Float)),
        3 => by_number(Some(Rg8Unorm), Some(Rg8Snorm), Rg8Uint, Rg8Sint, None),
        4 => by_number(None, None, R32Uint, R32Sint, Some(R32Float)),
        5 => by_number(Some(Rg16Unorm), Some(Rg16Snorm), Rg16Uint, Rg16Sint, Some(Rg16Float)),
        6 if nfmt == FLOAT => Some(Rg11b10Ufloat),
        9 if nfmt == UNORM => Some(Rgb10a2Unorm),
        9 if nfmt == UINT => Some(Rgb10a2Uint),
        10 if nfmt == SRGB => Some(Rgba8UnormSrgb),
        10 => by_number(Some(Rgba8Unorm), Some(Rgba8Snorm), Rgba8Uint, Rgba8Sint, None),
        11 => by_number(None, None, Rg32Uint, Rg32Sint, Some(Rg32Float)),
        12 => by_number(Some(Rgba16Unorm), Some(Rgba16Snorm), Rgba16Uint, Rgba16Sint, Some(Rgba16Float)),
        14 => by_number(None, None, Rgba32Uint, Rgba32Sint, Some(Rgba32Float)),
        34 => Some(Rgb9e5Ufloat),
        _ => None,
    }
}
