//! Tests of `backend-gcn/src/tail/clauses.rs`.

use gpucc_gcn::tail::clauses::run;
use gpucc_gcn::tail::encoded::EncodedInst;
use gpucc_gcn_machine::Op;
use smallvec::smallvec;

use crate::common::encoded::{item, line, order, v};

fn mov(to: u32, from: u32) -> EncodedInst {
    item(Op::VMovB32, smallvec![v(from)], smallvec![v(to)])
}

fn load(to: u32, at: u32) -> EncodedInst {
    item(Op::BufferLoadDword, smallvec![v(at), (4, 4)], smallvec![v(to)])
}

fn store() -> EncodedInst {
    item(Op::BufferStoreDwordx4, smallvec![(256, 4), v(9), (4, 4)], smallvec![])
}

#[test]
fn loads_wait_for_the_next_one() {
    let mut b = line(vec![load(1, 10), mov(11, 20), load(2, 11), mov(5, 1)]);
    assert_eq!(run(&mut b, u64::MAX), 1);
    let l = Op::BufferLoadDword;
    assert_eq!(order(&b), [(Op::VMovB32, 11), (l, 1), (l, 2), (Op::VMovB32, 5)]);
}

#[test]
fn loads_stay_where_something_depends_on_them() {
    // A use of the result; a store of the same kind of memory; an address that is overwritten.
    for between in [mov(11, 1), store(), mov(10, 20)] {
        let mut b = line(vec![load(1, 10), between, load(2, 12)]);
        let before = order(&b);
        assert_eq!(run(&mut b, u64::MAX), 0);
        assert_eq!(order(&b), before);
    }
}

/// As many wait as there is fuel for.
#[test]
fn stops_without_fuel() {
    let block = || line(vec![load(1, 10), mov(11, 20), load(2, 11), mov(12, 20), load(3, 12)]);
    let l = Op::BufferLoadDword;
    let mut b = block();
    assert_eq!(run(&mut b, 0), 0);
    assert_eq!(order(&b), order(&block()));
    assert_eq!(run(&mut b, 1), 1);
    assert_eq!(order(&b), [(Op::VMovB32, 11), (l, 1), (l, 2), (Op::VMovB32, 12), (l, 3)]);
    let mut b = block();
    assert_eq!(run(&mut b, 2), 2);
    assert_eq!(order(&b), [(Op::VMovB32, 11), (Op::VMovB32, 12), (l, 1), (l, 2), (l, 3)]);
}
