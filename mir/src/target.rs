//! What a target tells the shared passes.

use core::fmt::Debug;

use gpucc_ir::Loc;
use gpucc_isa::Effects;
use gpucc_regalloc::{FileId, MoveCaps, Placement, RegFile, Shape, UnitSet};
use smallvec::SmallVec;

use crate::fields::Fields;
use crate::inst::{BlockId, Class, MInst, PReg, Use, VReg};
use crate::spill::{SpillCx, SpillSlot, SpillTo};

/// A register class.
#[derive(Clone, Copy, Debug)]
pub struct ClassInfo {
    /// Name for dumps.
    pub name: &'static str,
    /// Register file.
    pub file: FileId,
    /// Size and legal placements.
    pub shape: Shape,
}

/// What an instruction does besides computing its definitions from its uses, and what it costs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct InstInfo {
    /// Reads memory.
    pub reads: bool,
    /// Writes memory, or orders it.
    pub writes: bool,
    /// Accesses with different nonzero spaces never alias; 0 may alias everything.
    pub space: u16,
    /// Stays although nobody reads its definitions, and in order with all others of its kind.
    pub side_effect: bool,
    /// May not be moved to another block.
    pub convergent: bool,
    /// Ends the block. All terminators of a block come last.
    pub terminator: bool,
    /// Cycles until its definitions can be read without stalling.
    pub latency: u16,
    /// Execution unit, numbered by the target.
    pub unit: u8,
}

impl InstInfo {
    /// A pure operation.
    pub const fn pure(latency: u16) -> InstInfo {
        InstInfo {
            reads: false,
            writes: false,
            space: 0,
            side_effect: false,
            convergent: false,
            terminator: false,
            latency,
            unit: 0,
        }
    }

    /// The effects of a row, on memory of this space (0: may alias everything).
    pub const fn of(e: Effects, space: u16) -> InstInfo {
        let Effects { reads, writes, side_effect, convergent, terminator, latency, unit } = e;
        InstInfo { reads, writes, space, side_effect, convergent, terminator, latency, unit }
    }

    /// Whether it may be dropped when nobody reads its definitions.
    pub const fn can_dce(&self) -> bool {
        !(self.writes || self.side_effect || self.terminator)
    }
}

/// Where the target puts the moves it is asked for.
pub struct CopyCx<'a, T: Target> {
    /// The instructions, in order.
    pub out: &'a mut Vec<MInst<T>>,
    /// Per file: units that hold nothing here and may be overwritten.
    pub free: &'a [UnitSet],
    /// Location for the new instructions.
    pub loc: Loc,
}

impl<T: Target> CopyCx<'_, T> {
    /// Appends an instruction with the location of the copy.
    pub fn push(&mut self, mut i: MInst<T>) {
        i.loc = self.loc;
        self.out.push(i);
    }
}

/// Units of one file, by component: one side of a move. Consecutive unless the file has rows.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// The file.
    pub file: FileId,
    /// The units.
    pub units: &'a [u16],
}

impl Side<'_> {
    /// The run of units as a physical register.
    ///
    /// # Panics
    /// When the units are not consecutive.
    pub fn preg(&self) -> PReg {
        let base = self.units[0];
        assert!(self.units.iter().enumerate().all(|(i, &u)| u == base + i as u16), "{self:?} is no run");
        PReg::new(self.file, base, self.units.len() as u16)
    }

    /// The units as a set in ascending order (a write mask), as a physical register.
    pub fn lanes(&self) -> PReg {
        let base = self.units.iter().copied().min().unwrap_or(0);
        let mask = self.units.iter().fold(0, |m, &u| m | 1 << (u - base));
        PReg { file: self.file, place: Placement::mask(base, mask) }
    }
}

/// One family, as the shared passes see it.
pub trait Target: Sized + 'static {
    /// Opcodes: rows of the table and pseudos of the family.
    type Op: Copy + Eq + Debug;
    /// Modifiers of an instruction.
    type Mods: Clone + PartialEq + Debug + Fields;
    /// Modifiers of one source.
    type SrcMods: Copy + PartialEq + Debug + Fields;
    /// As many uses as lie in an instruction itself: an array of the largest number that is common. More of them lie anywhere, and
    /// each walk waits for memory there.
    type Uses: smallvec::Array<Item = Use<Self>>;

    /// Register files with their budgets.
    fn files(&self) -> &[RegFile];

    /// Register classes; a [`Class`](crate::Class) is an index into them.
    fn classes(&self) -> &[ClassInfo];

    /// Effects and costs of one of the target's own instructions. May look at operands.
    fn info(&self, inst: &MInst<Self>) -> InstInfo;

    /// Places in allocatable files that an instruction overwrites besides its definitions.
    fn clobbers(&self, inst: &MInst<Self>, out: &mut SmallVec<[PReg; 4]>) {
        let _ = (inst, out);
    }

    /// Registers that an instruction reads and writes without an operand, for scheduling (exec, mode, the address of a
    /// stack).
    fn implicit(&self, inst: &MInst<Self>, reads: &mut SmallVec<[PReg; 4]>, writes: &mut SmallVec<[PReg; 4]>) {
        let _ = (inst, reads, writes);
    }

    /// Whether no instruction may be scheduled across this one.
    fn is_fence(&self, inst: &MInst<Self>) -> bool {
        let _ = inst;
        false
    }

    /// `(definition, use)` that would better share a place (shorter encodings).
    fn prefer_same(&self, inst: &MInst<Self>) -> Option<(usize, usize)> {
        let _ = inst;
        None
    }

    /// What one move of a file can do.
    fn move_caps(&self, file: FileId) -> MoveCaps {
        let _ = file;
        MoveCaps { widths: &[] }
    }

    /// Emits `dst[i] = src[i]`, all reads before all writes. Within one file the widths are those of
    /// [`move_caps`](Target::move_caps), a granule, or some lanes of one row to some lanes of one row. Between files
    /// it is a whole value. Must not touch condition registers or anything else that is not in `cx.free`.
    fn emit_move(&self, cx: &mut CopyCx<'_, Self>, dst: Side<'_>, src: Side<'_>);

    /// Emits an exchange of two equally long runs of one file. Asked for only when no unit of the file is free.
    fn emit_swap(&self, cx: &mut CopyCx<'_, Self>, a: Side<'_>, b: Side<'_>);

    /// Emits `dst = src` for an immediate or uniform source.
    fn emit_set(&self, cx: &mut CopyCx<'_, Self>, dst: Side<'_>, src: &Use<Self>);

    /// What happens to values of a class when registers run out.
    fn spill_to(&self, class: Class) -> SpillTo {
        let _ = class;
        SpillTo::Nothing
    }

    /// Whether a register stays where it is although its class can be spilled, because spill code needs it.
    fn keeps(&self, v: VReg) -> bool {
        let _ = v;
        false
    }

    /// Units of a file kept free for the temporaries of spill code.
    fn spill_headroom(&self, file: FileId) -> u32 {
        let _ = file;
        0
    }

    /// Emits a store of `v` to spill memory. Registers are still virtual.
    fn emit_spill(&self, cx: &mut SpillCx<'_, Self>, slot: SpillSlot, v: VReg) {
        let _ = cx;
        unreachable!("no spill memory for {v:?} in {slot:?}");
    }

    /// Emits a load of `v` from spill memory. Registers are still virtual.
    fn emit_reload(&self, cx: &mut SpillCx<'_, Self>, slot: SpillSlot, v: VReg) {
        let _ = cx;
        unreachable!("no spill memory for {v:?} in {slot:?}");
    }

    /// Whether an instruction without register uses computes the same wherever it stands, cheaply (constants,
    /// uniforms). Copies of immediates and uniforms always do.
    fn can_remat(&self, inst: &MInst<Self>) -> bool {
        let _ = inst;
        false
    }

    /// `(destination, source)` of a plain move of one unit between physical registers. Where this is known, moves of
    /// constants become constants ([`fold_moves`](crate::fold_moves)).
    fn as_move(&self, inst: &MInst<Self>) -> Option<(PReg, PReg)> {
        let _ = inst;
        None
    }

    /// Whether it is worth trying to recompute values in files that cannot spill otherwise.
    fn spill_by_remat(&self) -> bool {
        true
    }

    /// The terminator that goes to `to`.
    fn jump(&self, to: BlockId) -> MInst<Self>;

    /// Whether `inst` is such an unconditional jump and nothing else, so that layout may drop it before its target.
    fn is_jump(&self, inst: &MInst<Self>) -> bool;

    /// Every opcode, for the parser of dumps.
    fn ops(&self) -> Vec<Self::Op>;

    /// Name of an opcode in dumps: a word without blanks.
    fn op_name(&self, op: Self::Op) -> String {
        let mut name = format!("{op:?}");
        name.retain(|c| c != ' ');
        name
    }

    /// Whether an instruction has the operands and modifiers that its opcode asks for, for the verifier.
    ///
    /// # Errors
    /// What is wrong, in words.
    fn check(&self, inst: &MInst<Self>) -> Result<(), String> {
        let _ = inst;
        Ok(())
    }
}
