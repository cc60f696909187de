//! Texel formats: memory to shader values and back.

use std::sync::OnceLock;

use gpucc_num::Round;
use gpucc_num::convert::{f16_to_f32, f32_to_f16};
use gpucc_pipeline::Code::{self, Sint, Snorm, Srgb, Uint, Unorm};
use gpucc_pipeline::Layout::{self, Array, Bgra, DepthFloat, DepthUnorm, Rg11b10, Rgb9e5, Rgb10a2};
pub use gpucc_pipeline::{Base, Format, FormatError};

/// A texel as the shader sees it: four 32-bit words, f32 bits or integers by the format's [`Base`].
pub type Texel = [u32; 4];

/// Texels of a format in memory.
pub trait Codec {
    /// Memory to shader: the texel in `bytes` (at least [`Format::bytes`] long). Missing components are 0, 0, 1.
    fn decode(self, bytes: &[u8]) -> Texel;

    /// The stencil value of a texel in memory; 0 where the format has none.
    fn decode_stencil(self, bytes: &[u8]) -> u32;

    /// Shader to memory: stores the components whose bit is set in `write` (red 1, green 2, blue 4, alpha 8). A depth
    /// leaves the stencil as it is.
    fn encode(self, value: Texel, write: u8, bytes: &mut [u8]);

    /// Sets the stencil value of a texel in memory, where the format has one.
    fn encode_stencil(self, value: u32, bytes: &mut [u8]);

    /// A depth as it will be compared and stored: the code of fixed-point formats, the bits of float ones.
    fn depth_code(self, z: f32) -> u32;
}

impl Codec for Format {
    fn decode(self, bytes: &[u8]) -> Texel {
        let integer = matches!(self.base(), Base::Uint | Base::Sint | Base::Stencil);
        let mut out = [0, 0, 0, if integer { 1 } else { 1f32.to_bits() }];
        match self.layout() {
            Array(code, bits) => {
                let step = bits as usize / 8;
                for (k, part) in bytes.chunks_exact(step).take(self.components() as usize).enumerate() {
                    out[k] = decode_one(if code == Srgb && k == 3 { Unorm } else { code }, word(part), bits);
                }
            }
            Bgra(code) => {
                for (k, from) in [2, 1, 0, 3].into_iter().enumerate() {
                    let code = if code == Srgb && k == 3 { Unorm } else { code };
                    out[k] = decode_one(code, u32::from(bytes[from]), 8);
                }
            }
            Rgb10a2(code) => {
                let w = word(&bytes[..4]);
                for (k, (at, bits)) in TEN.into_iter().enumerate() {
                    out[k] = decode_one(code, w >> at & ((1 << bits) - 1), bits);
                }
            }
            Rg11b10 => {
                let w = word(&bytes[..4]);
                out[0] = small_float(w & 0x7ff, 6).to_bits();
                out[1] = small_float(w >> 11 & 0x7ff, 6).to_bits();
                out[2] = small_float(w >> 22, 5).to_bits();
            }
            Rgb9e5 => {
                let w = word(&bytes[..4]);
                let scale = power_of_two((w >> 27) as i32 - 24);
                for (k, at) in [0, 9, 18].into_iter().enumerate() {
                    out[k] = ((f64::from(w >> at & 0x1ff) * scale) as f32).to_bits();
                }
            }
            DepthUnorm(bits) => {
                out[0] = decode_one(Unorm, word(&bytes[..2.max(self.bytes() as usize)]) & mask(bits), bits)
            }
            DepthFloat => out[0] = word(&bytes[..4]),
            Layout::Stencil => out[0] = u32::from(bytes[0]),
        }
        out
    }

    fn decode_stencil(self, bytes: &[u8]) -> u32 {
        match self {
            Format::Stencil8 => u32::from(bytes[0]),
            Format::Depth24PlusStencil8 => u32::from(bytes[3]),
            Format::Depth32FloatStencil8 => u32::from(bytes[4]),
            _ => 0,
        }
    }

    fn encode_stencil(self, value: u32, bytes: &mut [u8]) {
        let at = match self {
            Format::Stencil8 => 0,
            Format::Depth24PlusStencil8 => 3,
            Format::Depth32FloatStencil8 => 4,
            _ => return,
        };
        bytes[at] = value as u8;
    }

    fn encode(self, value: Texel, write: u8, bytes: &mut [u8]) {
        match self.layout() {
            Array(code, bits) => {
                let step = bits as usize / 8;
                for (k, part) in bytes.chunks_exact_mut(step).take(self.components() as usize).enumerate() {
                    if write >> k & 1 != 0 {
                        let code = if code == Srgb && k == 3 { Unorm } else { code };
                        part.copy_from_slice(&encode_one(code, value[k], bits).to_le_bytes()[..step]);
                    }
                }
            }
            Bgra(code) => {
                for (k, to) in [2, 1, 0, 3].into_iter().enumerate() {
                    if write >> k & 1 != 0 {
                        bytes[to] = encode_one(if code == Srgb && k == 3 { Unorm } else { code }, value[k], 8) as u8;
                    }
                }
            }
            Rgb10a2(code) => {
                let mut w = word(&bytes[..4]);
                for (k, (at, bits)) in TEN.into_iter().enumerate() {
                    if write >> k & 1 != 0 {
                        w = w & !(mask(bits) << at) | encode_one(code, value[k], bits) << at;
                    }
                }
                bytes[..4].copy_from_slice(&w.to_le_bytes());
            }
            Rg11b10 => {
                let mut w = word(&bytes[..4]);
                for (k, (at, m)) in [(0, 6), (11, 6), (22, 5)].into_iter().enumerate() {
                    if write >> k & 1 != 0 {
                        w = w & !(mask(m + 5) << at) | to_small_float(f32::from_bits(value[k]), m) << at;
                    }
                }
                bytes[..4].copy_from_slice(&w.to_le_bytes());
            }
            // Never a target: written as a whole.
            Rgb9e5 => {
                let v = [0, 1, 2].map(|k| f32::from_bits(value[k]));
                bytes[..4].copy_from_slice(&to_rgb9e5(v).to_le_bytes());
            }
            DepthUnorm(bits) => {
                let code = encode_one(Unorm, value[0], bits).to_le_bytes();
                let step = bits as usize / 8;
                bytes[..step].copy_from_slice(&code[..step]);
            }
            DepthFloat => bytes[..4].copy_from_slice(&value[0].to_le_bytes()),
            Layout::Stencil => bytes[0] = value[0] as u8,
        }
    }

    fn depth_code(self, z: f32) -> u32 {
        match self.layout() {
            DepthUnorm(bits) => encode_one(Unorm, z.to_bits(), bits),
            _ => z.to_bits(),
        }
    }
}

/// Place and width of the components of a 10-10-10-2 word.
const TEN: [(u32, u32); 4] = [(0, 10), (10, 10), (20, 10), (30, 2)];

fn mask(bits: u32) -> u32 {
    u32::MAX >> (32 - bits)
}

/// Word of up to four little-endian bytes; bytes beyond the fourth are not looked at.
fn word(bytes: &[u8]) -> u32 {
    bytes.iter().take(4).rev().fold(0, |w, &b| w << 8 | u32::from(b))
}

fn power_of_two(e: i32) -> f64 {
    f64::from_bits(((e + 1023) as u64) << 52)
}

/// Unsigned fraction: `code / (2^bits - 1)`, correctly rounded.
pub fn from_unorm(code: u32, bits: u32) -> f32 {
    (f64::from(code) / f64::from(mask(bits))) as f32
}

/// Signed fraction of a two's complement code; the two lowest codes both give -1.
pub fn from_snorm(code: u32, bits: u32) -> f32 {
    let c = (code << (32 - bits)) as i32 >> (32 - bits);
    ((f64::from(c) / f64::from(mask(bits - 1))).max(-1.0)) as f32
}

/// Values of the sRGB codes, and their lower borders. The curve is slow, and pictures have many texels.
struct SrgbTable {
    values: [f32; 256],
    borders: [f64; 256],
}

fn srgb_table() -> &'static SrgbTable {
    static TABLE: OnceLock<SrgbTable> = OnceLock::new();
    TABLE.get_or_init(|| {
        let curve = |x: f64| {
            if x <= 0.04045 { x / 12.92 } else { gpucc_num::special::wide::pow((x + 0.055) / 1.055, 2.4) }
        };
        SrgbTable {
            values: std::array::from_fn(|k| curve(k as f64 / 255.0) as f32),
            borders: std::array::from_fn(|k| curve((k as f64 - 0.5) / 255.0)),
        }
    })
}

/// sRGB to linear of an 8-bit code.
pub fn from_srgb(code: u32) -> f32 {
    srgb_table().values[code as usize & 255]
}

/// Linear to sRGB: the largest code whose lower border is not above the value.
pub fn to_srgb(l: f64) -> u32 {
    srgb_table().borders[1..].partition_point(|&b| b <= l) as u32
}

fn clamped(x: f64, low: f64) -> f64 {
    if x.is_nan() { 0.0 } else { x.clamp(low, 1.0) }
}

/// f64 to an unsigned fraction; NaN is 0.
pub fn to_unorm(x: f64, bits: u32) -> u32 {
    (clamped(x, 0.0) * f64::from(mask(bits))).round_ties_even() as u32
}

/// f64 to a signed fraction in two's complement; NaN is 0, the lowest code is never made.
pub fn to_snorm(x: f64, bits: u32) -> u32 {
    (clamped(x, -1.0) * f64::from(mask(bits - 1))).round_ties_even() as i32 as u32 & mask(bits)
}

/// A component in memory to shader.
pub(crate) fn decode_one(code: Code, c: u32, bits: u32) -> u32 {
    match code {
        Unorm => from_unorm(c, bits).to_bits(),
        Snorm => from_snorm(c, bits).to_bits(),
        Uint => c,
        Sint => ((c << (32 - bits)) as i32 >> (32 - bits)) as u32,
        Srgb => from_srgb(c).to_bits(),
        Code::Float if bits == 16 => f16_to_f32(c as u16).to_bits(),
        Code::Float => c,
    }
}

fn encode_one(code: Code, v: u32, bits: u32) -> u32 {
    let x = f64::from(f32::from_bits(v));
    match code {
        Unorm => to_unorm(x, bits),
        Snorm => to_snorm(x, bits),
        Uint => v.min(mask(bits)),
        Sint => {
            let top = (mask(bits) >> 1) as i32;
            (v as i32).clamp(-top - 1, top) as u32 & mask(bits)
        }
        Srgb => to_srgb(clamped(x, 0.0)),
        Code::Float if bits == 16 => u32::from(f32_to_f16(Round::Nearest, f32::from_bits(v))),
        Code::Float => v,
    }
}

/// f11 (`m` = 6) or f10 (`m` = 5) to f32: no sign, five bits of exponent.
fn small_float(c: u32, m: u32) -> f32 {
    let (e, f) = (c >> m, c & mask(m));
    match e {
        0 => (f64::from(f) * power_of_two(-14 - m as i32)) as f32,
        31 if f == 0 => f32::INFINITY,
        31 => f32::NAN,
        _ => ((1.0 + f64::from(f) / f64::from(1u32 << m)) * power_of_two(e as i32 - 15)) as f32,
    }
}

/// f32 to f11 or f10: NaN stays, negative values are 0, finite values stop at the largest finite one.
fn to_small_float(x: f32, m: u32) -> u32 {
    let infinity = 31 << m;
    if x.is_nan() {
        return infinity | 1 << (m - 1);
    }
    if x <= 0.0 {
        return 0;
    }
    if x == f32::INFINITY {
        return infinity;
    }
    let e = ((x.to_bits() >> 23) as i32 - 127).max(-14);
    // Units in the last place of this binade; a carry of the rounding moves into the exponent by itself.
    let q = (f64::from(x) * power_of_two(m as i32 - e)).round_ties_even() as u32;
    let code = if q < 1 << m { q } else { ((e + 15) as u32) << m | (q & mask(m)) };
    let code = if q == 2 << m { ((e + 16) as u32) << m } else { code };
    code.min(infinity - 1)
}

fn to_rgb9e5(v: [f32; 3]) -> u32 {
    let v = v.map(|x| if x.is_nan() { 0.0 } else { f64::from(x).clamp(0.0, 65408.0) });
    let max = v.iter().copied().fold(0.0, f64::max);
    let log = if max == 0.0 { -16 } else { ((max.to_bits() >> 52) as i32 - 1023).max(-16) };
    let mut e = log + 16;
    let scale = |e: i32| power_of_two(24 - e);
    if (max * scale(e) + 0.5).floor() == 512.0 {
        e += 1;
    }
    let q = v.map(|x| (x * scale(e) + 0.5).floor() as u32);
    q[0] | q[1] << 9 | q[2] << 18 | (e as u32) << 27
}
