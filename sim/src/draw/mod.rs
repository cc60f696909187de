//! A draw: from a description and the two programs of a pipeline to attachments written.
//!
//! The loop is the same for the oracle and the machines. What runs the programs is a [`Stages`]: it gets vertices, and later
//! quads of 2x2 pixels whose lanes are 0 upper left, 1 upper right, 2 lower left, 3 lower right. Everything else is fixed
//! function: assembly, clipping, culling, coverage, depth and stencil, sample masks, blending, resolve.
//!
//! Memory does not grow with the draw: vertices and primitives go through in chunks. Primitives are applied in their order,
//! sample by sample, whatever the sizes of batches are.

pub mod crew;
pub mod machine;
mod merge;
pub mod mixed;
mod run;
mod surface;
pub mod varying;
pub mod viewport;

use std::ops::Range;

pub use gpucc_pipeline::FrontFace;
/// Where in a pixel an input is interpolated: at its centre; there if every sample is covered, or none, else at the first covered one; at the
/// sample of the invocation, with one for the whole pixel at the centre.
pub use gpucc_pipeline::Sampling as Where;
use gpucc_pipeline::{CullMode, DepthBias, DepthStencil, Pipeline, Target, VertexBuffer};

use crate::dispatch::RunReport;
use crate::raster::{Indices, Rect, Setup, Topology, Viewport, Weights, fetch, sample_positions};
use crate::texture::Texel;
use crate::trap::Trap;

pub use crew::{Crew, Worker};
pub use machine::{DrawEntries, DrawLaunch, DrawMachine, draw_on};
pub use mixed::{Handed, LinkedStages, Mixed, RunStages, Varyings};
pub use run::draw;
pub use surface::{Counts, Surface, Targets};
pub use varying::{Divisor, Mode, SLOT_WORDS, push_slot};
pub use viewport::{from_negative, from_screen};

/// A vertex to be shaded, as the API counts: a family that counts from a base subtracts it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VertexIn {
    /// Index of the vertex, with base or first vertex added.
    pub vertex: u32,
    /// Index of the instance, with the first instance added.
    pub instance: u32,
    /// Number of the primitive that it is shaded for, where [`VertexTraits::numbers_primitives`]; else 0.
    pub primitive: u32,
}

/// The vertex program's results.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VertexOut {
    /// x, y, z, w in clip space, depth from 0 to w.
    pub position: [f32; 4],
    /// Clip distances; those that are not used stay 0, which is inside.
    pub clip: [f32; 8],
    /// Cull distances; those that are not used stay 0.
    pub cull: [f32; 8],
    /// Width of the point that it is, in pixels; 1 if it says nothing.
    pub point_size: Option<f32>,
    /// The layer of the attachments that its primitive is drawn on, if the vertex is the provoking one.
    pub layer: u32,
    /// The viewport, likewise: 0 is the rasteriser's own, others are those of [`Draw::viewports`].
    pub viewport: u32,
    /// Where the values for the fragment program lie, in a list of words that [`Stages`] keeps.
    pub words: Range<u32>,
}

/// A primitive whose quads are drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Primitive {
    /// [`VertexOut::words`] of each vertex, in the order that decides the facing; unused ones repeat the last.
    pub words: [Range<u32>; 3],
    /// Vertices that count: 1, 2 or 3.
    pub count: u32,
    /// Which of the three gives the values of flat inputs.
    pub provoking: u8,
    /// Number of the primitive in its instance.
    pub index: u32,
    /// Index of the instance, with the first instance added.
    pub instance: u32,
    /// Whether it is front-facing; lines and points are.
    pub front: bool,
    /// The layer of the attachments that it is drawn on.
    pub layer: u32,
    /// The number of its viewport.
    pub viewport: u32,
}

impl Primitive {
    /// The vertex so many behind the provoking one, in the order that decides the facing. Of lines it is the other end.
    pub fn from_provoking(&self, k: usize) -> usize {
        (usize::from(self.provoking) + k) % 3
    }
}

/// A quad to be shaded.
#[derive(Clone, Copy, Debug)]
pub struct QuadIn<'a> {
    /// Column of its left pixels, even.
    pub x: u32,
    /// Row of its upper pixels, even.
    pub y: u32,
    /// Samples that each lane stands for, a bit each: those covered that the pipeline's mask and tests in front of the program let
    /// through, or the one sample of [`QuadIn::sample`]. A lane without any is a helper.
    pub coverage: [u32; 4],
    /// The same as it was in front of all tests of depth and stencil.
    pub untested: [u32; 4],
    /// Samples of each pixel that the primitive covers.
    pub rasterised: [u32; 4],
    /// The sample, if the program runs for each of them.
    pub sample: Option<u8>,
    /// Samples of a pixel.
    pub samples: u32,
    /// The primitive that the quad is part of.
    pub primitive: &'a Primitive,
    /// Its place on the screen. Of a clipped primitive a part; weights are those of the primitive's own vertices.
    pub setup: &'a Setup,
    /// The amount that depth bias adds to the depth.
    pub bias: f64,
}

impl QuadIn<'_> {
    /// Lanes that are no helpers.
    pub fn covered(&self) -> u8 {
        (0..4).fold(0, |m, lane| m | u8::from(self.coverage[lane] != 0) << lane)
    }

    /// The mask of samples that a lane's program sees: those that came to the tests of depth and stencil. A helper has none.
    pub fn mask(&self, lane: usize) -> u32 {
        if self.coverage[lane] == 0 { 0 } else { self.untested[lane] }
    }

    /// Column and row of a lane's pixel.
    pub fn pixel(&self, lane: usize) -> [u32; 2] {
        [self.x + (lane as u32 & 1), self.y + (lane as u32 >> 1)]
    }

    /// A point of a lane's pixel, in 1/256 pixel.
    pub fn point(&self, lane: usize, at: Where) -> (i64, i64) {
        let all = (1 << self.samples) - 1;
        let sample = match at {
            Where::Sample => self.sample.map(usize::from),
            Where::Centroid if self.rasterised[lane] != all && self.rasterised[lane] != 0 => {
                Some(self.rasterised[lane].trailing_zeros() as usize)
            }
            _ => None,
        };
        self.at_sample(lane, sample)
    }

    /// A sample of a lane's pixel, or its centre.
    fn at_sample(&self, lane: usize, sample: Option<usize>) -> (i64, i64) {
        let (dx, dy) = sample.and_then(|s| sample_positions(self.samples).get(s).copied()).unwrap_or((128, 128));
        let [x, y] = self.pixel(lane).map(i64::from);
        (x * 256 + dx, y * 256 + dy)
    }

    /// Where in its pixel the sample is, or the middle: from 0 to 1, to the right and down.
    pub fn sample_position(&self) -> [f32; 2] {
        let own = self.sample.and_then(|s| sample_positions(self.samples).get(usize::from(s)).copied());
        let (x, y) = own.unwrap_or((128, 128));
        [x, y].map(|c| c as f32 / 256.0)
    }

    /// Where in the point the middle of a lane's pixel is, or its sample: from 0 to 1, to the right and down. 0 of what is no point.
    pub fn point_coord(&self, lane: usize) -> [f32; 2] {
        let (x, y) = self.point(lane, Where::Sample);
        self.setup.point_coord(x, y)
    }

    /// Shares of the second and the third vertex, counted from the provoking one; 0 of vertices that do not count.
    pub fn barycentric(&self, lane: usize, linear: bool, at: Where) -> [f32; 2] {
        let w = self.weights(lane, at);
        let shares = if linear { w.linear } else { w.perspective };
        [1, 2]
            .map(|k| self.primitive.from_provoking(k))
            .map(|k| if k < self.primitive.count as usize { shares[k] as f32 } else { 0.0 })
    }

    /// Shares of the primitive's vertices in a lane. The depth is without bias.
    pub fn weights(&self, lane: usize, at: Where) -> Weights {
        let (x, y) = self.point(lane, at);
        self.setup.weights(x, y)
    }

    /// An input of a lane: the values of the primitive's vertices by their shares, which are one of the two lists of
    /// [`QuadIn::weights`].
    pub fn interpolate(&self, shares: [f64; 3], values: [f32; 3]) -> f32 {
        (0..self.primitive.count as usize).map(|k| shares[k] * f64::from(values[k])).sum::<f64>() as f32
    }

    /// Position of a lane: the centre of its pixel; depth with bias and 1/w at its sample, or at the centre too.
    pub fn position(&self, lane: usize) -> [f32; 4] {
        let [x, y] = self.pixel(lane).map(|c| c as f32 + 0.5);
        let w = self.weights(lane, Where::Sample);
        [x, y, (w.z + self.bias) as f32, w.inv_w as f32]
    }

    /// Depth of a lane, with bias: at its sample, or at the centre of the pixel.
    pub fn depth(&self, lane: usize) -> f32 {
        let (x, y) = self.point(lane, Where::Sample);
        (self.setup.depth(x, y) + self.bias) as f32
    }

    /// Depth of a sample, with bias.
    pub(crate) fn depth_at(&self, lane: usize, sample: usize) -> f64 {
        let (x, y) = self.at_sample(lane, Some(sample));
        self.setup.depth(x, y) + self.bias
    }
}

/// The fragment program's result for a quad. Lanes that were covered and are no longer live were discarded.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct QuadOut {
    /// Lanes whose outputs count, a bit each; helpers never do.
    pub live: u8,
    /// Colour of each target in each lane, words of the target's base type.
    pub colour: [[Texel; 4]; 8],
    /// Second colour of target 0, for dual-source blending.
    pub second: [Texel; 4],
    /// Depth, if the program writes it.
    pub depth: Option<[f32; 4]>,
    /// Reference of the stencil test, of which 8 bits count, if the program writes it.
    pub stencil: Option<[u32; 4]>,
    /// Mask of samples, if the program writes it.
    pub mask: Option<[u32; 4]>,
    /// Whether a lane read another that was inactive: pixels of the quad may be anything.
    pub open: bool,
}

impl QuadOut {
    /// The result of a quad without a fragment program.
    pub fn plain(quad: &QuadIn<'_>) -> QuadOut {
        QuadOut { live: quad.covered(), ..QuadOut::default() }
    }

    /// Appends the results of a batch, of whose lanes those live that have a bit.
    pub fn batch(out: &mut Vec<QuadOut>, quads: usize, live: u64) -> &mut [QuadOut] {
        let before = out.len();
        out.extend((0..quads).map(|k| QuadOut { live: (live >> (4 * k) & 15) as u8, ..QuadOut::default() }));
        &mut out[before..]
    }

    /// The results of a batch, each with the numbers of its lanes.
    pub fn lanes(batch: &mut [QuadOut]) -> impl Iterator<Item = (&mut QuadOut, [usize; 4])> {
        batch.iter_mut().enumerate().map(|(k, q)| (q, [0, 1, 2, 3].map(|l| 4 * k + l)))
    }
}

/// When depth and stencil are tested.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DepthTest {
    /// Tests behind the program. The choice for programs that write the depth or memory.
    #[default]
    Late,
    /// Tests behind the program too, but quads that cannot pass need not be run.
    Reject,
    /// Tests in front of the program, which runs for what passed; its depth does not count, and what it discards was stored.
    Early,
}

/// Properties of the fragment program that decide order and depth testing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FragmentTraits {
    /// Runs once for each covered sample.
    pub per_sample: bool,
    /// Reads targets: a batch has no two quads of one place.
    pub reads_targets: bool,
    /// Writes memory: quads run in the order of their primitives.
    pub writes_memory: bool,
    /// When depth and stencil are tested.
    pub depth: DepthTest,
}

/// Properties of the vertex program that decide which vertices are shaded, and what they can choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VertexTraits {
    /// Vertices know the number of their primitive, so no two primitives share one.
    pub numbers_primitives: bool,
    /// The most layers of attachments that vertices can choose among. A draw on more is refused.
    pub most_layers: u32,
}

impl Default for VertexTraits {
    fn default() -> VertexTraits {
        VertexTraits { numbers_primitives: false, most_layers: u32::MAX }
    }
}

/// The programs of a pipeline.
pub trait Stages {
    /// Quads of one batch, at least 1.
    fn batch_quads(&self) -> usize;

    /// Batches that [`Stages::batches`] takes at once, at least 1. Where the program reads targets or writes memory it is one.
    fn batches_at_once(&self) -> usize {
        1
    }

    /// The traits of the fragment program.
    fn traits(&self) -> FragmentTraits;

    /// The traits of the vertex program.
    fn vertex_traits(&self) -> VertexTraits;

    /// Shades vertices and appends one [`VertexOut`] for each. The words of the call before are not needed any more.
    ///
    /// # Errors
    /// A trap of the program.
    fn vertices(&mut self, batch: &[VertexIn], out: &mut Vec<VertexOut>) -> Result<(), Trap>;

    /// Shades at most [`Stages::batch_quads`] quads and appends one [`QuadOut`] for each. `targets` hold what earlier batches wrote.
    ///
    /// # Errors
    /// A trap of the program.
    fn quads(&mut self, batch: &[QuadIn<'_>], targets: &Targets, out: &mut Vec<QuadOut>) -> Result<(), Trap>;

    /// Shades several batches, of which none sees what another one writes: they may run side by side. What they give, pay and
    /// say is what they would one after the other.
    ///
    /// # Errors
    /// The trap of the first batch that has one.
    fn batches(&mut self, list: &[&[QuadIn<'_>]], targets: &Targets, out: &mut Vec<QuadOut>) -> Result<(), Trap> {
        list.iter().try_for_each(|batch| self.quads(batch, targets, out))
    }

    /// The counts of the draw so far, vertices among them or not: by how much they grow over a call is what that call executed. Nothing
    /// where stages do not count.
    fn executed(&self) -> Option<&RunReport> {
        None
    }

    /// Charges work of the fixed function, in steps of [`crate::StepBudget`].
    ///
    /// # Errors
    /// The step limit is reached.
    fn charge(&mut self, steps: u64) -> Result<(), Trap>;
}

/// Vertices of a draw.
#[derive(Clone, Copy, Debug)]
pub struct Vertices<'a> {
    /// How they make primitives.
    pub topology: Topology,
    /// Vertices, or indices, of each instance.
    pub count: u32,
    /// First vertex, or place of the first index.
    pub first: u32,
    /// Number of instances that are drawn.
    pub instances: u32,
    /// Number of the first instance.
    pub first_instance: u32,
    /// Index buffer, if the draw has one.
    pub indices: Option<Indices<'a>>,
    /// Added to each index.
    pub base: i32,
    /// Whether the largest index ends a strip.
    pub restart: bool,
}

impl Vertices<'_> {
    /// `count` vertices from 0, one instance.
    pub fn new(topology: Topology, count: u32) -> Self {
        let (first, instances, first_instance, indices, base, restart) = (0, 1, 0, None, 0, false);
        Vertices { topology, count, first, instances, first_instance, indices, base, restart }
    }
}

/// State of the rasteriser.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Raster {
    /// Place on the target.
    pub viewport: Viewport,
    /// Pixels that may be changed.
    pub scissor: Rect,
    /// Triangles that are not drawn.
    pub cull: CullMode,
    /// Triangles that are front-facing.
    pub front_face: FrontFace,
    /// Whether nothing is clipped in depth.
    pub unclipped_depth: bool,
    /// Depth bias of triangles.
    pub bias: DepthBias,
    /// Samples of a pixel: 1 or 4.
    pub samples: u32,
}

impl Raster {
    /// The state of a pipeline; `scissor` is left and upper edge, width and height.
    pub fn of(p: &Pipeline, viewport: Viewport, scissor: [u32; 4]) -> Raster {
        Raster {
            viewport,
            scissor: Rect::of(scissor),
            cull: p.cull,
            front_face: p.front_face,
            unclipped_depth: p.unclipped_depth,
            bias: p.bias,
            samples: u32::from(p.samples),
        }
    }
}

/// State behind the fragment program.
#[derive(Clone, Debug, PartialEq)]
pub struct Merger {
    /// Colour targets by location.
    pub targets: Vec<Option<Target>>,
    /// Blend constant: red, green, blue, alpha.
    pub constant: [f32; 4],
    /// Depth and stencil state.
    pub depth: Option<DepthStencil>,
    /// Reference value of the stencil test.
    pub reference: u32,
    /// State and reference of back faces, where these are others (not in WebGPU). Tests of the depth are the same.
    pub back: Option<(DepthStencil, u32)>,
    /// Samples that may be written.
    pub sample_mask: u32,
    /// Whether the alpha of target 0 makes a mask of samples.
    pub alpha_to_coverage: bool,
}

impl Merger {
    /// The state of a pipeline.
    pub fn of(p: &Pipeline, constant: [f32; 4], reference: u32) -> Merger {
        Merger {
            targets: p.targets.clone(),
            constant,
            depth: p.depth,
            reference,
            back: None,
            sample_mask: p.sample_mask,
            alpha_to_coverage: p.alpha_to_coverage,
        }
    }
}

/// A draw: its call, state and targets.
#[derive(Clone, Debug)]
pub struct Draw<'a> {
    /// The draw call: vertices, instances and indices.
    pub vertices: Vertices<'a>,
    /// State of the rasteriser.
    pub raster: Raster,
    /// Viewports of the numbers 1 and on, with the pixels that each may change.
    pub viewports: Vec<(Viewport, Rect)>,
    /// State behind the fragment program.
    pub merger: Merger,
    /// Seed of the sizes of batches and the order inside of them, on which no result depends. `None` is the plain run.
    pub seed: Option<u64>,
}

/// A vertex buffer of a draw.
#[derive(Clone, Copy, Debug)]
pub struct VertexData<'a> {
    /// Its layout: step, stride and attributes.
    pub layout: &'a VertexBuffer,
    /// The bytes that are bound.
    pub bytes: &'a [u8],
}

/// Appends location and value of each attribute of a vertex, in the order of buffers and attributes.
pub fn attributes(buffers: &[Option<VertexData<'_>>], v: VertexIn, out: &mut Vec<(u32, Texel)>) {
    for b in buffers.iter().flatten() {
        let element = match b.layout.step {
            gpucc_pipeline::StepMode::Vertex => v.vertex,
            gpucc_pipeline::StepMode::Instance => v.instance,
        };
        for a in &b.layout.attributes {
            out.push((a.location, fetch(b.bytes, b.layout.stride, a.offset, element, a.format)));
        }
    }
}
