//! An empty comparison is planted in each command that compares: none may call it a match, and `--deny not-compared` ends each with 1.

use crate::common::{DOUBLE, Scratch, expect};

/// Writes nothing, though a buffer is bound.
const READS: &str = "@group(0) @binding(0) var<storage, read> x: array<u32>;\n\
    @compute @workgroup_size(4) fn main(@builtin(global_invocation_id) g: vec3u) { var a = x[g.x]; a += 1u; }\n";

/// Writes nothing and binds nothing.
const IDLE: &str = "@compute @workgroup_size(4) fn main() {}\n";

/// Each invocation keeps what the atomic gave it: which one it is, is the order's.
const ORDER: &str = "@group(0) @binding(0) var<storage, read_write> n: atomic<u32>;\n\
    @group(0) @binding(1) var<storage, read_write> o: array<u32>;\n\
    @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) g: vec3u) { o[g.x] = atomicAdd(&n, 1u); }\n";

/// A fragment program that counts with an atomic, on a picture of 64 x 64 pixels; without outputs.
const COUNTS: &str = r#"format = "scene-1"
[shaders.s]
wgsl = """
@group(0) @binding(0) var<storage, read_write> n: atomic<u32>;
@vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
  var a = array(vec2f(-1.0, -1.0), vec2f(3.0, -1.0), vec2f(-1.0, 3.0)); return vec4f(a[i], 0.0, 1.0); }
@fragment fn fs() -> @location(0) vec4f { return vec4f(f32(atomicAdd(&n, 1u)) / 4096.0, 0.0, 0.0, 1.0); }
"""
[textures]
picture = { format = "rgba8unorm", size = [64, 64] }
[buffers]
n = { size = 4 }
[pipelines.p]
vertex = { shader = "s" }
fragment = { shader = "s", targets = [{ format = "rgba8unorm" }] }
[[passes]]
type = "render"
colorAttachments = [{ texture = "picture" }]
[[passes.draws]]
pipeline = "p"
bindings = [{ binding = 0, buffer = "n" }]
draw = { vertexCount = 3 }
"#;

/// A frame without anything that could be looked at.
const NOTHING: &str = r#"format = "scene-1"
shaders.m.wgsl = """
@group(0) @binding(0) var<storage, read_write> v: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) g: vec3<u32>) { v[g.x] *= 2u; }
"""
buffers.v = { u32 = [1, 2, 3, 4] }
pipelines.p = { compute = { shader = "m" } }
passes = [ { type = "compute", pipeline = "p", bindings = [ { binding = 0, buffer = "v" } ], dispatch = [1] } ]
"#;

/// The command ends with 0 and says so; denied it ends with 1.
#[track_caller]
fn empty(args: &[&str]) {
    let said = expect(args, 0, "not compared: ");
    assert!(!said.contains("match"), "{args:?}: {said}");
    let said = expect(&[args, &["--deny", "not-compared"]].concat(), 1, "not compared: ");
    assert!(!said.contains("match"), "{args:?}: {said}");
    // An object says it by its code.
    let said = expect(&[args, &["--message-format=json"]].concat(), 0, "\"code\":\"not-compared\"");
    assert!(said.contains("\"severity\":\"warning\""), "{said}");
}

#[test]
fn an_empty_dispatch_is_no_match() {
    let s = Scratch::new("compared-run");
    let (reads, idle, order) = (s.write("reads.wgsl", READS), s.write("idle.wgsl", IDLE), s.write("o.wgsl", ORDER));
    for target in ["interp", "gcn", "valhall", "tesla", "vivante"] {
        empty(&["run", &idle, "--target", target, "--oracle"]);
        empty(&["run", &reads, "--target", target, "--oracle", "--buf", "0:0=zero:256"]);
    }
    // 128 words change with the order, and one does not.
    let buffers = ["--grid", "2", "--buf", "0:0=zero:4", "--buf", "0:1=zero:512"];
    for target in ["interp", "gcn", "valhall"] {
        let args = [&["run", &order, "--target", target, "--oracle"][..], &buffers].concat();
        let said = expect(&args, 0, "oracle: not compared: 1");
        assert!(said.contains("values left out (") && said.contains("order of invocations"), "{target}: {said}");
        empty(&args);
    }
    let double = s.write("double.wgsl", DOUBLE);
    for target in ["interp", "gcn"] {
        let args =
            ["run", &double, "--target", target, "--oracle", "--deny", "not-compared", "--buf", "0:0=u32:1,2,3,4"];
        expect(&args, 0, "oracle: match (1 buffer, 16 bytes; bit-exact");
    }
    expect(&["run", &double, "--deny", "not-compared", "--buf", "0:0=u32:1"], 2, "--oracle");
}

#[test]
fn an_empty_frame_is_no_match() {
    let s = Scratch::new("compared-render");
    let (nothing, counts) = (s.write("nothing.toml", NOTHING), s.write("counts.toml", COUNTS));
    for target in ["interp", "gcn", "valhall"] {
        for oracle in ["--oracle", "--oracle=source"] {
            empty(&["render", &nothing, "--target", target, oracle]);
        }
        empty(&["render", &counts, "--target", target, "--oracle"]);
    }
    // With a seed, and where the outputs are named.
    empty(&["render", &counts, "--target", "gcn", "--perturb", "1", "--oracle"]);
    let named = s.write("named.toml", format!("{COUNTS}[[outputs]]\nname = \"picture\"\ntexture = \"picture\"\n"));
    empty(&["render", &named, "--target", "interp,gcn", "--oracle"]);
    expect(&["render", &named, "--deny", "not-compared", "-o", &s.path("a.png")], 2, "--oracle");
}

/// The picture that `-o` writes is an output, for `--oracle` and for `--dump`.
#[test]
fn the_picture_is_an_output() {
    let s = Scratch::new("compared-picture");
    let plain = COUNTS.replace("f32(atomicAdd(&n, 1u)) / 4096.0", "0.5 * f32(atomicLoad(&n))");
    let scene = s.write("plain.toml", plain);
    let (png, raw) = (s.path("a.png"), s.path("a.raw"));
    let dump = format!("picture={raw}");
    for oracle in ["--oracle", "--oracle=source"] {
        let args = ["render", &scene, "--target", "interp,gcn", oracle, "--deny", "not-compared", "-o", &png];
        let said =
            expect(&[&args[..], &["--dump", &dump]].concat(), 0, "gcn:gfx8: oracle: match (1 output, 16384 bytes");
        assert!(said.contains("interp: oracle: match (1 output, 16384 bytes"), "{said}");
    }
    // Red is 0, alpha 1.
    assert_eq!(s.read("a.interp.raw"), [0, 0, 0, 255].repeat(64 * 64));
    expect(&["render", &scene, "--dump", &format!("pictures={raw}")], 2, "available: `picture`");
    // One clear is a picture as well.
    let clear = "format = \"scene-1\"\ntextures.t = { format = \"rgba8unorm\", size = [4, 4] }\n[[passes]]\ntype = \"render\"\n\
        colorAttachments = [{ texture = \"t\", clearValue = [1.0, 0.0, 0.0, 1.0] }]\n";
    let clear = s.write("clear.toml", clear);
    expect(
        &["render", &clear, "--target", "gcn", "--oracle", "--deny", "not-compared"],
        0,
        "match (1 output, 64 bytes",
    );
}

/// What differs from the oracle, or what no comparison was of, is written all the same: it is what one wants to see.
#[test]
fn the_picture_of_an_empty_comparison_is_written() {
    let s = Scratch::new("compared-written");
    let (counts, order) = (s.write("counts.toml", COUNTS), s.write("o.wgsl", ORDER));
    let (png, raw) = (s.path("a.png"), s.path("o.raw"));
    expect(&["render", &counts, "--oracle", "--deny", "not-compared", "-o", &png], 1, "not compared");
    assert!(s.has("a.png"));
    let buffers = ["--buf", "0:0=zero:4", "--buf", "0:1=zero:256", "--dump"];
    let dump = format!("0:1={raw}");
    let args = ["run", &order, "--target", "gcn", "--oracle", "--deny", "not-compared"];
    expect(&[&args[..], &buffers, &[&dump]].concat(), 1, "not compared");
    assert!(s.has("o.raw"));
}

/// The draw of `interp` with a seed, and its second run for `--oracle`, come in another order: quads, also those of several
/// instances. Vertices are tested where they are drawn.
#[test]
fn draws_come_in_another_order() {
    let s = Scratch::new("compared-order");
    let instances =
        COUNTS.replace("vertexCount = 3", "vertexCount = 3, instanceCount = 16").replace("/ 4096.0", "/ 65536.0");
    for (name, scene) in [("quads", COUNTS.to_string()), ("instances", instances)] {
        let file = s.write(&format!("{name}.toml"), scene);
        let picture = |seed: &str| {
            let png = s.path(&format!("{name}{seed}.png"));
            let seed = if seed.is_empty() { vec![] } else { vec!["--perturb", seed] };
            expect(&[&["render", &file, "-o", &png][..], &seed].concat(), 0, "");
            std::fs::read(&png).expect("a picture")
        };
        let plain = picture("");
        assert!(["1", "2", "7"].iter().any(|seed| picture(seed) != plain), "{name}");
        expect(&["render", &file, "--oracle", "-o", &s.path("o.png")], 0, "oracle: not compared: ");
    }
}

/// `--verify` says what it compared of each entry point, and what it left out.
#[test]
fn verify_says_what_it_compared() {
    let s = Scratch::new("compared-verify");
    let out = s.path("o");
    let double = s.write("double.wgsl", DOUBLE);
    let said = expect(&[&double, "--target", "all", "--verify", "-o", &out], 0, "");
    assert_eq!(said.matches("verify: `main`: match (5 runs, ").count(), 4, "{said}");
    let line = expect(&[&double, "--target", "gcn", "--verify", "-o", &out, "--message-format=json"], 0, "\"verify\"");
    assert!(line.contains("\"severity\":\"note\""), "{line}");
    for (name, text) in [("idle", IDLE), ("reads", READS)] {
        let file = s.write(&format!("{name}.wgsl"), text);
        for target in ["gcn", "valhall", "tesla", "vivante"] {
            empty(&[&file, "--target", target, "--verify", "-o", &out]);
        }
    }
    let drawn = s.write(
        "drawn.wgsl",
        "@vertex fn vs(@location(0) p: vec4f) -> @builtin(position) vec4f { return p; }
         @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f { return p / 32.0; }",
    );
    let said = expect(&[&drawn, "--target", "all", "--verify", "--deny", "not-compared", "-o", &out], 0, "");
    assert_eq!(said.matches("verify: `vs`: match (4 runs, ").count(), 4, "{said}");
    assert_eq!(said.matches("verify: `fs`: match (4 runs, ").count(), 4, "{said}");
    let idle = s.write("idle.frag.wgsl", "@fragment fn fs() {}");
    empty(&[&idle, "--target", "gcn", "--verify", "-o", &out]);
}

/// The default pipeline has an attachment for a depth that is given; what a fragment stores is compared without any target.
#[test]
fn depth_and_storage_of_fragments_are_compared() {
    let s = Scratch::new("compared-depth");
    let out = s.path("o");
    let depth =
        "@fragment fn fs(@builtin(position) p: vec4f) -> @builtin(frag_depth) f32 { return 0.25 + p.x / 100.0; }";
    let both = "struct O { @location(0) c: vec4f, @builtin(frag_depth) z: f32 }
        @fragment fn fs(@builtin(position) p: vec4f) -> O { return O(vec4f(0.5), 0.25 + p.x / 100.0); }";
    let stores = "@group(0) @binding(0) var<storage, read_write> n: array<atomic<u32>, 8>;
        @fragment fn fs(@builtin(position) p: vec4f) { atomicAdd(&n[u32(p.x) % 8u], u32(p.y)); }";
    for (name, text) in [("depth", depth), ("both", both)] {
        let file = s.write(&format!("{name}.wgsl"), text);
        let said = expect(&[&file, "--target", "all", "--verify", "--deny", "not-compared", "-o", &out], 0, "");
        assert_eq!(said.matches("verify: `fs`: match (4 runs, ").count(), 4, "{name}: {said}");
    }
    let file = s.write("stores.wgsl", stores);
    for target in ["gcn", "valhall"] {
        let args = [&file, "--target", target, "--verify", "--deny", "not-compared", "-o", &out];
        expect(&args, 0, "verify: `fs`: match (4 runs, 128 bytes");
    }
}

/// An input that is read at its centre and at its centroid is one place of the stage in front.
#[test]
fn two_readings_of_a_place_are_one_output() {
    let s = Scratch::new("compared-centroid");
    // Of `c = vec4(interpolateAtCentroid(a), a, 0.0, 1.0)`.
    let file = "cli/tests/found/centroid.spv";
    let out = s.path("o");
    for target in ["valhall:v9", "valhall:v10", "gcn"] {
        for level in ["-O0", "-O2"] {
            let args = [file, "--target", target, "--verify", level, "--deny", "not-compared", "-o", &out];
            expect(&args, 0, "verify: `main`: match (4 runs, ");
        }
    }
}

/// WGSL leaves open which place an access out of bounds reaches: what differs from the source there is left out and counted, and is no
/// difference.
#[test]
fn reads_out_of_bounds_are_no_difference_from_the_source() {
    let s = Scratch::new("compared-oob");
    let scene = |width: u32| {
        let bound = format!(
            "if p.x < {width}.0 {{ return vec4f(0.5); }} return vec4f(f32(a[u32(p.x) - {width}u]) / 40.0, 0.0, 0.0, 1.0); }}"
        );
        COUNTS
            .replace("var<storage, read_write> n: atomic<u32>", "var<storage, read> a: array<u32>")
            .replace("var a = array(", "var b = array(")
            .replace("vec4f(a[i], 0.0, 1.0)", "vec4f(b[i], 0.0, 1.0)")
            .replace("fs()", "fs(@builtin(position) p: vec4f)")
            .replace("return vec4f(f32(atomicAdd(&n, 1u)) / 4096.0, 0.0, 0.0, 1.0); }", &bound)
            .replace("n = { size = 4 }", "n = { u32 = [10, 20, 30, 40] }")
    };
    let (few, most) = (s.write("few.toml", scene(58)), s.write("most.toml", scene(8)));
    for target in ["vivante", "gcn", "valhall"] {
        let said = expect(&["render", &few, "--target", target, "--oracle=source"], 0, "oracle: match");
        // Two columns are beyond the four words: where this machine gives the last of them.
        assert!(target != "vivante" || said.contains("128 values that accesses out of bounds decide"), "{said}");
    }
    expect(&["render", &most, "--target", "vivante", "--oracle=source"], 0, "oracle: not compared: ");
}

/// Which lane an invocation is in is left to the place: no difference of the oracle from itself.
#[test]
fn numbers_of_lanes_are_no_difference_from_itself() {
    let s = Scratch::new("compared-lanes");
    let fragment = s.write(
        "lane.frag",
        "#version 450\n#extension GL_KHR_shader_subgroup_basic : require\nlayout(location = 0) out vec4 c;\n\
         void main() { c = vec4(float(gl_SubgroupInvocationID) / 64.0, 0.5, 0.0, 1.0); }\n",
    );
    let args = ["render", &fragment, "--size", "16x16", "--target", "interp", "--oracle", "-o", &s.path("o.png")];
    let said = expect(&args, 0, "oracle: ");
    assert!(!said.contains("differ"), "{said}");
}

/// Textures of two dimensions at one binding: the passes for a poorer chip take each for what it is.
#[test]
fn textures_of_two_dimensions_at_one_binding() {
    let s = Scratch::new("compared-alias");
    for target in ["gcn", "valhall", "tesla", "vivante"] {
        let args = ["cli/tests/found/two-dimensions.spv", "--target", target, "--verify", "-o", &s.path("o")];
        let said = expect(&args, 0, "");
        assert!(!said.contains("bug"), "{said}");
    }
}

/// The same of arrays with several elements: Vulkan lets each element be bound as what the code reads it as. No inputs of `--verify` do, so it says
/// that nothing was compared, and why; in a scene it is refused by its code.
#[test]
fn arrays_of_two_dimensions_at_one_binding() {
    let s = Scratch::new("compared-arrays");
    let source = "#version 450\n#extension GL_EXT_samplerless_texture_functions : require\n\
        layout(set = 0, binding = 0) uniform texture2D a[2];\nlayout(set = 0, binding = 0) uniform texture3D b[2];\n\
        layout(location = 0) out vec4 o;\n\
        void main() { o = texelFetch(a[0], ivec2(0, 1), 0) + texelFetch(b[1], ivec3(1, 0, 1), 0); }\n";
    let (source, spv) = (s.write("a.frag", source), s.path("a.spv"));
    let made = std::process::Command::new("glslangValidator").args(["-V", &source, "-o", &spv]).output();
    if !made.is_ok_and(|o| o.status.success()) {
        eprintln!("skipped: there is no `glslangValidator`");
        return;
    }
    let why = "textures of different kinds share a binding (`a` and `b` at group 0, binding 0): an element is bound as one of them";
    for target in ["gcn", "valhall", "tesla", "vivante"] {
        let said = expect(&[&spv, "--target", target, "--verify"], 0, "warning[not-compared]");
        let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains(why), "{said}");
        expect(&[&spv, "--target", target, "--verify", "--deny", "not-compared"], 1, "warning[not-compared]");
        expect(&["render", &spv, "--target", target, "-o", &s.path("a.png")], 3, "error[binding-aliases]");
    }
}
