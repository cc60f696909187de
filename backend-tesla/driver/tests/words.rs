//! Words that Tesla's driver part writes, against those that `isa/graphics-tesla.md` has from another driver.

use gpucc_sim::texture::{Compare, Dim, Filter, Format, Sampler, Wrap};
use gpucc_tesla_driver::{TextureView, sampler_words, texture_words};

fn view(format: Format, dim: Dim, size: [u32; 3], levels: u32, tile: [u32; 2]) -> TextureView {
    TextureView {
        address: 0,
        format,
        component: None,
        dim,
        arrayed: false,
        multisampled: false,
        size,
        layers: if dim == Dim::Cube { 6 } else { 1 },
        levels,
        view: [0, levels - 1],
        tile,
        short: false,
        depth16: true,
    }
}

/// Words 0, 2, 4, 5 and 7.
fn checked(v: &TextureView) -> [u32; 5] {
    let w = texture_words(v);
    assert_eq!((w[3], w[6]), (0x0030_0000, 0x0300_0000));
    [w[0], w[2], w[4], w[5], w[7]]
}

#[test]
fn texture_descriptors_are_those_of_the_reference() {
    let flat = |format, w, h, levels, rows| view(format, Dim::D2, [w, h, 1], levels, [rows, 0]);
    let rgba = flat(Format::Rgba8Unorm, 16, 16, 5, 2);
    assert_eq!(checked(&rgba), [0x2c69_2488, 0xd080_5000, 0x8000_0010, 0x4001_0010, 0x40]);
    let srgb = flat(Format::Rgba8UnormSrgb, 100, 60, 1, 4);
    assert_eq!(checked(&srgb), [0x2c69_2488, 0xd100_5400, 0x8000_0064, 0x0001_003c, 0]);
    let r32 = flat(Format::R32Float, 32, 8, 1, 1);
    assert_eq!(checked(&r32), [0x380b_ffcf, 0xd040_5000, 0x8000_0020, 0x0001_0008, 0]);
    for (format, word) in [
        (Format::Rgba8Uint, 0x2c6a_4908),
        (Format::Rgba8Sint, 0x2c69_b6c8),
        (Format::Rgba8Snorm, 0x2c68_9248),
        (Format::R32Uint, 0x300a_490f),
        (Format::Depth24Plus, 0x380a_48aa),
        (Format::Depth16Unorm, 0x380a_48ba),
        (Format::Depth24PlusStencil8, 0x380a_48ab),
    ] {
        assert_eq!(checked(&flat(format, 16, 16, 1, 2))[0], word, "{}", format.name());
    }
    let depth = flat(Format::Depth32Float, 64, 64, 1, 4);
    assert_eq!(checked(&depth), [0x380a_49ef, 0xd100_5000, 0x8000_0040, 0x0001_0040, 0]);
    let array = TextureView { arrayed: true, layers: 5, ..flat(Format::Rgba8Unorm, 16, 16, 3, 2) };
    assert_eq!(checked(&array), [0x2c69_2488, 0xd081_5000, 0x8000_0010, 0x2005_0010, 0x20]);
    let cube = view(Format::Rgba8Unorm, Dim::Cube, [32, 32, 1], 2, [3, 0]);
    assert_eq!(checked(&cube)[1..], [0xd0c0_d000, 0x8000_0020, 0x1001_0020, 0x10]);
    let cubes =
        TextureView { arrayed: true, layers: 12, ..view(Format::Rgba8Unorm, Dim::Cube, [32, 32, 1], 1, [3, 0]) };
    assert_eq!(checked(&cubes)[1..], [0xd0c2_1000, 0x8000_0020, 0x0002_0020, 0]);
    let volume = view(Format::Rgba8Unorm, Dim::D3, [16, 8, 6], 2, [1, 3]);
    assert_eq!(checked(&volume), [0x2c69_2488, 0xd640_9000, 0x8000_0010, 0x1006_0008, 0x10]);
    let samples = TextureView { multisampled: true, ..flat(Format::Rgba8Unorm, 100, 60, 1, 4) };
    assert_eq!(checked(&samples)[1..], [0xd101_d000, 0x8000_0064, 0x0001_003c, 0]);
}

#[test]
fn sampler_descriptors_are_those_of_the_reference() {
    let linear = Sampler {
        wrap: [Wrap::Repeat; 3],
        mag: Filter::Linear,
        min: Filter::Linear,
        mip: Filter::Linear,
        lod_max: 15.0,
        ..Sampler::default()
    };
    assert_eq!(sampler_words(&linear)[..3], [0x0002_6000, 0x0000_00e2, 0x00f0_0000]);
    // Wrap of all three axes: the reference has that of the first alone.
    let clamp = sampler_words(&Sampler { wrap: [Wrap::ClampToEdge, Wrap::Repeat, Wrap::Repeat], ..linear });
    assert_eq!(clamp[0], 0x0002_6002);
    let mirror = sampler_words(&Sampler { wrap: [Wrap::MirrorRepeat, Wrap::Repeat, Wrap::Repeat], ..linear });
    assert_eq!(mirror[0], 0x0002_6001);
    let nearest = Sampler { mag: Filter::Nearest, min: Filter::Nearest, mip: Filter::Nearest, ..linear };
    assert_eq!(sampler_words(&nearest)[1], 0x91);
    let less = sampler_words(&Sampler { compare: Some(Compare::Less), ..linear });
    assert_eq!(less[0], 0x0002_6600);
    let levels = sampler_words(&Sampler { lod_min: 1.5, lod_max: 3.25, ..linear });
    assert_eq!(levels[2], 0x0034_0180);
}
