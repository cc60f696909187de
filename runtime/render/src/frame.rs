//! The passes of a frame, in order.

mod bind;
mod draw;
mod pixel;
mod target;

use std::collections::BTreeMap;

use gpucc_interp::Profile;
use gpucc_ir::Stage;
use gpucc_scene::model::Pass;
use gpucc_scene::{Resources, Scene};
use gpucc_sim::texture::{Precision, Sampler};
use gpucc_sim::trace::Count;
use gpucc_sim::{Races, RunOptions, RunReport, Trace, Trap, TrapKind};

use crate::error::Failure;
use crate::place::Programs;
use crate::shaders::{Entry, Shaders, Stages};
pub(crate) use bind::PassInputs;
pub use gpucc_device::Costs;
pub use pixel::{MOST, Pixel, Step, Stepped};

/// Steps that a frame may take. An empty draw takes 1,000.
pub const STEPS: u64 = 10_000_000_000;

/// How a frame runs.
#[derive(Clone, Debug)]
pub struct Options {
    /// Steps after which a frame is stopped, and seeds. Of each pass the steps are taken from those left.
    pub run: RunOptions,
    /// Whose numbers the oracle computes with.
    pub profile: Profile,
    /// How precisely the oracle's samplers filter.
    pub sampling: fn(&Sampler) -> Precision,
    /// A pixel whose steps are wanted.
    pub pixel: Option<Pixel>,
    /// Whether [`Report::costs`] is wanted: quads run one by one then, which takes many times as long.
    pub costs: bool,
    /// Whether [`Report::executed`] is wanted.
    pub counts: bool,
}

impl Default for Options {
    fn default() -> Self {
        // A frame may be right although a buffer that nobody reads is written in any order: races are told.
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let run = RunOptions { step_limit: STEPS, races: Races::Report, cores, ..RunOptions::default() };
        Options {
            run,
            profile: Profile::default(),
            sampling: |s| s.precision,
            pixel: None,
            costs: false,
            counts: false,
        }
    }
}

/// The counts of a frame.
#[derive(Debug, Default)]
pub struct Report {
    /// Number of dispatches that ran.
    pub dispatches: u64,
    /// Number of draws that ran.
    pub draws: u64,
    /// Instructions executed, by class too; no races.
    pub run: RunReport,
    /// Steps that programs took, paid from the limit.
    pub steps: u64,
    /// Worth telling, each once.
    pub notes: Vec<String>,
    /// Races that were found and did not end the frame.
    pub races: Vec<Failure>,
    /// Pixels that a quad wrote in which a lane read another that was inactive, by texture, level and layer, row by row:
    /// nothing says what they hold.
    pub open: BTreeMap<(usize, u32, u32), Vec<bool>>,
    /// Instructions that fragments executed, for each draw that covered the pixel that was asked for.
    pub stepped: Vec<Stepped>,
    /// What fragments executed, by width and height of the attachments, where it was asked for.
    pub costs: BTreeMap<[u32; 2], Costs>,
    /// How often each instruction was executed, by entry point and address, where it was asked for.
    pub executed: BTreeMap<usize, BTreeMap<u64, Count>>,
}

/// Dispatches and draws of a scene.
pub fn length(scene: &Scene) -> usize {
    let of = |p: &Pass| match p {
        Pass::Compute { .. } => 1,
        Pass::Render { draws, .. } => draws.len(),
    };
    scene.passes.iter().map(of).sum()
}

/// Runs the passes of a scene that was checked, on its resources. `tick` is called after each dispatch and draw.
///
/// # Errors
/// The first rule that a program broke, or the step limit.
pub fn run(
    scene: &Scene,
    shaders: &Shaders,
    programs: &Programs,
    resources: &mut Resources,
    options: &Options,
    tick: &mut dyn FnMut(),
) -> Result<Report, Failure> {
    let own;
    let options = match &programs.mixed {
        // The oracle's half computes as the machine's does.
        Some(h) => {
            let profile = gpucc_machines::profile(h.target.family(), h.target.generation_index());
            own = Options { profile, sampling: gpucc_machines::sampling(h.target.family()), ..options.clone() };
            &own
        }
        None => options,
    };
    let left = options.run.step_limit;
    let mut frame = Frame {
        scene,
        shaders,
        programs,
        resources,
        options,
        addressed: scene.addressed(),
        left,
        report: Report::default(),
    };
    for (k, pass) in scene.passes.iter().enumerate() {
        let field = format!("passes[{k}]");
        match pass {
            Pass::Compute { pipeline, bindings, immediates, dispatch } => {
                frame.compute(&field, pipeline, (bindings, immediates.as_ref()), *dispatch)?;
                tick();
            }
            Pass::Render { color_attachments, depth_stencil_attachment, draws } => {
                frame.render(&field, (color_attachments, depth_stencil_attachment.as_ref()), draws, tick)?;
            }
        }
    }
    Ok(frame.report)
}

struct Frame<'a> {
    scene: &'a Scene,
    shaders: &'a Shaders,
    programs: &'a Programs,
    resources: &'a mut Resources,
    options: &'a Options,
    /// The buffers that have addresses, by their places in the scene, with their addresses.
    addressed: Vec<(usize, u64)>,
    /// Steps that are left.
    left: u64,
    report: Report,
}

impl Frame<'_> {
    fn compute(
        &mut self,
        field: &str,
        pipeline: &str,
        given: PassInputs<'_>,
        dispatch: [u32; 3],
    ) -> Result<(), Failure> {
        let Some(&Stages::Compute(entry)) = self.stages(pipeline) else { return Err(lost(field, pipeline)) };
        self.report.dispatches += 1;
        if dispatch.contains(&0) {
            return Ok(());
        }
        let mut bound = self.bind(&[entry], given, &[]);
        bound.dispatch.grid = dispatch;
        let trace = self.options.counts.then(Trace::counting);
        let run = RunOptions { trace: trace.clone(), ..self.run_options() };
        let Some(code) = &self.programs.list[entry] else { return Err(lost(field, pipeline)) };
        let how = (&run, &self.options.profile);
        let result = code.dispatch(Some(&self.shaders.entries[entry].name), &mut bound.dispatch, how);
        self.unbind(bound);
        self.executed(trace.as_ref(), &[entry]);
        match result {
            Ok(report) => {
                self.count(field, &[entry], report);
                Ok(())
            }
            Err(trap) => Err(self.trapped(field, &[entry], trap)),
        }
    }

    fn stages(&self, pipeline: &str) -> Option<&Stages> {
        self.shaders.pipelines.get(self.scene.pipelines.position(pipeline)?)
    }

    /// Options of the next dispatch or draw.
    fn run_options(&self) -> RunOptions {
        RunOptions { step_limit: self.left, ..self.options.run.clone() }
    }

    /// Adds what a trace counted of these entry points, of which each is a program of it.
    fn executed(&mut self, trace: Option<&Trace>, entries: &[usize]) {
        for (program, entry) in entries.iter().enumerate() {
            let own = self.report.executed.entry(*entry).or_default();
            for (pc, n) in trace.map(|t| t.counts(program)).unwrap_or_default() {
                let sum = own.entry(pc).or_default();
                sum.times += n.times;
                sum.lanes += n.lanes;
            }
        }
    }

    fn count(&mut self, field: &str, entries: &[usize], mut r: RunReport) {
        self.left = self.left.saturating_sub(r.steps);
        self.report.steps += r.steps;
        for n in std::mem::take(&mut r.notes) {
            if !self.report.notes.contains(&n) {
                self.report.notes.push(n);
            }
        }
        let races = std::mem::take(&mut r.races);
        self.report.run.add(r);
        for t in races {
            let told = self.trapped(field, entries, t);
            self.report.races.push(told);
        }
    }

    /// A trap in one of these entry points, with the line where it is known in which.
    fn trapped(&self, field: &str, entries: &[usize], mut trap: Trap) -> Failure {
        if trap.kind == TrapKind::StepLimit {
            trap.message = format!("the frame is still running after {} steps", self.options.run.step_limit);
        }
        let entry = match (entries, trap.stage) {
            (&[one], None) => Some(one),
            (list, Some(stage)) => list.iter().copied().find(|&e| {
                let of = self.shaders.entries.get(e).map(|e| e.stage);
                of == Some(if stage == gpucc_container::Stage::Vertex { Stage::Vertex } else { Stage::Fragment })
            }),
            _ => None,
        };
        let line = entry.zip(trap.pc).and_then(|(e, pc)| self.line(e, pc));
        Failure::Trap { field: field.into(), line, trap: Box::new(trap) }
    }

    fn line(&self, entry: usize, pc: u64) -> Option<(String, u32, u32)> {
        let Entry { stage, source, .. } = self.shaders.entries.get(entry)?;
        let source = self.shaders.sources.get(*source)?;
        let list = match &self.programs.mixed {
            Some(halves) if halves.on != *stage => &halves.oracles,
            _ => &self.programs.list,
        };
        let (line, column) = list.get(entry)?.as_ref()?.line(pc)?;
        let (file, line) = source.file_line(line);
        Some((file, line, column))
    }
}

/// A pass whose pipeline has no programs: scenes that were checked have none.
fn lost(field: &str, pipeline: &str) -> Failure {
    let message = format!("`{pipeline}` is not a pipeline of this pass");
    gpucc_scene::SceneError::new(format!("{field}.pipeline"), message).into()
}
