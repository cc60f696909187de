//! Batches of a draw on several cores.
//!
//! Which batches there are, what each gives and what is paid for them does not depend on the number of cores: batches of programs
//! that write no memory know nothing of each other, so they run ahead on any core, and their results are taken in order. One that
//! trapped, or that takes more steps than are left then, is run once more in its turn, which gives the trap of a run on one core.

use crate::exec::MOST_NOTES;
use crate::program::OracleProgram;
use crate::side::{Side, Store};
use gpucc_sim::{RunOptions, RunReport, StepBudget, Trap};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Steps up to which a batch may run ahead at first: a batch before it may end the draw, and then they were for nothing.
const AHEAD: u64 = 1 << 24;
/// By how much that grows when a batch needed more and came to its end.
const MORE: u64 = 16;

/// A program and those that run it.
pub(crate) struct Crew<'a> {
    /// Runs the batches that nobody ran ahead.
    pub main: Side<'a>,
    /// Run batches beside it; made when there are batches for them.
    others: Vec<Side<'a>>,
    /// Sides that run at once.
    cores: usize,
    /// Steps up to which a batch may run ahead.
    ahead: u64,
}

/// A batch that was run ahead.
struct Done<T> {
    made: T,
    steps: u64,
    report: RunReport,
}

impl<'a> Crew<'a> {
    /// On one core where the order of batches shows: in memory, or in what is drawn by a seed.
    pub fn new(main: Side<'a>, program: &OracleProgram, options: &RunOptions) -> Crew<'a> {
        let free = !program.writes_memory() && options.perturb.is_none() && !program.strays_by_seed();
        Crew { main, others: Vec::new(), cores: if free { options.cores.max(1) } else { 1 }, ahead: AHEAD }
    }

    /// Does `work` for 0 to `count` with what is bound, and gives what it made to `take`, in order.
    pub fn each<T: Send>(
        &mut self,
        store: &mut Store,
        steps: &mut StepBudget,
        count: usize,
        work: impl Fn(&mut Side<'a>, usize) -> Result<T, Trap> + Sync,
        mut take: impl FnMut(T),
    ) -> Result<(), Trap> {
        let Crew { main, others, cores, ahead } = self;
        let cores = (*cores).min(count);
        main.with(store, steps, |side| {
            let mut done: Vec<Option<Done<T>>> = Vec::new();
            if cores > 1 {
                let runs = (others.len() + 1).max(cores);
                // Those that are there already get the memory of now.
                others.iter_mut().for_each(|o| o.run.see(&mut side.run));
                others.resize_with(runs - 1, || side.twin());
                done = run_ahead((side, &mut others[..cores - 1]), count, *ahead, &work);
                others.iter_mut().for_each(|o| o.run.forget());
            }
            done.resize_with(count, || None);
            for (k, done) in done.into_iter().enumerate() {
                if let Some(Done { made, steps, report }) = done
                    && side.run.steps.spend(steps).is_ok()
                {
                    add(&mut side.run.report, report);
                    take(made);
                    continue;
                }
                let before = side.run.steps.used();
                take(work(side, k)?);
                if side.run.steps.used() - before > *ahead {
                    *ahead = ahead.saturating_mul(MORE);
                }
            }
            Ok(())
        })
    }
}

/// Runs batches on all sides; there is none of those that trapped, and of some behind the first of them.
fn run_ahead<'a, T: Send>(
    (main, others): (&mut Side<'a>, &mut [Side<'a>]),
    count: usize,
    ahead: u64,
    work: &(impl Fn(&mut Side<'a>, usize) -> Result<T, Trap> + Sync),
) -> Vec<Option<Done<T>>> {
    let left = main.run.steps.clone();
    let before = std::mem::take(&mut main.run.report);
    let (next, trapped) = (AtomicUsize::new(0), AtomicUsize::new(count));
    let run = |side: &mut Side<'a>| {
        let mut list = Vec::new();
        loop {
            let k = next.fetch_add(1, Ordering::Relaxed);
            if k >= trapped.load(Ordering::Relaxed) {
                return list;
            }
            side.run.steps = left.part(ahead);
            let made = work(side, k);
            let (steps, report) = (side.run.steps.used(), std::mem::take(&mut side.run.report));
            match made {
                Ok(made) => list.push((k, Done { made, steps, report })),
                Err(_) => {
                    trapped.fetch_min(k, Ordering::Relaxed);
                }
            }
        }
    };
    let mut all: Vec<Option<Done<T>>> = Vec::new();
    all.resize_with(count, || None);
    let lists: Vec<Vec<(usize, Done<T>)>> = thread::scope(|scope| {
        let run = &run;
        let beside: Vec<_> = others.iter_mut().map(|side| scope.spawn(move || run(side))).collect();
        let own = run(main);
        let joined = beside.into_iter().map(|b| b.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        std::iter::once(own).chain(joined).collect()
    });
    lists.into_iter().flatten().for_each(|(k, done)| all[k] = Some(done));
    (main.run.steps, main.run.report) = (left, before);
    all
}

/// Adds what a batch counted.
fn add(sum: &mut RunReport, part: RunReport) {
    sum.instructions += part.instructions;
    sum.lane_instructions += part.lane_instructions;
    sum.subgroups += part.subgroups;
    for note in part.notes {
        if sum.notes.len() < MOST_NOTES && !sum.notes.contains(&note) {
            sum.notes.push(note);
        }
    }
}
