//! Tests of `ir/opt/src/widen_loads.rs`.

use crate::testing::{HEAD, opt, parse, unchanged};
use gpucc_ir::text::module_text;
use gpucc_opt::widen_loads::run;
use gpucc_opt::{Caps, PassCx};

/// `first` in the entry, `second` in a branch, `third` behind it; all are stored.
fn spread(first: &str, second: &str, third: &str) -> String {
    format!(
        "func0 \"f\" {{\nblock0:\n  v0: i32 = sysval local_invocation_index\n  v1: {first}\n  store v1, res1[0] align 4\n  \
         v2: b1 = icmp.eq v0, 3:i32\n  br v2, block1, block2 merge block2\nblock1:\n  v3: {second}\n  store v3, res1[4] align 4\n  \
         jump block2\nblock2:\n  v4: {third}\n  store v4, res1[8] align 4\n  ret\n}}"
    )
}

#[test]
fn the_first_brings_the_others_along() {
    let t =
        opt(run, &spread("i32 = load res2[4] align 4", "i32 = load res2[12] align 4", "f32x2 = load res2[0] align 16"));
    assert_eq!(t.matches("load").count(), 1, "{t}");
    assert!(t.contains(": i32x4 = load res2[0] align 16"), "{t}");
    // Only floats: the wide load has floats. What stands between is read as well.
    let t = opt(
        run,
        &spread("f32 = load res2[16] align 16", "f32 = load res2[24] align 8", "f32 = load res2[32] align 16"),
    );
    assert!(t.contains(": f32x3 = load res2[16] align 16") && t.contains("load res2[32]"), "{t}");
}

#[test]
fn what_does_not_come_first_or_may_change_stays() {
    // Words of the launch are no memory.
    let head = HEAD.replace(
        "res2 \"u\" group 0 binding 2 uniform size 64 stride 0",
        "res2 \"u\" group 0 binding 2 immediates size 64 stride 0",
    );
    let words = spread("i32 = load res2[0] align 16", "i32 = load res2[4] align 4", "i32 = load res2[8] align 4");
    unchanged(run, &format!("{head}{words}"));
    let far = "i32 = load res2[60] align 4";
    // Neither stands in front of the other.
    unchanged(
        run,
        "func0 \"f\" {\nblock0:\n  v0: i32 = sysval local_invocation_index\n  v1: b1 = icmp.eq v0, 3:i32\n  \
         br v1, block1, block2 merge block3\nblock1:\n  v2: i32 = load res2[0] align 4\n  store v2, res1[4] align 4\n  \
         jump block3\nblock2:\n  v3: i32 = load res2[4] align 4\n  store v3, res1[4] align 4\n  jump block3\nblock3:\n  ret\n}",
    );
    for (first, second) in [
        // Farther than one load reaches.
        ("i32 = load res2[0] align 4", "i32 = load res2[16] align 4"),
        // Written here.
        ("i32 = load res1[0] align 4", "i32 = load res1[4] align 4"),
        // Nothing says how much is there.
        ("i32 = load res0[0] align 4", "i32 = load res0[4] align 4"),
        ("i32 = load res2[0] align 4 {volatile}", "i32 = load res2[4] align 4 {volatile}"),
        ("i32 = load res2[0 + v0] align 4", "i32 = load res2[4 + v0] align 4"),
    ] {
        unchanged(run, &spread(first, second, far));
    }
}

/// A load of several lanes becomes lanes of the wide one, with no vector between that selection of scalars would have to know.
#[test]
fn lanes_of_a_vector_are_lanes_of_the_wide_load() {
    let source = "func0 \"f\" {\nblock0:\n  v0: i32 = load res2[8] align 4\n  v1: i32x2 = load res2[0] align 8\n  \
                  v2: i32 = extract v1, lane 1\n  store v0, res1[0] align 4\n  store v2, res1[4] align 4\n  ret\n}";
    let t = |scalar: bool, source: &str| {
        let caps = Caps { scalar, live_words: &[64], ..Caps::FULL };
        let mut m = parse(source);
        let surroundings = m.clone();
        for f in m.funcs.keys().collect::<Vec<_>>() {
            run(&mut m.funcs[f], &mut PassCx::new(&surroundings, &caps));
        }
        module_text(&m)
    };
    let of_scalars = t(true, source);
    assert!(of_scalars.contains(": i32x3 = load res2[0] align 8"), "{of_scalars}");
    assert!(!of_scalars.contains("shuffle") && !of_scalars.contains("compose"), "{of_scalars}");
    assert!(of_scalars.contains("lane 1") && of_scalars.contains("lane 2"), "{of_scalars}");
    // Who wants the vector gets it, and who wants a lane of it does not ask the vector.
    let whole = source.replace("  ret", "  store v1, res1[8] align 8\n  ret");
    let kept = t(true, &whole);
    assert_eq!(kept.matches("compose").count(), 1, "{kept}");
    // Machines of vectors choose lanes by themselves.
    assert!(t(false, &whole).contains("shuffle"));
}

/// The index and a word live at once here: a wide load of four words needs a file of six.
#[test]
fn what_lives_stays_within_the_register_files() {
    let source = spread("i32 = load res2[0] align 4", "i32 = load res2[4] align 4", "i32 = load res2[12] align 4");
    for (files, loads) in [(&[8u32][..], 1), (&[4, 8], 3), (&[], 3)] {
        let caps = Caps { live_words: files, ..Caps::FULL };
        let mut m = parse(&source);
        let surroundings = m.clone();
        for f in m.funcs.keys().collect::<Vec<_>>() {
            run(&mut m.funcs[f], &mut PassCx::new(&surroundings, &caps));
        }
        let t = module_text(&m);
        assert_eq!(t.matches("= load").count(), loads, "{files:?}: {t}");
    }
}
