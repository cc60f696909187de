//! Memory objects, buffers and images.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use ash::vk;
use gpucc_device::Seen;
use gpucc_pipeline::Base;
use gpucc_sim::texture::{Dim, Format, Image as Texels};

use crate::border::Bytes;
use crate::convert::blocks::Block;
use crate::convert::swizzle::Swizzle;
use crate::fail::{Done, Fail};
use crate::handles::handles;
use crate::heap::{Heap, Room};
use crate::physical::limits;
use crate::samplers::Sampler;
use crate::settings::Chip;
use crate::{convert, physical};

/// A memory object: an allocation of the application.
#[derive(Debug)]
pub struct Memory {
    /// The bytes that it holds.
    pub bytes: Bytes,
    /// Where shaders find it, if it was taken for that.
    pub address: Option<u64>,
    _room: Room,
}

impl Memory {
    /// Takes memory, all zero, which shaders find at an address if there is one.
    ///
    /// # Errors
    /// More than a device has left, or than the host gives.
    pub fn new(size: u64, heap: &Arc<Heap>, address: Option<u64>) -> Done<Memory> {
        let fail = || Fail::memory(format!("there is no room for {size} bytes of memory"));
        let bytes = usize::try_from(size).ok().filter(|_| size <= limits::RESOURCE).ok_or_else(fail)?;
        let _room = heap.take(size)?;
        Ok(Memory { bytes: Bytes::new(bytes).ok_or_else(fail)?, address, _room })
    }
}

/// The memory that a buffer lies in, and where.
type Place = (Arc<Memory>, u64);

/// A buffer: bytes of a memory object.
#[derive(Debug)]
pub struct Buffer {
    /// Bytes.
    pub size: u64,
    place: OnceLock<Place>,
}

impl Buffer {
    /// A buffer without memory.
    ///
    /// # Errors
    /// Larger than any may be.
    pub fn new(size: u64) -> Done<Buffer> {
        if size > limits::RESOURCE {
            return Err(Fail::memory(format!("a buffer of {size} bytes, at most {} are possible", limits::RESOURCE)));
        }
        Ok(Buffer { size, place: OnceLock::new() })
    }

    /// Gives it memory.
    ///
    /// # Errors
    /// It has some, or does not fit there.
    pub fn bind(&self, memory: Arc<Memory>, offset: u64) -> Done {
        let fits = offset.checked_add(self.size).is_some_and(|end| end <= memory.bytes.size() as u64);
        if !fits {
            return Err(Fail::misuse(format!(
                "a buffer of {} bytes does not fit at {offset} of its memory",
                self.size
            )));
        }
        self.place.set((memory, offset)).map_err(|_| Fail::misuse("a buffer has memory already"))
    }

    /// The memory and the place of a range in it; what lies behind the buffer is left out. `vk::WHOLE_SIZE` is all of the rest.
    pub fn range(&self, offset: u64, size: u64) -> Option<(&Arc<Memory>, usize, usize)> {
        let (memory, at) = self.place.get()?;
        let offset = offset.min(self.size);
        Some((memory, (at + offset) as usize, size.min(self.size - offset) as usize))
    }

    /// Calls `f` with a range; without memory it is empty.
    pub fn with<T>(&self, offset: u64, size: u64, f: impl FnOnce(&[u8]) -> T) -> T {
        match self.range(offset, size) {
            None => f(&[]),
            Some((memory, at, size)) => memory.bytes.with(at, size, f),
        }
    }

    /// Copies a range out.
    pub fn get(&self, offset: u64, size: u64) -> Vec<u8> {
        self.with(offset, size, <[u8]>::to_vec)
    }

    /// Copies bytes in; what lies behind the buffer is left out.
    pub fn put(&self, offset: u64, bytes: &[u8]) {
        if let Some((memory, at, size)) = self.range(offset, bytes.len() as u64) {
            memory.bytes.put(at, &bytes[..size]);
        }
    }

    /// Words of a range, as many as there are.
    pub fn words(&self, offset: u64, count: u64) -> Vec<u32> {
        let word = |w: &[u8]| u32::from_le_bytes([w[0], w[1], w[2], w[3]]);
        self.with(offset, count * 4, |b| b.chunks_exact(4).map(word).collect())
    }
}

/// The blocks of a compressed image, as they were written. They lie as texels do: rows, then layers or slices, then levels.
#[derive(Debug)]
pub struct Blocks {
    /// Format of the blocks.
    pub block: Block,
    bytes: Mutex<Vec<u8>>,
}

impl Blocks {
    /// Blocks of zeros.
    fn new(block: Block, texels: &Texels) -> Blocks {
        let bytes = vec![0; Blocks::place(block, texels, texels.levels, [0; 3])];
        Blocks { block, bytes: Mutex::new(bytes) }
    }

    /// Columns and rows of blocks of a level, and its slices or layers.
    pub fn size(block: Block, texels: &Texels, level: u32) -> [u32; 3] {
        let ([width, height, depth], [columns, rows]) = (texels.level_size(level), block.edges());
        [width.div_ceil(columns), height.div_ceil(rows), depth]
    }

    /// Where a block lies: column, row, and slice or layer.
    pub fn place(block: Block, texels: &Texels, level: u32, [x, y, z]: [u32; 3]) -> usize {
        let count = |s: [u32; 3]| s.iter().map(|&n| n as usize).product::<usize>();
        let before: usize = (0..level).map(|l| count(Blocks::size(block, texels, l))).sum();
        let [width, height, _] = Blocks::size(block, texels, level).map(|n| n as usize);
        (before + (z as usize * height + y as usize) * width + x as usize) * block.bytes()
    }

    /// The bytes, locked for the caller.
    pub fn lock(&self) -> MutexGuard<'_, Vec<u8>> {
        self.bytes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes a block, and its texels that the level has.
    pub fn put(&self, texels: &mut Texels, level: u32, [x, y, z]: [u32; 3], bytes: &[u8]) {
        let at = Blocks::place(self.block, texels, level, [x, y, z]);
        if bytes.len() < self.block.bytes() {
            return;
        }
        self.lock()[at..at + self.block.bytes()].copy_from_slice(&bytes[..self.block.bytes()]);
        let own = self.block.decode(bytes);
        let [width, height, _] = texels.level_size(level);
        let (n, [columns, rows]) = (texels.pixel_bytes(), self.block.edges());
        let [left, upper] = [x * columns, y * rows];
        for row in (0..rows).filter(|row| upper + row < height) {
            let count = (width - left).min(columns) as usize;
            let to = texels.offset(level, z, left, upper + row, 0);
            texels.bytes[to..to + count * n].copy_from_slice(&own[(row * columns) as usize * n..][..count * n]);
        }
    }
}

/// An image. Its texels are its own: memory that is bound to it only counts, but that of a linear image.
#[derive(Debug)]
pub struct Image {
    texels: Mutex<Texels>,
    /// The blocks, if it is compressed: its texels are what they decode to.
    pub blocks: Option<Blocks>,
    /// Format of the texels.
    pub format: Format,
    /// Whether the third size is a depth.
    pub is_3d: bool,
    /// Width, height, and depth or layers.
    pub size: [u32; 3],
    /// Number of mip levels.
    pub levels: u32,
    /// Samples of a pixel.
    pub samples: u32,
    /// Bytes.
    pub bytes: u64,
    /// Memory that the host sees the texels of a linear image in, once there is some.
    linear: Option<OnceLock<Place>>,
    _room: Room,
}

impl Image {
    /// The image that an application describes.
    ///
    /// # Errors
    /// There are no such images, or no room.
    pub fn new(chip: Chip, i: &vk::ImageCreateInfo<'_>, heap: &Arc<Heap>) -> Done<Image> {
        let most = physical::formats::image(chip, i.format, i.image_type, i.tiling, i.usage, i.flags)?;
        let block = convert::blocks::block(i.format);
        let format = convert::format(i.format).or(block.map(|b| b.format));
        let format = format.ok_or_else(|| Fail::lacks("an image of a format that is not there"))?;
        let (e, m) = (i.extent, most.max_extent);
        let inside = |n: u32, most: u32| n >= 1 && n <= most;
        if !(inside(e.width, m.width)
            && inside(e.height, m.height)
            && inside(e.depth, m.depth)
            && inside(i.mip_levels, most.max_mip_levels)
            && inside(i.array_layers, most.max_array_layers)
            && most.sample_counts.contains(i.samples))
        {
            let text = format!(
                "an image of {} x {} x {}, {} layers, {} levels and {} samples is beyond the limits",
                e.width,
                e.height,
                e.depth,
                i.array_layers,
                i.mip_levels,
                i.samples.as_raw()
            );
            return Err(Fail::new(vk::Result::ERROR_FORMAT_NOT_SUPPORTED, text));
        }
        let is_3d = i.image_type == vk::ImageType::TYPE_3D;
        let size = [e.width, e.height, if is_3d { e.depth } else { i.array_layers }];
        let samples = i.samples.as_raw();
        let all = size.iter().map(|&n| u128::from(n)).product::<u128>() * u128::from(format.bytes() * samples);
        // A chain of levels takes at most twice the first.
        if all * 2 > u128::from(limits::RESOURCE) {
            return Err(Fail::memory(format!("an image of {all} bytes is more than the device takes")));
        }
        let _room = heap.take((all * 2) as u64)?;
        let texels = Texels::new(format, is_3d, size, i.mip_levels, samples);
        let bytes = texels.bytes.len() as u64;
        let levels = i.mip_levels;
        let blocks = block.map(|b| Blocks::new(b, &texels));
        let linear = (i.tiling == vk::ImageTiling::LINEAR).then(OnceLock::new);
        Ok(Image { texels: Mutex::new(texels), blocks, format, is_3d, size, levels, samples, bytes, linear, _room })
    }

    /// Gives it memory: the texels of a linear image are seen there, that of others only counts.
    ///
    /// # Errors
    /// It does not fit there.
    pub fn bind(&self, memory: Arc<Memory>, offset: u64) -> Done {
        if offset.checked_add(self.bytes).is_none_or(|end| end > memory.bytes.size() as u64) {
            return Err(Fail::misuse(format!("an image of {} bytes does not fit its memory", self.bytes)));
        }
        match &self.linear {
            Some(place) => place.set((memory, offset)).map_err(|_| Fail::misuse("an image has memory already")),
            None => Ok(()),
        }
    }

    /// Takes the texels of a linear image out of its memory.
    pub fn pull(&self) {
        if let Some((memory, at)) = self.linear.as_ref().and_then(OnceLock::get) {
            memory.bytes.with(*at as usize, self.bytes as usize, |b| self.lock().bytes.copy_from_slice(b));
        }
    }

    /// Puts them back there.
    pub fn push(&self) {
        if let Some((memory, at)) = self.linear.as_ref().and_then(OnceLock::get) {
            memory.bytes.put(*at as usize, &self.lock().bytes);
        }
    }

    /// The texels, locked for the caller.
    pub fn lock(&self) -> MutexGuard<'_, Texels> {
        self.texels.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the texels away for a run.
    pub fn take(&self) -> Texels {
        let none =
            Texels { format: self.format, is_3d: false, size: [1; 3], levels: 1, samples: 1, bytes: Vec::new().into() };
        std::mem::replace(&mut *self.lock(), none)
    }

    /// Gives the texels back to the image.
    pub fn give(&self, texels: Texels) {
        *self.lock() = texels;
    }

    /// Layers of a range, all that are left if it says so.
    fn rest(count: u32, base: u32, all: u32) -> Done<u32> {
        let left = all.checked_sub(base).filter(|&n| n > 0);
        let count = if count == vk::REMAINING_MIP_LEVELS {
            left
        } else {
            left.filter(|&n| count <= n && count > 0).map(|_| count)
        };
        count.ok_or_else(|| Fail::misuse(format!("a range from {base} is not inside of {all} levels or layers")))
    }

    /// First level and levels, first layer and layers of a range. Of a 3D image slices of the first level count as layers.
    ///
    /// # Errors
    /// The range is not inside of the image.
    pub fn range(&self, r: &vk::ImageSubresourceRange) -> Done<[u32; 4]> {
        let levels = Image::rest(r.level_count, r.base_mip_level, self.levels)?;
        let layers = if self.is_3d { 1 } else { Image::rest(r.layer_count, r.base_array_layer, self.size[2])? };
        Ok([r.base_mip_level, levels, if self.is_3d { 0 } else { r.base_array_layer }, layers])
    }
}

/// A view of an image.
#[derive(Debug)]
pub struct View {
    /// The image that is viewed.
    pub image: Arc<Image>,
    /// The part of it, and how it is seen.
    pub seen: Seen,
    /// Where components of sampled texels come from, if they are exchanged.
    pub swizzle: Option<Swizzle>,
}

impl View {
    /// The view that an application describes.
    ///
    /// # Errors
    /// A range that is not there, or what no device here has.
    pub fn new(image: Arc<Image>, i: &vk::ImageViewCreateInfo<'_>) -> Done<View> {
        use vk::ImageViewType as T;
        let none = || Fail::new(vk::Result::ERROR_FORMAT_NOT_SUPPORTED, "a view of a format that is not there");
        let dim = match i.view_type {
            T::TYPE_1D | T::TYPE_1D_ARRAY => Dim::D1,
            T::TYPE_3D => Dim::D3,
            T::CUBE | T::CUBE_ARRAY => Dim::Cube,
            _ => Dim::D2,
        };
        let format = convert::format(i.format).or_else(|| convert::blocks::block(i.format).map(|b| b.format));
        let format = format.ok_or_else(none)?;
        if format.bytes() != image.format.bytes() {
            return Err(Fail::misuse(format!("texels of {} seen as {}", image.format.name(), format.name())));
        }
        let r = &i.subresource_range;
        let mut range = image.range(r)?;
        if image.is_3d && dim != Dim::D3 {
            // Slices as layers, for attachments.
            let depth = image.lock().level_size(r.base_mip_level)[2];
            (range[2], range[3]) = (r.base_array_layer, Image::rest(r.layer_count, r.base_array_layer, depth)?);
        }
        let [base_level, levels, base_layer, layers] = range;
        let swizzle = convert::swizzle::swizzle(&i.components)?;
        if swizzle.is_some() && matches!(format.base(), Base::Depth | Base::Stencil) {
            return Err(Fail::lacks("views of depth or stencil that exchange components are not there"));
        }
        let stencil = r.aspect_mask == vk::ImageAspectFlags::STENCIL;
        let seen = Seen { dim, format, base_level, levels, base_layer, layers, stencil };
        Ok(View { image, seen, swizzle })
    }
}

/// A view of a buffer as texels.
#[derive(Debug)]
pub struct BufferView {
    /// The buffer that is viewed.
    pub buffer: Arc<Buffer>,
    /// Offset of the first byte.
    pub offset: u64,
    /// Bytes.
    pub range: u64,
}

handles! {
    vk::DeviceMemory => Memory, "memory";
    vk::Buffer => Buffer, "buffer";
    vk::BufferView => BufferView, "buffer view";
    vk::Image => Image, "image";
    vk::ImageView => View, "image view";
    vk::Sampler => Sampler, "sampler";
}
