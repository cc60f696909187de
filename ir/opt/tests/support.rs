//! Tests of `ir/opt/src/support.rs`.

use crate::testing::parse;
use gpucc_ir::{Refusal, Unsupported};
use gpucc_opt::support::*;

const UNSUPPORTED: &[Unsupported] = &[
    Unsupported::all(Refusal::F16, "no halves"),
    Unsupported::all(Refusal::Atomics, "none before b").on(&["a"]),
    Unsupported::all(Refusal::WorkgroupSize, "few lanes").most(64),
];

fn code(generation: &str, size: u32, body: &str) -> Option<&'static str> {
    let m = parse(&format!("entry \"main\" compute func0 size {size},1,1\nfunc0 \"f\" {{\nblock0:\n{body}  ret\n}}\n"));
    check(&m, &Chip { family: "x", generation, unsupported: UNSUPPORTED }).err().map(|d| {
        assert!(d.message.contains(&format!("x:{generation}")), "{d}");
        d.code
    })
}

#[test]
fn what_is_lacking_is_refused_and_nothing_else() {
    let atomic = "  v1: i32 = atomic.add 1:i32, res1[0] align 4\n";
    assert_eq!(code("a", 64, atomic), Some("atomics"));
    assert_eq!(code("b", 64, atomic), None);
    assert_eq!(code("b", 65, ""), Some("workgroup-size"));
    let half = "  v1: i32 = load res1[0] align 4\n  v2: f16x2 = bitcast v1\n  v3: i32 = bitcast v2\n  store v3, res1[0] align 4\n";
    assert_eq!(code("b", 1, half), Some("f16"));
    let wide = "  v1: i64 = load res1[0] align 8\n  store v1, res1[8] align 8\n";
    assert_eq!(code("b", 1, wide), None);
}
