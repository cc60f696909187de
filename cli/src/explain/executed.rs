//! What a run executes, by address of the code: of a compute shader on buffers, of a scene its frame.

use std::collections::BTreeMap;
use std::path::Path;

use gpucc::{Artifact, Target};
use gpucc_ir::Module;
use gpucc_render::{Place, PreparedScene, Programs, frame};
use gpucc_sim::trace::Count;
use gpucc_sim::{Dispatch, RunOptions, Trace};

use crate::args::Explain;
use crate::input::Input;
use crate::traps::{Code, Where};
use crate::{Failure, run};

/// How often the instruction at each byte of the entry point's code runs: of several programs that of each behind the one before.
pub type Counts = BTreeMap<u64, Count>;

/// The dispatch that the command line asks for, if it gives inputs.
///
/// # Errors
/// What is wrong with these.
pub fn dispatch(args: &Explain, m: &Module) -> Result<Option<Dispatch>, Failure> {
    if args.buffers.is_empty() && args.grid.is_none() && args.immediates.is_none() && !args.executed {
        return Ok(None);
    }
    let grid = args.grid.as_deref().unwrap_or("1,1,1");
    let (dispatch, kinds) = run::dispatch(grid, &args.buffers, args.immediates.as_deref())?;
    run::wanted_by(m, &dispatch, &kinds, args.immediates.is_some())?;
    Ok(Some(dispatch))
}

/// The counts of a dispatch of an entry point.
///
/// # Errors
/// Bindings that the dispatch lacks, and traps.
pub fn of_shader(shader: &Input, entry: &str, made: &Artifact, dispatch: &Dispatch) -> Result<Counts, Failure> {
    let code = made.container().entry(entry);
    if let Some(e) = code {
        run::bound(e, dispatch)?;
    }
    let trace = Trace::counting();
    let options = RunOptions { trace: Some(trace.clone()), ..RunOptions::default() };
    let (on, names) = (made.target().to_string(), run::names(shader));
    let place = Where { on: &on, code: Code::Machine(code), names: &names, reporter: &shader.report };
    let mut copy = dispatch.clone();
    gpucc_machines::run(made.container(), Some(entry), &mut copy, &options).map_err(|t| place.trap(&t))?;
    Ok(trace.counts(0))
}

/// The counts of a frame of a scene on each target, by the numbers of its entry points. What keeps it from being drawn somewhere is told
/// by the columns of that target.
///
/// # Errors
/// A scene that cannot be drawn anywhere, and a frame that ends in a trap.
pub fn of_scene(input: &Path, targets: &[Target], level: u8) -> Result<Vec<BTreeMap<usize, Counts>>, Failure> {
    let wrong = |f: gpucc_render::Failure| Failure::Input(f.to_string());
    let ready = PreparedScene::new(super::scene::scene(input)?).map_err(wrong)?;
    let (scene, shaders) = (&ready.file.scene, &ready.shaders);
    let one = |&target: &Target| {
        let Ok(programs) = Programs::new(scene, shaders, Place::Target(target, level)) else {
            return Ok(BTreeMap::new());
        };
        let options = frame::Options { counts: true, ..frame::Options::default() };
        let mut resources = ready.resources.clone();
        let report = frame::run(scene, shaders, &programs, &mut resources, &options, &mut || ());
        Ok(report.map_err(|f| Failure::Input(format!("{target}: {f}")))?.executed)
    };
    targets.iter().map(one).collect()
}
