//! Tests of `ir/opt/src/zero_lanes.rs`.

use crate::testing::changes;
use gpucc_ir::{Builder, FpFlags, Function, Mem, Op, Place, Res, Type, Value};
use gpucc_opt::{Caps, zero_lanes};

fn run(f: &mut Function) -> u64 {
    changes(zero_lanes::run, f, &Caps::FULL)
}

/// Stores what `make` makes of a vector and a number.
fn build(fp: FpFlags, make: impl Fn(&mut Builder<'_>, Value, Value) -> Vec<Value>) -> Function {
    let mut f = Function::new("main");
    let block = f.entry();
    let mut b = Builder::new(&mut f, block);
    let v = b.load(Type::F32.with_lanes(3), Mem::new(Place::Buffer(Res(0)), 0, 16), None);
    let x = b.load(Type::F32, Mem::new(Place::Buffer(Res(0)), 16, 4), None);
    b.fp = fp;
    for (k, v) in make(&mut b, v, x).into_iter().enumerate() {
        b.store(v, Mem::new(Place::Buffer(Res(0)), 32 + 16 * k as u32, 16), None);
    }
    b.ret(&[]);
    f
}

fn sums(f: &Function) -> Vec<u32> {
    let all = f.insts_in_order().filter(|(_, i)| matches!(f.insts[*i].op, Op::FAdd | Op::FSub));
    all.map(|(_, i)| f.ty(f.insts[i].result()).lanes()).collect()
}

#[test]
fn lanes_that_add_zero_are_left_alone() {
    let mut f = build(FpFlags::NSZ, |b, v, x| {
        let zero = b.func.fconst(Type::F32, 0.0);
        let c = b.compose(&[x, zero, x]);
        vec![b.fadd(c, v)]
    });
    assert_eq!(run(&mut f), 1);
    assert_eq!(sums(&f)[..2], [1, 1]);
    let mut f = build(FpFlags::NSZ, |b, v, x| {
        let zero = b.func.fconst(Type::F32, 0.0);
        let c = b.compose(&[zero, zero, x]);
        vec![b.fsub(v, c)]
    });
    assert_eq!(run(&mut f), 1);
}

#[test]
fn what_has_no_zero_or_others_read_stays() {
    let mut f = build(FpFlags::NSZ, |b, v, x| {
        let c = b.compose(&[x, x, x]);
        vec![b.fadd(c, v)]
    });
    assert_eq!(run(&mut f), 0);
    let mut f = build(FpFlags::NSZ, |b, v, x| {
        let zero = b.func.fconst(Type::F32, 0.0);
        let c = b.compose(&[x, zero, x]);
        vec![b.fadd(c, v), c]
    });
    assert_eq!(run(&mut f), 0);
    // `0 - v` is not `v`; the sign of a zero matters.
    for fp in [FpFlags::NSZ, FpFlags::NONE] {
        let mut f = build(fp, |b, v, x| {
            let zero = b.func.fconst(Type::F32, 0.0);
            let c = b.compose(&[x, zero, x]);
            vec![if fp == FpFlags::NONE { b.fadd(c, v) } else { b.fsub(c, v) }]
        });
        assert_eq!(run(&mut f), 0);
    }
}
