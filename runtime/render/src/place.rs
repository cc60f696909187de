//! Where a frame runs: on the oracle, with the modules as they were written or after passes, or on the machine of a target.

use std::collections::BTreeMap;

use gpucc::{CodegenOptions, Options, Target};
use gpucc_container::Container;
use gpucc_interp::{OobAccess, OracleProgram};
use gpucc_ir::{Diagnostic, EntryPoint, IoAt, Module, Refusal, Stage};
use gpucc_opt::{Caps, PipelineContext};
use gpucc_scene::Scene;
use gpucc_scene::model::Pass;
use gpucc_sim::Trap;

use crate::error::Failure;
use crate::shaders::{Entry, Shaders};

/// The modules that the oracle runs.
#[derive(Clone, Copy, Debug)]
pub enum Lowering {
    /// Modules as the frontend made them.
    Source,
    /// Modules after the target-independent passes.
    Passes {
        /// Optimisation level, 0 to 3.
        level: u8,
        /// The abilities of the target of the passes.
        caps: Caps,
    },
}

/// Where a frame runs.
#[derive(Clone, Copy, Debug)]
pub enum Place {
    /// On the interpreter of the IR.
    Oracle(Lowering),
    /// On the machine of a target, compiled at a level.
    Target(Target, u8),
    /// Dispatches on the machine of a target; of draws the programs of one stage, and those of the other on the oracle, behind the
    /// passes for the target. A family lands stage by stage this way, and a fault is looked for in one half.
    Mixed {
        /// The target.
        target: Target,
        /// Optimisation level.
        level: u8,
        /// The stage of draws that runs on the machine.
        on: Stage,
    },
}

impl Place {
    /// The oracle behind the passes of a level, for a target that has everything.
    pub const fn interp(level: u8) -> Place {
        Place::Oracle(Lowering::Passes { level, caps: Caps::FULL })
    }

    /// The target whose machine runs programs here.
    pub const fn target(self) -> Option<Target> {
        match self {
            Place::Oracle(_) => None,
            Place::Target(target, _) | Place::Mixed { target, .. } => Some(target),
        }
    }

    /// The facts of the passes about programs of a stage; nothing if there are none.
    fn caps(self, stage: Stage) -> Option<Caps> {
        match self {
            Place::Oracle(Lowering::Source) => None,
            Place::Oracle(Lowering::Passes { caps, .. }) => Some(caps),
            Place::Target(target, _) | Place::Mixed { target, .. } => Some(target.caps(stage)),
        }
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Place::Oracle(Lowering::Source) => f.write_str("source"),
            Place::Oracle(_) => f.write_str("interp"),
            Place::Target(t, _) => t.fmt(f),
            Place::Mixed { target, on, .. } => write!(f, "{target} ({} programs alone)", on.name()),
        }
    }
}

/// An entry point as it runs.
#[derive(Debug)]
pub(crate) enum Code {
    /// On the interpreter.
    Oracle(Box<OracleProgram>),
    /// On a machine.
    Machine {
        /// The container that a driver would load.
        container: Container,
        /// The IR that selection read.
        ir: Box<Module>,
    },
}

impl Code {
    /// The program, on the interpreter.
    pub(crate) fn oracle(&self) -> Option<&OracleProgram> {
        match self {
            Code::Oracle(p) => Some(p),
            Code::Machine { .. } => None,
        }
    }

    /// The container that a driver would load, on a machine.
    pub(crate) fn machine(&self) -> Option<&Container> {
        match self {
            Code::Oracle(_) => None,
            Code::Machine { container, .. } => Some(container),
        }
    }
}

/// The entry points of a scene as they run in one place; made once and used by all draws and dispatches.
#[derive(Debug)]
pub struct Programs {
    /// By number of the entry point; of those that no pass uses there is none.
    pub(crate) list: Vec<Option<Code>>,
    /// Of vertex entries whose clip distances are left to a fragment program and that have none: one that does only that.
    pub(crate) clippers: BTreeMap<usize, Code>,
    /// Where draws are mixed.
    pub(crate) mixed: Option<Halves>,
}

/// A draw in two places.
#[derive(Debug)]
pub(crate) struct Halves {
    /// Whose machine runs one of the programs.
    pub target: Target,
    /// The stage of that program.
    pub on: Stage,
    /// The oracle's programs of those that run on machines, by number of the entry point.
    pub oracles: Vec<Option<Code>>,
}

impl Programs {
    /// Makes programs of all entry points that passes use.
    ///
    /// # Errors
    /// The compiler's answer: a refusal of the target, or a bug.
    pub fn new(scene: &Scene, shaders: &Shaders, place: Place) -> Result<Programs, Failure> {
        let mut list: Vec<Option<Code>> = shaders.entries.iter().map(|_| None).collect();
        let mut clippers = BTreeMap::new();
        for number in used(scene, shaders) {
            let e = &shaders.entries[number];
            let lower = |e: &Entry| code(e, place).map_err(|d| said(shaders, e, d));
            match clipper(e, place) {
                Some((vertex, fragment)) => {
                    list[number] = Some(lower(&vertex)?);
                    clippers.insert(number, lower(&fragment)?);
                }
                None => list[number] = Some(lower(e)?),
            }
        }
        let mixed = match place {
            Place::Mixed { target, on, .. } => Some(Halves { target, on, oracles: oracles(&list, shaders)? }),
            _ => None,
        };
        Ok(Programs { list, clippers, mixed })
    }
}

impl Programs {
    /// The container that a driver would load, where they run on a machine; a test may change it.
    pub fn containers(&mut self) -> impl Iterator<Item = &mut Container> {
        let code = self.list.iter_mut().flatten().chain(self.clippers.values_mut());
        code.filter_map(|c| match c {
            Code::Oracle(_) => None,
            Code::Machine { container, .. } => Some(container),
        })
    }

    /// Sets where accesses out of bounds of the oracle's programs go.
    pub(crate) fn set_oob(&mut self, oob: OobAccess) {
        for code in self.list.iter_mut().flatten().chain(self.clippers.values_mut()) {
            if let Code::Oracle(p) = code {
                p.set_oob(oob);
            }
        }
    }

    /// Whether a program of the oracle writes buffers or images.
    pub(crate) fn write_memory(&self) -> bool {
        self.list.iter().flatten().filter_map(Code::oracle).any(OracleProgram::writes_memory)
    }

    /// Whether what a program of the oracle gives depends on the size of a subgroup.
    pub(crate) fn ask_lanes(&self) -> bool {
        self.list.iter().flatten().filter_map(Code::oracle).any(OracleProgram::sees_subgroups)
    }

    /// The programs that the oracle judges these by: of a machine the IR that selection read. `None` if they are the oracle's.
    ///
    /// # Errors
    /// The oracle does not model something.
    pub(crate) fn judges(&self, shaders: &Shaders) -> Result<Option<Programs>, Failure> {
        if !self.list.iter().flatten().any(|c| c.machine().is_some()) {
            return Ok(None);
        }
        let mut clippers = BTreeMap::new();
        for (&vertex, code) in &self.clippers {
            let e = &shaders.entries[vertex];
            let code = on_oracle(code, &e.name, Stage::Fragment).map_err(|d| said(shaders, e, d))?;
            clippers.insert(vertex, code);
        }
        Ok(Some(Programs { list: oracles(&self.list, shaders)?, clippers, mixed: None }))
    }
}

/// Programs as the oracle runs them.
fn oracles(list: &[Option<Code>], shaders: &Shaders) -> Result<Vec<Option<Code>>, Failure> {
    let one = |(e, code): (&Entry, &Option<Code>)| {
        let code = code.as_ref().map(|c| on_oracle(c, &e.name, e.stage)).transpose();
        code.map_err(|d| said(shaders, e, d))
    };
    shaders.entries.iter().zip(list).map(one).collect()
}

/// A program as the oracle runs it: of a machine the IR that selection read.
fn on_oracle(code: &Code, name: &str, stage: Stage) -> Result<Code, Diagnostic> {
    match code {
        Code::Oracle(p) => Ok(Code::Oracle(p.clone())),
        Code::Machine { ir, .. } => program(ir, name, stage),
    }
}

/// The compiler's messages about an entry point.
fn said(shaders: &Shaders, e: &Entry, d: Diagnostic) -> Failure {
    Failure::Shader { source: Box::new(shaders.sources[e.source].clone()), list: vec![d] }
}

/// Numbers of the entry points that passes use, each once.
fn used(scene: &Scene, shaders: &Shaders) -> Vec<usize> {
    let mut list = Vec::new();
    let mut add = |pipeline: &str| {
        let stages = scene.pipelines.position(pipeline).and_then(|k| shaders.pipelines.get(k));
        list.extend(stages.into_iter().flat_map(|s| s.all()));
    };
    for pass in &scene.passes {
        match pass {
            Pass::Compute { pipeline, .. } => add(pipeline),
            Pass::Render { draws, .. } => draws.iter().for_each(|d| add(&d.pipeline)),
        }
    }
    list.sort_unstable();
    list.dedup();
    list
}

fn code(e: &Entry, place: Place) -> Result<Code, Diagnostic> {
    match place {
        Place::Oracle(Lowering::Source) => program(&e.module, &e.name, e.stage),
        Place::Oracle(Lowering::Passes { level, caps }) => {
            let (context, bound) = (e.context.clone(), e.bound.clone());
            let o = gpucc_opt::Options { level, context, bound, ..gpucc_opt::Options::default() };
            let what = format!("`{}`", e.name);
            let (module, _) = gpucc::guarded(&what, || gpucc_opt::prepare(&e.module, &e.name, &caps, &o))?;
            program(&module, &e.name, e.stage)
        }
        // A machine that runs fragments runs behind registers that both programs decide.
        Place::Mixed { target, level, on: Stage::Vertex } if e.stage == Stage::Fragment => {
            code(e, Place::Oracle(Lowering::Passes { level, caps: target.caps(e.stage) }))
        }
        Place::Target(target, opt_level) | Place::Mixed { target, level: opt_level, .. } => {
            let (context, bound) = (e.context.clone(), e.bound.clone());
            let codegen = CodegenOptions { opt_level, context, bound, ..CodegenOptions::default() };
            let artifact = gpucc::compile_entry(&e.module, &e.name, &Options { target, codegen })?;
            let ir = artifact.outputs().first().map(|o| o.ir.clone());
            let ir = ir.ok_or_else(|| Diagnostic::internal("output", format!("`{}` gave no code", e.name)))?;
            Ok(Code::Machine { container: artifact.container().clone(), ir: Box::new(ir) })
        }
    }
}

/// A vertex entry with clip distances and no fragment program, where the place has none: the entry, and a program behind it
/// without outputs.
fn clipper(e: &Entry, place: Place) -> Option<(Entry, Entry)> {
    let caps = place.caps(Stage::Vertex)?;
    let context = e.context.as_ref().filter(|a| a.other.is_none() && !caps.io.clip_distances)?;
    let io = e.point().interface().filter(|_| e.stage == Stage::Vertex)?;
    if !io.outputs.iter().any(|s| matches!(s.at, IoAt::ClipDistance(_))) {
        return None;
    }
    let module = gpucc_opt::empty_fragment(&e.name);
    let other = |point: &EntryPoint| {
        Some(Box::new(PipelineContext { other: Some(point.stage.clone()), ..(**context).clone() }))
    };
    let vertex = Entry { context: other(&module.entries[0]), ..e.clone() };
    let fragment = Entry { context: other(e.point()), module, stage: Stage::Fragment, used: Vec::new(), ..e.clone() };
    Some((vertex, fragment))
}

fn program(module: &Module, name: &str, stage: Stage) -> Result<Code, Diagnostic> {
    let refused = |t: Trap| Diagnostic::unsupported(Refusal::NotModelled, t.to_string());
    OracleProgram::at(module, name, stage).map(|p| Code::Oracle(Box::new(p))).map_err(refused)
}
