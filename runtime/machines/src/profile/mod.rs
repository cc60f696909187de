//! The numeric profile of each machine: how it rounds, flushes, multiplies, adds and interpolates, and what its special functions
//! give. A family is a module.
//!
//! Under its profile the oracle computes the IR that selection read to the bit as the machine does. The formulas follow
//! the references, as the machines do, but share no arithmetic with them. What selection makes of an op that the
//! machine lacks (a quotient from a reciprocal, a sine from a table and a step) is written here a second time.

// A build for one family has no use for what others share.
#![cfg_attr(not(all(feature = "valhall", feature = "tesla", feature = "gcn", feature = "vivante")), allow(dead_code))]

#[cfg(feature = "gcn")]
pub(crate) mod gcn;
#[cfg(feature = "tesla")]
pub(crate) mod tesla;
#[cfg(feature = "valhall")]
pub(crate) mod valhall;
#[cfg(feature = "vivante")]
pub(crate) mod vivante;

use gpucc_interp::{Profile, Tolerance};
use gpucc_num::{Mode, special};
use gpucc_sim::texture::{Filter, NearestRounding, Precision, Sampler};

/// Eight bits of weight and of level; coordinates are cut off where both filters are nearest.
pub(crate) fn eight_bits(sampler: &Sampler) -> Precision {
    let nearest = match (sampler.mag, sampler.min) {
        (Filter::Nearest, Filter::Nearest) => NearestRounding::Truncate,
        _ => NearestRounding::Round,
    };
    Precision { weight_bits: Some(8), lod_bits: Some(8), nearest, ..Precision::default() }
}

/// A profile of a machine that flushes denormals of f32.
fn flushing() -> Profile {
    Profile { f32: Mode::FLUSH, tolerance: Tolerance::EXACT, ..Profile::default() }
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
