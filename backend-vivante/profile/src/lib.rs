//! Vivante: f32 flushed, no fused multiply-add, words behind a buffer are readable.

use std::sync::Arc;

use gpucc_interp::{FmaModel, InterpModel, MachineMath, Profile};
use gpucc_ir::{Mode as Interpolation, Op, Scalar};
use gpucc_num::special::wide;
use gpucc_num::{Mode, NAN32, f32 as num};
use gpucc_pipeline::{Code, Layout};
use gpucc_sim::draw::{self, Divisor, QuadIn, Where};
use gpucc_sim::texture::{Format, Precision, Sampler, Texel};

use gpucc_interp::formulas::{bits, f, flushing, rsqrt};

/// Widths are not known: exact.
pub fn sampling(_: &Sampler) -> Precision {
    Precision { neighbours: true, ..Precision::default() }
}

/// The profile of a generation, by its name; nothing of one that there is none for.
pub fn profile(generation: &str) -> Option<Profile> {
    let gc2000 = match generation {
        "gc2000" => true,
        "gc3000" | "gc7000" => false,
        _ => return None,
    };
    Some(Profile {
        subgroup_size: 4,
        fma: FmaModel::Unfused,
        words_behind: true,
        machine: Some(Arc::new(Vivante { gc2000 })),
        interp: Some(Arc::new(AtCentre)),
        ..flushing()
    })
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

    /// The texel as the program gets it: on gc2000 code makes fractions of codes by a product with the reciprocal of the greatest.
    fn loaded(&self, format: Format, texel: Texel) -> Texel {
        let most: [u32; 4] = match format.layout() {
            _ if !self.gc2000 => return texel,
            Layout::Array(Code::Unorm, bits) if bits <= 16 => [(1 << bits) - 1; 4],
            Layout::Array(Code::Snorm, bits) if bits <= 16 => [(1 << (bits - 1)) - 1; 4],
            Layout::Rgb10a2(Code::Unorm) => [1023, 1023, 1023, 3],
            _ => return texel,
        };
        std::array::from_fn(|k| {
            let most = most[k] as f32;
            let code = (f32::from_bits(texel[k]) * most).round();
            if k < format.components() as usize {
                num::mul(Mode::FLUSH, code, most.recip()).to_bits()
            } else {
                texel[k]
            }
        })
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

/// Vivante's interpolation: no word says where in a pixel, so that it is the middle for all inputs.
struct AtCentre;

impl InterpModel for AtCentre {
    fn weights(&self, quad: &QuadIn<'_>, lane: usize, mode: Interpolation, _: Where) -> [f64; 4] {
        let mode = match mode {
            Interpolation::Linear => draw::Mode::Linear,
            Interpolation::OverW => draw::Mode::OverW,
            Interpolation::Perspective
            | Interpolation::Flat
            | Interpolation::Vertex0
            | Interpolation::Vertex1
            | Interpolation::Vertex2 => draw::Mode::Perspective,
        };
        let [a, b, c] = quad.shares(lane, mode, Where::Center, Divisor::Place);
        [a, b, c, 0.0]
    }
}
