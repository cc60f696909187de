//! The special function unit, bit exact (reference section 7.3).

use super::float::CNAN;
use super::sfu_tables::{EX2, LG2, RCP, RSQRT, Row, SIN};

/// Bits of plus infinity as f32.
pub const INF: u32 = 0x7f80_0000;

/// Sign, biased exponent, 24-bit significand with the implicit one.
fn parts(x: u32) -> (u32, i32, u32) {
    (x >> 31, (x >> 23 & 0xff) as i32, x & 0x7f_ffff | 0x80_0000)
}

const fn is_nan(x: u32) -> bool {
    x & 0x7fff_ffff > INF
}

const fn is_zero(x: u32) -> bool {
    x & INF == 0
}

/// The unit's truncating squarer of a 17-bit number.
fn square(x: u32) -> i64 {
    let sum: u32 = (0..=16).filter(|i| x >> i & 1 == 1).map(|i| x >> (18 - i)).sum();
    i64::from(sum >> 1)
}

fn poly(row: Row, a_shift: u32, x: u32, c_square: i64) -> i64 {
    (i64::from(row.0) << a_shift) + i64::from(row.1) * i64::from(x) + i64::from(row.2) * c_square
}

/// Packs a significand of 24 bits (2^24 is renormalised) and a biased exponent; overflow is infinity, underflow zero.
fn pack(sign: u32, mut exponent: i32, mut significand: u32) -> u32 {
    if significand >> 24 != 0 {
        significand >>= 1;
        exponent += 1;
    }
    if exponent >= 255 {
        return sign << 31 | INF;
    }
    if exponent <= 0 {
        return sign << 31;
    }
    sign << 31 | (exponent as u32) << 23 | significand & 0x7f_ffff
}

/// Reciprocal, as the unit computes it.
pub fn rcp(x: u32) -> u32 {
    let (sign, e, f) = parts(x);
    if is_nan(x) {
        return CNAN;
    }
    if is_zero(x) {
        return sign << 31 | INF;
    }
    if x & 0x7fff_ffff == INF {
        return sign << 31;
    }
    let low = f & 0xffff;
    let r = (poly(RCP[(f >> 16 & 0x7f) as usize], 13, low, square(2 * low)) + 0x47e7) >> 15;
    pack(sign, 253 - e, r as u32)
}

/// Reciprocal square root, as the unit computes it.
pub fn rsqrt(x: u32) -> u32 {
    let (sign, e, f) = parts(x);
    if is_nan(x) {
        return CNAN;
    }
    if is_zero(x) {
        return sign << 31 | INF;
    }
    if sign == 1 {
        return CNAN;
    }
    if x == INF {
        return 0;
    }
    let u = e - 127;
    let g = f & 0x7f_ffff | ((u & 1) as u32) << 23;
    let k = u >> 1;
    if g == 0 {
        return pack(0, 127 - k, 0x80_0000);
    }
    let low = g & 0x1_ffff;
    let row = RSQRT[(g >> 17) as usize];
    let r = (poly(row, 14, low, square(low) << 2) + 0x7fff) >> 16;
    pack(0, 127 - k - 1, r as u32)
}

/// Logarithm to base 2.
pub fn lg2(x: u32) -> u32 {
    let (sign, e, f) = parts(x);
    if is_nan(x) {
        return CNAN;
    }
    if is_zero(x) {
        return 1 << 31 | INF;
    }
    if sign == 1 {
        return CNAN;
    }
    if x == INF {
        return INF;
    }
    let fraction = if f & 0x7f_ffff == 0 && e == 127 {
        0
    } else {
        let low = f & 0x1_ffff;
        (poly(LG2[(f >> 17 & 0x3f) as usize], 12, low, square(low) << 1) + 0x3345) >> 2
    };
    let mut res = fraction + (i64::from(e - 127) << 36);
    let mut sign = 0;
    if res < 0 {
        sign = 1;
        res = !res;
    }
    if res == 0 {
        return sign << 31;
    }
    // Bit 42 is the leading one at exponent 133.
    let top = 63 - res.leading_zeros() as i32;
    let exponent = 133 + top - 42;
    let norm = if top <= 42 { res << (42 - top) } else { res >> (top - 42) };
    pack(sign, exponent, (norm >> 19) as u32)
}

/// Argument of [`ex2`]: fixed point 7.23, sign and magnitude.
pub fn preex2(x: u32) -> u32 {
    let (sign, e, f) = parts(x);
    if is_nan(x) {
        return sign << 31 | 0x4000_0000;
    }
    let ex = e - 127;
    if ex >= 7 {
        return sign << 31 | 0x4080_0000;
    }
    if is_zero(x) {
        return sign << 31;
    }
    let magnitude = if ex >= 0 {
        f << ex
    } else if ex > -32 {
        f >> -ex
    } else {
        0
    };
    sign << 31 | magnitude
}

/// Argument of [`sin`] and [`cos`]: quadrants in bits 24:23, 23 bits of fraction.
pub fn presin(x: u32) -> u32 {
    let (sign, e, f) = parts(x);
    if is_nan(x) {
        return sign << 31 | 0x4000_0000;
    }
    if x & 0x7fff_ffff == INF {
        return sign << 31 | 0x4080_0000;
    }
    if is_zero(x) {
        return sign << 31;
    }
    let scaled = (u64::from(f) * 0xa2_f983) >> 16;
    let ex = e - 127 - 8;
    let shifted = if ex >= 32 {
        0
    } else if ex >= 0 {
        (scaled << ex) as u32
    } else if ex > -64 {
        (scaled >> -ex) as u32
    } else {
        0
    };
    sign << 31 | shifted & 0x1ff_ffff
}

fn sincos(w: u32, cos: bool) -> u32 {
    if w >> 30 & 1 == 1 {
        return CNAN;
    }
    let (mut s, mut q, mut f) = (w >> 31, w >> 23 & 3, w & 0x7f_ffff);
    if cos {
        q += 1;
        s = 0;
    }
    if q & 1 == 1 {
        f = !f & 0x7f_ffff;
    }
    s ^= q >> 1 & 1;
    let low = f & 0x1_ffff;
    let v = poly(SIN[(f >> 17) as usize], 11, low, square(low));
    if v <= 0 {
        return s << 31;
    }
    // Bit 37 is 1.0.
    let top = 63 - v.leading_zeros() as i32;
    let norm = if top <= 37 { v << (37 - top) } else { v >> (top - 37) };
    pack(s, 127 + top - 37, (norm >> 14) as u32)
}

/// Sine of a [`presin`] result.
pub fn sin(w: u32) -> u32 {
    sincos(w, false)
}

/// Cosine of a [`presin`] result.
pub fn cos(w: u32) -> u32 {
    sincos(w, true)
}

/// Power of 2 of a [`preex2`] result.
pub fn ex2(w: u32) -> u32 {
    let sign = w >> 31;
    if w >> 30 & 1 == 1 {
        return match w >> 23 & 1 {
            0 => CNAN,
            _ if sign == 1 => 0,
            _ => INF,
        };
    }
    let (mut i, mut f) = ((w >> 23 & 0xff) as i32, w & 0x7f_ffff);
    if sign == 1 {
        if f == 0 {
            i = -i;
        } else {
            i = -i - 1;
            // Two's complement of the fraction would be !f + 1; the unit leaves the 1 out.
            f = !f & 0x7f_ffff;
        }
    }
    let low = f & 0x1_ffff;
    let r = (poly(EX2[(f >> 17) as usize], 13, low, square(low)) + 0x77e2) >> 15;
    pack(0, i + 127, r as u32)
}
