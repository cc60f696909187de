//! Writes encoded code as bytes: addresses, targets, counts.

use gpucc_driver::{Family, Job};
use gpucc_ir::{Diagnostic, Loc};
use gpucc_isa::{Isa as _, TextCx};
use gpucc_tesla_machine as machine;
use machine::{Kind, Op};

use crate::encoded::{Code, EncodedInst};

/// The bytes, and what statistics say about them.
pub struct Program {
    /// Machine code, instructions one behind the other.
    pub code: Vec<u8>,
    /// Address and source location of each instruction that has one.
    pub lines: Vec<(u32, Loc)>,
    /// Number of instructions of all lengths.
    pub instructions: u64,
    /// Number of instructions of 4 bytes.
    pub short: u64,
    /// Number of instructions with an immediate of 32 bits.
    pub immediate: u64,
    /// Number of moves between registers.
    pub movs: u64,
    /// Branches of all kinds.
    pub branches: u64,
    /// Loads, stores and atomics.
    pub memory: u64,
    /// Estimated issue clocks of a warp that runs every block as often as the turns of its loops.
    pub issue: u64,
}

fn bug(message: String) -> Diagnostic {
    Diagnostic::internal("emit", message)
}

/// The bytes of a function.
///
/// # Errors
/// A program that is longer than branches reach. A compiler bug: a rule of the machine broken.
pub fn emit<F: Family>(code: &Code, job: &Job<'_, F>) -> Result<Program, Diagnostic> {
    let starts = code.starts(|i| i.row().bytes.into());
    let size = starts[code.blocks.len()];
    if size > REACH {
        let what = format!("has branches that reach {REACH} bytes of code, this needs {size}");
        return Err(job.refuse(gpucc_ir::Refusal::ProgramSize, what));
    }
    let mut p = Program {
        code: Vec::with_capacity(size as usize),
        lines: Vec::new(),
        instructions: 0,
        short: 0,
        immediate: 0,
        movs: 0,
        branches: 0,
        memory: 0,
        issue: 0,
    };
    let check = (job.options.verify || cfg!(debug_assertions)).then(|| job.text_cx());
    for block in &code.blocks {
        for i in &block.insts {
            p.push(i, &starts, job.generation, check.as_ref())?;
            p.issue = p.issue.saturating_add(u64::from(i.inst.row().attrs.issue) * block.runs);
        }
    }
    Ok(p)
}

impl Program {
    /// One more instruction; `starts` holds the addresses of blocks.
    fn push(
        &mut self,
        item: &EncodedInst,
        starts: &[u32],
        generation: u8,
        check: Option<&TextCx>,
    ) -> Result<(), Diagnostic> {
        let at = self.code.len() as u32;
        let mut inst = item.inst;
        if let Some(to) = item.label {
            inst.set("target", starts[to.0 as usize] / 4);
        }
        if let Some(cx) = check {
            machine::Tesla::validate(&inst.unpack(), cx).map_err(|e| bug(format!("{inst:?}: {e}")))?;
        }
        let Some((word, bytes)) = inst.encode(generation) else {
            return Err(bug(format!("{inst:?} does not exist on this generation")));
        };
        if bytes == 8 && !at.is_multiple_of(8) {
            return Err(bug(format!("{inst:?} begins at an odd word")));
        }
        // Operands of arithmetic load too.
        let loc = item.loc;
        if loc != Loc::UNKNOWN && (loc.is_access() || self.lines.last().is_none_or(|l| l.1 != loc)) {
            self.lines.push((at, loc));
        }
        self.code.extend_from_slice(&word.to_le_bytes()[..bytes]);
        let row = inst.row();
        self.instructions += 1;
        self.short += u64::from(bytes == 4);
        let immediate = row.operands.iter().any(|o| matches!(o.kind, Kind::Num) && o.name == "imm");
        self.immediate += u64::from(immediate && bytes == 8);
        self.movs += u64::from(row.op == Op::Mov && !immediate);
        self.branches += u64::from(matches!(row.op, Op::Bra | Op::Brk));
        self.memory += u64::from(machine::Unit::of(row) == machine::Unit::Memory);
        Ok(())
    }
}

/// Bytes of code that branches reach: their targets are 22 bits of words.
const REACH: u32 = 4 << 22;
