//! The checker: replays an allocation symbolically and believes nothing.
//!
//! It follows which component of which value each unit holds. The places claimed for the start of a block are an
//! inductive invariant: what they say is all that is known there, and every edge into the block, on the graph of each
//! file, must establish it. It shares no code with the allocator beyond the description of the problem.

use std::collections::BTreeSet;

use crate::colour::{Allocation, At, Move, ParallelCopy};
use crate::problem::{BlockId, Cfg, Constraint, InstId, Problem, Role, Value};
use crate::units::Placement;

/// The contents of a unit: component of a value.
type Content = Option<(Value, u16)>;

struct Machine<'a> {
    p: &'a Problem,
    units: Vec<Vec<Content>>,
}

impl Machine<'_> {
    fn holds(&self, v: Value, place: Placement) -> Result<(), String> {
        let file = self.p.file(v) as usize;
        let shape = self.p.shape(v);
        if place.len() != shape.units {
            return Err(format!("{v:?} has {} units but is placed in {place:?}", shape.units));
        }
        for (c, u) in place.units().enumerate() {
            match self.units[file].get(u as usize) {
                Some(&Some((w, d))) if w == v && d as usize == c => {}
                Some(content) => {
                    return Err(format!(
                        "{v:?}.{c} is expected in {} unit {u}, which holds {content:?}",
                        self.p.files[file].name
                    ));
                }
                None => return Err(format!("{v:?} lies outside {}", self.p.files[file].name)),
            }
        }
        Ok(())
    }

    fn put(&mut self, v: Value, place: Placement) {
        let units = &mut self.units[self.p.file(v) as usize];
        for content in units.iter_mut() {
            if content.is_some_and(|(w, _)| w == v) {
                *content = None;
            }
        }
        for (c, u) in place.units().enumerate() {
            units[u as usize] = Some((v, c as u16));
        }
    }

    fn parallel(&mut self, moves: &[Move]) -> Result<(), String> {
        let mut writes = Vec::new();
        for m in moves {
            let units = &self.units[m.file as usize];
            if m.dst.len() != m.src.len() {
                return Err(format!("move of {:?} to {:?}", m.src, m.dst));
            }
            for (d, s) in m.dst.units().zip(m.src.units()) {
                if writes.iter().any(|&(f, u, _)| f == m.file && u == d) {
                    return Err(format!("unit {d} is written twice by one parallel copy"));
                }
                writes.push((m.file, d, units[s as usize]));
            }
        }
        for (f, u, content) in writes {
            self.units[f as usize][u as usize] = content;
        }
        Ok(())
    }

    fn load(&mut self, claims: &[(Value, Placement)]) -> Result<(), String> {
        for f in &mut self.units {
            f.fill(None);
        }
        for &(v, place) in claims {
            let f = self.p.file(v) as usize;
            if place.units().any(|u| self.units[f].get(u as usize) != Some(&None)) {
                return Err(format!("{v:?} overlaps another value in {place:?}"));
            }
            self.put(v, place);
        }
        Ok(())
    }
}

/// Checks an allocation.
///
/// # Errors
/// The first thing found wrong, in words.
pub fn check(p: &Problem, a: &Allocation) -> Result<(), String> {
    let blank: Vec<Vec<Content>> = p.files.iter().map(|f| vec![None; f.units as usize]).collect();
    let mut m = Machine { p, units: blank };
    let mut copies: Vec<&ParallelCopy> = a.copies.iter().filter(|c| matches!(c.at, At::Before(_))).collect();
    copies.sort_by_key(|c| match c.at {
        At::Before(i) => i,
        _ => 0,
    });
    let mut edge_copies: Vec<&ParallelCopy> = a.copies.iter().filter(|c| !matches!(c.at, At::Before(_))).collect();
    let edge_key = |at: At| match at {
        At::End(b, cfg) => (0u8, b, cfg as u8),
        At::Start(b, cfg) => (1, b, cfg as u8),
        At::Before(_) => (2, 0, 0),
    };
    edge_copies.sort_by_key(|c| edge_key(c.at));
    let preds = [p.preds(Cfg::Logical), p.preds(Cfg::Linear)];
    let fixed: BTreeSet<(Value, Placement)> = p
        .operands
        .iter()
        .filter_map(|o| match o.constraint {
            Constraint::Fixed(at) => Some((o.value, at)),
            Constraint::Any | Constraint::Tied(_) => None,
        })
        .collect();
    for (b, block) in p.blocks.iter().enumerate() {
        let b = b as BlockId;
        let at = |e: String| format!("block {b}: {e}");
        m.load(&a.entry[b as usize]).map_err(at)?;
        for i in block.insts.clone() {
            let wrong = |e: String| format!("block {b}, instruction {i}: {e}");
            let from = copies.partition_point(|c| matches!(c.at, At::Before(j) if j < i));
            for c in copies[from..].iter().take_while(|c| c.at == At::Before(i)) {
                let late = block.logical_end.is_some_and(|e| i > e)
                    && c.moves.iter().any(|m| p.files[m.file as usize].cfg == Cfg::Logical);
                if late {
                    return Err(wrong("a copy of a logical file after the logical end".into()));
                }
                m.parallel(&c.moves).map_err(wrong)?;
            }
            inst(p, a, &fixed, &mut m, i).map_err(wrong)?;
        }
        let end = m.units.clone();
        for cfg in [Cfg::Logical, Cfg::Linear] {
            for e in p.succs(b, cfg) {
                let wrong = |s: String| format!("edge from block {b} to {} ({cfg:?}): {s}", e.to);
                m.units.clone_from(&end);
                let single = p.succs(b, cfg).len() == 1;
                let ends = find(&edge_copies, edge_key(At::End(b, cfg)), edge_key);
                let starts = find(&edge_copies, edge_key(At::Start(e.to, cfg)), edge_key);
                if !ends.is_empty() && !single {
                    return Err(wrong("copies at the end of a block with several successors".into()));
                }
                if !starts.is_empty() && preds[cfg as usize][e.to as usize].len() != 1 {
                    return Err(wrong("copies at the start of a block with several predecessors".into()));
                }
                for c in ends.iter().chain(starts) {
                    if c.moves.iter().any(|m| p.files[m.file as usize].cfg != cfg) {
                        return Err(wrong("a copy of a file that lives on the other graph".into()));
                    }
                    m.parallel(&c.moves).map_err(wrong)?;
                }
                let params = p.params(e.to);
                for &(v, place) in &a.entry[e.to as usize] {
                    if p.cfg(v) != cfg {
                        continue;
                    }
                    let from = match params.iter().position(|&q| q == v) {
                        Some(k) => e.args.get(k).copied().unwrap_or(Value::NONE),
                        None => v,
                    };
                    if from.is_none() {
                        return Err(wrong(format!("no argument for {v:?}")));
                    }
                    m.holds(from, place).map_err(wrong)?;
                }
            }
        }
    }
    Ok(())
}

fn find<'c, 'p>(
    list: &'c [&'p ParallelCopy],
    key: (u8, u32, u8),
    key_of: impl Fn(At) -> (u8, u32, u8),
) -> &'c [&'p ParallelCopy] {
    let from = list.partition_point(|c| key_of(c.at) < key);
    let to = list.partition_point(|c| key_of(c.at) <= key);
    &list[from..to]
}

fn inst(
    p: &Problem,
    a: &Allocation,
    fixed: &BTreeSet<(Value, Placement)>,
    m: &mut Machine<'_>,
    i: InstId,
) -> Result<(), String> {
    let base = p.first_operand(i);
    let ops = p.operands(i);
    let place = |k: usize| a.operands[base + k];
    for (k, o) in ops.iter().enumerate() {
        let at = place(k);
        let file = &p.files[p.file(o.value) as usize];
        match o.constraint {
            Constraint::Fixed(want) => {
                if at != want {
                    return Err(format!("operand {k} is in {at:?}, not in {want:?}"));
                }
            }
            Constraint::Any | Constraint::Tied(_) => {
                // Where some constraint fixes it, it may stay although its shape would not ask for that place.
                if !p.shape(o.value).allows(file, at) && !fixed.contains(&(o.value, at)) {
                    return Err(format!("operand {k}: {at:?} is not a place for {:?}", p.shape(o.value)));
                }
            }
        }
        if let Constraint::Tied(t) = o.constraint
            && place(t as usize) != at
        {
            return Err(format!("operand {k} in {at:?} is tied to {:?}", place(t as usize)));
        }
        if o.role == Role::Use {
            m.holds(o.value, at).map_err(|e| format!("operand {k}: {e}"))?;
        }
    }
    let overlap = |k: usize, j: usize| p.file(ops[k].value) == p.file(ops[j].value) && place(k).overlaps(place(j));
    for k in 0..ops.len() {
        for j in 0..ops.len() {
            let (x, y) = (ops[k].role, ops[j].role);
            let clash = match (x, y) {
                (Role::EarlyDef, Role::Use) => ops[k].constraint != Constraint::Tied(j as u8),
                (Role::Use, _) | (_, Role::Use) => false,
                _ => k != j,
            };
            if clash && overlap(k, j) {
                return Err(format!("operands {k} and {j} overlap"));
            }
        }
    }
    for &(f, units) in p.clobbers(i) {
        for u in units.units() {
            m.units[f as usize][u as usize] = None;
        }
        if (0..ops.len()).any(|k| ops[k].role != Role::Use && p.file(ops[k].value) == f && place(k).overlaps(units)) {
            return Err("a definition lies in a clobbered place".into());
        }
    }
    for (k, o) in ops.iter().enumerate() {
        if o.role != Role::Use {
            m.put(o.value, place(k));
        }
    }
    Ok(())
}
