//! How much generated programs have of everything.

/// Invocations of a workgroup in generated programs.
pub const INVOCATIONS: u32 = 32;
/// Workgroups of a run.
pub const GROUPS: u32 = 3;
/// Words that an invocation writes.
pub const WORDS: u32 = 4;
/// Words of the input buffer, behind its vectors.
pub const INPUTS: u32 = 64;
/// Words in front of them: `quads`, `trios`, `floats` and `duos` of the structure `Input`.
pub(super) const VECTORS: u32 = 96;
/// Words of the structure `Cell`, of which the last eight are floats.
pub(super) const CELL: u32 = 36;

/// Words of the counters that do not start as zero: those of minima, of `atomicAnd`, of the signed maximum.
pub(super) const FIRST: [(usize, u32); 4] = [(4, u32::MAX), (5, u32::MAX), (7, i32::MIN as u32), (8, i32::MAX as u32)];
