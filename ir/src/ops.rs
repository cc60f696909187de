//! The one op table.
//!
//! One row per operation: variant, name, type rule, attributes, meaning. Printer, parser, type checks, dead-code rules,
//! motion rules and the documentation read it. Exact meanings are in `docs/semantics.md`.

use crate::types::{Scalar, Type};
use std::fmt;

/// Which lane kinds an operand may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kinds {
    /// `f16 f32 f64`
    Float,
    /// `i8 i16 i32 i64`
    Int,
    /// `b1`
    Bool,
    /// Integers and `b1`.
    IntBool,
    /// Anything.
    Any,
}

impl Kinds {
    /// Whether lanes of `s` are of these kinds.
    pub const fn has(self, s: Scalar) -> bool {
        match self {
            Kinds::Float => s.is_float(),
            Kinds::Int => s.is_int(),
            Kinds::Bool => matches!(s, Scalar::B1),
            Kinds::IntBool => s.is_int() || matches!(s, Scalar::B1),
            Kinds::Any => true,
        }
    }
}

/// The type rule of an op, and with it the shape of its operands and attribute.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sig {
    /// `n` operands, all of the result's type; lanewise.
    Same {
        /// Number of operands.
        n: u8,
        /// Allowed lane kinds.
        kinds: Kinds,
    },
    /// Two operands of one type; result `b1` with as many lanes. Attribute: `IntCc` or `FloatCc`.
    Compare(Kinds),
    /// Condition (`b1`, scalar or with the result's lanes), value if true, value if false.
    Select,
    /// One operand; lanes are kept, the lane kind changes from the first set to the second.
    Convert(Kinds, Kinds),
    /// One operand, a result of another type with as many bits in total. Lane 0 is least significant.
    Bitcast,
    /// Float and `i32` of as many lanes; result like the first.
    Ldexp,
    /// Two float vectors of one type; result one lane.
    Dot,
    /// Exactly these operand types and this result.
    Fixed(&'static [Type], Type),
    /// A scalar; result has it in every lane.
    Splat,
    /// Scalars, as many as the result has lanes.
    Compose,
    /// A vector; result one lane. Attribute: `Lane`.
    Extract,
    /// Vector and scalar; result the vector with that lane replaced. Attribute: `Lane`.
    Insert,
    /// Vector and `i32` index.
    ExtractDyn,
    /// Vector, scalar and `i32` index.
    InsertDyn,
    /// Two values of one lane kind (scalars count as one lane); attribute `Lanes` indexes their concatenation.
    Shuffle,
    /// `[dynamic byte offset]`; any result. Attribute: `Mem`.
    Load,
    /// Value, `[dynamic byte offset]`. Attribute: `Mem`.
    Store,
    /// Value (`i32`), `[dynamic byte offset]`; result the old value. Attribute: `Atomic`.
    Atomic,
    /// Expected, new (`i32`), `[dynamic byte offset]`; result the old value. Attribute: `Mem`.
    CmpXchg,
    /// No operands. Attribute: `Place`.
    VarInit,
    /// No operands; result `i32`. Attribute: `Res`.
    BufferLength,
    /// No operands, no result. Attribute: `Barrier`.
    Barrier,
    /// No operands; result by the system value. Attribute: `Sysval`.
    Sysval,
    /// No operands; result the slot's type. Attribute: `Input`.
    Input,
    /// A `b1` scalar.
    Demote,
    /// A float; the result is like it. Attribute: `Deriv`.
    Derivative,
    /// No operands; result four 32-bit lanes. Attribute: `Target`.
    TargetLoad,
    /// A value and an `i32` lane; the result is like the value.
    LaneRead,
    /// A value; the result is like it. Attribute: `Reduce`.
    Reduce,
    /// Operands and result as the descriptor says. Attribute: `Tex` or `TexAtomic`.
    Tex,
    /// The callee's parameters; results the callee's. Attribute: `Call`.
    Call,
    /// Attribute: `Jump`.
    Jump,
    /// A `b1` scalar. Attribute: `Br`.
    Br,
    /// An integer scalar. Attribute: `Switch`.
    Switch,
    /// The function's results.
    Ret,
    /// No operands.
    Unreachable,
}

/// A set of facts about an op.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OpAttrs(u16);

#[expect(non_upper_case_globals, reason = "the facts are named as in the op table")]
impl OpAttrs {
    /// The set without any fact.
    pub const none: OpAttrs = OpAttrs(0);
    /// The first two operands may be swapped.
    pub const commutative: OpAttrs = OpAttrs(1);
    /// May read memory (of its `Mem` place; a call reads everything).
    pub const reads: OpAttrs = OpAttrs(2);
    /// May write memory or order it: never dead, never moved across other effects.
    pub const writes: OpAttrs = OpAttrs(4);
    /// May not gain or lose control dependence.
    pub const convergent: OpAttrs = OpAttrs(8);
    /// Needs helper lanes to be alive.
    pub const needs_helpers: OpAttrs = OpAttrs(16);
    /// The result depends on operands and attribute alone (of a convergent op, on the operands in its quad). May be executed
    /// although the program would not: no effects, no traps, any lanes. With this an op is pure, too.
    pub const speculatable: OpAttrs = OpAttrs(32 | 256);
    /// Whether it ends a block, as branches and `ret` do.
    pub const terminator: OpAttrs = OpAttrs(64);
    /// An approximation is allowed: targets may differ in the last bits (see semantics).
    pub const inexact: OpAttrs = OpAttrs(128);
    /// The result depends on operands and attribute alone; of a convergent op, on the operands in its quad.
    pub const pure: OpAttrs = OpAttrs(256);

    /// The facts of both sets.
    pub const fn with(self, o: OpAttrs) -> OpAttrs {
        OpAttrs(self.0 | o.0)
    }
    /// Whether all of `o` are in.
    pub const fn has(self, o: OpAttrs) -> bool {
        self.0 & o.0 == o.0
    }
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub struct OpInfo {
    /// The name as printed.
    pub name: &'static str,
    /// The rule for types of operands and result.
    pub sig: Sig,
    /// The facts that passes and the verifier ask for.
    pub attrs: OpAttrs,
    /// The operation, in one line.
    pub meaning: &'static str,
}

macro_rules! ops {
    ($( $var:ident $name:literal ($sig:expr) [$($attr:ident)*] $meaning:literal; )*) => {
        /// An operation. Each variant's line is its meaning.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(u8)]
        pub enum Op { $( #[doc = $meaning] $var, )* }

        static TABLE: &[OpInfo] = &[ $( OpInfo {
            name: $name, sig: $sig, attrs: OpAttrs::none$(.with(OpAttrs::$attr))*, meaning: $meaning,
        }, )* ];

        impl Op {
            /// Every op, in table order.
            pub const ALL: &'static [Op] = &[ $( Op::$var, )* ];
        }
    };
}

const fn same(n: u8, kinds: Kinds) -> Sig {
    Sig::Same { n, kinds }
}
use Kinds::{Float, Int, IntBool};
const F32X4: Type = Type::F32.with_lanes(4);
const F32X3: Type = Type::F32.with_lanes(3);
const I32X4: Type = Type::I32.with_lanes(4);
const F32X2: Type = Type::F32.with_lanes(2);

ops! {
    // Float arithmetic, lanewise.
    FAdd "fadd" (same(2, Float)) [commutative speculatable] "a + b, rounded to nearest even";
    FSub "fsub" (same(2, Float)) [speculatable] "a - b, rounded to nearest even";
    FMul "fmul" (same(2, Float)) [commutative speculatable] "a * b, rounded to nearest even";
    FDiv "fdiv" (same(2, Float)) [speculatable inexact] "a / b, within 2.5 ULP";
    FRem "frem" (same(2, Float)) [speculatable inexact] "a - b * trunc(a / b), inheriting the division's error";
    Fma "fma" (same(3, Float)) [commutative speculatable] "a * b + c with one rounding";
    FNeg "fneg" (same(1, Float)) [speculatable] "a with the sign bit flipped";
    FAbs "fabs" (same(1, Float)) [speculatable] "a with the sign bit cleared";
    FSign "fsign" (same(1, Float)) [speculatable] "-1, 0 or 1 by the sign of a; 0 for NaN";
    FMin "fmin" (same(2, Float)) [commutative speculatable] "the lesser; the other one if one is NaN";
    FMax "fmax" (same(2, Float)) [commutative speculatable] "the greater; the other one if one is NaN";
    FSat "fsat" (same(1, Float)) [speculatable] "a clamped to [0, 1]; 0 for NaN";
    FFloor "ffloor" (same(1, Float)) [speculatable] "the greatest integer not above a";
    FCeil "fceil" (same(1, Float)) [speculatable] "the least integer not below a";
    FTrunc "ftrunc" (same(1, Float)) [speculatable] "a rounded toward zero to an integer";
    FRoundEven "fround_even" (same(1, Float)) [speculatable] "a rounded to the nearest integer, ties to even";
    FFract "ffract" (same(1, Float)) [speculatable] "a - floor(a), rounded once";
    FSqrt "fsqrt" (same(1, Float)) [speculatable inexact] "the square root";
    FRsqrt "frsqrt" (same(1, Float)) [speculatable inexact] "1 / sqrt(a)";
    FRcp "frcp" (same(1, Float)) [speculatable inexact] "1 / a, within 1 ULP";
    FExp2 "fexp2" (same(1, Float)) [speculatable inexact] "2 to the power a";
    FLog2 "flog2" (same(1, Float)) [speculatable inexact] "the logarithm of a to base 2";
    FSin "fsin" (same(1, Float)) [speculatable inexact] "the sine of a in radians";
    FCos "fcos" (same(1, Float)) [speculatable inexact] "the cosine of a in radians";
    FLdexp "fldexp" (Sig::Ldexp) [speculatable] "a * 2^b, rounded once";
    FDot "fdot" (Sig::Dot) [commutative speculatable] "the sum of lane products from lane 0 up, each step rounded";
    FQuant16 "fquant16" (same(1, Float)) [speculatable] "the f32 nearest a that is a binary16 value";

    // Conversions; lanes are kept.
    F2F "f2f" (Sig::Convert(Float, Float)) [speculatable] "to another float width: exact or rounded to nearest even";
    F2S "f2s" (Sig::Convert(Float, Int)) [speculatable] "truncates and saturates to the signed values both types hold; 0 for NaN";
    F2U "f2u" (Sig::Convert(Float, Int)) [speculatable] "truncates and saturates to the unsigned values both types hold; 0 for NaN";
    F2SFull "f2s_full" (Sig::Convert(Float, Int)) [speculatable] "truncates and saturates to the whole signed range; 0 for NaN";
    F2UFull "f2u_full" (Sig::Convert(Float, Int)) [speculatable] "truncates and saturates to the whole unsigned range; 0 for NaN";
    S2F "s2f" (Sig::Convert(Int, Float)) [speculatable] "from a signed integer, rounded to nearest even";
    U2F "u2f" (Sig::Convert(Int, Float)) [speculatable] "from an unsigned integer, rounded to nearest even";
    SExt "sext" (Sig::Convert(Int, Int)) [speculatable] "to a wider integer, filling with the sign";
    ZExt "zext" (Sig::Convert(Int, Int)) [speculatable] "to a wider integer, filling with zeros";
    Trunc "trunc" (Sig::Convert(Int, Int)) [speculatable] "to a narrower integer, dropping the high bits";
    Bitcast "bitcast" (Sig::Bitcast) [speculatable] "the same bits as another type; lane 0 is least significant";

    // Integer arithmetic, lanewise, modulo 2^N.
    IAdd "iadd" (same(2, Int)) [commutative speculatable] "a + b";
    ISub "isub" (same(2, Int)) [speculatable] "a - b";
    IMul "imul" (same(2, Int)) [commutative speculatable] "a * b, low half";
    UMulHi "umulhi" (same(2, Int)) [commutative speculatable] "the high half of the unsigned product";
    SMulHi "smulhi" (same(2, Int)) [commutative speculatable] "the high half of the signed product";
    UMul24 "umul24" (same(2, Int)) [commutative speculatable] "low 32 bits of the product of the low 24 bits, unsigned; i32 only";
    SMul24 "smul24" (same(2, Int)) [commutative speculatable] "low 32 bits of the product of the sign-extended low 24 bits; i32 only";
    SDiv "sdiv" (same(2, Int)) [speculatable] "a / b toward zero; a if b is 0; MIN / -1 is MIN";
    UDiv "udiv" (same(2, Int)) [speculatable] "a / b unsigned; a if b is 0";
    SRem "srem" (same(2, Int)) [speculatable] "the remainder with the sign of a; 0 if b is 0 or b is -1";
    URem "urem" (same(2, Int)) [speculatable] "the unsigned remainder; 0 if b is 0";
    INeg "ineg" (same(1, Int)) [speculatable] "-a; MIN stays";
    IAbs "iabs" (same(1, Int)) [speculatable] "the magnitude; MIN stays";
    SMin "smin" (same(2, Int)) [commutative speculatable] "the lesser, signed";
    SMax "smax" (same(2, Int)) [commutative speculatable] "the greater, signed";
    UMin "umin" (same(2, Int)) [commutative speculatable] "the lesser, unsigned";
    UMax "umax" (same(2, Int)) [commutative speculatable] "the greater, unsigned";
    And "and" (same(2, IntBool)) [commutative speculatable] "bitwise and";
    Or "or" (same(2, IntBool)) [commutative speculatable] "bitwise or";
    Xor "xor" (same(2, IntBool)) [commutative speculatable] "bitwise exclusive or";
    Not "not" (same(1, IntBool)) [speculatable] "bitwise complement";
    Shl "shl" (same(2, Int)) [speculatable] "a shifted left by b mod N";
    UShr "ushr" (same(2, Int)) [speculatable] "a shifted right by b mod N, filling with zeros";
    SShr "sshr" (same(2, Int)) [speculatable] "a shifted right by b mod N, filling with the sign";
    Popcount "popcount" (same(1, Int)) [speculatable] "the number of one bits";
    Clz "clz" (same(1, Int)) [speculatable] "the number of leading zeros; N for 0";
    Ctz "ctz" (same(1, Int)) [speculatable] "the number of trailing zeros; N for 0";
    BitReverse "bitreverse" (same(1, Int)) [speculatable] "bit k to bit N-1-k";
    UBitExtract "ubfe" (same(3, Int)) [speculatable] "bits o..o+c of a, zero-filled; o = min(b, N), c = min(c, N-o)";
    SBitExtract "sbfe" (same(3, Int)) [speculatable] "bits o..o+c of a, sign-filled; 0 if c is 0; o and c as for ubfe";
    BitInsert "bfi" (same(4, Int)) [speculatable] "a with bits o..o+c replaced by the low bits of b; o, c from the last two as for ubfe";
    FShr "fshr" (same(3, Int)) [speculatable] "the low half of the double-width a:b shifted right by c mod N; a is the high half";
    BitSel "bitsel" (same(3, Int)) [speculatable] "bits of b where a has ones, of c where it has zeros";
    UDot4x8 "udot4x8" (same(2, Int)) [commutative speculatable] "the sum of four unsigned byte products; i32 only";
    SDot4x8 "sdot4x8" (same(2, Int)) [commutative speculatable] "the sum of four signed byte products; i32 only";

    // Packing: f32 lanes and one i32. Lane 0 is least significant.
    PackUnorm4x8 "pack_unorm4x8" (Sig::Fixed(&[F32X4], Type::I32)) [speculatable] "floor(0.5 + 255 * sat(e)) per lane";
    PackSnorm4x8 "pack_snorm4x8" (Sig::Fixed(&[F32X4], Type::I32)) [speculatable] "floor(0.5 + 127 * clamp(e, -1, 1)) per lane";
    PackUnorm2x16 "pack_unorm2x16" (Sig::Fixed(&[F32X2], Type::I32)) [speculatable] "floor(0.5 + 65535 * sat(e)) per lane";
    PackSnorm2x16 "pack_snorm2x16" (Sig::Fixed(&[F32X2], Type::I32)) [speculatable] "floor(0.5 + 32767 * clamp(e, -1, 1)) per lane";
    PackHalf2x16 "pack_half2x16" (Sig::Fixed(&[F32X2], Type::I32)) [speculatable] "binary16 of each lane, rounded to nearest even";
    PackHalf2x16Rtz "pack_half2x16_rtz" (Sig::Fixed(&[F32X2], Type::I32)) [speculatable] "binary16 of each lane, rounded toward zero (lowered only)";
    UnpackUnorm4x8 "unpack_unorm4x8" (Sig::Fixed(&[Type::I32], F32X4)) [speculatable inexact] "v / 255 per byte";
    UnpackSnorm4x8 "unpack_snorm4x8" (Sig::Fixed(&[Type::I32], F32X4)) [speculatable inexact] "max(v / 127, -1) per byte";
    UnpackUnorm2x16 "unpack_unorm2x16" (Sig::Fixed(&[Type::I32], F32X2)) [speculatable inexact] "v / 65535 per half";
    UnpackSnorm2x16 "unpack_snorm2x16" (Sig::Fixed(&[Type::I32], F32X2)) [speculatable inexact] "max(v / 32767, -1) per half";
    UnpackHalf2x16 "unpack_half2x16" (Sig::Fixed(&[Type::I32], F32X2)) [speculatable] "the f32 value of each binary16 half";

    // Compare and choose.
    ICmp "icmp" (Sig::Compare(IntBool)) [speculatable] "integer comparison; on b1 only eq and ne";
    FCmp "fcmp" (Sig::Compare(Float)) [speculatable] "float comparison, ordered or unordered";
    Select "select" (Sig::Select) [speculatable] "b where a is true, else c";

    // Vectors.
    Splat "splat" (Sig::Splat) [speculatable] "a in every lane";
    Compose "compose" (Sig::Compose) [speculatable] "a vector of the operands";
    Extract "extract" (Sig::Extract) [speculatable] "one lane, named by the attribute";
    Insert "insert" (Sig::Insert) [speculatable] "a with one lane replaced by b";
    ExtractDyn "extract_dyn" (Sig::ExtractDyn) [speculatable] "the lane with index umin(b, lanes-1)";
    InsertDyn "insert_dyn" (Sig::InsertDyn) [speculatable] "a with the lane of index umin(c, lanes-1) replaced by b";
    Shuffle "shuffle" (Sig::Shuffle) [speculatable] "lanes of a and b by constant index; 0..4 name a, 4..8 name b";

    // Memory.
    Load "load" (Sig::Load) [reads] "reads a place at constant plus dynamic byte offset";
    Store "store" (Sig::Store) [writes] "writes a place at constant plus dynamic byte offset";
    Atomic "atomic" (Sig::Atomic) [reads writes] "read-modify-write, relaxed; gives the old value";
    CmpXchg "cmpxchg" (Sig::CmpXchg) [reads writes] "stores b if the old value equals a, never failing spuriously; gives the old value";
    VarInit "var_init" (Sig::VarInit) [writes] "sets a whole variable to its initialiser (zero if it has none)";
    BufferLength "buffer_length" (Sig::BufferLength) [speculatable] "the bytes of the bound buffer";
    Barrier "barrier" (Sig::Barrier) [reads writes convergent] "waits for the scope and orders the named spaces for the workgroup or the `device`; `acquire` or `release` alone where nobody waits";

    // Textures and images.
    Sample "sample" (Sig::Tex) [pure convergent needs_helpers] "a texture filtered at the level that the quad's coordinates give";
    Tex "tex" (Sig::Tex) [speculatable] "a texture filtered at a given level, fetched or gathered";
    TexQuery "tex_query" (Sig::Tex) [speculatable] "a number of a texture: extent, levels, layers, samples";
    CubeCoords "cube_coords" (Sig::Fixed(&[F32X3], F32X4)) [speculatable] "of a direction: s and t times its largest magnitude, twice that magnitude, the face (lowered only)";
    ImageLoad "image_load" (Sig::Tex) [reads] "a texel of an image; zero outside";
    ImageStore "image_store" (Sig::Tex) [writes] "writes a texel of an image; nothing outside";
    ImageAtomic "image_atomic" (Sig::Tex) [reads writes] "read-modify-write of a texel, relaxed; gives the old value";

    // Inputs.
    Sysval "sysval" (Sig::Sysval) [speculatable] "a system value, such as the global invocation id";
    Input "input" (Sig::Input) [speculatable] "an input slot of the stage: an attribute, or a varying interpolated as the slot says";

    // Targets.
    TargetLoad "target_load" (Sig::TargetLoad) [reads] "what a colour target holds at the pixel and sample (lowered only)";

    // Quads.
    Demote "demote" (Sig::Demote) [writes] "where a is true the lane stops being live: it continues as a helper";
    Derivative "derivative" (Sig::Derivative) [pure convergent needs_helpers] "the change of a from one pixel of the quad to the next";

    // Subgroups: between the lanes that execute it together.
    Any "any" (Sig::Fixed(&[Type::B1], Type::B1)) [convergent] "whether a is true in a lane that executes it";
    Ballot "ballot" (Sig::Fixed(&[Type::B1], I32X4)) [convergent] "bit k says whether lane k executes it and a is true there";
    LaneRead "lane_read" (Sig::LaneRead) [convergent] "a of the lane numbered b; any value if that does not execute it";
    Reduce "reduce" (Sig::Reduce) [convergent] "a of the lanes of the cluster that execute it, taken together in pairs of ranks 1, 2, 4 apart";

    // Control.
    Call "call" (Sig::Call) [reads writes convergent] "calls a function of the module";
    Jump "jump" (Sig::Jump) [terminator] "goes to a block; with a merge it opens a block construct";
    Br "br" (Sig::Br) [terminator] "goes to the first edge if true, else to the second";
    Switch "switch" (Sig::Switch) [terminator] "goes to the edge of the equal case, else to the default";
    Ret "ret" (Sig::Ret) [terminator] "leaves the function";
    Unreachable "unreachable" (Sig::Unreachable) [terminator] "is never executed";
}

impl Op {
    /// The row of this op.
    #[inline]
    pub fn info(self) -> &'static OpInfo {
        &TABLE[self as usize]
    }
    /// The name as printed.
    pub fn name(self) -> &'static str {
        self.info().name
    }
    /// The op of this name.
    pub fn parse(name: &str) -> Option<Op> {
        Op::ALL.iter().copied().find(|o| o.name() == name)
    }
    /// Whether the table states `a` for this op.
    #[inline]
    pub fn has(self, a: OpAttrs) -> bool {
        self.info().attrs.has(a)
    }
    /// Whether this op ends a block.
    #[inline]
    pub fn is_terminator(self) -> bool {
        self.has(OpAttrs::terminator)
    }
    /// Whether this op computes its result from its operands alone; of a convergent op, from those in its quad.
    #[inline]
    pub fn is_pure(self) -> bool {
        self.has(OpAttrs::pure)
    }
    /// Whether this op is pure and may run where the program would not run it.
    #[inline]
    pub fn is_speculatable(self) -> bool {
        self.has(OpAttrs::speculatable)
    }
    /// Whether lane k of the result depends on lanes k of the operands only, by one scalar op of the same kind.
    pub fn is_lanewise(self) -> bool {
        matches!(self.info().sig, Sig::Same { .. } | Sig::Compare(_) | Sig::Select | Sig::Convert(..) | Sig::Ldexp)
    }
}

/// The table as a page for people.
pub fn reference_page() -> String {
    use std::fmt::Write;
    let mut o = String::from(
        "# Operations of the IR\n\nMade from the op table (`ir/src/ops.rs`); exact meanings are in `ir/docs/semantics.md`.\n\n\
         | op | operands and result | facts | meaning |\n|---|---|---|---|\n",
    );
    for op in Op::ALL {
        let i = op.info();
        let rule = match i.sig {
            Sig::Same { n, kinds } => format!("{n} of one type, {kinds:?}"),
            Sig::Compare(kinds) => format!("2 of one type, {kinds:?}; result b1"),
            Sig::Convert(a, b) => format!("{a:?} to {b:?}"),
            Sig::Fixed(a, r) => format!("{a:?} to {r}"),
            s => format!("{s:?}"),
        };
        let _ = writeln!(o, "| `{}` | {rule} | {} | {} |", i.name, i.attrs, i.meaning);
    }
    o
}

impl fmt::Display for OpAttrs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = [
            "commutative",
            "reads",
            "writes",
            "convergent",
            "needs_helpers",
            "speculatable",
            "terminator",
            "inexact",
            "pure",
        ];
        // Speculation needs a pure instruction.
        let shown = if self.has(OpAttrs::speculatable) { self.0 & !OpAttrs::pure.0 | 32 } else { self.0 };
        let set: Vec<&str> = names.into_iter().enumerate().filter(|(k, _)| shown >> k & 1 == 1).map(|x| x.1).collect();
        f.write_str(&set.join(", "))
    }
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
