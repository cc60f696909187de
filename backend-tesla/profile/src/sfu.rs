//! Functions of Tesla's special function unit: a quadratic from a table for each piece of the argument, and the
//! multiply-add with a truncated product, as the reference of that ISA describes them (sections 7.2 and 7.3).
//!
//! This is the reference's word for an oracle; the machine has its own. Nothing here was taken from the machine: the
//! tables are the reference's text as it stands.

use core::primitive::{f32, f64};
use gpucc_num::f32 as num;

/// Raw bits of f32.
pub type Bits = u32;

/// The value of operations without a result.
pub const CANONICAL_NAN: Bits = 0x7fff_ffff;
/// Bits of plus infinity as f32.
pub const INFINITY: Bits = 0x7f80_0000;

/// Coefficients of a quadratic.
pub type Row = [i64; 3];

/// The tables: a line with a name, lines with an index and rows `A,B,C` in hexadecimal, B and C in two's complement, and an empty line.
const ROM: &[u8] = include_bytes!("sfu_rom.txt");

/// Whether a table of this name begins at a byte.
const fn begins(at: usize, name: &[u8]) -> bool {
    let mut k = 0;
    while k < name.len() {
        if ROM[at + k] != name[k] {
            return false;
        }
        k += 1;
    }
    (at == 0 || ROM[at - 1] == b'\n') && ROM[at + k] == b'\n'
}

/// Reads a table of `N` rows. What is no number, or another count of rows, fails while this compiles.
const fn table<const N: usize>(name: &[u8]) -> [Row; N] {
    let mut at = 0;
    while !begins(at, name) {
        at += 1;
    }
    at += name.len();
    let (mut rows, mut n) = ([[0; 3]; N], 0);
    while n < 3 * N {
        while matches!(ROM[at], b' ' | b',' | b'\n') {
            at += 1;
        }
        let (mut value, start) = (0_u32, at);
        while let digit @ (b'0'..=b'9' | b'a'..=b'f') = ROM[at] {
            value = value << 4 | (if digit <= b'9' { digit - b'0' } else { digit - b'a' + 10 }) as u32;
            at += 1;
        }
        assert!(at > start && at - start <= 8, "a hexadecimal number is wanted");
        if ROM[at] == b':' {
            at += 1;
            continue;
        }
        rows[n / 3][n % 3] = value as i32 as i64;
        n += 1;
    }
    assert!(at + 1 == ROM.len() || (ROM[at] == b'\n' && ROM[at + 1] == b'\n'), "more rows than there should be");
    rows
}

/// Coefficients of `1 / x`, by the upper seven bits of the fraction.
static RCP: [Row; 128] = table(b"rcp");
/// Coefficients of `1 / sqrt(x)`, by the lowest bit of the exponent and the upper six of the fraction.
static RSQRT: [Row; 128] = table(b"rsqrt");
/// Coefficients of the sine, by the upper six bits of a quarter turn.
static SIN: [Row; 64] = table(b"sin");
/// Coefficients of the power of two, by the upper six bits of the fraction.
static EX2: [Row; 64] = table(b"ex2");
/// Coefficients of the binary logarithm, by the upper six bits of the fraction.
static LG2: [Row; 64] = table(b"lg2");

/// A number taken apart after denormals became zero.
enum Number {
    Nan,
    Infinite {
        negative: bool,
    },
    Zero {
        negative: bool,
    },
    /// Biased exponent and 24-bit significand.
    Finite {
        negative: bool,
        exponent: i32,
        significand: u32,
    },
}

fn number(x: Bits) -> Number {
    let negative = x >> 31 == 1;
    let (exponent, fraction) = (x >> 23 & 255, x & 0x7f_ffff);
    match (exponent, fraction) {
        (255, 0) => Number::Infinite { negative },
        (255, _) => Number::Nan,
        (0, _) => Number::Zero { negative },
        _ => Number::Finite { negative, exponent: exponent as i32, significand: fraction + (1 << 23) },
    }
}

fn signed(negative: bool, magnitude: Bits) -> Bits {
    magnitude | Bits::from(negative) << 31
}

/// A float of a 24-bit significand, which may have become 2^24.
fn float(negative: bool, exponent: i32, significand: i64) -> Bits {
    let (exponent, significand) =
        if significand == 1 << 24 { (exponent + 1, 1 << 23) } else { (exponent, significand) };
    match exponent {
        ..=0 => signed(negative, 0),
        255.. => signed(negative, INFINITY),
        _ => signed(negative, (exponent as u32) << 23 | significand as u32 & 0x7f_ffff),
    }
}

/// The truncating squarer: every partial product loses its low bits.
fn square(x: u32) -> i64 {
    let mut sum = 0;
    for bit in 0..17 {
        if x & 1 << bit != 0 {
            sum += i64::from(x) >> (18 - bit);
        }
    }
    sum / 2
}

/// The reciprocal `1 / x` of the unit.
pub fn rcp(x: Bits) -> Bits {
    match number(x) {
        Number::Nan => CANONICAL_NAN,
        Number::Infinite { negative } => signed(negative, 0),
        Number::Zero { negative } => signed(negative, INFINITY),
        Number::Finite { negative, exponent, significand } => {
            let [a, b, c] = RCP[(significand >> 16 & 127) as usize];
            let low = significand & 0xffff;
            let f = (a * 8192 + b * i64::from(low) + c * square(low * 2) + 0x47e7) >> 15;
            float(negative, 253 - exponent, f)
        }
    }
}

/// The reciprocal square root `1 / sqrt(x)` of the unit.
pub fn rsqrt(x: Bits) -> Bits {
    match number(x) {
        Number::Zero { negative } => signed(negative, INFINITY),
        Number::Infinite { negative: false } => 0,
        Number::Nan | Number::Infinite { .. } | Number::Finite { negative: true, .. } => CANONICAL_NAN,
        Number::Finite { exponent, significand, .. } => {
            let unbiased = exponent - 127;
            let odd = (unbiased & 1) as u32;
            let (g, k) = (significand & 0x7f_ffff | odd << 23, unbiased >> 1);
            if g == 0 {
                return float(false, 127 - k, 1 << 23);
            }
            let [a, b, c] = RSQRT[(g >> 17) as usize];
            let low = g & 0x1_ffff;
            let f = (a * 16384 + b * i64::from(low) + c * square(low) * 4 + 0x7fff) >> 16;
            float(false, 126 - k, f)
        }
    }
}

/// The binary logarithm of the unit.
pub fn lg2(x: Bits) -> Bits {
    match number(x) {
        Number::Zero { .. } => signed(true, INFINITY),
        Number::Infinite { negative: false } => INFINITY,
        Number::Nan | Number::Infinite { .. } | Number::Finite { negative: true, .. } => CANONICAL_NAN,
        Number::Finite { exponent, significand, .. } => {
            let fraction = if x == 0x3f80_0000 {
                0
            } else {
                let [a, b, c] = LG2[(significand >> 17 & 63) as usize];
                let low = significand & 0x1_ffff;
                (a * 4096 + b * i64::from(low) + c * square(low) * 2 + 0x3345) >> 2
            };
            let sum = fraction + (i64::from(exponent - 127) << 36);
            let (negative, magnitude) = if sum < 0 { (true, !sum) } else { (false, sum) };
            if magnitude == 0 {
                return signed(negative, 0);
            }
            let lead = 63 - magnitude.leading_zeros() as i32;
            let aligned = if lead > 42 { magnitude >> (lead - 42) } else { magnitude << (42 - lead) };
            float(negative, 133 + lead - 42, aligned >> 19)
        }
    }
}

const FIXED_NAN: u32 = 0x4000_0000;
const FIXED_INFINITY: u32 = 0x4080_0000;

/// A magnitude shifted by an exponent, truncated; left shifts wrap.
fn shifted(magnitude: u64, exponent: i32) -> u32 {
    match exponent {
        32.. | ..=-64 => 0,
        0..32 => (magnitude << exponent) as u32,
        _ => (magnitude >> -exponent) as u32,
    }
}

/// The fixed-point argument of [`ex2`].
pub fn preex2(x: Bits) -> u32 {
    match number(x) {
        Number::Nan => signed(x >> 31 == 1, FIXED_NAN),
        Number::Infinite { negative } => signed(negative, FIXED_INFINITY),
        Number::Zero { negative } => signed(negative, 0),
        Number::Finite { negative, exponent, .. } if exponent - 127 >= 7 => signed(negative, FIXED_INFINITY),
        Number::Finite { negative, exponent, significand } => {
            signed(negative, shifted(significand.into(), exponent - 127))
        }
    }
}

/// The fixed-point argument of [`sin`] and [`cos`]: quarter turns.
pub fn presin(x: Bits) -> u32 {
    match number(x) {
        Number::Nan => signed(x >> 31 == 1, FIXED_NAN),
        Number::Infinite { negative } => signed(negative, FIXED_INFINITY),
        Number::Zero { negative } => signed(negative, 0),
        Number::Finite { negative, exponent, significand } => {
            let scaled = (u64::from(significand) * 0xa2_f983) >> 16;
            signed(negative, shifted(scaled, exponent - 127 - 8) & 0x1ff_ffff)
        }
    }
}

/// 2^x of what [`preex2`] gives.
pub fn ex2(fixed: u32) -> Bits {
    let negative = fixed >> 31 == 1;
    match fixed & 0x7fff_ffff {
        FIXED_NAN => return CANONICAL_NAN,
        FIXED_INFINITY => return if negative { 0 } else { INFINITY },
        _ => {}
    }
    let (mut whole, mut part) = ((fixed >> 23 & 255) as i32, fixed & 0x7f_ffff);
    if negative {
        (whole, part) = if part == 0 { (-whole, 0) } else { (-whole - 1, !part & 0x7f_ffff) };
    }
    let [a, b, c] = EX2[(part >> 17) as usize];
    let low = part & 0x1_ffff;
    let f = (a * 8192 + b * i64::from(low) + c * square(low) + 0x77e2) >> 15;
    float(false, whole + 127, f)
}

fn wave(fixed: u32, quarters: u32, negative: bool) -> Bits {
    if fixed & FIXED_NAN != 0 {
        return CANONICAL_NAN;
    }
    let quadrant = (fixed >> 23) + quarters;
    let part = if quadrant & 1 == 1 { !fixed } else { fixed } & 0x7f_ffff;
    let negative = negative ^ (quadrant & 2 == 2);
    let [a, b, c] = SIN[(part >> 17) as usize];
    let low = part & 0x1_ffff;
    let v = a * 2048 + b * i64::from(low) + c * square(low);
    if v == 0 {
        return signed(negative, 0);
    }
    let lead = 63 - v.leading_zeros() as i32;
    let aligned = if lead > 37 { v >> (lead - 37) } else { v << (37 - lead) };
    float(negative, 127 + lead - 37, aligned >> 14)
}

/// The sine of what [`presin`] gives.
pub fn sin(fixed: u32) -> Bits {
    wave(fixed, 0, fixed >> 31 == 1)
}

/// The cosine of what [`presin`] gives.
pub fn cos(fixed: u32) -> Bits {
    wave(fixed, 1, false)
}

/// `a * b + c`: the product is cut to 24 bits, or rounded where an operand is zero.
pub fn mad(a: f32, b: f32, c: f32) -> f32 {
    let m = gpucc_num::Mode::FLUSH;
    let [a, b, c] = [a, b, c].map(num::flush);
    if [a, b, c].iter().any(|&x| x == 0.0 || !x.is_finite()) {
        return num::add(m, num::mul(m, a, b), c);
    }
    // A product of 48 bits is exact in a double, and a sum of two numbers of 24 bits that is rounded to a double first
    // rounds to 24 bits as it would at once.
    let product = f64::from(a) * f64::from(b);
    let cut = f64::from_bits(product.to_bits() >> 29 << 29);
    num::output(m, (cut + f64::from(c)) as f32)
}
