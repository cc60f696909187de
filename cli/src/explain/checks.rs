//! What becomes of the bounds checks of memory accesses, from the texts of the program after each pass: a check is a minimum that the
//! place of an access is computed from. Who removed one is seen in the texts; by which rule, in the values of the text before.

mod rule;

use std::collections::{BTreeMap, BTreeSet};

use gpucc_ir::text::parse_module;
use gpucc_ir::{Function, Module, Op, Value};

use super::remarks::{Places, Stage, ir, span_of};
pub use rule::Rule;

/// What keeps an access in its bounds.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Guard {
    /// A minimum of its index or offset, which is left.
    Check,
    /// There was one, until this pass saw that it does nothing.
    Removed(String),
    /// The address is known, or was known to be inside before anybody added a check.
    Known,
    /// Hardware, or nobody where checks are switched off.
    Machine,
}

impl Guard {
    /// The word of the data.
    pub fn name(&self) -> &'static str {
        match self {
            Guard::Check => "check",
            Guard::Removed(_) => "removed",
            Guard::Known => "known",
            Guard::Machine => "machine",
        }
    }

    /// The pass that removed it.
    pub fn pass(&self) -> Option<&str> {
        match self {
            Guard::Removed(pass) => Some(pass),
            _ => None,
        }
    }
}

/// What a check lets pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Limit {
    /// An index up to this one.
    Index(u64),
    /// An offset up to so many bytes.
    Bytes(u64),
    /// An offset inside of the buffer, whose length is read when the program runs.
    Length,
}

impl Limit {
    /// The number, where it is one.
    pub fn number(&self) -> Option<u64> {
        match self {
            Limit::Index(n) | Limit::Bytes(n) => Some(*n),
            Limit::Length => None,
        }
    }

    /// What a check with it does, in words.
    fn said(&self) -> String {
        match self {
            Limit::Index(n) => format!("keeps the index at {n} or below"),
            Limit::Bytes(n) => format!("keeps the offset at {n} bytes or below"),
            Limit::Length => "keeps the offset inside of the buffer, whose length it reads".into(),
        }
    }
}

/// An access of memory.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Access {
    /// The line; 0 where none is known.
    pub line: u32,
    /// `load`, `store`, `atomic` or `cmpxchg`.
    pub operation: String,
    /// The resource or variable.
    pub place: String,
    /// What keeps it inside.
    pub guard: Guard,
    /// What the check lets pass, or let pass while it was there.
    pub limit: Option<Limit>,
    /// The rules by which it was removed: of the copies of a loop's body one each, where they differ.
    pub rules: Vec<Rule>,
    /// The largest number that the checked value may be for all that is known, where that is less than any.
    pub most: Option<u64>,
    /// Whether the place has no part that is computed.
    pub fixed: bool,
}

impl Access {
    /// The sentence that a person reads.
    pub fn said(&self, robust: bool) -> String {
        let what = format!("{} of `{}`", self.operation, self.place);
        let does = self.limit.map_or_else(|| "keeps it in bounds".into(), |l| l.said());
        match &self.guard {
            Guard::Check => {
                let most = match (self.most, self.limit) {
                    (Some(n), Some(Limit::Index(_))) => format!("; for all that is known it may be {n}"),
                    (None, Some(Limit::Index(_))) => "; nothing is known that bounds it".into(),
                    _ => String::new(),
                };
                format!("{what}: a check {does}{most}")
            }
            Guard::Removed(pass) => {
                let rules: Vec<String> = self.rules.iter().map(Rule::said).collect();
                format!("{what}: {pass} removed the check that {does}: {}", rules.join("; "))
            }
            Guard::Known if self.fixed => format!("{what}: in bounds without a check: its place is a constant"),
            Guard::Known => format!("{what}: in bounds without a check"),
            Guard::Machine if robust => format!("{what}: the hardware keeps it in bounds"),
            Guard::Machine => format!("{what}: not checked, as asked for"),
        }
    }

    /// The names of its rules.
    pub fn rule_names(&self) -> Vec<&'static str> {
        let mut list: Vec<&str> = self.rules.iter().map(Rule::name).collect();
        list.dedup();
        list
    }
}

/// The first and the last byte of a place of the source.
type Span = (u32, u32);

/// Places of minimums that somebody reads.
fn minimums(text: &str) -> BTreeSet<Span> {
    if !text.contains(" = umin ") {
        return BTreeSet::new();
    }
    let mut read: BTreeSet<&str> = BTreeSet::new();
    for l in text.lines() {
        let operands = l.split_once(" = ").map_or(l, |l| l.1);
        read.extend(operands.split(|c: char| !c.is_ascii_alphanumeric()).filter(|w| w.starts_with('v')));
    }
    let is_read = |l: &&str| {
        l.split_once(" = umin ").is_some_and(|(name, _)| read.contains(name.trim().split(':').next().unwrap_or("")))
    };
    text.lines().filter(is_read).filter_map(span_of).collect()
}

const OPERATIONS: [&str; 4] = ["load", "store", "atomic", "cmpxchg"];

/// The operation and the place of an access, as the IR names it, and whether it has a moving part and is known to be inside.
fn access(line: &str) -> Option<(&'static str, &str, bool, bool)> {
    let text = line.split_once(" = ").map_or(line.trim_start(), |t| t.1);
    let operation =
        OPERATIONS.into_iter().find(|o| text.strip_prefix(o).is_some_and(|rest| rest.starts_with([' ', '{', '.'])))?;
    let (before, inside) = text.split_once('[')?;
    let place = before.rsplit([' ', ',']).next()?;
    let (offset, rest) = inside.split_once(']')?;
    Some((operation, place, offset.contains('v'), rest.contains("in_bounds")))
}

/// Names of resources and variables as the text has them: `res0 "name"`.
fn names(text: &str) -> BTreeMap<String, String> {
    let named = |l: &str| {
        let (id, rest) = l.trim_start().split_once(" \"")?;
        let is_id = id.starts_with(|c: char| c.is_ascii_lowercase()) && id.ends_with(|c: char| c.is_ascii_digit());
        is_id.then(|| Some((id.to_string(), rest.split_once('"')?.0.to_string())))?
    };
    text.lines().filter_map(named).collect()
}

/// The function of the entry point of a text.
fn read(text: &str) -> Option<Module> {
    parse_module(text).ok().filter(|m| !m.entries.is_empty())
}

/// The span of an instruction that somebody wrote.
fn known(m: &Module, f: &Function, i: gpucc_ir::Inst) -> Option<Span> {
    let span = m.span(f.insts[i].loc);
    span.is_known().then_some((span.start, span.end))
}

/// How far a place is followed to the minimums in it.
const DEPTH: u32 = 24;

/// The minimums nearest to a place in what it is computed from.
fn nearest(f: &Function, v: Value, depth: u32, out: &mut Vec<gpucc_ir::Inst>) {
    let Some(i) = f.def_inst(v).filter(|_| depth > 0) else { return };
    let d = &f.insts[i];
    match d.op {
        Op::UMin => out.push(i),
        Op::IAdd | Op::IMul | Op::UMul24 | Op::Shl | Op::Or => {
            d.args.iter().for_each(|a| nearest(f, *a, depth - 1, out));
        }
        _ => {}
    }
}

/// What a minimum lets pass. Those that the pass of checks adds are of bytes, those of the frontend are of indices.
fn limit(f: &Function, i: gpucc_ir::Inst, is_bytes: bool) -> Limit {
    let constant = f.insts[i].args.iter().rev().find_map(|a| f.const_bits(*a));
    match constant {
        Some(n) if is_bytes => Limit::Bytes(n),
        Some(n) => Limit::Index(n),
        None => Limit::Length,
    }
}

/// The minimum that each access is of, by their places, in a text with minimums that the one before has not.
fn of_accesses(stage: &Stage<'_>, new: &BTreeSet<Span>, out: &mut BTreeMap<Span, BTreeMap<Span, Limit>>) {
    let Some(m) = read(stage.text) else { return };
    let f = &m.funcs[m.entries[0].func];
    let is_bytes = stage.pass == "robust";
    for (_, i) in f.insts_in_order() {
        let d = &f.insts[i];
        if !matches!(d.op, Op::Load | Op::Store | Op::Atomic | Op::CmpXchg) {
            continue;
        }
        let (Some(at), Some(own)) = (d.dyn_offset(), known(&m, f, i)) else { continue };
        let mut found = Vec::new();
        nearest(f, at, DEPTH, &mut found);
        for k in found {
            if let Some(span) = known(&m, f, k).filter(|s| new.contains(s)) {
                out.entry(own).or_default().insert(span, limit(f, k, is_bytes));
            }
        }
    }
}

/// A check that is there no more.
struct Gone<'a> {
    pass: &'a str,
    /// None where it only became something else.
    rules: Vec<Rule>,
}

/// What became of the minimums.
#[derive(Default)]
struct Fates<'a> {
    /// The minimums of each access.
    of: BTreeMap<Span, BTreeMap<Span, Limit>>,
    gone: BTreeMap<Span, Gone<'a>>,
    left: BTreeSet<Span>,
}

fn fates<'a>(ir: &[&Stage<'a>], places: &Places) -> Fates<'a> {
    let mut out = Fates::default();
    let (mut seen, mut text) = (BTreeSet::new(), "");
    for stage in ir {
        if stage.text == text {
            continue;
        }
        let now = minimums(stage.text);
        let new: BTreeSet<Span> = now.difference(&seen).copied().collect();
        if !new.is_empty() {
            of_accesses(stage, &new, &mut out.of);
        }
        let gone: BTreeSet<Span> = out.left.difference(&now).copied().collect();
        let checks: BTreeSet<Span> = out.of.values().flat_map(BTreeMap::keys).copied().collect();
        let rules = if gone.is_empty() { BTreeMap::new() } else { rule::of(text, (&gone, &checks), places) };
        for span in gone {
            let rules = rules.get(&span).cloned().unwrap_or_default();
            out.gone.insert(span, Gone { pass: stage.pass, rules });
        }
        now.iter().for_each(|s| {
            out.gone.remove(s);
        });
        seen.extend(&new);
        (out.left, text) = (now, stage.text);
    }
    out
}

/// The accesses that are left in the end, each line's once, and whether the module asks for checks.
pub fn of(stages: &[Stage<'_>], places: &Places) -> (Vec<Access>, bool) {
    let ir: Vec<&Stage<'_>> = ir(stages).collect();
    let Some(last) = ir.last() else { return (Vec::new(), false) };
    let robust = last.text.lines().next().is_some_and(|l| !l.contains("robust off"));
    let fates = fates(&ir, places);
    let most = if fates.left.is_empty() { BTreeMap::new() } else { rule::most(last.text, &fates.left) };
    let names = names(last.text);
    let mut list = BTreeSet::new();
    for line in last.text.lines() {
        let (Some((operation, place, moves, inside)), Some(span)) = (access(line), span_of(line)) else { continue };
        let place = names.get(place).filter(|n| !n.is_empty()).map_or(place, String::as_str).to_string();
        let mut one = Access {
            line: places.line(span.0),
            operation: operation.into(),
            place,
            guard: if inside || !moves { Guard::Known } else { Guard::Machine },
            limit: None,
            rules: Vec::new(),
            most: None,
            fixed: !moves,
        };
        for (check, limit) in fates.of.get(&span).into_iter().flatten() {
            match fates.gone.get(check) {
                // One that is left counts for all of them; what only took another form is left.
                Some(gone) if !gone.rules.is_empty() => {
                    if one.guard != Guard::Check {
                        (one.guard, one.limit) = (Guard::Removed(gone.pass.into()), Some(*limit));
                        one.rules
                            .extend(gone.rules.iter().filter(|r| !one.rules.contains(r)).cloned().collect::<Vec<_>>());
                    }
                }
                _ => {
                    (one.guard, one.limit, one.most) = (Guard::Check, Some(*limit), most.get(check).copied().flatten());
                    one.rules.clear();
                }
            }
        }
        list.insert(one);
    }
    (list.into_iter().collect(), robust)
}
