//! `gpucc explain`: what a shader became, line by line, as text or as a page.

mod checks;
mod executed;
mod html;
pub mod json;
mod model;
mod remarks;
mod scene;
mod text;
mod values;
mod versions;
mod waits;
mod why;

use std::collections::BTreeSet;
use std::path::Path;

use gpucc::{Artifact, Options};
use gpucc_ir::{Diagnostic, Module};
use gpucc_render::Shaders;
use gpucc_scene::read::Language;

use crate::args::{Explain, Messages};
use crate::report::{Reporter, plain};
use crate::{Failure, files, input, stats};
pub use model::Page;
use model::{Column, Problem};
use scene::scene;

/// The command that makes the same again, as a person would write it.
fn command(input: &Path, args: &Explain, targets: &[gpucc::Target]) -> String {
    let front = &args.front;
    let names: Vec<String> = targets.iter().map(ToString::to_string).collect();
    let input = input.display();
    let mut out = format!("gpucc explain {input} --target {}", names.join(","));
    for given in front.list() {
        for value in given.values() {
            let blank = if value.is_empty() { "" } else { " " };
            out += &format!(" {}{blank}{value}", given.option);
        }
    }
    if args.executed {
        out += " --executed";
    }
    let immediates = args.immediates.iter().map(|i| ("--immediates", i));
    let buffers = args.buffers.iter().map(|b| ("--buf", b));
    for (option, value) in args.grid.iter().map(|g| ("--grid", g)).chain(buffers).chain(immediates) {
        out += &format!(" {option} {value}");
    }
    out
}

/// Messages as the page has them.
fn problems(list: &[Diagnostic], report: &crate::report::Reporter) -> Vec<Problem> {
    list.iter().map(|d| Problem::new(&report.json(d, None))).collect()
}

/// The explanation of a shader or of the shaders of a scene, and what kept it from code on some target. Messages are shown.
///
/// # Errors
/// Usage and I/O, and a scene that is wrong.
pub fn explained(input: &Path, args: &Explain, messages: &Messages) -> Result<(Page, Vec<Diagnostic>), Failure> {
    let targets = input::targets(args.target.as_deref())?;
    let name = plain(&input.display().to_string()).into_owned();
    let mut page = Page { command: command(input, args, &targets), name, ..Page::default() };
    let is_stdin = input == Path::new("-");
    if is_stdin && args.front.lang.is_none() && input::is_scene(&files::read(input)?)
        || args.front.lang.is_none() && Language::of(input).is_some()
    {
        return of_scene(input, args, messages, &targets, page);
    }
    let shader = match input::attempt(input, &args.front, messages)? {
        Ok(shader) => shader,
        Err((list, report)) => {
            page.read(report.source());
            page.problems = problems(&list, &report);
            return Ok((page, list));
        }
    };
    let text = page.read(shader.report.source());
    if is_stdin {
        page.name.clone_from(&page.sources[text].name);
    }
    let dispatch = executed::dispatch(args, &shader.module)?;
    if dispatch.is_some() {
        is_dispatched(&shader.module)?;
    }
    let mut wrong = Vec::new();
    for entry in &shader.module.entries {
        for &target in &targets {
            let codegen = stats::codegen(&shader.module, entry, None, &args.front);
            let row = stats::row(&page.name, &entry.name, entry.stage.kind().name(), target);
            let options = Options { target, codegen };
            let run = |made: &Artifact| {
                let d = dispatch.as_ref();
                d.map(|d| executed::of_shader(&shader, &entry.name, made, d)).transpose()
            };
            let of = (&shader.module, entry.name.as_str());
            let (column, d) = column((row, text), of, options, &shader.report, &run)?;
            page.columns.push(column);
            wrong.extend(d);
        }
    }
    Ok((page, wrong))
}

/// The explanation of the input, and of the version that it is compared with.
fn both(args: &Explain, messages: &Messages) -> Result<(Page, Vec<Diagnostic>), Failure> {
    let (mut page, mut wrong) = explained(&args.input, args, messages)?;
    if let Some(old) = &args.against {
        let (old, more) = explained(old, args, messages)?;
        page.command += &format!(" --against {}", old.name);
        wrong.extend(more);
        page.against = Some(Box::new(old));
    }
    Ok((page, wrong))
}

/// An entry point on a target.
fn column(
    (mut row, text): (crate::rows::Row, usize),
    (module, name): (&Module, &str),
    mut options: Options,
    report: &Reporter,
    run: &dyn Fn(&Artifact) -> Result<Option<executed::Counts>, Failure>,
) -> Result<(Column, Option<Diagnostic>), Failure> {
    options.codegen.by_line = true;
    options.codegen.time_passes = true;
    let mut done = gpucc::compile_entry(module, name, &options);
    if let Some(made) = done.as_ref().ok().filter(|_| why::is_looked_at(module)) {
        // Once more with the texts after the passes that ran: it is known now which there are.
        let passes: BTreeSet<&str> = made.outputs()[0].times.iter().map(|t| t.pass).collect();
        options.codegen.dump_after = passes.into_iter().map(String::from).collect();
        done = gpucc::compile_entry(module, name, &options);
    }
    row.take(done.as_ref().map(|a| &a.outputs()[0]), true);
    if let Err(d) = &done {
        (row.line, row.column) = report.own_place(d).unzip();
        report.show(std::slice::from_ref(d), Some(&row.target));
    }
    let mut column = Column::new(row, text, done.as_ref().ok().map(|a| (module, a)));
    if let Ok(made) = &done {
        column.executed = run(made)?;
    }
    Ok((column, done.err()))
}

/// Refuses inputs of a run for what is not run by them.
fn is_dispatched(m: &Module) -> Result<(), Failure> {
    let names: Vec<&str> = m.entries.iter().map(|e| e.name.as_str()).collect();
    let entry = crate::run::entry_name(&names, None)?;
    let stage = m.entry(&entry).map(|e| e.stage.kind()).filter(|s| *s != gpucc_ir::Stage::Compute);
    match stage {
        Some(stage) => Err(Failure::Usage(format!(
            "`{entry}` is a {} entry: what it executes is counted in a scene, with --executed",
            stage.name()
        ))),
        None => Ok(()),
    }
}

/// The stages of each pipeline of a scene, each with what stands around it there.
fn of_scene(
    input: &Path,
    args: &Explain,
    messages: &Messages,
    targets: &[gpucc::Target],
    mut page: Page,
) -> Result<(Page, Vec<Diagnostic>), Failure> {
    let front = &args.front;
    let given = [front.entry.as_ref().map(|_| "--entry"), front.given().filter(|o| *o != "-O")];
    if let Some(option) = given.into_iter().flatten().next() {
        return Err(Failure::Usage(format!("{option} applies to shaders only; a scene sets its own")));
    }
    let file = scene(input)?;
    if let Some(option) = [
        (args.grid.is_some(), "--grid"),
        (!args.buffers.is_empty(), "--buf"),
        (args.immediates.is_some(), "--immediates"),
    ]
    .into_iter()
    .find(|o| o.0)
    {
        return Err(Failure::Usage(format!("{} applies to shaders only; a scene sets its own", option.1)));
    }
    let shaders = match Shaders::load(&file) {
        Ok(shaders) => shaders,
        Err(gpucc_render::Failure::Shader { source, list }) => {
            let report = Reporter::with_files(messages, source.files());
            report.show(&list, None);
            page.read(report.source());
            page.problems = problems(&list, &report);
            return Ok((page, list));
        }
        Err(gpucc_render::Failure::Scene(e)) => {
            return Err(if e.is_io { Failure::Io(e.to_string()) } else { Failure::Scene(e) });
        }
        Err(f) => return Err(Failure::Input(f.to_string())),
    };
    let reports: Vec<Reporter> = shaders.sources.iter().map(|s| Reporter::with_files(messages, s.files())).collect();
    for report in &reports {
        page.read(report.source());
    }
    let counts = match args.executed {
        true => executed::of_scene(input, targets, front.level())?,
        false => Vec::new(),
    };
    let mut wrong = Vec::new();
    for ((name, _), stages) in file.scene.pipelines.iter().zip(&shaders.pipelines) {
        for (number, e) in stages.all().map(|k| (k, &shaders.entries[k])) {
            for (at, &target) in targets.iter().enumerate() {
                let row = stats::row(&page.name, &format!("{name}:{}", e.name), e.stage.name(), target);
                let mut codegen = input::codegen_options(front);
                (codegen.context, codegen.bound) = (e.context.clone(), e.bound.clone());
                let options = Options { target, codegen };
                let run = |_: &Artifact| Ok(counts.get(at).and_then(|c| c.get(&number)).cloned());
                let of = (&e.module, e.name.as_str());
                let (column, d) = column((row, e.source), of, options, &reports[e.source], &run)?;
                page.columns.push(column);
                wrong.extend(d);
            }
        }
    }
    Ok((page, wrong))
}

/// `gpucc explain INPUT --target T[,T] [--html OUT.html]`.
///
/// # Errors
/// Usage and I/O; 1, 3 or 70 where the shader is wrong, a target refuses it, or the compiler has a bug. The page is written all the same.
pub fn main(args: &Explain, messages: &Messages) -> Result<(), Failure> {
    input::targets(args.target.as_deref())?;
    let inputs: Vec<_> = std::iter::once(&args.input).chain(&args.against).cloned().collect();
    if inputs.len() > 1 && inputs.iter().all(|i| i == Path::new("-")) {
        return Err(Failure::Usage("standard input is one version: the other is a file".into()));
    }
    if let Some(out) = &args.html {
        files::distinct(std::slice::from_ref(out), &inputs)?;
    }
    let (page, wrong) = both(args, messages)?;
    for c in &page.columns {
        c.tell(&Reporter::new(messages, &page.sources[c.source].name, ""));
    }
    match &args.html {
        Some(out) => files::write(out, html::page(&page).as_bytes())?,
        // Messages are on standard error already.
        None if page.problems.is_empty() || args.json => {}
        None => return Err(crate::failure(&wrong)),
    }
    if args.json {
        files::stdout(format!("{}\n", json::page(&page)).as_bytes())?;
    } else if args.html.is_none() {
        files::stdout(text::page(&page).as_bytes())?;
    }
    if wrong.is_empty() { Ok(()) } else { Err(crate::failure(&wrong)) }
}
