//! Tests of `mir/src/split_runs.rs`.

use crate::toy::{Op, R, Toy};
use gpucc_mir::{Class, ClassInfo, MFunc, MInst, Pseudo, Shape, Use, VReg, split_runs};

/// A run of two.
const RUN: Class = Class(3);

/// Reads a run of two registers, and both of them again behind it if asked for; `shared` lets one branch away in between.
fn code(t: &Toy, again: bool, reads_run_twice: bool) -> MFunc<Toy> {
    let mut f = MFunc::new("t");
    f.block();
    let (a, b, run) = (f.vreg(R), f.vreg(R), f.vreg(RUN));
    let mut list = vec![
        MInst::new(Op::Li).def(a).imm(1),
        MInst::new(Op::Li).def(b).imm(2),
        MInst::collect(run, [Use::reg(a), Use::reg(b)]),
        MInst::new(Op::Out).arg(Use::reg(run)),
    ];
    if reads_run_twice {
        list.push(MInst::new(Op::Out).arg(Use::reg(run)));
    }
    if again {
        list.push(MInst::new(Op::Out).arg(Use::reg(a)));
        list.push(MInst::new(Op::Out).arg(Use::reg(b)));
    }
    list.push(MInst::new(Op::End));
    f.code[0] = list;
    assert!(t.gives);
    f
}

fn toy() -> Toy {
    let mut t = Toy { gives: true, ..Toy::new(8) };
    t.classes.push(ClassInfo { name: "run", file: 0, shape: Shape::run(2) });
    t
}

#[test]
fn parts_that_are_read_again_come_back() {
    let t = toy();
    let f = code(&t, true, false);
    let after = split_runs(&f, &t).expect("a run is split");
    let split = after.code[0].iter().position(|i| i.is(Pseudo::Split)).expect("a split");
    assert!(after.code[0][split - 1].target_op() == Some(Op::Out), "right behind the reader");
    let parts: Vec<VReg> = after.code[0][split].defs.iter().filter_map(|d| d.vreg()).collect();
    let read: Vec<VReg> = after.code[0][split + 1..].iter().flat_map(|i| i.vreg_uses()).collect();
    assert_eq!(parts, read);
}

#[test]
fn what_is_not_read_again_or_has_no_single_reader_stays() {
    let t = toy();
    assert!(split_runs(&code(&t, false, false), &t).is_none());
    assert!(split_runs(&code(&t, true, true), &t).is_none());
    let f = code(&t, true, false);
    assert!(split_runs(&f, &Toy { gives: false, ..toy() }).is_none(), "the target gives nothing back");
}
