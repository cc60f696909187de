//! Where texels lie: tiles of 64 bytes by 4 to 64 rows by 1 to 32 slices, in rows of tiles. Layers carry their own chain of levels; of
//! a 3D texture a level holds all slices. The samples of a pixel are texels of a larger texture (`isa/graphics-tesla.md` 2.1).

use gpucc_sim::texture::{Image, TexelAt};

use gpucc_drivers::surface::{Plane, SurfaceLayout};

/// Bytes of a row of a tile, as a power of two.
const TILE_WIDTH: u32 = 6;

/// Places of the samples of a pixel, in columns and rows.
const SAMPLES: [(u32, u32); 8] = [(0, 0), (1, 0), (0, 1), (1, 1), (2, 0), (3, 0), (2, 1), (3, 1)];

/// A level of a tiled texture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    /// Width, height and depth, in samples.
    pub size: [u32; 3],
    /// Where it begins, from the start of its layer.
    pub start: u64,
    /// Bytes of a row of tiles' rows.
    pub pitch: u32,
    /// Rows of a tile as a power of two, less two.
    pub tile_rows: u32,
    /// Slices of a tile as a power of two.
    pub tile_slices: u32,
}

impl Level {
    fn new(size: [u32; 3], bytes: u32, is_3d: bool, start: u64) -> Level {
        let rows = match size[1] {
            33.. => 4,
            17.. => 3,
            9.. => 2,
            5.. => 1,
            _ => 0,
        };
        Level {
            size,
            start,
            pitch: (size[0] * bytes).next_multiple_of(1 << TILE_WIDTH),
            tile_rows: if is_3d { rows.min(2) } else { rows },
            tile_slices: size[2].next_power_of_two().ilog2().min(5),
        }
    }

    /// Bytes of a tile, as a power of two.
    pub fn tile(&self) -> u32 {
        TILE_WIDTH + 2 + self.tile_rows + self.tile_slices
    }

    /// Tiles of a row.
    pub fn row(&self) -> u32 {
        self.pitch >> TILE_WIDTH
    }

    /// Bytes of a slice of tiles.
    pub fn slice(&self) -> u64 {
        let rows = self.size[1].div_ceil(4 << self.tile_rows);
        u64::from(self.row() * rows) << self.tile()
    }

    fn bytes(&self) -> u64 {
        self.slice() * u64::from(self.size[2].div_ceil(1 << self.tile_slices))
    }

    /// The byte `x` of a row of a slice.
    fn offset(&self, x: u32, y: u32, z: u32) -> u64 {
        let (height, depth) = (2 + self.tile_rows, self.tile_slices);
        let inside = |v: u32, bits: u32| u64::from(v & ((1 << bits) - 1));
        let tile = u64::from((y >> height) * self.row() + (x >> TILE_WIDTH)) << self.tile();
        let row = inside(z, depth) << height | inside(y, height);
        self.start + u64::from(z >> depth) * self.slice() + tile + (row << TILE_WIDTH) + inside(x, TILE_WIDTH)
    }
}

/// A surface of tiles.
#[derive(Clone, Debug, PartialEq)]
pub struct Tiled {
    /// Whether the third size is a depth.
    pub is_3d: bool,
    /// Layers, 1 where there are none.
    pub layers: u32,
    /// Columns and rows of samples of a pixel, as powers of two.
    pub samples: [u32; 2],
    /// Bytes of a sample.
    bytes: u32,
    /// The levels, the largest first.
    pub levels: Vec<Level>,
    /// Bytes from layer to layer.
    pub layer_stride: u64,
}

impl Tiled {
    /// The layout of a part of a texture.
    pub fn new(of: &Image, plane: Plane) -> Tiled {
        let bytes = plane.bytes(of.format).1 as u32;
        let samples = match of.samples {
            8.. => [2, 1],
            4.. => [1, 1],
            2.. => [1, 0],
            _ => [0, 0],
        };
        let mut levels: Vec<Level> = Vec::new();
        let mut end = 0;
        for n in 0..of.levels {
            let [w, h, d] = of.level_size(n);
            let size = [w << samples[0], h << samples[1], if of.is_3d { d } else { 1 }];
            let level = Level::new(size, bytes, of.is_3d, end);
            end += level.bytes();
            levels.push(level);
        }
        let first = levels.first().map_or(0, Level::tile);
        Tiled {
            is_3d: of.is_3d,
            layers: if of.is_3d { 1 } else { of.size[2] },
            samples,
            bytes,
            levels,
            layer_stride: end.next_multiple_of(1 << first),
        }
    }

    /// Where a level of a layer begins.
    pub fn start(&self, level: u32, layer: u32) -> u64 {
        self.levels[level as usize].start + u64::from(layer) * self.layer_stride
    }
}

impl SurfaceLayout for Tiled {
    fn size(&self) -> u64 {
        self.layer_stride * u64::from(self.layers)
    }

    fn offset(&self, TexelAt { level, layer, x, y, sample }: TexelAt) -> u64 {
        let (dx, dy) = SAMPLES[sample as usize & 7];
        let (x, y) = ((x << self.samples[0]) + dx, (y << self.samples[1]) + dy);
        let (slice, layer) = if self.is_3d { (layer, 0) } else { (0, layer) };
        u64::from(layer) * self.layer_stride + self.levels[level as usize].offset(x * self.bytes, y, slice)
    }
}
