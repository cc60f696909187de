//! Edges: where a terminator leads, and what it passes on.
//!
//! A `jump` and a `br` hold their edges in themselves, the values of both in one list: walks over the graph read nothing but
//! terminators, which lie together (see `compact`), and a box for each branch would be a place of its own to wait for.

use crate::ids::{Block, Value};
use crate::values::Values;

/// A target block with the values of its parameters.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Edge {
    /// The block that the edge leads to.
    pub block: Block,
    /// One value per parameter of the target.
    pub args: Values,
}

/// An edge of a terminator, where it lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EdgeRef<'a> {
    /// The block that the edge leads to.
    pub block: Block,
    /// One value per parameter of the target.
    pub args: &'a [Value],
}

impl Edge {
    /// An edge without arguments.
    pub fn to(block: Block) -> Edge {
        Edge { block, args: Values::new() }
    }
    /// An edge with arguments.
    pub fn with(block: Block, args: &[Value]) -> Edge {
        Edge { block, args: Values::from_slice(args) }
    }
    /// The edge to look at.
    #[inline]
    pub fn view(&self) -> EdgeRef<'_> {
        EdgeRef { block: self.block, args: &self.args }
    }
}

impl EdgeRef<'_> {
    /// The edge as one that may change and stay.
    pub fn to_edge(self) -> Edge {
        Edge::with(self.block, self.args)
    }
}

/// The mark where there is no block.
const NONE: Block = Block(u32::MAX);

fn optional(b: Block) -> Option<Block> {
    (b != NONE).then_some(b)
}

/// The edges of a `jump`, which has one, or of a `br`, which has two.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Branch {
    /// The arguments of the first edge, then those of the second.
    args: Values,
    /// How many the first edge has.
    first: u32,
    then: Block,
    other: Block,
    merge: Block,
}

impl Branch {
    /// The edge of a `jump`. With a merge, the block opens a construct that ends there: code inside may jump to it.
    pub fn jump(edge: Edge, merge: Option<Block>) -> Branch {
        let Edge { block, args } = edge;
        Branch { first: args.len() as u32, args, then: block, other: NONE, merge: merge.unwrap_or(NONE) }
    }
    /// The edges of a `br`: taken if true, taken if false. The construct ends at the merge.
    pub fn br(then: Edge, other: Edge, merge: Option<Block>) -> Branch {
        let mut b = Branch::jump(then, merge);
        b.other = other.block;
        b.args.extend(other.args.iter().copied());
        b
    }
    /// The only edge, or the one that is taken if true.
    #[inline]
    pub fn then(&self) -> EdgeRef<'_> {
        EdgeRef { block: self.then, args: &self.args[..self.first as usize] }
    }
    /// The edge that is taken if false.
    #[inline]
    pub fn other(&self) -> Option<EdgeRef<'_>> {
        optional(self.other).map(|block| EdgeRef { block, args: &self.args[self.first as usize..] })
    }
    /// Where the construct ends.
    #[inline]
    pub fn merge(&self) -> Option<Block> {
        optional(self.merge)
    }
    /// Sets where the construct ends.
    #[inline]
    pub fn set_merge(&mut self, to: Option<Block>) {
        self.merge = to.unwrap_or(NONE);
    }
    /// Whether these are the edges of a `jump`.
    #[inline]
    pub fn is_jump(&self) -> bool {
        self.other == NONE
    }
    /// The arguments of all edges.
    #[inline]
    pub(crate) fn args_mut(&mut self) -> &mut [Value] {
        &mut self.args
    }
    /// Appends an argument to an edge.
    ///
    /// # Panics
    /// If there is no such edge.
    pub fn push(&mut self, edge: usize, v: Value) {
        assert!(edge <= usize::from(!self.is_jump()), "no edge {edge} in {self:?}");
        self.args.push(v);
        if edge == 0 {
            // The second edge's arguments make room.
            let first = self.first as usize;
            self.args[first..].rotate_right(1);
            self.first += 1;
        }
    }
    /// Replaces each target by `f` of it.
    #[inline]
    pub fn map_targets(&mut self, mut f: impl FnMut(Block) -> Block) {
        self.then = f(self.then);
        if self.other != NONE {
            self.other = f(self.other);
        }
    }
    /// Calls `f` for every edge, which it may change.
    pub fn map_edges(&mut self, mut f: impl FnMut(&mut Edge)) {
        let mut then = self.then().to_edge();
        let other = self.other().map(EdgeRef::to_edge);
        f(&mut then);
        *self = match other {
            None => Branch::jump(then, self.merge()),
            Some(mut other) => {
                f(&mut other);
                Branch::br(then, other, self.merge())
            }
        };
    }
}

/// The edges of a `switch`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct SwitchEdges {
    /// Case values (masked to the selector's width, all distinct) and their edges; several cases may share a block.
    pub cases: Vec<(u64, Edge)>,
    /// Taken if no case is equal.
    pub default: Edge,
    /// Where the construct ends.
    pub merge: Option<Block>,
}
