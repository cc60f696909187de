//! Tests of `ir/opt/src/rotate.rs`.

use crate::testing::{opt, unchanged};
use gpucc_ir::Function;
use gpucc_opt::rotate::run;
use gpucc_opt::{PassCx, copyprop, simplify_cfg};

fn all(f: &mut Function, cx: &mut PassCx<'_>) {
    run(f, cx);
    simplify_cfg::run(f, cx);
    copyprop::run(f, cx);
}

/// A loop up to `bound` that stores its counter and passes what `body` says.
fn counted(start: &str, bound: &str, body: &str) -> String {
    format!(
        "func0 \"f\" {{\nblock0:\n  v0: i32 = sysval local_invocation_index\n  jump block1({start})\n\
         block1(v1: i32) loop merge block3 continue block2:\n  v2: b1 = icmp.ult v1, {bound}\n  br v2, block2, block3\n\
         block2:\n{body}  v3: i32 = iadd v1, 1:i32\n  jump block1(v3)\nblock3:\n  ret\n}}"
    )
}

#[test]
fn a_loop_that_is_entered() {
    let t = counted("0:i32", "1000:i32", "  store v1, res1[0] align 4\n");
    let t = opt(all, &t);
    assert_eq!(t.matches("icmp.ult").count(), 1, "{t}");
    let head = t.split(" loop ").next().unwrap();
    assert!(!head.contains("br ") && head.contains("jump block1(0:i32)"), "{t}");
    assert!(t.contains("br v3, block1(v2), block3"), "{t}");
}

#[test]
fn a_loop_that_may_be_skipped() {
    let t = opt(all, &counted("0:i32", "v0", "  store v1, res1[0] align 4\n"));
    // One test in front of the loop, one at its end; the header has none.
    assert_eq!(t.matches("icmp.ult").count(), 2, "{t}");
    let head = t.split(" loop ").next().unwrap();
    assert!(head.contains("icmp.ult 0:i32, v0") && head.contains(" merge block"), "{t}");
    assert!(t.contains(", block1(v") || t.contains(", block2(v"), "{t}");
}

#[test]
fn what_the_test_computes_is_carried_and_leaves() {
    // `v4` is read by the test, by the body, and behind the loop; `v6` by an early exit.
    let t = opt(
        all,
        "func0 \"f\" {\nblock0:\n  v0: i32 = sysval local_invocation_index\n  jump block1(v0, 0:i32)\n\
         block1(v1: i32, v2: i32) loop merge block5 continue block4:\n  v4: i32 = imul v1, 3:i32\n  v6: i32 = imul v2, 5:i32\n\
         v5: b1 = icmp.ugt v4, v0\n  br v5, block5(v1), block2\nblock2:\n  store v4, res1[0] align 4\n  v7: b1 = icmp.eq v6, v4\n\
         br v7, block5(v6), block4\nblock4:\n  v8: i32 = iadd v1, v4\n  v9: i32 = iadd v2, 1:i32\n  jump block1(v8, v9)\n\
         block5(v10: i32):\n  store v10, res1[0] align 4\n  store v4, res1[0] align 4\n  ret\n}",
    );
    // The product is computed in front of the loop and once in each iteration; `v6` only where it was.
    assert_eq!((t.matches("3:i32").count(), t.matches("5:i32").count()), (2, 1), "{t}");
    assert_eq!(t.matches("icmp.ugt").count(), 2, "{t}");
}

#[test]
fn nested_loops() {
    let t = opt(
        all,
        "func0 \"f\" {\nblock0:\n  v0: i32 = sysval local_invocation_index\n  jump block1(0:i32)\n\
         block1(v1: i32) loop merge block6 continue block5:\n  v2: b1 = icmp.ult v1, v0\n  br v2, block2, block6\nblock2:\n  jump block3(v1)\n\
         block3(v3: i32) loop merge block5 continue block4:\n  v4: b1 = icmp.ult v3, 9:i32\n  br v4, block4, block5\n\
         block4:\n  store v3, res1[0] align 4\n  v5: i32 = iadd v3, 2:i32\n  jump block3(v5)\n\
         block5:\n  v6: i32 = iadd v1, 1:i32\n  jump block1(v6)\nblock6:\n  ret\n}",
    );
    assert_eq!(t.matches("icmp.ult").count(), 4, "{t}");
}

#[test]
fn effects_barriers_large_tests_and_other_exits_stay() {
    let loads =
        |n: usize| -> String { (0..n).map(|k| format!("  v{}: i32 = load res1[0] align 4\n", 20 + k)).collect() };
    let sum = |n: usize| -> String {
        (1..n)
            .map(|k| format!("  v{}: i32 = iadd v{}, v{}\n", 40 + k, if k == 1 { 20 } else { 39 + k }, 20 + k))
            .collect()
    };
    let test = |text: &str| counted("0:i32", "v0", "").replace("  v2: b1 = icmp.ult v1, v0\n", text);
    for text in [
        "  store v1, res1[0] align 4\n  v2: b1 = icmp.ult v1, v0\n".to_string(),
        "  barrier workgroup workgroup\n  v2: b1 = icmp.ult v1, v0\n".to_string(),
        "  v7: i32 = atomic.add 1:i32, res1[0] align 4\n  v2: b1 = icmp.ult v7, v0\n".to_string(),
        "  v7: i32 = udiv v1, v0\n  v2: b1 = icmp.ult v7, v0\n".to_string(),
        format!("{}{}  v2: b1 = icmp.ult v43, v0\n", loads(4), sum(4)),
    ] {
        unchanged(run, &test(&text));
    }
    // A test at the end already.
    unchanged(
        run,
        "func0 \"f\" {\nblock0:\n  v0: i32 = sysval local_invocation_index\n  jump block1(0:i32)\n\
         block1(v1: i32) loop merge block3 continue block2:\n  store v1, res1[0] align 4\n  jump block2\n\
         block2:\n  v2: i32 = iadd v1, 1:i32\n  v3: b1 = icmp.ult v2, v0\n  br v3, block1(v2), block3\nblock3:\n  ret\n}",
    );
}
