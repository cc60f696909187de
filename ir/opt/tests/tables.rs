//! Tests of `ir/opt/src/tables.rs`.

use crate::testing::{opt, unchanged};
use gpucc_opt::tables::run;

fn text(body: &str) -> String {
    format!(
        "func0 \"f\" {{\n  local0 \"t\" size 16 align 16 init x01000000020000000300000000008040\nblock0:\n{body}  ret\n}}"
    )
}

#[test]
fn known_places_are_constants() {
    let t = opt(
        run,
        &text(
            "  v0: i32 = load local0[4] align 4\n  v1: i32x2 = load local0[0 + 4:i32] align 4\n  v2: f32 = load local0[12] align 4\n\
             store v0, res1[0] align 4\n  store v1, res1[8] align 4\n  store v2, res1[16] align 4\n",
        ),
    );
    assert!(t.contains("store 2:i32") && t.contains("store [2, 3]:i32x2") && t.contains("store 4.0:f32"), "{t}");
}

#[test]
fn other_loads_stay() {
    // A place that varies, one beyond the end, and a variable that is written.
    unchanged(
        run,
        &text(
            "  v0: i32 = sysval local_invocation_index\n  v1: i32 = load local0[0 + v0] align 4\n  store v1, res1[0] align 4\n",
        ),
    );
    unchanged(run, &text("  v0: i32 = load local0[4 + 12:i32] align 4\n  store v0, res1[0] align 4\n"));
    unchanged(
        run,
        &text("  store 7:i32, local0[8] align 4\n  v0: i32 = load local0[4] align 4\n  store v0, res1[0] align 4\n"),
    );
}

/// Zeros are zeros wherever they are read, unless something else is written there.
#[test]
fn zeros_need_no_place() {
    let zeros = |body: &str| {
        let index = "  v0: i32 = sysval local_invocation_index\n";
        text(&format!("{index}{body}  v1: i32 = load local0[0 + v0] align 4\n  store v1, res1[0] align 4\n"))
            .replace(" init x01000000020000000300000000008040", "")
    };
    assert!(opt(run, &zeros("")).contains("store 0:i32, res1"));
    unchanged(run, &zeros("  store v0, local0[8] align 4\n"));
    unchanged(run, &zeros("").replace("local0[0 + v0] align 4", "local0[0 + v0] align 4 {volatile}"));
}
