//! GLSL as people write it, by the reference compiler: values are computed by hand from the language's rules. What naga's parser gives
//! another meaning is refused where it is the reader. Without `glslangValidator` the first half is skipped.

use gpucc_glsl::{has, need};

use crate::common::{Scratch, expect, gpucc, text};

/// A compute program with the buffer `o` of integers at 0:0.
fn compute(globals: &str, body: &str) -> String {
    format!(
        "#version 450\nlayout(local_size_x = 1) in;\nlayout(set = 0, binding = 0) buffer O {{ int o[]; }};\n{globals}\nvoid main() {{ {body} }}\n"
    )
}

/// Runs a program on zeros; the words are those at the start of the buffer.
#[track_caller]
fn runs(s: &Scratch, text: &str, words: &str) {
    let shader = s.write("a.comp", text);
    let args = ["run", &shader, "--buf", "0:0=zero:16", "--dump", "0:0=-:i32"];
    if has("glslangValidator") {
        for more in [&[][..], &["--glslang"]] {
            expect(&[&args[..], more].concat(), 0, &format!("0:0 = {words}"));
        }
    }
}

#[track_caller]
fn refused_by_naga(s: &Scratch, ending: &str, text: &str) {
    let shader = s.write(&format!("b.{ending}"), text);
    expect(&[&shader, "--frontend", "naga", "--target", "gcn", "-o", &s.path("o")], 3, "error[parser]");
}

#[test]
fn conditions_behind_a_continue() {
    let s = Scratch::new("glsl-continue");
    let one = compute("", "int i = 0; do { i++; if (i == 3) continue; } while (i < 3); o[0] = i;");
    runs(&s, &one, "3,0,0,0");
    let two =
        "int j = 0, k = 0; do { j++; if ((j & 1) == 1) continue; k++; } while (j != 3 && j < 6); o[0] = j; o[1] = k;";
    runs(&s, &compute("", two), "3,1,0,0");
    refused_by_naga(&s, "comp", &one);
}

#[test]
fn right_sides_that_are_not_needed() {
    let s = Scratch::new("glsl-short");
    let call = "int n; bool t() { n++; return true; }";
    let or = compute(call, "bool a = o[3] == 0 || t(); o[0] = n; o[1] = int(a);");
    runs(&s, &or, "0,1,0,0");
    runs(&s, &compute(call, "bool a = o[3] == 0 && t(); o[0] = n; o[1] = int(a);"), "1,1,0,0");
    runs(&s, &compute("", "int i = 0; bool a = o[3] == 0 || i++ > 0; o[0] = i;"), "0,0,0,0");
    refused_by_naga(&s, "comp", &or);
}

#[test]
fn initial_values_that_are_computed() {
    let s = Scratch::new("glsl-globals");
    let globals = "float f = 1.5; float g = f + 1.0; vec2 v = vec2(f, 3.0); float h[2] = float[2](f, 2.0);";
    let text = compute(globals, "o[0] = int(g * 2.0); o[1] = int(v.x * 2.0); o[2] = int(v.y); o[3] = int(h[0] * 2.0);");
    runs(&s, &text, "5,3,3,3");
    refused_by_naga(&s, "comp", &text);
    let special = "layout(constant_id = 0) const float X = 4.0; float a = X; float b[2] = float[2](X, 2.0);";
    let text = compute(special, "o[0] = int(a); o[1] = int(b[0]); o[2] = int(b[1]);");
    runs(&s, &text, "4,4,2,0");
    refused_by_naga(&s, "comp", &text);
}

#[test]
fn blocks_in_an_array_are_buffers_each() {
    let s = Scratch::new("glsl-blocks");
    let text =
        "#version 450\nlayout(set = 0, binding = 0) buffer O { float o; } b[2];\nvoid main() { b[1].o = 5.0; }\n";
    refused_by_naga(&s, "comp", text);
    need!("glslangValidator");
    let shader = s.write("a.comp", text);
    let buffers = ["--buf", "0:0=zero:4", "--buf", "0:0[1]=zero:4"];
    let dumps = ["--dump", "0:0=-:f32", "--dump", "0:0[1]=-:f32"];
    let said = expect(&[&["run", &shader][..], &buffers, &dumps].concat(), 0, "0:0 = 0");
    assert!(said.contains("0:0[1] = 5"), "{said}");
}

/// Places of an interface: clip distances are no varyings, and where a varying is taken is kept.
#[test]
fn interfaces_are_what_the_text_says() {
    let s = Scratch::new("glsl-interfaces");
    let clip = "#version 450\nout float gl_ClipDistance[2];\nvoid main() { gl_Position = vec4(0.0); gl_ClipDistance[0] = 1.0; gl_ClipDistance[1] = 2.0; }\n";
    refused_by_naga(&s, "vert", clip);
    let fragment = |inputs: &str, body: &str| {
        format!("#version 450\nlayout(location = 0) out vec4 c;\n{inputs}\nvoid main() {{ c = {body}; }}\n")
    };
    let places =
        fragment("layout(location = 2) centroid in vec2 p; layout(location = 3) sample in vec2 q;", "vec4(p, q)");
    refused_by_naga(&s, "frag", &places);
    let flat = fragment("layout(location = 0) flat in float a[2];", "vec4(a[0], a[1], 0.0, 0.0)");
    refused_by_naga(&s, "frag", &flat);
    need!("glslangValidator");
    let gir = |name: &str, text: &str| {
        let args = [&s.write(name, text), "--target", "gcn", "--emit", "gir", "-o", "-"].map(String::from);
        let o = crate::common::gpucc().args(&args).output().expect("the command starts");
        assert!(o.status.success(), "{}", String::from_utf8_lossy(&o.stderr));
        String::from_utf8_lossy(&o.stdout).into_owned()
    };
    let said = gir("clip.vert", clip);
    assert!(said.contains("clip_distance 0") && said.contains("clip_distance 1"), "{said}");
    let said = gir("places.frag", &places);
    assert!(said.contains("centroid") && said.contains("sample"), "{said}");
    let said = gir("flat.frag", &flat);
    assert_eq!(said.lines().filter(|l| l.contains("location") && l.contains("flat")).count(), 2, "{said}");
}

/// `texelFetchOffset` adds its offset: 10 y + x at (2, 1) is 12.
#[test]
fn offsets_of_fetches() {
    let s = Scratch::new("glsl-fetch");
    let text = "#version 450\nlayout(location = 0) out uvec4 c;\nlayout(set = 0, binding = 0) uniform utexture2D t;\nlayout(set = 0, binding = 1) uniform sampler s;\nvoid main() { c = texelFetchOffset(usampler2D(t, s), ivec2(0), 0, ivec2(2, 1)); }\n";
    refused_by_naga(&s, "frag", text);
    need!("glslangValidator");
    s.write("f.frag", text);
    s.write("f.vert", "#version 450\nvoid main() { gl_Position = vec4(gl_VertexIndex == 1 ? 3.0 : -1.0, gl_VertexIndex == 2 ? 3.0 : -1.0, 0.0, 1.0); }\n");
    let texels: Vec<String> = (0..16).map(|k| format!("{}", k / 4 * 10 + k % 4)).collect();
    let scene = s.write(
        "f.toml",
        format!(
            "format = \"scene-1\"\n[shaders]\nv = {{ file = \"f.vert\" }}\nf = {{ file = \"f.frag\" }}\n\
             [textures]\npicture = {{ format = \"rgba32uint\", size = [1, 1] }}\n\
             t = {{ format = \"r32uint\", size = [4, 4], contents = {{ u32 = [{}] }} }}\n[samplers]\ns = {{}}\n\
             [pipelines.p]\nvertex = {{ shader = \"v\" }}\nfragment = {{ shader = \"f\", targets = [{{ format = \"rgba32uint\" }}] }}\n\
             [[passes]]\ntype = \"render\"\ncolorAttachments = [{{ texture = \"picture\" }}]\n[[passes.draws]]\npipeline = \"p\"\n\
             draw = {{ vertexCount = 3 }}\nbindings = [{{ binding = 0, texture = \"t\" }}, {{ binding = 1, sampler = \"s\" }}]\n\
             [[outputs]]\nname = \"picture\"\ntexture = \"picture\"\n",
            texels.join(", ")
        ),
    );
    let out = s.path("p");
    expect(&["render", &scene, "--dump", &format!("picture={out}")], 0, "");
    let bytes = std::fs::read(&out).expect("the picture");
    assert_eq!(bytes[..4], 12u32.to_le_bytes());
}

#[test]
fn members_of_a_block_hide_nothing() {
    let s = Scratch::new("glsl-members");
    let globals = "int n = 4; layout(set = 0, binding = 1, std430) buffer D { int n; int j; } d;";
    let text = compute(globals, "n++; d.j = 98; o[0] = n; o[1] = d.n; o[2] = d.j;");
    refused_by_naga(&s, "comp", &text);
    if has("glslangValidator") {
        let shader = s.write("a.comp", text);
        let args = ["run", &shader, "--buf", "0:0=zero:16", "--buf", "0:1=i32:97,0", "--dump", "0:0=-:i32"];
        expect(&args, 0, "0:0 = 5,97,98,0");
    }
}

/// Forms that naga's parser calls wrong or has not.
#[test]
fn forms_that_have_their_meaning() {
    let s = Scratch::new("glsl-forms");
    runs(&s, &compute("", "precise float a = float(o[1]) + 3.0; o[0] = int(a);"), "3,0,0,0");
    runs(&s, &compute("", "float w; float f = modf(2.5, w); o[0] = int(f * 2.0); o[1] = int(w);"), "1,2,0,0");
    runs(&s, &compute("", "uint h, l; umulExtended(0x80000001u, 6u, h, l); o[0] = int(h); o[1] = int(l);"), "3,6,0,0");
    runs(&s, &compute("", "o[0] = 2147483647 << 3; o[1] = atomicAdd(o[2], 7);"), "-8,0,7,0");
    let switch = "switch (o[1]) { case 0: o[0] = 5; case 1: o[2] = 6; break; default: o[3] = 7; }";
    runs(&s, &compute("", switch), "5,0,6,0");
    need!("glslangValidator");
    let push = "layout(push_constant) uniform P { layout(offset = 8) int a; } p;";
    let shader = s.write("push.comp", compute(push, "o[0] = p.a;"));
    let args = ["run", &shader, "--immediates", "i32:1,2,3", "--buf", "0:0=zero:4", "--dump", "0:0=-:i32"];
    expect(&args, 0, "0:0 = 3");
}

/// The environment is the one that the text needs; a type keeps its name.
#[test]
fn newer_environments_and_older_names() {
    let s = Scratch::new("glsl-environment");
    need!("glslangValidator");
    let out = s.path("o");
    let broadcast = "#version 450\n#extension GL_KHR_shader_subgroup_ballot : require\nlayout(local_size_x = 4) in;\nlayout(set = 0, binding = 0) buffer O { uint o; };\nvoid main() { o = subgroupBroadcast(o, gl_LocalInvocationIndex & 1u); }\n";
    expect(&[&s.write("b.comp", broadcast), "--target", "gcn", "-o", &out], 0, "");
    let texture = "#version 400\nuniform texture2D t; uniform sampler s; layout(location = 0) out vec4 o;\nvoid main() { o = texture(sampler2D(t, s), vec2(0)); }\n";
    expect(&[&s.write("t.frag", texture), "--target", "gcn", "-o", &out], 0, "");
    let double = s.write("x.frag.glsl", texture);
    expect(&[&double, "--target", "gcn", "-o", &out], 0, "");
    // What a fixed pipeline gave is refused by its name.
    let fixed = "void main() { gl_Position = gl_ModelViewProjectionMatrix * gl_Vertex; }\n";
    expect(&[&s.write("f.vert", fixed), "--target", "gcn", "-o", &out], 3, "gl_ModelViewProjectionMatrix");
}

/// Files beside the source and in folders, macros from outside, and places in each file.
#[test]
fn files_and_macros() {
    let s = Scratch::new("glsl-include");
    std::fs::create_dir_all(s.path("lib/deep")).expect("a folder");
    s.write("near.glsl", "int near() { return 10; }\n");
    s.write("lib/far.glsl", "#include \"deep/more.glsl\"\nint far() { return more() + FAR; }\n");
    s.write("lib/deep/more.glsl", "int more() { return 500; }\n");
    let text = "#version 450\nlayout(local_size_x = 1) in;\n#include \"near.glsl\"\n#include \"far.glsl\"\nlayout(set = 0, binding = 0) buffer O { int o[]; };\nvoid main() { o[0] = near() + far(); }\n";
    let (shader, out, lib) = (s.write("a.comp", text), s.path("o"), s.path("lib"));
    expect(&[&shader, "--frontend", "naga", "--target", "gcn", "-o", &out], 3, "error[parser]");
    need!("glslangValidator");
    let args = ["run", &shader, "-I", &lib, "--buf", "0:0=zero:4", "--dump", "0:0=-:i32"];
    expect(&[&args[..], &["-DFAR=2"]].concat(), 0, "0:0 = 512");
    expect(&[&args[..], &["-D", "FAR=near()"]].concat(), 0, "0:0 = 520");
    expect(&args, 1, "far.glsl:2:");
    expect(&[&args[..], &["-D", "1X"]].concat(), 2, "no name of a macro");
    // In JSON the place is a field of its own.
    let said = expect(&[&args[..], &["--message-format", "json"]].concat(), 1, "\"line\":2");
    assert!(said.contains("lib/far.glsl\""), "{said}");
    let wgsl = s.write("a.wgsl", "@compute @workgroup_size(1) fn main() {}\n");
    for option in [&["-I", "."][..], &["-D", "A"], &["--glslang"]] {
        expect(&[&[&wgsl[..], "--target", "gcn", "-o", &out][..], option].concat(), 2, "is for GLSL");
    }
}

/// Bodies of ShaderToy are read by every command, with places in the author's text.
#[test]
fn bodies_are_read_everywhere() {
    let s = Scratch::new("glsl-body");
    let text =
        "void mainImage(out vec4 c, in vec2 p) {\n    int i = 0;\n    while (i >= 0) { c = vec4(i) + iTime; }\n}\n";
    let (endless, out) = (s.write("endless.frag", text), s.path("o"));
    let readers: &[&[&str]] =
        if has("glslangValidator") { &[&[], &["--frontend", "naga"]] } else { &[&["--frontend", "naga"]] };
    for reader in readers {
        let limit = [&["render", &endless, "--size", "4x4", "--steps", "100000", "-o", &out][..], reader].concat();
        expect(&limit, 1, "endless.frag:3:");
        let json = [&limit[..], &["--message-format", "json"]].concat();
        assert!(expect(&json, 1, "step-limit").contains("\"line\":3"));
        let fine = s.write("fine.frag", text.replace("while (i >= 0)", "if (i >= 0)"));
        expect(&[&[&fine[..], "--target", "all", "-S"][..], reader].concat(), 0, "");
        expect(&[&["stats", &fine, "--target", "gcn"][..], reader].concat(), 0, "");
        expect(&[&[&fine[..], "--target", "gcn", "--verify", "-o", &out][..], reader].concat(), 0, "");
        let wrong = s.write("wrong.frag", text.replace("iTime", "iTim"));
        let code = if reader.is_empty() { 1 } else { 3 };
        expect(&[&[&wrong[..], "--target", "gcn", "-o", &out][..], reader].concat(), code, "wrong.frag:3:");
    }
}

/// Every uniform of the page that bodies come from, and those that a copy declares itself.
#[test]
fn bodies_have_all_uniforms() {
    let s = Scratch::new("glsl-uniforms");
    need!("glslangValidator");
    let all = "uniform vec3 iResolution;\nuniform float iTime;\nvoid mainImage(out vec4 c, in vec2 p) {\n\
        c = vec4(iChannelTime[1] / 10.0, iChannelResolution[2].x / 64.0, iTime / 5.0 * iResolution.x / 4.0, 1.0)\n\
        + (iFrameRate - 60.0 + iSampleRate - 44100.0 + iTimeDelta * 0.0) + (iMouse + iDate) * 0.0 + float(iFrame) * 0.0\n\
        + texture(iChannel3, p) * 0.0; }\n";
    let dump = format!("picture={}", s.path("p"));
    expect(&["render", &s.write("a.frag", all), "--size", "4x4", "--time", "5", "--dump", &dump], 0, "rendered");
    assert_eq!(s.read("p")[..4], [128, 255, 255, 255]);
}

/// Uniforms outside of blocks have the values that their names say, or none.
#[test]
fn loose_uniforms_by_their_names() {
    let s = Scratch::new("glsl-loose");
    need!("glslangValidator");
    let text = |uniforms: &str, colour: &str| {
        format!("#version 300 es\nprecision highp float;\n{uniforms}\nout vec4 o;\nvoid main() {{ o = {colour}; }}\n")
    };
    let out = s.path("o");
    let picture = |shader: &str, pixel: [u8; 4]| {
        let dump = format!("picture={out}");
        let args = ["render", shader, "--size", "200x100", "--time", "5", "--mouse", "51,102", "--dump", &dump];
        expect(&args, 0, "");
        assert_eq!(std::fs::read(&out).expect("the picture")[..4], pixel, "{shader}");
    };
    let many =
        text("uniform float u_time; uniform vec2 u_resolution;", "vec4(u_time / 10.0, u_resolution / 1000.0, 1.0)");
    // 0.5, 0.2 and 0.1 of 255.
    picture(&s.write("many.frag", many), [128, 51, 26, 255]);
    let book = "uniform vec2 u_resolution; uniform vec2 u_mouse; uniform float u_time;";
    picture(&s.write("book.frag", text(book, "vec4(u_mouse / 255.0, u_time / 5.0, 1.0)")), [51, 102, 255, 255]);
    picture(
        &s.write(
            "toy.frag",
            text(
                "uniform vec3 iResolution; uniform float iTime; uniform int iFrame;",
                "vec4(iResolution.x / 255.0, iTime / 255.0, float(iFrame - 300), 1.0)",
            ),
        ),
        [200, 5, 0, 255],
    );
    let other = s.write("other.frag", text("uniform float alpha;", "vec4(alpha)"));
    expect(&["render", &other, "-o", &s.path("a.png")], 1, "nothing gives the uniform `alpha` a value");
    // Each stage has a block of its own.
    let vertex = s.write("m.vert", "attribute vec3 position; varying vec2 uv; uniform mat4 mvp;\nvoid main() { uv = position.xy; gl_Position = mvp * vec4(position, 1.0); }\n");
    let fragment = s.write("m.frag", "varying vec2 uv; uniform float alpha; uniform sampler2D tex;\nvoid main() { gl_FragColor = texture2D(tex, uv) + alpha; }\n");
    for more in [&[][..], &["--glslang"]] {
        expect(
            &[&["render", &vertex, &fragment, "--size", "32x32", "-o", &s.path("m.png")][..], more].concat(),
            0,
            "rendered",
        );
    }
    // And a name.
    let bin = s.path("m.bin");
    expect(&[&vertex, &fragment, "--target", "gcn", "-o", &bin], 0, "");
    let said = expect(&["inspect", &bin], 0, "`gpucc_uniforms`: uniform, group 0 binding 998");
    assert!(said.contains("`gpucc_uniforms`: uniform, group 0 binding 999"), "{said}");
    expect(&["render", &vertex, &fragment, "--lang", "vert", "-o", &s.path("m.png")], 2, "--lang");
    expect(&["render", &vertex, &fragment, "--stage", "fs", "-o", &s.path("m.png")], 2, "--stage");
}

/// Texts that crash the compiler, or that it does not come to an end with, end nothing else.
#[test]
fn what_the_compiler_fails_at_is_refused() {
    let s = Scratch::new("glsl-fails");
    need!("glslangValidator");
    let long = compute("", &format!("o[0] = {};", vec!["o[1]"; 200_000].join("+")));
    let zero = compute("", "o[0] = 1; \0 }");
    for (text, code) in [(long, 3), (zero, 1)] {
        expect(&[&s.write("a.comp", text), "--target", "gcn", "-o", &s.path("o")], code, "error[");
    }
}

/// Traps and step limits name the file that the endless loop stands in.
#[test]
fn places_in_included_files() {
    let s = Scratch::new("glsl-places");
    need!("glslangValidator");
    s.write("loop.glsl", "// a loop\nint forever(int i) {\n    while (i >= 0) { i = i / 2; }\n    return i;\n}\n");
    let text = "#version 450\nlayout(local_size_x = 1) in;\n#include \"loop.glsl\"\nlayout(set = 0, binding = 0) buffer O { int o[]; };\nvoid main() { o[0] = forever(o[0]); }\n";
    let run = ["run", &s.write("a.comp", text), "--steps", "1000", "--buf", "0:0=zero:4"];
    for target in ["interp", "gcn"] {
        expect(&[&run[..], &["--target", target]].concat(), 1, "loop.glsl:3:");
    }
    let fragment = "#version 450\n#include \"loop.glsl\"\nlayout(location = 0) out vec4 c;\nvoid main() { c = vec4(forever(int(gl_FragCoord.x))); }\n";
    let args = ["render", &s.write("a.frag", fragment), "--size", "4x4", "--steps", "100000", "-o", &s.path("a.png")];
    expect(&args, 1, "loop.glsl:3:");
}

/// An error, a step limit and a trap have the file, the line and the column of the author's text, behind an include in an include, behind what stands
/// around a body, and behind macros; JSON has the same as text.
#[test]
fn places_in_text_and_json() {
    let s = Scratch::new("glsl-both");
    need!("glslangValidator");
    std::fs::create_dir_all(s.path("lib")).expect("a folder");
    s.write("lib/mid_include.glsl", "#include \"deep.glsl\"\nint mid(int i) {\n    return deep(i);\n}\n");
    let deep =
        |body: &str| s.write("lib/deep.glsl", format!("// first\nint deep(int i) {{\n    {body}\n    return i;\n}}\n"));
    let compute = s.write("a.comp", "#version 450\n#include \"mid_include.glsl\"\nlayout(local_size_x = 1) in;\nlayout(set = 0, binding = 0) buffer O { int o[]; };\nvoid main() {\n    o[0] = mid(o[0]);\n}\n");
    let toy = s.write(
        "b.frag",
        "#include \"lib/mid_include.glsl\"\nvoid mainImage(out vec4 c, in vec2 p) {\n    c = vec4(mid(int(p.x)));\n}\n",
    );
    let (lib, out) = (s.path("lib"), s.path("o"));
    let run = ["run", &compute, "-I", &lib, "--buf", "0:0=zero:4", "--steps", "100000", "-DLATER=i"];
    let draw = ["render", &toy, "-I", &lib, "--size", "4x4", "--steps", "100000", "-o", &out, "-DLATER=i"];
    let at = |file: &str, args: &[&str], code: i32, place: [u32; 2]| {
        expect(args, code, &format!("lib/{file}.glsl:{}:{}", place[0], place[1]));
        let said = expect(&[args, &["--message-format", "json"]].concat(), code, &format!("lib/{file}.glsl\""));
        assert!(said.contains(&format!("\"line\":{},\"column\":{}", place[0], place[1])), "{said}");
    };
    let both = |args: &[&str], code: i32, place: [u32; 2]| at("deep", args, code, place);
    s.write("lib/store.glsl", "void put(int k) {\n    // far\n    o[k * 1000] = LATER;\n}\n");
    let trap = s.write("c.comp", "#version 450\nlayout(local_size_x = 1) in;\nlayout(set = 0, binding = 0) buffer O { int o[]; };\n#include \"lib/store.glsl\"\nvoid main() { put(7); }\n");
    at("store", &["run", &trap, "--robust", "off", "--buf", "0:0=zero:4", "-DLATER=k"], 1, [3, 5]);
    deep("i += LATER * nothing;");
    both(&run, 1, [3, 18]);
    both(&draw, 1, [3, 18]);
    deep("while (i >= 0) { i = LATER / 2; }");
    both(&run, 1, [3, 5]);
    both(&draw, 1, [3, 5]);
    both(&[&run[..], &["--target", "valhall"]].concat(), 1, [3, 5]);
}

/// Stages that choose no places are one by their names, in whatever order they declare them. The picture is green and blue where the names are
/// heeded.
#[test]
fn stages_are_linked_by_names() {
    let s = Scratch::new("glsl-link");
    need!("glslangValidator");
    let vertex = s.write(
        "l.vert",
        "#version 330\nin vec3 position;\nuniform sampler2D height;\nout vec2 uv; out vec3 colour; out float unread;\nvoid main() { uv = position.xy; colour = vec3(0.0, 1.0, texture(height, uv).x * 0.0 + 1.0); unread = 2.0; gl_Position = vec4(position.xy, 0.5, 1.0); }\n",
    );
    let fragment = s.write(
        "l.frag",
        "#version 330\nuniform samplerCube sky;\nin vec3 colour; /* in vec2 c; */ in vec2 uv;\nout vec4 o;\nvoid main() { o = vec4(colour.rgb + texture(sky, vec3(uv, 1.0)).xyz * 0.0, 1.0); }\n",
    );
    let out = s.path("p");
    for target in ["interp", "gcn"] {
        let args =
            ["render", &vertex, &fragment, "--size", "8x8", "--target", target, "--dump", &format!("picture={out}")];
        expect(&args, 0, "rendered");
        assert_eq!(std::fs::read(&out).expect("a picture")[..4], [0, 255, 255, 255]);
    }
    // Both outputs have names of their own in a folder, in each form.
    std::fs::create_dir_all(s.path("d")).expect("a folder");
    for (emit, ending) in [("bin", "bin"), ("json", "json"), ("raw", "raw"), ("asm", "s")] {
        expect(&[&vertex, &fragment, "--target", "gcn", "--emit", emit, "-o", &s.path("d")], 0, "");
        let files = ["vert", "frag"].map(|stage| format!("d/l.{stage}.{ending}"));
        assert!(files.iter().all(|f| s.0.join(f).is_file()), "{files:?}");
    }
    let same = s.write("l.wgsl", "@compute @workgroup_size(1) fn main() {}");
    expect(&[&same, &fragment, "--target", "gcn", "-o", &s.path("d")], 0, "");
    assert!(s.has("d/l.wgsl.bin"));
}

/// Two entry points of a file are a pair by their names.
#[test]
fn entry_points_of_a_pair() {
    let s = Scratch::new("glsl-entries");
    let text = "override red = 0.0;\n\
        @vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {\n\
        let p = vec2f(f32(i & 1u), f32(i >> 1u)); return vec4f(p * 4.0 - 1.0, 0.0, 1.0); }\n\
        @fragment fn solid() -> @location(0) vec4f { return vec4f(red, 1.0, 0.0, 1.0); }\n\
        @fragment fn wire() -> @location(0) vec4f { return vec4f(0.0, 0.0, 1.0, 1.0); }\n";
    let (shader, out) = (s.write("cube.wgsl", text), s.path("p"));
    let dump = format!("picture={out}");
    for (entries, more, pixel) in [
        ("vs,wire", &[][..], [0, 0, 255, 255]),
        ("vs,solid", &[], [0, 255, 0, 255]),
        ("vs,solid", &["--override", "red=1"], [255, 255, 0, 255]),
    ] {
        let args = ["render", &shader, "--entry", entries, "--size", "4x4", "--dump", &dump];
        expect(&[&args[..], more].concat(), 0, "rendered");
        assert_eq!(std::fs::read(&out).expect("a picture")[..4], pixel, "{entries}");
    }
    expect(&["render", &shader, "--entry", "vs,none", "--dump", &dump], 1, "no fragment entry point `none`");
    expect(
        &["render", &shader, "--entry", "vs,solid", "--override", "blue=1", "--dump", &dump],
        1,
        "no shader has an override `blue`",
    );
}

/// Two files with a stage each are measured as the pair that they are: what the fragment shader does not read the vertex shader need not give.
#[test]
fn two_files_are_a_pair() {
    let s = Scratch::new("glsl-pair");
    let vertex = s.write(
        "un.vert",
        "#version 450\nlayout(location = 0) in vec4 p;\nlayout(location = 0) out vec4 a; layout(location = 1) out vec4 b; layout(location = 2) out vec4 c;\nvoid main() { a = p; b = p * 2.0; c = p * 3.0; gl_Position = p; }\n",
    );
    let fragment = s.write(
        "un.frag",
        "#version 450\nlayout(location = 0) in vec4 a;\nlayout(location = 0) out vec4 o;\nvoid main() { o = a; }\n",
    );
    let compute = s.write(
        "un.comp",
        "#version 450\nlayout(set = 0, binding = 0) buffer O { int o[]; };\nvoid main() { o[0] = 1; }\n",
    );
    // Position and one varying, against position and three.
    for (files, exports) in [([&vertex, &fragment], 2), ([&fragment, &vertex], 2), ([&vertex, &compute], 4)] {
        let said = expect(&["stats", files[0], files[1], "--target", "gcn", "--format", "json"], 0, "exports");
        let report: serde_json::Value = serde_json::from_str(&said).expect("a report");
        let row = report["rows"].as_array().expect("rows").iter().find(|r| r["file"] == "un.vert").expect("a row");
        assert_eq!(row["stats"]["exports"], exports, "{said}");
        let said = expect(&[files[0], files[1], "--target", "gcn", "--stats", "-o", &s.0.display().to_string()], 0, "");
        assert!(said.contains(&format!("exports {exports}")), "{said}");
    }
    // A scene in a folder is measured too.
    let scene =
        std::fs::read_to_string(crate::common::workspace().join("examples/scenes/triangle.toml")).expect("a scene");
    std::fs::create_dir_all(s.path("scenes")).expect("a folder");
    s.write("scenes/other.toml", "[package]\nname = \"scene-1\"\n");
    s.write("scenes/a.toml", scene);
    expect(&["stats", &s.path("scenes"), "--target", "gcn", "--format", "csv"], 0, "a.toml");
}

/// A scene is made by trying what lies in the buffers: the reference compiler is started once for each text all the same.
#[cfg(unix)]
#[test]
fn each_text_is_compiled_once() {
    use std::os::unix::fs::PermissionsExt;

    need!("glslangValidator");
    let s = Scratch::new("glsl-once");
    let vertex = s.write("a.vert", "#version 450\nvoid main() { gl_Position = vec4(0.0); }\n");
    let fragment = s.write(
        "a.frag",
        "#version 450\nlayout(set = 0, binding = 0) uniform U { vec4 a; } u;\nlayout(location = 0) out vec4 o;\nvoid main() { o = u.a; }\n",
    );
    let said = s.path("starts");
    let own = format!("#!/bin/sh\necho \"$@\" >> {said}\nPATH=${{PATH#*:}}\nexec glslangValidator \"$@\"\n");
    let program = s.write("bin/glslangValidator", own);
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("a program");
    let path = format!("{}:{}", s.path("bin"), std::env::var("PATH").expect("a path"));
    let args = ["render", &vertex, &fragment, "--size", "8x8", "-o", &s.path("a.png")];
    let o = gpucc().env("PATH", path).args(args).output().expect("it runs");
    assert!(o.status.success(), "{}", text(&o));
    assert_eq!(String::from_utf8_lossy(&s.read("starts")).lines().count(), 2);
}

/// Contents of made scenes: a block has room for the larger declaration of two, a picture of one colour says so, and others are tried first.
#[test]
fn made_scenes_show_something() {
    let s = Scratch::new("glsl-made");
    let corner = "vec4(gl_VertexIndex == 1 ? 3.0 : -1.0, gl_VertexIndex == 2 ? 3.0 : -1.0, 0.5, 1.0)";
    let vertex = s.write(
        "m.vert",
        format!("#version 450\nlayout(set = 0, binding = 0) uniform U {{ vec4 a[12]; }} u;\nlayout(location = 0) out vec2 at;\nvoid main() {{ gl_Position = {corner} + u.a[0] * 0.0; at = gl_Position.xy; }}\n"),
    );
    let fragment = |name: &str, body: &str| {
        s.write(
            name,
            format!("#version 450\nlayout(set = 0, binding = 0) uniform U {{ vec4 a[12]; vec2 more; }} u;\nlayout(location = 0) in vec2 at;\nlayout(location = 0) out vec4 o;\nvoid main() {{ o = {body}; }}\n"),
        )
    };
    let out = s.path("a.png");
    // 12 vectors and two floats more.
    let lively = fragment("lively.frag", "vec4(at + u.more * 0.0, 0.0, 1.0)");
    let said = expect(&["render", &vertex, &lively, "--size", "8x8", "-o", &out], 0, "rendered");
    assert!(!said.contains("one-colour"), "{said}");
    let plain = fragment("plain.frag", "vec4(0.5)");
    for oracle in [&[][..], &["--oracle"]] {
        let args = [&["render", &vertex, &plain, "--size", "8x8", "-o", &out][..], oracle].concat();
        expect(&args, 0, "warning[one-colour]");
    }
    // With ones everywhere this has one colour, with halves it has not.
    if has("glslangValidator") {
        let fussy = fragment("fussy.frag", "u.more.x == 1.0 ? vec4(1.0) : vec4(at, 0.0, 1.0)");
        let said = expect(&["render", &vertex, &fussy, "--size", "8x8", "-o", &out], 0, "rendered");
        assert!(!said.contains("one-colour"), "{said}");
        expect(&["render", &vertex, &fussy, "--seed", "0", "--size", "8x8", "-o", &out], 0, "warning[one-colour]");
        expect(&["render", &vertex, &fussy, "--init"], 0, "size = 208");
    }
    expect(&["render", &plain, "--seed", "1", "-o", &out], 2, "--seed");
}
