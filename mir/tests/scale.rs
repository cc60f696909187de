//! Large functions of many shapes are allocated. How time grows is measured by the benchmark of `tests`, and steps are counted
//! by its test `growth`.

use crate::toy::{F, Op, R, Toy, preg};
#[allow(dead_code, reason = "each test uses its part of the machine")]
use gpucc_mir::{AllocOptions, Def, MEdge, MFunc, MInst, Pseudo, Target, VReg, allocate, copy_prop, dce};

/// Straight-line code: a window of recent values.
fn straight(_: &Toy, n: usize) -> MFunc<Toy> {
    let mut f = MFunc::new("straight");
    let b = f.block();
    let mut v: Vec<VReg> = Vec::new();
    for k in 0..n {
        let d = f.vreg(R);
        let i = if k < 2 {
            MInst::new(Op::Li).def(d).imm(k as u32)
        } else {
            MInst::new(Op::Add).def(d).arg(v[k - 1]).arg(v[k - 2 - k % 12.min(k - 1)])
        };
        f.list(b).push(i);
        v.push(d);
    }
    f.list(b).push(MInst::new(Op::Out).arg(v[n - 1]));
    f.list(b).push(MInst::new(Op::End));
    f
}

/// Values defined first and used last, many more than there are registers.
fn long_ranges(_: &Toy, n: usize) -> MFunc<Toy> {
    let mut f = MFunc::new("long");
    let b = f.block();
    let v: Vec<VReg> = (0..n / 2).map(|_| f.vreg(R)).collect();
    for (k, &d) in v.iter().enumerate() {
        let i = match k {
            0 | 1 => MInst::new(Op::Li).def(d).imm(3),
            _ => MInst::new(Op::Add).def(d).arg(v[k - 1]).arg(v[k - 2]),
        };
        f.list(b).push(i);
    }
    for &d in &v {
        f.list(b).push(MInst::new(Op::Out).arg(d));
    }
    f.list(b).push(MInst::new(Op::End));
    f
}

/// `n / 8` times: an if/else or a loop around it, with parameters and values that live through everything.
fn blocks(t: &Toy, n: usize, looped: bool) -> MFunc<Toy> {
    let mut f = MFunc::new("blocks");
    let mut at = f.block();
    let through: Vec<VReg> = (0..6).map(|_| f.vreg(R)).collect();
    let mut start = MInst::pseudo(Pseudo::Start);
    start.defs.push(Def::reg(through[0]).at(preg(0, 2)));
    f.list(at).push(start);
    for (k, &d) in through.iter().enumerate().skip(1) {
        f.list(at).push(MInst::new(Op::Add).def(d).arg(through[k - 1]).imm(1));
    }
    let mut x = through[0];
    for k in 0..n / 8 {
        let c = f.vreg(F);
        f.list(at).push(MInst::new(Op::Lt).def(c).arg(x).arg(through[k % 6]));
        let (one, two, join) = (f.block(), f.block(), f.block());
        let p = f.vreg(R);
        let (a, b) = (f.vreg(R), f.vreg(R));
        if looped {
            // at -> one; one -> one' (back) | join, with `two` as the latch
            f.list(at).push(t.jump(one));
            f.at(at).succs = smallvec::smallvec![MEdge { to: one, args: smallvec::smallvec![x] }];
            f.at(one).params = smallvec::smallvec![p];
            f.list(one).push(MInst::new(Op::Add).def(a).arg(p).arg(through[1]));
            f.list(one).push(MInst::new(Op::Br).arg(c).arg(two));
            f.list(one).push(t.jump(join));
            f.at(one).succs = smallvec::smallvec![MEdge::to(two), MEdge::to(join)];
            f.list(two).push(MInst::new(Op::Add).def(b).arg(a).arg(through[2]));
            f.list(two).push(t.jump(one));
            f.at(two).succs = smallvec::smallvec![MEdge { to: one, args: smallvec::smallvec![b] }];
            x = a;
        } else {
            f.list(at).push(MInst::new(Op::Br).arg(c).arg(one));
            f.list(at).push(t.jump(two));
            f.at(at).succs = smallvec::smallvec![MEdge::to(one), MEdge::to(two)];
            for (blk, d, s) in [(one, a, 1), (two, b, 2)] {
                f.list(blk).push(MInst::new(Op::Add).def(d).arg(x).arg(through[s]));
                f.list(blk).push(t.jump(join));
                f.at(blk).succs = smallvec::smallvec![MEdge { to: join, args: smallvec::smallvec![d] }];
            }
            f.at(join).params = smallvec::smallvec![p];
            x = p;
        }
        at = join;
    }
    for v in through {
        f.list(at).push(MInst::new(Op::Out).arg(v));
    }
    f.list(at).push(MInst::new(Op::Out).arg(x));
    f.list(at).push(MInst::new(Op::End));
    f
}

/// Joins with `k` parameters each, more than there are registers: they live in memory.
fn phis(t: &Toy, n: usize, k: usize) -> MFunc<Toy> {
    let mut f = MFunc::new("phis");
    let mut at = f.block();
    let x = f.vreg(R);
    let mut start = MInst::pseudo(Pseudo::Start);
    start.defs.push(Def::reg(x).at(preg(0, 2)));
    f.list(at).push(start);
    let mut now: Vec<VReg> = vec![x; k];
    for turn in 0..n / (4 * k) {
        let c = f.vreg(F);
        f.list(at).push(MInst::new(Op::Lt).def(c).arg(now[turn % k]).arg(now[0]));
        let (one, two, join) = (f.block(), f.block(), f.block());
        f.list(at).push(MInst::new(Op::Br).arg(c).arg(one));
        f.list(at).push(t.jump(two));
        f.at(at).succs = smallvec::smallvec![MEdge::to(one), MEdge::to(two)];
        for blk in [one, two] {
            let mut args = Vec::new();
            for q in 0..k {
                let d = f.vreg(R);
                f.list(blk).push(MInst::new(Op::Add).def(d).arg(now[q]).arg(now[(q + 1) % k]));
                args.push(d);
            }
            f.list(blk).push(t.jump(join));
            f.at(blk).succs = smallvec::smallvec![MEdge { to: join, args: args.into() }];
        }
        now = (0..k).map(|_| f.vreg(R)).collect();
        f.at(join).params = now.clone().into();
        at = join;
    }
    for v in now {
        f.list(at).push(MInst::new(Op::Out).arg(v));
    }
    f.list(at).push(MInst::new(Op::End));
    f
}

/// One loop of `n` operations whose `k` parameters change places.
fn rotation(t: &Toy, n: usize, k: usize) -> MFunc<Toy> {
    let mut f = MFunc::new("rotation");
    let (before, head, latch, exit) = (f.block(), f.block(), f.block(), f.block());
    let x = f.vreg(R);
    let mut start = MInst::pseudo(Pseudo::Start);
    start.defs.push(Def::reg(x).at(preg(0, 2)));
    f.list(before).push(start);
    f.list(before).push(t.jump(head));
    f.at(before).succs = smallvec::smallvec![MEdge { to: head, args: smallvec::smallvec![x; k] }];
    let params: Vec<VReg> = (0..k).map(|_| f.vreg(R)).collect();
    f.at(head).params = params.clone().into();
    let mut now = params;
    for i in 0..n {
        let d = f.vreg(R);
        f.list(head).push(MInst::new(Op::Add).def(d).arg(now[i % k]).arg(now[(i * 7 + 1) % k]));
        now[i % k] = d;
    }
    let c = f.vreg(F);
    f.list(head).push(MInst::new(Op::Lt).def(c).arg(now[0]).arg(x));
    f.list(head).push(MInst::new(Op::Br).arg(c).arg(latch));
    f.list(head).push(t.jump(exit));
    f.at(head).succs = smallvec::smallvec![MEdge::to(latch), MEdge::to(exit)];
    f.list(latch).push(t.jump(head));
    f.at(latch).succs = smallvec::smallvec![MEdge { to: head, args: (0..k).map(|q| now[(q + 1) % k]).collect() }];
    f.list(exit).push(MInst::new(Op::Out).arg(now[k - 1]));
    f.list(exit).push(MInst::new(Op::End));
    f
}

type Make = fn(&Toy, usize) -> MFunc<Toy>;

const SHAPES: [(&str, Make); 9] = [
    ("few phis", |t, n| phis(t, n, 4)),
    ("many phis", |t, n| phis(t, n, 60)),
    ("very many phis", |t, n| phis(t, n, 800)),
    ("rotation", |t, n| rotation(t, n, 16)),
    ("wide rotation", |t, n| rotation(t, n, n / 10)),
    ("straight", straight),
    ("long ranges", long_ranges),
    ("ifs", |t, n| blocks(t, n, false)),
    ("loops", |t, n| blocks(t, n, true)),
];

/// The checkers judge the result: both run with debug assertions.
#[test]
fn large_functions_are_allocated() {
    let t = Toy::new(24);
    for (name, make) in SHAPES {
        let mut f = make(&t, 10_000);
        copy_prop(&mut f, &t);
        dce(&mut f, &t);
        f.split_critical_edges(&t);
        if let Err(e) = allocate(&mut f, &t, &AllocOptions::default()) {
            panic!("{name}: {e}");
        }
    }
}
