//! Tests of `ir/opt/src/exit_values.rs`.

use crate::testing::{opt, unchanged};
use gpucc_opt::exit_values::run;

fn diamond(one: &str, other: &str, end: &str) -> String {
    format!(
        "func0 \"f\" {{\nblock0:\n  v0: i32 = sysval local_invocation_index\n  v1: b1 = icmp.ult v0, 9:i32\n\
         br v1, block1, block2 merge block3\nblock1:\n  v2: i32 = load res0[0] align 4\n  store v2, res1[0] align 4\n  jump block3({one}, 5:i32)\n\
         block2:\n  jump block3({other}, 6:i32)\nblock3(v3: b1, v4: i32):\n{end}  ret\n}}"
    )
}

#[test]
fn each_way_brings_its_value() {
    let end = "  v5: i32 = select v3, v4, v0\n  store v5, res1[0] align 4\n";
    let t = opt(run, &diamond("true:b1", "false:b1", end));
    assert!(!t.contains("select"), "{t}");
    assert!(t.contains("block3(true:b1, 5:i32, 5:i32)") && t.contains("block3(false:b1, 6:i32, v0)"), "{t}");
}

#[test]
fn unknown_flags_other_readers_and_own_operands_stay() {
    let end = "  v5: i32 = select v3, v4, v0\n  store v5, res1[0] align 4\n";
    unchanged(run, &diamond("v1", "false:b1", end));
    let twice = "  v5: i32 = select v3, v4, v0\n  v6: i32 = select v3, v5, 1:i32\n  store v6, res1[0] align 4\n";
    unchanged(run, &diamond("true:b1", "false:b1", twice));
    let own = "  v5: i32 = iadd v4, v0\n  v6: i32 = select v3, v5, 1:i32\n  store v6, res1[0] align 4\n";
    unchanged(run, &diamond("true:b1", "false:b1", own));
}
