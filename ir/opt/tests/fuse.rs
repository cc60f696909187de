//! Tests of `ir/opt/src/fuse.rs`.

use crate::testing::{opt, unchanged};
use gpucc_ir::Function;
use gpucc_opt::fuse::run;
use gpucc_opt::{Caps, PassCx};

fn on(f: &mut Function, cx: &mut PassCx<'_>) {
    let caps = Caps { fuse_fma: true, ..Caps::FULL };
    let mut c = PassCx::new(cx.module, &caps);
    run(f, &mut c);
    cx.must_change(c.changes());
}

fn text(mul: &str, add: &str) -> String {
    format!(
        "func0 \"f\" {{\nblock0:\n  v0: f32 = load res2[0] align 4\n  v1: f32 = load res2[4] align 4\n  v2: f32 = {mul} v0, v1\n\
         v3: f32 = {add} v0, v2\n  store v3, res1[0] align 4\n  ret\n}}"
    )
}

#[test]
fn fuses_where_both_allow_it() {
    assert!(opt(on, &text("fmul{contract}", "fadd{contract}")).contains("fma{contract} v0, v1, v0"));
    assert!(opt(on, &text("fmul{contract}", "fsub{contract}")).contains("fneg"));
}

#[test]
fn not_otherwise() {
    unchanged(on, &text("fmul{contract}", "fadd"));
    unchanged(on, &text("fmul", "fadd{contract}"));
    unchanged(run, &text("fmul{contract}", "fadd{contract}"));
}

/// A product and what reads it.
fn shared(sums: &str) -> String {
    format!(
        "func0 \"f\" {{\nblock0:\n  v0: f32 = load res2[0] align 4\n  v1: f32 = load res2[4] align 4\n  v2: f32 = fmul{{contract}} v0, v1\n{sums}  ret\n}}"
    )
}

#[test]
fn sums_share_a_product() {
    let two = "  v3: f32 = fadd{contract} v0, v2\n  v4: f32 = fsub{contract} v2, v1\n  store v3, res1[0] align 4\n  store v4, res1[4] align 4\n";
    let after = opt(on, &shared(two));
    assert_eq!(after.matches("fma{contract}").count(), 2, "{after}");
}

#[test]
fn no_product_is_made_twice() {
    // Something else reads it.
    unchanged(
        on,
        &shared("  v3: f32 = fadd{contract} v0, v2\n  store v3, res1[0] align 4\n  store v2, res1[4] align 4\n"),
    );
    // One of the sums takes in the other product.
    let other = "  v5: f32 = fmul{contract} v1, v1\n  v3: f32 = fadd{contract} v5, v2\n  v4: f32 = fadd{contract} v0, v2\n  store v3, res1[0] align 4\n  store v4, res1[4] align 4\n";
    let after = opt(on, &shared(other));
    assert_eq!(after.matches("fma{contract}").count(), 1, "{after}");
    // All of it is one sum.
    unchanged(on, &shared("  v3: f32 = fadd{contract} v2, v2\n  store v3, res1[0] align 4\n"));
}

#[test]
fn twice_a_number_is_a_product() {
    let twice = "  v3: f32 = fadd{contract} v2, v2\n  v4: f32 = fadd{contract} v0, v3\n  store v4, res1[0] align 4\n";
    let after = opt(on, &shared(twice));
    assert_eq!(after.matches("fma{contract}").count(), 1, "{after}");
    let more = "  v3: f32 = fadd{contract} v2, v2\n  v4: f32 = fadd{contract} v0, v3\n  store v4, res1[0] align 4\n  store v3, res1[4] align 4\n";
    unchanged(on, &shared(more));
}
