//! An explanation as a page for a browser, which loads nothing else.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::model::{Column, Line, Page, totals};
use super::versions::{self, Pair};
use crate::report::plain;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Text as a page has it, in attributes too.
fn escape(text: &str) -> String {
    let text = plain(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    text.replace('"', "&quot;").replace('\'', "&#39;")
}

/// The explanation as one HTML page.
pub fn page(page: &Page) -> String {
    let name = escape(&page.name);
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{name}: gpucc explain</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <h1>{name}</h1>\n<code class=\"command\">{}</code>\n",
        escape(&page.command)
    );
    if !page.problems.is_empty() {
        problems(page, &mut out);
    }
    let entries = page.entries();
    // Of many entry points the totals stand beside each other, and each has less room: the code is further down.
    let class = if entries.len() > 2 { "totals many" } else { "totals" };
    let _ = writeln!(out, "<div class=\"{class}\">");
    for columns in &entries {
        out += "<div>\n";
        compared(columns, &mut out);
        out += "</div>\n";
    }
    out += "</div>\n";
    let pairs = page.against.as_deref().map_or_else(Vec::new, |old| versions::pairs(old, page));
    let compared: Vec<String> = pairs
        .iter()
        .map(|p| format!("{}, against {}", p.new.title(), page.against.as_ref().map_or("", |o| &o.name)))
        .collect();
    let titles: Vec<String> = compared.iter().cloned().chain(page.columns.iter().map(Column::title)).collect();
    if titles.len() > 1 {
        out += "<div class=\"tabs\" role=\"tablist\" aria-label=\"Entry points and targets\">\n";
        for (k, title) in titles.iter().enumerate() {
            let title = escape(title);
            let _ = writeln!(
                out,
                "<button type=\"button\" role=\"tab\" id=\"tab{k}\" aria-controls=\"panel{k}\">{title}</button>"
            );
        }
        out += "</div>\n";
    }
    for (k, (p, title)) in pairs.iter().zip(&compared).enumerate() {
        let title = escape(title);
        let _ = writeln!(out, "<section role=\"tabpanel\" id=\"panel{k}\" aria-label=\"{title}\">\n<h2>{title}</h2>");
        versions(page, p, &mut out);
        out.push_str("</section>\n");
    }
    for (k, c) in (pairs.len()..).zip(&page.columns) {
        let _ = writeln!(out, "<section role=\"tabpanel\" id=\"panel{k}\" aria-label=\"{}\">", escape(&c.title()));
        let _ = writeln!(out, "<h2>{}</h2>", escape(&c.title()));
        if c.row.ok() {
            if page.sources.len() > 1 {
                let _ = writeln!(out, "<p>Lines are those of {}.</p>", escape(&page.sources[c.source].name));
            }
            sentences(c, &mut out);
            panes(page, c, &mut out);
        } else {
            let code = escape(&c.row.code);
            let (status, message) = (escape(&c.row.status), escape(&c.row.message));
            let _ = writeln!(out, "<p class=\"problem\">{status} [{code}]: {message}</p>");
        }
        out += "</section>\n";
    }
    let _ = write!(out, "<script>\n{SCRIPT}</script>\n</body>\n</html>\n");
    out
}

/// Messages, and the source with each in its place.
fn problems(page: &Page, out: &mut String) {
    let mut by_line: BTreeMap<u32, String> = BTreeMap::new();
    let lines = page.sources.first().map_or(&[][..], |s| &s.lines);
    for p in &page.problems {
        let said = [p.place.clone(), format!("{} [{}]: {}", p.severity, p.code, p.message)];
        let said = said.into_iter().filter(|s| !s.is_empty()).collect::<Vec<_>>().join(": ");
        let notes: String = p.notes.iter().map(|n| format!("\nnote: {n}")).collect();
        let html = format!("<div class=\"problem\">{}</div>\n", escape(&format!("{said}{notes}")));
        let line = if (p.line as usize) <= lines.len() { p.line } else { 0 };
        *by_line.entry(line).or_default() += &html;
    }
    out.push_str(by_line.get(&0).map_or("", String::as_str));
    out.push_str("<div class=\"wide code\">\n");
    for (line, text) in (1..).zip(lines) {
        let _ = writeln!(out, "<div><span class=\"address\">{line:>6}</span>  {}</div>", escape(text));
        out.push_str(by_line.get(&line).map_or("", String::as_str));
    }
    out.push_str("</div>\n");
}

/// Totals, a column for each target.
fn compared(columns: &[&Column], out: &mut String) {
    let first = &columns[0].row;
    let _ = writeln!(out, "<h2>{} ({})</h2>", escape(&first.entry), escape(&first.stage));
    out.push_str("<div class=\"wide\"><table>\n<thead><tr><th>total</th>");
    for c in columns {
        let _ = write!(out, "<th>{}</th>", escape(&c.row.target));
    }
    out.push_str("<th>unit</th></tr></thead>\n<tbody>\n");
    if columns.iter().any(|c| !c.row.ok()) {
        out.push_str("<tr><td class=\"name\">status</td>");
        for c in columns {
            let class = if c.row.ok() { "" } else { " class=\"bad\"" };
            let _ = write!(out, "<td{class} title=\"{}\">{}</td>", escape(&c.row.message), escape(&c.row.status));
        }
        out.push_str("<td></td></tr>\n");
    }
    for s in totals(columns) {
        let _ = write!(out, "<tr title=\"{}\"><td class=\"name\">{}</td>", escape(s.meaning), s.name);
        for c in columns {
            let _ = write!(out, "<td>{}</td>", c.row.stat(s.name).map_or_else(String::new, |n| n.to_string()));
        }
        let _ = writeln!(out, "<td class=\"name\">{}</td></tr>", escape(s.unit));
    }
    out.push_str("</tbody></table></div>\n");
}

/// Two versions side by side. Lines that belong together light up with their code.
fn versions(page: &Page, p: &Pair<'_>, out: &mut String) {
    let Some(old) = &page.against else { return };
    let number = |n: Option<u64>| n.map_or_else(String::new, |n| n.to_string());
    out.push_str("<div class=\"wide\"><table>\n<thead><tr><th>total</th><th>before</th><th>now</th><th>change</th></tr></thead>\n<tbody>\n");
    if !(p.old.row.ok() && p.new.row.ok()) {
        let cell = |c: &Column| format!("<td title=\"{}\">{}</td>", escape(&c.row.message), escape(&c.row.status));
        let _ = writeln!(out, "<tr><td class=\"name\">status</td>{}{}<td></td></tr>", cell(p.old), cell(p.new));
    }
    for (name, [a, b]) in p.totals() {
        let change = a.zip(b).map_or_else(String::new, |(a, b)| versions::change(a, b));
        let _ = writeln!(
            out,
            "<tr><td class=\"name\">{name}</td><td>{}</td><td>{}</td><td>{change}</td></tr>",
            number(a),
            number(b)
        );
    }
    out.push_str("</tbody></table></div>\n<div class=\"pane\"><table class=\"code\">\n<thead><tr><th>before</th><th class=\"text\">source</th><th>cycles</th><th>bytes</th><th>now</th><th class=\"text\">source</th><th>cycles</th><th>bytes</th><th>cycles more</th></tr></thead>\n<tbody>\n");
    let texts = [&old.sources[p.old.source], &page.sources[p.new.source]];
    // The number of the pair of each line, for the code.
    let mut rows: [BTreeMap<u32, usize>; 2] = Default::default();
    for (k, lines) in (1..).zip(&p.lines) {
        let [a, b] = p.numbers(*lines);
        let text = |k: usize| lines[k].map_or("", |l| if l == 0 { "(code of no line)" } else { texts[k].line(l) });
        let is_same = lines.iter().all(Option::is_some) && text(0).trim() == text(1).trim();
        let side = |k: usize, [cycles, bytes]: [u64; 2]| match lines[k] {
            Some(l) => format!(
                "<td class=\"n\">{l}</td><td class=\"source\">{}</td><td>{cycles}</td><td>{bytes}</td>",
                escape(text(k))
            ),
            None => "<td></td>".repeat(4),
        };
        for (own, line) in rows.iter_mut().zip(lines) {
            own.extend(line.map(|l| (l, k)));
        }
        let class = if is_same { "" } else { " class=\"changed\"" };
        let _ = writeln!(
            out,
            "<tr{class} data-line=\"{k}\" tabindex=\"0\">{}{}<td>{}</td></tr>",
            side(0, a),
            side(1, b),
            versions::change(a[0], b[0])
        );
    }
    out.push_str("</tbody></table></div>\n<div class=\"panes\">\n");
    for (c, rows) in [p.old, p.new].into_iter().zip(&rows) {
        code(c, &|line| rows.get(&line).copied().unwrap_or(0), out);
    }
    out.push_str("</div>\n");
}

/// What the numbers come to.
fn sentences(c: &Column, out: &mut String) {
    let list = |list: &[String]| list.iter().map(|s| format!("<li>{}</li>\n", escape(s))).collect::<String>();
    let mut said = c.occupancy();
    let bound = format!("<li class=\"bound\" data-unit=\"{}\">{}</li>\n", c.cycle(), escape(&c.bound()));
    let occupancy = said.len();
    said.push(c.counted());
    said.extend(Some(c.chain().1).filter(|t| !t.is_empty()));
    if !c.passes.is_empty() {
        let passes: Vec<String> = c.passes.iter().map(|(p, n)| format!("{p} {n}")).collect();
        said.push(format!("changes by pass: {}", passes.join(", ")));
    }
    let _ = write!(out, "<ul>\n{}{bound}{}</ul>\n", list(&said[..occupancy]), list(&said[occupancy..]));
    if !c.loops.is_empty() {
        loops(c, out);
    }
    why(c, out);
    if !c.starts.is_empty() {
        let starts: Vec<String> = c.starts.iter().map(|(place, what)| format!("{place} = {what}")).collect();
        let _ = write!(
            out,
            "<details><summary>At the start</summary>\n<ul class=\"code\">\n{}</ul></details>\n",
            list(&starts)
        );
    }
}

/// The loops; rounds that are assumed can be changed, and the numbers of lines and units follow.
fn loops(c: &Column, out: &mut String) {
    out.push_str("<p>Loops:</p>\n<ul class=\"loops\">\n");
    for (k, l) in (1..).zip(&c.loops) {
        let field = match l.rounds {
            None => format!(
                "<label>; change to <input type=\"number\" min=\"0\" max=\"1000000\" step=\"any\" value=\"{0}\" data-rounds=\"{0}\"></label>",
                gpucc_ir::analysis::trips::UNKNOWN
            ),
            Some(_) => String::new(),
        };
        let _ = writeln!(
            out,
            "<li data-loop=\"{k}\" data-around=\"{}\"><span>{}</span>{field}</li>",
            l.around,
            escape(&l.said())
        );
    }
    out.push_str("</ul>\n");
}

/// How often a line's code runs and its cycles by unit, loop by loop, as the script reads them: `loop:runs:cycles,cycles`.
fn parts(own: &Line, cycles: &[String]) -> String {
    let part = |(inside, (runs, of)): (&u32, &(u64, BTreeMap<String, u64>))| {
        let list: Vec<String> = cycles.iter().map(|n| of.get(n).copied().unwrap_or(0).to_string()).collect();
        format!("{inside}:{runs}:{}", list.join(","))
    };
    own.parts.iter().map(part).collect::<Vec<_>>().join(" ")
}

/// A part that is opened by who wants it.
fn folded(title: &str, body: &str, out: &mut String) {
    let _ = write!(out, "<details><summary>{}</summary>\n{body}</details>\n", escape(title));
}

/// Remarks, checks, values in registers, and what each pass changed.
fn why(c: &Column, out: &mut String) {
    let remarks = c.remarks();
    if !remarks.is_empty() {
        let item =
            |(line, said): &(u32, String)| format!("<li data-line=\"{line}\" tabindex=\"0\">{}</li>\n", escape(said));
        let list: String = remarks.iter().map(item).collect();
        folded(&format!("Remarks: {}", remarks.len()), &format!("<ul class=\"pane\">\n{list}</ul>\n"), out);
    }
    checks(c, out);
    spills(c, out);
    let values = &c.why.values;
    if !values.is_empty() {
        let mut body = String::from(
            "<div class=\"pane\"><table class=\"code\">\n<thead><tr><th>register</th><th>from</th><th>to</th><th>line</th><th class=\"text\">read in lines</th><th class=\"text\">made by</th><th class=\"text\">copied because</th></tr></thead>\n<tbody>\n",
        );
        for v in values {
            let lines: BTreeSet<u32> = v.reads.iter().map(|r| r.1).filter(|l| *l > 0).collect();
            let lines: Vec<String> = lines.iter().map(u32::to_string).collect();
            let reads = if v.reads.is_empty() { "nobody".into() } else { lines.join(", ") };
            let _ = writeln!(
                body,
                "<tr data-line=\"{}\"><td class=\"name\">{}</td><td>{}</td><td>{}</td><td>{}</td><td class=\"text\">{}</td><td class=\"text\">{}</td><td class=\"text\">{}</td></tr>",
                v.copy.as_ref().map_or(v.at.1, |c| c.line),
                escape(&v.register),
                v.at.0,
                v.last(),
                v.at.1,
                escape(&reads),
                escape(&v.made),
                escape(&v.copy.as_ref().map_or_else(String::new, |c| c.reason.said()))
            );
        }
        body += "</tbody></table></div>\n";
        folded(&format!("Values in registers: {}", values.len()), &body, out);
        let item = |v: &super::values::Value| {
            format!(
                "<div data-line=\"{}\" tabindex=\"0\">{} = {}</div>\n",
                v.at.1,
                escape(&v.register),
                escape(&v.made)
            )
        };
        let chain: String = c.chain().0.into_iter().map(|k| item(&values[k])).collect();
        folded("Longest chain of results", &format!("<div class=\"pane code\">\n{chain}</div>\n"), out);
    }
    let changes = &c.why.changes;
    if !changes.is_empty() {
        let mut body = String::new();
        for d in changes {
            let title = format!("{} ({}): {} lines less, {} more", d.pass, d.form, d.counts.0, d.counts.1);
            let lines: String = d.lines.iter().map(|l| format!("<div>{}</div>\n", escape(l))).collect();
            folded(&title, &format!("<div class=\"pane code\">\n{lines}</div>\n"), &mut body);
        }
        folded("Passes, and what each changed", &body, out);
    }
}

/// Every access of memory, and what keeps it in bounds.
fn checks(c: &Column, out: &mut String) {
    let list = &c.why.accesses;
    if list.is_empty() {
        return;
    }
    let n = |name: &str| list.iter().filter(|a| a.guard.name() == name).count();
    let all = if list.len() == 1 { "1 access".to_string() } else { format!("{} accesses", list.len()) };
    let title = format!("Bounds of {all}: {} with a check, {} with a check that was removed", n("check"), n("removed"));
    let item = |a: &super::checks::Access| {
        let place = if a.line > 0 { format!("line {}: ", a.line) } else { String::new() };
        format!("<li data-line=\"{}\" tabindex=\"0\">{place}{}</li>\n", a.line, escape(&a.said(c.why.robust)))
    };
    let list: String = list.iter().map(item).collect();
    folded(&title, &format!("<ul class=\"pane\">\n{list}</ul>\n"), out);
}

/// Values that found no register, and what the registers held instead.
fn spills(c: &Column, out: &mut String) {
    let list = &c.why.spills;
    if list.is_empty() {
        return;
    }
    let mut body = String::from(
        "<div class=\"pane\"><table class=\"code\">\n<thead><tr><th>line</th><th class=\"text\">what</th><th>register</th><th class=\"text\">value of</th><th class=\"text\">because</th></tr></thead>\n<tbody>\n",
    );
    for s in list {
        let lines: Vec<String> = s.of.iter().map(u32::to_string).collect();
        let (what, of) = if s.stored { ("stored", "made in line") } else { ("loaded again", "read in line") };
        let of = if lines.is_empty() { String::new() } else { format!("{of} {}", lines.join(", ")) };
        let _ = writeln!(
            body,
            "<tr data-line=\"{0}\" tabindex=\"0\"><td>{0}</td><td class=\"text\">{what}</td><td>{1}</td><td class=\"text\">{of}</td><td class=\"text\">{2}</td></tr>",
            s.line,
            escape(&s.register),
            escape(&s.reason())
        );
    }
    body += "</tbody></table></div>\n";
    let stored = list.iter().filter(|s| s.stored).count();
    folded(&format!("Spills: {stored} stored, {} loaded again", list.len() - stored), &body, out);
}

/// Source, IR and machine code side by side.
fn panes(page: &Page, c: &Column, out: &mut String) {
    let lines = page.sources[c.source].lines.len().max(c.code.len()).max(c.why.ir.len());
    let class = if lines > LONG { "panes long" } else { "panes" };
    let _ = write!(out, "<div class=\"{class}\">\n<div class=\"pane\">");
    source(page, c, out);
    out.push_str("</table></div>\n");
    if !c.why.ir.is_empty() {
        out.push_str("<div class=\"pane code ir\" aria-label=\"IR\">\n");
        for (k, (line, text)) in c.why.ir.iter().enumerate() {
            part(k, out);
            let of = if *line > 0 { format!(" data-line=\"{line}\" tabindex=\"0\"") } else { String::new() };
            let _ = writeln!(out, "<div{of}>{}</div>", escape(text));
        }
        out.push_str("</div></div>\n");
    }
    code(c, &|line| line as usize, out);
    out.push_str("</div>\n");
}

/// Machine code. `number` is what lights up with the code of a line.
fn code(c: &Column, number: &dyn Fn(u32) -> usize, out: &mut String) {
    out.push_str("<div class=\"pane code machine\">\n");
    for (k, i) in c.code.iter().enumerate() {
        part(k, out);
        let (line, number) = (i.line, number(i.line));
        let Some(address) = i.address else {
            let _ = writeln!(out, "<div class=\"label\" data-line=\"{number}\">{}</div>", escape(&i.text));
            continue;
        };
        let result = match i.marks.contains(&gpucc_isa::Mark::Memory) {
            true => super::waits::result(&i.text),
            false => Vec::new(),
        };
        let gives = (!result.is_empty()).then(|| format!("reads memory into {}", result.join(", ")));
        let title = [vec![format!("line {line}")], gives.into_iter().collect(), c.waits(k)].concat().join("\n");
        let program = i.program.map_or_else(String::new, |p| format!("{p} "));
        let times = c.executed(k).map_or_else(String::new, |n| format!("<span class=\"times\">{}</span>", n.times));
        let marks: String = i.marks.iter().map(|m| format!("<span class=\"mark\">{}</span>", m.name())).collect();
        let _ = writeln!(
            out,
            "<div data-line=\"{number}\" tabindex=\"0\" title=\"{}\"><span class=\"address\">{program}{address:06x}</span> {times} {}{marks}</div>",
            escape(&title),
            escape(&i.text)
        );
    }
    out.push_str(if c.code.is_empty() { "</div>\n" } else { "</div></div>\n" });
}

/// Lines of a pane that a browser lays out together.
const PART: usize = 100;
/// Lines of a program from which on it does so only once they are seen: the others cost nothing then.
const LONG: usize = 2000;

/// Begins a part in front of the first line of one.
fn part(at: usize, out: &mut String) {
    if at.is_multiple_of(PART) {
        out.push_str(if at > 0 { "</div>\n<div class=\"part\">\n" } else { "<div class=\"part\">\n" });
    }
}

/// Every line of the source with its numbers, those of no line first.
fn source(page: &Page, c: &Column, out: &mut String) {
    let (live, cycles) = (c.names(|l| &l.live), c.names(|l| &l.cycles));
    // Columns have widths of their own, so that each part of the rows is laid out alone.
    let counted = if c.executed.is_some() { 2 } else { 0 };
    let ch = 7 + 9 + 11 * counted + 13 * live.len() + 11 * cycles.len();
    let _ = writeln!(
        out,
        "<table class=\"code rows\" style=\"--cols: 7ch minmax(var(--text), 1fr) 9ch{}{}{}; min-width: calc({ch}ch + var(--text))\">",
        " 11ch".repeat(counted),
        " 13ch".repeat(live.len()),
        " 11ch".repeat(cycles.len())
    );
    out.push_str(
        "<thead><tr><th>line</th><th class=\"text\">source</th><th title=\"times that it runs, estimated\">runs</th>",
    );
    let executed = c.executed_lines();
    if c.executed.is_some() {
        out.push_str("<th title=\"instructions that subgroups executed\">executed</th><th title=\"the same by lanes\">lanes</th>");
    }
    for name in live.iter().chain(&cycles) {
        // A long name may go on in the next row.
        let _ = write!(out, "<th>{}</th>", escape(name).replacen('_', "_<wbr>", 1));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    let most = |of: &dyn Fn(&Line) -> u64| c.lines.values().map(of).max().unwrap_or(0).max(1);
    let peaks: Vec<u64> = live.iter().map(|n| most(&|l| l.live.get(n).copied().unwrap_or(0))).collect();
    let hottest = most(&Line::all_cycles);
    let text = &page.sources[c.source];
    let last = c.lines.keys().next_back().copied().unwrap_or(0).max(text.lines.len() as u32);
    let first = u32::from(!c.lines.contains_key(&0));
    // Of a source that is no text the lines that have numbers.
    let lines: Vec<u32> = match text.lines.is_empty() {
        true => c.lines.keys().copied().collect(),
        false => (first..=last).collect(),
    };
    let mut spilled: BTreeMap<u32, usize> = BTreeMap::new();
    c.why.spills.iter().for_each(|s| *spilled.entry(s.line).or_default() += 1);
    for (k, line) in lines.into_iter().enumerate() {
        if k > 0 && k.is_multiple_of(PART) {
            out.push_str("</tbody>\n<tbody>\n");
        }
        let shown = if line == 0 { "(code of no line)".into() } else { escape(text.line(line)) };
        let spills = spilled.get(&line).map_or_else(String::new, |n| {
            let word = if *n == 1 { "spill" } else { "spills" };
            format!("<span class=\"mark\" title=\"values stored or loaded again because registers ran out\">{n} {word}</span>")
        });
        let Some(own) = c.lines.get(&line) else {
            let _ = writeln!(out, "<tr><td class=\"n\">{line}</td><td class=\"source\">{shown}</td></tr>");
            continue;
        };
        // A tenth of the hottest is still seen.
        let heat = own.all_cycles() as f64 / hottest as f64;
        let style = if heat > 0.0 {
            format!(" style=\"background: rgba(var(--heat), {:.2})\"", 0.5 * heat.sqrt())
        } else {
            String::new()
        };
        let _ = write!(
            out,
            "<tr data-line=\"{line}\" data-parts=\"{0}\" tabindex=\"0\"><td class=\"n\">{line}</td><td class=\"source\"{style}>{shown}{spills}</td><td class=\"runs\" data-runs=\"{1}\">{1}</td>",
            parts(own, &cycles),
            own.runs
        );
        if c.executed.is_some() {
            let n = executed.get(&line).copied().unwrap_or_default();
            let _ = write!(out, "<td class=\"executed\">{}</td><td>{}</td>", n.times, n.lanes);
        }
        for (name, peak) in live.iter().zip(&peaks) {
            let n = own.live.get(name).copied().unwrap_or(0);
            let _ = write!(out, "<td class=\"bar\" style=\"--part: {}%\">{n}</td>", 100 * n / peak);
        }
        for name in &cycles {
            let _ = write!(out, "<td class=\"cycles\"{style}>{}</td>", own.cycles.get(name).copied().unwrap_or(0));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody>\n");
}
