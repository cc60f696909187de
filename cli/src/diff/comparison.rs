//! What changed from one report to another.

use gpucc::statistics::{self, Worse};
use indexmap::IndexMap;
use serde_json::{Value, json};

use crate::gate::{Gate, Limit};
use crate::rows::{Report, Row};

/// Something for the worse: it makes the comparison fail.
pub(super) struct Problem {
    pub(super) kind: &'static str,
    /// The row, where it is of one.
    pub(super) row: Option<Row>,
    pub(super) text: String,
}

/// One number of one shader, or the sum or mean over all.
#[derive(Clone)]
pub(super) struct Change {
    pub(super) target: String,
    pub(super) statistic: String,
    pub(super) before: f64,
    pub(super) after: f64,
    pub(super) limit: Option<Limit>,
    /// Changes shader by shader, for a sum or mean.
    pub(super) shaders: Shaders,
}

/// Changes of one statistic shader by shader: a sum may be one shader.
#[derive(Clone, Copy, Default)]
pub(super) struct Shaders {
    pub(super) helped: u64,
    pub(super) hurt: u64,
    /// Mean and median of the ratios of after to before; nothing if no shader had any before.
    pub(super) mean: Option<f64>,
    pub(super) median: Option<f64>,
}

/// Sums of one statistic over the shaders of both reports, and each change.
#[derive(Clone, Default)]
pub(super) struct Sum {
    pub(super) before: u64,
    pub(super) after: u64,
    pub(super) shaders: u64,
    pub(super) each: Vec<(u64, u64)>,
}

pub(super) type Sums = IndexMap<(String, String), Sum>;

impl Sum {
    /// The statistic's figures of several shaders, before and after: a mean where a sum means nothing.
    pub(super) fn shown(&self, statistic: &str) -> (f64, f64) {
        let of = if averaged(statistic) { self.shaders.max(1) as f64 } else { 1.0 };
        (self.before as f64 / of, self.after as f64 / of)
    }

    /// Shader by shader. What neither is better nor worse is hurt where it grows.
    pub(super) fn shaders(&self, statistic: &str) -> Shaders {
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
pub(super) fn averaged(statistic: &str) -> bool {
    statistics::find(statistic).is_some_and(|s| s.mean)
}

/// Whole numbers as they are, means with two digits.
pub(super) fn number(x: f64) -> String {
    if x.fract() == 0.0 { format!("{x}") } else { format!("{x:.2}") }
}

/// A change for people: two digits, and as many more as show that it is one.
pub(super) fn percentage(percent: f64) -> String {
    let digits = (2..8).find(|&d| percent == 0.0 || percent.abs() >= 0.5 * 0.1f64.powi(d));
    format!("{percent:+.0$} %", digits.unwrap_or(8) as usize)
}

/// A number as JSON: whole ones as integers.
pub(super) fn value(x: f64) -> Value {
    if x.fract() == 0.0 { json!(x as u64) } else { json!(x) }
}

impl Change {
    /// Change in percent of what was there; infinite where nothing was.
    pub(super) fn percent(&self) -> f64 {
        if self.after == self.before { 0.0 } else { 100.0 * (self.after / self.before - 1.0) }
    }
    /// The change for people.
    pub(super) fn percentage(&self) -> String {
        match (self.before, self.after) {
            (b, a) if b == a => "0 %".into(),
            (0.0, _) => "new".into(),
            _ => percentage(self.percent()),
        }
    }
    pub(super) fn worse(&self) -> bool {
        self.limit.is_some_and(|l| l.passed(self.before, self.after))
    }
    /// Whether it is to the worse, by a limit or not. What neither is better nor worse is where it grows.
    pub(super) fn hurts(&self) -> bool {
        let less_is_worse = statistics::find(&self.statistic).is_some_and(|s| s.worse == Worse::Down);
        self.before != self.after && (self.after < self.before) == less_is_worse
    }
    pub(super) fn text(&self) -> String {
        format!("{} -> {} ({})", number(self.before), number(self.after), self.percentage())
    }
}

/// The result of a comparison.
#[derive(Default)]
pub(super) struct Comparison {
    pub(super) problems: Vec<Problem>,
    /// Sums or means over the shaders that compiled in both reports.
    pub(super) totals: Vec<Change>,
    /// Shaders whose instructions changed, the worst first.
    pub(super) shaders: Vec<(Row, Change)>,
    /// Every number of a shader that changed, in the order of the rows.
    pub(super) numbers: Vec<(Row, Change)>,
    /// Rows of both reports.
    pub(super) common: usize,
    /// Rows that compile now and did not, or were not there.
    pub(super) gained: usize,
    /// Rows that were there or compiled and are not or do not now.
    pub(super) lost: usize,
    /// Limits that met a number.
    pub(super) limited: usize,
}

impl Comparison {
    pub(super) fn problem(&mut self, kind: &'static str, row: Option<&Row>, text: String) {
        self.problems.push(Problem { kind, row: row.cloned(), text });
    }

    /// One row of both reports.
    pub(super) fn row(&mut self, old: &Row, new: &Row, gate: &Gate, totals: &mut Sums) {
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

    pub(super) fn numbers(&mut self, old: &Row, new: &Row, gate: &Gate, totals: &mut Sums) {
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

    pub(super) fn compare(old: &Report, new: &Report, gate: &Gate) -> Comparison {
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
    pub(super) fn others(&self) -> Vec<&(Row, Change)> {
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

    pub(super) fn helped(&self) -> usize {
        self.shaders.iter().filter(|s| s.1.after < s.1.before).count()
    }

    pub(super) fn hurt(&self) -> usize {
        self.shaders.len() - self.helped()
    }

    pub(super) fn summary(&self) -> String {
        let (helped, hurt) = (self.helped(), self.hurt());
        let none =
            if self.totals.is_empty() { "; no row compiled in both reports: no number was compared" } else { "" };
        format!("helped {helped}, hurt {hurt}, newly compiled {}, lost {}{none}", self.gained, self.lost)
    }
}

/// The new file that a row of an old one has gone to: the only one with these numbers that was not there before.
pub(super) fn renamed<'a>(
    row: &Row,
    new: &'a Report,
    before: &IndexMap<(&str, &str, &str, &str), &Row>,
) -> Option<&'a str> {
    let is_same = |n: &&Row| {
        let same = (&n.entry, &n.stage, &n.target) == (&row.entry, &row.stage, &row.target) && n.stats == row.stats;
        n.ok() && row.ok() && same && !before.contains_key(&n.key())
    };
    let mut list = new.rows.iter().filter(is_same);
    list.next().filter(|_| list.next().is_none()).map(|n| n.file.as_str())
}

/// A row with the place of what is wrong with another.
pub(super) fn at(row: &Row, wrong: &Row) -> Row {
    Row { line: wrong.line, column: wrong.column, ..row.clone() }
}

impl Problem {
    pub(super) fn line(&self) -> String {
        match &self.row {
            Some(r) => format!("{}: {}", r.name(), self.text),
            None => self.text.clone(),
        }
    }
}

/// The totals that changed, in some shader at least, or are limited.
pub(super) fn totals(c: &Comparison) -> (Vec<String>, Vec<Vec<String>>) {
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
