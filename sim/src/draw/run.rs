//! The loop of a draw.

use gpucc_container::Stage;
use gpucc_num::Round;
use gpucc_num::convert::{f16_to_f32, f32_to_f16};
use gpucc_pipeline::{CullMode, FrontFace};

use super::merge::Behind;
use super::{DepthTest, Draw, FragmentTraits, Primitive, QuadIn, QuadOut, Stages, Targets, VertexIn, VertexOut};
use crate::raster::{
    Bias, ClipOptions, ClipVertex, Primitives, Quad, Rect, Setup, Viewport, clip_line, clip_polygon, point_is_inside,
};
use crate::rng::SplitMix64;
use crate::trap::{Trap, bad_dispatch, unsupported};

/// Steps of a draw, however little it draws.
const DRAW_STEPS: u64 = 1000;
/// Steps of a vertex of an instance, and of an instance.
const VERTEX_STEPS: u64 = 8;
/// Steps of a primitive.
const PRIMITIVE_STEPS: u64 = 32;
/// Steps of looking for quads in two rows.
const ROW_STEPS: u64 = 4;
/// Steps of a quad, and of each sample of it that is covered.
const QUAD_STEPS: u64 = 32;
const SAMPLE_STEPS: u64 = 8;

/// Primitives that go through together.
const CHUNK: usize = 256;
/// Vertices among which a vertex is looked for that was asked for already.
const REUSE: usize = 16;
/// Pixels from the origin up to which a viewport may reach: screen positions of 1/256 pixel then multiply in 64 bits.
const FARTHEST: f64 = 131_072.0;

/// Draws on `targets`.
///
/// # Errors
/// A trap of the programs, an exhausted step limit, or a draw that does not fit its attachments.
///
/// # Panics
/// Where `stages` do not give one result for each vertex and quad.
pub fn draw<S: Stages + ?Sized>(draw: &Draw<'_>, stages: &mut S, targets: &mut Targets) -> Result<(), Trap> {
    stages.charge(DRAW_STEPS)?;
    check(draw, targets)?;
    let most = stages.vertex_traits().most_layers;
    if targets.layers() > most {
        let message = format!("vertices choose among {} layers, at most {most}", targets.layers());
        return Err(unsupported(message));
    }
    let traits = stages.traits();
    let raster = &draw.raster;
    let whole = targets.all().next().map_or(Rect::of([0; 4]), |s| Rect::of([0, 0, s.width, s.rows]));
    let viewports: Vec<(Viewport, Rect)> =
        std::iter::once((raster.viewport, raster.scissor)).chain(draw.viewports.iter().copied()).collect();
    let behind = Behind {
        merger: &draw.merger,
        ranges: viewports.iter().map(|(v, _)| [v.min_depth, v.max_depth]).collect(),
        tested: traits.depth == DepthTest::Early,
    };
    let mut rng = draw.seed.map(SplitMix64::new);
    let sizes = Sizes::next(stages.batch_quads(), &mut rng);
    Loop {
        draw,
        stages,
        targets,
        behind,
        traits,
        viewports: viewports
            .into_iter()
            .map(|(v, scissor)| (v, Rect::of_viewport(&v).intersect(scissor).intersect(whole)))
            .collect(),
        rng,
        sizes,
        chunk: Chunk::default(),
        shaded: Vec::new(),
        ends: Vec::new(),
        results: Vec::new(),
    }
    .run()
}

/// Whether the draw fits its attachments.
fn check(draw: &Draw<'_>, targets: &Targets) -> Result<(), Trap> {
    let wrong = |message: String| Err(bad_dispatch(message));
    for v in std::iter::once(&draw.raster.viewport).chain(draw.viewports.iter().map(|(v, _)| v)) {
        let [x, y, w, h] = [v.x, v.y, v.width, v.height].map(f64::from);
        let reach = [x, y, x + w, y + h].iter().all(|c| c.abs() <= FARTHEST);
        if !(reach && w >= 0.0) {
            return wrong(format!("a viewport at {x}, {y} of {w} x {h} pixels reaches too far"));
        }
        if !(v.min_depth.is_finite() && v.max_depth.is_finite()) {
            return wrong(format!("the viewport's depth goes from {} to {}", v.min_depth, v.max_depth));
        }
    }
    let samples = draw.raster.samples;
    if !matches!(samples, 1 | 4) {
        return wrong(format!("{samples} samples a pixel are not modelled"));
    }
    if draw.merger.targets.len() > 8 {
        return wrong(format!("{} colour targets, at most 8 are possible", draw.merger.targets.len()));
    }
    let mut all = (0..targets.layers()).filter_map(|n| targets.layer(n)).flat_map(Targets::all);
    if let Some(first) = all.next() {
        let size = |s: &super::Surface| (s.width, s.rows, s.samples);
        if size(first).2 != samples || all.any(|s| size(s) != size(first)) {
            return wrong("attachments differ in size, or in samples from the pipeline".into());
        }
    }
    for (k, target) in draw.merger.targets.iter().enumerate() {
        let Some(target) = target else { continue };
        let there = targets.colour.get(k).and_then(|s| s.as_ref()).map(|s| s.format);
        if there != Some(target.format) {
            let there = there.map_or("nothing", |f| f.name());
            return wrong(format!("target {k} is {}, its attachment {there}", target.format.name()));
        }
    }
    if let Some(state) = &draw.merger.depth {
        let there = targets.depth.as_ref().map(|s| s.format);
        if there != Some(state.format) {
            let there = there.map_or("nothing", |f| f.name());
            return wrong(format!("the depth-stencil target is {}, its attachment {there}", state.format.name()));
        }
    }
    Ok(())
}

/// Sizes of the next chunk and the next batch.
#[derive(Clone, Copy)]
struct Sizes {
    primitives: usize,
    quads: usize,
}

impl Sizes {
    fn next(most_quads: usize, rng: &mut Option<SplitMix64>) -> Sizes {
        let mut upto = |most: usize| match rng {
            Some(rng) => 1 + rng.below(most as u64) as usize,
            None => most,
        };
        Sizes { primitives: upto(CHUNK), quads: upto(most_quads.max(1)) }
    }
}

/// Numbers up to a count, in an order that the seed gives, in which none stands where it was: as they are without one.
fn shuffled(count: usize, rng: &mut Option<SplitMix64>) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    if let Some(rng) = rng {
        (1..count).for_each(|k| order.swap(k, rng.below(k as u64) as usize));
    }
    order
}

/// A primitive in terms of the vertices of its chunk.
struct Assembled {
    vertices: [usize; 3],
    count: u32,
    provoking: u8,
    index: u32,
    instance: u32,
}

/// The items that go through together.
#[derive(Default)]
struct Chunk {
    vertices: Vec<VertexIn>,
    primitives: Vec<Assembled>,
}

impl Chunk {
    fn vertex(&mut self, v: VertexIn) -> usize {
        let from = self.vertices.len().saturating_sub(REUSE);
        match self.vertices[from..].iter().rposition(|o| *o == v) {
            Some(k) => from + k,
            None => {
                self.vertices.push(v);
                self.vertices.len() - 1
            }
        }
    }
}

/// A primitive set up for rasterisation: its parts, with their depth bias.
struct PreparedPrimitive {
    primitive: Primitive,
    parts: Vec<(Setup, f64)>,
}

struct Loop<'a, S: ?Sized> {
    draw: &'a Draw<'a>,
    stages: &'a mut S,
    targets: &'a mut Targets,
    behind: Behind<'a>,
    traits: FragmentTraits,
    /// Viewports with the pixels that each may change.
    viewports: Vec<(Viewport, Rect)>,
    rng: Option<SplitMix64>,
    sizes: Sizes,
    chunk: Chunk,
    shaded: Vec<VertexOut>,
    /// Where full batches end among the quads that wait.
    ends: Vec<usize>,
    results: Vec<QuadOut>,
}

impl<S: Stages + ?Sized> Loop<'_, S> {
    fn run(mut self) -> Result<(), Trap> {
        let v = self.draw.vertices;
        let place = |k: u32| u64::from(v.first) + u64::from(k);
        let numbered = self.stages.vertex_traits().numbers_primitives;
        let restarts = v.indices.filter(|_| v.restart && v.topology.is_strip());
        // Past its end a buffer has no ends of strips: what is read here is what is in memory, whatever number the draw names.
        let ends = restarts.map_or(0, |i| {
            let held = place(0)..place(v.count).min(i.count());
            held.filter(|&at| i.get(at) == i.restart()).count() as u64
        });
        let vertices = u64::from(v.count) - ends;
        for n in 0..v.instances {
            self.targets.counts().vertices += vertices;
            self.stages.charge(VERTEX_STEPS * (1 + u64::from(v.count)))?;
            let instance = v.first_instance.wrapping_add(n);
            let vertex = |k: u32| match v.indices {
                Some(i) => i.get(place(k)).wrapping_add(v.base as u32),
                None => v.first.wrapping_add(k),
            };
            let is_restart = |k: u32| restarts.is_some_and(|i| i.get(place(k)) == i.restart());
            for (index, p) in Primitives::new(v.topology, v.count, is_restart).enumerate() {
                let index = index as u32;
                let primitive = if numbered { index } else { 0 };
                let of = |k: u32| VertexIn { vertex: vertex(k), instance, primitive };
                let vertices = p.vertices.map(|k| self.chunk.vertex(of(k)));
                let provoking = p.vertices.iter().position(|&k| k == p.provoking).unwrap_or(0) as u8;
                self.chunk.primitives.push(Assembled { vertices, count: p.count, provoking, index, instance });
                if self.chunk.primitives.len() >= self.sizes.primitives {
                    self.flush()?;
                }
            }
        }
        self.flush()
    }

    /// Sends a chunk through.
    fn flush(&mut self) -> Result<(), Trap> {
        let chunk = std::mem::take(&mut self.chunk);
        if chunk.primitives.is_empty() {
            return Ok(());
        }
        self.stages.charge(PRIMITIVE_STEPS * chunk.primitives.len() as u64)?;
        self.shaded.clear();
        let order = shuffled(chunk.vertices.len(), &mut self.rng);
        let run: Vec<VertexIn> = order.iter().map(|&k| chunk.vertices[k]).collect();
        self.stages.vertices(&run, &mut self.shaded).map_err(|t| t.in_stage(Stage::Vertex))?;
        assert_eq!(self.shaded.len(), chunk.vertices.len(), "one result for each vertex");
        if self.rng.is_some() {
            let mut made = vec![VertexOut::default(); order.len()];
            order.iter().zip(self.shaded.drain(..)).for_each(|(&k, v)| made[k] = v);
            self.shaded = made;
        }
        let mut visible = 0;
        let prepared = chunk.primitives.iter().filter_map(|p| self.set_up(p, &mut visible));
        let ready: Vec<PreparedPrimitive> = prepared.collect();
        let counts = self.targets.counts();
        counts.primitives += chunk.primitives.len() as u64;
        counts.vertex_invocations += chunk.vertices.len() as u64;
        counts.clipped += chunk.primitives.len() as u64;
        counts.visible += visible;
        let mut batch: Vec<QuadIn<'_>> = Vec::new();
        for r in &ready {
            let Some(&(_, area)) = self.viewports.get(r.primitive.viewport as usize) else { continue };
            for (setup, bias) in &r.parts {
                let b = area.intersect(setup.bounds());
                self.stages.charge(ROW_STEPS * (b.y1 - b.y0).max(0) as u64)?;
                setup.try_quads(area, self.draw.raster.samples, |q| {
                    self.quad(q, (&r.primitive, setup, *bias), &mut batch)
                })?;
            }
        }
        self.shade(&mut batch)
    }

    /// Clips, culls and puts a primitive on the screen. It is counted if clipping left something of it.
    fn set_up(&self, p: &Assembled, visible: &mut u64) -> Option<PreparedPrimitive> {
        let raster = &self.draw.raster;
        let v = p.vertices.map(|k| &self.shaded[k]);
        let distances = (0..8).rev().find(|&k| v.iter().any(|v| v.clip[k] != 0.0)).map_or(0, |k| k + 1);
        let corner = |k: usize| ClipVertex { position: v[k].position, distances: v[k].clip[..distances].to_vec() };
        let options = ClipOptions { depth: !raster.unclipped_depth, sides: false };
        // Values of vertices other than the provoking one do not count. Vulkan leaves open what a number does that is too large.
        let VertexOut { layer, viewport, .. } = *v[usize::from(p.provoking)];
        if layer >= self.targets.layers() {
            return None;
        }
        let (view, _) = self.viewports.get(viewport as usize)?;
        // What is behind one of the planes with all of its vertices is not drawn; what is in part is not cut.
        let own = &v[..p.count as usize];
        if (0..8).any(|k| own.iter().all(|v| v.cull[k] < 0.0)) {
            return None;
        }
        let mut front = true;
        let parts = match p.count {
            1 => {
                // Sizes are halves on one family: as many bits are kept everywhere.
                let size = v[0].point_size.unwrap_or(1.0).min(65504.0);
                let size = f16_to_f32(f32_to_f16(Round::Nearest, size));
                let inside = point_is_inside(&corner(0), options, view)?;
                *visible += 1;
                vec![(Setup::point(inside, view, size), 0.0)]
            }
            2 => {
                let line = clip_line(&[corner(0), corner(1)], options, view)?;
                *visible += 1;
                vec![(Setup::line(line, view)?, 0.0)]
            }
            _ => {
                let polygon = clip_polygon(&[corner(0), corner(1), corner(2)], options, view);
                if polygon.is_empty() {
                    return None;
                }
                *visible += 1;
                let (parts, ccw) = Setup::polygon(&polygon, view)?;
                front = ccw == (raster.front_face == FrontFace::Ccw);
                if raster.cull == if front { CullMode::Front } else { CullMode::Back } {
                    return None;
                }
                let format = self.draw.merger.depth.map(|d| d.format).filter(|f| f.has_depth());
                let bias = |s: &Setup| format.map_or(0.0, |f| raster.bias.of(s, f));
                parts.into_iter().map(|s| (bias(&s), s)).map(|(b, s)| (s, b)).collect()
            }
        };
        let words = v.map(|v| v.words.clone());
        let Assembled { count, provoking, index, instance, .. } = *p;
        Some(PreparedPrimitive {
            primitive: Primitive { words, count, provoking, index, instance, front, layer, viewport },
            parts,
        })
    }

    /// Takes a quad into the batch, or one for each sample.
    fn quad<'r>(
        &mut self,
        q: Quad,
        (primitive, setup, bias): (&'r Primitive, &'r Setup, f64),
        batch: &mut Vec<QuadIn<'r>>,
    ) -> Result<(), Trap> {
        let covered: u32 = q.coverage.iter().map(|c| c.count_ones()).sum();
        self.stages.charge(QUAD_STEPS + SAMPLE_STEPS * u64::from(covered))?;
        let samples = self.draw.raster.samples;
        let (x, y) = (q.x as u32, q.y as u32);
        let rasterised = q.coverage;
        let coverage = rasterised.map(|c| c & self.draw.merger.sample_mask);
        let mut quad =
            QuadIn { x, y, coverage, untested: coverage, rasterised, sample: None, samples, primitive, setup, bias };
        match self.traits.depth {
            DepthTest::Late => {}
            DepthTest::Reject if self.behind.hopeless(&quad, self.targets) => return Ok(()),
            DepthTest::Reject => {}
            DepthTest::Early => self.behind.test_early(&mut quad, self.targets),
        }
        if quad.coverage == [0; 4] {
            return Ok(());
        }
        if !self.traits.per_sample {
            return self.add(quad, batch);
        }
        for s in 0..samples {
            let [coverage, untested] = [quad.coverage, quad.untested].map(|list| list.map(|c| c & 1 << s));
            if coverage != [0; 4] {
                self.add(QuadIn { coverage, untested, sample: Some(s as u8), ..quad }, batch)?;
            }
        }
        Ok(())
    }

    fn add<'r>(&mut self, quad: QuadIn<'r>, batch: &mut Vec<QuadIn<'r>>) -> Result<(), Trap> {
        if self.traits.reads_targets && batch.iter().any(|o| (o.x, o.y) == (quad.x, quad.y)) {
            self.shade(batch)?;
        }
        self.targets.counts().fragment_invocations += u64::from(quad.covered().count_ones());
        batch.push(quad);
        if batch.len() - self.ends.last().unwrap_or(&0) < self.sizes.quads {
            return Ok(());
        }
        self.cut(batch.len());
        let alone = self.traits.reads_targets || self.traits.writes_memory && self.rng.is_none();
        if self.ends.len() >= if alone { 1 } else { self.stages.batches_at_once() } {
            self.shade(batch)
        } else {
            Ok(())
        }
    }

    /// Ends a batch.
    fn cut(&mut self, end: usize) {
        self.ends.push(end);
        self.sizes = Sizes::next(self.stages.batch_quads(), &mut self.rng);
    }

    /// Runs all quads that wait and applies their results in the order of the primitives.
    fn shade(&mut self, waiting: &mut Vec<QuadIn<'_>>) -> Result<(), Trap> {
        if waiting.is_empty() {
            return Ok(());
        }
        if self.ends.last() != Some(&waiting.len()) {
            self.cut(waiting.len());
        }
        // The quads in the order in which they are run.
        let order = shuffled(waiting.len(), &mut self.rng);
        let mut mixed = Vec::new();
        let mut run: &[QuadIn<'_>] = waiting;
        if self.rng.is_some() {
            mixed.extend(order.iter().map(|&k| waiting[k]));
            run = &mixed;
        }
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let batches: Vec<&[QuadIn<'_>]> = starts.zip(&self.ends).map(|(from, &end)| &run[from..end]).collect();
        self.results.clear();
        let shaded = self.stages.batches(&batches, self.targets, &mut self.results);
        shaded.map_err(|t| t.in_stage(Stage::Fragment))?;
        assert_eq!(self.results.len(), waiting.len(), "one result for each quad");
        let mut place = vec![0; order.len()];
        order.iter().enumerate().for_each(|(at, &k)| place[k] = at);
        for (quad, at) in waiting.iter().zip(place) {
            self.behind.apply(quad, &self.results[at], self.targets);
        }
        waiting.clear();
        self.ends.clear();
        Ok(())
    }
}
