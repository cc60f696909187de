//! Float arithmetic (section 12.1 of the reference).

use gpucc_num::special::wide;
use gpucc_num::{MinMax, Mode, NAN16, NAN32, Round, convert, f16, f32 as n32, with_mode};
use gpucc_sim::trap::{Trap, unsupported};

use super::alu::{halves1, halves2, halves3, joined, map1, map2, map3, map4, out, truth};
use super::decode::DInst;
use super::subgroup::{V32, Warp};
use crate::Op;

/// `min(max(x, lo), hi)` where NaN gives `lo` and -0 is below +0: bit 0 from 0 up, bit 1 within -1..1.
fn clamp32(clamp: u8, x: f32) -> f32 {
    if clamp == 0 {
        return x;
    }
    let low = if clamp & 1 != 0 { 0.0 } else { -1.0 };
    let x = n32::max(Mode::IEEE, MinMax::Number, x, low);
    if clamp & 2 != 0 { n32::min(Mode::IEEE, MinMax::Number, x, 1.0) } else { x }
}

fn clamp16(clamp: u8, x: u16) -> u16 {
    if clamp == 0 {
        return x;
    }
    let low = if clamp & 1 != 0 { 0 } else { 0xBC00 };
    let x = f16::max(Mode::IEEE, MinMax::Number, x, low);
    if clamp & 2 != 0 { f16::min(Mode::IEEE, MinMax::Number, x, 0x3C00) } else { x }
}

/// An expression for one of the comparisons by condition code, which the lanes then do not look up each: with a NaN only `ne` holds.
macro_rules! by_float_comparison {
    ($cmp:expr, |$holds:ident| $body:expr) => {{
        macro_rules! arm {
            ($f:expr) => {{
                let $holds = $f;
                $body
            }};
        }
        match $cmp {
            0 => arm!(|a: f32, b: f32| a == b),
            1 => arm!(|a: f32, b: f32| a > b),
            2 => arm!(|a: f32, b: f32| a >= b),
            3 => arm!(|a: f32, b: f32| a != b),
            4 => arm!(|a: f32, b: f32| a < b),
            5 => arm!(|a: f32, b: f32| a <= b),
            6 => arm!(|a: f32, b: f32| (a < b) | (a > b)),
            _ => arm!(|a: f32, b: f32| !a.is_nan() & !b.is_nan()),
        }
    }};
}

/// The same for halves.
fn compare(cmp: u8, a: f64, b: f64) -> bool {
    by_float_comparison!(cmp, |holds| holds(a as f32, b as f32))
}

fn f(x: u32) -> f32 {
    f32::from_bits(x)
}

/// Rounds an approximation: to nearest, or under perturbation to one of the two neighbours, which the seed and the place pick.
struct Rounder {
    seed: Option<u64>,
}

impl Rounder {
    fn pick(&self, v: f64) -> bool {
        let Some(seed) = self.seed else { return false };
        let mut h = seed ^ v.to_bits();
        h = (h ^ h >> 32).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        h >> 40 & 1 != 0
    }

    fn to32(&self, v: f64) -> f32 {
        let near = convert::f64_to_f32(Round::Nearest, v);
        if f64::from(near) == v || !near.is_finite() || near == 0.0 || !self.pick(v) {
            return near;
        }
        let (down, up) = (convert::f64_to_f32(Round::Down, v), convert::f64_to_f32(Round::Up, v));
        if near == down {
            if up.is_finite() { up } else { near }
        } else if down.is_finite() {
            down
        } else {
            near
        }
    }

    fn to16(&self, v: f64) -> u16 {
        let near = convert::f64_to_f16(Round::Nearest, v);
        if convert::f16_to_f64(near) == v || near & 0x7FFF == 0 || near & 0x7C00 == 0x7C00 || !self.pick(v) {
            return near;
        }
        let (down, up) = (convert::f64_to_f16(Round::Down, v), convert::f64_to_f16(Round::Up, v));
        let other = if near == down { up } else { down };
        if other & 0x7C00 == 0x7C00 { near } else { other }
    }
}

/// Which frexp.
#[derive(Clone, Copy)]
enum Split {
    Plain,
    Log,
    Sqrt,
}

/// Mantissa and exponent of `x` (section 12.1): `x = m * 2^e`, or `m * 4^e` for square roots.
fn frexp(split: Split, x: f64) -> (f64, i32) {
    if x == 0.0 || !x.is_finite() {
        return (x, 0);
    }
    // The sources are f16 or f32, so never denormal as f64.
    let bits = x.to_bits();
    let k = (bits >> 52 & 0x7FF) as i32 - 1023;
    let one_to_two = f64::from_bits(bits & !(0x7FF << 52) | 1023 << 52);
    match split {
        Split::Plain => (one_to_two * 0.5, k + 1),
        Split::Log if one_to_two.abs() < 1.5 => (one_to_two, k),
        Split::Log => (one_to_two * 0.5, k + 1),
        Split::Sqrt => {
            let m = if k & 1 == 0 { one_to_two * 0.25 } else { one_to_two * 0.5 };
            (m, (k >> 1) + 1)
        }
    }
}

fn split_of(d: &DInst) -> Result<Split, Trap> {
    match (d.sqrt, d.log) {
        (false, false) => Ok(Split::Plain),
        (false, true) => Ok(Split::Log),
        (true, false) => Ok(Split::Sqrt),
        (true, true) => Err(unsupported("FREXP with both `.sqrt` and `.log` has no meaning")),
    }
}

fn flushed(m: Mode, x: f32) -> f64 {
    f64::from(n32::input(m, x))
}

fn flushed16(m: Mode, x: u16) -> f64 {
    convert::f16_to_f64(f16::input(m, x))
}

fn face(x: f32, y: f32, z: f32) -> u32 {
    let (ax, ay, az) = (x.abs(), y.abs(), z.abs());
    if ax >= ay && ax >= az {
        x.is_sign_negative() as u32
    } else if ay >= az {
        2 + y.is_sign_negative() as u32
    } else {
        4 + z.is_sign_negative() as u32
    }
}

/// `(a * b + c) * 2^e`, rounded once.
fn fma_scaled(m: Mode, product: f64, c: f32, e: i32) -> f32 {
    let sum = gpucc_num::add_odd(product, flushed(m, c));
    // Far beyond both ends of the f32 range, and inside that of f64.
    let e = e.clamp(-600, 600);
    n32::output(m, convert::f64_to_f32(Round::Nearest, sum * f64::from_bits(((1023 + e) as u64) << 52)))
}

fn rscale(w: &mut Warp, d: &DInst) -> Result<(), Trap> {
    let (m, clamp, op) = (w.mode, d.clamp, d.op);
    map4(w, d, |a, b, c, e| {
        let (a, b) = (n32::input(m, f(a)), n32::input(m, f(b)));
        let zero = a == 0.0 || b == 0.0;
        let product = match op {
            Op::FmaRscaleNF32 if zero => 0.0,
            Op::FmaRscaleLeftF32 if zero => f64::from(a),
            _ => f64::from(a) * f64::from(b),
        };
        let e = if op == Op::FmaRscaleScale16F32 { i32::from(e as i16) } else { e as i32 };
        clamp32(clamp, fma_scaled(m, product, f(c), e)).to_bits()
    })
}

fn flush(d: &DInst, bits: u32, exponent: u32, fraction: u32) -> u32 {
    let sign = 1u32 << (exponent + fraction);
    let magnitude = bits & (sign - 1);
    let infinity = ((1u32 << exponent) - 1) << fraction;
    if magnitude > infinity {
        return match d.nan_mode {
            1 => 0,
            2 => bits | 1 << (fraction - 1),
            _ => bits,
        };
    }
    if magnitude == infinity && d.flush_inf {
        return bits & sign | (infinity - 1);
    }
    if magnitude < 1 << fraction && d.ftz {
        return bits & sign;
    }
    bits
}

/// log2(m) / (m - 1), and its limit at 1.
fn log_quotient(m: f64) -> f64 {
    if m == 1.0 { core::f64::consts::LOG2_E } else { wide::log(m) * core::f64::consts::LOG2_E / (m - 1.0) }
}

/// The limits of an instruction, which most have not, on its results.
fn clamped(clamp: u8, v: &mut V32) {
    if clamp != 0 {
        for x in v {
            *x = clamp32(clamp, f(*x)).to_bits();
        }
    }
}

fn clamped2(w: &mut Warp, d: &DInst, op: impl Fn(f32, f32) -> f32) -> Result<(), Trap> {
    let (mut v, b) = (w.src32(d, 0), w.src32(d, 1));
    w.kill_last_uses(d)?;
    for (l, x) in v.iter_mut().enumerate() {
        *x = op(f(*x), f(b[l])).to_bits();
    }
    clamped(d.clamp, &mut v);
    out(w, d, &v)
}

fn clamped3(w: &mut Warp, d: &DInst, op: impl Fn(f32, f32, f32) -> f32) -> Result<(), Trap> {
    let (mut v, b, c) = (w.src32(d, 0), w.src32(d, 1), w.src32(d, 2));
    w.kill_last_uses(d)?;
    for (l, x) in v.iter_mut().enumerate() {
        *x = op(f(*x), f(b[l]), f(c[l])).to_bits();
    }
    clamped(d.clamp, &mut v);
    out(w, d, &v)
}

/// Executes one float instruction; an opcode that is none is a row nobody claimed.
#[expect(clippy::too_many_lines, reason = "one arm for each operation")]
pub(super) fn execute(w: &mut Warp, d: &DInst, salt: u64) -> Result<(), Trap> {
    use Op::*;
    let m = w.mode;
    let (clamp, cmp, result, round) = (d.clamp, d.cmp, d.result, d.round);
    let approx = Rounder { seed: w.perturb.map(|p| p ^ salt.wrapping_mul(0xD6E8_FEB8_6659_FD93)) };
    match d.op {
        FaddF32 => with_mode!(m, |M| clamped2(w, d, |a, b| n32::add(M, a, b))),
        FaddV2f16 => map2(w, d, |a, b| halves2(a, b, |a, b| clamp16(clamp, f16::add(m, a, b)))),
        FminF32 => with_mode!(m, |M| clamped2(w, d, |a, b| n32::min(M, MinMax::Number, a, b))),
        FminV2f16 => map2(w, d, |a, b| halves2(a, b, |a, b| clamp16(clamp, f16::min(m, MinMax::Number, a, b)))),
        FmaxF32 => with_mode!(m, |M| clamped2(w, d, |a, b| n32::max(M, MinMax::Number, a, b))),
        FmaxV2f16 => map2(w, d, |a, b| halves2(a, b, |a, b| clamp16(clamp, f16::max(m, MinMax::Number, a, b)))),
        FmaF32 => with_mode!(m, |M| clamped3(w, d, |a, b, c| n32::fma(M, a, b, c))),
        FmaV2f16 => map3(w, d, |a, b, c| halves3(a, b, c, |a, b, c| clamp16(clamp, f16::fma(m, a, b, c)))),
        FmaRscaleF32 | FmaRscaleNF32 | FmaRscaleLeftF32 | FmaRscaleScale16F32 => rscale(w, d),
        FaddImmF32 => {
            let c = f(d.imm as u32);
            with_mode!(m, |M| map1(w, d, |a| n32::add(M, f(a), c).to_bits()))
        }
        FaddImmV2f16 => {
            let c = d.imm as u32;
            map1(w, d, |a| halves2(a, c, |a, c| f16::add(m, a, c)))
        }
        LdexpF32 => map2(w, d, |a, b| n32::ldexp(m.rounding(round), f(a), b as i32).to_bits()),
        LdexpV2f16 => map2(w, d, |a, b| halves2(a, b, |a, b| f16::ldexp(m.rounding(round), a, i32::from(b as i16)))),
        V2f32ToV2f16 => map2(w, d, |a, b| {
            let half =
                |x: u32| u32::from(clamp16(clamp, f16::output(m, convert::f32_to_f16(round, n32::input(m, f(x))))));
            half(a) | half(b) << 16
        }),
        CselF32 => {
            with_mode!(m, |M| by_float_comparison!(cmp, |holds| {
                map4(w, d, |a, b, x, y| if holds(n32::input(M, f(a)), n32::input(M, f(b))) { x } else { y })
            }))
        }
        CselV2f16 => map4(w, d, |a, b, x, y| {
            let mask = halves2(a, b, |a, b| if compare(cmp, flushed16(m, a), flushed16(m, b)) { 0xFFFF } else { 0 });
            x & mask | y & !mask
        }),
        FcmpOrF32 | FcmpAndF32 => {
            let value = joined(result, d.op == FcmpAndF32);
            with_mode!(m, |M| by_float_comparison!(cmp, |holds| {
                map3(w, d, |a, b, c| value(holds(n32::input(M, f(a)), n32::input(M, f(b))), c))
            }))
        }
        FcmpOrV2f16 | FcmpAndV2f16 => {
            let and = d.op == FcmpAndV2f16;
            map3(w, d, |a, b, c| {
                halves3(a, b, c, |a, b, c| {
                    let v = compare(cmp, flushed16(m, a), flushed16(m, b));
                    truth(result, 16, if and { v && c != 0 } else { v || c != 0 }) as u16
                })
            })
        }

        FroundF32 => map1(w, d, |a| n32::output(m, n32::round_to_int(round, n32::input(m, f(a)))).to_bits()),
        FroundV2f16 => map1(w, d, |a| halves1(a, |x| f16::output(m, f16::round_to_int(round, f16::input(m, x))))),
        F32ToS32 => map1(w, d, |a| convert::f32_to_i32(round, n32::input(m, f(a))) as u32),
        F32ToU32 => map1(w, d, |a| convert::f32_to_u32(round, n32::input(m, f(a)))),
        F16ToS32 => map1(w, d, |a| convert::f64_to_i32(round, flushed16(m, a as u16)) as u32),
        F16ToU32 => map1(w, d, |a| convert::f64_to_u32(round, flushed16(m, a as u16))),
        V2f16ToV2s16 => map1(w, d, |a| halves1(a, |x| convert::f64_to_sint(round, flushed16(m, x), 16) as u16)),
        V2f16ToV2u16 => map1(w, d, |a| halves1(a, |x| convert::f64_to_uint(round, flushed16(m, x), 16) as u16)),
        F16ToF32 => map1(w, d, |a| convert::f16_to_f32(f16::input(m, a as u16)).to_bits()),
        S32ToF32 => map1(w, d, |a| convert::i32_to_f32(round, a as i32).to_bits()),
        U32ToF32 => map1(w, d, |a| convert::u32_to_f32(round, a).to_bits()),
        V2s16ToV2f16 => map1(w, d, |a| halves1(a, |x| convert::i64_to_f16(round, i64::from(x as i16)))),
        V2u16ToV2f16 => map1(w, d, |a| halves1(a, |x| convert::u64_to_f16(round, u64::from(x)))),

        FlushF32 => map1(w, d, |a| flush(d, a, 8, 23)),
        FlushV2f16 => map1(w, d, |a| halves1(a, |x| flush(d, u32::from(x), 5, 10) as u16)),
        FrexpmF32 => {
            let split = split_of(d)?;
            map1(w, d, |a| {
                let x = flushed(m, f(a));
                if x.is_nan() { NAN32.to_bits() } else { (frexp(split, x).0 as f32).to_bits() }
            })
        }
        FrexpeF32 => {
            let split = split_of(d)?;
            map1(w, d, |a| frexp(split, flushed(m, f(a))).1 as u32)
        }
        FrexpmV2f16 => {
            let split = split_of(d)?;
            map1(w, d, |a| {
                halves1(a, |x| {
                    let x = flushed16(m, x);
                    if x.is_nan() { NAN16 } else { convert::f64_to_f16(Round::Nearest, frexp(split, x).0) }
                })
            })
        }
        FrexpeV2f16 => {
            let split = split_of(d)?;
            map1(w, d, |a| halves1(a, |x| frexp(split, flushed16(m, x)).1 as u16))
        }

        FrcpF32 => map1(w, d, |a| n32::output(m, approx.to32(1.0 / flushed(m, f(a)))).to_bits()),
        FrsqF32 => map1(w, d, |a| {
            // The reference gives +inf for both zeros.
            let x = flushed(m, f(a));
            n32::output(m, approx.to32(if x == 0.0 { f64::INFINITY } else { 1.0 / x.sqrt() })).to_bits()
        }),
        FrcpF16 => half_result(w, d, |a| f16::output(m, approx.to16(1.0 / flushed16(m, a)))),
        FrsqF16 => half_result(w, d, |a| {
            let x = flushed16(m, a);
            f16::output(m, approx.to16(if x == 0.0 { f64::INFINITY } else { 1.0 / x.sqrt() }))
        }),
        FlogdF32 => map1(w, d, |a| {
            let x = flushed(m, f(a));
            if x.is_nan() || x < 0.0 {
                NAN32.to_bits()
            } else if x == 0.0 || x.is_infinite() {
                f32::INFINITY.to_bits()
            } else {
                approx.to32(log_quotient(frexp(Split::Log, x).0)).to_bits()
            }
        }),
        FaddLscaleF32 => map2(w, d, |a, b| {
            let x = flushed(m, f(b));
            let r = if x == 0.0 {
                -1.0
            } else if x == f64::INFINITY {
                1.0
            } else {
                n32::add(m, f(a), frexp(Split::Log, x).0 as f32)
            };
            clamp32(clamp, r).to_bits()
        }),
        FrcpApproxF32 => map1(w, d, |a| {
            let x = flushed(m, f(a));
            n32::output(m, approx.to32(1.0 / frexp(Split::Plain, x).0)).to_bits()
        }),
        FrsqApproxF32 => map1(w, d, |a| {
            let x = flushed(m, f(a));
            n32::output(m, approx.to32(1.0 / frexp(Split::Sqrt, x).0.sqrt())).to_bits()
        }),
        FsinTableU6 => map1(w, d, |a| approx.to32(table_sin(a & 63)).to_bits()),
        FcosTableU6 => map1(w, d, |a| approx.to32(table_sin(a.wrapping_add(16) & 63)).to_bits()),
        FexpTableU4 => map1(w, d, |a| approx.to32(wide::exp2(f64::from(a & 15) / 16.0)).to_bits()),
        FexpF32 => map2(w, d, |a, b| {
            let scaled = flushed(m, f(b));
            let unit = f64::from(1 << 24);
            let r = if scaled.is_nan() {
                NAN32
            } else if scaled >= 128.0 * unit {
                f32::INFINITY
            } else if scaled <= -150.0 * unit {
                0.0
            } else {
                n32::output(m, approx.to32(wide::exp2(f64::from(a as i32) / unit)))
            };
            clamp32(clamp, r).to_bits()
        }),

        Cubeface1 => map3(w, d, |x, y, z| f(x).abs().max(f(y).abs()).max(f(z).abs()).to_bits()),
        Cubeface2V9 => map3(w, d, |x, y, z| face(f(x), f(y), f(z)) << 29),
        CubeSsel => map3(w, d, |z, x, face| match face >> 29 {
            0 => z ^ 0x8000_0000,
            1 => z,
            2..=4 => x,
            _ => x ^ 0x8000_0000,
        }),
        CubeTsel => map3(w, d, |y, z, face| match face >> 29 {
            2 => z,
            3 => z ^ 0x8000_0000,
            _ => y ^ 0x8000_0000,
        }),
        op => Err(unsupported(format!("{op:?} is not modelled"))),
    }
}

/// sin(n * pi / 32), with the exact values at the quarter turns.
fn table_sin(n: u32) -> f64 {
    match n {
        0 | 32 => 0.0,
        16 => 1.0,
        48 => -1.0,
        _ => wide::sin(f64::from(n) * core::f64::consts::PI / 32.0),
    }
}

/// The scalar 16-bit forms: into the half that is written, or the low half with zeros above.
fn half_result(w: &mut Warp, d: &DInst, op: impl Fn(u16) -> u16) -> Result<(), Trap> {
    let high = d.dst_mask == 2;
    map1(w, d, |a| {
        let r = u32::from(op(a as u16));
        if high { r << 16 } else { r }
    })
}
