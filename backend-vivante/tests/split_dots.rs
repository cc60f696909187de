//! Tests of `backend-vivante/src/split_dots.rs`.

use gpucc_ir::{Builder, Function, Mem, Module, Op, Place, Res, Type};
use gpucc_opt::{Caps, PassCx};
use gpucc_vivante::split_dots;
use gpucc_vivante_machine::{GC2000, GC3000};

/// Stores a dot product of lanes of two vectors.
fn dot(lanes: &[u8]) -> Function {
    let mut f = Function::new("main");
    let block = f.entry();
    let mut b = Builder::new(&mut f, block);
    let ty = Type::F32.with_lanes(4);
    let [x, y] = [0, 16].map(|at| b.load(ty, Mem::new(Place::Buffer(Res(0)), at, 16), None));
    let [x, y] = [x, y].map(|v| b.shuffle(v, v, lanes));
    let v = b.fdot(x, y);
    b.store(v, Mem::new(Place::Buffer(Res(0)), 32, 4), None);
    b.ret(&[]);
    f
}

/// The ops behind the pass, but for the loads and the shuffles of [`dot`], and its changes.
fn run(lanes: &[u8], generation: u8) -> (Vec<Op>, u64) {
    let mut f = dot(lanes);
    let m = Module::default();
    // The chip has no such instruction: fuel does not matter.
    let mut cx = PassCx::with_fuel(&m, &Caps::FULL, 0);
    split_dots::run(&mut f, &mut cx, generation);
    let ops: Vec<Op> = f.insts_in_order().map(|(_, i)| f.insts[i].op).skip(4).collect();
    (ops, cx.changes())
}

#[test]
fn two_lanes_are_two_products_of_lanes_of_what_was_loaded() {
    let (ops, changes) = run(&[2, 3], GC2000);
    let lanes = [Op::Extract; 2];
    let want = [&lanes[..], &[Op::FMul], &lanes, &[Op::FMul, Op::FAdd, Op::Store, Op::Ret]].concat();
    assert_eq!((ops, changes), (want, 1));
}

#[test]
fn three_lanes_and_other_chips_have_an_instruction() {
    for (lanes, generation) in [(&[2u8, 3, 0][..], GC2000), (&[2, 3], GC3000)] {
        assert_eq!(run(lanes, generation), (vec![Op::FDot, Op::Store, Op::Ret], 0));
    }
}
