//! Which values are needed where.

use crate::entity::{EntitySet, SecondaryMap};
use crate::function::{Function, ValueDef};
use crate::inst::{Block, Value};

/// Values live at block boundaries. Constants and undef are never live. Parameters are defined by their block, so they
/// are in no `live_in`; arguments are used at the end of the source block.
#[derive(Clone, Debug)]
pub struct Liveness {
    live_in: SecondaryMap<Block, EntitySet<Value>>,
    live_out: SecondaryMap<Block, EntitySet<Value>>,
}

impl Liveness {
    /// Computes liveness by iteration over the layout, backwards.
    pub fn new(f: &Function) -> Liveness {
        let mut l = Liveness { live_in: SecondaryMap::new(), live_out: SecondaryMap::new() };
        let tracked = |v: Value| matches!(f.values[v].def, ValueDef::Inst(..) | ValueDef::Param(..));
        // Upward exposed uses and definitions once; then only sets move.
        let mut defs: SecondaryMap<Block, EntitySet<Value>> = SecondaryMap::new();
        for &b in &f.layout {
            let mut d: EntitySet<Value> = f.blocks[b].params.iter().copied().collect();
            let mut uses: EntitySet<Value> = EntitySet::new();
            for &i in &f.blocks[b].insts {
                f.insts[i].for_each_use(|v| {
                    if tracked(v) && !d.contains(v) {
                        uses.insert(v);
                    }
                });
                d.extend(f.insts[i].results);
            }
            l.live_in[b] = uses;
            defs[b] = d;
        }
        let mut changed = true;
        while changed {
            changed = false;
            for &b in f.layout.iter().rev() {
                let mut more = false;
                for s in f.succs(b) {
                    more |= l.live_out[b].union_with(&l.live_in[s]);
                }
                changed |= more && l.live_in[b].union_without(&l.live_out[b], &defs[b]);
            }
        }
        l
    }
    /// Values defined before a block and needed in it or after it.
    pub fn live_in(&self, b: Block) -> &EntitySet<Value> {
        &self.live_in[b]
    }
    /// Values needed in successors, without edge arguments.
    pub fn live_out(&self, b: Block) -> &EntitySet<Value> {
        &self.live_out[b]
    }
}
