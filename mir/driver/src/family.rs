//! The interface of a family to the driver.

use gpucc_container::{InterfaceRow, LaunchStep, Meta, Preload, ProgramRole, StateWord};
use gpucc_ir::analysis::StageUse;
use gpucc_ir::{Diagnostic, EntryPoint, Function, IoSlot, Loc, Module, Place, Refusal, Stage, StageInfo, Unsupported};
use gpucc_isa::{Isa, Notes, TextCx};
use gpucc_mir::{AllocError, AllocStats, EncodedFunc, Form, MFunc, OutOfRegisters, Payload, Target, print, verify};
use gpucc_opt::{Caps, PassCx, Report};

use crate::backend::{CodegenOptions, Reflection, stage_of};
use crate::interface::{self, Direction, HwPlace};
use crate::late_state::DriverFacts;
use crate::line_costs::{InstCost, Occupancy};
use crate::statistics::Statistic;

/// One entry point in one attempt: what nothing changes.
pub struct Job<'m, F: Family> {
    /// The prepared module; its one entry point and function are what is compiled.
    pub module: &'m Module,
    /// The module with all that the entry point gives, where `module` has the outputs of a role alone: what programs of an entry have in
    /// common follows from it.
    pub whole: &'m Module,
    /// Index of the generation in [`Family::GENERATIONS`].
    pub generation: u8,
    /// Options of this code generation.
    pub options: &'m CodegenOptions,
    /// The liberties of this attempt.
    pub strategy: F::Strategy,
    /// The entry point's stage as the source has it, before lowering.
    pub source: &'m StageInfo,
    /// The role of the entry point: [`Family::roles`]. The module gives nothing else.
    pub role: ProgramRole,
}

impl<'m, F: Family> Job<'m, F> {
    /// The entry point that is compiled.
    pub fn entry(&self) -> &'m EntryPoint {
        &self.module.entries[0]
    }

    /// The stage of the entry point.
    pub fn stage(&self) -> Stage {
        self.entry().stage.kind()
    }

    /// The bit of its stage in masks of a table ([`gpucc_isa::stage`]).
    pub fn stage_bit(&self) -> u8 {
        stage_of(self.stage()).bit()
    }

    /// How the family's table looks at its code.
    pub fn text_cx(&self) -> TextCx {
        TextCx { stages: self.stage_bit(), ..TextCx::new(self.generation) }
    }

    /// Invocations of a workgroup, by dimension.
    ///
    /// # Panics
    /// Stages without workgroups ask for none.
    pub fn workgroup_size(&self) -> [u32; 3] {
        let entry = self.entry();
        entry.workgroup_size().unwrap_or_else(|| panic!("a {} entry has no workgroups", entry.stage.kind().name()))
    }

    /// Rows of the container's interface. `used` is of its function; `place` says where the hardware has the input or output of a
    /// number, if it has it.
    pub fn interface(
        &self,
        used: &StageUse,
        place: impl FnMut(Direction, usize, &IoSlot) -> Option<HwPlace>,
    ) -> Vec<InterfaceRow> {
        let context = self.options.context.as_deref();
        interface::rows(self.source, &self.entry().stage, used, context, place)
    }

    /// The function that is the entry's body.
    pub fn func(&self) -> &'m Function {
        &self.module.funcs[self.entry().func]
    }

    /// The target as messages name it: `family:generation`.
    pub fn chip(&self) -> String {
        format!("{}:{}", F::NAME, F::GENERATIONS[self.generation as usize])
    }

    /// A refusal at the entry point. `what` follows the target's name: `has 32768 bytes .., this needs ..`.
    pub fn refuse(&self, code: Refusal, what: impl core::fmt::Display) -> Diagnostic {
        Diagnostic::unsupported(code, format!("{} {what}", self.chip())).at(self.entry().span, "this entry point")
    }
}

/// The other input of machine passes besides the code.
pub struct CompileCx<'m, F: Family> {
    /// The compiled shaders, and how.
    pub job: Job<'m, F>,
    /// The machine with its budgets.
    pub target: F::Target,
    /// The decisions of selection.
    pub state: F::State,
    /// The registers that the allocation used, once it has run.
    pub alloc: AllocStats,
    /// So many changes the pass that runs may make. One that cannot stop in between makes them all; it is left out once nothing is
    /// allowed.
    pub fuel: u64,
}

impl<'m, F: Family> CompileCx<'m, F> {
    /// The state in front of all passes.
    pub fn new(job: Job<'m, F>, target: F::Target, state: F::State) -> Self {
        CompileCx { job, target, state, alloc: AllocStats::default(), fuel: u64::MAX }
    }
}

/// The companions of code from a text.
#[derive(Default)]
pub struct TextFixture {
    /// The first entries of the table of uniforms, each of one to four words. Where entries are single words, these follow each
    /// other.
    pub constants: Vec<Vec<u32>>,
    /// Rows of registers that indexed variables take from the allocator.
    pub rows: u32,
}

/// The answer of selection.
pub struct Selected<F: Family> {
    /// The machine code on virtual registers.
    pub code: MFunc<F::Target>,
    /// The machine that it is for.
    pub target: F::Target,
    /// The facts that later steps need.
    pub state: F::State,
}

/// Why an attempt ended.
pub struct AttemptError {
    /// The error that is reported if no other attempt follows.
    pub refused: Diagnostic,
    /// The chances of other attempts.
    pub cause: FailureKind,
}

/// The chances of other attempts after the end of one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FailureKind {
    /// This register file is too small.
    OutOf(&'static str),
    /// No other attempt can save enough.
    Hopeless,
    /// Anything else: the refusal says it.
    Refused,
}

impl From<Diagnostic> for AttemptError {
    fn from(refused: Diagnostic) -> AttemptError {
        AttemptError { refused, cause: FailureKind::Refused }
    }
}

impl AttemptError {
    /// An allocation that failed. `says` gives what the target has and what would help, as for [`AllocError::refusal`].
    pub fn allocation(
        e: AllocError,
        m: &Module,
        says: impl FnOnce(&OutOfRegisters) -> (String, String),
    ) -> AttemptError {
        let cause = match &e {
            AllocError::OutOfRegisters(o) => FailureKind::OutOf(o.file),
            AllocError::Invalid(_) => FailureKind::Refused,
        };
        AttemptError { refused: e.refusal(m, says), cause }
    }
}

/// Code that passes change, as the pass manager sees it.
pub trait IrUnit<F: Family> {
    /// Name of the function.
    fn name(&self) -> &str;

    /// Its text.
    fn text(&self, cx: &CompileCx<'_, F>) -> String;

    /// Runs the verifier, with registers of this form.
    ///
    /// # Errors
    /// The first broken rule.
    fn check(&self, cx: &CompileCx<'_, F>, form: Form) -> Result<(), String>;
}

impl<F: Family> IrUnit<F> for MFunc<F::Target> {
    fn name(&self) -> &str {
        &self.name
    }

    fn text(&self, cx: &CompileCx<'_, F>) -> String {
        print(self, &cx.target)
    }

    fn check(&self, cx: &CompileCx<'_, F>, form: Form) -> Result<(), String> {
        verify(self, &cx.target, form)
    }
}

impl<F: Family, I: Isa, X: Payload<I>> IrUnit<F> for EncodedFunc<I, X> {
    fn name(&self) -> &str {
        &self.name
    }

    fn text(&self, cx: &CompileCx<'_, F>) -> String {
        self.print(&cx.job.text_cx())
    }

    fn check(&self, cx: &CompileCx<'_, F>, _: Form) -> Result<(), String> {
        self.verify(&cx.job.text_cx())
    }
}

/// The action of a pass: changes the code and gives the number of its changes.
pub type Run<F, C> = fn(&mut C, &mut CompileCx<'_, F>) -> Result<u64, AttemptError>;

/// A pass on code of the type `C`: a machine pass, if nothing else is said.
pub struct Pass<F: Family, C = MFunc<<F as Family>::Target>> {
    /// The name for dumps, times and switches.
    pub name: &'static str,
    /// The lowest optimisation level at which it runs.
    pub level: u8,
    /// Whether code can be emitted without it.
    pub optional: bool,
    /// The state of registers when it has run.
    pub form: Form,
    /// Whether its number of changes is 0 only where it changes nothing.
    pub counts_all: bool,
    /// Whether code is whole only behind it: see [`Pass::completes`].
    pub is_completion: bool,
    run: Run<F, C>,
}

/// A pass on encoded code.
pub type TailPass<F> = Pass<F, <F as Family>::Encoded>;

impl<F: Family, C> Pass<F, C> {
    /// One that emission cannot do without.
    pub const fn lower(name: &'static str, run: Run<F, C>) -> Self {
        Pass { name, level: 0, optional: false, form: Form::Virtual, counts_all: true, is_completion: false, run }
    }

    /// One that makes better code, from a level on.
    pub const fn improve(name: &'static str, level: u8, run: Run<F, C>) -> Self {
        Pass { level, optional: true, ..Pass::lower(name, run) }
    }

    /// Runs it over code. Gives the number of changes.
    ///
    /// # Errors
    /// A refusal or a bug.
    pub fn run(&self, code: &mut C, cx: &mut CompileCx<'_, F>) -> Result<u64, AttemptError> {
        (self.run)(code, cx)
    }

    /// One whose number leaves out some of its changes. The verifier runs behind it, whatever it reports.
    #[must_use]
    pub const fn counts_some(mut self) -> Self {
        self.counts_all = false;
        self
    }

    /// The first of a list, which gives code the graph that selection left out. The verifier, texts that are read back and texts of
    /// tests begin behind it.
    #[must_use]
    pub const fn completes(mut self) -> Self {
        self.is_completion = true;
        self
    }

    /// The allocation, or one behind it.
    #[must_use]
    pub const fn physical(mut self) -> Self {
        self.form = Form::Physical;
        self
    }
}

/// The other input of a family's passes on the IR.
pub struct IrCx<'a, F: Family> {
    /// Index of the generation in [`Family::GENERATIONS`].
    pub generation: u8,
    /// The liberties of this attempt.
    pub strategy: &'a F::Strategy,
    /// Optimisation level, 0 to 3.
    pub level: u8,
}

/// A pass of a family on the IR. The manager of `gpucc-opt` runs it: dump, time, fuel and verifier are as for every other.
pub struct IrPass<F: Family> {
    /// The pass as the manager sees it.
    pub pass: gpucc_opt::Pass,
    /// The lowest optimisation level at which it runs.
    pub level: u8,
    /// Whether selection can do without it.
    pub optional: bool,
    run: Option<IrRun<F>>,
}

/// The action of a family's pass on the IR. It counts its changes with the context, which also says whether one may be made.
pub type IrRun<F> = fn(&mut Function, &mut PassCx<'_>, &IrCx<'_, F>);

impl<F: Family> IrPass<F> {
    /// One that selection cannot do without. It may change blocks and edges.
    pub const fn lower(name: &'static str, run: IrRun<F>) -> Self {
        let pass = gpucc_opt::Pass { name, keeps_order: false, keeps_graph: false, run: |_, _, _| {} };
        IrPass { pass, level: 0, optional: false, run: Some(run) }
    }

    /// One that makes better code, from a level on. It may change blocks and edges.
    pub const fn improve(name: &'static str, level: u8, run: IrRun<F>) -> Self {
        IrPass { level, optional: true, ..IrPass::lower(name, run) }
    }

    /// One of `gpucc-opt` that makes better code, from a level on.
    pub const fn shared(level: u8, pass: gpucc_opt::Pass) -> Self {
        IrPass { pass, level, optional: true, run: None }
    }

    /// Runs it over the manager's module.
    ///
    /// # Errors
    /// As [`gpucc_opt::Manager::run`].
    pub(crate) fn run(&self, manager: &mut gpucc_opt::Manager<'_>, how: &IrCx<'_, F>) -> Result<(), Diagnostic> {
        match self.run {
            Some(run) => manager.run_as(&self.pass, |f, cx, _| run(f, cx, how)),
            None => manager.run(&self.pass),
        }
    }
}

/// The output of emission.
#[derive(Default)]
pub struct EmittedProgram {
    /// Machine code of the program.
    pub code: Vec<u8>,
    /// Constant tables behind it.
    pub data: Vec<u8>,
    /// Address and location of each instruction, in order.
    pub locs: Vec<(u32, Loc)>,
    /// Registers, memory and family words; the driver adds the workgroup's size and the flags of the module.
    pub meta: Meta,
    /// Registers and uniforms to load at launch.
    pub preloads: Vec<Preload>,
    /// Computations of the launch, which preloads name.
    pub steps: Vec<LaunchStep>,
    /// The buffers and other resources that it uses.
    pub reflection: Reflection,
    /// Inputs and outputs of a vertex or fragment entry.
    pub interface: Vec<InterfaceRow>,
    /// Hardware registers that the code wants set.
    pub state: Vec<StateWord>,
    /// Statistics by name, in the family's order.
    pub stats: Vec<(&'static str, u64)>,
    /// What limits how many of these programs run at once: a statistic, `workgroup_size` or `none`. Empty where the family has no such
    /// number.
    pub limiter: &'static str,
    /// Amounts by which numbers must be smaller for more of them.
    pub more: Vec<Occupancy>,
}

/// One family of GPUs.
pub trait Family: Sized + Sync + 'static {
    /// The machine as the shared passes see it.
    type Target: Target;

    /// The means of a compile attempt (more registers, arrays in registers, spilling); a later attempt may give some of it up.
    type Strategy: Clone;

    /// The products of selection besides code: tables of constants and uniforms, places of variables, launch registers.
    type State;

    /// The code that the passes of the tail change: that of the table ([`EncodedFunc`]), or machine code where all passes are on that.
    type Encoded: IrUnit<Self>;

    /// Name as in targets.
    const NAME: &'static str;

    /// Generations, oldest first.
    const GENERATIONS: &'static [&'static str];

    /// Index of the generation that the bare name means.
    const DEFAULT_GENERATION: usize;

    /// The refusals of generations, whatever the shader's size.
    const UNSUPPORTED: &'static [Unsupported];

    /// The numbers that its programs have, in the order of pages: [`EmittedProgram::stats`] has each of them and no other.
    const STATISTICS: &'static [Statistic];

    /// The passes on the IR behind those that all targets share, in order. They run in front of selection, once for each [`Caps`].
    const IR_PASSES: &'static [IrPass<Self>] = &[];

    /// The machine passes, in order.
    const PASSES: &'static [Pass<Self>];

    /// The passes on encoded code, in order.
    const TAIL: &'static [TailPass<Self>] = &[];

    /// How ELF files of a generation look, where there are some.
    const CODE_OBJECT: Option<fn(u8) -> crate::CodeObject> = None;

    /// What its driver must know of all programs.
    const DRIVER_FACTS: DriverFacts;

    /// The names of the places and sources in its containers.
    const NAMES: gpucc_isa::Names = gpucc_isa::Names::NONE;

    /// The strategy of the first attempt.
    fn first(generation: u8, options: &CodegenOptions) -> Self::Strategy;

    /// The facts of the target-independent passes about programs of a stage.
    fn caps(generation: u8, stage: Stage, strategy: &Self::Strategy) -> Caps;

    /// The strategy of the next attempt after a refusal, if one may help. Each must ask for less than the one before.
    fn retry(job: &Job<'_, Self>, stop: &AttemptError, report: &Report) -> Option<Self::Strategy> {
        let _ = (job, stop, report);
        None
    }

    /// The programs that an entry point becomes, one by default: a program for each role, which the hardware starts apart. The module
    /// is the whole one. Memory that others see is written by all of them, so an entry that writes some should become one.
    fn roles(job: &Job<'_, Self>) -> &'static [ProgramRole] {
        let _ = job;
        &[ProgramRole::Main]
    }

    /// Chooses instructions.
    ///
    /// # Errors
    /// The lacks of the generation.
    fn select(job: &Job<'_, Self>) -> Result<Selected<Self>, AttemptError>;

    /// The machine, and the state of code that comes from a text: nothing but what is given.
    fn bare(job: &Job<'_, Self>, given: &TextFixture) -> (Self::Target, Self::State);

    /// Offset of a variable in the workgroup memory that the machine checks for races, if it does.
    fn variable(cx: &CompileCx<'_, Self>, place: Place) -> Option<u32> {
        let _ = (cx, place);
        None
    }

    /// Makes of what the machine passes left what the passes of the tail change.
    ///
    /// # Errors
    /// A bug.
    fn encode(code: MFunc<Self::Target>, cx: &mut CompileCx<'_, Self>) -> Result<Self::Encoded, Diagnostic>;

    /// Makes bytes of what all passes left.
    ///
    /// # Errors
    /// A program that does not fit, or a bug.
    fn emit(code: &Self::Encoded, cx: &CompileCx<'_, Self>) -> Result<EmittedProgram, Diagnostic>;

    /// What instructions keep busy, in the order of the code, for reports by source line. Nothing where the table has no costs.
    fn costs(code: &Self::Encoded) -> Vec<InstCost> {
        let _ = code;
        Vec::new()
    }

    /// Disassembles code of a stage (a bit of [`gpucc_isa::stage`]), with what is to be said besides.
    fn program_text(code: &[u8], generation: u8, stage: u8, notes: &Notes<'_>) -> String;
}
