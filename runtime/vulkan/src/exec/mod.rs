//! Runs commands.

mod attach;
mod bind;
mod blit;
pub mod copies;
mod draw;
mod dump;
mod judge;
mod late;
mod null;
mod pass;
mod scene;
mod special;
mod transfer;
mod variant;

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, LazyLock};

use ash::vk;
use gpucc_interp::Profile;
use gpucc_ir::StageInfo;
use gpucc_sim::{Kept, Races, RunOptions, RunReport, Trap};

use self::late::Lates;
use crate::built_in::Values;
use crate::command::{Command, State};
use crate::fail::{Done, Fail};
use crate::memory::Buffer;
use crate::physical::limits;
use crate::pipeline::{Dynamic, Pipeline, Program};
use crate::query::{Queries, Tally};
use crate::set::Set;
use crate::settings::{Level, Settings};
use crate::shared::Shared;
use crate::{log, sync};

/// Bytes of push constants.
const PUSH: usize = limits::PUSH as usize;

/// A set that is bound, with the offsets of its dynamic buffers.
type BoundSet = (Arc<Set>, Vec<u32>);

/// A list of commands under way.
pub struct Exec<'a> {
    shared: &'a Shared,
    /// Pipelines that draws and dispatches run.
    pipeline: [Option<Arc<Pipeline>>; 2],
    sets: [BTreeMap<u32, BoundSet>; 2],
    push: Vec<u8>,
    vertices: BTreeMap<u32, (Arc<Buffer>, u64, u64)>,
    indices: Option<(Arc<Buffer>, u64, bool)>,
    viewports: BTreeMap<u32, vk::Viewport>,
    scissors: BTreeMap<u32, vk::Rect2D>,
    values: Dynamic,
    late: Lates,
    pass: Option<pass::Pass>,
    /// Queries under way, and what they counted so far.
    queries: Vec<(Arc<Queries>, u32, Tally)>,
    labels: Vec<String>,
    /// What the shaders of the next draw or dispatch get.
    built_in: Values,
    /// Whether that is one of several views.
    several_views: bool,
}

/// Texels that earlier launches placed, for all devices: versions of contents are those of the process.
static KEPT: LazyLock<Kept> = LazyLock::new(Kept::default);

/// How programs run.
fn options() -> RunOptions {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    RunOptions {
        step_limit: Settings::get().steps,
        races: Races::Off,
        cores,
        kept: KEPT.clone(),
        ..RunOptions::default()
    }
}

impl<'a> Exec<'a> {
    /// The execution of one primary list.
    pub fn new(shared: &'a Shared) -> Exec<'a> {
        Exec {
            shared,
            pipeline: [None, None],
            sets: Default::default(),
            push: vec![0; PUSH],
            vertices: BTreeMap::new(),
            indices: None,
            viewports: BTreeMap::new(),
            scissors: BTreeMap::new(),
            values: Dynamic::default(),
            late: Lates::default(),
            pass: None,
            queries: Vec::new(),
            labels: Vec::new(),
            built_in: Values::default(),
            several_views: false,
        }
    }

    /// Runs a list.
    ///
    /// # Errors
    /// The first command that cannot be done, or whose program breaks a rule: the device is lost by it.
    pub fn run(&mut self, list: &[Command]) -> Done {
        for command in list {
            if self.shared.stop.load(Ordering::SeqCst) {
                return Err(Fail::new(vk::Result::ERROR_DEVICE_LOST, "the device was destroyed"));
            }
            self.one(command)?;
        }
        Ok(())
    }

    fn one(&mut self, command: &Command) -> Done {
        match command {
            Command::Pipeline(p) => self.bind_pipeline(p),
            Command::Sets(compute, first, list) => {
                for (k, set) in (*first..).zip(list) {
                    let own = &mut self.sets[usize::from(*compute)];
                    match set {
                        Some(set) => drop(own.insert(k, set.clone())),
                        None => drop(own.remove(&k)),
                    }
                }
            }
            Command::Push(at, bytes) => {
                if let Some(part) = self.push.get_mut(*at as usize..*at as usize + bytes.len()) {
                    part.copy_from_slice(bytes);
                }
            }
            Command::Vertices(first, list) => {
                for (k, buffer) in (*first..).zip(list) {
                    match buffer {
                        Some(b) => drop(self.vertices.insert(k, b.clone())),
                        None => drop(self.vertices.remove(&k)),
                    }
                }
            }
            Command::Indices(buffer, at, wide) => self.indices = Some((buffer.clone(), *at, *wide)),
            Command::Set(state) => self.set(state),
            Command::Dispatch(first, grid) => self.dispatch(*first, *grid)?,
            Command::DispatchIndirect(buffer, at) => {
                if let [x, y, z] = buffer.words(*at, 3)[..] {
                    self.dispatch([0; 3], [x, y, z])?;
                }
            }
            Command::Draw(d) => self.draw(0, *d)?,
            Command::DrawIndirect(i) => self.draw_indirect(i)?,
            Command::Begin(begin) => self.begin((**begin).clone())?,
            Command::Next => self.next()?,
            Command::End => self.end(),
            Command::ClearAttachments(what, rects) => self.clear_attachments(what, rects),
            Command::Event(event, set) => event.0.set(u64::from(*set)),
            Command::Wait(events) => {
                let stop = || self.shared.stop.load(Ordering::SeqCst);
                sync::wait(u64::MAX, || stop() || events.iter().all(|e| e.0.value() != 0));
                self.shared.copies().begin();
            }
            Command::Execute(list) => self.execute(list)?,
            Command::Label(text) => self.labels.push(text.clone()),
            Command::EndLabel => drop(self.labels.pop()),
            Command::ResetQueries(q, first, count) => q.reset(*first, *count),
            Command::BeginQuery(q, at) => self.queries.push((q.clone(), *at, Tally::default())),
            Command::EndQuery(q, at) => {
                if let Some(k) = self.queries.iter().position(|o| Arc::ptr_eq(&o.0, q) && o.1 == *at) {
                    let (_, _, tally) = self.queries.remove(k);
                    q.finish(*at, &tally);
                    // In a pass of several views a query has a place for each: the first counts all of them.
                    let views = self.pass.as_ref().map_or(1, |p| p.views().count_ones().max(1));
                    (1..views).for_each(|more| q.finish(*at + more, &Tally::default()));
                }
            }
            Command::Timestamp(q, at) => {
                let views = self.pass.as_ref().map_or(1, |p| p.views().count_ones().max(1));
                (0..views).for_each(|more| q.set(*at + more, &[self.shared.steps.load(Ordering::SeqCst)]));
            }
            Command::Present(view) => crate::present::write(self.shared, view)?,
            other => transfer::run(other)?,
        }
        Ok(())
    }

    /// Runs a secondary list: the pass goes on, all other state is the list's own.
    fn execute(&mut self, list: &[Command]) -> Done {
        let mut inner = Exec::new(self.shared);
        inner.pass = self.pass.take();
        inner.queries = std::mem::take(&mut self.queries);
        inner.labels = self.labels.clone();
        let done = inner.run(list);
        (self.pass, self.queries) = (inner.pass.take(), std::mem::take(&mut inner.queries));
        done
    }

    fn bind_pipeline(&mut self, p: &Arc<Pipeline>) {
        self.pipeline[usize::from(p.is_compute())] = Some(p.clone());
        let Pipeline::Render(_, _, r) = &**p else { return };
        let (own, new) = (&mut self.values, &r.values);
        own.constant = new.constant.or(own.constant);
        own.reference = new.reference.or(own.reference);
        own.read_mask = new.read_mask.or(own.read_mask);
        own.write_mask = new.write_mask.or(own.write_mask);
        own.bias = new.bias.or(own.bias);
        if let Some(list) = &r.viewports {
            self.set(&State::Viewports(0, list.clone()));
        }
        if let Some(list) = &r.scissors {
            self.set(&State::Scissors(0, list.clone()));
        }
    }

    fn set(&mut self, state: &State) {
        let faces = |own: &mut Option<[u32; 2]>, which: vk::StencilFaceFlags, v: u32| {
            let mut both = own.unwrap_or([v; 2]);
            for (k, face) in [vk::StencilFaceFlags::FRONT, vk::StencilFaceFlags::BACK].into_iter().enumerate() {
                if which.contains(face) {
                    both[k] = v;
                }
            }
            *own = Some(both);
        };
        match state {
            State::Viewports(first, list) => self.viewports.extend((*first..).zip(list.iter().copied())),
            State::Scissors(first, list) => self.scissors.extend((*first..).zip(list.iter().copied())),
            State::Constant(v) => self.values.constant = Some(*v),
            State::Reference(which, v) => faces(&mut self.values.reference, *which, *v),
            State::ReadMask(which, v) => faces(&mut self.values.read_mask, *which, *v),
            State::WriteMask(which, v) => faces(&mut self.values.write_mask, *which, *v),
            State::Bias(v) => self.values.bias = Some(*v),
            State::AllViewports(list) => self.viewports = (0..).zip(list.iter().copied()).collect(),
            State::AllScissors(list) => self.scissors = (0..).zip(list.iter().copied()).collect(),
            State::Strides(first, list) => self.late.strides.extend((*first..).zip(list.iter().copied())),
            State::Late(late) => self.late.set(*late),
        }
    }

    fn dispatch(&mut self, first: [u32; 3], grid: [u32; 3]) -> Done {
        let Some(pipeline) = self.bound_pipeline(1)? else { return Err(self.lost("a dispatch without a pipeline")) };
        let Pipeline::Compute(program) = &*pipeline else { return Err(self.lost("a dispatch without a pipeline")) };
        if grid.contains(&0) {
            return Ok(());
        }
        let size = program.module.entries.first().map_or([1; 3], |e| match e.stage {
            StageInfo::Compute { workgroup_size, .. } => workgroup_size,
            _ => [1; 3],
        });
        let invocation = std::array::from_fn(|k| first[k].wrapping_mul(size[k]));
        self.several_views = false;
        self.built_in = Values { group: first, invocation, ..Values::default() };
        let mut bound = self.bind(1, &[program]);
        bound.dispatch.grid = grid;
        dump::dispatch(self.shared, program, &bound.dispatch);
        let invocations = grid.iter().chain(&size).map(|&n| u64::from(n)).fold(1, u64::wrapping_mul);
        let before = Settings::get().oracle.then(|| bound.dispatch.clone());
        let run = options();
        let result = program.code.dispatch(None, &mut bound.dispatch, (&run, &Profile::default()));
        bound.agree();
        self.queries.iter_mut().for_each(|q| q.2.dispatch(invocations));
        let what = format!("dispatch of {grid:?} workgroups of `{}`", program.source.entry);
        if let (Some(before), Ok(_)) = (before, &result) {
            judge::dispatch(self.shared, program, &what, &before, &bound.dispatch, &run);
        }
        bound.unbind(&mut self.shared.copies());
        self.count(&what, result, &[program])
    }

    /// Adds what a dispatch or draw did, or loses the device by its trap.
    fn count(&self, what: &str, result: Result<RunReport, Trap>, programs: &[&Program]) -> Done {
        match result {
            Ok(report) => {
                self.shared.steps.fetch_add(report.lane_instructions.max(1), Ordering::SeqCst);
                if Settings::get().level >= Level::Info {
                    let text = format!("{what}: {} instructions", report.instructions);
                    log::tell(self.shared.instance, Level::Info, "vkQueueSubmit", &text);
                }
                Ok(())
            }
            Err(trap) => Err(self.lost(&format!("{what} on {}: {trap}{}", self.shared.chip, line_of(&trap, programs)))),
        }
    }

    /// A failure with the labels around it.
    fn lost(&self, text: &str) -> Fail {
        let labels: String = self.labels.iter().map(|l| format!(" in `{l}`")).collect();
        Fail::new(vk::Result::ERROR_DEVICE_LOST, format!("{text}{labels}"))
    }
}

/// The line of the source of a trap, if one program can have it.
fn line_of(trap: &Trap, programs: &[&Program]) -> String {
    let (Some(pc), [program]) = (trap.pc, programs) else { return String::new() };
    let found = program.code.line(pc);
    found.map_or_else(String::new, |(line, column)| format!(", at line {line}, column {column} of the source"))
}
