//! Tests of `ir/opt/src/mixes.rs`.

use crate::testing::changes;
use gpucc_ir::{Builder, FpFlags, Function, Mem, Op, Place, Res, Type, Value};
use gpucc_opt::{Caps, mixes};

fn run(f: &mut Function) -> u64 {
    changes(mixes::run, f, &Caps::FULL)
}

const LICENCE: FpFlags = FpFlags::CONTRACT.with(FpFlags::NSZ);

/// `x * (1 - t) + y * t`, where `make` gives x and y for t.
fn mix(fp: FpFlags, make: impl Fn(&mut Builder<'_>, Value) -> [Value; 2]) -> Function {
    let mut f = Function::new("main");
    let block = f.entry();
    let mut b = Builder::new(&mut f, block);
    let t = b.load(Type::F32, Mem::new(Place::Buffer(Res(0)), 0, 4), None);
    let [x, y] = make(&mut b, t);
    b.fp = fp;
    let one = b.func.fconst(Type::F32, 1.0);
    let rest = b.fsub(one, t);
    let (first, second) = (b.fmul(rest, x), b.fmul(y, t));
    let sum = b.fadd(first, second);
    b.store(sum, Mem::new(Place::Buffer(Res(0)), 8, 4), None);
    b.ret(&[]);
    f
}

fn constants(x: f32, y: f32) -> impl Fn(&mut Builder<'_>, Value) -> [Value; 2] {
    move |b, _| [x, y].map(|v| b.func.fconst(Type::F32, v))
}

/// The factor and the summand that are left.
fn left(f: &Function) -> (f32, f32) {
    let value = |op: Op| {
        let (_, i) = f.insts_in_order().filter(|(_, i)| f.insts[*i].op == op).last().unwrap();
        f.insts[i].args.iter().find_map(|&a| f.const_bits(a)).map_or(f32::NAN, |b| f32::from_bits(b as u32))
    };
    (value(Op::FMul), value(Op::FAdd))
}

#[test]
fn two_constants_are_a_step_and_a_start() {
    for (x, y) in [(4.0, 256.0), (0.25, 0.6), (0.6, 1.0), (1.0, 0.5), (-1.0, 1.0)] {
        let mut f = mix(LICENCE, constants(x, y));
        assert_eq!(run(&mut f), 1, "{x} {y}");
        assert_eq!(left(&f), (y - x, x));
    }
}

#[test]
fn what_would_lose_digits_stays() {
    // The second constant is what is left at 1: it may not drown in the first.
    for (x, y) in [(1.0, 0.0), (1000.0, 1.0), (0.7, 0.1), (-3.0, 1.0), (f32::MAX, -f32::MAX)] {
        let mut f = mix(LICENCE, constants(x, y));
        assert_eq!(run(&mut f), 0, "{x} {y}");
    }
}

#[test]
fn exact_sums_and_other_weights_stay() {
    for fp in [FpFlags::NONE, FpFlags::CONTRACT] {
        let mut f = mix(fp, constants(0.25, 0.6));
        assert_eq!(run(&mut f), 0);
    }
    let mut f = mix(LICENCE, |b, t| [b.fmul(t, t), b.func.fconst(Type::F32, 0.5)]);
    assert_eq!(run(&mut f), 0);
}

#[test]
fn a_mix_by_fma_is_one_fma() {
    for (x, y, kept) in [(0.25, 0.6, false), (1.0, 0.5, false), (0.6, 1.0, false), (1000.0, 1.0, true)] {
        let mut f = mix(LICENCE, constants(x, y));
        let m = gpucc_ir::Module::default();
        // What multiplies by 1 is gone by then.
        for run in [gpucc_opt::algebraic::run, gpucc_opt::fuse::run] {
            run(&mut f, &mut gpucc_opt::PassCx::new(&m, &Caps { fuse_fma: true, ..Caps::FULL }));
        }
        assert_eq!(run(&mut f), u64::from(!kept), "{x} {y}");
        let (_, i) = f.insts_in_order().filter(|(_, i)| f.insts[*i].op == Op::Fma).last().unwrap();
        let bits = f.insts[i].args.iter().filter_map(|&a| f.const_bits(a)).map(|b| f32::from_bits(b as u32));
        assert_eq!(bits.collect::<Vec<_>>() == [y - x, x], !kept, "{x} {y}");
    }
}
