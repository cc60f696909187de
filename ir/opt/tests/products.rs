//! Tests of `ir/opt/src/products.rs`.

use crate::testing::changes;
use gpucc_ir::{Builder, Function, Mem, Op, Place, Res, Type, Value};
use gpucc_opt::{Caps, products};

fn run(f: &mut Function, divides: bool) -> u64 {
    changes(products::run, f, &Caps { divides, ..Caps::FULL })
}

/// Stores what `make` makes of two floats.
fn build(make: impl Fn(&mut Builder<'_>, Value, Value) -> Vec<Value>) -> Function {
    let mut f = Function::new("main");
    let block = f.entry();
    let mut b = Builder::new(&mut f, block);
    let x = b.load(Type::F32, Mem::new(Place::Buffer(Res(0)), 0, 4), None);
    let y = b.load(Type::F32, Mem::new(Place::Buffer(Res(0)), 4, 4), None);
    for (k, v) in make(&mut b, x, y).into_iter().enumerate() {
        b.store(v, Mem::new(Place::Buffer(Res(0)), 8 + 4 * k as u32, 4), None);
    }
    b.ret(&[]);
    f
}

fn count(f: &Function, op: Op) -> usize {
    f.insts_in_order().filter(|(_, i)| f.insts[*i].op == op).count()
}

#[test]
fn each_sum_has_its_product() {
    let mut f = build(|b, x, y| {
        let p = b.fmul(x, y);
        vec![b.fadd(x, p), b.fsub(y, p)]
    });
    assert_eq!(run(&mut f, true), 1);
    assert_eq!(count(&f, Op::FMul), 2);
}

#[test]
fn a_product_that_others_read_stays_one() {
    let mut f = build(|b, x, y| {
        let p = b.fmul(x, y);
        vec![b.fadd(x, p), b.fsub(y, p), p]
    });
    assert_eq!(run(&mut f, true), 0);
    // A MAD takes in one of two products.
    let mut f = build(|b, x, y| {
        let (p, q) = (b.fmul(x, y), b.fmul(x, x));
        vec![b.fadd(q, p), b.fsub(y, p)]
    });
    assert_eq!(run(&mut f, true), 0);
    let mut f = build(|b, x, y| {
        let p = b.fmul(x, y);
        vec![b.fadd(p, p)]
    });
    assert_eq!(run(&mut f, true), 0);
}

#[test]
fn quotients_by_constants_are_products() {
    for (k, n) in [(3.0, 1), (600.0, 1), (0.0, 0), (f32::INFINITY, 0), (f32::MIN_POSITIVE / 4.0, 0), (2.0e38, 0)] {
        let mut f = build(|b, x, _| {
            let k = b.func.fconst(Type::F32, k);
            vec![b.fdiv(x, k)]
        });
        assert_eq!(run(&mut f, true), n, "{k}");
        assert_eq!((count(&f, Op::FMul), count(&f, Op::FDiv)), (n as usize, 1 - n as usize), "{k}");
    }
    // Of numbers that are not constants, quotients stay.
    let mut f = build(|b, x, y| vec![b.fdiv(x, y)]);
    assert_eq!(run(&mut f, true), 0);
}

#[test]
fn a_number_plus_itself_is_a_product_where_a_sum_reads_it() {
    let mut f = build(|b, x, y| {
        let p = b.fadd(x, x);
        vec![b.fsub(p, y)]
    });
    assert_eq!(run(&mut f, true), 1);
    assert_eq!((count(&f, Op::FMul), count(&f, Op::FAdd)), (1, 0));
    let mut f = build(|b, x, _| vec![b.fadd(x, x)]);
    assert_eq!(run(&mut f, true), 0);
}

#[test]
fn quotients_by_one_number_share_its_reciprocal() {
    let two = |b: &mut Builder<'_>, x: Value, y: Value| {
        let s = b.fadd(x, y);
        vec![b.fdiv(x, y), b.fdiv(s, y)]
    };
    for divides in [false, true] {
        let mut f = build(two);
        assert_eq!(run(&mut f, divides), 2);
        assert_eq!((count(&f, Op::FRcp), count(&f, Op::FMul), count(&f, Op::FDiv)), (1, 2, 0));
        let mut f = build(|b, x, y| vec![b.fdiv(x, y), b.fdiv(y, x)]);
        assert_eq!(run(&mut f, divides), if divides { 0 } else { 2 });
    }
}

#[test]
fn quotients_of_a_constant_share_the_reciprocal() {
    let mut f = build(|b, x, y| {
        let half = b.func.fconst(Type::F32, 0.5);
        vec![b.fdiv(x, y), b.fdiv(half, y)]
    });
    run(&mut f, true);
    assert_eq!((count(&f, Op::FRcp), count(&f, Op::FDiv)), (1, 0));
    // A quotient of 1 is a reciprocal, which others share.
    let mut f = build(|b, x, y| {
        let one = b.func.fconst(Type::F32, 1.0);
        vec![b.fdiv(one, y), b.fdiv(x, y)]
    });
    run(&mut f, true);
    assert_eq!((count(&f, Op::FRcp), count(&f, Op::FDiv)), (0, 1));
}
