//! The fetch of attributes.

pub use gpucc_pipeline::VertexFormat;

use crate::texture::format::{Base, Texel, decode_one};

/// Elements of a vertex format in memory.
pub trait VertexCodec {
    /// The element in `bytes`, filled up with 0, 0, 0, 1.
    fn decode(self, bytes: &[u8]) -> Texel;
}

impl VertexCodec for VertexFormat {
    fn decode(self, bytes: &[u8]) -> Texel {
        let (code, bits, count) = self.row();
        let mut out = missing(self);
        let word = |k: usize, n: usize| bytes[k * n..][..n].iter().rev().fold(0, |w, &b| w << 8 | u32::from(b));
        match self {
            VertexFormat::Unorm10_10_10_2 | VertexFormat::Snorm10_10_10_2 => {
                let w = word(0, 4);
                for (k, (at, bits)) in [(0, 10), (10, 10), (20, 10), (30, 2)].into_iter().enumerate() {
                    out[k] = decode_one(code, w >> at & ((1 << bits) - 1), bits);
                }
            }
            VertexFormat::Unorm8x4Bgra => {
                for (k, from) in [2, 1, 0, 3].into_iter().enumerate() {
                    out[k] = decode_one(code, u32::from(bytes[from]), 8);
                }
            }
            _ => {
                for (k, o) in out.iter_mut().enumerate().take(count as usize) {
                    *o = decode_one(code, word(k, bits as usize / 8), bits);
                }
            }
        }
        out
    }
}

fn missing(format: VertexFormat) -> Texel {
    [0, 0, 0, if format.base() == Base::Float { 1f32.to_bits() } else { 1 }]
}

/// Fetches element `element` of an attribute from the bytes of its binding. Stored components of an element that ends
/// past the binding read zero.
pub fn fetch(binding: &[u8], stride: u64, offset: u64, element: u32, format: VertexFormat) -> Texel {
    let size = u64::from(format.bytes());
    let at = u64::from(element).checked_mul(stride).and_then(|a| a.checked_add(offset)).unwrap_or(u64::MAX);
    match at.checked_add(size).filter(|&end| end <= binding.len() as u64) {
        Some(end) => format.decode(&binding[at as usize..end as usize]),
        None => format.decode(&[0; 16][..size as usize]),
    }
}
