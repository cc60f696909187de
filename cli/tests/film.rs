//! `gpucc render` for people: differences, sheets, frames.

use crate::common::{Scratch, expect, gpucc, text};
use gpucc_scene::Picture;

/// Grey by the time, in a scene that keeps what it drew: each frame adds 16 steps in the left half.
const CLOCK: &str = r#"
format = "scene-1"
shaders.m.wgsl = """
struct Frame { resolution: vec3<f32>, time: f32, mouse: vec4<f32>, time_delta: f32, frame: u32 }
@group(0) @binding(0) var<uniform> frame: Frame;
@vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4<f32> {
    return vec4<f32>(f32(i & 1u) * 4.0 - 1.0, f32(i >> 1u) * 4.0 - 1.0, 0.0, 1.0);
}
@fragment fn fs(@builtin(position) p: vec4<f32>) -> @location(0) vec4<f32> {
    if (p.x < frame.resolution.x * 0.5) { return vec4<f32>(16.0 / 255.0, 0.0, 0.0, 0.0); }
    return vec4<f32>(0.0, frame.time / 255.0, f32(frame.frame) / 255.0, 0.0) + frame.mouse.xyxy / 255.0;
}
"""
textures.picture = { format = "rgba8unorm", size = [4, 2] }
buffers.frame = { frame = true }
[pipelines.p]
vertex = { shader = "m" }
fragment = { shader = "m", targets = [ { format = "rgba8unorm", blend = { color = { dstFactor = "one" }, alpha = { dstFactor = "one" } } } ] }
[[passes]]
type = "render"
colorAttachments = [ { texture = "picture", loadOp = "load" } ]
draws = [ { pipeline = "p", bindings = [ { binding = 0, buffer = "frame" } ], draw = { vertexCount = 3 } } ]
[[outputs]]
name = "picture"
texture = "picture"
"#;

fn picture(path: &str) -> Picture {
    Picture::from_png(&std::fs::read(path).expect("a picture"), None).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// Each frame goes on from what the one before left, in each place by itself.
#[test]
fn frames_follow_each_other() {
    let s = Scratch::new("film-frames");
    let scene = s.write("a.toml", CLOCK);
    let (folder, raw) = (s.path("out"), format!("picture={}", s.path("a.raw")));
    let args =
        ["render", &scene, "--target", "interp,gcn", "--frames", "3", "--fps", "1", "-o", &folder, "--dump", &raw];
    let said = expect(&args, 0, "greatest difference to the oracle: none");
    assert_eq!(said.matches("rendered 1 pass").count(), 2, "{said}");
    for place in ["interp", "gcn-gfx8"] {
        for (k, want) in [([16, 0], [0, 0]), ([32, 0], [1, 1]), ([48, 0], [3, 3])].iter().enumerate() {
            let p = picture(&format!("{folder}.{place}/{k:04}.png"));
            assert_eq!(p.pixel(0, 0).expect("a pixel")[..2], want.0, "{place} {k}");
            assert_eq!(p.pixel(3, 1).expect("a pixel")[1..3], want.1, "{place} {k}");
        }
        let raw = std::fs::read(s.path(&format!("a.{place}.raw"))).expect("bytes");
        assert_eq!(raw, picture(&format!("{folder}.{place}/0002.png")).rgba, "{place}: the bytes are the last frame's");
        assert!(!std::path::Path::new(&format!("{folder}.{place}/0003.png")).exists());
    }
    let film = s.path("a.png");
    expect(&["render", &scene, "--frames", "3", "-o", &film], 0, "rendered");
    let bytes = std::fs::read(&film).expect("a film");
    assert_eq!(bytes.windows(4).filter(|w| w == b"fcTL").count(), 3);
    // Numbers of frames and of repetitions: three, and for ever.
    let control = bytes.windows(4).position(|w| w == b"acTL").expect("an animation") + 4;
    assert_eq!(bytes[control..control + 8], [0, 0, 0, 3, 0, 0, 0, 0]);
    assert_eq!(picture(&film).pixel(0, 0).expect("a pixel")[0], 16, "the first frame stands for the film");
}

/// A time and a place of the mouse reach scenes that ask for them, and no others.
#[test]
fn scenes_are_told_the_moment() {
    let s = Scratch::new("film-moment");
    let scene = s.write("a.toml", CLOCK);
    let png = s.path("a.png");
    expect(&["render", &scene, "-o", &png, "--time", "2", "--mouse", "5,7"], 0, "rendered");
    // At 60 frames a second; 5,7,5,7 of the mouse over green, blue and what is clamped.
    assert_eq!(picture(&png).pixel(3, 0).expect("a pixel"), [5, 2 + 7, 120 + 5, 7]);
    expect(&["render", &scene, "-o", &png, "--size", "8x6"], 0, "rendered");
    let p = picture(&png);
    assert_eq!((p.width, p.height, p.pixel(3, 5), p.pixel(4, 5)), (8, 6, Some([16, 0, 0, 0]), Some([0; 4])));
    let other = s.write("b.toml", CLOCK.replace("{ frame = true }", "{ size = 64 }"));
    expect(
        &["render", &other, "-o", &png, "--time", "2"],
        2,
        "--time: the scene has no buffer with `frame = true` or `follows`",
    );
    expect(&["render", &other, "-o", &png, "--frames", "2"], 0, "rendered");
    let wrong = s.write("c.toml", CLOCK.replace("{ frame = true }", "{ frame = true, size = 64 }"));
    expect(&["render", &wrong, "-o", &png], 1, "a buffer with `frame = true` has no data and no `size` of its own");
}

/// Uniforms outside of blocks and members of blocks advance by their names, in a fragment shader alone and in a scene that is made.
#[test]
fn uniforms_advance_by_their_names() {
    let s = Scratch::new("film-loose");
    let (out, film) = (s.path("a.png"), s.path("frames"));
    let alone = "#version 330\nuniform float iTime;\nuniform int iFrame;\nuniform vec2 u_resolution;\nuniform vec2 mouse;\nout vec4 c;\n\
        void main() { c = vec4(iTime, iFrame + u_resolution.x, mouse.y, 255.0) / 255.0; }\n";
    let alone = s.write("alone.frag", alone);
    let vertex = "#version 450\nvoid main() {\n    vec2 p = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 4.0 - 1.0;\n    \
        gl_Position = vec4(p, 0.0, 1.0);\n}\n";
    let fragment = "#version 450\nlayout(set = 0, binding = 3) uniform Params { vec4 tint; float time; int frame; vec2 mouse; } params;\n\
        layout(location = 0) out vec4 c;\nvoid main() {\n    \
        c = vec4(params.time, params.frame + 4.0 * params.tint.a, params.mouse.y, 255.0) / 255.0;\n}\n";
    let (vertex, fragment) = (s.write("a.vert", vertex), s.write("a.frag", fragment));
    let moment = ["--time", "10", "--mouse", "0,9", "--size", "4x4"];
    for inputs in [&[alone.as_str()][..], &[&vertex, &fragment]] {
        let draw =
            |more: &[&str]| gpucc().arg("render").args(inputs).args(moment).args(more).output().expect("it starts");
        let o = draw(&["-o", &film, "--frames", "3", "--fps", "2"]);
        // Without the reference compiler such texts are refused.
        if o.status.code() == Some(3) {
            return;
        }
        assert_eq!(o.status.code(), Some(0), "{}", text(&o));
        for (k, want) in [[10, 4, 9], [11, 5, 9], [11, 6, 9]].iter().enumerate() {
            let p = picture(&format!("{film}/{k:04}.png")).pixel(1, 1).expect("a pixel");
            // Half a step rounds to either side.
            assert!(p[0].abs_diff(want[0]) <= u8::from(k == 1), "{inputs:?} {k}: {p:?}");
            assert_eq!(&p[1..3], &want[1..], "{inputs:?} {k}");
        }
        assert_eq!(draw(&["-o", &out, "--skip", "6"]).status.code(), Some(0));
        assert_eq!(picture(&out).pixel(0, 0).expect("a pixel")[1], 10, "{inputs:?}");
        std::fs::remove_dir_all(&film).expect("the folder");
    }
    let init = gpucc().args(["render", "--init", &vertex, &fragment]).output().expect("it starts");
    let scene = String::from_utf8_lossy(&init.stdout);
    assert!(scene.contains("{ value = \"frame\", offset = 20, integer = true }"), "{scene}");
    // The same in a scene that a person wrote, and what is wrong with it.
    let scene = CLOCK.replace("{ frame = true }", "{ size = 64, follows = [{ value = \"time\", offset = 12 }] }");
    let one = s.write("one.toml", &scene);
    expect(&["render", &one, "-o", &out, "--time", "3"], 0, "rendered");
    assert_eq!(picture(&out).pixel(0, 0), Some([0, 3, 0, 0]));
    for (from, to, needle) in [
        ("offset = 12", "offset = 10", "not a multiple of 4"),
        ("offset = 12", "offset = 64", "follows[0]: it ends behind the 64 bytes"),
        ("offset = 12", "offset = 12, components = 2", "1 of other values"),
        ("\"time\"", "\"tim\"", "tim"),
        ("size = 64", "frame = true", "as a whole"),
    ] {
        let wrong = s.write("wrong.toml", scene.replace(from, to));
        expect(&["render", &wrong, "-o", &out], 1, needle);
    }
}

/// Each place is compared with the oracle, which is drawn beside them.
#[test]
fn differences_are_told_and_drawn() {
    let s = Scratch::new("film-diff");
    let scene = s.write("a.toml", CLOCK);
    let (png, diff, sheet) = (s.path("a.png"), s.path("d.png"), s.path("s.png"));
    let args = ["render", &scene, "--target", "all", "-o", &png, "--diff", &diff, "--sheet", &sheet];
    let said = expect(&args, 0, "greatest difference to the oracle");
    assert_eq!(said.matches("greatest difference").count(), 4, "{said}");
    assert_eq!(said.matches("rendered 1 pass").count(), 4, "the oracle is drawn beside them: {said}");
    for place in ["gcn-gfx8", "tesla-nva3", "valhall-v10", "vivante-gc3000"] {
        assert_eq!(picture(&s.path(&format!("d.{place}.png"))).pixel(0, 0), Some([1, 1, 1, 255]), "{place}");
    }
    // Five cells in three columns: gaps of 8, letters of 8 below 2 rows of 4 pixels.
    let p = picture(&sheet);
    assert_eq!((p.width, p.height), (3 * (4 + 8) + 8, 2 * (2 + 4 + 8 + 8) + 8));
    assert_eq!(p.pixel(8, 8), Some([16, 0, 0, 255]));
    expect(&["render", &scene, "--diff", &diff], 2, "nothing else is drawn");
    expect(&["render", &scene, "--target", "gcn", "-o", &png, "--diff", &png], 2, "written twice");
    expect(&["render", &scene, "--sheet", &scene], 2, "is the input");
    expect(&["render", &scene, "-o", &png, "--fps", "3"], 2, "--frames");
    expect(&["render", &scene, "--oracle", "--frames", "3"], 2, "no output requested");
}

/// The command of the README's sheet, at low resolution: the oracle and the default generation of each family, three in a row.
#[test]
fn the_sheet_of_the_page_is_made_by_its_command() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let text = std::fs::read_to_string(root.join("README.md")).expect("the page");
    let command = "render examples/scenes/marble.toml --size 320x180 --target all --sheet docs/pictures/marble.png";
    assert!(text.contains(&format!("`gpucc {command}`")), "the page has no such command");
    let s = Scratch::new("film-page");
    let (scene, sheet) = (root.join("examples/scenes/marble.toml"), s.path("sheet.png"));
    let scene = scene.to_string_lossy();
    let args = ["render", &scene, "--size", "64x36", "--target", "all", "--sheet", &sheet, "-o", &s.path("a.png")];
    let said = expect(&args, 0, "rendered");
    assert_eq!(said.matches("greatest difference to the oracle").count(), 4, "{said}");
    let (page, small) = (picture(&root.join("docs/pictures/marble.png").to_string_lossy()), picture(&sheet));
    assert!(page.width > 3 * 320 && page.height > 2 * 180, "{} x {}", page.width, page.height);
    assert!(small.width > 3 * 64 && small.height > 2 * 36, "{} x {}", small.width, small.height);
}
