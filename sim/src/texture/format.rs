//! Texel formats: memory to shader values and back.

use gpucc_num::Round;
use gpucc_num::convert::{f16_to_f32, f32_to_f16};

/// A texel as the shader sees it: four 32-bit words, f32 bits or integers by the format's [`Base`].
pub type Texel = [u32; 4];

/// What the components of a texel are to the shader.
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Code {
    Unorm,
    Snorm,
    Uint,
    Sint,
    Float,
    /// Unorm whose first three components are sRGB.
    Srgb,
}

/// Where the components lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    /// Components of `1` bits each, the first at the lowest address.
    Array(Code, u32),
    /// Four bytes: blue, green, red, alpha.
    Bgra(Code),
    /// 10, 10, 10 and 2 bits from the least significant.
    Rgb10a2(Code),
    Rg11b10,
    Rgb9e5,
    /// Depth of these bits as unorm in the low bits, stencil above where the format has one.
    DepthUnorm(u32),
    /// f32 depth, stencil in byte 4 where the format has one.
    DepthFloat,
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
            /// Every format.
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
            FormatError::Unknown(n) => write!(f, "`{n}` is no texture format"),
            FormatError::Compressed(n) => write!(f, "compressed format {n} not modelled"),
        }
    }
}

impl std::error::Error for FormatError {}

impl Format {
    /// WebGPU's name.
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

    /// Bytes of a texel in linear memory.
    pub fn bytes(self) -> u32 {
        self.row().bytes
    }
    /// Components that are stored, 1 to 4; of depth and stencil formats 1.
    pub fn components(self) -> u32 {
        self.row().components
    }
    /// What the shader gets; of combined formats that of the depth.
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

    /// Memory to shader: the texel in `bytes` (at least [`Format::bytes`] long). Missing components are 0, 0, 1.
    pub fn decode(self, bytes: &[u8]) -> Texel {
        let row = self.row();
        let integer = matches!(row.base, Base::Uint | Base::Sint | Base::Stencil);
        let mut out = [0, 0, 0, if integer { 1 } else { 1f32.to_bits() }];
        match row.layout {
            Array(code, bits) => {
                let step = bits as usize / 8;
                for (k, part) in bytes.chunks_exact(step).take(row.components as usize).enumerate() {
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

    /// The stencil value of a texel in memory; 0 where the format has none.
    pub fn decode_stencil(self, bytes: &[u8]) -> u32 {
        match self {
            Format::Stencil8 => u32::from(bytes[0]),
            Format::Depth24PlusStencil8 => u32::from(bytes[3]),
            Format::Depth32FloatStencil8 => u32::from(bytes[4]),
            _ => 0,
        }
    }

    /// Sets the stencil value of a texel in memory, where the format has one.
    pub fn encode_stencil(self, value: u32, bytes: &mut [u8]) {
        let at = match self {
            Format::Stencil8 => 0,
            Format::Depth24PlusStencil8 => 3,
            Format::Depth32FloatStencil8 => 4,
            _ => return,
        };
        bytes[at] = value as u8;
    }

    /// Shader to memory: stores the components whose bit is set in `write` (red 1, green 2, blue 4, alpha 8). A depth
    /// leaves the stencil as it is.
    pub fn encode(self, value: Texel, write: u8, bytes: &mut [u8]) {
        let row = self.row();
        match row.layout {
            Array(code, bits) => {
                let step = bits as usize / 8;
                for (k, part) in bytes.chunks_exact_mut(step).take(row.components as usize).enumerate() {
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

    /// A depth as it will be compared and stored: the code of fixed-point formats, the bits of float ones.
    pub fn depth_code(self, z: f32) -> u32 {
        match self.row().layout {
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

/// Up to four little-endian bytes as a word; bytes beyond the fourth are not looked at.
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

/// sRGB to linear of an 8-bit code.
pub fn from_srgb(code: u32) -> f32 {
    srgb_curve(f64::from(code) / 255.0) as f32
}

fn srgb_curve(x: f64) -> f64 {
    if x <= 0.04045 { x / 12.92 } else { gpucc_num::special::wide::pow((x + 0.055) / 1.055, 2.4) }
}

/// Linear to sRGB: the largest code whose lower border is not above the value.
pub fn to_srgb(l: f64) -> u32 {
    let (mut low, mut high) = (0u32, 256u32);
    while high - low > 1 {
        let mid = (low + high) / 2;
        if l >= srgb_curve((f64::from(mid) - 0.5) / 255.0) { low = mid } else { high = mid }
    }
    low
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

fn decode_one(code: Code, c: u32, bits: u32) -> u32 {
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
    // Units in the last place of this binade; a carry of the rounding goes on into the exponent by itself.
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
