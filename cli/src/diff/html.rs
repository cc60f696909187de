//! A comparison as a page for browsers, which loads nothing.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::comparison::{Change, Comparison, number, totals};
use crate::rows::{Report, Row};
use crate::table::html::{attribute, escape, framed, heads, title};

/// The columns of a change of one shader.
const COLUMNS: [(&str, &str, &str); 7] = [
    ("file", " class=t", ""),
    ("entry", " class=t", ""),
    ("stage", " class=t", ""),
    ("statistic", " class=t", ""),
    ("before", "", ""),
    ("after", "", ""),
    ("change in %", "", "empty where nothing was before"),
];

/// A page with everything for the worse, the sums that changed, and a table for each target with every number of a shader that changed.
pub fn page(c: &Comparison, reports: [&Report; 2]) -> String {
    let mut out = format!("<p>{}</p>\n", escape(&c.summary()));
    if !c.problems.is_empty() {
        let columns = [("file", " class=t"), ("entry", " class=t"), ("target", " class=t"), ("regression", " class=t")];
        let columns = columns.into_iter().map(|(name, class)| (name, class, String::new()));
        let _ = writeln!(out, "<h2>regressions</h2>\n<div class=\"wide\"><table>{}<tbody>", heads(columns));
        for p in &c.problems {
            let row = p.row.as_ref();
            let cells = row.map_or([""; 3], |r| [r.file.as_str(), r.entry.as_str(), r.target.as_str()]);
            line(&name(row), &[cells[0], cells[1], cells[2], &p.text].map(|t| (t, " class=t")), &mut out);
        }
        out += "</tbody></table></div>\n";
    }
    let (head, lines) = totals(c);
    if !lines.is_empty() {
        // The first three are words, and the mark of what is worse.
        let class = |i: usize| if (3..=4).contains(&i) { "" } else { " class=t" };
        let columns = head.iter().enumerate().map(|(i, name)| (name.as_str(), class(i), title(name)));
        let _ = writeln!(out, "<h2>all shaders</h2>\n<div class=\"wide\"><table>{}<tbody>", heads(columns));
        for l in &lines {
            let cells: Vec<_> = l.iter().enumerate().map(|(i, text)| (text.as_str(), class(i))).collect();
            line("", &cells, &mut out);
        }
        out += "</tbody></table></div>\n";
    }
    let mut targets: BTreeMap<&str, Vec<&(Row, Change)>> = BTreeMap::new();
    for n in &c.numbers {
        targets.entry(&n.0.target).or_default().push(n);
    }
    for (target, mut list) in targets {
        // The worst first; of one share by name.
        list.sort_by(|a, b| {
            let by = b.1.hurts().cmp(&a.1.hurts());
            by.then(b.1.percent().abs().total_cmp(&a.1.percent().abs())).then_with(|| a.0.key().cmp(&b.0.key()))
        });
        changes(target, &list, &mut out);
    }
    let of = |r: &Report| if r.command.is_empty() { "gpucc stats".to_string() } else { r.command.clone() };
    let commands = reports.map(of);
    let versions = reports.map(|r| r.version.as_str());
    let version = if versions[0] == versions[1] { versions[0].into() } else { versions.join(" -> ") };
    framed("comparison", &version, &commands.each_ref().map(String::as_str), &out)
}

/// What the field of the page looks for.
fn name(row: Option<&Row>) -> String {
    row.map_or_else(String::new, |r| format!("{} {}", r.file, r.entry))
}

/// A row of cells, each with its style. The one of no shader has no name.
fn line(name: &str, cells: &[(&str, &str)], out: &mut String) {
    let _ = write!(out, "<tr data-name=\"{}\">", attribute(name));
    for (text, style) in cells {
        let _ = write!(out, "<td{style}>{}</td>", escape(text));
    }
    *out += "</tr>\n";
}

/// The numbers of a target that changed, better ones and worse ones in colours.
fn changes(target: &str, list: &[&(Row, Change)], out: &mut String) {
    let columns = COLUMNS.iter().map(|&(name, class, about)| (name, class, about.to_string()));
    let _ = writeln!(out, "<h2>{}</h2>\n<div class=\"wide\"><table>{}<tbody>", escape(target), heads(columns));
    for (row, change) in list {
        let percent = change.percent();
        let percent = if percent.is_finite() { format!("{percent:+.2}") } else { String::new() };
        let style = if change.hurts() { " class=worse" } else { " class=better" };
        let (before, after) = (number(change.before), number(change.after));
        let words = [&row.file, &row.entry, &row.stage, &change.statistic].map(|t| (t.as_str(), " class=t"));
        let numbers = [(before.as_str(), ""), (after.as_str(), ""), (percent.as_str(), style)];
        line(&name(Some(row)), &[&words[..], &numbers[..]].concat(), out);
    }
    *out += "</tbody></table></div>\n";
}
