//! Tests of `ir/opt/src/signs.rs`.

use crate::testing::{opt, unchanged};
use gpucc_opt::signs::run;

fn text(choices: &str) -> String {
    format!(
        "func0 \"f\" {{\nblock0:\n  v0: f32 = load res2[0] align 4\n  v1: f32 = load res2[4] align 4\n  v2: i32 = load res2[8] align 4\n\
         v3: b1 = icmp.eq v2, 0:i32\n  v4: f32 = fneg v0\n  v5: f32 = fneg v1\n{choices}  store v6, res1[0] align 4\n  store v7, res1[4] align 4\n  ret\n}}"
    )
}

#[test]
fn one_sign_for_all() {
    let after = opt(run, &text("  v6: f32 = select v3, v0, v4\n  v7: f32 = select v3, v5, v1\n"));
    assert_eq!((after.matches("select").count(), after.matches("fmul").count()), (1, 2), "{after}");
}

#[test]
fn not_for_one_or_by_other_conditions() {
    unchanged(run, &text("  v6: f32 = select v3, v0, v4\n  v7: f32 = select v3, v5, v0\n"));
    unchanged(
        run,
        &text("  v8: b1 = icmp.eq v2, 1:i32\n  v6: f32 = select v3, v0, v4\n  v7: f32 = select v8, v5, v1\n"),
    );
}
