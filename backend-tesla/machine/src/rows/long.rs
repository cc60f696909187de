//! Long arithmetic forms (reference sections 2.4, 4.1 to 4.3, 4.5). Columns: see [`long!`](super).

use super::*;
use crate::types::{ANY, NVA0, SM12, Space};
use gpucc_isa::stage::{FS, GS, VS};

const ADST: &[S] = &[def("adst", f(2, 3), Kind::ADst)];
const ATTR: &[S] = &[use_("mem", f(9, 7), Kind::Mem(Space::Attr, 4))];
const OUT: &[S] = &[def("mem", f(9, 14), Kind::Mem(Space::Out, 4)), use_("data", f(46, 7), Kind::Reg(Width::S))];
const SR: &[S] = &[use_("sr", f(46, 4), Kind::Sr)];
const IMM16: &[S] = &[imm("imm", f(9, 16), Kind::Num)];
const CNT4: &[S] = &[imm("cnt", f(16, 4), Kind::Num)];
const CNT: &[S] = &[imm("cnt", f(16, 7), Kind::Num)];
const SFU: &[S] = &[flag("sfu", 57, "sfu")];
const ADDOP: &[S] = &[mod_("addop", f(58, 2), Kind::Enum(ADDOPS))];
const SAT59: &[S] = &[flag("sat", 59, "sat")];
const SAT61: &[S] = &[flag("sat", 61, "sat")];
const NOTS: &[S] = &[flag("not1", 48, "not"), flag("not2", 49, "not")];
const NEGABS: &[S] =
    &[flag("neg1", 58, "neg"), flag("abs1", 52, "abs"), flag("neg2", 59, "neg"), flag("abs2", 51, "abs")];
const NEG12: &[S] = &[flag("neg1", 58, "neg"), flag("neg2", 59, "neg")];
const NEG13: &[S] = &[flag("neg1", 58, "neg"), flag("neg3", 59, "neg")];
const NEG3: &[S] = &[flag("neg3", 61, "neg")];
const NEG: &[S] = &[flag("neg", 58, "neg")];
const ABS: &[S] = &[flag("abs", 52, "abs")];
const SIGN16: &[S] = &[mod_("s", f(59, 1), Kind::Enum(&["u16", "s16"]))];
const SIGN32: &[S] = &[mod_("s", f(59, 1), Kind::Enum(&["u32", "s32"]))];
const SIGN24: &[S] = &[mod_("s", f(47, 1), Kind::Enum(&["u24", "s24"]))];
const SIGNS16: &[S] =
    &[mod_("s1", f(47, 1), Kind::Enum(&["u16", "s16"])), mod_("s2", f(46, 1), Kind::Enum(&["u16", "s16"]))];
const HIGH: &[S] = &[flag("high", 46, "high")];
const COND3: &[S] = &[mod_("cond", f(46, 3), Kind::Enum(INT_CONDS))];
const COND4: &[S] = &[mod_("cond", f(46, 4), Kind::Enum(FLOAT_CONDS))];
const RND16: &[S] = &[mod_("rnd", f(16, 2), Kind::Enum(ROUND))];
const RND46: &[S] = &[mod_("rnd", f(46, 2), Kind::Enum(ROUND))];
const RND49: &[S] = &[mod_("rnd", f(49, 2), Kind::Enum(ROUND))];
const RND54: &[S] = &[mod_("rnd", f(54, 2), Kind::Enum(ROUND))];
const QOPS: &[&str] = &["add", "subr", "sub", "mov2"];
const QUAD: &[S] = &[
    mod_("op0", f(58, 2), Kind::Enum(QOPS)),
    mod_("op1", f(56, 2), Kind::Enum(QOPS)),
    mod_("op2", f(54, 2), Kind::Enum(QOPS)),
    mod_("op3", f(20, 2), Kind::Enum(QOPS)),
    mod_("qlane", f(16, 3), Kind::QLane),
];
const VARYING: &[S] = &[use_("a", A3, Kind::A), use_("mem", f(16, 8), Kind::Mem(Space::Varying, 4))];
const CENT: &[S] = &[flag("cent", 48, "cent")];

/// The clock says something else each time.
const CLOCK: Effects = Effects { side_effect: true, ..Effects::pure(24) };
const OUTPUT: Effects = Effects::store().at(Memory::Output as u16);

/// Moves between register files, attributes (which never change), outputs (4.1).
pub const MOVES: &[R] = long! {
    LdA       ANY  (0, 0, 0xe420_0000, 0x0420_0000)                     "ld b32 {dst} {mem}" [DO_S A ATTR LANES] does(Effects::pure(24), Unit::Memory, 4, B32, B32) "load an input attribute" "4.1" .stages(VS | GS);
    MovFromC  ANY  (0, 0, 0xe000_0000, 0x2000_0000)                     "mov {dst} {pcc}" [D_S] alu(B32) "read a flag register" "4.1";
    MovFromA  ANY  (0, 0, 0xe000_0000, 0x4000_0000)                     "mov {dst} {a}" [D_S A] alu(B32) "read an address register" "4.1";
    MovFromSr ANY  (0, 0, 0xe000_0000, 0x6000_0000)                     "mov {dst} {sr}" [D_S SR] does(CLOCK, Unit::Alu, 4, B32, B32) "read a special register" "4.1";
    StO       ANY  (0, 0, 0xe0c0_0000, 0x80c0_0000)                     "st b32 {mem} {data}" [A OUT] does(OUTPUT, Unit::Memory, 4, B32, B32) "store an output" "4.1";
    MovToC    ANY  (0, 0, 0xe000_0000, 0xa000_0000)                     "mov {cdst} {src1}" [CDST2 R1_S] alu(B32) "write a flag register" "4.1" .ignored(pat(0, 0x40));
    ShlToA    ANY  (0, 0, 0xe000_0000, 0xc000_0000)                     "shl {adst} {src1} {cnt}" [AINC ADST S1_S M23 M24 CNT4] alu(U16) "shift left into an address register" "4.1";
    AddA      ANY  (0, 0xd000_0000, 0xe000_0000, 0x2000_0000)           "add {adst} {a} {imm}" [A ADST IMM16] alu(U16) "add to an address register" "4.1";
    Mov       ANY  (0, 0x1000_0000, 0xe400_0000, 0)                     "mov {sfu}b16 {dst} {src1}" [DO_H AINC S1_H M23 M24 LANES SFU] alu(B16) "copy of 16 bits in the lanes of the mask" "4.1";
    Mov       ANY  (0, 0x1000_0000, 0xe400_0000, 0x0400_0000)           "mov {sfu}b32 {dst} {src1}" [DO_S AINC S1_S M23 M24 LANES SFU] alu(B32) "copy of 32 bits in the lanes of the mask" "4.1";
    VoteAny   SM12 (0x0fff_fffc, 0x1000_0200, 0xe000_0000, 0x6000_0000) "vote any {cdst}" [CDST2] between_lanes(Ty::None) "does the condition hold in some active lane" "4.1" .ignored(pat(0, 0x40));
    VoteAll   SM12 (0x0fff_fffc, 0x1000_0400, 0xe000_0000, 0x6000_0000) "vote all {cdst}" [CDST2] between_lanes(Ty::None) "does the condition hold in all active lanes" "4.1" .ignored(pat(0, 0x40));
};

/// Rows of long integer forms (4.2).
pub const INTEGER: &[R] = long! {
    Add         ANY (0x0040_0000, 0x2000_0000, 0xe400_0000, 0)           "add b16 {sat}{cdst}{dst} {src1} {src3}" [DO_H CDST ADDR S1_H M23 S3_H SAT59] alu(B16) "16-bit integer addition family" "4.2, 7.1";
    Add         ANY (0x0040_0000, 0x2000_0000, 0xe400_0000, 0x0400_0000) "add b32 {sat}{cdst}{dst} {src1} {src3}" [DO_S CDST ADDR S1_S M23 S3_S SAT59] alu(B32) "32-bit integer addition family" "4.2, 7.1";
    Sub         ANY (0x0040_0000, 0x2040_0000, 0xe400_0000, 0)           "sub b16 {sat}{cdst}{dst} {src1} {src3}" [DO_H CDST ADDR S1_H M23 S3_H SAT59] alu(B16) "16-bit integer addition family" "4.2, 7.1";
    Sub         ANY (0x0040_0000, 0x2040_0000, 0xe400_0000, 0x0400_0000) "sub b32 {sat}{cdst}{dst} {src1} {src3}" [DO_S CDST ADDR S1_S M23 S3_S SAT59] alu(B32) "32-bit integer addition family" "4.2, 7.1";
    Subr        ANY (0x0040_0000, 0x3000_0000, 0xe400_0000, 0)           "subr b16 {sat}{cdst}{dst} {src1} {src3}" [DO_H CDST ADDR S1_H M23 S3_H SAT59] alu(B16) "16-bit integer addition family" "4.2, 7.1";
    Subr        ANY (0x0040_0000, 0x3000_0000, 0xe400_0000, 0x0400_0000) "subr b32 {sat}{cdst}{dst} {src1} {src3}" [DO_S CDST ADDR S1_S M23 S3_S SAT59] alu(B32) "32-bit integer addition family" "4.2, 7.1";
    Addc        ANY (0x0040_0000, 0x3040_0000, 0xe400_0000, 0)           "addc b16 {sat}{cdst}{dst} {src1} {src3} {pcc}" [DO_H CDST ADDR S1_H M23 S3_H SAT59] alu(B16) "16-bit integer addition family" "4.2, 7.1";
    Addc        ANY (0x0040_0000, 0x3040_0000, 0xe400_0000, 0x0400_0000) "addc b32 {sat}{cdst}{dst} {src1} {src3} {pcc}" [DO_S CDST ADDR S1_S M23 S3_S SAT59] alu(B32) "32-bit integer addition family" "4.2, 7.1";
    Set         ANY (0, 0x3000_0000, 0xe400_0000, 0x6000_0000)           "set {cdst}{dst} {cond} {s} {src1} {src2}" [DO_H CDST ADDR S1_H S2_H M24 SIGN16 COND3] alu(B16) "compare: all ones or 0, 16 bits" "4.2, 7.1";
    Set         ANY (0, 0x3000_0000, 0xe400_0000, 0x6400_0000)           "set {cdst}{dst} {cond} {s} {src1} {src2}" [DO_S CDST ADDR S1_S S2_S M24 SIGN32 COND3] alu(B32) "compare: all ones or 0, 32 bits" "4.2, 7.1";
    Max         ANY (0, 0x3000_0000, 0xe400_0000, 0x8000_0000)           "max {s} {cdst}{dst} {src1} {src2}" [DO_H CDST ADDR S1_H S2_H M24 SIGN16] alu(B16) "the larger, 16 bits" "4.2, 7.1";
    Max         ANY (0, 0x3000_0000, 0xe400_0000, 0x8400_0000)           "max {s} {cdst}{dst} {src1} {src2}" [DO_S CDST ADDR S1_S S2_S M24 SIGN32] alu(B32) "the larger, 32 bits" "4.2, 7.1";
    Min         ANY (0, 0x3000_0000, 0xe400_0000, 0xa000_0000)           "min {s} {cdst}{dst} {src1} {src2}" [DO_H CDST ADDR S1_H S2_H M24 SIGN16] alu(B16) "the smaller, 16 bits" "4.2, 7.1";
    Min         ANY (0, 0x3000_0000, 0xe400_0000, 0xa400_0000)           "min {s} {cdst}{dst} {src1} {src2}" [DO_S CDST ADDR S1_S S2_S M24 SIGN32] alu(B32) "the smaller, 32 bits" "4.2, 7.1";
    Shl         ANY (0, 0x3000_0000, 0xe410_0000, 0xc000_0000)           "shl b16 {cdst}{dst} {src1} {src2}" [DO_H CDST ADDR S1_H S2_H M24] alu(B16) "shift left, 16 bits" "4.2, 7.1";
    Shl         ANY (0, 0x3000_0000, 0xe410_0000, 0xc400_0000)           "shl b32 {cdst}{dst} {src1} {src2}" [DO_S CDST ADDR S1_S S2_S M24] alu(B32) "shift left" "4.2, 7.1";
    Shl         ANY (0, 0x3000_0000, 0xe410_0000, 0xc010_0000)           "shl b16 {cdst}{dst} {src1} {cnt}" [DO_H CDST AINC S1_H M23 M24 CNT] alu(B16) "shift left by a constant, 16 bits" "4.2, 7.1";
    Shl         ANY (0, 0x3000_0000, 0xe410_0000, 0xc410_0000)           "shl b32 {cdst}{dst} {src1} {cnt}" [DO_S CDST AINC S1_S M23 M24 CNT] alu(B32) "shift left by a constant" "4.2, 7.1";
    Shr         ANY (0, 0x3000_0000, 0xe410_0000, 0xe000_0000)           "shr {s} {cdst}{dst} {src1} {src2}" [DO_H CDST ADDR S1_H S2_H M24 SIGN16] alu(B16) "shift right, 16 bits" "4.2, 7.1";
    Shr         ANY (0, 0x3000_0000, 0xe410_0000, 0xe400_0000)           "shr {s} {cdst}{dst} {src1} {src2}" [DO_S CDST ADDR S1_S S2_S M24 SIGN32] alu(B32) "shift right" "4.2, 7.1";
    Shr         ANY (0, 0x3000_0000, 0xe410_0000, 0xe010_0000)           "shr {s} {cdst}{dst} {src1} {cnt}" [DO_H CDST AINC S1_H M23 M24 CNT SIGN16] alu(B16) "shift right by a constant, 16 bits" "4.2, 7.1";
    Shr         ANY (0, 0x3000_0000, 0xe410_0000, 0xe410_0000)           "shr {s} {cdst}{dst} {src1} {cnt}" [DO_S CDST AINC S1_S M23 M24 CNT SIGN32] alu(B32) "shift right by a constant" "4.2, 7.1";
    Mul16       ANY (0, 0x4000_0000, 0xe001_0000, 0)                     "mul {cdst}{dst} {s1} {src1} {s2} {src2}" [DO_S CDST ADDR S1_H S2_H M24 SIGNS16] alu(B32) "16 x 16 bit product" "4.2, 7.1";
    Mul24       ANY (0, 0x4000_0000, 0xe001_0000, 0x0001_0000)           "mul {cdst}{dst} {high}{s} {src1} {src2}" [DO_S CDST ADDR S1_S S2_S M24 SIGN24 HIGH] alu(B32) "24 x 24 bit product, bits 0-31 or 16-47" "4.2, 7.1";
    Sad         ANY (0, 0x5000_0000, 0xe400_0000, 0)                     "sad {cdst}{dst} {s} {src1} {src2} {src3}" [DO_S CDST ADDR S1_H S2_H S3_S SIGN16] alu(U16) "absolute difference of 16-bit values plus a third" "4.2, 7.1";
    Sad         ANY (0, 0x5000_0000, 0xe400_0000, 0x0400_0000)           "sad {cdst}{dst} {s} {src1} {src2} {src3}" [DO_S CDST ADDR S1_S S2_S S3_S SIGN32] alu(U32) "absolute difference plus a third" "4.2, 7.1";
    MadU16      ANY (0, 0x6000_0000, 0xe000_0000, 0)                     "{addop} {cdst}{dst} (mul u16 {src1} {src2}) {src3}{cin}" [DO_S CDST ADDR S1_H S2_H S3_S ADDOP CIN] alu(B32) "multiply and add" "4.2, 7.1";
    MadS16      ANY (0, 0x6000_0000, 0xe000_0000, 0x2000_0000)           "{addop} {cdst}{dst} (mul s16 {src1} {src2}) {src3}{cin}" [DO_S CDST ADDR S1_H S2_H S3_S ADDOP CIN] alu(B32) "multiply and add" "4.2, 7.1";
    MadSatS16   ANY (0, 0x6000_0000, 0xe000_0000, 0x4000_0000)           "{addop} sat {cdst}{dst} (mul s16 {src1} {src2}) {src3}{cin}" [DO_S CDST ADDR S1_H S2_H S3_S ADDOP CIN] alu(B32) "multiply and add" "4.2, 7.1";
    MadU24      ANY (0, 0x6000_0000, 0xe000_0000, 0x6000_0000)           "{addop} {cdst}{dst} (mul u24 {src1} {src2}) {src3}{cin}" [DO_S CDST ADDR S1_S S2_S S3_S ADDOP CIN] alu(B32) "multiply and add" "4.2, 7.1";
    MadS24      ANY (0, 0x6000_0000, 0xe000_0000, 0x8000_0000)           "{addop} {cdst}{dst} (mul s24 {src1} {src2}) {src3}{cin}" [DO_S CDST ADDR S1_S S2_S S3_S ADDOP CIN] alu(B32) "multiply and add" "4.2, 7.1";
    MadSatS24   ANY (0, 0x6000_0000, 0xe000_0000, 0xa000_0000)           "{addop} sat {cdst}{dst} (mul s24 {src1} {src2}) {src3}{cin}" [DO_S CDST ADDR S1_S S2_S S3_S ADDOP CIN] alu(B32) "multiply and add" "4.2, 7.1";
    MadHiU24    ANY (0, 0x6000_0000, 0xe000_0000, 0xc000_0000)           "{addop} {cdst}{dst} (mul high u24 {src1} {src2}) {src3}{cin}" [DO_S CDST ADDR S1_S S2_S S3_S ADDOP CIN] alu(B32) "multiply and add" "4.2, 7.1";
    MadHiS24    ANY (0, 0x6000_0000, 0xe000_0000, 0xe000_0000)           "{addop} {cdst}{dst} (mul high s24 {src1} {src2}) {src3}{cin}" [DO_S CDST ADDR S1_S S2_S S3_S ADDOP CIN] alu(B32) "multiply and add" "4.2, 7.1";
    MadSatHiS24 ANY (0, 0x7000_0000, 0xe000_0000, 0)                     "{addop} sat {cdst}{dst} (mul high s24 {src1} {src2}) {src3}{cin}" [DO_S CDST ADDR S1_S S2_S S3_S ADDOP CIN] alu(B32) "multiply and add" "4.2, 7.1";
    And         ANY (0, 0xd000_0000, 0xe400_c000, 0)                     "and b16 {cdst}{dst} {not1}{src1} {not2}{src2}" [DO_H CDST ADDR S1_H S2_H M24 NOTS] alu(B16) "bitwise operation, 16 bits" "4.2, 7.1";
    And         ANY (0, 0xd000_0000, 0xe400_c000, 0x0400_0000)           "and b32 {cdst}{dst} {not1}{src1} {not2}{src2}" [DO_S CDST ADDR S1_S S2_S M24 NOTS] alu(B32) "bitwise operation, 32 bits" "4.2, 7.1";
    Or          ANY (0, 0xd000_0000, 0xe400_c000, 0x0000_4000)           "or b16 {cdst}{dst} {not1}{src1} {not2}{src2}" [DO_H CDST ADDR S1_H S2_H M24 NOTS] alu(B16) "bitwise operation, 16 bits" "4.2, 7.1";
    Or          ANY (0, 0xd000_0000, 0xe400_c000, 0x0400_4000)           "or b32 {cdst}{dst} {not1}{src1} {not2}{src2}" [DO_S CDST ADDR S1_S S2_S M24 NOTS] alu(B32) "bitwise operation, 32 bits" "4.2, 7.1";
    Xor         ANY (0, 0xd000_0000, 0xe400_c000, 0x0000_8000)           "xor b16 {cdst}{dst} {not1}{src1} {not2}{src2}" [DO_H CDST ADDR S1_H S2_H M24 NOTS] alu(B16) "bitwise operation, 16 bits" "4.2, 7.1";
    Xor         ANY (0, 0xd000_0000, 0xe400_c000, 0x0400_8000)           "xor b32 {cdst}{dst} {not1}{src1} {not2}{src2}" [DO_S CDST ADDR S1_S S2_S M24 NOTS] alu(B32) "bitwise operation, 32 bits" "4.2, 7.1";
    Mov2        ANY (0, 0xd000_0000, 0xe400_c000, 0x0000_c000)           "mov2 b16 {cdst}{dst} {not1}{src1} {not2}{src2}" [DO_H CDST ADDR S1_H S2_H M24 NOTS] alu(B16) "bitwise operation, 16 bits" "4.2, 7.1";
    Mov2        ANY (0, 0xd000_0000, 0xe400_c000, 0x0400_c000)           "mov2 b32 {cdst}{dst} {not1}{src1} {not2}{src2}" [DO_S CDST ADDR S1_S S2_S M24 NOTS] alu(B32) "bitwise operation, 32 bits" "4.2, 7.1";
};

/// Rows of long float forms (4.3).
pub const FLOAT: &[R] = long! {
    Fadd       ANY  (0, 0xb000_0000, 0xc000_0000, 0)           "add {sat}{rnd} f32 {cdst}{dst} {neg1}{src1} {neg3}{src3}" [DO_S CDST ADDR S1_S M23 S3_S SAT61 NEG13 RND16] alu(F32) "f32 sum" "4.3, 7.2";
    Fset       ANY  (0, 0xb000_0000, 0xe000_0000, 0x6000_0000) "set {cdst}{dst} {cond} f32 {neg1}{abs1}{src1} {neg2}{abs2}{src2}" [DO_S CDST ADDR S1_S S2_S M24 NEGABS COND4] alu(F32) "f32 compare: all ones or 0" "4.3, 7.2";
    Fmax       ANY  (0, 0xb000_0000, 0xe000_0000, 0x8000_0000) "max f32 {cdst}{dst} {neg1}{abs1}{src1} {neg2}{abs2}{src2}" [DO_S CDST ADDR S1_S S2_S M24 NEGABS] alu(F32) "the larger or smaller; of a NaN and a number the number" "4.3, 7.2";
    Fmin       ANY  (0, 0xb000_0000, 0xe000_0000, 0xa000_0000) "min f32 {cdst}{dst} {neg1}{abs1}{src1} {neg2}{abs2}{src2}" [DO_S CDST ADDR S1_S S2_S M24 NEGABS] alu(F32) "the larger or smaller; of a NaN and a number the number" "4.3, 7.2";
    PreSin     ANY  (0, 0xb000_0000, 0xe000_4000, 0xc000_0000) "presin f32 {dst} {neg}{abs}{src1}" [DO_S AINC S1_S M23 M24 NEG ABS] sfu(F32) "argument of sin and cos, or of ex2, in fixed point" "4.3, 7.3";
    PreEx2     ANY  (0, 0xb000_0000, 0xe000_4000, 0xc000_4000) "preex2 f32 {dst} {neg}{abs}{src1}" [DO_S AINC S1_S M23 M24 NEG ABS] sfu(F32) "argument of sin and cos, or of ex2, in fixed point" "4.3, 7.3";
    Fmul       ANY  (0, 0xc000_0000, 0xe010_0000, 0)           "mul {rnd} f32 {cdst}{dst} {neg1}{src1} {neg2}{src2}" [DO_S CDST ADDR S1_S S2_S M24 NEG12 RND46] alu(F32) "f32 product" "4.3, 7.2";
    FmulSat    SM12 (0, 0xc000_0000, 0xe010_0000, 0x0010_0000) "mul sat {rnd} f32 {cdst}{dst} {neg1}{src1} {neg2}{src2}" [DO_S CDST ADDR S1_S S2_S M24 NEG12 RND46] alu(F32) "f32 product, clamped to 0..1" "4.3, 7.2";
    Slct       ANY  (0, 0xc000_0000, 0xc000_0000, 0x4000_0000) "slct b32 {cdst}{dst} {src1} {src2} f32 {neg3}{src3}" [DO_S CDST ADDR S1_S S2_S S3_S NEG3] alu(B32) "first source where the third is at least 0, else the second" "4.3, 7.2";
    QuadOp     ANY  (0, 0xc000_0000, 0xe000_0000, 0x8000_0000) "quadop f32 {op0} {op1} {op2} {op3} {cdst}{dst} {qlane} {src1} {src3}" [DO_S CDST R1_S R3_S QUAD] between_lanes(F32) "arithmetic between lanes of a quad" "4.3, 7.2";
    Fmad       ANY  (0, 0xe000_0000, 0xc000_0000, 0)           "add {sat}f32 {cdst}{dst} {neg1}(mul {src1} {src2}) {neg3}{src3}" [DO_S CDST ADDR S1_S S2_S S3_S SAT61 NEG13] alu(F32) "f32 multiply-add, product truncated" "4.3, 7.2";
    Rcp        ANY  (0, 0x9000_0000, 0xe000_0000, 0)           "rcp f32 {dst} {neg}{abs}{src1}" [DO_S R1_S NEG ABS] sfu(F32) "reciprocal" "4.3, 7.3";
    Rsqrt      ANY  (0, 0x9000_0000, 0xe000_0000, 0x4000_0000) "rsqrt f32 {dst} {neg}{abs}{src1}" [DO_S R1_S NEG ABS] sfu(F32) "reciprocal square root" "4.3, 7.3";
    Lg2        ANY  (0, 0x9000_0000, 0xe000_0000, 0x6000_0000) "lg2 f32 {dst} {neg}{abs}{src1}" [DO_S R1_S NEG ABS] sfu(F32) "logarithm to base 2" "4.3, 7.3";
    Sin        ANY  (0, 0x9000_0000, 0xe000_0000, 0x8000_0000) "sin f32 {dst} {src1}" [DO_S R1_S] sfu(F32) "sine of a presin result" "4.3, 7.3";
    Cos        ANY  (0, 0x9000_0000, 0xe000_0000, 0xa000_0000) "cos f32 {dst} {src1}" [DO_S R1_S] sfu(F32) "cosine of a presin result" "4.3, 7.3";
    Ex2        ANY  (0, 0x9000_0000, 0xe000_0000, 0xc000_0000) "ex2 f32 {sat}{dst} {src1}" [DO_S R1_S SAT59] sfu(F32) "power of 2 of a preex2 result" "4.3, 7.3";
    Interp     ANY  (0, 0x8000_0000, 0xe006_0000, 0)           "interp {dst} {cent}{mem}" [D_S VARYING CENT] sfu(F32) "interpolated input" "4.3" .stages(FS);
    InterpMul  ANY  (0, 0x8000_0000, 0xe006_0000, 0x0002_0000) "interp {dst} {cent}{mem} {neg}{src1}" [D_S VARYING R1_S CENT NEG] sfu(F32) "interpolated input times a register" "4.3" .stages(FS);
    InterpFlat ANY  (0, 0x8000_0000, 0xe007_0000, 0x0004_0000) "interp {dst} flat {mem}" [D_S VARYING] sfu(F32) "flat input" "4.3" .stages(FS);
};

/// Rows of operations on doubles (4.5).
pub const DOUBLE: &[R] = long! {
    Dfma NVA0 (0, 0xe000_0000, 0xe000_0000, 0x4000_0000) "fma {rnd} f64 {cdst}{dst} {neg1}{src1} {src2} {neg3}{src3}" [D_D CDST R1_D R2_D R3_D NEG13 RND54] double(F64, F64) "fused f64 multiply-add" "4.5, 7.4";
    Dadd NVA0 (0, 0xe000_0000, 0xe000_0000, 0x6000_0000) "add {rnd} f64 {cdst}{dst} {neg1}{src1} {neg3}{src3}" [D_D CDST R1_D R3_D NEG13 RND16] double(F64, F64) "f64 sum" "4.5, 7.4";
    Dmul NVA0 (0, 0xe000_0000, 0xe000_0000, 0x8000_0000) "mul {rnd} f64 {cdst}{dst} {neg}{src1} {src2}" [D_D CDST R1_D R2_D NEG RND49] double(F64, F64) "f64 product" "4.5, 7.4";
    Dmin NVA0 (0, 0xe000_0000, 0xe000_0000, 0xa000_0000) "min f64 {cdst}{dst} {neg1}{abs1}{src1} {neg2}{abs2}{src2}" [D_D CDST R1_D R2_D NEGABS] double(F64, F64) "the smaller f64" "4.5, 7.4";
    Dmax NVA0 (0, 0xe000_0000, 0xe000_0000, 0xc000_0000) "max f64 {cdst}{dst} {neg1}{abs1}{src1} {neg2}{abs2}{src2}" [D_D CDST R1_D R2_D NEGABS] double(F64, F64) "the larger f64" "4.5, 7.4";
    Dset NVA0 (0, 0xe000_0000, 0xe000_0000, 0xe000_0000) "set {cdst}{dst} {cond} f64 {neg1}{abs1}{src1} {neg2}{abs2}{src2}" [DO_S CDST R1_D R2_D NEGABS COND4] double(F64, F64) "f64 compare: all ones or 0" "4.5, 7.4";
};
