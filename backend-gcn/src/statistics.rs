//! Numbers of a program for people.

use gpucc_driver::statistics::Worse::{Down, Up};
use gpucc_driver::statistics::{Statistic, common};
use gpucc_mir::AllocStats;

use crate::inst::{FILE_S, FILE_V};
use crate::tail::emit::Program;

/// The numbers that programs of the family have, in the order of pages.
pub const STATISTICS: &[Statistic] = &[
    common::INSTRUCTIONS,
    common::BYTES,
    common::REGISTERS,
    Statistic::new("sgprs", "registers", Up, "scalar registers that the program claims").mean(),
    Statistic::new("vgprs", "registers", Up, "vector registers that the program claims; the same as `registers`").mean(),
    Statistic::new("waves", "waves", Down, "waves that a SIMD holds at once with these registers, this workgroup memory and workgroups of this size, 10 at most").main().gated().mean(),
    Statistic::new("latency", "cycles", Up, "estimate: time of one wave alone that runs every block, one in loops as often as they iterate, 8 where no constant alone ends them").main(),
    common::SPILLS,
    common::RELOADS,
    Statistic::new("spilled_sgprs", "registers", Up, "lanes of vector registers that hold spilled scalar registers"),
    Statistic::new("spilled_vgprs", "registers", Up, "words of scratch memory of an invocation that hold spilled vector registers"),
    common::SHARED_BYTES,
    common::SCRATCH_BYTES,
    common::BRANCHES,
    Statistic::new("valu", "instructions", Up, "vector arithmetic"),
    Statistic::new("salu", "instructions", Up, "scalar arithmetic"),
    Statistic::new("vmem", "instructions", Up, "vector memory accesses"),
    Statistic::new("smem", "instructions", Up, "scalar memory loads"),
    Statistic::new("lds", "instructions", Up, "accesses to workgroup memory"),
    Statistic::new("images", "instructions", Up, "those of `vmem` that sample, load, store or ask textures and images"),
    Statistic::new("interps", "instructions", Up, "interpolation of parameters"),
    Statistic::new("exports", "instructions", Up, "exports of positions, parameters, colours and depth"),
    Statistic::new("waits", "instructions", Up, "`s_waitcnt`"),
    Statistic::new("nops", "instructions", Up, "`s_nop`"),
];

/// The registers and memory of a program.
pub struct Sizes {
    pub vgprs: u32,
    pub sgprs: u32,
    /// Waves that a SIMD holds with them.
    pub waves: u32,
    pub shared_bytes: u32,
    pub scratch_bytes: u32,
}

/// The numbers by name.
pub fn of(p: &Program, alloc: &AllocStats, sizes: &Sizes) -> Vec<(&'static str, u64)> {
    let spilled = |file: u8| alloc.spill_words.get(usize::from(file)).copied().map_or(0, u64::from);
    [
        ("instructions", p.instructions),
        ("bytes", p.code.len() as u64),
        ("registers", u64::from(sizes.vgprs)),
        ("sgprs", u64::from(sizes.sgprs)),
        ("vgprs", u64::from(sizes.vgprs)),
        ("waves", u64::from(sizes.waves)),
        ("latency", p.latency),
        ("valu", p.counts.valu),
        ("salu", p.counts.salu),
        ("vmem", p.counts.vmem),
        ("smem", p.counts.smem),
        ("lds", p.counts.lds),
        ("images", p.counts.images),
        ("interps", p.counts.interps),
        ("exports", p.counts.exports),
        ("branches", p.counts.branches),
        ("waits", p.counts.waits),
        ("nops", p.counts.nops),
        ("shared_bytes", u64::from(sizes.shared_bytes)),
        ("scratch_bytes", u64::from(sizes.scratch_bytes)),
        ("spills", u64::from(alloc.spills)),
        ("reloads", u64::from(alloc.reloads)),
        ("spilled_sgprs", spilled(FILE_S)),
        ("spilled_vgprs", spilled(FILE_V)),
    ]
    .to_vec()
}
