//! The worked cases of the texturing reference: conversion, addressing, filtering, cubes, level of detail, quads.
//! Expected values are the reference's.

use gpucc_sim::texture::quad::{self, Axis};
use gpucc_sim::texture::*;
use gpucc_sim::{Trap, TrapKind};

const NAN: f32 = f32::NAN;

fn decode(f: Format, bytes: &[u8]) -> [f32; 4] {
    f.decode(bytes).map(f32::from_bits)
}

fn encode(f: Format, v: [f32; 4]) -> Vec<u8> {
    let mut out = vec![0; f.bytes() as usize];
    f.encode(v.map(f32::to_bits), 15, &mut out);
    out
}

fn encode1(f: Format, v: f32) -> u32 {
    encode(f, [v, 0.0, 0.0, 0.0]).iter().rev().fold(0, |w, &b| w << 8 | u32::from(b))
}

fn crc32(bytes: impl Iterator<Item = u8>) -> u32 {
    !bytes.fold(!0u32, |c, b| {
        (0..8).fold(c ^ u32::from(b), |c, _| if c & 1 != 0 { c >> 1 ^ 0xedb8_8320 } else { c >> 1 })
    })
}

#[test]
fn normalised_decode() {
    for (code, bits) in [(0, 0), (1, 0x3b80_8081), (127, 0x3efe_feff), (128, 0x3f00_8081), (255, 0x3f80_0000)] {
        assert_eq!(Format::R8Unorm.decode(&[code])[0], bits);
    }
    for (code, bits) in [(0xff, 0xbc01_0204u32), (0x40, 0x3f01_0204), (0x80, 0xbf80_0000), (0x81, 0xbf80_0000)] {
        assert_eq!(Format::R8Snorm.decode(&[code])[0], bits);
    }
    assert_eq!(Format::R16Unorm.decode(&[1, 0])[0], 0x3780_0080);
    assert_eq!(Format::R16Unorm.decode(&[0, 0x80])[0], 0x3f00_0080);
    assert_eq!(Format::R16Snorm.decode(&[0, 0x80])[0], (-1f32).to_bits());
    assert_eq!(Format::R16Snorm.decode(&[0, 0x40])[0], 0x3f00_0100);
    let table = |f: Format| {
        crc32((0..=255u8).flat_map(|c| f.decode(&[c, 0, 0, 0])[0].to_le_bytes()).collect::<Vec<_>>().into_iter())
    };
    assert_eq!(table(Format::R8Unorm), 0xb438_ec03);
    assert_eq!(table(Format::R8Snorm), 0x3453_5363);
    assert_eq!(table(Format::Rgba8UnormSrgb), 0x54a2_4988);
}

#[test]
fn normalised_encode() {
    for (x, code) in [(-0.5, 0), (NAN, 0), (0.5, 128), (0.1, 26), (0.25, 64), (0.75, 191), (0.999, 255), (1.5, 255)] {
        assert_eq!(encode1(Format::R8Unorm, x), code);
    }
    for (x, code) in [(0.5, 64i8), (-0.5, -64), (-1.0, -127), (-2.0, -127), (0.25, 32), (-0.25, -32)] {
        assert_eq!(encode1(Format::R8Snorm, x) as u8 as i8, code);
    }
    assert_eq!(encode1(Format::R16Unorm, 0.5), 32768);
    assert_eq!(encode1(Format::R16Unorm, 0.1), 6554);
    assert_eq!(encode1(Format::R16Snorm, -0.5) as u16 as i16, -16384);
    assert_eq!(encode1(Format::Rgb10a2Unorm, 0.5), 512);
    assert_eq!(encode1(Format::Rgb10a2Unorm, 0.1), 102);
    let alpha = |a| encode(Format::Rgb10a2Unorm, [0.0, 0.0, 0.0, a])[3] >> 6;
    assert_eq!((alpha(0.5), alpha(0.4)), (2, 1));
    assert_eq!(encode(Format::Rgb10a2Unorm, [1.0, 0.5, 0.0, 1.0 / 3.0]), 0x4008_03ffu32.to_le_bytes());
    assert_eq!(Format::Rgb10a2Unorm.decode(&0x4008_03ffu32.to_le_bytes())[1], 0x3f00_2008);
}

#[test]
fn srgb() {
    let d = |c| Format::Rgba8UnormSrgb.decode(&[c, 0, 0, 0])[0];
    for (c, bits) in [
        (1, 0x399f_22b4),
        (10, 0x3b46_eb61),
        (11, 0x3b5b_518e),
        (64, 0x3d51_ffec),
        (127, 0x3e59_5305),
        (128, 0x3e5d_0a89),
        (188, 0x3f00_bd2b),
        (200, 0x3f13_dc50),
    ] {
        assert_eq!(d(c), bits, "{c}");
    }
    let e = |x| u32::from(encode(Format::Rgba8UnormSrgb, [x, 0.0, 0.0, 0.0])[0]);
    for (x, c) in
        [(0.0001, 0), (0.001, 3), (0.0031308, 10), (0.18, 118), (0.2, 124), (0.25, 137), (0.5, 188), (0.75, 225)]
    {
        assert_eq!(e(x), c, "{x}");
    }
    for c in 0..=255u8 {
        assert_eq!(e(f32::from_bits(d(c))), u32::from(c));
    }
    assert_eq!(encode(Format::Rgba8UnormSrgb, [0.5, 0.2, 1.0, 0.5]), [188, 124, 255, 128]);
}

#[test]
fn small_floats() {
    let p = |e: i32| 2f64.powi(e) as f32;
    for (x, c) in [
        (1.0, 0x3c00),
        (1.0 / 3.0, 0x3555),
        (65504.0, 0x7bff),
        (65519.996, 0x7bff),
        (65520.0, 0x7c00),
        (p(-24), 1),
        (p(-25), 0),
        (3.0 * p(-26), 1),
        (-0.0, 0x8000),
    ] {
        assert_eq!(encode1(Format::R16Float, x), c, "{x}");
    }
    let f11 = |c: u32| decode(Format::Rg11b10Ufloat, &c.to_le_bytes())[0];
    for (c, x) in [(0x3c0, 1.0), (1, p(-20)), (0x3f, 63.0 * p(-20)), (0x40, p(-14)), (0x7bf, 65024.0)] {
        assert_eq!(f11(c), x);
    }
    assert!(f11(0x7c0) == f32::INFINITY && f11(0x7c1).is_nan());
    let f10 = |c: u32| decode(Format::Rg11b10Ufloat, &(c << 22).to_le_bytes())[2];
    assert_eq!((f10(0x1e0), f10(1), f10(0x3df), f10(0x3e0)), (1.0, p(-19), 64512.0, f32::INFINITY));
    let to11 = |x| encode1(Format::Rg11b10Ufloat, x) & 0x7ff;
    for (x, c) in [
        (1.0 / 3.0, 0x355),
        (0.1, 0x2e6),
        (-3.0, 0),
        (1e6, 0x7bf),
        (f32::INFINITY, 0x7c0),
        (65024.0, 0x7bf),
        (1.0078125, 0x3c0),
        (1.0234375, 0x3c2),
        (p(-20), 1),
        (63.0 * p(-20), 0x3f),
        (p(-14), 0x40),
    ] {
        assert_eq!(to11(x), c, "{x}");
    }
    let to10 = |x| encode(Format::Rg11b10Ufloat, [0.0, 0.0, x, 0.0]);
    for (x, c) in [(1.0 / 3.0, 0x1abu32), (0.1, 0x173), (1e6, 0x3df)] {
        assert_eq!(to10(x), (c << 22).to_le_bytes(), "{x}");
    }
    assert_eq!(encode(Format::Rg11b10Ufloat, [1.0, 0.5, 2.0, 0.0]), 0x801c_03c0u32.to_le_bytes());
    // Every finite code survives the round trip.
    for c in 0..0x7c0 {
        assert_eq!(to11(f11(c)), c);
    }
    let e5 = |w: u32| decode(Format::Rgb9e5Ufloat, &w.to_le_bytes());
    assert_eq!(e5(0x8101_0100)[..3], [1.0, 0.5, 0.25]);
    assert_eq!(encode(Format::Rgb9e5Ufloat, [1.0, 0.5, 0.25, 0.0]), 0x8101_0100u32.to_le_bytes());
    assert_eq!(e5(u32::MAX)[..3], [65408.0; 3]);
    assert_eq!(e5(0x0800_0001)[..3], [p(-23), 0.0, 0.0]);
}

#[test]
fn components_and_integers() {
    let b = [0, 0x80, 0xff, 0x40];
    let half = f32::from_bits(0x3f00_8081);
    assert_eq!(decode(Format::Rgba8Unorm, &b), [0.0, half, 1.0, 64.0 / 255.0]);
    assert_eq!(decode(Format::Bgra8Unorm, &b), [1.0, half, 0.0, 64.0 / 255.0]);
    assert_eq!(encode(Format::Bgra8Unorm, [1.0, half, 0.0, 64.0 / 255.0]), b);
    assert_eq!(decode(Format::R8Unorm, &[255]), [1.0, 0.0, 0.0, 1.0]);
    assert_eq!(Format::Rg8Sint.decode(&[0xfe, 5]), [-2i32 as u32, 5, 0, 1]);
    assert_eq!(Format::R32Uint.decode(&[7, 0, 0, 0]), [7, 0, 0, 1]);
    assert_eq!(decode(Format::Depth32Float, &0.25f32.to_le_bytes()), [0.25, 0.0, 0.0, 1.0]);
    let store = |f: Format, v: [u32; 4]| {
        let mut out = [0; 4];
        f.encode(v, 15, &mut out);
        out
    };
    assert_eq!(store(Format::Rgba8Uint, [300, 255, 0, u32::MAX]), [255, 255, 0, 255]);
    assert_eq!(store(Format::Rgba8Sint, [200, -200i32 as u32, -1i32 as u32, 5]), [0x7f, 0x80, 0xff, 5]);
    assert_eq!(store(Format::Rgb10a2Uint, [2000, 1, 0, 9]), 0xc000_07ffu32.to_le_bytes());
    assert_eq!(Format::Depth16Unorm.depth_code(0.5), 0x8000);
    assert_eq!(Format::Depth16Unorm.decode(&[0, 0x80])[0], 0x3f00_0080);
    assert_eq!(Format::Depth24Plus.depth_code(0.5), 0x80_0000);
    assert_eq!(Format::Depth24Plus.decode(&[0, 0, 0x80, 0xaa])[0], 0x3f00_0001);
    assert_eq!(Format::Depth24Plus.depth_code(1.0), 0xff_ffff);
    // A depth leaves the stencil beside it.
    let mut bytes = [0, 0, 0, 0x5a];
    Format::Depth24PlusStencil8.encode([1f32.to_bits(), 0, 0, 0], 15, &mut bytes);
    assert_eq!((bytes, Format::Depth24PlusStencil8.decode_stencil(&bytes)), ([255, 255, 255, 0x5a], 0x5a));
    let mut bytes = [1, 2, 3, 4];
    Format::Rgba8Unorm.encode([1f32.to_bits(); 4], 0b101, &mut bytes);
    assert_eq!(bytes, [255, 2, 255, 4]);
    assert_eq!(Format::parse("bc7-rgba-unorm"), Err(FormatError::Compressed("bc7-rgba-unorm".into())));
    assert_eq!(Format::parse("rgba9"), Err(FormatError::Unknown("rgba9".into())));
    for &f in Format::ALL {
        assert_eq!(Format::parse(f.name()), Ok(f));
    }
}

#[test]
fn wrapping() {
    let all =
        |mode, n, range: std::ops::RangeInclusive<i64>| range.map(|i| wrap(mode, i, n).unwrap()).collect::<Vec<_>>();
    assert_eq!(all(Wrap::Repeat, 4, -5..=8), [3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0]);
    assert_eq!(all(Wrap::MirrorRepeat, 4, -5..=8), [3, 3, 2, 1, 0, 0, 1, 2, 3, 3, 2, 1, 0, 0]);
    assert_eq!(all(Wrap::MirrorRepeat, 3, -4..=6), [2, 2, 1, 0, 0, 1, 2, 2, 1, 0, 0]);
    assert_eq!(all(Wrap::ClampToEdge, 4, -2..=5), [0, 0, 0, 1, 2, 3, 3, 3]);
    assert_eq!(all(Wrap::MirrorClampToEdge, 4, -6..=5), [3, 3, 3, 2, 1, 0, 0, 1, 2, 3, 3, 3]);
    assert!(all(Wrap::MirrorRepeat, 1, -3..=3).iter().all(|&i| i == 0));
}

fn floats(size: [u32; 3], is_3d: bool, values: &[f32]) -> Image {
    let mut image = Image::new(Format::R32Float, is_3d, size, 1, 1);
    image.bytes = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    image
}

fn row() -> Image {
    floats([4, 1, 1], false, &[10.0, 20.0, 30.0, 40.0])
}

fn sampler(wrap: Wrap, filter: Filter) -> Sampler {
    Sampler { wrap: [wrap; 3], mag: filter, min: filter, ..Sampler::default() }
}

fn at(image: &Image, s: &Sampler, c: [f32; 3], offset: i32) -> f32 {
    let view = image.view(if image.is_3d { Dim::D3 } else { Dim::D2 });
    f32::from_bits(sample(&view.view(), s, &Coord::Flat(c, 0), [offset, 0, 0], 0.0).unwrap()[0])
}

#[test]
fn filtering_of_a_row() {
    let image = row();
    use Wrap::{ClampToEdge as Clamp, MirrorRepeat as Mirror, Repeat};
    for (mode, s, offset, bits) in [
        (Repeat, -0.125, 0, 0x4220_0000),
        (Repeat, 0.0, 0, 0x41c8_0000),
        (Repeat, 0.25, 0, 0x4170_0000),
        (Clamp, 0.375, 0, 0x41a0_0000),
        (Clamp, 1.0, 0, 0x4220_0000),
        (Clamp, -3.0, 0, 0x4120_0000),
        (Mirror, 0.0, 0, 0x4120_0000),
        (Mirror, 1.125, 0, 0x4220_0000),
        (Repeat, 0.9375, 0, 0x4202_0000),
        (Repeat, 0.1, 0, 0x4150_0000),
        (Repeat, 0.25, 1, 0x41c8_0000),
        (Repeat, 0.25, -8, 0x4170_0000),
    ] {
        let v = at(&image, &sampler(mode, Filter::Linear), [s, 0.5, 0.0], offset);
        assert_eq!(v.to_bits(), bits, "{mode:?} {s} {offset}: {v}");
    }
    let fixed = Sampler {
        precision: Precision { weight_bits: Some(8), ..Precision::default() },
        ..sampler(Repeat, Filter::Linear)
    };
    assert_eq!(at(&image, &fixed, [0.1, 0.5, 0.0], 0).to_bits(), 0x4150_c000);
    for (mode, s, texel) in [
        (Repeat, 0.0, 0),
        (Repeat, 0.249, 0),
        (Repeat, 0.25, 1),
        (Repeat, 0.5, 2),
        (Repeat, 0.999, 3),
        (Repeat, 1.0, 0),
        (Repeat, -0.001, 3),
        (Repeat, -0.25, 3),
        (Repeat, 1e30, 0),
        (Clamp, -5.0, 0),
        (Clamp, 0.75, 3),
        (Clamp, 1.0, 3),
        (Clamp, NAN, 0),
        (Clamp, f32::INFINITY, 3),
        (Clamp, f32::NEG_INFINITY, 0),
        (Repeat, f32::INFINITY, 0),
        (Mirror, -0.001, 0),
        (Mirror, 1.001, 3),
        (Mirror, 1.26, 2),
        (Mirror, 2.5, 2),
    ] {
        let v = at(&image, &sampler(mode, Filter::Nearest), [s, 0.5, 0.0], 0);
        assert_eq!(v, [10.0, 20.0, 30.0, 40.0][texel], "{mode:?} {s}");
    }
}

#[test]
fn filtering_of_a_square() {
    let image = floats([2, 2, 1], false, &[1.0, 2.0, 3.0, 4.0]);
    let linear = |mode| sampler(mode, Filter::Linear);
    for (mode, s, t, v) in [
        (Wrap::ClampToEdge, 0.5, 0.5, 2.5),
        (Wrap::ClampToEdge, 0.375, 0.625, 2.75),
        (Wrap::Repeat, 0.0, 0.0, 2.5),
        (Wrap::MirrorRepeat, 0.0, 0.0, 1.0),
        (Wrap::Repeat, 0.25, 0.5, 2.0),
        (Wrap::Repeat, -0.125, 0.375, 2.25),
        (Wrap::ClampToBorder, 0.0, 0.0, 0.25),
    ] {
        assert_eq!(at(&image, &linear(mode), [s, t, 0.0], 0), v, "{mode:?} {s} {t}");
    }
    let g = |mode, s, offset| {
        let v = image.view(Dim::D2);
        gather(&v.view(), &sampler(mode, Filter::Nearest), &Coord::Flat([s, s, 0.0], 0), [offset, 0, 0], 0, 0)
            .unwrap()
            .map(f32::from_bits)
    };
    assert_eq!(g(Wrap::Repeat, 0.5, 0), [3.0, 4.0, 2.0, 1.0]);
    assert_eq!(g(Wrap::Repeat, 0.0, 0), [2.0, 1.0, 3.0, 4.0]);
    assert_eq!(g(Wrap::ClampToEdge, 0.0, 0), [1.0; 4]);
    assert_eq!(g(Wrap::ClampToEdge, 0.5, 1), [4.0, 4.0, 2.0, 2.0]);
    let cube = floats([2, 2, 2], true, &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
    assert_eq!(at(&cube, &linear(Wrap::ClampToEdge), [0.5; 3], 0), 3.5);
    assert_eq!(at(&cube, &linear(Wrap::ClampToEdge), [0.5, 0.5, 0.0], 0), 1.5);
    assert_eq!(at(&cube, &sampler(Wrap::ClampToEdge, Filter::Nearest), [0.5; 3], 0), 7.0);
}

#[test]
fn comparison() {
    let mut image = floats([2, 2, 1], false, &[0.25, 0.5, 0.75, 1.0]);
    image.format = Format::Depth32Float;
    let c = |op, filter, t, r: f32| {
        let s = Sampler { compare: Some(op), ..sampler(Wrap::ClampToEdge, filter) };
        sample_compare(&image.view(Dim::D2).view(), &s, &Coord::Flat([0.5, t, 0.0], 0), [0; 3], 0.0, r).unwrap()
    };
    assert_eq!(c(Compare::Less, Filter::Linear, 0.5, 0.5), 0.5);
    assert_eq!(c(Compare::Less, Filter::Linear, 0.375, 0.5), 0.25);
    assert_eq!(c(Compare::LessEqual, Filter::Linear, 0.5, 0.5), 0.75);
    let s = Sampler { compare: Some(Compare::Less), ..Sampler::default() };
    let view = image.view(Dim::D2);
    let four = gather_compare(&view.view(), &s, &Coord::Flat([0.5, 0.5, 0.0], 0), [0; 3], 0, 0.5);
    assert_eq!(four.unwrap(), [1.0, 1.0, 0.0, 0.0]);
    let nan = [Compare::Never, Compare::Less, Compare::Equal, Compare::NotEqual, Compare::Always];
    assert_eq!(nan.map(|op| c(op, Filter::Nearest, 0.5, NAN)), [0.0, 0.0, 0.0, 1.0, 1.0]);
    assert_eq!(c(Compare::Greater, Filter::Nearest, 0.9, 1.5), 1.0);
    let mut fixed = Image::new(Format::Depth16Unorm, false, [1, 1, 1], 1, 1);
    fixed.bytes = vec![0xff, 0xff].into();
    let s = Sampler { compare: Some(Compare::Greater), ..Sampler::default() };
    let v = fixed.view(Dim::D2);
    assert_eq!(sample_compare(&v.view(), &s, &Coord::Flat([0.5, 0.5, 0.0], 0), [0; 3], 0.0, 1.5), Ok(0.0));
}

#[test]
fn layers_sizes_and_loads() {
    assert_eq!([-3, 7, 4_000_000_000].map(|i| clamp_layer(i, 5)), [0, 4, 4]);
    assert_eq!([0.5, 1.5, 2.5, -0.7, 99.0, NAN].map(|a| round_layer(a, 5)), [0, 2, 2, 0, 4, 0]);
    let image = Image::new(Format::R8Unorm, false, [13, 5, 1], 4, 1);
    assert_eq!([1, 2, 3].map(|l| image.level_size(l)[..2].to_vec()), [[6, 2], [3, 1], [1, 1]]);
    assert_eq!(Image::full_chain(false, [13, 5, 1]), 4);
    let image = Image::new(Format::R8Unorm, true, [9, 4, 6], 4, 1);
    assert_eq!([1, 2, 3].map(|l| image.level_size(l)), [[4, 2, 3], [2, 1, 1], [1, 1, 1]]);
    let image = Image::new(Format::Rgba8Unorm, false, [4, 4, 1], 1, 1);
    let v = image.view(Dim::D2);
    for (x, y, level) in [(4, 0, 0), (-1, 2, 0), (0, 0, 1), (0, 0, -1)] {
        assert_eq!(load(&v.view(), [x, y, 0], 0, level, 0), Ok(None));
    }
    assert_eq!(load(&v.view(), [3, 3, 0], 0, 0, 0), Ok(Some([0; 4])));
}

#[test]
fn cube_projection() {
    for (d, face, s, t) in [
        ([1.0, 0.0, 0.0], 0, 0.5, 0.5),
        ([-1.0, 0.5, 0.0], 1, 0.5, 0.25),
        ([0.0, 1.0, 0.0], 2, 0.5, 0.5),
        ([0.25, -1.0, 0.5], 3, 0.625, 0.25),
        ([0.5, 0.25, 1.0], 4, 0.75, 0.375),
        ([0.5, 0.25, -1.0], 5, 0.25, 0.375),
        ([1.0, 1.0, 1.0], 4, 1.0, 0.0),
        ([1.0, 1.0, 0.0], 2, 1.0, 0.5),
        ([-1.0, 0.5, 1.0], 4, 0.0, 0.25),
        ([-1.0, 0.5, -1.0], 5, 1.0, 0.25),
        ([2.0, -2.0, 1.0], 3, 1.0, 0.25),
        ([0.0; 3], 4, 0.5, 0.5),
    ] {
        assert_eq!(project(d), Face { face, s, t }, "{d:?}");
    }
}

#[test]
fn cube_seams() {
    use gpucc_sim::texture::cube::EdgeTexel::{Corner, Texel};
    for (from, to) in [
        ((0, -1, 1), (4, 3, 1)),
        ((0, 4, 2), (5, 0, 2)),
        ((0, 1, -1), (2, 3, 2)),
        ((0, 1, 4), (3, 3, 1)),
        ((2, -1, 0), (1, 0, 0)),
        ((2, 0, -1), (5, 3, 0)),
        ((3, 0, -1), (4, 0, 3)),
        ((5, 1, -1), (2, 2, 0)),
        ((5, 1, 4), (3, 2, 3)),
    ] {
        let (f, i, j) = from;
        assert_eq!(face_texel(f, i, j, 4), Texel(to.0, to.1, to.2), "{from:?}");
    }
    // The reference's table of neighbours, for every edge texel of a face of five.
    let n = 5u32;
    let last = i64::from(n) - 1;
    for k in 0..=last {
        let m = (last - k) as u32;
        let (k0, e) = (k as u32, n - 1);
        let table: [[(u32, u32, u32); 4]; 6] = [
            [(4, e, k0), (5, 0, k0), (2, e, m), (3, e, k0)],
            [(5, e, k0), (4, 0, k0), (2, 0, k0), (3, 0, m)],
            [(1, k0, 0), (0, m, 0), (5, m, 0), (4, k0, 0)],
            [(1, m, e), (0, k0, e), (4, k0, e), (5, m, e)],
            [(1, e, k0), (0, 0, k0), (2, k0, e), (3, k0, 0)],
            [(0, e, k0), (1, 0, k0), (2, m, 0), (3, m, e)],
        ];
        for (face, row) in table.iter().enumerate() {
            let past = [(-1, k), (last + 1, k), (k, -1), (k, last + 1)];
            for ((i, j), &(f, x, y)) in past.into_iter().zip(row) {
                assert_eq!(face_texel(face as u32, i, j, n), Texel(f, x, y), "face {face} ({i}, {j})");
            }
        }
    }
    assert!(matches!(face_texel(4, 1, -1, 1), Corner([(4, 0, 0), (0, 0, 0), (2, 0, 0)])));
    let mut image = floats([1, 1, 6], false, &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
    let linear = sampler(Wrap::Repeat, Filter::Linear);
    let get = |image: &Image, d| {
        let v = image.view(Dim::Cube);
        f32::from_bits(sample(&v.view(), &linear, &Coord::Cube(project(d), 0), [0; 3], 0.0).unwrap()[0])
    };
    assert_eq!(get(&image, [1.0, 0.0, 1.0]), 2.0);
    assert_eq!(get(&image, [1.0, 1.0, 1.0]), 2.0);
    // The second cube of an array.
    image = floats([1, 1, 12], false, &(0..12u8).map(f32::from).collect::<Vec<_>>());
    let v = image.view(Dim::Cube);
    let t = sample(
        &v.view(),
        &sampler(Wrap::Repeat, Filter::Nearest),
        &Coord::Cube(project([0.0, 0.0, -1.0]), 1),
        [0; 3],
        0.0,
    );
    assert_eq!(f32::from_bits(t.unwrap()[0]), 11.0);
}

#[test]
fn level_of_detail() {
    let g = |dx: [f64; 3], dy: [f64; 3]| Gradient { dx, dy };
    let t = 1.0 / 64.0;
    let l = |size, dx, dy| lambda_of(size, 2, &g(dx, dy));
    assert_eq!(l([64, 64, 1], [t, 0.0, 0.0], [0.0, t, 0.0]), 0.0);
    assert_eq!(l([64, 32, 1], [0.0625, 0.0, 0.0], [0.0, 0.0625, 0.0]), 2.0);
    assert_eq!(l([64, 64, 1], [t, t, 0.0], [0.0; 3]), 0.5);
    assert!((l([64, 64, 1], [3.0 * t, 4.0 * t, 0.0], [0.0; 3]) - 2.321_928_095).abs() < 1e-9);
    assert_eq!(l([64, 64, 1], [0.0; 3], [0.0; 3]), f64::NEG_INFINITY);
    let nearest = Sampler::default();
    for (d, level) in [(0.5, 0), (0.50001, 1), (1.5, 1), (2.49, 2), (6.9, 7), (20.0, 7), (-3.0, 0)] {
        assert_eq!(mip_levels(&nearest, 8, d).high, level, "{d}");
    }
    let clamped = Sampler { lod_min: 1.5, min: Filter::Linear, ..nearest };
    assert_eq!(mip_levels(&clamped, 8, f64::NEG_INFINITY).filter, Filter::Linear);

    let mut image = Image::new(Format::R32Float, false, [8, 8, 1], 4, 1);
    for level in 0..4 {
        for y in 0..8u32 >> level {
            for x in 0..8u32 >> level {
                image.texel_bytes_mut(level, 0, x, y, 0).copy_from_slice(&(100.0 * level as f32).to_le_bytes());
            }
        }
    }
    let linear = Sampler { mip: Filter::Linear, ..nearest };
    let get = |s: &Sampler, lambda: f64| {
        f32::from_bits(
            sample(&image.view(Dim::D2).view(), s, &Coord::Flat([0.5, 0.5, 0.0], 0), [0; 3], lambda).unwrap()[0],
        )
    };
    for (lambda, v) in [(0.25, 25.0), (1.5, 150.0), (3.0, 300.0), (9.0, 300.0), (-1.0, 0.0)] {
        assert_eq!(get(&linear, lambda), v);
    }
    let ends = Sampler { lod_min: 0.5, lod_max: 2.0, ..linear };
    assert_eq!((get(&ends, 0.0), get(&ends, 9.0)), (50.0, 200.0));
    assert_eq!(get(&linear, f64::from(0.3f32)).to_bits(), 0x41f0_0001);
    let bits = |n| Sampler { precision: Precision { lod_bits: Some(n), ..Precision::default() }, ..linear };
    assert_eq!((get(&bits(8), f64::from(0.3f32)), get(&bits(5), f64::from(0.3f32))), (30.078125, 31.25));
    use gpucc_sim::texture::lod::clamp_bias;
    assert_eq!([0.5, -20.0, 100.0, NAN].map(clamp_bias), [0.5, -16.0, 15.99, 0.0]);

    let image = row();
    let s = Sampler { min: Filter::Linear, wrap: [Wrap::Repeat; 3], ..nearest };
    assert_eq!(at(&image, &s, [0.25, 0.5, 0.0], 0), 20.0);
    assert_eq!(at(&image, &Sampler { lod_min: 0.25, ..s }, [0.25, 0.5, 0.0], 0), 15.0);

    let chain = Image::new(Format::R8Unorm, false, [64, 64, 1], 7, 1);
    let part = ImageView { base_level: 2, levels: 3, ..chain.view(Dim::D2) };
    assert_eq!((part.view().size, part.view().levels), ([16, 16, 1], 3));

    assert_eq!(project_gradient([0.0, 0.0, 1.0], [1.0 / 32.0, 0.0, 0.0]), [1.0 / 64.0, 0.0]);
    assert_eq!(project_gradient([0.0, 0.0, 1.0], [0.0, 0.0, 5.0]), [0.0, 0.0]);
}

#[test]
fn quads() {
    let v = [1.0, 3.0, 10.0, 20.0];
    use quad::Precision::{Coarse, Fine};
    assert_eq!(quad::derivative(Axis::X, Fine, v), [2.0, 2.0, 10.0, 10.0]);
    assert_eq!(quad::derivative(Axis::Y, Fine, v), [9.0, 17.0, 9.0, 17.0]);
    assert_eq!(quad::derivative(Axis::X, Coarse, v), [2.0; 4]);
    assert_eq!(quad::derivative(Axis::Y, Coarse, v), [9.0; 4]);
    assert_eq!(quad::fwidth(Fine, v), [11.0, 19.0, 19.0, 27.0]);
    assert_eq!(quad::fwidth(Coarse, v), [11.0; 4]);
    let swap = |k| [0, 1, 2, 3].map(|lane| v[quad::swapped(lane, k)]);
    assert_eq!(swap(1), [3.0, 1.0, 20.0, 10.0]);
    assert_eq!(swap(2), [10.0, 20.0, 1.0, 3.0]);
    assert_eq!(swap(3), [20.0, 10.0, 3.0, 1.0]);
}

/// A texture whose second column cannot be read.
struct Torn;

impl Texels for Torn {
    fn texel(&self, at: TexelAt) -> Result<Texel, Trap> {
        if at.x == 1 { Err(Trap::new(TrapKind::OutOfBounds, "no texel")) } else { Ok([1f32.to_bits(); 4]) }
    }
}

#[test]
fn an_unreadable_texel_is_a_trap() {
    let view = View {
        dim: Dim::D2,
        size: [4, 1, 1],
        levels: 1,
        layers: 1,
        samples: 1,
        integer: false,
        fixed_depth: false,
        texels: &Torn,
    };
    let s = |filter| Sampler { compare: Some(Compare::Less), ..sampler(Wrap::ClampToEdge, filter) };
    let at = |x: f32| Coord::Flat([x, 0.5, 0.0], 0);
    let kind = |r: Result<Texel, Trap>| r.map_err(|t| t.kind);
    let (near, far) = (s(Filter::Nearest), s(Filter::Linear));
    assert_eq!(kind(sample(&view, &near, &at(0.2), [0; 3], 0.0)), Ok([1f32.to_bits(); 4]));
    assert_eq!(kind(sample(&view, &far, &at(0.2), [0; 3], 0.0)), Err(TrapKind::OutOfBounds));
    assert_eq!(kind(gather(&view, &near, &at(0.2), [0; 3], 0, 0)), Err(TrapKind::OutOfBounds));
    assert!(sample_compare(&view, &far, &at(0.2), [0; 3], 0.0, 0.5).is_err());
    assert!(gather_compare(&view, &far, &at(0.2), [0; 3], 0, 0.5).is_err());
    assert!(load(&view, [1, 0, 0], 0, 0, 0).is_err() && load(&view, [9, 0, 0], 0, 0, 0) == Ok(None));
}

/// A texture of `levels` levels whose texels say where they are: 100 level + 10 y + x.
fn numbered(size: u32, levels: u32) -> Image {
    let mut image = Image::new(Format::R32Float, false, [size, size, 1], levels, 1);
    for level in 0..levels {
        let n = (size >> level).max(1);
        for (y, x) in (0..n).flat_map(|y| (0..n).map(move |x| (y, x))) {
            let value = (100 * level + 10 * y + x) as f32;
            image.texel_bytes_mut(level, 0, x, y, 0).copy_from_slice(&value.to_le_bytes());
        }
    }
    image
}

#[test]
fn one_request_takes_its_level_from_all_that_name_one() {
    let image = numbered(8, 4);
    let view = image.view(Dim::D2);
    let get = |r: Request, s: &Sampler| f32::from_bits(r.run(&view.view(), s).unwrap()[0]);
    let plain = Request::new(Coords::Normalised([0.01, 0.01, 0.0]));
    let (s, t) = (Sampler::default(), 1.0 / 8.0);
    assert_eq!(get(plain, &s), 0.0);
    assert_eq!(get(Request { lod: Lod::Level(2.0), ..plain }, &s), 200.0);
    // A step of four texels to the next pixel is level 2; the bias is added to it, and the limits apply after that.
    let steep = Request { lod: Lod::Gradient([[4.0 * t, 0.0, 0.0], [0.0, t, 0.0]]), ..plain };
    assert_eq!(get(steep, &s), 200.0);
    assert_eq!(get(Request { bias: -1.0, ..steep }, &s), 100.0);
    assert_eq!(get(Request { bias: f32::NAN, ..steep }, &s), 200.0);
    assert_eq!(get(steep, &Sampler { lod_bias: -2.0, ..s }), 0.0);
    assert_eq!(get(steep, &Sampler { lod_max: 1.0, ..s }), 100.0);
    assert_eq!(get(Request { min_lod: 3.0, ..steep }, &s), 300.0);
    assert_eq!(get(Request { min_lod: 1.0, ..plain }, &Sampler { lod_min: 2.0, ..s }), 200.0);
    assert_eq!(get(Request { min_lod: f32::NAN, ..plain }, &Sampler { lod_min: 2.0, ..s }), 200.0);
    let asked = Request { bias: 0.25, what: What::Level, ..steep };
    let fine = Sampler { mip: Filter::Linear, lod_max: 2.0, ..s };
    assert_eq!(asked.run(&view.view(), &fine).unwrap(), [2f32.to_bits(), 2.25f32.to_bits(), 0, 0]);
}

#[test]
fn requests_in_texels_and_on_other_levels() {
    let image = numbered(8, 4);
    let view = image.view(Dim::D2);
    let four = |r: Request| r.run(&view.view(), &Sampler::default()).unwrap().map(f32::from_bits);
    let texels = Request::new(Coords::Texels([3.5, 2.5, 0.0]));
    assert_eq!(four(texels)[0], 23.0);
    assert_eq!(four(Request { offset: [1, -1, 0], ..texels })[0], 14.0);
    // In texels a gradient is one, too.
    let same = Request { lod: Lod::Gradient([[2.0, 0.0, 0.0], [0.0; 3]]), ..texels };
    assert_eq!(four(Request { what: What::Level, ..same })[1], 1.0);
    // Gathers go back by half a texel but for a shift; they stay on the first level but for a level of their own.
    let gather = Request { what: What::Gather(0), ..Request::new(Coords::Normalised([0.5, 0.5, 0.0])) };
    assert_eq!(four(gather), [43.0, 44.0, 34.0, 33.0]);
    assert_eq!(four(Request { shift: 0.5, ..gather }), [54.0, 55.0, 45.0, 44.0]);
    assert_eq!(four(Request { min_lod: 2.0, ..gather }), [43.0, 44.0, 34.0, 33.0]);
    assert_eq!(four(Request { lod: Lod::Level(1.0), ..gather }), [121.0, 122.0, 112.0, 111.0]);
    let compared = Request { reference: Some(34.0), ..gather };
    let less = Sampler { compare: Some(Compare::Less), ..Sampler::default() };
    assert_eq!(compared.run(&view.view(), &less).unwrap().map(f32::from_bits), [1.0, 1.0, 0.0, 0.0]);
    let one = Request { what: What::Sample, ..compared };
    assert_eq!(one.run(&view.view(), &less).unwrap().map(f32::from_bits), [1.0, 0.0, 0.0, 1.0]);
}

#[test]
fn requests_on_cubes_find_face_and_cube() {
    let mut image = Image::new(Format::R32Float, false, [1, 1, 12], 1, 1);
    for face in 0..12 {
        image.texel_bytes_mut(0, face, 0, 0, 0).copy_from_slice(&(face as f32).to_le_bytes());
    }
    let view = image.view(Dim::Cube);
    let get = |r: Request| f32::from_bits(r.run(&view.view(), &Sampler::default()).unwrap()[0]);
    let down = Request::new(Coords::Direction([0.1, -3.0, 0.2]));
    assert_eq!(get(down), 3.0);
    assert_eq!(get(Request { layer: Layer::Rounded(0.6), ..down }), 9.0);
    assert_eq!(get(Request { layer: Layer::Index(7), ..down }), 9.0);
    let face = Request::new(Coords::Face(Face { face: 4, s: 0.5, t: 0.5 }));
    assert_eq!(get(Request { layer: Layer::Index(-1), ..face }), 4.0);
}

#[test]
fn texels_in_memory_are_read_by_words() {
    let bytes: Vec<u8> = (0..64).collect();
    let read = |size: u32| {
        let asked = std::cell::RefCell::new(Vec::new());
        let load = |at: u64, n: u32| {
            asked.borrow_mut().push((at, n));
            Ok((0..u64::from(n)).map(|k| u64::from(bytes[(at + k) as usize]) << (8 * k)).sum())
        };
        let place = |at: TexelAt| u64::from(size * (at.x + 2 * at.y));
        let words = |raw: u128| [raw as u32, (raw >> 32) as u32, (raw >> 64) as u32, (raw >> 96) as u32];
        let texel =
            MemoryTexels::new(place, size, load, words).texel(TexelAt { x: 1, y: 1, ..TexelAt::default() }).unwrap();
        (texel, asked.into_inner())
    };
    assert_eq!(read(1), ([3, 0, 0, 0], vec![(3, 1)]));
    assert_eq!(read(2), ([0x0706, 0, 0, 0], vec![(6, 2)]));
    assert_eq!(read(8), ([0x1b1a_1918, 0x1f1e_1d1c, 0, 0], vec![(24, 4), (28, 4)]));
    let wide = vec![(48, 4), (52, 4), (56, 4), (60, 4)];
    assert_eq!(read(16), ([0x3332_3130, 0x3736_3534, 0x3b3a_3938, 0x3f3e_3d3c], wide));
    let torn = MemoryTexels::new(|_| 0, 4, |_, _| Err(Trap::new(TrapKind::OutOfBounds, "none")), |_| [0; 4]);
    assert!(torn.texel(TexelAt::default()).is_err());
    assert!(NoTexels.texel(TexelAt::default()).is_err());
}
