//! Constants that are stored into a variable before all its loads, wherever that is, are stored in the entry block.
//!
//! ```text
//! block0: ..                                        block0: ..
//! block3: store [1, 2, 3, 4], local0[0]    ==>              store [1, 2, 3, 4], local0[0]
//!         v1 = load local0[0 + v0]                  block3: v1 = load local0[0 + v0]
//! ```
//!
//! A frontend puts a constant array that is indexed into a variable where the index stands. In the entry block families with memory for
//! constants know it as a table (`gpucc_driver::Tables`).
//!
//! Needs: the blocks in structured order. Keeps: the CFG. Leaves alone: variables without a dynamic load, those with a store of something else than words of
//! constants at a known place, and those with a store that a load can pass by.

use crate::PassCx;
use gpucc_ir::{Attr, Block, Function, Inst, Local, Op, Place, SecondaryMap};

/// What is known of a variable.
#[derive(Clone, Default)]
struct Facts {
    /// Its stores in the order of the code, with their blocks.
    stores: Vec<(Block, Inst)>,
    /// Blocks with a load in front of which all stores so far stand.
    loads: Vec<Block>,
    dynamic: bool,
    bad: bool,
}

/// Moves stores of constants to the entry block.
pub fn run(f: &mut Function, cx: &mut PassCx<'_>) {
    let mut all: SecondaryMap<Local, Facts> = SecondaryMap::with_default(Facts::default());
    for (b, i) in f.insts_in_order() {
        let d = &f.insts[i];
        let (Attr::Mem(m) | Attr::Atomic(_, m)) = &d.attr else {
            if let Attr::Place(Place::Local(l)) = d.attr {
                all[l].bad = true;
            }
            continue;
        };
        let Place::Local(l) = m.place else { continue };
        let facts = &mut all[l];
        match d.op {
            Op::Load if m.flags.is_plain() => {
                facts.dynamic |= d.dyn_offset().is_some_and(|v| f.const_bits(v).is_none());
                if facts.loads.last() != Some(&b) {
                    facts.loads.push(b);
                }
            }
            // A store behind a load in the order of the code is none that the load needs.
            Op::Store if m.flags.is_plain() && facts.loads.is_empty() => {
                let words = f.as_const(d.args[0]).is_some_and(|c| c.ty.bits() == 32);
                facts.bad |= d.dyn_offset().is_some() || !words;
                facts.stores.push((b, i));
            }
            _ => facts.bad = true,
        }
    }
    let entry = f.entry();
    let mut moved: Vec<(Block, Inst)> = Vec::new();
    for l in f.locals.keys() {
        let x = &all[l];
        let outside = x.stores.iter().any(|s| s.0 != entry);
        if x.bad || !x.dynamic || !outside {
            continue;
        }
        let dom = cx.dom(f);
        // Each store stands in front of the next, and the last in front of all loads: whatever is gone around, all of them are done again in
        // this order before a load.
        let chain = x.stores.windows(2).all(|w| dom.dominates(w[0].0, w[1].0));
        let last = x.stores[x.stores.len() - 1].0;
        if chain && x.loads.iter().all(|&b| dom.dominates(last, b)) && cx.change() {
            moved.extend(x.stores.iter().filter(|s| s.0 != entry));
        }
    }
    for &(b, i) in &moved {
        f.blocks[b].insts.retain(|x| *x != i);
    }
    let at = f.blocks[entry].insts.len().saturating_sub(1);
    f.blocks[entry].insts.insert_many(at, moved.iter().map(|m| m.1));
}
