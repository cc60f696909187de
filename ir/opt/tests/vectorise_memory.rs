//! Tests of `ir/opt/src/vectorise_memory.rs`.

use crate::testing::{opt, unchanged};
use gpucc_ir::Function;
use gpucc_opt::vectorise_memory::run;
use gpucc_opt::{Caps, PassCx};

fn wide(f: &mut Function, cx: &mut PassCx<'_>) {
    let caps = Caps { merge_access: 16, strict_align: true, ..Caps::FULL };
    let mut c = PassCx::new(cx.module, &caps);
    run(f, &mut c);
    cx.must_change(c.changes());
}

#[test]
fn loads_and_stores_merge() {
    let t = opt(
        wide,
        "func0 \"f\" {\nblock0:\n  v0: i32 = sysval local_invocation_index\n  v1: f32 = load res0[4 + v0] align 4\n  v2: f32x2 = load res0[8 + v0] align 8\n\
         v3: f32 = load res0[0 + v0] align 16\n  v4: f32 = extract v2, lane 1\n  store v1, res1[8 + v0] align 8\n  store v3, res1[12 + v0] align 4\n\
         store v4, global0[0] align 4\n  ret\n}",
    );
    assert!(t.contains(": f32x4 = load res0[0 + v0] align 16"), "{t}");
    assert_eq!(t.matches("load").count(), 1, "{t}");
    assert!(t.contains(", res1[8 + v0] align 8") && t.matches("store").count() == 2, "{t}");
}

/// A scalar target has no `bitcast` of a vector: what is loaded as something else is cast by lanes.
#[test]
fn mixed_loads_are_cast_as_the_target_can() {
    let with = |scalar: bool| {
        let pass = |f: &mut Function, cx: &mut PassCx<'_>| {
            let caps = Caps { merge_access: 16, scalar, ..Caps::FULL };
            let mut c = PassCx::new(cx.module, &caps);
            run(f, &mut c);
            cx.must_change(c.changes());
        };
        opt(
            pass,
            "func0 \"f\" {\nblock0:\n  v0: f32x3 = load res0[0] align 16\n  v1: i32 = load res0[12] align 4\n  \
             store v0, res1[0] align 16\n  store v1, global0[0] align 4\n  ret\n}",
        )
    };
    let (vectors, scalars) = (with(false), with(true));
    assert!(vectors.matches(": f32x3 = bitcast").count() == 1, "{vectors}");
    assert!(scalars.matches(": f32 = bitcast").count() == 3 && !scalars.contains("f32x3 = bitcast"), "{scalars}");
    assert!(scalars.contains(": f32x3 = compose") && scalars.matches("load").count() == 1, "{scalars}");
}

#[test]
fn writes_alignment_and_gaps_keep_them_apart() {
    unchanged(
        wide,
        "func0 \"f\" {\nblock0:\n  v0: i32 = sysval local_invocation_index\n  v1: i32 = load res1[0 + v0] align 8\n  store v1, res1[0] align 4\n\
         v2: i32 = load res1[4 + v0] align 4\n  v3: i32 = load res0[4 + v0] align 4\n  v4: i32 = load res0[8 + v0] align 4\n\
         v5: i32 = load res2[0] align 16\n  v6: i32 = load res2[8] align 8\n  v7: i32 = iadd v2, v3\n  v8: i32 = iadd v4, v5\n\
         v9: i32 = iadd v6, v7\n  v10: i32 = iadd v8, v9\n  store v10, global0[0] align 4\n  barrier workgroup workgroup\n\
         store v10, global0[4] align 4\n  ret\n}",
    );
}

/// Two words have room in the buffer, three have not, wherever they begin.
#[test]
fn never_wider_than_the_place() {
    let with = |size: u32| {
        let text = format!(
            "module robust on\nres0 \"o\" group 0 binding 0 storage_rw size {size} stride 0\n\
             func0 \"f\" {{\nblock0:\n  v0: i32 = sysval local_invocation_index\n  store v0, res0[0 + v0] align 16\n  \
             store v0, res0[4 + v0] align 4\n  store v0, res0[8 + v0] align 8\n  store v0, res0[12 + v0] align 4\n  ret\n}}"
        );
        crate::testing::run(wide, &text)
    };
    let (four, two, none) = (with(16), with(8), with(4));
    assert!(four.0.matches("store").count() == 1, "{}", four.0);
    assert!(two.0.matches("store").count() == 2, "{}", two.0);
    assert_eq!(none.1, 0, "{}", none.0);
}
