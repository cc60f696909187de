//! Floats of 32 and 64 bits, special functions and lanes of a quad.

use super::*;

// f32, section 7.2.

pub fn flush(v: u32) -> f32 {
    f32::from_bits(if v & 0x7f80_0000 == 0 { v & 0x8000_0000 } else { v })
}

pub fn fin(v: f32) -> u32 {
    if v.is_nan() { 0x7fff_ffff } else { flush(v.to_bits()).to_bits() }
}

pub fn fflags(v: u32) -> u8 {
    if v & 0x7fff_ffff > 0x7f80_0000 {
        3
    } else if v << 1 == 0 {
        1
    } else {
        (v >> 31) as u8 * 2
    }
}

pub fn fsat(v: u32) -> u32 {
    let x = f32::from_bits(v);
    if x.is_nan() {
        v
    } else if x > 1.0 {
        0x3f80_0000
    } else if v >> 31 == 1 || x <= 0.0 {
        0
    } else {
        v
    }
}

pub fn exff(v: u32) -> Exp {
    exf((v, fflags(v)))
}

pub fn neg(v: u32, n: bool) -> u32 {
    v ^ u32::from(n) << 31
}

pub fn ref_fadd(a: u32, b: u32) -> u32 {
    fin(flush(a) + flush(b))
}

pub fn ref_fmul(a: u32, b: u32) -> u32 {
    fin(flush(a) * flush(b))
}

/// Truncated product, then one rounding, in integers; all numbers are multiples of 2^-90 here.
pub fn ref_fmad(a: u32, b: u32, c: u32) -> u32 {
    let (x, y, z) = (flush(a), flush(b), flush(c));
    if !(x.is_finite() && y.is_finite() && z.is_finite()) || x == 0.0 || y == 0.0 || z == 0.0 {
        return fin(flush(fin(x * y)) + z);
    }
    let fixed = |v: u32| {
        let e = (v >> 23 & 0xff) as i32 - 150;
        let m = i128::from(v & 0x7f_ffff | 0x80_0000);
        (if v >> 31 == 1 { -m } else { m }, e)
    };
    let ((ma, ea), (mb, eb), (mc, ec)) = (fixed(a), fixed(b), fixed(c));
    let p = ma * mb;
    let bits = 128 - p.unsigned_abs().leading_zeros();
    let cut = if bits > 24 { p.signum() * ((p.abs() >> (bits - 24)) << (bits - 24)) } else { p };
    let sum = (cut << (ea + eb + 90)) + (mc << (ec + 90));
    if sum == 0 {
        return 0;
    }
    let n = 128 - sum.unsigned_abs().leading_zeros();
    let m = sum.unsigned_abs();
    let mut exponent = n as i32 - 1 - 90 + 127;
    let mut q = if n > 24 {
        let s = n - 24;
        let q = m >> s;
        let rest = m & ((1 << s) - 1);
        let tie = 1_u128 << (s - 1);
        q + u128::from(rest > tie || rest == tie && q & 1 == 1)
    } else {
        m << (24 - n)
    };
    if q >> 24 == 1 {
        q >>= 1;
        exponent += 1;
    }
    (u32::from(sum < 0)) << 31 | (exponent as u32) << 23 | q as u32 & 0x7f_ffff
}

pub fn float_cases(t: &mut Cases) {
    for (n1, n2) in [(false, false), (true, false), (false, true), (true, true)] {
        let n = |n: bool| if n { "neg " } else { "" };
        for sat in [false, true] {
            let s = if sat { "sat " } else { "" };
            let clamp = move |v: u32| if sat { fsat(v) } else { v };
            let add = move |i: &In, b: u32| clamp(ref_fadd(neg(i.r[1], n1), neg(b, n2)));
            t.float(false, format!("add {s}f32 $r12 {}$r1 {}$r2", n(n1), n(n2)), move |i| exff(add(i, i.r[2])));
            t.float(false, format!("add {s}f32 $r12 {}$r1 {}0x40490fdb", n(n1), n(n2)), move |i| {
                exff(add(i, 0x4049_0fdb))
            });
            t.float(true, format!("add {s}rn f32 $c1 $r12 {}$r1 {}$r2", n(n1), n(n2)), move |i| exff(add(i, i.r[2])));
            let mul = move |i: &In, b: u32| clamp(ref_fmul(neg(i.r[1], n1), neg(b, n2)));
            t.float(false, format!("mul {s}f32 $r12 {}$r1 {}$r2", n(n1), n(n2)), move |i| exff(mul(i, i.r[2])));
            t.float(false, format!("mul {s}f32 $r12 {}$r1 {}0x40490fdb", n(n1), n(n2)), move |i| {
                exff(mul(i, 0x4049_0fdb))
            });
            t.float(true, format!("mul {s}rn f32 $c1 $r12 {}$r1 {}$r2", n(n1), n(n2)), move |i| exff(mul(i, i.r[2])));
            let mad = move |i: &In, b: u32, c: u32| clamp(ref_fmad(neg(i.r[1], n1), b, neg(c, n2)));
            t.float(false, format!("add {s}f32 $r12 {}(mul $r1 $r2) {}$r12", n(n1), n(n2)), move |i| {
                exff(mad(i, i.r[2], i.r[6]))
            });
            t.float(false, format!("add {s}f32 $r12 {}(mul $r1 0x40490fdb) {}$r12", n(n1), n(n2)), move |i| {
                exff(mad(i, 0x4049_0fdb, i.r[6]))
            });
            t.on(
                "nva3",
                true,
                format!("add {s}f32 $c1 $r12 {}(mul $r1 $r2) {}$r3", n(n1), n(n2)),
                Some(moderate_float),
                move |i| exff(mad(i, i.r[2], i.r[3])),
            );
        }
        for (a1, a2) in [(false, false), (true, true)] {
            let a = |n: bool| if n { "abs " } else { "" };
            let m = move |i: &In| {
                let f = |v: u32, a: bool, s: bool| flush(neg(if a { v & 0x7fff_ffff } else { v }, s));
                (f(i.r[1], a1, n1), f(i.r[2], a2, n2))
            };
            let operands = format!("{}{}$r1 {}{}$r2", n(n1), a(a1), n(n2), a(a2));
            for max in [true, false] {
                t.float(true, format!("{} f32 $c1 $r12 {operands}", if max { "max" } else { "min" }), move |i| {
                    let (x, y) = m(i);
                    let r = match (x.is_nan(), y.is_nan()) {
                        (true, true) => 0x7fff_ffff,
                        (true, false) => y.to_bits(),
                        (false, true) => x.to_bits(),
                        _ if x == y => {
                            // Equal, or zeros: the positive one is the larger.
                            if max { x.to_bits() & y.to_bits() } else { x.to_bits() | y.to_bits() }
                        }
                        _ => {
                            if (x > y) == max {
                                x.to_bits()
                            } else {
                                y.to_bits()
                            }
                        }
                    };
                    exff(r)
                });
            }
            let names =
                ["never", "l", "e", "le", "g", "lg", "ge", "lge", "u", "lu", "eu", "leu", "gu", "lgu", "geu", "always"];
            for (cond, name) in names.into_iter().enumerate() {
                t.float(true, format!("set $c1 $r12 {name} f32 {operands}"), move |i| {
                    let (x, y) = m(i);
                    let which = if x < y {
                        1
                    } else if x == y {
                        2
                    } else if x > y {
                        4
                    } else {
                        8
                    };
                    if cond & which != 0 { exf((!0, 2)) } else { exf((0, 1)) }
                });
            }
        }
    }
    // Round to zero, by hand: 1 + 2^-24 stays 1, 1 - 2^-25 is cut to the float below 1, -1 - 2^-24 stays -1.
    t.fixed("add rz f32 $r12 $r1 $r2", [0x3f80_0000, 0x3380_0000, 0], 0x3f80_0000);
    t.fixed("add rz f32 $r12 $r1 $r2", [0x3f80_0000, 0xb300_0000, 0], 0x3f7f_ffff);
    t.fixed("add rz f32 $r12 $r1 $r2", [0xbf80_0000, 0xb380_0000, 0], 0xbf80_0000);
    // Overflow: infinity to nearest, the largest number toward zero.
    t.fixed("add rn f32 $r12 $r1 $r2", [0x7f7f_ffff, 0x7f7f_ffff, 0], 0x7f80_0000);
    t.fixed("add rz f32 $r12 $r1 $r2", [0x7f7f_ffff, 0x7f7f_ffff, 0], 0x7f7f_ffff);
    // (1 + 2^-23)^2 = 1 + 2^-22 + 2^-46.
    t.fixed("mul rz f32 $r12 $r1 $r2", [0x3f80_0001, 0x3f80_0001, 0], 0x3f80_0002);
    // (1 + 2^-23) * (1 + 2^-22) = 1 + 2^-23 + 2^-22 + 2^-45; 1.5 * (1 + 2^-23) = 1.5 + 1.5 * 2^-23 is a tie up, cut down.
    t.fixed("mul rn f32 $r12 $r1 $r2", [0x3fc0_0000, 0x3f80_0001, 0], 0x3fc0_0002);
    t.fixed("mul rz f32 $r12 $r1 $r2", [0x3fc0_0000, 0x3f80_0001, 0], 0x3fc0_0001);
    // The same product in a multiply-add is cut, unless the addend is zero.
    t.fixed("add f32 $r12 (mul $r1 $r2) $r3", [0x3fc0_0000, 0x3f80_0001, 0], 0x3fc0_0002);
    t.fixed("add f32 $r12 (mul $r1 $r2) $r3", [0x3fc0_0000, 0x3f80_0001, 0x8080_0000], 0x3fc0_0001);
}

pub fn sfu_cases(t: &mut Cases) {
    let f = |x: f32| x.to_bits();
    t.fixed("rcp f32 $r12 $r1", [f(4.0)], f(0.25));
    t.fixed("rcp f32 $r12 neg abs $r1", [f(-4.0)], f(-0.25));
    t.on("nva3", false, "rcp f32 $r12 neg $r1", Some(|_| 0x4080_0000), |_| exp(0xbe80_0000));
    t.on("nva3", false, "rcp f32 $r12 abs $r1", Some(|_| 0xc080_0000), |_| exp(0x3e80_0000));
    t.fixed("rsqrt f32 $r12 neg $r1", [f(-16.0)], f(0.25));
    t.fixed("rsqrt f32 $r12 abs $r1", [f(-0.0625)], f(4.0));
    t.fixed("lg2 f32 $r12 $r1", [f(8.0)], f(3.0));
    t.fixed("lg2 f32 $r12 abs $r1", [f(-1.0)], 0);
    // 3.0 in 7.23 fixed point, sign and magnitude.
    t.fixed("preex2 f32 $r12 $r1", [f(3.0)], 0x0180_0000);
    t.fixed("preex2 f32 $r12 neg $r1", [f(3.0)], 0x8180_0000);
    t.fixed("preex2 f32 $r12 abs $r1", [f(-128.0)], 0x4080_0000);
    // (f * 0xa2f983 >> 16) with f = 0x800000 is 0x517cc1 << 7 | 0x40 = 0x28be60c0; 1.0 has exponent -8 after the scaling: >> 8.
    t.fixed("presin f32 $r12 $r1", [f(1.0)], 0x0051_7cc1);
    t.fixed("presin f32 $r12 neg $r1", [f(1.0)], 0x8051_7cc1);
    t.fixed("presin f32 $r12 abs $r1", [0xff80_0000], 0x4080_0000);
    t.fixed("sin f32 $r12 $r1", [0], 0);
    // Quadrant 2: -sin(0); quadrant 0 of cos is quadrant 1 of sin, where the fraction is inverted.
    t.fixed("sin f32 $r12 $r1", [0x0100_0000], 1 << 31);
    t.fixed("cos f32 $r12 $r1", [0], ONE_BY_TABLE);
    t.fixed("sin f32 $r12 $r1", [0x8080_0000], ONE_BY_TABLE | 1 << 31);
    t.fixed("ex2 f32 $r12 $r1", [0x0180_0000], f(8.0));
    t.fixed("ex2 f32 $r12 $r1", [0x8180_0000], f(0.125));
    t.fixed("ex2 f32 sat $r12 $r1", [0x0180_0000], f(1.0));
}

/// Section 7.3 with row 63 of the table, (0x3ffb10c, 0x278, -1265), at the last fraction.
pub const ONE_BY_TABLE: u32 = sine_of_row_63();

pub const fn sine_of_row_63() -> u32 {
    let x = 0x1_ffff_u64;
    let mut square = 0;
    let mut i = 0;
    while i <= 16 {
        square += x >> (18 - i);
        i += 1;
    }
    square >>= 1;
    let v = ((0x3ff_b10c_u64 << 11) + 0x278 * x) - (0x1_0000_0000 - 0xffff_fb0f) * square;
    // Bit 37 is 1.0; the significand is cut.
    if v >> 37 == 1 { 127 << 23 | (v >> 14) as u32 & 0x7f_ffff } else { 126 << 23 | (v >> 13) as u32 & 0x7f_ffff }
}

pub fn quad_cases(t: &mut Cases) {
    for (lane, name) in ["l0", "l1", "l2", "l3"].into_iter().enumerate() {
        t.float(true, format!("quadop f32 add subr sub mov2 $c1 $r12 {name} $r1 $r3"), move |i| {
            let s1 = i.all[i.lane & !3 | lane][1];
            let s3 = i.r[3];
            let n = |v: u32| if f32::from_bits(v).is_nan() { v } else { v ^ 1 << 31 };
            exff(match i.lane & 3 {
                0 => ref_fadd(s1, s3),
                1 => ref_fadd(s3, n(s1)),
                2 => ref_fadd(s1, n(s3)),
                _ => fin(flush(s3)),
            })
        });
    }
    // Neighbours are for fragments: 0 in compute (7.2).
    t.long("quadop f32 add add add add $r12 dx $r1 $r3", |_| exp(0));
    t.of(!FS);
    t.long("quadop f32 sub sub sub sub $r12 dy $r1 $r3", |_| exp(0));
    t.of(!FS);
    t.float(true, "quadop f32 add add add add $r12 dx $r1 $r3", |i| exp(ref_fadd(i.all[i.lane ^ 1][1], i.r[3])));
    t.of(FS);
    t.float(true, "quadop f32 add add add add $r12 dy $r1 $r3", |i| exp(ref_fadd(i.all[i.lane ^ 2][1], i.r[3])));
    t.of(FS);
}

pub fn double_of(i: &In, r: usize) -> f64 {
    f64::from_bits(u64::from(i.r[r]) | u64::from(i.r[r + 1]) << 32)
}

pub fn double_cases(t: &mut Cases) {
    let moderate: fn(&mut SplitMix64) -> u32 =
        |rng| (0x3f80_0000 + rng.below(0x0100_0000) as u32) | (rng.next_u32() & 1 << 31);
    t.on("nva0", true, "add rn f64 $r12d $r2d neg $r4d", Some(moderate), |i| {
        wide((double_of(i, 2) - double_of(i, 4)).to_bits())
    });
    t.on("nva0", true, "mul rn f64 $r12d neg $r2d $r4d", Some(moderate), |i| {
        wide((-double_of(i, 2) * double_of(i, 4)).to_bits())
    });
    for (name, max) in [("min", false), ("max", true)] {
        t.on("nva0", true, format!("{name} f64 $r12d neg $r2d abs $r4d"), Some(moderate), move |i| {
            let (a, b) = (-double_of(i, 2), double_of(i, 4).abs());
            wide(if (a > b) == max { a } else { b }.to_bits())
        });
        // A number wins over a NaN.
        t.worked(
            "nva0",
            &format!("{name} f64 $r12d $r2d $r4d"),
            &[0, 0, 0x7ff8_0000, 5, 0x3ff0_0000],
            &[5, 0x3ff0_0000],
        );
    }
    t.on("nva0", true, "set $c1 $r12 l f64 $r2d $r4d", Some(moderate), |i| {
        if double_of(i, 2) < double_of(i, 4) { exf((!0, 2)) } else { exf((0, 1)) }
    });
    t.worked("nva0", "set $r12 u f64 $r2d $r4d", &[0, 0, 0x7ff8_0000, 5, 0x3ff0_0000], &[!0]);
    // (1 + 2^-52)^2 - 1 = 2^-51 (1 + 2^-53): a tie, to even or up; unfused it would be 1.5 * 2^-51 upward.
    let one_up = [0, 1, 0x3ff0_0000, 1, 0x3ff0_0000, 0];
    for (mode, low) in [("rn", 0), ("rm", 0), ("rp", 1), ("rz", 0)] {
        let text = format!("mov b32 $r6 0x0\nmov b32 $r7 0x3ff00000\nfma {mode} f64 $r12d $r2d $r4d neg $r6d");
        t.worked("nva0", &text, &one_up, &[low, 0x3cc0_0000]);
    }
    t.worked(
        "nva0",
        "mov b32 $r6 0x0\nmov b32 $r7 0x3ff00000\nfma rn f64 $r12d neg $r2d $r4d $r6d",
        &one_up,
        &[0, 0xbcc0_0000],
    );
    // 1 + 2^-60 in the four modes.
    for (mode, low) in [("rn", 0), ("rm", 0), ("rp", 1), ("rz", 0)] {
        t.worked(
            "nva0",
            &format!("add {mode} f64 $r12d $r2d $r4d"),
            &[0, 0, 0x3ff0_0000, 0, 0x3c30_0000],
            &[low, 0x3ff0_0000],
        );
        // (1 + 2^-52) * (1 + 2^-52) = 1 + 2^-51 + 2^-104.
        t.worked(
            "nva0",
            &format!("mul {mode} f64 $r12d $r2d $r4d"),
            &[0, 1, 0x3ff0_0000, 1, 0x3ff0_0000],
            &[2 + low, 0x3ff0_0000],
        );
    }
    // NaN payloads are kept and made quiet, the second operand's first (7.4).
    t.worked("nva0", "add rn f64 $r12d $r2d $r4d", &[0, 7, 0x7ff0_0000, 9, 0xfff0_0000], &[9, 0xfff8_0000]);
    t.worked("nva0", "mul rn f64 $r12d $r2d $r4d", &[0, 7, 0x7ff0_0000, 0, 0x3ff0_0000], &[7, 0x7ff8_0000]);
    t.worked("nva0", "mul rn f64 $r12d $r2d $r4d", &[0, 0, 0x7ff0_0000, 0, 0], &[0, 0xfff8_0000]);
}
