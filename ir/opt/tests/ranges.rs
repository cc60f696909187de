//! Tests of `ir/opt/src/ranges.rs`.

use crate::testing::{opt, unchanged};
use gpucc_ir::Function;
use gpucc_opt::ranges::run;
use gpucc_opt::{Caps, PassCx};

fn wide(f: &mut Function, cx: &mut PassCx<'_>) {
    let caps = Caps { prefer_mul24: true, offset_fold: 1024, ..Caps::FULL };
    let mut c = PassCx::new(cx.module, &caps);
    c.workgroup_size = [64, 1, 1];
    run(f, &mut c);
    cx.must_change(c.changes());
}

#[test]
fn known_bounds() {
    let t = opt(
        wide,
        "func0 \"f\" {\nblock0:\n  v0: i32 = sysval local_invocation_index\n  v1: i32 = umin v0, 63:i32\n  v2: i32 = sdiv v1, 3:i32\n\
         v3: i32 = imul v2, v0\n  v4: b1 = icmp.slt v3, 4000:i32\n  v5: i32 = select v4, v3, 1:i32\n  v6: i32 = iadd v0, 3:i32\n\
         v7: i32 = shl v6, 2:i32\n  v8: i32 = load res0[4 + v7] align 4\n  v9: i32 = iadd v8, v5\n  store v9, res1[0] align 4\n  ret\n}",
    );
    assert!(t.contains("udiv v0, 3:i32") && t.contains("umul24"), "{t}");
    assert!(t.contains("select true:b1") && t.contains("shl v0, 2:i32"), "{t}");
    assert!(t.contains("load res0[16 + v"), "{t}");
}

#[test]
fn unknown_numbers_stay() {
    unchanged(
        wide,
        "func0 \"f\" {\nblock0:\n  v0: i32 = load res0[0] align 4\n  v1: i32 = umin v0, 63:i32\n  v2: i32 = sdiv v0, 3:i32\n\
         v3: i32 = imul v2, v0\n  v4: b1 = icmp.slt v3, 4000:i32\n  v5: i32 = select v4, v3, v1\n  v6: i32 = iadd v0, 3:i32\n\
         v7: i32 = shl v6, 2:i32\n  v8: i32 = load res0[4 + v7] align 4\n  v9: i32 = iadd v8, v5\n  store v9, res1[0] align 4\n  ret\n}",
    );
}

/// `x CC1 k1 OP x CC2 k2` over bytes.
fn two(cc1: &str, k1: i32, op: &str, cc2: &str, k2: i32) -> String {
    format!(
        "func0 \"f\" -> b1 {{\nblock0(v0: i8):\n  v1: b1 = icmp.{cc1} v0, {k1}:i8\n  v2: b1 = icmp.{cc2} v0, {k2}:i8\n\
         v3: b1 = {op} v1, v2\n  ret v3\n}}"
    )
}

#[test]
fn between_constants() {
    let inside = opt(run, &two("uge", 48, "and", "ule", 57));
    assert!(inside.contains("iadd v0, -48:i8") && inside.contains("icmp.ule v3, 9:i8"), "{inside}");
    let outside = opt(run, &two("slt", -3, "or", "sgt", 5));
    assert!(outside.contains("iadd v0, 3:i8") && outside.contains("icmp.ugt v3, 8:i8"), "{outside}");
    // One side open, nothing between, or comparisons that others read.
    unchanged(run, &two("uge", 48, "or", "ule", 57));
    unchanged(run, &two("uge", 58, "and", "ule", 57));
    unchanged(run, &two("uge", 48, "and", "sle", 57));
    unchanged(
        run,
        "func0 \"f\" -> b1 {\nblock0(v0: i8):\n  v1: b1 = icmp.uge v0, 4:i8\n  v2: b1 = icmp.ule v0, 9:i8\n  v3: b1 = and v1, v2\n\
         v4: b1 = xor v3, v1\n  ret v4\n}",
    );
}

#[test]
fn between_is_exact_at_eight_bits() {
    use gpucc_ir::{Const, Type};
    let mut fired = 0;
    for cc1 in ["ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge"] {
        for cc2 in ["ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge"] {
            for op in ["and", "or"] {
                for k1 in [-128, -127, -1, 0, 1, 57, 126, 127] {
                    for k2 in [-128, -2, 0, 48, 127] {
                        let t = two(cc1, k1, op, cc2, k2);
                        let after = opt(run, &t);
                        fired += u32::from(after.contains("iadd"));
                        let f = gpucc_ir::text::parse_function(&t).unwrap();
                        let g = gpucc_ir::text::parse_function(&after).unwrap();
                        for x in 0..256 {
                            let x = [Const::new(Type::I8, &[x])];
                            let (a, b) = (crate::testing::evaluate(&f, &x), crate::testing::evaluate(&g, &x));
                            assert_eq!(a, b, "{x:?}\n{t}\n{after}");
                        }
                    }
                }
            }
        }
    }
    assert!(fired > 100, "{fired}");
}

#[test]
fn low_bits_of_counters() {
    let counter = |start: u32, step: u32| {
        format!(
            "func0 \"f\" {{\nblock0:\n  v0: i32 = sysval local_invocation_index\n  jump block1({start}:i32)\n\
             block1(v1: i32) loop merge block3 continue block2:\n  v2: i32 = iadd v1, 13:i32\n  v3: i32 = and v2, 7:i32\n\
             store v3, res1[0] align 4\n  v4: b1 = icmp.ult v1, v0\n  br v4, block2, block3\nblock2:\n  v5: i32 = iadd v1, {step}:i32\n\
             jump block1(v5)\nblock3:\n  ret\n}}"
        )
    };
    assert!(opt(run, &counter(16, 8)).contains("store 5:i32"));
    unchanged(run, &counter(16, 4));
    unchanged(run, &counter(4, 8));
}

/// The sum is aligned as it says, its parts are not: the constant stays where it is.
#[test]
fn constants_off_the_alignment_stay() {
    let text = |k: u32| {
        format!(
            "func0 \"f\" {{\nblock0:\n  v0: i32 = load res0[0] align 4\n  v1: i32 = and v0, 255:i32\n  v2: i32 = iadd v1, {k}:i32\n  \
             v3: i32 = load res0[0 + v2] align 4\n  store v3, res1[0] align 4\n  ret\n}}"
        )
    };
    assert!(opt(wide, &text(8)).contains("res0[8 + "));
    assert!(opt(wide, &text(9)).contains("res0[0 + "));
}

/// Where low bits are zero there is no carry, however large the number is.
#[test]
fn constants_in_place_of_low_zeros() {
    let text = |k: u32, tail: &str| {
        format!(
            "func0 \"f\" {{\nblock0:\n  v0: i32 = load res0[0] align 4\n  v1: i32 = shl v0, 7:i32\n  v2: i32 = iadd v1, {k}:i32\n  \
             {tail}\n  v5: i32 = load res0[4 + v4] align 4\n  store v5, res1[0] align 4\n  ret\n}}"
        )
    };
    let (none, shifted, times) = ("", "v4: i32 = shl v2, 2:i32", "v4: i32 = imul v2, 12:i32");
    let direct = |k: u32| text(k, none).replace("[4 + v4]", "[4 + v2]");
    assert!(opt(wide, &direct(124)).contains("res0[128 + v1]"));
    assert!(opt(wide, &text(64, shifted)).contains("res0[260 + v"));
    // A bit that may be set already, and a product that wraps at other places.
    assert!(opt(wide, &direct(128)).contains("res0[4 + v2]"));
    assert!(opt(wide, &text(64, times)).contains("res0[4 + v3]"));
}

#[test]
fn offsets_that_are_constants_altogether() {
    let text = |offset: i32, k: i32| {
        format!(
            "func0 \"f\" {{\nblock0:\n  v0: i32 = load res2[{offset} + {k}:i32] align 16\n  store v0, res1[0] align 4\n  ret\n}}"
        )
    };
    let t = opt(run, &text(16, 32));
    assert!(t.contains("load res2[48] align 16 {in_bounds}"), "{t}");
    // Outside, without the alignment, and beyond what an offset holds.
    unchanged(run, &text(16, 48));
    unchanged(run, &text(16, 4));
    unchanged(run, &text(32, -16));
    // Of a storage buffer nobody knows the size.
    unchanged(
        run,
        "func0 \"f\" {\nblock0:\n  v0: i32 = load res0[0 + 4:i32] align 4\n  store v0, res1[0] align 4\n  ret\n}",
    );
}

/// Nothing is above the greatest number of 64 bits: the bound behind it does not overflow.
#[test]
fn nothing_is_above_all() {
    let t = opt(
        wide,
        "func0 \"f\" {\nblock0:\n  v0: i64 = load res0[0] align 8\n  v1: b1 = icmp.ugt v0, -1:i64\n  v2: b1 = icmp.ult v0, 5:i64\n\
         v3: b1 = and v1, v2\n  v4: i32 = select v3, 1:i32, 2:i32\n  store v4, res1[0] align 4\n  ret\n}",
    );
    assert!(t.contains("select") && !t.contains("isub"), "{t}");
}
