//! `--pipeline SCENE:PIPELINE`: the state that graphics code depends on, from a pipeline of a scene.

use std::path::Path;

use gpucc::frontend::FrontOptions;
use gpucc_ir::{Diagnostic, Module, Stage, StageInfo};
use gpucc_pipeline::Pipeline;
use gpucc_render::shaders::Stages;
use gpucc_render::{Reading, Shaders};
use gpucc_scene::{SceneError, SceneFile, model, read};

use crate::Failure;
use crate::input::Input;

/// A pipeline of a scene.
pub struct Given {
    /// The state of the pipeline.
    pub state: Pipeline,
    file: SceneFile,
    /// Its number in the scene.
    number: usize,
}

impl Given {
    /// The entry point of the scene that the pipeline has beside one of the given stage, alone in its module; `None` for a pipeline
    /// without a fragment stage.
    ///
    /// # Errors
    /// Why the shaders of the scene cannot be read.
    pub fn beside(&self, stage: Stage, front: &FrontOptions) -> Result<Option<Module>, String> {
        // What else the command line says is for its own shader.
        let front = FrontOptions {
            spirv: front.spirv,
            glsl: front.glsl,
            robust: front.robust,
            zeroes: front.zeroes,
            ..FrontOptions::default()
        };
        let shaders = Shaders::read(&self.file, &Reading { front, ..Reading::default() });
        let shaders = shaders.map_err(|f| f.to_string())?;
        Ok(match shaders.pipelines.get(self.number) {
            Some(Stages::Render { vertex, .. }) if stage == Stage::Fragment => {
                Some(shaders.entries[*vertex].module.clone())
            }
            Some(Stages::Render { fragment: Some(f), .. }) => Some(shaders.entries[*f].module.clone()),
            _ => None,
        })
    }
}

/// The pipeline of a scene that an option names.
///
/// # Errors
/// A usage failure for a text without a colon, a file that is no scene, a scene without that render pipeline.
pub fn read(text: &str) -> Result<Given, Failure> {
    let bad = || Failure::Usage(format!("`--pipeline {text}`: expected SCENE:PIPELINE"));
    let (path, name) = text.rsplit_once(':').filter(|(p, n)| !p.is_empty() && !n.is_empty()).ok_or_else(bad)?;
    let told = |e: SceneError| if e.is_io { Failure::Io(e.to_string()) } else { Failure::Scene(e) };
    let file = read::open(Path::new(path)).map_err(told)?;
    let wrong = |field: String, text: String| Err(told(file.locate(SceneError::new(field, text))));
    let pipelines = &file.scene.pipelines;
    match pipelines.iter().enumerate().find(|(_, (n, _))| *n == name) {
        Some((number, (_, model::Pipeline::Render(r)))) => Ok(Given { state: r.state(), file: file.clone(), number }),
        Some((_, (_, model::Pipeline::Compute(_)))) => {
            wrong(format!("pipelines.{name}"), format!("`{name}` is a compute pipeline, which has no state"))
        }
        None => wrong("pipelines".into(), pipelines.lacks("pipeline", name)),
    }
}

/// That the attributes and targets of the pipeline are what entry points of a shader read and give. What does not fit is shown.
///
/// # Errors
/// The class of what was shown, or a shader on which no pipeline has an effect.
pub fn fits(name: &str, shader: &Input, pipeline: &Pipeline) -> Result<(), Failure> {
    let entries = &shader.module.entries;
    if entries.iter().all(|e| matches!(e.stage, StageInfo::Compute { .. })) {
        let text = format!("--pipeline is for vertex and fragment entry points, and `{name}` has none");
        return Err(Failure::Usage(text));
    }
    entries.iter().try_for_each(|e| gpucc::pipeline::fits(e, pipeline)).map_err(|d| {
        let d = Diagnostic { message: format!("--pipeline: {}", d.message), ..d };
        shader.report.show(&[d], None);
        Failure::Said(1)
    })
}
