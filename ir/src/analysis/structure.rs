//! The tree of constructs (regions): loops and selections with their headers and merges.

use super::DomTree;
use crate::entity;
use crate::entity::{Arena, SecondaryMap};
use crate::function::Function;
use crate::inst::Block;

entity!(
    /// A construct of a function.
    ConstructId, "construct"
);

/// The kind of a construct.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ConstructKind {
    /// Opened by a `br`, `switch` or `jump` with a merge. Contains what the header dominates, without the header.
    Selection,
    /// Opened by a loop header, which it contains.
    Loop {
        /// Where `continue` goes.
        cont: Block,
    },
}

/// A construct: the blocks that the header dominates and the merge does not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Construct {
    /// Whether it is a selection or a loop.
    pub kind: ConstructKind,
    /// Block whose terminator, or loop header, opens it.
    pub header: Block,
    /// Block where control meets again behind it.
    pub merge: Block,
    /// The construct around it.
    pub parent: Option<ConstructId>,
    /// How many loops it lies in, itself included if it is one.
    pub loop_depth: u32,
}

/// The constructs of a function. Right only for functions that the verifier accepts; never panics on others.
#[derive(Clone, Debug)]
pub struct Structure {
    /// All constructs, outer before inner.
    pub constructs: Arena<ConstructId, Construct>,
    innermost: SecondaryMap<Block, Option<ConstructId>>,
    opened: SecondaryMap<Block, Option<ConstructId>>,
    loops: SecondaryMap<Block, Option<ConstructId>>,
    /// Merges that were met outside of their construct.
    pub(crate) stray_merges: Vec<Block>,
}

impl Structure {
    /// Computes the constructs of a function from its dominators.
    pub fn new(f: &Function, dom: &DomTree) -> Structure {
        let mut s = Structure {
            constructs: Arena::new(),
            innermost: SecondaryMap::with_default(None),
            opened: SecondaryMap::with_default(None),
            loops: SecondaryMap::with_default(None),
            stray_merges: Vec::new(),
        };
        let blocks = f.blocks.len();
        s.innermost.reserve(blocks);
        s.opened.reserve(blocks);
        let mut is_merge: SecondaryMap<Block, bool> = SecondaryMap::new();
        is_merge.reserve(blocks);
        for &b in dom.rpo() {
            if let Some(h) = f.blocks[b].header {
                is_merge[h.merge] = true;
            }
            if let Some(m) = f.blocks[b].insts.last().and_then(|&t| f.insts[t].merge()) {
                is_merge[m] = true;
            }
        }
        for b in dom.preorder() {
            let mut at = dom.idom(b).and_then(|p| s.opened[p].or(s.innermost[p]));
            if is_merge[b] {
                let mut c = at;
                while let Some(k) = c
                    && s.constructs[k].merge != b
                {
                    c = s.constructs[k].parent;
                }
                match c {
                    Some(k) => at = s.constructs[k].parent,
                    None => s.stray_merges.push(b),
                }
            }
            let depth = |at: Option<ConstructId>, s: &Structure| at.map_or(0, |k| s.constructs[k].loop_depth);
            if let Some(h) = f.blocks[b].header {
                let kind = ConstructKind::Loop { cont: h.cont };
                let loop_depth = depth(at, &s) + 1;
                let k = s.constructs.push(Construct { kind, header: b, merge: h.merge, parent: at, loop_depth });
                s.loops[b] = Some(k);
                at = Some(k);
            }
            s.innermost[b] = at;
            if let Some(merge) = f.blocks[b].insts.last().and_then(|&t| f.insts[t].merge()) {
                let (kind, loop_depth) = (ConstructKind::Selection, depth(at, &s));
                s.opened[b] = Some(s.constructs.push(Construct { kind, header: b, merge, parent: at, loop_depth }));
            }
        }
        s
    }

    /// The innermost construct that contains a block.
    pub fn of(&self, b: Block) -> Option<ConstructId> {
        self.innermost[b]
    }
    /// The selection that a block's terminator opens.
    pub fn opened_by(&self, b: Block) -> Option<ConstructId> {
        self.opened[b]
    }
    /// The loop whose header a block is.
    pub fn loop_at(&self, b: Block) -> Option<ConstructId> {
        self.loops[b]
    }
    /// The construct and those around it, from the inside out.
    pub fn enclosing(&self, c: Option<ConstructId>) -> impl Iterator<Item = ConstructId> + '_ {
        std::iter::successors(c, |&k| self.constructs[k].parent)
    }
    /// The innermost loop that contains a block (a header lies in its own loop).
    pub fn loop_of(&self, b: Block) -> Option<ConstructId> {
        self.enclosing(self.of(b)).find(|&k| self.is_loop(k))
    }
    /// Whether a construct is a loop.
    pub fn is_loop(&self, c: ConstructId) -> bool {
        matches!(self.constructs[c].kind, ConstructKind::Loop { .. })
    }
    /// How many loops contain a block.
    pub fn loop_depth(&self, b: Block) -> u32 {
        self.of(b).map_or(0, |k| self.constructs[k].loop_depth)
    }
    /// Whether a construct contains a block.
    pub fn contains(&self, c: ConstructId, b: Block) -> bool {
        self.enclosing(self.of(b)).any(|k| k == c)
    }
    /// All loops, outer before inner.
    pub fn loops(&self) -> impl DoubleEndedIterator<Item = ConstructId> + '_ {
        self.constructs.keys().filter(|&k| self.is_loop(k))
    }
    /// The blocks of a construct in layout order.
    pub fn blocks(&self, f: &Function, c: ConstructId) -> Vec<Block> {
        f.layout.iter().copied().filter(|&b| self.contains(c, b)).collect()
    }
}
