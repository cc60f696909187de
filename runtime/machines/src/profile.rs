//! The numeric profile of each machine: how it rounds, flushes, multiplies and adds, and what its special functions give.
//!
//! Under its profile the oracle computes the IR that selection read to the bit as the machine does. The formulas follow
//! the references, as the machines do, but share no arithmetic with them. What selection makes of an op that the
//! machine lacks (a quotient from a reciprocal, a sine from a table and a step) is written here a second time.

use std::sync::Arc;

use gpucc_interp::{MachineMath, Profile, Tolerance};
use gpucc_ir::{Op, Scalar};
use gpucc_num::pack::CubeTies;
use gpucc_num::special::{self, wide};
use gpucc_num::{MinMax, Mode, NAN32, convert, f32 as num, sfu};
use gpucc_pipeline::{Code, Layout};
use gpucc_sim::texture::{Filter, Format, NearestRounding, Precision, Sampler, Texel};

use crate::interp;

/// The precision with which samplers of a family filter.
pub fn sampling(family: &str) -> fn(&Sampler) -> Precision {
    match family {
        // Eight bits of weight and of level; coordinates are cut off where both filters are nearest.
        "gcn" | "valhall" => |s| Precision {
            weight_bits: Some(8),
            lod_bits: Some(8),
            nearest: match (s.mag, s.min) {
                (Filter::Nearest, Filter::Nearest) => NearestRounding::Truncate,
                _ => NearestRounding::Round,
            },
            ..Precision::default()
        },
        // Eight bits of weight and of level.
        "tesla" => |_| Precision {
            weight_bits: Some(8),
            lod_bits: Some(8),
            nearest: NearestRounding::Truncate,
            ..Precision::default()
        },
        // Widths are not known: exact.
        "vivante" => |_| Precision { neighbours: true, ..Precision::default() },
        _ => |s| s.precision,
    }
}

/// The profile under which the oracle computes as the machine of a family and generation does, bit for bit but for the
/// sign of zero and the payload of NaN.
pub fn profile(family: &str, generation: usize) -> Profile {
    let flush = Profile { f32: Mode::FLUSH, tolerance: Tolerance::EXACT, ..Profile::default() };
    match family {
        // IEEE with denormals (flush-to-zero mode 0), fused multiply-add.
        "valhall" => Profile {
            subgroup_size: 16,
            whole_access: true,
            cube_ties: CubeTies::FirstAxis,
            level_bits: Some(8),
            machine: Some(Arc::new(Valhall)),
            tolerance: Tolerance::EXACT,
            ..Profile::default()
        },
        "tesla" => {
            Profile { subgroup_size: 32, machine: Some(Arc::new(Tesla)), interp: interp::model(family), ..flush }
        }
        // FP_DENORM: f32 flushed, f16 and f64 kept.
        "gcn" => Profile {
            subgroup_size: 64,
            machine: Some(Arc::new(Gcn { gfx6: generation == 0 })),
            interp: interp::model(family),
            ..flush
        },
        "vivante" => Profile {
            subgroup_size: 4,
            fma: gpucc_interp::FmaModel::Unfused,
            words_behind: true,
            machine: Some(Arc::new(Vivante { gc2000: generation == 0 })),
            interp: interp::model(family),
            ..flush
        },
        _ => Profile::default(),
    }
}

fn f(x: u64) -> f32 {
    f32::from_bits(x as u32)
}

fn bits(x: f32) -> Option<u64> {
    Some(u64::from(x.to_bits()))
}

/// `1 / sqrt(x)`, +inf for both zeros.
fn rsqrt(x: f32) -> f32 {
    if x == 0.0 { f32::INFINITY } else { special::rsqrt(x) }
}

/// The special function unit and the multiply-add of sections 7.2 and 7.3.
struct Tesla;

impl MachineMath for Tesla {
    fn ops(&self) -> &[Op] {
        &[Op::Fma, Op::FDiv, Op::FRcp, Op::FRsqrt, Op::FSqrt, Op::FExp2, Op::FLog2, Op::FSin, Op::FCos]
    }

    fn eval(&self, op: Op, scalar: Scalar, _lanes: u32, args: &[u64]) -> Option<u64> {
        if scalar != Scalar::F32 {
            return None;
        }
        let (x, a) = (args[0] as u32, |n: usize| f(args[n]));
        let times = |y: u32| num::mul(Mode::FLUSH, a(0), f32::from_bits(y)).to_bits();
        Some(u64::from(match op {
            Op::Fma => sfu::mad(a(0), a(1), a(2)).to_bits(),
            Op::FDiv => times(sfu::rcp(args[1] as u32)),
            Op::FRcp => sfu::rcp(x),
            Op::FRsqrt => sfu::rsqrt(x),
            Op::FSqrt => sfu::rcp(sfu::rsqrt(x)),
            Op::FExp2 => sfu::ex2(sfu::preex2(x)),
            Op::FLog2 => sfu::lg2(x),
            Op::FSin => sfu::sin(sfu::presin(x)),
            Op::FCos => sfu::cos(sfu::presin(x)),
            _ => return None,
        }))
    }

    /// Code makes codes of fractions: the product is rounded before it is rounded to an integer, which shows where it is a half.
    fn stored(&self, format: Format, texel: Texel) -> Texel {
        let parts: [(bool, u32); 4] = match format.layout() {
            Layout::Array(Code::Unorm, bits) => [(false, bits); 4],
            Layout::Array(Code::Snorm, bits) => [(true, bits); 4],
            Layout::Bgra(Code::Unorm) => [(false, 8); 4],
            Layout::Rgb10a2(Code::Unorm) => [(false, 10), (false, 10), (false, 10), (false, 2)],
            _ => return texel,
        };
        std::array::from_fn(|k| {
            let (signed, bits) = parts[k];
            let x = f32::from_bits(texel[k]);
            let most = ((1u32 << (bits - u32::from(signed))) - 1) as f32;
            if !(-1.0..=1.0).contains(&x) {
                return texel[k];
            }
            let code = num::mul(Mode::FLUSH, x, most).round_ties_even();
            (code / most).to_bits()
        })
    }
}

/// Functions that are rounded correctly, of flushed operands; angles in turns. The lesser and the greater of two keep
/// denormals before gfx9.
struct Gcn {
    gfx6: bool,
}

impl MachineMath for Gcn {
    fn ops(&self) -> &[Op] {
        &[Op::FMin, Op::FMax, Op::FRsqrt, Op::FSin, Op::FCos]
    }

    fn eval(&self, op: Op, scalar: Scalar, _lanes: u32, args: &[u64]) -> Option<u64> {
        if scalar != Scalar::F32 {
            return None;
        }
        let m = Mode::FLUSH;
        match op {
            Op::FMin => return bits(num::min(Mode::IEEE, MinMax::Number, f(args[0]), f(args[1]))),
            Op::FMax => return bits(num::max(Mode::IEEE, MinMax::Number, f(args[0]), f(args[1]))),
            _ => {}
        }
        let x = num::flush(f(args[0]));
        bits(num::output(
            m,
            match op {
                Op::FRsqrt => rsqrt(x),
                Op::FSin | Op::FCos => {
                    // 1 / (2 pi) as the inline constant of gfx8 has it.
                    let turns = num::mul(m, f32::from_bits(0x3e22_f983), x);
                    if !turns.is_finite() {
                        return bits(NAN32);
                    }
                    let fract = num::sub(Mode::IEEE, turns, num::floor(turns));
                    // Below 1 on gfx7 and later.
                    let fract = if fract >= 1.0 && !self.gfx6 { f32::from_bits(0x3f7f_ffff) } else { fract };
                    let t = f64::from(num::flush(fract));
                    let angle = (t - f64::from(num::rint(t as f32))) * core::f64::consts::TAU;
                    (if op == Op::FSin { wide::sin(angle) } else { wide::cos(angle) }) as f32
                }
                _ => return None,
            },
        ))
    }
}

/// Functions that are rounded correctly; quotients of scalars too, those of vectors are products with a reciprocal.
struct Vivante {
    gc2000: bool,
}

impl Vivante {
    /// Sine or cosine: the argument in half turns (quarter turns on gc2000), rounded.
    fn angle(&self, x: f32, cos: bool) -> f32 {
        let (scale, period) =
            if self.gc2000 { (core::f32::consts::FRAC_2_PI, 4.0) } else { (core::f32::consts::FRAC_1_PI, 2.0) };
        let x = num::mul(Mode::FLUSH, x, scale);
        if !x.is_finite() {
            return NAN32;
        }
        let x = f64::from(x);
        let whole = gpucc_num::f64::round_to_int(gpucc_num::Round::Down, x / period);
        let angle = (x - period * whole) / period * core::f64::consts::TAU;
        (if cos { wide::cos(angle) } else { wide::sin(angle) }) as f32
    }
}

impl MachineMath for Vivante {
    fn ops(&self) -> &[Op] {
        &[Op::FMin, Op::FMax, Op::FSat, Op::FDiv, Op::FRsqrt, Op::FSin, Op::FCos]
    }

    fn eval(&self, op: Op, scalar: Scalar, lanes: u32, args: &[u64]) -> Option<u64> {
        if scalar != Scalar::F32 {
            return None;
        }
        let m = Mode::FLUSH;
        let x = f(args[0]);
        bits(match op {
            // A compare of flushed values chooses one of the operands as it is.
            Op::FMin | Op::FMax => {
                let y = f(args[1]);
                let (fx, fy) = (num::flush(x), num::flush(y));
                match () {
                    () if x.is_nan() => y,
                    () if op == Op::FMin && fx > fy || op == Op::FMax && fx < fy => y,
                    () => x,
                }
            }
            // A MOV that clamps.
            Op::FSat => num::saturate(x, 0.0),
            Op::FDiv if self.gc2000 || lanes > 1 => num::mul(m, x, num::div(m, 1.0, f(args[1]))),
            Op::FDiv => num::div(m, x, f(args[1])),
            Op::FRsqrt => num::output(m, rsqrt(num::flush(x))),
            Op::FSin | Op::FCos => num::output(m, self.angle(num::flush(x), op == Op::FCos)),
            _ => return None,
        })
    }
}

/// Sequences of section 13 of the reference over functions that are rounded correctly.
struct Valhall;

/// Mantissa and exponent as FREXPM and FREXPE give them: in 0.75..1.5 for logarithms, in 0.25..1 with an exponent of 4
/// for roots.
fn split(x: f32, root: bool) -> (f32, i32) {
    if x == 0.0 || !x.is_finite() {
        return (x, 0);
    }
    // In 0.5..1.
    let (m, e) = num::frexp(x);
    match root {
        true if e & 1 == 0 => (m, e / 2),
        true => (m / 2.0, (e + 1) / 2),
        false if m.abs() < 0.75 => (m * 2.0, e - 1),
        false => (m, e),
    }
}

fn sqrt(x: f32) -> f32 {
    let (m, e) = split(x, true);
    let r = rsqrt(m);
    // A factor of zero makes the product the other one.
    let product = if m == 0.0 || r == 0.0 { f64::from(m) } else { f64::from(m) * f64::from(r) };
    (product * 2.0_f64.powi(e)) as f32
}

fn exp2(x: f32) -> f32 {
    let scaled = num::mul(Mode::IEEE, x, 16_777_216.0);
    // 8.24 fixed point.
    let fixed = convert::f32_to_i32(gpucc_num::Round::Nearest, scaled);
    match () {
        () if x.is_nan() => NAN32,
        () if scaled >= 128.0 * 16_777_216.0 => f32::INFINITY,
        // Values beyond fixed point.
        () if scaled < -2_147_483_648.0 => 0.0,
        () => wide::exp2(f64::from(fixed) / 16_777_216.0) as f32,
    }
}

fn log2(x: f32) -> f32 {
    let (m, e) = split(x, false);
    // log2(m) / (m - 1)
    let slope = match () {
        () if x.is_nan() || x < 0.0 => NAN32,
        () if x == 0.0 || x.is_infinite() => f32::INFINITY,
        () if m == 1.0 => core::f32::consts::LOG2_E,
        () => (wide::log(f64::from(m)) * core::f64::consts::LOG2_E / (f64::from(m) - 1.0)) as f32,
    };
    let step = match x {
        0.0 => -1.0,
        f32::INFINITY => 1.0,
        _ => num::add(Mode::IEEE, -1.0, m),
    };
    num::fma(Mode::IEEE, slope, step, e as f32)
}

/// A table of 64 angles and a step of second order from there.
fn sine(x: f32, cos: bool) -> f32 {
    let m = Mode::IEEE;
    let bias = f32::from_bits(0x48c0_0000);
    let u = num::fma(m, x, f32::from_bits(0x3ea2_f983), bias);
    let t = num::sub(m, u, bias);
    let e = num::fma(m, t, -f32::from_bits(0x4049_0fdb), x);
    let table = |n: u32| match n & 63 {
        0 | 32 => 0.0,
        16 => 1.0,
        48 => -1.0,
        n => wide::sin(f64::from(n) * core::f64::consts::PI / 32.0) as f32,
    };
    let (s, c) = (table(u.to_bits()), table(u.to_bits().wrapping_add(16)));
    let (table, slope) = if cos { (c, -s) } else { (s, c) };
    // Half of the square, rounded once.
    let half = (f64::from(e) * f64::from(e) * 0.5) as f32;
    let q = num::mul(m, -half, table);
    let r = num::fma(m, e, slope, q);
    let r = if r.is_nan() { -1.0 } else { r.clamp(-1.0, 1.0) };
    num::add(m, r, table)
}

impl MachineMath for Valhall {
    fn ops(&self) -> &[Op] {
        &[Op::FDiv, Op::FSqrt, Op::FRsqrt, Op::FExp2, Op::FLog2, Op::FSin, Op::FCos]
    }

    fn eval(&self, op: Op, scalar: Scalar, _lanes: u32, args: &[u64]) -> Option<u64> {
        if scalar != Scalar::F32 {
            return None;
        }
        let x = f(args[0]);
        bits(match op {
            Op::FDiv => num::mul(Mode::IEEE, x, special::rcp(f(args[1]))),
            Op::FSqrt => sqrt(x),
            Op::FRsqrt => rsqrt(x),
            Op::FExp2 => exp2(x),
            Op::FLog2 => log2(x),
            Op::FSin => sine(x, false),
            Op::FCos => sine(x, true),
            _ => return None,
        })
    }
}
