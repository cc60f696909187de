//! Render passes: attachments while they are drawn on.

use std::sync::Arc;

use ash::vk;
use gpucc_device::{Attachment, Attachments, Clear, Images, Part};
use gpucc_sim::draw::{Surface, Targets};
use gpucc_sim::texture::Image as Texels;

use crate::command::Begin;
use crate::memory::View;
use crate::pass::Subpass;

/// A pass under way.
pub struct Pass {
    begin: Begin,
    /// The number of the subpass.
    at: usize,
    /// Views that each attachment was used in before, a bit each: they are cleared at the first use.
    seen: Vec<u32>,
    /// The attachments that draws change.
    pub targets: Targets,
}

/// Columns and rows of a rectangle that lie on a surface.
pub fn inside(r: &vk::Rect2D, s: &Surface) -> [u32; 4] {
    let end = |at: i32, n: u32, most: u32| (i64::from(at) + i64::from(n)).clamp(0, most.into()) as u32;
    let x = r.offset.x.max(0) as u32;
    let y = r.offset.y.max(0) as u32;
    [x, y, end(r.offset.x, r.extent.width, s.width), end(r.offset.y, r.extent.height, s.rows)]
}

/// The edges of an area: left, upper, right and lower.
fn edges(r: &vk::Rect2D) -> [u32; 4] {
    let end = |at: i32, n: u32| (i64::from(at) + i64::from(n)).clamp(0, u32::MAX.into()) as u32;
    let [x, y] = [r.offset.x, r.offset.y].map(|at| at.max(0) as u32);
    [x, y, end(r.offset.x, r.extent.width), end(r.offset.y, r.extent.height)]
}

/// The images of a framebuffer, by its views.
struct Views<'a>(&'a [Arc<View>]);

impl Images for Views<'_> {
    fn read(&self, image: usize, f: &mut dyn FnMut(&Texels)) {
        self.0.get(image).into_iter().for_each(|view| f(&view.image.lock()));
    }

    fn write(&mut self, image: usize, f: &mut dyn FnMut(&mut Texels)) {
        self.0.get(image).into_iter().for_each(|view| f(&mut view.image.lock()));
    }
}

impl Pass {
    /// Begins a pass: loads and clears the attachments of its first subpass.
    pub fn new(begin: Begin) -> Pass {
        let seen = vec![0; begin.pass.attachments.len()];
        let mut pass = Pass { begin, at: 0, seen, targets: Targets::default() };
        pass.open();
        pass
    }

    /// Goes to the next subpass.
    pub fn next(&mut self) {
        self.close();
        self.at += 1;
        self.open();
    }

    /// A view of the framebuffer.
    fn part(&self, image: usize) -> Option<Part> {
        let view = self.begin.frame.views.get(image)?;
        Some(Part { image, format: Some(view.seen.format), level: view.seen.base_level, layer: view.seen.base_layer })
    }

    /// An attachment of the pass, and what it is resolved to.
    fn attachment(&self, k: usize, resolve: Option<usize>) -> Option<Attachment> {
        let (part, a) = (self.part(k)?, self.begin.pass.attachments.get(k)?);
        let value = self.begin.clears.get(k).copied().unwrap_or_default();
        let clear = Clear {
            colour: a.clears.then_some(value),
            depth: a.clears.then_some(f32::from_bits(value[0])),
            stencil: a.clears_stencil.then_some(value[1]),
        };
        let resolve = resolve.and_then(|k| self.part(k));
        Some(Attachment { part, clear, resolve, dropped: Clear::default() })
    }

    /// The attachments of a subpass.
    fn attachments(&self, sub: &Subpass) -> Attachments {
        let resolve = |k: usize| sub.resolve.get(k).copied().flatten();
        let colour = |(k, c): (usize, &Option<usize>)| c.and_then(|c| self.attachment(c, resolve(k)));
        Attachments {
            colours: sub.colour.iter().enumerate().map(colour).collect(),
            depth: sub.depth.and_then(|k| self.attachment(k, sub.resolve_depth)),
            area: Some(edges(&self.begin.area)),
        }
    }

    /// Loads the attachments of the subpass.
    fn open(&mut self) {
        let pass = self.begin.pass.clone();
        let Some(sub) = pass.subpasses.get(self.at) else { return };
        let layers = match sub.views {
            0 => self.begin.frame.layers.max(1),
            views => u32::BITS - views.leading_zeros(),
        };
        let attachments = self.attachments(sub);
        let mut list: Vec<Targets> = Vec::new();
        for layer in 0..layers {
            let own = if sub.views == 0 { 1 } else { sub.views & 1 << layer };
            let first = |a: &Attachment| own != 0 && self.seen.get(a.part.image).is_some_and(|seen| seen & own == 0);
            list.push(attachments.begin(&Views(&self.begin.frame.views), layer, &first));
        }
        for k in sub.colour.iter().flatten().chain(&sub.depth) {
            if let Some(s) = self.seen.get_mut(*k) {
                *s |= if sub.views == 0 { 1 } else { sub.views };
            }
        }
        let mut list = list.into_iter();
        let base = list.next().unwrap_or_default();
        self.targets = base.with_layers(list.collect());
    }

    /// Writes the attachments back, without the resolves.
    pub fn show(&self) {
        let Some(sub) = self.begin.pass.subpasses.get(self.at) else { return };
        self.attachments(sub).show(&mut Views(&self.begin.frame.views), &self.targets);
    }

    /// Writes the attachments back.
    pub fn close(&self) {
        let Some(sub) = self.begin.pass.subpasses.get(self.at) else { return };
        self.attachments(sub).end(&mut Views(&self.begin.frame.views), &self.targets, &|layer| self.has(layer));
    }

    /// Whether the subpass reads attachments.
    pub fn reads(&self) -> bool {
        self.begin.pass.subpasses.get(self.at).is_some_and(|s| s.reads)
    }

    /// The views of the subpass, a bit each.
    pub fn views(&self) -> u32 {
        self.begin.pass.subpasses.get(self.at).map_or(0, |s| s.views)
    }

    /// Whether the subpass draws on a layer: in one of several views these are the layers.
    pub fn has(&self, layer: u32) -> bool {
        let views = self.views();
        views == 0 || views >> layer & 1 == 1
    }

    /// Width and height of the framebuffer, in pixels.
    pub fn size(&self) -> [u32; 2] {
        self.begin.frame.size
    }
}
