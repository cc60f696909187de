//! Render passes: attachments while they are drawn on.

use ash::vk;
use gpucc_sim::draw::{Surface, Targets};
use gpucc_sim::texture::Codec;

use crate::command::{Begin, Clear};
use crate::memory::View;

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

/// The rectangle of a surface.
fn whole(s: &Surface) -> [u32; 4] {
    [0, 0, s.width, s.rows]
}

/// Columns and rows of a rectangle that lie on a surface.
pub fn inside(r: &vk::Rect2D, s: &Surface) -> [u32; 4] {
    let end = |at: i32, n: u32, most: u32| (i64::from(at) + i64::from(n)).clamp(0, most.into()) as u32;
    let x = r.offset.x.max(0) as u32;
    let y = r.offset.y.max(0) as u32;
    [x, y, end(r.offset.x, r.extent.width, s.width), end(r.offset.y, r.extent.height, s.rows)]
}

/// Clears the aspects of a surface in a rectangle: left, upper, right and lower edge.
pub fn clear_in(s: &mut Surface, value: Clear, (depth, stencil): (bool, bool), [x0, y0, x1, y1]: [u32; 4]) {
    let format = s.format;
    let deep = format.has_depth() || format.has_stencil();
    if [x0, y0, x1, y1] == whole(s) {
        match (deep, depth, stencil) {
            (false, ..) => s.clear(value),
            (true, d, st) => {
                if d {
                    s.clear_depth(f32::from_bits(value[0]));
                }
                if st {
                    s.clear_stencil(value[1]);
                }
            }
        }
        return;
    }
    for y in y0..y1 {
        for x in x0..x1 {
            for k in 0..s.samples {
                let texel = s.sample_mut(x, y, k);
                if !deep {
                    format.encode(value, 15, texel);
                }
                if deep && depth && format.has_depth() {
                    format.encode([value[0], 0, 0, 0], 1, texel);
                }
                if deep && stencil {
                    format.encode_stencil(value[1], texel);
                }
            }
        }
    }
}

/// Sample 0 of each pixel.
fn first_samples(s: &Surface) -> Surface {
    let mut out = Surface::new(s.format, s.width, s.rows, 1);
    for y in 0..s.rows {
        for x in 0..s.width {
            out.sample_mut(x, y, 0).copy_from_slice(s.sample(x, y, 0));
        }
    }
    out
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

    fn load(&mut self, k: usize, layer: u32, first: bool) -> Option<Surface> {
        let view = self.begin.frame.views.get(k)?;
        let mut s = Surface::load(&view.image.lock(), view.format, view.base_level, view.base_layer + layer);
        let a = self.begin.pass.attachments.get(k)?;
        if first {
            let value = self.begin.clears.get(k).copied().unwrap_or_default();
            let area = inside(&self.begin.area, &s);
            if a.clears || a.clears_stencil {
                let colour = !(view.format.has_depth() || view.format.has_stencil());
                if !colour || a.clears {
                    clear_in(&mut s, value, (a.clears, a.clears_stencil), area);
                }
            }
        }
        Some(s)
    }

    /// Loads the attachments of the subpass.
    fn open(&mut self) {
        let pass = self.begin.pass.clone();
        let Some(sub) = pass.subpasses.get(self.at) else { return };
        let layers = match sub.views {
            0 => self.begin.frame.layers.max(1),
            views => u32::BITS - views.leading_zeros(),
        };
        let seen = self.seen.clone();
        let mut list: Vec<Targets> = Vec::new();
        for layer in 0..layers {
            let own = if sub.views == 0 { 1 } else { sub.views & 1 << layer };
            let first = |k: usize| own != 0 && seen.get(k).is_some_and(|seen| seen & own == 0);
            let colour = sub.colour.iter().map(|c| c.and_then(|k| self.load(k, layer, first(k)))).collect();
            let depth = sub.depth.and_then(|k| self.load(k, layer, first(k)));
            list.push(Targets::new(colour, depth));
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

    fn store(view: &View, layer: u32, s: &Surface) {
        s.store(&mut view.image.lock(), view.base_level, view.base_layer + layer);
    }

    /// Writes the attachments back, without the resolves.
    pub fn show(&self) {
        let Some(sub) = self.begin.pass.subpasses.get(self.at) else { return };
        let views = &self.begin.frame.views;
        for layer in 0..self.targets.layers() {
            let Some(t) = self.targets.layer(layer) else { continue };
            for (s, k) in
                t.colour.iter().zip(&sub.colour).map(|(s, k)| (s.as_ref(), *k)).chain([(t.depth.as_ref(), sub.depth)])
            {
                if let (Some(s), Some(view)) = (s, k.and_then(|k| views.get(k))) {
                    Pass::store(view, layer, s);
                }
            }
        }
    }

    /// Writes the attachments back.
    pub fn close(&self) {
        self.show();
        let Some(sub) = self.begin.pass.subpasses.get(self.at) else { return };
        for layer in 0..self.targets.layers() {
            let Some(t) = self.targets.layer(layer).filter(|_| self.has(layer)) else { continue };
            for (s, k) in t.colour.iter().zip(&sub.resolve) {
                let view = k.and_then(|k| self.begin.frame.views.get(k));
                if let (Some(s), Some(view)) = (s, view) {
                    Pass::store(view, layer, &s.resolved());
                }
            }
            let view = sub.resolve_depth.and_then(|k| self.begin.frame.views.get(k));
            if let (Some(s), Some(view)) = (&t.depth, view) {
                Pass::store(view, layer, &first_samples(s));
            }
        }
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
