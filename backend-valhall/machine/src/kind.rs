//! Operand and modifier kinds: what the bits of each slot mean.

use crate::modifiers::*;

/// A named set of field values. Position is value; an empty name is a reserved value.
#[derive(Debug, PartialEq, Eq)]
pub struct EnumDef {
    /// Name for error messages.
    pub name: &'static str,
    /// Names by value; an empty one is reserved.
    pub values: &'static [&'static str],
    /// The component that each value selects, if they are swizzles.
    pub lanes: &'static [Lanes],
    /// The value that prints nothing and that text without the modifier means.
    pub default: Option<u8>,
}

/// The components that a swizzle selects of a register or a pair.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lanes {
    /// Nothing that is a part: the value as it is, or what the operation says.
    Whole,
    /// A byte.
    Byte(u8),
    /// A half.
    Half(u8),
    /// A word of a pair.
    Word(u8),
    /// Two halves.
    Halves([u8; 2]),
    /// Two bytes, each in a half.
    TwoBytes([u8; 2]),
    /// Four bytes.
    Bytes([u8; 4]),
}

impl EnumDef {
    /// Name of `value`; `None` when reserved.
    pub fn value(&self, value: u32) -> Option<&'static str> {
        self.values.get(value as usize).copied().filter(|n| !n.is_empty())
    }

    /// The component that the swizzle `value` selects.
    pub fn lanes(&self, value: u32) -> Lanes {
        self.lanes.get(value as usize).copied().unwrap_or(Lanes::Whole)
    }
}

macro_rules! enums {
    ($($(#[$doc:meta])* $id:ident $name:literal $default:expr => $values:expr;)*) => {
        $($(#[$doc])* pub static $id: EnumDef = EnumDef { name: $name, values: &$values, lanes: &[], default: $default };)*
    };
}

enums! {
    /// The work after the instruction has issued (section 9.2).
    FLOW "flow" Some(0) => ["none", "wait0", "wait1", "wait01", "wait2", "wait02", "wait12", "wait012", "wait0126", "wait",
        "reconverge", "", "", "discard", "", "end"];
    /// Place and extension of a loaded byte.
    LOAD_LANE_8 "load lane" Some(0) => ByteLane::NAMES;
    /// Place and extension of a loaded half.
    LOAD_LANE_16 "load lane" Some(0) => HalfLane::NAMES;
    /// Load lane of 24 bits.
    LOAD_LANE_24 "load lane" Some(0) => ["identity"];
    /// Load lane of 32 bits.
    LOAD_LANE_32 "load lane" Some(0) => ["w0", "d0"];
    /// Load lane of 48 bits.
    LOAD_LANE_48 "load lane" Some(4) => ["", "", "", "", "identity"];
    /// Load lane of 64 bits.
    LOAD_LANE_64 "load lane" Some(7) => ["", "", "", "", "", "", "", "identity"];
    /// Load lane of 96 bits.
    LOAD_LANE_96 "load lane" Some(6) => ["", "", "", "", "", "", "identity"];
    /// Load lane of 128 bits.
    LOAD_LANE_128 "load lane" Some(7) => ["", "", "", "", "", "", "", "identity"];
    /// Rounding.
    ROUND "round mode" Some(0) => Round::NAMES;
    /// How a comparison says true.
    RESULT_TYPE "result type" None => ResultType::NAMES;
    /// Range of a float result.
    CLAMP "clamp" Some(0) => Clamp::NAMES;
    /// Comparison.
    CONDITION "condition" None => Condition::NAMES;
    /// Texture dimension.
    DIMENSION "dimension" None => Dimension::NAMES;
    /// Level-of-detail selection.
    LOD_MODE "level-of-detail mode" None => LodMode::NAMES;
    /// Format of data in registers.
    REGFMT "register format" None => RegFormat::NAMES;
    /// Texture components that are written.
    WRITE_MASK "write mask" Some(15) => ["", "r", "g", "rg", "b", "rb", "gb", "rgb", "a", "ra", "ga", "rga", "ba", "rba",
        "gba", "rgba"];
    /// Component that a gather reads.
    FETCH_COMPONENT "fetch component" None => Component::NAMES;
    /// Type of texture results. 0 leaves it to the descriptor (section 21, note 11).
    REGISTER_TYPE "register type" None => RegisterType::NAMES;
    /// Width of texture results.
    REGISTER_WIDTH "register width" None => RegisterWidth::NAMES;
    /// Widths of fused texture results.
    VARTEX_WIDTH "register width" None => ["16", "32", "16.32", "32.32"];
    /// Number of components.
    VECSIZE "vector size" Some(0) => VecSize::NAMES;
    /// Message slot.
    SLOT "slot" None => MessageSlot::NAMES;
    /// Memory access hint.
    MEMORY_ACCESS "memory access" Some(0) => MemoryAccess::NAMES;
    /// Subgroup size.
    SUBGROUP "subgroup size" Some(3) => ["subgroup2", "subgroup4", "subgroup8", "subgroup16"];
    /// How CLPER finds the other lane.
    LANE_OP "lane operation" Some(0) => ["none", "xor", "accumulate", "shift"];
    /// The result of CLPER for inactive lanes.
    INACTIVE "inactive result" Some(0) => ["zero", "umax", "i1", "v2i1", "smin", "smax", "v2smin", "v2smax", "v4smin",
        "v4smax", "f1", "v2f1", "infn", "inf", "v2infn", "v2inf"];
    /// The condition of MUX.
    MUX "mux" Some(1) => Mux::NAMES;
    /// Interpolation location.
    SAMPLE "sample mode" None => SamplePlace::NAMES;
    /// Hidden interpolation state.
    UPDATE "update mode" None => Update::NAMES;
    /// Both of them in fused texture operations.
    SAMPLE_AND_UPDATE "sample and update mode" None => ["center_store", "centroid_store", "sample_store", "explicit_store",
        "center_clobber", "", "sample_clobber", "retrieve"];
    /// Varying format in memory.
    SOURCE_FORMAT "source format" None => SourceFormat::NAMES;
    /// Atomic operation.
    ATOM_OPC "atomic operation" None => AtomOp::NAMES;
    /// Atomic operation with 1.
    ATOM_OPC_1 "atomic operation" None => AtomOne::NAMES;
    /// The treatment of NaN by FLUSH.
    NAN_MODE "NaN mode" None => ["none", "flush_nan", "quiet_nan"];
}

macro_rules! swizzles {
    ($($(#[$doc:meta])* $id:ident $name:literal $default:expr => [$($text:literal $lanes:ident $(($part:expr))?,)*];)*) => {
        $($(#[$doc])* pub static $id: EnumDef = EnumDef {
            name: $name,
            values: &[$($text),*],
            lanes: &[$(Lanes::$lanes $(($part))?),*],
            default: $default,
        };)*
    };
}

swizzles! {
    /// Byte permutation of an 8-bit vector.
    SWIZZLE8 "8-bit swizzle" Some(0) => [
        "b0123" Bytes([0, 1, 2, 3]), "b3210" Bytes([3, 2, 1, 0]), "b0101" Bytes([0, 1, 0, 1]),
        "b2323" Bytes([2, 3, 2, 3]), "b0000" Bytes([0, 0, 0, 0]), "b1111" Bytes([1, 1, 1, 1]),
        "b2222" Bytes([2, 2, 2, 2]), "b3333" Bytes([3, 3, 3, 3]), "b2301" Bytes([2, 3, 0, 1]),
        "b1032" Bytes([1, 0, 3, 2]), "b0011" Bytes([0, 0, 1, 1]), "b2233" Bytes([2, 2, 3, 3]),
    ];
    /// Byte that holds the shift amount.
    LANES8 "shift lanes" None => [
        "" Whole, "" Whole, "" Whole, "" Whole, "b00" Byte(0), "b11" Byte(1), "b22" Byte(2), "b33" Byte(3),
    ];
    /// Two bytes that become two halves.
    HALFSWIZZLE8 "8-bit half swizzle" None => [
        "b00" TwoBytes([0, 0]), "b10" TwoBytes([1, 0]), "b20" TwoBytes([2, 0]), "b30" TwoBytes([3, 0]),
        "b01" TwoBytes([0, 1]), "b11" TwoBytes([1, 1]), "b21" TwoBytes([2, 1]), "b31" TwoBytes([3, 1]),
        "b02" TwoBytes([0, 2]), "b12" TwoBytes([1, 2]), "b22" TwoBytes([2, 2]), "b32" TwoBytes([3, 2]),
        "b03" TwoBytes([0, 3]), "b13" TwoBytes([1, 3]), "b23" TwoBytes([2, 3]), "b33" TwoBytes([3, 3]),
    ];
    /// Halves or bytes that become two 16-bit lanes.
    SWIZZLE16 "16-bit swizzle" Some(2) => [
        "h00" Halves([0, 0]), "h10" Halves([1, 0]), "h01" Halves([0, 1]), "h11" Halves([1, 1]),
        "b00" TwoBytes([0, 0]), "b20" TwoBytes([2, 0]), "b02" TwoBytes([0, 2]), "b22" TwoBytes([2, 2]),
        "b11" TwoBytes([1, 1]), "b31" TwoBytes([3, 1]), "b13" TwoBytes([1, 3]), "b33" TwoBytes([3, 3]),
        "b01" TwoBytes([0, 1]), "b23" TwoBytes([2, 3]),
    ];
    /// The first four of them, for fields of two bits.
    SWIZZLE16_HALVES "16-bit swizzle" Some(2) => [
        "h00" Halves([0, 0]), "h10" Halves([1, 0]), "h01" Halves([0, 1]), "h11" Halves([1, 1]),
    ];
    /// Part of a register that is extended to 32 bits.
    SWIZZLE32 "32-bit swizzle" Some(0) => [
        "none" Whole, "" Whole, "h0" Half(0), "h1" Half(1), "b0" Byte(0), "b1" Byte(1), "b2" Byte(2), "b3" Byte(3),
    ];
    /// Part of a pair that is extended to 64 bits.
    SWIZZLE64 "64-bit swizzle" Some(0) => [
        "none" Whole, "" Whole, "h0" Half(0), "h1" Half(1), "b0" Byte(0), "b1" Byte(1), "b2" Byte(2), "b3" Byte(3),
        "w0" Word(0),
    ];
    /// Conversion of an fp16 half to fp32.
    WIDEN "widen" Some(0) => [
        "none" Whole, "h0" Half(0), "h1" Half(1),
    ];
    /// One byte.
    LANE8 "8-bit lane" None => [
        "b0" Byte(0), "b1" Byte(1), "b2" Byte(2), "b3" Byte(3),
    ];
    /// One half.
    LANE16 "16-bit lane" None => [
        "h0" Half(0), "h1" Half(1),
    ];
    /// Part of a branch condition that is tested.
    COMBINE "combine" Some(0) => [
        "none" Whole, "h0" Half(0), "h1" Half(1), "and" Whole, "lowbits" Whole,
    ];
}

/// The kinds of destinations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DstKind {
    /// One register; only the full mask may be emitted.
    Word,
    /// One register; each half can be written alone.
    Half,
    /// An aligned pair.
    Pair,
}

/// Modifiers of a source. Above the source byte, the raw value of the slot holds them in the order neg, abs, swizzle, not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SrcMods {
    /// None.
    Plain,
    /// None; a float.
    Float,
    /// Negate and absolute value.
    NegAbs,
    /// The same and fp16 to fp32.
    NegAbsWiden,
    /// The same and a selection of halves.
    NegAbsSwizzle16,
    /// The same and one half.
    NegAbsHalf,
    /// fp16 to fp32.
    Widen,
    /// Selection of halves.
    Swizzle16,
    /// Byte permutation.
    Int8,
    /// Halves or extended bytes.
    Int16,
    /// Extended part of a register.
    Int32,
    /// Extended part of a pair.
    Int64,
    /// Byte with the shift amount.
    Lanes8,
    /// Two bytes.
    HalfSwizzle8,
    /// Part of a condition.
    Combine,
    /// Complement.
    Not,
    /// One byte.
    Byte,
}

impl SrcMods {
    /// Whether it has neg and abs.
    pub const fn has_neg_abs(self) -> bool {
        use SrcMods::*;
        matches!(self, NegAbs | NegAbsWiden | NegAbsSwizzle16 | NegAbsHalf)
    }
    /// Whether it is a float that 7.3 keeps away from specials.
    pub const fn is_float(self) -> bool {
        self.has_neg_abs() || matches!(self, SrcMods::Float | SrcMods::Widen)
    }
    /// The swizzle's names, if it has one.
    pub fn swizzle(self) -> Option<&'static EnumDef> {
        use SrcMods::*;
        match self {
            Plain | Float | NegAbs | Not => None,
            NegAbsWiden | Widen => Some(&WIDEN),
            NegAbsSwizzle16 | Swizzle16 => Some(&SWIZZLE16_HALVES),
            NegAbsHalf => Some(&LANE16),
            Int8 => Some(&SWIZZLE8),
            Int16 => Some(&SWIZZLE16),
            Int32 => Some(&SWIZZLE32),
            Int64 => Some(&SWIZZLE64),
            Lanes8 => Some(&LANES8),
            HalfSwizzle8 => Some(&HALFSWIZZLE8),
            Combine => Some(&COMBINE),
            Byte => Some(&LANE8),
        }
    }
    /// Bits of the swizzle.
    pub const fn swizzle_width(self) -> u32 {
        use SrcMods::*;
        match self {
            Plain | Float | NegAbs | Not => 0,
            NegAbsHalf => 1,
            NegAbsWiden | NegAbsSwizzle16 | Widen | Swizzle16 | Byte => 2,
            Combine => 3,
            Int8 | Int16 | Int32 | Int64 | Lanes8 | HalfSwizzle8 => 4,
        }
    }
    /// The swizzle value of an unmodified operand.
    pub const fn identity(self) -> u8 {
        use SrcMods::*;
        match self {
            NegAbsSwizzle16 | Swizzle16 | Int16 => 2,
            Lanes8 => 4,
            _ => 0,
        }
    }
}

/// The kind of a source: its width and modifiers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SrcKind {
    /// Whether it reads 64 bits.
    pub wide: bool,
    /// Modifiers that the source may have.
    pub mods: SrcMods,
}

/// Meaning of a slot.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// Flow, on every instruction.
    Flow,
    /// FAU page, shared by all sources; not printed, follows from them.
    Page,
    /// A modifier of one bit that prints its name when set.
    Flag(&'static str),
    /// A modifier with named values.
    Enum(&'static EnumDef),
    /// Destination byte: register in bits 0..5, halves written in bits 6..7.
    Dst(DstKind),
    /// First register of a staging run whose length is in the slot `count` (`minus1`: stored less one).
    Run {
        /// Name of the slot with the length.
        count: &'static str,
        /// The length is stored less one.
        minus1: bool,
    },
    /// Length of a staging run; printed with the run.
    Count,
    /// A source operand.
    Src(SrcKind),
    /// An immediate `name:value`.
    Imm {
        /// Printed name.
        name: &'static str,
        /// Two's complement of the field's width.
        signed: bool,
    },
    /// An immediate `#value`.
    Constant,
}
