//! Graphics cases of the shared folder on the interpreter and on machines: a few of each group.

use gpucc_ir::{Refusal, Stage};
use gpucc_render::compare::{self, Against};
use gpucc_render::{Place, PreparedScene, Programs, frame};
use gpucc_scene::cases::{Body, Case};
use gpucc_scene::model::Pass;
use gpucc_scene::{Resources, SceneFile};
use gpucc_sim::RunOptions;
use gpucc_tests::cases::Verdict;
use gpucc_tests::exec::{self, For, On};
use gpucc_tests::{gfx, mesh, predict, shared};
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::draws::gfx_recorded::is_open;

/// How many cases of each group the tests of this file ask for.
const MOST: [usize; 5] = [1, 3, 4, 5, 24];

/// Every how many-th case of a group is asked for.
fn step(all: usize, most: usize) -> usize {
    all.div_ceil(most).max(1)
}

/// A group's number of cases, and those that are asked for with their numbers.
type Group = (usize, Vec<(usize, Case)>);

/// All groups, read once: half of the time of some tests was reading what they leave out.
fn groups() -> &'static [Group] {
    static GROUPS: OnceLock<Vec<Group>> = OnceLock::new();
    GROUPS.get_or_init(|| {
        let Some(folder) = shared::find("conformance/gfx") else { return Vec::new() };
        let files = gfx::files(&folder).expect("the folder of cases");
        let of = |f: &PathBuf| {
            let cases = gfx::read(f).expect("a file of cases");
            let all = cases.len();
            let is_asked = |k: &(usize, Case)| MOST.iter().any(|m| k.0.is_multiple_of(step(all, *m)));
            (all, cases.into_iter().enumerate().filter(is_asked).collect())
        };
        files.iter().map(of).collect()
    })
}

/// Each group's cases, every n-th of them.
fn sample(most: usize) -> Vec<Case> {
    assert!(MOST.contains(&most), "{most} is not in the list");
    let of = |(all, cases): &Group| {
        let step = step(*all, most);
        let asked: Vec<Case> = cases.iter().filter(|c| c.0.is_multiple_of(step)).map(|c| c.1.clone()).collect();
        assert_eq!(asked.len(), all.div_ceil(step));
        asked
    };
    groups().iter().flat_map(of).collect()
}

#[test]
fn a_few_cases_of_each_group_give_the_recorded_bytes() {
    let cases = sample(4);
    let jobs = [(On::Interp, 0), (On::Interp, 2), (On::Passes(For::Poor), 2), (On::Passes(For::Minimal), 2)];
    let places: Vec<_> = jobs.iter().map(|&(on, level)| gfx::place(on, level)).collect();
    let mut wrong = Vec::new();
    for case in &cases {
        for ((on, level), v) in jobs.iter().zip(gfx::judge(case, &places, Some(1))) {
            match v {
                Verdict::Passed => {}
                Verdict::Failed(why) | Verdict::Refused(_, why) => {
                    wrong.push(format!("{on} -O{level} {}: {why}", case.id));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The oracle's objection to a machine, when it runs the IR that selection read with the machine's precision: to the bit.
fn differs(case: &Case, ready: &PreparedScene, place: Place) -> Option<String> {
    let said = |what: String| Some(format!("{place} {}: {what}", case.id));
    let options = frame::Options::default();
    let mut got = ready.resources.clone();
    let ran = Programs::new(&ready.file.scene, &ready.shaders, place).and_then(|programs| {
        let report = frame::run(&ready.file.scene, &ready.shaders, &programs, &mut got, &options, &mut || {})?;
        Ok((programs, report))
    });
    let (programs, report) = match ran {
        Ok(r) => r,
        Err(f) if gfx::is_listed(&f, place) => return None,
        Err(f) => return said(f.to_string()),
    };
    // The outcome of a race is nobody's to say.
    if !report.races.is_empty() {
        return None;
    }
    let verdict = compare::check(ready, (&programs, place), (&got, &report), Against::Lowered, &options);
    verdict.err().and_then(|v| said(format!("{v:?}")))
}

/// Cases without render passes, on the machines of all generations that select textures.
#[test]
fn a_few_compute_cases_of_each_group_run_on_machines() {
    let computes = |c: &Case| match &c.body {
        Body::Scene(s) => !s.passes.is_empty() && s.passes.iter().all(|p| matches!(p, Pass::Compute { .. })),
        Body::Shader { .. } => false,
    };
    let cases: Vec<Case> = sample(24).into_iter().filter(computes).collect();
    let targets =
        crate::draws::drawing::with_row().into_iter().filter(|(d, _)| d.held.pictures).map(|(_, t)| exec::on(t));
    let jobs: Vec<(On, u8)> =
        targets.filter(|&on| !predict::documented(on, Refusal::Textures)).flat_map(|on| [(on, 0), (on, 2)]).collect();
    agree(&cases, &cases, &jobs, 3);
    assert!(cases.len() > 100 || cases.is_empty(), "only {} cases", cases.len());
}

/// Runs cases at places, each with a seed, and compares those of `exactly` to the bit.
fn agree(cases: &[Case], exactly: &[Case], jobs: &[(On, u8)], seed: u64) {
    let places: Vec<_> = jobs.iter().map(|&(on, level)| gfx::place(on, level)).collect();
    let judge = |case: &Case| -> Vec<String> {
        let verdicts = gfx::judge(case, &places, Some(seed));
        let wrong = jobs.iter().zip(verdicts).filter_map(|(&(on, level), v)| match v {
            Verdict::Passed => None,
            Verdict::Refused(codes, why) if predict::predicted(on, &case.id, &codes, &why) => None,
            Verdict::Failed(why) | Verdict::Refused(_, why) => Some(format!("{on} -O{level} {}: {why}", case.id)),
        });
        wrong.collect()
    };
    let mut wrong: Vec<String> = cases.par_iter().flat_map_iter(judge).collect();
    let exact = |c: &Case| match gfx::shuffled(c, Path::new("")) {
        Ok(ready) => places.iter().filter_map(|&p| differs(c, &ready, p)).collect::<Vec<_>>(),
        Err(v) => vec![format!("{}: {v:?}", c.id)],
    };
    wrong.extend(exactly.par_iter().flat_map_iter(exact).collect::<Vec<_>>());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Those of some targets that draw.
fn drawing(targets: &str) -> impl Iterator<Item = On> {
    crate::draws::drawing::pictures(targets).into_iter().map(exec::on)
}

/// A few cases of each group, on the machines of all generations that draw.
#[test]
fn a_few_cases_of_each_group_are_drawn_by_machines() {
    let cases: Vec<Case> = sample(5).into_iter().filter(|c| !is_open(c)).collect();
    let jobs: Vec<(On, u8)> = drawing("all:all").zip([0, 2, 2].into_iter().cycle()).collect();
    agree(&cases, &sample(5), &jobs, 5);
}

/// Draws whose vertices run on a machine and whose fragments on the oracle, and the other way round: equal to the oracle alone, to
/// the bit.
#[test]
fn a_draw_in_two_places_is_that_of_one() {
    let cases = sample(3);
    let stages = [Stage::Vertex, Stage::Fragment];
    let places: Vec<Place> =
        drawing("all").flat_map(|on| stages.map(|stage| gfx::mixed(gfx::place(on, 2), stage))).collect();
    let judge = |case: &Case| -> Vec<Result<usize, String>> {
        let Ok(ready) = gfx::ready(case, Path::new("")) else { return Vec::new() };
        let one = |&place: &Place| {
            let mut resources = ready.resources.clone();
            let options = frame::Options::default();
            let scene = &ready.file.scene;
            let programs = Programs::new(scene, &ready.shaders, place).map_err(|f| f.to_string());
            // Programs that the target refuses, and those that write memory.
            let Ok(programs) = programs else { return Ok(0) };
            match frame::run(scene, &ready.shaders, &programs, &mut resources, &options, &mut || {}) {
                Err(f) if f.to_string().contains("in two places") => Ok(0),
                Err(f) => Err(format!("{place} {}: {f}", case.id)),
                Ok(report) => {
                    let got = (&resources, &report);
                    let same = compare::check(&ready, (&programs, place), got, Against::Lowered, &options);
                    same.map(|_| 1).map_err(|v| format!("{place} {}: {v:?}", case.id))
                }
            }
        };
        places.iter().map(one).collect()
    };
    let all: Vec<_> = cases.par_iter().flat_map_iter(judge).collect();
    let wrong: Vec<&String> = all.iter().filter_map(|r| r.as_ref().err()).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    let drawn: usize = all.iter().flatten().sum();
    assert!(cases.is_empty() || 4 * drawn > 3 * all.len(), "{drawn} of {}", all.len());
}

/// The outputs of a frame, its counts, or its error, on so many cores.
fn frame_on(
    ready: &PreparedScene,
    programs: &Programs,
    cores: usize,
    limit: u64,
) -> (Resources, Result<(u64, u64), String>) {
    let mut resources = ready.resources.clone();
    let defaults = frame::Options::default();
    let options = frame::Options { run: RunOptions { cores, step_limit: limit, ..defaults.run }, ..defaults };
    let scene = &ready.file.scene;
    let report = frame::run(scene, &ready.shaders, programs, &mut resources, &options, &mut || {});
    (resources, report.map(|r| (r.steps, r.run.instructions)).map_err(|f| f.to_string()))
}

#[test]
fn the_number_of_cores_does_not_show_in_a_frame() {
    let file =
        SceneFile { scene: mesh::scene(24, [200, 150]), name: String::new(), folder: PathBuf::new(), text: None };
    let mut frames = vec![PreparedScene::new(file).unwrap_or_else(|f| panic!("{f}"))];
    // Every group, with programs that write memory, read targets, discard, and run for each sample.
    frames.extend(sample(3).iter().filter_map(|c| gfx::shuffled(c, Path::new("")).ok()));
    let wrong = |ready: &PreparedScene| -> Vec<String> {
        let mut list = Vec::new();
        let oracles = [On::Interp, On::Passes(For::Minimal)];
        for place in oracles.into_iter().chain(drawing("all")).map(|on| gfx::place(on, 2)) {
            // A frame that the target refuses runs on no number of cores.
            let Ok(programs) = Programs::new(&ready.file.scene, &ready.shaders, place) else { continue };
            let whole = frame_on(ready, &programs, 1, frame::STEPS);
            let steps = whole.1.as_ref().map_or(0, |r| r.0);
            let less = [steps, steps.saturating_sub(1), steps / 2, steps / 5];
            let less = less.map(|limit| (limit, frame_on(ready, &programs, 1, limit)));
            for (limit, one) in std::iter::once((frame::STEPS, whole)).chain(less) {
                for cores in [2, 8] {
                    let more = frame_on(ready, &programs, cores, limit);
                    if more != one {
                        list.push(format!("{place}, {cores} cores, {limit} steps: {:?}, not {:?}", more.1, one.1));
                    }
                }
            }
        }
        list
    };
    let wrong: Vec<String> = frames.par_iter().flat_map_iter(wrong).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_wrong_byte_is_a_failure() {
    for mut case in sample(1) {
        let Body::Scene(_) = &case.body else { continue };
        let e = &mut case.expect[0];
        e.compare = gpucc_scene::compare::Compare::exact();
        e.bytes.push(0);
        let v = gfx::judge(&case, &[gfx::place(On::Interp, 2)], None);
        assert!(matches!(v.as_slice(), [Verdict::Failed(_)]), "{}: {v:?}", case.id);
    }
}
