//! Tests of `ir/opt/src/simplify_cfg.rs`.

use crate::testing::{opt, unchanged};
use gpucc_opt::simplify_cfg::run;

#[test]
fn decided_branches_and_straight_lines() {
    let t = opt(
        run,
        "func0 \"f\" {\nblock0:\n  br true:b1, block1, block2 merge block3\nblock1:\n  store 1:i32, res1[0] align 4\n  jump block3(5:i32)\n\
         block2:\n  store 2:i32, res1[0] align 4\n  jump block3(6:i32)\nblock3(v0: i32):\n  store v0, res1[0] align 4\n  ret\n}",
    );
    assert_eq!(t, "func0 \"f\" {\nblock0:\n  store 1:i32, res1[0] align 4\n  store 5:i32, res1[0] align 4\n  ret\n}\n");
}

#[test]
fn an_early_return_needs_no_construct_of_its_own() {
    let t = opt(
        run,
        "func0 \"f\" {\nblock0:\n  v0: i32 = sysval local_invocation_index\n  jump block1 merge block4\n\
         block1:\n  v1: b1 = icmp.ult v0, 7:i32\n  br v1, block2, block3 merge block3\nblock2:\n  jump block4\n\
         block3:\n  store v0, res1[0] align 4\n  jump block4\nblock4:\n  ret\n}",
    );
    assert_eq!(
        t,
        "func0 \"f\" {\nblock0:\n  v0: i32 = sysval local_invocation_index\n  v1: b1 = icmp.ult v0, 7:i32\n\
         br v1, block2, block1 merge block2\nblock1:\n  store v0, res1[0] align 4\n  jump block2\nblock2:\n  ret\n}\n"
            .replace("\nbr", "\n  br")
    );
}

#[test]
fn what_is_inside_leaves_to_the_outer_end() {
    let t = opt(
        run,
        "func0 \"f\" {\nblock0:\n  v0: i32 = sysval local_invocation_index\n  v1: b1 = icmp.ult v0, 7:i32\n  v2: b1 = icmp.ult v0, 9:i32\n\
         br v1, block1, block5(9:i32) merge block5\nblock1:\n  br v2, block2, block3 merge block4\n\
         block2:\n  store 1:i32, res1[0] align 4\n  jump block4(1:i32)\nblock3:\n  store 2:i32, res1[0] align 4\n  jump block4(2:i32)\n\
         block4(v3: i32):\n  jump block5(v3)\nblock5(v4: i32):\n  store v4, res1[0] align 4\n  ret\n}",
    );
    assert!(t.contains("br v2, block2, block3\n"), "{t}");
    assert_eq!(t.matches("merge").count(), 1, "{t}");
    // A parameter that is read later needs its block.
    unchanged(
        run,
        "func0 \"f\" {\nblock0:\n  v0: i32 = sysval local_invocation_index\n  v1: b1 = icmp.ult v0, 7:i32\n  jump block1 merge block5\n\
         block1:\n  br v1, block2, block4(3:i32) merge block4\nblock2:\n  store 1:i32, res1[0] align 4\n  jump block4(1:i32)\n\
         block4(v3: i32):\n  store v3, res1[0] align 4\n  br v1, block5, block6\nblock6:\n  store 3:i32, res1[0] align 4\n  jump block5\n\
         block5:\n  ret\n}",
    );
}

#[test]
fn a_loop_that_ends_at_once() {
    let t = opt(
        run,
        "func0 \"f\" {\nblock0:\n  jump block1\nblock1 loop merge block4 continue block3:\n  store 1:i32, res1[0] align 4\n\
         br true:b1, block4, block2\nblock2:\n  jump block3\nblock3:\n  jump block1\nblock4:\n  ret\n}",
    );
    assert_eq!(t, "func0 \"f\" {\nblock0:\n  store 1:i32, res1[0] align 4\n  ret\n}\n");
}

#[test]
fn keeps_loops_and_joins_that_are_needed() {
    unchanged(
        run,
        "func0 \"f\" {\nblock0:\n  v0: i32 = sysval local_invocation_index\n  jump block1(0:i32)\n\
         block1(v1: i32) loop merge block5 continue block4:\n  v2: b1 = icmp.ult v1, v0\n  br v2, block2, block5\n\
         block2:\n  v3: b1 = icmp.eq v1, 3:i32\n  br v3, block3, block4\nblock3:\n  store v1, res1[0] align 4\n  jump block4\n\
         block4:\n  v4: i32 = iadd v1, 1:i32\n  jump block1(v4)\nblock5:\n  ret\n}",
    );
}
