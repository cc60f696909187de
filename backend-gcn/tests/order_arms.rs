//! Tests of `backend-gcn/src/flow/order_arms.rs` and `empty_merges.rs`: masks of lanes that wait in branches inside branches.

use gpucc_sim::Dispatch;

use crate::common::{compile, module, options, oracle, run};

/// Arms of a chain: constants, or what has code of its own.
fn chain(arms: u32, with_code: bool) -> String {
    let arm = |k: u32| match with_code {
        true => format!("if x == {k}u {{ o[i] = x * {}u; y += o[i + 64u]; }}", k + 3),
        false => format!("if x == {k}u {{ y = {}u; }}", (k * 7 + 1) % 5),
    };
    let arms: Vec<String> = (0..arms).map(arm).collect();
    format!(
        "@group(0) @binding(0) var<storage, read_write> o: array<u32>;
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {{
            let x = o[i]; var y = 77u;
            {}
            o[i + 128u] = y;
        }}",
        arms.join(" else ")
    )
}

/// The second arm of each branch is small, and the first holds the next one; or the other way round.
fn nest(depth: u32, first: bool) -> String {
    let mut inner = "y += 5u;".to_string();
    for k in 0..depth {
        let small = format!("{{ y ^= {k}u; o[i] = y; }}");
        let (c, inside) =
            (format!("((x >> {}u) & 1u) == 1u", k % 31), format!("{{ {inner} y = y * 3u + o[i + 64u]; }}"));
        inner = if first { format!("if {c} {inside} else {small}") } else { format!("if {c} {small} else {inside}") };
    }
    format!(
        "@group(0) @binding(0) var<storage, read_write> o: array<u32>;
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {{
            let x = o[i]; var y = 77u;
            {inner}
            o[i + 128u] = y;
        }}"
    )
}

#[test]
fn a_chain_keeps_few_masks() {
    let words: Vec<u32> =
        (0..192).map(|k: u32| if k.is_multiple_of(3) { k.wrapping_mul(97) % 140 } else { k % 11 }).collect();
    let before = Dispatch::new([1; 3]).with_u32(0, 0, &words);
    for with_code in [false, true] {
        let m = module(&chain(130, with_code));
        let want = oracle(&m, &before);
        for level in 0..4 {
            let out = compile(&m, 2, &options(level));
            let sgprs = out.stats.iter().find(|s| s.0 == "sgprs").map_or(0, |s| s.1);
            assert!(sgprs < 40, "-O{level}: {sgprs} scalar registers\n{}", out.mir);
            assert_eq!(run(&out, 2, &before, Some(level.into())).unwrap(), want, "-O{level}");
        }
    }
}

#[test]
fn a_long_chain_compiles() {
    for (level, with_code) in [(0, false), (0, true), (2, false), (2, true)] {
        let out = compile(&module(&chain(800, with_code)), 2, &options(level));
        assert!(out.stats.iter().any(|s| s.0 == "sgprs" && s.1 < 40), "-O{level}");
    }
}

/// The cases of a switch at level 0: each is a block that leads to the end.
#[test]
fn cases_of_values_keep_few_masks() {
    let cases: String = (0..300).map(|k| format!("case {k}u: {{ y = {}u; }}\n", k * 7 % 251)).collect();
    let source = format!(
        "@group(0) @binding(0) var<storage, read_write> o: array<u32>;
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {{
            let x = o[i]; var y = 77u;
            switch x {{ {cases} default: {{ }} }}
            o[i + 128u] = y;
        }}"
    );
    let words: Vec<u32> = (0..192).map(|k: u32| k.wrapping_mul(97) % 310).collect();
    let before = Dispatch::new([1; 3]).with_u32(0, 0, &words);
    let m = module(&source);
    let want = oracle(&m, &before);
    for level in 0..3 {
        let out = compile(&m, 2, &options(level));
        let sgprs = out.stats.iter().find(|s| s.0 == "sgprs").map_or(0, |s| s.1);
        assert!(sgprs < 64, "-O{level}: {sgprs} scalar registers");
        assert_eq!(run(&out, 2, &before, Some(level.into())).unwrap(), want, "-O{level}");
    }
}

#[test]
fn arms_in_any_order_are_right() {
    let words: Vec<u32> =
        (0..192).map(|k: u32| k.wrapping_mul(0x9e37_79b9) ^ if k.is_multiple_of(2) { u32::MAX } else { 0 }).collect();
    let before = Dispatch::new([1; 3]).with_u32(0, 0, &words);
    for first in [false, true] {
        let m = module(&nest(20, first));
        let want = oracle(&m, &before);
        for level in 0..4 {
            for generation in 0..3 {
                let out = compile(&m, generation, &options(level));
                assert_eq!(
                    run(&out, generation, &before, Some(3)).unwrap(),
                    want,
                    "-O{level}, generation {generation}"
                );
            }
        }
    }
}
