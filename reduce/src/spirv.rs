//! Modules of SPIR-V: names and lines, functions, blocks, instructions, operands, branches.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::{Subject, Weight};

const MAGIC: u32 = 0x0723_0203;
const HEADER: usize = 5;

mod op {
    pub const SOURCE: [u32; 8] = [2, 3, 4, 5, 6, 7, 8, 317];
    pub const MODULE_PROCESSED: u32 = 330;
    pub const ENTRY_POINT: u32 = 15;
    /// Instructions that give a type.
    pub const TYPES: std::ops::RangeInclusive<u32> = 19..=39;
    /// What is said of the id behind the opcode: names, modes, decorations.
    pub const ABOUT: [u32; 8] = [5, 6, 16, 71, 72, 331, 332, 5632];
    pub const FUNCTION: u32 = 54;
    pub const FUNCTION_END: u32 = 56;
    pub const LABEL: u32 = 248;
    pub const LOOP_MERGE: u32 = 246;
    pub const SELECTION_MERGE: u32 = 247;
    pub const BRANCH: u32 = 249;
    pub const BRANCH_CONDITIONAL: u32 = 250;
    pub const SWITCH: u32 = 251;
    pub const TERMINATORS: [u32; 8] = [249, 250, 251, 252, 253, 254, 255, 4416];
}

/// A module as words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    words: Vec<u32>,
}

/// Words that are replaced together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WordEdit(Vec<(Range<usize>, Vec<u32>)>);

/// Bytes that are no module.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NotAModule;

impl Module {
    /// A module of either byte order.
    ///
    /// # Errors
    /// The bytes do not begin like a module, or an instruction reaches past the end.
    pub fn new(bytes: &[u8]) -> Result<Module, NotAModule> {
        let mut words: Vec<u32> = bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect();
        if words.first().is_some_and(|w| w.swap_bytes() == MAGIC) {
            words.iter_mut().for_each(|w| *w = w.swap_bytes());
        }
        if words.len() < HEADER || words[0] != MAGIC || !bytes.len().is_multiple_of(4) {
            return Err(NotAModule);
        }
        let m = Module { words };
        let end = m.instructions().last().map_or(HEADER, |i| i.end);
        if end == m.words.len() { Ok(m) } else { Err(NotAModule) }
    }

    /// The words of each instruction, up to one that is none.
    fn instructions(&self) -> Vec<Range<usize>> {
        let mut out = Vec::new();
        let mut at = HEADER;
        while let Some(&w) = self.words.get(at) {
            let end = at + (w >> 16) as usize;
            if end == at || end > self.words.len() {
                break;
            }
            out.push(at..end);
            at = end;
        }
        out
    }

    fn opcode(&self, i: &Range<usize>) -> u32 {
        self.words[i.start] & 0xffff
    }

    /// Ids with the type of each and the instruction that gives it: those whose result is the second word behind the opcode.
    fn values(&self) -> BTreeMap<u32, (u32, usize)> {
        let list = self.instructions();
        let types: BTreeMap<u32, usize> = list
            .iter()
            .enumerate()
            .filter(|(_, i)| op::TYPES.contains(&self.opcode(i)))
            .map(|(k, i)| (self.words[i.start + 1], k))
            .collect();
        let mut out = BTreeMap::new();
        for (k, i) in list.iter().enumerate() {
            if i.len() >= 3 && types.contains_key(&self.words[i.start + 1]) && !op::TYPES.contains(&self.opcode(i)) {
                out.insert(self.words[i.start + 2], (self.words[i.start + 1], k));
            }
        }
        out
    }
}

impl Subject for Module {
    type Edit = WordEdit;
    const PASSES: usize = 7;

    fn edits(&self, pass: usize) -> Vec<WordEdit> {
        let gone = |r: Range<usize>| WordEdit(vec![(r, Vec::new())]);
        let list = self.instructions();
        match pass {
            0 => {
                let debug =
                    |i: &&Range<usize>| op::SOURCE.contains(&self.opcode(i)) || self.opcode(i) == op::MODULE_PROCESSED;
                list.iter().filter(debug).map(|i| gone(i.clone())).collect()
            }
            1 => {
                let mut from = None;
                let mut out = Vec::new();
                for i in &list {
                    match self.opcode(i) {
                        op::FUNCTION => from = Some(i.start),
                        op::FUNCTION_END => out.extend(from.take().map(|f| gone(f..i.end))),
                        _ => {}
                    }
                }
                out
            }
            2 => self.branches(),
            3 => {
                let mut from = None;
                let mut out = Vec::new();
                for i in &list {
                    match self.opcode(i) {
                        op::LABEL => from = Some(i.start),
                        o if op::TERMINATORS.contains(&o) => out.extend(from.take().map(|f| gone(f..i.end))),
                        _ => {}
                    }
                }
                out
            }
            4 => self.things(&list),
            5 => list.iter().rev().map(|i| gone(i.clone())).collect(),
            _ => self.operands(),
        }
    }

    fn apply(&self, edits: &[WordEdit]) -> Option<Module> {
        let mut parts: Vec<&(Range<usize>, Vec<u32>)> = edits.iter().flat_map(|e| &e.0).collect();
        parts.sort_by_key(|(r, _)| (r.start, std::cmp::Reverse(r.end)));
        let (mut words, mut at) = (Vec::with_capacity(self.words.len()), 0);
        for (range, with) in parts {
            if range.start < at {
                if range.end > at {
                    return None;
                }
                continue;
            }
            words.extend_from_slice(&self.words[at..range.start]);
            words.extend_from_slice(with);
            at = range.end;
        }
        words.extend_from_slice(&self.words[at..]);
        Some(Module { words })
    }

    fn bytes(&self) -> Vec<u8> {
        self.words.iter().flat_map(|w| w.to_le_bytes()).collect()
    }

    fn weight(&self) -> Weight {
        let values = self.values();
        // Where what is read was made: an operand that was made earlier weighs less.
        let depth = |w: &u32| values.get(w).map_or(0, |v| v.1 as u64);
        let list = self.instructions();
        let reach = list.iter().flat_map(|i| self.words[i.clone()].iter().skip(3)).map(depth);
        [list.len() as u64, self.words.len() as u64, reach.fold(0u64, u64::saturating_add)]
    }
}

impl Module {
    /// What gives an id goes with what is said of the id: names, decorations, modes, its place in the interface of entry points. The last come
    /// first, so that types go behind what has them.
    fn things(&self, list: &[Range<usize>]) -> Vec<WordEdit> {
        let values = self.values();
        let mut out = Vec::new();
        for i in list.iter().rev().filter(|i| i.len() >= 2) {
            let types = (op::TYPES.contains(&self.opcode(i))).then(|| self.words[i.start + 1]);
            let value = || i.len() >= 3 && values.contains_key(&self.words[i.start + 2]);
            let Some(id) = types.or_else(|| value().then(|| self.words[i.start + 2])) else { continue };
            let mut parts = vec![(i.clone(), Vec::new())];
            for about in list.iter().filter(|a| a.len() >= 2) {
                match self.opcode(about) {
                    o if op::ABOUT.contains(&o) && self.words[about.start + 1] == id => {
                        parts.push((about.clone(), Vec::new()));
                    }
                    op::ENTRY_POINT => parts.extend(self.without_interface(about, id)),
                    _ => {}
                }
            }
            // Alone it is an edit of the pass behind this.
            if parts.len() > 1 {
                out.push(WordEdit(parts));
            }
        }
        out
    }

    /// An entry point whose interface has no such id.
    fn without_interface(&self, entry: &Range<usize>, id: u32) -> Option<(Range<usize>, Vec<u32>)> {
        let words = &self.words[entry.clone()];
        // The name ends with the first word that has a zero in its last byte.
        let name = words.iter().skip(3).position(|w| w >> 24 == 0)? + 4;
        let (head, ids) = words.split_at_checked(name)?;
        let kept: Vec<u32> = ids.iter().copied().filter(|&w| w != id).collect();
        if kept.len() == ids.len() {
            return None;
        }
        let mut new = [head, &kept].concat();
        new[0] = ((new.len() as u32) << 16) | op::ENTRY_POINT;
        Some((entry.clone(), new))
    }

    /// Branches of several ways go one way, with the merge in front of them gone or kept.
    fn branches(&self) -> Vec<WordEdit> {
        let list = self.instructions();
        let mut out = Vec::new();
        for (k, i) in list.iter().enumerate() {
            let ways: Vec<u32> = match self.opcode(i) {
                op::BRANCH_CONDITIONAL => self.words[i.start + 2..(i.start + 4).min(i.end)].to_vec(),
                op::SWITCH if i.len() >= 3 => {
                    let cases = self.words[i.start + 4..].iter().take(i.len().saturating_sub(4)).step_by(2);
                    std::iter::once(self.words[i.start + 2]).chain(cases.copied()).collect()
                }
                _ => continue,
            };
            let merge = k.checked_sub(1).map(|m| &list[m]);
            let merge = merge.filter(|m| matches!(self.opcode(m), op::SELECTION_MERGE | op::LOOP_MERGE));
            for way in ways {
                let branch = (i.clone(), vec![2 << 16 | op::BRANCH, way]);
                if let Some(m) = merge {
                    out.push(WordEdit(vec![(m.clone(), Vec::new()), branch.clone()]));
                }
                out.push(WordEdit(vec![branch]));
            }
        }
        out
    }

    /// What an instruction reads becomes something of the same type that was made earlier.
    fn operands(&self) -> Vec<WordEdit> {
        let values = self.values();
        let list = self.instructions();
        let mut first: BTreeMap<u32, Vec<(usize, u32)>> = BTreeMap::new();
        for (&id, &(ty, at)) in &values {
            first.entry(ty).or_default().push((at, id));
        }
        first.values_mut().for_each(|v| v.sort_unstable());
        let mut out = Vec::new();
        for i in &list {
            for at in i.start + 3..i.end {
                let Some(&(ty, made)) = values.get(&self.words[at]) else { continue };
                // The first of its type, and what it was made of.
                let earliest = first[&ty].first().filter(|e| e.0 < made).map(|e| e.1);
                let of_same = self.made_of(made, ty, &values, &list);
                for id in earliest.into_iter().chain(of_same) {
                    out.push(WordEdit(vec![(at..at + 1, vec![id])]));
                }
            }
        }
        out
    }

    /// The nearest values of a type that an instruction's result was made of, through values of other types.
    fn made_of(&self, made: usize, ty: u32, values: &BTreeMap<u32, (u32, usize)>, list: &[Range<usize>]) -> Vec<u32> {
        const DEPTH: usize = 4;
        let (mut out, mut level) = (Vec::new(), vec![made]);
        for _ in 0..DEPTH {
            let mut next = Vec::new();
            for k in level {
                for w in self.words[list[k].clone()].iter().skip(3) {
                    match values.get(w) {
                        Some(v) if v.0 == ty && !out.contains(w) => out.push(*w),
                        // An operand comes from before, but for those of merges of ways.
                        Some(v) if v.0 != ty && v.1 < k && !next.contains(&v.1) => next.push(v.1),
                        _ => {}
                    }
                }
            }
            level = next;
        }
        out
    }
}
