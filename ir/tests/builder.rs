//! Tests of `ir/src/builder.rs`.

use gpucc_ir::builder::*;
use gpucc_ir::edges::*;
use gpucc_ir::function::Function;
use gpucc_ir::inst::*;
use gpucc_ir::ops::Op;
use gpucc_ir::types::Type;

#[test]
fn a_loop_with_block_parameters() {
    let mut f = Function::new("sum");
    let n = {
        let e = f.entry();
        f.add_param(e, Type::I32)
    };
    f.ret.push(Type::I32);
    let entry = f.entry();
    let (head, cont, done) = (f.add_block(), f.add_block(), f.add_block());
    let i = f.add_param(head, Type::I32);
    let s = f.add_param(head, Type::I32);
    let (zero, one) = (f.iconst(Type::I32, 0), f.iconst(Type::I32, 1));
    assert_eq!(zero, f.zero(Type::I32));
    let mut b = Builder::new(&mut f, entry);
    b.jump(head, &[zero, zero]);
    b.set_loop(head, done, cont);
    b.switch_to(head);
    let c = b.icmp(IntCc::Ult, i, n);
    b.br(c, Edge::to(cont), Edge::to(done), None);
    b.switch_to(cont);
    let s2 = b.iadd(s, i);
    let i2 = b.iadd(i, one);
    b.jump(head, &[i2, s2]);
    b.switch_to(done);
    b.ret(&[s]);
    assert_eq!(f.ty(c), Type::B1);
    assert_eq!(f.succs(head).as_slice(), &[cont, done]);
    let preds = f.preds();
    assert_eq!(preds[head], [entry, cont]);
    assert_eq!(f.const_int(one), Some(1));
    assert_eq!(f.def_op(s2, Op::IAdd).map(|d| d.args[0]), Some(s));
}

#[test]
fn constants_fold_through_lane_helpers() {
    let mut f = Function::new("k");
    let e = f.entry();
    let h = f.fconst(Type::F32, 0.5);
    let mut b = Builder::new(&mut f, e);
    let v = b.splat(h, 3);
    assert_eq!(b.extract(v, 2), h);
    assert!(b.func.blocks[e].insts.is_empty());
}
