//! How each machine interpolates the inputs of fragments: a row of its numeric profile. The formulas share no arithmetic with the machines.

use std::sync::Arc;

use gpucc_interp::InterpModel;
use gpucc_ir::Mode;
use gpucc_num::{f32 as num, sfu};
use gpucc_sim::draw::{self, Divisor, Primitive, QuadIn, Where};

const FLUSH: gpucc_num::Mode = gpucc_num::Mode::FLUSH;

/// The model of a family; without one it is that of the rules.
pub fn model(family: &str) -> Option<Arc<dyn InterpModel>> {
    match family {
        "gcn" => Some(Arc::new(Planes)),
        "tesla" => Some(Arc::new(OverW)),
        "vivante" => Some(Arc::new(AtCentre)),
        _ => None,
    }
}

/// GCN's interpolation. Launch gives a fragment its shares i and j of the second and the third vertex, counted from the provoking
/// one, in f32. LDS holds the first vertex's value and the differences of the others to it. `v_interp_p1` and `v_interp_p2` add
/// the products, each product and each sum rounded and flushed. `position.w` is the reciprocal of POS_W, which is w.
struct Planes;

impl InterpModel for Planes {
    fn weights(&self, quad: &QuadIn<'_>, lane: usize, mode: Mode, at: Where) -> [f64; 4] {
        let w = quad.weights(lane, at);
        let shares = if mode == Mode::Linear { w.linear } else { w.perspective };
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
            value = num::add(FLUSH, num::mul(FLUSH, slope, weights[k] as f32), value);
        }
        value
    }

    fn inverse_w(&self, inv_w: f32) -> f32 {
        num::div(FLUSH, 1.0, 1.0 / inv_w)
    }
}

/// Tesla's interpolation. The unit gives a/w and 1/w as f32; the program takes the reciprocal of the 1/w in the middle of the pixel
/// and multiplies.
struct OverW;

impl InterpModel for OverW {
    fn weights(&self, quad: &QuadIn<'_>, lane: usize, mode: Mode, at: Where) -> [f64; 4] {
        // One bit says centroid or sample; which of them says state for the whole program.
        let at = if at == Where::Centroid && quad.sample.is_some() { Where::Sample } else { at };
        let w = quad.weights(lane, at);
        if mode == Mode::Linear {
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
        num::mul(FLUSH, sum as f32, f32::from_bits(w))
    }
}

/// Vivante's interpolation: no word says where in a pixel, so that it is the middle for all inputs.
struct AtCentre;

impl InterpModel for AtCentre {
    fn weights(&self, quad: &QuadIn<'_>, lane: usize, mode: Mode, _: Where) -> [f64; 4] {
        let mode = match mode {
            Mode::Linear => draw::Mode::Linear,
            Mode::OverW => draw::Mode::OverW,
            Mode::Perspective | Mode::Flat => draw::Mode::Perspective,
        };
        let [a, b, c] = quad.shares(lane, mode, Where::Center, Divisor::Place);
        [a, b, c, 0.0]
    }
}
