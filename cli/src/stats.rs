//! `gpucc stats` and `gpucc stats merge`: what every shader becomes on every target, as numbers.
//!
//! A report is a list of rows, one for each file, entry point and target, sorted by file, entry, stage and target, so that
//! the reports of all shards together are the report of the whole.

use std::path::{Path, PathBuf};

use gpucc::frontend::{self, Lang, Loaded};
use gpucc::{CodegenOptions, Options, Output, SharedPasses, Target};
use gpucc_container::Entry;
use gpucc_ir::{Class, Diagnostic, EntryPoint, Module};
use gpucc_render::Shaders;
use gpucc_scene::{SceneFile, check, read};
use rayon::prelude::*;
use serde_json::{Map, Value, json};

use crate::args::{ColorArg, Front, MessageFormat, Messages, ReportFormat, Stats};
use crate::report::Reporter;
use crate::rows::{FORMAT, Report, Row, read_report};
use crate::shaders::{self, Shader};
use crate::{Failure, effect, files, input, progress, table};

/// The status that a class of diagnostics means.
fn status(class: Class) -> &'static str {
    match class {
        Class::Invalid => "invalid",
        Class::Unsupported => "refused",
        Class::Internal => "bug",
    }
}

/// A row without numbers yet.
pub fn row(file: &str, entry: &str, stage: &str, target: Target) -> Row {
    Row {
        file: file.into(),
        entry: entry.into(),
        stage: stage.into(),
        target: target.to_string(),
        status: "ok".into(),
        message: String::new(),
        code: String::new(),
        line: None,
        column: None,
        stats: Map::new(),
        limiter: String::new(),
        lines: Map::new(),
        line_costs: Map::new(),
    }
}

/// Options of code generation for an entry point of a module. A vertex and a fragment entry that are a pair are measured as one: what
/// the one does not read the other need not give.
pub fn codegen(module: &Module, entry: &EntryPoint, other: Option<&Module>, front: &Front) -> CodegenOptions {
    let mut codegen = input::codegen_options(front);
    let alone = |m: &&Module| m.entries.len() == 1 && module.entries.len() == 1;
    let context = match other.filter(alone) {
        Some(other) => gpucc::pipeline::pair_with(entry, other),
        None => gpucc::pipeline::pair_of(module, entry),
    };
    if let Some(context) = context {
        codegen.context = Some(Box::new(context));
        codegen.bound.wide = Some(Vec::new());
    }
    codegen
}

impl Row {
    /// Takes the outcome of a compilation for this row.
    pub fn take(&mut self, done: Result<&Output, &Diagnostic>, per_line: bool) {
        match done {
            Err(d) => {
                let outcome = (status(d.class).into(), d.code.into(), d.message.clone());
                (self.status, self.code, self.message) = outcome;
            }
            Ok(out) => {
                self.stats = out.stats.iter().map(|(k, v)| (k.clone(), json!(v))).collect();
                self.limiter = out.limiter.into();
                if per_line {
                    self.line_costs = out.lines.iter().map(|(line, c)| (line.to_string(), line_cost(c))).collect();
                    self.lines = by_line(&out.entry.parts().iter().map(|p| &*p.1).collect::<Vec<_>>());
                }
            }
        }
    }
}

/// The rows of one file.
struct Rows<'a> {
    file: &'a str,
    targets: &'a [Target],
    /// The places in the file.
    places: Option<Reporter>,
    list: Vec<Row>,
}

impl Rows<'_> {
    fn row(&self, entry: &str, stage: &str, target: Target) -> Row {
        row(self.file, entry, stage, target)
    }

    /// Keeps the place of a message.
    fn place(&self, row: &mut Row, d: &Diagnostic) {
        if let Some((line, column)) = self.places.as_ref().and_then(|p| p.own_place(d)) {
            (row.line, row.column) = (Some(line), Some(column));
        }
    }

    /// The same outcome on every target.
    fn everywhere(&mut self, entry: &str, stage: &str, status: &str, (code, message): (&str, &str)) {
        for &t in self.targets {
            let mut row = self.row(entry, stage, t);
            (row.status, row.code, row.message) = (status.into(), code.into(), message.into());
            self.list.push(row);
        }
    }

    /// The refusals of the frontend hold on every target.
    fn refused(&mut self, entry: &str, stage: &str, list: &[Diagnostic]) {
        let class = crate::worst(list);
        let first = list.iter().find(|d| d.class == class);
        let (code, message) = first.map_or(("", ""), |d| (d.code, d.message.as_str()));
        let status = if code == "io" { "unreadable" } else { status(class) };
        let before = self.list.len();
        self.everywhere(entry, stage, status, (code, message));
        if let Some(d) = first {
            let mut rows = self.list.split_off(before);
            rows.iter_mut().for_each(|row| self.place(row, d));
            self.list.append(&mut rows);
        }
    }

    /// The entry points of a module on every target.
    fn compile(&mut self, loaded: &Loaded, other: Option<&Module>, front: &Front, per_line: bool) {
        for entry in &loaded.module.entries {
            let codegen = codegen(&loaded.module, entry, other, front);
            let mut passes = self.passes();
            for &target in self.targets {
                let row = self.row(&entry.name, entry.stage.kind().name(), target);
                let options = Options { target, codegen: codegen.clone() };
                self.entry(row, (&loaded.module, &entry.name), &options, per_line, &mut passes);
            }
        }
    }

    /// The stages of each pipeline of a scene on every target, each with what stands around it there.
    fn scene(&mut self, file: &SceneFile, shaders: &Shaders, front: &Front, per_line: bool) {
        for ((name, _), stages) in file.scene.pipelines.iter().zip(&shaders.pipelines) {
            for e in stages.all().map(|k| &shaders.entries[k]) {
                let mut passes = self.passes();
                for &target in self.targets {
                    let row = self.row(&format!("{name}:{}", e.name), e.stage.name(), target);
                    let mut codegen = input::codegen_options(front);
                    (codegen.context, codegen.bound) = (e.context.clone(), e.bound.clone());
                    self.entry(row, (&e.module, &e.name), &Options { target, codegen }, per_line, &mut passes);
                }
            }
        }
    }

    /// What the targets of an entry point share.
    fn passes(&self) -> SharedPasses {
        if self.targets.len() > 1 { SharedPasses::new() } else { SharedPasses::none() }
    }

    /// Fills and keeps the row of an entry point.
    fn entry(
        &mut self,
        mut row: Row,
        (module, name): (&Module, &str),
        options: &Options,
        per_line: bool,
        passes: &mut SharedPasses,
    ) {
        let mut options = options.clone();
        options.codegen.by_line = per_line;
        let done = gpucc::compile_entry_sharing(module, name, &options, passes);
        if let Err(d) = &done {
            self.place(&mut row, d);
        }
        row.take(done.as_ref().map(|a| &a.outputs()[0]), per_line);
        self.list.push(row);
    }
}

/// The numbers of a source line.
fn line_cost(cost: &gpucc::LineCost) -> Value {
    let live = cost.live.iter().map(|(file, n)| (format!("live_{file}"), json!(n)));
    let cycles = cost.cycles.iter().map(|(unit, n)| (format!("cycles_{unit}"), json!(n)));
    Value::Object(live.chain(cycles).collect())
}

/// Code bytes of programs by source line; what lies before the first row of a program's line table is of line 0.
fn by_line(programs: &[&Entry]) -> Map<String, Value> {
    let mut bytes = std::collections::BTreeMap::new();
    for p in programs {
        let starts = std::iter::once((0, 0)).chain(p.lines.iter().map(|l| (l.pc, l.line)));
        let ends = p.lines.iter().map(|l| l.pc).chain([p.code.len() as u32]);
        for ((start, line), end) in starts.zip(ends) {
            if end > start {
                *bytes.entry(line).or_insert(0u64) += u64::from(end - start);
            }
        }
    }
    bytes.into_iter().map(|(l, b)| (l.to_string(), json!(b))).collect()
}

/// The outcome of one shader.
#[derive(Default)]
struct One {
    rows: Vec<Row>,
    /// The file that could not be read.
    problem: Option<Failure>,
    /// Options that name something which it does not have.
    lacks: Vec<String>,
    /// Options that have no effect on it, each in a sentence.
    idle: Vec<String>,
}

impl One {
    fn failed(rows: Rows<'_>, problem: Failure) -> One {
        One { rows: rows.list, problem: Some(problem), ..One::default() }
    }
}

/// How `--entry` is shown.
fn entry_option(name: &str) -> String {
    format!("--entry {name}")
}

/// How `--override` is shown.
fn override_option(name: &str) -> String {
    format!("--override {name}")
}

/// Compiles one shader. Of many not all have the entry point or the overrides that the options name: without the entry point it
/// has no rows, and an override that it lacks is left out.
fn compile_one(shader: &Shader, partner: Option<&Shader>, targets: &[Target], args: &Stats) -> One {
    let front = &args.front;
    let mut rows = Rows { file: &shader.name, targets, places: None, list: Vec::new() };
    if read::Language::of(&shader.path).is_some() {
        return scene(shader, rows, args);
    }
    let mut options = match input::language(&shader.path, front).and_then(|_| input::front_options(front)) {
        Ok(options) => options,
        Err(f) => return One::failed(rows, f),
    };
    let bytes = match files::read(&shader.path) {
        Ok(bytes) => bytes,
        Err(f) => {
            rows.everywhere(front.entry.as_deref().unwrap_or("*"), "*", "unreadable", ("io", &f.to_string()));
            return One::failed(rows, f);
        }
    };
    options = input::of_file(options, &shader.path);
    let mut source = match input::source(&shader.path, &bytes, front, &options) {
        Ok(source) => source,
        Err(f) => return One::failed(rows, f),
    };
    // What is wrong with the other is told where it is compiled.
    let other_bytes = partner.and_then(|p| files::read(&p.path).ok());
    let other = partner.zip(other_bytes.as_ref()).and_then(|(p, bytes)| {
        let options = input::of_file(options.clone(), &p.path);
        let read = input::source(&p.path, bytes, front, &options).ok()?;
        if let Some(linked) = source.linked(&read) {
            source = linked;
        }
        let linked = read.linked(&source);
        linked.unwrap_or(read).load(&options).ok().map(|l| l.module)
    });
    let quiet = Messages { color: ColorArg::Never, message_format: MessageFormat::Human };
    rows.places = Some(Reporter::with_files(&quiet, source.files(&options.around.name)));
    let (mut lacks, mut idle) = (Vec::new(), effect::none_on(front, source.kind()));
    let loaded = loop {
        let loaded = source.load(&options);
        let code = loaded.as_ref().err().and_then(|list| list.first()).map(|d| (d.code, d.message.clone()));
        match (code, &options.entry) {
            (Some(("no-entry-point", _)), Some(name)) => {
                lacks.push(entry_option(name));
                return One { lacks, idle, ..One::default() };
            }
            (Some(("override", message)), _) if message.starts_with("there is no override") => {
                let lacking = |o: &(String, f64)| message.contains(&format!("`{}`", o.0));
                let Some(at) = options.overrides.iter().position(lacking) else { break loaded };
                lacks.push(override_option(&options.overrides.remove(at).0));
            }
            _ => break loaded,
        }
    };
    idle.extend(loaded.as_ref().map_or_else(|_| Vec::new(), |l| effect::none_in(front, &l.module)));
    match loaded {
        Ok(loaded) => rows.compile(&loaded, other.as_ref(), front, args.per_line),
        Err(list) if front.entry.is_some() => rows.refused(front.entry.as_deref().unwrap_or("*"), "*", &list),
        // One entry point that is refused loses no other.
        Err(list) => match source.load_each(&options) {
            Ok(each) if !each.is_empty() => {
                for (entry, loaded) in each {
                    match loaded {
                        Ok(loaded) => rows.compile(&loaded, other.as_ref(), front, args.per_line),
                        Err(list) => rows.refused(&entry.name, entry.stage, &list),
                    }
                }
            }
            _ => rows.refused("*", "*", &list),
        },
    }
    One { rows: rows.list, problem: None, lacks, idle }
}

/// Compiles the pipelines of a scene.
fn scene(shader: &Shader, mut rows: Rows<'_>, args: &Stats) -> One {
    let front = &args.front;
    if let Some(option) =
        [front.entry.as_ref().map(|_| "--entry"), front.given().filter(|o| *o != "-O")].into_iter().flatten().next()
    {
        let why = format!("{option} applies to shaders only; the scene `{}` sets its own", shader.path.display());
        return One::failed(rows, Failure::Usage(why));
    }
    let read = read::open(&shader.path).and_then(|file| check::scene(&file.scene).map(|()| file));
    let file = match read {
        Ok(file) => file,
        Err(e) => {
            let (status, code) = if e.is_io { ("unreadable", "io") } else { ("invalid", "scene") };
            // Reports have no paths.
            let message = if e.field.is_empty() { e.message.clone() } else { format!("{}: {}", e.field, e.message) };
            rows.everywhere("*", "*", status, (code, &message));
            let problem = e.is_io.then(|| Failure::Io(e.to_string()));
            return One { rows: rows.list, problem, ..One::default() };
        }
    };
    match Shaders::load(&file) {
        Ok(shaders) => rows.scene(&file, &shaders, front, args.per_line),
        Err(gpucc_render::Failure::Shader { list, .. }) => rows.refused("*", "*", &list),
        Err(f) => rows.everywhere("*", "*", "invalid", ("scene", &f.to_string())),
    }
    One { rows: rows.list, ..One::default() }
}

/// The settings that decide the numbers besides shader and target: every option of the compilation, those with a default in any case.
fn options(front: &Front) -> Map<String, Value> {
    let mut map = Map::new();
    map.insert("opt".into(), json!(front.level()));
    map.insert("robust".into(), if front.robustness() == "zero" { json!("zero") } else { json!(front.robust()) });
    map.insert("entry".into(), json!(front.entry));
    map.insert("overrides".into(), json!(front.overrides));
    for o in front.list() {
        if !o.value.is_null() && !map.contains_key(o.key) {
            map.insert(o.key.into(), o.value);
        }
    }
    map
}

/// The command line without paths and without what decides how, not what, is reported.
fn command(args: &Stats, targets: &[Target]) -> String {
    let front = &args.front;
    let names: Vec<String> = targets.iter().map(Target::to_string).collect();
    let robust = front.robustness();
    let mut out = format!("gpucc stats --target {} -O {} --robust {robust}", names.join(","), front.level());
    for o in front.list().iter().filter(|o| !["-O", "--robust"].contains(&o.option)) {
        for value in o.values() {
            out += &format!(" {}", o.option);
            out += &if value.is_empty() { String::new() } else { format!(" {value}") };
        }
    }
    if args.per_line {
        out += " --per-line";
    }
    out
}

fn merge(args: &Stats) -> Result<(), Failure> {
    let paths = &args.paths[1..];
    let unused = [
        (args.jobs.is_some(), "--jobs"),
        (args.shard.is_some(), "--shard"),
        (args.front.entry.is_some(), "--entry"),
        (args.target.is_some(), "--target"),
    ];
    let unused = unused.into_iter().find(|u| u.0).map(|u| u.1).or(args.front.given());
    if let Some(option) = unused {
        return Err(Failure::Usage(format!("{option} has no effect on `stats merge`")));
    }
    if let Some(out) = &args.output {
        files::distinct(std::slice::from_ref(out), paths)?;
    }
    let mut whole: Option<Report> = None;
    let mut shards = Vec::new();
    for p in paths {
        let mut next = read_report(p)?;
        if next.format != FORMAT {
            return Err(Failure::Input(format!("`{}` has the format `{}`, not `{FORMAT}`", p.display(), next.format)));
        }
        shards.push((p, next.shard.take()));
        let Some(all) = &mut whole else {
            whole = Some(next);
            continue;
        };
        if (&all.version, &all.options, &all.command) != (&next.version, &next.options, &next.command) {
            return Err(Failure::Input(format!(
                "`{}` was made by another version or command than `{}`:\n  gpucc {}: {}\n  gpucc {}: {}",
                p.display(),
                paths[0].display(),
                next.version,
                next.command,
                all.version,
                all.command
            )));
        }
        all.rows.append(&mut next.rows);
    }
    let Some(mut whole) = whole else {
        return Err(Failure::Usage("stats merge needs at least one report".into()));
    };
    complete(&shards)?;
    whole.rows.sort_by(|a, b| a.key().cmp(&b.key()));
    if let Some(w) = whole.rows.windows(2).find(|w| w[0].key() == w[1].key()) {
        return Err(Failure::Input(format!("two of the reports have a row for {}", w[0].name())));
    }
    write(&whole, form(args, ReportFormat::Json)?, args, &[])
}

/// Whether reports are all shards of one whole, each once, or none is a shard.
fn complete(reports: &[(&PathBuf, Option<String>)]) -> Result<(), Failure> {
    let mut seen: Vec<(usize, &PathBuf)> = Vec::new();
    let mut count = None;
    for (path, text) in reports {
        let Some(text) = text else { continue };
        let shown = path.display();
        let (i, n) = shard(text).map_err(|_| Failure::Input(format!("`{shown}` has the shard `{text}`, not I/N")))?;
        if *count.get_or_insert(n) != n {
            return Err(Failure::Input(format!(
                "`{shown}` is shard {text}, others are of {} shards",
                count.unwrap_or(n)
            )));
        }
        if let Some((_, first)) = seen.iter().find(|s| s.0 == i) {
            return Err(Failure::Input(format!("`{}` and `{shown}` are both shard {text}", first.display())));
        }
        seen.push((i, path));
    }
    let Some(n) = count else { return Ok(()) };
    if let Some((path, _)) = reports.iter().find(|r| r.1.is_none()) {
        return Err(Failure::Input(format!("`{}` is not a shard, other reports are", path.display())));
    }
    let missing: Vec<String> = (1..=n).filter(|i| seen.iter().all(|s| s.0 != *i)).map(|i| format!("{i}/{n}")).collect();
    match missing.as_slice() {
        [] => Ok(()),
        [one] => Err(Failure::Input(format!("shard {one} is missing"))),
        list => Err(Failure::Input(format!("{} shards are missing: {}", list.len(), list.join(", ")))),
    }
}

/// Shard I of N.
fn shard(text: &str) -> Result<(usize, usize), Failure> {
    let bad = || Failure::Usage(format!("`--shard {text}`: expected I/N with 1 <= I <= N"));
    let (i, n) = text.split_once('/').ok_or_else(bad)?;
    let (i, n): (usize, usize) = (i.parse().map_err(|_| bad())?, n.parse().map_err(|_| bad())?);
    if i == 0 || i > n { Err(bad()) } else { Ok((i, n)) }
}

/// The form of a report: that of `--format`, else what the ending of `-o` says, else `default`.
///
/// # Errors
/// Usage: an ending that says nothing of the form.
fn form(args: &Stats, default: ReportFormat) -> Result<ReportFormat, Failure> {
    let ending = args.output.as_deref().filter(|p| !p.exists() || p.is_file()).and_then(Path::extension);
    match (args.format, ending.and_then(std::ffi::OsStr::to_str)) {
        (Some(format), _) => Ok(format),
        (None, None) => Ok(default),
        (None, Some("json")) => Ok(ReportFormat::Json),
        (None, Some("csv")) => Ok(ReportFormat::Csv),
        (None, Some("md")) => Ok(ReportFormat::Md),
        (None, Some("html" | "htm")) => Ok(ReportFormat::Html),
        (None, Some("txt")) => Ok(ReportFormat::Table),
        (None, Some(other)) => Err(Failure::Usage(format!(
            "-o: the ending `.{other}` names no form; use .json, .csv, .md, .html or .txt (a table), or --format"
        ))),
    }
}

/// The lines of a shader that is one text; of a binary those of the one file that it says it was made from.
fn source_lines(path: &Path) -> Vec<String> {
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
    let bytes = || files::read(path).unwrap_or_default();
    let text = match ending.as_str() {
        "wgsl" | "glsl" | "vert" | "frag" | "comp" | "gir" => String::from_utf8_lossy(&bytes()).into_owned(),
        "spv" => match &frontend::source_files(&bytes(), Lang::Spirv)[..] {
            [one] => one.text().to_string(),
            _ => String::new(),
        },
        _ => String::new(),
    };
    text.lines().map(String::from).collect()
}

fn write(report: &Report, format: ReportFormat, args: &Stats, shaders: &[Shader]) -> Result<(), Failure> {
    let mut sources = table::Sources::new();
    if format == ReportFormat::Html && args.per_line {
        sources = shaders.iter().map(|s| (s.name.clone(), source_lines(&s.path))).collect();
    }
    let text = table::report(report, format, args.per_line, &sources)?;
    match &args.output {
        Some(p) => files::write(p, text.as_bytes()),
        None => files::stdout(text.as_bytes()),
    }
}

/// `gpucc stats PATH... --target T` and `gpucc stats merge A.json B.json... -o C.json`.
///
/// # Errors
/// Usage and I/O; exit 1 or 70 when a shader was invalid or met a compiler bug. Refusals are listed results.
pub fn main(args: &Stats, messages: &Messages) -> Result<(), Failure> {
    if args.paths[0] == Path::new("merge") && (args.target.is_none() || !args.paths[0].exists()) {
        return merge(args);
    }
    let targets = input::targets(Some(args.target.as_deref().unwrap_or("all")))?;
    let shard = args.shard.as_deref().map(shard).transpose()?;
    if args.jobs == Some(0) {
        return Err(Failure::Usage("--jobs 0: at least one thread is needed".into()));
    }
    let mut problems = Vec::new();
    let mut list = shaders::find(&args.paths, &mut problems);
    if let Some(out) = &args.output {
        let inputs: Vec<PathBuf> = list.iter().map(|s| s.path.clone()).collect();
        files::distinct(std::slice::from_ref(out), &inputs)?;
    }
    let format = form(args, ReportFormat::Table)?;
    let whole = if args.paths.len() == 2 { list.clone() } else { Vec::new() };
    if let Some((i, n)) = shard {
        list = list.into_iter().skip(i - 1).step_by(n).collect();
    }
    let pool = rayon::ThreadPoolBuilder::new()
        // More threads than shaders would only be started and stopped.
        .num_threads(args.jobs.map_or(0, |n| n.min(list.len().max(1))))
        .stack_size(crate::STACK)
        .start_handler(|_| gpucc::frontend::promise_room(crate::FRONT_END_ROOM))
        .build()
        .map_err(|e| Failure::Io(format!("cannot start threads: {e}")))?;
    let bar = progress::bar(list.len(), "shaders", messages);
    // Two files are the stages of a pipeline, if they have one each.
    let pair = if args.paths.len() == 2 && args.paths.iter().all(|p| p.is_file()) { whole.as_slice() } else { &[] };
    let partner = |s: &Shader| pair.iter().find(|o| *o != s).filter(|_| pair.len() == 2);
    // Collected by place in the list: the report is the same for any number of threads.
    let results: Vec<One> = pool.install(|| {
        let one = |s: &Shader| {
            let rows = compile_one(s, partner(s), &targets, args);
            bar.inc(1);
            rows
        };
        list.par_iter().map(one).collect()
    });
    bar.finish_and_clear();
    // A name that no shader has is a mistake.
    let entry = args.front.entry.iter().map(|e| entry_option(e));
    let overrides = args.front.overrides.iter().map(|o| override_option(o.split('=').next().unwrap_or(o).trim()));
    let asked = shard.is_none() && !results.is_empty();
    let unknown = entry.chain(overrides).find(|o| asked && results.iter().all(|r| r.lacks.contains(o)));
    // So is one that has no effect on any, unless another shard has what it is for.
    let idle: Vec<Vec<String>> = results.iter().map(|r| r.idle.clone()).collect();
    let idle = effect::everywhere(&idle).filter(|_| asked);
    if let Some(text) = idle.filter(|_| results.iter().all(|r| r.problem.is_none())) {
        return Err(Failure::Usage(text));
    }
    let mut rows = Vec::new();
    for one in results {
        rows.extend(one.rows);
        problems.extend(one.problem);
    }
    rows.sort_by(|a, b| a.key().cmp(&b.key()));
    problems.iter().for_each(|p| p.say(messages));
    let report = Report {
        format: FORMAT.into(),
        version: env!("CARGO_PKG_VERSION").into(),
        options: options(&args.front),
        command: command(args, &targets),
        shard: shard.map(|(i, n)| format!("{i}/{n}")),
        rows,
    };
    write(&report, format, args, &list)?;
    let count = |s: &str| report.rows.iter().filter(|r| r.status == s).count();
    match (count("bug"), problems.len(), count("invalid")) {
        (0, 0, 0) => match unknown {
            Some(option) => Err(Failure::Input(format!("no shader has what `{option}` names"))),
            None => Ok(()),
        },
        (0, 0, n) => Err(Failure::Input(format!("{} of invalid shaders", rows_text(n)))),
        (0, n, _) => Err(Failure::Io(format!("{n} of the inputs could not be read"))),
        (n, ..) => Err(Failure::Bug(format!("{} met a compiler bug", rows_text(n)))),
    }
}

fn rows_text(n: usize) -> String {
    if n == 1 { "1 row is".into() } else { format!("{n} rows are") }
}

/// A report with everything that one can have.
#[cfg(test)]
pub fn sample() -> Value {
    let rows = Rows { file: "a.wgsl", targets: &[], places: None, list: Vec::new() };
    let mut row = rows.row("main", "compute", Target::parse("gcn").expect("a target"));
    (row.message, row.code) = ("m".into(), "c".into());
    row.lines.insert("1".into(), json!(4));
    row.line_costs.insert("1".into(), json!({}));
    row.limiter = "none".into();
    (row.line, row.column) = (Some(1), Some(1));
    let report = Report {
        format: FORMAT.into(),
        version: String::new(),
        options: Map::new(),
        command: String::new(),
        shard: Some("1/2".into()),
        rows: vec![row],
    };
    serde_json::to_value(report).expect("a report is JSON")
}

#[cfg(test)]
mod tests {
    use super::*;
    use gpucc_container::LineEntry;

    #[test]
    fn lines_add_up() {
        let line = |pc, line| LineEntry { pc, line, column: 1 };
        let mut e = Entry { code: vec![0; 40], lines: vec![line(8, 3), line(16, 5), line(24, 3)], ..Entry::default() };
        let sum = |e: &Entry| by_line(&[e]).values().filter_map(Value::as_u64).sum::<u64>();
        assert_eq!(Value::from(by_line(&[&e])), json!({"0": 8, "3": 24, "5": 8}));
        assert_eq!(sum(&e), 40);
        e.lines.clear();
        assert_eq!(Value::from(by_line(&[&e])), json!({"0": 40}));
    }

    #[test]
    fn shards() {
        assert_eq!(shard("2/3").ok(), Some((2, 3)));
        for wrong in ["0/3", "4/3", "1", "a/b", "1/0", "-1/2"] {
            assert!(shard(wrong).is_err(), "{wrong}");
        }
    }
}
