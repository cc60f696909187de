//! Builders of the instructions that selection, lowering and spilling make; what each takes follows from its row.
//!
//! Uses are in the order of the row's sources; a staging run that is read comes first.
//!
//! ```
//! use gpucc_mir::Use;
//! use gpucc_valhall::builders::{CselU32, IaddU32};
//! use gpucc_valhall::inst::If;
//! use gpucc_valhall_machine::Condition;
//! let sum = IaddU32.on([Use::imm(0), Use::uniform(8)]);
//! let _ = (sum, CselU32.with((If(Condition::Lt),), [Use::imm(0); 4]));
//! ```
//!
//! A sum has two sources:
//!
//! ```compile_fail
//! use gpucc_mir::Use;
//! let _ = gpucc_valhall::builders::IaddU32.on([Use::imm(0)]);
//! ```
//!
//! A comparison does not guess what it asks:
//!
//! ```compile_fail
//! use gpucc_mir::Use;
//! let _ = gpucc_valhall::builders::CselU32.on([Use::imm(0); 4]);
//! ```
//!
//! A sum of integers has no range:
//!
//! ```compile_fail
//! use gpucc_mir::Use;
//! use gpucc_valhall::inst::Within;
//! use gpucc_valhall_machine::Clamp;
//! let _ = gpucc_valhall::builders::IaddU32.with((Within(Clamp::ZeroOne),), [Use::imm(0); 2]);
//! ```

use gpucc_isa::Role;
use gpucc_valhall_machine as machine;
use machine::{Class, Kind, Op, ROWS};

use crate::inst::{Mods, VOp, Valhall};

/// A builder of this family.
pub type Builder<const SOURCES: usize, const NEEDS: u64, const TAKES: u64> =
    gpucc_mir::Builder<Valhall, SOURCES, NEEDS, TAKES>;

/// Operands of an opcode: the run that it reads, and its sources.
pub const fn sources(op: Op) -> usize {
    ROWS[op as usize].count(Role::Use)
}

/// Modifiers that an opcode may have: those of its row, and what a memory access is known to touch.
pub const fn takes(op: Op) -> u64 {
    let row = &ROWS[op as usize];
    let mut set = match row.attrs.class {
        Class::Memory => Mods::bit("space") | Mods::bit("readonly") | Mods::bit("shared") | Mods::bit("key"),
        Class::Buffer | Class::Image | Class::Texture | Class::Tile | Class::Varying => {
            Mods::bit("space") | Mods::bit("readonly") | Mods::bit("shared")
        }
        _ => 0,
    };
    let mut k = 0;
    while k < row.operands.len() {
        if matches!(row.operands[k].role, Role::Mod | Role::Imm) {
            set |= Mods::bit(row.operands[k].name);
        }
        k += 1;
    }
    set
}

/// Modifiers that have no silent value: what a comparison asks, which atomic operation. Slots of messages are given later.
pub const fn needs(op: Op) -> u64 {
    let row = &ROWS[op as usize];
    let (mut set, mut k) = (0, 0);
    while k < row.operands.len() {
        let s = &row.operands[k];
        let silent = match s.kind {
            Kind::Enum(def) => def.default.is_some(),
            Kind::Constant => false,
            _ => true,
        };
        if !silent {
            set |= Mods::bit(s.name);
        }
        k += 1;
    }
    if matches!(row.attrs.class, Class::Barrier) { set } else { set & !Mods::bit("slot") }
}

/// Goes to a block.
#[expect(non_upper_case_globals, reason = "the name of the opcode")]
pub const Jump: Builder<1, 0, { Mods::bit("together") }> = Builder::new(VOp::Jump);

/// Goes to a block if the first source is not zero.
#[expect(non_upper_case_globals, reason = "the name of the opcode")]
pub const Branch: Builder<2, 0, { Mods::bit("eq") | Mods::bit("uniform") }> = Builder::new(VOp::Branch);

/// Ends the program of the thread.
#[expect(non_upper_case_globals, reason = "the name of the opcode")]
pub const End: Builder<0, 0, 0> = Builder::new(VOp::End);

/// Waits for all memory accesses so far.
#[expect(non_upper_case_globals, reason = "the name of the opcode")]
pub const Fence: Builder<0, 0, 0> = Builder::new(VOp::Fence);

gpucc_mir::builders! {
    Valhall, VOp::Op, Op, sources, needs, takes;
    MovI32, IaddImmI32, IaddU32, IsubU32, ImulI32, IabsS32, ImuldU64, IaddU64, IaddS64, ShaddxS64, IdpV4u8, IdpV4s8, PopcountI32,
    ClzU32, BitrevI32, MuxI32, LshiftAndI32, LshiftOrI32, LshiftXorI32, RshiftAndI32, RshiftOrI32, RshiftXorI32, IcmpOrU32,
    IcmpOrS32, FcmpOrF32, IcmpAndU32, IcmpAndS32, FcmpAndF32, CselU32, CselS32, CselF32, FaddF32, FaddLscaleF32, FmaF32, FmaRscaleF32, FmaRscaleLeftF32, FminF32,
    FmaxF32, FroundF32, FrcpF32, FrsqF32, FrexpmF32, FrexpeF32, FexpF32, FlogdF32, FsinTableU6, FcosTableU6, LdexpF32,
    V2f32ToV2f16, F16ToF32, F32ToS32, F32ToU32, S32ToF32, U32ToF32, U16ToU32, U16ToF32, LoadI8, LoadI16, LoadI32, LoadI64, LoadI96, LoadI128,
    LdBufferI8, LdBufferI16, LdBufferI32, LdBufferI64, LdBufferI96, LdBufferI128, StoreI8, StoreI16, StoreI32, StoreI64, StoreI96,
    StoreI128, AtomI32, AtomI64, AtomReturnI32, AtomReturnI64, Atom1ReturnI32, Barrier, MkvecV2i16, CubeSsel, CubeTsel, Cubeface1, Cubeface2V9, TexSingle,
    TexFetch, TexGather, TexGradient, LdTex, LdTexImm, LeaTex, LeaTexImm, StCvt,
    LeaBufImm, LdAttrImm, LdVarBufImmF32, LdVarBufF32, LdVarSpecial, DiscardF32, ClperI32, Wmask, Atest, ZsEmit, Blend, LdTile, S16ToF32,
}

/// Loads of one to four words by address.
pub fn loads(words: usize) -> Builder<1, 0, LOAD> {
    [LoadI32, LoadI64, LoadI96, LoadI128][words - 1]
}

/// Loads of one to four words by handle.
pub fn buffer_loads(words: usize) -> Builder<2, 0, BUFFER_LOAD> {
    [LdBufferI32, LdBufferI64, LdBufferI96, LdBufferI128][words - 1]
}

/// Stores of one to four words by address.
pub fn stores(words: usize) -> Builder<2, 0, STORE> {
    [StoreI32, StoreI64, StoreI96, StoreI128][words - 1]
}

/// The modifiers of loads by address of all sizes.
pub const LOAD: u64 = takes(Op::LoadI32);
/// The modifiers of loads by handle of all sizes.
pub const BUFFER_LOAD: u64 = takes(Op::LdBufferI32);
/// The modifiers of stores of all sizes.
pub const STORE: u64 = takes(Op::StoreI32);
