//! Copies of whole aggregates: every word arrives, padding stays, and code does not grow with what is copied.

use gpucc::{Options, Target};
use gpucc_ir::Module;
use gpucc_sim::{Dispatch, RunOptions};
use gpucc_tests::exec::{self, On};

fn lower(wgsl: &str) -> Module {
    exec::lower(wgsl, "main", &[]).unwrap_or_else(|p| panic!("{p}\n{wgsl}"))
}

/// The words that the shader leaves in binding 1, on every target at two levels.
#[track_caller]
fn check(wgsl: &str, source: &[u32], before: &[u32], wanted: &[u32]) {
    let module = lower(wgsl);
    let places = exec::targets("all:all").into_iter().map(exec::on);
    for on in places.chain([On::Interp]) {
        for level in [0, 2] {
            let o = Options::new(Target::parse("gcn").expect("a target")).opt(level);
            let mut d = Dispatch::new([1, 1, 1]).with_u32(0, 0, source).with_u32(0, 1, before);
            exec::run(&module, "main", on, &o.codegen, &mut d, &RunOptions::default())
                .unwrap_or_else(|p| panic!("{on} -O{level}: {p}\n{wgsl}"));
            let got = d.words(0, 1).expect("bound");
            if let Some(at) = got.iter().zip(wanted).position(|(a, b)| a != b) {
                panic!("{on} -O{level}: word {at} is {:#x}, expected {:#x}\n{wgsl}", got[at], wanted[at]);
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
