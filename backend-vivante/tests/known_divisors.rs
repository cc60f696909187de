//! Tests of `backend-vivante/src/known_divisors.rs`.

use gpucc_ir::{Builder, Function, Mem, Module, Op, Place, Res, Type, Value};
use gpucc_opt::{Caps, PassCx};
use gpucc_vivante::known_divisors;

/// Stores what `make` makes of two floats.
fn build(make: impl Fn(&mut Builder<'_>, Value, Value) -> Value) -> Function {
    let mut f = Function::new("main");
    let block = f.entry();
    let mut b = Builder::new(&mut f, block);
    let x = b.load(Type::F32, Mem::new(Place::Buffer(Res(0)), 0, 4), None);
    let y = b.load(Type::F32, Mem::new(Place::Buffer(Res(0)), 4, 4), None);
    let v = make(&mut b, x, y);
    b.store(v, Mem::new(Place::Buffer(Res(0)), 8, 4), None);
    b.ret(&[]);
    f
}

fn count(f: &Function, op: Op) -> usize {
    f.insts_in_order().filter(|(_, i)| f.insts[*i].op == op).count()
}

fn run(f: &mut Function, fuel: u64, shared: &dyn Fn(Value) -> bool) -> u64 {
    let m = Module::default();
    let mut cx = PassCx::with_fuel(&m, &Caps::FULL, fuel);
    known_divisors::run(f, &mut cx, shared);
    cx.changes()
}

#[test]
fn what_the_launch_knows_divides_as_a_reciprocal() {
    // The second float is known: its reciprocal is a step of the launch. A quotient of nothing else is a step itself.
    let second = |f: &Function| f.insts_in_order().filter(|(_, i)| f.insts[*i].op == Op::Load).nth(1).map(|(_, i)| i);
    for (swap, n) in [(false, 1), (true, 0)] {
        let mut f = build(|b, x, y| if swap { b.fdiv(y, x) } else { b.fdiv(x, y) });
        let known = f.insts[second(&f).unwrap()].result();
        assert_eq!(run(&mut f, 0, &|v| v == known), 0);
        assert_eq!(run(&mut f, u64::MAX, &|v| v == known), n);
        assert_eq!(count(&f, Op::FRcp) as u64, n);
        assert_eq!(count(&f, Op::FDiv) as u64, 1 - n);
    }
    let mut f = build(|b, x, y| b.fdiv(x, y));
    assert_eq!(run(&mut f, u64::MAX, &|_| true), 0);
}
