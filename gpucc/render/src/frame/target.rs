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

/// A clear value as words of the format's base type.
fn clear_words(format: Format, value: [f64; 4]) -> Texel {
    value.map(|v| match format.base() {
        Base::Uint | Base::Stencil => v as u32,
        Base::Sint => v as i32 as u32,
        Base::Float | Base::Depth => (v as f32).to_bits(),
    })
}

impl Frame<'_> {
    /// The attachments at the start of a pass.
    pub fn begin(&self, (colours, depth): Attachments<'_>) -> Targets {
        let colour = |c: &ColorAttachment| {
            let image = self.resources.textures.get(self.scene.textures.position(&c.texture)?)?;
            let format = c.format.unwrap_or(image.format);
            let mut surface = Surface::load(image, format, c.mip_level, layer(c));
            if c.load_op == LoadOp::Clear {
                surface.clear(clear_words(format, c.clear_value));
            }
            Some(surface)
        };
        let depth = depth.and_then(|d| {
            let image = self.resources.textures.get(self.scene.textures.position(&d.texture)?)?;
            let mut surface = Surface::load(image, image.format, d.mip_level, d.array_layer);
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

    /// Writes the attachments back at the end of a pass.
    pub fn end(&mut self, (colours, depth): Attachments<'_>, mut targets: Targets) {
        for (c, surface) in colours.iter().zip(&mut targets.colour) {
            let (Some(c), Some(surface)) = (c, surface) else { continue };
            if let Some(r) = &c.resolve_target
                && let Some(k) = self.scene.textures.position(&r.texture)
            {
                surface.resolved().store(&mut self.resources.textures[k], r.mip_level, r.array_layer);
            }
            if c.store_op == StoreOp::Discard {
                surface.bytes.fill(0);
            }
            if let Some(k) = self.scene.textures.position(&c.texture) {
                surface.store(&mut self.resources.textures[k], c.mip_level, layer(c));
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
                surface.store(&mut self.resources.textures[k], d.mip_level, d.array_layer);
            }
        }
    }
}
