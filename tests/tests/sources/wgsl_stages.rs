//! WGSL that browsers accept and naga's parser or validator does not: the value of each form, worked out by hand, in vertex, fragment and
//! compute programs, on the oracle and on a machine of each family. The errors that the specification asks for are in `frontend-naga/tests`
//! (`run_time.rs`, `messages.rs`).
//!
//! The lines of section 5 of the design "front ends", with the form here that has its value, and the test of `frontend-naga/tests` that has
//! its error:
//!
//! | line | values | errors |
//! |---|---|---|
//! | pointers as arguments | `pointers to private memory and its parts`, `pointers to uniform memory`; storage, workgroup, atomics: `pointers_to_all_memory_are_arguments` | `aliases_are_errors` |
//! | a `let` is no constant | `division of a let by zero`, `index of a let out of bounds`, `shift and conversion of a let` | `a_constant_is_one` |
//! | endless loops at the end | `function that ends in a loop`, `statements behind a loop without a way out` | `functions_end_in_endless_loops` |
//! | `@diagnostic` | `diagnostic attributes` | `messages.rs` |
//! | constants | `constants of built-in functions`, `short circuits of constants`, `abstract integers of 64 bits`; each call: `forms/calls.rs` | `constants_have_values` |
//! | `continuing` | `a name of the body in continuing` | `messages.rs` |
//! | swizzles, uniform buffers | `swizzles on the left side`, `uniform buffers in the standard layout`, `alignment of members` | `components_are_assigned`, `messages.rs` |
//! | halves | `casts of halves`, `fractions and exponents of halves`; all targets: `cli/tests/wgsl.rs` | `casts_of_halves_keep_bits`, `exponents_of_halves_are_words` |
//! | names of extensions | `names of extensions` | `extensions_have_names`, `messages.rs` |
//! | `two--one` | `a--b is a difference` | `messages.rs` |

use gpucc::CodegenOptions;
use gpucc_render::PreparedScene;
use gpucc_sim::{Dispatch, RunOptions};
use gpucc_tests::exec::{self, For, On};
use rayon::prelude::*;

use crate::draws::once_drawn::prepared;
use crate::draws::one_draw::{self, OneDraw};

/// A form: its name, declarations, the body of `fn form(a: vec4u) -> u32`, and the result for `a = (3, 0, 2, 7)`.
type Form = (&'static str, &'static str, &'static str, u32);

/// The values of `a`.
const GIVEN: [u32; 4] = [3, 0, 2, 7];

const FORMS: &[Form] = &[
    (
        "pointers to private memory and its parts",
        "struct P { n: u32, l: array<u32, 4> } var<private> p: P;
         fn add(q: ptr<private, u32>, k: u32) { *q += k; } fn fill(q: ptr<private, array<u32, 4>>, k: u32) { for (var i = 0u; i < 4u; i++) { add(&q[i], i * k); } }",
        "add(&p.n, a.w); fill(&p.l, a.x); fill(&p.l, a.z); return p.n * 100u + p.l[3] + p.l[a.z];",
        // 7; 3 (3 + 2) and 2 (3 + 2).
        725,
    ),
    (
        "pointers to uniform memory",
        "fn part(q: ptr<uniform, vec4u>, k: u32) -> u32 { return (*q)[k] + q.w; }",
        "return part(&given, a.z);",
        9,
    ),
    ("division of a let by zero", "", "let z = 0u; let n = -7; let o = 0; return a.w / z + a.w % z + u32(n / o + 8) + u32(n % o);", 8),
    ("index of a let out of bounds", "", "let v = array(5u, 6u, 7u); let i = 9u; let w = vec3u(1u, 2u, 3u); return select(0u, 1u, v[i] >= 5u && v[i] <= 7u) + select(0u, 1u, w[i] <= 3u);", 2),
    ("shift and conversion of a let", "", "let s = 33u; let f = 1e20; let n = -3.7; return (a.x << s) + select(0u, 1u, u32(f) == 4294967040u) + u32(i32(n) + 4) + u32(n);", 8),
    (
        "function that ends in a loop",
        "fn root(n: u32) -> u32 { var i = 0u; loop { i += 1u; if i * i > n { return i - 1u; } } }",
        "return root(a.w * a.w) * 10u + root(a.w);",
        72,
    ),
    (
        "statements behind a loop without a way out",
        "fn last(n: u32) -> u32 { for (var i = 0u; ; i++) { if i >= n { return i * 2u; } } }",
        "return last(a.w);",
        14,
    ),
    (
        "diagnostic attributes",
        "@diagnostic(off, derivative_uniformity) fn f(n: u32) -> u32 @diagnostic(off, derivative_uniformity) { return n; }",
        "var r = 0u; @diagnostic(off, derivative_uniformity) if a.x > 1u @diagnostic(off, derivative_uniformity) { r = 1u; }
         @diagnostic(warning, derivative_uniformity) for (var i = 0u; i < a.x; i++) @diagnostic(off, derivative_uniformity) { r += f(i); }
         @diagnostic(off, derivative_uniformity) switch a.z @diagnostic(off, derivative_uniformity) { case 2u @diagnostic(off, derivative_uniformity) { r += 10u; } default { } }
         @diagnostic(off, derivative_uniformity) while r < 20u { r += 1u; } @diagnostic(off, derivative_uniformity) loop { r++; break; }
         @diagnostic(off, derivative_uniformity) { r *= 2u; } return r;",
        42,
    ),
    (
        "constants of built-in functions",
        "const M = mix(1.0, 3.0, 0.25) + smoothstep(0.0, 2.0, 1.0); const F = frexp(6.0); const G = modf(-3.25);
         const S = step(vec2(0.5, 2.0), vec2(1.0, 1.0)); const D = determinant(mat3x3(2, 0, 0, 0, 3, 0, 0, 0, 4));",
        "const l = ldexp(1.5, 3); return u32(M * 100.0) + u32(F.exp) + u32(F.fract * 4.0) + u32(-G.whole) + u32(S.x * 2.0 + S.y) + u32(D) + u32(l) + a.y;",
        // 200 + 3 + 3 + 3 + 2 + 24 + 12.
        247,
    ),
    (
        "short circuits of constants",
        "const A = false && 1 / 0 == 0; const B = true || 5 % 0 == 1;",
        "return select(0u, 1u, A) + select(0u, 2u, B) + a.x;",
        5,
    ),
    ("abstract integers of 64 bits", "const A = 4294967296 * 4; const B = 0x7fffffffffffffff >> 60u;", "return u32(A / 8589934592) * 10u + u32(B) + a.y;", 27),
    (
        "a name of the body in continuing",
        "",
        "var n = 0u; loop { var x = a.z; n += x; continuing { var x = n * 2u; let y = x + 1u; break if y > 12u; } } return n;",
        // 2, 4, 6: 2 * 6 + 1 is more than 12.
        6,
    ),
    (
        "swizzles on the left side",
        "",
        "var v = a; v.zx = vec2(10u, 20u); v.yw += vec2u(1u, 2u); v.rg *= vec2u(2u); for (var k = vec2u(0u, 1u); k.x < 3u; k.yx += vec2u(2u, 1u)) { v.x += k.y; }
         return v.x * 1000u + v.y * 100u + v.z + v.w;",
        // (20, 1, 10, 9), (40, 2, 10, 9), and 1 + 3 + 5.
        49219,
    ),
    (
        "uniform buffers in the standard layout",
        "struct U { n: u32, l: array<u32, 3> } @group(1) @binding(0) var<uniform> same: U;",
        "return same.l[2] * 10u + same.n + a.y;",
        73,
    ),
    (
        "alignment of members",
        "struct I { @align(8) n: u32 } struct U { a: u32, i: I } @group(1) @binding(0) var<uniform> same: U;",
        "return same.i.n * 10u + same.a + a.y;",
        23,
    ),
    (
        "casts of halves",
        "",
        "let h = vec2<f16>(f16(a.x), f16(a.z)); let w = bitcast<u32>(h); let b = bitcast<vec2u>(vec4<f16>(h, h)); let q = bitcast<vec2<f16>>(w); let v = bitcast<vec4<f16>>(b);
         return select(0u, 100u, w == 0x40004200u && b.x == w && b.y == w) + u32(q.x) * 10u + u32(v.w);",
        // 3 is 0x4200, 2 is 0x4000.
        132,
    ),
    (
        "fractions and exponents of halves",
        "",
        "let h = f16(a.w) / 2.0h; let m = modf(h); let f = frexp(vec2<f16>(h, f16(a.x)));
         return u32(m.whole) * 1000u + u32(m.fract * 10.0h) * 100u + u32(i32(f.exp.x)) * 10u + u32(f.fract.y * 8.0h);",
        // 3.5: 3, 0.5, exponent 2; 3 = 0.75 * 4.
        3526,
    ),
    ("names of extensions", "", "return a.w;", 7),
    ("a--b is a difference", "", "let n = i32(a.x); return u32(n--2);", 5),
];

fn module(form: &Form, entries: &str) -> String {
    let (name, declarations, body, _) = form;
    let requires = if *name == "names of extensions" {
        "requires uniform_buffer_standard_layout, pointer_composite_access, swizzle_assignment;\n"
    } else {
        ""
    };
    let given = "@group(0) @binding(0) var<uniform> given: vec4u;";
    format!("enable f16;\n{requires}{given}\n{declarations}\nfn form(a: vec4u) -> u32 {{ {body} }}\n{entries}")
}

/// A machine of each family, and the oracle with and without passes.
fn places() -> Vec<On> {
    let machines = exec::targets("gcn:gfx8,valhall:v10,tesla:nva3,vivante:gc7000").into_iter().map(exec::on);
    [On::Interp, On::Passes(For::Minimal)].into_iter().chain(machines).collect()
}

/// A scene of one pixel that holds the result of the vertex or of the fragment program.
fn scene(form: &Form, in_vertices: bool) -> PreparedScene {
    let (vertex, fragment) = if in_vertices { ("form(given)", "v.n") } else { ("0u", "form(given)") };
    let entries = format!(
        "struct V {{ @builtin(position) p: vec4f, @location(0) @interpolate(flat) n: u32 }}
        @vertex fn vs(@builtin(vertex_index) i: u32) -> V {{ return V(vec4f(f32(i & 1u) * 4.0 - 1.0, f32(i >> 1u) * 4.0 - 1.0, 0.0, 1.0), {vertex}); }}
        @fragment fn fs(v: V) -> @location(0) vec4u {{ return vec4u({fragment}, v.n, 0u, 1u); }}"
    );
    let more = if form.1.contains("@group(1)") { ", { group = 1, binding = 0, buffer = \"given\" }" } else { "" };
    let text = OneDraw {
        wgsl: module(form, &entries),
        tables: format!("[buffers]\ngiven = {{ u32 = {GIVEN:?} }}"),
        picture: ("rgba32uint", [1, 1]),
        draw: format!("bindings = [ {{ group = 0, binding = 0, buffer = \"given\" }}{more} ]"),
        ..OneDraw::default()
    }
    .text();
    prepared(&text)
}

/// The first word of the pixel.
fn pixel(ready: &PreparedScene, on: On) -> Result<u32, String> {
    let bytes = one_draw::drawn(ready, on, 2).map_err(|f| f.to_string())?;
    bytes.first_chunk().map(|b| u32::from_le_bytes(*b)).ok_or_else(|| "no pixel".into())
}

#[test]
fn vertex_and_fragment_programs_give_the_values() {
    let wrong = |form: &Form| {
        let scenes = [true, false].map(|in_vertices| (in_vertices, scene(form, in_vertices)));
        let all = scenes.iter().flat_map(|(v, s)| places().into_iter().map(move |on| (*v, s, on)));
        all.filter_map(|(in_vertices, scene, on)| {
            let got = pixel(scene, on);
            (got != Ok(form.3)).then(|| format!("{} (vertex: {in_vertices}) on {on}: {got:?}, not {}", form.0, form.3))
        })
        .collect::<Vec<_>>()
    };
    let wrong: Vec<String> = FORMS.par_iter().flat_map_iter(wrong).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn compute_programs_give_the_values() {
    let wrong = |form: &Form| {
        let entry = "@group(0) @binding(1) var<storage, read_write> o: array<u32, 4>;\n@compute @workgroup_size(1) fn main() { o[0] = form(given); }";
        let source = module(form, entry);
        let m = exec::lower(&source, "main", &[]).unwrap_or_else(|p| panic!("{}: {p}", form.0));
        let dispatch = Dispatch::new([1; 3]).with_u32(0, 0, &GIVEN).with_u32(1, 0, &GIVEN).with_u32(0, 1, &[0; 4]);
        let check = |on: On| {
            let mut d = dispatch.clone();
            let done = exec::run(&m, "main", on, &CodegenOptions::default(), &mut d, &RunOptions::default());
            let got = done.map_err(|p| p.to_string()).map(|_| d.words(0, 1).unwrap_or_default()[0]);
            (got != Ok(form.3)).then(|| format!("{} on {on}: {got:?}, not {}", form.0, form.3))
        };
        places().into_iter().filter_map(check).collect::<Vec<_>>()
    };
    let wrong: Vec<String> = FORMS.par_iter().flat_map_iter(wrong).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Memory that may be written is never uniform, whether or not anything is written; a vector that is written whole is as uniform as the value.
#[test]
fn memory_that_may_be_written_is_not_uniform() {
    let head = "@group(0) @binding(0) var<storage, read_write> o: array<u32>;
        @group(0) @binding(1) var<uniform> n: vec4u;
        @group(0) @binding(2) var<storage, read> r: array<u32>;
        @group(0) @binding(3) var t: texture_storage_2d<r32uint, read_write>;
        @group(0) @binding(4) var q: texture_storage_2d<r32uint, read>;
        var<workgroup> w: array<u32, 64>;
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {";
    let check = |body: &str| {
        let text = format!("{head} {body} }}");
        gpucc::frontend::load(text.as_bytes(), gpucc::frontend::Lang::Wgsl, &gpucc::frontend::FrontOptions::default())
            .map(|_| ())
    };
    let full = "var x = vec3u(i); var y = vec4u(i);";
    for body in [
        "if o[0] == 1u { workgroupBarrier(); }".to_string(),
        "for (var k = 0u; k < o[3]; k++) { storageBarrier(); }".to_string(),
        "if textureLoad(t, vec2(0)).x == 1u { workgroupBarrier(); }".to_string(),
        "if workgroupUniformLoad(&w[i]) > 0u { workgroupBarrier(); }".to_string(),
        "o[i] = workgroupUniformLoad(&w[o[0] & 63u]);".to_string(),
        format!("{full} x.xy = n.xy; if x.z == 0u {{ workgroupBarrier(); }}"),
        format!("{full} x.zyx = vec3u(n.x, i, n.y); if x.x == 0u {{ workgroupBarrier(); }}"),
    ] {
        let list = check(&body).expect_err(&body);
        assert_eq!(list[0].code, "barrier-uniformity", "{body}: {}", list[0]);
        assert!(list[0].labels[0].span.is_known(), "{body}");
    }
    for body in [
        "if n.x == 1u || r[0] == 2u { workgroupBarrier(); }".to_string(),
        "if textureLoad(q, vec2(0)).x == 1u { workgroupBarrier(); }".to_string(),
        "if workgroupUniformLoad(&w[n.x]) > 0u { workgroupBarrier(); }".to_string(),
        "for (var k = 0u; k < 3u; k++) { o[i] += workgroupUniformLoad(&w[k]); }".to_string(),
        format!("{full} x.xyz = n.xyz; if x.x == 0u {{ workgroupBarrier(); }}"),
        format!("{full} x.zyx = n.xyz; if x.y == 0u {{ workgroupBarrier(); }}"),
        format!("{full} y.wzxy += n - y; y.xyzw = n; if y.w == 0u {{ workgroupBarrier(); }}"),
        format!("{full} x.xy = n.xy; x.z = n.z; if x.x == 0u {{ workgroupBarrier(); }}"),
    ] {
        if let Err(list) = check(&body) {
            panic!("{body}: {}", list[0]);
        }
    }
}
