//! `gpucc INPUT... --target T -o OUT`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::CommandFactory;
use gpucc::listing::Source;
use gpucc::pipeline::Link;
use gpucc::{Artifact, Options, Target};
use gpucc_ir::{Diagnostic, Module, ResourceData, Stage};
use gpucc_scene::near;
use gpucc_verify::InputOverrides;

use crate::args::{Cli, Compile, Emit, Messages};
use crate::{Failure, Worst, comparison, effect, files, graph, input, inspect, pipeline, words};

/// The output to write, and the passes after which the IR is printed.
struct Plan {
    emit: Emit,
    targets: Vec<Target>,
    dump_after: Vec<String>,
    /// Changes, and the pass whose they are; all without one.
    fuel: (u64, Option<String>),
    /// Inputs of `--verify`.
    given: InputOverrides,
    /// State of graphics pipelines, and the scene that it is of.
    pipeline: Option<pipeline::Given>,
}

impl Plan {
    fn new(args: &Compile) -> Result<Plan, Failure> {
        let emit = match (args.assembly, args.emit) {
            (true, None | Some(Emit::Asm)) => Emit::Asm,
            (true, Some(_)) => {
                return Err(Failure::Usage("-S is --emit asm; it cannot be combined with another --emit".into()));
            }
            (false, e) => e.unwrap_or(Emit::Bin),
        };
        let targets = input::targets(args.target.as_deref())?;
        let mut dump_after = Vec::new();
        for d in &args.dump {
            let pass =
                d.strip_prefix("after:").ok_or_else(|| Failure::Usage(format!("`--dump {d}`: expected after:PASS")))?;
            dump_after.push(pass.to_string());
        }
        let several = args.input.len() > 1 || targets.len() > 1;
        let to_stdout = args.output.as_deref() == Some(Path::new("-"));
        if several && to_stdout && !emit.is_text() {
            return Err(Failure::Usage(
                "-o -: several outputs behind each other cannot be taken apart; give one input and one target, or a file".into(),
            ));
        }
        let silent = args.stats || args.time_passes || args.verify || !dump_after.is_empty();
        if args.output.is_none() && !emit.is_text() && !silent {
            return Err(Failure::Usage("-o OUT is missing (or use -S to see assembly)".into()));
        }
        let pipeline = args.pipeline.as_deref().map(pipeline::read).transpose()?;
        let fuel = fuel(args.fuel.as_deref())?;
        for t in &targets {
            let there = t.backend().passes();
            let known = |p: &str| p == "all" || there.contains(&p);
            let dumped = dump_after.iter().map(|d| ("--dump after:", d));
            if let Some((option, p)) = dumped.chain(fuel.1.iter().map(|p| ("--fuel ", p))).find(|(_, p)| !known(p)) {
                return Err(Failure::Usage(format!(
                    "{option}{p}: {t} has no such pass; available: {}",
                    there.join(", ")
                )));
            }
        }
        let mut given = InputOverrides {
            grid: args.grid.as_deref().map(crate::run::grid).transpose()?,
            ..InputOverrides::default()
        };
        for b in &args.buffers {
            let (group, binding, spec) = files::binding(b)?;
            let bytes = words::plain(spec)?;
            given.buffers.push(gpucc_sim::BoundBuffer { group, binding, bytes, writable: true });
        }
        given.pipeline = pipeline.as_ref().map(|p| p.state.clone());
        Ok(Plan { emit, targets, dump_after, fuel, given, pipeline })
    }

    /// Where the outputs of each input go, if to files: a path for each target. No output is an input or another output. Of two stages
    /// that are linked there is one output.
    fn paths(&self, args: &Compile, linked: bool) -> Result<Vec<Vec<PathBuf>>, Failure> {
        let Some(out) = &args.output else { return Ok(Vec::new()) };
        let mut outs = Vec::new();
        let is_folder = out.is_dir();
        if (linked || args.input.len() == 1) && !is_folder {
            outs.push(out.clone());
        } else if !is_folder {
            let text = format!("with several inputs, -o must name an existing folder; `{}` is not one", out.display());
            return Err(Failure::Usage(text));
        } else {
            let stem =
                |i: &Path| i.file_stem().filter(|_| i != Path::new("-")).unwrap_or("stdin".as_ref()).to_os_string();
            for i in &args.input {
                // Two stages of one name keep their endings.
                let several = args.input.iter().filter(|o| stem(o) == stem(i)).count() > 1;
                let mut name = match i.file_name() {
                    Some(whole) if several && i != Path::new("-") => whole.to_os_string(),
                    _ => stem(i),
                };
                name.push(".");
                name.push(self.emit.ending());
                outs.push(out.join(name));
            }
            for (k, o) in outs.iter().enumerate() {
                if let Some(first) = outs[..k].iter().position(|x| x == o) {
                    let (a, b) = (args.input[first].display(), args.input[k].display());
                    return Err(Failure::Usage(format!("`{a}` and `{b}` would both be written to `{}`", o.display())));
                }
            }
        }
        let paths: Vec<Vec<PathBuf>> = outs
            .iter()
            .map(|o| self.targets.iter().map(|t| files::target_path(o, *t, self.targets.len() > 1)).collect())
            .collect();
        let all: Vec<PathBuf> = paths.iter().flatten().cloned().collect();
        let scene = args.pipeline.as_deref().and_then(|p| p.rsplit_once(':')).map(|(path, _)| path.into());
        let buffers = args.buffers.iter().filter_map(|b| b.split_once('=')).flat_map(|(_, spec)| words::files(spec));
        let inputs: Vec<PathBuf> = args.input.iter().cloned().chain(scene).chain(buffers).collect();
        files::distinct(&all, &inputs)?;
        Ok(paths)
    }
}

fn rendered(artifact: &Artifact, emit: Emit, source: Option<Source<'_>>) -> Result<Vec<u8>, Failure> {
    Ok(match emit {
        Emit::Bin => artifact.bytes(),
        Emit::Raw => artifact.code(),
        Emit::Asm => artifact.listing_with(source).into_bytes(),
        Emit::Gir => artifact.outputs().iter().map(|o| o.gir.as_str()).collect::<String>().into_bytes(),
        Emit::Mir => artifact.outputs().iter().map(|o| o.mir.as_str()).collect::<String>().into_bytes(),
        Emit::Json => {
            let value = inspect::summary(artifact.container());
            format!("{value:#}\n").into_bytes()
        }
        Emit::Dot => {
            let graphs: String = artifact.outputs().iter().map(|o| graph::dot(&o.ir)).collect();
            format!("// {}\n{graphs}", artifact.target()).into_bytes()
        }
        Emit::Elf => {
            let name = source.map_or("", |s| s.name);
            gpucc::elf::code_object(artifact.container(), artifact.target(), name).map_err(|d| match d.refusal() {
                Some(code) => Failure::Unsupported(code, format!("--emit elf: {}", d.message)),
                None => Failure::Bug(d.to_string()),
            })?
        }
    })
}

/// The statistics of each entry point in a line, with the name of the file where there are several.
fn stats(artifact: &Artifact, file: Option<&str>) -> String {
    let mut out = String::new();
    let file = file.map_or_else(String::new, |f| format!("{f}: "));
    for o in artifact.outputs() {
        let mut list: Vec<String> = o.stats.iter().map(|(k, v)| format!("{k} {v}")).collect();
        list.extend((!o.limiter.is_empty()).then(|| format!("limiter {}", o.limiter)));
        // Both stages of a pair may have one name.
        let is_twice = artifact.outputs().iter().filter(|other| other.entry.name == o.entry.name).count() > 1;
        let stage = if is_twice { format!(" ({})", o.entry.stage.name()) } else { String::new() };
        let _ = writeln!(out, "{file}{} {}{stage}: {}", artifact.target(), o.entry.name, list.join(", "));
    }
    out
}

fn times(artifact: &Artifact) -> String {
    let mut out = String::new();
    for o in artifact.outputs() {
        let total: u64 = o.times.iter().map(|t| t.nanos).sum();
        // Estimated work that all passes took away, and each one's share of it; passes that lower add some.
        let mut works = o.times.iter().filter_map(|t| t.work);
        let first = works.next().unwrap_or(0);
        let last = works.next_back().unwrap_or(first);
        let _ = writeln!(
            out,
            "{} {}: passes and steps, {:.1} us in all; work {first} -> {last}",
            artifact.target(),
            o.entry.name,
            total as f64 / 1000.0,
        );
        let mut before = first;
        for t in &o.times {
            let time = 100.0 * t.nanos as f64 / total.max(1) as f64;
            let _ = write!(out, "  {:<20} {:>10.1} us {time:>5.1} %", t.pass, t.nanos as f64 / 1000.0);
            let Some(work) = t.work else {
                out.push('\n');
                continue;
            };
            let less = before as i64 - work as i64;
            before = work;
            let share = 100.0 * less as f64 / first.abs_diff(last).max(1) as f64;
            let _ = writeln!(out, " {:>7} changes {:>8} work {share:>7.1} % of the reduction", t.changes, -less);
        }
    }
    out
}

/// `[PASS=]N`.
fn fuel(text: Option<&str>) -> Result<(u64, Option<String>), Failure> {
    let Some(text) = text else { return Ok((u64::MAX, None)) };
    let (pass, n) = text.split_once('=').map_or((None, text), |(p, n)| (Some(p.to_string()), n));
    let n = n.parse().map_err(|_| Failure::Usage(format!("`--fuel {text}`: expected N or PASS=N")))?;
    Ok((n, pass))
}

/// A pass to print after that did not run.
fn idle_pass(artifact: &Artifact, plan: &Plan, level: u8) -> Result<(), Failure> {
    let printed = |d: &str| artifact.outputs().iter().flat_map(|o| &o.dumps).any(|x| x.0 == d);
    let ran = |d: &str| artifact.outputs().iter().flat_map(|o| &o.times).any(|t| t.pass == d);
    match plan.dump_after.iter().find(|d| *d != "all" && !printed(d) && !ran(d)) {
        Some(d) => Err(Failure::Usage(format!("--dump after:{d}: the pass does not run at -O {level}"))),
        None => Ok(()),
    }
}

/// Everything that is refused, not only what was met first: each entry point by itself.
fn refusals(shader: &input::Input, options: &Options, first: Diagnostic) -> Vec<Diagnostic> {
    if shader.module.entries.len() < 2 {
        return vec![first];
    }
    let alone = |name: &str| gpucc::compile_entry(&shader.module, name, options).err();
    let all: Vec<Diagnostic> = shader.module.entries.iter().filter_map(|e| alone(&e.name)).collect();
    if all.is_empty() { vec![first] } else { all }
}

/// Options of a compilation for a target.
fn options(args: &Compile, plan: &Plan, target: Target) -> Options {
    let mut options = Options::new(target);
    options.codegen = input::codegen_options(&args.front);
    options.codegen.verify = args.verify;
    options.codegen.time_passes = args.time_passes || !plan.dump_after.is_empty();
    options.codegen.texts = matches!(plan.emit, Emit::Gir | Emit::Mir);
    options.codegen.dump_after = plan.dump_after.clone();
    (options.codegen.fuel, options.codegen.fuel_of) = plan.fuel.clone();
    options.codegen.pipeline = plan.pipeline.as_ref().map(|p| Box::new(p.state.clone()));
    options
}

/// The entry points of an input for a pipeline: each linked with the other stage of the input, or else with that of the scene. Where
/// it cannot be linked a line says so.
fn in_pipeline(
    args: &Compile,
    given: &pipeline::Given,
    shader: &input::Input,
    options: &Options,
) -> Result<Result<Artifact, Diagnostic>, Failure> {
    let module = &shader.module;
    let of = |stage: Stage| module.entries.iter().filter(move |e| e.stage.kind() == stage);
    let (v, f) = (of(Stage::Vertex).count(), of(Stage::Fragment).count());
    let own = (v, f) == (1, 1) && module.entries.len() == 2;
    let unlinked = |why: &str| {
        let text = format!("compiled for the state of the pipeline alone, not linked with its other stage: {why}");
        shader.report.note("unlinked", &text, Some(&options.target.to_string()));
        Ok(gpucc::compile(module, options))
    };
    if !own && (module.entries.len() != 1 || v + f != 1) {
        return unlinked("the input has several entry points of a stage; --entry chooses one");
    }
    let stage = if f == 0 { Stage::Vertex } else { Stage::Fragment };
    let beside = match own {
        true => None,
        false => match given.beside(stage, &input::front_options(&args.front)?) {
            Ok(beside) => beside,
            Err(why) => return unlinked(&why),
        },
    };
    let (vertex, fragment) = match (own, stage, &beside) {
        (true, ..) => (module, Some(module)),
        (_, Stage::Vertex, other) => (module, other.as_ref()),
        (_, _, Some(other)) => (other, Some(module)),
        (_, _, None) => return unlinked("the scene has no vertex stage"),
    };
    let linked = match given.state.link(vertex, fragment) {
        Ok(linked) => linked,
        Err(d) => return unlinked(&d.message),
    };
    let first = |linked: &gpucc::pipeline::Linked<'_>| linked.vertex(options);
    let second = |linked: &gpucc::pipeline::Linked<'_>| {
        linked.fragment(options).unwrap_or_else(|| Err(Diagnostic::internal("link", "the fragment entry is lost")))
    };
    Ok(match (own, stage) {
        (false, Stage::Vertex) => first(&linked),
        (false, _) => second(&linked),
        (true, _) => {
            let is_first = module.entries[0].stage.kind() == Stage::Vertex;
            match is_first {
                true => first(&linked).and_then(|a| Ok(a.joined(second(&linked)?))),
                false => second(&linked).and_then(|a| Ok(a.joined(first(&linked)?))),
            }
        }
    })
}

/// One input for one target.
fn one(
    args: &Compile,
    plan: &Plan,
    shader: &input::Input,
    target: Target,
    out: Option<&PathBuf>,
    objects: &mut Vec<serde_json::Value>,
) -> Result<(), Failure> {
    let options = options(args, plan, target);
    let artifact = match plan.pipeline.as_ref() {
        Some(p) => in_pipeline(args, p, shader, &options)?,
        None => gpucc::compile(&shader.module, &options),
    };
    let artifact = artifact.map_err(|d| {
        let list = refusals(shader, &options, d);
        shader.report.show(&list, Some(&target.to_string()));
        crate::failure(&list)
    })?;
    idle_pass(&artifact, plan, args.front.level())?;
    if args.verify {
        verify(args, &plan.given, shader, &artifact)?;
    }
    give(args, plan, &artifact, Some(shader.report.source()), out, objects)
}

/// Where the stages of a pair go.
#[derive(Clone, Copy)]
enum Outputs<'a> {
    /// Both to one file.
    Joined(&'a PathBuf),
    /// The vertex and the fragment stage each to its own, and which of them comes first.
    Apart([Option<&'a PathBuf>; 2], [usize; 2]),
}

/// Two inputs with a stage each for one target, linked.
fn linked(
    args: &Compile,
    plan: &Plan,
    [vertex, fragment]: [&input::Input; 2],
    target: Target,
    outs: Outputs<'_>,
    objects: &mut Vec<serde_json::Value>,
) -> Result<(), Failure> {
    let both = |d: Diagnostic| {
        fragment.report.show(&[d.note(format!("linked with {}", vertex.report.source().name))], None);
        Failure::Said(1)
    };
    let state = match &plan.pipeline {
        Some(p) => {
            for (input, shader) in args.input.iter().zip([vertex, fragment]) {
                pipeline::fits(&input.display().to_string(), shader, &p.state)?;
            }
            p.state.clone()
        }
        None => gpucc::pipeline::default_of(&vertex.module, &fragment.module).map_err(both)?,
    };
    let linked = state.link(&vertex.module, Some(&fragment.module)).map_err(both)?;
    let mut options = options(args, plan, target);
    if plan.pipeline.is_none() {
        // Textures are as ordinary as the targets.
        options.codegen.bound.wide = Some(Vec::new());
    }
    let told = |shader: &input::Input, d: Diagnostic| {
        shader.report.show(std::slice::from_ref(&d), Some(&target.to_string()));
        crate::failure(&[d])
    };
    let first = linked.vertex(&options).map_err(|d| told(vertex, d));
    let second = linked.fragment(&options).transpose().map_err(|d| told(fragment, d));
    let (first, Some(second)) = (first?, second?) else { return Ok(()) };
    if args.verify {
        let given = InputOverrides { pipeline: Some(state.clone()), ..plan.given.clone() };
        verify(args, &given, vertex, &first)?;
        verify(args, &given, fragment, &second)?;
    }
    match outs {
        Outputs::Joined(out) => {
            let artifact = first.joined(second);
            idle_pass(&artifact, plan, args.front.level())?;
            // Lines of two files cannot be told apart in one listing.
            give(args, plan, &artifact, None, Some(out), objects)
        }
        Outputs::Apart(outs, order) => {
            let parts = [(&first, vertex), (&second, fragment)];
            for k in order {
                let (artifact, shader) = parts[k];
                idle_pass(artifact, plan, args.front.level())?;
                give(args, plan, artifact, Some(shader.report.source()), outs[k], objects)?;
            }
            Ok(())
        }
    }
}

/// Runs what was compiled against the oracle.
fn verify(args: &Compile, given: &InputOverrides, shader: &input::Input, artifact: &Artifact) -> Result<(), Failure> {
    let target = artifact.target();
    let all = gpucc_verify::verify_entries(&shader.module, artifact, target, given, gpucc_verify::RUN_STEPS)
        .map_err(|d| Failure::Bug(d.to_string()))?;
    let on = target.to_string();
    let mut result = Ok(());
    for entry in &all {
        match entry.not_compared() {
            Some(left) => {
                let code = crate::args::Deny::NotCompared.code();
                shader.report.show(&[Diagnostic::invalid(code, left.to_string()).warning()], Some(&on));
                result = result.and(comparison::denied(args.deny));
            }
            None => {
                let of = format!("`{}`: ", entry.entry);
                comparison::say(&entry.comparison, ("verify", &of), (&shader.report, &on), args.deny)?;
            }
        }
    }
    result
}

/// Writes what was compiled, and what is to be said of it.
fn give(
    args: &Compile,
    plan: &Plan,
    artifact: &Artifact,
    source: Option<Source<'_>>,
    out: Option<&PathBuf>,
    objects: &mut Vec<serde_json::Value>,
) -> Result<(), Failure> {
    let target = artifact.target();
    // Where the output itself goes to standard output nothing else does, unless it can be a comment in it.
    let to_stdout = out.map_or(plan.emit.is_text(), |o| o == Path::new("-"));
    let apart = to_stdout && plan.emit != Emit::Asm;
    let say = |text: &str| {
        if apart {
            files::stderr(text);
            return Ok(());
        }
        files::stdout(text.as_bytes())
    };
    for (pass, dump) in artifact.outputs().iter().flat_map(|o| &o.dumps) {
        say(&format!("; {target} after {pass}\n{dump}\n"))?;
    }
    let mut said = String::new();
    if args.stats {
        let name = source.as_ref().map(|s| s.name).filter(|_| args.input.len() > 1);
        said += &stats(artifact, name);
    }
    if args.time_passes {
        said += &times(artifact);
    }
    match out {
        // Several JSON objects on standard output are one array, written at the end.
        _ if plan.emit == Emit::Json && to_stdout => objects.push(inspect::summary(artifact.container())),
        Some(out) => files::write(out, &rendered(artifact, plan.emit, source)?)?,
        None if to_stdout => files::stdout(&rendered(artifact, plan.emit, source)?)?,
        None => {}
    }
    // A listing stays one that assembles.
    if to_stdout && plan.emit == Emit::Asm {
        said = said.lines().map(|l| format!("; {l}\n")).collect();
    }
    say(&said)
}

/// Two inputs as vertex and fragment stage, if one of them has a vertex entry alone and the other a fragment entry alone.
fn stages<'i>(a: &'i input::Input, b: &'i input::Input) -> Option<[&'i input::Input; 2]> {
    let alone = |i: &input::Input, stage: Stage| matches!(&i.module.entries[..], [e] if e.stage.kind() == stage);
    let is_pair = |v, f| alone(v, Stage::Vertex) && alone(f, Stage::Fragment);
    if is_pair(a, b) {
        return Some([a, b]);
    }
    is_pair(b, a).then_some([b, a])
}

/// Inputs of `--verify` that a shader has no place for, each in a sentence.
fn idle_inputs(args: &Compile, plan: &Plan, shader: &Module) -> Vec<String> {
    let mut list = Vec::new();
    if args.grid.is_some() && !shader.entries.iter().any(|e| e.stage.kind() == Stage::Compute) {
        list.push("--grid is for compute entry points".to_string());
    }
    for b in &plan.given.buffers {
        let has = |r: &ResourceData| r.kind.is_buffer() && (r.group, r.binding) == (b.group, b.binding);
        if !shader.resources.values().any(has) {
            let binding = gpucc_ir::binding_text(b.binding);
            list.push(format!("--buf {}:{binding}: the shader has no such buffer", b.group));
        }
    }
    list
}

/// Runs a compilation.
///
/// # Errors
/// The worst of what happened over all inputs and targets; what could be written has been written.
pub fn main(args: &Compile, messages: &Messages) -> Result<(), Failure> {
    if args.input.is_empty() {
        return Err(Failure::Usage("no input; try --help".into()));
    }
    // A misspelt command is taken for an input, and so is one behind options of a compilation.
    if let Some(first) = args.input.first().filter(|i| i.extension().is_none() && *i != Path::new("-") && !i.exists()) {
        let command = Cli::command();
        let names: Vec<&str> = command.get_subcommands().filter(|c| !c.is_hide_set()).map(|c| c.get_name()).collect();
        let first = first.display().to_string();
        return Err(Failure::Usage(if command.find_subcommand(&first).is_some() {
            format!("the command `{first}` stands in front of its options")
        } else {
            let mut meant = near::meant(&first, names.iter().copied());
            // A word for what has none here.
            if meant.is_empty() && !near::meant(&first, ["compile", "build"].into_iter()).is_empty() {
                meant = "; to compile, name the file alone: gpucc FILE --target T -o OUT".into();
            }
            format!("`{first}` is neither a file nor a command; commands are {}{meant}", names.join(", "))
        }));
    }
    let plan = Plan::new(args)?;
    let mut worst = Worst::default();
    let mut objects = Vec::new();
    let mut loaded: Vec<Option<Result<input::Input, Failure>>> = args.input.iter().map(|_| None).collect();
    let mut paths = None;
    if let [a, b] = &args.input[..] {
        // An output that is no folder is one file for both stages.
        let joined = args.output.as_ref().filter(|o| !o.is_dir() && *o != Path::new("-"));
        if joined.is_none() {
            paths = Some(plan.paths(args, false)?);
        }
        let both = input::load_pair([a, b], &args.front, messages);
        let pair = if let [Ok(a), Ok(b)] = &both { stages(a, b) } else { None };
        let fits = |pair: [&input::Input; 2]| {
            let state = gpucc::pipeline::default_of(&pair[0].module, &pair[1].module);
            let state = plan.pipeline.as_ref().map_or(state, |p| Ok(p.state.clone()));
            state.is_ok_and(|s| s.link(&pair[0].module, Some(&pair[1].module)).is_ok())
        };
        // Of shaders that are no pair each is compiled by itself.
        if let Some(pair) = pair.filter(|p| joined.is_some() || fits(*p)) {
            if let Some(text) = effect::everywhere(&pair.map(|i| idle_inputs(args, &plan, &i.module))) {
                return Err(Failure::Usage(text));
            }
            let list = match paths.take() {
                Some(list) => list,
                None => plan.paths(args, true)?,
            };
            let swapped = matches!(&both[0], Ok(first) if !std::ptr::eq(first, pair[0]));
            let order = if swapped { [1, 0] } else { [0, 1] };
            for (t, &target) in plan.targets.iter().enumerate() {
                let path = |k: usize| list.get(k).and_then(|p| p.get(t));
                let outs = match path(0).filter(|_| joined.is_some()) {
                    Some(out) => Outputs::Joined(out),
                    None => Outputs::Apart(order.map(path), order),
                };
                match linked(args, &plan, pair, target, outs, &mut objects) {
                    Ok(()) => {}
                    Err(f @ (Failure::Usage(_) | Failure::Io(_))) => return Err(f),
                    Err(f) => worst.add(&f, messages),
                }
            }
            return finish(args, &plan, &list, &objects, worst);
        }
        loaded = both.into_iter().map(Some).collect();
    }
    let paths = paths.map_or_else(|| plan.paths(args, false), Ok)?;
    let mut idle = Vec::new();
    for (i, input) in args.input.iter().enumerate() {
        let read = loaded[i].take().unwrap_or_else(|| input::load(input, &args.front, messages));
        let shader = match read {
            Ok(shader) => shader,
            Err(f) => {
                worst.add(&f, messages);
                continue;
            }
        };
        idle.push(idle_inputs(args, &plan, &shader.module));
        if args.input.len() == 1
            && let Some(text) = effect::everywhere(&idle)
        {
            return Err(Failure::Usage(text));
        }
        if let Some(p) = &plan.pipeline
            && let Err(f) = pipeline::fits(&input.display().to_string(), &shader, &p.state)
        {
            worst.add(&f, messages);
            continue;
        }
        for (t, &target) in plan.targets.iter().enumerate() {
            let out = paths.get(i).and_then(|p| p.get(t));
            match one(args, &plan, &shader, target, out, &mut objects) {
                Ok(()) => {}
                // A byte that cannot be written now cannot be written later.
                Err(f @ (Failure::Usage(_) | Failure::Io(_))) => return Err(f),
                Err(f) => worst.add(&f, messages),
            }
        }
    }
    if let Some(text) = effect::everywhere(&idle) {
        worst.add(&Failure::Usage(text), messages);
    }
    finish(args, &plan, &paths, &objects, worst)
}

/// Prints the objects that go to standard output; gives the worst of what happened.
fn finish(
    args: &Compile,
    plan: &Plan,
    paths: &[Vec<PathBuf>],
    objects: &[serde_json::Value],
    worst: Worst,
) -> Result<(), Failure> {
    let several = args.input.len() > 1 || plan.targets.len() > 1;
    match objects {
        [] if !several || plan.emit != Emit::Json || !paths.iter().flatten().all(|p| p == Path::new("-")) => {}
        [one] if !several => files::stdout(format!("{one:#}\n").as_bytes())?,
        list => files::stdout(format!("{:#}\n", serde_json::Value::from(list)).as_bytes())?,
    }
    worst.result()
}
