//! Blocks of their own for critical edges: those from a block with several successors to one with several predecessors.
//!
//! Needs: graphs that are equal; targets whose graphs differ build their linear one without such edges. Keeps: the order of the
//! other blocks.

use smallvec::smallvec;

use crate::func::{MBlock, MEdge, MFunc, labels_mut};
use crate::inst::{BlockId, MInst, Target};

/// The new names of the blocks that were there before, and what becomes of their labels.
pub(crate) struct Renamed {
    /// The new number of each block.
    new_of: Vec<BlockId>,
    /// Labels to rename, by block (its new number), in the order of its edges: its first label of this block names that one from now on.
    first: Vec<(BlockId, BlockId, BlockId)>,
    /// How many of those are done.
    done: usize,
}

impl Renamed {
    /// The new number of a block.
    pub(crate) fn new_of(&self, old: BlockId) -> BlockId {
        self.new_of[old.0 as usize]
    }

    /// Changes the labels of a block that was there before. To be called for each, in the order of blocks.
    pub(crate) fn relabel<T: Target>(&mut self, new: BlockId, insts: &mut [MInst<T>]) {
        labels_mut(insts).for_each(|l| *l = self.new_of(*l));
        while let Some(&(_, to, middle)) = self.first.get(self.done).filter(|x| x.0 == new) {
            // Among equal labels the first belongs to the first edge that still has it.
            if let Some(l) = labels_mut(insts).find(|l| **l == to) {
                *l = middle;
            }
            self.done += 1;
        }
    }
}

impl<T: Target> MFunc<T> {
    /// Gives every critical edge of the logical graph a block, right before its target or after its source, whichever keeps the
    /// order fit. Returns how many.
    pub fn split_critical_edges(&mut self, t: &T) -> usize {
        let Some(mut renamed) = self.split_edges() else { return 0 };
        let before = renamed.new_of.len();
        let mut old = (0..renamed.new_of.len() as u32).map(BlockId).peekable();
        for (n, (block, insts)) in self.blocks.iter().zip(&mut self.code).enumerate() {
            let new = BlockId(n as u32);
            match old.next_if(|&b| renamed.new_of(b) == new) {
                Some(_) => renamed.relabel(new, insts),
                None => *insts = vec![t.jump(block.succs[0].to)],
            }
        }
        self.blocks.len() - before
    }

    /// The same for edges alone: labels are changed, and the new blocks get their jumps, by the caller. Nothing where no edge is
    /// critical.
    pub(crate) fn split_edges(&mut self) -> Option<Renamed> {
        let mut preds = vec![0u32; self.blocks.len()];
        for b in &self.blocks {
            for e in &b.succs {
                preds[e.to.0 as usize] += 1;
            }
        }
        // Block and place of each critical edge, by the block that the new one goes right behind, and how often that runs.
        let mut critical: Vec<(u32, u32, u32, u64)> = Vec::new();
        for (b, block) in self.blocks.iter().enumerate() {
            if block.succs.len() < 2 || block.linear.is_some() {
                continue;
            }
            for (k, e) in block.succs.iter().enumerate().filter(|(_, e)| preds[e.to.0 as usize] > 1) {
                // Before a forward target if that comes right after some block; else behind the source.
                let to = e.to.0 as usize;
                let behind = if to > b { to - 1 } else { b };
                let runs = block.runs.min(self.blocks[to].runs);
                critical.push((behind as u32, b as u32, k as u32, runs));
            }
        }
        if critical.is_empty() {
            return None;
        }
        critical.sort_by_key(|c| c.0);
        let mut new_of = Vec::with_capacity(self.blocks.len());
        let mut added = 0;
        for b in 0..self.blocks.len() {
            new_of.push(BlockId((b + added) as u32));
            added += critical[added..].iter().take_while(|c| c.0 as usize == b).count();
        }
        for e in self.blocks.iter_mut().flat_map(MBlock::all_succs_mut) {
            e.to = new_of[e.to.0 as usize];
        }
        let mut first = Vec::with_capacity(critical.len());
        let mut middles = Vec::with_capacity(critical.len());
        for (n, &(behind, b, k, runs)) in critical.iter().enumerate() {
            let new = BlockId(behind + n as u32 + 1);
            let edge = &mut self.blocks[b as usize].succs[k as usize];
            let to = std::mem::replace(&mut edge.to, new);
            middles.push((behind, runs, MEdge { to, args: std::mem::take(&mut edge.args) }));
            first.push((new_of[b as usize], to, new));
        }
        first.sort_by_key(|x| x.0);
        // Each block moves once.
        let mut middles = middles.into_iter().peekable();
        let (old, lists) = (std::mem::take(&mut self.blocks), std::mem::take(&mut self.code));
        self.reserve(old.len() + critical.len());
        for (b, (block, list)) in old.into_iter().zip(lists).enumerate() {
            self.blocks.push(block);
            self.code.push(list);
            while let Some((_, runs, edge)) = middles.next_if(|m| m.0 as usize == b) {
                self.blocks.push(MBlock { succs: smallvec![edge], runs, ..MBlock::default() });
                self.code.push(Vec::new());
            }
        }
        Some(Renamed { new_of, first, done: 0 })
    }
}
