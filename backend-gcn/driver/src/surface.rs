//! Where texels lie: linear surfaces. Rows are multiples of 8 texels and of 64 bytes, slices of 256 bytes; a level holds all of
//! its slices, and levels follow each other. The pitch of a surface with several levels is a power of two.

use gpucc_sim::texture::{Image, TexelAt, level_size};

use gpucc_drivers::surface::{Plane, SurfaceLayout};

/// A linear surface: sizes, and where its levels begin.
#[derive(Clone, Debug, PartialEq)]
pub struct Linear {
    is_3d: bool,
    /// Width, height, and depth or layers.
    size: [u32; 3],
    /// Number of mip levels.
    pub levels: u32,
    /// Samples of a pixel.
    pub samples: u32,
    /// Bytes of a sample.
    bytes: usize,
    /// Where each level begins, and the whole ends.
    starts: Vec<u64>,
}

impl Linear {
    /// The layout of a part of a texture.
    pub fn new(of: &Image, plane: Plane) -> Linear {
        let bytes = plane.bytes(of.format).1;
        let mut s =
            Linear { is_3d: of.is_3d, size: of.size, levels: of.levels, samples: of.samples, bytes, starts: vec![0] };
        for level in 0..of.levels {
            let end = s.level_offset(level) + s.slice(level) as u64 * u64::from(s.level_size(level)[2]);
            s.starts.push(end);
        }
        s
    }

    /// Width, height, and depth or layers of a level.
    pub fn level_size(&self, level: u32) -> [u32; 3] {
        level_size(self.size, self.is_3d, level)
    }

    /// Depth, and layers, of the whole: the one that the texture does not have is 1.
    pub fn depth_and_layers(&self, level: u32) -> [u32; 2] {
        if self.is_3d { [self.level_size(level)[2], 1] } else { [1, self.size[2]] }
    }

    /// Texels of a row of a level.
    pub fn pitch(&self, level: u32) -> u32 {
        let unit = 8.max(64 / self.bytes as u32);
        let first = if self.levels > 1 { self.size[0].next_power_of_two() } else { self.size[0] };
        (first.next_multiple_of(unit) >> level).max(1).next_multiple_of(unit)
    }

    fn row(&self, level: u32) -> usize {
        self.pitch(level) as usize * self.samples as usize * self.bytes
    }

    fn slice(&self, level: u32) -> usize {
        (self.row(level) * self.level_size(level)[1] as usize).next_multiple_of(256)
    }

    /// Where a level begins; behind the last one the size of the whole.
    pub fn level_offset(&self, level: u32) -> u64 {
        self.starts[level as usize]
    }
}

impl SurfaceLayout for Linear {
    fn size(&self) -> u64 {
        self.level_offset(self.levels)
    }

    fn offset(&self, TexelAt { level, layer, x, y, sample }: TexelAt) -> u64 {
        let row = layer as usize * self.slice(level) + y as usize * self.row(level);
        let texel = x as usize * self.samples as usize + sample as usize;
        self.level_offset(level) + (row + texel * self.bytes) as u64
    }

    fn is_linear(&self) -> bool {
        true
    }
}
