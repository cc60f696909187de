//! Tests of `backend-gcn/src/vcc.rs`.

use gpucc_gcn::emit::{Item, Ranges, Ways};
use gpucc_gcn::vcc::*;
use gpucc_gcn_machine::emit::{self as form, Form};
use gpucc_gcn_machine::{Gcn as Isa, Op};
use gpucc_isa::Inst;
use smallvec::smallvec;

fn item(inst: Inst<Isa>, reads: Ranges, writes: Ranges) -> Item {
    Item { reads, writes, is_valu: true, ..Item::control(inst) }
}

fn of(o: Op, f: Form) -> Inst<Isa> {
    form::inst(form::row(o, f, false, 2).unwrap())
}

fn moved(blocks: &mut [Vec<Item>], succs: &[Ways]) -> usize {
    let effects: Vec<Effect> = blocks.iter().map(|b| effect(b)).collect();
    run(blocks, &effects, succs, 2)
}

/// `s[20:21] = a < v1`.
fn compare(a: u32) -> Item {
    let i = of(Op::VCmpLtU32, Form::Long).with("sdst", 20).with("src0", a).with("src1", 257);
    item(i, smallvec![(257, 1)], smallvec![(20, 2)])
}

/// `v4 = s[20:21] ? v3 : v2`.
fn choose() -> Item {
    let i = of(Op::VCndmaskB32, Form::Long).with("vdst", 4).with("src0", 258).with("src1", 259).with("mask", 20);
    item(i, smallvec![(258, 2), (20, 2)], smallvec![(260, 1)])
}

#[test]
fn a_mask_of_one_block_takes_the_short_forms() {
    let mut b = [vec![compare(130), choose(), choose()]];
    assert_eq!(moved(&mut b, &[smallvec![]]), 1);
    assert!(b[0].iter().all(|i| i.inst.row().bytes == 4), "{b:?}", b = b[0].iter().map(|i| i.inst).collect::<Vec<_>>());
    assert!(b[0][2].reads.contains(&VCC));
}

#[test]
fn a_mask_that_lives_on_or_meets_another_stays() {
    // Asked for in the next block.
    let mut b = [vec![compare(130), choose()], vec![choose()]];
    assert_eq!(moved(&mut b, &[smallvec![1], smallvec![]]), 0);
    // A sum that leaves its carry in VCC.
    let sum = of(Op::VAddU32, Form::Short).with("vdst", 7).with("src0", 130).with("src1", 5);
    let sum = item(sum, smallvec![(261, 1)], smallvec![(263, 1), VCC]);
    let mut b = [vec![compare(130), sum, choose()]];
    assert_eq!(moved(&mut b, &[smallvec![]]), 0);
    // A second mask while the first one is needed: one of the two moves.
    let mut other = compare(131);
    other.inst.set("sdst", 22);
    other.writes = smallvec![(22, 2)];
    let mut late = choose();
    late.inst.set("mask", 22);
    late.reads = smallvec![(258, 2), (22, 2)];
    let mut b = [vec![compare(130), other, choose(), late]];
    assert_eq!(moved(&mut b, &[smallvec![]]), 1);
    assert_eq!(b[0][3].inst.get("mask"), Some(22));
}
