//! The entry points of a scene as programs for the place where its frame runs.

use std::collections::BTreeMap;

use gpucc::Target;
use gpucc_container::Container;
use gpucc_device::{Code, Shader};
pub use gpucc_device::{Lowering, Place};
use gpucc_interp::{OobAccess, OracleProgram};
use gpucc_ir::{Diagnostic, EntryPoint, IoAt, Stage};
use gpucc_opt::PipelineContext;
use gpucc_scene::Scene;
use gpucc_scene::model::Pass;

use crate::error::Failure;
use crate::shaders::{Entry, Shaders};

/// The entry points of a scene as they run in one place; made once and used by all draws and dispatches.
#[derive(Debug)]
pub struct Programs {
    /// Programs by number of the entry point; of those that no pass uses there is none.
    pub(crate) list: Vec<Option<Code>>,
    /// Programs that only clip, for vertex entries whose clip distances are left to a fragment program and that have none.
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

    /// Puts machine code of a container in the place of what was compiled of an entry point of this number. `false` if the container has no entry
    /// point of its name and stage, or the entry point does not run on a machine.
    ///
    /// # Errors
    /// What of the ends of the code is not as the pipeline has it: registers, bindings, state.
    pub fn put(&mut self, shaders: &Shaders, number: usize, given: &Container) -> Result<bool, String> {
        let (Some(e), Some(Some(Code::Machine { container, .. }))) =
            (shaders.entries.get(number), self.list.get_mut(number))
        else {
            return Ok(false);
        };
        let own = container.entries.iter().position(|o| o.name == e.name);
        let of = |k: usize| given.entries.iter().find(|o| o.name == e.name && o.stage == container.entries[k].stage);
        let Some((own, entry)) = own.and_then(|k| Some((k, of(k)?))) else { return Ok(false) };
        let compiled = &container.entries[own];
        let differs = [
            ("bindings", compiled.resources != entry.resources),
            (
                "registers before the first instruction",
                (&compiled.preloads, &compiled.steps) != (&entry.preloads, &entry.steps),
            ),
            ("inputs and outputs", compiled.interface != entry.interface),
            ("state", compiled.pipeline != entry.pipeline),
        ];
        if let Some((what, _)) = differs.iter().find(|d| d.1) {
            let name = &e.name;
            return Err(format!(
                "the {what} of `{name}` are not those of the pipeline: compile the shader for it and edit that, \
                 `gpucc SHADER --pipeline SCENE:PIPELINE`, at the same -O"
            ));
        }
        container.entries[own] = entry.clone();
        Ok(true)
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
    pub fn judges(&self, shaders: &Shaders) -> Result<Option<Programs>, Failure> {
        if !self.list.iter().flatten().any(|c| c.machine().is_some()) {
            return Ok(None);
        }
        let mut clippers = BTreeMap::new();
        for (&vertex, code) in &self.clippers {
            let e = &shaders.entries[vertex];
            let code = code.on_oracle(&e.name, Stage::Fragment).map_err(|d| said(shaders, e, d))?;
            clippers.insert(vertex, code);
        }
        Ok(Some(Programs { list: oracles(&self.list, shaders)?, clippers, mixed: None }))
    }
}

/// Programs as the oracle runs them.
fn oracles(list: &[Option<Code>], shaders: &Shaders) -> Result<Vec<Option<Code>>, Failure> {
    let one = |(e, code): (&Entry, &Option<Code>)| {
        let code = code.as_ref().map(|c| c.on_oracle(&e.name, e.stage)).transpose();
        code.map_err(|d| said(shaders, e, d))
    };
    shaders.entries.iter().zip(list).map(one).collect()
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
    let Entry { module, name, stage, context, bound, .. } = e;
    Code::new(&Shader { module, name, stage: *stage, context: context.clone(), bound: bound.clone() }, place)
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
