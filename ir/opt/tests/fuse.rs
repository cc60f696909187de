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
