//! Tests of `ir/opt/src/mem_opt.rs`.

use crate::testing::{opt, unchanged};
use gpucc_ir::Function;
use gpucc_opt::mem_opt::run;
use gpucc_opt::{Caps, PassCx};

#[test]
fn forwards_and_drops() {
    let t = opt(
        run,
        "func0 \"f\" {\nblock0:\n  v0: i32 = sysval local_invocation_index\n  store v0, global0[0 + v0] align 4\n  store 1:i32, global0[4 + v0] align 4\n\
         v1: f32 = load global0[0 + v0] align 4\n  v2: i32 = load res1[0] align 4\n  v3: b1 = icmp.eq v0, 1:i32\n\
         br v3, block1, block2 merge block2\nblock1:\n  v4: i32 = load res1[0] align 4\n  store 5:i32, res1[4] align 4\n  store v4, res1[4] align 4\n  jump block2\n\
         block2:\n  store v1, res1[8] align 4\n  ret\n}"
            .replace("res1[4]", "res1[0 + v0]")
            .replace("res1[8]", "res1[0]")
            .as_str(),
    );
    assert!(t.contains("bitcast v0"), "{t}");
    assert_eq!(t.matches("load").count(), 1, "{t}");
    assert!(!t.contains("store 5:i32"), "{t}");
}

#[test]
fn barriers_atomics_and_unknown_offsets_stand_between() {
    unchanged(
        run,
        "func0 \"f\" {\nblock0:\n  v0: i32 = sysval local_invocation_index\n  store v0, global0[0 + v0] align 4\n  barrier workgroup workgroup\n\
         v1: i32 = load global0[0 + v0] align 4\n  store v1, global0[0] align 4\n  v2: i32 = load global0[0 + v0] align 4\n\
         v3: i32 = load res1[0] align 4\n  v4: i32 = atomic.add 1:i32, res1[0] align 4\n  v5: i32 = load res1[0] align 4\n\
         v6: i32 = iadd v2, v3\n  v7: i32 = iadd v5, v6\n  store v7, global0[8] align 4\n  barrier workgroup workgroup\n  store v7, global0[8] align 4\n  ret\n}",
    );
}

/// A fence stands between accesses whichever way it goes, and orders no other space.
#[test]
fn fences_stand_between() {
    let text = |fence: &str| {
        format!(
            "func0 \"f\" {{\nblock0:\n  store 1:i32, res1[0] align 4\n  v0: i32 = load res1[4] align 4\n  {fence}\n\
             v1: i32 = load res1[4] align 4\n  v2: i32 = iadd v0, v1\n  store v2, res1[0] align 4\n  ret\n}}"
        )
    };
    for fence in ["acquire", "release", "device", "acquire device", "release device"] {
        unchanged(run, &text(&format!("barrier none {fence} storage")));
    }
    let t = opt(run, &text("barrier none acquire workgroup"));
    assert_eq!(t.matches("load").count(), 1, "{t}");
}

/// Lanes of another kind: of a constant it is another constant; a scalar target has no `bitcast` of a vector.
#[test]
fn what_is_forwarded_as_another_kind_is_cast_by_lanes() {
    let with = |value: &str, scalar: bool| {
        let pass = |f: &mut Function, cx: &mut PassCx<'_>| {
            let caps = Caps { scalar, ..Caps::FULL };
            let mut c = PassCx::new(cx.module, &caps);
            run(f, &mut c);
            cx.must_change(c.changes());
        };
        opt(
            pass,
            &format!(
                "func0 \"f\" {{\nblock0:\n  v0: i32 = sysval local_invocation_index\n  v1: i32x2 = splat v0\n  \
                 store {value}, global0[0] align 4\n  v2: f32x2 = load global0[0] align 4\n  store v2, res1[0] align 4\n  ret\n}}"
            ),
        )
    };
    let (vectors, scalars) = (with("v1", false), with("v1", true));
    assert!(vectors.contains("f32x2 = bitcast v1"), "{vectors}");
    assert!(scalars.matches(": f32 = bitcast").count() == 2 && !scalars.contains("f32x2 = bitcast"), "{scalars}");
    for scalar in [false, true] {
        let t = with("[0, 1065353216]:i32x2", scalar);
        assert!(!t.contains("bitcast") && t.contains("store [0.0, 1.0]:f32x2"), "{t}");
    }
}
