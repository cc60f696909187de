//! GCN: f32 flushed, f16 and f64 with denormals (FP_DENORM).

use std::sync::Arc;

use gpucc_interp::{InterpModel, MachineMath, Profile};
use gpucc_ir::{Mode as Interpolation, Op, Scalar};
use gpucc_num::special::wide;
use gpucc_num::{MinMax, Mode, NAN32, f32 as num};
use gpucc_sim::draw::{Divisor, Primitive, QuadIn, Where};

use gpucc_interp::formulas::{bits, f, flushing, rsqrt};

pub use gpucc_interp::formulas::eight_bits as sampling;

/// The profile of a generation.
pub fn profile(generation: usize) -> Profile {
    Profile {
        subgroup_size: 64,
        machine: Some(Arc::new(Gcn { gfx6: generation == 0 })),
        interp: Some(Arc::new(Planes)),
        ..flushing()
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

/// GCN's interpolation. Launch gives a fragment its shares i and j of the second and the third vertex, counted from the provoking
/// one, in f32. LDS holds the first vertex's value and the differences of the others to it. `v_interp_p1` and `v_interp_p2` add
/// the products, each product and each sum rounded and flushed. `position.w` is the reciprocal of POS_W, which is w.
struct Planes;

impl InterpModel for Planes {
    fn weights(&self, quad: &QuadIn<'_>, lane: usize, mode: Interpolation, at: Where) -> [f64; 4] {
        let w = quad.weights(lane, at);
        let shares = if mode == Interpolation::Linear { w.linear } else { w.perspective };
        let p = quad.primitive;
        let mut out = [0.0; 4];
        for k in (0..p.count as usize).filter(|&k| k != usize::from(p.provoking)) {
            out[k] = f64::from(shares[k] as f32);
        }
        out
    }

    fn value(&self, primitive: &Primitive, weights: [f64; 4], values: [f32; 3]) -> f32 {
        let first = usize::from(primitive.provoking);
        let mut value = num::flush(values[first]);
        for k in [1, 2].map(|n| (first + n) % 3) {
            // A vertex that does not count has the value of the first one.
            let other = if k < primitive.count as usize { values[k] } else { values[first] };
            let slope = other - values[first];
            value = num::add(Mode::FLUSH, num::mul(Mode::FLUSH, slope, weights[k] as f32), value);
        }
        value
    }

    fn divisor(&self) -> Divisor {
        Divisor::Place
    }

    fn inverse_w(&self, inv_w: f32) -> f32 {
        num::div(Mode::FLUSH, 1.0, 1.0 / inv_w)
    }
}
