//! Effects of rows besides their results, derived from their declarations: access to memory, operands, unit, implicit state.

use gpucc_isa::{Effects, Implicit, OperandSpec, Role, Row};

use crate::isa::{Gcn, Kind};
use crate::{Access, Attrs, Format, Memory, Op, Unit};

/// Cycles from the issue of an instruction until its result can be used, caches hit.
const fn latency(facts: &Attrs) -> u16 {
    let issue = facts.cycles as u16;
    match facts.unit {
        Unit::Vmem | Unit::Flat => 300 + issue,
        Unit::Smem => 120 + issue,
        Unit::Lds => 64 + issue,
        // Until its sources have been read.
        Unit::Export => 16 + issue,
        _ => issue,
    }
}

const fn memory(facts: &Attrs) -> Memory {
    match facts.format {
        Format::Ds => Memory::Lds,
        // Addresses lead to buffers alone here.
        Format::Mubuf | Format::Mtbuf | Format::Flat => Memory::Buffer,
        Format::Mimg => Memory::Image,
        _ => Memory::Any,
    }
}

/// Whether lanes are read or written one by one, or exchanged.
const fn names_lanes(slots: &[OperandSpec<Gcn>]) -> bool {
    let mut k = 0;
    while k < slots.len() {
        if matches!(slots[k].kind, Kind::SReg(1) | Kind::SSrc(1) | Kind::DppCtrl) {
            return true;
        }
        k += 1;
    }
    false
}

/// Effects of a row.
pub(crate) const fn effects(op: Op, slots: &[OperandSpec<Gcn>], facts: &Attrs, implicit: &[Implicit]) -> Effects {
    let (mut defines, mut ends) = (false, ends(op));
    let mut k = 0;
    while k < slots.len() {
        defines |= matches!(slots[k].role, Role::Def | Role::UseDef);
        ends |= matches!(slots[k].role, Role::Label);
        k += 1;
    }
    k = 0;
    while k < implicit.len() {
        defines |= implicit[k].write;
        k += 1;
    }
    let e = match facts.access {
        Access::None if ends => Effects::branch(),
        // Clocks, caches and probes are on a unit of memory.
        Access::None if !defines || matches!(facts.unit, Unit::Smem) => Effects::kept(),
        Access::None => Effects::pure(0),
        Access::Load => Effects::load(0).at(memory(facts) as u16),
        Access::Store => Effects::store().at(memory(facts) as u16),
        Access::Atomic => Effects::atomic(0).at(memory(facts) as u16),
        Access::Order if matches!(op, Op::SBarrier) => Effects::barrier(),
        Access::Order => Effects::atomic(0),
    };
    let vector = matches!(facts.unit, Unit::Valu | Unit::Trans);
    let lanes = facts.lanes || vector && names_lanes(slots);
    Effects { latency: latency(facts), unit: facts.unit as u8, convergent: e.convergent || lanes, ..e }
}

/// Whether the wave continues elsewhere or ends, without a label.
const fn ends(op: Op) -> bool {
    matches!(
        op,
        Op::SEndpgm
            | Op::SEndpgmSaved
            | Op::SSetpcB64
            | Op::SSwappcB64
            | Op::SRfeB64
            | Op::SRfeRestoreB64
            | Op::SCbranchGFork
            | Op::SCbranchJoin
            | Op::STrap
    )
}

fn touches(row: &Row<Gcn>, what: fn(&Implicit) -> bool) -> bool {
    row.implicit.iter().any(|i| i.name == "exec" && what(i))
}

/// Whether a row reads EXEC without an operand for it.
pub fn reads_exec(row: &Row<Gcn>) -> bool {
    touches(row, |i| i.read)
}

/// Whether a row writes EXEC without an operand for it.
pub fn writes_exec(row: &Row<Gcn>) -> bool {
    touches(row, |i| i.write)
}
