//! Machine code of GCN before encoding: registers and their classes, opcodes, modifiers, and the register files of the allocator.
//! Queries of the shared passes are in `target`.

use gpucc_gcn_machine::{Access, Attrs, Op, Unit, rows};
use gpucc_ir::Res;
use gpucc_isa::ModValue;
use gpucc_mir::{Cfg, Class, ClassInfo, FileId, MInst, Modifiers, PReg, RegFile, Shape, UnitSet, Use};

/// An instruction of GCN's machine code.
pub type MI = MInst<Gcn>;
/// An operand that GCN's instructions read.
pub type U = Use<Gcn>;

/// File of scalar registers, s0 and on.
pub const FILE_S: FileId = 0;
/// File of vector registers, v0 and on.
pub const FILE_V: FileId = 1;

/// Scalar registers by code, those with names included.
const SCALAR_CODES: u16 = 128;

/// Class of one scalar register.
pub const S: Class = Class(0);
/// A lane mask: an aligned pair.
pub const S2: Class = Class(1);
/// An aligned run of four scalar registers.
pub const S4: Class = Class(2);
/// A T#: a run of eight scalar registers, aligned to four.
pub const S8: Class = Class(3);
/// A run of sixteen scalar registers, aligned to four.
pub const S16: Class = Class(4);
/// Class of one vector register.
pub const V: Class = Class(5);
/// Runs of vector registers.
pub const V2: Class = Class(6);

/// The class of a run of `n` vector registers, up to twelve: the longest address of an image instruction.
pub fn run_class(n: usize) -> Class {
    Class(V.0 + n as u8 - 1)
}

pub(crate) static CLASSES: [ClassInfo; 17] = [
    ClassInfo { name: "s", file: FILE_S, shape: Shape::run(1) },
    ClassInfo { name: "mask", file: FILE_S, shape: Shape::aligned(2, 2) },
    ClassInfo { name: "s4", file: FILE_S, shape: Shape::aligned(4, 4) },
    ClassInfo { name: "s8", file: FILE_S, shape: Shape::aligned(8, 4) },
    ClassInfo { name: "s16", file: FILE_S, shape: Shape::aligned(16, 4) },
    ClassInfo { name: "v", file: FILE_V, shape: Shape::run(1) },
    ClassInfo { name: "v2", file: FILE_V, shape: Shape::run(2) },
    ClassInfo { name: "v3", file: FILE_V, shape: Shape::run(3) },
    ClassInfo { name: "v4", file: FILE_V, shape: Shape::run(4) },
    ClassInfo { name: "v5", file: FILE_V, shape: Shape::run(5) },
    ClassInfo { name: "v6", file: FILE_V, shape: Shape::run(6) },
    ClassInfo { name: "v7", file: FILE_V, shape: Shape::run(7) },
    ClassInfo { name: "v8", file: FILE_V, shape: Shape::run(8) },
    ClassInfo { name: "v9", file: FILE_V, shape: Shape::run(9) },
    ClassInfo { name: "v10", file: FILE_V, shape: Shape::run(10) },
    ClassInfo { name: "v11", file: FILE_V, shape: Shape::run(11) },
    ClassInfo { name: "v12", file: FILE_V, shape: Shape::run(12) },
];

/// Opcodes: those of the table, and what ends a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GOp {
    /// A row's operation.
    I(Op),
    /// Leaves the block as the plan says, before `exec` has put that into code. Uses: nothing, a lane mask, or two scalars
    /// compared by the operation; then the labels.
    Leave(Option<Op>),
    /// A jump to the block.
    Jump,
    /// A jump to the first block if the condition holds, else to the second.
    Branch(Cond),
    /// Ends the wave.
    End,
    /// Two scalars compared by the operation choose one of two others.
    Choose(Op),
}

/// The condition of a branch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cond {
    /// Any lane is active.
    Active,
    /// Any active lane is in the mask.
    Lanes,
    /// Two scalars, compared by the operation.
    Scalar(Op),
}

/// The image that an instruction reads or writes, where something may write it: 1 and the number of its resource, 0 for none.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ImageNo(pub(crate) u16);

impl From<Option<Res>> for ImageNo {
    fn from(r: Option<Res>) -> ImageNo {
        ImageNo(r.map_or(0, |r| r.0 as u16 + 1))
    }
}

impl ModValue for ImageNo {
    fn bits(self) -> u32 {
        self.0.into()
    }
    fn from_bits(bits: u32) -> Option<ImageNo> {
        bits.try_into().ok().map(ImageNo)
    }
}

/// `soffset` of what has no scalar offset: the code of the constant 0.
const NO_OFFSET: u8 = 128;
/// `srsrc` or `sbase` of what names its V# as an operand: behind all others of a buffer instruction, first of a scalar load.
pub const IN_OPERAND: u8 = 255;
/// Lanes of a quad that read themselves.
const OWN_LANES: u16 = 0b11_10_01_00;

gpucc_mir::modifiers! {
    /// Modifiers of an instruction: those that rows have, and what selection knows of it.
    pub struct Mods of Gcn {
        /// Offset from an address, in the unit of the row.
        offset: u32 = 0 => Offset,
        /// The literal of a multiply-add.
        k: u32 = 0 => K,
        /// Attribute with its component from bit 6 on.
        attr: u16 = 0 => Attribute,
        /// The image that may be written.
        image: ImageNo = ImageNo::default() => OfImage,
        /// A quarter of the number of the V#'s first register, or [`IN_OPERAND`].
        srsrc: u8 = 0 => Srsrc,
        /// Register of the scalar offset of scratch.
        soffset: u8 = NO_OFFSET => Soffset,
        /// Half of the number of the first register of an address or a V#, or [`IN_OPERAND`].
        sbase: u8 = 0 => Sbase,
        /// Lane of the quad that each of its lanes reads, two bits each; or the code of another pattern of DPP.
        dpp_ctrl: u16 = OWN_LANES => Lanes,
        /// The vertex of a parameter: 0 P10, 1 P20, 2 P0.
        param: u8 = 0 => Param,
        /// Components that are read or written.
        dmask: u8 = 0 => Dmask,
        /// Data format with the number format from bit 4 on.
        format: u8 = 0 => Typed,
        /// Target of an export.
        tgt: u8 = 0 => ExportTo,
        /// Components of an export.
        en: u8 = 0 => Enabled,
        /// An export of two components a register.
        compr: bool = false => Compressed,
        /// The last export of its kind.
        done: bool = false => Done,
        /// EXEC says which pixels are covered.
        vm: bool = false => Vm,
        /// A vector register says the offset.
        offen: bool = false => Offen,
        /// Two vector registers are the address.
        addr64: bool = false => Addr64,
        /// A vector register says the element.
        idxen: bool = false => Idxen,
        /// Past the first cache, or the old value comes back.
        glc: bool = false => Glc,
        /// Coordinates are texels.
        unorm: bool = false => Unorm,
        /// The image has layers or faces.
        da: bool = false => Da,
        /// The result is between 0 and 1.
        clamp: bool = false => Clamp,
        /// The 64-bit form alone.
        long: bool = false => Long,
        /// Nothing writes what is read.
        readonly: bool = false => Readonly,
        /// Computed once in a block, however often it is asked for.
        once: bool = false => Once,
        /// Removes lanes from the live mask; the wave ends if none is left.
        ends_dead_wave: bool = false => EndsDeadWave,
        /// A barrier where threads wait for each other, and not for memory alone.
        sync: bool = false => Sync,
        /// A barrier behind which the vector cache holds nothing of what other compute units may have written since.
        acquires: bool = false => Acquires,
        /// Words that follow what a scalar load reads and are in the buffer as well, as far as it is known.
        beyond: u8 = 0 => Beyond,
        /// Bytes that the register with the offset of a scalar load lies behind another one: it is their sum, which does not wrap.
        past: u32 = 0 => Past,
    }
}

impl Mods {
    /// Whether memory is a lane's scratch.
    pub fn is_scratch(&self) -> bool {
        self.soffset != NO_OFFSET
    }

    /// Whether another lane of the quad is read.
    pub fn moves_lanes(&self) -> bool {
        self.dpp_ctrl != OWN_LANES
    }
}

gpucc_mir::fields!(SrcMods { neg, abs });

/// Sign modifiers of a float source.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SrcMods {
    /// Negation, after the magnitude.
    pub neg: bool,
    /// Magnitude, before the sign.
    pub abs: bool,
}

/// Where values go that find no register.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Spills {
    /// Scalar registers go to lanes of vector registers from [`SPILL_LANES`] up.
    pub scalar: bool,
    /// Vector registers go to scratch from this byte on.
    pub vector: Option<Scratch>,
}

/// Scratch as spill code sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Scratch {
    /// First byte of a lane's own scratch that is free.
    pub from: u32,
    /// First register of the descriptor.
    pub descriptor: u32,
    /// Register of the wave's offset.
    pub offset: u32,
    /// A register for larger offsets.
    pub far: u32,
}

/// First of the vector registers whose lanes hold scalar registers; `emit` brings them down to where the others end.
pub const SPILL_LANES: u16 = 212;

/// The machine with its scalar budget.
pub struct Gcn {
    pub(crate) files: [RegFile; 2],
    pub(crate) spills: Spills,
    /// First register of the lanes that are live.
    pub(crate) live: Option<u32>,
}

impl Gcn {
    /// Scalar registers `low..high` can be given out.
    pub fn new(low: u16, high: u16, spills: Spills) -> Gcn {
        let mut scalar = UnitSet::first(high);
        (0..low).for_each(|u| scalar.remove(u));
        let vectors = if spills.scalar { SPILL_LANES } else { 256 };
        Gcn {
            files: [
                RegFile::new("s", SCALAR_CODES, Cfg::Linear).budget(scalar),
                RegFile::new("v", 256, Cfg::Logical).budget(UnitSet::first(vectors)),
            ],
            spills,
            live: None,
        }
    }

    /// The same target with a pair of registers that holds the lanes that are live.
    #[must_use]
    pub fn with_live_mask(mut self, live: Option<u32>) -> Gcn {
        self.live = live;
        self
    }
}

/// Whether dead lanes must take no part, because the effect is visible to others.
pub fn is_exact(inst: &MInst<Gcn>, op: Op) -> bool {
    let Some(Attrs { unit, access, .. }) = rows::of(op).map(|r| r.attrs) else { return false };
    let changes = matches!(unit, Unit::Vmem | Unit::Flat) && matches!(access, Access::Store | Access::Atomic);
    unit == Unit::Export || changes && !inst.mods.is_scratch()
}

/// An instruction of a row.
pub fn op(o: Op) -> MI {
    MInst::new(GOp::I(o))
}

/// The instruction with modifiers added.
pub fn with(mut i: MI, mods: impl Modifiers<Gcn>) -> MI {
    mods.put(&mut i.mods);
    i
}

/// EXEC as an operand.
pub fn exec() -> U {
    Use::preg(PReg::new(FILE_S, 126, 2))
}
