//! A report as a page for browsers, which loads nothing.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use gpucc::statistics;

use super::columns::{Sources, all_columns};
use crate::report::plain;
use crate::rows::{Report, Row};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Text as a page has it.
pub fn escape(text: &str) -> String {
    let text = plain(text);
    let pairs = [("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")];
    pairs.iter().fold(text.into_owned(), |text, (c, name)| text.replace(c, name))
}

/// The same in an attribute.
pub fn attribute(text: &str) -> String {
    escape(text).replace('"', "&quot;")
}

/// The unit and the meaning of a column.
pub fn title(name: &str) -> String {
    match statistics::find(name) {
        Some(s) => format!("{}: {}", s.unit, s.meaning),
        None if name.starts_with("cycles_") => {
            "cycles of this unit that the line's instructions take, each once".into()
        }
        None if name.starts_with("live_") => "most registers that are live at one of the line's instructions".into(),
        None => String::new(),
    }
}

/// A page with a table for each target, whose columns have something in them, and one of what did not compile. Lines have their text
/// beside their number, and numbers a colour by their share of the largest of their column.
pub fn page(report: &Report, rows: &[Row], sources: &Sources) -> String {
    let mut targets: BTreeMap<&str, Vec<Row>> = BTreeMap::new();
    for r in rows.iter().filter(|r| r.ok()) {
        targets.entry(&r.target).or_default().push(r.clone());
    }
    let failed: Vec<Row> = rows.iter().filter(|r| !r.ok()).cloned().collect();
    let mut tables = String::new();
    for (title, rows) in targets.into_iter().chain((!failed.is_empty()).then_some(("not compiled", failed))) {
        table(title, &rows, sources, &mut tables);
    }
    framed("statistics", &report.version, &[&report.command], &tables)
}

/// A page around tables: its name, the version that made the numbers, command lines, and a field that filters rows by their `data-name`.
pub fn framed(name: &str, version: &str, commands: &[&str], tables: &str) -> String {
    let commands: String = commands.iter().map(|c| format!("<code>{}</code>\n", escape(c))).collect();
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>gpucc {name}</title>\n<style>\n{STYLE}</style>\n<h1>gpucc {} {name}</h1>\n{commands}\
         <label>Files with <input type=\"search\" placeholder=\"part of a name\"></label>\n{tables}<script>\n{SCRIPT}</script>\n",
        escape(version),
    )
}

/// The head of a table, of which a click on a column sorts the rows: name, style and meaning of each.
pub fn heads<'a>(columns: impl Iterator<Item = (&'a str, &'a str, String)>) -> String {
    let one = |(name, class, about): (&str, &str, String)| {
        let about = if about.is_empty() { about } else { format!(" title=\"{}\"", attribute(&about)) };
        format!("<th{class}{about}><button type=\"button\">{}</button></th>", escape(name))
    };
    format!("<thead><tr>\n{}</tr></thead>", columns.map(one).collect::<String>())
}

/// The columns of a table: heads, cells by row, and the style of each.
struct Columns {
    head: Vec<String>,
    lines: Vec<Vec<String>>,
    classes: Vec<&'static str>,
}

impl Columns {
    fn new(rows: &[Row], is_failed: bool, sources: &Sources) -> Columns {
        let (mut head, mut lines) = all_columns(rows);
        // The text of a line stands behind its number.
        if let Some(at) = head.iter().position(|h| h == "line") {
            head.insert(at + 1, "source".into());
            for (l, r) in lines.iter_mut().zip(rows) {
                let number = r.stat("line").and_then(|n| (n as usize).checked_sub(1));
                let text = number.and_then(|n| sources.get(&r.file)?.get(n)).cloned().unwrap_or_default();
                l.insert(at + 1, text);
            }
        }
        let says = |i: usize| {
            (is_failed || !["target", "status"].contains(&head[i].as_str())) && lines.iter().any(|l| !l[i].is_empty())
        };
        let columns: Vec<usize> = (0..head.len()).filter(|&i| says(i)).collect();
        let class = |i: usize| match head[i].as_str() {
            "source" => " class=s",
            _ if lines.iter().all(|l| l[i].is_empty() || l[i].parse::<f64>().is_ok()) => "",
            _ => " class=t",
        };
        let of = |l: &Vec<String>| columns.iter().map(|&i| l[i].clone()).collect::<Vec<_>>();
        let classes = columns.iter().map(|&i| class(i)).collect();
        Columns { classes, lines: lines.iter().map(of).collect(), head: of(&head) }
    }

    /// The numbers of a column.
    fn numbers(&self, i: usize) -> Vec<u64> {
        self.lines.iter().filter_map(|l| l[i].parse().ok()).collect()
    }

    /// Whether the numbers of a column are counts, of which more is more work.
    fn is_count(&self, i: usize) -> bool {
        self.classes[i].is_empty() && self.head[i] != "line"
    }

    /// The sums of the columns, or means of those whose sum means nothing.
    fn totals(&self) -> String {
        let cell = |i: usize| {
            let (name, numbers) = (self.head[i].as_str(), self.numbers(i));
            if i == 0 {
                return format!("<td class=t>{} rows</td>", self.lines.len());
            }
            if !self.is_count(i) || numbers.is_empty() || name.starts_with("live_") {
                return "<td></td>".into();
            }
            let sum: u64 = numbers.iter().fold(0, |a, n| a.saturating_add(*n));
            match statistics::find(name).is_some_and(|s| s.mean) {
                true => format!("<td>mean {:.1}</td>", sum as f64 / numbers.len() as f64),
                false => format!("<td>{sum}</td>"),
            }
        };
        (0..self.head.len()).map(cell).collect()
    }
}

fn table(of: &str, rows: &[Row], sources: &Sources, out: &mut String) {
    let c = Columns::new(rows, of == "not compiled", sources);
    let columns = c.head.iter().zip(&c.classes).map(|(name, class)| (name.as_str(), *class, title(name)));
    let _ = writeln!(out, "<h2>{}</h2>\n<div class=\"wide\"><table>{}<tbody>", escape(of), heads(columns));
    let most: Vec<u64> = (0..c.head.len()).map(|i| c.numbers(i).into_iter().max().unwrap_or(0)).collect();
    for (l, r) in c.lines.iter().zip(rows) {
        let _ = write!(out, "<tr data-name=\"{}\">", attribute(&format!("{} {}", r.file, r.entry)));
        for (i, text) in l.iter().enumerate() {
            // In tenths: a page of thousands of rows stays small.
            let tenths = match text.parse::<u64>() {
                Ok(n) if c.is_count(i) && most[i] > 0 && l.len() > 1 => 10 * n.min(most[i]) / most[i],
                _ => 0,
            };
            let heat = match tenths {
                0 => String::new(),
                n => format!(" style=\"background:rgba(var(--heat),.{:02})\"", 4 * n),
            };
            let _ = write!(out, "<td{}{heat}>{}</td>", c.classes[i], escape(text));
        }
        *out += "</tr>\n";
    }
    *out += "</tbody>";
    if rows.len() > 1 {
        let _ = write!(out, "<tfoot><tr>{}</tr></tfoot>", c.totals());
    }
    *out += "</table></div>\n";
}
