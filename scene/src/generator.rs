//! Patterns: components as integers 0 to 255 by the place of a texel.

use std::ops::Range;

use gpucc_pipeline::{Code, Format, Layout};
use gpucc_sim::texture::{Codec, Image};

use crate::model::{Generator, Pattern};

/// The components at texel (x, y, z) of level `l`, whose size is `size`.
pub fn components(g: &Generator, [x, y, z]: [u32; 3], l: u32, size: [u32; 3]) -> [u8; 4] {
    let mut out = match g.pattern {
        Pattern::Solid { a } => a,
        Pattern::Checker { cell, a, b } => {
            let cell = cell.max(1);
            if (x / cell).wrapping_add(y / cell).wrapping_add(z / cell) & 1 != 0 { b } else { a }
        }
        Pattern::Gradient => {
            let part = |at: u32, size: u32| (255 * u64::from(at) / u64::from(size - 1).max(1)) as u8;
            [part(x, size[0]), part(y, size[1]), part(z, size[2]), 255]
        }
        Pattern::Noise { seed } => {
            let mut k = x.wrapping_mul(0x9E37_79B1)
                ^ y.wrapping_mul(0x85EB_CA77)
                ^ z.wrapping_mul(0xC2B2_AE3D)
                ^ l.wrapping_mul(0x27D4_EB2F)
                ^ seed;
            k ^= k >> 15;
            k = k.wrapping_mul(0x2C1B_3C6D);
            k ^= k >> 12;
            k = k.wrapping_mul(0x297A_2D39);
            k ^= k >> 15;
            k.to_le_bytes()
        }
    };
    if let Some(alpha) = g.alpha {
        out[3] = alpha;
    }
    out
}

/// How components are stored, or nothing for formats that patterns cannot fill.
#[derive(Clone, Copy)]
enum Store {
    /// Codes, the byte k being component `order[k]`.
    Codes([usize; 4]),
    /// value / 256.
    Float,
    /// 257 * r.
    Depth16,
}

fn store(format: Format) -> Option<Store> {
    match format.layout() {
        Layout::Array(Code::Float, _) => Some(Store::Float),
        Layout::Array(_, 8) | Layout::Stencil => Some(Store::Codes([0, 1, 2, 3])),
        Layout::Bgra(_) => Some(Store::Codes([2, 1, 0, 3])),
        Layout::DepthFloat if !format.has_stencil() => Some(Store::Float),
        Layout::DepthUnorm(16) => Some(Store::Depth16),
        _ => None,
    }
}

fn how(format: Format, g: &Generator) -> Result<Store, String> {
    if g.box_mips && !matches!(format.layout(), Layout::Array(Code::Unorm | Code::Srgb, 8) | Layout::Bgra(_)) {
        return Err(format!("`mips` needs a format of 8-bit unorm components, not {}", format.name()));
    }
    store(format).ok_or_else(|| format!("a generator cannot fill a {} texture", format.name()))
}

/// Fills all levels and layers.
///
/// # Errors
/// A format that patterns cannot fill.
pub fn fill(image: &mut Image, g: &Generator) -> Result<(), String> {
    let by_itself = if g.box_mips { 1 } else { image.levels };
    for level in 0..by_itself {
        let layers = image.level_size(level)[2];
        fill_layers(image, g, level, 0..layers)?;
    }
    for level in by_itself..image.levels {
        halve(image, level);
    }
    Ok(())
}

/// Fills layers or slices of a level by the pattern itself.
///
/// # Errors
/// A format that patterns cannot fill.
pub fn fill_layers(image: &mut Image, g: &Generator, level: u32, layers: Range<u32>) -> Result<(), String> {
    let store = how(image.format, g)?;
    let size = image.level_size(level);
    let (format, bytes) = (image.format, image.format.bytes() as usize);
    let start = image.offset(level, layers.start, 0, 0, 0);
    let mut pixels = image.bytes[start..].chunks_exact_mut(image.format.bytes() as usize * image.samples as usize);
    for z in layers {
        for y in 0..size[1] {
            for x in 0..size[0] {
                let Some(pixel) = pixels.next() else { return Ok(()) };
                let c = components(g, [x, y, z], level, size);
                for sample in pixel.chunks_exact_mut(bytes) {
                    match store {
                        Store::Codes(order) => {
                            for (byte, &k) in sample.iter_mut().zip(&order) {
                                *byte = c[k];
                            }
                        }
                        Store::Float => {
                            format.encode(c.map(|v| (f32::from(v) / 256.0).to_bits()), 15, sample);
                        }
                        Store::Depth16 => sample.copy_from_slice(&(257 * u16::from(c[0])).to_le_bytes()),
                    }
                }
            }
        }
    }
    Ok(())
}

/// Makes a level the means of the one before, by component.
fn halve(image: &mut Image, level: u32) {
    let (from, to) = (image.level_size(level - 1), image.level_size(level));
    let bytes = image.format.bytes() as usize;
    let deep = if image.is_3d { 2 } else { 1 };
    let count = 4 * deep;
    for z in 0..to[2] {
        for y in 0..to[1] {
            for x in 0..to[0] {
                let mut sum = [count / 2; 4];
                for corner in 0..count {
                    let near = |at: u32, d: u32, size: u32| (2 * at + d).min(size - 1);
                    let slice = if image.is_3d { near(z, corner >> 2, from[2]) } else { z };
                    let (sx, sy) = (near(x, corner & 1, from[0]), near(y, corner >> 1 & 1, from[1]));
                    for (s, &b) in sum.iter_mut().zip(image.texel_bytes(level - 1, slice, sx, sy, 0)) {
                        *s += u32::from(b);
                    }
                }
                let out = image.texel_bytes_mut(level, z, x, y, 0);
                for (byte, s) in out[..bytes].iter_mut().zip(sum) {
                    *byte = (s / count) as u8;
                }
            }
        }
    }
}
