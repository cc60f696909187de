//! Tests of `backend-gcn/src/tail/dead_exec_writes.rs`.

use gpucc_gcn::tail::dead_exec_writes::{EXEC, run};
use gpucc_gcn::tail::encoded::EncodedInst;
use gpucc_gcn_machine::Op;
use smallvec::smallvec;

use crate::common::encoded::{code, item, line, order, v};

/// `exec = s[20:21]`, a vector instruction, and a scalar one.
fn set() -> EncodedInst {
    item(Op::SMovB64, smallvec![(20, 2)], smallvec![EXEC])
}
fn vector() -> EncodedInst {
    item(Op::VMovB32, smallvec![], smallvec![v(0)])
}
fn scalar() -> EncodedInst {
    item(Op::SMovB32, smallvec![], smallvec![(4, 1)])
}

/// The remainder of each block.
fn left(blocks: Vec<(Vec<EncodedInst>, &[u32])>) -> Vec<usize> {
    let mut c = code(blocks);
    run(&mut c, 2, u64::MAX);
    c.blocks.iter().map(|b| b.insts.len()).collect()
}

#[test]
fn what_nobody_asks_for_goes() {
    // Before another one, and at the end; the vector instruction between keeps its own.
    assert_eq!(left(vec![(vec![set(), scalar(), set(), vector(), set()], &[])]), [3]);
    // The next block sets EXEC itself.
    assert_eq!(left(vec![(vec![set()], &[1]), (vec![set(), vector()], &[])]), [0, 2]);
}

#[test]
fn what_is_asked_for_stays() {
    assert_eq!(left(vec![(vec![set()], &[1]), (vec![scalar()], &[2]), (vec![vector()], &[])]), [1, 1, 1]);
    // Only the way back asks.
    assert_eq!(left(vec![(vec![scalar()], &[1]), (vec![vector(), set()], &[1])]), [1, 2]);
}

/// As many go as there is fuel for.
#[test]
fn stops_without_fuel() {
    for (fuel, rest) in [(0, 3), (1, 2), (2, 1), (3, 1)] {
        let mut b = line(vec![set(), scalar(), set()]);
        assert_eq!(run(&mut b, 2, fuel), 3 - rest);
        assert_eq!(b.blocks[0].insts.len() as u64, rest);
    }
}

/// A mask that is saved while nothing reads the new EXEC is saved by a move.
#[test]
fn a_save_stays_without_its_mask() {
    let save = || item(Op::SAndSaveexecB64, smallvec![(30, 2), EXEC], smallvec![(20, 2), EXEC]);
    let ops = |insts: Vec<EncodedInst>| {
        let mut c = line(insts);
        run(&mut c, 2, u64::MAX);
        order(&c).into_iter().map(|i| i.0).collect::<Vec<_>>()
    };
    assert_eq!(ops(vec![save(), set(), vector()]), [Op::SMovB64, Op::SMovB64, Op::VMovB32]);
    assert_eq!(ops(vec![save(), vector(), set(), vector()])[0], Op::SAndSaveexecB64);
}
