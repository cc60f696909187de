//! Compiles a module to a container: one entry point and target at a time, panics caught.

use std::cell::RefCell;
use std::hash::{Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Once, OnceLock};

use gpucc_container::Container;
use gpucc_driver::{CodegenOptions, Output, SharedPasses};
use gpucc_ir::{Class, Diagnostic, Label, Module, Refusal, Space, VarData};

use crate::Target;
use crate::listing::{self, Source};

/// The target to compile for, and how.
#[derive(Clone, Debug)]
pub struct Options {
    /// The target: family and generation.
    pub target: Target,
    /// Options of code generation.
    pub codegen: CodegenOptions,
}

impl Options {
    /// Defaults for a target: level 2. Entry points, overrides and robustness are of the module: see
    /// [`FrontOptions`](crate::frontend::FrontOptions).
    pub fn new(target: Target) -> Options {
        Options { target, codegen: CodegenOptions::default() }
    }
    /// Sets the optimisation level, 0 to 3.
    pub fn opt(mut self, level: u8) -> Options {
        self.codegen.opt_level = level;
        self
    }
}

/// A compiled module: one or more entry points for one target.
#[derive(Clone, Debug)]
pub struct Artifact {
    target: Target,
    options_hash: u64,
    outputs: Vec<Output>,
    /// Made when somebody asks: statistics are about the outputs alone.
    container: OnceLock<Container>,
}

impl Artifact {
    /// The container as a value.
    pub fn container(&self) -> &Container {
        let number = |s: &str| s.parse().unwrap_or(0);
        self.container.get_or_init(|| Container {
            family: self.target.family().into(),
            generation: self.target.generation().into(),
            compiler: [
                number(env!("CARGO_PKG_VERSION_MAJOR")),
                number(env!("CARGO_PKG_VERSION_MINOR")),
                number(env!("CARGO_PKG_VERSION_PATCH")),
            ],
            options_hash: self.options_hash,
            entries: self.outputs.iter().map(|o| o.entry.clone()).collect(),
        })
    }
    /// The container as the bytes a driver loads.
    pub fn bytes(&self) -> Vec<u8> {
        self.container().write()
    }
    /// Machine code of all entry points in source order, nothing between them.
    pub fn code(&self) -> Vec<u8> {
        self.outputs.iter().flat_map(|o| o.entry.code.iter().copied()).collect()
    }
    /// The backend's answer for each entry point.
    pub fn outputs(&self) -> &[Output] {
        &self.outputs
    }
    /// Assembly listing of all entry points; an assembler makes [`Artifact::code`] of it.
    pub fn listing(&self) -> String {
        self.listing_with(None)
    }
    /// [`Artifact::listing`] with lines of the source in comments.
    pub fn listing_with(&self, source: Option<Source<'_>>) -> String {
        let (b, g) = (self.target.backend(), self.target.generation_index());
        let mut out = listing::head(&self.target.to_string(), self.container().entries.iter(), source);
        let parts = listing::programs(self.outputs.iter().map(|o| &o.entry));
        for (i, e) in parts.iter().enumerate() {
            let place = (i, parts.len());
            out +=
                &listing::entry(e, Some(&b.names()), place, source, |notes| b.program_text(&e.code, g, e.stage, notes));
        }
        out
    }
    /// The target that it was compiled for.
    pub fn target(&self) -> Target {
        self.target
    }
    /// One artifact with the entries of both, those of `other` behind. Both are for one target.
    pub fn joined(mut self, other: Artifact) -> Artifact {
        debug_assert_eq!(self.target, other.target);
        self.options_hash = self.options_hash.rotate_left(1) ^ other.options_hash;
        self.outputs.extend(other.outputs);
        self.container = OnceLock::new();
        self
    }
}

thread_local! {
    /// Place and text of the last panic on this thread, as the hook saw it.
    static PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
    /// Whether a panic on this thread will be caught and reported here.
    static CATCHING: RefCell<bool> = const { RefCell::new(false) };
}

/// Runs `f`; a panic becomes a diagnostic of class `Internal` that says where it happened.
///
/// # Errors
/// The result of `f`, or the panic.
pub fn guarded<T>(what: &str, f: impl FnOnce() -> Result<T, Diagnostic>) -> Result<T, Diagnostic> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if CATCHING.with(|c| *c.borrow()) {
                PANIC.with(|p| *p.borrow_mut() = Some(info.to_string()));
            } else {
                before(info);
            }
        }));
    });
    let outer = CATCHING.with(|c| c.replace(true));
    let result = catch_unwind(AssertUnwindSafe(f));
    CATCHING.with(|c| c.replace(outer));
    let result = result.map(|r| r.map_err(|d| if d.class == Class::Internal { with_place(d) } else { d }));
    result.unwrap_or_else(|_| {
        let text = PANIC.with(|p| p.borrow_mut().take()).unwrap_or_else(|| "unknown panic".into());
        Err(with_place(Diagnostic::internal("panic", format!("compiler bug while compiling {what}: {text}"))))
    })
}

/// Adds to a compiler bug pass, function and instruction.
fn with_place(mut d: Diagnostic) -> Diagnostic {
    if let Some(at) = gpucc_ir::trace::current() {
        d = d.note(format!("in {at}"));
    }
    d.note("please report this with the shader")
}

/// A hasher whose answer is the same on every machine: numbers go in as 64 bits each, bytes as numbers of eight of them, the first
/// one lowest. Each step is that of FNV-1a, for a whole number at once, with the upper half mixed into the lower.
#[derive(Clone, Copy)]
struct StableHasher(u64);

impl Default for StableHasher {
    fn default() -> Self {
        StableHasher(0xcbf2_9ce4_8422_2325)
    }
}

/// Methods of a hasher that add a number as 64 bits.
macro_rules! wide {
    ($($method:ident $type:ty;)*) => {
        $(fn $method(&mut self, n: $type) {
            let mixed = (self.0 ^ n as u64).wrapping_mul(0x0000_0100_0000_01b3);
            self.0 = mixed ^ (mixed >> 32);
        })*
    };
}

impl Hasher for StableHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for part in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..part.len()].copy_from_slice(part);
            self.write_u64(u64::from_le_bytes(word));
        }
    }
    wide! {
        write_u8 u8; write_u16 u16; write_u32 u32; write_u64 u64; write_usize usize;
        write_i8 i8; write_i16 i16; write_i32 i32; write_i64 i64; write_isize isize;
    }
}

/// State shared by several compiles of one module.
struct Sharing {
    passes: SharedPasses,
    /// The hash of the module, once it was asked for.
    hash: Option<StableHasher>,
}

impl Sharing {
    /// Nothing shared, for one compile.
    fn none() -> Self {
        Sharing { passes: SharedPasses::none(), hash: None }
    }
}

/// A stable 64-bit hash of what decides the output; that of the module is kept for the next time.
fn options_hash(module: &Module, names: &[&str], o: &Options, kept: &mut Option<StableHasher>) -> u64 {
    let mut hash = *kept.get_or_insert_with(|| {
        let mut hash = StableHasher::default();
        module.hash(&mut hash);
        hash
    });
    (names, o.codegen.choices()).hash(&mut hash);
    hash.finish()
}

/// Adds to the refusal of a shader that is too big for a chip the largest of what it is too big by, and what would help.
fn explain(mut d: Diagnostic, module: &Module, entry: &str) -> Diagnostic {
    let entry = module.entries.iter().find(|e| e.name == entry);
    let largest = |space: Space| {
        let locals = entry.into_iter().flat_map(|e| module.funcs[e.func].locals.iter()).map(|(_, v)| v);
        let variables = module.globals.iter().map(|(_, v)| v).chain(locals);
        variables.filter(|v| v.space == space).max_by_key(|v| v.size).cloned()
    };
    // The primary place: what takes most of it.
    let first = |d: &mut Diagnostic, v: Option<VarData>| {
        if let Some(v) = v.filter(|v| v.span.is_known()) {
            d.labels.insert(0, Label { span: v.span, text: format!("the largest variable: {} bytes", v.size) });
        }
    };
    let Some(code) = d.refusal() else { return d };
    let help = match code {
        Refusal::WorkgroupMemory => {
            first(&mut d, largest(Space::Workgroup));
            "fewer or smaller workgroup variables would help"
        }
        Refusal::PrivateMemory => {
            let both = [largest(Space::Function), largest(Space::Private)];
            first(&mut d, both.into_iter().flatten().max_by_key(|v| v.size));
            "smaller arrays would help"
        }
        Refusal::OutOfRegisters => "smaller arrays or fewer values that live at once would help",
        Refusal::OutOfUniforms => "fewer constants and uniform values would help",
        Refusal::ProgramSize => "splitting the shader into several dispatches would help",
        Refusal::WorkgroupSize => "a smaller @workgroup_size would help",
        _ => return d,
    };
    if !d.labels.iter().any(|l| l.span.is_known())
        && let Some(e) = entry
    {
        d = d.at(e.span, "this entry point");
    }
    if !d.notes.iter().any(|n| n.contains("would help")) {
        d = d.note(help);
    }
    d
}

/// Compiles every entry point of a module for one target.
///
/// # Errors
/// The first entry point that is refused, or a compiler bug (class `Internal`).
pub fn compile(module: &Module, options: &Options) -> Result<Artifact, Diagnostic> {
    let names: Vec<&str> = module.entries.iter().map(|e| e.name.as_str()).collect();
    if names.is_empty() {
        return Err(Diagnostic::invalid("no-entry", "the shader has no entry point"));
    }
    compile_named(module, &names, options, &mut Sharing::none())
}

/// Compiles one entry point of a module that may have several.
///
/// # Errors
/// There is none of that name, it is refused, or a compiler bug (class `Internal`).
pub fn compile_entry(module: &Module, name: &str, options: &Options) -> Result<Artifact, Diagnostic> {
    check_entry(module, name)?;
    compile_named(module, &[name], options, &mut Sharing::none())
}

/// Compiles one entry point for several targets. The target-independent passes run once for each distinct set of capabilities;
/// the code is that of [`compile_entry`].
pub fn compile_entry_for(
    module: &Module,
    name: &str,
    targets: &[Target],
    codegen: &CodegenOptions,
) -> Vec<Result<Artifact, Diagnostic>> {
    // Of a target alone nothing need be kept.
    let passes = if targets.len() > 1 { SharedPasses::new() } else { SharedPasses::none() };
    let mut shared = Sharing { passes, hash: None };
    let one = |&target: &Target| {
        let options = Options { target, codegen: codegen.clone() };
        check_entry(module, name).and_then(|()| compile_named(module, &[name], &options, &mut shared))
    };
    targets.iter().map(one).collect()
}

/// Compiles one entry point with what the target-independent passes made of it for other targets by the same options: `passes` is of this
/// entry point and these options alone. The code is that of [`compile_entry`].
///
/// # Errors
/// As [`compile_entry`].
pub fn compile_entry_sharing(
    module: &Module,
    name: &str,
    options: &Options,
    passes: &mut SharedPasses,
) -> Result<Artifact, Diagnostic> {
    check_entry(module, name)?;
    let mut shared = Sharing { passes: core::mem::take(passes), hash: None };
    let made = compile_named(module, &[name], options, &mut shared);
    *passes = shared.passes;
    made
}

/// That there is an entry point of this name.
fn check_entry(module: &Module, name: &str) -> Result<(), Diagnostic> {
    if module.entry(name).is_some() {
        return Ok(());
    }
    let there: Vec<&str> = module.entries.iter().map(|e| e.name.as_str()).collect();
    let list = if there.is_empty() { "none".to_string() } else { there.join(", ") };
    Err(Diagnostic::invalid("no-entry", format!("no entry point `{name}`; available: {list}")))
}

/// That there is such a level, and that the pipeline has what the entry points read and give.
fn check_options(module: &Module, names: &[&str], options: &Options) -> Result<(), Diagnostic> {
    let o = &options.codegen;
    if o.opt_level > 3 {
        return Err(Diagnostic::invalid(
            "level",
            format!("there is no optimisation level {}: it is 0 to 3", o.opt_level),
        ));
    }
    let Some(state) = o.context.as_ref().map(|a| &a.pipeline).or(o.pipeline.as_deref()) else { return Ok(()) };
    let mut entries = names.iter().filter_map(|name| module.entries.iter().find(|e| e.name == *name));
    entries.try_for_each(|e| crate::fit::fits(e, state))
}

/// `shared` is used for a single entry point alone.
fn compile_named(
    module: &Module,
    names: &[&str],
    options: &Options,
    shared: &mut Sharing,
) -> Result<Artifact, Diagnostic> {
    let target = options.target;
    check_options(module, names, options)?;
    let mut outputs = Vec::new();
    for name in names {
        let what = format!("`{name}` for {target}");
        let mut none = SharedPasses::none();
        let passes = if names.len() == 1 { &mut shared.passes } else { &mut none };
        let (backend, generation) = (target.backend(), target.generation_index());
        let output = guarded(&what, || backend.compile_sharing(module, name, generation, &options.codegen, passes));
        let mut output = output.map_err(|d| explain(d, module, name))?;
        output.entry.facts = crate::facts::of(module, &output);
        outputs.push(output);
    }
    let options_hash = options_hash(module, names, options, &mut shared.hash);
    Ok(Artifact { target, options_hash, outputs, container: OnceLock::new() })
}
