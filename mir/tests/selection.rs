//! Selection from IR through allocation to execution on the toy machine.

use crate::toy::{F, Machine, Op, R, Toy, preg};
#[allow(dead_code, reason = "each test uses its part of the machine")]
use gpucc_ir::{Builder, Diagnostic, Edge, Function, Inst, IntCc, Op as Ir, Type, Value};
use gpucc_mir::{
    AllocOptions, Cfg, Def, Lower, MInst, Pseudo, Repr, Select, Target, Use, VReg, allocate, copy_prop, dce, print,
    select,
};

/// Parameters of the function arrive in r2, r3, ...; `ret` outputs its operands.
struct Isel<'a> {
    t: &'a Toy,
    /// Instructions that `inst` saw.
    seen: Vec<Ir>,
    params: Vec<Value>,
}

impl Lower<Toy> for Isel<'_> {
    fn repr(&mut self, f: &Function, v: Value) -> Repr {
        Repr { class: if f.ty(v) == Type::B1 { F } else { R }, count: f.ty(v).lanes() as u8 }
    }

    fn inst(&mut self, cx: &mut Select<'_, Toy>, i: Inst) -> Result<(), Diagnostic> {
        let d = cx.data(i);
        self.seen.push(d.op);
        let dst = cx.result(i, 0);
        match d.op {
            Ir::IAdd => {
                for lane in 0..dst.len() {
                    let a = cx.regs(d.args[0])[lane];
                    if let Some(m) = cx.fold_op(d.args[1], Ir::IMul) {
                        let (x, y) = (cx.regs(m.args[0])[lane], cx.regs(m.args[1])[lane]);
                        cx.emit(MInst::new(Op::Mac).def(Def::reg(dst[lane]).tied(0)).arg(a).arg(x).arg(y));
                        continue;
                    }
                    let b = match cx.const_bits(d.args[1]) {
                        Some(k) => Use::imm(k as u32),
                        None => cx.regs(d.args[1])[lane].into(),
                    };
                    cx.emit(MInst::new(Op::Add).def(dst[lane]).arg(a).arg(b));
                }
            }
            Ir::IMul | Ir::Xor => {
                let op = if d.op == Ir::IMul { Op::Mul } else { Op::Xor };
                for lane in 0..dst.len() {
                    let (a, b) = (cx.regs(d.args[0])[lane], cx.regs(d.args[1])[lane]);
                    cx.emit(MInst::new(op).def(dst[lane]).arg(a).arg(b));
                }
            }
            Ir::ICmp => {
                let (a, b) = (cx.reg(d.args[0]), cx.reg(d.args[1]));
                cx.emit(MInst::new(Op::Lt).def(dst[0]).arg(a).arg(b));
            }
            Ir::Compose => {
                for (lane, &a) in d.args.iter().enumerate() {
                    let a = cx.reg(a);
                    cx.emit(MInst::copy(dst[lane], a));
                }
            }
            op => panic!("{op}"),
        }
        Ok(())
    }

    fn terminator(&mut self, cx: &mut Select<'_, Toy>, i: Inst) -> Result<(), Diagnostic> {
        let d = cx.data(i);
        match &d.attr {
            gpucc_ir::Attr::Branch(b) if b.is_jump() => cx.jump_to(self.t, b.then()),
            gpucc_ir::Attr::Branch(_) => {
                let f = cx.reg(d.args[0]);
                let [then, other] = d.as_br().expect("a branch");
                let (a, b) = (cx.edge(then), cx.edge(other));
                cx.emit(MInst::new(Op::Br).arg(f).arg(a.to));
                cx.emit(self.t.jump(b.to));
                cx.set_succs(Cfg::Logical, [a, b]);
            }
            _ => {
                for &v in &d.args {
                    for r in cx.regs(v) {
                        cx.emit(MInst::new(Op::Out).arg(r));
                    }
                }
                cx.emit(MInst::new(Op::End));
            }
        }
        Ok(())
    }

    fn constant(&mut self, cx: &mut Select<'_, Toy>, v: Value, into: &[VReg]) -> Result<(), Diagnostic> {
        let c = cx.f.as_const(v).expect("a constant");
        for (&r, &bits) in into.iter().zip(&c.bits) {
            cx.emit(MInst::new(Op::Li).def(r).imm(bits as u32));
        }
        Ok(())
    }

    fn entry(&mut self, cx: &mut Select<'_, Toy>) -> Result<(), Diagnostic> {
        let mut start = MInst::pseudo(Pseudo::Start);
        for (k, &v) in self.params.iter().enumerate() {
            if cx.is_used(v) {
                let r = cx.reg(v);
                start = start.def(Def::reg(r).at(preg(0, 2 + k as u16)));
            }
        }
        cx.emit(start);
        Ok(())
    }
}

fn run(f: &Function, regs: u16, preload: &[u32]) -> (Vec<u32>, Vec<Ir>, String) {
    let t = Toy::new(regs);
    let mut isel = Isel { t: &t, seen: vec![], params: f.params().to_vec() };
    let mut mf = select(f, &mut isel).expect("selects");
    copy_prop(&mut mf, &t);
    dce(&mut mf, &t);
    let dump = print(&mf, &t);
    mf.split_critical_edges(&t);
    allocate(&mut mf, &t, &AllocOptions::default()).expect("allocates");
    let mut m = Machine::new(&t, &mf);
    m.preload(preload);
    m.run(&mf, 100_000).unwrap_or_else(|e| panic!("{e}\n{}", print(&mf, &t)));
    (m.out, isel.seen, dump)
}

/// `sum = 0; for (i = 0; i < n; i++) { sum += i * i; (x, y) = (y, x ^ i) }; out sum, x, y`
fn loop_function() -> Function {
    let mut f = Function::new("squares");
    let entry = f.entry();
    let n = f.add_param(entry, Type::I32);
    let (head, body, done) = (f.add_block(), f.add_block(), f.add_block());
    let p: Vec<Value> = (0..4).map(|_| f.add_param(head, Type::I32)).collect();
    let (i, sum, x, y) = (p[0], p[1], p[2], p[3]);
    let (zero, one, seven) = (f.iconst(Type::I32, 0), f.iconst(Type::I32, 1), f.iconst(Type::I32, 7));
    let mut b = Builder::new(&mut f, entry);
    b.jump(head, &[zero, zero, one, seven]);
    b.switch_to(head);
    let c = b.icmp(IntCc::Ult, i, n);
    b.br(c, Edge::to(body), Edge::to(done), None);
    b.switch_to(body);
    let sq = b.op(Ir::IMul, &[i, i]);
    let unused = b.op(Ir::IMul, &[sq, n]);
    let _ = b.op(Ir::Xor, &[unused, n]);
    let s = b.op(Ir::IAdd, &[sum, sq]);
    let z = b.op(Ir::Xor, &[x, i]);
    let i1 = b.op(Ir::IAdd, &[i, one]);
    b.jump(head, &[i1, s, y, z]);
    b.switch_to(done);
    b.ret(&[sum, x, y]);
    f
}

#[test]
fn loop_with_swapped_parameters() {
    let (mut sum, mut x, mut y) = (0u32, 1u32, 7u32);
    for i in 0..11u32 {
        sum += i * i;
        (x, y) = (y, x ^ i);
    }
    let (out, ..) = run(&loop_function(), 8, &[11]);
    assert_eq!(out, [sum, x, y]);
}

#[test]
fn what_nobody_asks_for_is_not_emitted() {
    let (_, seen, dump) = run(&loop_function(), 8, &[3]);
    // `sq` has two users in the IR, one of them dead: it is emitted once; the dead chain never is.
    assert_eq!(seen.iter().filter(|&&o| o == Ir::IMul).count(), 1, "{dump}");
    assert_eq!(seen.iter().filter(|&&o| o == Ir::Xor).count(), 1, "{dump}");
}

#[test]
fn single_users_fold_their_producer() {
    let mut f = Function::new("mac");
    let entry = f.entry();
    let (a, c) = (f.add_param(entry, Type::I32), f.add_param(entry, Type::I32));
    let k = f.iconst(Type::I32, 5);
    let mut b = Builder::new(&mut f, entry);
    let m = b.op(Ir::IMul, &[c, k]);
    let s = b.op(Ir::IAdd, &[a, m]);
    let v = b.compose(&[s, k, a]);
    let w = b.op(Ir::Xor, &[v, v]);
    let u = b.op(Ir::IAdd, &[w, v]);
    b.ret(&[u]);
    let (out, seen, dump) = run(&f, 8, &[100, 7]);
    assert_eq!(out, [135, 5, 100]);
    assert!(!seen.contains(&Ir::IMul), "{dump}");
    // One register load for the constant, although it is used twice.
    assert_eq!(dump.matches("li ").count(), 1, "{dump}");
}
