//! Register allocation of a machine function: builds the allocator's problem, writes the answer back, lowers copies.
//!
//! Needs: blocks in order, no critical edges, each virtual register defined once. Leaves: physical registers only,
//! no block parameters, no shared pseudo-instructions.

use core::fmt;

use gpucc_ir::{Diagnostic, Loc, Module, Refusal, trace};
use gpucc_regalloc as ra;
use gpucc_regalloc::{At, Cfg, Move, Problem, RegFile, Step, UnitSet, Value};
use smallvec::SmallVec;

use crate::func::{MFunc, is_terminator};
use crate::inst::{BlockId, CopyCx, MInst, MoveSide, Opcode, PReg, Pseudo, Reg, SpillTo, Src, Target, Use};
use crate::problem::{AllocStats, build, set_units};
use crate::spill::{How, Round, Solved, Stop, spill};

/// Switches of the allocation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AllocOptions {
    /// Run the checker (always on where debug assertions are).
    pub check: bool,
    /// Stress: limit every file to the least that works.
    pub tight: bool,
    /// Stress: choose places as badly as possible.
    pub fragment: bool,
    /// Stress: spill everything that can be spilled.
    pub spill_all: bool,
    /// Give up where spilling takes more than one executed instruction for so many of the others: [`allocate_if`] answers `None` then.
    pub few_spills: Option<u64>,
    /// Give up likewise where spilling takes more than so many executed instructions, as [`AllocStats::spill_cost`] counts them.
    pub most_spills: Option<u64>,
}

impl Default for AllocOptions {
    fn default() -> Self {
        AllocOptions {
            check: cfg!(debug_assertions),
            tight: false,
            fragment: false,
            spill_all: false,
            few_spills: None,
            most_spills: None,
        }
    }
}

/// More units of a register file are needed than there are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OutOfRegisters {
    /// Name of the file.
    pub file: &'static str,
    /// Units live at once.
    pub demand: u32,
    /// Units that can be used.
    pub limit: u32,
    /// Location of the peak.
    pub loc: Loc,
    /// Instruction at the peak, as printed.
    pub inst: String,
}

/// Why an allocation failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AllocError {
    /// The program needs more registers than there are.
    OutOfRegisters(OutOfRegisters),
    /// The machine function breaks a rule: a bug of the backend.
    Invalid(String),
}

impl AllocError {
    /// A backend's answer: `says` gives what the target has, as the beginning of the sentence, and what would help. The span
    /// is that of the peak, or of the entry point where the peak comes from no source.
    pub fn refusal(self, m: &Module, says: impl FnOnce(&OutOfRegisters) -> (String, String)) -> Diagnostic {
        match self {
            AllocError::OutOfRegisters(o) => {
                let (has, help) = says(&o);
                let entry = m.entries.first().filter(|_| o.loc == Loc::UNKNOWN);
                Diagnostic::unsupported(Refusal::OutOfRegisters, format!("{has}, this needs {} at once", o.demand))
                    .at(entry.map_or_else(|| m.span(o.loc), |e| e.span), "most values are alive here")
                    .note(help)
            }
            AllocError::Invalid(s) => Diagnostic::internal("register-allocation", s),
        }
    }
}

impl fmt::Display for AllocError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AllocError::OutOfRegisters(o) => write!(
                f,
                "out of registers: {} units of {} are needed at once, {} can be used, at `{}`",
                o.demand, o.file, o.limit, o.inst
            ),
            AllocError::Invalid(s) => write!(f, "register allocation: {s}"),
        }
    }
}

impl core::error::Error for AllocError {}

/// A machine function as the allocator sees it, and what is alive where: for those who look at the pressure before they allocate.
pub struct Pressure {
    pub(crate) problem: Problem,
    pub(crate) live: ra::Liveness,
}

impl Pressure {
    /// Those of `mf`.
    ///
    /// # Errors
    /// When it breaks a rule of the allocator, in words.
    pub fn new<T: Target>(mf: &MFunc<T>, t: &T) -> Result<Pressure, String> {
        let (problem, live) = check_and_solve(build(mf, t)?).map_err(|e| e.to_string())?;
        Ok(Pressure { problem, live })
    }

    /// Those of the same function whose instructions have changed places within their blocks.
    ///
    /// # Errors
    /// As [`Pressure::new`].
    pub fn reordered<T: Target>(self, mf: &MFunc<T>, t: &T) -> Result<Pressure, String> {
        // Not both problems at once: each is about as large as the code.
        let live = self.live;
        let problem = build(mf, t)?;
        debug_assert!(ra::verify(&problem).is_ok(), "a schedule keeps the rules of the allocator");
        let live = live.reordered(&problem);
        Ok(Pressure { problem, live })
    }

    /// Units of each file that are live at once, at the peak.
    pub fn pressure(&self) -> Vec<u32> {
        self.live.peaks.iter().map(|p| p.units).collect()
    }
}

/// A walk over all operands that only a backend's bug has anything to tell.
fn verified(p: Problem) -> Result<Problem, ra::Error> {
    if cfg!(debug_assertions) {
        ra::verify(&p)?;
    }
    Ok(p)
}

fn check_and_solve(p: Problem) -> Result<(Problem, ra::Liveness), ra::Error> {
    let p = verified(p)?;
    let live = ra::Liveness::compute(&p)?;
    Ok((p, live))
}

/// Allocates registers; see the module.
///
/// # Errors
/// When registers run out or `mf` breaks a rule; `mf` is as before then.
pub fn allocate<T: Target>(mf: &mut MFunc<T>, t: &T, options: &AllocOptions) -> Result<AllocStats, AllocError> {
    let mut facts = Pressure::new(mf, t).map_err(AllocError::Invalid)?;
    Ok(allocate_if(mf, t, &mut facts, options, |_, _| true)?.unwrap_or_default())
}

/// The same with the facts of `mf`, also those for a target whose files differ in their budgets alone; they stay the facts of `mf` as it was. `accept` is asked
/// first, with the function as it still is, whether what the allocation takes is worth it: `moves` is what it takes at least then, if a
/// swap is more than one instruction, and `used` lacks the registers that copies borrow. If not, `mf` stays as it is and the answer is `None`.
///
/// # Errors
/// When registers run out or `mf` breaks a rule; `mf` is as before then.
pub fn allocate_if<T: Target>(
    mf: &mut MFunc<T>,
    t: &T,
    facts: &mut Pressure,
    options: &AllocOptions,
    accept: impl FnOnce(&MFunc<T>, &AllocStats) -> bool,
) -> Result<Option<AllocStats>, AllocError> {
    let Pressure { problem, live } = facts;
    let (problem, live) = (problem, &*live);
    let peaks = &live.peaks;
    problem.files = t.files().to_vec();
    let files = problem.files.clone();
    let weights = ra::weights(problem);
    let cost: u64 = problem.blocks.iter().zip(weights).map(|(b, w)| b.insts.len() as u64 * w).sum();
    let few = options.few_spills.map(|few| cost / few.max(1));
    let most = few.into_iter().chain(options.most_spills).min().unwrap_or(u64::MAX);
    let budgets: Vec<u32> = files.iter().map(|f| f.budget.len()).collect();
    // The registers that spilling aims for, and those that colouring may use.
    let mut limits = budgets.clone();
    let mut colours: Vec<u32> = budgets.clone();
    if options.tight {
        colours = peaks.iter().zip(&budgets).map(|(p, b)| p.units.min(*b)).collect();
    }
    let check = options.check || cfg!(debug_assertions);
    let mut stats = AllocStats::default();
    let mut spilled: Option<(MFunc<T>, (Problem, ra::Liveness))> = None;
    let mut all = options.spill_all;
    let mut over = all || peaks.iter().zip(&limits).any(|(p, l)| p.units > *l);
    let mut tries = 0;
    let answer = loop {
        if over {
            trace::enter("spilling", &mf.name);
            let mut trial = mf.clone();
            stats = AllocStats::default();
            problem.files.clone_from(&files);
            let mut after: Option<Solved> = None;
            for round in [Round::ToClass, Round::ToMemory] {
                let facts = after.as_ref().map_or((&*problem, Some(live)), |(p, live)| (p, live.as_ref()));
                match spill(&mut trial, t, facts, &limits, How { all, check, most }, round, &mut stats) {
                    Ok(new) => after = new.or(after),
                    Err(Stop::TooMuch) => return Ok(None),
                    Err(Stop::Invalid(fault)) => return Err(AllocError::Invalid(fault)),
                }
            }
            let solved = |(p, live): Solved| match live {
                Some(live) => verified(p).map(|p| (p, live)),
                None => check_and_solve(p),
            };
            let after = after.map(|p| solved(p).map_err(|e| AllocError::Invalid(e.to_string())));
            spilled = after.transpose()?.map(|p| (trial, p));
            over = false;
        }
        let (p, live) = spilled.as_mut().map_or((&mut *problem, live), |s| (&mut s.1.0, &s.1.1));
        for ((f, whole), l) in p.files.iter_mut().zip(&files).zip(&colours) {
            f.budget = whole.budget.iter().take(*l as usize).collect();
        }
        trace::enter("colouring", &mf.name);
        match ra::colour(p, live, options.fragment) {
            Ok(a) => break a,
            Err(ra::Error::OutOfRegisters(o)) => {
                let f = o.file as usize;
                // Where values go nowhere else, spilling has evicted all it can: lower limits take nothing more out.
                let beyond = || live.peaks[f].units > budgets[f];
                if colours[f] < budgets[f] {
                    colours[f] += 1;
                } else if !all && (has_home(t, o.file) || t.spill_by_remat() && !beyond()) {
                    // A set that fits by the sum need not fit by shape: leave more room; if that is of no use, spill all.
                    over = true;
                    tries += 1;
                    all = tries > MAX_TRIES || limits[f] <= 1;
                    limits[f] = if all { budgets[f] } else { limits[f] - (1 << (tries / 4)).min(limits[f] - 1) };
                } else {
                    let o = match &spilled {
                        Some((trial, (p, _))) if has_home(t, o.file) => explain(trial, t, p, None, o),
                        _ => explain(mf, t, problem, peaks.get(f), o),
                    };
                    return Err(AllocError::OutOfRegisters(o));
                }
            }
            Err(e) => return Err(AllocError::Invalid(e.to_string())),
        }
    };
    stats.cost = cost;
    stats.pressure = peaks.iter().map(|p| p.units).collect();
    stats.used = vec![UnitSet::EMPTY; files.len()];
    {
        let p = spilled.as_ref().map_or(&*problem, |s| &s.1.0);
        for (o, &place) in p.operands.iter().zip(&answer.operands) {
            stats.used[p.file(o.value) as usize].add(place);
        }
    }
    stats.moves = least_moves(t, spilled.as_ref().map_or(&*problem, |s| &s.1.0), &answer);
    if !accept(mf, &stats) {
        return Ok(None);
    }
    stats.moves = 0;
    let own;
    let p = match spilled {
        Some((trial, (p, _))) => {
            *mf = trial;
            own = p;
            &own
        }
        None => &*problem,
    };
    if check && let Err(e) = ra::check(p, &answer) {
        panic!("register allocation of `{}` is wrong: {e}\n{}", mf.name, crate::print::print(mf, t));
    }
    trace::enter("writing registers back", &mf.name);
    write_back(mf, t, p, &answer, &mut stats).map_err(AllocError::Invalid)?;
    Ok(Some(stats))
}

/// Moves that an allocation takes at least: a move for each unit that changes its place, fewer where one moves several.
fn least_moves<T: Target>(t: &T, p: &Problem, a: &ra::Allocation) -> u32 {
    let mut moved: SmallVec<[u32; 4]> = SmallVec::from_elem(0, p.files.len());
    for m in a.copies.iter().flat_map(|c| &c.moves).filter(|m| m.src != m.dst) {
        moved[usize::from(m.file)] += u32::from(m.dst.len());
    }
    // What a copy, a collect or a split makes and does not read comes from elsewhere.
    for &i in &a.reports {
        let base = p.first_operand(i);
        let places = || p.operands(i).iter().zip(&a.operands[base..]).map(|(o, at)| (o.role, p.file(o.value), *at));
        for (_, file, made) in places().filter(|x| x.0 != ra::Role::Use) {
            let read = places().filter(|x| x.0 == ra::Role::Use && x.1 == file);
            let other = read.fold(made.set(), |rest, x| rest.minus(&x.2.set()));
            moved[usize::from(file)] += other.len();
        }
    }
    let least = moved.iter().zip(&p.files).zip(0..).map(|((&n, file), id)| match t.move_caps(id).widths.first() {
        Some(&(widest, _)) if !file.row_moves => n.div_ceil(u32::from(widest.max(1))),
        _ => 0,
    });
    least.sum()
}

/// Rounds of more spilling after colouring failed.
const MAX_TRIES: u32 = 12;

/// Whether values of a file can live elsewhere.
fn has_home<T: Target>(t: &T, file: ra::FileId) -> bool {
    let class = |k: usize| t.spill_to(crate::inst::Class(k as u8)) != SpillTo::Nothing;
    t.classes().iter().enumerate().any(|(k, c)| c.file == file && class(k))
}

/// Describes the place where registers ran out, or `peak`, where most are live, if that is higher.
fn explain<T: Target>(
    mf: &MFunc<T>,
    t: &T,
    p: &Problem,
    peak: Option<&ra::Peak>,
    mut o: ra::OutOfRegisters,
) -> OutOfRegisters {
    if let Some(peak) = peak {
        o.demand = o.demand.max(peak.units);
        o.block = peak.block;
        o.inst = peak.inst.or_else(|| p.blocks[peak.block as usize].insts.clone().next_back());
    }
    let insts = &mf.code[o.block as usize];
    let first = p.blocks[o.block as usize].insts.start;
    let inst = match o.inst {
        Some(i) => insts.get(i.wrapping_sub(first) as usize),
        None => insts.first(),
    };
    OutOfRegisters {
        file: o.name,
        demand: o.demand,
        limit: o.limit,
        loc: inst.map_or(Loc::UNKNOWN, |i| i.loc),
        inst: inst.map_or(String::new(), |i| crate::print::print_inst(mf, t, i)),
    }
}

/// Puts `new` between the instructions of a block: `places` has in front of which of them, each with how much there is up to there. Takes the
/// pseudo-instructions out. `room` is empty.
fn merge<T: Target>(
    insts: &mut Vec<MInst<T>>,
    new: &mut Vec<MInst<T>>,
    places: &mut Vec<(usize, usize)>,
    room: &mut Vec<MInst<T>>,
) {
    room.reserve(insts.len() + new.len());
    let (mut new, mut n) = (new.drain(..), 0);
    let mut places = places.drain(..).peekable();
    for (at, inst) in insts.drain(..).enumerate() {
        if let Some((_, end)) = places.next_if(|p| p.0 == at) {
            room.extend(new.by_ref().take(end - n));
            n = end;
        }
        if matches!(inst.op, Opcode::Op(_)) {
            room.push(inst);
        }
    }
    room.extend(new);
    // The list of a block stays where it is: the next walk reads the blocks one after the other.
    insts.append(room);
}

fn write_back<T: Target>(
    mf: &mut MFunc<T>,
    t: &T,
    p: &Problem,
    a: &ra::Allocation,
    stats: &mut AllocStats,
) -> Result<(), String> {
    let mut before = a.copies.iter().filter(|c| matches!(c.at, At::Before(_))).peekable();
    let mut free = a.reports.iter().zip(a.free.chunks_exact(p.files.len().max(1))).peekable();
    let lists = || -> Vec<SmallVec<[&ra::ParallelCopy; 2]>> { mf.blocks.iter().map(|_| SmallVec::new()).collect() };
    let (mut starts, mut ends) = (lists(), lists());
    for c in &a.copies {
        match c.at {
            At::Before(_) => {}
            At::End(b, _) => ends[b as usize].push(c),
            At::Start(b, _) => starts[b as usize].push(c),
        }
    }
    let mut used = vec![UnitSet::EMPTY; p.files.len()];
    let none = used.clone();
    // Moves may have taken scratch registers that no value was given: what the code names is what counts.
    let take = |moves: &[MInst<T>], used: &mut [UnitSet]| {
        for i in moves {
            let named = i.defs.iter().filter_map(|d| d.phys()).chain(i.uses.iter().filter_map(Use::phys));
            for r in named {
                let Some(file) = t.files().get(r.file as usize) else { continue };
                if file.budget.has_all(r.place) {
                    used[r.file as usize].add(r.place);
                }
            }
        }
    };
    let mut id = 0;
    // What is put between the instructions of a block, which stay where they are if that is nothing; and in front of which of them it
    // comes, with how much there is up to there.
    let mut out: Vec<MInst<T>> = Vec::new();
    let mut places: Vec<(usize, usize)> = Vec::new();
    let mut merged: Vec<MInst<T>> = Vec::new();
    for b in 0..mf.blocks.len() {
        let mut insts = std::mem::take(&mut mf.code[b]);
        let loc = insts.first().map_or(Loc::UNKNOWN, |i| i.loc);
        let mut dropped = false;
        let has_logical_start = insts.iter().any(|i| i.is(Pseudo::LogicalStart));
        let late = |c: &&ra::ParallelCopy| has_logical_start && matches!(c.at, At::Start(_, Cfg::Logical));
        for c in starts[b].iter().filter(|c| !late(c)) {
            parallel(t, p, &c.moves, &c.free, loc, &mut out, stats);
        }
        let mut todo: SmallVec<[&ra::ParallelCopy; 2]> = ends[b].clone();
        let has_logical_end = insts.iter().any(|i| i.is(Pseudo::LogicalEnd));
        for (at, inst) in insts.iter_mut().enumerate() {
            if inst.is(Pseudo::LogicalStart) {
                for c in starts[b].iter().filter(|c| late(c)) {
                    // A register free at the start of the block may not be free here on the other graph.
                    let mask = |(f, s): (&RegFile, &UnitSet)| if f.cfg == Cfg::Logical { *s } else { UnitSet::EMPTY };
                    let free: Vec<UnitSet> = p.files.iter().zip(&c.free).map(mask).collect();
                    parallel(t, p, &c.moves, &free, inst.loc, &mut out, stats);
                }
            }
            let ends_logical = inst.is(Pseudo::LogicalEnd);
            let ends_all = is_terminator(t, inst);
            if ends_logical || ends_all {
                todo.retain(|c| {
                    let now = ends_all || matches!(c.at, At::End(_, Cfg::Logical) if has_logical_end);
                    if now {
                        parallel(t, p, &c.moves, &c.free, inst.loc, &mut out, stats);
                    }
                    !now
                });
            }
            while let Some(c) = before.next_if(|c| c.at == At::Before(id)) {
                parallel(t, p, &c.moves, &c.free, inst.loc, &mut out, stats);
            }
            let base = p.first_operand(id);
            let free_here = free.next_if(|f| *f.0 == id).map(|f| f.1);
            let mut k = base;
            // Those of the operands, which only pseudo-instructions are lowered with.
            let mut granules: SmallVec<[u16; 8]> = SmallVec::new();
            let lowers = matches!(inst.op, Opcode::Pseudo(_));
            for u in &mut inst.uses {
                if let Src::Reg(Reg::V(v)) = u.src {
                    let file = p.file(Value(v.0));
                    let mut place = a.operands[k];
                    k += 1;
                    let mut g = p.shape(Value(v.0)).granule;
                    if let Some((first, count)) = u.part_read() {
                        if first as u16 + count as u16 > place.len() {
                            return Err(format!("block {b}: part {first}+{count} of {v:?}, which has {}", place.len()));
                        }
                        place = place.part(first as u16, count as u16);
                        g = gcd(g, gcd(first as u16, count as u16));
                    }
                    used[file as usize].add(place);
                    if lowers {
                        granules.push(g);
                    }
                    u.place(PReg { file, place });
                } else {
                    if lowers {
                        granules.push(0);
                    }
                    u.read_all();
                }
            }
            for d in &mut inst.defs {
                if let Reg::V(v) = d.reg {
                    let file = p.file(Value(v.0));
                    let place = a.operands[k];
                    k += 1;
                    used[file as usize].add(place);
                    if lowers {
                        granules.push(p.shape(Value(v.0)).granule);
                    }
                    *d = crate::inst::Def::preg(PReg { file, place });
                } else if lowers {
                    granules.push(1);
                }
            }
            id += 1;
            dropped |= lowers;
            match inst.op {
                Opcode::Op(_) => {}
                Opcode::Pseudo(Pseudo::Undef | Pseudo::Start | Pseudo::LogicalStart | Pseudo::LogicalEnd) => {}
                Opcode::Pseudo(pseudo) => {
                    let free = free_here.unwrap_or(&none);
                    copy_pseudo(t, p, inst, pseudo, &granules, free, &mut out, stats)
                        .map_err(|e| format!("block {b}: {e}"))?;
                }
            }
            if out.len() > places.last().map_or(0, |p| p.1) {
                places.push((at, out.len()));
            }
        }
        for c in todo {
            parallel(t, p, &c.moves, &c.free, loc, &mut out, stats);
        }
        take(&out, &mut used);
        if dropped || !out.is_empty() {
            merge(&mut insts, &mut out, &mut places, &mut merged);
        }
        mf.code[b] = insts;
        mf.blocks[b].params.clear();
        let block = &mut mf.blocks[b];
        for e in block.all_succs_mut() {
            e.args.clear();
        }
    }
    for c in &a.copies {
        for m in &c.moves {
            used[m.file as usize].add(m.dst);
        }
    }
    stats.used = used;
    Ok(())
}

fn gcd(a: u16, b: u16) -> u16 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Emits the moves of all files of a parallel copy.
fn parallel<T: Target>(
    t: &T,
    p: &Problem,
    moves: &[Move],
    free: &[UnitSet],
    loc: Loc,
    out: &mut Vec<MInst<T>>,
    stats: &mut AllocStats,
) {
    if moves.is_empty() {
        return;
    }
    let start = out.len();
    let mut free: SmallVec<[UnitSet; 4]> = SmallVec::from_slice(free);
    // A register that another file's moves write is no scratch.
    for m in moves {
        free[m.file as usize] = free[m.file as usize].minus(&m.dst.set()).minus(&m.src.set());
    }
    for (id, file) in p.files.iter().enumerate() {
        let id = id as ra::FileId;
        if !moves.iter().any(|m| m.file == id) {
            continue;
        }
        for step in ra::sequence(id, file, t.move_caps(id), moves, &free[id as usize]) {
            let mut cx = CopyCx { out, free: &free, loc };
            match &step {
                Step::Move { dst, src } => {
                    t.emit_move(&mut cx, MoveSide { file: id, units: dst }, MoveSide { file: id, units: src });
                }
                Step::Swap { a, b } => {
                    t.emit_swap(&mut cx, MoveSide { file: id, units: a }, MoveSide { file: id, units: b });
                }
            }
        }
    }
    stats.moves += (out.len() - start) as u32;
}

/// The units of one place, as moves name them.
type Units = SmallVec<[u16; 16]>;

/// Lowers a copy, collect or split whose operands are physical by now. `granules` is per use, then per definition.
#[expect(clippy::too_many_arguments, reason = "the state of one step of the walk")]
fn copy_pseudo<T: Target>(
    t: &T,
    p: &Problem,
    inst: &MInst<T>,
    pseudo: Pseudo,
    granules: &[u16],
    free: &[UnitSet],
    out: &mut Vec<MInst<T>>,
    stats: &mut AllocStats,
) -> Result<(), String> {
    let mut moves: SmallVec<[Move; 4]> = SmallVec::new();
    let mut cross: SmallVec<[(PReg, PReg); 4]> = SmallVec::new();
    let mut sets: SmallVec<[(PReg, Use<T>); 4]> = SmallVec::new();
    let uses = inst.uses.len();
    let mut pair = |dst: PReg, src: &Use<T>, g: u16| -> Result<(), String> {
        match src.phys() {
            Some(s) if s.file == dst.file => {
                if s.place.len() != dst.place.len() {
                    return Err(format!("copy of {} units to {}", s.place.len(), dst.place.len()));
                }
                let granule = gcd(g, s.place.len()).max(1);
                moves.push(Move { file: dst.file, dst: dst.place, src: s.place, granule });
            }
            Some(s) => cross.push((dst, s)),
            None => sets.push((dst, *src)),
        }
        Ok(())
    };
    let phys = |d: &crate::inst::Def| d.phys().ok_or_else(|| "virtual register left".to_string());
    match pseudo {
        Pseudo::Copy => {
            if inst.defs.len() != uses {
                return Err(format!("copy of {uses} sources to {} definitions", inst.defs.len()));
            }
            for (k, (d, u)) in inst.defs.iter().zip(&inst.uses).enumerate() {
                pair(phys(d)?, u, gcd(granules[uses + k], granules[k]))?;
            }
        }
        Pseudo::Collect => {
            let [d] = inst.defs.as_slice() else { return Err("collect has one definition".into()) };
            let dst = phys(d)?;
            let each = set_units(inst, dst.place.len(), |_| 0);
            let mut at = 0;
            for (k, u) in inst.uses.iter().enumerate() {
                let n = u.phys().map_or(each, |s| s.place.len());
                if n == 0 || at + n > dst.place.len() {
                    return Err(format!("collect of more than {} units", dst.place.len()));
                }
                let part = PReg { file: dst.file, place: dst.place.part(at, n) };
                pair(part, u, gcd(gcd(granules[uses], granules[k]), gcd(at, n)))?;
                at += n;
            }
            if at != dst.place.len() {
                return Err(format!("collect of {at} units into {}", dst.place.len()));
            }
        }
        Pseudo::Split => {
            let [u] = inst.uses.as_slice() else { return Err("split has one source".into()) };
            let Some(src) = u.phys() else { return Err("split of no register".into()) };
            let mut at = 0;
            for (k, d) in inst.defs.iter().enumerate() {
                let dst = phys(d)?;
                let n = dst.place.len();
                if at + n > src.place.len() {
                    return Err(format!("split of {} units into more", src.place.len()));
                }
                let part = Use::preg(PReg { file: src.file, place: src.place.part(at, n) });
                pair(dst, &part, gcd(gcd(granules[0], granules[uses + k]), gcd(at, n)))?;
                at += n;
            }
        }
        Pseudo::Undef | Pseudo::Start | Pseudo::LogicalStart | Pseudo::LogicalEnd => {}
    }
    // A cross-file copy among others could read what they overwrite.
    if !cross.is_empty() && inst.defs.len() > 1 && pseudo == Pseudo::Copy {
        return Err("a parallel copy stays in one file".into());
    }
    parallel(t, p, &moves, free, inst.loc, out, stats);
    let start = out.len();
    let mut cx = CopyCx { out, free, loc: inst.loc };
    for (d, s) in cross {
        let (du, su): (Units, Units) = (d.place.units().collect(), s.place.units().collect());
        t.emit_move(&mut cx, MoveSide { file: d.file, units: &du }, MoveSide { file: s.file, units: &su });
    }
    for (d, s) in sets {
        let units: Units = d.place.units().collect();
        t.emit_set(&mut cx, MoveSide { file: d.file, units: &units }, &s);
    }
    stats.moves += (out.len() - start) as u32;
    Ok(())
}

/// Blocks whose edges the allocator can handle: see [`MFunc::split_critical_edges`].
pub fn has_critical_edge<T: Target>(mf: &MFunc<T>, cfg: Cfg) -> Option<(BlockId, BlockId)> {
    let mut preds = vec![0u32; mf.blocks.len()];
    for b in &mf.blocks {
        for e in b.succs(cfg) {
            preds[e.to.0 as usize] += 1;
        }
    }
    for b in mf.block_ids() {
        let succs = mf.blocks[b.0 as usize].succs(cfg);
        if let (true, Some(e)) = (succs.len() > 1, succs.iter().find(|e| preds[e.to.0 as usize] > 1)) {
            return Some((b, e.to));
        }
    }
    None
}
