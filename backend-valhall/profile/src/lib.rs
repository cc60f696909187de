//! Valhall: IEEE with denormals (flush-to-zero mode 0), fused multiply-add, interpolation by the rules.

use std::sync::Arc;

use gpucc_interp::{MachineMath, Profile, Tolerance};
use gpucc_ir::{Op, Scalar};
use gpucc_num::pack::CubeTies;
use gpucc_num::special::{self, wide};
use gpucc_num::{Mode, NAN32, convert, f32 as num};

use gpucc_interp::formulas::{bits, f, rsqrt};

pub use gpucc_interp::formulas::eight_bits as sampling;

/// The profile of a generation, by its name: that of the other one. Nothing of one that there is none for.
pub fn profile(generation: &str) -> Option<Profile> {
    let profile = Profile {
        subgroup_size: 16,
        whole_access: true,
        cube_ties: CubeTies::FirstAxis,
        level_bits: Some(8),
        divided_cubes: true,
        machine: Some(Arc::new(Valhall)),
        tolerance: Tolerance::EXACT,
        ..Profile::default()
    };
    ["v9", "v10"].contains(&generation).then_some(profile)
}

/// Sequences of section 13 of the reference over functions that are rounded correctly.
struct Valhall;

/// Mantissa and exponent as FREXPM and FREXPE give them for logarithms: in 0.75..1.5.
fn split(x: f32) -> (f32, i32) {
    if x == 0.0 || !x.is_finite() {
        return (x, 0);
    }
    // In 0.5..1.
    let (m, e) = num::frexp(x);
    if m.abs() < 0.75 { (m * 2.0, e - 1) } else { (m, e) }
}

/// A number times its reciprocal root, rounded once; a factor of zero makes it the number itself.
fn sqrt(x: f32) -> f32 {
    let r = rsqrt(x);
    if x == 0.0 || r == 0.0 { x } else { num::mul(Mode::IEEE, x, r) }
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
    let (m, e) = split(x);
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
