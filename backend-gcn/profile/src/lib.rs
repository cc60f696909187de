//! GCN: f32 flushed, f16 and f64 with denormals (FP_DENORM).

use std::sync::Arc;

use gpucc_interp::{InterpModel, MachineMath, Profile, asked};
use gpucc_ir::{FloatModes, Mode as Interpolation, Op, Scalar};
use gpucc_num::special::{self, wide};
use gpucc_num::{MinMax, Mode, NAN32, f32 as num};
use gpucc_sim::draw::{Divisor, Primitive, QuadIn, Where};

use gpucc_interp::formulas::{bits, f, flushing, rsqrt};

pub use gpucc_interp::formulas::eight_bits as sampling;

/// The profile of a generation, by its name; nothing of one that there is none for.
pub fn profile(generation: &str) -> Option<Profile> {
    let gfx6 = match generation {
        "gfx6" => true,
        "gfx7" | "gfx8" => false,
        _ => return None,
    };
    Some(Profile {
        subgroup_size: 64,
        machine: Some(Arc::new(Gcn { gfx6, mode: Mode::FLUSH })),
        interp: Some(Arc::new(Planes { mode: Mode::FLUSH })),
        ..flushing()
    })
}

/// Functions that are rounded correctly, of flushed operands whatever the mode; angles in turns. The lesser and the greater of two keep
/// denormals before gfx9.
struct Gcn {
    gfx6: bool,
    /// The mode of arithmetic in 32 bits.
    mode: Mode,
}

impl Gcn {
    /// The distance from the next whole number below: less than 1 on gfx7 and later.
    fn fract(&self, x: f32) -> f32 {
        let fract = num::sub(Mode::IEEE, x, num::floor(x));
        if fract >= 1.0 && !self.gfx6 { f32::from_bits(0x3f7f_ffff) } else { fract }
    }
}

impl MachineMath for Gcn {
    fn ops(&self) -> &[Op] {
        use Op::*;
        &[FMin, FMax, FRcp, FRsqrt, FSqrt, FExp2, FLog2, FSin, FCos, FFract]
    }

    fn eval(&self, op: Op, scalar: Scalar, _lanes: u32, args: &[u64]) -> Option<u64> {
        if scalar != Scalar::F32 {
            return None;
        }
        let (m, x) = (self.mode, f(args[0]));
        match op {
            Op::FFract => return bits(num::output(m, self.fract(num::input(m, x)))),
            Op::FMin => return bits(num::min(Mode::IEEE, MinMax::Number, x, f(args[1]))),
            Op::FMax => return bits(num::max(Mode::IEEE, MinMax::Number, x, f(args[1]))),
            Op::FSin | Op::FCos => {
                // 1 / (2 pi) as the inline constant of gfx8 has it.
                let turns = num::mul(m, f32::from_bits(0x3e22_f983), x);
                if !turns.is_finite() {
                    return bits(NAN32);
                }
                let t = f64::from(num::input(m, self.fract(turns)));
                let angle = (t - f64::from(num::rint(t as f32))) * core::f64::consts::TAU;
                return bits(num::output(m, (if op == Op::FSin { wide::sin(angle) } else { wide::cos(angle) }) as f32));
            }
            _ => {}
        }
        let x = num::flush(x);
        bits(num::output(
            Mode::FLUSH,
            match op {
                Op::FRcp => special::rcp(x),
                Op::FRsqrt => rsqrt(x),
                Op::FSqrt => num::sqrt(Mode::FLUSH, x),
                Op::FExp2 => special::exp2(x),
                Op::FLog2 => special::log2(x),
                _ => return None,
            },
        ))
    }

    fn under(&self, modes: FloatModes) -> Option<Arc<dyn MachineMath>> {
        Some(Arc::new(Gcn { mode: asked(self.mode, modes.f32), ..*self }))
    }
}

/// GCN's interpolation. Launch gives a fragment its shares i and j of the second and the third vertex, counted from the provoking
/// one, in f32. LDS holds the first vertex's value and the differences of the others to it. `v_interp_p1` and `v_interp_p2` add
/// the products, each product and each sum rounded and flushed, whatever the mode of denormals. `position.w` is the reciprocal of POS_W,
/// which is w.
struct Planes {
    mode: Mode,
}

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
            value = num::add(self.mode, num::mul(self.mode, slope, weights[k] as f32), value);
        }
        value
    }

    fn under(&self, modes: FloatModes) -> Option<Arc<dyn InterpModel>> {
        let round = asked(self.mode, modes.f32).round;
        Some(Arc::new(Planes { mode: self.mode.rounding(round) }))
    }

    fn divisor(&self) -> Divisor {
        Divisor::Place
    }

    fn inverse_w(&self, inv_w: f32) -> f32 {
        num::div(Mode::FLUSH, 1.0, 1.0 / inv_w)
    }
}
