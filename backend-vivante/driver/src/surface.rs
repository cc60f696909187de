//! Where texels lie: tiles of four by four texels, row by row inside, one behind the other in a row of tiles. A level holds all of its
//! layers or slices, and levels follow each other at multiples of 64 bytes. Of several samples a pixel is a block of two by two texels
//! (`isa/graphics-vivante.md` 1.4, 2.2).

use gpucc_sim::texture::{Image, TexelAt, level_size};

use gpucc_drivers::surface::{Plane, SurfaceLayout};

/// Levels begin at multiples of this, and units read from them.
pub const LEVEL: u64 = 64;
/// Bytes behind the texels that nobody's texel is: what lies outside goes there.
pub const SPARE: u64 = 64;

/// A tiled surface: sizes and where levels begin.
#[derive(Clone, Debug, PartialEq)]
pub struct Tiled {
    is_3d: bool,
    /// Width, height, and depth or layers.
    size: [u32; 3],
    /// Samples in each of the two directions.
    samples: u32,
    /// Bytes of a texel.
    pub bytes: u32,
    /// Where each level begins, and the whole ends.
    starts: Vec<u64>,
}

impl Tiled {
    /// The layout of a part of a texture.
    pub fn new(of: &Image, plane: Plane) -> Tiled {
        let bytes = plane.bytes(of.format).1 as u32;
        let samples = if of.samples > 1 { 2 } else { 1 };
        let mut s = Tiled { is_3d: of.is_3d, size: of.size, samples, bytes, starts: vec![0] };
        for level in 0..of.levels {
            let [_, _, slices] = s.level_size(level);
            let end = s.starts[level as usize] + u64::from(s.layer(level)) * u64::from(slices);
            s.starts.push(end.next_multiple_of(LEVEL));
        }
        s
    }

    /// Width and height in texels of the surface, and depth or layers, of a level.
    pub fn level_size(&self, level: u32) -> [u32; 3] {
        let [w, h, slices] = level_size(self.size, self.is_3d, level);
        [w * self.samples, h * self.samples, slices]
    }

    /// Bytes of a row of texels of a level.
    pub fn row(&self, level: u32) -> u32 {
        self.level_size(level)[0].next_multiple_of(4) * self.bytes
    }

    /// Bytes of a layer or slice of a level.
    pub fn layer(&self, level: u32) -> u32 {
        self.row(level) * self.level_size(level)[1].next_multiple_of(4)
    }

    /// Where a level begins.
    pub fn level_offset(&self, level: u32) -> u64 {
        self.starts[level as usize]
    }
}

impl SurfaceLayout for Tiled {
    fn size(&self) -> u64 {
        self.starts.last().copied().unwrap_or(0) + SPARE
    }

    fn offset(&self, TexelAt { level, layer, x, y, sample }: TexelAt) -> u64 {
        let [x, y] = [x * self.samples + sample % self.samples, y * self.samples + sample / self.samples];
        let tiles = y / 4 * 4 * self.row(level) + x / 4 * 16 * self.bytes;
        let inside = (y % 4 * 4 + x % 4) * self.bytes;
        self.level_offset(level) + u64::from(layer * self.layer(level)) + u64::from(tiles + inside)
    }
}
