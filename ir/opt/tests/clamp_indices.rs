//! Tests of `ir/opt/src/clamp_indices.rs`.

use crate::testing::changes;
use gpucc_ir::{Builder, Mem, Place, Res};
use gpucc_ir::{Function, Op, Type, Value};
use gpucc_opt::Caps;
use gpucc_opt::clamp_indices::{self, scaled};

fn run(f: &mut Function) -> u64 {
    changes(clamp_indices::run, f, &Caps::FULL)
}

fn build(op: impl Fn(&mut Builder<'_>, Value, Value) -> Value) -> Function {
    let mut f = Function::new("main");
    let block = f.entry();
    let mut b = Builder::new(&mut f, block);
    let x = b.sysval(gpucc_ir::Sysval::LocalInvocationIndex);
    let four = b.func.iconst(Type::I32, 4);
    let len = b.buffer_length(Res(0));
    let limit = b.isub(len, four);
    let at = op(&mut b, x, limit);
    let m = Mem::new(Place::Buffer(Res(0)), 0, 4);
    b.store(x, m, Some(at));
    b.ret(&[]);
    f
}

#[test]
fn clamps_the_index() {
    let mut f = build(|b, x, limit| {
        let two = b.func.iconst(Type::I32, 2);
        let s = b.shl(x, two);
        b.umin(s, limit)
    });
    assert_eq!(run(&mut f), 1);
    let store = f.insts_in_order().find(|(_, i)| f.insts[*i].op == Op::Store).unwrap().1;
    let at = f.insts[store].dyn_offset().unwrap();
    assert!(scaled(&f, at).is_some());
}

#[test]
fn leaves_other_offsets_alone() {
    let mut f = build(|b, x, limit| b.umin(x, limit));
    assert_eq!(run(&mut f), 0);
}
