//! Tests of `ir/opt/src/implied_branches.rs`.

use crate::testing::{opt, unchanged};
use gpucc_opt::implied_branches::run;

/// `first` decides at block 0; `second`, where it holds, at block 1.
fn nested(first: &str, second: &str, ways: &str) -> String {
    format!(
        "func0 \"f\" {{\nblock0:\n  v0: i32 = sysval local_invocation_index\n  v1: i32 = load res2[0] align 4\n\
         v2: f32 = bitcast v0\n  v3: f32 = bitcast v1\n  v4: b1 = {first}\n  v5: b1 = {second}\n  br v4, {ways} merge block4\n\
         block1:\n  br v5, block2, block3 merge block3\nblock2:\n  store 1:i32, res1[0] align 4\n  jump block3\n\
         block3:\n  jump block4\nblock4:\n  ret\n}}"
    )
}

#[test]
fn what_is_decided_above_is_known() {
    for (first, second, ways, yes) in [
        ("icmp.ult v0, v1", "icmp.ult v0, v1", "block1, block4", true),
        ("icmp.ult v0, v1", "icmp.ult v0, v1", "block4, block1", false),
        ("icmp.ult v0, v1", "icmp.ugt v1, v0", "block1, block4", true),
        ("icmp.ult v0, v1", "icmp.uge v0, v1", "block1, block4", false),
        ("icmp.ult v0, v1", "icmp.ule v1, v0", "block1, block4", false),
        ("icmp.eq v0, 0:i32", "icmp.ne v0, 0:i32", "block4, block1", true),
        ("fcmp.olt v2, v3", "fcmp.ogt v3, v2", "block1, block4", true),
        ("fcmp.olt v2, v3", "fcmp.uge v2, v3", "block1, block4", false),
    ] {
        let t = opt(run, &nested(first, second, ways));
        assert!(t.contains(&format!("br {yes}:b1, ")), "{first}; {second}; {ways}: {t}");
    }
}

#[test]
fn other_questions_and_ways_that_join_stay() {
    for (first, second) in [
        ("icmp.ult v0, v1", "icmp.slt v0, v1"),
        ("icmp.ult v0, v1", "icmp.ult v1, v0"),
        ("icmp.ult v0, v1", "icmp.ule v0, v1"),
        // Neither holds for NaN.
        ("fcmp.olt v2, v3", "fcmp.oge v2, v3"),
        // The first may be anything for NaN.
        ("fcmp.olt{nnan} v2, v3", "fcmp.olt v2, v3"),
    ] {
        unchanged(run, &nested(first, second, "block1, block4"));
    }
    // The second branch stands where both ways of the first lead.
    unchanged(
        run,
        "func0 \"f\" {\nblock0:\n  v0: i32 = sysval local_invocation_index\n  v1: b1 = icmp.eq v0, 3:i32\n\
         br v1, block1, block2 merge block2\nblock1:\n  store 2:i32, res1[0] align 4\n  jump block2\n\
         block2:\n  br v1, block3, block4 merge block4\nblock3:\n  store 1:i32, res1[0] align 4\n  jump block4\nblock4:\n  ret\n}",
    );
}
