//! From allocated machine IR to instruction words: encoding, block layout, branch distances.

use gpucc_driver::Job;
use gpucc_ir::{Diagnostic, Loc};
use gpucc_isa::{Row, TextCx};
use gpucc_mir::{MFunc, MInst, Use};
use gpucc_valhall_machine as machine;
use gpucc_valhall_machine::build::{can_set_src, dst, flow, inst as blank, set_run, set_src};
use gpucc_valhall_machine::{Kind, Op, ROWS, Unit};

use crate::ValhallFamily;
use crate::flow::{Access, Item, Line, Lines};
use crate::forms::{self, Definition};
use crate::target::{Mods, VOp, Valhall};

/// The finished program.
pub struct Program {
    /// The code.
    pub code: Vec<u8>,
    /// What it asks of the units.
    pub work: Work,
    /// The same, each as often as its block runs.
    pub time: Work,
    /// Location of each instruction.
    pub locs: Vec<Loc>,
    /// Branches that go back.
    pub loops: u64,
}

/// Instructions by unit; those on pairs of registers count twice where the unit does lanes.
#[derive(Default)]
pub struct Work {
    pub fma: u64,
    pub cvt: u64,
    pub sfu: u64,
    pub ls: u64,
}

impl Work {
    fn add(&mut self, row: &Row<machine::Valhall>, runs: u64) {
        let wide = row.slots.iter().any(|s| matches!(s.kind, Kind::Dst(machine::kind::DstKind::Pair)));
        let words = if wide { 2 } else { 1 };
        let (unit, n) = match row.facts.unit {
            Unit::Fma => (&mut self.fma, words),
            Unit::Cvt => (&mut self.cvt, words),
            Unit::Sfu => (&mut self.sfu, words),
            Unit::Ls => (&mut self.ls, 1),
            _ => return,
        };
        *unit = unit.saturating_add(n * runs);
    }

    /// What the busiest unit takes, in 64ths of a cycle: FMA and CVT do 64 lanes a cycle, SFU 16, the load/store unit one access.
    pub fn bound(&self) -> u64 {
        self.fma.max(self.cvt).max(self.sfu.saturating_mul(4)).max(self.ls.saturating_mul(64))
    }
}

fn bug(message: impl Into<String>) -> Diagnostic {
    Diagnostic::internal("emit", message)
}

fn units(p: gpucc_mir::PReg) -> u64 {
    p.place.units().fold(0, |m, u| m | 1 << u)
}

/// Encodes one instruction that is no branch.
fn encode(i: &MInst<Valhall>) -> Result<Item, Diagnostic> {
    let Some(VOp::Op(op)) = i.target_op() else { return Err(bug(format!("{i:?} is not an instruction"))) };
    let (row, form) = (&ROWS[op as usize], forms::of(op));
    let mut inst = blank(op);
    for &(slot, m) in &form.modifiers {
        if let Some(v) = m.value(&i.mods, row.facts.bytes) {
            inst.vals[usize::from(slot)] = v;
        }
    }
    let (mut reads, mut staging, mut writes) = (0, 0, 0);
    let mut uses = i.uses.iter();
    if let Some(run) = form.read_run {
        let p = uses.next().and_then(Use::phys).ok_or_else(|| bug(format!("{op:?} without its run")))?;
        set_run(&mut inst, run.name(), p.place.base() as u8, u32::from(p.place.len()));
        staging = units(p);
    }
    for s in &form.sources {
        let u = uses.next().ok_or_else(|| bug(format!("{op:?} lacks a source")))?;
        let operand = forms::operand(u).map_err(|e| bug(format!("{op:?}: {e}")))?;
        if !can_set_src(&inst, usize::from(s.position), operand) {
            return Err(bug(format!("{op:?} cannot take {u:?} as source {}", s.position)));
        }
        set_src(&mut inst, usize::from(s.position), operand);
        if let Some(p) = u.phys() {
            reads |= units(p);
        }
    }
    if uses.next().is_some() {
        return Err(bug(format!("{op:?} has too many sources: {i:?}")));
    }
    if let Some(d) = i.defs.first() {
        let p = d.phys().ok_or_else(|| bug(format!("{i:?} has no register")))?;
        let (base, len) = (p.place.base() as u8, u32::from(p.place.len()));
        match form.definition {
            Some(Definition::Run(run)) => set_run(&mut inst, run.name(), base, len),
            Some(Definition::Register(slot) | Definition::Pair(slot)) => {
                inst.vals[usize::from(slot)] = dst::full(base);
            }
            None => return Err(bug(format!("{op:?} defines nothing"))),
        }
        writes = units(p);
    }
    if op == Op::Barrier {
        inst.set("flow", flow::WAIT);
    }
    let mut item = Item::new(inst, i.loc);
    (item.reads, item.staging, item.writes) = (reads, staging, writes);
    if row.facts.class.is_message() {
        let (effects, Mods { space, readonly, key, .. }) = (row.effects, i.mods);
        let key = (key != 0).then_some(key);
        item.message = true;
        item.access =
            (!readonly && (effects.reads || effects.writes)).then_some(Access { space, writes: effects.writes, key });
    }
    Ok(item)
}

/// A conditional or unconditional branch.
fn branch(cond: Option<(&Use<Valhall>, bool)>, to: usize, loc: Loc) -> Result<Item, Diagnostic> {
    let mut inst = blank(Op::Branchz);
    let (mut reads, mut eq) = (0, true);
    if let Some((u, zero)) = cond {
        set_src(&mut inst, 0, forms::operand(u).map_err(bug)?);
        reads = u.phys().map_or(0, units);
        eq = zero;
    }
    inst.set("eq", u32::from(eq));
    let mut item = Item::new(inst, loc);
    item.reads = reads;
    item.target = Some(to as u32);
    item.conditional = cond.is_some();
    Ok(item)
}

/// Blocks as lists of instructions, with branches where control does not just go on.
fn lines(mf: &MFunc<Valhall>) -> Result<Lines, Diagnostic> {
    let n = mf.blocks.len();
    let mut out =
        Lines { items: Vec::with_capacity(mf.inst_count()), added: Vec::new(), blocks: Vec::with_capacity(n) };
    for (b, insts) in mf.code.iter().enumerate() {
        let mut line = Line { items: out.items.len()..out.items.len(), ..Line::default() };
        let items = &mut out.items;
        for i in insts {
            let label = || i.labels().next().map(|l| l.0 as usize).ok_or_else(|| bug("a branch without a target"));
            match i.target_op() {
                Some(VOp::End) => line.ends = true,
                Some(VOp::Fence) => items.push(Item::fence(i.loc)),
                Some(VOp::Jump) => {
                    let to = label()?;
                    line.together |= i.mods.together;
                    line.succs.push(to as u32);
                    // To the block that comes next control goes by itself.
                    if to != b + 1 {
                        items.push(branch(None, to, i.loc)?);
                    }
                }
                Some(VOp::Branch) => {
                    let to = label()?;
                    line.succs.push(to as u32);
                    let mut item = branch(Some((&i.uses[0], i.mods.eq)), to, i.loc)?;
                    item.uniform = i.mods.uniform;
                    items.push(item);
                }
                _ => items.push(encode(i)?),
            }
        }
        line.items.end = items.len();
        out.blocks.push(line);
    }
    Ok(out)
}

/// Instructions that a branch goes past, at most: its offset has 27 bits, with sign.
const FAR: i64 = 1 << 26;

/// Encodes a function whose registers are physical.
///
/// # Errors
/// A program that is longer than a branch reaches. A compiler bug: an operand that the table cannot hold, or a rule of the machine broken.
pub fn emit(mf: &MFunc<Valhall>, job: &Job<'_, ValhallFamily>) -> Result<Program, Diagnostic> {
    let (generation, check) = (job.generation, job.options.verify);
    let lines = lines(mf)?;
    let Lines { items, added, blocks } = crate::flow::run(lines);
    let count = items.len() + added.len();
    if count as i64 > FAR {
        let what = format!("has branches that reach {FAR} instructions, this needs {count}");
        return Err(job.refuse(gpucc_ir::Refusal::ProgramSize, what));
    }
    let mut p = Program {
        code: Vec::with_capacity(count * 8),
        work: Work::default(),
        time: Work::default(),
        locs: Vec::with_capacity(count),
        loops: 0,
    };
    let mut put = |item: &Item, runs: u64| {
        let mut inst = item.inst;
        let here = p.locs.len() as i64;
        if let Some(to) = item.target {
            let distance = blocks[to as usize].start as i64 - here - 1;
            p.loops += u64::from(distance < 0);
            if !(-FAR..FAR).contains(&distance) {
                return Err(bug(format!("a branch over {distance} instructions")));
            }
            inst.set("offset", distance as u32 & 0x7ff_ffff);
        }
        if check || cfg!(debug_assertions) {
            let inst = inst.unpack();
            machine::table().validate(&inst, &TextCx::new(generation)).map_err(|e| {
                let mut text = String::new();
                machine::text::print(&inst, &mut text);
                bug(format!("`{text}` breaks a rule: {e}"))
            })?;
        }
        let (word, bytes) = inst.encode(generation).ok_or_else(|| bug(format!("{inst:?} does not exist here")))?;
        p.code.extend_from_slice(&word.to_le_bytes()[..bytes]);
        p.work.add(inst.row(), 1);
        p.time.add(inst.row(), runs);
        let access = inst.row().facts.unit == machine::Unit::Ls;
        p.locs.push(if access { item.loc } else { item.loc.plain() });
        Ok(())
    };
    let mut added = added.iter().peekable();
    let mut b = 0;
    for k in 0..=items.len() {
        while b + 1 < blocks.len() && blocks[b].items.end <= k {
            b += 1;
        }
        let runs = mf.blocks.get(b).map_or(1, |b| b.runs);
        while let Some((_, item)) = added.next_if(|a| a.0 == k) {
            put(item, runs)?;
        }
        if let Some(item) = items.get(k).filter(|i| i.is_code()) {
            put(item, runs)?;
        }
    }
    Ok(p)
}
