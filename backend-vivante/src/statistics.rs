//! Numbers of a program for people.

use gpucc_driver::statistics::Worse::{Down, Up};
use gpucc_driver::statistics::{Statistic, common};
use gpucc_mir::AllocStats;
use gpucc_vivante_machine as machine;

use crate::emit::Program;
use crate::uniforms::Layout;

/// The numbers that programs of the family have, in the order of pages.
pub const STATISTICS: &[Statistic] = &[
    common::INSTRUCTIONS,
    common::BYTES,
    common::REGISTERS,
    common::SPILLS,
    common::RELOADS,
    common::SHARED_BYTES,
    common::SCRATCH_BYTES,
    common::BRANCHES,
    common::LOOPS,
    common::MEMORY,
    common::MOVES,
    common::UNIFORM_WORDS,
    Statistic::new("uniforms", "registers", Up, "uniform registers of four words"),
    Statistic::new("launch_steps", "steps", Up, "operations on uniform words that the launch does once"),
    Statistic::new(
        "uniform_moves",
        "instructions",
        Up,
        "moves made because an instruction needs words of two uniform registers",
    ),
    Statistic::new("address_moves", "instructions", Up, "moves to the address register"),
    Statistic::new("array_rows", "registers", Up, "temporaries that hold indexed variables"),
    Statistic::new(
        "lane_use_percent",
        "percent",
        Down,
        "components written by arithmetic, of four for each instruction",
    )
    .mean(),
    common::IMMEDIATES,
];

/// The decisions of selection and allocation.
pub struct Sizes {
    pub temps: u16,
    pub array_rows: u32,
    pub uniform_moves: usize,
    pub launch_steps: usize,
    pub shared_bytes: u32,
    pub scratch_bytes: u32,
}

/// The numbers by name.
pub fn of(p: &Program, alloc: &AllocStats, layout: &Layout, sizes: &Sizes) -> Vec<(&'static str, u64)> {
    let c = &p.counts;
    let words = layout.registers.iter().flatten().filter(|w| w.is_some()).count();
    [
        ("instructions", (p.code.len() / machine::BYTES) as u64),
        ("bytes", p.code.len() as u64),
        ("registers", u64::from(sizes.temps)),
        ("array_rows", u64::from(sizes.array_rows)),
        ("uniforms", layout.registers.len() as u64),
        ("uniform_words", words as u64),
        ("launch_steps", sizes.launch_steps as u64),
        ("immediates", c.immediates),
        ("moves", c.movs),
        ("uniform_moves", sizes.uniform_moves as u64),
        ("address_moves", c.address_moves),
        ("lane_use_percent", (c.lanes.0 * 100).checked_div(c.lanes.1).unwrap_or(0)),
        ("branches", c.branches),
        ("loops", c.loops),
        ("memory", c.memory),
        ("spills", u64::from(alloc.spills)),
        ("reloads", u64::from(alloc.reloads)),
        ("shared_bytes", u64::from(sizes.shared_bytes)),
        ("scratch_bytes", u64::from(sizes.scratch_bytes)),
    ]
    .to_vec()
}
