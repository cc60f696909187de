//! Sums and differences of integers: the product that only a sum wants, a carry that is asked for, and one more where a condition holds.
//!
//! `v_mad_u32_u24` adds to a product. The vector unit's sums leave their carry in a lane mask, and `v_addc_u32` takes one, so that a comparison
//! which asks whether a sum wrapped around, and a choice between 1 and 0 that is added, are no instructions of their own.

use gpucc_gcn_machine::Op;
use gpucc_gcn_machine::operand::inline32;
use gpucc_ir::{Attr, Inst, InstData, IntCc, Op as Ir, Value};
use gpucc_mir::{MInst, Use, VReg};
use smallvec::SmallVec;

use super::{Isel, IselCx, bits_of};
use crate::flow::reg_banks::RegBank;
use crate::inst::{Long, MI, S2, op, with};

/// Instructions in front of a comparison among which the difference of what it compares is looked for.
const NEAR: usize = 16;

impl Isel<'_> {
    /// A sum or difference of the vector unit.
    pub(super) fn sum(&mut self, cx: &mut IselCx<'_>, i: Inst, r: VReg) {
        let d = cx.data(i);
        let carry = Some(self.carries[i]).filter(|c| !c.is_none());
        let word = cx.f.ty(d.result()).bits() == 32;
        if word
            && carry.is_none()
            && d.op == Ir::IAdd
            && let Some(m) = self.mad_u24(cx, d)
        {
            return self.valu(cx, m.def(r));
        }
        let mut m = match self.one_more(cx, d).filter(|_| word) {
            Some(m) => m,
            None => {
                let (x, y) = match d.op {
                    Ir::INeg => (Use::imm(0), self.any(cx, d.args[0])),
                    _ => (self.any(cx, d.args[0]), self.any(cx, d.args[1])),
                };
                op(self.plain_sum(d.op)).arg(x).arg(y)
            }
        }
        .def(r);
        if let Some(carry) = carry {
            m = with(m.def(carry), (Long(true),));
        }
        self.valu(cx, m);
    }

    fn plain_sum(&self, o: Ir) -> Op {
        match (o, self.generation) {
            (Ir::IAdd, 2) => Op::VAddU32,
            (Ir::IAdd, _) => Op::VAddI32,
            (_, 2) => Op::VSubU32,
            _ => Op::VSubI32,
        }
    }

    /// Whether a value costs a vector instruction no move: at most one scalar register is among the operands of one.
    fn is_free(&self, cx: &IselCx<'_>, v: Value) -> bool {
        match bits_of(cx.f, v) {
            Some(b) => inline32(b, self.generation).is_some(),
            None => self.reg_banks.of(v) == RegBank::Vector,
        }
    }

    /// Whether a value is computed in the block that is being selected.
    fn is_here(&self, cx: &IselCx<'_>, v: Value) -> bool {
        cx.f.def_inst(v).is_some_and(|i| self.home[i] == Some(cx.current()))
    }

    /// A product of 24 bits that only this sum wants.
    fn mad_u24(&mut self, cx: &mut IselCx<'_>, d: &InstData) -> Option<MI> {
        for k in 0..2 {
            let (v, other) = (d.args[k], d.args[1 - k]);
            let Some(p) = cx.fold_op(v, Ir::UMul24).filter(|_| self.is_here(cx, v)) else { continue };
            let three = [p.args[0], p.args[1], other];
            let literal = |&v: &Value| bits_of(cx.f, v).is_some() && !self.is_free(cx, v);
            let mut scalars: SmallVec<[Value; 3]> = three.iter().copied().filter(|&v| !self.is_free(cx, v)).collect();
            scalars.dedup();
            if three.iter().any(literal) || scalars.len() > 1 {
                continue;
            }
            let [a, b, c] = three.map(|v| self.any(cx, v));
            return Some(op(Op::VMadU32U24).arg(a).arg(b).arg(c));
        }
        None
    }

    /// The condition under which a value that only this sum wants is 1 (or all ones), being 0 otherwise, and whether it is 1.
    fn condition(&self, cx: &IselCx<'_>, v: Value) -> Option<(Value, bool)> {
        let c = cx.fold_op(v, Ir::Select).filter(|_| self.is_here(cx, v))?;
        let one = match (bits_of(cx.f, c.args[1])?, bits_of(cx.f, c.args[2])?) {
            (1, 0) => true,
            (u32::MAX, 0) => false,
            _ => return None,
        };
        (self.reg_banks.of(c.args[0]) == RegBank::Mask && bits_of(cx.f, c.args[0]).is_none())
            .then_some((c.args[0], one))
    }

    /// A sum with one more, or one less, where a condition holds.
    fn one_more(&mut self, cx: &mut IselCx<'_>, d: &InstData) -> Option<MI> {
        let (k, (c, one)) = match d.op {
            Ir::IAdd => (0..2).find_map(|k| Some((k, self.condition(cx, d.args[k])?)))?,
            Ir::ISub => (1, self.condition(cx, d.args[1])?),
            _ => return None,
        };
        let x = d.args[1 - k];
        if !self.is_free(cx, x) {
            return None;
        }
        let up = one == (d.op == Ir::IAdd);
        // The other operand may itself be such a sum without a carry.
        let wanted = if up { Ir::IAdd } else { Ir::ISub };
        let inner = cx.fold_op(x, wanted).filter(|p| {
            self.is_here(cx, x)
                && p.args.iter().all(|&v| self.is_free(cx, v) && self.condition(cx, v).is_none())
                && p.args.iter().all(|&v| cx.fold_op(v, Ir::UMul24).is_none())
        });
        let m = match (inner, up) {
            (Some(p), _) => {
                let (a, b) = (self.any(cx, p.args[0]), self.any(cx, p.args[1]));
                op(if up { Op::VAddcU32 } else { Op::VSubbU32 }).arg(a).arg(b)
            }
            (None, _) => {
                let x = self.any(cx, x);
                op(if up { Op::VAddcU32 } else { Op::VSubbrevU32 }).imm(0).arg(x)
            }
        };
        let mask = self.mask(cx, c);
        Some(with(m.arg(mask), (Long(true),)))
    }

    /// A comparison that asks whether a sum or difference wrapped around: its mask comes from there. Says whether it is one.
    pub(super) fn is_carry(&mut self, cx: &mut IselCx<'_>, i: Inst, r: VReg) -> bool {
        let d = cx.data(i);
        let f = cx.f;
        let (less, more) = match d.attr {
            Attr::IntCc(IntCc::Ult) => (d.args[0], d.args[1]),
            Attr::IntCc(IntCc::Ugt) => (d.args[1], d.args[0]),
            _ => return false,
        };
        let fits = f.ty(less).bits() == 32 && !f.ty(less).is_vector() && cx.mf.class(r) == S2;
        if !fits || bits_of(f, less).is_some() || bits_of(f, more).is_some() {
            return false;
        }
        let here = cx.current();
        let sum = f.def_inst(less).filter(|&s| {
            let p = cx.data(s);
            self.home[s] == Some(here) && p.op == Ir::IAdd && p.args.contains(&more)
        });
        let found = sum.or_else(|| {
            let differs = |&&s: &&Inst| {
                let p = cx.data(s);
                p.op == Ir::ISub && p.args[0] == less && p.args[1] == more && cx.is_used(p.result())
            };
            cx.before(i).iter().rev().take(NEAR).find(differs).copied()
        });
        let Some(s) = found else { return false };
        let out = cx.data(s).result();
        let (a, b) = (cx.data(s).args[0], cx.data(s).args[1]);
        if self.reg_banks.of(out) != RegBank::Vector || !self.is_free(cx, a) || !self.is_free(cx, b) {
            return false;
        }
        let known = self.carries[s];
        if known.is_none() {
            cx.reg(out);
            self.carries[s] = r;
        } else {
            cx.emit(MInst::copy(r, Use::reg(known)));
        }
        true
    }
}
