//! Fragments and vertices with arrays at an index, as pictures of test collections have them, on every chip that draws: sorts, searches, heaps, sieves,
//! matrices, structures, colours, flags, and more words than fit into registers. Nobody refuses them but gc2000: without optimisation its memory for instructions is
//! short, and it has no other memory than registers.

use std::collections::BTreeSet;

use gpucc_render::{PreparedScene, Programs, frame};
use gpucc_scene::output;
use gpucc_tests::exec::{self, On};
use gpucc_tests::gfx;
use rayon::prelude::*;

use crate::draws::once_drawn::prepared;

/// A triangle over the whole picture, for a fragment alone.
const WHOLE: &str = "@vertex fn vs(@builtin(vertex_index) n: u32) -> @builtin(position) vec4f {
    return vec4f(f32(n & 1u) * 4.0 - 1.0, f32(n >> 1u) * 4.0 - 1.0, 0.5, 1.0); }";

/// A scene of 8 x 8 pixels that draws three vertices.
fn scene(text: &str) -> String {
    format!(
        r#"format = "scene-1"
[shaders.s]
wgsl = """
{text}
"""
[textures]
picture = {{ format = "rgba8unorm", size = [8, 8] }}
[pipelines.p]
vertex = {{ shader = "s" }}
fragment = {{ shader = "s", targets = [{{ format = "rgba8unorm" }}] }}
[[passes]]
type = "render"
colorAttachments = [{{ texture = "picture" }}]
[[passes.draws]]
pipeline = "p"
draw = {{ vertexCount = 3 }}
[[outputs]]
name = "picture"
texture = "picture"
"#
    )
}

/// The picture at a place.
fn drawn(ready: &PreparedScene, on: On, level: u8) -> Vec<u8> {
    let scene = &ready.file.scene;
    let (place, options) = (gfx::place(on, level), frame::Options::default());
    let mut resources = ready.resources.clone();
    Programs::new(scene, &ready.shaders, place)
        .and_then(|p| frame::run(scene, &ready.shaders, &p, &mut resources, &options, &mut || {}))
        .unwrap_or_else(|f| panic!("{on} -O{level}: {f}"));
    output::bytes(scene, &resources, &scene.outputs[0]).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn arrays_at_an_index_are_drawn_everywhere() {
    let tests = gpucc_tests::shared::workspace().join("backend-vivante/tests");
    let mut list = Vec::new();
    for (folder, with) in [("fragments", WHOLE), ("vertices", "")] {
        for entry in std::fs::read_dir(tests.join(folder)).expect("the shaders").flatten() {
            let text = std::fs::read_to_string(entry.path()).expect("a shader");
            list.push((entry.file_name().to_string_lossy().into_owned(), format!("{text}\n{with}")));
        }
    }
    list.sort();
    assert!(list.len() >= 24, "{}", list.len());
    let targets = crate::draws::drawing::pictures("all:all");
    list.par_iter().for_each(|(name, text)| {
        let ready = prepared(&scene(text));
        let want = drawn(&ready, On::Interp, 0);
        let pixels: BTreeSet<&[u8]> = want.chunks_exact(4).collect();
        assert!(pixels.len() > 3, "{name}: the picture shows little");
        for &t in &targets {
            // Without optimisation some are longer than gc2000's memory for instructions, and one always is; two need other memory.
            let levels: &[u8] = match t.to_string() == "vivante:gc2000" {
                true if ["crowd.wgsl", "maze.wgsl", "threes.wgsl"].contains(&name.as_str()) => &[],
                true => &[2],
                false => &[0, 2],
            };
            for &level in levels {
                let got = drawn(&ready, exec::on(t), level);
                // Roundings may differ by a step of the format, what an array holds does by more.
                let far = got.iter().zip(&want).position(|(a, b)| a.abs_diff(*b) > 1);
                assert!(far.is_none(), "{name} on {t} -O{level}: byte {far:?}\n{got:?}\n{want:?}");
            }
        }
    });
}
