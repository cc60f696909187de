//! Tests of `backend-gcn/src/tail/exec_compares.rs`.

use gpucc_gcn::tail::dead_exec_writes::EXEC;
use gpucc_gcn::tail::encoded::EncodedInst;
use gpucc_gcn::tail::exec_compares::run;
use gpucc_gcn::tail::shrink_compares::VCC;
use gpucc_gcn_machine::Op;
use gpucc_gcn_machine::build::Form;
use smallvec::smallvec;

use crate::common::encoded::{code, item, line, of, order, v};

fn compare(op: Op) -> EncodedInst {
    item(op, smallvec![v(0), v(1)], smallvec![VCC])
}
/// One that leaves its mask in a pair of registers.
fn long(op: Op, to: u32) -> EncodedInst {
    EncodedInst::new(of(op, Form::Long).with("sdst", to), smallvec![v(0), v(1)], smallvec![(to, 2)])
}
fn narrow(op: Op, mask: (u32, u32)) -> EncodedInst {
    item(op, smallvec![EXEC, mask], smallvec![EXEC])
}
fn vector(to: u32) -> EncodedInst {
    item(Op::VMovB32, smallvec![], smallvec![v(to)])
}

/// The operations of a block behind which nothing is asked for.
fn changed(insts: Vec<EncodedInst>) -> Vec<Op> {
    let mut c = line(insts);
    run(&mut c, 2, u64::MAX);
    order(&c).into_iter().map(|i| i.0).collect()
}

#[test]
fn a_mask_for_exec_alone_goes_there() {
    let and = |op| changed(vec![compare(op), narrow(Op::SAndB64, VCC)]);
    let out = |op| changed(vec![compare(op), narrow(Op::SAndn2B64, VCC)]);
    assert_eq!(and(Op::VCmpLtF32), [Op::VCmpxLtF32]);
    // A value that is not less may be no number.
    assert_eq!(out(Op::VCmpLtF32), [Op::VCmpxNltF32]);
    assert_eq!(out(Op::VCmpLtU32), [Op::VCmpxGeU32]);
    assert_eq!(
        changed(vec![long(Op::VCmpEqI32, 20), vector(5), narrow(Op::SAndB64, (20, 2))]),
        [Op::VMovB32, Op::VCmpxEqI32]
    );
}

#[test]
fn others_that_ask_keep_it() {
    let kept = |insts: Vec<EncodedInst>| {
        let before: Vec<Op> = order(&line(insts.clone())).into_iter().map(|i| i.0).collect();
        assert_eq!(changed(insts), before);
    };
    let use_of = |mask| item(Op::SMovB64, smallvec![mask], smallvec![(30, 2)]);
    kept(vec![compare(Op::VCmpLtF32), narrow(Op::SAndB64, VCC), use_of(VCC)]);
    kept(vec![compare(Op::VCmpLtF32), use_of(VCC), narrow(Op::SAndB64, VCC)]);
    // A compared register is written in between, or EXEC is.
    kept(vec![compare(Op::VCmpLtF32), vector(1), narrow(Op::SAndB64, VCC)]);
    kept(vec![compare(Op::VCmpLtF32), narrow(Op::SAndB64, (40, 2)), narrow(Op::SAndB64, VCC)]);
    // SCC says whether a lane is left.
    kept(vec![compare(Op::VCmpLtF32), narrow(Op::SAndB64, VCC), item(Op::SCbranchScc0, smallvec![], smallvec![])]);
    // Another block asks.
    let mut c = code(vec![(vec![compare(Op::VCmpLtF32), narrow(Op::SAndB64, VCC)], &[1]), (vec![use_of(VCC)], &[])]);
    assert_eq!(run(&mut c, 2, u64::MAX), 0);
}

#[test]
fn stops_without_fuel() {
    let two = || {
        let one = || [compare(Op::VCmpLtF32), narrow(Op::SAndB64, VCC)];
        line(one().into_iter().chain(one()).collect())
    };
    for fuel in 0..4 {
        assert_eq!(run(&mut two(), 2, fuel), fuel.min(2));
    }
}
