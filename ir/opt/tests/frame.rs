//! Tests of `ir/opt/src/frame.rs`, by what becomes of conversions.

use crate::testing::opt;
use gpucc_ir::{Function, Module, Op};
use gpucc_opt::{Caps, OpSet, PassCx, legalise};

fn on(f: &mut Function, cx: &mut PassCx<'_>) {
    let caps = Caps { expand: OpSet::of(&[Op::F2S, Op::F2U]), ..Caps::FULL };
    cx.must_change(legalise::run(&Module::default(), f, &caps));
}

fn text(body: &str) -> String {
    format!("func0 \"f\" {{\nblock0:\n{body}  ret\n}}")
}

#[test]
fn coordinates_are_not_clamped() {
    let of = |lanes: &str, op: &str| {
        let body = format!(
            "  v0: f32x4 = sysval frag_coord\n  v1: f32x2 = shuffle v0, v0, lanes {lanes}\n  v2: i32x2 = {op} v1\n  store v2, res1[0] align 8\n"
        );
        opt(on, &text(&body))
    };
    assert!(!of("0 1", "f2s").contains("min"));
    assert!(!of("1 0", "f2u").contains("min"));
    // A depth may be anything.
    assert!(of("0 2", "f2s").contains("smin"));
}

#[test]
fn whole_pixels_are_there_already() {
    let of = |half: &str| {
        let body = format!(
            "  v0: i32x2 = sysval pixel\n  v1: f32x2 = u2f v0\n  v2: f32 = extract v1, lane 1\n  v3: f32 = fadd v2, {half}:f32\n  v4: i32 = f2s v3\n  store v4, res1[0] align 4\n"
        );
        opt(on, &text(&body))
    };
    assert!(!of("0.5").contains("f2s"));
    assert!(of("1.5").contains("f2s"));
}
