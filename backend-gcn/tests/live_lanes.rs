//! Tests of the passes of the tail that are about live lanes, and of the prologue.

use gpucc_gcn::tail::encoded::EncodedInst;
use gpucc_gcn::tail::{end_dead_waves, exact_regions};
use gpucc_gcn_machine::{Op, operand};
use smallvec::smallvec;

use crate::common::encoded::{code, item, line, v};

/// First register of the lanes that are live.
const LIVE: Option<u32> = Some(20);

fn exact(op: Op) -> EncodedInst {
    let mut i = item(op, smallvec![v(0)], smallvec![]);
    i.facts.exact = true;
    i
}
fn work() -> EncodedInst {
    item(Op::VMovB32, smallvec![], smallvec![v(0)])
}
fn end() -> EncodedInst {
    item(Op::SEndpgm, smallvec![], smallvec![])
}
/// A discard; `far` from the end of the program.
fn discard(far: bool) -> EncodedInst {
    let mut i = item(Op::SAndn2B64, smallvec![(20, 2)], smallvec![(20, 2)]);
    (i.facts.ends_dead_wave, i.facts.is_far) = (true, far);
    i
}

fn ops(insts: Vec<EncodedInst>) -> Vec<Op> {
    let mut c = line(insts);
    exact_regions::run(&mut c, LIVE, 2);
    c.blocks[0].insts.iter().map(|i| i.inst.op()).collect()
}

#[test]
fn stores_are_for_live_lanes_and_neighbours_share() {
    use Op::{BufferStoreDword as Store, SAndB64 as And, SMovB64 as Mov, VMovB32 as Work};
    assert_eq!(ops(vec![work(), exact(Store), work()]), [Work, Mov, And, Store, Mov, Work]);
    assert_eq!(ops(vec![exact(Store), exact(Store)]), [Mov, And, Store, Store, Mov]);
    assert_eq!(ops(vec![work()]), [Work]);
    let mut alone = line(vec![exact(Store)]);
    assert_eq!(exact_regions::run(&mut alone, None, 2), 0, "all lanes are live");
}

/// Behind the first export nothing asks for other lanes: they stay off to the end of the program.
#[test]
fn exports_at_the_end_cut_lanes_once() {
    use Op::{Exp, SAndB64 as And, SEndpgm as End, SMovB64 as Mov, VMovB32 as Work};
    assert_eq!(ops(vec![exact(Exp), work(), exact(Exp), end()]), [And, Exp, Work, Exp, End]);
    // A discard in between takes other lanes.
    let between = ops(vec![exact(Exp), discard(false), exact(Exp), end()]);
    assert_eq!(between.iter().filter(|o| **o == And).count(), 2);
    assert_eq!(between.iter().filter(|o| **o == Mov).count(), 4);
}

#[test]
fn a_wave_ends_where_enough_would_follow() {
    let mut c = code(vec![(vec![discard(true), work()], &[1]), (vec![end()], &[])]);
    assert_eq!(end_dead_waves::run(&mut c, 2), 1);
    assert_eq!(c.blocks.len(), 3);
    let branch = &c.blocks[0].insts[1];
    assert_eq!((branch.inst.op(), branch.label.map(|l| l.0)), (Op::SCbranchScc0, Some(2)));
    assert_eq!(c.blocks[2].insts[0].writes[..], [(operand::EXEC, 2)]);
    let mut near = code(vec![(vec![discard(false), work()], &[1]), (vec![end()], &[])]);
    assert_eq!(end_dead_waves::run(&mut near, 2), 0);
    assert_eq!(near.blocks.len(), 2);
}
