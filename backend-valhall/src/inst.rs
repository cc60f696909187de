//! Machine code of Valhall before encoding: registers and their classes, opcodes, modifiers, and the register files of the allocator.
//! Queries of the shared passes are in `target`.
//!
//! Sources of an instruction are its uses in the order of the row's `s0..s3`; a staging run that is read comes first.
//! The only definition is the destination or the run that is written. Half registers are not allocated yet: a unit is
//! a 32-bit register.

use gpucc_isa::Effects;
use gpucc_mir::Class;
use gpucc_mir::{ClassInfo, Use};
use gpucc_regalloc::{Cfg, FileId, RegFile, Shape, UnitSet};
use gpucc_valhall_machine as machine;
use machine::operand::Special;
use machine::{
    AtomOne, AtomOp, Clamp, Component, Condition, Dimension, LodMode, MemoryAccess, MessageSlot, Mux, RegFormat,
    RegisterType, RegisterWidth, ResultType, Round, SamplePlace, SourceFormat, Update, VecSize,
};
use machine::{Op, ROWS};

/// File code of r0..r63 in the container.
pub const FILE_R: FileId = 0;

/// Class of one 32-bit register.
pub const R: Class = Class(0);
/// An aligned pair: 64-bit operands and runs of two.
pub const R2: Class = Class(1);
/// A staging run of three.
pub const R3: Class = Class(2);
/// A staging run of four.
pub const R4: Class = Class(3);
/// One even register: 64-bit operands that take the low word of a pair.
pub const RE: Class = Class(4);

/// Longer staging runs, of texture instructions.
const R5: Class = Class(5);
const R6: Class = Class(6);
const R7: Class = Class(7);

/// The class of a staging run of `n` registers.
pub fn run_class(n: usize) -> Class {
    [R, R2, R3, R4, R5, R6, R7][n - 1]
}

pub(crate) static CLASSES: [ClassInfo; 8] = [
    ClassInfo { name: "r", file: FILE_R, shape: Shape::run(1) },
    ClassInfo { name: "r2", file: FILE_R, shape: Shape::aligned(2, 2) },
    ClassInfo { name: "r3", file: FILE_R, shape: Shape::aligned(3, 2) },
    ClassInfo { name: "r4", file: FILE_R, shape: Shape::aligned(4, 2) },
    ClassInfo { name: "re", file: FILE_R, shape: Shape::aligned(1, 2) },
    ClassInfo { name: "r5", file: FILE_R, shape: Shape::aligned(5, 2) },
    ClassInfo { name: "r6", file: FILE_R, shape: Shape::aligned(6, 2) },
    ClassInfo { name: "r7", file: FILE_R, shape: Shape::aligned(7, 2) },
];

/// An opcode of the table, or one of ours that `emit` turns into several or none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VOp {
    /// A row.
    Op(Op),
    /// Goes to the label: a BRANCHZ on a constant, or nothing where that block comes next.
    Jump,
    /// Goes to the label if the source is not zero (`eq`: is zero).
    Branch,
    /// Ends the program.
    End,
    /// Waits until all memory accesses so far are done.
    Fence,
}

impl VOp {
    /// The effects of an opcode besides its results.
    pub fn effects(self) -> Effects {
        match self {
            VOp::Op(op) => ROWS[op as usize].effects,
            VOp::Jump | VOp::Branch | VOp::End => Effects::branch(),
            VOp::Fence => Effects::atomic(1),
        }
    }
}

/// Where a byte or a half that is loaded goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum LoadLane {
    /// The effect of the row by itself: a byte or half goes to the lowest part of a register and leaves the others.
    #[default]
    Silent,
    /// A whole word, extended.
    Word,
}

gpucc_isa::mod_values!(LoadLane { Silent, Word });

gpucc_mir::modifiers! {
    /// Modifiers of an instruction: those of its row's slots that selection gives, then what is known of it.
    pub struct Mods of Valhall {
        /// The condition of a comparison.
        cmp: Condition = Condition::Eq => If,
        /// How it says true.
        result_type: ResultType = ResultType::I1 => Says,
        /// Range of a float result.
        clamp: Clamp = Clamp::None => Within,
        /// Rounding.
        round: Round = Round::NearestEven => Rounding,
        /// The condition that decides between two sources.
        mux: Mux = Mux::IntZero => By,
        /// A shift to the right copies the sign.
        signed: bool = false => Signed,
        /// Mantissa and exponent of a square root.
        sqrt: bool = false => OfRoot,
        /// Exponent of a logarithm.
        log: bool = false => OfLog,
        /// A word in the instruction.
        constant: u32 = 0 => Constant,
        /// Left shift of an index.
        shift: u8 = 0 => Shift,
        /// Byte offset of an access, 16 bits.
        offset: u16 = 0 => Offset,
        /// Zeros above what is loaded.
        unsigned: bool = false => Unsigned,
        /// Where a byte or half goes.
        load_lane: LoadLane = LoadLane::Silent => Into,
        /// Hint for an access.
        memory_access: MemoryAccess = MemoryAccess::None => Hint,
        /// Atomic operation.
        atom_opc: AtomOp = AtomOp::Add => Atomic,
        /// Atomic operation with 1.
        atom_one: AtomOne = AtomOne::Inc => AtomicOne,
        /// Only where the old value is the one that is expected.
        compare: bool = false => Compare,
        /// Dimension of a texture.
        dimension: Dimension = Dimension::D1 => OfDim,
        /// The run has a layer.
        array_enable: bool = false => Layered,
        /// The run has a word of offsets.
        texel_offset: bool = false => Moved,
        /// The run has a reference.
        shadow: bool = false => Shadow,
        /// Where the level of detail comes from.
        lod_mode: LodMode = LodMode::Zero => Lod,
        /// Texture and sampler are handles of their own.
        wide_indices: bool = false => Wide,
        /// Component that a gather reads.
        fetch_component: Component = Component::R => Of,
        /// Type of texture results.
        register_type: RegisterType = RegisterType::Auto => Typed,
        /// Width of texture results.
        register_width: RegisterWidth = RegisterWidth::Word => Width,
        /// Components of a texture result.
        write_mask: u8 = 15 => Mask,
        /// Derivatives are given.
        derivative_enable: bool = false => Derivatives,
        /// Derivatives are those of the quad.
        force_delta_enable: bool = false => OfQuad,
        /// The sampler's bias does not count.
        lod_bias_disable: bool = false => NoBias,
        /// The limits of levels do not count.
        lod_clamp_disable: bool = false => NoLimits,
        /// Helpers get no result.
        skip: bool = false => Skip,
        /// Components of a vector.
        vecsize: VecSize = VecSize::One => Vector,
        /// Format of data in registers.
        regfmt: RegFormat = RegFormat::Auto => Format,
        /// Format of a varying in memory.
        source_format: SourceFormat = SourceFormat::Flat32 => From,
        /// Where a varying is interpolated.
        sample: SamplePlace = SamplePlace::Center => At,
        /// The change of the position of interpolation.
        update: Update = Update::Store => Position,
        /// Resource table in the instruction, in its folded form.
        table: u8 = 0 => Table,
        /// Descriptor or byte in the instruction.
        index: u8 = 0 => Index,
        /// Depth is emitted.
        z: bool = false => Depth,
        /// Stencil is emitted.
        stencil: bool = false => Stencil,
        /// Lanes among which CLPER looks, as a logarithm less one.
        subgroup: u8 = 3 => Among,
        /// The number of the lane that CLPER reads: 1 where it is the own one with the bits of the operand turned.
        lane_op: u8 = 0 => Across,
        /// Words that a blend skips.
        target: u8 = 0 => Target,
        /// The slot that a message signals.
        slot: MessageSlot = MessageSlot::Slot0 => Signals,
        /// A branch goes where its operand is zero.
        eq: bool = false => IfZero,
        /// Memory that is accessed; 0 is anything.
        space: u16 = 0 => InSpace,
        /// Nobody writes that memory.
        readonly: bool = false => Readonly,
        /// Others write what is read: no other access to the place is under way.
        shared: bool = false => Shared,
        /// The tag that tells accesses with one base apart; 0 says nothing.
        key: u32 = 0 => Key,
        /// All lanes that come to a branch go the same way.
        uniform: bool = false => Uniform,
        /// All lanes of the workgroup that began leave the block together.
        together: bool = false => Together,
    }
}

/// Modifiers of a source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SrcMods {
    /// Negation, after the absolute value.
    pub neg: bool,
    /// Absolute value, before the sign.
    pub abs: bool,
    /// Bitwise complement of the source.
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
pub const SPACE_SPILL: u16 = 1;
/// Records of vertices, which nothing reads.
pub const SPACE_RECORDS: u16 = u16::MAX;
/// Storage buffers where addresses lead into them.
pub const SPACE_ADDRESSES: u16 = u16::MAX - 1;
/// The first buffer or variable.
pub const SPACE_FIRST: u16 = 2;

/// The machine: how many registers a thread may use.
pub struct Valhall {
    /// Whether a thread may use all 64 registers.
    pub all: bool,
    pub(crate) files: [RegFile; 1],
    /// Where spilled registers begin in private memory.
    pub spill_base: u32,
}

impl Valhall {
    /// A target with 32 registers per thread (r0..r15 and r48..r63), or all 64.
    pub fn new(all: bool) -> Valhall {
        let mut budget = UnitSet::first(64);
        if !all {
            (16..48).for_each(|u| budget.remove(u));
        }
        Valhall { all, files: [RegFile::new("r", 64, Cfg::Logical).budget(budget)], spill_base: 0 }
    }

    /// The same target with spilled registers from this byte of private memory on.
    #[must_use]
    pub fn spilling_from(self, spill_base: u32) -> Valhall {
        Valhall { spill_base, ..self }
    }
}

/// The operand for a special's word.
pub fn special(s: Special, half: u8) -> Use<Valhall> {
    Use::uniform(SPECIAL + (u32::from(s.page) << 8) + u32::from(s.byte + half))
}
