//! Code for a pipeline of a scene: linked with its other stage, and drawn after an edit.

use crate::common::{Scratch, expect};
use gpucc_scene::Picture;

const VERTEX: &str = "struct Out { @builtin(position) p: vec4f, @location(0) a: vec2f, @location(1) b: vec4f, @location(2) c: vec4f }\n\
    @vertex fn vs(@builtin(vertex_index) i: u32) -> Out {\n\
    let at = vec2f(f32(i & 1u), f32(i >> 1u)) * 4.0 - 1.0;\n\
    return Out(vec4f(at, 0.0, 1.0), at, vec4f(at, at) * 3.0, vec4f(at, at) * 5.0); }\n";
const FRAGMENT: &str = "@fragment fn fs(@builtin(position) p: vec4f, @location(0) a: vec2f) -> @location(0) vec4f {\n\
    return vec4f((p.x + p.y) * 0.0625, a * 0.001, 1.0); }\n";

/// A scene of two files, with targets of a format.
fn scene(s: &Scratch, name: &str, format: &str) -> String {
    s.write("v.wgsl", VERTEX);
    s.write("f.wgsl", FRAGMENT);
    let text = format!(
        "format = \"scene-1\"\nshaders.v.file = \"v.wgsl\"\nshaders.f.file = \"f.wgsl\"\n\
         textures.t = {{ format = \"{format}\", size = [8, 8] }}\n[pipelines.p]\nvertex = {{ shader = \"v\" }}\n\
         fragment = {{ shader = \"f\", targets = [{{ format = \"{format}\" }}] }}\n[[passes]]\ntype = \"render\"\n\
         colorAttachments = [{{ texture = \"t\" }}]\ndraws = [{{ pipeline = \"p\", draw = {{ vertexCount = 3 }} }}]\n"
    );
    s.write(name, text)
}

/// `--pipeline` with one stage gives the code that both stages give: outputs that the scene's fragment stage does not read are left out.
#[test]
fn one_stage_is_linked_with_the_scene() {
    let s = Scratch::new("edited-linked");
    let pipeline = format!("{}:p", scene(&s, "a.toml", "rgba8unorm"));
    let (v, f) = (s.path("v.wgsl"), s.path("f.wgsl"));
    let both = s.write("both.wgsl", format!("{VERTEX}{FRAGMENT}"));
    for target in ["gcn", "tesla", "valhall", "vivante"] {
        let raw = |inputs: &[&str], more: &[&str], out: &str| {
            let (args, out) = (["--target", target, "--emit", "raw"], s.path(out));
            if inputs.len() == 2 {
                std::fs::create_dir_all(&out).expect("a folder");
            }
            let said = expect(&[inputs, &args, more, &["-o", &out]].concat(), 0, "");
            assert!(!said.contains("not linked"), "{target}: {said}");
        };
        let of = ["--pipeline", &pipeline];
        raw(&[&v, &f], &of, "pair");
        raw(&[&v], &of, "v.raw");
        raw(&[&f], &of, "f.raw");
        raw(&[&both], &of, "both.raw");
        raw(&[&v], &[], "alone.raw");
        let (first, second) = (s.read("pair/v.raw"), s.read("pair/f.raw"));
        assert_eq!(first, s.read("v.raw"), "{target}");
        assert_eq!(second, s.read("f.raw"), "{target}");
        assert_eq!([first.clone(), second].concat(), s.read("both.raw"), "{target}");
        assert!(first.len() < s.read("alone.raw").len(), "{target}: outputs that nobody reads go");
    }
}

/// Where the other stage does not fit, or cannot be read, a line says that the code is unlinked.
#[test]
fn what_is_not_linked_is_told() {
    let s = Scratch::new("edited-unlinked");
    let pipeline = format!("{}:p", scene(&s, "a.toml", "rgba8unorm"));
    let other = "@vertex fn main() -> @builtin(position) vec4f { return vec4f(0.0); }\n";
    let other = s.write("other.wgsl", other);
    let args = ["--target", "gcn", "--stats", "--pipeline", &pipeline];
    let said = expect(&[&[other.as_str()], &args[..]].concat(), 0, "not linked with its other stage");
    assert!(said.contains("`fs` reads location 0, and `main` does not give it"), "{said}");
    std::fs::remove_file(s.path("f.wgsl")).expect("the file goes");
    let said = expect(&[&[s.path("v.wgsl").as_str()], &args[..]].concat(), 0, "not linked with its other stage");
    assert!(said.contains("f.wgsl"), "{said}");
}

/// A fragment program that was edited by hand is drawn, and is another than the oracle's.
#[test]
fn edited_code_is_drawn() {
    let s = Scratch::new("edited-drawn");
    let scene = scene(&s, "a.toml", "rgba8unorm");
    let (pipeline, f) = (format!("{scene}:p"), s.path("f.wgsl"));
    for (target, add, subtract) in [("gcn", "v_add_f32", "v_sub_f32"), ("gcn:gfx6", "v_add_f32", "v_sub_f32")] {
        let (bin, edited, listing) = (s.path("f.bin"), s.path("edited.bin"), s.path("f.s"));
        let compile = [f.as_str(), "--target", target, "--pipeline", &pipeline];
        expect(&[&compile[..], &["-o", &bin]].concat(), 0, "");
        let out = s.path("out.png");
        let draw = ["render", &scene, "--target", target, "-o", &out];
        // Not edited it is the compiler's own.
        expect(&[&draw[..], &["--code", &bin, "--oracle"]].concat(), 0, "oracle: match");
        let plain = s.read("out.png");
        let text = expect(&["disasm", &bin], 0, add);
        assert_eq!(text.matches(add).count(), 1, "{text}");
        s.write("f.s", text.replace(add, subtract));
        expect(&["asm", &listing, "--container", &bin, "-o", &edited], 0, "");
        expect(&[&draw[..], &["--code", &format!("p={edited}")]].concat(), 0, "rendered");
        assert_ne!(s.read("out.png"), plain);
        let p = Picture::from_png(&s.read("out.png"), None).expect("a picture");
        // (6.5 - 1.5) / 16 of 255, where the shader has 8 / 16.
        assert_eq!(p.pixel(6, 1).expect("a pixel")[0], 80, "{target}");
        // What differs is written all the same.
        std::fs::remove_file(&out).expect("the picture goes");
        expect(&[&draw[..], &["--code", &edited, "--oracle"]].concat(), 1, "on the oracle");
        assert_eq!(s.read("out.png"), p.to_png());
    }
}

/// Containers that do not belong there are told, each in a sentence.
#[test]
fn code_that_does_not_fit_is_told() {
    let s = Scratch::new("edited-wrong");
    let (a, b) = (scene(&s, "a.toml", "rgba8unorm"), scene(&s, "b.toml", "rgba32float"));
    let (f, v, out) = (s.path("f.wgsl"), s.path("v.wgsl"), s.path("out.png"));
    let other = s.write("other.wgsl", FRAGMENT.replace("fs(", "other("));
    let bin = |shader: &str, name: &str, pipeline: &str| {
        let path = s.path(name);
        expect(&[shader, "--target", "gcn", "--pipeline", &format!("{pipeline}:p"), "-o", &path], 0, "");
        path
    };
    let (own, wide, named) = (bin(&f, "a.bin", &a), bin(&f, "b.bin", &b), bin(&other, "other.bin", &a));
    let text = s.write("text.bin", "no container");
    let cases: [(&[&str], i32, &str); 9] = [
        (&["--target", "gcn", "--code", &wide], 1, "are not those of the pipeline: compile the shader for it"),
        (&["--target", "gcn", "--code", &named], 1, "has other, and the pipeline no such entry point"),
        (&["--target", "gcn", "--code", &text], 1, "is not a gpucc container"),
        (&["--target", "gcn", "--code", &s.path("none.bin")], 2, "none.bin"),
        (&["--target", "gcn:gfx6", "--code", &own], 2, "draw with --target gcn:gfx8"),
        (&["--target", "valhall", "--code", &own], 2, "draw with --target gcn:gfx8"),
        (&["--code", &own], 2, "draw with --target gcn:gfx8"),
        (&["--target", "gcn", "--code", &format!("q={own}")], 2, "q"),
        (&["--target", "gcn", "--code", &own, "--init"], 2, "--init"),
    ];
    for (args, code, needle) in cases {
        expect(&[&["render", &a, "-o", &out], args].concat(), code, needle);
        assert!(!s.has("out.png"), "{args:?}");
    }
    // The picture goes nowhere where code is read from, and a container alone says what draws it.
    expect(&["render", &a, "--target", "gcn", "--code", &own, "-o", &own], 2, "a.bin");
    expect(&["render", &own, "-o", &out], 2, "--code");
    let joined = s.path("joined.bin");
    expect(&[&v, &f, "--target", "gcn", "--pipeline", &format!("{a}:p"), "-o", &joined], 0, "");
    expect(&["render", &a, "--target", "gcn", "--code", &joined, "--oracle", "-o", &out], 0, "oracle: match");
}
