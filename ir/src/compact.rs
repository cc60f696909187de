//! A function without what passes left behind, its parts in the order of the code, terminators apart.
//!
//! Passes drop instructions from blocks and blocks from the layout, but the arenas keep them, and what replaces them comes
//! at the end. A walk over the code then jumps about in memory, which is most of its cost once a function is larger than the
//! cache. The text of the function stays the same: the printer numbers in layout order, too.

use crate::entity::{Entity, SecondaryMap};
use crate::function::{BlockData, Function, LoopHeader, ValueData, ValueDef};
use crate::inst::{Attr, Block, Inst, InstData, Value};
use crate::ops::Op;
use crate::results::Results;
use smallvec::SmallVec;

/// Functions with fewer instructions lie in the cache however they lie.
const LARGE: usize = 512;

impl Function {
    /// Whether the place of its parts in memory matters.
    pub fn is_large(&self) -> bool {
        self.insts.len() >= LARGE
    }

    /// Whether a quarter of the blocks or instructions is gone from the layout, or lies elsewhere than behind what comes before it
    /// there.
    pub fn is_scattered(&self) -> bool {
        let (mut blocks, mut insts, mut live) = (0, 0, 0);
        let (mut last_block, mut last_inst, mut last_end) = (0, 0, 0);
        for &b in &self.layout {
            blocks += usize::from(b.index().wrapping_sub(last_block) > 1);
            last_block = b.index();
            let Some((&end, others)) = self.blocks[b].insts.split_last() else { continue };
            for &i in others {
                insts += usize::from(i.index().wrapping_sub(last_inst) > 1);
                last_inst = i.index();
            }
            insts += usize::from(end.index().wrapping_sub(last_end) > 1);
            last_end = end.index();
            live += others.len() + 1;
        }
        let (blocks, insts) = (blocks + self.blocks.len() - self.layout.len(), insts + self.insts.len() - live);
        4 * blocks > self.blocks.len() || 4 * insts > self.insts.len()
    }

    /// Numbers blocks, instructions and values anew in layout order and forgets what the layout does not reach. Indices from
    /// before mean nothing afterwards; but gives whether blocks have kept theirs.
    pub fn compact(&mut self) -> bool {
        let kept =
            self.layout.iter().enumerate().all(|(k, b)| b.index() == k) && self.layout.len() == self.blocks.len();
        let mut old = std::mem::take(self);
        let mut new = Function::default();
        std::mem::swap(&mut new.name, &mut old.name);
        std::mem::swap(&mut new.ret, &mut old.ret);
        std::mem::swap(&mut new.locals, &mut old.locals);
        let mut blocks: SecondaryMap<Block, Option<Block>> = SecondaryMap::with_default(None);
        let mut values: SecondaryMap<Value, Option<Value>> = SecondaryMap::with_default(None);
        new.blocks.reserve(old.layout.len());
        new.layout.reserve(old.layout.len());
        // Passes add some: the first of them is no reason to move all.
        let insts: usize = old.layout.iter().map(|&b| old.blocks[b].insts.len()).sum();
        new.insts.reserve(insts + insts / 4);
        new.values.reserve(old.values.len());
        values.reserve(old.values.len());
        // Each instruction is in the layout once: it can be moved.
        let mut moved = |i: Inst| {
            let nothing = InstData::new(Op::Unreachable, &[], Attr::None);
            std::mem::replace(&mut old.insts[i], nothing)
        };
        // Terminators first and all together: walks over the graph read nothing else of the instructions.
        for &b in &old.layout {
            let n = new.add_block();
            blocks[b] = Some(n);
            if let Some(i) = old.blocks[b].insts.pop() {
                let i = new.insts.push(moved(i));
                new.blocks[n].insts.push(i);
            }
        }
        // Definitions, and operands as they were.
        for &b in &old.layout {
            let n = blocks[b].unwrap_or(b);
            let data = &old.blocks[b];
            let mut params = data.params.clone();
            for (k, p) in params.iter_mut().enumerate() {
                let v = new.values.push(ValueData { ty: old.values[*p].ty, def: ValueDef::Param(n, k as u32) });
                values[*p] = Some(v);
                *p = v;
            }
            // A list of its own, since lists that are made one behind the other lie so.
            let mut insts = SmallVec::with_capacity(data.insts.len() + 1);
            for &i in &data.insts {
                let mut d = moved(i);
                let k = new.insts.next_key();
                let results = d.results;
                d.results = Results::new(new.values.next_key(), results.len());
                for (n, r) in results.iter().enumerate() {
                    let v = new.values.push(ValueData { ty: old.values[r].ty, def: ValueDef::Inst(k, n as u8) });
                    values[r] = Some(v);
                }
                insts.push(new.insts.push(d));
            }
            insts.extend(std::mem::take(&mut new.blocks[n].insts));
            new.blocks[n] = BlockData { params, insts, header: data.header };
        }
        // Operands, edges and the blocks that structure names.
        let there = |b: Block| blocks[b].unwrap_or_else(|| panic!("{b} is named but not in the layout"));
        let mut insts = std::mem::take(&mut new.insts);
        for b in new.layout.clone() {
            if let Some(h) = &mut new.blocks[b].header {
                *h = LoopHeader { merge: there(h.merge), cont: there(h.cont) };
            }
            for k in 0..new.blocks[b].insts.len() {
                let d = &mut insts[new.blocks[b].insts[k]];
                d.map_uses(|v| match values[v] {
                    Some(v) => v,
                    None => {
                        let n = match old.as_const(v) {
                            Some(c) => new.constant(c.clone()),
                            None => new.undef(old.ty(v)),
                        };
                        values[v] = Some(n);
                        n
                    }
                });
                d.map_targets(there);
                if let Some(m) = d.merge() {
                    d.set_merge(Some(there(m)));
                }
            }
        }
        new.insts = insts;
        *self = new;
        kept
    }
}
