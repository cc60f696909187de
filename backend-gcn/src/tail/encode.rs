//! Encodes allocated machine IR: forms and branches. What depends on them alone is put in by the passes of the tail.

use gpucc_gcn_machine::build::{self as form, Form};
use gpucc_gcn_machine::operand::{self, inline};
use gpucc_gcn_machine::{Access, Attrs, Flag, Format, Gcn as Isa, Kind, Number, Op, Unit, rows};
use gpucc_ir::Loc;
use gpucc_isa::Inst;
use gpucc_mir::{BlockId, MFunc, Opcode, Pseudo, Ranges, Src};
use smallvec::{SmallVec, smallvec};

use crate::forms::{has_short, mask_source};
use crate::inst::{Cond, FILE_V, GOp, Gcn, IN_OPERAND, MI, Mods, U, is_exact};
use crate::tail::encoded::{Block, Code, EncodedInst, Facts, mask_op, row};

/// Puts modifiers where the row has them.
fn modify(m: &mut Inst<Isa>, mods: &Mods) {
    for (k, slot) in m.row().operands.iter().enumerate() {
        m.vals[k] = match slot.kind {
            Kind::Offset | Kind::Swizzle => mods.offset,
            Kind::Attr => mods.attr.into(),
            Kind::InterpParam => mods.param.into(),
            Kind::DMask => mods.dmask.into(),
            Kind::BufFormat => mods.format.into(),
            Kind::ExpTarget => mods.tgt.into(),
            Kind::ExpEn => mods.en.into(),
            Kind::Flag(Flag::Compr) => mods.compr.into(),
            Kind::Flag(Flag::Done) => mods.done.into(),
            Kind::Flag(Flag::Vm) => mods.vm.into(),
            Kind::Flag(Flag::Offen) => mods.offen.into(),
            Kind::Flag(Flag::Idxen) => mods.idxen.into(),
            Kind::Flag(Flag::Addr64) => mods.addr64.into(),
            Kind::Flag(Flag::Glc) => mods.glc.into(),
            Kind::Flag(Flag::Unorm) => mods.unorm.into(),
            Kind::Flag(Flag::Da) => mods.da.into(),
            Kind::Flag(Flag::Clamp) => mods.clamp.into(),
            _ if slot.name == "soffset" => mods.soffset.into(),
            _ => continue,
        };
    }
}

/// Codes of sources, each with its literal.
type Codes = SmallVec<[(u32, Option<u32>); 3]>;

/// Highest register of each file in use, plus one.
#[derive(Clone, Copy, Default, Debug)]
pub struct Used {
    /// Number of scalar registers that are used.
    pub sgprs: u32,
    /// Number of vector registers that are used.
    pub vgprs: u32,
}

struct Encoder {
    generation: u8,
    items: Vec<EncodedInst>,
    /// Location of what is being encoded.
    loc: Loc,
    used: Used,
}

impl Encoder {
    fn row(&self, op: Op, f: Form, literal: bool) -> u16 {
        row(op, f, literal, self.generation)
    }

    fn note(&mut self, r: &Ranges) {
        for &(from, n) in r {
            if from >= 256 {
                self.used.vgprs = self.used.vgprs.max(from - 256 + n);
            } else if from < 104 {
                self.used.sgprs = self.used.sgprs.max(from + n);
            }
        }
    }

    fn push(&mut self, inst: Inst<Isa>, reads: Ranges, writes: Ranges) -> &mut EncodedInst {
        self.note(&reads);
        self.note(&writes);
        self.items.push(EncodedInst { loc: self.loc, ..EncodedInst::new(inst, reads, writes) });
        let last = self.items.len() - 1;
        &mut self.items[last]
    }

    /// The block that is complete, as long as needed: so the lists of all lie one behind the other.
    fn take(&mut self) -> Vec<EncodedInst> {
        let mut block = Vec::with_capacity(self.items.len());
        block.append(&mut self.items);
        block
    }

    fn mask_op(&mut self, op: Op, dst: u32, a: u32, b: Option<u32>) {
        let i = mask_op(op, dst, a, b, self.generation);
        self.note(&i.reads);
        self.note(&i.writes);
        self.items.push(EncodedInst { loc: self.loc, ..i });
    }

    fn branch(&mut self, op: Op, to: usize) {
        let i = form::inst(self.row(op, Form::Short, false));
        self.push(i, smallvec![], smallvec![]).label = Some(BlockId(to as u32));
    }

    /// Code of a source: register, inline constant or (given back apart) literal.
    fn source(&self, u: &U, number: Number, reads: &mut Ranges) -> (u32, Option<u32>) {
        let mut code = match u.src {
            Src::Imm(b) => match inline(b, number, self.generation) {
                Some(c) => c,
                None => return (operand::LITERAL, Some(b)),
            },
            _ => {
                let Some(p) = u.phys() else { panic!("operand {u:?} was not allocated") };
                let base = u32::from(p.place.base());
                let n = u32::from(p.place.len());
                if p.file == FILE_V {
                    reads.push((256 + base, n));
                    256 + base
                } else {
                    reads.push((base, n));
                    base
                }
            }
        };
        if u.mods.neg {
            code |= operand::NEG;
        }
        if u.mods.abs {
            code |= operand::ABS;
        }
        (code, None)
    }

    fn barrier(&mut self, i: &MI) {
        let row = self.row(Op::SBarrier, Form::Short, false);
        if i.mods.sync {
            self.push(form::inst(row), smallvec![], smallvec![]);
        } else {
            // Memory order alone: a wait for everything does it.
            let w = form::inst(self.row(Op::SWaitcnt, Form::Short, false)).with("imm", form::waitcnt(0, 7, 0));
            self.push(w, smallvec![], smallvec![]).facts.barrier = true;
        }
        if i.mods.acquires {
            self.push(form::inst(self.row(Op::BufferWbinvl1, Form::Short, false)), smallvec![], smallvec![]);
        }
    }

    /// An instruction; `is_far` says whether enough follows that a wave without live lanes had better end.
    fn inst(&mut self, i: &MI, is_far: bool) {
        let op = match i.op {
            Opcode::Op(GOp::I(op)) => op,
            Opcode::Op(GOp::Choose(cmp)) => {
                self.compare(cmp, i);
                let mut reads = Ranges::new();
                let codes: Codes = i.uses[2..].iter().map(|u| self.source(u, Number::U32, &mut reads)).collect();
                let d = i.defs[0].phys().map_or(0, |p| u32::from(p.place.base()));
                self.scalar(Op::SCselectB32, &codes, Some(d), reads, smallvec![(d, 1)]);
                return;
            }
            Opcode::Op(_) | Opcode::Pseudo(Pseudo::LogicalEnd | Pseudo::LogicalStart) => return,
            Opcode::Pseudo(p) => panic!("{p:?} is left after allocation"),
        };
        if op == Op::SBarrier {
            return self.barrier(i);
        }
        let Some(Attrs { format, unit, access, number, .. }) = rows::of(op).map(|r| r.attrs) else { return };
        let mut reads = Ranges::new();
        let mut writes = Ranges::new();
        let mut dst = None;
        for d in &i.defs {
            let Some(p) = d.phys() else { continue };
            let base = u32::from(p.place.base()) + if p.file == FILE_V { 256 } else { 0 };
            // Nothing comes back that is not asked for.
            if access != Access::Atomic || !matches!(unit, Unit::Vmem | Unit::Flat) || i.mods.glc {
                writes.push((base, u32::from(p.place.len())));
            }
            dst = dst.or(Some(base));
        }
        let codes: Codes = i.uses.iter().map(|u| self.source(u, number, &mut reads)).collect();
        let reg = |k: usize| codes.get(k).map_or(0, |c| c.0 & 255);
        let mut m;
        if op == Op::Exp {
            m = form::inst(self.row(op, Form::Short, false));
            modify(&mut m, &i.mods);
            let enabled = i.mods.en;
            let used = |k: u32| {
                if i.mods.compr { k < 2 && enabled >> (2 * k) & 3 != 0 } else { enabled >> k & 1 == 1 }
            };
            let mut next = 0;
            for (k, slot) in ["src0", "src1", "src2", "src3"].into_iter().enumerate() {
                let on = used(k as u32);
                m.set(slot, if on { reg(next) } else { 0 });
                next += usize::from(on);
            }
        } else if unit == Unit::Interp {
            m = form::inst(self.row(op, Form::Short, false));
            m.set("vdst", dst.unwrap_or(0) & 255);
            modify(&mut m, &i.mods);
            // The second half adds to what the first one left in the destination.
            if m.row().operand("vsrc").is_some() {
                m.set("vsrc", codes.last().map_or(0, |c| c.0 & 255));
            }
            reads.push((operand::M0, 1));
        } else if i.mods.moves_lanes() {
            m = form::inst(self.row(op, Form::Dpp, false));
            m.set("vdst", dst.unwrap_or(0) & 255);
            m.set("src0", reg(0));
            if codes.len() > 1 {
                m.set("src1", reg(1));
            }
            m.set("dpp_ctrl", i.mods.dpp_ctrl.into());
            m.set("bound_ctrl", 1);
        } else if i.mods.idxen {
            // Attributes: the index, then the V#.
            m = form::inst(self.row(op, Form::Short, false));
            m.set("vdata", dst.unwrap_or(0) & 255);
            m.set("vaddr", reg(0));
            m.set("srsrc", codes.get(1).map_or(0, |c| c.0 / 4));
            m.set("soffset", 128);
            modify(&mut m, &i.mods);
        } else if format == Format::Mubuf {
            m = form::inst(self.row(op, Form::Short, false));
            let data = match dst {
                Some(d) => d - 256,
                None => reg(0),
            };
            let address = usize::from(access != Access::Load);
            m.set("vdata", data);
            m.set("vaddr", if i.mods.offen || i.mods.addr64 { reg(address) } else { 0 });
            modify(&mut m, &i.mods);
            if i.mods.srsrc == IN_OPERAND {
                m.set("srsrc", codes.last().map_or(0, |c| c.0 / 4));
            } else {
                m.set("srsrc", i.mods.srsrc.into());
                reads.push((u32::from(i.mods.srsrc) * 4, 4));
            }
            if i.mods.is_scratch() {
                reads.push((i.mods.soffset.into(), 1));
            }
        } else if format == Format::Flat {
            m = self.flat(op, i, &codes, dst);
            reads.push((operand::M0, 1));
        } else if format == Format::Mimg {
            m = self.image(op, i, &codes, dst);
        } else if format == Format::Ds {
            m = self.lds(op, i, &codes, dst);
        } else if unit == Unit::Smem {
            let table = if i.mods.sbase == IN_OPERAND { codes.first() } else { None };
            let register = codes.get(usize::from(table.is_some()));
            let row = match register {
                Some(_) => form::row_register_offset(op, self.generation)
                    .unwrap_or_else(|| panic!("{op:?} takes no offset from a register")),
                None => self.row(op, Form::Short, false),
            };
            m = form::inst(row);
            let sdst = if m.row().operand("sdst").is_some() { "sdst" } else { "sdata" };
            m.set(sdst, dst.unwrap_or(0));
            m.set("sbase", table.map_or(i.mods.sbase.into(), |c| c.0 / 2));
            m.set("offset", register.map_or(i.mods.offset, |c| c.0));
            let base = m.row().operands.iter().find_map(|s| match s.kind {
                Kind::SBase(n) => Some(u32::from(n)),
                _ => None,
            });
            if table.is_none() {
                reads.push((u32::from(i.mods.sbase) * 2, base.unwrap_or(0)));
            }
        } else if unit == Unit::Salu {
            let facts = self.scalar(op, &codes, dst, reads, writes);
            (facts.ends_dead_wave, facts.is_far) = (i.mods.ends_dead_wave, i.mods.ends_dead_wave && is_far);
            return;
        } else {
            m = self.vector(op, i, &codes, dst);
            if m.row().operand("sdst").is_some() && !writes.iter().any(|w| w.0 < 128) {
                writes.push((operand::VCC, 2));
            }
        }
        self.push(m, reads, writes).facts.exact = is_exact(i, op);
    }

    /// An access to workgroup memory.
    fn lds(&self, op: Op, i: &MI, codes: &[(u32, Option<u32>)], dst: Option<u32>) -> Inst<Isa> {
        let reg = |k: usize| codes.get(k).map_or(0, |c| c.0 & 255);
        let mut m = form::inst(self.row(op, Form::Short, false));
        m.set("addr", reg(0));
        if codes.len() > 1 {
            m.set("data0", reg(1));
        }
        if codes.len() > 2 {
            m.set("data1", reg(2));
        }
        if let Some(d) = dst {
            m.set("vdst", d - 256);
        }
        if m.row().operand("offset0").is_some() {
            m.set("offset0", i.mods.offset);
            m.set("offset1", i.mods.offset + 1);
        } else {
            m.set("offset", i.mods.offset);
        }
        m
    }

    /// An access by address: the address, then data.
    fn flat(&self, op: Op, i: &MI, codes: &[(u32, Option<u32>)], dst: Option<u32>) -> Inst<Isa> {
        let reg = |k: usize| codes.get(k).map_or(0, |c| c.0 & 255);
        let returning = form::row_returning(op, self.generation).filter(|_| i.mods.glc);
        let mut m = form::inst(returning.unwrap_or_else(|| self.row(op, Form::Short, false)));
        m.set("addr", reg(0));
        if codes.len() > 1 {
            m.set("data", reg(1));
        }
        if let (Some(d), Some(_)) = (dst, m.row().operand("vdst")) {
            m.set("vdst", d - 256);
        }
        modify(&mut m, &i.mods);
        m
    }

    /// Data where it is read, address, T#, and S# where there is one.
    fn image(&self, op: Op, i: &MI, codes: &[(u32, Option<u32>)], dst: Option<u32>) -> Inst<Isa> {
        let mut m = form::inst(self.row(op, Form::Short, false));
        let code = |k: usize| codes.get(k).map_or(0, |c| c.0);
        let first = usize::from(m.row().attrs.access != Access::Load);
        m.set("vdata", dst.unwrap_or(code(0)) & 255);
        m.set("vaddr", code(first) & 255);
        m.set("srsrc", code(first + 1) / 4);
        if m.row().operand("ssamp").is_some() {
            m.set("ssamp", code(first + 2) / 4);
        }
        modify(&mut m, &i.mods);
        m
    }

    fn scalar(
        &mut self,
        op: Op,
        codes: &[(u32, Option<u32>)],
        dst: Option<u32>,
        reads: Ranges,
        writes: Ranges,
    ) -> &mut Facts {
        let literal = codes.iter().find_map(|c| c.1);
        let mut m = form::inst(self.row(op, Form::Short, literal.is_some()));
        if let Some(d) = dst {
            m.set("sdst", d);
        }
        if let Some(value) = literal
            && m.row().operand("lit").is_none()
        {
            m.set("src0", value);
        } else {
            for (k, c) in codes.iter().enumerate() {
                m.set(["src0", "src1"][k], c.0);
            }
            if let Some(value) = literal {
                m.set("lit", value);
            }
        }
        &mut self.push(m, reads, writes).facts
    }

    /// Compares the first two uses.
    fn compare(&mut self, cmp: Op, i: &MI) {
        let mut reads = Ranges::new();
        let codes: Codes = i.uses[..2].iter().map(|u| self.source(u, Number::U32, &mut reads)).collect();
        self.scalar(cmp, &codes, None, reads, smallvec![]);
    }

    fn vector(&self, op: Op, i: &MI, codes: &[(u32, Option<u32>)], dst: Option<u32>) -> Inst<Isa> {
        if matches!(op, Op::VReadlaneB32 | Op::VWritelaneB32) {
            let d = dst.unwrap_or(0);
            let m = form::inst(self.row(op, Form::Short, false)).with("vdst", if d >= 256 { d - 256 } else { d });
            return m.with("src0", codes[0].0).with("src1", codes[1].0);
        }
        if matches!(op, Op::VMadmkF32 | Op::VMadakF32 | Op::VMadmkF16 | Op::VMadakF16) {
            let m = form::inst(self.row(op, Form::Short, true)).with("vdst", dst.map_or(0, |d| d - 256));
            return m.with("src0", codes[0].0).with("src1", codes[1].0 - 256).with("k", i.mods.k);
        }
        // The sum in the place of its addend has a short form.
        let marks = operand::NEG | operand::ABS;
        if matches!(op, Op::VMadF32 | Op::VMadF16)
            && !i.mods.clamp
            && dst == Some(codes[2].0)
            && codes[..2].iter().all(|c| c.1.is_none() && c.0 & marks == 0)
            && codes[..2].iter().any(|c| c.0 >= 256)
        {
            let (a, b) = if codes[1].0 >= 256 { (codes[0].0, codes[1].0) } else { (codes[1].0, codes[0].0) };
            let short = if op == Op::VMadF32 { Op::VMacF32 } else { Op::VMacF16 };
            let m = form::inst(self.row(short, Form::Short, false)).with("vdst", codes[2].0 - 256);
            return m.with("src0", a).with("src1", b - 256);
        }
        let plain = |c: u32| c & (operand::NEG | operand::ABS) == 0;
        let literal = codes.iter().find_map(|c| c.1);
        let short = !i.mods.long
            && !i.mods.clamp
            && codes.iter().all(|c| plain(c.0))
            && codes.len() <= 2
            && codes.get(1).is_none_or(|c| c.0 >= 256)
            && has_short(op, self.generation);
        let name = |k: usize| ["src0", "src1", "src2"][k];
        if short {
            let mut m = form::inst(self.row(op, Form::Short, literal.is_some()));
            // v_readfirstlane has a scalar destination in the same slot.
            m.set("vdst", dst.map_or(0, |d| if d >= 256 { d - 256 } else { d }));
            match literal {
                Some(v) => m.set("src0", v),
                None => m.set("src0", codes[0].0),
            }
            if let Some(c) = codes.get(1) {
                m.set("src1", c.0 - 256);
            }
            return m;
        }
        let mut m = form::inst(self.row(op, Form::Long, false));
        let mask = mask_source(op);
        for (k, c) in codes.iter().enumerate() {
            if mask == Some(k) {
                m.set("mask", c.0);
            } else {
                m.set(name(k), c.0);
            }
        }
        match dst {
            Some(d) if d >= 256 => m.set("vdst", d - 256),
            Some(d) if m.row().operand("sdst").is_some() => m.set("sdst", d),
            Some(d) => m.set("vdst", d),
            None => {}
        }
        if m.row().operand("sdst").is_some() && dst.is_some_and(|d| d >= 256) {
            let carry = i.defs.get(1).and_then(gpucc_mir::Def::phys);
            m.set("sdst", carry.map_or(operand::VCC, |p| p.place.base().into()));
        }
        if i.mods.clamp {
            m.set("clamp", 1);
        }
        m
    }

    /// The end of a block.
    fn leave(&mut self, i: &MI, next: usize) {
        let to: Vec<usize> = i.labels().map(|l| l.0 as usize).collect();
        match (i.target_op(), to.as_slice()) {
            (Some(GOp::Jump), &[t]) if t != next => self.branch(Op::SBranch, t),
            (Some(GOp::End), _) => {
                let row = self.row(Op::SEndpgm, Form::Short, false);
                self.push(form::inst(row), smallvec![], smallvec![]);
            }
            (Some(GOp::Branch(_)), &[t, e]) if t == e && t == next => {}
            (Some(GOp::Branch(_)), &[t, e]) if t == e => self.branch(Op::SBranch, t),
            (Some(GOp::Branch(cond)), &[t, e]) => {
                let (yes, no) = match cond {
                    Cond::Active => (Op::SCbranchExecnz, Op::SCbranchExecz),
                    _ => (Op::SCbranchScc1, Op::SCbranchScc0),
                };
                match cond {
                    Cond::Active => {}
                    Cond::Scalar(cmp) => self.compare(cmp, i),
                    Cond::Lanes => {
                        let mask = i.uses[0].phys().map_or(0, |p| u32::from(p.place.base()));
                        self.mask_op(Op::SAndB64, operand::VCC, operand::EXEC, Some(mask));
                    }
                }
                if t == next {
                    self.branch(no, e);
                } else {
                    self.branch(yes, t);
                    if e != next {
                        self.branch(Op::SBranch, e);
                    }
                }
            }
            _ => {}
        }
    }
}

/// A program with no more instructions than this behind a discard continues without live lanes.
const SHORT: usize = 16;

/// Encodes an allocated function; `fixed` scalar registers hold what it needs everywhere.
pub fn encode(mf: MFunc<Gcn>, fixed: u32, generation: u8) -> (Code, Used) {
    let mut e = Encoder { generation, items: Vec::new(), loc: Loc::UNKNOWN, used: Used { sgprs: fixed, vgprs: 1 } };
    let mut blocks: Vec<Block> = Vec::with_capacity(mf.blocks.len());
    for (here, insts) in mf.code.iter().enumerate() {
        let mut succs = SmallVec::new();
        let mut open = true;
        let ending = matches!(insts.last().map(|i| i.op), Some(Opcode::Op(GOp::End)));
        for (n, i) in insts.iter().enumerate() {
            e.loc = i.loc;
            if matches!(i.op, Opcode::Op(GOp::Jump | GOp::Branch(_) | GOp::End)) {
                e.leave(i, here + 1);
                succs.extend(i.labels());
                open = false;
            } else {
                e.inst(i, !ending || insts.len() - n > SHORT);
            }
        }
        if open {
            succs.push(BlockId(here as u32 + 1));
        }
        e.loc = Loc::UNKNOWN;
        blocks.push(Block { insts: e.take(), succs, runs: mf.blocks[here].runs });
    }
    join(&mut blocks);
    (Code { name: mf.name, blocks }, e.used)
}

/// Moves the instructions of blocks that only fall into the next one there, if nothing else reaches it: arms that became empty leave such
/// blocks, and passes look within one.
fn join(blocks: &mut [Block]) {
    let mut reached = vec![0u32; blocks.len() + 1];
    blocks.iter().flat_map(|b| &b.succs).for_each(|s| reached[s.0 as usize] += 1);
    for b in 1..blocks.len() {
        let before = &mut blocks[b - 1];
        let falls = before.succs[..] == [BlockId(b as u32)] && before.insts.iter().all(|i| i.label.is_none());
        if falls && reached[b] == 1 && !before.insts.is_empty() {
            let mut insts = std::mem::take(&mut before.insts);
            insts.append(&mut blocks[b].insts);
            blocks[b].insts = insts;
        }
    }
}
