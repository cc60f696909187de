//! The rule by which a check does nothing: what is known of the value that it looks at, in the text before the pass that removed it.

use std::collections::{BTreeMap, BTreeSet};

use gpucc_ir::analysis::{DomTree, Structure, UpperBounds};
use gpucc_ir::{Attr, Function, Inst, Module, Op, Value, ValueDef};

use super::{Span, known, read};
use crate::explain::remarks::Places;

/// Why a value cannot be above the limit of its check. The number is the most that it may be.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// It is a constant.
    Constant(u64),
    /// It is masked.
    Mask(u64),
    /// It is what a division by a constant leaves.
    Remainder(u64),
    /// It is shifted to the right, by so many bits.
    Shift(u64, u64),
    /// It is a minimum with a constant already.
    Least(u64),
    /// It is the counter of a loop.
    Count(u64),
    /// It is given by the launch: an id in a workgroup of known size.
    Launch(u64),
    /// It is one of several values, all of which are small enough.
    Ways(u64),
    /// It is computed of values that are small enough.
    Computed(u64),
    /// The same check stands before it, of this line.
    Same(u32),
}

impl Rule {
    /// The word of the data.
    pub fn name(&self) -> &'static str {
        match self {
            Rule::Constant(_) => "constant",
            Rule::Mask(_) => "mask",
            Rule::Remainder(_) => "remainder",
            Rule::Shift(..) => "shift",
            Rule::Least(_) => "minimum",
            Rule::Count(_) => "counter",
            Rule::Launch(_) => "launch",
            Rule::Ways(_) => "choice",
            Rule::Computed(_) => "computed",
            Rule::Same(_) => "same",
        }
    }

    /// The rule in words.
    pub fn said(&self) -> String {
        match self {
            Rule::Constant(n) => format!("it is a constant, {n} at most"),
            Rule::Mask(n) => format!("it is masked to {n} at most"),
            Rule::Remainder(n) => format!("it is the remainder of a division, {n} at most"),
            Rule::Shift(by, n) => format!("it is shifted to the right by {by} bits, so {n} at most"),
            Rule::Least(n) => format!("it is a minimum with {n} already"),
            Rule::Count(n) => format!("its loop counts to {n} at most"),
            Rule::Launch(n) => format!("a workgroup of this size, or a launch, gives {n} at most"),
            Rule::Ways(n) => format!("each of the values that it may be is {n} at most"),
            Rule::Computed(n) => format!("what it is computed of makes it {n} at most"),
            Rule::Same(0) => "the same check stands before it".into(),
            Rule::Same(line) => format!("the same check of line {line} stands before it"),
        }
    }
}

/// What a minimum looks at, and its limit.
fn operands(f: &Function, args: &[Value]) -> (Value, Value) {
    if f.const_bits(args[1]).is_none() && f.const_bits(args[0]).is_some() {
        (args[1], args[0])
    } else {
        (args[0], args[1])
    }
}

/// What is done with a minimum and its place.
type Look<'a> = dyn FnMut(&Module, &Function, &mut UpperBounds<'_>, (Inst, Span)) + 'a;

/// Calls `each` with the minimums of a text that stand at one of the places, and with the bounds of its values.
fn each_minimum(text: &str, spans: &BTreeSet<Span>, each: &mut Look<'_>) {
    let Some(m) = read(text) else { return };
    let e = &m.entries[0];
    let f = &m.funcs[e.func];
    let (preds, dom) = (f.preds(), DomTree::new(f));
    let s = Structure::new(f, &dom);
    let mut bounds = UpperBounds::new(f, e.workgroup_size().unwrap_or([1 << 14; 3]), &preds, &dom, &s);
    for (_, i) in f.insts_in_order().filter(|(_, i)| f.insts[*i].op == Op::UMin) {
        if let Some(span) = known(&m, f, i).filter(|s| spans.contains(s)) {
            each(&m, f, &mut bounds, (i, span));
        }
    }
}

/// The rules by which the minimums at these places do nothing, where `checks` are those that are checks. There are none where some of a
/// place does something.
pub fn of(
    text: &str,
    (gone, checks): (&BTreeSet<Span>, &BTreeSet<Span>),
    places: &Places,
) -> BTreeMap<Span, Vec<Rule>> {
    let mut out: BTreeMap<Span, Option<Vec<Rule>>> = BTreeMap::new();
    // Minimums in the order of the code, with their places.
    let mut all: Vec<(Inst, Span)> = Vec::new();
    if let Some(m) = read(text) {
        let f = &m.funcs[m.entries[0].func];
        let minimums = f.insts_in_order().filter(|(_, i)| f.insts[*i].op == Op::UMin).take(MOST);
        all.extend(minimums.filter_map(|(_, i)| Some((i, known(&m, f, i)?))));
    }
    each_minimum(text, gone, &mut |_, f, bounds, (i, span)| {
        let args = &f.insts[i].args;
        let (x, limit) = operands(f, args);
        let within = f.const_bits(limit).is_some_and(|c| bounds.of(x) <= c);
        let earlier = all.iter().take_while(|(k, _)| *k != i);
        let same = earlier.filter(|(_, s)| *s != span).find(|(k, _)| alike(f, (*k, i), DEPTH)).map(|(_, s)| {
            match f.const_bits(limit) {
                // Of the program itself, which some pass made one with the check.
                Some(n) if !checks.contains(s) => Rule::Least(n),
                _ => Rule::Same(places.line(s.0)),
            }
        });
        let rule = if within { Some(cause(f, bounds, x)) } else { same };
        let own = out.entry(span).or_insert_with(|| Some(Vec::new()));
        match (rule, own.as_mut()) {
            (Some(rule), Some(list)) => join(list, rule),
            _ => *own = None,
        }
    });
    out.into_iter().filter_map(|(span, list)| Some((span, list?))).collect()
}

/// Minimums that are compared with each other.
const MOST: usize = 500;
/// How far it is followed what two values are computed of.
const DEPTH: u32 = 6;

/// Whether two instructions compute the same of the same values.
fn alike(f: &Function, (a, b): (Inst, Inst), depth: u32) -> bool {
    let (x, y) = (&f.insts[a], &f.insts[b]);
    let same = |(v, w): (&Value, &Value)| {
        let both = f.def_inst(*v).zip(f.def_inst(*w));
        v == w || both.is_some_and(|p| depth > 0 && alike(f, p, depth - 1))
    };
    let is_pure = !matches!(x.op, Op::Load | Op::Atomic | Op::CmpXchg | Op::Call);
    is_pure && x.op == y.op && x.attr == y.attr && x.args.len() == y.args.len() && x.args.iter().zip(&y.args).all(same)
}

/// Adds a rule; of constants, which copies of a loop's body have one each, the largest counts.
fn join(list: &mut Vec<Rule>, rule: Rule) {
    let of = |r: &Rule| if let Rule::Constant(n) = r { Some(*n) } else { None };
    match (list.iter().position(|r| of(r).is_some()), of(&rule)) {
        (Some(k), Some(n)) => list[k] = Rule::Constant(of(&list[k]).map_or(n, |own| own.max(n))),
        _ if !list.contains(&rule) => list.push(rule),
        _ => {}
    }
}

/// The most that the value of each minimum that is left may be; nothing where that may be anything.
pub fn most(text: &str, left: &BTreeSet<Span>) -> BTreeMap<Span, Option<u64>> {
    let mut out: BTreeMap<Span, Option<u64>> = BTreeMap::new();
    each_minimum(text, left, &mut |_, f, bounds, (i, span)| {
        let args = &f.insts[i].args;
        let (x, _) = operands(f, args);
        let n = Some(bounds.of(x)).filter(|n| *n < f.ty(x).scalar().mask());
        let own = out.entry(span).or_insert(Some(0));
        *own = own.zip(n).map(|(a, b)| a.max(b));
    });
    out
}

/// What bounds a value: the first of its definitions that is no sum or product with a constant.
fn cause(f: &Function, bounds: &mut UpperBounds<'_>, v: Value) -> Rule {
    let most = bounds.of(v);
    let mut at = v;
    // Definitions stand before their uses, so this ends.
    loop {
        let i = match f.values[at].def {
            ValueDef::Const(_) => return Rule::Constant(most),
            ValueDef::Param(b, _) if f.blocks[b].header.is_some() => return Rule::Count(most),
            ValueDef::Param(..) => return Rule::Ways(most),
            ValueDef::Undef => return Rule::Computed(most),
            ValueDef::Inst(i, _) => i,
        };
        let d = &f.insts[i];
        let constant = d.args.iter().find_map(|a| f.const_bits(*a));
        match d.op {
            Op::And if constant.is_some() => return Rule::Mask(most),
            Op::URem | Op::SRem => return Rule::Remainder(most),
            Op::UMin if constant.is_some() => return Rule::Least(most),
            Op::UShr => match f.const_bits(d.args[1]) {
                Some(by) => return Rule::Shift(by, most),
                None => return Rule::Computed(most),
            },
            Op::Select => return Rule::Ways(most),
            Op::Sysval => return Rule::Launch(most),
            Op::Extract if f.def_op(d.args[0], Op::Sysval).is_some_and(|e| matches!(e.attr, Attr::Sysval(_))) => {
                return Rule::Launch(most);
            }
            _ => {}
        }
        let moving: Vec<Value> = d.args.iter().copied().filter(|a| f.const_bits(*a).is_none()).collect();
        match moving[..] {
            [] => return Rule::Constant(most),
            [one] if one != at => at = one,
            _ => return Rule::Computed(most),
        }
    }
}
