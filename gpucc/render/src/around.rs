//! What the passes may know of the pipeline around an entry point.

use gpucc_ir::EntryPoint;
use gpucc_opt::Around;
use gpucc_pipeline::SamplerFacts;
use gpucc_scene::Scene;
use gpucc_scene::model::{Binding, BindingResource, Pass, Pipeline};

/// The surroundings of an entry point of a scene's pipeline. `other` is the entry point of its other stage.
pub(crate) fn of(scene: &Scene, name: &str, pipeline: &Pipeline, other: Option<&EntryPoint>) -> Around {
    let mut state = match pipeline {
        Pipeline::Compute(_) => gpucc_pipeline::Pipeline::default(),
        Pipeline::Render(r) => r.state(),
    };
    let all = bindings(scene, name);
    state.samplers = samplers(scene, &all);
    let wide = |b: &&Binding| match &b.resource {
        BindingResource::Texture(v) => scene.textures.get(&v.texture).is_some_and(|t| t.format.bytes() == 16),
        _ => false,
    };
    let mut wide: Vec<_> = all.iter().copied().filter(wide).map(|b| (b.group, b.binding)).collect();
    wide.sort_unstable();
    wide.dedup();
    Around { pipeline: state, other: other.map(|e| e.stage.clone()), wide }
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

/// The samplers that are alike wherever they are bound, and filter near and far alike.
fn samplers(scene: &Scene, all: &[&Binding]) -> Vec<SamplerFacts> {
    let mut list: Vec<(SamplerFacts, bool)> = Vec::new();
    for b in all {
        let BindingResource::Sampler(name) = &b.resource else { continue };
        let Some(s) = scene.samplers.get(name) else { continue };
        let (group, binding, compare, filter) = (b.group, b.binding, s.compare, s.mag_filter);
        let facts = SamplerFacts { group, binding, compare, filter };
        let known = s.mag_filter == s.min_filter;
        match list.iter_mut().find(|(f, _)| (f.group, f.binding) == (group, binding)) {
            Some((f, sure)) => *sure &= known && *f == facts,
            None => list.push((facts, known)),
        }
    }
    let mut list: Vec<SamplerFacts> = list.into_iter().filter(|f| f.1).map(|f| f.0).collect();
    list.sort_by_key(|f| (f.group, f.binding));
    list
}
