//! Attachments of a render pass: loaded or cleared before its draws, stored, dropped and resolved behind them.

use gpucc_pipeline::{Base, Format};
use gpucc_scene::model::{ColorAttachment, DepthStencilAttachment, LoadOp, StoreOp};
use gpucc_sim::draw::{Surface, Targets};
use gpucc_sim::texture::Texel;

use super::Frame;

/// Colour and depth-stencil attachments of a pass.
pub type Attachments<'a> = (&'a [Option<ColorAttachment>], Option<&'a DepthStencilAttachment>);

/// The layer or slice that an attachment is.
fn layer(c: &ColorAttachment) -> u32 {
    c.depth_slice.unwrap_or(c.array_layer)
}

/// Layers of the attachments: they have as many each.
fn layers((colours, depth): Attachments<'_>) -> u32 {
    let colour = colours.iter().flatten().map(|c| c.array_layer_count).next();
    colour.or(depth.map(|d| d.array_layer_count)).unwrap_or(1)
}

/// A clear value as words of the format's base type.
fn clear_words(format: Format, value: [f64; 4]) -> Texel {
    value.map(|v| match format.base() {
        Base::Uint | Base::Stencil => v as u32,
        Base::Sint => v as i32 as u32,
        Base::Float | Base::Depth => (v as f32).to_bits(),
    })
}

impl Frame<'_> {
    /// The attachments at the start of a pass: all of their layers.
    pub fn begin(&self, attachments: Attachments<'_>) -> Targets {
        let above = (1..layers(attachments)).map(|n| self.begin_layer(attachments, n)).collect();
        self.begin_layer(attachments, 0).with_layers(above)
    }

    fn begin_layer(&self, (colours, depth): Attachments<'_>, n: u32) -> Targets {
        let colour = |c: &ColorAttachment| {
            let image = self.resources.textures.get(self.scene.textures.position(&c.texture)?)?;
            let format = c.format.unwrap_or(image.format);
            let mut surface = Surface::load(image, format, c.mip_level, layer(c) + n);
            if c.load_op == LoadOp::Clear {
                surface.clear(clear_words(format, c.clear_value));
            }
            Some(surface)
        };
        let depth = depth.and_then(|d| {
            let image = self.resources.textures.get(self.scene.textures.position(&d.texture)?)?;
            let mut surface = Surface::load(image, image.format, d.mip_level, d.array_layer + n);
            if d.depth_ops().0 == LoadOp::Clear {
                surface.clear_depth(d.depth_clear() as f32);
            }
            if d.stencil_ops().0 == LoadOp::Clear && image.format.has_stencil() {
                surface.clear_stencil(d.stencil_clear_value);
            }
            Some(surface)
        });
        Targets::new(colours.iter().map(|c| c.as_ref().and_then(colour)).collect(), depth)
    }

    /// Lets draws that follow read what the attachments hold so far, as a barrier between draws does: a draw reads nothing that it writes.
    pub fn show(&mut self, (colours, depth): Attachments<'_>, targets: &Targets) {
        for (n, layer_targets) in (0..targets.layers()).filter_map(|n| targets.layer(n).map(|t| (n, t))) {
            for (c, surface) in colours.iter().zip(&layer_targets.colour) {
                let (Some(c), Some(surface)) = (c, surface) else { continue };
                if let Some(k) = self.scene.textures.position(&c.texture) {
                    surface.store(&mut self.resources.textures[k], c.mip_level, layer(c) + n);
                }
            }
            if let (Some(d), Some(surface)) = (depth, &layer_targets.depth)
                && let Some(k) = self.scene.textures.position(&d.texture)
            {
                surface.store(&mut self.resources.textures[k], d.mip_level, d.array_layer + n);
            }
        }
    }

    /// Writes the attachments back at the end of a pass.
    pub fn end(&mut self, attachments: Attachments<'_>, mut targets: Targets) {
        for n in 0..targets.layers() {
            if let Some(layer) = targets.layer_mut(n) {
                self.end_layer(attachments, n, layer);
            }
        }
    }

    fn end_layer(&mut self, (colours, depth): Attachments<'_>, n: u32, targets: &mut Targets) {
        self.keep_open((colours, depth), n, targets);
        for (c, surface) in colours.iter().zip(&mut targets.colour) {
            let (Some(c), Some(surface)) = (c, surface) else { continue };
            if let Some(r) = &c.resolve_target
                && let Some(k) = self.scene.textures.position(&r.texture)
            {
                surface.resolved().store(&mut self.resources.textures[k], r.mip_level, r.array_layer + n);
            }
            if c.store_op == StoreOp::Discard {
                surface.bytes.fill(0);
            }
            if let Some(k) = self.scene.textures.position(&c.texture) {
                surface.store(&mut self.resources.textures[k], c.mip_level, layer(c) + n);
            }
        }
        if let (Some(d), Some(surface)) = (depth, &mut targets.depth) {
            if d.depth_ops().1 == StoreOp::Discard {
                surface.clear_depth(0.0);
            }
            if d.stencil_ops().1 == StoreOp::Discard && surface.format.has_stencil() {
                surface.clear_stencil(0);
            }
            if let Some(k) = self.scene.textures.position(&d.texture) {
                surface.store(&mut self.resources.textures[k], d.mip_level, d.array_layer + n);
            }
        }
    }

    /// Notes which pixels of a layer of the attachments nothing decides.
    fn keep_open(&mut self, (colours, depth): Attachments<'_>, n: u32, targets: &Targets) {
        let Some((width, rows)) =
            targets.colour.iter().flatten().chain(&targets.depth).next().map(|s| (s.width, s.rows))
        else {
            return;
        };
        let places = (0..rows).flat_map(|y| (0..width).map(move |x| (x, y)));
        let open: Vec<bool> = places.map(|(x, y)| targets.is_open(x, y)).collect();
        if !open.contains(&true) {
            return;
        }
        let mut names = Vec::new();
        for c in colours.iter().flatten() {
            names.push((c.texture.as_str(), c.mip_level, layer(c) + n));
            names.extend(c.resolve_target.iter().map(|r| (r.texture.as_str(), r.mip_level, r.array_layer + n)));
        }
        names.extend(depth.iter().map(|d| (d.texture.as_str(), d.mip_level, d.array_layer + n)));
        for (name, level, layer) in names {
            let Some(k) = self.scene.textures.position(name) else { continue };
            let all = self.report.open.entry((k, level, layer)).or_insert_with(|| vec![false; open.len()]);
            all.iter_mut().zip(&open).for_each(|(a, o)| *a |= o);
        }
    }
}
