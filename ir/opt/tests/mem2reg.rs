//! Tests of `ir/opt/src/mem2reg.rs`.

use crate::testing::{opt, unchanged};
use gpucc_opt::PassCx;
use gpucc_opt::mem2reg::*;

#[test]
fn first_values_come_where_they_are_needed_but_not_again_in_each_turn() {
    // Counters of two loops, initialised where the function begins: by `var_init` and by a store.
    let text = "func0 \"f\" {\n  local0 \"i\" size 4 align 4\n  local1 \"k\" size 4 align 4\nblock0:\n\
        v0: i32 = sysval local_invocation_index\n  v7: b1 = icmp.eq v0, 3:i32\n  var_init local0\n  store v0, local1[0] align 4\n\
        br v7, block9, block10 merge block10\nblock9:\n  store v0, res1[0] align 4\n  jump block10\nblock10:\n  jump block1\n\
        block1 loop merge block4 continue block3:\n  v1: i32 = load local0[0] align 4\n  v2: b1 = icmp.ult v1, v0\n\
        br v2, block2, block4\nblock2:\n  jump block3\nblock3:\n  v3: i32 = iadd v1, 1:i32\n\
        store v3, local0[0] align 4\n  jump block1\nblock4:\n  jump block5\n\
        block5 loop merge block8 continue block7:\n  v4: b1 = icmp.ult v0, 9:i32\n  br v4, block6, block8\n\
        block6:\n  v5: i32 = load local1[0] align 4\n  v6: i32 = iadd v5, 2:i32\n  store v6, local1[0] align 4\n\
        jump block7\nblock7:\n  jump block5\nblock8:\n  ret\n}";
    let t = opt(run, text);
    assert!(t.contains("jump block3(0:i32)\nblock3(v2: i32) loop"), "{t}");
    // Not in the body, which alone touches it.
    assert!(t.contains("jump block7(v0)\nblock7(v5: i32) loop"), "{t}");
    let m = crate::testing::parse(text);
    let f = m.funcs.values().next().expect("one function");
    let late = first_value_blocks(f, &mut PassCx::new(&m, &gpucc_opt::Caps::FULL));
    let late: Vec<usize> = (0..f.layout.len()).filter(|&n| late.contains(&f.layout[n])).collect();
    assert_eq!(late, [2, 6], "the blocks right before the loops");
}

#[test]
fn scalars_in_a_loop_become_parameters() {
    let t = opt(
        run,
        "func0 \"f\" {\n  local0 \"i\" size 4 align 4\n  local1 \"s\" size 4 align 4\nblock0:\n  var_init local0\n\
         store 7:i32, local1[0] align 4\n  jump block1\nblock1 loop merge block3 continue block2:\n\
         v0: i32 = load local0[0] align 4\n  v1: b1 = icmp.ult v0, 9:i32\n  br v1, block2, block3\n\
         block2:\n  v2: i32 = load local1[0] align 4\n  v3: i32 = iadd v2, v0\n  store v3, local1[0] align 4\n\
         v4: i32 = iadd v0, 1:i32\n  store v4, local0[0] align 4\n  jump block1\n\
         block3:\n  v5: i32 = load local1[0] align 4\n  store v5, res1[0] align 4\n  ret\n}",
    );
    assert_eq!(
        t,
        "func0 \"f\" {\n  local0 \"i\" size 4 align 4\n  local1 \"s\" size 4 align 4\nblock0:\n  jump block1(0:i32, 7:i32)\n\
         block1(v0: i32, v1: i32) loop merge block3 continue block2:\n  v2: b1 = icmp.ult v0, 9:i32\n\
         br v2, block2, block3\nblock2:\n  v3: i32 = iadd v1, v0\n  v4: i32 = iadd v0, 1:i32\n  jump block1(v4, v3)\n\
         block3:\n  store v1, res1[0] align 4\n  ret\n}\n"
            .replace("\nbr", "\n  br")
    );
}

#[test]
fn vectors_stay_whole_and_structs_come_apart() {
    let t = opt(
        run,
        "func0 \"f\" {\n  local0 \"s\" size 32 align 16\nblock0:\n  v0: f32x4 = load res2[0] align 16\n  v1: f32 = load res2[16] align 4\n\
         store v0, local0[0] align 16\n  store v1, local0[8] align 4\n  store 1:i32, local0[16] align 4\n\
         v2: f32x2 = load local0[4] align 4\n  v3: f32 = load local0[16] align 4\n  v4: f32x2 = splat v3\n  v5: f32x2 = fadd v2, v4\n\
         store v5, res1[0] align 4\n  ret\n}",
    );
    assert!(t.contains("v2: f32x4 = insert v0, v1, lane 2\n  v3: f32x2 = shuffle v2, v2, lanes 1 2\n"), "{t}");
    assert!(t.contains("bitcast 1:i32"), "{t}");
    assert!(!t.contains("local0["), "{t}");
}

#[test]
fn initialisers_and_undefined_reads() {
    let t = opt(
        run,
        "func0 \"f\" {\n  local0 \"a\" size 8 align 4 init x0100000002000000\n  local1 \"u\" size 4 align 4\nblock0:\n  var_init local0\n\
         v0: i32 = load local0[4] align 4\n  v1: i32 = load local1[0] align 4\n  v2: i32 = iadd v0, v1\n  store v2, res1[0] align 4\n  ret\n}",
    );
    assert!(t.contains("v0: i32 = iadd 2:i32, undef:i32"), "{t}");
}

#[test]
fn leaves_dynamic_volatile_and_mixed_accesses() {
    unchanged(
        run,
        "func0 \"f\" {\n  local0 \"a\" size 16 align 4\n  local1 \"v\" size 4 align 4\n  local2 \"m\" size 8 align 8\nblock0:\n\
         v0: i32 = sysval local_invocation_index\n  store 1:i32, local0[0] align 4\n  v1: i32 = load local0[0 + v0] align 4\n\
         v2: i32 = load local1[0] align 4 {volatile}\n  store 1:i64, local2[0] align 8\n  v3: i32 = load local2[4] align 4\n\
         v4: i32 = iadd v1, v2\n  v5: i32 = iadd v4, v3\n  store v5, res1[0] align 4\n  ret\n}",
    );
}
