//! Tests of `ir/opt/src/if_convert.rs`.

use crate::testing::{opt, unchanged};
use gpucc_opt::if_convert::run;

#[test]
fn a_diamond_becomes_a_select() {
    let t = opt(
        run,
        "func0 \"f\" {\nblock0:\n  v0: i32 = sysval local_invocation_index\n  v1: b1 = icmp.ult v0, 5:i32\n\
         br v1, block1, block2 merge block3\nblock1:\n  v2: i32 = iadd v0, 1:i32\n  jump block3(v2, 0:i32)\n\
         block2:\n  v3: i32 = isub v0, 1:i32\n  jump block3(v3, 0:i32)\nblock3(v4: i32, v5: i32):\n  v6: i32 = iadd v4, v5\n\
         store v6, res1[0] align 4\n  ret\n}",
    );
    assert!(t.contains("v4: i32 = select v1, v2, v3\n  jump block1(v4, 0:i32) merge block1"), "{t}");
}

#[test]
fn exits_with_different_values_leave_together() {
    let t = opt(
        run,
        "func0 \"f\" {\nblock0:\n  v0: i32 = sysval local_invocation_index\n  v1: b1 = icmp.ult v0, 5:i32\n  jump block1 merge block4\n\
         block1:\n  v2: b1 = icmp.ult v0, 9:i32\n  br v2, block2, block3 merge block3\nblock2:\n\
         br v1, block4(1:i32), block4(2:i32)\nblock3:\n  jump block4(3:i32)\nblock4(v9: i32):\n  store v9, res1[0] align 4\n  ret\n}",
    );
    assert!(t.contains("select v1, 1:i32, 2:i32"), "{t}");
}

const SWITCH: &str = "func0 \"f\" {\nblock0:\n  v0: i32 = sysval local_invocation_index\n\
    switch v0, 1: block1(7:i32, v0), 5: block1(7:i32, v0), 6: block1(9:i32, v0), 8: block1(3:i32, v0), default: block1(3:i32, v0) merge block1\n\
    block1(v1: i32, v2: i32):\n  v3: i32 = iadd v1, v2\n  store v3, res1[0] align 4\n  ret\n}";

#[test]
fn a_switch_that_chooses_a_value_becomes_selects() {
    let t = opt(run, SWITCH);
    assert!(!t.contains("switch") && !t.contains("8:i32"), "{t}");
    assert_eq!((t.matches("icmp.eq").count(), t.matches("select").count()), (3, 2), "{t}");
}

#[test]
fn a_switch_with_work_in_it_stays() {
    unchanged(
        run,
        "func0 \"f\" {\nblock0:\n  v0: i32 = sysval local_invocation_index\n\
         switch v0, 1: block1, 5: block2(4:i32), default: block2(3:i32) merge block2\n\
         block1:\n  store v0, res1[4] align 4\n  jump block2(1:i32)\n\
         block2(v1: i32):\n  store v1, res1[0] align 4\n  ret\n}",
    );
}

#[test]
fn memory_and_large_arms_stay() {
    unchanged(
        run,
        "func0 \"f\" {\nblock0:\n  v0: i32 = sysval local_invocation_index\n  v1: b1 = icmp.ult v0, 5:i32\n\
         br v1, block1, block2(0:i32) merge block2\nblock1:\n  v2: i32 = load res0[0 + v0] align 4\n  jump block2(v2)\n\
         block2(v3: i32):\n  br v1, block3, block4(0:i32) merge block4\nblock3:\n  v4: i32 = udiv v3, v0\n  jump block4(v4)\n\
         block4(v5: i32):\n  store v5, res1[0] align 4\n  ret\n}",
    );
}
