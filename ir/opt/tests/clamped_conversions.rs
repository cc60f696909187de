//! Tests of `ir/opt/src/clamped_conversions.rs`.

use crate::testing::changes;
use gpucc_ir::{Builder, Function, Mem, Op, Place, Res, Type};
use gpucc_opt::{Caps, clamped_conversions};

fn run(f: &mut Function) -> u64 {
    changes(clamped_conversions::run, f, &Caps::FULL)
}

fn build(op: Op) -> Function {
    let mut f = Function::new("main");
    let block = f.entry();
    let mut b = Builder::new(&mut f, block);
    let x = b.load(Type::F32, Mem::new(Place::Buffer(Res(0)), 0, 4), None);
    let v = match op {
        Op::F2S => b.f2s(x, Type::I32),
        Op::F2U => b.f2u(x, Type::I32),
        _ => b.f2s_full(x, Type::I32),
    };
    b.store(v, Mem::new(Place::Buffer(Res(0)), 8, 4), None);
    b.ret(&[]);
    f
}

fn count(f: &Function, op: Op) -> usize {
    f.insts_in_order().filter(|(_, i)| f.insts[*i].op == op).count()
}

#[test]
fn clamps_are_operations_once() {
    for (op, selects) in [(Op::F2S, 1), (Op::F2U, 0)] {
        let mut f = build(op);
        assert_eq!(run(&mut f), 1);
        assert_eq!([Op::FMax, Op::FMin, Op::Select, op].map(|op| count(&f, op)), [1, 1, selects, 1]);
        assert_eq!(run(&mut f), 0);
    }
}

#[test]
fn conversions_of_the_whole_range_stay() {
    assert_eq!(run(&mut build(Op::F2SFull)), 0);
}
