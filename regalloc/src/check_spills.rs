//! The checker of spill code: what is loaded is what was stored there, on every path, and nothing of the program is lost.
//!
//! It compares the problem before spilling with the one after, believing nothing of the plan: instructions that are not
//! marked as spill code must be the old ones in their order with the same operands, edges must pass the same arguments to
//! the parameters that are left, and each marked load must find its value in its slot. That is shown backwards from the
//! load: the last thing that happened to each word must be a store of the value, after its last definition. A parameter
//! that is gone is its argument on each edge.

use std::collections::BTreeSet;

use crate::problem::{BlockId, Cfg, Problem, Role, SpillCode, Value};

/// A store or a definition, by position in its block.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct WordEvent {
    space: u8,
    word: u32,
    at: u32,
    value: Value,
    component: u16,
}

/// The effect of a block on memory and on names.
struct Facts {
    /// Writes of words, ordered by word, then position.
    words: Vec<WordEvent>,
    /// Definitions that are no spill code, ordered by value, then position.
    defs: Vec<(Value, u32)>,
}

/// That a word holds a component of a value at some point of a block.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Claim {
    block: BlockId,
    space: u8,
    word: u32,
    value: Value,
    component: u16,
}

/// Checks that `after`, whose spill code is marked, computes what `before` does.
///
/// # Errors
/// The first thing found wrong, in words.
pub fn check_spills(before: &Problem, after: &Problem) -> Result<(), String> {
    if before.blocks.len() != after.blocks.len() {
        return Err("spilling changed the number of blocks".into());
    }
    // The block of each parameter that is no parameter any more, and its position there.
    let mut gone: Vec<(BlockId, u32)> = vec![(BlockId::MAX, 0); after.value_count()];
    let mut stays = vec![false; after.value_count()];
    for v in (0..after.blocks.len() as BlockId).flat_map(|b| after.params(b)) {
        stays[v.index()] = true;
    }
    for b in 0..before.blocks.len() as BlockId {
        instructions(before, after, b).map_err(|e| format!("block {b}: {e}"))?;
        for (k, v) in before.params(b).iter().enumerate() {
            if !stays[v.index()] {
                gone[v.index()] = (b, k as u32);
            }
        }
        edges(before, after, b, &stays)?;
    }
    let preds = [before.preds(Cfg::Logical), before.preds(Cfg::Linear)];
    let facts: Vec<Facts> = (0..after.blocks.len() as BlockId).map(|b| facts(after, b)).collect();
    let mut seen: BTreeSet<Claim> = BTreeSet::new();
    let mut work: Vec<(Claim, u32)> = Vec::new();
    for b in 0..after.blocks.len() as BlockId {
        let block = &after.blocks[b as usize];
        for i in block.insts.clone() {
            if let Some(SpillCode::Load(value, slot)) = after.spill(i) {
                for component in 0..slot.units {
                    let word = slot.word + u32::from(component);
                    let claim = Claim { block: b, space: slot.space, word, value, component };
                    work.push((claim, i - block.insts.start));
                }
            }
        }
    }
    while let Some((claim, at)) = work.pop() {
        let Claim { block, space, word, value, component } = claim;
        let place =
            || format!("block {block}: word {word} of spill memory {space}, which should hold {value:?}.{component}");
        let f = &facts[block as usize];
        // The only edge into a block may have its code at the start of the block: there a parameter is its argument.
        let here = |v: Value| -> Option<Value> {
            let (b, k) = gone[v.index()];
            let preds = &preds[before.cfg(v) as usize][block as usize];
            if b != block || preds.len() != 1 {
                return None;
            }
            let e = before.succs(preds[0], before.cfg(v)).find(|e| e.to == block)?;
            e.args.get(k as usize).copied()
        };
        let to = f.words.partition_point(|e| (e.space, e.word, e.at) < (space, word, at));
        let write = f.words[..to].last().filter(|e| (e.space, e.word) == (space, word));
        let to = f.defs.partition_point(|&d| d < (value, at));
        let def = f.defs[..to].last().filter(|d| d.0 == value).map(|d| d.1);
        if let Some(w) = write {
            let same = w.value == value || here(value) == Some(w.value);
            if !same || w.component != component {
                return Err(format!("{}, is overwritten by {:?}.{}", place(), w.value, w.component));
            }
            if def.is_some_and(|d| d >= w.at) {
                return Err(format!("{}, holds it from before it was defined again", place()));
            }
            continue;
        }
        if def.is_some() {
            return Err(format!("{}, is never written after it was defined", place()));
        }
        if !seen.insert(claim) {
            continue;
        }
        let cfg = before.cfg(value);
        if block == 0 {
            return Err(format!("{}, is never written", place()));
        }
        if stays[value.index()] && after.params(block).contains(&value) {
            return Err(format!("{}, is never written after the block began with it", place()));
        }
        for &q in &preds[cfg as usize][block as usize] {
            let end = after.blocks[q as usize].insts.len() as u32;
            let mut value = value;
            let (b, k) = gone[value.index()];
            if b == block {
                let args = before.succs(q, cfg).filter(|e| e.to == block).map(|e| e.args);
                let Some(&arg) = args.clone().next().and_then(|a| a.get(k as usize)) else {
                    return Err(format!("{}, has no argument from block {q}", place()));
                };
                value = arg;
            }
            work.push((Claim { block: q, value, ..claim }, end));
        }
    }
    Ok(())
}

/// The instructions that are not marked are those of `before`; such as are computed again elsewhere may be missing.
fn instructions(before: &Problem, after: &Problem, b: BlockId) -> Result<(), String> {
    let mut old = before.blocks[b as usize].insts.clone();
    for i in after.blocks[b as usize].insts.clone().filter(|&i| after.spill(i).is_none()) {
        let found = old.find(|&o| before.operands(o) == after.operands(i) && before.clobbers(o) == after.clobbers(i));
        if found.is_none() {
            return Err(format!("instruction {i} was not there or is out of order"));
        }
    }
    // An instruction dropped on the way had no use but to define values that are computed again (liveness sees to the rest).
    let count = |p: &Problem| {
        let all = p.blocks[b as usize].insts.clone().filter(|&i| p.spill(i).is_none());
        all.filter(|&i| p.operands(i).iter().any(|o| o.role == Role::Use) || p.operands(i).is_empty()).count()
    };
    if count(before) != count(after) {
        return Err("an instruction is lost".into());
    }
    Ok(())
}

fn edges(before: &Problem, after: &Problem, b: BlockId, stays: &[bool]) -> Result<(), String> {
    for cfg in [Cfg::Logical, Cfg::Linear] {
        let (old, new) = (before.succs(b, cfg), after.succs(b, cfg));
        if old.len() != new.len() || old.clone().zip(new.clone()).any(|(o, n)| o.to != n.to) {
            return Err(format!("block {b} has other successors"));
        }
        for (o, n) in old.zip(new) {
            let kept = before.params(o.to).iter().zip(o.args).filter(|(q, _)| stays[q.index()]);
            let params = kept.clone().map(|(q, _)| q).eq(after.params(o.to));
            if !params || !kept.map(|(_, a)| a).eq(n.args) {
                return Err(format!("the edge from block {b} to {} has other arguments", o.to));
            }
        }
    }
    Ok(())
}

fn facts(p: &Problem, b: BlockId) -> Facts {
    let mut f = Facts { words: Vec::new(), defs: Vec::new() };
    let block = &p.blocks[b as usize];
    for i in block.insts.clone() {
        let at = i - block.insts.start;
        match p.spill(i) {
            Some(SpillCode::Store(value, slot)) => {
                for component in 0..slot.units {
                    let word = slot.word + u32::from(component);
                    f.words.push(WordEvent { space: slot.space, word, at, value, component });
                }
            }
            Some(_) => {}
            None => f.defs.extend(p.operands(i).iter().filter(|o| o.role != Role::Use).map(|o| (o.value, at))),
        }
    }
    f.words.sort_unstable();
    f.defs.sort_unstable();
    f
}
