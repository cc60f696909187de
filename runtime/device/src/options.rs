//! How commands run, and what is counted.

use gpucc_interp::Profile;
use gpucc_sim::texture::{Precision, Sampler};
use gpucc_sim::{Races, RunOptions, RunReport};

use crate::error::Lost;

/// Steps that a command may take. An empty draw takes 1,000.
pub const STEPS: u64 = 10_000_000_000;

/// What the steps of [`RunOptions::step_limit`] are for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Limit {
    /// Each dispatch and draw.
    #[default]
    Command,
    /// All dispatches and draws of a list.
    List,
}

/// How commands run: limits, profile and sampling.
#[derive(Clone, Debug)]
pub struct Options {
    /// Step limit, seed, races, cores.
    pub run: RunOptions,
    /// The unit that the step limit is for.
    pub limit: Limit,
    /// Whose numbers the oracle computes with.
    pub profile: Profile,
    /// How precisely the oracle's samplers filter.
    pub sampling: fn(&Sampler) -> Precision,
}

impl Default for Options {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let run = RunOptions { step_limit: STEPS, races: Races::Off, cores, ..RunOptions::default() };
        Options { run, limit: Limit::Command, profile: Profile::default(), sampling: |s| s.precision }
    }
}

/// The counts of a list that ran.
#[derive(Debug, Default)]
pub struct Report {
    /// Dispatches, those of no workgroup too.
    pub dispatches: u64,
    /// Number of draws that ran.
    pub draws: u64,
    /// Instructions executed, by class too; no races.
    pub run: RunReport,
    /// Steps that programs took, paid from the limit.
    pub steps: u64,
    /// Worth telling, each once.
    pub notes: Vec<String>,
    /// Races that were found and did not end the run.
    pub races: Vec<Lost>,
}

impl Report {
    /// Adds the counts of another list.
    pub fn add(&mut self, other: Report) {
        self.dispatches += other.dispatches;
        self.draws += other.draws;
        self.steps += other.steps;
        self.run.add(other.run);
        let room = |n: usize| RunReport::MOST_NOTES.saturating_sub(n);
        self.notes.extend(other.notes.into_iter().take(room(self.notes.len())));
        self.races.extend(other.races.into_iter().take(room(self.races.len())));
    }
}
