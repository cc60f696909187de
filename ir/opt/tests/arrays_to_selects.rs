//! Tests of `ir/opt/src/arrays_to_selects.rs`.

use crate::testing::{opt, unchanged};
use gpucc_opt::arrays_to_selects::run;
use gpucc_opt::{Caps, PassCx};

#[test]
fn small_arrays_become_selects() {
    let t = opt(
        run,
        "func0 \"f\" {\n  local0 \"a\" size 12 align 4\nblock0:\n  v0: i32 = sysval local_invocation_index\n  v1: i32 = shl v0, 2:i32\n\
         store 1:i32, local0[0] align 4\n  store v0, local0[0 + v1] align 4\n  v2: i32 = load local0[4 + v1] align 4\n\
         store v2, res1[0] align 4\n  ret\n}",
    );
    assert!(!t.contains("+ v1]"), "{t}");
    // Three stores choose, and the load can reach two elements only.
    assert_eq!(t.matches("select").count(), 4, "{t}");
    assert_eq!(t.matches("icmp.uge v1, 8:i32").count(), 1, "{t}");
    assert_eq!(t.matches("icmp.uge v1, 4:i32").count(), 1, "{t}");
}

/// An offset that is a multiple of 5 and, as the access promises, of 4: elements lie 20 bytes apart.
#[test]
fn alignment_counts_beside_the_stride() {
    let t = opt(
        run,
        "func0 \"f\" {\n  local0 \"a\" size 24 align 4\nblock0:\n  v0: i32 = sysval local_invocation_index\n  v1: i32 = imul v0, 5:i32\n\
         store 7:i32, local0[20] align 4\n  v2: i32 = load local0[0 + v1] align 4\n  store v2, res1[0] align 4\n  ret\n}",
    );
    assert_eq!(t.matches("load local0[").count(), 2, "{t}");
    assert!(t.contains("load local0[0] align 4") && t.contains("load local0[20] align 4"), "{t}");
}

/// One load from sixteen elements: selects, unless an access costs less.
#[test]
fn cheap_memory_stays_memory() {
    const TEXT: &str = "func0 \"f\" {\n  local0 \"a\" size 64 align 4\nblock0:\n  v0: i32 = sysval local_invocation_index\n  \
         v1: i32 = shl v0, 2:i32\n  store v0, local0[0 + v1] align 4\n  v2: i32 = load local0[0 + v1] align 4\n  \
         store v2, res1[0] align 4\n  ret\n}";
    let with = |cost: u32| {
        opt(
            |f, cx| {
                let caps = Caps { private_access_cost: cost, ..*cx.caps };
                let mut with = PassCx::new(cx.module, &caps);
                run(f, &mut with);
                cx.must_change(with.changes());
            },
            TEXT,
        )
    };
    assert!(!with(u32::MAX).contains("+ v1]"));
    assert!(with(8).contains("+ v1]"));
}

/// A table of constants stays where tables are cheap to read; a variable that is written at other places does not.
#[test]
fn tables_stay_tables() {
    let text = |stored: &str, at: &str| {
        format!(
            "func0 \"f\" {{\n  local0 \"a\" size 16 align 4\nblock0:\n  v0: i32 = sysval local_invocation_index\n  v1: i32 = shl v0, 2:i32\n  \
             store 1:i32, local0[0] align 4\n  store 2:i32, local0[4] align 4\n  store 3:i32, local0[8] align 4\n  store {stored}, local0[{at}] align 4\n  \
             v2: i32 = load local0[0 + v1] align 4\n  store v2, res1[0] align 4\n  ret\n}}"
        )
    };
    let with = |text: &str, table_access_cost| {
        opt(
            |f, cx| {
                let caps = Caps { table_access_cost, ..*cx.caps };
                let mut with = PassCx::new(cx.module, &caps);
                run(f, &mut with);
                cx.must_change(with.changes());
            },
            text,
        )
    };
    assert!(with(&text("4:i32", "12"), Some(2)).contains("+ v1]"));
    assert!(!with(&text("4:i32", "12"), None).contains("+ v1]"));
    assert!(!with(&text("v0", "12"), Some(2)).contains("+ v1]"));
}

#[test]
fn loads_from_many_go_by_bits() {
    let of = |index: &str| {
        opt(
            run,
            &format!(
                "func0 \"f\" {{\n  local0 \"a\" size 24 align 4\nblock0:\n  v0: i32 = load res0[0] align 4\n  v1: i32 = umin v0, {index}:i32\n  v2: i32 = shl v1, 2:i32\n\
                 v3: i32 = load local0[0 + v2] align 4\n  store v3, res1[0] align 4\n  ret\n}}"
            ),
        )
    };
    // Six elements: three bits, five selects, and no clamp where the index is known to be small.
    let t = of("5");
    assert_eq!((t.matches("= select").count(), t.matches("= icmp.ne").count()), (5, 3), "{t}");
    assert_eq!(t.matches("= umin").count(), 1, "{t}");
    let t = of("900");
    assert_eq!((t.matches("= select").count(), t.matches("= umin").count()), (5, 2), "{t}");
    // Three elements are compared one by one.
    let t = of("2");
    assert_eq!((t.matches("= select").count(), t.matches("= icmp.ne").count()), (2, 0), "{t}");
}

#[test]
fn bounds_limit_the_choice() {
    let t = opt(
        run,
        "func0 \"f\" {\n  local0 \"a\" size 60 align 4\nblock0:\n  v0: i32 = load res0[0] align 4\n  v1: i32 = umin v0, 1:i32\n  v2: i32 = shl v1, 2:i32\n\
         store true:b1, local0[4 + v2] align 4\n  store 7:i32, local0[12] align 4\n  ret\n}",
    );
    assert_eq!(t.matches("select").count(), 2, "{t}");
}

#[test]
fn booleans_among_numbers_stay() {
    unchanged(
        run,
        "func0 \"f\" {\n  local0 \"a\" size 60 align 4\nblock0:\n  v0: i32 = load res0[0] align 4\n  v2: i32 = shl v0, 2:i32\n\
         store true:b1, local0[4 + v2] align 4\n  store 7:i32, local0[12] align 4\n  ret\n}",
    );
}

#[test]
fn large_and_volatile_ones_stay() {
    unchanged(
        run,
        "func0 \"f\" {\n  local0 \"a\" size 400 align 4\n  local1 \"b\" size 8 align 4\nblock0:\n  v0: i32 = sysval local_invocation_index\n\
         v1: i32 = shl v0, 2:i32\n  store v0, local0[0 + v1] align 4\n  v2: i32 = load local1[0 + v1] align 4 {volatile}\n\
         v3: i32 = load local0[0] align 4\n  v4: i32 = iadd v2, v3\n  store v4, res1[0] align 4\n  ret\n}",
    );
}
