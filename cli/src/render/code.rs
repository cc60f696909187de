//! `--code PIPELINE=FILE.bin`: machine code of containers in the place of what is compiled of a scene's shaders.

use std::path::PathBuf;

use gpucc::Target;
use gpucc_container::Container;
use gpucc_render::{PreparedScene, Programs};

use crate::args::Render;
use crate::{Failure, files};

/// A container for a pipeline.
pub struct Given {
    /// The argument as the command line has it.
    text: String,
    /// Number of the pipeline.
    pipeline: usize,
    path: PathBuf,
    container: Container,
}

/// Pipeline and file of a `--code`.
fn parts(text: &str) -> (Option<&str>, &str) {
    match text.split_once('=') {
        Some((pipeline, path)) if !pipeline.is_empty() => (Some(pipeline), path),
        _ => (None, text),
    }
}

/// The files of all containers.
pub fn paths(args: &Render) -> impl Iterator<Item = PathBuf> + '_ {
    args.code.iter().map(|c| parts(c).1.into())
}

/// Reads the containers, each for a pipeline of the scene and one of the targets.
///
/// # Errors
/// A file that is no container, a pipeline that the scene has not, a container for another target.
pub fn given(args: &Render, ready: &PreparedScene, places: &[Option<Target>]) -> Result<Vec<Given>, Failure> {
    let pipelines = &ready.file.scene.pipelines;
    let one = |text: &String| {
        let (name, path) = parts(text);
        let pipeline = match name {
            Some(name) => pipelines
                .position(name)
                .ok_or_else(|| Failure::Usage(format!("--code {text}: {}", pipelines.lacks("pipeline", name))))?,
            None if pipelines.len() == 1 => 0,
            None => {
                let names: Vec<&str> = pipelines.iter().map(|(n, _)| n).collect();
                let names = names.join(", ");
                return Err(Failure::Usage(format!("--code {text}: expected PIPELINE=FILE.bin; there are {names}")));
            }
        };
        let path = PathBuf::from(path);
        let shown = path.display();
        let container = Container::read(&files::read(&path)?)
            .map_err(|e| Failure::Input(format!("--code: `{shown}` is not a gpucc container: {e}")))?;
        if !places.iter().flatten().any(|t| is_for(&container, *t)) {
            let (family, generation) = (&container.family, &container.generation);
            return Err(Failure::Usage(format!(
                "--code: `{shown}` is for {family}:{generation}: draw with --target {family}:{generation}"
            )));
        }
        Ok(Given { text: text.clone(), pipeline, path, container })
    };
    args.code.iter().map(one).collect()
}

fn is_for(container: &Container, target: Target) -> bool {
    (container.family.as_str(), container.generation.as_str()) == (target.family(), target.generation())
}

/// Puts the entry points of the containers that are for a target in the place of what was compiled.
///
/// # Errors
/// A container none of whose entry points the pipeline has, or with registers, bindings or state that are not the pipeline's.
pub fn put(
    given: &[Given],
    ready: &PreparedScene,
    programs: &mut Programs,
    target: Option<Target>,
) -> Result<(), Failure> {
    for g in given.iter().filter(|g| target.is_some_and(|t| is_for(&g.container, t))) {
        let wrong = |why: String| Failure::Input(format!("--code {}: {why}", g.text));
        let stages = ready.shaders.pipelines.get(g.pipeline).into_iter().flat_map(|s| s.all());
        let mut put = 0;
        for number in stages {
            put += usize::from(programs.put(&ready.shaders, number, &g.container).map_err(wrong)?);
        }
        if put == 0 {
            let have: Vec<&str> = g.container.entries.iter().map(|e| e.name.as_str()).collect();
            let path = g.path.display();
            return Err(wrong(format!("`{path}` has {}, and the pipeline no such entry point", have.join(", "))));
        }
    }
    Ok(())
}
