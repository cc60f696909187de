//! The workgroups of a dispatch on several cores.
//!
//! Contract: what a dispatch gives, counts and says is the same for any number of cores. The first workgroup runs alone and shows what
//! the others will cost. If that is much, the others run on clones of the machine, each of which takes the next one that nobody has. That is
//! the same as one after the other where no workgroup meets what another one did (`touched.rs`): memory finds out whether one does.
//! If so, or if anything traps, takes too many steps or finds a race, the clones are forgotten, and the machine goes on where it stood as if
//! there had been one core. What they found is taken otherwise.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use crate::dispatch::RunOptions;
use crate::grid::{Schedule, Source, Whole, workgroups};
use crate::memory::{AllocId, Memory};
use crate::simulator::{CoreCounts, Simulator};
use crate::touched::MOST_GROUPS;
use crate::trap::Trap;

/// Steps of the rest of a dispatch below which other cores cost more than they bring.
const LEAST: u64 = 1 << 21;
/// Workgroups below which there is nothing to spread.
const LEAST_GROUPS: u64 = 4;
/// How much more than the first workgroup each of the others may take on the average.
const MORE: u64 = 16;
/// Steps that all may take in any case.
const ANYWAY: u64 = 1 << 26;

thread_local! {
    static SPREAD: Cell<u64> = const { Cell::new(0) };
}

/// Dispatches of this thread of which several cores had a part, so far: for tests, as nothing else shows it.
#[doc(hidden)]
pub fn spread() -> u64 {
    SPREAD.get()
}

/// The counts of workgroups that ran on a clone.
pub(crate) struct Part {
    pub counts: CoreCounts,
    pub barriers: u64,
    steps: u64,
}

/// All workgroups of a grid, the rest of which may be run by several cores.
struct Spread<'a, I> {
    whole: Whole<I>,
    grid: [u32; 3],
    options: &'a RunOptions,
    tried: bool,
    parts: Vec<Part>,
}

/// Workgroups that nobody has begun.
struct Rest<'a> {
    next: &'a AtomicU64,
    grid: [u32; 3],
    count: u64,
    /// The rest is not wanted.
    over: &'a AtomicBool,
}

impl<H: Simulator> Source<H> for Rest<'_> {
    fn next(&mut self) -> Option<(u64, [u32; 3])> {
        let number = Some(self.next.fetch_add(1, Ordering::Relaxed)).filter(|n| *n < self.count)?;
        let [x, y, _] = self.grid.map(u64::from);
        Some((number, [(number % x) as u32, (number / x % y) as u32, (number / x / y) as u32]))
    }

    fn enters(&mut self, machine: &mut H, number: u64) {
        machine.memory().set_group(number);
    }

    fn over(&self, machine: &mut H) -> bool {
        if is_over(machine) {
            self.over.store(true, Ordering::Relaxed);
        }
        self.over.load(Ordering::Relaxed)
    }
}

impl<H: Simulator, I: Iterator<Item = [u32; 3]>> Source<H> for Spread<'_, I> {
    fn next(&mut self) -> Option<(u64, [u32; 3])> {
        Source::<H>::next(&mut self.whole)
    }

    fn enters(&mut self, machine: &mut H, number: u64) {
        if !self.tried {
            machine.memory().set_group(number);
        }
    }

    fn alone(&mut self, machine: &mut H, schedule: &mut Schedule<H::Subgroup>) -> bool {
        if std::mem::replace(&mut self.tried, true) {
            return false;
        }
        let parts = rest(machine, schedule, (self.grid, self.options));
        machine.memory().unwatch();
        let is_done = parts.is_some();
        self.parts = parts.unwrap_or_default();
        SPREAD.set(SPREAD.get() + u64::from(is_done));
        is_done
    }
}

/// Runs what is left on several cores, if that is worth it and can be.
fn rest<H: Simulator>(
    machine: &mut H,
    schedule: &Schedule<H::Subgroup>,
    (grid, options): ([u32; 3], &RunOptions),
) -> Option<Vec<Part>> {
    let count = grid.iter().map(|n| u64::from(*n)).product::<u64>();
    let (used, left) = (machine.steps().used(), machine.steps().left());
    let cost = used.saturating_mul(count - 1);
    if is_over(machine) || cost < LEAST || cost < machine.memory().watched() {
        return None;
    }
    let most = left.min(cost.saturating_mul(MORE).max(ANYWAY));
    let cores = (options.cores as u64).min(count - 1).max(1);
    machine.memory().share();
    let mut clones = Vec::new();
    for k in 0..cores {
        let mut clone = machine.twin();
        // The first one has the workgroup that is under way, and what it did.
        if k > 0 {
            clone.memory().forget();
        }
        *clone.steps() = machine.steps().part(most);
        let own = if k == 0 { schedule.clone() } else { schedule.emptied(&clone, options) };
        clones.push((clone, own));
    }
    let (next, over) = (AtomicU64::new(1), AtomicBool::new(false));
    let run = |(clone, schedule): &mut (H, Schedule<H::Subgroup>)| {
        let first = schedule.barriers;
        if schedule.run(clone, &mut Rest { next: &next, grid, count, over: &over }).is_err() || is_over(clone) {
            over.store(true, Ordering::Relaxed);
        }
        let (barriers, steps) = (schedule.barriers - first, clone.steps().used());
        Part { counts: clone.core().counts.clone(), barriers, steps }
    };
    let parts: Vec<Part> = thread::scope(|scope| {
        let run = &run;
        let (own, others) = clones.split_at_mut(1);
        let beside: Vec<_> = others.iter_mut().map(|c| scope.spawn(move || run(c))).collect();
        let own: Vec<Part> = own.iter_mut().map(run).collect();
        let joined = beside.into_iter().map(|b| b.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        own.into_iter().chain(joined).collect()
    });
    let steps = parts.iter().fold(0_u64, |sum, p| sum.saturating_add(p.steps));
    if over.load(Ordering::Relaxed) || steps > left {
        return None;
    }
    let memories: Vec<&Memory> = clones.iter_mut().map(|c| &*c.0.memory()).collect();
    if !machine.memory().join(&memories) {
        return None;
    }
    machine.steps().spend(steps).ok()?;
    Some(parts)
}

/// Whether something happened that only one core can tell.
fn is_over<H: Simulator>(machine: &mut H) -> bool {
    machine.memory().has_met() || machine.races().has_some()
}

/// Runs all workgroups of a grid, as [`run_grid`](crate::run_grid), on as many cores as the options say. `shared` are the allocations that
/// workgroups have in common and may store to. Gives the barriers that were passed, and what clones of the machine counted.
pub(crate) fn run_grid_on<H: Simulator>(
    machine: &mut H,
    grid: [u32; 3],
    options: &RunOptions,
    shared: &[AllocId],
) -> (Result<u64, Trap>, Vec<Part>) {
    let mut schedule = Schedule::new(machine, options, H::BARRIERS);
    let count = grid.iter().map(|n| u128::from(*n)).product::<u128>();
    let spreads = options.cores > 1
        && options.perturb.is_none()
        && options.trace.is_none()
        && (LEAST_GROUPS.into()..MOST_GROUPS.into()).contains(&count);
    let mut whole = Whole::new(workgroups(grid, options.perturb));
    if !spreads {
        let result = schedule.run(machine, &mut whole);
        return (result.map(|()| schedule.barriers), Vec::new());
    }
    machine.memory().watch(shared);
    let mut source = Spread { whole, grid, options, tried: false, parts: Vec::new() };
    let result = schedule.run(machine, &mut source);
    let barriers = schedule.barriers + source.parts.iter().map(|p| p.barriers).sum::<u64>();
    (result.map(|()| barriers), source.parts)
}
