//! Tests of `ir/opt/src/unroll.rs`.

use crate::testing::{opt, unchanged};
use gpucc_ir::Function;
use gpucc_opt::unroll::run;
use gpucc_opt::{PassCx, algebraic, copyprop, dce, fold, simplify_cfg};

fn all(f: &mut Function, cx: &mut PassCx<'_>) {
    run(f, cx);
    for _ in 0..2 {
        cx.forget_graph();
        copyprop::run(f, cx);
        fold::run(f, cx);
        algebraic::run(f, cx);
        simplify_cfg::run(f, cx);
        cx.forget_graph();
        dce::run(f, cx);
    }
}

const TOP: &str = "func0 \"f\" {\nblock0:\n  v0: i32 = sysval local_invocation_index\n  jump block1(0:i32, v0)\n\
    block1(v1: i32, v2: i32) loop merge block6 continue block5:\n  v3: b1 = icmp.ult v1, 3:i32\n  br v3, block2, block6\n\
    block2:\n  v4: b1 = icmp.eq v2, 77:i32\n  br v4, block6, block3\nblock3:\n  v5: b1 = icmp.eq v2, 5:i32\n  br v5, block4, block5 merge block5\n\
    block4:\n  store v1, res1[0] align 4\n  jump block5\nblock5:\n  v6: i32 = iadd v1, 1:i32\n  v7: i32 = imul v2, v2\n  jump block1(v6, v7)\n\
    block6:\n  store v2, res1[0] align 4\n  ret\n}";

#[test]
fn a_counted_loop_with_break_and_continue() {
    // The intermediate form must verify too.
    opt(run, TOP);
    let t = opt(all, TOP);
    assert!(!t.contains("loop"), "{t}");
    assert_eq!(t.matches("imul").count(), 3, "{t}");
    assert_eq!(t.matches("icmp.eq").count(), 6, "{t}");
}

#[test]
fn a_test_at_the_bottom() {
    let t = opt(
        all,
        "func0 \"f\" {\nblock0:\n  jump block1(8:i32)\nblock1(v1: i32) loop merge block3 continue block2:\n  store v1, res1[0] align 4\n  jump block2\n\
         block2:\n  v2: i32 = ushr v1, 1:i32\n  v3: b1 = icmp.eq v2, 0:i32\n  br v3, block3, block1(v2)\nblock3:\n  ret\n}",
    );
    assert_eq!(
        t,
        "func0 \"f\" {\nblock0:\n  store 8:i32, res1[0] align 4\n  store 4:i32, res1[0] align 4\n  store 2:i32, res1[0] align 4\n\
         store 1:i32, res1[0] align 4\n  ret\n}\n"
            .replace("\nstore", "\n  store")
    );
}

/// Counter, test and jump are a third of such an iteration.
#[test]
fn short_iterations_may_be_many() {
    let t = opt(all, &TOP.replace("icmp.ult v1, 3:i32", "icmp.ult v1, 30:i32"));
    assert_eq!((t.matches("loop").count(), t.matches("imul").count()), (0, 30), "{t}");
}

/// A loop of 20 iterations, each with 20 numbers that are made of `of` and mixed into a sum.
fn mixing(of: &str) -> String {
    let mut body = String::new();
    for k in 0..20 {
        let sum = if k == 0 { "v2".into() } else { format!("v{}", 100 + k - 1) };
        body += &format!("  v{}: i32 = ushr {of}, {}:i32\n  v{}: i32 = xor {sum}, v{0}\n", 50 + k, k + 1, 100 + k);
    }
    format!(
        "func0 \"f\" {{\nblock0:\n  v0: i32 = sysval local_invocation_index\n  jump block1(0:i32, v0)\n\
         block1(v1: i32, v2: i32) loop merge block3 continue block2:\n  v3: b1 = icmp.ult v1, 20:i32\n  br v3, block2, block3\n\
         block2:\n{body}  v4: i32 = iadd v1, 1:i32\n  jump block1(v4, v119)\nblock3:\n  store v2, res1[0] align 4\n  ret\n}}"
    )
}

/// Half of the iteration follows from the counter and is gone in each copy.
#[test]
fn much_that_follows_from_the_counter_gives_room() {
    let t = opt(all, &mixing("v1"));
    assert_eq!((t.matches("loop").count(), t.matches("ushr").count()), (0, 0), "{t}");
}

/// Only the test and the sum are saved: several iterations become one, but not all.
#[test]
fn little_that_follows_from_the_counter_gives_none() {
    let t = opt(all, &mixing("v0"));
    assert_eq!(t.matches("loop").count(), 1, "{t}");
}

/// A loop with a barrier is unrolled while that makes little code.
#[test]
fn barriers_are_copied() {
    let with = |turns: u32| {
        let barrier = "  barrier workgroup workgroup\n  v7: i32 = imul v2, v2\n";
        let t = TOP.replace("  v7: i32 = imul v2, v2\n", barrier);
        opt(all, &t.replace("icmp.ult v1, 3:i32", &format!("icmp.ult v1, {turns}:i32")))
    };
    let (few, many) = (with(7), with(60));
    assert_eq!((few.matches("loop").count(), few.matches("barrier").count()), (0, 7), "{few}");
    assert_eq!(many.matches("loop merge").count(), 1, "{many}");
}

const LONG: &str = "func0 \"f\" {\n  local0 \"a\" size 64 align 4\nblock0:\n  v0: i32 = sysval local_invocation_index\n  jump block1(0:i32, v0)\n\
    block1(v1: i32, v2: i32) loop merge block6 continue block5:\n  v3: b1 = icmp.ult v1, 48:i32\n  br v3, block2, block6\n\
    block2:\n  v4: b1 = icmp.eq v2, 77:i32\n  br v4, block6, block3\nblock3:\n  v5: b1 = icmp.eq v2, 5:i32\n  br v5, block4, block5 merge block5\n\
    block4:\n  store v1, res1[0] align 4\n  jump block5\nblock5:\n  v6: i32 = iadd v1, 1:i32\n  v7: i32 = imul v2, v2\n  jump block1(v6, v7)\n\
    block6:\n  store v2, res1[4] align 4\n  ret\n}";

#[test]
fn several_turns_become_one() {
    opt(run, LONG);
    let t = opt(all, LONG);
    // One test of the count, four bodies that each may leave.
    assert_eq!(t.matches("48:i32").count(), 1, "{t}");
    assert_eq!((t.matches("imul").count(), t.matches("icmp.eq").count()), (4, 8), "{t}");
    assert_eq!(t.matches("loop merge").count(), 1, "{t}");
    // Sixteen, where low bits of the counter index a variable.
    let rest: String = (20..26).map(|k| format!("  v{k}: i32 = xor v2, {k}:i32\n")).collect();
    let index = "  v9: i32 = and v1, 15:i32\n  v8: i32 = shl v9, 2:i32\n  v7: i32 = load local0[0 + v8] align 4\n";
    let t = LONG.replace("48:i32", "64:i32").replace("  v7: i32 = imul v2, v2\n", &(rest + index));
    assert_eq!(opt(all, &t).matches("load local0").count(), 16);
}

#[test]
fn a_long_loop_with_its_test_at_the_bottom() {
    let t = opt(
        all,
        "func0 \"f\" {\nblock0:\n  v0: i32 = sysval local_invocation_index\n  jump block1(0:i32)\nblock1(v1: i32) loop merge block3 continue block2:\n\
         v9: i32 = shl v0, 2:i32\n  v8: i32 = load res0[0 + v9] align 4\n  v7: i32 = imul v8, v8\n  v6: i32 = xor v7, v9\n\
         v5: i32 = iadd v6, v8\n  store v5, res1[0 + v9] align 4\n  jump block2\n\
         block2:\n  v2: i32 = iadd v1, 1:i32\n  v3: b1 = icmp.eq v2, 60:i32\n  br v3, block3, block1(v2)\nblock3:\n  ret\n}",
    );
    assert_eq!((t.matches("imul").count(), t.matches("icmp").count()), (4, 1), "{t}");
}

#[test]
fn unknown_and_long_counts_stay() {
    for bound in ["v0", "1000:i32"] {
        unchanged(
            run,
            &format!(
                "func0 \"f\" {{\nblock0:\n  v0: i32 = sysval local_invocation_index\n  jump block1(0:i32)\n\
                 block1(v1: i32) loop merge block3 continue block2:\n  v3: b1 = icmp.ult v1, {bound}\n  br v3, block2, block3\n\
                 block2:\n  store v1, res1[0] align 4\n  v6: i32 = iadd v1, 1:i32\n  jump block1(v6)\nblock3:\n  ret\n}}"
            ),
        );
    }
}
