//! Input that no one means well with ends in a message or in the right picture.

use super::*;

const SIZE: (u32, u32) = (8, 8);

fn kind(r: Result<(), Trap>) -> Option<TrapKind> {
    r.err().map(|t| t.kind)
}

#[test]
fn positions() {
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        for place in 0..4 {
            for topology in [Topology::TriangleList, Topology::LineStrip, Topology::PointList] {
                let vertex = |v: VertexIn| {
                    let (x, y) = WHOLE[v.vertex as usize % 3];
                    let mut p = at(x, y, 0.5, 1.0, SIZE);
                    if v.vertex == 0 {
                        p[place] = bad;
                    }
                    (p, vec![])
                };
                let mut d = drawing(SIZE, 1, 3, opaque(Format::R8Unorm));
                d.vertices.topology = topology;
                let mut t = target(Format::R8Unorm, SIZE, 1);
                draw(&d, &mut Programs::new(vertex, one), &mut t).unwrap();
                let all = topology == Topology::TriangleList;
                assert!(!all || lit(&t).is_empty(), "{bad} at {place}");
            }
        }
    }
    // Finite but far away, or too near to the eye: the picture is whole, or nothing where w says so. Of the largest floats
    // nothing is asked but an end: cuts at the guard band have lost all digits there.
    for (scale, w, whole) in [
        (1e10, 1.0, Some(true)),
        (1.0, 1e-45, Some(false)),
        (1.0, 0.0, Some(false)),
        (1.0, -1.0, Some(false)),
        (1e30, 1e30, Some(true)),
        (f32::MAX, 1.0, None),
        (f32::MAX, f32::MAX, None),
    ] {
        let vertex = |v: VertexIn| {
            let (x, y) = [(-1.0, 1.0), (3.0, 1.0), (-1.0, -3.0)][v.vertex as usize];
            let grow = |c: f32| (c * scale).clamp(-f32::MAX, f32::MAX);
            ([grow(x), grow(y), 0.0, w], vec![])
        };
        let mut t = target(Format::R8Unorm, SIZE, 1);
        let d = drawing(SIZE, 1, 3, opaque(Format::R8Unorm));
        draw(&d, &mut Programs::new(vertex, one), &mut t).unwrap();
        let expected = whole.map(|w| if w { 64 } else { 0 });
        assert!(expected.is_none_or(|n| n == lit(&t).len()), "{scale} {w} {}", lit(&t).len());
    }
    // Clip distances.
    let mut t = target(Format::R8Unorm, SIZE, 1);
    let mut p = Programs::new(places(&WHOLE, SIZE), one);
    p.clip = |v| [[f32::NAN, f32::INFINITY, f32::NEG_INFINITY][v.vertex as usize]; 8];
    draw(&drawing(SIZE, 1, 3, opaque(Format::R8Unorm)), &mut p, &mut t).unwrap();
    assert!(lit(&t).is_empty());
}

#[test]
fn sizes() {
    for size in [(0, 0), (0, 8), (8, 0)] {
        let mut t = target(Format::R8Unorm, size, 1);
        draw(&drawing(size, 1, 3, opaque(Format::R8Unorm)), &mut Programs::new(places(&WHOLE, SIZE), one), &mut t)
            .unwrap();
    }
    // Without attachments there is nothing to draw on.
    let m = Merger { targets: Vec::new(), ..opaque(Format::R8Unorm) };
    draw(&drawing(SIZE, 1, 3, m), &mut Programs::new(places(&WHOLE, SIZE), one), &mut Targets::default()).unwrap();
    for change in [
        |v: &mut Viewport| v.width = f32::NAN,
        |v: &mut Viewport| v.x = f32::INFINITY,
        |v: &mut Viewport| v.width = 1e30,
        |v: &mut Viewport| v.height = f32::NEG_INFINITY,
        |v: &mut Viewport| v.max_depth = f32::NAN,
    ] {
        let mut d = drawing(SIZE, 1, 3, opaque(Format::R8Unorm));
        change(&mut d.raster.viewport);
        let mut t = target(Format::R8Unorm, SIZE, 1);
        let r = draw(&d, &mut Programs::new(places(&WHOLE, SIZE), one), &mut t);
        assert_eq!(kind(r), Some(TrapKind::Dispatch));
    }
    // As far as a viewport may reach: the target is in the middle of it.
    let mut d = drawing(SIZE, 1, 3, opaque(Format::R8Unorm));
    d.raster.viewport =
        Viewport { x: -131_072.0, y: -131_072.0, width: 262_144.0, height: 262_144.0, ..d.raster.viewport };
    let vertex = |v: VertexIn| {
        let (x, y) = [(-1.0, 1.0), (3.0, 1.0), (-1.0, -3.0)][v.vertex as usize];
        ([x, y, 0.0, 1.0], vec![])
    };
    let mut t = target(Format::R8Unorm, SIZE, 1);
    draw(&d, &mut Programs::new(vertex, one), &mut t).unwrap();
    assert_eq!(lit(&t).len(), 64);
}

#[test]
fn attachments_that_do_not_fit() {
    let d = drawing(SIZE, 1, 3, opaque(Format::R8Unorm));
    let mut odd = target(Format::R8Unorm, SIZE, 1);
    odd.depth = Some(Surface::new(Format::Depth16Unorm, 4, 8, 1));
    for mut t in [target(Format::R8Uint, SIZE, 1), target(Format::R8Unorm, SIZE, 4), Targets::default(), odd] {
        let r = draw(&d, &mut Programs::new(places(&WHOLE, SIZE), one), &mut t);
        assert_eq!(kind(r), Some(TrapKind::Dispatch));
    }
    let mut d = d;
    d.merger.depth = Some(DepthStencil::new(Format::Depth16Unorm));
    let r = draw(&d, &mut Programs::new(places(&WHOLE, SIZE), one), &mut target(Format::R8Unorm, SIZE, 1));
    assert_eq!(kind(r), Some(TrapKind::Dispatch));
}

#[test]
fn endless_draws() {
    let limit = |v: Vertices<'_>| {
        let mut d = drawing(SIZE, 1, 0, opaque(Format::R8Unorm));
        d.vertices = v;
        let mut t = target(Format::R8Unorm, SIZE, 1);
        let mut p = Programs::new(|_| ([f32::NAN; 4], vec![]), one);
        p.steps = steps(10_000_000);
        kind(draw(&d, &mut p, &mut t))
    };
    let list = |count| Vertices::new(Topology::TriangleList, count);
    assert_eq!(limit(list(u32::MAX)), Some(TrapKind::StepLimit));
    assert_eq!(limit(list(1_000_000_000)), Some(TrapKind::StepLimit));
    assert_eq!(limit(Vertices { instances: 1_000_000_000, ..list(3) }), Some(TrapKind::StepLimit));
    assert_eq!(limit(Vertices { instances: u32::MAX, first_instance: 7, ..list(1) }), Some(TrapKind::StepLimit));
    // Nothing but ends of strips: the buffer is short, so index 0 follows, and that makes triangles.
    let bytes = [0xff; 64];
    let indices = Some(Indices { bytes: &bytes, wide: true });
    let strip = Vertices { indices, restart: true, ..Vertices::new(Topology::TriangleStrip, u32::MAX) };
    assert_eq!(limit(strip), Some(TrapKind::StepLimit));
    assert_eq!(limit(list(30_000)), None);
    // Empty draws are not free.
    let mut p = Programs::new(places(&WHOLE, SIZE), one);
    p.steps = steps(100_000);
    let d = drawing(SIZE, 1, 0, opaque(Format::R8Unorm));
    let mut t = target(Format::R8Unorm, SIZE, 1);
    let done = (0..).take_while(|_| draw(&d, &mut p, &mut t).is_ok()).count();
    assert!((50..=100).contains(&done), "{done}");
    // Large triangles cost what they cover, also if they cover little.
    let sliver = [(0.0, 0.0), (4096.0, 4096.0), (4095.9, 4096.0)];
    let size = (4096, 4096);
    let mut p = Programs::new(places(&sliver, size), one);
    draw(&drawing(size, 1, 3, opaque(Format::R8Unorm)), &mut p, &mut target(Format::R8Unorm, size, 1)).unwrap();
    assert!(p.steps.used() > 4096 * 4);
}

#[test]
fn a_trap_of_a_program_ends_the_draw() {
    struct Broken(bool);
    impl Stages for Broken {
        fn batch_quads(&self) -> usize {
            1
        }
        fn vertex_traits(&self) -> VertexTraits {
            VertexTraits::default()
        }
        fn traits(&self) -> FragmentTraits {
            FragmentTraits::default()
        }
        fn vertices(&mut self, batch: &[VertexIn], out: &mut Vec<VertexOut>) -> Result<(), Trap> {
            let place = |v: &VertexIn| {
                let (x, y) = WHOLE[v.vertex as usize];
                VertexOut { position: at(x, y, 0.5, 1.0, SIZE), ..VertexOut::default() }
            };
            out.extend(batch.iter().map(place));
            if self.0 { Err(Trap::new(TrapKind::OutOfBounds, "vertex")) } else { Ok(()) }
        }
        fn quads(&mut self, _: &[QuadIn<'_>], _: &Targets, _: &mut Vec<QuadOut>) -> Result<(), Trap> {
            Err(Trap::new(TrapKind::Poison, "quad"))
        }
        fn charge(&mut self, _: u64) -> Result<(), Trap> {
            Ok(())
        }
    }
    let d = drawing(SIZE, 1, 3, opaque(Format::R8Unorm));
    for (vertex, expected) in [(true, TrapKind::OutOfBounds), (false, TrapKind::Poison)] {
        let r = draw(&d, &mut Broken(vertex), &mut target(Format::R8Unorm, SIZE, 1));
        assert_eq!(kind(r), Some(expected));
    }
}
