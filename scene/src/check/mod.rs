//! WebGPU's validation of all that the scene alone decides: names, formats and their use, sizes, views, attachments,
//! vertex layouts, ranges of draws, state.
//!
//! Checks that need compiled shaders are not here: locations, bindings that are used and their types. The rules about how
//! resources are used at once need only which bindings a pipeline uses; they are in [`crate::uses`].

mod draw;
mod pass;
mod pipeline;

use std::collections::BTreeSet;
use std::path::Path;

use gpucc_pipeline::{Filter, Format};

use crate::contents::{Resources, held};
use crate::error::{Checked, fail, lacks};
use crate::model::{Aspect, Data, Immediates, OutputSource, Pass, Sampler, Shader, Texture, TextureDimension};
use crate::{Scene, SceneError, view};

/// Checks a scene before anything is loaded. Ranges of buffers whose size only their data say are left to
/// [`loaded`].
///
/// # Errors
/// The first thing that is wrong, in one sentence that names the field.
pub fn scene(scene: &Scene) -> Result<(), SceneError> {
    let sizes = scene.buffers.iter().map(|(_, b)| b.size.or_else(|| known_size(&b.data)));
    Checker { scene, sizes: sizes.collect() }.all()
}

/// Checks a scene with all sizes known.
///
/// # Errors
/// The first thing that is wrong, in one sentence that names the field.
pub fn loaded(scene: &Scene, resources: &Resources) -> Result<(), SceneError> {
    let sizes = resources.buffers.iter().map(|b| Some(b.len() as u64));
    Checker { scene, sizes: sizes.collect() }.all()
}

/// Bytes of data, where the text itself says it.
fn known_size(data: &[Data]) -> Option<u64> {
    let of = |d: &Data| match d {
        Data::Hex(text) => Some(text.bytes().filter(u8::is_ascii_hexdigit).count() as u64 / 2),
        Data::F32(list) => Some(list.len() as u64 * 4),
        Data::U32(list) => Some(list.len() as u64 * 4),
        Data::I32(list) => Some(list.len() as u64 * 4),
        Data::Addresses(list) => Some(list.len() as u64 * 8),
        Data::Zlib64(_) | Data::File(_) => None,
    };
    data.iter().map(of).sum()
}

struct Checker<'a> {
    scene: &'a Scene,
    /// Bytes of each buffer, where they are known.
    sizes: Vec<Option<u64>>,
}

impl Checker<'_> {
    fn all(&self) -> Checked {
        for (name, shader) in self.scene.shaders.iter() {
            check_shader(&format!("shaders.{name}"), shader)?;
        }
        let mut total = 0u64;
        for (name, t) in self.scene.textures.iter() {
            let field = format!("textures.{name}");
            check_texture(&field, t)?;
            total += t.bytes();
            held(total, &field)?;
        }
        for (name, s) in self.scene.samplers.iter() {
            check_sampler(&format!("samplers.{name}"), s)?;
        }
        for (k, (name, b)) in self.scene.buffers.iter().enumerate() {
            b.check_size().or_else(|m| fail(format!("buffers.{name}.size"), m))?;
            total = total.saturating_add(self.sizes.get(k).copied().flatten().unwrap_or(0));
            held(total, &format!("buffers.{name}"))?;
        }
        for (name, p) in self.scene.pipelines.iter() {
            pipeline::check(self.scene, &format!("pipelines.{name}"), p)?;
        }
        for (k, p) in self.scene.passes.iter().enumerate() {
            self.pass(&format!("passes[{k}]"), p)?;
            match p {
                Pass::Compute { immediates, .. } => self.addresses(&format!("passes[{k}]"), immediates.as_ref())?,
                Pass::Render { draws, .. } => {
                    for (n, d) in draws.iter().enumerate().filter(|(_, d)| d.immediates.is_some()) {
                        self.addresses(&format!("passes[{k}].draws[{n}]"), d.immediates.as_ref())?;
                    }
                }
            }
        }
        self.outputs()
    }

    /// Whether the buffers are there whose addresses immediate data hold.
    fn addresses(&self, field: &str, immediates: Option<&Immediates>) -> Checked {
        let wrong = immediates.and_then(|i| i.addresses.iter().find_map(|(_, a)| self.scene.address(a).err()));
        wrong.map_or(Ok(()), |message| fail(format!("{field}.immediates.addresses"), message))
    }

    /// Bytes of a buffer; `None` if they are not known yet.
    fn buffer_size(&self, field: &str, name: &str) -> Checked<Option<u64>> {
        match self.scene.buffers.position(name) {
            Some(k) => Ok(self.sizes.get(k).copied().flatten()),
            None => fail(format!("{field}.buffer"), self.scene.buffers.lacks("buffer", name)),
        }
    }

    /// Bytes of a range of a buffer; `None` if they are not known yet.
    fn range(&self, field: &str, name: &str, offset: u64, size: Option<u64>) -> Checked<Option<u64>> {
        let Some(all) = self.buffer_size(field, name)? else { return Ok(None) };
        if offset > all {
            return fail(format!("{field}.offset"), format!("{offset} is behind the {all} bytes of `{name}`"));
        }
        match size {
            Some(size) if size > all - offset => {
                fail(format!("{field}.size"), format!("{size} bytes from {offset} are not in the {all} of `{name}`"))
            }
            _ => Ok(Some(size.unwrap_or(all - offset))),
        }
    }

    fn outputs(&self) -> Checked {
        let mut names = BTreeSet::new();
        for (k, o) in self.scene.outputs.iter().enumerate() {
            let field = format!("outputs[{k}]");
            if !names.insert(&o.name) {
                return fail(format!("{field}.name"), format!("the name `{}` occurs twice", o.name));
            }
            match &o.source {
                OutputSource::Buffer(r) => {
                    self.range(&field, &r.buffer, r.offset, r.size)?;
                }
                OutputSource::Texture { texture, mip_level, array_layer, aspect } => {
                    let Some(t) = self.scene.textures.get(texture) else {
                        return fail(format!("{field}.texture"), self.scene.textures.lacks("texture", texture));
                    };
                    check_texture_output(&field, t, *mip_level, *array_layer, *aspect)?;
                }
            }
        }
        let Some(name) = &self.scene.present else { return Ok(()) };
        match self.scene.outputs.iter().find(|o| o.name == *name) {
            None => fail("present", lacks("output", name, self.scene.outputs.iter().map(|o| o.name.as_str()))),
            Some(o) if matches!(o.source, OutputSource::Buffer(_)) => {
                fail("present", format!("the output `{name}` is a buffer, which has no picture"))
            }
            Some(_) => Ok(()),
        }
    }
}

fn check_shader(field: &str, s: &Shader) -> Checked {
    let Shader::File(name) = s else { return Ok(()) };
    let ending = Path::new(name).extension().and_then(|e| e.to_str()).unwrap_or_default();
    if ["wgsl", "wesl", "spv", "vert", "frag", "comp"].contains(&ending) {
        return Ok(());
    }
    let message = format!("`{name}` does not end in `.wgsl`, `.wesl`, `.spv`, `.vert`, `.frag` or `.comp`");
    fail(format!("{field}.file"), message)
}

/// The shape of a multisampled texture.
pub const MULTISAMPLED: &str = "a multisampled texture is two-dimensional and has one level and one layer";

fn check_texture(field: &str, t: &Texture) -> Checked {
    t.check_size().or_else(|(key, message)| fail(format!("{field}.{key}"), message))?;
    let name = t.format.name();
    if (t.format.has_depth() || t.format.has_stencil()) && t.dimension != TextureDimension::D2 {
        return fail(format!("{field}.dimension"), format!("{name} textures are two-dimensional"));
    }
    if t.sample_count > 1 {
        let key = format!("{field}.sampleCount");
        if !t.format.multisampled() {
            return fail(key, format!("{name} textures have one sample"));
        }
        // That it has one layer too is WebGPU's rule; who reads it in another language may have several.
        if t.dimension != TextureDimension::D2 || t.mip_level_count != 1 {
            return fail(key, MULTISAMPLED);
        }
    }
    for (k, f) in t.view_formats.iter().enumerate() {
        if !view::are_compatible(t.format, *f) {
            let message = format!("a {name} texture cannot be viewed as {}", f.name());
            return fail(format!("{field}.viewFormats[{k}]"), message);
        }
    }
    Ok(())
}

fn check_sampler(field: &str, s: &Sampler) -> Checked {
    if !(s.lod_min_clamp >= 0.0 && s.lod_min_clamp.is_finite()) {
        return fail(format!("{field}.lodMinClamp"), format!("{} is not a level of detail from 0 on", s.lod_min_clamp));
    }
    if s.lod_max_clamp.is_nan() || s.lod_max_clamp < s.lod_min_clamp {
        let message = format!("{} is less than `lodMinClamp`, {}", s.lod_max_clamp, s.lod_min_clamp);
        return fail(format!("{field}.lodMaxClamp"), message);
    }
    let key = format!("{field}.maxAnisotropy");
    if s.max_anisotropy == 0 {
        return fail(key, "it is at least 1");
    }
    if s.max_anisotropy > 1 && [s.mag_filter, s.min_filter, s.mipmap_filter].iter().any(|f| *f != Filter::Linear) {
        return fail(key, "more than 1 needs linear filters throughout");
    }
    Ok(())
}

fn check_texture_output(field: &str, t: &Texture, level: u32, layer: Option<u32>, aspect: Aspect) -> Checked {
    if t.sample_count > 1 {
        return fail(format!("{field}.texture"), "a multisampled texture cannot be an output: read it in a pass");
    }
    if level >= t.mip_level_count {
        return fail(format!("{field}.mipLevel"), format!("there is no level {level} of {}", t.mip_level_count));
    }
    let layers = t.level_size(level)[2];
    if let Some(k) = layer.filter(|&k| k >= layers) {
        return fail(format!("{field}.arrayLayer"), format!("there is no layer or slice {k} of {layers}"));
    }
    let key = format!("{field}.aspect");
    let name = t.format.name();
    let Some(format) = view::aspect_format(t.format, aspect) else {
        return fail(key, format!("the format {name} has no such aspect"));
    };
    if format.has_depth() && format.has_stencil() {
        return fail(key, format!("an output of a {name} texture is either `depth-only` or `stencil-only`"));
    }
    if format == Format::Depth24Plus {
        return fail(key, format!("the depth of {name} has no layout: read it in a pass"));
    }
    Ok(())
}
