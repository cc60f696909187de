//! Tests of `ir/opt/src/rests.rs`.

use crate::testing::changes;
use gpucc_ir::{Builder, FpFlags, Function, Mem, Op, Place, Res, Type, Value};
use gpucc_opt::{Caps, rests};

/// Stores what `make` makes of three numbers.
fn build(fp: FpFlags, make: impl Fn(&mut Builder<'_>, [Value; 3]) -> Vec<Value>) -> Function {
    let mut f = Function::new("main");
    let block = f.entry();
    let mut b = Builder::new(&mut f, block);
    let word = |k: u32| Mem::new(Place::Buffer(Res(0)), 4 * k, 4);
    let three = [0, 1, 2].map(|k| b.load(Type::F32, word(k), None));
    b.fp = fp;
    for (k, v) in make(&mut b, three).into_iter().enumerate() {
        b.store(v, word(8 + k as u32), None);
    }
    b.ret(&[]);
    f
}

fn run(f: &mut Function, fuse_fma: bool) -> u64 {
    changes(rests::run, f, &Caps { fuse_fma, ..Caps::FULL })
}

fn rest(b: &mut Builder<'_>, t: Value) -> Value {
    let one = b.func.fconst(Type::F32, 1.0);
    b.fsub(one, t)
}

fn count(f: &Function, op: Op) -> usize {
    f.insts_in_order().filter(|(_, i)| f.insts[*i].op == op).count()
}

/// A mix, and a product that nothing is added to.
fn mix(b: &mut Builder<'_>, [x, y, t]: [Value; 3]) -> Vec<Value> {
    let r = rest(b, t);
    let p = b.fmul(y, t);
    let m = b.fma(x, r, p);
    let q = b.fmul(r, y);
    vec![m, q]
}

#[test]
fn a_product_with_the_rest_is_one_fma() {
    let mut f = build(FpFlags::LOOSE, mix);
    assert_eq!(run(&mut f, true), 2);
    // Two for the mix, one for the product; the rest has no readers.
    assert_eq!([Op::Fma, Op::FNeg].map(|op| count(&f, op)), [3, 2]);
    let fma: Vec<_> = f.insts_in_order().map(|(_, i)| &f.insts[i]).filter(|d| d.op == Op::Fma).collect();
    assert!(fma.iter().filter(|d| f.def_op(d.args[0], Op::FNeg).is_some_and(|n| n.args[0] == d.args[2])).count() == 2);
}

#[test]
fn what_others_read_or_rounds_twice_or_keeps_infinities_stays() {
    assert_eq!(run(&mut build(FpFlags::LOOSE, mix), false), 0);
    assert_eq!(run(&mut build(FpFlags::CONTRACT, mix), true), 0);
    type Made = fn(&mut Builder<'_>, [Value; 3]) -> Vec<Value>;
    let stays: [Made; 5] = [
        // The rest itself is wanted.
        |b, [x, _, t]| {
            let r = rest(b, t);
            vec![b.fmul(x, r), r]
        },
        // Nothing but a number is added.
        |b, [x, y, t]| {
            let r = rest(b, t);
            vec![b.fma(x, r, y)]
        },
        // The other product is wanted as well.
        |b, [x, y, t]| {
            let r = rest(b, t);
            let p = b.fmul(y, t);
            vec![b.fma(x, r, p), p]
        },
        |b, [_, _, t]| {
            let r = rest(b, t);
            vec![b.fmul(r, r)]
        },
        // From another number than 1.
        |b, [x, _, t]| {
            let two = b.func.fconst(Type::F32, 2.0);
            let r = b.fsub(two, t);
            vec![b.fmul(x, r)]
        },
    ];
    for make in stays {
        assert_eq!(run(&mut build(FpFlags::LOOSE, make), true), 0);
    }
}
