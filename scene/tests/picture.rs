//! Pictures: the rule for each kind of format by values worked out by hand, and PNG files.

use gpucc_pipeline::Format;
use gpucc_scene::model::Aspect;
use gpucc_scene::{Picture, output};
use gpucc_sim::texture::Image;

fn pixel(format: Format, bytes: &[u8]) -> [u8; 4] {
    let mut image = Image::new(format, false, [1, 1, 1], 1, 1);
    image.bytes.copy_from_slice(bytes);
    let p = Picture::of(&image, 0, 0, Aspect::All);
    assert_eq!((p.width, p.height), (1, 1));
    p.rgba.try_into().expect("one pixel")
}

fn halves(list: &[u16]) -> Vec<u8> {
    list.iter().flat_map(|v| v.to_le_bytes()).collect()
}

fn words(list: &[u32]) -> Vec<u8> {
    list.iter().flat_map(|v| v.to_le_bytes()).collect()
}

#[test]
fn each_kind_of_format_has_its_rule() {
    let f = |list: &[f32]| words(&list.iter().map(|v| v.to_bits()).collect::<Vec<_>>());
    let table: [(Format, Vec<u8>, [u8; 4]); 22] = [
        // Codes as they are; one component is grey, a missing one 0, a missing alpha opaque.
        (Format::Rgba8Unorm, vec![1, 2, 3, 4], [1, 2, 3, 4]),
        (Format::Rgba8UnormSrgb, vec![1, 128, 3, 4], [1, 128, 3, 4]),
        (Format::Bgra8Unorm, vec![1, 2, 3, 4], [3, 2, 1, 4]),
        (Format::Bgra8UnormSrgb, vec![1, 2, 3, 4], [3, 2, 1, 4]),
        (Format::R8Unorm, vec![9], [9, 9, 9, 255]),
        (Format::Rg8Unorm, vec![9, 8], [9, 8, 0, 255]),
        // Signed fractions: below 0 is 0; 127 is 1, 64/127 * 255 = 128.50.
        (Format::Rgba8Snorm, vec![127, 64, 0x80, 0xff], [255, 129, 0, 0]),
        // 32768/65535 * 255 = 127.502; 128/65535 * 255 = 0.498; 129/65535 * 255 = 0.502.
        (Format::Rgba16Unorm, halves(&[0xffff, 32768, 128, 129]), [255, 128, 0, 1]),
        // 1.0, 0.5 (127.5 is rounded up), 2.0 and NaN.
        (Format::Rgba16Float, halves(&[0x3c00, 0x3800, 0x4000, 0x7e00]), [255, 128, 255, 0]),
        (Format::R16Float, halves(&[0x3800]), [128, 128, 128, 255]),
        (Format::Rgba32Float, f(&[0.25, -1.0, f32::INFINITY, 0.3]), [64, 0, 255, 77]),
        (Format::Rg32Float, f(&[1.0, 0.5]), [255, 128, 0, 255]),
        // Red 1023, green 512 (127.6), blue 1 (0.249), alpha 2 of 3.
        (Format::Rgb10a2Unorm, words(&[1023 | 512 << 10 | 1 << 20 | 2 << 30]), [255, 128, 0, 170]),
        // Red 1.0 (15 << 6), green 0.5 (14 << 6), blue 2.0 (16 << 5).
        (Format::Rg11b10Ufloat, words(&[15 << 6 | (14 << 6) << 11 | (16 << 5) << 22]), [255, 128, 255, 255]),
        // Mantissas 256, 128, 64 with exponent 16: 1.0, 0.5, 0.25 (times 2^-8).
        (Format::Rgb9e5Ufloat, words(&[256 | 128 << 9 | 64 << 18 | 16 << 27]), [255, 128, 64, 255]),
        // Integers: the low 8 bits.
        (Format::Rgba8Uint, vec![1, 2, 3, 4], [1, 2, 3, 4]),
        (Format::R32Uint, words(&[0x1234_5678]), [0x78, 0x78, 0x78, 255]),
        (Format::Rg16Sint, halves(&[0xffff, 0x0102]), [255, 2, 0, 255]),
        (Format::Rgb10a2Uint, words(&[0x3ff | 0x101 << 10 | 2 << 20 | 3 << 30]), [255, 1, 2, 3]),
        // Depth and stencil: grey.
        (Format::Depth16Unorm, halves(&[0xffff]), [255, 255, 255, 255]),
        (Format::Depth32Float, f(&[0.25]), [64, 64, 64, 255]),
        (Format::Stencil8, vec![77], [77, 77, 77, 255]),
    ];
    for (format, bytes, want) in table {
        assert_eq!(pixel(format, &bytes), want, "{}", format.name());
    }
}

#[test]
fn aspects_of_combined_formats_come_apart() {
    let mut image = Image::new(Format::Depth32FloatStencil8, false, [2, 1, 1], 1, 1);
    image.bytes.copy_from_slice(&[0, 0, 0, 0x3f, 7, 0, 0, 0, 0, 0, 0x80, 0x3e, 9, 0, 0, 0]);
    assert_eq!(output::texture_bytes(&image, 0, 0..1, Aspect::DepthOnly), [0, 0, 0, 0x3f, 0, 0, 0x80, 0x3e]);
    assert_eq!(output::texture_bytes(&image, 0, 0..1, Aspect::StencilOnly), [7, 9]);
    assert_eq!(Picture::of(&image, 0, 0, Aspect::StencilOnly).rgba, [7, 7, 7, 255, 9, 9, 9, 255]);
    assert_eq!(Picture::of(&image, 0, 0, Aspect::DepthOnly).rgba, [128, 128, 128, 255, 64, 64, 64, 255]);
    let mut image = Image::new(Format::Depth24PlusStencil8, false, [1, 1, 1], 1, 1);
    image.bytes.copy_from_slice(&[1, 2, 3, 4]);
    assert_eq!(output::texture_bytes(&image, 0, 0..1, Aspect::StencilOnly), [4]);
}

#[test]
fn a_png_file_gives_its_picture_back() {
    let rgba: Vec<u8> = (0..31 * 17 * 4).map(|k: u32| (k.wrapping_mul(0x9E37_79B1) >> 24) as u8).collect();
    let p = Picture { width: 31, height: 17, rgba };
    let bytes = p.to_png();
    assert_eq!(bytes, p.to_png(), "the same picture gives the same file");
    assert_eq!(Picture::from_png(&bytes, Some([31, 17])).as_ref(), Ok(&p));
    assert_eq!(Picture::from_png(&bytes, None), Ok(p));
}

/// Files of other kinds are expanded; of 16 bits the high 8 are kept.
#[test]
fn other_png_files_are_expanded() {
    let file = |color: png::ColorType, depth: png::BitDepth, data: &[u8]| {
        let mut out = Vec::new();
        let mut e = png::Encoder::new(&mut out, 1, 1);
        e.set_color(color);
        e.set_depth(depth);
        e.set_palette(vec![9, 8, 7]);
        e.write_header().expect("a head").write_image_data(data).expect("data");
        Picture::from_png(&out, None).map(|p| p.rgba)
    };
    use png::BitDepth::{Eight, Sixteen};
    assert_eq!(file(png::ColorType::Rgb, Eight, &[1, 2, 3]), Ok(vec![1, 2, 3, 255]));
    assert_eq!(file(png::ColorType::Grayscale, Eight, &[5]), Ok(vec![5, 5, 5, 255]));
    assert_eq!(file(png::ColorType::GrayscaleAlpha, Eight, &[5, 6]), Ok(vec![5, 5, 5, 6]));
    assert_eq!(file(png::ColorType::Indexed, Eight, &[0]), Ok(vec![9, 8, 7, 255]));
    let wide = file(png::ColorType::Rgba, Sixteen, &[1, 255, 2, 128, 3, 0, 4, 127]);
    assert_eq!(wide, Ok(vec![1, 2, 3, 4]));
    assert_eq!(file(png::ColorType::Grayscale, Sixteen, &[5, 200]), Ok(vec![5, 5, 5, 255]));
}

/// A head that promises much is refused by its size; every broken file is an error, none a panic.
#[test]
fn broken_png_files_are_errors() {
    let p = Picture { width: 3, height: 3, rgba: vec![200; 36] };
    let good = p.to_png();
    for n in 0..good.len() {
        let _ = Picture::from_png(&good[..n], Some([3, 3]));
        let mut bent = good.clone();
        bent[n] ^= 0x41;
        let _ = Picture::from_png(&bent, Some([3, 3]));
        let _ = Picture::from_png(&bent, None);
    }
    assert!(Picture::from_png(&good[..20], None).is_err());
    assert!(Picture::from_png(b"", None).is_err());
}
