//! Encoded code of this family, and what the passes of the tail ask about an instruction.
//!
//! An instruction's registers are those it touches at all; which of them a message reads later is among what is known besides. What is
//! no instruction of the program is a `NOP` with a flow: one that waits stands where messages must be complete, one that reconverges or
//! ends stands at the end of a block. All of it is code that means what it says, so passes may be left out.

use core::fmt;

use gpucc_ir::Loc;
use gpucc_isa::{Inst, Packed};
use gpucc_mir::{EncodedBlock, EncodedFunc, Payload, Ranges};
use gpucc_valhall_machine::build::{flow, inst as blank};
use gpucc_valhall_machine::{Op, Valhall as Isa};

/// Memory that a message touches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    /// 0 is anything; different ones never overlap.
    pub space: u16,
    /// Whether the message writes the memory.
    pub writes: bool,
    /// Accesses of one space with different keys (in one run of a block) do not overlap: base and range.
    pub key: Option<u32>,
}

/// Packs what distinguishes accesses with one base: number of the base, first word, words.
pub fn key(base: u32, word: u32, words: u32) -> Option<u32> {
    (base < 1 << 14 && word < 1 << 14).then_some(base << 18 | word << 4 | words)
}

/// Whether two keys say that accesses do not overlap.
pub fn disjoint(x: u32, y: u32) -> bool {
    let (base, word, words) = (|k: u32| k >> 18, |k: u32| k >> 4 & 0x3fff, |k: u32| k & 15);
    base(x) == base(y) && (word(x) + words(x) <= word(y) || word(y) + words(y) <= word(x))
}

/// How control may continue behind a branch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BranchKind {
    /// Nowhere but to its block. `together`: all lanes of the workgroup that began come along.
    Always {
        /// Whether they do.
        together: bool,
    },
    /// Some lanes may continue. `uniform`: all that come to the branch go the same way.
    Maybe {
        /// Whether they do.
        uniform: bool,
    },
}

/// The other facts about an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Facts {
    /// Whether it completes later.
    pub message: bool,
    /// The place that it touches, if order matters.
    pub access: Option<Access>,
    /// Registers that a message reads later, as bits.
    pub staging: u64,
    /// Registers that messages may still have to read when the instruction has begun, as bits. `waits` says so.
    pub staged: u64,
    /// How control may continue behind it, for a branch.
    pub branch_kind: Option<BranchKind>,
}

impl Facts {
    /// Whether it is a branch behind which control may continue.
    pub fn is_conditional(&self) -> bool {
        matches!(self.branch_kind, Some(BranchKind::Maybe { .. }))
    }

    /// Whether it is a branch that may part lanes.
    pub fn parts(&self) -> bool {
        self.branch_kind == Some(BranchKind::Maybe { uniform: false })
    }
}

impl Payload<Isa> for Facts {
    fn of(inst: &Inst<Isa>) -> Facts {
        Facts { message: inst.row().attrs.class.is_message(), access: None, staging: 0, staged: 0, branch_kind: None }
    }

    fn falls(inst: &Packed<Isa>) -> bool {
        flow_of(inst) != flow::END
    }

    fn goes_on(&self, inst: &Packed<Isa>) -> bool {
        Self::falls(inst) && !matches!(self.branch_kind, Some(BranchKind::Always { .. }))
    }
}

/// Registers in words: `r4 r5`.
fn registers(f: &mut fmt::Formatter<'_>, what: &str, mask: u64) -> fmt::Result {
    f.write_str(what)?;
    (0..64).filter(|r| mask >> r & 1 == 1).try_for_each(|r| write!(f, " r{r}"))
}

impl fmt::Display for Facts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut between = "";
        let mut next = |f: &mut fmt::Formatter<'_>| f.write_str(std::mem::replace(&mut between, ", "));
        match self.branch_kind {
            Some(BranchKind::Always { together: true }) => {
                next(f)?;
                f.write_str("together")?;
            }
            Some(BranchKind::Maybe { uniform: true }) => {
                next(f)?;
                f.write_str("uniform")?;
            }
            _ => {}
        }
        if let Some(a) = self.access {
            next(f)?;
            write!(f, "{} {}", if a.writes { "writes" } else { "reads" }, a.space)?;
            if let Some(k) = a.key {
                write!(f, " key {k:#x}")?;
            }
        }
        if self.staged != 0 {
            next(f)?;
            registers(f, "staged", self.staged)?;
        }
        Ok(())
    }
}

/// An encoded instruction with Valhall's facts.
pub type EncodedInst = gpucc_mir::EncodedInst<Isa, Facts>;

/// A block of encoded instructions.
pub type Block = EncodedBlock<Isa, Facts>;

/// A function of encoded blocks.
pub type Code = EncodedFunc<Isa, Facts>;

/// Registers as bits, r0 lowest.
pub fn mask(registers: &Ranges) -> u64 {
    registers.iter().fold(0, |m, &(first, n)| m | (u64::MAX >> (64 - n.clamp(1, 64))) << first)
}

/// The flow of an instruction.
pub fn flow_of(inst: &Packed<Isa>) -> u32 {
    inst.get("flow").unwrap_or(flow::NONE)
}

/// Flows from here up are no waits for slots alone: an instruction has one or the other.
const WAITS: u32 = flow::WAIT0126;

/// Whether a flow is none, or waits for some of the slots that messages share: it can take further ones.
pub const fn can_wait(flow: u32) -> bool {
    flow < WAITS
}

/// A `NOP` that carries a flow.
pub fn nop(value: u32, loc: Loc) -> EncodedInst {
    let mut inst = blank(Op::Nop);
    inst.set("flow", value);
    EncodedInst { loc, ..EncodedInst::new(inst, Ranges::new(), Ranges::new()) }
}

/// Slots that have to be empty where the instruction stands, if it is a `NOP` that says nothing else.
pub fn asks(i: &EncodedInst) -> Option<u32> {
    (i.inst.op() == Op::Nop).then(|| flow_of(&i.inst)).filter(|&f| can_wait(f))
}

/// The flow of a `NOP` that reconverges or ends.
pub fn closes(i: &EncodedInst) -> Option<u32> {
    (i.inst.op() == Op::Nop).then(|| flow_of(&i.inst)).filter(|&f| !can_wait(f))
}
