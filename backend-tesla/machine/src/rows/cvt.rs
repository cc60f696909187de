//! Conversions (reference section 4.4): one row per pair of types. Columns: see [`long!`](super).

use super::*;
use crate::types::{ANY, NVA0};

const NEG: &[S] = &[flag("neg", 61, "neg")];
const ABS: &[S] = &[flag("abs", 52, "abs")];
const SAT: &[S] = &[flag("sat", 51, "sat")];
const RND: &[S] = &[mod_("rnd", f(49, 2), Kind::Enum(ROUND))];
const RNDI: &[S] = &[mod_("rnd", f(49, 2), Kind::Enum(ROUND_INT))];
const SAT_RND: &[S] = slots![SAT RND];

const fn convert(ty: Ty, src: Ty) -> Does {
    does(Effects::pure(24), Unit::Alu, 4, ty, src)
}

/// To each type of a row from each integer of at most 32 bits. Columns: opcode, mask and value of the second word with 0 for the source,
/// text in front of the type, type, destination, modifiers. Bytes stand in a half or in a whole register.
macro_rules! from_integers {
    ($($op:ident $mask:literal $value:literal $mods:literal $to:literal $ty:ident $dst:ident $set:ident;)*) => {
        [$(from_integers! { $op $mask $value $mods $to $ty $dst $set:
            0x0000_0000 "u16" U16 S1_H;
            0x0000_4000 "u32" U32 S1_S;
            0x0000_8000 "u8" U8 S1_H;
            0x0000_c000 "u8" U8 S1_S;
            0x0001_0000 "s16" S16 S1_H;
            0x0001_4000 "s32" S32 S1_S;
            0x0001_8000 "s8" S8 S1_H;
            0x0001_c000 "s8" S8 S1_S;
        }),*].as_flattened()
    };
    ($op:ident $mask:literal $value:literal $mods:literal $to:literal $ty:ident $dst:ident $set:ident:
     $($bits:literal $from:literal $src_ty:ident $src:ident;)*) => {
        [$(form!(
            Op::$op, concat!("cvt {neg}{abs}", $mods, $to, " {cdst}{dst} ", $from, " {src1}"), 8,
            long_bits(ANY, 0, 0xa000_0000, $mask, $value | $bits), [PRE $dst CDST $src AINC M23 M24 NEG ABS $set],
            convert(Ty::$ty, Ty::$src_ty), concat!($to, " from ", $from), "4.4, 7.5"
        ).except(IMM_FORM)),*]
    };
}

/// Conversions of integers to types of at most 32 bits.
pub const INTEGERS: &[R] = from_integers! {
    CvtII 0xcc49_c000 0x0000_0000 ""            "u16" U16 DO_H NO_SLOTS;
    CvtII 0xcc49_c000 0x0008_0000 ""            "u8"  U8  DO_H NO_SLOTS;
    CvtII 0xcc49_c000 0x0400_0000 ""            "u32" U32 DO_S NO_SLOTS;
    CvtII 0xcc49_c000 0x0408_0000 ""            "u8"  U8  DO_S NO_SLOTS;
    CvtII 0xcc49_c000 0x0800_0000 ""            "s16" S16 DO_H NO_SLOTS;
    CvtII 0xcc49_c000 0x0808_0000 ""            "s8"  S8  DO_H NO_SLOTS;
    CvtII 0xcc49_c000 0x0c00_0000 ""            "s32" S32 DO_S NO_SLOTS;
    CvtII 0xcc49_c000 0x0c08_0000 ""            "s8"  S8  DO_S NO_SLOTS;
    CvtIF 0xcc41_c000 0x4000_0000 "{sat}{rnd} " "f16" F16 DO_H SAT_RND;
    CvtIF 0xcc41_c000 0x4400_0000 "{sat}{rnd} " "f32" F32 DO_S SAT_RND;
};

/// The other conversions, by opcode and types.
pub const ROWS: &[R] = long! {
    CvtIF   NVA0 (0, 0xa000_0000, 0xcc41_c000, 0x4040_4000) "cvt {neg}{abs}{sat}{rnd} f32 {cdst}{dst} u64 {src1}" [DO_S CDST R1_D NEG ABS SAT RND] double(F32, U64) "f32 from u64" "4.4, 7.5";
    CvtIF   NVA0 (0, 0xa000_0000, 0xcc41_c000, 0x4041_4000) "cvt {neg}{abs}{sat}{rnd} f32 {cdst}{dst} s64 {src1}" [DO_S CDST R1_D NEG ABS SAT RND] double(F32, S64) "f32 from s64" "4.4, 7.5";
    CvtIF   NVA0 (0, 0xa000_0000, 0xcc41_c000, 0x4440_0000) "cvt {neg}{abs}{sat}{rnd} f64 {cdst}{dst} u32 {src1}" [D_D CDST S1_S AINC M23 M24 NEG ABS SAT RND] double(F64, U32) "f64 from u32" "4.4, 7.5";
    CvtIF   NVA0 (0, 0xa000_0000, 0xcc41_c000, 0x4441_0000) "cvt {neg}{abs}{sat}{rnd} f64 {cdst}{dst} s32 {src1}" [D_D CDST S1_S AINC M23 M24 NEG ABS SAT RND] double(F64, S32) "f64 from s32" "4.4, 7.5";
    CvtIF   NVA0 (0, 0xa000_0000, 0xcc41_c000, 0x4440_4000) "cvt {neg}{abs}{sat}{rnd} f64 {cdst}{dst} u64 {src1}" [D_D CDST R1_D NEG ABS SAT RND] double(F64, U64) "f64 from u64" "4.4, 7.5";
    CvtIF   NVA0 (0, 0xa000_0000, 0xcc41_c000, 0x4441_4000) "cvt {neg}{abs}{sat}{rnd} f64 {cdst}{dst} s64 {src1}" [D_D CDST R1_D NEG ABS SAT RND] double(F64, S64) "f64 from s64" "4.4, 7.5";
    CvtFI   ANY  (0, 0xa000_0000, 0xcc49_c000, 0x8000_0000) "cvt {neg}{abs}{rnd} u16 {cdst}{dst} f16 {src1}" [DO_H CDST S1_H AINC M23 M24 NEG ABS RNDI] convert(U16, F16) "u16 from f16" "4.4, 7.5";
    CvtFI   ANY  (0, 0xa000_0000, 0xcc49_c000, 0x8000_4000) "cvt {neg}{abs}{rnd} u16 {cdst}{dst} f32 {src1}" [DO_H CDST S1_S AINC M23 M24 NEG ABS RNDI] convert(U16, F32) "u16 from f32" "4.4, 7.5";
    CvtFI   ANY  (0, 0xa000_0000, 0xcc49_c000, 0x8800_0000) "cvt {neg}{abs}{rnd} s16 {cdst}{dst} f16 {src1}" [DO_H CDST S1_H AINC M23 M24 NEG ABS RNDI] convert(S16, F16) "s16 from f16" "4.4, 7.5";
    CvtFI   ANY  (0, 0xa000_0000, 0xcc49_c000, 0x8800_4000) "cvt {neg}{abs}{rnd} s16 {cdst}{dst} f32 {src1}" [DO_H CDST S1_S AINC M23 M24 NEG ABS RNDI] convert(S16, F32) "s16 from f32" "4.4, 7.5";
    CvtFI   ANY  (0, 0xa000_0000, 0xcc49_c000, 0x8400_0000) "cvt {neg}{abs}{rnd} u32 {cdst}{dst} f16 {src1}" [DO_S CDST S1_H AINC M23 M24 NEG ABS RNDI] convert(U32, F16) "u32 from f16" "4.4, 7.5";
    CvtFI   ANY  (0, 0xa000_0000, 0xcc49_c000, 0x8400_4000) "cvt {neg}{abs}{rnd} u32 {cdst}{dst} f32 {src1}" [DO_S CDST S1_S AINC M23 M24 NEG ABS RNDI] convert(U32, F32) "u32 from f32" "4.4, 7.5";
    CvtFI   ANY  (0, 0xa000_0000, 0xcc49_c000, 0x8c00_0000) "cvt {neg}{abs}{rnd} s32 {cdst}{dst} f16 {src1}" [DO_S CDST S1_H AINC M23 M24 NEG ABS RNDI] convert(S32, F16) "s32 from f16" "4.4, 7.5";
    CvtFI   ANY  (0, 0xa000_0000, 0xcc49_c000, 0x8c00_4000) "cvt {neg}{abs}{rnd} s32 {cdst}{dst} f32 {src1}" [DO_S CDST S1_S AINC M23 M24 NEG ABS RNDI] convert(S32, F32) "s32 from f32" "4.4, 7.5";
    CvtFI   NVA0 (0, 0xa000_0000, 0xcc49_c000, 0x8040_4000) "cvt {neg}{abs}{rnd} u32 {cdst}{dst} f64 {src1}" [DO_S CDST R1_D NEG ABS RNDI] double(U32, F64) "u32 from f64" "4.4, 7.5";
    CvtFI   NVA0 (0, 0xa000_0000, 0xcc49_c000, 0x8840_4000) "cvt {neg}{abs}{rnd} s32 {cdst}{dst} f64 {src1}" [DO_S CDST R1_D NEG ABS RNDI] double(S32, F64) "s32 from f64" "4.4, 7.5";
    CvtFI   NVA0 (0, 0xa000_0000, 0xcc49_c000, 0x8440_0000) "cvt {neg}{abs}{rnd} u64 {cdst}{dst} f32 {src1}" [D_D CDST S1_S AINC M23 M24 NEG ABS RNDI] double(U64, F32) "u64 from f32" "4.4, 7.5";
    CvtFI   NVA0 (0, 0xa000_0000, 0xcc49_c000, 0x8c40_0000) "cvt {neg}{abs}{rnd} s64 {cdst}{dst} f32 {src1}" [D_D CDST S1_S AINC M23 M24 NEG ABS RNDI] double(S64, F32) "s64 from f32" "4.4, 7.5";
    CvtFI   NVA0 (0, 0xa000_0000, 0xcc49_c000, 0x8440_4000) "cvt {neg}{abs}{rnd} u64 {cdst}{dst} f64 {src1}" [D_D CDST R1_D NEG ABS RNDI] double(U64, F64) "u64 from f64" "4.4, 7.5";
    CvtFI   NVA0 (0, 0xa000_0000, 0xcc49_c000, 0x8c40_4000) "cvt {neg}{abs}{rnd} s64 {cdst}{dst} f64 {src1}" [D_D CDST R1_D NEG ABS RNDI] double(S64, F64) "s64 from f64" "4.4, 7.5";
    CvtFF   ANY  (0, 0xa000_0000, 0xcc41_c000, 0xc000_0000) "cvt {neg}{abs}{sat}f16 {cdst}{dst} f16 {src1}" [DO_H CDST S1_H AINC M23 M24 NEG ABS SAT] convert(F16, F16) "f16 from f16" "4.4, 7.5";
    CvtFF   ANY  (0, 0xa000_0000, 0xcc41_c000, 0xc000_4000) "cvt {neg}{abs}{sat}{rnd} f16 {cdst}{dst} f32 {src1}" [DO_H CDST S1_S AINC M23 M24 NEG ABS SAT RND] convert(F16, F32) "f16 from f32" "4.4, 7.5";
    CvtFF   ANY  (0, 0xa000_0000, 0xcc41_c000, 0xc400_0000) "cvt {neg}{abs}{sat}f32 {cdst}{dst} f16 {src1}" [DO_S CDST S1_H AINC M23 M24 NEG ABS SAT] convert(F32, F16) "f32 from f16" "4.4, 7.5";
    CvtFF   ANY  (0, 0xa000_0000, 0xcc41_c000, 0xc400_4000) "cvt {neg}{abs}{sat}f32 {cdst}{dst} f32 {src1}" [DO_S CDST S1_S AINC M23 M24 NEG ABS SAT] convert(F32, F32) "f32 from f32" "4.4, 7.5";
    CvtRint ANY  (0, 0xa000_0000, 0xcc41_c000, 0xc800_0000) "cvt {neg}{abs}{sat}{rnd} f16 {cdst}{dst} f16 {src1}" [DO_H CDST S1_H AINC M23 M24 NEG ABS SAT RNDI] convert(F16, F16) "f16 from f16" "4.4, 7.5";
    CvtRint ANY  (0, 0xa000_0000, 0xcc41_c000, 0xcc00_4000) "cvt {neg}{abs}{sat}{rnd} f32 {cdst}{dst} f32 {src1}" [DO_S CDST S1_S AINC M23 M24 NEG ABS SAT RNDI] convert(F32, F32) "f32 from f32" "4.4, 7.5";
    CvtFF   NVA0 (0, 0xa000_0000, 0xcc49_c000, 0xc040_4000) "cvt {neg}{abs}{rnd} f32 {cdst}{dst} f64 {src1}" [DO_S CDST R1_D NEG ABS RND] double(F32, F64) "f32 from f64" "4.4, 7.5";
    CvtFF   NVA0 (0, 0xa000_0000, 0xcc49_c000, 0xc440_0000) "cvt {neg}{abs}f64 {cdst}{dst} f32 {src1}" [D_D CDST S1_S AINC M23 M24 NEG ABS] double(F64, F32) "f64 from f32" "4.4, 7.5";
    CvtFF   NVA0 (0, 0xa000_0000, 0xcc49_c000, 0xc440_4000) "cvt {neg}{abs}f64 {cdst}{dst} f64 {src1}" [D_D CDST R1_D NEG ABS] double(F64, F64) "f64 from f64" "4.4, 7.5";
    CvtRint NVA0 (0, 0xa000_0000, 0xcc49_c000, 0xcc40_4000) "cvt {neg}{abs}{rnd} f64 {cdst}{dst} f64 {src1}" [D_D CDST R1_D NEG ABS RNDI] double(F64, F64) "f64 from f64" "4.4, 7.5";
};
