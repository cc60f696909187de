//! Who needs helper lanes: where a quad must still be whole, and which values helpers have to compute.
//!
//! A derivative, or a sample whose level the quad gives, reads its operands in all four lanes; a read of another lane may. So helpers must run up to the
//! last of these, and what feeds their operands must be computed in helpers too, with the branches that decide it.

use crate::entity::{EntitySet, SecondaryMap};
use crate::function::{Function, ValueDef};
use crate::inst::{Block, Inst, Value};
use crate::ops::{Op, OpAttrs};

/// The result of the analysis.
#[derive(Clone, Debug)]
pub struct Helpers {
    /// The last instruction of each block that needs helpers.
    last: SecondaryMap<Block, Option<Inst>>,
    /// Blocks from which such an instruction may still be reached, without what the block itself has.
    behind: EntitySet<Block>,
    /// Values that helpers must compute.
    slice: EntitySet<Value>,
}

impl Helpers {
    /// Computes it, for a function without calls.
    pub fn new(f: &Function) -> Helpers {
        let mut h =
            Helpers { last: SecondaryMap::with_default(None), behind: EntitySet::new(), slice: EntitySet::new() };
        let mut work: Vec<Value> = Vec::new();
        for (b, i) in f.insts_in_order() {
            // A lane of the quad is read like any other.
            if f.insts[i].op.has(OpAttrs::needs_helpers) || f.insts[i].op == Op::LaneRead {
                h.last[b] = Some(i);
                work.extend(f.insts[i].args.iter().copied());
            }
        }
        let preds = f.preds();
        let mut reach: Vec<Block> = f.layout.iter().copied().filter(|&b| h.last[b].is_some()).collect();
        while let Some(b) = reach.pop() {
            for &p in &preds[b] {
                if h.behind.insert(p) {
                    reach.push(p);
                }
            }
        }
        // Whether lanes come to such an instruction is decided by the branches before it.
        for &b in &f.layout {
            if h.behind.contains(b) {
                work.extend(f.insts[f.terminator(b)].args.iter().copied());
            }
        }
        while let Some(v) = work.pop() {
            if !h.slice.insert(v) {
                continue;
            }
            match f.values[v].def {
                ValueDef::Inst(i, _) => work.extend(f.insts[i].args.iter().copied()),
                ValueDef::Param(b, n) => {
                    for (p, e) in f.edges_to(b, &preds[b]) {
                        work.push(e.args[n as usize]);
                        work.extend(f.insts[f.terminator(p)].args.iter().copied());
                    }
                }
                ValueDef::Const(_) | ValueDef::Undef => {}
            }
        }
        h
    }

    /// Whether anything needs helpers.
    pub fn any(&self, f: &Function) -> bool {
        f.layout.iter().any(|&b| self.last[b].is_some())
    }
    /// The last instruction of a block that needs them.
    pub fn last(&self, b: Block) -> Option<Inst> {
        self.last[b]
    }
    /// Whether one that needs them may follow behind the end of a block.
    pub fn behind(&self, b: Block) -> bool {
        self.behind.contains(b)
    }
    /// Whether helpers must compute a value.
    pub fn computes(&self, v: Value) -> bool {
        self.slice.contains(v)
    }
}
