//! Draws that once gave another picture than the specification asks for. Each pixel is worked out by hand; each place draws it at both ends of the
//! levels, or refuses it by a code of the list.

use gpucc_glsl::{need, scratch};
use gpucc_render::compare::{self, Against};
use gpucc_render::{PreparedScene, Programs, frame};
use gpucc_scene::read::{Language, parse};
use gpucc_scene::{SceneFile, output};
use gpucc_tests::exec::{self, On};
use gpucc_tests::gfx;

use super::one_draw::{self, OneDraw, TRIANGLE};

/// A scene whose files lie where those of this test program do.
pub fn prepared(text: &str) -> PreparedScene {
    let scene = parse(text, Language::Toml).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let folder = scratch("").components().as_path().to_path_buf();
    PreparedScene::new(SceneFile { scene, name: String::new(), folder, text: None })
        .unwrap_or_else(|f| panic!("{f}\n{text}"))
}

/// The first output of a scene on every place, with the place; how many drew it.
pub fn everywhere(text: &str, holds: impl Fn(&str, &[u8])) -> usize {
    let ready = prepared(text);
    let machines = crate::draws::drawing::pictures("all:all").into_iter().map(exec::on);
    let mut drawn = 0;
    for on in std::iter::once(On::Interp).chain(machines) {
        for level in [0, 2] {
            let (place, at) = (gfx::place(on, level), format!("{on} -O{level}"));
            match one_draw::drawn(&ready, on, level) {
                Ok(bytes) => {
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
    let n = list.len() as u32;
    let wgsl = format!(
        "@group(0) @binding(0) var<uniform> u: array<vec4<f32>, {n}>;
@vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4<f32> {{ return u[i]; }}
@fragment fn fs(@builtin(position) p: vec4<f32>) -> @location(0) vec4<f32> {{
  return vec4(1.0, select(0.0, 1.0, abs(p.z - 0.5) < 1e-4), 0.0, 1.0);
}}"
    );
    OneDraw {
        wgsl,
        tables: format!("[buffers]\nu = {{ u32 = [{words}] }}"),
        pipeline: format!("primitive = {{ topology = \"{topology}\" }}"),
        draw: "bindings = [{ group = 0, binding = 0, buffer = \"u\" }]".into(),
        vertices: n,
        ..OneDraw::default()
    }
    .text()
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

/// The SPIR-V of a shader of GLSL, under this name in the folder of the scenes.
fn glsl(stage: &str, name: &str, source: &str) {
    let module = gpucc_glsl::module(&format!("{name}.{stage}"), "vulkan1.1", &format!("#version 450\n{source}"));
    std::fs::write(scratch(&format!("{name}.spv")), module).expect("a file");
}

/// Vulkan loads and stores images of formats that WebGPU has one access for, and does not ask for `readonly` where code only loads.
#[test]
fn images_are_bound_by_what_code_does() {
    need!("glslangValidator");
    let formats = [("rg32f", "rg32float"), ("rgba16f", "rgba16float"), ("rg16f", "rg16float"), ("rgba8", "rgba8unorm")];
    for (qualifier, format) in formats {
        let name = format!("image-{qualifier}");
        let source = format!(
            "layout(local_size_x = 1) in;
             layout(set = 0, binding = 0, {qualifier}) uniform image2D a;
             layout(set = 0, binding = 1, {qualifier}) uniform image2D b;
             layout(set = 0, binding = 2, std430) buffer O {{ vec4 o; }};
             void main() {{
               imageStore(b, ivec2(0), imageLoad(a, ivec2(1, 0)) + imageLoad(b, ivec2(0)));
               o = imageLoad(b, ivec2(0));
             }}"
        );
        glsl("comp", &name, &source);
        // Texel 1 of both has the red of 64 of 255; stored and loaded again where the sum is 128 of 255, or a half.
        let text = format!(
            r#"format = "scene-1"
[shaders.s]
file = "{name}.spv"
[textures]
a = {{ format = "{format}", size = [2, 1], contents = {{ generator = {{ name = "solid", a = [64, 64, 64, 64] }} }} }}
b = {{ format = "{format}", size = [2, 1], contents = {{ generator = {{ name = "solid", a = [64, 64, 64, 64] }} }} }}
[buffers]
o = {{ size = 16 }}
[pipelines.p]
compute = {{ shader = "s" }}
[[passes]]
type = "compute"
pipeline = "p"
dispatch = [1, 1, 1]
bindings = [
  {{ group = 0, binding = 0, texture = "a" }}, {{ group = 0, binding = 1, texture = "b" }},
  {{ group = 0, binding = 2, buffer = "o" }},
]
[[outputs]]
name = "o"
buffer = "o"
"#
        );
        let want = if format == "rgba8unorm" { 128.0 / 255.0 } else { 0.5 };
        let drawn = everywhere(&text, |at, bytes| {
            let red = f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
            assert!((red - want).abs() < 1e-3, "{format} on {at}: {red}");
        });
        assert!(drawn > 2, "{format}: {drawn}");
    }
}

/// An output may have fewer components than its target in Vulkan; those that are missing may be anything.
#[test]
fn outputs_with_fewer_components_than_their_target() {
    need!("glslangValidator");
    glsl(
        "vert",
        "fewer-vs",
        "void main() { gl_Position = vec4(gl_VertexIndex == 1 ? 3.0 : -1.0, gl_VertexIndex == 2 ? 3.0 : -1.0, 0.5, 1.0); }",
    );
    for (count, ty, value) in [(1, "float", "1.0"), (2, "vec2", "vec2(1.0, 0.2)"), (3, "vec3", "vec3(1.0, 0.2, 0.4)")] {
        let name = format!("fewer-{count}");
        glsl("frag", &name, &format!("layout(location = 0) out {ty} c; void main() {{ c = {value}; }}"));
        let files = Some(["fewer-vs.spv", &format!("{name}.spv")]);
        let text = OneDraw { files, picture: ("rgba8unorm", [2, 2]), ..OneDraw::default() }.text();
        // What is missing is open. Places are compared with each other, so it is 0, and 1 for alpha, everywhere.
        let mut want = [0, 0, 0, 255];
        want[..count].copy_from_slice(&[255, 51, 102][..count]);
        let drawn = everywhere(&text, |at, bytes| {
            assert!(bytes.chunks(4).all(|p| p == want), "{ty} on {at}: {bytes:?}");
        });
        assert!(drawn > 12, "{ty}: {drawn}");
    }
}

/// What a sampler gives for an operand that is NaN is open for every operand: coordinates of any dimension, levels, biases, gradients, references.
#[test]
fn operands_of_samplers_that_are_nan_decide_nothing() {
    let reads = [
        "textureSampleLevel(t, s, vec2(n, 0.3), 0.0)",
        "textureSampleLevel(t, s, vec2(0.3), n)",
        "textureSampleBias(t, s, p.xy * 0.3, n)",
        "textureSampleGrad(t, s, vec2(0.3), vec2(n, 0.1), vec2(0.1))",
        "textureSampleLevel(c, s, vec3(n, 0.5, 0.2), 0.0)",
        "textureSampleLevel(c, s, vec3(1.0, 0.5, 0.2), n)",
        "textureSample(c, s, vec3(p.x, n, 0.2))",
        "textureSampleLevel(v, s, vec3(0.2, 0.5, n), 0.0)",
        "textureSampleLevel(a, s, vec2(0.3, n), 1, 0.0)",
        "vec4(textureSampleCompareLevel(d, k, vec2(0.3), n))",
        "vec4(textureSampleCompareLevel(d, k, vec2(0.3, n), 0.5))",
        "textureGather(0, t, s, vec2(n, 0.4))",
    ];
    let textures = [("t", "2d", 1), ("c", "2d", 6), ("v", "3d", 8), ("a", "2d", 2)];
    let mut wrong = Vec::new();
    for read in reads {
        let noise = textures.map(|(name, dimension, depth)| {
            let levels = if dimension == "3d" { 1 } else { 4 };
            format!("{name} = {{ format = \"rgba8unorm\", size = [8, 8, {depth}], dimension = \"{dimension}\", mipLevelCount = {levels}, contents = {{ generator = {{ name = \"noise\", seed = 7 }} }} }}\n")
        });
        let (name, depth) = (read.split_once('(').expect("a call").1, read.contains("(d,"));
        let used = if depth { 'd' } else { name.trim_start_matches("0, ").chars().next().expect("a texture") };
        let bound = |n: u32, name: &str, more: &str| format!("{{ group = 0, binding = {n}, {name}{more} }}");
        let binding = match used {
            't' => bound(1, "texture = \"t\"", ""),
            'c' => bound(2, "texture = \"c\"", ", dimension = \"cube\""),
            'v' => bound(3, "texture = \"v\"", ""),
            'a' => bound(4, "texture = \"a\"", ", dimension = \"2d-array\""),
            _ => bound(5, "texture = \"d\"", ""),
        };
        let sampler = if depth { bound(7, "sampler = \"k\"", "") } else { bound(6, "sampler = \"s\"", "") };
        let wgsl = format!(
            "@group(0) @binding(0) var<uniform> u: vec4<u32>;
@group(0) @binding(1) var t: texture_2d<f32>;
@group(0) @binding(2) var c: texture_cube<f32>;
@group(0) @binding(3) var v: texture_3d<f32>;
@group(0) @binding(4) var a: texture_2d_array<f32>;
@group(0) @binding(5) var d: texture_depth_2d;
@group(0) @binding(6) var s: sampler;
@group(0) @binding(7) var k: sampler_comparison;
{TRIANGLE}@fragment fn fs(@builtin(position) p: vec4<f32>) -> @location(0) vec4<f32> {{
  let n = bitcast<f32>(u.x);
  return {read};
}}"
        );
        let textures = format!(
            r#"d = {{ format = "depth16unorm", size = [8, 8], contents = {{ generator = {{ name = "noise", seed = 7 }} }} }}
{}
[samplers]
s = {{ magFilter = "linear", minFilter = "linear", mipmapFilter = "linear", addressModeU = "repeat" }}
k = {{ compare = "less" }}"#,
            noise.concat()
        );
        let text = OneDraw {
            wgsl,
            tables: "[buffers]\nu = { u32 = [2143289344, 0, 0, 0] }".into(),
            picture: ("rgba8unorm", [4, 4]),
            textures,
            draw: format!("bindings = [{{ group = 0, binding = 0, buffer = \"u\" }}, {binding}, {sampler}]"),
            ..OneDraw::default()
        }
        .text();
        let (ready, options) = (prepared(&text), frame::Options::default());
        let scene = &ready.file.scene;
        for on in crate::draws::drawing::pictures("all:all").into_iter().map(exec::on) {
            let place = gfx::place(on, 2);
            let mut got = ready.resources.clone();
            let programs = match Programs::new(scene, &ready.shaders, place) {
                Ok(p) => p,
                Err(f) if gfx::is_listed(&f, place) => continue,
                Err(f) => panic!("{read} on {on}: {f}"),
            };
            let report = frame::run(scene, &ready.shaders, &programs, &mut got, &options, &mut || {})
                .unwrap_or_else(|f| panic!("{read} on {on}: {f}"));
            if let Err(v) = compare::check(&ready, (&programs, place), (&got, &report), Against::Lowered, &options) {
                wrong.push(format!("{read} on {on}: {v:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Vulkan clamps factors of signed fractions: 1 - (-1) is 1. Of codes 64 - 32 * 1 is 32; unclamped it would be 0.
#[test]
fn factors_of_signed_fractions_are_clamped() {
    let text = r#"format = "scene-1"
[shaders.s]
wgsl = """
@vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4<f32> {
  return vec4(select(-1.0, 3.0, i == 1u), select(-1.0, 3.0, i == 2u), 0.5, 1.0);
}
@fragment fn fs() -> @location(0) vec4<f32> { return vec4(64.0, 64.0, 64.0, -127.0) / 127.0; }
"""
[textures]
picture = { format = "rgba8snorm", size = [1, 1], contents = { hex = "e0e0e0e0" } }
[pipelines.p]
vertex = { shader = "s" }
[pipelines.p.fragment]
shader = "s"
targets = [{ format = "rgba8snorm", blend = { color = { srcFactor = "one", dstFactor = "one-minus-src-alpha" }, alpha = { srcFactor = "one", dstFactor = "zero" } } }]
[[passes]]
type = "render"
colorAttachments = [{ texture = "picture", loadOp = "load" }]
[[passes.draws]]
pipeline = "p"
draw = { vertexCount = 3 }
[[outputs]]
name = "picture"
texture = "picture"
"#;
    let drawn = everywhere(text, |at, bytes| assert_eq!(bytes, [32, 32, 32, 0x81], "on {at}"));
    assert!(drawn > 6, "{drawn}");
}

/// Every vertex format on every generation gives what the oracle's fetch gives, within a code of eight bits; the packed one with signs, which not every
/// chip fetches by itself, what the specification says: a code over 511, or over 1, and -1 for what is less.
#[test]
fn every_vertex_format_is_fetched() {
    use gpucc_pipeline::{Base, Code, VertexFormat};
    for &format in VertexFormat::ALL {
        let (code, bits, count) = format.row();
        let bytes = match (code, bits) {
            (Code::Float, 32) => "0000803e 000000bf 0000403f 0000803f".repeat(3),
            (Code::Float, _) => "0034 00b8 003a 003c 0038 0030".repeat(4),
            _ => "0002f0bf 00fe1f40 81c37f05 e0120480".repeat(3),
        };
        let bytes: String = bytes.split(' ').collect();
        let (ty, give) = match format.base() {
            Base::Uint => ("u32", "vec4<f32>(a & MASK) / 255.0"),
            Base::Sint => ("i32", "vec4<f32>(a & MASK) / 255.0"),
            _ => ("f32", "a * 0.5 + 0.5"),
        };
        let give = give.replace("MASK", &format!("vec4<{ty}>(255)"));
        let stride = format.bytes().next_multiple_of(4);
        let name = format.name();
        let attributes = format!("[{{ shaderLocation = 0, format = \"{name}\", offset = 0 }}]");
        let wgsl = format!(
            "struct V {{ @builtin(position) p: vec4<f32>, @location(0) @interpolate(flat) c: vec4<f32> }}
@vertex fn vs(@builtin(vertex_index) i: u32, @location(0) a: vec4<{ty}>) -> V {{
  return V(vec4(f32(i) * 0.5 - 0.75, 0.0, 0.5, 1.0), {give});
}}
@fragment fn fs(v: V) -> @location(0) vec4<f32> {{ return v.c; }}"
        );
        let text = OneDraw {
            wgsl,
            tables: format!("[buffers]\nb = {{ hex = \"{bytes}\" }}"),
            picture: ("rgba8unorm", [4, 1]),
            vertex: format!(", buffers = [{{ arrayStride = {stride}, attributes = {attributes} }}]"),
            pipeline: "primitive = { topology = \"point-list\" }".into(),
            draw: "vertexBuffers = [{ buffer = \"b\" }]".into(),
            vertices: (bytes.len() as u32 / 2 / stride).min(4),
            ..OneDraw::default()
        }
        .text();
        let mut want: Option<Vec<u8>> = None;
        let drawn = std::cell::Cell::new(0);
        let compared = std::cell::RefCell::new(&mut want);
        everywhere(&text, |at, bytes| {
            let mut want = compared.borrow_mut();
            let want = want.get_or_insert_with(|| bytes.to_vec());
            let near = bytes.iter().zip(want.iter()).all(|(a, b)| a.abs_diff(*b) <= 1);
            assert!(near, "{} of {count} on {at}: {bytes:?}, not {want:?}", format.name());
            drawn.set(drawn.get() + 1);
        });
        assert!(drawn.get() == 26, "{}: drawn {} times", format.name(), drawn.get());
        if format == VertexFormat::Snorm10_10_10_2 {
            // 0xbff00200: -512, 0, -1 and -2 of 2 bits. 0x401ffe00: -512, -1 (0x3ff), 1 and 1.
            let code = |v: f32| ((v * 0.5 + 0.5) * 255.0).round() as u8;
            let by_hand = [-1.0, 0.0, -1.0 / 511.0, -1.0, -1.0, -1.0 / 511.0, 1.0 / 511.0, 1.0].map(code);
            let got = &want.expect("it was drawn")[..8];
            assert!(got.iter().zip(&by_hand).all(|(a, b)| a.abs_diff(*b) <= 1), "{got:?} for {by_hand:?}");
        }
    }
}

/// Lanes behind `OpTerminateInvocation` and `OpKill` take no part in what others compute together, though they go on as helpers for derivatives.
#[test]
fn lanes_that_ended_are_not_counted() {
    need!("glslangValidator");
    glsl(
        "vert",
        "ended-vs",
        "void main() { gl_Position = vec4(gl_VertexIndex == 1 ? 3.0 : -1.0, gl_VertexIndex == 2 ? 3.0 : -1.0, 0.5, 1.0); }",
    );
    // Red: that one of the ended lanes is seen by a vote. Green: by a sum. Blue: the change to the right of four times the column, over 255.
    let looks = "float d = dFdxFine(4.0 * gl_FragCoord.x) / 255.0;
        c = vec4(subgroupAny(out_) ? 1.0 : 0.0, float(subgroupAdd(out_ ? 1u : 0u)), d, subgroupAll(!out_) ? 1.0 : 0.0);";
    let out_ = "bool out_ = int(gl_FragCoord.x) == 1 && int(gl_FragCoord.y) == 2;";
    let forms = [
        ("branch", format!("void main() {{ {out_} if (out_) END; {looks} }}")),
        ("loop", format!("void main() {{ {out_} for (int k = 0; k < 3; k++) {{ if (out_ && k == 1) END; }} {looks} }}")),
        ("call", format!("void f(bool b) {{ if (b) END; }} void main() {{ {out_} f(out_); {looks} }}")),
        (
            "asked",
            format!(
                "bool any_(bool b) {{ return subgroupAny(b); }}
                 void main() {{ {out_} if (out_) {{ if (gl_FragCoord.x < 2.0) END; }} {looks} c.x = any_(out_) ? 1.0 : 0.0; }}"
            ),
        ),
    ];
    for (form, body) in forms {
        for end in ["terminateInvocation", "discard"] {
            let name = format!("ended-{form}-{end}");
            let source = format!(
                "#extension GL_EXT_terminate_invocation : require
                 #extension GL_KHR_shader_subgroup_vote : require
                 #extension GL_KHR_shader_subgroup_arithmetic : require
                 layout(location = 0) out vec4 c;
                 {}",
                body.replace("END", end)
            );
            glsl("frag", &name, &source);
            let (files, picture) = (Some(["ended-vs.spv", &format!("{name}.spv")]), ("rgba8unorm", [4, 4]));
            let text =
                OneDraw { files, picture, attachment: ", clearValue = [1, 1, 1, 1]", ..OneDraw::default() }.text();
            let drawn = everywhere(&text, |at, bytes| {
                for (k, pixel) in bytes.chunks(4).enumerate() {
                    let mut want = if k == 9 { [255; 4] } else { [0, 0, 4, 255] };
                    // The neighbour of one that ended has a slope that no one promises.
                    want[2] = if k == 8 { pixel[2] } else { want[2] };
                    assert_eq!(pixel, want, "pixel {k} of {form}, {end} on {at}");
                }
            });
            // Machines refuse operations between lanes of fragments.
            assert!(drawn > 1, "{form}: {drawn}");
        }
    }
}

/// Numbers of 1 at all vertices are 1 at every sample, whatever the 1/w of the vertices. GCN divides by the 1/w of the sample, as the specifications
/// say; the oracle by that of the centre, as recorded results do, which lies below 1 at some samples: a whole number made of it is 0 there.
#[test]
fn whole_numbers_of_inputs_at_samples() {
    let text = r#"format = "scene-1"
[shaders.s]
wgsl = """
struct V { @builtin(position) p: vec4<f32>, @location(0) @interpolate(perspective, sample) one: f32 }
@vertex fn vs(@builtin(vertex_index) i: u32) -> V {
  let w = f32(i) * 3.0 + 1.0;
  return V(vec4(vec2(f32(i & 1u) * 4.0 - 1.0, f32(i >> 1u) * 4.0 - 1.0) * w, 0.5 * w, w), 1.0);
}
@fragment fn fs(v: V) -> @location(0) vec4<f32> { return vec4(f32(i32(v.one)), 0.0, 0.0, 1.0); }
"""
[textures]
samples = { format = "rgba8unorm", size = [8, 8], sampleCount = 4 }
picture = { format = "rgba8unorm", size = [8, 8] }
[pipelines.p]
vertex = { shader = "s" }
fragment = { shader = "s", targets = [{ format = "rgba8unorm" }] }
multisample = { count = 4 }
[[passes]]
type = "render"
colorAttachments = [{ texture = "samples", resolveTarget = { texture = "picture" } }]
[[passes.draws]]
pipeline = "p"
draw = { vertexCount = 3 }
[[outputs]]
name = "picture"
texture = "picture"
"#;
    let (ready, options) = (prepared(text), frame::Options::default());
    let mut drawn = 0;
    for on in
        crate::draws::drawing::pictures("all:all").into_iter().map(exec::on).filter(|on| on.to_string().contains("gcn"))
    {
        let place = gfx::place(on, 2);
        let programs = Programs::new(&ready.file.scene, &ready.shaders, place).unwrap_or_else(|f| panic!("{on}: {f}"));
        let mut got = ready.resources.clone();
        let report = frame::run(&ready.file.scene, &ready.shaders, &programs, &mut got, &options, &mut || {})
            .unwrap_or_else(|f| panic!("{on}: {f}"));
        let bytes =
            output::bytes(&ready.file.scene, &got, &ready.file.scene.outputs[0]).unwrap_or_else(|e| panic!("{e}"));
        assert!(bytes.chunks(4).all(|p| p == [255, 0, 0, 255]), "{on}: {bytes:?}");
        for against in [Against::Lowered, Against::Source] {
            compare::check(&ready, (&programs, place), (&got, &report), against, &options)
                .unwrap_or_else(|v| panic!("{on} {against:?}: {v:?}"));
        }
        drawn += 1;
    }
    assert_eq!(drawn, 3);
}
