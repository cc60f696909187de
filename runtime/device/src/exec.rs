//! Runs command lists.

mod bind;
mod compute;
mod transfer;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use gpucc_sim::{RunOptions, RunReport, Trap, TrapKind};

use crate::command::{BindPoint, Command, CommandList};
use crate::error::Lost;
use crate::options::{Limit, Options, Report};
use crate::pipeline::ComputePipeline;
use crate::program::Program;
use crate::set::Set;
use crate::timeline::Waited;

/// Lists inside of lists.
const MOST_DEPTH: usize = 8;
/// How often a wait looks whether the device is to stop.
const LOOK: Duration = Duration::from_millis(20);

/// A set that is bound, with the offsets of its dynamic buffers.
type BoundSet = (Set, Vec<u64>);

/// The state that commands leave for those that follow in a list.
#[derive(Default)]
struct State {
    compute: Option<Arc<ComputePipeline>>,
    /// Sets by bind group, for dispatches and draws.
    sets: [BTreeMap<u32, BoundSet>; 2],
    immediates: Vec<u8>,
}

impl State {
    fn sets(&mut self, point: BindPoint) -> &mut BTreeMap<u32, BoundSet> {
        &mut self.sets[usize::from(point == BindPoint::Render)]
    }
}

/// A list under way.
pub(crate) struct Exec<'a> {
    options: &'a Options,
    stop: &'a AtomicBool,
    state: State,
    labels: Vec<String>,
    /// Number of the command that runs, in the outermost list.
    command: usize,
    /// Steps that are left for the list.
    left: u64,
    /// Counts of the list so far.
    pub report: Report,
}

impl<'a> Exec<'a> {
    /// The execution of one list; `stop` ends it early.
    pub fn new(options: &'a Options, stop: &'a AtomicBool) -> Exec<'a> {
        Exec {
            options,
            stop,
            state: State::default(),
            labels: Vec::new(),
            command: 0,
            left: options.run.step_limit,
            report: Report::default(),
        }
    }

    /// Runs all commands of a list. `tick` is called after each dispatch and draw.
    ///
    /// # Errors
    /// The first command that cannot be done or whose program breaks a rule; those before it are done.
    pub fn run(&mut self, list: &CommandList, tick: &mut dyn FnMut()) -> Result<(), Lost> {
        self.list(list, 0, tick)
    }

    fn list(&mut self, list: &CommandList, depth: usize, tick: &mut dyn FnMut()) -> Result<(), Lost> {
        for (n, command) in list.commands.iter().enumerate() {
            if depth == 0 {
                self.command = n;
            }
            if self.stop.load(Ordering::Relaxed) {
                return Err(self.lost("the device was stopped"));
            }
            self.one(command, depth, tick)?;
        }
        Ok(())
    }

    fn one(&mut self, command: &Command, depth: usize, tick: &mut dyn FnMut()) -> Result<(), Lost> {
        match command {
            Command::BindCompute(pipeline) => self.state.compute = Some(pipeline.clone()),
            Command::BindSet { point, group, set, offsets } => {
                self.state.sets(*point).insert(*group, (set.clone(), offsets.clone()));
            }
            Command::Immediates { offset, bytes } => self.immediates(*offset, bytes)?,
            Command::Dispatch(grid) => {
                self.dispatch(*grid)?;
                tick();
            }
            Command::DispatchIndirect(buffer) => {
                let grid =
                    transfer::words(buffer).ok_or_else(|| self.lost("an indirect dispatch without its words"))?;
                self.dispatch(grid)?;
                tick();
            }
            Command::CopyBuffer { from, to } => transfer::copy(from, to),
            Command::FillBuffer { buffer, word } => transfer::fill(buffer, *word),
            Command::UpdateBuffer { buffer, bytes } => transfer::update(buffer, bytes),
            Command::SetEvent(event, value) => {
                if *value < event.value() {
                    event.reset(*value);
                }
                event.signal(*value);
            }
            Command::WaitEvent(event, value) => loop {
                match event.wait(*value, Some(LOOK)) {
                    Waited::Reached => break,
                    Waited::TimedOut if !self.stop.load(Ordering::Relaxed) => {}
                    _ => return Err(self.lost("the device was stopped while it waited for an event")),
                }
            },
            Command::BeginLabel(label) => self.labels.push(label.clone()),
            Command::EndLabel => drop(self.labels.pop()),
            Command::Execute(list) => {
                if depth >= MOST_DEPTH {
                    return Err(self.lost("lists inside of lists lie too deep"));
                }
                let (outer, labels) = (std::mem::take(&mut self.state), self.labels.len());
                self.list(list, depth + 1, tick)?;
                self.labels.truncate(labels);
                self.state = outer;
            }
        }
        Ok(())
    }

    fn immediates(&mut self, offset: u32, bytes: &[u8]) -> Result<(), Lost> {
        let from = offset as usize;
        let end = from + bytes.len();
        if end > MOST_IMMEDIATES {
            return Err(self.lost(format!("immediate data of {end} bytes, at most {MOST_IMMEDIATES}")));
        }
        let all = &mut self.state.immediates;
        if all.len() < end {
            all.resize(end, 0);
        }
        all[from..end].copy_from_slice(bytes);
        Ok(())
    }

    /// Options of the next dispatch or draw.
    fn run_options(&self) -> RunOptions {
        let step_limit = if self.options.limit == Limit::List { self.left } else { self.options.run.step_limit };
        RunOptions { step_limit, ..self.options.run.clone() }
    }

    /// Adds what a dispatch or draw of some programs did.
    fn count(&mut self, programs: &[&Program], mut run: RunReport) {
        self.left = self.left.saturating_sub(run.steps);
        self.report.steps += run.steps;
        for note in std::mem::take(&mut run.notes) {
            if !self.report.notes.contains(&note) {
                self.report.notes.push(note);
            }
        }
        for trap in std::mem::take(&mut run.races) {
            let race = self.trapped(programs, trap);
            self.report.races.push(race);
        }
        self.report.run.add(run);
    }

    fn lost(&self, message: impl Into<String>) -> Lost {
        Lost { labels: self.labels.clone(), command: self.command, ..Lost::new(message) }
    }

    /// A trap in one of these programs, with the line where it is known in which.
    fn trapped(&self, programs: &[&Program], mut trap: Trap) -> Lost {
        if trap.kind == TrapKind::StepLimit {
            let what = if self.options.limit == Limit::List { "list" } else { "command" };
            trap.message = format!("the {what} is still running after {} steps", self.options.run.step_limit);
        }
        let program = match (programs, trap.stage) {
            (&[one], None) => Some(one),
            (list, Some(stage)) => list.iter().copied().find(|p| container_stage(p) == stage),
            _ => None,
        };
        Lost {
            entry: program.map(|p| p.name().to_string()),
            line: program.zip(trap.pc).and_then(|(p, pc)| p.line(pc)),
            trap: Some(Box::new(trap.clone())),
            ..self.lost(trap.to_string())
        }
    }
}

/// Most bytes of immediate data.
const MOST_IMMEDIATES: usize = 1 << 16;

fn container_stage(p: &Program) -> gpucc_container::Stage {
    match p.stage() {
        gpucc_ir::Stage::Compute => gpucc_container::Stage::Compute,
        gpucc_ir::Stage::Vertex => gpucc_container::Stage::Vertex,
        gpucc_ir::Stage::Fragment => gpucc_container::Stage::Fragment,
    }
}
