//! Attachments of a pass.

use crate::raster::resolve;
use crate::texture::{Base, Codec, Format, Image, Texel};

/// One level of one layer of a texture while a pass draws on it: rows tightly packed, the samples of a pixel consecutive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Surface {
    /// Format of the view.
    pub format: Format,
    /// Number of columns, in pixels.
    pub width: u32,
    /// Number of rows, in pixels.
    pub rows: u32,
    /// Samples of a pixel.
    pub samples: u32,
    /// The texels, row by row.
    pub bytes: Vec<u8>,
}

impl Surface {
    /// A surface of zeros.
    pub fn new(format: Format, width: u32, height: u32, samples: u32) -> Surface {
        let mut s = Surface { format, width, rows: height, samples, bytes: Vec::new() };
        s.bytes = vec![0; s.row_bytes() * height as usize];
        s
    }

    /// A level of a layer of a texture, seen in a format of the same size.
    pub fn load(image: &Image, format: Format, level: u32, layer: u32) -> Surface {
        let [width, height, _] = image.level_size(level);
        let mut s = Surface { format, width, rows: height, samples: image.samples, bytes: Vec::new() };
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
        let pixel = y as usize * self.width as usize + x as usize;
        (pixel * self.samples as usize + sample as usize) * self.format.bytes() as usize
    }

    /// The bytes of a sample; column and row are inside.
    pub fn sample(&self, x: u32, y: u32, sample: u32) -> &[u8] {
        let at = self.offset(x, y, sample);
        &self.bytes[at..][..self.format.bytes() as usize]
    }

    /// The value that a program gets when it reads a sample of a pixel: zeros outside; an alpha that the format lacks is 1.
    pub fn texel(&self, [x, y]: [u32; 2], sample: u32) -> Texel {
        if x >= self.width || y >= self.rows {
            return [0; 4];
        }
        let mut texel = self.format.decode(self.sample(x, y, sample));
        if self.format.components() < 4 {
            texel[3] = if self.format.base() == Base::Float { 1f32.to_bits() } else { 1 };
        }
        texel
    }

    /// The bytes of a sample, for change; column and row are inside.
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
}

/// What the stages of draws did: what pipeline statistics count. They do not depend on the number of cores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Vertices of all instances; an index that begins a strip anew is none.
    pub vertices: u64,
    /// Whole primitives that they make.
    pub primitives: u64,
    /// Vertices that were shaded: one that was shaded shortly before is not shaded again.
    pub vertex_invocations: u64,
    /// Primitives that came to clipping.
    pub clipped: u64,
    /// Primitives of which clipping left something, each counted once.
    pub visible: u64,
    /// Lanes that were shaded and are no helpers, also where there is no fragment program.
    pub fragment_invocations: u64,
}

/// The attachments of a pass, all of one size. Those that hold the same are equal, whatever it cost.
#[derive(Clone, Debug, Default)]
pub struct Targets {
    /// Colour attachments by location.
    pub colour: Vec<Option<Surface>>,
    /// Depth-stencil attachment, if there is one.
    pub depth: Option<Surface>,
    /// Pixels that an open quad wrote, row by row; empty if there are none.
    open: Vec<bool>,
    /// Layers above the first, each with the same attachments.
    above: Vec<Targets>,
    /// Samples of this layer that passed all tests.
    passed: u64,
    /// The counts of draws on these targets, whatever layers they chose.
    counts: Counts,
}

impl PartialEq for Targets {
    fn eq(&self, o: &Targets) -> bool {
        // Seeds change how much is shaded, not what comes of it.
        let Targets { colour, depth, open, above, passed, counts: _ } = self;
        (colour, depth, open, above, passed) == (&o.colour, &o.depth, &o.open, &o.above, &o.passed)
    }
}

impl Eq for Targets {}

impl Targets {
    /// Attachments before the first draw.
    pub fn new(colour: Vec<Option<Surface>>, depth: Option<Surface>) -> Targets {
        Targets { colour, depth, open: Vec::new(), above: Vec::new(), passed: 0, counts: Counts::default() }
    }

    /// The same targets with layers above this one, among which vertices choose.
    #[must_use]
    pub fn with_layers(self, above: Vec<Targets>) -> Targets {
        Targets { above, ..self }
    }

    /// Samples that passed all tests since the targets were made, in all layers: what occlusion queries count.
    pub fn passed(&self) -> u64 {
        self.passed + self.above.iter().map(Targets::passed).sum::<u64>()
    }

    /// Gives the counts of draws since this was asked last.
    pub fn take_counts(&mut self) -> Counts {
        std::mem::take(&mut self.counts)
    }

    pub(crate) fn counts(&mut self) -> &mut Counts {
        &mut self.counts
    }

    pub(crate) fn pass(&mut self) {
        self.passed += 1;
    }

    /// Number of layers, this one among them.
    pub fn layers(&self) -> u32 {
        1 + self.above.len() as u32
    }

    /// A layer, if it is there.
    pub fn layer(&self, layer: u32) -> Option<&Targets> {
        match layer.checked_sub(1) {
            None => Some(self),
            Some(k) => self.above.get(k as usize),
        }
    }

    /// A layer, for change.
    pub fn layer_mut(&mut self, layer: u32) -> Option<&mut Targets> {
        match layer.checked_sub(1) {
            None => Some(self),
            Some(k) => self.above.get_mut(k as usize),
        }
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
        Some(y as usize * s.width as usize + x as usize)
    }

    pub(crate) fn set_open(&mut self, x: u32, y: u32) {
        let Some(at) = self.place(x, y) else { return };
        if self.open.is_empty() {
            let pixels = self.all().next().map_or(0, |s| s.width as usize * s.rows as usize);
            self.open = vec![false; pixels];
        }
        self.open[at] = true;
    }
}
