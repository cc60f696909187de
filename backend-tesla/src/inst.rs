//! Machine code of Tesla before encoding: registers and their classes, opcodes, modifiers, and the register files of the allocator.
//! Queries of the shared passes are in `target`.

use gpucc_mir::{Class, ClassInfo, PReg, Src, Use};
use gpucc_regalloc::{Cfg, FileId, RegFile, Shape, UnitSet};
use gpucc_tesla_machine::{AddOp, Cond, Op, Pred, Round, Ty};

use crate::slots::Slot;

/// File of general registers.
pub const R: FileId = 0;
/// File of flag registers.
pub const C: FileId = 1;
/// File of address registers; unit n is `$a(n+1)`.
pub const A: FileId = 2;

/// Class of one register of 32 bits.
pub const R32: Class = Class(0);
/// Class of an aligned pair of registers.
pub const R64: Class = Class(1);
/// An aligned group of four.
pub const R128: Class = Class(2);
/// Class of a flag register.
pub const FLAGS: Class = Class(3);
/// Class of an address register.
pub const ADDR: Class = Class(4);
/// Two registers one behind the other; those of three and four follow.
const RUN2: Class = Class(5);

/// The class of so many registers one behind the other, 1 to 4.
pub fn run_class(n: usize) -> Class {
    if n == 1 { R32 } else { Class(RUN2.0 + n as u8 - 2) }
}

/// Registers that every form and every half reaches.
pub const REGISTERS: u16 = 64;

/// The register that is never allocated and reads 0.
pub const ZERO: PReg = PReg::new(R, 127, 1);

/// Where parameters begin in s[], after the header.
pub const PARAMETERS: u32 = 0x14;

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
    /// No access to memory passes it. Nothing is left of it in machine code.
    Fence,
    /// Neither does one of other workgroups: defs what the loads of the fence need.
    DeviceFence,
    /// A register that nobody will read has no value. Nothing is left of it in machine code.
    Unset,
    /// A tex instruction whose level differs between the lanes of a quad: defs results, flags; uses arguments, the level once more.
    EachLevel(Op),
}

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

/// The modifiers of an instruction; the numbers are those of the encoding.
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
        /// The condition of a comparison.
        cond: Cond = Cond::Never => If,
        /// The condition of a flag register.
        pred: Pred = Pred::Always => When,
        /// Signed operands.
        signed: bool = false => Signed,
        /// Saturates.
        sat: bool = false => Sat,
        /// Rounding mode.
        rnd: Round = Round::Nearest => Rounding,
        /// High bits of a 24-bit product.
        high: bool = false => High,
        /// The use of a multiply-add's product.
        addop: AddOp = AddOp::Add => Sum,
        /// Half that is written.
        half: Half = Half::Whole => IntoHalf,
        /// Number of the g[] space.
        space: u8 = 0 => Space,
        /// Byte offset of a memory operand.
        offset: u32 = 0 => Offset,
        /// Number of a join or a loop exit, 0 for none.
        id: u16 = 0 => Id,
        /// The modifiers of the instruction.
        carries: Carried = Carried::Nothing => Carries,
        /// 4 bytes long, as one of two that stand next to each other.
        short: bool = false => Short,
        /// Number of a texture.
        tex: u8 = 0 => OfTexture,
        /// Number of a sampler.
        samp: u8 = 0 => OfSampler,
        /// Components that a tex instruction gives, a bit each.
        dvec: u8 = 15 => Gives,
        /// Arguments of a tex instruction.
        args: u8 = 1 => Args,
        /// The addend of texel coordinates: four signed bits each of x, y and z.
        texel: u16 = 0 => Texel,
        /// The work of each lane of a quad in an operation between them, two bits each.
        quad: u8 = 0 => QuadOps,
        /// The lane of the quad that an operation between them asks; 4 and 5 for the neighbour in x and y.
        qlane: u8 = 0 => QuadLane,
        /// Whether a tex instruction is one of a cube.
        cube: bool = false => Cube,
        /// Whether an input is taken at a point that the primitive covers, or at the sample.
        cent: bool = false => Centroid,
        /// Number of a special register.
        sr: u8 = 0 => Special,
        /// Whether the level comes from the quad outside of fragment programs.
        deriv: bool = false => Derives,
        /// The word of o[] that is written in place of a register, from 1 on; 0 for none.
        out: u16 = 0 => IntoOutput,
        /// Whether a branch may separate lanes.
        divergent: bool = false => Divergent,
    }
}

impl Mods {
    /// Modifiers of an operation on this type.
    pub fn ty(ty: Ty) -> Mods {
        Mods { ty, ..Mods::default() }
    }
    /// Modifiers of a conversion from `src` to `ty`.
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
    /// Absolute value, before the negation.
    pub abs: bool,
    /// Bitwise complement of the source.
    pub not: bool,
    /// Half that is read.
    pub half: Half,
}

gpucc_mir::fields!(SrcMods { neg, abs, not, half });

impl SrcMods {
    /// Reads a half of a register.
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
    pub(crate) files: [RegFile; 3],
    pub(crate) classes: [ClassInfo; 8],
}

impl Tesla {
    /// The target of a generation with so many registers for an invocation.
    pub fn new(generation: u8, registers: u16) -> Tesla {
        let class = |name, file, shape| ClassInfo { name, file, shape };
        Tesla {
            generation,
            spill_base: 0,
            shared_base: PARAMETERS,
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
                class("r2", R, Shape::run(2)),
                class("r3", R, Shape::run(3)),
                class("r4", R, Shape::run(4)),
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
    pub(crate) fn changes(&self, slot: Slot) -> bool {
        match slot {
            Slot::Pool(_) | Slot::Table(_) | Slot::Const(..) | Slot::Attr(_) => false,
            Slot::Shared(_, off) => u32::from(off) >= self.shared_base,
            Slot::SharedAt(..) => true,
        }
    }

    /// Gives register 63 to nobody: it reads 0 then, and forms with 6 bits for a register can name it.
    pub fn keep_r63(&mut self) {
        self.files[R as usize].budget.remove(REGISTERS - 1);
    }
}
