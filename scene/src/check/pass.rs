//! Passes: attachments and bindings.

use std::collections::{BTreeMap, BTreeSet};

use gpucc_pipeline::{Base, Format};

use super::Checker;
use crate::error::{Checked, fail};
use crate::limits;
use crate::model::{
    Binding, BindingResource, ColorAttachment, DepthStencilAttachment, LoadOp, Pass, Pipeline, ResolveTarget, Texture,
    TextureDimension,
};
use crate::view::View;

/// The common properties of the attachments of a pass, which pipelines must fit.
pub(super) struct Attachments {
    /// Width and height.
    pub(super) size: [u32; 2],
    /// Samples.
    pub(super) samples: u32,
    /// Formats by number; holes at the end are cut off.
    pub(super) colors: Vec<Option<Format>>,
    /// Format of depth and stencil.
    pub(super) depth_stencil: Option<Format>,
    /// Whether depth may not be written.
    pub(super) is_depth_read_only: bool,
    /// Whether stencil may not be written.
    pub(super) is_stencil_read_only: bool,
}

/// A part of a texture that is drawn to: texture, level, layer or slice.
type Part = (String, u32, u32);

/// Collects attachments one by one.
#[derive(Default)]
struct Collector {
    shape: Option<([u32; 2], u32)>,
    /// Layers of each.
    layers: Option<u32>,
    parts: BTreeMap<Part, String>,
}

impl Collector {
    /// The layers of an attachment: there they are, and of the attachments before there were as many.
    fn layers(&mut self, field: &str, t: &Texture, first: u32, count: u32) -> Checked {
        let key = format!("{field}.arrayLayerCount");
        let all = *self.layers.get_or_insert(count);
        if all != count {
            return fail(key, format!("it has {count} layers, the attachments before have {all}"));
        }
        if count != 1 && t.dimension != TextureDimension::D2 {
            return fail(key, "only two-dimensional textures have layers");
        }
        if count == 0 || count > t.layers().saturating_sub(first) {
            return fail(key, format!("{count} layers from {first} are not in the {} of the texture", t.layers()));
        }
        Ok(())
    }

    fn shape(&mut self, field: &str, size: [u32; 2], samples: u32) -> Checked {
        let (all, count) = *self.shape.get_or_insert((size, samples));
        if all != size {
            let message =
                format!("it is {} x {}, the attachments before are {} x {}", size[0], size[1], all[0], all[1]);
            return fail(field, message);
        }
        if count != samples {
            return fail(field, format!("it has {samples} samples, the attachments before have {count}"));
        }
        Ok(())
    }

    fn part(&mut self, field: &str, part: Part) -> Checked {
        match self.parts.insert(part, field.to_string()) {
            Some(other) => fail(field, format!("it is the same part of the texture as `{other}`")),
            None => Ok(()),
        }
    }
}

/// Width and height of a level.
fn level_size(t: &Texture, level: u32) -> [u32; 2] {
    let [w, h, _] = t.level_size(level);
    [w, h]
}

impl Checker<'_> {
    pub(super) fn pass(&self, field: &str, p: &Pass) -> Checked {
        match p {
            Pass::Compute { pipeline, bindings, dispatch, .. } => {
                match self.scene.pipelines.get(pipeline) {
                    Some(Pipeline::Compute(_)) => {}
                    Some(_) => {
                        return fail(format!("{field}.pipeline"), format!("`{pipeline}` is not a compute pipeline"));
                    }
                    None => return fail(format!("{field}.pipeline"), self.scene.pipelines.lacks("pipeline", pipeline)),
                }
                if let Some(k) = dispatch.iter().position(|&n| n > limits::WORKGROUPS) {
                    let message = format!("{} workgroups are more than {}", dispatch[k], limits::WORKGROUPS);
                    return fail(format!("{field}.dispatch[{k}]"), message);
                }
                self.bindings(field, bindings)
            }
            Pass::Render { color_attachments, depth_stencil_attachment, draws } => {
                let attachments = self.attachments(field, color_attachments, depth_stencil_attachment.as_ref())?;
                if draws.len() > limits::PASS_DRAWS {
                    let message = format!("{} draws are more than {}", draws.len(), limits::PASS_DRAWS);
                    return fail(format!("{field}.draws"), message);
                }
                let mut vertices = 0u64;
                for (k, d) in draws.iter().enumerate() {
                    let field = format!("{field}.draws[{k}]");
                    vertices = vertices.saturating_add(self.draw(&field, d, &attachments)?);
                    if vertices > limits::PASS_VERTICES {
                        return fail(field, format!("the pass has more than {} vertices", limits::PASS_VERTICES));
                    }
                }
                Ok(())
            }
        }
    }

    fn attachments(
        &self,
        field: &str,
        colors: &[Option<ColorAttachment>],
        depth_stencil: Option<&DepthStencilAttachment>,
    ) -> Checked<Attachments> {
        if colors.len() > limits::COLOR_ATTACHMENTS {
            let message = format!("{} attachments are more than {}", colors.len(), limits::COLOR_ATTACHMENTS);
            return fail(format!("{field}.colorAttachments"), message);
        }
        let mut all = Collector::default();
        let mut formats = Vec::new();
        for (k, c) in colors.iter().enumerate() {
            formats.push(match c {
                Some(c) => Some(self.color(&format!("{field}.colorAttachments[{k}]"), c, &mut all)?),
                None => None,
            });
        }
        while formats.last() == Some(&None) {
            formats.pop();
        }
        let depth_stencil_format = match depth_stencil {
            Some(d) => Some(self.depth_stencil(&format!("{field}.depthStencilAttachment"), d, &mut all)?),
            None => None,
        };
        let Some((size, samples)) = all.shape else { return fail(field, "a render pass has an attachment") };
        Ok(Attachments {
            size,
            samples,
            colors: formats,
            depth_stencil: depth_stencil_format,
            is_depth_read_only: depth_stencil.is_some_and(|d| d.depth_read_only),
            is_stencil_read_only: depth_stencil.is_some_and(|d| d.stencil_read_only),
        })
    }

    fn texture(&self, field: &str, name: &str) -> Checked<&Texture> {
        match self.scene.textures.get(name) {
            Some(t) => Ok(t),
            None => fail(format!("{field}.texture"), self.scene.textures.lacks("texture", name)),
        }
    }

    fn color(&self, field: &str, c: &ColorAttachment, all: &mut Collector) -> Checked<Format> {
        let t = self.texture(field, &c.texture)?;
        let format = c.format.unwrap_or(t.format);
        if format != t.format && !t.view_formats.contains(&format) {
            let message = format!("{} is neither the texture's format nor in its `viewFormats`", format.name());
            return fail(format!("{field}.format"), message);
        }
        if format.has_depth() || format.has_stencil() || !format.renderable() {
            return fail(format!("{field}.texture"), format!("{} is not a format of colour targets", format.name()));
        }
        let layer = check_part(field, t, c.mip_level, c.array_layer)?;
        let layer = match (t.dimension, c.depth_slice) {
            (TextureDimension::D1, _) => return fail(format!("{field}.texture"), "a 1d texture is not an attachment"),
            (TextureDimension::D2, None) => layer,
            (TextureDimension::D2, Some(_)) => {
                return fail(format!("{field}.depthSlice"), "only 3d textures have slices");
            }
            (TextureDimension::D3, None) => return fail(format!("{field}.depthSlice"), "a 3d texture needs one"),
            (TextureDimension::D3, Some(slice)) => {
                let depth = t.level_size(c.mip_level)[2];
                if slice >= depth {
                    return fail(format!("{field}.depthSlice"), format!("there is no slice {slice} of {depth}"));
                }
                slice
            }
        };
        all.shape(field, level_size(t, c.mip_level), t.sample_count)?;
        all.layers(field, t, c.array_layer, c.array_layer_count)?;
        (0..c.array_layer_count).try_for_each(|n| all.part(field, (c.texture.clone(), c.mip_level, layer + n)))?;
        if c.load_op == LoadOp::Clear {
            check_clear(&format!("{field}.clearValue"), format, c.clear_value)?;
        }
        if let Some(r) = &c.resolve_target {
            self.resolve(&format!("{field}.resolveTarget"), (r, c.array_layer_count), (t, c.mip_level, format), all)?;
        }
        Ok(format)
    }

    fn resolve(
        &self,
        field: &str,
        (r, layers): (&ResolveTarget, u32),
        (from, level, format): (&Texture, u32, Format),
        all: &mut Collector,
    ) -> Checked {
        let t = self.texture(field, &r.texture)?;
        if from.sample_count == 1 {
            return fail(field, "only multisampled attachments are resolved");
        }
        if t.sample_count != 1 || t.dimension != TextureDimension::D2 {
            return fail(format!("{field}.texture"), "samples are resolved to a two-dimensional texture of one sample");
        }
        if t.format != format {
            let message = format!("{} is resolved to the same format, not to {}", format.name(), t.format.name());
            return fail(format!("{field}.texture"), message);
        }
        if !format.resolvable() {
            return fail(format!("{field}.texture"), format!("{} cannot be resolved", format.name()));
        }
        let layer = check_part(field, t, r.mip_level, r.array_layer)?;
        if level_size(t, r.mip_level) != level_size(from, level) {
            return fail(field, "it has another size than the attachment");
        }
        all.layers(field, t, layer, layers)?;
        (0..layers).try_for_each(|n| all.part(field, (r.texture.clone(), r.mip_level, layer + n)))
    }

    fn depth_stencil(&self, field: &str, d: &DepthStencilAttachment, all: &mut Collector) -> Checked<Format> {
        let t = self.texture(field, &d.texture)?;
        let (name, has_depth, has_stencil) = (t.format.name(), t.format.has_depth(), t.format.has_stencil());
        if !has_depth && !has_stencil {
            return fail(format!("{field}.texture"), format!("{name} has neither depth nor stencil"));
        }
        let layer = check_part(field, t, d.mip_level, d.array_layer)?;
        all.shape(field, level_size(t, d.mip_level), t.sample_count)?;
        all.layers(field, t, layer, d.array_layer_count)?;
        (0..d.array_layer_count).try_for_each(|n| all.part(field, (d.texture.clone(), d.mip_level, layer + n)))?;
        let ops = [
            ("depthLoadOp", d.depth_load_op.is_some(), has_depth, d.depth_read_only, "depth"),
            ("depthStoreOp", d.depth_store_op.is_some(), has_depth, d.depth_read_only, "depth"),
            ("stencilLoadOp", d.stencil_load_op.is_some(), has_stencil, d.stencil_read_only, "stencil"),
            ("stencilStoreOp", d.stencil_store_op.is_some(), has_stencil, d.stencil_read_only, "stencil"),
        ];
        for (key, is_given, has, is_read_only, aspect) in ops {
            if is_given && !has {
                return fail(format!("{field}.{key}"), format!("{name} has no {aspect}"));
            }
            if is_given && is_read_only {
                return fail(format!("{field}.{key}"), format!("a {aspect} that is only read has no operations"));
            }
        }
        let clear = d.depth_clear();
        if has_depth && d.depth_ops().0 == LoadOp::Clear && !(0.0..=1.0).contains(&clear) {
            return fail(format!("{field}.depthClearValue"), format!("{clear} is not in 0 to 1"));
        }
        Ok(t.format)
    }

    pub(super) fn bindings(&self, field: &str, bindings: &[Binding]) -> Checked {
        let mut places = BTreeSet::new();
        for (k, b) in bindings.iter().enumerate() {
            let field = format!("{field}.bindings[{k}]");
            if b.group >= limits::GROUPS {
                return fail(format!("{field}.group"), format!("{} is not below {}", b.group, limits::GROUPS));
            }
            if b.binding >= limits::BINDINGS {
                return fail(format!("{field}.binding"), format!("{} is not below {}", b.binding, limits::BINDINGS));
            }
            if b.element >= limits::ELEMENTS {
                return fail(format!("{field}.element"), format!("{} is not below {}", b.element, limits::ELEMENTS));
            }
            if !places.insert((b.group, b.binding, b.element, b.resource.held())) {
                let element = if b.element > 0 { format!(", element {}", b.element) } else { String::new() };
                return fail(field, format!("group {}, binding {}{element} is bound twice", b.group, b.binding));
            }
            match &b.resource {
                BindingResource::Sampler(name) => {
                    if self.scene.samplers.get(name).is_none() {
                        return fail(format!("{field}.sampler"), self.scene.samplers.lacks("sampler", name));
                    }
                }
                BindingResource::Buffer(r) => {
                    if !r.offset.is_multiple_of(limits::BINDING_OFFSET) {
                        let message = format!("{} is not a multiple of {}", r.offset, limits::BINDING_OFFSET);
                        return fail(format!("{field}.offset"), message);
                    }
                    if self.range(&field, &r.buffer, r.offset, r.size)? == Some(0) {
                        return fail(field, "the range has no bytes");
                    }
                }
                BindingResource::Texture(v) => {
                    View::resolve(self.scene, v).or_else(|(key, message)| fail(format!("{field}.{key}"), message))?;
                }
            }
        }
        Ok(())
    }
}

/// Checks level and layer of an attachment; gives the layer.
fn check_part(field: &str, t: &Texture, level: u32, layer: u32) -> Checked<u32> {
    if level >= t.mip_level_count {
        return fail(format!("{field}.mipLevel"), format!("there is no level {level} of {}", t.mip_level_count));
    }
    if layer >= t.layers() {
        return fail(format!("{field}.arrayLayer"), format!("there is no layer {layer} of {}", t.layers()));
    }
    Ok(layer)
}

fn check_clear(field: &str, format: Format, value: [f64; 4]) -> Checked {
    if value.iter().any(|v| v.is_nan()) {
        return fail(field, "a colour is cleared to numbers, not to NaN");
    }
    let range = match format.base() {
        Base::Uint => 0.0..=f64::from(u32::MAX),
        Base::Sint => f64::from(i32::MIN)..=f64::from(i32::MAX),
        _ => return Ok(()),
    };
    match value.iter().find(|v| !range.contains(v)) {
        Some(v) => fail(field, format!("{v} is not a value of {}", format.name())),
        None => Ok(()),
    }
}
