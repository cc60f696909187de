//! Scenes lose draws, state and parts of their shaders.

use crate::shrink;
use gpucc_reduce::Subject;
use gpucc_reduce::scene::Scene;
use gpucc_reduce::text::Options;

const SCENE: &str = r#"format = "scene-1"
[shaders.s]
wgsl = """
@vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f { let a = 1.0; return vec4f(a); }
@fragment fn fs() -> @location(0) vec4f { return vec4f(0.5); }
"""
[textures]
picture = { format = "rgba8unorm", size = [64, 48] }
other = { format = "rgba8unorm", size = [8, 8] }
[pipelines.p]
vertex = { shader = "s" }
fragment = { shader = "s", targets = [{ format = "rgba8unorm", blend = { color = { operation = "add" } } }] }
[[passes]]
type = "render"
colorAttachments = [{ texture = "picture" }]
[[passes.draws]]
pipeline = "p"
draw = { vertexCount = 30 }
[[passes.draws]]
pipeline = "p"
draw = { vertexCount = 3 }
"#;

#[test]
fn parts_of_a_scene_and_of_its_shaders_go() {
    let fault = |b: &[u8]| {
        let t = String::from_utf8_lossy(b);
        t.contains("@fragment fn fs") && t.contains("vertexCount") && t.contains("size")
    };
    let (best, _) = shrink(Scene::new(SCENE, Options::default()).expect("a scene"), fault);
    let text = String::from_utf8(best.bytes()).expect("text");
    assert!(!text.contains("@vertex") && !text.contains("blend") && !text.contains("other"), "{text}");
    assert_eq!(text.matches("vertexCount").count(), 1, "{text}");
    assert!(text.contains("vertexCount = 0"), "{text}");
    Scene::new(&text, Options::default()).expect("still a scene");
}

/// What fits stands on a line, shaders keep their lines, and what is read again is the same scene.
#[test]
fn a_scene_is_told_in_few_lines() {
    let scene = Scene::new(SCENE, Options::default()).expect("a scene");
    let text = String::from_utf8(scene.bytes()).expect("text");
    assert!(text.lines().any(|l| l == "shaders.s.wgsl = \'\'\'") && text.lines().count() == 12, "{text}");
    let read = |text: &str| toml::from_str::<toml::Value>(text).expect("TOML");
    assert_eq!(read(&text), read(SCENE));
    let odd = "a.'x y' = 1.5\nb = [{ c = \"\'\'\'\\n\\u0001\" }, { d = \"1\\n2\\n\" }]\n";
    let text = String::from_utf8(Scene::new(odd, Options::default()).expect("TOML").bytes()).expect("text");
    assert_eq!(read(&text), read(odd), "{text}");
}

#[test]
fn json_stays_json() {
    let json = r#"{"format": "scene-1", "passes": [{"draws": [1, 2, 3]}], "wgsl": "fn a() {} fn b() {}"}"#;
    let fault = |b: &[u8]| {
        let v: Result<serde_json::Value, _> = serde_json::from_slice(b);
        v.is_ok_and(|v| v["passes"][0]["draws"].as_array().is_some_and(|a| !a.is_empty()))
    };
    let (best, _) = shrink(Scene::new(json, Options::default()).expect("a scene"), fault);
    let v: serde_json::Value = serde_json::from_slice(&best.bytes()).expect("JSON");
    assert_eq!(v, serde_json::json!({"passes": [{"draws": [0]}]}));
}

/// State that parts of a scene agree about goes from all of them at once.
#[test]
fn samples_and_depth_go_together() {
    let source = r#"format = "scene-1"
[textures]
a = { format = "rgba8unorm", size = [64, 48], sampleCount = 4 }
b = { format = "rgba8unorm", size = [64, 48] }
d = { format = "depth24plus", size = [64, 48], sampleCount = 4 }
[pipelines.p]
multisample = { count = 4 }
depthStencil = { format = "depth24plus" }
[[passes]]
colorAttachments = [{ texture = "a", resolveTarget = { texture = "b" } }]
depthStencilAttachment = { texture = "d" }
"#;
    let fault = |b: &[u8]| {
        let v: toml::Value = toml::from_str(&String::from_utf8_lossy(b)).expect("TOML");
        let at = |path: &[&str]| path.iter().try_fold(&v, |v, k| v.get(k)).map(ToString::to_string);
        let size = |t: &str| at(&["textures", t, "size"]).unwrap_or_default();
        let count = |t: &str| at(&["textures", t, "sampleCount"]);
        let pass = &v.get("passes").and_then(|p| p.get(0)).map(ToString::to_string).unwrap_or_default();
        // Attachments have one size and one number of samples, and what is drawn to has a picture.
        let agree = size("b").len() > 4
            && (!pass.contains("\"a\"")
                || size("a") == size("b") && count("a") == at(&["pipelines", "p", "multisample", "count"]))
            && (at(&["pipelines", "p", "depthStencil"]).is_some() == pass.contains("\"d\""))
            && (!pass.contains("\"d\"") || size("d") == size("b") && count("d") == count("a"));
        agree && pass.contains("colorAttachments") && pass.contains("\"b\"")
    };
    let (best, _) = shrink(Scene::new(source, Options::default()).expect("a scene"), fault);
    let text = String::from_utf8(best.bytes()).expect("text");
    for word in ["sampleCount", "multisample", "depth", "resolveTarget", "64"] {
        assert!(!text.contains(word), "{word}: {text}");
    }
}

/// A pass that only shows what another one has drawn goes: that one draws what is shown.
#[test]
fn the_last_pass_goes_with_what_it_shows() {
    let source = r#"format = "scene-1"
outputs = [{ name = "picture", texture = "picture" }]
[textures]
light = { format = "rgba16float", size = [4, 4] }
picture = { format = "rgba8unorm", size = [8, 4] }
[pipelines.gleam.fragment]
targets = [{ format = "rgba16float", blend = { color = { dstFactor = "one" } } }]
[pipelines.show.fragment]
targets = [{ format = "rgba8unorm" }]
[[passes]]
colorAttachments = [{ texture = "light" }]
draws = [{ pipeline = "gleam" }]
[[passes]]
colorAttachments = [{ texture = "picture" }]
draws = [{ pipeline = "show", bindings = [{ texture = "light" }] }]
"#;
    // Each target has the pipeline's format, and the output is a picture of whole numbers that the last pass draws.
    let fault = |b: &[u8]| {
        let v: toml::Value = toml::from_str(&String::from_utf8_lossy(b)).expect("TOML");
        let at = |v: &toml::Value, path: &[&str]| path.iter().try_fold(v.clone(), |v, k| v.get(k).cloned());
        let text = |v: Option<toml::Value>| v.and_then(|v| v.as_str().map(str::to_string)).unwrap_or_default();
        let first =
            |v: &toml::Value, key: &str| v.get(key).and_then(|a| a.get(0)).cloned().unwrap_or(toml::Value::from(0));
        let passes = v.get("passes").and_then(toml::Value::as_array).cloned().unwrap_or_default();
        let target = |p: &toml::Value| text(at(&first(p, "colorAttachments"), &["texture"]));
        let format = |t: &str| text(at(&v, &["textures", t, "format"]));
        let fits = |p: &toml::Value| {
            let pipeline = text(at(&first(p, "draws"), &["pipeline"]));
            let own =
                at(&v, &["pipelines", &pipeline, "fragment"]).map(|f| text(at(&first(&f, "targets"), &["format"])));
            !pipeline.is_empty() && own == Some(format(&target(p)))
        };
        let shown = text(at(&first(&v, "outputs"), &["texture"]));
        let last = passes.last().is_some_and(|p| target(p) == shown);
        last && format(&shown) == "rgba8unorm"
            && passes.iter().all(fits)
            && String::from_utf8_lossy(b).contains("dstFactor")
            && passes.iter().any(|p| text(at(&first(p, "draws"), &["pipeline"])) == "gleam")
    };
    let (best, _) = shrink(Scene::new(source, Options::default()).expect("a scene"), fault);
    let text = String::from_utf8(best.bytes()).expect("text");
    assert!(!text.contains("show") && !text.contains("16float") && !text.contains("picture\" }]"), "{text}");
}

/// A draw less, and what only it needed: pipeline, texture, entry and its functions are gone with one candidate.
#[test]
fn what_no_draw_needs_goes_at_once() {
    let source = r#"format = "scene-1"
outputs = [{ texture = "a" }]
[shaders.s]
wgsl = "@vertex fn v() {} @fragment fn f() {} fn help() {} @fragment fn g() { help(); }"
[shaders.sole]
wgsl = "fn n() {} @vertex fn m() { n(); }"
[textures]
a = { size = [1, 1] }
b = { size = [1, 1] }
[pipelines.p]
vertex = { shader = "sole" }
fragment = { shader = "s", entryPoint = "f" }
[pipelines.q]
vertex = { shader = "s", entryPoint = "v" }
fragment = { shader = "s", entryPoint = "g" }
[[passes]]
colorAttachments = [{ texture = "a" }]
draws = [{ pipeline = "p" }]
"#;
    let scene = Scene::new(source, Options::default()).expect("a scene");
    let edits = scene.edits(0);
    let out = scene.apply(&edits[edits.len() - 1..]).expect("an edit that fits");
    let v: toml::Value = toml::from_str(&String::from_utf8(out.bytes()).expect("text")).expect("TOML");
    let keys = |k: &str| v[k].as_table().expect("a table").keys().map(String::as_str).collect::<Vec<_>>().join(" ");
    assert_eq!([keys("shaders"), keys("textures"), keys("pipelines")], ["s sole", "a", "p"]);
    assert_eq!(v["shaders"]["s"]["wgsl"].as_str().map(str::trim), Some("@fragment fn f() {\n}"));
    assert_eq!(v["shaders"]["sole"]["wgsl"].as_str(), Some("fn n() {} @vertex fn m() { n(); }"));
}
