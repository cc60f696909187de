//! Why the code is as it is: remarks, checks, values, waits, spills, and what each pass changed.

use std::collections::BTreeMap;

use gpucc::Artifact;
use gpucc_ir::Module;

use super::checks::{self, Access};
use super::remarks::{self, Places, Remark, Stage};
use super::values::{self, Reason, Spill, Value};
use super::waits::{self, Wait};
use crate::rows::Row;

/// Most lines of differences that are kept of all passes together.
const MOST: usize = 2000;
/// Instructions of a module up to which passes are looked at.
const LARGEST: usize = 20_000;

/// Whether a module is small enough for [`Why::new`] to say something of its passes.
pub fn is_looked_at(m: &Module) -> bool {
    m.funcs.values().map(|f| f.insts.len()).sum::<usize>() <= LARGEST
}

/// What a pass changed.
#[derive(Clone, Debug, Default)]
pub struct Change {
    /// The pass.
    pub pass: String,
    /// `IR`, `machine code` or `encoded code`.
    pub form: &'static str,
    /// Lines that are there no more, and new ones.
    pub counts: (usize, usize),
    /// These lines in their order, `- ` or `+ ` before each; only the first of all passes together.
    pub lines: Vec<String>,
}

/// The answers for a program.
#[derive(Default)]
pub struct Why {
    /// Remarks, by line.
    pub remarks: Vec<Remark>,
    /// Accesses of memory, and what keeps them in bounds.
    pub accesses: Vec<Access>,
    /// Whether the module asks for checks.
    pub robust: bool,
    /// Values in registers.
    pub values: Vec<Value>,
    /// Results that something waits for.
    pub waits: Vec<Wait>,
    /// Values that were stored, and loaded again, because registers ran out.
    pub spills: Vec<Spill>,
    /// Passes that changed something, in their order.
    pub changes: Vec<Change>,
    /// The IR that code was made of, line by line with the source line of each; 0 where none is known.
    pub ir: Vec<(u32, String)>,
}

impl Why {
    /// What an artifact says that was made with the texts after all passes; without them, what its code says alone.
    pub fn new(source: &Module, row: &Row, artifact: &Artifact, code: &[gpucc::Instruction]) -> Why {
        let out = &artifact.outputs()[0];
        let mut why = Why { waits: waits::of(code), ..Why::default() };
        let stages = remarks::stages(&out.dumps);
        if stages.is_empty() {
            return why;
        }
        let places = Places::new(source);
        why.remarks = remarks::of(&stages, &places);
        let (accesses, robust) = checks::of(&stages, &places);
        for a in &accesses {
            let (passed, pass) = match a.guard.pass() {
                Some(pass) => (true, pass.to_string()),
                None if a.guard == checks::Guard::Check => (false, "ranges".into()),
                None => continue,
            };
            why.remarks.push(Remark { line: a.line, pass, passed, message: a.said(robust) });
        }
        (why.accesses, why.robust) = (accesses, robust);
        why.values = values::of(&stages, &out.ir);
        let n = |name: &str| row.stat(name).unwrap_or(0);
        why.spills = values::spills(&stages, &out.ir, (n("spills"), n("reloads")));
        why.remarks.extend(spilled(&why.spills));
        why.remarks.extend(copied(&why.values));
        why.remarks.sort();
        why.changes = changes(&stages);
        why.ir = remarks::ir(&stages).last().map_or_else(Vec::new, |s| last(s, &places));
        why
    }
}

/// The lines of a text of the IR, without their places, which the numbers of source lines stand for.
fn last(stage: &Stage<'_>, places: &Places) -> Vec<(u32, String)> {
    let of = |l: &str| match remarks::span_of(l) {
        Some((start, _)) => (places.line(start), l.rsplit_once(" @").map_or(l, |t| t.0).trim_end().to_string()),
        None => (0, l.trim_end().to_string()),
    };
    stage.text.lines().map(of).collect()
}

/// Remarks on values that found no register, those of a line together: with the reason of the one for which most registers were taken.
fn spilled(spills: &[Spill]) -> Vec<Remark> {
    let mut lists: BTreeMap<(u32, bool), Vec<&Spill>> = BTreeMap::new();
    spills.iter().for_each(|s| lists.entry((s.line, s.stored)).or_default().push(s));
    let one = |((line, stored), list): ((u32, bool), Vec<&Spill>)| {
        let values = if list.len() == 1 { "a value is".to_string() } else { format!("{} values are", list.len()) };
        let what = if stored { "stored" } else { "loaded again" };
        let most = list.iter().max_by_key(|s| s.held.0);
        let why = most.map_or_else(String::new, |s| s.reason());
        let message = format!("{values} {what} because registers ran out: {why}");
        Remark { line, pass: "allocate".into(), passed: false, message }
    };
    lists.into_iter().map(one).collect()
}

/// Remarks on copies, those of a line for one reason together. Constants in registers are no waste that a person could mend.
fn copied(values: &[Value]) -> Vec<Remark> {
    let mut lists: BTreeMap<(u32, &Reason), Vec<&str>> = BTreeMap::new();
    for (c, v) in values.iter().filter_map(|v| Some((v.copy.as_ref()?, v))) {
        if !matches!(c.reason, Reason::Constant | Reason::Machine) {
            lists.entry((c.line, &c.reason)).or_default().push(&v.register);
        }
    }
    let one = |((line, reason), registers): ((u32, &Reason), Vec<&str>)| {
        let what = if registers.len() == 1 { "a copy in" } else { "copies in" };
        let message = format!("{what} {}: {}", registers.join(", "), reason.said());
        Remark { line, pass: "allocate".into(), passed: false, message }
    };
    lists.into_iter().map(one).collect()
}

/// The differences between the texts behind each other.
fn changes(stages: &[Stage<'_>]) -> Vec<Change> {
    let form = |text: &str| match text {
        t if t.starts_with("module") => "IR",
        t if t.starts_with("mir ") => "machine code",
        _ => "encoded code",
    };
    let (mut list, mut left) = (Vec::new(), MOST);
    for pair in stages.windows(2) {
        let (a, b) = (pair[0].text, pair[1].text);
        // Numbers of values alone change where the function is packed.
        if a == b || form(a) != form(b) || pair[1].pass == "compact" {
            continue;
        }
        let mut change = Change { pass: pair[1].pass.into(), form: form(b), ..Change::default() };
        let mut counts: BTreeMap<&str, isize> = BTreeMap::new();
        a.lines().for_each(|l| *counts.entry(l).or_default() -= 1);
        b.lines().for_each(|l| *counts.entry(l).or_default() += 1);
        // In the order of the texts: what went, then what came.
        for (text, sign) in [(a, -1), (b, 1)] {
            for l in text.lines() {
                let Some(n) = counts.get_mut(l).filter(|n| n.signum() == sign) else { continue };
                *n -= sign;
                if sign < 0 {
                    change.counts.0 += 1
                } else {
                    change.counts.1 += 1
                }
                if left > 0 {
                    left -= 1;
                    change.lines.push(format!("{}{}", if sign < 0 { "- " } else { "+ " }, l.trim_end()));
                }
            }
        }
        list.push(change);
    }
    list
}
