//! Long arithmetic forms (reference sections 2.4, 4.1 to 4.3, 4.5).

use super::*;
use crate::types::{ANY, NVA0, SM12, Space};

const CNT: &[S] = &[imm("cnt", f(16, 7), Kind::Num)];
const ADDOP: &[S] = &[mod_("addop", f(58, 2), Kind::Enum(ADDOPS))];
const SAT59: &[S] = &[flag("sat", 59, "sat")];
const SAT61: &[S] = &[flag("sat", 61, "sat")];
const NOTS: &[S] = &[flag("not1", 48, "not"), flag("not2", 49, "not")];
const NEGABS: &[S] =
    &[flag("neg1", 58, "neg"), flag("abs1", 52, "abs"), flag("neg2", 59, "neg"), flag("abs2", 51, "abs")];
const NEG12: &[S] = &[flag("neg1", 58, "neg"), flag("neg2", 59, "neg")];
const NEG13: &[S] = &[flag("neg1", 58, "neg"), flag("neg3", 59, "neg")];
const UNARY: &[S] = &[flag("neg", 58, "neg"), flag("abs", 52, "abs")];
const SGN16: &[S] = &[mod_("s", f(59, 1), Kind::Enum(&["u16", "s16"]))];
const SGN32: &[S] = &[mod_("s", f(59, 1), Kind::Enum(&["u32", "s32"]))];
const SEC: u32 = 0xe000_0000;

/// Moves between register files, attributes, outputs (4.1).
pub const MOVES: &[R] = &[
    long!(
        Op::LdA,
        "ld b32 {dst} {mem}",
        ANY,
        (0, 0, SEC | 0x0420_0000, 0x0420_0000),
        [PRE, DO_S, A, &[use_("mem", f(9, 7), Kind::Mem(Space::Attr, 4))], LANES],
        // Inputs never change.
        does(Effects::pure(24), Unit::Memory, 4, Ty::B32, Ty::B32),
        "load an input attribute",
        "4.1"
    )
    .stages(gpucc_isa::stage::VS | gpucc_isa::stage::GS),
    long!(
        Op::MovFromC,
        "mov {dst} {pcc}",
        ANY,
        (0, 0, SEC, 0x2000_0000),
        [PRE, D_S],
        alu(Ty::B32),
        "read a flag register",
        "4.1"
    ),
    long!(
        Op::MovFromA,
        "mov {dst} {a}",
        ANY,
        (0, 0, SEC, 0x4000_0000),
        [PRE, D_S, A],
        alu(Ty::B32),
        "read an address register",
        "4.1"
    ),
    long!(
        Op::MovFromSr,
        "mov {dst} {sr}",
        ANY,
        (0, 0, SEC, 0x6000_0000),
        [PRE, D_S, &[use_("sr", f(46, 4), Kind::Sr)]],
        // The clock says something else each time.
        does(Effects { side_effect: true, ..Effects::pure(24) }, Unit::Alu, 4, Ty::B32, Ty::B32),
        "read a special register",
        "4.1"
    ),
    long!(
        Op::StO,
        "st b32 {mem} {data}",
        ANY,
        (0, 0, SEC | 0x00c0_0000, 0x80c0_0000),
        [PRE, A, &[def("mem", f(9, 14), Kind::Mem(Space::Out, 4)), use_("data", f(46, 7), Kind::Reg(Width::S))]],
        does(Effects::store().at(Memory::Output as u16), Unit::Memory, 4, Ty::B32, Ty::B32),
        "store an output",
        "4.1"
    ),
    long!(
        Op::MovToC,
        "mov {cdst} {src1}",
        ANY,
        (0, 0, SEC, 0xa000_0000),
        [PRE, CDST2, R1_S],
        alu(Ty::B32),
        "write a flag register",
        "4.1"
    )
    .ignored(pat(0, 0x40)),
    long!(
        Op::ShlToA,
        "shl {adst} {src1} {cnt}",
        ANY,
        (0, 0, SEC, 0xc000_0000),
        [PRE, AINC, &[def("adst", f(2, 3), Kind::ADst)], S1_S, M23, M24, &[imm("cnt", f(16, 4), Kind::Num)]],
        alu(Ty::U16),
        "shift left into an address register",
        "4.1"
    ),
    long!(
        Op::AddA,
        "add {adst} {a} {imm}",
        ANY,
        (0, 0xd000_0000, SEC, 0x2000_0000),
        [PRE, A, &[def("adst", f(2, 3), Kind::ADst), imm("imm", f(9, 16), Kind::Num)]],
        alu(Ty::U16),
        "add to an address register",
        "4.1"
    ),
    long!(
        Op::Mov,
        "mov {sfu}b16 {dst} {src1}",
        ANY,
        (0, 0x1000_0000, SEC | 0x0400_0000, 0),
        [PRE, DO_H, AINC, S1_H, M23, M24, LANES, &[flag("sfu", 57, "sfu")]],
        alu(Ty::B16),
        "copy of 16 bits in the lanes of the mask",
        "4.1"
    ),
    long!(
        Op::Mov,
        "mov {sfu}b32 {dst} {src1}",
        ANY,
        (0, 0x1000_0000, SEC | 0x0400_0000, 0x0400_0000),
        [PRE, DO_S, AINC, S1_S, M23, M24, LANES, &[flag("sfu", 57, "sfu")]],
        alu(Ty::B32),
        "copy of 32 bits in the lanes of the mask",
        "4.1"
    ),
    long!(
        Op::VoteAny,
        "vote any {cdst}",
        SM12,
        (0x0fff_fffc, 0x1000_0200, SEC, 0x6000_0000),
        [PRE, CDST2],
        between_lanes(Ty::None),
        "does the condition hold in some active lane",
        "4.1"
    )
    .ignored(pat(0, 0x40)),
    long!(
        Op::VoteAll,
        "vote all {cdst}",
        SM12,
        (0x0fff_fffc, 0x1000_0400, SEC, 0x6000_0000),
        [PRE, CDST2],
        between_lanes(Ty::None),
        "does the condition hold in all active lanes",
        "4.1"
    )
    .ignored(pat(0, 0x40)),
];

macro_rules! add_family {
    ($op:expr, $name:literal, $bits:expr, $tail:literal) => {
        [
            long!(
                $op,
                concat!($name, " b16 {sat}{cdst}{dst} {src1} {src3}", $tail),
                ANY,
                (0x0040_0000, 0x2000_0000 | $bits, SEC | 0x0400_0000, 0),
                [PRE, DO_H, CDST, ADDR, S1_H, M23, S3_H, SAT59],
                alu(Ty::B16),
                "16-bit integer addition family",
                "4.2, 7.1"
            ),
            long!(
                $op,
                concat!($name, " b32 {sat}{cdst}{dst} {src1} {src3}", $tail),
                ANY,
                (0x0040_0000, 0x2000_0000 | $bits, SEC | 0x0400_0000, 0x0400_0000),
                [PRE, DO_S, CDST, ADDR, S1_S, M23, S3_S, SAT59],
                alu(Ty::B32),
                "32-bit integer addition family",
                "4.2, 7.1"
            ),
        ]
    };
}

macro_rules! binary {
    ($op:expr, $text:literal, $v0:expr, $m1:expr, $v1:expr, [$($h:expr),*], [$($s:expr),*], $ty16:expr, $ty32:expr, $doc:literal) => {
        [
            long!($op, concat!($text, ""), ANY, (0, $v0, SEC | 0x0400_0000 | $m1, $v1), [PRE, DO_H, CDST, ADDR, S1_H, S2_H, M24, $($h),*], alu($ty16), concat!($doc, ", 16 bits"), "4.2, 7.1"),
            long!($op, concat!($text, ""), ANY, (0, $v0, SEC | 0x0400_0000 | $m1, 0x0400_0000 | $v1), [PRE, DO_S, CDST, ADDR, S1_S, S2_S, M24, $($s),*], alu($ty32), concat!($doc, ", 32 bits"), "4.2, 7.1"),
        ]
    };
}

macro_rules! logic {
    ($op:expr, $name:literal, $v1:expr) => {
        [
            long!(
                $op,
                concat!($name, " b16 {cdst}{dst} {not1}{src1} {not2}{src2}"),
                ANY,
                (0, 0xd000_0000, SEC | 0x0400_c000, $v1),
                [PRE, DO_H, CDST, ADDR, S1_H, S2_H, M24, NOTS],
                alu(Ty::B16),
                "bitwise operation, 16 bits",
                "4.2, 7.1"
            ),
            long!(
                $op,
                concat!($name, " b32 {cdst}{dst} {not1}{src1} {not2}{src2}"),
                ANY,
                (0, 0xd000_0000, SEC | 0x0400_c000, 0x0400_0000 | $v1),
                [PRE, DO_S, CDST, ADDR, S1_S, S2_S, M24, NOTS],
                alu(Ty::B32),
                "bitwise operation, 32 bits",
                "4.2, 7.1"
            ),
        ]
    };
}

macro_rules! mad {
    ($op:expr, $sat:literal, $ty:literal, $v0:expr, $v1:expr, $s1:expr, $s2:expr) => {
        long!(
            $op,
            concat!("{addop} ", $sat, "{cdst}{dst} (mul ", $ty, " {src1} {src2}) {src3}{cin}"),
            ANY,
            (0, $v0, SEC, $v1),
            [PRE, DO_S, CDST, ADDR, $s1, $s2, S3_S, ADDOP, CIN],
            alu(Ty::B32),
            "multiply and add",
            "4.2, 7.1"
        )
    };
}

const ADD: [R; 2] = add_family!(Op::Add, "add", 0, "");
const SUB: [R; 2] = add_family!(Op::Sub, "sub", 0x0040_0000, "");
const SUBR: [R; 2] = add_family!(Op::Subr, "subr", 0x1000_0000, "");
const ADDC: [R; 2] = add_family!(Op::Addc, "addc", 0x1040_0000, " {pcc}");
const COND3: &[S] = &[mod_("cond", f(46, 3), Kind::Enum(INT_CONDS))];
const SET: [R; 2] = binary!(
    Op::Set,
    "set {cdst}{dst} {cond} {s} {src1} {src2}",
    0x3000_0000,
    0,
    0x6000_0000,
    [SGN16, COND3],
    [SGN32, COND3],
    Ty::B16,
    Ty::B32,
    "compare: all ones or 0"
);
const MAX: [R; 2] = binary!(
    Op::Max,
    "max {s} {cdst}{dst} {src1} {src2}",
    0x3000_0000,
    0,
    0x8000_0000,
    [SGN16],
    [SGN32],
    Ty::B16,
    Ty::B32,
    "the larger"
);
const MIN: [R; 2] = binary!(
    Op::Min,
    "min {s} {cdst}{dst} {src1} {src2}",
    0x3000_0000,
    0,
    0xa000_0000,
    [SGN16],
    [SGN32],
    Ty::B16,
    Ty::B32,
    "the smaller"
);
const AND: [R; 2] = logic!(Op::And, "and", 0);
const OR: [R; 2] = logic!(Op::Or, "or", 0x4000);
const XOR: [R; 2] = logic!(Op::Xor, "xor", 0x8000);
const MOV2: [R; 2] = logic!(Op::Mov2, "mov2", 0xc000);

/// Rows of long integer forms (4.2).
pub const INTEGER: &[R] = &[
    ADD[0],
    ADD[1],
    SUB[0],
    SUB[1],
    SUBR[0],
    SUBR[1],
    ADDC[0],
    ADDC[1],
    SET[0],
    SET[1],
    MAX[0],
    MAX[1],
    MIN[0],
    MIN[1],
    long!(
        Op::Shl,
        "shl b16 {cdst}{dst} {src1} {src2}",
        ANY,
        (0, 0x3000_0000, SEC | 0x0410_0000, 0xc000_0000),
        [PRE, DO_H, CDST, ADDR, S1_H, S2_H, M24],
        alu(Ty::B16),
        "shift left, 16 bits",
        "4.2, 7.1"
    ),
    long!(
        Op::Shl,
        "shl b32 {cdst}{dst} {src1} {src2}",
        ANY,
        (0, 0x3000_0000, SEC | 0x0410_0000, 0xc400_0000),
        [PRE, DO_S, CDST, ADDR, S1_S, S2_S, M24],
        alu(Ty::B32),
        "shift left",
        "4.2, 7.1"
    ),
    long!(
        Op::Shl,
        "shl b16 {cdst}{dst} {src1} {cnt}",
        ANY,
        (0, 0x3000_0000, SEC | 0x0410_0000, 0xc010_0000),
        [PRE, DO_H, CDST, AINC, S1_H, M23, M24, CNT],
        alu(Ty::B16),
        "shift left by a constant, 16 bits",
        "4.2, 7.1"
    ),
    long!(
        Op::Shl,
        "shl b32 {cdst}{dst} {src1} {cnt}",
        ANY,
        (0, 0x3000_0000, SEC | 0x0410_0000, 0xc410_0000),
        [PRE, DO_S, CDST, AINC, S1_S, M23, M24, CNT],
        alu(Ty::B32),
        "shift left by a constant",
        "4.2, 7.1"
    ),
    long!(
        Op::Shr,
        "shr {s} {cdst}{dst} {src1} {src2}",
        ANY,
        (0, 0x3000_0000, SEC | 0x0410_0000, 0xe000_0000),
        [PRE, DO_H, CDST, ADDR, S1_H, S2_H, M24, SGN16],
        alu(Ty::B16),
        "shift right, 16 bits",
        "4.2, 7.1"
    ),
    long!(
        Op::Shr,
        "shr {s} {cdst}{dst} {src1} {src2}",
        ANY,
        (0, 0x3000_0000, SEC | 0x0410_0000, 0xe400_0000),
        [PRE, DO_S, CDST, ADDR, S1_S, S2_S, M24, SGN32],
        alu(Ty::B32),
        "shift right",
        "4.2, 7.1"
    ),
    long!(
        Op::Shr,
        "shr {s} {cdst}{dst} {src1} {cnt}",
        ANY,
        (0, 0x3000_0000, SEC | 0x0410_0000, 0xe010_0000),
        [PRE, DO_H, CDST, AINC, S1_H, M23, M24, CNT, SGN16],
        alu(Ty::B16),
        "shift right by a constant, 16 bits",
        "4.2, 7.1"
    ),
    long!(
        Op::Shr,
        "shr {s} {cdst}{dst} {src1} {cnt}",
        ANY,
        (0, 0x3000_0000, SEC | 0x0410_0000, 0xe410_0000),
        [PRE, DO_S, CDST, AINC, S1_S, M23, M24, CNT, SGN32],
        alu(Ty::B32),
        "shift right by a constant",
        "4.2, 7.1"
    ),
    long!(
        Op::Mul16,
        "mul {cdst}{dst} {s1} {src1} {s2} {src2}",
        ANY,
        (0, 0x4000_0000, SEC | 0x0001_0000, 0),
        [
            PRE,
            DO_S,
            CDST,
            ADDR,
            S1_H,
            S2_H,
            M24,
            &[mod_("s1", f(47, 1), Kind::Enum(&["u16", "s16"])), mod_("s2", f(46, 1), Kind::Enum(&["u16", "s16"]))]
        ],
        alu(Ty::B32),
        "16 x 16 bit product",
        "4.2, 7.1"
    ),
    long!(
        Op::Mul24,
        "mul {cdst}{dst} {high}{s} {src1} {src2}",
        ANY,
        (0, 0x4000_0000, SEC | 0x0001_0000, 0x0001_0000),
        [
            PRE,
            DO_S,
            CDST,
            ADDR,
            S1_S,
            S2_S,
            M24,
            &[mod_("s", f(47, 1), Kind::Enum(&["u24", "s24"])), flag("high", 46, "high")]
        ],
        alu(Ty::B32),
        "24 x 24 bit product, bits 0-31 or 16-47",
        "4.2, 7.1"
    ),
    long!(
        Op::Sad,
        "sad {cdst}{dst} {s} {src1} {src2} {src3}",
        ANY,
        (0, 0x5000_0000, SEC | 0x0400_0000, 0),
        [PRE, DO_S, CDST, ADDR, S1_H, S2_H, S3_S, SGN16],
        alu(Ty::U16),
        "absolute difference of 16-bit values plus a third",
        "4.2, 7.1"
    ),
    long!(
        Op::Sad,
        "sad {cdst}{dst} {s} {src1} {src2} {src3}",
        ANY,
        (0, 0x5000_0000, SEC | 0x0400_0000, 0x0400_0000),
        [PRE, DO_S, CDST, ADDR, S1_S, S2_S, S3_S, SGN32],
        alu(Ty::U32),
        "absolute difference plus a third",
        "4.2, 7.1"
    ),
    mad!(Op::MadU16, "", "u16", 0x6000_0000, 0, S1_H, S2_H),
    mad!(Op::MadS16, "", "s16", 0x6000_0000, 0x2000_0000, S1_H, S2_H),
    mad!(Op::MadSatS16, "sat ", "s16", 0x6000_0000, 0x4000_0000, S1_H, S2_H),
    mad!(Op::MadU24, "", "u24", 0x6000_0000, 0x6000_0000, S1_S, S2_S),
    mad!(Op::MadS24, "", "s24", 0x6000_0000, 0x8000_0000, S1_S, S2_S),
    mad!(Op::MadSatS24, "sat ", "s24", 0x6000_0000, 0xa000_0000, S1_S, S2_S),
    mad!(Op::MadHiU24, "", "high u24", 0x6000_0000, 0xc000_0000, S1_S, S2_S),
    mad!(Op::MadHiS24, "", "high s24", 0x6000_0000, 0xe000_0000, S1_S, S2_S),
    mad!(Op::MadSatHiS24, "sat ", "high s24", 0x7000_0000, 0, S1_S, S2_S),
    AND[0],
    AND[1],
    OR[0],
    OR[1],
    XOR[0],
    XOR[1],
    MOV2[0],
    MOV2[1],
];

macro_rules! minmax {
    ($op:expr, $name:literal, $v1:expr) => {
        long!(
            $op,
            concat!($name, " f32 {cdst}{dst} {neg1}{abs1}{src1} {neg2}{abs2}{src2}"),
            ANY,
            (0, 0xb000_0000, SEC, $v1),
            [PRE, DO_S, CDST, ADDR, S1_S, S2_S, M24, NEGABS],
            alu(Ty::F32),
            "the larger or smaller; of a NaN and a number the number",
            "4.3, 7.2"
        )
    };
}

macro_rules! pre {
    ($op:expr, $name:literal, $v1:expr) => {
        long!(
            $op,
            concat!($name, " f32 {dst} {neg}{abs}{src1}"),
            ANY,
            (0, 0xb000_0000, SEC | 0x4000, $v1),
            [PRE, DO_S, AINC, S1_S, M23, M24, UNARY],
            sfu(Ty::F32),
            "argument of sin and cos, or of ex2, in fixed point",
            "4.3, 7.3"
        )
    };
}

macro_rules! sfu_op {
    ($op:expr, $text:literal, $v1:expr, $mods:expr, $doc:literal) => {
        long!($op, $text, ANY, (0, 0x9000_0000, SEC, $v1), [PRE, DO_S, R1_S, $mods], sfu(Ty::F32), $doc, "4.3, 7.3")
    };
}

const COND4: &[S] = &[mod_("cond", f(46, 4), Kind::Enum(FLOAT_CONDS))];
const QOPS: &[&str] = &["add", "subr", "sub", "mov2"];
const VARYING: &[S] = &[use_("a", A3, Kind::A), use_("mem", f(16, 8), Kind::Mem(Space::Varying, 4))];

/// Rows of long float forms (4.3).
pub const FLOAT: &[R] = &[
    long!(
        Op::Fadd,
        "add {sat}{rnd} f32 {cdst}{dst} {neg1}{src1} {neg3}{src3}",
        ANY,
        (0, 0xb000_0000, 0xc000_0000, 0),
        [PRE, DO_S, CDST, ADDR, S1_S, M23, S3_S, SAT61, NEG13, &[mod_("rnd", f(16, 2), Kind::Enum(ROUND))]],
        alu(Ty::F32),
        "f32 sum",
        "4.3, 7.2"
    ),
    long!(
        Op::Fset,
        "set {cdst}{dst} {cond} f32 {neg1}{abs1}{src1} {neg2}{abs2}{src2}",
        ANY,
        (0, 0xb000_0000, SEC, 0x6000_0000),
        [PRE, DO_S, CDST, ADDR, S1_S, S2_S, M24, NEGABS, COND4],
        alu(Ty::F32),
        "f32 compare: all ones or 0",
        "4.3, 7.2"
    ),
    minmax!(Op::Fmax, "max", 0x8000_0000),
    minmax!(Op::Fmin, "min", 0xa000_0000),
    pre!(Op::PreSin, "presin", 0xc000_0000),
    pre!(Op::PreEx2, "preex2", 0xc000_4000),
    long!(
        Op::Fmul,
        "mul {rnd} f32 {cdst}{dst} {neg1}{src1} {neg2}{src2}",
        ANY,
        (0, 0xc000_0000, SEC | 0x0010_0000, 0),
        [PRE, DO_S, CDST, ADDR, S1_S, S2_S, M24, NEG12, &[mod_("rnd", f(46, 2), Kind::Enum(ROUND))]],
        alu(Ty::F32),
        "f32 product",
        "4.3, 7.2"
    ),
    long!(
        Op::FmulSat,
        "mul sat {rnd} f32 {cdst}{dst} {neg1}{src1} {neg2}{src2}",
        SM12,
        (0, 0xc000_0000, SEC | 0x0010_0000, 0x0010_0000),
        [PRE, DO_S, CDST, ADDR, S1_S, S2_S, M24, NEG12, &[mod_("rnd", f(46, 2), Kind::Enum(ROUND))]],
        alu(Ty::F32),
        "f32 product, clamped to 0..1",
        "4.3, 7.2"
    ),
    long!(
        Op::Slct,
        "slct b32 {cdst}{dst} {src1} {src2} f32 {neg3}{src3}",
        ANY,
        (0, 0xc000_0000, 0xc000_0000, 0x4000_0000),
        [PRE, DO_S, CDST, ADDR, S1_S, S2_S, S3_S, &[flag("neg3", 61, "neg")]],
        alu(Ty::B32),
        "first source where the third is at least 0, else the second",
        "4.3, 7.2"
    ),
    long!(
        Op::QuadOp,
        "quadop f32 {op0} {op1} {op2} {op3} {cdst}{dst} {qlane} {src1} {src3}",
        ANY,
        (0, 0xc000_0000, SEC, 0x8000_0000),
        [
            PRE,
            DO_S,
            CDST,
            R1_S,
            R3_S,
            &[
                mod_("op0", f(58, 2), Kind::Enum(QOPS)),
                mod_("op1", f(56, 2), Kind::Enum(QOPS)),
                mod_("op2", f(54, 2), Kind::Enum(QOPS)),
                mod_("op3", f(20, 2), Kind::Enum(QOPS)),
                mod_("qlane", f(16, 3), Kind::QLane)
            ]
        ],
        between_lanes(Ty::F32),
        "arithmetic between lanes of a quad",
        "4.3, 7.2"
    ),
    long!(
        Op::Fmad,
        "add {sat}f32 {cdst}{dst} {neg1}(mul {src1} {src2}) {neg3}{src3}",
        ANY,
        (0, 0xe000_0000, 0xc000_0000, 0),
        [PRE, DO_S, CDST, ADDR, S1_S, S2_S, S3_S, SAT61, NEG13],
        alu(Ty::F32),
        "f32 multiply-add, product truncated",
        "4.3, 7.2"
    ),
    sfu_op!(Op::Rcp, "rcp f32 {dst} {neg}{abs}{src1}", 0, UNARY, "reciprocal"),
    sfu_op!(Op::Rsqrt, "rsqrt f32 {dst} {neg}{abs}{src1}", 0x4000_0000, UNARY, "reciprocal square root"),
    sfu_op!(Op::Lg2, "lg2 f32 {dst} {neg}{abs}{src1}", 0x6000_0000, UNARY, "logarithm to base 2"),
    sfu_op!(Op::Sin, "sin f32 {dst} {src1}", 0x8000_0000, NO_SLOTS, "sine of a presin result"),
    sfu_op!(Op::Cos, "cos f32 {dst} {src1}", 0xa000_0000, NO_SLOTS, "cosine of a presin result"),
    sfu_op!(Op::Ex2, "ex2 f32 {sat}{dst} {src1}", 0xc000_0000, SAT59, "power of 2 of a preex2 result"),
    long!(
        Op::Interp,
        "interp {dst} {cent}{mem}",
        ANY,
        (0, 0x8000_0000, SEC | 0x0006_0000, 0),
        [PRE, D_S, VARYING, &[flag("cent", 48, "cent")]],
        sfu(Ty::F32),
        "interpolated input",
        "4.3"
    )
    .stages(gpucc_isa::stage::FS),
    long!(
        Op::InterpMul,
        "interp {dst} {cent}{mem} {neg}{src1}",
        ANY,
        (0, 0x8000_0000, SEC | 0x0006_0000, 0x0002_0000),
        [PRE, D_S, VARYING, R1_S, &[flag("cent", 48, "cent"), flag("neg", 58, "neg")]],
        sfu(Ty::F32),
        "interpolated input times a register",
        "4.3"
    )
    .stages(gpucc_isa::stage::FS),
    long!(
        Op::InterpFlat,
        "interp {dst} flat {mem}",
        ANY,
        (0, 0x8000_0000, SEC | 0x0007_0000, 0x0004_0000),
        [PRE, D_S, VARYING],
        sfu(Ty::F32),
        "flat input",
        "4.3"
    )
    .stages(gpucc_isa::stage::FS),
];

const fn double() -> Does {
    does(Effects::pure(48), Unit::Double, 32, Ty::F64, Ty::F64)
}

/// Rows of operations on doubles (4.5).
pub const DOUBLE: &[R] = &[
    long!(
        Op::Dfma,
        "fma {rnd} f64 {cdst}{dst} {neg1}{src1} {src2} {neg3}{src3}",
        NVA0,
        (0, 0xe000_0000, SEC, 0x4000_0000),
        [PRE, D_D, CDST, R1_D, R2_D, R3_D, NEG13, &[mod_("rnd", f(54, 2), Kind::Enum(ROUND))]],
        double(),
        "fused f64 multiply-add",
        "4.5, 7.4"
    ),
    long!(
        Op::Dadd,
        "add {rnd} f64 {cdst}{dst} {neg1}{src1} {neg3}{src3}",
        NVA0,
        (0, 0xe000_0000, SEC, 0x6000_0000),
        [PRE, D_D, CDST, R1_D, R3_D, NEG13, &[mod_("rnd", f(16, 2), Kind::Enum(ROUND))]],
        double(),
        "f64 sum",
        "4.5, 7.4"
    ),
    long!(
        Op::Dmul,
        "mul {rnd} f64 {cdst}{dst} {neg}{src1} {src2}",
        NVA0,
        (0, 0xe000_0000, SEC, 0x8000_0000),
        [PRE, D_D, CDST, R1_D, R2_D, &[flag("neg", 58, "neg"), mod_("rnd", f(49, 2), Kind::Enum(ROUND))]],
        double(),
        "f64 product",
        "4.5, 7.4"
    ),
    long!(
        Op::Dmin,
        "min f64 {cdst}{dst} {neg1}{abs1}{src1} {neg2}{abs2}{src2}",
        NVA0,
        (0, 0xe000_0000, SEC, 0xa000_0000),
        [PRE, D_D, CDST, R1_D, R2_D, NEGABS],
        double(),
        "the smaller f64",
        "4.5, 7.4"
    ),
    long!(
        Op::Dmax,
        "max f64 {cdst}{dst} {neg1}{abs1}{src1} {neg2}{abs2}{src2}",
        NVA0,
        (0, 0xe000_0000, SEC, 0xc000_0000),
        [PRE, D_D, CDST, R1_D, R2_D, NEGABS],
        double(),
        "the larger f64",
        "4.5, 7.4"
    ),
    long!(
        Op::Dset,
        "set {cdst}{dst} {cond} f64 {neg1}{abs1}{src1} {neg2}{abs2}{src2}",
        NVA0,
        (0, 0xe000_0000, SEC, 0xe000_0000),
        [PRE, DO_S, CDST, R1_D, R2_D, NEGABS, COND4],
        double(),
        "f64 compare: all ones or 0",
        "4.5, 7.4"
    ),
];
