//! Rows: Vector compares, section 6.4.

use super::build::*;

/// The opcodes that stand `n` behind the first of a group.
const fn behind(mut codes: [u16; 3], n: u16) -> [u16; 3] {
    let mut g = 0;
    while g < 3 {
        if codes[g] != NO {
            codes[g] += n;
        }
        g += 1;
    }
    codes
}

/// All forms of a compare: its opcode, condition, the condition's word and number, the meaning, and what its group says.
macro_rules! compare {
    ($op:ident $test:ident $word:literal $n:literal $meaning:literal;
     {$stem:literal $ty:ident $name:literal [$($c:tt)*] $sig:literal $cycles:literal $imp:ident $tail:literal}) => {
        VectorDecl {
            decl: Decl {
                op: Op::$op, name: concat!($stem, $word, "_", $name), codes: behind(codes!($($c)*), $n), sig: sig($sig),
                doc: concat!("D := ", $meaning, " (", $name, ")", $tail), source: "6.4",
            },
            implicit: imp::v::$imp, unit: Unit::Valu, cycles: $cycles, operation: vector_operation!($test $ty),
        }.all(Format::Vopc, (0, 0), Suffix::SilentSdwa)
    };
}

macro_rules! floats {
    ($($group:tt:
       $f:ident $lt:ident $eq:ident $le:ident $gt:ident $lg:ident $ge:ident $o:ident
       $u:ident $nge:ident $nlg:ident $ngt:ident $nle:ident $neq:ident $nlt:ident $tru:ident;)*) => {
        [$(
            compare!($f F "f" 0 "never"; $group),
            compare!($lt Lt "lt" 1 "a < b"; $group),
            compare!($eq Eq "eq" 2 "a = b"; $group),
            compare!($le Le "le" 3 "a <= b"; $group),
            compare!($gt Gt "gt" 4 "a > b"; $group),
            compare!($lg Lg "lg" 5 "a < b or a > b"; $group),
            compare!($ge Ge "ge" 6 "a >= b"; $group),
            compare!($o O "o" 7 "ordered"; $group),
            compare!($u U "u" 8 "unordered"; $group),
            compare!($nge Nge "nge" 9 "not a >= b"; $group),
            compare!($nlg Nlg "nlg" 10 "not (a < b or a > b)"; $group),
            compare!($ngt Ngt "ngt" 11 "not a > b"; $group),
            compare!($nle Nle "nle" 12 "not a <= b"; $group),
            compare!($neq Neq "neq" 13 "not a = b"; $group),
            compare!($nlt Nlt "nlt" 14 "not a < b"; $group),
            compare!($tru Tru "tru" 15 "always"; $group),
        )*].as_flattened()
    };
}

macro_rules! integers {
    ($($group:tt: $f:ident $lt:ident $eq:ident $le:ident $gt:ident $ne:ident $ge:ident $t:ident;)*) => {
        [$(
            compare!($f F "f" 0 "never"; $group),
            compare!($lt Lt "lt" 1 "a < b"; $group),
            compare!($eq Eq "eq" 2 "a = b"; $group),
            compare!($le Le "le" 3 "a <= b"; $group),
            compare!($gt Gt "gt" 4 "a > b"; $group),
            compare!($ne Lg "ne" 5 "a != b"; $group),
            compare!($ge Ge "ge" 6 "a >= b"; $group),
            compare!($t Tru "t" 7 "always"; $group),
        )*].as_flattened()
    };
}

// Columns of a group: stem of the mnemonic, type, first opcode on gfx6, gfx7, gfx8, operand signature (see [`super::build`]), issue cycles,
// implicit state, what the meaning ends with; semantic opcodes in the order of the conditions.

/// Compares of floats.
pub(crate) static FLOATS: &[Form] = floats! {
    {"v_cmp_" F16 "f16" [- - 0x20] "m2 f1 f1 C S" 4 CMP ""}:
        VCmpFF16 VCmpLtF16 VCmpEqF16 VCmpLeF16 VCmpGtF16 VCmpLgF16 VCmpGeF16 VCmpOF16 VCmpUF16 VCmpNgeF16 VCmpNlgF16 VCmpNgtF16 VCmpNleF16 VCmpNeqF16 VCmpNltF16 VCmpTruF16;
    {"v_cmpx_" F16 "f16" [- - 0x30] "m2 f1 f1 C S" 4 CMPX ", EXEC := D"}:
        VCmpxFF16 VCmpxLtF16 VCmpxEqF16 VCmpxLeF16 VCmpxGtF16 VCmpxLgF16 VCmpxGeF16 VCmpxOF16 VCmpxUF16 VCmpxNgeF16 VCmpxNlgF16 VCmpxNgtF16 VCmpxNleF16 VCmpxNeqF16 VCmpxNltF16 VCmpxTruF16;
    {"v_cmp_" F32 "f32" [0x00 0x00 0x40] "m2 f1 f1 c S" 4 CMP ""}:
        VCmpFF32 VCmpLtF32 VCmpEqF32 VCmpLeF32 VCmpGtF32 VCmpLgF32 VCmpGeF32 VCmpOF32 VCmpUF32 VCmpNgeF32 VCmpNlgF32 VCmpNgtF32 VCmpNleF32 VCmpNeqF32 VCmpNltF32 VCmpTruF32;
    {"v_cmpx_" F32 "f32" [0x10 0x10 0x50] "m2 f1 f1 c S" 4 CMPX ", EXEC := D"}:
        VCmpxFF32 VCmpxLtF32 VCmpxEqF32 VCmpxLeF32 VCmpxGtF32 VCmpxLgF32 VCmpxGeF32 VCmpxOF32 VCmpxUF32 VCmpxNgeF32 VCmpxNlgF32 VCmpxNgtF32 VCmpxNleF32 VCmpxNeqF32 VCmpxNltF32 VCmpxTruF32;
    {"v_cmp_" F64 "f64" [0x20 0x20 0x60] "m2 f2 f2 c" 32 CMP ""}:
        VCmpFF64 VCmpLtF64 VCmpEqF64 VCmpLeF64 VCmpGtF64 VCmpLgF64 VCmpGeF64 VCmpOF64 VCmpUF64 VCmpNgeF64 VCmpNlgF64 VCmpNgtF64 VCmpNleF64 VCmpNeqF64 VCmpNltF64 VCmpTruF64;
    {"v_cmpx_" F64 "f64" [0x30 0x30 0x70] "m2 f2 f2 c" 32 CMPX ", EXEC := D"}:
        VCmpxFF64 VCmpxLtF64 VCmpxEqF64 VCmpxLeF64 VCmpxGtF64 VCmpxLgF64 VCmpxGeF64 VCmpxOF64 VCmpxUF64 VCmpxNgeF64 VCmpxNlgF64 VCmpxNgtF64 VCmpxNleF64 VCmpxNeqF64 VCmpxNltF64 VCmpxTruF64;
    {"v_cmps_" F32 "f32" [0x40 0x40 -] "m2 f1 f1" 4 CMP ", signal NaN"}:
        VCmpsFF32 VCmpsLtF32 VCmpsEqF32 VCmpsLeF32 VCmpsGtF32 VCmpsLgF32 VCmpsGeF32 VCmpsOF32 VCmpsUF32 VCmpsNgeF32 VCmpsNlgF32 VCmpsNgtF32 VCmpsNleF32 VCmpsNeqF32 VCmpsNltF32 VCmpsTruF32;
    {"v_cmpsx_" F32 "f32" [0x50 0x50 -] "m2 f1 f1" 4 CMPX ", signal NaN, EXEC := D"}:
        VCmpsxFF32 VCmpsxLtF32 VCmpsxEqF32 VCmpsxLeF32 VCmpsxGtF32 VCmpsxLgF32 VCmpsxGeF32 VCmpsxOF32 VCmpsxUF32 VCmpsxNgeF32 VCmpsxNlgF32 VCmpsxNgtF32 VCmpsxNleF32 VCmpsxNeqF32 VCmpsxNltF32 VCmpsxTruF32;
    {"v_cmps_" F64 "f64" [0x60 0x60 -] "m2 f2 f2" 32 CMP ", signal NaN"}:
        VCmpsFF64 VCmpsLtF64 VCmpsEqF64 VCmpsLeF64 VCmpsGtF64 VCmpsLgF64 VCmpsGeF64 VCmpsOF64 VCmpsUF64 VCmpsNgeF64 VCmpsNlgF64 VCmpsNgtF64 VCmpsNleF64 VCmpsNeqF64 VCmpsNltF64 VCmpsTruF64;
    {"v_cmpsx_" F64 "f64" [0x70 0x70 -] "m2 f2 f2" 32 CMPX ", signal NaN, EXEC := D"}:
        VCmpsxFF64 VCmpsxLtF64 VCmpsxEqF64 VCmpsxLeF64 VCmpsxGtF64 VCmpsxLgF64 VCmpsxGeF64 VCmpsxOF64 VCmpsxUF64 VCmpsxNgeF64 VCmpsxNlgF64 VCmpsxNgtF64 VCmpsxNleF64 VCmpsxNeqF64 VCmpsxNltF64 VCmpsxTruF64;
};

/// Compares of integers.
pub(crate) static INTEGERS: &[Form] = integers! {
    {"v_cmp_" I16 "i16" [- - 0xa0] "m2 x1 x1 S" 4 CMP ""}:
        VCmpFI16 VCmpLtI16 VCmpEqI16 VCmpLeI16 VCmpGtI16 VCmpNeI16 VCmpGeI16 VCmpTI16;
    {"v_cmpx_" I16 "i16" [- - 0xb0] "m2 x1 x1 S" 4 CMPX ", EXEC := D"}:
        VCmpxFI16 VCmpxLtI16 VCmpxEqI16 VCmpxLeI16 VCmpxGtI16 VCmpxNeI16 VCmpxGeI16 VCmpxTI16;
    {"v_cmp_" U16 "u16" [- - 0xa8] "m2 x1 x1 S" 4 CMP ""}:
        VCmpFU16 VCmpLtU16 VCmpEqU16 VCmpLeU16 VCmpGtU16 VCmpNeU16 VCmpGeU16 VCmpTU16;
    {"v_cmpx_" U16 "u16" [- - 0xb8] "m2 x1 x1 S" 4 CMPX ", EXEC := D"}:
        VCmpxFU16 VCmpxLtU16 VCmpxEqU16 VCmpxLeU16 VCmpxGtU16 VCmpxNeU16 VCmpxGeU16 VCmpxTU16;
    {"v_cmp_" I32 "i32" [0x80 0x80 0xc0] "m2 x1 x1 S" 4 CMP ""}:
        VCmpFI32 VCmpLtI32 VCmpEqI32 VCmpLeI32 VCmpGtI32 VCmpNeI32 VCmpGeI32 VCmpTI32;
    {"v_cmpx_" I32 "i32" [0x90 0x90 0xd0] "m2 x1 x1 S" 4 CMPX ", EXEC := D"}:
        VCmpxFI32 VCmpxLtI32 VCmpxEqI32 VCmpxLeI32 VCmpxGtI32 VCmpxNeI32 VCmpxGeI32 VCmpxTI32;
    {"v_cmp_" U32 "u32" [0xc0 0xc0 0xc8] "m2 x1 x1 S" 4 CMP ""}:
        VCmpFU32 VCmpLtU32 VCmpEqU32 VCmpLeU32 VCmpGtU32 VCmpNeU32 VCmpGeU32 VCmpTU32;
    {"v_cmpx_" U32 "u32" [0xd0 0xd0 0xd8] "m2 x1 x1 S" 4 CMPX ", EXEC := D"}:
        VCmpxFU32 VCmpxLtU32 VCmpxEqU32 VCmpxLeU32 VCmpxGtU32 VCmpxNeU32 VCmpxGeU32 VCmpxTU32;
    {"v_cmp_" I64 "i64" [0xa0 0xa0 0xe0] "m2 x2 x2" 8 CMP ""}:
        VCmpFI64 VCmpLtI64 VCmpEqI64 VCmpLeI64 VCmpGtI64 VCmpNeI64 VCmpGeI64 VCmpTI64;
    {"v_cmpx_" I64 "i64" [0xb0 0xb0 0xf0] "m2 x2 x2" 8 CMPX ", EXEC := D"}:
        VCmpxFI64 VCmpxLtI64 VCmpxEqI64 VCmpxLeI64 VCmpxGtI64 VCmpxNeI64 VCmpxGeI64 VCmpxTI64;
    {"v_cmp_" U64 "u64" [0xe0 0xe0 0xe8] "m2 x2 x2" 8 CMP ""}:
        VCmpFU64 VCmpLtU64 VCmpEqU64 VCmpLeU64 VCmpGtU64 VCmpNeU64 VCmpGeU64 VCmpTU64;
    {"v_cmpx_" U64 "u64" [0xf0 0xf0 0xf8] "m2 x2 x2" 8 CMPX ", EXEC := D"}:
        VCmpxFU64 VCmpxLtU64 VCmpxEqU64 VCmpxLeU64 VCmpxGtU64 VCmpxNeU64 VCmpxGeU64 VCmpxTU64;
};

// Columns: those of [`super::vector`].
vopc! {
    VCmpClassF32 "v_cmp_class_f32"   [0x88 0x88 0x10] "m2 f1 x1 S" CMP Valu 4 Class F32 "D := class of a is in mask b (f32)";
    VCmpxClassF32 "v_cmpx_class_f32" [0x98 0x98 0x11] "m2 f1 x1 S" CMPX Valu 4 Class F32 "D := class of a is in mask b (f32), EXEC := D";
    VCmpClassF64 "v_cmp_class_f64"   [0xa8 0xa8 0x12] "m2 f2 x1" CMP Valu 32 Class F64 "D := class of a is in mask b (f64)";
    VCmpxClassF64 "v_cmpx_class_f64" [0xb8 0xb8 0x13] "m2 f2 x1" CMPX Valu 32 Class F64 "D := class of a is in mask b (f64), EXEC := D";
    VCmpClassF16 "v_cmp_class_f16"   [- - 0x14] "m2 f1 x1 S" CMP Valu 4 Class F16 "D := class of a is in mask b (f16)";
    VCmpxClassF16 "v_cmpx_class_f16" [- - 0x15] "m2 f1 x1 S" CMPX Valu 4 Class F16 "D := class of a is in mask b (f16), EXEC := D";
}
