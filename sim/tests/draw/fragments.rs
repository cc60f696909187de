//! Behind the fragment program.

use super::*;
use gpucc_sim::texture::{Codec, Compare, Image};

const TWO: (u32, u32) = (2, 2);
const NAN: f32 = f32::NAN;

fn word(x: f32) -> Texel {
    [x.to_bits(); 4]
}

/// Triangles over the whole target: one for each depth.
fn layers(z: &[f64], size: (u32, u32)) -> impl Fn(VertexIn) -> Shaded + use<> {
    let z = z.to_vec();
    move |v: VertexIn| {
        let (k, (x, y)) = ((v.vertex / 3) as usize, WHOLE[v.vertex as usize % 3]);
        (at(x, y, z[k], 1.0, size), vec![])
    }
}

fn with_depth(format: Format, colour: Format, size: (u32, u32), samples: u32, z: f32) -> Targets {
    let mut t = target(colour, size, samples);
    let mut depth = Surface::new(format, size.0, size.1, samples);
    depth.clear_depth(z);
    t.depth = Some(depth);
    t
}

fn depths(t: &Targets) -> Vec<f32> {
    let s = t.depth.as_ref().unwrap();
    s.bytes.chunks_exact(s.format.bytes() as usize).map(|b| f32::from_bits(s.format.decode(b)[0])).collect()
}

/// The colour of a primitive is its number and one.
fn numbered(q: &QuadIn<'_>, _: &[u32], _: &Targets) -> QuadOut {
    coloured(q, [q.primitive.index + 1; 4])
}

fn testing(compare: Compare, format: Format) -> Merger {
    let depth = DepthStencil { depth_compare: compare, depth_write: true, ..DepthStencil::new(format) };
    Merger { depth: Some(depth), ..opaque(Format::R8Uint) }
}

#[test]
fn depth_in_the_order_of_primitives() {
    for (start, z, compare, colour, left) in [
        (1.0, &[0.75, 0.25, 0.5][..], Compare::Less, 2, 0.25),
        (1.0, &[0.25, 0.75, 0.25], Compare::LessEqual, 3, 0.25),
        (1.0, &[0.25, 0.75, 0.25], Compare::Less, 1, 0.25),
        (0.5, &[0.75, 0.25, 0.5], Compare::Less, 2, 0.25),
        (0.5, &[0.75, 0.25, 0.5], Compare::Greater, 1, 0.75),
        (1.0, &[0.25, 0.75, 0.5], Compare::Always, 3, 0.5),
        (1.0, &[0.25, 0.75, 0.5], Compare::Never, 0, 1.0),
        (1.0, &[0.25, 0.75, 0.5], Compare::NotEqual, 3, 0.5),
        // The second fails what is there before the first and passes behind it.
        (0.25, &[0.75, 0.25], Compare::NotEqual, 2, 0.25),
    ] {
        for depth in [DepthTest::Late, DepthTest::Reject, DepthTest::Early] {
            let d = drawing(TWO, 1, 3 * z.len() as u32, testing(compare, Format::Depth32Float));
            let mut t = with_depth(Format::Depth32Float, Format::R8Uint, TWO, 1, start);
            let traits = FragmentTraits { depth, ..FragmentTraits::default() };
            draw(&d, &mut Programs::new(layers(z, TWO), numbered).with(traits), &mut t).unwrap();
            assert_eq!((bytes(&t), depths(&t)), (&[colour; 4][..], vec![left; 4]), "{z:?} {compare:?} {depth:?}");
        }
    }
    // A layer that cannot pass need not be run: the near layer is there already.
    let d = drawing(TWO, 1, 3, testing(Compare::Less, Format::Depth32Float));
    let mut t = with_depth(Format::Depth32Float, Format::R8Uint, TWO, 1, 0.25);
    let mut p = Programs::new(layers(&[0.5], TWO), numbered);
    draw(&d, &mut p, &mut t).unwrap();
    assert_eq!(p.quads, 1);
    let mut p = p.with(FragmentTraits { depth: DepthTest::Reject, ..FragmentTraits::default() });
    draw(&d, &mut p, &mut t).unwrap();
    assert_eq!(p.quads, 1);
}

#[test]
fn discards() {
    let discard = |q: &QuadIn<'_>, _: &[u32], _: &Targets| QuadOut { live: 0b0101, ..coloured(q, [7; 4]) };
    let d = drawing(TWO, 1, 3, testing(Compare::Less, Format::Depth32Float));
    for (depth, left) in [(DepthTest::Late, [0.5, 1.0, 0.5, 1.0]), (DepthTest::Early, [0.5; 4])] {
        let mut t = with_depth(Format::Depth32Float, Format::R8Uint, TWO, 1, 1.0);
        let traits = FragmentTraits { depth, ..FragmentTraits::default() };
        draw(&d, &mut Programs::new(layers(&[0.5], TWO), discard).with(traits), &mut t).unwrap();
        assert_eq!((bytes(&t), depths(&t)), (&[7, 0, 7, 0][..], left.to_vec()));
    }
    // One covered pixel: three helpers, which cannot be made live.
    let list = [(0.25, 0.25), (0.75, 0.25), (0.5, 0.75)];
    let all = |q: &QuadIn<'_>, _: &[u32], _: &Targets| {
        assert_eq!(q.covered(), 1);
        QuadOut { live: 0xf, ..coloured(q, [7; 4]) }
    };
    let mut t = target(Format::R8Uint, TWO, 1);
    draw(&drawing(TWO, 1, 3, opaque(Format::R8Uint)), &mut Programs::new(places(&list, TWO), all), &mut t).unwrap();
    assert_eq!(bytes(&t), [7, 0, 0, 0]);
    // Tested in front, a lane that fails is a helper.
    let early = |q: &QuadIn<'_>, _: &[u32], _: &Targets| {
        assert_eq!(q.covered(), 0b1110);
        QuadOut::plain(q)
    };
    let mut t = with_depth(Format::Depth32Float, Format::R8Uint, TWO, 1, 1.0);
    t.depth.as_mut().unwrap().sample_mut(0, 0, 0).copy_from_slice(&0.25f32.to_le_bytes());
    let traits = FragmentTraits { depth: DepthTest::Early, ..FragmentTraits::default() };
    draw(&d, &mut Programs::new(layers(&[0.5], TWO), early).with(traits), &mut t).unwrap();
    assert_eq!(depths(&t), [0.25, 0.5, 0.5, 0.5]);
}

#[test]
fn depth_of_the_program_and_bias() {
    let written = |z: f32| {
        let mut d = drawing(TWO, 1, 3, testing(Compare::Always, Format::Depth32Float));
        d.raster.viewport.min_depth = 0.25;
        d.raster.viewport.max_depth = 0.75;
        let fragment =
            move |q: &QuadIn<'_>, _: &[u32], _: &Targets| QuadOut { depth: Some([z; 4]), ..QuadOut::plain(q) };
        let mut t = with_depth(Format::Depth32Float, Format::R8Uint, TWO, 1, 1.0);
        draw(&d, &mut Programs::new(layers(&[0.5], TWO), fragment), &mut t).unwrap();
        depths(&t)[0]
    };
    assert_eq!([1.5, NAN, 0.5, -1.0].map(written), [0.75, 0.25, 0.5, 0.25]);
    let biased = |constant, slope, clamp| {
        let mut d = drawing(TWO, 1, 3, testing(Compare::Always, Format::Depth16Unorm));
        d.raster.bias = DepthBias { constant, slope, clamp };
        let mut t = with_depth(Format::Depth16Unorm, Format::R8Uint, TWO, 1, 1.0);
        draw(&d, &mut Programs::new(layers(&[0.25], TWO), numbered), &mut t).unwrap();
        let b = t.depth.unwrap().bytes;
        u16::from_le_bytes([b[0], b[1]])
    };
    // 0.25 is 16383.75 units.
    assert_eq!((biased(0, 0.0, 0.0), biased(10, 0.0, 0.0), biased(-10, 2.0, 0.0)), (16384, 16394, 16374));
    assert_eq!((biased(i32::MAX, 0.0, 0.0), biased(i32::MIN, NAN, NAN)), (65535, 0));
    assert_eq!(biased(1000, 0.0, 2.5 / 65535.0), 16386);
}

#[test]
fn stencil() {
    use gpucc_pipeline::StencilOperation::*;
    let counted = |z: &[f64], compare, start| {
        let mut m = testing(compare, Format::Depth32FloatStencil8);
        let state = m.depth.as_mut().unwrap();
        // These triangles are back-facing.
        state.back = StencilFace { pass: IncrementClamp, depth_fail: Replace, ..StencilFace::default() };
        m.reference = 40;
        let d = drawing(TWO, 1, 3 * z.len() as u32, m);
        let mut t = with_depth(Format::Depth32FloatStencil8, Format::R8Uint, TWO, 1, start);
        // Rejecting in front must not lose the operation of what fails.
        let traits = FragmentTraits { depth: DepthTest::Reject, ..FragmentTraits::default() };
        draw(&d, &mut Programs::new(layers(z, TWO), numbered).with(traits), &mut t).unwrap();
        t.depth.unwrap().sample(1, 1, 0)[4]
    };
    assert_eq!(counted(&[0.5, 0.5, 0.5], Compare::Always, 1.0), 3);
    assert_eq!(counted(&[0.5, 0.75, 0.25], Compare::Less, 1.0), 41);
    assert_eq!(counted(&[0.75], Compare::Less, 0.5), 40);
}

/// One pixel of four samples.
const PIXEL: (u32, u32) = (1, 1);

fn samples(m: Merger, p: &[(f64, f64)], fragment: impl FnMut(&QuadIn<'_>, &[u32], &Targets) -> QuadOut) -> Vec<u8> {
    let mut t = target(Format::R8Uint, PIXEL, 4);
    draw(&drawing(PIXEL, 4, 3, m), &mut Programs::new(places(p, PIXEL), fragment), &mut t).unwrap();
    bytes(&t).to_vec()
}

#[test]
fn masks_of_samples() {
    let size = (4, 8);
    let covered = |p: &[(f64, f64)]| {
        let mut t = target(Format::R8Unorm, size, 4);
        draw(&drawing(size, 4, 3, opaque(Format::R8Unorm)), &mut Programs::new(places(p, size), one), &mut t).unwrap();
        move |x, y| (0..4).fold(0, |m, s| m | u32::from(t.colour[0].as_ref().unwrap().sample(x, y, s) != [0]) << s)
    };
    let m = covered(&[(0.0, 0.0), (4.0, 0.0), (0.0, 4.0)]);
    assert_eq!([m(0, 0), m(3, 0), m(2, 1), m(3, 1), m(0, 3), m(1, 3)], [0xf, 5, 5, 0, 5, 0]);
    let m = covered(&[(0.5, 0.0), (4.0, 0.0), (0.5, 8.0)]);
    assert_eq!([m(0, 0), m(0, 1), m(1, 0)], [0xa, 0xa, 0xf]);

    // All samples but 1, which is right of the edge from (0.75, 0) to (0.95, 1).
    let most = [(0.75, 0.0), (0.95, 1.0), (-5.0, 0.5)];
    let shader = |q: &QuadIn<'_>, _: &[u32], _: &Targets| {
        assert_eq!((q.coverage, q.rasterised), ([5, 0, 0, 0], [0xd, 0, 0, 0]));
        QuadOut { mask: Some([0xe; 4]), ..coloured(q, [9; 4]) }
    };
    let m = Merger { sample_mask: 7, ..opaque(Format::R8Uint) };
    assert_eq!(samples(m, &most, shader), [0, 0, 9, 0]);
    // The mask of the program wins over that of alpha.
    let by_alpha = |a: f32| {
        let m = Merger { alpha_to_coverage: true, ..opaque(Format::R8Uint) };
        let fragment = move |q: &QuadIn<'_>, _: &[u32], _: &Targets| coloured(q, [9, 0, 0, a.to_bits()]);
        samples(m, &WHOLE, fragment).iter().enumerate().fold(0, |m, (k, &b)| m | u32::from(b == 9) << k)
    };
    assert_eq!([0.0, 0.1, 0.125, 0.3, 0.5, 0.7, 1.0, -1.0, NAN].map(by_alpha), [0, 0, 1, 1, 3, 7, 15, 0, 0]);
    let m = Merger { alpha_to_coverage: true, ..opaque(Format::R8Uint) };
    let both = |q: &QuadIn<'_>, _: &[u32], _: &Targets| QuadOut { mask: Some([6; 4]), ..coloured(q, [9, 0, 0, 0]) };
    assert_eq!(samples(m, &WHOLE, both), [0, 9, 9, 0]);
}

#[test]
fn a_program_for_each_sample() {
    let traits = FragmentTraits { per_sample: true, ..FragmentTraits::default() };
    let most = [(0.75, 0.0), (0.95, 1.0), (-5.0, 0.5)];
    let mut seen = Vec::new();
    let fragment = |q: &QuadIn<'_>, _: &[u32], _: &Targets| {
        let s = q.sample.unwrap();
        seen.push((s, q.coverage[0], q.rasterised[0], q.point(0, Where::Sample), q.point(0, Where::Center)));
        coloured(q, [u32::from(s) + 1; 4])
    };
    let mut t = target(Format::R8Uint, PIXEL, 4);
    let d = drawing(PIXEL, 4, 3, opaque(Format::R8Uint));
    draw(&d, &mut Programs::new(places(&most, PIXEL), fragment).with(traits), &mut t).unwrap();
    assert_eq!(bytes(&t), [1, 0, 3, 4]);
    let centre = (128, 128);
    assert_eq!(seen, [(0, 1, 0xd, (96, 32), centre), (2, 4, 0xd, (32, 160), centre), (3, 8, 0xd, (160, 224), centre)]);
    // Depth is that of the sample: z = y / 8 of one pixel.
    let vertex = |v: VertexIn| {
        let (x, y) = [(0.0, 0.0), (8.0, 0.0), (0.0, 8.0)][v.vertex as usize];
        (at(x, y, y / 8.0, 1.0, PIXEL), vec![])
    };
    let d = drawing(PIXEL, 4, 3, testing(Compare::Less, Format::Depth32Float));
    for per_sample in [false, true] {
        let mut t = with_depth(Format::Depth32Float, Format::R8Uint, PIXEL, 4, 1.0);
        let traits = FragmentTraits { per_sample, ..FragmentTraits::default() };
        draw(&d, &mut Programs::new(vertex, numbered).with(traits), &mut t).unwrap();
        assert_eq!(depths(&t), [1.0 / 64.0, 3.0 / 64.0, 5.0 / 64.0, 7.0 / 64.0]);
    }
}

fn over() -> Blend {
    let c = BlendComponent {
        operation: BlendOperation::Add,
        src: BlendFactor::SrcAlpha,
        dst: BlendFactor::OneMinusSrcAlpha,
    };
    Blend { color: c, alpha: BlendComponent { src: BlendFactor::One, ..c } }
}

#[test]
fn blending() {
    let blended = |format, blend, start: &[u8], colours: &[[f32; 4]]| {
        let m = Merger { targets: vec![Some(Target { blend: Some(blend), ..Target::new(format) })], ..opaque(format) };
        let mut t = target(format, PIXEL, 1);
        t.colour[0].as_mut().unwrap().bytes.copy_from_slice(start);
        let fragment =
            |q: &QuadIn<'_>, _: &[u32], _: &Targets| coloured(q, colours[q.primitive.index as usize].map(f32::to_bits));
        let p = layers(&vec![0.5; colours.len()], PIXEL);
        draw(&drawing(PIXEL, 1, 3 * colours.len() as u32, m), &mut Programs::new(p, fragment), &mut t).unwrap();
        bytes(&t).to_vec()
    };
    let red = [1.0, 0.0, 0.0, 0.5];
    assert_eq!(blended(Format::Rgba8Unorm, over(), &[0, 0, 255, 255], &[red]), [128, 0, 128, 255]);
    // In order: 1 over 0 is 0.5, 0 over that 0.25; the other way round it would be 0.5.
    let two = [[1.0, 0.0, 0.0, 0.5], [0.0, 0.0, 0.0, 0.5]];
    let out = blended(Format::Rgba32Float, over(), &[0; 16], &two);
    assert_eq!(out[..4], 0.25f32.to_le_bytes());
    // Dual source.
    let dual = BlendComponent { dst: BlendFactor::OneMinusSrc1, ..BlendComponent::default() };
    let blend = Blend { color: dual, alpha: dual };
    let m = Merger {
        targets: vec![Some(Target { blend: Some(blend), ..Target::new(Format::R8Unorm) })],
        ..opaque(Format::R8Unorm)
    };
    let mut t = target(Format::R8Unorm, PIXEL, 1);
    t.colour[0].as_mut().unwrap().bytes[0] = 100;
    let fragment =
        |q: &QuadIn<'_>, _: &[u32], _: &Targets| QuadOut { second: [word(0.25); 4], ..coloured(q, word(0.25)) };
    draw(&drawing(PIXEL, 1, 3, m), &mut Programs::new(layers(&[0.5], PIXEL), fragment), &mut t).unwrap();
    assert_eq!(bytes(&t), [139]);
    // Constant.
    let constant = BlendComponent { src: BlendFactor::Constant, ..BlendComponent::default() };
    let blend = Blend { color: constant, alpha: constant };
    let targets = vec![Some(Target { blend: Some(blend), ..Target::new(Format::Rgba8Unorm) })];
    let m = Merger { targets, constant: [0.5, 0.25, 1.0, 0.0], ..opaque(Format::Rgba8Unorm) };
    let mut t = target(Format::Rgba8Unorm, PIXEL, 1);
    draw(&drawing(PIXEL, 1, 3, m), &mut Programs::new(layers(&[0.5], PIXEL), one), &mut t).unwrap();
    assert_eq!(bytes(&t), [128, 64, 255, 0]);
}

#[test]
fn several_targets_with_holes() {
    let masked = Target { write: 0b0101, ..Target::new(Format::Rgba8Unorm) };
    let list = vec![None, Some(Target::new(Format::Rgba8Uint)), None, Some(masked), Some(Target::new(Format::R32Sint))];
    let surface = |f| Some(Surface::new(f, 1, 1, 1));
    let mut t = Targets::new(
        vec![
            None,
            surface(Format::Rgba8Uint),
            surface(Format::R8Unorm),
            surface(Format::Rgba8Unorm),
            surface(Format::R32Sint),
        ],
        None,
    );
    t.colour[3].as_mut().unwrap().bytes.copy_from_slice(&[1, 2, 3, 4]);
    let fragment = |q: &QuadIn<'_>, _: &[u32], _: &Targets| {
        let mut out = QuadOut::plain(q);
        out.colour[1] = [[300, 255, 0, 4_294_967_295]; 4];
        out.colour[2] = [ONE; 4];
        out.colour[3] = [ONE; 4];
        out.colour[4] = [[-5i32 as u32, 0, 0, 0]; 4];
        out
    };
    let m = Merger { targets: list, ..opaque(Format::R8Unorm) };
    draw(&drawing(PIXEL, 1, 3, m), &mut Programs::new(layers(&[0.5], PIXEL), fragment), &mut t).unwrap();
    let get = |k: usize| t.colour[k].as_ref().unwrap().bytes.clone();
    assert_eq!((get(1), get(2), get(3)), (vec![255, 255, 0, 255], vec![0], vec![255, 2, 255, 4]));
    assert_eq!(get(4), (-5i32).to_le_bytes());
}

#[test]
fn surfaces() {
    let mut image = Image::new(Format::Rgba8Unorm, false, [5, 3, 2], 2, 1);
    let n = image.bytes.len();
    image.bytes = (0..n).map(|k| k as u8).collect();
    let before = image.clone();
    // Level 1 of layer 1: 2x1 texels behind two layers of 5x3 and one of 2x1.
    let mut s = Surface::load(&image, Format::Rgba8Unorm, 1, 1);
    let from = (5 * 3 * 2 + 2) * 4;
    assert_eq!((s.width, s.rows, &s.bytes[..]), (2, 1, &before.bytes[from..from + 8]));
    s.clear([1f32.to_bits(), 0, 0.5f32.to_bits(), 1f32.to_bits()]);
    s.store(&mut image, 1, 1);
    assert_eq!(image.bytes[from..from + 8], [255, 0, 128, 255, 255, 0, 128, 255]);
    assert_eq!(image.bytes[..from], before.bytes[..from]);

    let mut s = Surface::new(Format::Depth24PlusStencil8, 1, 1, 4);
    s.clear_stencil(0x15a);
    s.clear_depth(0.5);
    assert_eq!(s.bytes, [0, 0, 0x80, 0x5a].repeat(4));
    let mut s = Surface::new(Format::R8Unorm, 2, 1, 4);
    s.bytes.copy_from_slice(&[0, 0, 255, 255, 10, 11, 11, 11]);
    let r = s.resolved();
    assert_eq!((r.samples, r.bytes), (1, vec![128, 11]));
}

#[test]
fn open_quads() {
    let mut t = target(Format::R8Uint, (4, 2), 1);
    let fragment = |q: &QuadIn<'_>, _: &[u32], _: &Targets| QuadOut { open: q.x == 2, ..coloured(q, [1; 4]) };
    let list = [(0.0, 0.0), (3.0, 0.0), (0.0, 30.0)];
    draw(&drawing((4, 2), 1, 3, opaque(Format::R8Uint)), &mut Programs::new(places(&list, (4, 2)), fragment), &mut t)
        .unwrap();
    // Pixel (3, 0) is not covered.
    assert_eq!([0, 1, 2, 3].map(|x| t.is_open(x, 0)), [false, false, true, false]);
}

#[test]
fn programs_that_read_targets() {
    // Each layer adds one to what it reads.
    let fragment = |q: &QuadIn<'_>, _: &[u32], t: &Targets| {
        let mut out = QuadOut::plain(q);
        for lane in 0..4 {
            let [x, y] = q.pixel(lane);
            let s = t.colour[0].as_ref().unwrap();
            out.colour[0][lane] = [u32::from(s.sample(x, y, u32::from(q.sample.unwrap_or(0)))[0]) + 1; 4];
        }
        out
    };
    for per_sample in [false, true] {
        let mut d = drawing(TWO, 4, 15, opaque(Format::R8Uint));
        d.seed = Some(3);
        let mut t = target(Format::R8Uint, TWO, 4);
        let traits = FragmentTraits { reads_targets: true, per_sample, ..FragmentTraits::default() };
        draw(&d, &mut Programs::new(layers(&[0.5; 5], TWO), fragment).with(traits), &mut t).unwrap();
        assert_eq!(bytes(&t), [5; 16]);
    }
}

/// With a seed vertices and quads come in an order in which the first is not first, whatever programs do; the picture stays.
#[test]
fn a_seed_changes_the_order_and_not_the_picture() {
    let size = (16, 16);
    let list = [(0.0, 0.0), (40.0, 0.0), (0.0, 40.0)];
    let run = |seed: Option<u64>, writes_memory: bool| {
        let (vertices, quads) = (std::cell::RefCell::new(Vec::new()), std::cell::RefCell::new(Vec::new()));
        let place = places(&list, size);
        let vertex = |v: VertexIn| {
            vertices.borrow_mut().push(v.vertex);
            place(v)
        };
        let fragment = |q: &QuadIn<'_>, _: &[u32], _: &Targets| {
            quads.borrow_mut().push((q.x, q.y));
            coloured(q, [q.x + 1, 0, 0, 0])
        };
        let mut d = drawing(size, 1, 3, opaque(Format::R8Uint));
        d.seed = seed;
        let mut t = target(Format::R8Uint, size, 1);
        let traits = FragmentTraits { writes_memory, depth: DepthTest::Late, ..FragmentTraits::default() };
        draw(&d, &mut Programs::new(vertex, fragment).with(traits), &mut t).unwrap();
        (bytes(&t).to_vec(), vertices.into_inner(), quads.into_inner())
    };
    for writes_memory in [false, true] {
        let (picture, vertices, quads) = run(None, writes_memory);
        assert_eq!((vertices, quads.len()), (vec![0, 1, 2], 64));
        for seed in 1..9 {
            let (other, mixed, order) = run(Some(seed), writes_memory);
            assert_eq!(other, picture, "{seed}");
            assert!(mixed[0] != 0 && order[0] != quads[0], "{seed}: {mixed:?}, {order:?}");
            let sorted = |mut list: Vec<(u32, u32)>| {
                list.sort_unstable();
                list
            };
            assert_eq!(sorted(order), sorted(quads.clone()), "{seed}");
        }
    }
}
