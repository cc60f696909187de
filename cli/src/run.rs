//! `gpucc run`: a compute dispatch on the IR interpreter, on machines, or on both with a comparison.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use gpucc::{Options, Target};
use gpucc_container::{Container, Entry, ResourceKind};
use gpucc_interp::{OracleProgram, Profile};
use gpucc_ir::{Module, Refusal};
use gpucc_machines::{Launch, Verdict};
use gpucc_sim::{BoundBuffer, Dispatch, Races, RunOptions, RunReport, TrapKind};

use crate::args::{Messages, RacesArg, Run};
use crate::report::Reporter;
use crate::traps::{Code, Where};
use crate::words::{Kind, Spec};
use crate::{Failure, Worst, comparison, files, input, targets, words};

/// One `--dump`.
struct Dump {
    group: u32,
    binding: u32,
    to: String,
}

impl Dump {
    /// Whether it is text on standard output.
    fn is_text(&self) -> bool {
        self.to.strip_prefix('-').is_some_and(|kind| kind.is_empty() || kind.starts_with(':'))
    }

    /// The file that it is written to, named after the place if there are several.
    fn path(&self, place: Option<Place>) -> PathBuf {
        let to = Path::new(&self.to);
        place_name(place, "-").map_or_else(|| to.to_path_buf(), |n| files::tagged(to, &n))
    }
}

/// How one of several places is named.
fn place_name(place: Option<Place>, separator: &str) -> Option<String> {
    Some(place?.map_or_else(|| "interp".into(), |t| format!("{}{separator}{}", t.family(), t.generation())))
}

/// The program.
enum Subject {
    /// A shader that is still IR.
    Shader(Box<input::Input>),
    /// A container, run as it stands.
    Binary(Container),
}

/// Workgroup counts.
///
/// # Errors
/// The expected form.
pub fn grid(text: &str) -> Result<[u32; 3], Failure> {
    let bad = || Failure::Usage(format!("`--grid {text}`: expected X,Y,Z workgroup counts from 1 to 65535"));
    let mut out = [1u32; 3];
    let parts: Vec<&str> = text.split(',').collect();
    if parts.len() > 3 {
        return Err(bad());
    }
    for (o, p) in out.iter_mut().zip(parts) {
        *o = p.trim().parse().ok().filter(|n| (1..=65535).contains(n)).ok_or_else(bad)?;
    }
    Ok(out)
}

pub fn show(report: &RunReport, on: &str) -> Result<(), Failure> {
    let mut out = format!(
        "{on}: {}, {}, {}, {}",
        plural(report.instructions, instruction(on)),
        plural(report.lane_instructions, &format!("lane {}", instruction(on))),
        plural(report.subgroups, "subgroup"),
        plural(report.barriers, "barrier"),
    );
    // The oracle has no cost model.
    if report.cycles() > 0 {
        let _ = write!(out, ", {}", plural(report.cycles(), "cycle"));
    }
    out.push('\n');
    for (class, n) in &report.classes {
        let _ = writeln!(out, "  {class:<16} {n}");
    }
    for n in &report.notes {
        let _ = writeln!(out, "  note: {n}");
    }
    files::stdout(out.as_bytes())
}

/// Runs the IR interpreter on a copy of the buffers.
fn interp(
    shader: &input::Input,
    entry: &str,
    dispatch: &Dispatch,
    options: &RunOptions,
) -> Result<(RunReport, Dispatch), Failure> {
    let mut copy = dispatch.clone();
    let names = names(shader);
    let place = |code| Where { on: "interp", code, names: &names, reporter: &shader.report };
    let program = OracleProgram::new(&shader.module, entry).map_err(|t| place(Code::Machine(None)).trap(&t))?;
    let place = place(Code::Interp(&program));
    let outcome = program.run(&mut copy, options, &Profile::default()).map_err(|t| place.trap(&t))?;
    place.races(&outcome.report);
    Ok((outcome.report, copy))
}

/// Group, binding and name of each resource of a shader.
pub fn names(shader: &input::Input) -> Vec<(u32, u32, String)> {
    shader.module.resources.iter().map(|(_, r)| (r.group, r.binding, r.name.clone())).collect()
}

/// Group, binding and name of each resource of an entry point in a container.
fn entry_names(e: &Entry) -> Vec<(u32, u32, String)> {
    let name = |i: usize| e.names.iter().find(|n| n.0 as usize == i).map_or_else(String::new, |n| n.1.clone());
    e.resources.iter().enumerate().map(|(i, r)| (r.group, r.binding, name(i))).collect()
}

/// Everything that an entry point needs and is not bound, or has too few bytes, in the order of groups and bindings.
///
/// # Errors
/// Usage: all of it in one sentence.
pub fn bound(e: &Entry, dispatch: &Dispatch) -> Result<(), Failure> {
    let names = entry_names(e);
    let mut list: Vec<_> = e.resources.iter().zip(&names).collect();
    list.sort_by_key(|(r, _)| (r.group, r.binding));
    let (mut missing, mut short) = (Vec::new(), Vec::new());
    for (r, (group, binding, name)) in list {
        if r.kind == ResourceKind::Immediates {
            continue;
        }
        let name = if name.is_empty() { String::new() } else { format!(" `{name}`") };
        match dispatch.buffer(*group, *binding) {
            None => {
                let binding = gpucc_ir::binding_text(*binding);
                missing.push(format!("{group}:{binding}{name} ({} bytes or more)", r.min_size));
            }
            Some(b) if (b.bytes.len() as u64) < u64::from(r.min_size) => {
                short.push(format!("{group}:{binding}{name} has {} bytes and needs {}", b.bytes.len(), r.min_size));
            }
            Some(_) => {}
        }
    }
    let mut text = short;
    if !missing.is_empty() {
        text.insert(0, format!("no buffer is bound at {}; bind it with --buf G:B=SPEC", missing.join(", ")));
    }
    if text.is_empty() { Ok(()) } else { Err(Failure::Usage(text.join("; "))) }
}

/// The unit that a place counts: the interpreter of the IR executes other instructions than a machine.
pub fn instruction(on: &str) -> &'static str {
    if on == "interp" { "IR instruction" } else { "instruction" }
}

/// A number of things.
fn plural(n: u64, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

/// Says in a line what ran.
fn said(report: &RunReport, entry: &str, dispatch: &Dispatch, on: &str, reporter: &Reporter) {
    let [x, y, z] = dispatch.grid;
    let groups = u64::from(x) * u64::from(y) * u64::from(z);
    let text = format!(
        "ran `{entry}`: {}, {}, {}, {}",
        plural(groups, "workgroup"),
        plural(report.subgroups, "subgroup"),
        plural(report.instructions, instruction(on)),
        plural(dispatch.buffers.len() as u64, "buffer"),
    );
    reporter.note("run", &text, Some(on));
}

/// The entry to run: the one named, or the only one.
pub fn entry_name(names: &[&str], wanted: Option<&str>) -> Result<String, Failure> {
    match (wanted, names) {
        (Some(w), _) if names.contains(&w) => Ok(w.to_string()),
        (Some(w), _) => Err(Failure::Input(format!("no entry point `{w}`; available: {}", names.join(", ")))),
        (None, [one]) => Ok((*one).to_string()),
        (None, []) => Err(Failure::Input("there is no entry point".into())),
        (None, _) => {
            Err(Failure::Usage(format!("several entry points: choose one with --entry: {}", names.join(", "))))
        }
    }
}

/// That an entry is no stage of a draw.
pub fn dispatched(entry: &str, stage: Option<&str>) -> Result<(), Failure> {
    let drawn = |s| format!("`{entry}` is a {s} entry, and `run` dispatches compute entries: use `gpucc render`");
    stage.map_or(Ok(()), |s| Err(Failure::Usage(drawn(s))))
}

/// The dispatch that options describe, and how its buffers were given.
///
/// # Errors
/// Usage: what is wrong with one of the options.
pub fn dispatch(grid: &str, buffers: &[String], immediates: Option<&str>) -> Result<(Dispatch, Kinds), Failure> {
    let mut dispatch = Dispatch::new(self::grid(grid)?);
    let mut kinds: Kinds = Vec::new();
    let mut addresses: Vec<((u32, u32), Vec<words::Address>)> = Vec::new();
    for b in buffers {
        let (group, binding, spec) = files::binding(b)?;
        if dispatch.index_of(group, binding).is_some() {
            return Err(Failure::Usage(format!("buffer {group}:{binding} is given twice")));
        }
        let mut spec = words::spec(spec)?;
        let bytes = std::mem::take(&mut spec.bytes);
        addresses.push(((group, binding), std::mem::take(&mut spec.addresses)));
        kinds.push((group, binding, spec));
        dispatch.buffers.push(BoundBuffer { group, binding, bytes, writable: true });
    }
    if let Some(spec) = immediates {
        let spec = words::spec(spec)?;
        dispatch = dispatch.with_immediates(spec.bytes);
        addresses.push((gpucc_container::IMMEDIATES, spec.addresses));
    }
    for (place, list) in &addresses {
        words::link(&mut dispatch, *place, list)?;
    }
    Ok((dispatch, kinds))
}

/// `gpucc run INPUT|FILE.bin --grid X,Y,Z --buf ...`.
///
/// # Errors
/// Usage, I/O, refusal, compiler bug; exit 1 for a trap or a difference from the oracle.
pub fn main(args: &Run, messages: &Messages) -> Result<(), Failure> {
    let input = match (&args.launch, &args.input) {
        (Some(path), _) => return launch(args, path, messages),
        (None, Some(input)) => input.as_path(),
        (None, None) => return Err(Failure::Usage("run needs a shader, a container or --launch FILE".into())),
    };
    let (dispatch, kinds) = self::dispatch(&args.grid, &args.buffers, args.immediates.as_deref())?;
    let dumps = dumps(args, &dispatch)?;
    let options = options(args);

    let bytes = files::read(input)?;
    let subject = if bytes.starts_with(&gpucc_container::MAGIC) {
        let c = Container::read(&bytes)
            .map_err(|e| Failure::Input(format!("`{}` is not a gpucc container: {e}", input.display())))?;
        Subject::Binary(c)
    } else if input.extension().is_some_and(|e| e == "bin") {
        return Err(Failure::Input(format!(
            "`{}` is not a gpucc container: it does not begin with its magic",
            input.display()
        )));
    } else {
        Subject::Shader(Box::new(input::load_bytes(input, &bytes, &args.front, messages)?))
    };

    // Read-only bindings trap on stores; the oracle and the machines both know which those are from the shader.
    let wanted = args.front.entry.as_deref();
    match &subject {
        Subject::Binary(c) => {
            if args.oracle {
                return Err(Failure::Usage("--oracle needs the shader: a container holds no IR".into()));
            }
            if let Some(t) = &args.target
                && *t != c.family
                && *t != format!("{}:{}", c.family, c.generation)
            {
                return Err(Failure::Usage(format!("the container is for {}:{}, not {t}", c.family, c.generation)));
            }
            if let Some(option) = args.front.given() {
                return Err(Failure::Usage(format!("{option} has no effect on a container: it is compiled already")));
            }
            let names: Vec<&str> = c.entries.iter().map(|e| e.name.as_str()).collect();
            let entry = entry_name(&names, wanted)?;
            let stage = match c.entry(&entry).map(|e| e.stage) {
                Some(gpucc_container::Stage::Vertex) => Some("vertex"),
                Some(gpucc_container::Stage::Fragment) => Some("fragment"),
                _ => None,
            };
            dispatched(&entry, stage)?;
            check_paths(args, input, &dumps, &[None])?;
            let takes = |e: &Entry| e.resources.iter().any(|r| r.kind == ResourceKind::Immediates);
            immediates(args.immediates.is_some(), c.entry(&entry).is_some_and(takes))?;
            let mut d = dispatch.clone();
            let on = format!("{}:{}", c.family, c.generation);
            let reporter = Reporter::new(messages, &input.display().to_string(), "");
            let code = c.entry(&entry);
            let names = code.map(entry_names).unwrap_or_default();
            let place = Where { on: &on, code: Code::Machine(code), names: &names, reporter: &reporter };
            if let Some(e) = code {
                bound(e, &d)?;
            }
            let report = gpucc_machines::run(c, Some(&entry), &mut d, &options).map_err(|t| place.trap(&t))?;
            place.races(&report);
            said(&report, &entry, &d, &on, &reporter);
            if args.stats {
                show(&report, &on)?;
            }
            write_dumps(&dumps, &d, (&kinds, None), None)
        }
        Subject::Shader(shader) => {
            let names: Vec<&str> = shader.module.entries.iter().map(|e| e.name.as_str()).collect();
            let entry = entry_name(&names, wanted)?;
            let stage = shader.module.entry(&entry).map(|e| e.stage.kind());
            dispatched(&entry, stage.filter(|s| *s != gpucc_ir::Stage::Compute).map(gpucc_ir::Stage::name))?;
            wanted_by(&shader.module, &dispatch, &kinds, args.immediates.is_some())?;
            let places = targets::list(args.target.as_deref().unwrap_or("interp"), true)?;
            let named: Vec<Option<Place>> = places.iter().map(|p| (places.len() > 1).then_some(*p)).collect();
            check_paths(args, input, &dumps, &named)?;
            // One that is refused or wrong keeps no other from running.
            let mut worst = Worst::default();
            for place in &places {
                match on(args, shader, &entry, *place, &dispatch, &options) {
                    Ok((d, verdict)) => {
                        let place = (places.len() > 1).then_some(*place);
                        write_dumps(&dumps, &d, (&kinds, Some(&shader.module)), place)?;
                        if let Err(f) = verdict {
                            worst.add(&f, messages);
                        }
                    }
                    Err(f @ (Failure::Usage(_) | Failure::Io(_))) => return Err(f),
                    Err(f) => worst.add(&f, messages),
                }
            }
            worst.result()
        }
    }
}

/// Refuses buffers and immediate data that a module has no place for.
///
/// # Errors
/// Usage: the first of them.
pub fn wanted_by(m: &Module, dispatch: &Dispatch, kinds: &Kinds, has_immediates: bool) -> Result<(), Failure> {
    let there: Vec<(u32, u32)> = m.resources.iter().map(|(_, r)| (r.group, r.binding)).collect();
    // What has an address is reached without a binding.
    let reached = |k: &(u32, u32, Spec)| dispatch.index_of(k.0, k.1).is_some_and(|p| dispatch.address(p).is_some());
    if let Some(k) = kinds.iter().find(|k| !there.contains(&(k.0, k.1)) && !reached(k)) {
        let list: Vec<String> = there.iter().map(|(g, b)| format!("{g}:{b}")).collect();
        let list = if list.is_empty() { "none".into() } else { list.join(", ") };
        let text = format!("--buf {}:{}: the shader has no such binding; it has {list}", k.0, k.1);
        return Err(Failure::Usage(text));
    }
    let blocks = m.resources.values().filter(|r| r.kind == gpucc_ir::ResourceKind::Immediates);
    immediates(has_immediates, blocks.count() > 0)
}

/// Refuses immediate data that nobody takes.
fn immediates(are_given: bool, are_taken: bool) -> Result<(), Failure> {
    match are_given && !are_taken {
        true => Err(Failure::Usage("--immediates: the shader has no immediate data".into())),
        false => Ok(()),
    }
}

/// Where a shader runs: on the machine of a target, or on the IR interpreter alone.
type Place = Option<Target>;

/// The buffers that a run left, and what the oracle says of them: what differs is written all the same.
type Ran = (Dispatch, Result<(), Failure>);

/// Runs a shader in one place.
fn on(
    args: &Run,
    shader: &input::Input,
    entry: &str,
    place: Place,
    dispatch: &Dispatch,
    options: &RunOptions,
) -> Result<Ran, Failure> {
    if let Some(target) = place {
        return machine(args, shader, entry, target, dispatch, options);
    }
    let (report, d) = interp(shader, entry, dispatch, options)?;
    said(&report, entry, &d, "interp", &shader.report);
    if args.stats {
        show(&report, "interp")?;
    }
    if !args.oracle {
        return Ok((d, Ok(())));
    }
    let names = names(shader);
    let place = Where { on: "the oracle", code: Code::Machine(None), names: &names, reporter: &shader.report };
    let compared = gpucc_machines::judge_order(&shader.module, entry, (dispatch, &d), options);
    let verdict = compared
        .map_err(|t| place.trap(&t))
        .and_then(|c| comparison::say(&c, ("oracle", ""), (&shader.report, "interp"), args.deny));
    Ok((d, verdict))
}

/// How to run, from the command line.
fn options(args: &Run) -> RunOptions {
    let defaults = RunOptions::default();
    let races = match args.races {
        Some(RacesArg::Trap) => Races::Trap,
        Some(RacesArg::Report) => Races::Report,
        Some(RacesArg::Off) => Races::Off,
        None => defaults.races,
    };
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let step_limit = args.steps.unwrap_or(defaults.step_limit);
    RunOptions { perturb: args.perturb, step_limit, races, cores, ..defaults }
}

/// The `--dump`s, each of a buffer that is bound.
fn dumps(args: &Run, dispatch: &Dispatch) -> Result<Vec<Dump>, Failure> {
    let mut dumps = Vec::new();
    for d in &args.dumps {
        let (group, binding, to) = files::binding(d)?;
        if dispatch.index_of(group, binding).is_none() {
            return Err(Failure::Usage(format!("--dump {d}: no buffer {group}:{binding} is bound")));
        }
        if let Some(kind) = to.strip_prefix("-:")
            && Kind::named(kind).is_none()
        {
            return Err(Failure::Usage(format!("--dump {d}: `{kind}` is none of f32, f16, u32, i32 and hex")));
        }
        dumps.push(Dump { group, binding, to: to.to_string() });
    }
    Ok(dumps)
}

/// Refuses dumps that are inputs, and two that are one file, in all of these places.
fn check_paths(args: &Run, input: &Path, dumps: &[Dump], places: &[Option<Place>]) -> Result<(), Failure> {
    // A buffer may be read from the file that it is dumped to.
    let read = args.immediates.as_deref().into_iter().flat_map(words::files);
    let inputs: Vec<PathBuf> = std::iter::once(input.to_path_buf()).chain(read).collect();
    let written = dumps.iter().filter(|d| !d.is_text()).flat_map(|d| places.iter().map(|p| d.path(*p)));
    files::distinct(&written.collect::<Vec<_>>(), &inputs)
}

/// Group and binding of each buffer that was given, and how.
pub type Kinds = Vec<(u32, u32, Spec)>;

/// Writes what was asked for. Text has words as they were given, `kinds`, and those that were zeros or a file as the shader accesses
/// them. With `place`, one of several, files and lines are named after it.
fn write_dumps(
    dumps: &[Dump],
    done: &Dispatch,
    (kinds, module): (&Kinds, Option<&Module>),
    place: Option<Place>,
) -> Result<(), Failure> {
    for d in dumps {
        let Some(buffer) = done.buffer(d.group, d.binding) else { continue };
        let given = kinds.iter().find(|k| (k.0, k.1) == (d.group, d.binding)).map(|k| &k.2);
        match d.to.strip_prefix('-') {
            Some(kind) if kind.is_empty() || kind.starts_with(':') => {
                let asked = kind.strip_prefix(':').and_then(Kind::named);
                let size = buffer.bytes.len();
                let accessed = match (asked, module) {
                    (None, Some(module)) => gpucc_verify::kinds(module, (d.group, d.binding), size),
                    _ => Vec::new(),
                };
                let accessed = |at: usize| Kind::of(accessed.get(at / 4).copied().flatten());
                let kind = |at: usize| asked.or_else(|| given?.kind(at)).unwrap_or_else(|| accessed(at));
                let lead = place_name(place, ":").map_or_else(String::new, |n| n + " ");
                let binding = gpucc_ir::binding_text(d.binding);
                let text = format!("{lead}{}:{binding} = {}\n", d.group, words::text(&buffer.bytes, kind));
                files::stdout(text.as_bytes())?;
            }
            _ => files::write(&d.path(place), &buffer.bytes)?,
        }
    }
    Ok(())
}

/// `gpucc run --launch FILE.json`: code of any compiler, as its launch description says.
fn launch(args: &Run, path: &Path, messages: &Messages) -> Result<(), Failure> {
    let launch = Launch::read(&files::read(path)?)
        .map_err(|e| Failure::Input(format!("`{}` is not a launch description: {e}", path.display())))?;
    let dumps = dumps(args, &launch.dispatch)?;
    check_paths(args, path, &dumps, &[None])?;
    let mut done = launch.dispatch.clone();
    let on = format!("{}:{}", launch.container.family, launch.container.generation);
    let report = launch.run(&mut done, &options(args)).map_err(|t| match t.kind {
        TrapKind::Unsupported => Failure::Unsupported(Refusal::NotModelled, t.to_string()),
        _ => {
            let reporter = Reporter::new(messages, &path.display().to_string(), "");
            Where { on: &on, code: Code::Machine(None), names: &[], reporter: &reporter }.trap(&t)
        }
    })?;
    if args.stats {
        show(&report, &on)?;
    }
    write_dumps(&dumps, &done, (&Vec::new(), None), None)
}

/// Compiles for one target, runs, and compares with the oracle if asked.
fn machine(
    args: &Run,
    shader: &input::Input,
    entry: &str,
    target: Target,
    dispatch: &Dispatch,
    options: &RunOptions,
) -> Result<Ran, Failure> {
    let o = Options { target, codegen: input::codegen_options(&args.front) };
    let artifact = gpucc::compile_entry(&shader.module, entry, &o).map_err(|d| {
        let class = d.class;
        shader.report.show(&[d], Some(&target.to_string()));
        Failure::from(class)
    })?;
    let code = artifact.container().entry(entry);
    let mut d = dispatch.clone();
    if let Some(e) = code {
        bound(e, &d)?;
    }
    let (on, names) = (target.to_string(), names(shader));
    let place = Where { on: &on, code: Code::Machine(code), names: &names, reporter: &shader.report };
    let report = gpucc_machines::run(artifact.container(), Some(entry), &mut d, options).map_err(|t| place.trap(&t))?;
    place.races(&report);
    said(&report, entry, &d, &on, &shader.report);
    if args.stats {
        show(&report, &on)?;
    }
    if !args.oracle {
        return Ok((d, Ok(())));
    }
    let selected = &artifact.outputs()[0].ir;
    let machine = (target.family(), target.generation_index());
    let verdict = gpucc_machines::judge((&shader.module, selected), entry, machine, dispatch, &d, options)
        .map_err(|v| match v {
            Verdict::Trap(t) => Where { on: "the oracle", code: Code::Machine(None), ..place }.trap(&t),
            other => Failure::Input(format!("{target} {other}")),
        })
        .and_then(|c| comparison::say(&c.comparison(), ("oracle", ""), (&shader.report, &on), args.deny));
    Ok((d, verdict))
}
