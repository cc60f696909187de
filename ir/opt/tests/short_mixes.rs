//! Tests of `ir/opt/src/short_mixes.rs`.

use crate::testing::changes;
use gpucc_ir::{Builder, FpFlags, Function, Mem, Op, Place, Res, Type, Value};
use gpucc_opt::{Caps, short_mixes};

fn run(f: &mut Function, short_mixes: bool) -> u64 {
    changes(short_mixes::run, f, &Caps { short_mixes, ..Caps::FULL })
}

const LICENCE: FpFlags = FpFlags::LOOSE.with(FpFlags::REASSOC);

fn word(b: &mut Builder<'_>, at: u32) -> Value {
    b.load(Type::F32, Mem::new(Place::Buffer(Res(0)), at, 4), None)
}

/// `x * (1 - t) + y * t` for each of two pairs; `more` may read the rest as well.
fn mixes(fp: FpFlags, more: impl Fn(&mut Builder<'_>, Value)) -> Function {
    let mut f = Function::new("main");
    let block = f.entry();
    let mut b = Builder::new(&mut f, block);
    let [t, x, y, z, w] = [0, 4, 8, 12, 16].map(|at| word(&mut b, at));
    b.fp = fp;
    let one = b.func.fconst(Type::F32, 1.0);
    let rest = b.fsub(one, t);
    for (at, [from, to]) in [(32, [x, y]), (36, [z, w])] {
        let (first, second) = (b.fmul(rest, from), b.fmul(to, t));
        let sum = b.fadd(second, first);
        b.store(sum, Mem::new(Place::Buffer(Res(0)), at, 4), None);
    }
    more(&mut b, rest);
    b.ret(&[]);
    f
}

#[test]
fn a_mix_is_a_step_from_one_end() {
    let mut f = mixes(LICENCE, |_, _| ());
    assert_eq!(run(&mut f, true), 2);
    let values: Vec<Value> =
        f.insts_in_order().filter(|(_, i)| f.insts[*i].op == Op::Load).map(|(_, i)| f.insts[i].result()).collect();
    let stored: Vec<Value> =
        f.insts_in_order().filter(|(_, i)| f.insts[*i].op == Op::Store).map(|(_, i)| f.insts[i].args[0]).collect();
    for (sum, [from, to]) in stored.iter().zip([[values[1], values[2]], [values[3], values[4]]]) {
        let sum = f.def_op(*sum, Op::FAdd).unwrap();
        let part = f.def_op(sum.args[0], Op::FMul).unwrap();
        let step = f.def_op(part.args[0], Op::FSub).unwrap();
        assert_eq!((sum.args[1], part.args[1], &step.args[..]), (from, values[0], &[to, from][..]));
    }
}

#[test]
fn other_sums_and_other_readers_stay() {
    assert_eq!(run(&mut mixes(LICENCE, |_, _| ()), false), 0);
    // A sum of the source, and one that keeps infinities.
    for fp in [FpFlags::LOOSE, FpFlags::CONTRACT.with(FpFlags::REASSOC), FpFlags::NONE] {
        assert_eq!(run(&mut mixes(fp, |_, _| ()), true), 0);
    }
    // The rest is wanted anyway.
    let stores = |b: &mut Builder<'_>, rest: Value| {
        b.store(rest, Mem::new(Place::Buffer(Res(0)), 40, 4), None);
    };
    assert_eq!(run(&mut mixes(LICENCE, stores), true), 0);
    // Two constants are the business of another pass.
    let mut f = Function::new("main");
    let block = f.entry();
    let mut b = Builder::new(&mut f, block);
    let t = word(&mut b, 0);
    b.fp = LICENCE;
    let [one, x, y] = [1.0, 0.25, 0.5].map(|c| b.func.fconst(Type::F32, c));
    let rest = b.fsub(one, t);
    let (first, second) = (b.fmul(rest, x), b.fmul(y, t));
    let sum = b.fadd(first, second);
    b.store(sum, Mem::new(Place::Buffer(Res(0)), 8, 4), None);
    b.ret(&[]);
    assert_eq!(run(&mut f, true), 0);
    // A product with it is wanted for more than the sum.
    let alone = |b: &mut Builder<'_>, rest: Value| {
        let p = b.fmul(rest, rest);
        b.store(p, Mem::new(Place::Buffer(Res(0)), 40, 4), None);
    };
    assert_eq!(run(&mut mixes(LICENCE, alone), true), 0);
}
