//! Tests of `ir/opt/src/sink_sums.rs`.

use crate::testing::changes;
use gpucc_ir::{Builder, Edge, FpFlags, Function, Mem, Op, Place, Res, Type, Value};
use gpucc_opt::{Caps, sink_sums};

fn run(f: &mut Function) -> u64 {
    changes(sink_sums::run, f, &Caps::FULL)
}

/// A branch whose first arm gives a product, whose second gives `other`, and what `join` makes of that and a value from before.
fn build(other: f32, join: impl Fn(&mut Builder<'_>, Value, Value) -> Vec<Value>) -> Function {
    let mut f = Function::new("main");
    let (yes, no, end) = (f.add_block(), f.add_block(), f.add_block());
    let entry = f.entry();
    let p = f.add_param(end, Type::F32);
    let mut b = Builder::new(&mut f, entry);
    let x = b.load(Type::F32, Mem::new(Place::Buffer(Res(0)), 0, 4), None);
    let zero = b.func.fconst(Type::F32, 0.0);
    let c = b.fcmp(gpucc_ir::FloatCc::Olt, x, zero);
    b.br(c, Edge::with(yes, &[]), Edge::with(no, &[]), Some(end));
    let mut b = Builder::new(&mut f, yes);
    let y = b.fmul(x, x);
    b.jump(end, &[y]);
    let other = f.fconst(Type::F32, other);
    Builder::new(&mut f, no).jump(end, &[other]);
    let mut b = Builder::new(&mut f, end);
    b.fp = FpFlags::NSZ;
    for (k, v) in join(&mut b, x, p).into_iter().enumerate() {
        b.store(v, Mem::new(Place::Buffer(Res(0)), 8 + 4 * k as u32, 4), None);
    }
    b.ret(&[]);
    f
}

/// In which block the operation stands, by place in the layout.
fn home(f: &Function, op: Op) -> Vec<usize> {
    let at = |(b, i)| (f.insts[i].op == op).then(|| f.layout.iter().position(|&x| x == b).unwrap());
    f.insts_in_order().filter_map(at).collect()
}

#[test]
fn a_sum_with_zero_is_made_where_there_is_more() {
    let mut f = build(0.0, |b, x, p| vec![b.fadd(x, p)]);
    assert_eq!(run(&mut f), 1);
    assert_eq!(home(&f, Op::FAdd), [1]);
    let mut f = build(1.0, |b, x, p| vec![b.fmul(p, x)]);
    assert_eq!(run(&mut f), 1);
    assert_eq!(home(&f, Op::FMul), [1, 1]);
}

#[test]
fn other_values_and_readers_keep_it() {
    // Not neutral.
    assert_eq!(run(&mut build(1.0, |b, x, p| vec![b.fadd(x, p)])), 0);
    assert_eq!(run(&mut build(0.0, |b, x, p| vec![b.fsub(p, x)])), 0);
    // Read twice.
    assert_eq!(run(&mut build(0.0, |b, x, p| vec![b.fadd(x, p), p])), 0);
    assert_eq!(run(&mut build(0.0, |b, _, p| vec![b.fadd(p, p)])), 0);
    // The other operand is made behind.
    assert_eq!(
        run(&mut build(0.0, |b, x, p| {
            let y = b.fadd(x, x);
            vec![b.fadd(y, p)]
        })),
        0
    );
    // The sign of the zero matters.
    assert_eq!(
        run(&mut build(0.0, |b, x, p| {
            b.fp = FpFlags::NONE;
            vec![b.fadd(x, p)]
        })),
        0
    );
}
