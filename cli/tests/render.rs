//! `gpucc render`: pictures, bytes, exit codes and sentences.

use crate::common::{Scratch, expect, feed, gpucc, text};

/// A triangle over the left lower half, red, on blue.
const TRIANGLE: &str = r#"
format = "scene-1"
shaders.m.wgsl = """
@vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4<f32> {
    let at = vec2<f32>(f32(i & 1u), f32(i >> 1u));
    return vec4<f32>(at * 2.0 - 1.0, 0.0, 1.0);
}
@fragment fn fs() -> @location(0) vec4<f32> { return vec4<f32>(1.0, 0.0, 0.0, 1.0); }
"""
textures.picture = { format = "rgba8unorm", size = [4, 4] }
[pipelines.p]
vertex = { shader = "m" }
fragment = { shader = "m", targets = [ { format = "rgba8unorm" } ] }
[[passes]]
type = "render"
colorAttachments = [ { texture = "picture", clearValue = [0, 0, 1, 1] } ]
draws = [ { pipeline = "p", draw = { vertexCount = 3 } } ]
[[outputs]]
name = "picture"
texture = "picture"
"#;

/// A dispatch that doubles numbers.
const DOUBLE: &str = r#"
format = "scene-1"
shaders.m.wgsl = """
@group(0) @binding(0) var<storage, read_write> v: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) g: vec3<u32>) { v[g.x] *= 2u; }
"""
buffers.v = { u32 = [1, 2, 3, 4] }
pipelines.p = { compute = { shader = "m" } }
passes = [ { type = "compute", pipeline = "p", bindings = [ { binding = 0, buffer = "v" } ], dispatch = [1] } ]
outputs = [ { name = "v", buffer = "v" } ]
"#;

/// The texels of the triangle: corners are (0, 4), (4, 4) and (0, 0) in pixels, so the hypotenuse goes through the
/// centres of the diagonal, and it is a right edge there: those pixels are not covered.
fn triangle() -> Vec<u8> {
    let pixel = |k: usize| if k % 4 < k / 4 { [255, 0, 0, 255] } else { [0, 0, 255, 255] };
    (0..16).flat_map(pixel).collect()
}

#[test]
fn a_triangle_becomes_bytes_and_a_picture() {
    let s = Scratch::new("render");
    let scene = s.write("a.toml", TRIANGLE);
    let (png, raw) = (s.path("a.png"), s.path("a.raw"));
    for level in ["-O0", "-O2", "-O3"] {
        let dump = format!("picture={raw}");
        let args = ["render", &scene, "--target", "interp", level, "-o", &png, "--dump", &dump, "--oracle=source"];
        let said = expect(&args, 0, "rendered 1 pass: 1 draw");
        assert!(said.contains("oracle: match (1 output, 64 bytes"), "{said}");
        assert_eq!(std::fs::read(&raw).expect("bytes"), triangle());
        let picture = std::fs::read(&png).expect("a picture");
        assert!(picture.starts_with(b"\x89PNG\r\n\x1a\n"));
    }
    expect(&["render", &scene, "--target", "interp", "--oracle"], 0, "bit-exact");
}

/// The triangle of machine code is that of the oracle.
#[test]
fn a_triangle_is_drawn_by_a_machine() {
    let s = Scratch::new("render-machine");
    let scene = s.write("a.toml", TRIANGLE);
    let raw = s.path("a.raw");
    let targets =
        ["gcn:gfx6", "gcn:gfx7", "gcn:gfx8", "valhall:v9", "valhall:v10", "tesla:nv50", "tesla:nva3", "vivante:gc7000"];
    for (target, level) in targets.iter().flat_map(|t| [(*t, "-O0"), (*t, "-O2")]) {
        let dump = format!("picture={raw}");
        let args = ["render", &scene, "--target", target, level, "--dump", &dump, "--oracle=source"];
        let said = expect(&args, 0, "rendered 1 pass: 1 draw");
        assert!(said.contains("oracle: match (1 output, 64 bytes"), "{said}");
        assert_eq!(std::fs::read(&raw).expect("bytes"), triangle());
    }
}

#[test]
fn what_a_target_refuses_does_not_stop_the_others() {
    let s = Scratch::new("render-targets");
    let numbered = TRIANGLE
        .replace("@vertex", "enable primitive_index;\n@vertex")
        .replace("fn fs()", "fn fs(@builtin(primitive_index) n: u32)")
        .replace("vec4<f32>(1.0, 0.0, 0.0, 1.0)", "vec4<f32>(1.0, f32(n), 0.0, 1.0)");
    let scene = s.write("a.toml", numbered);
    let dump = format!("picture={}", s.path("a.raw"));
    expect(
        &["render", &scene, "--target", "vivante,interp", "--dump", &dump],
        3,
        "error[primitive-index]: vivante:gc3000",
    );
    assert_eq!(std::fs::read(s.path("a.interp.raw")).expect("bytes"), triangle());
    assert!(!std::path::Path::new(&s.path("a.vivante-gc3000.raw")).exists());
}

#[test]
fn dispatches_on_buffers_run_on_machines() {
    let s = Scratch::new("render-compute");
    let scene = s.write("a.toml", DOUBLE);
    let dump = format!("v={}", s.path("a.raw"));
    expect(&["render", &scene, "--target", "all,interp", "--dump", &dump, "--oracle"], 0, "oracle: match");
    let want: Vec<u8> = [2u32, 4, 6, 8].iter().flat_map(|w| w.to_le_bytes()).collect();
    for place in ["interp", "gcn-gfx8", "tesla-nva3", "valhall-v10", "vivante-gc3000"] {
        assert_eq!(std::fs::read(s.path(&format!("a.{place}.raw"))).expect("bytes"), want, "{place}");
    }
}

#[test]
fn a_shader_alone() {
    let s = Scratch::new("render-alone");
    let shader = s.write(
        "a.wgsl",
        "struct Frame { resolution: vec3<f32>, time: f32 }
         @group(0) @binding(0) var<uniform> f: Frame;
         @fragment fn fs(@location(0) uv: vec2<f32>) -> @location(0) vec4<f32> {
             return vec4<f32>(uv.x * f.resolution.x / 255.0, uv.y * f.resolution.y / 255.0, f.time / 255.0, 1.0); }",
    );
    let dump = format!("picture={}", s.path("a.raw"));
    let args = ["render", &shader, "--target", "interp", "--size", "4x2", "--time", "7", "--dump", &dump];
    expect(&args, 0, "rendered");
    // The centre of pixel x is x + 0.5, which rounds to even or up: a code may be either.
    let bytes = std::fs::read(s.path("a.raw")).expect("bytes");
    for (k, p) in bytes.chunks(4).enumerate() {
        let (x, y) = ((k % 4) as u8, (k / 4) as u8);
        assert!((x..=x + 1).contains(&p[0]) && (y..=y + 1).contains(&p[1]) && p[2..] == [7, 255], "{k}: {p:?}");
    }
    assert_eq!(bytes.len(), 32);
    expect(&["render", &shader, "--target", "interp"], 2, "no output requested");
    expect(&["render", &shader, "--target", "interp", "--size", "0x4", "-o", &s.path("x.png")], 2, "--size 0x4");
    expect(&["render", &shader, "--target", "interp", "--size", "9", "-o", &s.path("x.png")], 2, "`9` is not a value");
    expect(
        &["render", &shader, "--target", "interp", "--entry", "x", "-o", &s.path("x.png")],
        1,
        "no fragment entry point `x`",
    );
    let more = s.write(
        "b.wgsl",
        "@group(1) @binding(0) var<uniform> u: vec4<f32>;
        @fragment fn fs() -> @location(0) vec4<f32> { return u; }",
    );
    let said = expect(&["render", &more, "--target", "interp", "-o", &s.path("x.png")], 1, "nothing is bound for `u`");
    assert!(said.contains("anything else needs a scene"), "{said}");
    assert!(!std::path::Path::new(&s.path("x.png")).exists());
}

#[test]
fn what_is_wrong_is_told_in_a_sentence() {
    let s = Scratch::new("render-wrong");
    let scene = s.write("a.toml", TRIANGLE);
    let png = s.path("a.png");
    // The interpreter of the IR executes other instructions than a machine.
    for (target, counted) in [("interp", " IR instructions"), ("gcn", " instructions")] {
        let said = expect(&["render", &scene, "--target", target, "-o", &s.path("b.png")], 0, ": rendered");
        let count = said.split(", ").find(|p| p.trim_end().ends_with("instructions")).expect("a count").trim_end();
        assert_eq!(count.trim_start_matches(|c: char| c.is_ascii_digit()), counted, "{said}");
    }
    expect(&["render", &scene, "-o", &s.path("b.png")], 0, "interp: rendered");
    expect(&["render", &scene, "--target", "nv", "-o", &png], 2, "interp");
    expect(
        &["render", &scene, "--target", "interp", "--dump", "x=a"],
        2,
        "there is no output `x`; available: `picture`",
    );
    expect(&["render", &scene, "--target", "interp", "-o", &scene], 2, "it is not overwritten");
    for option in [&["--immediates", "u32:1"][..], &["--stage", "fs"], &["--override", "a=1"]] {
        let said = format!("{} applies to single shaders only; a scene sets its own", option[0]);
        expect(&[&["render", &scene, "--target", "interp", "-o", &png][..], option].concat(), 2, &said);
    }
    for option in [&["--glslang"][..], &["-D", "A=1"], &["-I", "."]] {
        expect(&[&["render", &scene, "--frontend", "spirv", "-o", &png][..], option].concat(), 2, "is for GLSL");
    }
    expect(&["render", &s.path("none.toml"), "--target", "interp", "-o", &png], 2, "none.toml");
    expect(&["render", &s.path("none.wgsl"), "--target", "interp", "-o", &png], 2, "none.wgsl");
    expect(&["render", &s.write("a.obj", ""), "--target", "interp", "-o", &png], 2, "neither a scene");
    let steps = ["render", &scene, "--target", "interp", "-o", &png, "--steps", "900"];
    expect(&steps, 1, "passes[0].draws[0]: step limit: the frame is still running after 900 steps");
    let wrong = s.write("b.toml", TRIANGLE.replace("-> @location(0) vec4<f32>", "-> @location(1) vec4<f32>"));
    let said = expect(&["render", &wrong, "--target", "interp", "-o", &png], 1, "pipelines.p.fragment.targets[0]");
    assert!(said.contains("b.toml") && said.contains("no output at location 0"), "{said}");
    // A shader's file that is not there is told before what else is wrong.
    let lacks = TRIANGLE.replace("shaders.m.wgsl", "shaders.n.file = \"none.wgsl\"\nshaders.m.wgsl");
    let lacks = s.write("f.toml", lacks + "\n[[outputs]]\nname = \"x\"\ntexture = \"nothing\"\n");
    expect(
        &["render", &lacks, "--target", "interp", "-o", &png],
        2,
        "shaders.n.file: the file `none.wgsl` cannot be read",
    );
    let wrong = s.write("c.toml", TRIANGLE.replace("f32(i & 1u)", "f32(i & nothing)"));
    expect(&["render", &wrong, "--target", "interp", "-o", &png], 1, "c.toml: shaders.m:2:32");
    let buffers = s.write("d.toml", DOUBLE);
    expect(&["render", &buffers, "--target", "interp", "-o", &png], 1, "an output that is a colour texture");
    assert!(!std::path::Path::new(&png).exists());
    let o = gpucc().args(["render", &wrong, "--target", "interp", "-o", &png, "--message-format", "json"]).output();
    let o = text(&o.expect("the command starts"));
    assert!(o.lines().all(|l| l.starts_with('{')), "{o}");
}

#[test]
fn standard_input_is_a_scene_or_a_shader() {
    let s = Scratch::new("render-stdin");
    let dump = format!("v={}", s.path("a.raw"));
    let json = r#"{"format": "scene-1", "buffers": {"v": {"u32": [7]}}, "outputs": [{"name": "v", "buffer": "v"}]}"#;
    let o = feed(&["render", "-", "--target", "interp", "--dump", &dump], json);
    assert_eq!(
        (o.status.code(), std::fs::read(s.path("a.raw")).ok()),
        (Some(0), Some(vec![7, 0, 0, 0])),
        "{}",
        text(&o)
    );
    let shader = "@fragment fn fs() -> @location(0) vec4<f32> { return vec4<f32>(1.0); }";
    let dump = format!("picture={}", s.path("b.raw"));
    let o = feed(&["render", "-", "--target", "interp", "--size", "1x1", "--dump", &dump], shader);
    assert_eq!((o.status.code(), std::fs::read(s.path("b.raw")).ok()), (Some(0), Some(vec![255; 4])), "{}", text(&o));
}

/// Options of the compilation are those of a picture, too: each changes the pixel, or is accepted where the reader alone is another.
#[test]
fn a_shader_alone_takes_options_of_a_compilation() {
    let s = Scratch::new("render-options");
    let dump = format!("picture={}", s.path("p"));
    let pixel = |input: &str, more: &[&str]| {
        expect(&[&["render", input, "--size", "2x2", "--dump", &dump][..], more].concat(), 0, "rendered");
        s.read("p")[..4].to_vec()
    };
    let constant = s.write(
        "o.wgsl",
        "override X = 0.2; @fragment fn fs() -> @location(0) vec4f { return vec4f(X, 0.0, 0.0, 1.0); }",
    );
    assert_eq!(pixel(&constant, &[]), [51, 0, 0, 255]);
    assert_eq!(pixel(&constant, &["--override", "X=0.4"]), [102, 0, 0, 255]);
    let wesl = s.write(
        "f.wesl",
        "@fragment fn fs() -> @location(0) vec4f { @if(RED) return vec4f(1.0, 0.0, 0.0, 1.0); return vec4f(0.0, 1.0, 0.0, 1.0); }",
    );
    assert_eq!(pixel(&wesl, &[]), [0, 255, 0, 255]);
    assert_eq!(pixel(&wesl, &["--feature", "RED"]), [255, 0, 0, 255]);
    let glsl = s.write(
        "g.frag",
        "#version 450\nlayout(location = 0) out vec4 o;\nvoid main() { o = vec4(0.0, 0.0, 1.0, 1.0); }\n",
    );
    for more in [&[][..], &["--frontend", "naga"], &["--robust", "off"], &["--robust", "zero"], &["-O", "0"]] {
        assert_eq!(pixel(&glsl, more), [0, 0, 255, 255], "{more:?}");
    }
    // Of a pair too.
    let both = "override X = 0.2; @vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {\n\
        return vec4f(vec2f(f32(i & 1u), f32(i >> 1u)) * 4.0 - 1.0, 0.0, 1.0); }\n\
        @fragment fn fs() -> @location(0) vec4f { return vec4f(X, 0.0, 0.0, 1.0); }\n";
    assert_eq!(pixel(&s.write("both.wgsl", both), &["--override", "X=0.4"]), [102, 0, 0, 255]);
}

#[test]
fn a_shader_alone_takes_immediates() {
    let s = Scratch::new("render-immediates");
    let shader =
        s.write("a.wgsl", "var<immediate> c: vec4<f32>;\n@fragment fn main() -> @location(0) vec4<f32> { return c; }");
    let (out, dump) = (s.path("a.png"), format!("picture={}", s.path("a.bin")));
    let run = ["render", &shader, "--size", "2x1", "-o", &out, "--dump", &dump];
    for target in ["interp", "gcn"] {
        expect(&[&run[..], &["--target", target, "--immediates", "f32:1,0,0,1"]].concat(), 0, "");
        assert_eq!(std::fs::read(s.path("a.bin")).expect("the bytes"), [255, 0, 0, 255, 255, 0, 0, 255]);
    }
    expect(&run, 1, "give it with --immediates SPEC");
}

/// A texture that a driver part has no words for is no fault of the scene: a refusal by its code. Tesla's windows have rows of at most 64 KiB.
#[test]
fn holes_of_a_driver_part_are_refusals() {
    let s = Scratch::new("holes");
    let scene = s.write(
        "wide.toml",
        r#"
format = "scene-1"
shaders.m.wgsl = """
@group(0) @binding(0) var t: texture_storage_2d<rgba32float, write>;
@compute @workgroup_size(1) fn main() { textureStore(t, vec2(0), vec4(1.0)); }
"""
textures.t = { format = "rgba32float", size = [5000, 1] }
pipelines.p = { compute = { shader = "m" } }
passes = [ { type = "compute", pipeline = "p", bindings = [ { binding = 0, texture = "t" } ], dispatch = [1] } ]
outputs = [ { name = "t", texture = "t" } ]
"#,
    );
    let dump = format!("t={}", s.path("t.bin"));
    expect(&["render", &scene, "--target", "interp,gcn", "--dump", &dump], 0, "");
    let said =
        expect(&["render", &scene, "--target", "tesla:all", "--dump", &dump], 3, "error[not-modelled]: passes[0]: ");
    assert_eq!(said.matches("error[not-modelled]").count(), 4, "{said}");
}

/// `--image-format` says the format of a storage image of SPIR-V that says none: the made scene has it, and texels are read so.
#[test]
fn formats_of_images_are_given() {
    let s = Scratch::new("render-image-format");
    let vertex = "#version 450\nvoid main() {\n\
        gl_Position = vec4(gl_VertexIndex == 1 ? 3.0 : -1.0, gl_VertexIndex == 2 ? 3.0 : -1.0, 0.5, 1.0); }\n";
    let fragment = "#version 450\n#extension GL_EXT_shader_image_load_formatted : require\nlayout(location = 0) out vec4 c;\n\
        layout(set = 0, binding = 0) uniform image2D a;\nvoid main() { c = imageLoad(a, ivec2(0)); }\n";
    let [v, f] = [("a.vert", vertex), ("a.frag", fragment)].map(|(name, text)| {
        let (source, spv) = (s.write(name, text), s.path(&format!("{name}.spv")));
        let made = std::process::Command::new("glslangValidator").args(["-V", &source, "-o", &spv]).output();
        made.is_ok_and(|o| o.status.success()).then_some(spv)
    });
    let (Some(v), Some(f)) = (v, f) else {
        eprintln!("skipped: there is no `glslangValidator`");
        return;
    };
    let raw = format!("picture={}", s.path("p.raw"));
    let render = |formats: &[&str], code: i32, needle: &str| {
        let formats: Vec<&str> = formats.iter().flat_map(|f| ["--image-format", f]).collect();
        let args = ["render", &v, &f, "--size", "2x2", "--target", "interp", "--dump", &raw];
        expect(&[&args[..], &formats].concat(), code, needle)
    };
    // Images of a made scene hold zeros; what a format has no component for is 0, and 1 for alpha.
    for (format, pixel) in [("rgba8unorm", [0, 0, 0, 0]), ("r32float", [0, 0, 0, 255])] {
        render(&[&format!("0:0={format}")], 0, "rendered");
        assert_eq!(s.read("p.raw"), pixel.repeat(4), "{format}");
        let args = ["render", &v, &f, "--init", "--image-format", &format!("0:0={format}")];
        expect(&args, 0, &format!("image_0_0 = {{ format = \"{format}\""));
    }
    // Without it the made scene chooses one.
    render(&[], 0, "rendered");
    render(&["0:0=rgba8unorm", "0:1=rgba8unorm"], 2, "--image-format 0:1");
    render(&["0:0=rgba9"], 2, "`rgba9` is not a texture format");
    render(&["0=rgba8unorm"], 2, "expected GROUP:BINDING=FORMAT");
    // A shader alone has textures that are sampled, and no images.
    expect(&["render", &f, "--image-format", "0:0=rgba8unorm", "-o", &s.path("a.png")], 1, "needs a scene");
}

/// The steps of a pixel: lines of the branch that it takes, as often as the loop runs, and as many instructions as the machine counts.
#[test]
fn steps_of_a_pixel() {
    let s = Scratch::new("pixel");
    let shader = s.write(
        "a.wgsl",
        "@fragment fn main(@builtin(position) p: vec4f) -> @location(0) vec4f {
    var c = p.y * 0.01;
    if p.x > 16.0 {
        for (var k = 0; k < i32(p.x); k++) {
            c = c * 1.5 + 0.25;
        }
    }
    return vec4f(c, c, c, 1.0);
}
",
    );
    let of = |target: &str, pixel: &str, size: &str| {
        let said = expect(&["render", &shader, "--target", target, "--size", size, "--pixel", pixel], 0, "pixel");
        let head = said.lines().find(|l| l.contains("pixel ")).expect("a head").to_string();
        let count: u64 = head
            .rsplit_once(": ")
            .and_then(|h| h.1.split_whitespace().next()?.parse().ok())
            .unwrap_or_else(|| panic!("{said}"));
        (count, said)
    };
    for target in ["interp", "gcn", "valhall", "tesla", "vivante"] {
        let (few, left) = of(target, "3,2", "32x8");
        let (many, right) = of(target, "25,2", "32x8");
        let first = "a.wgsl:2 | var c = p.y * 0.01;";
        assert!(left.contains(first) && right.contains(first), "{target}: {left}");
        let visits = |said: &str| said.matches("a.wgsl:5 | c = c * 1.5 + 0.25;").count();
        assert!(visits(&left) == 0 && visits(&right) >= 24, "{target}: {left}\n{right}");
        // Values by hand: the middle of the pixel, and the first two rounds, which a machine may round once or twice.
        let named = |x: f32| match target {
            "interp" => format!(" = {x:?}"),
            _ => format!(" = {:#010x} ({x:?})", x.to_bits()),
        };
        let line = |said: &str, line: &str| -> String {
            let parts = said.split("a.wgsl:").filter(|p| p.starts_with(line)).collect::<Vec<_>>();
            parts.concat()
        };
        let mut now = vec![2.5_f32 * 0.01];
        for said in [&left, &right] {
            assert!(line(said, "2 |").contains(&named(now[0])), "{target}: {said}");
        }
        for _ in 0..2 {
            now = now.iter().flat_map(|c| [c * 1.5 + 0.25, c.mul_add(1.5, 0.25)]).collect();
            assert!(now.iter().any(|c| line(&right, "5 |").contains(&named(*c))), "{target}: {now:?}: {right}");
        }
        // Line 5 is of this pixel alone where its quad parts.
        let (_, parted) = of(target, "15,2", "32x8");
        assert!(line(&parted, "5 |").is_empty(), "{target}: {parted}");
        assert!(many > few + 40, "{target}: {few} {many}");
    }
    // The oracle and a machine side by side: each line of the source once where both come to it together.
    let (_, both) = of("interp,gcn", "3,2", "32x8");
    assert!(both.contains("\ngcn:gfx8: pixel 3,2, passes[0].draws[0]: "), "{both}");
    let columns: Vec<(&str, &str)> = both.lines().filter_map(|l| l.split_once(" |")).collect();
    assert!(columns.iter().any(|c| c.0.contains("= 0.024999999")), "{both}");
    assert!(columns.iter().any(|c| c.1.contains("= 0x3ccccccc (0.024999999)")), "{both}");
    // Both come to the last line once, and stand in one row there.
    assert_eq!(both.matches("a.wgsl:8 | return").count(), 1, "{both}");
    // A picture of one quad: what its pixel executes is what the run counts, without the vertices.
    let (count, _) = of("gcn", "0,0", "2x2");
    let args = ["render", &shader, "--target", "gcn", "--size", "2x2", "--stats", "-o", &s.path("o.png")];
    let said = expect(&args, 0, "instructions");
    let all: u64 = said
        .lines()
        .find_map(|l| l.strip_prefix("gcn:gfx8: ")?.split_whitespace().next()?.parse().ok())
        .unwrap_or_else(|| panic!("{said}"));
    assert!(count < all && count > all / 4, "{count} of {all}");
    expect(&["render", &shader, "--pixel", "640,1"], 2, "inside of the picture of 640x360");
    expect(&["render", &shader, "--pixel", "1"], 2, "expected X,Y");
}

/// Heat is what the pixels execute: a branch that only the right half takes, and a second triangle over a part, are seen in it.
#[test]
fn heat() {
    let s = Scratch::new("heat");
    let shader = s.write(
        "a.wgsl",
        "@fragment fn main(@builtin(position) p: vec4f) -> @location(0) vec4f {
    var c = p.y * 0.01;
    if p.x > 16.0 { for (var k = 0; k < 40; k++) { c = sin(c) + f32(k) * 0.1; } }
    return vec4f(c, c, c, 1.0);
}
",
    );
    let out = s.path("h.png");
    for target in ["interp", "gcn", "valhall", "tesla", "vivante"] {
        let args = ["render", &shader, "--target", target, "--size", "32x8", "--heat", &out];
        let said = expect(&args, 0, "instructions a pixel");
        let (width, _, pixels) = png(&s.read("h.png"));
        let at = |x: usize, y: usize| &pixels[4 * (y * width as usize + x)..][..3];
        // The sheet leaves 8 pixels around the picture.
        let (left, right) = (at(8 + 3, 8 + 3).to_vec(), at(8 + 28, 8 + 3).to_vec());
        assert!(left[2] > left[0] && right[0] > right[2], "{target}: {left:?} {right:?}");
        let numbers: Vec<u64> = said
            .split("heat: ")
            .nth(1)
            .expect("a sentence")
            .split_whitespace()
            .filter_map(|w| w.parse().ok())
            .take(2)
            .collect();
        assert!(numbers[1] > 4 * numbers[0] && numbers[0] > 0, "{target}: {said}");
        // One quad of four pixels is a subgroup: counts of all quads are those of the run.
        if target == "gcn" {
            expect(&[&args[..], &["--heat-by", "cycles"]].concat(), 0, "cycles a pixel");
            let said = expect(&[&args[..], &["--heat-by", "invocations"]].concat(), 0, "invocations a pixel");
            assert!(said.contains("1 to 1 invocations a pixel, 1 in the mean of 256 pixels"), "{said}");
        }
    }
    expect(&["render", &shader, "--heat", &out, "--heat-by", "cycles"], 2, "no costs");
    expect(&["render", &shader, "--heat-by", "cycles", "-o", &out], 2, "--heat");
    // Pictures are the same with it.
    let (a, b) = (s.path("a.png"), s.path("b.png"));
    expect(&["render", &shader, "--target", "gcn", "--size", "32x8", "-o", &a], 0, "");
    expect(&["render", &shader, "--target", "gcn", "--size", "32x8", "-o", &b, "--heat", &out], 0, "");
    assert_eq!(s.read("a.png"), s.read("b.png"));
}

/// Width, height and bytes of a PNG file.
fn png(bytes: &[u8]) -> (u32, u32, Vec<u8>) {
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().expect("a PNG file");
    let mut data = vec![0; reader.output_buffer_size().expect("a size")];
    let info = reader.next_frame(&mut data).expect("a picture");
    (info.width, info.height, data)
}
