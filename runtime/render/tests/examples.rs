//! The example scenes on each family that is linked: `cargo xtask family X` builds this with X alone.

use std::path::PathBuf;

use gpucc_render::PreparedScene;
use gpucc_render::compare::{self, Against};
use gpucc_render::frame::{self, Options};
use gpucc_render::place::{Place, Programs};
use gpucc_scene::difference::Difference;
use gpucc_scene::{Picture, Resources, output, resize::resize};

fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/scenes"))
}

/// A scene with a picture of 64 by 36 pixels, or its own size.
pub(crate) fn read(name: &str, is_small: bool) -> PreparedScene {
    let mut file = gpucc_scene::read::open(&folder().join(format!("{name}.toml"))).unwrap_or_else(|e| panic!("{e}"));
    if is_small {
        resize(&mut file.scene, [64, 36]).unwrap_or_else(|e| panic!("{name}: {e}"));
    }
    PreparedScene::new(file).unwrap_or_else(|e| panic!("{name}: {e}"))
}

pub(crate) fn run(ready: &PreparedScene, place: Place) -> (Programs, Resources, frame::Report) {
    let programs = Programs::new(&ready.file.scene, &ready.shaders, place)
        .unwrap_or_else(|e| panic!("{}: {place:?}: {e}", ready.file.name));
    let (mut resources, options) = (ready.resources.clone(), Options::default());
    let report = frame::run(&ready.file.scene, &ready.shaders, &programs, &mut resources, &options, &mut || {})
        .unwrap_or_else(|e| panic!("{}: {place:?}: {e}", ready.file.name));
    (programs, resources, report)
}

/// Draws a scene on a target's machine; says how many outputs equal the oracle's to the bit.
fn equal(ready: &PreparedScene, place: Place) -> usize {
    let (programs, resources, report) = run(ready, place);
    let options = Options::default();
    let compared = compare::check(ready, (&programs, place), (&resources, &report), Against::Lowered, &options);
    compared.unwrap_or_else(|e| panic!("{place:?}: {e:?}")).outputs
}

pub(crate) fn picture(ready: &PreparedScene, resources: &Resources) -> Picture {
    let presented = ready.file.scene.presented().expect("a picture");
    output::picture(&ready.file.scene, resources, &presented).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn every_linked_family_draws_the_first_scenes_to_the_bit() {
    for name in ["triangle", "textured_quad", "lit_mesh"] {
        let ready = read(name, false);
        for target in gpucc::Target::parse_list("all").expect("targets") {
            assert_eq!(equal(&ready, Place::Target(target, 2)), ready.file.scene.outputs.len(), "{name} on {target}");
        }
    }
}

/// Each begins with a sentence and the command that draws it, has something to be seen, and is drawn by every family within a step of the
/// oracle, but for the part of the pixels that [`APART`] names.
#[test]
fn every_linked_family_draws_every_scene() {
    let list = std::fs::read_dir(folder())
        .expect("the folder")
        .filter_map(|e| e.ok()?.path().file_stem()?.to_str().map(String::from));
    let mut list: Vec<String> = list.collect();
    list.sort();
    assert!(list.len() >= 15, "{list:?}");
    for name in &list {
        let text = std::fs::read_to_string(folder().join(format!("{name}.toml"))).expect("a scene");
        let command = format!("#   gpucc render examples/scenes/{name}.toml -o ");
        assert!(text.starts_with("# ") && text.contains(&command), "{name}: how it is drawn stands at its beginning");
        let ready = read(name, true);
        let want = picture(&ready, &run(&ready, Place::interp(2)).1);
        assert!(!want.is_plain(), "{name}: one colour");
        for target in gpucc::Target::parse_list("all").expect("targets") {
            let refused = REFUSED.iter().find(|r| r.0 == name && r.1 == target.family());
            if let Some((_, family, code)) = refused {
                assert!(
                    text.contains(&format!("{family} refuses it: {code}")),
                    "{name}: who refuses it stands at its beginning"
                );
                let said = Programs::new(&ready.file.scene, &ready.shaders, Place::Target(target, 2)).map(|_| ());
                assert!(said.is_err_and(|e| e.to_string().contains(code)), "{name} on {target}");
                continue;
            }
            let got = picture(&ready, &run(&ready, Place::Target(target, 2)).1);
            let d = Difference::between(&want, &got).expect("of one size");
            let most = APART.iter().find(|a| a.0 == name).map_or(0.0, |a| a.1);
            assert!(d.far as f64 <= most * d.all as f64, "{name} on {target}: {d}");
        }
    }
}

/// Scenes that a family refuses, with the code.
const REFUSED: &[(&str, &str, &str)] = &[];

/// The part of the pixels that may be more than a step from the oracle's, with the reason.
const APART: [(&str, f64, &str); 5] = [
    ("cobbles", 0.08, "samplers of GCN weigh with 8 bits, and slopes of heights magnify that"),
    ("julia", 0.05, "a Julia set magnifies the last bit of each of its steps"),
    ("marble", 0.005, "samplers weigh with 8 bits, and veins have sharp edges"),
    ("skybox", 0.01, "samplers of GCN weigh with 8 bits, also between levels"),
    ("text", 0.012, "samplers of GCN weigh with 8 bits, and letters are magnified"),
];
