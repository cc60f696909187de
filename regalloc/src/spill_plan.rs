//! A plan of spills as data: what is stored, loaded and computed again, where, and the memory for it.

use crate::problem::{BlockId, Cfg, FileId, InstId, Value};

/// The ways with a value that has no register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SpillKind {
    /// Nothing: it keeps its register.
    No,
    /// It is stored after its definition and loaded before uses.
    Store,
    /// It is computed again before uses. Not for parameters.
    Remat,
}

/// A place between instructions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ReloadAt {
    /// The start of a block.
    Start(BlockId),
    /// Right before an instruction.
    Before(InstId),
    /// The end of a block, where the copies of its outgoing edge go.
    End(BlockId),
}

/// The values to store, reload and compute again, and their memory.
#[derive(Clone, Debug, Default)]
pub struct SpillPlan {
    /// Values to store right after their definition (parameters: at the start of their block, after its edge code),
    /// ascending.
    pub stores: Vec<Value>,
    /// Parameters that begin in memory, or that nobody reads: they are parameters no more. Ascending.
    pub memory: Vec<Value>,
    /// Values to bring back before instructions and, on edges of blocks with several successors, at the end of a block;
    /// ordered by place.
    pub reloads: Vec<(ReloadAt, Value)>,
    /// Loads and stores on edges, in block order.
    pub edges: Vec<EdgeCode>,
    /// Web that holds each value in memory, an index into `webs`; `u32::MAX` for values that never are there.
    pub web: Vec<u32>,
    /// Places in memory, one for each web.
    pub webs: Vec<Web>,
    /// Words of spill memory for each file.
    pub words: Vec<u32>,
}

impl SpillPlan {
    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.stores.is_empty() && self.memory.is_empty() && self.reloads.is_empty() && self.edges.is_empty()
    }
}

/// A place in memory that holds the values of one web.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Web {
    /// File of its values.
    pub file: FileId,
    /// Units of its values.
    pub units: u16,
    /// First word; every file has its own numbering. A multiple of `units` rounded up to a power of two.
    pub word: u32,
}

/// One step of the code of an edge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EdgeOp {
    /// Brings a value into registers, from this web or by computing it again (`u32::MAX`).
    Load(Value, u32),
    /// Puts a value that is in registers into this web.
    Store(Value, u32),
}

/// The code of one edge.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EdgeCode {
    /// End of the source or start of the target.
    pub at: ReloadAt,
    /// Graph of the edge.
    pub cfg: Cfg,
    /// Loads and stores in the order in which they run.
    pub ops: Vec<EdgeOp>,
}
