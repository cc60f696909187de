//! Rounding of literals to the narrow float format.

/// The binary16 nearest `v`, ties to even; overflow gives infinity, NaN stays NaN.
pub fn f32_to_f16(v: f32) -> u16 {
    let b = v.to_bits();
    let sign = ((b >> 16) & 0x8000) as u16;
    let exp = ((b >> 23) & 0xff) as i32;
    let man = b & 0x7f_ffff;
    if exp == 0xff {
        return sign | 0x7c00 | if man != 0 { 0x200 | (man >> 13) as u16 } else { 0 };
    }
    let e = exp - 127 + 15;
    if e >= 31 {
        return sign | 0x7c00;
    }
    // The significand with its hidden bit, and how many of its low bits do not fit.
    let (m, drop) = if e <= 0 { (man | 0x80_0000, 14 - e) } else { (man, 13) };
    if drop > 24 {
        return sign;
    }
    let base = if e <= 0 { 0 } else { (e as u32) << 10 };
    let kept = m >> drop;
    let rest = m & ((1 << drop) - 1);
    let half = 1 << (drop - 1);
    let up = rest > half || (rest == half && kept & 1 == 1);
    // A carry out of the significand moves into the exponent, which is what rounding up means.
    sign | (base + kept + u32::from(up)) as u16
}

#[cfg(test)]
mod tests {
    use super::f32_to_f16;

    #[test]
    fn halves() {
        for (f, h) in [
            (0.0, 0),
            (-0.0, 0x8000),
            (1.0, 0x3c00),
            (-2.0, 0xc000),
            (65504.0, 0x7bff),
            (65519.0, 0x7bff),
            (65520.0, 0x7c00),
            (f32::INFINITY, 0x7c00),
            (5.960_464_5e-8, 1),
            (2.980_232_2e-8, 0),
            (2.980_232_6e-8, 1),
            (6.103_515_6e-5, 0x400),
            (0.1, 0x2e66),
            (1.000_488_3, 0x3c00),
            (1.001_464_8, 0x3c02),
        ] {
            assert_eq!(f32_to_f16(f), h, "{f}");
        }
        assert_eq!(f32_to_f16(f32::NAN) & 0x7c00, 0x7c00);
        assert_ne!(f32_to_f16(f32::NAN) & 0x3ff, 0);
    }
}
