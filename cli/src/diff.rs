//! `gpucc diff`: two statistics reports compared, with a gate that decides what is a regression.

mod html;

use std::path::{Path, PathBuf};

use gpucc::statistics::{self, Worse};
use indexmap::IndexMap;
use serde_json::{Value, json};

use crate::args::{Diff, DiffFormat};
use crate::gate::{Gate, Limit};
use crate::junit::{self, Case, Outcome};
use crate::stats::{FORMAT, Report, Row, read_report};
use crate::{Failure, files, table};

/// Something for the worse: it makes the comparison fail.
struct Problem {
    kind: &'static str,
    /// The row, where it is of one.
    row: Option<Row>,
    text: String,
}

/// One number of one shader, or the sum or mean over all.
#[derive(Clone)]
struct Change {
    target: String,
    statistic: String,
    before: f64,
    after: f64,
    limit: Option<Limit>,
    /// Changes shader by shader, for a sum or mean.
    shaders: Shaders,
}

/// Changes of one statistic shader by shader: a sum may be one shader.
#[derive(Clone, Copy, Default)]
struct Shaders {
    helped: u64,
    hurt: u64,
    /// Mean and median of the ratios of after to before; nothing if no shader had any before.
    mean: Option<f64>,
    median: Option<f64>,
}

/// Sums of one statistic over the shaders of both reports, and each change.
#[derive(Clone, Default)]
struct Sum {
    before: u64,
    after: u64,
    shaders: u64,
    each: Vec<(u64, u64)>,
}

type Sums = IndexMap<(String, String), Sum>;

impl Sum {
    /// The statistic's figures of several shaders, before and after: a mean where a sum means nothing.
    fn shown(&self, statistic: &str) -> (f64, f64) {
        let of = if averaged(statistic) { self.shaders.max(1) as f64 } else { 1.0 };
        (self.before as f64 / of, self.after as f64 / of)
    }

    /// Shader by shader. What neither is better nor worse is hurt where it grows.
    fn shaders(&self, statistic: &str) -> Shaders {
        let less_is_worse = statistics::find(statistic).is_some_and(|s| s.worse == Worse::Down);
        let count = |up: bool| self.each.iter().filter(|(b, a)| if up { a > b } else { a < b }).count() as u64;
        let mut ratios: Vec<f64> = self
            .each
            .iter()
            .filter(|(b, a)| *b > 0 || *a == 0)
            .map(|&(b, a)| if b == a { 1.0 } else { a as f64 / b as f64 })
            .collect();
        ratios.sort_by(f64::total_cmp);
        let n = ratios.len();
        let median = || (ratios[(n - 1) / 2] + ratios[n / 2]) / 2.0;
        Shaders {
            helped: count(less_is_worse),
            hurt: count(!less_is_worse),
            mean: (n > 0).then(|| ratios.iter().sum::<f64>() / n as f64),
            median: (n > 0).then(median),
        }
    }
}

/// Whether numbers of several shaders are averaged.
fn averaged(statistic: &str) -> bool {
    statistics::find(statistic).is_some_and(|s| s.mean)
}

/// Whole numbers as they are, means with two digits.
fn number(x: f64) -> String {
    if x.fract() == 0.0 { format!("{x}") } else { format!("{x:.2}") }
}

/// A change for people: two digits, and as many more as show that it is one.
fn percentage(percent: f64) -> String {
    let digits = (2..8).find(|&d| percent == 0.0 || percent.abs() >= 0.5 * 0.1f64.powi(d));
    format!("{percent:+.0$} %", digits.unwrap_or(8) as usize)
}

/// A number as JSON: whole ones as integers.
fn value(x: f64) -> Value {
    if x.fract() == 0.0 { json!(x as u64) } else { json!(x) }
}

impl Change {
    /// Change in percent of what was there; infinite where nothing was.
    fn percent(&self) -> f64 {
        if self.after == self.before { 0.0 } else { 100.0 * (self.after / self.before - 1.0) }
    }
    /// The change for people.
    fn percentage(&self) -> String {
        match (self.before, self.after) {
            (b, a) if b == a => "0 %".into(),
            (0.0, _) => "new".into(),
            _ => percentage(self.percent()),
        }
    }
    fn worse(&self) -> bool {
        self.limit.is_some_and(|l| l.passed(self.before, self.after))
    }
    /// Whether it is to the worse, by a limit or not. What neither is better nor worse is where it grows.
    fn hurts(&self) -> bool {
        let less_is_worse = statistics::find(&self.statistic).is_some_and(|s| s.worse == Worse::Down);
        self.before != self.after && (self.after < self.before) == less_is_worse
    }
    fn text(&self) -> String {
        format!("{} -> {} ({})", number(self.before), number(self.after), self.percentage())
    }
}

/// The result of a comparison.
#[derive(Default)]
struct Comparison {
    problems: Vec<Problem>,
    /// Sums or means over the shaders that compiled in both reports.
    totals: Vec<Change>,
    /// Shaders whose instructions changed, the worst first.
    shaders: Vec<(Row, Change)>,
    /// Every number of a shader that changed, in the order of the rows.
    numbers: Vec<(Row, Change)>,
    /// Rows of both reports.
    common: usize,
    /// Rows that compile now and did not, or were not there.
    gained: usize,
    /// Rows that were there or compiled and are not or do not now.
    lost: usize,
    /// Limits that met a number.
    limited: usize,
}

impl Comparison {
    fn problem(&mut self, kind: &'static str, row: Option<&Row>, text: String) {
        self.problems.push(Problem { kind, row: row.cloned(), text });
    }

    /// One row of both reports.
    fn row(&mut self, old: &Row, new: &Row, gate: &Gate, totals: &mut Sums) {
        match (old.ok(), new.ok()) {
            (true, false) => {
                self.lost += 1;
                self.problem(
                    "lost",
                    Some(&at(old, new)),
                    format!("compiled before, now {}: {}", new.status, new.message),
                );
            }
            (false, true) => self.gained += 1,
            (false, false) => {
                if new.status == "bug" && old.status != "bug" {
                    self.problem(
                        "bug",
                        Some(&at(old, new)),
                        format!("{} before, now a compiler bug: {}", old.status, new.message),
                    );
                }
            }
            (true, true) => self.numbers(old, new, gate, totals),
        }
    }

    fn numbers(&mut self, old: &Row, new: &Row, gate: &Gate, totals: &mut Sums) {
        for name in old.stats.keys() {
            let Some(before) = old.stat(name) else { continue };
            let limit = Gate::limit(&gate.shader, name);
            let Some(after) = new.stat(name) else {
                if limit.or(Gate::limit(&gate.total, name)).is_some() {
                    self.problem("lost", Some(old), format!("{name} is limited and not in the new report"));
                }
                continue;
            };
            let sum = totals.entry((old.target.clone(), name.clone())).or_default();
            let weight = gate.weight(&old.file);
            sum.before = sum.before.saturating_add(before.saturating_mul(weight));
            sum.after = sum.after.saturating_add(after.saturating_mul(weight));
            sum.shaders += weight;
            sum.each.push((before, after));
            let (before, after) = (before as f64, after as f64);
            let (target, statistic) = (old.target.clone(), name.clone());
            let shaders = Shaders::default();
            let change = Change { target, statistic, before, after, limit: limit.copied(), shaders };
            if let Some(l) = limit {
                self.limited += 1;
                if change.worse() {
                    self.problem("shader", Some(old), format!("{name} {}, limit {}", change.text(), l.text()));
                }
            }
            if name == "instructions" && before != after {
                self.shaders.push((old.clone(), change.clone()));
            }
            if before != after {
                self.numbers.push((old.clone(), change));
            }
        }
    }

    fn compare(old: &Report, new: &Report, gate: &Gate) -> Comparison {
        let mut c = Comparison::default();
        let after: IndexMap<_, &Row> = new.rows.iter().map(|r| (r.key(), r)).collect();
        let before: IndexMap<_, &Row> = old.rows.iter().map(|r| (r.key(), r)).collect();
        let mut totals = Sums::new();
        for o in before.values() {
            match after.get(&o.key()) {
                Some(n) => {
                    c.common += 1;
                    c.row(o, n, gate, &mut totals);
                }
                // A file that could not be read to its entry points has them now.
                None if o.entry == "*" && new.rows.iter().any(|n| (&n.file, &n.target) == (&o.file, &o.target)) => {}
                None => {
                    c.lost += 1;
                    let whole = after.get(&(o.file.as_str(), "*", "*", o.target.as_str()));
                    let why = match (whole, renamed(o, new, &before)) {
                        (Some(w), _) => format!(": the file is {}: {}", w.status, w.message),
                        (None, Some(file)) => format!(": `{file}` is new and has the same numbers"),
                        (None, None) => String::new(),
                    };
                    let row = whole.map_or_else(|| (*o).clone(), |w| at(o, w));
                    c.problem("lost", Some(&row), format!("is not in the new report{why}"));
                }
            }
        }
        c.gained += new.rows.iter().filter(|n| n.ok() && !before.contains_key(&n.key())).count();
        if c.common == 0 {
            c.problem("disjoint", None, "the reports share no row: nothing was compared".into());
        }
        for ((target, statistic), sum) in totals {
            let (before, after) = sum.shown(&statistic);
            let limit = Gate::limit(&gate.total, &statistic).copied();
            let shaders = sum.shaders(&statistic);
            let change = Change { target, statistic, before, after, limit, shaders };
            if let Some(l) = limit {
                c.limited += 1;
                if change.worse() {
                    let text = format!("{} {}, limit {}", change.statistic, change.text(), l.text());
                    let what = if averaged(&change.statistic) { "mean" } else { "total" };
                    c.problem("total", None, format!("{what} of {}: {text}", change.target));
                }
            }
            c.totals.push(change);
        }
        c.shaders.sort_by(|a, b| b.1.percent().total_cmp(&a.1.percent()).then_with(|| a.0.key().cmp(&b.0.key())));
        c
    }

    /// Other numbers than instructions that got worse for a shader, by statistic, the worst first.
    fn others(&self) -> Vec<&(Row, Change)> {
        let is_worse = |(_, c): &&(Row, Change)| match statistics::find(&c.statistic).map(|s| s.worse) {
            _ if c.statistic == "instructions" => false,
            Some(Worse::Up) => c.after > c.before,
            Some(Worse::Down) => c.after < c.before,
            Some(Worse::Either) | None => false,
        };
        let mut list: Vec<&(Row, Change)> = self.numbers.iter().filter(is_worse).collect();
        let much = |c: &Change| c.percent().abs();
        list.sort_by(|(a, x), (b, y)| {
            x.statistic.cmp(&y.statistic).then_with(|| much(y).total_cmp(&much(x))).then_with(|| a.key().cmp(&b.key()))
        });
        list
    }

    fn helped(&self) -> usize {
        self.shaders.iter().filter(|s| s.1.after < s.1.before).count()
    }

    fn hurt(&self) -> usize {
        self.shaders.len() - self.helped()
    }

    fn summary(&self) -> String {
        let (helped, hurt) = (self.helped(), self.hurt());
        let none =
            if self.totals.is_empty() { "; no row compiled in both reports: no number was compared" } else { "" };
        format!("helped {helped}, hurt {hurt}, newly compiled {}, lost {}{none}", self.gained, self.lost)
    }
}

/// The new file that a row of an old one has gone to: the only one with these numbers that was not there before.
fn renamed<'a>(row: &Row, new: &'a Report, before: &IndexMap<(&str, &str, &str, &str), &Row>) -> Option<&'a str> {
    let is_same = |n: &&Row| {
        let same = (&n.entry, &n.stage, &n.target) == (&row.entry, &row.stage, &row.target) && n.stats == row.stats;
        n.ok() && row.ok() && same && !before.contains_key(&n.key())
    };
    let mut list = new.rows.iter().filter(is_same);
    list.next().filter(|_| list.next().is_none()).map(|n| n.file.as_str())
}

/// A row with the place of what is wrong with another.
fn at(row: &Row, wrong: &Row) -> Row {
    Row { line: wrong.line, column: wrong.column, ..row.clone() }
}

impl Problem {
    fn line(&self) -> String {
        match &self.row {
            Some(r) => format!("{}: {}", r.name(), self.text),
            None => self.text.clone(),
        }
    }
}

/// The totals that changed, in some shader at least, or are limited.
fn totals(c: &Comparison) -> (Vec<String>, Vec<Vec<String>>) {
    let head =
        ["target", "statistic", "of all", "before", "after", "change", "limit", "", "mean", "median", "helped", "hurt"];
    let head = head.map(String::from).to_vec();
    let ratio = |r: Option<f64>| match r {
        None => String::new(),
        Some(1.0) => "0 %".into(),
        Some(r) => percentage(100.0 * (r - 1.0)),
    };
    let moved = |t: &Change| t.before != t.after || t.shaders.helped + t.shaders.hurt > 0;
    let shown = c.totals.iter().filter(|t| moved(t) || t.limit.is_some());
    let line = |t: &Change| {
        vec![
            t.target.clone(),
            t.statistic.clone(),
            if averaged(&t.statistic) { "mean" } else { "sum" }.into(),
            number(t.before),
            number(t.after),
            t.percentage(),
            t.limit.map_or_else(String::new, |l| l.text()),
            if t.worse() { "worse" } else { "" }.into(),
            ratio(t.shaders.mean),
            ratio(t.shaders.median),
            t.shaders.helped.to_string(),
            t.shaders.hurt.to_string(),
        ]
    };
    (head, shown.map(line).collect())
}

/// The text for people: totals, the shaders that changed most, everything for the worse.
fn text(c: &Comparison, markdown: bool) -> String {
    let (head, lines) = totals(c);
    let mut out = match (lines.is_empty(), markdown) {
        (true, _) => String::new(),
        (false, true) => table::markdown(&head, &lines) + "\n",
        (false, false) => table::aligned(&head, &lines, 8) + "\n",
    };
    out += &format!("{}\n", c.summary());
    let bullet = if markdown { "- " } else { "  " };
    let blank = if markdown { "\n" } else { "" };
    let list = |title: &str, items: Vec<String>| {
        let items: String = items.iter().map(|i| format!("{bullet}{i}\n")).collect();
        if items.is_empty() { items } else { format!("{blank}{title}:\n{blank}{items}") }
    };
    let shader = |(r, change): &(Row, Change)| format!("{}: {}", r.name(), change.text());
    let (hurt, helped) = (|s: &&(Row, Change)| s.1.after > s.1.before, |s: &&(Row, Change)| s.1.after < s.1.before);
    out += &list("most hurt", c.shaders.iter().filter(hurt).take(5).map(shader).collect());
    for of in c.others().chunk_by(|a, b| a.1.statistic == b.1.statistic) {
        let title = format!("most hurt in {}", of[0].1.statistic);
        out += &list(&title, of.iter().take(3).map(|o| shader(o)).collect());
    }
    out += &list("most helped", c.shaders.iter().rev().filter(helped).take(5).map(shader).collect());
    out + &list("regressions", c.problems.iter().map(Problem::line).collect())
}

/// Annotations of a kind that GitHub shows of a step.
const SHOWN: usize = 10;

/// Workflow commands, which GitHub shows beside the files of a change: one of a kind for each place, with all that is said of it.
fn github(c: &Comparison, folder: Option<&str>) -> String {
    let message = |s: &str| s.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    let property = |s: &str| message(s).replace(':', "%3A").replace(',', "%2C");
    let path = |r: &Row| folder.map_or_else(|| r.file.clone(), |f| format!("{}/{}", f.trim_end_matches('/'), r.file));
    let place = |row: Option<&Row>| match row {
        Some(r) => {
            let column = r.column.map_or_else(String::new, |c| format!("col={c},"));
            format!("file={},line={},{column}", property(&path(r)), r.line.unwrap_or(1))
        }
        None => String::new(),
    };
    let mut hidden = 0;
    let mut list = |kind: &str, title: &str, items: &mut dyn Iterator<Item = (Option<&Row>, String)>| {
        let mut places: IndexMap<String, Vec<String>> = IndexMap::new();
        for (k, (row, text)) in items.enumerate() {
            let of = row.map_or_else(String::new, |r| format!("{} on {}: ", r.entry, r.target));
            // What has no place stands alone.
            let key = if row.is_some() { place(row) } else { format!("{k}") };
            places.entry(key).or_default().push(format!("{of}{text}"));
        }
        hidden += places.len().saturating_sub(SHOWN);
        let line = |(place, texts): (String, Vec<String>)| {
            let place = if place.starts_with("file=") { place } else { String::new() };
            format!("::{kind} {place}title={}::{}\n", property(title), message(&texts.join("\n")))
        };
        places.into_iter().take(SHOWN).map(line).collect::<String>()
    };
    let mut problems = c.problems.iter().map(|p| (p.row.as_ref(), p.text.clone()));
    let mut out = list("error", "gpucc: regression", &mut problems);
    let mut hurt = c.shaders.iter().filter(|s| s.1.after > s.1.before).map(|(row, change)| (Some(row), change.text()));
    out += &list("warning", "gpucc: more instructions", &mut hurt);
    let more = if hidden > 0 { format!("; {hidden} more places are not shown") } else { String::new() };
    out + &format!("::notice title={}::{}\n", property("gpucc statistics"), message(&(c.summary() + &more)))
}

fn json(c: &Comparison) -> Value {
    let row = |r: &Row| json!({"file": r.file, "entry": r.entry, "stage": r.stage, "target": r.target});
    let change = |t: &Change| {
        json!({"target": t.target, "statistic": t.statistic, "before": value(t.before), "after": value(t.after),
               "mean_ratio": t.shaders.mean, "median_ratio": t.shaders.median, "helped": t.shaders.helped,
               "hurt": t.shaders.hurt, "limit": t.limit.map(|l| l.text()), "worse": t.worse()})
    };
    let problem = |p: &Problem| json!({"kind": p.kind, "row": p.row.as_ref().map(row), "message": p.text});
    let shader = |(r, t): &(Row, Change)| json!({"row": row(r), "before": value(t.before), "after": value(t.after)});
    let other = |(r, t): &(Row, Change)| json!({"row": row(r), "statistic": t.statistic, "before": value(t.before), "after": value(t.after)});
    json!({
        "format": "gpucc-diff-1",
        "regression": !c.problems.is_empty(),
        "common": c.common,
        "helped": c.helped(),
        "hurt": c.hurt(),
        "gained": c.gained,
        "lost": c.lost,
        "problems": c.problems.iter().map(problem).collect::<Vec<_>>(),
        "totals": c.totals.iter().map(change).collect::<Vec<_>>(),
        "instructions": c.shaders.iter().map(shader).collect::<Vec<_>>(),
        "others": c.others().into_iter().map(other).collect::<Vec<_>>(),
    })
}

/// Each limited total and each problem as a test; without any, that the reports were compared.
fn cases(c: &Comparison) -> Vec<Case> {
    let case = |suite: &str, class: &str, name: &str, outcome| Case {
        suite: suite.into(),
        class: class.into(),
        name: name.into(),
        outcome,
    };
    let mut list = Vec::new();
    for t in c.totals.iter().filter(|t| t.limit.is_some() && !t.worse()) {
        list.push(case(&t.target, "total", &t.statistic, Outcome::Passed));
    }
    for p in &c.problems {
        let failed = Outcome::Failed(p.kind.into(), p.line());
        list.push(match &p.row {
            Some(r) => case(&r.target, &r.file, &format!("{} ({})", r.entry, r.stage), failed),
            None => case("all", p.kind, &p.text, failed),
        });
    }
    list.push(case("all", "comparison", &c.summary(), Outcome::Passed));
    list
}

/// What makes the new report the baseline, as a patch of the file that holds the old one.
fn patch(old: &Path, new: &Path) -> Result<String, Failure> {
    let text = |path: &Path| {
        String::from_utf8(files::read(path)?)
            .map_err(|_| Failure::Usage(format!("`{}` is not UTF-8 text", path.display())))
    };
    let (before, after) = (text(old)?, text(new)?);
    let name = old.display().to_string();
    let name = name.trim_start_matches("./");
    let lines = similar::TextDiff::from_lines(&before, &after);
    let patch = lines.unified_diff().header(&format!("a/{name}"), &format!("b/{name}")).to_string();
    Ok(if patch.is_empty() { "the reports are equal: there is no new baseline\n".into() } else { patch })
}

/// The form of a comparison: that of `--format`, else what the ending of `-o` says, else a table.
fn form(args: &Diff) -> Result<DiffFormat, Failure> {
    let ending = args.output.as_deref().filter(|p| !p.exists() || p.is_file()).and_then(Path::extension);
    match (args.format, ending.and_then(std::ffi::OsStr::to_str)) {
        (Some(form), _) => Ok(form),
        (None, None | Some("txt")) => Ok(DiffFormat::Table),
        (None, Some("json")) => Ok(DiffFormat::Json),
        (None, Some("md")) => Ok(DiffFormat::Md),
        (None, Some("html" | "htm")) => Ok(DiffFormat::Html),
        (None, Some(other)) => Err(Failure::Usage(format!(
            "-o: the ending `.{other}` names no form; use .json, .md, .html or .txt (a table), or --format"
        ))),
    }
}

/// `gpucc diff OLD.json NEW.json`.
///
/// # Errors
/// Usage (an input that is not a report, a gate that is none, or that limits nothing of these reports) and I/O; exit 1
/// for a regression alone.
pub fn main(args: &Diff) -> Result<(), Failure> {
    let gate = args.gate.as_deref().map(Gate::read).transpose()?.unwrap_or_else(Gate::standard);
    let report = |path| {
        read_report(path).map_err(|f| match f {
            // Exit 1 is for reports that became worse.
            Failure::Input(text) => Failure::Usage(text),
            other => other,
        })
    };
    let form = form(args)?;
    if let Some(out) = &args.output {
        let inputs: Vec<PathBuf> = [&args.old, &args.new].into_iter().chain(&args.gate).cloned().collect();
        files::distinct(std::slice::from_ref(out), &inputs)?;
    }
    if args.folder.is_some() && form != DiffFormat::Github {
        return Err(Failure::Usage("--folder has no effect without --format github".into()));
    }
    let (old, new) = (report(&args.old)?, report(&args.new)?);
    let mut c = Comparison::compare(&old, &new, &gate);
    if !args.allow_options {
        if old.format != new.format || old.format != FORMAT {
            let text = format!("the reports have the formats `{}` and `{}`, not `{FORMAT}`", old.format, new.format);
            c.problem("schema", None, text + "; --allow-options compares them all the same");
        } else if old.options != new.options {
            let shown = |r: &Report| Value::Object(r.options.clone()).to_string();
            let text = format!("the reports were made with other options: {} and {}", shown(&old), shown(&new));
            c.problem("options", None, text + "; --allow-options compares them all the same");
        } else if old.shard != new.shard {
            let of = |path: &Path, r: &Report| match &r.shard {
                Some(shard) => format!("`{}` is shard {shard}", path.display()),
                None => format!("`{}` is no shard", path.display()),
            };
            let text = format!("{}, {}", of(&args.old, &old), of(&args.new, &new));
            return Err(Failure::Usage(format!("{text}: compare what `gpucc stats merge` makes of all shards")));
        }
    }
    if args.gate.is_some() && c.limited == 0 && c.common > 0 && c.problems.is_empty() {
        return Err(Failure::Usage("the gate limits nothing that these reports have".into()));
    }
    let out = match form {
        DiffFormat::Table => text(&c, false),
        DiffFormat::Md => text(&c, true),
        DiffFormat::Github => github(&c, args.folder.as_deref()),
        DiffFormat::Json => format!("{:#}\n", json(&c)),
        DiffFormat::Html => html::page(&c, [&old, &new]),
        DiffFormat::Junit => junit::document("gpucc diff", &cases(&c)),
    };
    match &args.output {
        Some(path) => files::write(path, out.as_bytes())?,
        None => files::stdout(out.as_bytes())?,
    }
    if args.accept {
        files::stderr(&patch(&args.old, &args.new)?);
    }
    match c.problems.as_slice() {
        [] => Ok(()),
        [one] => Err(Failure::Input(format!("regression: {}", one.line()))),
        [one, rest @ ..] => Err(Failure::Input(format!("regression: {}; and {} more", one.line(), rest.len()))),
    }
}

/// A comparison of nothing.
#[cfg(test)]
pub fn sample() -> Value {
    json(&Comparison::default())
}
