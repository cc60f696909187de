//! Values that were stored because registers ran out, and loaded again: which, where, and what the registers held instead. Families name
//! such stores and loads as they like: they are what allocation brought that was not there before.

use std::collections::{BTreeMap, BTreeSet};

use gpucc_ir::Module;

use super::{Block, Line, Lines, MOST, blocks, held, of_blocks};
use crate::explain::remarks::Stage;

/// A value that was stored or loaded again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spill {
    /// Whether it is stored here, or loaded again.
    pub stored: bool,
    /// The line of the code that this stands in; 0 where none is known.
    pub line: u32,
    /// Its number in the order of the allocated code.
    pub at: u32,
    /// The register that it is stored from or loaded to.
    pub register: String,
    /// The line that made the value which is stored, and those that read the one which is loaded.
    pub of: Vec<u32>,
    /// The line where most registers are taken while the value is away; 0 where none is known.
    pub peak: u32,
    /// How many registers of the same file hold something there that is read later, and how many of them the program has.
    pub held: (usize, usize),
    /// These registers, and the lines that made what they hold.
    pub live: Vec<(String, u32)>,
}

impl Spill {
    /// The letters of its registers.
    pub fn file(&self) -> &str {
        file(&self.register)
    }

    /// What the registers hold instead, in words.
    pub fn reason(&self) -> String {
        let (n, all) = self.held;
        if all == 0 {
            return "registers ran out".into();
        }
        let lines: BTreeSet<u32> = self.live.iter().map(|l| l.1).filter(|l| *l > 0).collect();
        let lines = match lines.len() {
            0 => String::new(),
            1 => format!(", made in line {}", ranges(&lines)),
            _ => format!(", made in lines {}", ranges(&lines)),
        };
        let at = if self.peak > 0 { format!("at line {}, ", self.peak) } else { String::new() };
        format!("{at}{n} of the {all} registers of {} hold what is read later{lines}", self.file())
    }
}

/// Numbers as ranges: `3-5, 9`.
fn ranges(list: &BTreeSet<u32>) -> String {
    let mut out: Vec<(u32, u32)> = Vec::new();
    for &n in list {
        match out.last_mut() {
            Some(last) if last.1 + 1 == n => last.1 = n,
            _ => out.push((n, n)),
        }
    }
    let one = |(a, b): &(u32, u32)| if a == b { a.to_string() } else { format!("{a}-{b}") };
    out.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// The letters in front of a register's number.
fn file(register: &str) -> &str {
    &register[..register.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(register.len())]
}

/// The instructions that allocation brought for values without a register, by their numbers: whether they store.
fn brought(before: &[Block<'_>], after: &[Block<'_>], (spills, reloads): (u64, u64)) -> BTreeMap<u32, bool> {
    // The operation with its fields, which registers do not change.
    let key = |l: &Line<'_>| {
        let (name, rest) = l.text.split_once(' ').unwrap_or((l.text, ""));
        let fields = rest.strip_prefix('{').and_then(|f| f.split_once('}')).map_or("", |f| f.0);
        (format!("{name} {fields}"), !l.gives)
    };
    let old: BTreeSet<(String, bool)> = before.iter().flat_map(|b| &b.lines).map(key).collect();
    let mut new: BTreeMap<(String, bool), Vec<u32>> = BTreeMap::new();
    for (number, l) in (0..).zip(after.iter().flat_map(|b| &b.lines)) {
        new.entry(key(l)).or_default().push(number);
    }
    let mut out = BTreeMap::new();
    for ((_, stores), list) in new.into_iter().filter(|(k, _)| !old.contains(k)) {
        let wanted = if stores { spills } else { reloads };
        if list.len() as u64 <= wanted.saturating_mul(4) {
            out.extend(list.into_iter().map(|n| (n, stores)));
        }
    }
    out
}

type Units<'a> = BTreeSet<&'a str>;

/// The units that are read later, where each block ends.
fn live_ends<'a>(blocks: &'a [Block<'_>]) -> Vec<Units<'a>> {
    let mut ends: Vec<Units<'a>> = blocks.iter().map(|_| Units::new()).collect();
    let mut starts = ends.clone();
    let mut changed = true;
    while changed {
        changed = false;
        for (k, b) in blocks.iter().enumerate().rev() {
            let end: Units<'a> = b.next.iter().filter_map(|n| starts.get(*n)).flatten().copied().collect();
            let mut live = end.clone();
            b.lines.iter().rev().for_each(|l| back(l, &mut live));
            ends[k] = end;
            if live != starts[k] {
                starts[k] = live;
                changed = true;
            }
        }
    }
    ends
}

/// What is read later in front of an instruction.
fn back<'a>(l: &'a Line<'_>, live: &mut Units<'a>) {
    l.writes.iter().flat_map(|w| &w.1).for_each(|u| {
        live.remove(u.as_str());
    });
    live.extend(l.reads.iter().map(String::as_str));
}

/// Calls `each` with the number of each instruction of a block, from its end, and with what is read later in front of it.
fn each_back<'a>(b: &'a Block<'_>, first: u32, end: &Units<'a>, each: &mut dyn FnMut(u32, &Units<'a>)) {
    let mut live = end.clone();
    for (k, l) in b.lines.iter().enumerate().rev() {
        back(l, &mut live);
        each(first + k as u32, &live);
    }
}

/// Where a spilled value lies: families name the place by an offset.
fn offset(text: &str) -> &str {
    let behind = text.split_once("offset=").map_or("", |t| t.1);
    &behind[..behind.find(|c: char| !c.is_ascii_digit()).unwrap_or(behind.len())]
}

/// The spilled values without their reasons, each with the instructions between which it is away from its register.
fn found(after: &[Block<'_>], list: &BTreeMap<u32, bool>, lines: &Lines) -> Vec<(Spill, (u32, u32))> {
    let mut out: Vec<(Spill, (u32, u32))> = Vec::new();
    let mut stores: BTreeMap<&str, usize> = BTreeMap::new();
    for (number, l) in (0..).zip(after.iter().flat_map(|b| &b.lines)) {
        let Some(&stored) = list.get(&number) else { continue };
        let register = match stored {
            true => l.reads.first().cloned().unwrap_or_default(),
            false => l.writes.first().map_or("", |w| w.0).trim_start_matches('!').to_string(),
        };
        let mut from = number;
        if stored {
            stores.insert(offset(l.text), out.len());
        } else if let Some(&of) = stores.get(offset(l.text)) {
            from = out[of].0.at;
            out[of].1.1 = number;
        }
        let line = l.loc.map_or(0, |n| lines.line(n));
        let (of, live) = (Vec::new(), Vec::new());
        out.push((Spill { stored, line, at: number, register, of, peak: 0, held: (0, 0), live }, (from, number)));
    }
    out
}

/// The stores and loads of values that found no register, with the numbers of both that statistics have. Of code that is too long without
/// reasons.
pub fn spills(stages: &[Stage<'_>], ir: &Module, wanted: (u64, u64)) -> Vec<Spill> {
    if wanted == (0, 0) {
        return Vec::new();
    }
    let Some(at) = stages.iter().position(|s| s.pass == "allocate") else { return Vec::new() };
    let Some(before) = at.checked_sub(1).map(|k| &stages[k]) else { return Vec::new() };
    let (before, after) = (blocks(before.text), blocks(stages[at].text));
    let lines = Lines::new(ir);
    let mut out = found(&after, &brought(&before, &after, wanted), &lines);
    if after.iter().map(|b| b.lines.len()).sum::<usize>() <= MOST {
        reasons(&after, &lines, &mut out);
    }
    out.into_iter().map(|s| s.0).collect()
}

/// Says of each value what the registers hold where most of them are taken while it is away.
fn reasons(after: &[Block<'_>], lines: &Lines, list: &mut [(Spill, (u32, u32))]) {
    let (values, ends) = (of_blocks(after, lines), live_ends(after));
    let mut all: BTreeMap<&str, Units<'_>> = BTreeMap::new();
    for u in after.iter().flat_map(|b| &b.lines).flat_map(|l| l.writes.iter().flat_map(|w| &w.1).chain(&l.reads)) {
        all.entry(file(u)).or_default().insert(u);
    }
    let mut firsts = Vec::new();
    let (mut value, mut total) = (0, 0);
    for b in after {
        firsts.push((value, total));
        value += b.lines.iter().map(|l| l.writes.len()).sum::<usize>();
        total += b.lines.len() as u32;
    }
    let mut taken: BTreeMap<&str, Vec<usize>> = all.keys().map(|file| (*file, vec![0; total as usize])).collect();
    for ((b, first), end) in after.iter().zip(&firsts).zip(&ends) {
        each_back(b, first.1, end, &mut |number, live| {
            for u in live {
                if let Some(n) = taken.get_mut(file(u)) {
                    n[number as usize] += 1;
                }
            }
        });
    }
    // Which of the list begin, and have their peak, at an instruction.
    let (mut begin, mut peaks): (BTreeMap<u32, Vec<usize>>, BTreeMap<u32, Vec<usize>>) = Default::default();
    for (k, (s, (from, until))) in list.iter_mut().enumerate() {
        let own = file(&s.register);
        let Some(n) = taken.get(own) else { continue };
        let peak = (*from..=*until).max_by_key(|k| (n[*k as usize], std::cmp::Reverse(*k))).unwrap_or(*from);
        s.held = (n[peak as usize], all.get(own).map_or(0, BTreeSet::len));
        begin.entry(s.at).or_default().push(k);
        peaks.entry(peak).or_default().push(k);
    }
    let starts = held(after, &firsts);
    for (k, b) in after.iter().enumerate() {
        let mut live_at: BTreeMap<u32, Vec<&str>> = BTreeMap::new();
        each_back(b, firsts[k].1, &ends[k], &mut |number, live| {
            if peaks.contains_key(&number) {
                live_at.insert(number, live.iter().copied().collect());
            }
        });
        let (mut now, mut value) = (starts[k].clone(), firsts[k].0);
        for (number, l) in (firsts[k].1..).zip(&b.lines) {
            let made = |u: &str| now.get(u).into_iter().flatten().filter_map(|v| values.get(*v)).map(|v| v.at.1);
            for &k in peaks.get(&number).into_iter().flatten() {
                let s = &mut list[k].0;
                s.peak = l.loc.map_or(0, |n| lines.line(n));
                let own = live_at[&number].iter().filter(|u| file(u) == file(&s.register));
                s.live = own.map(|u| ((*u).to_string(), made(u).max().unwrap_or(0))).collect();
            }
            for &k in begin.get(&number).into_iter().flatten() {
                let s = &mut list[k].0;
                let mut of: BTreeSet<u32> = match s.stored {
                    true => made(&s.register).collect(),
                    false => values.get(value).into_iter().flat_map(|v| &v.reads).map(|r| r.1).collect(),
                };
                of.remove(&0);
                s.of = of.into_iter().collect();
            }
            for (_, units) in &l.writes {
                units.iter().for_each(|u| {
                    now.insert(u.as_str(), vec![value]);
                });
                value += 1;
            }
        }
    }
}
