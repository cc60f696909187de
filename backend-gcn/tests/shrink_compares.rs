//! Tests of `backend-gcn/src/tail/shrink_compares.rs`.

use gpucc_gcn::tail::encoded::EncodedInst;
use gpucc_gcn::tail::shrink_compares::{VCC, run};
use gpucc_gcn_machine::Op;
use gpucc_gcn_machine::build::Form;
use smallvec::smallvec;

use crate::common::encoded::{code, line, of};

/// `s[20:21] = a < v1`.
fn compare(a: u32) -> EncodedInst {
    let i = of(Op::VCmpLtU32, Form::Long).with("sdst", 20).with("src0", a).with("src1", 257);
    EncodedInst::new(i, smallvec![(257, 1)], smallvec![(20, 2)])
}

/// `v4 = s[20:21] ? v3 : v2`.
fn choose() -> EncodedInst {
    let i = of(Op::VCndmaskB32, Form::Long).with("vdst", 4).with("src0", 258).with("src1", 259).with("mask", 20);
    EncodedInst::new(i, smallvec![(258, 2), (20, 2)], smallvec![(260, 1)])
}

#[test]
fn a_mask_of_one_block_takes_the_short_forms() {
    let mut b = line(vec![compare(130), choose(), choose()]);
    assert_eq!(run(&mut b, 2, 0), 0);
    assert_eq!(run(&mut b, 2, u64::MAX), 1);
    let block = &b.blocks[0].insts;
    assert!(block.iter().all(|i| i.inst.row().bytes == 4), "{}", b.print(&gpucc_isa::TextCx::new(2)));
    assert!(block[2].reads.contains(&VCC));
}

#[test]
fn a_mask_that_lives_on_or_meets_another_stays() {
    // Asked for in the next block.
    let mut b = code(vec![(vec![compare(130), choose()], &[1]), (vec![choose()], &[])]);
    assert_eq!(run(&mut b, 2, u64::MAX), 0);
    // A sum that leaves its carry in VCC.
    let sum = of(Op::VAddU32, Form::Short).with("vdst", 7).with("src0", 130).with("src1", 5);
    let sum = EncodedInst::new(sum, smallvec![(261, 1)], smallvec![(263, 1), VCC]);
    let mut b = line(vec![compare(130), sum, choose()]);
    assert_eq!(run(&mut b, 2, u64::MAX), 0);
    // A second mask while the first one is needed: one of the two moves.
    let mut other = compare(131);
    other.inst.set("sdst", 22);
    other.writes = smallvec![(22, 2)];
    let mut late = choose();
    late.inst.set("mask", 22);
    late.reads = smallvec![(258, 2), (22, 2)];
    let mut b = line(vec![compare(130), other, choose(), late]);
    assert_eq!(run(&mut b, 2, u64::MAX), 1);
    assert_eq!(b.blocks[0].insts[3].inst.get("mask"), Some(22));
}
