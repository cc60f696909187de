//! Sampling, gathering and levels of detail: from the registers of a lane to a request of the shared model.

use gpucc_sim::Trap;
use gpucc_sim::texture::{Coords, Dim, Face, Layer, Lod, NearestRounding, Request, Texels, What, round_layer};

use super::address_layout::AddressLayout;
use super::descriptor::{Sampling, Texture};
use crate::attrs::{ImageKind, ImageOp, Level};
use crate::exec::subgroup::Lanes;

/// Address registers of one lane, and of its quad.
pub(super) struct Address<'a> {
    pub v: &'a [Lanes],
    pub lane: usize,
    pub layout: AddressLayout,
}

impl Address<'_> {
    pub(super) fn word(&self, at: usize) -> u32 {
        self.v[at][self.lane]
    }

    pub(super) fn float(&self, at: usize) -> f32 {
        f32::from_bits(self.word(at))
    }

    fn vector(&self, first: usize, lane: usize) -> [f32; 3] {
        std::array::from_fn(|k| if k < self.layout.axes { f32::from_bits(self.v[first + k][lane]) } else { 0.0 })
    }

    fn coordinates(&self) -> [f32; 3] {
        self.vector(self.layout.coordinates, self.lane)
    }

    /// Six signed bits for each axis.
    fn offset(&self, op: &ImageOp) -> [i32; 3] {
        if !op.offset {
            return [0; 3];
        }
        let w = self.word(self.layout.offset);
        std::array::from_fn(|k| if k < self.layout.axes { ((w >> (8 * k)) << 26) as i32 >> 26 } else { 0 })
    }

    /// The change of the coordinates from lane to lane in the quad, from its first lane, or as given.
    fn gradient(&self, op: &ImageOp) -> [[f32; 3]; 2] {
        if op.level == Level::Derivatives {
            let first = self.layout.gradients;
            return [self.vector(first, self.lane), self.vector(first + self.layout.axes, self.lane)];
        }
        let at = |k: usize| self.vector(self.layout.coordinates, (self.lane & !3) + k);
        let [a, b, c] = [0, 1, 2].map(at);
        [b, c].map(|p| std::array::from_fn(|k| p[k] - a[k]))
    }
}

/// A sampling instruction with its descriptors.
pub(super) struct Sample<'a> {
    pub op: ImageOp,
    pub texture: &'a Texture,
    pub sampling: &'a Sampling,
    /// Coordinates are in texels.
    pub texels: bool,
    /// Component that is gathered.
    pub component: u8,
}

impl Sample<'_> {
    /// The request of a lane to the shared model.
    fn request(&self, layers: u32, a: &Address<'_>) -> Request {
        let (op, c) = (&self.op, a.coordinates());
        let slice = a.layout.slice.map_or(0.0, |at| a.float(at));
        let (coords, layer) = if self.texture.dim == Dim::Cube {
            // Slice: eight for each cube, its faces first.
            let n = round_layer(slice, 8 * (layers / 6));
            let [s, t] = [0, 1].map(|k| f64::from(c[k]) - 1.0);
            (Coords::Face(Face { face: (n & 7).min(5), s, t }), Layer::Index(i64::from(n >> 3)))
        } else if self.texels {
            (Coords::Texels(c), Layer::Rounded(slice))
        } else {
            (Coords::Normalised(c), Layer::Rounded(slice))
        };
        let gathers = op.kind == ImageKind::Gather;
        // The greater of two; NaN is none.
        let least = if op.clamp { a.float(a.layout.level) } else { f32::NAN };
        Request {
            layer,
            offset: a.offset(op),
            // Integers take the path of point filtering, which does not go back by half a texel.
            shift: if gathers && self.texture.format.integer() { 0.5 } else { 0.0 },
            lod: match op.level {
                Level::Zero => Lod::Zero,
                Level::Explicit => Lod::Level(a.float(a.layout.level)),
                Level::Implicit | Level::Derivatives => Lod::Gradient(a.gradient(op)),
            },
            bias: if op.bias { a.float(a.layout.bias) } else { 0.0 },
            min_lod: self.texture.min_lod.max(least),
            reference: op.compare.then(|| a.float(a.layout.compare)),
            what: match op.kind {
                ImageKind::Gather => What::Gather(self.component),
                ImageKind::Lod => What::Level,
                _ => What::Sample,
            },
            ..Request::new(coords)
        }
    }

    /// Four components, or four texels, of one lane.
    pub(super) fn one(&self, texels: &dyn Texels, a: &Address<'_>) -> Result<[u32; 4], Trap> {
        let mut view = self.texture.view(texels);
        view.fixed_depth = self.texture.format.fraction() && !self.sampling.upgraded_depth;
        if self.sampling.no_mip {
            view.levels = 1;
        }
        let mut sampler = self.sampling.sampler;
        let request = self.request(view.layers, a);
        let gathers = matches!(request.what, What::Gather(_));
        if gathers && sampler.precision.nearest == NearestRounding::Truncate {
            sampler.precision.weight_bits = None;
        }
        let texel = request.run(&view, &sampler)?;
        let compared = self.op.compare && request.what == What::Sample;
        Ok(if compared { self.texture.selected(texel) } else { texel })
    }
}
