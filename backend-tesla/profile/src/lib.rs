//! Tesla: f32 flushed, the special function unit, fractions that code rounds.

#[doc(hidden)]
pub mod sfu;

use std::sync::Arc;

use gpucc_interp::{InterpModel, MachineMath, Profile};
use gpucc_ir::{Mode as Interpolation, Op, Scalar};
use gpucc_num::{Mode, f32 as num};
use gpucc_pipeline::{Code, Layout};
use gpucc_sim::draw::{Primitive, QuadIn, Where};
use gpucc_sim::texture::{Format, NearestRounding, Precision, Sampler, Texel};

use gpucc_interp::formulas::{f, flushing};

/// Eight bits of weight and of level; coordinates of nearest filters are cut off.
pub fn sampling(_: &Sampler) -> Precision {
    Precision { weight_bits: Some(8), lod_bits: Some(8), nearest: NearestRounding::Truncate, ..Precision::default() }
}

/// The profile of a generation, by its name: that of every other. Nothing of one that there is none for.
pub fn profile(generation: &str) -> Option<Profile> {
    let (machine, interp) = (Some(Arc::new(Tesla) as _), Some(Arc::new(OverW) as _));
    let profile = Profile { subgroup_size: 32, divided_cubes: true, machine, interp, ..flushing() };
    ["nv50", "nv84", "nva0", "nva3", "mcp77"].contains(&generation).then_some(profile)
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

/// Tesla's interpolation. The unit gives a/w and 1/w as f32; the program takes the reciprocal of the 1/w in the middle of the pixel
/// and multiplies.
struct OverW;

impl InterpModel for OverW {
    fn weights(&self, quad: &QuadIn<'_>, lane: usize, mode: Interpolation, at: Where) -> [f64; 4] {
        // One bit says centroid or sample; which of them says state for the whole program.
        let at = if at == Where::Centroid && quad.sample.is_some() { Where::Sample } else { at };
        let w = quad.weights(lane, at);
        if mode == Interpolation::Linear {
            let [a, b, c] = w.linear;
            return [a, b, c, 0.0];
        }
        let [a, b, c] = w.perspective.map(|s| s * w.inv_w);
        [a, b, c, quad.weights(lane, Where::Center).inv_w]
    }

    fn value(&self, primitive: &Primitive, weights: [f64; 4], values: [f32; 3]) -> f32 {
        let sum: f64 = (0..primitive.count as usize).map(|k| weights[k] * f64::from(values[k])).sum();
        if weights[3] == 0.0 {
            return sum as f32;
        }
        let w = sfu::rcp((weights[3] as f32).to_bits());
        num::mul(Mode::FLUSH, sum as f32, f32::from_bits(w))
    }
}
