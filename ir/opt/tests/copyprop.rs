//! Tests of `ir/opt/src/copyprop.rs`.

use crate::testing::{opt, unchanged};
use gpucc_opt::copyprop::run;

#[test]
fn one_value_on_all_edges() {
    let t = opt(
        run,
        "func0 \"f\" {\nblock0:\n  v0: i32 = sysval local_invocation_index\n  jump block1(v0, 0:i32)\n\
         block1(v1: i32, v2: i32) loop merge block3 continue block2:\n  v3: b1 = icmp.ult v2, v1\n  br v3, block2(v1), block3\n\
         block2(v4: i32):\n  v5: i32 = iadd v2, v4\n  jump block1(v4, v5)\nblock3:\n  store v1, res1[0] align 4\n  ret\n}",
    );
    assert_eq!(
        t,
        "func0 \"f\" {\nblock0:\n  v0: i32 = sysval local_invocation_index\n  jump block1(0:i32)\n\
         block1(v1: i32) loop merge block3 continue block2:\n  v2: b1 = icmp.ult v1, v0\n  br v2, block2, block3\n\
         block2:\n  v3: i32 = iadd v1, v0\n  jump block1(v3)\nblock3:\n  store v0, res1[0] align 4\n  ret\n}\n"
    );
}

#[test]
fn keeps_what_differs() {
    unchanged(
        run,
        "func0 \"f\" {\nblock0:\n  v0: i32 = sysval local_invocation_index\n  v1: b1 = icmp.eq v0, 0:i32\n\
         br v1, block1(v0), block1(undef:i32) merge block1\nblock1(v2: i32):\n  store v2, res1[0] align 4\n  ret\n}",
    );
}
