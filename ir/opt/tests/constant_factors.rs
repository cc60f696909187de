//! Tests of `ir/opt/src/constant_factors.rs`.

use crate::testing::changes;
use gpucc_ir::{Builder, FpFlags, Function, Mem, Op, Place, Res, Type, Value};
use gpucc_opt::{Caps, constant_factors};

fn run(f: &mut Function) -> u64 {
    changes(constant_factors::run, f, &Caps::FULL)
}

/// Stores what `make` makes of two vectors.
fn build(fp: FpFlags, make: impl Fn(&mut Builder<'_>, Value, Value) -> Vec<Value>) -> Function {
    let mut f = Function::new("main");
    let block = f.entry();
    let mut b = Builder::new(&mut f, block);
    let ty = Type::F32.with_lanes(3);
    let v = b.load(ty, Mem::new(Place::Buffer(Res(0)), 0, 16), None);
    let w = b.load(ty, Mem::new(Place::Buffer(Res(0)), 16, 16), None);
    b.fp = fp;
    for (k, v) in make(&mut b, v, w).into_iter().enumerate() {
        b.store(v, Mem::new(Place::Buffer(Res(0)), 32 + 16 * k as u32, 16), None);
    }
    b.ret(&[]);
    f
}

fn count(f: &Function, op: Op) -> usize {
    f.insts_in_order().filter(|(_, i)| f.insts[*i].op == op).count()
}

/// The word stored first.
fn stored(f: &Function) -> Value {
    let (_, i) = f.insts_in_order().find(|(_, i)| f.insts[*i].op == Op::Store).unwrap();
    f.insts[i].args[0]
}

fn scale(b: &mut Builder<'_>, v: Value, k: f32) -> Value {
    let ty = b.func.ty(v);
    let k = b.func.fconst(ty, k);
    b.fmul(v, k)
}

const LICENCE: FpFlags = FpFlags::CONTRACT.with(FpFlags::NSZ);

#[test]
fn what_zero_multiplies_is_not_added() {
    for k in [0.0, -0.0] {
        let mut f = build(LICENCE, |b, v, w| {
            let p = scale(b, v, k);
            vec![b.fadd(p, w)]
        });
        let w = f.insts[f.insts_in_order().nth(1).unwrap().1].result();
        assert_eq!(run(&mut f), 2);
        assert_eq!(stored(&f), w);
    }
}

#[test]
fn constants_are_multiplied_first() {
    let mut f = build(LICENCE, |b, v, _| {
        let p = scale(b, v, 0.5);
        vec![scale(b, p, 3.0)]
    });
    assert_eq!(run(&mut f), 1);
    let d = &f.insts[f.def_inst(stored(&f)).unwrap()];
    assert_eq!(f.const_bits(d.args[1]), Some(1.5f32.to_bits().into()));
}

#[test]
fn one_of_two_products_with_constants_has_all_licences() {
    for (inner, outer, n) in [
        (LICENCE, FpFlags::CONTRACT, 1),
        (FpFlags::CONTRACT, LICENCE, 1),
        (FpFlags::CONTRACT, FpFlags::CONTRACT, 0),
        (LICENCE, FpFlags::NONE, 0),
        (FpFlags::NONE, LICENCE, 0),
    ] {
        let mut f = build(inner, |b, v, _| {
            let p = scale(b, v, 0.5);
            b.fp = outer;
            vec![scale(b, p, 3.0)]
        });
        assert_eq!(run(&mut f), n, "{inner:?} {outer:?}");
    }
    // A zero, or a sum with one, asks for all of them.
    let mut f = build(FpFlags::CONTRACT, |b, v, w| {
        let p = scale(b, v, 0.0);
        vec![b.fadd(p, w)]
    });
    assert_eq!(run(&mut f), 0);
}

#[test]
fn a_dot_product_with_the_opposite_is_the_opposite() {
    let mut f = build(LICENCE, |b, v, w| {
        let n = b.fneg(w);
        let (x, y) = (b.fdot(v, w), b.fdot(n, v));
        vec![x, y]
    });
    assert_eq!(run(&mut f), 1);
    assert_eq!(count(&f, Op::FDot), 1);
}

#[test]
fn exact_ones_and_others_stay() {
    // Without a licence.
    let mut f = build(FpFlags::NONE, |b, v, w| {
        let (p, q) = (scale(b, v, 0.0), scale(b, w, 0.5));
        let q = scale(b, q, 3.0);
        vec![b.fadd(p, q)]
    });
    assert_eq!(run(&mut f), 0);
    // The product of the constants is none.
    let mut f = build(LICENCE, |b, v, _| {
        let p = scale(b, v, 1e30);
        vec![scale(b, p, 1e30)]
    });
    assert_eq!(run(&mut f), 0);
    // Other vectors, and zero in one lane alone.
    let mut f = build(LICENCE, |b, v, w| {
        let k = b.func.constant(gpucc_ir::Const::new(Type::F32.with_lanes(3), &[0, 0, 0x3f80_0000]));
        vec![b.fdot(v, w), b.fdot(v, v), b.fmul(v, k)]
    });
    assert_eq!(run(&mut f), 0);
}

/// A fused product with zero leaves what is added to it, where the licences say so.
#[test]
fn fused_products_with_zero_go() {
    let fused = |b: &mut Builder<'_>, v: Value, w: Value| {
        let ty = b.func.ty(v);
        let zero = b.func.fconst(ty, -0.0);
        let two = b.func.fconst(ty, 2.0);
        let gone = b.fma(v, zero, w);
        vec![gone, b.fma(v, two, w), b.fma(v, w, zero)]
    };
    let mut f = build(FpFlags::LOOSE, fused);
    assert_eq!(run(&mut f), 1);
    assert!(f.insts[f.def_inst(stored(&f)).expect("a load")].op == Op::Load);
    assert_eq!(count(&f, Op::Fma), 2);
    assert_eq!(run(&mut build(FpFlags::CONTRACT, fused)), 0);
}
