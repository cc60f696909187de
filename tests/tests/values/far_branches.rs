//! Branches over more code than a branch of GCN reaches (131,072 bytes): both ways of a condition, a loop with `continue` and
//! `break`, a `switch`. Every machine gives what the oracle gives, or the chip has no room for the program.

use gpucc::{CodegenOptions, Target};
use gpucc_ir::Refusal;
use gpucc_sim::{Dispatch, RunOptions};
use gpucc_tests::exec::{self, On, Problem};

/// Bytes that a branch of GCN reaches.
const REACH: u64 = 1 << 17;

/// Statements of which each is some 24 bytes of code, all different.
fn statements(n: u32, seed: u32) -> String {
    let line = |i: u32| {
        let k = seed.wrapping_mul(0x9e37_79b9).wrapping_add(i.wrapping_mul(0x85eb_ca6b)) | 1;
        format!("x = (x ^ {k}u) * {}u + {}u;\n", k >> 3 | 1025, k >> 5 | 4096)
    };
    (0..n).map(line).collect()
}

fn shader(body: &str) -> String {
    format!(
        "@group(0) @binding(0) var<storage, read> a: array<u32>;
         @group(0) @binding(1) var<storage, read_write> o: array<u32>;
         @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
             var x = a[id.x];
             {body}
             o[id.x] = x;
         }}"
    )
}

fn condition() -> String {
    let (a, b) = (statements(5000, 1), statements(5000, 2));
    shader(&format!("if (x & 1u) == 0u {{ {a} if (x & 6u) == 2u {{ return; }} }} else {{ {b} }} x += 1u;"))
}

fn round() -> String {
    let (a, b) = (statements(4000, 3), statements(4000, 4));
    shader(&format!(
        "for (var i = 0u; i < 3u + (id.x & 1u); i++) {{
             if (x & 2u) == 0u {{ x += 3u; continue; }} {a} if (x & 12u) == 0u {{ break; }} {b} }}"
    ))
}

fn choice() -> String {
    let case = |k: u32| format!("case {k}u: {{ {} }}\n", statements(1500, 10 + k));
    let cases: String = (0..6).map(case).collect();
    shader(&format!("switch x & 7u {{ {cases} default: {{ x = ~x; }} }}"))
}

fn check(wgsl: &str) {
    let module = exec::lower(wgsl, "main", &[]).unwrap_or_else(|p| panic!("{p}"));
    let words: Vec<u32> = (0..64u32).map(|i| i.wrapping_mul(0x9e37_79b9) >> 7).collect();
    let run = |on: On, opt_level: u8| {
        let mut d = Dispatch::new([1, 1, 1]).with_u32(0, 0, &words).with_u32(0, 1, &[0; 64]);
        let codegen = CodegenOptions { opt_level, ..CodegenOptions::default() };
        exec::run(&module, "main", on, &codegen, &mut d, &RunOptions::default())
            .map(|_| d.words(0, 1).expect("the buffer").to_vec())
    };
    let want = run(On::Interp, 2).unwrap_or_else(|p| panic!("{p}"));
    assert!(want.iter().filter(|&&w| w != 0).count() > 16, "{want:?}");
    for target in exec::targets("all,gcn:gfx6") {
        for level in [0, 2] {
            match run(exec::on(target), level) {
                Ok(got) => assert_eq!(got, want, "{target} -O{level}"),
                Err(Problem::Refused(codes, why)) => {
                    let known = target.to_string().starts_with("vivante");
                    let size = codes.iter().all(|c| matches!(c, Refusal::ProgramSize | Refusal::OutOfUniforms));
                    assert!(known && size, "{target} -O{level}: {why}");
                }
                Err(p) => panic!("{target} -O{level}: {p}"),
            }
        }
    }
    // Its subject.
    let o = gpucc::Options::new(Target::parse("gcn").expect("a target"));
    let code = gpucc::compile(&module, &o).unwrap_or_else(|d| panic!("{d}"));
    assert!(code.code().len() as u64 > REACH, "{} bytes: the test has gone blunt", code.code().len());
}

#[test]
fn conditions() {
    check(&condition());
}

#[test]
fn loops() {
    check(&round());
}

#[test]
fn switches() {
    check(&choice());
}
