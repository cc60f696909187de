//! Tests of `ir/opt/src/fold.rs`.

use crate::testing::{opt, unchanged};
use gpucc_opt::fold::run;

#[test]
fn folds_chains_and_vectors() {
    let t = opt(
        run,
        "func0 \"f\" {\nblock0:\n  v0: i32 = iadd 2:i32, 3:i32\n  v1: i32 = imul v0, -4:i32\n  v2: f32 = s2f v1\n\
         v3: f32x2 = splat v2\n  v4: f32x2 = fadd v3, [1.0, 2.0]:f32x2\n  v5: f32 = extract v4, lane 1\n\
         store v5, res1[0] align 4\n  v6: i32 = sdiv 7:i32, 0:i32\n  store v6, res1[4] align 4\n  ret\n}"
            .replace("res1[4]", "res1[0]")
            .as_str(),
    );
    assert_eq!(
        t,
        "func0 \"f\" {\nblock0:\n  store -18.0:f32, res1[0] align 4\n  store 7:i32, res1[0] align 4\n  ret\n}\n"
    );
}

#[test]
fn leaves_denormals_and_effects() {
    unchanged(
        run,
        "func0 \"f\" {\nblock0:\n  v0: f32 = fmul 1e-30:f32, 1e-10:f32\n  store v0, res1[0] align 4\n\
         v1: i32 = atomic.add 1:i32, res1[0] align 4\n  ret\n}",
    );
}

/// Constants are evaluated to nearest: where another rounding is asked for, what is rounded is left to the target.
#[test]
fn leaves_what_is_rounded_otherwise() {
    use crate::testing::{HEAD, run as apply};
    let text = |asked: &str, line: &str| {
        format!(
            "{HEAD}entry \"main\" compute func0 size 1,1,1{asked}\nfunc0 \"f\" {{\nblock0:\n  {line}\n  store v0, res1[0] align 4\n  ret\n}}"
        )
    };
    let rounded = [
        "v0: f32 = fadd 1.0:f32, 1e-10:f32",
        "v0: f32 = u2f 16777219:i32",
        "v0: f32 = f2f 0.1:f64",
        "v0: i32 = pack_half2x16 [1.0002, 3.0]:f32x2",
    ];
    for (line, width) in rounded.iter().zip(["f32", "f32", "f32", "f16"]) {
        assert_ne!(apply(run, &text("", line)).1, 0, "{line}");
        assert_ne!(apply(run, &text(" float f64 zero", line)).1, 0, "{line}");
        assert_eq!(apply(run, &text(&format!(" float {width} zero"), line)).1, 0, "{line}");
    }
    for line in ["v0: f32 = ffloor 1.5:f32", "v0: i32 = f2s 1.5:f32", "v0: f32 = fmin 1.5:f32, 2.5:f32"] {
        assert_ne!(apply(run, &text(" float f32 zero", line)).1, 0, "{line}");
    }
}
