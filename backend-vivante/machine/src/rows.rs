//! The rows: every opcode of the reference's section 5 and of the seed that it completes.

use gpucc_isa::{Enc, Field, Implicit, OperandSpec, Role, Row, Word, fixed};

use crate::fields::*;
use crate::modifiers::Type;
use crate::{GC2000, Vivante};

/// The contents of an operand slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// One bit that prints a word when set.
    Flag(&'static str),
    /// Pack mode: prints `.pack` when 0.
    Pack,
    /// Condition code.
    Cond,
    /// Operand type.
    Type,
    /// Dual-16 thread select.
    Thread,
    /// Rounding mode.
    Round,
    /// Left shift of a memory offset.
    Shift,
    /// Destination register with mask.
    Dst,
    /// Destination that may be absent.
    DstOpt,
    /// Write mask of memory.
    MemMask,
    /// Write mask of a destination that prints as `void` (a0 as the vendor encodes it).
    VoidMask,
    /// Source operand.
    Src,
    /// Source operand that may be absent.
    SrcOpt,
    /// Sampler with texel swizzle.
    Tex,
    /// Absolute instruction index.
    Target,
    /// Encoded but never printed.
    Silent,
}

/// The features that a chip needs to have the row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Need {
    /// Every chip.
    Base,
    /// SIGN, FLOOR, CEIL.
    SignFloorCeil,
    /// SQRT, SIN, COS.
    SqrtTrig,
    /// The integer ALU (scalar before HALTI2).
    Int,
    /// HALTI level 2.
    Halti2,
    /// Compute with atomics: HALTI2 in practice (10.3).
    Atomics,
    /// Fast transcendentals.
    FastTrans,
    /// HALTI level 5.
    Halti5,
    /// A feature of late parts that the reference cannot name; given to gc7000.
    Newer,
    /// Named by the seed, never seen: present in the table of the last generation so that it can be read.
    Unverified,
}

impl Need {
    /// Generations that have it, as a mask (sections 1 and 13).
    pub const fn generations(self) -> u16 {
        match self {
            Need::Base | Need::SignFloorCeil | Need::SqrtTrig | Need::Int => 0b111,
            Need::Halti2 | Need::Atomics | Need::FastTrans => 0b110,
            Need::Halti5 | Need::Newer | Need::Unverified => 0b100,
        }
    }
}

/// How the lanes of operands and result relate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// Lane by lane, on floats or bits.
    Vector,
    /// Lane by lane on integers; one broadcast lane on chips before HALTI2.
    IntVector,
    /// One lane in, result in every enabled lane.
    Scalar,
    /// Several lanes in, result in every enabled lane.
    Reduce,
    /// Memory.
    Memory,
    /// Branches, calls, barriers.
    Control,
    /// Texture fetch.
    Texture,
    /// The reference does not know what it does.
    Unknown,
}

/// The family's facts about a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Attrs {
    /// How the lanes of operands and result relate.
    pub class: Class,
    /// The features that the chip needs.
    pub need: Need,
    /// Types of operands that have a known meaning.
    pub types: Types,
}

/// Types of operands that have a known meaning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Types {
    /// All: the row has no type, states its own formats, or is not known.
    Any,
    /// 32-bit floats.
    Float,
    /// Floats of both widths.
    FloatWidth,
    /// All but half floats.
    NotHalf,
    /// All of 32 bits.
    Word,
    /// Integers: signedness or width matters, the type must say it.
    Integer,
    /// 32-bit integers.
    Int32,
}

impl Types {
    /// Whether a type is among them.
    pub const fn has(self, t: Type) -> bool {
        match self {
            Types::Any => true,
            Types::Float => matches!(t, Type::F32),
            Types::FloatWidth => matches!(t, Type::F32 | Type::F16),
            Types::NotHalf => !matches!(t, Type::F16),
            Types::Word => t.is_word(),
            Types::Integer => t.is_integer(),
            Types::Int32 => matches!(t, Type::S32 | Type::U32),
        }
    }
}

const fn slot(name: &'static str, field: Field, kind: Kind, role: Role) -> OperandSpec<Vivante> {
    OperandSpec::new(name, field, kind, role)
}

const HP_S: OperandSpec<Vivante> = slot("hp", HP, Kind::Flag(".hp"), Role::Mod);
const SAT_S: OperandSpec<Vivante> = slot("sat", SAT, Kind::Flag(".sat"), Role::Mod);
const COND_S: OperandSpec<Vivante> = slot("cond", COND, Kind::Cond, Role::Mod);
const SKPHP_S: OperandSpec<Vivante> = slot("skphp", SKPHP, Kind::Flag(".skpHp"), Role::Mod);
const DENORM_S: OperandSpec<Vivante> = slot("denorm", DENORM, Kind::Flag(".denorm"), Role::Mod);
const LOCAL_S: OperandSpec<Vivante> = slot("local", LOCAL, Kind::Flag(".local"), Role::Mod);
const TYPE_S: OperandSpec<Vivante> = slot("type", TYPE, Kind::Type, Role::Mod);
const SHIFT_S: OperandSpec<Vivante> = slot("shift", SHIFT, Kind::Shift, Role::Mod);
const PACK_S: OperandSpec<Vivante> = slot("pack", PACK, Kind::Pack, Role::Mod);
const THREAD_S: OperandSpec<Vivante> = slot("thread", THREAD, Kind::Thread, Role::Mod);
const ROUND_S: OperandSpec<Vivante> = slot("round", ROUND, Kind::Round, Role::Mod);
const UNK_S: OperandSpec<Vivante> = slot("unk", UNK27, Kind::Flag(".unk"), Role::Mod);
const DST_S: OperandSpec<Vivante> = slot("dst", DST, Kind::Dst, Role::Def);
const DST_O: OperandSpec<Vivante> = slot("dst", DST_OPT, Kind::DstOpt, Role::Def);
const SRC0_S: OperandSpec<Vivante> = slot("src0", SRC0, Kind::Src, Role::Use);
const SRC1_S: OperandSpec<Vivante> = slot("src1", SRC1, Kind::Src, Role::Use);
const SRC2_S: OperandSpec<Vivante> = slot("src2", SRC2, Kind::Src, Role::Use);
const SRC0_O: OperandSpec<Vivante> = slot("src0", SRC0_OPT, Kind::SrcOpt, Role::Use);
const SRC1_O: OperandSpec<Vivante> = slot("src1", SRC1_OPT, Kind::SrcOpt, Role::Use);
const SRC2_O: OperandSpec<Vivante> = slot("src2", SRC2_OPT, Kind::SrcOpt, Role::Use);
const TEX_S: OperandSpec<Vivante> = slot("tex", TEX, Kind::Tex, Role::Mod);
const TARGET_S: OperandSpec<Vivante> = slot("target", TARGET, Kind::Target, Role::Label);
const THREAD_Q: OperandSpec<Vivante> = slot("thread", THREAD, Kind::Silent, Role::Mod);
const HP_Q: OperandSpec<Vivante> = slot("hp", HP, Kind::Silent, Role::Mod);

/// Fixed bits: opcode, then the use bits of destination and sources as given.
const fn enc(need: Need, opcode: u32, uses: &[(Field, u32)]) -> Enc {
    let g = need.generations();
    let head = fixed(g, &[(OPCODE, opcode)]);
    let tail = fixed(g, uses);
    Enc { generations: g, mask: head.mask | tail.mask, value: head.value | tail.value }
}

/// Bits of no-operand instructions that the hardware ignores (section 18): SAT, COND, TYPE, RMODE, PMODE, thread.
const NONE_IGNORED: Word = SAT.mask() | COND.mask() | TYPE.mask() | ROUND.mask() | PACK.mask() | THREAD.mask();
/// Bits of texture instructions that it ignores: SAT, COND, TYPE.
const TEX_IGNORED: Word = SAT.mask() | COND.mask() | TYPE.mask();
/// Don't-care bits of stores (section 18): 12-22, 27-33, 41.
pub(crate) const STORE_IGNORED: Word = Field::new(12, 11).mask() | Field::new(27, 7).mask() | Field::new(41, 1).mask();
/// The don't-care bit of branches and calls.
pub(crate) const BRANCH_IGNORED: Word = PACK.mask();

/// The modifiers that rows begin with, as text and as slots.
#[rustfmt::skip]
macro_rules! head {
    (text mods) => { "{hp}{sat}{skphp}{type}{pack}{thread}{round} " };
    (text cmods) => { "{hp}{sat}{cond}{skphp}{type}{pack}{thread}{round} " };
    (text unk) => { "{unk}{hp}{sat}{skphp}{type}{pack}{thread}{round} " };
    (text mem) => { "{sat}{cond}{skphp}{denorm}{local}{type}{shift}{pack}{thread}{hp} " };
    (text kill) => { "{cond}{type}{pack}{thread}{round} " };
    (text br) => { "{cond}{type} " };
    (text bare) => { " " };
    (slots cmods $($s:expr),*) => { &[HP_S, SAT_S, COND_S, SKPHP_S, TYPE_S, PACK_S, THREAD_S, ROUND_S, $($s),*] };
    (slots mem $($s:expr),*) => { &[SAT_S, COND_S, SKPHP_S, DENORM_S, LOCAL_S, TYPE_S, SHIFT_S, PACK_S, THREAD_Q, HP_Q, $($s),*] };
    (slots kill $($s:expr),*) => { &[COND_S, TYPE_S, PACK_S, THREAD_S, ROUND_S, $($s),*] };
    (slots br $($s:expr),*) => { &[COND_S, TYPE_S, $($s),*] };
    (slots bare $($s:expr),*) => { &[$($s),*] };
    (slots $mods:ident $($s:expr),*) => { &[HP_S, SAT_S, SKPHP_S, TYPE_S, PACK_S, THREAD_S, ROUND_S, $($s),*] };
}

macro_rules! row {
    ($head:ident $ops:literal [$($s:expr),*] [$($field:ident $is:expr),*] $ignored:expr, $op:ident $num:literal $name:literal $need:ident) => {
        Row::new(
            Op::$op,
            concat!($name, head!(text $head), $ops),
            16,
            const { &[enc(Need::$need, $num, &[$(($field, $is)),*])] },
            effects::pure,
            Attrs { class: Class::Unknown, need: Need::$need, types: Types::Any },
        )
        .operands(head!(slots $head $($s),*))
        .ignored($ignored)
    };
}

const MASK_V: OperandSpec<Vivante> = slot("mask", MASK, Kind::VoidMask, Role::Mod);
const MASK_M: OperandSpec<Vivante> = slot("mask", MASK, Kind::MemMask, Role::Mod);

/// The shapes of rows by name: modifiers, text of the operands, their slots, fixed fields beside the opcode, bits that the hardware ignores.
#[rustfmt::skip]
macro_rules! shape {
    // ALU: one for each pattern of read slots.
    (s0 $($r:tt)*) => { row!(mods "{dst}, {src0}, void, void" [DST_S, SRC0_S] [DST_USE 1, SRC0_USE 1] 0, $($r)*) };
    (s2 $($r:tt)*) => { row!(mods "{dst}, void, void, {src2}" [DST_S, SRC2_S] [DST_USE 1, SRC2_USE 1] 0, $($r)*) };
    (s01 $($r:tt)*) => { row!(mods "{dst}, {src0}, {src1}, void" [DST_S, SRC0_S, SRC1_S] [DST_USE 1, SRC0_USE 1, SRC1_USE 1] 0, $($r)*) };
    (s02 $($r:tt)*) => { row!(mods "{dst}, {src0}, void, {src2}" [DST_S, SRC0_S, SRC2_S] [DST_USE 1, SRC0_USE 1, SRC2_USE 1] 0, $($r)*) };
    (s12 $($r:tt)*) => { row!(mods "{dst}, void, {src1}, {src2}" [DST_S, SRC1_S, SRC2_S] [DST_USE 1, SRC1_USE 1, SRC2_USE 1] 0, $($r)*) };
    (s012 $($r:tt)*) => { row!(mods "{dst}, {src0}, {src1}, {src2}" [DST_S, SRC0_S, SRC1_S, SRC2_S] [DST_USE 1, SRC0_USE 1, SRC1_USE 1, SRC2_USE 1] 0, $($r)*) };
    (c01 $($r:tt)*) => { row!(cmods "{dst}, {src0}, {src1}, void" [DST_S, SRC0_S, SRC1_S] [DST_USE 1, SRC0_USE 1, SRC1_USE 1] 0, $($r)*) };
    (c012 $($r:tt)*) => { row!(cmods "{dst}, {src0}, {src1}, {src2}" [DST_S, SRC0_S, SRC1_S, SRC2_S] [DST_USE 1, SRC0_USE 1, SRC1_USE 1, SRC2_USE 1] 0, $($r)*) };
    // LITP: source 0 may be absent, its tests then pass.
    (litp $($r:tt)*) => { row!(mods "{dst}, {src0}, {src1}, {src2}" [DST_S, SRC0_O, SRC1_S, SRC2_S] [DST_USE 1, SRC1_USE 1, SRC2_USE 1] 0, $($r)*) };
    // NORM_MUL: bit 27 as the vendor sets it.
    (norm_mul $($r:tt)*) => { row!(unk "{dst}, {src0}, {src1}, void" [DST_S, SRC0_S, SRC1_S, UNK_S] [DST_USE 1, SRC0_USE 1, SRC1_USE 1] 0, $($r)*) };
    // Writes to a0 with the destination's use bit clear, as the vendor encodes them.
    (a0 $($r:tt)*) => { row!(mods "{mask}, void, void, {src2}" [MASK_V, SRC2_S] [DST_USE 0, SRC2_USE 1] 0, $($r)*) };
    // Extended page: source 2 holds the number as a u20 immediate.
    (ext0 $op:ident $num:literal $($r:tt)*) => { row!(mods "{dst}, {src0}, void, void" [DST_S, SRC0_S]
        [DST_USE 1, SRC0_USE 1, SRC2_USE 1, SRC2 $num | 4 << 19 | 7 << 22] 0, $op 0x7f $($r)*) };
    // Operand layout unknown: everything may be there.
    (any $($r:tt)*) => { row!(cmods "{dst}, {src0}, {src1}, {src2}" [DST_O, SRC0_O, SRC1_O, SRC2_O] [] 0, $($r)*) };
    (none $($r:tt)*) => { row!(bare "{dst}{hp}, void, void, void" [DST_O, HP_S] [SRC0_USE 0, SRC1_USE 0, SRC2_USE 0] NONE_IGNORED, $($r)*) };
    (load $($r:tt)*) => { row!(mem "{dst}, {src0}, {src1}, void" [DST_S, SRC0_S, SRC1_S] [DST_USE 1, SRC0_USE 1, SRC1_USE 1] 0, $($r)*) };
    (store $($r:tt)*) => { row!(mem "{mask}, {src0}, {src1}, {src2}" [MASK_M, SRC0_S, SRC1_S, SRC2_S] [SRC0_USE 1, SRC1_USE 1, SRC2_USE 1] STORE_IGNORED, $($r)*) };
    (branch0 $($r:tt)*) => { row!(br "void, void, void, {target}" [TARGET_S] [SRC0_USE 0, SRC1_USE 0] BRANCH_IGNORED, $($r)*) };
    (branch1 $($r:tt)*) => { row!(br "void, {src0}, void, {target}" [SRC0_S, TARGET_S] [SRC0_USE 1, SRC1_USE 0] BRANCH_IGNORED, $($r)*) };
    (branch2 $($r:tt)*) => { row!(br "void, {src0}, {src1}, {target}" [SRC0_S, SRC1_S, TARGET_S] [SRC0_USE 1, SRC1_USE 1] BRANCH_IGNORED, $($r)*) };
    (kill0 $($r:tt)*) => { row!(kill "void, void, void, void" [] [SRC0_USE 0, SRC1_USE 0] 0, $($r)*) };
    (kill1 $($r:tt)*) => { row!(kill "void, {src0}, void, void" [SRC0_S] [SRC0_USE 1, SRC1_USE 0] 0, $($r)*) };
    (kill2 $($r:tt)*) => { row!(kill "void, {src0}, {src1}, void" [SRC0_S, SRC1_S] [SRC0_USE 1, SRC1_USE 1] 0, $($r)*) };
    (tex02 $($r:tt)*) => { row!(bare "{dst}, {tex}, {src0}, void, {src2}" [DST_S, TEX_S, SRC0_S, SRC2_O, THREAD_Q] [DST_USE 1, SRC0_USE 1, SRC1_USE 0] TEX_IGNORED, $($r)*) };
    (tex0oo $($r:tt)*) => { row!(bare "{dst}, {tex}, {src0}, {src1}, {src2}" [DST_S, TEX_S, SRC0_S, SRC1_O, SRC2_O, THREAD_Q] [DST_USE 1, SRC0_USE 1] TEX_IGNORED, $($r)*) };
    (tex012 $($r:tt)*) => { row!(bare "{dst}, {tex}, {src0}, {src1}, {src2}" [DST_S, TEX_S, SRC0_S, SRC1_S, SRC2_S, THREAD_Q]
        [DST_USE 1, SRC0_USE 1, SRC1_USE 1, SRC2_USE 1] TEX_IGNORED, $($r)*) };
    (tex01 $($r:tt)*) => { row!(bare "{dst}, {tex}, {src0}, {src1}, void" [DST_S, TEX_S, SRC0_S, SRC1_S, THREAD_Q]
        [DST_USE 1, SRC0_USE 1, SRC1_USE 1, SRC2_USE 0] TEX_IGNORED, $($r)*) };
}

const A0_WRITE: &[Implicit] = &[Implicit::write("a0")];
const MEM_READ: &[Implicit] = &[Implicit::read("memory")];
const MEM_WRITE: &[Implicit] = &[Implicit::write("memory")];
const MEM_BOTH: &[Implicit] = &[Implicit::both("memory")];
const STACK: &[Implicit] = &[Implicit::both("stack")];
const NOTHING: &[Implicit] = &[];

#[rustfmt::skip]
macro_rules! implicit {
    () => { NOTHING };
    ($i:ident) => { $i };
}

/// The effects of instructions besides their results. Cycles are relative: the reference gives none, memory is far.
mod effects {
    #![expect(non_upper_case_globals, reason = "a column of the table")]
    use gpucc_isa::Effects;

    const MEMORY: u16 = 20;

    pub(super) const pure: Effects = Effects::pure(1);
    pub(super) const load: Effects = Effects::load(MEMORY);
    pub(super) const store: Effects = Effects::store();
    pub(super) const atomic: Effects = Effects::atomic(MEMORY);
    pub(super) const barrier: Effects = Effects::barrier();
    pub(super) const branch: Effects = Effects::branch();
    pub(super) const kill: Effects = Effects::kept();
}

macro_rules! instructions {
    ($( $op:ident = $num:literal $name:literal $shape:ident $need:ident $class:ident $effects:ident $types:ident
        $([$imp:ident])? $doc:literal $section:literal; )*) => {
        /// Semantic opcodes, one for each row.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
        pub enum Op { $( #[doc = $doc] $op, )* }

        /// The rows in the order of the reference.
        pub(crate) const ROWS: &[Row<Vivante>] = &[ $( {
            let mut r = shape!($shape $op $num $name $need);
            r.attrs = Attrs { class: Class::$class, need: Need::$need, types: Types::$types };
            r.implicit = implicit!($($imp)?);
            r.effects = effects::$effects;
            r.doc($doc, $section)
        }, )* ];
    };
}

instructions! {
    Nop = 0x00 "nop" none Base Control pure Any "Nothing." "5.1";
    Add = 0x01 "add" s02 Base Vector pure NotHalf "src0 + src2." "5.1";
    Mad = 0x02 "mad" s012 Base Vector pure Float "src0 * src1 + src2, product rounded." "5.1, 7.9";
    Mul = 0x03 "mul" s01 Base Vector pure Float "src0 * src1." "5.1";
    Dst = 0x04 "dst" s01 Base Reduce pure Float "(1, src0.y * src1.y, src0.z, src1.w)." "5.1";
    Dp3 = 0x05 "dp3" s01 Base Reduce pure Float "Dot product of lanes x, y, z." "5.1";
    Dp4 = 0x06 "dp4" s01 Base Reduce pure Float "Dot product of four lanes." "5.1";
    Dsx = 0x07 "dsx" s02 Base Vector pure Float "Derivative in x; the same operand in both slots." "7.5";
    Dsy = 0x08 "dsy" s02 Base Vector pure Float "Derivative in y; the same operand in both slots." "7.5";
    Mov = 0x09 "mov" s2 Base Vector pure NotHalf "src2, bits unchanged but for modifiers." "4.2";
    Movar = 0x0a "movar" s2 Base Vector pure Float [A0_WRITE] "a0 = whole-number float src2." "4.5";
    MovarVoid = 0x0a "movar" a0 Base Vector pure Float [A0_WRITE] "a0 = whole-number float src2, vendor encoding." "4.5";
    Movaf = 0x0b "movaf" s2 Base Unknown pure Any "An old float move; rounding unknown." "4.5";
    Rcp = 0x0c "rcp" s2 Base Scalar pure Float "1 / src2." "7.3";
    Rsq = 0x0d "rsq" s2 Base Scalar pure Float "1 / sqrt(src2)." "7.3";
    Litp = 0x0e "litp" litp Base Reduce pure Float "Partial lighting: (1, s1.y or 0, exp2(s2.x) or 0, 1)." "5.1";
    Select = 0x0f "select" c012 Base Vector pure NotHalf "cond(src0[, src1]) ? src1 : src2." "7.1";
    Set = 0x10 "set" c01 Base Vector pure Float "cond(src0, src1) ? 1.0 : 0.0." "7.2";
    Exp = 0x11 "exp" s2 Base Scalar pure Float "2 to the power of src2." "7.3";
    Log = 0x12 "log" s2 Base Scalar pure Float "Logarithm base 2; as a product of two lanes with fast transcendentals." "7.4";
    Frc = 0x13 "frc" s2 Base Vector pure Float "src2 - floor(src2)." "7.8";
    Call = 0x14 "call" branch0 Base Control branch Any [STACK] "Push the return address, jump." "7.6";
    Ret = 0x15 "ret" none Base Control branch Any [STACK] "Return." "7.6";
    Branch = 0x16 "branch" branch0 Base Control branch Any "Jump." "7.6";
    BranchUnary = 0x16 "branch" branch1 Base Control branch Word "Jump if cond(src0)." "7.6";
    BranchBinary = 0x16 "branch" branch2 Base Control branch Word "Jump if cond(src0, src1)." "7.6";
    Texkill = 0x17 "texkill" kill0 Base Control kill Word "Discard the fragment." "7.7";
    TexkillUnary = 0x17 "texkill" kill1 Base Control kill Word "Discard the fragment if cond(src0) in any lane." "7.7";
    TexkillBinary = 0x17 "texkill" kill2 Base Control kill Word "Discard the fragment if cond(src0, src1) in any lane." "7.7";
    Texld = 0x18 "texld" tex02 Base Texture load Any "Sample with implicit level of detail." "11";
    Texldb = 0x19 "texldb" tex0oo Base Texture load Any "Sample with bias." "11";
    Texldd = 0x1a "texldd" tex012 Base Texture load Any "Sample with gradients." "11";
    Texldl = 0x1b "texldl" tex0oo Base Texture load Any "Sample with explicit level of detail." "11";
    Texldpcf = 0x1c "texldpcf" tex0oo Unverified Unknown pure Any "Shadow compare of the seed, layout unknown." "5.1";
    Rep = 0x1d "rep" any Unverified Unknown pure Any "Hardware loop of the seed, operands unknown." "5.1";
    Endrep = 0x1e "endrep" any Unverified Unknown pure Any "Hardware loop of the seed, operands unknown." "5.1";
    Loop = 0x1f "loop" any Unverified Unknown pure Any "Hardware loop of the seed, operands unknown." "5.1";
    Endloop = 0x20 "endloop" any Unverified Unknown pure Any "Hardware loop of the seed, operands unknown." "5.1";
    Sqrt = 0x21 "sqrt" s2 SqrtTrig Scalar pure Float "Square root." "7.3";
    Sin = 0x22 "sin" s2 SqrtTrig Scalar pure Float "Sine of quarter turns; of half turns as a product of two lanes with fast transcendentals." "7.4";
    Cos = 0x23 "cos" s2 SqrtTrig Scalar pure Float "Cosine, arguments as for sin." "7.4";
    BranchAny = 0x24 "branch_any" branch2 Newer Control branch Word "Jump if cond(src0, src1) in any lane." "7.6";
    Floor = 0x25 "floor" s2 SignFloorCeil Vector pure Float "Largest whole number not above src2." "5.1";
    Ceil = 0x26 "ceil" s2 SignFloorCeil Vector pure Float "Smallest whole number not below src2." "5.1";
    Sign = 0x27 "sign" s2 SignFloorCeil Vector pure Word "-1, 0 or 1." "7.8";
    Addlo = 0x28 "addlo" any Unverified Unknown pure Any "Unknown." "5.2";
    Mullo = 0x29 "mullo" any Unverified Unknown pure Any "Unknown." "5.2";
    Barrier = 0x2a "barrier" none Int Control barrier Any "Wait for the workgroup." "10.2";
    Swizzle = 0x2b "swizzle" s012 Newer Unknown pure Any "Byte or short permutation, pattern format unknown." "5.2";
    I2i = 0x2c "i2i" s01 Halti2 IntVector pure Integer "Integer width conversion; src1, an immediate, is the source width." "5.2";
    I2f = 0x2d "i2f" s0 Int IntVector pure Integer "Integer of the given type to float." "5.2";
    F2i = 0x2e "f2i" s0 Int IntVector pure Integer "Float to integer, toward zero." "12";
    F2irnd = 0x2f "f2irnd" s0 Int IntVector pure Integer "Float to integer by the rounding mode." "12";
    F2i7 = 0x30 "f2i7" any Unverified Unknown pure Any "Unknown name of the seed." "5.2";
    Cmp = 0x31 "cmp" c012 Int Vector pure NotHalf "cond(src0, src1) ? src2 : 0." "7.2";
    Load = 0x32 "load" load Int Memory load NotHalf [MEM_READ] "Consecutive elements at src0.x + (src1.x << shift)." "10.1";
    Store = 0x33 "store" store Int Memory store NotHalf [MEM_WRITE] "Leading lanes of src2 to src0.x + (src1.x << shift)." "10.1";
    ImgLoad3d = 0x34 "img_load_3d" load Newer Unknown load Any [MEM_READ] "Image load, three coordinates; where a slice begins is unknown." "10.4";
    ImgStore3d = 0x35 "img_store_3d" store Newer Unknown store Any [MEM_WRITE] "Image store, three coordinates; where a slice begins is unknown." "10.4";
    Clamp0Max = 0x36 "clamp0_max" s01 Newer Vector pure Word "min(max(src0, 0), src1)." "5.2";
    NanOp = 0x37 "nan" any Unverified Unknown pure Any "Unknown name of the seed." "5.2";
    Nextafter = 0x38 "nextafter" any Unverified Unknown pure Any "Unknown name of the seed." "5.2";
    Roundeven = 0x39 "roundeven" any Unverified Unknown pure Any "Unknown name of the seed." "5.2";
    Roundaway = 0x3a "roundaway" any Unverified Unknown pure Any "Unknown name of the seed." "5.2";
    Iaddsat = 0x3b "iaddsat" s02 Int IntVector pure Integer "Saturating integer add." "5.2";
    Imullo0 = 0x3c "imullo0" s01 Int Scalar pure NotHalf "Low 32 bits of the product." "5.2";
    Imullo1 = 0x3d "imullo1" any Unverified Unknown pure Any "Unknown variant." "5.2";
    Imullosat0 = 0x3e "imullosat0" any Unverified Unknown pure Any "Unknown variant." "5.2";
    Imullosat1 = 0x3f "imullosat1" any Unverified Unknown pure Any "Unknown variant." "5.2";
    Imulhi0 = 0x40 "imulhi0" s01 Int Scalar pure Integer "High 32 bits of the product." "5.3";
    Imulhi1 = 0x41 "imulhi1" any Unverified Unknown pure Any "Unknown variant." "5.3";
    Imul0 = 0x42 "imul0" any Unverified Unknown pure Any "Unknown variant." "5.3";
    Imul1 = 0x43 "imul1" any Unverified Unknown pure Any "Unknown variant." "5.3";
    Idiv0 = 0x44 "idiv0" s01 Int Scalar pure Integer "Integer quotient." "5.3";
    Idiv1 = 0x45 "idiv1" any Unverified Unknown pure Any "Unknown variant." "5.3";
    Idiv2 = 0x46 "idiv2" any Unverified Unknown pure Any "Unknown variant." "5.3";
    Idiv3 = 0x47 "idiv3" any Unverified Unknown pure Any "Unknown variant." "5.3";
    Imod = 0x48 "imod" s01 Int Scalar pure Integer "Integer remainder." "5.3";
    Txf = 0x49 "txf" tex012 Halti5 Texture load Any "Texel fetch." "11";
    Imod2 = 0x4a "imod2" any Unverified Unknown pure Any "Unknown variant." "5.3";
    Imod3 = 0x4b "imod3" any Unverified Unknown pure Any "Unknown variant." "5.3";
    Imadlo0 = 0x4c "imadlo0" s012 Int Scalar pure NotHalf "Low 32 bits of src0 * src1 + src2." "5.3";
    Imadlo1 = 0x4d "imadlo1" any Unverified Unknown pure Any "Unknown variant." "5.3";
    Imadlosat0 = 0x4e "imadlosat0" s012 Int Scalar pure Integer "Saturating src0 * src1 + src2." "5.3";
    Imadlosat1 = 0x4f "imadlosat1" any Unverified Unknown pure Any "Unknown variant." "5.3";
    Imadhi0 = 0x50 "imadhi0" any Unverified Unknown pure Any "Unknown variant." "5.3";
    Imadhi1 = 0x51 "imadhi1" any Unverified Unknown pure Any "Unknown variant." "5.3";
    Imadhisat0 = 0x52 "imadhisat0" any Unverified Unknown pure Any "Unknown variant." "5.3";
    Imadhisat1 = 0x53 "imadhisat1" any Unverified Unknown pure Any "Unknown variant." "5.3";
    Halfadd = 0x54 "halfadd" any Unverified Unknown pure Any "Unknown name of the seed." "5.3";
    Halfaddinc = 0x55 "halfaddinc" any Unverified Unknown pure Any "Unknown name of the seed." "5.3";
    Movai = 0x56 "movai" s2 Int Vector pure Int32 [A0_WRITE] "a0 = integer src2." "4.5";
    MovaiVoid = 0x56 "movai" a0 Int Vector pure Int32 [A0_WRITE] "a0 = integer src2, vendor encoding." "4.5";
    Iabs = 0x57 "iabs" s2 Int IntVector pure NotHalf "Integer absolute value." "5.3";
    Leadzero = 0x58 "leadzero" s2 Int IntVector pure NotHalf "Count of leading zeros, 32 for 0." "5.3";
    Lshift = 0x59 "lshift" s02 Int IntVector pure NotHalf "src0 << (src2 & 31)." "5.3";
    Rshift = 0x5a "rshift" s02 Int IntVector pure Integer "src0 >> (src2 & 31), by the sign of the type." "5.3";
    Rotate = 0x5b "rotate" s02 Int IntVector pure NotHalf "Rotate left." "5.3";
    Or = 0x5c "or" s02 Int IntVector pure NotHalf "Bitwise or." "5.3";
    And = 0x5d "and" s02 Int IntVector pure NotHalf "Bitwise and." "5.3";
    Xor = 0x5e "xor" s02 Int IntVector pure NotHalf "Bitwise exclusive or." "5.3";
    Not = 0x5f "not" s2 Int IntVector pure NotHalf "Bitwise not." "5.3";
    BitExtract = 0x60 "bit_extract" s012 Newer IntVector pure Integer "src2 bits of src0 from bit src1, extended by the type." "5.4";
    Popcount = 0x61 "popcount" s2 Halti2 IntVector pure NotHalf "Count of one bits." "5.4";
    Storeb = 0x62 "storeb" any Unverified Unknown pure Any "Unknown name of the seed." "5.4";
    Rgb2yuv = 0x63 "rgb2yuv" any Unverified Unknown pure Any "Unknown name of the seed." "5.4";
    Div = 0x64 "div" s12 FastTrans Scalar pure Float "src1 / src2 as a product of two lanes." "7.4";
    AtomicAdd = 0x65 "atomic_add" s012 Atomics Memory atomic Int32 [MEM_BOTH] "Add src2.x to memory at src0.x + src1.x, give the old value." "10.3";
    AtomicXchg = 0x66 "atomic_xchg" s012 Atomics Memory atomic Int32 [MEM_BOTH] "Exchange." "10.3";
    AtomicCmpXchg = 0x67 "atomic_cmp_xchg" s012 Atomics Memory atomic Int32 [MEM_BOTH] "Store src2.y if memory equals src2.x, give the old value." "10.3";
    AtomicMin = 0x68 "atomic_min" s012 Atomics Memory atomic Int32 [MEM_BOTH] "Minimum by the type." "10.3";
    AtomicMax = 0x69 "atomic_max" s012 Atomics Memory atomic Int32 [MEM_BOTH] "Maximum by the type." "10.3";
    AtomicOr = 0x6a "atomic_or" s012 Atomics Memory atomic Int32 [MEM_BOTH] "Or." "10.3";
    AtomicAnd = 0x6b "atomic_and" s012 Atomics Memory atomic Int32 [MEM_BOTH] "And." "10.3";
    AtomicXor = 0x6c "atomic_xor" s012 Atomics Memory atomic Int32 [MEM_BOTH] "Exclusive or." "10.3";
    BitRev = 0x6d "bit_rev" s0 Newer IntVector pure NotHalf "Bits in reverse order." "5.4";
    ByteRev = 0x6e "byte_rev" any Unverified Unknown pure Any "Unknown." "5.4";
    Texldlpcf = 0x6f "texldlpcf" tex012 Halti5 Texture load Any "Shadow sample with explicit level of detail." "5.4";
    Texldgpcf = 0x70 "texldgpcf" tex012 Halti5 Texture load Any "Shadow sample with gradients." "5.4";
    Pack = 0x71 "pack" any Unverified Unknown pure Any "Unknown." "5.4";
    Conv = 0x72 "conv" s01 Halti5 Vector pure FloatWidth "Float width conversion: src1 = 0 f32 to f16, 1 f16 to f32." "5.4";
    Dp2 = 0x73 "dp2" s01 Halti2 Reduce pure Float "Dot product of lanes x, y." "5.4";
    NormDp2 = 0x74 "norm_dp2" s0 Halti2 Reduce pure Float "1 / sqrt of src0 dot src0 over two lanes." "5.5";
    NormDp3 = 0x75 "norm_dp3" s0 Halti2 Reduce pure Float "1 / sqrt of src0 dot src0 over three lanes." "5.5";
    NormDp4 = 0x76 "norm_dp4" s0 Halti2 Reduce pure Float "1 / sqrt of src0 dot src0 over four lanes." "5.5";
    NormMul = 0x77 "norm_mul" norm_mul Halti2 Vector pure Float "src0 * src1, second half of a normalize." "5.5";
    StoreAttr = 0x78 "store_attr" any Unverified Unknown pure Any "Unknown." "5.4";
    ImgLoad = 0x79 "img_load" load Newer Memory load Word [MEM_READ] "Texel of 1, 2 or 4 words at src1.xy of the linear image src0: address, bytes of a row, height << 16 | width." "10.4";
    ImgStore = 0x7a "img_store" store Newer Memory store Word [MEM_WRITE] "src2 to a texel of 1, 2 or 4 words, as for img_load." "10.4";
    Restart = 0x7b "restart" any Unverified Unknown pure Any "Unknown name of the seed." "5.4";
    Nop7c = 0x7c "nop7c" any Unverified Unknown pure Any "Unknown name of the seed." "5.4";
    Tg4 = 0x7d "tg4" tex01 Halti5 Texture load Any "Gather of one component." "11";
    Nop7e = 0x7e "nop7e" any Unverified Unknown pure Any "Unknown name of the seed." "5.4";
    BitFindlsb = 0x0b "bit_findlsb" ext0 Newer IntVector pure NotHalf "Lowest one bit, -1 for 0." "5.4";
    BitFindmsb = 0x0c "bit_findmsb" ext0 Newer IntVector pure Integer "Highest one bit (highest bit unlike the sign for signed types), -1 for none." "5.4";
}

impl Op {
    /// The row of this opcode: there is one of each, in the same order.
    pub const fn row(self) -> &'static Row<Vivante> {
        &ROWS[self as usize]
    }

    /// Whether it has a form that gives two factors of its result, where there are fast transcendentals (7.4).
    pub const fn has_pair(self) -> bool {
        matches!(self, Op::Log | Op::Sin | Op::Cos | Op::Div)
    }

    /// Whether it takes one lane and broadcasts the result, for this type on this generation.
    pub const fn is_scalar(self, ty: Type, generation: u8) -> bool {
        match self.row().attrs.class {
            Class::Scalar => true,
            Class::IntVector => generation == GC2000,
            // Adds and the like of integer type go through the scalar integer unit before HALTI2.
            Class::Vector => generation == GC2000 && ty.is_integer() && matches!(self, Op::Add | Op::Sign),
            Class::Reduce | Class::Memory | Class::Control | Class::Texture | Class::Unknown => false,
        }
    }
}

const _: () = gpucc_isa::check::fields(ROWS);
const _: () = gpucc_isa::check::ambiguity(ROWS);
