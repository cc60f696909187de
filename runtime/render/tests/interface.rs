//! Each rule of the validation that needs compiled shaders, with a scene that breaks it.

use std::path::PathBuf;

use gpucc_render::{Failure, PreparedScene};
use gpucc_scene::SceneFile;
use gpucc_scene::read::{self, Language};

const SCENE: &str = include_str!("interface.toml");

fn ready(text: &str) -> Result<PreparedScene, Failure> {
    let scene = read::parse(text, Language::Toml).unwrap_or_else(|e| panic!("{e}"));
    PreparedScene::new(SceneFile { scene, name: "a.toml".into(), folder: PathBuf::new(), text: None })
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
    // A buffer may not, and a texture of several samples has one layer.
    let with = "{ binding = 0, buffer = \"words\" }, { binding = 0, texture = \"tiles\" }";
    let e = ready(&SCENE.replace("{ binding = 0, texture = \"tiles\" }", with)).err().map(|f| f.to_string());
    assert_eq!(e.as_deref(), Some("a.toml: passes[0].draws[0].bindings[1]: group 0, binding 0 is bound twice"));
    let with = "size = [4, 4, 2], sampleCount = 4";
    let e = ready(&SCENE.replace("size = [4, 4], sampleCount = 4", with)).err().map(|f| f.to_string());
    assert!(e.is_some_and(|e| e.starts_with("a.toml: textures.many.sampleCount: a multisampled texture")));
    let text = SCENE.replace("{ binding = 0, texture = \"tiles\" }", "{ binding = 0, sampler = \"plain\" }");
    let e = ready(&text).expect_err("a sampler in place of a texture").to_string();
    assert!(e.contains("but a sampler is bound there"), "{e}");
}

/// Each rule: the field of the error, the text that is changed, its replacement, and a part of the sentence.
const RULES: &str = r#"
pipelines.p.vertex.entryPoint | vertex = { shader = "m", | vertex = { shader = "c", | no vertex entry point
pipelines.p.vertex.entryPoint | vertex = { shader = "m", | vertex = { shader = "m", entryPoint = "x", | `x`; available: `vs`
pipelines.p.vertex.constants | override scale: f32 = 1.0; | override scale: f32; | `scale` has no default
pipelines.p.vertex.constants.size | constants = {} | constants = { size = 2 } | no override `size`
pipelines.p.vertex.constants.8 | constants = {} | constants = { 8 = 2 } | no override `8`
pipelines.p.vertex.buffers | shaderLocation = 1, format | shaderLocation = 2, format | the input `n` (location 1) of `vs`
pipelines.p.vertex.buffers[0].attributes[1].format | format = "uint32" | format = "float32" | float32 cannot be the input `n`
passes[0].draws[0].bindings | { binding = 1, sampler = "plain" },  |  | nothing is bound for `s` (group 0, binding 1), a sampler that `fs` uses
passes[0].draws[0].bindings[0] | texture = "tiles" } | texture = "depth" } | sampled as floats, and depth32float
passes[0].draws[0].bindings[0] | tiles = { format = "rgba8unorm" | tiles = { format = "rgba8uint" | of class float, which rgba8uint is not
passes[0].draws[0].bindings[0] | texture = "tiles" } | texture = "picture" } | `picture` is read here and an attachment
passes[0].draws[0].bindings[0].dimension | texture = "tiles" } | texture = "tiles", dimension = "2d-array" } | is `2d`, the view is `2d-array`
passes[0].draws[0].bindings[1] | { binding = 1, sampler = "plain" } | { binding = 1, texture = "tiles" } | `s` (group 0, binding 1) is a sampler, but a texture is bound there
passes[0].draws[0].bindings[1] | sampler = "plain" | sampler = "compares" | does not compare
passes[0].draws[0].bindings[2] | size = 16 } | size = 8 } | needs 16 bytes, 8 are bound
passes[1].bindings[0] | { binding = 0, buffer = "words" } | { binding = 0, buffer = "words", size = 7 } | a multiple of 4
passes[1].bindings[1].format | image = { format = "rgba8unorm" | image = { format = "rgba8snorm" | is rgba8unorm, the view is rgba8snorm
passes[1].bindings[1].mipLevelCount | image = { format = "rgba8unorm", size = [4, 4] | image = { format = "rgba8unorm", mipLevelCount = 2, size = [4, 4] | 2 levels are bound
passes[1].bindings[2] | texture = "depth" } | texture = "tiles" } | of class depth, which rgba8unorm is not
passes[1].bindings[2] | texture = "depth" } | texture = "image" } | of class depth
passes[1].bindings[3] | sampler = "compares" | sampler = "plain" | `plain` has no `compare`
passes[1].bindings[4] | texture = "many" } | texture = "tiles" } | several samples a pixel, the texture has one
"#;

/// A change of the scene is told with the field and a sentence.
fn breaks(from: &str, to: &str, field: &str, part: &str) {
    assert!(SCENE.contains(from), "{from}");
    match ready(&SCENE.replacen(from, to, 1)) {
        Ok(_) => panic!("`{to}` is not an error"),
        Err(Failure::Scene(e)) => {
            assert_eq!((e.file.as_str(), e.field.as_str()), ("a.toml", field), "`{to}`: {e}");
            assert!(e.message.contains(part), "`{to}`: {e}");
        }
        Err(f) => panic!("`{to}`: {f}"),
    }
}

#[test]
fn each_rule_has_its_sentence() {
    for rule in RULES.lines().filter(|l| !l.is_empty()) {
        let [field, from, to, part] = rule.split(" | ").collect::<Vec<_>>()[..] else { panic!("{rule}") };
        breaks(from, to, field, part);
    }
    breaks(
        "@compute @workgroup_size(1) fn main",
        "@compute @workgroup_size(1) fn also() {}\n@compute @workgroup_size(1) fn main",
        "pipelines.c.compute.entryPoint",
        "choose one of `also`, `main`",
    );
}

/// Values between the stages and colours, of another fragment entry in place of the right one.
#[test]
fn each_rule_between_the_stages_has_its_sentence() {
    let head = "@fragment fn fs(v: V) -> @location(0) vec4<f32> {";
    let (entry, target) = ("pipelines.p.fragment.entryPoint", "pipelines.p.fragment.targets[0]");
    let rules = [
        (
            "@location(3) x: f32",
            "@location(0) vec4<f32> { return vec4(x); }",
            entry,
            "no output for the input `x` (location 3)",
        ),
        (
            "@location(0) uv: vec4<f32>",
            "@location(0) vec4<f32> { return uv; }",
            entry,
            "is f32x4, but `vs` gives f32x2",
        ),
        (
            "@location(0) @interpolate(linear) uv: vec2<f32>",
            "@location(0) vec4<f32> { return uv.xyxy; }",
            entry,
            "`fs` declares linear interpolation, `vs` perspective",
        ),
        ("v: V", "@location(1) vec4<f32> { return rest(v); }", target, "no output at location 0"),
        ("v: V", "@builtin(frag_depth) f32 { return 1.0; }", target, "no output at location 0"),
    ];
    for (inputs, rest, field, part) in rules {
        let to = format!("@fragment fn fs({inputs}) -> {rest}\nfn rest(v: V) -> vec4<f32> {{");
        breaks(head, &to, field, part);
    }
}

/// A factor of colour is the alpha only where the output has one; a factor of alpha may be it anyway.
#[test]
fn blending_by_the_alpha_needs_one() {
    let text = SCENE
        .replace("-> @location(0) vec4<f32> { return textureSample(t, s, v.uv) + u + f32(v.id); }", "-> @location(0) f32 { return textureSample(t, s, v.uv).x + u.x + f32(v.id); }")
        .replace("picture = { format = \"rgba8unorm\"", "picture = { format = \"r8unorm\"")
        .replace("targets = [ { format = \"rgba8unorm\" } ]", "targets = [ { format = \"r8unorm\", blend = { color = {}, alpha = { dstFactor = \"one-minus-src-alpha\" } } } ]");
    ready(&text).unwrap_or_else(|f| panic!("{f}"));
    let text = text.replace("color = {}", "color = { srcFactor = \"src-alpha\" }");
    let Err(Failure::Scene(e)) = ready(&text) else { panic!("it is an error") };
    assert_eq!(e.field, "pipelines.p.fragment.targets[0].blend.color");
    assert!(e.message.contains("a factor of colour is the alpha"), "{e}");
}

/// Each element of an array of bindings is bound, once.
#[test]
fn arrays_of_bindings_are_bound_by_element() {
    let array = "enable wgpu_binding_array;\n@group(0) @binding(0) var t: binding_array<texture_2d<f32>, 2>;";
    let head = SCENE
        .replace("override scale: f32 = 1.0;", "")
        .replace("scale * other", "other")
        .replace("@id(7) override", &format!("{}\n@id(7) override", array))
        .replace("@group(0) @binding(0) var t: texture_2d<f32>;", "")
        .replace("textureSample(t, s, v.uv)", "textureSample(t[v.id & 1], s, v.uv)");
    let with = |more: &str| {
        let first = "{ binding = 0, texture = \"tiles\" }";
        ready(&head.replace(first, &format!("{first}{more}")))
    };
    with(", { binding = 0, element = 1, texture = \"image\" }").unwrap_or_else(|f| panic!("{f}"));
    let said = |more: &str| with(more).expect_err("it is wrong").to_string();
    let why = said("");
    assert!(why.contains("nothing is bound for element 1 of 2 of `t` (group 0, binding 0)"), "{why}");
    let why = said(", { binding = 0, element = 1, texture = \"depth\" }");
    assert!(why.contains("bindings[1]") && why.contains("sampled as floats"), "{why}");
    let twice = ", { binding = 0, element = 1, texture = \"tiles\" }".repeat(2);
    assert!(said(&twice).contains("group 0, binding 0, element 1 is bound twice"), "{}", said(&twice));
    assert!(said(", { binding = 0, element = 4096, texture = \"tiles\" }").contains("not below 4096"));
}

/// A fault in a shader's text is told with its place.
#[test]
fn a_wrong_shader_is_told_with_its_place() {
    let Err(Failure::Shader { source, list }) = ready(&SCENE.replace("f32(v.id)", "v.id")) else {
        panic!("no error of a shader")
    };
    assert_eq!(source.name, "a.toml: shaders.m");
    assert!(!list.is_empty() && list.iter().all(|d| !d.message.is_empty()));
}
