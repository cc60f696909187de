//! Copies of whole aggregates: every word arrives, padding stays, and code does not grow with what is copied.

use crate::sources::spirv::lowered;
use gpucc::{Options, Target};
use gpucc_glsl::need;
use gpucc_ir::Module;
use gpucc_sim::{Dispatch, RunOptions};
use gpucc_tests::exec::{self, On};

fn lower(wgsl: &str) -> Module {
    exec::lower(wgsl, "main", &[]).unwrap_or_else(|p| panic!("{p}\n{wgsl}"))
}

/// The words that the shader leaves in binding 1, on every target at two levels.
#[track_caller]
fn check(wgsl: &str, source: &[u32], before: &[u32], wanted: &[u32]) {
    check_module(&lower(wgsl), wgsl, source, before, wanted);
}

#[track_caller]
fn check_module(module: &Module, text: &str, source: &[u32], before: &[u32], wanted: &[u32]) {
    let places = exec::targets("all:all").into_iter().map(exec::on);
    for on in places.chain([On::Interp]) {
        for level in [0, 2] {
            let o = Options::new(Target::parse("gcn").expect("a target")).opt(level);
            let mut d = Dispatch::new([1, 1, 1]).with_u32(0, 0, source).with_u32(0, 1, before);
            exec::run(module, "main", on, &o.codegen, &mut d, &RunOptions::default())
                .unwrap_or_else(|p| panic!("{on} -O{level}: {p}\n{text}"));
            let got = d.words(0, 1).expect("bound");
            if let Some(at) = got.iter().zip(wanted).position(|(a, b)| a != b) {
                panic!("{on} -O{level}: word {at} is {:#x}, expected {:#x}\n{text}", got[at], wanted[at]);
            }
        }
    }
}

fn words(n: usize) -> Vec<u32> {
    (0..n as u32).map(|k| k.wrapping_mul(2_654_435_761) ^ 0x55).collect()
}

/// Arrays around the size from which loops copy them, with elements of all kinds: name, scalars, words from one to the next.
#[test]
fn every_word_arrives() {
    let kinds = [("u32", 1, 1), ("vec2<u32>", 2, 2), ("vec3<f32>", 3, 4), ("vec4<f32>", 4, 4), ("mat3x2<f32>", 6, 6)];
    for (ty, scalars, stride) in kinds {
        for scalars_of_all in [126, 130, 140] {
            let n = scalars_of_all / scalars;
            let wgsl = format!(
                "@group(0) @binding(0) var<storage, read_write> a: array<{ty}, {n}>;
                 @group(0) @binding(1) var<storage, read_write> o: array<{ty}, {n}>;
                 @compute @workgroup_size(1) fn main() {{ o = a; }}"
            );
            let (source, before) = (words(n * stride), vec![7; n * stride]);
            let data = |k: usize| k % stride < scalars || stride == scalars;
            let wanted: Vec<u32> = (0..n * stride).map(|k| if data(k) { source[k] } else { 7 }).collect();
            check(&wgsl, &source, &before, &wanted);
        }
    }
}

/// Through memory of every kind, arrays in structs in arrays, an index that is not known, and onto itself.
#[test]
fn between_all_kinds_of_memory() {
    let (n, m): (usize, usize) = (131, 3);
    let wgsl = format!(
        "struct S {{ first: u32, rows: array<array<u32, {n}>, 2>, last: vec2<u32> }}
         @group(0) @binding(0) var<storage, read> a: array<S, {m}>;
         @group(0) @binding(1) var<storage, read_write> o: array<S, {m}>;
         var<workgroup> w: array<S, {m}>;
         var<private> p: array<S, {m}>;
         @compute @workgroup_size(1) fn main() {{
             var f: array<S, {m}>;
             w = a; p = w; f = p;
             f[1].rows[0] = f[1].rows[1];
             let k = a[0].first & 1u;
             f[2].rows[k] = a[0].rows[1u - k];
             f = f;
             o = f;
             o[1].first = 9u;
         }}"
    );
    // A struct: `first`, two rows, and `last` at a multiple of 8 bytes.
    let last = (1 + 2 * n).next_multiple_of(2);
    let size = last + 2;
    let source = words(size * m);
    let mut wanted = source.clone();
    for s in 0..m {
        for pad in 1 + 2 * n..last {
            wanted[s * size + pad] = 7;
        }
    }
    let row = |s: usize, k: usize| s * size + 1 + k * n;
    wanted.copy_within(row(1, 1)..row(1, 1) + n, row(1, 0));
    let k = source[0] as usize & 1;
    for i in 0..n {
        wanted[row(2, k) + i] = source[row(0, 1 - k) + i];
    }
    wanted[size] = 9;
    check(&wgsl, &source, &vec![7; size * m], &wanted);
}

/// A register read before something is written is not read afterwards.
#[test]
fn a_copy_is_of_what_was_there() {
    let n = 200;
    let wgsl = format!(
        "@group(0) @binding(0) var<storage, read_write> a: array<u32, {n}>;
         @group(0) @binding(1) var<storage, read_write> o: array<u32, {n}>;
         fn change() -> u32 {{ a[1] = 5u; return 0u; }}
         @compute @workgroup_size(1) fn main() {{
             let t = a;
             a[0] = 3u;
             let i = change();
             o = t;
             var rows: array<array<u32, {n}>, 2>;
             rows[i] = a;
             o[2] = rows[0][0] + rows[0][1];
             o[3] = t[0];
         }}"
    );
    let source = words(n);
    let mut wanted = source.clone();
    (wanted[2], wanted[3]) = (3 + 5, source[0]);
    check(&wgsl, &source, &vec![7; n], &wanted);
}

#[test]
fn code_does_not_grow_with_an_array() {
    let wgsl = |n: usize, memory: &str| {
        format!(
            "@group(0) @binding(0) var<storage, read> a: array<u32, {n}>;
             @group(0) @binding(1) var<storage, read_write> o: array<u32, {n}>;
             var<workgroup> w: array<u32, {n}>;
             @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) l: u32) {{
                 {memory}
             }}"
        )
    };
    let kinds = ["if l == 0u { o = a; }", "if l == 0u { w = a; } workgroupBarrier(); o[l] = w[l * 2u];"];
    for memory in kinds {
        let modules = [400, 3500].map(|n| lower(&wgsl(n, memory)));
        for target in exec::targets("all:all") {
            for level in [0, 2] {
                let o = Options::new(target).opt(level);
                let [few, many] = modules
                    .each_ref()
                    .map(|m| gpucc::compile(m, &o).map(|a| a.code().len()).unwrap_or_else(|d| panic!("{target}: {d}")));
                assert!(many < few + 64, "{target} -O{level}: {few} bytes for 400 words, {many} for 3,500");
            }
        }
    }
}

/// Large aggregates as values: returned at one place and at several, given by value, kept while the variable changes.
#[test]
fn a_large_value_is_what_was_there() {
    let n = 200;
    let wgsl = format!(
        "alias T = array<u32, {n}>;
         struct S {{ n: u32, t: T }}
         @group(0) @binding(0) var<storage, read> a: T;
         @group(0) @binding(1) var<storage, read_write> o: array<u32, 24>;
         fn make(k: u32) -> S {{
             var s: S;
             s.n = k;
             for (var i = 0u; i < {n}u; i++) {{ s.t[i] = a[i] + k; }}
             return s;
         }}
         fn choose(s: S, k: u32) -> S {{
             if k == 0u {{ var z = s; z.t[0] = 1u; return z; }}
             for (var i = 1u; i < 3u; i++) {{ if i == k {{ return make(i * 10u); }} }}
             return s;
         }}
         fn same(t: T) -> T {{ return t; }}
         fn bump(given: T, k: u32) -> T {{ var t = given; t[k] += 1u; return t; }}
         fn through(p: ptr<function, T>) -> T {{ return *p; }}
         @compute @workgroup_size(1) fn main() {{
             let zero = a[0] & 0u;
             var t: T;
             for (var i = 0u; i < {n}u; i++) {{ t[i] = a[i]; }}
             let before = t;
             t[0] = 5u;
             o[0] = before[0]; o[1] = t[zero];
             let x = same(t);
             t[1] = 6u;
             o[2] = x[1u + zero]; o[3] = t[1];
             for (var i = 0u; i < 3u; i++) {{ t = bump(t, 7u); }}
             o[4] = t[7u + zero];
             var i = 0u;
             loop {{
                 let y = t;
                 if i > 2u {{ break; }}
                 continuing {{ t[9] = t[9] + 1u; o[5] = y[9]; i++; }}
             }}
             o[6] = t[9];
             let first = make(3u);
             for (var k = 0u; k < 4u; k++) {{
                 let c = choose(first, k);
                 o[7u + k] = c.t[zero] + c.n; o[11u + k] = c.t[199u - zero];
             }}
             let r = through(&t);
             t[0] = 77u;
             o[15] = r[zero]; o[16] = through(&t)[zero];
             var rows = array<T, 2>(r, x);
             rows[1u - zero][0] = 4u;
             let row = rows[zero];
             rows[0][zero] = 8u;
             o[17] = row[zero]; o[18] = rows[1][0]; o[19] = x[0]; o[20] = rows[0][0];
         }}"
    );
    let a = words(n);
    let plus = |x: u32, k: u32| x.wrapping_add(k);
    let (mut wanted, last) = (vec![7; 24], a[n - 1]);
    wanted[..7].copy_from_slice(&[a[0], 5, a[1], 6, plus(a[7], 3), plus(a[9], 2), plus(a[9], 3)]);
    // `make(k)` has `a[i] + k`; its first word and `n` are added.
    wanted[7..11].copy_from_slice(&[1 + 3, plus(a[0], 20), plus(a[0], 40), plus(a[0], 6)]);
    wanted[11..15].copy_from_slice(&[3, 10, 20, 3].map(|k| plus(last, k)));
    wanted[15..21].copy_from_slice(&[5, 77, 5, 4, 5, 8]);
    check(&wgsl, &a, &[7; 24], &wanted);
}

/// Arrays beside other members, buffers that are changed where they lie, variables that are two copies, and loops that write all or nearly all.
#[test]
fn parts_and_places_are_what_was_there() {
    let n = 200;
    let wgsl = format!(
        "alias T = array<u32, {n}>;
         struct S {{ n: u32, t: T, m: u32 }}
         @group(0) @binding(0) var<storage, read_write> a: T;
         @group(0) @binding(1) var<storage, read_write> o: array<u32, 24>;
         var<workgroup> w: T;
         fn renamed(s: S, k: u32) -> S {{ var r = s; r.n = k; return r; }}
         fn bump(given: T, k: u32) -> T {{ var t = given; t[k] += 1u; return t; }}
         @compute @workgroup_size(1) fn main() {{
             let zero = a[0] & 0u;
             for (var i = 0u; i < {n}u; i++) {{ w[i] = i * 5u; }}
             var s: S;
             s.n = 5u; s.t = a; s.m = 9u;
             s.t[zero + 199u] = 77u;
             let r = renamed(s, 8u);
             o[0] = r.n + r.m; o[1] = r.t[zero + 199u]; o[2] = s.n;
             let c = S(3u, a, 4u);
             a[7] = 1000u;
             o[3] = c.t[7u + zero]; o[4] = c.n * c.m;
             a = bump(a, 8u + zero);
             o[5] = a[8];
             for (var i = 0u; i < 3u; i++) {{ a = bump(a, 20u + i + zero); }}
             o[6] = a[20] + a[22]; o[7] = a[23];
             var t = a;
             t[1u + zero] = 3u; o[8] = a[1u + zero]; a = t; o[9] = a[1u + zero];
             var u = a;
             u[2u + zero] = 4u;
             if zero == 1u {{ a = u; }}
             o[10] = a[2u + zero]; o[11] = u[2u + zero];
             var b = a;
             o[12] = b[zero + 3u]; b = w; o[13] = b[zero + 3u]; b[zero + 3u] += 1u; o[14] = b[zero + 3u]; o[15] = w[zero + 3u];
             var x: T;
             for (var i = 0u; i < {n}u; i++) {{ x[i] = i * 3u; }}
             o[16] = x[zero + 50u];
             var y: T;
             for (var i = 0u; i < 199u; i++) {{ y[i] = i; }}
             o[17] = y[199u - zero]; o[18] = y[198u - zero];
             w = bump(w, 4u + zero);
             o[19] = w[4] + w[5];
             let none = T();
             o[20] = none[zero + 6u];
             let same = workgroupUniformLoad(&w);
             w[9] = 1u;
             o[21] = same[9u + zero] + w[9];
         }}"
    );
    let a = words(n);
    let mut wanted = vec![7; 24];
    wanted[..5].copy_from_slice(&[17, 77, 5, a[7], 12]);
    wanted[5..8].copy_from_slice(&[a[8].wrapping_add(1), a[20].wrapping_add(a[22]).wrapping_add(2), a[23]]);
    wanted[8..16].copy_from_slice(&[a[1], 3, a[2], 4, a[3], 15, 16, 15]);
    wanted[16..22].copy_from_slice(&[150, 0, 198, 21 + 25, 0, 46]);
    check(&wgsl, &a, &[7; 24], &wanted);
}

/// A GLSL program on the words of binding 0, through glslang, with and without `spirv-opt`.
fn check_glsl(name: &str, n: usize, text: &str, wanted: &[u32]) {
    check_glsl_of(name, n, text, wanted, true);
}

/// The same, with `spirv-opt` or not.
#[track_caller]
fn check_glsl_of(name: &str, n: usize, text: &str, wanted: &[u32], optimised: bool) {
    let head = format!(
        "#version 450
         layout(local_size_x = 1) in;
         layout(std430, set = 0, binding = 0) readonly buffer A {{ uint a[{n}]; }};
         layout(std430, set = 0, binding = 1) buffer O {{ uint o[{}]; }};
         #define T uint[{n}]
         struct S {{ uint n; uint t[{n}]; }};
         S make(uint k) {{ S s; s.n = k; for (uint i = 0u; i < {n}u; i++) s.t[i] = a[i] + k; return s; }}
        ",
        wanted.len()
    );
    let text = head + text;
    let modules = gpucc_glsl::modules(&format!("{name}.comp"), "vulkan1.1", &text);
    for bytes in modules.iter().take(1 + usize::from(optimised)) {
        check_module(&lowered(bytes), &text, &words(n), &vec![7; wanted.len()], wanted);
    }
}

/// The same in SPIR-V, as glslang writes arrays and structs that are returned and given by value.
#[test]
fn a_large_value_of_spirv_is_what_was_there() {
    need!("glslangValidator");
    let n = 200;
    let a = words(n);
    let plus = |x: u32, k: u32| x.wrapping_add(k);
    check_glsl(
        "kept",
        n,
        "T same(T t) { return t; }
         T bump(T t, uint k) { t[k] += 1u; return t; }
         void main() {
             uint zero = a[0] & 0u;
             T t;
             for (uint i = 0u; i < 200u; i++) t[i] = a[i];
             T before = t;
             t[0] = 5u;
             o[0] = before[0]; o[1] = t[zero];
             T x = same(t);
             t[1] = 6u;
             o[2] = x[1u + zero]; o[3] = t[1];
             for (uint i = 0u; i < 3u; i++) t = bump(t, 7u);
             o[4] = t[7u + zero];
         }",
        &[a[0], 5, a[1], 6, plus(a[7], 3)],
    );
    check_glsl(
        "gathered",
        n,
        "void main() {
             uint zero = a[0] & 0u;
             T t = make(1u).t;
             T x = make(2u).t;
             T y;
             for (uint i = 0u; i < 3u; i++) { y = t; t[9] = t[9] + 1u; o[0] = y[9]; }
             uint rows[2][200] = uint[2][200](t, x);
             rows[1u - zero][0] = 4u;
             T row = rows[zero];
             rows[0][zero] = 8u;
             o[1] = row[zero]; o[2] = rows[1][0]; o[3] = x[0]; o[4] = rows[0][0];
         }",
        &[plus(a[9], 3), plus(a[0], 1), 4, plus(a[0], 2), 8],
    );
    let last = a[n - 1];
    check_glsl(
        "chosen",
        n,
        "S choose(S s, uint k) {
             if (k == 0u) { S z = s; z.t[0] = 1u; return z; }
             for (uint i = 1u; i < 3u; i++) if (i == k) return make(i * 10u);
             return s;
         }
         void main() {
             uint zero = a[0] & 0u;
             S first = make(3u);
             for (uint k = 0u; k < 4u; k++) {
                 S c = choose(first, k);
                 o[k] = c.t[zero] + c.n; o[4u + k] = c.t[199u - zero];
             }
         }",
        &[
            4,
            plus(a[0], 20),
            plus(a[0], 40),
            plus(a[0], 6),
            plus(last, 3),
            plus(last, 10),
            plus(last, 20),
            plus(last, 3),
        ],
    );
}

/// Arrays of all memories that change places, once and in a loop.
#[test]
fn arrays_change_places() {
    let n = 136;
    for [x, y] in [["f", "g"], ["p", "w"], ["a", "f"], ["g", "w"], ["a", "w"]] {
        for times in [1, 3] {
            let wgsl = format!(
                "alias T = array<u32, {n}>;
                 @group(0) @binding(0) var<storage, read_write> a: T;
                 @group(0) @binding(1) var<storage, read_write> o: array<u32, {}>;
                 var<workgroup> w: T;
                 var<private> p: T;
                 @compute @workgroup_size(1) fn main() {{
                     var f: T; var g: T;
                     let zero = a[0] & 0u;
                     for (var k = 0u; k < {n}u; k++) {{ {x}[k] = a[k] + 1u; {y}[k] = a[k] * 5u + k; }}
                     for (var k = zero; k < {times}u; k++) {{
                         let t = {x}; {x} = {y}; {y} = t;
                         {x}[7u + zero] += 3u;
                     }}
                     for (var k = 0u; k < {n}u; k++) {{ o[k] = {x}[k]; o[k + {n}u] = {y}[k]; }}
                 }}",
                2 * n
            );
            let source = words(n);
            let mut first: Vec<u32> = source.iter().map(|w| w.wrapping_add(1)).collect();
            let seen = if x == "a" { &first } else { &source };
            let mut second: Vec<u32> =
                seen.iter().enumerate().map(|(k, w)| w.wrapping_mul(5).wrapping_add(k as u32)).collect();
            for _ in 0..times {
                std::mem::swap(&mut first, &mut second);
                first[7] = first[7].wrapping_add(3);
            }
            check(&wgsl, &source, &vec![7; 2 * n], &[first, second].concat());
        }
    }
}

/// Elements with padding, and what a workgroup has agreed on.
#[test]
fn padded_elements_and_agreed_arrays_are_what_was_there() {
    let n = 60;
    let source: Vec<u32> = (0..4 * n as u32).map(|k| (k as f32 * 0.5).to_bits()).collect();
    let wgsl = format!(
        "@group(0) @binding(0) var<storage, read_write> a: array<vec3f, {n}>;
         @group(0) @binding(1) var<storage, read_write> o: array<f32, 8>;
         fn part(t: array<vec3f, {n}>, i: u32, k: u32) -> f32 {{ return t[i][k]; }}
         @compute @workgroup_size(1) fn main() {{
             let zero = u32(a[0].x);
             let t = a;
             o[0] = t[5u + zero].y; o[1] = part(a, 9u + zero, 2u); o[2] = part(t, 59u, zero);
             let before = a;
             a[11] = vec3f(7.0, 8.0, 9.0);
             o[3] = before[11u + zero].z; o[4] = a[11u + zero].z;
             var x = a;
             x[zero].y = 4.0;
             o[5] = x[zero].y; o[6] = a[zero].y; o[7] = x[11u + zero].x;
         }}"
    );
    let at = |element: usize, lane: usize| f32::from_bits(source[4 * element + lane]);
    let wanted = [at(5, 1), at(9, 2), at(59, 0), at(11, 2), 9.0, 4.0, at(0, 1), 7.0];
    check(&wgsl, &source, &[0; 8], &wanted.map(f32::to_bits));
    // Read before all have passed the barrier behind, and after the next one was passed and some have written.
    let n = 140;
    let wgsl = format!(
        "@group(0) @binding(0) var<storage, read_write> a: array<u32, {n}>;
         @group(0) @binding(1) var<storage, read_write> o: array<u32, 24>;
         var<workgroup> w: array<u32, {n}>;
         var<workgroup> x: array<u32, {n}>;
         @compute @workgroup_size(8) fn main(@builtin(local_invocation_index) l: u32) {{
             w[l] = a[l] + 1u; x[l] = a[l] + 2u;
             let t = workgroupUniformLoad(&w);
             let u = workgroupUniformLoad(&x);
             o[l] = t[(l + 3u) & 7u];
             x[l] = 5u;
             workgroupBarrier();
             o[l + 8u] = u[(l + 5u) & 7u]; o[l + 16u] = x[(l + 1u) & 7u];
         }}"
    );
    let source = words(n);
    let of = |k: usize, by: usize, more: u32| source[(k + by) & 7].wrapping_add(more);
    let wanted: Vec<u32> = (0..8).map(|k| of(k, 3, 1)).chain((0..8).map(|k| of(k, 5, 2))).chain([5; 8]).collect();
    check(&wgsl, &source, &[7; 24], &wanted);
}

/// Whole arrays and structs that are compared: the same, and with a part that differs.
#[test]
fn arrays_are_compared() {
    need!("glslangValidator");
    let n = 200;
    // `spirv-opt` compares word by word, which gc2000 has no room for at level 0.
    let compared = |name, n, text, wanted: &[u32]| check_glsl_of(name, n, text, wanted, false);
    compared(
        "compared",
        n,
        "const uint at[7] = uint[7](0u, 3u, 4u, 5u, 100u, 198u, 199u);
         void main() {
             uint zero = a[0] & 0u;
             T t;
             for (uint k = 0u; k < 200u; k++) t[k] = a[k];
             o[0] = uint(t == a) + 2u * uint(t != a);
             for (uint k = 0u; k < 7u; k++) {
                 T x = t;
                 x[at[k] + zero] ^= 1u;
                 o[1u + k] = uint(x == a) + 2u * uint(t != x);
             }
         }",
        &[1, 2, 2, 2, 2, 2, 2, 2],
    );
    compared(
        "compared-floats",
        n,
        "void main() {
             uint zero = a[0] & 0u;
             float f[200];
             for (uint k = 0u; k < 200u; k++) f[k] = float(k + zero);
             float g[200] = f;
             o[0] = uint(f == g);
             f[150] = 0.0; g[150] = -0.0;
             o[1] = uint(f == g);
             g[151 + zero] = 1.0;
             o[2] = uint(f == g);
         }",
        &[1, 1, 0],
    );
    compared(
        "compared-vectors",
        n,
        "void main() {
             uint zero = a[0] & 0u;
             vec3 v[70];
             for (uint k = 0u; k < 70u; k++) v[k] = vec3(k + zero, 1.0, 2.0);
             vec3 w[70] = v;
             o[0] = uint(v == w);
             w[69u - zero].z = 3.0;
             o[1] = uint(v == w) + 2u * uint(v != w);
         }",
        &[1, 2],
    );
    compared(
        "compared-structs",
        n,
        "void main() {
             uint zero = a[0] & 0u;
             S s = make(1u), r = make(1u);
             o[0] = uint(s == r);
             s.t[77u + zero] = 1u;
             o[1] = uint(s == r);
             s = r; s.n = 9u;
             o[2] = uint(s != r);
         }",
        &[1, 0, 1],
    );
}

/// The same words by value as by pointer, for sizes far beyond the registers, within twice the code.
#[test]
fn code_by_value_is_as_by_pointer() {
    let wgsl = |n: usize, by_value: bool| {
        let (make, call) = match by_value {
            true => ("fn make(l: u32) -> T { var t: T; fill(&t, l); return t; }", "let t = make(l);"),
            false => ("", "var t: T; fill(&t, l);"),
        };
        format!(
            "alias T = array<u32, {n}>;
             @group(0) @binding(0) var<storage, read> a: array<u32>;
             @group(0) @binding(1) var<storage, read_write> o: array<u32>;
             fn fill(t: ptr<function, T>, l: u32) {{ for (var i = 0u; i < {n}u; i++) {{ t[i] = a[i + l]; }} }}
             {make}
             @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) l: u32) {{
                 {call}
                 o[l] = t[l] + t[3];
             }}"
        )
    };
    for n in [256, 4096] {
        let [value, pointer] = [true, false].map(|by_value| lower(&wgsl(n, by_value)));
        for target in exec::targets("all") {
            let o = Options::new(target).opt(2);
            let [value, pointer] = [&value, &pointer]
                .map(|m| gpucc::compile(m, &o).map(|a| a.code().len()).unwrap_or_else(|d| panic!("{target}: {d}")));
            assert!(value <= 2 * pointer, "{target}: {value} bytes by value, {pointer} by pointer, of {n} words");
        }
    }
}

/// A table of constants is read where constants lie: its code does not grow with it.
#[test]
fn code_does_not_grow_with_a_table() {
    let wgsl = |n: u32| {
        let list: Vec<String> = (0..n).map(|k| format!("{}u", k * k + 3)).collect();
        format!(
            "@group(0) @binding(0) var<storage, read> a: array<u32>;
             @group(0) @binding(1) var<storage, read_write> o: array<u32>;
             const TABLE = array<u32, {n}>({});
             @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) l: u32) {{ o[l] = TABLE[a[l]]; }}",
            list.join(", ")
        )
    };
    let modules = [64, 256].map(|n| lower(&wgsl(n)));
    for target in exec::targets("gcn:all,valhall:all,tesla:all") {
        let o = Options::new(target).opt(2);
        let [few, many] = modules
            .each_ref()
            .map(|m| gpucc::compile(m, &o).map(|a| a.code().len()).unwrap_or_else(|d| panic!("{target}: {d}")));
        assert!(many < few + 16, "{target}: {few} bytes for 64 words, {many} for 256");
    }
}

#[test]
fn a_table_gives_its_constants() {
    let list: Vec<String> = (0..128u32).map(|k| format!("{}u", k * k + 3)).collect();
    let wgsl = format!(
        "@group(0) @binding(0) var<storage, read> a: array<u32, 64>;
         @group(0) @binding(1) var<storage, read_write> o: array<u32, 64>;
         const TABLE = array<u32, 128>({});
         @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) l: u32) {{
             let word = TABLE[a[l]] + u32(vec4f(1.5, 2.5, 3.5, 4.5)[a[l] & 3u]);
             o[l] = word;
         }}",
        list.join(", ")
    );
    let source: Vec<u32> = (0..64).map(|k| k * 37 % 128).collect();
    let wanted: Vec<u32> = source.iter().map(|&k| k * k + 3 + 1 + (k & 3)).collect();
    check(&wgsl, &source, &[7; 64], &wanted);
}

/// Statements about arrays, most of which copy whole ones.
enum Stmt {
    /// One word: to, its index, from, its index.
    Word(usize, u32, usize, u32),
    /// All words.
    Whole(usize, usize),
    /// A function takes the second by value, changes a word and returns it.
    Bump(usize, usize, u32),
    /// The first is kept while a word of the second changes, and a word of what was kept is given out.
    Keep(usize, usize, u32),
    /// All words of the first, of which the last go through a second variable.
    Give(usize, u32),
    If(bool, Vec<Stmt>, Vec<Stmt>),
    Twice(Vec<Stmt>),
}

/// Words of each array, and their names: variables of the function, of the invocation, of the workgroup, and of a buffer.
const WORDS: usize = 131;
const NAMES: [&str; 5] = ["f", "g", "p", "w", "a"];

fn random(next: &mut impl FnMut(u32) -> u32, n: u32, depth: u32) -> Vec<Stmt> {
    let mut list = Vec::new();
    for _ in 0..n {
        let (x, y) = (next(5) as usize, next(5) as usize);
        let k = next(WORDS as u32);
        list.push(match next(if depth > 0 { 9 } else { 7 }) {
            0 => Stmt::Word(x, k, y, next(WORDS as u32)),
            1 | 2 => Stmt::Whole(x, y),
            3 => Stmt::Bump(x, y, k),
            4 => Stmt::Keep(x, y, k),
            5 | 6 => Stmt::Give(x, k),
            7 => Stmt::If(next(2) == 0, random(next, 2, depth - 1), random(next, 2, depth - 1)),
            _ => Stmt::Twice(random(next, 3, depth - 1)),
        });
    }
    list
}

/// The text of statements; `z` is zero.
fn print(list: &[Stmt], o: &mut String) {
    use std::fmt::Write;
    for s in list {
        let _ = match s {
            Stmt::Word(x, i, y, j) => writeln!(o, "{}[z + {i}u] = {}[z + {j}u] + 1u;", NAMES[*x], NAMES[*y]),
            Stmt::Whole(x, y) => writeln!(o, "{} = {};", NAMES[*x], NAMES[*y]),
            Stmt::Bump(x, y, k) => writeln!(o, "{} = bump({}, z + {k}u);", NAMES[*x], NAMES[*y]),
            Stmt::Keep(x, y, k) => {
                let (x, y) = (NAMES[*x], NAMES[*y]);
                writeln!(o, "{{ let t = {x}; {y}[z + {k}u] += 3u; give(t[z + {k}u]); }}")
            }
            Stmt::Give(x, k) => {
                writeln!(o, "{{ var t = {}; t[z + {k}u] *= 5u; give(t[z + {k}u] ^ t[z]); }}", NAMES[*x])
            }
            Stmt::If(c, yes, no) => {
                let _ = writeln!(o, "if z == {}u {{", u32::from(!c));
                print(yes, o);
                let _ = writeln!(o, "}} else {{");
                print(no, o);
                writeln!(o, "}}")
            }
            Stmt::Twice(list) => {
                let _ = writeln!(o, "for (var i = z; i < 2u; i++) {{");
                print(list, o);
                writeln!(o, "}}")
            }
        };
    }
}

/// What statements do.
fn simulate(list: &[Stmt], m: &mut [Vec<u32>; 5], sum: &mut u32) {
    let give = |sum: &mut u32, x: u32| *sum = sum.wrapping_mul(31).wrapping_add(x);
    for s in list {
        match s {
            Stmt::Word(x, i, y, j) => m[*x][*i as usize] = m[*y][*j as usize].wrapping_add(1),
            Stmt::Whole(x, y) => m[*x] = m[*y].clone(),
            Stmt::Bump(x, y, k) => {
                let mut t = m[*y].clone();
                t[*k as usize] = t[*k as usize].wrapping_add(7);
                m[*x] = t;
            }
            Stmt::Keep(x, y, k) => {
                let t = m[*x].clone();
                m[*y][*k as usize] = m[*y][*k as usize].wrapping_add(3);
                give(sum, t[*k as usize]);
            }
            Stmt::Give(x, k) => {
                let mut t = m[*x].clone();
                t[*k as usize] = t[*k as usize].wrapping_mul(5);
                give(sum, t[*k as usize] ^ t[0]);
            }
            Stmt::If(c, yes, no) => simulate(if *c { yes } else { no }, m, sum),
            Stmt::Twice(list) => (0..2).for_each(|_| simulate(list, m, sum)),
        }
    }
}

/// Random programs of copies give what the same statements give here: on the oracle, behind the passes of each level, and of a few
/// programs on each family.
#[test]
fn random_copies_are_what_was_there() {
    let families: Vec<On> = exec::targets("all").into_iter().map(exec::on).collect();
    for seed in 1..=48u32 {
        let mut state = seed.wrapping_mul(0x9e37_79b9) | 1;
        let mut next = |n: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % n
        };
        let program = random(&mut next, 6, 2);
        let mut body = String::new();
        print(&program, &mut body);
        let wgsl = format!(
            "alias T = array<u32, {WORDS}>;
             @group(0) @binding(0) var<storage, read_write> a: T;
             @group(0) @binding(1) var<storage, read_write> o: array<u32, {}>;
             var<private> p: T;
             var<workgroup> w: T;
             fn give(x: u32) {{ o[0] = o[0] * 31u + x; }}
             fn bump(t: T, k: u32) -> T {{ var u = t; u[k] += 7u; return u; }}
             @compute @workgroup_size(1) fn main() {{
             let z = a[0] & 0u;
             var f = a;
             var g: T;
             {body}
             for (var i = 0u; i < {WORDS}u; i++) {{ o[1u + i] = f[i] + g[i] * 3u + p[i] * 5u + w[i] * 7u + a[i] * 11u; }}
             }}",
            WORDS + 1
        );
        let source = words(WORDS);
        let mut m = [source.clone(), vec![0; WORDS], vec![0; WORDS], vec![0; WORDS], source.clone()];
        let mut sum = 0;
        simulate(&program, &mut m, &mut sum);
        let mut wanted = vec![sum];
        wanted.extend((0..WORDS).map(|i| {
            [1, 3, 5, 7, 11].iter().zip(&m).fold(0u32, |n, (by, array)| n.wrapping_add(array[i].wrapping_mul(*by)))
        }));
        let module = lower(&wgsl);
        let mut places = vec![On::Interp, On::Passes(exec::For::Rich), On::Passes(exec::For::Poor)];
        if seed.is_multiple_of(16) {
            places.extend(&families);
        }
        for on in places {
            for level in 0..4 {
                let o = Options::new(Target::parse("gcn").expect("a target")).opt(level);
                let mut d = Dispatch::new([1, 1, 1]).with_u32(0, 0, &source).with_u32(0, 1, &vec![0; WORDS + 1]);
                match exec::run(&module, "main", on, &o.codegen, &mut d, &RunOptions::default()) {
                    // More arrays than a family has memory for.
                    Err(exec::Problem::Refused(..)) => continue,
                    done => _ = done.unwrap_or_else(|p| panic!("seed {seed} on {on} -O{level}: {p}\n{wgsl}")),
                }
                let got = d.words(0, 1).expect("bound");
                assert_eq!(got[..wanted.len()], wanted[..], "seed {seed} on {on} -O{level}\n{wgsl}");
            }
        }
    }
}
