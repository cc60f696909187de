//! WebGPU's validation of what only compiled modules know: bindings that are used and what may be bound there, vertex
//! attributes, values between the stages, colour targets, conflicts of use.
//!
//! Limits are those of the most generous device, as in [`gpucc_scene::limits`]: 32-bit floats are filterable, for example.

use std::collections::BTreeSet;

use gpucc::frontend::Lang;
use gpucc_ir::{ImageAccess, Interp, IoAt, IoSlot, ResourceKind, TexClass, TexDim, Type, Where};
use gpucc_pipeline::{Base, Format};
use gpucc_scene::check::MULTISAMPLED;
use gpucc_scene::model::{
    self, Aspect, Binding, BindingResource, BufferRange, Dimension, Held, Pass, Pipeline, Render,
};
use gpucc_scene::uses::{self, Layouts, Use};
use gpucc_scene::view::View;
use gpucc_scene::{Resources, Scene, SceneError};

use crate::frame::PassInputs;
use crate::shaders::{Entry, Shaders, Stages};
use crate::used::{InScene, Used};

type Checked = Result<(), SceneError>;

fn fail(field: impl Into<String>, message: impl Into<String>) -> Checked {
    Err(SceneError::new(field, message))
}

/// Checks pipelines against their shaders, bindings against what pipelines use, and conflicts of use.
///
/// # Errors
/// The first thing that is wrong, in one sentence that names the field.
pub fn check(scene: &Scene, resources: &Resources, shaders: &Shaders) -> Checked {
    for ((name, p), stages) in scene.pipelines.iter().zip(&shaders.pipelines) {
        let (Pipeline::Render(r), Stages::Render { vertex, fragment }) = (p, stages) else { continue };
        let field = format!("pipelines.{name}");
        let fragment = fragment.map(|f| &shaders.entries[f]);
        check_attributes(&field, r, &shaders.entries[*vertex])?;
        if let Some(f) = fragment {
            check_varyings(&field, shaders, &shaders.entries[*vertex], f)?;
            check_targets(&field, r, f, shaders.sources[f.source].lang == Lang::Wgsl)?;
        }
    }
    let is_webgpu = shaders.sources.iter().all(|s| s.lang == Lang::Wgsl);
    let layered = scene.textures.iter().find(|(_, t)| is_webgpu && t.sample_count > 1 && t.size[2] != 1);
    if let Some((name, _)) = layered {
        return fail(format!("textures.{name}.sampleCount"), MULTISAMPLED);
    }
    let checker = Checker { scene, resources, shaders, is_webgpu, addressed: scene.addressed() };
    for (k, pass) in scene.passes.iter().enumerate() {
        match pass {
            Pass::Compute { pipeline, bindings, immediates, .. } => {
                checker.bindings(&format!("passes[{k}]"), pipeline, (bindings, immediates.as_ref()))?;
            }
            Pass::Render { draws, .. } => {
                for (d, draw) in draws.iter().enumerate() {
                    let given = (&draw.bindings[..], draw.immediates.as_ref());
                    checker.bindings(&format!("passes[{k}].draws[{d}]"), &draw.pipeline, given)?;
                }
            }
        }
    }
    uses::check(scene, &Reflection { scene, shaders })
}

/// The uses of bindings in pipelines.
struct Reflection<'a> {
    scene: &'a Scene,
    shaders: &'a Shaders,
}

impl Layouts for Reflection<'_> {
    fn used(&self, pipeline: &str, place: (u32, u32), held: Held) -> Option<Use> {
        let stages = self.shaders.pipelines.get(self.scene.pipelines.position(pipeline)?)?;
        let entries = stages.all().filter_map(|e| self.shaders.entries.get(e));
        let used = entries.flat_map(|e| e.used.iter().map(move |u| (e, u)));
        let used = used.filter(|(_, u)| ((u.group, u.place().0), u.held()) == (place, held));
        let of = |(e, u): (&Entry, &Used)| {
            // In WebGPU the declaration decides, in Vulkan what is done; WebGPU has no input attachments.
            let is_webgpu = self.shaders.sources[e.source].lang == Lang::Wgsl;
            match u.kind.is_writable() && (is_webgpu || u.accesses.writes) {
                true => Use::Write,
                false if u.is_own && !is_webgpu => Use::Own,
                false => Use::Read,
            }
        };
        used.map(of).max()
    }
}

fn is_integer(base: Base) -> bool {
    matches!(base, Base::Uint | Base::Sint)
}

/// The name of lanes in messages.
fn lanes(ty: Type) -> &'static str {
    if ty.is_float() { "floats" } else { "integers" }
}

/// Slots at locations, with their numbers.
fn located(list: &[IoSlot]) -> impl Iterator<Item = (u8, u8, &IoSlot)> {
    list.iter().filter_map(|s| match s.at {
        IoAt::Location { number, blend_src } => Some((number, blend_src, s)),
        _ => None,
    })
}

/// The name of a slot in messages.
fn slot_name(s: &IoSlot) -> String {
    if s.name.is_empty() { format!("{}", s.at) } else { format!("`{}` ({})", s.name, s.at) }
}

fn check_attributes(field: &str, r: &Render, vertex: &Entry) -> Checked {
    let Some(io) = vertex.point().interface() else { return Ok(()) };
    for (number, _, slot) in located(&io.inputs) {
        let mut places = r.vertex.buffers.iter().enumerate().flat_map(|(k, b)| {
            b.iter().flat_map(move |b| b.attributes.iter().enumerate().map(move |(n, a)| (k, n, a)))
        });
        let Some((k, n, a)) = places.find(|(.., a)| a.shader_location == u32::from(number)) else {
            let message =
                format!("no attribute has the location of the input {} of `{}`", slot_name(slot), vertex.name);
            return fail(format!("{field}.vertex.buffers"), message);
        };
        if is_integer(a.format.base()) == slot.ty.is_float() {
            let message = format!(
                "{} cannot be the input {} of `{}`, which has {}",
                a.format.name(),
                slot_name(slot),
                vertex.name,
                lanes(slot.ty)
            );
            return fail(format!("{field}.vertex.buffers[{k}].attributes[{n}].format"), message);
        }
    }
    Ok(())
}

/// The words of WGSL for an interpolation; sampling at the centre is not told.
fn interpolation(i: Interp) -> String {
    match i.at {
        Where::Center => i.mode.name().to_owned(),
        at => format!("{} {}", i.mode.name(), at.name()),
    }
}

/// WebGPU wants both sides to say the same. Vulkan, of SPIR-V and GLSL, lets the fragment stage read fewer components and say by itself
/// how they are interpolated.
fn check_varyings(field: &str, shaders: &Shaders, vertex: &Entry, fragment: &Entry) -> Checked {
    let strict = [vertex, fragment].iter().all(|e| shaders.sources[e.source].lang == Lang::Wgsl);
    let (Some(out), Some(io)) = (vertex.point().interface(), fragment.point().interface()) else { return Ok(()) };
    let key = format!("{field}.fragment.entryPoint");
    for (number, _, slot) in located(&io.inputs) {
        let Some((_, _, from)) = located(&out.outputs).find(|o| o.0 == number) else {
            let message =
                format!("`{}` has no output for the input {} of `{}`", vertex.name, slot_name(slot), fragment.name);
            return fail(key, message);
        };
        let fewer = from.ty.scalar() == slot.ty.scalar() && from.ty.lanes() >= slot.ty.lanes();
        if from.ty != slot.ty && (strict || !fewer) {
            let message = format!(
                "the input {} of `{}` is {}, but `{}` gives {}",
                slot_name(slot),
                fragment.name,
                slot.ty,
                vertex.name,
                from.ty
            );
            return fail(key, message);
        }
        if strict && from.interp != slot.interp {
            let (own, given) = (interpolation(slot.interp), interpolation(from.interp));
            let message = format!(
                "{}: `{}` declares {own} interpolation, `{}` {given}",
                slot_name(slot),
                fragment.name,
                vertex.name
            );
            return fail(key, message);
        }
    }
    Ok(())
}

fn check_targets(field: &str, r: &Render, fragment: &Entry, is_webgpu: bool) -> Checked {
    let Some(io) = fragment.point().interface() else { return Ok(()) };
    let targets = r.fragment.iter().flat_map(|f| &f.targets);
    for (k, target) in targets.enumerate() {
        let Some(target) = target else { continue };
        let key = format!("{field}.fragment.targets[{k}]");
        let output = |src: u8| located(&io.outputs).find(|o| usize::from(o.0) == k && o.1 == src).map(|o| o.2);
        let Some(slot) = output(0) else {
            if target.write_mask == 0 {
                continue;
            }
            let message =
                format!("`{}` has no output at location {k}; a target without one has `writeMask = 0`", fragment.name);
            return fail(key, message);
        };
        let format = target.format;
        if is_integer(format.base()) == slot.ty.is_float() {
            let message = format!(
                "the output {} of `{}` has {}, which {} does not hold",
                slot_name(slot),
                fragment.name,
                lanes(slot.ty),
                format.name()
            );
            return fail(format!("{key}.format"), message);
        }
        // In Vulkan what is missing may be anything.
        if is_webgpu && target.write_mask != 0 && slot.ty.lanes() < format.components() {
            let message = format!(
                "the output {} of `{}` has {} components, {} has {}",
                slot_name(slot),
                fragment.name,
                slot.ty.lanes(),
                format.name(),
                format.components()
            );
            return fail(format!("{key}.format"), message);
        }
        let Some(blend) = target.blend else { continue };
        if [blend.color.src, blend.color.dst].iter().any(|f| f.reads_source_alpha()) && slot.ty.lanes() < 4 {
            let message =
                format!("a factor of colour is the alpha, which the output {} does not have", slot_name(slot));
            return fail(format!("{key}.blend.color"), message);
        }
        if blend.reads_second() && output(1).is_none() {
            let message = format!("its factors need a second source, which `{}` does not give", fragment.name);
            return fail(format!("{key}.blend"), message);
        }
    }
    let has = |at: IoAt| io.outputs.iter().any(|o| o.at == at);
    let second = located(&io.outputs).any(|o| o.1 == 1);
    if second && r.fragment.as_ref().is_some_and(|f| f.targets.len() != 1) {
        let message =
            format!("`{}` has a second source of blending, which needs a pipeline of one target", fragment.name);
        return fail(format!("{field}.fragment.targets"), message);
    }
    if has(IoAt::FragDepth) && !r.depth_stencil.as_ref().is_some_and(|d| d.format.has_depth()) {
        let message = format!("`{}` writes the depth, and the pipeline has none", fragment.name);
        return fail(format!("{field}.depthStencil"), message);
    }
    if r.multisample.alpha_to_coverage_enabled {
        let key = format!("{field}.multisample.alphaToCoverageEnabled");
        if has(IoAt::SampleMask) {
            return fail(key, format!("`{}` writes the mask of samples itself", fragment.name));
        }
        if !located(&io.outputs).any(|o| (o.0, o.1) == (0, 0) && o.2.ty.lanes() == 4) {
            return fail(key, format!("`{}` has no alpha at location 0", fragment.name));
        }
    }
    Ok(())
}

struct Checker<'a> {
    scene: &'a Scene,
    resources: &'a Resources,
    shaders: &'a Shaders,
    /// Whether all shaders are WebGPU's own.
    is_webgpu: bool,
    /// Buffers that have addresses, by their places.
    addressed: Vec<(usize, u64)>,
}

impl Checker<'_> {
    /// WebGPU has one number for buffers and textures.
    fn check_places(field: &str, bindings: &[Binding]) -> Checked {
        let mut places = BTreeSet::new();
        let numbered = bindings.iter().enumerate().filter(|(_, b)| b.resource.held() != Held::Sampler);
        for (k, b) in numbered {
            if !places.insert((b.group, b.binding, b.element)) {
                let message = format!("group {}, binding {} is bound twice", b.group, b.binding);
                return fail(format!("{field}.bindings[{k}]"), message);
            }
        }
        Ok(())
    }

    /// A buffer with an address is one piece of memory: it is bound as a whole, and once.
    fn whole_buffers(&self, field: &str, bindings: &[Binding]) -> Checked {
        let addressed = &self.addressed;
        let mut seen = BTreeSet::new();
        for (k, b) in bindings.iter().enumerate().filter(|_| !addressed.is_empty()) {
            let BindingResource::Buffer(r) = &b.resource else { continue };
            let place = self.scene.buffers.position(&r.buffer);
            if !place.is_some_and(|p| addressed.iter().any(|a| a.0 == p)) {
                continue;
            }
            if r.offset != 0 || r.size.is_some() || !seen.insert(place) {
                let message = format!("`{}` has an address: it is bound as a whole, and once", r.buffer);
                return fail(format!("{field}.bindings[{k}]"), message);
            }
        }
        Ok(())
    }

    /// Checks what is bound for a dispatch or draw.
    fn bindings(&self, field: &str, pipeline: &str, (bindings, immediates): PassInputs<'_>) -> Checked {
        let stages = self.scene.pipelines.position(pipeline).and_then(|k| self.shaders.pipelines.get(k));
        let Some(stages) = stages else { return Ok(()) };
        if self.is_webgpu {
            Self::check_places(field, bindings)?;
        }
        self.whole_buffers(field, bindings)?;
        for e in stages.all() {
            let entry = &self.shaders.entries[e];
            for u in &entry.used {
                if u.kind == ResourceKind::Immediates {
                    let given = immediates.map_or(0, |d| d.bytes.len());
                    if given < u.min_size as usize {
                        let message =
                            format!("`{}` uses {} bytes of immediate data, {given} are given", entry.name, u.min_size);
                        return fail(format!("{field}.immediates"), message);
                    }
                    continue;
                }
                // The first element that is not bound ends this.
                for element in 0..u.count.max(1) {
                    self.binding(field, entry, (u, element), bindings)?;
                }
            }
        }
        Ok(())
    }

    /// Checks what is bound for a resource, or for an element of an array of them.
    fn binding(&self, field: &str, entry: &Entry, (u, element): (&Used, u32), bindings: &[Binding]) -> Checked {
        let is_strict = self.shaders.sources[entry.source].lang == Lang::Wgsl;
        let (binding, first) = u.place();
        let place = (u.group, binding, first + element);
        let mut there = bindings.iter().enumerate().filter(|(_, b)| (b.group, b.binding, b.element) == place);
        let right = there.clone().find(|(_, b)| u.is_bound_by(b));
        let Some((k, b)) = right.or_else(|| there.next()) else {
            let what = kind_name(u.kind);
            let of = if u.count > 1 { format!("element {element} of {} of ", u.count) } else { String::new() };
            let message = format!("nothing is bound for {of}{}, a {what} that `{}` uses", u.shown(), entry.name);
            return fail(format!("{field}.bindings"), message);
        };
        let field = format!("{field}.bindings[{k}]");
        match (&b.resource, u.kind) {
            (BindingResource::Buffer(r), kind) if kind.is_buffer() => self.buffer(&field, u, r),
            (BindingResource::Sampler(name), ResourceKind::Sampler { comparison }) => {
                self.sampler(&field, u, name, comparison)
            }
            (BindingResource::Texture(v), ResourceKind::Texture { .. } | ResourceKind::StorageTexture { .. }) => {
                self.texture(&field, (u, is_strict), v)
            }
            (other, _) => {
                let bound = match other {
                    BindingResource::Buffer(_) => "a buffer",
                    BindingResource::Sampler(_) => "a sampler",
                    BindingResource::Texture(_) => "a texture",
                };
                fail(field, format!("{} is a {}, but {bound} is bound there", u.shown(), kind_name(u.kind)))
            }
        }
    }

    fn buffer(&self, field: &str, u: &Used, r: &BufferRange) -> Checked {
        let all =
            self.scene.buffers.position(&r.buffer).and_then(|k| self.resources.buffers.get(k)).map_or(0, Vec::len);
        let size = r.size.unwrap_or((all as u64).saturating_sub(r.offset));
        if size < u64::from(u.min_size) {
            let message = format!("{} needs {} bytes, {size} are bound", u.shown(), u.min_size);
            return fail(field, message);
        }
        if u.kind != ResourceKind::Uniform && !size.is_multiple_of(4) {
            return fail(field, format!("{size} bytes are bound: the size of a storage buffer is a multiple of 4"));
        }
        Ok(())
    }

    fn sampler(&self, field: &str, u: &Used, name: &str, comparison: bool) -> Checked {
        let compares = self.scene.samplers.get(name).is_some_and(|s| s.compare.is_some());
        match (comparison, compares) {
            (true, false) => fail(field, format!("{} compares, and `{name}` has no `compare`", u.shown())),
            (false, true) => fail(field, format!("{} does not compare, and `{name}` has a `compare`", u.shown())),
            _ => Ok(()),
        }
    }

    fn texture(&self, field: &str, (u, is_strict): (&Used, bool), v: &model::TextureView) -> Checked {
        let view = View::resolve(self.scene, v).map_err(|(key, m)| SceneError::new(format!("{field}.{key}"), m))?;
        let Some((_, t)) = self.scene.textures.at(view.texture) else { return Ok(()) };
        let (dim, arrayed) = match u.kind {
            ResourceKind::Texture { dim, arrayed, .. } | ResourceKind::StorageTexture { dim, arrayed, .. } => {
                (dim, arrayed)
            }
            _ => return Ok(()),
        };
        let needed = dimension(dim, arrayed);
        if view.dimension != needed {
            let names = [needed, view.dimension].map(dimension_name);
            let message = format!("{} is `{}`, the view is `{}`", u.shown(), names[0], names[1]);
            return fail(format!("{field}.dimension"), message);
        }
        match u.kind {
            ResourceKind::Texture { multisampled, class, .. } => {
                let what = |many: bool| if many { "several samples a pixel" } else { "one sample a pixel" };
                if multisampled != (t.sample_count > 1) {
                    let message =
                        format!("{} has {}, the texture has {}", u.shown(), what(multisampled), what(!multisampled));
                    return fail(field, message);
                }
                check_class(field, (u, is_strict), class, (t.format, &view))
            }
            ResourceKind::StorageTexture { format, access, .. } => {
                check_storage(field, (u, is_strict), (format, access), &view)
            }
            _ => Ok(()),
        }
    }
}

/// WebGPU samples no depth as floats, and has no depth in one dimension. Vulkan, of SPIR-V and GLSL, does the first, and compares what a
/// texture of floats in one dimension holds.
fn check_class(field: &str, (u, is_strict): (&Used, bool), class: TexClass, (own, view): (Format, &View)) -> Checked {
    let (format, aspect) = (view.format, view.aspect);
    if own.has_depth() && own.has_stencil() && aspect == Aspect::All {
        let message = format!("{} has depth and stencil: a view that is read has one of them", own.name());
        return fail(format!("{field}.aspect"), message);
    }
    let base = format.base();
    let fits = match class {
        TexClass::Float => base == Base::Float || base == Base::Depth && !(is_strict && u.is_sampled),
        TexClass::External => matches!(format, Format::Rgba8Unorm | Format::Bgra8Unorm | Format::Rgba16Float),
        TexClass::Sint => base == Base::Sint,
        TexClass::Uint => matches!(base, Base::Uint | Base::Stencil),
        TexClass::Depth => base == Base::Depth || !is_strict && view.dimension == Dimension::D1 && base == Base::Float,
    };
    if fits {
        return Ok(());
    }
    let message = match class {
        TexClass::Float if base == Base::Depth => {
            format!("{} is sampled as floats, and {} is not a format that filters", u.shown(), format.name())
        }
        _ => format!("{} holds texels of class {}, which {} is not", u.shown(), class.name(), format.name()),
    };
    fail(field, message)
}

/// WebGPU's table is of what is declared. In Vulkan a format that can be stored can be loaded too: what code does counts, and atomics alone
/// ask for a format.
fn check_storage(
    field: &str,
    (u, is_strict): (&Used, bool),
    (format, access): (Format, ImageAccess),
    view: &View,
) -> Checked {
    let any = u.is_any_format && view.format.base() == format.base();
    if view.format != format && !any {
        let message = format!("{} is {}, the view is {}", u.shown(), format.name(), view.format.name());
        return fail(format!("{field}.format"), message);
    }
    if view.levels != 1 {
        let message = format!("{} levels are bound: {} is one level", view.levels, u.shown());
        return fail(format!("{field}.mipLevelCount"), message);
    }
    let access = if !is_strict && u.accesses.atomics { ImageAccess::Atomic } else { access };
    let format = view.format;
    let can = match access {
        ImageAccess::Read | ImageAccess::Write | ImageAccess::ReadWrite if !is_strict => {
            format.storage_read() || format.storage_write()
        }
        ImageAccess::Read => format.storage_read(),
        ImageAccess::Write => format.storage_write(),
        ImageAccess::ReadWrite => format.storage_read_write(),
        ImageAccess::Atomic => matches!(format, Format::R32Uint | Format::R32Sint),
    };
    if can { Ok(()) } else { fail(field, format!("{} has no `{}` access", format.name(), access.name())) }
}

fn kind_name(kind: ResourceKind) -> &'static str {
    match kind {
        ResourceKind::Uniform => "uniform buffer",
        ResourceKind::StorageRead | ResourceKind::StorageReadWrite => "storage buffer",
        ResourceKind::Immediates => "block of immediate data",
        ResourceKind::Texture { .. } => "texture",
        ResourceKind::StorageTexture { .. } => "storage texture",
        ResourceKind::Sampler { .. } => "sampler",
    }
}

fn dimension(dim: TexDim, arrayed: bool) -> Dimension {
    match (dim, arrayed) {
        (TexDim::D1, _) => Dimension::D1,
        (TexDim::D2, false) => Dimension::D2,
        (TexDim::D2, true) => Dimension::D2Array,
        (TexDim::D3, _) => Dimension::D3,
        (TexDim::Cube, false) => Dimension::Cube,
        (TexDim::Cube, true) => Dimension::CubeArray,
    }
}

fn dimension_name(d: Dimension) -> &'static str {
    match d {
        Dimension::D1 => "1d",
        Dimension::D2 => "2d",
        Dimension::D2Array => "2d-array",
        Dimension::Cube => "cube",
        Dimension::CubeArray => "cube-array",
        Dimension::D3 => "3d",
    }
}
