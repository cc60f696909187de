//! Where texels lie: each layer of each level in a plane of its own, in tiles of 16 x 16 texels or in rows (`isa/graphics-valhall.md`, b.2).
//! Surfaces of the size of a tile and more are tiled. Samples of a pixel lie a slice apart.

use gpucc_sim::texture::{Image, TexelAt, level_size};

use gpucc_drivers::surface::{Plane, SurfaceLayout};

/// Texels of the side of a tile.
const TILE: u32 = 16;
/// Rows and slices begin at multiples of this.
const ALIGN: u64 = 64;

/// A level.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Level {
    start: u64,
    row_stride: u64,
    slice: u64,
}

/// A surface: sizes, and where its levels begin.
#[derive(Clone, Debug, PartialEq)]
pub struct Planes {
    is_3d: bool,
    /// Width, height, and depth or layers.
    size: [u32; 3],
    /// Samples of a pixel.
    pub samples: u32,
    /// Bytes of a sample.
    pub bytes: u64,
    /// Whether it lies in tiles.
    pub tiled: bool,
    levels: Vec<Level>,
    whole: u64,
}

impl Planes {
    /// The layout of a part of a texture.
    pub fn new(of: &Image, plane: Plane) -> Planes {
        let bytes = plane.bytes(of.format).1 as u64;
        let tiled = of.size[0] >= TILE && of.size[1] >= TILE;
        let mut s =
            Planes { is_3d: of.is_3d, size: of.size, samples: of.samples, bytes, tiled, levels: Vec::new(), whole: 0 };
        for level in 0..of.levels {
            let [w, h, slices] = s.level_size(level);
            let (row_stride, rows) = match tiled {
                true => (u64::from(w.div_ceil(TILE) * TILE * TILE) * bytes, h.div_ceil(TILE)),
                false => ((u64::from(w) * bytes).next_multiple_of(ALIGN), h),
            };
            let slice = row_stride * u64::from(rows);
            s.levels.push(Level { start: s.whole, row_stride, slice });
            s.whole += slice * u64::from(of.samples) * u64::from(slices);
        }
        s
    }

    /// Width, height, and depth or layers of a level.
    pub fn level_size(&self, level: u32) -> [u32; 3] {
        level_size(self.size, self.is_3d, level)
    }

    /// Where a layer of a level begins, bytes of a row and of a slice, and bytes of the whole plane.
    pub fn plane(&self, level: u32, layer: u32) -> [u64; 4] {
        let l = self.levels[level as usize];
        let slices = if self.is_3d { self.level_size(level)[2] } else { self.samples };
        let first = if self.is_3d { 0 } else { layer * self.samples };
        [l.start + l.slice * u64::from(first), l.row_stride, l.slice, l.slice * u64::from(slices)]
    }
}

impl SurfaceLayout for Planes {
    fn size(&self) -> u64 {
        self.whole
    }

    fn offset(&self, TexelAt { level, layer, x, y, sample }: TexelAt) -> u64 {
        let l = self.levels[level as usize];
        let slice = l.start + l.slice * u64::from(layer * self.samples + sample);
        if !self.tiled {
            return slice + u64::from(y) * l.row_stride + u64::from(x) * self.bytes;
        }
        let (column, row) = (x % TILE, y % TILE);
        let mut texel = 0;
        for k in 0..4 {
            let (a, b) = (column >> k & 1, row >> k & 1);
            texel |= (a ^ b) << (2 * k) | b << (2 * k + 1);
        }
        let tile = u64::from(x / TILE) * u64::from(TILE * TILE) + u64::from(texel);
        slice + u64::from(y / TILE) * l.row_stride + tile * self.bytes
    }
}
