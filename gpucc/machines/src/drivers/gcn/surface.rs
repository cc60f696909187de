//! Where texels lie: linear surfaces. Rows are multiples of 8 texels and of 64 bytes, slices of 256 bytes; a level holds all of
//! its slices, and levels follow each other. The pitch of a surface with several levels is a power of two.

use gpucc_sim::BoundTexture;
use gpucc_sim::texture::{Format, Image};

/// The part of a texture that a surface holds: depth and stencil lie apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Plane {
    Colour,
    Depth,
    Stencil,
}

impl Plane {
    /// The plane that a view reads.
    pub(super) fn of(view: &BoundTexture, image: &Image) -> Plane {
        if view.stencil {
            Plane::Stencil
        } else if image.format.has_depth() {
            Plane::Depth
        } else {
            Plane::Colour
        }
    }

    /// The format of its texels as a view reads them: of depth and stencil that of the texture.
    pub(super) fn format(self, view: &BoundTexture, image: &Image) -> Format {
        match self {
            Plane::Stencil => Format::Stencil8,
            Plane::Depth => image.format,
            Plane::Colour => view.format,
        }
    }

    /// Place of its bytes in a texel of the texture, and how many they are.
    fn bytes(self, format: Format) -> (usize, usize) {
        match (self, format) {
            (Plane::Stencil, Format::Depth24PlusStencil8) => (3, 1),
            (Plane::Stencil, Format::Depth32FloatStencil8) => (4, 1),
            (_, Format::Depth32FloatStencil8) => (0, 4),
            _ => (0, format.bytes() as usize),
        }
    }
}

/// A surface in memory.
#[derive(Clone, Debug)]
pub(super) struct Surface {
    /// Place in the textures of the dispatch.
    pub image: usize,
    pub plane: Plane,
    pub is_3d: bool,
    /// Width, height, and depth or layers.
    pub size: [u32; 3],
    pub levels: u32,
    pub samples: u32,
    /// Place of its bytes in a texel of the texture, and their number.
    part: (usize, usize),
    /// The resource of the entry point that may write it.
    pub written_as: Option<u16>,
}

impl Surface {
    pub(super) fn new(image: usize, plane: Plane, of: &Image) -> Surface {
        Surface {
            image,
            plane,
            is_3d: of.is_3d,
            size: of.size,
            levels: of.levels,
            samples: of.samples,
            part: plane.bytes(of.format),
            written_as: None,
        }
    }

    /// Width, height, and depth or layers of a level.
    pub(super) fn level_size(&self, level: u32) -> [u32; 3] {
        let less = |s: u32| (s >> level).max(1);
        let [w, h, d] = self.size;
        [less(w), less(h), if self.is_3d { less(d) } else { d }]
    }

    /// Texels of a row of a level.
    pub(super) fn pitch(&self, level: u32) -> u32 {
        let unit = 8.max(64 / self.part.1 as u32);
        let first = if self.levels > 1 { self.size[0].next_power_of_two() } else { self.size[0] };
        (first.next_multiple_of(unit) >> level).max(1).next_multiple_of(unit)
    }

    fn row(&self, level: u32) -> usize {
        self.pitch(level) as usize * self.samples as usize * self.part.1
    }

    fn slice(&self, level: u32) -> usize {
        (self.row(level) * self.level_size(level)[1] as usize).next_multiple_of(256)
    }

    /// Where a level begins; behind the last one the size of the whole.
    pub(super) fn level_offset(&self, level: u32) -> u64 {
        (0..level).map(|l| self.slice(l) as u64 * u64::from(self.level_size(l)[2])).sum()
    }

    /// Bytes of the whole.
    pub(super) fn size(&self) -> u64 {
        self.level_offset(self.levels)
    }

    /// Calls `with` with the places of each sample of each texel: in the texture, and in the surface.
    fn walk(&self, image: &Image, mut with: impl FnMut(usize, usize)) {
        let (part, bytes) = self.part;
        for level in 0..self.levels {
            let [w, h, slices] = self.level_size(level);
            let start = self.level_offset(level) as usize;
            for slice in 0..slices {
                for y in 0..h {
                    let row = start + slice as usize * self.slice(level) + y as usize * self.row(level);
                    let from = image.offset(level, slice, 0, y, 0);
                    for k in 0..w as usize * self.samples as usize {
                        with(from + k * image.format.bytes() as usize + part, row + k * bytes);
                    }
                }
            }
        }
    }

    /// The texels of a texture as they lie in the surface.
    pub(super) fn upload(&self, image: &Image) -> Vec<u8> {
        let mut out = vec![0; self.size() as usize];
        let n = self.part.1;
        self.walk(image, |from, to| out[to..to + n].copy_from_slice(&image.bytes[from..from + n]));
        out
    }

    /// The inverse. What a surface lost in a run that trapped early stays as it was.
    pub(super) fn download(&self, bytes: &[u8], image: &mut Image) {
        if bytes.len() as u64 != self.size() {
            return;
        }
        let n = self.part.1;
        let mut texels = std::mem::take(&mut image.bytes);
        self.walk(image, |to, from| texels[to..to + n].copy_from_slice(&bytes[from..from + n]));
        image.bytes = texels;
    }
}
