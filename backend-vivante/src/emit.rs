//! Writes encoded code as bytes: targets of branches, counts.

use gpucc_driver::{Family, Job};
use gpucc_ir::{Diagnostic, Loc, Refusal};
use gpucc_isa::{Inst, TextCx};
use gpucc_vivante_machine as machine;
use machine::{Op, operand};

use crate::encoded::Code;

/// The finished program: bytes, places and counts.
pub struct Program {
    /// Machine code, 16 bytes an instruction.
    pub code: Vec<u8>,
    /// Byte address and location of each instruction.
    pub locs: Vec<(u32, Loc)>,
    /// Counts of the code's parts, for statistics.
    pub counts: Counts,
}

/// The parts of the code.
#[derive(Default)]
pub struct Counts {
    /// Number of MOV instructions.
    pub movs: u64,
    /// Writes of the address register.
    pub address_moves: u64,
    /// Lanes written by arithmetic, and those it could have written.
    pub lanes: (u64, u64),
    /// Number of branches, forward and backward.
    pub branches: u64,
    /// Number of loads, stores and atomics.
    pub memory: u64,
    /// Number of operands that are immediates.
    pub immediates: u64,
    /// Number of branches that lead backward.
    pub loops: u64,
}

fn bug(message: impl Into<String>) -> Diagnostic {
    Diagnostic::internal("emit", message)
}

/// The bytes of a function.
///
/// # Errors
/// A program that is longer than a branch reaches. A compiler bug: a rule of the chip broken.
pub fn emit<F: Family>(code: &Code, job: &Job<'_, F>) -> Result<Program, Diagnostic> {
    let starts = code.starts(|_| 1);
    let size = starts[code.blocks.len()];
    let most = machine::validate::INSTRUCTIONS[job.generation as usize];
    if size > most {
        let what = format!("has room for {most} instructions, this needs {size}");
        return Err(job.refuse(Refusal::ProgramSize, what));
    }
    let check = job.options.verify || cfg!(debug_assertions);
    let mut p = Program { code: Vec::with_capacity(16 * size as usize), locs: Vec::new(), counts: Counts::default() };
    for (k, item) in code.blocks.iter().flat_map(|b| &b.insts).enumerate() {
        let mut inst = item.inst.unpack();
        let target = item.label.map(|to| starts[to.0 as usize]);
        if let Some(to) = target {
            inst.set("target", to);
        }
        if check {
            machine::table().validate(&inst, &TextCx::new(job.generation)).map_err(|e| {
                bug(format!("`{}` breaks a rule: {e}", machine::listing::text_of(&inst, job.generation)))
            })?;
        }
        count(&mut p.counts, &inst, target, k as u32);
        let words = machine::encode(&inst, job.generation).ok_or_else(|| bug("an instruction that the chip lacks"))?;
        let access = inst.row().attrs.class == machine::Class::Memory;
        p.locs.push((p.code.len() as u32, if access { item.loc } else { item.loc.plain() }));
        p.code.extend(words.iter().flat_map(|w| w.to_le_bytes()));
    }
    Ok(p)
}

fn count(c: &mut Counts, inst: &Inst<machine::Vivante>, target: Option<u32>, at: u32) {
    use machine::Class;
    c.movs += u64::from(inst.op() == Op::Mov);
    c.address_moves += u64::from(inst.op() == Op::Movai);
    c.loops += u64::from(target.is_some_and(|t| t <= at));
    match inst.row().attrs.class {
        Class::Memory => c.memory += 1,
        Class::Control => c.branches += u64::from(target.is_some()),
        _ => {
            let mask = inst.get("dst").map_or(0, |d| operand::dst::parts(d).1);
            c.lanes.0 += u64::from(mask.count_ones());
            c.lanes.1 += 4;
        }
    }
    let imm = |v: &(&str, operand::Source, u32)| v.1.group == operand::GROUP_IMMEDIATE;
    c.immediates += machine::validate::sources(inst).filter(imm).count() as u64;
}
