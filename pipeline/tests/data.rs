//! Names, sizes, and what makes two pipelines equal.

use std::hash::{DefaultHasher, Hash, Hasher};

use gpucc_pipeline::*;

#[test]
fn names_read_back() {
    macro_rules! check {
        ($($t:ident)*) => {$(
            for &v in $t::ALL {
                assert_eq!($t::parse(v.name()), Some(v));
            }
            assert_eq!($t::parse("none-of-them"), None);
        )*};
    }
    check!(Topology IndexFormat StepMode FrontFace CullMode Compare Filter StencilOperation BlendOperation BlendFactor);
    check!(VertexFormat);
    assert_eq!(Compare::NAMES.to_vec(), Compare::ALL.iter().map(|c| c.name()).collect::<Vec<_>>());
    for &f in Format::ALL {
        assert_eq!(Format::parse(f.name()), Ok(f));
    }
    assert_eq!(Format::parse("astc-4x4-unorm"), Err(FormatError::Compressed("astc-4x4-unorm".into())));
}

#[test]
fn sizes() {
    for (f, bytes, components) in [
        (Format::R8Unorm, 1, 1),
        (Format::Rg11b10Ufloat, 4, 3),
        (Format::Rgba16Float, 8, 4),
        (Format::Rgba32Uint, 16, 4),
        (Format::Depth16Unorm, 2, 1),
    ] {
        assert_eq!((f.bytes(), f.components()), (bytes, components), "{}", f.name());
    }
    for (f, bytes, components) in [
        (VertexFormat::Uint8, 1, 1),
        (VertexFormat::Float32x3, 12, 3),
        (VertexFormat::Snorm16x4, 8, 4),
        (VertexFormat::Unorm10_10_10_2, 4, 4),
        (VertexFormat::Unorm8x4Bgra, 4, 4),
    ] {
        assert_eq!((f.bytes(), f.components()), (bytes, components), "{}", f.name());
    }
    assert!(Format::Rgba8Unorm.blendable() && !Format::Rgba8Uint.blendable() && !Format::Rgb9e5Ufloat.renderable());
}

#[test]
fn equality_is_by_bits() {
    let hash = |p: &Pipeline| {
        let mut h = DefaultHasher::new();
        p.hash(&mut h);
        h.finish()
    };
    let plain = Pipeline::default();
    assert_eq!((plain.samples, plain.sample_mask), (1, u32::MAX));
    let with = |slope| Pipeline { bias: DepthBias { slope, ..DepthBias::default() }, ..Pipeline::default() };
    assert!(plain == with(0.0) && hash(&plain) == hash(&with(0.0)));
    assert!(plain != with(-0.0) && hash(&plain) != hash(&with(-0.0)));
    assert!(with(f32::NAN) == with(f32::NAN));
    let dual = BlendComponent { src: BlendFactor::Src1, ..BlendComponent::default() };
    assert!(Blend { color: dual, ..Blend::default() }.reads_second() && !Blend::default().reads_second());
}
