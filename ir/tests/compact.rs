//! Tests of `ir/src/compact.rs`.

use gpucc_ir::text::parse_module;
use gpucc_ir::{Builder, Op};

const TEXT: &str = "func0 \"f\" {\n  local0 \"a\" size 16 align 16\nblock0:\n  v0: i32 = sysval local_invocation_index\n  jump block1(0:i32)\n\
    block1(v1: i32) loop merge block3 continue block2:\n  v2: b1 = icmp.ult v1, v0\n  br v2, block2, block3\n\
    block2:\n  v3: i32 = iadd v1, 1:i32\n  jump block1(v3)\nblock3:\n  store undef:i32, local0[0] align 4\n  ret\n}\n";

#[test]
fn forgets_what_is_gone_and_keeps_the_text() {
    let mut m = parse_module(TEXT).unwrap_or_else(|e| panic!("{e}"));
    let text = m.to_string();
    let f = m.funcs.values_mut().next().expect("one function");
    // Code that nothing reaches, and an instruction that comes first but was made last.
    let entry = f.entry();
    let lost = f.make_block();
    Builder::new(f, lost).ret(&[]);
    let late = f.make_inst(gpucc_ir::InstData::new(Op::Barrier, &[], gpucc_ir::Attr::None), &[]);
    let sizes = (f.blocks.len(), f.insts.len());
    assert!(!f.compact(), "a block is gone");
    assert_eq!((f.blocks.len(), f.insts.len()), (sizes.0 - 1, sizes.1 - 2), "{late} and {lost} of {entry} are gone");
    let number = |i: gpucc_ir::Inst| gpucc_ir::Entity::index(i);
    let ends: Vec<usize> = f.layout.iter().map(|&b| number(f.terminator(b))).collect();
    let others = f.insts_in_order().map(|x| x.1).filter(|&i| !f.insts[i].op.is_terminator());
    assert_eq!(ends, (0..f.layout.len()).collect::<Vec<_>>());
    assert!(others.map(number).eq(f.layout.len()..f.insts.len()), "in the order of the code");
    assert!(f.compact(), "nothing is left to do");
    assert_eq!(m.to_string(), text);
    gpucc_ir::verify::verify_module(&m).unwrap_or_else(|e| panic!("{}", e[0]));
}
