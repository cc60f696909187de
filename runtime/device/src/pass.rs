//! Attachments: parts of images while draws change them.

use gpucc_pipeline::Format;
use gpucc_sim::draw::{Surface, Targets};
use gpucc_sim::texture::{Codec, Image as Texels, Texel};

/// The images of a client, by its own numbers.
pub trait Images {
    /// Calls `f` with the texels of an image, if it is there.
    fn read(&self, image: usize, f: &mut dyn FnMut(&Texels));

    /// Calls `f` with the texels of an image for change, if it is there.
    fn write(&mut self, image: usize, f: &mut dyn FnMut(&mut Texels));
}

impl Images for [Texels] {
    fn read(&self, image: usize, f: &mut dyn FnMut(&Texels)) {
        self.get(image).into_iter().for_each(f);
    }

    fn write(&mut self, image: usize, f: &mut dyn FnMut(&mut Texels)) {
        self.get_mut(image).into_iter().for_each(f);
    }
}

/// Values that samples are given, each only where the format has it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Clear {
    /// The colour, as words of the format's base type.
    pub colour: Option<Texel>,
    /// The depth, from 0 to 1.
    pub depth: Option<f32>,
    /// The value of the stencil.
    pub stencil: Option<u32>,
}

impl Clear {
    /// Gives them to the samples in a rectangle: left, upper, right and lower edge.
    pub fn apply(&self, s: &mut Surface, [x0, y0, x1, y1]: [u32; 4]) {
        let format = s.format;
        let is_colour = !(format.has_depth() || format.has_stencil());
        let colour = self.colour.filter(|_| is_colour);
        let depth = self.depth.filter(|_| format.has_depth());
        let stencil = self.stencil.filter(|_| format.has_stencil());
        if [x0, y0, x1, y1] == [0, 0, s.width, s.rows] {
            colour.into_iter().for_each(|v| s.clear(v));
            depth.into_iter().for_each(|z| s.clear_depth(z));
            stencil.into_iter().for_each(|v| s.clear_stencil(v));
            return;
        }
        for (y, x) in (y0..y1).flat_map(|y| (x0..x1).map(move |x| (y, x))) {
            for k in 0..s.samples {
                let texel = s.sample_mut(x, y, k);
                colour.into_iter().for_each(|v| format.encode(v, 15, texel));
                depth.into_iter().for_each(|z| format.encode([z.to_bits(), 0, 0, 0], 1, texel));
                stencil.into_iter().for_each(|v| format.encode_stencil(v, texel));
            }
        }
    }
}

/// One level of an image, from a layer or slice on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The image, by the client's number.
    pub image: usize,
    /// The format that texels are seen in, unless it is the image's own.
    pub format: Option<Format>,
    /// The mip level of it.
    pub level: u32,
    /// The first of its layers.
    pub layer: u32,
}

impl Part {
    /// The texels of one of its layers.
    fn load(&self, images: &(impl Images + ?Sized), layer: u32) -> Option<Surface> {
        let mut out = None;
        images.read(self.image, &mut |t| {
            out = Some(Surface::load(t, self.format.unwrap_or(t.format), self.level, self.layer + layer));
        });
        out
    }

    /// Writes one of its layers.
    fn store(&self, images: &mut (impl Images + ?Sized), layer: u32, s: &Surface) {
        images.write(self.image, &mut |t| s.store(t, self.level, self.layer + layer));
    }
}

/// An attachment of a pass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attachment {
    /// Where its texels come from and go to.
    pub part: Part,
    /// The values that it begins with in the area of the pass; what is not given is loaded.
    pub clear: Clear,
    /// Where it is resolved to: colours to their mean, depths and stencils to sample 0.
    pub resolve: Option<Part>,
    /// The values that it has at the end, of what is not kept.
    pub dropped: Clear,
}

/// The attachments of a pass: colours by location, depth and stencil.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Attachments {
    /// Colour attachments by location.
    pub colours: Vec<Option<Attachment>>,
    /// Depth-stencil attachment, if there is one.
    pub depth: Option<Attachment>,
    /// The rectangle that is cleared, by its edges: left, upper, right and lower; without one all is. It may reach beyond.
    pub area: Option<[u32; 4]>,
}

impl Attachments {
    /// The attachments of one layer at the start of a pass. Those that `first` takes are cleared.
    pub fn begin(&self, images: &(impl Images + ?Sized), layer: u32, first: &dyn Fn(&Attachment) -> bool) -> Targets {
        let one = |a: &Attachment| {
            let mut s = a.part.load(images, layer)?;
            if first(a) {
                let whole = [0, 0, s.width, s.rows];
                let area = self.area.map_or(whole, |[x0, y0, x1, y1]| {
                    [x0.min(s.width), y0.min(s.rows), x1.min(s.width), y1.min(s.rows)]
                });
                a.clear.apply(&mut s, area);
            }
            Some(s)
        };
        let colours = self.colours.iter().map(|c| c.as_ref().and_then(one)).collect();
        Targets::new(colours, self.depth.as_ref().and_then(one))
    }

    /// Each attachment with its texels of a layer.
    fn pairs<'a>(&'a self, t: &'a Targets) -> impl Iterator<Item = (&'a Attachment, &'a Surface)> {
        let colours = self.colours.iter().zip(&t.colour).filter_map(|(a, s)| a.as_ref().zip(s.as_ref()));
        colours.chain(self.depth.as_ref().zip(t.depth.as_ref()))
    }

    /// Writes all layers back, so that draws that follow read what the attachments hold so far: a draw reads nothing that it writes.
    pub fn show(&self, images: &mut (impl Images + ?Sized), targets: &Targets) {
        for (n, t) in (0..targets.layers()).filter_map(|n| Some((n, targets.layer(n)?))) {
            self.pairs(t).for_each(|(a, s)| a.part.store(images, n, s));
        }
    }

    /// Writes all layers back at the end of a pass; those that `is_own` takes are resolved.
    pub fn end(&self, images: &mut (impl Images + ?Sized), targets: &Targets, is_own: &dyn Fn(u32) -> bool) {
        for (n, t) in (0..targets.layers()).filter_map(|n| Some((n, targets.layer(n)?))) {
            for (a, s) in self.pairs(t) {
                match a.dropped == Clear::default() {
                    true => a.part.store(images, n, s),
                    false => {
                        let mut s = s.clone();
                        let whole = [0, 0, s.width, s.rows];
                        a.dropped.apply(&mut s, whole);
                        a.part.store(images, n, &s);
                    }
                }
            }
            for (a, s) in self.pairs(t).filter(|_| is_own(n)) {
                let Some(to) = &a.resolve else { continue };
                let is_colour = !(s.format.has_depth() || s.format.has_stencil());
                to.store(images, n, &if is_colour { s.resolved() } else { first_samples(s) });
            }
        }
    }
}

/// Sample 0 of each pixel.
fn first_samples(s: &Surface) -> Surface {
    let mut out = Surface::new(s.format, s.width, s.rows, 1);
    for (y, x) in (0..s.rows).flat_map(|y| (0..s.width).map(move |x| (y, x))) {
        out.sample_mut(x, y, 0).copy_from_slice(s.sample(x, y, 0));
    }
    out
}
