//! Tests of `ir/opt/src/returns.rs`.

use gpucc_ir::Function;
use gpucc_ir::analysis::sort_layout;
use gpucc_opt::PassCx;

fn run(f: &mut Function, cx: &mut PassCx<'_>) {
    sort_layout(f);
    gpucc_opt::returns::run(f, cx);
}
use crate::testing::{opt, unchanged};
use gpucc_ir::text::parse_function;
use gpucc_ir::verify::{Property, verify_property};

fn single(text: &str) -> String {
    let t = opt(run, text);
    verify_property(&parse_function(&t).unwrap(), Property::SingleReturn).unwrap_or_else(|e| panic!("{}\n{t}", e[0]));
    t
}

#[test]
fn returns_outside_of_loops_jump_to_the_end() {
    let t = single(
        "func0 \"f\" -> i32 {\nblock0(v0: i32):\n  v1: b1 = icmp.eq v0, 0:i32\n  br v1, block1, block2 merge block2\n\
         block1:\n  ret 5:i32\nblock2:\n  ret v0\n}",
    );
    assert!(t.contains("jump block1 merge block4\n") && t.contains("jump block4(5:i32)"), "{t}");
}

#[test]
fn a_return_inside_two_loops_leaves_both() {
    let t = single(
        "func0 \"f\" -> i32 {\nblock0(v0: i32):\n  jump block1\nblock1 loop merge block8 continue block7:\n  jump block2\n\
         block2 loop merge block6 continue block5:\n  v1: i32 = iadd v0, 1:i32\n  v2: b1 = icmp.eq v1, 5:i32\n\
         br v2, block3, block4 merge block4\nblock3:\n  ret v1\nblock4:\n  br v2, block6, block5\nblock5:\n  jump block2\n\
         block6:\n  v3: b1 = icmp.ult v1, 9:i32\n  br v3, block7, block8\nblock7:\n  jump block1\nblock8:\n  ret v0\n}",
    );
    assert_eq!(t.matches("load local").count(), 4, "{t}");
}

#[test]
fn one_return_at_the_end_stays() {
    unchanged(
        run,
        "func0 \"f\" -> i32 {\nblock0(v0: i32):\n  v1: b1 = icmp.eq v0, 0:i32\n  br v1, block1(1:i32), block1(2:i32) merge block1\n\
         block1(v2: i32):\n  ret v2\n}",
    );
}
