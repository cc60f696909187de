//! Tests of shaders that amplify the last bit of an interpolated input, on machines that draw: equal to the bit with the oracle that runs the IR that
//! selection read under their profile.

use gpucc_ir::{Refusal, Stage};
use gpucc_render::compare::{self, Against, Compared};
use gpucc_render::{Place, PreparedScene, Programs, frame};
use gpucc_tests::{exec, gfx, predict};

use super::once_drawn::prepared;

/// Two triangles of which one reaches behind the eye, with w from 0.3 to 4, a line and a point; inputs of each mode at each place.
const VERTICES: &str = "
struct V {
  @builtin(position) p: vec4<f32>,
  @location(0) uv: vec2<f32>,
  @location(1) c: vec4<f32>,
  @location(2) @interpolate(linear) l: vec3<f32>,
  @location(3) @interpolate(perspective, centroid) m: vec2<f32>,
  @location(4) @interpolate(linear, centroid) n: f32,
  @location(5) @interpolate(flat) f: vec2<f32>,
};
@vertex fn vs(@builtin(vertex_index) i: u32) -> V {
  var at = array(vec4(-0.91, -0.93, 0.1, 1.0), vec4(2.7, -2.9, 0.4, 4.0), vec4(-0.2, 0.29, 0.2, 0.3),
                 vec4(0.9, 0.83, 0.9, 1.1), vec4(-0.7, 0.9, 0.5, 1.3), vec4(0.6, -0.3, 0.3, -0.2));
  let p = at[i % 6u];
  let k = f32(i % 6u);
  return V(p, p.xy * 0.5 + 0.5, vec4(0.1 + 0.8 * fract(k * 0.37), 0.9 - 0.1 * k, 0.35, 1e-39 * k),
           vec3(k * 0.31, 1.0 - k * 0.17, 1e20 * k), vec2(k * 0.7, 3.3 - k), k * 0.77, vec2(k, -0.0));
}
";

/// Of each: the body of `fs(v: V)`, whose result is four words.
const FRAGMENTS: &[(&str, &str)] = &[
    ("perspective", "return bitcast<vec4<u32>>(v.c);"),
    ("two perspectives", "return bitcast<vec4<u32>>(vec4(v.uv, v.c.xy));"),
    ("linear", "return bitcast<vec4<u32>>(vec4(v.l, v.n));"),
    ("centroid", "return bitcast<vec4<u32>>(vec4(v.m, v.n, v.uv.x));"),
    ("flat", "return bitcast<vec4<u32>>(vec4(v.f, v.uv));"),
    ("position", "return bitcast<vec4<u32>>(v.p);"),
    ("fract", "return bitcast<vec4<u32>>(vec4(fract(v.uv * 32.0), fract(v.c.xy * 1000.0)));"),
    ("floor", "return vec4<u32>(vec4<i32>(floor(vec4(v.uv * 32.0, v.l.xy * 64.0))));"),
    ("derivative", "return bitcast<vec4<u32>>(vec4(dpdx(v.uv * v.uv), dpdyFine(v.l.xy)));"),
    ("nearest", "return bitcast<vec4<u32>>(textureSample(t, s, v.uv * 3.0));"),
    ("nearest of linear", "return bitcast<vec4<u32>>(textureSample(t, s, v.l.xy * 2.0));"),
    (
        "lit",
        "let n = normalize(v.c.xyz - 0.5); return bitcast<vec4<u32>>(vec4(pow(max(dot(n, normalize(vec3(0.3, v.uv))), 0.0), 40.0) * n, v.p.w));",
    ),
];

/// A frame of 48x40 pixels with so many samples. A program that runs for each sample interpolates at samples. What it makes goes to a
/// buffer, since words have no resolve.
///
/// Where programs have no buffers to write to, the target has the words, or of several samples the low bytes alone. Where they have no
/// centroids with several samples, those inputs are of the middle.
fn scene(body: &str, topology: &str, (samples, each): (u32, bool), [buffers, centroids]: [bool; 2]) -> String {
    let (input, at) = if each { (", @builtin(sample_index) at: u32", "at") } else { ("", "0u") };
    let place = if each {
        "sample"
    } else if centroids || samples == 1 {
        "centroid"
    } else {
        "center"
    };
    let vertices = VERTICES.replace("centroid", place);
    if !buffers {
        let whole = samples == 1;
        let (ty, give, other) = if whole {
            ("u32", "w", "vec4<u32>(textureSampleLevel(t, s, v.uv, 0.0))")
        } else {
            ("f32", "vec4<f32>(w & vec4(255u)) / 255.0", "textureSampleLevel(t, s, v.uv, 0.0)")
        };
        let fragment = format!(
            "fn words(v: V) -> vec4<u32> {{ {body} }}
@fragment fn fs(v: V{input}) -> @location(0) vec4<{ty}> {{
  let w = words(v);
  if textureDimensions(t).x == {at} {{ return {other}; }}
  return {give};
}}"
        );
        let frame = without_buffer(&frame_of(&format!("{vertices}{fragment}"), topology, samples));
        let plain = ["picture = { format = \"rgba8unorm\"", "targets = [{ format = \"rgba8unorm\""];
        return if whole {
            plain.iter().fold(frame, |f, p| f.replace(p, &p.replace("rgba8unorm", "rgba32uint")))
        } else {
            frame
        };
    }
    let fragment = format!(
        "fn words(v: V) -> vec4<u32> {{ {body} }}
@fragment fn fs(v: V{input}) -> @location(0) vec4<f32> {{
  let w = words(v);
  if textureDimensions(t).x == 0u {{ return textureSampleLevel(t, s, v.uv, 0.0); }}
  out[(u32(v.p.y) * 48u + u32(v.p.x)) * 4u + {at}] = w;
  return vec4<f32>(w & vec4(255u)) / 255.0;
}}"
    );
    frame_of(&format!("{vertices}{fragment}"), topology, samples)
}

/// A frame without the buffer that programs write to.
fn without_buffer(frame: &str) -> String {
    let declared = |l: &&str| !l.contains("var<storage, read_write> out") && !l.starts_with("out = ");
    let frame = frame.lines().filter(declared).collect::<Vec<_>>().join("\n");
    frame
        .replace(", { group = 0, binding = 2, buffer = \"out\" }", "")
        .replace("[[outputs]]\nname = \"words\"\nbuffer = \"out\"\n", "")
}

/// The frame of a shader with `vs` and `fs`.
fn frame_of(shader: &str, topology: &str, samples: u32) -> String {
    let resolved = if samples > 1 { "resolveTarget = { texture = \"picture\" }" } else { "" };
    let drawn = if samples > 1 { "many" } else { "picture" };
    format!(
        r#"format = "scene-1"
[shaders.s]
wgsl = """
diagnostic(off, derivative_uniformity);
@group(0) @binding(0) var t: texture_2d<f32>;
@group(0) @binding(1) var s: sampler;
@group(0) @binding(2) var<storage, read_write> out: array<vec4<u32>>;
{shader}
"""
[buffers]
out = {{ size = {bytes} }}
[textures]
picture = {{ format = "rgba8unorm", size = [48, 40] }}
many = {{ format = "rgba8unorm", size = [48, 40], sampleCount = {samples} }}
noise = {{ format = "rgba8unorm", size = [32, 32], contents = {{ generator = {{ name = "noise", seed = 7 }} }} }}
[samplers]
near = {{ addressModeU = "repeat", addressModeV = "repeat" }}
[pipelines.p]
vertex = {{ shader = "s" }}
fragment = {{ shader = "s", targets = [{{ format = "rgba8unorm" }}] }}
primitive = {{ topology = "{topology}" }}
multisample = {{ count = {samples} }}
[[passes]]
type = "render"
[[passes.colorAttachments]]
texture = "{drawn}"
{resolved}
[[passes.draws]]
pipeline = "p"
draw = {{ vertexCount = 6 }}
bindings = [ {{ group = 0, binding = 0, texture = "noise" }}, {{ group = 0, binding = 1, sampler = "near" }}, {{ group = 0, binding = 2, buffer = "out" }} ]
[[outputs]]
name = "words"
buffer = "out"
[[outputs]]
name = "picture"
texture = "picture"
"#,
        bytes = 48 * 40 * 4 * 16,
    )
}

/// The oracle's objection to a place; nothing is compared where the target lacks by the list what it takes.
fn differs(ready: &PreparedScene, place: Place) -> Result<Option<Compared>, String> {
    let options = frame::Options::default();
    let (scene, mut got) = (&ready.file.scene, ready.resources.clone());
    let programs = match Programs::new(scene, &ready.shaders, place) {
        Ok(p) => p,
        Err(f) if gfx::is_listed(&f, place) => return Ok(None),
        Err(f) => return Err(f.to_string()),
    };
    let report =
        frame::run(scene, &ready.shaders, &programs, &mut got, &options, &mut || {}).map_err(|f| f.to_string())?;
    let verdict = compare::check(ready, (&programs, place), (&got, &report), Against::Lowered, &options);
    verdict.map(Some).map_err(|v| format!("{v:?}"))
}

#[test]
fn the_last_bit_of_what_is_interpolated_is_the_machines() {
    let draws: Vec<_> = crate::draws::drawing::pictures("all:all").into_iter().map(exec::on).collect();
    let has = |on| {
        [Refusal::StorageBuffers, Refusal::Centroids].map(|code| !predict::documented_in(on, Stage::Fragment, code))
    };
    let mut wrong = Vec::new();
    for (name, body) in FRAGMENTS {
        for (topology, samples) in [
            ("triangle-list", (1, false)),
            ("triangle-list", (4, false)),
            ("triangle-list", (4, true)),
            ("line-list", (1, false)),
            ("point-list", (1, false)),
        ] {
            let kinds = [[true, true], [true, false], [false, true]];
            let scenes = kinds.map(|kind| (kind, prepared(&scene(body, topology, samples, kind))));
            for (k, &on) in draws.iter().enumerate() {
                let level = [0, 2, 3][k % 3];
                let (_, ready) = scenes.iter().find(|(kind, _)| *kind == has(on)).expect("a scene of the kind");
                match differs(ready, gfx::place(on, level)) {
                    // Programs for each sample are what a chip may lack.
                    Ok(compared) if compared.is_some() || samples.1 => {}
                    Ok(_) => wrong.push(format!("{name}, {topology}, {samples:?} on {on} -O{level}: refused")),
                    Err(why) => wrong.push(format!("{name}, {topology}, {samples:?} on {on} -O{level}: {why}")),
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Programs that sample or take a difference where lanes of a quad have left; of each the body of `fs(v: V)`.
const LEFT: &[(&str, &str)] = &[
    (
        "break",
        "var c = vec4(0.0); var q = v.p.xy * 0.013;
        for (var i = 0; i < 8; i++) { if f32(i) > v.p.x * 0.2 { break; } q = q * 1.1; let z = q.yx + 0.1; c += textureSample(t, s, z) * 0.2; }
        return c;",
    ),
    (
        "continue",
        "var c = vec4(0.0);
        for (var i = 0; i < 5; i++) { if (i32(v.p.x) + i) % 3 == 0 { continue; } let z = v.p.yx * 0.02 * f32(i + 1); c += textureSampleBias(t, s, z, 0.5) * 0.2; }
        return c;",
    ),
    (
        "branch",
        "var c = vec4(0.1); if fract(v.p.x * 0.19) > 0.4 { let z = v.p.xy * 0.07; c = textureSample(t, s, z * z); } return c;",
    ),
    (
        "switch",
        "var c = vec4(0.1);
        switch i32(v.p.x) % 3 { case 0: { c = textureSample(t, s, v.p.yx * 0.03); } case 1: { c = vec4(0.5); } default: { c = textureSample(t, s, v.p.xx * 0.05) * 0.5; } }
        return c;",
    ),
    (
        "difference",
        "var c = 0.0; var q = v.p.x * 0.013;
        for (var i = 0; i < 8; i++) { if f32(i) > v.p.x * 0.2 { break; } q = q * 1.1; let z = q * q; c += abs(dpdx(z)) + abs(dpdyFine(z + v.p.y)); }
        return vec4(fract(c));",
    ),
    (
        "return",
        "if fract(v.p.x * 0.19) > 0.4 { return vec4(0.3); } let z = v.p.xy * 0.07; return textureSample(t, s, z * z);",
    ),
];

#[test]
fn lanes_that_left_leave_their_quad_open() {
    let draws: Vec<_> = crate::draws::drawing::pictures("all:all").into_iter().map(exec::on).collect();
    let mut wrong = Vec::new();
    for (name, body) in LEFT {
        let shader = format!("{VERTICES}@fragment fn fs(v: V) -> @location(0) vec4<f32> {{ {body} }}");
        let frame = without_buffer(&frame_of(&shader, "triangle-list", 1));
        let ready = prepared(&frame);
        for &on in &draws {
            for level in [0, 2] {
                match differs(&ready, gfx::place(on, level)) {
                    Ok(Some(compared)) if compared.open > 0 => {}
                    Ok(_) => wrong.push(format!("{name} on {on} -O{level}: no quad is open")),
                    Err(why) => wrong.push(format!("{name} on {on} -O{level}: {why}")),
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Fractions that are loaded from images: how code makes them of codes is the machine's, on every generation.
#[test]
fn fractions_of_images_are_the_machines() {
    let mut wrong = Vec::new();
    for format in ["rgba8unorm", "rgba8snorm"] {
        let ready = prepared(&format!(
            r#"format = "scene-1"
[shaders.m]
wgsl = """
@group(0) @binding(0) var t: texture_storage_2d<{format}, read>;
@group(0) @binding(1) var<storage, read_write> o: array<vec4<f32>>;
@compute @workgroup_size(16, 4) fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
  o[id.y * 16u + id.x] = textureLoad(t, id.xy);
}}
"""
[textures]
t = {{ format = "{format}", size = [16, 4], contents = {{ generator = {{ name = "noise", seed = 7 }} }} }}
[buffers]
o = {{ size = 1024 }}
[pipelines.p]
compute = {{ shader = "m" }}
[[passes]]
type = "compute"
pipeline = "p"
dispatch = [1, 1, 1]
bindings = [ {{ group = 0, binding = 0, texture = "t" }}, {{ group = 0, binding = 1, buffer = "o" }} ]
[[outputs]]
name = "words"
buffer = "o"
"#
        ));
        for on in exec::targets("all:all").into_iter().map(exec::on) {
            if let Err(why) = differs(&ready, gfx::place(on, 2)) {
                wrong.push(format!("{format} on {on}: {why}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
