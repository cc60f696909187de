//! Tests of `ir/opt/src/dce.rs`.

use crate::testing::{opt, unchanged};
use gpucc_opt::dce::run;

#[test]
fn removes_dead_values_parameters_and_cycles() {
    let t = opt(
        run,
        "func0 \"f\" {\n  local0 \"x\" size 4 align 4\nblock0:\n  v0: i32 = sysval local_invocation_index\n  v1: i32 = iadd v0, 1:i32\n\
         store v1, local0[0] align 4\n  jump block1(0:i32, v1)\nblock1(v2: i32, v3: i32) loop merge block3 continue block2:\n\
         v4: b1 = icmp.ult v2, v0\n  br v4, block2, block3\nblock2:\n  v5: i32 = iadd v2, 1:i32\n  v6: i32 = iadd v3, v3\n\
         jump block1(v5, v6)\nblock3:\n  ret\n}",
    );
    assert_eq!(
        t,
        "func0 \"f\" {\n  local0 \"x\" size 4 align 4\nblock0:\n  v0: i32 = sysval local_invocation_index\n  jump block1(0:i32)\n\
         block1(v1: i32) loop merge block3 continue block2:\n  v2: b1 = icmp.ult v1, v0\n  br v2, block2, block3\n\
         block2:\n  v3: i32 = iadd v1, 1:i32\n  jump block1(v3)\nblock3:\n  ret\n}\n"
    );
}

#[test]
fn stores_that_only_unneeded_code_reads_go() {
    let t = opt(
        run,
        "func0 \"f\" {\n  local0 \"x\" size 4 align 4\n  local1 \"y\" size 4 align 4\nblock0:\n  store 1:i32, local0[0] align 4\n\
         v0: i32 = load local0[0] align 4\n  store v0, local1[0] align 4\n  v1: i32 = load local1[0] align 4\n  ret\n}",
    );
    assert!(t.ends_with("block0:\n  ret\n}\n"), "{t}");
}

#[test]
fn unused_variables_go() {
    let t = opt(
        gpucc_opt::dce::drop_locals,
        "func0 \"f\" {\n  local0 \"x\" size 4 align 4\n  local1 \"y\" size 8 align 4\nblock0:\n  store 1:i32, local1[4] align 4\n  ret\n}",
    );
    assert_eq!(
        t,
        "func0 \"f\" {\n  local0 \"y\" size 8 align 4\nblock0:\n  store 1:i32, local0[4] align 4\n  ret\n}\n"
    );
}

#[test]
fn keeps_effects() {
    unchanged(
        run,
        "func0 \"f\" {\n  local0 \"x\" size 4 align 4\nblock0:\n  v0: i32 = load res1[0] align 4 {volatile}\n\
         v1: i32 = atomic.add 1:i32, res1[0] align 4\n  store 1:i32, local0[0] align 4\n  v2: i32 = load local0[0] align 4\n\
         store v2, res1[0] align 4\n  barrier workgroup workgroup\n  ret\n}",
    );
}
