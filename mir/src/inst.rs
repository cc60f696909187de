//! Machine instructions: operands, shared pseudo-instructions, the one operand walk.

use core::fmt;

use gpucc_ir::Loc;
use gpucc_regalloc::{FileId, Placement};
use smallvec::SmallVec;

use crate::target::Target;

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
    /// The file.
    pub file: FileId,
    /// The units.
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

/// What a use reads.
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
    /// What.
    pub src: Src,
    /// First unit and number of units of the register that are read; no units stand for all.
    part: (u8, u8),
    /// Demands this place of the register's file; no units stand for any.
    fixed: Placement,
    /// Modifiers of this operand.
    pub mods: T::SrcMods,
}

impl<T: Target> Use<T> {
    /// A plain use.
    pub fn new(src: Src) -> Self {
        Use { src, part: (0, 0), fixed: Placement::default(), mods: T::SrcMods::default() }
    }
    /// A virtual register.
    pub fn reg(v: VReg) -> Self {
        Use::new(Src::Reg(Reg::V(v)))
    }
    /// A physical register.
    pub fn preg(p: PReg) -> Self {
        Use::new(Src::Reg(Reg::P(p)))
    }
    /// An immediate.
    pub fn imm(bits: u32) -> Self {
        Use::new(Src::Imm(bits))
    }
    /// A uniform slot.
    pub fn uniform(slot: u32) -> Self {
        Use::new(Src::Uniform(slot))
    }
    /// A block.
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
    /// Sets the modifiers.
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
    /// The register.
    pub reg: Reg,
    /// Demands this place of the register's file; no units stand for any.
    fixed: Placement,
    /// Index of the use whose place it must share, or [`UNTIED`].
    tied: u8,
    /// Written before the uses have been read.
    pub early: bool,
}

impl Def {
    /// A virtual register.
    pub const fn reg(v: VReg) -> Def {
        Def { reg: Reg::V(v), fixed: Placement::NONE, tied: UNTIED, early: false }
    }
    /// A physical register.
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

/// One machine instruction.
pub struct MInst<T: Target> {
    /// What it does.
    pub op: Opcode<T::Op>,
    /// Written operands.
    pub defs: SmallVec<[Def; 1]>,
    /// Read operands.
    pub uses: SmallVec<T::Uses>,
    /// Modifiers of the instruction.
    pub mods: T::Mods,
    /// Where it comes from.
    pub loc: Loc,
    /// What it does for spilling; set and cleared by the allocation.
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

    /// `dst = src`.
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

    /// Adds a definition.
    #[must_use]
    pub fn def(mut self, d: impl Into<Def>) -> Self {
        self.defs.push(d.into());
        self
    }

    /// Adds a use.
    #[must_use]
    pub fn arg(mut self, u: impl Into<Use<T>>) -> Self {
        self.uses.push(u.into());
        self
    }

    /// Adds uses.
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

    /// Sets the modifiers.
    #[must_use]
    pub fn mods(mut self, m: T::Mods) -> Self {
        self.mods = m;
        self
    }

    /// Sets the location.
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

    /// The blocks named.
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
            defs: self.defs.clone(),
            uses: self.uses.clone(),
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
