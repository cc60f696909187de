//! Frames that are presented: files, where the settings name a folder for them.

use std::sync::atomic::{AtomicU64, Ordering};

use gpucc_sim::texture::Codec;

use crate::fail::Done;
use crate::log;
use crate::memory::View;
use crate::settings::{Level, Settings};
use crate::shared::Shared;

/// Number of the next frame.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// Writes a presented image as `frame-N.ppm`'s cousin in PNG. A file that cannot be written is told, and the program goes on.
///
/// # Errors
/// None; the signature is that of the other commands.
pub fn write(shared: &Shared, view: &View) -> Done {
    let Some(folder) = &Settings::get().frames else { return Ok(()) };
    let number = NEXT.fetch_add(1, Ordering::SeqCst);
    let path = folder.join(format!("frame-{number:05}.png"));
    let (size, pixels) = {
        let t = view.image.lock();
        let [width, height, _] = t.level_size(0);
        let mut pixels = Vec::with_capacity((width * height * 4) as usize);
        for y in 0..height {
            for x in 0..width {
                // The codes that the format stores: a screen gets them as they are.
                let bytes = t.texel_bytes(0, view.seen.base_layer, x, y, 0);
                let texel = t.format.decode(bytes).map(|v| (f32::from_bits(v).clamp(0.0, 1.0) * 255.0).round() as u8);
                pixels.extend(if t.format.is_srgb() { codes(t.format, bytes) } else { texel });
            }
        }
        ([width, height], pixels)
    };
    if let Err(e) = save(&path, size, &pixels) {
        let text = format!("{}: {e}", path.display());
        log::tell(shared.instance, Level::Error, "vkQueuePresentKHR", &text);
    }
    Ok(())
}

/// The stored codes of a texel of four bytes, as red, green, blue and alpha.
fn codes(format: gpucc_sim::texture::Format, b: &[u8]) -> [u8; 4] {
    match format {
        gpucc_sim::texture::Format::Bgra8UnormSrgb => [b[2], b[1], b[0], b[3]],
        _ => [b[0], b[1], b[2], b[3]],
    }
}

fn save(path: &std::path::Path, [width, height]: [u32; 2], pixels: &[u8]) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let mut encoder = png::Encoder::new(std::io::BufWriter::new(std::fs::File::create(path)?), width, height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().map_err(std::io::Error::other)?;
    writer.write_image_data(pixels).map_err(std::io::Error::other)
}
