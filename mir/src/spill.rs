//! Turns the allocator's spill plan into instructions.
//!
//! Files whose values spill to another class go first, since that class may then need spilling itself. After it a
//! register may have several definitions (its reloads), which the allocator accepts. Every instruction that is put in
//! carries a mark; [`ra::check_spills`] follows the marked stores and loads.

use gpucc_ir::Loc;
use gpucc_regalloc as ra;
use gpucc_regalloc::{EdgeCode, EdgeOp, Problem, ReloadAt, Role, Slot, SpillCode, Value};
use smallvec::SmallVec;

use crate::func::{MFunc, is_terminator};
use crate::inst::{Class, Def, MInst, Opcode, Pseudo, Reg, SpillCx, SpillSlot, SpillTo, Target, VReg};
use crate::problem::{AllocStats, build};

/// Which half of the work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Round {
    /// Files that spill to another class.
    ToClass,
    /// The others.
    ToMemory,
}

/// How to spill.
#[derive(Clone, Copy)]
pub(crate) struct How {
    /// Everything that can be.
    pub(crate) all: bool,
    /// Run the checker.
    pub(crate) check: bool,
    /// Executed loads and stores beyond which it is not worth it.
    pub(crate) most: u64,
}

/// Why nothing was spilled that had to be.
pub(crate) enum Stop {
    /// It costs more than it may.
    TooMuch,
    /// The machine function breaks a rule: a bug of the backend.
    Invalid(String),
}

impl From<String> for Stop {
    fn from(fault: String) -> Stop {
        Stop::Invalid(fault)
    }
}

/// A function as the allocator sees it, and what is alive where, if that is known.
pub(crate) type Solved = (Problem, Option<ra::Liveness>);

/// Spills in `mf`, of which `p` and `live` are the facts, so that the files stay within `limits`. Returns those of the function as it is then,
/// if anything changed.
pub(crate) fn spill<T: Target>(
    mf: &mut MFunc<T>,
    t: &T,
    (p, live): (&Problem, Option<&ra::Liveness>),
    limits: &[u32],
    How { all, check, most }: How,
    round: Round,
    stats: &mut AllocStats,
) -> Result<Option<Solved>, Stop> {
    let to_class = |f: usize| {
        let mut classes = t.classes().iter().enumerate().filter(|(_, c)| c.file as usize == f);
        classes.any(|(k, _)| matches!(t.spill_to(Class(k as u8)), SpillTo::Class(_)))
    };
    let mut limits = limits.to_vec();
    for (f, limit) in limits.iter_mut().enumerate() {
        if to_class(f) != (round == Round::ToClass) {
            *limit = u32::MAX;
        }
    }
    if limits.iter().all(|&l| l == u32::MAX) {
        return Ok(None);
    }
    let own;
    let live = match live {
        Some(live) => live,
        None => {
            own = ra::Liveness::compute(p).map_err(|e| e.to_string())?;
            &own
        }
    };
    for (f, limit) in limits.iter_mut().enumerate() {
        if !all && live.peaks[f].units <= *limit {
            *limit = u32::MAX;
        } else if *limit != u32::MAX {
            *limit = limit.saturating_sub(t.spill_headroom(f as ra::FileId));
        }
    }
    if limits.iter().all(|&l| l == u32::MAX) {
        return Ok(None);
    }
    let remat = rematerialisable(mf, t);
    let kinds: Vec<ra::SpillKind> = mf
        .classes
        .iter()
        .enumerate()
        .map(|(v, &c)| match (&remat[v], t.spill_to(c)) {
            (Some(_), _) => ra::SpillKind::Remat,
            (None, SpillTo::Nothing) => ra::SpillKind::No,
            (None, _) if t.keeps(VReg(v as u32)) => ra::SpillKind::No,
            (None, SpillTo::Memory | SpillTo::Class(_)) => ra::SpillKind::Store,
        })
        .collect();
    // Mostly it is seen at once. The plan counts what `apply` counts, but for the code of edges.
    let left = most.saturating_sub(stats.spill_cost);
    if most < u64::MAX && !all && ra::least_stores(p, live, &limits, &kinds) > left {
        return Err(Stop::TooMuch);
    }
    let plan = ra::plan_spills(p, live, &limits, &kinds, (all, left)).ok_or(Stop::TooMuch)?;
    if plan.is_empty() {
        return Ok(None);
    }
    let mut code =
        SpillCodeOf { t, p, live, plan: &plan, remat: &remat, homes: vec![None; plan.webs.len()], weight: 1 };
    code.apply(mf, stats);
    if stats.spill_cost > most {
        return Err(Stop::TooMuch);
    }
    let (mut q, live) = drop_dead(mf, t, &remat)?;
    if check && let Err(e) = ra::check_spills(p, &q) {
        panic!("spilling in `{}` is wrong: {e}\n{}", mf.name, crate::print::print(mf, t));
    }
    mf.code.iter_mut().flatten().for_each(|i| i.spill = None);
    q.forget_spills();
    Ok(Some((q, live)))
}

/// The instruction that computes each register again anywhere, where there is one.
fn rematerialisable<T: Target>(mf: &MFunc<T>, t: &T) -> Vec<Option<MInst<T>>> {
    let mut out: Vec<Option<MInst<T>>> = vec![None; mf.classes.len()];
    let mut seen = vec![false; mf.classes.len()];
    for i in mf.code.iter().flatten() {
        for d in i.vreg_defs() {
            let d = d.0 as usize;
            let again = i.defs.len() == 1
                && i.vreg_uses().next().is_none()
                && i.defs[0].fixed().is_none()
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

/// Removes instructions that are computed again wherever they are wanted, and gives the facts as they are then.
fn drop_dead<T: Target>(mf: &mut MFunc<T>, t: &T, remat: &[Option<MInst<T>>]) -> Result<Solved, String> {
    let q = build(mf, t)?;
    let live = ra::Liveness::compute(&q).map_err(|e| e.to_string())?;
    let mut id = 0;
    let mut dropped = false;
    for insts in &mut mf.code {
        insts.retain(|i| {
            id += 1;
            let (from, ops) = (q.first_operand(id - 1), q.operands(id - 1));
            let dead = |k: usize| ops[k].role != Role::Use && live.last[from + k];
            let again = |d: &Def| d.vreg().is_some_and(|v| remat.get(v.0 as usize).is_some_and(Option::is_some));
            let drop = i.defs.len() == 1 && ops.len() == 1 && dead(0) && again(&i.defs[0]);
            dropped |= drop;
            !drop
        });
    }
    if dropped { Ok((build(mf, t)?, None)) } else { Ok((q, Some(live))) }
}

/// Where the values of a web are while they have no register.
#[derive(Clone, Copy)]
enum SpillLocation {
    Slot(SpillSlot),
    Reg(VReg),
}

/// Turns a plan into instructions.
struct SpillCodeOf<'a, T: Target> {
    t: &'a T,
    p: &'a Problem,
    live: &'a ra::Liveness,
    plan: &'a ra::SpillPlan,
    remat: &'a [Option<MInst<T>>],
    homes: Vec<Option<SpillLocation>>,
    /// How often the block at hand runs, by guess.
    weight: u64,
}

impl<T: Target> SpillCodeOf<'_, T> {
    fn home(&mut self, web: u32, v: Value, classes: &mut Vec<Class>, stats: &AllocStats) -> SpillLocation {
        let (t, w) = (self.t, self.plan.webs[web as usize]);
        *self.homes[web as usize].get_or_insert_with(|| match t.spill_to(classes[v.0 as usize]) {
            SpillTo::Class(c) => {
                classes.push(c);
                SpillLocation::Reg(VReg(classes.len() as u32 - 1))
            }
            SpillTo::Memory | SpillTo::Nothing => {
                let base = stats.spill_words.get(w.file as usize).copied().unwrap_or(0);
                SpillLocation::Slot(SpillSlot { file: w.file, word: base + w.word, units: w.units })
            }
        })
    }

    /// The slot as the checker sees it.
    fn slot(home: SpillLocation, units: u16) -> Slot {
        match home {
            SpillLocation::Slot(s) => Slot { space: s.file, word: s.word, units: s.units },
            SpillLocation::Reg(r) => Slot { space: u8::MAX, word: r.0 * 32, units },
        }
    }

    fn store(
        &mut self,
        v: Value,
        web: u32,
        loc: Loc,
        classes: &mut Vec<Class>,
        out: &mut Vec<MInst<T>>,
        stats: &mut AllocStats,
    ) {
        stats.spills += 1;
        stats.spill_cost += self.weight;
        let home = self.home(web, v, classes, stats);
        let (reg, from) = (VReg(v.0), out.len());
        let mut cx = SpillCx { out, classes, loc };
        match home {
            SpillLocation::Slot(slot) => self.t.emit_spill(&mut cx, slot, reg),
            SpillLocation::Reg(r) => cx.push(MInst::copy(r, reg)),
        }
        // The last piece completes it.
        if let Some(i) = out[from..].iter_mut().rev().find(|i| i.vreg_uses().any(|u| u == reg)) {
            i.spill = Some(Box::new(SpillCode::Store(v, Self::slot(home, self.p.shape(v).units))));
        }
    }

    fn load(
        &mut self,
        v: Value,
        web: u32,
        loc: Loc,
        classes: &mut Vec<Class>,
        out: &mut Vec<MInst<T>>,
        stats: &mut AllocStats,
    ) {
        let reg = VReg(v.0);
        if let Some(i) = &self.remat[v.0 as usize] {
            stats.remats += 1;
            let mut again = i.clone();
            again.defs[0].reg = Reg::V(reg);
            again.loc = loc;
            again.spill = Some(Box::new(SpillCode::Again));
            out.push(again);
            return;
        }
        stats.reloads += 1;
        stats.spill_cost += self.weight;
        let home = self.home(web, v, classes, stats);
        let from = out.len();
        let mut cx = SpillCx { out, classes, loc };
        match home {
            SpillLocation::Slot(slot) => self.t.emit_reload(&mut cx, slot, reg),
            SpillLocation::Reg(r) => cx.push(MInst::copy(reg, r)),
        }
        if let Some(i) = out[from..].iter_mut().find(|i| i.vreg_defs().any(|d| d == reg)) {
            i.spill = Some(Box::new(SpillCode::Load(v, Self::slot(home, self.p.shape(v).units))));
        }
    }

    fn edge(
        &mut self,
        e: &EdgeCode,
        loc: Loc,
        classes: &mut Vec<Class>,
        out: &mut Vec<MInst<T>>,
        stats: &mut AllocStats,
    ) {
        for op in &e.ops {
            match *op {
                EdgeOp::Load(v, web) => self.load(v, web, loc, classes, out, stats),
                EdgeOp::Store(v, web) => self.store(v, web, loc, classes, out, stats),
            }
        }
    }

    fn apply(&mut self, mf: &mut MFunc<T>, stats: &mut AllocStats) {
        let (plan, p) = (self.plan, self.p);
        stats.spill_words.resize(p.files.len(), 0);
        let in_memory = |v: VReg| plan.memory.binary_search(&Value(v.0)).is_ok();
        let stored = |v: VReg| plan.stores.binary_search(&Value(v.0)).is_ok();
        let range = |at: ReloadAt| {
            let from = plan.reloads.partition_point(|r| r.0 < at);
            let to = plan.reloads.partition_point(|r| r.0 <= at);
            &plan.reloads[from..to]
        };
        // Code of edges at the starts and at the ends of blocks.
        let none = || vec![SmallVec::<[&EdgeCode; 2]>::new(); mf.blocks.len()];
        let (mut starts, mut ends) = (none(), none());
        for e in &plan.edges {
            match e.at {
                ReloadAt::Start(b) => starts[b as usize].push(e),
                ReloadAt::End(b) => ends[b as usize].push(e),
                ReloadAt::Before(_) => {}
            }
        }
        let removed: Vec<Vec<bool>> =
            mf.blocks.iter().map(|b| b.params.iter().map(|&v| in_memory(v)).collect()).collect();
        let mut classes = std::mem::take(&mut mf.classes);
        let mut id = 0u32;
        let weights = ra::weights(p);
        for b in 0..mf.blocks.len() {
            self.weight = weights[b];
            let insts = std::mem::take(&mut mf.code[b]);
            let mut out: Vec<MInst<T>> = Vec::with_capacity(insts.len());
            let at_end = ReloadAt::End(b as u32);
            let has_end = insts.iter().any(|i| i.is(Pseudo::LogicalEnd));
            let has_start = insts.iter().any(|i| i.is(Pseudo::LogicalStart));
            let logical = |v: Value| p.cfg(v) == ra::Cfg::Logical;
            let loc = insts.first().map_or(Loc::UNKNOWN, |i| i.loc);
            let params: Vec<VReg> = mf.blocks[b].params.iter().copied().filter(|&v| stored(v)).collect();
            // Before the logical start only what does not live on the logical graph.
            for e in starts[b].iter().filter(|e| !has_start || e.cfg == ra::Cfg::Linear) {
                self.edge(e, loc, &mut classes, &mut out, stats);
            }
            for &v in params.iter().filter(|v| !(has_start && logical(Value(v.0)))) {
                self.store(Value(v.0), plan.web[v.0 as usize], loc, &mut classes, &mut out, stats);
            }
            let mut ended = [false; 2];
            let finish = |s: &mut Self,
                          out: &mut Vec<MInst<T>>,
                          classes: &mut Vec<Class>,
                          stats: &mut AllocStats,
                          loc: Loc,
                          logical_part: bool| {
                for &(_, v) in range(at_end).iter().filter(|r| (has_end && logical(r.1)) == logical_part) {
                    s.load(v, plan.web[v.0 as usize], loc, classes, out, stats);
                }
                for e in ends[b].iter().filter(|e| (has_end && e.cfg == ra::Cfg::Logical) == logical_part) {
                    s.edge(e, loc, classes, out, stats);
                }
            };
            for inst in insts {
                for (k, when) in [inst.is(Pseudo::LogicalEnd), is_terminator(self.t, &inst)].into_iter().enumerate() {
                    if when && !std::mem::replace(&mut ended[k], true) {
                        finish(self, &mut out, &mut classes, stats, inst.loc, k == 0);
                    }
                }
                for &(_, v) in range(ReloadAt::Before(id)) {
                    self.load(v, plan.web[v.0 as usize], inst.loc, &mut classes, &mut out, stats);
                }
                let base = p.first_operand(id);
                let defs: SmallVec<[Value; 2]> = p
                    .operands(id)
                    .iter()
                    .enumerate()
                    .filter(|(k, o)| o.role != Role::Use && !self.live.last[base + k] && stored(VReg(o.value.0)))
                    .map(|(_, o)| o.value)
                    .collect();
                id += 1;
                let (loc, begins) = (inst.loc, inst.is(Pseudo::LogicalStart));
                out.push(inst);
                if begins {
                    for e in starts[b].iter().filter(|e| e.cfg == ra::Cfg::Logical) {
                        self.edge(e, loc, &mut classes, &mut out, stats);
                    }
                    for &v in params.iter().filter(|v| logical(Value(v.0))) {
                        self.store(Value(v.0), plan.web[v.0 as usize], loc, &mut classes, &mut out, stats);
                    }
                }
                for v in defs {
                    self.store(v, plan.web[v.0 as usize], loc, &mut classes, &mut out, stats);
                }
            }
            if !ended[1] {
                finish(self, &mut out, &mut classes, stats, loc, false);
            }
            mf.code[b] = out;
            let block = &mut mf.blocks[b];
            block.params.retain(|v| !in_memory(*v));
            for e in block.all_succs_mut() {
                let mut gone = removed[e.to.0 as usize].iter();
                e.args.retain(|_| !gone.next().copied().unwrap_or(false));
            }
        }
        mf.classes = classes;
        for (words, more) in stats.spill_words.iter_mut().zip(&plan.words) {
            *words += more;
        }
    }
}
