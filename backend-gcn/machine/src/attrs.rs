//! Attributes of rows besides their bits: unit, cost, access to memory, operation on values.

use crate::isa::{Format, Suffix};

/// Where an instruction executes; decides counters and cost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Unit {
    /// Scalar ALU.
    Salu,
    /// Branch and message unit, waits.
    Branch,
    /// Scalar memory.
    Smem,
    /// Vector ALU.
    Valu,
    /// Vector ALU at a quarter rate.
    Trans,
    /// Vector memory.
    Vmem,
    /// Flat memory.
    Flat,
    /// Local and global data share.
    Lds,
    /// Export.
    Export,
    /// Parameter interpolation.
    Interp,
}

/// The accesses of an instruction to memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// Nothing.
    None,
    /// Reads it, through a filter or not.
    Load,
    /// Writes it.
    Store,
    /// Reads and writes it.
    Atomic,
    /// Orders what others do.
    Order,
}

/// The counter that says when an instruction is done (reference section 16).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Counter {
    /// None: results are there.
    None,
    /// `vmcnt`. Flat accesses count `lgkmcnt` besides.
    Vm,
    /// `lgkmcnt`, in order.
    Lds,
    /// `lgkmcnt`, in any order.
    Scalar,
    /// `expcnt`, until sources have been read.
    Export,
}

/// Memory as effects name it: different ones never alias.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u16)]
pub enum Memory {
    /// All of it, and its order.
    Any,
    /// Local and global data share.
    Lds,
    /// Buffers.
    Buffer,
    /// Images.
    Image,
}

impl Memory {
    /// How many there are.
    pub const COUNT: u16 = 4;
}

/// Elements of memory as they lie there, one behind the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Elements {
    /// Bytes of one element.
    pub bytes: u8,
    /// Values smaller than a word are extended by their sign.
    pub signed: bool,
    /// How many there are.
    pub count: u8,
}

#[expect(missing_docs, reason = "the names are those of the reference")]
impl Elements {
    pub const I8: Elements = Elements { bytes: 1, signed: true, count: 1 };
    pub const U8: Elements = Elements { bytes: 1, signed: false, count: 1 };
    pub const B8: Elements = Elements::U8;
    pub const I16: Elements = Elements { bytes: 2, signed: true, count: 1 };
    pub const U16: Elements = Elements { bytes: 2, signed: false, count: 1 };
    pub const B16: Elements = Elements::U16;
    pub const B32: Elements = Elements::words(1);
    pub const B32X2: Elements = Elements::words(2);
    pub const B64: Elements = Elements { bytes: 8, signed: false, count: 1 };
    pub const B96: Elements = Elements::words(3);
    pub const B128: Elements = Elements::words(4);

    /// Words, each an element of its own.
    pub const fn words(count: u8) -> Elements {
        Elements { bytes: 4, signed: false, count }
    }

    /// Registers that hold them.
    pub const fn registers(self) -> u8 {
        self.bytes.div_ceil(4) * self.count
    }
}

/// The effect of an atomic on memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names are those of the reference")]
#[rustfmt::skip]
pub enum AtomicOp {
    Swap, CmpSwap, FCmpSwap, Add, Sub, Rsub, SMin, UMin, SMax, UMax, And, Or, Xor, Inc, Dec, FMin, FMax, FAdd, MskOr,
    Wrap,
}

impl AtomicOp {
    /// Whether memory is compared with a second operand first.
    pub const fn compares(self) -> bool {
        matches!(self, AtomicOp::CmpSwap | AtomicOp::FCmpSwap)
    }
}

/// An atomic and whether it works on 64 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Atomic {
    /// The operation on the old value.
    pub op: AtomicOp,
    /// Whether it is on 64 bits, not 32.
    pub wide: bool,
}

/// The operation of an image instruction on texels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ImageKind {
    /// Reads a texel by integer coordinates.
    Load,
    /// Writes a texel.
    Store,
    /// One indivisible read and write of a texel, whose width the component mask gives.
    Atomic(AtomicOp),
    /// Gives sizes.
    ResInfo,
    /// Gives the level of detail that a sample would take.
    Lod,
    /// Filters texels.
    Sample,
    /// Gives one component of four texels.
    Gather,
}

/// Where the level of detail comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    /// The level follows from what coordinates change by in the quad.
    Implicit,
    /// It follows the coordinates.
    Explicit,
    /// The level follows from derivatives in front of the coordinates.
    Derivatives,
    /// It is 0.
    Zero,
}

/// The operation of an image instruction, and the address registers that it needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ImageOp {
    /// The operation on texels.
    pub kind: ImageKind,
    /// Loads and stores: an integer level follows the coordinates.
    pub mip: bool,
    /// Loads and stores: no conversion, words as they lie in memory.
    pub raw: bool,
    /// Raw loads: texels of less than a word are extended by their sign.
    pub signed: bool,
    /// Offsets in texels are first.
    pub offset: bool,
    /// A bias of the level of detail is given.
    pub bias: bool,
    /// A value is given that texels are compared with.
    pub compare: bool,
    /// Where the level of detail comes from.
    pub level: Level,
    /// A least level of detail follows the coordinates.
    pub clamp: bool,
}

/// Words of the table: what an instruction asks for beside coordinates.
macro_rules! words {
    ($($word:ident $field:ident $value:expr;)*) => {
        impl ImageOp {$(
            #[doc = concat!("The operation with [`ImageOp::", stringify!($field), "`] as its word says.")]
            pub const fn $word(self) -> ImageOp {
                ImageOp { $field: $value, ..self }
            }
        )*}
    };
}

words! {
    mip mip true;
    raw raw true;
    signed signed true;
    offset offset true;
    bias bias true;
    compare compare true;
    clamp clamp true;
    derivatives level Level::Derivatives;
    level level Level::Explicit;
    zero level Level::Zero;
}

impl ImageOp {
    /// One that asks for coordinates alone.
    pub const fn new(kind: ImageKind) -> ImageOp {
        ImageOp {
            kind,
            mip: false,
            raw: false,
            signed: false,
            offset: false,
            bias: false,
            compare: false,
            level: Level::Implicit,
            clamp: false,
        }
    }
    /// Whether coordinates are integers.
    pub const fn addressed(&self) -> bool {
        matches!(self.kind, ImageKind::Load | ImageKind::Store | ImageKind::Atomic(_))
    }

    /// Whether there is a sampler descriptor.
    pub const fn samples(&self) -> bool {
        matches!(self.kind, ImageKind::Sample | ImageKind::Gather | ImageKind::Lod)
    }

    /// Whether the coordinates of a whole quad are read.
    pub const fn implicit(&self) -> bool {
        self.samples() && matches!(self.level, Level::Implicit)
    }
}

/// Types of the numbers that sources hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names are those of the reference")]
#[rustfmt::skip]
pub enum Number {
    F16, F32, F64, I16, U16, I32, U32, I64, U64,
}

/// When a compare holds: bit 0 for less, bit 1 for equal, bit 2 for greater, bit 3 for unordered. Of integers, which are never
/// unordered, the reference names `Lg` ne and `Tru` t.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
#[expect(missing_docs, reason = "the names are those of the reference")]
#[rustfmt::skip]
pub enum Condition {
    F, Lt, Eq, Le, Gt, Lg, Ge, O, U, Nge, Nlg, Ngt, Nle, Neq, Nlt, Tru,
}

/// The questions of a compare about its sources.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Test {
    /// How the first is to the second.
    Order(Condition),
    /// Whether the class of the first is in the mask that the second is.
    Class,
}

/// One compare: the type, and the question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Compare {
    /// Type of what is compared.
    pub ty: Number,
    /// The question about the two sources.
    pub test: Test,
}

/// The different effects of instructions alike in their operands. [`Attrs::access`] says whether memory is read or written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    /// The opcode's fields.
    Own,
    /// Elements are moved as they are.
    Elements(Elements),
    /// Two elements of the data share are moved or exchanged. Offsets count so many elements.
    Pair(Elements, u8),
    /// Components are converted, by the format of the instruction or of the descriptor.
    Formatted {
        /// Whether they are halves in registers.
        half: bool,
    },
    /// One indivisible read and write.
    Atomic(Atomic),
    /// An image instruction.
    Image(ImageOp),
    /// A vector compare.
    Compare(Compare),
    /// The reference does not define it.
    Undefined,
}

/// The facts that a row states besides its bits and effects.
#[derive(Clone, Copy, Debug)]
pub struct Attrs {
    /// Encoding that the row has.
    pub format: Format,
    /// Suffix of the mnemonic.
    pub suffix: Suffix,
    /// Unit that executes the instruction.
    pub unit: Unit,
    /// Issue cycles of a wave (reference section 19; double factor 8).
    pub cycles: u8,
    /// The accesses to memory.
    pub access: Access,
    /// The counter that says that it is done.
    pub counter: Counter,
    /// The operation on what is there.
    pub operation: Operation,
    /// Type of the numbers that sources hold, where constants depend on it (section 2); else [`Number::U32`].
    pub number: Number,
    /// Whether lanes take part whose results it does not give.
    pub lanes: bool,
}
