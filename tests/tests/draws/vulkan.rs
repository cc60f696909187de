//! Programs in the style of what ships for Vulkan (`tests/vulkan`): GLSL in pairs of a vertex and a fragment shader, with push constants,
//! specialisation constants and blocks as varyings, as glslang and spirv-opt make SPIR-V of it, drawn by a scene each.
//!
//! Each is drawn in three forms on the oracle, on the oracle behind passes, and on the machine of each family that draws. A machine draws
//! what the oracle draws of the IR that selection read, to the bit, and nearly what the oracle draws of the module as it was written:
//! weights of filters have eight bits on machines, and edges and thresholds amplify that. The form with debug information draws what
//! the plain one draws, the optimised one nearly so.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use gpucc::Target;
use gpucc_kit::exec::{Problem, problem};
use gpucc_render::compare::{self, Against, Verdict};
use gpucc_render::{Failure, Lowering, Place, PreparedScene, Programs, frame};
use gpucc_scene::model::{Names, OutputSource, Shader};
use gpucc_scene::{Resources, SceneFile, output, read};
use gpucc_sim::RunOptions;
use gpucc_tests::exec::{self, For};
use gpucc_tests::predict;
use gpucc_tests::shared::workspace;
use rayon::prelude::*;

use crate::draws::drawing;

/// Folders of the forms: as glslang writes a module, with its debug information, and after `spirv-opt -O`.
const FORMS: [&str; 3] = ["", "debug", "optimised"];

/// Where a program is refused, and by which code: program, family or target. Whatever else is refused is a failure, and so is what is
/// listed and draws.
#[rustfmt::skip]
const REFUSED: &[(&str, &str, &str)] = &[
    ("foliage", "tesla:nv50", "level-queries"),
    ("foliage", "tesla:nv84", "level-queries"),
    ("foliage", "tesla:nva0", "level-queries"),
    ("multisample", "vivante", "centroids"),
    ("oit", "tesla:nv50", "blend-equations"),
    ("oit", "tesla:nv84", "blend-equations"),
    ("oit", "tesla:nva0", "blend-equations"),
    ("oit", "vivante:gc2000", "blend-equations"),
    ("oit", "vivante:gc3000", "blend-equations"),
    ("particles", "tesla", "storage-buffers"),
    ("ui", "tesla", "storage-buffers"),
];

fn folder() -> PathBuf {
    workspace().join("tests/vulkan")
}

/// Names of the programs, in order.
fn names() -> Vec<String> {
    let files = std::fs::read_dir(folder()).expect("the folder of programs");
    let name = |f: std::fs::DirEntry| Some(f.file_name().to_str()?.strip_suffix(".toml")?.to_string());
    let mut names: Vec<String> = files.flatten().filter_map(name).collect();
    names.sort();
    names
}

/// The scene of a program with the shaders of a form.
fn scene(name: &str, form: &str) -> SceneFile {
    let file = format!("{name}.toml");
    let text = std::fs::read_to_string(folder().join(&file)).expect("a scene");
    let mut scene = read::parse(&text, read::Language::Toml).unwrap_or_else(|e| panic!("{file}: {e}"));
    let of = |(name, shader): (&str, &Shader)| {
        let Shader::File(path) = shader else { panic!("{file}: `{name}` is no file") };
        (name.to_string(), Shader::File(PathBuf::from(form).join(path).to_str().expect("a path").into()))
    };
    scene.shaders = Names::new(scene.shaders.iter().map(of).collect()).expect("the same names");
    SceneFile { scene, name: file, folder: folder(), text: None }
}

/// A frame as it was drawn.
struct Drawn {
    programs: Programs,
    resources: Resources,
    report: frame::Report,
}

fn options() -> frame::Options {
    let defaults = frame::Options::default();
    frame::Options { run: RunOptions { cores: 1, ..defaults.run }, ..defaults }
}

fn draw(ready: &PreparedScene, place: Place) -> Result<Drawn, Failure> {
    let scene = &ready.file.scene;
    let programs = Programs::new(scene, &ready.shaders, place)?;
    let mut resources = ready.resources.clone();
    let report = frame::run(scene, &ready.shaders, &programs, &mut resources, &options(), &mut || {})?;
    Ok(Drawn { programs, resources, report })
}

/// The bytes of the outputs, by name.
fn outputs(ready: &PreparedScene, drawn: &Drawn) -> Vec<(String, Vec<u8>)> {
    let scene = &ready.file.scene;
    let of = |o: &gpucc_scene::model::Output| {
        (o.name.clone(), output::bytes(scene, &drawn.resources, o).unwrap_or_else(|e| panic!("{e}")))
    };
    scene.outputs.iter().map(of).collect()
}

/// Components of a picture that may be further than [`NEAR`] from those of the source: one of so many.
const FAR: usize = 50;
/// Codes of eight bits.
const NEAR: u8 = 4;

/// The picture, four components a pixel.
fn picture(ready: &PreparedScene, drawn: &Drawn) -> Vec<u8> {
    let scene = &ready.file.scene;
    let out = scene.presented().expect("a picture");
    output::picture(scene, &drawn.resources, &out).unwrap_or_else(|e| panic!("{e}")).rgba
}

/// Whether two pictures are nearly the same, but for pixels of which nothing is said.
fn near(want: &[u8], got: &[u8], open: &[bool]) -> Result<(), String> {
    let is_far = |k: usize| want[k].abs_diff(got[k]) > NEAR && open.get(k / 4) != Some(&true);
    let far: Vec<usize> = (0..want.len()).filter(|&k| is_far(k)).collect();
    match far.first() {
        Some(&k) if far.len() * FAR > want.len() || want.len() != got.len() => {
            let (many, all) = (far.len(), want.len());
            Err(format!("{many} of {all} components are far off, of pixel {} {} for {}", k / 4, got[k], want[k]))
        }
        _ => Ok(()),
    }
}

/// Pixels of the picture that a quad wrote in which a lane read another that was inactive.
fn open(ready: &PreparedScene, drawn: &Drawn) -> Vec<bool> {
    let scene = &ready.file.scene;
    let Some(OutputSource::Texture { texture, .. }) = scene.presented().map(|o| o.source) else { return Vec::new() };
    let number = scene.textures.position(&texture).expect("a texture");
    drawn.report.open.get(&(number, 0, 0)).cloned().unwrap_or_default()
}

/// Draws and lets the oracle judge: by the modules that ran, and by the picture of those that were written.
fn judged(ready: &PreparedScene, place: Place, want: &[u8]) -> Result<(), String> {
    let drawn = draw(ready, place).map_err(|f| said(&f))?;
    let got = (&drawn.resources, &drawn.report);
    match compare::check(ready, (&drawn.programs, place), got, Against::Lowered, &options()) {
        Ok(c) if c.outputs == ready.file.scene.outputs.len() => {}
        Ok(c) => return Err(format!("{} outputs are compared", c.outputs)),
        Err(Verdict::Failure(f)) => return Err(format!("the oracle: {f}")),
        Err(Verdict::Differs(d)) => return Err(d),
    }
    near(want, &picture(ready, &drawn), &open(ready, &drawn)).map_err(|why| format!("against the source: {why}"))
}

/// A failure; a refusal by its codes alone.
fn said(f: &Failure) -> String {
    let Failure::Shader { list, .. } = f else { return f.to_string() };
    match problem(list) {
        Problem::Refused(codes, why) => {
            let names: Vec<&str> = codes.iter().map(|c| c.name()).collect();
            format!("refused: {}: {why}", names.join(", "))
        }
        other => format!("{f}: {other}"),
    }
}

/// The code by which a program is refused on a target.
fn listed(name: &str, target: Target) -> Option<&'static str> {
    let is = |on: &str| on == target.family() || on == target.to_string();
    REFUSED.iter().find(|(n, on, _)| *n == name && is(on)).map(|(.., code)| *code)
}

fn on_machine(name: &str, (ready, want): (&PreparedScene, &[u8]), on: (Target, u8)) -> Result<(), String> {
    let (target, level) = on;
    match (judged(ready, Place::Target(target, level), want), listed(name, target)) {
        (Err(why), Some(code)) if why.starts_with(&format!("refused: {code}:")) => {
            let code = gpucc_ir::Refusal::parse(code).expect("a code");
            let is_documented = predict::documented(exec::on(target), code);
            is_documented.then_some(()).ok_or(format!("{why}: docs/support.md does not say so"))
        }
        (Ok(()), Some(code)) => Err(format!("it is listed by `{code}` and draws")),
        (result, _) => result,
    }
}

/// Places of the oracle.
fn oracles() -> [Place; 3] {
    let minimal = Place::Oracle(Lowering::Passes { level: 2, caps: For::Minimal.caps() });
    [Place::interp(0), Place::interp(3), minimal]
}

/// All of a program: what is wrong, and how often it was drawn.
fn program(name: &str, number: usize) -> (usize, Vec<String>) {
    let targets = drawing::drawing("all:all");
    let defaults: BTreeSet<String> = exec::targets("all").iter().map(ToString::to_string).collect();
    let (mut wrong, mut drawn) = (Vec::new(), 0);
    for (f, form) in FORMS.iter().enumerate() {
        let told = |on: String, why: String| format!("{name} ({form}) on {on}: {why}");
        let ready = match PreparedScene::new(scene(name, form)) {
            Ok(r) => r,
            Err(e) => {
                wrong.push(told("the front end".into(), said(&e)));
                continue;
            }
        };
        let want = match draw(&ready, Place::Oracle(Lowering::Source)) {
            Ok(d) => picture(&ready, &d),
            Err(e) => {
                wrong.push(told("the source".into(), said(&e)));
                continue;
            }
        };
        for place in oracles() {
            drawn += 1;
            wrong.extend(judged(&ready, place, &want).err().map(|why| told(place.to_string(), why)));
        }
        for &t in &targets {
            // Generations that are not the default one draw one of the forms. Levels take turns.
            let is_default = defaults.contains(&t.to_string());
            if !is_default && (number + t.generation_index()) % FORMS.len() != f {
                continue;
            }
            let level = [2, 0, 3, 1][(number + f + t.generation_index()) % 4];
            drawn += 1;
            let why = on_machine(name, (&ready, &want), (t, level)).err();
            wrong.extend(why.map(|why| told(format!("{t} -O{level}"), why)));
        }
    }
    (drawn, wrong)
}

/// Each program in each form, wherever there is something that draws.
#[test]
fn programs_draw_what_the_oracle_draws() {
    let all: Vec<(usize, Vec<String>)> = names().par_iter().enumerate().map(|(n, name)| program(name, n)).collect();
    let wrong: Vec<String> = all.iter().flat_map(|(.., w)| w.clone()).collect();
    let drawn: usize = all.iter().map(|(n, ..)| n).sum();
    println!("{} programs drawn {drawn} times", all.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Debug information changes nothing, optimisation little; and no picture is of one colour.
#[test]
fn forms_draw_the_same() {
    let wrong: Vec<String> = names().par_iter().filter_map(|n| same(n).err()).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn same(name: &str) -> Result<(), String> {
    let mut forms = Vec::new();
    for form in FORMS {
        let ready = PreparedScene::new(scene(name, form)).map_err(|e| format!("{name} ({form}): {}", said(&e)))?;
        let drawn = draw(&ready, Place::Oracle(Lowering::Source)).map_err(|e| format!("{name} ({form}): {e}"))?;
        let picture = picture(&ready, &drawn);
        let colours: BTreeSet<&[u8]> = picture.chunks(4).collect();
        if colours.len() < 8 {
            return Err(format!("{name} ({form}) has {} colours", colours.len()));
        }
        forms.push((outputs(&ready, &drawn), picture));
    }
    if forms[0].0 != forms[1].0 {
        return Err(format!("{name} differs with debug information"));
    }
    near(&forms[0].1, &forms[2].1, &[]).map_err(|why| format!("{name} differs when it is optimised: {why}"))
}

/// Each shader is there in each form and some scene draws with it; `make.sh` made them of the text, where its tools are there.
#[test]
fn each_shader_is_drawn_with() {
    let mut used: BTreeMap<String, usize> = BTreeMap::new();
    for name in names() {
        for (_, shader) in scene(&name, "").scene.shaders.iter() {
            let Shader::File(file) = shader else { continue };
            *used.entry(file.trim_end_matches(".spv").to_string()).or_default() += 1;
        }
    }
    let is_text = |n: &String| n.ends_with(".vert") || n.ends_with(".frag");
    let files = std::fs::read_dir(folder()).expect("the folder").flatten();
    let texts: BTreeSet<String> = files.filter_map(|f| f.file_name().into_string().ok()).filter(is_text).collect();
    assert_eq!(texts, used.keys().cloned().collect());
    for t in &texts {
        for form in FORMS {
            let file = folder().join(form).join(format!("{t}.spv"));
            assert!(file.exists(), "{}: run make.sh", file.display());
        }
    }
}
