//! Tests of `ir/opt/src/combine_bits.rs`.

use crate::testing::{opt, unchanged};
use gpucc_ir::Function;
use gpucc_opt::combine_bits::run;
use gpucc_opt::{Caps, PassCx};

fn on(f: &mut Function, cx: &mut PassCx<'_>) {
    let caps = Caps { funnel: true, bit_select: true, bit_field: true, ..Caps::FULL };
    let mut c = PassCx::new(cx.module, &caps);
    run(f, &mut c);
    cx.must_change(c.changes());
}

/// Without what is no longer needed.
fn tidied(f: &mut Function, cx: &mut PassCx<'_>) {
    on(f, cx);
    gpucc_opt::dce::run(f, cx);
}

/// A function that loads `v0`, `v1`, `v2`, computes, and stores the last value named.
fn text(body: &[&str]) -> String {
    let mut t = String::from("func0 \"f\" {\nblock0:\n");
    for k in 0..3 {
        t += &format!("  v{k}: i32 = load res2[{}] align 4\n", k * 4);
    }
    for (k, line) in body.iter().enumerate() {
        t += &format!("  v{}: i32 = {line}\n", k + 3);
    }
    t + &format!("  store v{}, res1[0] align 4\n  ret\n}}", body.len() + 2)
}

#[test]
fn rotations_and_funnels() {
    let t = opt(tidied, &text(&["shl v0, 12:i32", "ushr v0, 20:i32", "or v3, v4"]));
    assert!(t.contains("fshr v0, v0, 20:i32") && !t.contains("shl"), "{t}");
    let t = opt(tidied, &text(&["ushr v1, 25:i32", "shl v0, 7:i32", "iadd v3, v4"]));
    assert!(t.contains("fshr v0, v1, 25:i32"), "{t}");
    let t = opt(tidied, &text(&["isub 32:i32, v1", "shl v0, v3", "ushr v0, v1", "or v4, v5"]));
    assert!(t.contains("fshr v0, v0, v1"), "{t}");
    let t = opt(tidied, &text(&["ineg v1", "and v3, 31:i32", "shl v0, v1", "ushr v0, v4", "or v5, v6"]));
    assert!(t.contains("fshr v0, v0, v3"), "{t}");
}

#[test]
fn other_shifts_stay() {
    // The amounts do not fit, the values differ, both halves whole, and a half that is needed elsewhere.
    unchanged(on, &text(&["shl v0, 12:i32", "ushr v0, 21:i32", "or v3, v4"]));
    unchanged(on, &text(&["shl v0, 0:i32", "ushr v0, 0:i32", "or v3, v4"]));
    unchanged(on, &text(&["isub 32:i32, v2", "shl v0, v3", "ushr v1, v2", "or v4, v5"]));
    unchanged(on, &text(&["isub 32:i32, v1", "shl v0, v3", "ushr v0, v1", "xor v4, v5"]));
    unchanged(on, &text(&["isub 31:i32, v1", "shl v0, v3", "ushr v0, v1", "or v4, v5"]));
    unchanged(on, &text(&["shl v0, 12:i32", "ushr v0, 20:i32", "or v3, v4", "iadd v3, v5"]));
    unchanged(on, &text(&["shl v0, 12:i32", "sshr v0, 20:i32", "or v3, v4"]));
}

#[test]
fn bit_selects() {
    let t = opt(tidied, &text(&["and v0, v1", "not v0", "and v4, v2", "xor v3, v5"]));
    assert!(t.contains("bitsel v0, v1, v2") && !t.contains("not"), "{t}");
    let t = opt(tidied, &text(&["not v0", "and v3, v1", "and v0, v2", "or v4, v5"]));
    assert!(t.contains("bitsel v0, v2, v1") && !t.contains("not"), "{t}");
    let t = opt(tidied, &text(&["xor v1, v2", "and v0, v3", "xor v4, v2"]));
    assert!(t.contains("bitsel v0, v1, v2"), "{t}");
    let t = opt(tidied, &text(&["and v0, 65280:i32", "and v1, -65281:i32", "or v3, v4"]));
    assert!(t.contains("bitsel 65280:i32, v0, v1"), "{t}");
    let t = opt(tidied, &text(&["and v0, v1", "and v0, v2", "xor v3, v4", "and v1, v2", "xor v5, v6"]));
    assert!(t.contains("xor v1, v2") && t.contains("bitsel v3, v0, v2"), "{t}");
}

#[test]
fn other_masks_stay() {
    unchanged(on, &text(&["and v0, v1", "and v0, v2", "or v3, v4"]));
    unchanged(on, &text(&["and v0, v1", "not v2", "and v4, v2", "xor v3, v5"]));
    unchanged(on, &text(&["and v0, 65280:i32", "and v1, 255:i32", "or v3, v4"]));
    unchanged(on, &text(&["and v0, v1", "and v0, v2", "or v3, v4", "and v1, v2", "xor v5, v6"]));
    unchanged(on, &text(&["and v0, v1", "and v0, v1", "or v3, v4", "and v1, v2", "or v5, v6"]));
}

#[test]
fn fields() {
    let t = opt(tidied, &text(&["ushr v0, 8:i32", "and v3, 255:i32"]));
    assert!(t.contains("ubfe v0, 8:i32, 8:i32"), "{t}");
    let t = opt(tidied, &text(&["shl v0, 16:i32", "sshr v3, 24:i32"]));
    assert!(t.contains("sbfe v0, 8:i32, 8:i32"), "{t}");
    unchanged(on, &text(&["ushr v0, 8:i32", "and v3, 254:i32"]));
    unchanged(on, &text(&["ushr v0, 28:i32", "and v3, 255:i32"]));
    unchanged(on, &text(&["ushr v0, v1", "and v3, 255:i32"]));
    unchanged(on, &text(&["shl v0, 24:i32", "sshr v3, 16:i32"]));
}
