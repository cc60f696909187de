//! Two shaders as the stages of one pipeline, and scenes whose pipelines are measured.

use crate::common::{Scratch, expect, gpucc, text};

/// The position of a corner, a place that is read, and one that is not.
const VERTEX: &str = "#version 450
layout(location = 0) in vec3 inPosition;
layout(location = 1) in vec2 inUV;
layout(location = 0) out vec2 uv;
layout(location = 3) out vec4 unread;
layout(set = 0, binding = 0) uniform Matrices { mat4 mvp; } m;
layout(push_constant) uniform Push { float scale; } pc;
void main() {
    gl_Position = m.mvp * vec4(inPosition * pc.scale, 1.0);
    uv = inUV;
    unread = vec4(1.0);
}";

const FRAGMENT: &str = "#version 450
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 colour;
layout(location = 1) out float other;
void main() { colour = vec4(uv.x < 0.5 ? 1.0 : 0.0, uv.y < 0.5 ? 1.0 : 0.0, 0.0, 1.0); other = 0.2; }";

#[test]
fn two_files_become_one_container() {
    let s = Scratch::new("stages-link");
    let (v, f, out) = (s.write("a.vert", VERTEX), s.write("a.frag", FRAGMENT), s.path("one.bin"));
    for inputs in [[&v, &f], [&f, &v]] {
        expect(&[inputs[0], inputs[1], "--target", "gcn", "-o", &out], 0, "");
        let said = expect(&["inspect", &out], 0, "entry main (vertex)");
        let (vertex, fragment) = said.split_once("entry main (fragment)").expect("both stages");
        // An input that is not read has no place.
        assert!(vertex.contains("output location 0") && !vertex.contains("output location 3"), "{said}");
        assert!(fragment.contains("input location 0") && fragment.contains("output location 1"), "{said}");
    }
    // Alone everything is given.
    expect(&[&v, "--target", "gcn", "-o", &out], 0, "");
    expect(&["inspect", &out], 0, "output location 3");
    // Each target has its file.
    let several = ["--target", "gcn:gfx6,gcn:gfx8", "-o", &s.path("two.bin"), "--verify", "--deny", "not-compared"];
    expect(&[&[v.as_str(), f.as_str()], &several[..]].concat(), 0, "");
    assert!(s.has("two.gcn-gfx6.bin") && s.has("two.gcn-gfx8.bin"));
}

#[test]
fn what_does_not_fit_names_both_files() {
    let s = Scratch::new("stages-fit");
    let v = s.write("a.vert", VERTEX);
    let out = s.path("one.bin");
    let missing = s.write("b.frag", FRAGMENT.replace("location = 0) in", "location = 2) in"));
    let said = expect(&[&v, &missing, "--target", "gcn", "-o", &out], 1, "a.vert");
    assert!(said.contains("b.frag:5:1") && said.contains("`main` reads location 2"), "{said}");
    let other = s.write("c.frag", FRAGMENT.replace("in vec2 uv;", "flat in ivec2 uv;"));
    let said = expect(&[&other, &v, "--target", "gcn", "-o", &out], 1, "location 0 of `main`");
    assert!(said.contains("a.vert") && said.contains("c.frag:5:1"), "{said}");
    assert!(!s.has("one.bin"));
    // Two shaders that are no pair want a folder, as ever.
    expect(&[&v, &v, "--target", "gcn", "-o", &out], 2, "must name an existing folder");
}

/// A stage that is refused keeps its code in a pair, in either order.
#[test]
fn a_refused_stage_of_a_pair_says_so() {
    let s = Scratch::new("stages-refused");
    let v = s.write(
        "a.vert",
        "#version 450\nlayout(location = 0) out vec2 uv;\nout float gl_CullDistance[1];\n\
         void main() { uv = vec2(1.0); gl_Position = vec4(0.0); gl_CullDistance[0] = 1.0; }\n",
    );
    let (spirv, f) = (s.path("a.spv"), s.write("a.frag", FRAGMENT));
    let made = std::process::Command::new("glslangValidator").args(["-V", "--quiet", &v, "-o", &spirv]).status();
    if !made.is_ok_and(|s| s.success()) {
        eprintln!("skipped: glslangValidator is not installed");
        return;
    }
    for inputs in [[&spirv, &f], [&f, &spirv]] {
        expect(&["render", inputs[0], inputs[1], "--target", "vivante", "-o", &s.path("a.png")], 3, "cull-distances");
    }
}

/// A fragment stage that gives no colour is drawn with a depth alone.
#[test]
fn a_pair_without_colours_is_drawn() {
    let s = Scratch::new("stages-depth");
    let v = s.write("a.vert", VERTEX);
    let f = s.write("a.frag", "#version 450\nvoid main() { if (gl_FragCoord.x < 4.0) discard; }\n");
    for target in ["interp", "gcn"] {
        let options = ["--target", target, "--oracle", "--size", "8x8", "-o", &s.path("a.png")];
        expect(&[&["render", &v, &f], &options[..]].concat(), 0, "bit-exact");
    }
}

#[test]
fn two_files_are_drawn_with_a_scene_of_reflection() {
    let s = Scratch::new("stages-render");
    let (v, f) = (s.write("a.vert", VERTEX), s.write("a.frag", FRAGMENT));
    let (png, raw, other) = (s.path("a.png"), s.path("a.bin"), s.path("b.bin"));
    let dumps = [format!("picture={raw}"), format!("target1={other}")];
    let draws = |inputs: &[&str], more: &[&str]| {
        for target in ["interp", "gcn"] {
            let options = ["--target", target, "--oracle", "-o", &png, "--dump", &dumps[0], "--dump", &dumps[1]];
            expect(&[&["render"], inputs, &options[..], more].concat(), 0, "bit-exact");
            // The grid covers the picture, with the upper left at (0, 0).
            let pixels = s.read("a.bin");
            let at = |x: usize, y: usize| pixels[4 * (8 * y + x)..][..4].to_vec();
            assert_eq!(
                [at(1, 1), at(6, 1), at(1, 6), at(6, 6)].concat(),
                [255, 255, 0, 255, 0, 255, 0, 255, 255, 0, 0, 255, 0, 0, 0, 255]
            );
            assert_eq!(s.read("b.bin"), [51; 64]);
        }
    };
    draws(&[&f, &v], &["--size", "8x8"]);
    // Half the size: the corner is not covered.
    let half = ["render", &v, &f, "--size", "8x8", "--immediates", "f32:0.5", "--dump", &dumps[0]];
    expect(&half, 0, "");
    assert_eq!(s.read("a.bin")[..4], [0, 0, 0, 255]);
    // The scene can be kept and edited; it lies where the shaders lie.
    let o = gpucc().args(["render", "a.vert", "a.frag", "--init", "--size", "8x8"]).current_dir(s.path("")).output();
    let o = o.expect("it runs");
    assert!(o.status.success(), "{}", text(&o));
    let scene = s.write("a.toml", &o.stdout);
    draws(&[&scene], &[]);
    expect(&["render", &f, "--init"], 2, "--init is for a vertex and a fragment shader");
    expect(&["render", &v, &v, "-o", &png], 1, "a vertex and a fragment stage are expected");
    expect(&["render", &v, &scene, "-o", &png], 2, "two inputs are a vertex and a fragment shader");
}

/// Both stages in a file of WGSL.
#[test]
fn a_file_with_both_stages_is_drawn() {
    let s = Scratch::new("stages-both");
    let both = s.write(
        "a.wgsl",
        "struct V { @builtin(position) p: vec4<f32>, @location(0) c: vec3<f32> }
        @vertex fn vs(@location(0) position: vec2<f32>, @location(1) colour: vec3<f32>) -> V {
            return V(vec4<f32>(position, 0.5, 1.0), colour);
        }
        @fragment fn fs(v: V) -> @location(0) vec4<f32> { return vec4<f32>(1.0 - v.c * v.c * 0.0, 1.0); }",
    );
    let raw = format!("picture={}", s.path("a.bin"));
    for target in ["interp", "gcn"] {
        expect(&["render", &both, "--target", target, "--size", "4x4", "--oracle", "--dump", &raw], 0, "bit-exact");
        assert_eq!(s.read("a.bin"), [255; 64]);
    }
    // Without immediate data there is nothing to set.
    expect(&["render", &both, "--immediates", "f32:1", "--dump", &raw], 2, "no stage has immediate data");
}

#[test]
fn scenes_are_measured_by_stage_and_pipeline() {
    let s = Scratch::new("stages-stats");
    let scene = format!("{}/../examples/scenes/lit_mesh.toml", env!("CARGO_MANIFEST_DIR"));
    let out = s.path("r.json");
    expect(&["stats", &scene, "--target", "gcn", "-o", &out], 0, "");
    let report: serde_json::Value = serde_json::from_slice(&s.read("r.json")).expect("JSON");
    let rows = report["rows"].as_array().expect("rows");
    let stages: Vec<&str> = rows.iter().filter_map(|r| r["stage"].as_str()).collect();
    assert!(stages.contains(&"vertex") && stages.contains(&"fragment"), "{report}");
    assert!(rows.iter().all(|r| r["file"] == "lit_mesh.toml" && r["status"] == "ok"), "{report}");
    assert!(rows.iter().all(|r| r["entry"].as_str().is_some_and(|e| e.contains(':'))), "{report}");
    let wrong = s.write("w.toml", "format = \"scene-2\"\n");
    expect(&["stats", &wrong, "--target", "gcn", "--format", "json"], 1, "\"status\": \"invalid\"");
    expect(&["stats", &scene, "--target", "gcn", "--entry", "x"], 2, "--entry applies to shaders only; the scene");
}

/// Two stages in one file have the numbers of the same two in files of their own that are linked; others those of each alone.
#[test]
fn stages_of_one_file_are_measured_as_a_pair() {
    let s = Scratch::new("stages-pair");
    let shared = "struct V { @builtin(position) p: vec4f, @location(0) n: vec3f, @location(1) w: vec4f }\n";
    let vertex = "@vertex fn vs(@location(0) p: vec4f) -> V { return V(p, p.xyz, p.wzyx * 2.0); }\n";
    let fragment = "@fragment fn fs(v: V) -> @location(0) vec4f { return vec4f(v.n, 1.0); }\n";
    let (v, f) = (s.write("v.wgsl", format!("{shared}{vertex}")), s.write("f.wgsl", format!("{shared}{fragment}")));
    let two = s.write("two.wgsl", format!("{shared}{vertex}{fragment}"));
    let more = s.write("more.wgsl", format!("{shared}{vertex}{fragment}{}", fragment.replace("fs(", "other(")));
    let all = "gcn,tesla:nv50,tesla,valhall,vivante:gc2000,vivante";
    let bytes = |path: &str| -> Vec<(String, u64)> {
        let out = s.path("r.json");
        expect(&["stats", path, "--target", all, "-o", &out], 0, "");
        let report: serde_json::Value = serde_json::from_slice(&s.read("r.json")).expect("JSON");
        let rows = report["rows"].as_array().expect("rows").iter().filter(|r| r["entry"] != "other");
        let row = |r: &serde_json::Value| {
            assert_eq!(r["status"], "ok", "{r}");
            (format!("{} {}", r["entry"], r["target"]), r["stats"]["bytes"].as_u64().expect("bytes"))
        };
        rows.map(row).collect()
    };
    let mut linked = Vec::new();
    for stage in ["fs", "vs"] {
        for target in ["gcn:gfx8", "tesla:nv50", "tesla:nva3", "valhall:v10", "vivante:gc2000", "vivante:gc3000"] {
            let said = expect(&[&v, &f, "--target", target, "-o", &s.path("x.bin"), "--stats"], 0, "");
            let line = said.lines().find(|l| l.starts_with(&format!("{target} {stage}: "))).expect("a line");
            let n = line.split("bytes ").nth(1).and_then(|r| r.split(',').next()).and_then(|n| n.parse().ok());
            linked.push((format!("\"{stage}\" \"{target}\""), n.expect("bytes")));
        }
    }
    assert_eq!(bytes(&two), linked);
    // With two fragment stages the vertex stage is alone: it gives what neither reads.
    let alone = [bytes(&f), bytes(&v)].concat();
    assert_eq!(bytes(&more)[6..], alone[6..]);
    let less = alone.iter().zip(&linked).filter(|(a, l)| a.1 > l.1).count();
    assert!(less >= 4, "{alone:?} {linked:?}");
}

/// Operations of Vulkan that WebGPU lacks: depths sampled as floats, and compared too; one dimension compared; a buffer and a
/// texture at one place; several samples and layers; a group above 7. What no scene can bind is refused by its code.
#[test]
fn a_pair_has_what_vulkan_binds() {
    let s = Scratch::new("stages-binds");
    let v = s.write("a.vert", VERTEX);
    let made = |k: usize, declared: &str, colour: &str| {
        let f = s.write(
            &format!("{k}.frag"),
            format!("#version 450\n{declared}\nlayout(location = 0) out vec4 c;\nvoid main() {{ c = {colour}; }}\n"),
        );
        let spirv = s.path(&format!("{k}.spv"));
        let done = std::process::Command::new("glslangValidator").args(["-V", "--quiet", &f, "-o", &spirv]).status();
        done.is_ok_and(|s| s.success()).then_some(spirv)
    };
    let one = "layout(set = 0, binding = 0) uniform";
    let cases = [
        (
            format!(
                "{one} texture2D t; layout(set = 0, binding = 1) uniform sampler s; layout(set = 0, binding = 2) uniform samplerShadow h;"
            ),
            "vec4(texture(sampler2D(t, s), vec2(0.3)).x, texture(sampler2DShadow(t, h), vec3(0.3)), 0.0, 1.0)",
            0,
            "bit-exact",
        ),
        (format!("{one} sampler1DShadow t;"), "vec4(texture(t, vec3(0.3, 0.0, 0.5)))", 0, "bit-exact"),
        (format!("{one} B {{ vec4 b; }}; {one} sampler2D t;"), "b + texture(t, vec2(0.3))", 0, "bit-exact"),
        (format!("{one} sampler2DMSArray t;"), "texelFetch(t, ivec3(gl_FragCoord.xy, 2), 1)", 0, "bit-exact"),
        ("layout(set = 31, binding = 0) uniform B { vec4 b; };".into(), "b + 0.5", 0, "bit-exact"),
        (
            format!("{one} sampler2DMS a; {one} sampler2D t;"),
            "texelFetch(a, ivec2(0), 1) + texture(t, vec2(0.3))",
            3,
            "binding-aliases",
        ),
        (
            format!("#extension GL_EXT_nonuniform_qualifier : require\n{one} sampler3D a[]; {one} sampler2D t[];"),
            "texture(a[1], vec3(0.3)) + texture(t[0], vec2(0.3))",
            3,
            "binding-aliases",
        ),
    ];
    for (k, (declared, colour, code, said)) in cases.iter().enumerate() {
        let Some(f) = made(k, declared, colour) else {
            eprintln!("skipped: glslangValidator is not installed");
            return;
        };
        for target in ["interp", "gcn"] {
            let options = ["--target", target, "--oracle", "--size", "8x8", "-o", &s.path("a.png")];
            expect(&[&["render", &v, &f], &options[..]].concat(), *code, said);
        }
    }
}

/// The listing of a stage assembles to the bytes of its code as it is: its first line names the stage.
#[test]
fn listings_of_stages_assemble_as_they_are() {
    let s = Scratch::new("listed-stages");
    let vertex = s.write(
        "v.wgsl",
        "@vertex fn vs(@location(0) p: vec3f, @builtin(vertex_index) i: u32) -> @builtin(position) vec4f { return vec4f(p, f32(i)); }\n",
    );
    let fragment = s.write(
        "f.wgsl",
        "@fragment fn fs(@location(0) c: vec4f) -> @location(0) vec4f { if c.a < 0.5 { discard; } return c * dpdx(c.x); }\n",
    );
    let (listing, code, again) = (s.path("l.s"), s.path("c.raw"), s.path("a.raw"));
    for target in ["tesla:nv50", "tesla:nva3", "gcn", "valhall", "vivante"] {
        for (shader, stage) in [(&vertex, "vertex"), (&fragment, "fragment")] {
            expect(&[shader, "--target", target, "-S", "-o", &listing], 0, "");
            expect(&[shader, "--target", target, "--emit", "raw", "-o", &code], 0, "");
            expect(&["asm", &listing, "-o", &again], 0, "");
            assert_eq!(s.read("c.raw"), s.read("a.raw"), "{target} {stage}");
            let head = String::from_utf8(s.read("l.s")).expect("text");
            assert!(head.lines().next().is_some_and(|l| l.contains(&format!(", stage {stage}"))), "{head}");
        }
    }
}
