//! The family as the shared machine passes see it: 32-bit registers, flag registers, address registers.

use gpucc_mir::{
    BlockId, Class, ClassInfo, CopyCx, Def, InstInfo, MInst, MoveSide, PReg, Reg, Reuse, SpillCx, SpillSlot, SpillTo,
    Src, Target, Use, VReg,
};
use gpucc_regalloc::{FileId, RegFile};
use gpucc_tesla_machine as machine;
use machine::{AddOp, Memory, Op, Pred, Ty};

use crate::builders as build;
use crate::forms;
use crate::inst::{
    A, ADDR, C, Carried, FLAGS, Half, Lock, Mods, Of, Offset, PARAMETERS, R, R32, SrcMods, TOp, Tesla, ZERO, zero,
};
use crate::slots::Slot;

fn spill_ty(units: u16) -> Ty {
    match units {
        1 => Ty::B32,
        2 => Ty::B64,
        _ => Ty::B128,
    }
}

impl Target for Tesla {
    type Op = TOp;
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
        let Some(op) = inst.target_op() else { return InstInfo::pure(1) };
        let TOp::M(op) = op else { return InstInfo::of(forms::effects_of(op)) };
        let mut own = InstInfo::of(forms::effects(op));
        if inst.mods.carries == Carried::Exit {
            (own.terminator, own.side_effect) = (true, true);
        }
        // A word of s[] is an operand of anything, also of what touches other memory.
        let shared = inst.uses.iter().any(|u| match u.src {
            Src::Uniform(n) => self.changes(Slot::unpack(n)),
            _ => false,
        });
        match (shared, own.reads || own.writes) {
            (false, _) => own,
            (true, false) => InstInfo { reads: true, space: Memory::Shared as u16, ..own },
            (true, true) => InstInfo { reads: true, space: 0, ..own },
        }
    }

    fn prefer_same(&self, inst: &MInst<Self>) -> Option<(usize, usize)> {
        let Some(TOp::M(op)) = inst.target_op() else { return None };
        let k = forms::added_to(op)?;
        inst.uses.get(k)?.vreg().map(|_| (0, k))
    }

    fn emit_move(&self, cx: &mut CopyCx<'_, Self>, dst: MoveSide<'_>, src: MoveSide<'_>) {
        for (&d, &s) in dst.units.iter().zip(src.units) {
            let (d, s) = (PReg::new(dst.file, d, 1), PReg::new(src.file, s, 1));
            let i = match (dst.file, src.file) {
                (R, R) => build::Mov.on([Use::preg(s)]),
                (R, C) => build::MovFromC.on([]).arg(Use::preg(s)),
                (C, R) => build::MovToC.on([Use::preg(s)]),
                (R, A) => build::MovFromA.on([]).arg(Use::preg(s)),
                (A, R) => build::ShlToA.on([Use::preg(s), Use::imm(0)]),
                (A, A) => build::AddA.on([Use::imm(0)]).arg(Use::preg(s)),
                _ => unreachable!("flags are made where they are used: no move between {s:?} and {d:?}"),
            };
            cx.push(i.def(Def::preg(d)));
        }
    }

    fn emit_swap(&self, cx: &mut CopyCx<'_, Self>, a: MoveSide<'_>, b: MoveSide<'_>) {
        assert_eq!(a.file, R, "only general registers are ever exchanged");
        for (&x, &y) in a.units.iter().zip(b.units) {
            for (d, s) in [(x, y), (y, x), (x, y)] {
                let (d, s) = (PReg::new(R, d, 1), PReg::new(R, s, 1));
                cx.push(build::Xor.on([Use::preg(d), Use::preg(s)]).def(Def::preg(d)));
            }
        }
    }

    fn emit_set(&self, cx: &mut CopyCx<'_, Self>, dst: MoveSide<'_>, src: &Use<Self>) {
        for &u in dst.units {
            let d = Def::preg(PReg::new(dst.file, u, 1));
            cx.push(match src.src {
                Src::Imm(0) => build::Mov.on([zero()]).def(d),
                Src::Uniform(n) if matches!(Slot::unpack(n), Slot::Pool(_) | Slot::Table(_) | Slot::Const(..)) => {
                    build::LdC.on([*src]).def(d)
                }
                _ => build::Mov.on([*src]).def(d),
            });
        }
    }

    fn spill_to(&self, class: Class) -> SpillTo {
        if class == FLAGS || class == ADDR { SpillTo::Class(R32) } else { SpillTo::Memory }
    }

    fn emit_spill(&self, cx: &mut SpillCx<'_, Self>, slot: SpillSlot, v: VReg) {
        let mods = (Offset(self.spill_base + slot.word * 4), Of(spill_ty(slot.units)));
        cx.push(build::StL.with(mods, [v.into()]));
    }

    fn emit_reload(&self, cx: &mut SpillCx<'_, Self>, slot: SpillSlot, v: VReg) {
        let mods = (Offset(self.spill_base + slot.word * 4), Of(spill_ty(slot.units)));
        cx.push(build::LdL.with(mods, []).def(v));
    }

    /// Moves of what no store changes. A word of workgroup memory is read by a `mov`, too.
    fn can_remat(&self, inst: &MInst<Self>) -> bool {
        let still = |u: &Use<Self>| match u.src {
            Src::Imm(_) => true,
            Src::Uniform(n) => !self.changes(Slot::unpack(n)),
            Src::Reg(r) => r == Reg::P(ZERO),
            Src::Label(_) => false,
        };
        matches!(inst.target_op(), Some(TOp::M(Op::Mov | Op::LdC))) && inst.uses.iter().all(still)
    }

    /// Addresses in `$a` and parts of the packed local id, which selection asks for several times. Not what has a predicate.
    fn reuse(&self, inst: &MInst<Self>) -> Reuse {
        let Some(TOp::M(op)) = inst.target_op() else { return Reuse::Never };
        let still = |u: &Use<Self>| match u.src {
            Src::Reg(Reg::V(_)) | Src::Imm(_) => true,
            Src::Reg(Reg::P(p)) => p == ZERO,
            // The header and parameters lie below workgroup memory.
            Src::Uniform(n) => match Slot::unpack(n) {
                Slot::Pool(_) | Slot::Table(_) | Slot::Const(..) | Slot::Attr(_) => true,
                Slot::Shared(machine::SharedTy::U16, off) => u32::from(off) < PARAMETERS,
                _ => false,
            },
            Src::Label(_) => false,
        };
        // Addresses, and the angle that a sine and a cosine share.
        let value = matches!(
            op,
            Op::ShlToA | Op::Shl | Op::Shr | Op::CvtII | Op::Add | Op::MadU16 | Op::MadU24 | Op::Mul24 | Op::PreSin
        ) && inst.mods.pred == Pred::Always
            && inst.mods.addop == AddOp::Add
            && inst.uses.iter().all(still);
        if value { Reuse::InBlock } else { Reuse::Never }
    }

    fn reuse_window(&self) -> usize {
        24
    }

    /// There are four address registers.
    fn reuse_of(&self, class: Class) -> usize {
        if class == ADDR { 3 } else { usize::MAX }
    }

    fn as_move(&self, inst: &MInst<Self>) -> Option<(PReg, PReg)> {
        let (Some(TOp::M(Op::Mov)), [d], [s]) = (inst.target_op(), inst.defs.as_slice(), inst.uses.as_slice()) else {
            return None;
        };
        let plain = inst.mods == Mods::default() && s.mods == SrcMods::default();
        let (d, s) = (d.phys()?, s.phys()?);
        (plain && d.file == R && s.file == R && s != ZERO && d.place.len() == 1 && s.place.len() == 1).then_some((d, s))
    }

    fn overwrites(&self, inst: &MInst<Self>, def: PReg) -> PReg {
        // Components that a texture instruction gives are packed from the first register of its run on.
        let given = inst.mods.dvec.count_ones() as u16;
        let packed = matches!(inst.target_op(), Some(TOp::M(_))) && def.file == R && given < def.place.len();
        if packed { PReg { place: def.place.part(0, given), ..def } } else { def }
    }

    fn renames(&self, inst: &MInst<Self>) -> bool {
        use Op::*;
        let Some(TOp::M(op)) = inst.target_op() else { return false };
        #[rustfmt::skip]
        let plain = matches!(
            op,
            Add | Sub | Subr | Set | Max | Min | Shl | Shr | Mul16 | Mul24 | MadU16 | MadU24 | And | Or | Xor | Mov | Slct
                | Fadd | Fmul | FmulSat | Fmad | Fset | Fmax | Fmin | PreSin | PreEx2 | Rcp | Rsqrt | Lg2 | Sin | Cos | Ex2
                | CvtII | CvtIF | CvtFI | CvtFF | CvtRint | LdC | Interp | InterpMul | InterpFlat
        );
        // What has a predicate leaves lanes as they were.
        let whole = inst.mods.half == Half::Whole && inst.uses.iter().all(|u| u.mods.half == Half::Whole);
        plain && whole && inst.mods.pred == Pred::Always && inst.mods.carries == Carried::Nothing
    }

    fn jump(&self, to: BlockId) -> MInst<Self> {
        build::Bra.on([to.into()])
    }

    fn is_jump(&self, inst: &MInst<Self>) -> bool {
        inst.target_op() == Some(TOp::M(Op::Bra)) && inst.mods.pred == Pred::Always
    }

    fn invert(&self, branch: &mut MInst<Self>) -> bool {
        let opposite = branch.mods.pred.opposite().filter(|_| branch.target_op() == Some(TOp::M(Op::Bra)));
        if let Some(pred) = opposite {
            branch.mods.pred = pred;
        }
        opposite.is_some()
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

    fn ops(&self) -> Vec<TOp> {
        let rows = || machine::table().rows.iter().map(|r| r.op);
        let locks = rows().flat_map(|o| [false, true].map(|swap| TOp::Lock(Lock::Op(o, swap))));
        let own = [
            TOp::Lock(Lock::Exchange),
            TOp::Lock(Lock::Cas),
            TOp::JoinAt,
            TOp::Join,
            TOp::PreBrk,
            TOp::LoopExit,
            TOp::Exit,
            TOp::Fence,
            TOp::DeviceFence,
            TOp::Unset,
            TOp::EachLevel(Op::TexLod),
            TOp::EachLevel(Op::TexBias),
        ];
        rows().map(TOp::M).chain(locks).chain(own).collect()
    }
}
