//! System values of compute, and edges between blocks.

use gpucc_gcn_machine::Op;
use gpucc_ir::{Diagnostic, Inst, Scalar, Sysval};
use gpucc_mir::{MEdge, MInst, PReg, Pseudo, Regs, Use};

use super::{Isel, IselCx, bits_of};
use crate::builders as build;
use crate::flow::reg_banks::RegBank;
use crate::inst::{FILE_S, S, U, V, op};

impl Isel<'_> {
    pub(super) fn sysval(&mut self, cx: &mut IselCx<'_>, i: Inst, s: Sysval) -> Result<(), Diagnostic> {
        let out = cx.result(i, 0);
        let fixed = |r: u32| Use::preg(PReg::new(FILE_S, r as u16, 1));
        match s {
            Sysval::LocalInvocationId => {
                for (c, &r) in out.iter().enumerate() {
                    let id = self.local_id(cx, c);
                    self.set(cx, r, id);
                }
            }
            Sysval::WorkgroupId => {
                for (c, &r) in out.iter().enumerate() {
                    self.valu(cx, build::VMovB32.on([fixed(self.fixed.workgroup_id[c])]).def(r));
                }
            }
            Sysval::NumWorkgroups => {
                for (c, &r) in out.iter().enumerate() {
                    self.valu(cx, build::VMovB32.on([fixed(self.fixed.num_workgroups[c])]).def(r));
                }
            }
            Sysval::GlobalInvocationId => {
                for (c, &r) in out.iter().enumerate() {
                    let t = cx.temp(S);
                    let size = self.workgroup_size[c];
                    let (o, by) = match size.is_power_of_two() {
                        true => (Op::SLshlB32, size.trailing_zeros()),
                        false => (Op::SMulI32, size),
                    };
                    self.salu(cx, op(o).arg(fixed(self.fixed.workgroup_id[c])).arg(Use::imm(by)).def(t));
                    let id = self.local_id(cx, c);
                    self.add(cx, r, Use::reg(t), id);
                }
            }
            Sysval::LocalInvocationIndex => {
                let sum = self.local_index(cx);
                cx.emit(MInst::copy(out[0], sum));
            }
            s if self.subgroup_sysval(cx, i, s)? => {}
            s => return self.stage_sysval(cx, i, s),
        }
        Ok(())
    }

    /// The number of the invocation in its workgroup.
    pub(super) fn local_index(&mut self, cx: &mut IselCx<'_>) -> U {
        let [sx, sy, _] = self.workgroup_size;
        let x = self.local_id(cx, 0);
        let mut sum = self.in_vector(cx, x);
        for (c, scale) in [(1, sx), (2, sx.saturating_mul(sy))] {
            if self.workgroup_size[c] > 1 {
                let id = self.local_id(cx, c);
                let p = self.make_v(cx, build::VMulU32U24.on([Use::imm(scale), id]));
                let t = cx.temp(V);
                self.add(cx, t, Use::reg(p), sum);
                sum = Use::reg(t);
            }
        }
        sum
    }

    pub(super) fn local_id(&mut self, cx: &mut IselCx<'_>, c: usize) -> U {
        if self.workgroup_size[c] == 1 {
            return Use::imm(0);
        }
        let r = *self.ids[c].get_or_insert_with(|| cx.temp(V));
        Use::reg(r)
    }

    /// An edge whose arguments are in registers of their parameters' kind.
    pub(super) fn edge(&mut self, cx: &mut IselCx<'_>, e: gpucc_ir::EdgeRef<'_>) -> MEdge {
        let to = cx.block_id(e.block);
        let f = cx.f;
        let mut args = Regs::new();
        for (&a, &p) in e.args.iter().zip(&f.blocks[e.block].params) {
            let (from, want) = (self.reg_banks.of(a), self.reg_banks.of(p));
            match want {
                _ if f.ty(a).scalar() == Scalar::F64 => args.extend(cx.regs(a)),
                RegBank::Mask => match self.mask(cx, a).vreg() {
                    Some(m) => args.push(m),
                    None => args.extend(cx.regs(a)),
                },
                RegBank::Scalar if f.is_undef(a) => {
                    let t = cx.temp(S);
                    cx.emit(MInst::pseudo(Pseudo::Undef).def(t));
                    args.push(t);
                }
                RegBank::Scalar | RegBank::Vector if f.ty(a).is_vector() || from == want && bits_of(f, a).is_none() => {
                    for r in cx.regs(a) {
                        args.push(self.like(cx, r, if want == RegBank::Scalar { S } else { V }));
                    }
                }
                RegBank::Scalar | RegBank::Vector if f.ty(a).is_bool() && bits_of(f, a).is_none() => {
                    let m = self.mask(cx, a);
                    let t = cx.temp(V);
                    self.zero_or_one(cx, t, m);
                    args.push(t);
                }
                _ => {
                    let t = cx.temp(if want == RegBank::Scalar { S } else { V });
                    let u = self.any(cx, a);
                    cx.emit(MInst::copy(t, u));
                    args.push(t);
                }
            }
        }
        MEdge { to, args }
    }
}
