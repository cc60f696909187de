//! Tests of `backend-gcn/src/tail/dead_scalars.rs`.

use gpucc_gcn::tail::dead_exec_writes::EXEC;
use gpucc_gcn::tail::dead_scalars::run;
use gpucc_gcn::tail::encoded::{Code, EncodedInst};
use gpucc_gcn_machine::Op;
use smallvec::smallvec;

use crate::common::encoded::{code, item, v};

/// `s[n:n+1] = 0`.
fn clear(n: u32) -> EncodedInst {
    item(Op::SMovB64, smallvec![], smallvec![(n, 2)])
}
/// `s[to] = s[a] op s[b]` on pairs.
fn mask(op: Op, to: u32, a: u32, b: u32) -> EncodedInst {
    item(op, smallvec![(a, 2), (b, 2)], smallvec![(to, 2)])
}
fn compare(to: u32) -> EncodedInst {
    item(Op::VCmpLtF32, smallvec![v(0), v(1)], smallvec![(to, 2)])
}
fn leave(to: u32) -> EncodedInst {
    item(Op::SAndn2B64, smallvec![EXEC, (to, 2)], smallvec![EXEC])
}
fn branch(op: Op) -> EncodedInst {
    item(op, smallvec![], smallvec![])
}
/// A store under EXEC.
fn store() -> EncodedInst {
    item(Op::VMovB32, smallvec![], smallvec![v(0)])
}

/// A loop that collects the lanes that leave it, and what comes behind it.
fn collects(behind: Vec<EncodedInst>) -> Code {
    let turn = vec![
        compare(30),
        mask(Op::SAndB64, 24, EXEC.0, 30),
        leave(30),
        mask(Op::SOrB64, 20, 20, 24),
        branch(Op::SCbranchExecnz),
    ];
    code(vec![(vec![clear(20)], &[1]), (turn, &[1, 2]), (behind, &[])])
}

fn left(mut c: Code) -> Vec<usize> {
    run(&mut c, u64::MAX);
    c.blocks.iter().map(|b| b.insts.len()).collect()
}

/// A mask that adds to itself is asked for by nobody but itself.
#[test]
fn a_mask_that_nobody_takes_goes_with_what_feeds_it() {
    assert_eq!(left(collects(vec![store()])), [0, 3, 1]);
    // A comparison whose mask is used by nothing.
    assert_eq!(left(code(vec![(vec![compare(40), store(), mask(Op::SOrB64, 40, 40, 42)], &[])])), [1]);
}

#[test]
fn what_is_asked_for_stays() {
    let take = item(Op::SMovB64, smallvec![(20, 2)], smallvec![EXEC]);
    assert_eq!(left(collects(vec![take, store()])), [1, 5, 2]);
    // Half of a pair.
    assert_eq!(
        left(collects(vec![item(Op::SMovB32, smallvec![(21, 1)], smallvec![(106, 1)]), branch(Op::SCbranchVccz)])),
        [1, 5, 2]
    );
    // The instruction that sets SCC, until the next that sets it.
    let test = mask(Op::SAndB64, 50, EXEC.0, 28);
    assert_eq!(left(code(vec![(vec![test.clone(), branch(Op::SCbranchScc0)], &[])])), [2]);
    assert_eq!(left(code(vec![(vec![test.clone(), clear(60), branch(Op::SCbranchScc0)], &[])])), [2]);
    assert_eq!(left(code(vec![(vec![test.clone(), test, branch(Op::SCbranchScc0)], &[])])), [2]);
    // EXEC is not this pass's.
    assert_eq!(left(code(vec![(vec![leave(30)], &[])])), [1]);
}

/// As many go as there is fuel for; what feeds others goes last.
#[test]
fn stops_without_fuel() {
    for fuel in 0..5 {
        let mut c = collects(vec![store()]);
        assert_eq!(run(&mut c, fuel), fuel.min(3));
        assert_eq!(c.blocks[0].insts.is_empty(), fuel > 2, "the mask begins as long as somebody adds to it");
    }
}
