//! Each rule of the validation that needs compiled shaders, with a scene that breaks it.

use std::path::PathBuf;

use gpucc_render::{Failure, Ready};
use gpucc_scene::SceneFile;
use gpucc_scene::read::{self, Language};

const SCENE: &str = r#"
format = "scene-1"
shaders.m.wgsl = """
override scale: f32 = 1.0;
@id(7) override other: f32 = 1.0;
struct V { @builtin(position) p: vec4<f32>, @location(0) uv: vec2<f32>, @location(1) @interpolate(flat) id: u32 }
@vertex fn vs(@location(0) p: vec2<f32>, @location(1) n: u32) -> V { return V(vec4<f32>(p, 0.0, scale * other), p, n); }
@group(0) @binding(0) var t: texture_2d<f32>;
@group(0) @binding(1) var s: sampler;
@group(0) @binding(2) var<uniform> u: vec4<f32>;
@fragment fn fs(v: V) -> @location(0) vec4<f32> { return textureSample(t, s, v.uv) + u + f32(v.id); }
"""
shaders.c.wgsl = """
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@group(0) @binding(1) var i: texture_storage_2d<rgba8unorm, write>;
@group(0) @binding(2) var d: texture_depth_2d;
@group(0) @binding(3) var s: sampler_comparison;
@group(0) @binding(4) var m: texture_multisampled_2d<f32>;
@compute @workgroup_size(1) fn main() {
    o[0] = u32(textureSampleCompareLevel(d, s, vec2<f32>(), 0.5) + textureLoad(m, vec2<i32>(), 0).x);
    textureStore(i, vec2<i32>(), vec4<f32>());
}
"""
[textures]
tiles = { format = "rgba8unorm", size = [4, 4] }
picture = { format = "rgba8unorm", size = [4, 4] }
image = { format = "rgba8unorm", size = [4, 4] }
depth = { format = "depth32float", size = [4, 4] }
many = { format = "rgba8unorm", size = [4, 4], sampleCount = 4 }
[samplers]
plain = {}
compares = { compare = "less" }
[buffers]
vertices = { size = 64 }
words = { size = 64 }
[pipelines.p]
vertex = { shader = "m", constants = {}, buffers = [ { arrayStride = 12, attributes = [ { shaderLocation = 0, format = "float32x2", offset = 0 }, { shaderLocation = 1, format = "uint32", offset = 8 } ] } ] }
fragment = { shader = "m", targets = [ { format = "rgba8unorm" } ] }
[pipelines.c]
compute = { shader = "c" }
[[passes]]
type = "render"
colorAttachments = [ { texture = "picture" } ]
[[passes.draws]]
pipeline = "p"
bindings = [ { binding = 0, texture = "tiles" }, { binding = 1, sampler = "plain" }, { binding = 2, buffer = "words", size = 16 } ]
vertexBuffers = [ { buffer = "vertices" } ]
draw = { vertexCount = 3 }
[[passes]]
type = "compute"
pipeline = "c"
dispatch = [1]
bindings = [ { binding = 0, buffer = "words" }, { binding = 1, texture = "image" }, { binding = 2, texture = "depth" }, { binding = 3, sampler = "compares" }, { binding = 4, texture = "many" } ]
"#;

fn ready(text: &str) -> Result<Ready, Failure> {
    let scene = read::parse(text, Language::Toml).unwrap_or_else(|e| panic!("{e}"));
    Ready::new(SceneFile { scene, name: "a.toml".into(), folder: PathBuf::new() })
}

#[test]
fn the_scene_is_right() {
    ready(SCENE).unwrap_or_else(|f| panic!("{f}"));
}

/// A sampler at the place of a texture is ignored by a shader without one there, and is none of the texture's conflicts.
#[test]
fn a_sampler_may_have_the_place_of_a_texture() {
    for place in ["2", "0"] {
        let with = format!("{{ binding = {place}, sampler = \"plain\" }}, {{ binding = 0, texture = \"tiles\" }}");
        let text = SCENE.replace("{ binding = 0, texture = \"tiles\" }", &with);
        ready(&text).unwrap_or_else(|f| panic!("{f}"));
    }
    // Without the texture the sampler is what is wrong there.
    let text = SCENE.replace("{ binding = 0, texture = \"tiles\" }", "{ binding = 0, sampler = \"plain\" }");
    let e = ready(&text).expect_err("a sampler in place of a texture").to_string();
    assert!(e.contains("a sampler is bound, and `t` (group 0, binding 0) is a"), "{e}");
}

#[test]
fn each_rule_has_its_sentence() {
    // What is changed, into what, the field, and a part of the sentence.
    let rules: &[(&str, &str, &str, &str)] = &[
        (
            r#"vertex = { shader = "m","#,
            r#"vertex = { shader = "c","#,
            "pipelines.p.vertex.entryPoint",
            "no vertex entry point",
        ),
        (
            r#"vertex = { shader = "m","#,
            r#"vertex = { shader = "m", entryPoint = "x","#,
            "pipelines.p.vertex.entryPoint",
            "`x`; there are `vs`",
        ),
        (
            "@compute @workgroup_size(1) fn main",
            "@compute @workgroup_size(1) fn also() {}\n@compute @workgroup_size(1) fn main",
            "pipelines.c.compute.entryPoint",
            "choose one of `also`, `main`",
        ),
        ("constants = {}", "constants = { size = 2 }", "pipelines.p.vertex.constants.size", "no override `size`"),
        ("constants = {}", "constants = { 8 = 2 }", "pipelines.p.vertex.constants.8", "no override `8`"),
        (
            "override scale: f32 = 1.0;",
            "override scale: f32;",
            "pipelines.p.vertex.constants",
            "`scale` has no default",
        ),
        (
            "shaderLocation = 1, format",
            "shaderLocation = 2, format",
            "pipelines.p.vertex.buffers",
            "the input `n` (location 1) of `vs`",
        ),
        (
            r#"format = "uint32""#,
            r#"format = "float32""#,
            "pipelines.p.vertex.buffers[0].attributes[1].format",
            "float32 cannot be the input `n`",
        ),
        (
            "fn fs(v: V)",
            "fn fs(@location(3) x: f32, v: V)",
            "pipelines.p.fragment.entryPoint",
            "no output for the input `x` (location 3)",
        ),
        (
            "fn fs(v: V) -> @location(0) vec4<f32> {",
            "fn fs(@location(0) uv: vec4<f32>) -> @location(0) vec4<f32> { return uv; }\nfn rest(v: V) -> vec4<f32> {",
            "pipelines.p.fragment.entryPoint",
            "is f32x4, but `vs` gives f32x2",
        ),
        (
            "fn fs(v: V) -> @location(0) vec4<f32> {",
            "fn fs(@location(0) @interpolate(linear) uv: vec2<f32>) -> @location(0) vec4<f32> { return uv.xyxy; }\nfn rest(v: V) -> vec4<f32> {",
            "pipelines.p.fragment.entryPoint",
            "interpolated in another way",
        ),
        (
            "-> @location(0) vec4<f32> { return t",
            "-> @location(1) vec4<f32> { return t",
            "pipelines.p.fragment.targets[0]",
            "no output at location 0",
        ),
        (
            "-> @location(0) vec4<f32> { return t",
            "-> @builtin(frag_depth) f32 { return 1.0; }\nfn rest(v: V) -> vec4<f32> { return t",
            "pipelines.p.fragment.targets[0]",
            "no output at location 0",
        ),
        (
            "{ binding = 1, sampler = \"plain\" }, ",
            "",
            "passes[0].draws[0].bindings",
            "nothing is bound for `s` (group 0, binding 1), a sampler that `fs` uses",
        ),
        (
            "{ binding = 1, sampler = \"plain\" }",
            "{ binding = 1, texture = \"tiles\" }",
            "passes[0].draws[0].bindings[1]",
            "a texture is bound, and `s` (group 0, binding 1) is a sampler",
        ),
        ("sampler = \"plain\"", "sampler = \"compares\"", "passes[0].draws[0].bindings[1]", "does not compare"),
        ("sampler = \"compares\"", "sampler = \"plain\"", "passes[1].bindings[3]", "`plain` has no `compare`"),
        ("size = 16 }", "size = 8 }", "passes[0].draws[0].bindings[2]", "needs 16 bytes, 8 are bound"),
        (
            "{ binding = 0, buffer = \"words\" }",
            "{ binding = 0, buffer = \"words\", size = 7 }",
            "passes[1].bindings[0]",
            "a multiple of 4",
        ),
        (
            "texture = \"tiles\" }",
            "texture = \"depth\" }",
            "passes[0].draws[0].bindings[0]",
            "sampled as floats, and depth32float",
        ),
        (
            "texture = \"depth\" }",
            "texture = \"tiles\" }",
            "passes[1].bindings[2]",
            "of class depth, which rgba8unorm is not",
        ),
        (
            "tiles = { format = \"rgba8unorm\"",
            "tiles = { format = \"rgba8uint\"",
            "passes[0].draws[0].bindings[0]",
            "of class float, which rgba8uint is not",
        ),
        (
            "texture = \"tiles\" }",
            "texture = \"tiles\", dimension = \"2d-array\" }",
            "passes[0].draws[0].bindings[0].dimension",
            "is `2d`, the view is `2d-array`",
        ),
        (
            "texture = \"many\" }",
            "texture = \"tiles\" }",
            "passes[1].bindings[4]",
            "several samples a pixel, the texture has one",
        ),
        (
            "image = { format = \"rgba8unorm\"",
            "image = { format = \"rgba8snorm\"",
            "passes[1].bindings[1].format",
            "is rgba8unorm, the view is rgba8snorm",
        ),
        (
            "image = { format = \"rgba8unorm\", size = [4, 4]",
            "image = { format = \"rgba8unorm\", mipLevelCount = 2, size = [4, 4]",
            "passes[1].bindings[1].mipLevelCount",
            "2 levels are bound",
        ),
        (
            "texture = \"tiles\" }",
            "texture = \"picture\" }",
            "passes[0].draws[0].bindings[0]",
            "`picture` is read here and an attachment",
        ),
        ("texture = \"depth\" }", "texture = \"image\" }", "passes[1].bindings[2]", "of class depth"),
    ];
    for (from, to, field, part) in rules {
        assert!(SCENE.contains(from), "{from}");
        let text = SCENE.replacen(from, to, 1);
        match ready(&text) {
            Ok(_) => panic!("`{to}` is no error"),
            Err(Failure::Scene(e)) => {
                assert_eq!((e.file.as_str(), e.field.as_str()), ("a.toml", *field), "`{to}`: {e}");
                assert!(e.message.contains(part), "`{to}`: {e}");
            }
            Err(f) => panic!("`{to}`: {f}"),
        }
    }
}

/// What a shader's text says wrong is told with its place.
#[test]
fn a_wrong_shader_is_told_with_its_place() {
    let Err(Failure::Shader { source, list }) = ready(&SCENE.replace("f32(v.id)", "v.id")) else {
        panic!("no error of a shader")
    };
    assert_eq!(source.name, "a.toml: shaders.m");
    assert!(!list.is_empty() && list.iter().all(|d| !d.message.is_empty()));
}
