//! Conversions (reference section 7.5).

use super::float::{self, CNAN, double};
use crate::types::{Op, Ty};
use gpucc_num::convert as num;
use gpucc_num::{f32 as num32, f64 as num64};
use gpucc_sim::trap::{Trap, unsupported};

/// The other effects of a conversion besides its types.
#[derive(Clone, Copy, Debug)]
pub struct Cvt {
    /// Operation: one of the five conversion opcodes.
    pub op: Op,
    /// Type of the result.
    pub dst: Ty,
    /// Type of the source.
    pub src: Ty,
    /// Absolute value, before negation.
    pub abs: bool,
    /// Negation, after the absolute value.
    pub neg: bool,
    /// Clamps the result to 0..1.
    pub sat: bool,
    /// Rounding field of the instruction.
    pub round: u8,
}

const NAN16: u16 = 0x7fff;

fn extend(raw: u64, ty: Ty) -> i128 {
    match ty {
        Ty::U8 => i128::from(raw as u8),
        Ty::S8 => i128::from(raw as i8),
        Ty::U16 => i128::from(raw as u16),
        Ty::S16 => i128::from(raw as i16),
        Ty::U32 => i128::from(raw as u32),
        Ty::S32 => i128::from(raw as i32),
        Ty::S64 => i128::from(raw as i64),
        _ => i128::from(raw),
    }
}

fn range(ty: Ty) -> (i128, i128) {
    let bits = ty.bytes() * 8;
    if ty.signed() { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
}

/// Z and S of an integer result of a type.
fn int_flags(value: i128, ty: Ty) -> u8 {
    let bits = ty.bytes() * 8;
    u8::from(value == 0) | ((value >> (bits - 1) & 1) as u8) << 1
}

/// A source of a float type as f64 with its modifiers; f32 denormals are zero.
fn float_source(c: &Cvt, raw: u64) -> f64 {
    let x = match c.src {
        Ty::F16 => num::f16_to_f64(raw as u16),
        Ty::F32 => f64::from(f32::from_bits(float::flush(raw as u32))),
        _ => f64::from_bits(raw),
    };
    let x = if c.abs { x.abs() } else { x };
    if c.neg { -x } else { x }
}

/// Converts raw bits; the raw result and its flags.
///
/// # Errors
/// Values that the hardware's int to f16 conversion gets wrong.
pub fn convert(c: &Cvt, raw: u64) -> Result<(u64, u8), Trap> {
    Ok(match c.op {
        Op::CvtII => {
            let mut v = extend(raw, c.src);
            if c.abs {
                v = v.abs();
            }
            if c.neg {
                v = -v;
            }
            let (lo, hi) = range(c.dst);
            let v = v.clamp(lo, hi);
            (v as u64, int_flags(v, c.dst))
        }
        Op::CvtFI => to_int(c, raw),
        Op::CvtIF => return from_int(c, raw),
        _ => to_float(c, raw),
    })
}

fn to_int(c: &Cvt, raw: u64) -> (u64, u8) {
    let x = float_source(c, raw);
    let (lo, hi) = range(c.dst);
    let wide = c.src == Ty::F64 || c.dst.bytes() == 8;
    if x.is_nan() {
        // 7.5: 0, but from or to 64 bits the most negative pattern of the result's width.
        let v = if wide { 1_u64 << (c.dst.bytes() * 8 - 1) } else { 0 };
        let overflow = if wide { 8 } else { 0 };
        return (v, int_flags(i128::from(v), c.dst) | overflow);
    }
    let round = double::rounding(c.round);
    let whole = num64::round_to_int(round, x);
    // f64 to i128 is exact for all whole numbers in its range and clamps the others.
    let v = (whole as i128).clamp(lo, hi);
    let overflow = if wide && whole as i128 != v { 8 } else { 0 };
    (v as u64, int_flags(v, c.dst) | overflow)
}

fn from_int(c: &Cvt, raw: u64) -> Result<(u64, u8), Trap> {
    let mut v = extend(raw, c.src);
    if c.abs {
        v = v.abs();
    }
    if c.neg {
        v = -v;
    }
    let round = double::rounding(c.round);
    let magnitude = v.unsigned_abs() as u64;
    // Rounding of a magnitude: up and down trade places for negative numbers.
    let towards = match (round, v < 0) {
        (gpucc_num::Round::Up, true) => gpucc_num::Round::Down,
        (gpucc_num::Round::Down, true) => gpucc_num::Round::Up,
        (r, _) => r,
    };
    Ok(match c.dst {
        Ty::F16 => {
            let h = num::u64_to_f16(towards, magnitude);
            if num::f16_to_f64(h) != magnitude as f64 || magnitude > 65_504 {
                return Err(unsupported(format!("the hardware converts {v} to f16 wrongly; go through f32")));
            }
            let h = h | if v < 0 { 0x8000 } else { 0 };
            let h = if c.sat { saturate16(h) } else { h };
            (u64::from(h), flags16(h))
        }
        Ty::F32 => {
            let x = num::u64_to_f32(towards, magnitude);
            let bits = (if v < 0 { -x } else { x }).to_bits();
            let bits = if c.sat { float::saturate(bits) } else { bits };
            (u64::from(bits), float::flags(bits))
        }
        _ => {
            let x = num::u64_to_f64(towards, magnitude);
            let x = if v < 0 { -x } else { x };
            let x = if c.sat { x.clamp(0.0, 1.0) + 0.0 } else { x };
            (x.to_bits(), double::flags(x.to_bits()))
        }
    })
}

fn saturate16(h: u16) -> u16 {
    if h & 0x7fff > 0x7c00 {
        NAN16
    } else if h & 0x8000 != 0 {
        0
    } else {
        h.min(0x3c00)
    }
}

fn flags16(h: u16) -> u8 {
    if h & 0x7fff > 0x7c00 {
        3
    } else if h & 0x7fff == 0 {
        1
    } else {
        (h >> 15 << 1) as u8
    }
}

fn to_float(c: &Cvt, raw: u64) -> (u64, u8) {
    let round = double::rounding(c.round);
    let mut x = float_source(c, raw);
    if c.sat && !x.is_nan() {
        x = if x.is_sign_negative() { 0.0 } else { x.min(1.0) };
    }
    if c.op == Op::CvtRint && x.is_finite() {
        // Sign of zero is kept.
        x = num64::round_to_int(round, x).copysign(x);
    }
    match c.dst {
        Ty::F16 => {
            let h = if x.is_nan() {
                NAN16
            } else if c.src == Ty::F32 && x.abs() < 2.0_f64.powi(-33) {
                if x.is_sign_negative() { 0x8000 } else { 0 }
            } else {
                num::f64_to_f16(round, x)
            };
            (u64::from(h), flags16(h))
        }
        Ty::F32 => {
            let bits = if x.is_nan() {
                CNAN
            } else {
                num32::flush(num32::from_f64(if c.src == Ty::F64 { round } else { gpucc_num::Round::Nearest }, x))
                    .to_bits()
            };
            (u64::from(bits), float::flags(bits))
        }
        _ => {
            let bits = if x.is_nan() {
                // From f32 the widened canonical NaN (errata), from f64 its own payload.
                if c.src == Ty::F32 { 0x7fff_ffff_e000_0000 } else { raw | 0x0008_0000_0000_0000 }
            } else {
                x.to_bits()
            };
            (bits, double::flags(bits))
        }
    }
}
