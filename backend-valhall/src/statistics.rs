//! Numbers of a program for people.

use gpucc_driver::statistics::Worse::{Down, Up};
use gpucc_driver::statistics::{Statistic, common};
use gpucc_mir::AllocStats;

use crate::emit::{Program, Work};
use crate::inst::FILE_R;

/// The numbers that programs of the family have, in the order of pages.
pub const STATISTICS: &[Statistic] = &[
    common::INSTRUCTIONS,
    common::BYTES,
    common::REGISTERS,
    Statistic::new("registers_used", "registers", Up, "registers that the code names").mean(),
    Statistic::new("threads", "threads", Down, "threads that share the register file of a lane: 2 with 32 registers, 1 with 64").main().gated().mean(),
    Statistic::new("cycles_64ths", "1/64 cycle", Up, "estimate: what the busiest unit takes for one warp that runs every block, one in loops as often as they iterate, 8 where no constant alone ends them").main(),
    common::SPILLS,
    common::RELOADS,
    common::SHARED_BYTES,
    common::SCRATCH_BYTES,
    common::LOOPS,
    common::MOVES,
    common::UNIFORM_WORDS,
    Statistic::new("fma", "instructions", Up, "instructions of the FMA unit, those on pairs counted twice"),
    Statistic::new("cvt", "instructions", Up, "instructions of the CVT unit, those on pairs counted twice"),
    Statistic::new("sfu", "instructions", Up, "instructions of the special function unit"),
    Statistic::new("ls", "messages", Up, "messages to the load/store unit"),
    Statistic::new("v", "components", Up, "components that the varying unit interpolates, those of 32 bits counted twice"),
    Statistic::new("t", "messages", Up, "messages to the texture unit"),
    Statistic::new("quadwords", "16 bytes", Up, "size of the code in quadwords"),
];

/// The registers and memory of a program.
pub struct Sizes {
    /// Whether it has all registers, and half of the threads.
    pub all: bool,
    /// Words of the uniforms that it reads.
    pub uniforms: usize,
    pub shared_bytes: u32,
    pub scratch_bytes: u32,
}

/// The numbers by name.
pub fn of(p: &Program, alloc: &AllocStats, sizes: &Sizes) -> Vec<(&'static str, u64)> {
    let Work { fma, cvt, sfu, v, t, ls } = p.work;
    let used = alloc.used.get(FILE_R as usize).map_or(0, |u| u.len());
    [
        ("instructions", p.locs.len() as u64),
        ("bytes", p.code.len() as u64),
        ("registers", if sizes.all { 64 } else { 32 }),
        ("registers_used", u64::from(used)),
        ("threads", if sizes.all { 1 } else { 2 }),
        ("cycles_64ths", p.time.bound()),
        ("fma", fma),
        ("cvt", cvt),
        ("sfu", sfu),
        ("v", v),
        ("t", t),
        ("ls", ls),
        ("quadwords", (p.code.len() as u64).div_ceil(16)),
        ("loops", p.loops),
        ("spills", u64::from(alloc.spills)),
        ("reloads", u64::from(alloc.reloads)),
        ("moves", u64::from(alloc.moves)),
        ("uniform_words", sizes.uniforms as u64),
        ("shared_bytes", u64::from(sizes.shared_bytes)),
        ("scratch_bytes", u64::from(sizes.scratch_bytes)),
    ]
    .to_vec()
}
