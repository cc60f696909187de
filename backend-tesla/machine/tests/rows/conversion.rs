//! Conversions between all types and roundings.

use super::*;

// Conversions, section 7.5. A number is sign, magnitude and power of two, exactly.

#[derive(Clone, Copy, Debug)]
pub enum Num {
    Nan,
    Inf(bool),
    Is(bool, u128, i32),
}

/// Exponent bits and fraction bits.
pub fn layout(ty: Ty) -> (u32, u32) {
    match ty {
        Ty::F16 => (5, 10),
        Ty::F32 => (8, 23),
        _ => (11, 52),
    }
}

pub fn unpack(bits: u64, ty: Ty) -> Num {
    let (e, f) = layout(ty);
    let sign = bits >> (e + f) & 1 == 1;
    let exponent = (bits >> f & ((1 << e) - 1)) as i32;
    let fraction = u128::from(bits & ((1 << f) - 1));
    let bias = (1 << (e - 1)) - 1;
    if exponent == (1 << e) - 1 {
        return if fraction == 0 { Num::Inf(sign) } else { Num::Nan };
    }
    if exponent == 0 {
        return Num::Is(sign, if ty == Ty::F32 { 0 } else { fraction }, 1 - bias - f as i32);
    }
    Num::Is(sign, fraction | 1 << f, exponent - bias - f as i32)
}

/// Rounds `mag / 2^drop` to an integer by mode (0 nearest even, 1 down, 2 up, 3 toward zero).
pub fn round_off(sign: bool, mag: u128, drop: u32, mode: u32) -> u128 {
    if drop == 0 {
        return mag;
    }
    let (q, rest, tie) = if drop > 127 {
        (0, u128::from(mag > 0), 2)
    } else {
        (mag >> drop, mag & ((1 << drop) - 1), 1_u128 << (drop - 1))
    };
    let up = match mode {
        0 => rest > tie || rest == tie && q & 1 == 1,
        1 => sign && rest > 0,
        2 => !sign && rest > 0,
        _ => false,
    };
    q + u128::from(up)
}

pub fn pack(n: Num, ty: Ty, mode: u32) -> u64 {
    let (e, f) = layout(ty);
    let bias = (1 << (e - 1)) - 1;
    let inf = ((1_u64 << e) - 1) << f;
    match n {
        Num::Nan => match ty {
            Ty::F16 => 0x7fff,
            Ty::F32 => 0x7fff_ffff,
            _ => 0x7fff_ffff_e000_0000,
        },
        Num::Inf(s) => u64::from(s) << (e + f) | inf,
        Num::Is(s, 0, _) => u64::from(s) << (e + f),
        Num::Is(s, mag, exp) => {
            let top = 127 - mag.leading_zeros() as i32 + exp;
            let last = (top - f as i32).max(1 - bias - f as i32);
            let q = if last > exp { round_off(s, mag, (last - exp) as u32, mode) } else { mag << (exp - last) };
            // A carry out of the fraction moves into the exponent field by itself.
            let field = (last + f as i32 + bias) as u128;
            let bits = if q >> f == 0 { q } else { ((field - 1) << f) + q };
            let bits = if bits >= u128::from(inf) {
                let stay = mode == 3 || mode == 1 && !s || mode == 2 && s;
                if stay { u128::from(inf) - 1 } else { u128::from(inf) }
            } else if ty == Ty::F32 && bits < 1 << f {
                0
            } else {
                bits
            };
            u64::from(s) << (e + f) | bits as u64
        }
    }
}

pub fn is_float(ty: Ty) -> bool {
    matches!(ty, Ty::F16 | Ty::F32 | Ty::F64)
}

pub fn int_range(ty: Ty) -> (i128, i128) {
    let bits = ty.bytes() * 8;
    let signed = matches!(ty, Ty::S8 | Ty::S16 | Ty::S32 | Ty::S64);
    if signed { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
}

pub fn int_of(raw: u64, ty: Ty) -> i128 {
    let bits = ty.bytes() * 8;
    let v = i128::from(raw) & ((1 << bits) - 1);
    if int_range(ty).0 < 0 && v >> (bits - 1) == 1 { v - (1 << bits) } else { v }
}

/// Result bits of a conversion; `rint` rounds to a whole number.
pub fn ref_cvt(raw: u64, src: Ty, dst: Ty, rint: bool, abs: bool, negate: bool, sat: bool, mode: u32) -> u64 {
    let n = if is_float(src) {
        unpack(raw, src)
    } else {
        let v = int_of(raw, src);
        Num::Is(v < 0, v.unsigned_abs(), 0)
    };
    let n = match n {
        // An integer zero has no sign.
        Num::Is(_, 0, _) if !is_float(src) => Num::Is(false, 0, 0),
        Num::Is(s, m, e) => Num::Is((s && !abs) ^ negate, m, e),
        Num::Inf(s) => Num::Inf((s && !abs) ^ negate),
        Num::Nan => Num::Nan,
    };
    if !is_float(dst) {
        let (min, max) = int_range(dst);
        let wide = src == Ty::F64 || dst.bytes() == 8;
        let v = match n {
            Num::Nan => return if wide { 1 << (dst.bytes() * 8 - 1) } else { 0 },
            Num::Inf(s) => {
                if s {
                    min
                } else {
                    max
                }
            }
            Num::Is(s, m, e) => {
                let whole = if e < 0 {
                    round_off(s, m, -e as u32, mode)
                } else {
                    m.checked_shl(e as u32).filter(|v| v >> e == m && e < 100).unwrap_or(1 << 100)
                };
                let whole = whole.min(1 << 100) as i128;
                (if s { -whole } else { whole }).clamp(min, max)
            }
        };
        return v as u64;
    }
    let n = match n {
        Num::Is(true, ..) | Num::Inf(true) if sat => Num::Is(false, 0, 0),
        Num::Inf(false) if sat => Num::Is(false, 1, 0),
        Num::Is(false, m, e) if sat && m > 0 && 127 - m.leading_zeros() as i32 + e >= 0 => Num::Is(false, 1, 0),
        n => n,
    };
    let n = match n {
        Num::Is(s, m, e) if rint && e < 0 => Num::Is(s, round_off(s, m, -e as u32, mode), 0),
        n => n,
    };
    // Below 2^-33 a f32 becomes a f16 zero in every mode.
    let n = match n {
        Num::Is(s, m, e) if src == Ty::F32 && dst == Ty::F16 && m > 0 && 127 - m.leading_zeros() as i32 + e < -33 => {
            Num::Is(s, 0, 0)
        }
        n => n,
    };
    let bits = pack(n, dst, mode);
    if matches!(n, Num::Nan) && dst == Ty::F64 && src == Ty::F64 { raw | 1 << 51 } else { bits }
}

pub fn conversion_cases(t: &mut Cases) {
    for row in table().rows {
        let (dst, src) = (row.attrs.ty, row.attrs.src);
        if !matches!(row.op, Op::CvtII | Op::CvtIF | Op::CvtFI | Op::CvtFF | Op::CvtRint) {
            continue;
        }
        let width = |name: &str| match row.operands[row.operand(name).unwrap()].kind {
            Kind::DstO(w) | Kind::Dst(w) | Kind::Src1(w) | Kind::Reg(w) => w,
            k => panic!("{k:?}"),
        };
        let (dw, sw) = (width("dst"), width("src1"));
        let generation = if dst.bytes() == 8 || src.bytes() == 8 { "nva0" } else { "nva3" };
        let inputs: fn(&mut SplitMix64) -> u32 = match src {
            // Exact in f16: the others are wrong in hardware.
            _ if row.op == Op::CvtIF && dst == Ty::F16 && sw == Width::S => |rng| rng.below(128) as u32,
            _ if row.op == Op::CvtIF && dst == Ty::F16 => |rng| {
                let v = rng.below(128) as u32;
                v << 16 | v
            },
            Ty::F32 => some_float,
            Ty::F64 => |rng| {
                if rng.below(2) == 0 {
                    (0x3e00_0000 + rng.below(0x0400_0000) as u32) | (rng.next_u32() & 1 << 31)
                } else {
                    rng.next_u32()
                }
            },
            _ => some_int,
        };
        let modes = if row.operand("rnd").is_some() { 4 } else { 1 };
        for n in 0..16 * modes {
            let (abs, negate, sat, mode) = (n & 1 == 1, n & 2 == 2, n & 4 == 4, n / 16);
            if sat && row.operand("sat").is_none() || n & 8 == 8 {
                continue;
            }
            let mut text = String::from("cvt ");
            text += if negate { "neg " } else { "" };
            text += if abs { "abs " } else { "" };
            text += if sat { "sat " } else { "" };
            if modes == 4 {
                let ints = row.text.contains("{rnd}") && matches!(row.op, Op::CvtFI | Op::CvtRint);
                text += ["rn", "rm", "rp", "rz"][mode];
                text += if ints { "i " } else { " " };
            }
            let name = |ty: Ty| format!("{ty:?}").to_lowercase();
            let d = match dw {
                Width::H => "$r12l",
                Width::S => "$r12",
                _ => "$r12d",
            };
            let s = match sw {
                Width::H => "$r1h",
                Width::S => "$r1",
                _ => "$r2d",
            };
            text += &format!("{} {d} {} {s}", name(dst), name(src));
            let rint = row.op == Op::CvtRint;
            t.on(generation, true, text, Some(inputs), move |i| {
                let raw = match sw {
                    Width::H => u64::from(hi(i.r[1])),
                    Width::S => u64::from(i.r[1]),
                    _ => u64::from(i.r[2]) | u64::from(i.r[3]) << 32,
                };
                let v = ref_cvt(raw, src, dst, rint, abs, negate, sat, mode as u32);
                match dw {
                    Width::H => half(i, (v as u32, 0)),
                    Width::S => exp(v as u32),
                    _ => wide(v),
                }
            });
        }
    }
    // Flags: integer of the result, float of the result, O where 64-bit conversions overflow (7.5).
    t.long("cvt s32 $c1 $r12 s32 $r1", |i| exf((i.r[1], zs(i.r[1], 32))));
    t.float(true, "cvt f32 $c1 $r12 f32 $r1", |i| exff(fin(flush(i.r[1]))));
    t.worked("nva0", "cvt rzi u32 $c1 $r12 f64 $r2d\nmov $r12 $c1", &[0, 0, 0x4200_0000], &[10]); // 2^33: S, O
    t.worked("nva0", "cvt rzi u32 $c1 $r12 f64 $r2d\nmov $r12 $c1", &[0, 0, 0x3ff0_0000], &[0]);
}
