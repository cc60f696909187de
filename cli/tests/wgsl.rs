//! WGSL that the parser does not read by itself, and modules of WESL, on all targets.

use crate::common::{Scratch, expect};

/// Casts between halves and words keep every bit; the results of `frexp` and `modf` of halves lie where their types say.
#[test]
fn halves_are_cast_and_taken_apart_on_all_targets() {
    let s = Scratch::new("halves");
    let shader = s.write(
        "a.wgsl",
        "enable f16;\n@group(0) @binding(0) var<storage, read_write> o: array<u32, 20>;\n\
        @compute @workgroup_size(1) fn main() {\n\
          for (var i = 0u; i < 3u; i++) {\n\
            let h = bitcast<vec2<f16>>(o[i]); o[4u + i] = bitcast<u32>(bitcast<f32>(h.yx));\n\
            let w = bitcast<vec2u>(bitcast<vec4<f16>>(vec2(o[i], 7u)).wzyx); o[8u + i] = w.x + w.y;\n\
          }\n\
          var r = frexp(vec2(f16(o[3]), 3h)); o[12] = u32(r.fract.y * 16); r.exp.x = 5; o[13] = u32(r.exp.x) * 10 + u32(r.exp.y);\n\
          var m = modf(vec3(2.5h, 1.25h, f16(o[3]))); m.whole.x = 9; o[14] = u32(m.fract.y * 8) + u32(m.whole.x) * 100;\n\
          o[15] = bitcast<u32>(m.whole.xy);\n}\n",
    );
    // Ones, a smallest number and its negative, infinities.
    let data = "0:0=u32:1006681088,98305,2080439296,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0";
    let args = ["run", &shader, "--target", "interp,all:all", "--buf", data, "--dump", "0:0=-"];
    let want = "0:0 = 1006681088,98305,2080439296,1,3154131968,2147549185,4227890176,0,3154590720,2148007937,4228348928,0,12,52,902,1006651520";
    let said = expect(&args, 0, want);
    assert_eq!(said.matches(want).count(), 13, "{said}");
}

/// A folder with modules: the root, what it imports, a feature, and a message in the file of an imported module.
#[test]
fn modules_of_wesl() {
    let s = Scratch::new("wesl");
    let main = "import package::util::math::{half, K};\n@group(0) @binding(0) var<storage, read_write> o: array<u32, 2>;\n\
        @compute @workgroup_size(1) fn main() { o[0] = half(K); @if(FAST) o[1] = 7u; }\n";
    let root = s.write("main.wesl", main);
    s.write("util/math.wesl", "const K = 42u;\nfn half(x: u32) -> u32 { return x / 2u; }\n");
    let run = ["run", &root, "--buf", "0:0=zero:8", "--dump", "0:0=-"];
    expect(&run, 0, "0:0 = 21,0");
    expect(&[&run[..], &["--feature", "FAST", "--target", "gcn"]].concat(), 0, "0:0 = 21,7");
    let folder = std::path::Path::new(&root).parent().expect("it lies in a folder").display().to_string();
    expect(&[&folder, "--target", "valhall", "-S"], 0, "main");
    s.write(
        "util/math.wesl",
        "const K = 42u;\nfn half(x: u32) -> u32 {\n    var v = vec2f(); v.yx = v; return x / missing;\n}\n",
    );
    expect(&run, 1, "math.wesl:3:43");
    s.write("util/math.wesl", "fn half(x: u32) -> u32 { return x; }\n");
    expect(&run, 1, "main.wesl:1:36");
}

/// A picture and a report of modules: a shader alone, a scene, a folder; a message in the file of an imported module.
#[test]
fn modules_of_wesl_in_pictures_and_reports() {
    let s = Scratch::new("wesl_more");
    let colour = s.write(
        "shaders/colour.wesl",
        "import super::parts::mixed; const HALF = 0.5; fn red() -> vec4f { return mixed(HALF); }\n",
    );
    s.write("shaders/parts.wesl", "fn mixed(x: f32) -> vec4f { return vec4f(x * 2.0, 0.0, 0.0, 1.0); }\n");
    let main = "import package::colour;\n@vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {\n\
        return vec4f(f32(i % 2u) * 4.0 - 1.0, f32(i / 2u) * 4.0 - 1.0, 0.0, 1.0); }\n\
        @fragment fn fs() -> @location(0) vec4f { return colour::red(); }\n";
    let root = s.write("shaders/main.wesl", main);
    let scene = |shader: &str| {
        let shader = format!("[shaders]\ns = {{ {shader} }}\n");
        let rest = "[textures]\nt = { format = \"rgba8unorm\", size = [4, 4] }\n\
            [pipelines.p]\nvertex = { shader = \"s\" }\nfragment = { shader = \"s\", targets = [{ format = \"rgba8unorm\" }] }\n\
            [[passes]]\ntype = \"render\"\ncolorAttachments = [{ texture = \"t\" }]\n\
            [[passes.draws]]\npipeline = \"p\"\ndraw = { vertexCount = 3 }\n[[outputs]]\nname = \"t\"\ntexture = \"t\"\n";
        format!("format = \"scene-1\"\n{shader}{rest}")
    };
    let whole = main.replace("import package::colour;\n", "").replace("colour::red()", "vec4f(1.0, 0.0, 0.0, 1.0)");
    s.write("shaders/whole.wgsl", whole);
    let plain = s.write("plain.toml", scene("file = \"shaders/whole.wgsl\""));
    expect(&["render", &plain, "--target", "interp", "-o", &s.path("plain.png")], 0, "");
    let scene = s.write("a.toml", scene("file = \"shaders/main.wesl\""));
    let picture = s.path("a.png");
    for target in ["interp", "gcn", "valhall"] {
        expect(&["render", &scene, "--target", target, "-o", &picture], 0, "");
        assert_eq!(s.read("a.png"), s.read("plain.png"), "{target}");
    }
    let alone = s.write(
        "shaders/alone.wesl",
        "import package::colour::red;\n@fragment fn f() -> @location(0) vec4f { return red(); }\n",
    );
    expect(&["render", &alone, "--target", "gcn", "--size", "4x4", "-o", &picture], 0, "");
    let folder = std::path::Path::new(&root).parent().expect("it lies in a folder").display().to_string();
    let report = expect(&["stats", &folder, "--target", "gcn", "--format", "csv"], 0, "main.wesl");
    assert!(!report.contains("colour.wesl") && !report.contains("parts.wesl"), "{report}");
    std::fs::write(&colour, "import super::parts::mixed;\nfn red() -> vec4f { return mixed(1u); }\n")
        .expect("it is there");
    expect(&["render", &scene, "--target", "gcn", "-o", &picture], 1, "colour.wesl:2:");
    expect(&["render", &alone, "--target", "gcn", "-o", &picture], 1, "colour.wesl:2:");
    let report = expect(&["stats", &root, "--target", "gcn", "--format", "csv"], 1, "invalid");
    assert!(report.contains("main.wesl"), "{report}");
}
