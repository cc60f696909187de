//! Valhall as the shared machine passes see it: one file of 64 registers, staging runs, moves.
//!
//! Sources of an instruction are its uses in the order of the row's `s0..s3`; a staging run that is read comes first.
//! The only definition is the destination or the run that is written. Half registers are not allocated yet: a unit is
//! a 32-bit register.

use gpucc_mir::{BlockId, Class};
use gpucc_mir::{ClassInfo, CopyCx, InstInfo, MInst, Opcode, PReg, Pseudo, Reg, Reuse, Side, Src, Target, Use};
use gpucc_mir::{SpillCx, SpillSlot, SpillTo, VReg};
use gpucc_regalloc::{Cfg, FileId, MoveCaps, RegFile, Shape, UnitSet};
use gpucc_valhall_machine::{Class as Kind, OPS, Op, ROWS, Unit};
use thin_vec::{ThinVec, thin_vec};

use crate::isel::{load_op, store_op};

/// File code of r0..r63 in the container.
pub const FILE_R: FileId = 0;

/// One register.
pub const R: Class = Class(0);
/// An aligned pair: 64-bit operands and runs of two.
pub const R2: Class = Class(1);
/// A staging run of three.
pub const R3: Class = Class(2);
/// A staging run of four.
pub const R4: Class = Class(3);
/// One even register: 64-bit operands that take the low word of a pair.
pub const RE: Class = Class(4);

/// The class of a staging run of `n` registers.
pub fn run_class(n: usize) -> Class {
    [R, R2, R3, R4][n - 1]
}

static CLASSES: [ClassInfo; 5] = [
    ClassInfo { name: "r", file: FILE_R, shape: Shape::run(1) },
    ClassInfo { name: "r2", file: FILE_R, shape: Shape::aligned(2, 2) },
    ClassInfo { name: "r3", file: FILE_R, shape: Shape::aligned(3, 2) },
    ClassInfo { name: "r4", file: FILE_R, shape: Shape::aligned(4, 2) },
    ClassInfo { name: "re", file: FILE_R, shape: Shape::aligned(1, 2) },
];

/// An opcode of the table, or one of ours that `emit` turns into several or none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VOp {
    /// A row.
    Op(Op),
    /// Goes to the label; a BRANCHZ on a constant, or nothing before its target.
    Jump,
    /// Goes to the label if the source is not zero (`eq`: is zero).
    Branch,
    /// Ends the program.
    End,
    /// Waits until all memory accesses so far are done.
    Fence,
}

/// Modifiers by slot name; absent ones are silent. One pointer, since most instructions have none.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Mods(pub ThinVec<(&'static str, u32)>);

/// Names that are ours alone.
const OWN: [&str; 5] = ["@space", "@readonly", "@key", "@uniform", "@together"];

impl gpucc_mir::Fields for Mods {
    fn each(&self, say: &mut dyn FnMut(&'static str, u32)) {
        self.0.iter().for_each(|m| say(m.0, m.1));
    }

    fn set(&mut self, name: &str, bits: u32) -> bool {
        let slots = ROWS.iter().flat_map(|r| r.slots).map(|s| s.name);
        let found = OWN.into_iter().chain(slots).find(|n| *n == name);
        self.0.extend(found.map(|n| (n, bits)));
        found.is_some()
    }
}

/// Modifiers of a source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SrcMods {
    /// Negated.
    pub neg: bool,
    /// Absolute value, before the sign.
    pub abs: bool,
    /// Complemented.
    pub not: bool,
    /// Swizzle field, or [`IDENTITY`].
    pub(crate) swizzle: u8,
}

gpucc_mir::fields!(SrcMods { neg, abs, not, swizzle });

/// A number that no swizzle has.
const IDENTITY: u8 = u8::MAX;

impl Default for SrcMods {
    fn default() -> SrcMods {
        SrcMods { neg: false, abs: false, not: false, swizzle: IDENTITY }
    }
}

impl SrcMods {
    /// A swizzle field alone.
    pub const fn swizzled(field: u8) -> SrcMods {
        SrcMods { neg: false, abs: false, not: false, swizzle: field }
    }
    /// Swizzle field; `None` is the identity.
    pub fn swizzle(self) -> Option<u8> {
        Some(self.swizzle).filter(|&s| s != IDENTITY)
    }
    /// The same with this swizzle where there is none yet.
    pub fn or_swizzled(self, field: u8) -> SrcMods {
        SrcMods { swizzle: self.swizzle().unwrap_or(field), ..self }
    }
}

/// Uniform numbers from here up name specials: page and source byte.
pub const SPECIAL: u32 = 0x1000;

/// Memory spaces for alias questions: 0 is anything; spilled registers, which the program's own accesses never reach; then a
/// number for each buffer and variable.
pub const SPACE_SPILL: u32 = 1;
/// The first buffer or variable.
pub const SPACE_FIRST: u32 = 2;

/// The machine: how many registers a thread may use.
pub struct Valhall {
    /// Whether a thread may use all 64 registers.
    pub all: bool,
    files: [RegFile; 1],
    /// Where spilled registers begin in private memory.
    pub spill_base: u32,
}

impl Valhall {
    /// With 32 registers per thread (r0..r15 and r48..r63), or all 64.
    pub fn new(all: bool) -> Valhall {
        let mut budget = UnitSet::first(64);
        if !all {
            (16..48).for_each(|u| budget.remove(u));
        }
        Valhall { all, files: [RegFile::new("r", 64, Cfg::Logical).budget(budget)], spill_base: 0 }
    }

    /// With spilled registers from this byte of private memory on.
    #[must_use]
    pub fn spilling_from(self, spill_base: u32) -> Valhall {
        Valhall { spill_base, ..self }
    }

    fn private(&self) -> Use<Self> {
        crate::isel::Isel::special(gpucc_valhall_machine::src::THREAD_LOCAL_POINTER, 0)
    }

    fn spill_mods(&self, slot: SpillSlot) -> Mods {
        let at = self.spill_base + 4 * slot.word;
        Mods(thin_vec![("offset", at & 0xffff), ("@space", SPACE_SPILL)])
    }
}

/// A memory access's space and whether nobody writes it, from its modifiers.
pub fn space(i: &MInst<Valhall>) -> (u16, bool) {
    let get = |n: &str| i.mods.0.iter().find(|m| m.0 == n).map_or(0, |m| m.1);
    (get("@space") as u16, get("@readonly") != 0)
}

/// Whether the result depends on which lanes run.
fn asks_other_lanes(op: Op) -> bool {
    matches!(
        op,
        Op::ClperI32
            | Op::ClperV2u16
            | Op::ClperV4u8
            | Op::ClperS32
            | Op::ClperV2s16
            | Op::ClperV4s8
            | Op::ClperU64
            | Op::ClperS64
            | Op::Wmask
    )
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
        let Opcode::Op(op) = inst.op else { return InstInfo::pure(1) };
        let mut info = InstInfo::pure(1);
        match op {
            VOp::Jump | VOp::Branch | VOp::End => {
                info.terminator = true;
                info.side_effect = true;
            }
            VOp::Fence => {
                info.reads = true;
                info.writes = true;
                info.side_effect = true;
            }
            VOp::Op(op) => {
                let facts = ROWS[op as usize].facts;
                info.unit = facts.unit as u8;
                info.latency = match facts.unit {
                    Unit::Sfu => 4,
                    _ if facts.class.is_message() => 20,
                    _ => 1,
                };
                match facts.class {
                    Kind::Memory | Kind::Buffer => {
                        let (space, readonly) = space(inst);
                        info.space = space;
                        info.reads = !readonly;
                        let name = ROWS[op as usize].text;
                        if name.starts_with("STORE") || name.starts_with("ATOM") {
                            info.writes = true;
                        }
                    }
                    Kind::Barrier => {
                        info.reads = true;
                        info.writes = true;
                        info.convergent = true;
                        info.side_effect = true;
                    }
                    _ => {}
                }
            }
        }
        info
    }

    fn move_caps(&self, _file: FileId) -> MoveCaps {
        MoveCaps { widths: &[(1, 1)] }
    }

    fn emit_move(&self, cx: &mut CopyCx<'_, Self>, dst: Side<'_>, src: Side<'_>) {
        for (&d, &s) in dst.units.iter().zip(src.units) {
            let from = Use::preg(PReg::new(FILE_R, s, 1));
            cx.push(MInst::new(VOp::Op(Op::MovI32)).def(gpucc_mir::Def::preg(PReg::new(FILE_R, d, 1))).arg(from));
        }
    }

    fn emit_swap(&self, cx: &mut CopyCx<'_, Self>, a: Side<'_>, b: Side<'_>) {
        // Three exclusive ors: no register is free.
        for (&x, &y) in a.units.iter().zip(b.units) {
            let (x, y) = (PReg::new(FILE_R, x, 1), PReg::new(FILE_R, y, 1));
            for (d, s) in [(x, y), (y, x), (x, y)] {
                let zero = Use::imm(0).mods(SrcMods::swizzled(4));
                let i = MInst::new(VOp::Op(Op::LshiftXorI32)).def(gpucc_mir::Def::preg(d));
                cx.push(i.arg(Use::preg(d)).arg(zero).arg(Use::preg(s)));
            }
        }
    }

    fn emit_set(&self, cx: &mut CopyCx<'_, Self>, dst: Side<'_>, src: &Use<Self>) {
        for &d in dst.units {
            let def = gpucc_mir::Def::preg(PReg::new(FILE_R, d, 1));
            cx.push(match src.src {
                Src::Imm(v) if gpucc_valhall_machine::src::lut(v).is_none() => {
                    let zero = MInst::new(VOp::Op(Op::IaddImmI32)).def(def).arg(Use::imm(0));
                    zero.mods(Mods(thin_vec![("constant", v)]))
                }
                _ => MInst::new(VOp::Op(Op::MovI32)).def(def).arg(*src),
            });
        }
    }

    fn spill_to(&self, _class: Class) -> SpillTo {
        SpillTo::Memory
    }

    fn emit_spill(&self, cx: &mut SpillCx<'_, Self>, slot: SpillSlot, v: VReg) {
        let store = MInst::new(VOp::Op(store_op(usize::from(slot.units)))).arg(v).arg(self.private());
        let mut mods = self.spill_mods(slot);
        mods.0.push(("memory_access", 3));
        cx.push(store.mods(mods));
    }

    fn emit_reload(&self, cx: &mut SpillCx<'_, Self>, slot: SpillSlot, v: VReg) {
        let load = MInst::new(VOp::Op(load_op(usize::from(slot.units)))).def(v).arg(self.private());
        let mut mods = self.spill_mods(slot);
        mods.0.push(("unsigned", 1));
        cx.push(load.mods(mods));
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
            Opcode::Op(VOp::Op(op)) => ROWS[op as usize].facts.class == Kind::Alu && !asks_other_lanes(op),
            _ => false,
        };
        match same && value {
            false => Reuse::Never,
            // Constants and uniforms are cheaper to repeat than to keep.
            true if inst.vreg_uses().next().is_none() => Reuse::InBlock,
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

    fn jump(&self, to: BlockId) -> MInst<Self> {
        MInst::new(VOp::Jump).arg(to)
    }

    fn is_jump(&self, inst: &MInst<Self>) -> bool {
        inst.target_op() == Some(VOp::Jump)
    }

    fn ops(&self) -> Vec<VOp> {
        OPS.iter().map(|&o| VOp::Op(o)).chain([VOp::Jump, VOp::Branch, VOp::End, VOp::Fence]).collect()
    }
}
