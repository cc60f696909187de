//! Where a frame runs: on the oracle, with the modules as they were written or after passes, or on the machine of a target.

use std::collections::BTreeMap;

use gpucc::{CodegenOptions, Options, Target};
use gpucc_container::Container;
use gpucc_interp::OracleProgram;
use gpucc_ir::{Diagnostic, EntryPoint, IoAt, Module, Refusal, Stage};
use gpucc_opt::{Caps, PipelineContext};
use gpucc_scene::Scene;
use gpucc_scene::model::Pass;
use gpucc_sim::Trap;

use crate::error::Failure;
use crate::shaders::{Entry, Shaders};

/// What the oracle runs.
#[derive(Clone, Copy, Debug)]
pub enum Lowering {
    /// Modules as the frontend made them.
    Source,
    /// Modules after the target-independent passes.
    Passes {
        /// Optimisation level, 0 to 3.
        level: u8,
        /// What the target of the passes can do.
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
}

impl Place {
    /// The oracle behind the passes of a level, for a target that has everything.
    pub const fn interp(level: u8) -> Place {
        Place::Oracle(Lowering::Passes { level, caps: Caps::FULL })
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Place::Oracle(Lowering::Source) => f.write_str("source"),
            Place::Oracle(_) => f.write_str("interp"),
            Place::Target(t, _) => t.fmt(f),
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
        /// What a driver would load.
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

    /// What a driver would load, on a machine.
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
}

impl Programs {
    /// Makes programs of all entry points that passes use.
    ///
    /// # Errors
    /// What the compiler says: a refusal of the target, or a bug.
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
        Ok(Programs { list, clippers })
    }
}

impl Programs {
    /// What a driver would load, where they run on a machine; a test may change it.
    pub fn containers(&mut self) -> impl Iterator<Item = &mut Container> {
        let code = self.list.iter_mut().flatten().chain(self.clippers.values_mut());
        code.filter_map(|c| match c {
            Code::Oracle(_) => None,
            Code::Machine { container, .. } => Some(container),
        })
    }

    /// The programs that the oracle judges these by: of a machine the IR that selection read. `None` if they are the oracle's.
    ///
    /// # Errors
    /// The oracle does not model something.
    pub(crate) fn judges(&self, shaders: &Shaders) -> Result<Option<Programs>, Failure> {
        let mut list = Vec::new();
        for (e, code) in shaders.entries.iter().zip(&self.list) {
            list.push(match code {
                None => None,
                Some(Code::Oracle(_)) => return Ok(None),
                Some(Code::Machine { ir, .. }) => Some(program(ir, e).map_err(|d| said(shaders, e, d))?),
            });
        }
        Ok(Some(Programs { list, clippers: BTreeMap::new() }))
    }
}

/// What the compiler says of an entry point.
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
        Place::Oracle(Lowering::Source) => program(&e.module, e),
        Place::Oracle(Lowering::Passes { level, caps }) => {
            let (around, bound) = (e.around.clone(), e.bound.clone());
            let o = gpucc_opt::Options { level, around, bound, ..gpucc_opt::Options::default() };
            let what = format!("`{}`", e.name);
            let (module, _) = gpucc::guarded(&what, || gpucc_opt::prepare(&e.module, &e.name, &caps, &o))?;
            program(&module, e)
        }
        Place::Target(target, opt_level) => {
            let (around, bound) = (e.around.clone(), e.bound.clone());
            let codegen = CodegenOptions { opt_level, around, bound, ..CodegenOptions::default() };
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
    let Place::Oracle(Lowering::Passes { caps, .. }) = place else { return None };
    let around = e.around.as_ref().filter(|a| a.other.is_none() && !caps.io.clip_distances)?;
    let io = e.point().interface().filter(|_| e.stage == Stage::Vertex)?;
    if !io.outputs.iter().any(|s| matches!(s.at, IoAt::ClipDistance(_))) {
        return None;
    }
    let module = gpucc_opt::empty_fragment(&e.name);
    let other =
        |point: &EntryPoint| Some(Box::new(PipelineContext { other: Some(point.stage.clone()), ..(**around).clone() }));
    let vertex = Entry { around: other(&module.entries[0]), ..e.clone() };
    let fragment = Entry { around: other(e.point()), module, stage: Stage::Fragment, used: Vec::new(), ..e.clone() };
    Some((vertex, fragment))
}

fn program(module: &Module, e: &Entry) -> Result<Code, Diagnostic> {
    let refused = |t: Trap| Diagnostic::unsupported(Refusal::NotModelled, t.to_string());
    OracleProgram::at(module, &e.name, e.stage).map(|p| Code::Oracle(Box::new(p))).map_err(refused)
}
