//! Tests that coalescing leaves no copy where none is needed.

use crate::toy::{F, Op, R, Toy, preg};
#[allow(dead_code, reason = "each test uses its part of the machine")]
use gpucc_mir::{
    AllocOptions, Class, ClassInfo, Def, MEdge, MFunc, MInst, Pseudo, Shape, Target, Use, VReg, allocate, print,
};

/// A staging run of four from an even register.
const Q: Class = Class(3);

fn toy() -> Toy {
    let mut t = Toy::new(24);
    t.classes.push(ClassInfo { name: "q", file: 0, shape: Shape::aligned(4, 2) });
    t
}

struct Code<'a> {
    t: &'a Toy,
    f: MFunc<Toy>,
}

impl<'a> Code<'a> {
    fn new(t: &'a Toy) -> Self {
        let mut f = MFunc::new("t");
        f.block();
        Code { t, f }
    }
    fn push(&mut self, i: MInst<Toy>) {
        self.f.code.last_mut().expect("a block").push(i);
    }
    fn op(&mut self, op: Op, c: Class, args: &[VReg]) -> VReg {
        let d = self.f.vreg(c);
        self.push(MInst::new(op).def(d).args(args.iter().map(|&a| Use::reg(a))));
        d
    }
    fn li(&mut self, k: u32) -> VReg {
        let d = self.f.vreg(R);
        self.push(MInst::new(Op::Li).def(d).imm(k));
        d
    }
    fn collect(&mut self, parts: &[VReg]) -> VReg {
        let d = self.f.vreg(Q);
        self.push(MInst::collect(d, parts.iter().map(|&a| Use::reg(a))));
        d
    }
    fn moves(mut self) -> u32 {
        self.push(MInst::new(Op::End));
        let before = print(&self.f, self.t);
        self.f.split_critical_edges(self.t);
        let s = allocate(&mut self.f, self.t, &AllocOptions::default()).expect("allocates");
        if s.moves > 0 {
            println!("{before}\n{}", print(&self.f, self.t));
        }
        s.moves
    }
}

/// Four results computed into the run that stores them.
#[test]
fn collected_results_are_computed_in_place() {
    let t = toy();
    let mut c = Code::new(&t);
    let (a, b) = (c.li(1), c.li(2));
    let parts: Vec<VReg> = (0..4).map(|_| c.op(Op::Add, R, &[a, b])).collect();
    let q = c.collect(&parts);
    c.push(MInst::new(Op::St).arg(q).imm(0));
    c.push(MInst::new(Op::Out).arg(a));
    assert_eq!(c.moves(), 0);
}

/// The same, with other work in between that wants registers too.
#[test]
fn groups_keep_their_room() {
    let t = toy();
    let mut c = Code::new(&t);
    let (a, b) = (c.li(1), c.li(2));
    let mut parts = Vec::new();
    for _ in 0..4 {
        parts.push(c.op(Op::Add, R, &[a, b]));
        for _ in 0..3 {
            let x = c.op(Op::Mul, R, &[a, b]);
            let y = c.op(Op::Mul, R, &[x, b]);
            c.push(MInst::new(Op::Out).arg(y));
        }
    }
    let q = c.collect(&parts);
    c.push(MInst::new(Op::St).arg(q).imm(0));
    assert_eq!(c.moves(), 0);
}

/// A loaded run is taken apart, computed with, and put together again.
#[test]
fn load_compute_store() {
    let t = toy();
    let mut c = Code::new(&t);
    let k = c.li(7);
    for n in 0..5 {
        let q = c.f.vreg(Q);
        c.push(MInst::new(Op::Ld).def(q).imm(4 * n));
        let parts: Vec<VReg> = (0..4).map(|_| c.f.vreg(R)).collect();
        c.push(MInst::split(&parts, q));
        let sums: Vec<VReg> = parts.iter().map(|&p| c.op(Op::Add, R, &[p, k])).collect();
        let r = c.collect(&sums);
        c.push(MInst::new(Op::St).arg(r).imm(4 * n));
    }
    assert_eq!(c.moves(), 0);
}

/// Accumulators of a loop stay where they are, whatever preloads and outputs are fixed around it.
#[test]
fn loop_accumulators_stay() {
    let t = toy();
    let mut c = Code::new(&t);
    let (x, y) = (c.f.vreg(R), c.f.vreg(R));
    c.push(MInst::pseudo(Pseudo::Start).def(Def::reg(x).at(preg(0, 2))).def(Def::reg(y).at(preg(0, 3))));
    let init: Vec<VReg> = (0..4).map(|k| c.li(k)).collect();
    let head = c.f.block();
    let jump = t.jump(head);
    c.f.code[0].push(jump);
    c.f.blocks[0].succs = smallvec::smallvec![MEdge { to: head, args: init.into() }];
    let params: Vec<VReg> = (0..4).map(|_| c.f.vreg(R)).collect();
    c.f.at(head).params = params.clone().into();
    let s = c.op(Op::Mac, R, &[params[1], params[0], y]);
    let d = &mut c.f.list(head).last_mut().expect("mac").defs[0];
    *d = d.tied(0);
    let i = c.op(Op::Add, R, &[params[0], x]);
    let u = c.op(Op::Xor, R, &[params[2], s]);
    let w = c.op(Op::Add, R, &[params[3], u]);
    let f = c.op(Op::Lt, F, &[i, y]);
    let (back, exit) = (c.f.block(), c.f.block());
    c.f.list(head).push(MInst::new(Op::Br).arg(f).arg(back));
    c.f.list(head).push(t.jump(exit));
    c.f.at(head).succs = smallvec::smallvec![MEdge::to(back), MEdge::to(exit)];
    c.f.list(back).push(t.jump(head));
    c.f.at(back).succs = smallvec::smallvec![MEdge { to: head, args: smallvec::smallvec![i, s, u, w] }];
    c.push(MInst::new(Op::Out).arg(w));
    assert_eq!(c.moves(), 0);
}

/// Both arms of a branch compute into the register of the parameter.
#[test]
fn arms_meet_in_one_register() {
    let t = toy();
    let mut c = Code::new(&t);
    let (a, b) = (c.li(1), c.li(2));
    for _ in 0..4 {
        let f = c.op(Op::Lt, F, &[a, b]);
        let here = c.f.blocks.len() - 1;
        let (one, two, join) = (c.f.block(), c.f.block(), c.f.block());
        c.f.code[here].push(MInst::new(Op::Br).arg(f).arg(one));
        c.f.code[here].push(t.jump(two));
        c.f.blocks[here].succs = smallvec::smallvec![MEdge::to(one), MEdge::to(two)];
        for arm in [one, two] {
            let (d, e) = (c.f.vreg(R), c.f.vreg(R));
            c.f.list(arm).push(MInst::new(Op::Add).def(d).arg(a).arg(b));
            c.f.list(arm).push(MInst::new(Op::Mul).def(e).arg(d).arg(b));
            c.f.list(arm).push(t.jump(join));
            c.f.at(arm).succs = smallvec::smallvec![MEdge { to: join, args: smallvec::smallvec![e] }];
        }
        let p = c.f.vreg(R);
        c.f.at(join).params = smallvec::smallvec![p];
        c.push(MInst::new(Op::Out).arg(p));
    }
    c.push(MInst::new(Op::Out).arg(a));
    c.push(MInst::new(Op::Out).arg(b));
    assert_eq!(c.moves(), 0);
}

/// A value that lives on after it was collected needs its copy; nothing else does.
#[test]
fn one_copy_for_a_shared_part() {
    let t = toy();
    let mut c = Code::new(&t);
    let (a, b) = (c.li(1), c.li(2));
    let parts: Vec<VReg> = (0..4).map(|_| c.op(Op::Add, R, &[a, b])).collect();
    let q = c.collect(&parts);
    c.push(MInst::new(Op::St).arg(q).imm(0));
    c.push(MInst::new(Op::Out).arg(parts[2]));
    assert!(c.moves() <= 1);
}

/// Two runs share three of their parts.
#[test]
fn shared_parts_are_copied_once() {
    let t = toy();
    let mut c = Code::new(&t);
    let (a, b) = (c.li(1), c.li(2));
    let parts: Vec<VReg> = (0..5).map(|_| c.op(Op::Add, R, &[a, b])).collect();
    let q = c.collect(&parts[..4]);
    c.push(MInst::new(Op::St).arg(q).imm(0));
    let r = c.collect(&[parts[1], parts[2], parts[3], parts[4]]);
    c.push(MInst::new(Op::St).arg(r).imm(4));
    // Three that live on move away; the second run then takes them all.
    assert!(c.moves() <= 6);
}
