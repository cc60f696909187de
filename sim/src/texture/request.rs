//! One texture instruction of one lane: coordinates, level of detail and what is asked, run by one call.
//!
//! A machine fills a [`Request`] from its registers, the oracle from its slots. The order of the steps (level of detail,
//! bias, limits, addressing, filter) is the same for all of them and stands here.

use super::cube::{Face, project, project_gradient};
use super::format::Texel;
use super::lod::{Gradient, MipBlend, clamp_bias, lambda_of, mip_levels};
use super::sample::{Coord, View, clamp_layer, gather, gather_compare, round_layer, sample, sample_compare};
use super::sampler::{Filter, Sampler};
use crate::trap::Trap;

/// Coordinates of a request. Components beyond the dimension's axes do not count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Coords {
    /// 0..1 over the level that is read.
    Normalised([f32; 3]),
    /// Coordinates in texels of the view's first level; gradients then are in texels too.
    Texels([f32; 3]),
    /// A direction on a cube, of any length. Gradients are those of the direction.
    Direction([f32; 3]),
    /// A face of a cube and the coordinates on it. Gradients are those of the coordinates.
    Face(Face),
}

/// The layer of an array; of cube arrays the cube.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Layer {
    /// An integer, clamped to the view.
    Index(i64),
    /// A float, rounded to even and clamped to the view; NaN is the first.
    Rounded(f32),
}

impl Layer {
    /// The layer inside of `layers`.
    pub fn of(self, layers: u32) -> u32 {
        match self {
            Layer::Index(index) => clamp_layer(index, layers),
            Layer::Rounded(index) => round_layer(index, layers),
        }
    }
}

/// Where the level of detail comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Lod {
    /// The view's first level; the sampler's limits count, but not for gathers.
    Zero,
    /// Given.
    Level(f32),
    /// Level from the change of the coordinates to the next pixel in x and in y: given, or differences in the quad.
    Gradient([[f32; 3]; 2]),
}

/// The question to the texture: a texel, a gather or a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// A filtered texel.
    Sample,
    /// A component, 0 to 3, of the four texels of a bilinear footprint.
    Gather(u8),
    /// The level of detail: clamped to the levels, and as it is before all limits.
    Level,
}

/// A texture instruction of one lane that takes a sampler.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Request {
    /// Coordinates, in one of their forms.
    pub coords: Coords,
    /// Layer of arrays: an integer or a float.
    pub layer: Layer,
    /// Added to texel coordinates.
    pub offset: [i32; 3],
    /// Added to texel coordinates too; 0.5 where gathers take the path of point filtering, which does not go back by
    /// half a texel.
    pub shift: f64,
    /// Where the level of detail comes from.
    pub lod: Lod,
    /// Added to the level of detail, clamped to -16 .. 15.99; NaN is none.
    pub bias: f32,
    /// Least level of detail beside the sampler's, the greater of both counts; NaN is none.
    pub min_lod: f32,
    /// Reference of a comparison.
    pub reference: Option<f32>,
    /// The question to the texture.
    pub what: What,
}

impl Request {
    /// The plainest request: a filtered texel of the first level, layer 0.
    pub fn new(coords: Coords) -> Request {
        Request {
            coords,
            layer: Layer::Index(0),
            offset: [0; 3],
            shift: 0.0,
            lod: Lod::Zero,
            bias: 0.0,
            min_lod: f32::NEG_INFINITY,
            reference: None,
            what: What::Sample,
        }
    }

    /// Runs the instruction: four components, or a component of four texels in the order of gathers. A comparison gives its
    /// result, 0, 0, 1; a question for the level the clamped and the plain one.
    ///
    /// # Errors
    /// A texel that cannot be read.
    pub fn run(&self, view: &View<'_>, sampler: &Sampler) -> Result<Texel, Trap> {
        let sampler = Sampler { lod_min: sampler.lod_min.max(self.min_lod), ..*sampler };
        if let What::Gather(component) = self.what {
            let level = match self.lod {
                Lod::Zero => 0,
                _ => {
                    mip_levels(&Sampler { mip: Filter::Nearest, ..sampler }, view.levels, self.lambda(view, &sampler))
                        .high
                }
            };
            let coord = self.coord(view, level);
            return match self.reference {
                Some(r) => Ok(gather_compare(view, &sampler, &coord, self.offset, level, r)?.map(f32::to_bits)),
                None => gather(view, &sampler, &coord, self.offset, level, component.into()),
            };
        }
        let lambda = self.lambda(view, &sampler);
        if self.what == What::Level {
            let MipBlend { high, weight: delta, .. } = mip_levels(&sampler, view.levels, lambda);
            let level = f64::from(high) + delta;
            return Ok([(level as f32).to_bits(), (lambda as f32).to_bits(), 0, 0]);
        }
        let coord = self.coord(view, 0);
        match self.reference {
            Some(r) => {
                let value = sample_compare(view, &sampler, &coord, self.offset, lambda, r)?;
                Ok([value.to_bits(), 0, 0, 1f32.to_bits()])
            }
            None => sample(view, &sampler, &coord, self.offset, lambda),
        }
    }

    /// The level of detail before all limits.
    fn lambda(&self, view: &View<'_>, sampler: &Sampler) -> f64 {
        let base = match self.lod {
            Lod::Zero => 0.0,
            Lod::Level(level) => f64::from(level),
            Lod::Gradient(change) => {
                let size = if matches!(self.coords, Coords::Texels(_)) { [1; 3] } else { view.size };
                let [dx, dy] = change.map(|d| match self.coords {
                    Coords::Direction(c) => {
                        let [s, t] = project_gradient(c, d);
                        [s, t, 0.0]
                    }
                    _ => d.map(f64::from),
                });
                lambda_of(size, view.dim.axes(), &Gradient { dx, dy })
            }
        };
        base + clamp_bias(self.bias) + f64::from(sampler.lod_bias)
    }

    /// Where it is sampled. `level` is the one in whose texels the shift counts.
    fn coord(&self, view: &View<'_>, level: u32) -> Coord {
        let size = view.level_size(level).map(f64::from);
        let layer = self.layer.of(view.layers);
        let face = |f: Face| {
            let shifted = Face { s: f.s + self.shift / size[0], t: f.t + self.shift / size[1], ..f };
            Coord::Cube(shifted, self.layer.of(view.layers / 6))
        };
        match self.coords {
            Coords::Normalised(c) if self.shift == 0.0 => Coord::Flat(c, layer),
            Coords::Normalised(c) => {
                Coord::Texels(std::array::from_fn(|k| f64::from(c[k]) * size[k] + self.shift), layer)
            }
            Coords::Texels(c) => Coord::Texels(c.map(|c| f64::from(c) + self.shift), layer),
            Coords::Direction(c) => face(project(c)),
            Coords::Face(f) => face(f),
        }
    }
}
