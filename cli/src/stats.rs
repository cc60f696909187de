//! `gpucc stats`, `gpucc stats merge` and `gpucc diff`: shader-db statistics.
//!
//! A report is a list of rows, one for each (file, entry point, target). A row has either the numbers of the backend or
//! a status: `refused` (not supported on that target), `invalid` (wrong input) or `bug`. JSON form:
//! `{"format": "gpucc-stats-1", "rows": [{"file", "entry", "target", "status", "message"?, "stats": {name: number}}]}`.

use std::path::{Path, PathBuf};

use gpucc::frontend::{self, Lang};
use gpucc::{Options, Target};
use gpucc_ir::Class;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::args::{Diff, DiffFormat, Front, ReportFormat, Stats};
use crate::{Failure, files, input};

const FORMAT: &str = "gpucc-stats-1";

/// A report.
#[derive(Debug, Serialize, Deserialize)]
struct Report {
    format: String,
    rows: Vec<Row>,
}

/// One entry point on one target.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
struct Row {
    file: String,
    entry: String,
    target: String,
    /// `ok`, `refused`, `invalid` or `bug`.
    status: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    message: String,
    #[serde(default)]
    stats: Map<String, Value>,
    /// Code bytes by source line, with `--per-line`.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    lines: Map<String, Value>,
}

impl Row {
    fn key(&self) -> (&str, &str, &str) {
        (&self.file, &self.entry, &self.target)
    }
    fn stat(&self, name: &str) -> Option<u64> {
        self.stats.get(name).and_then(Value::as_u64)
    }
}

/// Shader files below the paths, sorted, symbolic links not followed into cycles.
fn shaders(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut list = Vec::new();
    let mut work: Vec<(PathBuf, u32)> = paths.iter().map(|p| (p.clone(), 0)).collect();
    while let Some((path, depth)) = work.pop() {
        let io = |e: std::io::Error| Failure::Io(format!("cannot read `{}`: {e}", path.display()));
        if path.is_dir() {
            if depth > 64 {
                return Err(Failure::Io(format!("`{}` is nested too deeply", path.display())));
            }
            for e in std::fs::read_dir(&path).map_err(io)? {
                work.push((e.map_err(io)?.path(), depth + 1));
            }
        } else if depth == 0 || known_ending(&path) {
            std::fs::metadata(&path).map_err(io)?;
            list.push(path);
        }
    }
    list.sort();
    list.dedup();
    Ok(list)
}

fn known_ending(path: &Path) -> bool {
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or("");
    ["wgsl", "spv", "glsl", "vert", "frag", "comp", "gir"].contains(&ending)
}

fn bad_row(file: &str, entry: &str, target: &str, class: Class, message: &str) -> Row {
    let status = match class {
        Class::Invalid => "invalid",
        Class::Unsupported => "refused",
        Class::Internal => "bug",
    };
    Row {
        file: file.into(),
        entry: entry.into(),
        target: target.into(),
        status: status.into(),
        message: message.into(),
        stats: Map::new(),
        lines: Map::new(),
    }
}

fn compile_one(path: &Path, targets: &[Target], front: &Front, per_line: bool) -> Result<Vec<Row>, Failure> {
    let file = path.display().to_string();
    let all = |class: Class, message: &str| {
        targets
            .iter()
            .map(|t| bad_row(&file, front.entry.as_deref().unwrap_or("*"), &t.to_string(), class, message))
            .collect()
    };
    let lang: Lang = input::language(path, front)?;
    let options = input::front_options(front)?;
    let bytes = files::read(path)?;
    let module = match frontend::load(&bytes, lang, &options) {
        Ok(l) => l.module,
        Err(list) => {
            let class = crate::worst(&list);
            let message = list.iter().find(|d| d.class == class).map_or("", |d| d.message.as_str());
            return Ok(all(class, message));
        }
    };
    let mut rows = Vec::new();
    for entry in &module.entries {
        if front.entry.as_ref().is_some_and(|e| *e != entry.name) {
            continue;
        }
        for &target in targets {
            let mut o = Options::new(target).entry(entry.name.as_str());
            o.codegen = input::codegen_options(front);
            rows.push(match gpucc::compile(&module, &o) {
                Err(d) => bad_row(&file, &entry.name, &target.to_string(), d.class, &d.message),
                Ok(a) => {
                    let out = &a.outputs()[0];
                    let mut lines = Map::new();
                    if per_line {
                        let end = out.entry.code.len() as u32;
                        let next = out.entry.lines.iter().skip(1).map(|l| l.pc).chain([end]);
                        let mut by_line = std::collections::BTreeMap::new();
                        for (l, next) in out.entry.lines.iter().zip(next) {
                            *by_line.entry(l.line).or_insert(0u64) += u64::from(next.saturating_sub(l.pc));
                        }
                        lines = by_line.into_iter().map(|(l, b)| (l.to_string(), json!(b))).collect();
                    }
                    Row {
                        file: file.clone(),
                        entry: entry.name.clone(),
                        target: target.to_string(),
                        status: "ok".into(),
                        message: String::new(),
                        stats: out.stats.iter().map(|(k, v)| (k.clone(), json!(v))).collect(),
                        lines,
                    }
                }
            });
        }
    }
    Ok(rows)
}

fn read_report(path: &Path) -> Result<Report, Failure> {
    let bytes = files::read(path)?;
    let report: Report = serde_json::from_slice(&bytes)
        .map_err(|e| Failure::Input(format!("`{}` is no statistics report: {e}", path.display())))?;
    if report.format != FORMAT {
        return Err(Failure::Input(format!("`{}` has format `{}`, not {FORMAT}", path.display(), report.format)));
    }
    Ok(report)
}

fn merge(args: &Stats) -> Result<(), Failure> {
    let mut rows: Vec<Row> = Vec::new();
    for p in &args.paths[1..] {
        rows.extend(read_report(p)?.rows);
    }
    rows.sort_by(|a, b| a.key().cmp(&b.key()));
    rows.dedup();
    if let Some(w) = rows.windows(2).find(|w| w[0].key() == w[1].key()) {
        let (f, e, t) = w[0].key();
        return Err(Failure::Input(format!("the reports disagree on {f} {e} {t}")));
    }
    emit(&Report { format: FORMAT.into(), rows }, ReportFormat::Json, false, args.output.as_deref())
}

/// `gpucc stats PATH... --target T` and `gpucc stats merge A.json B.json... -o C.json`.
///
/// # Errors
/// Usage and I/O; exit 1 or 70 when a shader was invalid or met a compiler bug. Refusals are listed results.
pub fn main(args: &Stats) -> Result<(), Failure> {
    if args.paths[0] == Path::new("merge") && args.target.is_none() {
        if args.paths.len() < 2 {
            return Err(Failure::Usage("stats merge needs at least one report".into()));
        }
        return merge(args);
    }
    let targets = input::targets(Some(args.target.as_deref().unwrap_or("all")))?;
    let mut list = shaders(&args.paths)?;
    if let Some(s) = &args.shard {
        let bad = || Failure::Usage(format!("`--shard {s}`: expected I/N with 1 <= I <= N"));
        let (i, n) = s.split_once('/').ok_or_else(bad)?;
        let (i, n): (usize, usize) = (i.parse().map_err(|_| bad())?, n.parse().map_err(|_| bad())?);
        if i == 0 || i > n {
            return Err(bad());
        }
        list = list.into_iter().skip(i - 1).step_by(n).collect();
    }
    if args.jobs == Some(0) {
        return Err(Failure::Usage("--jobs 0: at least one thread is needed".into()));
    }
    let pool = rayon::ThreadPoolBuilder::new()
        // More threads than shaders would only be started and stopped.
        .num_threads(args.jobs.map_or(0, |n| n.min(list.len().max(1))))
        .stack_size(64 << 20)
        .build()
        .map_err(|e| Failure::Io(format!("cannot start threads: {e}")))?;
    // Collected by place in the list: the report is the same for any number of threads.
    let results: Vec<Result<Vec<Row>, Failure>> =
        pool.install(|| list.par_iter().map(|p| compile_one(p, &targets, &args.front, args.per_line)).collect());
    let mut rows = Vec::new();
    for r in results {
        rows.extend(r?);
    }
    let status = |s: &str| rows.iter().filter(|r| r.status == s).count();
    let (bugs, invalid) = (status("bug"), status("invalid"));
    emit(&Report { format: FORMAT.into(), rows }, args.format, args.per_line, args.output.as_deref())?;
    match (bugs, invalid) {
        (0, 0) => Ok(()),
        (0, n) => Err(Failure::Input(format!("{n} rows are of invalid shaders"))),
        (n, _) => Err(Failure::Bug(format!("{n} rows met a compiler bug"))),
    }
}

/// Names of all numbers, in the order of first appearance.
fn columns(rows: &[Row]) -> Vec<String> {
    let mut names = indexmap::IndexSet::new();
    for r in rows {
        names.extend(r.stats.keys().cloned());
    }
    names.into_iter().collect()
}

fn cells(row: &Row, columns: &[String]) -> Vec<String> {
    let mut line = vec![row.file.clone(), row.entry.clone(), row.target.clone(), row.status.clone()];
    line.extend(columns.iter().map(|c| row.stats.get(c).map(Value::to_string).unwrap_or_default()));
    line.push(row.message.clone());
    line
}

fn escape_html(s: &str) -> String {
    s.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// A row for each source line, with its code bytes in place of the numbers of the whole.
fn by_line(rows: &[Row]) -> Vec<Row> {
    let mut out = Vec::new();
    for r in rows {
        let mut lines: Vec<(u64, &Value)> =
            r.lines.iter().filter_map(|(l, bytes)| Some((l.parse().ok()?, bytes))).collect();
        lines.sort_by_key(|l| l.0);
        if lines.is_empty() {
            out.push(Row { stats: Map::new(), ..r.clone() });
        }
        for (line, bytes) in lines {
            let mut stats = Map::new();
            stats.insert("line".into(), json!(line));
            stats.insert("bytes".into(), bytes.clone());
            out.push(Row { stats, ..r.clone() });
        }
    }
    out
}

fn emit(report: &Report, format: ReportFormat, per_line: bool, out: Option<&Path>) -> Result<(), Failure> {
    let split;
    let rows = if per_line && format != ReportFormat::Json {
        split = by_line(&report.rows);
        &split
    } else {
        &report.rows
    };
    let names = columns(rows);
    let mut head: Vec<String> = ["file", "entry", "target", "status"].map(String::from).to_vec();
    head.extend(names.iter().cloned());
    head.push("message".into());
    let text = match format {
        ReportFormat::Json => {
            format!("{:#}\n", serde_json::to_value(report).map_err(|e| Failure::Bug(e.to_string()))?)
        }
        ReportFormat::Csv => {
            let mut w = csv::Writer::from_writer(Vec::new());
            let csv_error = |e: csv::Error| Failure::Bug(e.to_string());
            w.write_record(&head).map_err(csv_error)?;
            for r in rows {
                w.write_record(cells(r, &names)).map_err(csv_error)?;
            }
            let bytes = w.into_inner().map_err(|e| Failure::Bug(e.to_string()))?;
            String::from_utf8(bytes).map_err(|e| Failure::Bug(e.to_string()))?
        }
        ReportFormat::Md => {
            let line = |c: Vec<String>| {
                format!("| {} |\n", c.iter().map(|s| s.replace('|', "\\|")).collect::<Vec<_>>().join(" | "))
            };
            let mut t = line(head.clone());
            t += &line(head.iter().map(|_| "---".to_string()).collect());
            t.extend(rows.iter().map(|r| line(cells(r, &names))));
            t
        }
        ReportFormat::Html => {
            let line = |tag: &str, c: Vec<String>| {
                let cells: String = c.iter().map(|s| format!("<{tag}>{}</{tag}>", escape_html(s))).collect();
                format!("<tr>{cells}</tr>\n")
            };
            let body: String = rows.iter().map(|r| line("td", cells(r, &names))).collect();
            format!(
                "<!doctype html>\n<meta charset=\"utf-8\">\n<title>gpucc statistics</title>\n<style>body{{font-family:sans-serif}}\
                 table{{border-collapse:collapse}}td,th{{border:1px solid #aaa;padding:2px 6px;text-align:right}}\
                 td:first-child,th{{text-align:left}}</style>\n<table>\n{}{body}</table>\n",
                line("th", head.clone())
            )
        }
        ReportFormat::Table => {
            let mut t = comfy_table::Table::new();
            t.load_style(comfy_table::presets::NOTHING);
            let has_message = rows.iter().any(|r| !r.message.is_empty());
            let cut = |mut c: Vec<String>| {
                if !has_message {
                    c.pop();
                }
                c
            };
            t.set_header(cut(head.clone()));
            for r in rows {
                t.add_row(cut(cells(r, &names)));
            }
            let ok = rows.iter().filter(|r| r.status == "ok").count();
            let lines: Vec<String> = t.to_string().lines().map(|l| l.trim_end().to_string()).collect();
            format!("{}\n{} rows: {ok} compiled, {} not\n", lines.join("\n"), rows.len(), rows.len() - ok)
        }
    };
    match out {
        Some(p) => files::write(p, text.as_bytes()),
        None => files::stdout(text.as_bytes()),
    }
}

/// How much each total may grow, in percent, before `diff` calls it a regression.
fn gates(path: Option<&Path>) -> Result<Vec<(String, f64)>, Failure> {
    let Some(path) = path else {
        return Ok(vec![("instructions".into(), 0.0), ("bytes".into(), 0.0)]);
    };
    let bytes = files::read(path)?;
    let text = String::from_utf8(bytes).map_err(|_| Failure::Input(format!("`{}` is not UTF-8", path.display())))?;
    let mut list = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or("").trim();
        if line.is_empty() {
            continue;
        }
        let bad = || Failure::Input(format!("{}:{}: expected NAME PERCENT", path.display(), i + 1));
        let (name, percent) = line.split_once(char::is_whitespace).ok_or_else(bad)?;
        list.push((name.to_string(), percent.trim().trim_end_matches('%').trim().parse().map_err(|_| bad())?));
    }
    Ok(list)
}

/// `gpucc diff OLD.json NEW.json`.
///
/// Totals are compared per target over the rows that compiled in both reports. A gate file has lines `NAME PERCENT`:
/// how much the total of that number may grow; without one `instructions` and `bytes` may not grow. A shader that
/// compiled before and does not now is always a regression.
///
/// # Errors
/// Usage and I/O; exit 1 for a regression or an input that is no report.
pub fn diff(args: &Diff) -> Result<(), Failure> {
    let (old, new) = (read_report(&args.old)?, read_report(&args.new)?);
    let gates = gates(args.gate.as_deref())?;
    let lookup: indexmap::IndexMap<_, _> = new.rows.iter().map(|r| (r.key(), r)).collect();
    let mut lost = Vec::new();
    let mut gained = 0;
    let mut totals: indexmap::IndexMap<(String, String), (u64, u64)> = indexmap::IndexMap::new();
    let mut changes: Vec<(f64, String)> = Vec::new();
    for o in &old.rows {
        let Some(n) = lookup.get(&o.key()) else { continue };
        match (o.status == "ok", n.status == "ok") {
            (true, false) => lost.push(format!("{} {} {}: {} {}", o.file, o.entry, o.target, n.status, n.message)),
            (false, true) => gained += 1,
            (true, true) => {
                for name in o.stats.keys() {
                    let (Some(a), Some(b)) = (o.stat(name), n.stat(name)) else { continue };
                    let t = totals.entry((o.target.clone(), name.clone())).or_default();
                    *t = (t.0 + a, t.1 + b);
                    if name == "instructions" && a != b {
                        let percent = 100.0 * (b as f64 / a.max(1) as f64 - 1.0);
                        changes.push((
                            percent,
                            format!("{} {} {}: {a} -> {b} ({percent:+.2} %)", o.file, o.entry, o.target),
                        ));
                    }
                }
            }
            _ => {}
        }
    }
    changes.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let mut regressions = Vec::new();
    let mut lines = Vec::new();
    for ((target, name), (a, b)) in &totals {
        let percent = 100.0 * (*b as f64 / (*a).max(1) as f64 - 1.0);
        let gate = gates.iter().find(|g| g.0 == *name);
        let over = gate.is_some_and(|g| percent > g.1 + 1e-9);
        if over {
            regressions.push(format!("{target} {name}: {a} -> {b} ({percent:+.2} %)"));
        }
        if a != b || gate.is_some() {
            lines.push([
                target.clone(),
                name.clone(),
                a.to_string(),
                b.to_string(),
                format!("{percent:+.2} %"),
                if over { "worse" } else { "" }.into(),
            ]);
        }
    }
    let helped = changes.iter().filter(|c| c.0 < 0.0).count();
    let hurt = changes.iter().filter(|c| c.0 > 0.0).count();
    let mut out = String::new();
    let head = ["target", "number", "before", "after", "change", ""];
    match args.format {
        DiffFormat::Table => {
            let mut t = comfy_table::Table::new();
            t.load_style(comfy_table::presets::NOTHING);
            t.set_header(head);
            lines.iter().for_each(|l| {
                t.add_row(l);
            });
            out += &format!("{t}\n");
        }
        DiffFormat::Md | DiffFormat::Github => {
            if args.format == DiffFormat::Github {
                out += &format!(
                    "### Shader statistics: {}\n\n",
                    if regressions.is_empty() && lost.is_empty() { "no regression" } else { "regression" }
                );
            }
            out += &format!("| {} |\n|{}\n", head.join(" | "), "---|".repeat(head.len()));
            for l in &lines {
                out += &format!("| {} |\n", l.join(" | "));
            }
        }
    }
    out += &format!("\nhelped {helped}, hurt {hurt}, newly compiled {gained}, lost {}\n", lost.len());
    for (title, list) in [
        ("most hurt", changes.iter().filter(|c| c.0 > 0.0).take(5).collect::<Vec<_>>()),
        ("most helped", changes.iter().rev().filter(|c| c.0 < 0.0).take(5).collect()),
    ] {
        if !list.is_empty() {
            out += &format!("{title}:\n");
            list.iter().for_each(|c| out += &format!("  {}\n", c.1));
        }
    }
    lost.iter().for_each(|l| out += &format!("lost: {l}\n"));
    files::stdout(out.as_bytes())?;
    match regressions.len() + lost.len() {
        0 => Ok(()),
        _ => Err(Failure::Input(format!(
            "regression: {}",
            regressions.iter().chain(&lost).cloned().collect::<Vec<_>>().join("; ")
        ))),
    }
}
