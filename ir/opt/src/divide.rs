//! Divides small numbers as floats, where the target has no divider.
//!
//! With a dividend below 2^16 the quotient is `trunc((n + 0.5) * rcp(d))`: `(n + 0.5) / d` is at least `0.5 / d` away from
//! every integer, which is a 2^-17th of it, and conversions, reciprocal and product together are less than 2^-20 off. The
//! remainder follows from it. Divisor 0 gives `(n, 0)` as always.
//!
//! Needs: nothing. Keeps: the CFG. Leaves alone: dividends that may be larger, divisors that are constants (`legalise`
//! multiplies by their reciprocal), targets that divide.

use crate::PassCx;
use crate::rewrite::{self, Rewrite};
use gpucc_ir::analysis::UpperBounds;
use gpucc_ir::{EntitySet, FpFlags, Function, Inst, IntCc, Op, Scalar};

/// Dividends are below this.
pub const LIMIT: u64 = 1 << 16;

/// Replaces integer divisions of small numbers by float divisions.
pub fn run(f: &mut Function, cx: &mut PassCx<'_>) {
    let candidate = |f: &Function, i: Inst| {
        let d = &f.insts[i];
        matches!(d.op, Op::UDiv | Op::URem)
            && cx.caps.expand.has(d.op)
            && f.ty(d.args[0]).scalar() == Scalar::I32
            && f.as_const(d.args[1]).is_none()
    };
    let found: Vec<Inst> = f.insts_in_order().map(|(_, i)| i).filter(|&i| candidate(f, i)).collect();
    if found.is_empty() {
        return;
    }
    let mut small: EntitySet<Inst> = EntitySet::new();
    {
        let (preds, dom, s) = (cx.preds(f), cx.dom(f), cx.structure(f));
        let mut u = UpperBounds::new(f, cx.workgroup_size, &preds, &dom, &s);
        for i in found {
            if u.of(f.insts[i].args[0]) < LIMIT {
                small.insert(i);
            }
        }
    }
    rewrite::run(f, |b, i| {
        if !small.contains(i) || !cx.change() {
            return Rewrite::Keep;
        }
        let d = b.func.insts[i].clone();
        let (n, by) = (d.args[0], d.args[1]);
        let ity = b.func.ty(n);
        let fty = ity.with_scalar(Scalar::F32);
        let fp = std::mem::replace(&mut b.fp, FpFlags::NONE);
        let (zero, half) = (b.func.iconst(ity, 0), b.func.fconst(fty, 0.5));
        let x = b.u2f(n, fty);
        let x = b.fadd(x, half);
        let r = b.u2f(by, fty);
        let r = b.frcp(r);
        let q = b.fmul(x, r);
        let q = b.f2u_full(q, ity);
        let none = b.icmp(IntCc::Eq, by, zero);
        let result = if d.op == Op::UDiv {
            b.select(none, n, q)
        } else {
            // A divisor of more than 24 bits is larger than the dividend: the quotient is 0, and so is the product.
            let p = if cx.caps.prefer_mul24 { b.umul24(q, by) } else { b.imul(q, by) };
            let rest = b.isub(n, p);
            b.select(none, zero, rest)
        };
        b.fp = fp;
        Rewrite::Value(result)
    });
}
