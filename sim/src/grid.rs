//! Order of workgroups and of the subgroups inside one, with barriers between.

use std::collections::VecDeque;

use crate::dispatch::RunOptions;
use crate::memory::{AllocId, Memory};
use crate::race::RaceCheck;
use crate::rng::SplitMix64;
use crate::trap::{Trap, TrapKind};

/// The workgroup ids of a grid, x fastest, or in an order that the seed picks. Needs no memory however large the grid.
pub fn workgroups(grid: [u32; 3], perturb: Option<u64>) -> impl Iterator<Item = [u32; 3]> {
    let [x, y, z] = grid.map(u128::from);
    let total = x * y * z;
    // i -> i * step + start (mod total) is a permutation when step and total have no common divisor.
    let (step, start) = match perturb {
        Some(seed) if total > 1 => {
            let mut rng = SplitMix64::new(seed ^ 0x6772_6964);
            let bound = u64::try_from(total).unwrap_or(u64::MAX);
            let mut step = u128::from(rng.below(bound)).max(1);
            while gcd(step, total) != 1 {
                step += 1;
            }
            (step % total, u128::from(rng.below(bound)))
        }
        _ => (1, 0),
    };
    let mut at = start;
    let mut done = 0;
    std::iter::from_fn(move || {
        if done == total {
            return None;
        }
        let id = [(at % x) as u32, (at / x % y) as u32, (at / x / y) as u32];
        at = (at + step) % total;
        done += 1;
        Some(id)
    })
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Local invocation id of a local invocation index, x fastest.
#[inline]
pub fn local_id(index: u32, workgroup_size: [u32; 3]) -> [u32; 3] {
    let [x, y, _] = workgroup_size.map(|n| n.max(1));
    [index % x, index / x % y, index / x / y]
}

/// Why a subgroup gave control back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunState {
    /// It waits at a barrier; the number tells barriers apart (usually the address of the instruction).
    Barrier(u64),
    /// Its time slice is over; it can continue at once. Subgroups that wait for each other through atomics need this.
    Yield,
    /// It ended.
    Done,
}

/// How strict barriers are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BarrierRule {
    /// Subgroups that ended count as arrived (GCN hardware); otherwise that is a trap.
    pub ended_arrives: bool,
    /// All subgroups must wait at the same barrier instruction.
    pub same_place: bool,
}

impl BarrierRule {
    /// The barrier of WGSL: everybody, at the same one.
    pub const STRICT: BarrierRule = BarrierRule { ended_arrives: false, same_place: true };
}

/// The part of a machine in [`run_grid`].
pub trait Machine {
    /// A subgroup of a workgroup that was started.
    type Subgroup;

    /// Starts workgroup `id`, the one with this number in the order of starts, in a slot that is free, and makes it the one
    /// that runs. `subgroups` holds those of the slot's last workgroup, to be used again, or nothing.
    ///
    /// # Errors
    /// The reason why it does not start.
    fn start(
        &mut self,
        slot: usize,
        number: u64,
        id: [u32; 3],
        subgroups: &mut Vec<Self::Subgroup>,
    ) -> Result<(), Trap>;

    /// The workgroup in this slot runs from here on: memory that workgroups have of their own is its own.
    fn enter(&mut self, slot: usize);

    /// Runs a subgroup of the workgroup that was entered until it waits or ends, or for `time_slice` instructions at most.
    ///
    /// # Errors
    /// A broken rule.
    fn run(&mut self, subgroup: &mut Self::Subgroup, time_slice: u32) -> Result<RunState, Trap>;

    /// All subgroups of the workgroup that was entered are at a barrier and continue.
    fn passed_barrier(&mut self);

    /// Workgroups that there is room for at once.
    fn room(&self) -> usize {
        RESIDENT
    }
}

/// Instructions of a time slice in a plain run.
const TIME_SLICE: u32 = 20_000;

/// Workgroups that run at once with a seed, if nobody waits for more.
const SIDE_BY_SIDE: usize = 8;

/// Workgroups that run at once at most.
const RESIDENT: usize = 64;

/// A workgroup that runs.
#[derive(Clone)]
struct Resident<S> {
    /// Its number in the order of starts.
    number: u64,
    id: [u32; 3],
    subgroups: Vec<S>,
    /// Subgroups at a barrier, and at which.
    waiting: Vec<(usize, u64)>,
    ended: usize,
}

/// The workgroups that run, and who comes next.
#[derive(Clone)]
pub(crate) struct Schedule<S> {
    residents: Vec<Resident<S>>,
    free: Vec<usize>,
    ready: VecDeque<(usize, usize)>,
    rng: Option<SplitMix64>,
    /// Barriers that were passed.
    pub barriers: u64,
    running: usize,
    entered: usize,
    wanted: usize,
    /// Turns that ended for no other reason than that they were over, since something else happened.
    idle: usize,
    more: bool,
    started: u64,
    /// Instructions of a time slice, if the caller says.
    slice: Option<u32>,
    rule: BarrierRule,
}

/// Who gives workgroups to a schedule, and looks on.
pub(crate) trait Source<M: Machine> {
    /// The next workgroup, with its number in the order of starts.
    fn next(&mut self) -> Option<(u64, [u32; 3])>;

    /// The workgroup of this number runs from here on.
    fn enters(&mut self, _machine: &mut M, _number: u64) {}

    /// The first workgroup has run alone so far, and another one is about to start. Whether all others, and the rest of it, were run elsewhere.
    fn alone(&mut self, _machine: &mut M, _schedule: &mut Schedule<M::Subgroup>) -> bool {
        false
    }

    /// Whether nobody wants the rest.
    fn over(&self, _machine: &mut M) -> bool {
        false
    }
}

/// All workgroups of a grid.
pub(crate) struct Whole<I>(I, u64);

impl<I: Iterator<Item = [u32; 3]>> Whole<I> {
    /// These workgroups, in this order.
    pub fn new(ids: I) -> Whole<I> {
        Whole(ids, 0)
    }
}

impl<M: Machine, I: Iterator<Item = [u32; 3]>> Source<M> for Whole<I> {
    fn next(&mut self) -> Option<(u64, [u32; 3])> {
        let id = self.0.next()?;
        self.1 += 1;
        Some((self.1 - 1, id))
    }
}

/// Runs all workgroups of a grid and returns how many barriers were passed.
///
/// Without a seed workgroups run one after the other, and their subgroups in order, each as far as it can. With a seed several
/// workgroups run side by side, and the seed draws the next subgroup and its time slice, down to single instructions. Either
/// way a subgroup that spins is preempted and more workgroups become resident, so a spin-wait on another workgroup ends as
/// long as that one is among the `RESIDENT` (64) residents.
///
/// # Errors
/// Traps of the machine, and barriers that not all subgroups reach.
pub fn run_grid<M: Machine>(
    machine: &mut M,
    grid: [u32; 3],
    options: &RunOptions,
    rule: BarrierRule,
) -> Result<u64, Trap> {
    let mut schedule = Schedule::new(machine, options, rule);
    schedule.run(machine, &mut Whole::new(workgroups(grid, options.perturb)))?;
    Ok(schedule.barriers)
}

impl<S> Schedule<S> {
    /// A schedule in which nothing runs yet.
    pub fn new<M: Machine<Subgroup = S>>(machine: &M, options: &RunOptions, rule: BarrierRule) -> Schedule<S> {
        let rng = options.perturb.map(|seed| SplitMix64::new(seed ^ 0x7363_6865));
        let most = machine.room().clamp(1, RESIDENT);
        Schedule {
            residents: Vec::new(),
            free: Vec::new(),
            ready: VecDeque::new(),
            barriers: 0,
            running: 0,
            entered: usize::MAX,
            wanted: if rng.is_some() { SIDE_BY_SIDE.min(most) } else { 1 },
            idle: 0,
            more: true,
            started: 0,
            slice: options.slice,
            rule,
            rng,
        }
    }

    /// The same schedule before anything ran.
    pub fn emptied<M: Machine<Subgroup = S>>(&self, machine: &M, options: &RunOptions) -> Schedule<S> {
        Schedule::new(machine, options, self.rule)
    }

    /// Starts workgroups while there is room for them. Gives whether the rest was run elsewhere.
    fn fill<M: Machine<Subgroup = S>>(&mut self, machine: &mut M, source: &mut impl Source<M>) -> Result<bool, Trap> {
        while self.more && self.running < self.wanted {
            if self.started == 1 && source.alone(machine, self) {
                return Ok(true);
            }
            let Some((number, id)) = source.next() else {
                self.more = false;
                break;
            };
            let slot = self.free.pop().unwrap_or(self.residents.len());
            if slot == self.residents.len() {
                self.residents.push(Resident { number, id, subgroups: Vec::new(), waiting: Vec::new(), ended: 0 });
            }
            let r = &mut self.residents[slot];
            (r.number, r.id, r.ended) = (number, id, 0);
            source.enters(machine, number);
            machine.start(slot, number, id, &mut r.subgroups).map_err(|t| t.in_workgroup(id))?;
            self.entered = slot;
            self.started += 1;
            self.running += 1;
            self.ready.extend((0..r.subgroups.len()).map(|i| (slot, i)));
        }
        Ok(false)
    }

    /// Runs what a source gives, until nobody runs.
    ///
    /// # Errors
    /// As [`run_grid`].
    pub fn run<M: Machine<Subgroup = S>>(&mut self, machine: &mut M, source: &mut impl Source<M>) -> Result<(), Trap> {
        let most = machine.room().clamp(1, RESIDENT);
        loop {
            if self.fill(machine, source)? || source.over(machine) {
                return Ok(());
            }
            let next = match &mut self.rng {
                Some(rng) => self.ready.swap_remove_back(rng.below(self.ready.len() as u64) as usize),
                None => self.ready.pop_front(),
            };
            // Whoever runs is ready, or waits for others that are.
            let Some((slot, who)) = next else { return Ok(()) };
            let r = &mut self.residents[slot];
            if slot != self.entered {
                source.enters(machine, r.number);
                machine.enter(slot);
                self.entered = slot;
            }
            let time_slice = self.rng.as_mut().map_or(TIME_SLICE, |r| match r.below(4) {
                0 => 1,
                1 => 1 + r.below(4) as u32,
                2 => 1 + r.below(16) as u32,
                _ => 1 + r.below(100) as u32,
            });
            let time_slice = self.slice.unwrap_or(time_slice).max(1);
            match machine.run(&mut r.subgroups[who], time_slice).map_err(|t| t.in_workgroup(r.id))? {
                RunState::Yield => {
                    self.ready.push_back((slot, who));
                    self.idle += 1;
                    let turns = self.ready.len() * if self.rng.is_some() { 256 } else { 1 };
                    if self.idle > turns && self.more && self.wanted < most {
                        self.wanted = self.wanted.max(self.running) + 1;
                        self.idle = 0;
                    }
                    continue;
                }
                RunState::Barrier(place) => r.waiting.push((who, place)),
                RunState::Done => r.ended += 1,
            }
            self.idle = 0;
            if r.waiting.len() + r.ended < r.subgroups.len() {
                continue;
            }
            if r.waiting.is_empty() {
                self.free.push(slot);
                self.running -= 1;
                continue;
            }
            meet(&r.waiting, r.ended, self.rule).map_err(|t| t.in_workgroup(r.id))?;
            machine.passed_barrier();
            self.barriers += 1;
            r.waiting.sort_unstable();
            r.waiting.drain(..).rev().for_each(|w| self.ready.push_front((slot, w.0)));
        }
    }
}

/// Checks a barrier that all arrived at who will.
fn meet(waiting: &[(usize, u64)], ended: usize, rule: BarrierRule) -> Result<(), Trap> {
    let Some(&(_, place)) = waiting.first() else { return Ok(()) };
    if ended > 0 && !rule.ended_arrives {
        return Err(Trap::new(
            TrapKind::Barrier,
            format!("{} subgroups wait at a barrier at 0x{place:x}, {ended} have ended", waiting.len()),
        ));
    }
    match waiting.iter().find(|w| rule.same_place && w.1 != place) {
        Some(&(_, other)) => Err(Trap::new(
            TrapKind::Barrier,
            format!("subgroups wait at different barriers, at 0x{place:x} and at 0x{other:x}"),
        )),
        None => Ok(()),
    }
}

/// Memory that workgroups have of their own, while several run: the one that was entered finds its own in the allocations
/// that the machine knows.
#[derive(Clone, Debug, Default)]
pub struct OwnMemory {
    /// The allocations, and for each slot where its content lies meanwhile.
    ids: Vec<AllocId>,
    away: Vec<Vec<AllocId>>,
    current: Option<usize>,
}

impl OwnMemory {
    /// These allocations belong to the workgroup that runs.
    pub fn new(ids: Vec<AllocId>) -> OwnMemory {
        OwnMemory { ids, ..OwnMemory::default() }
    }

    /// Whether an allocation is one of these.
    pub fn has(&self, id: AllocId) -> bool {
        self.ids.contains(&id)
    }

    /// Brings the content that belongs to a slot. Of a slot that is entered for the first time it is undefined.
    pub fn enter(&mut self, slot: usize, memory: &mut Memory, races: &mut RaceCheck) {
        races.enter(slot);
        if self.current == Some(slot) {
            return;
        }
        while self.away.len() <= slot {
            // The first one to run has what is there.
            let first = self.current.is_none();
            let put = |&id: &AllocId| {
                let size = if first { 0 } else { memory.len(id) as usize };
                let away = memory.alloc_undefined(memory.name(id).to_owned(), size, None);
                races.watch_like(id, away);
                away
            };
            let put = self.ids.iter().map(put).collect();
            self.away.push(put);
            self.current.get_or_insert(slot);
        }
        let Some(from) = self.current.replace(slot) else { return };
        for (k, &id) in self.ids.iter().enumerate() {
            for other in [self.away[from][k], self.away[slot][k]] {
                if from != slot {
                    memory.exchange(id, other);
                    races.exchange(id, other);
                }
            }
        }
    }
}
