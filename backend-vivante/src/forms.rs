//! Verifies the operands of an instruction: those of its row, each of a kind and from a file that its slot can hold.

use std::sync::LazyLock;

use gpucc_isa::Role;
use gpucc_mir::{FileId, MInst, Src, Use, check_count};
use gpucc_vivante_machine as machine;
use machine::{Class, Kind, Op};

use crate::builders as build;
use crate::inst::{ADDRESSES, FILE, VOp, Vivante};

/// The table of [`takes`](build::takes) by number of the opcode: it compares names, and the check asks it of every instruction.
static TAKEN: LazyLock<Vec<u64>> = LazyLock::new(|| machine::table().rows.iter().map(|r| build::takes(r.op)).collect());

/// Number of an instruction's sources, and whether a label and the address register of an indexed operand come behind them.
fn shape(inst: &MInst<Vivante>, op: VOp) -> (usize, bool, bool) {
    let indexed = inst.mods.indexed || inst.mods.unit_indexed || inst.uses.iter().any(|u| u.mods.indexed);
    match op {
        VOp::M(op) => (op.row().count(Role::Use), op.row().count(Role::Label) > 0, indexed),
        VOp::End | VOp::Fence => (0, false, indexed),
    }
}

/// Whether an instruction has what its row asks for.
///
/// # Errors
/// The first thing that it has not, or that the row cannot hold.
pub fn check(inst: &MInst<Vivante>) -> Result<(), String> {
    let Some(op) = inst.target_op() else { return Ok(()) };
    let (sources, label, indexed) = shape(inst, op);
    let count = sources + usize::from(label) + usize::from(indexed);
    if op == VOp::End {
        // It holds any number of outputs.
        check_count("definitions", inst.defs.len(), 0, 0)?;
        return inst.mods.check(0);
    }
    check_count("operands", inst.uses.len(), count, count)?;
    let VOp::M(op) = op else {
        check_count("definitions", inst.defs.len(), 0, 0)?;
        return inst.mods.check(0);
    };
    let defs = op.row().count(Role::Def);
    // The result of an atomic may be left out by nobody; that of a barrier is there for its encoding alone.
    check_count("definitions", inst.defs.len(), if op == Op::Barrier { 0 } else { defs }, defs)?;
    let memory = op.row().attrs.class == Class::Memory;
    let optional = row_options(op);
    if inst.mods.absent & !optional != 0 {
        return Err("a source is left out that the row wants".into());
    }
    if inst.mods.texel.iter().any(|c| *c > 3) || inst.mods.unit > 31 {
        return Err("has no such component or unit".into());
    }
    for (k, u) in inst.uses[..sources].iter().enumerate() {
        check_source(u, memory).map_err(|why| format!("operand {k} {why}"))?;
    }
    if label && !matches!(inst.uses[sources].src, Src::Label(_)) {
        return Err(format!("operand {sources} is no block"));
    }
    if !op.row().attrs.types.has(inst.mods.ty) {
        return Err(format!("{op:?} has no meaning on {:?}", inst.mods.ty));
    }
    inst.mods.check(TAKEN[op as usize])
}

/// Sources that a row may do without, a bit each.
fn row_options(op: Op) -> u8 {
    let sources = op.row().operands.iter().filter(|s| s.role == Role::Use);
    sources.enumerate().filter(|(_, s)| matches!(s.kind, Kind::SrcOpt)).fold(0, |m, (k, _)| m | 1 << k)
}

fn check_source(u: &Use<Vivante>, memory: bool) -> Result<(), String> {
    match u.src {
        Src::Label(_) => return Err("is a label".into()),
        Src::Imm(_) if !u.mods.is_plain() => return Err("is an immediate, which has no modifiers".into()),
        Src::Uniform(_) if u.mods.indexed => return Err("is a uniform, which has no index".into()),
        _ => {}
    }
    if memory && (u.mods.neg || u.mods.abs) {
        return Err("has no sign: it goes to memory".into());
    }
    match u.mods.swz.iter().find(|c| **c > 3) {
        Some(c) => Err(format!("has no component {c}")),
        None => Ok(()),
    }
}

/// Whether registers are of the files that an instruction takes.
///
/// # Errors
/// The first that is not.
pub fn check_registers(
    inst: &MInst<Vivante>,
    uses: &[Option<(FileId, u16)>],
    defs: &[(FileId, u16)],
) -> Result<(), String> {
    let Some(op) = inst.target_op().filter(|op| *op != VOp::End) else { return Ok(()) };
    let (_, _, indexed) = shape(inst, op);
    for (k, u) in uses.iter().enumerate() {
        let address = indexed && k + 1 == uses.len();
        match u {
            None if address => return Err(format!("operand {k} is no address register")),
            Some((file, _)) if (*file == ADDRESSES) != address => {
                let what = if address { "is no address register" } else { "is an address register" };
                return Err(format!("operand {k} {what}"));
            }
            _ => {}
        }
    }
    let file = if op == VOp::M(Op::Movai) { ADDRESSES } else { FILE };
    match defs.iter().position(|d| d.0 != file) {
        Some(k) => Err(format!("definition {k} is of the other file")),
        None => Ok(()),
    }
}
