//! Programs: entry points compiled for a place.

use std::sync::OnceLock;

use gpucc::cache::{Cache, Key};
use gpucc::{CodegenOptions, Options, Target};
use gpucc_container::Container;
use gpucc_interp::OracleProgram;
use gpucc_ir::{Diagnostic, Module, Refusal, Stage};
use gpucc_opt::{BindingFacts, PipelineContext};
use gpucc_sim::Trap;

use crate::place::{Lowering, Place};
use crate::used::Used;

/// An entry point as it runs.
#[derive(Debug)]
pub enum Code {
    /// A program for the interpreter.
    Oracle(Box<OracleProgram>),
    /// A program for a machine.
    Machine {
        /// The container that a driver would load.
        container: Container,
        /// The IR that selection read; code from a cache has none.
        ir: Option<Box<Module>>,
    },
}

impl Code {
    /// The program, on the interpreter.
    pub fn oracle(&self) -> Option<&OracleProgram> {
        match self {
            Code::Oracle(p) => Some(p),
            Code::Machine { .. } => None,
        }
    }

    /// The container that a driver would load, on a machine.
    pub fn machine(&self) -> Option<&Container> {
        match self {
            Code::Oracle(_) => None,
            Code::Machine { container, .. } => Some(container),
        }
    }

    /// Compiles an entry point.
    ///
    /// # Errors
    /// The target refuses it, the oracle does not model it, or a bug of the compiler.
    pub fn new(shader: &Shader<'_>, place: Place) -> Result<Code, Diagnostic> {
        let Shader { module, name, stage, .. } = *shader;
        match place {
            Place::Oracle(Lowering::Source) => on_oracle(module, name, stage),
            Place::Oracle(Lowering::Passes { level, caps }) => {
                let (context, bound) = (shader.context.clone(), shader.bound.clone());
                let o = gpucc_opt::Options { level, context, bound, ..gpucc_opt::Options::default() };
                let what = format!("`{name}`");
                let (module, _) = gpucc::guarded(&what, || gpucc_opt::prepare(module, name, &caps, &o))?;
                on_oracle(&module, name, stage)
            }
            // A machine that runs fragments runs behind registers that both programs decide.
            Place::Mixed { target, level, on: Stage::Vertex } if stage == Stage::Fragment => {
                Code::new(shader, Place::Oracle(Lowering::Passes { level, caps: target.caps(stage) }))
            }
            Place::Target(target, level) | Place::Mixed { target, level, .. } => {
                let artifact = gpucc::compile_entry(module, name, &shader.options(target, level))?;
                let ir = artifact.outputs().first().map(|o| o.ir.clone());
                let ir = ir.ok_or_else(|| Diagnostic::internal("output", format!("`{name}` gave no code")))?;
                Ok(Code::Machine { container: artifact.container().clone(), ir: Some(Box::new(ir)) })
            }
        }
    }

    /// The code of an entry point that a cache has for a target. What the cache gives is checked to be that entry's code for that target.
    pub fn kept(shader: &Shader<'_>, (target, level): (Target, u8), cache: &dyn Cache) -> Option<Code> {
        let options = shader.options(target, level);
        let bytes = cache.get(&Key::of(shader.module, shader.name, &options))?;
        let container = Container::read(&bytes).ok()?;
        let [entry] = &container.entries[..] else { return None };
        let stage = match entry.stage {
            gpucc_container::Stage::Compute => Stage::Compute,
            gpucc_container::Stage::Vertex => Stage::Vertex,
            gpucc_container::Stage::Fragment => Stage::Fragment,
        };
        let is_own = entry.name == shader.name
            && stage == shader.stage
            && (container.family.as_str(), container.generation.as_str()) == (target.family(), target.generation());
        is_own.then_some(Code::Machine { container, ir: None })
    }

    /// Puts code that was compiled for a target into a cache.
    pub fn keep(&self, shader: &Shader<'_>, (target, level): (Target, u8), cache: &dyn Cache) {
        if let Code::Machine { container, .. } = self {
            let options = shader.options(target, level);
            cache.put(&Key::of(shader.module, shader.name, &options), &container.write());
        }
    }

    /// The same as the oracle runs it: of a machine the IR that selection read.
    ///
    /// # Errors
    /// The oracle does not model something.
    pub fn on_oracle(&self, name: &str, stage: Stage) -> Result<Code, Diagnostic> {
        match self {
            Code::Oracle(p) => Ok(Code::Oracle(p.clone())),
            Code::Machine { ir: Some(ir), .. } => on_oracle(ir, name, stage),
            Code::Machine { ir: None, .. } => {
                Err(Diagnostic::internal("cache", format!("`{name}` came from a cache, without what selection read")))
            }
        }
    }
}

fn on_oracle(module: &Module, name: &str, stage: Stage) -> Result<Code, Diagnostic> {
    let refused = |t: Trap| Diagnostic::unsupported(Refusal::NotModelled, t.to_string());
    OracleProgram::at(module, name, stage).map(|p| Code::Oracle(Box::new(p))).map_err(refused)
}

/// An entry point with all that a pipeline has fixed.
#[derive(Clone, Debug)]
pub struct Shader<'a> {
    /// The module, which may have other entry points.
    pub module: &'a Module,
    /// Name of the entry point.
    pub name: &'a str,
    /// The stage of the entry point.
    pub stage: Stage,
    /// The render pipeline around it.
    pub context: Option<Box<PipelineContext>>,
    /// Facts about what is bound for it.
    pub bound: BindingFacts,
}

impl<'a> Shader<'a> {
    /// An entry point of which nothing else is known.
    pub fn new(module: &'a Module, name: &'a str, stage: Stage) -> Shader<'a> {
        Shader { module, name, stage, context: None, bound: BindingFacts::UNKNOWN }
    }
}

impl Shader<'_> {
    /// What it is compiled with.
    fn options(&self, target: Target, opt_level: u8) -> Options {
        let (context, bound) = (self.context.clone(), self.bound.clone());
        Options { target, codegen: CodegenOptions { opt_level, context, bound, ..CodegenOptions::default() } }
    }
}

/// A compiled entry point.
#[derive(Debug)]
pub struct Program {
    name: String,
    stage: Stage,
    used: Vec<Used>,
    code: Code,
    judge: OnceLock<Option<Box<OracleProgram>>>,
}

impl Program {
    /// Compiles an entry point for a place.
    ///
    /// # Errors
    /// As [`Code::new`].
    pub fn new(shader: &Shader<'_>, place: Place) -> Result<Program, Diagnostic> {
        let code = Code::new(shader, place)?;
        let used = Used::of_entry(shader.module, shader.name, shader.stage);
        Ok(Program { name: shader.name.into(), stage: shader.stage, used, code, judge: OnceLock::new() })
    }

    /// Name of the entry point.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The stage of the entry point.
    pub fn stage(&self) -> Stage {
        self.stage
    }

    /// The bindings that it uses.
    pub fn used(&self) -> &[Used] {
        &self.used
    }

    /// The code as it runs.
    pub fn code(&self) -> &Code {
        &self.code
    }

    /// The program that the oracle judges it by: of a machine the IR that selection read. `None` where the oracle does not model it,
    /// or where that IR is not there.
    pub fn judge(&self) -> Option<&OracleProgram> {
        match &self.code {
            Code::Oracle(p) => Some(p),
            Code::Machine { ir, .. } => {
                let make = || OracleProgram::at(ir.as_deref()?, &self.name, self.stage).ok().map(Box::new);
                self.judge.get_or_init(make).as_deref()
            }
        }
    }

    /// Line and column in the source of the instruction at an address that a trap names.
    pub fn line(&self, pc: u64) -> Option<(u32, u32)> {
        self.code.line(pc)
    }
}
