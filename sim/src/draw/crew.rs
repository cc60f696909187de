//! Batches of a draw on several cores.
//!
//! Which batches there are, what each gives and what is paid for them does not depend on the number of cores: batches of programs
//! that write no memory know nothing of each other, so they run ahead on any core, and their results are taken in order. One that
//! trapped, or that takes more steps than are left then, is run once more in its turn, which gives the trap of a run on one core.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::dispatch::{RunReport, StepBudget};
use crate::trap::Trap;

/// Steps up to which a batch may run ahead at first: a batch before it may end the draw, and then they were for nothing.
const AHEAD: u64 = 1 << 24;
/// Factor by which that grows when a batch needed more and came to its end.
const MORE: u64 = 16;

/// The state of batches on one core: memory, registers, counters.
pub trait Worker: Send + Sized {
    /// Steps that are left.
    fn steps(&mut self) -> &mut StepBudget;

    /// The counts since this was asked last.
    fn counted(&mut self) -> RunReport;

    /// One more like this one, with the same memory.
    fn twin(&mut self) -> Self;

    /// Gets the memory of `main` as it is now. Where no program writes memory there is nothing to do.
    fn follow(&mut self, main: &mut Self) {
        let _ = main;
    }

    /// Lets go of memory that it shares with another.
    fn leave(&mut self) {}
}

/// Those that run batches beside the first one, and what all of them counted.
pub struct Crew<W> {
    /// Made when there are batches for them.
    others: Vec<W>,
    /// Workers that run at once.
    cores: usize,
    /// Steps up to which a batch may run ahead.
    ahead: u64,
    /// The counts of the batches that were taken.
    pub report: RunReport,
}

/// A batch that was run ahead.
struct Done<T> {
    made: T,
    steps: u64,
    report: RunReport,
}

impl<W: Worker> Crew<W> {
    /// Workers for so many cores, at least 1. It is 1 where the order of batches shows: in memory, or in what a seed picks.
    pub fn new(cores: usize) -> Crew<W> {
        Crew { others: Vec::new(), cores: cores.max(1), ahead: AHEAD, report: RunReport::default() }
    }

    /// Does `work` for 0 to `count` and gives what it made to `take`, in order.
    ///
    /// # Errors
    /// The trap of the first that has one, or an exhausted step limit.
    pub fn each<T: Send>(
        &mut self,
        main: &mut W,
        count: usize,
        work: impl Fn(&mut W, usize) -> Result<T, Trap> + Sync,
        mut take: impl FnMut(T),
    ) -> Result<(), Trap> {
        let Crew { others, cores, ahead, report: sum } = self;
        let cores = (*cores).min(count);
        let mut done: Vec<Option<Done<T>>> = Vec::new();
        if cores > 1 {
            let runs = (others.len() + 1).max(cores);
            // Those that are there already get the memory of now.
            others.iter_mut().for_each(|o| o.follow(main));
            others.resize_with(runs - 1, || main.twin());
            done = run_ahead((main, &mut others[..cores - 1]), count, *ahead, &work);
            others.iter_mut().for_each(W::leave);
        }
        done.resize_with(count, || None);
        for (k, done) in done.into_iter().enumerate() {
            if let Some(Done { made, steps, report }) = done
                && main.steps().spend(steps).is_ok()
            {
                sum.add(report);
                take(made);
                continue;
            }
            let before = main.steps().used();
            let made = work(main, k)?;
            sum.add(main.counted());
            take(made);
            if main.steps().used() - before > *ahead {
                *ahead = ahead.saturating_mul(MORE);
            }
        }
        Ok(())
    }
}

/// Runs batches on all workers; there is none of those that trapped, and of some behind the first of them.
fn run_ahead<W: Worker, T: Send>(
    (main, others): (&mut W, &mut [W]),
    count: usize,
    ahead: u64,
    work: &(impl Fn(&mut W, usize) -> Result<T, Trap> + Sync),
) -> Vec<Option<Done<T>>> {
    let left = main.steps().clone();
    let (next, trapped) = (AtomicUsize::new(0), AtomicUsize::new(count));
    let run = |worker: &mut W| {
        let mut list = Vec::new();
        loop {
            let k = next.fetch_add(1, Ordering::Relaxed);
            if k >= trapped.load(Ordering::Relaxed) {
                return list;
            }
            *worker.steps() = left.part(ahead);
            let made = work(worker, k);
            let (steps, report) = (worker.steps().used(), worker.counted());
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
        let beside: Vec<_> = others.iter_mut().map(|worker| scope.spawn(move || run(worker))).collect();
        let own = run(main);
        let joined = beside.into_iter().map(|b| b.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        std::iter::once(own).chain(joined).collect()
    });
    lists.into_iter().flatten().for_each(|(k, done)| all[k] = Some(done));
    *main.steps() = left;
    all
}
