//! GCN's driver part against descriptors and tables dumped from a real driver (graphics reference, section b), and what it keeps away
//! from.

use std::path::Path;

use gpucc_container::{Access, Entry, Resource, ResourceKind};
use gpucc_drivers::DriverPart;
use gpucc_gcn_driver::{
    self, Chip, Slot, SlotKind, TextureView, buffer_words, sampler_words, slot_size, table_layout, texture_words,
};
use gpucc_sim::texture::{Compare, Dim, Filter, Format, Image, Sampler, Wrap};
use gpucc_sim::{BoundTexture, Dispatch};

/// Bits of word 3 that the dumps leave out: the index of the tile mode.
const TILING: u32 = 0x01f0_0000;

fn image(format: Format) -> TextureView {
    TextureView {
        address: 0x12_3456_7800,
        format,
        dim: Dim::D2,
        size: [64, 48, 1],
        image_layers: 1,
        image_levels: 1,
        pitch: 64,
        samples: 1,
        first_level: 0,
        levels: 1,
        first_layer: 0,
        layers: 1,
    }
}

fn words(v: TextureView) -> [u32; 8] {
    let mut w = texture_words(&v);
    assert_eq!(w[3] & TILING, 8 << 20, "the linear layout");
    w[3] &= !TILING;
    w
}

#[test]
fn texture_descriptors_are_the_dumped_ones() {
    let plain = image(Format::Rgba8Unorm);
    assert_eq!(words(plain), [0x1234_5678, 0x00a0_0000, 0x400b_c03f, 0x9000_0fac, 0x0007_e000, 0, 0, 0]);
    let mip = TextureView { image_levels: 6, levels: 6, ..plain };
    assert_eq!(words(mip)[3], 0x9205_0fac);
    let view = words(TextureView { first_level: 1, levels: 2, ..mip });
    assert_eq!((view[2], view[3]), (0x400b_c03f, 0x9202_1fac));
    for (format, word1, select) in [
        (Format::Rgba8UnormSrgb, 0x24a0_0000, 0xfac),
        (Format::Bgra8Unorm, 0x00a0_0000, 0xf2e),
        (Format::Rgba8Snorm, 0x04a0_0000, 0xfac),
        (Format::Rgba8Uint, 0x10a0_0000, 0xfac),
        (Format::Rgba8Sint, 0x14a0_0000, 0xfac),
        (Format::R8Unorm, 0x0010_0000, 0x204),
        (Format::Rg8Unorm, 0x0030_0000, 0x22c),
        (Format::R32Float, 0x1c40_0000, 0x204),
        (Format::R32Uint, 0x1040_0000, 0x204),
        (Format::Rgba16Float, 0x1cc0_0000, 0xfac),
        (Format::Rgba32Float, 0x1ce0_0000, 0xfac),
        (Format::Rg11b10Ufloat, 0x1c60_0000, 0x3ac),
        (Format::Rgb10a2Unorm, 0x0090_0000, 0xfac),
        (Format::Rgb9e5Ufloat, 0x1e20_0000, 0x3ac),
        (Format::Depth32Float, 0x1c40_0000, 0x204),
        (Format::Depth16Unorm, 0x0020_0000, 0x204),
        (Format::Stencil8, 0x1010_0000, 0x204),
    ] {
        let w = words(image(format));
        assert_eq!((w[1], w[3]), (word1, 0x9000_0000 | select), "{}", format.name());
    }
    let line = words(TextureView { dim: Dim::D1, size: [64, 1, 1], ..plain });
    assert_eq!((line[2], line[3]), (0x4000_003f, 0x8000_0fac));
    let array = TextureView { image_layers: 5, layers: 5, ..plain };
    let w = words(array);
    assert_eq!((w[3], w[4], w[5]), (0xd000_0fac, 0x0007_e004, 0x0000_8000));
    assert_eq!(words(TextureView { first_layer: 1, layers: 3, ..array })[5], 0x0000_6001);
    let cube = TextureView { dim: Dim::Cube, size: [32, 32, 1], pitch: 32, image_layers: 6, layers: 6, ..plain };
    let w = words(cube);
    assert_eq!((w[2], w[3], w[4] & 0x1fff, w[5]), (0x4007_c01f, 0xb000_0fac, 0, 5 << 13));
    let w = words(TextureView { image_layers: 12, layers: 12, ..cube });
    assert_eq!((w[3], w[4] & 0x1fff, w[5]), (0xb000_0fac, 1, 0xb << 13));
    let volume = TextureView { dim: Dim::D3, size: [32, 16, 8], pitch: 32, ..plain };
    let w = words(volume);
    assert_eq!((w[2], w[3], w[4], w[5]), (0x4003_c01f, 0xa000_0fac, 0x0003_e007, 0));
    assert_eq!(words(TextureView { samples: 4, ..plain })[3], 0xe002_0fac);
}

#[test]
fn storage_views_have_size_and_address_of_their_level() {
    let mut texture = Image::new(Format::R32Uint, false, [64, 48, 1], 3, 1);
    texture.bytes.fill(7);
    let resource = |kind, access| Resource::new(kind, access, (0, 0), 0);
    let entry = |kind| Entry { resources: vec![resource(kind, Access::ReadWrite)], ..Entry::default() };
    let view = BoundTexture { base_level: 1, levels: 1, ..BoundTexture::whole(0, 0, 0, &texture, Dim::D2) };
    let dispatch = Dispatch::new([1; 3]).with_image(texture).with_view(view);
    let device = gpucc_gcn_driver::part("gfx8", None)
        .expect("a driver part")
        .upload(&entry(ResourceKind::StorageTexture), &dispatch)
        .unwrap();
    let words = &device.descriptors[0].words;
    assert_eq!(words.len(), 8);
    // Level 0 has 48 rows of 256 bytes.
    assert_eq!(u64::from(words[0]) << 8, device.residents[0].address + 48 * 256);
    // 32x24, one level, a pitch of 32.
    assert_eq!((words[2], words[3] & 0x000f_f000, words[4]), (0x4005_c01f, 0, 31 << 13));
    assert!(device.residents[0].writable);
    // Sampled, it is level 1 of the image, and a null T# of its FMASK stands behind it.
    let device = gpucc_gcn_driver::part("gfx8", None)
        .expect("a driver part")
        .upload(&entry(ResourceKind::Texture), &dispatch)
        .unwrap();
    let words = &device.descriptors[0].words;
    assert_eq!((words[2], words[3] & 0x000f_f000), (0x400b_c03f, 0x0001_1000));
    assert_eq!(words[8..], [0; 8]);
    assert!(!device.residents[0].writable);
}

#[test]
fn sampler_descriptors_are_the_dumped_ones() {
    let plain = Sampler::default();
    let wrap = |w| [w; 3];
    let (near, lin) = (Filter::Nearest, Filter::Linear);
    let all = |w: Wrap, mag, min, mip| Sampler { wrap: wrap(w), mag, min, mip, ..plain };
    let edge = Wrap::ClampToEdge;
    let mixed = Sampler { wrap: [Wrap::Repeat, edge, Wrap::MirrorRepeat], mag: lin, min: near, ..plain };
    let cases: [(Sampler, [u32; 4]); 7] = [
        (plain, [0x8800_0092, 0x00f0_0000, 0x6400_0000, 0]),
        (all(Wrap::Repeat, lin, lin, lin), [0x8000_0000, 0x00f0_0000, 0x6850_0000, 0]),
        (
            Sampler { lod_min: 1.0, lod_max: 4.0, ..all(Wrap::MirrorRepeat, lin, lin, near) },
            [0x8000_0049, 0x0040_0100, 0x6450_0000, 0],
        ),
        (mixed, [0x8000_0050, 0x00f0_0000, 0x6410_0000, 0]),
        (
            Sampler { compare: Some(Compare::Less), ..all(edge, lin, lin, near) },
            [0x8000_1092, 0x00f0_0000, 0x6450_0000, 0],
        ),
        (Sampler { compare: Some(Compare::LessEqual), ..plain }, [0x8800_3092, 0x00f0_0000, 0x6400_0000, 0]),
        (Sampler { lod_min: 0.25, lod_max: 0.25, ..plain }, [0x8800_0092, 0x0004_0040, 0x6400_0000, 0]),
    ];
    for (sampler, want) in cases {
        assert_eq!(sampler_words(Chip::Gfx8, &sampler).unwrap(), want);
        // COMPAT_MODE is gfx8's.
        assert_eq!(sampler_words(Chip::Older, &sampler).unwrap()[0], want[0] & 0x7fff_ffff);
    }
    assert!(
        sampler_words(Chip::Gfx8, &Sampler { border: [5; 4], ..all(Wrap::ClampToBorder, near, near, near) }).is_err()
    );
    assert_eq!(buffer_words(0x12_3456_7800, 400), [0x3456_7800, 0x12, 0x190, 0x0002_7fac]);
}

#[test]
fn tables_of_other_programs_are_laid_out_alike() {
    let root = std::env::var("GPUCC_SHARED").unwrap_or_else(|_| "../../../shared".into());
    let path = Path::new(&root).join("foreign/graphics/gcn.jsonl");
    let Ok(text) = std::fs::read_to_string(&path) else {
        eprintln!("skipped: no {}", path.display());
        return;
    };
    let mut tables = 0;
    for line in text.lines() {
        let program: serde_json::Value = serde_json::from_str(line).unwrap();
        let number = |v: &serde_json::Value| v.as_u64().unwrap() as u32;
        let rows = program["state"]["descriptors"].as_array().cloned().unwrap_or_default();
        let mut sets: Vec<u32> = rows.iter().map(|r| number(&r["set"])).collect();
        sets.dedup();
        for set in sets {
            let rows: Vec<_> = rows.iter().filter(|r| number(&r["set"]) == set).collect();
            let slot = |r: &&serde_json::Value| {
                let kind = match r["kind"].as_str().unwrap() {
                    "sampled image" => SlotKind::SampledImage,
                    "storage image" => SlotKind::StorageImage,
                    "sampler" => SlotKind::Sampler,
                    _ => SlotKind::Buffer,
                };
                let count = number(&r["size"]) / slot_size(kind);
                Slot { binding: number(&r["binding"]), kind, count }
            };
            let slots: Vec<Slot> = rows.iter().map(slot).collect();
            let want: Vec<u32> = rows.iter().map(|r| number(&r["offset"])).collect();
            assert_eq!(table_layout(&slots), want, "{}", program["id"]);
            tables += 1;
        }
    }
    assert!(tables > 20, "{tables} tables");
}
