//! Copies, fills and clears.

use std::ops::Range;
use std::sync::Arc;

use ash::vk;
use gpucc_sim::draw::Surface;
use gpucc_sim::texture::{Codec, Image as Texels};

use super::blit::{self, layers};
use crate::command::{Clear, Command};
use crate::convert::blocks::Block;
use crate::fail::{Done, Fail};
use crate::memory::{Blocks, Buffer, Image};

/// The words of a value that clears. Of depth and stencil they are the depth and then the stencil.
pub fn clear_bits(v: &vk::ClearValue) -> Clear {
    crate::border::clear_words(v)
}

/// Runs a command that moves bytes.
///
/// # Errors
/// A region that is not inside of an image.
pub fn run(command: &Command) -> Done {
    let (from, to) = match command {
        Command::ToImage(_, to, _) | Command::ClearImage(to, ..) => (None, Some(to)),
        Command::ToBuffer(from, ..) => (Some(from), None),
        Command::CopyImage(from, to, _) | Command::Blit(from, to, ..) | Command::Resolve(from, to, _) => {
            (Some(from), Some(to))
        }
        _ => (None, None),
    };
    // The host may have written linear images, and it reads them.
    from.into_iter().chain(to).for_each(|image| image.pull());
    one(command)?;
    to.into_iter().for_each(|image| image.push());
    Ok(())
}

fn one(command: &Command) -> Done {
    match command {
        Command::Fill(buffer, at, size, word) => fill(buffer, *at, *size, *word),
        Command::Update(buffer, at, bytes) => buffer.put(*at, bytes),
        Command::CopyBuffer(from, to, list) => {
            for r in list {
                to.put(r.dst_offset, &from.get(r.src_offset, r.size));
            }
        }
        Command::ToImage(buffer, image, list) => list.iter().try_for_each(|r| texels(buffer, image, r, true))?,
        Command::ToBuffer(image, buffer, list) => list.iter().try_for_each(|r| texels(buffer, image, r, false))?,
        Command::CopyImage(from, to, list) => list.iter().try_for_each(|r| copy_image(from, to, r))?,
        Command::Blit(from, to, list, linear) => list.iter().try_for_each(|r| blit::blit(from, to, r, *linear))?,
        Command::Resolve(from, to, list) => list.iter().try_for_each(|r| blit::resolve(from, to, r))?,
        Command::ClearImage(image, value, list) => list.iter().try_for_each(|r| clear_image(image, *value, r))?,
        Command::CopyQueries(q, [first, count], buffer, [at, stride], flags) => {
            let put = |k: u32, from: u64, bytes: &[u8]| buffer.put(at + u64::from(k) * stride + from, bytes);
            q.results((*first, *count), *flags, put);
        }
        _ => return Err(Fail::bug("a command that nobody runs")),
    }
    Ok(())
}

fn fill(buffer: &Buffer, at: u64, size: u64, word: u32) {
    let words = buffer.with(at, size, <[u8]>::len) / 4;
    buffer.put(at, &word.to_le_bytes().repeat(words));
}

/// That a region is inside of an image.
fn check(t: &Texels, sub: &vk::ImageSubresourceLayers, at: &vk::Offset3D, size: &vk::Extent3D) -> Done<Range<u32>> {
    let level = t.level_size(sub.mip_level);
    let z = layers(t, sub, at.z, size.depth);
    let fits = |at: i32, n: u32, most: u32| at >= 0 && u64::from(at as u32) + u64::from(n) <= u64::from(most);
    let inside = sub.mip_level < t.levels
        && fits(at.x, size.width, level[0])
        && fits(at.y, size.height, level[1])
        && z.end <= level[2];
    if inside { Ok(z) } else { Err(Fail::misuse("a copy is not inside of its image")) }
}

/// Copies texels between a buffer and an image. Of a format with depth and stencil one aspect is copied.
fn texels(buffer: &Arc<Buffer>, image: &Image, r: &vk::BufferImageCopy, to_image: bool) -> Done {
    let mut t = image.lock();
    let z = check(&t, &r.image_subresource, &r.image_offset, &r.image_extent)?;
    if let Some(blocks) = &image.blocks {
        copy_blocks((buffer, blocks), &mut t, r, z, to_image);
        return Ok(());
    }
    let format = t.format;
    let own = t.pixel_bytes();
    let both = format.has_depth() && format.has_stencil();
    let stencil = both && r.image_subresource.aspect_mask == vk::ImageAspectFlags::STENCIL;
    // Bytes of a texel in the buffer: of one aspect alone where the format has two.
    let n = match (both, stencil) {
        (_, true) => 1,
        (true, false) => 4,
        (false, _) => own,
    };
    let [width, height] = [r.image_extent.width, r.image_extent.height];
    let row = if r.buffer_row_length == 0 { width } else { r.buffer_row_length } as usize * n;
    let rows = if r.buffer_image_height == 0 { height } else { r.buffer_image_height } as usize;
    for (k, z) in z.enumerate() {
        for y in 0..height {
            let [x0, y0] = [r.image_offset.x as u32, r.image_offset.y as u32 + y];
            let at = t.offset(r.image_subresource.mip_level, z, x0, y0, 0);
            let place = r.buffer_offset + ((k * rows + y as usize) * row) as u64;
            let line = &mut t.bytes[at..at + width as usize * own];
            if !both {
                match to_image {
                    true => buffer.with(place, line.len() as u64, |b| line[..b.len()].copy_from_slice(b)),
                    false => buffer.put(place, line),
                }
                continue;
            }
            let mut bytes = buffer.get(place, u64::from(width) * n as u64);
            for (b, texel) in bytes.chunks_exact_mut(n).zip(line.chunks_exact_mut(own)) {
                match (stencil, to_image) {
                    (true, true) => format.encode_stencil(u32::from(b[0]), texel),
                    (true, false) => b[0] = format.decode_stencil(texel) as u8,
                    (false, true) => depth_from(format, b, texel),
                    (false, false) => depth_to(format, texel, b),
                }
            }
            if !to_image {
                buffer.put(place, &bytes);
            }
        }
    }
    Ok(())
}

/// Columns and rows of blocks that a region covers.
fn covered(block: Block, at: &vk::Offset3D, size: &vk::Extent3D) -> [Range<u32>; 2] {
    let [columns, rows] = block.edges();
    let axis = |at: i32, n: u32, edge: u32| at as u32 / edge..(at as u32 + n).div_ceil(edge);
    [axis(at.x, size.width, columns), axis(at.y, size.height, rows)]
}

/// Copies blocks between a buffer and a compressed image.
fn copy_blocks(
    (buffer, blocks): (&Buffer, &Blocks),
    t: &mut Texels,
    r: &vk::BufferImageCopy,
    z: Range<u32>,
    to_image: bool,
) {
    let n = blocks.block.bytes();
    let [columns, rows] = covered(blocks.block, &r.image_offset, &r.image_extent);
    let own = |given: u32, all: u32, edge: u32| if given == 0 { all } else { given }.div_ceil(edge) as usize;
    let [wide, high] = blocks.block.edges();
    let row = own(r.buffer_row_length, r.image_extent.width, wide) * n;
    let slice = own(r.buffer_image_height, r.image_extent.height, high) * row;
    let level = r.image_subresource.mip_level;
    for (k, z) in z.enumerate() {
        for (j, y) in rows.clone().enumerate() {
            for (i, x) in columns.clone().enumerate() {
                let place = r.buffer_offset + (k * slice + j * row + i * n) as u64;
                if to_image {
                    blocks.put(t, level, [x, y, z], &buffer.get(place, n as u64));
                } else {
                    let at = Blocks::place(blocks.block, t, level, [x, y, z]);
                    buffer.put(place, &blocks.lock()[at..at + n]);
                }
            }
        }
    }
}

/// Copies blocks between compressed images.
fn copy_between(from: (&Image, &Texels), to: (&Image, &mut Texels), r: &vk::ImageCopy, z: [Range<u32>; 2]) -> Done {
    let (Some(a), Some(b)) = (&from.0.blocks, &to.0.blocks) else {
        return Err(Fail::lacks("texels are not copied between a compressed image and one that is not"));
    };
    if a.block.bytes() != b.block.bytes() {
        return Err(Fail::misuse("a copy between blocks of different sizes"));
    }
    let [columns, rows] = covered(a.block, &r.src_offset, &r.extent);
    let [wide, high] = b.block.edges();
    let [left, upper] = [r.dst_offset.x as u32 / wide, r.dst_offset.y as u32 / high];
    let [za, zb] = z;
    for (za, zb) in za.zip(zb) {
        for (j, y) in (upper..).zip(rows.clone()) {
            for (i, x) in (left..).zip(columns.clone()) {
                let at = Blocks::place(a.block, from.1, r.src_subresource.mip_level, [x, y, za]);
                let bytes = a.lock()[at..at + a.block.bytes()].to_vec();
                b.put(to.1, r.dst_subresource.mip_level, [i, j, zb], &bytes);
            }
        }
    }
    Ok(())
}

/// Bits of the depth in a buffer: 24-bit codes lie in a word, floats are floats.
fn depth_from(format: gpucc_sim::texture::Format, b: &[u8], texel: &mut [u8]) {
    let word = u32::from_le_bytes([b[0], b[1], b[2], b[3]]);
    let z = match format.depth_bits() {
        Some(bits) => (f64::from(word & ((1 << bits) - 1)) / f64::from((1u32 << bits) - 1)) as f32,
        None => f32::from_bits(word),
    };
    format.encode([z.to_bits(), 0, 0, 0], 1, texel);
}

fn depth_to(format: gpucc_sim::texture::Format, texel: &[u8], b: &mut [u8]) {
    let z = f32::from_bits(format.decode(texel)[0]);
    b.copy_from_slice(&format.depth_code(z).to_le_bytes());
}

fn copy_image(from: &Arc<Image>, to: &Arc<Image>, r: &vk::ImageCopy) -> Done {
    // One image may be both.
    let source = from.lock().clone();
    let mut target = to.lock();
    let za = check(&source, &r.src_subresource, &r.src_offset, &r.extent)?;
    let zb = match (source.is_3d, target.is_3d) {
        (false, true) => {
            let extent = vk::Extent3D { depth: za.len() as u32, ..r.extent };
            check(&target, &r.dst_subresource, &r.dst_offset, &extent)?
        }
        _ => check(&target, &r.dst_subresource, &r.dst_offset, &r.extent)?,
    };
    if from.blocks.is_some() || to.blocks.is_some() {
        return copy_between((from, &source), (to, &mut target), r, [za, zb]);
    }
    let width = r.extent.width as usize * source.pixel_bytes();
    if source.pixel_bytes() != target.pixel_bytes() {
        return Err(Fail::misuse("a copy between texels of different sizes"));
    }
    let two = source.format.has_depth() && source.format.has_stencil();
    let aspects = r.src_subresource.aspect_mask;
    for (za, zb) in za.zip(zb) {
        for y in 0..r.extent.height {
            let at = |o: &vk::Offset3D| [o.x as u32, o.y as u32 + y];
            let ([xa, ya], [xb, yb]) = (at(&r.src_offset), at(&r.dst_offset));
            let s = source.offset(r.src_subresource.mip_level, za, xa, ya, 0);
            let d = target.offset(r.dst_subresource.mip_level, zb, xb, yb, 0);
            let (line, out) = (&source.bytes[s..s + width], &mut target.bytes[d..d + width]);
            let one = two && !aspects.contains(vk::ImageAspectFlags::DEPTH | vk::ImageAspectFlags::STENCIL);
            if !one {
                out.copy_from_slice(line);
                continue;
            }
            let (format, n) = (source.format, source.format.bytes() as usize);
            for (s, d) in line.chunks_exact(n).zip(out.chunks_exact_mut(n)) {
                match aspects == vk::ImageAspectFlags::STENCIL {
                    true => format.encode_stencil(format.decode_stencil(s), d),
                    false => format.encode(format.decode(s), 1, d),
                }
            }
        }
    }
    Ok(())
}

fn clear_image(image: &Image, value: Clear, r: &vk::ImageSubresourceRange) -> Done {
    let [base, levels, first, count] = image.range(r)?;
    let mut t = image.lock();
    let format = t.format;
    for level in base..base + levels {
        let depth = t.level_size(level)[2];
        let z = if t.is_3d { 0..depth } else { first..first + count };
        for z in z {
            let mut s = Surface::load(&t, format, level, z);
            if format.has_depth() || format.has_stencil() {
                if r.aspect_mask.contains(vk::ImageAspectFlags::DEPTH) {
                    s.clear_depth(f32::from_bits(value[0]));
                }
                if r.aspect_mask.contains(vk::ImageAspectFlags::STENCIL) {
                    s.clear_stencil(value[1]);
                }
            } else {
                s.clear(value);
            }
            s.store(&mut t, level, z);
        }
    }
    Ok(())
}
