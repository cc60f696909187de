//! An explanation for a terminal.

use std::fmt::Write as _;

use super::model::{Column, Line, Page, totals};
use super::versions::{self, Pair};
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
    for pair in page.against.iter().flat_map(|old| versions::pairs(old, page)) {
        versions(page, &pair, &mut out);
    }
    for c in page.against.iter().flat_map(|old| versions::alone(old, page)) {
        let _ = writeln!(out, "\n== {}: nothing in the other version fits", plain(&c.title()));
    }
    out
}

/// Two versions side by side: totals, and the lines whose text or numbers are not the same.
fn versions(page: &Page, p: &Pair<'_>, out: &mut String) {
    let Some(old) = &page.against else { return };
    let _ = writeln!(out, "\n== {}, against {}", plain(&p.new.title()), old.name);
    for c in [p.old, p.new].into_iter().filter(|c| !c.row.ok()) {
        refused(c, out);
    }
    let number = |n: Option<u64>| n.map_or_else(String::new, |n| n.to_string());
    let row = |(name, [a, b]): (&str, [Option<u64>; 2])| {
        let change = a.zip(b).map_or_else(String::new, |(a, b)| versions::change(a, b));
        vec![name.to_string(), number(a), number(b), change]
    };
    let rows: Vec<Vec<String>> = p.totals().into_iter().map(row).collect();
    *out += &table::aligned(&["total", "before", "now", "change"].map(String::from), &rows, 4);
    let texts = [&old.sources[p.old.source], &page.sources[p.new.source]];
    let mut rows: Vec<Vec<String>> = Vec::new();
    for lines in &p.lines {
        let [a, b] = p.numbers(*lines);
        let text = |k: usize| lines[k].map(|l| if l == 0 { "(code of no line)" } else { texts[k].line(l) });
        let is_same = text(0).map(str::trim) == text(1).map(str::trim);
        if is_same && a == b {
            continue;
        }
        let line = |k: usize| lines[k].map_or_else(String::new, |l| l.to_string());
        let of = |k: usize, text: &str| {
            let one = |n: [u64; 2], at: usize| if k == at || is_same { n } else { [0, 0] };
            let (a, b) = (one(a, 0), one(b, 1));
            let lines = if is_same {
                [line(0), line(1)]
            } else if k == 0 {
                [line(0), String::new()]
            } else {
                [String::new(), line(1)]
            };
            let numbers = [0, 1].map(|n| [a[n].to_string(), b[n].to_string(), versions::change(a[n], b[n])]);
            let mark = if is_same {
                " "
            } else if k == 0 {
                "-"
            } else {
                "+"
            };
            let cells = lines.into_iter().chain(numbers.into_iter().flatten());
            cells.chain([format!("{mark} {text}")]).collect::<Vec<String>>()
        };
        rows.extend(text(0).filter(|_| !is_same).map(|t| of(0, t)));
        rows.extend(text(1).map(|t| of(1, t)));
    }
    if rows.is_empty() {
        out.push_str("no line changed\n");
        return;
    }
    let head = ["before", "now", "cycles", "now", "change", "bytes", "now", "change", "source"].map(String::from);
    *out += &table::aligned(&head, &rows, 9);
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
    let _ = writeln!(out, "{}\n{}", c.bound(), c.counted());
    let (_, chain) = c.chain();
    if !chain.is_empty() {
        let _ = writeln!(out, "{chain}");
    }
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
    let executed = c.executed_lines();
    let counted: &[&str] = if c.executed.is_some() { &["executed", "lanes"] } else { &[] };
    let head: Vec<&str> = ["line", "runs", "bytes"]
        .into_iter()
        .chain(counted.iter().copied())
        .chain(live.iter().chain(&cycles).map(String::as_str))
        .collect();
    let numbers = |line: u32, l: &Line| {
        let of = |map: &std::collections::BTreeMap<String, u64>, name: &String| map.get(name).copied().unwrap_or(0);
        let own = [u64::from(line), l.runs, l.bytes];
        let live = live.iter().map(|n| of(&l.live, n));
        let n = executed.get(&line).copied().unwrap_or_default();
        let counted = [n.times, n.lanes].into_iter().take(counted.len());
        own.into_iter().chain(counted).chain(live).chain(cycles.iter().map(|n| of(&l.cycles, n))).collect::<Vec<u64>>()
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
    let times = c.executed(at).map_or_else(String::new, |n| format!("{} times ", n.times));
    let line = format!("        {program}{address:06x}  {:<56}  {times}{}", i.text, marks.join(" "));
    let _ = writeln!(out, "{}", line.trim_end());
    for said in c.waits(at) {
        let _ = writeln!(out, "                  ; {said}");
    }
}
