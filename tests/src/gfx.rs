//! Cases of format `gfx-cases-1`: scenes and fragment shaders alone, with the bytes that their outputs must hold.

use std::path::{Path, PathBuf};

use gpucc_ir::Stage;
use gpucc_kit::exec::{On, Problem, problem};
use gpucc_kit::predict;
use gpucc_render::{Failure, Lowering, Place, PreparedScene, Programs, frame};
use gpucc_scene::cases::{Body, Case, Expected};
use gpucc_scene::{Resources, Scene, SceneFile, alone, cases, output};
use gpucc_sim::{RunOptions, SplitMix64};

use crate::cases::Verdict;
use crate::{exec, orders};

/// The files of cases in a folder, or the file itself, in the order of names.
///
/// # Errors
/// A folder that cannot be read.
pub fn files(path: &Path) -> Result<Vec<PathBuf>, String> {
    if !path.is_dir() {
        return Ok(vec![path.to_path_buf()]);
    }
    let entries = std::fs::read_dir(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let paths = entries.filter_map(|e| e.ok().map(|e| e.path()));
    let mut list: Vec<PathBuf> = paths.filter(|p| p.extension().is_some_and(|x| x == "json")).collect();
    list.sort();
    Ok(list)
}

/// Whether a file is of this format: its first bytes say so.
pub fn is_ours(head: &[u8]) -> bool {
    let head = &head[..head.len().min(200)];
    head.windows(11).any(|w| w == b"gfx-cases-1")
}

/// The cases of a file.
///
/// # Errors
/// A file that cannot be read or is no file of cases.
pub fn read(path: &Path) -> Result<Vec<Case>, String> {
    let list = cases::open(path).map_err(|e| e.to_string())?;
    list.collect::<Result<_, _>>().map_err(|e| e.to_string())
}

/// Where a frame runs: the interpreter behind the passes of a level, or a machine.
///
/// # Panics
/// A device that is no target of ours.
pub fn place(on: On, level: u8) -> Place {
    match on {
        On::Interp => Place::interp(level),
        On::Passes(target) => Place::Oracle(Lowering::Passes { level, caps: target.caps() }),
        On::Machine(d) => Place::Target(gpucc::Target::parse(&d.to_string()).expect("a device of ours"), level),
    }
}

/// The place with the programs of one stage of draws alone on its machine, the others on the oracle.
pub fn mixed(place: Place, on: Stage) -> Place {
    match place {
        Place::Target(target, level) => Place::Mixed { target, level, on },
        other => other,
    }
}

/// The scene of a case.
fn scene(case: &Case) -> Result<Scene, String> {
    match &case.body {
        Body::Scene(s) => Ok((**s).clone()),
        Body::Shader { text, args } => {
            let options = alone::Options::parse(args)?;
            Ok(alone::scene(gpucc_scene::model::Shader::Wgsl(text.clone()), &options))
        }
    }
}

/// The scene of a case as a file of this folder; shaders that are files lie there.
///
/// # Errors
/// Arguments of a shader alone that are none.
pub fn file(case: &Case, folder: &Path) -> Result<SceneFile, String> {
    Ok(SceneFile { scene: scene(case)?, name: String::new(), folder: folder.to_path_buf(), text: None })
}

/// The class of a failure.
fn verdict(f: &Failure) -> Verdict {
    match f {
        Failure::Shader { list, .. } => match problem(list) {
            Problem::Refused(codes, why) => Verdict::Refused(codes, why),
            other => Verdict::Failed(format!("{f}: {other}")),
        },
        _ => Verdict::Failed(f.to_string()),
    }
}

/// Whether a failure is a refusal by the list, of what a target lacks.
pub fn is_listed(f: &Failure, place: Place) -> bool {
    let (Place::Target(target, _) | Place::Mixed { target, .. }) = place else { return false };
    match verdict(f) {
        Verdict::Refused(codes, why) => predict::predicted(exec::on(target), "", &codes, &why),
        _ => false,
    }
}

/// Runs a case in several places and levels: its scene is checked and its shaders are lowered once. They declare in any order.
pub fn judge(case: &Case, places: &[Place], perturb: Option<u64>) -> Vec<Verdict> {
    match shuffled(case, Path::new("")) {
        Ok(ready) => places.iter().map(|&p| draw(case, &ready, p, perturb)).collect(),
        Err(v) => places.iter().map(|_| v.clone()).collect(),
    }
}

/// The scene of a case, checked, with its shaders lowered. Shaders that are files lie in the folder.
///
/// # Errors
/// The verdict of the case, which has one already.
pub fn ready(case: &Case, folder: &Path) -> Result<PreparedScene, Verdict> {
    loaded(case, file(case, folder).map_err(Verdict::Failed)?)
}

/// The same, with what the scene and its stages declare in an order that the name of the case gives.
///
/// # Errors
/// The verdict of the case, which has one already.
pub fn shuffled(case: &Case, folder: &Path) -> Result<PreparedScene, Verdict> {
    let seed = case.id.bytes().fold(0u64, |h, b| h.wrapping_mul(31).wrapping_add(b.into()));
    let mut rng = SplitMix64::new(seed);
    let mut file = file(case, folder).map_err(Verdict::Failed)?;
    orders::scene(&mut file.scene, &mut rng);
    let mut ready = loaded(case, file)?;
    orders::stages(&mut ready, &mut rng);
    Ok(ready)
}

fn loaded(case: &Case, file: SceneFile) -> Result<PreparedScene, Verdict> {
    let done = gpucc::guarded(&case.id, || Ok(PreparedScene::new(file)));
    done.map_err(|bug| Verdict::Failed(bug.to_string()))?.map_err(|f| verdict(&f))
}

/// Draws a case in one place and looks at what it expects.
pub fn draw(case: &Case, ready: &PreparedScene, place: Place, perturb: Option<u64>) -> Verdict {
    let done = gpucc::guarded(&case.id, || Ok(run(case, ready, place, perturb)));
    done.unwrap_or_else(|bug| Verdict::Failed(bug.to_string()))
}

fn run(case: &Case, ready: &PreparedScene, place: Place, perturb: Option<u64>) -> Verdict {
    let scene = &ready.file.scene;
    let programs = match Programs::new(scene, &ready.shaders, place) {
        Ok(p) => p,
        Err(f) => return verdict(&f),
    };
    let mut resources = ready.resources.clone();
    let defaults = frame::Options::default();
    // Two, whatever the machine has: cases run side by side, and what they draw on two cores is what they draw on one.
    let options = frame::Options { run: RunOptions { perturb, cores: 2, ..defaults.run }, ..defaults };
    if let Err(f) = frame::run(scene, &ready.shaders, &programs, &mut resources, &options, &mut || {}) {
        return verdict(&f);
    }
    let is_alone = matches!(case.body, Body::Shader { .. });
    let mut wrong = case.expect.iter().filter_map(|e| {
        let got = if is_alone { picture(scene, &resources) } else { bytes(scene, &resources, e) };
        let why = match got {
            Ok(got) => e.compare.check(&e.bytes, &got).map_err(|d| d.to_string()),
            Err(why) => Err(why),
        };
        why.err().map(|why| format!("{}: {why}", e.name))
    });
    wrong.next().map_or(Verdict::Passed, Verdict::Failed)
}

/// The bytes of all outputs of a case that these programs draw.
///
/// # Errors
/// The error that stops the frame.
pub fn outputs(case: &Case, ready: &PreparedScene, programs: &Programs, steps: u64) -> Result<Vec<Vec<u8>>, String> {
    outputs_by(case, ready, programs, RunOptions { step_limit: steps, ..frame::Options::default().run })
}

/// The same, under these options.
///
/// # Errors
/// The error that stops the frame.
pub fn outputs_by(
    case: &Case,
    ready: &PreparedScene,
    programs: &Programs,
    run: RunOptions,
) -> Result<Vec<Vec<u8>>, String> {
    let scene = &ready.file.scene;
    let mut resources = ready.resources.clone();
    let options = frame::Options { run, ..frame::Options::default() };
    frame::run(scene, &ready.shaders, programs, &mut resources, &options, &mut || {}).map_err(|f| f.to_string())?;
    match case.body {
        Body::Shader { .. } => Ok(vec![picture(scene, &resources)?]),
        Body::Scene(_) => case.expect.iter().map(|e| bytes(scene, &resources, e)).collect(),
    }
}

fn picture(scene: &Scene, resources: &Resources) -> Result<Vec<u8>, String> {
    let out = scene.presented().ok_or("there is no picture")?;
    output::picture(scene, resources, &out).map(|p| p.rgba).map_err(|e| e.to_string())
}

fn bytes(scene: &Scene, resources: &Resources, e: &Expected) -> Result<Vec<u8>, String> {
    let out = scene.outputs.iter().find(|o| o.name == e.name).ok_or("there is no such output")?;
    output::bytes(scene, resources, out).map_err(|e| e.to_string())
}
