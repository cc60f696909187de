//! Textures in linear memory: rows tightly packed, then slices or layers, then levels; the samples of a pixel
//! consecutive.

use super::format::{Base, Codec, Format, Texel};
use super::sample::{Dim, TexelAt, Texels, View};
use crate::kept::Versioned;
use crate::trap::Trap;

/// A texture with its contents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Format of the texels.
    pub format: Format,
    /// Whether the third size is a depth, which shrinks from level to level.
    pub is_3d: bool,
    /// Width, height, and depth or layers.
    pub size: [u32; 3],
    /// Number of mip levels.
    pub levels: u32,
    /// Samples of a pixel.
    pub samples: u32,
    /// The texels, level by level.
    pub bytes: Versioned,
}

/// Width, height, and depth or layers of a level of a texture, by those of its first level.
pub fn level_size(size: [u32; 3], is_3d: bool, level: u32) -> [u32; 3] {
    let [w, h, d] = size.map(|s| s.checked_shr(level).unwrap_or(0).max(1));
    [w, h, if is_3d { d } else { size[2] }]
}

impl Image {
    /// A texture of zeros.
    pub fn new(format: Format, is_3d: bool, size: [u32; 3], levels: u32, samples: u32) -> Image {
        let mut image = Image { format, is_3d, size, levels, samples, bytes: Versioned::default() };
        image.bytes = vec![0; image.level_start(levels)].into();
        image
    }

    /// Levels of a full chain.
    pub fn full_chain(is_3d: bool, size: [u32; 3]) -> u32 {
        let max = if is_3d { size[0].max(size[1]).max(size[2]) } else { size[0].max(size[1]) };
        max.max(1).ilog2() + 1
    }

    /// Width, height, and depth or layers of a level.
    pub fn level_size(&self, level: u32) -> [u32; 3] {
        level_size(self.size, self.is_3d, level)
    }

    /// Bytes of a pixel with its samples.
    pub fn pixel_bytes(&self) -> usize {
        self.format.bytes() as usize * self.samples as usize
    }

    /// Offset of a level; of the level behind the last the size of the whole.
    pub fn level_start(&self, level: u32) -> usize {
        let texels = |l| self.level_size(l).iter().map(|&s| s as usize).product::<usize>();
        (0..level).map(texels).sum::<usize>() * self.pixel_bytes()
    }

    /// Offset of a sample of a texel. Every index is in range.
    pub fn offset(&self, level: u32, layer: u32, x: u32, y: u32, sample: u32) -> usize {
        let [w, h, _] = self.level_size(level).map(|s| s as usize);
        let pixel = (layer as usize * h + y as usize) * w + x as usize;
        self.level_start(level) + pixel * self.pixel_bytes() + sample as usize * self.format.bytes() as usize
    }

    /// The bytes of a sample of a texel.
    pub fn texel_bytes(&self, level: u32, layer: u32, x: u32, y: u32, sample: u32) -> &[u8] {
        &self.bytes[self.offset(level, layer, x, y, sample)..][..self.format.bytes() as usize]
    }

    /// The same, for change.
    pub fn texel_bytes_mut(&mut self, level: u32, layer: u32, x: u32, y: u32, sample: u32) -> &mut [u8] {
        let at = self.offset(level, layer, x, y, sample);
        &mut self.bytes[at..][..self.format.bytes() as usize]
    }

    /// A texture of some of its levels, all of which there are.
    pub fn of_levels(&self, first: u32, levels: u32) -> Image {
        let bytes = self.bytes[self.level_start(first)..self.level_start(first + levels)].to_vec().into();
        Image { size: self.level_size(first), levels, bytes, ..*self }
    }

    /// A view of all levels and layers in the texture's own format.
    pub fn view(&self, dim: Dim) -> ImageView<'_> {
        ImageView {
            image: self,
            dim,
            format: self.format,
            base_level: 0,
            levels: self.levels,
            base_layer: 0,
            layers: if self.is_3d { 1 } else { self.size[2] },
            stencil: false,
            swizzle: [0, 1, 2, 3].map(Channel::Component),
        }
    }
}

/// Where a component of a view comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Channel {
    /// A component of the texel, 0 to 3.
    Component(u8),
    /// Zero.
    Zero,
    /// One, of the format's base type.
    One,
}

/// A range of levels and layers of a texture, read in a format of the same size.
#[derive(Clone, Copy, Debug)]
pub struct ImageView<'a> {
    /// The texture that is read.
    pub image: &'a Image,
    /// Dimension in which it is read.
    pub dim: Dim,
    /// Format the texels are read in.
    pub format: Format,
    /// First level of the view in the texture.
    pub base_level: u32,
    /// Number of levels of the view.
    pub levels: u32,
    /// First layer of the view in the texture.
    pub base_layer: u32,
    /// Number of layers of the view.
    pub layers: u32,
    /// Whether the stencil aspect is read.
    pub stencil: bool,
    /// Where each component comes from.
    pub swizzle: [Channel; 4],
}

impl ImageView<'_> {
    /// The state that samplers read.
    pub fn view(&self) -> View<'_> {
        let [w, h, d] = self.image.level_size(self.base_level);
        let integer = self.stencil || matches!(self.format.base(), Base::Uint | Base::Sint | Base::Stencil);
        View {
            dim: self.dim,
            size: [w, h, if self.image.is_3d { d } else { 1 }],
            levels: self.levels,
            layers: self.layers,
            samples: self.image.samples,
            integer,
            fixed_depth: self.format.depth_bits().is_some(),
            texels: self,
        }
    }
}

impl Texels for ImageView<'_> {
    fn texel(&self, TexelAt { level, layer, x, y, sample }: TexelAt) -> Result<Texel, Trap> {
        let bytes = self.image.texel_bytes(self.base_level + level, self.base_layer + layer, x, y, sample);
        if self.stencil {
            return Ok([self.format.decode_stencil(bytes), 0, 0, 1]);
        }
        let t = self.format.decode(bytes);
        let one = if self.view_is_integer() { 1 } else { 1f32.to_bits() };
        Ok(self.swizzle.map(|c| match c {
            Channel::Component(k) => t[usize::from(k)],
            Channel::Zero => 0,
            Channel::One => one,
        }))
    }
}

impl ImageView<'_> {
    fn view_is_integer(&self) -> bool {
        matches!(self.format.base(), Base::Uint | Base::Sint | Base::Stencil)
    }
}
