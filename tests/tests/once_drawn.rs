//! Draws that once gave another picture than the specification asks for. Each pixel is worked out by hand; each place draws it at both ends of the
//! levels, or refuses it by a code of the list.

use gpucc_render::{PreparedScene, Programs, frame};
use gpucc_scene::read::{Language, parse};
use gpucc_scene::{SceneFile, output};
use gpucc_tests::exec::{self, On};
use gpucc_tests::gfx;
use std::path::PathBuf;

fn prepared(text: &str) -> PreparedScene {
    let scene = parse(text, Language::Toml).unwrap_or_else(|e| panic!("{e}\n{text}"));
    PreparedScene::new(SceneFile { scene, name: String::new(), folder: PathBuf::new(), text: None })
        .unwrap_or_else(|f| panic!("{f}\n{text}"))
}

/// The first output of a scene on every place, with the place; how many drew it.
fn everywhere(text: &str, holds: impl Fn(&str, &[u8])) -> usize {
    let ready = prepared(text);
    let scene = &ready.file.scene;
    let machines = crate::drawing::pictures("all:all").into_iter().map(exec::on);
    let mut drawn = 0;
    for on in std::iter::once(On::Interp).chain(machines) {
        for level in [0, 2] {
            let (place, at) = (gfx::place(on, level), format!("{on} -O{level}"));
            let (mut resources, options) = (ready.resources.clone(), frame::Options::default());
            let done = Programs::new(scene, &ready.shaders, place)
                .and_then(|p| frame::run(scene, &ready.shaders, &p, &mut resources, &options, &mut || {}));
            match done {
                Ok(_) => {
                    let bytes = output::bytes(scene, &resources, &scene.outputs[0]).unwrap_or_else(|e| panic!("{e}"));
                    holds(&at, &bytes);
                    drawn += 1;
                }
                Err(f) => assert!(gfx::is_listed(&f, place), "{at}: {f}"),
            }
        }
    }
    drawn
}

/// Vertices of a topology in a picture of 8 x 8 pixels. A pixel is red where it is drawn, green where its depth is a half.
fn vertices(topology: &str, list: &[[f32; 4]]) -> String {
    let words = list.iter().flatten().map(|v| v.to_bits().to_string()).collect::<Vec<_>>().join(", ");
    format!(
        r#"format = "scene-1"
[shaders.s]
wgsl = """
@group(0) @binding(0) var<uniform> u: array<vec4<f32>, {n}>;
@vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4<f32> {{ return u[i]; }}
@fragment fn fs(@builtin(position) p: vec4<f32>) -> @location(0) vec4<f32> {{
  return vec4(1.0, select(0.0, 1.0, abs(p.z - 0.5) < 1e-4), 0.0, 1.0);
}}
"""
[buffers]
u = {{ u32 = [{words}] }}
[textures]
picture = {{ format = "rgba8unorm", size = [8, 8] }}
[pipelines.p]
vertex = {{ shader = "s" }}
fragment = {{ shader = "s", targets = [{{ format = "rgba8unorm" }}] }}
primitive = {{ topology = "{topology}" }}
[[passes]]
type = "render"
colorAttachments = [{{ texture = "picture" }}]
[[passes.draws]]
pipeline = "p"
draw = {{ vertexCount = {n} }}
bindings = [{{ group = 0, binding = 0, buffer = "u" }}]
[[outputs]]
name = "picture"
texture = "picture"
"#,
        n = list.len()
    )
}

/// Rows of a picture: `#` is drawn at a depth of a half, `+` at another, `.` is not drawn.
fn rows(bytes: &[u8]) -> Vec<String> {
    let pixel = |p: &[u8]| match (p[0], p[1]) {
        (0, _) => '.',
        (_, 0) => '+',
        _ => '#',
    };
    bytes.chunks(32).map(|row| row.chunks(4).map(pixel).collect()).collect()
}

/// A vertex at w = 0 is a direction, and what has a small w is far away or at an ordinary place: homogeneous clipping takes all of them.
#[test]
fn vertices_at_infinity_are_clipped() {
    let (left, right) = ([-1.0, -1.0, 0.5, 1.0], [1.0, -1.0, 0.5, 1.0]);
    let all = ["########"; 8];
    let none = ["........"; 8];
    // Inside is where the distance of the middle from 3.5 columns is at most half of (row + 0.5).
    let tent: [&str; 8] =
        ["........", "...++...", "...++...", "..++++..", "..++++..", ".++++++.", ".++++++.", "++++++++"];
    let column = ["....#..."; 8];
    /// A name, a topology, the vertices, and the rows of pixels.
    type Case<'a> = (&'a str, &'a str, &'a [[f32; 4]], [&'a str; 8]);
    let cases: &[Case<'_>] = &[
        // The strip between -1 and 1 above -1, of one depth.
        ("w = 0", "triangle-list", &[left, right, [0.0, 1.0, 0.0, 0.0]], all),
        ("w = -0", "triangle-list", &[left, right, [0.0, 1.0, 0.0, -0.0]], all),
        // Beyond infinity: the strip widens upwards.
        ("w < 0", "triangle-list", &[left, right, [0.0, 1.0, -0.125, -0.25]], all),
        // The corner of a quarter of the plane.
        ("two at w = 0", "triangle-list", &[left, [1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]], all),
        (
            "three at w = 0",
            "triangle-list",
            &[[-1.0, -1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]],
            none,
        ),
        // A vertical line through the middles of column 4, from below the picture.
        ("a line to w = 0", "line-list", &[[0.125, -2.0, 0.5, 1.0], [0.0, 1.0, 0.0, 0.0]], column),
        ("a line to w = -0", "line-list", &[[0.125, -2.0, 0.5, 1.0], [0.0, 1.0, 0.0, -0.0]], column),
    ];
    for (name, topology, list, want) in cases {
        let drawn = everywhere(&vertices(topology, list), |at, bytes| assert_eq!(rows(bytes), want, "{name} on {at}"));
        assert!(drawn > 12, "{name}: {drawn}");
    }
    // At (0, 1) as any other vertex there; of depth 0, so that depth differs by row.
    for w in [1e-4, 1e-5, 1e-6] {
        let list = [left, right, [0.0, w, 0.0, w]];
        let covers = |at: &str, bytes: &[u8]| {
            let got = rows(bytes).iter().map(|r| r.replace('#', "+")).collect::<Vec<_>>();
            assert_eq!(got, tent, "w = {w} on {at}");
        };
        assert!(everywhere(&vertices("triangle-list", &list), covers) > 12);
        // A point of small w at the middle of column 4 and row 3; one at w = 0 is nowhere.
        let points = [[0.125 * w, 0.125 * w, 0.5 * w, w], [0.0, 0.0, 0.0, 0.0]];
        let mut want = none;
        want[3] = "....#...";
        let drawn = everywhere(&vertices("point-list", &points), |at, b| assert_eq!(rows(b), want, "w = {w} on {at}"));
        assert!(drawn > 12);
    }
}

/// The mask of samples that a program sees is from in front of the tests of depth, also where these are in front of the program
/// (`PostDepthCoverage` is what asks for the other). Of four samples depth rises to the right, so that the two on the left pass.
#[test]
fn masks_of_samples_are_those_in_front_of_early_tests() {
    for (attribute, mode) in [("", "late"), ("@early_depth_test(force)", "early")] {
        let text = format!(
            r#"format = "scene-1"
[shaders.s]
wgsl = """
@vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4<f32> {{
  return vec4(select(-1.0, 3.0, i == 1u), select(-1.0, 3.0, i == 2u), select(0.25, 1.0, i == 1u), 1.0);
}}
{attribute} @fragment fn fs(@builtin(sample_mask) m: u32) -> @location(0) vec4<u32> {{ return vec4(m); }}
"""
[shaders.t]
wgsl = """
@group(0) @binding(0) var t: texture_multisampled_2d<u32>;
@vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4<f32> {{
  return vec4(select(-1.0, 3.0, i == 1u), select(-1.0, 3.0, i == 2u), 0.5, 1.0);
}}
@fragment fn fs() -> @location(0) vec4<u32> {{
  return vec4(textureLoad(t, vec2(0), 0).x, textureLoad(t, vec2(0), 1).x, textureLoad(t, vec2(0), 2).x, textureLoad(t, vec2(0), 3).x);
}}
"""
[textures]
many = {{ format = "r8uint", size = [1, 1], sampleCount = 4 }}
depth = {{ format = "depth16unorm", size = [1, 1], sampleCount = 4 }}
picture = {{ format = "rgba8uint", size = [1, 1] }}
[pipelines.p]
vertex = {{ shader = "s" }}
fragment = {{ shader = "s", targets = [{{ format = "r8uint" }}] }}
multisample = {{ count = 4 }}
depthStencil = {{ format = "depth16unorm", depthWriteEnabled = false, depthCompare = "less" }}
[pipelines.q]
vertex = {{ shader = "t" }}
fragment = {{ shader = "t", targets = [{{ format = "rgba8uint" }}] }}
[[passes]]
type = "render"
colorAttachments = [{{ texture = "many" }}]
depthStencilAttachment = {{ texture = "depth", depthClearValue = 0.4375 }}
[[passes.draws]]
pipeline = "p"
draw = {{ vertexCount = 3 }}
[[passes]]
type = "render"
colorAttachments = [{{ texture = "picture" }}]
[[passes.draws]]
pipeline = "q"
draw = {{ vertexCount = 3 }}
bindings = [{{ group = 0, binding = 0, texture = "many" }}]
[[outputs]]
name = "picture"
texture = "picture"
"#
        );
        let drawn = everywhere(&text, |at, bytes| assert_eq!(bytes, [15, 0, 15, 0], "{mode} tests on {at}"));
        assert!(drawn > 4, "{mode}: {drawn}");
    }
}
