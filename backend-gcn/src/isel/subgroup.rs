//! Selects operations between the lanes of a wave.

use gpucc_ir::{Attr, Diagnostic, Function, Inst, Op as Ir, Stage, Sysval, Value};
use gpucc_mir::{PReg, Use, VReg};

use super::{Isel, IselCx};
use crate::builders as build;
use crate::inst::{FILE_S, Lanes, Long, Offset, Readonly, S, S2, U, exec};

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
        match s {
            Sysval::SubgroupSize => self.valu(cx, build::VMovB32.on([Use::imm(64)]).def(out)),
            Sysval::SubgroupInvocationId => {
                let lane = self.lane(cx);
                cx.emit(gpucc_mir::MInst::copy(out, lane));
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
                let here = match self.fixed.live {
                    Some(live) => {
                        let alone = cx.temp(S2);
                        let live = Use::preg(PReg::new(FILE_S, live as u16, 2));
                        cx.emit(build::SAndB64.on([here.into(), live]).def(alone));
                        alone
                    }
                    None => here,
                };
                let scalar = cx.mf.class(out[0]) == S;
                for (k, &r) in out.iter().enumerate() {
                    let word = if k < 2 { Use::reg(here).part(k as u8, 1) } else { Use::imm(0) };
                    if scalar {
                        cx.emit(build::SMovB32.on([word]).def(r));
                    } else {
                        self.valu(cx, build::VMovB32.on([word]).def(r));
                    }
                }
            }
            Ir::LaneRead => {
                let v = self.vector(cx, d.args[0]);
                if let Some(lane) = self.one_lane(cx, d.args[1]) {
                    if cx.mf.class(out[0]) == S {
                        cx.emit(build::VReadlaneB32.on([v, lane]).def(out[0]));
                    } else {
                        let word = cx.temp(S);
                        cx.emit(build::VReadlaneB32.on([v, lane]).def(word));
                        self.valu(cx, build::VMovB32.on([Use::reg(word)]).def(out[0]));
                    }
                    return Ok(());
                }
                let lane = self.any(cx, d.args[1]);
                if let Some(flip) = flipped(cx.f, d.args[1]) {
                    self.flip(cx, v, flip, out[0]);
                    return Ok(());
                }
                if self.generation != GFX8 {
                    // Workgroups have memory for it; fragments have none.
                    self.each_lane(cx, v, lane, out[0]);
                    return Ok(());
                }
                let byte = self.make_v(cx, build::VLshlrevB32.on([Use::imm(2), lane]));
                cx.emit(build::DsBpermuteB32.with((Readonly(true),), [byte.into(), v]).def(out[0]));
            }
            _ => return Err(cx.unknown(i)),
        }
        Ok(())
    }

    /// The value of any lane, by looking at all of them.
    fn each_lane(&mut self, cx: &mut IselCx<'_>, v: U, lane: U, to: VReg) {
        let lane = self.in_vector(cx, lane);
        let mut found = self.make_v(cx, build::VMovB32.on([v]));
        for k in 0..64 {
            let (word, mask) = (cx.temp(S), cx.temp(S2));
            cx.emit(build::VReadlaneB32.on([v, Use::imm(k)]).def(word));
            self.valu(cx, build::VCmpEqU32.with((Long(true),), [Use::imm(k), lane]).def(mask));
            let word = self.in_vector(cx, Use::reg(word));
            found = self.make_v(cx, build::VCndmaskB32.with((Long(true),), [found.into(), word, mask.into()]));
        }
        cx.emit(gpucc_mir::MInst::copy(to, found));
    }

    /// The number of a lane that all ask for, as `v_readlane_b32` takes it; none where it may differ, or where it is in a vector register and
    /// there is a permutation.
    fn one_lane(&mut self, cx: &mut IselCx<'_>, lane: Value) -> Option<U> {
        if let Some(n) = cx.f.const_bits(lane) {
            return Some(Use::imm(n as u32 & 63));
        }
        let number = self.any(cx, lane);
        if !self.is_vector_reg(cx, &number) {
            return Some(number);
        }
        // Before gfx8 lowering leaves to compute programs lanes that all ask for and those that bits tell from the own one. Of the former later
        // passes may hide that they are the same for all, but they are.
        let drawn = self.module.entries.iter().any(|e| e.stage.kind() != Stage::Compute);
        if self.generation == GFX8 || drawn || told_from_own(cx.f, lane) {
            return None;
        }
        let first = cx.temp(S);
        cx.emit(build::VReadfirstlaneB32.on([number]).def(first));
        Some(first.into())
    }

    /// Each lane reads the one that these of its lower five bits tell from it.
    fn flip(&mut self, cx: &mut IselCx<'_>, v: U, flip: u32, to: VReg) {
        let quad = |k: u32| (k ^ flip) << (2 * k);
        let pattern = match flip {
            1..=3 if self.generation == GFX8 => quad(0) | quad(1) | quad(2) | quad(3),
            7 if self.generation == GFX8 => HALF_MIRROR,
            15 if self.generation == GFX8 => MIRROR,
            _ => {
                // The five bits stay, none is set, these are flipped.
                let mods = (Offset(0x1f | flip << 10), Readonly(true));
                cx.emit(build::DsSwizzleB32.with(mods, [v]).def(to));
                return;
            }
        };
        cx.emit(build::VMovB32.with((Lanes(pattern as u16),), [v]).def(to));
    }
}

/// The generation that has DPP and `ds_bpermute_b32`.
const GFX8: u8 = 2;

/// DPP: lanes of each 8, and of each 16, from the last to the first.
const HALF_MIRROR: u32 = 0x141;
const MIRROR: u32 = 0x140;

/// Whether a value is the number of the own lane.
fn is_own(f: &Function, v: Value) -> bool {
    f.def_op(v, Ir::Sysval).is_some_and(|d| d.attr == Attr::Sysval(Sysval::SubgroupInvocationId))
}

/// Whether a lane is the own one, or told from it by bits.
fn told_from_own(f: &Function, lane: Value) -> bool {
    is_own(f, lane) || f.def_op(lane, Ir::Xor).is_some_and(|d| d.args.iter().any(|&v| is_own(f, v)))
}

/// The bits, below 32, that tell a lane from the own one.
fn flipped(f: &Function, lane: Value) -> Option<u32> {
    let xor = f.def_op(lane, Ir::Xor)?;
    let (own, bits) = if is_own(f, xor.args[0]) { (true, xor.args[1]) } else { (is_own(f, xor.args[1]), xor.args[0]) };
    f.const_bits(bits).filter(|&n| own && (1..32).contains(&n)).map(|n| n as u32)
}
