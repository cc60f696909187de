//! Names of the instruction set: generations, opcodes, types, operand kinds, cost facts.

use gpucc_isa::Word;

/// Bit of nv50 (G80) in a set of generations.
pub const NV50: u16 = 1;
/// Bit of nv84 (G84).
pub const NV84: u16 = 2;
/// Bit of nva0 (GT200).
pub const NVA0: u16 = 4;
/// Bit of nva3 (GT215).
pub const NVA3: u16 = 8;
/// Bit of mcp77, of which only words are read and written.
pub const MCP77: u16 = 16;
/// Mask with the bits of every generation.
pub const ANY: u16 = 31;
/// Compute capability 1.1 and up.
pub const SM11: u16 = ANY & !NV50;
/// Compute capability 1.2 and up.
pub const SM12: u16 = SM11 & !NV84;

/// An atomic operation on global memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names are those of the reference")]
#[rustfmt::skip]
pub enum AtomOp {
    Add, Exch, Cas, Inc, Dec, Max, Min, And, Or, Xor,
}

impl AtomOp {
    const COUNT: usize = AtomOp::Xor as usize + 1;
}

macro_rules! ops {
    ($($name:ident),* $(,)?) => {
        /// Semantic opcode. Types and widths are in [`Attrs`] and in the operand kinds of the row.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[expect(missing_docs, reason = "the names are those of the reference")]
        pub enum Op {
            $($name,)*
            Red(AtomOp),
            Atom(AtomOp),
        }

        /// The opcodes without data, for their numbers.
        enum Plain { $($name,)* Count }

        impl Op {
            /// How many opcodes there are.
            pub const COUNT: usize = Plain::Count as usize + 2 * AtomOp::COUNT;

            /// The number of an opcode, below [`Op::COUNT`].
            pub const fn number(self) -> usize {
                match self {
                    $(Op::$name => Plain::$name as usize,)*
                    Op::Red(a) => Plain::Count as usize + a as usize,
                    Op::Atom(a) => Plain::Count as usize + AtomOp::COUNT + a as usize,
                }
            }
        }
    };
}

ops! {
    Mov, MovFromC, MovFromA, MovFromSr, MovToC, ShlToA, AddA, LdA, StO, LdC, LdS, LdLock, StS, StUnlock, VoteAny, VoteAll, Add,
    Sub, Subr, Addc, Set, Max, Min, Shl, Shr, Mul16, Mul24, Sad, MadU16, MadS16, MadSatS16, MadU24, MadS24, MadSatS24,
    MadHiU24, MadHiS24, MadSatHiS24, And, Or, Xor, Mov2, Fadd, Fmul, FmulSat, Fmad, Fset, Fmax, Fmin, PreSin, PreEx2, Rcp, Rsqrt, Lg2,
    Sin, Cos, Ex2, Slct, QuadOp, Interp, InterpFlat, InterpMul, CvtII, CvtIF, CvtFI, CvtFF, CvtRint, Dfma, Dadd, Dmul, Dmin,
    Dmax, Dset, LdL, StL, LdG, StG, TexAuto, TexFetch, TexBias, TexLod, TexSize, TexPrep, TexQueryLod, TexCsaa, TexGather,
    Emit, Restart, Nop, PmEvent, Discard, Bra, Call, Ret, PreBrk, Brk, QuadOn, QuadPop, Bar, Trap, JoinAt, Brkpt, BraC, PreRet,
}

/// Type of a value as an instruction treats it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names are those of the reference")]
#[rustfmt::skip]
pub enum Ty {
    None, U8, S8, U16, S16, B16, U32, S32, B32, U64, S64, B64, B128, F16, F32, F64,
}

gpucc_isa::mod_values!(Ty { None, U8, S8, U16, S16, B16, U32, S32, B32, U64, S64, B64, B128, F16, F32, F64 });

impl Ty {
    /// Size of a value in bytes; 0 for `None`.
    pub const fn bytes(self) -> u32 {
        match self {
            Ty::None => 0,
            Ty::U8 | Ty::S8 => 1,
            Ty::U16 | Ty::S16 | Ty::B16 | Ty::F16 => 2,
            Ty::U32 | Ty::S32 | Ty::B32 | Ty::F32 => 4,
            Ty::U64 | Ty::S64 | Ty::B64 | Ty::F64 => 8,
            Ty::B128 => 16,
        }
    }

    /// Whether it is a signed integer.
    pub const fn signed(self) -> bool {
        matches!(self, Ty::S8 | Ty::S16 | Ty::S32 | Ty::S64)
    }
}

/// Width of a register operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Width {
    /// Half register: field 2*X is `$rXl`, 2*X+1 is `$rXh`.
    H,
    /// 32-bit register.
    S,
    /// Aligned pair.
    D,
    /// Aligned group of four.
    Q,
}

/// Memory spaces of the forms with an offset field of their own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names are those of the reference")]
#[rustfmt::skip]
pub enum Space {
    Attr, Out, Const, Shared, Local, Varying,
}

/// Operand and modifier kinds.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// 0 plain, 1 exit, 2 join. Printed before everything else.
    Ei,
    /// Predicate condition. Printed before the mnemonic together with the flag register.
    Pred,
    /// `$cN`, raw number: predicate, carry input, source of mov. Printed with the predicate, or where a template asks.
    CReg,
    /// Quad lane mask, printed before the mnemonic unless full.
    Lanes,
    /// Destination register only.
    Dst(Width),
    /// Destination, bit 7 set: output register; field 127 with that bit: discarded.
    DstO(Width),
    /// Destination as DstO(S), with bit 8: 1 full register, 0 half.
    DstOF,
    /// Optional `$c` destination: bit 2 is the write enable.
    CDst,
    /// `$c` destination that is always there.
    CDstAlways,
    /// SRC1 of long forms: bit 7 memory.
    Src1(Width),
    /// SRC2 of long forms: bit 7 c[].
    Src2(Width),
    /// SRC3 of long forms: bit 7 c[].
    Src3(Width),
    /// SRC1 of short forms: bit 6 memory.
    SSrc1(Width),
    /// SRC2 of short forms: bit 6 c[].
    SSrc2(Width),
    /// SRC1 of immediate forms: bit 6 memory.
    ISrc1(Width),
    /// Third source that is the destination.
    SameAsDst,
    /// Register only.
    Reg(Width),
    /// Register, bit 7: 1 full, 0 half.
    HalfOrFull,
    /// `$a` of a memory operand; silent unless a template asks.
    A,
    /// `$a` destination.
    ADst,
    /// Post-increment flag of a memory operand; silent.
    Inc,
    /// Number of the c[] space; silent.
    Cidx,
    /// Flag w0.23 where SRC2 is no c[] operand; silent.
    M23,
    /// Flag w0.24 where SRC3 is no c[] operand; silent.
    M24,
    /// Offset field of a memory operand, times the scale.
    Mem(Space, u8),
    /// `gN[$r]`: bits 0-6 register, 7-10 number.
    Glob,
    /// A flag that prints its name when set.
    Flag(&'static str),
    /// One of several names, always printed.
    Enum(&'static [&'static str]),
    /// A number in hexadecimal: an immediate operand.
    Num,
    /// Number of a barrier.
    Bar,
    /// Code address in units of four bytes.
    Target,
    /// Special register.
    Sr,
    /// `$c0` or nothing: carry input by the mul+add operation of the instruction.
    Cin,
    /// Source lane of quadop.
    QLane,
    /// Barrier count: bit 12 is `all`.
    BarCount,
    /// `$tN`.
    Tex,
    /// `$sN`.
    Samp,
    /// Destination vector with mask in this slot.
    DVec,
    /// Full destination vector.
    DVec4,
    /// Source vector, this slot is the count minus one.
    SVec,
    /// Source vector of one register.
    SVec1,
    /// Signed texel offset.
    TexOff,
    /// Texture base register; silent.
    Base,
}

/// Execution unit that an instruction occupies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names are those of the reference")]
#[repr(u8)]
#[rustfmt::skip]
pub enum Unit {
    Alu, Sfu, Double, Memory, Texture, Flow,
}

impl Unit {
    /// All units, each at its number.
    pub const ALL: [Unit; 6] = [Unit::Alu, Unit::Sfu, Unit::Double, Unit::Memory, Unit::Texture, Unit::Flow];

    /// The unit of a row.
    pub const fn of(row: &crate::Row) -> Unit {
        Unit::ALL[row.effects.unit as usize]
    }

    /// Name of the unit in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Unit::Alu => "alu",
            Unit::Sfu => "sfu",
            Unit::Double => "double",
            Unit::Memory => "memory",
            Unit::Texture => "texture",
            Unit::Flow => "flow",
        }
    }
}

/// Memory as effects name it: different ones never alias.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u16)]
pub enum Memory {
    /// All of it, and its order.
    Any,
    /// g[].
    Global,
    /// l[].
    Local,
    /// s[].
    Shared,
    /// c[], which no program writes.
    Const,
    /// o[], and the vertices and primitives that are made of it.
    Output,
    /// Textures.
    Texture,
}

impl Memory {
    /// All memories, each at its number.
    pub const ALL: [Memory; 7] =
        [Memory::Any, Memory::Global, Memory::Local, Memory::Shared, Memory::Const, Memory::Output, Memory::Texture];
}

/// Cost and type facts of a row (reference section 11), besides its effects.
#[derive(Clone, Copy, Debug)]
pub struct Attrs {
    /// Issue cost of a warp in shader clocks.
    pub issue: u8,
    /// Type of the result, or of the data moved.
    pub ty: Ty,
    /// Type of the source where it is another.
    pub src: Ty,
}

/// A 64-bit pattern from the two words of the reference's tables.
pub const fn pat(w0: u32, w1: u32) -> Word {
    w0 as Word | (w1 as Word) << 32
}

/// Whether condition `cond` holds for flags `f` (bit 0 Z, 1 S, 2 C, 3 O); reference seed, "Predicates".
pub const fn condition(cond: u32, f: u8) -> bool {
    let (z, s, c, o) = (f & 1 != 0, f & 2 != 0, f & 4 != 0, f & 8 != 0);
    match cond {
        0x00 => false,
        0x01 => (s && !z) ^ o,
        0x02 => z && !s,
        0x03 => s ^ (z || o),
        0x04 => !z && !(s ^ o),
        0x05 => !z,
        0x06 => !(s ^ o),
        0x07 => !z || !s,
        0x08 => z && s,
        0x09 => s ^ o,
        0x0a => z,
        0x0b => z || (s ^ o),
        0x0c => !s ^ (z || o),
        0x0d => !z || s,
        0x0e => (!s || z) ^ o,
        0x0f => true,
        0x10 => o,
        0x11 => c,
        0x12 => !z && c,
        0x13 => s,
        0x1c => !s,
        0x1d => z || !c,
        0x1e => !c,
        _ => !o,
    }
}
