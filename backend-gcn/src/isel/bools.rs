//! Booleans: lane masks, and vectors of them.

use gpucc_gcn_machine::Op;
use gpucc_ir::{Attr, Diagnostic, Inst, IntCc, Op as Ir};
use gpucc_mir::{MInst, Use, VReg};

use super::{Isel, IselCx};
use crate::builders as build;
use crate::inst::{Long, S2, exec, op, with};
use crate::ops::{float_compare, of_doubles, vector_compare};

impl Isel<'_> {
    /// Vectors of booleans: 0 or 1 a lane.
    pub(super) fn booleans(&mut self, cx: &mut IselCx<'_>, i: Inst, out: &[VReg]) -> Result<(), Diagnostic> {
        let d = cx.data(i);
        match (&d.op, &d.attr) {
            (Ir::Compose | Ir::Splat, _) => {
                for (k, &r) in out.iter().enumerate() {
                    let m = self.mask(cx, d.args[if d.op == Ir::Splat { 0 } else { k }]);
                    self.zero_or_one(cx, r, m);
                }
            }
            (Ir::Shuffle | Ir::Insert, _) => {
                let from = d.moved_lanes(out.len() as u32).ok_or_else(|| cx.unknown(i))?;
                for (&r, (v, k)) in out.iter().zip(from) {
                    if cx.f.ty(v).is_vector() {
                        let lane = cx.regs(v)[k];
                        cx.emit(MInst::copy(r, lane));
                    } else {
                        let m = self.mask(cx, v);
                        self.zero_or_one(cx, r, m);
                    }
                }
            }
            _ => return Err(cx.unknown(i)),
        }
        Ok(())
    }

    pub(super) fn boolean(&mut self, cx: &mut IselCx<'_>, i: Inst, r: VReg) -> Result<(), Diagnostic> {
        let d = cx.data(i);
        let a = |n: usize| d.args[n];
        let bools = cx.f.ty(a(0)).is_bool();
        match (&d.op, &d.attr) {
            (Ir::ICmp, _) if !bools && self.is_carry(cx, i, r) => {}
            (Ir::ICmp, Attr::IntCc(cc)) if !bools => {
                let (x, y) = (self.any(cx, a(0)), self.any(cx, a(1)));
                let o = vector_compare(*cc);
                self.set_bool(cx, r, |s, cx, t| s.valu(cx, with(op(o).def(t).arg(x).arg(y), (Long(true),))));
            }
            (Ir::FCmp, Attr::FloatCc(cc)) if Self::is_double(cx, i) => {
                let (x, y) = (self.double_operand(cx, a(0)), self.double_operand(cx, a(1)));
                let o = of_doubles(float_compare(*cc));
                self.set_bool(cx, r, |s, cx, t| s.valu(cx, with(op(o).def(t).arg(x).arg(y), (Long(true),))));
            }
            (Ir::FCmp, Attr::FloatCc(cc)) => {
                let (x, y) = (self.float(cx, a(0)), self.float(cx, a(1)));
                let o = self.sized(cx, a(0), float_compare(*cc));
                self.set_bool(cx, r, |s, cx, t| s.valu(cx, with(op(o).def(t).arg(x).arg(y), (Long(true),))));
            }
            (Ir::And | Ir::Or | Ir::Xor | Ir::ICmp, attr) => {
                let (x, y) = (self.mask(cx, a(0)), self.mask(cx, a(1)));
                let o = match d.op {
                    Ir::And => Op::SAndB64,
                    Ir::Or => Op::SOrB64,
                    _ => Op::SXorB64,
                };
                let equal = *attr == Attr::IntCc(IntCc::Eq);
                self.set_bool(cx, r, |_, cx, t| {
                    if equal {
                        let u = cx.temp(S2);
                        cx.emit(op(o).def(u).arg(x).arg(y));
                        cx.emit(build::SAndn2B64.on([exec(), u.into()]).def(t));
                    } else {
                        cx.emit(op(o).def(t).arg(x).arg(y));
                    }
                });
            }
            (Ir::Extract, Attr::Lane(k)) => {
                let from = cx.regs(a(0))[*k as usize];
                if cx.mf.class(from) == cx.mf.class(r) {
                    cx.emit(MInst::copy(r, from));
                } else if cx.mf.class(r) == S2 {
                    self.valu(cx, build::VCmpNeU32.with((Long(true),), [Use::imm(0), from.into()]).def(r));
                } else {
                    self.set_bool(cx, r, |_, cx, t| cx.emit(build::SMovB64.on([from.into()]).def(t)));
                }
            }
            (Ir::Select, _) => {
                let (c, x, y) = (self.mask(cx, a(0)), self.mask(cx, a(1)), self.mask(cx, a(2)));
                self.set_bool(cx, r, |_, cx, t| {
                    let (taken, left) = (cx.temp(S2), cx.temp(S2));
                    cx.emit(build::SAndB64.on([x, c]).def(taken));
                    cx.emit(build::SAndn2B64.on([y, c]).def(left));
                    cx.emit(build::SOrB64.on([taken.into(), left.into()]).def(t));
                });
            }
            (Ir::Not, _) => {
                let x = self.mask(cx, a(0));
                self.set_bool(cx, r, |_, cx, t| cx.emit(build::SAndn2B64.on([exec(), x]).def(t)));
            }
            _ => return Err(cx.unknown(i)),
        }
        Ok(())
    }
}
