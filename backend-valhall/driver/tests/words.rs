//! Valhall's driver part against the descriptors that drivers filled (`isa/graphics-valhall.md`, section b, the table): all words of
//! them, but for addresses.

use gpucc_pipeline::{Blend, BlendComponent, BlendFactor, BlendOperation, Target, VertexFormat};
use gpucc_sim::texture::{Compare, Dim, Filter, Format, Sampler, Wrap};
use gpucc_valhall_driver::{
    TextureView, attribute_words, blend_words, buffer_words, dummy_sampler, sampler_words, texture_words,
    vertex_format_bits,
};

#[test]
fn textures_are_the_dumped_ones() {
    let plain = TextureView {
        format: Format::Rgba8Unorm,
        dim: Dim::D2,
        size: [64, 32, 1],
        levels: 1,
        layers: 1,
        samples: 1,
        tiled: true,
        planes: 0,
    };
    let cube = TextureView { dim: Dim::Cube, size: [32, 32, 1], ..plain };
    let square = TextureView { size: [32, 32, 1], ..plain };
    for (view, words) in [
        (TextureView { levels: 4, ..plain }, [0x2ec0_0022, 0x001f_003f, 0x0003_1688, 0x0300_0000, 0, 0, 0, 0]),
        (
            TextureView { format: Format::R32Float, layers: 5, ..square },
            [0x29c0_4022, 0x001f_001f, 0x0000_1688, 0, 0, 0, 4, 0],
        ),
        (
            TextureView { dim: Dim::D3, size: [16, 8, 4], ..plain },
            [0x2ec0_0032, 0x0007_000f, 0x0000_1688, 0, 0, 0, 0, 3],
        ),
        (
            TextureView { format: Format::Rgba8UnormSrgb, levels: 2, ..cube },
            [0x6ec0_0002, 0x001f_001f, 0x0001_1688, 0x0100_0000, 0, 0, 0, 0],
        ),
        (TextureView { layers: 2, ..cube }, [0x2ec0_0002, 0x001f_001f, 0x0000_1688, 0, 0, 0, 1, 0]),
        (TextureView { samples: 4, ..square }, [0x2ec0_0022, 0x001f_001f, 0x0000_1688, 0x4000, 0, 0, 0, 0]),
        (
            TextureView { format: Format::Depth32Float, ..square },
            [0x29c0_0022, 0x001f_001f, 0x0000_1b20, 0, 0, 0, 0, 0],
        ),
        (TextureView { format: Format::R32Uint, ..square }, [0x2140_4022, 0x001f_001f, 0x0000_1688, 0, 0, 0, 0, 0]),
    ] {
        assert_eq!(texture_words(&view), words, "{view:?}");
    }
}

#[test]
fn samplers_and_buffers_are_the_dumped_ones() {
    let wrap = [Wrap::Repeat, Wrap::MirrorRepeat, Wrap::ClampToEdge];
    let linear = Sampler {
        wrap,
        mag: Filter::Linear,
        min: Filter::Linear,
        mip: Filter::Linear,
        lod_min: 0.25,
        lod_max: 2.5,
        lod_bias: -1.5,
        seamless: true,
        ..Sampler::default()
    };
    assert_eq!(sampler_words(&linear), [0xc2a8_c901, 0x0280_0040, 0x0000_fe80, 0, 0, 0, 0, 0]);
    let nearest = Sampler {
        wrap,
        mag: Filter::Nearest,
        min: Filter::Nearest,
        mip: Filter::Nearest,
        lod_min: 0.25,
        lod_max: 32.0,
        compare: Some(Compare::LessEqual),
        seamless: true,
        ..Sampler::default()
    };
    assert_eq!(sampler_words(&nearest), [0x1a88_c901, 0x1fff_c040, 0, 0, 0, 0, 0, 0]);
    assert_eq!(dummy_sampler(), [0x02a9_9901, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(buffer_words(0x12_3456_7890, 64), [0x19, 0x40, 0x3456_7890, 0x12, 0, 0, 0, 0]);
}

#[test]
fn attributes_are_the_dumped_ones() {
    for (format, of_instance, offset, buffer, stride, words) in [
        (VertexFormat::Float32x3, false, 0, 0x11, 20, [0x2dc0_4115, 0, 0, 0x11, 0x14]),
        (VertexFormat::Unorm8x4, false, 12, 0x11, 20, [0x2ec0_0115, 0, 0xc, 0x11, 0x14]),
        (VertexFormat::Uint16x2, false, 16, 0x11, 20, [0x2300_4115, 0, 0x10, 0x11, 0x14]),
        (VertexFormat::Float32, true, 0, 0x12, 4, [0x29c0_4015, 0x40, 0, 0x12, 4]),
    ] {
        let bits = vertex_format_bits(format).unwrap();
        assert_eq!(attribute_words(bits, of_instance, offset, buffer, stride)[..5], words, "{format:?}");
    }
}

#[test]
fn blends_are_the_dumped_ones() {
    let sum = |src, dst| BlendComponent { src, dst, operation: BlendOperation::Add };
    let color = sum(BlendFactor::SrcAlpha, BlendFactor::OneMinusSrcAlpha);
    let alpha = sum(BlendFactor::One, BlendFactor::Zero);
    let mut target = Target::new(Format::Rgba8Unorm);
    target.blend = Some(Blend { color, alpha });
    assert_eq!(blend_words(0, Some(&target)), [0x0a01, 0xf013_2503, 0x1a, 0x000e_d000]);
    let integers = Target::new(Format::Rgba32Uint);
    assert_eq!(blend_words(1, Some(&integers)), [0x0a00, 0xf012_2122, 0x0001_0019, 0x0009_d000]);
}
