//! Derives the pipeline context of the entry points of a scene.

use gpucc_ir::{EntryPoint, Module};
use gpucc_opt::{BindingFacts, PipelineContext, stage_as_read};
use gpucc_pipeline::{Filter, Format, SamplerFacts};
use gpucc_scene::Scene;
use gpucc_scene::model::{Binding, BindingResource, Pass, Pipeline};

/// The surroundings of an entry point of a scene's pipeline: of a render pipeline its state and the other stage, of every pipeline what is
/// bound for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Surroundings {
    pub context: Option<PipelineContext>,
    pub bound: BindingFacts,
}

/// The surroundings of an entry point. `other` is the entry point of its other stage.
pub(crate) fn of(
    scene: &Scene,
    name: &str,
    pipeline: &Pipeline,
    other: Option<(&Module, &EntryPoint)>,
) -> Surroundings {
    let all = bindings(scene, name);
    let bound = BindingFacts {
        wide: Some(places(scene, &all, is_wide)),
        fixed_depth: places(scene, &all, |f| f.depth_bits().is_some()),
        one_level: one_level(scene, &all),
        raised: raised(scene, &all),
        samplers: samplers(scene, &all),
    };
    let context = match pipeline {
        Pipeline::Compute(_) => None,
        Pipeline::Render(r) => {
            let pipeline = gpucc_pipeline::Pipeline { samplers: bound.samplers.clone(), ..r.state() };
            Some(PipelineContext { pipeline, other: other.map(|(m, e)| stage_as_read(m, e)) })
        }
    };
    Surroundings { context, bound }
}

/// Texels of 128 bits, and those that families without their format keep as floats of so many.
fn is_wide(f: Format) -> bool {
    f.bytes() == 16 || matches!(f, Format::Rgba16Unorm | Format::Rgba16Snorm)
}

/// Where samplers alone are bound that filter on one level, and on any.
fn one_level(scene: &Scene, all: &[&Binding]) -> Vec<(u32, u32)> {
    let samplers = all.iter().filter_map(|b| match &b.resource {
        BindingResource::Sampler(name) => Some(((b.group, b.binding), scene.samplers.get(name)?)),
        _ => None,
    });
    let (mut list, mut others) = (Vec::new(), Vec::new());
    for (place, s) in samplers {
        let any = s.lod_min_clamp <= 0.0 && s.lod_max_clamp >= 32.0;
        if s.mipmap_filter == Filter::Nearest && any { list.push(place) } else { others.push(place) }
    }
    list.retain(|place| !others.contains(place));
    list.sort_unstable();
    list.dedup();
    list
}

/// Where a sampler is bound whose least level is above 0.
fn raised(scene: &Scene, all: &[&Binding]) -> Vec<(u32, u32)> {
    let is_raised = |b: &&&Binding| match &b.resource {
        BindingResource::Sampler(name) => scene.samplers.get(name).is_some_and(|s| s.lod_min_clamp > 0.0),
        _ => false,
    };
    let mut list: Vec<_> = all.iter().filter(is_raised).map(|b| (b.group, b.binding)).collect();
    list.sort_unstable();
    list.dedup();
    list
}

/// Where textures of such formats are bound.
fn places(scene: &Scene, all: &[&Binding], is: impl Fn(Format) -> bool) -> Vec<(u32, u32)> {
    let bound = |b: &&&Binding| match &b.resource {
        BindingResource::Texture(v) => scene.textures.get(&v.texture).is_some_and(|t| is(t.format)),
        _ => false,
    };
    let mut list: Vec<_> = all.iter().filter(bound).map(|b| (b.group, b.binding)).collect();
    list.sort_unstable();
    list.dedup();
    list
}

/// The formats of the textures that are bound for the pipelines of a shader, where always one of the same format is.
pub(crate) fn image_formats(scene: &Scene, shader: &str) -> Vec<((u32, u32), Format)> {
    let uses = |p: &Pipeline| match p {
        Pipeline::Compute(s) => s.shader == shader,
        Pipeline::Render(r) => r.vertex.shader == shader || r.fragment.as_ref().is_some_and(|f| f.shader == shader),
    };
    let mut list: Vec<((u32, u32), Format)> = Vec::new();
    let mut others = Vec::new();
    for b in scene.pipelines.iter().filter(|p| uses(p.1)).flat_map(|p| bindings(scene, p.0)) {
        let BindingResource::Texture(view) = &b.resource else { continue };
        let own = || scene.textures.get(&view.texture).map(|t| t.format);
        let Some(format) = view.format.or_else(own) else { continue };
        let at = (b.group, b.binding);
        match list.iter().find(|f| f.0 == at) {
            Some(known) if known.1 == format => {}
            Some(_) => others.push(at),
            None => list.push((at, format)),
        }
    }
    list.retain(|f| !others.contains(&f.0));
    list
}

/// All that is ever bound for a pipeline.
fn bindings<'s>(scene: &'s Scene, name: &str) -> Vec<&'s Binding> {
    let mut list = Vec::new();
    for pass in &scene.passes {
        match pass {
            Pass::Compute { pipeline, bindings, .. } if pipeline == name => list.extend(bindings),
            Pass::Compute { .. } => {}
            Pass::Render { draws, .. } => {
                list.extend(draws.iter().filter(|d| d.pipeline == name).flat_map(|d| &d.bindings));
            }
        }
    }
    list
}

/// The samplers that are alike wherever they are bound, filter near and far alike, and if they compare, do so on one level.
fn samplers(scene: &Scene, all: &[&Binding]) -> Vec<SamplerFacts> {
    let mut list: Vec<(SamplerFacts, bool)> = Vec::new();
    for b in all {
        let BindingResource::Sampler(name) = &b.resource else { continue };
        let Some(s) = scene.samplers.get(name) else { continue };
        let (group, binding, compare, filter) = (b.group, b.binding, s.compare, s.mag_filter);
        let facts = SamplerFacts { group, binding, compare, filter };
        let known = s.mag_filter == s.min_filter && (compare.is_none() || s.mipmap_filter == Filter::Nearest);
        match list.iter_mut().find(|(f, _)| (f.group, f.binding) == (group, binding)) {
            Some((f, sure)) => *sure &= known && *f == facts,
            None => list.push((facts, known)),
        }
    }
    let mut list: Vec<SamplerFacts> = list.into_iter().filter(|f| f.1).map(|f| f.0).collect();
    list.sort_by_key(|f| (f.group, f.binding));
    list
}
