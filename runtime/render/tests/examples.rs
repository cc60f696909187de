//! The example scenes on each family that is linked: `cargo xtask family X` builds this with X alone.

use std::path::PathBuf;

use gpucc_render::PreparedScene;
use gpucc_render::compare::{self, Against};
use gpucc_render::frame::{self, Options};
use gpucc_render::place::{Place, Programs};

/// Draws a scene on a target's machine; says how many outputs equal the oracle's to the bit.
fn equal(ready: &PreparedScene, place: Place) -> usize {
    let programs = Programs::new(&ready.file.scene, &ready.shaders, place).unwrap_or_else(|e| panic!("{place:?}: {e}"));
    let (mut resources, options) = (ready.resources.clone(), Options::default());
    let report = frame::run(&ready.file.scene, &ready.shaders, &programs, &mut resources, &options, &mut || {})
        .unwrap_or_else(|e| panic!("{place:?}: {e}"));
    let compared = compare::check(ready, (&programs, place), (&resources, &report), Against::Lowered, &options);
    compared.unwrap_or_else(|e| panic!("{place:?}: {e:?}")).outputs
}

#[test]
fn every_linked_family_draws_the_example_scenes() {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/scenes"));
    for name in ["triangle", "textured_quad", "lit_mesh"] {
        let file = gpucc_scene::read::open(&folder.join(format!("{name}.toml"))).unwrap_or_else(|e| panic!("{e}"));
        let ready = PreparedScene::new(file).unwrap_or_else(|e| panic!("{e}"));
        for target in gpucc::Target::parse_list("all").expect("targets") {
            assert_eq!(equal(&ready, Place::Target(target, 2)), ready.file.scene.outputs.len(), "{name} on {target}");
        }
    }
}
