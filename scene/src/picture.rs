//! Pictures of 8-bit RGBA, and their files.

use std::cell::RefCell;
use std::io::Write;
use std::rc::Rc;

use gpucc_pipeline::{Base, Code, Layout};
use gpucc_sim::texture::{Codec, Image};

use crate::model::Aspect;

/// A picture of 8 bits a component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Width of the picture in pixels.
    pub width: u32,
    /// Height of the picture in pixels.
    pub height: u32,
    /// Red, green, blue, alpha of each pixel, rows from top to bottom.
    pub rgba: Vec<u8>,
}

/// Bytes of pixels from which on a file is packed fast, not well.
const LARGE: usize = 4 << 20;

impl Picture {
    /// The picture of a layer or slice of a level. Codes of 8-bit unorm and sRGB formats are kept, other floats are
    /// clamped to 0..1, integers keep their low 8 bits; one component is grey, a missing alpha is opaque. Level and
    /// layer are in range.
    pub fn of(image: &Image, level: u32, layer: u32, aspect: Aspect) -> Picture {
        let [width, height, _] = image.level_size(level);
        let mut rgba = Vec::with_capacity(width as usize * height as usize * 4);
        for y in 0..height {
            for x in 0..width {
                rgba.extend(pixel(image, image.texel_bytes(level, layer, x, y, 0), aspect));
            }
        }
        Picture { width, height, rgba }
    }

    /// A picture of one colour.
    pub fn filled(width: u32, height: u32, colour: [u8; 4]) -> Picture {
        let pixels = width as usize * height as usize;
        Picture { width, height, rgba: colour.repeat(pixels) }
    }

    /// Where a pixel begins, if there is one.
    fn at(&self, x: u32, y: u32) -> Option<usize> {
        let is_inside = x < self.width && y < self.height;
        is_inside.then(|| (y as usize * self.width as usize + x as usize) * 4)
    }

    /// The pixel at a place, if it is inside.
    pub fn pixel(&self, x: u32, y: u32) -> Option<[u8; 4]> {
        let at = self.at(x, y)?;
        self.rgba.get(at..at + 4)?.try_into().ok()
    }

    /// Sets the pixel at a place; nothing happens outside.
    pub fn set(&mut self, x: u32, y: u32, colour: [u8; 4]) {
        if let Some(pixel) = self.at(x, y).and_then(|at| self.rgba.get_mut(at..at + 4)) {
            pixel.copy_from_slice(&colour);
        }
    }

    /// Whether all pixels are alike, of several.
    pub fn is_plain(&self) -> bool {
        let mut pixels = self.rgba.chunks_exact(4);
        let first = pixels.next();
        self.rgba.len() > 4 && pixels.all(|p| Some(p) == first)
    }

    /// The bytes of a PNG file: the same for the same picture.
    pub fn to_png(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let mut encoder = png::Encoder::new(&mut out, self.width, self.height);
        encoder.set_color(png::ColorType::Rgba);
        encoder.set_depth(png::BitDepth::Eight);
        // Packing a large picture well took a quarter of the time of its drawing.
        if self.rgba.len() > LARGE {
            encoder.set_compression(png::Compression::Fast);
        }
        // Writing to memory cannot fail, and sizes fit: a texture has at least one texel.
        if let Ok(mut writer) = encoder.write_header() {
            let _ = writer.write_image_data(&self.rgba);
        }
        out
    }

    /// Bytes at the beginning of a PNG file that have its size: the signature, and the head and first two words of the first chunk.
    pub(crate) const HEAD: u64 = 24;

    /// Width and height as the first bytes of a PNG file say them, whatever they are.
    ///
    /// # Errors
    /// A file that begins otherwise.
    pub(crate) fn size(head: &[u8]) -> Result<[u32; 2], String> {
        let word = |at: usize| head.get(at..at + 4).and_then(|b| b.try_into().ok()).map(u32::from_be_bytes);
        let begins = head.starts_with(b"\x89PNG\r\n\x1a\n") && head.get(12..16) == Some(b"IHDR");
        match (word(16), word(20)) {
            (Some(w), Some(h)) if begins => Ok([w, h]),
            _ => Err("the file does not begin like a PNG file".into()),
        }
    }

    /// Reads a PNG file; what is no RGBA is expanded without any conversion of colours, and of 16 bits a component the high 8 are kept.
    /// With a size, another one is an error and nothing is unpacked.
    ///
    /// # Errors
    /// The fault of the file.
    pub fn from_png(bytes: &[u8], size: Option<[u32; 2]>) -> Result<Picture, String> {
        let limits = png::Limits { bytes: 64 << 20 };
        let mut decoder = png::Decoder::new_with_limits(std::io::Cursor::new(bytes), limits);
        decoder.set_ignore_text_chunk(true);
        decoder.set_ignore_iccp_chunk(true);
        let to_8 = png::Transformations::EXPAND | png::Transformations::ALPHA | png::Transformations::STRIP_16;
        decoder.set_transformations(to_8);
        let broken = |e: png::DecodingError| format!("the PNG file is broken ({e})");
        let mut reader = decoder.read_info().map_err(broken)?;
        let (width, height) = (reader.info().width, reader.info().height);
        if let Some([w, h]) = size.filter(|&s| s != [width, height]) {
            return Err(format!("the picture is {width} x {height}, not {w} x {h}"));
        }
        let bytes = u64::from(width) * u64::from(height) * 4;
        if bytes > crate::limits::SCENE_BYTES {
            return Err(format!("a picture of {width} x {height} is too large"));
        }
        let size = reader.output_buffer_size().ok_or("the picture is too large")?;
        let mut data = vec![0; size];
        let frame = reader.next_frame(&mut data).map_err(broken)?;
        data.truncate(frame.buffer_size());
        let rgba = match frame.color_type {
            png::ColorType::Rgba => data,
            png::ColorType::GrayscaleAlpha => data.chunks_exact(2).flat_map(|p| [p[0], p[0], p[0], p[1]]).collect(),
            other => return Err(format!("the picture is {other:?}, not RGBA")),
        };
        if rgba.len() as u64 != bytes {
            return Err("the PNG file is broken (rows are missing)".into());
        }
        Ok(Picture { width, height, rgba })
    }
}

/// Bytes that a writer and its owner share.
#[derive(Clone, Default)]
struct Shared(Rc<RefCell<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// An animated PNG file that is being made: its pictures are kept compressed.
pub struct Film {
    writer: Option<png::Writer<Shared>>,
    bytes: Shared,
}

impl Film {
    /// A film of so many pictures of one size, so many in a second; it is shown again and again.
    ///
    /// # Errors
    /// No picture, or a side of nothing.
    pub fn new([width, height]: [u32; 2], pictures: u32, in_second: u16) -> Result<Film, String> {
        let bytes = Shared::default();
        let mut encoder = png::Encoder::new(bytes.clone(), width, height);
        encoder.set_color(png::ColorType::Rgba);
        encoder.set_depth(png::BitDepth::Eight);
        let wrong = |e: png::EncodingError| e.to_string();
        encoder.set_animated(pictures, 0).map_err(wrong)?;
        encoder.set_frame_delay(1, in_second.max(1)).map_err(wrong)?;
        Ok(Film { writer: Some(encoder.write_header().map_err(wrong)?), bytes })
    }

    /// Adds the next picture.
    ///
    /// # Errors
    /// A picture of another size, or more than were said.
    pub fn push(&mut self, picture: &Picture) -> Result<(), String> {
        let Some(writer) = &mut self.writer else { return Err("the film is finished".into()) };
        writer.write_image_data(&picture.rgba).map_err(|e| e.to_string())
    }

    /// The bytes of the file.
    ///
    /// # Errors
    /// Pictures are missing.
    pub fn finish(mut self) -> Result<Vec<u8>, String> {
        if let Some(writer) = self.writer.take() {
            writer.finish().map_err(|e| e.to_string())?;
        }
        Ok(self.bytes.0.take())
    }
}

/// Red, green, blue, alpha of a texel.
fn pixel(image: &Image, bytes: &[u8], aspect: Aspect) -> [u8; 4] {
    let format = image.format;
    if format.has_stencil() && (aspect == Aspect::StencilOnly || !format.has_depth()) {
        let v = format.decode_stencil(bytes) as u8;
        return [v, v, v, 255];
    }
    let count = format.components() as usize;
    let mut out = match format.layout() {
        Layout::Array(Code::Unorm | Code::Srgb, 8) => std::array::from_fn(|k| bytes.get(k).copied().unwrap_or(0)),
        Layout::Bgra(_) => [bytes[2], bytes[1], bytes[0], bytes[3]],
        _ => {
            let is_integer = matches!(format.base(), Base::Uint | Base::Sint);
            format.decode(bytes).map(|word| {
                // The conversion of NaN is 0.
                if is_integer {
                    word as u8
                } else {
                    (255.0 * f64::from(f32::from_bits(word)).clamp(0.0, 1.0)).round() as u8
                }
            })
        }
    };
    if count == 1 {
        out = [out[0]; 4];
    }
    for (k, v) in out.iter_mut().enumerate().skip(count.max(if count == 1 { 3 } else { 0 })) {
        *v = if k == 3 { 255 } else { 0 };
    }
    out
}
