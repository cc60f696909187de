//! Turns the allocator's spill plan into instructions.
//!
//! Files whose values spill to another class go first, since that class may then need spilling itself. After it a
//! register may have several definitions (its reloads), which the allocator accepts.

use gpucc_ir::Loc;
use gpucc_regalloc as ra;
use gpucc_regalloc::{Problem, ReloadAt, Value};

use crate::alloc::{AllocStats, build};
use crate::func::{MFunc, is_terminator};
use crate::inst::{Class, Def, MInst, Opcode, Pseudo, Reg, VReg};
use crate::target::Target;

/// What a target can do with a value of some class that has no register.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SpillTo {
    /// Nothing; only cheap recomputation helps.
    #[default]
    Nothing,
    /// Memory: [`Target::emit_spill`] and [`Target::emit_reload`].
    Memory,
    /// A register of this class, by plain copies.
    Class(Class),
}

/// A place in spill memory. Every register file has its own numbering.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SpillSlot {
    /// Register file of the value.
    pub file: ra::FileId,
    /// First unit-sized word; a multiple of `units` rounded up to a power of two.
    pub word: u32,
    /// Number of words: units of the value.
    pub units: u16,
}

/// Where a target puts spill code.
pub struct SpillCx<'a, T: Target> {
    /// The instructions, in order.
    pub out: &'a mut Vec<MInst<T>>,
    classes: &'a mut Vec<Class>,
    loc: Loc,
}

impl<T: Target> SpillCx<'_, T> {
    /// Appends an instruction.
    pub fn push(&mut self, mut i: MInst<T>) {
        i.loc = self.loc;
        self.out.push(i);
    }

    /// A fresh register, for addresses. Raises the pressure: see [`Target::spill_headroom`].
    pub fn temp(&mut self, class: Class) -> VReg {
        self.classes.push(class);
        VReg(self.classes.len() as u32 - 1)
    }
}

/// Which half of the work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Round {
    /// Files that spill to another class.
    ToClass,
    /// The others.
    ToMemory,
}

/// Spills in `mf` so that the files stay within `limits`. Returns whether anything changed.
pub(crate) fn spill<T: Target>(
    mf: &mut MFunc<T>,
    t: &T,
    limits: &[u32],
    all: bool,
    round: Round,
    stats: &mut AllocStats,
) -> Result<bool, String> {
    let p = build(mf, t)?;
    let live = ra::Liveness::compute(&p).map_err(|e| e.to_string())?;
    let peaks = ra::peaks(&p, &live);
    let mut limits = limits.to_vec();
    for (f, limit) in limits.iter_mut().enumerate() {
        let to_class = t
            .classes()
            .iter()
            .enumerate()
            .any(|(k, c)| c.file as usize == f && matches!(t.spill_to(Class(k as u8)), SpillTo::Class(_)));
        let mine = to_class == (round == Round::ToClass);
        if !mine || (!all && peaks[f].units <= *limit) {
            *limit = u32::MAX;
        } else {
            *limit = limit.saturating_sub(t.spill_headroom(f as ra::FileId));
        }
    }
    if limits.iter().all(|&l| l == u32::MAX) {
        return Ok(false);
    }
    let remat = rematerialisable(mf, t);
    let kinds: Vec<ra::SpillKind> = mf
        .classes
        .iter()
        .enumerate()
        .map(|(v, &c)| match (&remat[v], t.spill_to(c)) {
            (Some(_), _) => ra::SpillKind::Remat,
            (None, SpillTo::Nothing) => ra::SpillKind::No,
            (None, SpillTo::Memory | SpillTo::Class(_)) => ra::SpillKind::Store,
        })
        .collect();
    let plan = ra::plan_spills(&p, &live, &limits, &kinds, all);
    apply(mf, t, &p, &plan, &remat, stats);
    Ok(!plan.reloads.is_empty())
}

/// The instruction that computes each register again anywhere, where there is one.
fn rematerialisable<T: Target>(mf: &MFunc<T>, t: &T) -> Vec<Option<MInst<T>>> {
    let mut out: Vec<Option<MInst<T>>> = vec![None; mf.classes.len()];
    let mut seen = vec![false; mf.classes.len()];
    for i in mf.blocks.iter().flat_map(|b| &b.insts) {
        for d in i.vreg_defs() {
            let d = d.0 as usize;
            let again = i.defs.len() == 1
                && i.vreg_uses().next().is_none()
                && i.defs[0].fixed.is_none()
                && match i.op {
                    Opcode::Op(_) => t.can_remat(i),
                    Opcode::Pseudo(p) => p == Pseudo::Copy || p == Pseudo::Undef,
                };
            out[d] = (again && !seen[d]).then(|| i.clone());
            seen[d] = true;
        }
    }
    out
}

struct Slots {
    /// Next free word per file.
    next: Vec<u32>,
    of: Vec<Option<Home>>,
}

#[derive(Clone, Copy)]
enum Home {
    Slot(SpillSlot),
    Reg(VReg),
}

fn apply<T: Target>(
    mf: &mut MFunc<T>,
    t: &T,
    p: &Problem,
    plan: &ra::SpillPlan,
    remat: &[Option<MInst<T>>],
    stats: &mut AllocStats,
) {
    let mut slots = Slots { next: stats.spill_words.clone(), of: vec![None; mf.classes.len()] };
    slots.next.resize(p.files.len(), 0);
    for &Value(v) in &plan.stores {
        let class = mf.classes[v as usize];
        let info = t.classes()[class.0 as usize];
        slots.of[v as usize] = Some(match t.spill_to(class) {
            SpillTo::Class(c) => Home::Reg(mf.vreg(c)),
            SpillTo::Memory | SpillTo::Nothing => {
                let next = &mut slots.next[info.file as usize];
                let word = next.next_multiple_of((info.shape.units as u32).next_power_of_two());
                *next = word + info.shape.units as u32;
                Home::Slot(SpillSlot { file: info.file, word, units: info.shape.units })
            }
        });
    }
    let mut reloads = plan.reloads.clone();
    // By place; reloads of one place keep their order.
    reloads.sort_by_key(|r| r.0);
    let range = |at: ReloadAt| {
        let from = reloads.partition_point(|r| r.0 < at);
        let to = reloads.partition_point(|r| r.0 <= at);
        &reloads[from..to]
    };
    let mut id = 0u32;
    for b in 0..mf.blocks.len() {
        let insts = std::mem::take(&mut mf.blocks[b].insts);
        let params = mf.blocks[b].params.clone();
        let mut out: Vec<MInst<T>> = Vec::with_capacity(insts.len());
        let mut emit = Emit { t, classes: &mut mf.classes, slots: &slots, remat, stats };
        let bid = b as u32;
        let has_end = insts.iter().any(|i| i.is(Pseudo::LogicalEnd));
        let has_start = insts.iter().any(|i| i.is(Pseudo::LogicalStart));
        let logical = |v: Value| p.cfg(v) == ra::Cfg::Logical;
        let loc = insts.first().map_or(Loc::UNKNOWN, |i| i.loc);
        let begin = |emit: &mut Emit<'_, T>, out: &mut Vec<MInst<T>>, now: &dyn Fn(Value) -> bool| {
            for &(_, v) in range(ReloadAt::Start(bid)).iter().filter(|r| now(r.1)) {
                emit.reload(v, loc, out);
            }
            for &v in params.iter().filter(|v| now(Value(v.0))) {
                emit.store(v, loc, out);
            }
        };
        begin(&mut emit, &mut out, &|v| !(has_start && logical(v)));
        let mut ended = [false; 2];
        for inst in insts {
            let term = is_terminator(t, &inst);
            for (k, when) in [inst.is(Pseudo::LogicalEnd), term].into_iter().enumerate() {
                if when && !std::mem::replace(&mut ended[k], true) {
                    for &(_, v) in range(ReloadAt::End(bid)) {
                        if (has_end && logical(v)) == (k == 0) {
                            emit.reload(v, inst.loc, &mut out);
                        }
                    }
                }
            }
            for &(_, v) in range(ReloadAt::Before(id)) {
                emit.reload(v, inst.loc, &mut out);
            }
            id += 1;
            let (defs, loc): (Vec<VReg>, Loc) = (inst.vreg_defs().collect(), inst.loc);
            let starts = inst.is(Pseudo::LogicalStart);
            out.push(inst);
            if starts {
                begin(&mut emit, &mut out, &logical);
            }
            for v in defs {
                emit.store(v, loc, &mut out);
            }
        }
        if !ended[1] {
            for &(_, v) in range(ReloadAt::End(bid)) {
                if !(has_end && logical(v)) {
                    emit.reload(v, loc, &mut out);
                }
            }
        }
        mf.blocks[b].insts = out;
    }
    stats.spill_words = slots.next;
}

struct Emit<'a, T: Target> {
    t: &'a T,
    classes: &'a mut Vec<Class>,
    slots: &'a Slots,
    remat: &'a [Option<MInst<T>>],
    stats: &'a mut AllocStats,
}

impl<T: Target> Emit<'_, T> {
    fn store(&mut self, v: VReg, loc: Loc, out: &mut Vec<MInst<T>>) {
        let Some(home) = self.slots.of.get(v.0 as usize).copied().flatten() else { return };
        self.stats.spills += 1;
        let mut cx = SpillCx { out, classes: self.classes, loc };
        match home {
            Home::Slot(slot) => self.t.emit_spill(&mut cx, slot, v),
            Home::Reg(r) => cx.push(MInst::copy(r, v)),
        }
    }

    fn reload(&mut self, v: Value, loc: Loc, out: &mut Vec<MInst<T>>) {
        let reg = VReg(v.0);
        let mut cx = SpillCx { out, classes: self.classes, loc };
        if let Some(i) = &self.remat[v.0 as usize] {
            self.stats.remats += 1;
            let mut again = i.clone();
            again.defs[0] = Def { reg: Reg::V(reg), ..again.defs[0] };
            cx.push(again);
            return;
        }
        self.stats.reloads += 1;
        match self.slots.of[v.0 as usize] {
            Some(Home::Slot(slot)) => self.t.emit_reload(&mut cx, slot, reg),
            Some(Home::Reg(r)) => cx.push(MInst::copy(reg, r)),
            // The plan reloads only what it stores or what can be computed again.
            None => unreachable!("reload of {reg:?} without a home"),
        }
    }
}
