//! Short and immediate forms (reference sections 2.2, 2.3 and 3).
//!
//! Columns: see [`short!`](super).

use super::texture::{DERIVED, TEXELS, tex};
use super::*;
use crate::types::{ANY, SM11, SM12, Space};
use gpucc_isa::stage::FS;

const SFU: &[S] = &[flag("sfu", 17, "sfu")];
const SAT: &[S] = &[flag("sat", 8, "sat")];
const NEG: &[S] = &[flag("neg", 22, "neg")];
const ABS: &[S] = &[flag("abs", 15, "abs")];
const NEG1: &[S] = &[flag("neg1", 15, "neg")];
const NEG2: &[S] = &[flag("neg2", 22, "neg")];
const NEG3: &[S] = &[flag("neg3", 22, "neg")];
const NOT1: &[S] = &[flag("not1", 22, "not")];
const SIGN1: &[S] = &[mod_("s1", f(15, 1), Kind::Enum(&["u16", "s16"]))];
const SIGN2: &[S] = &[mod_("s2", f(8, 1), Kind::Enum(&["u16", "s16"]))];
const SIGN16: &[S] = &[mod_("s", f(8, 1), Kind::Enum(&["u16", "s16"]))];
const SIGN32: &[S] = &[mod_("s", f(8, 1), Kind::Enum(&["u32", "s32"]))];
const SIGN24: &[S] = &[mod_("s", f(15, 1), Kind::Enum(&["u24", "s24"]))];
const HIGH: &[S] = &[flag("high", 8, "high")];
const ADDOP: &[S] = &[mod_("addop", Field::split(&[(22, 1), (28, 1)]), Kind::Enum(ADDOPS))];
const VARYING: &[S] = &[use_("a", f(26, 2), Kind::A), use_("mem", f(16, 8), Kind::Mem(Space::Varying, 4))];
const CENT: &[S] = &[flag("cent", 24, "cent")];
const TEX: &[S] = &[
    def("base", f(2, 6), Kind::Base),
    def("dvec", Field::none(), Kind::DVec4),
    imm("tex", f(9, 8), Kind::Tex),
    imm("samp", f(17, 5), Kind::Samp),
    use_("svec", f(22, 2), Kind::SVec),
    mod_("live", f(8, 1), Kind::Enum(&["all", "live"])),
];
/// The carry of the first flag register.
const C0: &[Implicit] = &[Implicit::read("$c0")];

/// Short forms and short control.
pub const ROWS: &[R] = short! { 4, 0, 0, 0:
    Mov        ANY  (0xf000_8000, 0x1000_0000) "mov {sfu}b16 {dst} {src1}" [SD_H SS1_H M23 SADDR SFU] alu(B16) "copy of 16 bits";
    Mov        ANY  (0xf000_8000, 0x1000_8000) "mov {sfu}b32 {dst} {src1}" [SD_S SS1_S M23 SADDR SFU] alu(B32) "copy of 32 bits";
    Add        ANY  (0xf040_8000, 0x2000_0000) "add {sat}b16 {dst} {src1} {src2}" [SD_H SS1_H SS2_H SADDR SAT] alu(B16) "16-bit integer addition family";
    Add        ANY  (0xf040_8000, 0x2000_8000) "add {sat}b32 {dst} {src1} {src2}" [SD_S SS1_S SS2_S SADDR SAT] alu(B32) "32-bit integer addition family";
    Sub        ANY  (0xf040_8000, 0x2040_0000) "sub {sat}b16 {dst} {src1} {src2}" [SD_H SS1_H SS2_H SADDR SAT] alu(B16) "16-bit integer addition family";
    Sub        ANY  (0xf040_8000, 0x2040_8000) "sub {sat}b32 {dst} {src1} {src2}" [SD_S SS1_S SS2_S SADDR SAT] alu(B32) "32-bit integer addition family";
    Subr       ANY  (0xf040_8000, 0x3000_0000) "subr {sat}b16 {dst} {src1} {src2}" [SD_H SS1_H SS2_H SADDR SAT] alu(B16) "16-bit integer addition family";
    Subr       ANY  (0xf040_8000, 0x3000_8000) "subr {sat}b32 {dst} {src1} {src2}" [SD_S SS1_S SS2_S SADDR SAT] alu(B32) "32-bit integer addition family";
    Addc       ANY  (0xf040_8000, 0x3040_0000) "addc {sat}b16 {dst} {src1} {src2} $c0" [SD_H SS1_H SS2_H SADDR SAT] alu(B16) "16-bit integer addition family" .implicit(C0);
    Addc       ANY  (0xf040_8000, 0x3040_8000) "addc {sat}b32 {dst} {src1} {src2} $c0" [SD_S SS1_S SS2_S SADDR SAT] alu(B32) "32-bit integer addition family" .implicit(C0);
    Mul16      ANY  (0xf040_0000, 0x4000_0000) "mul {dst} {s1} {src1} {s2} {src2}" [SD_S SS1_H SS2_H SADDR SIGN1 SIGN2] alu(B32) "16 x 16 bit product";
    Mul24      ANY  (0xf040_0000, 0x4040_0000) "mul {dst} {high}{s} {src1} {src2}" [SD_S SS1_S SS2_S SADDR HIGH SIGN24] alu(B32) "24 x 24 bit product, bits 0-31 or 16-47";
    Sad        ANY  (0xf000_8000, 0x5000_0000) "sad {dst} {s} {src1} {src2} {src3}" [SD_S SR1_H SR2_H SAME SIGN16] alu(U16) "absolute difference of 16-bit values, added to the destination";
    Sad        ANY  (0xf000_8000, 0x5000_8000) "sad {dst} {s} {src1} {src2} {src3}" [SD_S SR1_S SR2_S SAME SIGN32] alu(U32) "absolute difference, added to the destination";
    MadU16     ANY  (0xe000_8100, 0x6000_0000) "{addop} {dst} (mul u16 {src1} {src2}) {src3}{cin}" [SD_S SS1_H SS2_H SAME SADDR ADDOP CIN] alu(B32) "multiply and add; the third source is the destination";
    MadS16     ANY  (0xe000_8100, 0x6000_0100) "{addop} {dst} (mul s16 {src1} {src2}) {src3}{cin}" [SD_S SS1_H SS2_H SAME SADDR ADDOP CIN] alu(B32) "multiply and add; the third source is the destination";
    MadSatS16  ANY  (0xe000_8100, 0x6000_8000) "{addop} sat {dst} (mul s16 {src1} {src2}) {src3}{cin}" [SD_S SS1_H SS2_H SAME SADDR ADDOP CIN] alu(B32) "multiply and add; the third source is the destination";
    MadU24     ANY  (0xe000_8100, 0x6000_8100) "{addop} {dst} (mul u24 {src1} {src2}) {src3}{cin}" [SD_S SS1_S SS2_S SAME SADDR ADDOP CIN] alu(B32) "multiply and add; the third source is the destination";
    Interp     ANY  (0xf200_0100, 0x8000_0000) "interp {dst} {cent}{mem}" [SD_S VARYING CENT] sfu(F32) "interpolated input" .stages(FS);
    InterpMul  ANY  (0xf200_0100, 0x8200_0000) "interp {dst} {cent}{mem} {src1}" [SD_S VARYING CENT SR1_S] sfu(F32) "interpolated input times a register" .stages(FS);
    InterpFlat ANY  (0xf300_0100, 0x8000_0100) "interp {dst} flat {mem}" [SD_S VARYING] sfu(F32) "flat input" .stages(FS);
    Rcp        ANY  (0xf000_0000, 0x9000_0000) "rcp f32 {dst} {neg}{abs}{src1}" [SD_S SR1_S NEG ABS] sfu(F32) "reciprocal";
    Fadd       ANY  (0xf000_0000, 0xb000_0000) "add {sat}f32 {dst} {neg1}{src1} {neg2}{src2}" [SD_S SS1_S SS2_S SADDR SAT NEG1 NEG2] alu(F32) "f32 sum, round to nearest";
    Fmul       ANY  (0xf000_0100, 0xc000_0000) "mul f32 {dst} {neg1}{src1} {neg2}{src2}" [SD_S SS1_S SS2_S SADDR NEG1 NEG2] alu(F32) "f32 product, round to nearest";
    FmulSat    SM12 (0xf000_0100, 0xc000_0100) "mul sat f32 {dst} {neg1}{src1} {neg2}{src2}" [SD_S SS1_S SS2_S SADDR NEG1 NEG2] alu(F32) "f32 product, clamped to 0..1";
    Fmad       ANY  (0xf000_0000, 0xe000_0000) "add {sat}f32 {dst} {neg1}(mul {src1} {src2}) {neg3}{src3}" [SD_S SS1_S SS2_S SAME SADDR SAT NEG1 NEG3] alu(F32) "f32 multiply-add, product truncated; the third source is the destination";
    TexAuto    ANY  (0xff00_0000, 0xf000_0000) "texauto {live} {dvec} {tex} {samp} {svec}" [TEX] tex(DERIVED) "texture sample, level from derivatives";
    TexFetch   ANY  (0xff00_0000, 0xf100_0000) "texfetch {live} {dvec} {tex} {samp} {svec}" [TEX] tex(TEXELS) "texel fetch";
    Trap       ANY  (0xffff_fffc, 0x9000_0002) "trap" [] control(BRANCH) "end the program with an error";
    Brkpt      SM11 (0xffff_fffc, 0xb000_0002) "brkpt" [] control(KEPT) "breakpoint; no effect";
};

/// Immediate forms: no predicate, no flags, no exit or join.
pub const IMMEDIATE: &[R] = short! { 8, 1, 0xf000_0003, 3:
    Mov       ANY  (0xf000_8000, 0x1000_0000) "mov b16 {dst} {imm}" [D_H IMM] alu(B16) "16-bit constant (low half)";
    Mov       ANY  (0xf000_8000, 0x1000_8000) "mov b32 {dst} {imm}" [D_S IMM] alu(B32) "32-bit constant";
    Add       ANY  (0xf040_8000, 0x2000_0000) "add {sat}b16 {dst} {src1} {imm}" [SD_H IS1_H SADDR SAT IMM] alu(B16) "16-bit integer addition family, immediate (low half)";
    Add       ANY  (0xf040_8000, 0x2000_8000) "add {sat}b32 {dst} {src1} {imm}" [SD_S IS1_S SADDR SAT IMM] alu(B32) "32-bit integer addition family, immediate";
    Sub       ANY  (0xf040_8000, 0x2040_0000) "sub {sat}b16 {dst} {src1} {imm}" [SD_H IS1_H SADDR SAT IMM] alu(B16) "16-bit integer addition family, immediate (low half)";
    Sub       ANY  (0xf040_8000, 0x2040_8000) "sub {sat}b32 {dst} {src1} {imm}" [SD_S IS1_S SADDR SAT IMM] alu(B32) "32-bit integer addition family, immediate";
    Subr      ANY  (0xf040_8000, 0x3000_0000) "subr {sat}b16 {dst} {src1} {imm}" [SD_H IS1_H SADDR SAT IMM] alu(B16) "16-bit integer addition family, immediate (low half)";
    Subr      ANY  (0xf040_8000, 0x3000_8000) "subr {sat}b32 {dst} {src1} {imm}" [SD_S IS1_S SADDR SAT IMM] alu(B32) "32-bit integer addition family, immediate";
    Addc      ANY  (0xf040_8000, 0x3040_0000) "addc {sat}b16 {dst} {src1} {imm} $c0" [SD_H IS1_H SADDR SAT IMM] alu(B16) "16-bit integer addition family, immediate (low half)" .implicit(C0);
    Addc      ANY  (0xf040_8000, 0x3040_8000) "addc {sat}b32 {dst} {src1} {imm} $c0" [SD_S IS1_S SADDR SAT IMM] alu(B32) "32-bit integer addition family, immediate" .implicit(C0);
    Mul16     ANY  (0xf040_0000, 0x4000_0000) "mul {dst} {s1} {src1} {s2} {imm}" [SD_S IS1_H SADDR SIGN1 SIGN2 IMM] alu(B32) "16 x 16 bit product with the low half of an immediate";
    Mul24     ANY  (0xf040_0000, 0x4040_0000) "mul {dst} {high}{s} {src1} {imm}" [SD_S IS1_S SADDR HIGH SIGN24 IMM] alu(B32) "24 x 24 bit product with an immediate";
    MadU16    ANY  (0xe000_8100, 0x6000_0000) "{addop} {dst} (mul u16 {src1} {imm}) {src3}{cin}" [SD_S IS1_H IMM SAME SADDR ADDOP CIN] alu(B32) "multiply by an immediate and add; the third source is the destination";
    MadS16    ANY  (0xe000_8100, 0x6000_0100) "{addop} {dst} (mul s16 {src1} {imm}) {src3}{cin}" [SD_S IS1_H IMM SAME SADDR ADDOP CIN] alu(B32) "multiply by an immediate and add; the third source is the destination";
    MadSatS16 ANY  (0xe000_8100, 0x6000_8000) "{addop} sat {dst} (mul s16 {src1} {imm}) {src3}{cin}" [SD_S IS1_H IMM SAME SADDR ADDOP CIN] alu(B32) "multiply by an immediate and add; the third source is the destination";
    MadU24    ANY  (0xe000_8100, 0x6000_8100) "{addop} {dst} (mul u24 {src1} {imm}) {src3}{cin}" [SD_S IS1_S IMM SAME SADDR ADDOP CIN] alu(B32) "multiply by an immediate and add; the third source is the destination";
    Fadd      ANY  (0xf000_0000, 0xb000_0000) "add {sat}f32 {dst} {neg1}{src1} {neg2}{imm}" [SD_S IS1_S SADDR SAT NEG1 NEG2 IMM] alu(F32) "f32 sum with an immediate";
    Fmul      ANY  (0xf000_0100, 0xc000_0000) "mul f32 {dst} {neg1}{src1} {neg2}{imm}" [SD_S IS1_S SADDR NEG1 NEG2 IMM] alu(F32) "f32 product with an immediate";
    FmulSat   SM12 (0xf000_0100, 0xc000_0100) "mul sat f32 {dst} {neg1}{src1} {neg2}{imm}" [SD_S IS1_S SADDR NEG1 NEG2 IMM] alu(F32) "f32 product with an immediate, clamped to 0..1";
    Fmad      ANY  (0xf000_0000, 0xe000_0000) "add {sat}f32 {dst} {neg1}(mul {src1} {imm}) {neg3}{src3}" [SD_S IS1_S SADDR SAT NEG1 NEG3 IMM SAME] alu(F32) "f32 multiply-add with an immediate factor; the third source is the destination";
    And       ANY  (0xf000_8100, 0xd000_0000) "and b32 {dst} {not1}{src1} {imm}" [SD_S IS1_S SADDR NOT1 IMM] alu(B32) "bitwise operation with an immediate";
    Or        ANY  (0xf000_8100, 0xd000_0100) "or b32 {dst} {not1}{src1} {imm}" [SD_S IS1_S SADDR NOT1 IMM] alu(B32) "bitwise operation with an immediate";
    Xor       ANY  (0xf000_8100, 0xd000_8000) "xor b32 {dst} {not1}{src1} {imm}" [SD_S IS1_S SADDR NOT1 IMM] alu(B32) "bitwise operation with an immediate";
    Mov2      ANY  (0xf000_8100, 0xd000_8100) "mov2 b32 {dst} {not1}{src1} {imm}" [SD_S IS1_S SADDR NOT1 IMM] alu(B32) "bitwise operation with an immediate";
};
