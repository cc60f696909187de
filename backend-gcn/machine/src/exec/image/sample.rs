//! Sampling, gathering and levels of detail: from the registers of a lane to a request of the shared model.

use gpucc_sim::Trap;
use gpucc_sim::texture::lod::clamp_bias;
use gpucc_sim::texture::{
    Coord, Dim, Face, Filter, Gradient, Sampler, View, gather, gather_compare, lambda_of, mip_levels, round_layer,
    sample, sample_compare,
};

use super::descriptor::Sampling;
use super::places::Places;
use super::texels::Reader;
use crate::attrs::{ImageKind, ImageOp, Level};
use crate::exec::subgroup::Lanes;

/// Address registers of one lane, and of its quad.
pub(super) struct Address<'a> {
    pub v: &'a [Lanes],
    pub lane: usize,
    pub places: Places,
}

impl Address<'_> {
    pub(super) fn word(&self, at: usize) -> u32 {
        self.v[at][self.lane]
    }

    pub(super) fn float(&self, at: usize) -> f32 {
        f32::from_bits(self.word(at))
    }

    fn vector(&self, first: usize, lane: usize) -> [f32; 3] {
        std::array::from_fn(|k| if k < self.places.axes { f32::from_bits(self.v[first + k][lane]) } else { 0.0 })
    }

    fn coordinates(&self) -> [f32; 3] {
        self.vector(self.places.coordinates, self.lane)
    }

    /// Six signed bits for each axis.
    fn offset(&self, op: &ImageOp) -> [i32; 3] {
        if !op.offset {
            return [0; 3];
        }
        let w = self.word(self.places.offset);
        std::array::from_fn(|k| if k < self.places.axes { ((w >> (8 * k)) << 26) as i32 >> 26 } else { 0 })
    }

    /// What the coordinates change by from lane to lane in the quad, from its first lane, or as given.
    fn gradient(&self, op: &ImageOp) -> Gradient {
        let wide = |d: [f32; 3]| d.map(f64::from);
        if op.level == Level::Derivatives {
            let first = self.places.gradients;
            let (dx, dy) = (self.vector(first, self.lane), self.vector(first + self.places.axes, self.lane));
            return Gradient { dx: wide(dx), dy: wide(dy) };
        }
        let at = |k: usize| self.vector(self.places.coordinates, (self.lane & !3) + k);
        let [a, b, c] = [0, 1, 2].map(at);
        let minus = |p: [f32; 3]| std::array::from_fn(|k| p[k] - a[k]);
        Gradient { dx: wide(minus(b)), dy: wide(minus(c)) }
    }
}

/// A sampling instruction with its descriptors.
pub(super) struct Request<'a> {
    pub op: ImageOp,
    pub sampling: &'a Sampling,
    /// Coordinates are in texels.
    pub texels: bool,
    /// Component that is gathered.
    pub component: usize,
}

impl Request<'_> {
    /// Slice or face and layer: rounded to even and clamped to the view.
    fn coord(&self, view: &View<'_>, a: &Address<'_>, shift: f64, level: u32) -> Coord {
        let c = a.coordinates();
        let slice = a.places.slice.map_or(0.0, |at| a.float(at));
        let size = view.level_size(level).map(f64::from);
        if view.dim == Dim::Cube {
            let n = round_layer(slice, 8 * (view.layers / 6));
            let at = |k: usize| f64::from(c[k]) - 1.0 + shift / size[k];
            return Coord::Cube(Face { face: (n & 7).min(5), s: at(0), t: at(1) }, n >> 3);
        }
        let layer = round_layer(slice, view.layers);
        if self.texels {
            Coord::Texels(c.map(|c| f64::from(c) + shift), layer)
        } else if shift != 0.0 {
            Coord::Texels(std::array::from_fn(|k| f64::from(c[k]) * size[k] + shift), layer)
        } else {
            Coord::Flat(c, layer)
        }
    }

    /// The level of detail before clamps.
    fn lambda(&self, view: &View<'_>, a: &Address<'_>) -> f64 {
        let base = match self.op.level {
            Level::Zero => 0.0,
            Level::Given => f64::from(a.float(a.places.level)),
            Level::Implicit | Level::Derivatives => {
                let size = if self.texels { [1; 3] } else { view.size };
                lambda_of(size, a.places.axes, &a.gradient(&self.op))
            }
        };
        let bias = if self.op.bias { clamp_bias(a.float(a.places.bias)) } else { 0.0 };
        base + bias + self.sampling.bias
    }

    /// The sampler with the least level of descriptor and address.
    fn sampler(&self, reader: &Reader<'_>, a: &Address<'_>) -> Sampler {
        let mut s = self.sampling.sampler;
        s.lod_min = s.lod_min.max(reader.texture.min_lod);
        if self.op.clamp {
            // The greater of two; NaN is none.
            s.lod_min = s.lod_min.max(a.float(a.places.level));
        }
        s
    }

    /// Four components, or four texels, of one lane.
    pub(super) fn one(&self, reader: &mut Reader<'_>, a: &Address<'_>) -> Result<[u32; 4], Trap> {
        let format = reader.texture.format;
        let fixed = format.fraction() && !self.sampling.upgraded_depth;
        let sampler = self.sampler(reader, a);
        if self.op.kind == ImageKind::Gather {
            return self.gathered(reader, a, sampler, fixed);
        }
        let mut view = reader.view(fixed);
        let lambda = self.lambda(&view, a);
        if self.sampling.no_mip {
            view.levels = 1;
        }
        if self.op.kind == ImageKind::Lod {
            let (_, high, _, delta) = mip_levels(&sampler, view.levels, lambda);
            let level = f64::from(high) + delta;
            return Ok([(level as f32).to_bits(), (lambda as f32).to_bits(), 0, 0]);
        }
        let coord = self.coord(&view, a, 0.0, 0);
        let offset = a.offset(&self.op);
        if self.op.compare {
            let value = sample_compare(&view, &sampler, &coord, offset, lambda, a.float(a.places.compare))?;
            return Ok(reader.texture.selected([value.to_bits(), 0, 0, 1f32.to_bits()]));
        }
        sample(&view, &sampler, &coord, offset, lambda)
    }

    fn gathered(
        &self,
        reader: &mut Reader<'_>,
        a: &Address<'_>,
        mut sampler: Sampler,
        fixed: bool,
    ) -> Result<[u32; 4], Trap> {
        // Without a level it is that of the view, whatever the sampler's limits are.
        if self.op.level != Level::Zero && !self.sampling.no_mip {
            sampler.mip = Filter::Nearest;
            let view = reader.view(fixed);
            let (_, level, ..) = mip_levels(&sampler, view.levels, self.lambda(&view, a));
            reader.skip = level;
        }
        if self.sampling.sampler.precision.nearest == gpucc_sim::texture::NearestRounding::Truncate {
            sampler.precision.weight_bits = None;
        }
        let view = reader.view(fixed);
        // Integers take the path of point filtering, which does not go back by half a texel.
        let shift = if reader.texture.format.integer() { 0.5 } else { 0.0 };
        let coord = self.coord(&view, a, shift, 0);
        let offset = a.offset(&self.op);
        if self.op.compare {
            let reference = a.float(a.places.compare);
            return Ok(gather_compare(&view, &sampler, &coord, offset, reference)?.map(f32::to_bits));
        }
        gather(&view, &sampler, &coord, offset, self.component)
    }
}
