//! From vertices to covered pixels.

use gpucc_pipeline::{StepMode, VertexAttribute, VertexBuffer, VertexFormat};

use super::*;

const FOUR: (u32, u32) = (4, 4);

fn pixels(p: &[(f64, f64)], change: impl Fn(&mut Draw<'_>)) -> Vec<(u32, u32)> {
    let mut t = target(Format::R8Unorm, FOUR, 1);
    let mut d = drawing(FOUR, 1, p.len() as u32, opaque(Format::R8Unorm));
    change(&mut d);
    draw(&d, &mut Programs::new(places(p, FOUR), one), &mut t).unwrap();
    lit(&t)
}

const LOWER: [(f64, f64); 3] = [(0.0, 0.0), (4.0, 0.0), (0.0, 4.0)];

#[test]
fn coverage_and_facing() {
    let plain = |p: &[(f64, f64)]| pixels(p, |_| {});
    let six = [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (0, 2)];
    assert_eq!(plain(&LOWER), six);
    let upper = [(3, 0), (2, 1), (3, 1), (1, 2), (2, 2), (3, 2), (0, 3), (1, 3), (2, 3), (3, 3)];
    assert_eq!(plain(&[(4.0, 0.0), (4.0, 4.0), (0.0, 4.0)]), upper);
    assert_eq!(plain(&[(0.5, 0.5), (2.5, 0.5), (0.5, 2.5)]), [(0, 0), (1, 0), (0, 1)]);
    assert_eq!(plain(&[(2.5, 0.5), (2.5, 2.5), (0.5, 2.5)]), [(1, 1)]);
    assert_eq!(plain(&[(0.0, 0.0), (4.0, 0.0), (8.0, 0.0)]), []);
    assert_eq!(plain(&[(1.0, 1.0), (1.0005, 1.0), (1.0, 1.0005)]), []);
    // Clockwise on the screen: back for ccw, front for cw.
    let turned = [LOWER[0], LOWER[2], LOWER[1]];
    for (p, face, cull, drawn) in [
        (LOWER, FrontFace::Ccw, CullMode::Back, false),
        (LOWER, FrontFace::Ccw, CullMode::Front, true),
        (LOWER, FrontFace::Cw, CullMode::Back, true),
        (LOWER, FrontFace::Cw, CullMode::Front, false),
        (turned, FrontFace::Ccw, CullMode::Back, true),
        (turned, FrontFace::Cw, CullMode::None, true),
    ] {
        let found = pixels(&p, |d| {
            d.raster.front_face = face;
            d.raster.cull = cull;
        });
        assert_eq!(found, if drawn { six.to_vec() } else { Vec::new() }, "{face:?} {cull:?}");
    }
    // Scissor and target bounds mask pixels.
    let cut = pixels(&LOWER, |d| d.raster.scissor = Rect::of([1, 0, 9, 2]));
    assert_eq!(cut, [(1, 0), (2, 0), (1, 1)]);
    assert_eq!(pixels(&WHOLE, |_| {}).len(), 16);
    // A viewport of its own: the triangle of 4x4 in the lower right quarter at half the size.
    let small = pixels(&LOWER, |d| {
        d.raster.viewport = Viewport { x: 2.0, y: 2.0, width: 2.0, height: 2.0, ..d.raster.viewport };
    });
    assert_eq!(small, [(2, 2)]);
}

#[test]
fn facing_reaches_the_program() {
    let mut fronts = Vec::new();
    let list = [LOWER[0], LOWER[1], LOWER[2], LOWER[0], LOWER[2], LOWER[1]];
    let fragment = |q: &QuadIn<'_>, _: &[u32], _: &Targets| {
        fronts.push((q.primitive.index, q.primitive.front));
        QuadOut::plain(q)
    };
    let d = drawing(FOUR, 1, 6, opaque(Format::R8Unorm));
    draw(&d, &mut Programs::new(places(&list, FOUR), fragment), &mut target(Format::R8Unorm, FOUR, 1)).unwrap();
    fronts.dedup();
    assert_eq!(fronts, [(0, false), (1, true)]);
}

/// Words of the vertices, of the provoking vertex, index and instance of each primitive that is drawn.
type Seen = (Vec<u32>, u32, u32, u32);

fn seen(vertices: Vertices<'_>) -> (Vec<Seen>, Vec<VertexIn>) {
    let size = (64, 8);
    let mut d = drawing(size, 1, 0, opaque(Format::R8Unorm));
    d.vertices = vertices;
    let (mut found, mut asked): (Vec<Seen>, _) = (Vec::new(), Vec::new());
    let vertex = |v: VertexIn| {
        asked.push(v);
        let k = f64::from(v.vertex % 16);
        (at(4.0 * k + 0.5, if v.vertex & 1 == 0 { 0.5 } else { 6.5 }, 0.5, 1.0, size), vec![v.vertex])
    };
    let fragment = |q: &QuadIn<'_>, words: &[u32], _: &Targets| {
        let p = q.primitive;
        let ids = p.words.each_ref().map(|r| words[r.start as usize]);
        let one = (ids[..p.count as usize].to_vec(), ids[usize::from(p.provoking)], p.index, p.instance);
        if found.last() != Some(&one) {
            found.push(one);
        }
        QuadOut::plain(q)
    };
    draw(&d, &mut Programs::new(vertex, fragment), &mut target(Format::R8Unorm, size, 1)).unwrap();
    (found, asked)
}

#[test]
fn topologies() {
    let of = |topology, count| {
        let list = seen(Vertices::new(topology, count)).0;
        list.into_iter().map(|(ids, provoking, index, _)| (ids, provoking, index)).collect::<Vec<_>>()
    };
    let strip = [(vec![0, 1, 2], 0, 0), (vec![2, 1, 3], 1, 1), (vec![2, 3, 4], 2, 2)];
    assert_eq!(of(Topology::TriangleStrip, 5), strip);
    assert_eq!(of(Topology::TriangleList, 5), [(vec![0, 1, 2], 0, 0)]);
    assert_eq!(of(Topology::LineList, 5), [(vec![0, 1], 0, 0), (vec![2, 3], 2, 1)]);
    assert_eq!(of(Topology::LineStrip, 3), [(vec![0, 1], 0, 0), (vec![1, 2], 1, 1)]);
    assert_eq!(of(Topology::PointList, 2), [(vec![0], 0, 0), (vec![1], 1, 1)]);
}

#[test]
fn indices() {
    let narrow = |list: &[u16]| list.iter().flat_map(|i| i.to_le_bytes()).collect::<Vec<u8>>();
    let with = |topology, bytes: &[u8], count, base, restart| {
        let indices = Some(Indices { bytes, wide: false });
        seen(Vertices { indices, base, restart, ..Vertices::new(topology, count) })
    };
    let ids = |s: &[Seen]| s.iter().map(|p| p.0.clone()).collect::<Vec<_>>();
    let strip = narrow(&[0, 1, 2, 65535, 3, 4, 5, 6]);
    let (s, _) = with(Topology::TriangleStrip, &strip, 8, 0, true);
    assert_eq!(ids(&s), [[0, 1, 2], [3, 4, 5], [5, 4, 6]]);
    assert_eq!(s.iter().map(|p| p.2).collect::<Vec<_>>(), [0, 1, 2]);
    let (s, _) = with(Topology::LineStrip, &narrow(&[7, 8, 65535, 9]), 4, 0, true);
    assert_eq!(ids(&s), [[7, 8]]);
    // In a list the largest index is an index like any other.
    let (_, asked) = with(Topology::TriangleList, &narrow(&[0, 65535, 1]), 3, 0, true);
    assert_eq!(asked.iter().map(|v| v.vertex).collect::<Vec<_>>(), [0, 65535, 1]);
    let (_, asked) = with(Topology::TriangleList, &narrow(&[0, 2, 1]), 3, -1, false);
    assert_eq!(asked.iter().map(|v| v.vertex).collect::<Vec<_>>(), [u32::MAX, 1, 0]);
    // Past the end of the buffer the index is 0.
    let (_, asked) = with(Topology::TriangleList, &narrow(&[5, 6]), 3, 0, false);
    assert_eq!(asked.iter().map(|v| v.vertex).collect::<Vec<_>>(), [5, 6, 0]);
    let bytes = narrow(&[9, 9, 4, 5, 6]);
    let first = Vertices {
        indices: Some(Indices { bytes: &bytes, wide: false }),
        first: 2,
        ..Vertices::new(Topology::TriangleList, 3)
    };
    assert_eq!(ids(&seen(first).0), [[4, 5, 6]]);
}

#[test]
fn instances() {
    let v = Vertices { first: 2, instances: 3, first_instance: 5, ..Vertices::new(Topology::TriangleList, 6) };
    let (s, asked) = seen(v);
    let numbers: Vec<(u32, u32)> = s.iter().map(|p| (p.2, p.3)).collect();
    assert_eq!(numbers, [(0, 5), (1, 5), (0, 6), (1, 6), (0, 7), (1, 7)]);
    let expected: Vec<VertexIn> =
        (5..8).flat_map(|instance| (2..8).map(move |vertex| VertexIn { vertex, instance, primitive: 0 })).collect();
    assert_eq!(asked, expected);
    // A mesh asks for a vertex once as long as it is remembered, and never for more than it has places.
    let strip = seen(Vertices::new(Topology::TriangleStrip, 600)).1;
    assert!((600..=606).contains(&strip.len()), "{}", strip.len());
}

#[test]
fn vertex_fetch() {
    let attribute = |location, offset| VertexAttribute { location, format: VertexFormat::Float32, offset };
    let layout = |step, stride| VertexBuffer { stride, step, attributes: vec![attribute(3, 4)] };
    // Word k of the buffer is k.
    let bytes: Vec<u8> = (0..40u8).flat_map(|k| f32::from(k).to_le_bytes()).collect();
    let (by_vertex, by_instance) = (layout(StepMode::Vertex, 16), layout(StepMode::Instance, 16));
    let get = |layout: &VertexBuffer| {
        let data = VertexData { layout, bytes: &bytes[32..] };
        let mut out = Vec::new();
        attributes(&[None, Some(data)], VertexIn { vertex: 4, instance: 1, primitive: 0 }, &mut out);
        out.iter().map(|(location, t)| (*location, f32::from_bits(t[0]))).collect::<Vec<_>>()
    };
    // Bytes 32 + 4*16 + 4 = 100, and 32 + 16 + 4 = 52.
    assert_eq!(get(&by_vertex), [(3, 25.0)]);
    assert_eq!(get(&by_instance), [(3, 13.0)]);
    assert_eq!(get(&layout(StepMode::Vertex, 0)), [(3, 9.0)]);
    assert_eq!(get(&layout(StepMode::Vertex, u64::MAX)), [(3, 0.0)]);
}

/// The inputs of one fragment program at a pixel of the triangle (0,0), (4,0), (0,4).
fn at_pixel(zw: [(f64, f64); 3], pixel: [u32; 2], mut look: impl FnMut(&QuadIn<'_>, usize)) {
    let vertex = |v: VertexIn| {
        let k = v.vertex as usize;
        (at(LOWER[k].0, LOWER[k].1, zw[k].0, zw[k].1, FOUR), vec![])
    };
    let mut hits = 0;
    let fragment = |q: &QuadIn<'_>, _: &[u32], _: &Targets| {
        for lane in 0..4 {
            if q.pixel(lane) == pixel && q.coverage[lane] != 0 {
                hits += 1;
                look(q, lane);
            }
        }
        QuadOut::plain(q)
    };
    let d = drawing(FOUR, 1, 3, opaque(Format::R8Unorm));
    draw(&d, &mut Programs::new(vertex, fragment), &mut target(Format::R8Unorm, FOUR, 1)).unwrap();
    assert_eq!(hits, 1);
}

#[test]
fn interpolation() {
    let sum = |w: [f64; 3], f: [f64; 3]| w.iter().zip(f).map(|(w, f)| w * f).sum::<f64>();
    at_pixel([(0.0, 1.0), (0.5, 2.0), (1.0, 4.0)], [1, 0], |q, lane| {
        let w = q.weights(lane, Where::Center);
        assert_eq!(w.linear, [0.5, 0.375, 0.125]);
        assert_eq!(w.inv_w, 23.0 / 32.0);
        assert_eq!((sum(w.perspective, [0.0, 1.0, 2.0]) as f32).to_bits(), 0x3eb2_1643);
        assert_eq!(sum(w.linear, [0.0, 1.0, 2.0]), 0.625);
        assert_eq!(q.interpolate(w.perspective, [0.0, 1.0, 2.0]).to_bits(), 0x3eb2_1643);
        assert_eq!(q.depth(lane), 5.0 / 16.0);
        assert_eq!(q.position(lane), [1.5, 0.5, 5.0 / 16.0, 23.0 / 32.0]);
        assert_eq!(q.point(lane, Where::Centroid), (256 + 128, 128));
    });
    // Helpers extrapolate: the plane 0, 4, 8 has slopes 1 and 2 in every lane of every quad.
    at_pixel([(0.5, 1.0); 3], [1, 1], |q, _| {
        let f = |lane| sum(q.weights(lane, Where::Center).linear, [0.0, 4.0, 8.0]);
        assert_eq!([f(1) - f(0), f(3) - f(2), f(2) - f(0), f(3) - f(1)], [1.0, 1.0, 2.0, 2.0]);
    });
}

#[test]
fn centroid() {
    let points = |p: &[(f64, f64)], size| {
        let mut out = Vec::new();
        let fragment = |q: &QuadIn<'_>, _: &[u32], _: &Targets| {
            for lane in 0..4 {
                let [x, y] = q.pixel(lane).map(i64::from);
                let (px, py) = q.point(lane, Where::Centroid);
                out.push(((x, y), q.coverage[lane], (px - 256 * x, py - 256 * y)));
            }
            QuadOut::plain(q)
        };
        let d = drawing(size, 4, 3, opaque(Format::R8Unorm));
        draw(&d, &mut Programs::new(places(p, size), fragment), &mut target(Format::R8Unorm, size, 4)).unwrap();
        out
    };
    let wide = points(&[(0.5, 0.0), (4.0, 0.0), (0.5, 8.0)], (4, 8));
    let get = |x, y| wide.iter().find(|p| p.0 == (x, y)).map(|p| (p.1, p.2));
    assert_eq!(get(0, 0), Some((0xa, (224, 96))));
    assert_eq!(get(1, 0), Some((0xf, (128, 128))));
    let tiny = points(&[(0.5, 0.75), (0.75, 0.75), (0.625, 1.0)], (4, 4));
    assert_eq!(tiny[0], ((0, 0), 8, (160, 224)));
    // A helper is at its centre.
    assert_eq!(tiny[1], ((1, 0), 0, (128, 128)));
}

#[test]
fn clipping() {
    // The plane x = 2 of a 4x4 target as a clip distance: what is left of it goes.
    let mut t = target(Format::R8Unorm, FOUR, 1);
    let list = [(0.0, 0.0), (8.0, 0.0), (0.0, 8.0)];
    let mut p = Programs::new(places(&list, FOUR), one);
    p.clip = |v| [0.0, [-2.0, 6.0, -2.0][v.vertex as usize], 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    draw(&drawing(FOUR, 1, 3, opaque(Format::R8Unorm)), &mut p, &mut t).unwrap();
    let right: Vec<(u32, u32)> = (0..4).flat_map(|y| [(2, y), (3, y)]).collect();
    assert_eq!(lit(&t), right);
    // Depth 2 lies behind the far plane, unless depth is not clipped: then it is clamped.
    let far = |unclipped| {
        let mut m = opaque(Format::R8Unorm);
        m.depth = Some(DepthStencil { depth_write: true, ..DepthStencil::new(Format::Depth32Float) });
        let mut d = drawing(FOUR, 1, 3, m);
        d.raster.unclipped_depth = unclipped;
        let mut t = target(Format::R8Unorm, FOUR, 1);
        t.depth = Some(Surface::new(Format::Depth32Float, 4, 4, 1));
        let vertex = |v: VertexIn| {
            let (x, y) = WHOLE[v.vertex as usize];
            (at(x, y, 2.0, 1.0, FOUR), vec![])
        };
        draw(&d, &mut Programs::new(vertex, one), &mut t).unwrap();
        (lit(&t).len(), t.depth.unwrap().sample(0, 0, 0).to_vec())
    };
    assert_eq!(far(false), (0, vec![0; 4]));
    assert_eq!(far(true), (16, 1f32.to_le_bytes().to_vec()));
}

#[test]
fn points_and_lines() {
    let size = (8, 8);
    let drawn = |topology, p: &[(f64, f64)], samples| {
        let mut d = drawing(size, samples, p.len() as u32, opaque(Format::R8Unorm));
        d.vertices.topology = topology;
        d.raster.cull = CullMode::Front;
        let mut t = target(Format::R8Unorm, size, samples);
        draw(&d, &mut Programs::new(places(p, size), one), &mut t).unwrap();
        t
    };
    let point = |x, y| lit(&drawn(Topology::PointList, &[(x, y)], 1));
    assert_eq!(point(3.0, 2.0), [(3, 2)]);
    assert_eq!(point(2.999, 1.999), [(3, 2)]);
    assert_eq!(point(2.99, 1.99), [(2, 1)]);
    assert_eq!(point(9.0, 2.0), []);
    let four = drawn(Topology::PointList, &[(3.0, 2.0)], 4);
    assert_eq!(bytes(&four).iter().filter(|&&b| b == 255).count(), 4);
    let line = |a, b| lit(&drawn(Topology::LineList, &[a, b], 1));
    assert_eq!(line((1.5, 2.5), (4.5, 2.5)), [(1, 2), (2, 2), (3, 2)]);
    assert_eq!(line((4.5, 2.5), (1.5, 2.5)), [(2, 2), (3, 2), (4, 2)]);
    assert_eq!(line((3.5, 1.5), (3.5, 5.5)), [(3, 1), (3, 2), (3, 3), (3, 4)]);
    // Unused places of a primitive do not count: infinity at the end of a line is infinity on the way.
    let fragment = |q: &QuadIn<'_>, _: &[u32], _: &Targets| {
        let w = q.weights(0, Where::Center);
        assert_eq!(q.interpolate(w.linear, [0.0, f32::INFINITY, f32::INFINITY]), f32::INFINITY);
        QuadOut::plain(q)
    };
    let mut d = drawing(size, 1, 2, opaque(Format::R8Unorm));
    d.vertices.topology = Topology::LineList;
    let p = places(&[(2.25, 2.5), (4.5, 2.5)], size);
    draw(&d, &mut Programs::new(p, fragment), &mut target(Format::R8Unorm, size, 1)).unwrap();
    // The joint of a strip is drawn once: adding ones gives one everywhere.
    let strip = drawn(Topology::LineStrip, &[(1.5, 2.5), (4.5, 2.5), (4.5, 5.5)], 1);
    assert_eq!(lit(&strip), [(1, 2), (2, 2), (3, 2), (4, 2), (4, 3), (4, 4)]);
}

/// What stages did, by hand: six pixels lie in the lower triangle, none of a culled one is drawn though clipping left it, one behind
/// the far plane is clipped away, and of four samples each has an invocation where the program runs for each.
#[test]
fn stages_are_counted() {
    let counted = |d: &Draw<'_>, list: &[(f64, f64)], z: f64, traits: FragmentTraits| {
        let mut t = target(Format::R8Unorm, FOUR, d.raster.samples);
        let place = list.to_vec();
        let vertex = move |v: VertexIn| {
            let (x, y) = place[v.vertex as usize];
            (at(x, y, z, 1.0, FOUR), Vec::new())
        };
        let mut programs = Programs::new(vertex, one).with(traits);
        draw(d, &mut programs, &mut t).unwrap();
        let counts = t.take_counts();
        assert_eq!(counts.vertex_invocations, programs.vertices as u64);
        assert_eq!(t.take_counts(), Counts::default());
        let Counts { vertices, primitives, vertex_invocations, clipped, visible, fragment_invocations } = counts;
        [vertices, primitives, vertex_invocations, clipped, visible, fragment_invocations]
    };
    let (plain, m) = (FragmentTraits::default(), || opaque(Format::R8Unorm));
    let d = drawing(FOUR, 1, 3, m());
    assert_eq!(counted(&d, &LOWER, 0.5, plain), [3, 1, 3, 1, 1, 6]);
    assert_eq!(counted(&d, &LOWER, 2.0, plain), [3, 1, 3, 1, 0, 0]);
    let mut culled = drawing(FOUR, 1, 3, m());
    culled.raster.cull = CullMode::Back;
    assert_eq!(counted(&culled, &LOWER, 0.5, plain), [3, 1, 3, 1, 1, 0]);
    // A vertex that makes no whole triangle is assembled, and not shaded.
    let mut more = drawing(FOUR, 1, 4, m());
    more.vertices.instances = 2;
    let list = [LOWER[0], LOWER[1], LOWER[2], (1.0, 1.0)];
    assert_eq!(counted(&more, &list, 0.5, plain), [8, 2, 6, 2, 2, 12]);
    // Two triangles of a strip on both sides of an index that begins it anew: four vertices are shaded, and each pixel twice.
    let indices: Vec<u8> = [0u16, 1, 2, 0xffff, 1, 2, 3].iter().flat_map(|i| i.to_le_bytes()).collect();
    let mut strip = drawing(FOUR, 1, 7, m());
    strip.vertices.topology = Topology::TriangleStrip;
    strip.vertices.restart = true;
    strip.vertices.indices = Some(Indices { bytes: &indices, wide: false });
    let square = [(0.0, 0.0), (4.0, 0.0), (0.0, 4.0), (4.0, 4.0)];
    assert_eq!(counted(&strip, &square, 0.5, plain), [6, 2, 4, 2, 2, 16]);
    // Past its end a buffer gives the index 0, which begins nothing anew.
    for (first, count, assembled) in [(0, 9, [8, 4]), (3, 6, [5, 3]), (5, 3, [3, 1]), (9, 3, [3, 1])] {
        (strip.vertices.first, strip.vertices.count) = (first, count);
        assert_eq!(counted(&strip, &square, 0.5, plain)[..2], assembled, "{count} from {first}");
    }
    let each = FragmentTraits { per_sample: true, ..plain };
    assert_eq!(counted(&drawing(FOUR, 4, 3, m()), &WHOLE, 0.5, plain), [3, 1, 3, 1, 1, 16]);
    assert_eq!(counted(&drawing(FOUR, 4, 3, m()), &WHOLE, 0.5, each), [3, 1, 3, 1, 1, 64]);
    let mut points = drawing(FOUR, 1, 2, m());
    points.vertices.topology = Topology::PointList;
    assert_eq!(counted(&points, &[(0.5, 0.5), (9.0, 9.0)], 0.5, plain)[..4], [2, 2, 2, 2]);
}
