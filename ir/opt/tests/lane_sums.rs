//! Tests of `ir/opt/src/lane_sums.rs`.

use crate::testing::changes;
use gpucc_ir::{Builder, Function, Mem, Op, Place, Res, Type, Value};
use gpucc_opt::{Caps, lane_sums};

fn run(f: &mut Function, pair_dots: bool) -> u64 {
    changes(lane_sums::run, f, &Caps { pair_dots, ..Caps::FULL })
}

/// Stores what `make` makes of two vectors.
fn build(make: impl Fn(&mut Builder<'_>, Value, Value) -> Vec<Value>) -> Function {
    let mut f = Function::new("main");
    let block = f.entry();
    let mut b = Builder::new(&mut f, block);
    let ty = Type::F32.with_lanes(4);
    let v = b.load(ty, Mem::new(Place::Buffer(Res(0)), 0, 16), None);
    let w = b.load(ty, Mem::new(Place::Buffer(Res(0)), 16, 16), None);
    for (k, v) in make(&mut b, v, w).into_iter().enumerate() {
        b.store(v, Mem::new(Place::Buffer(Res(0)), 32 + 4 * k as u32, 4), None);
    }
    b.ret(&[]);
    f
}

fn dots(f: &Function) -> usize {
    f.insts_in_order().filter(|(_, i)| f.insts[*i].op == Op::FDot).count()
}

fn products(b: &mut Builder<'_>, v: Value, w: Value, n: u32) -> Vec<Value> {
    (0..n)
        .map(|k| {
            let (x, y) = (b.extract(v, k), b.extract(w, 3 - k));
            b.fmul(x, y)
        })
        .collect()
}

#[test]
fn lanes_of_one_vector_are_one_dot_product() {
    let mut f = build(|b, v, _| {
        let [x, y, z] = [2, 0, 1].map(|k| b.extract(v, k));
        let s = b.fadd(x, y);
        vec![b.fadd(z, s)]
    });
    assert_eq!(run(&mut f, false), 1);
    assert_eq!(dots(&f), 1);
    for n in [3, 4] {
        let mut f = build(|b, v, w| {
            let p = products(b, v, w, n);
            let sum = p[1..].iter().fold(p[0], |s, &x| b.fadd(s, x));
            vec![sum]
        });
        assert_eq!((run(&mut f, false), dots(&f)), (1, 1));
    }
}

#[test]
fn two_products_are_one_where_the_chip_has_it() {
    let pair = || {
        build(|b, v, w| {
            let p = products(b, v, w, 2);
            vec![b.fadd(p[0], p[1])]
        })
    };
    assert_eq!(run(&mut pair(), true), 1);
    assert_eq!(run(&mut pair(), false), 0);
    // One MAD.
    let mut f = build(|b, v, w| {
        let (p, x) = (products(b, v, w, 1)[0], b.extract(v, 2));
        vec![b.fadd(p, x)]
    });
    assert_eq!(run(&mut f, true), 0);
}

#[test]
fn sums_in_another_order_and_of_other_values_stay() {
    // (x + y) + (z + w) rounds otherwise.
    let mut f = build(|b, v, _| {
        let [x, y, z, w] = [0, 1, 2, 3].map(|k| b.extract(v, k));
        let (s, t) = (b.fadd(x, y), b.fadd(z, w));
        vec![b.fadd(s, t)]
    });
    assert_eq!(run(&mut f, false), 0);
    let mut f = build(|b, v, w| {
        let (x, y, z) = (b.extract(v, 0), b.extract(w, 1), b.extract(v, 2));
        let s = b.fadd(x, y);
        vec![b.fadd(s, z)]
    });
    assert_eq!(run(&mut f, false), 0);
    // Others read the sum of two.
    let mut f = build(|b, v, _| {
        let [x, y, z] = [0, 1, 2].map(|k| b.extract(v, k));
        let s = b.fadd(x, y);
        vec![b.fadd(s, z), s]
    });
    assert_eq!(run(&mut f, false), 0);
}
