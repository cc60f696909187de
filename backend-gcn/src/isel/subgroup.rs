//! What lanes of a wave do together.

use gpucc_ir::{Diagnostic, Inst, Op as Ir, Sysval};
use gpucc_mir::Use;

use super::{Isel, IselCx};
use crate::builders as build;
use crate::inst::{Long, Readonly, S2, exec};

impl Isel<'_> {
    /// The number of the lane.
    pub(super) fn lane(&mut self, cx: &mut IselCx<'_>) -> gpucc_mir::VReg {
        let ones = Use::imm(u32::MAX);
        let low = self.make_v(cx, build::VMbcntLoU32B32.with((Long(true),), [ones, Use::imm(0)]));
        self.make_v(cx, build::VMbcntHiU32B32.with((Long(true),), [ones, low.into()]))
    }

    /// System values of subgroups; whether it is one.
    pub(super) fn subgroup_sysval(&mut self, cx: &mut IselCx<'_>, i: Inst, s: Sysval) -> Result<bool, Diagnostic> {
        let out = cx.result(i, 0)[0];
        let invocations: u32 = self.workgroup_size.iter().product();
        match s {
            Sysval::SubgroupSize => self.valu(cx, build::VMovB32.on([Use::imm(64)]).def(out)),
            Sysval::NumSubgroups => {
                self.valu(cx, build::VMovB32.on([Use::imm(invocations.div_ceil(64))]).def(out));
            }
            Sysval::SubgroupInvocationId => {
                let lane = self.lane(cx);
                cx.emit(gpucc_mir::MInst::copy(out, lane));
            }
            Sysval::SubgroupId => {
                let index = self.local_index(cx);
                self.valu(cx, build::VLshrrevB32.on([Use::imm(6), index]).def(out));
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Ballots and reads of other lanes.
    pub(super) fn subgroup(&mut self, cx: &mut IselCx<'_>, i: Inst) -> Result<(), Diagnostic> {
        let d = cx.data(i);
        let out = cx.result(i, 0).to_vec();
        match d.op {
            Ir::Ballot => {
                // A mask may have bits of lanes that are elsewhere.
                let mask = self.mask(cx, d.args[0]);
                let here = cx.temp(S2);
                cx.emit(build::SAndB64.on([mask, exec()]).def(here));
                for (k, &r) in out.iter().enumerate() {
                    let word = if k < 2 { Use::reg(here).part(k as u8, 1) } else { Use::imm(0) };
                    self.valu(cx, build::VMovB32.on([word]).def(r));
                }
            }
            Ir::LaneRead => {
                let v = self.vector(cx, d.args[0]);
                let lane = self.any(cx, d.args[1]);
                let byte = self.make_v(cx, build::VLshlrevB32.on([Use::imm(2), lane]));
                cx.emit(build::DsBpermuteB32.with((Readonly(true),), [byte.into(), v]).def(out[0]));
            }
            _ => return Err(cx.unknown(i)),
        }
        Ok(())
    }
}
