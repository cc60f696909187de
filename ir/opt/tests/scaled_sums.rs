//! Tests of `ir/opt/src/scaled_sums.rs`.

use crate::testing::changes;
use gpucc_ir::{Builder, FpFlags, Function, Mem, Op, Place, Res, Type};
use gpucc_opt::{Caps, scaled_sums};

/// `x * y * k + c`, stored; with `again`, the product as well.
fn sum(k: f32, c: f32, fp: FpFlags, again: bool) -> Function {
    let mut f = Function::new("main");
    let entry = f.entry();
    let mut b = Builder::new(&mut f, entry);
    b.fp = fp;
    let at = |n: u32| Mem::new(Place::Buffer(Res(0)), 4 * n, 4);
    let (x, y) = (b.load(Type::F32, at(0), None), b.load(Type::F32, at(1), None));
    let product = b.fmul(x, y);
    let (k, c) = (b.func.fconst(Type::F32, k), b.func.fconst(Type::F32, c));
    let v = b.fma(k, product, c);
    b.store(v, at(2), None);
    if again {
        b.store(product, at(3), None);
    }
    b.ret(&[]);
    f
}

fn run(f: &mut Function) -> u64 {
    changes(scaled_sums::run, f, &Caps::FULL)
}

/// The constant that is added and the one that scales.
fn constants(f: &Function) -> Vec<f32> {
    let of = |op, k: usize| {
        let i = f
            .insts_in_order()
            .map(|(_, i)| i)
            .find(|&i| f.insts[i].op == op && f.as_const(f.insts[i].args[k]).is_some());
        f32::from_bits(f.const_bits(f.insts[i.unwrap()].args[k]).unwrap() as u32)
    };
    vec![of(Op::Fma, 2), of(Op::FMul, 1)]
}

#[test]
fn a_product_is_scaled_with_what_is_added() {
    for (k, c, rest) in [(2.0, -1.0, -0.5), (-2.0, 1.0, -0.5), (0.25, 3.0, 12.0)] {
        let mut f = sum(k, c, FpFlags::CONTRACT, false);
        assert_eq!(run(&mut f), 1);
        assert_eq!(constants(&f), [rest, k]);
        // Nothing is left to do.
        assert_eq!(run(&mut f), 0);
    }
}

#[test]
fn other_factors_readers_and_licences_keep_it() {
    assert_eq!(run(&mut sum(3.0, 1.0, FpFlags::CONTRACT, false)), 0);
    assert_eq!(run(&mut sum(1.0, 1.0, FpFlags::CONTRACT, false)), 0);
    assert_eq!(run(&mut sum(2.0, 0.0, FpFlags::CONTRACT, false)), 0, "a zero is no number of that many digits");
    assert_eq!(run(&mut sum(2.0, 1e-38, FpFlags::CONTRACT, false)), 0, "a denormal loses digits");
    assert_eq!(run(&mut sum(2.0, 1.0, FpFlags::NONE, false)), 0, "rounded twice");
    assert_eq!(run(&mut sum(2.0, 1.0, FpFlags::CONTRACT, true)), 0, "read again");
}
