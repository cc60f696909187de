//! Numbers of a program for people.

use gpucc_driver::statistics::Worse::{Down, Up};
use gpucc_driver::statistics::{Statistic, common};
use gpucc_mir::AllocStats;

use crate::emit::Program;

/// The numbers that programs of the family have, in the order of pages.
pub const STATISTICS: &[Statistic] = &[
    common::INSTRUCTIONS,
    common::BYTES,
    common::REGISTERS,
    Statistic::new("issue_clocks", "clocks", Up, "estimate: issue time of one warp that runs every block, one in loops as often as they iterate, 8 where no constant alone ends them").main(),
    common::SPILLS,
    common::RELOADS,
    common::SHARED_BYTES,
    common::SCRATCH_BYTES,
    common::BRANCHES,
    common::MEMORY,
    common::MOVES,
    common::IMMEDIATES,
    Statistic::new("short", "instructions", Down, "instructions of 4 bytes; the others have 8"),
    Statistic::new("constants", "words", Up, "words in the pool of constants"),
    Statistic::new("stack", "entries", Up, "entries of the control stack that divergent branches, loops and atomics need").mean(),
];

/// The registers and memory of a program.
pub struct Sizes {
    pub registers: u16,
    /// Words in the pool of constants.
    pub constants: usize,
    /// Entries of the control stack.
    pub stack: u32,
    pub shared_bytes: u32,
    pub scratch_bytes: u32,
}

/// The numbers by name.
pub fn of(p: &Program, alloc: &AllocStats, sizes: &Sizes) -> Vec<(&'static str, u64)> {
    [
        ("instructions", p.instructions),
        ("bytes", p.code.len() as u64),
        ("registers", u64::from(sizes.registers)),
        ("short", p.short),
        ("immediates", p.immediate),
        ("moves", p.movs),
        ("branches", p.branches),
        ("memory", p.memory),
        ("issue_clocks", p.issue),
        ("constants", sizes.constants as u64),
        ("spills", u64::from(alloc.spills)),
        ("reloads", u64::from(alloc.reloads)),
        ("stack", u64::from(sizes.stack)),
        ("shared_bytes", u64::from(sizes.shared_bytes)),
        ("scratch_bytes", u64::from(sizes.scratch_bytes)),
    ]
    .to_vec()
}
