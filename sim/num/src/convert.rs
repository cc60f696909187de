//! Conversions between float formats and between floats and integers.
//!
//! Float to integer: rounded in the given direction, saturated, NaN gives 0. Integer to float: rounded once.

use crate::Round;
use core::primitive::{f32, f64};

/// Exact. NaN payloads are kept (shifted).
#[inline]
pub fn f16_to_f32(h: u16) -> f32 {
    let sign = u32::from(h & 0x8000) << 16;
    let magnitude = u32::from(h & 0x7fff);
    if magnitude >= 0x7c00 {
        return f32::from_bits(sign | 0x7f80_0000 | (magnitude & 0x3ff) << 13);
    }
    if magnitude >= 0x0400 {
        return f32::from_bits(sign | ((magnitude << 13) + (112 << 23)));
    }
    // A denormal is a small integer times 2^-24: exact in f32.
    let value = magnitude as f32 * f32::from_bits(0x3380_0000);
    f32::from_bits(sign | value.to_bits())
}

/// Converts f16 to f64, which is exact.
#[inline]
pub fn f16_to_f64(h: u16) -> f64 {
    f64::from(f16_to_f32(h))
}

/// Rounds to f16. NaN becomes a quiet NaN with the upper payload bits and the sign kept.
#[inline]
pub fn f32_to_f16(round: Round, x: f32) -> u16 {
    if x.is_nan() {
        let bits = x.to_bits();
        return (bits >> 16 & 0x8000) as u16 | 0x7e00 | (bits >> 13 & 0x1ff) as u16;
    }
    f64_to_f16(round, f64::from(x))
}

/// Rounds to f16. NaN becomes the quiet NaN of its sign.
#[inline]
pub fn f64_to_f16(round: Round, x: f64) -> u16 {
    let bits = x.to_bits();
    let sign = (bits >> 48 & 0x8000) as u16;
    let magnitude = bits & !(1 << 63);
    if magnitude >= 0x7ff0_0000_0000_0000 {
        return sign | if magnitude > 0x7ff0_0000_0000_0000 { 0x7e00 } else { 0x7c00 };
    }
    if magnitude == 0 {
        return sign;
    }
    let e = (magnitude >> 52) as i32 - 1023;
    let significand = magnitude & ((1 << 52) - 1) | if e > -1023 { 1 << 52 } else { 0 };
    if e > 15 {
        return sign | overflow(round, sign != 0);
    }
    // Weight of the last bit of the result: 2^(e-10) for normal numbers, 2^-24 below.
    let drop = if e < -14 { 42 + (-14 - e) } else { 42 };
    let (kept, rest, half) = if drop > 62 {
        (0, 1, 2) // Far below the smallest denormal: not zero, less than half.
    } else {
        (significand >> drop, significand & ((1 << drop) - 1), 1 << (drop - 1))
    };
    let up = match round {
        Round::Nearest => rest > half || (rest == half && kept & 1 != 0),
        Round::Up => rest != 0 && sign == 0,
        Round::Down => rest != 0 && sign != 0,
        Round::Zero => false,
    };
    // The hidden bit of a normal number adds one to the exponent field; a carry does the right thing, to infinity too.
    let base = if e < -14 { 0 } else { ((e + 14) as u16) << 10 };
    sign | (base + kept as u16 + u16::from(up))
}

fn overflow(round: Round, negative: bool) -> u16 {
    match round {
        Round::Nearest => 0x7c00,
        Round::Up if !negative => 0x7c00,
        Round::Down if negative => 0x7c00,
        _ => 0x7bff,
    }
}

/// Rounds to f32. NaN becomes the canonical one.
#[inline]
pub fn f64_to_f32(round: Round, x: f64) -> f32 {
    if x.is_nan() { crate::NAN32 } else { crate::f32::from_f64(round, x) }
}

/// Conversions of floats to integers.
macro_rules! to_integers {
    ($($name:ident: $float:ident => $int:ident;)*) => {$(
        #[doc = concat!("Converts ", stringify!($float), " to ", stringify!($int), ", rounded and saturated; NaN is 0.")]
        #[inline]
        pub fn $name(round: Round, x: $float) -> $int {
            // A Rust cast truncates, saturates and gives 0 for NaN.
            crate::$float::round_to_int(round, x) as $int
        }
    )*};
}

to_integers! {
    f32_to_i32: f32 => i32;
    f32_to_u32: f32 => u32;
    f32_to_i64: f32 => i64;
    f32_to_u64: f32 => u64;
    f64_to_i32: f64 => i32;
    f64_to_u32: f64 => u32;
    f64_to_i64: f64 => i64;
    f64_to_u64: f64 => u64;
}

/// Converts f64 to a signed integer of `bits` bits (1 to 64), sign-extended.
#[inline]
pub fn f64_to_sint(round: Round, x: f64, bits: u32) -> i64 {
    let max = i64::MAX >> (64 - bits);
    f64_to_i64(round, x).clamp(!max, max)
}

/// Converts f64 to an unsigned integer of `bits` bits (1 to 64).
#[inline]
pub fn f64_to_uint(round: Round, x: f64, bits: u32) -> u64 {
    f64_to_u64(round, x).min(u64::MAX >> (64 - bits))
}

/// Converts f32 to i32 as WGSL does: truncated and clamped to the largest i32 that is also a f32.
#[inline]
pub fn f32_to_i32_wgsl(x: f32) -> i32 {
    if x.is_nan() { 0 } else { x.clamp(-2_147_483_648.0, 2_147_483_520.0) as i32 }
}

/// Converts f32 to u32 as WGSL does: truncated and clamped to the largest u32 that is also a f32.
#[inline]
pub fn f32_to_u32_wgsl(x: f32) -> u32 {
    if x.is_nan() { 0 } else { x.clamp(0.0, 4_294_967_040.0) as u32 }
}

/// Converts i32 to f32, rounded once.
#[inline]
pub fn i32_to_f32(round: Round, x: i32) -> f32 {
    if round == Round::Nearest { x as f32 } else { crate::f32::from_f64(round, f64::from(x)) }
}

/// Converts u32 to f32, rounded once.
#[inline]
pub fn u32_to_f32(round: Round, x: u32) -> f32 {
    if round == Round::Nearest { x as f32 } else { crate::f32::from_f64(round, f64::from(x)) }
}

/// The f64 of a u64 that rounds the same way to every shorter format: sticky low bits.
#[inline]
fn sticky(x: u64) -> f64 {
    // Keep 53 bits when more are set; the last kept bit takes in what was lost.
    let lost = 64_u32.saturating_sub(53 + x.leading_zeros());
    let kept = x >> lost;
    let odd = u64::from(kept << lost != x);
    ((kept | odd) << lost) as f64
}

/// Converts u64 to f32, rounded once.
#[inline]
pub fn u64_to_f32(round: Round, x: u64) -> f32 {
    crate::f32::from_f64(round, sticky(x))
}

/// Converts i64 to f32, rounded once.
#[inline]
pub fn i64_to_f32(round: Round, x: i64) -> f32 {
    let magnitude = sticky(x.unsigned_abs());
    crate::f32::from_f64(round, if x < 0 { -magnitude } else { magnitude })
}

/// Converts u64 to f16, rounded once.
#[inline]
pub fn u64_to_f16(round: Round, x: u64) -> u16 {
    f64_to_f16(round, sticky(x))
}

/// Converts i64 to f16, rounded once.
#[inline]
pub fn i64_to_f16(round: Round, x: i64) -> u16 {
    let magnitude = sticky(x.unsigned_abs());
    f64_to_f16(round, if x < 0 { -magnitude } else { magnitude })
}

/// Converts u64 to f64, rounded once.
pub fn u64_to_f64(round: Round, x: u64) -> f64 {
    let near = x as f64;
    // `near` may be 2^64, which a u64 cannot hold.
    let back = near as u128;
    match round {
        Round::Down | Round::Zero if back > u128::from(x) => f64::from_bits(near.to_bits() - 1),
        Round::Up if back < u128::from(x) => f64::from_bits(near.to_bits() + 1),
        _ => near,
    }
}

/// Converts i64 to f64, rounded once.
pub fn i64_to_f64(round: Round, x: i64) -> f64 {
    if x >= 0 {
        return u64_to_f64(round, x as u64);
    }
    let mirrored = match round {
        Round::Up => Round::Down,
        Round::Down => Round::Up,
        other => other,
    };
    -u64_to_f64(mirrored, x.unsigned_abs())
}
