//! Builders of the instructions that selection, lowering and spilling make; what each takes follows from its row.
//!
//! Sources are in the order of the row's slots, a branch target the last.
//!
//! ```
//! use gpucc_mir::Use;
//! use gpucc_vivante::builders::{Add, Load};
//! use gpucc_vivante::inst::{Ty, Vivante};
//! use gpucc_vivante_machine::Type;
//! let at = Add.with((Ty(Type::S32),), [Use::imm(4), Use::imm(8)]);
//! let _ = (at, Load.with((Ty(Type::U32),), [Use::<Vivante>::imm(0), Use::imm(4)]));
//! ```
//!
//! An addition has two sources:
//!
//! ```compile_fail
//! use gpucc_mir::Use;
//! let _ = gpucc_vivante::builders::Add.on([Use::imm(1)]);
//! ```
//!
//! A load does not guess its type:
//!
//! ```compile_fail
//! use gpucc_mir::Use;
//! let _ = gpucc_vivante::builders::Load.on([Use::imm(0), Use::imm(4)]);
//! ```
//!
//! And has no condition:
//!
//! ```compile_fail
//! use gpucc_mir::Use;
//! use gpucc_vivante::inst::{If, Ty};
//! use gpucc_vivante_machine::{Cond, Type};
//! let _ = gpucc_vivante::builders::Load.with((Ty(Type::U32), If(Cond::Eq)), [Use::imm(0), Use::imm(4)]);
//! ```

use gpucc_isa::Role;
use gpucc_mir::same_name;
use gpucc_vivante_machine::rows::{Class, Kind, Types};
use gpucc_vivante_machine::{Op, Type};

use crate::inst::{Mods, VOp, Vivante};

/// A builder of this family.
pub type Builder<const SOURCES: usize, const NEEDS: u64, const TAKES: u64> =
    gpucc_mir::Builder<Vivante, SOURCES, NEEDS, TAKES>;

/// Sources of an opcode: those of its row, and where it goes.
pub const fn sources(op: Op) -> usize {
    op.row().count(Role::Use) + op.row().count(Role::Label)
}

/// Modifiers that an opcode may have.
pub const fn takes(op: Op) -> u64 {
    let row = op.row();
    let memory = matches!(row.attrs.class, Class::Memory);
    let mut set = if row.count(Role::Def) > 0 { Mods::bit("indexed") } else { 0 };
    let mut k = 0;
    while k < row.operands.len() {
        let name = row.operands[k].name;
        set |= if same_name(name, "type") {
            Mods::bit("ty")
        } else if same_name(name, "mask") {
            Mods::bit("lanes")
        } else if same_name(name, "tex") {
            Mods::bit("unit") | Mods::bit("unit_indexed") | Mods::bit("texel")
        } else if matches!(row.operands[k].kind, Kind::SrcOpt) {
            Mods::bit("absent")
        } else if same_name(name, "cond") && memory {
            // The slot is there, but nothing except `always` has a known meaning.
            0
        } else if same_name(name, "skphp") && memory {
            Mods::bit("own")
        } else {
            Mods::bit(name)
        };
        k += 1;
    }
    set
}

/// Modifiers that have no silent value: the type where floats make no sense, the condition of what tests, the components
/// that a store writes.
pub const fn needs(op: Op) -> u64 {
    let facts = op.row().attrs;
    let bits = matches!(facts.types, Types::NotHalf) && !matches!(facts.class, Class::Vector);
    let ty = if bits || !facts.types.has(Type::F32) { Mods::bit("ty") } else { 0 };
    let tests = if sources(op) > 1 || op.row().count(Role::Def) == 0 { Mods::bit("cond") } else { 0 };
    let jump = matches!(op, Op::Branch | Op::Texkill);
    takes(op) & (ty | if jump { 0 } else { tests } | Mods::bit("lanes"))
}

gpucc_mir::builders! {
    Vivante, VOp::M, Op, sources, needs, takes;
    Add, Mad, Mul, Dp2, Dp3, Dp4, Mov, Rcp, Rsq, Select, Exp, Log, Frc, Sqrt, Sin, Cos, Floor, Ceil, Sign, Div, Cmp,
    I2f, F2i, Imullo0, Imadlo0, Imulhi0, Iabs, Leadzero, Lshift, Rshift, Or, And, Xor, Not, Popcount, BitRev, Movai,
    Branch, BranchUnary, BranchBinary, BranchAny, Barrier, Load, Store, AtomicAdd, AtomicXchg, AtomicCmpXchg, AtomicMin,
    AtomicMax, AtomicOr, AtomicAnd, AtomicXor, Dsx, Dsy, Texkill, TexkillUnary, TexkillBinary, Texld,
    Texldb, Texldl, Texldd, Texldgpcf, Txf, F2irnd, Conv,
}
