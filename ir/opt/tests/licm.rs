//! Tests of `ir/opt/src/licm.rs`.

use crate::testing::{opt, unchanged};
use gpucc_opt::licm::run;

#[test]
fn invariants_leave_both_loops() {
    let t = opt(
        run,
        "func0 \"f\" {\nblock0:\n  v0: i32 = sysval local_invocation_index\n  jump block1(0:i32)\n\
         block1(v1: i32) loop merge block7 continue block6:\n  v2: b1 = icmp.ult v1, v0\n  br v2, block2, block7\n\
         block2:\n  jump block3(0:i32)\nblock3(v3: i32) loop merge block6 continue block5:\n  v4: i32 = imul v0, v0\n  v5: i32 = iadd v1, v4\n\
         v6: b1 = icmp.ult v3, v5\n  br v6, block4, block6\nblock4:\n  v7: f32 = load res2[4] align 4 {in_bounds}\n  store v7, res1[0] align 4\n  jump block5\n\
         block5:\n  v8: i32 = iadd v3, 1:i32\n  jump block3(v8)\nblock6:\n  v9: i32 = iadd v1, 1:i32\n  jump block1(v9)\nblock7:\n  ret\n}",
    );
    let entry = t.split("block1").next().unwrap();
    assert!(entry.contains("imul v0, v0") && entry.contains("load res2[4]"), "{t}");
    let outer = t.split("block3(").next().unwrap();
    assert!(outer.contains("iadd v") && !entry.contains("iadd"), "{t}");
}

#[test]
fn loads_that_a_turn_begins_with() {
    let t = |jump: &str| {
        format!(
            "func0 \"f\" {{\nblock0:\n  v0: i32 = sysval local_invocation_index\n  jump block1(0:i32)\n\
             block1(v1: i32) loop merge block4 continue block3:\n  v2: b1 = icmp.eq v1, v0\n  {jump}\n\
             block2:\n  v4: i32 = load res0[0 + v0] align 4\n  store v4, res1[0] align 4\n  jump block3\n\
             block3:\n  v5: i32 = iadd v1, 1:i32\n  v6: b1 = icmp.ult v5, v0\n  br v6, block1(v5), block4\nblock4:\n  ret\n}}"
        )
    };
    assert!(opt(run, &t("jump block2")).split("loop").next().unwrap().contains("load res0"));
    unchanged(run, &t("br v2, block2, block3 merge block3"));
}

#[test]
fn written_memory_and_guarded_loads_stay() {
    unchanged(
        run,
        "func0 \"f\" {\nblock0:\n  v0: i32 = sysval local_invocation_index\n  jump block1(0:i32)\n\
         block1(v1: i32) loop merge block4 continue block3:\n  v2: i32 = load res1[0] align 4\n  v3: b1 = icmp.ult v1, v2\n\
         br v3, block2, block4\nblock2:\n  v4: i32 = load res0[0 + v0] align 4\n  store v4, res1[0] align 4\n  jump block3\n\
         block3:\n  v5: i32 = iadd v1, 1:i32\n  jump block1(v5)\nblock4:\n  ret\n}",
    );
}
