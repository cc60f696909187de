//! Allocation, together with the schedule before it: which of two orders needs fewer registers shows only there.
//!
//! Needs: virtual registers, both graphs. Leaves: physical registers; spilled scalar registers in lanes of vector registers behind
//! all others.

use gpucc_driver::{AttemptError, CodegenOptions, Family, Job, alloc_options};
use gpucc_gcn_machine::abi;
use gpucc_ir::Refusal;
use gpucc_mir::{AllocError, AllocOptions, AllocStats, FileId, MFunc, Schedule, Target};

use crate::inst::{FILE_S, FILE_V, Gcn, SPILL_LANES};
use crate::model;
use crate::target::lower_spill_lanes;

/// So many moves are worth a wave in programs of draws.
const MOVES_FOR_A_WAVE: u32 = 8;

/// Whether instructions change places.
fn schedules(options: &CodegenOptions) -> bool {
    options.opt_level >= 2 && !options.skip_passes.iter().any(|p| p == "schedule")
}

/// The cost of an allocation: less is better.
struct Worth {
    /// Scalar registers that are taken.
    fixed: u32,
    generation: u8,
    draws: bool,
}

impl Worth {
    /// Spilling first, then waves that are lost, then moves.
    fn cost(&self, a: &AllocStats) -> (u64, u32, u32) {
        let top = |f: u8| a.used.get(usize::from(f)).and_then(|u| u.iter().max()).map_or(0, |u| u32::from(u) + 1);
        let waves = abi::waves(top(FILE_V), top(FILE_S).max(self.fixed), self.generation);
        (a.spill_cost, 10 - waves, a.moves)
    }

    /// The same of an answer. Runs for images can be had in few registers by much moving to and fro, which costs more than a wave less.
    fn judged(&self, a: &Result<AllocStats, AllocError>) -> (u64, u32, u32) {
        a.as_ref().map_or((u64::MAX, 0, 0), |a| self.judged_stats(a))
    }

    fn judged_stats(&self, a: &AllocStats) -> (u64, u32, u32) {
        let (spills, lost, moves) = self.cost(a);
        (spills, if self.draws { MOVES_FOR_A_WAVE * lost + moves } else { lost }, moves)
    }
}

/// Schedules and allocates. The schedule stays within the registers that leave the program its waves; where it turns out
/// that the code as it was needs less, that is taken. In programs of draws the parts of runs are given back, if that is better.
fn within(mf: &mut MFunc<Gcn>, t: &Gcn, options: &CodegenOptions, worth: &Worth) -> Result<AllocStats, AllocError> {
    let how = alloc_options(options);
    if !schedules(options) {
        return gpucc_mir::allocate(mf, t, &how);
    }
    let facts = gpucc_mir::Pressure::new(mf, t).map_err(AllocError::Invalid)?;
    let pressure = facts.pressure();
    let (s, v) = (usize::from(FILE_S), usize::from(FILE_V));
    let mut limits: Vec<u32> = t.files().iter().map(|f| f.budget.len()).collect();
    let (scalar, vector) = model::limits(pressure[s] + worth.fixed, pressure[v], worth.generation);
    limits[s] = limits[s].min(scalar.saturating_sub(worth.fixed));
    limits[v] = limits[v].min(vector);
    let least = 10 - abi::waves(pressure[v], pressure[s] + worth.fixed, worth.generation);
    let schedule = gpucc_mir::schedule_before(mf, t, &facts, &limits);
    let facts = if schedule.changed() > 0 { facts.reordered(mf, t).map_err(AllocError::Invalid)? } else { facts };
    let runs = if worth.draws { gpucc_mir::SplitRuns::new(mf) } else { None };
    let mut best = ordered(mf, t, (facts, schedule), &how, (worth, least));
    let best_there_is = |a: &AllocStats| a.moves == 0 && worth.cost(a) <= (0, least, 0);
    let runs = runs.filter(|_| !best.as_ref().is_ok_and(best_there_is));
    for mut other in runs.map_or_else(Vec::new, |r| r.functions(t)) {
        if best.as_ref().is_ok_and(best_there_is) {
            break;
        }
        try_other(mf, &mut best, &mut other, t, &how, worth);
    }
    best
}

/// Takes another function in place of the one that was allocated, if its allocation is better: `best` is the answer for that one.
fn try_other(
    mf: &mut MFunc<Gcn>,
    best: &mut Result<AllocStats, AllocError>,
    other: &mut MFunc<Gcn>,
    t: &Gcn,
    how: &AllocOptions,
    worth: &Worth,
) {
    let most = worth.judged(best);
    // Most are seen to be no better before anything is written.
    let may_win = |_: &MFunc<Gcn>, a: &AllocStats| worth.judged_stats(a) < most;
    let how = AllocOptions { most_spills: Some(most.0), ..*how };
    let facts = gpucc_mir::Pressure::new(other, t).map_err(AllocError::Invalid);
    let answer = facts.and_then(|mut facts| gpucc_mir::allocate_if(other, t, &mut facts, &how, may_win));
    if let Some(answer) = answer.transpose()
        && worth.judged(&answer) < most
    {
        std::mem::swap(mf, other);
        *best = answer;
    }
}

/// Allocates in the order of the schedule; where a wave is lost against the least that may be, also in other orders.
fn ordered(
    mf: &mut MFunc<Gcn>,
    t: &Gcn,
    (mut facts, schedule): (gpucc_mir::Pressure, Schedule),
    how: &AllocOptions,
    (worth, least): (&Worth, u32),
) -> Result<AllocStats, AllocError> {
    // Mostly the first answer is as good as can be, and no copy of the function is needed.
    let mut scheduled = None;
    let first = gpucc_mir::allocate_if(mf, t, &mut facts, how, |mf, a| {
        if worth.cost(a) > (0, least, u32::MAX) {
            scheduled = Some(mf.clone());
        }
        true
    });
    let mut best = first.map(Option::unwrap_or_default);
    let scheduled = match (scheduled, &best) {
        (Some(s), _) => s,
        // It failed, and is as it was.
        (None, Err(_)) => mf.clone(),
        (None, Ok(_)) => return best,
    };
    let mut plain = scheduled.clone();
    schedule.undo(&mut plain);
    let cost = |a: &Result<AllocStats, AllocError>| a.as_ref().map_or((u64::MAX, 0, 0), |a| worth.cost(a));
    // As it was; then as it was scheduled, within fewer registers, which where values are spilled leaves no fewer of them.
    for (mut other, tight) in [(plain, false), (scheduled, true)] {
        if cost(&best) <= (0, least, u32::MAX) || tight && cost(&best).0 > 0 {
            break;
        }
        try_other(mf, &mut best, &mut other, t, &AllocOptions { tight: tight || how.tight, ..*how }, worth);
    }
    best
}

/// The pass. `fixed` scalar registers are taken before; `draws` says that the entry has a vertex or fragment stage.
///
/// # Errors
/// When registers run out.
pub fn run<F: Family>(
    mf: &mut MFunc<Gcn>,
    t: &Gcn,
    job: &Job<'_, F>,
    (fixed, draws): (u32, bool),
) -> Result<AllocStats, AttemptError> {
    let worth = Worth { fixed, generation: job.generation, draws };
    let alloc = within(mf, t, job.options, &worth).map_err(|e| {
        AttemptError::allocation(e, job.module, |o| {
            let has = format!("{} has {} {} registers to give out", job.chip(), o.limit, o.file);
            (has, "smaller arrays or fewer live values would help".into())
        })
    })?;
    if lanes(&alloc) > u32::from(256 - SPILL_LANES) {
        let what = format!("has too few lanes: {} scalar registers wait for others at once", words(&alloc, FILE_S));
        return Err(job.refuse(Refusal::OutOfRegisters, what).into());
    }
    Ok(alloc)
}

/// Words of spilled registers of a file.
pub fn words(alloc: &AllocStats, file: FileId) -> u32 {
    alloc.spill_words.get(usize::from(file)).copied().unwrap_or(0)
}

/// Vector registers whose lanes hold scalar registers.
fn lanes(alloc: &AllocStats) -> u32 {
    words(alloc, FILE_S).div_ceil(64)
}

/// Brings the vector registers whose lanes hold scalar registers down to where the others end. Gives how many there are.
pub fn spill_lanes(mf: &mut MFunc<Gcn>, alloc: &AllocStats) -> u32 {
    let count = lanes(alloc);
    if count > 0 {
        let used = alloc.used.get(usize::from(FILE_V));
        let top = used.and_then(|u| u.iter().filter(|u| *u < SPILL_LANES).max());
        lower_spill_lanes(mf, top.map_or(0, |u| u + 1));
    }
    count
}
