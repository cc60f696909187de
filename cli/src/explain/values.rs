//! The values in registers: who makes each, who reads it and how long it lives, from the text of allocated code, whose form all families
//! share; and, beside it, which values found no register.

mod spills;

use std::collections::{BTreeMap, BTreeSet};

use gpucc_ir::{Entity, Module};
use indexmap::IndexMap;

use super::remarks::Stage;
pub use spills::{Spill, spills};

/// Most instructions of code whose values are followed.
const MOST: usize = 6000;

/// A value in a register or several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    /// The registers: `v4`, `s[2:3]`, `t0.xy`.
    pub register: String,
    /// The instruction that makes it, as the machine code before encoding names it.
    pub made: String,
    /// Its number in the order of that code, and its line (0 where none is known).
    pub at: (u32, u32),
    /// Numbers and lines of those who read it.
    pub reads: Vec<(u32, u32)>,
    /// Why it is there once more, where it is a copy of something.
    pub copy: Option<Copy>,
}

/// Why a value or a constant is copied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copy {
    /// The line of the code that it stands in; 0 where none is known.
    pub line: u32,
    /// The reason why it is copied.
    pub reason: Reason,
}

/// What a copy is for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// An instruction reads a constant from a register.
    Constant,
    /// Its register gets something else before another copy reads it.
    Aside,
    /// An instruction, with its text, has it in this register: beside others, or where it may be overwritten.
    Needed(String),
    /// Code of these lines, which lies behind a branch, has it in this register whatever way leads there.
    Carried(Vec<u32>),
    /// Nobody reads it by name: the machine itself does.
    Machine,
}

impl Reason {
    /// The word of the data.
    pub fn name(&self) -> &'static str {
        match self {
            Reason::Constant => "constant",
            Reason::Aside => "aside",
            Reason::Needed(_) => "needed",
            Reason::Carried(_) => "carried",
            Reason::Machine => "machine",
        }
    }

    /// The sentence that a person reads.
    pub fn said(&self) -> String {
        match self {
            Reason::Constant => "a constant or uniform, which is read from a register".into(),
            Reason::Aside => "kept aside until another copy reads it".into(),
            Reason::Needed(who) => format!("`{who}` has it in this register"),
            Reason::Carried(lines) if lines.is_empty() => "code behind a branch has it in this register".into(),
            Reason::Carried(lines) => {
                let list: Vec<String> = lines.iter().map(u32::to_string).collect();
                format!("code behind a branch has it in this register: line {}", list.join(", "))
            }
            Reason::Machine => "the machine reads it by itself".into(),
        }
    }
}

impl Value {
    /// The number of the last instruction that needs it.
    pub fn last(&self) -> u32 {
        self.reads.iter().map(|r| r.0).max().unwrap_or(self.at.0).max(self.at.0)
    }
}

/// An instruction of the text.
struct Line<'a> {
    text: &'a str,
    /// Registers that it writes, as they are written, with their units.
    writes: Vec<(&'a str, Vec<String>)>,
    reads: Vec<String>,
    /// Whether it gives something, in registers or not yet.
    gives: bool,
    loc: Option<u32>,
}

impl Line<'_> {
    /// Whether it only copies something: all families call such instructions moves.
    fn copies(&self) -> bool {
        let name = self.text.split_once(' ').map_or("", |t| t.0);
        name.contains("(Mov") || name.contains("VMovB") || name.contains("SMovB") || name == "p_copy"
    }
}

struct Block<'a> {
    lines: Vec<Line<'a>>,
    next: Vec<usize>,
}

/// The units of a register: `v[4:5]` is `v4` and `v5`, `t0.xy` is `t0.x` and `t0.y`.
fn units(register: &str) -> Option<Vec<String>> {
    let at = register.find(|c: char| !c.is_ascii_alphabetic())?;
    let (file, rest) = register.split_at(at);
    if file.is_empty() {
        return None;
    }
    if let Some(range) = rest.strip_prefix('[') {
        let (first, last) = range.split_once(']')?.0.split_once(':')?;
        let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
        return (last >= first && last - first < 64).then(|| (first..=last).map(|n| format!("{file}{n}")).collect());
    }
    let number = rest.split(|c: char| !c.is_ascii_digit()).next().filter(|n| !n.is_empty())?;
    let behind = &rest[number.len()..];
    Some(match behind.strip_prefix('.') {
        Some(parts) => {
            let parts = parts.chars().take_while(|c| "xyzw".contains(*c));
            parts.map(|c| format!("{file}{number}.{c}")).collect()
        }
        None if behind.is_empty() || behind.starts_with(['{', '[']) => vec![format!("{file}{number}")],
        None => return None,
    })
}

/// Operands between commas, without what is in braces.
fn operands(text: &str) -> impl Iterator<Item = &str> {
    text.split(", ").map(|o| o.trim().split('{').next().unwrap_or_default().trim()).filter(|o| !o.is_empty())
}

fn line(text: &str) -> Line<'_> {
    let text = text.trim();
    let (body, loc) = match text.rsplit_once(" @") {
        Some((body, at)) => (body, at.split('.').next().and_then(|n| n.parse().ok())),
        None => (text, None),
    };
    let (left, right) = body.split_once(" = ").unwrap_or(("", body));
    let writes = operands(left).filter_map(|o| Some((o, units(o)?))).collect();
    // Operands begin behind the name and its fields.
    let name = right.split_once(' ').map_or("", |r| r.1);
    let rest = match name.strip_prefix('{') {
        Some(fields) => fields.split_once('}').map_or("", |f| f.1),
        None => name,
    };
    let is_block = |o: &str| o.strip_prefix('b').is_some_and(|n| n.parse::<u32>().is_ok());
    let reads = operands(rest).filter(|o| !is_block(o)).filter_map(units).flatten().collect();
    Line { text: right, writes, reads, gives: !left.is_empty(), loc }
}

/// The blocks of a text of machine code.
fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut list: Vec<Block<'_>> = Vec::new();
    for l in text.lines().skip(1) {
        if l.starts_with("  ") {
            if let Some(b) = list.last_mut() {
                b.lines.push(line(l));
            }
        } else if let Some(head) = l.strip_suffix(':') {
            // Successors on either graph.
            let behind = head.split_once(' ').map_or("", |h| h.1);
            let named = |w: &str| w.trim_end_matches(',').strip_prefix('b')?.parse().ok();
            list.push(Block { lines: Vec::new(), next: behind.split(' ').filter_map(named).collect() });
        }
    }
    list
}

/// The text of the code when it has registers, and the last of the IR before it.
fn allocated<'a>(stages: &[Stage<'a>]) -> Option<&'a str> {
    stages.iter().rev().find(|s| s.text.starts_with("mir ")).map(|s| s.text)
}

/// The values that each unit may hold.
type Held<'a> = IndexMap<&'a str, Vec<usize>>;

/// Goes through a block: calls `each` with the values that instructions read, and leaves what units hold at the end. `first` are the
/// numbers of the block's first value and instruction.
fn walk<'a>(
    block: &'a Block<'_>,
    first: (usize, u32),
    held: &mut Held<'a>,
    each: &mut dyn FnMut(usize, u32, &Line<'_>),
) {
    let (mut value, mut number) = first;
    for l in &block.lines {
        for unit in &l.reads {
            held.get(unit.as_str()).into_iter().flatten().for_each(|&v| each(v, number, l));
        }
        for (_, units) in &l.writes {
            for u in units {
                let own = held.entry(u.as_str()).or_default();
                own.clear();
                own.push(value);
            }
            value += 1;
        }
        number += 1;
    }
}

/// The values of the code. `ir` is the module that its locations are of.
pub fn of(stages: &[Stage<'_>], ir: &Module) -> Vec<Value> {
    let Some(text) = allocated(stages) else { return Vec::new() };
    let blocks = blocks(text);
    if blocks.iter().map(|b| b.lines.len()).sum::<usize>() > MOST {
        return Vec::new();
    }
    of_blocks(&blocks, &Lines::new(ir))
}

/// The values of blocks, in the order of the code.
fn of_blocks(blocks: &[Block<'_>], lines: &Lines) -> Vec<Value> {
    let mut values: Vec<Value> = Vec::new();
    // The first number of each block's values, and of its instructions.
    let (mut firsts, mut number) = (Vec::new(), 0);
    for b in blocks {
        firsts.push((values.len(), number));
        for l in &b.lines {
            for (register, _) in &l.writes {
                let at = (number, l.loc.map_or(0, |n| lines.line(n)));
                let register = (*register).trim_start_matches('!').to_string();
                values.push(Value { register, made: l.text.into(), at, reads: Vec::new(), copy: None });
            }
            number += 1;
        }
    }
    let starts = held(blocks, &firsts);
    let mut reads: Vec<BTreeSet<(u32, u32)>> = values.iter().map(|_| BTreeSet::new()).collect();
    for b in 0..blocks.len() {
        let mut held = starts[b].clone();
        walk(&blocks[b], firsts[b], &mut held, &mut |v, number, l| {
            reads[v].insert((number, l.loc.map_or(0, |n| lines.line(n))));
        });
    }
    values.iter_mut().zip(reads).for_each(|(v, list)| v.reads = list.into_iter().collect());
    copies(blocks, &firsts, lines, &mut values);
    values
}

/// Which values a unit may hold where each block begins. `firsts` are the numbers of each block's first value and instruction.
fn held<'a>(blocks: &'a [Block<'_>], firsts: &[(usize, u32)]) -> Vec<Held<'a>> {
    let mut starts: Vec<Held<'_>> = blocks.iter().map(|_| Held::new()).collect();
    let mut work: BTreeSet<usize> = (0..blocks.len()).collect();
    while let Some(b) = work.pop_first() {
        let mut held = starts[b].clone();
        walk(&blocks[b], firsts[b], &mut held, &mut |_, _, _| {});
        for &n in blocks[b].next.iter().filter(|n| **n < blocks.len()) {
            let mut grew = false;
            for (unit, list) in &held {
                let own = starts[n].entry(*unit).or_default();
                for v in list {
                    if !own.contains(v) {
                        own.push(*v);
                        grew = true;
                    }
                }
            }
            if grew {
                work.insert(n);
            }
        }
    }
    starts
}

/// Says of the values that are copies what they are for.
fn copies(blocks: &[Block<'_>], firsts: &[(usize, u32)], lines: &Lines, values: &mut [Value]) {
    let all: Vec<&Line<'_>> = blocks.iter().flat_map(|b| &b.lines).collect();
    // What has no line of its own is of the one before it.
    let mut here = 0;
    for (block, (first, number)) in blocks.iter().zip(firsts) {
        let mut value = *first;
        let end = number + block.lines.len() as u32;
        for l in &block.lines {
            here = l.loc.map_or(here, |n| lines.line(n));
            for _ in &l.writes {
                let v = &mut values[value];
                value += 1;
                if !l.copies() {
                    continue;
                }
                let near = v.reads.iter().find(|r| r.0 > v.at.0 && r.0 < end).map(|r| all[r.0 as usize]);
                let reason = match near {
                    _ if l.reads.is_empty() => Reason::Constant,
                    Some(reader) if reader.copies() => Reason::Aside,
                    Some(reader) => Reason::Needed(reader.text.split([' ', '{']).next().unwrap_or_default().into()),
                    None if v.reads.is_empty() => Reason::Machine,
                    None => {
                        let lines: BTreeSet<u32> = v.reads.iter().map(|r| r.1).filter(|l| *l > 0).collect();
                        Reason::Carried(lines.into_iter().collect())
                    }
                };
                v.copy = Some(Copy { line: here, reason });
            }
        }
    }
}

/// The longest chain of values of which each is made of the one before, as their numbers in the list, in one walk through the code: no
/// machine is done sooner than one behind the other. Of several the first.
pub fn chain(values: &[Value]) -> Vec<usize> {
    // The values that an instruction reads, by its number.
    let mut of: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (k, v) in values.iter().enumerate() {
        v.reads.iter().filter(|r| r.0 > v.at.0).for_each(|r| of.entry(r.0).or_default().push(k));
    }
    // The length of the chain that ends in each value, and the value before it. Values stand in the order of the code.
    let mut ends: Vec<(u32, Option<usize>)> = Vec::with_capacity(values.len());
    for v in values {
        let sources = of.get(&v.at.0).into_iter().flatten().filter(|k| **k < ends.len());
        let longest = sources.max_by_key(|k| (ends[**k].0, std::cmp::Reverse(**k)));
        ends.push(longest.map_or((1, None), |k| (ends[*k].0 + 1, Some(*k))));
    }
    let last = (0..ends.len()).max_by_key(|k| (ends[*k].0, std::cmp::Reverse(*k)));
    let mut list: Vec<usize> = std::iter::successors(last, |k| ends[*k].1).collect();
    list.reverse();
    list
}

/// Lines of the locations of a module by number.
struct Lines(BTreeMap<u32, u32>);

impl Lines {
    fn new(m: &Module) -> Lines {
        let all = m.funcs.values().flat_map(|f| f.insts.values());
        Lines(all.filter_map(|i| Some((i.loc.plain().index() as u32, m.line_column(i.loc)?.0))).collect())
    }

    fn line(&self, number: u32) -> u32 {
        self.0.get(&number).copied().unwrap_or(0)
    }
}
