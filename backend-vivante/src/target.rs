//! The family as the shared machine passes see it: one file of 64 rows of four components.

use gpucc_isa::Effects;
use gpucc_mir::{
    ClassInfo, CopyCx, Def, InstInfo, MInst, MoveSide, Opcode, PReg, Pseudo, Reg, Reuse, SpillCx, SpillSlot, SpillTo,
    Src, Target, Use, VReg,
};
use gpucc_regalloc::{FileId, RegFile};
use gpucc_vivante_machine as machine;
use machine::{Class, Op, Type};

use crate::builders as build;
use crate::forms;
use crate::inst::{ADDRESS, Lanes, Mods, Own, SrcMods, Ty, VOp, Vivante, run};

/// Spaces of memory that never meet: indexed variables, buffers, on-chip storage.
const ARRAYS: u16 = 1;
const GLOBAL: u16 = 2;
const LOCAL: u16 = 3;

impl Target for Vivante {
    type Op = VOp;
    type Mods = Mods;
    type SrcMods = SrcMods;
    type Uses = [Use<Self>; 3];

    fn files(&self) -> &[RegFile] {
        &self.files
    }

    fn classes(&self) -> &[ClassInfo] {
        &self.classes
    }

    fn info(&self, inst: &MInst<Self>) -> InstInfo {
        let own = match inst.target_op() {
            Some(VOp::M(op)) => {
                let effects = op.row().effects;
                let memory = effects.reads || effects.writes;
                // An instruction that waits for all others orders all memory.
                let space = match memory && !effects.convergent {
                    true if inst.mods.local => LOCAL,
                    true => GLOBAL,
                    false => 0,
                };
                InstInfo::of(effects.at(space))
            }
            Some(VOp::Fence) => InstInfo::of(Effects::atomic(1)),
            _ => InstInfo { terminator: true, ..InstInfo::pure(1) },
        };
        let (reads, writes) = self.touches_arrays(inst);
        if !reads && !writes {
            return own;
        }
        // Elements of arrays may be operands of anything, also of what touches memory or has an effect.
        let space = if own.reads || own.writes { 0 } else { ARRAYS };
        InstInfo { reads: own.reads || reads, writes: own.writes || writes, space, ..own }
    }

    /// The angle that a sine and a cosine share, what selection makes for several of an operation's lanes, coordinates beside a level.
    fn reuse(&self, inst: &MInst<Self>) -> Reuse {
        let value = match inst.op {
            // Samples only read their coordinates: one run serves several.
            Opcode::Pseudo(Pseudo::Collect) => inst.defs.iter().all(|d| d.vreg().is_some()),
            Opcode::Op(VOp::M(op)) => {
                let class = op.row().attrs.class;
                matches!(class, Class::Vector | Class::IntVector | Class::Scalar | Class::Reduce)
            }
            _ => false,
        };
        let still = |u: &Use<Self>| !u.mods.indexed && !matches!(u.src, Src::Reg(Reg::P(_)) | Src::Label(_));
        // What is known of instructions is asked of the target's own alone.
        let pure = inst.target_op().is_none() || self.info(inst).can_dce();
        let plain = !inst.mods.indexed && inst.uses.iter().all(still) && pure;
        if value && plain { Reuse::InBlock } else { Reuse::Never }
    }

    fn emit_move(&self, cx: &mut CopyCx<'_, Self>, dst: MoveSide<'_>, src: MoveSide<'_>) {
        let (d, s) = (dst.lanes(), src.lanes());
        // Component i of the masked destination is its i-th lane; find the source unit that belongs to it.
        let mut swz = [0; 4];
        for (i, unit) in d.place.units().enumerate() {
            let k = dst.units.iter().position(|&u| u == unit).unwrap_or(0);
            swz[i] = s.place.units().position(|u| u == src.units[k]).unwrap_or(0) as u8;
        }
        cx.push(build::Mov.on([Use::preg(s).mods(SrcMods::swizzle(swz))]).def(Def::preg(d)));
    }

    fn emit_swap(&self, cx: &mut CopyCx<'_, Self>, a: MoveSide<'_>, b: MoveSide<'_>) {
        // a ^= b, b ^= a, a ^= b, one component at a time: the integer unit of gc2000 knows no more.
        for (&x, &y) in a.units.iter().zip(b.units) {
            let unit = |u| PReg::new(0, u, 1);
            for (d, s) in [(x, y), (y, x), (x, y)] {
                let uses = [Use::preg(unit(d)), Use::preg(unit(s))];
                cx.push(build::Xor.with((Ty(Type::U32),), uses).def(Def::preg(unit(d))));
            }
        }
    }

    fn emit_set(&self, cx: &mut CopyCx<'_, Self>, dst: MoveSide<'_>, src: &Use<Self>) {
        cx.push(build::Mov.on([*src]).def(Def::preg(dst.lanes())));
    }

    fn spill_to(&self, class: gpucc_mir::Class) -> SpillTo {
        // Nothing stores the address register.
        if self.spill_at.is_some() && class != ADDRESS { SpillTo::Memory } else { SpillTo::Nothing }
    }

    fn keeps(&self, v: VReg) -> bool {
        self.kept.contains(&v)
    }

    fn spill_headroom(&self, _file: FileId) -> u32 {
        // A load writes neighbouring components.
        if self.spill_at.is_some() { 4 } else { 0 }
    }

    fn emit_spill(&self, cx: &mut SpillCx<'_, Self>, slot: SpillSlot, v: VReg) {
        let [base, offset] = self.spill_operands(slot);
        cx.push(build::Store.with((Ty(Type::U32), Lanes(slot.units as u8), Own(true)), [base, offset, v.into()]));
    }

    fn emit_reload(&self, cx: &mut SpillCx<'_, Self>, slot: SpillSlot, v: VReg) {
        let n = u32::from(slot.units);
        let neighbours = n == 1 || n == 4;
        let to = if neighbours { v } else { cx.temp(run(n)) };
        cx.push(build::Load.with((Ty(Type::U32),), self.spill_operands(slot)).def(to));
        if !neighbours {
            cx.push(MInst::copy(v, to));
        }
    }

    fn jump(&self, to: gpucc_mir::BlockId) -> MInst<Self> {
        build::Branch.on([to.into()])
    }

    fn is_jump(&self, inst: &MInst<Self>) -> bool {
        inst.target_op() == Some(VOp::M(Op::Branch))
    }

    fn ops(&self) -> Vec<VOp> {
        machine::table().rows.iter().map(|r| VOp::M(r.op)).chain([VOp::End, VOp::Fence]).collect()
    }

    fn check(&self, inst: &MInst<Self>) -> Result<(), String> {
        forms::check(inst)
    }

    fn check_registers(
        &self,
        inst: &MInst<Self>,
        uses: &[Option<(FileId, u16)>],
        defs: &[(FileId, u16)],
    ) -> Result<(), String> {
        forms::check_registers(inst, uses, defs)
    }
}
