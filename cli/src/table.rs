//! The forms of a statistics report: JSON, CSV, tables for people, for Markdown and for browsers.

mod columns;
pub mod html;

use std::collections::BTreeMap;
use std::io::IsTerminal;

use gpucc::statistics::{self, STATISTICS};
use serde_json::{Map, Value, json};

use crate::Failure;
use crate::args::ReportFormat;
use crate::junit::{self, Case, Outcome};
use crate::rows::{Report, Row};
pub use columns::Sources;
use columns::{all_columns, by_kind};

/// The report in a form. A page for browsers has lines of `sources` beside numbers of lines.
///
/// # Errors
/// A form that cannot be written: a bug.
pub fn report(report: &Report, format: ReportFormat, per_line: bool, sources: &Sources) -> Result<String, Failure> {
    let split;
    let rows = if per_line && format != ReportFormat::Json {
        split = by_line(&report.rows);
        &split
    } else {
        &report.rows
    };
    let bug = |e: &dyn std::fmt::Display| Failure::Bug(e.to_string());
    Ok(match format {
        ReportFormat::Json => serde_json::to_string_pretty(report).map_err(|e| bug(&e))? + "\n",
        ReportFormat::Csv => csv(rows).map_err(|e| bug(&e))?,
        ReportFormat::Md => {
            let (head, lines) = all_columns(rows);
            markdown(&head, &lines)
        }
        ReportFormat::Html => html::page(report, rows, sources),
        ReportFormat::Junit => junit(rows),
        ReportFormat::Table => people(rows, per_line),
    })
}

/// A row for each source line, with its numbers in place of those of the whole.
fn by_line(rows: &[Row]) -> Vec<Row> {
    let mut out = Vec::new();
    for r in rows {
        let mut lines: BTreeMap<u64, Map<String, Value>> = BTreeMap::new();
        for (line, bytes) in &r.lines {
            let Ok(line) = line.parse() else { continue };
            lines.entry(line).or_default().insert("bytes".into(), bytes.clone());
        }
        for (line, costs) in &r.line_costs {
            let (Ok(line), Some(costs)) = (line.parse(), costs.as_object()) else { continue };
            // A line whose code became part of others has no bytes.
            let own = lines.entry(line).or_default();
            own.entry("bytes").or_insert(json!(0));
            own.extend(costs.clone());
        }
        if lines.is_empty() {
            out.push(Row { stats: Map::new(), ..r.clone() });
        }
        for (line, costs) in lines {
            let stats = [("line".into(), json!(line))].into_iter().chain(costs).collect();
            out.push(Row { stats, limiter: String::new(), ..r.clone() });
        }
    }
    out
}

fn csv(rows: &[Row]) -> Result<String, Box<dyn std::error::Error>> {
    let (head, lines) = all_columns(rows);
    let mut w = csv::Writer::from_writer(Vec::new());
    w.write_record(&head)?;
    for l in lines {
        w.write_record(l)?;
    }
    Ok(String::from_utf8(w.into_inner()?)?)
}

/// A table in Markdown.
pub fn markdown(head: &[String], lines: &[Vec<String>]) -> String {
    let line = |c: &[String]| {
        let cells: Vec<String> = c.iter().map(|s| s.replace('|', "\\|").replace('\n', " ")).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let mut out = line(head);
    out += &format!("|{}\n", "---|".repeat(head.len()));
    out.extend(lines.iter().map(|l| line(l)));
    out
}

/// Columns of the terminal that standard output is, or those that the environment asks for; nothing if neither is there.
fn room() -> Option<usize> {
    let asked = std::env::var("COLUMNS").ok().and_then(|c| c.parse().ok()).filter(|c| *c >= 20);
    if asked.is_some() {
        return asked;
    }
    let t = comfy_table::Table::new();
    std::io::stdout().is_terminal().then(|| t.width()).flatten().map(usize::from)
}

/// Aligned columns. On a terminal, columns that do not fit are left out from the end; the first `keep` stay, and names in the first are
/// shortened where even those do not fit.
pub fn aligned(head: &[String], lines: &[Vec<String>], keep: usize) -> String {
    let mut t = comfy_table::Table::new();
    t.load_style(comfy_table::presets::NOTHING);
    t.set_content_arrangement(comfy_table::ContentArrangement::Disabled);
    let room = room().unwrap_or(usize::MAX);
    let width = |i: usize| {
        let cells = lines.iter().filter_map(|l| l.get(i)).chain(head.get(i));
        2 + cells.map(|c| c.chars().count()).max().unwrap_or(0)
    };
    let mut columns = head.len();
    while columns > keep && (0..columns).map(width).sum::<usize>() > room {
        columns -= 1;
    }
    let over = (0..columns).map(width).sum::<usize>().saturating_sub(room);
    let first = width(0).saturating_sub(2 + over).max(8);
    let shortened = |l: &Vec<String>| {
        let mut l = l.clone();
        let long = l.first().map_or(0, |name| name.chars().count());
        if over > 0 && long > first {
            let tail: String = l[0].chars().skip(long - first + 3).collect();
            l[0] = format!("...{tail}");
        }
        l
    };
    let lines: Vec<Vec<String>> = lines.iter().map(shortened).collect();
    let lines = &lines[..];
    t.set_header(head.iter().take(columns));
    for l in lines {
        t.add_row(l.iter().take(columns));
    }
    // Numbers to the right, as people write them one below the other.
    for (i, column) in t.column_iter_mut().enumerate() {
        let cells = || lines.iter().filter_map(|l| l.get(i)).filter(|c| !c.is_empty());
        if cells().next().is_some() && cells().all(|c| c.parse::<f64>().is_ok()) {
            column.set_cell_alignment(comfy_table::CellAlignment::Right);
        }
    }
    t.to_string().lines().map(|l| l.trim_end().to_string() + "\n").collect()
}

/// Why rows did not compile, a line for each cause: the shader if it is one, else how many there are and on which targets.
fn causes(failed: &[&Row]) -> String {
    let mut causes: indexmap::IndexMap<(&str, &str), Vec<&Row>> = indexmap::IndexMap::new();
    for r in failed {
        // Messages of refusals name the target.
        let message = r.message.strip_prefix(&*format!("{} ", r.target)).unwrap_or(&r.message);
        causes.entry((&r.status, message)).or_default().push(r);
    }
    let line = |((status, message), rows): (&(&str, &str), &Vec<&Row>)| {
        let line = match &rows[..] {
            [one] => format!("  {}: {status}: {}", one.name(), one.message),
            all => {
                let mut targets: Vec<&str> = all.iter().map(|r| r.target.as_str()).collect();
                targets.sort_unstable();
                targets.dedup();
                format!("  {} rows on {}: {status}: {message}", all.len(), targets.join(", "))
            }
        };
        match room() {
            Some(room) if line.chars().count() > room && room > 3 => {
                line.chars().take(room - 3).collect::<String>() + "...\n"
            }
            _ => line + "\n",
        }
    };
    causes.iter().map(line).collect()
}

/// A table for each target with the numbers that matter most, those that are not all zero, and their sums, then what did
/// not compile and why.
fn people(rows: &[Row], per_line: bool) -> String {
    let mut targets: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
    for r in rows.iter().filter(|r| r.ok()) {
        targets.entry(&r.target).or_default().push(r);
    }
    let mut out = String::new();
    for (target, rows) in targets {
        let main = STATISTICS.iter().filter(|s| s.main).map(|s| s.name);
        let mut own: indexmap::IndexSet<&str> = rows.iter().flat_map(|r| r.stats.keys().map(String::as_str)).collect();
        own.sort_by_key(|n| by_kind(n));
        let names: Vec<&str> = if per_line { own.into_iter().collect() } else { main.collect() };
        let always = ["instructions", "bytes", "line"];
        let says = |n: &str| rows.iter().any(|r| r.stat(n).is_some_and(|v| v > 0 || always.contains(&n)));
        let names: Vec<&str> = names.into_iter().filter(|n| says(n)).collect();
        let mut head = vec![target.to_string(), "entry".into()];
        head.extend(names.iter().map(|n| n.to_string()));
        // Behind the number that it limits.
        let limited = names.iter().position(|n| ["waves", "threads"].contains(n));
        if let Some(at) = limited {
            head.insert(3 + at, "limiter".into());
        }
        let mut lines: Vec<Vec<String>> = Vec::new();
        for r in &rows {
            // Both stages of a pipeline may have one name.
            let is_twice = rows.iter().filter(|o| (&o.file, &o.entry) == (&r.file, &r.entry)).count() > 1;
            let entry = if is_twice && !per_line { format!("{} ({})", r.entry, r.stage) } else { r.entry.clone() };
            let mut line = vec![r.file.clone(), entry];
            line.extend(names.iter().map(|n| r.stat(n).map(|v| v.to_string()).unwrap_or_default()));
            if let Some(at) = limited {
                line.insert(3 + at, r.limiter.clone());
            }
            lines.push(line);
        }
        if rows.len() > 1 && !per_line {
            let averaged = |n: &str| statistics::find(n).is_some_and(|s| s.mean);
            let values = |n: &str| rows.iter().filter_map(|r| r.stat(n)).collect::<Vec<u64>>();
            let sum = |n: &&str| if averaged(n) { String::new() } else { values(n).iter().sum::<u64>().to_string() };
            let mean = |n: &&str| {
                let v = values(n);
                if !averaged(n) || v.is_empty() {
                    return String::new();
                }
                format!("{:.1}", v.iter().sum::<u64>() as f64 / v.len() as f64)
            };
            let mut end = |name: &str, numbers: Vec<String>| {
                let mut line: Vec<String> = [name.into(), String::new()].into_iter().chain(numbers).collect();
                if let Some(at) = limited {
                    line.insert(3 + at, String::new());
                }
                lines.push(line);
            };
            end("total", names.iter().map(sum).collect());
            if names.iter().any(|n| averaged(n)) {
                end("mean", names.iter().map(mean).collect());
            }
        }
        out += &aligned(&head, &lines, 4);
        out.push('\n');
    }
    let failed: Vec<&Row> = rows.iter().filter(|r| !r.ok()).collect();
    let ok = rows.len() - failed.len();
    if !failed.is_empty() {
        out += "not compiled:\n";
        out += &causes(&failed);
        out.push('\n');
    }
    let what = match (per_line, rows.len()) {
        (true, 1) => "line",
        (true, _) => "lines",
        (false, 1) => "row",
        (false, _) => "rows",
    };
    let more = if per_line { "" } else { " (every number: --format csv)" };
    out + &format!("{} {what}: {ok} compiled, {} not{more}\n", rows.len(), failed.len())
}
/// A test for each row: refusals are skipped, what is wrong has failed.
fn junit(rows: &[Row]) -> String {
    let case = |r: &Row| Case {
        suite: r.target.clone(),
        class: r.file.clone(),
        name: format!("{} ({})", r.entry, r.stage),
        outcome: match r.status.as_str() {
            "ok" => Outcome::Passed,
            "refused" => Outcome::Skipped(format!("{}: {}", r.code, r.message)),
            status => Outcome::Failed(status.into(), format!("{}: {}", r.code, r.message)),
        },
    };
    junit::document("gpucc stats", &rows.iter().map(case).collect::<Vec<_>>())
}
