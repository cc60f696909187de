//! How the inputs of fragments come about between the vertices of a primitive: by the rules, or as on a given machine.

use gpucc_ir::{FloatModes, Mode};
use gpucc_sim::draw::{self, Divisor, Primitive, QuadIn, Where};
use std::sync::Arc;

/// The machine's rule for the values at the vertices. Values that a model does not state follow the rules: weights
/// in f64, one rounding at the end (`docs/drawing.md`).
pub trait InterpModel: Send + Sync {
    /// The common part of all inputs of a mode at a point of a lane's pixel: weights that [`InterpModel::value`] takes, and one
    /// more number. The mode is never flat.
    fn weights(&self, quad: &QuadIn<'_>, lane: usize, mode: Mode, at: Where) -> [f64; 4] {
        exact(quad, (lane, at), mode, Divisor::Center)
    }

    /// An input of these values at the primitive's vertices.
    fn value(&self, primitive: &Primitive, weights: [f64; 4], values: [f32; 3]) -> f32 {
        sum(primitive, weights, values)
    }

    /// The same machine with arithmetic that an entry point asks for; none if interpolation does not change by it.
    fn under(&self, _modes: FloatModes) -> Option<Arc<dyn InterpModel>> {
        None
    }

    /// The 1/w by which an input at a sample or centroid is divided in what the machine is compared with by the rules.
    fn divisor(&self) -> Divisor {
        Divisor::Center
    }

    /// The fourth component of a fragment's position, of the interpolated 1/w.
    fn inverse_w(&self, inv_w: f32) -> f32 {
        inv_w
    }
}

/// The model of the rules, with the 1/w that recorded results divide by or with that of the place itself.
pub struct Rules(pub Divisor);

impl InterpModel for Rules {
    fn weights(&self, quad: &QuadIn<'_>, lane: usize, mode: Mode, at: Where) -> [f64; 4] {
        exact(quad, (lane, at), mode, self.0)
    }

    fn divisor(&self) -> Divisor {
        self.0
    }
}

/// Weights by the rules.
fn exact(quad: &QuadIn<'_>, (lane, at): (usize, Where), mode: Mode, divisor: Divisor) -> [f64; 4] {
    let mode = match mode {
        Mode::Linear => draw::Mode::Linear,
        Mode::OverW => draw::Mode::OverW,
        Mode::Perspective | Mode::Flat | Mode::Vertex0 | Mode::Vertex1 | Mode::Vertex2 => draw::Mode::Perspective,
    };
    let [a, b, c] = quad.shares(lane, mode, at, divisor);
    [a, b, c, 0.0]
}

fn sum(primitive: &Primitive, weights: [f64; 4], values: [f32; 3]) -> f32 {
    (0..primitive.count as usize).map(|k| weights[k] * f64::from(values[k])).sum::<f64>() as f32
}
