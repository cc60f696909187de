//! Samplers as data.

pub use gpucc_pipeline::{Compare, Filter};

use super::format::Texel;

/// How an index outside is brought inside.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Wrap {
    /// Moved to the nearest edge.
    #[default]
    ClampToEdge,
    /// Periodic.
    Repeat,
    /// Periodic, each second period mirrored.
    MirrorRepeat,
    /// Mirrored once, then to the nearest edge (not in WebGPU).
    MirrorClampToEdge,
    /// The border colour (not in WebGPU).
    ClampToBorder,
}

/// The rule of nearest filtering for the fraction of a texel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum NearestRounding {
    /// Drops it.
    #[default]
    Truncate,
    /// Rounds to the coordinate's fraction bits first, so that the top of a texel belongs to the next one.
    Round,
}

/// Fixed-point widths of a family's samplers; `None` is exact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Precision {
    /// Fraction bits of a texel coordinate and so of a weight.
    pub weight_bits: Option<u32>,
    /// Fraction bits of the level of detail.
    pub lod_bits: Option<u32>,
    /// Rounding of nearest coordinates.
    pub nearest: NearestRounding,
    /// Gradients that are given come as the coordinates of neighbours: they are rounded as sums with the coordinates are.
    pub neighbours: bool,
}

/// A sampler: wraps, filters, limits of the level, comparison.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampler {
    /// Wrap of s, t and r.
    pub wrap: [Wrap; 3],
    /// Filter where lambda is at most 0.
    pub mag: Filter,
    /// Filter where lambda is above 0.
    pub min: Filter,
    /// Filter between two neighbouring levels.
    pub mip: Filter,
    /// Least level of detail.
    pub lod_min: f32,
    /// Greatest level of detail.
    pub lod_max: f32,
    /// Added to the level of detail before its limits (not in WebGPU).
    pub lod_bias: f32,
    /// Comparison, of comparison samplers.
    pub compare: Option<Compare>,
    /// The colour that [`Wrap::ClampToBorder`] reads, in shader form.
    pub border: Texel,
    /// Whether cubes are filtered across the edges of their faces.
    pub seamless: bool,
    /// Fixed-point widths of weights and levels.
    pub precision: Precision,
}

impl Default for Sampler {
    fn default() -> Self {
        Sampler {
            wrap: [Wrap::ClampToEdge; 3],
            mag: Filter::Nearest,
            min: Filter::Nearest,
            mip: Filter::Nearest,
            lod_min: 0.0,
            lod_max: 32.0,
            lod_bias: 0.0,
            compare: None,
            border: [0; 4],
            seamless: true,
            precision: Precision::default(),
        }
    }
}
