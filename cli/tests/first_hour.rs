//! The first hour of a graphics programmer: example scenes, a shader alone, GLSL as people have it.

use gpucc_glsl::need;

use crate::common::{Scratch, expect, gpucc, text};

/// A file of the repository.
fn example(name: &str) -> String {
    format!("{}/../examples/{name}", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn example_scenes_draw() {
    let s = Scratch::new("example-scenes");
    let out = s.path("a.png");
    for name in ["triangle", "textured_quad", "lit_mesh"] {
        let scene = example(&format!("scenes/{name}.toml"));
        for target in ["interp", "gcn:gfx6", "gcn:gfx8"] {
            expect(&["render", &scene, "--target", target, "--oracle", "-o", &out], 0, "bit-exact");
            assert!(std::fs::read(&out).expect("a picture").starts_with(b"\x89PNG"));
        }
    }
    let shader = example("plasma.frag");
    for target in ["interp", "gcn"] {
        let size = ["--size", "96x54", "--time", "2"];
        expect(&[&["render", &shader, "--target", target, "--oracle", "-o", &out], &size[..]].concat(), 0, "bit-exact");
    }
}

/// A texture needs no size beside the PNG file that fills it, in a file and on standard input.
#[test]
fn a_texture_has_the_size_of_its_picture() {
    let s = Scratch::new("picture-size");
    let quad = std::fs::read_to_string(example("scenes/textured_quad.toml")).expect("a scene");
    let at = quad.find("[textures.board]").expect("the texture");
    let end = at + quad[at..].find("\n[samplers").expect("the next table");
    let picture = s.path("p.png");
    expect(&["render", &example("scenes/triangle.toml"), "-o", &picture], 0, "rendered");
    let (mut pictures, folder) = (Vec::new(), s.path(""));
    for size in ["", "size = [320, 240]\n"] {
        let board = format!("[textures.board]\nformat = \"rgba8unorm\"\n{size}contents = {{ file = \"p.png\" }}\n");
        let scene = s.write("a.toml", format!("{}{board}{}", &quad[..at], &quad[end..]));
        let out = s.path("out.png");
        expect(&["render", &scene, "-o", &out], 0, "rendered");
        pictures.push(std::fs::read(&out).expect("a picture"));
        let stdin = std::fs::File::open(&scene).expect("the scene");
        let o =
            gpucc().args(["render", "-", "-o", &out]).current_dir(&folder).stdin(stdin).output().expect("it starts");
        assert_eq!(o.status.code(), Some(0), "{}", text(&o));
        assert_eq!(std::fs::read(&out).ok().as_ref(), pictures.last());
    }
    assert_eq!(pictures[0], pictures[1]);
}

/// A ray marcher as it is pasted from the web page: a sphere over a floor, lit, with fog and a texture.
const SHADERTOY: &str = "\
float scene(vec3 p) {
    return min(length(p - vec3(0.0, 1.0, 0.0)) - 1.0, p.y);
}

vec3 normalAt(vec3 p) {
    vec2 e = vec2(0.001, 0.0);
    return normalize(vec3(scene(p + e.xyy) - scene(p - e.xyy),
                          scene(p + e.yxy) - scene(p - e.yxy),
                          scene(p + e.yyx) - scene(p - e.yyx)));
}

void mainImage( out vec4 fragColor, in vec2 fragCoord )
{
    vec2 uv = (2.0 * fragCoord - iResolution.xy) / iResolution.y;
    vec3 from = vec3(3.0 * sin(iTime), 1.5, 3.0 * cos(iTime));
    vec3 w = normalize(vec3(0.0, 0.8, 0.0) - from);
    vec3 u = normalize(cross(w, vec3(0.0, 1.0, 0.0)));
    vec3 v = cross(u, w);
    vec3 ray = normalize(uv.x * u + uv.y * v + 1.5 * w);
    float t = 0.0;
    for (int i = 0; i < 48; i++) {
        float d = scene(from + ray * t);
        if (d < 0.002 || t > 12.0) break;
        t += d;
    }
    vec3 p = from + ray * t;
    vec3 colour = texture(iChannel0, p.xz * 0.2).rgb * max(dot(normalAt(p), normalize(vec3(1.0, 2.0, 1.0))), 0.1);
    colour = mix(colour, vec3(0.6, 0.7, 0.9), smoothstep(4.0, 12.0, t));
    fragColor = vec4(colour, 1.0);
}
";

#[test]
fn shadertoy_bodies_draw_as_they_are() {
    let s = Scratch::new("shadertoy");
    let out = s.path("a.png");
    for name in ["toy.frag", "toy.glsl"] {
        let shader = s.write(name, SHADERTOY);
        let size = ["--size", "64x36", "--time", "0.5"];
        for target in ["interp", "gcn"] {
            let args = ["render", &shader, "--target", target, "--oracle=source", "-o", &out];
            expect(&[&args[..], &size[..]].concat(), 0, "oracle: match");
        }
    }
    // The place of a mistake is the author's.
    let wrong = s.write("wrong.frag", SHADERTOY.replace("vec3 v = cross(u, w);", "vec3 v = cross(u, nowhere);"));
    expect(&["render", &wrong, "-o", &out], 1, "wrong.frag:18:");
}

/// A shader with a combined sampler, of a version of OpenGL or ES.
fn old(version: &str, varying: &str, out: &str, texture: &str) -> String {
    let colour = out.split_whitespace().last().unwrap_or("gl_FragColor").trim_end_matches(';').to_string();
    format!(
        "{version}\nprecision mediump float;\nuniform sampler2D tex;\n{varying} vec2 uv;\n{out}\nvoid main() {{\n    {colour} = {texture}(tex, uv);\n}}\n"
    )
}

#[test]
fn glsl_of_opengl_and_es_says_what_draws_it() {
    let s = Scratch::new("old-glsl");
    let out = s.path("a.png");
    let installed = gpucc_glsl::has("glslangValidator");
    let shaders = [
        ("300.frag", old("#version 300 es", "in", "out vec4 colour;", "texture")),
        ("330.frag", old("#version 330 core", "in", "out vec4 colour;", "texture")),
        ("330c.frag", old("#version 330", "varying", "", "texture2D")),
        ("100.frag", old("#version 100", "varying", "", "texture2D")),
        ("none.frag", old("", "varying", "", "texture2D")),
        ("450.frag", "#version 450\nlayout(location = 0) in vec2 uv;\nlayout(location = 0) out vec4 c;\nlayout(binding = 3) uniform sampler2D tex;\nvoid main() { c = texture(tex, uv); }\n".into()),
    ];
    for (name, text) in shaders {
        let shader = s.write(name, &text);
        expect(&["render", &shader, "--frontend", "naga", "-o", &out], 3, "glslangValidator");
        expect(&[&shader, "--frontend", "naga", "--target", "gcn", "-S"], 3, "parser");
        if !installed {
            expect(&["render", &shader, "--glslang", "-o", &out], 2, "glslangValidator is not installed");
            continue;
        }
        for target in ["interp", "gcn"] {
            let args = ["render", &shader, "--target", target, "--oracle", "-o", &out, "--size", "32x32"];
            expect(&args, 0, "bit-exact");
        }
        expect(&[&shader, "--target", "gcn", "-S"], 0, "");
        let wrong = s.write(name, text.replace("(tex, uv)", "(tex, nowhere)"));
        let line = text.lines().position(|l| l.contains("(tex, uv)")).expect("a line") + 1;
        expect(&["render", &wrong, "-o", &out], 1, &format!("{name}:{line}:"));
    }
}

/// Varyings that a vertex shader of an old version writes are outputs.
#[test]
fn vertex_shaders_of_old_versions_give_varyings() {
    let s = Scratch::new("old-vertex");
    need!("glslangValidator");
    for version in ["#version 100\n", "#version 120\n", "#version 330\n", ""] {
        let text =
            format!("{version}attribute vec4 at;\nvarying vec2 uv;\nvoid main() {{ gl_Position = at; uv = at.xy; }}\n");
        let (shader, out) = (s.write("a.vert", text), s.path("a.bin"));
        expect(&[&shader, "--frontend", "naga", "--target", "gcn", "-o", &out], 3, "glslangValidator");
        expect(&[&shader, "--glslang", "--target", "gcn", "-o", &out], 0, "");
        let said = expect(&["inspect", &out], 0, "input location 0");
        assert!(said.contains("output location 0") && !said.contains("output location 1"), "{version}: {said}");
    }
}

#[test]
fn outputs_are_looked_at_before_anything_is_drawn() {
    let s = Scratch::new("first-outputs");
    let scene = example("scenes/triangle.toml");
    expect(&["render", &scene, "-o", &s.path("a.jpg")], 2, "name it .png");
    expect(&["render", &scene, "-o", &s.path("nowhere/a.png")], 2, "cannot write");
    // Neither a target nor a list of outputs is needed for one picture.
    let text = std::fs::read_to_string(&scene).expect("a scene");
    let (text, _) = text.split_once("[[outputs]]").expect("outputs");
    let short = s.write("short.toml", text);
    let (one, two) = (s.path("one.png"), s.path("two.png"));
    expect(&["render", &short, "-o", &one], 0, "interp: rendered");
    expect(&["render", &scene, "--target", "interp", "-o", &two], 0, "rendered");
    assert_eq!(std::fs::read(one).expect("a picture"), std::fs::read(two).expect("a picture"));
}
