//! The family as the shared machine passes see it: 32-bit registers, flag registers, address registers.

use gpucc_isa::Effects;
use gpucc_mir::{
    BlockId, Class, ClassInfo, CopyCx, Def, InstInfo, MInst, MoveSide, PReg, Reg, Reuse, SpillCx, SpillSlot, SpillTo,
    Src, Target, Use, VReg,
};
use gpucc_regalloc::{Cfg, FileId, RegFile, Shape, UnitSet};
use gpucc_tesla_machine as machine;
use machine::{AddOp, Cond, Memory, Op, Pred, Round, Ty};

use crate::builders as build;
use crate::forms;
use crate::slots::Slot;

/// File of general registers.
pub const R: FileId = 0;
/// File of flag registers.
pub const C: FileId = 1;
/// File of address registers; unit n is `$a(n+1)`.
pub const A: FileId = 2;

/// One register.
pub const R32: Class = Class(0);
/// An aligned pair.
pub const R64: Class = Class(1);
/// An aligned group of four.
pub const R128: Class = Class(2);
/// A flag register.
pub const FLAGS: Class = Class(3);
/// An address register.
pub const ADDR: Class = Class(4);

/// Registers that every form and every half reaches.
pub const REGISTERS: u16 = 64;

/// The register that is never allocated and reads 0.
pub const ZERO: PReg = PReg::new(R, 127, 1);

/// An atomic operation on s[] under a lock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lock {
    /// Old value and operand by this operation.
    Op(Op, bool),
    /// The operand.
    Exchange,
    /// Second operand if the old value equals the first.
    Cas,
}

/// An opcode of the machine's table, or a piece of the flow of control that emission resolves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TOp {
    /// A row.
    M(Op),
    /// A loop around a locked word: defs old value, new value, flags; uses data, address register.
    Lock(Lock),
    /// Pushes the join with a number.
    JoinAt,
    /// Is the join with that number.
    Join,
    /// Pushes the exit of the loop with that number.
    PreBrk,
    /// Marks the block where that loop exits to.
    LoopExit,
    /// The invocation ends.
    Exit,
}

impl TOp {
    /// What an opcode does besides its results.
    pub fn effects(self) -> Effects {
        match self {
            TOp::M(op) => forms::effects(op),
            TOp::Lock(_) => Effects::atomic(LOCK).at(Memory::Shared as u16),
            TOp::JoinAt | TOp::Join | TOp::PreBrk | TOp::LoopExit => Effects::kept().convergent(),
            TOp::Exit => Effects::branch(),
        }
    }
}

/// Cycles of a loop around a locked word that nobody else wants.
const LOCK: u16 = 150;

/// Half of a register that an operand reads or a result goes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Half {
    /// The whole register.
    #[default]
    Whole,
    /// Bits 0 to 15.
    Low,
    /// Bits 16 to 31.
    High,
}

/// What rides on an instruction; the numbers are those of the encoding.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Carried {
    /// Nothing.
    #[default]
    Nothing,
    /// The end of the program behind it.
    Exit,
    /// A join before it.
    Join,
}

gpucc_isa::mod_values!(Half { Whole, Low, High });
gpucc_isa::mod_values!(Carried { Nothing, Exit, Join });

gpucc_mir::modifiers! {
    /// Modifiers of an instruction.
    pub struct Mods of Tesla {
        /// Type of the row, where the opcode has rows of several.
        ty: Ty = Ty::B32 => Of,
        /// Source type of conversions.
        src: Ty = Ty::None => Reads,
        /// What a comparison asks.
        cond: Cond = Cond::Never => If,
        /// What a flag register must say.
        pred: Pred = Pred::Always => When,
        /// Signed operands.
        signed: bool = false => Signed,
        /// Saturates.
        sat: bool = false => Sat,
        /// Rounding mode.
        rnd: Round = Round::Nearest => Rounding,
        /// High bits of a 24-bit product.
        high: bool = false => High,
        /// What a multiply-add does with its product.
        addop: AddOp = AddOp::Add => Sum,
        /// Half that is written.
        half: Half = Half::Whole => IntoHalf,
        /// Number of the g[] space.
        space: u8 = 0 => Space,
        /// Byte offset of a memory operand.
        offset: u32 = 0 => Offset,
        /// Number of a join or a loop exit, 0 for none.
        id: u16 = 0 => Id,
        /// What rides on the instruction.
        carries: Carried = Carried::Nothing => Carries,
        /// 4 bytes long, as one of two that stand next to each other.
        short: bool = false => Short,
        /// Whether a branch may separate lanes.
        divergent: bool = false => Divergent,
    }
}

impl Mods {
    /// A type alone.
    pub fn ty(ty: Ty) -> Mods {
        Mods { ty, ..Mods::default() }
    }
    /// A conversion.
    pub fn cvt(ty: Ty, src: Ty, rnd: Round) -> Mods {
        Mods { ty, src, rnd, ..Mods::default() }
    }
    /// A number of a join or exit.
    pub fn id(id: u16) -> Mods {
        Mods { id, ..Mods::default() }
    }
}

/// Modifiers of a source.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SrcMods {
    /// Negation, after the absolute value.
    pub neg: bool,
    /// Absolute value.
    pub abs: bool,
    /// Bitwise complement.
    pub not: bool,
    /// Half that is read.
    pub half: Half,
}

gpucc_mir::fields!(SrcMods { neg, abs, not, half });

impl SrcMods {
    /// Reads a half.
    pub const fn half(half: Half) -> SrcMods {
        SrcMods { neg: false, abs: false, not: false, half }
    }
}

/// An operand in memory.
pub fn slot(s: Slot) -> Use<Tesla> {
    Use::new(Src::Uniform(s.pack()))
}

/// The register that reads 0.
pub fn zero() -> Use<Tesla> {
    Use::preg(ZERO)
}

/// The target; one for each compilation.
pub struct Tesla {
    /// Generation index of the machine crate.
    pub generation: u8,
    /// Where spill memory begins in l[].
    pub spill_base: u32,
    /// Where workgroup memory begins in s[]. What lies below, the header and the parameters, never changes.
    pub shared_base: u32,
    files: [RegFile; 3],
    classes: [ClassInfo; 5],
}

impl Tesla {
    /// The target of a generation with so many registers for an invocation.
    pub fn new(generation: u8, registers: u16) -> Tesla {
        let class = |name, file, shape| ClassInfo { name, file, shape };
        Tesla {
            generation,
            spill_base: 0,
            shared_base: crate::isel::PARAMETERS,
            files: [
                RegFile::new("r", 128, Cfg::Logical).budget(UnitSet::first(registers.min(REGISTERS))),
                RegFile::new("c", 4, Cfg::Logical),
                RegFile::new("a", 4, Cfg::Logical),
            ],
            classes: [
                class("r", R, Shape::run(1)),
                class("rd", R, Shape::aligned(2, 2)),
                class("rq", R, Shape::aligned(4, 4)),
                class("c", C, Shape::run(1)),
                class("a", A, Shape::run(1)),
            ],
        }
    }
}

impl Tesla {
    /// The same with spilled registers from this byte of l[] on.
    #[must_use]
    pub fn spilling_from(self, spill_base: u32) -> Tesla {
        Tesla { spill_base, ..self }
    }

    /// The same with workgroup memory from this byte of s[] on.
    #[must_use]
    pub fn sharing_from(self, shared_base: u32) -> Tesla {
        Tesla { shared_base, ..self }
    }

    /// Whether a store may change what an operand reads: a word of workgroup memory.
    fn changes(&self, slot: Slot) -> bool {
        match slot {
            Slot::Pool(_) | Slot::Const(..) => false,
            Slot::Shared(_, off) => u32::from(off) >= self.shared_base,
            Slot::SharedAt(..) => true,
        }
    }

    /// Gives register 63 to nobody: it reads 0 then, and forms with 6 bits for a register can name it.
    pub fn keep_r63(&mut self) {
        self.files[R as usize].budget.remove(REGISTERS - 1);
    }
}

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
        let TOp::M(op) = op else { return InstInfo::of(op.effects()) };
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
                Src::Uniform(n) if matches!(Slot::unpack(n), Slot::Pool(_) | Slot::Const(..)) => {
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
            Src::Reg(_) | Src::Label(_) => false,
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
                Slot::Pool(_) | Slot::Const(..) => true,
                Slot::Shared(machine::SharedTy::U16, off) => u32::from(off) < crate::isel::PARAMETERS,
                _ => false,
            },
            Src::Label(_) => false,
        };
        let value =
            matches!(op, Op::ShlToA | Op::Shl | Op::Shr | Op::CvtII | Op::Add | Op::MadU16 | Op::MadU24 | Op::Mul24)
                && inst.mods.pred == Pred::Always
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
        ];
        rows().map(TOp::M).chain(locks).chain(own).collect()
    }
}
