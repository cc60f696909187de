//! Compiles and runs one dispatch, on the IR interpreter or on a machine.

use gpucc_container::Container;
use gpucc_driver::{Backend, CodegenOptions, SharedPasses};
use gpucc_frontend_naga as frontend;
use gpucc_interp::{OracleProgram, Profile};
use gpucc_ir::{Class, Diagnostic, Module, Op, Refusal};
use gpucc_opt::{Caps, FetchCaps, IoCaps, OpSet, SamplerCaps, TexCaps};
use gpucc_sim::{Dispatch, RunOptions, RunReport, Trap};
use std::cell::RefCell;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

/// A scalar target that lacks most of what can be written with other ops.
pub const POOR: Caps = Caps {
    scalar: true,
    expand_bool_select: true,
    prefer_mul24: true,
    offset_fold: 4095,
    merge_access: 16,
    select_array_bytes: 256,
    expand: OpSet::of(&[
        Op::UDiv,
        Op::URem,
        Op::SDiv,
        Op::SRem,
        Op::UMulHi,
        Op::SMulHi,
        Op::Popcount,
        Op::Clz,
        Op::Ctz,
        Op::BitReverse,
        Op::UBitExtract,
        Op::SBitExtract,
        Op::BitInsert,
        Op::FShr,
        Op::BitSel,
        Op::UDot4x8,
        Op::SDot4x8,
        Op::FSign,
        Op::FSat,
        Op::FFract,
        Op::FRoundEven,
        Op::FDiv,
        Op::FRem,
        Op::FLdexp,
        Op::FDot,
        Op::ExtractDyn,
        Op::InsertDyn,
        Op::PackUnorm4x8,
        Op::PackSnorm4x8,
        Op::UnpackUnorm4x8,
        Op::UnpackSnorm4x8,
        Op::PackUnorm2x16,
        Op::PackSnorm2x16,
    ]),
    ..Caps::FULL
};

/// The same with the least of textures and of inputs and outputs of stages that there is a lowering for.
pub const MINIMAL: Caps = Caps {
    tex: TexCaps::MINIMAL,
    sampler: SamplerCaps::MINIMAL,
    fetch: FetchCaps::MINIMAL,
    io: IoCaps::MINIMAL,
    ..POOR
};

/// A target with everything that the IR has.
pub const RICH: Caps = Caps { funnel: true, bit_select: true, bit_field: true, ..Caps::FULL };

/// The code that a back end makes of one entry point.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The container that a driver would load.
    pub container: Container,
    /// The IR that selection read.
    pub ir: Module,
}

/// Compiles one entry point for a device.
pub type CompileFn = fn(&Device, &Module, &str, &CodegenOptions) -> Result<Compiled, Diagnostic>;

/// Launches a container: `(container, entry, dispatch, options)`.
pub type RunFn = fn(&Container, Option<&str>, &mut Dispatch, &RunOptions) -> Result<RunReport, Trap>;

/// One generation of a family: its back end, and the machine that runs the code.
#[derive(Clone, Copy)]
pub struct Device {
    /// The back end.
    pub backend: &'static dyn Backend,
    /// Index of the generation.
    pub generation: usize,
    /// How entry points are compiled: [`compile`], or a way of the caller's that catches panics.
    pub compile: CompileFn,
    /// The machine.
    pub run: RunFn,
}

impl Device {
    /// The device of a family's generation.
    pub fn new(backend: &'static dyn Backend, run: RunFn, generation: usize) -> Device {
        Device { backend, generation, compile, run }
    }

    /// Name of the generation.
    pub fn generation_name(&self) -> &'static str {
        self.backend.generations()[self.generation]
    }

    /// Compiles an entry point.
    ///
    /// # Errors
    /// Refusal or compiler bug.
    pub fn compile(&self, module: &Module, entry: &str, codegen: &CodegenOptions) -> Result<Compiled, Problem> {
        (self.compile)(self, module, entry, codegen).map_err(|d| problem(&[d]))
    }

    /// Runs what was compiled, in place on the buffers of `dispatch`.
    ///
    /// # Errors
    /// A trap.
    pub fn launch(
        &self,
        compiled: &Compiled,
        entry: &str,
        dispatch: &mut Dispatch,
        run: &RunOptions,
    ) -> Result<RunReport, Problem> {
        (self.run)(&compiled.container, Some(entry), dispatch, run).map_err(|t| Problem::Trap(t.to_string()))
    }
}

impl PartialEq for Device {
    fn eq(&self, o: &Device) -> bool {
        self.backend.family() == o.backend.family() && self.generation == o.generation
    }
}

impl Eq for Device {}

impl std::fmt::Display for Device {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.backend.family(), self.generation_name())
    }
}

impl std::fmt::Debug for Device {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

/// What the target-independent passes made of an entry point, with the hash of its module and the options.
type Passed = (u64, String, CodegenOptions, SharedPasses);

/// Entry points and options of which a thread keeps that: the levels of one program.
const PASSED: usize = 4;

thread_local! {
    /// Those that this thread compiled last, the newest at the end: tests compile a program for one target after the other.
    static PASSES: RefCell<Vec<Passed>> = const { RefCell::new(Vec::new()) };
}

fn hash_of(module: &Module) -> u64 {
    let mut hash = DefaultHasher::new();
    module.hash(&mut hash);
    hash.finish()
}

/// Calls a compile of an entry point with what the passes made of it for other targets on this thread. They work by the capabilities of a
/// target, so the result is the same, and the passes run once for each set of capabilities.
pub fn sharing<R>(
    module: &Module,
    entry: &str,
    codegen: &CodegenOptions,
    compile: impl FnOnce(&mut SharedPasses) -> R,
) -> R {
    let hash = hash_of(module);
    let known = PASSES.with_borrow_mut(|list| {
        let at = list.iter().position(|p| p.0 == hash && p.1 == entry && p.2 == *codegen)?;
        Some(list.remove(at))
    });
    let mut passed = known.unwrap_or_else(|| (hash, entry.into(), codegen.clone(), SharedPasses::new()));
    let made = compile(&mut passed.3);
    PASSES.with_borrow_mut(|list| {
        if list.len() == PASSED {
            list.remove(0);
        }
        list.push(passed);
    });
    made
}

/// Compiles an entry point straight with its back end, through the bytes that a driver would load.
///
/// # Errors
/// The back end's answer.
pub fn compile(
    device: &Device,
    module: &Module,
    entry: &str,
    codegen: &CodegenOptions,
) -> Result<Compiled, Diagnostic> {
    let out = sharing(module, entry, codegen, |passes| {
        device.backend.compile_sharing(module, entry, device.generation, codegen, passes)
    })?;
    let container = Container::of(device.backend.family(), device.generation_name(), vec![out.entry]);
    let container = Container::read(&container.write())
        .map_err(|e| Diagnostic::internal("container", format!("the container does not read back: {e}")))?;
    Ok(Compiled { container, ir: out.ir })
}

/// The targets that a test asks for, narrowed by the environment: with `GPUCC_TARGETS=gcn,tesla:nv50` a test that names all
/// targets runs on these alone. Every test that names targets asks here.
///
/// # Panics
/// The variable leaves no target and is no list of names.
pub fn wanted<T: Clone + std::fmt::Display>(targets: &[T]) -> Vec<T> {
    let Ok(list) = std::env::var("GPUCC_TARGETS") else { return targets.to_vec() };
    let named = |t: &T| {
        let name = t.to_string();
        list.split(',').map(str::trim).any(|w| w == name || name.split(':').next() == Some(w))
    };
    targets.iter().filter(|t| named(t)).cloned().collect()
}

/// For what target the target-independent passes work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum For {
    /// One with everything the IR has: [`RICH`].
    Rich,
    /// A scalar one with few ops: [`POOR`].
    Poor,
    /// The same with poor textures, inputs and outputs: [`MINIMAL`].
    Minimal,
}

impl For {
    /// All of them.
    pub const ALL: [For; 3] = [For::Rich, For::Poor, For::Minimal];

    /// The name of the place on command lines.
    pub const fn name(self) -> &'static str {
        match self {
            For::Rich => "passes",
            For::Poor => "lowered",
            For::Minimal => "minimal",
        }
    }

    /// The abilities of the target.
    pub const fn caps(self) -> Caps {
        match self {
            For::Rich => RICH,
            For::Poor => POOR,
            For::Minimal => MINIMAL,
        }
    }
}

/// Where to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum On {
    /// The IR interpreter, on the frontend's IR.
    Interp,
    /// The IR interpreter, after the target-independent passes.
    Passes(For),
    /// A machine, on compiled bytes.
    Machine(Device),
}

impl std::fmt::Display for On {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            On::Interp => f.write_str("interp"),
            On::Passes(target) => f.write_str(target.name()),
            On::Machine(t) => t.fmt(f),
        }
    }
}

/// Why a dispatch has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// The frontend or the target refuses it (class `Unsupported`): the codes, and what it says.
    Refused(Vec<Refusal>, String),
    /// The input is wrong.
    Invalid(String),
    /// The compiler is broken.
    Bug(String),
    /// The run trapped.
    Trap(String),
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Problem::Refused(codes, m) => {
                let names: Vec<&str> = codes.iter().map(|c| c.name()).collect();
                write!(f, "refused ({}): {m}", names.join(", "))
            }
            Problem::Invalid(m) => write!(f, "invalid: {m}"),
            Problem::Bug(m) => write!(f, "compiler bug: {m}"),
            Problem::Trap(m) => write!(f, "trap: {m}"),
        }
    }
}

/// The class of diagnostics.
pub fn problem(list: &[Diagnostic]) -> Problem {
    let text = |c: Class| {
        let of = list.iter().filter(|d| d.class == c);
        of.map(|d| {
            std::iter::once(d.message.as_str()).chain(d.notes.iter().map(String::as_str)).collect::<Vec<_>>().join("; ")
        })
        .collect::<Vec<_>>()
        .join("; ")
    };
    if list.iter().any(|d| d.class == Class::Internal) {
        Problem::Bug(text(Class::Internal))
    } else if list.iter().any(|d| d.class == Class::Invalid) {
        Problem::Invalid(text(Class::Invalid))
    } else {
        let mut codes: Vec<Refusal> = list.iter().filter_map(Diagnostic::refusal).collect();
        codes.sort_unstable();
        codes.dedup();
        Problem::Refused(codes, text(Class::Unsupported))
    }
}

/// Lowers WGSL.
///
/// # Errors
/// The messages of the frontend.
pub fn lower(wgsl: &str, entry: &str, overrides: &[(String, f64)]) -> Result<Module, Problem> {
    let options = frontend::Options {
        entry: Some(entry.into()),
        overrides: overrides.to_vec(),
        robust: true,
        ..frontend::Options::default()
    };
    let parsed = frontend::parse(frontend::Input::text(wgsl), frontend::Lang::Wgsl).map_err(|list| problem(&list))?;
    let mut module = frontend::lower(&parsed, &options).map_err(|list| problem(&list))?;
    module.set_source_text(wgsl.as_bytes());
    Ok(module)
}

/// A program that is ready to run.
enum Ready {
    Oracle(Box<(OracleProgram, Profile)>),
    Code(Box<Compiled>),
}

/// A program and its inputs, or why there is none.
type Kept = (Key, Rc<Result<Ready, Problem>>);

/// The inputs of [`ready`].
struct Key {
    /// The hash of the module.
    module: u64,
    entry: String,
    on: On,
    codegen: CodegenOptions,
}

impl Key {
    fn is(&self, o: &Key) -> bool {
        let same_place = match (self.on, o.on) {
            (On::Machine(a), On::Machine(b)) => a == b && std::ptr::fn_addr_eq(a.compile, b.compile),
            (a, b) => a == b,
        };
        same_place && self.module == o.module && self.entry == o.entry && self.codegen == o.codegen
    }
}

/// Programs that a thread keeps.
const KEPT: usize = 4;

thread_local! {
    /// The programs that this thread ran last, the newest at the end: tests run one under many seeds, and with many inputs.
    static LAST: RefCell<Vec<Kept>> = const { RefCell::new(Vec::new()) };
}

/// The program of an entry point: one that this thread ran a moment ago, or a new one.
fn ready(module: &Module, entry: &str, on: On, codegen: &CodegenOptions) -> Rc<Result<Ready, Problem>> {
    let key = Key { module: hash_of(module), entry: entry.into(), on, codegen: codegen.clone() };
    if let Some(known) = LAST.with_borrow(|list| list.iter().find(|p| p.0.is(&key)).map(|p| Rc::clone(&p.1))) {
        return known;
    }
    let new = Rc::new(prepare(module, entry, on, codegen));
    LAST.with_borrow_mut(|list| {
        if list.len() == KEPT {
            list.remove(0);
        }
        list.push((key, Rc::clone(&new)));
    });
    new
}

fn prepare(module: &Module, entry: &str, on: On, codegen: &CodegenOptions) -> Result<Ready, Problem> {
    let oracle = |module: &Module, profile| match OracleProgram::new(module, entry) {
        Ok(p) => Ok(Ready::Oracle(Box::new((p, profile)))),
        Err(t) => Err(Problem::Trap(t.to_string())),
    };
    match on {
        On::Interp => oracle(module, Profile::default()),
        On::Passes(target) => {
            let caps = target.caps();
            let o = gpucc_opt::Options { level: codegen.opt_level, verify: true, ..gpucc_opt::Options::default() };
            let (module, _) = gpucc_opt::prepare(module, entry, &caps, &o).map_err(|d| problem(&[d]))?;
            // Passes know the size of the target's subgroups.
            let mut profile = Profile::default();
            if caps.subgroup != 0 {
                profile.subgroup_size = caps.subgroup;
            }
            oracle(&module, profile)
        }
        On::Machine(device) => device.compile(module, entry, codegen).map(|c| Ready::Code(Box::new(c))),
    }
}

/// Runs a module in place on the buffers of `dispatch`. Memory starts as garbage of `perturb`, if given. Runs of one program that follow
/// each other on a thread compile it once.
///
/// # Errors
/// Refusal, compiler bug or trap.
pub fn run(
    module: &Module,
    entry: &str,
    on: On,
    codegen: &CodegenOptions,
    dispatch: &mut Dispatch,
    run: &RunOptions,
) -> Result<RunReport, Problem> {
    match (&*ready(module, entry, on, codegen), on) {
        (Ok(Ready::Oracle(oracle)), _) => {
            let (p, profile) = &**oracle;
            p.run(dispatch, run, profile).map(|o| o.report).map_err(|t| Problem::Trap(t.to_string()))
        }
        (Ok(Ready::Code(compiled)), On::Machine(device)) => device.launch(compiled, entry, dispatch, run),
        (Ok(Ready::Code(_)), _) => Err(Problem::Bug("code of a machine for the interpreter".into())),
        (Err(p), _) => Err(p.clone()),
    }
}
