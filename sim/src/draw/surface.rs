//! Attachments of a pass.

use std::thread;

use crate::raster::resolve;
use crate::texture::{Codec, Format, Image, Texel};
use crate::trap::Trap;

/// One level of one layer of a texture while a pass draws on it: rows tightly packed, the samples of a pixel consecutive.
/// A surface may be a band of rows of the whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Surface {
    /// Format of the view.
    pub format: Format,
    /// Columns.
    pub width: u32,
    /// Number of the first row.
    pub first_row: u32,
    /// Rows.
    pub rows: u32,
    /// Samples of a pixel.
    pub samples: u32,
    /// The texels.
    pub bytes: Vec<u8>,
}

impl Surface {
    /// A surface of zeros.
    pub fn new(format: Format, width: u32, height: u32, samples: u32) -> Surface {
        let mut s = Surface { format, width, first_row: 0, rows: height, samples, bytes: Vec::new() };
        s.bytes = vec![0; s.row_bytes() * height as usize];
        s
    }

    /// A level of a layer of a texture, seen in a format of the same size.
    pub fn load(image: &Image, format: Format, level: u32, layer: u32) -> Surface {
        let [width, height, _] = image.level_size(level);
        let mut s = Surface { format, width, first_row: 0, rows: height, samples: image.samples, bytes: Vec::new() };
        let at = image.offset(level, layer, 0, 0, 0);
        s.bytes = image.bytes[at..][..s.row_bytes() * height as usize].to_vec();
        s
    }

    /// Writes it to the level of the layer that it was loaded from.
    pub fn store(&self, image: &mut Image, level: u32, layer: u32) {
        let at = image.offset(level, layer, 0, 0, 0);
        image.bytes[at..][..self.bytes.len()].copy_from_slice(&self.bytes);
    }

    fn row_bytes(&self) -> usize {
        self.width as usize * self.samples as usize * self.format.bytes() as usize
    }

    fn each(&mut self, mut change: impl FnMut(&mut [u8])) {
        let size = self.format.bytes() as usize;
        self.bytes.chunks_exact_mut(size).for_each(&mut change);
    }

    /// Gives every sample a colour.
    pub fn clear(&mut self, value: Texel) {
        let mut one = vec![0; self.format.bytes() as usize];
        self.format.encode(value, 15, &mut one);
        self.each(|b| b.copy_from_slice(&one));
    }

    /// Gives every sample a depth and leaves the stencil.
    pub fn clear_depth(&mut self, z: f32) {
        let format = self.format;
        if format.has_depth() {
            self.each(|b| format.encode([z.to_bits(), 0, 0, 0], 1, b));
        }
    }

    /// Gives every sample a stencil value and leaves the depth.
    pub fn clear_stencil(&mut self, value: u32) {
        let format = self.format;
        self.each(|b| format.encode_stencil(value, b));
    }

    fn offset(&self, x: u32, y: u32, sample: u32) -> usize {
        let pixel = (y - self.first_row) as usize * self.width as usize + x as usize;
        (pixel * self.samples as usize + sample as usize) * self.format.bytes() as usize
    }

    /// The bytes of a sample; column and row are inside.
    pub fn sample(&self, x: u32, y: u32, sample: u32) -> &[u8] {
        let at = self.offset(x, y, sample);
        &self.bytes[at..][..self.format.bytes() as usize]
    }

    /// The same, for change.
    pub fn sample_mut(&mut self, x: u32, y: u32, sample: u32) -> &mut [u8] {
        let at = self.offset(x, y, sample);
        &mut self.bytes[at..][..self.format.bytes() as usize]
    }

    /// One sample a pixel, the mean of those here.
    pub fn resolved(&self) -> Surface {
        let mut out = Surface { samples: 1, bytes: Vec::new(), ..*self };
        let size = self.format.bytes() as usize;
        out.bytes = vec![0; self.bytes.len() / self.samples.max(1) as usize];
        for (from, to) in self.bytes.chunks_exact(size * self.samples as usize).zip(out.bytes.chunks_exact_mut(size)) {
            resolve(self.format, from, to);
        }
        out
    }

    /// The rows `from..to`.
    fn band(&self, from: u32, to: u32) -> Surface {
        let bytes = self.bytes[from as usize * self.row_bytes()..to as usize * self.row_bytes()].to_vec();
        Surface { first_row: self.first_row + from, rows: to - from, bytes, ..*self }
    }

    /// Takes the rows of a band back.
    fn join(&mut self, band: &Surface) {
        let at = (band.first_row - self.first_row) as usize * self.row_bytes();
        self.bytes[at..][..band.bytes.len()].copy_from_slice(&band.bytes);
    }
}

/// The attachments of a pass, all of one size.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Targets {
    /// Colour attachments by location.
    pub colour: Vec<Option<Surface>>,
    /// Depth-stencil attachment.
    pub depth: Option<Surface>,
    /// Pixels that an open quad wrote, row by row; empty if there are none.
    open: Vec<bool>,
}

impl Targets {
    /// Attachments before the first draw.
    pub fn new(colour: Vec<Option<Surface>>, depth: Option<Surface>) -> Targets {
        Targets { colour, depth, open: Vec::new() }
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &Surface> {
        self.colour.iter().flatten().chain(&self.depth)
    }

    /// Whether what a pixel holds is left open: a program read a lane that was inactive.
    pub fn is_open(&self, x: u32, y: u32) -> bool {
        self.place(x, y).is_some_and(|at| self.open.get(at) == Some(&true))
    }

    fn place(&self, x: u32, y: u32) -> Option<usize> {
        let s = self.all().next()?;
        Some((y - s.first_row) as usize * s.width as usize + x as usize)
    }

    pub(crate) fn set_open(&mut self, x: u32, y: u32) {
        let Some(at) = self.place(x, y) else { return };
        if self.open.is_empty() {
            let pixels = self.all().next().map_or(0, |s| s.width as usize * s.rows as usize);
            self.open = vec![false; pixels];
        }
        self.open[at] = true;
    }

    fn band(&self, from: u32, to: u32) -> Targets {
        let width = self.all().next().map_or(0, |s| s.width as usize);
        let open = if self.open.is_empty() { &[] } else { &self.open[from as usize * width..to as usize * width] };
        Targets {
            colour: self.colour.iter().map(|s| s.as_ref().map(|s| s.band(from, to))).collect(),
            depth: self.depth.as_ref().map(|s| s.band(from, to)),
            open: open.to_vec(),
        }
    }

    fn join(&mut self, band: &Targets) {
        for (to, from) in self.colour.iter_mut().zip(&band.colour) {
            if let (Some(to), Some(from)) = (to, from) {
                to.join(from);
            }
        }
        if let (Some(to), Some(from)) = (&mut self.depth, &band.depth) {
            to.join(from);
        }
        if let (false, Some(s)) = (band.open.is_empty(), band.all().next()) {
            for (k, _) in band.open.iter().enumerate().filter(|(_, open)| **open) {
                self.set_open(k as u32 % s.width, s.first_row + k as u32 / s.width);
            }
        }
    }
}

/// Runs a pass in bands of rows, one for each of `stages`, on a thread each; every band shades all vertices. Not for programs
/// that write memory: their order would not be that of the primitives.
///
/// # Errors
/// The trap of the uppermost band that has one.
pub fn in_bands<S: Send>(
    stages: &mut [S],
    targets: &mut Targets,
    pass: impl Fn(&mut S, &mut Targets) -> Result<(), Trap> + Sync,
) -> Result<(), Trap> {
    let rows = targets.all().next().map_or(0, |s| s.rows);
    if let [only] = stages {
        return pass(only, targets);
    }
    // Quads are not cut.
    let count = stages.len() as u64;
    let border = |k: u64| ((u64::from(rows) * k / count + 1) & !1).min(u64::from(rows)) as u32;
    let mut bands: Vec<Targets> = (0..count).map(|k| targets.band(border(k), border(k + 1))).collect();
    let results: Vec<Result<(), Trap>> = thread::scope(|scope| {
        let pass = &pass;
        let runs: Vec<_> =
            stages.iter_mut().zip(&mut bands).map(|(s, band)| scope.spawn(move || pass(s, band))).collect();
        runs.into_iter().map(|r| r.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    });
    bands.iter().for_each(|b| targets.join(b));
    results.into_iter().collect()
}
