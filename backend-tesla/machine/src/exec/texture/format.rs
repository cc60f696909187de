//! Texels of the component sizes and types that a TIC names (`graphics-tesla.md` 2.1).

use gpucc_isa::fail_if;
use gpucc_num::convert::f16_to_f32;
use gpucc_sim::texture::format::{from_snorm, from_srgb, from_unorm};
use gpucc_sim::texture::{Codec, Format};
use gpucc_sim::trap::{Trap, reserved, unsupported};

const SNORM: u32 = 1;
const UNORM: u32 = 2;
const SINT: u32 = 3;
const UINT: u32 = 4;
const FLOAT: u32 = 7;

/// How the components of a texel lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sizes {
    /// Bits of each, from the lowest.
    Bits(&'static [u32]),
    /// Three floats with one exponent.
    SharedExponent,
    /// Floats of 11, 11 and 10 bits.
    SmallFloats,
}

/// A format.
#[derive(Clone, Copy, Debug)]
pub(super) struct Texel {
    sizes: Sizes,
    types: [u32; 4],
    srgb: bool,
    /// Bytes of a texel.
    pub bytes: u32,
}

impl Texel {
    /// The texel of component sizes and the types of the four components.
    pub fn of(sizes: u32, types: [u32; 4], srgb: bool, generation: u8) -> Result<Texel, Trap> {
        let reserved = |field: &str, v: u32| reserved(format!("TIC field {field} has the value {v:#x}"));
        let (layout, bytes) = match sizes {
            0x01 => (Sizes::Bits(&[32; 4]), 16),
            0x03 => (Sizes::Bits(&[16; 4]), 8),
            0x04 => (Sizes::Bits(&[32; 2]), 8),
            0x08 => (Sizes::Bits(&[8; 4]), 4),
            0x09 => (Sizes::Bits(&[10, 10, 10, 2]), 4),
            0x0c => (Sizes::Bits(&[16; 2]), 4),
            0x0f | 0x2f => (Sizes::Bits(&[32]), 4),
            0x18 => (Sizes::Bits(&[8; 2]), 2),
            0x1b => (Sizes::Bits(&[16]), 2),
            0x1d => (Sizes::Bits(&[8]), 1),
            0x20 => (Sizes::SharedExponent, 4),
            0x21 => (Sizes::SmallFloats, 4),
            0x2a | 0x2b => (Sizes::Bits(&[24, 8]), 4),
            0x30 => (Sizes::Bits(&[32, 8]), 8),
            0x3a if generation >= 2 => (Sizes::Bits(&[16]), 2),
            0x3a => return Err(reserved("SIZES", sizes)),
            _ => return Err(unsupported(format!("TIC field SIZES = {sizes:#x}"))),
        };
        let depth = matches!(sizes, 0x2a | 0x2b | 0x2f | 0x30 | 0x3a);
        for (k, &t) in types.iter().enumerate() {
            let bits = match layout {
                Sizes::Bits(b) => b.get(k).copied(),
                _ => Some(0),
            };
            let fits = match (t, bits) {
                (SNORM | UNORM, Some(b)) => b > 0 && b < 32,
                (FLOAT, Some(b)) => matches!(b, 0 | 16 | 32),
                (SINT | UINT, Some(b)) => b > 0,
                (SNORM | UNORM | SINT | UINT | FLOAT, None) => true,
                _ => false,
            };
            // Components that are not there have the type of the first, or beside a depth that of a stencil.
            let expected = if depth && k > 0 { t == UINT } else { t == types[0] };
            fail_if!(!fits || !expected, reserved("TYPE", t));
        }
        fail_if!(srgb && (types[0] != UNORM || layout != Sizes::Bits(&[8; 4])), reserved("SRGB", 1));
        Ok(Texel { sizes: layout, types, srgb, bytes })
    }

    /// Whether a component is an integer.
    pub fn integer(&self, component: usize) -> bool {
        matches!(self.types[component], SINT | UINT)
    }

    /// Whether the first component is a fraction from 0 to 1.
    pub fn fraction(&self) -> bool {
        self.types[0] == UNORM
    }

    /// The components; what is not there is 0.
    pub fn decode(&self, raw: u128) -> [u32; 4] {
        let bytes = raw.to_le_bytes();
        let bits = match self.sizes {
            Sizes::Bits(bits) => bits,
            Sizes::SharedExponent => return Format::Rgb9e5Ufloat.decode(&bytes[..4]),
            Sizes::SmallFloats => return Format::Rg11b10Ufloat.decode(&bytes[..4]),
        };
        let (mut out, mut at) = ([0; 4], 0);
        for (k, &n) in bits.iter().enumerate() {
            let code = (raw >> at) as u32 & (u32::MAX >> (32 - n));
            at += n;
            out[k] = match self.types[k] {
                UNORM if self.srgb && k < 3 => from_srgb(code).to_bits(),
                UNORM => from_unorm(code, n).to_bits(),
                SNORM => from_snorm(code, n).to_bits(),
                SINT => ((code << (32 - n)) as i32 >> (32 - n)) as u32,
                FLOAT if n == 16 => f16_to_f32(code as u16).to_bits(),
                _ => code,
            };
        }
        out
    }
}
