//! Scenes that ask for too much, and scenes with numbers that are none: each ends soon, with a sentence or with the right picture.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use gpucc_ir::Stage;
use gpucc_render::{Failure, PreparedScene, Programs, frame};
use gpucc_scene::{SceneFile, limits, output, read};
use gpucc_sim::{RunOptions, TrapKind};
use gpucc_tests::exec::{For, On};
use gpucc_tests::{gfx, mesh};

/// Longer than this is a hang, on a loaded machine, too.
const PATIENCE: Duration = Duration::from_secs(30);

/// Points, each a triangle's corner: red where they make a triangle.
const SCENE: &str = r#"{
"format": "scene-1",
"shaders": { "m": { "wgsl": "
struct V { @builtin(position) p: vec4<f32>, @location(0) c: f32 }
@vertex fn vs(@location(0) p: vec4<f32>) -> V { return V(p, p.x); }
@fragment fn fs(v: V) -> @location(0) vec4<f32> { return vec4<f32>(1.0, 0.0, 0.0, 1.0); }" } },
"textures": { "picture": { "format": "rgba8unorm", "size": [4, 4] } },
"buffers": { "v": { "f32": [VERTICES] }, "i": { "u32": [0, 1, 2, 0] } },
"pipelines": { "p": { "vertex": { "shader": "m", "buffers": [ { "arrayStride": 16, "attributes": [
    { "shaderLocation": 0, "format": "float32x4", "offset": 0 } ] } ] },
    "fragment": { "shader": "m", "targets": [ { "format": "rgba8unorm" } ] } } },
"passes": [ { "type": "render", "colorAttachments": [ { "texture": "picture" } ], "draws": [
    { "pipeline": "p", "vertexBuffers": [ { "buffer": "v" } ], "indexBuffer": { "buffer": "i", "format": "uint32" },
      "drawIndexed": { "indexCount": 3 } } ] } ],
"outputs": [ { "name": "picture", "texture": "picture" } ]
}"#;

/// The corners of a triangle over the whole picture.
const WHOLE: &str = "-1, -1, 0, 1, 3, -1, 0, 1, -1, 3, 0, 1";

/// Draws a scene in JSON on the oracle; its picture, or what is said.
fn draw(text: &str) -> Result<Vec<u8>, String> {
    let start = Instant::now();
    let done = (|| {
        let scene = read::parse(&text.replace('\n', " "), read::Language::Json).map_err(|e| e.to_string())?;
        let file = SceneFile { scene, name: String::new(), folder: PathBuf::new(), text: None };
        let ready = PreparedScene::new(file).map_err(|f| f.to_string())?;
        picture(&ready)
    })();
    assert!(start.elapsed() < PATIENCE, "{:?}: {done:?}", start.elapsed());
    done
}

fn picture(ready: &PreparedScene) -> Result<Vec<u8>, String> {
    let scene = &ready.file.scene;
    let place = gfx::place(On::Passes(For::Minimal), 2);
    let programs = Programs::new(scene, &ready.shaders, place).map_err(|f| f.to_string())?;
    let mut resources = ready.resources.clone();
    let options = frame::Options::default();
    frame::run(scene, &ready.shaders, &programs, &mut resources, &options, &mut || {}).map_err(|f| f.to_string())?;
    output::bytes(scene, &resources, &scene.outputs[0]).map_err(|e| e.to_string())
}

/// The scene with one thing changed.
fn changed(from: &str, to: &str) -> Result<Vec<u8>, String> {
    assert!(SCENE.contains(from), "{from}");
    draw(&SCENE.replace(from, to).replace("VERTICES", WHOLE))
}

fn filled() -> Vec<u8> {
    [255, 0, 0, 255].repeat(16)
}

#[test]
fn the_scene_itself_is_a_red_picture() {
    assert_eq!(changed("scene-1", "scene-1"), Ok(filled()));
}

#[test]
fn what_is_too_large_is_told() {
    let picture = r#""size": [4, 4]"#;
    let indexed = r#""drawIndexed": { "indexCount": 3 }"#;
    let rows = [
        (picture, r#""size": [65536, 32768]"#, "textures.picture.size"),
        (picture, r#""size": [16384, 16384]"#, "textures.picture.size"),
        (picture, r#""size": [4294967295, 4294967295, 4294967295]"#, "textures.picture.size"),
        (picture, r#""size": [0, 4]"#, "textures.picture.size"),
        (picture, r#""size": [4, 0]"#, "textures.picture.size"),
        (indexed, r#""draw": { "vertexCount": 1000000000 }"#, "passes[0].draws[0]"),
        (indexed, r#""draw": { "vertexCount": 1, "instanceCount": 1000000000 }"#, "passes[0].draws[0]"),
        (indexed, r#""draw": { "vertexCount": 4294967295, "instanceCount": 4294967295 }"#, "passes[0].draws[0]"),
        (indexed, r#""drawIndexed": { "indexCount": 1000000000 }"#, "passes[0].draws[0]"),
    ];
    for (from, to, field) in rows {
        let said = changed(from, to).expect_err(to);
        assert!(said.starts_with(field) && said.lines().count() == 1, "{to}: {said}");
    }
}

/// An index past the buffer reads zero or a vertex that is there: the frame ends, and the triangle is drawn or not.
#[test]
fn an_index_past_the_buffer_ends() {
    for far in ["3", "1000000", "4294967294", "4294967295"] {
        let got = changed("[0, 1, 2, 0]", &format!("[0, 1, {far}, 0]"));
        match got {
            Ok(bytes) => {
                let whole = bytes.chunks(4).all(|p| p == [255, 0, 0, 255] || p == [0; 4]);
                assert!(whole, "{far}: {bytes:?}");
            }
            Err(said) => assert_eq!(said.lines().count(), 1, "{far}: {said}"),
        }
    }
}

/// A triangle with such a corner draws nothing, and the next one is drawn.
#[test]
fn corners_that_are_no_numbers_draw_nothing() {
    for bad in [r#""nan""#, r#""inf""#, r#""-inf""#] {
        for lane in 0..4 {
            let mut corner = ["-1", "-1", "0", "1"];
            corner[lane] = bad;
            let vertices = format!("{}, 3, -1, 0, 1, -1, 3, 0, 1", corner.join(", "));
            let bytes = draw(&SCENE.replace("VERTICES", &vertices)).unwrap_or_else(|e| panic!("{corner:?}: {e}"));
            // A w that is no number is clamped on Valhall: it counts as one near 0, and the part that it leaves is drawn.
            if bad == r#""nan""# && lane < 3 {
                assert_eq!(bytes, [0; 64], "{corner:?}");
            }
            // A drawn part of an infinite triangle has the shader's colour.
            assert!(bytes.chunks(4).all(|p| p == [255, 0, 0, 255] || p == [0; 4]), "{corner:?}: {bytes:?}");
        }
    }
}

/// One draw more than a pass may have: reading ends there, so that what follows need not even be JSON. Not timed, as reading the draws
/// in front of it takes as long as the machine is loaded.
#[test]
fn reading_ends_with_the_first_draw_that_is_too_many() {
    let one = r#"{"pipeline":"p","draw":{"vertexCount":0}},"#;
    let at = SCENE.find(r#"{ "pipeline": "p", "vertexBuffers""#).expect("the draw");
    let text = [&SCENE[..at], &one.repeat(limits::PASS_DRAWS + 1), "this is no draw"].concat();
    let text = text.replace('\n', " ").replace("VERTICES", WHOLE);
    let said = read::parse(&text, read::Language::Json).expect_err("too many draws").to_string();
    assert!(said.contains("more than 1000000 draws"), "{said}");
}

/// The frame of the benchmark `frame`: more than ten thousand triangles, 640 x 480, within seconds.
#[test]
fn a_mesh_of_ten_thousand_triangles_is_drawn() {
    let scene = mesh::scene(71, [640, 480]);
    let start = Instant::now();
    let file = SceneFile { scene, name: String::new(), folder: PathBuf::new(), text: None };
    let bytes = picture(&PreparedScene::new(file).unwrap_or_else(|f| panic!("{f}"))).unwrap_or_else(|e| panic!("{e}"));
    assert!(start.elapsed() < PATIENCE, "{:?}", start.elapsed());
    let drawn = bytes.chunks(4).filter(|p| p[3] == 255).count();
    let colours: std::collections::BTreeSet<&[u8]> = bytes.chunks(4).collect();
    assert!(drawn > 640 * 480 / 3 && colours.len() > 500, "{drawn} pixels, {} colours", colours.len());
}

/// The same on a machine of each family that draws.
#[test]
fn machines_draw_the_mesh_within_seconds() {
    let scene = mesh::scene(71, [640, 480]);
    let file = SceneFile { scene, name: String::new(), folder: PathBuf::new(), text: None };
    let ready = PreparedScene::new(file).unwrap_or_else(|f| panic!("{f}"));
    for target in crate::draws::drawing::pictures("all") {
        let place = gfx::place(gpucc_tests::exec::on(target), 2);
        let start = Instant::now();
        let programs = Programs::new(&ready.file.scene, &ready.shaders, place);
        let programs = programs.unwrap_or_else(|f| panic!("{target}: {f}"));
        let mut resources = ready.resources.clone();
        let options = frame::Options::default();
        frame::run(&ready.file.scene, &ready.shaders, &programs, &mut resources, &options, &mut || {})
            .unwrap_or_else(|f| panic!("{target}: {f}"));
        println!("{target}: {:?}", start.elapsed());
        assert!(start.elapsed() < PATIENCE, "{target}: {:?}", start.elapsed());
    }
}

/// A draw of which one program runs on a machine and never ends, or the one on the oracle: the trap says in which of the two, and where.
#[test]
fn a_trap_in_two_places_names_its_stage() {
    let endless = "var n = 0.5; loop { n = n * p.w; if n > 9.0 { break; } }";
    let vertex = format!("@vertex fn vs(@location(0) p: vec4<f32>) -> V {{ {endless} return V(p + vec4(n), p.x); }}");
    let fragment = format!(
        "@fragment fn fs(v: V) -> @location(0) vec4<f32> {{ let p = vec4(v.c * 0.0 + 1.0); {endless} return vec4(n); }}"
    );
    let plain_vertex = "@vertex fn vs(@location(0) p: vec4<f32>) -> V { return V(p, p.x); }";
    let plain_fragment = "@fragment fn fs(v: V) -> @location(0) vec4<f32> { return vec4<f32>(1.0, 0.0, 0.0, 1.0); }";
    let mut checked = 0;
    for (stage, from, to) in [(Stage::Vertex, plain_vertex, &vertex), (Stage::Fragment, plain_fragment, &fragment)] {
        assert!(SCENE.contains(from));
        let text = SCENE.replace(from, to).replace("VERTICES", WHOLE);
        let scene = read::parse(&text.replace('\n', " "), read::Language::Json).unwrap_or_else(|e| panic!("{e}"));
        let file = SceneFile { scene, name: String::new(), folder: PathBuf::new(), text: None };
        let ready = PreparedScene::new(file).unwrap_or_else(|f| panic!("{f}"));
        for target in crate::draws::drawing::pictures("all") {
            for on in [Stage::Vertex, Stage::Fragment] {
                let place = gfx::mixed(gfx::place(gpucc_tests::exec::on(target), 2), on);
                let programs =
                    Programs::new(&ready.file.scene, &ready.shaders, place).unwrap_or_else(|f| panic!("{f}"));
                let options = frame::Options::default();
                let run = RunOptions { step_limit: 300_000, ..options.run };
                let options = frame::Options { run, ..options };
                let mut resources = ready.resources.clone();
                let said =
                    frame::run(&ready.file.scene, &ready.shaders, &programs, &mut resources, &options, &mut || {});
                let Err(Failure::Trap { field, trap, .. }) = said else { panic!("{place}: it ends") };
                let place = format!("{place}, endless {stage:?}: {field}: {trap}");
                let named = match trap.stage {
                    Some(gpucc_container::Stage::Vertex) => Some(Stage::Vertex),
                    Some(gpucc_container::Stage::Fragment) => Some(Stage::Fragment),
                    _ => None,
                };
                assert_eq!((trap.kind, named), (TrapKind::StepLimit, Some(stage)), "{place}");
                assert!(field.contains("draws[0]"), "{place}");
                assert!(trap.pc.is_some() && trap.instruction.as_ref().is_some_and(|i| !i.is_empty()), "{place}");
                checked += 1;
            }
        }
    }
    assert!(checked >= 4, "{checked}");
}
