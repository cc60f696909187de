//! What becomes of the bounds checks of memory accesses, from the texts of the program after each pass: a check is a minimum that stands
//! where the access is.

use std::collections::{BTreeMap, BTreeSet};

use super::remarks::{Places, Stage, ir, span_of};

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
}

impl Access {
    /// The sentence that a person reads.
    pub fn said(&self, robust: bool) -> String {
        let what = format!("{} of `{}`", self.operation, self.place);
        match &self.guard {
            Guard::Check => format!("{what}: a check keeps the index in bounds"),
            Guard::Removed(pass) => format!("{what}: {pass} saw that the index is in bounds and removed the check"),
            Guard::Known => format!("{what}: in bounds without a check"),
            Guard::Machine if robust => format!("{what}: the hardware keeps it in bounds"),
            Guard::Machine => format!("{what}: not checked, as asked for"),
        }
    }
}

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

/// The accesses that are left in the end, each line's once, and whether the module asks for checks.
pub fn of(stages: &[Stage<'_>], places: &Places) -> (Vec<Access>, bool) {
    let ir: Vec<&Stage<'_>> = ir(stages).collect();
    let Some(last) = ir.last() else { return (Vec::new(), false) };
    let robust = last.text.lines().next().is_some_and(|l| !l.contains("robust off"));
    // The pass behind which the minimum of a place is there no more.
    let mut gone: BTreeMap<Span, &str> = BTreeMap::new();
    let (mut before, mut text) = (BTreeSet::new(), "");
    for stage in ir.iter().filter(|s| {
        let is_new = s.text != text;
        text = s.text;
        is_new
    }) {
        let now = minimums(stage.text);
        before.difference(&now).for_each(|s| {
            gone.insert(*s, stage.pass);
        });
        now.iter().for_each(|s| {
            gone.remove(s);
        });
        before = now;
    }
    let names = names(last.text);
    let mut list = BTreeSet::new();
    for line in last.text.lines() {
        let (Some((operation, place, moves, inside)), Some(span)) = (access(line), span_of(line)) else { continue };
        let guard = match (gone.get(&span), before.contains(&span)) {
            (_, true) => Guard::Check,
            (Some(pass), _) if inside => Guard::Removed((*pass).to_string()),
            _ if inside || !moves => Guard::Known,
            _ => Guard::Machine,
        };
        let place = names.get(place).filter(|n| !n.is_empty()).map_or(place, String::as_str).to_string();
        list.insert(Access { line: places.line(span.0), operation: operation.into(), place, guard });
    }
    (list.into_iter().collect(), robust)
}
