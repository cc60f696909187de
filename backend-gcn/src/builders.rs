//! Builders of the instructions that selection, lowering and spilling make; what each takes follows from its rows.
//!
//! Sources are in the order of the rows' slots. Behind them come what only some accesses have: the address and the V# of a buffer, the
//! offset of a scalar load in a register, the components of an export.

use gpucc_gcn_machine::rows::ROWS;
use gpucc_gcn_machine::{Attrs, Flag, Format, Gcn as Isa, Kind, Op, Suffix, Unit};
use gpucc_isa::{OperandSpec, Role, Row};

use crate::inst::{GOp, Gcn, Mods};

/// Whether selection can ask for a row: parts of a register have no modifiers here.
pub const fn is_form(row: &Row<Isa>) -> bool {
    !matches!(row.attrs.suffix, Suffix::Sdwa | Suffix::SilentSdwa)
}

const fn is_buffer(facts: &Attrs) -> bool {
    matches!(facts.format, Format::Mubuf | Format::Mtbuf)
}

/// Whether a place of a row is a source in machine code: a register or constant that is read. A lane that is written keeps what the
/// others hold without reading it.
pub const fn is_source(row: &Row<Isa>, s: &OperandSpec<Isa>) -> bool {
    let value = match s.kind {
        Kind::Literal => !gpucc_mir::same_name(s.name, "k"),
        Kind::SRsrc(_) => !is_buffer(&row.attrs),
        Kind::SSrc(_) => !is_buffer(&row.attrs),
        Kind::SReg(1) => !matches!(row.attrs.format, Format::Smrd | Format::Smem),
        Kind::SBase(_) | Kind::BufAddr | Kind::ExpSrc(_) | Kind::Vcc => false,
        _ => matches!(s.role, Role::Use | Role::UseDef),
    };
    let read = matches!(s.role, Role::Use | Role::UseDef) || matches!(s.kind, Kind::Literal);
    value && read && !(matches!(row.op, Op::VWritelaneB32) && matches!(s.role, Role::UseDef))
}

/// Modifiers that a row has.
pub const fn modifiers(row: &Row<Isa>) -> u64 {
    let facts = &row.attrs;
    let mut set = const { Mods::bit("once") };
    let mut k = 0;
    while k < row.operands.len() {
        let s = &row.operands[k];
        set |= match s.kind {
            Kind::Offset | Kind::Offset0 | Kind::Swizzle | Kind::SOffset => const { Mods::bit("offset") },
            Kind::SRsrc(_) if is_buffer(facts) => const { Mods::bit("srsrc") },
            Kind::SSrc(_) if is_buffer(facts) => const { Mods::bit("soffset") },
            Kind::Literal if gpucc_mir::same_name(s.name, "k") => const { Mods::bit("k") },
            Kind::SBase(_) => const { Mods::bit("sbase") },
            Kind::DMask => const { Mods::bit("dmask") },
            Kind::BufFormat => const { Mods::bit("format") },
            Kind::DppCtrl => const { Mods::bit("dpp_ctrl") },
            Kind::Attr => const { Mods::bit("attr") },
            Kind::InterpParam => const { Mods::bit("param") },
            Kind::ExpTarget => const { Mods::bit("tgt") },
            Kind::ExpEn => const { Mods::bit("en") },
            Kind::Flag(
                Flag::Compr
                | Flag::Done
                | Flag::Vm
                | Flag::Offen
                | Flag::Idxen
                | Flag::Addr64
                | Flag::Glc
                | Flag::Unorm
                | Flag::Da
                | Flag::Clamp,
            ) => Mods::bit(s.name),
            Kind::Word(Flag::Glc) => const { Mods::bit("glc") },
            _ => 0,
        };
        k += 1;
    }
    if matches!(facts.format, Format::Vop3a | Format::Vop3b) {
        set |= const { Mods::bit("long") };
    }
    if matches!(facts.unit, Unit::Smem | Unit::Vmem | Unit::Lds) {
        set |= const { Mods::bit("readonly") };
    }
    if matches!(facts.unit, Unit::Smem) {
        set |= const { Mods::bit("beyond") } | const { Mods::bit("past") };
    }
    if matches!(facts.format, Format::Mimg) {
        set |= const { Mods::bit("image") };
    }
    if matches!(row.op, Op::SAndn2B64) {
        set |= const { Mods::bit("ends_dead_wave") };
    }
    if matches!(row.op, Op::SBarrier) {
        set |= const { Mods::bit("sync") } | const { Mods::bit("acquires") };
    }
    set
}

/// The common facts of the rows of an opcode.
#[derive(Clone, Copy)]
struct Union {
    sources: usize,
    takes: u64,
}

#[expect(clippy::large_const_arrays, reason = "constants of builders are found in it; programs have none of it")]
const UNIONS: [Union; Op::ALL.len()] = {
    let mut all = [Union { sources: 0, takes: 0 }; Op::ALL.len()];
    let mut r = 0;
    while r < ROWS.len() {
        let row = &ROWS[r];
        r += 1;
        if !is_form(row) {
            continue;
        }
        let (mut n, mut k) = (0, 0);
        while k < row.operands.len() {
            n += is_source(row, &row.operands[k]) as usize;
            k += 1;
        }
        let one = &mut all[row.op as usize];
        // The mask of a selection is one more in the 64-bit form.
        if n > one.sources {
            one.sources = n;
        }
        one.takes |= modifiers(row);
    }
    all
};

/// Sources of an opcode.
pub const fn sources(op: Op) -> usize {
    UNIONS[op as usize].sources
}

/// Modifiers that an opcode may have.
pub const fn takes(op: Op) -> u64 {
    UNIONS[op as usize].takes
}

/// Modifiers that have no silent value: literals, attributes, components, what an export is for.
pub const fn needs(op: Op) -> u64 {
    let set = const { Mods::bit("k") }
        | const { Mods::bit("attr") }
        | const { Mods::bit("param") }
        | const { Mods::bit("dmask") }
        | const { Mods::bit("tgt") }
        | const { Mods::bit("en") }
        | const { Mods::bit("sbase") };
    takes(op) & set
}

gpucc_mir::builders! {
    Gcn, GOp::I, Op, sources, needs, takes;
    BufferLoadDword, BufferStoreDword, DsBpermuteB32, DsRead2B32, DsReadB32, DsSwizzleB32, DsWrite2B32, DsWriteB32, ImageLoad, ImageStore, SAddU32, SAndB32, SAndB64, SAndSaveexecB64, SAndn2B32, SAndn2B64, SBarrier, SLshlB32, SLshrB32, SMinU32, SMovB32, SMovB64, SMulI32, SOrB32, SOrB64, SSubU32, VAddF32, VAndB32, VBcntU32B32, VBfeU32, VCmpEqU32, VCmpGtU32, VCmpLtF32, VCmpNeU32, VCndmaskB32, VCvtF16F32, VCvtF32F16, VCvtPkrtzF16F32, VFmaF32, VFractF32, VInterpMovF32, VInterpP1F32, VInterpP2F32, VLdexpF32, VLshlrevB32, VLshrrevB32, VMadF32, VMadmkF32, VMaxI32, VMbcntHiU32B32, VMbcntLoU32B32, VMinU32, VMovB32, VMulF32, VMulU32U24, VOrB32, VRcpF32, VReadfirstlaneB32, VReadlaneB32, VSubF32, VWritelaneB32, VXorB32,
}
