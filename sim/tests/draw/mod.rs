//! The loop of a draw around hand-written programs. Expected values are the worked cases of the texturing reference, or worked
//! out by hand beside the test.

mod assembly;
mod fragments;
mod hostile;
mod random;

use gpucc_pipeline::{CullMode, DepthBias, FrontFace, Target};
use gpucc_sim::draw::*;
use gpucc_sim::raster::*;
use gpucc_sim::texture::{Format, Texel};
use gpucc_sim::{RunOptions, StepBudget, Trap, TrapKind};

/// Position and words of a vertex.
type Shaded = ([f32; 4], Vec<u32>);

/// Programs that are closures of a test.
struct Programs<V, F> {
    traits: FragmentTraits,
    vertex: V,
    fragment: F,
    clip: fn(VertexIn) -> [f32; 8],
    words: Vec<u32>,
    steps: StepBudget,
    vertices: usize,
    quads: usize,
}

impl<V: FnMut(VertexIn) -> Shaded, F: FnMut(&QuadIn<'_>, &[u32], &Targets) -> QuadOut> Programs<V, F> {
    fn new(vertex: V, fragment: F) -> Self {
        let clip = |_: VertexIn| [0.0; 8];
        let traits = FragmentTraits::default();
        Programs {
            traits,
            vertex,
            fragment,
            clip,
            words: Vec::new(),
            steps: steps(1_000_000_000),
            vertices: 0,
            quads: 0,
        }
    }

    fn with(mut self, traits: FragmentTraits) -> Self {
        self.traits = traits;
        self
    }
}

impl<V: FnMut(VertexIn) -> Shaded, F: FnMut(&QuadIn<'_>, &[u32], &Targets) -> QuadOut> Stages for Programs<V, F> {
    fn batch_quads(&self) -> usize {
        8
    }

    fn batches_at_once(&self) -> usize {
        5
    }

    fn vertex_traits(&self) -> VertexTraits {
        VertexTraits::default()
    }

    fn traits(&self) -> FragmentTraits {
        self.traits
    }

    fn vertices(&mut self, batch: &[VertexIn], out: &mut Vec<VertexOut>) -> Result<(), Trap> {
        assert!(batch.len() <= 1024, "vertices come in batches of a bounded size");
        self.vertices += batch.len();
        self.words.clear();
        for &v in batch {
            let (position, words) = (self.vertex)(v);
            let from = self.words.len() as u32;
            self.words.extend(words);
            out.push(VertexOut {
                position,
                clip: (self.clip)(v),
                cull: [0.0; 8],
                point_size: None,
                layer: 0,
                viewport: 0,
                words: from..self.words.len() as u32,
            });
        }
        Ok(())
    }

    fn quads(&mut self, batch: &[QuadIn<'_>], targets: &Targets, out: &mut Vec<QuadOut>) -> Result<(), Trap> {
        assert!((1..=8).contains(&batch.len()));
        self.quads += batch.len();
        out.extend(batch.iter().map(|q| (self.fragment)(q, &self.words, targets)));
        Ok(())
    }

    fn charge(&mut self, steps: u64) -> Result<(), Trap> {
        self.steps.spend(steps)
    }
}

fn steps(step_limit: u64) -> StepBudget {
    StepBudget::new(&RunOptions { step_limit, ..RunOptions::default() })
}

/// Clip position of a place on a target of `size`.
fn at(x: f64, y: f64, z: f64, w: f64, size: (u32, u32)) -> [f32; 4] {
    let (sx, sy) = (f64::from(size.0), f64::from(size.1));
    [(x / sx * 2.0 - 1.0) * w, (1.0 - y / sy * 2.0) * w, z * w, w].map(|c| c as f32)
}

/// A vertex program that takes places from a list.
fn places(list: &[(f64, f64)], size: (u32, u32)) -> impl Fn(VertexIn) -> Shaded + use<> {
    let list: Vec<[f32; 4]> = list.iter().map(|&(x, y)| at(x, y, 0.5, 1.0, size)).collect();
    move |v: VertexIn| (list[v.vertex as usize], vec![v.vertex])
}

/// A quad of one colour.
fn coloured(q: &QuadIn<'_>, c: Texel) -> QuadOut {
    let mut out = QuadOut::plain(q);
    out.colour[0] = [c; 4];
    out
}

/// One in each component of a float target.
const ONE: Texel = [0x3f80_0000; 4];

fn one(q: &QuadIn<'_>, _: &[u32], _: &Targets) -> QuadOut {
    coloured(q, ONE)
}

fn opaque(format: Format) -> Merger {
    Merger {
        targets: vec![Some(Target::new(format))],
        constant: [0.0; 4],
        depth: None,
        reference: 0,
        back: None,
        sample_mask: u32::MAX,
        alpha_to_coverage: false,
    }
}

/// A draw of triangles on the whole of a target.
fn drawing(size: (u32, u32), samples: u32, count: u32, merger: Merger) -> Draw<'static> {
    let viewport =
        Viewport { x: 0.0, y: 0.0, width: size.0 as f32, height: size.1 as f32, min_depth: 0.0, max_depth: 1.0 };
    let raster = Raster {
        viewport,
        scissor: Rect::of([0, 0, size.0, size.1]),
        cull: CullMode::None,
        front_face: FrontFace::Ccw,
        unclipped_depth: false,
        bias: DepthBias::default(),
        samples,
    };
    Draw { vertices: Vertices::new(Topology::TriangleList, count), raster, viewports: Vec::new(), merger, seed: None }
}

fn target(format: Format, size: (u32, u32), samples: u32) -> Targets {
    Targets::new(vec![Some(Surface::new(format, size.0, size.1, samples))], None)
}

/// The bytes of the first colour attachment.
fn bytes(t: &Targets) -> &[u8] {
    &t.colour[0].as_ref().unwrap().bytes
}

fn floats(t: &Targets) -> Vec<f32> {
    bytes(t).chunks_exact(4).map(|c| f32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect()
}

/// Pixels of a one-byte target that are not 0.
fn lit(t: &Targets) -> Vec<(u32, u32)> {
    let s = t.colour[0].as_ref().unwrap();
    let all = (0..s.rows).flat_map(|y| (0..s.width).map(move |x| (x, y)));
    all.filter(|&(x, y)| s.sample(x, y, 0) != [0]).collect()
}

/// A triangle that covers every pixel, whatever the size.
const WHOLE: [(f64, f64); 3] = [(-1.0, -1.0), (300.0, -1.0), (-1.0, 300.0)];
