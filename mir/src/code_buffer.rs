//! Lists of instructions that are not in blocks yet.
//!
//! A function is walked in the order of its code by everything that comes later, and a walk is as fast as memory only where
//! the blocks' lists lie one behind the other. So code that writes all of them keeps them here and hands them out when it is known
//! which blocks there are, in their order.

use crate::func::{MFunc, labels_mut};
use crate::inst::{BlockId, MInst, Target};

/// About how many instructions are kept in one piece of memory: such pieces are soon used again, while large ones go back to
/// the system.
const PART: usize = 512;

/// Lists one behind the other.
pub struct CodeBuffer<T: Target> {
    parts: Vec<Vec<MInst<T>>>,
    /// How long each list is. All of it lies in one part.
    sizes: Vec<usize>,
    /// Where the one begins that is being written.
    from: usize,
}

impl<T: Target> CodeBuffer<T> {
    /// No lists, with room to count `n`.
    pub fn new(n: usize) -> Self {
        CodeBuffer::with_room(n, 0)
    }

    /// The same for about so many instructions.
    pub fn with_room(n: usize, insts: usize) -> Self {
        CodeBuffer { parts: vec![Vec::with_capacity(insts.min(PART))], sizes: Vec::with_capacity(n), from: 0 }
    }

    /// The list that is being written is complete: what is added from now on is the next one.
    pub fn close(&mut self) {
        let end = self.current().len();
        self.sizes.push(end - self.from);
        self.from = end;
        if end > PART {
            self.parts.push(Vec::with_capacity(2 * PART));
            self.from = 0;
        }
    }

    /// The memory of the list that is being written.
    fn current(&mut self) -> &mut Vec<MInst<T>> {
        self.parts.last_mut().expect("there is one from the beginning")
    }

    /// Adds to the list that is being written.
    pub fn extend(&mut self, list: impl IntoIterator<Item = MInst<T>>) {
        self.current().extend(list);
    }

    /// Adds to the list that is being written.
    pub fn push(&mut self, i: MInst<T>) {
        self.current().push(i);
    }

    /// The list that is being written.
    pub fn open(&mut self) -> &mut [MInst<T>] {
        let from = self.from;
        &mut self.current()[from..]
    }

    /// Takes the last instruction of the list that is being written.
    pub fn pop(&mut self) -> Option<MInst<T>> {
        let from = self.from;
        let list = self.current();
        if list.len() > from { list.pop() } else { None }
    }

    /// The complete lists, the first that was closed first.
    pub fn in_order(self) -> impl Iterator<Item = Vec<MInst<T>>> {
        let mut parts = self.parts.into_iter().map(Vec::into_iter);
        let mut now = parts.next();
        self.sizes.into_iter().map(move |n| {
            let mut list = Vec::with_capacity(n);
            while let Some(part) = now.as_mut().filter(|_| list.len() < n) {
                list.extend(part.take(n - list.len()));
                if list.len() < n {
                    now = parts.next();
                }
            }
            list
        })
    }

    /// Takes the last complete list that was not taken yet, for lists that were written from the last on.
    pub fn take_last(&mut self) -> Vec<MInst<T>> {
        let mut list = Vec::new();
        let taken = self.drain_last();
        list.reserve_exact(taken.len());
        list.extend(taken);
        list
    }

    /// The same, to be put somewhere else.
    pub fn drain_last(&mut self) -> impl ExactSizeIterator<Item = MInst<T>> {
        let n = self.sizes.pop().unwrap_or(0);
        while n > 0 && self.parts.len() > 1 && self.current().is_empty() {
            self.parts.pop();
        }
        let part = self.current();
        part.drain(part.len() - n..)
    }
    /// Hands out what was selected apart, the first block's list last: puts the blocks into `order`, gives each critical edge one
    /// ([`MFunc::split_critical_edges`]), and each block its code; blocks that the target added have theirs already. `each` is called
    /// for a block when it has its code, in the order of blocks, with its new number and its old one: it may make that code fit, but
    /// edges and labels stay.
    ///
    /// # Panics
    /// When `order` does not name every block once.
    pub fn distribute(
        mut self,
        mf: &mut MFunc<T>,
        order: &[BlockId],
        t: &T,
        mut each: impl FnMut(&mut MFunc<T>, BlockId, BlockId),
    ) {
        let selected = self.sizes.len();
        let moved = mf.reorder(order);
        let mut renamed = mf.split_edges();
        // The lists of added blocks lie anywhere. Their memory is free for others only when all have a new place.
        let mut added = Vec::new();
        let mut order = order.iter().zip(0..).peekable();
        for n in 0..mf.blocks.len() {
            let new = BlockId(n as u32);
            let number = |k| renamed.as_ref().map_or(BlockId(k), |r| r.new_of(BlockId(k)));
            let Some((&old, _)) = order.next_if(|x| number(x.1) == new) else {
                mf.code[n] = vec![t.jump(mf.blocks[n].succs[0].to)];
                continue;
            };
            let insts = &mut mf.code[n];
            if (old.0 as usize) < selected {
                *insts = self.take_last();
                labels_mut(insts).for_each(|l| *l = moved[l.0 as usize]);
            } else {
                let mut list = std::mem::take(insts);
                insts.reserve_exact(list.len());
                insts.append(&mut list);
                added.push(list);
            }
            if let Some(r) = &mut renamed {
                r.relabel(new, insts);
            }
            each(mf, new, old);
        }
    }
}
