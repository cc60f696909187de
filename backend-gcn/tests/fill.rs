//! Tests of `backend-gcn/src/tail/fill.rs`.

use gpucc_gcn::tail::encoded::EncodedInst;
use gpucc_gcn::tail::fill::run;
use gpucc_gcn_machine::Op;
use smallvec::smallvec;

use crate::common::encoded::{item, line, order, v};

fn mov(to: u32, from: u32) -> EncodedInst {
    item(Op::VMovB32, smallvec![v(from)], smallvec![v(to)])
}

fn store() -> EncodedInst {
    item(Op::BufferStoreDwordx4, smallvec![(256, 4), v(9), (4, 4)], smallvec![])
}

#[test]
fn a_wait_state_is_filled_with_work() {
    let block = || line(vec![store(), mov(0, 20), mov(1, 20), mov(30, 21)]);
    let mut b = block();
    assert_eq!(run(&mut b, 2, 0), 0);
    assert_eq!(order(&b), order(&block()));
    assert_eq!(run(&mut b, 2, u64::MAX), 1);
    assert_eq!(order(&b)[1..], [(Op::VMovB32, 30), (Op::VMovB32, 0), (Op::VMovB32, 1)]);
}

#[test]
fn a_wait_state_stays_empty_if_all_work_depends() {
    // An instruction that overwrites the data too, one that reads a result, and one that overwrites a source.
    for other in [mov(2, 21), mov(30, 0), mov(20, 21)] {
        let mut b = line(vec![store(), mov(0, 20), other]);
        assert_eq!(run(&mut b, 2, u64::MAX), 0);
    }
    // gfx6 has no such hazard.
    assert_eq!(run(&mut line(vec![store(), mov(0, 20), mov(30, 21)]), 0, u64::MAX), 0);
}
