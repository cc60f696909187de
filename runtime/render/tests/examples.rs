//! The example scenes on each family that is linked: `cargo xtask family X` builds this with X alone.

use std::path::PathBuf;

use gpucc_ir::Op;
use gpucc_render::PreparedScene;
use gpucc_render::compare::{self, Against};
use gpucc_render::frame::{self, Options};
use gpucc_render::place::{Place, Programs};
use gpucc_scene::difference::Difference;
use gpucc_scene::{Picture, Resources, output, resize::resize};

use crate::causes::Part;

fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/scenes"))
}

/// The names of the example scenes.
pub(crate) fn names() -> Vec<String> {
    let list = std::fs::read_dir(folder())
        .expect("the folder")
        .filter_map(|e| e.ok()?.path().file_stem()?.to_str().map(String::from));
    let mut list: Vec<String> = list.collect();
    list.sort();
    assert!(list.len() >= 15, "{list:?}");
    list
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
/// oracle, but for the pixels that [`APART`] counts.
#[test]
fn every_linked_family_draws_every_scene() {
    let list = names();
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
            let apart = APART.iter().find(|a| a.scene == name && a.family == target.family());
            let (far, most) = apart.map_or((0, 1), |a| (a.far, a.most));
            assert!(d.far <= far && d.greatest <= most, "{name} on {target}: {d}");
        }
    }
}

/// Scenes that a family refuses, with the code.
const REFUSED: &[(&str, &str, &str)] = &[];

/// A family whose picture of a scene, of 64 by 36 pixels, is more than a step from the oracle's.
pub(crate) struct Apart {
    pub scene: &'static str,
    pub family: &'static str,
    /// Pixels that are more than a step away.
    pub far: usize,
    /// The greatest distance in steps.
    pub most: u8,
    /// What of the machine's arithmetic does it; a test takes it away.
    pub by: Part,
    /// Pixels that are more than a step away without that: products and sums that are fused.
    pub left: usize,
}

const SINE: Part = Part::Ops(&[Op::FSin, Op::FCos]);

/// Those that are. The constant of the Julia set is a cosine and a sine, and each of its steps magnifies their last bits: Valhall has tables of 64 angles,
/// Tesla those of its special functions. The veins of the marble have sharp edges in noise that samplers weigh with eight bits.
pub(crate) const APART: [Apart; 5] = [
    Apart { scene: "julia", family: "valhall", far: 81, most: 39, by: SINE, left: 1 },
    Apart { scene: "julia", family: "tesla", far: 4, most: 4, by: SINE, left: 3 },
    Apart { scene: "marble", family: "valhall", far: 5, most: 3, by: Part::Sampling, left: 1 },
    Apart { scene: "marble", family: "tesla", far: 5, most: 3, by: Part::Sampling, left: 0 },
    Apart { scene: "marble", family: "gcn", far: 6, most: 3, by: Part::Sampling, left: 0 },
];
