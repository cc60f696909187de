//! Places in the code of a function, by which reads and writes are ordered.

use gpucc_ir::Block;

/// A place in the code: an instruction of a block (2 k + 1 for number k), or between two.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct At {
    /// The block that it lies in.
    pub block: Block,
    /// Its number in the block.
    pub step: u32,
}
