//! The work behind the fragment shader: sample masks, stencil and depth tests, blending, writes, resolve.

pub use gpucc_pipeline::{
    Blend, BlendComponent, BlendFactor, BlendOperation, DepthStencil, StencilFace, StencilOperation,
};

use crate::texture::{Codec, Format, Texel, format};

/// Mask that alpha to coverage makes of the alpha of the first target.
pub fn alpha_to_coverage(alpha: f32, samples: u32) -> u32 {
    let a = if alpha.is_nan() { 0.0 } else { f64::from(alpha).clamp(0.0, 1.0) };
    let k = (a * f64::from(samples) + 0.5).floor() as u32;
    (1 << k) - 1
}

/// Tests one sample against `stored`, the bytes of the attachment there, and updates them. `z` is the depth after
/// bias and the clamp to the viewport's range.
pub fn test_sample(state: &DepthStencil, is_front: bool, reference: u32, z: f32, stored: &mut [u8]) -> bool {
    let face = if is_front { &state.front } else { &state.back };
    let has_stencil = state.format.has_stencil();
    let old = state.format.decode_stencil(stored);
    let masked = |v: u32| v & state.read_mask & 0xff;
    let stencil = !has_stencil || face.compare.holds(masked(reference), masked(old));
    let depth = !state.format.has_depth() || {
        let code = state.format.depth_code(z);
        match state.format.depth_bits() {
            Some(bits) => {
                let word = stored.iter().take(4).rev().fold(0, |w, &b| w << 8 | u32::from(b));
                state.depth_compare.holds(code, word & (u32::MAX >> (32 - bits)))
            }
            None => {
                let there = f32::from_bits(state.format.decode(stored)[0]);
                state.depth_compare.holds(f32::from_bits(code), there)
            }
        }
    };
    if has_stencil {
        let op = if !stencil {
            face.fail
        } else if !depth {
            face.depth_fail
        } else {
            face.pass
        };
        let new = op.apply(old as u8, reference as u8);
        let mask = state.write_mask & 0xff;
        state.format.encode_stencil(old & !mask | u32::from(new) & mask, stored);
    }
    if stencil && depth && state.depth_write && state.format.has_depth() {
        state.format.encode([z.to_bits(), 0, 0, 0], 1, stored);
    }
    stencil && depth
}

/// Red, green, blue, alpha.
type Colour = [f64; 4];

struct Inputs {
    src: Colour,
    src1: Colour,
    dst: Colour,
    constant: Colour,
    /// The greatest factor: fixed-point targets clamp factors too, and 1 less a negative number is more than 1.
    most: f64,
}

impl Inputs {
    fn factor(&self, f: BlendFactor, k: usize) -> f64 {
        match f {
            BlendFactor::Zero => 0.0,
            BlendFactor::One => 1.0,
            BlendFactor::Src => self.src[k],
            BlendFactor::OneMinusSrc => 1.0 - self.src[k],
            BlendFactor::SrcAlpha => self.src[3],
            BlendFactor::OneMinusSrcAlpha => 1.0 - self.src[3],
            BlendFactor::Dst => self.dst[k],
            BlendFactor::OneMinusDst => 1.0 - self.dst[k],
            BlendFactor::DstAlpha => self.dst[3],
            BlendFactor::OneMinusDstAlpha => 1.0 - self.dst[3],
            BlendFactor::SrcAlphaSaturated if k == 3 => 1.0,
            BlendFactor::SrcAlphaSaturated => self.src[3].min(1.0 - self.dst[3]),
            BlendFactor::Constant => self.constant[k],
            BlendFactor::OneMinusConstant => 1.0 - self.constant[k],
            BlendFactor::Src1 => self.src1[k],
            BlendFactor::OneMinusSrc1 => 1.0 - self.src1[k],
            BlendFactor::Src1Alpha => self.src1[3],
            BlendFactor::OneMinusSrc1Alpha => 1.0 - self.src1[3],
        }
    }

    /// A value times its factor; the factor zero drops what is not finite.
    fn term(&self, value: f64, f: BlendFactor, k: usize) -> f64 {
        if f == BlendFactor::Zero { 0.0 } else { value * self.factor(f, k).min(self.most) }
    }

    fn blend(&self, c: &BlendComponent, k: usize) -> f64 {
        let (s, d) = (self.src[k], self.dst[k]);
        match c.operation {
            BlendOperation::Add => self.term(s, c.src, k) + self.term(d, c.dst, k),
            BlendOperation::Subtract => self.term(s, c.src, k) - self.term(d, c.dst, k),
            BlendOperation::ReverseSubtract => self.term(d, c.dst, k) - self.term(s, c.src, k),
            BlendOperation::Min => s.min(d),
            BlendOperation::Max => s.max(d),
        }
    }
}

/// Writes a fragment's value to one sample of a target, blended if `blend` says so; `write` has a bit for each
/// component (red 1, green 2, blue 4, alpha 8).
pub fn write_target(
    format: Format,
    blend: Option<&Blend>,
    constant: [f32; 4],
    (src, src1): (Texel, Texel),
    write: u8,
    stored: &mut [u8],
) {
    let Some(blend) = blend else { return format.encode(src, write, stored) };
    // Fixed-point targets see values of their range only.
    let clamp = |x: f64| match format.normalised() {
        Some(_) if x.is_nan() => 0.0,
        Some((low, high)) => x.clamp(low, high),
        None => x,
    };
    let float = |t: Texel| t.map(|b| f64::from(f32::from_bits(b)));
    let mut dst = float(format.decode(stored));
    // Components that are not stored read 0, 0, 1, which decoding has done; a colour target without alpha reads 1.
    if format.components() < 4 {
        dst[3] = 1.0;
    }
    let inputs = Inputs {
        src: float(src).map(clamp),
        src1: float(src1).map(clamp),
        dst,
        constant: constant.map(|c| clamp(f64::from(c))),
        most: format.normalised().map_or(f64::INFINITY, |(_, high)| high),
    };
    let out: Colour = std::array::from_fn(|k| inputs.blend(if k == 3 { &blend.alpha } else { &blend.color }, k));
    encode_wide(format, out, write, stored);
}

/// Encodes f64 values, rounded once where the format is a fraction.
fn encode_wide(format: Format, value: Colour, write: u8, stored: &mut [u8]) {
    let exact = |k: usize, bits: u32| format::from_unorm(format::to_unorm(value[k], bits), bits).to_bits();
    let texel = match format {
        Format::R8Unorm | Format::Rg8Unorm | Format::Rgba8Unorm | Format::Bgra8Unorm => {
            std::array::from_fn(|k| exact(k, 8))
        }
        Format::Rgb10a2Unorm => std::array::from_fn(|k| exact(k, if k == 3 { 2 } else { 10 })),
        _ => value.map(|x| (x as f32).to_bits()),
    };
    format.encode(texel, write, stored);
}

/// Resolves the samples of a pixel, `bytes` of the format each, into one.
pub fn resolve(format: Format, samples: &[u8], out: &mut [u8]) {
    let size = format.bytes() as usize;
    let count = (samples.len() / size) as f64;
    let mut sum = [0.0; 4];
    for s in samples.chunks_exact(size) {
        for (a, t) in sum.iter_mut().zip(format.decode(s)) {
            *a += f64::from(f32::from_bits(t));
        }
    }
    encode_wide(format, sum.map(|s| s / count), 15, out);
}
