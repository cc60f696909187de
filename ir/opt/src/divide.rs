//! Divides small numbers as floats, where the target has no divider.
//!
//! With a dividend below 2^16 the quotient is `trunc((n + 0.5) * rcp(d))`: `(n + 0.5) / d` is at least `0.5 / d` away from
//! every integer, which is a 2^-17th of it, and conversions, reciprocal and product together are less than 2^-20 off. The
//! remainder follows from it. Divisor 0 gives `(n, 0)` as always.
//!
//! Needs: nothing. Keeps: the CFG. Leaves alone: dividends that may be larger, divisors that are constants (`legalise`
//! multiplies by their reciprocal), targets that divide.

use crate::Cx;
use crate::rewrite::{self, Rewrite};
use gpucc_ir::analysis::UpperBounds;
use gpucc_ir::{EntitySet, FpFlags, Function, Inst, IntCc, Op, Scalar};

/// Dividends are below this.
pub const LIMIT: u64 = 1 << 16;

/// Runs the pass.
pub fn run(f: &mut Function, cx: &mut Cx<'_>) {
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

#[cfg(test)]
mod tests {
    use super::run;
    use crate::testing::{evaluate, opt, unchanged};
    use crate::{Caps, Cx, OpSet};
    use gpucc_ir::{Const, Function, Op, Type};

    fn without_divider(f: &mut Function, cx: &mut Cx<'_>) {
        let caps = Caps { expand: OpSet::of(&[Op::UDiv, Op::URem]), ..Caps::FULL };
        let mut c = Cx::new(cx.module, &caps);
        run(f, &mut c);
        cx.must_change(c.changes());
    }

    fn text(op: &str, mask: u32, by: &str) -> String {
        format!(
            "func0 \"f\" -> i32 {{\nblock0(v0: i32, v1: i32):\n  v2: i32 = and v0, {mask}:i32\n  v3: i32 = {op} v2, {by}\n  ret v3\n}}"
        )
    }

    #[test]
    fn exact_for_all_kinds_of_divisors() {
        let parse = |t: &str| gpucc_ir::text::parse_function(t).unwrap();
        for op in ["udiv", "urem"] {
            let before = text(op, 65535, "v1");
            let after = opt(without_divider, &before);
            assert!(after.contains("frcp") && !after.contains(op), "{after}");
            let (f, g) = (parse(&before), parse(&after));
            let mut seed = 1u32;
            for k in 0..40_000u32 {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let by = match k % 4 {
                    0 => k / 4 % 300,
                    1 => (seed >> 8) & 0xffff,
                    2 => seed >> (k / 4 % 32),
                    _ => 1 << (k / 4 % 32),
                };
                // Around multiples of the divisor, where a quotient that is off shows.
                let n = match k % 3 {
                    0 => seed >> 16,
                    1 => by.wrapping_mul(seed >> 20),
                    _ => by.wrapping_mul(seed >> 20).wrapping_sub(1),
                };
                let args = [n, by].map(|x| Const::new(Type::I32, &[x.into()]));
                assert_eq!(evaluate(&f, &args), evaluate(&g, &args), "{op} {} {by}", n & 0xffff);
            }
        }
    }

    #[test]
    fn large_dividends_constants_and_dividers_stay() {
        unchanged(without_divider, &text("udiv", 65536, "v1"));
        unchanged(without_divider, &text("urem", 65535, "7:i32"));
        unchanged(without_divider, &text("sdiv", 65535, "v1"));
        unchanged(run, &text("udiv", 65535, "v1"));
    }
}
