//! Formulas that the profiles of several machines share; a profile lies in the folder of its family (`backend-X/profile`).
//!
//! Under its profile the oracle computes the IR that selection read to the bit as the machine does. The formulas follow
//! the references, as the machines do, but share no arithmetic with them. What selection makes of an op that the
//! machine lacks (a quotient from a reciprocal, a sine from a table and a step) is written there a second time.

use crate::{Profile, Tolerance};
use gpucc_num::{Mode, special};
use gpucc_sim::texture::{Filter, NearestRounding, Precision, Sampler};

/// Eight bits of weight and of level; coordinates are cut off where both filters are nearest.
pub fn eight_bits(sampler: &Sampler) -> Precision {
    let nearest = match (sampler.mag, sampler.min) {
        (Filter::Nearest, Filter::Nearest) => NearestRounding::Truncate,
        _ => NearestRounding::Round,
    };
    Precision { weight_bits: Some(8), lod_bits: Some(8), nearest, ..Precision::default() }
}

/// A profile of a machine that flushes denormals of f32.
pub fn flushing() -> Profile {
    Profile { f32: Mode::FLUSH, tolerance: Tolerance::EXACT, ..Profile::default() }
}

/// A float of bits, of which the low 32 count.
pub fn f(x: u64) -> f32 {
    f32::from_bits(x as u32)
}

/// The bits of a float, as an op of a profile gives them.
pub fn bits(x: f32) -> Option<u64> {
    Some(u64::from(x.to_bits()))
}

/// `1 / sqrt(x)`, +inf for both zeros.
pub fn rsqrt(x: f32) -> f32 {
    if x == 0.0 { f32::INFINITY } else { special::rsqrt(x) }
}
