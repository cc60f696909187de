//! Everything that an explanation says, whatever its form.

use std::collections::BTreeMap;

use gpucc::listing::Source;
use gpucc::statistics::{self, STATISTICS, Statistic};
use gpucc::{Artifact, Instruction, Occupancy};
use gpucc_ir::analysis::{DomTree, Structure, trips};
use gpucc_ir::{Function, Module};
use gpucc_sim::trace::Count;
use serde_json::Value;

use super::executed::Counts;
use super::why::Why;
use crate::report::Reporter;
use crate::rows::Row;

/// An explanation: messages, programs and their numbers.
#[derive(Default)]
pub struct Page {
    /// The command that makes it.
    pub command: String,
    /// Name of the input.
    pub name: String,
    /// The texts that code is of: the input, or the shaders of a scene.
    pub sources: Vec<Text>,
    /// What is wrong with the shader.
    pub problems: Vec<Problem>,
    /// Each entry point on each target.
    pub columns: Vec<Column>,
    /// The same of the version that this one is compared with.
    pub against: Option<Box<Page>>,
}

/// A text that code is of.
#[derive(Default)]
pub struct Text {
    /// Its file, or the field of the scene that holds it.
    pub name: String,
    /// Its lines; none where it is no text.
    pub lines: Vec<String>,
}

impl Text {
    /// A text as it may be shown.
    fn new(source: Source<'_>) -> Text {
        let plain = |l: &str| crate::report::plain(l).into_owned();
        Text { name: plain(source.name), lines: source.text.lines().map(plain).collect() }
    }

    /// A line, from 1.
    pub fn line(&self, line: u32) -> &str {
        (line as usize).checked_sub(1).and_then(|at| self.lines.get(at)).map_or("", String::as_str)
    }
}

/// A message about a place of the source.
pub struct Problem {
    /// `error`, `warning` or `bug`.
    pub severity: String,
    /// Code of the message, such as `parse`.
    pub code: String,
    /// The fault in one sentence.
    pub message: String,
    /// File, line and column where they are known.
    pub place: String,
    /// The line from 1; 0 where there is none.
    pub line: u32,
    /// Further sentences about the fault.
    pub notes: Vec<String>,
}

impl Problem {
    /// The problem that a message for programs states.
    pub fn new(json: &Value) -> Problem {
        let text = |key: &str| json[key].as_str().unwrap_or_default().to_string();
        let number = |key: &str| json[key].as_u64();
        let place =
            [Some(text("file")), number("line").map(|n| n.to_string()), number("column").map(|n| n.to_string())];
        let notes = json["notes"].as_array().into_iter().flatten().filter_map(Value::as_str).map(String::from);
        Problem {
            severity: text("severity"),
            code: text("code"),
            message: text("message"),
            place: place.into_iter().flatten().collect::<Vec<_>>().join(":"),
            line: number("line").and_then(|n| u32::try_from(n).ok()).unwrap_or(0),
            notes: notes.collect(),
        }
    }
}

/// A loop of the IR that selection read.
pub struct Turns {
    /// Source line where it is left; 0 if none is known.
    pub line: u32,
    /// How many loops it lies in, itself included.
    pub depth: u32,
    /// Iterations where constants say them.
    pub rounds: Option<u32>,
    /// How often its body runs in all.
    pub runs: u64,
    /// The number of the loop around it, from 1; 0 where there is none.
    pub around: u32,
}

impl Turns {
    /// The loop in words.
    pub fn said(&self) -> String {
        let place = if self.line > 0 { format!("line {}", self.line) } else { "no line".into() };
        let rounds = match self.rounds {
            Some(n) => format!("{n} rounds, as constants say"),
            None => format!("{} rounds assumed", trips::UNKNOWN),
        };
        let nested =
            if self.depth > 1 { format!(", {} in all with the loops around it", self.runs) } else { String::new() };
        format!("{place}: {rounds}{nested}")
    }
}

/// The numbers of a source line.
#[derive(Clone, Default)]
pub struct Line {
    /// How often it runs, estimated; 0 where no code is left of it.
    pub runs: u64,
    /// Bytes of code that the line became.
    pub bytes: u64,
    /// `live_FILE`: the most registers that live at once.
    pub live: BTreeMap<String, u64>,
    /// `cycles_UNIT`: cycles, as often as it runs.
    pub cycles: BTreeMap<String, u64>,
    /// How often its code runs, and `cycles_UNIT`, by the loop that it is in: from 1, 0 for none.
    pub parts: BTreeMap<u32, (u64, BTreeMap<String, u64>)>,
}

impl Line {
    /// Cycles of all units.
    pub fn all_cycles(&self) -> u64 {
        self.cycles.values().fold(0, |a, c| a.saturating_add(*c))
    }
}

/// An entry point on a target.
pub struct Column {
    /// Numbers and outcome, as `stats --per-line` has them.
    pub row: Row,
    /// Its text among those of the page.
    pub source: usize,
    /// Amounts by which something must be smaller for more programs at once.
    pub more: Vec<Occupancy>,
    /// Numbers by source line; line 0 is code of no line.
    pub lines: BTreeMap<u32, Line>,
    /// Code in its order.
    pub code: Vec<Instruction>,
    /// Where programs with names begin in the entry point's code.
    pub firsts: BTreeMap<&'static str, u32>,
    /// Loops that are left.
    pub loops: Vec<Turns>,
    /// Passes that changed something, with the number of their changes.
    pub passes: Vec<(&'static str, u64)>,
    /// Contents of registers and uniforms at the start.
    pub starts: Vec<(String, String)>,
    /// Why it is so.
    pub why: Why,
    /// What a run executed, by address; nothing where there was none.
    pub executed: Option<Counts>,
}

impl Column {
    /// What is known of an entry point of a module.
    pub fn new(row: Row, source: usize, made: Option<(&Module, &Artifact)>) -> Column {
        let mut column = Column {
            row,
            source,
            more: Vec::new(),
            lines: BTreeMap::new(),
            code: Vec::new(),
            firsts: BTreeMap::new(),
            loops: Vec::new(),
            passes: Vec::new(),
            starts: Vec::new(),
            why: Why::default(),
            executed: None,
        };
        let Some((module, artifact)) = made else { return column };
        let out = &artifact.outputs()[0];
        column.more.clone_from(&out.more);
        column.code = artifact.instructions(0);
        column.firsts = out.entry.programs.iter().map(|p| (p.role.name(), p.offset)).collect();
        column.starts = gpucc::legend::lines(&out.entry, Some(&artifact.target().backend().names()));
        let number = |v: &Value| v.as_u64().unwrap_or(0);
        for (line, costs) in &column.row.line_costs {
            let (Ok(line), Some(costs)) = (line.parse(), costs.as_object()) else { continue };
            let own: &mut Line = column.lines.entry(line).or_default();
            if let Some(c) = out.lines.get(&line) {
                own.runs = c.runs;
                let named = |of: &BTreeMap<&str, u64>| of.iter().map(|(u, n)| (format!("cycles_{u}"), *n)).collect();
                own.parts = c.parts.iter().map(|(l, p)| (*l, (p.runs, named(&p.cycles)))).collect();
            }
            let of = |lead: &str| {
                costs.iter().filter(|c| c.0.starts_with(lead)).map(|(k, v)| (k.clone(), number(v))).collect()
            };
            (own.live, own.cycles) = (of("live_"), of("cycles_"));
        }
        for (line, bytes) in &column.row.lines {
            let Ok(line) = line.parse() else { continue };
            column.lines.entry(line).or_default().bytes = number(bytes);
        }
        if let Some(e) = out.ir.entries.first() {
            let f = &out.ir.funcs[e.func];
            let of = |(l, around): (trips::Loop, u32)| Turns {
                line: out.ir.line_column(l.loc).map_or(0, |p| p.0),
                depth: l.depth,
                rounds: l.rounds,
                runs: l.runs,
                around,
            };
            column.loops = trips::loops(f).into_iter().zip(around(f)).map(of).collect();
        }
        for t in out.times.iter().filter(|t| t.changes > 0) {
            match column.passes.iter_mut().find(|p| p.0 == t.pass) {
                Some(p) => p.1 += t.changes,
                None => column.passes.push((t.pass, t.changes)),
            }
        }
        column.why = Why::new(module, &column.row, artifact, &column.code);
        column
    }

    /// Remarks as messages, for programs alone: people read them in the text or on the page.
    pub fn tell(&self, report: &Reporter) {
        for r in &self.why.remarks {
            report.remark(&r.pass, &r.message, (r.line > 0).then_some(r.line), (r.passed, &self.row.target));
        }
    }

    /// Remarks in words, with their lines.
    pub fn remarks(&self) -> Vec<(u32, String)> {
        let said = |r: &super::remarks::Remark| {
            let mark = if r.passed { "done" } else { "missed" };
            let place = if r.line > 0 { format!("line {}", r.line) } else { "no line".into() };
            (r.line, format!("{place}: {mark} by {}: {}", r.pass, r.message))
        };
        self.why.remarks.iter().map(said).collect()
    }

    /// What the instruction with a number in the code waits for, or who waits for its result, in words.
    pub fn waits(&self, at: usize) -> Vec<String> {
        let of = |n: usize| {
            let i = &self.code[n];
            format!("{:06x} `{}`", i.address.unwrap_or(0), i.text.split(' ').next().unwrap_or_default())
        };
        let mine = self.why.waits.iter().filter(|w| w.at == at);
        mine.map(|w| format!("waits for {}, which {} needs", of(w.result_of), of(w.needed_by))).collect()
    }

    /// What a run executed of an instruction, by its number in the code.
    pub fn executed(&self, at: usize) -> Option<Count> {
        let address = self.code[at].address?;
        // Each program has addresses from 0.
        let first = self.firsts.get(self.code[at].program.unwrap_or_default()).copied().unwrap_or(0);
        Some(self.executed.as_ref()?.get(&u64::from(first + address)).copied().unwrap_or_default())
    }

    /// What a run executed of each line.
    pub fn executed_lines(&self) -> BTreeMap<u32, Count> {
        let mut out: BTreeMap<u32, Count> = BTreeMap::new();
        for (k, i) in self.code.iter().enumerate() {
            if let Some(n) = self.executed(k) {
                let own = out.entry(i.line).or_default();
                own.times += n.times;
                own.lanes += n.lanes;
            }
        }
        out
    }

    /// The longest chain of instructions that need each other's results, and the sentence on it; nothing where there is none.
    pub fn chain(&self) -> (Vec<usize>, String) {
        let list = super::values::chain(&self.why.values);
        // Each line once: a chain goes through those of an unrolled loop again and again.
        let all = list.iter().map(|k| self.why.values[*k].at.1).filter(|l| *l > 0);
        let lines: Vec<String> = all.collect::<indexmap::IndexSet<u32>>().iter().map(u32::to_string).collect();
        let word = if lines.len() == 1 { "line" } else { "lines" };
        let text = match list.len() {
            0 => String::new(),
            n => format!(
                "longest chain: {n} instructions, each of the result of the one before, of {word} {}",
                lines.join(", ")
            ),
        };
        (list, text)
    }

    /// Whether the counts are those of a run, in words.
    pub fn counted(&self) -> String {
        let Some(list) = &self.executed else { return "counts are estimates: nothing ran".into() };
        let (times, lanes) = list.values().fold((0u64, 0u64), |s, n| (s.0 + n.times, s.1 + n.lanes));
        format!("executed counts of a run: {times} instructions of subgroups, {lanes} of lanes; cycles are estimates")
    }

    /// Entry, stage and target.
    pub fn title(&self) -> String {
        format!("{} ({}) on {}", self.row.entry, self.row.stage, self.row.target)
    }

    /// Cycles by unit of the whole, the busiest first.
    pub fn units(&self) -> Vec<(String, u64)> {
        let mut all: BTreeMap<&str, u64> = BTreeMap::new();
        for (unit, n) in self.lines.values().flat_map(|l| &l.cycles) {
            let sum = all.entry(unit).or_default();
            *sum = sum.saturating_add(*n);
        }
        let mut all: Vec<(String, u64)> = all.into_iter().map(|(u, n)| (u.replacen("cycles_", "", 1), n)).collect();
        all.sort_by_key(|u| std::cmp::Reverse(u.1));
        all
    }

    /// The unit of time of the family's estimate.
    pub fn cycle(&self) -> &'static str {
        let of = ["cycles_64ths", "issue_clocks", "latency"].into_iter().find(|n| self.row.stat(n).is_some());
        of.and_then(statistics::find).map_or("cycles", |s| s.unit)
    }

    /// The sentence on the busiest unit.
    pub fn bound(&self) -> String {
        let units = self.units();
        let list: Vec<String> = units.iter().map(|(u, n)| format!("{u} {n}")).collect();
        match units.first() {
            Some((unit, _)) => format!("bound by {unit}; {} by unit: {}", self.cycle(), list.join(", ")),
            None => "no cycles by unit are known for this family".into(),
        }
    }

    /// Sentences on how many programs run at once, what limits that, and what would help.
    pub fn occupancy(&self) -> Vec<String> {
        let counted = ["waves", "threads"].into_iter().find_map(|n| Some((n, self.row.stat(n)?)));
        let Some((programs, n)) = counted else {
            return vec!["how many programs run at once is not known for this family".into()];
        };
        let mut out = vec![match self.row.limiter.as_str() {
            "" | "none" => format!("{n} {programs} at once: nothing limits them"),
            limiter => format!("{n} {programs} at once, limited by {limiter}"),
        }];
        out.extend(self.more.iter().map(|m| {
            let (what, give) = if m.fewer == 1 { (spoken(m.of).0, "gives") } else { (spoken(m.of).1, "give") };
            format!("{} {what} fewer {give} {} {}", m.fewer, m.gives, m.programs)
        }));
        if self.more.is_empty() && !["", "none"].contains(&self.row.limiter.as_str()) {
            out.push("no single smaller number of registers or bytes gives more".into());
        }
        out
    }

    /// The names of the numbers of lines that some line has, of a kind: `live_` or `cycles_`.
    pub fn names(&self, of: fn(&Line) -> &BTreeMap<String, u64>) -> Vec<String> {
        let all: std::collections::BTreeSet<&String> = self.lines.values().flat_map(|l| of(l).keys()).collect();
        all.into_iter().cloned().collect()
    }
}

/// The loop around each loop, by number from 1; 0 where there is none.
fn around(f: &Function) -> Vec<u32> {
    if f.layout.iter().all(|&b| f.blocks[b].header.is_none()) {
        return Vec::new();
    }
    let s = Structure::new(f, &DomTree::new(f));
    let all: Vec<_> = s.loops().collect();
    let number = |l| (1..).zip(&all).find(|(_, k)| **k == l).map_or(0, |n| n.0);
    let outer = |l| s.enclosing(s.constructs[l].parent).find(|&k| s.is_loop(k));
    all.iter().map(|&l| outer(l).map_or(0, number)).collect()
}

/// A statistic as a sentence has it: one, and several.
fn spoken(name: &str) -> (&str, &str) {
    match name {
        "vgprs" => ("vector register", "vector registers"),
        "sgprs" => ("scalar register", "scalar registers"),
        "registers_used" => ("register", "registers"),
        "shared_bytes" => ("byte of workgroup memory", "bytes of workgroup memory"),
        other => (other, other),
    }
}

impl Page {
    /// Takes a text; gives its number.
    pub fn read(&mut self, source: Source<'_>) -> usize {
        self.sources.push(Text::new(source));
        self.sources.len() - 1
    }

    /// Entry points by name and stage, in their order, each with its columns.
    pub fn entries(&self) -> Vec<Vec<&Column>> {
        let mut out: Vec<Vec<&Column>> = Vec::new();
        for c in &self.columns {
            match out.iter_mut().find(|e| (&e[0].row.entry, &e[0].row.stage) == (&c.row.entry, &c.row.stage)) {
                Some(e) => e.push(c),
                None => out.push(vec![c]),
            }
        }
        out
    }
}

/// The statistics that some of the columns have, and that are not 0 in all.
pub fn totals(columns: &[&Column]) -> Vec<&'static Statistic> {
    let says = |s: &&Statistic| columns.iter().any(|c| c.row.stat(s.name).is_some_and(|n| n > 0));
    STATISTICS.iter().filter(says).collect()
}
