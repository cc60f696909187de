//! Scenes whose shaders are SPIR-V, on the interpreter: public cases as naga's back end writes their shaders, and shaders of GLSL
//! as glslang writes them, each beside a twin in WGSL. Without `naga` or `glslangValidator` the tests say that they are skipped.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use gpucc_glsl::need;
use gpucc_render::{PreparedScene, Programs, frame};
use gpucc_scene::cases::{Body, Case};
use gpucc_scene::model::{Names, Shader};
use gpucc_scene::{SceneFile, output, read};
use gpucc_tests::cases::Verdict;
use gpucc_tests::exec::{For, On};
use gpucc_tests::shared::workspace;
use gpucc_tests::{gfx, shared};
use rayon::prelude::*;

/// Cases that are drawn in any case: an image that is only written and has a format that cannot be read, gathers of depth textures, and
/// the layers in the size of an image.
const ALWAYS: &[&str] = &["store/2d/rg11b10ufloat#A", "gather/cube/depth#A", "query/depth-cube-array#A"];

/// A folder of this test alone.
fn folder_of(name: &str) -> PathBuf {
    let dir = gpucc_glsl::scratch(&format!("gfx-{name}"));
    std::fs::create_dir_all(&dir).expect("a folder for files");
    dir
}

/// The shaders of a case as naga writes them, in a folder; nothing where it does not.
fn through_naga(case: &Case, folder: &Path) -> Option<Case> {
    let Body::Scene(scene) = &case.body else { return None };
    let mut scene = scene.clone();
    let mut shaders = Vec::new();
    for (name, shader) in scene.shaders.iter() {
        let Shader::Wgsl(text) = shader else { return None };
        let (from, to) = (folder.join(format!("{name}.wgsl")), folder.join(format!("{name}.spv")));
        std::fs::write(&from, text).expect("a file");
        // WebGPU's clip space is what a scene has.
        let done = Command::new("naga").arg("--keep-coordinate-space").arg(&from).arg(&to).output().ok()?;
        if !done.status.success() {
            return None;
        }
        shaders.push((name.to_string(), Shader::File(format!("{name}.spv"))));
    }
    scene.shaders = Names::new(shaders).ok()?;
    Some(Case { body: Body::Scene(scene), ..case.clone() })
}

/// A few cases of each group draw the same with the SPIR-V that naga writes of their shaders.
#[test]
fn public_cases_through_nagas_spirv() {
    let Some(folder) = shared::find("conformance/gfx") else { return };
    need!("naga");
    let mut cases = Vec::new();
    for f in gfx::files(&folder).expect("the folder of cases") {
        let all = gfx::read(&f).expect("a file of cases");
        let step = all.len().div_ceil(6).max(1);
        let taken = |(k, c): &(usize, Case)| k % step == 0 || ALWAYS.contains(&c.id.as_str());
        cases.extend(all.into_iter().enumerate().filter(taken).map(|(_, c)| c));
    }
    let drawn = AtomicUsize::new(0);
    let place = gfx::place(On::Passes(For::Minimal), 2);
    let wrong: Vec<String> = cases
        .par_iter()
        .enumerate()
        .filter_map(|(n, case)| {
            let folder = folder_of(&format!("naga{n}"));
            // naga writes no module whose constants are still open.
            let case = through_naga(case, &folder)?;
            let v = gfx::ready(&case, &folder).map_or_else(|v| v, |r| gfx::draw(&case, &r, place, Some(1)));
            let _ = std::fs::remove_dir_all(&folder);
            match v {
                Verdict::Passed => {
                    drawn.fetch_add(1, Ordering::Relaxed);
                    None
                }
                Verdict::Failed(why) | Verdict::Refused(_, why) => Some(format!("{}: {why}", case.id)),
            }
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let drawn = drawn.into_inner();
    println!("{drawn} of {} cases drawn", cases.len());
    assert!(drawn >= 100, "only {drawn} of {} cases are drawn", cases.len());
}

/// The bytes of all outputs of a scene.
fn outputs(file: SceneFile, on: On, level: u8) -> Result<Vec<(String, Vec<u8>)>, String> {
    let ready = PreparedScene::new(file).map_err(|f| f.to_string())?;
    let scene = &ready.file.scene;
    let programs = Programs::new(scene, &ready.shaders, gfx::place(on, level)).map_err(|f| f.to_string())?;
    let mut resources = ready.resources.clone();
    let options = frame::Options::default();
    frame::run(scene, &ready.shaders, &programs, &mut resources, &options, &mut || {}).map_err(|f| f.to_string())?;
    let of = |o: &gpucc_scene::model::Output| {
        Ok((o.name.clone(), output::bytes(scene, &resources, o).map_err(|e| e.to_string())?))
    };
    scene.outputs.iter().map(of).collect()
}

/// Each pair of GLSL shaders draws what its twin in WGSL draws, byte for byte.
#[test]
fn glsl_draws_what_its_wgsl_twin_draws() {
    need!("glslangValidator");
    let folder = workspace().join("tests/gfx/glsl");
    let mut names: Vec<String> = std::fs::read_dir(&folder)
        .expect("the folder of pairs")
        .flatten()
        .filter_map(|f| Some(f.file_name().to_str()?.strip_suffix(".toml")?.to_string()))
        .collect();
    names.sort();
    assert!(names.len() >= 10, "{names:?}");
    let made = folder_of("glsl");
    let wrong: Vec<String> =
        names.par_iter().filter_map(|name| pair(&folder, &made, name).err().map(|e| format!("{name}: {e}"))).collect();
    let _ = std::fs::remove_dir_all(&made);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn pair(folder: &Path, made: &Path, name: &str) -> Result<(), String> {
    let mut files = Vec::new();
    for (stage, ending) in [("vertex", "vert"), ("fragment", "frag")] {
        let file = format!("{name}.{ending}.spv");
        let from = folder.join(format!("{name}.{ending}"));
        let done = Command::new("glslangValidator").arg("-V").arg(&from).arg("-o").arg(made.join(&file)).output();
        let done = done.map_err(|e| e.to_string())?;
        if !done.status.success() {
            return Err(String::from_utf8_lossy(&done.stdout).into_owned());
        }
        files.push((stage.to_string(), Shader::File(file)));
    }
    let text = std::fs::read_to_string(folder.join(format!("{name}.toml"))).map_err(|e| e.to_string())?;
    let scene = read::parse(&text, read::Language::Toml).map_err(|e| e.to_string())?;
    let with = |shaders: Vec<(String, Shader)>, folder: &Path| {
        let mut scene = scene.clone();
        scene.shaders = Names::new(shaders).expect("two names");
        SceneFile { scene, name: format!("{name}.toml"), folder: folder.to_path_buf(), text: None }
    };
    let twin = ["vertex", "fragment"].map(|s| (s.to_string(), Shader::File(format!("{name}.wgsl"))));
    let (glsl, wgsl) = (with(files, made), with(twin.to_vec(), folder));
    for (on, level) in [(On::Interp, 0), (On::Interp, 2), (On::Passes(For::Minimal), 2)] {
        let got = outputs(glsl.clone(), on, level)?;
        let want = outputs(wgsl.clone(), on, level)?;
        for ((name, got), (_, want)) in got.iter().zip(&want) {
            // A picture of one colour would say little.
            let colours: std::collections::BTreeSet<&[u8]> = want.chunks(4).collect();
            if colours.len() < 3 {
                return Err(format!("{on} -O{level}: `{name}` has {} different words", colours.len()));
            }
            if let Some(at) = (0..want.len()).find(|&k| got.get(k) != Some(&want[k])) {
                let shown = (&got[at & !3..][..4], &want[at & !3..][..4]);
                return Err(format!("{on} -O{level}: `{name}` differs at byte {at}: {shown:?}"));
            }
        }
    }
    Ok(())
}
