//! Compiles a module to an output.

use core::marker::PhantomData;

use gpucc_container::{Entry, LineEntry, Meta, ProgramRole, Stage, Variable, flags};
use gpucc_ir::analysis::StageUse;
use gpucc_ir::trace::{self, Watch};
use gpucc_ir::{Diagnostic, Loc, Module, Place, Space, StageInfo, Subgroups, Unsupported};
use gpucc_isa::Notes;
use gpucc_opt::support::Chip;
use gpucc_opt::{BindingFacts, Caps, Report};

use crate::backend::{Backend, CodegenOptions, Output, SharedPasses, context_in, default_pipeline, stage_of};
use crate::family::{AttemptError, CompileCx, Family, IrCx, IrUnit, Job, Selected};
use crate::interface::flags_of;
use crate::line_costs::{self, LineCosts};
use crate::pass;
use crate::programs;
use crate::races::race_marks;

/// A family as a [`Backend`].
pub struct Driver<F>(PhantomData<F>);

impl<F> Driver<F> {
    /// The one instance of the driver.
    pub const fn new() -> Driver<F> {
        Driver(PhantomData)
    }
}

impl<F> Default for Driver<F> {
    fn default() -> Self {
        Driver::new()
    }
}

impl<F: Family> Backend for Driver<F> {
    fn family(&self) -> &'static str {
        F::NAME
    }

    fn generations(&self) -> &'static [&'static str] {
        F::GENERATIONS
    }

    fn default_generation(&self) -> usize {
        F::DEFAULT_GENERATION
    }

    fn unsupported(&self) -> &'static [Unsupported] {
        F::UNSUPPORTED
    }

    fn statistics(&self) -> &'static [crate::statistics::Statistic] {
        F::STATISTICS
    }

    fn caps(&self, generation: usize, stage: gpucc_ir::Stage) -> Caps {
        let generation = generation as u8;
        F::caps(generation, stage, &F::first(generation, &CodegenOptions::default()))
    }

    fn passes(&self) -> Vec<&'static str> {
        pass::names::<F>()
    }

    fn compile_sharing(
        &self,
        module: &Module,
        entry: &str,
        generation: usize,
        options: &CodegenOptions,
        shared: &mut SharedPasses,
    ) -> Result<Output, Diagnostic> {
        compile::<F>(module, entry, generation as u8, options, shared)
    }

    fn names(&self) -> gpucc_isa::Names {
        F::NAMES
    }

    fn driver_facts(&self) -> crate::DriverFacts {
        F::DRIVER_FACTS
    }

    fn code_object(&self, generation: usize) -> Option<crate::CodeObject> {
        F::CODE_OBJECT.map(|f| f(generation as u8))
    }

    fn program_text(&self, code: &[u8], generation: usize, stage: Stage, notes: &Notes<'_>) -> String {
        F::program_text(code, generation as u8, stage.bit(), notes)
    }
}

/// A module that the target-independent passes have prepared.
struct Prepared {
    caps: Caps,
    module: Module,
    report: Report,
}

fn prepare<F: Family>(
    module: &Module,
    name: &str,
    (generation, stage): (u8, gpucc_ir::Stage),
    strategy: &F::Strategy,
    o: &CodegenOptions,
    shared: &mut SharedPasses,
) -> Result<Prepared, Diagnostic> {
    let caps = F::caps(generation, stage, strategy);
    let pipeline = gpucc_opt::Options {
        level: o.opt_level,
        verify: o.verify || cfg!(debug_assertions),
        dump_after: o.dump_after.clone(),
        fuel: o.fuel,
        fuel_of: o.fuel_of.clone(),
        skip: o.skip_passes.clone(),
        stop_after: o.prepared.then(|| "inline".into()),
        measure: o.time_passes,
        context: o.context.clone(),
        bound: o.bound.clone(),
        ..gpucc_opt::Options::default()
    };
    let (module, report) = shared.prepare(module, name, &caps, &caps.seen_by(module, stage), &pipeline)?;
    let chip = Chip { family: F::NAME, generation: F::GENERATIONS[generation as usize], unsupported: F::UNSUPPORTED };
    gpucc_opt::support::check(&module, &chip, &caps, o.context.as_deref().map(|a| &a.pipeline), &o.bound)?;
    // A module that is prepared stopped the first list, not this one.
    let pipeline = gpucc_opt::Options { stop_after: None, ..pipeline };
    let mut manager = gpucc_opt::Manager::new(module, report, &caps, &pipeline);
    let how = IrCx { generation, strategy, level: o.opt_level };
    for p in F::IR_PASSES.iter().filter(|p| p.level <= o.opt_level) {
        let left_out = o.skip_passes.iter().any(|s| s == p.pass.name) || !manager.has_fuel(p.pass.name);
        if !(p.optional && left_out) {
            p.run(&mut manager, &how)?;
        }
    }
    let (module, report) = manager.finish()?;
    Ok(Prepared { caps, module, report })
}

/// The stage of an entry point that does not exist: the passes refuse it.
const NO_STAGE: StageInfo = StageInfo::Compute { workgroup_size: [1; 3], subgroups: Subgroups::ANY };

/// Compiles in the first strategy that the chip has room for.
fn compile<F: Family>(
    module: &Module,
    name: &str,
    generation: u8,
    o: &CodegenOptions,
    shared: &mut SharedPasses,
) -> Result<Output, Diagnostic> {
    // Code of a vertex or fragment entry depends on its pipeline; without one it is the default.
    let stage = module.entry(name).map(|e| &e.stage);
    let kind = stage.map_or(gpucc_ir::Stage::Compute, gpucc_ir::StageInfo::kind);
    let (own, bound);
    let o = match &o.pipeline {
        Some(p) if o.bound.samplers.is_empty() && !p.samplers.is_empty() => {
            let samplers = p.samplers.clone();
            bound = CodegenOptions { bound: BindingFacts { samplers, ..o.bound.clone() }, ..o.clone() };
            &bound
        }
        _ => o,
    };
    let o = match stage.filter(|_| kind != gpucc_ir::Stage::Compute) {
        Some(stage) if o.context.is_none() => {
            let context = match &o.pipeline {
                Some(p) => context_in(module, stage, p),
                None => default_pipeline(stage),
            };
            // Textures are as ordinary as the targets.
            let wide = o.bound.wide.clone().or_else(|| o.pipeline.is_none().then(Vec::new));
            let bound = BindingFacts { wide, ..o.bound.clone() };
            own = CodegenOptions { context: Some(Box::new(context)), bound, ..o.clone() };
            &own
        }
        _ => o,
    };
    let source = stage.unwrap_or(&NO_STAGE);
    let mut strategy = F::first(generation, o);
    let mut last: Option<Prepared> = None;
    loop {
        let same = last.take().filter(|p| p.caps == F::caps(generation, kind, &strategy));
        let prepared = match same {
            Some(p) => p,
            None => prepare::<F>(module, name, (generation, kind), &strategy, o, shared)?,
        };
        let watch = o.time_passes.then(Watch::start);
        let role = ProgramRole::Main;
        let job = Job {
            module: &prepared.module,
            whole: &prepared.module,
            generation,
            options: o,
            strategy: strategy.clone(),
            source,
            role,
        };
        match attempt::<F>(job, &prepared.report, watch) {
            Ok(done) => return Ok(Output { ir: prepared.module, ..done }),
            Err(stop) => {
                let job: Job<'_, F> = Job {
                    module: &prepared.module,
                    whole: &prepared.module,
                    generation,
                    options: o,
                    strategy,
                    source,
                    role,
                };
                match F::retry(&job, &stop, &prepared.report) {
                    Some(next) => strategy = next,
                    None => return Err(stop.refused),
                }
            }
        }
        last = Some(prepared);
    }
}

fn attempt<F: Family>(mut job: Job<'_, F>, report: &Report, watch: Option<Watch>) -> Result<Output, AttemptError> {
    let (o, m) = (job.options, job.module);
    let roles = F::roles(&job);
    let spent: u64 = report.times.iter().filter(|t| pass::is_rationed(o, t.pass)).map(|t| t.changes).sum();
    let mut fuel = o.fuel.saturating_sub(spent);
    let mut parts = Vec::new();
    let (mut mir, mut dumps) = (String::new(), report.dumps.clone());
    let mut lines = LineCosts::new();
    for &role in roles {
        let own = (role != ProgramRole::Main)
            .then(|| programs::of_role(m, role, &F::caps(job.generation, job.stage(), &job.strategy)));
        let one = Job { module: own.as_ref().unwrap_or(m), role, strategy: job.strategy.clone(), ..job };
        let (part, texts) = program::<F>(one, &mut fuel, &mut lines)?;
        let name = |what: &str| if roles.len() > 1 { format!("{what} ({})", role.name()) } else { what.into() };
        if o.texts {
            let (before, after) = (name("before allocation"), name("after allocation"));
            mir += &format!("; {before}\n{}\n; {after}\n{}", texts.before, texts.after);
        }
        dumps.extend(texts.dumps.into_iter().map(|(pass, text)| (name(&pass), text)));
        parts.push(part);
    }
    job.role = ProgramRole::Main;
    // The first program that something limits.
    let limited = parts.iter().find(|p| p.emitted.limiter != "none").or(parts.first());
    let limiter = limited.map_or("", |p| p.emitted.limiter);
    let more = limited.map_or_else(Vec::new, |p| p.emitted.more.clone());
    let p = programs::join(parts)?;
    let e = job.entry();
    let stage = flags_of(&StageUse::new(m, job.func(), &e.stage), &e.stage);
    let trusted = if m.options.robust { 0 } else { flags::TRUSTED };
    let entry = Entry {
        name: e.name.clone(),
        stage: stage_of(e.stage.kind()),
        pipeline: o.context.as_ref().map(|a| Box::new(a.pipeline.clone())),
        meta: Meta {
            workgroup_size: e.workgroup_size().unwrap_or([1; 3]),
            flags: p.meta.flags | stage | trusted,
            ..p.meta
        },
        ..p
    };
    let times = watch.map_or_else(Vec::new, |w| report.times.iter().cloned().chain(w.done()).collect());
    Ok(Output {
        stats: entry.stats.clone(),
        entry,
        gir: if o.texts { m.to_string() } else { String::new() },
        ir: Module::default(),
        mir,
        dumps,
        times,
        limiter,
        more,
        lines,
    })
}

/// Selection, passes and emission of one program.
fn program<F: Family>(
    job: Job<'_, F>,
    fuel: &mut u64,
    lines: &mut LineCosts,
) -> Result<(programs::Part, pass::Texts), AttemptError> {
    let (o, m, role) = (job.options, job.module, job.role);
    trace::enter("isel", &job.func().name);
    let Selected { code, target, state } = F::select(&job)?;
    let mut cx = CompileCx::new(job, target, state);
    let mut passes = pass::Manager::new(o, *fuel);
    let code = passes.run(code, &mut cx, lines)?;
    *fuel = passes.fuel;
    trace::enter("emission", code.name());
    let emitted = F::emit(&code, &cx)?;
    if o.by_line {
        let whole = &cx.job.whole.funcs[cx.job.whole.entries[0].func];
        line_costs::add_cycles(lines, m, F::costs(&code), &line_costs::InLoops::new(whole));
    }
    let variable = |place| F::variable(&cx, place);
    let part = programs::Part {
        role,
        lines: line_table(m, emitted.locs.iter().copied()),
        races: race_marks(m, cx.job.func(), &emitted.reflection.resources, variable, emitted.locs.iter().copied()),
        variables: variables(m, variable),
        emitted,
    };
    Ok((part, passes.texts))
}

/// The variables in workgroup memory that have a name, by their offsets.
fn variables(m: &Module, at: impl Fn(Place) -> Option<u32>) -> Vec<Variable> {
    let named = m.globals.iter().filter(|(_, g)| g.space == Space::Workgroup && !g.name.is_empty());
    let placed = named
        .filter_map(|(id, g)| Some(Variable { offset: at(Place::Global(id))?, size: g.size, name: g.name.clone() }));
    let mut all: Vec<Variable> = placed.collect();
    all.sort_by_key(|v| v.offset);
    all
}

/// Rows of the container's line table for the addresses and locations of instructions in order. What has no location
/// belongs to what comes before it.
fn line_table(m: &Module, places: impl IntoIterator<Item = (u32, Loc)>) -> Vec<LineEntry> {
    let mut rows: Vec<LineEntry> = Vec::new();
    for (pc, loc) in places {
        let Some((line, column)) = m.line_column(loc) else { continue };
        if rows.last().is_none_or(|r| (r.line, r.column) != (line, column)) {
            rows.push(LineEntry { pc, line, column });
        }
    }
    rows
}

/// For tests: compiles whatever the target-independent passes may leave, on every generation, and on the default one again with
/// the machine passes through their texts. Gives what failed; nothing may fall through to a compiler bug.
///
/// With `GPUCC_SAMPLE=N` in the environment only each Nth case is compiled, others on each generation and level. `cargo xtask family` asks
/// for it, so that a contributor waits seconds; a run without it compiles all of them.
pub fn prepared_cases<F: Family>() -> Vec<String> {
    let mut failures = Vec::new();
    let sample = std::env::var("GPUCC_SAMPLE").ok().and_then(|n| n.parse().ok()).unwrap_or(1).max(1);
    for (k, generation) in F::GENERATIONS.iter().enumerate() {
        let chip = Chip { family: F::NAME, generation, unsupported: F::UNSUPPORTED };
        let strategy = F::first(k as u8, &CodegenOptions::default());
        for (number, case) in
            gpucc_opt::selection::cases(|stage| F::caps(k as u8, stage, &strategy), &chip).into_iter().enumerate()
        {
            let name = &case.name;
            let levels = [(0, 2 * k), (2, 2 * k + 1)];
            let levels: Vec<_> = levels.into_iter().filter(|(_, turn)| (number + turn) % sample == 0).collect();
            if levels.is_empty() {
                continue;
            }
            let m = match gpucc_ir::text::parse_module(&case.text) {
                Ok(m) => m,
                Err(d) => {
                    failures.push(format!("{name}: {d}\n{}", case.text));
                    continue;
                }
            };
            for (opt_level, _) in levels {
                let pipeline = case.pipeline.clone().map(Box::new);
                let plain =
                    CodegenOptions { opt_level, prepared: true, verify: true, pipeline, ..CodegenOptions::default() };
                // What is in front of selection is not asked twice.
                let mut shared = if k == F::DEFAULT_GENERATION { SharedPasses::new() } else { SharedPasses::none() };
                let mut code = |o: &CodegenOptions| compile::<F>(&m, "main", k as u8, o, &mut shared).map(|x| x.entry);
                let first = code(&plain);
                // Texts are the same for all generations.
                let again = if k == F::DEFAULT_GENERATION {
                    code(&CodegenOptions { reparse: true, ..plain.clone() })
                } else {
                    first.clone()
                };
                match (first, again) {
                    (Ok(a), Ok(b)) if a == b => {}
                    (Ok(_), Ok(_)) => {
                        failures.push(format!("{generation} -O{opt_level} {name}: texts change the code"))
                    }
                    (Err(d), _) | (_, Err(d)) => failures.push(format!("{generation} -O{opt_level} {name}: {d}")),
                }
            }
        }
    }
    failures
}
