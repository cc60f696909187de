//! How many iterations loops have, and how often blocks run, where constants say so.
//!
//! The count of a loop is found by executing its exit condition on constants: it may depend on one parameter of the loop, which
//! is computed from itself and constants.

use crate::analysis::{ConstructId, DomTree, Structure};
use crate::{Block, Const, Function, Loc, SecondaryMap, Value, ValueDef, eval};
use smallvec::SmallVec;

/// Turns of a loop of which nothing is known.
pub const UNKNOWN: u64 = 8;
/// Turns that are counted one by one.
const COUNTED: u32 = 1 << 10;
/// Blocks that only jump, between the ends of a loop and its test.
const NEAR: usize = 4;
/// No block is said to run more often.
const MOST: u64 = 1 << 40;

/// How often each block runs if every condition lets it: the product of the iterations of the loops around it. Where a loop has several
/// ways out the counted one decides; where none is counted it has [`UNKNOWN`] iterations.
pub fn runs(f: &Function) -> SecondaryMap<Block, u64> {
    let mut times = SecondaryMap::with_default(1);
    if f.layout.iter().all(|&b| f.blocks[b].header.is_none()) {
        return times;
    }
    let s = Structure::new(f, &DomTree::new(f));
    let of = rounds(f, &s);
    for &b in &f.layout {
        if let Some(l) = s.loop_of(b) {
            times[b] = of[l].1;
        }
    }
    times
}

/// Iterations of each loop, if constants say them, and how often its body runs in all.
fn rounds(f: &Function, s: &Structure) -> SecondaryMap<ConstructId, (Option<u32>, u64)> {
    let mut preds: SecondaryMap<Block, SmallVec<[Block; 2]>> = SecondaryMap::new();
    for &b in &f.layout {
        for t in f.succs(b) {
            preds[t].push(b);
        }
    }
    // Outer loops come before inner ones.
    let mut of: SecondaryMap<ConstructId, (Option<u32>, u64)> = SecondaryMap::with_default((None, 1));
    for l in s.loops() {
        let around = s.enclosing(s.constructs[l].parent).find(|&k| s.is_loop(k)).map_or(1, |k| of[k].1);
        let own = iterations(f, s, l, &preds);
        of[l] = (own, (around * own.map_or(UNKNOWN, u64::from)).min(MOST));
    }
    of
}

/// A loop, for those who want to know what estimates assume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loop {
    /// Where it is left, else where it begins.
    pub loc: Loc,
    /// How many loops it lies in, itself included.
    pub depth: u32,
    /// The iterations, if constants say them; estimates assume [`UNKNOWN`] otherwise.
    pub rounds: Option<u32>,
    /// How often its body runs, with the loops around it.
    pub runs: u64,
}

/// All loops, outer before inner.
pub fn loops(f: &Function) -> Vec<Loop> {
    if f.layout.iter().all(|&b| f.blocks[b].header.is_none()) {
        return Vec::new();
    }
    let s = Structure::new(f, &DomTree::new(f));
    let of = rounds(f, &s);
    let one = |l: ConstructId| {
        let c = &s.constructs[l];
        let blocks = s.blocks(f, l);
        let leaves = blocks.iter().find(|&&b| f.succs(b).contains(&c.merge)).map(|&b| f.insts[f.terminator(b)].loc);
        let first =
            blocks.iter().flat_map(|&b| &f.blocks[b].insts).map(|&i| f.insts[i].loc).find(|l| *l != Loc::UNKNOWN);
        let loc = leaves.filter(|l| *l != Loc::UNKNOWN).or(first).unwrap_or(Loc::UNKNOWN);
        Loop { loc, depth: c.loop_depth, rounds: of[l].0, runs: of[l].1 }
    };
    s.loops().map(one).collect()
}

/// Turns of a loop: how often its body runs, at least once.
fn iterations(
    f: &Function,
    s: &Structure,
    l: ConstructId,
    preds: &SecondaryMap<Block, SmallVec<[Block; 2]>>,
) -> Option<u32> {
    let c = &s.constructs[l];
    let (mut latches, mut entries) = (Vec::new(), Vec::new());
    for &b in &preds[c.header] {
        if s.contains(l, b) { latches.push(b) } else { entries.push(b) }
    }
    let ([latch], [before]) = (&latches[..], &entries[..]) else { return None };
    // The test may stand in front of an edge's own block, or behind the header's.
    let alone = |b: Block| f.insts[f.terminator(b)].as_br().is_none() && f.succs(b).len() == 1;
    let next = |b: Block| f.succs(b)[0];
    let mut top = c.header;
    for _ in 0..NEAR {
        if !alone(top) || preds[next(top)].len() != 1 {
            break;
        }
        top = next(top);
    }
    let mut bottom = *latch;
    for _ in 0..NEAR {
        if bottom == c.header || !alone(bottom) || preds[bottom].len() != 1 {
            break;
        }
        bottom = preds[bottom][0];
    }
    [top, bottom].into_iter().find_map(|at| {
        let t = f.terminator(at);
        let [then, other] = f.insts[t].as_br()?;
        let leaves = match (then.block == c.merge, other.block == c.merge) {
            (true, false) => true,
            (false, true) => false,
            _ => return None,
        };
        let stays = count(f, (c.header, *before, *latch), (f.insts[t].args[0], leaves), COUNTED)?;
        // A test at the top runs once more than the body, a test at the bottom as often.
        Some(if at == bottom { stays + 1 } else { stays.max(1) })
    })
}

/// How often the condition says "stay" before it says "leave".
///
/// `header`, `before` and `latch` are the loop's header, the block that enters it and the one that goes round; the condition is of a
/// `br` that leaves the loop if it is `leaves`. Counts above `most` are not looked for.
pub fn count(
    f: &Function,
    (header, before, latch): (Block, Block, Block),
    (cond, leaves): (Value, bool),
    most: u32,
) -> Option<u32> {
    let arg = |from: Block, n: usize| {
        let edges = f.edges(from);
        let mut to = edges.iter().filter(|e| e.block == header);
        let e = to.next()?;
        to.next().is_none().then(|| e.args[n])
    };
    let mut found = Vec::new();
    params(f, header, cond, &mut found, 24)?;
    let [p] = found[..] else {
        // A condition of constants alone: leaves at once or never.
        let c = found.is_empty().then(|| value(f, cond, None))??;
        return ((c.bits[0] != 0) == leaves).then_some(0);
    };
    let ValueDef::Param(_, n) = f.values[p].def else { return None };
    let (start, next) = (arg(before, n as usize)?, arg(latch, n as usize)?);
    let mut own = Vec::new();
    params(f, header, next, &mut own, 24)?;
    if own != [p] && !own.is_empty() {
        return None;
    }
    let mut now = f.as_const(start)?.clone();
    for trips in 0..=most {
        let c = value(f, cond, Some((p, &now)))?;
        if (c.bits[0] != 0) == leaves {
            return Some(trips);
        }
        now = value(f, next, Some((p, &now)))?;
    }
    None
}

/// The header's parameters that a value depends on; `None` if on anything else that is no constant.
pub fn params(f: &Function, header: Block, v: Value, found: &mut Vec<Value>, depth: u32) -> Option<()> {
    match f.values[v].def {
        ValueDef::Const(_) => Some(()),
        ValueDef::Param(b, _) if b == header => {
            if !found.contains(&v) {
                found.push(v);
            }
            Some(())
        }
        ValueDef::Inst(i, _) if depth > 0 && f.insts[i].op.is_speculatable() && !f.insts[i].args.is_empty() => {
            f.insts[i].args.iter().try_for_each(|&a| params(f, header, a, found, depth - 1))
        }
        _ => None,
    }
}

fn value(f: &Function, v: Value, param: Option<(Value, &Const)>) -> Option<Const> {
    if let Some((p, c)) = param
        && p == v
    {
        return Some(c.clone());
    }
    if let Some(c) = f.as_const(v) {
        return Some(c.clone());
    }
    let i = f.def_inst(v)?;
    let d = &f.insts[i];
    let args: Option<Vec<Const>> = d.args.iter().map(|&a| value(f, a, param)).collect();
    let args = args?;
    eval::apply(d.op, &d.attr, f.ty(v), &args.iter().collect::<Vec<_>>())
}
