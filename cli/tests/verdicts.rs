//! Tests of the verdicts of `--verify` and `run --oracle` on shaders that are right, and of those that have no one result.

use crate::common::{Scratch, expect};

const EACH: [&str; 4] = ["valhall", "tesla", "gcn", "vivante"];

fn shader(s: &Scratch, name: &str, text: &str) -> String {
    s.write(&format!("{name}.wgsl"), text)
}

const O: &str = "@group(0) @binding(0) var<storage, read_write> o: array<u32>;\n";

/// Right shaders that were called compiler bugs: merged accesses of which some words are out of bounds, bits of NaN, stores that
/// are sent to another member, results that the order of atomics decides, subgroup sizes.
#[test]
fn right_code_is_no_compiler_bug() {
    let s = Scratch::new("verdicts");
    let out = s.path("o");
    let f = "@group(0) @binding(0) var<storage, read_write> o: array<f32>;\n";
    let cases = [
        (
            "merged",
            format!(
                "{O}@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
                 let b = id.x * 3u; o[b] = 1u; o[b + 1u] = 2u; o[b + 2u] = 3u; }}"
            ),
        ),
        (
            "half_nan",
            format!(
                "{O}@group(0) @binding(1) var<storage, read> x: array<u32>;
                 @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
                 o[id.x] = pack2x16float(unpack2x16float(x[id.x])); }}"
            ),
        ),
        (
            "last_nan",
            format!(
                "{f}@group(0) @binding(1) var<uniform> k: vec4<u32>;
                 @compute @workgroup_size(1) fn main() {{ o[k.x] = o[k.x] * (0.0 / (0.0 * o[k.y])); }}"
            ),
        ),
        (
            "member",
            "struct T { b: i32, s: u32 } @group(0) @binding(0) var<storage, read_write> t: array<T>;
             @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) { t[id.x * 9u].b = 7; }"
                .into(),
        ),
        (
            "order",
            format!(
                "{O}var<workgroup> n: atomic<u32>;
                 @compute @workgroup_size(16) fn main(@builtin(local_invocation_id) l: vec3<u32>) {{
                 atomicAdd(&n, 1u); if l.x == 0u {{ o[0] = atomicLoad(&n); }} o[l.x + 1u] = l.x; }}"
            ),
        ),
        (
            "noop",
            format!("{O}@compute @workgroup_size(1) fn main() {{ let i = arrayLength(&o) + o[0]; o[i] = o[i]; }}"),
        ),
        ("min", format!("{f}@compute @workgroup_size(1) fn main() {{ o[2] = min(o[0], o[1]); o[3] = max(o[1], o[0]); }}")),
    ];
    for (name, text) in cases {
        let file = shader(&s, name, &text);
        for level in ["-O0", "-O2", "-O3"] {
            expect(&[&file, "--target", "all", "--verify", level, "-o", &out], 0, "");
        }
    }
}

/// The same under `run --oracle`, where buffers are given: what is left open does not count, and the rest does.
#[test]
fn the_oracle_leaves_open_what_is_open() {
    let s = Scratch::new("verdicts-run");
    let min = shader(
        &s,
        "min",
        "@group(0) @binding(0) var<storage, read_write> o: array<f32>;
         @compute @workgroup_size(1) fn main() { o[2] = min(o[0], o[1]); }",
    );
    let sum = shader(
        &s,
        "sum",
        &format!(
            "{O}@group(0) @binding(1) var<storage, read> x: array<u32>;
             @compute @workgroup_size(2) fn main(@builtin(local_invocation_index) g: u32) {{
             o[g] = x[4u * g] + x[4u * g + 1u] + x[4u * g + 2u] + x[4u * g + 3u]; }}"
        ),
    );
    let store = shader(
        &s,
        "store",
        &format!(
            "{O}@compute @workgroup_size(1) fn main() {{ let b = arrayLength(&o) - 2u; o[b] = 1u; o[b + 1u] = 2u; o[b + 2u] = 3u; }}"
        ),
    );
    let size = shader(
        &s,
        "size",
        &format!(
            "{O}@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32,
             @builtin(subgroup_size) n: u32) {{ o[i] = n; }}"
        ),
    );
    // Where an index is clamped, not an offset, what strays goes to the last element.
    let member = shader(
        &s,
        "member",
        "struct S { a: u32, b: array<u32, 7> }
         @group(0) @binding(0) var<storage, read_write> s: array<S>;
         @compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3<u32>) { s[id.x * 3u].a = id.x + 100u; }",
    );
    for target in EACH {
        expect(&["run", &member, "--target", target, "--oracle", "--buf", "0:0=zero:128"], 0, "oracle: match");
        // The one word may be open, and then nothing was compared.
        expect(&["run", &min, "--target", target, "--oracle", "--buf", "0:0=f32:nan,1,0"], 0, "oracle: ");
        expect(&["run", &min, "--target", target, "--oracle", "--buf", "0:0=f32:1,nan,0"], 0, "oracle: ");
        // Each word is in bounds by itself: 1 + 2 + 3 + 4, and 5 + 6 + what stands for two words that are not there.
        let buffers = ["--buf", "0:0=zero:8", "--buf", "0:1=u32:1,2,3,4,5,6", "--dump", "0:0=-"];
        let said = expect(&[&["run", &sum, "--target", target, "--oracle"][..], &buffers].concat(), 0, "0:0 = 10,");
        assert!(target != "gcn" || said.contains("10,11"), "{said}");
        expect(&["run", &store, "--target", target, "--oracle", "--buf", "0:0=zero:8"], 0, "oracle: match");
    }
    let gcn = expect(&["run", &store, "--target", "gcn", "--buf", "0:0=zero:8", "--dump", "0:0=-"], 0, "0:0 = ");
    assert!(gcn.contains("0:0 = 1,2"), "{gcn}");
    expect(&["run", &size, "--target", "valhall", "--oracle", "--buf", "0:0=zero:256"], 0, "oracle: match");
    let said = expect(&[&size, "--target", "valhall", "--verify", "--deny", "not-compared", "-o", &s.path("o")], 0, "");
    assert!(said.contains("verify: `main`: match ("), "{said}");
}

/// Grid and buffers are taken as given; nothing compared is a warning that says what was tried, and an error if that is denied.
#[test]
fn inputs_can_be_given() {
    let s = Scratch::new("verdicts-inputs");
    let out = s.path("o");
    let race = shader(
        &s,
        "race",
        &format!(
            "{O}@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {{ o[0] = o[0] * 3u + i; }}"
        ),
    );
    let said = expect(&[&race, "--target", "gcn", "--verify", "-o", &out], 0, "not compared");
    assert!(said.contains("grid 2,1,1; buffers 0:0 1024 bytes"), "{said}");
    expect(&[&race, "--target", "gcn", "--verify", "--deny", "not-compared", "-o", &out], 1, "not compared");
    // For one workgroup: with two, both write the same word.
    let one = shader(
        &s,
        "one",
        &format!(
            "{O}@compute @workgroup_size(64) fn main(@builtin(workgroup_id) w: vec3<u32>, @builtin(local_invocation_index) i: u32) {{ o[i] = w.x; }}"
        ),
    );
    let deny = ["--verify", "--deny", "not-compared", "-o", &out];
    expect(&[&[one.as_str(), "--target", "all"][..], &deny].concat(), 0, "");
    expect(&[&[one.as_str(), "--target", "all", "--grid", "1,1,1"][..], &deny].concat(), 0, "");
    let said = expect(&[&[one.as_str(), "--target", "gcn", "--grid", "3,1,1"][..], &deny].concat(), 1, "race");
    assert!(said.contains("grid 3,1,1"), "{said}");
    let said =
        expect(&[&[race.as_str(), "--target", "gcn", "--buf", "0:0=zero:16"][..], &deny].concat(), 1, "0:0 16 bytes");
    assert!(said.contains("not compared"), "{said}");
    expect(&[&one, "--target", "gcn", "--grid", "1,1,1", "-o", &out], 2, "--verify");
}

/// A size among floats is a small number, a factor among integers a float.
#[test]
fn seeds_have_the_types_of_their_loads() {
    let s = Scratch::new("verdicts-seeds");
    let out = s.path("o");
    let text = "struct P { scale: f32, n: u32, list: array<vec4<f32>, 4>, start: u32 }
        @group(0) @binding(0) var<uniform> p: P;
        @group(0) @binding(1) var<storage, read> x: array<vec2<f32>>;
        @group(0) @binding(2) var<storage, read_write> o: array<f32>;
        @compute @workgroup_size(8) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
            var sum = 0.0;
            for (var k = 0u; k < p.n; k++) { sum += x[p.start + k].y * p.list[k & 3u].z; }
            o[id.x] = sum * p.scale; }";
    let file = shader(&s, "mixed", text);
    let said = expect(&[&file, "--target", "all", "--verify", "--deny", "not-compared", "-o", &out], 0, "");
    assert_eq!(said.matches(": match (").count(), 4, "{said}");
}

/// Findings of fuzzing: shaders that are compiled right and were called wrong. Many invocations that bounds handling sends to one word
/// end with the one that comes last; WGSL's accuracy of f16 is not that of f32.
#[test]
fn what_fuzzing_found_is_right() {
    let files = [
        ("many-on-one-word.gir", ["-O2", "--robust", "on"]),
        ("last-of-many.gir", ["-O0", "--robust", "off"]),
        ("cosine-of-halves.gir", ["-O2", "--robust", "on"]),
        ("index-beyond-32-bits.wgsl", ["-O2", "--robust", "on"]),
        ("index-kept-for-the-access.wgsl", ["-O2", "--robust", "on"]),
    ];
    for (file, options) in files {
        let s = Scratch::new(file);
        let (shader, bin) = (format!("cli/tests/found/{file}"), s.path("a.bin"));
        for target in ["valhall", "tesla:nv84", "tesla:nva0", "gcn", "vivante"] {
            let compile = [&shader, "--target", target, "--verify", "-o", &bin];
            let said = expect(&[&compile[..], &options].concat(), 0, "");
            assert!(!said.contains("bug"), "{target}: {said}");
        }
    }
}

/// Modules of the IR that no source gives: a workgroup without invocations is wrong; buffers of gigabytes are not run.
#[test]
fn strange_modules_are_told() {
    let s = Scratch::new("strange-modules");
    let bin = s.path("a.bin");
    let wrong = "has a workgroup without invocations";
    expect(&["cli/tests/found/no-invocations.gir", "--target", "gcn", "-o", &bin], 1, wrong);
    let twice = "module robust on
res0 \"a\" group 0 binding 0 storage_ro size 4 stride 4
res1 \"b\" group 0 binding 0 storage_rw size 4 stride 4
entry \"main\" compute func0 size 1,1,1
func0 \"main\" {
block0:
  v0: i32 = load res0[0] align 4
  store v0, res1[0] align 4
  ret
}
";
    let shader = s.write("twice.gir", twice);
    expect(&[&shader, "--target", "valhall", "-o", &bin], 1, "res0 and res1 are both group 0 binding 0");
    let large = "module robust on
res0 \"o\" group 0 binding 0 storage_rw size 2147483644 stride 4
entry \"main\" compute func0 size 1,1,1
func0 \"main\" {
block0:
  store 1:i32, res0[0] align 4
  ret
}
";
    let shader = s.write("large.gir", large);
    expect(&[&shader, "--target", "all", "--verify", "-o", &s.path("b.bin")], 0, "the buffers are too large");
}

/// Textures, storage textures and samplers are seeded, too: shaders that read and write them are compared.
#[test]
fn textures_are_seeded() {
    let s = Scratch::new("seeded-textures");
    let source = "
        @group(0) @binding(0) var t: texture_2d_array<f32>;
        @group(0) @binding(1) var u: texture_3d<u32>;
        @group(0) @binding(2) var z: texture_depth_2d;
        @group(0) @binding(3) var c: texture_cube<f32>;
        @group(0) @binding(4) var s: sampler;
        @group(0) @binding(5) var k: sampler_comparison;
        @group(0) @binding(6) var w: texture_storage_2d<rgba8unorm, write>;
        @group(0) @binding(7) var<storage, read_write> o: array<vec4f>;
        @compute @workgroup_size(8, 8) fn main(@builtin(global_invocation_id) id: vec3u) {
            let at = (vec2f(id.xy) + 0.25) / 16.0;
            let color = textureSampleLevel(t, s, at, id.x % 3u, 1.5) + textureSampleLevel(c, s, vec3f(at, 0.3), 0.0);
            let depth = textureSampleCompareLevel(z, k, at, 0.5);
            o[id.y * 16u + id.x] = color + depth + vec4f(textureLoad(u, vec3u(id.xy, 1u) % 8u, 0));
            textureStore(w, id.xy, color * 0.5);
        }";
    let (shader, bin) = (shader(&s, "t.wgsl", source), s.path("t.bin"));
    for generation in ["gfx6", "gfx7", "gfx8"] {
        let target = format!("gcn:{generation}");
        expect(&[&shader, "--target", &target, "--verify", "--deny", "not-compared", "-o", &bin], 0, "");
    }
}
