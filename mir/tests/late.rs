//! Moves of constants become constants; what is read stays.

use crate::toy::{Op, Toy, preg};
#[allow(dead_code, reason = "each test uses its part of the machine")]
use gpucc_mir::{BlockId, Def, MFunc, MInst, Use, fold_moves};

fn li(r: u16, k: u32) -> MInst<Toy> {
    MInst::new(Op::Li).def(Def::preg(preg(0, r))).imm(k)
}

fn mov(d: u16, s: u16) -> MInst<Toy> {
    MInst::new(Op::Mov).def(Def::preg(preg(0, d))).arg(Use::preg(preg(0, s)))
}

fn out(r: u16) -> MInst<Toy> {
    MInst::new(Op::Out).arg(Use::preg(preg(0, r)))
}

fn run(insts: Vec<MInst<Toy>>) -> Vec<MInst<Toy>> {
    let t = Toy::new(8);
    let mut f = MFunc::new("f");
    let b = f.block();
    *f.list(b) = insts;
    f.list(b).push(MInst::new(Op::End));
    fold_moves(&mut f, &t);
    f.list(b).pop();
    f.code.remove(0)
}

#[test]
fn a_copied_constant_is_made_in_place() {
    assert_eq!(run(vec![li(0, 7), mov(3, 0), out(3)]), [li(3, 7), out(3)]);
}

#[test]
fn a_constant_that_is_read_stays() {
    assert_eq!(run(vec![li(0, 7), mov(3, 0), out(3), out(0)]), [li(0, 7), li(3, 7), out(3), out(0)]);
}

#[test]
fn what_was_overwritten_is_no_constant() {
    let add = MInst::new(Op::Add).def(Def::preg(preg(0, 0))).arg(Use::preg(preg(0, 1))).arg(Use::preg(preg(0, 1)));
    let code = vec![li(1, 1), li(0, 7), out(0), add, mov(3, 0), out(3)];
    assert_eq!(run(code.clone()), code);
}

/// A branch that some lanes take may stand within a block: its label moves with its target like all others.
#[test]
fn labels_within_a_block_are_retargeted() {
    let mut f: MFunc<Toy> = MFunc::new("f");
    let b: Vec<BlockId> = (0..3).map(|_| f.block()).collect();
    *f.list(b[0]) = vec![MInst::new(Op::Br).arg(b[1]), li(0, 7), MInst::new(Op::Jmp).arg(b[2])];
    let new = f.reorder(&[b[0], b[2], b[1]]);
    assert_eq!(new, [BlockId(0), BlockId(2), BlockId(1)]);
    let labels: Vec<BlockId> = gpucc_mir::labels(&f.code[0]).collect();
    assert_eq!(labels, [BlockId(2), BlockId(1)]);
}
