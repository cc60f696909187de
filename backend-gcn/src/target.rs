//! GCN as the shared machine passes see it: scalar and vector registers, moves, spills.
//!
//! Vector registers live along the graph of lanes: those that wait keep theirs while others run. Scalar registers and lane
//! masks live along the graph of the wave. What a program needs everywhere (descriptors, system values) sits in scalar
//! registers outside the budget.

use gpucc_gcn_machine::{Access, Memory, Op, Unit, rows};
use gpucc_isa::Effects;
use gpucc_mir::{
    BlockId, Class, ClassInfo, CopyCx, Def, FileId, InstInfo, MFunc, MInst, MoveCaps, MoveSide, PReg, Reg, RegFile,
    Reuse, SpillCx, SpillSlot, SpillTo, Src, Target, Use, VReg,
};
use smallvec::SmallVec;

use crate::builders as build;
use crate::forms;
use crate::inst::{
    CLASSES, Cond, FILE_S, FILE_V, GOp, Gcn, ImageNo, Mods, Offset, S, SPILL_LANES, Soffset, SrcMods, Srsrc, V,
    is_exact, with,
};
use crate::model;

/// EXEC.
const EXEC: PReg = PReg { file: FILE_S, place: gpucc_mir::Placement::run(126, 2) };

/// A lane's scratch never meets a buffer.
const SPACE_SCRATCH: u16 = Memory::COUNT;
/// Images that something writes come behind it: each is apart.
const SPACE_IMAGES: u16 = SPACE_SCRATCH;

/// The register of a scalar word; words beyond the last are refused after allocation.
fn spill_lane(word: u32) -> PReg {
    PReg::new(FILE_V, (u32::from(SPILL_LANES) + word / 64).min(255) as u16, 1)
}

impl Gcn {
    /// One word of scratch: the instruction, but for its data.
    fn scratch(&self, cx: &mut SpillCx<'_, Self>, op: Op, word: u32) -> MInst<Self> {
        let Some(s) = self.spills.vector else { return MInst::new(GOp::I(op)) };
        let byte = s.from + 4 * word;
        // A lane's bytes lie a whole wave apart: what the field cannot hold goes 64 times into the scalar offset.
        let far = byte / 4096 * 4096;
        let soffset = if far == 0 { s.offset } else { s.far };
        if far != 0 {
            let add = MInst::new(GOp::I(Op::SAddU32)).def(Def::preg(PReg::new(FILE_S, s.far as u16, 1)));
            cx.push(add.arg(Use::preg(PReg::new(FILE_S, s.offset as u16, 1))).imm(far * 64));
        }
        with(MInst::new(GOp::I(op)), (Srsrc(s.descriptor as u8 / 4), Soffset(soffset as u8), Offset(byte - far)))
    }
}

impl Target for Gcn {
    type Op = GOp;
    type Mods = Mods;
    type SrcMods = SrcMods;
    type Uses = [Use<Self>; 3];

    fn files(&self) -> &[RegFile] {
        &self.files
    }

    fn classes(&self) -> &[ClassInfo] {
        &CLASSES
    }

    fn info(&self, inst: &MInst<Self>) -> InstInfo {
        let op = match inst.target_op() {
            Some(GOp::I(op)) => op,
            Some(GOp::Leave(_) | GOp::Jump | GOp::Branch(_) | GOp::End) => return InstInfo::of(Effects::branch()),
            Some(GOp::Choose(_)) | None => return InstInfo::pure(1),
        };
        let Some(row) = rows::of(op) else { return InstInfo::pure(1) };
        let (e, access) = (row.effects, row.attrs.access);
        // An exchange of lanes through the LDS keeps its place among accesses to it.
        let exchanges = row.attrs.unit == Unit::Lds && access == Access::None;
        InstInfo {
            latency: e.latency.div_ceil(model::SLOT as u16),
            reads: e.reads && !inst.mods.readonly,
            // Loads that others' stores can be seen by keep their order.
            writes: e.writes || exchanges || access == Access::Load && inst.mods.glc,
            space: match inst.mods.image {
                ImageNo(0) if inst.mods.is_scratch() => SPACE_SCRATCH,
                ImageNo(0) if exchanges => Memory::Lds as u16,
                ImageNo(0) => e.space,
                ImageNo(n) => SPACE_IMAGES + n,
            },
            // Stores to different memory need no order among each other.
            side_effect: e.side_effect && !matches!(access, Access::Store | Access::Atomic),
            ..InstInfo::of(e)
        }
    }

    fn implicit(&self, inst: &MInst<Self>, reads: &mut SmallVec<[PReg; 4]>, writes: &mut SmallVec<[PReg; 4]>) {
        let _ = writes;
        let Some(GOp::I(op)) = inst.target_op() else { return };
        // A value that names a lane stays between changes of EXEC too.
        let vector = |u: Unit| !matches!(u, Unit::Salu | Unit::Smem | Unit::Branch);
        if rows::of(op).is_some_and(|r| vector(r.attrs.unit) || rows::reads_exec(r)) {
            reads.push(EXEC);
        }
        if let Some(live) = self.live
            && is_exact(inst, op)
        {
            reads.push(PReg::new(FILE_S, live as u16, 2));
        }
        if inst.mods.is_scratch() {
            reads.push(PReg::new(FILE_S, inst.mods.soffset.into(), 1));
        }
    }

    fn reuse(&self, inst: &MInst<Self>) -> Reuse {
        if inst.mods.once { Reuse::InBlock } else { Reuse::Never }
    }

    fn spill_to(&self, class: Class) -> SpillTo {
        let file = CLASSES[class.0 as usize].file;
        let can = if file == FILE_S { self.spills.scalar } else { self.spills.vector.is_some() };
        if can { SpillTo::Memory } else { SpillTo::Nothing }
    }

    fn emit_spill(&self, cx: &mut SpillCx<'_, Self>, slot: SpillSlot, v: VReg) {
        for k in 0..slot.units {
            let word = slot.word + u32::from(k);
            let part = if slot.units == 1 { Use::reg(v) } else { Use::reg(v).part(k as u8, 1) };
            if slot.file == FILE_S {
                let lane = spill_lane(word);
                cx.push(build::VWritelaneB32.on([part, Use::imm(word % 64)]).def(Def::preg(lane)));
            } else {
                let i = self.scratch(cx, Op::BufferStoreDword, word);
                cx.push(i.arg(part));
            }
        }
    }

    fn emit_reload(&self, cx: &mut SpillCx<'_, Self>, slot: SpillSlot, v: VReg) {
        let mut parts = Vec::new();
        for k in 0..slot.units {
            let word = slot.word + u32::from(k);
            let r = match slot.units {
                1 => v,
                _ => cx.temp(if slot.file == FILE_S { S } else { V }),
            };
            if slot.file == FILE_S {
                let lane = spill_lane(word);
                cx.push(build::VReadlaneB32.on([Use::preg(lane), Use::imm(word % 64)]).def(r));
            } else {
                let i = self.scratch(cx, Op::BufferLoadDword, word);
                cx.push(i.def(r));
            }
            parts.push(Use::reg(r));
        }
        if slot.units > 1 {
            cx.push(MInst::collect(v, parts));
        }
    }

    fn prefer_same(&self, inst: &MInst<Self>) -> Option<(usize, usize)> {
        matches!(inst.target_op(), Some(GOp::I(Op::VMadF32 | Op::VMadF16))).then_some((0, 2))
    }

    fn gives_back(&self, class: Class) -> bool {
        class == V
    }

    fn can_remat(&self, inst: &MInst<Self>) -> bool {
        // Descriptors in constant memory come back as they were.
        let again = match inst.target_op() {
            Some(GOp::I(Op::SMovB32 | Op::VMovB32)) => true,
            Some(GOp::I(Op::SLoadDwordx4 | Op::SLoadDwordx8)) => inst.mods.readonly,
            _ => false,
        };
        again && inst.uses.iter().all(|u| matches!(u.src, gpucc_mir::Src::Imm(_)))
    }

    fn move_caps(&self, file: FileId) -> MoveCaps {
        MoveCaps { widths: if file == FILE_S { &[(2, 2), (1, 1)] } else { &[(1, 1)] } }
    }

    fn emit_move(&self, cx: &mut CopyCx<'_, Self>, dst: MoveSide<'_>, src: MoveSide<'_>) {
        let pair =
            |s: &MoveSide<'_>| s.units.len() == 2 && s.units[0].is_multiple_of(2) && s.units[1] == s.units[0] + 1;
        if dst.file == FILE_S && src.file == FILE_S && pair(&dst) && pair(&src) {
            cx.push(build::SMovB64.on([Use::preg(src.preg())]).def(Def::preg(dst.preg())));
            return;
        }
        let op = match (dst.file, src.file) {
            (FILE_S, FILE_S) => Op::SMovB32,
            (FILE_S, _) => Op::VReadfirstlaneB32,
            _ => Op::VMovB32,
        };
        for (&d, &s) in dst.units.iter().zip(src.units) {
            let to = Def::preg(PReg::new(dst.file, d, 1));
            cx.push(MInst::new(GOp::I(op)).def(to).arg(Use::preg(PReg::new(src.file, s, 1))));
        }
    }

    fn emit_swap(&self, cx: &mut CopyCx<'_, Self>, a: MoveSide<'_>, b: MoveSide<'_>) {
        let op = if a.file == FILE_S { Op::SXorB32 } else { Op::VXorB32 };
        for (&x, &y) in a.units.iter().zip(b.units) {
            let (x, y) = (PReg::new(a.file, x, 1), PReg::new(a.file, y, 1));
            for (d, s) in [(x, y), (y, x), (x, y)] {
                cx.push(MInst::new(GOp::I(op)).def(Def::preg(d)).arg(Use::preg(d)).arg(Use::preg(s)));
            }
        }
    }

    fn emit_set(&self, cx: &mut CopyCx<'_, Self>, dst: MoveSide<'_>, src: &Use<Self>) {
        let op = if dst.file == FILE_S { Op::SMovB32 } else { Op::VMovB32 };
        for &d in dst.units {
            cx.push(MInst::new(GOp::I(op)).def(Def::preg(PReg::new(dst.file, d, 1))).arg(*src));
        }
    }

    fn as_move(&self, inst: &MInst<Self>) -> Option<(PReg, PReg)> {
        let (Some(GOp::I(Op::VMovB32)), [d], [s]) = (inst.target_op(), inst.defs.as_slice(), inst.uses.as_slice())
        else {
            return None;
        };
        let plain = inst.mods == Mods::default() && s.mods == SrcMods::default();
        let vector = |p: PReg| p.file == FILE_V && p.place.len() == 1;
        Some((d.phys()?, s.phys()?)).filter(|&(d, s)| plain && vector(d) && vector(s))
    }

    fn renames(&self, inst: &MInst<Self>) -> bool {
        let Some(GOp::I(op)) = inst.target_op() else { return false };
        let plain = rows::of(op).is_some_and(|r| matches!(r.attrs.unit, Unit::Valu | Unit::Trans));
        plain && !inst.mods.moves_lanes() && op != Op::VWritelaneB32
    }

    fn jump(&self, to: BlockId) -> MInst<Self> {
        MInst::new(GOp::Jump).arg(to)
    }

    fn is_jump(&self, inst: &MInst<Self>) -> bool {
        inst.target_op() == Some(GOp::Jump)
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

    fn ops(&self) -> Vec<GOp> {
        let each = |of: fn(Op) -> GOp| Op::ALL.iter().map(move |&o| of(o));
        let own = [GOp::Leave(None), GOp::Jump, GOp::Branch(Cond::Active), GOp::Branch(Cond::Lanes), GOp::End];
        let compared =
            each(|o| GOp::Leave(Some(o))).chain(each(|o| GOp::Branch(Cond::Scalar(o)))).chain(each(GOp::Choose));
        each(GOp::I).chain(own).chain(compared).collect()
    }
}

/// Brings the vector registers whose lanes hold scalar registers down to `top`.
pub fn lower_spill_lanes(mf: &mut MFunc<Gcn>, top: u16) {
    let down = |p: &mut PReg| {
        if p.file == FILE_V && p.place.base() >= SPILL_LANES {
            *p = PReg::new(FILE_V, p.place.base() - SPILL_LANES + top, p.place.len());
        }
    };
    if top >= SPILL_LANES {
        return;
    }
    for i in mf.code.iter_mut().flatten() {
        for d in &mut i.defs {
            if let Reg::P(p) = &mut d.reg {
                down(p);
            }
        }
        for u in &mut i.uses {
            if let Src::Reg(Reg::P(p)) = &mut u.src {
                down(p);
            }
        }
    }
}
