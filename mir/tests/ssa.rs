//! Registers with several definitions become values.

use crate::toy::{F, Op, R, Toy};
#[allow(dead_code, reason = "each test uses its part of the machine")]
use gpucc_mir::{AllocOptions, BlockId, MEdge, MFunc, MInst, VReg, allocate, construct_ssa};

/// A diamond: block 0 goes to 1 or 2, both to 3. `again` defines the register once more in block 1.
fn diamond(again: bool) -> (MFunc<Toy>, VReg) {
    let mut f = MFunc::new("t");
    for _ in 0..4 {
        f.block();
    }
    let (v, c) = (f.vreg(R), f.vreg(F));
    let to = |b: u32| MEdge::to(BlockId(b));
    let start = [MInst::new(Op::Li).def(v).imm(7), MInst::new(Op::Lt).def(c).arg(v).arg(v)];
    f.code[0].extend(start);
    f.code[0].push(MInst::new(Op::Br).arg(c).arg(BlockId(1)));
    f.code[0].push(MInst::new(Op::Jmp).arg(BlockId(2)));
    f.blocks[0].succs = smallvec::smallvec![to(1), to(2)];
    if again {
        f.code[1].push(MInst::new(Op::Add).def(v).arg(v).arg(v));
    }
    for b in [1, 2] {
        f.code[b].push(MInst::new(Op::Jmp).arg(BlockId(3)));
        f.blocks[b].succs = smallvec::smallvec![to(3)];
    }
    f.code[3].extend([MInst::new(Op::Out).arg(v), MInst::new(Op::End)]);
    (f, v)
}

#[test]
fn ways_that_differ_meet_in_a_parameter() {
    let t = Toy::new(8);
    let (mut f, v) = diamond(true);
    assert_eq!(construct_ssa(&mut f, &t, &[v]), 1);
    assert_eq!(f.blocks[3].params.len(), 1);
    assert_ne!(f.blocks[1].succs[0].args, f.blocks[2].succs[0].args);
    allocate(&mut f, &t, &AllocOptions::default()).expect("well formed");
}

#[test]
fn ways_that_agree_need_none() {
    let t = Toy::new(8);
    let (mut f, v) = diamond(false);
    assert_eq!(construct_ssa(&mut f, &t, &[v]), 0);
    assert!(f.blocks.iter().all(|b| b.params.is_empty()));
    allocate(&mut f, &t, &AllocOptions::default()).expect("well formed");
}
