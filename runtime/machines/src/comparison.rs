//! What a comparison with the oracle covered. Every command says it in this one form: `match` stands in one place, behind the question
//! whether anything was compared, so that no empty comparison can be called one.

use std::fmt::{self, Write as _};

use gpucc_ir::{Func, Module, Op, Place, Res};

/// A comparison that leaves out more than one in so many values says nothing.
const ONE_IN: u64 = 10;

/// A number of things of a kind, named in the singular.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count(pub u64, pub &'static str);

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.1 {
            name if self.0 == 1 => name.to_string(),
            "dispatch or draw" => "dispatches and draws".into(),
            name => format!("{name}s"),
        };
        write!(f, "{} {name}", self.0)
    }
}

/// What was compared and found equal, and what was left out and why. A difference is told elsewhere.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// What was compared, coarse units first: `2 outputs, 64 bytes`. One that is 0 is no comparison.
    pub covered: Vec<Count>,
    /// How closely it was compared, in a few words.
    pub how: String,
    /// Values that could have been compared.
    pub values: u64,
    /// Values among them that were left out.
    pub without: u64,
    /// What was left out, and why: `3 words` and `that depend on the order of invocations`.
    pub left: Vec<(Count, String)>,
    /// What was left out of the comparison with the source alone.
    pub partly: Vec<(Count, String)>,
    /// Why there is nothing to compare, if there is nothing.
    pub nothing: &'static str,
}

impl Comparison {
    /// Why it is no match: nothing was compared, or more than a tenth of what could be was left out. `None` for a match.
    pub fn not_compared(&self) -> Option<String> {
        if self.covered.is_empty() || self.covered.iter().any(|c| c.0 == 0) {
            let mut why =
                if self.nothing.is_empty() { "there is nothing to compare" } else { self.nothing }.to_string();
            list(&mut why, "; ", &self.left);
            return Some(why);
        }
        if self.without.saturating_mul(ONE_IN) <= self.values {
            return None;
        }
        let share = self.without.saturating_mul(100).div_ceil(self.values.max(1)).min(100);
        let mut why = format!("{} of {} values left out ({share} %)", self.without, self.values);
        list(&mut why, ": ", &self.left);
        Some(why)
    }
}

/// Adds counts with their reasons to a sentence.
fn list(out: &mut String, lead: &str, left: &[(Count, String)]) {
    let mut lead = lead;
    for (n, why) in left.iter().filter(|l| l.0.0 > 0) {
        let _ = write!(out, "{lead}{n} {why}");
        lead = ", ";
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(why) = self.not_compared() {
            return write!(f, "not compared: {why}");
        }
        let counts: Vec<String> = self.covered.iter().map(Count::to_string).collect();
        let mut out = format!("match ({}", counts.join(", "));
        if !self.how.is_empty() {
            let _ = write!(out, "; {}", self.how);
        }
        out.push(')');
        list(&mut out, "; not compared with the source: ", &self.partly);
        list(&mut out, "; not compared at all: ", &self.left);
        f.write_str(&out)
    }
}

/// The functions that an entry point reaches; those of all entry points without one of that name.
fn reached(module: &Module, entry: &str) -> Vec<Func> {
    let mut list: Vec<Func> = module.entries.iter().filter(|e| e.name == entry).map(|e| e.func).collect();
    if list.is_empty() {
        list.extend(module.entries.iter().map(|e| e.func));
    }
    let mut at = 0;
    while let Some(&func) = list.get(at) {
        at += 1;
        let f = &module.funcs[func];
        for (_, i) in f.insts_in_order() {
            if let gpucc_ir::Attr::Call(callee) = &f.insts[i].attr
                && !list.contains(callee)
            {
                list.push(*callee);
            }
        }
    }
    list
}

/// The buffers and textures that code of an entry point may write, whether it is ever reached or not: its outputs.
pub fn written(module: &Module, entry: &str) -> Vec<Res> {
    let mut found: Vec<Res> = Vec::new();
    for func in reached(module, entry) {
        let f = &module.funcs[func];
        for (_, i) in f.insts_in_order() {
            let inst = &f.insts[i];
            let writes = matches!(inst.op, Op::Store | Op::Atomic | Op::CmpXchg | Op::ImageStore | Op::ImageAtomic);
            for res in inst.resources().filter(|_| writes) {
                if !found.contains(&res) {
                    found.push(res);
                }
            }
        }
    }
    found
}

/// Whether code of an entry point may write wherever an address leads.
pub fn writes_at_addresses(module: &Module, entry: &str) -> bool {
    reached(module, entry).into_iter().any(|func| {
        let f = &module.funcs[func];
        f.insts_in_order().any(|(_, i)| f.insts[i].place() == Some(Place::Address) && f.insts[i].op != Op::Load)
    })
}

/// Whether code of an entry point has atomic operations: what they give depends on the order of invocations.
pub fn has_atomics(module: &Module, entry: &str) -> bool {
    reached(module, entry).into_iter().any(|func| {
        let f = &module.funcs[func];
        f.insts_in_order().any(|(_, i)| matches!(f.insts[i].op, Op::Atomic | Op::CmpXchg | Op::ImageAtomic))
    })
}
