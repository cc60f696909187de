//! Range of results that WGSL's accuracy allows a whole program: estimated by runs of the plain oracle in which every inexact
//! operation is moved inside its bound.
//!
//! A bound for the result of a program does not follow from those of its operations without an analysis of its errors,
//! and branches on floats have none at all. So the program is run again several times (a Monte Carlo error analysis);
//! in each run every inexact operation goes to the upper or lower end of what WGSL allows it, all the same way or as a
//! hash of the operands says, and denormals are flushed or not. Reductions of floats over a subgroup add and multiply in
//! another order in each run, since no specification says which. What differs from the plain oracle must lie within
//! [`SLACK`] times the spread of these runs. What a comparison, `min` or a conversion to an integer makes of a float need not
//! spread as the float does: before a difference counts, runs follow in which each operation is moved by [`SLACK`] times its
//! bound, and their spread is taken as it is. The spread of a float is a distance; that of an integer is a distance or
//! the bits that differ, since the shader may have made it of a rounded number by bit operations. A word in which the
//! runs do not differ must be the same bits: integers that do not depend on rounding stay exact.

use crate::compare::{Difference, Kind, Outcome, Tolerance, words};
use crate::interpolate::InterpModel;
use crate::profile::{MachineMath, Profile};
use crate::program::OracleProgram;
use gpucc_ir::{Op, Scalar};
use gpucc_num::convert::{f16_to_f32, f16_to_f64, f32_to_f16, f64_to_f16};
use gpucc_num::{Mode, Round, f32 as num, special::wide};
use gpucc_sim::draw::Primitive;
use gpucc_sim::{Dispatch, RunOptions};
use std::sync::Arc;

/// How far beyond the spread of the sampled runs a result may lie, or the operations of more runs beyond their bounds.
pub const SLACK: f64 = 4.0;

/// Runs at first, those inside the bounds, and all before a difference counts.
const FIRST: u64 = 8;
const INSIDE: u64 = 32;
const MOST: u64 = 64;

/// Moves operations inside WGSL's accuracy: by a hash of the seed and the operands, or always the same way.
#[derive(Clone, Copy, Debug)]
pub struct Moved {
    pub sample: u64,
    /// How far, in bounds.
    pub width: f64,
}

impl Moved {
    fn profile(sample: u64, width: f64, subgroup_size: u32) -> Profile {
        let rounds = [Round::Up, Round::Down, Round::Zero, Round::Nearest];
        let flush = sample & 2 != 0;
        let mode = Mode { round: rounds[(sample % 4) as usize], flush_in: flush, flush_out: flush };
        Profile {
            f16: mode,
            f32: mode,
            subgroup_size,
            order: Some(sample),
            machine: Some(Arc::new(Moved { sample, width })),
            interp: Some(Arc::new(Moved { sample, width })),
            ..Profile::default()
        }
    }

    /// Where between the lower (`-width`) and the upper (`width`) end of the bound the result is put.
    fn shift(&self, op: Op, args: &[u64], exact: f64) -> f64 {
        let outward = if exact < 0.0 { -1.0 } else { 1.0 };
        let way = match self.sample % 8 {
            0 => 1.0,
            1 => -1.0,
            2 => -outward,
            3 => outward,
            _ if self.hash(op, args) >> 40 & 1 == 0 => 1.0,
            _ => -1.0,
        };
        way * self.width
    }

    /// A hash of the run and the operands.
    fn hash(&self, op: Op, args: &[u64]) -> u64 {
        let mut h = self.sample.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ op as u64;
        for a in args {
            h = (h ^ a).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            h ^= h >> 31;
        }
        h
    }

    /// A sine or cosine of which nothing can be said: no number, or by turns any from -1 to 1. NaN alone would not do: comparisons
    /// and normalised targets make the same of it in each run.
    fn anything(&self, op: Op, args: &[u64]) -> f64 {
        if self.sample & 1 == 0 {
            return f64::NAN;
        }
        let unit = (self.hash(op, args) >> 11) as f64 / (1u64 << 53) as f64;
        2.0 * unit - 1.0
    }
}

/// The distance between neighbours at this magnitude.
fn ulp(x: f64) -> f64 {
    let x = (x.abs() as f32).min(f32::MAX);
    let e = ((x.to_bits() >> 23) as i32).max(1) - 150;
    f64::from_bits(((1023 + e) as u64) << 52)
}

impl MachineMath for Moved {
    fn ops(&self) -> &[Op] {
        &[
            Op::FAdd,
            Op::FSub,
            Op::FMul,
            Op::Fma,
            Op::FDiv,
            Op::FRem,
            Op::FFract,
            Op::FSqrt,
            Op::FRsqrt,
            Op::FRcp,
            Op::FExp2,
            Op::FLog2,
            Op::FSin,
            Op::FCos,
            Op::FQuant16,
        ]
    }

    fn eval(&self, op: Op, scalar: Scalar, _lanes: u32, args: &[u64]) -> Option<u64> {
        if scalar == Scalar::F16 {
            return self.eval16(op, args);
        }
        if scalar != Scalar::F32 {
            return None;
        }
        let a = |n: usize| f32::from_bits(args[n] as u32);
        let flush = self.sample & 2 != 0;
        let mode =
            |up: f64| Mode { round: if up > 0.0 { Round::Up } else { Round::Down }, flush_in: flush, flush_out: flush };
        let near = Mode { round: Round::Nearest, ..mode(1.0) };
        let x = f64::from(num::input(near, a(0)));
        // Correctly rounded operations: WGSL takes either neighbour, and what is exact stays so.
        let rounded = |f: &dyn Fn(Mode) -> f32| {
            // Only two of the ways ask which side of zero the result is on.
            let is_signed = matches!(self.sample % 8, 2 | 3);
            let shift = self.shift(op, args, if is_signed { f64::from(f(near)) } else { 0.0 });
            let first = f(mode(shift));
            // At the bound itself the other neighbour decides the sign of a zero alone.
            if self.width == 1.0 && first != 0.0 {
                return first;
            }
            let (neighbour, way) = (f64::from(first), f64::from(f(mode(-shift))));
            let more = (self.width - 1.0) * (neighbour - way);
            if more.is_finite() { num::output(mode(shift), (neighbour + more) as f32) } else { first }
        };
        // `exact` and how far from it the operation may be.
        let within = |exact: f64, error: f64| {
            if !exact.is_finite() {
                return num::output(near, exact as f32);
            }
            let moved = exact + error * self.shift(op, args, exact);
            num::output(near, moved as f32)
        };
        let ulps = |exact: f64, n: f64| within(exact, n * ulp(exact));
        // Reciprocals of numbers beyond 2^126 may be flushed, those of numbers below 2^-126 overflow.
        let quotient = |x: f64, y: f32| {
            let exact = x / f64::from(num::input(near, y));
            let usual = y == 0.0 || (2.0_f32.powi(-126)..=2.0_f32.powi(126)).contains(&y.abs()) || !y.is_finite();
            let odd = self.shift(op, args, exact) > 0.0;
            match () {
                () if usual => ulps(exact, 2.5),
                () if odd => exact as f32,
                () if y.abs() > 1.0 => 0.0_f32.copysign(exact as f32),
                () => f32::INFINITY.copysign(exact as f32),
            }
        };
        let r = match op {
            Op::FAdd => rounded(&|m| num::add(m, a(0), a(1))),
            Op::FSub => rounded(&|m| num::sub(m, a(0), a(1))),
            Op::FMul => rounded(&|m| num::mul(m, a(0), a(1))),
            Op::Fma => rounded(&|m| num::mad(m, a(0), a(1), a(2))),
            Op::FFract => rounded(&|m| num::fract(m, a(0))),
            Op::FDiv => quotient(x, a(1)),
            Op::FRcp => quotient(1.0, a(0)),
            // x - y * trunc(x / y), each step with its own error.
            Op::FRem => {
                let q = num::trunc(quotient(x, a(1)));
                rounded(&|m| num::sub(m, a(0), num::mul(m, a(1), q)))
            }
            // 1 / inverseSqrt(x)
            Op::FSqrt => ulps(x.sqrt(), 5.0),
            Op::FRsqrt => ulps(1.0 / x.sqrt(), 2.0),
            Op::FExp2 => ulps(wide::exp2(x), 3.0 + 2.0 * x.abs()),
            Op::FLog2 if (0.5..=2.0).contains(&x) => within(wide::log2(x), 2.0_f64.powi(-21)),
            Op::FLog2 => ulps(wide::log2(x), 3.0),
            // WGSL asks for nothing outside of [-pi, pi]; there the error is taken to grow with the argument, until nothing
            // can be said.
            Op::FSin | Op::FCos => {
                let exact = if op == Op::FSin { wide::sin(x) } else { wide::cos(x) };
                let error = 2.0_f64.powi(-11) * (x.abs() / core::f64::consts::PI).max(1.0);
                if error > 0.25 { self.anything(op, args) as f32 } else { within(exact, error) }
            }
            // Correctly rounded: either neighbour.
            Op::FQuant16 => {
                let round = if self.shift(op, args, x) > 0.0 { Round::Up } else { Round::Down };
                self.half(f16_to_f32(f32_to_f16(round, a(0))))
            }
            _ => return None,
        };
        Some(u64::from(r.to_bits()))
    }

    /// The scale and the sum inside `floor(0.5 + scale * x)` are rounded.
    fn packed(&self, op: Op, lane: f32) -> f32 {
        let scale = match op {
            Op::PackUnorm4x8 => 255.0,
            Op::PackSnorm4x8 => 127.0,
            Op::PackUnorm2x16 => 65535.0,
            Op::PackSnorm2x16 => 32767.0,
            _ => return self.half(lane),
        };
        let error = f64::from(f32::EPSILON) * (f64::from(lane.abs()) + 1.0 / scale);
        (f64::from(lane) + error * self.shift(op, &[u64::from(lane.to_bits())], f64::from(lane))) as f32
    }

    /// Hardware keeps eight bits of the fraction of a texel, and the place is a product that is rounded. Where floats are
    /// whole texels the latter is by turns any inside of its bounds: their ends may be the same texel of a texture that repeats.
    fn missed(&self, place: f64) -> f64 {
        let bits = [place.to_bits()];
        let unit = (self.hash(Op::Tex, &bits) >> 11) as f64 / (1u64 << 52) as f64 - 1.0;
        self.shift(Op::Tex, &bits, place) / 256.0 + self.width * unit * ulp(place)
    }

    /// 3 ULP for what is scaled; halves are exact.
    fn unpacked(&self, op: Op, lane: f32) -> f32 {
        if op == Op::UnpackHalf2x16 {
            return self.half(lane);
        }
        let exact = f64::from(lane);
        (exact + 3.0 * ulp(exact) * self.shift(op, &[u64::from(lane.to_bits())], exact)) as f32
    }
}

/// The distance between neighbours of f16 at this magnitude.
fn ulp16(x: f64) -> f64 {
    let e = if x == 0.0 { -14 } else { x.abs().log2().floor().clamp(-14.0, 15.0) as i32 };
    2.0_f64.powi(e - 10)
}

impl Moved {
    /// Inexact operations on halves. Sums and products are rounded as the profile says.
    fn eval16(&self, op: Op, args: &[u64]) -> Option<u64> {
        let flush = self.sample & 2 != 0;
        let a = |n: usize| {
            let x = f16_to_f64(args[n] as u16);
            if flush && x.abs() < 2.0_f64.powi(-14) { 0.0_f64.copysign(x) } else { x }
        };
        let x = a(0);
        let within = |exact: f64, error: f64| {
            let moved = if exact.is_finite() { exact + error * self.shift(op, args, exact) } else { exact };
            f64_to_f16(Round::Nearest, moved)
        };
        let ulps = |exact: f64, n: f64| within(exact, n * ulp16(exact));
        let r = match op {
            Op::FDiv => ulps(x / a(1), 2.5),
            Op::FRcp => ulps(1.0 / x, 2.5),
            Op::FSqrt => ulps(x.sqrt(), 5.0),
            Op::FRsqrt => ulps(1.0 / x.sqrt(), 2.0),
            Op::FExp2 => ulps(wide::exp2(x), 1.0 + 2.0 * x.abs()),
            Op::FLog2 if (0.5..=2.0).contains(&x) => within(wide::log2(x), 2.0_f64.powi(-7)),
            Op::FLog2 => ulps(wide::log2(x), 3.0),
            Op::FSin | Op::FCos => {
                let exact = if op == Op::FSin { wide::sin(x) } else { wide::cos(x) };
                let error = 2.0_f64.powi(-7) * (x.abs() / core::f64::consts::PI).max(1.0);
                if error > 0.25 { f64_to_f16(Round::Nearest, self.anything(op, args)) } else { within(exact, error) }
            }
            _ => return None,
        };
        Some(u64::from(r))
    }

    /// Small halves may be flushed.
    fn half(self, x: f32) -> f32 {
        if self.sample & 2 != 0 && x.abs() < 2.0_f32.powi(-14) { 0.0_f32.copysign(x) } else { x }
    }
}

/// The arithmetic of a run inside WGSL's accuracy, by its number.
pub fn moved(sample: u64, subgroup_size: u32) -> Profile {
    Moved::profile(sample, 1.0, subgroup_size)
}

/// Interpolated values are moved by the cost of rounding a weight and a product in f32.
impl InterpModel for Moved {
    fn value(&self, primitive: &Primitive, weights: [f64; 4], values: [f32; 3]) -> f32 {
        let count = primitive.count as usize;
        let all = || (0..count).map(move |k| (weights[k] * f64::from(values[k]), values[k]));
        let exact: f64 = all().map(|a| a.0).sum();
        let largest = all().map(|(a, v)| a.abs().max(f64::from(v.abs()))).fold(0.0, f64::max);
        let bits = [0, 1, 2].map(|k: usize| weights[k].to_bits());
        (exact + 4.0 * ulp(largest) * self.shift(Op::Input, &bits, exact)) as f32
    }
}

/// A buffer word as a number: floats by value, everything else as an integer.
fn value(kind: Kind, bits: u64) -> f64 {
    match kind {
        Kind::Exact => bits as f64,
        Kind::F16 => f64::from(f16_to_f32(bits as u16)),
        Kind::F32 => f64::from(f32::from_bits(bits as u32)),
        Kind::F64 => f64::from_bits(bits),
    }
}

/// How far sampled runs went from the plain oracle in one word.
#[derive(Clone, Copy, Default)]
struct Spread {
    /// Greatest distance by value.
    distance: f64,
    /// Greatest number made of the bits that differ. Integers only.
    bits: u64,
}

impl Spread {
    /// How far the second word of a difference is from the first.
    fn of(d: &Difference) -> Spread {
        let distance = (value(d.kind, d.machine) - value(d.kind, d.oracle)).abs();
        // Infinity and NaN: nothing is promised where they can come out.
        let distance = if distance.is_finite() { distance } else { f64::INFINITY };
        Spread { distance, bits: if d.kind == Kind::Exact { d.machine ^ d.oracle } else { 0 } }
    }

    /// The farther of both, each way of its own.
    fn max(self, other: Spread) -> Spread {
        Spread { distance: self.distance.max(other.distance), bits: self.bits.max(other.bits) }
    }

    /// Whether a result may lie this far away, with so much slack.
    fn allows(self, far: Spread, slack: f64) -> bool {
        let near = self.distance > 0.0 && far.distance <= slack * self.distance;
        near || far.bits != 0 && far.bits as f64 <= slack * self.bits as f64
    }
}

/// The difference that [`outside_accuracy`] found.
#[derive(Debug, Default)]
pub struct Sampled {
    /// The first word that WGSL's accuracy does not allow.
    pub outside: Option<Difference>,
    /// Words that differ and of which the sampled runs agree in no digit: rounding alone decides them.
    pub chaotic: usize,
    /// Words that differ and could not be judged: the program is too long to be run as often as that takes.
    pub unsampled: usize,
}

/// A spread that is this part of a value leaves nothing to compare.
const CHAOS: f64 = 1.0 / 16.0;

/// Work of all sampled runs together, in invocations' instructions; each of a subgroup costs [`DISPATCH`] more. Some
/// 20 s.
const BUDGET: u64 = 256_000_000;
const DISPATCH: u64 = 8;

/// Judges a machine's buffers by the plain oracle's result and WGSL's accuracy. `before` is the dispatch that both
/// started from, `plain` what the program left with the default profile; `left_out` says of words (buffer and byte) that
/// they are not to be judged. Subgroups have `lanes` lanes, as in the run of `plain`.
pub fn outside_accuracy(
    program: &OracleProgram,
    before: &Dispatch,
    (options, lanes): (&RunOptions, u32),
    plain: (&Outcome, &Dispatch),
    machine: &Dispatch,
    left_out: impl Fn(&Difference) -> bool,
) -> Sampled {
    let (outcome, oracle) = plain;
    let mut open: Vec<Difference> =
        words(outcome, oracle, machine).filter(|d| !Tolerance::EXACT.accepts(d.kind, d.oracle, d.machine)).collect();
    // Results that no operation promises a value for: the oracle's own result is no number.
    open.retain(|d| (d.kind == Kind::Exact || value(d.kind, d.oracle).is_finite()) && !left_out(d));
    let report = &outcome.report;
    let work = report.lane_instructions.saturating_add(DISPATCH.saturating_mul(report.instructions));
    let most = MOST.min(BUDGET / work.max(1));
    if most < FIRST {
        return Sampled { unsampled: open.len(), ..Sampled::default() };
    }
    let (mut inside, mut beyond) = (vec![Spread::default(); open.len()], vec![Spread::default(); open.len()]);
    let mut chaotic = 0;
    for sample in 0..most {
        if open.is_empty() {
            break;
        }
        let mut d = before.clone();
        let quiet = RunOptions { perturb: None, ..options.clone() };
        let (width, spread) = if sample < INSIDE { (1.0, &mut inside) } else { (SLACK, &mut beyond) };
        // A run that does not end says nothing.
        if program.run(&mut d, &quiet, &Moved::profile(sample, width, lanes)).is_ok() {
            let mut at = 0;
            for word in words(outcome, oracle, &d).filter(|e| e.oracle != e.machine) {
                while at < open.len() && (open[at].buffer, open[at].offset) < (word.buffer, word.offset) {
                    at += 1;
                }
                if at < open.len() && (open[at].buffer, open[at].offset) == (word.buffer, word.offset) {
                    spread[at] = spread[at].max(Spread::of(&word));
                }
            }
        }
        if sample + 1 >= FIRST {
            let mut kept: (Vec<_>, (Vec<_>, Vec<_>)) = Default::default();
            for (d, s) in open.iter().zip(inside.iter().copied().zip(beyond.iter().copied())) {
                let far = Spread::of(d);
                let allowed = s.0.allows(far, SLACK) || s.1.allows(far, 1.0);
                // Nothing is left of the value: where the samples happen to end says little of where others may.
                let lost = s.0.max(s.1).distance > CHAOS * value(d.kind, d.oracle).abs();
                if !allowed && lost {
                    chaotic += 1;
                } else if !allowed {
                    kept.extend([(*d, s)]);
                }
            }
            (open, (inside, beyond)) = kept;
        }
    }
    Sampled { outside: open.first().copied(), chaotic, unsampled: 0 }
}
