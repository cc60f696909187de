//! WGSL packing and unpacking of normalised and half floats.

use crate::Round;
use crate::convert::{f16_to_f32, f32_to_f16};
use core::primitive::f32;

/// `floor(0.5 + scale * clamp(x, low, 1))`, product and sum each rounded to f32, as code without a fused multiply-add
/// computes it; NaN counts as 0.
#[inline]
fn norm(x: f32, low: f32, scale: f32) -> i32 {
    let x = if x.is_nan() { 0.0 } else { x.clamp(low, 1.0) };
    crate::f32::floor(0.5 + scale * x) as i32
}

/// One signed normalised value of `bits` bits, as an integer.
#[inline]
pub fn to_snorm(x: f32, bits: u32) -> i32 {
    norm(x, -1.0, ((1_u32 << (bits - 1)) - 1) as f32)
}

/// One unsigned normalised value of `bits` bits, as an integer.
#[inline]
pub fn to_unorm(x: f32, bits: u32) -> u32 {
    norm(x, 0.0, ((1_u32 << bits) - 1) as f32) as u32
}

/// Value of a signed normalised integer of `bits` bits.
#[inline]
pub fn from_snorm(v: i32, bits: u32) -> f32 {
    (v as f32 / ((1_u32 << (bits - 1)) - 1) as f32).max(-1.0)
}

/// Value of an unsigned normalised integer of `bits` bits.
#[inline]
pub fn from_unorm(v: u32, bits: u32) -> f32 {
    v as f32 / ((1_u32 << bits) - 1) as f32
}

/// WGSL's `pack4x8snorm`: component 0 lowest.
pub fn pack4x8snorm(v: [f32; 4]) -> u32 {
    u32::from_le_bytes(v.map(|x| to_snorm(x, 8) as u8))
}

/// WGSL's `pack4x8unorm`: component 0 lowest.
pub fn pack4x8unorm(v: [f32; 4]) -> u32 {
    u32::from_le_bytes(v.map(|x| to_unorm(x, 8) as u8))
}

/// WGSL's `pack2x16snorm`: component 0 lowest.
pub fn pack2x16snorm(v: [f32; 2]) -> u32 {
    halves(v.map(|x| to_snorm(x, 16) as u16))
}

/// WGSL's `pack2x16unorm`: component 0 lowest.
pub fn pack2x16unorm(v: [f32; 2]) -> u32 {
    halves(v.map(|x| to_unorm(x, 16) as u16))
}

/// WGSL's `pack2x16float`: component 0 lowest.
pub fn pack2x16float(v: [f32; 2]) -> u32 {
    halves(v.map(|x| f32_to_f16(Round::Nearest, x)))
}

/// Halves of both lanes, rounded toward zero.
pub fn pack2x16float_rtz(v: [f32; 2]) -> u32 {
    halves(v.map(|x| f32_to_f16(Round::Zero, x)))
}

fn halves([lo, hi]: [u16; 2]) -> u32 {
    u32::from(lo) | u32::from(hi) << 16
}

/// WGSL's `unpack4x8snorm`: component 0 lowest.
pub fn unpack4x8snorm(v: u32) -> [f32; 4] {
    v.to_le_bytes().map(|b| from_snorm(i32::from(b as i8), 8))
}

/// WGSL's `unpack4x8unorm`: component 0 lowest.
pub fn unpack4x8unorm(v: u32) -> [f32; 4] {
    v.to_le_bytes().map(|b| from_unorm(u32::from(b), 8))
}

/// WGSL's `unpack2x16snorm`: component 0 lowest.
pub fn unpack2x16snorm(v: u32) -> [f32; 2] {
    [v as i16, (v >> 16) as i16].map(|h| from_snorm(i32::from(h), 16))
}

/// WGSL's `unpack2x16unorm`: component 0 lowest.
pub fn unpack2x16unorm(v: u32) -> [f32; 2] {
    [v & 0xffff, v >> 16].map(|h| from_unorm(h, 16))
}

/// WGSL's `unpack2x16float`: component 0 lowest.
pub fn unpack2x16float(v: u32) -> [f32; 2] {
    [v as u16, (v >> 16) as u16].map(f16_to_f32)
}

/// WGSL's `quantizeToF16`: rounded to f16 and back.
#[inline]
pub fn quantize_to_f16(x: f32) -> f32 {
    f16_to_f32(f32_to_f16(Round::Nearest, x))
}

/// The face of a cube where a direction has no single longest axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CubeTies {
    /// z wins over y over x, and a zero of either sign is positive.
    #[default]
    LastAxis,
    /// x wins over y over z, and the sign bit decides.
    FirstAxis,
}

/// Of a direction: s and t times its largest magnitude, twice that magnitude, and the face (0 +X, 1 -X, 2 +Y, 3 -Y, 4 +Z,
/// 5 -Z).
pub fn cube_coords(ties: CubeTies, [x, y, z]: [f32; 3]) -> [f32; 4] {
    let (ax, ay, az) = (x.abs(), y.abs(), z.abs());
    if ties == CubeTies::FirstAxis {
        let is_x = ax >= ay && ax >= az;
        return match (is_x, ay >= az) {
            (true, _) if x.is_sign_negative() => [z, -y, 2.0 * ax, 1.0],
            (true, _) => [-z, -y, 2.0 * ax, 0.0],
            (_, true) if y.is_sign_negative() => [x, -z, 2.0 * ay, 3.0],
            (_, true) => [x, z, 2.0 * ay, 2.0],
            _ if z.is_sign_negative() => [-x, -y, 2.0 * az, 5.0],
            _ => [x, -y, 2.0 * az, 4.0],
        };
    }
    if az >= ax && az >= ay {
        if z >= 0.0 { [x, -y, 2.0 * az, 4.0] } else { [-x, -y, 2.0 * az, 5.0] }
    } else if ay >= ax {
        if y >= 0.0 { [x, z, 2.0 * ay, 2.0] } else { [x, -z, 2.0 * ay, 3.0] }
    } else if x >= 0.0 {
        [-z, -y, 2.0 * ax, 0.0]
    } else {
        [z, -y, 2.0 * ax, 1.0]
    }
}
