//! Short and immediate forms (reference sections 2.2, 2.3 and 3).

use super::*;
use crate::types::{ANY, SM11, SM12};

const SFU: &[S] = &[flag("sfu", 17, "sfu")];
const SAT: &[S] = &[flag("sat", 8, "sat")];
const NEG1: &[S] = &[flag("neg1", 15, "neg")];
const NEG2: &[S] = &[flag("neg2", 22, "neg")];
const NEG3: &[S] = &[flag("neg3", 22, "neg")];
const SGN15: &[S] = &[mod_("s1", f(15, 1), Kind::Enum(&["u16", "s16"]))];
const SGN8: &[S] = &[mod_("s2", f(8, 1), Kind::Enum(&["u16", "s16"]))];
const S24: &[S] = &[mod_("s", f(15, 1), Kind::Enum(&["u24", "s24"]))];
const HIGH: &[S] = &[flag("high", 8, "high")];
const ADDOP: &[S] = &[mod_("addop", Field::split(&[(22, 1), (28, 1)]), Kind::Enum(ADDOPS))];
const VARYING: &[S] =
    &[use_("a", f(26, 2), Kind::A), use_("mem", f(16, 8), Kind::Mem(crate::types::Space::Varying, 4))];
const CENT: &[S] = &[flag("cent", 24, "cent")];

macro_rules! add_family {
    ($op:expr, $name:literal, $bits:expr, $tail:literal) => {
        [
            short!(
                $op,
                concat!($name, " {sat}b16 {dst} {src1} {src2}", $tail),
                ANY,
                (0xf040_8000, 0x2000_0000 | $bits),
                [SD_H, SS1_H, SS2_H, SADDR, SAT],
                alu(Ty::B16),
                "16-bit integer addition family"
            ),
            short!(
                $op,
                concat!($name, " {sat}b32 {dst} {src1} {src2}", $tail),
                ANY,
                (0xf040_8000, 0x2000_8000 | $bits),
                [SD_S, SS1_S, SS2_S, SADDR, SAT],
                alu(Ty::B32),
                "32-bit integer addition family"
            ),
        ]
    };
}

macro_rules! imm_add_family {
    ($op:expr, $name:literal, $bits:expr, $tail:literal) => {
        [
            immediate!(
                $op,
                concat!($name, " {sat}b16 {dst} {src1} {imm}", $tail),
                ANY,
                (0xf040_8000, 0x2000_0000 | $bits),
                [SD_H, IS1_H, SADDR, SAT, IMM],
                alu(Ty::B16),
                "16-bit integer addition family, immediate (low half)"
            ),
            immediate!(
                $op,
                concat!($name, " {sat}b32 {dst} {src1} {imm}", $tail),
                ANY,
                (0xf040_8000, 0x2000_8000 | $bits),
                [SD_S, IS1_S, SADDR, SAT, IMM],
                alu(Ty::B32),
                "32-bit integer addition family, immediate"
            ),
        ]
    };
}

macro_rules! mad {
    ($op:expr, $sat:literal, $ty:literal, $v:expr, $s1:expr, $s2:expr) => {
        short!(
            $op,
            concat!("{addop} ", $sat, "{dst} (mul ", $ty, " {src1} {src2}) {src3}{cin}"),
            ANY,
            (0xe000_8100, 0x6000_0000 | $v),
            [SD_S, $s1, $s2, SAME, SADDR, ADDOP, CIN],
            alu(Ty::B32),
            "multiply and add; the third source is the destination"
        )
    };
}

macro_rules! imm_mad {
    ($op:expr, $sat:literal, $ty:literal, $v:expr, $s1:expr) => {
        immediate!(
            $op,
            concat!("{addop} ", $sat, "{dst} (mul ", $ty, " {src1} {imm}) {src3}{cin}"),
            ANY,
            (0xe000_8100, 0x6000_0000 | $v),
            [SD_S, $s1, IMM, SAME, SADDR, ADDOP, CIN],
            alu(Ty::B32),
            "multiply by an immediate and add; the third source is the destination"
        )
    };
}

macro_rules! imm_logic {
    ($op:expr, $name:literal, $v:expr) => {
        immediate!(
            $op,
            concat!($name, " b32 {dst} {not1}{src1} {imm}"),
            ANY,
            (0xf000_8100, 0xd000_0000 | $v),
            [SD_S, IS1_S, SADDR, &[flag("not1", 22, "not")], IMM],
            alu(Ty::B32),
            "bitwise operation with an immediate"
        )
    };
}

const ADD: [R; 2] = add_family!(Op::Add, "add", 0, "");
const SUB: [R; 2] = add_family!(Op::Sub, "sub", 0x0040_0000, "");
const SUBR: [R; 2] = add_family!(Op::Subr, "subr", 0x1000_0000, "");
const ADDC: [R; 2] = carried(add_family!(Op::Addc, "addc", 0x1040_0000, " $c0"));
const IADD: [R; 2] = imm_add_family!(Op::Add, "add", 0, "");
const ISUB: [R; 2] = imm_add_family!(Op::Sub, "sub", 0x0040_0000, "");
const ISUBR: [R; 2] = imm_add_family!(Op::Subr, "subr", 0x1000_0000, "");
const IADDC: [R; 2] = carried(imm_add_family!(Op::Addc, "addc", 0x1040_0000, " $c0"));

/// Rows that read the carry of the first flag register.
const fn carried([half, whole]: [R; 2]) -> [R; 2] {
    const C0: &[Implicit] = &[Implicit::read("$c0")];
    [half.implicit(C0), whole.implicit(C0)]
}

/// Short forms and short control.
pub const ROWS: &[R] = &[
    short!(
        Op::Mov,
        "mov {sfu}b16 {dst} {src1}",
        ANY,
        (0xf000_8000, 0x1000_0000),
        [SD_H, SS1_H, M23, SADDR, SFU],
        alu(Ty::B16),
        "copy of 16 bits"
    ),
    short!(
        Op::Mov,
        "mov {sfu}b32 {dst} {src1}",
        ANY,
        (0xf000_8000, 0x1000_8000),
        [SD_S, SS1_S, M23, SADDR, SFU],
        alu(Ty::B32),
        "copy of 32 bits"
    ),
    ADD[0],
    ADD[1],
    SUB[0],
    SUB[1],
    SUBR[0],
    SUBR[1],
    ADDC[0],
    ADDC[1],
    short!(
        Op::Mul16,
        "mul {dst} {s1} {src1} {s2} {src2}",
        ANY,
        (0xf040_0000, 0x4000_0000),
        [SD_S, SS1_H, SS2_H, SADDR, SGN15, SGN8],
        alu(Ty::B32),
        "16 x 16 bit product"
    ),
    short!(
        Op::Mul24,
        "mul {dst} {high}{s} {src1} {src2}",
        ANY,
        (0xf040_0000, 0x4040_0000),
        [SD_S, SS1_S, SS2_S, SADDR, HIGH, S24],
        alu(Ty::B32),
        "24 x 24 bit product, bits 0-31 or 16-47"
    ),
    short!(
        Op::Sad,
        "sad {dst} {s} {src1} {src2} {src3}",
        ANY,
        (0xf000_8000, 0x5000_0000),
        [SD_S, SR1_H, SR2_H, SAME, &[mod_("s", f(8, 1), Kind::Enum(&["u16", "s16"]))]],
        alu(Ty::U16),
        "absolute difference of 16-bit values, added to the destination"
    ),
    short!(
        Op::Sad,
        "sad {dst} {s} {src1} {src2} {src3}",
        ANY,
        (0xf000_8000, 0x5000_8000),
        [SD_S, SR1_S, SR2_S, SAME, &[mod_("s", f(8, 1), Kind::Enum(&["u32", "s32"]))]],
        alu(Ty::U32),
        "absolute difference, added to the destination"
    ),
    mad!(Op::MadU16, "", "u16", 0, SS1_H, SS2_H),
    mad!(Op::MadS16, "", "s16", 0x100, SS1_H, SS2_H),
    mad!(Op::MadSatS16, "sat ", "s16", 0x8000, SS1_H, SS2_H),
    mad!(Op::MadU24, "", "u24", 0x8100, SS1_S, SS2_S),
    short!(
        Op::Interp,
        "interp {dst} {cent}{mem}",
        ANY,
        (0xf200_0100, 0x8000_0000),
        [SD_S, VARYING, CENT],
        sfu(Ty::F32),
        "interpolated input"
    )
    .stages(gpucc_isa::stage::FS),
    short!(
        Op::InterpMul,
        "interp {dst} {cent}{mem} {src1}",
        ANY,
        (0xf200_0100, 0x8200_0000),
        [SD_S, VARYING, CENT, SR1_S],
        sfu(Ty::F32),
        "interpolated input times a register"
    )
    .stages(gpucc_isa::stage::FS),
    short!(
        Op::InterpFlat,
        "interp {dst} flat {mem}",
        ANY,
        (0xf300_0100, 0x8000_0100),
        [SD_S, VARYING],
        sfu(Ty::F32),
        "flat input"
    )
    .stages(gpucc_isa::stage::FS),
    short!(
        Op::Rcp,
        "rcp f32 {dst} {neg}{abs}{src1}",
        ANY,
        (0xf000_0000, 0x9000_0000),
        [SD_S, SR1_S, &[flag("neg", 22, "neg"), flag("abs", 15, "abs")]],
        sfu(Ty::F32),
        "reciprocal"
    ),
    short!(
        Op::Fadd,
        "add {sat}f32 {dst} {neg1}{src1} {neg2}{src2}",
        ANY,
        (0xf000_0000, 0xb000_0000),
        [SD_S, SS1_S, SS2_S, SADDR, SAT, NEG1, NEG2],
        alu(Ty::F32),
        "f32 sum, round to nearest"
    ),
    short!(
        Op::Fmul,
        "mul f32 {dst} {neg1}{src1} {neg2}{src2}",
        ANY,
        (0xf000_0100, 0xc000_0000),
        [SD_S, SS1_S, SS2_S, SADDR, NEG1, NEG2],
        alu(Ty::F32),
        "f32 product, round to nearest"
    ),
    short!(
        Op::FmulSat,
        "mul sat f32 {dst} {neg1}{src1} {neg2}{src2}",
        SM12,
        (0xf000_0100, 0xc000_0100),
        [SD_S, SS1_S, SS2_S, SADDR, NEG1, NEG2],
        alu(Ty::F32),
        "f32 product, clamped to 0..1"
    ),
    short!(
        Op::Fmad,
        "add {sat}f32 {dst} {neg1}(mul {src1} {src2}) {neg3}{src3}",
        ANY,
        (0xf000_0000, 0xe000_0000),
        [SD_S, SS1_S, SS2_S, SAME, SADDR, SAT, NEG1, NEG3],
        alu(Ty::F32),
        "f32 multiply-add, product truncated; the third source is the destination"
    ),
    short!(
        Op::TexAuto,
        "texauto {live} {dvec} {tex} {samp} {svec}",
        ANY,
        (0xff00_0000, 0xf000_0000),
        [TEX],
        does(texture::DERIVED, Unit::Texture, 16, Ty::F32, Ty::F32),
        "texture sample, level from derivatives"
    ),
    short!(
        Op::TexFetch,
        "texfetch {live} {dvec} {tex} {samp} {svec}",
        ANY,
        (0xff00_0000, 0xf100_0000),
        [TEX],
        does(texture::TEXELS, Unit::Texture, 16, Ty::F32, Ty::F32),
        "texel fetch"
    ),
    short!(
        Op::Trap,
        "trap",
        ANY,
        (0xffff_fffc, 0x9000_0002),
        [NO_SLOTS],
        does(TRAP, Unit::Flow, 8, Ty::None, Ty::None),
        "end the program with an error"
    ),
    short!(
        Op::Brkpt,
        "brkpt",
        SM11,
        (0xffff_fffc, 0xb000_0002),
        [NO_SLOTS],
        does(Effects::kept(), Unit::Flow, 8, Ty::None, Ty::None),
        "breakpoint; no effect"
    ),
];

const TEX: &[S] = &[
    def("base", f(2, 6), Kind::Base),
    def("dvec", Field::none(), Kind::DVec4),
    imm("tex", f(9, 8), Kind::Tex),
    imm("samp", f(17, 5), Kind::Samp),
    use_("svec", f(22, 2), Kind::SVec),
    mod_("live", f(8, 1), Kind::Enum(&["all", "live"])),
];

/// Immediate forms: no predicate, no flags, no exit or join.
pub const IMMEDIATE: &[R] = &[
    immediate!(
        Op::Mov,
        "mov b16 {dst} {imm}",
        ANY,
        (0xf000_8000, 0x1000_0000),
        [&[def("dst", f(2, 7), Kind::Dst(Width::H))], IMM],
        alu(Ty::B16),
        "16-bit constant (low half)"
    ),
    immediate!(
        Op::Mov,
        "mov b32 {dst} {imm}",
        ANY,
        (0xf000_8000, 0x1000_8000),
        [D_S, IMM],
        alu(Ty::B32),
        "32-bit constant"
    ),
    IADD[0],
    IADD[1],
    ISUB[0],
    ISUB[1],
    ISUBR[0],
    ISUBR[1],
    IADDC[0],
    IADDC[1],
    immediate!(
        Op::Mul16,
        "mul {dst} {s1} {src1} {s2} {imm}",
        ANY,
        (0xf040_0000, 0x4000_0000),
        [SD_S, IS1_H, SADDR, SGN15, SGN8, IMM],
        alu(Ty::B32),
        "16 x 16 bit product with the low half of an immediate"
    ),
    immediate!(
        Op::Mul24,
        "mul {dst} {high}{s} {src1} {imm}",
        ANY,
        (0xf040_0000, 0x4040_0000),
        [SD_S, IS1_S, SADDR, HIGH, S24, IMM],
        alu(Ty::B32),
        "24 x 24 bit product with an immediate"
    ),
    imm_mad!(Op::MadU16, "", "u16", 0, IS1_H),
    imm_mad!(Op::MadS16, "", "s16", 0x100, IS1_H),
    imm_mad!(Op::MadSatS16, "sat ", "s16", 0x8000, IS1_H),
    imm_mad!(Op::MadU24, "", "u24", 0x8100, IS1_S),
    immediate!(
        Op::Fadd,
        "add {sat}f32 {dst} {neg1}{src1} {neg2}{imm}",
        ANY,
        (0xf000_0000, 0xb000_0000),
        [SD_S, IS1_S, SADDR, SAT, NEG1, NEG2, IMM],
        alu(Ty::F32),
        "f32 sum with an immediate"
    ),
    immediate!(
        Op::Fmul,
        "mul f32 {dst} {neg1}{src1} {neg2}{imm}",
        ANY,
        (0xf000_0100, 0xc000_0000),
        [SD_S, IS1_S, SADDR, NEG1, NEG2, IMM],
        alu(Ty::F32),
        "f32 product with an immediate"
    ),
    immediate!(
        Op::FmulSat,
        "mul sat f32 {dst} {neg1}{src1} {neg2}{imm}",
        SM12,
        (0xf000_0100, 0xc000_0100),
        [SD_S, IS1_S, SADDR, NEG1, NEG2, IMM],
        alu(Ty::F32),
        "f32 product with an immediate, clamped to 0..1"
    ),
    immediate!(
        Op::Fmad,
        "add {sat}f32 {dst} {neg1}(mul {src1} {imm}) {neg3}{src3}",
        ANY,
        (0xf000_0000, 0xe000_0000),
        [SD_S, IS1_S, SADDR, SAT, NEG1, NEG3, IMM, SAME],
        alu(Ty::F32),
        "f32 multiply-add with an immediate factor; the third source is the destination"
    ),
    imm_logic!(Op::And, "and", 0),
    imm_logic!(Op::Or, "or", 0x100),
    imm_logic!(Op::Xor, "xor", 0x8000),
    imm_logic!(Op::Mov2, "mov2", 0x8100),
];
