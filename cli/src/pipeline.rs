//! `--pipeline SCENE:PIPELINE`: the state that graphics code depends on, from a pipeline of a scene.

use std::path::Path;

use gpucc_ir::{Module, StageInfo};
use gpucc_pipeline::Pipeline;
use gpucc_scene::{model, read};

use crate::Failure;

/// The state of a pipeline of a scene.
///
/// # Errors
/// A usage failure for a text without a colon, a file that is no scene, a scene without that render pipeline.
pub fn read(text: &str) -> Result<Pipeline, Failure> {
    let bad = || Failure::Usage(format!("`--pipeline {text}`: expected SCENE:PIPELINE"));
    let (path, name) = text.rsplit_once(':').filter(|(p, n)| !p.is_empty() && !n.is_empty()).ok_or_else(bad)?;
    let file = read::open(Path::new(path)).map_err(|e| {
        let message = e.to_string();
        if e.is_io { Failure::Io(message) } else { Failure::Input(message) }
    })?;
    let pipelines = &file.scene.pipelines;
    let Some((_, found)) = pipelines.iter().find(|(n, _)| *n == name) else {
        let names: Vec<&str> = pipelines.iter().map(|(n, _)| n).collect();
        let names = if names.is_empty() { "none".into() } else { names.join(", ") };
        return Err(Failure::Input(format!("{path}: there is no pipeline `{name}`; available: {names}")));
    };
    match found {
        model::Pipeline::Render(r) => Ok(r.state()),
        model::Pipeline::Compute(_) => {
            Err(Failure::Input(format!("{path}: `{name}` is a compute pipeline, which has no state")))
        }
    }
}

/// That the attributes and targets of the pipeline are what entry points of a shader read and give.
///
/// # Errors
/// The first one that is not there or is of another type, or a shader on which no pipeline has an effect.
pub fn fits(name: &str, module: &Module, pipeline: &Pipeline) -> Result<(), Failure> {
    if module.entries.iter().all(|e| matches!(e.stage, StageInfo::Compute { .. })) {
        let text = format!("--pipeline is for vertex and fragment entry points, and `{name}` has none");
        return Err(Failure::Usage(text));
    }
    let one = |e| gpucc::pipeline::fits(e, pipeline);
    module.entries.iter().try_for_each(one).map_err(|d| Failure::Input(format!("{name}: --pipeline: {}", d.message)))
}
