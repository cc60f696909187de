//! Tests of `backend-gcn/src/tail/direct_exec.rs`.

use gpucc_gcn::tail::dead_exec_writes::EXEC;
use gpucc_gcn::tail::direct_exec::run;
use gpucc_gcn::tail::encoded::EncodedInst;
use gpucc_gcn_machine::Op;
use smallvec::smallvec;

use crate::common::encoded::{code, item, line, order, v};

/// `to = exec & ~mask`.
fn without(mask: u32, to: u32) -> EncodedInst {
    item(Op::SAndn2B64, smallvec![EXEC, (mask, 2)], smallvec![(to, 2)])
}
fn set(from: u32) -> EncodedInst {
    item(Op::SMovB64, smallvec![(from, 2)], smallvec![EXEC])
}
fn save(to: u32) -> EncodedInst {
    item(Op::SMovB64, smallvec![EXEC], smallvec![(to, 2)])
}
fn vector() -> EncodedInst {
    item(Op::VMovB32, smallvec![], smallvec![v(0)])
}

/// Operations, and whether each writes EXEC.
fn changed(blocks: Vec<(Vec<EncodedInst>, &[u32])>) -> Vec<(Op, bool)> {
    let mut c = code(blocks);
    run(&mut c, u64::MAX);
    c.blocks.iter().flat_map(|b| &b.insts).map(|i| (i.inst.op(), i.writes.contains(&EXEC))).collect()
}

#[test]
fn a_mask_for_exec_alone_is_made_there() {
    assert_eq!(
        changed(vec![(vec![without(20, 22), set(22), vector()], &[])]),
        [(Op::SAndn2B64, true), (Op::VMovB32, false)]
    );
    // What is in between stays in front.
    assert_eq!(
        changed(vec![(vec![without(20, 22), save(24), set(22), vector()], &[])])[..2],
        [(Op::SMovB64, false), (Op::SAndn2B64, true)]
    );
}

#[test]
fn others_that_ask_keep_it() {
    let kept = |insts: Vec<EncodedInst>| {
        let before: Vec<Op> = order(&line(insts.clone())).into_iter().map(|i| i.0).collect();
        let got: Vec<Op> = changed(vec![(insts, &[])]).into_iter().map(|i| i.0).collect();
        assert_eq!(got, before);
    };
    // The mask is asked for behind the move, or in between.
    kept(vec![
        without(20, 22),
        set(22),
        item(Op::SMovB64, smallvec![(22, 2)], smallvec![(30, 2)]),
        vector(),
        set(30),
        vector(),
    ]);
    kept(vec![without(20, 22), without(22, 24), set(22), vector(), set(24), vector()]);
    // What it is made of is written in between: its operand, or EXEC.
    kept(vec![without(20, 22), save(20), set(22), vector(), set(20), vector()]);
    kept(vec![without(20, 22), set(26), vector(), set(22), vector()]);
}

/// As many as there is fuel for.
#[test]
fn stops_without_fuel() {
    let mut c = line(vec![without(20, 22), set(22), vector()]);
    assert_eq!(run(&mut c, 0), 0);
    assert_eq!(order(&c).len(), 3);
}
