//! Tests of `mir/src/split_runs.rs`.

use crate::toy::{Op, R, Toy};
use gpucc_mir::{Class, ClassInfo, MFunc, MInst, Pseudo, Shape, SplitRuns, Use, VReg};

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

fn split_runs(f: &MFunc<Toy>, t: &Toy) -> Vec<MFunc<Toy>> {
    SplitRuns::new(f).map_or_else(Vec::new, |s| s.functions(t))
}

#[test]
fn parts_that_are_read_again_come_back() {
    let t = toy();
    let f = code(&t, true, false);
    let after = &split_runs(&f, &t)[0];
    let split = after.code[0].iter().position(|i| i.is(Pseudo::Split)).expect("a split");
    assert!(after.code[0][split - 1].target_op() == Some(Op::Out), "right behind the reader");
    let parts: Vec<VReg> = after.code[0][split].defs.iter().filter_map(|d| d.vreg()).collect();
    let read: Vec<VReg> = after.code[0][split + 1..].iter().flat_map(|i| i.vreg_uses()).collect();
    assert_eq!(parts, read);
}

#[test]
fn each_reader_has_a_run_of_its_own() {
    let t = toy();
    let all = split_runs(&code(&t, true, true), &t);
    assert_eq!(all.len(), 1, "both ways give the same back");
    let after = &all[0];
    let of = |p: Pseudo| after.code[0].iter().filter(move |i| i.is(p));
    assert_eq!((of(Pseudo::Collect).count(), of(Pseudo::Split).count()), (2, 2));
    // The second collect takes what the first split gives.
    let given: Vec<VReg> = of(Pseudo::Split).next().unwrap().vreg_defs().collect();
    let taken: Vec<VReg> = of(Pseudo::Collect).nth(1).unwrap().vreg_uses().collect();
    assert_eq!(given, taken);
}

#[test]
fn what_is_not_read_again_stays() {
    let t = toy();
    assert!(split_runs(&code(&t, false, false), &t).is_empty());
    let f = code(&t, true, false);
    assert!(split_runs(&f, &Toy { gives: false, ..toy() }).is_empty(), "the target gives nothing back");
}

#[test]
fn what_another_part_takes_the_place_of_stays() {
    let t = toy();
    let mut f = MFunc::new("t");
    f.block();
    let [a, b, c] = [(); 3].map(|()| f.vreg(R));
    let [first, second, third] = [(); 3].map(|()| f.vreg(RUN));
    let run = |r: VReg, x: VReg, y: VReg| {
        [MInst::collect(r, [Use::reg(x), Use::reg(y)]), MInst::new(Op::Out).arg(Use::reg(r))]
    };
    let made = [a, b, c].map(|v| MInst::new(Op::Li).def(v).imm(1));
    // The second part is the same in two runs; the first is another one, and comes back.
    f.code[0] = made.into_iter().chain(run(first, a, b)).chain(run(second, c, b)).chain(run(third, a, c)).collect();
    f.code[0].push(MInst::new(Op::End));
    let splits = |after: &MFunc<Toy>| {
        let of = after.code[0].iter().filter(|i| i.is(Pseudo::Split));
        of.map(|i| i.defs.len()).collect::<Vec<_>>()
    };
    let ways: Vec<Vec<usize>> = split_runs(&f, &t).iter().map(splits).collect();
    assert_eq!(ways, [vec![2, 1], vec![1]]);
}
