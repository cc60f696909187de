//! What a launch, and the cores that share its workgroups, ask of a machine.

use crate::dispatch::{RunReport, StepBudget};
use crate::grid::{BarrierRule, Machine};
use crate::memory::Memory;
use crate::race::RaceCheck;

/// A machine about to run, or under way.
pub trait Simulator: Machine<Subgroup: Clone + Send> + Send {
    /// Names of the classes that instructions are counted by.
    const CLASSES: &'static [&'static str];
    /// How strict barriers are.
    const BARRIERS: BarrierRule = BarrierRule::STRICT;

    /// The memory that [`Launch::memory`](crate::Launch::memory) gave.
    fn memory(&mut self) -> &mut Memory;

    /// The check that it gave.
    fn races(&mut self) -> &mut RaceCheck;

    /// Steps that are left.
    fn steps(&mut self) -> &mut StepBudget;

    /// One more machine like this one, which has counted nothing, for another core.
    fn twin(&self) -> Option<Self>
    where
        Self: Sized;

    /// Instructions and subgroups so far, and the instructions of each class.
    fn counted(&mut self) -> (RunReport, &[u64]);

    /// Text of the instruction at a byte address.
    fn text(&self, pc: u64) -> String;
}
