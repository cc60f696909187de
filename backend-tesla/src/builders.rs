//! Builders of the instructions that selection, lowering and spilling make; what each takes follows from its rows.
//!
//! Sources are in the order of the rows' slots, a branch target the last. Behind them come the address register of an indexed operand,
//! and the flags of a predicate or a carry.
//!
//! ```
//! use gpucc_mir::Use;
//! use gpucc_tesla::builders::{Add, Set};
//! use gpucc_tesla::inst::{If, Tesla};
//! use gpucc_tesla_machine::Cond;
//! let sum = Add.on([Use::<Tesla>::imm(4), Use::imm(8)]);
//! let _ = (sum, Set.with((If(Cond::Less),), [Use::<Tesla>::imm(0), Use::imm(4)]));
//! ```
//!
//! An addition has two sources:
//!
//! ```compile_fail
//! use gpucc_mir::Use;
//! let _ = gpucc_tesla::builders::Add.on([Use::imm(1)]);
//! ```
//!
//! A comparison does not guess what it asks:
//!
//! ```compile_fail
//! use gpucc_mir::Use;
//! let _ = gpucc_tesla::builders::Set.on([Use::imm(0), Use::imm(4)]);
//! ```
//!
//! A sum of floats has one type:
//!
//! ```compile_fail
//! use gpucc_mir::Use;
//! use gpucc_tesla::inst::Of;
//! use gpucc_tesla_machine::Ty;
//! let _ = gpucc_tesla::builders::Fadd.with((Of(Ty::F32),), [Use::imm(0), Use::imm(4)]);
//! ```

use gpucc_isa::OperandSpec;
use gpucc_mir::same_name;
use gpucc_tesla_machine as machine;
use machine::rows::GROUPS;
use machine::types::Space;
use machine::{AddOp, AtomOp, Kind, Op, Pred, Row, Ty, Width};

use crate::inst::{Mods, TOp, Tesla};

/// A builder of this family.
pub type Builder<const SOURCES: usize, const NEEDS: u64, const TAKES: u64> =
    gpucc_mir::Builder<Tesla, SOURCES, NEEDS, TAKES>;

/// Whether a place of a row is an operand in machine code: a source, an immediate or a branch target. Address registers and flags come
/// behind them.
pub const fn is_source(s: &OperandSpec<machine::Tesla>) -> bool {
    matches!(
        s.kind,
        Kind::Src1(_)
            | Kind::Src2(_)
            | Kind::Src3(_)
            | Kind::SSrc1(_)
            | Kind::SSrc2(_)
            | Kind::ISrc1(_)
            | Kind::SameAsDst
            | Kind::Reg(_)
            | Kind::HalfOrFull
            | Kind::Glob
            | Kind::Mem(Space::Const, _)
            | Kind::Num
            | Kind::Target
            | Kind::SVec
            | Kind::SVec1
    )
}

/// Whether a row is a tex instruction of cubes: it takes no offsets.
pub const fn is_cube(row: &Row) -> bool {
    let (mut has, mut k) = (row.bytes == 4, 0);
    while k < row.operands.len() {
        has |= matches!(row.operands[k].kind, Kind::TexOff | Kind::SVec1) || same_name(row.operands[k].name, "cube");
        k += 1;
    }
    matches!(row.op, Op::TexAuto | Op::TexBias | Op::TexLod | Op::TexPrep | Op::TexGather) && !has
}

/// Modifiers that a row has, but for types.
pub const fn modifiers(row: &Row) -> u64 {
    let (mut set, mut k) = (if row.bytes == 4 { Mods::bit("short") } else { 0 }, 0);
    while k < row.operands.len() {
        let s = &row.operands[k];
        set |= match s.kind {
            Kind::Ei => Mods::bit("carries") | Mods::bit("id"),
            Kind::Pred => Mods::bit("pred"),
            Kind::Glob => Mods::bit("space"),
            Kind::Mem(Space::Const, _) => 0,
            Kind::Mem(..) => Mods::bit("offset"),
            Kind::Tex => Mods::bit("tex"),
            Kind::Samp => Mods::bit("samp"),
            Kind::DVec | Kind::DVec4 => Mods::bit("dvec"),
            Kind::SVec => Mods::bit("args") | if is_cube(row) { Mods::bit("cube") } else { 0 },
            Kind::TexOff => Mods::bit("texel"),
            Kind::QLane => Mods::bit("qlane"),
            Kind::Sr => Mods::bit("sr"),
            Kind::Enum(_) if same_name(s.name, "op0") => Mods::bit("quad"),
            Kind::Dst(Width::H) | Kind::DstO(Width::H) => Mods::bit("half"),
            Kind::DstO(Width::S) => Mods::bit("out"),
            // A region that only some lanes run may push the join that they meet at.
            Kind::Target if set & Mods::bit("pred") != 0 => Mods::bit("id") | Mods::bit("divergent"),
            Kind::Flag(_) | Kind::Enum(_) => {
                if same_name(s.name, "s") || same_name(s.name, "s1") || same_name(s.name, "s2") {
                    Mods::bit("signed")
                } else {
                    Mods::bit(s.name)
                }
            }
            _ => 0,
        };
        k += 1;
    }
    set
}

/// The common facts of the rows of an opcode.
#[derive(Clone, Copy)]
struct Union {
    /// How many rows there are.
    rows: u16,
    sources: usize,
    takes: u64,
    needs: u64,
    /// The types of results, as bits.
    types: u32,
}

/// Of each opcode, by its number. A walk over all rows is a tenth of the time that a small shader takes, so it is done while
/// the compiler is built.
static UNIONS: [Union; Op::COUNT] = unions();

const fn unions() -> [Union; Op::COUNT] {
    let mut all = [Union { rows: 0, sources: 0, takes: 0, needs: 0, types: 0 }; Op::COUNT];
    let mut g = 0;
    while g < GROUPS.len() {
        let mut r = 0;
        while r < GROUPS[g].len() {
            let row = &GROUPS[g][r];
            r += 1;
            let of = &mut all[row.op.number()];
            let (mut n, mut k) = (0, 0);
            while k < row.operands.len() {
                n += is_source(&row.operands[k]) as usize;
                k += 1;
            }
            assert!(of.rows == 0 || n == of.sources, "rows of one opcode have other numbers of sources");
            of.rows += 1;
            of.sources = n;
            of.takes |= modifiers(row);
            // Sources of other types than the result's.
            if row.attrs.src as u32 != row.attrs.ty as u32 {
                of.takes |= Mods::bit("src");
            }
            of.types |= 1 << row.attrs.ty as u32;
        }
        g += 1;
    }
    let mut op = 0;
    while op < all.len() {
        let of = &mut all[op];
        let ty = if of.types.count_ones() > 1 { Mods::bit("ty") } else { 0 };
        of.takes |= ty;
        let words = of.types >> Ty::B32 as u32 & 1 == 1;
        of.needs = (Mods::bit("src") | Mods::bit("cond")) & of.takes | if words { 0 } else { ty };
        op += 1;
    }
    all
}

/// Sources of an opcode.
pub const fn sources(op: Op) -> usize {
    // A `break` names the block where its lanes continue, which the control stack knows when it executes.
    if matches!(op, Op::Brk) { 1 } else { UNIONS[op.number()].sources }
}

/// Modifiers that an opcode may have.
pub const fn takes(op: Op) -> u64 {
    UNIONS[op.number()].takes
}

/// Modifiers that have no silent value: what a comparison asks, types where words make no sense.
pub const fn needs(op: Op) -> u64 {
    UNIONS[op.number()].needs
}

/// Whether an instruction reads a flag register.
pub const fn reads_flags(op: Op, mods: &Mods) -> bool {
    !matches!(mods.pred, Pred::Always) || matches!(mods.addop, AddOp::Addc) || matches!(op, Op::Addc | Op::MovFromC)
}

gpucc_mir::builders! {
    Tesla, TOp::M, Op, sources, needs, takes;
    Mov, MovFromC, MovFromA, MovToC, ShlToA, AddA, LdC, LdS, LdLock, StS, StUnlock, Add, Sub, Subr, Set, Max, Min, Shl, Shr,
    Mul16, Mul24, MadU16, MadU24, And, Or, Xor, Fadd, Fmul, FmulSat, Fmad, Fset, Fmax, Fmin, PreSin, PreEx2, Rcp, Rsqrt, Lg2, Sin, Cos,
    Ex2, Dfma, Dadd, Dmul, Dmin, Dmax, Dset, Slct, CvtII, CvtIF, CvtFI, CvtFF, CvtRint, LdL, StL, LdG, StG, QuadOp, StO, Interp, InterpMul, InterpFlat, MovFromSr, Discard, Nop, Bra, PreBrk, Brk, Bar, JoinAt,
}

macro_rules! atomics {
    ($($name:ident = $kind:ident $op:ident;)*) => {
        $(
            #[expect(non_upper_case_globals, reason = "the name of the opcode")]
            #[doc = concat!("Builds `", stringify!($kind), "(", stringify!($op), ")`.")]
            pub const $name: Builder<
                { sources(Op::$kind(AtomOp::$op)) },
                { needs(Op::$kind(AtomOp::$op)) },
                { takes(Op::$kind(AtomOp::$op)) },
            > = Builder::new(TOp::M(Op::$kind(AtomOp::$op)));
        )*
    };
}
atomics! {
    RedAdd = Red Add;
    RedMax = Red Max;
    RedMin = Red Min;
    RedAnd = Red And;
    RedOr = Red Or;
    RedXor = Red Xor;
    AtomAdd = Atom Add;
    AtomExch = Atom Exch;
    AtomCas = Atom Cas;
    AtomMax = Atom Max;
    AtomMin = Atom Min;
    AtomAnd = Atom And;
    AtomOr = Atom Or;
    AtomXor = Atom Xor;
}
