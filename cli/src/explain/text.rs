//! An explanation for a terminal.

use std::fmt::Write as _;

use super::model::{Column, Line, Page, totals};
use crate::report::plain;
use crate::table;

/// The explanation as text for people.
pub fn page(page: &Page) -> String {
    let mut out = format!("{}\n{}\n", page.name, plain(&page.command));
    for columns in page.entries() {
        let first = &columns[0].row;
        let _ = writeln!(out, "\n{} ({})", plain(&first.entry), first.stage);
        out += &compared(&columns);
        for c in &columns {
            let _ = writeln!(out, "\n== {}", plain(&c.title()));
            if c.row.ok() { explained(page, c, &mut out) } else { refused(c, &mut out) }
        }
    }
    out
}

/// Totals, a column for each target.
fn compared(columns: &[&Column]) -> String {
    let head: Vec<String> =
        std::iter::once("total".into()).chain(columns.iter().map(|c| c.row.target.clone())).collect();
    let mut lines: Vec<Vec<String>> = Vec::new();
    if columns.iter().any(|c| !c.row.ok()) {
        let status = columns.iter().map(|c| c.row.status.clone());
        lines.push(std::iter::once("status".into()).chain(status).collect());
    }
    for s in totals(columns) {
        let cells = columns.iter().map(|c| c.row.stat(s.name).map_or_else(String::new, |n| n.to_string()));
        lines.push(std::iter::once(s.name.to_string()).chain(cells).collect());
    }
    table::aligned(&head, &lines, 2)
}

fn refused(c: &Column, out: &mut String) {
    let code = if c.row.code.is_empty() { String::new() } else { format!(" [{}]", c.row.code) };
    let _ = writeln!(out, "{}{code}: {}", c.row.status, plain(&c.row.message));
}

/// The column of a target that has code.
fn explained(page: &Page, c: &Column, out: &mut String) {
    for s in c.occupancy() {
        let _ = writeln!(out, "{s}");
    }
    if page.sources.len() > 1 {
        let _ = writeln!(out, "lines are those of {}", page.sources[c.source].name);
    }
    let _ = writeln!(out, "{}", c.bound());
    if !c.loops.is_empty() {
        let _ = writeln!(out, "loops:");
        for l in &c.loops {
            let _ = writeln!(out, "  {}", l.said());
        }
    }
    let passes: Vec<String> = c.passes.iter().map(|(p, n)| format!("{p} {n}")).collect();
    if !passes.is_empty() {
        let _ = writeln!(out, "changes by pass: {}", passes.join(", "));
    }
    let remarks = c.remarks();
    if !remarks.is_empty() {
        out.push_str("remarks:\n");
        remarks.iter().for_each(|r| {
            let _ = writeln!(out, "  {}", plain(&r.1));
        });
    }
    out.push('\n');
    lines(page, c, out);
}

/// Each line that has code or numbers, its instructions beneath.
fn lines(page: &Page, c: &Column, out: &mut String) {
    let (live, cycles) = (c.names(|l| &l.live), c.names(|l| &l.cycles));
    let head: Vec<&str> =
        ["line", "runs", "bytes"].into_iter().chain(live.iter().chain(&cycles).map(String::as_str)).collect();
    let numbers = |line: u32, l: &Line| {
        let of = |map: &std::collections::BTreeMap<String, u64>, name: &String| map.get(name).copied().unwrap_or(0);
        let own = [u64::from(line), l.runs, l.bytes];
        let live = live.iter().map(|n| of(&l.live, n));
        own.into_iter().chain(live).chain(cycles.iter().map(|n| of(&l.cycles, n))).collect::<Vec<u64>>()
    };
    let rows: Vec<(u32, Vec<u64>)> = c.lines.iter().map(|(n, l)| (*n, numbers(*n, l))).collect();
    let width = |k: usize| {
        let cells = rows.iter().map(|r| r.1[k].to_string().len());
        cells.chain([head[k].len()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let joined = |cells: Vec<String>| {
        let cells = cells.iter().zip(&widths).map(|(c, w)| format!("{c:>w$}"));
        cells.collect::<Vec<_>>().join("  ")
    };
    let _ = writeln!(out, "{}  source", joined(head.iter().map(|h| h.to_string()).collect()));
    let mut code: std::collections::BTreeMap<u32, Vec<usize>> = std::collections::BTreeMap::new();
    for (k, i) in c.code.iter().enumerate() {
        code.entry(i.line).or_default().push(k);
    }
    for (line, numbers) in &rows {
        let text = if *line == 0 { "(code of no line)" } else { page.sources[c.source].line(*line) };
        let _ = writeln!(out, "{}  | {text}", joined(numbers.iter().map(u64::to_string).collect()));
        for &k in code.get(line).into_iter().flatten() {
            instruction(c, k, out);
        }
    }
}

fn instruction(c: &Column, at: usize, out: &mut String) {
    let i = &c.code[at];
    let Some(address) = i.address else {
        let _ = writeln!(out, "        {}", i.text);
        return;
    };
    let marks: Vec<&str> = i.marks.iter().map(|m| m.name()).collect();
    let program = i.program.map_or_else(String::new, |p| format!("{p} "));
    let line = format!("        {program}{address:06x}  {:<56}  {}", i.text, marks.join(" "));
    let _ = writeln!(out, "{}", line.trim_end());
    for said in c.waits(at) {
        let _ = writeln!(out, "                  ; {said}");
    }
}
