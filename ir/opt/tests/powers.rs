//! Tests of `ir/opt/src/powers.rs`.

use crate::testing::changes;
use gpucc_ir::{Builder, FpFlags, Function, Mem, Op, Place, Res, Type};
use gpucc_opt::{Caps, powers};

/// Stores the power of a number by its logarithm.
fn power(fp: FpFlags, exponent: f64) -> Function {
    let mut f = Function::new("main");
    let block = f.entry();
    let mut b = Builder::new(&mut f, block);
    let word = |k: u32| Mem::new(Place::Buffer(Res(0)), 4 * k, 4);
    let x = b.load(Type::F32, word(0), None);
    b.fp = fp;
    let log = b.flog2(x);
    let n = b.func.fconst(Type::F32, exponent as f32);
    let product = b.fmul(log, n);
    let v = b.fexp2(product);
    b.store(v, word(1), None);
    b.ret(&[]);
    f
}

fn run(f: &mut Function) -> (u64, usize) {
    let n = changes(powers::run, f, &Caps::FULL);
    let products = f.insts_in_order().filter(|(_, i)| f.insts[*i].op == Op::FMul).count();
    // That with the logarithm has no readers.
    (n, products - 1)
}

#[test]
fn whole_powers_are_products() {
    for (n, products) in [(2.0, 1), (7.0, 4), (32.0, 5), (40.0, 6), (128.0, 7)] {
        assert_eq!(run(&mut power(FpFlags::CONTRACT, n)), (1, products), "{n}");
    }
}

#[test]
fn other_powers_and_long_products_stay() {
    for n in [0.0, 1.0, -2.0, 2.5, 127.0, 350.0, 256.0, f64::from(f32::MAX), f64::INFINITY, f64::NAN] {
        assert_eq!(run(&mut power(FpFlags::CONTRACT, n)).0, 0, "{n}");
    }
    assert_eq!(run(&mut power(FpFlags::NSZ, 32.0)).0, 0);
}
