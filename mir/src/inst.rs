//! Machine instructions (operands, shared pseudo-instructions, the one operand walk) and what a target tells the shared passes
//! about them. They stand in one file because each names the other.

use core::fmt::{self, Debug};

use gpucc_ir::Loc;
use gpucc_isa::Effects;
use gpucc_regalloc::{FileId, MoveCaps, Placement, RegFile, Shape, SpillCode, UnitSet};
use smallvec::SmallVec;

use crate::fields::Fields;

/// A virtual register. Defined exactly once before allocation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VReg(pub u32);

impl VReg {
    /// Stands for no register: an edge argument of a parameter that lives on the other graph.
    pub const NONE: VReg = VReg(u32::MAX);

    /// Whether it is [`VReg::NONE`].
    pub const fn is_none(self) -> bool {
        self.0 == u32::MAX
    }
}

impl fmt::Debug for VReg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_none() { write!(f, "-") } else { write!(f, "%{}", self.0) }
    }
}

/// A list of registers, short mostly: those of a value, what an edge passes.
pub type Regs = SmallVec<[VReg; 4]>;

/// A register class: index into [`Target::classes`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Class(pub u8);

/// A block of an [`MFunc`](crate::MFunc); its index.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlockId(pub u32);

impl fmt::Debug for BlockId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "b{}", self.0)
    }
}

/// Physical registers: some units of a file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct PReg {
    /// The register file of the units.
    pub file: FileId,
    /// The units of the file that it covers.
    pub place: Placement,
}

impl PReg {
    /// `n` units of `file` from `base`.
    pub const fn new(file: FileId, base: u16, n: u16) -> PReg {
        PReg { file, place: Placement::run(base, n) }
    }
}

/// A register, virtual before allocation and physical after it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reg {
    /// Virtual.
    V(VReg),
    /// Physical. Before allocation only units outside every budget may be named so (reserved registers).
    P(PReg),
}

/// The registers that a use reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Src {
    /// A register.
    Reg(Reg),
    /// 32 bits in the instruction.
    Imm(u32),
    /// A slot of the uniform or constant file, numbered by the target.
    Uniform(u32),
    /// A block, in terminators.
    Label(BlockId),
}

/// One operand that is read.
pub struct Use<T: Target> {
    /// The register, immediate, uniform or label that is read.
    pub src: Src,
    /// First unit and number of units of the register that are read; no units stand for all.
    part: (u8, u8),
    /// Demands this place of the register's file; no units stand for any.
    fixed: Placement,
    /// Modifiers of this operand.
    pub mods: T::SrcMods,
}

impl<T: Target> Use<T> {
    /// A use of the whole source, without modifiers or a demanded place.
    pub fn new(src: Src) -> Self {
        Use { src, part: (0, 0), fixed: Placement::default(), mods: T::SrcMods::default() }
    }
    /// A use of a virtual register.
    pub fn reg(v: VReg) -> Self {
        Use::new(Src::Reg(Reg::V(v)))
    }
    /// A use of a physical register.
    pub fn preg(p: PReg) -> Self {
        Use::new(Src::Reg(Reg::P(p)))
    }
    /// A use of an immediate, as 32 bits.
    pub fn imm(bits: u32) -> Self {
        Use::new(Src::Imm(bits))
    }
    /// A use of a uniform slot, by its number.
    pub fn uniform(slot: u32) -> Self {
        Use::new(Src::Uniform(slot))
    }
    /// A use of a block as a label.
    pub fn label(b: BlockId) -> Self {
        Use::new(Src::Label(b))
    }
    /// Reads only `count` units from unit `first` of the register.
    #[must_use]
    pub fn part(mut self, first: u8, count: u8) -> Self {
        assert!(count > 0, "a part of no units");
        self.part = (first, count);
        self
    }
    /// `(first, count)` units of the register that are read; the whole register if `None`. After allocation `src` names just
    /// these units and this is `None`.
    pub fn part_read(&self) -> Option<(u8, u8)> {
        Some(self.part).filter(|p| p.1 > 0)
    }
    /// Demands a place, of the register's file.
    #[must_use]
    pub fn at(mut self, p: PReg) -> Self {
        self.fixed = p.place;
        self
    }
    /// The place that is demanded.
    pub fn fixed(&self) -> Option<Placement> {
        Some(self.fixed).filter(|p| !p.is_empty())
    }
    /// It reads just this.
    pub(crate) fn place(&mut self, p: PReg) {
        *self = Use { src: Src::Reg(Reg::P(p)), part: (0, 0), fixed: Placement::default(), mods: self.mods };
    }
    /// It reads all of what it names.
    pub(crate) fn read_all(&mut self) {
        self.part = (0, 0);
    }
    /// Sets the modifiers of the source.
    #[must_use]
    pub fn mods(mut self, m: T::SrcMods) -> Self {
        self.mods = m;
        self
    }
    /// The virtual register read, if any.
    pub fn vreg(&self) -> Option<VReg> {
        match self.src {
            Src::Reg(Reg::V(v)) => Some(v),
            _ => None,
        }
    }
    /// The physical register read, if any.
    pub fn phys(&self) -> Option<PReg> {
        match self.src {
            Src::Reg(Reg::P(p)) => Some(p),
            _ => None,
        }
    }
}

impl<T: Target> From<VReg> for Use<T> {
    fn from(v: VReg) -> Self {
        Use::reg(v)
    }
}

impl<T: Target> From<BlockId> for Use<T> {
    fn from(b: BlockId) -> Self {
        Use::label(b)
    }
}

/// An index that no use has.
const UNTIED: u8 = u8::MAX;

/// One operand that is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Def {
    /// The register that is written.
    pub reg: Reg,
    /// Demands this place of the register's file; no units stand for any.
    fixed: Placement,
    /// Index of the use whose place it must share, or [`UNTIED`].
    tied: u8,
    /// Written before the uses have been read.
    pub early: bool,
}

impl Def {
    /// A definition of a virtual register, in any place.
    pub const fn reg(v: VReg) -> Def {
        Def { reg: Reg::V(v), fixed: Placement::NONE, tied: UNTIED, early: false }
    }
    /// A definition of a physical register.
    pub const fn preg(p: PReg) -> Def {
        Def { reg: Reg::P(p), fixed: Placement::NONE, tied: UNTIED, early: false }
    }
    /// Demands a place, of the register's file.
    #[must_use]
    pub const fn at(mut self, p: PReg) -> Def {
        self.fixed = p.place;
        self
    }
    /// The place that is demanded.
    pub fn fixed(&self) -> Option<Placement> {
        Some(self.fixed).filter(|p| !p.is_empty())
    }
    /// Index of the use whose place it must share.
    pub fn tied_to(&self) -> Option<u8> {
        Some(self.tied).filter(|&k| k != UNTIED)
    }
    /// Shares the place of use `index` of the instruction.
    #[must_use]
    pub const fn tied(mut self, index: u8) -> Def {
        self.tied = index;
        self
    }
    /// Written before the uses have been read.
    #[must_use]
    pub const fn early(mut self) -> Def {
        self.early = true;
        self
    }
    /// The virtual register written, if any.
    pub fn vreg(&self) -> Option<VReg> {
        match self.reg {
            Reg::V(v) => Some(v),
            Reg::P(_) => None,
        }
    }
    /// The physical register written, if any.
    pub fn phys(&self) -> Option<PReg> {
        match self.reg {
            Reg::P(p) => Some(p),
            Reg::V(_) => None,
        }
    }
}

impl From<VReg> for Def {
    fn from(v: VReg) -> Self {
        Def::reg(v)
    }
}

/// Instructions that every target has. `allocate` turns them into the target's own; none is left after it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pseudo {
    /// `defs[i] = uses[i]` for all `i` at once. One pair is a plain copy; the two may be in different files. Sources may
    /// be immediates and uniforms.
    Copy,
    /// `defs[0]` = the uses one after the other. Sources that are no registers share what is left in equal parts.
    Collect,
    /// The defs one after the other = `uses[0]`.
    Split,
    /// The defs hold anything.
    Undef,
    /// The defs hold what was there when the program began (fixed places). First in the entry block.
    Start,
    /// Begins the part of the block in which values of logical files may be touched. Copies of such files at the start
    /// of the block go right after it.
    LogicalStart,
    /// Ends the part of the block in which values of logical files may be touched. Copies of such files for the
    /// outgoing edge go here. Needed only where logical and linear graph differ.
    LogicalEnd,
}

/// A shared pseudo or one of the target's own opcodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Opcode<O> {
    /// Shared.
    Pseudo(Pseudo),
    /// The target's.
    Op(O),
}

/// One machine instruction, of the target or a pseudo instruction.
pub struct MInst<T: Target> {
    /// The operation: the target's or a pseudo one.
    pub op: Opcode<T::Op>,
    /// Written operands, in the order of the operation's.
    pub defs: SmallVec<[Def; 1]>,
    /// Read operands, in the order of the operation's.
    pub uses: SmallVec<T::Uses>,
    /// Modifiers of the instruction.
    pub mods: T::Mods,
    /// Where it comes from.
    pub loc: Loc,
    /// The role in spilling; set and cleared by the allocation.
    pub spill: Option<Box<gpucc_regalloc::SpillCode>>,
}

impl<T: Target> MInst<T> {
    /// An instruction of the target without operands.
    pub fn new(op: T::Op) -> Self {
        MInst::bare(Opcode::Op(op))
    }

    /// A shared pseudo without operands.
    pub fn pseudo(p: Pseudo) -> Self {
        MInst::bare(Opcode::Pseudo(p))
    }

    pub(crate) fn bare(op: Opcode<T::Op>) -> Self {
        MInst {
            op,
            defs: SmallVec::new(),
            uses: SmallVec::new(),
            mods: T::Mods::default(),
            loc: Loc::UNKNOWN,
            spill: None,
        }
    }

    /// A pseudo instruction for `dst = src`.
    pub fn copy(dst: VReg, src: impl Into<Use<T>>) -> Self {
        MInst::pseudo(Pseudo::Copy).def(dst).arg(src)
    }

    /// `dst` = the sources one after the other.
    pub fn collect(dst: VReg, srcs: impl IntoIterator<Item = Use<T>>) -> Self {
        MInst::pseudo(Pseudo::Collect).def(dst).args(srcs)
    }

    /// `dsts` one after the other = `src`.
    pub fn split(dsts: &[VReg], src: VReg) -> Self {
        let mut i = MInst::pseudo(Pseudo::Split).arg(src);
        i.defs = dsts.iter().map(|&d| Def::reg(d)).collect();
        i
    }

    /// Adds a definition behind the others.
    #[must_use]
    pub fn def(mut self, d: impl Into<Def>) -> Self {
        self.defs.push(d.into());
        self
    }

    /// Adds a use behind the others.
    #[must_use]
    pub fn arg(mut self, u: impl Into<Use<T>>) -> Self {
        self.uses.push(u.into());
        self
    }

    /// Adds several uses behind the others.
    #[must_use]
    pub fn args(mut self, us: impl IntoIterator<Item = Use<T>>) -> Self {
        self.uses.extend(us);
        self
    }

    /// Adds an immediate use.
    #[must_use]
    pub fn imm(self, bits: u32) -> Self {
        self.arg(Use::imm(bits))
    }

    /// Sets the modifiers of the instruction.
    #[must_use]
    pub fn mods(mut self, m: T::Mods) -> Self {
        self.mods = m;
        self
    }

    /// Sets the source location of the instruction.
    #[must_use]
    pub fn at(mut self, loc: Loc) -> Self {
        self.loc = loc;
        self
    }

    /// The target's opcode, if it is one.
    pub fn target_op(&self) -> Option<T::Op> {
        match self.op {
            Opcode::Op(o) => Some(o),
            Opcode::Pseudo(_) => None,
        }
    }

    /// Whether it is this pseudo.
    pub fn is(&self, p: Pseudo) -> bool {
        matches!(self.op, Opcode::Pseudo(q) if q == p)
    }

    /// The virtual registers read.
    pub fn vreg_uses(&self) -> impl Iterator<Item = VReg> + '_ {
        self.uses.iter().filter_map(Use::vreg)
    }

    /// Replaces every virtual register that is read. Where nothing changes nothing is written, since memory that was written to
    /// costs twice what is only looked at.
    pub fn map_uses(&mut self, f: impl Fn(VReg) -> VReg) {
        for u in &mut self.uses {
            if let Src::Reg(Reg::V(v)) = &mut u.src {
                let new = f(*v);
                if new != *v {
                    *v = new;
                }
            }
        }
    }

    /// The virtual registers written.
    pub fn vreg_defs(&self) -> impl Iterator<Item = VReg> + '_ {
        self.defs.iter().filter_map(Def::vreg)
    }

    /// The blocks that its uses name.
    pub fn labels(&self) -> impl Iterator<Item = BlockId> + '_ {
        self.uses.iter().filter_map(|u| match u.src {
            Src::Label(b) => Some(b),
            _ => None,
        })
    }
}

// Derives would ask for bounds on `T` itself, which is only a name for its associated types.

impl<T: Target> Clone for Use<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Target> Copy for Use<T> {}

impl<T: Target> PartialEq for Use<T> {
    fn eq(&self, o: &Self) -> bool {
        self.src == o.src && self.part == o.part && self.fixed == o.fixed && self.mods == o.mods
    }
}

impl<T: Target> fmt::Debug for Use<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.src)?;
        if let Some((first, count)) = self.part_read() {
            write!(f, "[{first}+{count}]")?;
        }
        if self.mods != T::SrcMods::default() {
            write!(f, "{:?}", self.mods)?;
        }
        Ok(())
    }
}

impl<T: Target> Clone for MInst<T> {
    fn clone(&self) -> Self {
        MInst {
            op: self.op,
            // In one piece: a clone copies operand by operand.
            defs: SmallVec::from_slice(&self.defs),
            uses: SmallVec::from_slice(&self.uses),
            mods: self.mods.clone(),
            loc: self.loc,
            spill: self.spill.clone(),
        }
    }
}

impl<T: Target> PartialEq for MInst<T> {
    fn eq(&self, o: &Self) -> bool {
        self.op == o.op && self.defs == o.defs && self.uses == o.uses && self.mods == o.mods
    }
}

impl<T: Target> fmt::Debug for MInst<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} = {:?} {:?} {:?}", self.defs, self.op, self.uses, self.mods)
    }
}

/// A register class: a file, and size and places of values in it.
#[derive(Clone, Copy, Debug)]
pub struct ClassInfo {
    /// Name of the class, for dumps.
    pub name: &'static str,
    /// Register file that its values live in.
    pub file: FileId,
    /// Size and legal placements.
    pub shape: Shape,
}

/// The effects of an instruction besides computing its definitions from its uses, and its cost.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct InstInfo {
    /// Whether it reads memory.
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
    /// Facts about a pure operation whose result takes `latency` cycles.
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

    /// The effects of a row.
    pub const fn of(e: Effects) -> InstInfo {
        let Effects { reads, writes, space, side_effect, convergent, terminator, latency, unit } = e;
        InstInfo { reads, writes, space, side_effect, convergent, terminator, latency, unit }
    }

    /// Whether it may be dropped when nobody reads its definitions.
    pub const fn can_dce(&self) -> bool {
        !(self.writes || self.side_effect || self.terminator)
    }
}

/// How far a result serves others that compute the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reuse {
    /// It is computed each time.
    Never,
    /// Reused within its block: what is cheaper to repeat than to keep.
    InBlock,
    /// Reused along paths without joins.
    OnPaths,
}

/// Where the target puts the moves it is asked for.
pub struct CopyCx<'a, T: Target> {
    /// The instructions, in order.
    pub out: &'a mut Vec<MInst<T>>,
    /// Units of each file that hold nothing here and may be overwritten.
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
pub struct MoveSide<'a> {
    /// The register file of the units.
    pub file: FileId,
    /// The units, one for each component.
    pub units: &'a [u16],
}

impl MoveSide<'_> {
    /// The run of units as a physical register.
    ///
    /// # Panics
    /// When the units are not consecutive.
    pub fn preg(&self) -> PReg {
        let base = self.units[0];
        assert!(self.units.iter().enumerate().all(|(i, &u)| u == base + i as u16), "{self:?} is not a run");
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

    /// The part of the register of a definition that an instruction changes; the rest of it keeps what it held. All of it where nothing is known.
    fn overwrites(&self, inst: &MInst<Self>, def: PReg) -> PReg {
        let _ = inst;
        def
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

    /// How far the result of an instruction serves others that compute the same, for [`local_cse`](crate::local_cse). Asked only
    /// of instructions with one definition. Not for what reads or writes memory or flags.
    fn reuse(&self, inst: &MInst<Self>) -> Reuse {
        let _ = inst;
        Reuse::Never
    }

    /// Number of results that are remembered at once because they may be used again.
    fn reuse_window(&self) -> usize {
        usize::MAX
    }

    /// Number of those that may be of a class, where the window has an end.
    fn reuse_of(&self, class: Class) -> usize {
        let _ = class;
        usize::MAX
    }

    /// The abilities of one move of a file.
    fn move_caps(&self, file: FileId) -> MoveCaps {
        let _ = file;
        MoveCaps { widths: &[] }
    }

    /// Emits `dst[i] = src[i]`, all reads before all writes. Within one file the widths are those of
    /// [`move_caps`](Target::move_caps), a granule, or some lanes of one row to some lanes of one row. Between files
    /// it is a whole value. Must not touch condition registers or anything else that is not in `cx.free`.
    fn emit_move(&self, cx: &mut CopyCx<'_, Self>, dst: MoveSide<'_>, src: MoveSide<'_>);

    /// Emits an exchange of two equally long runs of one file. Asked for only when no unit of the file is free.
    fn emit_swap(&self, cx: &mut CopyCx<'_, Self>, a: MoveSide<'_>, b: MoveSide<'_>);

    /// Emits `dst = src` for an immediate or uniform source.
    fn emit_set(&self, cx: &mut CopyCx<'_, Self>, dst: MoveSide<'_>, src: &Use<Self>);

    /// The treatment of values of a class when registers run out.
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

    /// Whether a register of a class that is part of a run is given back behind the reader of the run
    /// ([`SplitRuns`](crate::SplitRuns)): classes of one unit that runs are made of.
    fn gives_back(&self, class: Class) -> bool {
        let _ = class;
        false
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

    /// Whether the registers that an instruction names as operands of one unit could be any others: plain arithmetic, which touches no
    /// register of such a file beside its operands. Where it is known, values that are moved at the end of their lives are computed
    /// in place ([`settle_moves`](crate::settle_moves)).
    fn renames(&self, inst: &MInst<Self>) -> bool {
        let _ = inst;
        false
    }

    /// Whether it is worth trying to recompute values in files that cannot spill otherwise.
    fn spill_by_remat(&self) -> bool {
        true
    }

    /// The terminator that goes to `to`.
    fn jump(&self, to: BlockId) -> MInst<Self>;

    /// Whether `inst` is such an unconditional jump and nothing else, so that layout may drop it before its target.
    fn is_jump(&self, inst: &MInst<Self>) -> bool;

    /// Turns a conditional branch into the opposite one, if there is one that takes just the lanes that this does not.
    fn invert(&self, branch: &mut MInst<Self>) -> bool {
        let _ = branch;
        false
    }

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
    /// The fault, in words.
    fn check(&self, inst: &MInst<Self>) -> Result<(), String> {
        let _ = inst;
        Ok(())
    }

    /// Whether the registers of an instruction are of the files and sizes that its opcode asks for, for the verifier. `uses` has
    /// nothing for what is no register; the size of a use is that of the part that it reads.
    ///
    /// # Errors
    /// The fault, in words.
    fn check_registers(
        &self,
        inst: &MInst<Self>,
        uses: &[Option<(FileId, u16)>],
        defs: &[(FileId, u16)],
    ) -> Result<(), String> {
        let _ = (inst, uses, defs);
        Ok(())
    }
}

/// The ways of a target with a value of some class that has no register.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SpillTo {
    /// Nothing; only cheap recomputation helps.
    #[default]
    Nothing,
    /// Memory: [`Target::emit_spill`] and [`Target::emit_reload`].
    Memory,
    /// A register of this class, by plain copies.
    Class(Class),
}

/// A place in spill memory. Every register file has its own numbering.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SpillSlot {
    /// Register file of the value.
    pub file: FileId,
    /// First unit-sized word; a multiple of `units` rounded up to a power of two.
    pub word: u32,
    /// Number of words: units of the value.
    pub units: u16,
}

/// Where a target puts spill code.
pub struct SpillCx<'a, T: Target> {
    /// The instructions, in order.
    pub out: &'a mut Vec<MInst<T>>,
    pub(crate) classes: &'a mut Vec<Class>,
    pub(crate) loc: Loc,
}

impl<T: Target> SpillCx<'_, T> {
    /// Appends an instruction, marked as code around a spill.
    pub fn push(&mut self, mut i: MInst<T>) {
        i.loc = self.loc;
        i.spill = Some(Box::new(SpillCode::Aux));
        self.out.push(i);
    }

    /// A fresh register, for addresses. Raises the pressure: see [`Target::spill_headroom`].
    pub fn temp(&mut self, class: Class) -> VReg {
        self.classes.push(class);
        VReg(self.classes.len() as u32 - 1)
    }
}
