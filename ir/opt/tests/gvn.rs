//! Tests of `ir/opt/src/gvn.rs`.

use crate::testing::{opt, unchanged};
use gpucc_opt::gvn::run;

#[test]
fn the_dominating_one_stays() {
    let t = opt(
        run,
        "func0 \"f\" {\nblock0:\n  v0: i32 = sysval local_invocation_index\n  v1: f32 = load res2[0 + v0] align 4\n\
         v2: f32 = fadd{contract,nnan} v1, 1.0:f32\n  v3: b1 = icmp.eq v0, 3:i32\n  br v3, block1, block2 merge block2\n\
         block1:\n  v4: f32 = load res2[0 + v0] align 4\n  v5: f32 = fadd{nnan} 1.0:f32, v4\n  store v5, res1[0] align 4\n  jump block2\n\
         block2:\n  store v2, res1[0] align 4\n  ret\n}",
    );
    assert_eq!(t.matches("load").count(), 1, "{t}");
    assert!(t.contains("v2: f32 = fadd{nnan} v1, 1.0:f32"), "{t}");
    assert!(t.contains("block1:\n  store v2"), "{t}");
}

#[test]
fn siblings_written_memory_and_other_attributes_stay() {
    unchanged(
        run,
        "func0 \"f\" {\nblock0:\n  v0: i32 = sysval local_invocation_index\n  v1: b1 = icmp.eq v0, 3:i32\n  v2: b1 = icmp.ne v0, 3:i32\n\
         v8: i32 = isub v0, 3:i32\n  v9: i32 = isub 3:i32, v0\n  store v8, res1[0] align 4\n  store v9, res1[0] align 4\n\
         br v1, block1, block2 merge block3\nblock1:\n  v3: i32 = iadd v0, 1:i32\n  store v3, res1[0] align 4\n  jump block3\n\
         block2:\n  v4: i32 = iadd v0, 1:i32\n  store v4, res1[0] align 4\n  jump block3\n\
         block3:\n  v5: i32 = load res1[0] align 4\n  store 1:i32, res1[0] align 4\n  v6: i32 = load res1[0] align 4\n\
         v7: i32 = iadd v5, v6\n  v10: i32 = select v2, v7, 1:i32\n  store v10, res1[0] align 4\n  ret\n}",
    );
}

/// Others may write what this shader does not, where the load says so.
#[test]
fn coherent_and_volatile_loads_stay() {
    for flag in ["coherent", "volatile", "atomic"] {
        unchanged(
            run,
            &format!(
                "func0 \"f\" {{\nblock0:\n  v0: i32 = load res2[0] align 4 {{{flag}}}\n  v1: i32 = load res2[0] align 4 {{{flag}}}\n\
                 v2: i32 = iadd v0, v1\n  store v2, res1[0] align 4\n  ret\n}}"
            ),
        );
    }
}
