//! From allocated machine IR to machine code: forms, control flow by the plan, waits, hazards, addresses.

use gpucc_gcn_machine::emit::Form;
use gpucc_gcn_machine::operand::{self, inline32};
use gpucc_gcn_machine::{Gcn as Isa, Op, emit as form};
use gpucc_ir::Loc;
use gpucc_isa::Inst;
use gpucc_mir::{MFunc, Opcode, Pseudo, Src};

use crate::fixed::Fixed;
use crate::flow::{How, Plan};
use crate::isel::MI;
use crate::target::{FILE_V, GOp, Gcn};

/// Whether an operation has a 32-bit form of its own.
pub fn has_short(op: Op, generation: u8) -> bool {
    // Instructions that exist as VOP3 only count as short to the table: their one form is the 64-bit one.
    form::row(op, Form::Short, false, generation)
        .is_some_and(|r| gpucc_gcn_machine::table().rows[r as usize].bytes == 4)
}

/// What an instruction is to the wait counters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Counter {
    None,
    Vm,
    Lds,
    Scalar,
}

/// Registers as ranges: vector ones from 256 up.
type Ranges = Vec<(u32, u32)>;

/// One instruction on its way out.
struct Item {
    inst: Inst<Isa>,
    reads: Ranges,
    writes: Ranges,
    counter: Counter,
    is_store: bool,
    is_valu: bool,
    barrier: bool,
    /// Position of the block that a branch goes to.
    label: Option<usize>,
    loc: Loc,
}

/// Counts for people.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    pub valu: u64,
    pub salu: u64,
    pub vmem: u64,
    pub smem: u64,
    pub lds: u64,
    pub branches: u64,
    pub waits: u64,
    pub nops: u64,
}

/// A finished program.
pub struct Program {
    pub code: Vec<u8>,
    /// Address and source location of each instruction.
    pub locs: Vec<(u32, Loc)>,
    pub instructions: u64,
    pub counts: Counts,
    /// Highest scalar register in use, and highest vector register, plus one.
    pub sgprs: u32,
    pub vgprs: u32,
}

struct Emitter<'a> {
    generation: u8,
    plan: &'a Plan,
    items: Vec<Item>,
    /// Location of what is being emitted.
    loc: Loc,
    sgprs: u32,
    vgprs: u32,
    mask_top: u32,
}

fn overlap(a: &Ranges, b: &Ranges) -> bool {
    a.iter().any(|x| b.iter().any(|y| x.0 < y.0 + y.1 && y.0 < x.0 + x.1))
}

impl Emitter<'_> {
    fn row(&self, op: Op, f: Form, literal: bool) -> u16 {
        form::row(op, f, literal, self.generation)
            .unwrap_or_else(|| panic!("`{}` has no {f:?} form (literal {literal}) here", op.name()))
    }

    fn note(&mut self, r: &Ranges) {
        for &(from, n) in r {
            if from >= 256 {
                self.vgprs = self.vgprs.max(from - 256 + n);
            } else if from < 104 {
                self.sgprs = self.sgprs.max(from + n);
            }
        }
    }

    fn push(&mut self, inst: Inst<Isa>, reads: Ranges, writes: Ranges) -> &mut Item {
        self.note(&reads);
        self.note(&writes);
        let op = inst.op();
        let name = op.name();
        let counter = if name.starts_with("buffer_") {
            Counter::Vm
        } else if name.starts_with("ds_") {
            Counter::Lds
        } else if name.starts_with("s_load_") || name.starts_with("s_buffer_load_") {
            Counter::Scalar
        } else {
            Counter::None
        };
        self.items.push(Item {
            inst,
            reads,
            writes,
            counter,
            is_store: name.starts_with("buffer_store"),
            is_valu: name.starts_with("v_"),
            barrier: op == Op::SBarrier,
            label: None,
            loc: self.loc,
        });
        let last = self.items.len() - 1;
        &mut self.items[last]
    }

    /// A scalar instruction on 64-bit registers: `(op, dst, a, b)` by scalar codes.
    fn mask_op(&mut self, op: Op, dst: u32, a: u32, b: Option<u32>) {
        let mut i = form::inst(self.row(op, Form::Short, false)).with("sdst", dst).with("src0", a);
        let mut reads = vec![(a, 2)];
        if let Some(b) = b {
            i.set("src1", b);
            reads.push((b, 2));
        }
        reads.retain(|r| r.0 < 128);
        self.push(i, reads, vec![(dst, 2)]);
    }

    fn branch(&mut self, op: Op, to: usize) {
        let i = form::inst(self.row(op, Form::Short, false));
        self.push(i, vec![], vec![]).label = Some(to);
    }

    fn mask_reg(&self, block: usize) -> u32 {
        self.mask_top - 2 * (self.plan.blocks[block].mask.unwrap_or(0) + 1)
    }

    /// Code of a source: register, inline constant or (given back apart) literal.
    fn source(&self, u: &crate::isel::U, reads: &mut Ranges) -> (u32, Option<u32>) {
        let mut code = match u.src {
            Src::Imm(b) => match inline32(b, self.generation) {
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

    fn inst(&mut self, i: &MI) {
        let op = match i.op {
            Opcode::Op(GOp::I(op)) => op,
            Opcode::Op(GOp::ExecMask) => {
                let d = i.defs[0].phys().map_or(0, |p| u32::from(p.place.base()));
                return self.mask_op(Op::SMovB64, d, operand::EXEC, None);
            }
            Opcode::Op(GOp::Leave(_)) | Opcode::Pseudo(Pseudo::LogicalEnd | Pseudo::LogicalStart) => return,
            Opcode::Pseudo(p) => panic!("{p:?} is left after allocation"),
        };
        if op == Op::SBarrier {
            let row = self.row(op, Form::Short, false);
            if i.mods.get("@sync") != 0 {
                self.push(form::inst(row), vec![], vec![]).barrier = true;
            } else {
                // Memory order alone: a wait for everything does it.
                let w = form::inst(self.row(Op::SWaitcnt, Form::Short, false)).with("imm", form::waitcnt(0, 7, 0));
                self.push(w, vec![], vec![]).barrier = true;
            }
            return;
        }
        let name = op.name();
        let mut reads = Vec::new();
        let mut writes = Vec::new();
        let mut dst = None;
        for d in &i.defs {
            let Some(p) = d.phys() else { continue };
            let base = u32::from(p.place.base()) + if p.file == FILE_V { 256 } else { 0 };
            writes.push((base, u32::from(p.place.len())));
            dst = Some(base);
        }
        let codes: Vec<(u32, Option<u32>)> = i.uses.iter().map(|u| self.source(u, &mut reads)).collect();
        let reg = |k: usize| codes.get(k).map_or(0, |c| c.0 & 255);
        let mut m;
        if name.starts_with("buffer_") {
            m = form::inst(self.row(op, Form::Short, false));
            let store = i.defs.is_empty();
            let data = match dst {
                Some(d) => d - 256,
                None => reg(0),
            };
            let atomic = name.starts_with("buffer_atomic");
            let address = if store || atomic { 1 } else { 0 };
            m.set("vdata", data);
            m.set("vaddr", if i.mods.get("offen") != 0 { reg(address) } else { 0 });
            m.set("soffset", 128);
            let srsrc = i.mods.get("srsrc");
            reads.push((srsrc * 4, 4));
            for (n, v) in &i.mods.0 {
                if !n.starts_with('@') {
                    m.set(n, *v);
                }
            }
            let soffset = m.get("soffset").unwrap_or(128);
            if soffset < 104 {
                reads.push((soffset, 1));
            }
        } else if name.starts_with("ds_") {
            m = form::inst(self.row(op, Form::Short, false));
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
            m.set("offset", i.mods.get("offset"));
        } else if name.starts_with("s_buffer_load") || name.starts_with("s_load") {
            m = form::inst(self.row(op, Form::Short, false));
            let sdst = if m.row().slot("sdst").is_some() { "sdst" } else { "sdata" };
            m.set(sdst, dst.unwrap_or(0));
            m.set("sbase", i.mods.get("sbase"));
            m.set("offset", i.mods.get("offset"));
            reads.push((i.mods.get("sbase") * 2, if name.starts_with("s_load") { 2 } else { 4 }));
        } else if name.starts_with("s_") {
            let literal = codes.iter().find_map(|c| c.1);
            let row = self.row(op, Form::Short, literal.is_some());
            m = form::inst(row);
            if let Some(d) = dst {
                m.set("sdst", d);
            }
            if let Some(value) = literal
                && m.row().slot("lit").is_none()
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
        } else {
            m = self.vector(op, i, &codes, dst);
            if m.row().slot("sdst").is_some() && !writes.iter().any(|w| w.0 < 128) {
                writes.push((operand::VCC, 2));
            }
        }
        self.push(m, reads, writes);
    }

    fn vector(&self, op: Op, i: &MI, codes: &[(u32, Option<u32>)], dst: Option<u32>) -> Inst<Isa> {
        let plain = |c: u32| c & (operand::NEG | operand::ABS) == 0;
        let literal = codes.iter().find_map(|c| c.1);
        let short = i.mods.get("@long") == 0
            && i.mods.get("clamp") == 0
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
        let mask = i.mods.get("@mask") as usize;
        for (k, c) in codes.iter().enumerate() {
            if mask == k + 1 {
                m.set("mask", c.0);
            } else {
                m.set(name(k), c.0);
            }
        }
        match dst {
            Some(d) if d >= 256 => m.set("vdst", d - 256),
            Some(d) if m.row().slot("sdst").is_some() => m.set("sdst", d),
            Some(d) => m.set("vdst", d),
            None => {}
        }
        if m.row().slot("sdst").is_some() && dst.is_some_and(|d| d >= 256) {
            m.set("sdst", operand::VCC);
        }
        if i.mods.get("clamp") != 0 {
            m.set("clamp", 1);
        }
        m
    }

    /// What ends a block.
    fn leave(&mut self, here: usize, i: &MI) {
        let plan = self.plan.blocks[here].clone();
        for &x in &plan.clear {
            let r = self.mask_reg(x);
            self.mask_op(Op::SMovB64, r, 128, None);
        }
        let edges = &plan.edges;
        let next = here + 1;
        if edges.is_empty() {
            // Lanes that end: others may still wait somewhere.
            match plan.pending {
                Some(w) => self.hand_over(here, Some(w)),
                None => {
                    let row = self.row(Op::SEndpgm, Form::Short, false);
                    self.push(form::inst(row), vec![], vec![]);
                }
            }
            return;
        }
        if edges.len() == 1 {
            match edges[0].how {
                How::Fall => {}
                How::Branch if edges[0].to == next => {}
                How::Branch => self.branch(Op::SBranch, edges[0].to),
                How::Wait => {
                    self.wait_at(&edges[0], operand::EXEC, None);
                    self.hand_over(here, plan.pending);
                }
            }
            return;
        }
        let (t, e) = (edges[0], edges[1]);
        let any_wait = edges.iter().any(|x| x.how == How::Wait);
        let divergent = any_wait;
        if !divergent {
            // All lanes agree.
            let (mut on_true, mut on_false) = (Op::SCbranchScc1, Op::SCbranchScc0);
            match i.op {
                Opcode::Op(GOp::Leave(Some(cmp))) => {
                    let mut reads = Vec::new();
                    let codes: Vec<_> = i.uses[..2].iter().map(|u| self.source(u, &mut reads)).collect();
                    let literal = codes.iter().find_map(|c| c.1);
                    let mut m = form::inst(self.row(cmp, Form::Short, literal.is_some()));
                    m.set("src0", codes[0].0);
                    m.set("src1", codes[1].0);
                    if let Some(v) = literal {
                        m.set("lit", v);
                    }
                    self.push(m, reads, vec![]);
                }
                _ => {
                    let mask = i.uses[0].phys().map_or(0, |p| u32::from(p.place.base()));
                    self.mask_op(Op::SAndB64, operand::VCC, operand::EXEC, Some(mask));
                }
            }
            let (mut near, mut far) = (e, t);
            if t.to == next {
                (near, far) = (t, e);
                std::mem::swap(&mut on_true, &mut on_false);
            }
            self.branch(on_true, far.to);
            if near.to != next {
                self.branch(Op::SBranch, near.to);
            }
            return;
        }
        let mask = i.uses[0].phys().map_or(0, |p| u32::from(p.place.base()));
        // Lanes with a true condition take edge t.
        if t.how == How::Wait {
            self.wait_at(&t, operand::EXEC, Some((Op::SAndB64, mask)));
        }
        if e.how == How::Wait {
            self.wait_at(&e, operand::EXEC, Some((Op::SAndn2B64, mask)));
        }
        let stays = match (t.how, e.how) {
            (How::Wait, How::Wait) => {
                self.hand_over(here, plan.pending);
                return;
            }
            (How::Wait, _) => {
                self.mask_op(Op::SAndn2B64, operand::EXEC, operand::EXEC, Some(mask));
                e
            }
            _ => {
                self.mask_op(Op::SAndB64, operand::EXEC, operand::EXEC, Some(mask));
                t
            }
        };
        if stays.to <= here {
            self.branch(Op::SCbranchExecnz, stays.to);
            self.hand_over(here, plan.pending);
        } else if let Some(w) = plan.pending {
            self.branch(Op::SCbranchExecz, w);
        }
    }

    /// The active lanes, or those of them that a mask chooses, wait at the target of an edge.
    fn wait_at(&mut self, edge: &crate::flow::PlanEdge, exec: u32, chosen: Option<(Op, u32)>) {
        let r = self.mask_reg(edge.to);
        match (edge.first, chosen) {
            (true, None) => self.mask_op(Op::SMovB64, r, exec, None),
            (true, Some((op, m))) => self.mask_op(op, r, exec, Some(m)),
            (false, None) => self.mask_op(Op::SOrB64, r, r, Some(exec)),
            (false, Some((op, m))) => {
                self.mask_op(op, operand::VCC, exec, Some(m));
                self.mask_op(Op::SOrB64, r, r, Some(operand::VCC));
            }
        }
    }

    /// No lane is left here: the wave goes on where some wait.
    fn hand_over(&mut self, here: usize, to: Option<usize>) {
        match to {
            Some(w) => {
                if self.plan.blocks[w].arrives {
                    self.mask_op(Op::SMovB64, operand::EXEC, 128, None);
                }
                if w != here + 1 {
                    self.branch(Op::SBranch, w);
                }
            }
            None => {
                let row = self.row(Op::SEndpgm, Form::Short, false);
                self.push(form::inst(row), vec![], vec![]);
            }
        }
    }

    /// What begins a block in which lanes wait.
    fn arrive(&mut self, here: usize) {
        let plan = self.plan.blocks[here].clone();
        if plan.mask.is_none() {
            return;
        }
        let r = self.mask_reg(here);
        if plan.arrives {
            self.mask_op(Op::SOrB64, operand::EXEC, operand::EXEC, Some(r));
        } else {
            self.mask_op(Op::SMovB64, operand::EXEC, r, None);
        }
        let end = self.plan.blocks.len();
        self.branch(Op::SCbranchExecz, plan.passed.unwrap_or(end));
    }
}

/// Adds the waits of one block; `items` is its code.
fn waits(items: Vec<Item>, generation: u8, counts: &mut Counts) -> Vec<Item> {
    let mut out: Vec<Item> = Vec::new();
    // Outstanding operations, oldest first: registers that they will write; whether they hold store data (gfx6).
    let mut vm: Vec<Ranges> = Vec::new();
    let mut lds: Vec<Ranges> = Vec::new();
    let mut scalar: Vec<Ranges> = Vec::new();
    let mut data: Vec<Ranges> = Vec::new();
    let n = items.len();
    for (k, item) in items.into_iter().enumerate() {
        let op = item.inst.op();
        let is_branch = item.label.is_some();
        let touches = |r: &Ranges| overlap(r, &item.reads) || overlap(r, &item.writes);
        let (mut need_vm, mut need_lgkm, mut need_exp) = (15usize, 15usize, 7usize);
        if item.barrier {
            need_vm = 0;
            need_lgkm = 0;
        }
        if let Some(p) = vm.iter().rposition(touches) {
            need_vm = need_vm.min(vm.len() - 1 - p);
        }
        if let Some(p) = lds.iter().rposition(touches) {
            need_lgkm = need_lgkm.min(if scalar.is_empty() { lds.len() - 1 - p } else { 0 });
        }
        if scalar.iter().any(touches) {
            need_lgkm = 0;
        }
        if data.iter().any(|r| overlap(r, &item.writes)) {
            need_exp = 0;
        }
        // Where paths part or meet, loads are done; nothing else needs to be known there.
        let ends = is_branch || (k + 1 == n && op != Op::SEndpgm);
        if ends {
            if vm.iter().any(|r| !r.is_empty()) {
                let p = vm.iter().rposition(|r| !r.is_empty()).unwrap_or(0);
                need_vm = need_vm.min(vm.len() - 1 - p);
            }
            if lds.iter().any(|r| !r.is_empty()) || !scalar.is_empty() {
                need_lgkm = 0;
            }
            if !data.is_empty() {
                need_exp = 0;
            }
        }
        let starts_load = item.counter != Counter::None;
        let before = !(ends && starts_load);
        let wait = |need_vm: usize, need_exp: usize, need_lgkm: usize| {
            let row = form::row(Op::SWaitcnt, Form::Short, false, generation);
            let imm = form::waitcnt(need_vm as u32, need_exp as u32, need_lgkm as u32);
            row.map(|r| form::inst(r).with("imm", imm))
        };
        let mut apply = |vm: &mut Vec<Ranges>,
                         lds: &mut Vec<Ranges>,
                         scalar: &mut Vec<Ranges>,
                         data: &mut Vec<Ranges>,
                         out: &mut Vec<Item>,
                         v: usize,
                         e: usize,
                         l: usize| {
            let v = v.min(15);
            if v >= vm.len() && v == 15 && l == 15 && e == 7 {
                return;
            }
            // Stores of earlier blocks may be outstanding as well: a barrier waits whatever is known here.
            let forced = op == Op::SBarrier && v == 0;
            if forced || v < vm.len() || l < 15 && (!lds.is_empty() || !scalar.is_empty()) || e < 7 && !data.is_empty()
            {
                if let Some(i) = wait(v, e, l) {
                    counts.waits += 1;
                    out.push(Item {
                        inst: i,
                        reads: vec![],
                        writes: vec![],
                        counter: Counter::None,
                        is_store: false,
                        is_valu: false,
                        barrier: false,
                        label: None,
                        loc: Loc::UNKNOWN,
                    });
                }
                let keep = vm.len().min(v);
                vm.drain(..vm.len() - keep);
                if l < 15 {
                    let keep = lds.len().min(l);
                    lds.drain(..lds.len() - keep);
                    if l == 0 {
                        scalar.clear();
                    }
                }
                if e < 7 {
                    data.clear();
                }
            }
        };
        if before {
            apply(&mut vm, &mut lds, &mut scalar, &mut data, &mut out, need_vm, need_exp, need_lgkm);
        } else {
            // Operands first, then the instruction, then what ends the block.
            let (mut v, mut l) = (15, 15);
            if let Some(p) = vm.iter().rposition(touches) {
                v = vm.len() - 1 - p;
            }
            if lds.iter().any(touches) || scalar.iter().any(touches) {
                l = 0;
            }
            let e = if data.iter().any(|r| overlap(r, &item.writes)) { 0 } else { 7 };
            apply(&mut vm, &mut lds, &mut scalar, &mut data, &mut out, v, e, l);
        }
        match item.counter {
            Counter::Vm => {
                vm.push(item.writes.clone());
                if generation == 0 && (item.is_store || op.name().starts_with("buffer_atomic")) {
                    data.push(item.reads.iter().copied().filter(|r| r.0 >= 256).collect());
                }
            }
            Counter::Lds => lds.push(item.writes.clone()),
            Counter::Scalar => scalar.push(item.writes.clone()),
            Counter::None => {}
        }
        out.push(item);
        if !before {
            let v = vm.iter().rposition(|r| !r.is_empty()).map_or(15, |p| vm.len() - 1 - p);
            let l = if lds.iter().any(|r| !r.is_empty()) || !scalar.is_empty() { 0 } else { 15 };
            let e = if data.is_empty() { 7 } else { 0 };
            apply(&mut vm, &mut lds, &mut scalar, &mut data, &mut out, v, e, l);
        }
    }
    out
}

/// Emits a function whose blocks are those of the plan.
pub fn emit(mf: &MFunc<Gcn>, plan: &Plan, fixed: &Fixed, mask_top: u32, generation: u8) -> Program {
    let mut e =
        Emitter { generation, plan, items: Vec::new(), loc: Loc::UNKNOWN, sgprs: fixed.end, vgprs: 1, mask_top };
    let mut counts = Counts::default();
    let mut blocks: Vec<Vec<Item>> = Vec::new();

    for (here, block) in mf.blocks.iter().enumerate() {
        if here == 0 {
            prologue(&mut e, fixed);
        }
        e.arrive(here);

        for i in &block.insts {
            e.loc = i.loc;
            if matches!(i.op, Opcode::Op(GOp::Leave(_))) {
                e.leave(here, i);
            } else {
                e.inst(i);
            }
        }
        e.loc = Loc::UNKNOWN;
        let items = std::mem::take(&mut e.items);
        blocks.push(waits(items, generation, &mut counts));
    }
    // The end, for waves whose last lanes left elsewhere.
    let end = form::inst(e.row(Op::SEndpgm, Form::Short, false));
    e.push(end, vec![], vec![]);
    let last = std::mem::take(&mut e.items);
    let jumped = blocks.iter().flatten().any(|i| i.label == Some(plan.blocks.len()));
    blocks.push(if jumped { last } else { vec![] });
    hazards(&mut blocks, generation, &mut counts);
    finish(&blocks, &e, counts)
}

/// Loads what the program needs everywhere.
fn prologue(e: &mut Emitter<'_>, fixed: &Fixed) {
    let mut word = 0;
    for &(reg, n) in &fixed.loads {
        let op = if n == 4 { Op::SLoadDwordx4 } else { Op::SLoadDword };
        let mut m = form::inst(e.row(op, Form::Short, false));
        let sdst = if m.row().slot("sdst").is_some() { "sdst" } else { "sdata" };
        m.set(sdst, reg);
        m.set("sbase", 0);
        m.set("offset", if e.generation == 2 { word * 4 } else { word });
        e.push(m, vec![(0, 2)], vec![(reg, n)]);
        word += n;
    }
    if fixed.uses_lds {
        let m = form::inst(e.row(Op::SMovB32, Form::Short, false)).with("sdst", operand::M0).with("src0", 193);
        e.push(m, vec![], vec![(operand::M0, 1)]);
    }
}

/// A store of more than two words holds its data registers one state longer (hazard 13).
fn hazards(blocks: &mut [Vec<Item>], generation: u8, counts: &mut Counts) {
    if generation == 0 {
        return;
    }
    let mut pending: Option<Ranges> = None;
    for block in blocks.iter_mut() {
        let old = std::mem::take(block);
        for item in old {
            if let Some(data) = pending.take()
                && item.is_valu
                && overlap(&data, &item.writes)
                && let Some(row) = form::row(Op::SNop, Form::Short, false, generation)
            {
                counts.nops += 1;
                block.push(Item {
                    inst: form::inst(row),
                    reads: vec![],
                    writes: vec![],
                    counter: Counter::None,
                    is_store: false,
                    is_valu: false,
                    barrier: false,
                    label: None,
                    loc: Loc::UNKNOWN,
                });
            }
            if item.is_store && item.reads.iter().any(|r| r.0 >= 256 && r.1 > 2) {
                pending = Some(item.reads.iter().copied().filter(|r| r.0 >= 256 && r.1 > 2).collect());
            }
            block.push(item);
        }
    }
}

fn finish(blocks: &[Vec<Item>], e: &Emitter<'_>, mut counts: Counts) -> Program {
    let size = |i: &Item| u32::from(i.inst.row().bytes);
    let mut starts = Vec::new();
    let mut at = 0u32;
    for b in blocks {
        starts.push(at);
        at += b.iter().map(size).sum::<u32>();
    }
    let mut code = Vec::new();
    let mut locs = Vec::new();
    let mut instructions = 0;
    for item in blocks.iter().flatten() {
        let mut inst = item.inst;
        if let Some(l) = item.label {
            let next = code.len() as i64 + i64::from(size(item));
            let distance = (i64::from(starts[l]) - next) / 4;
            inst.set("target", distance as i16 as u16 as u32);
        }
        if let Err(why) = form::check(&inst, e.generation) {
            panic!("{inst:?} breaks a rule: {why}");
        }
        let name = inst.op().name();
        *match () {
            _ if item.label.is_some() => &mut counts.branches,
            _ if item.counter == Counter::Vm => &mut counts.vmem,
            _ if item.counter == Counter::Scalar => &mut counts.smem,
            _ if item.counter == Counter::Lds => &mut counts.lds,
            _ if name.starts_with("v_") => &mut counts.valu,
            _ => &mut counts.salu,
        } += 1;
        locs.push((code.len() as u32, item.loc));
        code.extend(gpucc_gcn_machine::encode(&inst, e.generation).unwrap_or_default());
        instructions += 1;
    }
    let masks = if e.plan.mask_registers > 0 { e.mask_top } else { 0 };
    Program { code, locs, instructions, counts, sgprs: e.sgprs.max(masks), vgprs: e.vgprs }
}
