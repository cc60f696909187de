//! The worked cases of the texturing reference on vertex fetch, assembly, clipping, coverage, interpolation, tests,
//! blending and resolve. Expected values are the reference's.

use gpucc_sim::raster::*;
use gpucc_sim::texture::{Compare, Format};

const NAN: f32 = f32::NAN;

fn viewport(w: f32, h: f32) -> Viewport {
    Viewport { x: 0.0, y: 0.0, width: w, height: h, min_depth: 0.0, max_depth: 1.0 }
}

/// A vertex that lands at a framebuffer position of a `w` x `h` viewport.
fn vertex_at(x: f64, y: f64, z: f64, w: f64, size: (f64, f64)) -> ClipVertex {
    let ndc = (x / size.0 * 2.0 - 1.0, 1.0 - y / size.1 * 2.0);
    ClipVertex { position: [ndc.0 * w, ndc.1 * w, z * w, w].map(|c| c as f32), distances: Vec::new() }
}

const OPTIONS: ClipOptions = ClipOptions { depth: true, sides: false };

fn triangle_zw(p: [(f64, f64); 3], zw: [(f64, f64); 3], size: (f64, f64)) -> Option<(Vec<Setup>, bool)> {
    let v: [ClipVertex; 3] = std::array::from_fn(|k| vertex_at(p[k].0, p[k].1, zw[k].0, zw[k].1, size));
    let view = viewport(size.0 as f32, size.1 as f32);
    let polygon = clip_polygon(&v, OPTIONS, &view);
    if polygon.is_empty() { None } else { Setup::polygon(&polygon, &view) }
}

fn triangle(p: [(f64, f64); 3], size: (f64, f64)) -> Option<(Vec<Setup>, bool)> {
    triangle_zw(p, [(0.5, 1.0); 3], size)
}

const FOUR: (f64, f64) = (4.0, 4.0);
const CLIP4: Rect = Rect { x0: 0, y0: 0, x1: 4, y1: 4 };

fn masks(setups: &[Setup], clip: Rect, samples: u32) -> Vec<(i64, i64, u32)> {
    let mut out = Vec::new();
    for s in setups {
        s.quads(clip, samples, |q| {
            for (lane, &m) in q.coverage.iter().enumerate() {
                if m != 0 {
                    out.push((q.x + (lane & 1) as i64, q.y + (lane >> 1) as i64, m));
                }
            }
        });
    }
    out.sort_by_key(|&(x, y, _)| (y, x));
    out
}

fn pixels(p: [(f64, f64); 3]) -> Vec<(i64, i64)> {
    let (s, _) = triangle(p, FOUR).unwrap();
    masks(&s, CLIP4, 1).into_iter().map(|(x, y, _)| (x, y)).collect()
}

#[test]
fn to_the_screen() {
    let s = |v: Viewport, p: [f64; 4]| {
        let s = v.to_screen(&p);
        (s.x as f64 / 256.0, s.y as f64 / 256.0, s.z)
    };
    assert_eq!(s(viewport(8.0, 4.0), [0.0, 0.0, 0.5, 1.0]), (4.0, 2.0, 0.5));
    assert_eq!(s(viewport(8.0, 4.0), [1.0, 1.0, 0.0, 1.0]), (8.0, 0.0, 0.0));
    assert_eq!(s(viewport(8.0, 4.0), [-2.0, 2.0, 1.0, 2.0]), (0.0, 0.0, 0.5));
    assert_eq!(viewport(8.0, 4.0).to_screen(&[-2.0, 2.0, 1.0, 2.0]).inv_w, 0.5);
    let v = Viewport { x: 10.0, y: 20.0, width: 100.0, height: 50.0, min_depth: 0.25, max_depth: 0.75 };
    assert_eq!(s(v, [0.5, -0.5, 1.0, 1.0]), (85.0, 57.5, 0.75));
    let snap = |x: f64| viewport(2.0, 2.0).to_screen(&[x - 1.0, 0.0, 0.0, 1.0]).x;
    for (x, want) in [(1.001953125, 256), (1.005859375, 258), (0.001, 0), (0.002, 1), (-0.5, -128)] {
        assert_eq!(snap(x), want, "{x}");
    }
}

#[test]
fn coverage() {
    let lower = [(0.0, 0.0), (4.0, 0.0), (0.0, 4.0)];
    assert_eq!(pixels(lower), [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (0, 2)]);
    assert_eq!(
        pixels([(4.0, 0.0), (4.0, 4.0), (0.0, 4.0)]),
        [(3, 0), (2, 1), (3, 1), (1, 2), (2, 2), (3, 2), (0, 3), (1, 3), (2, 3), (3, 3)]
    );
    assert_eq!(pixels([(0.5, 0.5), (2.5, 0.5), (0.5, 2.5)]), [(0, 0), (1, 0), (0, 1)]);
    assert_eq!(pixels([(2.5, 0.5), (2.5, 2.5), (0.5, 2.5)]), [(1, 1)]);
    let turned = [(0.0, 0.0), (0.0, 4.0), (4.0, 0.0)];
    assert_eq!(pixels(turned), pixels(lower));
    let ccw = |p| triangle(p, FOUR).map(|(_, ccw)| ccw);
    assert_eq!((ccw(lower), ccw(turned)), (Some(false), Some(true)));
    assert_eq!(ccw([(0.0, 0.0), (4.0, 0.0), (8.0, 0.0)]), None);
    assert_eq!(ccw([(1.0, 1.0), (1.0005, 1.0), (1.0, 1.0005)]), None);
    let four = |p, at: &[(i64, i64)]| {
        let (s, _) = triangle(p, (4.0, 8.0)).unwrap();
        let all = masks(&s, Rect { x0: 0, y0: 0, x1: 4, y1: 8 }, 4);
        at.iter().map(|&(x, y)| all.iter().find(|m| (m.0, m.1) == (x, y)).map_or(0, |m| m.2)).collect::<Vec<_>>()
    };
    assert_eq!(four(lower, &[(0, 0), (3, 0), (2, 1), (3, 1), (0, 3), (1, 3)]), [0xf, 5, 5, 0, 5, 0]);
    assert_eq!(four([(0.5, 0.0), (4.0, 0.0), (0.5, 8.0)], &[(0, 0), (0, 1), (1, 0)]), [0xa, 0xa, 0xf]);
}

#[test]
fn interpolation() {
    let lower = [(0.0, 0.0), (4.0, 0.0), (0.0, 4.0)];
    let (s, _) = triangle_zw(lower, [(0.0, 1.0), (0.5, 2.0), (1.0, 4.0)], FOUR).unwrap();
    let w = s[0].weights(256 + 128, 128);
    let sum = |weights: [f64; 3], f: [f64; 3]| weights.iter().zip(f).map(|(w, f)| w * f).sum::<f64>();
    assert_eq!(w.linear, [0.5, 0.375, 0.125]);
    assert_eq!(w.inv_w, 23.0 / 32.0);
    assert_eq!((sum(w.perspective, [0.0, 1.0, 2.0]) as f32).to_bits(), 0x3eb2_1643);
    assert_eq!(sum(w.linear, [0.0, 1.0, 2.0]), 0.625);
    assert_eq!(w.z, 5.0 / 16.0);
    let f = |x: i64, y: i64| sum(s[0].weights(x * 256 + 128, y * 256 + 128).linear, [0.0, 4.0, 8.0]);
    assert_eq!((f(3, 3) - f(2, 3), f(9, 9) - f(9, 8)), (1.0, 2.0));
}

#[test]
fn clipping() {
    let v = |position: [f32; 4], d: &[f32]| ClipVertex { position, distances: d.to_vec() };
    let view = viewport(4.0, 4.0);
    let near = [v([0.0, 0.0, -1.0, 1.0], &[]), v([0.0, 0.0, 1.0, 1.0], &[])];
    assert_eq!(clip_line(&near, OPTIONS, &view).unwrap()[0].clip, [0.5, 0.5, 0.0]);
    let near = [v([0.0, 0.0, -1.0, 1.0], &[]), v([0.0, 0.0, 1.0, 3.0], &[])];
    let a = &clip_line(&near, OPTIONS, &view).unwrap()[0];
    assert_eq!((a.position[3], a.clip, a.screen), (2.0, [0.5, 0.5, 0.0], [0.25, 0.75, 0.0]));
    let by_distance = [v([0.0, 0.0, 0.5, 1.0], &[1.0]), v([0.5, 0.0, 0.5, 1.0], &[-3.0])];
    assert_eq!(clip_line(&by_distance, OPTIONS, &view).unwrap()[1].clip, [0.75, 0.25, 0.0]);
    // Cut by the near plane, a triangle covers what it would with the cut drawn by hand.
    let (s, ccw) =
        triangle_zw([(0.0, 0.0), (4.0, 0.0), (0.0, 4.0)], [(-0.5, 1.0), (0.5, 1.0), (0.5, 1.0)], FOUR).unwrap();
    let cut: Vec<_> = masks(&s, CLIP4, 1).iter().map(|m| (m.0, m.1)).collect();
    assert!(!ccw && cut.len() < 6 && !cut.contains(&(0, 0)) && cut.contains(&(2, 0)), "{cut:?}");
    // A vertex behind the eye: what is seen goes from the far edge away from where that vertex would be.
    let behind = [(0.0, 4.0), (4.0, 4.0), (2.0, 8.0)];
    let (s, _) = triangle_zw(behind, [(0.5, 1.0), (0.5, 1.0), (0.5, -1.0)], FOUR).unwrap();
    assert_eq!(masks(&s, CLIP4, 1).len(), 16);
    let nan = [v([NAN, 0.0, 0.0, 1.0], &[]), v([0.0, 0.0, 0.0, 1.0], &[]), v([1.0, 0.0, 0.0, 1.0], &[])];
    assert!(clip_polygon(&nan, OPTIONS, &view).is_empty());
    // Far outside of the guard band, and still whole on the target.
    let (s, _) = triangle([(-1e6, -1e6), (3e6, -1e6), (-1e6, 3e6)], FOUR).unwrap();
    assert_eq!(masks(&s, CLIP4, 1).len(), 16);
}

#[test]
fn strips_points_and_lines() {
    let t = |topology, n, restart: &dyn Fn(u32) -> bool| {
        assemble(topology, n, restart).iter().map(|p| (p.vertices, p.provoking)).collect::<Vec<_>>()
    };
    assert_eq!(t(Topology::TriangleStrip, 5, &|_| false), [([0, 1, 2], 0), ([2, 1, 3], 1), ([2, 3, 4], 2)]);
    let indices: Vec<u8> = [0u16, 1, 2, 65535, 3, 4, 5, 6].iter().flat_map(|i| i.to_le_bytes()).collect();
    let buffer = Indices { bytes: &indices, wide: false };
    let cut = t(Topology::TriangleStrip, 8, &|k| buffer.get(u64::from(k)) == buffer.restart());
    let ids: Vec<[u32; 3]> = cut.iter().map(|p| p.0.map(|v| buffer.get(u64::from(v)))).collect();
    assert_eq!(ids, [[0, 1, 2], [3, 4, 5], [5, 4, 6]]);
    assert_eq!(buffer.get(8), 0);
    assert_eq!(t(Topology::LineStrip, 4, &|k| k == 2).iter().map(|p| p.0[..2].to_vec()).collect::<Vec<_>>(), [[0, 1]]);

    let view = viewport(8.0, 8.0);
    let clip = Rect::of_viewport(&view);
    let point = |x, y| {
        let v = point_is_inside(&vertex_at(x, y, 0.5, 1.0, (8.0, 8.0)), OPTIONS, &view).unwrap();
        masks(&[Setup::point(v, &view, 1.0)], clip, 4)
    };
    assert_eq!(point(3.0, 2.0), [(3, 2, 15)]);
    assert_eq!(point(2.999, 1.999), [(3, 2, 15)]);
    assert_eq!(point(2.99, 1.99), [(2, 1, 15)]);
    assert!(point_is_inside(&vertex_at(9.0, 2.0, 0.5, 1.0, (8.0, 8.0)), OPTIONS, &view).is_none());
    let wide = |x, y, size| {
        let v = point_is_inside(&vertex_at(x, y, 0.5, 1.0, (8.0, 8.0)), OPTIONS, &view).unwrap();
        let s = Setup::point(v, &view, size);
        (
            masks(std::slice::from_ref(&s), clip, 1).iter().map(|p| (p.0, p.1)).collect::<Vec<_>>(),
            s.point_coord(3 * 256 + 128, 2 * 256 + 128),
        )
    };
    // Two pixels around a corner; the middle of pixel 3, 2 is three quarters to the right and a quarter down.
    assert_eq!(wide(3.0, 3.0, 2.0), (vec![(2, 2), (3, 2), (2, 3), (3, 3)], [0.75, 0.25]));
    // Three around the middle of a pixel, of which one column is outside of the target.
    assert_eq!(wide(0.5, 2.5, 3.0).0.len(), 6);
    assert_eq!(wide(3.5, 2.5, f32::NAN), (vec![(3, 2)], [0.5, 0.5]));
    assert_eq!(wide(3.5, 2.5, 0.0).0, [(3, 2)]);
    assert_eq!(wide(3.5, 2.5, f32::INFINITY).0.len(), 64);
    let line = |a: (f64, f64), b: (f64, f64)| {
        let ends = [a, b].map(|p| vertex_at(p.0, p.1, 0.5, 1.0, (8.0, 8.0)));
        let s = Setup::line(clip_line(&ends, OPTIONS, &view).unwrap(), &view).unwrap();
        (masks(std::slice::from_ref(&s), clip, 1).into_iter().map(|m| (m.0, m.1)).collect::<Vec<_>>(), s)
    };
    assert_eq!(line((1.5, 2.5), (4.5, 2.5)).0, [(1, 2), (2, 2), (3, 2)]);
    assert_eq!(line((4.5, 2.5), (1.5, 2.5)).0, [(2, 2), (3, 2), (4, 2)]);
    let (down, s) = line((3.5, 1.5), (3.5, 5.5));
    assert_eq!(down, [(3, 1), (3, 2), (3, 3), (3, 4)]);
    assert_eq!(s.weights(3 * 256 + 128, 2 * 256 + 128).linear, [0.75, 0.25, 0.0]);
}

#[test]
fn depth_bias() {
    let plane = |dx: f64, dy: f64, size: (f64, f64)| {
        let z = |x: f64, y: f64| (0.5 + dx * x + dy * y, 1.0);
        let (s, _) =
            triangle_zw([(0.0, 0.0), (4.0, 0.0), (0.0, 4.0)], [z(0.0, 0.0), z(4.0, 0.0), z(0.0, 4.0)], size).unwrap();
        s.into_iter().next().unwrap()
    };
    let flat = plane(0.0, 0.0, FOUR);
    let bias = |constant, slope, clamp| DepthBias { constant, slope, clamp };
    assert_eq!((bias(10, 0.0, 0.0).of(&flat, Format::Depth16Unorm) as f32).to_bits(), 0x3920_00a0);
    let steep = plane(0.001, -0.003, FOUR);
    let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-6, "{a} {b}");
    let r = 10.0 / 65535.0;
    near(bias(10, 2.0, 0.0).of(&steep, Format::Depth16Unorm), r + 0.006);
    near(bias(10, 2.0, 0.002).of(&steep, Format::Depth16Unorm), 0.002);
    near(bias(10, 2.0, -0.001).of(&steep, Format::Depth16Unorm), r + 0.006);
    let (s, _) = triangle_zw([(0.0, 0.0), (4.0, 0.0), (0.0, 4.0)], [(0.75, 1.0); 3], FOUR).unwrap();
    assert_eq!(bias(8, 0.0, 0.0).of(&s[0], Format::Depth32Float), 2f64.powi(-21));
}

fn depth_stencil(format: Format) -> DepthStencil {
    DepthStencil {
        format,
        depth_compare: Compare::Always,
        depth_write: true,
        front: StencilFace::default(),
        back: StencilFace::default(),
        read_mask: 0xff,
        write_mask: 0xff,
    }
}

#[test]
fn depth_and_stencil() {
    let mut stored = [0, 0, 0x80, 0];
    let less = DepthStencil { depth_compare: Compare::Less, ..depth_stencil(Format::Depth24Plus) };
    assert!(!test_sample(&less, true, 0, 0.5, &mut stored));
    let equal = DepthStencil { depth_compare: Compare::LessEqual, ..less };
    assert!(test_sample(&equal, true, 0, 0.5, &mut stored));
    assert!(test_sample(&less, true, 0, 0.25, &mut stored));
    assert_eq!(stored, [0, 0, 0x40, 0]);

    use StencilOperation::*;
    let ops = [Keep, Zero, Replace, Invert, IncrementClamp, DecrementClamp];
    assert_eq!(ops.map(|o| o.apply(5, 0xf0)), [5, 0, 240, 250, 6, 4]);
    assert_eq!([IncrementClamp, IncrementWrap].map(|o| o.apply(255, 0)), [255, 0]);
    assert_eq!([DecrementClamp, DecrementWrap].map(|o| o.apply(0, 0)), [0, 255]);
    let masked = |op, reference| {
        let mut s = [0xa5];
        let front = StencilFace { pass: op, ..StencilFace::default() };
        let state = DepthStencil { write_mask: 0x0f, front, ..depth_stencil(Format::Stencil8) };
        test_sample(&state, true, reference, 0.0, &mut s);
        s[0]
    };
    assert_eq!((masked(Replace, 0x3c), masked(Invert, 0)), (0xac, 0xaa));
    let compare = |compare, read_mask, reference, stored: u8| {
        let front = StencilFace { compare, ..StencilFace::default() };
        let state = DepthStencil { read_mask, front, ..depth_stencil(Format::Stencil8) };
        test_sample(&state, true, reference, 0.0, &mut [stored])
    };
    assert!(compare(Compare::Equal, 0x0f, 0x35, 0xa5) && compare(Compare::Less, 0xff, 3, 5));
    assert!(!compare(Compare::Equal, 0xff, 0x35, 0xa5) && !compare(Compare::Less, 0xff, 5, 5));
    // Back faces have operations of their own; a failed depth test leaves the depth and takes the middle operation.
    let back = StencilFace { depth_fail: IncrementClamp, ..StencilFace::default() };
    let state = DepthStencil { back, depth_compare: Compare::Never, ..depth_stencil(Format::Depth32FloatStencil8) };
    let mut s = [0, 0, 0, 0, 7, 0, 0, 0];
    assert!(!test_sample(&state, false, 0, 0.5, &mut s));
    assert_eq!(s, [0, 0, 0, 0, 8, 0, 0, 0]);
    let masks = [0.0, 0.1, 0.125, 0.3, 0.5, 0.7, 1.0, -1.0, NAN].map(|a| alpha_to_coverage(a, 4));
    assert_eq!(masks, [0, 0, 1, 1, 3, 7, 15, 0, 0]);
}

fn blended(format: Format, b: Blend, constant: [f32; 4], src: [f32; 4], src1: [f32; 4], dst: &[u8]) -> Vec<u8> {
    let mut out = dst.to_vec();
    write_target(format, Some(&b), constant, (src.map(f32::to_bits), src1.map(f32::to_bits)), 15, &mut out);
    out
}

fn both(operation: BlendOperation, src: BlendFactor, dst: BlendFactor) -> Blend {
    let c = BlendComponent { operation, src, dst };
    Blend { color: c, alpha: c }
}

#[test]
fn blending() {
    use BlendFactor::*;
    use BlendOperation::*;
    const NONE: [f32; 4] = [0.0; 4];
    let rgba = Format::Rgba8Unorm;
    let over = Blend {
        color: BlendComponent { operation: Add, src: SrcAlpha, dst: OneMinusSrcAlpha },
        alpha: BlendComponent { operation: Add, src: One, dst: OneMinusSrcAlpha },
    };
    assert_eq!(blended(rgba, over, NONE, [1.0, 0.0, 0.0, 0.5], NONE, &[0, 0, 255, 255]), [128, 0, 128, 255]);
    let one = |op, x: f32, d: u8| blended(Format::R8Unorm, both(op, One, One), NONE, [x; 4], NONE, &[d])[0];
    assert_eq!(one(Add, 0.75, 128), 255);
    assert_eq!((one(Subtract, 0.25, 128), one(ReverseSubtract, 0.25, 128)), (0, 64));
    assert_eq!((one(Min, 0.25, 128), one(Max, 0.25, 128)), (64, 128));
    let by_dst = both(Add, Dst, Zero);
    assert_eq!(blended(Format::R8Unorm, by_dst, NONE, [2.0; 4], NONE, &[51]), [51]);
    assert_eq!(blended(Format::R16Float, by_dst, NONE, [2.0; 4], NONE, &[0x66, 0x32]), [0x66, 0x36]);
    // Saturated alpha: 0.4 of one in colour, one in alpha.
    let saturated = both(Add, SrcAlphaSaturated, Zero);
    assert_eq!(blended(rgba, saturated, NONE, [1.0, 1.0, 1.0, 0.75], NONE, &[0, 0, 0, 153]), [102, 102, 102, 191]);
    let dual = both(Add, One, OneMinusSrc1);
    assert_eq!(blended(Format::R8Unorm, dual, NONE, [0.8; 4], [0.25; 4], &[100]), [255]);
    assert_eq!(blended(Format::R8Unorm, dual, NONE, [0.25; 4], [0.25; 4], &[100]), [139]);
    let constant = both(Add, Constant, Zero);
    assert_eq!(blended(rgba, constant, [0.5, 0.25, 1.0, 0.0], [1.0; 4], NONE, &[9; 4]), [128, 64, 255, 0]);
    assert_eq!(blended(Format::Rg8Unorm, both(Add, DstAlpha, Zero), NONE, [1.0; 4], NONE, &[0, 0]), [255, 255]);
    assert_eq!(blended(Format::Rg8Unorm, both(Add, OneMinusDstAlpha, Zero), NONE, [1.0; 4], NONE, &[9, 9]), [0, 0]);
    let half = both(Add, SrcAlpha, OneMinusSrcAlpha);
    let out = blended(Format::Rgba8UnormSrgb, half, NONE, [1.0, 1.0, 1.0, 0.5], NONE, &[64, 64, 64, 0]);
    assert_eq!(out[..3], [192; 3]);
    let mut out = [1, 2, 3, 4];
    write_target(rgba, None, NONE, ([1f32.to_bits(); 4], [0; 4]), 0b101, &mut out);
    assert_eq!(out, [255, 2, 255, 4]);
    // The factor zero drops an infinity, any other factor does not.
    let inf = both(Add, Zero, One);
    assert_eq!(blended(Format::R32Float, inf, NONE, [f32::INFINITY; 4], NONE, &1f32.to_le_bytes()), 1f32.to_le_bytes());
}

#[test]
fn resolving() {
    let r = |format: Format, samples: &[u8]| {
        let mut out = vec![0; format.bytes() as usize];
        resolve(format, samples, &mut out);
        out
    };
    assert_eq!(r(Format::R8Unorm, &[0, 0, 255, 255]), [128]);
    assert_eq!(r(Format::R8Unorm, &[10, 11, 11, 11]), [11]);
    let srgb: Vec<u8> = [0u8, 0, 255, 255].iter().flat_map(|&c| [c; 4]).collect();
    assert_eq!(r(Format::Rgba8UnormSrgb, &srgb)[..3], [188; 3]);
    let half = [0x3c00u16, 0x4000, 0x4200, 0x4400].iter().flat_map(|h| h.to_le_bytes()).collect::<Vec<_>>();
    assert_eq!(r(Format::R16Float, &half), 0x4100u16.to_le_bytes());
}

#[test]
fn vertex_fetch() {
    let f = |format: VertexFormat, bytes: &[u8]| format.decode(bytes);
    let floats = |v: [f32; 4]| v.map(f32::to_bits);
    assert_eq!(f(VertexFormat::Snorm8x2, &[0x70, 0xd0])[..2], [0x3f61_c387, 0xbec1_8306]);
    assert_eq!(f(VertexFormat::Unorm8x2, &[0x7f, 0xff]), [0x3efe_feff, 1f32.to_bits(), 0, 1f32.to_bits()]);
    assert_eq!(f(VertexFormat::Unorm8x4Bgra, &[0, 0x80, 0xff, 0x40]), floats([1.0, 128.0 / 255.0, 0.0, 64.0 / 255.0]));
    let ten = |format, w: u32| f(format, &w.to_le_bytes());
    assert_eq!(ten(VertexFormat::Unorm10_10_10_2, 0x8008_03ff), [0x3f80_0000, 0x3f00_2008, 0, 0x3f2a_aaab]);
    let minus = (-1f32).to_bits();
    assert_eq!(ten(VertexFormat::Snorm10_10_10_2, 0xbff8_01ff), [0x3f80_0000, minus, 0xbb00_4020, minus]);
    assert_eq!(ten(VertexFormat::Snorm10_10_10_2, 0x4000_0000)[3], 1f32.to_bits());
    assert_eq!(ten(VertexFormat::Snorm10_10_10_2, 0xc000_0000)[3], minus);
    assert_eq!(ten(VertexFormat::Sint32, 5), [5, 0, 0, 1]);
    assert_eq!(f(VertexFormat::Uint8, &[200])[0], 200);
    assert_eq!(f(VertexFormat::Sint8, &[0x80])[0] as i32, -128);
    assert_eq!(f(VertexFormat::Float16x2, &[0, 0x3c, 0, 0xc0])[..2], [1f32.to_bits(), (-2f32).to_bits()]);
    assert_eq!(f(VertexFormat::Snorm16, &[0, 0x80])[0], minus);
    for &format in VertexFormat::ALL {
        assert_eq!(VertexFormat::parse(format.name()), Some(format));
    }
    // Binding of 60 bytes, stride 16, attribute at 4: element 2 ends at 48, element 3 past the end.
    let mut binding = [0u8; 60];
    binding[36..40].copy_from_slice(&7f32.to_le_bytes());
    assert_eq!(fetch(&binding, 16, 4, 2, VertexFormat::Float32x3), floats([7.0, 0.0, 0.0, 1.0]));
    binding[52..56].copy_from_slice(&9f32.to_le_bytes());
    assert_eq!(fetch(&binding, 16, 4, 3, VertexFormat::Float32x3), floats([0.0, 0.0, 0.0, 1.0]));
    assert_eq!(fetch(&binding, 0, 36, 1000, VertexFormat::Float32)[0], 7f32.to_bits());
    assert_eq!(fetch(&binding, u64::from(u32::MAX), 4, u32::MAX, VertexFormat::Float32)[0], 0);
}
