//! A program of a draw on several cores: the [`Crew`] of `gpucc_sim`, with what is bound moved to the program while it runs.

use crate::program::OracleProgram;
use crate::stage_program::{StageProgram, Store};
use gpucc_sim::draw::{Crew, Worker};
use gpucc_sim::{RunOptions, RunReport, StepBudget, Trap};

/// A program and those that run it.
pub(crate) struct Cores<'a> {
    /// Runs the batches that nobody ran ahead.
    pub main: StageProgram<'a>,
    crew: Crew<StageProgram<'a>>,
}

impl<'a> Cores<'a> {
    /// The cores of a draw: one where the order of batches shows, in memory or in what is drawn by a seed.
    pub fn new(main: StageProgram<'a>, program: &OracleProgram, options: &RunOptions) -> Cores<'a> {
        let free = !program.writes_memory() && options.perturb.is_none() && !program.strays_by_seed();
        Cores { main, crew: Crew::new(if free { options.cores } else { 1 }) }
    }

    /// Does `work` for 0 to `count` with what is bound, and gives what it made to `take`, in order.
    pub fn each<T: Send>(
        &mut self,
        store: &mut Store,
        steps: &mut StepBudget,
        count: usize,
        work: impl Fn(&mut StageProgram<'a>, usize) -> Result<T, Trap> + Sync,
        take: impl FnMut(T),
    ) -> Result<(), Trap> {
        let Cores { main, crew } = self;
        main.with(store, steps, |stage| crew.each(stage, count, work, take))
    }

    /// The counts of the batches so far.
    pub fn executed(&self) -> &RunReport {
        &self.crew.report
    }

    /// The counts of all batches.
    pub fn report(self) -> RunReport {
        self.crew.report
    }
}

impl Worker for StageProgram<'_> {
    fn steps(&mut self) -> &mut StepBudget {
        &mut self.run.steps
    }

    fn counted(&mut self) -> RunReport {
        std::mem::take(&mut self.run.report)
    }

    fn twin(&mut self) -> Self {
        self.beside()
    }

    fn follow(&mut self, main: &mut Self) {
        self.run.see(&mut main.run);
    }

    fn leave(&mut self) {
        self.run.forget();
    }
}
