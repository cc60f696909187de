//! Tests of `ir/src/analysis/range.rs`.

use gpucc_ir::analysis::range::*;
use gpucc_ir::analysis::{DomTree, Structure};
use gpucc_ir::inst::Value;
use gpucc_ir::text::parse_function;

#[test]
fn bounds_by_hand() {
    let f = parse_function(
        "func0 \"f\" {\nblock0(v0: i32):\n  v1: i32x3 = sysval global_invocation_id\n  v2: i32 = extract v1, lane 1\n  v3: i32 = and v0, 255:i32\n\
         v4: i32 = shl v3, 4:i32\n  v5: i32 = iadd v4, v2\n  v6: i32 = ubfe v0, 3:i32, 5:i32\n  v7: i32 = iadd v0, 1:i32\n\
         v8: i32 = urem v0, 10:i32\n  v9: i32 = ushr v0, 28:i32\n  jump block1(0:i32)\nblock1(v10: i32) loop merge block3 continue block2:\n\
         v11: b1 = icmp.slt v10, 100:i32\n  br v11, block2, block3\nblock2:\n  v12: i32 = iadd v10, 4:i32\n  jump block1(v12)\nblock3:\n  ret\n}",
    )
    .unwrap();
    let (preds, dom) = (f.preds(), DomTree::new(&f));
    let s = Structure::new(&f, &dom);
    let mut u = UpperBounds::new(&f, [8, 4, 1], &preds, &dom, &s);
    let want = [
        (2, 65_535 * 4 - 1),
        (3, 255),
        (4, 4080),
        (5, 4080 + 65_535 * 4 - 1),
        (6, 31),
        (7, 0xffff_ffff),
        (8, 9),
        (9, 15),
    ];
    for (v, w) in want {
        assert_eq!(u.of(Value(v)), w, "v{v}");
    }
    // The parameter of the loop is numbered in order of definition.
    let p = f.blocks[f.layout[1]].params[0];
    assert_eq!(u.of(p), 103);
}

/// A counter that starts anywhere, one that counts down, and one with an unknown bound.
#[test]
fn loops_without_a_bound() {
    for (start, cc, limit, step) in
        [("v0", "slt", "9:i32", "1:i32"), ("0:i32", "sgt", "9:i32", "-1:i32"), ("0:i32", "ult", "v0", "2:i32")]
    {
        let t = format!(
            "func0 \"f\" {{\nblock0(v0: i32):\n  jump block1({start})\nblock1(v1: i32) loop merge block3 continue block2:\n\
             v2: b1 = icmp.{cc} v1, {limit}\n  br v2, block2, block3\nblock2:\n  v3: i32 = iadd v1, {step}\n  jump block1(v3)\nblock3:\n  ret\n}}"
        );
        let f = parse_function(&t).unwrap();
        let p = f.blocks[f.layout[1]].params[0];
        let (preds, dom) = (f.preds(), DomTree::new(&f));
        let s = Structure::new(&f, &dom);
        assert_eq!(UpperBounds::new(&f, [1, 1, 1], &preds, &dom, &s).of(p), 0xffff_ffff, "{t}");
    }
}
