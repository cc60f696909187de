//! Valhall as the shared machine passes see it: one file of 64 registers, staging runs, moves.

use gpucc_mir::{BlockId, Class};
use gpucc_mir::{
    ClassInfo, CopyCx, Def, InstInfo, MInst, MoveSide, Opcode, PReg, Pseudo, Reg, Reuse, Src, Target, Use,
};
use gpucc_mir::{SpillCx, SpillSlot, SpillTo, VReg};
use gpucc_regalloc::{FileId, MoveCaps, RegFile};
use gpucc_valhall_machine as machine;
use machine::MemoryAccess;
use machine::kind::DstKind;
use machine::{Class as Kind, OPS, Op, ROWS};

use crate::builders::{self as build, loads, stores};
use crate::forms;
use crate::inst::{
    CLASSES, Constant, FILE_R, Hint, InSpace, Mods, Offset, R, SPACE_SPILL, SrcMods, Unsigned, VOp, Valhall, special,
};

impl Valhall {
    fn private(&self) -> Use<Self> {
        special(machine::operand::THREAD_LOCAL_POINTER, 0)
    }

    fn spill_mods(&self, slot: SpillSlot) -> (Offset, InSpace) {
        (Offset((self.spill_base + 4 * slot.word) as u16), InSpace(SPACE_SPILL))
    }
}

impl Target for Valhall {
    type Op = VOp;
    type Mods = Mods;
    type SrcMods = SrcMods;
    type Uses = [Use<Self>; 4];

    fn files(&self) -> &[RegFile] {
        &self.files
    }

    fn classes(&self) -> &[ClassInfo] {
        &CLASSES
    }

    fn info(&self, inst: &MInst<Self>) -> InstInfo {
        let Some(op) = inst.target_op() else { return InstInfo::pure(1) };
        let own = InstInfo::of(op.effects().at(inst.mods.space));
        InstInfo { reads: own.reads && !inst.mods.readonly, writes: own.writes || inst.mods.shared, ..own }
    }

    fn move_caps(&self, _file: FileId) -> MoveCaps {
        MoveCaps { widths: &[(1, 1)] }
    }

    fn emit_move(&self, cx: &mut CopyCx<'_, Self>, dst: MoveSide<'_>, src: MoveSide<'_>) {
        for (&d, &s) in dst.units.iter().zip(src.units) {
            let from = Use::preg(PReg::new(FILE_R, s, 1));
            cx.push(build::MovI32.on([from]).def(Def::preg(PReg::new(FILE_R, d, 1))));
        }
    }

    fn emit_swap(&self, cx: &mut CopyCx<'_, Self>, a: MoveSide<'_>, b: MoveSide<'_>) {
        // Three exclusive ors: no register is free.
        for (&x, &y) in a.units.iter().zip(b.units) {
            let (x, y) = (PReg::new(FILE_R, x, 1), PReg::new(FILE_R, y, 1));
            for (d, s) in [(x, y), (y, x), (x, y)] {
                let zero = Use::imm(0).mods(SrcMods::swizzled(4));
                cx.push(build::LshiftXorI32.on([Use::preg(d), zero, Use::preg(s)]).def(Def::preg(d)));
            }
        }
    }

    fn emit_set(&self, cx: &mut CopyCx<'_, Self>, dst: MoveSide<'_>, src: &Use<Self>) {
        for &d in dst.units {
            let i = match src.src {
                Src::Imm(v) if machine::operand::lut(v).is_none() => {
                    build::IaddImmI32.with((Constant(v),), [Use::imm(0)])
                }
                _ => build::MovI32.on([*src]),
            };
            cx.push(i.def(Def::preg(PReg::new(FILE_R, d, 1))));
        }
    }

    fn spill_to(&self, _class: Class) -> SpillTo {
        SpillTo::Memory
    }

    fn emit_spill(&self, cx: &mut SpillCx<'_, Self>, slot: SpillSlot, v: VReg) {
        let (offset, space) = self.spill_mods(slot);
        let store = stores(usize::from(slot.units));
        cx.push(store.with((offset, Hint(MemoryAccess::Force), space), [v.into(), self.private()]));
    }

    fn emit_reload(&self, cx: &mut SpillCx<'_, Self>, slot: SpillSlot, v: VReg) {
        let (offset, space) = self.spill_mods(slot);
        let load = loads(usize::from(slot.units));
        cx.push(load.with((offset, Unsigned(true), space), [self.private()]).def(v));
    }

    fn gives_back(&self, class: Class) -> bool {
        class == R
    }

    fn can_remat(&self, inst: &MInst<Self>) -> bool {
        matches!(inst.target_op(), Some(VOp::Op(Op::MovI32 | Op::IaddImmI32)))
            && inst.uses.iter().all(|u| !matches!(u.src, Src::Reg(_)))
    }

    fn reuse(&self, inst: &MInst<Self>) -> Reuse {
        let plain = |u: &Use<Self>| u.part_read().is_none() && !matches!(u.src, Src::Reg(Reg::P(_)) | Src::Label(_));
        let same = inst.defs.iter().all(|d| d.tied_to().is_none()) && inst.uses.iter().all(plain);
        let value = match inst.op {
            // Into an even register, above all: one serves all users.
            Opcode::Pseudo(Pseudo::Copy) => inst.vreg_uses().next().is_some(),
            // Messages only read their runs: one run of coordinates serves several.
            Opcode::Pseudo(Pseudo::Collect) => true,
            // The words for given derivatives are the same at each sample.
            Opcode::Op(VOp::Op(Op::TexGradient)) => inst.mods.derivative_enable && inst.mods.readonly,
            Opcode::Op(VOp::Op(op)) => {
                ROWS[op as usize].attrs.class == Kind::Alu && !ROWS[op as usize].effects.convergent
            }
            _ => false,
        };
        match same && value {
            false => Reuse::Never,
            // Constants and uniforms are cheaper to repeat than to keep.
            true if inst.vreg_uses().next().is_none() => Reuse::InBlock,
            // Those of derivatives serve the whole program.
            true if inst.is(Pseudo::Collect) && inst.uses.len() < 4 => Reuse::InBlock,
            true => Reuse::OnPaths,
        }
    }

    fn as_move(&self, inst: &MInst<Self>) -> Option<(PReg, PReg)> {
        let (Some(VOp::Op(Op::MovI32)), [d], [s]) = (inst.target_op(), inst.defs.as_slice(), inst.uses.as_slice())
        else {
            return None;
        };
        let plain = inst.mods == Mods::default() && s.mods == SrcMods::default();
        Some((d.phys()?, s.phys()?)).filter(|(d, s)| plain && d.place.len() == 1 && s.place.len() == 1)
    }

    fn renames(&self, inst: &MInst<Self>) -> bool {
        let Some(VOp::Op(op)) = inst.target_op() else { return false };
        let row = &ROWS[op as usize];
        // Words of a 64-bit operand keep the parity of their registers.
        let wide = |k| matches!(k, machine::Kind::Dst(DstKind::Pair)) || matches!(k, machine::Kind::Src(s) if s.wide);
        row.attrs.class == Kind::Alu && !row.effects.convergent && !row.operands.iter().any(|o| wide(o.kind))
    }

    fn jump(&self, to: BlockId) -> MInst<Self> {
        build::Jump.on([to.into()])
    }

    fn is_jump(&self, inst: &MInst<Self>) -> bool {
        inst.target_op() == Some(VOp::Jump)
    }

    fn invert(&self, branch: &mut MInst<Self>) -> bool {
        let conditional = branch.target_op() == Some(VOp::Branch);
        if conditional {
            branch.mods.eq = !branch.mods.eq;
        }
        conditional
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

    fn ops(&self) -> Vec<VOp> {
        OPS.iter().map(|&o| VOp::Op(o)).chain([VOp::Jump, VOp::Branch, VOp::End, VOp::Fence]).collect()
    }
}
