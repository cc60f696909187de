//! Pictures that do not depend on how they are cut into batches, and meshes that light each sample once.

use super::*;
use gpucc_sim::SplitMix64;
use gpucc_sim::texture::Compare;

fn adding(format: Format) -> Merger {
    let add = BlendComponent { dst: BlendFactor::One, ..BlendComponent::default() };
    let blend = Some(Blend { color: add, alpha: add });
    Merger { targets: vec![Some(Target { blend, ..Target::new(format) })], ..opaque(format) }
}

/// Adds one wherever the triangles of a mesh are.
fn sums(places_: &[(f64, f64)], indices: &[u32], size: (u32, u32), samples: u32, seed: u64) -> Vec<f32> {
    let bytes: Vec<u8> = indices.iter().flat_map(|i| i.to_le_bytes()).collect();
    let mut d = drawing(size, samples, indices.len() as u32, adding(Format::R32Float));
    d.vertices.indices = Some(Indices { bytes: &bytes, wide: true });
    d.seed = Some(seed);
    let mut t = target(Format::R32Float, size, samples);
    draw(&d, &mut Programs::new(places(places_, size), one), &mut t).unwrap();
    floats(&t)
}

#[test]
fn meshes_light_each_sample_once() {
    let size = (16, 12);
    let mut rng = SplitMix64::new(1);
    let mut within = |n: u32| f64::from(rng.next_u32() % (n * 1024)) / 1024.0;
    for round in 0..40 {
        // A hub inside, and a ring around the target.
        let mut list = vec![(within(16), within(12))];
        let (l, r, t, b) = (-within(4), 16.0 + within(4), -within(4), 12.0 + within(4));
        let (x, y) = (within(16), within(12));
        list.extend([(l, t), (x, t), (r, t), (r, y), (r, b), (16.0 - x, b), (l, b), (l, 12.0 - y)]);
        let turn = |k: u32, a: u32, b: u32| if (round + k).is_multiple_of(2) { [0, a, b] } else { [b, a, 0] };
        let indices: Vec<u32> = (1..9).flat_map(|k| turn(k, k, k % 8 + 1)).collect();
        for samples in [1, 4] {
            let sums = sums(&list, &indices, size, samples, u64::from(round));
            assert!(sums.iter().all(|&s| s == 1.0), "{list:?}");
        }
    }
    // A grid whose inner corners are moved by less than half a cell.
    for round in 0..10 {
        let n = 8u32;
        let mut list = Vec::new();
        for j in 0..=n {
            for i in 0..=n {
                let inner = (1..n).contains(&i) && (1..n).contains(&j);
                let (dx, dy) = if inner { (within(1) * 0.8 - 0.4, within(1) * 0.6 - 0.3) } else { (0.0, 0.0) };
                list.push((f64::from(i) * 2.0 + dx, f64::from(j) * 1.5 + dy));
            }
        }
        let mut indices = Vec::new();
        for j in 0..n {
            for i in 0..n {
                let k = j * (n + 1) + i;
                indices.extend([k, k + 1, k + n + 1, k + 1, k + n + 2, k + n + 1]);
            }
        }
        for samples in [1, 4] {
            let sums = sums(&list, &indices, size, samples, round);
            assert!(sums.iter().all(|&s| s == 1.0));
        }
    }
}

const SIZE: (u32, u32) = (48, 50);

/// Many triangles, lines and points with depth, stencil and blending.
struct Scene {
    vertices: Vec<[f32; 4]>,
}

impl Scene {
    fn new(seed: u64) -> Scene {
        let mut rng = SplitMix64::new(seed);
        let mut number = |low: f32, high: f32| low + (high - low) * (rng.next_u32() as f32 / u32::MAX as f32);
        let mut vertex = || {
            let w = number(-0.2, 2.0);
            [number(-1.5, 1.5) * w, number(-1.5, 1.5) * w, number(-0.1, 1.1) * w, w]
        };
        Scene { vertices: (0..240).map(|_| vertex()).collect() }
    }

    fn merger() -> Merger {
        let target = Target { blend: Some(fragments_over()), ..Target::new(Format::Rgba8Unorm) };
        let mut depth = DepthStencil::new(Format::Depth24PlusStencil8);
        depth.depth_compare = Compare::LessEqual;
        depth.depth_write = true;
        Merger { targets: vec![Some(target)], depth: Some(depth), ..opaque(Format::Rgba8Unorm) }
    }

    fn pass(&self, traits: FragmentTraits, seed: Option<u64>, samples: u32, t: &mut Targets) -> Result<(), Trap> {
        for (n, topology) in [Topology::TriangleList, Topology::LineStrip, Topology::PointList, Topology::TriangleStrip]
            .into_iter()
            .enumerate()
        {
            let mut d = drawing(SIZE, samples, 60, Scene::merger());
            d.vertices.topology = topology;
            d.vertices.first = 60 * n as u32;
            d.seed = seed;
            let vertex = |v: VertexIn| (self.vertices[v.vertex as usize], vec![v.vertex]);
            let fragment = |q: &QuadIn<'_>, words: &[u32], _: &Targets| {
                let p = q.primitive;
                let id = words[p.words[usize::from(p.provoking)].start as usize];
                let mut out = QuadOut { open: id.is_multiple_of(97), ..QuadOut::plain(q) };
                for lane in 0..4 {
                    let w = q.weights(lane, if q.sample.is_some() { Where::Sample } else { Where::Centroid });
                    let c = [w.perspective[0], w.perspective[1], f64::from(id % 7) / 7.0, 0.75];
                    out.colour[0][lane] = c.map(|x| (x as f32).to_bits());
                }
                out
            };
            draw(&d, &mut Programs::new(vertex, fragment).with(traits), t)?;
        }
        Ok(())
    }
}

fn fragments_over() -> Blend {
    let c = BlendComponent {
        operation: BlendOperation::Add,
        src: BlendFactor::SrcAlpha,
        dst: BlendFactor::OneMinusSrcAlpha,
    };
    Blend { color: c, alpha: c }
}

fn attachments(samples: u32) -> Targets {
    let mut t = target(Format::Rgba8Unorm, SIZE, samples);
    let mut depth = Surface::new(Format::Depth24PlusStencil8, SIZE.0, SIZE.1, samples);
    depth.clear_depth(1.0);
    t.depth = Some(depth);
    t
}

#[test]
fn batches_do_not_show() {
    for (seed, samples) in [(1, 1), (2, 4)] {
        let scene = Scene::new(seed);
        for per_sample in [false, true] {
            let traits = |depth| FragmentTraits { per_sample, depth, ..FragmentTraits::default() };
            let mut plain = attachments(samples);
            scene.pass(traits(DepthTest::Late), None, samples, &mut plain).unwrap();
            let drawn = bytes(&plain).iter().filter(|&&b| b != 0).count();
            assert!(drawn > bytes(&plain).len() / 4, "the scene shows something");
            for depth in [DepthTest::Late, DepthTest::Reject, DepthTest::Early] {
                for shuffle in [None, Some(seed), Some(seed + 100)] {
                    let mut t = attachments(samples);
                    scene.pass(traits(depth), shuffle, samples, &mut t).unwrap();
                    // Which quads are run at all decides what is open.
                    assert!(t.colour == plain.colour && t.depth == plain.depth, "{depth:?} {shuffle:?}");
                }
            }
        }
    }
}
