//! From machine instructions in their final order and forms to bytes.

use gpucc_driver::Job;
use gpucc_ir::{Diagnostic, Loc};
use gpucc_isa::{Isa as _, Packed};
use gpucc_mir::{BlockId, MFunc, MInst};
use gpucc_tesla_machine as machine;
use machine::Op;

use crate::TeslaFamily;
use crate::builders as build;
use crate::encode::Encoder;
use crate::target::{Carried, Mods, TOp, Tesla};

/// A branch target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Target {
    Block(BlockId),
    Join(u16),
    LoopExit(u16),
}

#[derive(Clone)]
struct Item {
    inst: Packed<machine::Tesla>,
    target: Option<Target>,
    join: Option<u16>,
    loc: Loc,
}

/// The bytes, and what statistics say about them.
pub struct Program {
    /// Code.
    pub code: Vec<u8>,
    /// Address and source location of each instruction that has one.
    pub lines: Vec<(u32, Loc)>,
    /// Instructions.
    pub instructions: u64,
    /// Of these, short ones.
    pub short: u64,
    /// With an immediate.
    pub immediate: u64,
    /// Moves between registers.
    pub movs: u64,
    /// Branches of all kinds.
    pub branches: u64,
    /// Loads, stores and atomics.
    pub memory: u64,
    /// Estimated issue clocks of a warp that runs every block as often as the turns of its loops.
    pub issue: u64,
}

/// What emission needs to know.
pub struct Emitter<'a> {
    pub job: &'a Job<'a, TeslaFamily>,
    pub encoder: Encoder,
}

impl Emitter<'_> {
    fn item(&self, m: &MInst<Tesla>, op: Op) -> Result<Item, Diagnostic> {
        let inst = self.encoder.encode(m, op)?;
        let label = m.labels().next().filter(|_| inst.row().operand("target").is_some());
        let join = (m.mods.carries == Carried::Join).then_some(m.mods.id);
        Ok(Item { inst: inst.into(), target: label.map(Target::Block), join, loc: m.loc })
    }

    /// An instruction that does nothing, for what it carries.
    fn carrier(&self, carries: Carried, id: u16, loc: Loc) -> Result<Item, Diagnostic> {
        let mut nop = build::Nop.on([]).at(loc);
        nop.mods = Mods { carries, id, ..nop.mods };
        self.item(&nop, Op::Nop)
    }

    /// One that pushes an address. Which one is looked up by its number, so the label is not looked at.
    fn push(&self, m: &MInst<Tesla>, op: Op, to: Target) -> Result<Item, Diagnostic> {
        let item = self.item(&MInst::new(TOp::M(op)).arg(BlockId(0)).at(m.loc), op)?;
        Ok(Item { target: Some(to), ..item })
    }

    /// Emits everything.
    ///
    /// # Errors
    /// `Internal` for an instruction that no form holds.
    pub fn emit(&self, mf: &MFunc<Tesla>) -> Result<Program, Diagnostic> {
        let mut items: Vec<Item> = Vec::with_capacity(mf.inst_count());
        let mut starts: Vec<usize> = Vec::with_capacity(mf.code.len());
        // Where loop exits lead.
        let mut exits: Vec<(u16, BlockId)> = Vec::new();
        for (b, insts) in mf.code.iter().enumerate() {
            starts.push(items.len());
            for m in insts {
                items.push(match m.target_op() {
                    Some(TOp::M(op)) => self.item(m, op)?,
                    Some(TOp::LoopExit) => {
                        exits.push((m.mods.id, BlockId(b as u32)));
                        continue;
                    }
                    Some(TOp::Join) => self.carrier(Carried::Join, m.mods.id, Loc::UNKNOWN)?,
                    Some(TOp::JoinAt) => self.push(m, Op::JoinAt, Target::Join(m.mods.id))?,
                    Some(TOp::PreBrk) => self.push(m, Op::PreBrk, Target::LoopExit(m.mods.id))?,
                    Some(TOp::Exit) => self.carrier(Carried::Exit, 0, m.loc)?,
                    _ => return Err(Diagnostic::internal("emission", format!("{m:?} is left"))),
                });
            }
        }
        let runs: Vec<u64> = mf.blocks.iter().map(|b| b.runs).collect();
        self.finish(&items, (&starts, &runs), &exits)
    }

    /// Addresses, targets, bytes. Of each block it is told the first item and how often it runs.
    fn finish(
        &self,
        items: &[Item],
        (starts, runs): (&[usize], &[u64]),
        exits: &[(u16, BlockId)],
    ) -> Result<Program, Diagnostic> {
        let mut at = Vec::with_capacity(items.len() + 1);
        let mut pc = 0u32;
        for i in items {
            at.push(pc);
            pc += u32::from(i.inst.row().bytes);
        }
        at.push(pc);
        if pc > REACH {
            let what = format!("has branches that reach {REACH} bytes of code, this needs {pc}");
            return Err(self.job.refuse(gpucc_ir::Refusal::ProgramSize, what));
        }
        // Where the join and the loop exit of each number are.
        let mut joins: Vec<Option<usize>> = Vec::new();
        for (k, id) in items.iter().enumerate().filter_map(|(k, i)| Some((k, usize::from(i.join?)))) {
            joins.resize(joins.len().max(id + 1), None);
            joins[id].get_or_insert(k);
        }
        let mut leaves: Vec<Option<BlockId>> = Vec::new();
        for &(id, b) in exits {
            leaves.resize(leaves.len().max(usize::from(id) + 1), None);
            leaves[usize::from(id)].get_or_insert(b);
        }
        let bug = |m: String| Diagnostic::internal("emission", m);
        let block = |b: BlockId| at[starts[b.0 as usize]];
        let mut p = Program {
            code: Vec::with_capacity(pc as usize),
            lines: Vec::new(),
            instructions: items.len() as u64,
            short: 0,
            immediate: 0,
            movs: 0,
            branches: 0,
            memory: 0,
            issue: 0,
        };
        let cx = self.encoder.text_cx();
        let mut b = 0;
        for (k, item) in items.iter().enumerate() {
            while starts.get(b + 1).is_some_and(|&s| s <= k) {
                b += 1;
            }
            let mut inst = item.inst;
            if let Some(t) = item.target {
                let address = match t {
                    Target::Block(b) => block(b),
                    Target::Join(id) => {
                        let j = joins.get(usize::from(id)).copied().flatten();
                        at[j.ok_or_else(|| bug(format!("join {id} is nowhere")))?]
                    }
                    Target::LoopExit(id) => {
                        let e = leaves.get(usize::from(id)).copied().flatten();
                        block(e.ok_or_else(|| bug(format!("loop exit {id} is nowhere")))?)
                    }
                };
                inst.set("target", address / 4);
            }
            if self.job.options.verify || cfg!(debug_assertions) {
                machine::Tesla::validate(&inst.unpack(), &cx).map_err(|e| bug(format!("{inst:?}: {e}")))?;
            }
            let Some((word, bytes)) = inst.encode(self.encoder.generation) else {
                return Err(bug(format!("{inst:?} does not exist on this generation")));
            };
            if bytes == 8 && at[k] % 8 != 0 {
                return Err(bug(format!("{inst:?} begins at an odd word")));
            }
            // Operands of arithmetic load too.
            let loc = item.loc;
            if loc != Loc::UNKNOWN && (loc.is_access() || p.lines.last().is_none_or(|l| l.1 != loc)) {
                p.lines.push((at[k], loc));
            }
            p.code.extend_from_slice(&word.to_le_bytes()[..bytes]);
            let row = inst.row();
            p.short += u64::from(bytes == 4);
            p.immediate += u64::from(row.operand("imm").is_some() && bytes == 8);
            p.movs += u64::from(row.op == Op::Mov && row.operand("imm").is_none());
            p.branches += u64::from(matches!(row.op, Op::Bra | Op::Brk));
            p.memory += u64::from(machine::Unit::of(row) == machine::Unit::Memory);
            p.issue = p.issue.saturating_add(u64::from(row.attrs.issue) * runs.get(b).copied().unwrap_or(1));
        }
        Ok(p)
    }
}

/// Bytes of code that branches reach: their targets are 22 bits of words.
const REACH: u32 = 4 << 22;
