//! Attachments of a render pass, as parts of the scene's textures.

use gpucc_device::{Attachment, Attachments, Clear, Part};
use gpucc_pipeline::{Base, Format};
use gpucc_scene::model::{ColorAttachment, DepthStencilAttachment, LoadOp, StoreOp};
use gpucc_sim::draw::Targets;
use gpucc_sim::texture::Texel;

use super::Frame;

/// Colour and depth-stencil attachments of a pass.
pub type Given<'a> = (&'a [Option<ColorAttachment>], Option<&'a DepthStencilAttachment>);

/// The layer or slice that an attachment is.
fn layer(c: &ColorAttachment) -> u32 {
    c.depth_slice.unwrap_or(c.array_layer)
}

/// Layers of the attachments: they have as many each.
fn layers((colours, depth): Given<'_>) -> u32 {
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
    /// The attachments of a pass, as parts of the scene's textures, and the number of their layers.
    pub fn attachments(&self, (colours, depth): Given<'_>) -> (Attachments, u32) {
        let colour = |c: &ColorAttachment| {
            let part = self.part(&c.texture, c.mip_level, layer(c))?;
            let format = c.format.unwrap_or(self.resources.textures[part.image].format);
            let resolve = c.resolve_target.as_ref();
            Some(Attachment {
                part: Part { format: Some(format), ..part },
                clear: Clear {
                    colour: (c.load_op == LoadOp::Clear).then(|| clear_words(format, c.clear_value)),
                    ..Clear::default()
                },
                resolve: resolve.and_then(|r| self.part(&r.texture, r.mip_level, r.array_layer)),
                dropped: Clear { colour: (c.store_op == StoreOp::Discard).then_some([0; 4]), ..Clear::default() },
            })
        };
        let depth_stencil = |d: &DepthStencilAttachment| {
            let (z, stencil) = (d.depth_ops(), d.stencil_ops());
            Some(Attachment {
                part: self.part(&d.texture, d.mip_level, d.array_layer)?,
                clear: Clear {
                    colour: None,
                    depth: (z.0 == LoadOp::Clear).then_some(d.depth_clear() as f32),
                    stencil: (stencil.0 == LoadOp::Clear).then_some(d.stencil_clear_value),
                },
                resolve: None,
                dropped: Clear {
                    colour: None,
                    depth: (z.1 == StoreOp::Discard).then_some(0.0),
                    stencil: (stencil.1 == StoreOp::Discard).then_some(0),
                },
            })
        };
        let all = Attachments {
            colours: colours.iter().map(|c| c.as_ref().and_then(colour)).collect(),
            depth: depth.and_then(depth_stencil),
            area: None,
        };
        (all, layers((colours, depth)))
    }

    fn part(&self, texture: &str, level: u32, layer: u32) -> Option<Part> {
        let image = self.scene.textures.position(texture).filter(|&k| k < self.resources.textures.len())?;
        Some(Part { image, format: None, level, layer })
    }

    /// Notes which pixels of the attachments nothing decides.
    pub fn keep_open(&mut self, attachments: &Attachments, targets: &Targets) {
        for (n, t) in (0..targets.layers()).filter_map(|n| Some((n, targets.layer(n)?))) {
            let Some(s) = t.colour.iter().flatten().chain(&t.depth).next() else { return };
            let places = (0..s.rows).flat_map(|y| (0..s.width).map(move |x| (x, y)));
            let open: Vec<bool> = places.map(|(x, y)| t.is_open(x, y)).collect();
            if !open.contains(&true) {
                continue;
            }
            let all = attachments.colours.iter().flatten().chain(&attachments.depth);
            for part in all.flat_map(|a| std::iter::once(a.part).chain(a.resolve)) {
                let place = (part.image, part.level, part.layer + n);
                let own = self.report.open.entry(place).or_insert_with(|| vec![false; open.len()]);
                own.iter_mut().zip(&open).for_each(|(a, o)| *a |= o);
            }
        }
    }
}
