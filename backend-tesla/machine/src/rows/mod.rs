//! The table: one row per instruction form. Short, immediate and long forms of an operation share its opcode.
//!
//! Order matters to the assembler: of several forms that fit a text the first is taken, so short forms come first.

use crate::Tesla;
use crate::modifiers::{AddOp, Cond, Round};
use crate::types::{AtomOp, Attrs, Kind, Memory, Op, Ty, Unit, Width, pat};
use Ty::{B16, B32, B64, B128, F16, F32, F64, S8, S16, S32, S64, U8, U16, U32, U64};
use gpucc_isa::{Effects, Enc, Field, Implicit, OperandSpec, Role, Row, Word};

type S = OperandSpec<Tesla>;
type R = Row<Tesla>;

/// Fixed bits over a set of generations.
const fn enc(generations: u16, m0: u32, v0: u32, m1: u32, v1: u32) -> Enc {
    Enc { generations, mask: pat(m0, m1), value: pat(v0, v1) }
}

/// Fixed bits of a long form beyond its class.
const fn long_bits(generations: u16, m0: u32, v0: u32, m1: u32, v1: u32) -> Enc {
    enc(generations, 0xf000_0003 | m0, 1 | v0, m1, v1)
}

const fn f(lo: u8, width: u8) -> Field {
    Field::new(lo, width)
}

const fn use_(name: &'static str, field: Field, kind: Kind) -> S {
    OperandSpec::new(name, field, kind, Role::Use)
}

const fn def(name: &'static str, field: Field, kind: Kind) -> S {
    OperandSpec::new(name, field, kind, Role::Def)
}

const fn mod_(name: &'static str, field: Field, kind: Kind) -> S {
    OperandSpec::new(name, field, kind, Role::Mod)
}

const fn flag(name: &'static str, bit: u8, text: &'static str) -> S {
    OperandSpec::new(name, Field::new(bit, 1), Kind::Flag(text), Role::Mod)
}

const fn imm(name: &'static str, field: Field, kind: Kind) -> S {
    OperandSpec::new(name, field, kind, Role::Imm)
}

/// Value of array places until they are filled.
const FILLER: S = OperandSpec::new("", Field::none(), Kind::Ei, Role::Mod);

const fn total<T: Copy>(parts: &[&[T]]) -> usize {
    let mut n = 0;
    let mut i = 0;
    while i < parts.len() {
        n += parts[i].len();
        i += 1;
    }
    n
}

const fn join<T: Copy, const N: usize>(parts: &[&[T]], filler: T) -> [T; N] {
    let mut out = [filler; N];
    let mut at = 0;
    let mut i = 0;
    while i < parts.len() {
        let mut j = 0;
        while j < parts[i].len() {
            out[at] = parts[i][j];
            at += 1;
            j += 1;
        }
        i += 1;
    }
    out
}

/// Concatenates groups of slots.
macro_rules! slots {
    ($($p:ident)*) => {{
        const PARTS: &[&[S]] = &[$($p),*];
        const JOINED: [S; total(PARTS)] = join(PARTS, FILLER);
        &JOINED
    }};
}

/// One row.
macro_rules! form {
    ($op:expr, $text:expr, $bytes:literal, $enc:expr, [$($s:ident)*], $does:expr, $doc:expr, $source:expr) => {
        Row::new($op, $text, $bytes, const { &[$enc] }, $does.effects, $does.facts)
            .operands(slots![$($s)*])
            .doc($doc, $source)
    };
}

/// Long forms. Columns: opcode, generations, mask and value of the fixed bits of both words beyond primary opcode and class, text, operands
/// behind the predicate, unit and types, meaning, section of the reference; what else is set.
macro_rules! long {
    ($($op:ident$(($atomic:ident))? $on:ident ($m0:literal, $v0:literal, $m1:literal, $v1:literal) $text:literal [$($s:ident)*]
       $does:ident($($ty:tt)*) $doc:literal $source:literal $(.$set:ident($($value:tt)*))*;)*) => {
        &[$(form!(
            Op::$op$((AtomOp::$atomic))?, $text, 8, long_bits($on, $m0, $v0, $m1, $v1), [PRE $($s)*], $does($($ty)*), $doc, $source
        ).except(IMM_FORM)$(.$set($($value)*))*),*]
    };
}

/// Short and immediate forms: bytes, bit of the first word and fixed bits of the second that all have. Columns: opcode, generations, mask and
/// value of the fixed bits of the first word beyond the class, text, operands, unit and types, meaning; what else is set.
macro_rules! short {
    ($bytes:literal, $class:literal, $m1:literal, $v1:literal:
     $($op:ident $on:ident ($m0:literal, $v0:literal) $text:literal [$($s:ident)*] $does:ident($($ty:tt)*) $doc:literal
       $(.$set:ident($($value:tt)*))*;)*) => {
        &[$(form!(
            Op::$op, $text, $bytes, enc($on, 3 | $m0, $class | $v0, $m1, $v1), [$($s)*], $does($($ty)*), $doc, "3"
        )$(.$set($($value)*))*),*]
    };
}

/// Control instructions; the predicate bits of those that have none are ignored.
macro_rules! control {
    ($($op:ident $on:ident $primary:literal $predicate:ident $text:literal [$($s:ident)*] $effects:ident $doc:literal
       $(.$set:ident($($value:tt)*))*;)*) => {
        &[$(form!(
            Op::$op, $text, 8, enc($on, 0xf000_0003, 3 | $primary << 28, 0, 0), [$predicate $($s)*], control($effects), $doc, "4.8"
        ).ignored(if $predicate.is_empty() { pat(0, 0x3f80) } else { 0 })$(.$set($($value)*))*),*]
    };
}

// After the macros, which they use.
mod cvt;
mod flow;
mod long;
mod memory;
mod short;
mod texture;

/// Long words of the class "immediate" belong to the immediate rows.
const IMM_FORM: &[(Word, Word)] = &[(pat(0, 3), pat(0, 3))];

/// The effects of a row, and its cost.
#[derive(Clone, Copy)]
struct Does {
    effects: Effects,
    facts: Attrs,
}

/// `issue` clocks on a unit.
const fn does(effects: Effects, unit: Unit, issue: u8, ty: Ty, src: Ty) -> Does {
    Does { effects: effects.on(unit as u8), facts: Attrs { issue, ty, src } }
}

const fn alu(ty: Ty) -> Does {
    does(Effects::pure(24), Unit::Alu, 4, ty, ty)
}

/// Arithmetic that asks other lanes.
const fn between_lanes(ty: Ty) -> Does {
    does(Effects::pure(24).convergent(), Unit::Alu, 4, ty, ty)
}

const fn sfu(ty: Ty) -> Does {
    does(Effects::pure(28), Unit::Sfu, 16, ty, ty)
}

const fn double(ty: Ty, src: Ty) -> Does {
    does(Effects::pure(48), Unit::Double, 32, ty, src)
}

const fn control(effects: Effects) -> Does {
    does(effects, Unit::Flow, 8, Ty::None, Ty::None)
}

/// Also the end of a program, whatever else it says.
const BRANCH: Effects = Effects::branch();
const KEPT: Effects = Effects::kept();

// Slots shared by the classes. Bits of the second word are 32 and up.

const NO_SLOTS: &[S] = &[];
const PREDICATE: &[S] = &[mod_("pred", f(39, 5), Kind::Pred), use_("pcc", f(44, 2), Kind::CReg)];
const PRE: &[S] =
    &[mod_("ei", f(32, 2), Kind::Ei), mod_("pred", f(39, 5), Kind::Pred), use_("pcc", f(44, 2), Kind::CReg)];
const A3: Field = Field::split(&[(26, 2), (34, 1)]);
const A: &[S] = &[use_("a", A3, Kind::A)];
/// Addressing fields of long forms: `$a`, post-increment, number of the c[] space.
const ADDR: &[S] = &[use_("a", A3, Kind::A), mod_("inc", f(25, 1), Kind::Inc), mod_("cidx", f(54, 4), Kind::Cidx)];
const AINC: &[S] = &[use_("a", A3, Kind::A), mod_("inc", f(25, 1), Kind::Inc)];
/// Addressing fields of short and immediate forms.
const SADDR: &[S] = &[use_("a", f(26, 2), Kind::A), mod_("inc", f(25, 1), Kind::Inc)];
const M23: &[S] = &[mod_("m23", f(23, 1), Kind::M23)];
const M24: &[S] = &[mod_("m24", f(24, 1), Kind::M24)];
const CDST: &[S] = &[def("cdst", Field::split(&[(36, 2), (38, 1)]), Kind::CDst)];
const CDST2: &[S] = &[def("cdst", f(36, 2), Kind::CDstAlways)];

const DST_FIELD: Field = Field::split(&[(2, 7), (35, 1)]);
const DO_S: &[S] = &[def("dst", DST_FIELD, Kind::DstO(Width::S))];
const DO_H: &[S] = &[def("dst", DST_FIELD, Kind::DstO(Width::H))];
const D_S: &[S] = &[def("dst", f(2, 7), Kind::Dst(Width::S))];
const D_H: &[S] = &[def("dst", f(2, 7), Kind::Dst(Width::H))];
const D_D: &[S] = &[def("dst", f(2, 7), Kind::Dst(Width::D))];
const SRC1_FIELD: Field = Field::split(&[(9, 7), (53, 1)]);
const S1_S: &[S] = &[use_("src1", SRC1_FIELD, Kind::Src1(Width::S))];
const S1_H: &[S] = &[use_("src1", SRC1_FIELD, Kind::Src1(Width::H))];
const SRC2_FIELD: Field = Field::split(&[(16, 7), (23, 1)]);
const S2_S: &[S] = &[use_("src2", SRC2_FIELD, Kind::Src2(Width::S))];
const S2_H: &[S] = &[use_("src2", SRC2_FIELD, Kind::Src2(Width::H))];
const SRC3_FIELD: Field = Field::split(&[(46, 7), (24, 1)]);
const S3_S: &[S] = &[use_("src3", SRC3_FIELD, Kind::Src3(Width::S))];
const S3_H: &[S] = &[use_("src3", SRC3_FIELD, Kind::Src3(Width::H))];
const R1_S: &[S] = &[use_("src1", f(9, 7), Kind::Reg(Width::S))];
const R1_D: &[S] = &[use_("src1", f(9, 7), Kind::Reg(Width::D))];
const R2_D: &[S] = &[use_("src2", f(16, 7), Kind::Reg(Width::D))];
const R3_S: &[S] = &[use_("src3", f(46, 7), Kind::Reg(Width::S))];
const R3_D: &[S] = &[use_("src3", f(46, 7), Kind::Reg(Width::D))];

// Short and immediate operands.
const SD_S: &[S] = &[def("dst", f(2, 6), Kind::Dst(Width::S))];
const SD_H: &[S] = &[def("dst", f(2, 6), Kind::Dst(Width::H))];
const SSRC1_FIELD: Field = Field::split(&[(9, 6), (24, 1)]);
const SS1_S: &[S] = &[use_("src1", SSRC1_FIELD, Kind::SSrc1(Width::S))];
const SS1_H: &[S] = &[use_("src1", SSRC1_FIELD, Kind::SSrc1(Width::H))];
const SSRC2_FIELD: Field = Field::split(&[(16, 6), (23, 1)]);
const SS2_S: &[S] = &[use_("src2", SSRC2_FIELD, Kind::SSrc2(Width::S))];
const SS2_H: &[S] = &[use_("src2", SSRC2_FIELD, Kind::SSrc2(Width::H))];
const IS1_S: &[S] = &[use_("src1", SSRC1_FIELD, Kind::ISrc1(Width::S))];
const IS1_H: &[S] = &[use_("src1", SSRC1_FIELD, Kind::ISrc1(Width::H))];
const SR1_S: &[S] = &[use_("src1", f(9, 6), Kind::Reg(Width::S))];
const SR1_H: &[S] = &[use_("src1", f(9, 6), Kind::Reg(Width::H))];
const SR2_S: &[S] = &[use_("src2", f(16, 6), Kind::Reg(Width::S))];
const SR2_H: &[S] = &[use_("src2", f(16, 6), Kind::Reg(Width::H))];
const SAME: &[S] = &[OperandSpec::new("src3", Field::none(), Kind::SameAsDst, Role::Use)];
const IMM: &[S] = &[imm("imm", Field::split(&[(16, 6), (34, 26)]), Kind::Num)];

const ADDOPS: &[&str] = &AddOp::NAMES;
const ROUND: &[&str] = &Round::NAMES;
const ROUND_INT: &[&str] = &["rni", "rmi", "rpi", "rzi"];
const CIN: &[S] = &[OperandSpec::new("cin", Field::none(), Kind::Cin, Role::Use)];
const INT_CONDS: &[&str] = &["never", "l", "e", "le", "g", "lg", "ge", "always"];
const FLOAT_CONDS: &[&str] = &Cond::NAMES;
const LANES: &[S] = &[mod_("lanes", f(46, 4), Kind::Lanes)];

/// The rows by what they do.
pub const GROUPS: &[&[R]] = &[
    short::ROWS,
    short::IMMEDIATE,
    long::MOVES,
    long::INTEGER,
    long::FLOAT,
    cvt::INTEGERS,
    cvt::ROWS,
    long::DOUBLE,
    memory::ROWS,
    memory::ATOMICS,
    texture::ROWS,
    flow::ROWS,
    flow::CONTROL,
];
const COUNT: usize = total(GROUPS);
static ALL: [R; COUNT] = join(GROUPS, short::ROWS[0]);

/// All rows of the table, group by group.
pub static ROWS: &[R] = &ALL;

const _: () = {
    // Group by group: a static cannot be read here.
    let mut i = 0;
    while i < GROUPS.len() {
        gpucc_isa::check::fields(GROUPS[i]);
        gpucc_isa::check::effects(GROUPS[i]);
        i += 1;
    }
};
