//! Tests of `ir/src/verify.rs`.

use gpucc_ir::text::parse_module;
use gpucc_ir::verify::*;

fn rules(body: &str) -> Vec<String> {
    let text = format!(
        "res0 \"a\" group 0 binding 0 storage_ro size 16 stride 0\nglobal0 \"g\" workgroup size 8 align 4\n\
         func0 \"f\" {{\n  local0 \"l\" size 4 align 4\n{body}}}\n"
    );
    let m = parse_module(&text).unwrap_or_else(|e| panic!("{}\n{text}", e.message));
    verify_module(&m).err().unwrap_or_default().iter().map(|f| f.to_string()).collect()
}

fn first(body: &str, want: &str) {
    let r = rules(body);
    assert!(r.first().is_some_and(|m| m.contains(want)), "want {want:?}, have {r:#?}");
}

#[test]
fn accepts() {
    for ok in [
        "block0:\n  ret\n",
        // A merge reached from one arm only, and an arm that returns.
        "block0:\n  br true:b1, block1, block2 merge block3\nblock1:\n  ret\nblock2:\n  jump block3\nblock3:\n  ret\n",
        // Leaving two selections at once, and a loop from inside of a switch.
        "block0:\n  jump block1 merge block9\nblock1:\n  br true:b1, block2, block3 merge block3\nblock2:\n  jump block9\n\
         block3:\n  jump block9\nblock9:\n  ret\n",
        "block0:\n  jump block1\nblock1 loop merge block5 continue block4:\n  switch 1:i32, 0: block2, default: block3 merge block3\n\
         block2:\n  jump block5\nblock3:\n  br false:b1, block4, block5\nblock4:\n  jump block1\nblock5:\n  ret\n",
        "block0:\n  barrier none release device workgroup storage\n  barrier subgroup\n  barrier none texture\n  ret\n",
        "block0:\n  v0: i32 = load local0[0] align 4\n  v1: f32 = bitcast v0\n  v2: f16x2 = bitcast v1\n  ret\n",
    ] {
        assert_eq!(rules(ok), Vec::<String>::new(), "{ok}");
    }
}

#[test]
fn refuses() {
    first("block0:\n  v0: i32 = iadd 1:i32, 2:i16\n  ret\n", "type in block0, `v0: i32 = iadd 1:i32, 2:i16`");
    first("block0:\n  v0: f32 = iadd 1.0:f32, 2.0:f32\n  ret\n", "f: type");
    first("block0:\n  v0: i32 = iadd 1:i32\n  ret\n", "f: arity");
    first("block0:\n  v0: i32 = ineg v1\n  v1: i32 = ineg 1:i32\n  ret\n", "v1 is not defined on every path");
    first("block0:\n  v0: i32 = ineg 1:i32\n", "the block has no terminator");
    first("block0:\n  jump block1(1:i32)\nblock1:\n  ret\n", "gives 1 values for 0 parameters");
    first("block0:\n  jump block1(1:i32)\nblock1(v0: f32):\n  ret\n", "gives i32 for v0 of f32");
    first("block0:\n  jump block0\n", "an edge leads to the entry block");
    first("block0:\n  ret 1:i32\n", "f: type");
    first("block0:\n  store 1:i32, res0[0] align 4\n  ret\n", "res0 is read only");
    first("block0:\n  v0: i32 = load res0[16] align 4\n  ret\n", "4 bytes at 16 leave the 16 bytes of res0");
    first(
        "block0:\n  store 1:i64, local0[0] align 8\n  ret\n",
        "an access is aligned to 8, its variable local0 to 4 alone",
    );
    // Whatever is added.
    first("block0:\n  store 1:i64, local0[0 + 4:i32] align 4\n  ret\n", "8 bytes at 0 leave the 4 bytes of local0");
    first("block0:\n  v0: i32 = load res0[2] align 4\n  ret\n", "offset 2 is not aligned to 4");
    // An index that is added may make up for it, but nothing that reads the alignment could rely on the constant then.
    first("block0:\n  v0: i32 = load res0[1 + 4:i32] align 4\n  ret\n", "offset 1 is not aligned to 4");
    first("block0:\n  v0: i32 = load res0[0] align 1\n  ret\n", "an access to i32 is aligned to 1 alone");
    first("block0:\n  v0: b1 = load res0[0] align 4\n  ret\n", "b1 has no form in a buffer");
    first("block0:\n  v0: i32 = load res7[0] align 4\n  ret\n", "res7 does not exist");
    first("block0:\n  v0: i32 = select 1:i32, 2:i32, 3:i32\n  ret\n", "f: type");
    first("block0:\n  v0: i64 = trunc 1:i32\n  ret\n", "f: type");
    first("block0:\n  v0: b1 = icmp.slt true:b1, false:b1\n  ret\n", "f: type");
    // A loop without header, a jump into a loop, a merge that its header does not dominate, a break over two loops.
    first("block0:\n  jump block1\nblock1:\n  jump block1\n", "the edge to block1 is not a proper back edge");
    first(
        "block0:\n  br true:b1, block1, block2\nblock1 loop merge block4 continue block2:\n  br true:b1, block2, block4\n\
         block2:\n  jump block1\nblock4:\n  ret\n",
        "f: structure",
    );
    first(
        "block0:\n  br true:b1, block1, block2\nblock1:\n  br true:b1, block3, block3 merge block2\nblock2:\n  ret\n\
         block3:\n  jump block2\n",
        "f: structure",
    );
    first(
        "block0:\n  jump block1\nblock1 loop merge block7 continue block6:\n  jump block2\n\
         block2 loop merge block5 continue block4:\n  br true:b1, block3, block5\nblock3:\n  br true:b1, block4, block7\n\
         block4:\n  jump block2\nblock5:\n  br true:b1, block6, block7\nblock6:\n  jump block1\nblock7:\n  ret\n",
        "the edge to block7 enters or leaves a construct sideways",
    );
    // A fence that orders nothing, or more than others can see; a barrier that waits for one half of an order.
    first("block0:\n  barrier none\n  ret\n", "f: type");
    first("block0:\n  barrier none acquire device workgroup\n  ret\n", "f: type");
    first("block0:\n  barrier workgroup release workgroup\n  ret\n", "f: type");
    // Two arms that meet where no construct says so.
    first(
        "block0:\n  br true:b1, block1, block2\nblock1:\n  jump block3\nblock2:\n  jump block3\nblock3:\n  ret\n",
        "f: structure",
    );
}
