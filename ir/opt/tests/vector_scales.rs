//! Tests of `ir/opt/src/vector_scales.rs`.

use crate::testing::changes;
use gpucc_ir::{Builder, Edge, FloatCc, FpFlags, Function, Mem, Op, Place, Res, Type, Value};
use gpucc_opt::{Caps, OpSet, vector_scales};

fn caps() -> Caps {
    Caps { scalar: true, expand: OpSet::of(&[Op::FDot]), ..Caps::FULL }
}

/// Stores what `make` makes of two vectors and two numbers.
fn build(fp: FpFlags, make: impl Fn(&mut Builder<'_>, [Value; 2], [Value; 2]) -> Vec<Value>) -> Function {
    let mut f = Function::new("main");
    let block = f.entry();
    let mut b = Builder::new(&mut f, block);
    let at = |k: u32| Mem::new(Place::Buffer(Res(0)), 16 * k, 4);
    let v = [0, 1].map(|k| b.load(Type::F32.with_lanes(3), at(k), None));
    let s = [2, 3].map(|k| b.load(Type::F32, at(k), None));
    b.fp = fp;
    for (k, v) in make(&mut b, v, s).into_iter().enumerate() {
        b.store(v, at(4 + k as u32), None);
    }
    b.ret(&[]);
    f
}

fn scaled(b: &mut Builder<'_>, v: Value, s: Value) -> Value {
    let s = b.splat(s, 3);
    b.fmul(v, s)
}

/// Products of vectors and of numbers that are read or stored.
fn products(f: &Function) -> [usize; 2] {
    let mut live = vec![];
    let mut work: Vec<Value> = vec![];
    for (_, i) in f.insts_in_order().filter(|(_, i)| f.insts[*i].op == Op::Store) {
        work.extend(f.insts[i].args.iter().copied());
    }
    while let Some(v) = work.pop() {
        let Some(i) = f.def_inst(v).filter(|i| !live.contains(i)) else { continue };
        live.push(i);
        work.extend(f.insts[i].args.iter().copied());
    }
    let all = || live.iter().map(|&i| &f.insts[i]).filter(|d| d.op == Op::FMul);
    [true, false].map(|wide| all().filter(|d| f.ty(d.result()).is_vector() == wide).count())
}

type Made = fn(&mut Builder<'_>, [Value; 2], [Value; 2]) -> Vec<Value>;

/// A vector that is scaled twice.
const TWICE: Made = |b, [v, _], [s, t]| {
    let p = scaled(b, v, s);
    vec![scaled(b, p, t)]
};

/// A dot product of a scaled vector.
const DOT: Made = |b, [v, w], [s, _]| {
    let p = scaled(b, v, s);
    vec![b.fdot(w, p)]
};

#[test]
fn numbers_are_multiplied_with_each_other() {
    let mut f = build(FpFlags::LOOSE, TWICE);
    assert_eq!(changes(vector_scales::run, &mut f, &caps()), 1);
    assert_eq!(products(&f), [1, 1]);
    // Around another vector, and with a constant.
    let mut f = build(FpFlags::LOOSE, |b, [v, w], [s, _]| {
        let p = scaled(b, v, s);
        let q = b.fmul(p, w);
        let half = b.func.fconst(Type::F32.with_lanes(3), 0.5);
        vec![b.fmul(q, half)]
    });
    assert_eq!(changes(vector_scales::run, &mut f, &caps()), 1);
    assert_eq!(products(&f), [2, 1]);
}

#[test]
fn a_dot_product_is_scaled_instead_of_its_operands() {
    let mut f = build(FpFlags::LOOSE, DOT);
    assert_eq!(changes(vector_scales::run, &mut f, &caps()), 1);
    assert_eq!(products(&f), [0, 1]);
    let mut f = build(FpFlags::LOOSE, |b, [v, w], [s, t]| {
        let (p, q) = (scaled(b, v, s), scaled(b, w, t));
        vec![b.fdot(p, q), b.fdot(p, v)]
    });
    assert_eq!(changes(vector_scales::run, &mut f, &caps()), 3);
    assert_eq!(products(&f), [0, 3]);
}

#[test]
fn what_others_read_or_is_no_gain_or_has_no_licence_stays() {
    for make in [TWICE, DOT] {
        assert_eq!(changes(vector_scales::run, &mut build(FpFlags::CONTRACT, make), &caps()), 0);
        assert_eq!(changes(vector_scales::run, &mut build(FpFlags::LOOSE, make), &Caps { scalar: false, ..caps() }), 0);
    }
    let stays: [Made; 4] = [
        |b, [v, _], [s, t]| {
            let p = scaled(b, v, s);
            vec![scaled(b, p, t), p]
        },
        |b, [v, w], [s, _]| {
            let p = scaled(b, v, s);
            vec![b.fdot(p, w), p]
        },
        // As many products as before.
        |b, [v, w], [s, _]| {
            let p = scaled(b, v, s);
            let sum = b.fadd(v, w);
            vec![b.fdot(p, w), b.fdot(p, v), b.fdot(p, sum)]
        },
        // The square of a scaled vector.
        |b, [v, _], [s, _]| {
            let p = scaled(b, v, s);
            vec![b.fdot(p, p)]
        },
    ];
    for make in stays {
        assert_eq!(changes(vector_scales::run, &mut build(FpFlags::LOOSE, make), &caps()), 0);
    }
}

#[test]
fn what_is_made_in_front_of_a_loop_stays_there() {
    let in_loop = |varies: bool| {
        let mut f = build(FpFlags::LOOSE, |b, [v, w], [s, t]| vec![scaled(b, v, s), scaled(b, w, t)]);
        let entry = f.entry();
        let list: Vec<Value> = f.insts_in_order().filter_map(|(_, i)| f.insts[i].results.first()).collect();
        let [v, _, s, t] = [0, 1, 2, 3].map(|k| list[k]);
        let end = f.blocks[entry].insts.pop().unwrap();
        let (body, out) = (f.add_block(), f.add_block());
        let n = f.add_param(body, Type::F32);
        let mut b = Builder::new(&mut f, entry);
        b.jump(body, &[s]);
        let mut b = Builder::new(&mut f, body);
        b.fp = FpFlags::LOOSE;
        let p = scaled(&mut b, v, if varies { n } else { t });
        let q = scaled(&mut b, p, n);
        b.store(q, Mem::new(Place::Buffer(Res(0)), 128, 4), None);
        let more = b.fcmp(FloatCc::Olt, n, t);
        b.br(more, Edge::with(body, &[n]), Edge::with(out, &[]), None);
        b.set_loop(body, out, body);
        f.blocks[out].insts.push(end);
        f
    };
    assert_eq!(changes(vector_scales::run, &mut in_loop(true), &caps()), 1);
    assert_eq!(changes(vector_scales::run, &mut in_loop(false), &caps()), 0);
}
