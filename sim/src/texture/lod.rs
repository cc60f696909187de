//! Level of detail: from derivatives to a pair of levels.

use super::sampler::{Filter, Sampler};

/// Derivatives of the normalised coordinates in x and y of the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Gradient {
    /// Change of (s, t, r) from one pixel to the next in x.
    pub dx: [f64; 3],
    /// The same in y.
    pub dy: [f64; 3],
}

/// Base-2 logarithm of the larger footprint length, in texels of a base level of `size`; components beyond `axes` do
/// not count. No footprint and NaN give negative infinity.
pub fn lambda_of(size: [u32; 3], axes: usize, gradient: &Gradient) -> f64 {
    let square = |d: &[f64; 3]| (0..axes).map(|k| (f64::from(size[k]) * d[k]).powi(2)).sum::<f64>();
    let (x, y) = (square(&gradient.dx), square(&gradient.dy));
    if x.is_nan() || y.is_nan() || (x == 0.0 && y == 0.0) {
        return f64::NEG_INFINITY;
    }
    0.5 * gpucc_num::special::wide::log2(x.max(y))
}

/// The argument of a bias as samplers take it; NaN is none.
pub fn clamp_bias(bias: f32) -> f64 {
    if bias.is_nan() { 0.0 } else { f64::from(bias).clamp(-16.0, 15.99) }
}

/// The levels that a sample reads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MipBlend {
    /// The filter within a level.
    pub filter: Filter,
    /// The more detailed level.
    pub high: u32,
    /// The other level; the same as `high` where one is read.
    pub low: u32,
    /// Weight of `low`, 0 to 1.
    pub weight: f64,
}

/// The filter and levels for a lambda (level of detail in levels, NaN is negative infinity) before the sampler's clamps and a view of `levels`
/// levels.
pub fn mip_levels(sampler: &Sampler, levels: u32, lambda_base: f64) -> MipBlend {
    let lambda_base = if lambda_base.is_nan() { f64::NEG_INFINITY } else { lambda_base };
    let lambda = lambda_base.max(f64::from(sampler.lod_min)).min(f64::from(sampler.lod_max));
    let filter = if lambda <= 0.0 { sampler.mag } else { sampler.min };
    let q = levels.saturating_sub(1);
    let d = lambda.clamp(0.0, f64::from(q));
    match sampler.mip {
        Filter::Nearest => {
            let level = ((d + 0.5).ceil() - 1.0).max(0.0) as u32;
            MipBlend { filter, high: level, low: level, weight: 0.0 }
        }
        Filter::Linear => {
            let d = match sampler.precision.lod_bits {
                Some(bits) => {
                    let unit = f64::from(1u32 << bits);
                    (d * unit).round_ties_even() / unit
                }
                None => d,
            };
            let high = d.floor() as u32;
            MipBlend { filter, high, low: (high + 1).min(q), weight: d - f64::from(high) }
        }
    }
}
