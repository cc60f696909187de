//! Masks, tests, blending and writes of a quad behind the fragment program, sample by sample.

use gpucc_pipeline::{Compare, DepthStencil, StencilFace, StencilOperation};

use super::{Merger, QuadIn, QuadOut, Targets};
use crate::raster::{alpha_to_coverage, test_sample, write_target};
use crate::texture::Codec;

/// The numbers of the bits that are set.
fn bits(mut mask: u32) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let k = mask.trailing_zeros();
        mask &= mask.wrapping_sub(1);
        (k < 32).then_some(k)
    })
}

/// A depth in the viewport's range; NaN is its near end.
fn in_range(z: f64, [near, far]: [f32; 2]) -> f32 {
    let (low, high) = (f64::from(near.min(far)), f64::from(near.max(far)));
    if z.is_nan() { near } else { z.max(low).min(high) as f32 }
}

/// The work of one draw behind its fragment program.
pub struct Behind<'a> {
    pub merger: &'a Merger,
    /// Range of depth of each viewport.
    pub ranges: Vec<[f32; 2]>,
    /// Whether depth and stencil were tested in front of the program.
    pub tested: bool,
}

impl Behind<'_> {
    fn range(&self, quad: &QuadIn<'_>) -> [f32; 2] {
        self.ranges.get(quad.primitive.viewport as usize).copied().unwrap_or([0.0, 1.0])
    }

    /// The depth-stencil state of a facing, and its stencil reference.
    fn state(&self, front: bool) -> Option<(DepthStencil, u32)> {
        let own = self.merger.back.filter(|_| !front);
        own.or(self.merger.depth.map(|d| (d, self.merger.reference)))
    }

    /// Tests a sample; `given` is the stencil reference of the program.
    fn test(
        &self,
        quad: &QuadIn<'_>,
        (lane, sample): (usize, u32),
        (z, given): (f64, Option<u32>),
        targets: &mut Targets,
    ) -> bool {
        let [x, y] = quad.pixel(lane);
        let front = quad.primitive.front;
        let (Some((state, reference)), Some(surface)) = (self.state(front), &mut targets.depth) else { return true };
        let z = in_range(z, self.range(quad));
        test_sample(&state, front, given.unwrap_or(reference), z, surface.sample_mut(x, y, sample))
    }

    /// Tests in front of the program: samples that fail are covered no more. Where inputs are interpolated stays as it is.
    pub fn test_early(&self, quad: &mut QuadIn<'_>, targets: &mut Targets) {
        let Some(targets) = targets.layer_mut(quad.primitive.layer) else { return };
        for lane in 0..4 {
            for s in bits(quad.coverage[lane]) {
                if !self.test(quad, (lane, s), (quad.depth_at(lane, s as usize), None), targets) {
                    quad.coverage[lane] &= !(1 << s);
                }
            }
        }
    }

    /// Whether no sample of a quad can pass, whatever earlier primitives of the draw still write.
    pub fn hopeless(&self, quad: &QuadIn<'_>, targets: &Targets) -> bool {
        let Some(targets) = targets.layer(quad.primitive.layer) else { return true };
        let front = quad.primitive.front;
        let (Some((state, reference)), Some(surface)) = (self.state(front), &targets.depth) else { return false };
        // Either facing may be drawn in between.
        if [true, false].iter().filter_map(|&f| self.state(f)).any(|(s, _)| !fails_for_good(&s)) {
            return false;
        }
        (0..4).all(|lane| {
            let [x, y] = quad.pixel(lane);
            bits(quad.coverage[lane]).all(|s| {
                let z = in_range(quad.depth_at(lane, s as usize), self.range(quad));
                let state = DepthStencil { depth_write: false, ..state };
                let mut stored = [0; 8];
                let from = surface.sample(x, y, s);
                let stored = &mut stored[..from.len()];
                stored.copy_from_slice(from);
                !test_sample(&state, front, reference, z, stored)
            })
        })
    }

    /// Applies what the program made of a quad.
    pub fn apply(&self, quad: &QuadIn<'_>, out: &QuadOut, targets: &mut Targets) {
        let Some(targets) = targets.layer_mut(quad.primitive.layer) else { return };
        for lane in 0..4 {
            let [x, y] = quad.pixel(lane);
            if quad.coverage[lane] == 0 {
                continue;
            }
            // Whether the lane is live may itself have hung on what was read.
            if out.open {
                targets.set_open(x, y);
            }
            if out.live >> lane & 1 == 0 {
                continue;
            }
            let by_shader = match out.mask {
                Some(mask) => mask[lane],
                None if self.merger.alpha_to_coverage => {
                    alpha_to_coverage(f32::from_bits(out.colour[0][lane][3]), quad.samples)
                }
                None => u32::MAX,
            };
            for s in bits(quad.coverage[lane] & by_shader) {
                let z = match out.depth {
                    Some(depth) => f64::from(depth[lane]),
                    None if self.tested || targets.depth.is_none() => 0.0,
                    None => quad.depth_at(lane, s as usize),
                };
                if self.tested || self.test(quad, (lane, s), (z, out.stencil.map(|list| list[lane])), targets) {
                    targets.pass();
                    self.write(out, lane, [x, y, s], targets);
                }
            }
        }
    }

    fn write(&self, out: &QuadOut, lane: usize, [x, y, sample]: [u32; 3], targets: &mut Targets) {
        for (k, (target, surface)) in self.merger.targets.iter().zip(&mut targets.colour).enumerate() {
            let (Some(target), Some(surface)) = (target, surface) else { continue };
            if target.write == 0 {
                continue;
            }
            let stored = surface.sample_mut(x, y, sample);
            let value = out.colour[k][lane];
            match &target.blend {
                None => target.format.encode(value, target.write, stored),
                blend => {
                    let colours = (value, out.second[lane]);
                    write_target(target.format, blend.as_ref(), self.merger.constant, colours, target.write, stored);
                }
            }
        }
    }
}

/// Whether a sample that fails a test now fails it after any other primitive of the same draw, and failing changes nothing.
fn fails_for_good(state: &DepthStencil) -> bool {
    use Compare::{Always, Equal, Greater, GreaterEqual, Less, LessEqual, Never};
    let keeps = |f: &StencilFace| [f.fail, f.depth_fail, f.pass].iter().all(|&o| o == StencilOperation::Keep);
    let stencil =
        !state.format.has_stencil() || state.write_mask & 0xff == 0 || keeps(&state.front) && keeps(&state.back);
    let moves_away = matches!(state.depth_compare, Never | Less | LessEqual | Equal | Greater | GreaterEqual | Always);
    stencil && (moves_away || !state.depth_write || !state.format.has_depth())
}
