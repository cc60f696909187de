//! WebGPU's rules about resources that are used in several ways at once: within a pass of draws, or within a dispatch.
//!
//! Which bindings a pipeline uses, and whether it writes through them, only its compiled shaders say: the caller tells.
//! Bindings that the pipeline does not use are ignored.

use std::collections::BTreeMap;

use gpucc_pipeline::Format;

use crate::error::{Checked, fail};
use crate::model::{Aspect, Binding, BindingResource, Held, Pass, Texture};
use crate::view::View;
use crate::{Scene, SceneError};

/// The uses of a binding in shaders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Use {
    /// They read it at the fragment's own pixel alone, as input attachments are read: it may be an attachment of the pass.
    Own,
    /// They read it: uniform and read-only storage buffers, sampled and read-only storage textures.
    Read,
    /// They write it, or may.
    Write,
}

/// The facts about the bindings of compiled pipelines.
pub trait Layouts {
    /// How the pipeline of this name uses what a binding holds, by group and number; `None` if it does not.
    fn used(&self, pipeline: &str, place: (u32, u32), held: Held) -> Option<Use>;
}

/// Checks that no resource is written and used in another way at once.
///
/// # Errors
/// The first conflict, in one sentence that names both fields.
pub fn check(scene: &Scene, layouts: &dyn Layouts) -> Result<(), SceneError> {
    for (k, pass) in scene.passes.iter().enumerate() {
        let field = format!("passes[{k}]");
        let mut scope = Scope::default();
        match pass {
            Pass::Compute { pipeline, bindings, .. } => scope.bindings(scene, layouts, &field, pipeline, bindings)?,
            Pass::Render { color_attachments, depth_stencil_attachment, draws } => {
                for (k, c) in color_attachments.iter().enumerate() {
                    let Some(c) = c else { continue };
                    let field = format!("{field}.colorAttachments[{k}]");
                    let place = (c.mip_level, c.array_layer, c.array_layer_count);
                    scope.attachment(scene, &c.texture, place, 3, Class::Attachment, &field);
                    if let Some(r) = &c.resolve_target {
                        let field = format!("{field}.resolveTarget");
                        let place = (r.mip_level, r.array_layer, c.array_layer_count);
                        scope.attachment(scene, &r.texture, place, 3, Class::Attachment, &field);
                    }
                }
                if let Some(d) = depth_stencil_attachment {
                    let field = format!("{field}.depthStencilAttachment");
                    for (aspect, is_read_only) in [(DEPTH, d.depth_read_only), (STENCIL, d.stencil_read_only)] {
                        let class = if is_read_only { Class::Read } else { Class::Attachment };
                        let place = (d.mip_level, d.array_layer, d.array_layer_count);
                        scope.attachment(scene, &d.texture, place, aspect, class, &field);
                    }
                }
                for (k, d) in draws.iter().enumerate() {
                    let field = format!("{field}.draws[{k}]");
                    scope.bindings(scene, layouts, &field, &d.pipeline, &d.bindings)?;
                    for (slot, b) in d.vertex_buffers.iter().enumerate() {
                        let Some(b) = b else { continue };
                        scope.buffer(scene, &b.buffer, Class::Read, &format!("{field}.vertexBuffers[{slot}]"));
                    }
                    if let Some(b) = &d.index_buffer {
                        scope.buffer(scene, &b.buffer, Class::Read, &format!("{field}.indexBuffer"));
                    }
                }
            }
        }
        scope.check(scene)?;
    }
    Ok(())
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    Own,
    Read,
    Write,
    Attachment,
}

impl From<Use> for Class {
    fn from(u: Use) -> Class {
        match u {
            Use::Own => Class::Own,
            Use::Read => Class::Read,
            Use::Write => Class::Write,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Resource {
    Buffer(usize),
    Texture(usize),
}

/// A part of a resource: ends are exclusive. Of a buffer the layers are bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Part {
    levels: [u32; 2],
    layers: [u64; 2],
    aspects: u8,
}

const DEPTH: u8 = 1;
const STENCIL: u8 = 2;

impl Part {
    fn meets(&self, other: &Part) -> bool {
        let levels = self.levels[0] < other.levels[1] && other.levels[0] < self.levels[1];
        let layers = self.layers[0] < other.layers[1] && other.layers[0] < self.layers[1];
        levels && layers && self.aspects & other.aspects != 0
    }
}

/// Aspects of a format that a view or attachment covers; colour counts as both.
fn aspects(format: Format, aspect: Aspect) -> u8 {
    match aspect {
        Aspect::DepthOnly => DEPTH,
        Aspect::StencilOnly => STENCIL,
        Aspect::All if format.has_depth() && !format.has_stencil() => DEPTH,
        Aspect::All if format.has_stencil() && !format.has_depth() => STENCIL,
        Aspect::All => DEPTH | STENCIL,
    }
}

/// Everything that is used at once, each with the field that names it first.
#[derive(Default)]
struct Scope {
    used: BTreeMap<(Resource, Class, Part), String>,
}

impl Scope {
    fn add(&mut self, resource: Resource, class: Class, part: Part, field: &str) {
        self.used.entry((resource, class, part)).or_insert_with(|| field.into());
    }

    fn attachment(
        &mut self,
        scene: &Scene,
        name: &str,
        (level, layer, count): (u32, u32, u32),
        aspect: u8,
        class: Class,
        field: &str,
    ) {
        let Some((k, t)) = texture(scene, name) else { return };
        // A slice stands for its level.
        let layer = u64::from(if t.is_3d() { 0 } else { layer });
        let part = Part {
            levels: [level, level.saturating_add(1)],
            layers: [layer, layer + u64::from(count)],
            aspects: aspect & aspects(t.format, Aspect::All),
        };
        self.add(Resource::Texture(k), class, part, field);
    }

    /// Uses of buffers are those of the whole buffer.
    fn buffer(&mut self, scene: &Scene, name: &str, class: Class, field: &str) {
        let Some(k) = scene.buffers.position(name) else { return };
        self.add(Resource::Buffer(k), class, Part { levels: [0, 1], layers: [0, u64::MAX], aspects: 3 }, field);
    }

    fn bindings(
        &mut self,
        scene: &Scene,
        layouts: &dyn Layouts,
        field: &str,
        pipeline: &str,
        bindings: &[Binding],
    ) -> Checked {
        // Within one draw or dispatch no two bindings may write the same bytes.
        let mut written: Vec<(Resource, Part, String)> = Vec::new();
        for (k, b) in bindings.iter().enumerate() {
            let Some(class) = layouts.used(pipeline, (b.group, b.binding), b.resource.held()).map(Class::from) else {
                continue;
            };
            let field = format!("{field}.bindings[{k}]");
            let (resource, part) = match &b.resource {
                BindingResource::Sampler(_) => continue,
                BindingResource::Buffer(r) => {
                    self.buffer(scene, &r.buffer, class, &field);
                    let Some(k) = scene.buffers.position(&r.buffer) else { continue };
                    let end = r.size.map_or(u64::MAX, |s| r.offset.saturating_add(s));
                    (Resource::Buffer(k), Part { levels: [0, 1], layers: [r.offset, end], aspects: 3 })
                }
                BindingResource::Texture(v) => {
                    let Ok(view) = View::resolve(scene, v) else { continue };
                    let Some((_, t)) = scene.textures.at(view.texture) else { continue };
                    let part = Part {
                        levels: [view.base_level, view.base_level + view.levels],
                        layers: [u64::from(view.base_layer), u64::from(view.base_layer + view.layers)],
                        aspects: aspects(t.format, view.aspect),
                    };
                    self.add(Resource::Texture(view.texture), class, part, &field);
                    (Resource::Texture(view.texture), part)
                }
            };
            if class != Class::Write {
                continue;
            }
            if let Some((_, _, other)) = written.iter().find(|(r, p, _)| *r == resource && p.meets(&part)) {
                let name = name(scene, resource);
                return fail(field, format!("it writes the same part of `{name}` as `{other}`"));
            }
            written.push((resource, part, field));
        }
        Ok(())
    }

    fn check(&self, scene: &Scene) -> Checked {
        let list: Vec<_> = self.used.iter().collect();
        for same in list.chunk_by(|((a, ..), _), ((b, ..), _)| a == b) {
            for ((resource, class, part), field) in same {
                if matches!(class, Class::Own | Class::Read) {
                    continue;
                }
                let apart = |other: Class| other < *class && (other, *class) != (Class::Own, Class::Attachment);
                let clash = same.iter().find(|((_, other, p), _)| apart(*other) && p.meets(part));
                let Some(((_, other, _), other_field)) = clash else { continue };
                let how = |c: Class| match c {
                    Class::Own | Class::Read => "read",
                    Class::Write => "written",
                    Class::Attachment => "an attachment",
                };
                let message = format!(
                    "`{}` is {} here and {} as `{field}` at the same time",
                    name(scene, *resource),
                    how(*other),
                    how(*class)
                );
                return fail(other_field.as_str(), message);
            }
        }
        Ok(())
    }
}

fn texture<'a>(scene: &'a Scene, name: &str) -> Option<(usize, &'a Texture)> {
    let k = scene.textures.position(name)?;
    scene.textures.at(k).map(|(_, t)| (k, t))
}

fn name(scene: &Scene, r: Resource) -> &str {
    let name = match r {
        Resource::Buffer(k) => scene.buffers.at(k).map(|(n, _)| n),
        Resource::Texture(k) => scene.textures.at(k).map(|(n, _)| n),
    };
    name.unwrap_or_default()
}
