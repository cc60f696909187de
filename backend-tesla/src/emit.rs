//! From machine instructions on physical registers to the rows of the table, their order kept, short ones in pairs.

use gpucc_driver::Job;
use gpucc_ir::{Diagnostic, Loc};
use gpucc_isa::{Inst, Isa as _, ModValue as _, Packed, TextCx, stage::CS};
use gpucc_mir::{BlockId, MFunc, MInst, PReg, Src};
use gpucc_tesla_machine as machine;
use machine::operand::{DISCARD, half as half_index, put};
use machine::{AddOp, Addr, Cond, Kind, Op, Operand, Pred, Round, Width, table};

use crate::TeslaFamily;
use crate::builders as build;
use crate::forms;
use crate::slots::Slot;
use crate::target::{A, C, Half, Lock, Mods, R, SrcMods, TOp, Tesla, ZERO};

/// Which form of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    Short,
    Immediate,
    Long,
}

/// A branch target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Target {
    Block(BlockId),
    Join(u16),
    LoopExit(u16),
    /// This many bytes after the instruction's own address.
    Ahead(i32),
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
    pub t: &'a Tesla,
    pub job: &'a Job<'a, TeslaFamily>,
    /// Place in c0 of each word of the pool.
    pub words: &'a [u16],
    /// Registers allocated; higher ones read 0.
    pub registers: u16,
}

impl Emitter<'_> {
    fn cx(&self) -> TextCx {
        TextCx { stages: CS, ..TextCx::new(self.t.generation) }
    }

    /// An operand for a slot of this width, short or not.
    fn operand(&self, src: Src, m: SrcMods, width: Width, short: bool, a: u8) -> Option<Operand> {
        let high = m.half == Half::High;
        match src {
            Src::Reg(gpucc_mir::Reg::P(p)) if p.file == R => {
                if (width == Width::H) != (m.half != Half::Whole) {
                    return None;
                }
                let mut n = p.place.base() as u8;
                if p == ZERO && (short || width == Width::H) {
                    n = 63;
                    if self.registers > 63 {
                        return None;
                    }
                }
                Some(Operand::Reg(if width == Width::H { half_index(n, high) as u8 } else { n }))
            }
            Src::Uniform(n) => {
                let up = i32::from(high) * 2;
                match Slot::unpack(n) {
                    Slot::Pool(k) => {
                        let word = *self.words.get(k as usize)?;
                        Some(Operand::Const(0, Addr::at(i32::from(word) * 4 + up)))
                    }
                    Slot::Const(c, off) => Some(Operand::Const(c, Addr::at(i32::from(off) + up))),
                    Slot::Shared(ty, off) => Some(Operand::Shared(ty, Addr::at(off.into()))),
                    Slot::SharedAt(ty, off) => Some(Operand::Shared(ty, Addr::indexed(a, off.into()))),
                }
            }
            _ => None,
        }
    }

    /// The instruction in one form, if it fits there.
    fn form(&self, m: &MInst<Tesla>, op: Op, form: Form, ei: u32) -> Option<Inst<machine::Tesla>> {
        let mut sources: Vec<(Src, SrcMods)> = Vec::new();
        let (mut areg, mut creg) = (0u8, None);
        for u in &m.uses {
            match u.src {
                Src::Reg(gpucc_mir::Reg::P(p)) if p.file == A => areg = p.place.base() as u8 + 1,
                Src::Reg(gpucc_mir::Reg::P(p)) if p.file == C => creg = Some(p.place.base() as u32),
                Src::Label(_) => {}
                s => sources.push((s, u.mods)),
            }
        }
        if m.mods.half != Half::Whole {
            // A further source only keeps the other half of the destination.
            sources.truncate(build::sources(op));
        }
        let def = |file| m.defs.iter().filter_map(|d| d.phys()).find(|p: &PReg| p.file == file);
        let (dst, cdst, adst) = (def(R), def(C), def(A));
        let has_imm = sources.iter().any(|s| matches!(s.0, Src::Imm(_)));
        let counted = matches!(op, Op::Shl | Op::Shr);
        let shift_imm = matches!(op, Op::ShlToA | Op::AddA) || counted;
        if has_imm != (form == Form::Immediate) && !shift_imm {
            return None;
        }
        let predicated = m.mods.pred != Pred::Always;
        let carry_in = m.mods.addop == AddOp::Addc;
        let (typed, from) = forms::types(op);
        let row = table().find(op, self.t.generation, |r| {
            (r.bytes == 4) == (form == Form::Short)
                && (form != Form::Immediate || shift_imm || r.slot("imm").is_some())
                && (form == Form::Immediate || shift_imm || r.slot("imm").is_none())
                && (!counted || r.slot("cnt").is_some() == has_imm)
                && (!typed || r.facts.ty == m.mods.ty)
                && (!from || r.facts.src == m.mods.src)
        })?;
        let mut i = Inst::<machine::Tesla>::new(row);
        let r = i.row();
        let has = |n: &str| r.slot(n).is_some();
        if (predicated || creg.is_some()) && !has("pred")
            || cdst.is_some() && !has("cdst")
            || m.mods.sat && !has("sat")
            || m.mods.high && !has("high")
            || ei != 0 && !has("ei")
            || dst.is_some() && !has("dst")
            || carry_in && form != Form::Long
            || m.mods.rnd != Round::Nearest && !has("rnd")
        {
            return None;
        }
        let cx = self.cx();
        let short = form != Form::Long;
        let mut next = 0;
        for (n, s) in r.slots.iter().enumerate() {
            match s.kind {
                Kind::Ei => i.vals[n] = ei,
                Kind::Pred => i.vals[n] = m.mods.pred.bits(),
                Kind::CReg => i.vals[n] = creg.unwrap_or(0),
                Kind::Lanes => i.vals[n] = 15,
                Kind::Dst(w) | Kind::DstO(w) => match dst {
                    Some(p) => {
                        let base = p.place.base() as u32;
                        i.vals[n] = if w == Width::H { base * 2 + u32::from(m.mods.half == Half::High) } else { base };
                        if i.vals[n] > s.field.max() >> u32::from(matches!(s.kind, Kind::DstO(_))) {
                            return None;
                        }
                    }
                    None if matches!(s.kind, Kind::DstO(_)) => i.vals[n] = DISCARD,
                    None => return None,
                },
                Kind::DstOF => i.vals[n] = 0x100 | dst?.place.base() as u32,
                Kind::CDst => i.vals[n] = cdst.map_or(0, |p| p.place.base() as u32 | 4),
                Kind::CDstAlways => i.vals[n] = cdst?.place.base() as u32,
                Kind::ADst => i.vals[n] = adst?.place.base() as u32 + 1,
                Kind::A if areg != 0 => i.vals[n] = areg.into(),
                Kind::Mem(space, scale) => {
                    let mut off = m.mods.offset;
                    // A word of c0 or of a uniform buffer in a register.
                    if let (machine::types::Space::Const, Some(&(Src::Uniform(u), _))) = (space, sources.first()) {
                        next = 1;
                        let (c, at) = match Slot::unpack(u) {
                            Slot::Pool(k) => (0, u32::from(*self.words.get(k as usize)?) * 4),
                            Slot::Const(c, at) => (c, at.into()),
                            _ => return None,
                        };
                        off = at;
                        i.set("cidx", c.into());
                    }
                    if !off.is_multiple_of(u32::from(scale)) {
                        return None;
                    }
                    i.vals[n] = off / u32::from(scale);
                    if i.vals[n] > s.field.max() {
                        return None;
                    }
                }
                Kind::Glob | Kind::HalfOrFull => {
                    let (src, _) = *sources.get(next)?;
                    next += 1;
                    let Src::Reg(gpucc_mir::Reg::P(p)) = src else { return None };
                    let base = p.place.base() as u32;
                    i.vals[n] = base | if matches!(s.kind, Kind::Glob) { u32::from(m.mods.space) << 7 } else { 0x80 };
                }
                Kind::SameAsDst => {
                    let (src, _) = *sources.get(next)?;
                    next += 1;
                    if src != Src::Reg(gpucc_mir::Reg::P(dst?)) {
                        return None;
                    }
                }
                Kind::Num => {
                    let (src, mods) = *sources.get(next)?;
                    next += 1;
                    let Src::Imm(v) = src else { return None };
                    if mods != SrcMods::default() || v > s.field.max() {
                        return None;
                    }
                    i.vals[n] = v;
                }
                Kind::Src1(w) | Kind::Src2(w) | Kind::Src3(w) | Kind::SSrc1(w) | Kind::SSrc2(w) | Kind::ISrc1(w) => {
                    let (src, mods) = *sources.get(next)?;
                    next += 1;
                    let o = self.operand(src, mods, w, short, areg)?;
                    put(&mut i, n, o, &cx).ok()?;
                }
                Kind::Reg(w) => {
                    let (src, mods) = *sources.get(next)?;
                    next += 1;
                    let o = self.operand(src, mods, if w == Width::H { w } else { Width::S }, short, areg)?;
                    put(&mut i, n, o, &cx).ok()?;
                }
                Kind::BarCount => i.vals[n] = 1 << 12,
                Kind::Flag("inc" | "wait") => i.vals[n] = 1,
                Kind::Flag(_) | Kind::Enum(_) => {
                    i.vals[n] = match s.name {
                        "sat" => m.mods.sat.into(),
                        "high" => m.mods.high.into(),
                        "s" | "s1" | "s2" => m.mods.signed.into(),
                        "cond" => m.mods.cond.bits(),
                        "rnd" => m.mods.rnd.bits(),
                        "addop" => m.mods.addop.bits(),
                        _ => continue,
                    };
                }
                _ => {}
            }
        }
        if next != sources.len() {
            return None;
        }
        self.modifiers(&mut i, &sources)?;
        Some(i)
    }

    /// Sign and complement flags of the sources.
    fn modifiers(&self, i: &mut Inst<machine::Tesla>, sources: &[(Src, SrcMods)]) -> Option<()> {
        let r = i.row();
        let unary = r.slot("neg").is_some();
        for (k, (_, m)) in sources.iter().enumerate() {
            for (on, name) in [(m.neg, "neg"), (m.abs, "abs"), (m.not, "not")] {
                if !on {
                    continue;
                }
                // The second source of a sum is SRC3 in long forms.
                let names = if unary {
                    vec![name.to_owned()]
                } else if k == 1 && r.slot("src2").is_none() {
                    vec![format!("{name}3"), format!("{name}2")]
                } else {
                    vec![format!("{name}{}", k + 1)]
                };
                let slot = names.iter().find_map(|n| r.slot(n))?;
                i.vals[slot] = 1;
            }
        }
        Some(())
    }

    fn bug(m: &MInst<Tesla>) -> Diagnostic {
        Diagnostic::internal("emission", format!("no form for {m:?}"))
    }

    /// The long or immediate form.
    fn long(&self, m: &MInst<Tesla>, op: Op, ei: u32) -> Result<Inst<machine::Tesla>, Diagnostic> {
        self.form(m, op, Form::Long, ei)
            .or_else(|| if ei == 0 { self.form(m, op, Form::Immediate, 0) } else { None })
            .ok_or_else(|| Self::bug(m))
    }

    fn nop(&self, ei: u32) -> Result<Inst<machine::Tesla>, Diagnostic> {
        self.long(&build::Nop.on([]), Op::Nop, ei)
    }

    fn flow(&self, op: Op) -> Result<Inst<machine::Tesla>, Diagnostic> {
        self.long(&MInst::new(TOp::M(op)), op, 0)
    }

    /// The loop around a locked word (docs/abi-tesla.md section 5).
    fn lock(&self, m: &MInst<Tesla>, lock: Lock) -> Result<Vec<Item>, Diagnostic> {
        let item = |inst: Inst<machine::Tesla>, target| Item { inst: inst.into(), target, join: None, loc: m.loc };
        let reg = |n: usize| m.defs.get(n).and_then(|d| d.phys()).ok_or_else(|| Self::bug(m));
        let (old, new, flags) = (reg(0)?, reg(1)?, reg(2)?);
        let use_ = gpucc_mir::Use::<Tesla>::preg;
        let held = Mods { pred: Pred::Less, ..Mods::default() };
        let data: Vec<_> = m.uses.iter().filter(|u| u.phys().is_some_and(|p| p.file == R)).copied().collect();
        let areg: Vec<_> = m.uses.iter().filter(|u| u.phys().is_some_and(|p| p.file == A)).copied().collect();
        let make = |op: Op, mods: Mods| MInst::<Tesla>::new(TOp::M(op)).mods(mods);
        let memory = Mods { offset: m.mods.offset, ..Mods::default() };
        let load = make(Op::LdLock, memory)
            .def(gpucc_mir::Def::preg(old))
            .def(gpucc_mir::Def::preg(flags))
            .args(areg.iter().copied());
        let mut body = vec![(Op::LdLock, load)];
        let value = match lock {
            Lock::Op(op, signed) => {
                let i = make(op, Mods { signed, ..held })
                    .def(gpucc_mir::Def::preg(new))
                    .arg(use_(old))
                    .arg(data[0])
                    .arg(use_(flags));
                body.push((op, i));
                use_(new)
            }
            Lock::Exchange => data[0],
            Lock::Cas => {
                let eq = make(Op::Set, Mods { cond: Cond::Equal, ..held })
                    .def(gpucc_mir::Def::preg(new))
                    .arg(use_(old))
                    .arg(data[0])
                    .arg(use_(flags));
                body.push((Op::Set, eq));
                let pick = make(Op::Slct, held)
                    .def(gpucc_mir::Def::preg(new))
                    .arg(use_(old))
                    .arg(data[1])
                    .arg(use_(new))
                    .arg(use_(flags));
                body.push((Op::Slct, pick));
                use_(new)
            }
        };
        let store = make(Op::StUnlock, Mods { pred: Pred::Less, ..memory }).arg(value).args(areg).arg(use_(flags));
        body.push((Op::StUnlock, store));
        let leave = make(Op::Brk, held).arg(use_(flags));
        body.push((Op::Brk, leave));
        let n = body.len() as i32;
        let mut out = vec![item(self.flow(Op::PreBrk)?, Some(Target::Ahead((n + 2) * 8)))];
        for (op, i) in &body {
            out.push(item(self.long(i, *op, 0)?, None));
        }
        out.push(item(self.flow(Op::Bra)?, Some(Target::Ahead(-n * 8))));
        Ok(out)
    }

    fn is_short(&self, m: &MInst<Tesla>) -> bool {
        matches!(m.target_op(), Some(TOp::M(op)) if self.form(m, op, Form::Short, 0).is_some())
    }

    /// Moves a later short instruction to place `k`, where a short one stands alone, if nothing in between minds.
    fn pull_partner(&self, list: &mut [&MInst<Tesla>], k: usize) {
        for j in k + 1..list.len().min(k + 1 + WINDOW) {
            if !matches!(list[j - 1].target_op(), Some(TOp::M(op)) if !matches!(op, Op::Bar | Op::Bra | Op::Brk)) {
                return;
            }
            let x = list[j];
            if is_movable(x) && self.is_short(x) && list[k..j].iter().all(|y| independent(x, y)) {
                list[k..=j].rotate_right(1);
                return;
            }
        }
    }

    /// Emits everything.
    ///
    /// # Errors
    /// `Internal` for an instruction that no form holds.
    pub fn emit(&self, mf: &MFunc<Tesla>) -> Result<Program, Diagnostic> {
        let mut items: Vec<Item> = Vec::new();
        let mut starts: Vec<usize> = Vec::with_capacity(mf.blocks.len());
        // Where loop exits lead.
        let mut exits: Vec<(u16, BlockId)> = Vec::new();
        for (b, insts) in mf.code.iter().enumerate() {
            starts.push(items.len());
            let mut list: Vec<&MInst<Tesla>> = Vec::new();
            let mut joins: Vec<u16> = Vec::new();
            for m in insts {
                match m.target_op() {
                    Some(TOp::LoopExit) => exits.push((m.mods.id, BlockId(b as u32))),
                    Some(TOp::Join) => joins.push(m.mods.id),
                    _ => list.push(m),
                }
            }
            let mut from = 0;
            for (k, &id) in joins.iter().enumerate() {
                // The last join rides on the first instruction, where that can carry it.
                let carrier = list.first().filter(|m| k + 1 == joins.len() && carries_join(m));
                let carried = match carrier.and_then(|m| m.target_op().map(|op| (m, op))) {
                    Some((m, TOp::M(op))) => self.form(m, op, Form::Long, 2).map(|i| (i, m.loc)),
                    _ => None,
                };
                let (inst, loc) = match carried {
                    Some(c) => {
                        from = 1;
                        c
                    }
                    None => (self.nop(2)?, Loc::UNKNOWN),
                };
                items.push(Item { inst: inst.into(), target: None, join: Some(id), loc });
            }
            let mut k = from;
            while k < list.len() {
                let m = list[k];
                k += 1;
                let op = match m.target_op() {
                    Some(TOp::M(op)) => op,
                    Some(TOp::Lock(l)) => {
                        items.extend(self.lock(m, l)?);
                        continue;
                    }
                    Some(TOp::JoinAt) => {
                        let inst = self.flow(Op::JoinAt)?.into();
                        items.push(Item { inst, target: Some(Target::Join(m.mods.id)), join: None, loc: m.loc });
                        continue;
                    }
                    Some(TOp::PreBrk) => {
                        let inst = self.flow(Op::PreBrk)?.into();
                        items.push(Item { inst, target: Some(Target::LoopExit(m.mods.id)), join: None, loc: m.loc });
                        continue;
                    }
                    Some(TOp::Exit) => {
                        items.push(Item { inst: self.nop(1)?.into(), target: None, join: None, loc: m.loc });
                        continue;
                    }
                    _ => return Err(Self::bug(m)),
                };
                let item =
                    |inst: Inst<machine::Tesla>| Item { inst: inst.into(), target: None, join: None, loc: m.loc };
                // The end rides on the last instruction.
                if list.get(k).is_some_and(|n| n.target_op() == Some(TOp::Exit))
                    && carries_exit(op)
                    && m.mods.pred == Pred::Always
                    && let Some(inst) = self.form(m, op, Form::Long, 1)
                {
                    items.push(item(inst));
                    break;
                }
                let short = self.form(m, op, Form::Short, 0);
                if short.is_some() && list.get(k).is_some_and(|n| !self.is_short(n)) {
                    self.pull_partner(&mut list, k);
                }
                // Two short ones, or a long one.
                let ends_here = |n: &MInst<Tesla>| {
                    list.get(k + 1).is_some_and(|e| e.target_op() == Some(TOp::Exit))
                        && matches!(n.target_op(), Some(TOp::M(op)) if carries_exit(op))
                };
                if let Some(first) = short
                    && let Some(&n) = list.get(k)
                    && let Some(TOp::M(op2)) = n.target_op()
                    && !ends_here(n)
                    && let Some(second) = self.form(n, op2, Form::Short, 0)
                {
                    items.push(item(first));
                    items.push(Item { inst: second.into(), target: None, join: None, loc: n.loc });
                    k += 1;
                    continue;
                }
                let inst = self.long(m, op, 0)?.into();
                let label = m.labels().next().filter(|_| op == Op::Bra);
                items.push(Item { inst, target: label.map(Target::Block), join: None, loc: m.loc });
            }
        }
        let runs: Vec<u64> = mf.blocks.iter().map(|b| b.runs).collect();
        self.finish(&items, (&starts, &runs), &exits)
    }

    /// Addresses, targets, bytes.
    /// `blocks` are the first item of each and how often it runs.
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
        let cx = self.cx();
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
                    Target::Ahead(n) => at[k].wrapping_add_signed(n),
                };
                inst.set("target", address / 4);
            }
            if self.job.options.verify || cfg!(debug_assertions) {
                machine::Tesla::validate(&inst.unpack(), &cx).map_err(|e| bug(format!("{inst:?}: {e}")))?;
            }
            let Some((word, bytes)) = inst.encode(self.t.generation) else {
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
            p.immediate += u64::from(row.slot("imm").is_some() && bytes == 8);
            p.movs += u64::from(row.op == Op::Mov && row.slot("imm").is_none());
            p.branches += u64::from(matches!(row.op, Op::Bra | Op::Brk));
            p.memory += u64::from(machine::Unit::of(row) == machine::Unit::Memory);
            p.issue = p.issue.saturating_add(u64::from(row.facts.issue) * runs.get(b).copied().unwrap_or(1));
        }
        Ok(p)
    }
}

/// Bytes of code that branches reach: their targets are 22 bits of words.
const REACH: u32 = 4 << 22;

/// How far a short instruction is pulled up to be the partner of another.
const WINDOW: usize = 8;

/// Whether an instruction depends on general registers and constants alone.
fn is_movable(m: &MInst<Tesla>) -> bool {
    let constant = |u: &gpucc_mir::Use<Tesla>| match u.src {
        Src::Reg(gpucc_mir::Reg::P(p)) => p.file == R,
        Src::Uniform(n) => match Slot::unpack(n) {
            Slot::Pool(_) | Slot::Const(..) => true,
            Slot::Shared(machine::SharedTy::U16, off) => u32::from(off) < crate::isel::PARAMETERS,
            _ => false,
        },
        Src::Imm(_) => true,
        _ => false,
    };
    let pure = |op: TOp| {
        let e = op.effects();
        !(e.reads || e.writes || e.side_effect || e.convergent)
    };
    m.mods.pred == Pred::Always
        && m.uses.iter().all(constant)
        && m.defs.iter().all(|d| d.phys().is_some_and(|p| p.file == R))
        && m.target_op().is_some_and(pure)
}

/// Whether two instructions may change places as far as registers go.
fn independent(a: &MInst<Tesla>, b: &MInst<Tesla>) -> bool {
    let clash = |p: PReg, q: PReg| p.file == q.file && p.place.overlaps(q.place);
    let meets = |x: &MInst<Tesla>, y: &MInst<Tesla>| {
        x.defs.iter().filter_map(|d| d.phys()).any(|p| {
            y.defs.iter().filter_map(|d| d.phys()).any(|q| clash(p, q))
                || y.uses.iter().filter_map(|u| u.phys()).any(|q| clash(p, q))
        })
    };
    !meets(a, b) && !meets(b, a)
}

/// Whether an operation may carry `exit`: its rows have a place for that.
fn carries_exit(op: Op) -> bool {
    forms::carries(op)
}

/// Whether an instruction may carry `join`: plain arithmetic without a predicate.
fn carries_join(m: &MInst<Tesla>) -> bool {
    let near = |op: Op| {
        let e = forms::effects(op);
        forms::carries(op) && !(e.reads || e.writes)
    };
    let plain = matches!(m.target_op(), Some(TOp::M(op)) if near(op));
    plain && m.mods.pred == Pred::Always
}
