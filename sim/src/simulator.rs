//! A core of a machine, and what a launch and the cores that share its workgroups ask of a machine.

use crate::dispatch::{RunOptions, RunReport, StepBudget};
use crate::draw::crew::Worker;
use crate::grid::{BarrierRule, Machine};
use crate::memory::Memory;
use crate::race::RaceCheck;
use crate::rng::SplitMix64;

/// Most classes that a family counts instructions by.
pub const MOST_CLASSES: usize = 16;

/// The state that subgroups on one core share beside what they count: memory, and what finds it.
pub trait World: Clone + Send {
    /// Names of the classes that instructions are counted by, at most [`MOST_CLASSES`].
    const CLASSES: &'static [&'static str];

    /// The memory that the launch gave.
    fn memory(&mut self) -> &mut Memory;
}

/// Steps that are left on a core, and what it counted.
#[derive(Clone, Debug)]
pub struct CoreCounts {
    /// Steps that are left.
    pub steps: StepBudget,
    /// The counts so far, but for the classes.
    pub report: RunReport,
    /// The instructions of each class.
    pub classes: [u64; MOST_CLASSES],
}

impl CoreCounts {
    /// Nothing is counted, and no step is paid.
    pub fn new(options: &RunOptions) -> CoreCounts {
        CoreCounts::with(StepBudget::new(options))
    }

    fn with(steps: StepBudget) -> CoreCounts {
        CoreCounts { steps, report: RunReport::default(), classes: [0; MOST_CLASSES] }
    }

    /// Adds what another core counted.
    pub fn add(&mut self, other: CoreCounts) {
        self.classes.iter_mut().zip(other.classes).for_each(|(sum, n)| *sum += n);
        self.report.add(other.report);
    }

    /// The counts with these names of classes; they begin anew.
    pub fn take(&mut self, names: &[&'static str]) -> RunReport {
        let mut report = std::mem::take(&mut self.report);
        for (name, n) in names.iter().zip(&mut self.classes).filter(|(_, n)| **n > 0) {
            report.add_class(name, std::mem::take(n));
        }
        report
    }
}

/// A core of a machine.
pub struct Core<W> {
    /// The state that its subgroups share.
    pub world: W,
    /// Its steps and counts.
    pub counts: CoreCounts,
    /// The seed of the run, if it has one.
    pub seed: Option<SplitMix64>,
    /// Subgroups of a draw that it began.
    launched: u64,
}

impl<W: World> Core<W> {
    /// A core that has counted nothing.
    pub fn new(world: W, options: &RunOptions) -> Core<W> {
        Core { world, counts: CoreCounts::new(options), seed: options.perturb.map(SplitMix64::new), launched: 0 }
    }

    /// One more core like this one, which has counted nothing.
    pub fn beside(&self) -> Core<W> {
        let (world, seed) = (self.world.clone(), self.seed.clone());
        Core { world, counts: CoreCounts::with(self.counts.steps.clone()), seed, launched: self.launched }
    }

    /// Counts a subgroup of a draw, which begins; gives its seed.
    pub fn begin(&mut self) -> Option<SplitMix64> {
        let seed = self.seed.as_ref().map(|s| s.fork(self.launched));
        self.launched += 1;
        self.counts.report.subgroups += 1;
        seed
    }
}

impl<W: World> Worker for Core<W> {
    fn steps(&mut self) -> &mut StepBudget {
        &mut self.counts.steps
    }

    fn counted(&mut self) -> RunReport {
        self.counts.take(W::CLASSES)
    }

    fn twin(&mut self) -> Core<W> {
        self.beside()
    }
}

/// A machine about to run, or under way.
pub trait Simulator: Machine<Subgroup: Clone + Send> + Send + Sized {
    /// The state that its subgroups share.
    type World: World;
    /// How strict barriers are.
    const BARRIERS: BarrierRule = BarrierRule::STRICT;

    /// The core that it runs on, with the memory that [`Launch::memory`](crate::Launch::memory) gave.
    fn core(&mut self) -> &mut Core<Self::World>;

    /// The check for races that it gave.
    fn races(&mut self) -> &mut RaceCheck;

    /// One more machine like this one, which has counted nothing, for another core.
    fn twin(&self) -> Self;

    /// Text of the instruction at a byte address.
    fn text(&self, pc: u64) -> String;

    /// The memory of its core.
    fn memory(&mut self) -> &mut Memory {
        self.core().world.memory()
    }

    /// Steps that are left.
    fn steps(&mut self) -> &mut StepBudget {
        &mut self.core().counts.steps
    }
}
